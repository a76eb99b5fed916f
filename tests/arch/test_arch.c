/* SPDX-License-Identifier: MIT */
/* The rows of src/arch against what others say of these generations: the kernel's trap handlers
 * (amdkfd/cwsr_trap_handler_gfx9.asm, _gfx10.asm, which is gfx11's too, and _gfx12.asm, Linux
 * 6.12), its wave dumps, the register database in all its versions, and LLVM's assembler and
 * compiler (words.S, groups.cl). */
#include "arch/arch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "isa/inst.h"
#include "regs/regs.h"

extern const unsigned char words_gfx11[], words_gfx12[], words_gfx942[];
extern const unsigned long words_gfx11_size, words_gfx12_size, words_gfx942_size;

static const struct bw_arch *row(unsigned major)
{
	const struct bw_arch *a = bw_arch_of(BW_IP_VERSION(major, major == 10 ? 3 : 0, 0));
	assert_non_null(a);
	return a;
}

static const struct bw_arch *rdna1(void)
{
	const struct bw_arch *a = bw_arch_of(BW_IP_VERSION(10, 1, 10));
	assert_non_null(a);
	return a;
}

static const struct bw_arch *cdna3(void)
{
	const struct bw_arch *a = bw_arch_of(BW_IP_VERSION(9, 4, 3));
	assert_non_null(a);
	return a;
}

static void test_versions(void **state)
{
	assert_string_equal(row(11)->name, "gfx11");
	assert_string_equal(row(12)->name, "gfx12");
	assert_ptr_equal(bw_arch_of(BW_IP_VERSION(11, 5, 1)), row(11));
	assert_string_equal(row(10)->name, "gfx10");
	assert_string_equal(row(9)->name, "gfx9");
	assert_ptr_equal(bw_arch_of(BW_IP_VERSION(10, 3, 7)), row(10));
	assert_ptr_equal(bw_arch_of(BW_IP_VERSION(9, 4, 0)), row(9));
	assert_string_equal(rdna1()->name, "gfx10.1");
	assert_ptr_equal(bw_arch_of(BW_IP_VERSION(10, 1, 4)), rdna1());
	assert_false(bw_arch_knows_code(rdna1()));
	assert_null(bw_arch_of(BW_IP_VERSION(9, 4, 1)));
	assert_null(bw_arch_of(BW_IP_VERSION(9, 4, 2)));
	assert_string_equal(cdna3()->name, "gfx942");
	assert_ptr_equal(bw_arch_of(BW_IP_VERSION(9, 4, 4)), cdna3());
	assert_null(bw_arch_of(BW_IP_VERSION(9, 5, 0)));
	assert_true(bw_arch_knows_code(cdna3()));
	assert_int_equal(bw_arch_code_end(BW_IP_VERSION(9, 4, 3)), 0xbf810000);
	for (unsigned major = 9; major <= 12; major++) {
		uint32_t gc = row(major)->first_gc;
		assert_int_equal(bw_arch_knows_code(row(major)), major >= 11);
		assert_ptr_equal(bw_arch_of_code(gc), major >= 11 ? row(major) : NULL);
		/* s_endpgm and s_code_end of LLVM 19 */
		assert_int_equal(bw_arch_code_end(gc), major == 9 ? 0xbf810000 : 0xbf9f0000);
	}
	assert_string_equal(bw_arch_default_gfx(), "gfx1100");
	assert_null(bw_arch_of(BW_IP_VERSION(12, 1, 0)));
	assert_null(bw_arch_of(BW_IP_VERSION(13, 0, 0)));
	assert_string_equal(bw_arch_chip(row(11), BW_IP_VERSION(11, 0, 3))->gfx, "gfx1101");
	assert_string_equal(bw_arch_chip(row(12), BW_IP_VERSION(12, 0, 1))->gfx, "gfx1201");
	assert_null(bw_arch_chip(row(12), BW_IP_VERSION(12, 0, 9)));
	char name[16];
	bw_arch_gfx_name(BW_IP_VERSION(9, 4, 3), name, sizeof(name));
	assert_string_equal(name, "gfx942");
	bw_arch_gfx_name(BW_IP_VERSION(11, 0, 3), name, sizeof(name));
	assert_string_equal(name, "gfx1101");
	bw_arch_gfx_name(BW_IP_VERSION(10, 3, 4), name, sizeof(name)); /* Navi23 */
	assert_string_equal(name, "gfx1032");
	bw_arch_gfx_name(BW_IP_VERSION(10, 1, 3), name, sizeof(name)); /* Cyan Skillfish */
	assert_string_equal(name, "gfx1013");
	bw_arch_gfx_name(BW_IP_VERSION(9, 3, 0), name, sizeof(name)); /* Renoir */
	assert_string_equal(name, "gfx90c");
	bw_arch_gfx_name(BW_IP_VERSION(13, 0, 0), name, sizeof(name)); /* of no row here */
	assert_string_equal(name, "gfx1300");
}

