/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_CODE_H
#define BW_DEBUG_CODE_H

/* Where addresses are in code, and code as text. */

#include "debug/debug.h"
#include "sym/lines.h"

struct bw_wave_info;

/* Symbol and source line of an address. Names are borrowed from the session. */
struct bw_where {
	uint64_t pc;
	const char *function;	 /* NULL: no symbol */
	uint64_t offset_b;	 /* from the function's start */
	const char *code_object; /* path, NULL when in none */
	bool has_line;
	struct bw_line line;   /* start and end are addresses in the GPU's space here */
	const char *line_text; /* of the source file; NULL when it cannot be read */
};
void bw_debug_where(struct bw_debug *d, uint64_t pc, struct bw_where *out);
/* An instruction that was executed earlier: its program may have ended, and its address may hold
 * other code now. */
struct bw_executed {
	uint64_t pc, start; /* start: where its wave began, a kernel's first instruction */
	const void *code;   /* the instruction's bytes */
	size_t code_b;
};
/* Symbol and line of such an instruction: in code of this session that had these bytes at the
 * address. Without such code, in the only kernel of a code object that has them at that distance
 * from its start. False: not known, or several kernels match. */
bool bw_debug_where_executed(struct bw_debug *d, const struct bw_executed *x, struct bw_where *out);
/* Addresses of a place as `break` takes it, "" for the focus wave's PC: in the code that is loaded.
 * Owned (free). */
struct bw_error *bw_debug_places(struct bw_debug *d, const char *where, uint64_t **out,
				 size_t *out_n) BW_MUST_CHECK;
/* The source line of a place, loaded or not. out_file is owned. */
struct bw_error *bw_debug_source_of(struct bw_debug *d, const char *where, char **out_file,
				    unsigned *out_line) BW_MUST_CHECK;
/* What "info line" says of a place: code without a gap, or why there is none. Without loaded code
 * that has the place, addresses are offsets in the image of a code object. */
struct bw_code_range {
	enum {
		BW_RANGE_CODE,
		BW_RANGE_EMPTY,	  /* no code: start is where that of the next line begins */
		BW_RANGE_OUTSIDE, /* after the last line of the file that has code */
		BW_RANGE_NO_LINE, /* the address `start` belongs to no line */
	} kind;
	const char *file; /* borrowed; NULL: NO_LINE */
	unsigned line;
	uint64_t start, end;
};
/* where: as `break` takes it; a function is its first line. At least one, owned (free). */
struct bw_error *bw_debug_line_ranges(struct bw_debug *d, const char *where,
				      struct bw_code_range **out, size_t *out_n) BW_MUST_CHECK;
/* Code objects and raw code in the GPU's memory, in the order in which they were found, including
 * code that was found in dispatches. False after the last one. */
struct bw_load_info {
	const char *name; /* path, or what a piece of raw code is called; borrowed */
	uint64_t va, size_b;
	bool has_symbols, has_lines;
};
bool bw_debug_load(struct bw_debug *d, size_t i, struct bw_load_info *out);
/* In the address space of that dispatch; 0: in the current one. */
void bw_debug_where_in(struct bw_debug *d, uint32_t dispatch, uint64_t pc, struct bw_where *out);
/* The place of a wave's PC, in whatever address space it runs. */
void bw_debug_wave_where(struct bw_debug *d, const struct bw_wave_info *w, struct bw_where *out);

/* The code around a PC. */
struct bw_frame {
	enum bw_language language;
	/* in the dispatch's kernel itself, not in a function that it calls, or that was inlined
	 * into it */
	bool is_kernel;
	bool has_params; /* the function around it has parameters */
	/* the innermost one of the source, else the symbol; NULL: not known */
	const char *function;
};
void bw_debug_frame(struct bw_debug *d, uint32_t dispatch, uint64_t pc, struct bw_frame *out);

/* "<saxpy+24>" for a code address, "" for others. */
void bw_debug_symbolize(struct bw_debug *d, uint64_t addr, char *out, size_t out_b);

/* ---- Disassembly ---- */

struct bw_dis_line {
	uint64_t addr;
	uint32_t words[3];
	uint8_t size_b;	      /* 4, 8, 12 */
	bool is_pc;	      /* of the selected frame */
	uint32_t breakpoint;  /* number, 0 if none */
	uint32_t waves_here;  /* stopped waves with this PC */
	const char *function; /* NULL: none */
	uint64_t offset_b;
	unsigned first_line; /* the first line of its file that has a row here; 0: none */
	struct bw_line line;
	char text[128];
};
/* Instructions from start: `count` of them, or up to `end` when count is 0. Stops early at memory
 * that cannot be read, and fails only when the first cannot. Owned by the caller (free). */
struct bw_error *bw_debug_disassemble(struct bw_debug *d, uint64_t start, uint64_t end,
				      size_t count, struct bw_dis_line **out,
				      size_t *out_n) BW_MUST_CHECK;
/* The function around addr: its bounds, in the GPU's space. */
struct bw_error *bw_debug_function_range(struct bw_debug *d, uint64_t addr, uint64_t *out_start,
					 uint64_t *out_end) BW_MUST_CHECK;

#endif
