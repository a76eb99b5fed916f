/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_DEBUG_PRIV_H
#define BW_DEBUG_DEBUG_PRIV_H

/* The inside of a session: what the files of this folder share. */

#include "arch/arch.h"
#include "base/util.h"
#include "base/vec.h"
#include "debug/dispatches/bound.h"
#include "debug/debug.h"
#include "isa/inst.h"
#include "isa/text.h"
#include "target/call.h"

/* ---- Code (code.c) ---- */

/* A code object or a piece of raw code that the user has given. */
struct bw_module {
	struct bw_code_object *co; /* NULL: raw */
	struct bw_lines *lines;	   /* NULL: raw */
	char *name;		   /* raw: of its kernel; else path of the code object, owned */
	uint8_t *raw;
	size_t raw_b;
	bool is_found; /* raw: found in a dispatch, not given by the user */
	struct bw_kernel raw_kernel;
	struct bw_symbol raw_symbol;
};

/* Where a module's image lies in an address space. A program may load one twice. */
struct bw_load {
	struct bw_module *module;
	uint32_t space;
	uint64_t base, size_b;
};

const void *bw_module_image(const struct bw_module *m, size_t *out_size_b);
const struct bw_kernel *bw_module_kernels(const struct bw_module *m, size_t *out_n);
const struct bw_symbol *bw_module_symbols(const struct bw_module *m, size_t *out_n);
const struct bw_symbol *bw_module_symbol(const struct bw_module *m, const char *name);
const struct bw_symbol *bw_module_symbol_at(const struct bw_module *m, uint64_t offset_b);
void bw_module_free(struct bw_module *m);

/* ---- Breakpoints (breakpoints.c, where.c) ---- */

enum bw_where_kind { BW_WHERE_SYMBOL, BW_WHERE_LINE, BW_WHERE_ADDRESS };
/* A place as named before "if", not yet resolved. */
struct bw_where_spec {
	enum bw_where_kind kind;
	char *name; /* symbol, or file; owned */
	unsigned line;
	bool plain;	   /* SYMBOL without +OFFSET: behind the prologue */
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
/* BW_E_NOT_FOUND with the nearest names when some code is known and none has the place. */
struct bw_error *bw_where_check(struct bw_debug *d, const struct bw_where_spec *s) BW_MUST_CHECK;

/* A dispatch that a breakpoint on dispatches matches. */
struct bw_catch {
	uint32_t dispatch, space;
	uint64_t va; /* of its code */
	bool caught; /* it has stopped at the breakpoint, at this count of continues: */
	uint64_t continues;
};

/* A place in code. The same address in another address space is another place. */
struct bw_place_va {
	uint32_t space;
	uint64_t va;
};

struct bw_wave_access;
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
	/* tested by the trap handler (conditions/install.c): number of the filter + 1, 0 for
	 * none */
	uint8_t filter;
	uint64_t filter_va;
	uint32_t *filter_code; /* owned */
	size_t filter_dw;
};

/* ---- Waves (waves.c) ---- */

/* One for each slot of the device. */
struct bw_wave_record {
	struct bw_wave_info info; /* number 0: not yet given */
	struct bw_target_wave hw;
	bool known;	  /* info's identity is that of the slot's present or last wave */
	bool stopped;	  /* and looked at: hw is fresh */
	bool reported;	  /* its reasons have been reported or were not of interest */
	uint64_t stop_pc; /* PC when it stopped: only there breakpoints are stepped over */
	/* the displaced instruction it was resumed into; 0: none */
	uint64_t displaced_va, displaced_copy;
	uint8_t displaced_size_b;
	uint8_t skip_b;	      /* bytes of an s_trap that has been reported */
	uint32_t hidden_excp; /* exceptions that it went on without, since we enable them */
	/* The register with EXCP_EN as in the slot: hw.state has it without what we asked for. */
	uint32_t raw_enables;
};

