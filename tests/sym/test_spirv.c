/* SPDX-License-Identifier: MIT */
/* A shader's interface in SPIR-V, and its lines in a driver's table. The module is what
 *
 *	layout(constant_id = 3) const int K = 5;
 *	layout(set = 1, binding = 2) buffer In { uint n; vec3 v[]; } xs;
 *	layout(push_constant) uniform Push { float a; mat2 m; } pc;
 *	shared uint tile[K];
 *
 * is, by hand after the specification; offsets are those of std430 (GLSL 4.60, 4.4.5). */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "sym/lines.h"
#include "sym/spirv.h"

#define OP(op, words) ((uint32_t)(words) << 16 | (op))
#define T4(a, b, c, d)                                                                             \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum {
	MAIN = 1,
	VOID,
	FLOAT,
	UINT,
	INT,
	VEC3,
	VEC2,
	MAT2,
	VECS,
	IN,
	IN_PTR,
	XS,
	PUSH,
	PUSH_PTR,
	PC,
	K,
	TILE,
	TILE_PTR,
	SHARED,
	FILE_ID,
	LOCAL,
	LOCAL_PTR,
	COUNT_PTR,
	COUNT,
	UNUSED,
	ELEMENT,
	BOUND
};

static const uint32_t module[] = {
	/* clang-format off */
	0x07230203, 0x00010500, 0, BOUND, 0,
	OP(15, 5), 5, MAIN, T4('m', 'a', 'i', 'n'), 0,
	OP(7, 4), FILE_ID, T4('a', '.', 'c', 'o'), T4('m', 'p', 0, 0),
	OP(3, 6), 2, 450, FILE_ID, T4('o', 'n', 'e', '\n'), T4('t', 'w', 'o', 0),
	OP(5, 3), XS, T4('x', 's', 0, 0),
	OP(5, 3), IN, T4('I', 'n', 0, 0),
	OP(6, 4), IN, 0, T4('n', 0, 0, 0),
	OP(6, 4), IN, 1, T4('v', 0, 0, 0),
	OP(5, 3), PC, T4('p', 'c', 0, 0),
	OP(6, 4), PUSH, 0, T4('a', 0, 0, 0),
	OP(6, 4), PUSH, 1, T4('m', 0, 0, 0),
	OP(5, 3), K, T4('K', 0, 0, 0),
	OP(5, 4), SHARED, T4('t', 'i', 'l', 'e'), 0,
	OP(5, 3), LOCAL, T4('i', 0, 0, 0),
	OP(5, 4), UNUSED, T4('n', 'e', 'v', 'e'), T4('r', 0, 0, 0),
	OP(71, 3), IN, 2,
	OP(71, 4), XS, 34, 1,
	OP(71, 4), XS, 33, 2,
	OP(71, 4), VECS, 6, 16,
	OP(72, 5), IN, 0, 35, 0,
	OP(72, 5), IN, 1, 35, 16,
	OP(71, 3), PUSH, 2,
	OP(72, 5), PUSH, 0, 35, 0,
	OP(72, 5), PUSH, 1, 35, 8,
	OP(72, 5), PUSH, 1, 7, 8,
	OP(71, 4), K, 1, 3,
	OP(19, 2), VOID,
	OP(22, 3), FLOAT, 32,
	OP(21, 4), UINT, 32, 0,
	OP(21, 4), INT, 32, 1,
	OP(23, 4), VEC3, FLOAT, 3,
	OP(23, 4), VEC2, FLOAT, 2,
	OP(24, 4), MAT2, VEC2, 2,
	OP(29, 3), VECS, VEC3,
	OP(30, 4), IN, UINT, VECS,
	OP(32, 4), IN_PTR, 12, IN,
	OP(59, 4), IN_PTR, XS, 12,
	OP(30, 4), PUSH, FLOAT, MAT2,
	OP(32, 4), PUSH_PTR, 9, PUSH,
	OP(59, 4), PUSH_PTR, PC, 9,
	OP(50, 4), INT, K, 5,
	OP(28, 4), TILE, UINT, K,
	OP(32, 4), TILE_PTR, 4, TILE,
	OP(59, 4), TILE_PTR, SHARED, 4,
	OP(32, 4), COUNT_PTR, 4, UINT,
	OP(59, 4), COUNT_PTR, UNUSED, 4,
	OP(32, 4), LOCAL_PTR, 7, INT,
	OP(54, 5), VOID, MAIN, 0, VOID,
	OP(8, 4), FILE_ID, 7, 0,
	OP(59, 4), LOCAL_PTR, LOCAL, 7,
	OP(65, 5), TILE_PTR, ELEMENT, SHARED, 0,
	OP(56, 1),
	/* clang-format on */
};

