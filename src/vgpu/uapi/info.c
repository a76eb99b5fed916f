/* SPDX-License-Identifier: MIT */
/* AMDGPU_INFO: what a program may know about the device. Numbers that no part of the model decides
 * are the profile's. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/newer_drm.h"
#include "vgpu/device/vbios.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/uapi_priv.h"

enum { N_HW_IP = BW_DRM_N_IPS, DEV_INFO_B = 440, MAX_MMR = 128, MAX_SE = 4, MAX_SH = 2 };

#define GTT_TOTAL_B 33254252544ull
#define GTT_USABLE_B 33240895488ull

void bw_drm_memory_sizes(struct bw_uapi *u, uint64_t *out_vram_usable, uint64_t *out_gtt_total,
			 uint64_t *out_gtt_usable)
{
	*out_vram_usable = u->profile->vram_size_b -
			   BW_MIN(u->profile->vram_pinned_b, u->profile->vram_size_b / 16);
	*out_gtt_total = BW_MIN(GTT_TOTAL_B, u->profile->sysmem_size_b);
	*out_gtt_usable = BW_MIN(GTT_USABLE_B, *out_gtt_total);
}

/* An answer: at most as much as was asked for is copied, and the rest of the caller's is not
 * cleared. */
struct answer {
	uint8_t bytes[512];
	uint8_t *large; /* in the place of bytes, owned */
	size_t size_b;
};

static void answer_u32(struct answer *a, uint32_t v)
{
	memcpy(a->bytes, &v, sizeof(v));
	a->size_b = sizeof(v);
}

static void answer_u64(struct answer *a, uint64_t v)
{
	memcpy(a->bytes, &v, sizeof(v));
	a->size_b = sizeof(v);
}

/* ---- DEV_INFO: offsets of struct drm_amdgpu_info_device of Linux 6.12 ---- */

static uint32_t rb_mask(const struct bw_profile *p)
{
	return (uint32_t)((1ull << p->n_rb) - 1);
}

static uint32_t cu_mask(const struct bw_profile *p)
{
	return (1u << p->cus_per_wgp * p->wgp_per_sa) - 1;
}

static void dev_info(struct bw_uapi *u, struct answer *a)
{
	const struct bw_profile *p = u->profile;
	const uint64_t vm_size = BW_VM_MAX_PFN * BW_DRM_PAGE_B - BW_VA_RESERVED_TOP;
	const uint32_t n_cu = bw_profile_n_cus(p);
	/* clang-format off */
	const struct { uint16_t at; uint8_t size; uint64_t value; } fields[] = {
		{0, 4, p->pci_device}, {4, 4, 0}, {8, 4, p->external_rev}, {12, 4, p->pci_revision},
		{16, 4, p->family}, {20, 4, p->n_se}, {24, 4, p->sa_per_se},
		{28, 4, 100000},                                /* gpu_counter_freq, kHz */
		{32, 8, p->sclk.max_mhz * 1000}, {40, 8, p->mclk.max_mhz * 1000}, /* kHz */
		{48, 4, n_cu},
		{120, 4, rb_mask(p)}, {124, 4, p->n_rb},        /* enabled_rb_pipes_mask, num_rb_pipes */
		{128, 4, 8}, {132, 4, p->pcie_gen},                       /* num_hw_gfx_contexts, pcie_gen */
		{144, 8, BW_VA_RESERVED_BOTTOM},
		{152, 8, BW_MIN(vm_size, (uint64_t)BW_VA_HOLE_START)},
		{160, 4, BW_DRM_PAGE_B}, {164, 4, 2 << 20}, {168, 4, BW_DRM_PAGE_B}, /* alignment, fragment, GART page */
		{176, 4, p->vram_type}, {180, 4, p->vram_bus_bits}, {188, 4, 1}, /* gc_double_offchip_lds_buf */
		{240, 4, p->waves.has_wave32 ? 32 : 64}, {244, 4, p->vgprs_per_simd},
		{248, 4, p->wgp_per_sa * p->cus_per_wgp}, {252, 4, p->n_tcc},
		{256, 4, p->gs_vgt_table_depth}, {260, 4, p->gs_prim_buffer_depth},
		{264, 4, p->max_gs_waves_per_vgt}, {268, 4, p->pcie_lanes},
		{336, 8, BW_VA_HOLE_END}, {344, 8, BW_VA_HOLE_END | vm_size},
		{368, 8, p->sclk.min_mhz * 1000}, {376, 8, p->mclk.min_mhz * 1000}, /* kHz */
		{384, 4, p->tcp_kib}, {388, 4, p->sqc_per_wgp}, {392, 4, p->sqc_data_kib},
		{396, 4, p->sqc_inst_kib}, {400, 4, p->gl1_kib}, {404, 4, p->gl2_kib},
		{408, 8, p->mall_b},
	};
	/* clang-format on */
	memset(a->bytes, 0, DEV_INFO_B);
	a->size_b = DEV_INFO_B;
	for (size_t i = 0; i < BW_ARRAY_SIZE(fields); i++)
		memcpy(a->bytes + fields[i].at, &fields[i].value, fields[i].size);
	/* cu_bitmap[4][4] at 56: four columns of engines 0-3; 4 and 5 use columns 2 and 3
	 * (gfx_v11_0_get_cu_info). */
	for (unsigned se = 0; se < p->n_se; se++) {
		for (unsigned sa = 0; sa < p->sa_per_se; sa++) {
			uint32_t mask = cu_mask(p);
			memcpy(a->bytes + 56 + 4 * (se % 4 * 4 + sa + se / 4 * 2), &mask,
			       sizeof(mask));
		}
	}
}

