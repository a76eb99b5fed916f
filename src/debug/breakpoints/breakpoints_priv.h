/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_BREAKPOINTS_PRIV_H
#define BW_DEBUG_BREAKPOINTS_PRIV_H

/* Breakpoints of every kind: places in code, watchpoints, dispatches, exceptions; and the s_traps
 * that they put into code. */

#include "debug/breakpoints/draw_breaks.h"
#include "debug/breaks.h"
#include "debug/debug_priv.h"
#include "isa/inst.h"

struct bw_dispatch_record;
struct bw_module;
struct bw_wave_access;

enum bw_where_kind { BW_WHERE_SYMBOL, BW_WHERE_LINE, BW_WHERE_ADDRESS };
/* A place as the user typed it before "if", not yet resolved to addresses. */
struct bw_where_spec {
	enum bw_where_kind kind;
	char *name; /* symbol, or file; owned */
	unsigned line;
	bool plain;	   /* SYMBOL without +OFFSET: the place after the prologue is meant */
	uint64_t offset_b; /* SYMBOL: counted from it; ADDRESS: the address itself */
};
void bw_where_spec_fini(struct bw_where_spec *s);
/* Parses a place. text: the place alone, without "if" and "wave". */
struct bw_error *bw_where_parse(struct bw_debug *d, const char *text,
				struct bw_where_spec *out) BW_MUST_CHECK;
/* Appends the addresses of the place to out: in d->space, in every load of every module. */
struct bw_addr_vec BW_VEC(uint64_t);
struct bw_error *bw_where_resolve(struct bw_debug *d, const struct bw_where_spec *s,
				  struct bw_addr_vec *out) BW_MUST_CHECK;
/* Like bw_where_resolve, in one module whose image lies at base, loaded or not. */
struct bw_error *bw_where_in_module(struct bw_module *m, const struct bw_where_spec *s,
				    uint64_t base, struct bw_addr_vec *out) BW_MUST_CHECK;
/* Fails with BW_E_NOT_FOUND, naming the nearest names, if some code is known and none of it has the
 * place. Succeeds if no code is known yet. */
struct bw_error *bw_where_check(struct bw_debug *d, const struct bw_where_spec *s) BW_MUST_CHECK;

/* Says why a line of a shader's source has no place in the code that is known, as a clause without
 * a capital letter. False: nothing is known of the file. */
bool bw_where_why_not(struct bw_debug *d, const struct bw_where_spec *s, char *out, size_t out_b);
/* With the nearest names. Never NULL. */
struct bw_error *bw_where_not_found(struct bw_debug *d, const struct bw_where_spec *s);

struct bw_variables_frame;
/* The frame in which the variables of a condition at this place are looked up. False: the code of
 * the place is not known, or has no debug information. */
bool bw_where_scope(struct bw_debug *d, const struct bw_where_spec *s,
		    struct bw_variables_frame *out);

/* A dispatch that a breakpoint on dispatches matches. */
struct bw_catch {
	uint32_t dispatch, space;
	uint64_t va; /* of the dispatch's code */
	bool late;   /* it was running when the breakpoint was set, and may have begun */
	bool caught; /* it has stopped at the breakpoint, when d->continues was: */
	uint64_t continues;
};

/* A place in code. The same address in another address space is another place. */
struct bw_place_va {
	uint32_t space;
	uint64_t va;
};

/* Tests of the condition by the debugger, without a pause (hits.c). */
struct bw_break_tests {
	uint64_t n, since_ms, last_ms, told_ms;
	uint64_t error_at; /* d->continues when its error was last reported, + 1 */
};

