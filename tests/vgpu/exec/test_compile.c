/* SPDX-License-Identifier: MIT */

/* Compiled code beside the interpreter: random programs of rows, branches and what ends blocks, run
 * in turns of random lengths by two executors, whose waves are equal after each turn.
 * BREAKWATER_COMPILE_ROUNDS=N runs more programs than usual, BREAKWATER_SEED=N others. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "harness.h"
#include "random_programs.h"
#include "isa/asm.h"
#include "isa/inst.h"
#include "isa/ops.h"
#include "isa/descriptor.h"
#include "isa/text.h"
#include "vgpu/device/exec/compile/compile.h"
#include "vgpu/device/exec/core/exec_priv.h"

/* ---- two executors ---- */

struct pair {
	struct harness *interpreted, *compiled;
};

static struct harness *create(const char *wish, unsigned lanes)
{
	setenv("BREAKWATER_COMPILE", wish, 1);
	struct harness *h = harness_create(lanes);
	unsetenv("BREAKWATER_COMPILE");
	h->wg.lds = aligned_alloc(64, LDS_B + BW_PAGE_B); /* what is beyond is not the group's */
	memset(h->wg.lds, 0, LDS_B + BW_PAGE_B);
	h->wg.lds_size_b = LDS_B;
	for (unsigned i = 0; i < HARNESS_PAGES; i++)
		if (i < HARNESS_DATA / BW_PAGE_B || i >= HARNESS_DATA / BW_PAGE_B + DATA_PAGES)
			h->access[i] = BW_ACCESS_READ | BW_ACCESS_EXECUTE;
	h->access[HARNESS_DATA / BW_PAGE_B + DATA_PAGES] = 0;
	h->tlb.range[bw_tlb_range_slot(HARNESS_BASE)] =
		(struct bw_tlb_range){.va = HARNESS_BASE + HARNESS_DATA,
				      .size_b = DATA_PAGES * BW_PAGE_B,
				      .host = h->mem + HARNESS_DATA,
				      .access = BW_ACCESS_READ | BW_ACCESS_WRITE};
	return h;
}

static uint32_t random_value(struct random *r)
{
	static const uint32_t edges[] = {0,	     1,		 2,	     31,
					 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000,
					 0xbf800000, 0x7f800000, 0xff800000, 0x00000001,
					 0x80000001, 0x007fffff, 0x4b000000};
	return one_in(r, 3)   ? edges[below(r, BW_ARRAY_SIZE(edges))]
	       : one_in(r, 2) ? 0x3f000000 + below(r, 0x01800000) + (one_in(r, 2) ? 0x80000000u : 0)
			      : next(r);
}

/* Offsets of lanes as programs have them: one after the other, in rows of 16, all the same, apart,
 * and some that leave what there is. */
static void random_offsets(struct random *r, uint32_t *v, unsigned lanes, uint32_t size_b)
{
	uint32_t step = 1u << below(r, 5), start = below(r, size_b / 8) * 4, row_b = start;
	unsigned kind = below(r, 8);
	if (one_in(r, 4)) /* misaligned */
		start += below(r, 4);
	if (one_in(r, 8)) /* over the end of a page, or of the allocation */
		start = BW_PAGE_B - below(r, 32) * 4;
	for (unsigned i = 0; i < lanes; i++) {
		if (kind == 0)
			v[i] = below(r, size_b);
		else if (kind == 1)
			v[i] = start;
		else if (kind == 2)
			v[i] = (i < 16 ? start : row_b) + i % 16 * step;
		else
			v[i] = start + i * step;
	}
	if (one_in(r, 4))
		v[below(r, lanes)] = one_in(r, 2) ? next(r) : below(r, size_b);
}

/* A descriptor as drivers make them: the end of what is in range is near that of the data, or
 * anywhere. */
