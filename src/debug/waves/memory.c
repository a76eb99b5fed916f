// SPDX-License-Identifier: MIT
/* Memory by address space, for commands and expressions. */
#include "debug/code/code_priv.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

const char *bw_space_name(enum bw_space space)
{
	switch (space) {
	case BW_SPACE_LDS:
		return "local";
	case BW_SPACE_PRIVATE:
		return "private_lane";
	case BW_SPACE_GLOBAL:
		break;
	}
	return "global";
}

/* LDS offsets and scratch offsets have 32 bits. */
static struct bw_error *check_offset(enum bw_space space, uint64_t addr, size_t size_b)
{
	if (addr > UINT32_MAX || size_b > UINT32_MAX - addr)
		return bw_error_fault(addr, "Cannot access memory at address %s#0x%llx",
				      bw_space_name(space), (unsigned long long)addr);
	return NULL;
}

static struct bw_error *need_wave(struct bw_wave_record *w, enum bw_space space)
{
	if (w)
		return NULL;
	return bw_errorf(BW_E_STATE, "%s memory belongs to a wave, and no wave is stopped",
			 bw_space_name(space));
}

/* A fault is worded as gdb words it. */
struct bw_error *bw_debug_gdb_error(struct bw_error *err)
{
	if (!err || err->code != BW_E_FAULT)
		return err;
	uint64_t va = err->va;
	bw_error_free(err);
	return bw_error_fault(va, "Cannot access memory at address 0x%llx", (unsigned long long)va);
}

/* ---- Cached reads while many waves are examined ---- */

void bw_mem_lines_begin(struct bw_debug *d)
{
	d->waves->lines_wanted = true;
	memset(d->waves->lines, 0, sizeof(d->waves->lines));
}

void bw_mem_lines_end(struct bw_debug *d)
{
	d->waves->lines_wanted = false;
}

/* Reads global memory, through the cache while it is in use. */
static struct bw_error *read_global(struct bw_debug *d, uint64_t addr, uint8_t *out, size_t size_b)
{
	uint64_t va = bw_align_down(addr, BW_MEM_LINE_B);
	if (!d->waves->lines_wanted || addr + size_b > va + BW_MEM_LINE_B)
		return bw_target_read(d->target, addr, out, size_b);
	struct bw_mem_line *l = &d->waves->lines[va / BW_MEM_LINE_B % BW_MEM_LINES];
	if (!l->valid || l->va != va) {
		struct bw_error *err = bw_target_read(d->target, va, l->data, BW_MEM_LINE_B);
		l->valid = !err;
		l->va = va;
		bw_error_free(err);
		if (!l->valid) /* the bytes asked for may be readable nevertheless */
			return bw_target_read(d->target, addr, out, size_b);
	}
	memcpy(out, l->data + (addr - va), size_b);
	return NULL;
}

/* Refuses addresses that a shader cannot have: page tables use only the low bits, so such an
 * address would reach other memory. Addresses of the upper half are accepted without their sign
 * bits, as registers of the GPU have them. */
static struct bw_error *check_address(uint64_t addr)
{
	return addr > BW_VA_MASK && addr != bw_canonical(addr)
		       ? bw_error_fault(addr, "the address is not canonical")
		       : NULL;
}

/* Checks that LDS or scratch has a wave, and that the range has offsets of 32 bits. */
static struct bw_error *check_place(const struct bw_wave_mem *m, size_t size_b)
{
	BW_TRY(need_wave(m->wave, m->space));
	return check_offset(m->space, m->addr, size_b);
}

struct bw_error *bw_wave_mem_read(struct bw_debug *d, const struct bw_wave_mem *m, void *out,
				  size_t size_b)
{
	BW_TRY(bw_debug_need_target(d));
	if (size_b == 0)
		return NULL;
	if (m->space == BW_SPACE_GLOBAL) {
		struct bw_error *err = check_address(m->addr);
		return bw_debug_gdb_error(err ? err : read_global(d, m->addr, out, size_b));
	}
	BW_TRY(check_place(m, size_b));
	uint32_t slot = m->wave->info.slot, offset_b = (uint32_t)m->addr;
	if (m->space == BW_SPACE_LDS)
		return bw_target_read_lds(d->target, slot, offset_b, out, size_b);
	return bw_target_read_scratch(d->target, slot, m->lane, offset_b, out, size_b);
}

struct bw_error *bw_wave_mem_write(struct bw_debug *d, const struct bw_wave_mem *m,
				   const void *data, size_t size_b)
{
	BW_TRY(bw_debug_need_target(d));
	if (size_b == 0)
		return NULL;
	bw_debug_forget_insts(d);
	bw_stack_changed(d);
	memset(d->waves->lines, 0, sizeof(d->waves->lines));
	if (m->space == BW_SPACE_GLOBAL) {
		struct bw_error *err = check_address(m->addr);
		return bw_debug_gdb_error(err ? err
					      : bw_target_write(d->target, m->addr, data, size_b));
	}
	BW_TRY(check_place(m, size_b));
	uint32_t slot = m->wave->info.slot, offset_b = (uint32_t)m->addr;
	if (m->space == BW_SPACE_LDS)
		return bw_target_write_lds(d->target, slot, offset_b, data, size_b);
	return bw_target_write_scratch(d->target, slot, m->lane, offset_b, data, size_b);
}

static struct bw_wave_mem of_focus(struct bw_debug *d, enum bw_space space, uint64_t addr)
{
	return (struct bw_wave_mem){bw_debug_focus_priv(d), d->waves->focus_lane, space, addr};
}

struct bw_error *bw_debug_read(struct bw_debug *d, enum bw_space space, uint64_t addr, void *out,
			       size_t size_b)
{
	const struct bw_wave_mem m = of_focus(d, space, addr);
	return bw_wave_mem_read(d, &m, out, size_b);
}

struct bw_error *bw_debug_write(struct bw_debug *d, enum bw_space space, uint64_t addr,
				const void *data, size_t size_b)
{
	const struct bw_wave_mem m = of_focus(d, space, addr);
	return bw_wave_mem_write(d, &m, data, size_b);
}
