/* SPDX-License-Identifier: MIT */

/* The cache of decoded code: when written code is seen, page edges, kinds of waves (code.c). */

#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "harness.h"

enum {
	S_NOP = 0xbf800000,
	S_ENDPGM = 0xbfb00000,
	S_ICACHE_INV = 0xbfbc0000,
	S_TRAP_2 = 0xbf900002,
	S_RFE_TTMP0 = 0xbe804a6c,
	S_MOV_S0_1 = 0xbe800081,
	S_MOV_S0_2 = 0xbe800082,
	S_MOV_S0_LITERAL = 0xbe8000ff,
};

static const uint64_t code = HARNESS_BASE + HARNESS_CODE;

static int setup(void **state)
{
	*state = harness_create(32);
	return 0;
}

static int teardown(void **state)
{
	harness_destroy(*state);
	return 0;
}

static void write_code(struct harness *h, uint32_t at, uint32_t word)
{
	harness_code(h, at, &word, 1);
}

static void run_again(struct harness *h)
{
	h->w->pc = code;
	assert_int_equal(bw_exec_run(h->x, h->w, 10000), BW_RUN_ENDED);
}

static void flush_shows_new_code(void **state)
{
	struct harness *h = *state;
	assert_int_equal(harness_run(h, (const uint32_t[]){S_MOV_S0_1}, 1), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 1);
	write_code(h, HARNESS_CODE, S_MOV_S0_2);
	bw_exec_flush_code(h->x);
	run_again(h);
	assert_int_equal(h->w->s[0], 2);
	/* An instruction that becomes longer, and one that was the other's second word. */
	harness_code(h, HARNESS_CODE, (const uint32_t[]){S_MOV_S0_LITERAL, S_MOV_S0_1, S_ENDPGM},
		     3);
	bw_exec_flush_code(h->x);
	run_again(h);
	assert_int_equal(h->w->s[0], S_MOV_S0_1);
	write_code(h, HARNESS_CODE + 4, S_MOV_S0_2);
	bw_exec_flush_code(h->x);
	run_again(h);
	assert_int_equal(h->w->s[0], S_MOV_S0_2);
	write_code(h, HARNESS_CODE, S_NOP);
	bw_exec_flush_code(h->x);
	run_again(h);
	assert_int_equal(h->w->s[0], 2);
}

/* s_icache_inv of one wave counts for the caches of all executors. */
static void icache_inv_of_another_executor(void **state)
{
	struct harness *h = *state, *other = harness_create(32);
	assert_int_equal(harness_run(h, (const uint32_t[]){S_MOV_S0_1}, 1), BW_RUN_ENDED);
	write_code(h, HARNESS_CODE, S_MOV_S0_2);
	harness_code(other, HARNESS_CODE, (const uint32_t[]){S_ICACHE_INV, S_ENDPGM}, 2);
	run_again(other);
	run_again(h);
	assert_int_equal(h->w->s[0], 2);
	harness_destroy(other);
}

/* The trap handler's way: the code behind s_icache_inv may be other code already. */
static void icache_inv_counts_at_once(void **state)
{
	struct harness *h = *state;
	harness_code(h, HARNESS_CODE, (const uint32_t[]){S_ICACHE_INV, S_MOV_S0_1, S_ENDPGM}, 3);
	run_again(h);
	assert_int_equal(h->w->s[0], 1);
	write_code(h, HARNESS_CODE + 4, S_MOV_S0_2);
	run_again(h);
	assert_int_equal(h->w->s[0], 2);
}

/* A new translation is a new generation of the TLB. */
static void new_translation(void **state)
{
	struct harness *h = *state;
	assert_int_equal(harness_run(h, (const uint32_t[]){S_MOV_S0_1}, 1), BW_RUN_ENDED);
	write_code(h, HARNESS_CODE, S_MOV_S0_2);
	h->tlb.generation++;
	run_again(h);
	assert_int_equal(h->w->s[0], 2);
	h->tlb.generation++;
	h->access[0] = BW_ACCESS_READ;
	for (unsigned i = 0; i < BW_TLB_ENTRIES; i++)
		h->tlb.entry[i].tag = ~0ull;
	h->w->pc = code;
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_FATAL);
	assert_int_equal(h->w->fault.va, code);
}

static void over_page_edges(void **state)
{
	struct harness *h = *state;
	uint32_t nops[BW_PAGE_B / 4];
	for (unsigned i = 0; i < BW_ARRAY_SIZE(nops); i++)
		nops[i] = S_NOP;
	harness_code(h, HARNESS_CODE, nops, BW_ARRAY_SIZE(nops));
	/* Straight on into the next page, then back: s_branch from page 1 into page 0. */
	harness_code(h, BW_PAGE_B,
		     (const uint32_t[]){0x80018101 /* s_add_u32 s1, s1, 1 */,
					0xbf068301 /* s_cmp_eq_u32 s1, 3 */,
					0xbfa1fbfd /* s_cbranch_scc0 page 0 */, S_ENDPGM},
		     4);
	h->w->pc = code;
	assert_int_equal(bw_exec_run(h->x, h->w, 100000), BW_RUN_ENDED);
	assert_int_equal(h->w->s[1], 3);
	assert_int_equal(h->w->pc, HARNESS_BASE + BW_PAGE_B + 12);
	assert_int_equal(h->w->n_executed, 3 * (1024 + 3) + 1);
	/* The word behind the edge changes the instruction before it. */
	write_code(h, BW_PAGE_B - 4, S_MOV_S0_LITERAL);
	harness_code(h, BW_PAGE_B, (const uint32_t[]){0x11111111, S_ENDPGM}, 2);
	bw_exec_flush_code(h->x);
	run_again(h);
	assert_int_equal(h->w->s[0], 0x11111111);
	write_code(h, BW_PAGE_B, 0x22222222);
	bw_exec_flush_code(h->x);
	run_again(h);
	assert_int_equal(h->w->s[0], 0x22222222);
}

