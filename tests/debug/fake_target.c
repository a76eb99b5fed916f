// SPDX-License-Identifier: MIT
#include "fake_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "target/ops.h"

static struct fake_target *of(struct bw_target *t)
{
	return BW_CONTAINER_OF(t, struct fake_target, t);
}

void fake_must(const struct bw_target *t, uint32_t caps)
{
	if ((t->caps & caps) == caps)
		return;
	fprintf(stderr, "the fake target is asked for what it lacks: 0x%x\n", caps & ~t->caps);
	abort();
}

bool fake_has_memory(uint64_t va, size_t size_b)
{
	return va >= FAKE_BASE && va - FAKE_BASE <= FAKE_MEMORY_B &&
	       size_b <= FAKE_MEMORY_B - (va - FAKE_BASE);
}

uint8_t *fake_at(struct fake_target *f, uint64_t va)
{
	return f->memory + (va - FAKE_BASE);
}

/* ---- Operations ---- */

static void fake_close(struct bw_target *t)
{
	struct fake_target *f = of(t);
	if (f->closed)
		*f->closed = true;
	free(f);
}

static struct bw_error *fake_wait(struct bw_target *t, int timeout_ms, struct bw_target_event *out)
{
	struct fake_target *f = of(t);
	*out = (struct bw_target_event){.kind = BW_EVENT_NONE};
	if (f->next_event < f->n_events) {
		*out = f->events[f->next_event++];
		return NULL;
	}
	if (f->interrupted) {
		f->interrupted = false;
		out->kind = BW_EVENT_INTERRUPT;
		return NULL;
	}
	/* whatever the time given is: a busy machine must not change what a test sees */
	fake_run(f);
	if (f->stop_pending) {
		f->stop_pending = false;
		out->kind = BW_EVENT_STOP;
	} else if (timeout_ms < 0) {
		return bw_errorf(BW_E_TIMEOUT, "the fake target has nothing more to say");
	}
	return NULL;
}

static void fake_interrupt(struct bw_target *t)
{
	of(t)->interrupted = true;
}

static bool fake_is_stopped(struct bw_target *t, uint32_t slot)
{
	return slot < FAKE_WAVES && of(t)->wave[slot].state == FAKE_STOPPED;
}

static enum bw_target_end fake_ends(struct bw_target *t)
{
	const struct fake_target *f = of(t);
	enum bw_target_end end = BW_END_NONE;
	fake_must(t, BW_CAP_RUN);
	for (unsigned i = f->next_event; i < f->n_events; i++) {
		enum bw_target_event_kind kind = f->events[i].kind;
		if (kind == BW_EVENT_EXIT || kind == BW_EVENT_GPU_GONE)
			return BW_END_ALL;
		if (kind == BW_EVENT_PROGRAM_GONE)
			end = BW_END_SOME;
	}
	return end;
}

static size_t fake_stopped(struct bw_target *t, uint32_t *out, size_t max)
{
	size_t n = 0;
	for (uint32_t i = 0; i < FAKE_WAVES; i++) {
		if (!fake_is_stopped(t, i))
			continue;
		if (n < max)
			out[n] = i;
		n++;
	}
	return n;
}

static struct bw_error *need(struct bw_target *t, uint32_t slot, struct fake_wave **out)
{
	if (!fake_is_stopped(t, slot))
		return bw_errorf(BW_E_STATE, "wave %u is not stopped", slot);
	*out = &of(t)->wave[slot];
	return NULL;
}

static struct bw_error *fake_read_wave(struct bw_target *t, uint32_t slot,
				       struct bw_target_wave *out)
{
	struct fake_wave *w = NULL;
	BW_TRY(need(t, slot, &w));
	*out = w->hw;
	return NULL;
}

static struct bw_error *fake_write_reg(struct bw_target *t, uint32_t slot, enum bw_target_reg reg,
				       uint64_t value)
{
	fake_must(t, BW_CAP_WRITE_REGS);
	struct fake_wave *w = NULL;
	BW_TRY(need(t, slot, &w));
	if (reg > BW_TREG_STATE) {
		w->hw.state.reg[reg - BW_TREG_STATE] = (uint32_t)value;
		return NULL;
	}
	switch ((int)reg) {
	case BW_TREG_PC:
		w->hw.pc = value;
		break;
	case BW_TREG_EXEC:
		w->hw.exec = value;
		break;
	case BW_TREG_M0:
		w->hw.m0 = (uint32_t)value;
		break;
	case BW_TREG_FLAT_SCRATCH:
		w->hw.flat_scratch = value;
		break;
	case BW_TREG_DISPLACED_RETURN:
		w->displaced_return = value;
		break;
	}
	return NULL;
}

