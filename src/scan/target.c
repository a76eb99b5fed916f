/* SPDX-License-Identifier: MIT */
#include "scan/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "gpu/space.h"
#include "scan/halt.h"
#include "target/ops.h"

/* An address space with waves in it. */
struct vmid {
	unsigned number;
	bool has_process, is_first_of_it, is_open;
	struct bw_kmd_client process;
	struct bw_gpu_space space;
};

struct scan_target {
	struct bw_target t;
	struct bw_gpu gpu;
	struct bw_scan_waves waves;
	uint32_t *slots; /* for each slot the wave in it; UINT32_MAX: none */
	struct vmid vmid[BW_GPU_VMIDS];
	unsigned n_vmids;
	struct bw_guard guard;	  /* of GFXOFF, where nothing is halted */
	struct bw_scan_halt halt; /* gpu NULL: nothing is halted */
	unsigned next_event;
	bool interrupted; /* atomic */
};

static struct scan_target *scan_of(struct bw_target *t)
{
	return BW_CONTAINER_OF(t, struct scan_target, t);
}

/* ---- Events ---- */

/* Who there is first: for each address space its program, where it is known, and that the program
 * has it; then that all that is to be seen has stopped. */
enum { EVENTS_PER_VMID = 2 };

static bool event(const struct scan_target *s, unsigned number, struct bw_target_event *out)
{
	if (number == s->n_vmids * EVENTS_PER_VMID) {
		*out = (struct bw_target_event){.kind = BW_EVENT_STOP};
		return true;
	}
	const struct vmid *v = &s->vmid[number / EVENTS_PER_VMID];
	bool is_program = number % EVENTS_PER_VMID == 0;
	*out = (struct bw_target_event){.kind = is_program ? BW_EVENT_PROGRAM : BW_EVENT_SUBMIT,
					.pid = v->has_process ? v->process.pid : 0,
					.space = v->number,
					.is_running = true};
	snprintf(out->comm, sizeof(out->comm), "%s", v->has_process ? v->process.comm : "");
	return !is_program || v->is_first_of_it;
}

static struct bw_error *scan_wait(struct bw_target *t, int timeout_ms, struct bw_target_event *out)
{
	struct scan_target *s = scan_of(t);
	if (__atomic_exchange_n(&s->interrupted, false, __ATOMIC_SEQ_CST)) {
		*out = (struct bw_target_event){.kind = BW_EVENT_INTERRUPT};
		return NULL;
	}
	while (s->next_event <= s->n_vmids * EVENTS_PER_VMID)
		if (event(s, s->next_event++, out))
			return NULL;
	if (timeout_ms < 0)
		return bw_errorf(BW_E_STATE, "the waves of this session are only looked at: there "
					     "is no event to wait for");
	*out = (struct bw_target_event){.kind = BW_EVENT_NONE};
	return NULL;
}

static void scan_interrupt(struct bw_target *t)
{
	__atomic_store_n(&scan_of(t)->interrupted, true, __ATOMIC_SEQ_CST);
}

static bool scan_is_interrupted(struct bw_target *t)
{
	return __atomic_load_n(&scan_of(t)->interrupted, __ATOMIC_SEQ_CST);
}

static void scan_forget_interrupt(struct bw_target *t)
{
	__atomic_store_n(&scan_of(t)->interrupted, false, __ATOMIC_SEQ_CST);
}

/* ---- Waves ---- */

static bool scan_is_stopped(struct bw_target *t, uint32_t slot)
{
	return slot < t->facts.n_slots && scan_of(t)->slots[slot] != UINT32_MAX;
}

static size_t scan_stopped(struct bw_target *t, uint32_t *out_slots, size_t max)
{
	size_t n = 0;
	for (uint32_t slot = 0; slot < t->facts.n_slots; slot++) {
		if (!scan_is_stopped(t, slot))
			continue;
		if (n < max)
			out_slots[n] = slot;
		n++;
	}
	return n;
}

static struct bw_error *wave_in(struct bw_target *t, uint32_t slot, struct bw_scan_wave **out)
{
	struct scan_target *s = scan_of(t);
	if (!scan_is_stopped(t, slot))
		return bw_errorf(BW_E_STATE, "there was no wave in slot %u", slot);
	*out = &s->waves.data[s->slots[slot]];
	return NULL;
}

static struct bw_error *scan_read_wave(struct bw_target *t, uint32_t slot,
				       struct bw_target_wave *out)
{
	struct bw_scan_wave *w = NULL;
	BW_TRY(wave_in(t, slot, &w));
	*out = w->wave;
	return NULL;
}

