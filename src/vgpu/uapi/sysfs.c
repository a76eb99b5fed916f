/* SPDX-License-Identifier: MIT */
/* Files of the PCI device's sysfs folder whose content changes: memory, load, clocks, sensors
 * (amdgpu_vram_mgr.c, amdgpu_gtt_mgr.c and pm/amdgpu_pm.c of 6.12). */
#include <amdgpu_drm.h>

#include "vgpu/uapi/files.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/sensors.h"

/* ---- mem_info_*: in bytes ---- */

static void text_vram_total(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_addf(s, "%llu\n", (unsigned long long)u->profile->vram_size_b);
}

static void text_vram_used(struct bw_uapi *u, struct bw_str *s)
{
	pthread_mutex_lock(&u->lock);
	bw_str_addf(s, "%llu\n", (unsigned long long)u->vram_used_b);
	pthread_mutex_unlock(&u->lock);
}

static void text_gtt_total(struct bw_uapi *u, struct bw_str *s)
{
	uint64_t vram, total, usable;
	bw_drm_memory_sizes(u, &vram, &total, &usable);
	bw_str_addf(s, "%llu\n", (unsigned long long)total);
}

static void text_gtt_used(struct bw_uapi *u, struct bw_str *s)
{
	pthread_mutex_lock(&u->lock);
	bw_str_addf(s, "%llu\n", (unsigned long long)u->gtt_used_b);
	pthread_mutex_unlock(&u->lock);
}

/* ---- load and clocks ---- */

static uint32_t sensor(struct bw_uapi *u, uint32_t type)
{
	uint32_t value = 0;
	pthread_mutex_lock(&u->lock);
	bw_drm_sensor(u, type, &value);
	pthread_mutex_unlock(&u->lock);
	return value;
}

static void text_gpu_busy(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_addf(s, "%u\n", sensor(u, AMDGPU_INFO_SENSOR_GPU_LOAD));
}

/* Two levels with any frequency between them: the kernel shows that one as a third
 * (smu_v13_0_0_print_clk_levels). */
static void levels(struct bw_str *s, const struct bw_profile_clock *clock, uint32_t now_mhz)
{
	if (now_mhz == clock->min_mhz || now_mhz == clock->max_mhz) {
		bw_str_addf(s, "0: %uMhz %s\n1: %uMhz %s\n", clock->min_mhz,
			    now_mhz == clock->min_mhz ? "*" : "", clock->max_mhz,
			    now_mhz == clock->min_mhz ? "" : "*");
		return;
	}
	bw_str_addf(s, "0: %uMhz \n1: %uMhz *\n2: %uMhz \n", clock->min_mhz, now_mhz,
		    clock->max_mhz);
}

static void text_pp_sclk(struct bw_uapi *u, struct bw_str *s)
{
	levels(s, &u->profile->sclk, sensor(u, AMDGPU_INFO_SENSOR_GFX_SCLK));
}

static void text_pp_mclk(struct bw_uapi *u, struct bw_str *s)
{
	levels(s, &u->profile->mclk, sensor(u, AMDGPU_INFO_SENSOR_GFX_MCLK));
}

/* The one link there is, at its full width. */
static void text_pp_pcie(struct bw_uapi *u, struct bw_str *s)
{
	static const char *const rate[] = {"2.5", "5.0", "8.0", "16.0", "32.0"};
	unsigned gen = u->profile->pcie_gen;
	bw_str_addf(s, "0: %sGT/s, x%u *\n", gen && gen <= 5 ? rate[gen - 1] : "0",
		    u->profile->pcie_lanes);
}

/* The stable power state that a context has asked for (AMDGPU_CTX_OP_SET_STABLE_PSTATE). */
static void text_performance_level(struct bw_uapi *u, struct bw_str *s)
{
	static const char *const names[] = {"auto", "profile_standard", "profile_min_sclk",
					    "profile_min_mclk", "profile_peak"};
	pthread_mutex_lock(&u->lock);
	uint32_t at = u->pstate;
	pthread_mutex_unlock(&u->lock);
	bw_str_addf(s, "%s\n", at < BW_ARRAY_SIZE(names) ? names[at] : "auto");
}

static void text_dpm_state(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_add(s, "performance\n");
}

/* ---- hwmon ---- */

static void text_temp(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_addf(s, "%u\n", sensor(u, AMDGPU_INFO_SENSOR_GPU_TEMP));
}

static void text_voltage(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_addf(s, "%u\n", sensor(u, AMDGPU_INFO_SENSOR_VDDGFX));
}

/* microwatts */
static void text_power(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_addf(s, "%llu\n", 1000000ull * sensor(u, AMDGPU_INFO_SENSOR_GPU_AVG_POWER));
}

static void text_freq1(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_addf(s, "%llu\n", 1000000ull * sensor(u, AMDGPU_INFO_SENSOR_GFX_SCLK));
}

static void text_freq2(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_addf(s, "%llu\n", 1000000ull * sensor(u, AMDGPU_INFO_SENSOR_GFX_MCLK));
}

/* Files that root can write on the kernel are read-only here: the model of clocks and power has no
 * settings. */
/* clang-format off */
static const struct bw_file_row sysfs_rows[] = {
	{"mem_info_vram_total", 0444, &bw_text_ops, text_vram_total, 0},
	{"mem_info_vis_vram_total", 0444, &bw_text_ops, text_vram_total, 0},
	{"mem_info_vram_used", 0444, &bw_text_ops, text_vram_used, 0},
	{"mem_info_vis_vram_used", 0444, &bw_text_ops, text_vram_used, 0},
	{"mem_info_gtt_total", 0444, &bw_text_ops, text_gtt_total, 0},
	{"mem_info_gtt_used", 0444, &bw_text_ops, text_gtt_used, 0},
	{"gpu_busy_percent", 0444, &bw_text_ops, text_gpu_busy, 0},
	{"pp_dpm_sclk", 0444, &bw_text_ops, text_pp_sclk, 0},
	{"pp_dpm_mclk", 0444, &bw_text_ops, text_pp_mclk, 0},
	{"pp_dpm_pcie", 0444, &bw_text_ops, text_pp_pcie, 0},
	{"power_dpm_force_performance_level", 0444, &bw_text_ops, text_performance_level, 0},
	{"power_dpm_state", 0444, &bw_text_ops, text_dpm_state, 0},
	{BW_TREE_HWMON "/temp1_input", 0444, &bw_text_ops, text_temp, 0},
	{BW_TREE_HWMON "/in0_input", 0444, &bw_text_ops, text_voltage, 0},
	{BW_TREE_HWMON "/power1_average", 0444, &bw_text_ops, text_power, 0},
	{BW_TREE_HWMON "/freq1_input", 0444, &bw_text_ops, text_freq1, 0},
	{BW_TREE_HWMON "/freq2_input", 0444, &bw_text_ops, text_freq2, 0},
	{"remove", 0200, &bw_pci_remove_ops, NULL, 0},
	{"rescan", 0200, &bw_pci_rescan_ops, NULL, 0},
};
/* clang-format on */

const struct bw_file_row *bw_sysfs_rows(size_t *out_n)
{
	*out_n = BW_ARRAY_SIZE(sysfs_rows);
	return sysfs_rows;
}

bool bw_is_sysfs_row(const struct bw_file_row *row)
{
	return row >= sysfs_rows && row < sysfs_rows + BW_ARRAY_SIZE(sysfs_rows);
}
