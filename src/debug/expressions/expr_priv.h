/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_EXPR_PRIV_H
#define BW_DEBUG_EXPR_PRIV_H

/* The inside of the expression evaluator: expr_lex.c cuts text into tokens, expr_primary.c and,
 * above it, expr.c parse and evaluate in one pass, expr_ops.c computes, loads and stores,
 * expr_names.c knows the names, expr_program.c the variables and types of the program,
 * expr_declare.c parses types. */

#include "debug/bound.h"
#include "debug/expressions/eval.h"
#include "debug/variables/variables_priv.h"

enum bw_tok_kind {
	BW_TOK_END,
	BW_TOK_INT,
	BW_TOK_FLOAT,
	BW_TOK_CHAR,
	BW_TOK_STRING,
	BW_TOK_IDENT,  /* name, zoo::name, ::name */
	BW_TOK_DOLLAR, /* $name; "s[2:3]" is one name */
	BW_TOK_OP,     /* op: the character itself, or one of the codes below */
	BW_TOK_BAD,    /* message says why */
};
enum bw_tok_op {
	BW_OPR_SHL = 256,
	BW_OPR_SHR,
	BW_OPR_LE,
	BW_OPR_GE,
	BW_OPR_EQ,
	BW_OPR_NE,
	BW_OPR_AND,
	BW_OPR_OR,
	BW_OPR_INC,    /* ++ and --: assign_op is + or - */
	BW_OPR_ASSIGN, /* op=: assign_op says which operation, 0 for = alone */
};
enum { BW_NAME_MAX = 256 };
struct bw_tok {
	enum bw_tok_kind kind;
	size_t column, end;
	int op, assign_op;
	char name[BW_NAME_MAX]; /* the text of IDENT, DOLLAR (without $) and STRING */
	struct bw_value number; /* INT, FLOAT, CHAR */
	const char *message;	/* BAD */
	/* IDENT: written NAME@entry, the value with which a parameter was called */
	bool is_entry;
};
void bw_expr_lex(const char *text, size_t pos, struct bw_tok *out);

/* One evaluation. */
struct bw_expr {
	struct bw_debug *d;
	struct bw_wave_record *wave; /* NULL: none */
	unsigned lane;
	bool check; /* checks names and grammar only */
	/* where variables are looked up; NULL: at the wave's PC */
	const struct bw_variables_frame *at;
	const char *text;
	struct bw_tok tok; /* the next token */
	unsigned skip;	   /* > 0: parse only; do not read, write or divide */
	unsigned depth;
	size_t error_column;
	struct bw_buffer_info buffer; /* the last buffer that was named; va 0: none was */
};

/* The wave and lane from which values of the expression come. */
static inline struct bw_value_of bw_expr_of(const struct bw_expr *x)
{
	return (struct bw_value_of){
		.d = x->d, .wave = x->wave, .lane = x->lane, .skip = x->skip != 0};
}