/* Bits by the kernel's constants, SQ_IND indices by gc_11_0_0_offset.h and gc_12_0_0_offset.h. */
struct known {
	enum bw_wave_field field;
	uint32_t ind, mask;
};
/* clang-format off */
static const struct known known_gfx9[] = {
	/* Vega ISA manual, STATUS */
	{BW_WF_COND_DBG_USER, 0x12, 1u << 20},
	{BW_WF_COND_DBG_SYS, 0x12, 1u << 21},
	{BW_WF_SCC, 0x12, 0x1},			     /* SQ_WAVE_STATUS__SCC_MASK */
	{BW_WF_IN_HANDLER, 0x12, 0x20},
	{BW_WF_TRAP_EN, 0x12, 0x40},
	{BW_WF_IN_BARRIER, 0x12, 0x1000},
	{BW_WF_HALTED, 0x12, 0x2000},		     /* SQ_WAVE_STATUS_HALT_MASK */
	{BW_WF_VALID, 0x12, 0x10000},
	{BW_WF_FATAL_HALT, 0x12, 0x800000},
	{BW_WF_ALU_EXCEPTIONS, 0x13, 0x7f},
	{BW_WF_WATCH_HITS, 0x13, 0x7080},
	{BW_WF_MEMORY_VIOLATION, 0x13, 0x100},	     /* SQ_WAVE_TRAPSTS_MEM_VIOL_MASK */
	{BW_WF_ILLEGAL_INST, 0x13, 0x800},	     /* SQ_WAVE_TRAPSTS_ILLEGAL_INST_MASK */
	{BW_WF_PAGE_FAULT, 0x13, 0x10000000},	     /* SQ_WAVE_TRAPSTS_XNACK_ERROR_MASK */
	{BW_WF_TRAP_ID, 0x26d, 0xff0000},
	{BW_WF_HOST_TRAP_TTMP, 0x26d, 0x1000000},
	{BW_WF_EXCP_EN, 0x11, 0xff << 12},
	{BW_WF_WAVE_ID, 0x14, 0xf},
	{BW_WF_SIMD_ID, 0x14, 0x30},
	{BW_WF_WGP_ID, 0x14, 0xf00},
	{BW_WF_SA_ID, 0x14, 0x1000},
	{BW_WF_SE_ID, 0x14, 0x6000},
	{BW_WF_VMID, 0x14, 0xf00000},
	{BW_WF_VGPR_SIZE, 0x15, 0x3f << 8},	     /* SQ_WAVE_GPR_ALLOC_VGPR_SIZE_SHIFT, _SIZE */
	{BW_WF_LDS_SIZE, 0x16, 0x1ff << 12},	     /* SQ_WAVE_LDS_ALLOC_LDS_SIZE_SHIFT, _SIZE */
};
/* cwsr_trap_handler_gfx9.asm of Linux 6.12 with ASIC_FAMILY >= CHIP_GC_9_4_3, gc_9_4_3_sh_mask.h */
static const struct known known_gfx942[] = {
	{BW_WF_COND_DBG_USER, 0x12, 1u << 20},
	{BW_WF_COND_DBG_SYS, 0x12, 1u << 21},
	{BW_WF_SCC, 0x12, 0x1},
	{BW_WF_IN_HANDLER, 0x12, 0x20},
	{BW_WF_TRAP_EN, 0x12, 0x40},
	{BW_WF_IN_BARRIER, 0x12, 0x1000},
	{BW_WF_HALTED, 0x12, 0x2000},
	{BW_WF_VALID, 0x12, 0x10000},
	{BW_WF_FATAL_HALT, 0x12, 0x800000},
	{BW_WF_HAS_SCRATCH, 0x12, 1u << 28},
	{BW_WF_ALU_EXCEPTIONS, 0x13, 0x7f},
	{BW_WF_WATCH_HITS, 0x13, 0x7080},
	{BW_WF_MEMORY_VIOLATION, 0x13, 0x100},
	{BW_WF_ILLEGAL_INST, 0x13, 0x800},
	{BW_WF_PAGE_FAULT, 0x13, 0x10000000},
	{BW_WF_HOST_TRAP, 0x13, 0x400000},	     /* SQ_WAVE_TRAPSTS_HOST_TRAP_MASK */
	{BW_WF_WAVE_START, 0x13, 0x800000},	     /* SQ_WAVE_TRAPSTS_WAVE_BEGIN_MASK */
	{BW_WF_WAVE_END, 0x13, 0x1000000},	     /* SQ_WAVE_TRAPSTS_WAVE_END_MASK */
	{BW_WF_STEPPED, 0x13, 0x2000000},	     /* SQ_WAVE_TRAPSTS_TRAP_AFTER_INST_MASK */
	{BW_WF_TRAP_ID, 0x26d, 0xff0000},
	{BW_WF_HOST_TRAP_TTMP, 0x26d, 0x1000000},
	{BW_WF_EXCP_EN, 0x11, 0xff << 12},
	{BW_WF_STEP_EN, 0x11, 0x800},		     /* SQ_WAVE_MODE_DEBUG_EN_MASK */
	{BW_WF_WAVE_ID, 0x14, 0xf},
	{BW_WF_SIMD_ID, 0x14, 0x30},
	{BW_WF_WGP_ID, 0x14, 0xf00},
	{BW_WF_SA_ID, 0x14, 0x1000},
	{BW_WF_SE_ID, 0x14, 0xe000},
	{BW_WF_VMID, 0x14, 0xf00000},
	{BW_WF_VGPR_SIZE, 0x15, 0x3f << 6},
	{BW_WF_ACCUM_OFFSET, 0x15, 0x3f << 12},	     /* SQ_WAVE_GPR_ALLOC_ACCV_OFFSET_SHIFT, _SIZE */
	{BW_WF_LDS_SIZE, 0x16, 0x1ff << 12},
	{BW_WF_PACKET, 0x272, 0x1ffffff},
	{BW_WF_WORKGROUP_X, 0x274, 0xffffffff},
	{BW_WF_WORKGROUP_Y, 0x275, 0xffffffff},
	{BW_WF_WORKGROUP_Z, 0x276, 0xffffffff},
	{BW_WF_WAVE_IN_GROUP, 0x277, 0x3f},
};
static const struct known known_gfx10[] = {
	{BW_WF_SCC, 0x102, 0x1},
	{BW_WF_IN_HANDLER, 0x102, 0x20},
	{BW_WF_TRAP_EN, 0x102, 0x40},
	{BW_WF_IN_BARRIER, 0x102, 0x1000},
	{BW_WF_HALTED, 0x102, 0x2000},
	{BW_WF_VALID, 0x102, 0x10000},
	{BW_WF_FATAL_HALT, 0x102, 0x800000},
	{BW_WF_IS_WAVE64, 0x11c, 1u << 11},	     /* SQ_WAVE_IB_STS2_WAVE64_SHIFT */
	{BW_WF_ALU_EXCEPTIONS, 0x103, 0x7f},
	{BW_WF_WATCH_HITS, 0x103, 0x7080},
	{BW_WF_MEMORY_VIOLATION, 0x103, 0x100},
	{BW_WF_ILLEGAL_INST, 0x103, 0x800},
	{BW_WF_PAGE_FAULT, 0x103, 0x10000000},
	{BW_WF_TRAP_ID, 0x26d, 0xff0000},
	{BW_WF_HOST_TRAP_TTMP, 0x26d, 0x1000000},
	{BW_WF_EXCP_EN, 0x101, 0xff << 12},
	{BW_WF_WAVE_ID, 0x117, 0x1f},
	{BW_WF_SIMD_ID, 0x117, 0x300},
	{BW_WF_WGP_ID, 0x117, 0x3c00},
	{BW_WF_SA_ID, 0x117, 0x10000},
	{BW_WF_SE_ID, 0x117, 0xc0000},
	{BW_WF_VMID, 0x118, 0xf000000},
	{BW_WF_VGPR_SIZE, 0x105, 0xff << 8},
	{BW_WF_LDS_SIZE, 0x106, 0x1ff << 12},
};
static const struct known known_gfx11[] = {
	{BW_WF_SCC, 0x102, 0x1},		     /* SQ_WAVE_STATUS__SCC_MASK */
	{BW_WF_IN_HANDLER, 0x102, 0x20},
	{BW_WF_TRAP_EN, 0x102, 0x40},
	{BW_WF_IN_BARRIER, 0x102, 0x1000},
	{BW_WF_HALTED, 0x102, 0x2000},		     /* SQ_WAVE_STATUS_HALT_MASK */
	{BW_WF_VALID, 0x102, 0x10000},
	{BW_WF_FATAL_HALT, 0x102, 0x800000},
	{BW_WF_NO_VGPRS, 0x102, 1u << 24},	     /* SQ_WAVE_STATUS_NO_VGPRS_SHIFT */
	{BW_WF_HAS_SCRATCH, 0x102, 1u << 29},
	{BW_WF_IS_WAVE64, 0x11c, 1u << 11},	     /* SQ_WAVE_IB_STS2_WAVE64_SHIFT */
	{BW_WF_COND_DBG_USER, 0x102, 1u << 20},
	{BW_WF_COND_DBG_SYS, 0x102, 1u << 21},
	{BW_WF_ALU_EXCEPTIONS, 0x103, 0x7f},
	{BW_WF_WATCH_HITS, 0x103, 0x7080},	     /* ADDR_WATCH 0x80, EXCP_HI_MASK 0x7000 */
	{BW_WF_MEMORY_VIOLATION, 0x103, 0x100},	     /* MEM_VIOL_MASK */
	{BW_WF_ILLEGAL_INST, 0x103, 0x800},	     /* ILLEGAL_INST_MASK */
	{BW_WF_HOST_TRAP, 0x103, 1u << 16},	     /* HOST_TRAP_SHIFT */
	{BW_WF_WAVE_START, 0x103, 1u << 17},	     /* WAVE_BEGIN_SHIFT */
	{BW_WF_WAVE_END, 0x103, 1u << 18},
	{BW_WF_STEPPED, 0x103, 1u << 20},
	{BW_WF_PAGE_FAULT, 0x103, 0x10000000},	     /* XNACK_ERROR_MASK */
	{BW_WF_TRAP_ID, 0x26d, 0xff0000},	     /* S_SAVE_PC_HI_TRAP_ID_MASK */
	{BW_WF_HOST_TRAP_TTMP, 0x26d, 0x1000000},    /* S_SAVE_PC_HI_HT_MASK */
	{BW_WF_EXCP_EN, 0x101, 0xff << 12},	     /* SQ_WAVE_MODE_EXCP_EN_SHIFT */
	{BW_WF_STEP_EN, 0x101, 0x800},		     /* SQ_WAVE_MODE_DEBUG_EN_MASK */
	{BW_WF_WAVE_ID, 0x117, 0x1f},
	{BW_WF_SIMD_ID, 0x117, 0x300},
	{BW_WF_WGP_ID, 0x117, 0x3c00},
	{BW_WF_SA_ID, 0x117, 0x10000},
	{BW_WF_SE_ID, 0x117, 0x1c0000},
	{BW_WF_VMID, 0x118, 0xf000000},
	{BW_WF_VGPR_SIZE, 0x105, 0xff << 12},	     /* SQ_WAVE_GPR_ALLOC_VGPR_SIZE_SHIFT, _SIZE */
	{BW_WF_LDS_SIZE, 0x106, 0x1ff << 12},	     /* SQ_WAVE_LDS_ALLOC_LDS_SIZE_SHIFT, _SIZE */
	{BW_WF_PACKET, 0x272, 0x1ffffff},
	{BW_WF_WORKGROUP_X, 0x274, 0xffffffff},
	{BW_WF_WORKGROUP_Y, 0x275, 0xffffffff},
	{BW_WF_WORKGROUP_Z, 0x276, 0xffffffff},
	{BW_WF_WAVE_IN_GROUP, 0x277, 0x3f},
};
static const struct known known_gfx12[] = {
	{BW_WF_SCC, 0x104, 1u << 9},		     /* SQ_WAVE_STATE_PRIV_SCC_SHIFT */
	{BW_WF_IN_HANDLER, 0x102, 0x20},
	{BW_WF_TRAP_EN, 0x102, 0x40},
	{BW_WF_HALTED, 0x104, 0x4000},		     /* SQ_WAVE_STATE_PRIV_HALT_MASK */
	{BW_WF_VALID, 0x102, 0x10000},
	{BW_WF_FATAL_HALT, 0x102, 0x800000},
	{BW_WF_NO_VGPRS, 0x102, 1u << 24},	     /* SQ_WAVE_STATUS_NO_VGPRS_SHIFT */
	{BW_WF_HAS_SCRATCH, 0x104, 1u << 18},
	{BW_WF_IS_WAVE64, 0x102, 1u << 29},	     /* SQ_WAVE_STATUS_WAVE64_SHIFT */
	{BW_WF_COND_DBG_USER, 0x104, 1u << 16},
	{BW_WF_COND_DBG_SYS, 0x104, 1u << 17},
	{BW_WF_ALU_EXCEPTIONS, 0x112, 0x7f},
	{BW_WF_WATCH_HITS, 0x111, 0xf},		     /* SQ_WAVE_EXCP_FLAG_PRIV_ADDR_WATCH_MASK */
	{BW_WF_MEMORY_VIOLATION, 0x111, 0x10},	     /* _MEM_VIOL_MASK */
	{BW_WF_ILLEGAL_INST, 0x111, 0x40},	     /* _ILLEGAL_INST_MASK */
	{BW_WF_HOST_TRAP, 0x111, 0x80},		     /* _HOST_TRAP_MASK */
	{BW_WF_WAVE_START, 0x111, 0x100},	     /* _WAVE_START_MASK */
	{BW_WF_WAVE_END, 0x111, 0x200},		     /* _WAVE_END_MASK */
	{BW_WF_STEPPED, 0x111, 0x800},		     /* _TRAP_AFTER_INST_MASK */
	{BW_WF_PAGE_FAULT, 0x111, 0x1000},
	{BW_WF_TRAP_ID, 0x26d, 0xf0000000},	     /* S_SAVE_PC_HI_TRAP_ID_MASK */
	{BW_WF_EXCP_EN, 0x113, 0xff},		     /* SQ_WAVE_TRAP_CTRL_ADDR_WATCH_MASK 0x80 */
	{BW_WF_STEP_EN, 0x113, 0x200},		     /* SQ_WAVE_TRAP_CTRL_TRAP_AFTER_INST_MASK */
	{BW_WF_WAVE_ID, 0x117, 0x1f},
	{BW_WF_SIMD_ID, 0x117, 0x300},
	{BW_WF_WGP_ID, 0x117, 0x3c00},
	{BW_WF_SA_ID, 0x117, 0x10000},
	{BW_WF_SE_ID, 0x117, 0x1c0000},
	{BW_WF_VMID, 0x118, 0xf000000},
	{BW_WF_VGPR_SIZE, 0x105, 0xff << 12},
	{BW_WF_LDS_SIZE, 0x106, 0x1ff << 12},
	{BW_WF_PACKET, 0x274, 0x1ffffff},
	{BW_WF_WORKGROUP_X, 0x275, 0xffffffff},
	{BW_WF_WORKGROUP_Y, 0x273, 0xffff},
	{BW_WF_WORKGROUP_Z, 0x273, 0xffff0000},
	{BW_WF_WAVE_IN_GROUP, 0x274, 0x3e000000},
};
/* clang-format on */

