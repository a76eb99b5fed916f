/* SPDX-License-Identifier: MIT */
#ifndef BW_TUI_VIEWS_H
#define BW_TUI_VIEWS_H

/* The content of each window: `load` takes it from the debugger's state, `page` makes lines of it.
 * Nothing here depends on a terminal. A value that cannot be read is left out, without an error:
 * the screen is drawn again after each command. */

#include "debug/code.h"
#include "debug/debug.h"
#include "debug/registers.h"
#include "debug/waves.h"
#include "debug/value.h"
#include "tui/page.h"
#include "ui/print_format.h"

/* ---- marks.c: the margin of code ---- */

/* A line of source, or an address, with the number of stopped waves there, and a breakpoint. */
struct bw_tui_mark {
	uint64_t at;
	uint32_t n_waves;
	bool has_break, is_enabled, was_hit;
};
struct bw_tui_marks BW_VEC(struct bw_tui_mark);
/* The marks of a source file, by line; code of an inlined function counts at its own lines. */
struct bw_error *bw_tui_marks_of_lines(struct bw_debug *d, const char *file,
				       struct bw_tui_marks *out) BW_MUST_CHECK;
/* The marks of code, by address, in the current address space. */
struct bw_error *bw_tui_marks_of_code(struct bw_debug *d, struct bw_tui_marks *out) BW_MUST_CHECK;
/* The one at a place; all zero: there is none. */
struct bw_tui_mark bw_tui_mark_at(const struct bw_tui_marks *m, uint64_t at);
/* "B+>    8w": breakpoint (B where it was hit, else b; + or - enabled or not), the selected frame,
 * number of waves. BW_TUI_MARGIN columns. */
enum { BW_TUI_MARGIN = 10 };
void bw_tui_add_margin(struct bw_tui_line *l, const struct bw_tui_mark *m, bool is_current);

/* ---- view_source.c ---- */

/* Text of a line, from 1; NULL: it cannot be read. */
typedef const char *bw_tui_text_fn(void *cookie, const char *file, unsigned line);
struct bw_tui_source {
	char *file;    /* owned; NULL: there is none */
	unsigned line; /* of the selected frame; 0: it is not in this file */
	unsigned near; /* the line to show at first */
	size_t n_lines;
	struct bw_tui_marks marks;
	bw_tui_text_fn *text;
	void *cookie;
};
void bw_tui_source_load(struct bw_debug *d, struct bw_tui_source *out);
void bw_tui_source_fini(struct bw_tui_source *s);
void bw_tui_source_page(const struct bw_tui_source *s, struct bw_tui_page *p);

/* ---- view_code.c: assembly ---- */

struct bw_tui_code {
	struct bw_dis_line *lines; /* owned */
	size_t n, current;	   /* SIZE_MAX: the selected frame is not in them */
	char *name;		   /* owned; of the function, or NULL */
	struct bw_tui_marks marks;
	/* the disassembled code, to do it again only if that has changed */
	uint64_t start, end;
	uint8_t *bytes; /* owned */
};
/* s is what it was, or all zero. */
void bw_tui_code_load(struct bw_debug *d, struct bw_tui_code *s);
void bw_tui_code_fini(struct bw_tui_code *s);
void bw_tui_code_page(const struct bw_tui_code *s, struct bw_tui_page *p);

/* ---- view_registers.c ---- */

struct bw_tui_register {
	char name[16];
	uint64_t value;
	uint8_t digits;	 /* 0: decimal */
	char text[96];	 /* its meaning: symbol, flags; "" for none */
	bool is_changed; /* since the last stop of this wave */
	enum { BW_TUI_REGS_MAIN, BW_TUI_REGS_SGPRS, BW_TUI_REGS_VGPRS } group;
};
struct bw_tui_registers {
	struct BW_VEC(struct bw_tui_register) list;
	uint32_t wave; /* 0: none */
	unsigned lane; /* whose VGPRs they are */
};
/* before: as they were at the last stop. */
void bw_tui_registers_load(struct bw_debug *d, const struct bw_tui_registers *before,
			   struct bw_tui_registers *out);
void bw_tui_registers_fini(struct bw_tui_registers *s);
void bw_tui_registers_page(const struct bw_tui_registers *s, struct bw_tui_page *p);

