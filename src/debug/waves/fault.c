// SPDX-License-Identifier: MIT
/* Explains a memory violation: which instruction, which lanes, which address, and what the page
 * tables say. */
#include "debug/bound.h"
#include "debug/faults.h"
#include "debug/dispatches.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { PAGE_B = 4096 };

static bool allows(const struct bw_verdict *v, const struct bw_fault_info *f)
{
	if (v->kind != BW_VERDICT_MAPPED)
		return false;
	if (f->is_fetch)
		return v->executable;
	return (f->is_write && !f->is_atomic) ? v->writable
	       : f->is_atomic		      ? v->readable && v->writable
					      : v->readable;
}

/* Walks the page tables. On a target that cannot do this, the verdict is not known. */
static struct bw_error *walk(struct bw_debug *d, uint64_t va, struct bw_verdict *out)
{
	_cleanup_error_ struct bw_error *err = bw_target_need(d->target, BW_CAP_WALK);
	if (!err)
		return bw_target_walk(d->target, va, out);
	*out = (struct bw_verdict){.kind = BW_VERDICT_UNKNOWN};
	snprintf(out->text, sizeof(out->text), "%s", err->message);
	return NULL;
}

/* Verdicts by page, cached: lanes of a wave mostly share pages. */
struct pages {
	struct bw_debug *d;
	struct bw_verdict last;
	uint64_t page;
	bool have;
};

static struct bw_error *ask(struct pages *p, uint64_t va, const struct bw_verdict **out)
{
	uint64_t page = va / PAGE_B;
	if (!p->have || p->page != page) {
		BW_TRY(walk(p->d, va, &p->last));
		p->page = page;
		p->have = true;
	}
	*out = &p->last;
	return NULL;
}

uint32_t bw_debug_scratch_lane_b(struct bw_debug *d, const struct bw_wave_record *w)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, w->info.dispatch);
	if (!x)
		return 0;
	const struct bw_arch_resources has =
		bw_arch_resources(bw_debug_arch(d), w->info.lanes, x->desc.rsrc1, x->desc.rsrc2,
				  x->desc.tmpring_size);
	return has.scratch_b / w->info.lanes;
}

/* The fault of one lane's access. */
struct lane_fault {
	bool fails;
	uint64_t addr;
	struct bw_verdict verdict;
};

static struct bw_error *check_lane(struct pages *p, const struct bw_wave_record *w,
				   const struct bw_fault_info *f, const struct bw_wave_access *a,
				   unsigned lane, struct lane_fault *out)
{
	const struct bw_verdict *v;
	uint64_t addr = a->addr[lane];

	out->fails = false;
	if (a->space[lane] == BW_SPACE_LDS)
		return NULL; /* an access after the buffer's end reads 0, and is not a fault */
	if (a->space[lane] == BW_SPACE_PRIVATE) {
		uint32_t size_b = bw_debug_scratch_lane_b(p->d, w);
		if (addr + f->access_size_b <= size_b)
			return NULL;
		*out = (struct lane_fault){
			.fails = true, .addr = addr, .verdict = {.kind = BW_VERDICT_UNMAPPED}};
		snprintf(out->verdict.text, sizeof(out->verdict.text),
			 "a lane of this dispatch has %u bytes of scratch", size_b);
		return NULL;
	}
	for (uint64_t at = addr;; at = bw_align_down(at, PAGE_B) + PAGE_B) {
		BW_TRY(ask(p, at, &v));
		if (v->kind == BW_VERDICT_UNKNOWN)
			return NULL;
		if (!allows(v, f)) {
			*out = (struct lane_fault){.fails = true, .addr = at, .verdict = *v};
			return NULL;
		}
		if (bw_align_down(at, PAGE_B) == bw_align_down(addr + a->span_b - 1, PAGE_B))
			return NULL;
	}
}

static struct bw_error *find_lanes(struct bw_debug *d, struct bw_wave_record *w,
				   const struct bw_wave_access *a, struct bw_fault_info *f)
{
	struct pages p = {.d = d};

	for (unsigned lane = 0; lane < w->info.lanes; lane++) {
		struct lane_fault found;
		if (!(a->lanes >> lane & 1))
			continue;
		BW_TRY(check_lane(&p, w, f, a, lane, &found));
		if (!found.fails)
			continue;
		f->fault_lanes |= 1ull << lane;
		if (f->first_lane >= 0)
			continue;
		f->first_lane = (int)lane;
		f->space = a->space[lane];
		f->addr = found.addr;
		f->has_addr = true;
		f->verdict = found.verdict;
		memcpy(f->texel, a->image.texel[lane], sizeof(f->texel));
		f->block_va = a->addr[lane];
	}
	return NULL;
}

/* Describes the image: by its descriptor, and by the program's name for it. */
static void describe_image(struct bw_debug *d, const struct bw_wave_record *w,
			   const struct bw_wave_access *a, struct bw_fault_info *f)
{
	const struct bw_buffer_info *all;
	struct bw_bound *bound = NULL;
	size_t n = 0;
	f->is_image = true;
	f->image_va = a->image.base;
	f->image_type = bw_image_type_name(a->image.type);
	memcpy(f->image_dim, a->image.dim, sizeof(f->image_dim));
	f->block_b = a->span_b > a->size_b ? a->span_b : 0;
	/* after this call the buffers bound to the dispatch are known */
	bw_error_free(bw_debug_bound(d, w->info.dispatch, &bound, &n));
	free(bound);
	n = 0;
	bw_error_free(bw_debug_buffers(d, &all, &n));
	for (size_t i = 0; i < n; i++)
		if (all[i].is_image && all[i].va == f->image_va)
			snprintf(f->image_name, sizeof(f->image_name), "%s", all[i].name);
}