static struct bw_spirv *open_module(const struct bw_spirv_constant *c, size_t n)
{
	struct bw_spirv *s = NULL;
	struct bw_error *err = bw_spirv_open(module, BW_ARRAY_SIZE(module), "main", c, n, &s);
	assert_null(err);
	return s;
}

static const struct bw_variable *find(const struct bw_spirv *s, const char *name,
				      struct bw_location *at)
{
	const struct bw_variable *v;
	for (size_t i = 0; (v = bw_spirv_variable(s, i)); i++) {
		if (strcmp(v->name, name))
			continue;
		bw_spirv_location(s, i, at);
		return v;
	}
	fail_msg("no variable %s", name);
	return NULL;
}

static void the_interface(void **state)
{
	struct bw_location at;
	char name[64];
	struct bw_spirv *s = open_module(NULL, 0);
	const struct bw_variable *xs = find(s, "xs", &at);
	assert_int_equal(at.kind, BW_LOC_BOUND);
	assert_int_equal(at.reg, 1);
	assert_int_equal(at.value, 2);
	assert_true(xs->is_param && xs->type->is_block);
	assert_int_equal(xs->type->n_members, 2);
	assert_int_equal(xs->type->members[1].offset_b, 16);
	assert_int_equal(bw_ctype_stride(xs->type->members[1].type), 16);
	assert_string_equal(xs->type->members[1].type->elem->name, "vec3");
	assert_int_equal(xs->type->members[1].type->elem->size_b, 12);
	bw_ctype_name(xs->type->members[1].type, name, sizeof(name));
	assert_string_equal(name, "vec3 []");

	const struct bw_variable *pc = find(s, "pc", &at);
	assert_int_equal(at.kind, BW_LOC_PUSH);
	assert_int_equal(pc->type->members[1].offset_b, 8);
	assert_int_equal(pc->type->members[1].type->count, 2);
	assert_int_equal(pc->type->size_b, 24);

	find(s, "K", &at);
	assert_int_equal(at.kind, BW_LOC_CONSTANT);
	assert_int_equal(at.value, 5);
	assert_int_equal(find(s, "tile", &at)->type->count, 5);
	assert_int_equal(at.kind, BW_LOC_LDS);
	assert_int_equal(at.offset, 0);
	find(s, "i", &at);
	assert_int_equal(at.kind, BW_LOC_OPTIMIZED_OUT);
	/* not in the module, but in the language */
	assert_string_equal(find(s, "gl_WorkGroupID", &at)->type->name, "uvec3");
	bw_ctype_name(find(s, "gl_WorkGroupID", &at)->type, name, sizeof(name));
	assert_string_equal(name, "uvec3");
	assert_int_equal(at.reg, 26);
	assert_string_equal(bw_spirv_file(s), "a.comp");
	bw_spirv_close(s);
}

static void a_constant_that_was_given(void **state)
{
	struct bw_location at;
	const struct bw_spirv_constant c[] = {{.id = 4, .value = 1}, {.id = 3, .value = 9}};
	struct bw_spirv *s = open_module(c, 2);
	find(s, "K", &at);
	assert_int_equal(at.value, 9);
	assert_int_equal(find(s, "tile", &at)->type->count, 9);
	bw_spirv_close(s);
}

