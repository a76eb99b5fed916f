/* SPDX-License-Identifier: MIT */
#ifndef BW_TRAP_TRAP_H
#define BW_TRAP_TRAP_H

/* The interface of the trap handler (handler.S) and the debugger: the debug area in the program's
 * GPU memory. The assembler reads the #defines, C also the structs; a test compares them.
 *
 *     area + 0        control block, 4 KiB: written by the debugger, read by waves. TMA: here
 *     area + slots    one slot of 4 KiB for each wave slot of the device
 *     area + vgprs    one VGPR save area for each slot (bw_trap_vgpr_stride())
 *
 * A wave finds its slot from HW_ID1: ((((SE * sas + SA) * wgps + WGP) * 4 + SIMD) * waves + WAVE).
 *
 * Protocol of a slot, one writer at a time:
 *   - State FREE: the wave fills the slot, waits for its stores, writes STOPPED, adds 1 to the
 *     stop count in the control block, and polls `command`, sleeping in between.
 *   - The debugger reads, edits, writes the command's arguments and then `command` =
 *     bw_trap_command() with the slot's `seq`, so that a late command cannot reach the slot's next
 *     user.
 *   - RESUME: the wave restores everything, edits included, writes state FREE and returns to the
 *     shader.
 *   - Other commands: the wave executes them, writes command = 0, and continues to poll. */

#define BW_TRAP_MAGIC 0x70617277 /* "wrap" */
#define BW_TRAP_VERSION 4

/* Control block */
#define BW_TRAP_C_MAGIC 0x00
#define BW_TRAP_C_FLAGS 0x04 /* BW_TRAP_F_* */
/* u64: the control block's own address. Waves find the block by what stands 8 bytes after TMA:
 * KFD's first-level handler has a TMA of its own, which has the second level's there. */
#define BW_TRAP_C_SELF 0x08
#define BW_TRAP_C_SAS 0x10     /* u32: shader arrays per engine */
#define BW_TRAP_C_WGPS 0x14    /* u32: WGPs per array (harvested ones counted) */
#define BW_TRAP_C_WAVES 0x18   /* u32: waves per SIMD */
#define BW_TRAP_C_SLOTS 0x1c   /* u32: byte offset of slot 0 from the control block */
#define BW_TRAP_C_VGPRS 0x20   /* u32: byte offset of VGPR area 0, in units of 4 KiB */
#define BW_TRAP_C_N_SLOTS 0x24 /* u32 */
#define BW_TRAP_C_VERSION 0x28
/* u32: bits that the debugger sets in waves, in the register that says what a wave enters the
 * handler for, and which of a slot's registers that is (BW_TRAP_HW_MODE). Once DETACHED, a wave
 * loses them on its way through the handler */
#define BW_TRAP_C_ENABLES 0x2c
#define BW_TRAP_C_ENABLES_HW 0x30
#define BW_TRAP_C_STOPS 0x34 /* u32, counts stops: the one line to poll */
#define BW_TRAP_C_HOMES 0x38 /* u32: BW_TRAP_HOME after KFD's handler, else 0 */
/* BW_TRAP_N_FILTERS entries of 32 bytes: u64 PC of the s_trap, u64 code of the filter, u64 where to
 * resume, u64 how many VGPRs the filter may change; PC 0: none */
#define BW_TRAP_C_FILTERS 0x400
#define BW_TRAP_C_SIZE 0x1000

/* Bits of TTMP11, which SPI leaves 0 for the waves of KFD, and KFD saves: 1 + the slot of a wave
 * that has come back from a context save, wherever it runs; 0: its slot follows from HW_ID1. */
#define BW_TRAP_HOME_LO 7
#define BW_TRAP_HOME (0xffff << BW_TRAP_HOME_LO)

#define BW_TRAP_F_DETACHED 1 /* no debugger is attached: save nothing, resume at once */
/* the program has ended with its code still patched: waves end at once */
#define BW_TRAP_F_ABANDONED 2
/* all waves are being stopped: those that come to a filter stop in front of it */
#define BW_TRAP_F_STOPPING 4

#define BW_TRAP_SLOT_STRIDE 0x1000
/* A VGPR save area has 256 VGPRs of 64 lanes, or with AccVGPRs 512, in pages of 4 KiB. */
#define BW_TRAP_VGPR_PAGES_LOG2 4
#define BW_TRAP_VGPR_PAGES_LOG2_ACC 5

/* Slot */
#define BW_TRAP_S_STATE 0x00
#define BW_TRAP_S_COMMAND 0x04
#define BW_TRAP_S_SEQ 0x08  /* raised by the wave at each stop */
#define BW_TRAP_S_ARG0 0x0c /* arguments of a command */
#define BW_TRAP_S_ARG1 0x10
/* 1: to a wave that KFD has put elsewhere after a context save: others who come wait while it has
 * stopped */
