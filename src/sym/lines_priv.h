/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_LINES_PRIV_H
#define BW_SYM_LINES_PRIV_H

/* The parts of a code object's debug information that are stored: lines.c reads the line tables,
 * sources.c the text of files,
 * line_ranges.c asks for the code of lines, functions.c reads the functions, types.c the types,
 * variables.c the variables. */

#include <elfutils/libdw.h>

#include "base/string_list.h"
#include "base/vec.h"
#include "sym/lines.h"
#include "sym/source_paths.h"
#include "sym/spirv.h"
#include "sym/spirv_record.h"
#include "sym/types_priv.h"
#include "sym/variables_priv.h"

struct row {
	uint64_t start, end;
	uint32_t sequence; /* rows of one sequence follow each other in address order */
	uint32_t line, column;
	uint32_t file;	/* index into files */
	uint32_t order; /* in the table, among rows of one place */
	uint32_t mark;	/* of a shader that marks its lines: which mark; 0: none */
	bool is_stmt, prologue_end;
};

struct source {
	bool tried, told;
	bool is_newer;	  /* than the code object: it may not be what was compiled */
	bool is_left_out; /* see bw_source_file */
	char *text;	  /* the whole file, each newline replaced by a NUL; NULL: cannot be read */
	const char **lines;
	size_t n_lines;
	char *path; /* where it was found; NULL: nowhere */
};

/* Code of one compilation unit. */
struct unit_range {
	uint64_t start, end;
	bool is_assembly;
};

/* A subprogram with code of its own, or a place where one was inlined. */
struct function {
	const char *name; /* NULL: none; libdw's, or one of names */
	Dwarf_Off die;	  /* of the subprogram or inlined subroutine */
	unsigned depth;	  /* of scopes around it */
	bool is_inlined, has_params;
	/* the information lists all calls of it (DW_AT_call_all_calls): what it does not list is
	 * none */
	bool lists_calls;
	/* for frames.c */
	const char *linkage_name; /* NULL: none; libdw's */
	uint64_t entry;		  /* 0: it has no code */
	uint64_t body;		  /* where its first line begins; 0: at its entry */
	uint32_t call_file;	  /* index into files, UINT32_MAX: not known */
	uint32_t call_line, call_column;
	bool is_kernel;
	uint32_t shader_function; /* as bw_spirv_function_at has them; 0: not known */
};

struct function_range {
	uint64_t start, end;
	uint32_t function;
};

/* The text of a file that was compiled, where it is known: the file may have changed since. */
struct given_text {
	const char *file; /* of files */
	char *text;	  /* owned */
};

struct bw_lines {
	const struct bw_code_object *co; /* borrowed; NULL: of a shader */
	struct bw_spirv *spirv; /* owned; NULL: not of a shader, or its SPIR-V is not known */
	enum bw_lines_origin origin;
	uint32_t begun_b; /* of a shader's record, as in bw_shader_code */
	char *damage;	  /* the lost part, and why; NULL: none */
	char *elf_bytes;  /* libelf's own copy: it may write to what it is given */
	Elf *elf;
	Dwarf *dwarf;
	struct BW_VEC(struct row) rows;		/* by address */
	struct BW_VEC(const char *) files;	/* owned, each once */
	struct BW_VEC(struct source) sources;	/* one for each file, read when asked for */
	struct BW_VEC(struct given_text) given; /* by file, of a shader */
	const struct bw_source_paths *paths;	/* borrowed; NULL: only where the compiler says */
	unsigned paths_version;			/* when sources were read */
	time_t written;				/* when the code object's file was; 0: not known */

	struct BW_VEC(struct unit_range) units;
	struct BW_VEC(struct function) functions;
	struct BW_VEC(struct function_range) function_ranges;
	struct bw_types types;
	struct bw_scopes scopes;
	struct bw_strings names;	 /* of functions of C++, demangled */
	struct BW_VEC(uint64_t) returns; /* addresses after calls, sorted */
	size_t dies_left; /* how many more may be looked at: damaged references can form a ring */
};

/* lines.c: the index of a file that the debug information names, which is added to files. */
struct bw_error *bw_lines_file_index(struct bw_lines *l, const char *name, const char *comp_dir,
				     uint32_t *out) BW_MUST_CHECK;

/* The last row that starts at or before addr; rows.len when there is none. */
size_t bw_lines_row_before(const struct bw_lines *l, uint64_t addr);
/* For each file, whether a name typed by a user means it; owned (free), NULL: no memory. */
bool *bw_lines_meant_files(const struct bw_lines *l, const char *name);
/* The first line at or after `line` that a statement of these files has; 0: none. */
unsigned bw_lines_nearest(const struct bw_lines *l, const bool *meant, unsigned line);

/* shader_functions.c: the shader's own function, and where others were inlined, by its marks. */
struct bw_error *bw_lines_add_shader_functions(struct bw_lines *l,
					       const struct bw_shader_code *code) BW_MUST_CHECK;

/* line_places.c: whether the text of the line begins with "for". */
bool bw_lines_is_for(struct bw_lines *l, const char *file, unsigned line);

/* sources.c */
void bw_lines_forget_sources(struct bw_lines *l);

/* variables.c: which block of which function lies there, inlined copies of one apart; 0: none. */
struct bw_error *bw_lines_block_at(struct bw_lines *l, uint64_t addr, uint64_t *out) BW_MUST_CHECK;

/* functions.c: adds the functions of one unit. */
struct bw_error *bw_lines_read_functions(struct bw_lines *l, Dwarf_Die *unit) BW_MUST_CHECK;
/* The i-th function around addr, 0 the innermost; NULL past the one that has code of its own. */
const struct function *bw_lines_function_around(const struct bw_lines *l, uint64_t addr,
						unsigned i);
/* frames.c: what frames need to know of a function. files: of its unit, may be NULL. */
struct bw_error *bw_lines_describe_function(struct bw_lines *l, Dwarf_Die *die, Dwarf_Die *unit,
					    struct function *f) BW_MUST_CHECK;
struct bw_error *bw_lines_add_call(struct bw_lines *l, Dwarf_Die *call_site) BW_MUST_CHECK;
/* To be called when all units have been read. */
void bw_lines_finish_functions(struct bw_lines *l, const struct bw_code_object *co);

#endif
