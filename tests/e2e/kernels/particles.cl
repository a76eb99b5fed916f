// SPDX-License-Identifier: MIT
// A step of a simulation, as a program would have it, for test_variables.py (see variables.cl).
#ifndef CPU
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
#define WORK_ITEM (int)__builtin_amdgcn_workitem_id_x()
#define LOCAL __local
#define VECTOR(...) (__VA_ARGS__)
#else
#include "variables_cpu.h"
#endif

#define MAX_NEIGHBOURS 6
#define SIDE 4

typedef enum { FREE, BOUND = 3, LOST = -2 } state_t;

typedef struct {
	unsigned kind : 3;
	int charge : 5;
	unsigned fixed : 1;
	unsigned age : 12;
} bits_t;

typedef struct particle {
	float4 position;
	float2 velocity;
	half mass;
	bits_t bits;
	state_t state;
	union {
		unsigned long whole;
		struct {
			unsigned low, high;
		};
		uchar bytes[8];
	} id;
} particle_t;

struct cell {
	int count;
	short member[MAX_NEIGHBOURS];
	struct {
		float energy;
		float2 sum;
	} total;
};

struct chain {
	__private const particle_t *of;
	__private struct chain *next;
	__global const int *source;
	__local int *shared;
};

static float energy_of(const particle_t *p)
{
	float speed2 = p->velocity.x * p->velocity.x + p->velocity.y * p->velocity.y;
	float m = (float)p->mass;
	return 0.5f * m * speed2;
}

__attribute__((noinline)) static int insert(struct cell *c, int index, float energy)
{
	int place = -1;
	if (c->count < MAX_NEIGHBOURS) {
		place = c->count++;
		c->member[place] = (short)index;
		c->total.energy += energy;
		c->total.sum.x += (float)index;
	} else {
		place = LOST;
	}
	return place;
}

__attribute__((noinline)) static unsigned mix(unsigned seed, int rounds)
{
	unsigned h = seed ^ 0x9e3779b9u;
	for (int r = 0; r < rounds; r++) {
		unsigned before = h;
		h ^= h << 13;
		h ^= h >> 17;
		h = h * 5u + before;
	}
	return h;
}

__attribute__((noinline)) static int longest(__private const struct chain *c, int most)
{
	int length = 0;
	long sum = 0;
	while (c && length < most) {
		const particle_t *p = c->of;
		sum += p->bits.age;
		if (p->state == LOST)
			break;
		c = c->next;
		length++;
	}
	sum <<= 4;
	return length + (int)sum;
}

static void turn(float m[SIDE][SIDE], float by)
{
	for (int row = 0; row < SIDE; row++) {
		float sign = row & 1 ? -1.0f : 1.0f;
		for (int column = row; column < SIDE; column++) {
			float t = m[row][column];
			m[row][column] = sign * m[column][row] + by;
			m[column][row] = t;
		}
	}
}

__attribute__((noinline)) static int classify(int value, __local int *slot)
{
	int result;
	switch (value % 4) {
	case 0:
		result = 10;
		break;
	case 1:
		result = value * 3;
		result += *slot / 2;
		break;
	default: {
		int rest = value / 4;
		result = rest - 1;
	}
	}
	return result + *slot;
}

__kernel void kern(__global int *out, __global const int *in, float k, int n)
{
	LOCAL int slots[32];
	LOCAL particle_t shared;
	int lid = WORK_ITEM;
	for (int i = 0; i < 32; i++)
		slots[i] = i * 2;
	particle_t a = {.position = (float4)VECTOR(1.0f, 2.0f, k, 0.5f), .velocity = (float2)VECTOR(k, -1.0f), .mass = 2.5f};
	particle_t b = a;
	a.bits.kind = 5;
	a.bits.charge = -7;
	a.bits.fixed = 1;
	a.bits.age = (unsigned)lid + 100u;
	b.bits.age = 4000;
	b.state = BOUND;
	b.id.whole = 0x0102030405060708ul;
	a.id.low = (unsigned)n;
	a.id.high = 9;
	half h = (half)k;
	h = h * (half)2.0f;
	half2 hh = (half2)VECTOR(h, (half)0.25f);
	short4 s = (short4)VECTOR(1, -2, (short)n, (short)lid);
	ulong wide = (ulong)n * 0x100000001ul;
	short negative = (short)(-n);
	struct cell cells[2] = {{0}};
	int placed = insert(&cells[1], lid, energy_of(&a));
	placed += insert(&cells[0], n, energy_of(&b));
	struct chain tail = {&b, 0, in, slots};
	struct chain head = {&a, &tail, &in[1], &slots[lid]};
	int length = longest(&head, 5);
	unsigned hash = mix((unsigned)lid, 3);
	float matrix[SIDE][SIDE];
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			matrix[i][j] = (float)(i * SIDE + j);
	turn(matrix, k);
	float trace = 0;
	int odd_ones = 0;
	for (int i = 0; i < n; i++) {
		int value = in[(lid + i) & 31];
		if (value & 1) {
			odd_ones++;
			continue;
		}
		for (int j = 0; j < 2; j++) {
			float part = matrix[i & 3][j];
			trace += part * (float)value;
		}
	}
	int step = in[lid];
	out[lid] = step + placed;
	step = 3;
	int class = classify(lid, head.shared);
	hh.y = hh.x + (half)1.0f;
	s.yz = s.xw;
	class += step;
	__private float *diagonal = &matrix[2][2];
	__global int *target = out + lid;
	*diagonal += 1.0f;
	shared.state = FREE;
	*target += length + (int)hash + (int)trace + odd_ones + class + (int)*diagonal + (int)hh.y;
	*target += s.y + (int)wide + negative + cells[1].count + a.bits.charge + (int)b.id.bytes[1] + slots[lid];
	step = 4;
	*target += step + shared.state;
}