/* Each prefix, and each word replaced: nothing is read beyond the end. */
static void damage(void **state)
{
	for (size_t n = 0; n <= BW_ARRAY_SIZE(module); n++) {
		struct bw_spirv *s = NULL;
		uint32_t *copy = malloc((n ? n : 1) * sizeof(*copy));
		assert_non_null(copy);
		memcpy(copy, module, n * sizeof(*copy));
		if (n > 5)
			copy[n - 1] = 0xffffffff;
		struct bw_error *err = bw_spirv_open(copy, n, NULL, NULL, 0, &s);
		free(copy);
		assert_int_equal(!err, n >= 5);
		bw_error_free(err);
		bw_spirv_close(s);
	}
}

/* The reader marks names by a number that no decoration has. One that has it names nothing. */
static void a_decoration_like_a_name(void **state)
{
	enum { MARK = 1 << 16 };
	uint32_t words[BW_ARRAY_SIZE(module)];
	struct bw_spirv *s = NULL;
	memcpy(words, module, sizeof(module));
	for (size_t i = 0; i + 3 < BW_ARRAY_SIZE(words); i++) {
		if (words[i] != OP(71, 4) || words[i + 1] != VECS)
			continue;
		words[i + 1] = PUSH;
		words[i + 2] = MARK;
		words[i + 3] = 0x3fffffff;
	}
	assert_null(bw_spirv_open(words, BW_ARRAY_SIZE(words), NULL, NULL, 0, &s));
	assert_null(bw_spirv_type_named(s, "nothing"));
	for (size_t i = 0; bw_spirv_variable(s, i); i++)
		if (!strcmp(bw_spirv_variable(s, i)->name, "pc"))
			assert_null(bw_spirv_variable(s, i)->type->name);
	bw_spirv_close(s);
}

/* A type that lies in itself by value is none. */
static void a_ring(void **state)
{
	static const uint32_t words[] = {
		0x07230203, 0x10000, 0,		6,	   0, OP(5, 3), 4,	   T4('v', 0, 0, 0),
		OP(30, 3),  1,	     2,		OP(30, 3), 2, 1,	OP(32, 4), 3,
		6,	    1,	     OP(59, 4), 3,	   4, 6};
	struct bw_spirv *s = NULL;
	struct bw_location at;
	assert_null(bw_spirv_open(words, BW_ARRAY_SIZE(words), NULL, NULL, 0, &s));
	const struct bw_ctype *t = find(s, "v", &at)->type;
	for (int i = 0; i < 64 && t->kind == BW_CTYPE_STRUCT; i++)
		t = t->members[0].type;
	assert_int_equal(t->kind, BW_CTYPE_UNKNOWN);
	bw_spirv_close(s);
}

static void check_place(const struct bw_spirv *s, const char *name, enum bw_location_kind kind,
			int64_t offset_b)
{
	struct bw_location at;
	find(s, name, &at);
	assert_int_equal(at.kind, kind);
	if (kind == BW_LOC_LDS)
		assert_int_equal(at.offset, offset_b);
	else if (kind == BW_LOC_UNKNOWN)
		assert_string_equal(at.why, "LDS offset unknown");
}

/* shared uint count; shared vec3 dirs[4]; shared uint never; shared float16_t small; where main
 * uses all but `never`. In RADV's order of declarations, aligned to scalars, the first two are at
 * 0 and 4, and take 52 bytes. */