static void forget_page_1(struct harness *h)
{
	h->access[1] = BW_ACCESS_READ | BW_ACCESS_WRITE;
	for (unsigned i = 0; i < BW_TLB_ENTRIES; i++)
		h->tlb.entry[i].tag = ~0ull;
	h->tlb.generation++;
}

/* There is a fault only for a wave that goes on to a page without code: not for one that ends at
 * the last word before it, nor because other code has gone on there before. */
static void next_page_without_code(void **state)
{
	struct harness *h = *state;
	write_code(h, BW_PAGE_B - 4, S_MOV_S0_LITERAL);
	harness_code(h, BW_PAGE_B, (const uint32_t[]){0x11111111, S_ENDPGM}, 2);
	h->w->pc = code + BW_PAGE_B - 4;
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 0x11111111);
	forget_page_1(h);
	assert_int_equal(harness_run(h, (const uint32_t[]){S_MOV_S0_1}, 1), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 1);
	write_code(h, BW_PAGE_B - 4, S_ENDPGM);
	bw_exec_flush_code(h->x);
	h->w->pc = code + BW_PAGE_B - 4;
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_ENDED);
	assert_int_equal(h->n_faults, 0);
	write_code(h, BW_PAGE_B - 4, S_MOV_S0_LITERAL);
	bw_exec_flush_code(h->x);
	h->w->pc = code + BW_PAGE_B - 4;
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_FATAL);
	assert_int_equal(h->n_faults, 1);
	assert_int_equal(h->w->fault.va, code + BW_PAGE_B);
}

/* The same code for waves of different kinds on one executor. */
static void kinds_of_waves(void **state)
{
	struct harness *h = *state, *wide = harness_create(64);
	/* v_mov_b32 v1, 7; v_mov_b32 v40, 9; s_mov_b32 ttmp0, 5; s_mov_b32 s5, ttmp0 */
	const uint32_t words[] = {0x7e020287, 0x7e500289, 0xbeec0085, 0xbe85006c};
	assert_int_equal(harness_run(h, words, BW_ARRAY_SIZE(words)), BW_RUN_ENDED);
	assert_int_equal(harness_v(h, 1)[31], 7);
	assert_int_equal(harness_v(h, 40)[31], 9);
	assert_int_equal(h->w->s[5], 0);
	/* wave64 by the same executor */
	wide->w->tlb = &h->tlb;
	wide->w->pc = code;
	assert_int_equal(bw_exec_run(h->x, wide->w, 100), BW_RUN_ENDED);
	assert_int_equal(harness_v(wide, 1)[63], 7);
	/* fewer VGPRs: v40 does not exist */
	harness_reset(h);
	h->w->n_vgprs = 40;
	run_again(h);
	assert_int_equal(harness_v(h, 1)[31], 7);
	assert_int_equal(harness_v(h, 40)[31], 0);
	/* in the trap handler TTMPs are there */
	harness_reset(h);
	h->w->status |= BW_STATUS_PRIV;
	run_again(h);
	assert_int_equal(h->w->s[5], 5);
	harness_destroy(wide);
}

/* More pages than the cache holds. */
static void many_pages(void **state)
{
	struct harness *h = *state;
	for (unsigned p = 0; p < HARNESS_PAGES; p++)
		harness_code(h, p * BW_PAGE_B, (const uint32_t[]){0x80018101, S_ENDPGM}, 2);
	/* 64 pages times VGPR counts: each is a page of records of its own. */
	unsigned n = 0;
	for (unsigned vgprs = 1; vgprs <= 9; vgprs++)
		for (unsigned p = 0; p < HARNESS_PAGES; p++, n++) {
			h->w->n_vgprs = (uint16_t)vgprs;
			h->w->pc = HARNESS_BASE + p * BW_PAGE_B;
			assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_ENDED);
		}
	assert_int_equal(h->w->s[1], n);
}

/* A PC in the upper half of the address space is read as its 48 bits. */
static void high_addresses(void **state)
{
	static const uint32_t words[] = {
		0xbe804700,		   /* s_getpc_b64 s[0:1] */
		0xba020001,		   /* s_call_b64 s[2:3], over the next */
		S_ENDPGM,   0x80060cff, 8, /* s_add_u32 s6, 8, s12: an instruction of two words */
		0xbe84490c,		   /* s_swappc_b64 s[4:5], s[12:13] */
		S_ENDPGM,
	};
	struct harness *h = *state;
	harness_code(h, HARNESS_CODE, words, BW_ARRAY_SIZE(words));
	bw_exec_flush_code(h->x);
	h->w->pc = HARNESS_HIGH;
	h->w->s[12] = 6 * 4;
	h->w->s[13] = 0x8001;
	assert_int_equal(bw_exec_run(h->x, h->w, 100), BW_RUN_ENDED);
	const uint32_t want[] = {4, 0x8001, 8, 0x8001, 24, 0x8001, 32};
	assert_memory_equal(h->w->s, want, sizeof(want));
	assert_true(h->w->pc >> 47 == 0x1ffff);
}

TESTS_EACH(setup, teardown, flush_shows_new_code, icache_inv_of_another_executor,
	   icache_inv_counts_at_once, new_translation, over_page_edges, next_page_without_code,
	   kinds_of_waves, many_pages, high_addresses);