/* ---- the rest ---- */

static int hw_ip_info(const struct bw_uapi *u, const struct drm_amdgpu_info *q, struct answer *a)
{
	struct drm_amdgpu_info_hw_ip ip = {0};
	uint32_t discovered = 0;
	if (q->query_hw_ip.ip_instance >= AMDGPU_HW_IP_INSTANCE_MAX_COUNT ||
	    q->query_hw_ip.type >= N_HW_IP)
		return -EINVAL;
	/* Video: no rings, and so all zero. */
	if (q->query_hw_ip.type == AMDGPU_HW_IP_DMA) {
		discovered = u->profile->sdma.version;
		ip.ib_start_alignment = 256;
		ip.ib_size_alignment = 4;
		ip.available_rings = (1 << BW_DRM_N_SDMA) - 1;
	} else if (q->query_hw_ip.type == AMDGPU_HW_IP_GFX ||
		   q->query_hw_ip.type == AMDGPU_HW_IP_COMPUTE) {
		discovered = u->profile->gc.version;
		ip.ib_start_alignment = ip.ib_size_alignment = 32;
		ip.available_rings = q->query_hw_ip.type == AMDGPU_HW_IP_GFX
					     ? u->profile->has_graphics
					     : (1 << BW_DRM_N_COMPUTE) - 1;
	}
	ip.hw_ip_version_major = bw_ip_major(discovered);
	ip.hw_ip_version_minor = bw_ip_minor(discovered);
	memcpy(a->bytes, &ip, sizeof(ip));
	memcpy(a->bytes + BW_HW_IP_DISCOVERY_VERSION_AT, &discovered, sizeof(discovered));
	a->size_b = sizeof(ip);
	return 0;
}

static int hw_ip_count(const struct drm_amdgpu_info *q, struct answer *a)
{
	uint32_t type = q->query_hw_ip.type;
	if (type > AMDGPU_HW_IP_DMA)
		return -EINVAL;
	answer_u32(a, type == AMDGPU_HW_IP_DMA ? BW_DRM_N_SDMA : 1);
	return 0;
}