static void variables_in_lds(void **state)
{
	enum { DIRS = 10, COUNT_ID, NEVER, SMALL = 15, LAST = 17, OF_SMALL = 3 };
	static const uint32_t words[] = {
		/* clang-format off */
		0x07230203, 0x10000, 0, LAST, 0,
		OP(5, 4), DIRS, T4('d', 'i', 'r', 's'), 0,
		OP(5, 4), COUNT_ID, T4('c', 'o', 'u', 'n'), T4('t', 0, 0, 0),
		OP(5, 4), NEVER, T4('n', 'e', 'v', 'e'), T4('r', 0, 0, 0),
		OP(5, 4), SMALL, T4('s', 'm', 'a', 'l'), T4('l', 0, 0, 0),
		OP(19, 2), 2,
		OP(22, 3), 3, 32,
		OP(21, 4), 4, 32, 0,
		OP(23, 4), 5, 3, 3,
		OP(43, 4), 4, 6, 4,
		OP(28, 4), 7, 5, 6,
		OP(22, 3), 13, 16,
		OP(32, 4), 8, 4, 7,
		OP(32, 4), 9, 4, 4,
		OP(32, 4), 14, 4, 13,
		OP(59, 4), 9, COUNT_ID, 4,
		OP(59, 4), 8, DIRS, 4,
		OP(59, 4), 9, NEVER, 4,
		OP(59, 4), 14, SMALL, 4,
		OP(54, 5), 2, 1, 0, 2,
		OP(8, 4), 0, NEVER, 0, /* a line's number is no variable */
		OP(61, 4), 7, 16, DIRS,
		OP(62, 3), COUNT_ID, 6,
		OP(62, 3), SMALL, 6,
		/* clang-format on */
	};
	struct bw_spirv *s = NULL;
	assert_null(bw_spirv_open(words, BW_ARRAY_SIZE(words) - OF_SMALL, NULL, NULL, 0, &s));
	check_place(s, "count", BW_LOC_UNKNOWN, 0);
	check_place(s, "never", BW_LOC_OPTIMIZED_OUT, 0);
	bw_spirv_shared_size(s, 52);
	check_place(s, "count", BW_LOC_LDS, 0);
	check_place(s, "dirs", BW_LOC_LDS, 4);
	check_place(s, "never", BW_LOC_OPTIMIZED_OUT, 0);
	/* Mesa has dropped one, made vec2 of vec3, or uses LDS itself */
	static const uint64_t others[] = {0, 4, 36, 48, 51, 56, UINT64_MAX};
	for (size_t i = 0; i < BW_ARRAY_SIZE(others); i++) {
		bw_spirv_shared_size(s, others[i]);
		check_place(s, "count", BW_LOC_UNKNOWN, 0);
		check_place(s, "dirs", BW_LOC_UNKNOWN, 0);
	}
	bw_spirv_close(s);
	/* with scalars of two sizes there may be holes, and the sum proves nothing */
	assert_null(bw_spirv_open(words, BW_ARRAY_SIZE(words), NULL, NULL, 0, &s));
	bw_spirv_shared_size(s, 54);
	check_place(s, "count", BW_LOC_UNKNOWN, 0);
	check_place(s, "small", BW_LOC_UNKNOWN, 0);
	bw_spirv_close(s);
}

/* The size is one of the lines in front of the variables. */
static void the_size_in_nir(void **state)
{
	static const struct {
		const char *nir;
		enum bw_location_kind kind;
	} cases[] = {{"shader: X\nshared_size: 20\ndecl_var\n", BW_LOC_LDS},
		     {"shader: X\nshared_size: 16\ndecl_var\n", BW_LOC_UNKNOWN},
		     {"shader: X\ndecl_var\nshared_size: 20\n", BW_LOC_UNKNOWN},
		     {"shader: X\n", BW_LOC_UNKNOWN}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		const struct bw_variable *v;
		struct bw_location at;
		struct bw_spirv *s = open_module(NULL, 0);
		struct bw_lines *l = NULL;
		const struct bw_shader_code code = {
			.code_b = 4, .nir = cases[i].nir, .nir_name = "a.nir", .spirv = s};
		assert_null(bw_lines_of_shader(&code, &l));
		v = find(s, "tile", &at); /* uint[5] */
		assert_int_equal(v->type->size_b, 20);
		assert_int_equal(at.kind, cases[i].kind);
		bw_lines_close(l);
	}
}

