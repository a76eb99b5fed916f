/* SPDX-License-Identifier: MIT */

/* The run loop: calls the handlers of a wave's records, and handles what happens between
 * instructions: requests from outside, traps, exceptions, single step (doc/hardware/traps.md 1, 2,
 * 5 and 7; doc/rules.md 259 to 313). */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "base/vec.h"
#include "isa/ops.h"
#include "vgpu/device/exec/compile/compile.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/hwreg.h"
#include "vgpu/device/exec/core/indexed.h"
#include "vgpu/device/exec/core/plant.h"

/* The run loop looks at the code generation, and unwinds what builds without sibling calls left on
 * the stack, after this many instructions. The end of each is interpreted (compile/compile.h). */
enum { CHUNK = 4096 };
/* A wave that sleeps again after fewer instructions is polling. */
enum { POLL_INSTRUCTIONS = 64 };

/* An absent instruction is reported once. */
struct bw_absent_seen {
	struct bw_absent_seen *next;
	uint64_t pc;
	uint32_t word;
};

struct bw_exec *bw_exec_create(const struct bw_exec_host *host)
{
	struct bw_exec *x = aligned_alloc(64, bw_align_up(sizeof(*x), 64));
	if (!x)
		abort();
	memset(x, 0, sizeof(*x));
	x->host = *host;
	x->gen = host->gen;
	x->args.m = &x->m;
	x->rows = bw_exec_rows();
	bw_code_init(&x->code);
	x->code.gen = (uint8_t)host->gen;
	x->code.float_exceptions = host->float_exceptions;
	x->code.counts = host->counts;
	x->code.compile = bw_compile_create(host->interpret ? BW_COMPILE_OFF : bw_compile_wish());
	return x;
}

void bw_exec_destroy(struct bw_exec *x)
{
	if (!x)
		return;
	bw_code_fini(&x->code);
	bw_tally_fini(&x->tally);
	bw_image_cache_fini(&x->images);
	while (x->absent_seen) {
		struct bw_absent_seen *s = x->absent_seen;
		x->absent_seen = s->next;
		free(s);
	}
	free(x);
}

const struct bw_exec_host *bw_exec_host(const struct bw_exec *x)
{
	return &x->host;
}

void bw_exec_flush_code(struct bw_exec *x)
{
	(void)x;
	bw_code_invalidate();
}

/* ---- illegal instructions ---- */

static void report(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec, const char *name)
{
	uint64_t pc = bw_code_pc(&x->code, rec);
	const uint32_t *words = &x->code.page->word[rec - x->code.page->rec];
	for (const struct bw_absent_seen *s = x->absent_seen; s; s = s->next)
		if (s->pc == pc && s->word == words[0])
			return;
	struct bw_absent_seen *s = malloc(sizeof(*s));
	if (s) {
		*s = (struct bw_absent_seen){.next = x->absent_seen, .pc = pc, .word = words[0]};
		x->absent_seen = s;
	}
	if (x->host.absent)
		x->host.absent(x->host.cookie, w, pc, words, name);
}

static bool is_of_pipeline(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec)
{
	return x->host.graphics && x->host.graphics(x->host.cookie, w, rec->inst);
}

BW_HANDLER(bw_h_illegal)
{
	/* An encoding with operands that do not exist still has a name. */
	unsigned op = rec->inst->op;
	if (op != BW_OP_ILLEGAL && rec->inst->gds && is_of_pipeline(x, w, rec))
		BW_LEAVE(BW_FOLLOWING(rec));
	report(x, w, rec, op == BW_OP_ILLEGAL ? NULL : bw_isa_op_info(op)->name);
	BW_EXIT(BW_EXIT_ILLEGAL, bw_code_pc(&x->code, rec));
}

BW_HANDLER(bw_h_absent)
{
	if (is_of_pipeline(x, w, rec))
		BW_LEAVE(BW_FOLLOWING(rec));
	char name[160]; /* "exp (graphics pipeline)" */
	snprintf(name, sizeof(name), "%s (%s)", bw_isa_op_info(rec->inst->op)->name, rec->why);
	report(x, w, rec, name);
	BW_EXIT(BW_EXIT_ILLEGAL, bw_code_pc(&x->code, rec));
}

