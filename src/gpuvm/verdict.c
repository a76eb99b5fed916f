/* SPDX-License-Identifier: MIT */
#include "gpuvm/gpuvm.h"

#include <inttypes.h>

#include "base/util.h"
#include "gpuvm/fault.h"

bool bw_gpuvm_allows(const struct bw_gpuvm_range *r, unsigned access)
{
	if (r->verdict == BW_GPUVM_UNTRANSLATED)
		return true;
	if (r->verdict != BW_GPUVM_MAPPED)
		return false;
	unsigned have = (r->entry.read ? BW_GPUVM_READ : 0u) |
			(r->entry.write ? BW_GPUVM_WRITE : 0u) |
			(r->entry.execute ? BW_GPUVM_EXECUTE : 0u);
	return (have & access) == access;
}

/* PERMISSION_FAULTS: bit 0 not valid, 1 read, 2 write, 3 execute. An unmapped page shows bit 0 with
 * what was asked for: a load 3, a store 5, a fetch 0xb (doc/hardware/page-tables.md 6.2). */
static uint8_t asked_bits(unsigned access)
{
	return (uint8_t)((access & (BW_GPUVM_READ | BW_GPUVM_EXECUTE) ? 2 : 0) |
			 (access & BW_GPUVM_WRITE ? 4 : 0) | (access & BW_GPUVM_EXECUTE ? 8 : 0));
}

struct bw_gpuvm_fault bw_gpuvm_fault_of(const struct bw_gpuvm_range *r, unsigned access)
{
	struct bw_gpuvm_fault f = {0};
	switch (r->verdict) {
	case BW_GPUVM_UNTRANSLATED:
	case BW_GPUVM_PRT:
		break;
	case BW_GPUVM_MAPPED:
		if (!r->entry.read)
			f.permission |= asked_bits(access) & 2;
		if (!r->entry.write)
			f.permission |= asked_bits(access) & 4;
		if (!r->entry.execute)
			f.permission |= asked_bits(access) & 8;
		if (bw_gpuvm_allows(r, access))
			f.permission = 0;
		break;
	case BW_GPUVM_OUT_OF_RANGE:
	case BW_GPUVM_CONTEXT_DISABLED:
	case BW_GPUVM_POWERED_OFF:
		f.walker_error = 1; /* RANGE */
		f.permission = 1 | asked_bits(access);
		break;
	case BW_GPUVM_NOT_VALID:
	case BW_GPUVM_NO_RETRY:
		f.permission = 1 | asked_bits(access);
		/* 2, 3, 4: an entry of PDB0, PDB1, PDB2 */
		if (r->level != BW_GPUVM_LEVEL_PTB && r->level != BW_GPUVM_LEVEL_FURTHER)
			f.walker_error = (uint8_t)BW_MIN(r->level + 1, 4);
		break;
	case BW_GPUVM_MISPLACED:
		f.permission = 1 | asked_bits(access);
		break;
	case BW_GPUVM_UNREADABLE:
		/* the table that F leads to, or any other */
		f.walker_error = bw_gpuvm_walker_number(r->gen, r->level == BW_GPUVM_LEVEL_FURTHER
									? BW_GPUVM_WALKER_FURTHER
									: BW_GPUVM_WALKER_NACK);
		f.mapping_error = true;
		f.permission = 1 | asked_bits(access);
		break;
	case BW_GPUVM_DEFAULT_PAGE:
	case BW_GPUVM_NOT_CANONICAL:
		f.mapping_error = true;
		f.permission = 1 | asked_bits(access);
		break;
	}
	return f;
}

const char *bw_gpuvm_level_name(unsigned level)
{
	static const char *const names[] = {"PTB",  "PDB0", "PDB1", "PDB2",
					    "PDB3", "PDB4", "PDB5", "PDB6"};
	if (level == BW_GPUVM_LEVEL_FURTHER)
		return "PTB (further)";
	return level < BW_ARRAY_SIZE(names) ? names[level] : "PDB?";
}

static void add_entry(const struct bw_gpuvm_range *r, struct bw_str *out)
{
	if (!r->n_steps)
		return;
	const struct bw_gpuvm_step *s = &r->step[r->n_steps - 1];
	bw_str_addf(out, "%s entry 0x%016" PRIx64 " at %s 0x%" PRIx64,
		    bw_gpuvm_level_name(s->level), s->value, s->system ? "system memory" : "vram",
		    s->address);
}

void bw_gpuvm_explain(const struct bw_gpuvm_range *r, unsigned access, struct bw_str *out)
{
	switch (r->verdict) {
	case BW_GPUVM_UNTRANSLATED:
		bw_str_add(out, "mapped by an aperture");
		return;
	case BW_GPUVM_MAPPED:
		if (bw_gpuvm_allows(r, access)) {
			bw_str_add(out, "mapped (");
		} else {
			unsigned lacks = bw_gpuvm_fault_of(r, access).permission;
			bw_str_addf(out, "the page is mapped without %s permission (",
				    lacks & 4	? "write"
				    : lacks & 8 ? "execute"
						: "read");
		}
		add_entry(r, out);
		bw_str_add(out, ")");
		return;
	case BW_GPUVM_NOT_VALID:
		bw_str_add(out, "the ");
		add_entry(r, out);
		bw_str_add(out, " is not valid");
		return;
	case BW_GPUVM_MISPLACED:
		bw_str_add(out, "the ");
		add_entry(r, out);
		bw_str_add(out, r->entry.leaf
					? " has P, which only entries of directories may have"
					: " has F, which entries of directories may not have");
		return;
	case BW_GPUVM_PRT:
		bw_str_add(out, "the page is not resident (PRT; ");
		add_entry(r, out);
		bw_str_add(out, ")");
		return;
	case BW_GPUVM_NO_RETRY:
		bw_str_add(out, "the driver has marked the page as invalid for good (");
		add_entry(r, out);
		bw_str_add(out, ")");
		return;
	case BW_GPUVM_OUT_OF_RANGE:
		bw_str_add(out, "the address lies outside the page table's range");
		return;
	case BW_GPUVM_NOT_CANONICAL:
		bw_str_add(out, "the address is not canonical");
		return;
	case BW_GPUVM_CONTEXT_DISABLED:
		bw_str_add(out, "the VM context is disabled");
		return;
	case BW_GPUVM_POWERED_OFF:
		bw_str_add(out,
			   "the page-table base register reads all ones: the block is powered off");
		return;
	case BW_GPUVM_UNREADABLE: {
		const struct bw_gpuvm_step *s = &r->step[r->n_steps - 1];
		bw_str_addf(out, "the %s entry at %s 0x%" PRIx64 " cannot be read",
			    bw_gpuvm_level_name(s->level), s->system ? "system memory" : "vram",
			    s->address);
		return;
	}
	case BW_GPUVM_DEFAULT_PAGE:
		bw_str_add(out, "the address lies in the system aperture but in neither the "
				"framebuffer nor AGP: accesses go to the default page");
		return;
	}
}

bool bw_gpuvm_step_is_directory(const struct bw_gpuvm_context *c, const struct bw_gpuvm_range *r,
				unsigned i)
{
	const struct bw_gpuvm_step *s = &r->step[i];
	if (i + 1 < r->n_steps)
		return true;
	return s->level != BW_GPUVM_LEVEL_PTB && s->level != BW_GPUVM_LEVEL_FURTHER &&
	       !bw_gpuvm_pde(c->gen, s->value).leaf;
}