static int fw_version(const struct bw_uapi *u, const struct drm_amdgpu_info *q, struct answer *a)
{
	enum { FW_NONE = 0x09, FW_MES_KIQ = 0x19, FW_MES = 0x1a, FW_IMU = 0x1b };
	static const struct {
		uint8_t type;
		const char *name; /* in the profile */
	} known[] = {
		{AMDGPU_INFO_FW_GFX_ME, "ME"},
		{AMDGPU_INFO_FW_GFX_PFP, "PFP"},
		{AMDGPU_INFO_FW_GFX_MEC, "MEC"},
		{AMDGPU_INFO_FW_SDMA, "SDMA"},
		{AMDGPU_INFO_FW_GFX_RLC, "RLC"},
		{AMDGPU_INFO_FW_SMC, "SMC"},
		{AMDGPU_INFO_FW_SOS, "SOS"},
		{AMDGPU_INFO_FW_ASD, "ASD"},
		{FW_MES_KIQ, "MES_KIQ"},
		{FW_MES, "MES"},
		{FW_IMU, "IMU"},
	};
	const struct bw_profile *p = u->profile;
	struct drm_amdgpu_info_firmware fw = {0};
	if (q->query_fw.ip_instance || q->query_fw.fw_type == 0 || q->query_fw.fw_type > 0x1c ||
	    q->query_fw.fw_type == FW_NONE)
		return -EINVAL;
	const bool is_second_mec = /* of earlier GPUs; nothing is loaded there */
		q->query_fw.fw_type == AMDGPU_INFO_FW_GFX_MEC && q->query_fw.index == 1;
	if ((q->query_fw.fw_type == AMDGPU_INFO_FW_GFX_MEC && q->query_fw.index > 1) ||
	    (q->query_fw.fw_type == AMDGPU_INFO_FW_SDMA && q->query_fw.index >= BW_DRM_N_SDMA))
		return -EINVAL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(known) && !is_second_mec; i++)
		for (size_t k = 0; k < p->n_firmware && known[i].type == q->query_fw.fw_type; k++)
			if (!strcmp(p->firmware[k].name, known[i].name))
				fw = (struct drm_amdgpu_info_firmware){p->firmware[k].version,
								       p->firmware[k].feature};
	memcpy(a->bytes, &fw, sizeof(fw));
	a->size_b = sizeof(fw);
	return 0;
}

static void memory(struct bw_uapi *u, struct answer *a)
{
	struct drm_amdgpu_memory_info m = {0};
	uint64_t gtt_total, vram_usable, gtt_usable;
	bw_drm_memory_sizes(u, &vram_usable, &gtt_total, &gtt_usable);
	m.vram = (struct drm_amdgpu_heap_info){u->profile->vram_size_b, vram_usable, u->vram_used_b,
					       vram_usable / 4 * 3};
	m.cpu_accessible_vram = m.vram; /* all of it: a large BAR */
	m.gtt = (struct drm_amdgpu_heap_info){gtt_total, gtt_usable, u->gtt_used_b,
					      gtt_usable / 4 * 3};
	memcpy(a->bytes, &m, sizeof(m));
	a->size_b = sizeof(m);
}

static void vram_gtt(struct bw_uapi *u, struct answer *a)
{
	uint64_t gtt_total, vram_usable, gtt_usable;
	bw_drm_memory_sizes(u, &vram_usable, &gtt_total, &gtt_usable);
	struct drm_amdgpu_info_vram_gtt v = {vram_usable, vram_usable, gtt_usable};
	memcpy(a->bytes, &v, sizeof(v));
	a->size_b = sizeof(v);
}

