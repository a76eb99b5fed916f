// SPDX-License-Identifier: MIT
/* The registers a debugger needs: which VMID the program has, where its traps go, SQ_CMD and
 * SQ_IND. */
#include "live/live_priv.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "regs/regs.h"

enum {
	TBA_HI_TRAP_EN = 1u << 31,
	GDBG_TRAP_EN = 1u << 3,
	GDBG_EXCP_EN_SHIFT = 4,
	SQ_CMD_TRAP = 5,
	SQ_CMD_BROADCAST = 1 << 4,
	SQ_CMD_CHECK_VMID = 1 << 7,
	SQ_CMD_VMID_SHIFT = 28,
	SQ_DEBUG_SINGLE_MEMOP = 1,
	IND_WAVE_ACTIVE = 0xa,
	IND_STATUS = 0x102,
	IND_HW_ID2 = 0x118,
	IND_TTMP8 = 0x200 + 108 + 8,
	NO_SQ = 0xbebebeef, /* what an SQ that does not exist reads as */
	FIRST_USER_VMID = 1,
	LAST_GFX_VMID = 7, /* 8 to 15 are KFD's (registers.md 5) */
	GCA_DWORDS = 36,
};

static const struct bw_kmd_bank broadcast = {
	.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};

/* ---- Addresses ---- */

struct finder {
	const struct bw_regs_block *block;
	struct bw_kmd_ip ip;
};

static struct bw_error *open_block(struct bw_live *l, const char *name, const char *table,
				   struct finder *out)
{
	BW_TRY(bw_kmd_ip(l->kmd, name, &out->ip));
	return bw_regs_find(table, BW_IP_VERSION(out->ip.major, out->ip.minor, out->ip.revision),
			    &out->block);
}

static struct bw_error *find(const struct finder *f, const char *name, uint32_t *out)
{
	return bw_regs_address(f->block, name, f->ip.segment, f->ip.n_segments, out);
}

struct bw_error *bw_live_find_regs(struct bw_live *l)
{
	struct bw_live_regs *r = &l->regs;
	struct finder gc, ih;
	char name[64];
	BW_TRY(open_block(l, "GC", "gc", &gc));
	BW_TRY(open_block(l, "OSSSYS", "osssys", &ih));
	r->gc_version = BW_IP_VERSION(gc.ip.major, gc.ip.minor, gc.ip.revision);

