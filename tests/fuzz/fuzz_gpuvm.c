/* SPDX-License-Identifier: MIT */
/* Page tables from nowhere: registers, then table memory, which repeats behind its end. Every walk
 * ends, its range contains the address that was asked for, and its description ends.
 *
 * The first byte chooses the generation and VMID 0 or another; then come the registers, one address
 * to begin with, and the table memory. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"
#include "base/str.h"
#include "gpuvm/repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct tables {
	const uint8_t *bytes;
	size_t n;
	unsigned reads;
};

static bool read_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct tables *t = cookie;
	t->reads++;
	if (t->n < 8 || address % 8 || address >> 52)
		return false;
	memcpy(out_entry, t->bytes + (address + system * 8) % (t->n & ~7ul), 8);
	return true;
}

static void walk(const struct bw_gpuvm_context *c, struct tables *t, uint64_t va,
		 struct bw_gpuvm_range *r)
{
	struct bw_str text = {0};
	t->reads = 0;
	bool mapped = bw_gpuvm_walk(c, read_entry, t, va, r);
	assert(mapped == (r->verdict == BW_GPUVM_MAPPED || r->verdict == BW_GPUVM_UNTRANSLATED));
	assert(r->n_steps <= BW_GPUVM_MAX_STEPS && t->reads <= BW_GPUVM_MAX_STEPS);
	for (unsigned access = 0; access < 8; access++) {
		struct bw_gpuvm_fault f = bw_gpuvm_fault_of(r, access);
		if (access && bw_gpuvm_allows(r, access))
			assert(mapped && !f.permission && !f.walker_error);
		bw_gpuvm_explain(r, access, &text);
		bw_str_free(&text);
		text = (struct bw_str){0};
	}
	struct bw_gpuvm_repair repairs[BW_GPUVM_MAX_REPAIRS];
	size_t n = bw_gpuvm_repairs(c, read_entry, t, va, repairs);
	assert(n <= BW_GPUVM_MAX_REPAIRS);
	bw_gpuvm_repairs_tell(c, repairs, n, va, &text);
	assert(!n == !text.len);
	bw_str_free(&text);
	bw_gpuvm_level_name(r->level);
	if (mapped)
		assert(r->size_b && va - r->va < r->size_b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct bw_cursor in = bw_cursor(bytes, n);
	uint8_t kind = bw_cursor_u8(&in);
	enum bw_gpuvm_gen gen = (enum bw_gpuvm_gen)(kind % (BW_GPUVM_GFX12_1 + 1));
	struct bw_gpuvm_regs regs = {0};
	struct bw_gpuvm_context c;
	struct bw_gpuvm_range r;
	uint64_t va = 0;
	bw_cursor_copy(&in, &regs,
		       sizeof(regs) < bw_cursor_left(&in) ? sizeof(regs) : bw_cursor_left(&in));
	bw_cursor_copy(&in, &va, 8 < bw_cursor_left(&in) ? 8 : bw_cursor_left(&in));
	struct tables t = {bytes + in.pos, n - in.pos, 0};
	bw_gpuvm_context_init(&c, gen, kind & 0x40 ? 0 : 3, &regs);
	/* One range after the other, as a listing of an address space goes. */
	for (unsigned i = 0; i < 16; i++) {
		walk(&c, &t, va, &r);
		uint64_t next = r.va + r.size_b;
		va = next > va ? next : va * 3 + 4096;
	}
	bw_gpuvm_status_decode(gen, regs.cntl);
	bw_gpuvm_gfxhub_client(gen, kind);
	bw_gpuvm_mtype_name(gen, kind);
	return 0;
}
