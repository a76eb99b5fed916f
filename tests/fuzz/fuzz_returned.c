/* SPDX-License-Identifier: MIT */
/* Types as damaged debug information has them, and where a function returns a value of the last
 * one. Each is made of four bytes (kind, size, element, count) and, for structs, of three more for
 * each member (type, offset, flags). A type refers to those before it: sym/types.c lets no rings
 * through. */
#include <stdint.h>
#include <stdlib.h>

#include "sym/returned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

enum { MOST_TYPES = 32, MOST_MEMBERS = 64, MAX_VGPRS = 32, IS_BIT_FIELD = 1, IS_BASE = 2 };

struct made {
	struct bw_ctype type[MOST_TYPES];
	struct bw_cmember member[MOST_TYPES][MOST_MEMBERS];
	unsigned n;
};

/* The largest bytes stand for sizes that overflow. */
static uint64_t size_of(uint8_t byte)
{
	return byte < 250 ? byte : UINT64_MAX / (256u - byte);
}

static uint8_t next(const uint8_t **data, size_t *left)
{
	if (!*left)
		return 0;
	--*left;
	return *(*data)++;
}

static void make_type(struct made *m, const uint8_t **data, size_t *left)
{
	static const struct bw_ctype none = {.kind = BW_CTYPE_VOID};
	unsigned n = m->n;
	uint8_t kind = next(data, left), size = next(data, left), elem = next(data, left),
		count = next(data, left);
	m->type[n] = (struct bw_ctype){
		.kind = (enum bw_ctype_kind)(kind % (BW_CTYPE_UNKNOWN + 1)),
		.is_bfloat = kind & 0x80,
		.size_b = size_of(size),
		.elem = n ? &m->type[elem % n] : &none,
		.count = size_of(count),
	};
	m->n++;
	if (m->type[n].kind != BW_CTYPE_STRUCT && m->type[n].kind != BW_CTYPE_UNION)
		return;
	m->type[n].n_members = n ? count % MOST_MEMBERS : 0;
	m->type[n].members = m->member[n];
	for (unsigned i = 0; i < m->type[n].n_members; i++) {
		uint8_t type = next(data, left), offset = next(data, left),
			flags = next(data, left);
		m->member[n][i] = (struct bw_cmember){.type = &m->type[type % n],
						      .offset_b = size_of(offset),
						      .bit_size = flags & IS_BIT_FIELD ? 3 : 0,
						      .is_base = flags & IS_BASE};
	}
}

/* Registers follow each other, and all bytes of the type are accounted for. */
static void check(const struct bw_ctype *type, const struct bw_location *l)
{
	uint64_t at = 0;
	unsigned reg = 0;
	if (!l->n_pieces || l->n_pieces > sizeof(l->piece) / sizeof(l->piece[0]))
		abort();
	for (unsigned i = 0; i < l->n_pieces; i++) {
		const struct bw_location_piece *p = &l->piece[i];
		at += p->size_b;
		if (!p->size_b || (p->kind != BW_LOC_VGPR && p->kind != BW_LOC_OPTIMIZED_OUT))
			abort();
		if (p->kind != BW_LOC_VGPR)
			continue;
		if (p->reg < reg || p->reg + (p->size_b + 3) / 4 > MAX_VGPRS)
			abort();
		reg = p->reg + (p->size_b + 3) / 4;
	}
	if (at != bw_ctype_strip(type)->size_b)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	static struct made m;
	struct bw_location l;
	m.n = 0;
	while (size_b && m.n < MOST_TYPES)
		make_type(&m, &data, &size_b);
	if (m.n && bw_returned_in(&m.type[m.n - 1], &l))
		check(&m.type[m.n - 1], &l);
	return 0;
}
