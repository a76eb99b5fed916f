/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_PROFILE_H
#define BW_VGPU_DEVICE_PROFILE_H

/* The differences between GPUs, as one row of data for each GPU. The numbers of Navi31 are those a
 * real card reports (doc/hardware/mesa.md 2.2). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ip_version.h"
#include "isa/inst.h"

enum { BW_PROFILE_SEGMENTS = 5 };

/* An IP block: which version, and the bases of its register segments in dwords, as ip_discovery has
 * them. The version says where in its segment a register is (data/regs). */
struct bw_profile_block {
	uint32_t version; /* base/ip_version.h */
	uint32_t segment[BW_PROFILE_SEGMENTS];
};

/* A block as the IP discovery binary lists it. */
struct bw_profile_ip {
	uint16_t hw_id; /* soc15_hw_ip.h */
	uint8_t instance, n_bases;
	const char *block; /* where version and bases are, by the database's name; or NULL: */
	uint32_t version;
	uint32_t base[6];
};

struct bw_profile_value {
	uint32_t addr_dw, value;
};

struct bw_profile_clock {
	uint32_t min_mhz, standard_mhz, max_mhz;
};

/* The versions that the firmware reports; the names are those of amdgpu_firmware_info in
 * debugfs. */
struct bw_profile_firmware {
	const char *name; /* "MEC" */
	uint32_t feature, version;
};

/* How a dispatch says what its waves get. */
struct bw_profile_waves {
	bool has_wave32;
	bool has_accum;		/* COMPUTE_PGM_RSRC3.ACCUM_OFFSET: AccVGPRs follow the others */
	uint16_t max_vgprs;	/* of a lane: 256 */
	uint8_t vgprs_unit;	/* of a wave64, in one unit of COMPUTE_PGM_RSRC1.VGPRS: 4 */
	uint16_t wave_size_b;	/* one unit of COMPUTE_TMPRING_SIZE.WAVESIZE: 256 */
	bool scratch_is_of_gpu; /* COMPUTE_TMPRING_SIZE.WAVES: not of each shader engine */
	/* Each number of a thread has a VGPR of its own, v0 to v2; else v0 has all three. */
	bool separate_ids;
	/* The place of a wave's scratch comes in an SGPR, as an offset, and the program makes
	 * FLAT_SCRATCH from it; else the hardware knows the place. */
	bool scratch_in_sgprs;
};

/* What KFD says of it, and how large its area of saved waves is (kfd_topology.c, kfd_queue.c). */
struct bw_profile_kfd {
	uint32_t capability, debug_prop; /* HSA_CAP_*, HSA_DBG_* */
	uint8_t n_queues;
	uint16_t waves_per_cu, waves_per_se; /* of the control stack; waves_per_se 0: no limit */
	uint8_t wave_b;			     /* of a wave there */
	uint32_t vgprs_b;		     /* of a CU */
};

/* The shape of page tables of this project's driver (doc/hardware/page-tables.md 3). */
struct bw_profile_tables {
	uint8_t depth, block; /* PAGE_TABLE_DEPTH, PAGE_TABLE_BLOCK_SIZE */
	uint8_t bfs;	      /* of entries above PDB0; 0: no translate-further */
};

struct bw_profile {
	const char *name;     /* "navi31" */
	const char *gfx;      /* "gfx1100" */
	enum bw_isa_gen gen;  /* whose instructions its waves execute */
	const char *no_draws; /* why it draws nothing; NULL: nothing is refused for the GPU */
	const char *marketing_name;
	uint32_t pci_class; /* 0x030000 */
	uint16_t pci_device, pci_subdevice, pci_revision;
	const char *pci_address; /* "0000:03:00.0" */
	uint32_t family, external_rev;
	uint8_t n_se, sa_per_se, wgp_per_sa, simd_per_wgp, waves_per_simd;
	uint8_t cus_per_wgp;	 /* 2; 1: it has no WGPs, and what is said of them is true of CUs */
	uint32_t vgprs_per_simd; /* registers of 32 lanes: 1536 */
	uint32_t vgpr_granule_w32; /* 24; wave64 half of it */
	struct bw_profile_waves waves;
	uint32_t lds_per_wgp_b, lds_max_group_b;
	uint32_t lds_granule_b;
	uint8_t max_groups_per_wgp; /* 32 */
	uint64_t vram_size_b, sysmem_size_b;
	/* Registers of SDMA are in GC's segments since gfx10. */
	struct bw_profile_block gc, sdma, mmhub, osssys, hdp;
	/* The GPU whose registers, packets and page tables the device has inside; NULL: those of
	 * the blocks above. If it is another one, this project's driver has them as well, and
	 * others see the GPU's own (register_own.h). */
	const struct bw_profile *registers_of;
	struct bw_profile_tables tables;
	bool has_graphics; /* a ring for it */
	/* Registers of the bus interface, whose blocks the register database does not have: dword
	 * addresses. */
	uint32_t rcc_config_memsize_dw, gpu_hdp_flush_req_dw, gpu_hdp_flush_done_dw;
	uint32_t mp0_dw;	      /* where the security processor's registers begin */
	uint32_t golden_tsc_count_dw; /* upper word of SMUIO's clock; the lower is next */
	/* All blocks, in the order of the discovery binary. */
	const struct bw_profile_ip *ips;
	size_t n_ips;
	/* Registers that have a value when a driver comes and are of no block of the database. */
	const struct bw_profile_value *boot;
	size_t n_boot;
	uint32_t gb_addr_config;
	uint32_t shader_clock_mhz; /* that waves see, whatever sclk says */

	/* Properties of the board that programs can ask for. No part of the model depends on
	 * them. */
	struct bw_profile_clock sclk, mclk;
	uint32_t idle_w, full_w;
	uint8_t n_rb, n_tcc; /* render backends, texture channel caches */
	uint8_t vram_type;   /* AMDGPU_VRAM_TYPE_* */
	uint16_t vram_bus_bits;
	uint8_t pcie_gen, pcie_lanes;
	uint8_t sqc_per_wgp;
	uint32_t tcp_kib, sqc_data_kib, sqc_inst_kib, gl1_kib, gl2_kib;
	uint64_t mall_b;
	uint64_t vram_pinned_b; /* by the driver */
	uint32_t gs_vgt_table_depth, gs_prim_buffer_depth, max_gs_waves_per_vgt;
	struct bw_profile_kfd kfd;
	const struct bw_profile_firmware *firmware; /* in the order of debugfs */
	size_t n_firmware;
};

extern const struct bw_profile bw_profile_navi31, bw_profile_mi300x, bw_profile_raven2;
/* The number of its CUs. */
static inline unsigned bw_profile_n_cus(const struct bw_profile *p)
{
	return (unsigned)p->n_se * p->sa_per_se * p->wgp_per_sa * p->cus_per_wgp;
}
/* The GPU whose registers the device has. */
static inline const struct bw_profile *bw_profile_registers(const struct bw_profile *p)
{
	return p->registers_of ? p->registers_of : p;
}
/* All profiles, in the order that users see; the first is the default. */
const struct bw_profile *const *bw_profile_all(size_t *out_n);
const struct bw_profile *bw_profile_find(const char *name); /* NULL when there is none */
/* A block by its name in the register database ("gc"); NULL when there is none. */
const struct bw_profile_block *bw_profile_block(const struct bw_profile *p, const char *name);

#endif