/* A VGPR after DEALLOC_VGPRS: rule 308. */
BW_HANDLER(bw_h_no_vgprs)
{
	return bw_h_illegal(rec, w, x, left, vgpr);
}

BW_HANDLER(bw_h_mem)
{
	enum bw_mem_result r = rec->mem->fn(x, w, rec);
	if (__builtin_expect(r == BW_MEM_OK, 1))
		BW_NEXT(BW_FOLLOWING(rec));
	if (r == BW_MEM_REFUSED) {
		report(x, w, rec, x->refused);
		if (x->code.page->slot)
			bw_tally_refused(&x->tally, x->code.page, rec, x->refused);
		BW_EXIT(BW_EXIT_ILLEGAL, bw_code_pc(&x->code, rec));
	}
	x->fault_page = r == BW_MEM_FAULT_PAGE;
	BW_EXIT(BW_EXIT_FAULT, bw_code_pc(&x->code, rec));
}

/* ---- traps ---- */

/* Faults for tests that a wave has which is going to enter the handler. */
static void plant_at_entry(struct bw_exec *x, struct bw_wave *w)
{
	enum { LOST_VGPR = 7 };
	if (x->host.plant & BW_PLANT_VGPR && w->n_vgprs > LOST_VGPR)
		memset(&w->v[LOST_VGPR * w->lanes], 0, w->lanes * sizeof(*w->v));
	if (x->host.plant & (BW_PLANT_HANG | BW_PLANT_DEAD))
		w->status |= BW_STATUS_FATAL_HALT;
}

/* Whether there is a trap handler for this wave, and its address. Who asks has it enter. */
static bool trap_handler(struct bw_exec *x, struct bw_wave *w, uint64_t *out_tba)
{
	uint64_t tma;
	if (x->host.plant & BW_PLANT_TRAP_EN || !(w->status & BW_STATUS_TRAP_EN) ||
	    !x->host.trap_base(x->host.cookie, w->vmid, out_tba, &tma))
		return false;
	plant_at_entry(x, w);
	return true;
}

/* Exceptions without a trap handler, and those inside of the trap handler, end the wave. */
static bool raise_exception(struct bw_exec *x, struct bw_wave *w, uint32_t trapsts)
{
	uint64_t tba;
	w->trapsts |= trapsts;
	w->fault_pc = w->pc;
	if (!(w->status & BW_STATUS_PRIV) && trap_handler(x, w, &tba)) {
		bw_wave_enter_trap(w, tba, 0, false);
		return true;
	}
	w->status |= BW_STATUS_HALT | BW_STATUS_FATAL_HALT;
	return false;
}

/* SQ_CMD TRAP. Dropped while the handler runs and where there is none. step: the single step of the
 * instruction just executed is due as well; one entry serves both. */
static void host_trap(struct bw_exec *x, struct bw_wave *w, bool step)
{
	uint64_t tba;
	if ((w->status & BW_STATUS_PRIV) || !trap_handler(x, w, &tba))
		return;
	w->trapsts |= BW_TRAPSTS_HOST_TRAP | (step ? BW_TRAPSTS_TRAP_AFTER_INST : 0);
	bw_wave_enter_trap(w, tba, 0, true);
}

static void step_trap(struct bw_exec *x, struct bw_wave *w)
{
	uint64_t tba;
	if ((w->status & BW_STATUS_PRIV) || !trap_handler(x, w, &tba))
		return;
	w->trapsts |= BW_TRAPSTS_TRAP_AFTER_INST;
	bw_wave_enter_trap(w, tba, 0, false);
}

/* An access of this wave has hit an address watch. The flags are set whether or not the trap is
 * enabled. With precise memory it comes right after the access, otherwise LATE instructions later
 * [I: how many]. True: not yet. */
enum { LATE = 4 };

