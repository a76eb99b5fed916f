// SPDX-License-Identifier: MIT
#include "target/target.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "target/call.h"
#include "target/draws.h"
#include "target/ops.h"

/* ---- What a target can do ---- */

/* "this target cannot ..." */
static const struct {
	enum bw_target_cap cap;
	const char *text;
} cap_texts[] = {
	{BW_CAP_RUN, "run waves"},
	{BW_CAP_WRITE_REGS, "write registers"},
	{BW_CAP_WRITE_MEMORY, "write memory"},
	{BW_CAP_PATCH, "put breakpoints into code"},
	{BW_CAP_LDS, "access LDS"},
	{BW_CAP_SCRATCH, "access scratch memory"},
	{BW_CAP_WALK, "walk page tables"},
	{BW_CAP_FAULT, "show the GPU's record of page faults"},
	{BW_CAP_WATCH, "watch addresses"},
	{BW_CAP_FILTER, "test conditions in the trap handler"},
	{BW_CAP_EXCEPTIONS, "enable exceptions"},
	{BW_CAP_PRECISE, "switch precise memory"},
	{BW_CAP_MAPS, "list what is mapped"},
	{BW_CAP_OBJECTS, "name the program's objects"},
	{BW_CAP_HOLD_TIME, "hold the program's time"},
	{BW_CAP_PROCESSES, "detach from or kill programs"},
	{BW_CAP_ATTACH, "attach to processes"},
	{BW_CAP_READY, "make processes ready for a later debugger"},
	{BW_CAP_LOADED, "list loaded code objects"},
	{BW_CAP_QUEUES, "list queues"},
	{BW_CAP_FREED, "tell what the program has freed"},
	{BW_CAP_DRAWS, "tell of draws"},
};

/* Every operation, and the capabilities without which it is not called. */
#define FUNCTIONS(X)                                                                               \
	X(close, 0)                                                                                \
	X(wait, 0)                                                                                 \
	X(interrupt, 0)                                                                            \
	X(forget_interrupt, 0)                                                                     \
	X(is_interrupted, 0)                                                                       \
	X(stopped, 0)                                                                              \
	X(is_stopped, 0)                                                                           \
	X(ends, BW_CAP_RUN)                                                                        \
	X(read_wave, 0)                                                                            \
	X(read_sgprs, 0)                                                                           \
	X(read_vgpr, 0)                                                                            \
	X(write_reg, BW_CAP_WRITE_REGS)                                                            \
	X(write_sgpr, BW_CAP_WRITE_REGS)                                                           \
	X(write_vgpr, BW_CAP_WRITE_REGS)                                                           \
	X(resume, BW_CAP_RUN)                                                                      \
	X(step, BW_CAP_RUN)                                                                        \
	X(wait_wave, BW_CAP_RUN)                                                                   \
	X(stop_all, BW_CAP_RUN)                                                                    \
	X(release, BW_CAP_RUN)                                                                     \
	X(read, 0)                                                                                 \
	X(write, BW_CAP_WRITE_MEMORY)                                                              \
	X(read_lds, BW_CAP_LDS)                                                                    \
	X(write_lds, BW_CAP_LDS | BW_CAP_WRITE_MEMORY)                                             \
	X(read_scratch, BW_CAP_SCRATCH)                                                            \
	X(write_scratch, BW_CAP_SCRATCH | BW_CAP_WRITE_MEMORY)                                     \
	X(fault, BW_CAP_FAULT)                                                                     \
	X(walk, BW_CAP_WALK)                                                                       \
	X(maps, BW_CAP_MAPS)                                                                       \
	X(freed, BW_CAP_FREED)                                                                     \
	X(objects, BW_CAP_OBJECTS)                                                                 \
	X(shader, BW_CAP_OBJECTS)                                                                  \
	X(loaded, BW_CAP_LOADED)                                                                   \
	X(loaded_bytes, BW_CAP_LOADED)                                                             \
	X(queues, BW_CAP_QUEUES)                                                                   \
	X(draws, BW_CAP_DRAWS)                                                                     \
	X(patch, BW_CAP_PATCH)                                                                     \
	X(unpatch, BW_CAP_PATCH)                                                                   \
	X(code_buffer, BW_CAP_PATCH)                                                               \
	X(set_filter, BW_CAP_FILTER)                                                               \
	X(set_watch, BW_CAP_WATCH)                                                                 \
	X(set_exceptions, BW_CAP_EXCEPTIONS)                                                       \
	X(set_precise, BW_CAP_PRECISE)                                                             \
	X(detach, BW_CAP_PROCESSES)                                                                \
	X(kill, BW_CAP_PROCESSES)                                                                  \
	X(detach_children, BW_CAP_PROCESSES)                                                       \
	X(attach, BW_CAP_ATTACH)                                                                   \
	X(attached, BW_CAP_ATTACH)                                                                 \
	X(make_ready, BW_CAP_READY)                                                                \
	X(hold_time, BW_CAP_HOLD_TIME)

