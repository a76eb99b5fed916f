/* SPDX-License-Identifier: MIT */

/* Joins the opcodes of the decoder with what executes them, by name. tools/join-isa.py has checked
 * at build time that each has semantics or a reason for being absent; tests/vgpu/exec/test_vec.c
 * fails on one that has no vector. */

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/alu/mfma.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/join.h"

static_assert((unsigned)BW_JOIN_OPCODES_GFX11 == BW_ISA_OPS_GFX11 &&
		      (unsigned)BW_JOIN_OPCODES_GFX942 == BW_ISA_OPS_GFX942 &&
		      (unsigned)BW_JOIN_OPCODES_GFX902 == BW_ISA_OPS_GFX902,
	      "the decoder has the opcodes that were joined");

#define ABSENT(n, why_) {.name = #n, .why = why_},
const struct bw_absent_row bw_absent_rows[] = {
#include "vgpu/device/exec/sem/absent.def"
};
const size_t bw_n_absent_rows = BW_ARRAY_SIZE(bw_absent_rows);
static_assert(BW_ARRAY_SIZE(bw_absent_rows) == BW_JOIN_ABSENT, "so are the absent ones");

/* VOPD halves are other instructions under another name. */
static const struct {
	const char *name, *same;
} duals[] = {
#define DUAL(n, same_) {.name = #n, .same = #same_},
#include "vgpu/device/exec/sem/vopd.def"
};

/* Packed instructions are a 16-bit row on pairs. */
static const struct {
	const char *name, *row;
} packed[] = {
#define MAP1(...)
#define MAP2(...)
#define MAP3(...)
#define MAP3S(...)
#define NARROW3(...)
#define DOT_HALF(...)
#define ACC2(...)
#define PK(n, row_) {.name = #n, .row = #row_},
#include "vgpu/device/exec/sem/vop3p.def"
};
static struct bw_map_row packed_rows[BW_ARRAY_SIZE(packed)];

static struct {
	struct bw_sem sem[BW_OP_COUNT];
	const struct bw_row_set *rows;
	const char *orphan;
} joined;

bool bw_exec_host_has_v3(void)
{
	/* BREAKWATER_ROWS=v1, for comparisons and tests, selects the rows that any x86-64 can
	 * run. */
	const char *wish = getenv("BREAKWATER_ROWS");
	if (wish && strcmp(wish, "v1") == 0)
		return false;
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi");
}

static void add_sem(const char *name, struct bw_sem sem)
{
	unsigned op = bw_isa_op_by_name(name);
	if (op == BW_OP_ILLEGAL || joined.sem[op].kind != BW_SEM_NONE)
		joined.orphan = name;
	else
		joined.sem[op] = sem;
}

static void join_packed(void)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(packed); i++) {
		const struct bw_sem *same = &joined.sem[bw_isa_op_by_name(packed[i].row)];
		struct bw_map_row *row = &packed_rows[i];
		assert(same->kind == BW_SEM_MAP);
		*row = *same->map;
		row->name = packed[i].name;
		row->shape = BW_SHAPE_PACKED;
		row->dst = row->dst == BW_T_F16 ? BW_T_PKH : BW_T_X32;
		for (unsigned s = 0; s < row->n_src; s++)
			row->src[s] = row->src[s] == BW_T_F16 ? BW_T_PKH : BW_T_X32;
		add_sem(row->name, (struct bw_sem){.kind = BW_SEM_MAP, .map = row});
	}
}

/* Rows whose only instruction is a VOPD half. */
static enum bw_sem_kind row_kind(const char *name)
{
	enum bw_fmt fmt = bw_isa_op_info(bw_isa_op_by_name(name))->fmt;
	return fmt == BW_FMT_VOPD ? BW_SEM_DUAL : BW_SEM_MAP;
}

static void join(void)
{
	joined.rows = bw_exec_host_has_v3() ? &bw_rows_v3 : &bw_rows_v1;
	for (size_t i = 0; i < joined.rows->n_rows; i++)
		add_sem(joined.rows->row[i].name,
			(struct bw_sem){.kind = row_kind(joined.rows->row[i].name),
					.map = &joined.rows->row[i]});
	join_packed();
	for (size_t i = 0; i < bw_n_scalar_rows; i++)
		add_sem(bw_scalar_rows[i].name,
			(struct bw_sem){.kind = BW_SEM_SCALAR, .scalar = &bw_scalar_rows[i]});
	for (size_t i = 0; i < bw_n_ctrl_rows; i++)
		add_sem(bw_ctrl_rows[i].name,
			(struct bw_sem){.kind = BW_SEM_WAVE, .wave = &bw_ctrl_rows[i]});
	for (size_t i = 0; i < bw_n_lane_rows; i++)
		add_sem(bw_lane_rows[i].name,
			(struct bw_sem){.kind = BW_SEM_WAVE, .wave = &bw_lane_rows[i]});
	for (size_t i = 0; i < bw_n_gws_rows; i++)
		add_sem(bw_gws_rows[i].name,
			(struct bw_sem){.kind = BW_SEM_WAVE, .wave = &bw_gws_rows[i]});
	for (size_t i = 0; i < bw_n_matrix_rows; i++)
		add_sem(bw_matrix_rows[i].name,
			(struct bw_sem){.kind = BW_SEM_WAVE, .wave = &bw_matrix_rows[i]});
	for (size_t i = 0; i < bw_n_mfma_rows; i++)
		add_sem(bw_mfma_rows[i].name,
			(struct bw_sem){.kind = BW_SEM_WAVE, .wave = &bw_mfma_rows[i]});
	for (size_t i = 0; i < BW_ARRAY_SIZE(duals); i++) {
		const struct bw_sem *same = &joined.sem[bw_isa_op_by_name(duals[i].same)];
		assert(same->kind == BW_SEM_MAP);
		add_sem(duals[i].name, (struct bw_sem){.kind = BW_SEM_DUAL, .map = same->map});
	}
	for (unsigned op = BW_OP_ILLEGAL + 1; op < BW_OP_COUNT; op++) {
		const struct bw_mem_row *mem = bw_exec_mem_row(op);
		if (mem)
			add_sem(mem->name, (struct bw_sem){.kind = BW_SEM_MEM, .mem = mem});
	}
	for (size_t i = 0; i < bw_n_absent_rows; i++)
		add_sem(bw_absent_rows[i].name,
			(struct bw_sem){.kind = BW_SEM_ABSENT, .absent = &bw_absent_rows[i]});
}

static void join_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, join);
}

const struct bw_sem *bw_exec_sem(unsigned op)
{
	join_once();
	return &joined.sem[op];
}

const struct bw_row_set *bw_exec_rows(void)
{
	join_once();
	return joined.rows;
}

const char *bw_exec_sem_orphan(void)
{
	join_once();
	return joined.orphan;
}
