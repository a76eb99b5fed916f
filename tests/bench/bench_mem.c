/* SPDX-License-Identifier: MIT */

/* Speed of memory instructions on one core, through the executor: each row is a loop of eight of
 * them. Figures are wave instructions of 32 lanes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "isa/descriptor.h"
#include "isa/inst.h"
#include "vgpu/device/exec/core/exec.h"

enum { MEM_B = 64 << 20, DATA = 1 << 20, LANES = 32, VGPRS = 64, UNROLL = 8 };
#define VA UINT64_C(0x7f0000000000)

static uint8_t *memory;

/* In place of the device's page walk; a miss costs an array access here. */
uint8_t *bw_tlb_miss(struct bw_tlb *tlb, uint64_t va, enum bw_access access,
		     struct bw_vm_fault *out_fault)
{
	if (va < VA || va >= VA + MEM_B) {
		*out_fault =
			(struct bw_vm_fault){.va = va, .access = (uint8_t)access, .permission = 1};
		return NULL;
	}
	uint8_t *page = memory + (va - VA) / BW_PAGE_B * BW_PAGE_B;
	tlb->entry[(va >> 12) % BW_TLB_ENTRIES] =
		(struct bw_tlb_entry){.tag = va >> 12, .host = page, .access = 0xff};
	tlb->range[bw_tlb_range_slot(va)] =
		(struct bw_tlb_range){.va = VA, .size_b = MEM_B, .host = memory, .access = 0xff};
	return page + va % BW_PAGE_B;
}

bool bw_vm_read(struct bw_tlb *tlb, uint64_t va, void *out, size_t size_b,
		struct bw_vm_fault *out_fault)
{
	memcpy(out, memory + (va - VA), size_b);
	return true;
}

static uint64_t no_time(void *cookie)
{
	return 0;
}

static uint32_t no_cycles(void *cookie)
{
	return 0;
}

enum pattern { CONTIGUOUS, SAME, STRIDE, RANDOM_64K, OFFSETS };

/* Addresses are in v[2:3] (64 bits) or v2 (LDS, buffers), data in v[8:11], destination v[4:7];
 * s[2:3] is the base of scalar loads, s[12:15] a buffer. Words as llvm-mc-19 assembles the text. */
static const struct row {
	const char *name;
	uint32_t word[2];
	enum pattern pattern;
	unsigned size_b;
	uint32_t exec;
} rows[] = {
	{"load b32, contiguous", {0xdc520000, 0x047c0002}, CONTIGUOUS, 4, UINT32_MAX},
	{"store b32, contiguous", {0xdc6a0000, 0x007c0802}, CONTIGUOUS, 4, UINT32_MAX},
	{"load b32, contiguous, 24 lanes", {0xdc520000, 0x047c0002}, CONTIGUOUS, 4, 0x00ffffff},
	{"store b32, contiguous, 24 lanes", {0xdc6a0000, 0x007c0802}, CONTIGUOUS, 4, 0x00ffffff},
	{"load b64, contiguous", {0xdc560000, 0x047c0002}, CONTIGUOUS, 8, UINT32_MAX},
	{"store b64, contiguous", {0xdc6e0000, 0x007c0802}, CONTIGUOUS, 8, UINT32_MAX},
	{"load b128, contiguous", {0xdc5e0000, 0x047c0002}, CONTIGUOUS, 16, UINT32_MAX},
	{"store b128, contiguous", {0xdc760000, 0x007c0802}, CONTIGUOUS, 16, UINT32_MAX},
	{"load b32, one address", {0xdc520000, 0x047c0002}, SAME, 4, UINT32_MAX},
	{"load b32, 12 bytes apart", {0xdc520000, 0x047c0002}, STRIDE, 12, UINT32_MAX},
	{"load b32, random in 64 KiB", {0xdc520000, 0x047c0002}, RANDOM_64K, 4, UINT32_MAX},
	{"atomic add, one address", {0xdcd60000, 0x007c0802}, SAME, 4, UINT32_MAX},
	{"LDS load b32, contiguous", {0xd8d80000, 0x04000002}, OFFSETS, 4, UINT32_MAX},
	{"LDS store b32, contiguous", {0xd8340000, 0x00000802}, OFFSETS, 4, UINT32_MAX},
	{"LDS load b32, 132 bytes apart", {0xd8d80000, 0x04000002}, OFFSETS, 132, UINT32_MAX},
	{"buffer load b32, contiguous", {0xe0500000, 0x80430402}, OFFSETS, 4, UINT32_MAX},
	{"buffer load b32, 24 lanes", {0xe0500000, 0x80430402}, OFFSETS, 4, 0x00ffffff},
	{"buffer load b32, 12 bytes apart", {0xe0500000, 0x80430402}, OFFSETS, 12, UINT32_MAX},
	{"buffer load u16, contiguous", {0xe0480000, 0x80430402}, OFFSETS, 2, UINT32_MAX},
	{"buffer load b128, contiguous", {0xe05c0000, 0x80430402}, OFFSETS, 16, UINT32_MAX},
	{"buffer store b32, contiguous", {0xe0680000, 0x80430802}, OFFSETS, 4, UINT32_MAX},
	{"scalar buffer load b128", {0xf4280206, 0xf8000000}, SAME, 4, UINT32_MAX},
	{"scalar load b128", {0xf4080201, 0xf8000000}, SAME, 4, UINT32_MAX},
};

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* whatever else the machine does */
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void set_addresses(uint32_t *v, const struct row *r)
{
	uint32_t state = 1;
	for (unsigned i = 0; i < LANES; i++) {
		uint64_t offset = r->pattern == SAME ? 0 : (uint64_t)i * r->size_b;
		state = state * 1664525 + 1013904223;
		if (r->pattern == RANDOM_64K)
			offset = (state >> 4) % (1u << 14) * 4;
		v[10 * LANES + i] = state;
		uint64_t address = r->pattern == OFFSETS ? offset : VA + DATA + offset;
		v[2 * LANES + i] = (uint32_t)address;
		v[3 * LANES + i] = (uint32_t)(address >> 32);
	}
}

