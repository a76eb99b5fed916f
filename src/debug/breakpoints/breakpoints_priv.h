/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_BREAKPOINTS_PRIV_H
#define BW_DEBUG_BREAKPOINTS_PRIV_H

/* Breakpoints of every kind: places in code, watchpoints, dispatches, exceptions; and the s_traps
 * that they put into code. */

#include "debug/breaks.h"
#include "debug/debug_priv.h"
#include "isa/inst.h"

struct bw_dispatch_record;
struct bw_module;
struct bw_wave_access;
struct bw_wave_record;

enum bw_where_kind { BW_WHERE_SYMBOL, BW_WHERE_LINE, BW_WHERE_ADDRESS };
/* A place as named before "if", not yet resolved. */
struct bw_where_spec {
	enum bw_where_kind kind;
	char *name; /* symbol, or file; owned */
	unsigned line;
	bool plain;	   /* SYMBOL without +OFFSET: after the prologue */
	uint64_t offset_b; /* SYMBOL: from it; ADDRESS: the address */
};
void bw_where_spec_fini(struct bw_where_spec *s);
/* text: the place alone. */
struct bw_error *bw_where_parse(struct bw_debug *d, const char *text,
				struct bw_where_spec *out) BW_MUST_CHECK;
/* Addresses of the place in every load of every module in d->space; appends to out. */
struct bw_addr_vec BW_VEC(uint64_t);
struct bw_error *bw_where_resolve(struct bw_debug *d, const struct bw_where_spec *s,
				  struct bw_addr_vec *out) BW_MUST_CHECK;
/* Like bw_where_resolve, in one module whose image lies at base, loaded or not. */
struct bw_error *bw_where_in_module(struct bw_module *m, const struct bw_where_spec *s,
				    uint64_t base, struct bw_addr_vec *out) BW_MUST_CHECK;
/* BW_E_NOT_FOUND with the nearest names when some code is known and none has the place. */
struct bw_error *bw_where_check(struct bw_debug *d, const struct bw_where_spec *s) BW_MUST_CHECK;

/* Why a line of a shader's source has no place in the code that is there, as a clause without a
 * capital; false: nothing is known of the file. */
bool bw_where_why_not(struct bw_debug *d, const struct bw_where_spec *s, char *out, size_t out_b);

struct bw_variables_frame;
/* Where variables are looked up for a condition at this place; false: its code is not known, or has
 * no debug information. */
bool bw_where_scope(struct bw_debug *d, const struct bw_where_spec *s,
		    struct bw_variables_frame *out);

/* A dispatch that a breakpoint on dispatches matches. */
struct bw_catch {
	uint32_t dispatch, space;
	uint64_t va; /* of its code */
	bool late;   /* it was running when the breakpoint was set, and may have begun */
	bool caught; /* it has stopped at the breakpoint, at this count of continues: */
	uint64_t continues;
};

/* A place in code. The same address in another address space is another place. */
struct bw_place_va {
	uint32_t space;
	uint64_t va;
};

/* How often the debugger has tested the condition, without a pause (hits.c). */
struct bw_break_tests {
	uint64_t n, since_ms, last_ms, told_ms;
	uint64_t error_at; /* continues that there had been when its error was reported, + 1 */
};

struct bw_dispatch_filter;
struct bw_break {
	struct bw_break_info info;
	char *spec, *condition;
	struct bw_where_spec where;
	uint32_t where_space;			  /* the address space; 0: not known yet */
	struct BW_VEC(struct bw_place_va) places; /* resolved */
	struct bw_addr_vec addr;		  /* of them; info.addr */
	struct bw_watchpoint *watch;		  /* NULL: no watchpoint */
	/* on dispatches (catch.c): NULL for other breakpoints */
	struct bw_dispatch_filter *filter;
	struct BW_VEC(struct bw_catch) catches;
	struct bw_break_tests tests;
	bool told_refused;  /* that it cannot be inserted, in this run or since it was enabled */
	bool told_no_lines; /* why its line of a shader has no place */
};

/* Fields of watchpoints (watch.c). */
struct bw_watchpoint {
	/* type and place of what is watched, and its value when last read */
	struct bw_value old;
	uint32_t space;
	/* in memory the place is fixed: global memory, or the LDS of the wave's workgroup. size_b
	 * 0: not in memory */
	enum bw_space memory;
	uint64_t va;
	uint32_t size_b;
	uint32_t wave; /* software: its number, and the lane; its group, which shares its LDS */
	unsigned lane;
	uint32_t dispatch, workgroup[3];
	/* of an expression with local variables: the code of their function, and where its caller
	 * continues, 0: a kernel's, or not known */
	bool has_scope, caller_has_s32;
	uint64_t scope_start, scope_end, caller_pc;
	uint32_t caller_s32;
	/* the value when everything stopped, before the user could change it */
	struct bw_value at_stop;
	bool has_at_stop;
	bool was_hit;
	struct bw_watch_hit hit; /* the last one */
};

