/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* bw_tlb_lookup reaches the harness through the entry's dev, which no test here needs otherwise. */
static struct harness *of(struct bw_tlb *tlb)
{
	return (struct harness *)tlb->dev;
}

uint8_t *bw_tlb_miss(struct bw_tlb *tlb, uint64_t va, enum bw_access access,
		     struct bw_vm_fault *out_fault)
{
	struct harness *h = of(tlb);
	uint64_t page = (va - (va >> 63 ? HARNESS_HIGH : HARNESS_BASE)) / BW_PAGE_B;
	bool probe = access & BW_ACCESS_PROBE;
	access &= ~(unsigned)BW_ACCESS_PROBE;
	if (va < HARNESS_BASE || page >= HARNESS_PAGES || (h->access[page] & access) != access) {
		*out_fault = (struct bw_vm_fault){
			.va = va, .access = (uint8_t)access, .walker_error = 1};
		h->n_faults += !probe;
		return NULL;
	}
	if (probe)
		return h->mem + page * BW_PAGE_B + va % BW_PAGE_B;
	struct bw_tlb_entry *e = &tlb->entry[(va >> 12) % BW_TLB_ENTRIES];
	*e = (struct bw_tlb_entry){
		.tag = va >> 12, .host = h->mem + page * BW_PAGE_B, .access = h->access[page]};
	return e->host + va % BW_PAGE_B;
}

bool bw_vm_read(struct bw_tlb *tlb, uint64_t va, void *out, size_t size_b,
		struct bw_vm_fault *out_fault)
{
	for (size_t done = 0; done < size_b;) {
		size_t n = BW_MIN(size_b - done, (size_t)(BW_PAGE_B - (va + done) % BW_PAGE_B));
		const uint8_t *p = bw_tlb_lookup(tlb, va + done, BW_ACCESS_READ, out_fault);
		if (!p)
			return false;
		memcpy((uint8_t *)out + done, p, n);
		done += n;
	}
	return true;
}

bool bw_vm_write(struct bw_tlb *tlb, uint64_t va, const void *data, size_t size_b,
		 struct bw_vm_fault *out_fault)
{
	for (size_t done = 0; done < size_b;) {
		size_t n = BW_MIN(size_b - done, (size_t)(BW_PAGE_B - (va + done) % BW_PAGE_B));
		uint8_t *p = bw_tlb_lookup(tlb, va + done, BW_ACCESS_WRITE, out_fault);
		if (!p)
			return false;
		memcpy(p, (const uint8_t *)data + done, n);
		done += n;
	}
	return true;
}

static bool trap_base(void *cookie, unsigned vmid, uint64_t *out_tba, uint64_t *out_tma)
{
	struct harness *h = cookie;
	(void)vmid;
	*out_tba = h->tba;
	*out_tma = h->tma;
	return h->tba_on;
}

static uint64_t realtime(void *cookie)
{
	(void)cookie;
	return 0x123456789abcull;
}

static uint32_t shader_cycles(void *cookie)
{
	(void)cookie;
	return 0xfff12345;
}

static void send_interrupt(void *cookie, struct bw_wave *w, uint32_t m0)
{
	struct harness *h = cookie;
	(void)w;
	h->n_interrupts++;
	h->interrupt_m0 = m0;
}

static void wakeup(void *cookie, struct bw_workgroup *wg)
{
	struct harness *h = cookie;
	(void)wg;
	h->n_wakeups++;
}

static void absent(void *cookie, struct bw_wave *w, uint64_t pc, const uint32_t *words,
		   const char *name)
{
	struct harness *h = cookie;
	(void)w;
	(void)words;
	h->n_absent++;
	h->absent_pc = pc;
	snprintf(h->absent_name, sizeof(h->absent_name), "%s", name ? name : "");
}

static bool gws(void *cookie, struct bw_wave *w, unsigned resource, enum bw_gws_op op, uint32_t n)
{
	struct harness *h = cookie;
	(void)w;
	h->gws.resource = resource;
	h->gws.op = op;
	h->gws.n = n;
	h->gws.n_asked++;
	return h->gws.done;
}