static void check_known(const struct bw_arch *a, const struct known *k, size_t n)
{
	size_t n_has = 0;
	for (unsigned f = 0; f < BW_WF_COUNT; f++)
		n_has += bw_arch_has(a, (enum bw_wave_field)f);
	assert_int_equal(n_has, n); /* none without a row above */
	for (size_t i = 0; i < n; i++) {
		uint32_t ind = a->reg[bw_arch_reg_of(a, k[i].field)].ind;
		uint32_t mask = bw_arch_mask(a, k[i].field);
		if (ind != k[i].ind || mask != k[i].mask)
			fail_msg("%s: field %d is %#x in %#x, not %#x in %#x", a->name, k[i].field,
				 mask, ind, k[i].mask, k[i].ind);
	}
}

static void test_fields_are_where_the_kernel_has_them(void **state)
{
	check_known(row(9), known_gfx9, BW_ARRAY_SIZE(known_gfx9));
	check_known(cdna3(), known_gfx942, BW_ARRAY_SIZE(known_gfx942));
	check_known(row(10), known_gfx10, BW_ARRAY_SIZE(known_gfx10));
	check_known(rdna1(), known_gfx10, BW_ARRAY_SIZE(known_gfx10));
	check_known(row(11), known_gfx11, BW_ARRAY_SIZE(known_gfx11));
	check_known(row(12), known_gfx12, BW_ARRAY_SIZE(known_gfx12));
}