struct bw_dispatch_record {
	struct bw_dispatch_info info;
	uint32_t packet; /* ttmp6 of its waves */
	bool packet_known;
	uint64_t launched_groups;	   /* highest linear workgroup seen, plus one */
	uint64_t kernel_start, kernel_end; /* code, 0 and 0 when unknown */
	/* when it was first seen running as the first of its queue; 0: not yet (hang.c) */
	uint64_t first_since_ms;
	bool packet_guessed;		  /* packet number, counted from an earlier one in its
					   * queue */
	struct bw_target_object pipeline; /* id 0: not known */
	char *name, *label;		  /* owned: info points to them */
	char *levels; /* owned: of the label, with BW_LABEL_SEPARATOR between them */
	uint8_t *push;
};

struct bw_var {
	char *name;
	struct bw_value value;
};

struct bw_u32_vec BW_VEC(uint32_t);

/* An address space of a program: waves and dispatches are in one (inferiors.c). */
struct bw_space_of {
	uint32_t number, inferior;
};

/* A cache of instructions, so that a step needs no request to the program. */
enum { BW_INST_CACHE = 512 };
struct bw_inst_entry {
	uint64_t va; /* 0: none */
	uint32_t space;
	uint32_t words[3];
	struct bw_inst inst;
};

/* A cache of memory, used while the conditions of many waves are evaluated. */
enum { BW_MEM_LINE_B = 256, BW_MEM_LINES = 32 };
struct bw_mem_line {
	bool valid;
	uint64_t va;
	uint8_t data[BW_MEM_LINE_B];
};

struct bw_debug {
	struct bw_target *target;
	enum bw_debug_state state;
	struct bw_debug_settings settings;
	bool time_held;
	bw_notice_fn *notice;
	void *notice_cookie;
	bw_passing_fn *passing;
	void *passing_cookie;
	/* The current address space, to which all addresses refer: that of the focus, or else the
	 * one that the last event came from. BW_IN_SPACE selects another one until the end of its
	 * block. */
	uint32_t space;
	struct BW_VEC(struct bw_space_of) spaces;
	struct BW_VEC(struct bw_inferior_info) inferiors;
	uint32_t next_inferior, inferior; /* the last number given; the current one */
	pid_t pid;			  /* of the current inferior, or of the last one */
	char comm[17];
	int exit_status;
	bool exit_known;

	struct BW_VEC(struct bw_module *) modules;
	struct BW_VEC(struct bw_load) loads;
	/* of the whole session, each once, whatever its address space */
	struct BW_VEC(struct bw_load) past_loads;
	char *default_kernel;
	struct bw_isa_text *text;

	struct BW_VEC(struct bw_break *) breaks;
	struct BW_VEC(struct bw_break_info) break_list; /* the array that bw_debug_breakpoints
							 * returned */
	struct BW_VEC(struct bw_patch) patches;
	uint32_t next_break;
	uint32_t next_cell;
	bool filters_dirty;
	uint64_t filters_used, filters_retired; /* a bit each */
	struct bw_u32_vec free_cells;

	/* a temporary breakpoint of nexti: stops only this wave */
	uint64_t internal_va;
	uint32_t internal_wave;

	struct bw_wave_record *slots; /* target->facts.n_slots */
	struct bw_u32_vec stopped;    /* slots of stopped waves, in the order of wave numbers */
	struct BW_VEC(struct bw_wave_info) wave_list; /* the array that bw_debug_waves returned */
	bool wave_list_valid;
	uint32_t next_wave;
	uint32_t focus_slot;   /* UINT32_MAX: none */
	uint32_t focus_number; /* of the wave that has the focus, also while it runs */
	unsigned focus_lane;
	uint32_t unstoppable;
	bool report_pending; /* the next wait reports a stop that has happened already */
	uint32_t alone_slot; /* slot of the wave that continues alone; UINT32_MAX: none */
	/* slots of the waves that are stepped for software watchpoints, one after the other
	 * (step_watch.c) */
	struct bw_u32_vec watched;
	size_t watched_turn;

