// SPDX-License-Identifier: MIT
#include "fake_session.h"
#include "debug/registers.h"
#include "debug/stop.h"

#include <string.h>

#include "arch/arch.h"
#include "base/util.h"

static void test_names(void **state)
{
	static const struct {
		const char *text;
		struct bw_wave_reg r;
	} good[] = {
		{"pc", {BW_REG_SPECIAL, BW_REG_PC, 1}},
		{"$exec", {BW_REG_SPECIAL, BW_REG_EXEC, 1}},
		{"s0", {BW_REG_SGPR, 0, 1}},
		{"s105", {BW_REG_SGPR, 105, 1}},
		{"v255", {BW_REG_VGPR, 255, 1}},
		{"s[2:3]", {BW_REG_SGPR, 2, 2}},
		{"$v[4:7]", {BW_REG_VGPR, 4, 4}},
		{"ttmp11", {BW_REG_TTMP, 11, 1}},
		{"scc", {BW_REG_SPECIAL, BW_REG_SCC, 1}},
		{"vcc_lo", {BW_REG_SPECIAL, BW_REG_VCC_LO, 1}},
		{"s[7]", {BW_REG_SGPR, 7, 1}},
		{"trapsts", {BW_REG_STATE, BW_WREG_TRAPSTS, 1}},
		{"$hw_id1", {BW_REG_STATE, BW_WREG_HW_ID1, 1}},
	};
	static const char *const bad[] = {
		"",	   "$",	    "s",	  "s106",  "v256",     "s[3:2]",
		"s[2:",	   "s[2:3", "s[100:106]", "v1x",   "ttmp16",   "s99999999999",
		"s[1:2]x", "pcc",   "s-1",	  "s[:3]", "trap_ctrl"};
	const struct bw_arch *gfx11 = bw_arch_nth(0);
	for (size_t i = 0; i < BW_ARRAY_SIZE(good); i++) {
		struct bw_wave_reg r;
		char name[24];
		assert_true(bw_wave_reg_parse(gfx11, good[i].text, &r));
		assert_int_equal(r.cls, good[i].r.cls);
		assert_int_equal(r.index, good[i].r.index);
		assert_int_equal(r.count, good[i].r.count);
		bw_wave_reg_name(gfx11, r, name);
		if (good[i].text[0] != '$' && strcmp(good[i].text, "s[7]") != 0)
			assert_string_equal(name, good[i].text);
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(bad); i++) {
		struct bw_wave_reg r;
		assert_false(bw_wave_reg_parse(gfx11, bad[i], &r));
	}
}

static void test_access(void **state)
{
	static const uint32_t code[] = {0xbf900003, 0xbfb00000};
	struct fake_session s;
	struct bw_stop stop;
	uint64_t v;
	uint32_t lanes[64];
	fake_session_create(&s, code, 2);
	fake_session_start(&s, 1);
	struct fake_wave *w = &s.fake->wave[0];
	w->hw.lanes = 64;
	w->hw.exec = 0xffffffff00000001;
	w->hw.flat_scratch = 0x123456789abc;
	OK(bw_debug_wait(s.debug, 10, &stop));
	const struct bw_wave_info *i = bw_debug_wave(s.debug, 1);
	assert_int_equal(
		bw_wave_reg_size_dw((struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_EXEC, 1}, i), 2);
	OK(bw_debug_reg_read(s.debug, 1, (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_EXEC, 1}, &v));
	assert_true(v == 0xffffffff00000001);
	OK(bw_debug_reg_read(s.debug, 1, (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_EXEC_HI, 1},
			     &v));
	assert_true(v == 0xffffffff);
	OK(bw_debug_reg_read(s.debug, 1,
			     (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_FLAT_SCRATCH, 1}, &v));
	assert_true(v == 0x123456789abc);
	OK(bw_debug_reg_write(s.debug, 1, (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_EXEC_HI, 1},
			      7));
	assert_true(w->hw.exec == 0x700000001);
	OK(bw_debug_reg_write(s.debug, 1, (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_VCC, 1},
			      0x1122334455667788));
	assert_int_equal(w->s[106], 0x55667788);
	assert_int_equal(w->s[107], 0x11223344);
	OK(bw_debug_vgpr_write(s.debug, 1, 3, 63, 5));
	OK(bw_debug_vgpr_read(s.debug, 1, 3, lanes));
	assert_int_equal(lanes[63], 5);
	fake_fails(bw_debug_vgpr_read(s.debug, 1, FAKE_VGPRS, lanes), BW_E_NOT_FOUND, "no v16");
	fake_fails(bw_debug_vgpr_write(s.debug, 1, 3, 64, 5), BW_E_NOT_FOUND,
		   "Invalid lane ID: 64");
	fake_fails(bw_debug_reg_write(s.debug, 1,
				      (struct bw_wave_reg){BW_REG_STATE, BW_WREG_HW_ID1, 1}, 0),
		   BW_E_UNSUPPORTED, "hw_id1");
	fake_fails(bw_debug_reg_read(s.debug, 7, (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_PC, 1},
				     &v),
		   BW_E_NOT_FOUND, "Wave 7");
	fake_fails(bw_debug_set_lane(s.debug, 64), BW_E_NOT_FOUND,
		   "Invalid lane ID: 64 (the wave has lanes 0 to 63)");
	/* a wave that has given its VGPRs back */
	w->hw.n_vgprs = 0;
	w->hw.seq++;
	OK(bw_debug_stepi(s.debug, 1, false, &stop));
	fake_session_end(&s);
}

