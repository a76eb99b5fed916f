// SPDX-License-Identifier: MIT
/* The registers a debugger needs: which VMID the program has, where its traps go, SQ_CMD and
 * SQ_IND. */
#include "live/live_priv.h"
#include "live/gpu_regs.h"
#include "live/guard.h"
#include "live/operations.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "arch/arch.h"
#include "base/log.h"
#include "kmd/regs.h"
#include "regs/regs.h"

enum {
	FIRST_USER_VMID = 1,
	LAST_GFX_VMID = 7,
	KFD_VMIDS = 0xff00, /* 8 to 15, a bit each (registers.md 5) */
	GCA_DWORDS = 36,
};

static const struct bw_kmd_bank broadcast = {
	.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};

/* ---- Addresses ---- */

struct bw_error *bw_live_find_regs(struct bw_live *l)
{
	struct bw_live_regs *r = &l->regs;
	struct bw_gpu_block ih;
	char name[64];
	BW_TRY(bw_gpu_block_open(l->kmd, "gc", &l->gc));
	BW_TRY(bw_gpu_block_open(l->kmd, "osssys", &ih));

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
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		BW_TRY(bw_gpu_block_address(&l->gc, rows[i].name, rows[i].addr));
	for (unsigned vmid = 0; vmid < 16; vmid++) {
		snprintf(name, sizeof(name), "IH_VMID_%u_LUT", vmid);
		BW_TRY(bw_gpu_block_address(&ih, name, &r->ih_vmid_lut[vmid]));
	}
	return NULL;
}

/* The compiler's name of a GC version, and what else is known by it. */
static struct bw_error *name_gfx(struct bw_kmd *kmd, uint32_t version, struct bw_target_facts *f)
{
	bw_arch_gfx_name(version, f->gfx, sizeof(f->gfx));
	f->arch = bw_arch_of_code(version);
	if (!f->arch && !bw_arch_of(version))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"waves of %s cannot be stopped, because Breakwater does not have a "
			"trap handler for it yet",
			f->gfx);
	if (!f->arch)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "the code of %s is not known to this debugger (\"breakwater "
				 "waves\" may show its waves)",
				 f->gfx);
	if (!f->arch->has_wgps && bw_kmd_has_xccs(kmd))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"waves of this %s cannot be stopped: it has several graphics units "
			"(XCCs), of which this debugger reaches one",
			f->gfx);
	const struct bw_arch_chip *chip = bw_arch_chip(f->arch, version);
	if (chip)
		f->vgprs_per_simd = chip->vgprs_per_simd;
	return NULL;
}