	struct BW_VEC(struct bw_dispatch_record) dispatches;
	uint32_t dispatches_dropped;	  /* dispatches 1 to this number have ended and are no
					   * longer listed */
	struct bw_target_object *objects; /* as last asked for, in that space; owned */
	size_t n_objects;
	uint32_t objects_space;
	struct BW_VEC(struct bw_buffer_info) buffers; /* bound.c */
	uint32_t next_buffer;
	bool buffers_found; /* looked for when so many continues had been: */
	uint64_t buffers_continues;
	uint64_t continues; /* counts bw_debug_continue */
	struct BW_VEC(struct bw_dispatch_info) dispatch_list;
	struct bw_u32_vec held;	    /* submissions that are held */
	uint64_t deferred_since_ms; /* the first of them waits for an earlier one (run.c); 0: not */

	uint32_t excp, excp_ever; /* exceptions that are enabled now, and were in this run of the
				   * program */
	int precise;		  /* asked for: 1 on, 0 off, -1 nothing */

	struct BW_VEC(struct bw_var) vars;
	unsigned n_values; /* $1, $2 ... of print */
	struct bw_inst_entry insts[BW_INST_CACHE];
	bool lines_wanted;
	struct bw_mem_line lines[BW_MEM_LINES];
};

/* inferiors.c */
void bw_debug_use_space(struct bw_debug *d, uint32_t space);
struct bw_in_space {
	struct bw_debug *d;
	uint32_t before;
};
struct bw_in_space bw_space_enter(struct bw_debug *d, uint32_t space);
void bw_space_leave(struct bw_in_space *s);
#define BW_IN_SPACE(d, space)                                                                      \
	__attribute__((cleanup(bw_space_leave), unused)) struct bw_in_space in_space_ =            \
		bw_space_enter(d, space)
/* The number of the inferior that has it, 0 for none. */
uint32_t bw_debug_inferior_of_space(const struct bw_debug *d, uint32_t space);
struct bw_error *bw_debug_on_program(struct bw_debug *d,
				     const struct bw_target_event *ev) BW_MUST_CHECK;
struct bw_error *bw_debug_on_space(struct bw_debug *d, uint32_t space, pid_t pid) BW_MUST_CHECK;
void bw_debug_on_space_gone(struct bw_debug *d, uint32_t space);
void bw_debug_on_program_gone(struct bw_debug *d, const struct bw_target_event *ev);
/* Sets the focus, and with it the current address space. NULL: no focus. */
void bw_debug_focus_on(struct bw_debug *d, const struct bw_wave_record *w);

/* session.c */
void bw_debug_note(struct bw_debug *d, enum bw_notice_kind kind, const char *fmt, ...)
	BW_PRINTF(3, 4);
/* What it takes to put a breakpoint into code, and to bring a wave past it (displaced.c). */
enum {
	BW_BREAK_NEEDS = BW_CAP_RUN | BW_CAP_WRITE_REGS | BW_CAP_WRITE_MEMORY | BW_CAP_PATCH,
	/* that waves trap for an exception: of those that have been launched, MODE is written */
	BW_EXCP_NEEDS = BW_CAP_RUN | BW_CAP_WRITE_REGS | BW_CAP_EXCEPTIONS,
	/* an address watch reports by an exception */
	BW_WATCH_NEEDS = BW_EXCP_NEEDS | BW_CAP_WATCH,
};
/* Stops every wave. On a target that cannot run waves all are stopped. */
struct bw_error *bw_debug_stop_waves(struct bw_debug *d, uint32_t *out_running) BW_MUST_CHECK;
struct bw_error *bw_debug_need_target(struct bw_debug *d) BW_MUST_CHECK;
/* Ends the target, and drops everything that belongs to it. */
void bw_debug_close_target(struct bw_debug *d);
void bw_debug_prepare_detach(struct bw_debug *d, uint32_t inferior);
/* Drops everything that belongs to one run of the program; breakpoints become pending. */
void bw_debug_forget_program(struct bw_debug *d);