/* The core knows of a generation what its row says: a wave of gfx12, which has SCC, the reasons of
 * a stop and the enables in other registers. */
static void test_gfx12(void **state)
{
	static const uint32_t code[] = {0xbf900003, 0xbfb00000};
	struct fake_session s;
	struct bw_stop stop;
	struct bw_wave_reg r;
	uint64_t v;
	fake_session_create(&s, code, 2);
	fake_session_start(&s, 1);
	s.fake->t.facts.arch = bw_arch_nth(1);
	assert_string_equal(s.fake->t.facts.arch->name, "gfx12");
	for (int i = 0; i < FAKE_WAVES; i++)
		s.fake->wave[i].hw.state.arch = s.fake->t.facts.arch;
	struct fake_wave *w = &s.fake->wave[0];
	uint32_t *hw = w->hw.state.reg;
	hw[BW_WREG_STATE_PRIV] = 1u << 2;
	OK(bw_debug_wait(s.debug, 10, &stop));
	assert_int_equal(hw[BW_WREG_TTMP1], 3u << 28); /* s_trap 3 */
	assert_int_equal(bw_debug_wave(s.debug, 1)->trap_id, 3);
	assert_int_equal(bw_debug_wave(s.debug, 1)->reasons, BW_REASON_DEBUG_TRAP);

	const struct bw_wave_reg scc = {BW_REG_SPECIAL, BW_REG_SCC, 1};
	OK(bw_debug_reg_write(s.debug, 1, scc, 1));
	assert_int_equal(hw[BW_WREG_STATE_PRIV], 1u << 9 | 1u << 2);
	OK(bw_debug_reg_read(s.debug, 1, scc, &v));
	assert_int_equal(v, 1);
	assert_false(bw_wave_reg_parse(bw_debug_arch(s.debug), "trapsts", &r));
	assert_true(bw_wave_reg_parse(bw_debug_arch(s.debug), "state_priv", &r));
	fake_fails(bw_debug_reg_write(s.debug, 1, r, 1u << 9), BW_E_UNSUPPORTED,
		   "state_priv cannot be written: 0x4 BARRIER_COMPLETE");
	/* a division by zero, which the user may not set where it traps */
	assert_true(bw_wave_reg_parse(bw_debug_arch(s.debug), "trap_ctrl", &r));
	OK(bw_debug_reg_write(s.debug, 1, r, 1u << 2));
	assert_true(bw_wave_reg_parse(bw_debug_arch(s.debug), "excp_flag_user", &r));
	fake_fails(bw_debug_reg_write(s.debug, 1, r, 1u << 2), BW_E_STATE,
		   "ALU_FLOAT_DIV0 of excp_flag_user cannot be set");
	OK(bw_debug_reg_write(s.debug, 1, r, 1u << 3));
	assert_int_equal(hw[BW_WREG_EXCP_FLAG_USER], 1u << 3);
	fake_session_end(&s);
}

TESTS(test_names, test_access, test_gfx12);
