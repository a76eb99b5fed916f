/* SPDX-License-Identifier: MIT */
#include "trap/trap.h"

#include <stdbool.h>
#include <string.h>

#include "base/util.h"

enum { MODE_TRAP_AFTER_INST = 1u << 11 };

extern const unsigned char bw_trap_gfx11[];
extern const unsigned long bw_trap_gfx11_size;

const void *bw_trap_handler(unsigned gfx_major, size_t *out_size_b)
{
	if (gfx_major != 11)
		return NULL;
	*out_size_b = bw_trap_gfx11_size;
	return bw_trap_gfx11;
}

/* The VGPR areas follow the slots; both start on pages. */
static uint64_t vgprs_offset(uint32_t n_slots)
{
	return BW_TRAP_C_SIZE + (uint64_t)n_slots * BW_TRAP_SLOT_STRIDE;
}

uint64_t bw_trap_area_size(uint32_t n_slots)
{
	return vgprs_offset(n_slots) + (uint64_t)n_slots * BW_TRAP_VGPR_STRIDE;
}

void bw_trap_control_init(struct bw_trap_control *out, uint32_t ses, uint32_t sas, uint32_t wgps,
			  uint32_t waves)
{
	uint32_t n_slots = ses * sas * wgps * 4 * waves;
	*out = (struct bw_trap_control){
		.magic = BW_TRAP_MAGIC,
		.version = BW_TRAP_VERSION,
		.sas = sas,
		.wgps = wgps,
		.waves = waves,
		.slots_offset_b = BW_TRAP_C_SIZE,
		.vgprs_offset_4k = (uint32_t)(vgprs_offset(n_slots) / 4096),
		.n_slots = n_slots,
	};
}

int bw_trap_slot_index(const struct bw_trap_control *c, uint32_t hw_id1)
{
	/* HW_ID1: WAVE 4:0, SIMD 9:8, WGP 13:10, SA 16, SE 20:18 (doc/hardware/registers.md 4) */
	uint32_t wave = (uint32_t)bw_bits(hw_id1, 4, 0), simd = (uint32_t)bw_bits(hw_id1, 9, 8);
	uint32_t wgp = (uint32_t)bw_bits(hw_id1, 13, 10), sa = (uint32_t)bw_bits(hw_id1, 16, 16);
	uint32_t se = (uint32_t)bw_bits(hw_id1, 20, 18);
	if (sa >= c->sas || wgp >= c->wgps || wave >= c->waves)
		return -1;
	uint32_t slot = (((se * c->sas + sa) * c->wgps + wgp) * 4 + simd) * c->waves + wave;
	return slot < c->n_slots ? (int)slot : -1;
}

/* ---- letting go ---- */

static struct bw_trap_slot *slots_of(void *area, uint64_t size_b, uint32_t *out_n,
				     uint32_t *out_mode)
{
	struct bw_trap_control c;
	*out_n = *out_mode = 0;
	if (size_b < BW_TRAP_C_SIZE)
		return NULL;
	memcpy(&c, area, sizeof(c));
	if (c.magic != BW_TRAP_MAGIC || c.slots_offset_b > size_b || c.slots_offset_b % 4)
		return NULL;
	uint64_t room = (size_b - c.slots_offset_b) / sizeof(struct bw_trap_slot);
	*out_n = (uint32_t)BW_MIN((uint64_t)c.n_slots, room);
	*out_mode = c.mode | MODE_TRAP_AFTER_INST;
	return (struct bw_trap_slot *)((char *)area + c.slots_offset_b);
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

/* Busy with another command (reading LDS), or on its way already? A command for an earlier stop is
 * none. */
static bool is_busy(const struct bw_trap_slot *s, uint32_t seq)
{
	uint32_t command = __atomic_load_n(&s->command, __ATOMIC_ACQUIRE);
	return command && command >> 8 == seq;
}

static unsigned command_all(void *area, uint64_t size_b, uint32_t command)
{
	uint32_t n, mode;
	struct bw_trap_slot *slots = slots_of(area, size_b, &n, &mode);
	unsigned stopped = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct bw_trap_slot *s = &slots[i];
		if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) != BW_TRAP_STATE_STOPPED)
			continue;
		stopped++;
		uint32_t seq = __atomic_load_n(&s->seq, __ATOMIC_RELAXED) & 0xffffff;
		if (is_busy(s, seq))
			continue;
		s->hw[BW_TRAP_HW_MODE] &= ~mode;
		s->arg0 = 0; /* not KEEP_ICACHE: code has been put back */
		__atomic_store_n(&s->command, command | seq << 8, __ATOMIC_RELEASE);
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
