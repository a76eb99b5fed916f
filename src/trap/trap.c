/* SPDX-License-Identifier: MIT */
#include "trap/trap.h"

#include <stdbool.h>
#include <string.h>

#include "base/util.h"

extern const unsigned char bw_trap_gfx11[], bw_trap_gfx942[];
extern const unsigned long bw_trap_gfx11_size, bw_trap_gfx942_size;

/* Registers of the wave by their place in a slot. A generation's handler does not write registers
 * that the generation does not have. */
static const uint8_t hw_of[BW_WREG_COUNT] = {
	[BW_WREG_MODE] = BW_TRAP_HW_MODE,
	[BW_WREG_STATUS] = BW_TRAP_HW_STATUS,
	[BW_WREG_TRAPSTS] = BW_TRAP_HW_TRAPSTS,
	[BW_WREG_HW_ID] = BW_TRAP_HW_HW_ID1,
	[BW_WREG_HW_ID1] = BW_TRAP_HW_HW_ID1,
	[BW_WREG_HW_ID2] = BW_TRAP_HW_HW_ID2,
	[BW_WREG_GPR_ALLOC] = BW_TRAP_HW_GPR_ALLOC,
	[BW_WREG_LDS_ALLOC] = BW_TRAP_HW_LDS_ALLOC,
	[BW_WREG_IB_STS] = BW_TRAP_HW_IB_STS,
	[BW_WREG_IB_STS2] = BW_TRAP_HW_IB_STS2,
	[BW_WREG_SHADER_CYCLES] = BW_TRAP_HW_CYCLES,
	[BW_WREG_FLAT_SCRATCH_LO] = BW_TRAP_HW_FLAT_SCRATCH_LO,
	[BW_WREG_FLAT_SCRATCH_HI] = BW_TRAP_HW_FLAT_SCRATCH_HI,
	[BW_WREG_M0] = BW_TRAP_HW_M0,
	[BW_WREG_EXEC_LO] = BW_TRAP_HW_EXEC_LO,
	[BW_WREG_EXEC_HI] = BW_TRAP_HW_EXEC_HI,
	[BW_WREG_TTMP1] = BW_TRAP_HW_TTMP1,
	[BW_WREG_TTMP6] = BW_TRAP_HW_TTMP6,
	[BW_WREG_TTMP8] = BW_TRAP_HW_TTMP8,
	[BW_WREG_TTMP9] = BW_TRAP_HW_TTMP9,
	[BW_WREG_TTMP10] = BW_TRAP_HW_TTMP10,
	[BW_WREG_TTMP11] = BW_TRAP_HW_TTMP11,
};
_Static_assert(BW_TRAP_HW_PC_LO == 0,
	       "0 in hw_of is none: the PC is not a register of a wave's state");

int bw_trap_hw_of(enum bw_wreg reg)
{
	return hw_of[reg] ? hw_of[reg] : -1;
}

const void *bw_trap_handler(const struct bw_arch *arch, size_t *out_size_b)
{
	const struct {
		const char *arch;
		const unsigned char *code;
		unsigned long size_b;
	} rows[] = {{"gfx11", bw_trap_gfx11, bw_trap_gfx11_size},
		    {"gfx942", bw_trap_gfx942, bw_trap_gfx942_size}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].arch, arch->name) != 0)
			continue;
		*out_size_b = rows[i].size_b;
		return rows[i].code;
	}
	return NULL;
}

uint32_t bw_trap_enables(const struct bw_arch *arch, uint32_t excp)
{
	return bw_arch_set(arch, BW_WF_EXCP_EN, 0, excp) | bw_arch_mask(arch, BW_WF_STEP_EN);
}

/* The VGPR areas follow the slots; both start on pages. */
static uint64_t vgprs_offset(uint32_t n_slots)
{
	return BW_TRAP_C_SIZE + (uint64_t)n_slots * BW_TRAP_SLOT_STRIDE;
}

uint64_t bw_trap_vgpr_stride(const struct bw_arch *arch)
{
	return 4096ull << (arch->accum_granule ? BW_TRAP_VGPR_PAGES_LOG2_ACC
					       : BW_TRAP_VGPR_PAGES_LOG2);
}

uint64_t bw_trap_area_size(const struct bw_arch *arch, uint32_t n_slots)
{
	return vgprs_offset(n_slots) + n_slots * bw_trap_vgpr_stride(arch);
}

void bw_trap_control_init(struct bw_trap_control *out, const struct bw_arch *arch, uint32_t ses,
			  uint32_t sas, uint32_t wgps, uint32_t waves)
{
	uint32_t n_slots = ses * sas * wgps * arch->simds_per_wgp * waves;
	/* one register has both, on all generations */
	int enables_hw = bw_trap_hw_of(bw_arch_reg_of(arch, BW_WF_STEP_EN));
	*out = (struct bw_trap_control){
		.magic = BW_TRAP_MAGIC,
		.version = BW_TRAP_VERSION,
		.sas = sas,
		.wgps = wgps,
		.waves = waves,
		.slots_offset_b = BW_TRAP_C_SIZE,
		.vgprs_offset_4k = (uint32_t)(vgprs_offset(n_slots) / 4096),
		.n_slots = n_slots,
		.enables = bw_trap_enables(arch, 0),
		.enables_hw = enables_hw > 0 ? (uint32_t)enables_hw : 0,
	};
}

