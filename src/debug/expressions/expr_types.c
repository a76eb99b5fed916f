// SPDX-License-Identifier: MIT
/* Type names as C, OpenCL and the metadata of code objects write them. */
#include "debug/expressions/expr_priv.h"

#include <string.h>

struct type_row {
	const char *name;
	enum bw_type_kind kind;
	uint8_t size_b;
};
/* Whole types; the words that combine are in bw_expr_type_add. */
static const struct type_row type_rows[] = {
	{"float", BW_TYPE_FLOAT, 4},   {"double", BW_TYPE_FLOAT, 8},
	{"half", BW_TYPE_FLOAT, 2},    {"_Float16", BW_TYPE_FLOAT, 2},
	{"f16", BW_TYPE_FLOAT, 2},     {"f32", BW_TYPE_FLOAT, 4},
	{"f64", BW_TYPE_FLOAT, 8},     {"void", BW_TYPE_VOID, 0},
	{"bool", BW_TYPE_UINT, 1},     {"_Bool", BW_TYPE_UINT, 1},
	{"int8_t", BW_TYPE_INT, 1},    {"int16_t", BW_TYPE_INT, 2},
	{"int32_t", BW_TYPE_INT, 4},   {"int64_t", BW_TYPE_INT, 8},
	{"uint8_t", BW_TYPE_UINT, 1},  {"uint16_t", BW_TYPE_UINT, 2},
	{"uint32_t", BW_TYPE_UINT, 4}, {"uint64_t", BW_TYPE_UINT, 8},
	{"i8", BW_TYPE_INT, 1},	       {"i16", BW_TYPE_INT, 2},
	{"i32", BW_TYPE_INT, 4},       {"i64", BW_TYPE_INT, 8},
	{"u8", BW_TYPE_UINT, 1},       {"u16", BW_TYPE_UINT, 2},
	{"u32", BW_TYPE_UINT, 4},      {"u64", BW_TYPE_UINT, 8},
	{"uchar", BW_TYPE_UINT, 1},    {"ushort", BW_TYPE_UINT, 2},
	{"uint", BW_TYPE_UINT, 4},     {"ulong", BW_TYPE_UINT, 8},
	{"size_t", BW_TYPE_UINT, 8},   {"uintptr_t", BW_TYPE_UINT, 8},
	{"char", BW_TYPE_INT, 1},      {"short", BW_TYPE_INT, 2},
	{"int", BW_TYPE_INT, 4},       {"long", BW_TYPE_INT, 8},
};
static const char *const qualifiers[] = {"const",  "volatile", "restrict",
					 "signed", "unsigned", "struct"};
static const struct {
	const char *name;
	enum bw_space space;
} space_words[] = {
	{"__global", BW_SPACE_GLOBAL},	 {"global", BW_SPACE_GLOBAL},
	{"__constant", BW_SPACE_GLOBAL}, {"__local", BW_SPACE_LDS},
	{"__private", BW_SPACE_PRIVATE},
};

static const struct type_row *type_row(const char *word)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(type_rows); i++)
		if (strcmp(type_rows[i].name, word) == 0)
			return &type_rows[i];
	return NULL;
}

bool bw_expr_type_word(const char *word)
{
	if (type_row(word))
		return true;
	for (size_t i = 0; i < BW_ARRAY_SIZE(qualifiers) - 1; i++)
		if (strcmp(qualifiers[i], word) == 0)
			return true;
	for (size_t i = 0; i < BW_ARRAY_SIZE(space_words); i++)
		if (word[0] == '_' && strcmp(space_words[i].name, word) == 0)
			return true;
	return false;
}

bool bw_expr_type_add(struct bw_type_words *t, const char *word)
{
	if (strcmp(word, "unsigned") == 0) {
		t->is_unsigned = true;
		return !t->is_signed;
	}
	if (strcmp(word, "signed") == 0) {
		t->is_signed = true;
		return !t->is_unsigned;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(qualifiers); i++)
		if (strcmp(qualifiers[i], word) == 0)
			return true;
	for (size_t i = 0; i < BW_ARRAY_SIZE(space_words); i++) {
		if (strcmp(space_words[i].name, word) == 0) {
			t->space = space_words[i].space;
			return true;
		}
	}
	const struct type_row *row = type_row(word);
	if (!row)
		return false;
	bool is_long = strcmp(word, "long") == 0, is_int = strcmp(word, "int") == 0;
	if (is_long && t->n_long < 2 && (!t->have || t->n_long)) {
		t->n_long++;
	} else if (is_int && t->have && t->type.kind == BW_TYPE_INT && t->type.size_b != 1) {
		return true; /* long int, short int */
	} else if (t->have) {
		return false;
	}
	t->have = true;
	t->is_bool = !strcmp(word, "bool") || !strcmp(word, "_Bool");
	t->type = (struct bw_type){.kind = row->kind, .size_b = row->size_b};
	return true;
}