/* The registers that soc21.c lets every program read. */
static bool mmr_allowed(const struct bw_uapi *u, uint32_t addr_dw)
{
	static const uint16_t regs[] = {
		BW_REG_GRBM_STATUS,	 BW_REG_GRBM_STATUS2,	      BW_REG_GRBM_STATUS_SE0,
		BW_REG_GRBM_STATUS_SE1,	 BW_REG_GRBM_STATUS_SE2,      BW_REG_GRBM_STATUS_SE3,
		BW_REG_SDMA0_STATUS_REG, BW_REG_SDMA1_STATUS_REG,     BW_REG_CP_STAT,
		BW_REG_CP_STALLED_STAT1, BW_REG_CP_STALLED_STAT2,     BW_REG_CP_STALLED_STAT3,
		BW_REG_CP_CPF_BUSY_STAT, BW_REG_CP_CPF_STALLED_STAT1, BW_REG_CP_CPF_STATUS,
		BW_REG_CP_CPC_BUSY_STAT, BW_REG_CP_CPC_STALLED_STAT1, BW_REG_CP_CPC_STATUS,
		BW_REG_GB_ADDR_CONFIG,
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(regs); i++)
		if (bw_drm_reg(u, regs[i]) == addr_dw)
			return true;
	return false;
}

static int read_mmr(struct bw_uapi *u, const struct drm_amdgpu_info *q, struct answer *a)
{
	uint32_t instance = q->read_mmr_reg.instance, count = q->read_mmr_reg.count;
	uint32_t se = instance >> AMDGPU_INFO_MMR_SE_INDEX_SHIFT & AMDGPU_INFO_MMR_SE_INDEX_MASK;
	uint32_t sh = instance >> AMDGPU_INFO_MMR_SH_INDEX_SHIFT & AMDGPU_INFO_MMR_SH_INDEX_MASK;
	if ((se != AMDGPU_INFO_MMR_SE_INDEX_MASK && se >= MAX_SE) ||
	    (sh != AMDGPU_INFO_MMR_SH_INDEX_MASK && sh >= MAX_SH) || count > MAX_MMR)
		return -EINVAL;
	struct bw_bank bank = {.use_grbm = true,
			       .instance = ~0u,
			       .se = se == AMDGPU_INFO_MMR_SE_INDEX_MASK ? ~0u : se,
			       .sa = sh == AMDGPU_INFO_MMR_SH_INDEX_MASK ? ~0u : sh};
	_Static_assert(MAX_MMR * 4 <= sizeof(a->bytes), "answer too small");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t addr = q->read_mmr_reg.dword_offset + i;
		if (!mmr_allowed(u, addr)) {
			BW_LOG(INFO, "uapi", "READ_MMR_REG of %#x is not allowed to programs",
			       addr);
			return -EFAULT;
		}
		uint32_t v = bw_device_reg_read(u->dev, &bank, addr);
		memcpy(a->bytes + 4 * i, &v, sizeof(v));
	}
	a->size_b = 4 * count;
	return 0;
}

static int sensor(struct bw_uapi *u, const struct drm_amdgpu_info *q, struct answer *a)
{
	uint32_t value;
	int r = bw_drm_sensor(u, q->sensor_info.type, &value);
	if (!r)
		answer_u32(a, value);
	return r;
}

const uint32_t bw_drm_max_ibs[BW_DRM_N_IPS] = {192, 125, 49, 49, 49, 49, 49, 49, 16, 49};

static void max_ibs(struct answer *a)
{
	memcpy(a->bytes, bw_drm_max_ibs, sizeof(bw_drm_max_ibs));
	a->size_b = sizeof(bw_drm_max_ibs);
}

static void gpuvm_fault(struct bw_drm_file *f, struct answer *a)
{
	struct bw_info_gpuvm_fault fault = {f->vm->fault.addr, f->vm->fault.status,
					    f->vm->fault.hub};
	memcpy(a->bytes, &fault, sizeof(fault));
	a->size_b = sizeof(fault);
}