static struct bw_error *fake_read_sgprs(struct bw_target *t, uint32_t slot, unsigned first,
					unsigned n, uint32_t *out)
{
	struct fake_wave *w = NULL;
	BW_TRY(need(t, slot, &w));
	if (first > 108 || n > 108 - first)
		return bw_errorf(BW_E_INVALID, "no such SGPRs");
	memcpy(out, w->s + first, n * 4);
	return NULL;
}

static struct bw_error *fake_write_sgpr(struct bw_target *t, uint32_t slot, unsigned n,
					uint32_t value)
{
	fake_must(t, BW_CAP_WRITE_REGS);
	struct fake_wave *w = NULL;
	BW_TRY(need(t, slot, &w));
	if (n >= 108)
		return bw_errorf(BW_E_INVALID, "no such SGPR");
	w->s[n] = value;
	return NULL;
}

static struct bw_error *fake_read_vgpr(struct bw_target *t, uint32_t slot, unsigned n,
				       uint32_t *out)
{
	struct fake_wave *w = NULL;
	BW_TRY(need(t, slot, &w));
	if (n >= FAKE_VGPRS)
		return bw_errorf(BW_E_INVALID, "no such VGPR");
	memcpy(out, w->v[n], w->hw.lanes * 4u);
	return NULL;
}

static struct bw_error *fake_write_vgpr(struct bw_target *t, uint32_t slot, unsigned n,
					unsigned lane, uint32_t value)
{
	fake_must(t, BW_CAP_WRITE_REGS);
	struct fake_wave *w = NULL;
	BW_TRY(need(t, slot, &w));
	if (n >= FAKE_VGPRS || lane >= w->hw.lanes)
		return bw_errorf(BW_E_INVALID, "no such VGPR or lane");
	w->v[n][lane] = value;
	return NULL;
}

static struct bw_error *fake_resume(struct bw_target *t, const uint32_t *slots, size_t n)
{
	fake_must(t, BW_CAP_RUN);
	struct fake_wave *w = NULL;
	for (size_t i = 0; i < n; i++) {
		BW_TRY(need(t, slots[i], &w));
		w->state = FAKE_RUNNING;
		of(t)->n_resumes++;
	}
	return NULL;
}

static struct bw_error *fake_step(struct bw_target *t, uint32_t slot)
{
	fake_must(t, BW_CAP_RUN);
	struct fake_wave *w = NULL;
	BW_TRY(need(t, slot, &w));
	w->state = FAKE_RUNNING;
	w->step = true;
	return NULL;
}

static struct bw_error *fake_wait_wave(struct bw_target *t, uint32_t slot, int timeout_ms,
				       bool *out_stopped, bool *out_ended)
{
	fake_must(t, BW_CAP_RUN);
	struct fake_target *f = of(t);
	if (f->lost)
		return bw_errorf(BW_E_GONE, "the program has closed the GPU");
	if (!f->interrupted)
		fake_run(f);
	*out_stopped = f->wave[slot].state == FAKE_STOPPED;
	*out_ended = f->wave[slot].state == FAKE_ABSENT;
	if (*out_stopped)
		f->stop_pending = false;
	return NULL;
}

static struct bw_error *fake_stop_all(struct bw_target *t, uint32_t *out_running)
{
	fake_must(t, BW_CAP_RUN);
	struct fake_target *f = of(t);
	for (uint32_t i = 0; i < FAKE_WAVES; i++)
		if (f->wave[i].state == FAKE_RUNNING)
			fake_stop(f, i);
	f->stop_pending = false;
	*out_running = 0;
	return NULL;
}

