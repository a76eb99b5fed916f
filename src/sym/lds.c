/* SPDX-License-Identifier: MIT */
#include "sym/lds.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "sym/lines_priv.h"

enum { MAX_VARIABLES = 64, MAX_TYPE_DEPTH = 64, MIN_LLVM = 16, MAX_LDS_B = 64 << 10 };

/* ---- The rule ---- */

static uint64_t llvm_align(const struct bw_lds_variable *v)
{
	uint64_t least = v->size_b > 8	 ? 16
			 : v->size_b > 4 ? 8
			 : v->size_b > 2 ? 4
			 : v->size_b > 1 ? 2
					 : 1;
	return BW_MAX(least, v->align_b);
}

static uint64_t padding(uint64_t at, uint64_t align_b)
{
	return -at & (align_b - 1);
}

/* Whether a comes before b after what ends at `end`. */
static bool is_before(const struct bw_lds_variable *a, const struct bw_lds_variable *b,
		      uint64_t end)
{
	uint64_t align_a = llvm_align(a), align_b = llvm_align(b);
	uint64_t pad_a = padding(end, align_a), pad_b = padding(end, align_b);
	if (pad_a != pad_b)
		return pad_a < pad_b;
	if (align_a != align_b)
		return align_a > align_b;
	if (a->size_b != b->size_b)
		return a->size_b > b->size_b;
	return strcmp(a->symbol, b->symbol) < 0;
}

uint64_t bw_lds_lay_out(struct bw_lds_variable *v, size_t n)
{
	uint64_t end = 0, align_b = 1;
	for (size_t i = 0; i < n; i++) {
		size_t best = i;
		for (size_t k = i + 1; k < n; k++)
			if (is_before(&v[k], &v[best], end))
				best = k;
		struct bw_lds_variable next = v[best];
		v[best] = v[i];
		next.offset_b = end + padding(end, llvm_align(&next));
		v[i] = next;
		end = next.offset_b + next.size_b;
		align_b = BW_MAX(align_b, next.type_align_b);
	}
	return end + padding(end, align_b);
}

/* ---- The variables of a kernel ---- */

static bool is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* The alignment of a type, and what the source asks for in it or 1: only that is in the debug
 * information. A struct whose members do not lie where their types want them is packed. False: it
 * cannot be told. */
static bool type_align(const struct bw_ctype *t, unsigned depth, uint64_t *out, uint64_t *asked)
{
	uint64_t align_b = 1, a;
	if (depth > MAX_TYPE_DEPTH)
		return false;
	switch (t->kind) {
	case BW_CTYPE_TYPEDEF:
	case BW_CTYPE_QUALIFIED:
	case BW_CTYPE_ARRAY:
		if (!t->elem || !type_align(t->elem, depth + 1, &align_b, asked))
			return false;
		break;
	case BW_CTYPE_STRUCT:
	case BW_CTYPE_UNION:
		for (size_t i = 0; i < t->n_members; i++) {
			const struct bw_cmember *m = &t->members[i];
			if (m->bit_size || !type_align(m->type, depth + 1, &a, asked))
				return false;
			bool is_packed = m->offset_b % a || t->size_b % a;
			align_b = BW_MAX(align_b, is_packed ? 1 : a);
		}
		break;
	case BW_CTYPE_BOOL:
	case BW_CTYPE_INT:
	case BW_CTYPE_FLOAT:
	case BW_CTYPE_ENUM:
	case BW_CTYPE_POINTER:
	case BW_CTYPE_VECTOR:
		align_b = t->size_b;
		break;
	case BW_CTYPE_VOID:
	case BW_CTYPE_FUNCTION:
	case BW_CTYPE_UNKNOWN:
		return false;
	}
	*out = align_b;
	*asked = BW_MAX(*asked, t->align_b);
	return is_power_of_two(align_b) && is_power_of_two(*asked);
}

static bool asked_align(struct bw_lines *l, const struct bw_variable *v, uint64_t *out)
{
	Dwarf_Die die;
	Dwarf_Attribute attr;
	Dwarf_Word align_b = 1;
	if (!dwarf_offdie(l->dwarf, v->die, &die))
		return false;
	if (dwarf_attr_integrate(&die, DW_AT_alignment, &attr) &&
	    (dwarf_formudata(&attr, &align_b) || !is_power_of_two(align_b)))
		return false;
	*out = BW_MAX(*out, align_b);
	return true;
}

