/* SPDX-License-Identifier: MIT */

/* What waves of gfx942 have between instructions: traps, messages, indexed VGPRs of instructions
 * that cannot have them (ctrl9.c, indexed.c). Words are those of llvm-mc-19 for gfx942. */

#include <string.h>

#include "../../suite.h"
#include "harness.h"

enum {
	S_ENDPGM = 0xbf810000,
	S_NOP = 0xbf800000,
	S_TRAP_2 = 0xbf920002,
	S_ADD_TTMP0_4 = 0x806c846c,  /* s_add_u32 ttmp0, ttmp0, 4 */
	S_MOV_S5_TTMP1 = 0xbe85006d, /* s_mov_b32 s5, ttmp1 */
	S_GETREG_S6 = 0xb886f802,    /* s_getreg_b32 s6, hwreg(HW_REG_STATUS) */
	S_RFE_TTMP0 = 0xbe801f6c,    /* s_rfe_b64 ttmp[0:1] */
	S_SENDMSG_INTERRUPT = 0xbf900001,
	S_SENDMSG_SAVEWAVE = 0xbf900004,
	S_SENDMSG_DEALLOC = 0xbf900003,	  /* of gfx11; nothing here */
	S_SET_GPR_IDX_ON_S4 = 0xbf110104, /* s_set_gpr_idx_on s4, gpr_idx(SRC0) */
	V_READFIRSTLANE_S5 = 0x7e0a0502,  /* v_readfirstlane_b32 s5, v2 */
	V_MOV_V0_1 = 0x7e000281,
	V_MOV_V0_VCCZ = 0x7e0002fb,
	S_MOV_S5_EXECZ = 0xbe8500fc,
	S_ADD_S6_VCCZ_S6 = 0x800606fb,	  /* s_add_u32 s6, src_vccz, s6 */
	S_MOV_S8_S9_VCCZ = 0xbe8801fb,	  /* s_mov_b64 s[8:9], src_vccz */
	S_CSELECT_S5_VCCZ_0 = 0x850580fb, /* s_cselect_b32 s5, src_vccz, 0 */
	S_MOV_VCC_0 = 0xbeea0180,	  /* s_mov_b64 vcc, 0 */
	S_MOV_VCC_HI_1 = 0xbeeb0081,
	S_MOV_EXEC_0 = 0xbefe0180,
	S_CMP_EQ_0_0 = 0xbf068080, /* SCC = 1 */
};

static int setup(void **state)
{
	*state = harness_create_gen(BW_ISA_GFX942, 64);
	return 0;
}

static int teardown(void **state)
{
	harness_destroy(*state);
	return 0;
}

#define RUN(h, ...)                                                                                \
	harness_run(h, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void trap_and_return(void **state)
{
	static const uint32_t handler[] = {S_MOV_S5_TTMP1, S_GETREG_S6, S_ADD_TTMP0_4, S_RFE_TTMP0};
	struct harness *h = *state;
	harness_code(h, HARNESS_HANDLER, handler, sizeof(handler) / sizeof(handler[0]));
	h->tba_on = true;
	h->w->status |= BW_STATUS_TRAP_EN;
	assert_int_equal(RUN(h, S_NOP, S_TRAP_2, V_MOV_V0_1, S_ENDPGM), BW_RUN_ENDED);
	/* The id is in 23:16, under it the PC of s_trap. */
	assert_int_equal(h->w->s[5], 2 << 16 | (HARNESS_BASE + 4) >> 32);
	assert_true(h->w->s[6] & BW_STATUS_PRIV);
	assert_false(h->w->status & BW_STATUS_PRIV);
	assert_int_equal(harness_v(h, 0)[0], 1);
}

static void messages(void **state)
{
	struct harness *h = *state;
	h->w->s[BW_SRC_M0] = 7;
	assert_int_equal(RUN(h, S_SENDMSG_INTERRUPT, S_SENDMSG_DEALLOC, V_MOV_V0_1, S_ENDPGM),
			 BW_RUN_ENDED);
	assert_int_equal(h->n_interrupts, 1);
	assert_int_equal(h->interrupt_m0, 7);
	assert_int_equal(harness_v(h, 0)[63], 1); /* it has its VGPRs */
	/* Nobody saves: the place is 0. */
	harness_reset(h);
	assert_int_equal(RUN(h, S_SENDMSG_SAVEWAVE, S_ENDPGM), BW_RUN_ENDED);
	assert_int_equal(h->w->s[BW_SRC_EXEC_LO] | h->w->s[BW_SRC_EXEC_HI], 0);
}

static void indexed_refusal(void **state)
{
	struct harness *h = *state;
	assert_int_equal(RUN(h, S_SET_GPR_IDX_ON_S4, V_READFIRSTLANE_S5, S_ENDPGM), BW_RUN_FATAL);
	assert_int_equal(h->n_absent, 1);
	assert_string_equal(h->absent_name,
			    "v_readfirstlane_b32 (gfx9: indexed VGPRs of this instruction)");
	assert_int_equal(h->absent_pc, HARNESS_BASE + HARNESS_CODE + 4);
}

/* VCCZ and EXECZ as operands: ISA manual of CDNA3, 3.4 and the table of scalar operands. */
static void zero_bits(void **state)
{
	struct harness *h = *state;
	h->w->s[6] = UINT32_MAX;
	h->w->s[9] = 7;
	assert_int_equal(RUN(h, S_MOV_VCC_0, S_CMP_EQ_0_0, V_MOV_V0_VCCZ, S_MOV_S5_EXECZ,
			     S_MOV_S8_S9_VCCZ, S_ENDPGM),
			 BW_RUN_ENDED);
	assert_int_equal(harness_v(h, 0)[63], 1);
	assert_int_equal(h->w->s[5], 0);
	assert_int_equal(h->w->s[8], 1);
	assert_int_equal(h->w->s[9], 0);
	assert_int_equal(h->w->scc, 1); /* as it was */

	harness_reset(h);
	h->w->s[6] = UINT32_MAX;
	assert_int_equal(RUN(h, S_MOV_VCC_0, S_ADD_S6_VCCZ_S6, S_MOV_VCC_HI_1, V_MOV_V0_VCCZ,
			     S_MOV_EXEC_0, S_MOV_S5_EXECZ, S_ENDPGM),
			 BW_RUN_ENDED);
	assert_int_equal(h->w->s[6], 0);
	assert_int_equal(h->w->scc, 1); /* the carry */
	assert_int_equal(harness_v(h, 0)[63], 0);
	assert_int_equal(h->w->s[5], 1);

	/* One that looks at SCC as well */
	harness_reset(h);
	assert_int_equal(RUN(h, S_CSELECT_S5_VCCZ_0, S_ENDPGM), BW_RUN_FATAL);
}

TESTS_EACH(setup, teardown, trap_and_return, messages, indexed_refusal, zero_bits);
