// SPDX-License-Identifier: MIT
/* clang 19, AMDGPUABIInfo::classifyReturnType, and how LLVM's RetCC_AMDGPU_Func spreads the result:
 * each number has VGPRs of its own, from v0 on; 16-bit elements of vectors are packed in pairs. */
#include "sym/returned.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sym/lines_priv.h"
#include "sym/types_priv.h"

/* The first clang that was seen to mark functions whose signature it has changed. */
enum { FIRST_NOCALL = 19 };
enum {
	MAX_REGISTERS = 32,
	MAX_SIZE_B = 4 * MAX_REGISTERS,
	MAX_OF_STRUCT = 16,
	MAX_DEPTH = 8,
	MAX_MEMBERS = 1024
};

const struct bw_ctype *bw_lines_returns(struct bw_lines *l, uint64_t die)
{
	static const struct bw_ctype none = {.kind = BW_CTYPE_VOID};
	Dwarf_Die entry;
	return l->dwarf && dwarf_offdie(l->dwarf, die, &entry) ? bw_lines_type_of(l, &entry)
							       : &none;
}

static bool marks_nocall(Dwarf_Die *entry)
{
	Dwarf_Die unit;
	Dwarf_Attribute attr;
	const char *producer =
		dwarf_diecu(entry, &unit, NULL, NULL) && dwarf_attr(&unit, DW_AT_producer, &attr)
			? dwarf_formstring(&attr)
			: NULL;
	const char *version = producer ? strstr(producer, "clang version ") : NULL;
	return version && atoi(version + strlen("clang version ")) >= FIRST_NOCALL;
}

bool bw_lines_is_nocall(const struct bw_lines *l, uint64_t die)
{
	Dwarf_Die entry;
	Dwarf_Attribute attr;
	Dwarf_Word value;
	if (!l->dwarf || !dwarf_offdie(l->dwarf, die, &entry) || !marks_nocall(&entry))
		return true;
	return dwarf_attr_integrate(&entry, DW_AT_calling_convention, &attr) &&
	       !dwarf_formudata(&attr, &value) && value == DW_CC_nocall;
}

struct spread {
	struct bw_location *out;
	uint64_t at; /* bytes that have a place */
	unsigned reg;
};

static bool add_piece(struct spread *s, struct bw_location_piece piece)
{
	struct bw_location *l = s->out;
	struct bw_location_piece *last = l->n_pieces ? &l->piece[l->n_pieces - 1] : NULL;
	s->at += piece.size_b;
	if (last && last->kind == BW_LOC_VGPR && piece.kind == BW_LOC_VGPR &&
	    last->size_b % 4 == 0 && piece.reg == last->reg + last->size_b / 4) {
		last->size_b += piece.size_b;
		return true;
	}
	if (l->n_pieces == BW_ARRAY_SIZE(l->piece))
		return false;
	l->piece[l->n_pieces++] = piece;
	return true;
}

/* The next registers have the size_b bytes at `at`. */
static bool add_spread(struct spread *s, uint64_t at, uint64_t size_b)
{
	if (at < s->at || at > MAX_SIZE_B || !size_b || size_b > MAX_SIZE_B)
		return false;
	unsigned n = (unsigned)((size_b + 3) / 4);
	if (s->reg + n > MAX_REGISTERS)
		return false;
	if (at > s->at &&
	    !add_piece(s, (struct bw_location_piece){.kind = BW_LOC_OPTIMIZED_OUT,
						     .size_b = (unsigned)(at - s->at)}))
		return false;
	const struct bw_location_piece piece = {
		.kind = BW_LOC_VGPR, .reg = s->reg, .size_b = (unsigned)size_b};
	s->reg += n;
	return add_piece(s, piece);
}

static bool spread(struct spread *s, const struct bw_ctype *type, uint64_t at, unsigned depth)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	if (depth == MAX_DEPTH)
		return false;
	switch (t->kind) {
	case BW_CTYPE_BOOL:
	case BW_CTYPE_INT:
	case BW_CTYPE_FLOAT:
	case BW_CTYPE_ENUM:
	case BW_CTYPE_POINTER:
		return add_spread(s, at, t->size_b);
	case BW_CTYPE_VECTOR: {
		uint64_t stride = bw_ctype_stride(t);
		if (!stride || stride > 8 || t->count > MAX_REGISTERS * 2 ||
		    bw_ctype_strip(t->elem)->is_bfloat)
			return false;
		if (stride > 1) /* the fourth element of three is nowhere */
			return add_spread(s, at, stride * t->count);
		for (uint64_t i = 0; i < t->count; i++)
			if (!add_spread(s, at + i, 1))
				return false;
		return t->count;
	}
	case BW_CTYPE_ARRAY:
		if (t->count > MAX_REGISTERS)
			return false;
		for (uint64_t i = 0; i < t->count; i++)
			if (!spread(s, t->elem, at + i * bw_ctype_stride(t), depth + 1))
				return false;
		return t->count;
	case BW_CTYPE_STRUCT:
		for (size_t i = 0; i < t->n_members; i++)
			if (t->members[i].bit_size || t->members[i].is_base ||
			    !spread(s, t->members[i].type, at + t->members[i].offset_b, depth + 1))
				return false;
		return t->n_members;
	case BW_CTYPE_VOID:
	case BW_CTYPE_UNION:
	case BW_CTYPE_FUNCTION:
	case BW_CTYPE_TYPEDEF:
	case BW_CTYPE_QUALIFIED:
	case BW_CTYPE_UNKNOWN:
		break;
	}
	return false;
}

