/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_IP_VERSION_H
#define BW_BASE_IP_VERSION_H

/* Versions of a GPU's IP blocks (GC 11.0.2, MMHUB 3.0.0) as numbers that compare in their order,
 * in the form of ip_discovery_version of the kernel's interface: major << 16 | minor << 8 |
 * revision. */

#include <stdbool.h>
#include <stdint.h>

#define BW_IP_VERSION(major, minor, revision)                                                      \
	((uint32_t)(major) << 16 | (uint32_t)(minor) << 8 | (uint32_t)(revision))

static inline unsigned bw_ip_major(uint32_t version)
{
	return version >> 16;
}

static inline unsigned bw_ip_minor(uint32_t version)
{
	return version >> 8 & 0xff;
}

static inline unsigned bw_ip_revision(uint32_t version)
{
	return version & 0xff;
}

/* They differ in the revision at most. */
static inline bool bw_ip_same_minor(uint32_t a, uint32_t b)
{
	return a >> 8 == b >> 8;
}

/* The arguments of "%u.%u.%u". */
#define BW_IP_NUMBERS(version) bw_ip_major(version), bw_ip_minor(version), bw_ip_revision(version)

#endif
