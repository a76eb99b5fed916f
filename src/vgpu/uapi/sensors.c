/* SPDX-License-Identifier: MIT */
/* The load of the GPU, and the values computed from it: clocks, temperature, power. The load is the
 * time in which some ring had work, by windows of at least 100 ms; the rest is a model in which
 * full load means the figures of the board in the profile, and the temperature comes after with a
 * delay. */
#include <amdgpu_drm.h>
#include <errno.h>

#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/uapi_priv.h"

enum { WINDOW_NS = 100 * 1000 * 1000 };
enum { IDLE_MC = 38000, FULL_MC = 72000 }; /* millidegrees */
enum { IDLE_MV = 700, FULL_MV = 1100 };
enum { PSTATE_STANDARD = 1, PSTATE_MIN_SCLK, PSTATE_MIN_MCLK, PSTATE_PEAK };
/* Sensors of Linux 6.12 that older headers do not have. */
enum { SENSOR_PEAK_SCLK = 0xa, SENSOR_PEAK_MCLK = 0xb, SENSOR_INPUT_POWER = 0xc };
/* The time the temperature takes for two thirds of the way. */
#define THERMAL_NS 8000000000ll

static uint64_t busy_ns(const struct bw_drm_sensors *s, int64_t now)
{
	return s->busy_ns + (s->n_busy ? (uint64_t)(now - s->busy_since_ns) : 0);
}

void bw_drm_sensors_ring(struct bw_uapi *u, bool busy)
{
	struct bw_drm_sensors *s = &u->sensors;
	int64_t now = bw_now_ns();
	if (busy && !s->n_busy++)
		s->busy_since_ns = now;
	if (!busy && !--s->n_busy)
		s->busy_ns += (uint64_t)(now - s->busy_since_ns);
}

void bw_drm_sensors_tick(struct bw_uapi *u)
{
	struct bw_drm_sensors *s = &u->sensors;
	int64_t now = bw_now_ns(), passed = now - s->at_ns;
	if (passed < WINDOW_NS)
		return;
	uint64_t busy = busy_ns(s, now);
	if (!s->at_ns) {
		s->temperature_mc = IDLE_MC;
	} else {
		s->load = (uint32_t)((busy - s->busy_at_ns) * 100 / (uint64_t)passed);
		int64_t target = IDLE_MC + (FULL_MC - IDLE_MC) * (int64_t)s->load / 100;
		int64_t way = target - s->temperature_mc,
			part = passed * 1000 / (passed + THERMAL_NS);
		s->temperature_mc += (int32_t)(way * part / 1000);
	}
	s->at_ns = now;
	s->busy_at_ns = busy;
}

static uint32_t by_load(const struct bw_uapi *u, uint32_t idle, uint32_t full)
{
	return idle + (full - idle) * BW_MIN(u->sensors.load, 100u) / 100;
}

static uint32_t sclk(const struct bw_uapi *u)
{
	switch (u->pstate) {
	case PSTATE_STANDARD:
		return u->profile->sclk.standard_mhz;
	case PSTATE_MIN_SCLK:
		return u->profile->sclk.min_mhz;
	case PSTATE_PEAK:
		return u->profile->sclk.max_mhz;
	default:
		return by_load(u, u->profile->sclk.min_mhz, u->profile->sclk.max_mhz);
	}
}

static uint32_t mclk(const struct bw_uapi *u)
{
	switch (u->pstate) {
	case PSTATE_STANDARD:
	case PSTATE_PEAK:
		return u->profile->mclk.max_mhz;
	case PSTATE_MIN_MCLK:
		return u->profile->mclk.min_mhz;
	default:
		return by_load(u, u->profile->mclk.min_mhz, u->profile->mclk.max_mhz);
	}
}

int bw_drm_sensor(struct bw_uapi *u, uint32_t type, uint32_t *out)
{
	bw_drm_sensors_tick(u);
	switch (type) {
	case AMDGPU_INFO_SENSOR_GFX_SCLK:
		*out = sclk(u);
		return 0;
	case AMDGPU_INFO_SENSOR_GFX_MCLK:
		*out = mclk(u);
		return 0;
	case AMDGPU_INFO_SENSOR_GPU_TEMP:
		*out = (uint32_t)u->sensors.temperature_mc;
		return 0;
	case AMDGPU_INFO_SENSOR_GPU_LOAD:
		*out = BW_MIN(u->sensors.load, 100u);
		return 0;
	case AMDGPU_INFO_SENSOR_GPU_AVG_POWER:
	case SENSOR_INPUT_POWER:
		*out = by_load(u, u->profile->idle_w, u->profile->full_w);
		return 0;
	case AMDGPU_INFO_SENSOR_VDDGFX:
		*out = by_load(u, IDLE_MV, FULL_MV);
		return 0;
	case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK:
		*out = u->profile->sclk.standard_mhz;
		return 0;
	case SENSOR_PEAK_SCLK:
		*out = u->profile->sclk.max_mhz;
		return 0;
	case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK:
	case SENSOR_PEAK_MCLK:
		*out = u->profile->mclk.max_mhz;
		return 0;
	default:
		return -EINVAL;
	}
}

int bw_drm_pp_sensor(struct bw_uapi *u, uint64_t number, uint32_t *out)
{
	/* enum amd_pp_sensors (kgd_pp_interface.h), what smu_v13_0_0_read_sensor and
	 * smu_read_sensor of 6.12 answer, and their units. Of the firmware's alone, and so not
	 * here: load and temperature of the memory, the hot spot, fans' limit, the mask of
	 * features. */
	static const struct {
		uint8_t number, type;
		uint16_t factor;
	} rows[] = {
		{0, AMDGPU_INFO_SENSOR_GFX_SCLK, 100},
		{3, AMDGPU_INFO_SENSOR_VDDGFX, 1},
		{7, AMDGPU_INFO_SENSOR_GPU_LOAD, 1},
		{9, AMDGPU_INFO_SENSOR_GFX_MCLK, 100},
		{10, AMDGPU_INFO_SENSOR_GPU_TEMP, 1},
		{15, AMDGPU_INFO_SENSOR_GPU_AVG_POWER, 256},
		{19, AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK, 100},
		{20, AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK, 100},
		{25, SENSOR_PEAK_SCLK, 100},
		{26, SENSOR_PEAK_MCLK, 100},
	};
	/* VCE_POWER, UVD_POWER, MIN_FAN_RPM, VCN_POWER_STATE: no video engine, no fan */
	static const uint8_t zeros[] = {13, 14, 22, 24};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (rows[i].number != number)
			continue;
		int r = bw_drm_sensor(u, rows[i].type, out);
		if (!r)
			*out *= rows[i].factor;
		return r;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(zeros); i++)
		if (zeros[i] == number) {
			*out = 0;
			return 0;
		}
	return -EOPNOTSUPP;
}
