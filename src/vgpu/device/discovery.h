/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_DISCOVERY_H
#define BW_VGPU_DEVICE_DISCOVERY_H

/* The IP discovery binary: which blocks the GPU has, where their registers are, and the shape of
 * its graphics core. A driver reads it from VRAM, 64 KiB below the end (doc/hardware/pci.md 4).
 * It is made from the profile's row. Pure. */

#include <stddef.h>
#include <stdint.h>

struct bw_profile;

enum {
	BW_DISCOVERY_FROM_END_B = 64 << 10, /* where in VRAM, counted from its end */
	BW_DISCOVERY_MAX_B = 10 << 10,	    /* as much as a driver reads */
	BW_DISCOVERY_GC_FIELDS = 30,
};

/* The fields of the table of the graphics core, version 1.2, in its order. GPUs of gfx9 get version
 * 2.1, which has most of them in another order. */
struct bw_discovery_gc {
	uint32_t num_se, wgp0_per_sa, wgp1_per_sa, rb_per_se, gl2c, gprs, max_gs_threads,
		gs_table_depth, gsprim_buff_depth, parameter_cache_depth, double_offchip_lds,
		wave_size, max_waves_per_simd, max_scratch_slots_per_cu, lds_size_kib, sc_per_se,
		sa_per_se, packer_per_sc, gl2a, tcp_per_sa, sdp_interface, tcps, tcp_per_wgp,
		tcp_l1_kib, sqc_per_wgp, l1i_kib_per_sqc, l1d_kib_per_sqc, gl1c_per_sa, gl1c_kib,
		gl2c_kib_per_gpu;
};

void bw_discovery_gc_of(const struct bw_profile *profile, struct bw_discovery_gc *out);
/* Writes the binary, whose size it returns. out is zeroed first. */
size_t bw_discovery_make(const struct bw_profile *profile, const struct bw_discovery_gc *gc,
			 uint8_t out[BW_DISCOVERY_MAX_B]);

#endif
