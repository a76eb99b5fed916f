/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VGPU_EXEC_HARNESS_H
#define BW_TESTS_VGPU_EXEC_HARNESS_H

/* An executor and one wave without a device: memory is one flat buffer mapped at HARNESS_BASE, the
 * trap handler's address and the clocks are variables. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/device/exec/core/exec.h"

enum {
	HARNESS_PAGES = 64,
	HARNESS_VGPRS = 64,
	HARNESS_ACCUM_OFFSET = 32, /* gfx942: the VGPR that is a0 */
	HARNESS_CODE = 0,	   /* offsets into the memory */
	HARNESS_HANDLER = 0x8000,
	HARNESS_DATA = 0x10000,
};
#define HARNESS_BASE 0x100000000ull
/* the same memory once more, in the upper half of the address space */
#define HARNESS_HIGH 0xffff800100000000ull

struct harness {
	enum bw_isa_gen gen;
	struct bw_exec *x;
	struct bw_wave *w;
	struct bw_workgroup wg;
	struct bw_tlb tlb;
	uint8_t *mem;		       /* HARNESS_PAGES pages */
	uint8_t access[HARNESS_PAGES]; /* enum bw_access, 0: not mapped */
	uint64_t tba, tma;
	bool tba_on;
	unsigned n_absent, n_interrupts, n_wakeups;
	unsigned n_faults; /* that the device would have reported */
	char absent_name[64];
	uint64_t absent_pc;
	uint32_t interrupt_m0;
	/* global wave sync: what was asked for last, and the answer */
	struct {
		unsigned resource, op, n_asked;
		uint32_t n;
		bool done;
	} gws;
};

/* A wave of 32 or 64 lanes, all active, in the usual compute mode (IEEE, DX10_CLAMP, f32
 * flushed). */
struct harness *harness_create(unsigned lanes);
/* The same of another generation than gfx11. */
struct harness *harness_create_gen(enum bw_isa_gen gen, unsigned lanes);
void harness_destroy(struct harness *h);
/* A fresh wave; memory and code stay. */
void harness_reset(struct harness *h);
/* Puts words at an offset of the memory (HARNESS_CODE, HARNESS_HANDLER) without telling the
 * executor. */
void harness_code(struct harness *h, uint32_t offset_b, const uint32_t *words, size_t n);
/* Code at HARNESS_CODE, s_endpgm behind it, from its start. */
enum bw_run harness_run(struct harness *h, const uint32_t *words, size_t n);
uint32_t *harness_v(struct harness *h, unsigned n);

#endif
