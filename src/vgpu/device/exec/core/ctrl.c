/* SPDX-License-Identifier: MIT */

/* Program flow, waits, messages, hardware registers: doc/rules.md 259 to 313. */

#include "arch/arch.h"
#include "base/util.h"
#include "regs/field.h"
#include "vgpu/device/exec/core/ctrl9.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/hwreg.h"
#include "vgpu/device/exec/core/indexed.h"

#define HANDLER(name) static BW_HANDLER(h_##name)

static uint64_t pc_of(const struct bw_exec *x, const struct bw_rec *rec)
{
	return bw_code_pc(&x->code, rec);
}

static uint64_t pc_after(const struct bw_exec *x, const struct bw_rec *rec)
{
	return pc_of(x, rec) + 4u * rec->size_dw;
}

const struct bw_rec *bw_goto(struct bw_wave *w, struct bw_exec *x, uint64_t pc)
{
	w->pc = bw_canonical(pc & ~3ull);
	if (!bw_code_enter(&x->code, w, w->pc)) {
		w->fault_lanes = 0;
		x->fault_page = true;
		x->exit = BW_EXIT_FAULT;
		return NULL;
	}
	return &x->code.page->rec[(w->pc & (BW_PAGE_B - 1)) / 4];
}

/* A branch that is taken. */
#define GOTO(pc_)                                                                                  \
	do {                                                                                       \
		x->left = left - 1;                                                                \
		return bw_goto(w, x, pc_);                                                         \
	} while (0)

BW_HANDLER(bw_h_next_page)
{
	x->left = left; /* no instruction */
	return bw_goto(w, x, pc_of(x, rec));
}

BW_HANDLER(bw_h_nop)
{
	BW_NEXT(BW_FOLLOWING(rec));
}

/* ---- branches ---- */

#define TAKE()                                                                                     \
	do {                                                                                       \
		if (__builtin_expect(rec->target != NULL, 1))                                      \
			BW_NEXT(rec->target);                                                      \
		GOTO(rec->off[1]);                                                                 \
	} while (0)
#define BRANCH(name, cond)                                                                         \
	HANDLER(name)                                                                              \
	{                                                                                          \
		if (cond)                                                                          \
			TAKE();                                                                    \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}

static inline bool vccz(const struct bw_wave *w)
{
	return (w->s[BW_SRC_VCC_LO] | (w->lanes == 64 ? w->s[BW_SRC_VCC_HI] : 0)) == 0;
}

static inline bool execz(const struct bw_wave *w)
{
	return (w->s[BW_SRC_EXEC_LO] | (w->lanes == 64 ? w->s[BW_SRC_EXEC_HI] : 0)) == 0;
}

#define CDBG_SYS ((w->status & BW_STATUS_COND_DBG_SYS) != 0)
#define CDBG_USER ((w->status & BW_STATUS_COND_DBG_USER) != 0)

BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, w->scc == 0)
BRANCH(s_cbranch_scc1, w->scc != 0)
BRANCH(s_cbranch_vccz, vccz(w))
BRANCH(s_cbranch_vccnz, !vccz(w))
BRANCH(s_cbranch_execz, execz(w))
BRANCH(s_cbranch_execnz, !execz(w))
BRANCH(s_cbranch_cdbgsys, CDBG_SYS)
BRANCH(s_cbranch_cdbguser, CDBG_USER)
BRANCH(s_cbranch_cdbgsys_or_user, CDBG_SYS || CDBG_USER)
BRANCH(s_cbranch_cdbgsys_and_user, CDBG_SYS &&CDBG_USER)

/* The value that an instruction reads as the PC: 48 bits, zeros above. RADV 22.3 and 25.0 take the
 * upper half as dword 1 of a buffer descriptor, base and stride, for constants after their code,
 * which lies in the upper half of the address space. [seen] */
static uint64_t pc_value(const struct bw_exec *x, const struct bw_rec *rec)
{
	return pc_after(x, rec) & 0xffffffffffffull;
}