struct bw_dispatch_filter;
struct bw_break {
	struct bw_break_info info;
	char *spec, *condition;
	struct bw_where_spec where;
	/* the address space of the place; 0: not known yet */
	uint32_t where_space;
	struct BW_VEC(struct bw_place_va) places; /* the places to which it was resolved */
	struct bw_addr_vec addr;		  /* their addresses, for info.addr */
	struct bw_watchpoint *watch;		  /* NULL: it is not a watchpoint */
	/* breakpoints on dispatches (catch.c); NULL: other breakpoints */
	struct bw_dispatch_filter *filter;
	struct BW_VEC(struct bw_catch) catches;
	struct bw_break_tests tests;
	struct bw_draw_break draw;
	/* the user was told that it cannot be inserted, in this run or since it was enabled */
	bool told_refused;
	bool told_no_lines; /* the user was told why its line of a shader has no place */
	bool was_placed;    /* in this run */
};

/* Fields of watchpoints (watch.c). */
struct bw_watchpoint {
	/* type and place of what is watched, and its value when last read */
	struct bw_value old;
	uint32_t space;
	/* If the value is in memory, its place is fixed: in global memory, or in the LDS of the
	 * wave's workgroup. size_b 0: it is not in memory. */
	enum bw_space memory;
	uint64_t va;
	uint32_t size_b;
	/* software watchpoints: number of the wave and its lane; below, the group that shares its
	 * LDS */
	uint32_t wave;
	unsigned lane;
	uint32_t dispatch, workgroup[3];
	/* Expressions with local variables: the code of their function, and where the caller of
	 * that function continues; 0: the function is a kernel, or its caller is not known. */
	bool has_scope, caller_has_s32;
	uint64_t scope_start, scope_end, caller_pc;
	uint32_t caller_s32;
	/* the value when everything stopped, before the user could change it */
	struct bw_value at_stop;
	bool has_at_stop;
	bool was_hit;
	struct bw_watch_hit hit; /* the last hit */
};

/* An s_trap in the code: one for each address, however many breakpoints are there. */
struct bw_patch {
	uint32_t space;
	uint64_t va;
	unsigned refs;
	struct bw_inst inst; /* the instruction that it replaces */
	uint64_t copy_va;    /* the copy: [inst][s_trap DISPLACED]; 0 until first needed */
	uint32_t cell;
	/* number + 1 of the filter with which the trap handler tests the condition (filters.c); 0:
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
	/* It counts only if s32 has this value: recursive calls of the function pass the same
	 * place. */
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
	uint32_t n_cells; /* cells for copies of instructions that patches have been given so far */
	struct bw_u32_vec free_cells;
	struct bw_draws_breaks draws_sent; /* what the GPU was told last */
	bool filters_dirty;
	uint64_t filters_used, filters_retired; /* a bit for each filter */
	/* temporary breakpoints of a step: they stop only the wave internal_wave */
	struct bw_internal_place internal[BW_INTERNAL_PLACES];
	uint32_t internal_wave;
	int precise; /* the mode that the user asked for: 1 on, 0 off, -1 none (exceptions.c) */
};
void bw_breaks_init(struct bw_breaks *breaks);
void bw_breaks_fini(struct bw_breaks *breaks);
/* Drops everything in an address space that no longer exists (0: in all of them): places (their
 * breakpoints become pending), their s_traps, and watchpoints. */
void bw_breaks_forget(struct bw_debug *d, uint32_t space);

/* breakpoints.c */
/* Adds the places that new loads bring, and inserts those of enabled breakpoints. */
void bw_debug_resolve_breaks(struct bw_debug *d);
/* The patch at an address of d->space; NULL: none. */
struct bw_patch *bw_debug_patch_at(struct bw_debug *d, uint64_t va);
/* The s_trap instruction that replaces the patch's instruction, with this trap id. */
uint32_t bw_patch_word(const struct bw_debug *d, const struct bw_patch *p, unsigned id);
struct bw_error *bw_debug_patch_ref(struct bw_debug *d, uint64_t va) BW_MUST_CHECK;
void bw_debug_patch_unref(struct bw_debug *d, uint64_t va);
void bw_break_free(struct bw_break *b);
/* Whether this address is one of the breakpoint's places. */
bool bw_break_is_at(const struct bw_break *b, uint32_t space, uint64_t va);
/* The number of the breakpoint that stops this wave at its PC, and its lanes; counts the hit. 0:
 * none stops it, and the wave should be resumed. */
