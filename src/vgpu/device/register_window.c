/* SPDX-License-Identifier: MIT */
#include "vgpu/device/register_window_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/gfx942_extra.h"
#include "base/log.h"
#include "base/util.h"
#include "regs/regs.h"
#include "vgpu/device/exec/core/hwreg9.h"
#include "vgpu/device/scheduler.h"

/* ---- by the fields ---- */

uint32_t bw_window_by_fields(const struct bw_window_row *r, bool to_device, uint32_t value)
{
	uint64_t out = 0;
	for (unsigned i = 0; i < r->n_fields; i++) {
		struct bw_reg_field from = to_device ? r->field[i] : r->device_field[i];
		struct bw_reg_field to = to_device ? r->device_field[i] : r->field[i];
		uint64_t v = bw_reg_field_get(from, value);
		out = bw_reg_field_set(to, out, v & bw_reg_field_max(to));
	}
	return (uint32_t)out;
}

uint32_t bw_window_read_fields(struct bw_register_window *w, const struct bw_window_row *r,
			       const struct bw_bank *bank)
{
	return bw_window_by_fields(r, false, bw_device_reg_read(w->dev, bank, r->device_dw));
}

void bw_window_write_fields(struct bw_register_window *w, const struct bw_window_row *r,
			    const struct bw_bank *bank, uint32_t value)
{
	bw_device_reg_write(w->dev, bank, r->device_dw, bw_window_by_fields(r, true, value));
}

/* ---- where traps go ---- */

/* TBA has no bit that turns traps on: an address does [I]. Either half is written last. */
static void write_tba(struct bw_register_window *w, const struct bw_window_row *r,
		      const struct bw_bank *bank, uint32_t value)
{
	const uint32_t lo_dw = w->rows.data[0].device_dw, hi_dw = w->rows.data[1].device_dw;
	bw_window_write_fields(w, r, bank, value);
	uint32_t lo = bw_device_reg_read(w->dev, bank, lo_dw);
	uint32_t hi = bw_window_by_fields(&w->rows.data[1], false,
					  bw_device_reg_read(w->dev, bank, hi_dw));
	bw_device_reg_write(w->dev, bank, hi_dw,
			    bw_window_by_fields(&w->rows.data[1], true, hi) |
				    BW_FIELD(SQ_SHADER_TBA_HI, TRAP_EN, (lo | hi) != 0));
}

/* ---- SQ_IND: a bank selects CUs, the index a SIMD ---- */

static bool selects(const struct bw_bank *b, const struct bw_wgp *cu)
{
	return !b->use_grbm ||
	       ((b->se == ~0u || b->se == cu->se) && (b->sa == ~0u || b->sa == cu->sa) &&
		(b->instance == ~0u || b->instance == cu->id));
}

/* The first CU that a bank selects. */
static struct bw_wgp *selected(struct bw_device *dev, const struct bw_bank *b)
{
	for (unsigned i = 0; i < bw_sched_n_wgps(dev); i++)
		if (selects(b, bw_sched_wgp(dev, i)))
			return bw_sched_wgp(dev, i);
	return NULL;
}

static uint32_t read_index(struct bw_register_window *w, const struct bw_window_row *r,
			   const struct bw_bank *bank)
{
	const struct bw_wgp *cu = selected(w->dev, bank);
	return cu ? atomic_load(&w->index[cu->index]) : BW_SQ_ABSENT;
}

static void write_index(struct bw_register_window *w, const struct bw_window_row *r,
			const struct bw_bank *bank, uint32_t value)
{
	for (unsigned i = 0; i < bw_sched_n_wgps(w->dev); i++)
		if (selects(bank, bw_sched_wgp(w->dev, i)))
			atomic_store(&w->index[i], value);
}

#define INDEX(field, index)                                                                        \
	(((index) & BW_GFX942_SQ_IND_INDEX__##field) >> BW_GFX942_SQ_IND_INDEX__##field##_LO)

static uint32_t idle_waves(const struct bw_wgp *cu, unsigned simd)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < BW_MAX_WAVES_PER_SIMD; i++)
		if (cu->slot[simd][i].state != BW_SLOT_FREE &&
		    cu->slot[simd][i].w.status & BW_STATUS_HALT)
			mask |= 1u << i;
	return mask;
}

/* M0 and EXEC follow the TTMPs here, as in operands of instructions. */
static uint32_t scalar(const struct bw_wave *w, unsigned n)
{
	enum { M0 = 124, NOTHING = 125 };
	return n == M0 ? w->s[BW_SRC_M0] : n == NOTHING ? 0 : w->s[n];
}