static struct bw_error *fake_read(struct bw_target *t, uint64_t va, void *out, size_t size_b)
{
	struct fake_target *f = of(t);
	if (!fake_has_memory(va, size_b))
		return bw_error_fault(fake_has_memory(va, 0) ? FAKE_BASE + FAKE_MEMORY_B : va,
				      "no memory");
	memcpy(out, fake_at(f, va), size_b);
	for (unsigned i = 0; i < 4 * f->n_patches; i++) {
		const struct fake_patch *p = &f->patch[i / 4];
		uint64_t at = p->va + i % 4;
		if (at >= va && at < va + size_b)
			((uint8_t *)out)[at - va] = (uint8_t)(p->before >> 8 * (i % 4));
	}
	return NULL;
}

static struct bw_error *fake_write(struct bw_target *t, uint64_t va, const void *data,
				   size_t size_b)
{
	fake_must(t, BW_CAP_WRITE_MEMORY);
	struct fake_target *f = of(t);
	if (!fake_has_memory(va, size_b))
		return bw_error_fault(va, "no memory");
	memcpy(fake_at(f, va), data, size_b);
	/* patches stay */
	for (unsigned i = 0; i < 4 * f->n_patches; i++) {
		struct fake_patch *p = &f->patch[i / 4];
		uint64_t at = p->va + i % 4;
		if (at < va || at - va >= size_b)
			continue;
		p->before &= ~(0xffu << 8 * (i % 4));
		p->before |= (uint32_t)((const uint8_t *)data)[at - va] << 8 * (i % 4);
		*fake_at(f, at) = (uint8_t)(p->word >> 8 * (i % 4));
	}
	return NULL;
}

static struct bw_error *fake_read_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				      void *out, size_t size_b)
{
	fake_must(t, BW_CAP_LDS);
	if (offset_b > FAKE_LDS_B || size_b > FAKE_LDS_B - offset_b)
		return bw_error_fault(offset_b, "Cannot access memory at address local#0x%x",
				      offset_b);
	memcpy(out, of(t)->lds + offset_b, size_b);
	return NULL;
}

static struct bw_error *fake_write_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				       const void *data, size_t size_b)
{
	fake_must(t, BW_CAP_LDS | BW_CAP_WRITE_MEMORY);
	if (offset_b > FAKE_LDS_B || size_b > FAKE_LDS_B - offset_b)
		return bw_error_fault(offset_b, "Cannot access memory at address local#0x%x",
				      offset_b);
	memcpy(of(t)->lds + offset_b, data, size_b);
	return NULL;
}

static struct bw_error *fake_read_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
					  uint32_t offset_b, void *out, size_t size_b)
{
	fake_must(t, BW_CAP_SCRATCH);
	if (lane >= 64 || offset_b > FAKE_SCRATCH_B || size_b > FAKE_SCRATCH_B - offset_b)
		return bw_error_fault(offset_b, "Cannot access memory at address private_lane#0x%x",
				      offset_b);
	memcpy(out, of(t)->wave[slot].scratch[lane] + offset_b, size_b);
	return NULL;
}

static struct bw_error *fake_write_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
					   uint32_t offset_b, const void *data, size_t size_b)
{
	fake_must(t, BW_CAP_SCRATCH | BW_CAP_WRITE_MEMORY);
	if (lane >= 64 || offset_b > FAKE_SCRATCH_B || size_b > FAKE_SCRATCH_B - offset_b)
		return bw_error_fault(offset_b, "Cannot access memory at address private_lane#0x%x",
				      offset_b);
	memcpy(of(t)->wave[slot].scratch[lane] + offset_b, data, size_b);
	return NULL;
}

static struct bw_error *fake_patch(struct bw_target *t, uint64_t va, uint32_t word)
{
	fake_must(t, BW_CAP_PATCH);
	struct fake_target *f = of(t);
	struct fake_patch *p = NULL;
	if (!fake_has_memory(va, 4))
		return bw_error_fault(va, "Cannot access memory at address 0x%llx",
				      (unsigned long long)va);
	for (unsigned i = 0; i < f->n_patches; i++)
		if (f->patch[i].va == va)
			p = &f->patch[i];
	if (!p && f->n_patches == BW_ARRAY_SIZE(f->patch))
		return bw_errorf(BW_E_INVALID, "too many patches");
	if (!p) {
		p = &f->patch[f->n_patches++];
		p->va = va;
		memcpy(&p->before, fake_at(f, va), 4);
	}
	p->word = word;
	memcpy(fake_at(f, va), &word, 4);
	return NULL;
}