uint32_t bw_debug_break_hit(struct bw_debug *d, struct bw_wave_record *w, uint64_t *out_lanes);
/* Whether every breakpoint at the wave's PC has a condition, which can let the wave go on. */
bool bw_break_is_conditional(struct bw_debug *d, const struct bw_wave_record *w);
/* Called when the breakpoint has stopped a wave: deletes it if it is temporary; disables it if that
 * was its last stop of "enable once" or "enable count". */
void bw_debug_drop_temporaries(struct bw_debug *d, uint32_t number);
struct bw_break *bw_debug_break_priv(struct bw_debug *d, uint32_t number);

/* For other kinds of breakpoints: "... [wave N] [if EXPR]"; out_condition points into text. */
struct bw_error *bw_break_split(char *text, char **out_condition, uint32_t *out_wave) BW_MUST_CHECK;
struct bw_error *bw_break_check_condition(struct bw_debug *d, const char *expr) BW_MUST_CHECK;
/* Gives b its number and puts it into the table. On failure b is freed. */
struct bw_error *bw_break_add(struct bw_debug *d, struct bw_break *b,
			      uint32_t *out_number) BW_MUST_CHECK;
/* The wave hits b with these lanes: evaluates the condition and the ignore count, and counts the
 * hit. False: the wave is resumed. */
bool bw_break_counts(struct bw_debug *d, struct bw_break *b, struct bw_wave_record *w,
		     uint64_t *lanes);

/* catch.c */
struct bw_error *bw_dispatch_filter_parse(const char *text,
					  struct bw_dispatch_filter **out) BW_MUST_CHECK;
void bw_dispatch_filter_free(struct bw_dispatch_filter *f);
/* Called when a dispatch is held: inserts the breakpoints that match it. */
void bw_catch_new_dispatch(struct bw_debug *d, const struct bw_dispatch_record *x);
/* Called when b is new or enabled again: matches it against the dispatches that have not begun
 * (held ones, and those after stopped ones in a running submission). Tells the user if b can only
 * stop later dispatches. */
void bw_catch_again(struct bw_debug *d, struct bw_break *b);
/* A dispatch has ended: tells the user which breakpoints should have stopped it, and could not. */
void bw_catch_on_done(struct bw_debug *d, const struct bw_dispatch_record *x);
/* The program has ended: tells the user which breakpoints have not matched anything. */
void bw_breaks_tell_unmatched(struct bw_debug *d);
/* The program has ended: forgets the numbers of its dispatches, and counts from 0 again. */
void bw_catch_forget(struct bw_break *b);
/* Whether b stops this wave, which is at one of its places. */
bool bw_catch_hit(struct bw_debug *d, struct bw_break *b, const struct bw_wave_record *w);
/* Removes places that no running dispatch needs any more. */
void bw_catch_sweep(struct bw_debug *d);
/* Whether a dispatch of this submission is to be stopped while an earlier one runs the same
 * code. */
bool bw_catch_is_ambiguous(struct bw_debug *d, uint32_t submission);

/* filters.c */
/* Marks filters as out of date, because something on which conditions depend has changed. */
void bw_filter_dirty(struct bw_debug *d);
/* Compiles the filters that are out of date again. Called before waves run on. */
struct bw_error *bw_filters_update(struct bw_debug *d) BW_MUST_CHECK;
void bw_filter_drop(struct bw_debug *d, struct bw_patch *p);
/* If pc is in the copy of an instruction that rejected waves execute after a filter: the PC to show
 * for it. Otherwise pc. */
uint64_t bw_filter_pc(struct bw_debug *d, uint64_t pc);
bool bw_filter_is_trap(unsigned trap_id);

