/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/compile/stencil.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/exec_priv.h"

/* Where the code of a stencil and its holes lie. */
struct piece {
	uint32_t code, size_b, hole, n_holes;
};

/* Numbers of pieces, 0: none. By form, two for each: all lanes, and masked. */
enum { FIRST_FORMS = 5, OTHER_FORMS = 3, ROW_FORMS = FIRST_FORMS * OTHER_FORMS * OTHER_FORMS };
struct row_pieces {
	const char *name;
	uint16_t piece[2 * ROW_FORMS];
};
struct scalar_pieces {
	const char *name;
	uint16_t piece[4];
};
enum { MEMORY_FORMS = 8 }; /* form, lanes, masked */
struct memory_pieces {
	const char *name;
	uint16_t piece[MEMORY_FORMS];
};

#include "vgpu/device/exec/stencils.inc"

/* The stencils of each row by its place in the table, once looked for by name. */
static const struct row_pieces **of_row;
static const struct scalar_pieces **of_scalar;
static const struct memory_pieces *of_memory[BW_OP_COUNT];
static const struct bw_map_row *first_row;
static size_t n_rows;

static int by_name(const void *name, const void *entry)
{
	return strcmp(name, *(const char *const *)entry);
}

static const void *find(const char *name, const void *table, size_t n, size_t size_b)
{
	return bsearch(name, table, n, size_b, by_name);
}

static void join(void)
{
	const struct bw_row_set *set = bw_exec_rows();
	of_row = calloc(set->n_rows, sizeof(*of_row));
	of_scalar = calloc(bw_n_scalar_rows, sizeof(*of_scalar));
	if (!of_row || !of_scalar)
		abort();
	for (size_t i = 0; i < set->n_rows; i++) {
		/* v_cmpx differs from v_cmp by its destination only */
		const char *name = set->row[i].name;
		char cmp[64] = "v_cmp_";
		if (strncmp(name, "v_cmpx_", 7) == 0)
			name = strncat(cmp, name + 7, sizeof(cmp) - 7);
		of_row[i] = find(name, row_pieces, BW_ARRAY_SIZE(row_pieces), sizeof(*row_pieces));
	}
	for (size_t i = 0; i < bw_n_scalar_rows; i++)
		of_scalar[i] = find(bw_scalar_rows[i].name, scalar_pieces,
				    BW_ARRAY_SIZE(scalar_pieces), sizeof(*scalar_pieces));
	for (unsigned op = 0; op < BW_OP_COUNT; op++)
		if (bw_exec_mem_row(op))
			of_memory[op] = find(bw_exec_mem_row(op)->name, memory_pieces,
					     BW_ARRAY_SIZE(memory_pieces), sizeof(*memory_pieces));
	first_row = set->row;
	n_rows = set->n_rows;
}

bool bw_stencils_usable(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (BW_ARRAY_SIZE(part_pieces) <= 1 || !bw_exec_host_has_v3())
		return false;
	pthread_once(&once, join);
	return true;
}

static bool get(unsigned number, struct bw_stencil *out)
{
	const struct piece *p = &pieces[number];
	*out = (struct bw_stencil){.code = (const uint8_t *)code + p->code,
				   .hole = holes + p->hole,
				   .size_b = p->size_b,
				   .n_holes = p->n_holes};
	return number != 0;
}

bool bw_stencil_row(const struct bw_map_row *row, const enum bw_src_form form[3], bool masked,
		    struct bw_stencil *out)
{
	if (row < first_row || row >= first_row + n_rows || !of_row[row - first_row])
		return false;
	static const unsigned other[] = {
		[BW_SRC_FORM_V] = 0, [BW_SRC_FORM_X] = 1, [BW_SRC_FORM_P] = 2};
	unsigned number = form[0] + FIRST_FORMS * (other[form[1]] + OTHER_FORMS * other[form[2]]);
	masked |= row->shape == BW_SHAPE_CMP || row->shape == BW_SHAPE_CMPX;
	return get(of_row[row - first_row]->piece[2 * number + masked], out);
}

bool bw_stencil_scalar(const struct bw_scalar_row *row, unsigned form, struct bw_stencil *out)
{
	const struct scalar_pieces *p = of_scalar[row - bw_scalar_rows];
	return p && get(p->piece[form], out);
}

bool bw_stencil_has_memory(unsigned op)
{
	return of_memory[op];
}

bool bw_stencil_memory(unsigned op, enum bw_memory_form form, unsigned lanes, bool masked,
		       struct bw_stencil *out)
{
	return get(of_memory[op]->piece[4u * form + 2u * (lanes == 64) + masked], out);
}

struct bw_stencil bw_stencil_part(enum bw_block_part part)
{
	struct bw_stencil out;
	get(part_pieces[part], &out);
	return out;
}

const void *bw_stencil_data(size_t *out_size_b)
{
	*out_size_b = DATA_B;
	return data;
}
