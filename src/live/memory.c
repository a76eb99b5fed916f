// SPDX-License-Identifier: MIT
/* The program's GPU memory, by its agent; scratch, by the wave's scratch base. */
#include "live/live_priv.h"
#include "live/operations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/shown.h"

enum { CHUNK_B = 1 << 20, MAX_MAPS = 1 << 16 };

struct bw_error *bw_live_read(struct bw_target *t, uint64_t va, void *out, size_t size_b)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	uint8_t *to = out;
	BW_TRY(bw_live_need_vm(l, &vm));
	while (size_b) {
		struct bw_agent_mem m = {.va = va,
					 .size_b = (uint32_t)BW_MIN(size_b, (size_t)CHUNK_B),
					 .file = vm->file};
		const uint8_t *bytes;
		BW_TRY(bw_live_ask(l, vm->proc, BW_AGENT_MEM_READ, &m, sizeof(m),
				   "Cannot read memory"));
		size_t n = bw_live_reply_list(l, 1, &bytes);
		if (n < m.size_b)
			return bw_errorf(BW_E_INVALID,
					 "the program's agent read %zu bytes instead of %u", n,
					 m.size_b);
		memcpy(to, bytes, m.size_b);
		to += m.size_b;
		va += m.size_b;
		size_b -= m.size_b;
	}
	return NULL;
}

static struct bw_error *write_as(struct bw_live *l, uint16_t type, uint64_t va, const void *data,
				 size_t size_b, const char *what)
{
	const uint8_t *from = data;
	struct bw_live_vm *vm;
	BW_TRY(bw_live_need_vm(l, &vm));
	while (size_b) {
		struct bw_agent_mem m = {.va = va,
					 .size_b = (uint32_t)BW_MIN(size_b, (size_t)CHUNK_B),
					 .file = vm->file};
		const struct bw_msg_part parts[] = {{&m, sizeof(m)}, {from, m.size_b}};
		BW_TRY(bw_live_request(l, vm->proc, type, parts, BW_ARRAY_SIZE(parts), NULL));
		BW_TRY(bw_live_result(l, what));
		from += m.size_b;
		va += m.size_b;
		size_b -= m.size_b;
	}
	/* it may have been code */
	l->code_generation++;
	return NULL;
}

struct bw_error *bw_live_write(struct bw_target *t, uint64_t va, const void *data, size_t size_b)
{
	return write_as(bw_live_of(t), BW_AGENT_MEM_WRITE, va, data, size_b, "Cannot write memory");
}

struct bw_error *bw_live_patch(struct bw_target *t, uint64_t va, uint32_t word)
{
	/* Without a handler an s_trap does nothing, and the instruction it replaces would be
	 * missing. */
	const struct bw_live_vm *vm = bw_live_vm(bw_live_of(t));
	if (!vm || !vm->attached)
		return bw_errorf(BW_E_STATE, "the program's waves cannot be stopped");
	return write_as(bw_live_of(t), BW_AGENT_PATCH, va, &word, sizeof(word),
			"Cannot patch code");
}

struct bw_error *bw_live_unpatch(struct bw_target *t, uint64_t va)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	BW_TRY(bw_live_need_vm(l, &vm));
	struct bw_agent_mem m = {.va = va, .size_b = 4, .file = vm->file};
	const struct bw_msg_part part = {&m, sizeof(m)};
	BW_TRY(bw_live_request(l, vm->proc, BW_AGENT_UNPATCH, &part, 1, NULL));
	l->code_generation++;
	struct bw_agent_result r;
	memcpy(&r, l->reply.body, sizeof(r));
	if (r.result == -ENOENT) /* the agent has put it back when the program unmapped it */
		return bw_errorf(BW_E_GONE, "the program has freed the code at 0x%llx",
				 (unsigned long long)va);
	return bw_live_result(l, "Cannot restore code");
}

