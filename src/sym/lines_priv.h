/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_LINES_PRIV_H
#define BW_SYM_LINES_PRIV_H

/* The parts of a code object's debug information that are stored: lines.c reads the line tables,
 * functions.c the functions, types.c the types,
 * variables.c the variables. */

#include <elfutils/libdw.h>

#include "base/vec.h"
#include "sym/lines.h"
#include "sym/types_priv.h"
#include "sym/variables_priv.h"

struct row {
	uint64_t start, end;
	uint32_t sequence; /* rows of one sequence follow each other in address order */
	uint32_t line, column;
	uint32_t file;	/* index into files */
	uint32_t order; /* in the table, among rows of one place */
	bool is_stmt, prologue_end;
};

struct source {
	bool tried;
	char *text; /* the whole file, each newline replaced by a NUL; NULL: cannot be read */
	const char **lines;
	size_t n_lines;
};

/* Code of one compilation unit. */
struct unit_range {
	uint64_t start, end;
	bool is_assembly;
};

/* A subprogram with code of its own, or a place where one was inlined. */
struct function {
	const char *name; /* NULL: none; libdw's */
	Dwarf_Off die;	  /* of the subprogram or inlined subroutine */
	unsigned depth;	  /* of scopes around it */
	bool is_inlined, has_params;
};

struct function_range {
	uint64_t start, end;
	uint32_t function;
};

struct bw_lines {
	const struct bw_code_object *co; /* borrowed */
	char *elf_bytes;		 /* libelf's own copy: it may write to what it is given */
	Elf *elf;
	Dwarf *dwarf;
	struct BW_VEC(struct row) rows;	      /* by address */
	struct BW_VEC(const char *) files;    /* owned, each once */
	struct BW_VEC(struct source) sources; /* one for each file, read when asked for */

	struct BW_VEC(struct unit_range) units;
	struct BW_VEC(struct function) functions;
	struct BW_VEC(struct function_range) function_ranges;
	struct bw_types types;
	struct bw_scopes scopes;
	size_t dies_left; /* how many more may be looked at: damaged references can form a ring */
};

/* functions.c: adds the functions of one unit. */
struct bw_error *bw_lines_read_functions(struct bw_lines *l, Dwarf_Die *unit) BW_MUST_CHECK;

#endif
