/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_SHOW_H
#define BW_UI_SHOW_H

/* The state of the debugger's core as text and JSON. One file for each subject: show_stop.c,
 * show_waves.c, show_registers.c, show_memory.c, show_code.c (breakpoints), show_value.c. Words and
 * forms are those that users of gdb and rocgdb know (doc/conventions.md 1 and 2). */

#include "base/cleanup.h"
#include "debug/breaks.h"
#include "debug/code.h"
#include "debug/debug.h"
#include "debug/dispatches.h"
#include "debug/expressions.h"
#include "debug/frames.h"
#include "debug/registers.h"
#include "debug/stop.h"
#include "debug/waves.h"
#include "ui/print_format.h"
#include "ui/out.h"

/* ---- show_stop.c ---- */
/* Shows the stop, its cause, and where the focus wave is now. brief: after a step of stepi. */
void bw_show_stop(struct bw_out *o, struct bw_debug *d, const struct bw_stop *s, bool brief);
/* Adds the facts of a place: function, offset, file and line, as far as known, with the same names
 * in every object. */
void bw_show_place_facts(struct bw_out *o, const struct bw_where *where);
/* The facts of bw_show_place_facts for a table. where: a struct bw_where in its elements. */
/* clang-format off */
#define BW_PLACE_FACTS(type, where)                                                                \
	{NULL, "function", "text?", BW_OF(type, where.function)},                                  \
	{NULL, "offset", "count?", BW_OF(type, where.offset_b), BW_IF(type, where.function)},      \
	{NULL, "file", "text?", BW_OF(type, where.line.file), BW_IF(type, where.has_line)},        \
	{NULL, "line", "count?", BW_OF(type, where.line.line), BW_IF(type, where.has_line)}
/* clang-format on */
/* Appends "saxpy () at saxpy.s:14" or "0x7f001018 in ?? ()". */
void bw_show_frame(struct bw_debug *d, const struct bw_wave_info *w, bool with_args,
		   struct bw_str *out);
/* Shows the instruction at pc: "=> 0x7ffe1018 <saxpy+24>:  s_waitcnt lgkmcnt(0)". */
void bw_show_instruction(struct bw_out *o, struct bw_debug *d, uint64_t pc);
/* The name of a watchpoint's kind: "Hardware watchpoint" or "Watchpoint". */
const char *bw_watch_kind_text(const struct bw_break_info *b);
/* Explains this wave's memory violation. */
void bw_show_fault(struct bw_out *o, struct bw_debug *d, uint32_t wave);

/* Tells the user if the wave is in whole-wave code (bw_wave_info.whole_wave). */
void bw_show_whole_wave(struct bw_out *o, const struct bw_wave_info *w);

/* ---- show_queues.c ---- */
/* The AQL queues of the programs: a table, and a paragraph for each that does not go on. */
struct bw_error *bw_show_queues(struct bw_out *o, struct bw_debug *d) BW_MUST_CHECK;
/* Only the paragraphs; nothing where no queue stands. */
void bw_show_standing_queues(struct bw_out *o, struct bw_debug *d);

/* ---- show_frames.c ---- */
/* Appends a frame without its level: "scale (...) at scale.cl:5", "0x7f001018 in outer (...) at
 * nest.cl:4". */
void bw_show_stack_frame(struct bw_debug *d, const struct bw_stack_frame *f, struct bw_str *out);
/* Like bw_show_stack_frame, with its level first: "#1 main (...) at nest.cl:7", and its parts in
 * JSON. */
void bw_show_frame_line(struct bw_out *o, struct bw_debug *d, const struct bw_stack_frame *f);
/* A frame as JSON; a new reference. */
json_t *bw_stack_frame_json(const struct bw_stack_frame *f);
/* Shows "4\tint x = inner(a);", or that the file is missing. */
void bw_show_source_line(struct bw_out *o, struct bw_debug *d, const char *file, unsigned line);
/* Like bw_show_source_line, for the place of a frame. */
void bw_show_frame_source(struct bw_out *o, struct bw_debug *d, const struct bw_stack_frame *f);

