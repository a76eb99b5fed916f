/* SPDX-License-Identifier: MIT */
/* One turn of a WGP: which of its waves run, and what follows when they stop. */
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/cwsr.h"
#include "vgpu/device/draw.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/check/init.h"
#include "vgpu/device/exec/check/sync.h"
#include "vgpu/device/gws.h"
#include "vgpu/device/scheduler_priv.h"
#include "vgpu/device/spi.h"
#include "vgpu/device/exec/core/plant.h"

enum {
	QUANTUM = 4096, /* instructions of a wave's turn */
	BRIEFLY = 64,
	HELP = 512, /* of a worker that is brief, for so many waves: */
	HELP_WAVES = 4,
	ROUNDS = 16,	    /* in a turn, as long as groups come and go */
	POLLS_QUICKLY = 50, /* sleeps in a row, before the waits grow */
};

/* --- the executor's callbacks --- */

static bool host_trap_base(void *cookie, unsigned vmid, uint64_t *out_tba, uint64_t *out_tma)
{
	struct bw_device *dev = ((struct bw_worker *)cookie)->dev;
	uint32_t tba_hi = bw_reg_get_vmid(dev, BW_REG_SQ_SHADER_TBA_HI, vmid);
	uint32_t tma_hi = bw_reg_get_vmid(dev, BW_REG_SQ_SHADER_TMA_HI, vmid);
	if (dev->options.plant & BW_PLANT_DEAD)
		dev->is_dead = true;
	*out_tba = bw_canonical(bw_join_256b(BW_FIELD_GET(SQ_SHADER_TBA_HI, ADDR_HI, tba_hi),
					     bw_reg_get_vmid(dev, BW_REG_SQ_SHADER_TBA_LO, vmid)));
	*out_tma = bw_canonical(bw_join_256b(BW_FIELD_GET(SQ_SHADER_TMA_HI, ADDR_HI, tma_hi),
					     bw_reg_get_vmid(dev, BW_REG_SQ_SHADER_TMA_LO, vmid)));
	return BW_FIELD_GET(SQ_SHADER_TBA_HI, TRAP_EN, tba_hi);
}

static uint64_t host_realtime(void *cookie)
{
	return bw_device_realtime(((struct bw_worker *)cookie)->dev);
}

static uint32_t host_shader_cycles(void *cookie)
{
	struct bw_device *dev = ((struct bw_worker *)cookie)->dev;
	return (uint32_t)(bw_device_now_ns(dev) * dev->profile->shader_clock_mhz / 1000);
}

static uint8_t ring_of(uint32_t hw_id2)
{
	return bw_ih_ring(BW_FIELD_GET(SQ_WAVE_HW_ID2, ME_ID, hw_id2),
			  BW_FIELD_GET(SQ_WAVE_HW_ID2, PIPE_ID, hw_id2),
			  BW_FIELD_GET(SQ_WAVE_HW_ID2, QUEUE_ID, hw_id2));
}

/* An interrupt vector of a wave, without what depends on its encoding. */
static struct bw_ih_vector sq_vector(const struct bw_wave *w, enum bw_ih_sq_encoding encoding)
{
	uint32_t id1 = w->hw_id1;
	struct bw_ih_vector v = {
		.client = BW_IH_CLIENT_GRBM_CP,
		.source = BW_IH_SRC_SQ,
		.ring = ring_of(w->hw_id2),
		.vmid = w->vmid,
	};
	bw_words_put(v.data, BW_IH_SQ_SH_ID, BW_FIELD_GET(SQ_WAVE_HW_ID1, SA_ID, id1));
	bw_words_put(v.data, BW_IH_SQ_PRIV, w->status & BW_STATUS_PRIV ? 1 : 0);
	bw_words_put(v.data, BW_IH_SQ_WAVE_ID, BW_FIELD_GET(SQ_WAVE_HW_ID1, WAVE_ID, id1));
	bw_words_put(v.data, BW_IH_SQ_SIMD_ID, BW_FIELD_GET(SQ_WAVE_HW_ID1, SIMD_ID, id1));
	bw_words_put(v.data, BW_IH_SQ_WGP_ID, BW_FIELD_GET(SQ_WAVE_HW_ID1, WGP_ID, id1));
	bw_words_put(v.data, BW_IH_SQ_ENCODING, encoding);
	return v;
}