/* watch.c */
void bw_watchpoint_free(struct bw_watchpoint *p);
/* Deletes the watchpoints of an address space that no longer exists; 0: of all. */
void bw_watch_forget(struct bw_debug *d, uint32_t space);
/* Sets up or frees the watch register of b when b is enabled or disabled. */
struct bw_error *bw_watch_apply(struct bw_debug *d, struct bw_break *b, bool on) BW_MUST_CHECK;
/* Handles the hits of these watch registers (a bit each) that the wave reports. */
void bw_watch_examine(struct bw_debug *d, struct bw_wave_record *w, unsigned registers);
/* Called when everything has stopped, and (settle) before it is resumed. Watched values are
 * compared with what the user may have written in between. */
void bw_watch_at_stop(struct bw_debug *d);
void bw_watch_settle(struct bw_debug *d);
/* The number of the first watchpoint for which wave w is stepped and whose value has changed since
 * it was last read; 0: none. a: the accesses of the instruction that w has just executed. out_own
 * is false if another wave must have changed the value. */
uint32_t bw_watch_software_hit(struct bw_debug *d, struct bw_wave_record *w,
			       const struct bw_wave_access *a, bool *out_own);
/* Whether b is a software watchpoint for which this wave is stepped: the wave in which it was set
 * or, if it watches LDS, any wave that shares that LDS. */
bool bw_watch_is_for(const struct bw_break *b, const struct bw_wave_record *w);
/* Whether this stopped wave has to be stepped for a software watchpoint. */
bool bw_watch_wants(struct bw_debug *d, const struct bw_wave_record *w);

/* watch_scope.c */
/* Sets the scope of the watchpoint if the expression names local variables of the selected
 * frame. */
void bw_watch_find_scope(struct bw_debug *d, struct bw_watchpoint *p, const char *expr);
/* Whether w is in another function than the watched variables, so that their names mean something
 * else there. */
bool bw_watch_is_outside(const struct bw_watchpoint *p, const struct bw_wave_record *w);
/* Deletes the watchpoints for which w is stepped and whose function it has left, and tells the
 * user. True: there was one. */
bool bw_watch_end_scopes(struct bw_debug *d, struct bw_wave_record *w);

/* exceptions.c */
/* Called for a new target: sets the exceptions that were asked for before, and tells the user which
 * of them the target cannot catch. */
struct bw_error *bw_excp_begin(struct bw_debug *d) BW_MUST_CHECK;
/* Finds out again for which exceptions waves have to trap. */
struct bw_error *bw_excp_update(struct bw_debug *d) BW_MUST_CHECK;
/* The register with EXCP_EN (raw), without the bits that the debugger has set in it. */
uint32_t bw_excp_own_enables(struct bw_debug *d, const struct bw_wave_record *w, uint32_t raw);
/* Called before the wave is resumed: makes it trap for the exceptions that are enabled now. */
struct bw_error *bw_excp_sync(struct bw_debug *d, struct bw_wave_record *w) BW_MUST_CHECK;
/* Called when the wave has stopped: restores the exception flags that were cleared when it was
 * resumed. */
struct bw_error *bw_excp_restore_flags(struct bw_debug *d, struct bw_wave_record *w) BW_MUST_CHECK;
/* Writes EXCP_EN as the program itself has it, for a wave that the debugger leaves alone from here
 * on (bw_excp_remove_ours: for all waves). */
struct bw_error *bw_excp_write_own(struct bw_debug *d, struct bw_wave_record *w) BW_MUST_CHECK;
void bw_excp_remove_ours(struct bw_debug *d);
/* The number of the catchpoint for these exceptions; 0: none. out_resume: no one wants a stop, so
 * the wave is resumed. */
uint32_t bw_excp_hit(struct bw_debug *d, struct bw_wave_record *w, uint32_t excp, bool *out_resume);

#endif
