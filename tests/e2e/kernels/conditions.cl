// SPDX-License-Identifier: MIT
// Variables of many types and places, for the conditions of test_filters.py: each round stops the
// first wave at `round`, where the next condition is set, and all waves pass `tested`.
enum color { RED, GREEN = 5, BLUE };
struct item {
	int id;
	short at[4];
	float w;
	uchar tag;
};

__attribute__((noinline)) static void next_round(__global int *count)
{
	*count += 1; /* round */
}

__attribute__((noinline)) static void passed(__global int *sum, int l, short h, uchar uc, long wide,
					     float x)
{
	*sum += l + h + uc + (int)wide + (int)x; /* passed */
}

__kernel void conditions(__global int *out, int rounds)
{
	__local int tile[256];
	int l = (int)get_local_id(0);
	uint u = l * 0x01010101u;
	char c = (char)(l - 100);
	uchar uc = (uchar)(l * 2);
	short h = (short)(l * 300);
	ushort uh = (ushort)(l * 600);
	long wide = ((long)l - 64) << 33;
	ulong uwide = (ulong)l << 57;
	float x = l * 0.25f - 16.0f;
	enum color color = l % 3 ? GREEN : BLUE;
	bool odd = l & 1;
	struct item item = {l * 3, {l, l + 1, -l, 7}, l * 0.5f, l};
	int4 v = (int4)(l, -l, l / 2, 9);
	__private int *p = &item.id;
	int far[1200];
	far[1100] = l * 7;
	tile[l] = l;
	for (int round = 0; round < rounds; round++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		next_round(&out[l]);
		barrier(CLK_LOCAL_MEM_FENCE);
		out[l] += l; /* tested */
		passed(&out[l], l, h, uc, wide, x);
	}
	out[l] += u + c + uc + h + uh + (int)wide + (int)uwide + (int)x + color + odd + item.at[1] +
		  item.at[2] + item.tag + (int)item.w + v.x + v.y + v.z + *p + far[1100] +
		  tile[255 - l];
}