void bw_trap_place(void *area, uint64_t va)
{
	memcpy((uint8_t *)area + BW_TRAP_C_SELF, &va, sizeof(va));
}

void bw_trap_allow_moves(void *area)
{
	const uint32_t homes = BW_TRAP_HOME;
	memcpy((uint8_t *)area + BW_TRAP_C_HOMES, &homes, sizeof(homes));
}

int bw_trap_slot_index(const struct bw_arch *arch, const struct bw_trap_control *c, uint32_t hw_id1)
{
	uint32_t wave = bw_arch_get(arch, BW_WF_WAVE_ID, hw_id1);
	uint32_t simd = bw_arch_get(arch, BW_WF_SIMD_ID, hw_id1);
	uint32_t wgp = bw_arch_get(arch, BW_WF_WGP_ID, hw_id1);
	uint32_t sa = bw_arch_get(arch, BW_WF_SA_ID, hw_id1);
	uint32_t se = bw_arch_get(arch, BW_WF_SE_ID, hw_id1);
	if (sa >= c->sas || wgp >= c->wgps || simd >= arch->simds_per_wgp || wave >= c->waves)
		return -1;
	uint32_t array = (se * c->sas + sa) * c->wgps + wgp;
	uint32_t slot = (array * arch->simds_per_wgp + simd) * c->waves + wave;
	return slot < c->n_slots ? (int)slot : -1;
}

/* ---- detaching ---- */

static struct bw_trap_slot *slots_of(void *area, uint64_t size_b, struct bw_trap_control *out,
				     uint32_t *out_n)
{
	*out_n = 0;
	if (size_b < BW_TRAP_C_SIZE)
		return NULL;
	memcpy(out, area, sizeof(*out));
	if (out->magic != BW_TRAP_MAGIC || out->slots_offset_b > size_b ||
	    out->slots_offset_b % 4 || out->enables_hw >= BW_TRAP_HW_COUNT)
		return NULL;
	uint64_t room = (size_b - out->slots_offset_b) / sizeof(struct bw_trap_slot);
	*out_n = (uint32_t)BW_MIN((uint64_t)out->n_slots, room);
	return (struct bw_trap_slot *)((char *)area + out->slots_offset_b);
}

static void set_flags(void *area, uint32_t flags)
{
	uint32_t *at = (uint32_t *)((char *)area + BW_TRAP_C_FLAGS);
	__atomic_or_fetch(at, flags, __ATOMIC_SEQ_CST);
}

void bw_trap_listen(void *area)
{
	uint32_t *flags = (uint32_t *)((uint8_t *)area + BW_TRAP_C_FLAGS);
	__atomic_and_fetch(flags, ~(uint32_t)BW_TRAP_F_DETACHED, __ATOMIC_SEQ_CST);
}

void bw_trap_detach(void *area)
{
	set_flags(area, BW_TRAP_F_DETACHED);
}

/* Whether the wave is busy with another command (reading LDS), or resuming already. A command for
 * an earlier stop does not count. */
static bool is_busy(const struct bw_trap_slot *s, uint32_t seq)
{
	uint32_t command = __atomic_load_n(&s->command, __ATOMIC_ACQUIRE);
	return command && command >> BW_TRAP_CMD_SEQ_LO == seq;
}

static unsigned command_all(void *area, uint64_t size_b, uint32_t command)
{
	uint32_t n;
	struct bw_trap_control c;
	struct bw_trap_slot *slots = slots_of(area, size_b, &c, &n);
	unsigned stopped = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct bw_trap_slot *s = &slots[i];
		if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) != BW_TRAP_STATE_STOPPED)
			continue;
		stopped++;
		uint32_t seq = __atomic_load_n(&s->seq, __ATOMIC_RELAXED) &
			       UINT32_MAX >> BW_TRAP_CMD_SEQ_LO;
		if (is_busy(s, seq))
			continue;
		s->hw[c.enables_hw] &= ~c.enables;
		s->arg0 = 0; /* not KEEP_ICACHE: code has been put back */
		__atomic_store_n(&s->command, bw_trap_command(command, seq), __ATOMIC_RELEASE);
	}
	return stopped;
}

unsigned bw_trap_release(void *area, uint64_t size_b)
{
	return command_all(area, size_b, BW_TRAP_CMD_RESUME);
}

void bw_trap_abandon(void *area, uint64_t size_b)
{
	set_flags(area, BW_TRAP_F_DETACHED | BW_TRAP_F_ABANDONED);
	command_all(area, size_b, BW_TRAP_CMD_END);
}
