/* SPDX-License-Identifier: MIT */

/* What happens between instructions: traps, exceptions, single step, requests, waits (exec.c,
 * hwreg.c). Facts: doc/hardware/traps.md 1, 2, 5 and 7; doc/rules.md 259 to 313. */

#include <string.h>
#include <xmmintrin.h>

#include "../../suite.h"
#include "base/util.h"
#include "harness.h"
#include "isa/inst.h"

/* Instructions by their words (llvm-mc-19, gfx1100). */
enum {
	S_NOP = 0xbf800000,
	S_ENDPGM = 0xbfb00000,
	S_BARRIER = 0xbfbd0000,
	S_ICACHE_INV = 0xbfbc0000,
	S_CODE_END = 0xbf9f0000,
	S_WAKEUP = 0xbfb40000,
	S_TRAP_2 = 0xbf900002,
	S_TRAP_7F = 0xbf90007f,
	S_TRAP_0 = 0xbf900000,
	S_SLEEP_1 = 0xbf830001,
	S_SLEEP_0 = 0xbf830000,
	S_SETHALT_1 = 0xbf820001,
	S_SETHALT_0 = 0xbf820000,
	S_SETHALT_5 = 0xbf820005,
	S_SETKILL_1 = 0xbf810001,
	S_SENDMSG_INTERRUPT = 0xbfb60001,
	S_SENDMSG_DEALLOC = 0xbfb60003,
	S_SENDMSGHALT_INTERRUPT = 0xbfb70001,
	S_ENDPGM_SAVED = 0xbfb10000,
	S_ENDPGM_ORDERED = 0xbfb20000,
	S_RFE_TTMP0 = 0xbe804a6c,   /* s_rfe_b64 ttmp[0:1] */
	S_ADD_TTMP0_4 = 0x806c846c, /* s_add_u32 ttmp0, ttmp0, 4 */
	S_MOV_S0_1 = 0xbe800081,    /* s_mov_b32 s0, 1 */
	S_MOV_S1_1 = 0xbe810081,
	S_MOV_S0_2 = 0xbe800082,
	S_MOV_TTMP4_1 = 0xbef00081, /* s_mov_b32 ttmp4, 1 */
	V_MOV_V0_1 = 0x7e000281,    /* v_mov_b32 v0, 1 */
	S_BRANCH_SELF = 0xbfa0ffff,
};

static const uint64_t code = HARNESS_BASE + HARNESS_CODE, handler = HARNESS_BASE + HARNESS_HANDLER;

static int setup(void **state)
{
	*state = harness_create(32);
	return 0;
}

static int teardown(void **state)
{
	harness_destroy(*state);
	return 0;
}