enum {
#define X(name, caps) NEEDS_##name = (caps),
	FUNCTIONS(X)
#undef X
};

static const struct {
	const char *name;
	uint32_t caps;
	size_t at;
} functions[] = {
#define X(fn, needed) {#fn, needed, offsetof(struct bw_target_ops, fn)},
	FUNCTIONS(X)
#undef X
};
_Static_assert(BW_ARRAY_SIZE(functions) * sizeof(void (*)(void)) == sizeof(struct bw_target_ops),
	       "each operation has a row in FUNCTIONS");

uint32_t bw_target_gpu_caps(const struct bw_arch *arch)
{
	return BW_CAP_ALL & ~(uint32_t)(arch->single_memop.width ? 0 : BW_CAP_PRECISE) &
	       ~(uint32_t)(arch->has_filters ? 0 : BW_CAP_FILTER);
}

bool bw_target_can(const struct bw_target *t, uint32_t caps)
{
	return (t->caps & caps) == caps;
}

const char *bw_target_cap_text(enum bw_target_cap cap)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(cap_texts); i++)
		if (cap_texts[i].cap == cap)
			return cap_texts[i].text;
	return "do this";
}

struct bw_error *bw_target_need(const struct bw_target *t, uint32_t caps)
{
	uint32_t missing = caps & ~t->caps;
	if (!missing)
		return NULL;
	const char *what = bw_target_cap_text((enum bw_target_cap)(missing & -missing));
	if (t->kind)
		return bw_errorf(BW_E_UNSUPPORTED, "%s cannot %s: %s", t->kind, what, t->instead);
	return bw_errorf(BW_E_UNSUPPORTED, "this target cannot %s", what);
}

struct bw_error *bw_target_check(const struct bw_target *t)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(functions); i++) {
		void (*fn)(void);
		memcpy(&fn, (const char *)t->ops + functions[i].at, sizeof(fn));
		if (!fn && bw_target_can(t, functions[i].caps))
			return bw_errorf(BW_E_INVALID, "the target has no operation \"%s\"",
					 functions[i].name);
	}
	return NULL;
}

/* ---- Calls ---- */

void bw_target_close(struct bw_target *t)
{
	t->ops->close(t);
}

struct bw_error *bw_target_wait(struct bw_target *t, int timeout_ms, struct bw_target_event *out)
{
	return t->ops->wait(t, timeout_ms, out);
}

void bw_target_interrupt(struct bw_target *t)
{
	t->ops->interrupt(t);
}

void bw_target_forget_interrupt(struct bw_target *t)
{
	t->ops->forget_interrupt(t);
}

bool bw_target_is_interrupted(struct bw_target *t)
{
	return t->ops->is_interrupted(t);
}

size_t bw_target_stopped(struct bw_target *t, uint32_t *out_slots, size_t max)
{
	return t->ops->stopped(t, out_slots, max);
}

bool bw_target_is_stopped(struct bw_target *t, uint32_t slot)
{
	return t->ops->is_stopped(t, slot);
}

enum bw_target_end bw_target_ends(struct bw_target *t)
{
	return bw_target_can(t, NEEDS_ends) ? t->ops->ends(t) : BW_END_NONE;
}

struct bw_error *bw_target_read_wave(struct bw_target *t, uint32_t slot, struct bw_target_wave *out)
{
	return t->ops->read_wave(t, slot, out);
}

struct bw_error *bw_target_read_sgprs(struct bw_target *t, uint32_t slot, unsigned first,
				      unsigned n, uint32_t *out)
{
	return t->ops->read_sgprs(t, slot, first, n, out);
}

struct bw_error *bw_target_read_vgpr(struct bw_target *t, uint32_t slot, unsigned n, uint32_t *out)
{
	return t->ops->read_vgpr(t, slot, n, out);
}

struct bw_error *bw_target_write_reg(struct bw_target *t, uint32_t slot, enum bw_target_reg reg,
				     uint64_t value)
{
	BW_TRY(bw_target_need(t, NEEDS_write_reg));
	return t->ops->write_reg(t, slot, reg, value);
}

struct bw_error *bw_target_write_sgpr(struct bw_target *t, uint32_t slot, unsigned n,
				      uint32_t value)
{
	BW_TRY(bw_target_need(t, NEEDS_write_sgpr));
	return t->ops->write_sgpr(t, slot, n, value);
}