/* The number of units that a field of HW_ID can distinguish. */
static uint32_t reach(const struct bw_arch *arch, enum bw_wave_field f)
{
	return bw_arch_get(arch, f, ~0u) + 1;
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
	f->is_virtual = bw_kmd_is_virtual(l->kmd);
	BW_TRY(name_gfx(l->kmd, bw_gpu_block_version(&l->gc), f));
	f->wgp_per_sa = gca[3] / (f->arch->has_wgps ? 2 : 1);
	f->simd_per_wgp = f->arch->simds_per_wgp;
	f->waves_per_simd = f->arch->waves_per_simd;
	if (f->n_se == 0 || f->n_se > reach(f->arch, BW_WF_SE_ID) || f->sa_per_se == 0 ||
	    f->sa_per_se > reach(f->arch, BW_WF_SA_ID) || f->wgp_per_sa == 0 ||
	    f->wgp_per_sa > reach(f->arch, BW_WF_WGP_ID))
		return bw_errorf(
			BW_E_INVALID,
			"amdgpu_gca_config has impossible numbers: %u engines, %u arrays, %u WGPs",
			f->n_se, f->sa_per_se, f->wgp_per_sa);
	f->n_slots = f->n_se * f->sa_per_se * f->wgp_per_sa * f->simd_per_wgp * f->waves_per_simd;
	f->lds_per_wgp_b = f->arch->lds_per_wgp_b;
	snprintf(f->name, sizeof(f->name), "%s%s", f->is_virtual ? "virtual " : "",
		 bw_kmd_pci_address(l->kmd));
	BW_TRY(bw_kmd_reg_read(l->kmd, &broadcast, l->regs.sq_debug, &sq_debug));
	if (bw_arch_take(f->arch->single_memop, sq_debug))
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

/* Those in which waves of the address space can trap. Jobs of its DRM file run in others, where
 * KFD's trap handler is not set. */
static struct bw_error *vmids_of(struct bw_live *l, const struct bw_live_vm *vm, uint32_t *out_mask)
{
	BW_TRY(vmids_of_pasid(l, vm->pasid, out_mask));
	if (vm->is_second_level)
		*out_mask &= KFD_VMIDS;
	return NULL;
}

/* A LUT entry is left over when its VMID is given to another process's next job without an
 * interrupt in between; the handler's page must be mapped there, or the VMID is not the
 * program's. */
static bool maps_handler(struct bw_live *l, const struct bw_live_vm *vm, unsigned vmid)
{
	struct bw_verdict v = {0};
	struct bw_error *err = bw_live_walk_vmid(l, vmid, vm->handler_va, &v);
	bool yes = !err && v.kind == BW_VERDICT_MAPPED && v.executable;
	bool unknown = err || v.kind == BW_VERDICT_UNKNOWN;
	bw_error_free(err);
	return yes || unknown; /* a VMID whose tables cannot be read is accepted */
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
	const struct bw_arch *arch = l->t.facts.arch;
	uint32_t vmids = bw_live_vmids(l);
	uint32_t ours =
		bw_arch_put(arch->gdbg.trap_en, 1) | bw_arch_put(arch->gdbg.excp_en, l->excp);
	for (unsigned vmid = 0; vmid < 16; vmid++) {
		const struct bw_kmd_bank bank = {.use_srbm = true, .vmid = vmid};
		uint32_t before = 0;
		if (!bw_bit_is_set(vmids, vmid))
			continue;
		BW_TRY(bw_kmd_reg_read(l->kmd, &bank, l->regs.gdbg, &before));
		bw_vec_each(&l->saved, s)
			if (s->vmid == vmid && s->addr_dw == l->regs.gdbg)
				before = s->before;
		BW_TRY(bw_live_write_saved(l, vmid, l->regs.gdbg, before | ours));
	}
	return NULL;
}

/* KFD's handler stays, and has been told to jump to ours; but KFD turns traps off on this GPU where
 * its own debugger is not attached (kfd_dbg_has_cwsr_workaround of Linux 6.12). */
static struct bw_error *turn_traps_on(struct bw_live *l, unsigned vmid)
{
	const struct bw_kmd_bank bank = {.use_srbm = true, .vmid = vmid};
	uint32_t hi;
	BW_TRY(bw_kmd_reg_read(l->kmd, &bank, l->regs.tba_hi, &hi));
	return bw_live_write_saved(l, vmid, l->regs.tba_hi,
				   hi | bw_arch_put(l->t.facts.arch->tba_hi_trap_en, 1));
}

static struct bw_error *set_trap_registers(struct bw_live *l, const struct bw_live_vm *vm,
					   unsigned vmid)
{
	const struct bw_live_regs *r = &l->regs;
	const struct bw_arch *arch = l->t.facts.arch;
	/* both registers count in 256 bytes (doc/hardware/registers.md 5) */
	uint32_t tma_hi = bw_arch_put(arch->tba_hi_addr, bw_hi_256b(vm->area_va));
	uint32_t tba_hi = bw_arch_put(arch->tba_hi_addr, bw_hi_256b(vm->handler_va)) |
			  bw_arch_put(arch->tba_hi_trap_en, 1);

	BW_TRY(bw_live_write_saved(l, vmid, r->tma_lo, bw_lo_256b(vm->area_va)));
	BW_TRY(bw_live_write_saved(l, vmid, r->tma_hi, tma_hi));
	BW_TRY(bw_live_write_saved(l, vmid, r->tba_lo, bw_lo_256b(vm->handler_va)));
	return bw_live_write_saved(l, vmid, r->tba_hi, tba_hi);
}

static struct bw_error *point_traps(struct bw_live *l, struct bw_live_vm *vm, unsigned vmid)
{
	if (vm->is_second_level)
		BW_TRY(turn_traps_on(l, vmid));
	else
		BW_TRY(set_trap_registers(l, vm, vmid));
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

uint32_t bw_live_wave_vmids(const struct bw_live_vm *vm)
{
	return vm->vmids & KFD_VMIDS ? vm->vmids & KFD_VMIDS : vm->vmids;
}

struct bw_error *bw_live_enable_traps(struct bw_live *l, struct bw_live_vm *vm)
{
	uint32_t mask, chosen = 0;
	BW_TRY(vmids_of(l, vm, &mask));
	for (unsigned vmid = FIRST_USER_VMID; vmid < 16; vmid++)
		if (bw_bit_is_set(mask, vmid) && maps_handler(l, vm, vmid))
			chosen |= 1u << vmid;
	if (!chosen && !vm->is_second_level) {
		bw_live_note(l, true,
			     "the VMID of the program was not found (PASID %u): the trap registers "
			     "of all user VMIDs are "
			     "set, and waves of other programs may be disturbed",
			     vm->pasid);
		for (unsigned vmid = FIRST_USER_VMID; vmid <= LAST_GFX_VMID; vmid++)
			chosen |= 1u << vmid;
	}
	for (unsigned vmid = FIRST_USER_VMID; vmid < 16; vmid++)
		if (bw_bit_is_set(chosen, vmid))
			BW_TRY(point_traps(l, vm, vmid));
	return NULL;
}

struct bw_error *bw_live_check_vmid(struct bw_live *l, struct bw_live_vm *vm)
{
	uint32_t mask;
	if (vm->vmid_reserved)
		return NULL;
	BW_TRY(vmids_of(l, vm, &mask));
	vm->vmids &=
		mask | ~(uint32_t)KFD_VMIDS; /* KFD takes one back with the process's last queue */
	/* KFD may have turned traps off again. */
	for (unsigned vmid = FIRST_USER_VMID; vmid < 16; vmid++)
		if (bw_bit_is_set(mask, vmid) &&
		    (vm->is_second_level || !bw_bit_is_set(vm->vmids, vmid)))
			BW_TRY(point_traps(l, vm, vmid));
	bw_live_move_watches(l);
	return NULL;
}

/* Restores in reverse order of writing; a register that another process has written since is left
 * alone. */
void bw_live_restore_regs(struct bw_live *l, uint32_t vmids, bool all)
{
	for (size_t i = l->saved.len; i-- > 0;) {
		struct bw_saved_reg r = l->saved.data[i];
		if (r.vmid == BW_SAVED_GLOBAL ? !all : !bw_bit_is_set(vmids, r.vmid))
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
		if (all || (vmid != BW_SAVED_GLOBAL && bw_bit_is_set(vmids, vmid)))
			bw_vec_remove(&l->saved, i);
	}
	for (unsigned i = 0; all && i < BW_TARGET_WATCHES; i++)
		l->watch[i].size_b = 0;
}

/* ---- Waves ---- */

const enum bw_wave_field bw_live_grid[BW_LIVE_GRID] = {BW_WF_WORKGROUP_X, BW_WF_WORKGROUP_Y,
						       BW_WF_WORKGROUP_Z, BW_WF_WAVE_IN_GROUP};

struct bw_error *bw_live_host_trap(struct bw_live *l)
{
	uint32_t vmids = bw_live_vmids(l);
	for (unsigned vmid = 0; vmid < 16; vmid++)
		if (bw_bit_is_set(vmids, vmid))
			BW_TRY(bw_kmd_reg_write(
				l->kmd, &broadcast, l->regs.sq_cmd,
				bw_arch_sq_cmd_all(l->t.facts.arch, BW_SQ_CMD_TRAP, vmid, 0)));
	return NULL;
}

/* Of the SIMD that a slot is of, or of its CU. */
static struct bw_kmd_bank simd_bank(const struct bw_target_facts *f, uint32_t slot)
{
	struct bw_place p = bw_target_place(f, slot);
	return (struct bw_kmd_bank){.use_grbm = true,
				    .se = p.se,
				    .sa = p.sa,
				    .instance = p.is_cu ? p.wgp : bw_arch_instance(p.wgp, p.simd)};
}

/* Where the bank selects no SIMD, SQ_IND_INDEX does. */
static uint32_t simd_in_index(const struct bw_target_facts *f, uint32_t slot)
{
	return bw_arch_put(f->arch->ind.simd, bw_target_place(f, slot).simd);
}

struct bw_error *bw_live_ind_read(const struct bw_live_sq *sq, enum bw_wreg reg, uint32_t slot,
				  uint32_t *out)
{
	enum { INDEX_TRIES = 100 };
	const struct bw_kmd_bank select = simd_bank(sq->facts, slot), *bank = &select;
	const uint32_t wave = slot % sq->facts->waves_per_simd;
	const uint32_t want =
		bw_arch_ind(sq->facts->arch, reg, wave) | simd_in_index(sq->facts, slot);
	for (unsigned i = 0; i < INDEX_TRIES; i++) {
		struct bw_kmd_reg list[] = {
			{*bank, true, sq->regs->sq_ind_index, want},
			{*bank, false, sq->regs->sq_ind_data, 0},
			{*bank, false, sq->regs->sq_ind_index, 0},
		};
		BW_TRY(bw_kmd_regs(sq->kmd, list, BW_ARRAY_SIZE(list)));
		*out = list[1].value;
		if (list[2].value == want || *out == BW_SQ_ABSENT)
			return NULL;
	}
	return bw_errorf(BW_E_STATE, "another program keeps using the SQ's index register");
}

/* The data and index registers of every SIMD, in one go. */
static struct bw_error *read_active(const struct bw_live_sq *sq, struct bw_kmd_reg *list,
				    uint32_t *out)
{
	const struct bw_target_facts *f = sq->facts;
	const uint32_t n = f->n_slots / f->waves_per_simd,
		       want = bw_arch_ind(f->arch, BW_WREG_ACTIVE, 0);
	/* every SIMD has its own index register: one write for all */
	BW_TRY(bw_kmd_reg_write(sq->kmd, &broadcast, sq->regs->sq_ind_index, want));
	for (uint32_t i = 0; i < n; i++) {
		const struct bw_kmd_bank bank = simd_bank(f, i * f->waves_per_simd);
		list[2 * i] = (struct bw_kmd_reg){bank, false, sq->regs->sq_ind_data, 0};
		list[2 * i + 1] = (struct bw_kmd_reg){bank, false, sq->regs->sq_ind_index, 0};
	}
	BW_TRY(bw_kmd_regs(sq->kmd, list, 2 * (size_t)n));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t active = list[2 * i].value;
		if (list[2 * i + 1].value != want && active != BW_SQ_ABSENT)
			BW_TRY(bw_live_ind_read(sq, BW_WREG_ACTIVE, i * f->waves_per_simd,
						&active));
		out[i] = active == BW_SQ_ABSENT ? 0 : active & ((1u << f->waves_per_simd) - 1);
	}
	return NULL;
}

/* Like read_active, where no register says it: STATUS of each slot, VALID with a wave in it. */
static struct bw_error *find_active(const struct bw_live_sq *sq, uint32_t *out)
{
	const struct bw_target_facts *f = sq->facts;
	enum { EACH = 3 };
	_cleanup_free_ struct bw_kmd_reg *list = calloc((size_t)EACH * f->n_slots, sizeof(*list));
	if (!list)
		return bw_error_nomem();
	for (uint32_t slot = 0; slot < f->n_slots; slot++) {
		struct bw_kmd_reg *at = list + (size_t)EACH * slot;
		const struct bw_kmd_bank bank = simd_bank(f, slot);
		uint32_t want = bw_arch_ind(f->arch, BW_WREG_STATUS, slot % f->waves_per_simd) |
				simd_in_index(f, slot);
		at[0] = (struct bw_kmd_reg){bank, true, sq->regs->sq_ind_index, want};
		at[1] = (struct bw_kmd_reg){bank, false, sq->regs->sq_ind_data, 0};
		at[2] = (struct bw_kmd_reg){bank, false, sq->regs->sq_ind_index, 0};
	}
	BW_TRY(bw_kmd_regs(sq->kmd, list, (size_t)EACH * f->n_slots));
	for (uint32_t slot = 0; slot < f->n_slots; slot++) {
		struct bw_kmd_reg *at = list + (size_t)EACH * slot;
		uint32_t status = at[1].value;
		if (at[2].value != at[0].value && status != BW_SQ_ABSENT)
			BW_TRY(bw_live_ind_read(sq, BW_WREG_STATUS, slot, &status));
		if (status != BW_SQ_ABSENT && bw_arch_get(f->arch, BW_WF_VALID, status))
			out[slot / f->waves_per_simd] |= 1u << slot % f->waves_per_simd;
	}
	return NULL;
}

struct bw_error *bw_live_active(const struct bw_live_sq *sq, uint32_t **out)
{
	const uint32_t n = sq->facts->n_slots / sq->facts->waves_per_simd;
	_cleanup_free_ struct bw_kmd_reg *list = calloc(2 * (size_t)n, sizeof(*list));
	_cleanup_free_ uint32_t *active = calloc(n, sizeof(*active));
	if (!list || !active)
		return bw_error_nomem();
	if (sq->facts->arch->reg[BW_WREG_ACTIVE].ind)
		BW_TRY(read_active(sq, list, active));
	else
		BW_TRY(find_active(sq, active));
	*out = bw_take(active);
	return NULL;
}

static struct bw_live_sq sq_of(const struct bw_live *l)
{
	return (struct bw_live_sq){l->kmd, &l->regs, &l->t.facts};
}

static struct bw_error *ind_read(struct bw_live *l, uint32_t slot, enum bw_wreg reg, uint32_t *out)
{
	const struct bw_live_sq sq = sq_of(l);
	return bw_live_ind_read(&sq, reg, slot, out);
}

struct bw_error *bw_live_field_now(struct bw_live *l, uint32_t slot, enum bw_wave_field f,
				   uint32_t *out)
{
	const struct bw_arch *arch = l->t.facts.arch;
	uint32_t raw;
	BW_TRY(ind_read(l, slot, bw_arch_reg_of(arch, f), &raw));
	*out = bw_arch_get(arch, f, raw);
	return NULL;
}

static struct bw_error *is_ours(struct bw_live *l, uint32_t vmids, uint32_t slot, bool *out)
{
	uint32_t id;
	BW_TRY(ind_read(l, slot, bw_arch_reg_of(l->t.facts.arch, BW_WF_VMID), &id));
	*out = id != BW_SQ_ABSENT && vmids >> bw_arch_get(l->t.facts.arch, BW_WF_VMID, id) & 1;
	return NULL;
}

struct bw_error *bw_live_count_waves(struct bw_live *l, uint32_t pasid, uint32_t *out)
{
	const struct bw_target_facts *f = &l->t.facts;
	const struct bw_live_sq sq = sq_of(l);
	_cleanup_free_ uint32_t *active = NULL;
	uint32_t vmids;
	*out = 0;
	BW_TRY(vmids_of_pasid(l, pasid, &vmids));
	if (!vmids)
		return NULL;
	BW_TRY(bw_live_active(&sq, &active));
	for (uint32_t slot = 0; slot < f->n_slots; slot++) {
		bool ours;
		if (!bw_bit_is_set(active[slot / f->waves_per_simd], slot % f->waves_per_simd))
			continue;
		BW_TRY(is_ours(l, vmids, slot, &ours));
		*out += ours;
	}
	return NULL;
}

struct bw_error *bw_live_resident(struct bw_live *l, uint32_t *out_bits)
{
	const struct bw_target_facts *f = &l->t.facts;
	const struct bw_live_sq sq = sq_of(l);
	const uint32_t vmids = bw_live_vmids(l);
	_cleanup_free_ uint32_t *active = NULL;

	memset(out_bits, 0, (f->n_slots + 31) / 32 * sizeof(*out_bits));
	BW_TRY(bw_live_active(&sq, &active));
	for (uint32_t slot = 0; slot < f->n_slots; slot++) {
		bool ours = true;
		if (!bw_bit_is_set(active[slot / f->waves_per_simd], slot % f->waves_per_simd))
			continue;
		/* a wave stopped in our slot is ours; the others are asked for */
		if (!bw_live_is_stopped(&l->t, slot))
			BW_TRY(is_ours(l, vmids, slot, &ours));
		if (ours)
			out_bits[slot / 32] |= 1u << slot % 32;
	}
	return NULL;
}

/* Whether there is a wave in a slot. */
static struct bw_error *is_in_use(struct bw_live *l, uint32_t slot, bool *out)
{
	const struct bw_arch *arch = l->t.facts.arch;
	const bool is_told = arch->reg[BW_WREG_ACTIVE].ind;
	uint32_t v;
	BW_TRY(ind_read(l, slot, is_told ? BW_WREG_ACTIVE : BW_WREG_STATUS, &v));
	*out = v != BW_SQ_ABSENT && (is_told ? bw_bit_is_set(v, slot % l->t.facts.waves_per_simd)
					     : bw_arch_get(arch, BW_WF_VALID, v) != 0);
	return NULL;
}

/* Whether a wave at this place has these numbers in its grid. */
static struct bw_error *is_at(struct bw_live *l, uint32_t slot, const uint32_t grid[BW_LIVE_GRID],
			      bool *out)
{
	bool is_used;

	*out = false;
	BW_TRY(is_in_use(l, slot, &is_used));
	if (!is_used)
		return NULL;
	for (uint32_t i = 0; i < BW_LIVE_GRID; i++) {
		uint32_t now;
		BW_TRY(bw_live_field_now(l, slot, bw_live_grid[i], &now));
		if (now != grid[i])
			return NULL;
	}
	*out = true;
	return NULL;
}

struct bw_error *bw_live_is_resident(struct bw_live *l, uint32_t slot,
				     const uint32_t grid[BW_LIVE_GRID], bool *out)
{
	const struct bw_target_facts *f = &l->t.facts;
	const struct bw_live_sq sq = sq_of(l);
	_cleanup_free_ uint32_t *active = NULL;
	struct bw_live_vm *vm = bw_live_last_owner(l, slot);

	BW_TRY(is_at(l, slot, grid, out));
	if (*out || !vm || !bw_live_slot(vm, slot)->lent)
		return NULL;
	/* KFD may have put it elsewhere. */
	BW_TRY(bw_live_active(&sq, &active));
	for (uint32_t i = 0; i < f->n_slots && !*out; i++) {
		bool ours;
		if (!bw_bit_is_set(active[i / f->waves_per_simd], i % f->waves_per_simd))
			continue;
		BW_TRY(is_ours(l, vm->vmids, i, &ours));
		if (ours)
			BW_TRY(is_at(l, i, grid, out));
	}
	return NULL;
}
