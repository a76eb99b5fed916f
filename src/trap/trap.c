/* SPDX-License-Identifier: MIT */
#include "trap/trap.h"

#include "base/util.h"

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
	/* HW_ID1: WAVE 4:0, SIMD 9:8, WGP 13:10, SA 16, SE 20:18 (reference kernel-interface 7.4) */
	uint32_t wave = (uint32_t)bw_bits(hw_id1, 4, 0), simd = (uint32_t)bw_bits(hw_id1, 9, 8);
	uint32_t wgp = (uint32_t)bw_bits(hw_id1, 13, 10), sa = (uint32_t)bw_bits(hw_id1, 16, 16);
	uint32_t se = (uint32_t)bw_bits(hw_id1, 20, 18);
	if (sa >= c->sas || wgp >= c->wgps || wave >= c->waves)
		return -1;
	uint32_t slot = (((se * c->sas + sa) * c->wgps + wgp) * 4 + simd) * c->waves + wave;
	return slot < c->n_slots ? (int)slot : -1;
}