static void random_descriptor(struct random *r, uint32_t *s, uint64_t base)
{
	static const uint32_t strides_b[] = {0, 0, 4, 8, 16, 1, 2, 12, 64};
	uint32_t stride_b = strides_b[below(r, BW_ARRAY_SIZE(strides_b))];
	uint32_t range_b = one_in(r, 3) ? below(r, DATA_PAGES * BW_PAGE_B) : DATA_PAGES * BW_PAGE_B;
	uint32_t oob_select = one_in(r, 2) ? BW_OOB_RAW : below(r, 4);
	if (stride_b && oob_select != BW_OOB_RAW)
		range_b /= stride_b;
	s[0] = (uint32_t)base;
	s[1] = ((uint32_t)(base >> 32) & 0xffff) | stride_b << 16;
	s[2] = one_in(r, 16) ? next(r) : range_b;
	s[3] = oob_select << 28 | (one_in(r, 16) ? 1u << 23 : 0);
	if (one_in(r, 16)) /* swizzled */
		s[1] |= (1 + below(r, 3)) << 30;
}

static void load_addresses(struct random *r, const struct pair *p, unsigned lanes)
{
	uint64_t data = (one_in(r, 8) ? HARNESS_HIGH : HARNESS_BASE) + HARNESS_DATA;
	uint32_t *v = p->interpreted->w->v, *s = p->interpreted->w->s;
	uint32_t *lo = &v[V_PAIR * lanes], *hi = &v[(V_PAIR + 1) * lanes];
	random_offsets(r, lo, lanes, DATA_PAGES * BW_PAGE_B);
	random_offsets(r, &v[V_OFFSET * lanes], lanes, DATA_PAGES * BW_PAGE_B);
	random_offsets(r, &v[V_LDS * lanes], lanes, LDS_B);
	for (unsigned i = 0, first = below(r, 400); i < lanes; i++)
		v[V_INDEX * lanes + i] = one_in(r, 200) ? next(r) : first + i;
	for (unsigned i = 0; i < lanes; i++) {
		hi[i] = (uint32_t)(data >> 32) + (lo[i] > UINT32_MAX - HARNESS_DATA);
		lo[i] += (uint32_t)data;
	}
	if (one_in(r, 16))
		hi[below(r, lanes)] = next(r);
	s[S_BASE] = (uint32_t)data;
	s[S_BASE + 1] = (uint32_t)(data >> 32);
	s[S_FAR] = next(r);
	s[S_FAR + 1] = one_in(r, 2) ? next(r) : 2u << 16; /* the aperture of private memory */
	s[S_OFFSET] = one_in(r, 2) ? 64 : below(r, DATA_PAGES * BW_PAGE_B);
	random_descriptor(r, &s[S_DESC], data);
	memcpy(&p->compiled->w->v[V_PAIR * lanes], lo, (VGPRS_SEEN - V_PAIR) * lanes * sizeof(*v));
	memcpy(&p->compiled->w->s[S_BASE], &s[S_BASE], (S_DESC + 4 - S_BASE) * sizeof(*s));
}

static void load_memory(struct random *r, const struct pair *p)
{
	struct harness *a = p->interpreted, *b = p->compiled;
	uint32_t *data = (uint32_t *)(void *)(a->mem + HARNESS_DATA);
	uint32_t *lds = (uint32_t *)(void *)a->wg.lds;
	uint32_t value = next(r);
	for (unsigned i = 0; i < DATA_PAGES * BW_PAGE_B / 4; i++)
		data[i] = value += 0x9e3779b9;
	for (unsigned i = 0; i < LDS_B / 4; i++)
		lds[i] = value += 0x9e3779b9;
	memcpy(b->mem + HARNESS_DATA, data, DATA_PAGES * BW_PAGE_B);
	memcpy(b->wg.lds, lds, LDS_B);
	a->n_faults = b->n_faults = 0;
}