	const struct {
		const char *name;
		uint32_t *addr;
	} rows[] = {
		{"SQ_IND_INDEX", &r->sq_ind_index},
		{"SQ_IND_DATA", &r->sq_ind_data},
		{"SQ_CMD", &r->sq_cmd},
		{"SQ_DEBUG", &r->sq_debug},
		{"SQ_SHADER_TBA_LO", &r->tba_lo},
		{"SQ_SHADER_TBA_HI", &r->tba_hi},
		{"SQ_SHADER_TMA_LO", &r->tma_lo},
		{"SQ_SHADER_TMA_HI", &r->tma_hi},
		{"SPI_GDBG_PER_VMID_CNTL", &r->gdbg},
		{"TCP_WATCH0_ADDR_H", &r->tcp_watch[0]},
		{"TCP_WATCH1_ADDR_H", &r->tcp_watch[1]},
		{"TCP_WATCH2_ADDR_H", &r->tcp_watch[2]},
		{"TCP_WATCH3_ADDR_H", &r->tcp_watch[3]},
		{"GCMC_VM_FB_OFFSET", &r->fb_offset},
		{"GCMC_VM_FB_LOCATION_BASE", &r->fb_base},
		{"GCMC_VM_FB_LOCATION_TOP", &r->fb_top},
		{"GCMC_VM_AGP_BASE", &r->agp_base},
		{"GCMC_VM_AGP_BOT", &r->agp_bot},
		{"GCMC_VM_AGP_TOP", &r->agp_top},
		{"GCMC_VM_SYSTEM_APERTURE_LOW_ADDR", &r->sys_low},
		{"GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR", &r->sys_high},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		BW_TRY(find(&gc, rows[i].name, rows[i].addr));
	for (unsigned vmid = 0; vmid < 16; vmid++) {
		snprintf(name, sizeof(name), "IH_VMID_%u_LUT", vmid);
		BW_TRY(find(&ih, name, &r->ih_vmid_lut[vmid]));
		snprintf(name, sizeof(name), "GCVM_CONTEXT%u_CNTL", vmid);
		BW_TRY(find(&gc, name, &r->ctx_cntl[vmid]));
		snprintf(name, sizeof(name), "GCVM_CONTEXT%u_PAGE_TABLE_BASE_ADDR_LO32", vmid);
		BW_TRY(find(&gc, name, &r->ctx_base[vmid]));
		snprintf(name, sizeof(name), "GCVM_CONTEXT%u_PAGE_TABLE_START_ADDR_LO32", vmid);
		BW_TRY(find(&gc, name, &r->ctx_start[vmid]));
		snprintf(name, sizeof(name), "GCVM_CONTEXT%u_PAGE_TABLE_END_ADDR_LO32", vmid);
		BW_TRY(find(&gc, name, &r->ctx_end[vmid]));
	}
	return NULL;
}

/* The compiler's name of a GC version (amdkfd/kfd_device.c of Linux 6.12, gfx_target_version), and
 * VGPRs of 32 lanes in a SIMD (LLVM's AMDGPU.td: 1536 where FeatureGFX11FullVGPRs or gfx12). */
static void name_gfx(uint32_t version, struct bw_target_facts *f)
{
	static const struct {
		uint32_t version;
		const char *gfx;
		uint32_t vgprs;
	} rows[] = {
		{BW_IP_VERSION(11, 0, 0), "gfx1100", 1536},
		{BW_IP_VERSION(11, 0, 1), "gfx1103", 1024},
		{BW_IP_VERSION(11, 0, 2), "gfx1102", 1024},
		{BW_IP_VERSION(11, 0, 3), "gfx1101", 1536},
		{BW_IP_VERSION(11, 0, 4), "gfx1103", 1024},
		{BW_IP_VERSION(11, 5, 0), "gfx1150", 1024},
		{BW_IP_VERSION(11, 5, 1), "gfx1151", 1536},
		{BW_IP_VERSION(11, 5, 2), "gfx1152", 1024},
		{BW_IP_VERSION(12, 0, 0), "gfx1200", 1536},
		{BW_IP_VERSION(12, 0, 1), "gfx1201", 1536},
	};
	snprintf(f->gfx, sizeof(f->gfx), "gfx%u%u%x", version >> 16, version >> 8 & 0xff,
		 version & 0xff);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (rows[i].version != version)
			continue;
		snprintf(f->gfx, sizeof(f->gfx), "%s", rows[i].gfx);
		f->vgprs_per_simd = rows[i].vgprs;
	}
}

/* Shape of the device, from amdgpu_gca_config (doc/hardware/kernel-interface.md 5.1). */
struct bw_error *bw_live_facts(struct bw_live *l)
{
	struct bw_target_facts *f = &l->t.facts;
	struct bw_kmd_file *file;
	uint32_t gca[GCA_DWORDS] = {0}, sq_debug = 0;
	size_t done;

	BW_TRY(bw_kmd_file_open(l->kmd, "amdgpu_gca_config", false, &file));
	struct bw_error *err = bw_kmd_file_read(file, 0, gca, sizeof(gca), &done);
	bw_kmd_file_close(file);
	BW_TRY(err);
	if (done < 5 * sizeof(uint32_t))
		return bw_errorf(BW_E_INVALID, "amdgpu_gca_config has %zu bytes, too few", done);
	f->n_se = gca[1];
	f->sa_per_se = gca[4];
	f->wgp_per_sa = gca[3] / 2;
	f->simd_per_wgp = 4;
	f->waves_per_simd = 16; /* gfx10.3 and later (traps.md 4.3) */
	/* HW_ID1 has 3 bits for SE, 1 for SA, 4 for WGP */
	if (f->n_se == 0 || f->n_se > 8 || f->sa_per_se == 0 || f->sa_per_se > 2 ||
	    f->wgp_per_sa == 0 || f->wgp_per_sa > 16)
		return bw_errorf(BW_E_INVALID,
				 "amdgpu_gca_config makes no sense: %u engines, %u arrays, %u WGPs",
				 f->n_se, f->sa_per_se, f->wgp_per_sa);
	f->n_slots = f->n_se * f->sa_per_se * f->wgp_per_sa * f->simd_per_wgp * f->waves_per_simd;
	f->lds_per_wgp_b = 128 * 1024; /* gfx10 to gfx12 (doc/rules.md 326) */
	f->is_virtual = bw_kmd_is_virtual(l->kmd);
	snprintf(f->name, sizeof(f->name), "%s%s", f->is_virtual ? "virtual " : "",
		 bw_kmd_pci_address(l->kmd));
	name_gfx(l->regs.gc_version, f);
	BW_TRY(bw_kmd_reg_read(l->kmd, &broadcast, l->regs.sq_debug, &sq_debug));
	if (sq_debug & SQ_DEBUG_SINGLE_MEMOP)
		l->t.is_precise = true;
	return NULL;
}