static void host_send_interrupt(void *cookie, struct bw_wave *w, uint32_t m0)
{
	struct bw_worker *worker = cookie;
	struct bw_ih_vector v = sq_vector(w, BW_IH_SQ_MESSAGE);
	bw_words_put(v.data, BW_IH_SQ_DATA, m0);
	bw_ih_raise(worker->dev, &v);
}

static struct bw_slot *slot_of(struct bw_wave *w)
{
	return BW_CONTAINER_OF(w, struct bw_slot, w);
}

static void host_wakeup(void *cookie, struct bw_workgroup *wg)
{
	for (unsigned i = 0; i < wg->n_waves; i++) {
		struct bw_slot *s = wg->wave[i] ? slot_of(wg->wave[i]) : NULL;
		if (s && s->group == wg->owner && s->state == BW_SLOT_SLEEP)
			s->state = BW_SLOT_READY;
	}
}

static uint32_t host_doorbell(void *cookie, struct bw_wave *w)
{
	return slot_of(w)->group->dispatch->doorbell;
}

static uint32_t host_dispatch_id(void *cookie, struct bw_wave *w)
{
	return slot_of(w)->group->dispatch->packet_id;
}

static uint64_t host_save_wave(void *cookie, struct bw_wave *w)
{
	return bw_cwsr_wave_asks(slot_of(w));
}

static void host_absent(void *cookie, struct bw_wave *w, uint64_t pc, const uint32_t *words,
			const char *name)
{
	BW_LOG(ERROR, "vgpu", "the virtual GPU does not execute %s: 0x%08x 0x%08x at 0x%" PRIx64,
	       name ? name : "this instruction", words[0], words[1], pc);
}

static bool host_graphics(void *cookie, struct bw_wave *w, const struct bw_inst *inst)
{
	struct bw_group *g = slot_of(w)->group;
	return g->dispatch->draw && bw_draw_instruction(g, w, inst);
}

/* The table of border colours that the samplers of the running shader point into, 0 before a
 * program sets it: compute shaders have another one. */
static uint64_t host_border_colors(void *cookie)
{
	struct bw_worker *worker = cookie;
	struct bw_device *dev = worker->dev;
	const struct bw_slot *s = atomic_load_explicit(&worker->current, memory_order_relaxed);
	if (s && s->group->dispatch->draw)
		return bw_join_256b(BW_FIELD_GET(TA_BC_BASE_ADDR_HI, ADDRESS,
						 bw_reg_get(dev, BW_REG_TA_BC_BASE_ADDR_HI)),
				    bw_reg_get(dev, BW_REG_TA_BC_BASE_ADDR));
	uint32_t hi = bw_reg_get(dev, BW_REG_TA_CS_BC_BASE_ADDR_HI);
	return bw_join_256b(BW_FIELD_GET(TA_CS_BC_BASE_ADDR_HI, ADDRESS, hi),
			    bw_reg_get(dev, BW_REG_TA_CS_BC_BASE_ADDR));
}

static bool host_precise_memory(void *cookie)
{
	struct bw_device *dev = ((struct bw_worker *)cookie)->dev;
	return BW_FIELD_GET(SQ_DEBUG, SINGLE_MEMOP, bw_reg_get(dev, BW_REG_SQ_DEBUG));
}

static bool host_gws(void *cookie, struct bw_wave *w, unsigned resource, enum bw_gws_op op,
		     uint32_t n)
{
	return bw_gws_wave_does(((struct bw_worker *)cookie)->dev, w, resource, op, n);
}

struct bw_exec_host bw_worker_exec_host(struct bw_worker *worker)
{
	return (struct bw_exec_host){
		.cookie = worker,
		.gen = worker->dev->profile->gen,
		.trap_base = host_trap_base,
		.realtime = host_realtime,
		.shader_cycles = host_shader_cycles,
		.send_interrupt = host_send_interrupt,
		.wakeup = host_wakeup,
		.absent = host_absent,
		.doorbell = host_doorbell,
		.dispatch_id = host_dispatch_id,
		.save_wave = host_save_wave,
		.border_colors = host_border_colors,
		.graphics = host_graphics,
		.precise_memory = host_precise_memory,
		.gws = host_gws,
		.counts = worker->dev->options.counts,
		.interpret = worker->dev->options.interpret,
		.plant = worker->dev->options.plant,
		.strict = worker->dev->strict,
		.check = worker->dev->check,
		.sh_mem_bases = BW_SH_MEM_BASES,
	};
}

