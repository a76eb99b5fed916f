/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_WAVE_H
#define BW_VGPU_EXEC_WAVE_H

/* The architectural state of one wave, and the executor's callbacks to the device. The dispatcher
 * (device/) fills it at launch, the executor (exec/) runs it, SQ_IND and SQ_CMD read and change it.
 * One thread at a time touches a wave (the one that holds its WGP), except `request`. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/gfx11_extra.h"
#include "base/util.h"
#include "isa/inst.h"
#include "vgpu/device/exec/core/gws.h"
#include "vgpu/device/vm/vm.h"

/* Scalar state by operand code, so that a code is an index: s[0..105], VCC at 106/107, TTMP0-15 at
 * 108..123, 124 NULL (always 0), M0 125, EXEC 126/127. */
enum { BW_SGPR_COUNT = 128 };

/* Requests of other threads to a wave; the executor checks `request` after each instruction. */
enum bw_wave_request {
	BW_REQ_HOST_TRAP = 1 << 0, /* SQ_CMD TRAP */
	BW_REQ_KILL = 1 << 1,	   /* SQ_CMD KILL */
	BW_REQ_HALT = 1 << 2,	   /* SQ_CMD SETHALT: set; cleared by BW_REQ_UNHALT */
	BW_REQ_UNHALT = 1 << 3,
	BW_REQ_YIELD = 1 << 4, /* give the WGP back soon (register access waits for it) */
	BW_REQ_STEP = 1 << 5,  /* SQ_CMD TRAP_AFTER_INST */
	/* of the wave itself: an address watch was hit, see watch_hits */
	BW_REQ_WATCH = 1 << 6,
	BW_REQ_SAVE = 1 << 7,	 /* context save: TRAPSTS.SAVECTX becomes set */
	BW_REQ_FINDING = 1 << 8, /* of the wave itself: the checker has found something */
};

/* STATUS, MODE, TRAPSTS as gfx11 has them (arch/gfx11_extra.h), constants for the inner loop. SCC,
 * EXECZ, VCCZ live elsewhere and are put in when STATUS is read. */
enum {
	BW_STATUS_SCC = BW_GFX11_STATUS__SCC,
	BW_STATUS_PRIV = BW_GFX11_STATUS__PRIV,
	BW_STATUS_TRAP_EN = BW_GFX11_STATUS__TRAP_EN,
	BW_STATUS_EXECZ = BW_GFX11_STATUS__EXECZ,
	BW_STATUS_VCCZ = BW_GFX11_STATUS__VCCZ,
	BW_STATUS_IN_TG = BW_GFX11_STATUS__IN_TG,
	BW_STATUS_IN_BARRIER = BW_GFX11_STATUS__IN_BARRIER,
	BW_STATUS_HALT = BW_GFX11_STATUS__HALT,
	BW_STATUS_VALID = BW_GFX11_STATUS__VALID,
	BW_STATUS_FATAL_HALT = BW_GFX11_STATUS__FATAL_HALT,
	BW_STATUS_NO_VGPRS = BW_GFX11_STATUS__NO_VGPRS,
	BW_STATUS_SCRATCH_EN = BW_GFX11_STATUS__SCRATCH_EN,
	BW_MODE_TRAP_AFTER_INST = BW_GFX11_MODE__TRAP_AFTER_INST_EN,
	BW_MODE_EXCP_EN_WATCH = BW_GFX11_MODE__EXCP_EN_WATCH,
	BW_TRAPSTS_WATCH0 = BW_GFX11_TRAPSTS__ADDR_WATCH0,
	BW_TRAPSTS_WATCH1 = 1 << BW_GFX11_TRAPSTS__EXCP_HI_LO, /* 2 and 3 follow */
	BW_TRAPSTS_MEM_VIOL = BW_GFX11_TRAPSTS__MEM_VIOL,
	BW_TRAPSTS_SAVECTX = BW_GFX11_TRAPSTS__SAVECTX,
	BW_TRAPSTS_ILLEGAL_INST = BW_GFX11_TRAPSTS__ILLEGAL_INST,
	BW_TRAPSTS_HOST_TRAP = BW_GFX11_TRAPSTS__HOST_TRAP,
	BW_TRAPSTS_WAVE_START = BW_GFX11_TRAPSTS__WAVESTART,
	BW_TRAPSTS_WAVE_END = BW_GFX11_TRAPSTS__WAVE_END,
	BW_TRAPSTS_TRAP_AFTER_INST = BW_GFX11_TRAPSTS__TRAP_AFTER_INST,
	/* with MEM_VIOL: a page fault; without: aperture, alignment */
	BW_TRAPSTS_XNACK_ERROR = BW_GFX11_TRAPSTS__UTC_ERROR,
};

/* SH_MEM_CONFIG.ALIGNMENT_MODE of the wave's VMID, its number taken from 3: 0 is what amdgpu
 * sets. */
enum bw_align_mode {
	BW_ALIGN_NONE,	       /* vector memory and LDS accesses lie anywhere */
	BW_ALIGN_STRICT,       /* not at a multiple of their size: a violation */
	BW_ALIGN_DWORD_STRICT, /* not at a multiple of their size or of 4: a violation */
	BW_ALIGN_DWORD,	       /* the same, with the low bits dropped instead */
};

