/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_LINES_H
#define BW_SYM_LINES_H

/* Source lines and functions of a code object, by libdw (doc/hardware/code-objects.md 4). */

#include "sym/code_object.h"

struct bw_lines;

struct bw_line {
	const char
		*file; /* as the compiler wrote it, made absolute with the compilation directory */
	unsigned line, column;
	uint64_t start, end; /* addresses in the image that this row covers */
	bool is_stmt, prologue_end;
	/* the row has line 0: this is the nearest earlier line of the same sequence */
	bool approximate;
};

/* Reads the lines of a code object. One without line tables gives an empty table, not an error. co
 * must outlive it. */
struct bw_error *bw_lines_open(const struct bw_code_object *co,
			       struct bw_lines **out) BW_MUST_CHECK;
void bw_lines_close(struct bw_lines *l);
/* A sentence that names what is missing because the debug information is damaged. That is not an
 * error, as the rest can be used. NULL: nothing is missing. */
const char *bw_lines_damage(const struct bw_lines *l);

/* The kind of data that the lines were read from. */
enum bw_lines_origin {
	BW_LINES_DWARF,	 /* the debug information of a code object */
	BW_LINES_SOURCE, /* of a shader, from its driver */
	BW_LINES_MARKED, /* of a shader, from the marks that it stores (spirv_record.h) */
	/* the driver's intermediate language, if that is all that the driver tells of a shader */
	BW_LINES_NIR,
	BW_LINES_NONE, /* a shader of which only the interface is known */
};
enum bw_lines_origin bw_lines_origin(const struct bw_lines *l);
/* An offset of Mesa 25.0, which counts from the dword before the code. */
#define BW_SHADER_LINE_BEFORE 0xfffffffcu
/* A shader of a Vulkan program: its code is code_b bytes from address 0 on. */
struct bw_shader_line {
	uint32_t offset_b, line, column;
	const char *file; /* NULL: no line; "": of nir */
};
/* A place in its code where it stores a mark (spirv_record.h), or where a basic block begins. */
struct bw_shader_mark {
	uint32_t offset_b;
	uint32_t mark; /* the first mark that the block stores; 0: none */
	bool begins_line;
};
struct bw_spirv;
struct bw_shader_code {
	const char *name; /* name of its function, borrowed as long as the lines are; NULL: none */
	size_t code_b;
	const bool *starts; /* for each dword, whether an instruction begins there; NULL: any may */
	const struct bw_shader_line *lines; /* the driver's lines */
	size_t n_lines;
	const struct bw_shader_mark *marks; /* by address; if given, `lines` are not used */
	size_t n_marks;
	/* before this offset, a lane has not begun its record; 0: not known */
	uint32_t begun_b;
	const char *nir;	/* the intermediate language as text, or NULL */
	const char *nir_name;	/* the name for that text as a file */
	struct bw_spirv *spirv; /* or NULL; owned from here on, also after an error */
};
struct bw_error *bw_lines_of_shader(const struct bw_shader_code *code,
				    struct bw_lines **out) BW_MUST_CHECK;
/* The file that a shader was compiled from, by its SPIR-V; NULL: not known, or no shader. */
const char *bw_lines_shader_file(const struct bw_lines *l);
/* Whether a wave at that address has not begun its record yet. Then the memory has the record of an
 * earlier wave, which may have been killed. */
bool bw_lines_before_record(const struct bw_lines *l, uint64_t addr);
/* Whether it is the second shader of its program, by the numbers of its marks (spirv_record.h). */
bool bw_lines_is_second(const struct bw_lines *l);
bool bw_lines_at(const struct bw_lines *l, uint64_t addr, struct bw_line *out);
/* Breakpoint addresses of FILE:LINE: is_stmt rows only, first of each run; file matches by its last
 * path components. With no code on that line, the next line that has some (out_line says which).
 * Returns the number of addresses, at most max. */
size_t bw_lines_find(const struct bw_lines *l, const char *file, unsigned line, uint64_t *out_addr,
		     size_t max, unsigned *out_line);
/* The code of one line without a gap. */
struct bw_line_range {
	const char *file;
	unsigned line;
	uint64_t start, end; /* equal: the line has no code */
};
/* All code of FILE:LINE, by address: including rows that are not statements. Where the line has
 * none, one range without code at the next line that has some, with the line that was asked for.
 * Nothing after the last line with code, and for a file that is not known. out is owned (free). */