static struct bw_lines *lines_of(const struct bw_shader_line *table, size_t n, const char *nir)
{
	struct bw_lines *l = NULL;
	const struct bw_shader_code code = {.code_b = 64,
					    .lines = table,
					    .n_lines = n,
					    .nir = nir,
					    .nir_name = "a.nir",
					    .spirv = open_module(NULL, 0)};
	assert_null(bw_lines_of_shader(&code, &l));
	return l;
}

static unsigned line_at(struct bw_lines *l, uint64_t addr)
{
	struct bw_line line;
	return bw_lines_at(l, addr, &line) ? line.line : 0;
}

/* struct S0 { }, S1 { S0 a, b; }, S2 { S1 a, b; } and so on: 2^50 members in 51 types. A walk over
 * all members would not end. */
static void structs_that_double(void **state)
{
	enum { LEVELS = 50, POINTER = LEVELS + 2, VARIABLE };
	uint32_t words[5 + 3 + 2 + 4 * LEVELS + 8] = {
		0x07230203,	  0x10000,   0, VARIABLE + 1, 0, OP(5, 3), VARIABLE,
		T4('v', 0, 0, 0), OP(30, 2), 1};
	uint32_t *w = words + 10;
	for (uint32_t i = 1; i <= LEVELS; i++, w += 4)
		memcpy(w, ((uint32_t[]){OP(30, 4), i + 1, i, i}), 16);
	memcpy(w,
	       ((uint32_t[]){OP(32, 4), POINTER, 4, LEVELS + 1, OP(59, 4), POINTER, VARIABLE, 4}),
	       32);
	struct bw_spirv *s = NULL;
	struct bw_location at;
	assert_null(bw_spirv_open(words, BW_ARRAY_SIZE(words), NULL, NULL, 0, &s));
	const struct bw_ctype *t = find(s, "v", &at)->type;
	assert_int_equal(t->n_members, 2);
	assert_int_equal(t->size_b, 0);
	bw_spirv_close(s);
}

/* Not sorted; of several records at one place the last is right; one without a file is no line. */
static void the_table(void **state)
{
	static const struct bw_shader_line table[] = {{24, 9, 0, "a.comp"},
						      {8, 5, 0, "a.comp"},
						      {8, 6, 0, "a.comp"},
						      {16, 0, 0, NULL},
						      {40, 7, 0, "a.comp"}};
	struct bw_lines *l = lines_of(table, BW_ARRAY_SIZE(table), "shader: nothing\n");
	uint64_t addr[4];
	unsigned line;
	assert_int_equal(bw_lines_origin(l), BW_LINES_SOURCE);
	assert_int_equal(line_at(l, 4), 0);
	assert_int_equal(line_at(l, 12), 6);
	assert_int_equal(line_at(l, 24), 9);
	assert_int_equal(line_at(l, 60), 7);
	assert_int_equal(line_at(l, 64), 0);
	assert_int_equal(bw_lines_find(l, "a.comp", 6, addr, 4, &line), 1);
	assert_int_equal(addr[0], 8);
	/* the text in the SPIR-V */
	assert_string_equal(bw_lines_text(l, "a.comp", 2), "two");
	bw_lines_close(l);
}

/* Mesa 25.0: offsets are 4 too small, files have no name and are the NIR. */
static void the_older_table(void **state)
{
	/* what the second name points to has been freed */
	static const struct bw_shader_line table[] = {{0xfffffffc, 1, 0, ""}, {4, 2, 0, "NNN"}};
	struct bw_lines *l = lines_of(table, BW_ARRAY_SIZE(table), "first\nsecond\n");
	struct bw_line line;
	assert_int_equal(bw_lines_origin(l), BW_LINES_NIR);
	assert_int_equal(line_at(l, 0), 1);
	assert_int_equal(line_at(l, 4), 1);
	assert_true(bw_lines_at(l, 8, &line));
	assert_int_equal(line.line, 2);
	assert_string_equal(line.file, "a.nir");
	assert_string_equal(bw_lines_text(l, "a.nir", 2), "second");
	bw_lines_close(l);
	l = lines_of(NULL, 0, NULL);
	assert_int_equal(bw_lines_origin(l), BW_LINES_NONE);
	bw_lines_close(l);
}

