/* SPDX-License-Identifier: MIT */
#ifndef BW_TEST_MEM_ENV_H
#define BW_TEST_MEM_ENV_H

/* A wave with memory around it, for tests of memory instructions: a few pages of virtual memory
 * whose host pages are shuffled, so that crossing a page is seen; one read-only page; partially
 * resident ones; holes around. */

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/device/exec/core/rec.h"

enum {
	ENV_PAGES = 16, /* mapped from ENV_VA on, the last one read-only */
	ENV_RO_PAGE = ENV_PAGES - 1,
	ENV_LDS_B = 4096,
	ENV_SCRATCH_PAGE = 8, /* where flat_scratch points */
	ENV_SCRATCH_LANE_B = 64,
	ENV_VGPRS = 24,
};
#define ENV_VA 0x7f0000100000ull
#define ENV_PRT_VA 0x7f0000200000ull /* one page, not resident */
#define ENV_SHARED_HI 0x20000000u    /* bits 63:32 of the apertures */
#define ENV_PRIVATE_HI 0x10000000u

struct env {
	struct bw_exec *x;
	struct bw_wave w;
	struct bw_workgroup wg;
	struct bw_tlb tlb;
	uint8_t *host; /* ENV_PAGES pages */
	uint8_t lds[ENV_LDS_B + 64] __attribute__((aligned(64)));
	uint32_t v[256 * 64] __attribute__((aligned(64)));
	struct bw_inst inst;
	struct bw_rec rec;
	uint64_t random;
};

void env_init(struct env *e, unsigned lanes);
void env_fini(struct env *e);
uint32_t env_random(struct env *e);
/* Random registers, memory, LDS. */
void env_scramble(struct env *e);
/* The host byte behind va, or NULL. */
uint8_t *env_byte(struct env *e, uint64_t va, bool write);
static inline uint32_t *env_v(struct env *e, unsigned reg, unsigned lane)
{
	return &e->v[reg * e->w.lanes + lane];
}
/* Executes e->inst. illegal: prepare refused it. */
enum bw_mem_result env_run(struct env *e, bool *out_illegal);

#endif