/* A dword of the instruction at the PC, 0 where no code is. */
static uint32_t code_at_pc(struct bw_device *dev, const struct bw_wave *w, unsigned dw)
{
	struct bw_tlb tlb;
	struct bw_vm_fault no_matter = {0};
	bw_tlb_init(&tlb, dev, w->vmid, BW_CLIENT_TCP);
	bw_tlb_sync(&tlb);
	const uint32_t *host = (const void *)bw_tlb_lookup_unwatched(
		&tlb, bw_canonical((w->pc & ~3ull) + 4 * dw),
		(enum bw_access)(BW_ACCESS_EXECUTE | BW_ACCESS_PROBE), &no_matter);
	return host ? __atomic_load_n(host, __ATOMIC_RELAXED) : 0;
}

/* The caller holds the CU. */
static uint32_t read_wave(struct bw_device *dev, const struct bw_wgp *cu, uint32_t at)
{
	/* SQIND_WAVE_SGPRS_OFFSET and SQIND_WAVE_VGPRS_OFFSET (arch/row.h) */
	enum { HWREGS = 0x10, SGPRS = 0x200, VGPRS = 0x400 };
	unsigned simd = INDEX(SIMD_ID, at), wave = INDEX(WAVE_ID, at), lane = INDEX(THREAD_ID, at);
	uint32_t index = INDEX(INDEX, at);
	if (index == BW_GFX942_VALID_AND_IDLE)
		return idle_waves(cu, simd);
	if (wave >= BW_MAX_WAVES_PER_SIMD || cu->slot[simd][wave].state == BW_SLOT_FREE)
		return 0;
	const struct bw_wave *w = &cu->slot[simd][wave].w;
	if (index == BW_GFX942_PC_LO)
		return (uint32_t)w->pc;
	if (index == BW_GFX942_PC_HI)
		return bw_hi32(w->pc) & BW_GFX942_PC_HI__PC_HI;
	if (index == BW_GFX942_INST_DW0 || index == BW_GFX942_INST_DW1)
		return code_at_pc(dev, w, index - BW_GFX942_INST_DW0);
	if (index > HWREGS && index < BW_GFX942_PC_LO)
		return bw_wave_hwreg9_read(w, index - HWREGS, 0, 0);
	if (index >= SGPRS && index < SGPRS + BW_SGPR_COUNT)
		return scalar(w, index - SGPRS);
	if (index >= VGPRS && index < (uint32_t)VGPRS + w->n_vgprs)
		return w->v[(index - VGPRS) * w->lanes + lane];
	return 0;
}

static uint32_t read_data(struct bw_register_window *w, const struct bw_window_row *r,
			  const struct bw_bank *bank)
{
	struct bw_wgp *cu = selected(w->dev, bank);
	if (!cu)
		return BW_SQ_ABSENT;
	uint32_t at = atomic_load(&w->index[cu->index]);
	if (INDEX(AUTO_INCR, at))
		atomic_fetch_add(&w->index[cu->index], 1u << BW_GFX942_SQ_IND_INDEX__INDEX_LO);
	/* Who looks for waves asks each slot of each CU: most have none. */
	if (!atomic_load(&cu->has_inbox) && !__atomic_load_n(&cu->n_resident, __ATOMIC_SEQ_CST))
		return 0;
	bw_wgp_acquire(cu);
	uint32_t v = read_wave(w->dev, cu, at);
	bw_wgp_release(cu);
	return v;
}

static void write_data(struct bw_register_window *w, const struct bw_window_row *r,
		       const struct bw_bank *bank, uint32_t value)
{
	BW_LOG(INFO, "vgpu", "write of 0x%08x to SQ_IND_DATA: wave state is read-only there",
	       value);
}

/* The same commands (vega10_enum.h: SQ_IND_CMD_CMD); to one wave of one SIMD, or to all. */
static void write_cmd(struct bw_register_window *w, const struct bw_window_row *r,
		      const struct bw_bank *bank, uint32_t value)
{
	struct bw_bank b = *bank;
	uint32_t mode = (value & BW_GFX942_SQ_CMD__MODE) >> BW_GFX942_SQ_CMD__MODE_LO;
	if (b.use_grbm && b.instance != ~0u) {
		if (mode != BW_SQ_MODE_SINGLE) {
			BW_LOG(WARN, "vgpu",
			       "SQ_CMD 0x%08x: a command to all waves of one CU is not supported",
			       value);
			return;
		}
		b.instance = bw_arch_instance(b.instance, (value & BW_GFX942_SQ_CMD__SIMD_ID) >>
								  BW_GFX942_SQ_CMD__SIMD_ID_LO);
	} else if (mode == BW_SQ_MODE_SINGLE) {
		BW_LOG(WARN, "vgpu", "SQ_CMD 0x%08x: one wave of each CU is not supported", value);
		return;
	}
	bw_window_write_fields(w, r, &b, value);
}