static void load(struct random *r, const struct pair *p, const struct program *program)
{
	struct harness *a = p->interpreted, *b = p->compiled;
	static const uint32_t end = 0xbfb00000;
	harness_reset(a);
	harness_reset(b);
	for (unsigned i = 0; i < VGPRS * program->lanes; i++)
		a->w->v[i] = b->w->v[i] = random_value(r);
	for (unsigned i = 0; i < SGPRS; i++)
		a->w->s[i] = b->w->s[i] = random_value(r);
	a->w->s[BW_SRC_VCC_LO] = b->w->s[BW_SRC_VCC_LO] = next(r);
	load_addresses(r, p, program->lanes);
	load_memory(r, p);
	if (one_in(r, 2))
		a->w->s[BW_SRC_EXEC_LO] = b->w->s[BW_SRC_EXEC_LO] = next(r);
	if (program->lanes == 64 && one_in(r, 2))
		a->w->s[BW_SRC_EXEC_HI] = b->w->s[BW_SRC_EXEC_HI] = next(r);
	/* rounding, denormals; without IEEE, DX10_CLAMP */
	if (one_in(r, 3))
		a->w->mode = b->w->mode = below(r, 1 << 10);
	struct harness *both[] = {a, b};
	for (unsigned i = 0; i < 2; i++) {
		harness_code(both[i], HARNESS_CODE, program->word, program->n_words);
		harness_code(both[i], HARNESS_CODE + program->n_words * 4, &end, 1);
		bw_exec_flush_code(both[i]->x);
	}
}

static bool is_nan(uint32_t v)
{
	return (v & 0x7fffffff) > 0x7f800000;
}

/* Whether a source has a NaN in some lane, seen as an f32. */
static bool has_nan(const struct bw_wave *w, const struct bw_inst *inst, unsigned code)
{
	if (code < BW_SRC_VGPR0)
		return is_nan(bw_scalar_read32(w, inst, code));
	for (unsigned l = 0; l < w->lanes; l++)
		if (is_nan(bw_wave_vgpr(w, code - BW_SRC_VGPR0)[l]))
			return true;
	return false;
}

/* Of two NaNs either may be the result (doc/rules.md 116), and compilers choose. */
static bool has_two_nans(const struct bw_wave *w, const struct bw_inst *inst)
{
	unsigned n = 0, n_y = 0;
	enum bw_sem_kind kind = bw_exec_sem(inst->op)->kind;
	if (kind != BW_SEM_MAP && kind != BW_SEM_DUAL)
		return false;
	for (unsigned i = 0; i < inst->n_src; i++)
		n += has_nan(w, inst, inst->src[i]);
	for (unsigned i = 0; i < inst->n_src_y; i++)
		n_y += has_nan(w, inst, inst->src_y[i]);
	if (bw_exec_sem(inst->op)->map->reads_dst)
		n += has_nan(w, inst, BW_SRC_VGPR0 + inst->dst);
	if (inst->fmt == BW_FMT_VOPD && bw_exec_sem(inst->op_y)->map->reads_dst)
		n_y += has_nan(w, inst, BW_SRC_VGPR0 + inst->dst_y);
	return n > 1 || n_y > 1;
}

/* Instructions of a program from its start up to one with two NaNs, or to `most`. If it ends before
 * that or has a fault, there are some more, so that a turn does not end in just this place. */
static unsigned count_defined(const struct harness *h, const struct program *p, unsigned most)
{
	unsigned n = 0;
	enum bw_run run = BW_RUN_QUANTUM;
	for (; n < most && run == BW_RUN_QUANTUM; n++) {
		struct bw_inst inst;
		size_t at = (h->w->pc - HARNESS_BASE - HARNESS_CODE) / 4;
		if (at < p->n_words && bw_isa_decode(BW_ISA_GFX11, &p->word[at], 3, &inst) &&
		    has_two_nans(h->w, &inst))
			break;
		run = bw_exec_run(h->x, h->w, 1);
	}
	return run == BW_RUN_QUANTUM ? n : n + MOST;
}