/* --- held time --- */

static void set_held(struct bw_worker *worker, struct bw_slot *s, bool held)
{
	struct bw_sched *sched = worker->dev->sched;
	if (s->held == held)
		return;
	s->held = held;
	struct bw_held *h = &sched->held[s->w.vmid];
	pthread_mutex_lock(&sched->held_lock);
	if (held && h->n++ == 0)
		h->since_ns = bw_host_ns();
	else if (!held && --h->n == 0)
		h->total_ns += bw_host_ns() - h->since_ns;
	pthread_mutex_unlock(&sched->held_lock);
}

/* --- barriers and ends --- */

/* Releases the group's waves from the barrier when all that have not ended have arrived (rules 266
 * to 268). */
static void check_barrier(const struct bw_worker *worker, struct bw_workgroup *wg)
{
	unsigned n_ended = worker->dev->options.plant & BW_PLANT_BARRIER ? 0 : wg->n_ended;
	if (!wg->n_arrived || wg->n_arrived + n_ended < wg->n_waves)
		return;
	wg->n_arrived = 0;
	bw_check_barrier(wg);
	for (unsigned i = 0; i < wg->n_waves; i++) {
		struct bw_slot *s = slot_of(wg->wave[i]);
		if (s->group != wg->owner || s->state == BW_SLOT_FREE || !s->at_barrier)
			continue;
		s->at_barrier = false;
		s->w.status &= ~(uint32_t)BW_STATUS_IN_BARRIER;
		if (s->state == BW_SLOT_BARRIER)
			s->state = BW_SLOT_READY;
	}
}

static void wave_ended(struct bw_worker *worker, struct bw_wgp *wgp, struct bw_slot *s)
{
	struct bw_workgroup *wg = s->w.wg;
	set_held(worker, s, false);
	/* A wave that ends while it waits (killed) counts as ended, not as arrived. */
	if (s->at_barrier)
		wg->n_arrived--;
	wg->n_ended++;
	s->state = BW_SLOT_FREE;
	s->at_barrier = false;
	s->w.status &= ~(uint32_t)BW_STATUS_VALID;
	wgp->resident[s->simd] &= (uint16_t)~(1u << s->id);
	__atomic_store_n(&wgp->n_resident, wgp->n_resident - 1, __ATOMIC_RELAXED);
	check_barrier(worker, wg);
	bw_init_wave_end(&s->w);
	bw_gws_wave_ended(worker->dev, &s->w);
	bw_spi_wave_ended(wgp, s);
}

static void wave_fatal(struct bw_worker *worker, struct bw_slot *s)
{
	struct bw_wave *w = &s->w;
	bool illegal = w->trapsts & BW_TRAPSTS_ILLEGAL_INST;
	s->state = BW_SLOT_FATAL;
	BW_LOG(INFO, "vgpu", "wave 0x%08x of VMID %u halted at 0x%" PRIx64 ": %s, no trap handler",
	       w->hw_id1, w->vmid, w->pc, illegal ? "illegal instruction" : "memory violation");
	struct bw_ih_vector error = sq_vector(w, BW_IH_SQ_ERROR);
	bw_words_put(error.data, BW_IH_SQ_ERROR_TYPE,
		     illegal ? BW_IH_SQ_ILLEGAL_INST : BW_IH_SQ_MEM_VIOL);
	bw_ih_raise(worker->dev, &error);
	if (illegal) {
		struct bw_ih_vector v = {
			.client = BW_IH_CLIENT_GRBM_CP,
			.source = BW_IH_SRC_CP_PRIV_INSTR,
			.ring = ring_of(w->hw_id2),
			.vmid = w->vmid,
		};
		bw_ih_raise(worker->dev, &v);
	}
}

/* --- sleeping --- */

/* A fresh sleep lasts as long as it says at 2 GHz. A wave that sleeps again and again polls: every
 * 20 us at first, after some fifty times less and less often, every 2 ms in the end. Longer sleeps
 * end on round moments, so that the waves of a WGP wake together. */