/* The bits of a row in a version of the database; COND_DBG_* are not in all, EXCP is not divided.
 */
static void check_version(const struct bw_arch *a, const struct bw_regs_block *b)
{
	for (size_t i = 0; i < a->n_flags; i++) {
		const struct bw_arch_flag *f = &a->flags[i];
		struct bw_reg reg;
		bool inside = false;
		assert_int_not_equal(bw_regs_at_index(b, "sq", a->reg[f->reg].ind, &reg), 0);
		for (unsigned n = 0; n < reg.n_fields; n++) {
			struct bw_reg_field d = bw_reg_field(&reg, n);
			inside |= f->bits.lo >= d.lo && f->bits.lo + f->bits.width - 1 <= d.hi;
		}
		if (!inside)
			fail_msg("%s: %s.%s is not a field of version %#x", a->name, reg.name,
				 f->name, bw_regs_version(b));
	}
	for (unsigned r = 0; r < BW_WREG_COUNT; r++) {
		struct bw_reg reg;
		bool is_ttmp2 = r == BW_WREG_TTMP0 + 2; /* gfx11's headers leave it out */
		if (a->reg[r].ind && !is_ttmp2 && !bw_regs_at_index(b, "sq", a->reg[r].ind, &reg))
			fail_msg("%s: nothing has index %#x in version %#x", a->name, a->reg[r].ind,
				 bw_regs_version(b));
	}
}