static struct bw_error *scan_read_sgprs(struct bw_target *t, uint32_t slot, unsigned first,
					unsigned n, uint32_t *out)
{
	struct bw_scan_wave *w = NULL;
	BW_TRY(wave_in(t, slot, &w));
	if (first > BW_SCAN_SGPRS || n > BW_SCAN_SGPRS - first)
		return bw_errorf(BW_E_INVALID, "no such SGPRs");
	memcpy(out, w->sgprs + first, (size_t)n * 4);
	return NULL;
}

/* Those of a wave are read when the first of them is wanted: reading all of a full GPU takes
 * minutes on hardware. */
static struct bw_error *scan_read_vgpr(struct bw_target *t, uint32_t slot, unsigned n,
				       uint32_t *out)
{
	struct scan_target *s = scan_of(t);
	const struct bw_scan scan = {.gpu = &s->gpu};
	struct bw_scan_wave *w = NULL;
	BW_TRY(wave_in(t, slot, &w));
	if (n >= w->wave.n_vgprs)
		return bw_errorf(BW_E_INVALID, "the wave has %u VGPRs, not v%u", w->wave.n_vgprs,
				 n);
	if (!w->vgprs)
		BW_TRY(bw_scan_vgprs(&scan, w));
	memcpy(out, w->vgprs + (size_t)n * w->wave.lanes, w->wave.lanes * 4u);
	return NULL;
}

/* ---- Memory ---- */

static struct vmid *vmid_of(struct scan_target *s, uint32_t space)
{
	for (unsigned i = 0; i < s->n_vmids; i++)
		if (!space || s->vmid[i].number == space)
			return &s->vmid[i];
	return NULL;
}

static struct bw_error *scan_read(struct bw_target *t, uint64_t va, void *out, size_t size_b)
{
	struct scan_target *s = scan_of(t);
	struct vmid *v = vmid_of(s, t->space);
	size_t done = 0;
	if (!v)
		return bw_error_fault(va, "no wave is in an address space that could be read");
	if (!v->is_open)
		BW_TRY(bw_gpu_space_open(s->gpu.kmd, &s->gpu.part, BW_GPUVM_GC, v->number,
					 &v->space, NULL));
	v->is_open = true;
	bool wraps = va + size_b < va;
	uint8_t *bytes = wraps ? NULL : malloc(size_b + 1);
	if (!bytes && !wraps)
		return bw_error_nomem();
	if (bytes)
		done = bw_gpu_space_read(&v->space, va, bytes, size_b);
	if (bytes && done == size_b)
		memcpy(out, bytes, size_b); /* all or nothing */
	free(bytes);
	return !wraps && done == size_b
		       ? NULL
		       : bw_error_fault(va + done,
					"Cannot access memory at address 0x%llx of VMID %u",
					(unsigned long long)(va + done), v->number);
}

/* ---- Start and end ---- */

static void scan_close(struct bw_target *t)
{
	struct scan_target *s = scan_of(t);
	if (s->halt.gpu)
		bw_error_free(bw_scan_halt_end(&s->halt, NULL));
	for (unsigned i = 0; i < s->n_vmids; i++)
		bw_gpu_space_close(&s->vmid[i].space);
	bw_gpu_allow(&s->gpu);
	bw_guard_end(&s->guard);
	bw_gpu_close(&s->gpu);
	bw_scan_free(&s->waves);
	free(s->slots);
	free(s);
}

static const struct bw_target_ops ops = {
	.close = scan_close,
	.wait = scan_wait,
	.interrupt = scan_interrupt,
	.forget_interrupt = scan_forget_interrupt,
	.is_interrupted = scan_is_interrupted,
	.stopped = scan_stopped,
	.is_stopped = scan_is_stopped,
	.read_wave = scan_read_wave,
	.read_sgprs = scan_read_sgprs,
	.read_vgpr = scan_read_vgpr,
	.read = scan_read,
};

/* As a stopped wave: where it is in the program's code, and without what only a trap handler has
 * made of it. TTMPs of a wave outside of one are what its last trap left. */
static void make_stopped(struct bw_target_wave *w, uint64_t pc, uint32_t slot)
{
	if (!bw_wave_get(&w->state, BW_WF_IN_HANDLER))
		memset(w->state.reg + BW_WREG_TTMP0, 0,
		       (BW_SCAN_SGPR_SLOTS - BW_SCAN_SGPRS) * sizeof(*w->state.reg));
	bw_wave_set(&w->state, BW_WF_IN_HANDLER, 0);
	w->pc = bw_canonical(pc);
	w->slot = slot;
}