#define RUN(h, ...)                                                                                \
	harness_run(h, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
#define HANDLER(h, ...)                                                                            \
	harness_code(h, HARNESS_HANDLER, (const uint32_t[]){__VA_ARGS__},                          \
		     sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* With a handler and STATUS.TRAP_EN. */
static void arm(struct harness *h)
{
	h->tba_on = true;
	h->w->status |= BW_STATUS_TRAP_EN;
}

static void ask(struct harness *h, enum bw_wave_request r)
{
	atomic_fetch_or(&h->w->request, (uint32_t)r);
}

static void assert_in_handler(const struct harness *h, uint64_t from, unsigned id, bool host)
{
	assert_true(h->w->status & BW_STATUS_PRIV);
	assert_int_equal(h->w->s[BW_SRC_TTMP0], (uint32_t)from);
	assert_int_equal(h->w->s[BW_SRC_TTMP0 + 1],
			 (from >> 32 & 0xffff) | id << 16 | (unsigned)host << 24);
}

static void s_trap_without_handler_is_skipped(void **state)
{
	struct harness *h = *state;
	assert_int_equal(RUN(h, S_TRAP_2, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 1);
	/* TRAP_EN of the wave alone is not enough, nor TBA's alone. */
	harness_reset(h);
	h->w->status |= BW_STATUS_TRAP_EN;
	assert_int_equal(RUN(h, S_TRAP_2, S_MOV_S0_1), BW_RUN_ENDED);
	harness_reset(h);
	h->tba_on = true;
	assert_int_equal(RUN(h, S_TRAP_2, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(h->w->trapsts, 0);
}

static void s_trap_enters_and_rfe_returns(void **state)
{
	struct harness *h = *state;
	arm(h);
	HANDLER(h, S_ENDPGM);
	assert_int_equal(RUN(h, S_NOP, S_TRAP_7F, S_MOV_S0_1), BW_RUN_ENDED);
	assert_in_handler(h, code + 4, 0x7f, false);
	assert_int_equal(h->w->pc, handler);

	harness_reset(h);
	arm(h);
	HANDLER(h, S_MOV_S1_1, S_ADD_TTMP0_4, S_RFE_TTMP0);
	assert_int_equal(RUN(h, S_NOP, S_TRAP_7F, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 1);
	assert_int_equal(h->w->s[1], 1);
	assert_false(h->w->status & BW_STATUS_PRIV);
	assert_int_equal(h->w->pc, code + 12);
	/* Trap 0 is no trap, and the handler cannot trap into itself. */
	harness_reset(h);
	arm(h);
	HANDLER(h, S_TRAP_2, S_MOV_S1_1, S_ADD_TTMP0_4, S_RFE_TTMP0);
	assert_int_equal(RUN(h, S_TRAP_0, S_TRAP_7F, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0] + h->w->s[1], 2);
}

static void ttmps_belong_to_the_handler(void **state)
{
	struct harness *h = *state;
	arm(h);
	h->w->s[112] = 77;
	assert_int_equal(RUN(h, S_MOV_TTMP4_1), BW_RUN_ENDED);
	assert_int_equal(h->w->s[112], 77);
	harness_reset(h);
	arm(h);
	HANDLER(h, S_MOV_TTMP4_1, S_ENDPGM);
	assert_int_equal(RUN(h, S_TRAP_2), BW_RUN_ENDED);
	assert_int_equal(h->w->s[112], 1);
}

static void illegal_instruction(void **state)
{
	struct harness *h = *state;
	assert_int_equal(RUN(h, S_NOP, S_CODE_END), BW_RUN_FATAL);
	assert_int_equal(h->w->trapsts, BW_TRAPSTS_ILLEGAL_INST);
	assert_int_equal(h->w->pc, code + 4);
	assert_int_equal(h->w->fault_pc, code + 4);
	assert_int_equal(h->w->status & (BW_STATUS_HALT | BW_STATUS_FATAL_HALT),
			 BW_STATUS_HALT | BW_STATUS_FATAL_HALT);
	assert_int_equal(h->n_absent, 1);
	assert_string_equal(h->absent_name, "s_code_end");
	assert_int_equal(h->absent_pc, code + 4);
	/* Reported once for a place, and a dead wave stays dead. */
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_HALTED);
	harness_reset(h);
	assert_int_equal(RUN(h, S_NOP, S_CODE_END), BW_RUN_FATAL);
	assert_int_equal(h->n_absent, 1);
	/* Words that are no instruction have no name. */
	harness_reset(h);
	assert_int_equal(RUN(h, 0xbfff0000), BW_RUN_FATAL);
	assert_int_equal(h->n_absent, 2);
	assert_string_equal(h->absent_name, "");
}

static void illegal_instruction_with_a_handler(void **state)
{
	struct harness *h = *state;
	arm(h);
	HANDLER(h, S_ADD_TTMP0_4, S_RFE_TTMP0);
	assert_int_equal(RUN(h, S_CODE_END, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(h->w->trapsts, BW_TRAPSTS_ILLEGAL_INST);
	assert_int_equal(h->w->s[0], 1);
	assert_int_equal(h->w->s[BW_SRC_TTMP0 + 1], code >> 32);
	/* In the handler itself it is fatal. */
	harness_reset(h);
	arm(h);
	HANDLER(h, S_CODE_END);
	assert_int_equal(RUN(h, S_TRAP_2), BW_RUN_FATAL);
	assert_int_equal(h->w->pc, handler);
}

static void absent_instruction_is_named(void **state)
{
	struct harness *h = *state;
	/* ds_ordered_count v0, v0 gds */
	assert_int_equal(RUN(h, 0xd8fe0000, 0x00000000), BW_RUN_FATAL);
	assert_string_equal(h->absent_name, "ds_ordered_count (geometry pipeline)");
	assert_int_equal(h->w->trapsts, BW_TRAPSTS_ILLEGAL_INST);
}

/* The resource is M0[21:16] + offset0, the number that of the first active lane. */
static void wave_sync_waits_and_asks_again(void **state)
{
	struct harness *h = *state;
	static const uint32_t barrier[] = {0xd8760003, 1}; /* ds_gws_barrier v1 offset:3 gds */
	h->w->s[BW_SRC_M0] = 62 << 16 | 0xffff;
	h->w->s[BW_SRC_EXEC_LO] = 0xf0;
	for (unsigned i = 0; i < 32; i++)
		harness_v(h, 1)[i] = 100 + i;
	assert_int_equal(harness_run(h, barrier, 2), BW_RUN_SLEEP);
	assert_int_equal(h->gws.resource, 1);
	assert_int_equal(h->gws.op, BW_GWS_BARRIER);
	assert_int_equal(h->gws.n, 104);
	assert_int_equal(h->w->pc, code);
	h->gws.done = true;
	assert_int_equal(bw_exec_run(h->x, h->w, 1), BW_RUN_QUANTUM);
	assert_int_equal(h->w->pc, code + 8);
	assert_int_equal(h->gws.n_asked, 2);
	h->w->s[BW_SRC_EXEC_LO] = 0;
	h->w->pc = code;
	assert_int_equal(bw_exec_run(h->x, h->w, 1), BW_RUN_QUANTUM);
	assert_int_equal(h->gws.n_asked, 2);
}

static void memory_violation(void **state)
{
	struct harness *h = *state;
	/* s_load_b32 s0, s[2:3], 0x0 from an unmapped page */
	h->w->s[2] = 0x1000;
	h->w->s[3] = 0;
	h->w->s[0] = 5;
	assert_int_equal(RUN(h, S_NOP, 0xf4000001, 0xf8000000), BW_RUN_FATAL);
	assert_int_equal(h->w->trapsts, BW_TRAPSTS_MEM_VIOL | BW_TRAPSTS_XNACK_ERROR);
	assert_int_equal(h->w->pc, code + 4);
	assert_int_equal(h->w->fault.va, 0x1000);
	assert_int_equal(h->w->fault.access, BW_ACCESS_READ);
	assert_int_equal(h->w->s[0], 5);
	/* With a handler that maps it, the instruction is executed again. */
	harness_reset(h);
	arm(h);
	h->w->s[2] = (uint32_t)(HARNESS_BASE + HARNESS_DATA);
	h->w->s[3] = HARNESS_BASE >> 32;
	h->access[HARNESS_DATA / BW_PAGE_B] = 0;
	memcpy(h->mem + HARNESS_DATA, &(uint32_t){42}, 4);
	HANDLER(h, S_MOV_S1_1, S_SLEEP_1, S_RFE_TTMP0);
	assert_int_equal(RUN(h, S_NOP, 0xf4000001, 0xf8000000), BW_RUN_SLEEP);
	assert_in_handler(h, code + 4, 0, false);
	h->access[HARNESS_DATA / BW_PAGE_B] = BW_ACCESS_READ;
	assert_int_equal(bw_exec_run(h->x, h->w, 100), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 42);
}

static void fetch_violation(void **state)
{
	struct harness *h = *state;
	/* s_setpc_b64 s[2:3] to nowhere: the PC is the target, nothing is read there */
	h->w->s[2] = 0x5000;
	h->w->s[3] = 0;
	assert_int_equal(RUN(h, 0xbe804802), BW_RUN_FATAL);
	assert_int_equal(h->w->trapsts & BW_TRAPSTS_MEM_VIOL, BW_TRAPSTS_MEM_VIOL);
	assert_int_equal(h->w->pc, 0x5000);
	assert_int_equal(h->w->fault.access, BW_ACCESS_EXECUTE);
	/* An instruction whose second half lies in a page that cannot be executed. */
	harness_reset(h);
	uint32_t cut = 0xbe8000ff; /* s_mov_b32 s0, literal */
	harness_code(h, BW_PAGE_B - 4, &cut, 1);
	h->access[1] = 0;
	bw_exec_flush_code(h->x);
	h->w->pc = HARNESS_BASE + BW_PAGE_B - 4;
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_FATAL);
	assert_int_equal(h->w->fault.va, HARNESS_BASE + BW_PAGE_B);
	assert_int_equal(h->w->pc, HARNESS_BASE + BW_PAGE_B - 4);
	/* Mapped, it goes over the edge. */
	harness_reset(h);
	h->access[1] = BW_ACCESS_READ | BW_ACCESS_EXECUTE;
	harness_code(h, BW_PAGE_B, (const uint32_t[]){0x12345678, S_ENDPGM}, 2);
	h->w->pc = HARNESS_BASE + BW_PAGE_B - 4;
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 0x12345678);
	assert_int_equal(h->w->pc, HARNESS_BASE + BW_PAGE_B + 4);
}

static void host_trap(void **state)
{
	struct harness *h = *state;
	arm(h);
	HANDLER(h, S_ENDPGM);
	harness_code(h, HARNESS_CODE, (const uint32_t[]){S_NOP, S_MOV_S0_1, S_BRANCH_SELF}, 3);
	assert_int_equal(bw_exec_run(h->x, h->w, 2), BW_RUN_QUANTUM);
	ask(h, BW_REQ_HOST_TRAP);
	assert_int_equal(bw_exec_run(h->x, h->w, 100), BW_RUN_ENDED);
	assert_in_handler(h, code + 8, 0, true);
	assert_int_equal(h->w->trapsts, BW_TRAPSTS_HOST_TRAP);
	/* Dropped in the handler, and without one. */
	harness_reset(h);
	arm(h);
	h->w->status |= BW_STATUS_PRIV;
	ask(h, BW_REQ_HOST_TRAP);
	assert_int_equal(bw_exec_run(h->x, h->w, 2), BW_RUN_QUANTUM);
	assert_int_equal(h->w->trapsts, 0);
	harness_reset(h);
	ask(h, BW_REQ_HOST_TRAP);
	assert_int_equal(bw_exec_run(h->x, h->w, 2), BW_RUN_QUANTUM);
	assert_int_equal(h->w->pc, code + 8);
}

static void single_step(void **state)
{
	struct harness *h = *state;
	arm(h);
	h->w->mode |= BW_MODE_TRAP_AFTER_INST;
	/* The handler counts in s1 and returns where it was. */
	HANDLER(h, 0x80018101 /* s_add_u32 s1, s1, 1 */, S_RFE_TTMP0);
	assert_int_equal(RUN(h, S_NOP, S_MOV_S0_1, S_NOP), BW_RUN_ENDED);
	assert_int_equal(h->w->s[1], 3); /* s_endpgm does not come back */
	assert_int_equal(h->w->s[0], 1);
	assert_int_equal(h->w->trapsts, BW_TRAPSTS_TRAP_AFTER_INST);
	/* A host trap that waits wins, and both are flagged. */
	harness_reset(h);
	arm(h);
	h->w->mode |= BW_MODE_TRAP_AFTER_INST;
	HANDLER(h, S_ENDPGM);
	ask(h, BW_REQ_HOST_TRAP);
	assert_int_equal(RUN(h, S_NOP), BW_RUN_ENDED);
	assert_in_handler(h, code, 0, true);
	/* Without a handler the bit does nothing. */
	harness_reset(h);
	h->tba_on = false;
	h->w->mode |= BW_MODE_TRAP_AFTER_INST;
	assert_int_equal(RUN(h, S_NOP, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(h->w->trapsts, 0);
}

static void step_request_is_for_one_instruction(void **state)
{
	struct harness *h = *state;
	arm(h);
	HANDLER(h, S_ENDPGM);
	ask(h, BW_REQ_STEP);
	assert_int_equal(RUN(h, S_MOV_S0_1, S_MOV_S1_1), BW_RUN_ENDED);
	assert_in_handler(h, code + 4, 0, false);
	assert_int_equal(h->w->trapsts, BW_TRAPSTS_TRAP_AFTER_INST);
}

/* A wave that sets the bit itself is stepped from the next instruction on. */
static void step_by_setreg(void **state)
{
	struct harness *h = *state;
	arm(h);
	HANDLER(h, S_ENDPGM);
	/* s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 1 */
	assert_int_equal(RUN(h, 0xb98002c1, 1, S_MOV_S0_1, S_MOV_S1_1), BW_RUN_ENDED);
	assert_in_handler(h, code + 12, 0, false);
	assert_int_equal(h->w->s[0], 1);
	assert_int_equal(h->w->s[1], 0);
}

static void barrier(void **state)
{
	struct harness *h = *state;
	/* Alone in its group: nothing to wait for. */
	assert_int_equal(RUN(h, S_BARRIER, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 1);
	harness_reset(h);
	h->wg.n_waves = 2;
	assert_int_equal(RUN(h, S_BARRIER, S_MOV_S0_1), BW_RUN_BARRIER);
	assert_int_equal(h->wg.n_arrived, 1);
	assert_true(h->w->status & BW_STATUS_IN_BARRIER);
	assert_int_equal(h->w->pc, code + 4);
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_BARRIER);
	assert_int_equal(h->wg.n_arrived, 1);
	h->w->status &= ~(uint32_t)BW_STATUS_IN_BARRIER;
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 1);
}

/* A wave that waits can be stopped, and still waits afterwards. */
static void host_trap_in_a_barrier(void **state)
{
	struct harness *h = *state;
	arm(h);
	h->wg.n_waves = 2;
	h->wg.n_arrived = 0;
	HANDLER(h, S_MOV_S1_1, S_RFE_TTMP0);
	assert_int_equal(RUN(h, S_BARRIER, S_MOV_S0_1), BW_RUN_BARRIER);
	ask(h, BW_REQ_HOST_TRAP);
	assert_int_equal(bw_exec_run(h->x, h->w, 100), BW_RUN_BARRIER);
	assert_int_equal(h->w->s[1], 1);
	assert_int_equal(h->w->s[0], 0);
	assert_int_equal(h->w->pc, code + 4);
	assert_int_equal(h->wg.n_arrived, 1);
}

static void step_over_a_barrier(void **state)
{
	struct harness *h = *state;
	arm(h);
	h->wg.n_waves = 2;
	h->w->mode |= BW_MODE_TRAP_AFTER_INST;
	HANDLER(h, S_ENDPGM);
	assert_int_equal(RUN(h, S_BARRIER, S_MOV_S0_1), BW_RUN_BARRIER);
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_BARRIER);
	h->w->status &= ~(uint32_t)BW_STATUS_IN_BARRIER;
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_ENDED);
	assert_in_handler(h, code + 4, 0, false);
	assert_int_equal(h->w->s[0], 0);
}

static void sleep_and_polling(void **state)
{
	struct harness *h = *state;
	assert_int_equal(RUN(h, S_SLEEP_0, S_SLEEP_1, S_SLEEP_1), BW_RUN_SLEEP);
	assert_int_equal(h->w->sleep_clocks, 64);
	assert_int_equal(h->w->pc, code + 8);
	uint32_t before = h->w->sleeps_in_a_row;
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_SLEEP);
	assert_int_equal(h->w->sleeps_in_a_row, before + 1);
	/* After some work it is no polling loop any more. */
	uint32_t work[101];
	for (unsigned i = 0; i < 100; i++)
		work[i] = S_NOP;
	work[100] = S_SLEEP_1;
	assert_int_equal(harness_run(h, work, 101), BW_RUN_SLEEP);
	assert_int_equal(h->w->sleeps_in_a_row, 0);
	/* A stepped sleep reports its step when it is over. */
	harness_reset(h);
	arm(h);
	h->w->mode |= BW_MODE_TRAP_AFTER_INST;
	HANDLER(h, S_ENDPGM);
	assert_int_equal(RUN(h, S_SLEEP_1, S_MOV_S0_1), BW_RUN_SLEEP);
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_ENDED);
	assert_in_handler(h, code + 4, 0, false);
}

static void halt(void **state)
{
	struct harness *h = *state;
	assert_int_equal(RUN(h, S_SETHALT_1, S_MOV_S0_1), BW_RUN_HALTED);
	assert_true(h->w->status & BW_STATUS_HALT);
	assert_true(h->w->halts_itself);
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_HALTED);
	assert_int_equal(h->w->s[0], 0);
	ask(h, BW_REQ_HALT); /* now somebody holds it */
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_HALTED);
	assert_false(h->w->halts_itself);
	ask(h, BW_REQ_UNHALT);
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 1);
	harness_reset(h);
	ask(h, BW_REQ_HALT);
	assert_int_equal(RUN(h, S_MOV_S0_1), BW_RUN_HALTED);
	assert_int_equal(h->w->pc, code);
	/* A halted wave takes a host trap; HALT counts again after s_rfe. */
	arm(h);
	HANDLER(h, S_MOV_S1_1, S_RFE_TTMP0);
	ask(h, BW_REQ_HOST_TRAP);
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_HALTED);
	assert_int_equal(h->w->s[1], 1);
	assert_int_equal(h->w->pc, code);
	/* The handler halts it. */
	harness_reset(h);
	arm(h);
	HANDLER(h, S_SETHALT_1, S_RFE_TTMP0);
	assert_int_equal(RUN(h, S_TRAP_2), BW_RUN_HALTED);
	assert_false(h->w->halts_itself);
	/* s_sethalt 5 in the handler is the end. */
	harness_reset(h);
	arm(h);
	HANDLER(h, S_SETHALT_5);
	assert_int_equal(RUN(h, S_TRAP_2), BW_RUN_FATAL);
	assert_true(h->w->status & BW_STATUS_FATAL_HALT);
	ask(h, BW_REQ_UNHALT);
	assert_int_equal(bw_exec_run(h->x, h->w, 10), BW_RUN_HALTED);
}