struct bw_error *bw_target_write_vgpr(struct bw_target *t, uint32_t slot, unsigned n, unsigned lane,
				      uint32_t value)
{
	BW_TRY(bw_target_need(t, NEEDS_write_vgpr));
	return t->ops->write_vgpr(t, slot, n, lane, value);
}

struct bw_error *bw_target_resume(struct bw_target *t, const uint32_t *slots, size_t n)
{
	BW_TRY(bw_target_need(t, NEEDS_resume));
	return t->ops->resume(t, slots, n);
}

struct bw_error *bw_target_step(struct bw_target *t, uint32_t slot)
{
	BW_TRY(bw_target_need(t, NEEDS_step));
	return t->ops->step(t, slot);
}

struct bw_error *bw_target_wait_wave(struct bw_target *t, uint32_t slot, int timeout_ms,
				     bool *out_stopped, bool *out_ended)
{
	BW_TRY(bw_target_need(t, NEEDS_wait_wave));
	return t->ops->wait_wave(t, slot, timeout_ms, out_stopped, out_ended);
}

struct bw_error *bw_target_stop_all(struct bw_target *t, uint32_t *out_running)
{
	BW_TRY(bw_target_need(t, NEEDS_stop_all));
	return t->ops->stop_all(t, out_running);
}

struct bw_error *bw_target_release(struct bw_target *t, uint32_t submission)
{
	BW_TRY(bw_target_need(t, NEEDS_release));
	return t->ops->release(t, submission);
}

struct bw_error *bw_target_read(struct bw_target *t, uint64_t va, void *out, size_t size_b)
{
	return t->ops->read(t, va, out, size_b);
}

struct bw_error *bw_target_write(struct bw_target *t, uint64_t va, const void *data, size_t size_b)
{
	BW_TRY(bw_target_need(t, NEEDS_write));
	return t->ops->write(t, va, data, size_b);
}

struct bw_error *bw_target_read_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				    void *out, size_t size_b)
{
	BW_TRY(bw_target_need(t, NEEDS_read_lds));
	return t->ops->read_lds(t, slot, offset_b, out, size_b);
}

struct bw_error *bw_target_write_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				     const void *data, size_t size_b)
{
	BW_TRY(bw_target_need(t, NEEDS_write_lds));
	return t->ops->write_lds(t, slot, offset_b, data, size_b);
}

struct bw_error *bw_target_read_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
					uint32_t offset_b, void *out, size_t size_b)
{
	BW_TRY(bw_target_need(t, NEEDS_read_scratch));
	return t->ops->read_scratch(t, slot, lane, offset_b, out, size_b);
}

struct bw_error *bw_target_write_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
					 uint32_t offset_b, const void *data, size_t size_b)
{
	BW_TRY(bw_target_need(t, NEEDS_write_scratch));
	return t->ops->write_scratch(t, slot, lane, offset_b, data, size_b);
}

struct bw_error *bw_target_fault(struct bw_target *t, struct bw_target_fault *out)
{
	BW_TRY(bw_target_need(t, NEEDS_fault));
	return t->ops->fault(t, out);
}

struct bw_error *bw_target_walk(struct bw_target *t, uint64_t va, struct bw_verdict *out)
{
	BW_TRY(bw_target_need(t, NEEDS_walk));
	return t->ops->walk(t, va, out);
}

struct bw_error *bw_target_maps(struct bw_target *t, struct bw_target_map **out, size_t *out_n)
{
	BW_TRY(bw_target_need(t, NEEDS_maps));
	return t->ops->maps(t, out, out_n);
}

struct bw_error *bw_target_freed(struct bw_target *t, uint64_t va, struct bw_target_freed *out)
{
	BW_TRY(bw_target_need(t, NEEDS_freed));
	return t->ops->freed(t, va, out);
}

struct bw_error *bw_target_objects(struct bw_target *t, struct bw_target_object **out,
				   size_t *out_n)
{
	BW_TRY(bw_target_need(t, NEEDS_objects));
	return t->ops->objects(t, out, out_n);
}

struct bw_error *bw_target_loaded(struct bw_target *t, struct bw_target_loaded **out, size_t *out_n)
{
	BW_TRY(bw_target_need(t, NEEDS_loaded));
	return t->ops->loaded(t, out, out_n);
}

struct bw_error *bw_target_loaded_bytes(struct bw_target *t, uint64_t base, uint8_t **out,
					size_t *out_size_b)
{
	BW_TRY(bw_target_need(t, NEEDS_loaded_bytes));
	return t->ops->loaded_bytes(t, base, out, out_size_b);
}

struct bw_error *bw_target_draws(struct bw_target *t, uint32_t question, void *io)
{
	BW_TRY(bw_target_need(t, NEEDS_draws));
	return t->ops->draws(t, question, io);
}

