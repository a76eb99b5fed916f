/* SPDX-License-Identifier: MIT */
#include "sym/types.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "opened.h"
#include "sym/variables.h"

/* Types of the samples types.cl, types.c and types.hip: names and kinds as in their source, offsets
 * and sizes from clang-19 -Xclang -fdump-record-layouts. */

static const struct bw_ctype *named(const struct opened *o, const char *name)
{
	const struct bw_ctype *t = bw_lines_type_named(o->lines, name);
	if (!t)
		fail_msg("no type %s", name);
	return t;
}

static void check_name(const struct bw_ctype *t, const char *wanted)
{
	char name[256];
	bw_ctype_name(t, name, sizeof(name));
	assert_string_equal(name, wanted);
}

struct expected {
	const char *name, *type;
	uint64_t offset_b, size_b;
	unsigned bit_offset, bit_size;
};

static void check_members(const struct bw_ctype *t, const struct expected *e, size_t n)
{
	t = bw_ctype_strip(t);
	assert_int_equal(t->n_members, n);
	for (size_t i = 0; i < n; i++) {
		const struct bw_cmember *m = &t->members[i];
		if (e[i].name)
			assert_string_equal(m->name, e[i].name);
		else
			assert_null(m->name);
		check_name(m->type, e[i].type);
		assert_int_equal(m->offset_b, e[i].offset_b);
		assert_int_equal(m->type->size_b, e[i].size_b);
		assert_int_equal(m->bit_offset, e[i].bit_offset);
		assert_int_equal(m->bit_size, e[i].bit_size);
	}
}
#define CHECK_MEMBERS(t, ...)                                                                      \
	check_members(t, (const struct expected[]){__VA_ARGS__},                                   \
		      sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

static const struct bw_ctype *member(const struct bw_ctype *t, const char *name)
{
	t = bw_ctype_strip(t);
	for (size_t i = 0; i < t->n_members; i++)
		if (t->members[i].name && !strcmp(t->members[i].name, name))
			return t->members[i].type;
	fail_msg("no member %s", name);
	return NULL;
}

static void opencl(void **state)
{
	struct opened o = opened("types.cl");
	const struct bw_ctype *all = named(&o, "all_t"), *t;
	assert_int_equal(all->kind, BW_CTYPE_TYPEDEF);
	assert_int_equal(all->size_b, 320);
	check_name(all, "all_t");
	check_name(all->elem, "struct {...}");
	assert_null(all->elem->name);
	CHECK_MEMBERS(all, {"v3", "float3", 0, 16}, {"m", "int [4][3]", 16, 48},
		      {"c", "enum color", 64, 4}, {"uc", "uchar2", 68, 2},
		      {"items", "item_t [2]", 72, 16}, {"p", "__private item_t *", 88, 4},
		      {"lpp", "__local float * __private *", 92, 4}, {"pp", "int **", 96, 8},
		      {"rows", "int (*)[3]", 104, 8}, {"text", "const char *", 112, 8},
		      {"fixed", "char * const", 120, 8}, {"b", "bool", 128, 1},
		      {"s", "seldom_int", 132, 4}, {"l", "long", 136, 8}, {"ul", "ulong8", 192, 64},
		      {"d", "double", 256, 8}, {"any", "void *", 264, 8});

	t = bw_ctype_strip(member(all, "v3"));
	assert_int_equal(t->kind, BW_CTYPE_VECTOR);
	assert_int_equal(t->count, 3);
	assert_int_equal(t->size_b, 16);
	assert_int_equal(t->elem->kind, BW_CTYPE_FLOAT);
	t = member(all, "m");
	assert_int_equal(t->kind, BW_CTYPE_ARRAY);
	assert_int_equal(t->count, 4);
	assert_int_equal(t->elem->kind, BW_CTYPE_ARRAY);
	assert_int_equal(t->elem->count, 3);
	assert_int_equal(t->elem->size_b, 12);
	assert_int_equal(t->elem->elem->kind, BW_CTYPE_INT);
	assert_true(t->elem->elem->is_signed && !t->elem->elem->is_char);
	t = member(all, "p");
	assert_int_equal(t->address_class, BW_ADDRESS_PRIVATE);
	assert_ptr_equal(t->elem, named(&o, "item_t"));
	t = member(all, "lpp");
	assert_int_equal(t->address_class, BW_ADDRESS_PRIVATE);
	assert_int_equal(t->elem->address_class, BW_ADDRESS_LOCAL);
	assert_int_equal(member(all, "pp")->address_class, BW_ADDRESS_GENERIC);
	t = member(all, "text");
	assert_int_equal(t->elem->kind, BW_CTYPE_QUALIFIED);
	assert_true(bw_ctype_strip(t->elem)->is_char && bw_ctype_strip(t->elem)->is_signed);
	assert_int_equal(member(all, "b")->kind, BW_CTYPE_BOOL);
	assert_int_equal(member(all, "any")->elem->kind, BW_CTYPE_VOID);
	t = member(all, "s");
	assert_int_equal(t->kind, BW_CTYPE_TYPEDEF);
	check_name(t->elem, "const volatile int");
	assert_int_equal(bw_ctype_strip(t)->kind, BW_CTYPE_INT);

	t = named(&o, "enum color");
	assert_int_equal(t->kind, BW_CTYPE_ENUM);
	assert_string_equal(t->name, "enum color");
	assert_int_equal(t->n_enumerators, 3);
	assert_string_equal(t->enumerators[1].name, "GREEN");
	assert_int_equal(t->enumerators[1].value, 5);
	assert_int_equal(t->enumerators[2].value, -1);
	assert_int_equal(t->elem->kind, BW_CTYPE_INT);
	assert_true(t->is_signed);
	closed(o);
}

/* A list's node points to itself: the same type again. */
static void rings_and_anonymous(void **state)
{
	struct opened o = opened("types.cl");
	const struct bw_ctype *node = named(&o, "struct node");
	CHECK_MEMBERS(node, {"next", "struct node *", 0, 8}, {"items", "item_t *", 8, 8},
		      {"v", "int", 16, 4}, {NULL, "union {...}", 20, 4}, {"h", "half", 24, 2});
	assert_ptr_equal(member(node, "next")->elem, node);
	assert_int_equal(node->members[3].type->kind, BW_CTYPE_UNION);
	CHECK_MEMBERS(node->members[3].type, {"u", "int", 0, 4}, {"f", "float", 0, 4});
	assert_int_equal(member(node, "h")->kind, BW_CTYPE_FLOAT);
	assert_int_equal(member(node, "h")->size_b, 2);
	closed(o);
}

static void c_and_bit_fields(void **state)
{
	static const char *const objects[] = {"types.c", "types.c.dwarf4"};
	for (size_t i = 0; i < 2; i++) {
		struct opened o = opened(objects[i]);
		const struct bw_ctype *bits = named(&o, "struct bits"), *grid, *t;
		assert_int_equal(bits->size_b, 16);
		CHECK_MEMBERS(bits, {"a", "unsigned int", 0, 4, 0, 3}, {"b", "int", 0, 4, 3, 7},
			      {"c", "unsigned long", 1, 8, 2, 40}, {"d", "_Bool", 6, 1, 2, 1},
			      {"e", "unsigned int", 8, 4, 0, 32});
		grid = named(&o, "struct grid");
		assert_int_equal(grid->size_b, 112);
		CHECK_MEMBERS(grid, {"cells", "struct bits [2][3]", 0, 96},
			      {"op", "operation", 96, 8}, {"brain", "__bf16", 104, 2},
			      {"half", "_Float16", 106, 2}, {"bytes", "unsigned char []", 108, 0});
		assert_true(member(grid, "brain")->is_bfloat);
		assert_false(member(grid, "half")->is_bfloat);
		t = member(grid, "op");
		check_name(t->elem, "int (*)(int, int)");
		t = t->elem->elem;
		assert_int_equal(t->kind, BW_CTYPE_FUNCTION);
		assert_int_equal(t->n_params, 2);
		assert_int_equal(t->n_members, 0); /* parameters are not parts of it */
		closed(o);
	}
}

static void cplusplus(void **state)
{
	static const char *const objects[] = {"types.hip.O0", "types.hip.O2"};
	for (size_t i = 0; i < 2; i++) {
		struct opened o = opened(objects[i]);
		const struct bw_ctype *circle = named(&o, "shapes::circle"), *t;
		check_name(circle, "shapes::circle");
		CHECK_MEMBERS(circle, {NULL, "shapes::point", 0, 8}, {"r", "float", 8, 4},
			      {"c", "shapes::color", 12, 1});
		assert_true(circle->members[0].is_base);
		assert_false(circle->members[1].is_base);
		t = member(circle, "c");
		assert_int_equal(t->kind, BW_CTYPE_ENUM);
		assert_int_equal(t->enumerators[1].value, 200);
		assert_false(t->is_signed);
		assert_ptr_equal(named(&o, "circle"), circle);
		assert_ptr_equal(named(&o, "class circle"), circle);
		assert_ptr_equal(named(&o, "struct circle"), circle);
		t = named(&o, "shapes::circle::box");
		CHECK_MEMBERS(t, {"low", "shapes::point", 0, 8}, {"high", "shapes::point", 8, 8});
		/* its static member is no part of it */
		CHECK_MEMBERS(member(t, "low"), {"x", "float", 0, 4}, {"y", "float", 4, 4});
		t = named(&o, "shapes::pair<float>");
		CHECK_MEMBERS(t, {"first", "float", 0, 4}, {"second", "float", 4, 4});
		closed(o);
	}
}

/* What another unit defines. */
static void declared(void **state)
{
	struct opened o = opened("units");
	const struct bw_kernel *k = bw_code_object_kernel(o.co, "other");
	struct bw_variable *all;
	size_t n;
	assert_non_null(k);
	assert_null(bw_lines_variables(o.lines, k->entry, 0, &all, &n));
	assert_true(n > 0);
	assert_string_equal(all[0].name, "n");
	check_name(all[0].type, "struct node *");
	assert_int_equal(all[0].type->elem->size_b, 32);
	assert_int_equal(all[0].type->elem->n_members, 5);
	free(all);
	closed(o);
}

static void names(void **state)
{
	static const char *const absent[] = {
		"",	  "struct ",	   "node",  "color",	 "struct color", "union node",
		"NoSuch", "struct item_t", "types", "enum node", "struct  "};
	struct opened o = opened("types.cl"), plain = opened("kern_nolib.plain");
	char small[8];
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		if (bw_lines_type_named(o.lines, absent[i]))
			fail_msg("there is a type %s", absent[i]);
	assert_ptr_equal(named(&o, "struct  node"), named(&o, "struct node"));
	assert_string_equal(named(&o, "int")->name, "int");
	/* a small buffer gets what fits */
	bw_ctype_name(named(&o, "struct node"), small, sizeof(small));
	assert_string_equal(small, "struct ");
	assert_null(bw_lines_type_named(plain.lines, "int"));
	closed(o);
	closed(plain);
}

TESTS(opencl, rings_and_anonymous, c_and_bit_fields, cplusplus, declared, names);