static void *alloc64(size_t size_b)
{
	void *p = aligned_alloc(64, bw_align_up(size_b, 64));
	assert(p);
	memset(p, 0, size_b);
	return p;
}

struct harness *harness_create(unsigned lanes)
{
	return harness_create_gen(BW_ISA_GFX11, lanes);
}

struct harness *harness_create_gen(enum bw_isa_gen gen, unsigned lanes)
{
	struct harness *h = alloc64(sizeof(*h));
	h->gen = gen;
	h->mem = aligned_alloc(BW_PAGE_B, HARNESS_PAGES * BW_PAGE_B);
	assert(h->mem);
	memset(h->mem, 0, HARNESS_PAGES * BW_PAGE_B);
	memset(h->access, BW_ACCESS_READ | BW_ACCESS_WRITE | BW_ACCESS_EXECUTE | BW_ACCESS_ATOMIC,
	       HARNESS_PAGES);
	for (unsigned i = 0; i < BW_TLB_ENTRIES; i++)
		h->tlb.entry[i].tag = ~0ull;
	h->tlb.dev = (struct bw_device *)h;
	h->tba = HARNESS_BASE + HARNESS_HANDLER;
	h->tma = HARNESS_BASE + HARNESS_DATA;
	const struct bw_exec_host host = {
		.cookie = h,
		.gen = gen,
		.trap_base = trap_base,
		.realtime = realtime,
		.shader_cycles = shader_cycles,
		.send_interrupt = send_interrupt,
		.wakeup = wakeup,
		.absent = absent,
		.gws = gws,
		.sh_mem_bases = 0x00010002,
	};
	h->x = bw_exec_create(&host);
	h->w = alloc64(sizeof(*h->w));
	h->w->v = alloc64(HARNESS_VGPRS * lanes * 4);
	h->w->lanes = (uint8_t)lanes;
	harness_reset(h);
	return h;
}

void harness_destroy(struct harness *h)
{
	bw_exec_destroy(h->x);
	free(h->wg.lds);
	free(h->w->v);
	free(h->w);
	free(h->mem);
	free(h);
}

void harness_reset(struct harness *h)
{
	uint32_t *v = h->w->v;
	uint8_t lanes = h->w->lanes;
	memset(v, 0, (size_t)HARNESS_VGPRS * lanes * 4);
	*h->w = (struct bw_wave){
		.v = v,
		.lanes = lanes,
		.n_vgprs = HARNESS_VGPRS,
		.accum_offset = h->gen == BW_ISA_GFX942 ? HARNESS_ACCUM_OFFSET : 0,
		.vmid = 1,
		.tlb = &h->tlb,
		.wg = &h->wg,
		.pc = HARNESS_BASE + HARNESS_CODE,
		.mode = 0x3c0, /* f16 and f64 denormals kept, f32's flushed; DX10_CLAMP, IEEE */
		.status = BW_STATUS_VALID,
	};
	h->w->s[126] = 0xffffffff;
	h->w->s[127] = lanes == 64 ? 0xffffffff : 0;
	h->wg.n_waves = 1;
}

void harness_code(struct harness *h, uint32_t offset_b, const uint32_t *words, size_t n)
{
	memcpy(h->mem + offset_b, words, n * 4);
}

enum bw_run harness_run(struct harness *h, const uint32_t *words, size_t n)
{
	static const uint32_t end = 0xbfb00000;
	harness_code(h, HARNESS_CODE, words, n);
	harness_code(h, HARNESS_CODE + (uint32_t)n * 4, &end, 1);
	h->w->pc = HARNESS_BASE + HARNESS_CODE;
	bw_exec_flush_code(h->x);
	return bw_exec_run(h->x, h->w, 100000);
}

uint32_t *harness_v(struct harness *h, unsigned n)
{
	return h->w->v + (size_t)n * h->w->lanes;
}
