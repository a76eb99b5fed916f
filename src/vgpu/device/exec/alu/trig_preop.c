/* SPDX-License-Identifier: MIT */

/* v_trig_preop_f64: 53 bits of 2/pi for the argument reduction of large angles (doc/rules.md 151;
 * AMD's opcode definition: bits [1200:1148] of 2/pi = 0.b1200 b1199 ... shifted left by 53 *
 * S1[4:0], and further for arguments above 2^54, as an integer scaled back). */

#include "vgpu/device/exec/alu/lane_math.h"

/* The first 1201 bits after the binary point, zeros after them. */
static const uint64_t two_over_pi[] = {
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};

enum { N_WORDS = sizeof(two_over_pi) / sizeof(two_over_pi[0]), SEGMENT = 53 };

static uint64_t word(unsigned i)
{
	return i < N_WORDS ? two_over_pi[i] : 0;
}

double trig_preop64(uint64_t s0, uint32_t s1)
{
	int exponent = (int)(s0 >> 52 & 0x7ff);
	unsigned shift = (s1 & 31) * SEGMENT;
	if (exponent > 1077)
		shift += (unsigned)(exponent - 1077);
	unsigned i = shift / 64, in = shift % 64;
	uint64_t bits = in ? word(i) << in | word(i + 1) >> (64 - in) : word(i);
	int scale = -SEGMENT - (int)shift + (exponent >= 1968 ? 128 : 0);
	return ldexp64((double)(bits >> (64 - SEGMENT)), scale);
}
