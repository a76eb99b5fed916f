/* SPDX-License-Identifier: MIT */
#include "trap/trap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/ip_version.h"

static const struct bw_arch *gfx11(void)
{
	return bw_arch_nth(0);
}

static const struct bw_arch *gfx942(void)
{
	return bw_arch_of(BW_IP_VERSION(9, 4, 3));
}

/* HW_ID1 by its fields, as the register reference lays them out. */
static uint32_t hw_id1(unsigned se, unsigned sa, unsigned wgp, unsigned simd, unsigned wave)
{
	return se << 18 | sa << 16 | wgp << 10 | simd << 8 | wave;
}

static void every_wave_has_a_slot_of_its_own(void **state)
{
	struct bw_trap_control c;
	bw_trap_control_init(&c, gfx11(), 6, 2, 4, 16);
	assert_int_equal(c.n_slots, 3072);
	bool *used = calloc(c.n_slots, sizeof(*used));
	for (unsigned se = 0; se < 6; se++)
		for (unsigned sa = 0; sa < 2; sa++)
			for (unsigned wgp = 0; wgp < 4; wgp++)
				for (unsigned simd = 0; simd < 4; simd++)
					for (unsigned wave = 0; wave < 16; wave++) {
						int slot = bw_trap_slot_index(
							gfx11(), &c,
							hw_id1(se, sa, wgp, simd, wave));
						assert_in_range(slot, 0, 3071);
						assert_false(used[slot]);
						used[slot] = true;
					}
	free(used);
	assert_int_equal(bw_trap_slot_index(gfx11(), &c, hw_id1(6, 0, 0, 0, 0)), -1);
	assert_int_equal(bw_trap_slot_index(gfx11(), &c, hw_id1(0, 0, 4, 0, 0)), -1);
	assert_int_equal(bw_trap_slot_index(gfx11(), &c, hw_id1(0, 0, 0, 0, 16)), -1);
}

/* HW_ID: SE 15:13, SH 12, CU 11:8, SIMD 5:4, WAVE 3:0 (gc-9.4.3.txt). */
static void so_has_every_wave_of_an_xcc(void **state)
{
	const struct bw_arch *a = gfx942();
	struct bw_trap_control c;
	bw_trap_control_init(&c, a, 4, 1, 10, 8);
	assert_int_equal(c.n_slots, 1280);
	int next = 0;
	for (uint32_t se = 0; se < 4; se++)
		for (uint32_t cu = 0; cu < 10; cu++)
			for (uint32_t simd = 0; simd < 4; simd++)
				for (uint32_t wave = 0; wave < 8; wave++)
					assert_int_equal(
						bw_trap_slot_index(a, &c,
								   se << 13 | cu << 8 | simd << 4 |
									   wave | 0xfu << 20),
						next++);
	assert_int_equal(bw_trap_slot_index(a, &c, 8), -1);
	assert_int_equal(bw_trap_slot_index(a, &c, 10 << 8), -1);
	assert_int_equal(bw_trap_slot_index(a, &c, 1 << 12), -1);
}

static void check_areas(const struct bw_arch *arch, uint64_t vgprs_b)
{
	struct bw_trap_control c;
	bw_trap_control_init(&c, arch, 6, 2, 4, 16);
	uint64_t slots_end = c.slots_offset_b + (uint64_t)c.n_slots * BW_TRAP_SLOT_STRIDE;
	assert_true(c.slots_offset_b >= sizeof(c));
	assert_true((uint64_t)c.vgprs_offset_4k * 4096 >= slots_end);
	assert_int_equal((uint64_t)c.vgprs_offset_4k * 4096 + c.n_slots * vgprs_b,
			 bw_trap_area_size(arch, c.n_slots));
	assert_int_equal(bw_trap_vgpr_stride(arch), vgprs_b);
}

static void slots_and_vgpr_areas_do_not_overlap(void **state)
{
	check_areas(gfx11(), 256 * 64 * 4);
	check_areas(gfx942(), 512 * 64 * 4);
}

/* A small area by hand: two waves of a SIMD. */
enum { AREA_B = BW_TRAP_C_SIZE + 64 * BW_TRAP_SLOT_STRIDE };

static struct bw_trap_slot *small_area(char **out_area)
{
	*out_area = calloc(1, AREA_B);
	struct bw_trap_control c;
	bw_trap_control_init(&c, gfx11(), 1, 1, 1, 16);
	c.enables = bw_trap_enables(gfx11(), BW_EXCP_ALU);
	assert_int_equal(c.enables, 0x7f << 12 | 1 << 11);
	memcpy(*out_area, &c, sizeof(c));
	return (struct bw_trap_slot *)(*out_area + c.slots_offset_b);
}