struct bw_type bw_expr_type_finish(const struct bw_type_words *t)
{
	struct bw_type type = t->type;
	if (!t->have)
		type = (struct bw_type){.kind = BW_TYPE_INT, .size_b = 4};
	if (t->is_unsigned && type.kind == BW_TYPE_INT)
		type.kind = BW_TYPE_UINT;
	return type;
}

struct bw_error *bw_expr_space(const char *name, enum bw_space *out)
{
	static const struct {
		const char *name;
		enum bw_space space;
	} rows[] = {
		{"global", BW_SPACE_GLOBAL},   {"generic", BW_SPACE_GLOBAL},
		{"local", BW_SPACE_LDS},       {"lds", BW_SPACE_LDS},
		{"shared", BW_SPACE_LDS},      {"private_lane", BW_SPACE_PRIVATE},
		{"private", BW_SPACE_PRIVATE}, {"scratch", BW_SPACE_PRIVATE},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].name, name) == 0) {
			*out = rows[i].space;
			return NULL;
		}
	}
	return bw_errorf(BW_E_INVALID, "Address space %s not recognised by the architecture", name);
}

static const struct bw_ctype bool_type = {.kind = BW_CTYPE_BOOL, .name = "bool", .size_b = 1},
			     char_type = {.kind = BW_CTYPE_INT,
					  .name = "char",
					  .size_b = 1,
					  .is_signed = true,
					  .is_char = true},
			     uchar_type = {.kind = BW_CTYPE_INT,
					   .name = "unsigned char",
					   .size_b = 1,
					   .is_char = true};

const struct bw_ctype *bw_expr_plain_ctype(enum bw_type_kind kind, unsigned size_b)
{
#define PLAIN(kind_, name_, size_, signed_)                                                        \
	{.kind = kind_, .name = name_, .size_b = size_, .is_signed = signed_}
	static const struct bw_ctype ints[] = {PLAIN(BW_CTYPE_INT, "short", 2, true),
					       PLAIN(BW_CTYPE_INT, "int", 4, true),
					       PLAIN(BW_CTYPE_INT, "long", 8, true)},
				     uints[] = {PLAIN(BW_CTYPE_INT, "unsigned short", 2, false),
						PLAIN(BW_CTYPE_INT, "unsigned int", 4, false),
						PLAIN(BW_CTYPE_INT, "unsigned long", 8, false)},
				     floats[] = {PLAIN(BW_CTYPE_FLOAT, "half", 2, false),
						 PLAIN(BW_CTYPE_FLOAT, "float", 4, false),
						 PLAIN(BW_CTYPE_FLOAT, "double", 8, false)},
				     void_type = PLAIN(BW_CTYPE_VOID, "void", 0, false);
#undef PLAIN
	unsigned i = size_b == 2 ? 0 : size_b == 4 ? 1 : size_b == 8 ? 2 : 3;
	if (kind == BW_TYPE_VOID)
		return &void_type;
	if (size_b == 1)
		return kind == BW_TYPE_INT ? &char_type : kind == BW_TYPE_UINT ? &uchar_type : NULL;
	if (i == 3)
		return NULL;
	return kind == BW_TYPE_INT     ? &ints[i]
	       : kind == BW_TYPE_UINT  ? &uints[i]
	       : kind == BW_TYPE_FLOAT ? &floats[i]
				       : NULL;
}

const struct bw_ctype *bw_expr_char_type(void)
{
	return &char_type;
}

const struct bw_ctype *bw_expr_type_builtin(const struct bw_type_words *t)
{
	struct bw_type type = bw_expr_type_finish(t);
	if (!t->have || type.size_b != 1)
		return NULL;
	return t->is_bool ? &bool_type : type.kind == BW_TYPE_INT ? &char_type : &uchar_type;
}

bool bw_type_parse(const char *text, struct bw_type *out)
{
	struct bw_type_words words = {0};
	char word[BW_NAME_MAX];
	bool any = false;

	for (;;) {
		text += strspn(text, " ");
		size_t n = strcspn(text, " *");
		if (n == 0)
			break;
		if (n >= sizeof(word))
			return false;
		memcpy(word, text, n);
		word[n] = 0;
		if (!bw_expr_type_add(&words, word))
			return false;
		any = true;
		text += n;
	}
	struct bw_type t = bw_expr_type_finish(&words);
	for (; *text; text++) {
		if (*text == ' ')
			continue;
		if (*text != '*' || t.depth == 8)
			return false;
		if (t.kind != BW_TYPE_POINTER)
			t = (struct bw_type){.kind = BW_TYPE_POINTER,
					     .size_b = 8,
					     .elem_kind = t.kind,
					     .elem_size_b = t.size_b};
		t.depth++;
	}
	if (!any || (!words.have && !words.is_unsigned && !words.is_signed))
		return false;
	*out = t;
	return true;
}
