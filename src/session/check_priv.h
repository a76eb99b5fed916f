/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_CHECK_PRIV_H
#define BW_SESSION_CHECK_PRIV_H

/* The findings of --check, as the virtual GPU reports them (vgpu/uapi/check_output.c). Each kind of
 * finding has a row of functions. Texts are borrowed from the report. */

#include "base/str.h"
#include "base/vec.h"
#include "debug/code.h"
#include "session/programs.h"
#include "session/suppress.h"

/* An access: one of the two of a race. */
struct bw_checked_side {
	const char *access, *name;
	uint64_t pc, start;
	uint32_t word[3];
	unsigned n_words;
	uint32_t group[3], wave, lane;
	uint32_t dispatch;   /* the so many-th of the GPU; 0: not known */
	uint32_t draw;	     /* the same, of draws; 0: it is a dispatch */
	const char *lane_is; /* of a draw: "pixel 3,4", or "" */
};

enum { BW_CHECKED_CALLERS = 3 };
/* An access outside of an object (exec/core/limits.h of the virtual GPU). */
struct bw_checked_bounds {
	const char *of, *name; /* name: of an allocation, or "" */
	uint64_t base, limit, more_lanes;
	int64_t at;
	uint32_t texel[4], extent[4];
	/* of an allocation: whether the program has freed it; the file of the program, or ""; the
	 * calls in it that made and freed the allocation, the innermost first */
	bool is_freed;
	const char *program;
	uint64_t made[BW_CHECKED_CALLERS], freed[BW_CHECKED_CALLERS];
};

struct bw_checked_kind;

struct bw_checked {
	const struct bw_checked_kind *kind;
	uint64_t number;	       /* from 1, in the order in which they were made */
	const char *relation, *memory; /* relation: of a race; else NULL */
	uint64_t times, vmid, lanes, va, size_b;
	bool has_pointer;
	uint32_t pointer_sgpr, pointer_offset;
	uint64_t pointer;
	struct bw_checked_bounds bounds;
	bool has_first;			 /* it has a place in code of the GPU */
	bool has_second, second_is_code; /* is_code: which wave and lane it was is not known */
	/* use: of a value that nobody has written, or how a barrier is missed; else NULL */
	const char *use, *reg;
	uint64_t missing; /* lanes that do not reach a barrier */
	struct bw_checked_side first, second;
};

struct bw_checked_kind {
	const char *name; /* the first field of its lines, and "kind" in JSON */
	/* the fields after those of all kinds */
	void (*take)(char **line, struct bw_checked *f);
	/* the first line of the text */
	void (*add_headline)(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f);
	/* the memory in question, in JSON */
	void (*add_target)(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f);
	/* the last line of the text: why, and what to do */
	const char *(*advice)(const struct bw_checked *f);
};
extern const struct bw_checked_kind bw_checked_race, bw_checked_bounds, bw_checked_init,
	bw_checked_sync, bw_checked_leak;
enum { BW_CHECKED_KINDS = 5 };
extern const struct bw_checked_kind *const bw_checked_kinds[BW_CHECKED_KINDS];

/* ---- check_bounds.c ---- */

/* "main at x.hip:12": where the program has made the object, or freed it. The caller
 * owns the text; NULL: not known. */
char *bw_checked_made(const struct bw_checked *f);
struct bw_host_place;
bool bw_checked_made_at(const struct bw_checked *f, struct bw_host_place *out);
char *bw_checked_freed(const struct bw_checked *f);

/* ---- check_races.c ---- */

/* A race between two dispatches, or a dispatch and a packet. */
bool bw_checked_is_of_dispatches(const struct bw_checked *f);

/* ---- check_read.c ---- */

struct bw_check_report {
	char gpu[16];
	char *data, *leaks;
	uint64_t what; /* enum bw_check_what */
	struct BW_VEC(struct bw_checked) findings;
	struct bw_suppressions suppressions;
	uint64_t n_suppressed; /* findings that are not in the list any more */
};

void bw_checked_take_side(char **line, struct bw_checked_side *s);
/* Findings are sorted by place. The caller frees *r, also after an error. */
struct bw_error *bw_check_report_read(struct bw_kmd *kmd, struct bw_check_report *r) BW_MUST_CHECK;
/* Adds what programs that have ended have left: leaks. */
struct bw_error *bw_check_report_read_leaks(struct bw_kmd *kmd,
					    struct bw_check_report *r) BW_MUST_CHECK;
void bw_check_report_fini(struct bw_check_report *r);

/* ---- check.c ---- */

/* The file of --suppress; none: nothing. */
struct bw_error *bw_check_suppressions(const struct bw_vgpu_options *o,
				       struct bw_suppressions *s) BW_MUST_CHECK;

/* Takes those away that a row of the file matches, which counts them. */
void bw_checked_suppress(struct bw_check_report *r, struct bw_debug *d, struct bw_suppressions *by);

/* ---- check_show.c ---- */

struct bw_executed bw_checked_executed(const struct bw_checked_side *s);
/* False, and *out is empty: the place is not known. */
bool bw_checked_where(struct bw_debug *d, const struct bw_checked_side *s, struct bw_where *out);
/* "LDS + 0x10 (tile[4])": the variable as far as it is known, at a place of the finding. */
void bw_checked_add_lds(struct bw_str *s, struct bw_debug *d, const struct bw_checked_side *side,
			uint64_t offset_b);
/* " in saxpy at saxpy.s:14", as far as the place is known. */
void bw_checked_add_place(struct bw_str *s, struct bw_debug *d, const struct bw_checked_side *side);
/* The instruction as text. gpu: "gfx1100" */
void bw_checked_instruction(const char *gpu, const struct bw_checked_side *s, char *out,
			    size_t size);
/* A finding as text of several lines. */
void bw_checked_show(struct bw_out *o, struct bw_debug *d, const struct bw_check_report *r,
		     const struct bw_checked *f);
/* All of them; races between the same two lines are one text. */
void bw_checked_show_all(struct bw_out *o, struct bw_debug *d, const struct bw_check_report *r);
/* All of them as a table; in text a line each. */
void bw_checked_table(struct bw_out *o, struct bw_debug *d, const struct bw_check_report *r);

#endif