/* The GPU's own fault record, and its page if the instruction gives no address. */
static void add_record(struct bw_debug *d, struct bw_fault_info *f)
{
	struct bw_error *err = bw_target_fault(d->target, &f->record);
	f->has_status = !err && f->record.present;
	bw_error_free(err);
	/* in a block of an image, the record tells which page faulted */
	bool in_block = f->block_b && f->has_status && f->record.va - f->block_va < f->block_b;
	if ((f->has_addr && !in_block) || !f->has_status)
		return;
	f->addr = f->record.va;
	f->has_addr = true;
	err = walk(d, f->addr, &f->verdict);
	bw_error_free(err);
}

/* Finds what was at the address before the program freed it. */
static bool find_freed(struct bw_debug *d, struct bw_fault_info *f)
{
	char exe[32];
	if (!f->has_addr || f->space != BW_SPACE_GLOBAL || f->verdict.kind == BW_VERDICT_MAPPED ||
	    !bw_target_can(d->target, BW_CAP_FREED))
		return false;
	struct bw_error *err = bw_target_freed(d->target, f->addr, &f->freed);
	if (err)
		f->freed.size_b = 0;
	bw_error_free(err);
	if (f->freed.size_b && f->freed.pid) {
		snprintf(exe, sizeof(exe), "/proc/%d/exe", f->freed.pid);
		bw_host_place(exe, f->freed.by, &f->freed_in);
	}
	return f->freed.size_b > 0;
}

/* Finds the buffer that lies nearest to the address. */
static void find_near(struct bw_debug *d, const struct bw_wave_record *w, struct bw_fault_info *f)
{
	enum { NEAR_B = 16 << 20 };
	const struct bw_buffer_info *all;
	_cleanup_free_ struct bw_bound *bound = NULL;
	uint64_t best = NEAR_B;
	size_t n_bound = 0, n = 0;
	if (!f->has_addr || f->space != BW_SPACE_GLOBAL || f->is_fetch)
		return;
	/* a mapped address lies inside of a buffer, not near one */
	if (f->verdict.kind == BW_VERDICT_MAPPED)
		best = 1;
	/* after this call the buffers bound to the dispatch are known */
	bw_error_free(bw_debug_bound(d, w->info.dispatch, &bound, &n_bound));
	bw_error_free(bw_debug_buffers(d, &all, &n));
	for (size_t i = 0; i < n; i++) {
		const struct bw_buffer_info *b = &all[i];
		/* a descriptor does not tell an image's size: the buffer in which it lies tells
		 * more */
		if (b->is_image && !b->from_api)
			continue;
		uint64_t end = b->va + b->size_b;
		if (b->space != d->space)
			continue;
		bool inside = f->addr >= b->va && f->addr < end, past = f->addr >= end;
		uint64_t far_b = inside ? 0 : past ? f->addr - end : b->va - f->addr;
		if (far_b >= best)
			continue;
		best = far_b;
		f->near = inside ? BW_NEAR_INSIDE : past ? BW_NEAR_PAST : BW_NEAR_BEFORE;
		f->near_b = inside ? f->addr - b->va : far_b;
		f->near_buffer = b->number;
		f->near_va = b->va;
		f->near_size_b = b->size_b;
		f->near_is_image = b->is_image;
		snprintf(f->near_name, sizeof(f->near_name), "%s",
			 bw_debug_buffer_name(b, bound, n_bound));
	}
}

struct bw_error *bw_debug_fault(struct bw_debug *d, uint32_t number, struct bw_fault_info *out)
{
	struct bw_fault_info f = {.first_lane = -1};
	struct bw_wave_record *w = bw_debug_wave_priv(d, number);
	struct bw_wave_access a;

	if (!w)
		return bw_errorf(BW_E_NOT_FOUND, "Wave %u is not stopped", number);
	BW_IN_SPACE(d, w->info.space);
	struct bw_error *err = bw_access_of(d, w, w->info.pc, &a);
	if (err && err->code == BW_E_FAULT) {
		/* the code itself is not mapped */
		bw_error_free(err);
		f.is_fetch = true;
		f.access_size_b = 4;
		f.addr = w->info.pc;
		f.has_addr = true;
		BW_TRY(walk(d, f.addr, &f.verdict));
		add_record(d, &f);
		find_freed(d, &f);
		*out = f;
		return NULL;
	}
	BW_TRY(err);
	if (a.is_memory) {
		f.has_instruction = true;
		f.is_scalar = a.is_scalar;
		f.is_atomic = a.is_atomic;
		f.is_write = a.is_write;
		f.access_size_b = a.size_b;
		if (a.is_image)
			describe_image(d, w, &a, &f);
		if (a.has_addresses)
			BW_TRY(find_lanes(d, w, &a, &f));
	}
	add_record(d, &f);
	if (!find_freed(d, &f))
		find_near(d, w, &f);
	*out = f;
	return NULL;
}