/* ---- VMID ---- */

/* VMIDs whose address space this is, by PASID. */
static struct bw_error *vmids_of_pasid(struct bw_live *l, uint32_t pasid, uint32_t *out_mask)
{
	uint32_t mask = 0, v;
	for (unsigned vmid = FIRST_USER_VMID; vmid < 16; vmid++) {
		BW_TRY(bw_kmd_reg_read(l->kmd, NULL, l->regs.ih_vmid_lut[vmid], &v));
		if ((v & 0xffff) == pasid)
			mask |= 1u << vmid;
	}
	*out_mask = pasid ? mask : 0;
	return NULL;
}

/* A LUT entry stays behind when its VMID goes to somebody else's next job without an interrupt in
 * between; the handler's page must be mapped there, or the VMID is not the program's. */
static bool maps_handler(struct bw_live *l, const struct bw_live_vm *vm, unsigned vmid)
{
	struct bw_verdict v = {0};
	struct bw_error *err = bw_live_walk_vmid(l, vmid, vm->handler_va, &v);
	bool yes = !err && v.kind == BW_VERDICT_MAPPED && v.executable;
	bool unknown = err || v.kind == BW_VERDICT_UNKNOWN;
	bw_error_free(err);
	return yes || unknown; /* what cannot be looked at is not held against it */
}

struct bw_error *bw_live_write_saved(struct bw_live *l, uint32_t vmid, uint32_t addr_dw,
				     uint32_t value)
{
	struct bw_saved_reg r = {.vmid = vmid, .addr_dw = addr_dw};
	const struct bw_kmd_bank bank = bw_saved_reg_bank(&r);
	struct bw_saved_reg *known = NULL;
	uint32_t now;

	BW_TRY(bw_kmd_reg_read(l->kmd, &bank, addr_dw, &now));
	if (now == value)
		return NULL;
	bw_vec_each(&l->saved, s)
		if (s->vmid == vmid && s->addr_dw == addr_dw)
			known = s;
	r.before = known ? known->before : now;
	r.ours = value;
	r.ours_before = known ? known->ours : value;
	BW_TRY(bw_live_guard_reg(l, &r));
	if (known)
		*known = r;
	else
		BW_TRY(bw_vec_push(&l->saved, r));
	return bw_kmd_reg_write(l->kmd, &bank, addr_dw, value);
}

struct bw_error *bw_live_update_gdbg(struct bw_live *l)
{
	uint32_t vmids = bw_live_vmids(l);
	for (unsigned vmid = 0; vmid < 16; vmid++) {
		const struct bw_kmd_bank bank = {.use_srbm = true, .vmid = vmid};
		uint32_t before = 0;
		if (!(vmids >> vmid & 1))
			continue;
		BW_TRY(bw_kmd_reg_read(l->kmd, &bank, l->regs.gdbg, &before));
		bw_vec_each(&l->saved, s)
			if (s->vmid == vmid && s->addr_dw == l->regs.gdbg)
				before = s->before;
		BW_TRY(bw_live_write_saved(l, vmid, l->regs.gdbg,
					   before | GDBG_TRAP_EN | l->excp << GDBG_EXCP_EN_SHIFT));
	}
	return NULL;
}

static struct bw_error *point_traps(struct bw_live *l, struct bw_live_vm *vm, unsigned vmid)
{
	const struct bw_live_regs *r = &l->regs;

	/* both registers hold the address >> 8; HI bits 7:0 are address bits 47:40
	 * (doc/hardware/registers.md 5) */
	BW_TRY(bw_live_write_saved(l, vmid, r->tma_lo, (uint32_t)(vm->area_va >> 8)));
	BW_TRY(bw_live_write_saved(l, vmid, r->tma_hi, (uint32_t)(vm->area_va >> 40) & 0xff));
	BW_TRY(bw_live_write_saved(l, vmid, r->tba_lo, (uint32_t)(vm->handler_va >> 8)));
	BW_TRY(bw_live_write_saved(l, vmid, r->tba_hi,
				   ((uint32_t)(vm->handler_va >> 40) & 0xff) | TBA_HI_TRAP_EN));
	/* it has changed hands */
	bw_vec_each(&l->vms, it)
		if (*it != vm && !(*it)->vmid_reserved)
			(*it)->vmids &= ~(1u << vmid);
	vm->vmids |= 1u << vmid;
	BW_TRY(bw_live_update_gdbg(l));
	BW_LOG(INFO, "live", "VMID %u: handler at %#llx, area at %#llx", vmid,
	       (unsigned long long)vm->handler_va, (unsigned long long)vm->area_va);
	return NULL;
}