static bool watch_waits(struct bw_exec *x, struct bw_wave *w)
{
	if (w->watch_late)
		return true;
	if ((w->status & BW_STATUS_PRIV) || !x->host.precise_memory ||
	    x->host.precise_memory(x->host.cookie))
		return false;
	w->watch_late = LATE + 1;
	return true;
}

static void watch_trap(struct bw_exec *x, struct bw_wave *w)
{
	uint64_t tba;
	bool step = w->step_pending;
	uint32_t hits = w->watch_hits;
	w->watch_hits = w->watch_late = 0;
	if (w->status & BW_STATUS_PRIV)
		return;
	/* the first watch has a bit of its own, the others are side by side */
	w->trapsts |= (hits & 1 ? BW_TRAPSTS_WATCH0 : 0) | (hits >> 1) * BW_TRAPSTS_WATCH1;
	if (!(w->mode & BW_MODE_EXCP_EN_WATCH) || !trap_handler(x, w, &tba))
		return;
	w->trapsts |= step ? BW_TRAPSTS_TRAP_AFTER_INST : 0;
	w->step_pending = false;
	bw_wave_enter_trap(w, tba, 0, false);
}

/* The checker stops a wave for a finding (--stop-on-finding). */
static void finding_trap(struct bw_exec *x, struct bw_wave *w)
{
	uint64_t tba;
	bool step = w->step_pending, is_here = w->finding_is_here;
	w->finding_is_here = false;
	if ((w->status & BW_STATUS_PRIV) || !trap_handler(x, w, &tba))
		return;
	w->trapsts |= step ? BW_TRAPSTS_TRAP_AFTER_INST : 0;
	w->step_pending = false;
	bw_wave_enter_trap(w, tba, is_here ? BW_TRAP_ID_FINDING_HERE : BW_TRAP_ID_FINDING, false);
}

/* A wave that waits at a barrier has not arrived there when it comes back: it executes s_barrier
 * again. The rest of its group does the same or has not come there yet [I]. */
static void leave_barrier(struct bw_wave *w)
{
	enum { S_BARRIER_B = 4 };
	if (!(w->status & BW_STATUS_IN_BARRIER))
		return;
	w->status &= ~(uint32_t)BW_STATUS_IN_BARRIER;
	w->wg->n_arrived--;
	w->pc -= S_BARRIER_B;
}

/* TRAPSTS.SAVECTX has a wave enter the handler as soon as it is not in it, halted or not, whether
 * or not traps are enabled. Where they are not, the handler leaves PRIV set when it has restored a
 * wave. */
static void save_trap(struct bw_exec *x, struct bw_wave *w)
{
	uint64_t tba = 0, tma = 0;
	bool in_handler = w->status & BW_STATUS_PRIV &&
			  (w->status & BW_STATUS_TRAP_EN || w->switching != BW_WAVE_RUNS);
	if (in_handler || w->status & BW_STATUS_FATAL_HALT)
		return;
	x->host.trap_base(x->host.cookie, w->vmid, &tba, &tma);
	if (!tba)
		return;
	leave_barrier(w);
	w->switching = BW_WAVE_SAVES;
	bw_wave_enter_trap(w, tba, 0, false);
}

/* ---- the loop ---- */

static bool is_halted(const struct bw_wave *w)
{
	if (w->status & BW_STATUS_FATAL_HALT)
		return true;
	/* HALT is ignored while the trap handler runs. */
	return (w->status & BW_STATUS_HALT) && !(w->status & BW_STATUS_PRIV);
}

static bool is_stepping(const struct bw_wave *w)
{
	return (w->mode & BW_MODE_TRAP_AFTER_INST) && (w->status & BW_STATUS_TRAP_EN) &&
	       !(w->status & BW_STATUS_PRIV);
}

/* A wave in a group of its own has no barrier: rule 266. */
static bool at_barrier(struct bw_wave *w)
{
	struct bw_workgroup *wg = w->wg;
	if (!wg || wg->n_waves <= 1)
		return false;
	wg->n_arrived++;
	w->status |= BW_STATUS_IN_BARRIER;
	w->handler_waits = w->status & BW_STATUS_PRIV;
	return true;
}

