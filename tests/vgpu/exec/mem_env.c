/* SPDX-License-Identifier: MIT */
#include "mem_env.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/device/exec/core/exec.h"

/* Host page of each virtual one: pairs lie together, and no two of those are neighbours. */
static unsigned shuffled(unsigned page)
{
	return page / 2 * 5 % (ENV_PAGES / 2) * 2 + page % 2;
}

static struct env *current;

uint8_t *env_byte(struct env *e, uint64_t va, bool write)
{
	uint64_t page = (va - ENV_VA) / BW_PAGE_B;
	if (va < ENV_VA || page >= ENV_PAGES || (write && page == ENV_RO_PAGE))
		return NULL;
	return e->host + shuffled((unsigned)page) * BW_PAGE_B + va % BW_PAGE_B;
}

/* In place of the device's page walk. */
uint8_t *bw_tlb_miss(struct bw_tlb *tlb, uint64_t va, enum bw_access access,
		     struct bw_vm_fault *out_fault)
{
	bool write = access & (BW_ACCESS_WRITE | BW_ACCESS_ATOMIC);
	uint8_t *host = env_byte(current, va, write);
	if (!host) {
		*out_fault =
			(struct bw_vm_fault){.va = va, .access = (uint8_t)access, .permission = 1};
		out_fault->prt = va / BW_PAGE_B == ENV_PRT_VA / BW_PAGE_B;
		return NULL;
	}
	bool read_only = !env_byte(current, va, true);
	tlb->entry[(va >> 12) % BW_TLB_ENTRIES] = (struct bw_tlb_entry){
		.tag = va >> 12,
		.host = host - va % BW_PAGE_B,
		.access = read_only ? BW_ACCESS_READ
				    : BW_ACCESS_READ | BW_ACCESS_WRITE | BW_ACCESS_ATOMIC,
	};
	/* The two pages of a pair, where they have the same rights. */
	bool pair = !read_only && (va - ENV_VA) / BW_PAGE_B / 2 != ENV_RO_PAGE / 2;
	uint64_t in_range = va % (pair ? 2 * BW_PAGE_B : BW_PAGE_B);
	tlb->range[bw_tlb_range_slot(va)] = (struct bw_tlb_range){
		.va = va - in_range,
		.size_b = pair ? 2 * BW_PAGE_B : BW_PAGE_B,
		.host = host - in_range,
		.access = read_only ? BW_ACCESS_READ
				    : BW_ACCESS_READ | BW_ACCESS_WRITE | BW_ACCESS_ATOMIC,
	};
	return host;
}

uint32_t env_random(struct env *e)
{
	e->random ^= e->random << 13;
	e->random ^= e->random >> 7;
	e->random ^= e->random << 17;
	return (uint32_t)(e->random >> 16);
}

void env_scramble(struct env *e)
{
	for (unsigned i = 0; i < ENV_VGPRS * e->w.lanes; i++)
		e->v[i] = env_random(e);
	for (unsigned i = 0; i < ENV_PAGES * BW_PAGE_B; i += 4) {
		uint32_t r = env_random(e);
		memcpy(e->host + i, &r, 4);
	}
	for (unsigned i = 0; i < ENV_LDS_B; i += 4) {
		uint32_t r = env_random(e);
		memcpy(e->lds + i, &r, 4);
	}
}

void env_init(struct env *e, unsigned lanes)
{
	struct bw_exec_host host = {.sh_mem_bases = ENV_SHARED_HI | ENV_PRIVATE_HI >> 16};
	memset(e, 0, sizeof(*e));
	e->random = 0x9e3779b97f4a7c15;
	e->x = bw_exec_create(&host);
	e->host = aligned_alloc(BW_PAGE_B, ENV_PAGES * BW_PAGE_B);
	e->wg = (struct bw_workgroup){.lds = e->lds, .lds_size_b = ENV_LDS_B};
	for (unsigned i = 0; i < BW_TLB_ENTRIES; i++)
		e->tlb.entry[i].tag = ~0ull;
	memset(e->tlb.range, 0, sizeof(e->tlb.range));
	e->w.lanes = (uint8_t)lanes;
	e->w.v = e->v;
	e->w.n_vgprs = ENV_VGPRS;
	e->w.wg = &e->wg;
	e->w.tlb = &e->tlb;
	e->w.flat_scratch = ENV_VA + ENV_SCRATCH_PAGE * BW_PAGE_B;
	e->w.scratch_size_b = ENV_SCRATCH_LANE_B * lanes;
	e->w.s[BW_SRC_EXEC_LO] = e->w.s[BW_SRC_EXEC_HI] = ~0u;
	e->inst.saddr = BW_SRC_NULL;
	e->inst.soffset = BW_SRC_NULL;
	current = e;
	env_scramble(e);
}

void env_fini(struct env *e)
{
	bw_exec_destroy(e->x);
	free(e->host);
}

enum bw_mem_result env_run(struct env *e, bool *out_illegal)
{
	const struct bw_mem_row *row = bw_exec_mem_row(e->inst.op);
	struct bw_rec_ctx ctx = {
		.n_vgprs = e->w.n_vgprs, .lanes = e->w.lanes, .priv = e->w.status & BW_STATUS_PRIV};
	current = e;
	memset(&e->rec, 0, sizeof(e->rec));
	e->rec.inst = &e->inst;
	e->rec.mem = row;
	*out_illegal = row->prepare && !row->prepare(&e->rec, &ctx);
	return *out_illegal ? BW_MEM_OK : row->fn(e->x, &e->w, &e->rec);
}