struct bw_error *bw_live_enable_traps(struct bw_live *l, struct bw_live_vm *vm)
{
	uint32_t mask, chosen = 0;
	BW_TRY(vmids_of_pasid(l, vm->pasid, &mask));
	for (unsigned vmid = FIRST_USER_VMID; vmid < 16; vmid++)
		if (mask >> vmid & 1 && maps_handler(l, vm, vmid))
			chosen |= 1u << vmid;
	if (!chosen) {
		bw_live_note(l, true,
			     "the VMID of the program was not found (PASID %u): the trap registers "
			     "of all user VMIDs are "
			     "set, and waves of other programs may be disturbed",
			     vm->pasid);
		for (unsigned vmid = FIRST_USER_VMID; vmid <= LAST_GFX_VMID; vmid++)
			chosen |= 1u << vmid;
	}
	for (unsigned vmid = FIRST_USER_VMID; vmid < 16; vmid++)
		if (chosen >> vmid & 1)
			BW_TRY(point_traps(l, vm, vmid));
	return NULL;
}

struct bw_error *bw_live_check_vmid(struct bw_live *l, struct bw_live_vm *vm)
{
	uint32_t mask;
	if (vm->vmid_reserved)
		return NULL;
	BW_TRY(vmids_of_pasid(l, vm->pasid, &mask));
	for (unsigned vmid = FIRST_USER_VMID; vmid < 16; vmid++)
		if (mask >> vmid & 1 && !(vm->vmids >> vmid & 1))
			BW_TRY(point_traps(l, vm, vmid));
	bw_live_move_watches(l);
	return NULL;
}

/* Last written, first put back; what somebody else has written since stays. */
void bw_live_restore_regs(struct bw_live *l, uint32_t vmids, bool all)
{
	for (size_t i = l->saved.len; i-- > 0;) {
		struct bw_saved_reg r = l->saved.data[i];
		if (r.vmid == BW_SAVED_GLOBAL ? !all : !(vmids >> r.vmid & 1))
			continue;
		bw_vec_remove(&l->saved, i);
		const struct bw_kmd_bank bank = bw_saved_reg_bank(&r);
		uint32_t now;
		struct bw_error *err = bw_kmd_reg_read(l->kmd, &bank, r.addr_dw, &now);
		if (!err && (now == r.ours || now == r.ours_before))
			err = bw_kmd_reg_write(l->kmd, &bank, r.addr_dw, r.before);
		if (err)
			BW_LOG(WARN, "live", "register %#x of VMID %u not restored: %s", r.addr_dw,
			       r.vmid, err->message);
		bw_error_free(err);
	}
}

void bw_live_forget_regs(struct bw_live *l, uint32_t vmids, bool all)
{
	for (size_t i = l->saved.len; i-- > 0;) {
		uint32_t vmid = l->saved.data[i].vmid;
		if (all || (vmid != BW_SAVED_GLOBAL && vmids >> vmid & 1))
			bw_vec_remove(&l->saved, i);
	}
	for (unsigned i = 0; all && i < BW_TARGET_WATCHES; i++)
		l->watch[i].size_b = 0;
}

/* ---- Waves ---- */

struct bw_error *bw_live_host_trap(struct bw_live *l)
{
	uint32_t vmids = bw_live_vmids(l);
	for (unsigned vmid = 0; vmid < 16; vmid++)
		if (vmids >> vmid & 1)
			BW_TRY(bw_kmd_reg_write(l->kmd, &broadcast, l->regs.sq_cmd,
						SQ_CMD_TRAP | SQ_CMD_BROADCAST | SQ_CMD_CHECK_VMID |
							vmid << SQ_CMD_VMID_SHIFT));
	return NULL;
}

static struct bw_kmd_bank simd_bank(const struct bw_target_facts *f, uint32_t slot)
{
	struct bw_place p = bw_target_place(f, slot);
	return (struct bw_kmd_bank){.use_grbm = true,
				    .se = p.se,
				    .sa = p.sa,
				    .instance = (uint32_t)p.wgp << 2 | p.simd};
}

