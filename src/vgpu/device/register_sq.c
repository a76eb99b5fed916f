/* SPDX-License-Identifier: MIT */
/* SQ_IND_INDEX/DATA and SQ_CMD: doc/hardware/registers.md 2 and 3. */
#include <stdlib.h>

#include "arch/arch.h"
#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/cp.h"
#include "vgpu/device/scheduler.h"

struct bw_error *bw_sq_init(struct bw_device *dev)
{
	pthread_mutex_init(&dev->regs.ind_lock, NULL);
	dev->regs.sq_ind_index =
		calloc((size_t)bw_sched_n_wgps(dev) * BW_MAX_SIMDS, sizeof(uint32_t));
	return dev->regs.sq_ind_index ? NULL : bw_error_nomem();
}

void bw_sq_fini(struct bw_device *dev)
{
	free(dev->regs.sq_ind_index);
	pthread_mutex_destroy(&dev->regs.ind_lock);
}

/* The SIMDs a bank selects. */
static bool selects(const struct bw_bank_sel *b, const struct bw_wgp *wgp, unsigned simd)
{
	return (b->se == ~0u || b->se == wgp->se) && (b->sa == ~0u || b->sa == wgp->sa) &&
	       (b->instance == ~0u || b->instance == bw_arch_instance(wgp->id, simd));
}

/* A read with a broadcast selected gets the first unit's answer. */
static struct bw_wgp *selected(struct bw_device *dev, const struct bw_bank_sel *b,
			       unsigned *out_simd)
{
	const struct bw_profile *p = dev->profile;
	unsigned se = b->se == ~0u ? 0 : b->se, sa = b->sa == ~0u ? 0 : b->sa;
	unsigned instance = b->instance == ~0u ? 0 : b->instance;
	if (se >= p->n_se || sa >= p->sa_per_se || bw_bank_wgp(instance) >= p->wgp_per_sa ||
	    bw_bank_simd(instance) >= p->simd_per_wgp)
		return NULL;
	*out_simd = bw_bank_simd(instance);
	return bw_sched_wgp(dev, (se * p->sa_per_se + sa) * p->wgp_per_sa + bw_bank_wgp(instance));
}

uint32_t bw_sq_ind_index(struct bw_device *dev, const struct bw_bank_sel *b)
{
	unsigned simd;
	struct bw_wgp *wgp = selected(dev, b, &simd);
	if (!wgp)
		return BW_SQ_ABSENT;
	pthread_mutex_lock(&dev->regs.ind_lock);
	uint32_t v = dev->regs.sq_ind_index[wgp->index * BW_MAX_SIMDS + simd];
	pthread_mutex_unlock(&dev->regs.ind_lock);
	return v;
}

void bw_sq_ind_set_index(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t value)
{
	bool one = b->se != ~0u && b->sa != ~0u && b->instance != ~0u;
	unsigned only;
	struct bw_wgp *wgp = one ? selected(dev, b, &only) : NULL;
	pthread_mutex_lock(&dev->regs.ind_lock);
	if (wgp)
		dev->regs.sq_ind_index[wgp->index * BW_MAX_SIMDS + only] = value;
	for (unsigned i = 0; i < (one ? 0 : bw_sched_n_wgps(dev)); i++)
		for (unsigned simd = 0; simd < dev->profile->simd_per_wgp; simd++)
			if (selects(b, bw_sched_wgp(dev, i), simd))
				dev->regs.sq_ind_index[i * BW_MAX_SIMDS + simd] = value;
	pthread_mutex_unlock(&dev->regs.ind_lock);
}

static uint32_t wave_mask(const struct bw_wgp *wgp, unsigned simd, bool idle_only)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < BW_MAX_WAVES_PER_SIMD; i++) {
		const struct bw_slot *s = &wgp->slot[simd][i];
		bool idle = s->w.status & BW_STATUS_HALT;
		if (s->state != BW_SLOT_FREE && (!idle_only || idle))
			mask |= 1u << i;
	}
	return mask;
}

