// SPDX-License-Identifier: MIT
/* Resuming stopped waves, and stopping running ones. No message is sent for a wave: commands go
 * through the slots, and the stop count in the control block is the one line that is polled. */
#include "live/live_priv.h"
#include "live/gpu_regs.h"
#include "live/operations.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/wait.h"

enum {
	SPIN_NS = 30 * 1000, /* a step of a wave that polls every 20 us */
	QUICK_NS = 2 * 1000 * 1000,
	CHECK_ALIVE_NS = 4 * 1000 * 1000, /* after so long without an answer, check whether the wave
					   * has ended */
	COMMAND_TIMEOUT_NS = 2000000000,
	SETTLE_NS = 300 * 1000, /* the stop count has not moved for so long */
};
static const uint64_t stop_timeout_ns = 3000000000ull;

uint64_t bw_live_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* Waits a little: the longer the wait has lasted, the longer. */
static void pause_for(uint64_t waited_ns)
{
	if (waited_ns < SPIN_NS) {
		for (int i = 0; i < 16; i++)
			relax();
	} else {
		/* A thread that slept is scheduled before those that compute, so on a busy machine
		 * a short sleep returns sooner than a yield. */
		uint64_t ns = BW_MIN(waited_ns / 4, (uint64_t)2000000);
		nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
	}
}

static unsigned wgp_of(const struct bw_target_facts *f, uint32_t slot)
{
	return slot / (f->simd_per_wgp * f->waves_per_simd);
}

/* After code was written, the first wave of each WGP that is resumed invalidates the instruction
 * cache. */
static uint32_t resume_flags(struct bw_live *l, uint32_t slot)
{
	uint32_t *seen = &l->icache_generation[wgp_of(&l->t.facts, slot)];
	if (*seen == l->code_generation)
		return BW_TRAP_RESUME_KEEP_ICACHE;
	return 0;
}

static void put_command(struct bw_live_vm *vm, uint32_t slot, uint32_t command, uint32_t arg0,
			uint32_t arg1)
{
	volatile struct bw_trap_slot *s = bw_live_slot(vm, slot);
	s->arg0 = arg0;
	s->arg1 = arg1;
	__atomic_store_n(&s->command, bw_trap_command(command, s->seq), __ATOMIC_RELEASE);
}

static void put_resume(struct bw_live_vm *vm, uint32_t slot, uint32_t flags)
{
	vm->slots[slot].resumed = true;
	vm->slots[slot].resumed_seq = bw_live_slot(vm, slot)->seq;
	put_command(vm, slot, BW_TRAP_CMD_RESUME, flags, 0);
}

struct bw_error *bw_live_resume(struct bw_target *t, const uint32_t *slots, size_t n)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	for (size_t i = 0; i < n; i++)
		BW_TRY(bw_live_need_stopped(l, slots[i], &vm));
	for (size_t i = 0; i < n; i++) {
		BW_TRY(bw_live_need_stopped(l, slots[i], &vm));
		put_resume(vm, slots[i], resume_flags(l, slots[i]));
	}
	for (size_t i = 0; i < n; i++)
		l->icache_generation[wgp_of(&t->facts, slots[i])] = l->code_generation;
	l->last_run_ns = bw_live_now_ns();
	return NULL;
}

struct bw_error *bw_live_step(struct bw_target *t, uint32_t slot)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	BW_TRY(bw_live_need_stopped(l, slot, &vm));
	volatile struct bw_trap_slot *s = bw_live_slot(vm, slot);
	int at = bw_trap_hw_of(bw_arch_reg_of(t->facts.arch, BW_WF_STEP_EN));
	if (at < 0)
		return bw_errorf(BW_E_UNSUPPORTED, "waves of this GPU cannot be stepped");
	s->hw[at] |= bw_arch_mask(t->facts.arch, BW_WF_STEP_EN);
	put_resume(vm, slot, resume_flags(l, slot));
	l->icache_generation[wgp_of(&t->facts, slot)] = l->code_generation;
	return NULL;
}

/* Whether another event is pending: a message of the agent, or the end of the program or of the
 * GPU. */
static bool others_want(struct bw_live *l)
{
	struct pollfd fds[] = {{l->pidfd, POLLIN, 0}, {bw_kmd_liveness_fd(l->kmd), POLLIN, 0}};
	if (l->queue.len || l->notes.len || poll(fds, BW_ARRAY_SIZE(fds), 0) > 0)
		return true;
	bw_vec_each(&l->procs, p) {
		struct pollfd agent = {(*p)->fd, POLLIN, 0};
		if (poll(&agent, 1, 0) > 0)
			return true;
	}
	return false;
}