static struct bw_error *ind_read(struct bw_live *l, const struct bw_kmd_bank *bank, uint32_t index,
				 uint32_t wave, uint32_t *out)
{
	BW_TRY(bw_kmd_reg_write(l->kmd, bank, l->regs.sq_ind_index, index << 16 | wave));
	return bw_kmd_reg_read(l->kmd, bank, l->regs.sq_ind_data, out);
}

struct bw_error *bw_live_status_now(struct bw_live *l, uint32_t slot, uint32_t *out)
{
	struct bw_kmd_bank bank = simd_bank(&l->t.facts, slot);
	return ind_read(l, &bank, IND_STATUS, slot % l->t.facts.waves_per_simd, out);
}

static struct bw_error *is_ours(struct bw_live *l, uint32_t vmids, uint32_t slot, bool *out)
{
	struct bw_kmd_bank bank = simd_bank(&l->t.facts, slot);
	uint32_t hw_id2;
	BW_TRY(ind_read(l, &bank, IND_HW_ID2, slot % l->t.facts.waves_per_simd, &hw_id2));
	*out = hw_id2 != NO_SQ && (vmids >> bw_bits(hw_id2, 27, 24) & 1);
	return NULL;
}

struct bw_error *bw_live_count_waves(struct bw_live *l, uint32_t pasid, uint32_t *out)
{
	const struct bw_target_facts *f = &l->t.facts;
	uint32_t vmids, active;
	*out = 0;
	BW_TRY(vmids_of_pasid(l, pasid, &vmids));
	for (uint32_t slot = 0; vmids && slot < f->n_slots; slot++) {
		struct bw_kmd_bank bank = simd_bank(f, slot);
		uint32_t wave = slot % f->waves_per_simd;
		bool ours;
		if (!wave)
			BW_TRY(ind_read(l, &bank, IND_WAVE_ACTIVE, 0, &active));
		if (active == NO_SQ || !(active >> wave & 1))
			continue;
		BW_TRY(is_ours(l, vmids, slot, &ours));
		*out += ours;
	}
	return NULL;
}

struct bw_error *bw_live_resident(struct bw_live *l, uint32_t *out_bits)
{
	const struct bw_target_facts *f = &l->t.facts;
	uint32_t per_simd = f->waves_per_simd, vmids = bw_live_vmids(l);

	memset(out_bits, 0, (f->n_slots + 31) / 32 * sizeof(*out_bits));
	/* every SIMD has its own index register: one write for all */
	BW_TRY(bw_kmd_reg_write(l->kmd, &broadcast, l->regs.sq_ind_index, IND_WAVE_ACTIVE << 16));
	for (uint32_t slot = 0; slot < f->n_slots; slot += per_simd) {
		struct bw_kmd_bank bank = simd_bank(f, slot);
		uint32_t active;
		BW_TRY(bw_kmd_reg_read(l->kmd, &bank, l->regs.sq_ind_data, &active));
		if (active == NO_SQ)
			continue;
		active &= (1u << per_simd) - 1;
		for (uint32_t w = 0; active >> w; w++) {
			bool ours = true;
			if (!(active >> w & 1))
				continue;
			/* what stands in our slot is ours; the rest is asked */
			if (!bw_live_is_stopped(&l->t, slot + w)) {
				BW_TRY(is_ours(l, vmids, slot + w, &ours));
				BW_TRY(bw_kmd_reg_write(l->kmd, &bank, l->regs.sq_ind_index,
							IND_WAVE_ACTIVE << 16));
			}
			if (ours)
				out_bits[(slot + w) / 32] |= 1u << (slot + w) % 32;
		}
	}
	return NULL;
}

struct bw_error *bw_live_is_resident(struct bw_live *l, uint32_t slot,
				     const uint32_t workgroup_and_wave[4], bool *out)
{
	struct bw_kmd_bank bank = simd_bank(&l->t.facts, slot);
	uint32_t active, wave = slot % l->t.facts.waves_per_simd;

	*out = false;
	BW_TRY(ind_read(l, &bank, IND_WAVE_ACTIVE, 0, &active));
	if (active == NO_SQ || !(active >> wave & 1))
		return NULL;
	/* TTMP8 to 11 say where in the grid it is (doc/rules.md 328) */
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t ttmp, mask = i == 3 ? 0x3f : ~0u;
		BW_TRY(ind_read(l, &bank, IND_TTMP8 + i, wave, &ttmp));
		if ((ttmp & mask) != (workgroup_and_wave[i] & mask))
			return NULL;
	}
	*out = true;
	return NULL;
}