static void test_every_version_agrees(void **state)
{
	const struct bw_regs_block *b;
	unsigned n = 0;
	for (size_t i = 0; (b = bw_regs_nth(i)); i++) {
		const struct bw_arch *a = bw_arch_of(bw_regs_version(b));
		if (!a || strcmp(bw_regs_block_name(b), "gc") != 0)
			continue;
		check_version(a, b);
		n++;
	}
	assert_int_equal(n, 8); /* 9.0.0, 9.4.3, 10.1.0, 10.3.0, 11.0.0, 11.0.3, 11.5.0, 12.0.0 */
}

static void test_get_and_set(void **state)
{
	const struct bw_arch *a;
	for (size_t i = 0; (a = bw_arch_nth(i)); i++) {
		for (unsigned n = 0; n < BW_WF_COUNT; n++) {
			enum bw_wave_field f = (enum bw_wave_field)n;
			uint32_t mask = bw_arch_mask(a, f);
			unsigned width = (unsigned)__builtin_popcount(mask);
			uint32_t all = (uint32_t)((1ull << width) - 1);
			assert_int_equal(bw_arch_set(a, f, 0, ~0u), mask);
			assert_int_equal(bw_arch_set(a, f, ~0u, 0), ~mask);
			assert_int_equal(bw_arch_get(a, f, ~0u), all);
			uint32_t value = 0xa5a5a5a5 & all;
			assert_int_equal(bw_arch_get(a, f, bw_arch_set(a, f, 0, value)), value);
		}
	}
	/* in two pieces: watch 0, and 1 to 3 */
	assert_int_equal(bw_arch_get(row(11), BW_WF_WATCH_HITS, 0x80), 1);
	assert_int_equal(bw_arch_get(row(11), BW_WF_WATCH_HITS, 0x1000), 2);
	assert_int_equal(bw_arch_get(row(11), BW_WF_WATCH_HITS, 0x4000), 8);
	struct bw_wave_state s = {.arch = row(12)};
	bw_wave_set(&s, BW_WF_SCC, 1);
	bw_wave_set(&s, BW_WF_IN_BARRIER, 1); /* gfx12 has no such field */
	assert_int_equal(s.reg[BW_WREG_STATE_PRIV], 0x200);
	assert_int_equal(bw_wave_get(&s, BW_WF_SCC), 1);
	assert_int_equal(bw_wave_get(&s, BW_WF_IN_BARRIER), 0);

	struct bw_wave_state nine = {.arch = row(9)}, ten = {.arch = row(10)};
	assert_int_equal(bw_wave_lanes(&nine), 64);
	assert_int_equal(bw_wave_lanes(&ten), 32);
	ten.reg[BW_WREG_IB_STS2] = 1u << 11;
	assert_int_equal(bw_wave_lanes(&ten), 64);
}

