/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_CHECK_PRIV_H
#define BW_SESSION_CHECK_PRIV_H

/* The findings of --check, as the virtual GPU reports them (vgpu/uapi/check_output.c). Each kind of
 * finding has a row of functions. Texts are borrowed from the report. */

#include "base/str.h"
#include "base/vec.h"
#include "debug/code.h"

/* An access: one of the two of a race. */
struct bw_checked_side {
	const char *access, *name;
	uint64_t pc, start;
	uint32_t word[3];
	unsigned n_words;
	uint32_t group[3], wave, lane;
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
	const char *relation, *memory; /* relation: of a race; else NULL */
	uint64_t times, vmid, lanes, va, size_b;
	bool has_pointer;
	uint32_t pointer_sgpr, pointer_offset;
	uint64_t pointer;
	struct bw_checked_bounds bounds;
	bool has_second, second_is_code; /* is_code: which wave and lane it was is not known */
	/* use: of a value that nobody has written, or how a barrier is missed; else NULL */
	const char *use, *reg;
	uint64_t missing; /* lanes that do not reach a barrier */
	struct bw_checked_side first, second;
};

struct bw_checked_kind {
	const char *name; /* the first field of its lines, and "kind" in JSON */
	void (*take)(char **line, struct bw_checked *f);
	/* the first line of the text */
	void (*add_headline)(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f);
	/* the memory in question, in JSON */
	void (*add_target)(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f);
	/* the last line of the text: why, and what to do */
	const char *(*advice)(const struct bw_checked *f);
};
extern const struct bw_checked_kind bw_checked_race, bw_checked_bounds, bw_checked_init,
	bw_checked_sync;

/* ---- check_bounds.c ---- */

/* "main at x.hip:12": where the program has made the object, or freed it. The caller
 * owns the text; NULL: not known. */
char *bw_checked_made(const struct bw_checked *f);
char *bw_checked_freed(const struct bw_checked *f);

/* ---- check.c ---- */

void bw_checked_take_side(char **line, struct bw_checked_side *s);
struct bw_executed bw_checked_executed(const struct bw_checked_side *s);

#endif
