// SPDX-License-Identifier: MIT
// Variables of many types, for test_variables.py: the same source is compiled as C for the CPU
// (variables_cpu.h), where gdb reads what breakwater must show.
#ifndef CPU
#define WORK_ITEM (int)__builtin_amdgcn_workitem_id_x()
#define LOCAL __local
#define VECTOR(...) (__VA_ARGS__)
#else
#include "variables_cpu.h"
#endif

enum color { RED, GREEN = 5, BLUE };
enum flags { FLAG_A = 1, FLAG_B = 2, FLAG_C = 8 };
struct point {
	int x, y;
};
typedef struct item {
	int id;
	float w;
	struct point at[2];
	enum color color;
	bool on;
} item_t;
struct node {
	int value;
	__private struct node *next;
};
union bits {
	float f;
	unsigned u;
	uchar byte[4];
};
struct tile {
	int sum[16];
	char name[8];
};

__attribute__((noinline)) static int add_up(__private const struct node *list, int limit)
{
	int total = 0, i;
	for (i = 0; i < limit; i++) {
		int value = list->value;
		total += value * (i + 1);
		list = list->next;
	}
	return total;
}

__attribute__((noinline)) static float scale(item_t item, float by, enum flags how)
{
	float result = item.w * by;
	if (how & FLAG_B) {
		int result_int = (int)result;
		result += result_int;
	}
	item.w = result;
	item.at[1].y = 77;
	return item.w + item.at[1].y;
}

static inline int twice(int n)
{
	int doubled = n * 2;
	return doubled;
}

__attribute__((noinline)) static void fill(__local struct tile *t, int from)
{
	short step = 3;
	int i;
	for (i = 0; i < 16; i++)
		t->sum[i] = i < 4 ? from : step;
	t->name[0] = 'h';
	t->name[1] = 'i';
	t->name[2] = 0;
}

__kernel void kern(__global int *out, __global const int *in, float k, int n)
{
	LOCAL struct tile tile;
	int lid = WORK_ITEM;
	long big = (long)n << 33;
	uchar small = (uchar)(lid + 250);
	char letter = (char)('a' + lid);
	bool odd = lid & 1;
	enum color color = odd ? BLUE : RED;
	enum flags how = FLAG_A | FLAG_B;
	float4 v = (float4)VECTOR(1.0f, k, 2.5f, -3.0f);
	int2 pair = (int2)VECTOR(lid, n);
	uchar4 rgba = (uchar4)VECTOR(1, 2, 3, (uchar)lid);
	double d = k * 0.5;
	union bits bits = {.f = 1.5f};
	item_t item = {.id = lid, .w = k, .at = {{1, 2}, {3, n}}, .color = GREEN, .on = true};
	struct node last = {30, 0};
	struct node first = {lid, &last};
	int array[12] = {1, 2, 3};
	char text[8] = "gpu";
	fill(&tile, n);
	int total = add_up(&first, 2);
	item.at[0].x = total;
	float scaled = scale(item, k, how);
	for (int i = 0; i < 3; i++) {
		int n = twice(i);
		array[i + 4] = n + tile.sum[i];
		if (i == 1) {
			float lid = v.y * i;
			scaled += lid;
		}
		pair.x += n;
	}
	v.zw = v.xy;
	bits.u += 1;
	item.color = BLUE;
	__private int *p = &array[5];
	*p += in[lid];
	out[lid] = total + (int)scaled + array[5] + pair.x + small + letter + (int)d + (int)big;
	out[lid] += (int)v.w + (int)bits.byte[0] + rgba.w + item.at[1].y + color + text[0] + last.value;
}
