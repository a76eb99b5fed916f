/* SPDX-License-Identifier: MIT */
#ifndef BW_PAGE_PAGE_H
#define BW_PAGE_PAGE_H

/* A page for a browser: one HTML file that refers to nothing outside of it. The functions here turn
 * what was collected into HTML, and know nothing of GPUs, crashes or sessions. All text that they
 * take may come from anywhere, and is escaped (html.h). Pure: nothing is read or printed. Out of
 * memory is remembered in `out` (base/str.h), which the caller owns. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "page/html.h"

struct bw_page {
	struct bw_str out;
};

/* ---- page.c: the page and its parts ---- */

/* Everything before the first section. title: "GPU crash of game". */
void bw_page_begin(struct bw_page *p, const char *title);
void bw_page_end(struct bw_page *p);
/* id: one word of ours, unique in the page. */
void bw_page_section(struct bw_page *p, const char *id, const char *title);
void bw_page_section_end(struct bw_page *p);
void bw_page_heading(struct bw_page *p, const char *text);
/* Begins a part that can be folded; the text is its summary. */
void bw_page_fold(struct bw_page *p, bool is_open, const char *fmt, ...) BW_PRINTF(3, 4);
void bw_page_fold_end(struct bw_page *p);
/* An element for each line of the text: <p>, <li>. */
void bw_page_lines(struct bw_page *p, const char *tag, const char *lines);
/* Like bw_page_lines, of text that has columns: a monospaced row for each line. */
void bw_page_rows(struct bw_page *p, const char *lines);
/* A remark, such as what is left out. */
void bw_page_note(struct bw_page *p, const char *fmt, ...) BW_PRINTF(2, 3);
/* Facts by name, in <table>; nothing where the value is "". */
void bw_page_fact(struct bw_page *p, const char *name, const char *value);

/* ---- tables ---- */

/* titles: of n columns; "" for a column without a title. */
void bw_page_table(struct bw_page *p, const char *const *titles, size_t n);
void bw_page_table_end(struct bw_page *p);
void bw_page_cell(struct bw_page *p, const char *fmt, ...) BW_PRINTF(2, 3);

/* ---- map.c: the GPU's wave slots ---- */

enum bw_page_wave {
	BW_PAGE_NO_WAVE,
	BW_PAGE_RUNNING,
	BW_PAGE_STOPPED,
	BW_PAGE_AT_BARRIER,
	BW_PAGE_AT_BREAK,
	BW_PAGE_FAULTED,
	BW_PAGE_WAVE_STATES
};
/* "at a barrier" */
const char *bw_page_wave_name(enum bw_page_wave state);
struct bw_page_slot {
	uint8_t state; /* enum bw_page_wave */
	bool is_focus;
	uint32_t wave;	   /* its number; 0: none */
	const char *place; /* where its code is; NULL: not known. Borrowed */
};
/* Slots are numbered ((((SE * sas + SA) * wgps + WGP) * simds + SIMD) * waves + WAVE. */
struct bw_page_map {
	uint32_t n_se, sa_per_se, wgp_per_sa, simd_per_wgp, waves_per_simd;
	const struct bw_page_slot *slots; /* of all these */
};
void bw_page_map(struct bw_page *p, const struct bw_page_map *m);

/* ---- code.c: lines of source, instructions, packets, the page walk ---- */

struct bw_page_line {
	const char *number; /* of the line, or the address */
	const char *text;
	const char *place;    /* "saxpy.s:20"; NULL: nothing is said */
	size_t n_waves, most; /* waves here; at the line that has the most of them */
	bool is_focus;	      /* the focus wave is here */
	unsigned breakpoint;  /* 0: none */
};
void bw_page_line(struct bw_page *p, const struct bw_page_line *l);

struct bw_page_packet {
	uint64_t at; /* place of its first word */
	const char *header, *name;
	size_t times;	  /* equal ones in a row; 0 or 1: one */
	const char *text; /* lines of what it does */
	size_t most;	  /* of these lines are shown */
	const char *why;  /* it is marked, and this is the reason; NULL: it is not */
	const char *note; /* the note beside it; NULL: none */
};
/* Returns how many lines of its text were shown. */
size_t bw_page_packet(struct bw_page *p, const struct bw_page_packet *k);

/* A tree in which each entry has led to the next one. depth: of the entries so far. */
enum bw_page_entry { BW_PAGE_GOOD, BW_PAGE_BAD, BW_PAGE_NEVER /* not reached */ };
struct bw_page_tree {
	unsigned depth;
};
void bw_page_tree_begin(struct bw_page *p, struct bw_page_tree *t, const char *root);
void bw_page_tree_entry(struct bw_page *p, struct bw_page_tree *t, enum bw_page_entry state,
			const char *text);
/* Back to the root. */
void bw_page_tree_restart(struct bw_page *p, struct bw_page_tree *t);
void bw_page_tree_end(struct bw_page *p, struct bw_page_tree *t);

/* ---- values.c: registers, numbers, pictures ---- */

/* A VGPR: its value in each of n lanes (32 or 64). Equal ones are shown once; those of lanes that
 * are not in exec are dim. Returns how many words were shown. */
size_t bw_page_vgpr(struct bw_page *p, const char *name, const uint32_t *values, unsigned n,
		    uint64_t exec);

/* Memory as numbers; of much of it, all but the first rows is folded. type: how they are shown
 * first, "f32" "i32" "u32" "f64" "i64" "u64" "f16" "i16" "u16" "i8" "u8"; "":
 * as words in hexadecimal. The reader can choose another one. */
struct bw_page_numbers {
	uint64_t va; /* of the first word */
	const uint32_t *words;
	size_t n;
	const char *type;
};
void bw_page_numbers(struct bw_page *p, const struct bw_page_numbers *x);

/* A picture in PNG, of that many pixels; small ones are enlarged. */
struct bw_page_picture {
	const uint8_t *png;
	size_t size_b;
	uint32_t width, height;
	const char *caption;
};
void bw_page_picture(struct bw_page *p, const struct bw_page_picture *x);

#endif