/* A struct that has one member of its own size is returned as that is. */
static const struct bw_ctype *single(const struct bw_ctype *type)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
		const struct bw_ctype *inside = NULL;
		if (t->kind == BW_CTYPE_STRUCT && t->n_members == 1 && !t->members->bit_size)
			inside = bw_ctype_strip(t->members->type);
		else if (t->kind == BW_CTYPE_ARRAY && t->count == 1)
			inside = bw_ctype_strip(t->elem);
		if (!inside || inside->size_b != t->size_b)
			break;
		t = inside;
	}
	return t;
}

static bool is_aggregate(const struct bw_ctype *t)
{
	return t->kind == BW_CTYPE_STRUCT || t->kind == BW_CTYPE_UNION || t->kind == BW_CTYPE_ARRAY;
}

/* Counts registers like clang: bytes of an array are packed, those of a vector are not. Counting
 * ends at a member that takes no register, and at too many: damaged types may have many of them on
 * each level. */
static uint64_t n_registers(const struct bw_ctype *type, unsigned depth)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	uint64_t n = 0;
	if (t->kind == BW_CTYPE_VECTOR) {
		uint64_t stride = bw_ctype_stride(t);
		return stride == 2 ? (t->count + 1) / 2 : t->count * ((stride + 3) / 4);
	}
	if ((t->kind != BW_CTYPE_STRUCT && t->kind != BW_CTYPE_UNION) || depth == MAX_DEPTH)
		return (t->size_b + 3) / 4;
	for (size_t i = 0; i < t->n_members && n <= MAX_OF_STRUCT; i++) {
		uint64_t more = n_registers(t->members[i].type, depth + 1);
		n = more ? n + more : MAX_OF_STRUCT + 1;
	}
	return n;
}

/* Whether clang's count of registers is that of n_registers: it does not count base classes, and
 * what has no size is not known. left: types that may still be looked at. */
static bool is_counted(const struct bw_ctype *type, unsigned *left)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	if (!*left || !t->size_b)
		return false;
	--*left;
	if (t->kind != BW_CTYPE_STRUCT && t->kind != BW_CTYPE_UNION)
		return true;
	for (size_t i = 0; i < t->n_members; i++)
		if (t->members[i].is_base || !is_counted(t->members[i].type, left))
			return false;
	return t->n_members;
}

bool bw_returned_in_memory(const struct bw_ctype *type)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	unsigned left = MAX_MEMBERS;
	if (t->convention == DW_CC_pass_by_reference)
		return t->size_b;
	return is_aggregate(single(t)) && t->size_b > 8 && is_counted(t, &left) &&
	       n_registers(t, 0) > MAX_OF_STRUCT;
}

bool bw_returned_in(const struct bw_ctype *type, struct bw_location *out)
{
	struct bw_location l = {.kind = BW_LOC_VGPR};
	struct spread s = {.out = &l};
	const struct bw_ctype *whole = bw_ctype_strip(type), *t = single(whole);
	if (whole->size_b > MAX_SIZE_B)
		return false;
	if (!is_aggregate(t)) {
		if (!spread(&s, t, 0, 0))
			return false;
	} else if (t->size_b && t->size_b <= 8) {
		if (!add_spread(&s, 0, t->size_b))
			return false;
	} else if (n_registers(t, 0) > MAX_OF_STRUCT || !spread(&s, t, 0, 0)) {
		return false;
	}
	if (s.at > whole->size_b)
		return false;
	if (whole->size_b > s.at &&
	    !add_piece(&s, (struct bw_location_piece){.kind = BW_LOC_OPTIMIZED_OUT,
						      .size_b = (unsigned)(whole->size_b - s.at)}))
		return false;
	*out = l;
	return true;
}

/* left: types that may still be looked at. */
static const char *why_not(const struct bw_ctype *type, unsigned *left)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	if (!*left)
		return NULL;
	--*left;
	if (t->kind == BW_CTYPE_UNION)
		return "a union";
	if (t->kind != BW_CTYPE_STRUCT)
		return NULL;
	for (size_t i = 0; i < t->n_members; i++) {
		const struct bw_cmember *m = &t->members[i];
		const char *why = m->is_base	? "a base class"
				  : m->bit_size ? "bit fields"
						: why_not(m->type, left);
		if (why)
			return why;
	}
	return NULL;
}

const char *bw_returned_why_not(const struct bw_ctype *type)
{
	unsigned left = MAX_MEMBERS;
	return why_not(type, &left);
}