#define BW_TRAP_S_LENT 0x14
/* where s_trap BW_TRAP_ID_DISPLACED resumes; set by the debugger */
#define BW_TRAP_S_RETURN_LO 0x18
#define BW_TRAP_S_RETURN_HI 0x1c
/* The wave's registers, in this order from here on, one dword each: see enum bw_trap_hw */
#define BW_TRAP_S_HW 0x80
#define BW_TRAP_S_SGPR 0x100 /* 108 dwords: s0..s105, VCC */
#define BW_TRAP_S_DATA 0x800 /* 512 dwords for LDS_READ and LDS_WRITE */
#define BW_TRAP_DATA_DW 512

#define BW_TRAP_HW_PC_LO 0
#define BW_TRAP_HW_PC_HI 1 /* 15:0; as restored by RESUME */
#define BW_TRAP_HW_EXEC_LO 2
#define BW_TRAP_HW_EXEC_HI 3
#define BW_TRAP_HW_M0 4
#define BW_TRAP_HW_STATUS 5 /* as at entry, SCC among it */
#define BW_TRAP_HW_MODE 6   /* without single steps: set them to step */
#define BW_TRAP_HW_TRAPSTS                                                                         \
	7		    /* as at entry; RESUME restores ALU exceptions that are not enabled   \
			      */
#define BW_TRAP_HW_TTMP1 8  /* cause: trap id, host trap */
#define BW_TRAP_HW_HW_ID1 9 /* gfx942: HW_ID */
#define BW_TRAP_HW_HW_ID2 10
#define BW_TRAP_HW_GPR_ALLOC 11
#define BW_TRAP_HW_LDS_ALLOC 12
#define BW_TRAP_HW_IB_STS 13  /* at entry, before any wait */
#define BW_TRAP_HW_IB_STS2 14 /* WAVE64 is bit 11 */
#define BW_TRAP_HW_FLAT_SCRATCH_LO 15
#define BW_TRAP_HW_FLAT_SCRATCH_HI 16
#define BW_TRAP_HW_CYCLES 17
#define BW_TRAP_HW_TTMP6 18 /* dispatch packet index, where SPI wrote it */
#define BW_TRAP_HW_TTMP8 19 /* workgroup X, Y, Z */
#define BW_TRAP_HW_TTMP9 20
#define BW_TRAP_HW_TTMP10 21
#define BW_TRAP_HW_TTMP11 22 /* 5:0 wave in group */
#define BW_TRAP_HW_VGPRS 23  /* how many were saved; 0 after DEALLOC_VGPRS */
#define BW_TRAP_HW_COUNT 24

#define BW_TRAP_STATE_FREE 0
#define BW_TRAP_STATE_STOPPED 1 /* all saved, waiting */

/* the command is in bits 7:0, the slot's sequence number in those above */
#define BW_TRAP_CMD_WHAT 0xff
#define BW_TRAP_CMD_SEQ_LO 8
#define BW_TRAP_CMD_RESUME 1	     /* ARG0: BW_TRAP_RESUME_* */
#define BW_TRAP_CMD_LDS_READ 2	     /* ARG0: byte offset, ARG1: dwords (up to 512) -> DATA */
#define BW_TRAP_CMD_LDS_WRITE 3	     /* DATA -> LDS */
#define BW_TRAP_CMD_END 4	     /* the wave ends here */
#define BW_TRAP_RESUME_KEEP_ICACHE 1 /* no code was written since this wave stopped */

/* s_trap ids of our own; 1..3 are those of the compilers (breakpoint, assert, debug), and two are
 * the virtual GPU's (BW_TRAP_ID_FINDING in arch/arch.h). */
#define BW_TRAP_ID_BREAKPOINT 0x7f
#define BW_TRAP_ID_DISPLACED 0x7e /* end of a displaced instruction: resume at the slot's RETURN */

/* Breakpoints with a condition that the handler can test: s_trap BW_TRAP_ID_FILTER + n stands for
 * entry n. The filter is called with the shader's registers as they are and EXEC its own; it may
 * change ttmp2, 3, 14, 15 and SCC (ttmp7 and 13 hold the address to resume at, and must hold it in
 * the end, too) and as many VGPRs, from v0 on, as its entry says (up to BW_TRAP_FILTER_VGPRS),
 * which the handler saves before; it returns by ttmp[4:5] with SCC set where the wave is to stop.
 * Otherwise it resumes at the address in the entry: [original instruction][s_trap
 * BW_TRAP_ID_CELL_END][u64 PC of the instruction after the original]. */
#define BW_TRAP_ID_FILTER 0x40
#define BW_TRAP_N_FILTERS 60
#define BW_TRAP_FILTER_VGPRS 8
#define BW_TRAP_ID_CELL_END 0x7d
/* A wave whose queue KFD has taken off the GPU executes it when the queue comes back, and waits for
 * commands again, in the slot that it had. */
#define BW_TRAP_ID_PARKED 0x7c