/* False: equal; otherwise out says what differs. */
static bool differ(const struct pair *p, char *out, size_t size_b)
{
	const struct bw_wave *a = p->interpreted->w, *b = p->compiled->w;
	for (unsigned i = 0; i < VGPRS_SEEN * a->lanes; i++) {
		if (a->v[i] == b->v[i])
			continue;
		snprintf(out, size_b, "v%u, lane %u: %#x is %#x", i / a->lanes, i % a->lanes,
			 a->v[i], b->v[i]);
		return true;
	}
	for (unsigned i = 0; i < BW_SGPR_COUNT; i++) {
		if (a->s[i] == b->s[i])
			continue;
		snprintf(out, size_b, "s%u: %#x is %#x", i, a->s[i], b->s[i]);
		return true;
	}
	const struct harness *ha = p->interpreted, *hb = p->compiled;
	if (memcmp(ha->mem + HARNESS_DATA, hb->mem + HARNESS_DATA, DATA_PAGES * BW_PAGE_B) ||
	    memcmp(ha->wg.lds, hb->wg.lds, LDS_B)) {
		snprintf(out, size_b, "memory differs");
		return true;
	}
	if (a->fault_lanes != b->fault_lanes || a->fault.va != b->fault.va ||
	    ha->n_faults != hb->n_faults) {
		snprintf(out, size_b, "fault at %#llx is %#llx, lanes %#llx is %#llx, %u is %u",
			 (unsigned long long)a->fault.va, (unsigned long long)b->fault.va,
			 (unsigned long long)a->fault_lanes, (unsigned long long)b->fault_lanes,
			 ha->n_faults, hb->n_faults);
		return true;
	}
	snprintf(out, size_b,
		 "pc %#llx is %#llx, scc %u is %u, executed %llu is %llu, STATUS %#x is %#x, "
		 "TRAPSTS %#x is %#x",
		 (unsigned long long)a->pc, (unsigned long long)b->pc, a->scc, b->scc,
		 (unsigned long long)a->n_executed, (unsigned long long)b->n_executed, a->status,
		 b->status, a->trapsts, b->trapsts);
	return a->pc != b->pc || a->scc != b->scc || a->n_executed != b->n_executed ||
	       a->status != b->status || a->trapsts != b->trapsts || a->mode != b->mode;
}

static void print_program(const struct program *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		struct bw_inst inst;
		if (p->word[p->start[i]] == bw_asm_word(BW_ISA_GFX11, BW_OP_S_NOP, 0))
			continue;
		char text[200] = "";
		bw_isa_decode(BW_ISA_GFX11, &p->word[p->start[i]], 3, &inst);
		snprintf(text, sizeof(text), "%s (format %s)", bw_isa_op_info(inst.op)->name,
			 bw_isa_fmt_name(inst.fmt));
		printf("  %3u: %08x %08x %s\n", p->start[i], p->word[p->start[i]],
		       inst.size_b > 4 ? p->word[p->start[i] + 1] : 0, text);
	}
}

static void put_word(const struct pair *p, unsigned at, uint32_t word)
{
	struct harness *both[] = {p->interpreted, p->compiled};
	for (unsigned i = 0; i < 2; i++) {
		harness_code(both[i], HARNESS_CODE + at * 4, &word, 1);
		bw_exec_flush_code(both[i]->x);
	}
}

/* A breakpoint of sorts: s_endpgm in the place of an instruction ends the turn there. Sets it
 * or takes it away. *at: words into the code; NONE: there is none now. */
enum { NONE = UINT16_MAX };

static void move_stop(struct random *r, const struct pair *p, const struct program *program,
		      unsigned *at, enum bw_run turn)
{
	if (*at != NONE && (turn == BW_RUN_ENDED || one_in(r, 3))) {
		put_word(p, *at, program->word[*at]);
		*at = NONE;
	} else if (*at == NONE && one_in(r, 4)) {
		*at = program->start[below(r, program->n)];
		put_word(p, *at, 0xbfb00000);
	}
}

/* Loads and runs the program with these random numbers, in turns. False: the waves differ after
 * one, out says how. */