struct bw_error *bw_lines_ranges(const struct bw_lines *l, const char *file, unsigned line,
				 struct bw_line_range **out, size_t *out_n) BW_MUST_CHECK;
/* The range around an address. False where the compiler gave the code no line. */
bool bw_lines_range_at(const struct bw_lines *l, uint64_t addr, struct bw_line_range *out);
/* The first line of that file with a row that starts at addr, also one without bytes (lines of an
 * empty prologue); 0: none. */
unsigned bw_lines_first_at(const struct bw_lines *l, uint64_t addr, const char *file);
/* The address for a breakpoint on the function at entry: its prologue_end row, else entry. */
uint64_t bw_lines_after_prologue(const struct bw_lines *l, uint64_t entry, uint64_t end);
/* Whether a user's name means that file: "x.cl" and "b/x.cl" mean "b/x.cl", "a/b/x.cl" does not. */
bool bw_lines_is_file(const char *full, const char *meant);
/* Files named by the tables. */
size_t bw_lines_files(const struct bw_lines *l, const char *const **out);
/* Keeps those addresses of bw_lines_find at which gdb would stop: afterwards they are the first
 * *out_n. Of one block only the first stays, so that a "for" stops once and not in each round. In
 * optimized code the others of a block are copies of the line and stay, but for the rounds of a
 * "for". */
struct bw_error *bw_lines_keep_first(struct bw_lines *l, uint64_t *addr, size_t n,
				     size_t *out_n) BW_MUST_CHECK;

/* ---- Functions ---- */

/* The language that the code at an address was written in. Assembly has no variables. */
enum bw_language { BW_LANGUAGE_UNKNOWN, BW_LANGUAGE_ASSEMBLY, BW_LANGUAGE_COMPILED };
enum bw_language bw_lines_language(const struct bw_lines *l, uint64_t addr);

/* The innermost function around an address, which may be an inlined one. */
struct bw_function {
	const char *name; /* name in the source; NULL: it has none */
	bool is_inlined;
	bool has_params; /* whether the function around it that was not inlined has parameters */
	uint32_t index;	 /* number of the function, for bw_lines_function_covers */
};
bool bw_lines_function_at(const struct bw_lines *l, uint64_t addr, struct bw_function *out);
bool bw_lines_function_covers(const struct bw_lines *l, uint32_t index, uint64_t addr);

/* The i-th parameter of the function that has code of its own at addr, by its declaration. */
struct bw_param {
	char name[64]; /* "" for none */
	/* of C, without typedefs and qualifiers; "float *"; "" if it is neither a number nor a
	 * pointer to numbers */
	char type_name[32];
	unsigned size_b; /* of the type; 0: not known */
};
bool bw_lines_param(struct bw_lines *l, uint64_t addr, size_t i, struct bw_param *out);
/* Gives the arguments of kernels whose metadata has no names, as in HIP, the names and types of the
 * parameters in the debug information l of that code object, where they are as many and of the same
 * sizes. */
struct bw_error *bw_code_object_name_args(struct bw_code_object *co,
					  struct bw_lines *l) BW_MUST_CHECK;

/* The text of one line of a source file (cached), without its newline; NULL when the file cannot be
 * read. Borrowed until close. */
const char *bw_lines_text(struct bw_lines *l, const char *file, unsigned line);
/* Sets the folders of sources; paths must outlive l, and may change. Without it: the compiler's
 * paths. */
struct bw_source_paths;
void bw_lines_search_in(struct bw_lines *l, const struct bw_source_paths *paths);
struct bw_source_file {
	const char *path; /* where it was found; borrowed; NULL: it cannot be read */
	size_t n_lines;
	bool is_newer;	  /* it is newer than the code object */
	bool is_left_out; /* it exists, but must not be shown to others (bw_source_paths_confine) */
	bool *told;	  /* for the caller; false again when sources are searched anew */
};
/* The compilation that the file was part of. Strings are borrowed, NULL: not known. */
struct bw_source_unit {
	const char *folder, *producer;
	const char *language; /* language in gdb's words */
	unsigned dwarf_version;
};
bool bw_lines_unit_of(const struct bw_lines *l, const char *file, struct bw_source_unit *out);
/* False: the debug information does not name the file. */
bool bw_lines_source(struct bw_lines *l, const char *file, struct bw_source_file *out);

#endif