/* expr.c */
struct bw_error *bw_expr_parse_assign(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;
/* Like bw_expr_parse_assign; the value of "a, b" is that of b. */
struct bw_error *bw_expr_parse_comma(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_expr_parse_unary(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;
/* Carries out place = place op v, or place = v if op is 0. The caller keeps ownership of both;
 * place holds the result. */
struct bw_error *bw_expr_change(struct bw_expr *x, size_t column, int op, struct bw_value *place,
				struct bw_value *v) BW_MUST_CHECK;

/* expr_primary.c */
void bw_expr_next(struct bw_expr *x);
bool bw_expr_is_op(const struct bw_expr *x, int op);
/* The error for a token that does not belong where it is. */
struct bw_error *bw_expr_syntax(struct bw_expr *x) BW_MUST_CHECK;
struct bw_error *bw_expr_expect(struct bw_expr *x, int op) BW_MUST_CHECK;
/* Adds the column of the current token to an error that has no column yet. */
struct bw_error *bw_expr_at(struct bw_expr *x, size_t column, struct bw_error *err) BW_MUST_CHECK;
/* Parses the rest of "$_workgroup == 2,0,0"; the 2 has been read. */
struct bw_error *bw_expr_compare_triple(struct bw_expr *x, int op, const struct bw_value *a,
					struct bw_value *first, struct bw_value *out) BW_MUST_CHECK;
/* Refuses $v300, the name of a register that no GPU has: it would otherwise become a convenience
 * variable without a value. */
struct bw_error *bw_expr_refuse_register(const char *name) BW_MUST_CHECK;
struct bw_error *bw_expr_parse_postfix(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;

/* expr_ops.c. Operations take ownership of their operands: they are freed, or become the result. */
struct bw_value bw_expr_int(uint64_t bits, unsigned size_b, bool is_signed);
/* Makes v a single number: the focus lane's value of a register, the address of an array in
 * memory. */
struct bw_error *bw_expr_scalar(struct bw_expr *x, struct bw_value *v) BW_MUST_CHECK;
struct bw_error *bw_expr_binary(struct bw_expr *x, int op, struct bw_value *a, struct bw_value *b,
				struct bw_value *out) BW_MUST_CHECK;
/* expr_vector.c: like bw_expr_binary, for operands of which at least one is a vector. */
bool bw_expr_is_vector(const struct bw_value *v);
struct bw_error *bw_expr_vector_binary(struct bw_expr *x, int op, struct bw_value *a,
				       struct bw_value *b, struct bw_value *out) BW_MUST_CHECK;
/* Gives v the type `to` if both are vectors of the same components and differ only in size: three
 * components taken from a vector have no room for a fourth, which float3 has. */
struct bw_error *bw_expr_fit_vector(struct bw_expr *x, const struct bw_type *to,
				    struct bw_value *v) BW_MUST_CHECK;
/* The operators -, + and ~ applied to each component; others are refused. */
struct bw_error *bw_expr_vector_unary(struct bw_expr *x, int op, struct bw_value *a,
				      struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_expr_unary(struct bw_expr *x, int op, struct bw_value *a,
			       struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_expr_cast(struct bw_expr *x, const struct bw_type *t,
			      struct bw_value *v) BW_MUST_CHECK;
/* Reinterprets the bits of a value as another type of the same size. */
struct bw_error *bw_expr_as(struct bw_expr *x, const struct bw_type *t,
			    struct bw_value *v) BW_MUST_CHECK;
bool bw_expr_true(const struct bw_expr *x, const struct bw_value *v);
/* Loads n elements from where a pointer points (n = 1: a single value). */
struct bw_error *bw_expr_load(struct bw_expr *x, const struct bw_value *ptr, size_t n,
			      struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_expr_assign(struct bw_expr *x, struct bw_value *place,
				struct bw_value *v) BW_MUST_CHECK;

/* Converts v to t, and returns the bits. */
uint64_t bw_expr_convert(const struct bw_value *v, const struct bw_type *t);

/* expr_program.c */
bool bw_expr_is_variable(struct bw_expr *x, const char *name);
struct bw_error *bw_expr_variable(struct bw_expr *x, const char *name, bool *out_found,
				  struct bw_value *out) BW_MUST_CHECK;
/* The value with which a parameter was called: NAME@entry. */
struct bw_error *bw_expr_entry(struct bw_expr *x, const char *name,
			       struct bw_value *out) BW_MUST_CHECK;
bool bw_expr_enumerator(struct bw_expr *x, const char *name, struct bw_value *out);
/* Whether the next token begins a type. The name of a variable does not. */
bool bw_expr_type_follows(struct bw_expr *x);
/* Reads "struct node", "item_t". *out is NULL, and nothing is read, if no type has that name. */
struct bw_error *bw_expr_program_type(struct bw_expr *x, const struct bw_ctype **out) BW_MUST_CHECK;
struct bw_error *bw_expr_pointer_type(struct bw_expr *x, const struct bw_ctype *elem,
				      enum bw_space space, struct bw_type *out) BW_MUST_CHECK;
/* The member of an aggregate: v.name, and v->name. The caller keeps v. */
struct bw_error *bw_expr_member(struct bw_expr *x, const struct bw_value *v, const char *name,
				struct bw_value *out) BW_MUST_CHECK;
/* The element v[i] of an aggregate. */
struct bw_error *bw_expr_element(struct bw_expr *x, const struct bw_value *v, int64_t i,
				 struct bw_value *out) BW_MUST_CHECK;
/* Makes an array the address of its first element; other aggregates are an error. */
struct bw_error *bw_expr_decay(struct bw_expr *x, struct bw_value *v) BW_MUST_CHECK;
/* Like bw_expr_load, for a pointer whose type the program declares. */
struct bw_error *bw_expr_load_program(struct bw_expr *x, const struct bw_value *ptr, size_t n,
				      struct bw_value *out) BW_MUST_CHECK;
/* Assigns to a place of the program's variables: PIECES, or MEMORY with a type of the program. */
struct bw_error *bw_expr_assign_program(struct bw_expr *x, struct bw_value *place,
					struct bw_value *v) BW_MUST_CHECK;
/* Assigns to components of a vector, v.xz (place->vector). */
struct bw_error *bw_expr_assign_components(struct bw_expr *x, struct bw_value *place,
					   struct bw_value *v) BW_MUST_CHECK;

/* expr_literal.c */
/* Whether values of one type can be assigned to the other. */
bool bw_expr_same_type(const struct bw_ctype *a, const struct bw_ctype *b);
/* Whether the next token begins a literal of that type: {1, 2}, or (1, 2, 3, 4) of a vector. */
bool bw_expr_literal_follows(const struct bw_expr *x, const struct bw_type *t);
struct bw_error *bw_expr_literal(struct bw_expr *x, const struct bw_type *t,
				 struct bw_value *out) BW_MUST_CHECK;
/* Makes a vector of that type of a number: each component has its value. */
struct bw_error *bw_expr_fill_vector(struct bw_expr *x, const struct bw_type *t,
				     struct bw_value *v) BW_MUST_CHECK;

/* expr_buffers.c */
/* Parses the rest of $_buffer(N) and $_buffer_size(N), from the parenthesis on. */
struct bw_error *bw_expr_buffer_function(struct bw_expr *x, bool size,
					 struct bw_value *out) BW_MUST_CHECK;
/* Parses what follows "buffer", as in "buffer NAME" and "buffer 2", and returns the address.
 * bw_expr_buffer_follows: whether a name, number or text is next. */
bool bw_expr_buffer_follows(const struct bw_expr *x);
struct bw_error *bw_expr_buffer(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;
/* Parses "as TYPE[N]" after an address, and loads the value that is there. */
struct bw_error *bw_expr_as_type(struct bw_expr *x, struct bw_value *v,
				 struct bw_value *out) BW_MUST_CHECK;

/* expr_declare.c */
/* Parses a type: "unsigned int", "item_t *[4]", "int (*)[3]". */
struct bw_error *bw_expr_parse_type(struct bw_expr *x, struct bw_type *out) BW_MUST_CHECK;
/* Like bw_expr_parse_type, without an array after the stars: "float *" of "float *[4]". */
struct bw_error *bw_expr_parse_element(struct bw_expr *x, struct bw_type *out) BW_MUST_CHECK;
/* The type of a pointer to t in global memory. */
struct bw_error *bw_expr_pointer_to(struct bw_expr *x, const struct bw_type *t,
				    struct bw_type *out) BW_MUST_CHECK;

/* expr_types.c */
bool bw_expr_type_word(const char *word);
/* Collects the words of a type like "unsigned", "long", "__local". bw_expr_type_add adds a word;
 * false: it does not go with the words before. */
struct bw_type_words {
	bool is_unsigned, is_signed, have, is_bool;
	unsigned n_long;
	enum bw_space space;
	bool have_space;
	struct bw_type type;
};
bool bw_expr_type_add(struct bw_type_words *t, const char *word);
struct bw_type bw_expr_type_finish(const struct bw_type_words *t);
/* The types char, unsigned char and bool, which are printed in their own form even if the program
 * has no such type. NULL: the words name another type. Static. */
const struct bw_ctype *bw_expr_type_builtin(const struct bw_type_words *t);
const struct bw_ctype *bw_expr_char_type(void);
/* C's own type of a number, or void, for code whose debug information has none. NULL: there is
 * none. */
const struct bw_ctype *bw_expr_plain_ctype(enum bw_type_kind kind, unsigned size_b);

/* The address space of a word before '#', such as "local". */
struct bw_error *bw_expr_space(const char *name, enum bw_space *out) BW_MUST_CHECK;

/* expr_names.c */
/* The i-th of "_lane" and similar names; NULL after the last one. */
const char *bw_expr_internal_name(size_t i);
struct bw_error *bw_expr_name(struct bw_expr *x, const char *name, bool dollar, bool assigned,
			      struct bw_value *out) BW_MUST_CHECK;
/* The value of $_launch.NAME, with which the kernel was launched. */
struct bw_error *bw_expr_launch(struct bw_expr *x, const char *name,
				struct bw_value *out) BW_MUST_CHECK;
/* Whether name is blockIdx or one of the similar ones. */
bool bw_expr_is_dim3(const char *name);
struct bw_error *bw_expr_dim3(struct bw_expr *x, const char *name, char member,
			      struct bw_value *out) BW_MUST_CHECK;

#endif