struct bw_error *bw_live_set_filter(struct bw_target *t, unsigned index, uint64_t pc,
				    const struct bw_target_filter *filter)
{
	struct bw_live_vm *vm = bw_live_vm(bw_live_of(t));
	if (!vm || !vm->attached)
		return bw_errorf(BW_E_STATE, "the program's waves cannot be stopped");
	if (index >= BW_TRAP_N_FILTERS)
		return bw_errorf(BW_E_INVALID, "no such filter: %u", index);
	volatile struct bw_trap_filter *f =
		(volatile struct bw_trap_filter *)(vm->area + BW_TRAP_C_FILTERS) + index;
	__atomic_store_n(&f->pc, 0, __ATOMIC_SEQ_CST);
	/* a wave may be about to call it, so the code stays in place */
	if (!pc)
		return NULL;
	f->code = filter->code_va;
	f->resume = filter->resume_va;
	f->vgprs = filter->n_vgprs;
	__atomic_store_n(&f->pc, pc, __ATOMIC_SEQ_CST);
	return NULL;
}

/* ---- Scratch ---- */

/* Dword i of a lane lies at i * 4 * lanes + 4 * lane from the wave's scratch base (doc/rules.md
 * 381). */
struct scratch {
	uint64_t base;
	unsigned lanes;
	uint32_t first, n; /* dwords */
	uint32_t skip_b;   /* in the first */
};

static struct bw_error *scratch_of(struct bw_live *l, uint32_t slot, unsigned lane,
				   uint32_t offset_b, size_t size_b, struct scratch *out)
{
	enum { MAX_SCRATCH_B = 1 << 24 };
	struct bw_target_wave w;
	BW_TRY(bw_live_read_wave(&l->t, slot, &w));
	if (!bw_wave_get(&w.state, BW_WF_HAS_SCRATCH) || !w.flat_scratch)
		return bw_error_fault(offset_b,
				      "Cannot access memory at address private_lane#0x%x: the wave "
				      "has no scratch",
				      offset_b);
	if (lane >= w.lanes)
		return bw_errorf(BW_E_INVALID, "no such lane: %u of %u", lane, w.lanes);
	if (offset_b > MAX_SCRATCH_B || size_b > MAX_SCRATCH_B - offset_b)
		return bw_error_fault(offset_b, "Cannot access memory at address private_lane#0x%x",
				      offset_b);
	*out = (struct scratch){.base = w.flat_scratch,
				.lanes = w.lanes,
				.first = offset_b / 4,
				.skip_b = offset_b % 4};
	out->n = (uint32_t)((out->skip_b + size_b + 3) / 4);
	return NULL;
}

static struct bw_error *read_dwords(struct bw_live *l, const struct scratch *s, unsigned lane,
				    uint32_t *out)
{
	enum { MAX_SPAN_DW = 4096 };
	/* one read spans many rows; a row is one dword of every lane */
	uint32_t rows = BW_MAX(MAX_SPAN_DW / s->lanes, 1u);
	_cleanup_free_ uint32_t *span = malloc((size_t)rows * s->lanes * 4);
	if (!span)
		return bw_error_nomem();
	for (uint32_t i = 0; i < s->n; i += rows) {
		uint32_t n = BW_MIN(rows, s->n - i);
		uint64_t va = s->base + ((uint64_t)(s->first + i) * s->lanes + lane) * 4;
		/* from this lane's dword in the first row to its dword in the last */
		BW_TRY(bw_live_read(&l->t, va, span, ((size_t)(n - 1) * s->lanes + 1) * 4));
		for (uint32_t k = 0; k < n; k++)
			out[i + k] = span[(size_t)k * s->lanes];
	}
	return NULL;
}

struct bw_error *bw_live_read_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
				      uint32_t offset_b, void *out, size_t size_b)
{
	struct bw_live *l = bw_live_of(t);
	struct scratch s;
	BW_TRY(scratch_of(l, slot, lane, offset_b, size_b, &s));
	_cleanup_free_ uint32_t *dwords = calloc(s.n ? s.n : 1, sizeof(*dwords));
	if (!dwords)
		return bw_error_nomem();
	BW_TRY(read_dwords(l, &s, lane, dwords));
	memcpy(out, (uint8_t *)dwords + s.skip_b, size_b);
	return NULL;
}

