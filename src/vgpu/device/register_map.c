/* SPDX-License-Identifier: MIT */
#include "vgpu/device/register_map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "pm4/pm4.h"
#include "regs/regs.h"
#include "vgpu/device/profile.h"

const char *bw_register_name(enum bw_register reg)
{
	return bw_register_names[reg].name;
}

/* A register of the bus interface, which the register database does not have. */
static uint32_t bus_address(const struct bw_profile *p, enum bw_register reg)
{
	switch ((int)reg) {
	/* the same in all GPUs that have an IP discovery table (doc/hardware/device.md 4) */
	case BW_REG_MM_INDEX:
		return 0x0;
	case BW_REG_MM_DATA:
		return 0x1;
	case BW_REG_MM_INDEX_HI:
		return 0x6;
	case BW_REG_BIOS_SCRATCH_7_AT_0:
		return 0x7;
	case BW_REG_RSMU_INDEX:
		return 0x14;
	case BW_REG_RSMU_DATA:
		return 0x15;
	case BW_REG_BIOS_SCRATCH_7:
		return 0x53;
	case BW_REG_HDP_FLUSH_PAGE:
		return 0x1fc00;
	case BW_REG_RCC_IOV_FUNC_IDENTIFIER:
		return p->rcc_config_memsize_dw + 2;
	case BW_REG_MP0_C2PMSG_33:
		return p->mp0_dw + 0x61;
	case BW_REG_MP0_C2PMSG_81:
		return p->mp0_dw + 0x91;
	case BW_REG_RCC_CONFIG_MEMSIZE:
		return p->rcc_config_memsize_dw;
	case BW_REG_GPU_HDP_FLUSH_REQ:
		return p->gpu_hdp_flush_req_dw;
	case BW_REG_GPU_HDP_FLUSH_DONE:
		return p->gpu_hdp_flush_done_dw;
	case BW_REG_GOLDEN_TSC_COUNT_UPPER:
		return p->golden_tsc_count_dw;
	case BW_REG_GOLDEN_TSC_COUNT_LOWER:
		return p->golden_tsc_count_dw + 1;
	default:
		return BW_REG_SPACE_DW; /* none */
	}
}

/* A field that this version does not name is not an error: the device still has the bits. */
static struct bw_error *check_fields(const struct bw_register_name *n, const struct bw_reg *reg)
{
	for (unsigned i = 0; i < n->n_fields; i++) {
		const struct bw_register_field *want = &bw_register_fields[n->first_field + i];
		for (unsigned k = 0; k < reg->n_fields; k++) {
			struct bw_reg_field have = bw_reg_field(reg, k);
			if (!strcmp(have.name, want->name) &&
			    (have.hi != want->hi || have.lo != want->lo))
				return bw_errorf(
					BW_E_UNSUPPORTED,
					"%s.%s is at bits %u:%u, and the device is written for %u:%u",
					n->name, want->name, have.hi, have.lo, want->hi, want->lo);
		}
	}
	return NULL;
}

/* Registers of programs, which queues keep for themselves: SET_SH_REG must reach them. */
static struct bw_error *check_window(enum bw_register reg, uint32_t addr_dw)
{
	static const char *const of_programs[] = {"COMPUTE_", "SPI_SHADER_PGM_",
						  "SPI_SHADER_USER_DATA_"};
	const char *name = bw_register_name(reg);
	bool in_window =
		addr_dw >= BW_PM4_SH_BEGIN_DW && addr_dw < BW_PM4_SH_BEGIN_DW + BW_PM4_N_SH;
	for (size_t i = 0; i < BW_ARRAY_SIZE(of_programs) && !in_window; i++)
		if (!strncmp(name, of_programs[i], strlen(of_programs[i])))
			return bw_errorf(BW_E_INVALID,
					 "%s is not where SET_SH_REG reaches it, but at 0x%x", name,
					 addr_dw);
	return NULL;
}

static struct bw_error *place(struct bw_register_map *m, enum bw_register reg, uint32_t addr_dw)
{
	if (addr_dw >= BW_REG_SPACE_DW)
		return bw_errorf(BW_E_INVALID, "%s is at 0x%x, outside of the register space",
				 bw_register_name(reg), addr_dw);
	if (m->number[addr_dw])
		return bw_errorf(BW_E_INVALID, "%s and %s are both at 0x%x", bw_register_name(reg),
				 bw_register_name(m->number[addr_dw]), addr_dw);
	m->addr_dw[reg] = addr_dw;
	m->number[addr_dw] = (uint16_t)reg;
	return NULL;
}

struct bw_error *bw_register_map_init(struct bw_register_map *m, const struct bw_profile *profile)
{
	enum { MAX_BLOCKS = 8 };
	const struct bw_regs_block *table[MAX_BLOCKS];
	const struct bw_profile_block *at[MAX_BLOCKS];
	m->number = calloc(BW_REG_SPACE_DW, sizeof(*m->number));
	if (!m->number)
		return bw_error_nomem();
	assert(bw_n_register_blocks <= MAX_BLOCKS);
	for (unsigned i = 0; i < bw_n_register_blocks; i++) {
		at[i] = bw_profile_block(bw_profile_registers(profile), bw_register_blocks[i].name);
		BW_TRY(bw_regs_find(bw_register_blocks[i].name, at[i]->version, &table[i]));
	}
	for (unsigned r = BW_REG_NONE + 1; r < BW_N_REGISTERS; r++) {
		const struct bw_register_name *n = &bw_register_names[r];
		uint32_t addr_dw = BW_REG_SPACE_DW;
		struct bw_reg reg;
		m->addr_dw[r] = BW_REG_SPACE_DW + r;
		if (n->block == bw_n_register_blocks) {
			addr_dw = bus_address(profile, r);
		} else if (bw_regs_lookup(table[n->block], n->name, &reg) &&
			   reg.segment != BW_REG_INDEXED) {
			BW_TRY(bw_reg_address(&reg, at[n->block]->segment, BW_PROFILE_SEGMENTS,
					      &addr_dw));
			if (bw_regs_version(table[n->block]) !=
			    bw_register_blocks[n->block].version)
				BW_TRY(check_fields(n, &reg));
		} else { /* this GPU does not have it */
			BW_TRY(check_window(r, BW_REG_SPACE_DW + r));
			continue;
		}
		BW_TRY(place(m, r, addr_dw));
		BW_TRY(check_window(r, addr_dw));
	}
	return NULL;
}

void bw_register_map_fini(struct bw_register_map *m)
{
	free(m->number);
	m->number = NULL;
}