/* Two meanings share no bit of a register. */
static void test_fields_do_not_overlap(void **state)
{
	const struct bw_arch *a;
	for (size_t i = 0; (a = bw_arch_nth(i)); i++) {
		uint32_t used[BW_WREG_COUNT] = {0};
		for (unsigned n = 0; n < BW_WF_COUNT; n++) {
			enum bw_wave_field f = (enum bw_wave_field)n;
			uint32_t *reg = &used[bw_arch_reg_of(a, f)];
			if (*reg & bw_arch_mask(a, f))
				fail_msg("%s: field %u shares bits", a->name, n);
			*reg |= bw_arch_mask(a, f);
		}
	}
}

/* gfx_v9_0_read_wave_data() to gfx_v12_0_read_wave_data() of Linux 6.12. */
static void test_wave_dump(void **state)
{
	static const uint16_t v9[] = {0x12, 0x18, 0x19, 0x27e, 0x27f, 0x14,  0x1a, 0x1b,
				      0x15, 0x16, 0x13, 0x17,  0x1c,  0x27c, 0x11};
	static const uint16_t v10[] = {0x102, 0x108, 0x109, 0x27e, 0x27f, 0x117, 0x118, 0x10a,
				       0x105, 0x106, 0x103, 0x107, 0x11c, 0x10d, 0x27c, 0x101};
	static const uint16_t v11[] = {0x102, 0x108, 0x109, 0x27e, 0x27f, 0x117, 0x118, 0x105,
				       0x106, 0x103, 0x107, 0x11c, 0x10d, 0x27d, 0x101};
	static const uint16_t v12[] = {0x102, 0x140, 0x141, 0x27e, 0x27f, 0x117, 0x118, 0x105,
				       0x106, 0x107, 0x11c, 0x10d, 0x27d, 0x101, 0x104, 0x111,
				       0x112, 0x113, 0x00a, 0x00b, 0x11f, 0x120, 0x11a};
	assert_int_equal(row(9)->gprwave_type, 1);
	assert_int_equal(row(9)->n_gprwave, BW_ARRAY_SIZE(v9));
	for (size_t i = 0; i < BW_ARRAY_SIZE(v9); i++)
		assert_int_equal(row(9)->reg[row(9)->gprwave[i]].ind, v9[i]);
	assert_int_equal(cdna3()->gprwave_type, 1);
	assert_int_equal(cdna3()->n_gprwave, BW_ARRAY_SIZE(v9));
	for (size_t i = 0; i < BW_ARRAY_SIZE(v9); i++)
		assert_int_equal(cdna3()->reg[cdna3()->gprwave[i]].ind, v9[i]);
	assert_int_equal(row(10)->gprwave_type, 2);
	assert_int_equal(row(10)->n_gprwave, BW_ARRAY_SIZE(v10));
	for (size_t i = 0; i < BW_ARRAY_SIZE(v10); i++)
		assert_int_equal(row(10)->reg[row(10)->gprwave[i]].ind, v10[i]);
	assert_int_equal(rdna1()->gprwave_type, 2);
	assert_int_equal(rdna1()->n_gprwave, BW_ARRAY_SIZE(v10));
	for (size_t i = 0; i < BW_ARRAY_SIZE(v10); i++)
		assert_int_equal(rdna1()->reg[rdna1()->gprwave[i]].ind, v10[i]);
	assert_int_equal(row(11)->gprwave_type, 3);
	assert_int_equal(row(11)->n_gprwave, BW_ARRAY_SIZE(v11));
	for (size_t i = 0; i < BW_ARRAY_SIZE(v11); i++)
		assert_int_equal(row(11)->reg[row(11)->gprwave[i]].ind, v11[i]);
	assert_int_equal(row(12)->gprwave_type, 4);
	assert_int_equal(row(12)->n_gprwave, BW_ARRAY_SIZE(v12));
	for (size_t i = 0; i < BW_ARRAY_SIZE(v12); i++)
		assert_int_equal(row(12)->reg[row(12)->gprwave[i]].ind, v12[i]);
}