/* ---- show_waves.c ---- */
/* Shows the waves. all: a row for each wave; otherwise more than a screenful of waves is grouped by
 * place. */
void bw_show_waves(struct bw_out *o, struct bw_debug *d, bool all);
void bw_show_inferiors(struct bw_out *o, struct bw_debug *d);
struct bw_error *bw_show_wave_count(struct bw_out *o, struct bw_debug *d) BW_MUST_CHECK;
void bw_show_wave(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w);
void bw_show_dispatches(struct bw_out *o, struct bw_debug *d);
struct bw_error *bw_show_kernel(struct bw_out *o, struct bw_debug *d,
				const struct bw_dispatch_info *info) BW_MUST_CHECK;

/* ---- show_lanes.c ---- */
/* Shows lanes, a row for each. */
void bw_show_lanes(struct bw_out *o, struct bw_debug *d, unsigned first, unsigned last,
		   bool only_active);
/* Writes the work-items of lanes in their workgroup, "[0,0,0]-[7,0,0] [12,0,0]"; only the first
 * few. */
void bw_show_items(struct bw_debug *d, const struct bw_wave_info *w, uint64_t lanes,
		   struct bw_str *out);
/* Shows why lanes are inactive. Lanes in the same state for the same reason, and with the same
 * value of expr (NULL: no expression), share a row. */
struct bw_error *bw_show_divergence(struct bw_out *o, struct bw_debug *d, const char *expr,
				    char letter) BW_MUST_CHECK;

/* ---- show_draws.c ---- */
struct bw_draws_target;
struct bw_error *bw_show_draws(struct bw_out *o, struct bw_debug *d) BW_MUST_CHECK;
/* Appends "color 0 64x48 8_8_8_8_UNORM "shadow map"". */
void bw_show_draw_target(struct bw_debug *d, const struct bw_draws_target *t, struct bw_str *out);
/* The inputs of the focus lane's vertex or pixel. */
struct bw_error *bw_show_inputs(struct bw_out *o, struct bw_debug *d,
				const struct bw_wave_info *w) BW_MUST_CHECK;
/* What the focus lane's vertex or pixel has put out so far. */
struct bw_error *bw_show_outputs(struct bw_out *o, struct bw_debug *d,
				 const struct bw_wave_info *w) BW_MUST_CHECK;
struct bw_error *bw_show_pixel_history(struct bw_out *o, struct bw_debug *d) BW_MUST_CHECK;
/* The tables of these commands; the caller ends *t after success (bw_table_fini). Attributes:
 * number, value, value at each corner. Exports: name, value. */
struct bw_error *bw_table_draws(struct bw_table *t, struct bw_debug *d) BW_MUST_CHECK;
struct bw_error *bw_table_attributes(struct bw_table *t, struct bw_debug *d,
				     const struct bw_wave_info *w) BW_MUST_CHECK;
struct bw_error *bw_table_exports(struct bw_table *t, struct bw_debug *d,
				  const struct bw_wave_info *w) BW_MUST_CHECK;
struct bw_error *bw_table_pixel_history(struct bw_table *t, struct bw_debug *d) BW_MUST_CHECK;

/* ---- show_dispatch.c ---- */
const char *bw_show_dispatch_state(struct bw_debug *d, const struct bw_dispatch_info *x);
/* Writes "[64,1,1]", or "from memory" for an indirect dispatch. */
void bw_show_dims(char out[48], const uint32_t v[3]);
/* The same values as JSON, [64, 1, 1] or null; a new reference. */
json_t *bw_dims_json(const uint32_t v[3]);
void bw_table_dims(struct bw_table *t, const uint32_t v[3]);
void bw_show_submissions(struct bw_out *o, struct bw_debug *d);
struct bw_error *bw_show_pipelines(struct bw_out *o, struct bw_debug *d) BW_MUST_CHECK;
struct bw_error *bw_show_dispatch(struct bw_out *o, struct bw_debug *d,
				  const struct bw_dispatch_info *x) BW_MUST_CHECK;