/* Whether the wave is in the part of the trap handler that saves or restores it. */
enum bw_wave_switch {
	BW_WAVE_RUNS,
	BW_WAVE_SAVES,	  /* since it entered for TRAPSTS.SAVECTX */
	BW_WAVE_RESTORES, /* since its launch */
};

struct bw_workgroup {
	uint8_t *lds;	     /* zero-based for the group */
	uint32_t lds_size_b; /* allocated; accesses beyond read 0 and are dropped */
	uint32_t lds_base_b; /* place in the WGP's LDS, for LDS_ALLOC */
	uint16_t n_waves;    /* launched */
	uint16_t n_ended;    /* no longer counted by barriers */
	uint16_t n_arrived;  /* at the current barrier */
	uint8_t wg_id;	     /* HW_ID2.WG_ID, 0..31 in its WGP */
	uint32_t id[3];	     /* workgroup ids */
	struct bw_wave *wave[32];
	void *owner;		      /* the dispatcher's record */
	struct bw_check_group *check; /* NULL: the group is not checked */
	bool is_touch_checked;	      /* memory instructions tell what they touch (touch.h) */
	struct bw_init_group *init;   /* NULL: not for values that nobody wrote */
};

struct bw_wave {
	uint32_t s[BW_SGPR_COUNT] __attribute__((aligned(64)));
	uint64_t pc;  /* of the next instruction, canonical, multiple of 4 */
	uint32_t scc; /* 0 or 1 */
	uint32_t mode;
	uint32_t status; /* without SCC, EXECZ, VCCZ */
	uint32_t trapsts;
	uint32_t *v;	  /* VGPR n, lane l: v[n * lanes + l]; 64-byte aligned */
	uint16_t n_vgprs; /* allocated */
	/* gfx942: the VGPR that is a0; they are in one file */
	uint16_t accum_offset;
	uint8_t lanes;	    /* 32 or 64 */
	uint8_t align_mode; /* enum bw_align_mode */
	uint8_t vmid;

	struct bw_workgroup *wg;
	struct bw_tlb *tlb; /* of the running thread for this vmid; set before each run */
	struct bw_device *dev;

	uint64_t flat_scratch;	 /* this wave's scratch base, 256-byte aligned; 0 without scratch */
	bool scratch_in_sgprs;	 /* gfx902: the program makes FLAT_SCRATCH, in s[102:103] */
	uint32_t scratch_size_b; /* bytes of the whole wave */
	uint32_t hw_id1, hw_id2, gpr_alloc, lds_alloc; /* as s_getreg shows them */
	uint32_t ib_sts; /* the counters, where operations take their time: strict mode */
	uint32_t dispatch_initiator;
	uint8_t index_in_group;
	/* STATUS.HALT is the shader's own doing (s_sethalt, s_sendmsghalt), not a debugger's */
	bool halts_itself;
	bool handler_waits; /* STATUS.IN_BARRIER is of an s_barrier of the trap handler */
	enum bw_wave_switch switching;
	bool in_trap_on_end;	  /* the trap at s_endpgm (MODE bit 21) has been taken */
	_Atomic uint32_t request; /* enum bw_wave_request */

	/* why the last run stopped, for the scheduler */
	uint64_t sleep_clocks;	  /* BW_RUN_SLEEP: how long, in shader clocks */
	uint32_t sleeps_in_a_row; /* sleeps with little between them: a polling loop */
	uint64_t n_executed_at_sleep;
	struct bw_gws_wait gws;
	/* the single-step trap of an instruction that made the wave wait */
	bool step_pending;
	bool step_request; /* BW_REQ_STEP: trap after the next instruction */
	/* of accesses since the last trap for one: a bit each of TCP_WATCH0-3 */
	uint8_t watch_hits;
	/* without precise memory: instructions until the trap for them, + 1 */
	uint8_t watch_late;
	bool finding_is_here; /* BW_REQ_FINDING is about the next instruction, not the last one */
	uint64_t finding_pc;  /* the next instruction, if the wave has stopped there for that */
	uint64_t n_executed;  /* instructions, for SHADER_CYCLES, statistics and --fidelity */

	/* BW_RUN_FAULT and illegal instructions, for messages and the driver's interrupt */
	struct bw_vm_fault fault;
	uint64_t fault_pc;
	uint64_t fault_lanes;
	/* The executor's own: where writes to NULL go, and SCC when it is read as a 64-bit operand.
	 * Here so that every scalar operand lies in the wave. */
	uint64_t null_dst[2], scc64;
	void *exec_private;
};

enum bw_run {
	BW_RUN_QUANTUM, /* budget used up, or BW_REQ_YIELD */
	BW_RUN_ENDED,	/* s_endpgm, or killed */
	BW_RUN_BARRIER, /* waits at s_barrier; wg->n_arrived has been raised by this wave */
	BW_RUN_SLEEP,	/* s_sleep */
	BW_RUN_HALTED,	/* STATUS.HALT */
	/* exception without a trap handler: STATUS.HALT and FATAL_HALT are set, fault or trapsts
	 * say why; the device raises the interrupt */
	BW_RUN_FATAL,
};

/* What the addresses of a lane's own memory begin with. */
static inline uint64_t bw_wave_scratch(const struct bw_wave *w)
{
	return w->scratch_in_sgprs
		       ? bw_join32(w->s[BW_SRC_FLAT_SCRATCH_LO + 1], w->s[BW_SRC_FLAT_SCRATCH_LO])
		       : w->flat_scratch;
}

#endif
