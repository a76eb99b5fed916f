// SPDX-License-Identifier: MIT
/* Fault records and page-table verdicts: the program's VM context read from its registers, its
 * tables through amdgpu_vram and amdgpu_iomem, the walk by src/gpuvm. */
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
	const struct bw_msg_part part = {&about, sizeof(about)};
	BW_TRY(bw_live_request(l, vm->proc, BW_AGENT_FAULT, &part, 1, NULL));
	BW_TRY(bw_live_result(l, "reading the last page fault"));
	if (l->reply.body_b < sizeof(f))
		return bw_errorf(BW_E_INVALID, "the program's agent answers FAULT with %u bytes",
				 l->reply.body_b);
	memcpy(&f, l->reply.body, sizeof(f));
	/* a status of 0 is no information (doc/hardware/page-tables.md 6.3) */
	*out = (struct bw_target_fault){
		.present = f.status != 0, .va = f.addr, .status = f.status, .vmhub = f.vmhub};
	return NULL;
}

static struct bw_error *pair(struct bw_live *l, uint32_t addr_dw, uint64_t *out)
{
	uint32_t lo, hi;
	BW_TRY(bw_kmd_reg_read(l->kmd, NULL, addr_dw, &lo));
	BW_TRY(bw_kmd_reg_read(l->kmd, NULL, addr_dw + 1, &hi));
	*out = bw_join32(hi, lo);
	return NULL;
}

static struct bw_error *single(struct bw_live *l, uint32_t addr_dw, uint64_t *out)
{
	uint32_t v;
	BW_TRY(bw_kmd_reg_read(l->kmd, NULL, addr_dw, &v));
	*out = v;
	return NULL;
}

static struct bw_error *read_context(struct bw_live *l, unsigned vmid, struct bw_gpuvm_context *out)
{
	const struct bw_live_regs *r = &l->regs;
	struct bw_gpuvm_regs g = {0};
	enum bw_gpuvm_gen gen;

	if (!bw_gpuvm_gen_of(r->gc_version, &gen))
		return bw_errorf(BW_E_UNSUPPORTED, "the page tables of %s are not known",
				 l->t.facts.gfx);
	BW_TRY(bw_kmd_reg_read(l->kmd, NULL, r->ctx_cntl[vmid], &g.cntl));
	BW_TRY(pair(l, r->ctx_base[vmid], &g.base));
	BW_TRY(pair(l, r->ctx_start[vmid], &g.start));
	BW_TRY(pair(l, r->ctx_end[vmid], &g.end));
	BW_TRY(single(l, r->fb_offset, &g.fb_offset));
	BW_TRY(single(l, r->fb_base, &g.fb_base));
	BW_TRY(single(l, r->fb_top, &g.fb_top));
	BW_TRY(single(l, r->agp_base, &g.agp_base));
	BW_TRY(single(l, r->agp_bot, &g.agp_bot));
	BW_TRY(single(l, r->agp_top, &g.agp_top));
	BW_TRY(single(l, r->sys_low, &g.sys_low));
	BW_TRY(single(l, r->sys_high, &g.sys_high));
	bw_gpuvm_context_init(out, gen, vmid, &g);
	return NULL;
}

static struct bw_kmd_file *memory_file(struct bw_live *l, bool system)
{
	struct bw_kmd_file **f = system ? &l->iomem : &l->vram;
	int *tried = system ? &l->iomem_fd_tried : &l->vram_fd_tried;
	if (!*f && !*tried) {
		struct bw_error *err =
			bw_kmd_file_open(l->kmd, system ? "amdgpu_iomem" : "amdgpu_vram", false, f);
		bw_error_free(err);
		*tried = 1;
	}
	return *f;
}

static bool read_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct bw_kmd_file *f = memory_file(cookie, system);
	size_t done = 0;
	if (!f)
		return false;
	struct bw_error *err = bw_kmd_file_read(f, address, out_entry, sizeof(*out_entry), &done);
	bool ok = !err && done == sizeof(*out_entry);
	bw_error_free(err);
	return ok;
}

struct bw_error *bw_live_walk(struct bw_target *t, uint64_t va, struct bw_verdict *out)
{
	struct bw_live *l = bw_live_of(t);
	const struct bw_live_vm *vm = bw_live_vm(l);

	if (!vm || !vm->vmids || vm->vmids & (vm->vmids - 1)) {
		*out = (struct bw_verdict){.kind = BW_VERDICT_UNKNOWN};
		snprintf(out->text, sizeof(out->text), "the program's VMID is not known");
		return NULL;
	}
	return bw_live_walk_vmid(l, (unsigned)__builtin_ctz(vm->vmids), va, out);
}

struct bw_error *bw_live_walk_vmid(struct bw_live *l, unsigned vmid, uint64_t va,
				   struct bw_verdict *out)
{
	struct bw_gpuvm_context c;
	struct bw_gpuvm_range r;
	struct bw_str text = {0};

	*out = (struct bw_verdict){.kind = BW_VERDICT_UNKNOWN};
	BW_TRY(read_context(l, vmid, &c));
	bool mapped = bw_gpuvm_walk(&c, read_entry, l, va, &r);
	bw_gpuvm_explain(&r, BW_GPUVM_READ, &text);
	snprintf(out->text, sizeof(out->text), "%s", bw_str_text(&text));
	bw_str_free(&text);
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
