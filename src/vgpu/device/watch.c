/* SPDX-License-Identifier: MIT */
/* TCP_WATCH0 to 3 (doc/hardware/traps.md 8, doc/hardware/registers.md 6): vector memory accesses to
 * a range of addresses raise an exception in the wave that makes them. A watch costs nothing on
 * other pages: pages that it touches are kept out of the fast path of the TLB (translate.c), and
 * only there addresses are compared. */
#include "vgpu/device/device_priv.h"

#include "base/util.h"
#include "vgpu/device/exec/core/plant.h"

enum {
	GRANULE_BITS = 7,
	MASK_TOP = 29, /* MASK stands for address bits 29:7; those above are always compared */
};

void bw_watches_of(struct bw_device *dev, unsigned vmid, struct bw_watch out[BW_N_WATCHES])
{
	for (unsigned i = 0; i < BW_N_WATCHES; i++) {
		uint32_t hi = bw_reg_get(dev, BW_REG_TCP_WATCH0_ADDR_H + i);
		uint32_t lo = bw_reg_get(dev, BW_REG_TCP_WATCH0_ADDR_L + i);
		uint32_t cntl = bw_reg_get(dev, BW_REG_TCP_WATCH0_CNTL + i);
		bool on = !(dev->options.plant & BW_PLANT_WATCH) &&
			  BW_FIELD_GET(TCP_WATCH0_CNTL, VALID, cntl) &&
			  BW_FIELD_GET(TCP_WATCH0_CNTL, VMID, cntl) == vmid;
		uint64_t mask = BW_FIELD_GET(TCP_WATCH0_CNTL, MASK, cntl);
		uint64_t above = BW_VA_MASK & ~((1ull << (MASK_TOP + 1)) - 1);
		out[i] = (struct bw_watch){
			.va = bw_join32(BW_FIELD_GET(TCP_WATCH0_ADDR_H, ADDR, hi),
					lo & BW_FIELD_MASK(TCP_WATCH0_ADDR_L, ADDR)),
			.compared = on ? above | mask << GRANULE_BITS : 0,
			.mode = (uint8_t)BW_FIELD_GET(TCP_WATCH0_CNTL, MODE, cntl),
		};
	}
}

bool bw_watches_page(const struct bw_watch watch[BW_N_WATCHES], uint64_t page_va)
{
	for (unsigned i = 0; i < BW_N_WATCHES; i++) {
		uint64_t in_page = BW_PAGE_B - 1;
		if (watch[i].compared && !((page_va ^ watch[i].va) & watch[i].compared & ~in_page))
			return true;
	}
	return false;
}
