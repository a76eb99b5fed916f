/* SPDX-License-Identifier: MIT */
/* GPUs that have no table of their blocks, so that the kernel has no ip_discovery of them in sysfs:
 * where their registers are, and which versions they have. Linux knows the same by heart
 * (amdgpu_discovery_set_ip_blocks and vega10_reg_base_init of 6.12). */
#include "kmd/no_discovery.h"

#include <string.h>

#include "base/util.h"

/* Either may be a Raven2, which Linux calls 9.1.0, too. */
enum { RAVEN = 0x15dd, PICASSO = 0x15d8 };

static const struct {
	uint16_t device[2];
	const char *block;
	struct bw_kmd_ip ip;
} known[] = {
	{{RAVEN, PICASSO}, "GC", {9, 1, 0, {0x2000, 0xa000}, 2}},
	{{RAVEN, PICASSO}, "MMHUB", {9, 1, 0, {0x1a000}, 1}},
	{{RAVEN, PICASSO}, "OSSSYS", {4, 1, 0, {0x10a0}, 1}},
	{{RAVEN, PICASSO}, "HDP", {4, 1, 0, {0xf20}, 1}},
	{{RAVEN, PICASSO}, "SDMA0", {4, 1, 0, {0x1260}, 1}},
};

bool bw_kmd_ip_without_discovery(uint64_t device, const char *block, struct bw_kmd_ip *out)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(known); i++)
		if ((known[i].device[0] == device || known[i].device[1] == device) &&
		    !strcmp(known[i].block, block)) {
			*out = known[i].ip;
			return true;
		}
	return false;
}