/* code.c */
struct bw_load *bw_debug_load_at(struct bw_debug *d, uint64_t va);
/* Recognises the kernel at a dispatch's code address; adds a load when it is a new one. */
struct bw_error *bw_debug_match_kernel(struct bw_debug *d,
				       struct bw_dispatch_record *dispatch) BW_MUST_CHECK;

/* dispatch.c */
struct bw_error *bw_debug_on_submit(struct bw_debug *d,
				    const struct bw_target_event *ev) BW_MUST_CHECK;
/* Matches kernels again: code was added since the dispatches were seen. */
struct bw_error *bw_debug_match_again(struct bw_debug *d) BW_MUST_CHECK;
void bw_debug_on_done(struct bw_debug *d, const struct bw_target_event *ev);
struct bw_dispatch_record *bw_debug_dispatch_priv(struct bw_debug *d, uint32_t number);
/* The dispatch a wave belongs to; NULL when none fits. */
struct bw_dispatch_record *bw_debug_dispatch_of(struct bw_debug *d,
						const struct bw_target_wave *hw);

/* Frees the list of dispatches. */
void bw_debug_forget_dispatches(struct bw_debug *d);
/* Sorts slots that have just stopped by the order in which their dispatches were launched. */
void bw_debug_order_stops(struct bw_debug *d, uint32_t *slots, size_t n);

/* found.c */
/* Makes a module of the code a dispatch points to. */
struct bw_error *bw_debug_learn_code(struct bw_debug *d,
				     struct bw_dispatch_record *x) BW_MUST_CHECK;
/* What a pipeline is called; owned, NULL when out of memory. */
char *bw_pipeline_name(const struct bw_target_object *p);

/* hang.c */
/* Resumes all waves after a stop. */
void bw_hang_restart(struct bw_debug *d);
/* While waves run: how long to wait at most before bw_hang_is_over is asked; timeout_ms < 0: for
 * ever. */
int bw_hang_limit(struct bw_debug *d, int timeout_ms);
/* Whether a dispatch has run for too long; reports it if so. */
bool bw_hang_is_over(struct bw_debug *d);

/* catch.c */
struct bw_error *bw_dispatch_filter_parse(const char *text,
					  struct bw_dispatch_filter **out) BW_MUST_CHECK;
void bw_dispatch_filter_free(struct bw_dispatch_filter *f);
/* A dispatch is held: inserts the breakpoints that match it. */
void bw_catch_new_dispatch(struct bw_debug *d, const struct bw_dispatch_record *x);
/* b is new, or enabled again: matches it against the dispatches that are held, as they have not
 * begun. */
void bw_catch_again(struct bw_debug *d, struct bw_break *b);
/* The program has ended: forgets the numbers of its dispatches. */
void bw_catch_forget(struct bw_break *b);
/* Whether b stops this wave, which is at one of its places. */
bool bw_catch_hit(struct bw_debug *d, struct bw_break *b, const struct bw_wave_record *w);
/* Removes places that no running dispatch needs any more. */
void bw_catch_sweep(struct bw_debug *d);
/* Whether a dispatch of this submission is to be stopped while an earlier one runs the same
 * code. */
bool bw_catch_is_ambiguous(struct bw_debug *d, uint32_t submission);

/* breakpoints.c */
/* Drops the places and s_traps in an address space that no longer exists. */
void bw_debug_forget_places_in(struct bw_debug *d, uint32_t space);
/* Adds the places that new loads bring, and inserts those of enabled breakpoints. */
void bw_debug_resolve_breaks(struct bw_debug *d);
void bw_debug_forget_places(struct bw_debug *d);
/* In d->space. */
struct bw_patch *bw_debug_patch_at(struct bw_debug *d, uint64_t va);
/* The s_trap that replaces an instruction. */
uint32_t bw_patch_word(const struct bw_debug *d, const struct bw_patch *p, unsigned id);
struct bw_error *bw_debug_patch_ref(struct bw_debug *d, uint64_t va) BW_MUST_CHECK;
void bw_debug_patch_unref(struct bw_debug *d, uint64_t va);
void bw_break_free(struct bw_break *b);
/* Which breakpoint stops this wave at its PC: counts the hit. 0: none, the wave should be
 * resumed. */