/* A gather that goes elsewhere each time: v_mul_lo_u32 v10, v10, s6; v_add_nc_u32 v10, s7, v10;
 * v_lshrrev_b32 v2, 6, v10; v_and_b32 v2, s8, v2; then global_load_b32 v4, v2, s[2:3], or nothing
 * to know what the arithmetic costs. s8 keeps 16 MiB. */
static const uint32_t wander[] = {0xd72c000a, 0x00000d0a, 0x4a141407, 0x32041486,
				  0x36040408, 0xdc520000, 0x04020002};
static const struct row gather = {"load b32, elsewhere in 16 MiB", {0}, RANDOM_64K, 4, UINT32_MAX};
static const struct row gather_alu = {"its address arithmetic", {0}, RANDOM_64K, 4, UINT32_MAX};

/* Eight times r->word, or `wander` where it has none. */
static unsigned make_loop(const struct row *r, uint32_t *code)
{
	const uint32_t *words = r->word[0] ? r->word : wander;
	unsigned n = r->word[0] ? 2 : r == &gather ? 7 : 5;
	for (unsigned i = 0; i < UNROLL; i++)
		memcpy(&code[n * i], words, n * 4);
	n *= UNROLL;
	/* s_add_u32 s0, s0, -1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 to the start; s_endpgm */
	memcpy(&code[n],
	       (const uint32_t[]){0x8000c100, 0xbf078000, 0xbfa20000 | (0xffff & -(n + 3)),
				  0xbfb00000},
	       16);
	return n + 4;
}

static double measure(struct bw_exec *x, const struct row *r)
{
	static uint8_t lds[65536] __attribute__((aligned(64)));
	static uint32_t v[VGPRS * LANES] __attribute__((aligned(64)));
	static struct bw_tlb tlb;
	static struct bw_wave w __attribute__((aligned(64)));
	struct bw_workgroup wg = {.lds = lds, .lds_size_b = sizeof(lds), .n_waves = 1};
	const uint32_t loops = 100000;
	uint32_t code[7 * UNROLL + 4];
	double best = 1e9;

	memcpy(memory, code, make_loop(r, code) * 4);
	bw_exec_flush_code(x);
	for (unsigned i = 0; i < BW_TLB_ENTRIES; i++)
		tlb.entry[i].tag = UINT64_MAX;
	memset(tlb.range, 0, sizeof(tlb.range));
	tlb.generation++;
	for (unsigned round = 0; round < 5; round++) {
		memset(&w, 0, sizeof(w));
		w = (struct bw_wave){.v = v,
				     .n_vgprs = VGPRS,
				     .lanes = LANES,
				     .wg = &wg,
				     .tlb = &tlb,
				     .pc = VA,
				     .status = BW_STATUS_VALID,
				     .mode = 0xf0};
		wg.wave[0] = &w;
		w.s[0] = loops;
		w.s[2] = (uint32_t)(VA + DATA);
		w.s[3] = (uint32_t)((VA + DATA) >> 32);
		w.s[6] = 1664525;
		w.s[7] = 1013904223;
		w.s[8] = (16 << 20) - 4;
		w.s[12] = w.s[2];
		w.s[13] = w.s[3];
		w.s[14] = MEM_B - DATA;
		w.s[15] = BW_OOB_RAW << 28;
		w.s[BW_SRC_EXEC_LO] = r->exec;
		set_addresses(v, r);
		double start = now_s();
		enum bw_run run;
		while ((run = bw_exec_run(x, &w, 1000000)) == BW_RUN_QUANTUM)
			;
		if (run != BW_RUN_ENDED) {
			fprintf(stderr, "%s: stopped (%d)\n", r->name, run);
			exit(1);
		}
		best = BW_MIN(best, now_s() - start);
	}
	return best / loops / UNROLL;
}

static void print(bool json, bool first, const char *name, double s)
{
	if (json)
		printf("%s\"%s\": %.0f", first ? "{" : ", ", name, 1 / s);
	else
		printf("memory: %-32s %10.1f M instructions/s %8.2f ns each\n", name, 1e-6 / s,
		       s * 1e9);
}

/* bench_mem [--json] */
int main(int argc, char **argv)
{
	bool json = argc == 2 && !strcmp(argv[1], "--json");
	struct bw_exec_host host = {
		.realtime = no_time, .shader_cycles = no_cycles, .sh_mem_bases = 0x20001000};
	struct bw_exec *x = bw_exec_create(&host);
	memory = aligned_alloc(2 << 20, MEM_B);
	if (!x || !memory)
		return 1;
	memset(memory, 0, MEM_B);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		print(json, i == 0, rows[i].name, measure(x, &rows[i]));
	print(json, false, gather.name, measure(x, &gather) - measure(x, &gather_alu));
	if (json)
		printf("}\n");
	bw_exec_destroy(x);
	free(memory);
	return 0;
}
