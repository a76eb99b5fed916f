/* SPDX-License-Identifier: MIT */
#include "inject/stomp.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/util.h"
#include "regs/field.h"

/* Registers that RADV and radeonsi set for each dispatch or each stream (doc/hardware/dispatch.md
 * 2.1), and the kernel does not set when it makes a queue (gfx_v11_0_compute_mqd_init of Linux 6.12
 * sets COMPUTE_STATIC_THREAD_MGMT_*, COMPUTE_PIPELINESTAT_ENABLE and COMPUTE_MISC_RESERVED: they
 * are not here, nor is COMPUTE_VMID). No value sets PRIV, TRAP_PRESENT or an exception. */
struct row {
	const char *name;
	uint32_t addr_dw, value;
};
#define ROW(reg, value) {#reg, BW_REG_GC_DW(reg), value}
static const struct row rows[] = {
	ROW(COMPUTE_START_X, 0x00010000),
	ROW(COMPUTE_START_Y, 0x00010000),
	ROW(COMPUTE_START_Z, 0x00010000),
	ROW(COMPUTE_NUM_THREAD_X, 0x0000ffff),
	ROW(COMPUTE_NUM_THREAD_Y, 0x0000ffff),
	ROW(COMPUTE_NUM_THREAD_Z, 0x0000ffff),
	ROW(COMPUTE_PGM_LO, 0x0bad0bad),
	ROW(COMPUTE_PGM_HI, 0x0000000b),
	ROW(COMPUTE_DISPATCH_SCRATCH_BASE_LO, 0x0bad0bad),
	ROW(COMPUTE_DISPATCH_SCRATCH_BASE_HI, 0x0000000b),
	ROW(COMPUTE_PGM_RSRC1, 0x000aa03f),
	ROW(COMPUTE_PGM_RSRC2, 0x00ff803e),
	ROW(COMPUTE_RESOURCE_LIMITS, 0x00400001),
	ROW(COMPUTE_TMPRING_SIZE, 0x07fff001),
	ROW(COMPUTE_PGM_RSRC3, 0x000003ff),
	ROW(COMPUTE_USER_DATA_0, 0x0bad0000),
	ROW(COMPUTE_USER_DATA_1, 0x0bad0001),
	ROW(COMPUTE_USER_DATA_2, 0x0bad0002),
	ROW(COMPUTE_USER_DATA_3, 0x0bad0003),
	ROW(COMPUTE_USER_DATA_4, 0x0bad0004),
	ROW(COMPUTE_USER_DATA_5, 0x0bad0005),
	ROW(COMPUTE_USER_DATA_6, 0x0bad0006),
	ROW(COMPUTE_USER_DATA_7, 0x0bad0007),
	ROW(COMPUTE_USER_DATA_8, 0x0bad0008),
	ROW(COMPUTE_USER_DATA_9, 0x0bad0009),
	ROW(COMPUTE_USER_DATA_10, 0x0bad000a),
	ROW(COMPUTE_USER_DATA_11, 0x0bad000b),
	ROW(COMPUTE_USER_DATA_12, 0x0bad000c),
	ROW(COMPUTE_USER_DATA_13, 0x0bad000d),
	ROW(COMPUTE_USER_DATA_14, 0x0bad000e),
	ROW(COMPUTE_USER_DATA_15, 0x0bad000f),
};
#undef ROW
_Static_assert(BW_ARRAY_SIZE(rows) <= BW_CRUMBS_POKES_MAX, "all can be sent");

const char *bw_stomp_name(uint32_t addr_dw)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (rows[i].addr_dw == addr_dw)
			return rows[i].name;
	return NULL;
}

/* A register's row, by name or address. */
static struct bw_error *find_register(const char *word, size_t n, size_t *out)
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
		"\"%s\" is not a register that can be filled (from COMPUTE_START_X, 0x2e04, to "
		"COMPUTE_USER_DATA_15, 0x2e4f; doc/breadcrumbs.md has them all)",
		name);
}

static struct bw_error *choose(const char *ranges, bool value, bool chosen[])
{
	for (const char *at = ranges; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t n = strcspn(at, ","), dash = strcspn(at, ",-"), first, last;
		BW_TRY(find_register(at, dash, &first));
		last = first;
		if (dash < n)
			BW_TRY(find_register(at + dash + 1, n - dash - 1, &last));
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