static void released_waves_lose_what_the_debugger_set(void **state)
{
	char *area;
	struct bw_trap_slot *s = small_area(&area);
	uint32_t flags;
	bw_trap_detach(area);
	memcpy(&flags, area + BW_TRAP_C_FLAGS, 4);
	assert_int_equal(flags, BW_TRAP_F_DETACHED);

	s[3].state = BW_TRAP_STATE_STOPPED;
	s[3].seq = 0x01000005; /* a command carries 24 bits of it */
	s[3].arg0 = BW_TRAP_RESUME_KEEP_ICACHE;
	s[3].hw[BW_TRAP_HW_MODE] = 0x000018f0 | 1u << 23;
	s[4].seq = 9;
	assert_int_equal(bw_trap_release(area, AREA_B), 1);
	assert_int_equal(s[3].command, BW_TRAP_CMD_RESUME | 5 << 8);
	assert_int_equal(s[3].arg0, 0);
	assert_int_equal(s[3].hw[BW_TRAP_HW_MODE], 0xf0 | 1u << 23);
	assert_int_equal(s[4].command, 0);
	free(area);
}

static void a_command_under_way_is_left_alone_but_not_a_stale_one(void **state)
{
	char *area;
	struct bw_trap_slot *s = small_area(&area);
	for (int i = 0; i < 3; i++) {
		s[i].state = BW_TRAP_STATE_STOPPED;
		s[i].seq = 7;
	}
	s[0].command = BW_TRAP_CMD_LDS_READ | 7 << 8;
	s[1].command = BW_TRAP_CMD_RESUME | 7 << 8;
	s[1].arg0 = BW_TRAP_RESUME_KEEP_ICACHE;
	s[2].command = BW_TRAP_CMD_RESUME | 6 << 8;
	assert_int_equal(bw_trap_release(area, AREA_B), 3);
	assert_int_equal(s[0].command, BW_TRAP_CMD_LDS_READ | 7 << 8);
	assert_int_equal(s[1].arg0, BW_TRAP_RESUME_KEEP_ICACHE);
	assert_int_equal(s[2].command, BW_TRAP_CMD_RESUME | 7 << 8);
	free(area);
}

static void waves_of_a_dead_program_end(void **state)
{
	char *area;
	uint32_t flags;
	struct bw_trap_slot *s = small_area(&area);
	s[2].state = BW_TRAP_STATE_STOPPED;
	s[2].seq = 3;
	bw_trap_abandon(area, AREA_B);
	memcpy(&flags, area + BW_TRAP_C_FLAGS, 4);
	assert_int_equal(flags, BW_TRAP_F_DETACHED | BW_TRAP_F_ABANDONED);
	assert_int_equal(s[2].command, BW_TRAP_CMD_END | 3 << 8);
	free(area);
}

/* The area is the program's memory: it may say anything. */
static void an_area_that_lies_is_not_believed(void **state)
{
	char *area;
	struct bw_trap_slot *s = small_area(&area);
	struct bw_trap_control *c = (struct bw_trap_control *)area;
	s[0].state = s[63].state = BW_TRAP_STATE_STOPPED;
	c->n_slots = UINT32_MAX;
	assert_int_equal(bw_trap_release(area, AREA_B), 2);
	c->slots_offset_b = AREA_B + 4;
	assert_int_equal(bw_trap_release(area, AREA_B), 0);
	c->slots_offset_b = BW_TRAP_C_SIZE;
	c->enables_hw = BW_TRAP_HW_COUNT;
	assert_int_equal(bw_trap_release(area, AREA_B), 0);
	c->enables_hw = BW_TRAP_HW_MODE;
	c->magic = 0;
	assert_int_equal(bw_trap_release(area, AREA_B), 0);
	assert_int_equal(bw_trap_release(area, 100), 0);
	free(area);
}

static void check_padding(const struct bw_arch *arch, uint32_t padding, uint32_t last)
{
	size_t size = 0;
	const uint32_t *code = bw_trap_handler(arch, &size);
	assert_non_null(code);
	assert_int_equal(size % 4, 0);
	size_t n = size / 4, end = n;
	while (end > 0 && code[end - 1] == padding)
		end--;
	assert_true(n - end >= 64);
	assert_int_equal(code[end - 1], last);
}

static void the_handler_ends_in_padding(void **state)
{
	size_t size = 0;
	/* s_rfe_b64 ttmp[0:1], then s_code_end (encodings: doc/hardware/traps.md 2.2), on gfx942
	 * s_endpgm: LLVM 19 */
	check_padding(gfx11(), 0xbf9f0000, 0xbe804a6c);
	check_padding(gfx942(), 0xbf810000, 0xbe801f6c);
	assert_null(bw_trap_handler(bw_arch_nth(1), &size));
}

TESTS(every_wave_has_a_slot_of_its_own, so_has_every_wave_of_an_xcc,
      slots_and_vgpr_areas_do_not_overlap, released_waves_lose_what_the_debugger_set,
      a_command_under_way_is_left_alone_but_not_a_stale_one, waves_of_a_dead_program_end,
      an_area_that_lies_is_not_believed, the_handler_ends_in_padding);