/* Where KFD's first-level handler jumps to, in bytes from the handler's address. ttmp12 has STATUS
 * there already. */
#define BW_TRAP_SECOND_LEVEL 4

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

static inline uint32_t bw_trap_command(uint32_t what, uint32_t seq)
{
	return what | seq << BW_TRAP_CMD_SEQ_LO;
}

struct bw_trap_control {
	uint32_t magic, flags;
	uint64_t self;
	uint32_t sas, wgps, waves, slots_offset_b, vgprs_offset_4k, n_slots, version;
	uint32_t enables, enables_hw, stops, homes;
};
struct bw_trap_filter {
	uint64_t pc, code, resume, vgprs;
};
struct bw_trap_slot {
	uint32_t state, command, seq, arg0, arg1, lent, return_lo, return_hi;
	uint32_t pad1[24];
	uint32_t hw[32];
	uint32_t sgpr[108];
	uint32_t pad2[340];
	uint32_t data[BW_TRAP_DATA_DW];
};
_Static_assert(offsetof(struct bw_trap_control, self) == BW_TRAP_C_SELF, "");
_Static_assert(offsetof(struct bw_trap_control, version) == BW_TRAP_C_VERSION, "");
_Static_assert(offsetof(struct bw_trap_control, stops) == BW_TRAP_C_STOPS, "");
_Static_assert(offsetof(struct bw_trap_control, homes) == BW_TRAP_C_HOMES, "");
_Static_assert(offsetof(struct bw_trap_control, enables) == BW_TRAP_C_ENABLES, "");
_Static_assert(offsetof(struct bw_trap_control, enables_hw) == BW_TRAP_C_ENABLES_HW, "");
_Static_assert(sizeof(struct bw_trap_filter) == 32, "");
_Static_assert(BW_TRAP_C_FILTERS + BW_TRAP_N_FILTERS * 32 <= BW_TRAP_C_SIZE, "");
_Static_assert(offsetof(struct bw_trap_slot, lent) == BW_TRAP_S_LENT, "");
_Static_assert(offsetof(struct bw_trap_slot, return_hi) == BW_TRAP_S_RETURN_HI, "");
_Static_assert(offsetof(struct bw_trap_slot, hw) == BW_TRAP_S_HW, "");
_Static_assert(offsetof(struct bw_trap_slot, sgpr) == BW_TRAP_S_SGPR, "");
_Static_assert(offsetof(struct bw_trap_slot, data) == BW_TRAP_S_DATA, "");
_Static_assert(sizeof(struct bw_trap_slot) == BW_TRAP_SLOT_STRIDE, "");

/* The assembled handler for a generation, or NULL when there is none for it. Position independent,
 * padded with s_code_end (gfx942: s_endpgm); must be placed at a multiple of 256 bytes. */
const void *bw_trap_handler(const struct bw_arch *arch, size_t *out_size_b);
/* The index in a slot's hw[] of a register of the wave; -1: the handler does not save it. */
int bw_trap_hw_of(enum bw_wreg reg);

/* From one VGPR save area to the next. VGPRs follow each other in one, AccVGPRs after the others.
 */
uint64_t bw_trap_vgpr_stride(const struct bw_arch *arch);
/* Bytes of an area for n_slots waves, and the control block for it. */
uint64_t bw_trap_area_size(const struct bw_arch *arch, uint32_t n_slots);
void bw_trap_control_init(struct bw_trap_control *out, const struct bw_arch *arch, uint32_t ses,
			  uint32_t sas, uint32_t wgps, uint32_t waves);
/* The area's control block is at this address in the waves' address space. */
void bw_trap_place(void *area, uint64_t va);
/* The handler is entered after KFD's, whose context saves may move waves. */
void bw_trap_allow_moves(void *area);
/* Slot of a wave by its HW_ID1, or -1 when HW_ID1 names no slot of this control block. */
int bw_trap_slot_index(const struct bw_arch *arch, const struct bw_trap_control *c,
		       uint32_t hw_id1);
/* control.enables for exceptions (enum bw_excp) that the debugger enables; single steps are always
 * among them. */
uint32_t bw_trap_enables(const struct bw_arch *arch, uint32_t excp);

/* Marks the area as attached again. */
void bw_trap_listen(void *area);
/* Marks the area as detached: waves that enter the handler from now on resume at once. Code has
 * been restored before. */
void bw_trap_detach(void *area);
/* Resumes the waves that are stopped in a detached area, without the bits that the debugger had set
 * in them (enables). To be repeated, by one process at a time, until the trap registers are
 * restored: a wave that was entering the handler when the area was detached stops once more. The
 * content of the area is checked: nothing outside of it is accessed. Returns how many were
 * stopped. */
unsigned bw_trap_release(void *area, uint64_t size_b);
/* Like bw_trap_release, where the program has ended and its code has not been restored: waves end.
 * */
void bw_trap_abandon(void *area, uint64_t size_b);
#endif

#endif