/* As wave_read_ind(), wave_read_regs() and gfx_v11_0_ring_soft_recovery() of Linux 6.12 put them.
 */
static void test_commands(void **state)
{
	const struct bw_arch *a;
	for (size_t i = 0; (a = bw_arch_nth(i)); i++) {
		bool is_gfx9 = a == row(9) ||
			       a == cdna3(); /* THREAD_ID at 6, AUTO_INCR at 12, no ACTIVE */
		assert_int_equal(bw_arch_ind(a, BW_WREG_STATUS, 3),
				 (is_gfx9 ? 0x12 : 0x102) << 16 | 3);
		if (is_gfx9 || a == rdna1())
			assert_int_equal(a->reg[BW_WREG_ACTIVE].ind, 0);
		else
			assert_int_equal(bw_arch_ind(a, BW_WREG_ACTIVE, 0), 0xa << 16);
		assert_int_equal(bw_arch_ind_run(a, a->ind.vgprs + 5u, 2, 63),
				 is_gfx9 ? 0x405 << 16 | 1 << 12 | 63 << 6 | 2
					 : 0x405 << 16 | 1 << 11 | 63 << 5 | 2);
		assert_int_equal(a->ind.sgprs + 108u, a->reg[BW_WREG_TTMP0].ind);
		assert_int_equal(bw_arch_sq_cmd_all(a, BW_SQ_CMD_KILL, 9, 0),
				 3 | 1 << 4 | 1 << 7 | 9u << 28);
		assert_int_equal(bw_arch_sq_cmd_all(a, BW_SQ_CMD_SETHALT, UINT32_MAX, 1),
				 1 | 1 << 4 | 1 << 8);
	}
	assert_int_equal(bw_arch_ind(row(11), BW_WREG_PC_HI, 1), 0x109 << 16 | 1);
	assert_int_equal(bw_arch_ind(row(12), BW_WREG_PC_HI, 1), 0x141 << 16 | 1);
	assert_int_equal(bw_arch_instance(3, 2), 14);
}

static void test_dispatch_registers(void **state)
{
	const struct bw_arch *a = row(11);
	/* EXCP_EN 30:24 and EXCP_EN_MSB 14:13: address watch, memory violation */
	assert_int_equal(bw_arch_rsrc2_exceptions(a, 0x41u << 24), 0x41);
	assert_int_equal(bw_arch_rsrc2_exceptions(a, 1u << 13), BW_EXCP_ADDR_WATCH);
	/* LLVM's AMDGPUUsage: VGPRs in granules of 8 (wave32) and 4 (wave64), one less; LDS in 128
	 * dwords, scratch of a wave in 64 */
	struct bw_arch_resources r =
		bw_arch_resources(a, 32, 0xffc0 | 2, 3 << 15 | 14 << 1 | 1, 5 << 12 | 0xfff);
	assert_int_equal(r.vgprs, 24);
	assert_int_equal(r.lds_b, 3 * 512);
	assert_int_equal(r.user_sgprs, 14);
	assert_int_equal(r.scratch_b, 5 * 256);
	r = bw_arch_resources(a, 64, 2, 0, 5 << 12);
	assert_int_equal(r.vgprs, 12);
	assert_int_equal(bw_arch_lanes(a, 1u << 15), 32); /* S_00B800_CS_W32_EN of Mesa */
	assert_int_equal(bw_arch_lanes(a, ~(1u << 15)), 64);
	assert_int_equal(r.scratch_b, 0);
	/* gfx942: VGPRs in granules of 8, AccVGPRs among them; scratch of a wave in 256 dwords */
	r = bw_arch_resources(cdna3(), 64, 2, 1, 5 << 12);
	assert_int_equal(r.vgprs, 24);
	assert_int_equal(r.scratch_b, 5 * 1024);
	assert_int_equal(bw_arch_lanes(cdna3(), ~0u), 64);
}

static void test_accumulators(void **state)
{
	struct bw_wave_state s = {.arch = cdna3()}, eleven = {.arch = row(11)};
	s.reg[BW_WREG_GPR_ALLOC] = (16 / 8 - 1) << 6 | (12 / 4 - 1) << 12;
	assert_int_equal(bw_wave_accum_offset(&s), 12);
	assert_int_equal(bw_wave_accum_offset(&eleven), UINT32_MAX);
}