/* ---- the list ---- */

static const struct bw_window_register known[] = {
	/* write_tba() takes these two by number */
	{"gc", "SQ_SHADER_TBA_LO", .write = write_tba},
	{"gc", "SQ_SHADER_TBA_HI", .write = write_tba},
	{"gc", "SQ_SHADER_TMA_LO"},
	{"gc", "SQ_SHADER_TMA_HI"},
	{"gc", "SPI_GDBG_PER_VMID_CNTL", .may_lack = true}, /* GC 9.4.3 */
	{"gc", "SQ_DEBUG", .may_lack = true},
	{"gc", "SQ_IND_INDEX", .read = read_index, .write = write_index},
	{"gc", "SQ_IND_DATA", .read = read_data, .write = write_data},
	{"gc", "SQ_CMD", .write = write_cmd},
};
enum { N_WATCHES = 4 };
static const char *const of_watch[] = {"ADDR_H", "ADDR_L", "CNTL"};
/* What it takes to walk page tables (bw_gpu_vm_regs()): of each VMID, and of all. */
static const char *const of_context[] = {
	"CNTL",
	"PAGE_TABLE_BASE_ADDR_LO32",
	"PAGE_TABLE_BASE_ADDR_HI32",
	"PAGE_TABLE_START_ADDR_LO32",
	"PAGE_TABLE_START_ADDR_HI32",
	"PAGE_TABLE_END_ADDR_LO32",
	"PAGE_TABLE_END_ADDR_HI32",
};
static const char *const of_hub[] = {
	"MC_VM_FB_OFFSET",
	"MC_VM_FB_LOCATION_BASE",
	"MC_VM_FB_LOCATION_TOP",
	"MC_VM_AGP_BASE",
	"MC_VM_AGP_BOT",
	"MC_VM_AGP_TOP",
	"MC_VM_MX_L1_TLB_CNTL",
	"MC_VM_SYSTEM_APERTURE_LOW_ADDR",
	"MC_VM_SYSTEM_APERTURE_HIGH_ADDR",
};

static struct bw_error *find(const struct bw_profile *p, const char *block, const char *name,
			     struct bw_reg *out, uint32_t *out_addr_dw)
{
	const struct bw_profile_block *at = bw_profile_block(p, block);
	const struct bw_regs_block *b;
	BW_TRY(bw_regs_find(block, at->version, &b));
	if (!bw_regs_lookup(b, name, out))
		return bw_errorf(BW_E_NOT_FOUND, "%s of %s has no register %s", block, p->name,
				 name);
	return bw_reg_address(out, at->segment, BW_PROFILE_SEGMENTS, out_addr_dw);
}

static struct bw_error *match_fields(struct bw_window_row *r, const struct bw_reg *here,
				     const struct bw_reg *there)
{
	for (unsigned i = 0; i < here->n_fields; i++)
		for (unsigned n = 0; n < there->n_fields; n++) {
			struct bw_reg_field a = bw_reg_field(here, i), b = bw_reg_field(there, n);
			if (strcmp(a.name, b.name) != 0)
				continue;
			if (r->n_fields == BW_ARRAY_SIZE(r->field))
				return bw_errorf(BW_E_INVALID, "%s has too many fields",
						 here->name);
			r->field[r->n_fields] = a;
			r->device_field[r->n_fields++] = b;
		}
	return NULL;
}

struct bw_error *bw_window_add_row(struct bw_register_window *w, const struct bw_window_row *r)
{
	if (r->addr_dw >= BW_REG_SPACE_DW || w->row_of[r->addr_dw])
		return bw_errorf(BW_E_INVALID,
				 "no register, or a second one, can be at 0x%x of the window",
				 r->addr_dw);
	BW_TRY(bw_vec_push(&w->rows, *r));
	w->row_of[r->addr_dw] = (uint16_t)w->rows.len;
	return NULL;
}