static void fell_asleep(struct bw_wave *w)
{
	bool polls = w->n_executed - w->n_executed_at_sleep < POLL_INSTRUCTIONS;
	w->sleeps_in_a_row = polls ? w->sleeps_in_a_row + 1 : 0;
	w->n_executed_at_sleep = w->n_executed;
}

static bool end_trap(struct bw_exec *x, struct bw_wave *w)
{
	uint64_t tba;
	if (!(w->mode & BW_MODE_WAVE_END) || w->in_trap_on_end || (w->status & BW_STATUS_PRIV) ||
	    !trap_handler(x, w, &tba))
		return false;
	w->in_trap_on_end = true; /* the next s_endpgm is the end */
	w->trapsts |= BW_TRAPSTS_WAVE_END;
	bw_wave_enter_trap(w, tba, 0, false);
	return true;
}

/* Acts on the reason for which a handler stopped. True: the wave continues; false: *out_run says
 * why it does not. */
static bool handle_exit(struct bw_exec *x, struct bw_wave *w, bool step, enum bw_run *out_run)
{
	enum bw_exit why = x->exit;
	uint64_t tba;
	x->exit = BW_EXIT_NONE;
	switch (why) {
	case BW_EXIT_NONE:
	case BW_EXIT_LOOKUP:
		w->step_pending = step;
		return true;
	case BW_EXIT_TRAP:
		if (trap_handler(x, w, &tba)) {
			bw_wave_enter_trap(w, tba, x->trap_id, false);
		} else {
			w->pc += 4;
			w->step_pending = step;
		}
		return true;
	case BW_EXIT_EXCP:
		/* The instruction is complete [I]; a single step of it is served by the same entry.
		 */
		if (trap_handler(x, w, &tba)) {
			w->trapsts |= step ? BW_TRAPSTS_TRAP_AFTER_INST : 0;
			bw_wave_enter_trap(w, tba, 0, false);
		} else {
			w->step_pending = step;
		}
		return true;
	case BW_EXIT_ILLEGAL:
		*out_run = BW_RUN_FATAL;
		return raise_exception(x, w, BW_TRAPSTS_ILLEGAL_INST);
	case BW_EXIT_FAULT:
		*out_run = BW_RUN_FATAL;
		return raise_exception(
			x, w, BW_TRAPSTS_MEM_VIOL | (x->fault_page ? BW_TRAPSTS_XNACK_ERROR : 0));
	case BW_EXIT_END:
		if (w->watch_late) { /* not after the wave's end */
			w->watch_late = 1;
			return true;
		}
		*out_run = BW_RUN_ENDED;
		return end_trap(x, w);
	case BW_EXIT_KILLED:
		*out_run = BW_RUN_ENDED;
		return false;
	case BW_EXIT_BARRIER:
		w->step_pending = step;
		*out_run = BW_RUN_BARRIER;
		return !at_barrier(w);
	case BW_EXIT_SLEEP:
		w->step_pending = step;
		fell_asleep(w);
		*out_run = BW_RUN_SLEEP;
		return false;
	case BW_EXIT_HALT:
		w->step_pending = step;
		*out_run = BW_RUN_HALTED;
		return false;
	case BW_EXIT_FATAL:
		w->status |= BW_STATUS_HALT | BW_STATUS_FATAL_HALT;
		w->fault_pc = w->pc;
		*out_run = BW_RUN_FATAL;
		return false;
	}
	return false;
}