static struct bw_error *fake_unpatch(struct bw_target *t, uint64_t va)
{
	fake_must(t, BW_CAP_PATCH);
	struct fake_target *f = of(t);
	if (f->lost)
		return bw_errorf(BW_E_GONE, "the program has closed the GPU");
	for (unsigned i = 0; i < f->n_patches; i++) {
		if (f->patch[i].va != va)
			continue;
		memcpy(fake_at(f, va), &f->patch[i].before, 4);
		f->patch[i] = f->patch[--f->n_patches];
		return NULL;
	}
	return bw_errorf(BW_E_NOT_FOUND, "no patch at 0x%llx", (unsigned long long)va);
}

static void fake_code_buffer(struct bw_target *t, uint64_t *out_va, uint32_t *out_size_b)
{
	fake_must(t, BW_CAP_PATCH);
	*out_va = FAKE_CODE_BUFFER;
	*out_size_b = 4096;
}

static struct bw_error *fake_release(struct bw_target *t, uint32_t submission)
{
	fake_must(t, BW_CAP_RUN);
	of(t)->n_gone++;
	return NULL;
}

/* No program is left. */
static void leave(struct fake_target *f)
{
	for (uint32_t i = 0; i < FAKE_WAVES; i++)
		f->wave[i].state = FAKE_ABSENT;
	fake_push(f, &(struct bw_target_event){.kind = BW_EVENT_EXIT});
}

static struct bw_error *fake_detach(struct bw_target *t, pid_t pid)
{
	fake_must(t, BW_CAP_PROCESSES);
	if (!pid)
		leave(of(t));
	return NULL;
}

static struct bw_error *fake_kill(struct bw_target *t, pid_t pid)
{
	fake_must(t, BW_CAP_PROCESSES);
	of(t)->killed = true;
	if (!pid)
		leave(of(t));
	return NULL;
}

static struct bw_error *fake_fault(struct bw_target *t, struct bw_target_fault *out)
{
	fake_must(t, BW_CAP_FAULT);
	*out = (struct bw_target_fault){.present = false};
	return NULL;
}

static struct bw_error *fake_walk(struct bw_target *t, uint64_t va, struct bw_verdict *out)
{
	fake_must(t, BW_CAP_WALK);
	bool mapped = fake_has_memory(va, 1);
	/* the upper half of the memory is read-only */
	*out = (struct bw_verdict){.kind = mapped ? BW_VERDICT_MAPPED : BW_VERDICT_UNMAPPED,
				   .readable = mapped,
				   .writable = mapped && va < FAKE_BASE + FAKE_MEMORY_B / 2,
				   .executable = mapped};
	return NULL;
}

static struct bw_error *fake_freed(struct bw_target *t, uint64_t va, struct bw_target_freed *out)
{
	fake_must(t, BW_CAP_FREED);
	*out = ((struct fake_target *)t)->freed;
	if (va < out->va || va - out->va >= out->size_b)
		out->size_b = 0;
	return NULL;
}

static struct bw_error *fake_maps(struct bw_target *t, struct bw_target_map **out, size_t *out_n)
{
	fake_must(t, BW_CAP_MAPS);
	struct bw_target_map *m = calloc(1, sizeof(*m));
	if (!m)
		return bw_error_nomem();
	*m = (struct bw_target_map){
		.va = FAKE_BASE, .size_b = FAKE_MEMORY_B, .flags = 2 | 4 | 8, .domains = 2};
	*out = m;
	*out_n = 1;
	return NULL;
}

static bool fake_is_interrupted(struct bw_target *t)
{
	return of(t)->interrupted;
}

static void fake_forget_interrupt(struct bw_target *t)
{
	of(t)->interrupted = false;
}

static struct bw_error *fake_detach_children(struct bw_target *t, bool on)
{
	fake_must(t, BW_CAP_PROCESSES);
	return NULL;
}

static struct bw_error *fake_attach(struct bw_target *t, pid_t pid)
{
	fake_must(t, BW_CAP_ATTACH);
	fake_push(of(t), &(struct bw_target_event){
				 .kind = BW_EVENT_PROGRAM, .pid = pid, .comm = "attached"});
	return NULL;
}

