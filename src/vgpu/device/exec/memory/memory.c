/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/memory/memory.h"

#include <pthread.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/exec_priv.h"

enum bw_mem_result bw_mem_nothing(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec)
{
	return BW_MEM_OK;
}

static const struct bw_mem_table *const tables_v1[] = {
	&bw_mem_smem,	&bw_mem_flat_v1,   &bw_mem_ds_v1,  &bw_mem_buf_v1, &bw_mem_tbuf_v1,
	&bw_mem_img_v1, &bw_mem_sample_v1, &bw_mem_lds_v1, &bw_mem_ray_v1};
static const struct bw_mem_table *const tables_v3[] = {
	&bw_mem_smem,	&bw_mem_flat_v3,   &bw_mem_ds_v3,  &bw_mem_buf_v3, &bw_mem_tbuf_v3,
	&bw_mem_img_v3, &bw_mem_sample_v3, &bw_mem_lds_v3, &bw_mem_ray_v3};

static const struct bw_mem_row *row_of[BW_OP_COUNT];
static pthread_once_t joined = PTHREAD_ONCE_INIT;

static void join(void)
{
	const struct bw_mem_table *const *tables = bw_exec_host_has_v3() ? tables_v3 : tables_v1;
	for (size_t t = 0; t < BW_ARRAY_SIZE(tables_v1); t++) {
		for (size_t i = 0; i < tables[t]->n; i++) {
			unsigned op = bw_isa_op_by_name(tables[t]->row[i].name);
			/* A row without an opcode, or two rows for one, is a mistake in the
			 * tables. */
			assert(op != BW_OP_ILLEGAL && !row_of[op]);
			row_of[op] = &tables[t]->row[i];
		}
	}
}

const struct bw_mem_row *bw_exec_mem_row(unsigned op)
{
	pthread_once(&joined, join);
	return (unsigned)op < BW_OP_COUNT ? row_of[op] : NULL;
}