/* The caller holds the WGP. */
static uint32_t ind_read(const struct bw_wgp *wgp, unsigned simd, uint32_t sel)
{
	enum { HWREGS = 0x100, SGPRS = BW_GFX11_IND_SGPRS, VGPRS = BW_GFX11_IND_VGPRS };
	uint32_t index = BW_FIELD_GET(SQ_IND_INDEX, INDEX, sel);
	uint32_t wave = BW_FIELD_GET(SQ_IND_INDEX, WAVE_ID, sel);
	uint32_t lane = BW_FIELD_GET(SQ_IND_INDEX, WORKITEM_ID, sel);
	uint32_t active = wave_mask(wgp, simd, false);
	switch (index) {
	case BW_REG_INDEX(SQ_DEBUG_STS_LOCAL):
		return BW_FIELD(SQ_DEBUG_STS_LOCAL, BUSY, active != 0) |
		       BW_FIELD(SQ_DEBUG_STS_LOCAL, WAVE_LEVEL, __builtin_popcount(active));
	case BW_REG_INDEX(SQ_WAVE_ACTIVE):
		return active;
	case BW_REG_INDEX(SQ_WAVE_VALID_AND_IDLE):
		return wave_mask(wgp, simd, true);
	}
	if (!(active >> wave & 1))
		return 0;
	const struct bw_wave *w = &wgp->slot[simd][wave].w;
	if (index == BW_REG_INDEX(SQ_WAVE_PC_LO))
		return (uint32_t)w->pc;
	if (index == BW_REG_INDEX(SQ_WAVE_PC_HI))
		return BW_FIELD(SQ_WAVE_PC_HI, PC_HI, bw_hi32(w->pc));
	if (index >= HWREGS && index < HWREGS + 64)
		return bw_wave_hwreg_read(w, index - HWREGS);
	if (index >= SGPRS && index < SGPRS + BW_SGPR_COUNT)
		return w->s[index - SGPRS];
	if (index >= VGPRS && index < (uint32_t)VGPRS + w->n_vgprs && lane < w->lanes &&
	    !(w->status & BW_STATUS_NO_VGPRS))
		return w->v[(index - VGPRS) * w->lanes + lane];
	return 0;
}

uint32_t bw_sq_ind_read(struct bw_device *dev, const struct bw_bank_sel *b)
{
	unsigned simd;
	struct bw_wgp *wgp = selected(dev, b, &simd);
	if (!wgp)
		return BW_SQ_ABSENT;
	pthread_mutex_lock(&dev->regs.ind_lock);
	uint32_t *index = &dev->regs.sq_ind_index[wgp->index * BW_MAX_SIMDS + simd];
	uint32_t sel = *index;
	if (BW_FIELD_GET(SQ_IND_INDEX, AUTO_INCR, sel))
		*index = BW_FIELD_SET(SQ_IND_INDEX, INDEX, sel,
				      BW_FIELD_GET(SQ_IND_INDEX, INDEX, sel) + 1);
	pthread_mutex_unlock(&dev->regs.ind_lock);

	bw_wgp_acquire(wgp);
	uint32_t v = ind_read(wgp, simd, sel);
	bw_wgp_release(wgp);
	return v;
}

void bw_sq_ind_write(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t value)
{
	BW_LOG(INFO, "vgpu",
	       "write of 0x%08x to SQ_IND_DATA (index 0x%08x): wave state is read-only there",
	       value, bw_sq_ind_index(dev, b));
}

/* --- SQ_CMD --- */

/* The WGP is held, so the wave is between two instructions: whoever reads it next sees it halted,
 * as on hardware. The request has the scheduler look at the wave; of two that it has not seen yet
 * the later one is meant. */
static void set_halt(struct bw_wgp *wgp, struct bw_slot *s, bool on)
{
	if (s->state == BW_SLOT_FATAL)
		return;
	atomic_fetch_and(&s->w.request, ~(uint32_t)(BW_REQ_HALT | BW_REQ_UNHALT));
	if (on)
		s->w.status |= BW_STATUS_HALT;
	else
		s->w.status &= ~(uint32_t)BW_STATUS_HALT;
	s->w.halts_itself = false;
	bw_slot_request(wgp, s, on ? BW_REQ_HALT : BW_REQ_UNHALT);
}

static void command(struct bw_wgp *wgp, struct bw_slot *s, enum bw_sq_cmd cmd, uint32_t data)
{
	switch (cmd) {
	case BW_SQ_CMD_SETHALT:
		set_halt(wgp, s, data & 1);
		break;
	case BW_SQ_CMD_KILL:
		bw_slot_request(wgp, s, BW_REQ_KILL);
		break;
	case BW_SQ_CMD_TRAP_AFTER_INST:
		bw_slot_request(wgp, s, BW_REQ_STEP);
		break;
	case BW_SQ_CMD_TRAP:
		/* Ignored by a wave that is in the handler already. */
		if (!(s->w.status & BW_STATUS_PRIV))
			bw_slot_request(wgp, s, BW_REQ_HOST_TRAP);
		break;
	case BW_SQ_CMD_SETFATALHALT:
		s->w.status |= BW_STATUS_FATAL_HALT;
		bw_slot_request(wgp, s, BW_REQ_HALT);
		break;
	case BW_SQ_CMD_SINGLE_STEP:
		s->single_step = true;
		bw_sched_kick(wgp);
		break;
	case BW_SQ_CMD_NONE:
	case BW_SQ_CMD_SAVECTX:
	case BW_SQ_CMD_SET_PRIO:
		break;
	}
}

