/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_CODE_H
#define BW_DEBUG_CODE_H

/* Finds where addresses are in the code, and shows code as text. */

#include "debug/debug.h"
#include "sym/lines.h"

struct bw_wave_info;

/* Symbol and source line of an address. Names are borrowed from the session. */
struct bw_where {
	uint64_t pc;
	const char *function;	 /* NULL: no symbol */
	uint64_t offset_b;	 /* bytes from the function's start */
	const char *code_object; /* its path; NULL: the address is in none */
	bool has_line;
	struct bw_line line;   /* its start and end are addresses in the GPU's address space here */
	const char *line_text; /* text of the source line; NULL: the file cannot be read */
};
void bw_debug_where(struct bw_debug *d, uint64_t pc, struct bw_where *out);
/* An instruction that was executed earlier: its program may have ended, and its address may hold
 * other code now. */
struct bw_executed {
	uint64_t pc, start; /* start: where its wave began, which is a kernel's first instruction */
	const void *code;   /* the instruction's bytes */
	size_t code_b;
};
/* Finds symbol and line of such an instruction in code of this session that had these bytes at the
 * address; without such code, in the only kernel of a code object that has these bytes at that
 * distance from its start. False: not known, or several kernels match. */
bool bw_debug_where_executed(struct bw_debug *d, const struct bw_executed *x, struct bw_where *out);
/* The name of the kernel's argument that is a pointer, at this place of the arguments to which the
 * user SGPR points, for the kernel that such an instruction was executed in. NULL: not known. */
const char *bw_debug_pointer_executed(struct bw_debug *d, const struct bw_executed *x,
				      unsigned sgpr, uint32_t offset_b);
/* Appends the variable or element at this offset of the workgroup's LDS, "tile[3]", for the kernel
 * that such an instruction was executed in. False: not known. */
struct bw_str;
bool bw_debug_lds_executed(struct bw_debug *d, const struct bw_executed *x, uint64_t offset_b,
			   struct bw_str *out);
/* The addresses in loaded code of a place, in the syntax of `break` ("": the focus wave's PC). The
 * caller owns *out (free). */
struct bw_error *bw_debug_places(struct bw_debug *d, const char *where, uint64_t **out,
				 size_t *out_n) BW_MUST_CHECK;
/* The source line of a place in the syntax of `break`, loaded or not. The caller owns *out_file
 * (free). */
struct bw_error *bw_debug_source_of(struct bw_debug *d, const char *where, char **out_file,
				    unsigned *out_line) BW_MUST_CHECK;
/* The answer of "info line" for a place: code without a gap, or why there is none. Without loaded
 * code that has the place, addresses are offsets in the image of a code object. */
struct bw_code_range {
	enum {
		BW_RANGE_CODE,
		/* the line has no code: start is where the code of the next line begins */
		BW_RANGE_EMPTY,
		BW_RANGE_OUTSIDE, /* after the last line of the file that has code */
		BW_RANGE_NO_LINE, /* the address `start` belongs to no line */
	} kind;
	const char *file; /* borrowed; NULL: NO_LINE */
	unsigned line;
	uint64_t start, end;
};
/* The code of a place, in the syntax of `break`; a function stands for its first line. *out has at
 * least one range; the caller owns it (free). */
struct bw_error *bw_debug_line_ranges(struct bw_debug *d, const char *where,
				      struct bw_code_range **out, size_t *out_n) BW_MUST_CHECK;
/* Code objects and raw code in the GPU's memory, in the order in which they were found, including
 * code that was found in dispatches. bw_debug_load: false after the last one. */
struct bw_load_info {
	const char *name; /* its path, or the name of a piece of raw code; borrowed */
	uint64_t va, size_b;
	bool has_symbols, has_lines;
};
bool bw_debug_load(struct bw_debug *d, size_t i, struct bw_load_info *out);
/* Like bw_debug_where, in the address space of that dispatch; 0: in the current one. */
void bw_debug_where_in(struct bw_debug *d, uint32_t dispatch, uint64_t pc, struct bw_where *out);
/* The place of a wave's PC, in whatever address space it runs. */
void bw_debug_wave_where(struct bw_debug *d, const struct bw_wave_info *w, struct bw_where *out);

/* The code around a PC. */
struct bw_frame {
	enum bw_language language;
	/* the PC is in the dispatch's kernel itself, not in a function that was called or
	 * inlined */
	bool is_kernel;
	bool has_params; /* the function at the PC has parameters */
	/* the innermost function in the source, else the symbol; NULL: not known */
	const char *function;
};
void bw_debug_frame(struct bw_debug *d, uint32_t dispatch, uint64_t pc, struct bw_frame *out);

/* Writes "<saxpy+24>" for an address of code, "" for other addresses. */
void bw_debug_symbolize(struct bw_debug *d, uint64_t addr, char *out, size_t out_b);

/* ---- Disassembly ---- */

struct bw_dis_line {
	uint64_t addr;
	uint32_t words[3];
	uint8_t size_b;	      /* 4, 8 or 12 */
	bool is_pc;	      /* it is the PC of the selected frame */
	uint32_t breakpoint;  /* number of the breakpoint here, 0: none */
	uint32_t waves_here;  /* number of stopped waves with this PC */
	const char *function; /* NULL: none */
	uint64_t offset_b;
	/* number of the first line of the function's file that has code here; 0: none */
	unsigned first_line;
	struct bw_line line;
	char text[128];
};
/* Disassembles from start: `count` instructions, or up to `end` if count is 0. Stops early at
 * memory that cannot be read; fails only if the first instruction cannot be read. The caller owns
 * *out (free). */
struct bw_error *bw_debug_disassemble(struct bw_debug *d, uint64_t start, uint64_t end,
				      size_t count, struct bw_dis_line **out,
				      size_t *out_n) BW_MUST_CHECK;
/* The bounds of the function around addr, as addresses in the GPU's address space. */
struct bw_error *bw_debug_function_range(struct bw_debug *d, uint64_t addr, uint64_t *out_start,
					 uint64_t *out_end) BW_MUST_CHECK;

#endif
