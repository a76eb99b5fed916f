/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_SPIRV_PRIV_H
#define BW_SYM_SPIRV_PRIV_H

/* spirv.c reads the module, spirv_types.c makes types of it, spirv_variables.c lists variables. */

#include "base/spirv_numbers.h"
#include "base/vec.h"
#include "sym/shader_scopes.h"
#include "sym/spirv.h"

enum {
	IDS_MAX = 1 << 22,   /* the specification's universal limit */
	NOTE_NAME = 1 << 16, /* value: word index of the string */
	NO_MEMBER = 0xffffffff,
};

/* A decoration or a name. */
struct spv_note {
	uint32_t id, member, kind, value;
};

/* The place of a variable in a shader's record (spirv_record.h). */
struct spv_recorded {
	uint32_t id, offset_b, flag_b;
};

struct spv_function {
	uint32_t id;
	uint32_t first_line, last_line; /* 0: not known */
	bool has_params;
};

struct spv_call {
	uint32_t caller; /* index */
	uint32_t callee; /* id */
};

struct spv_variable {
	struct bw_variable v;
	struct bw_location at;
	uint32_t function; /* index + 1; 0: of the module */
	uint32_t shared;   /* id of a variable in LDS; 0: it is none */
	uint32_t id;	   /* of a variable of a function */
	/* where its function names it, 0: nowhere that has a line */
	uint32_t first_line, last_line;
	uint32_t file;		  /* id of the file of these lines; 0: none, or several */
	struct bw_declared scope; /* as the text has it; name NULL: not known */
};

struct spv_node {
	struct bw_ctype type; /* first: a struct's type is found in its node */
	struct bw_cmember *members;
	uint64_t align_b;  /* of a struct whose members have no offsets */
	uint64_t scalar_b; /* of a struct: the size of all its scalars; 0: they have several */
	bool active;	   /* its members are being read */
	char text[24];
};

/* A line that the shader marks where it begins (spirv_record.h). */
struct spv_marked_line {
	uint32_t file_id, line, function_id;
	uint32_t function; /* index + 1; 0: not known */
	const char *file;  /* NULL: none, or not looked up yet */
	bool goes_on;
};

struct spv_file {
	const char *name;
	char *text; /* owned; NULL: none */
};

struct bw_spirv {
	uint32_t *words; /* owned; a zero after them */
	size_t n;
	uint32_t *defined;    /* word index by id; 0: not defined */
	uint32_t *file_of_id; /* index + 1 in files; 0: not a file's name, or not looked at yet */
	uint32_t *function_of_id; /* index + 1 in functions; 0: not a function's */
	uint8_t *used;		  /* by id: a function names it, or has a number like it */
	uint32_t bound;
	uint32_t entry;	 /* id of the function */
	uint32_t model;	 /* MODEL_*, of that entry point */
	bool has_models; /* entry points of several */
	bool is_glsl, is_hlsl;
	struct bw_spirv_constant *constants; /* owned */
	size_t n_constants;
	struct BW_VEC(struct spv_note) notes; /* sorted */
	struct BW_VEC(struct spv_file) files;
	struct BW_VEC(struct spv_function) functions;
	struct BW_VEC(struct spv_call) calls;
	struct BW_VEC(struct spv_node *) nodes;
	struct spv_node **structs; /* by id */
	struct BW_VEC(struct spv_variable) variables;
	struct BW_VEC(struct spv_recorded) recorded;
	struct BW_VEC(struct spv_marked_line) marked; /* by mark, from the first on */
	uint32_t printf_set;			      /* id of those of debugPrintfEXT; 0: none */
	struct BW_VEC(uint32_t) debug_sets; /* ids of extended instructions that have no code */
};

/* The instruction at a word index: its opcode and length in words. False: damaged, or the end. */
bool bw_spv_inst(const struct bw_spirv *s, size_t at, unsigned *out_op, unsigned *out_n);
/* The instruction that defines an id, of at least n words; NULL: none. */
const uint32_t *bw_spv_def(const struct bw_spirv *s, uint32_t id, unsigned n);
/* A decoration's value; false: the id (or its member) does not have it. */
bool bw_spv_decoration(const struct bw_spirv *s, uint32_t id, uint32_t member, uint32_t kind,
		       uint32_t *out);
/* "" where it has none. */
const char *bw_spv_name(const struct bw_spirv *s, uint32_t id, uint32_t member);
/* A constant's value as the program has set it; false: not known here. */
bool bw_spv_constant(const struct bw_spirv *s, uint32_t id, uint64_t *out);

/* spirv_types.c: never NULL. */
const struct bw_ctype *bw_spv_type(struct bw_spirv *s, uint32_t id);
/* n pointers to it, in memory of the GPU. */
const struct bw_ctype *bw_spv_pointers_to(struct bw_spirv *s, const struct bw_ctype *elem,
					  uint64_t n);

/* uint, uvec2, uvec3, uvec4 */
const struct bw_ctype *bw_spv_uints(struct bw_spirv *s, unsigned count);
/* The size of the scalars that a type without decorations is made of, which is its alignment; 0:
 * they have several. */
uint64_t bw_spv_scalar_size(const struct bw_ctype *t);

/* spirv_debug.c: an instruction without code; any of at least one word. */
bool bw_spv_is_debug(const struct bw_spirv *s, const uint32_t *w);
/* The ids of a DebugSource's OpStrings, of its file and of its text, the latter also of a
 * DebugSourceContinued; 0: none. */
uint32_t bw_spv_debug_file(const struct bw_spirv *s, const uint32_t *w);
uint32_t bw_spv_debug_text(const struct bw_spirv *s, const uint32_t *w);
bool bw_spv_debug_goes_on(const struct bw_spirv *s, const uint32_t *w);
/* For a DebugLine or DebugNoLine: the id of the file's OpString, and the line; 0: no line from here
 * on. False: it is neither. */
bool bw_spv_debug_line(const struct bw_spirv *s, const uint32_t *w, uint32_t *out_file,
		       uint32_t *out_line);

/* spirv_functions.c: index + 1 of the function with an id; 0: there is none. */
uint32_t bw_spv_function(const struct bw_spirv *s, uint32_t id);

/* spirv_variables.c */
/* Whether glslang has made the variable: its name does not occur in the source. */
bool bw_spv_is_of_compiler(const struct bw_spirv *s, const char *name);
struct bw_error *bw_spv_read_variables(struct bw_spirv *s) BW_MUST_CHECK;

/* spirv_scopes.c: finds in which lines the variables of functions are in scope. */
struct bw_error *bw_spv_find_scopes(struct bw_spirv *s) BW_MUST_CHECK;
/* spirv.c: the name and the text of the file of an OpString; NULL: none. */
const struct spv_file *bw_spv_file(struct bw_spirv *s, uint32_t id);

#endif
