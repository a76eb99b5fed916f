// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4) of many messages at once, and a search for a number that makes the digest
// begin with zeros, in the usual style of such programs: a context that is updated, helper
// functions, tables in constant memory, a block in private memory.

#ifndef ROUNDS
#define ROUNDS 64
#endif
#define BLOCK_BYTES 64
#define DIGEST_WORDS 8

typedef struct {
	uint state[DIGEST_WORDS];
	uchar block[BLOCK_BYTES];
	uint filled; // bytes in block
	ulong total; // bytes in all
} sha256_ctx;

typedef struct {
	uint offset;
	uint length;
} message_t;

typedef struct {
	uint found;
	uint nonce;
	uint digest[DIGEST_WORDS];
} result_t;

__constant uint K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

__constant uint INITIAL[DIGEST_WORDS] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

inline uint rotr(uint x, uint n)
{
	return rotate(x, 32 - n);
}

inline uint ch(uint x, uint y, uint z)
{
	return bitselect(z, y, x);
}

inline uint maj(uint x, uint y, uint z)
{
	return bitselect(x, y, x ^ z);
}

inline uint big_sigma0(uint x)
{
	return rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22);
}

inline uint big_sigma1(uint x)
{
	return rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25);
}

inline uint small_sigma0(uint x)
{
	return rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3);
}

inline uint small_sigma1(uint x)
{
	return rotr(x, 17) ^ rotr(x, 19) ^ (x >> 10);
}

uint load_be(const uchar *p)
{
	uchar4 b = vload4(0, p);
	return upsample(upsample(b.x, b.y), upsample(b.z, b.w));
}

void sha256_block(sha256_ctx *ctx)
{
	uint w[64];
	for (int i = 0; i < 16; i++)
		w[i] = load_be(ctx->block + 4 * i);
	for (int i = 16; i < ROUNDS; i++)
		w[i] = small_sigma1(w[i - 2]) + w[i - 7] + small_sigma0(w[i - 15]) + w[i - 16];

	uint8 s = vload8(0, ctx->state);
	for (int i = 0; i < ROUNDS; i++) {
		uint t1 = s.s7 + big_sigma1(s.s4) + ch(s.s4, s.s5, s.s6) + K[i] + w[i];
		uint t2 = big_sigma0(s.s0) + maj(s.s0, s.s1, s.s2);
		s = (uint8)(t1 + t2, s.s012, s.s3 + t1, s.s456);
	}
	vstore8(vload8(0, ctx->state) + s, 0, ctx->state);
}

void sha256_init(sha256_ctx *ctx)
{
	for (int i = 0; i < DIGEST_WORDS; i++)
		ctx->state[i] = INITIAL[i];
	ctx->filled = 0;
	ctx->total = 0;
}

void sha256_byte(sha256_ctx *ctx, uchar byte)
{
	ctx->block[ctx->filled++] = byte;
	if (ctx->filled == BLOCK_BYTES) {
		sha256_block(ctx);
		ctx->filled = 0;
	}
}

void sha256_update(sha256_ctx *ctx, __global const uchar *data, uint length)
{
	for (uint i = 0; i < length; i++)
		sha256_byte(ctx, data[i]);
	ctx->total += length;
}

void sha256_final(sha256_ctx *ctx, uint *digest)
{
	ulong bits = ctx->total * 8;
	sha256_byte(ctx, 0x80);
	while (ctx->filled != BLOCK_BYTES - 8)
		sha256_byte(ctx, 0);
	for (int shift = 56; shift >= 0; shift -= 8)
		sha256_byte(ctx, (uchar)(bits >> shift));
	for (int i = 0; i < DIGEST_WORDS; i++)
		digest[i] = ctx->state[i];
}

// One message for each work-item.
__kernel void digest_all(__global const uchar *data, __global const message_t *messages, uint n, __global uint *digests)
{
	const uint id = get_global_id(0);
	if (id >= n)
		return;

	sha256_ctx ctx;
	uint digest[DIGEST_WORDS];
	const message_t message = messages[id];

	sha256_init(&ctx);
	sha256_update(&ctx, data + message.offset, message.length);
	sha256_final(&ctx, digest);
	vstore8(vload8(0, digest), id, digests);
}

// Which is the smallest number, as four bytes behind the message, for which the digest begins with `zeros` bits of
// zero? Each work-item tries `tries` numbers.
__kernel void search(__global const uchar *data, uint length, uint zeros, uint tries, volatile __global result_t *result,
		     __local uint *best)
{
	const uint lid = get_local_id(0);
	if (lid == 0)
		*best = UINT_MAX;
	barrier(CLK_LOCAL_MEM_FENCE);

	sha256_ctx start;
	sha256_init(&start);
	sha256_update(&start, data, length);

	for (uint t = 0; t < tries; t++) {
		const uint nonce = get_global_id(0) * tries + t;
		sha256_ctx ctx = start;
		uint digest[DIGEST_WORDS];
		for (int shift = 24; shift >= 0; shift -= 8)
			sha256_byte(&ctx, (uchar)(nonce >> shift));
		ctx.total += 4;
		sha256_final(&ctx, digest);
		if (clz(digest[0]) >= zeros) {
			atomic_min(best, nonce);
			break;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	if (lid == 0 && *best != UINT_MAX) {
		atomic_inc(&result->found);
		atomic_min(&result->nonce, *best);
	}
}