/* An s_trap in the code: one for each address, however many breakpoints want it. */
struct bw_patch {
	uint32_t space;
	uint64_t va;
	unsigned refs;
	struct bw_inst inst; /* what it replaces */
	uint64_t copy_va;    /* [inst][s_trap DISPLACED]; 0 until first needed */
	uint32_t cell;
	/* tested by the trap handler (filters.c): number of the filter + 1, 0 for
	 * none */
	uint8_t filter;
	uint64_t filter_va;
	uint32_t *filter_code; /* owned */
	size_t filter_dw;
};

/* Where a step ends. va 0: nowhere. */
enum { BW_INTERNAL_PLACES = 65 }; /* as many as a line has, and where the function returns to */
struct bw_internal_place {
	uint64_t va;
	/* only when s32 is this: the same place is passed in calls of the function by itself */
	bool has_s32;
	uint32_t s32;
};

struct bw_breaks {
	struct BW_VEC(struct bw_break *) all;
	struct BW_VEC(struct bw_break_info) list; /* the array that bw_debug_breakpoints returned */
	uint32_t last_number;
	bw_passing_fn *passing;
	void *passing_cookie;
	bw_deciding_fn *deciding;
	void *deciding_cookie;
	struct BW_VEC(struct bw_patch) patches;
	uint32_t n_cells; /* for copies of instructions, that have been given to patches */
	struct bw_u32_vec free_cells;
	bool filters_dirty;
	uint64_t filters_used, filters_retired; /* a bit each */
	/* temporary breakpoints of a step: they stop only this wave */
	struct bw_internal_place internal[BW_INTERNAL_PLACES];
	uint32_t internal_wave;
	int precise; /* asked for: 1 on, 0 off, -1 nothing (exceptions.c) */
};
void bw_breaks_init(struct bw_breaks *breaks);
void bw_breaks_fini(struct bw_breaks *breaks);
/* Drops what is in an address space that no longer exists, 0: in all of them: places, which are
 * pending then, their s_traps, and watchpoints. */
void bw_breaks_forget(struct bw_debug *d, uint32_t space);

/* breakpoints.c */
/* Adds the places that new loads bring, and inserts those of enabled breakpoints. */
void bw_debug_resolve_breaks(struct bw_debug *d);
/* In d->space. */
struct bw_patch *bw_debug_patch_at(struct bw_debug *d, uint64_t va);
/* The s_trap that replaces an instruction. */
uint32_t bw_patch_word(const struct bw_debug *d, const struct bw_patch *p, unsigned id);
struct bw_error *bw_debug_patch_ref(struct bw_debug *d, uint64_t va) BW_MUST_CHECK;
void bw_debug_patch_unref(struct bw_debug *d, uint64_t va);
void bw_break_free(struct bw_break *b);
/* Whether this is one of its places. */
bool bw_break_is_at(const struct bw_break *b, uint32_t space, uint64_t va);
/* Which breakpoint stops this wave at its PC: counts the hit. 0: none, the wave should be
 * resumed. */
uint32_t bw_debug_break_hit(struct bw_debug *d, struct bw_wave_record *w, uint64_t *out_lanes);
/* Whether none of those at its PC stops it before a condition has been tested. */
bool bw_break_is_conditional(struct bw_debug *d, const struct bw_wave_record *w);
/* Deletes temporary breakpoints that have stopped a wave at this stop. */
void bw_debug_drop_temporaries(struct bw_debug *d, uint32_t number);
struct bw_break *bw_debug_break_priv(struct bw_debug *d, uint32_t number);

/* For other kinds of breakpoints: splits "... [wave N] [if EXPR]"; out_condition points into text.
 */
struct bw_error *bw_break_split(char *text, char **out_condition, uint32_t *out_wave) BW_MUST_CHECK;
struct bw_error *bw_break_check_condition(struct bw_debug *d, const char *expr) BW_MUST_CHECK;
/* Numbers b and puts it into the table; freed on failure. */
struct bw_error *bw_break_add(struct bw_debug *d, struct bw_break *b,
			      uint32_t *out_number) BW_MUST_CHECK;
/* This wave hits b with `lanes`: evaluates condition and ignore count, and counts the hit. False:
 * the wave is resumed. */
bool bw_break_counts(struct bw_debug *d, struct bw_break *b, struct bw_wave_record *w,
		     uint64_t *lanes);

/* catch.c */
struct bw_error *bw_dispatch_filter_parse(const char *text,
					  struct bw_dispatch_filter **out) BW_MUST_CHECK;
void bw_dispatch_filter_free(struct bw_dispatch_filter *f);
/* A dispatch is held: inserts the breakpoints that match it. */
void bw_catch_new_dispatch(struct bw_debug *d, const struct bw_dispatch_record *x);
/* b is new, or enabled again: matches it against the dispatches that have not begun, held ones and
 * those after stopped ones in a submission that runs; says so where it holds only later. */