/* Requests of other threads, in the order of their importance. True: the wave continues. */
static bool handle_requests(struct bw_exec *x, struct bw_wave *w, enum bw_run *out_run)
{
	uint32_t r = atomic_exchange_explicit(&w->request, 0, memory_order_acq_rel);
	bool goes_on = true;
	if (r & BW_REQ_KILL) {
		*out_run = BW_RUN_ENDED;
		return false;
	}
	if (r & (BW_REQ_HALT | BW_REQ_UNHALT))
		w->halts_itself = false;
	if (r & BW_REQ_UNHALT)
		w->status &= ~(uint32_t)BW_STATUS_HALT;
	if (r & BW_REQ_HALT)
		w->status |= BW_STATUS_HALT;
	if (r & BW_REQ_STEP)
		w->step_request = true;
	if (r & BW_REQ_SAVE)
		w->trapsts |= BW_TRAPSTS_SAVECTX;
	if (r & BW_REQ_WATCH && w->watch_hits && !watch_waits(x, w))
		watch_trap(x, w);
	if (r & BW_REQ_FINDING)
		finding_trap(x, w);
	if (r & BW_REQ_HOST_TRAP) {
		host_trap(x, w, w->step_pending);
		w->step_pending = false;
	}
	if (r & BW_REQ_YIELD) {
		*out_run = BW_RUN_QUANTUM;
		goes_on = false;
	}
	return goes_on;
}

/* Runs up to n instructions; returns how many were executed. */
static uint64_t run_chunk(struct bw_exec *x, struct bw_wave *w, uint64_t n)
{
	const struct bw_rec *rec = bw_goto(w, x, w->pc);
	uint8_t *vgpr = (uint8_t *)w->v;
	x->left = n;
	if (bw_is_indexed(x, w))
		x->left = n = 1;
	while (rec) {
		rec = bw_is_indexed(x, w) ? bw_run_indexed(rec, w, x)
					  : rec->fn(rec, w, x, x->left, vgpr);
		if (rec && (x->left == 0 ||
			    atomic_load_explicit(&w->request, memory_order_relaxed) != 0)) {
			w->pc = bw_code_pc(&x->code, rec);
			break;
		}
	}
	return n - x->left;
}

static enum bw_run run_wave(struct bw_exec *x, struct bw_wave *w, uint64_t budget)
{
	enum bw_run result = BW_RUN_QUANTUM;
	for (;;) {
		if (atomic_load_explicit(&w->request, memory_order_relaxed) &&
		    !handle_requests(x, w, &result))
			return result;
		if (w->watch_late == 1)
			watch_trap(x, w);
		if (w->step_pending && !(w->status & BW_STATUS_IN_BARRIER)) {
			w->step_pending = false;
			step_trap(x, w);
		}
		if (w->trapsts & BW_TRAPSTS_SAVECTX)
			save_trap(x, w);
		if (is_halted(w))
			return BW_RUN_HALTED;
		if ((w->status & BW_STATUS_IN_BARRIER) &&
		    (w->handler_waits || !(w->status & BW_STATUS_PRIV)))
			return BW_RUN_BARRIER;
		if (budget == 0)
			return BW_RUN_QUANTUM;
		bool step = is_stepping(w) || (w->step_request && !(w->status & BW_STATUS_PRIV));
		uint64_t most = w->watch_late ? w->watch_late : CHUNK;
		uint64_t n = run_chunk(x, w, step ? 1 : BW_MIN(budget, most));
		w->n_executed += n;
		budget -= n;
		if (w->watch_late > 1)
			w->watch_late = (uint8_t)(w->watch_late - BW_MIN(n, w->watch_late - 1u));
		/* A request can come before the instruction of a step. */
		step = step && n != 0;
		if (step)
			w->step_request = false;
		if (!handle_exit(x, w, step, &result))
			return result;
	}
}

enum bw_run bw_exec_run(struct bw_exec *x, struct bw_wave *w, uint64_t budget)
{
	x->base[BW_BASE_ABS] = NULL;
	x->base[BW_BASE_WAVE] = (uint8_t *)w;
	x->base[BW_BASE_VGPR] = (uint8_t *)w->v;
	x->base[BW_BASE_BCAST] = (uint8_t *)x->bcast;
	x->exit = BW_EXIT_NONE;
	if (x->m.mode != w->mode || !x->m.mxcsr32)
		bw_fmode_set(&x->m, w->mode);
	uint32_t saved = bw_fmode_enter(&x->m);
	enum bw_run result = run_wave(x, w, budget);
	bw_fmode_leave(saved);
	return result;
}