struct bw_error *bw_target_queues(struct bw_target *t, struct bw_target_queue **out, size_t *out_n)
{
	BW_TRY(bw_target_need(t, NEEDS_queues));
	return t->ops->queues(t, out, out_n);
}

struct bw_error *bw_target_shader(struct bw_target *t, uint32_t pipeline,
				  struct bw_target_shader **out)
{
	BW_TRY(bw_target_need(t, NEEDS_shader));
	return t->ops->shader(t, pipeline, out);
}

struct bw_error *bw_target_patch(struct bw_target *t, uint64_t va, uint32_t word)
{
	BW_TRY(bw_target_need(t, NEEDS_patch));
	return t->ops->patch(t, va, word);
}

struct bw_error *bw_target_unpatch(struct bw_target *t, uint64_t va)
{
	BW_TRY(bw_target_need(t, NEEDS_unpatch));
	return t->ops->unpatch(t, va);
}

void bw_target_code_buffer(struct bw_target *t, uint64_t *out_va, uint32_t *out_size_b)
{
	*out_va = 0;
	*out_size_b = 0;
	if (bw_target_can(t, NEEDS_code_buffer))
		t->ops->code_buffer(t, out_va, out_size_b);
}

struct bw_error *bw_target_set_filter(struct bw_target *t, unsigned index, uint64_t pc,
				      const struct bw_target_filter *f)
{
	BW_TRY(bw_target_need(t, NEEDS_set_filter));
	return t->ops->set_filter(t, index, pc, f);
}

struct bw_error *bw_target_set_watch(struct bw_target *t, unsigned index,
				     const struct bw_target_watch *w)
{
	BW_TRY(bw_target_need(t, NEEDS_set_watch));
	return t->ops->set_watch(t, index, w);
}

struct bw_error *bw_target_set_exceptions(struct bw_target *t, uint32_t mask)
{
	BW_TRY(bw_target_need(t, NEEDS_set_exceptions));
	return t->ops->set_exceptions(t, mask);
}

struct bw_error *bw_target_set_precise(struct bw_target *t, bool on)
{
	BW_TRY(bw_target_need(t, NEEDS_set_precise));
	return t->ops->set_precise(t, on);
}

struct bw_error *bw_target_detach(struct bw_target *t, pid_t pid)
{
	BW_TRY(bw_target_need(t, NEEDS_detach));
	return t->ops->detach(t, pid);
}

struct bw_error *bw_target_kill(struct bw_target *t, pid_t pid)
{
	BW_TRY(bw_target_need(t, NEEDS_kill));
	return t->ops->kill(t, pid);
}

struct bw_error *bw_target_detach_children(struct bw_target *t, bool on)
{
	BW_TRY(bw_target_need(t, NEEDS_detach_children));
	return t->ops->detach_children(t, on);
}

struct bw_error *bw_target_attach(struct bw_target *t, pid_t pid)
{
	BW_TRY(bw_target_need(t, NEEDS_attach));
	return t->ops->attach(t, pid);
}

struct bw_error *bw_target_attached(struct bw_target *t, pid_t pid, struct bw_target_attached *out)
{
	BW_TRY(bw_target_need(t, NEEDS_attached));
	return t->ops->attached(t, pid, out);
}

struct bw_error *bw_target_make_ready(struct bw_target *t, pid_t pid)
{
	BW_TRY(bw_target_need(t, NEEDS_make_ready));
	return t->ops->make_ready(t, pid);
}

struct bw_error *bw_target_hold_time(struct bw_target *t, bool on)
{
	BW_TRY(bw_target_need(t, NEEDS_hold_time));
	return t->ops->hold_time(t, on);
}

/* ---- Places ---- */

struct bw_place bw_target_place(const struct bw_target_facts *f, uint32_t slot)
{
	struct bw_place p = {.is_cu = f->arch && !f->arch->has_wgps};
	uint32_t waves = f->waves_per_simd ? f->waves_per_simd : 1;
	uint32_t simds = f->simd_per_wgp ? f->simd_per_wgp : 1;
	uint32_t wgps = f->wgp_per_sa ? f->wgp_per_sa : 1;
	uint32_t sas = f->sa_per_se ? f->sa_per_se : 1;

	p.wave = (uint8_t)(slot % waves);
	slot /= waves;
	p.simd = (uint8_t)(slot % simds);
	slot /= simds;
	p.wgp = (uint8_t)(slot % wgps);
	slot /= wgps;
	p.sa = (uint8_t)(slot % sas);
	p.se = (uint8_t)(slot / sas);
	return p;
}

void bw_place_text(struct bw_place p, char out[32])
{
	snprintf(out, 32, "se%u.sa%u.%s%u.simd%u.w%u", p.se, p.sa, p.is_cu ? "cu" : "wgp", p.wgp,
		 p.simd, p.wave);
}
