// SPDX-License-Identifier: MIT
/* Fault records and page-table verdicts: the walk (src/gpuvm) with the registers of the program's
 * VMID. */
#include "live/live_priv.h"
#include "live/gpu_regs.h"

#include <stdio.h>
#include <string.h>

struct bw_error *bw_live_fault(struct bw_target *t, struct bw_target_fault *out)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_agent_fault f;
	struct bw_live_vm *vm;
	BW_TRY(bw_live_need_vm(l, &vm));
	const struct bw_agent_about about = {.file = vm->file};
	BW_TRY(bw_live_ask(l, vm->proc, BW_AGENT_FAULT, &about, sizeof(about),
			   "reading the last page fault"));
	BW_TRY(bw_live_reply(l, "FAULT", &f, sizeof(f)));
	/* a status of 0 has no information (doc/hardware/page-tables.md 6.3) */
	*out = (struct bw_target_fault){
		.present = f.status != 0, .va = f.addr, .status = f.status, .vmhub = f.vmhub};
	return NULL;
}

struct bw_error *bw_live_walk(struct bw_target *t, uint64_t va, struct bw_verdict *out)
{
	struct bw_live *l = bw_live_of(t);
	const struct bw_live_vm *vm = bw_live_vm(l);
	uint32_t vmids = vm ? bw_live_wave_vmids(vm) : 0;

	if (!vmids || vmids & (vmids - 1)) {
		*out = (struct bw_verdict){.kind = BW_VERDICT_UNKNOWN};
		snprintf(out->text, sizeof(out->text), "the program's VMID is not known");
		return NULL;
	}
	return bw_live_walk_vmid(l, (unsigned)__builtin_ctz(vmids), va, out);
}

static void note_steps(const struct bw_gpuvm_context *c, const struct bw_gpuvm_range *r,
		       struct bw_verdict *out)
{
	_Static_assert((int)BW_WALK_STEPS >= (int)BW_GPUVM_MAX_STEPS, "room for all steps");
	out->gen = (uint8_t)c->gen;
	out->n_steps = (uint8_t)r->n_steps;
	for (unsigned i = 0; i < r->n_steps; i++) {
		const struct bw_gpuvm_step *s = &r->step[i];
		out->step[i] = (struct bw_walk_step){
			.level = s->level,
			.is_directory = bw_gpuvm_step_is_directory(c, r, i),
			.is_system = s->system,
			.is_unreadable = r->verdict == BW_GPUVM_UNREADABLE && i + 1 == r->n_steps,
			.address = s->address,
			.index = s->index,
			.value = s->value,
		};
	}
}

struct bw_error *bw_live_walk_vmid(struct bw_live *l, unsigned vmid, uint64_t va,
				   struct bw_verdict *out)
{
	struct bw_gpuvm_context c;
	struct bw_gpuvm_regs regs;
	struct bw_gpuvm_range r;
	enum bw_gpuvm_gen gen;
	struct bw_str text = {0};

	*out = (struct bw_verdict){.kind = BW_VERDICT_UNKNOWN};
	if (!bw_gpuvm_gen_of(bw_gpu_block_version(&l->gc), &gen))
		return bw_errorf(BW_E_UNSUPPORTED, "the page tables of %s are not known",
				 l->t.facts.gfx);
	BW_TRY(bw_gpu_vm_regs(l->kmd, &l->gc, BW_GPUVM_GC, vmid, &regs));
	bw_gpuvm_context_init(&c, gen, vmid, &regs);
	bool mapped = bw_gpuvm_walk(&c, bw_gpu_memory_entry, &l->memory, va, &r);
	bw_gpuvm_explain(&r, BW_GPUVM_READ, &text);
	snprintf(out->text, sizeof(out->text), "%s", bw_str_text(&text));
	bw_str_free(&text);
	note_steps(&c, &r, out);
	out->page_va = r.va;
	out->page_size_b = r.size_b;
	if (mapped) {
		out->kind = BW_VERDICT_MAPPED;
		out->readable = bw_gpuvm_allows(&r, BW_GPUVM_READ);
		out->writable = bw_gpuvm_allows(&r, BW_GPUVM_WRITE);
		out->executable = bw_gpuvm_allows(&r, BW_GPUVM_EXECUTE);
		out->pa = r.address;
		out->is_system = r.system;
	} else if (r.verdict == BW_GPUVM_NOT_CANONICAL) {
		out->kind = BW_VERDICT_NOT_CANONICAL;
	} else if (r.verdict != BW_GPUVM_UNREADABLE && r.verdict != BW_GPUVM_POWERED_OFF) {
		out->kind = BW_VERDICT_UNMAPPED;
	}
	return NULL;
}