static int vbios(struct bw_uapi *u, const struct drm_amdgpu_info *q, struct answer *a)
{
	uint32_t offset = q->vbios_info.offset;
	switch (q->vbios_info.type) {
	case AMDGPU_INFO_VBIOS_SIZE:
		answer_u32(a, BW_VBIOS_COPIED_B);
		return 0;
	case AMDGPU_INFO_VBIOS_IMAGE:
		if (offset >= BW_VBIOS_COPIED_B)
			return -EINVAL;
		a->large = calloc(1, BW_VBIOS_COPIED_B);
		if (!a->large)
			return -ENOMEM;
		bw_vbios_make(u->profile, a->large);
		a->size_b = BW_VBIOS_COPIED_B - offset;
		memmove(a->large, a->large + offset, a->size_b);
		return 0;
	case AMDGPU_INFO_VBIOS_INFO:
		break;
	default:
		return -EINVAL;
	}
	/* the name is what the driver says where an image has no strings */
	struct drm_amdgpu_info_vbios v = {
		.name = "--N/A--", .vbios_ver_str = BW_VBIOS_VERSION, .date = BW_VBIOS_DATE};
	snprintf((char *)v.vbios_pn, sizeof(v.vbios_pn), BW_VBIOS_PART_NUMBER, u->profile->name);
	memcpy(a->bytes, &v, sizeof(v));
	a->size_b = sizeof(v);
	return 0;
}

/* The values of gfx_v11_0_set_gds_init for all gfx11; gfx11 has no GDS of that size. */
static void gds_config(struct answer *a)
{
	const struct drm_amdgpu_info_gds gds = {.compute_partition_size = 4096,
						.gds_total_size = 4096,
						.gws_per_compute_partition = 64,
						.oa_per_compute_partition = 16};
	memcpy(a->bytes, &gds, a->size_b = sizeof(gds));
}

/* The codecs of VCN 4 of Navi31 (soc21.c). They are reported although HW_IP_INFO reports no rings
 * for them. */
static int video_caps(const struct drm_amdgpu_info *q, struct answer *a)
{
	enum { AVC = 3, HEVC = 4, JPEG = 5, VP9 = 6, AV1 = 7 };
	static const struct {
		bool encodes;
		uint8_t codec;
		uint32_t width, height, level;
	} codecs[] = {
		{false, AVC, 4096, 4096, 52},	{false, HEVC, 8192, 4352, 186},
		{false, JPEG, 16384, 16384, 0}, {false, VP9, 8192, 4352, 0},
		{false, AV1, 8192, 4352, 0},	{true, AVC, 4096, 4096, 0},
		{true, HEVC, 8192, 4352, 0},	{true, AV1, 8192, 4352, 0},
	};
	struct drm_amdgpu_info_video_caps caps = {0};
	if (q->video_cap.type > AMDGPU_INFO_VIDEO_CAPS_ENCODE)
		return -EINVAL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(codecs); i++)
		if (codecs[i].encodes == (q->video_cap.type == AMDGPU_INFO_VIDEO_CAPS_ENCODE))
			caps.codec_info[codecs[i].codec] =
				(struct drm_amdgpu_info_video_codec_info){
					1, codecs[i].width, codecs[i].height,
					codecs[i].width * codecs[i].height, codecs[i].level};
	memcpy(a->bytes, &caps, a->size_b = sizeof(caps));
	return 0;
}

uint64_t bw_drm_gpu_clock(struct bw_uapi *u)
{
	bw_wreg(u, BW_REG_RLC_CAPTURE_GPU_CLOCK_COUNT, 1); /* latches it */
	uint64_t lo = bw_rreg(u, BW_REG_RLC_GPU_CLOCK_COUNT_LSB);
	return bw_join32(bw_rreg(u, BW_REG_RLC_GPU_CLOCK_COUNT_MSB), lo);
}

