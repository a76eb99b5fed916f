/* SPDX-License-Identifier: MIT */
#include "cli/stomp.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/util.h"
#include "pm4/pm4.h"

/* What RADV and radeonsi set for each dispatch or each stream (doc/hardware/dispatch.md 2.1), and
 * the kernel does not when it makes a queue (gfx_v11_0_compute_mqd_init of Linux 6.12 sets
 * COMPUTE_STATIC_THREAD_MGMT_*, COMPUTE_PIPELINESTAT_ENABLE and COMPUTE_MISC_RESERVED: they are not
 * here, nor is COMPUTE_VMID). No value sets PRIV, TRAP_PRESENT or an exception. */
struct row {
	const char *name;
	uint32_t addr_dw, value;
};
static const struct row rows[] = {
	{"COMPUTE_START_X", 0x2e04, 0x00010000},
	{"COMPUTE_START_Y", 0x2e05, 0x00010000},
	{"COMPUTE_START_Z", 0x2e06, 0x00010000},
	{"COMPUTE_NUM_THREAD_X", 0x2e07, 0x0000ffff},
	{"COMPUTE_NUM_THREAD_Y", 0x2e08, 0x0000ffff},
	{"COMPUTE_NUM_THREAD_Z", 0x2e09, 0x0000ffff},
	{"COMPUTE_PGM_LO", 0x2e0c, 0x0bad0bad},
	{"COMPUTE_PGM_HI", 0x2e0d, 0x0000000b},
	{"COMPUTE_DISPATCH_SCRATCH_BASE_LO", 0x2e10, 0x0bad0bad},
	{"COMPUTE_DISPATCH_SCRATCH_BASE_HI", 0x2e11, 0x0000000b},
	{"COMPUTE_PGM_RSRC1", 0x2e12, 0x000aa03f},
	{"COMPUTE_PGM_RSRC2", 0x2e13, 0x00ff803e},
	{"COMPUTE_RESOURCE_LIMITS", 0x2e15, 0x00400001},
	{"COMPUTE_TMPRING_SIZE", 0x2e18, 0x07fff001},
	{"COMPUTE_PGM_RSRC3", 0x2e28, 0x000003ff},
	{"COMPUTE_USER_DATA_0", 0x2e40, 0x0bad0000},
	{"COMPUTE_USER_DATA_1", 0x2e41, 0x0bad0001},
	{"COMPUTE_USER_DATA_2", 0x2e42, 0x0bad0002},
	{"COMPUTE_USER_DATA_3", 0x2e43, 0x0bad0003},
	{"COMPUTE_USER_DATA_4", 0x2e44, 0x0bad0004},
	{"COMPUTE_USER_DATA_5", 0x2e45, 0x0bad0005},
	{"COMPUTE_USER_DATA_6", 0x2e46, 0x0bad0006},
	{"COMPUTE_USER_DATA_7", 0x2e47, 0x0bad0007},
	{"COMPUTE_USER_DATA_8", 0x2e48, 0x0bad0008},
	{"COMPUTE_USER_DATA_9", 0x2e49, 0x0bad0009},
	{"COMPUTE_USER_DATA_10", 0x2e4a, 0x0bad000a},
	{"COMPUTE_USER_DATA_11", 0x2e4b, 0x0bad000b},
	{"COMPUTE_USER_DATA_12", 0x2e4c, 0x0bad000c},
	{"COMPUTE_USER_DATA_13", 0x2e4d, 0x0bad000d},
	{"COMPUTE_USER_DATA_14", 0x2e4e, 0x0bad000e},
	{"COMPUTE_USER_DATA_15", 0x2e4f, 0x0bad000f},
};
_Static_assert(BW_ARRAY_SIZE(rows) <= BW_CRUMBS_POKES_MAX, "all can be sent");

const char *bw_stomp_name(uint32_t addr_dw)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (rows[i].addr_dw == addr_dw)
			return rows[i].name;
	return NULL;
}

/* A register's row, by name or address. */
static struct bw_error *find(const char *word, size_t n, size_t *out)
{
	char name[64];
	uint64_t addr = 0;
	snprintf(name, sizeof(name), "%.*s", (int)BW_MIN(n, sizeof(name) - 1), word);
	bool is_number = bw_parse_u64(name, &addr);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (is_number ? rows[i].addr_dw != addr : strcasecmp(rows[i].name, name) != 0)
			continue;
		*out = i;
		return NULL;
	}
	return bw_errorf(
		BW_E_INVALID,
		"\"%s\" is no register that can be filled (from COMPUTE_START_X, 0x2e04, to "
		"COMPUTE_USER_DATA_15, 0x2e4f; doc/breadcrumbs.md has them all)",
		name);
}

static struct bw_error *choose(const char *ranges, bool value, bool chosen[])
{
	for (const char *at = ranges; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t n = strcspn(at, ","), dash = strcspn(at, ",-"), first, last;
		BW_TRY(find(at, dash, &first));
		last = first;
		if (dash < n)
			BW_TRY(find(at + dash + 1, n - dash - 1, &last));
		for (size_t i = first; i <= last; i++)
			chosen[i] = value;
	}
	return NULL;
}

struct bw_error *bw_stomp_make(const char *ranges, const char *except, struct bw_stomp_set *out)
{
	bool chosen[BW_ARRAY_SIZE(rows)] = {false};
	for (size_t i = 0; !ranges && i < BW_ARRAY_SIZE(rows); i++)
		chosen[i] = true;
	BW_TRY(choose(ranges, true, chosen));
	BW_TRY(choose(except, false, chosen));
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (chosen[i])
			BW_TRY(bw_vec_push(
				out, ((struct bw_crumbs_poke){rows[i].addr_dw, rows[i].value})));
	return NULL;
}
