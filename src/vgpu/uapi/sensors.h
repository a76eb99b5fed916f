/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_SENSORS_H
#define BW_VGPU_UAPI_SENSORS_H

/* Values of AMDGPU_INFO_SENSOR: load, temperature, clocks (sensors.c). The caller holds the
 * lock. */

#include <stdbool.h>
#include <stdint.h>

struct bw_drm_sensors {
	unsigned n_busy; /* rings with work */
	int64_t busy_since_ns;
	uint64_t busy_ns;    /* until then */
	int64_t at_ns;	     /* end of the last window; 0: none yet */
	uint64_t busy_at_ns; /* busy time until then */
	uint32_t load;	     /* in it, percent */
	int32_t temperature_mc;
};

struct bw_uapi;
/* one has got its first job, lost its last */
void bw_drm_sensors_ring(struct bw_uapi *u, bool busy);
void bw_drm_sensors_tick(struct bw_uapi *u);
int bw_drm_sensor(struct bw_uapi *u, uint32_t type, uint32_t *out);
/* Like bw_drm_sensor, by numbers of amd_pp_sensors and in units of amdgpu_dpm_read_sensor(), which
 * are those of amdgpu_sensors in debugfs: clocks in 10 kHz, power in W << 8. */
int bw_drm_pp_sensor(struct bw_uapi *u, uint64_t number, uint32_t *out);

#endif