struct bw_error *bw_live_write_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
				       uint32_t offset_b, const void *data, size_t size_b)
{
	struct bw_live *l = bw_live_of(t);
	struct scratch s;
	BW_TRY(scratch_of(l, slot, lane, offset_b, size_b, &s));
	_cleanup_free_ uint32_t *dwords = calloc(s.n ? s.n : 1, sizeof(*dwords));
	if (!dwords)
		return bw_error_nomem();
	BW_TRY(read_dwords(l, &s, lane, dwords));
	memcpy((uint8_t *)dwords + s.skip_b, data, size_b);
	for (uint32_t i = 0; i < s.n; i++)
		BW_TRY(bw_live_write(t, s.base + ((uint64_t)(s.first + i) * s.lanes + lane) * 4,
				     &dwords[i], 4));
	return NULL;
}

/* ---- Maps ---- */

struct bw_error *bw_live_maps(struct bw_target *t, struct bw_target_map **out, size_t *out_n)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	BW_TRY(bw_live_need_vm(l, &vm));
	const struct bw_agent_about about = {.file = vm->file};
	const uint8_t *from;
	BW_TRY(bw_live_ask(l, vm->proc, BW_AGENT_MAPS, &about, sizeof(about),
			   "listing the program's mappings"));
	size_t n = bw_live_reply_list(l, sizeof(struct bw_agent_map), &from);
	n = BW_MIN(n, (size_t)MAX_MAPS);
	struct bw_target_map *maps = calloc(n ? n : 1, sizeof(*maps));
	if (!maps)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		struct bw_agent_map m;
		memcpy(&m, from + i * sizeof(m), sizeof(m));
		maps[i] = (struct bw_target_map){
			.va = m.va, .size_b = m.size_b, .flags = m.flags, .domains = m.domains};
	}
	*out = maps;
	*out_n = n;
	return NULL;
}

struct bw_error *bw_live_freed(struct bw_target *t, uint64_t va, struct bw_target_freed *out)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	struct bw_agent_freed f;
	BW_TRY(bw_live_need_vm(l, &vm));
	const struct bw_agent_mem about = {.va = va, .file = vm->file};
	BW_TRY(bw_live_ask(l, vm->proc, BW_AGENT_FREED, &about, sizeof(about),
			   "asking what the program has freed"));
	BW_TRY(bw_live_reply(l, "FREED", &f, sizeof(f)));
	*out = (struct bw_target_freed){.va = f.va, .size_b = f.size_b, .by = f.by};
	if (va < f.va || va - f.va >= f.size_b)
		out->size_b = 0;
	if (f.by)
		out->pid = (int)vm->proc->pid;
	return NULL;
}

/* ---- Names ---- */

static void copy_text(char *to, const char *from, size_t size_b)
{
	memcpy(to, from, size_b);
	to[size_b - 1] = 0;
	bw_make_line(to, 0);
}

struct bw_error *bw_live_objects(struct bw_target *t, struct bw_target_object **out, size_t *out_n)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	BW_TRY(bw_live_need_vm(l, &vm));
	const uint8_t *from;
	BW_TRY(bw_live_ask(l, vm->proc, BW_AGENT_OBJECTS, NULL, 0,
			   "listing the program's objects"));
	size_t n = bw_live_reply_list(l, sizeof(struct bw_agent_object), &from);
	struct bw_target_object *all = calloc(n ? n : 1, sizeof(*all));
	if (!all)
		return bw_error_nomem();
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		struct bw_agent_object o;
		memcpy(&o, from + i * sizeof(o), sizeof(o));
		if (o.kind < BW_AGENT_OBJECT_PIPELINE || o.kind > BW_AGENT_OBJECT_IMAGE)
			continue; /* of a newer agent */
		struct bw_target_object *to = &all[k++];
		*to = (struct bw_target_object){
			.kind = (enum bw_target_object_kind)o.kind,
			.id = o.id,
			.handle = o.handle,
			.va = o.va,
			.size_b = o.size_b,
			.hash = o.hash,
			.dim = {o.dim[0], o.dim[1], o.dim[2]},
			.format = o.format,
			.flags = o.flags,
			.push_b = o.push_b,
			.stage = (enum bw_target_stage)(o.stage < BW_AGENT_STAGES ? o.stage : 0)};
		memcpy(to->sets, o.sets, sizeof(to->sets));
		copy_text(to->name, o.name, sizeof(to->name));
		copy_text(to->entry, o.entry, sizeof(to->entry));
		copy_text(to->module, o.module, sizeof(to->module));
		copy_text(to->file, o.file, sizeof(to->file));
	}
	*out = all;
	*out_n = k;
	return NULL;
}