/* Offsets in the middle of an instruction mean its start, after what was 4 too small has been
 * corrected. */
static void lines_inside_instructions(void **state)
{
	/* instructions of 4, 8, 4 bytes; the driver says 4 less */
	static const bool starts[16] = {true, true, false, true};
	static const struct bw_shader_line table[] = {
		{0xfffffffc, 1, 0, ""}, {4, 2, 0, ""}, {8, 3, 0, ""}};
	struct bw_lines *l = NULL;
	uint64_t addr[4];
	unsigned line;
	const struct bw_shader_code code = {.code_b = 64,
					    .starts = starts,
					    .lines = table,
					    .n_lines = BW_ARRAY_SIZE(table),
					    .nir = "first\nsecond\nthird\n",
					    .nir_name = "a.nir"};
	assert_null(bw_lines_of_shader(&code, &l));
	assert_int_equal(bw_lines_find(l, "a.nir", 2, addr, 4, &line), 1);
	assert_int_equal(addr[0], 4);
	assert_int_equal(bw_lines_find(l, "a.nir", 3, addr, 4, &line), 1);
	assert_int_equal(addr[0], 12);
	bw_lines_close(l);
}

/* NonSemantic.Shader.DebugInfo.100: DebugSource (35), DebugSourceContinued (102), DebugLine (103)
 * in the place of OpSource and OpLine. */
static void debug_instructions(void **state)
{
	/* clang-format off */
	enum { SET = 2, FILE_TEXT, TEXT, MORE, SOURCE, CONTINUED, LINE_7, LINE_ID, TYPE, FUNCTION, END };
	static const uint32_t words[] = {
		0x07230203, 0x00010500, 0, END, 0,
		OP(11, 6), SET, T4('N', 'o', 'n', 'S'), T4('e', 'm', 'a', 'n'), T4('t', 'i', 'c', '.'), 0,
		OP(15, 5), 5, FUNCTION, T4('m', 'a', 'i', 'n'), 0,
		OP(7, 4), FILE_TEXT, T4('b', '.', 'c', 'o'), T4('m', 'p', 0, 0),
		OP(7, 4), TEXT, T4('o', 'n', 'e', '\n'), T4('t', 0, 0, 0),
		OP(7, 3), MORE, T4('w', 'o', 0, 0),
		OP(19, 2), TYPE,
		OP(21, 4), UINT + END, 32, 0,
		OP(43, 4), UINT + END, LINE_7, 7,
		OP(12, 7), TYPE, SOURCE, SET, 35, FILE_TEXT, TEXT,
		OP(12, 6), TYPE, CONTINUED, SET, 102, MORE,
		OP(54, 5), TYPE, FUNCTION, 0, TYPE,
		OP(12, 10), TYPE, LINE_ID, SET, 103, SOURCE, LINE_7, LINE_7, 0, 0,
	};
	/* clang-format on */
	for (size_t n = 5; n <= BW_ARRAY_SIZE(words); n++) { /* cut off */
		struct bw_spirv *s = NULL;
		assert_null(bw_spirv_open(words, n, NULL, NULL, 0, &s));
		if (n == BW_ARRAY_SIZE(words)) {
			assert_string_equal(bw_spirv_file(s), "b.comp");
			assert_string_equal(bw_spirv_source_text(s, "b.comp"), "one\ntwo");
			assert_int_equal(bw_spirv_function_at(s, 7), 1);
		}
		bw_spirv_close(s);
	}
}

TESTS(debug_instructions, the_interface, a_constant_that_was_given, damage,
      a_decoration_like_a_name, a_ring, structs_that_double, variables_in_lds, the_size_in_nir,
      the_table, the_older_table, lines_inside_instructions);