/* ---- view_lanes.c ---- */

/* A column of values: a variable of the selected frame, or a VGPR. */
enum { BW_TUI_CELL_B = 40 }; /* "private_lane#0x" and 16 digits have room */
struct bw_tui_lane_column {
	char name[24];
	bool is_variable;	      /* else a VGPR */
	char text[64][BW_TUI_CELL_B]; /* of each lane */
};
/* The lanes of the focus wave. Those that are shown alike share a row. */
struct bw_tui_lanes {
	uint32_t wave;
	unsigned n, focus; /* n 0: there is no wave */
	uint64_t exec, has_item;
	struct BW_VEC(struct bw_tui_lane_column *) columns; /* owned */
};
void bw_tui_lanes_load(struct bw_debug *d, struct bw_tui_lanes *out);
void bw_tui_lanes_fini(struct bw_tui_lanes *s);
/* p->left is the first column of values. */
void bw_tui_lanes_page(const struct bw_tui_lanes *s, struct bw_tui_page *p);

/* ---- view_waves.c ---- */

enum bw_tui_wave_state {
	BW_TUI_WAVE_NONE,
	BW_TUI_WAVE_RUNNING,
	BW_TUI_WAVE_STOPPED,
	BW_TUI_WAVE_AT_BARRIER,
	BW_TUI_WAVE_AT_BREAK, /* or a watchpoint */
	BW_TUI_WAVE_FAULTED,
};
struct bw_tui_map {
	struct bw_target_facts facts;
	uint8_t *state; /* owned; of each slot: enum bw_tui_wave_state. NULL: there is no GPU */
	uint32_t focus; /* slot; UINT32_MAX: none */
};
void bw_tui_map_load(struct bw_debug *d, struct bw_tui_map *out);
/* Waves have been resumed: those of the map that are not stopped any more run. */
void bw_tui_map_resumed(struct bw_debug *d, struct bw_tui_map *s);
void bw_tui_map_fini(struct bw_tui_map *s);
enum { BW_TUI_MAP_HEAD = 2 /* lines that are not scrolled */ };
void bw_tui_map_page(const struct bw_tui_map *s, struct bw_tui_page *p);
/* The line of the focus wave on a page of that width; SIZE_MAX: none. */
size_t bw_tui_map_line(const struct bw_tui_map *s, unsigned columns);

/* ---- view_draws.c ---- */

struct bw_tui_draws {
	struct bw_str text; /* a line of titles, and one for each draw */
	size_t n, current;  /* draws; that of the focus wave, SIZE_MAX: none */
};
void bw_tui_draws_load(struct bw_debug *d, struct bw_tui_draws *out);
void bw_tui_draws_fini(struct bw_tui_draws *s);
enum { BW_TUI_DRAWS_HEAD = 1 /* lines that are not scrolled */ };
void bw_tui_draws_page(const struct bw_tui_draws *s, struct bw_tui_page *p);

/* ---- view_memory.c ---- */

/* Memory from where an expression says that it is, which is asked again at each load. */
enum { BW_TUI_MEMORY_B = 4096 };
struct bw_tui_memory {
	char *expr; /* owned; NULL: none was chosen */
	struct bw_print_format format;
	enum bw_space space;
	uint64_t addr;
	uint32_t wave; /* the wave of LDS, the lane of scratch */
	unsigned lane;
	size_t n; /* bytes that could be read; 0: see why */
	uint8_t bytes[BW_TUI_MEMORY_B];
	bool is_changed[BW_TUI_MEMORY_B]; /* since the last stop, of the same address */
	char why[160];
};
/* before: as it was at the last stop. format: a letter and a unit as x has them, and a count where
 * only so many units are to be shown; not i or s. expr NULL: nothing is to be shown. */
void bw_tui_memory_load(struct bw_debug *d, const char *expr, const struct bw_print_format *format,
			const struct bw_tui_memory *before, struct bw_tui_memory *out);
void bw_tui_memory_fini(struct bw_tui_memory *s);
void bw_tui_memory_page(const struct bw_tui_memory *s, struct bw_tui_page *p);

/* ---- view_status.c ---- */

/* The line above the command window: which wave and lane, and where they are. */
void bw_tui_status_line(struct bw_debug *d, bool is_running, struct bw_tui_line *out);

#endif
