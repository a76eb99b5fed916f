/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_EXEC_H
#define BW_VGPU_EXEC_EXEC_H

/* The instruction executor. An executor belongs to one worker thread: it holds that thread's cache
 * of decoded code. */

#include "isa/gfx9.h"
#include "isa/inst.h"
#include "vgpu/device/exec/core/fidelity.h"
#include "vgpu/device/exec/core/gws.h"
#include "vgpu/device/exec/core/wave.h"

struct bw_exec;
struct bw_check;
struct bw_strict;

/* The functions of the device that the executor calls, all from the worker thread. */
struct bw_exec_host {
	void *cookie;
	/* The generation of the waves: gfx11, gfx942 or gfx902. */
	enum bw_isa_gen gen;
	/* TBA and TMA of the wave's VMID as canonical byte addresses; whether TBA.TRAP_EN. */
	bool (*trap_base)(void *cookie, unsigned vmid, uint64_t *out_tba, uint64_t *out_tma);
	uint64_t (*realtime)(void *cookie);	 /* 100 MHz counter */
	uint32_t (*shader_cycles)(void *cookie); /* clock for SHADER_CYCLES */
	/* s_sendmsg MSG_INTERRUPT with this M0. */
	void (*send_interrupt)(void *cookie, struct bw_wave *w, uint32_t m0);
	/* s_wakeup: end the sleep of the other waves of the group. */
	void (*wakeup)(void *cookie, struct bw_workgroup *wg);
	/* Once for each instruction that this executor does not have, with its decoded name if
	 * any. */
	void (*absent)(void *cookie, struct bw_wave *w, uint64_t pc, const uint32_t *words,
		       const char *name);
	/* TA_CS_BC_BASE_ADDR: where samplers find their own border colours, 16 bytes each.
	 * Optional. */
	uint64_t (*border_colors)(void *cookie);
	/* SQ_DEBUG.SINGLE_MEMOP: an address watch traps right after the access. Optional: it
	 * does. */
	bool (*precise_memory)(void *cookie);
	/* An instruction of the graphics pipeline (exp, lds_param_load, a message) in a wave of
	 * that pipeline. False: not executed. Optional: compute waves have none of it. */
	bool (*graphics)(void *cookie, struct bw_wave *w, const struct bw_inst *inst);
	/* Flag float exceptions in TRAPSTS always, and not only where MODE.EXCP_EN or the code
	 * asks. Slow. */
	bool float_exceptions;
	/* Results of s_sendmsg_rtn GET_DOORBELL and GET_DDID for the wave's queue and dispatch.
	 * Optional; without them 0. */
	uint32_t (*doorbell)(void *cookie, struct bw_wave *w);
	uint32_t (*dispatch_id)(void *cookie, struct bw_wave *w);
	/* Result of s_sendmsg_rtn SAVE_WAVE: where the wave stores its state, and in bit 58 whether
	 * it stores its group's LDS; 0: its context is not to be saved. Optional; without it 0. */
	uint64_t (*save_wave)(void *cookie, struct bw_wave *w);
	/* Global wave sync of the wave's VMID (gws.h). False: the wave is to wait and ask again.
	 * Optional: without it the instructions have no effect. */
	bool (*gws)(void *cookie, struct bw_wave *w, unsigned resource, enum bw_gws_op op,
		    uint32_t n);
	/* Count what is executed, for bw_exec_tally. */
	bool counts;
	bool interpret; /* no compiled code (compile/compile.h) */
	uint32_t plant; /* enum bw_plant: faults for tests */
	/* Strict mode or the trace (strict.h). NULL: neither. */
	struct bw_strict *strict;
	/* The checker (check/check.h). NULL: none. */
	struct bw_check *check;
	/* SH_MEM_BASES of the VMIDs */
	uint32_t sh_mem_bases;
};

struct bw_exec *bw_exec_create(const struct bw_exec_host *host);
void bw_exec_destroy(struct bw_exec *x);

/* Runs at most `budget` instructions of w. */
enum bw_run bw_exec_run(struct bw_exec *x, struct bw_wave *w, uint64_t budget);

/* Counts of what was executed since the executor was made, where bw_exec_host.counts. Any thread,
 * at any time. */
struct bw_tally_row {
	unsigned op;
	struct bw_op_fidelity fidelity;
	bool is_second; /* the Y half of a VOPD pair: no instruction of its own */
	uint64_t n;	/* waves that executed it, times how often */
};
typedef void bw_tally_fn(void *cookie, const struct bw_tally_row *row);
void bw_exec_tally(const struct bw_exec *x, bw_tally_fn *fn, void *cookie);

/* Forgets decoded code: all of it, or of one VMID (VM flush, instruction cache invalidation). May
 * be called from any thread; takes effect before the next instruction block. */
void bw_exec_flush_code(struct bw_exec *x);

/* Hardware registers as s_getreg (id 0..63) and SQ_IND (index 0x100 + id) see them. */
uint32_t bw_wave_hwreg_read(const struct bw_wave *w, unsigned id);
void bw_wave_hwreg_write(struct bw_wave *w, unsigned id, uint32_t value, bool privileged);

/* Enters the trap handler: TTMP0/1 = pc and cause, PRIV, PC = TBA (doc/hardware/traps.md 2).
 * Used by the executor itself and at launch (TRAP_ON_START). */
void bw_wave_enter_trap(struct bw_wave *w, uint64_t tba, unsigned trap_id, bool host_trap);

#endif