struct bw_error *bw_live_wait_wave(struct bw_target *t, uint32_t slot, int timeout_ms,
				   bool *out_stopped, bool *out_ended)
{
	struct bw_live *l = bw_live_of(t);
	uint64_t start = bw_live_now_ns(), next_check = CHECK_ALIVE_NS, waited = 0;
	uint32_t before[BW_LIVE_GRID];
	struct bw_wave_state state;

	*out_stopped = *out_ended = false;
	/* the waves have ended with their program: an event will say so soon */
	if (!bw_live_any_attached(l))
		return bw_errorf(BW_E_GONE, "the program has closed the GPU");
	struct bw_live_vm *vm = bw_live_last_owner(l, slot);
	if (!vm)
		return bw_errorf(BW_E_STATE, "no wave has stopped in this slot yet");
	volatile struct bw_trap_slot *s = bw_live_slot(vm, slot);
	bw_live_state(t->facts.arch, s, &state);
	for (int i = 0; i < BW_LIVE_GRID; i++)
		before[i] = bw_wave_get(&state, bw_live_grid[i]);
	for (;;) {
		if (bw_live_is_stopped(t, slot)) {
			*out_stopped = true;
			/* this wave; others that were resumed with it may have stopped, too */
			vm->stops_seen++;
			return NULL;
		}
		if (atomic_load(&l->interrupted))
			return NULL;
		if (waited > QUICK_NS && others_want(l))
			return NULL;
		if (waited > next_check) {
			bool resident;
			next_check = waited + BW_MIN(waited / 2, (uint64_t)50000000);
			/* it is still in the handler, about to resume: it is alive */
			if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == BW_TRAP_STATE_FREE) {
				BW_TRY(bw_live_is_resident(l, slot, before, &resident));
				if (!resident && !bw_live_is_stopped(t, slot)) {
					*out_ended = true;
					return NULL;
				}
			}
		}
		if (timeout_ms >= 0 && waited > (uint64_t)timeout_ms * 1000000)
			return NULL;
		pause_for(waited);
		waited = bw_live_now_ns() - start;
	}
}

struct bw_error *bw_live_command(struct bw_live_vm *vm, uint32_t slot, uint32_t command,
				 uint32_t arg0, uint32_t arg1)
{
	uint64_t start = bw_live_now_ns(), waited = 0;
	volatile struct bw_trap_slot *s = bw_live_slot(vm, slot);
	put_command(vm, slot, command, arg0, arg1);
	while (__atomic_load_n(&s->command, __ATOMIC_ACQUIRE) != 0) {
		if (waited > COMMAND_TIMEOUT_NS) {
			/* says who is stopped */
			bw_wait_should_continue((unsigned)(waited / 1000000), false);
			return bw_errorf(BW_E_TIMEOUT, "the wave in slot %u does not answer", slot);
		}
		pause_for(waited);
		waited = bw_live_now_ns() - start;
	}
	return NULL;
}

/* ---- Stopping ---- */

/* Waits until no further wave has reported for a while. */
static void settle(struct bw_live *l)
{
	uint64_t start = bw_live_now_ns(), changed = start, now = start;
	uint32_t stops = bw_live_stops(l);
	while (now - changed < SETTLE_NS) {
		pause_for(now - changed < SPIN_NS ? 0 : SPIN_NS);
		now = bw_live_now_ns();
		uint32_t s = bw_live_stops(l);
		if (s != stops) {
			stops = s;
			changed = now;
		}
	}
}

static uint32_t count_running(struct bw_live *l, uint32_t *resident)
{
	uint32_t n = 0;
	for (uint32_t slot = 0; slot < l->t.facts.n_slots; slot++) {
		uint32_t place = bw_live_is_stopped(&l->t, slot) ? bw_live_place(l, slot) : ~0u;
		if (place != ~0u)
			resident[place / 32] &= ~(1u << place % 32);
	}
	for (uint32_t slot = 0; slot < l->t.facts.n_slots; slot++)
		n += resident[slot / 32] >> slot % 32 & 1;
	return n;
}

static void set_stopping(struct bw_live *l, bool on)
{
	bw_vec_each(&l->vms, it) {
		struct bw_live_vm *vm = *it;
		if (!vm->attached)
			continue;
		if (on)
			__atomic_or_fetch(&vm->control->flags, BW_TRAP_F_STOPPING,
					  __ATOMIC_SEQ_CST);
		else
			__atomic_and_fetch(&vm->control->flags, ~(uint32_t)BW_TRAP_F_STOPPING,
					   __ATOMIC_SEQ_CST);
	}
}

struct bw_error *bw_live_stop_all(struct bw_target *t, uint32_t *out_running)
{
	struct bw_live *l = bw_live_of(t);
	uint64_t start = bw_live_now_ns();
	struct bw_error *err = NULL;
	uint32_t running = 0, rounds = 0;

	*out_running = 0;
	if (!bw_live_any_attached(l))
		return NULL;
	uint32_t *resident = calloc(t->facts.n_slots / 32 + 1, sizeof(*resident));
	if (!resident)
		return bw_error_nomem();
	set_stopping(l, true);
	/* A wave that is still leaving the handler ignores the host trap, and new waves may be
	 * launched meanwhile: send it again until all resident waves have stopped. */
	for (;;) {
		err = bw_live_host_trap(l);
		if (err)
			break;
		settle(l);
		err = bw_live_resident(l, resident);
		if (err)
			break;
		running = count_running(l, resident);
		rounds++;
		if (!running || bw_live_now_ns() - start > stop_timeout_ns)
			break;
	}
	set_stopping(l, false);
	free(resident);
	bw_live_stops_are_seen(l);
	BW_LOG(DEBUG, "live", "stop: %u rounds, %llu us, %u still running", rounds,
	       (unsigned long long)(bw_live_now_ns() - start) / 1000, running);
	if (err)
		return bw_error_wrap(err, "stopping all waves");
	*out_running = running;
	return NULL;
}