void bw_catch_again(struct bw_debug *d, struct bw_break *b);
/* A dispatch has ended: says which breakpoints should have stopped it, and could not. */
void bw_catch_on_done(struct bw_debug *d, const struct bw_dispatch_record *x);
/* The program has ended: says which breakpoints have matched none of its dispatches. */
void bw_catch_tell_unmatched(struct bw_debug *d);
/* The program has ended: forgets the numbers of its dispatches, and counts them anew. */
void bw_catch_forget(struct bw_break *b);
/* Whether b stops this wave, which is at one of its places. */
bool bw_catch_hit(struct bw_debug *d, struct bw_break *b, const struct bw_wave_record *w);
/* Removes places that no running dispatch needs any more. */
void bw_catch_sweep(struct bw_debug *d);
/* Whether a dispatch of this submission is to be stopped while an earlier one runs the same
 * code. */
bool bw_catch_is_ambiguous(struct bw_debug *d, uint32_t submission);

/* filters.c */
/* Marks filters as out of date: something that conditions depend on has changed. */
void bw_filter_dirty(struct bw_debug *d);
/* Before waves run on. */
struct bw_error *bw_filters_update(struct bw_debug *d) BW_MUST_CHECK;
void bw_filter_drop(struct bw_debug *d, struct bw_patch *p);
/* The PC to show for one in the copy of an instruction that waves execute when a filter rejects
 * them. */
uint64_t bw_filter_pc(struct bw_debug *d, uint64_t pc);
bool bw_filter_is_trap(unsigned trap_id);

/* watch.c */
void bw_watchpoint_free(struct bw_watchpoint *p);
/* Deletes the watchpoints of an address space that is gone; 0: all. */
void bw_watch_forget(struct bw_debug *d, uint32_t space);
/* Takes or frees the watch register of b, as it is enabled or disabled. */
struct bw_error *bw_watch_apply(struct bw_debug *d, struct bw_break *b, bool on) BW_MUST_CHECK;
/* The wave says that these watch registers were hit, a bit each. */
void bw_watch_examine(struct bw_debug *d, struct bw_wave_record *w, unsigned registers);
/* Called when everything has stopped, and (settle) before it is resumed: values that the user has
 * written meanwhile are those that watched values are compared with. */
void bw_watch_at_stop(struct bw_debug *d);
void bw_watch_settle(struct bw_debug *d);
/* The first watchpoint whose value has changed since it was last looked at, of those that wave w is
 * stepped for; 0: none. a: what the instruction that it has just made accesses. out_own is false
 * where another wave must have changed it. */
uint32_t bw_watch_software_hit(struct bw_debug *d, struct bw_wave_record *w,
			       const struct bw_wave_access *a, bool *out_own);
/* b is a software watchpoint, and this the wave that is stepped for it; where it watches LDS, one
 * of those that share it. */
bool bw_watch_is_for(const struct bw_break *b, const struct bw_wave_record *w);
/* Whether a software watchpoint wants this stopped wave stepped. */
bool bw_watch_wants(struct bw_debug *d, const struct bw_wave_record *w);

/* watch_scope.c */
/* Sets the scope where the expression names local variables of the selected frame. */
void bw_watch_find_scope(struct bw_debug *d, struct bw_watchpoint *p, const char *expr);
/* w is in another function than the variables: the names mean something else there. */
bool bw_watch_is_outside(const struct bw_watchpoint *p, const struct bw_wave_record *w);
/* Deletes watchpoints that w is stepped for whose function it has left, and says so. True: there
 * was one. */
bool bw_watch_end_scopes(struct bw_debug *d, struct bw_wave_record *w);

/* exceptions.c */
/* A new target: sets on it what was asked for before, and says what it cannot do. */
struct bw_error *bw_excp_begin(struct bw_debug *d) BW_MUST_CHECK;
/* Works out anew which exceptions waves trap for. */
struct bw_error *bw_excp_update(struct bw_debug *d) BW_MUST_CHECK;
/* The register with EXCP_EN, without what we put into it. */
uint32_t bw_excp_own_enables(struct bw_debug *d, const struct bw_wave_record *w, uint32_t raw);
/* The wave is about to be resumed: makes it trap for the exceptions that are enabled now. */
struct bw_error *bw_excp_sync(struct bw_debug *d, struct bw_wave_record *w) BW_MUST_CHECK;
/* The wave has stopped: restores the exception flags that were cleared when it was resumed. */
struct bw_error *bw_excp_restore_flags(struct bw_debug *d, struct bw_wave_record *w) BW_MUST_CHECK;
/* The wave is to be left with exceptions of its own; all of them are. */
struct bw_error *bw_excp_write_own(struct bw_debug *d, struct bw_wave_record *w) BW_MUST_CHECK;
void bw_excp_remove_ours(struct bw_debug *d);
/* The number of the catchpoint for these exceptions; 0: none. */
uint32_t bw_excp_hit(struct bw_debug *d, struct bw_wave_record *w, uint32_t excp, bool *out_resume);

#endif