/* Lock held. */
static int query(struct bw_drm_call *c, const struct drm_amdgpu_info *q, struct answer *a)
{
	struct bw_uapi *u = c->u;
	switch (q->query) {
	case AMDGPU_INFO_ACCEL_WORKING:
		answer_u32(a, 1);
		return 0;
	case AMDGPU_INFO_HW_IP_INFO:
		return hw_ip_info(u, q, a);
	case AMDGPU_INFO_HW_IP_COUNT:
		return hw_ip_count(q, a);
	case AMDGPU_INFO_TIMESTAMP:
		answer_u64(a, bw_drm_gpu_clock(u));
		return 0;
	case AMDGPU_INFO_FW_VERSION:
		return fw_version(u, q, a);
	case AMDGPU_INFO_NUM_BYTES_MOVED:
	case AMDGPU_INFO_NUM_EVICTIONS:
	case AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS:
		answer_u64(a, 0);
		return 0;
	case AMDGPU_INFO_VRAM_USAGE:
	case AMDGPU_INFO_VIS_VRAM_USAGE:
		answer_u64(a, u->vram_used_b);
		return 0;
	case AMDGPU_INFO_GTT_USAGE:
		answer_u64(a, u->gtt_used_b);
		return 0;
	case AMDGPU_INFO_GDS_CONFIG:
		gds_config(a);
		return 0;
	case AMDGPU_INFO_VRAM_GTT:
		vram_gtt(u, a);
		return 0;
	case AMDGPU_INFO_READ_MMR_REG:
		return read_mmr(u, q, a);
	case AMDGPU_INFO_DEV_INFO:
		dev_info(u, a);
		return 0;
	case AMDGPU_INFO_MEMORY:
		memory(u, a);
		return 0;
	case AMDGPU_INFO_VBIOS:
		return vbios(u, q, a);
	case AMDGPU_INFO_NUM_HANDLES:
		return q->query_hw_ip.type == AMDGPU_HW_IP_UVD ? -ENODATA : -EINVAL;
	case AMDGPU_INFO_SENSOR:
		return sensor(u, q, a);
	case AMDGPU_INFO_VRAM_LOST_COUNTER:
		answer_u32(a, 0);
		return 0;
	case BW_INFO_MAX_IBS:
		max_ibs(a);
		return 0;
	case BW_INFO_GPUVM_FAULT:
		gpuvm_fault(c->file, a);
		return 0;
	case AMDGPU_INFO_VIDEO_CAPS:
		return video_caps(q, a);
	case AMDGPU_INFO_CRTC_FROM_ID:	       /* no displays */
	case AMDGPU_INFO_VCE_CLOCK_TABLE:      /* no such engine */
	case AMDGPU_INFO_RAS_ENABLED_FEATURES: /* no error correction */
		return -EINVAL;
	default:
		BW_LOG(WARN, "uapi", "INFO query %#x is unknown", q->query);
		return -EINVAL;
	}
}

int bw_ioctl_info(struct bw_drm_call *c, void *arg)
{
	const struct drm_amdgpu_info *q = arg;
	struct answer a = {.size_b = 0};
	if (!q->return_size || !q->return_pointer)
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	int r = query(c, q, &a);
	pthread_mutex_unlock(&c->u->lock);
	if (!r)
		r = bw_user_write(c, q->return_pointer, a.large ? a.large : a.bytes,
				  BW_MIN(a.size_b, (size_t)q->return_size));
	free(a.large);
	return r;
}

/* amdgpu_gca_config, version 5 (doc/hardware/kernel-interface.md 5.1) */
void bw_drm_gca_config(struct bw_uapi *u, uint32_t out[36])
{
	const struct bw_profile *p = u->profile;
	const uint32_t config[36] = {
		[0] = 5,
		[1] = p->n_se,
		[2] = 1u << BW_FIELD_GET(GB_ADDR_CONFIG, NUM_PIPES, p->gb_addr_config),
		[3] = p->wgp_per_sa * (uint32_t)p->cus_per_wgp,
		[4] = p->sa_per_se,
		[5] = p->n_rb / p->n_se,
		[6] = p->n_tcc,
		[7] = p->vgprs_per_simd,
		[8] = 32,
		[9] = 8,
		[10] = 0x20,
		[11] = 0x100,
		[12] = 0,
		[13] = 0x4c0,
		[15] = rb_mask(p),
		[22] = p->gb_addr_config,
		[23] = p->n_rb,
		[27] = p->family,
		[28] = p->external_rev,
		[29] = p->pci_device,
		[30] = p->pci_revision,
		[31] = p->pci_subdevice,
		[32] = 0x1002,
	};
	memcpy(out, config, sizeof(config));
}