uint32_t bw_debug_break_hit(struct bw_debug *d, struct bw_wave_record *w, uint64_t *out_lanes);
/* Deletes temporary breakpoints that have stopped a wave at this stop. */
void bw_debug_drop_temporaries(struct bw_debug *d, uint32_t number);
struct bw_break *bw_debug_break_priv(struct bw_debug *d, uint32_t number);

/* conditions/install.c */
/* Marks filters as out of date: something that conditions depend on has changed. */
void bw_filter_dirty(struct bw_debug *d);
/* Before waves run on. */
struct bw_error *bw_filters_update(struct bw_debug *d) BW_MUST_CHECK;
void bw_filter_drop(struct bw_debug *d, struct bw_patch *p);
/* The PC to show for one in the copy of an instruction that waves execute when a filter rejects
 * them. */
uint64_t bw_filter_pc(struct bw_debug *d, uint64_t pc);
bool bw_filter_is_trap(unsigned trap_id);

/* run.c */
struct bw_error *bw_debug_release_held(struct bw_debug *d) BW_MUST_CHECK;
/* Resumes the waves in these slots, each from where it stopped. */
struct bw_error *bw_debug_run_on(struct bw_debug *d, uint32_t *slots, size_t n) BW_MUST_CHECK;
bool bw_wave_is_event(const struct bw_wave_record *w);
unsigned bw_wave_stop_lane(struct bw_debug *d, const struct bw_wave_record *w);
struct bw_error *bw_debug_stop_and_report(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
struct bw_error *bw_debug_sort_stops(struct bw_debug *d, bool *out_stop) BW_MUST_CHECK;
/* Handles one event. out->kind stays NONE when there is nothing to report. */
struct bw_error *bw_debug_handle(struct bw_debug *d, const struct bw_target_event *ev,
				 struct bw_stop *out) BW_MUST_CHECK;

/* step.c: the focus wave executes `count` instructions, or fewer when something else stops it. */
struct bw_error *bw_step_count(struct bw_debug *d, struct bw_wave_record *w, uint64_t count,
			       bool over_calls, struct bw_stop *out) BW_MUST_CHECK;
/* Waits for the wave in `slot`, which has been resumed. along: other waves run, too, and may stop
 * for reasons of their own. out_late: patience_ms have passed (never where it is negative). */
struct bw_error *bw_step_await(struct bw_debug *d, uint32_t slot, bool along, int patience_ms,
			       bool *out_ended, bool *out_late, struct bw_stop *out) BW_MUST_CHECK;
/* Which other waves run while w executes its next instruction; an error where it needs some that
 * may not run. */
struct bw_error *bw_step_companions(struct bw_debug *d, const struct bw_wave_record *w,
				    const struct bw_inst *inst,
				    struct bw_u32_vec *out) BW_MUST_CHECK;
struct bw_error *bw_step_resume_others(struct bw_debug *d,
				       const struct bw_u32_vec *others) BW_MUST_CHECK;
/* The instruction has been simulated in the slot (bw_debug_prepare). */
void bw_step_simulated(struct bw_debug *d, struct bw_wave_record *w);
/* The only wave that was allowed to run has ended: another one is reported, or all others are
 * resumed. */
struct bw_error *bw_step_alone_ended(struct bw_debug *d, const struct bw_wave_record *w,
				     struct bw_stop *out) BW_MUST_CHECK;
/* Events that happened while one wave was being stepped; out->kind stays NONE when there were
 * none. */
struct bw_error *bw_step_poll(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
/* The program or the GPU is gone, and the wave with it: waits for the event that says so. */
struct bw_error *bw_step_unless_gone(struct bw_debug *d, struct bw_error *err,
				     struct bw_stop *out) BW_MUST_CHECK;
/* step_watch.c: a wave with a software watchpoint is stepped, the others run. */
/* Sorts the stopped waves: those that a software watchpoint has stepped go to d->watched, the
 * others are resumed at once. If d->watched is empty afterwards, none has been resumed. */
struct bw_error *bw_debug_watch_begin(struct bw_debug *d) BW_MUST_CHECK;
/* Waits for the wave in alone_slot, as bw_debug_wait does. alone_slot is UINT32_MAX when that has
 * ended; without a stop then, all waves have been resumed. */
struct bw_error *bw_debug_wait_alone(struct bw_debug *d, int timeout_ms,
				     struct bw_stop *out) BW_MUST_CHECK;
/* Steps until there is a stop, or the waves have ended (d->watched is empty then), or, with a
 * timeout, for a little while. */
struct bw_error *bw_debug_step_watched(struct bw_debug *d, int timeout_ms,
				       struct bw_stop *out) BW_MUST_CHECK;

/* waves.c */
struct bw_wave_record *bw_debug_focus_priv(struct bw_debug *d);
struct bw_error *bw_debug_need_focus(struct bw_debug *d, struct bw_wave_record **out) BW_MUST_CHECK;
struct bw_wave_record *bw_debug_wave_priv(struct bw_debug *d, uint32_t number);
/* Reads a stopped wave's registers and works out why it stopped. */
struct bw_error *bw_debug_examine(struct bw_debug *d, uint32_t slot) BW_MUST_CHECK;
/* The number of a wave, given on first use. */
uint32_t bw_debug_wave_number(struct bw_debug *d, struct bw_wave_record *w);
/* Stopped waves are looked up by number: to be called when one has got another. */
void bw_debug_sort_stopped(struct bw_debug *d);
/* Lists all stopped waves, examining those that are new; numbers them; keeps or moves the focus. */
struct bw_error *bw_debug_collect(struct bw_debug *d) BW_MUST_CHECK;
void bw_debug_waves_changed(struct bw_debug *d);

/* Whose instructions the target's GPU executes: the generation of bw_debug_arch() by its name. */
enum bw_isa_gen bw_debug_isa(const struct bw_debug *d);

/* displaced.c */
/* Prepares a stopped wave for resuming: past a reported trap, over a breakpoint. out_simulated: its
 * next instruction has been simulated here. */
struct bw_error *bw_debug_prepare(struct bw_debug *d, struct bw_wave_record *w,
				  bool *out_simulated) BW_MUST_CHECK;
/* The PC to show for one inside of a displaced copy. */
uint64_t bw_displaced_pc(const struct bw_wave_record *w, uint64_t pc);
struct bw_error *bw_debug_read_inst(struct bw_debug *d, uint64_t va, struct bw_inst *out,
				    uint32_t out_words[3]) BW_MUST_CHECK;

/* After anything that may have written code. */
void bw_debug_forget_insts(struct bw_debug *d);

/* waves/wave_regs.c */
struct bw_error *bw_wave_reg_read(struct bw_debug *d, struct bw_wave_record *w,
				  struct bw_wave_reg r, uint64_t *out) BW_MUST_CHECK;
struct bw_error *bw_wave_reg_write(struct bw_debug *d, struct bw_wave_record *w,
				   struct bw_wave_reg r, uint64_t value) BW_MUST_CHECK;

/* memory.c: between begin and end, memory is read once and cached. The waves whose conditions are
 * evaluated then must have stopped before. */
void bw_mem_lines_begin(struct bw_debug *d);
void bw_mem_lines_end(struct bw_debug *d);
/* A fault in the words of gdb; other errors as they are. */
struct bw_error *bw_debug_gdb_error(struct bw_error *err) BW_MUST_CHECK;
struct bw_error *bw_wave_mem_read(struct bw_debug *d, struct bw_wave_record *w, unsigned lane,
				  enum bw_space space, uint64_t addr, void *out,
				  size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_wave_mem_write(struct bw_debug *d, struct bw_wave_record *w, unsigned lane,
				   enum bw_space space, uint64_t addr, const void *data,
				   size_t size_b) BW_MUST_CHECK;

/* For other kinds of breakpoints: splits "... [wave N] [if EXPR]"; out_condition points into text.
 */
void bw_break_split(char *text, char **out_condition, uint32_t *out_wave);
struct bw_error *bw_break_check_condition(struct bw_debug *d, const char *expr) BW_MUST_CHECK;
/* Numbers b and puts it into the table; freed on failure. */
struct bw_error *bw_break_add(struct bw_debug *d, struct bw_break *b,
			      uint32_t *out_number) BW_MUST_CHECK;
/* This wave hits b with `lanes`: evaluates condition and ignore count, and counts the hit. False:
 * the wave is resumed. */
bool bw_break_counts(struct bw_debug *d, struct bw_break *b, struct bw_wave_record *w,
		     uint64_t *lanes);

/* watch.c */
void bw_watchpoint_free(struct bw_watchpoint *p);
/* Deletes the watchpoints whose memory is gone. */
void bw_watch_forget_space(struct bw_debug *d, uint32_t space);
/* Takes or frees the watch register of b, as it is enabled or disabled. */
struct bw_error *bw_watch_apply(struct bw_debug *d, struct bw_break *b, bool on) BW_MUST_CHECK;
/* The wave says that these watch registers were hit, a bit each. */
void bw_watch_examine(struct bw_debug *d, struct bw_wave_record *w, unsigned registers);
/* The program has ended. */
void bw_watch_forget(struct bw_debug *d);
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

/* exceptions.c */
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
/* The instruction before pc, in the function that pc is in; 0: not known. */
uint64_t bw_inst_before(struct bw_debug *d, uint64_t pc);
/* BW_E_INVALID, naming the instruction, where va is known to lie inside of one. */
struct bw_error *bw_inst_check_start(struct bw_debug *d, uint64_t va) BW_MUST_CHECK;

/* access.c */
/* What the memory instruction at pc accesses with the registers the wave has now. */
struct bw_access_image {
	uint64_t base;
	unsigned type; /* of bw_image_type_name */
	uint32_t dim[3];
	bool has_texels;
	uint32_t texel[64][3]; /* x, y, slice of each lane */
};
struct bw_wave_access {
	struct bw_inst inst;
	bool is_memory; /* false: no memory instruction, and nothing else is filled in */
	bool is_write, is_atomic, is_scalar;
	bool has_addresses; /* false: a format whose addresses are not worked out here */
	bool address_lost;  /* once executed, it has overwritten what its addresses were made of */
	uint32_t size_b;    /* bytes of one lane */
	/* it lies within so many from its address: more than size_b in tiled images */
	uint32_t span_b;
	bool is_image;
	struct bw_access_image image;
	uint64_t lanes; /* that access memory; scalar: 1 */
	uint64_t addr[64];
	enum bw_space space[64];
};
struct bw_error *bw_access_of(struct bw_debug *d, struct bw_wave_record *w, uint64_t pc,
			      struct bw_wave_access *out) BW_MUST_CHECK;

/* access_image.c: the same of MIMG instructions, for bw_access_of. */
struct bw_error *bw_image_access(struct bw_debug *d, struct bw_wave_record *w,
				 const struct bw_op_info *info,
				 struct bw_wave_access *out) BW_MUST_CHECK;

/* expr.c */
struct bw_error *bw_debug_eval_for(struct bw_debug *d, const char *text, struct bw_wave_record *w,
				   unsigned lane, struct bw_value *out,
				   struct bw_expr_error *out_where) BW_MUST_CHECK;

/* Grammar and names only: nothing is read or written. */
struct bw_error *bw_debug_eval_check(struct bw_debug *d, const char *text,
				     struct bw_expr_error *out_where) BW_MUST_CHECK;

/* args.c */
bool bw_arg_type(const struct bw_kernel_arg *arg, struct bw_type *out);
/* Whether a kernel at this place of a module's image is written in assembly. */
bool bw_kernel_is_assembly(const struct bw_module *m, const struct bw_kernel *k);

#endif