static void ends(void **state)
{
	struct harness *h = *state;
	assert_int_equal(RUN(h, S_ENDPGM), BW_RUN_ENDED);
	assert_int_equal(h->w->pc, code);
	harness_reset(h);
	assert_int_equal(RUN(h, S_SETKILL_1, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 0);
	harness_reset(h);
	assert_int_equal(RUN(h, S_ENDPGM_SAVED, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(RUN(h, S_ENDPGM_ORDERED, S_MOV_S0_1), BW_RUN_ENDED);
	assert_int_equal(h->w->s[0], 0);
	harness_reset(h);
	ask(h, BW_REQ_KILL);
	assert_int_equal(RUN(h, S_BRANCH_SELF), BW_RUN_ENDED);
}

static void trap_at_the_end(void **state)
{
	struct harness *h = *state;
	arm(h);
	h->w->mode |= 1u << 21;
	HANDLER(h, 0x80018101 /* s_add_u32 s1, s1, 1 */, S_RFE_TTMP0);
	assert_int_equal(RUN(h, S_MOV_S0_1, S_ENDPGM), BW_RUN_ENDED);
	assert_int_equal(h->w->s[1], 1);
	assert_int_equal(h->w->trapsts, BW_TRAPSTS_WAVE_END);
	assert_int_equal(h->w->pc, code + 4);
}

static void budget_and_yield(void **state)
{
	struct harness *h = *state;
	harness_code(h, HARNESS_CODE, (const uint32_t[]){0x80018101, 0xbfa0fffe},
		     2); /* count, loop */
	assert_int_equal(bw_exec_run(h->x, h->w, 2001), BW_RUN_QUANTUM);
	assert_int_equal(h->w->s[1], 1001);
	assert_int_equal(h->w->pc, code + 4);
	assert_int_equal(h->w->n_executed, 2001);
	ask(h, BW_REQ_YIELD);
	assert_int_equal(bw_exec_run(h->x, h->w, 1000000), BW_RUN_QUANTUM);
	assert_int_equal(h->w->s[1], 1001);
	assert_int_equal(bw_exec_run(h->x, h->w, 0), BW_RUN_QUANTUM);
	assert_int_equal(h->w->n_executed, 2001);
}

static void messages(void **state)
{
	struct harness *h = *state;
	h->w->s[BW_SRC_M0] = 0x1234;
	assert_int_equal(RUN(h, S_SENDMSG_INTERRUPT, S_WAKEUP), BW_RUN_ENDED);
	assert_int_equal(h->n_interrupts, 1);
	assert_int_equal(h->interrupt_m0, 0x1234);
	assert_int_equal(h->n_wakeups, 1);
	assert_int_equal(RUN(h, S_SENDMSGHALT_INTERRUPT, S_MOV_S0_1), BW_RUN_HALTED);
	assert_true(h->w->halts_itself);
	assert_int_equal(h->n_interrupts, 2);
	assert_int_equal(h->w->s[0], 0);
}

static void no_vgprs_after_dealloc(void **state)
{
	struct harness *h = *state;
	assert_int_equal(RUN(h, V_MOV_V0_1, S_SENDMSG_DEALLOC, S_MOV_S0_1), BW_RUN_ENDED);
	assert_true(h->w->status & BW_STATUS_NO_VGPRS);
	assert_int_equal(h->w->s[0], 1);
	assert_int_equal(h->n_absent, 0);
	harness_reset(h);
	assert_int_equal(RUN(h, S_SENDMSG_DEALLOC, V_MOV_V0_1), BW_RUN_FATAL);
	assert_int_equal(h->w->pc, code + 4);
	assert_int_equal(h->n_absent, 1);
}

static void hwregs(void **state)
{
	struct harness *h = *state;
	struct bw_wave *w = h->w;
	w->hw_id1 = 0x11;
	w->flat_scratch = 0x123456700ull;
	assert_int_equal(bw_wave_hwreg_read(w, 23), 0x11);
	assert_int_equal(bw_wave_hwreg_read(w, 21), 1);
	assert_int_equal(bw_wave_hwreg_read(w, 8), (uint32_t)code);
	bw_wave_hwreg_write(w, 20, 5, false);
	assert_int_equal(w->flat_scratch, 0x123456700ull);
	bw_wave_hwreg_write(w, 20, 5, true);
	assert_int_equal(w->flat_scratch, 0x100000005ull);
	/* STATUS: live bits when read; PRIV, TRAP_EN, IN_BARRIER cannot be written. */
	w->s[126] = 0;
	w->s[106] = 0;
	w->scc = 1;
	assert_int_equal(bw_wave_hwreg_read(w, 2),
			 BW_STATUS_VALID | BW_STATUS_EXECZ | BW_STATUS_VCCZ | BW_STATUS_SCC);
	bw_wave_hwreg_write(
		w, 2, BW_STATUS_PRIV | BW_STATUS_TRAP_EN | BW_STATUS_IN_BARRIER | BW_STATUS_HALT,
		true);
	assert_int_equal(w->status, BW_STATUS_VALID | BW_STATUS_HALT);
	assert_int_equal(w->scc, 0);
	bw_wave_hwreg_write(w, 2, 0, false);
	assert_int_equal(w->status, BW_STATUS_VALID | BW_STATUS_HALT);
	/* TRAPSTS: bits that do not exist stay 0. */
	bw_wave_hwreg_write(w, 3, 0xffffffff, true);
	assert_int_equal(w->trapsts, 0x101ffdff);
	bw_wave_hwreg_write(w, 3, 0, false);
	assert_int_equal(w->trapsts, 0x101ffc00);
}

static void host_float_state_is_untouched(void **state)
{
	struct harness *h = *state;
	uint32_t before = _mm_getcsr();
	_mm_setcsr(before | 0x2000);
	h->w->mode = 0x3cf; /* toward zero, f32 flushed */
	assert_int_equal(RUN(h, 0x06000300 /* v_add_f32 v0, v0, v1 */), BW_RUN_ENDED);
	assert_int_equal(_mm_getcsr() & 0xffc0, (before | 0x2000) & 0xffc0);
	_mm_setcsr(before);
}

TESTS_EACH(setup, teardown, s_trap_without_handler_is_skipped, s_trap_enters_and_rfe_returns,
	   ttmps_belong_to_the_handler, illegal_instruction, illegal_instruction_with_a_handler,
	   absent_instruction_is_named, wave_sync_waits_and_asks_again, memory_violation,
	   fetch_violation, host_trap, single_step, step_request_is_for_one_instruction,
	   step_by_setreg, barrier, host_trap_in_a_barrier, step_over_a_barrier, sleep_and_polling,
	   halt, ends, trap_at_the_end, budget_and_yield, messages, no_vgprs_after_dealloc, hwregs,
	   host_float_state_is_untouched);