/* The only variable of that name. */
static const struct bw_variable *variable_named(const struct bw_variable *v, size_t n,
						const char *name)
{
	const struct bw_variable *found = NULL;
	for (size_t i = 0; i < n; i++) {
		if (v[i].is_param || strcmp(v[i].name, name) != 0)
			continue;
		if (found)
			return NULL;
		found = &v[i];
	}
	return found;
}

static bool made_by_llvm(struct bw_lines *l, const struct bw_variable *v)
{
	Dwarf_Die die, unit;
	Dwarf_Attribute attr;
	if (!dwarf_offdie(l->dwarf, v->die, &die) || !dwarf_diecu(&die, &unit, NULL, NULL) ||
	    !dwarf_attr(&unit, DW_AT_producer, &attr))
		return false;
	const char *producer = dwarf_formstring(&attr);
	const char *version = producer ? strstr(producer, "clang version ") : NULL;
	return version && atoi(version + strlen("clang version ")) >= MIN_LLVM;
}

/* The text after a prefix; NULL: it does not begin with that. */
static const char *behind(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);
	return text && !strncmp(text, prefix, len) ? text + len : NULL;
}

/* The name of a variable that C++ has mangled (Itanium C++ ABI, 5.1.6): in _Z4dotsPf it is
 * _ZZ4dotsPfE4tile, in a kernel with C linkage _ZZ4dotsE4tile. Another variable of the name, in
 * another block, has a number after it and does not match. */
static const char *variable_of_cpp(const char *symbol, const char *kernel)
{
	char length[24] = "";
	if (bw_starts_with(kernel, "_Z"))
		kernel += strlen("_Z");
	else
		snprintf(length, sizeof(length), "%zu", strlen(kernel));
	const char *at = behind(behind(behind(behind(symbol, "_ZZ"), length), kernel), "E");
	if (!at || *at < '1' || *at > '9')
		return NULL;
	char *name;
	unsigned long n = strtoul(at, &name, 10);
	return strlen(name) == n ? name : NULL;
}

/* The variable that "kernel.variable" is a symbol of; NULL: it is none of that kernel. */
static const char *variable_of(const char *symbol, const struct bw_kernel *kernel)
{
	const char *name = behind(behind(symbol, kernel->name), ".");
	return name ? name : variable_of_cpp(symbol, kernel->name);
}

static bool has_symbol(const struct bw_lines *l, const struct bw_kernel *kernel, const char *name)
{
	size_t n;
	const char *const *symbols = bw_code_object_undefined(l->co, &n);
	for (size_t i = 0; i < n; i++) {
		const char *of = variable_of(symbols[i], kernel);
		if (of && !strcmp(of, name))
			return true;
	}
	return false;
}

/* Describes the variables that have a symbol. False: one of them cannot be described, or they are
 * too many. */
static bool describe(struct bw_lines *l, const struct bw_kernel *kernel,
		     const struct bw_variable *all, size_t n, struct bw_lds_variable *out,
		     size_t *out_n)
{
	size_t n_symbols;
	const char *const *symbols = bw_code_object_undefined(l->co, &n_symbols);
	*out_n = 0;
	for (size_t i = 0; i < n_symbols; i++) {
		const char *name = variable_of(symbols[i], kernel);
		if (!name)
			continue;
		const struct bw_variable *v = variable_named(all, n, name);
		struct bw_lds_variable *next = &out[*out_n];
		uint64_t asked = 1;
		if (!v || *out_n == MAX_VARIABLES || !v->type->size_b ||
		    v->type->size_b > MAX_LDS_B || !made_by_llvm(l, v) ||
		    !type_align(v->type, 0, &next->type_align_b, &asked) ||
		    !asked_align(l, v, &asked))
			return false;
		next->symbol = symbols[i];
		next->size_b = v->type->size_b;
		next->align_b = BW_MAX(next->type_align_b, asked);
		++*out_n;
	}
	return *out_n > 0;
}