static uint64_t wake_time(struct bw_device *dev, const struct bw_wave *w)
{
	uint64_t now = bw_device_now_ns(dev);
	uint64_t ns = w->sleep_clocks * 1000 / dev->profile->shader_clock_mhz;
	if (w->sleeps_in_a_row > POLLS_QUICKLY) {
		unsigned doublings = BW_MIN((w->sleeps_in_a_row - POLLS_QUICKLY) / 16, 7u);
		uint64_t poll_ns = BW_MIN(20000ull << doublings, 2000000ull);
		ns = BW_MAX(ns, poll_ns);
	} else if (w->sleeps_in_a_row > 2) {
		ns = BW_MAX(ns, 20000ull);
	}
	if (ns < 20000)
		return now + ns;
	uint64_t grid = ns / 4;
	return bw_align_up(now + ns, grid);
}

/* --- one wave --- */

static enum bw_run execute(struct bw_worker *worker, struct bw_slot *s, uint64_t budget)
{
	struct bw_wave *w = &s->w;
	struct bw_tlb *tlb = &worker->tlb[w->vmid];
	/* An invalidation raises the generation first, and looks at running_vmid then. */
	atomic_store(&worker->running_vmid, w->vmid);
	bw_tlb_sync(tlb);
	atomic_store_explicit(&worker->running_generation, tlb->generation, memory_order_release);
	w->tlb = tlb;
	if (s->fills_scratch) {
		s->fills_scratch = false;
		bw_stomp_scratch(&s->group->dispatch->stomp, w);
	}
	enum bw_run result = bw_exec_run(worker->exec, w, budget);
	atomic_store_explicit(&worker->running_vmid, -1, memory_order_release);
	/* No other thread writes it. */
	uint64_t n = atomic_load_explicit(&worker->instructions, memory_order_relaxed);
	atomic_store_explicit(&worker->instructions, n + w->n_executed - s->counted,
			      memory_order_relaxed);
	s->counted = w->n_executed;
	return result;
}

/* SQ_CMD SINGLE_STEP: a halted wave issues one instruction. */
static enum bw_run execute_single_step(struct bw_worker *worker, struct bw_slot *s)
{
	s->single_step = false;
	if (!(s->w.status & BW_STATUS_HALT))
		return BW_RUN_QUANTUM;
	uint64_t before = s->w.n_executed;
	/* a command to halt that came just before the step has done what it should */
	atomic_fetch_and(&s->w.request, ~(uint32_t)BW_REQ_HALT);
	s->w.status &= ~(uint32_t)BW_STATUS_HALT;
	enum bw_run result = execute(worker, s, 1);
	s->w.status |= BW_STATUS_HALT;
	/* A thread that wants the WGP can come before the instruction: the step is still due. */
	s->single_step = result == BW_RUN_QUANTUM && s->w.n_executed == before;
	return result == BW_RUN_QUANTUM ? BW_RUN_HALTED : result;
}

static void run_slot(struct bw_worker *worker, struct bw_wgp *wgp, struct bw_slot *s,
		     uint64_t budget)
{
	struct bw_wave *w = &s->w;
	uint32_t request = atomic_load(&w->request);
	if (request & BW_REQ_KILL) {
		bw_cwsr_wave_is_killed(s);
		bw_sync_wave_killed(w);
		wave_ended(worker, wgp, s);
		return;
	}
	if (s->state == BW_SLOT_FATAL) {
		atomic_store(&w->request, 0);
		return;
	}
	enum bw_run result =
		s->single_step ? execute_single_step(worker, s) : execute(worker, s, budget);
	if (!(w->status & BW_STATUS_IN_BARRIER))
		s->at_barrier = false; /* also when it has left for a context save */
	switch (result) {
	case BW_RUN_QUANTUM:
		s->state = BW_SLOT_READY;
		break;
	case BW_RUN_ENDED:
		bw_sync_wave_end(w);
		wave_ended(worker, wgp, s);
		return;
	case BW_RUN_BARRIER:
		/* Also when a wave that waits there comes back from a trap: it has arrived already.
		 */
		if (!s->at_barrier)
			bw_sync_arrive(w);
		s->at_barrier = true;
		s->state = BW_SLOT_BARRIER;
		w->status |= BW_STATUS_IN_BARRIER;
		check_barrier(worker, w->wg);
		break;
	case BW_RUN_SLEEP:
		s->state = BW_SLOT_SLEEP;
		s->wake_ns = wake_time(worker->dev, w);
		break;
	case BW_RUN_HALTED:
		s->state = BW_SLOT_HALTED;
		break;
	case BW_RUN_FATAL:
		wave_fatal(worker, s);
		break;
	}
	bool polls_in_handler = s->state == BW_SLOT_SLEEP && w->status & BW_STATUS_PRIV;
	bool between = s->state == BW_SLOT_READY && w->status & BW_STATUS_PRIV && s->held;
	/* A wave that halts itself counts as hanging: no debugger holds it. */
	bool is_halted = s->state == BW_SLOT_HALTED && !w->halts_itself;
	set_held(worker, s, is_halted || polls_in_handler || between);
}