static bool run_program(struct random r, const struct pair *p, const struct program *program,
			char *out, size_t size_b)
{
	struct random again = r;
	load(&again, p, program);
	unsigned most = count_defined(p->interpreted, program, MOST_EXECUTED);
	load(&r, p, program);
	unsigned stop = NONE;
	enum bw_run a = BW_RUN_QUANTUM, b = a;
	while (most && (a == BW_RUN_QUANTUM || stop != NONE)) {
		move_stop(&r, p, program, &stop, a);
		unsigned budget = one_in(&r, 3) ? 1 + below(&r, 4) : 1 + below(&r, 200);
		budget = BW_MIN(budget, most);
		most -= budget;
		a = bw_exec_run(p->interpreted->x, p->interpreted->w, budget);
		b = bw_exec_run(p->compiled->x, p->compiled->w, budget);
		if (differ(p, out, size_b))
			return false;
		if (a != b) {
			snprintf(out, size_b, "the turn's end %d is %d", a, b);
			return false;
		}
	}
	return true;
}

/* Replaces instructions as long as the difference stays. */
static void shrink(struct random r, const struct pair *p, struct program *program)
{
	char no_matter[200];
	for (unsigned i = 0; i < program->n; i++) {
		struct program less = *program;
		unsigned end = i + 1 < program->n ? program->start[i + 1] : program->n_words;
		for (unsigned k = program->start[i]; k < end; k++)
			less.word[k] = bw_asm_word(BW_ISA_GFX11, BW_OP_S_NOP, 0);
		if (!run_program(r, p, &less, no_matter, sizeof(no_matter)))
			*program = less;
	}
}

static unsigned rounds(void)
{
	const char *wish = getenv("BREAKWATER_COMPILE_ROUNDS");
	return wish ? (unsigned)strtoul(wish, NULL, 10) : 20000;
}

static void check_random(unsigned lanes)
{
	struct pair p = {create("off", lanes), create("always", lanes)};
	const char *seed = getenv("BREAKWATER_SEED");
	struct random r = {seed ? strtoull(seed, NULL, 0) : 0x123456789abcdefull + lanes};
	for (unsigned i = 0; i < rounds(); i++) {
		struct program program;
		uint64_t state = r.state;
		char text[200] = "the ends of their turns differ";
		make_program(&r, &program, lanes);
		next(&r);
		if (run_program(r, &p, &program, text, sizeof(text)))
			continue;
		shrink(r, &p, &program);
		run_program(r, &p, &program, text, sizeof(text));
		print_program(&program);
		fail_msg("round %u: %s; BREAKWATER_SEED=%#llx", i, text, (unsigned long long)state);
	}
	harness_destroy(p.interpreted);
	harness_destroy(p.compiled);
}

static void test_wave32(void **state)
{
	(void)state;
	check_random(32);
}

static void test_wave64(void **state)
{
	(void)state;
	check_random(64);
}

/* More code than there is memory for its machine code, and then other code in its place. */
static void test_large_code(void **state)
{
	enum { PAGES = 8, AT = 0x20000, N = PAGES * BW_PAGE_B / 4, CHANGES = 3 };
	static uint32_t code[N];
	struct pair p = {create("off", 64), create("on", 64)};
	struct harness *both[] = {p.interpreted, p.compiled};
	struct random r = {12345};
	char text[200] = "";
	(void)state;
	for (unsigned change = 0; change < CHANGES; change++) {
		for (unsigned i = 0; i < N; i++) /* v_sin_f32, whose stencils are large */
			code[i] = 0x7e006b00 | below(&r, VGPRS) << 17 | 0x100 | below(&r, VGPRS);
		code[N - 1] = bw_asm_word(BW_ISA_GFX11, BW_OP_S_ENDPGM, 0);
		for (unsigned i = 0; i < 2; i++) {
			struct harness *h = both[i];
			harness_reset(h);
			for (unsigned k = 0; k < VGPRS * 64; k++)
				h->w->v[k] = 0x3e000000 + k * 1000;
			harness_code(h, AT, code, N);
			h->w->pc = HARNESS_BASE + AT;
			bw_exec_flush_code(h->x);
			assert_int_equal(bw_exec_run(h->x, h->w, 2 * N), BW_RUN_ENDED);
		}
		if (differ(&p, text, sizeof(text)))
			fail_msg("after %u changes: %s", change, text);
	}
	harness_destroy(p.interpreted);
	harness_destroy(p.compiled);
}

TESTS(test_wave32, test_wave64, test_large_code);