struct bw_error *bw_show_descriptors(struct bw_out *o, struct bw_debug *d,
				     const struct bw_dispatch_info *x) BW_MUST_CHECK;
/* Shows the buffers. x: the dispatch for the column "bound at"; may be NULL. */
struct bw_error *bw_show_buffers(struct bw_out *o, struct bw_debug *d,
				 const struct bw_dispatch_info *x) BW_MUST_CHECK;
struct bw_error *bw_show_buffer(struct bw_out *o, struct bw_debug *d, uint32_t number,
				const struct bw_dispatch_info *x) BW_MUST_CHECK;

/* ---- show_report.c ---- */
/* Shows a report of the focus wave, or of all stopped waves, with all their state. */
struct bw_error *bw_show_report(struct bw_out *o, struct bw_debug *d, bool all) BW_MUST_CHECK;

/* ---- show_registers.c ---- */
struct bw_error *bw_show_registers(struct bw_out *o, struct bw_debug *d,
				   bool vgprs_too) BW_MUST_CHECK;
struct bw_error *bw_show_register(struct bw_out *o, struct bw_debug *d,
				  struct bw_wave_reg r) BW_MUST_CHECK;
struct bw_error *bw_show_vgprs(struct bw_out *o, struct bw_debug *d) BW_MUST_CHECK;

/* ---- show_value.c ---- */
/* Appends the value without its name; letter 0: in its own form. */
void bw_show_value(struct bw_debug *d, const struct bw_value *v, char letter, struct bw_str *out);
/* Appends an argument's launch value, or why it has none: "<the type params is not known; ...>". */
void bw_show_arg(struct bw_debug *d, const struct bw_arg_info *a, char letter, struct bw_str *out);
/* Adds "value" and "value_type" to the current JSON object. */
void bw_show_value_json(struct bw_out *o, struct bw_debug *d, const struct bw_value *v);
/* The bits as a JSON number of v's type; a new reference. */
json_t *bw_show_number_json(const struct bw_value *v, uint64_t bits);

/* ---- show_memory.c ---- */
/* Shows memory as x/NFU does. out_next: the address after what was shown. */
struct bw_error *bw_show_memory(struct bw_out *o, struct bw_debug *d, enum bw_space space,
				uint64_t addr, const struct bw_print_format *f,
				uint64_t *out_next) BW_MUST_CHECK;

/* ---- show_disassembly.c ---- */
enum {
	BW_DIS_SOURCE = 1,  /* /s: with source lines, in the order of addresses */
	BW_DIS_RAW = 2,	    /* /r: with the instructions' bytes */
	BW_DIS_BY_LINE = 4, /* /m: in the order of source lines */
};
struct bw_code_listing {
	const struct bw_dis_line *lines;
	size_t n;
	unsigned flags;
	bool is_range; /* a range that the user gave; false: a function */
	uint64_t start, end;
};
void bw_show_code(struct bw_out *o, struct bw_debug *d, const struct bw_code_listing *c);

/* ---- show_code.c ---- */
/* The commands that run when a breakpoint stops the program; NULL and 0: none. */
typedef const char *const *bw_commands_fn(void *cookie, uint32_t breakpoint, size_t *out_n);
/* The addresses of a breakpoint as a JSON array; a new reference. */
json_t *bw_addresses_json(const struct bw_break_info *b);
void bw_show_breakpoints(struct bw_out *o, struct bw_debug *d, bool only_watch,
			 bw_commands_fn *commands, void *cookie);

/* Adds to an expression's error the text of the expression and a mark at the error's place. Frees
 * err. */
struct bw_error *bw_show_expr_error(struct bw_error *err, const char *text,
				    const struct bw_expr_error *where) BW_MUST_CHECK;

#endif