static struct bw_error *fake_attached(struct bw_target *t, pid_t pid,
				      struct bw_target_attached *out)
{
	fake_must(t, BW_CAP_ATTACH);
	*out = (struct bw_target_attached){.was_ready = true};
	return NULL;
}

static struct bw_error *fake_make_ready(struct bw_target *t, pid_t pid)
{
	fake_must(t, BW_CAP_READY);
	return NULL;
}

static struct bw_error *fake_hold_time(struct bw_target *t, bool on)
{
	fake_must(t, BW_CAP_HOLD_TIME);
	of(t)->time_held = on;
	return NULL;
}

static struct bw_error *fake_set_watch(struct bw_target *t, unsigned index,
				       const struct bw_target_watch *w)
{
	fake_must(t, BW_CAP_WATCH);
	of(t)->watch[index] = w ? *w : (struct bw_target_watch){0};
	return NULL;
}

static struct bw_error *fake_set_exceptions(struct bw_target *t, uint32_t mask)
{
	fake_must(t, BW_CAP_EXCEPTIONS);
	of(t)->excp = mask;
	return NULL;
}

static struct bw_error *fake_set_filter(struct bw_target *t, unsigned index, uint64_t pc,
					const struct bw_target_filter *f)
{
	fake_must(t, BW_CAP_FILTER);
	return NULL; /* this handler tests nothing: every wave stops */
}

static struct bw_error *fake_set_precise(struct bw_target *t, bool on)
{
	fake_must(t, BW_CAP_PRECISE);
	t->is_precise = on;
	return NULL;
}

static const struct bw_target_ops fake_ops = {
	.close = fake_close,
	.wait = fake_wait,
	.interrupt = fake_interrupt,
	.forget_interrupt = fake_forget_interrupt,
	.is_interrupted = fake_is_interrupted,
	.stopped = fake_stopped,
	.is_stopped = fake_is_stopped,
	.ends = fake_ends,
	.read_wave = fake_read_wave,
	.write_reg = fake_write_reg,
	.read_sgprs = fake_read_sgprs,
	.write_sgpr = fake_write_sgpr,
	.read_vgpr = fake_read_vgpr,
	.write_vgpr = fake_write_vgpr,
	.resume = fake_resume,
	.step = fake_step,
	.wait_wave = fake_wait_wave,
	.stop_all = fake_stop_all,
	.read = fake_read,
	.write = fake_write,
	.read_lds = fake_read_lds,
	.write_lds = fake_write_lds,
	.read_scratch = fake_read_scratch,
	.write_scratch = fake_write_scratch,
	.patch = fake_patch,
	.unpatch = fake_unpatch,
	.code_buffer = fake_code_buffer,
	.release = fake_release,
	.detach = fake_detach,
	.kill = fake_kill,
	.set_filter = fake_set_filter,
	.set_watch = fake_set_watch,
	.set_exceptions = fake_set_exceptions,
	.set_precise = fake_set_precise,
	.fault = fake_fault,
	.walk = fake_walk,
	.maps = fake_maps,
	.freed = fake_freed,
	.objects = fake_objects,
	.loaded = fake_loaded,
	.loaded_bytes = fake_loaded_bytes,
	.queues = fake_queues,
	.draws = fake_draws,
	.shader = fake_shader,
	.hold_time = fake_hold_time,
	.detach_children = fake_detach_children,
	.attach = fake_attach,
	.attached = fake_attached,
	.make_ready = fake_make_ready,
};

struct fake_target *fake_create(bool *closed)
{
	struct fake_target *f = calloc(1, sizeof(*f));
	if (!f)
		abort();
	f->t.ops = &fake_ops;
	f->t.caps = BW_CAP_ALL;
	f->t.is_precise = true;
	f->t.facts = (struct bw_target_facts){.arch = bw_arch_nth(0),
					      .gfx = "gfx1100",
					      .name = "fake",
					      .n_se = 1,
					      .sa_per_se = 1,
					      .wgp_per_sa = 2,
					      .simd_per_wgp = 2,
					      .waves_per_simd = 2,
					      .n_slots = FAKE_WAVES};
	f->closed = closed;
	return f;
}
