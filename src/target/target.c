// SPDX-License-Identifier: MIT
#include "target/target.h"

#include <stdio.h>

struct bw_place bw_target_place(const struct bw_target_facts *f, uint32_t slot)
{
	struct bw_place p = {0};
	uint32_t waves = f->waves_per_simd ? f->waves_per_simd : 1;
	uint32_t simds = f->simd_per_wgp ? f->simd_per_wgp : 1;
	uint32_t wgps = f->wgp_per_sa ? f->wgp_per_sa : 1;
	uint32_t sas = f->sa_per_se ? f->sa_per_se : 1;

	p.wave = (uint8_t)(slot % waves);
	slot /= waves;
	p.simd = (uint8_t)(slot % simds);
	slot /= simds;
	p.wgp = (uint8_t)(slot % wgps);
	slot /= wgps;
	p.sa = (uint8_t)(slot % sas);
	p.se = (uint8_t)(slot / sas);
	return p;
}

void bw_place_text(struct bw_place p, char out[32])
{
	snprintf(out, 32, "se%u.sa%u.wgp%u.simd%u.w%u", p.se, p.sa, p.wgp, p.simd, p.wave);
}