HANDLER(s_getpc_b64)
{
	*(uint64_t *)BW_OPERAND(0) = pc_value(x, rec);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(s_setpc_b64)
{
	/* The handler of Linux 6.12 leaves this way where STATUS.TRAP_EN is not set. */
	if (w->switching == BW_WAVE_RESTORES)
		w->switching = BW_WAVE_RUNS;
	GOTO(*(const uint64_t *)BW_OPERAND(1));
}

HANDLER(s_swappc_b64)
{
	uint64_t target = *(const uint64_t *)BW_OPERAND(1);
	*(uint64_t *)BW_OPERAND(0) = pc_value(x, rec);
	GOTO(target);
}

HANDLER(s_call_b64)
{
	uint64_t after = pc_value(x, rec);
	unsigned code = rec->inst->dst & ~1u;
	if (code != BW_SRC_NULL &&
	    (code < BW_SRC_TTMP0 || code > BW_SRC_NULL || (w->status & BW_STATUS_PRIV))) {
		w->s[code] = (uint32_t)after;
		w->s[code + 1] = bw_hi32(after);
	}
	TAKE();
}

HANDLER(s_rfe_b64)
{
	uint64_t target = *(const uint64_t *)BW_OPERAND(1);
	w->status &= ~(uint32_t)BW_STATUS_PRIV;
	w->switching = BW_WAVE_RUNS;
	/* The run loop acts on the state that the handler has set: HALT, single step, a barrier. */
	BW_EXIT(BW_EXIT_LOOKUP, bw_canonical(target & ~3ull));
}

/* wave64: the loop body runs once for each half of EXEC; rule 286. */
static void sgpr_write(struct bw_wave *w, unsigned code, uint32_t value)
{
	if (code == BW_SRC_NULL ||
	    (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL && !(w->status & BW_STATUS_PRIV)))
		return;
	w->s[code] = value;
}

HANDLER(s_subvector_loop_begin)
{
	uint32_t *lo = &w->s[BW_SRC_EXEC_LO], *hi = &w->s[BW_SRC_EXEC_HI];
	if (w->lanes == 64) {
		if (!*lo && !*hi)
			TAKE();
		if (!*lo) {
			sgpr_write(w, rec->inst->dst, *lo);
		} else {
			sgpr_write(w, rec->inst->dst, *hi);
			*hi = 0;
		}
	}
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(s_subvector_loop_end)
{
	uint32_t *lo = &w->s[BW_SRC_EXEC_LO], *hi = &w->s[BW_SRC_EXEC_HI];
	uint32_t saved = bw_scalar_read32(w, rec->inst, rec->inst->dst);
	if (w->lanes == 64) {
		if (*hi) {
			*lo = saved;
		} else if (saved) {
			*hi = saved;
			sgpr_write(w, rec->inst->dst, *lo);
			*lo = 0;
			TAKE();
		}
	}
	BW_NEXT(BW_FOLLOWING(rec));
}

/* ---- the wave's end, traps, waits ---- */

HANDLER(s_endpgm)
{
	BW_EXIT(BW_EXIT_END, pc_of(x, rec));
}

HANDLER(s_endpgm_ordered_ps_done)
{
	BW_EXIT(BW_EXIT_END, pc_of(x, rec));
}

/* Padding after shaders, which no wave should reach (rule 264). */
HANDLER(s_code_end)
{
	return bw_h_illegal(rec, w, x, left, vgpr);
}

HANDLER(s_endpgm_saved)
{
	BW_EXIT(BW_EXIT_KILLED, pc_of(x, rec));
}

HANDLER(s_setkill)
{
	if (rec->inst->imm & 1)
		BW_EXIT(BW_EXIT_KILLED, pc_of(x, rec));
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(s_trap)
{
	x->trap_id = (uint8_t)rec->inst->imm;
	/* Trap 0 is the hardware's own; in the handler a trap does nothing (rule 291). */
	if (x->trap_id == 0 || (w->status & BW_STATUS_PRIV))
		BW_NEXT(BW_FOLLOWING(rec));
	BW_EXIT(BW_EXIT_TRAP, pc_of(x, rec));
}

HANDLER(s_sethalt)
{
	unsigned imm = (unsigned)rec->inst->imm;
	bool fatal = (imm & 4) && (w->status & BW_STATUS_PRIV);
	if (imm & 1)
		w->status |= BW_STATUS_HALT;
	else
		w->status &= ~(uint32_t)BW_STATUS_HALT;
	w->halts_itself = (imm & 1) && !(w->status & BW_STATUS_PRIV);
	if ((imm & 1) && fatal)
		BW_EXIT(BW_EXIT_FATAL, pc_after(x, rec));
	/* HALT is without effect in the trap handler, until s_rfe. */
	if (!(imm & 1) || (w->status & BW_STATUS_PRIV))
		BW_NEXT(BW_FOLLOWING(rec));
	BW_EXIT(BW_EXIT_HALT, pc_after(x, rec));
}

HANDLER(s_sleep)
{
	unsigned n = (unsigned)rec->inst->imm & 0x7f;
	if (n == 0)
		BW_NEXT(BW_FOLLOWING(rec));
	w->sleep_clocks = 64u * n;
	BW_EXIT(BW_EXIT_SLEEP, pc_after(x, rec));
}

HANDLER(s_barrier)
{
	BW_EXIT(BW_EXIT_BARRIER, pc_after(x, rec));
}

HANDLER(s_wakeup)
{
	if (x->host.wakeup && w->wg)
		x->host.wakeup(x->host.cookie, w->wg);
	BW_LEAVE(BW_FOLLOWING(rec));
}

HANDLER(s_setprio)
{
	w->status = BW_FIELD_SET(SQ_WAVE_STATUS, USER_PRIO, w->status, rec->inst->imm);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(s_icache_inv)
{
	bw_code_invalidate();
	GOTO(pc_after(x, rec));
}

/* ---- MODE and hardware registers ---- */

void bw_exec_mode_changed(struct bw_exec *x, const struct bw_wave *w)
{
	if (x->m.mode == w->mode)
		return;
	bw_fmode_set(&x->m, w->mode);
	bw_fmode_load(x->m.mxcsr32);
}

HANDLER(s_round_mode)
{
	w->mode = (w->mode & ~(uint32_t)BW_MODE_ROUND) |
		  BW_FIELD(SQ_WAVE_MODE, FP_ROUND, rec->inst->imm);
	bw_exec_mode_changed(x, w);
	BW_LEAVE(BW_FOLLOWING(rec));
}

HANDLER(s_denorm_mode)
{
	w->mode = (w->mode & ~(uint32_t)BW_MODE_DENORM) |
		  BW_FIELD(SQ_WAVE_MODE, FP_DENORM, rec->inst->imm);
	bw_exec_mode_changed(x, w);
	BW_LEAVE(BW_FOLLOWING(rec));
}

struct field {
	unsigned id, shift;
	uint32_t mask; /* in place */
};

static struct field field_of(const struct bw_inst *inst)
{
	const uint32_t imm = (uint16_t)inst->imm;
	unsigned shift = (unsigned)bw_words_get(&imm, BW_GETREG_OFFSET),
		 width = (unsigned)bw_words_get(&imm, BW_GETREG_SIZE) + 1;
	uint32_t bits = width == 32 ? UINT32_MAX : (1u << width) - 1;
	return (struct field){.id = (unsigned)bw_words_get(&imm, BW_GETREG_ID),
			      .shift = shift,
			      .mask = bits << shift};
}

HANDLER(s_getreg_b32)
{
	struct field f = field_of(rec->inst);
	uint32_t v;
	w->pc = pc_of(x, rec);
	if (bw_isa_is_gfx9(x->gen))
		v = bw_ctrl9_getreg(w, x, f.id);
	else if (f.id == BW_HWREG_SHADER_CYCLES && x->host.shader_cycles)
		v = x->host.shader_cycles(x->host.cookie) & BW_SHADER_CYCLES_BITS;
	else if (f.id == BW_HWREG_SH_MEM_BASES)
		v = x->host.sh_mem_bases;
	else
		v = bw_wave_hwreg_read(w, f.id);
	*(uint32_t *)BW_OPERAND(0) = (v & f.mask) >> f.shift;
	BW_NEXT(BW_FOLLOWING(rec));
}

static const struct bw_rec *setreg(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,
				   uint64_t left, uint32_t value)
{
	struct field f = field_of(rec->inst);
	bool is_gfx9 = bw_isa_is_gfx9(x->gen);
	uint32_t old = is_gfx9 ? bw_ctrl9_getreg(w, x, f.id) : bw_wave_hwreg_read(w, f.id);
	uint32_t now = (old & ~f.mask) | (value << f.shift & f.mask);
	bool stepping = w->mode & BW_MODE_TRAP_AFTER_INST;
	uint32_t traps = w->mode & BW_MODE_EXCP_EN_FLOAT;
	if (is_gfx9)
		bw_wave_hwreg9_write(w, f.id, now, w->status & BW_STATUS_PRIV);
	else
		bw_wave_hwreg_write(w, f.id, now, w->status & BW_STATUS_PRIV);
	bw_exec_mode_changed(x, w);
	bool steps_now =
		!stepping && (w->mode & BW_MODE_TRAP_AFTER_INST) && !(w->status & BW_STATUS_PRIV);
	if (steps_now || traps != (w->mode & BW_MODE_EXCP_EN_FLOAT) || bw_is_indexed(x, w))
		BW_EXIT(BW_EXIT_LOOKUP, pc_after(x, rec));
	BW_LEAVE(BW_FOLLOWING(rec));
}

HANDLER(s_setreg_b32)
{
	return setreg(rec, w, x, left, bw_scalar_read32(w, rec->inst, rec->inst->dst));
}

HANDLER(s_setreg_imm32_b32)
{
	return setreg(rec, w, x, left, rec->inst->literal);
}

/* Indexed VGPRs of gfx942: indexed.h. Which operands are indexed is in M0 15:12, by how much in
 * 7:0. */
static const struct bw_rec *set_index(const struct bw_rec *rec, struct bw_wave *w,
				      struct bw_exec *x, uint64_t left, uint32_t mask,
				      uint32_t value)
{
	w->s[BW_SRC_M0] = (w->s[BW_SRC_M0] & ~mask) | (value & mask);
	bw_exec_mode_changed(x, w);
	BW_EXIT(BW_EXIT_LOOKUP, pc_after(x, rec));
}

HANDLER(s_set_gpr_idx_on)
{
	uint32_t index = bw_scalar_read32(w, rec->inst, rec->inst->src[0]) & 0xff;
	w->mode |= BW_MODE9_GPR_IDX_EN;
	return set_index(rec, w, x, left, 0xf0ff, (uint32_t)rec->inst->src[1] << 12 | index);
}

HANDLER(s_set_gpr_idx_off)
{
	w->mode &= ~(uint32_t)BW_MODE9_GPR_IDX_EN;
	return set_index(rec, w, x, left, 0, 0);
}

HANDLER(s_set_gpr_idx_mode)
{
	return set_index(rec, w, x, left, 0xf000, (uint32_t)rec->inst->imm << 12);
}

HANDLER(s_set_gpr_idx_idx)
{
	return set_index(rec, w, x, left, 0xff, bw_scalar_read32(w, rec->inst, rec->inst->src[0]));
}

/* gfx942: the clocks that gfx11 has in a register and in a message. */
HANDLER(s_memtime)
{
	*(uint64_t *)BW_OPERAND(0) =
		x->host.shader_cycles ? x->host.shader_cycles(x->host.cookie) : w->n_executed;
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(s_memrealtime)
{
	*(uint64_t *)BW_OPERAND(0) = x->host.realtime ? x->host.realtime(x->host.cookie) : 0;
	BW_NEXT(BW_FOLLOWING(rec));
}

/* ---- messages ---- */

enum {
	MSG_INTERRUPT = 1,
	MSG_DEALLOC_VGPRS = 3,
	MSG_RTN_GET_DOORBELL = 128,
	MSG_RTN_GET_DDID = 129,
	MSG_RTN_GET_TMA = 130,
	MSG_RTN_GET_REALTIME = 131,
	MSG_RTN_SAVE_WAVE = 132,
	MSG_RTN_GET_TBA = 133,
	MSG_RTN_GET_TBA_TO_PC = 134,
};

static void send(struct bw_wave *w, struct bw_exec *x, unsigned msg)
{
	if (msg == MSG_INTERRUPT && x->host.send_interrupt)
		x->host.send_interrupt(x->host.cookie, w, w->s[BW_SRC_M0]);
	else if (bw_isa_is_gfx9(x->gen))
		bw_ctrl9_send(w, x, msg);
	else if (msg == MSG_DEALLOC_VGPRS)
		w->status |= BW_STATUS_NO_VGPRS;
	/* The others are messages to the geometry pipeline, which compute waves do not have. */
}

HANDLER(s_sendmsg)
{
	if (!x->host.graphics || !x->host.graphics(x->host.cookie, w, rec->inst))
		send(w, x, (unsigned)rec->inst->imm & 0xff);
	BW_EXIT(BW_EXIT_LOOKUP, pc_after(x, rec)); /* VGPRs may be gone */
}

HANDLER(s_sendmsghalt)
{
	send(w, x, (unsigned)rec->inst->imm & 0xff);
	w->status |= BW_STATUS_HALT;
	w->halts_itself = !(w->status & BW_STATUS_PRIV);
	BW_EXIT(BW_EXIT_LOOKUP, pc_after(x, rec));
}

/* TBA and TMA as their registers hold them, in units of 256 bytes (doc/hardware/traps.md 3). */
static uint64_t message_result(struct bw_wave *w, struct bw_exec *x, unsigned msg)
{
	uint64_t tba = 0, tma = 0;
	switch (msg) {
	case MSG_RTN_GET_TMA:
		x->host.trap_base(x->host.cookie, w->vmid, &tba, &tma);
		return (tma & BW_VA_MASK) / 256;
	case MSG_RTN_GET_TBA:
		x->host.trap_base(x->host.cookie, w->vmid, &tba, &tma);
		return (tba & BW_VA_MASK) / 256;
	case MSG_RTN_GET_REALTIME:
		return x->host.realtime ? x->host.realtime(x->host.cookie) : 0;
	case MSG_RTN_GET_DOORBELL:
		return x->host.doorbell ? x->host.doorbell(x->host.cookie, w) : 0;
	case MSG_RTN_GET_DDID:
		return x->host.dispatch_id ? x->host.dispatch_id(x->host.cookie, w) : 0;
	case MSG_RTN_SAVE_WAVE: /* 0 if no context is to be saved [I] */
		return x->host.save_wave ? x->host.save_wave(x->host.cookie, w) : 0;
	default:
		return 0;
	}
}

static const struct bw_rec *sendmsg_rtn(const struct bw_rec *rec, struct bw_wave *w,
					struct bw_exec *x, uint64_t left, bool wide)
{
	unsigned msg = rec->inst->src[0];
	if (msg == MSG_RTN_GET_TBA_TO_PC) {
		uint64_t tba = 0, tma = 0;
		if (x->host.trap_base(x->host.cookie, w->vmid, &tba, &tma))
			GOTO(tba);
		BW_LEAVE(BW_FOLLOWING(rec));
	}
	uint64_t v = message_result(w, x, msg);
	if (wide)
		*(uint64_t *)BW_OPERAND(0) = v;
	else
		*(uint32_t *)BW_OPERAND(0) = (uint32_t)v;
	BW_LEAVE(BW_FOLLOWING(rec));
}

HANDLER(s_sendmsg_rtn_b32)
{
	return sendmsg_rtn(rec, w, x, left, false);
}

HANDLER(s_sendmsg_rtn_b64)
{
	return sendmsg_rtn(rec, w, x, left, true);
}

/* ---- indexed SGPRs: rules 36 to 38 ---- */

unsigned bw_sgpr_indexed(const struct bw_wave *w, unsigned code, uint32_t index, unsigned n,
			 unsigned otherwise)
{
	unsigned end;
	if (n == 2)
		code &= ~1u, index &= ~1u;
	if (code < BW_SRC_VCC_LO)
		end = BW_SRC_TTMP0; /* VCC follows s105: so cwsr_trap_handler_gfx10.asm saves it */
	else if (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL && (w->status & BW_STATUS_PRIV))
		end = BW_SRC_NULL;
	else
		return otherwise;
	uint64_t to = (uint64_t)code + index;
	return to + n <= end ? (unsigned)to : otherwise;
}

HANDLER(s_movrels_b32)
{
	unsigned from = bw_sgpr_indexed(w, rec->inst->src[0], w->s[BW_SRC_M0], 1, 0);
	*(uint32_t *)BW_OPERAND(0) = w->s[from];
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(s_movrels_b64)
{
	unsigned from = bw_sgpr_indexed(w, rec->inst->src[0], w->s[BW_SRC_M0], 2, 0);
	*(uint64_t *)BW_OPERAND(0) = bw_wave_s64(w, from);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(s_movreld_b32)
{
	unsigned to = bw_sgpr_indexed(w, rec->inst->dst, w->s[BW_SRC_M0], 1, BW_SRC_NULL);
	sgpr_write(w, to, *(const uint32_t *)BW_OPERAND(1));
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(s_movreld_b64)
{
	unsigned to = bw_sgpr_indexed(w, rec->inst->dst, w->s[BW_SRC_M0], 2, BW_SRC_NULL);
	uint64_t v = *(const uint64_t *)BW_OPERAND(1);
	if (to != BW_SRC_NULL) {
		w->s[to] = (uint32_t)v;
		w->s[to + 1] = bw_hi32(v);
	}
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(s_movrelsd_2_b32)
{
	uint32_t m0 = w->s[BW_SRC_M0];
	unsigned from = bw_sgpr_indexed(w, rec->inst->src[0],
					(unsigned)bw_words_get(&m0, BW_M0_INDEX_SRC), 1, 0);
	unsigned to = bw_sgpr_indexed(w, rec->inst->dst,
				      (unsigned)bw_words_get(&m0, BW_M0_INDEX_DST), 1, BW_SRC_NULL);
	sgpr_write(w, to, w->s[from]);
	BW_NEXT(BW_FOLLOWING(rec));
}

#define RAW(n) {.name = #n, .fn = h_##n, .form = BW_WAVE_RAW},
#define NOP(n) {.name = #n, .fn = bw_h_nop, .form = BW_WAVE_RAW},
#define SCALAR(n, D, S)                                                                            \
	{.name = #n, .fn = h_##n, .form = BW_WAVE_SCALAR, .dst = BW_T_##D, .src = BW_T_##S},
#define JUMP(n) {.name = #n, .fn = h_##n, .form = BW_WAVE_BRANCH},

const struct bw_wave_row bw_ctrl_rows[] = {
#include "vgpu/device/exec/sem/ctrl.def"
};
const size_t bw_n_ctrl_rows = BW_ARRAY_SIZE(bw_ctrl_rows);