static bool can_run(const struct bw_slot *s, uint64_t now_ns)
{
	if (s->state == BW_SLOT_READY || s->single_step)
		return true;
	if (s->state == BW_SLOT_SLEEP && s->wake_ns <= now_ns)
		return true;
	return atomic_load(&s->w.request) & ~(uint32_t)BW_REQ_YIELD;
}

static uint64_t turn_of(const struct bw_worker *worker, const struct bw_slot *s, bool is_wanted)
{
	const struct bw_draw *d = s->group->dispatch->draw;
	uint64_t n = is_wanted ? BRIEFLY : worker->is_brief ? HELP : QUANTUM;
	return d ? BW_MIN(n, bw_draw_turn(d)) : n;
}

/* Goes round the slots once, from where the last turn was interrupted. A thread that wants the WGP
 * interrupts it, but not before one wave has made progress: else a driver that reads registers in a
 * loop would block the waves. */
static void go_round(struct bw_worker *worker, struct bw_wgp *wgp, uint64_t now_ns)
{
	struct bw_device *dev = worker->dev;
	unsigned n = dev->profile->simd_per_wgp * BW_MAX_WAVES_PER_SIMD, n_run = 0;
	for (unsigned k = 0; k < n; k++) {
		unsigned at = (wgp->next_slot + k) % n;
		unsigned simd = at / BW_MAX_WAVES_PER_SIMD, id = at % BW_MAX_WAVES_PER_SIMD;
		struct bw_slot *s = &wgp->slot[simd][id];
		if (!(wgp->resident[simd] >> id & 1) || !can_run(s, now_ns))
			continue;
		atomic_store_explicit(&worker->current, s, memory_order_release);
		atomic_store(&wgp->current, s); /* before yield_wanted is looked at */
		if (atomic_load(&s->w.request) & BW_REQ_YIELD)
			atomic_fetch_and(&s->w.request, ~(uint32_t)BW_REQ_YIELD);
		bw_sq_carry_out(wgp);
		bool wanted = atomic_load(&wgp->yield_wanted);
		if ((wanted && n_run) || (worker->is_brief && n_run == HELP_WAVES) ||
		    atomic_load(&dev->sched->stop)) {
			wgp->next_slot = at;
			break;
		}
		run_slot(worker, wgp, s, turn_of(worker, s, wanted));
		n_run++;
	}
	atomic_store_explicit(&wgp->current, NULL, memory_order_release);
	atomic_store_explicit(&worker->current, NULL, memory_order_release);
}

bool bw_wgp_turn(struct bw_worker *worker, struct bw_wgp *wgp, uint64_t *out_wake_ns)
{
	bool ready = false;
	*out_wake_ns = ~0ull;
	bw_spi_launch(wgp);
	bw_sq_carry_out(wgp);
	uint64_t now = bw_device_now_ns(worker->dev);
	/* Groups that came into what ended ones left are run as well for a while: their registers
	 * lie in the cache. */
	for (unsigned i = 0; i < ROUNDS; i++) {
		go_round(worker, wgp, now);
		if (!bw_spi_launch(wgp) || worker->is_brief || atomic_load(&wgp->yield_wanted) ||
		    atomic_load(&worker->dev->sched->stop))
			break;
	}

	wgp->polling = true;
	for (unsigned simd = 0; simd < worker->dev->profile->simd_per_wgp; simd++) {
		for (uint32_t left = wgp->resident[simd]; left; left &= left - 1) {
			const struct bw_slot *s = &wgp->slot[simd][__builtin_ctz(left)];
			if (can_run(s, now)) {
				ready = true;
			} else if (s->state == BW_SLOT_SLEEP) {
				*out_wake_ns = BW_MIN(*out_wake_ns, s->wake_ns);
				wgp->polling &= s->w.sleeps_in_a_row > POLLS_QUICKLY;
			}
		}
	}
	return ready;
}