/* ---- Words, as LLVM assembles them ---- */

static const enum bw_wave_field getregs[] = {BW_WF_SCC,	      BW_WF_NO_VGPRS,
					     BW_WF_IS_WAVE64, BW_WF_ALU_EXCEPTIONS,
					     BW_WF_VGPR_SIZE, BW_WF_STEP_EN};

static void check_words(const struct bw_arch *a, const unsigned char *bytes, size_t size_b)
{
	uint32_t word[16];
	size_t at = 0;
	assert_true(size_b <= sizeof(word));
	memcpy(word, bytes, size_b);
	assert_int_equal(word[at++], bw_arch_s_trap(a, 15));
	assert_int_equal(word[at++], a->s_code_end);
	assert_int_equal(word[at++], a->wait_all);
	/* the message of s_sendmsg_rtn is its source operand */
	if (a->msg_rtn_get_doorbell)
		assert_int_equal(word[at++] & 0xff, a->msg_rtn_get_doorbell);
	for (size_t i = 0; i < BW_ARRAY_SIZE(getregs); i++)
		if (bw_arch_has(a, getregs[i]))
			assert_int_equal(word[at++] & 0xffff, bw_arch_hwreg_simm16(a, getregs[i]));
	assert_int_equal(at, size_b / 4);
}

static void test_words(void **state)
{
	check_words(row(11), words_gfx11, words_gfx11_size);
	check_words(row(12), words_gfx12, words_gfx12_size);
	check_words(cdna3(), words_gfx942, words_gfx942_size);
}

/* The compiled kernel of groups.cl reads its workgroup from TTMPs. */
static void test_workgroup_as_compiled(void **state)
{
	const struct bw_arch *a = row(12);
	const struct bw_arch_place *x = &a->at[BW_WF_WORKGROUP_X], *y = &a->at[BW_WF_WORKGROUP_Y],
				   *z = &a->at[BW_WF_WORKGROUP_Z];
	char text[65536], whole[32], low[32], high[32];
	snprintf(text, sizeof(text), "%s/tests/arch/groups_gfx12.s", getenv("BREAKWATER_BUILD"));
	FILE *file = fopen(text, "r");
	assert_non_null(file);
	size_t n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = 0;
	snprintf(whole, sizeof(whole), ", ttmp%u ", x->reg - BW_WREG_TTMP0);
	snprintf(low, sizeof(low), ", ttmp%u, 0x%x\n", y->reg - BW_WREG_TTMP0,
		 bw_arch_mask(a, BW_WF_WORKGROUP_Y));
	snprintf(high, sizeof(high), ", ttmp%u, %u\n", z->reg - BW_WREG_TTMP0, z->bits.lo);
	assert_non_null(strstr(text, whole));
	assert_non_null(strstr(text, low));
	assert_non_null(strstr(text, high));
}

/* ---- Text ---- */

static void test_text(void **state)
{
	char text[64];
	bw_arch_flags_text(row(11), BW_WREG_STATUS, 1u | 1u << 6 | 2u << 3, text, sizeof(text));
	assert_string_equal(text, "SCC USER_PRIO=2 TRAP_EN");
	bw_arch_flags_text(row(11), BW_WREG_MODE, 0xf0, text, sizeof(text));
	assert_string_equal(text, "FP_DENORM=15");
	bw_arch_flags_text(row(11), BW_WREG_TRAPSTS, 1u << 8 | 1u << 28, text, sizeof(text));
	assert_string_equal(text, "MEM_VIOL XNACK_ERROR");
	bw_arch_flags_text(row(12), BW_WREG_STATE_PRIV, 1u << 9 | 1u << 14, text, sizeof(text));
	assert_string_equal(text, "SCC HALT");
	bw_arch_flags_text(row(12), BW_WREG_EXCP_FLAG_PRIV, 0x17, text, sizeof(text));
	assert_string_equal(text, "ADDR_WATCH=7 MEMVIOL");
	bw_arch_flags_text(row(12), BW_WREG_EXCP_FLAG_PRIV, 0x17, text, 12);
	assert_string_equal(text, "ADDR_WATCH=");
	assert_int_equal(bw_arch_reg_by_name(row(11), "trapsts"), BW_WREG_TRAPSTS);
	assert_int_equal(bw_arch_reg_by_name(row(12), "trapsts"), BW_WREG_NONE);
	assert_int_equal(bw_arch_reg_by_name(row(12), "trap_ctrl"), BW_WREG_TRAP_CTRL);
	assert_int_equal(bw_arch_hwreg(row(11), BW_WREG_IB_STS2), 28);
	assert_int_equal(bw_arch_hwreg(row(11), BW_WREG_EXEC_LO), -1);
}

TESTS(test_versions, test_fields_are_where_the_kernel_has_them, test_every_version_agrees,
      test_get_and_set, test_fields_do_not_overlap, test_wave_dump, test_commands,
      test_dispatch_registers, test_accumulators, test_words, test_workgroup_as_compiled,
      test_text);