/* Every symbol that is not defined is a variable of some kernel: no other function has LDS. */
static bool are_all_of_kernels(const struct bw_lines *l)
{
	size_t n_symbols, n_kernels;
	const char *const *symbols = bw_code_object_undefined(l->co, &n_symbols);
	const struct bw_kernel *kernels = bw_code_object_kernels(l->co, &n_kernels);
	for (size_t i = 0; i < n_symbols; i++) {
		bool is_one = false;
		for (size_t k = 0; k < n_kernels && !is_one; k++)
			is_one = variable_of(symbols[i], &kernels[k]);
		if (!is_one)
			return false;
	}
	return true;
}

/* Whether what the kernel has beside its variables can be arrays out of scratch: with optimization
 * LLVM moves them into the LDS after those, once for each work-item of the largest workgroup
 * (AMDGPUPromoteAlloca.cpp), aligned to 16 bytes at most. */
static bool may_be_promoted(const struct bw_kernel *kernel, uint64_t total_b)
{
	enum { LEAST_B = 2 }; /* a byte has no index, and stays in a register */
	uint64_t aligned_b = total_b + padding(total_b, 16), items = kernel->max_group_size;
	if (!items || kernel->lds_b < total_b + LEAST_B * items)
		return false;
	return (kernel->lds_b - total_b) % items == 0 ||
	       (kernel->lds_b >= aligned_b && (kernel->lds_b - aligned_b) % items == 0);
}

/* Lays them out in the LDS of the kernel. False: they do not explain it, or not in one way. */
static bool lay_out_in(const struct bw_kernel *kernel, bool is_optimized, struct bw_lds_variable *v,
		       size_t *inout_n)
{
	/* LDS of the device library's functions on workgroups (ockl.bc of Debian 12) */
	static const struct bw_lds_variable scratch = {
		.symbol = "__scratch_lds", .size_b = 256, .align_b = 8, .type_align_b = 8};
	size_t n = *inout_n;
	uint64_t own_b = bw_lds_lay_out(v, n);
	if (own_b == kernel->lds_b)
		return true;
	bool is_promoted = is_optimized && may_be_promoted(kernel, own_b);
	v[n] = scratch;
	bool is_with_library = bw_lds_lay_out(v, n + 1) == kernel->lds_b;
	if (is_promoted == is_with_library)
		return false;
	*inout_n += is_with_library;
	if (is_with_library)
		return true;
	for (size_t i = 0; i < n; i++) /* without it again */
		if (!strcmp(v[i].symbol, scratch.symbol))
			v[i] = v[n];
	bw_lds_lay_out(v, n);
	return true;
}

bool bw_lines_lds_offset(struct bw_lines *l, const struct bw_kernel *kernel, uint64_t addr,
			 unsigned level, const char *name, uint64_t *out)
{
	_cleanup_free_ struct bw_variable *all = NULL;
	struct bw_lds_variable v[MAX_VARIABLES + 1]; /* one more: it is refused, or the library's */
	size_t n_all = 0, n = 0;
	if (!has_symbol(l, kernel, name))
		return false;
	struct bw_error *err = bw_lines_variables(l, addr, level, &all, &n_all);
	bool is_known = !err && describe(l, kernel, all, n_all, v, &n) &&
			lay_out_in(kernel, bw_lines_is_optimized(l, addr), v, &n) &&
			are_all_of_kernels(l);
	bw_error_free(err);
	for (size_t i = 0; is_known && i < n; i++) {
		const char *of = variable_of(v[i].symbol, kernel);
		if (!of || strcmp(of, name) != 0)
			continue;
		*out = v[i].offset_b;
		return true;
	}
	return false;
}

bool bw_lines_lds_has_more(struct bw_lines *l, const struct bw_kernel *kernel, uint64_t addr,
			   unsigned level)
{
	_cleanup_free_ struct bw_variable *all = NULL;
	struct bw_lds_variable v[MAX_VARIABLES + 1];
	size_t n_all = 0, n = 0;
	if (!kernel->lds_b)
		return false;
	struct bw_error *err = bw_lines_variables(l, addr, level, &all, &n_all);
	bool is_known = !err && describe(l, kernel, all, n_all, v, &n) && are_all_of_kernels(l);
	bw_error_free(err);
	return !is_known || bw_lds_lay_out(v, n) != kernel->lds_b;
}
