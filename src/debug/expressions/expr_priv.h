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
	BW_TOK_OP,     /* op: one of the characters, or the codes below */
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
	char name[BW_NAME_MAX]; /* IDENT, DOLLAR (without $), STRING */
	struct bw_value number; /* INT, FLOAT, CHAR */
	const char *message;	/* BAD */
	bool is_entry;		/* IDENT: NAME@entry, what a parameter was called with */
};
void bw_expr_lex(const char *text, size_t pos, struct bw_tok *out);

/* One evaluation. */
struct bw_expr {
	struct bw_debug *d;
	struct bw_wave_record *wave; /* NULL: none */
	unsigned lane;
	bool check;			     /* only names and grammar matter */
	const struct bw_variables_frame *at; /* where variables are looked up; NULL: at the wave */
	const char *text;
	struct bw_tok tok; /* the next one */
	unsigned skip;	   /* > 0: parse, do not read, write or divide */
	unsigned depth;
	size_t error_column;
	struct bw_buffer_info buffer; /* the last one that was named; va 0: none was */
};

/* Whose values the expression has. */
static inline struct bw_value_of bw_expr_of(const struct bw_expr *x)
{
	return (struct bw_value_of){
		.d = x->d, .wave = x->wave, .lane = x->lane, .skip = x->skip != 0};
}