static bool addressed(const struct bw_slot *s, uint32_t value)
{
	if (s->state == BW_SLOT_FREE || (BW_FIELD_GET(SQ_CMD, CHECK_VMID, value) &&
					 s->w.vmid != BW_FIELD_GET(SQ_CMD, VM_ID, value)))
		return false;
	switch ((enum bw_sq_mode)BW_FIELD_GET(SQ_CMD, MODE, value)) {
	case BW_SQ_MODE_SINGLE:
		return s->id == BW_FIELD_GET(SQ_CMD, WAVE_ID, value);
	case BW_SQ_MODE_BROADCAST:
		return true;
	case BW_SQ_MODE_BROADCAST_QUEUE:
		return BW_FIELD_GET(SQ_WAVE_HW_ID2, QUEUE_ID, s->w.hw_id2) ==
		       BW_FIELD_GET(SQ_CMD, QUEUE_ID, value);
	case BW_SQ_MODE_BROADCAST_PIPE:
	case BW_SQ_MODE_BROADCAST_ME:
		break;
	}
	return false;
}

void bw_sq_cmd(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t value)
{
	enum bw_sq_cmd cmd = (enum bw_sq_cmd)BW_FIELD_GET(SQ_CMD, CMD, value);
	enum bw_sq_mode mode = (enum bw_sq_mode)BW_FIELD_GET(SQ_CMD, MODE, value);
	if (mode > BW_SQ_MODE_BROADCAST_QUEUE || cmd == BW_SQ_CMD_SAVECTX ||
	    cmd > BW_SQ_CMD_SINGLE_STEP) {
		BW_LOG(WARN, "vgpu", "SQ_CMD 0x%08x: command %u in mode %u is not supported", value,
		       (unsigned)cmd, (unsigned)mode);
		return;
	}
	/* Soft recovery: a dispatch whose waves are killed launches no more waves. Whether SPI does
	 * on hardware is unknown [I]; the driver repeats the command until the fence signals. */
	if (cmd == BW_SQ_CMD_KILL && mode == BW_SQ_MODE_BROADCAST &&
	    BW_FIELD_GET(SQ_CMD, CHECK_VMID, value))
		bw_spi_cancel(dev, NULL, BW_FIELD_GET(SQ_CMD, VM_ID, value));
	for (unsigned i = 0; i < bw_sched_n_wgps(dev); i++) {
		struct bw_wgp *wgp = bw_sched_wgp(dev, i);
		uint8_t simds = 0;
		for (unsigned simd = 0; simd < dev->profile->simd_per_wgp; simd++)
			simds |= (uint8_t)(selects(b, wgp, simd) << simd);
		/* This order is needed: waves become resident before they leave the inbox. */
		if (simds && (atomic_load(&wgp->has_inbox) ||
			      __atomic_load_n(&wgp->n_resident, __ATOMIC_SEQ_CST)))
			bw_wgp_post(wgp, value, simds);
	}
}

void bw_sq_carry_out(struct bw_wgp *wgp)
{
	if (!atomic_load(&wgp->n_cmds))
		return;
	/* Waves that were placed here a moment ago count as resident. */
	bw_spi_launch(wgp);
	pthread_mutex_lock(&wgp->cmd_lock);
	for (unsigned i = 0; i < atomic_load(&wgp->n_cmds); i++) {
		uint32_t value = wgp->cmd[i].value;
		for (unsigned simd = 0; simd < BW_MAX_SIMDS; simd++) {
			if (!(wgp->cmd[i].simds >> simd & 1))
				continue;
			for (uint32_t left = wgp->resident[simd]; left; left &= left - 1) {
				struct bw_slot *s = &wgp->slot[simd][__builtin_ctz(left)];
				if (addressed(s, value))
					command(wgp, s,
						(enum bw_sq_cmd)BW_FIELD_GET(SQ_CMD, CMD, value),
						BW_FIELD_GET(SQ_CMD, DATA, value));
			}
		}
	}
	atomic_store(&wgp->n_cmds, 0);
	pthread_mutex_unlock(&wgp->cmd_lock);
}

void bw_sq_kill_queue(struct bw_device *dev, const struct bw_queue *q)
{
	for (unsigned i = 0; i < bw_sched_n_wgps(dev); i++) {
		struct bw_wgp *wgp = bw_sched_wgp(dev, i);
		bw_wgp_acquire(wgp);
		bw_spi_launch(wgp);
		for (unsigned simd = 0; simd < dev->profile->simd_per_wgp; simd++) {
			for (unsigned k = 0; k < dev->profile->waves_per_simd; k++) {
				struct bw_slot *s = &wgp->slot[simd][k];
				if (s->state != BW_SLOT_FREE && s->group->dispatch->queue == q)
					bw_slot_request(wgp, s, BW_REQ_KILL);
			}
		}
		bw_wgp_release(wgp);
	}
}