static uint32_t slot_of(const struct bw_target_facts *f, const struct bw_place *p)
{
	return (((p->se * f->sa_per_se + p->sa) * f->wgp_per_sa + p->wgp) * f->simd_per_wgp +
		p->simd) *
		       f->waves_per_simd +
	       p->wave;
}

static void note_vmid(struct scan_target *s, unsigned number)
{
	struct vmid v = {.number = number, .is_first_of_it = true};
	for (unsigned i = 0; i < s->n_vmids; i++)
		if (s->vmid[i].number == number)
			return;
	v.has_process = bw_gpu_process_of(s->gpu.kmd, number, &v.process);
	for (unsigned i = 0; i < s->n_vmids; i++)
		v.is_first_of_it &=
			!s->vmid[i].has_process || s->vmid[i].process.pid != v.process.pid;
	v.is_first_of_it &= v.has_process;
	if (s->n_vmids < BW_ARRAY_SIZE(s->vmid))
		s->vmid[s->n_vmids++] = v;
}

/* Of VMID 0, the driver's own, there are no waves of a program. */
static bool is_wanted(struct scan_target *s, const struct bw_scan_wave *w, pid_t pid)
{
	struct bw_kmd_client process;
	return w->wave.space && (!pid || (bw_gpu_process_of(s->gpu.kmd, w->wave.space, &process) &&
					  process.pid == pid));
}

static struct bw_error *take_waves(struct scan_target *s, const struct bw_target_source *source)
{
	const struct bw_target_facts *f = &s->t.facts;
	const struct bw_scan scan = {.gpu = &s->gpu, .vmid = -1, .awaits_halt = s->halt.is_halted};
	uint32_t wanted = 0, known = 0; /* a bit for each VMID */
	s->slots = malloc(f->n_slots * sizeof(*s->slots) + 1);
	if (!s->slots)
		return bw_error_nomem();
	memset(s->slots, 0xff, f->n_slots * sizeof(*s->slots));
	BW_TRY(bw_scan_run(&scan, &s->waves));
	for (size_t i = 0; i < s->waves.len; i++) {
		struct bw_scan_wave *w = &s->waves.data[i];
		uint32_t bit = 1u << w->wave.space, slot = slot_of(f, &w->place);
		if (!(known & bit) && is_wanted(s, w, source->pid))
			wanted |= bit;
		known |= bit;
		if (!(wanted & bit))
			continue;
		if (slot >= f->n_slots) /* more waves than a SIMD has: the register says so */
			continue;
		make_stopped(&w->wave, bw_scan_code_pc(w), slot);
		note_vmid(s, w->wave.space);
		s->slots[slot] = (uint32_t)i;
	}
	return NULL;
}

/* GFXOFF is held for the whole session, so that it must be given back by whatever ends it. */
static struct bw_error *hold(struct scan_target *s, bool halts)
{
	if (!halts && s->gpu.gfxoff) {
		BW_TRY(bw_guard_start(&s->guard, s->gpu.kmd, NULL));
		BW_TRY(bw_guard_add_gfxoff(&s->guard));
	}
	bw_gpu_hold(&s->gpu);
	if (!halts)
		return NULL;
	s->halt.gpu = &s->gpu;
	return bw_scan_halt_begin(&s->halt);
}

static struct bw_error *open_scan(struct scan_target *s, const struct bw_target_source *source)
{
	struct bw_target_facts *f = &s->t.facts;
	BW_TRY(bw_gpu_borrow(source->kmd, &s->gpu));
	BW_TRY(bw_scan_facts(&s->gpu, f));
	f->is_virtual = bw_kmd_is_virtual(source->kmd);
	snprintf(f->name, sizeof(f->name), "%s%s", f->is_virtual ? "virtual " : "",
		 bw_kmd_pci_address(source->kmd));
	BW_TRY(hold(s, source->halts));
	return take_waves(s, source);
}

struct bw_error *bw_scan_open(const struct bw_target_source *source, struct bw_target **out)
{
	struct scan_target *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	s->t = (struct bw_target){.ops = &ops,
				  .kind = "a session that only looks at waves",
				  .instead =
					  "\"breakwater run\" and \"breakwater attach PID\" can"};
	s->guard = s->halt.guard = (struct bw_guard)BW_GUARD_INIT;
	struct bw_error *err = open_scan(s, source);
	if (err) {
		scan_close(&s->t);
		return err;
	}
	*out = &s->t;
	return NULL;
}