/* expr.c */
struct bw_error *bw_expr_parse_assign(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;
/* Like bw_expr_parse_assign and, of "a, b", the value of b. */
struct bw_error *bw_expr_parse_comma(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_expr_parse_unary(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;
/* place = place op v, or = v where op is 0. The caller keeps ownership of both; place holds the
 * result then. */
struct bw_error *bw_expr_change(struct bw_expr *x, size_t column, int op, struct bw_value *place,
				struct bw_value *v) BW_MUST_CHECK;

/* expr_primary.c */
void bw_expr_next(struct bw_expr *x);
bool bw_expr_is_op(const struct bw_expr *x, int op);
/* The error of a token that does not belong where it is. */
struct bw_error *bw_expr_syntax(struct bw_expr *x) BW_MUST_CHECK;
struct bw_error *bw_expr_expect(struct bw_expr *x, int op) BW_MUST_CHECK;
/* Puts the column of the current token into an error that has none yet. */
struct bw_error *bw_expr_at(struct bw_expr *x, size_t column, struct bw_error *err) BW_MUST_CHECK;
/* The rest of "$_workgroup == 2,0,0", of which 2 is first. */
struct bw_error *bw_expr_compare_triple(struct bw_expr *x, int op, const struct bw_value *a,
					struct bw_value *first, struct bw_value *out) BW_MUST_CHECK;
/* $v300: the name of a register that no GPU has, which must not become a variable that is void. */
struct bw_error *bw_expr_refuse_register(const char *name) BW_MUST_CHECK;
struct bw_error *bw_expr_parse_postfix(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;

/* expr_ops.c. Operations take ownership of their operands: they are freed, or become the result. */
struct bw_value bw_expr_int(uint64_t bits, unsigned size_b, bool is_signed);
/* The focus lane's value of a register, the address of an array in memory. */
struct bw_error *bw_expr_scalar(struct bw_expr *x, struct bw_value *v) BW_MUST_CHECK;
struct bw_error *bw_expr_binary(struct bw_expr *x, int op, struct bw_value *a, struct bw_value *b,
				struct bw_value *out) BW_MUST_CHECK;
/* expr_vector.c: the same where one of them is a vector. */
bool bw_expr_is_vector(const struct bw_value *v);
struct bw_error *bw_expr_vector_binary(struct bw_expr *x, int op, struct bw_value *a,
				       struct bw_value *b, struct bw_value *out) BW_MUST_CHECK;
/* v becomes of that type where both are vectors of the same components and differ in size alone:
 * three components chosen from others have no room for a fourth, which float3 has. */
struct bw_error *bw_expr_fit_vector(struct bw_expr *x, const struct bw_type *to,
				    struct bw_value *v) BW_MUST_CHECK;
/* -, + and ~ of each component; the others are refused. */
struct bw_error *bw_expr_vector_unary(struct bw_expr *x, int op, struct bw_value *a,
				      struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_expr_unary(struct bw_expr *x, int op, struct bw_value *a,
			       struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_expr_cast(struct bw_expr *x, const struct bw_type *t,
			      struct bw_value *v) BW_MUST_CHECK;
/* The same bits seen as another type of the same size. */
struct bw_error *bw_expr_as(struct bw_expr *x, const struct bw_type *t,
			    struct bw_value *v) BW_MUST_CHECK;
bool bw_expr_true(const struct bw_expr *x, const struct bw_value *v);
/* What a pointer points to, n elements of it (n = 1: a scalar). */
struct bw_error *bw_expr_load(struct bw_expr *x, const struct bw_value *ptr, size_t n,
			      struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_expr_assign(struct bw_expr *x, struct bw_value *place,
				struct bw_value *v) BW_MUST_CHECK;

/* v as bits of t. */
uint64_t bw_expr_convert(const struct bw_value *v, const struct bw_type *t);

/* expr_program.c */
bool bw_expr_is_variable(struct bw_expr *x, const char *name);
struct bw_error *bw_expr_variable(struct bw_expr *x, const char *name, bool *out_found,
				  struct bw_value *out) BW_MUST_CHECK;
/* NAME@entry: what a parameter was called with. */
struct bw_error *bw_expr_entry(struct bw_expr *x, const char *name,
			       struct bw_value *out) BW_MUST_CHECK;
bool bw_expr_enumerator(struct bw_expr *x, const char *name, struct bw_value *out);
/* Whether the next token begins a type: a variable of that name is none. */
bool bw_expr_type_follows(struct bw_expr *x);
/* Takes "struct node", "item_t"; NULL and nothing taken where no type has that name. */
struct bw_error *bw_expr_program_type(struct bw_expr *x, const struct bw_ctype **out) BW_MUST_CHECK;
struct bw_error *bw_expr_pointer_type(struct bw_expr *x, const struct bw_ctype *elem,
				      enum bw_space space, struct bw_type *out) BW_MUST_CHECK;
/* v.name, also v->name. v stays the caller's. */
struct bw_error *bw_expr_member(struct bw_expr *x, const struct bw_value *v, const char *name,
				struct bw_value *out) BW_MUST_CHECK;
/* v[i] of an aggregate. */
struct bw_error *bw_expr_element(struct bw_expr *x, const struct bw_value *v, int64_t i,
				 struct bw_value *out) BW_MUST_CHECK;
/* Makes an array the address of its first element; other aggregates are an error. */
struct bw_error *bw_expr_decay(struct bw_expr *x, struct bw_value *v) BW_MUST_CHECK;
/* bw_expr_load of a pointer of the program. */
struct bw_error *bw_expr_load_program(struct bw_expr *x, const struct bw_value *ptr, size_t n,
				      struct bw_value *out) BW_MUST_CHECK;
/* To a place of the program's: PIECES, or MEMORY with a type of the program. */
struct bw_error *bw_expr_assign_program(struct bw_expr *x, struct bw_value *place,
					struct bw_value *v) BW_MUST_CHECK;
/* To components of a vector, v.xz: place->vector. */
struct bw_error *bw_expr_assign_components(struct bw_expr *x, struct bw_value *place,
					   struct bw_value *v) BW_MUST_CHECK;

/* expr_literal.c */
/* Values of one can be assigned to the other. */
bool bw_expr_same_type(const struct bw_ctype *a, const struct bw_ctype *b);
/* Whether the next token begins a literal of that type: {1, 2}, or (1, 2, 3, 4) of a vector. */
bool bw_expr_literal_follows(const struct bw_expr *x, const struct bw_type *t);
struct bw_error *bw_expr_literal(struct bw_expr *x, const struct bw_type *t,
				 struct bw_value *out) BW_MUST_CHECK;
/* Makes a number a vector of that type, whose components all have it. */
struct bw_error *bw_expr_fill_vector(struct bw_expr *x, const struct bw_type *t,
				     struct bw_value *v) BW_MUST_CHECK;

/* expr_buffers.c */
/* $_buffer(N), $_buffer_size(N), from the parenthesis on. */
struct bw_error *bw_expr_buffer_function(struct bw_expr *x, bool size,
					 struct bw_value *out) BW_MUST_CHECK;
/* "buffer NAME", "buffer 2": its address. Whether a name, number or text is next. */
bool bw_expr_buffer_follows(const struct bw_expr *x);
struct bw_error *bw_expr_buffer(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;
/* "as TYPE[N]" after an address: what is there. */
struct bw_error *bw_expr_as_type(struct bw_expr *x, struct bw_value *v,
				 struct bw_value *out) BW_MUST_CHECK;

/* expr_declare.c */
/* "unsigned int", "item_t *[4]", "int (*)[3]" */
struct bw_error *bw_expr_parse_type(struct bw_expr *x, struct bw_type *out) BW_MUST_CHECK;
/* Like bw_expr_parse_type, without what may stand after the stars: "float *" of "float *[4]". */
struct bw_error *bw_expr_parse_element(struct bw_expr *x, struct bw_type *out) BW_MUST_CHECK;
/* A pointer to t in global memory. */
struct bw_error *bw_expr_pointer_to(struct bw_expr *x, const struct bw_type *t,
				    struct bw_type *out) BW_MUST_CHECK;

/* expr_types.c */
bool bw_expr_type_word(const char *word);
/* The type named by words like "unsigned", "long", "__local": feeds one word, false when it does
 * not fit in. */
struct bw_type_words {
	bool is_unsigned, is_signed, have, is_bool;
	unsigned n_long;
	enum bw_space space;
	bool have_space;
	struct bw_type type;
};
bool bw_expr_type_add(struct bw_type_words *t, const char *word);
struct bw_type bw_expr_type_finish(const struct bw_type_words *t);
/* char, unsigned char and bool, which are shown in a way of their own, also where the program has
 * no such type; NULL: another one. Static. */
const struct bw_ctype *bw_expr_type_builtin(const struct bw_type_words *t);
const struct bw_ctype *bw_expr_char_type(void);
/* C's own type of a number, or void, for where the program's has none; NULL: there is none. */
const struct bw_ctype *bw_expr_plain_ctype(enum bw_type_kind kind, unsigned size_b);

/* "local" and the like in front of a # */
struct bw_error *bw_expr_space(const char *name, enum bw_space *out) BW_MUST_CHECK;

/* expr_names.c */
/* Enumerates "_lane" and similar names; NULL after the last one. */
const char *bw_expr_internal_name(size_t i);
struct bw_error *bw_expr_name(struct bw_expr *x, const char *name, bool dollar, bool assigned,
			      struct bw_value *out) BW_MUST_CHECK;
/* $_launch.NAME: what the kernel was launched with. */
struct bw_error *bw_expr_launch(struct bw_expr *x, const char *name,
				struct bw_value *out) BW_MUST_CHECK;
/* Whether name is blockIdx or one of the similar ones. */
bool bw_expr_is_dim3(const char *name);
struct bw_error *bw_expr_dim3(struct bw_expr *x, const char *name, char member,
			      struct bw_value *out) BW_MUST_CHECK;

#endif