struct bw_error *bw_window_add(struct bw_register_window *w, const struct bw_window_register *k)
{
	const struct bw_profile *p = bw_device_profile(w->dev);
	struct bw_window_row r = {.read = k->read ? k->read : bw_window_read_fields,
				  .write = k->write ? k->write : bw_window_write_fields};
	struct bw_reg here, there;
	char name[96];
	snprintf(name, sizeof(name), "%s%s", k->device_prefix ? k->device_prefix : "",
		 k->device_name ? k->device_name : k->name);
	struct bw_error *err = find(p, k->block, k->name, &here, &r.addr_dw);
	if (err && k->may_lack && err->code == BW_E_NOT_FOUND) {
		bw_error_free(err);
		return NULL;
	}
	BW_TRY(err);
	BW_TRY(find(bw_profile_registers(p), k->device_block ? k->device_block : k->block, name,
		    &there, &r.device_dw));
	r.addr_dw += k->offset_dw;
	BW_TRY(match_fields(&r, &here, &there));
	return bw_window_add_row(w, &r);
}

struct bw_error *bw_window_add_hub(struct bw_register_window *w, const char *block,
				   const char *device_prefix)
{
	char name[64];
	struct bw_window_register row = {block, NULL, .device_prefix = device_prefix};
	for (size_t i = 0; i < BW_ARRAY_SIZE(of_hub); i++) {
		row.name = of_hub[i];
		BW_TRY(bw_window_add(w, &row));
	}
	row.name = name;
	for (unsigned i = 0; i < BW_DEVICE_VMIDS * BW_ARRAY_SIZE(of_context); i++) {
		snprintf(name, sizeof(name), "VM_CONTEXT%u_%s",
			 i / (unsigned)BW_ARRAY_SIZE(of_context),
			 of_context[i % BW_ARRAY_SIZE(of_context)]);
		BW_TRY(bw_window_add(w, &row));
	}
	return NULL;
}

static struct bw_error *fill(struct bw_register_window *w)
{
	char name[64];
	for (size_t i = 0; i < BW_ARRAY_SIZE(known); i++)
		BW_TRY(bw_window_add(w, &known[i]));
	for (unsigned i = 0; i < N_WATCHES * BW_ARRAY_SIZE(of_watch); i++) {
		snprintf(name, sizeof(name), "TCP_WATCH%u_%s",
			 i / (unsigned)BW_ARRAY_SIZE(of_watch),
			 of_watch[i % BW_ARRAY_SIZE(of_watch)]);
		BW_TRY(bw_window_add(w, &(struct bw_window_register){"gc", name}));
	}
	BW_TRY(bw_window_add_hub(w, "gc", "GC"));
	for (unsigned i = 0; i < BW_DEVICE_VMIDS; i++) {
		snprintf(name, sizeof(name), "IH_VMID_%u_LUT", i);
		BW_TRY(bw_window_add(w, &(struct bw_window_register){"osssys", name}));
	}
	return NULL;
}

struct bw_error *bw_register_window_new(struct bw_device *dev, struct bw_register_window **out)
{
	*out = NULL;
	if (!bw_device_profile(dev)->registers_of)
		return NULL;
	struct bw_register_window *w = calloc(1, sizeof(*w));
	if (!w)
		return bw_error_nomem();
	w->dev = dev;
	w->index = calloc(bw_sched_n_wgps(dev), sizeof(*w->index));
	w->row_of = calloc(BW_REG_SPACE_DW, sizeof(*w->row_of));
	struct bw_error *err = w->index && w->row_of ? fill(w) : bw_error_nomem();
	if (err) {
		bw_register_window_free(w);
		return err;
	}
	*out = w;
	return NULL;
}

void bw_register_window_free(struct bw_register_window *w)
{
	if (!w)
		return;
	free((void *)w->index);
	free(w->row_of);
	free(w->plain);
	bw_vec_free(&w->rows);
	free(w);
}

static const struct bw_window_row *row_at(const struct bw_register_window *w, uint32_t addr_dw)
{
	return addr_dw < BW_REG_SPACE_DW && w->row_of[addr_dw]
		       ? &w->rows.data[w->row_of[addr_dw] - 1]
		       : NULL;
}

bool bw_register_window_read(struct bw_register_window *w, const struct bw_bank *bank,
			     uint32_t addr_dw, uint32_t *out)
{
	const struct bw_window_row *r = row_at(w, addr_dw);
	if (r)
		*out = r->read(w, r, bank);
	return r;
}

bool bw_register_window_write(struct bw_register_window *w, const struct bw_bank *bank,
			      uint32_t addr_dw, uint32_t value)
{
	const struct bw_window_row *r = row_at(w, addr_dw);
	if (r)
		r->write(w, r, bank, value);
	return r;
}

void bw_register_window_wave(struct bw_register_window *w, const struct bw_bank *bank,
			     uint32_t index, uint32_t n, uint32_t *out)
{
	write_index(w, NULL, bank, index);
	for (uint32_t i = 0; i < n; i++)
		out[i] = read_data(w, NULL, bank);
}
