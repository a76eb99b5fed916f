/* SPDX-License-Identifier: MIT */

/* The trap handler, of all generations: gfx11.S and gfx942.S include it after they have said how their
 * instructions are spelled and where their registers are (the list is in gfx11.S). Saves a wave that
 * stops into its slot of the debug area, waits for the debugger, restores everything, edits included,
 * and returns. trap.h has the layout and the protocol. The binary is the same on hardware and on the
 * virtual GPU, for wave32 and wave64.
 *
 * Facts: doc/hardware/traps.md 2 to 5; amdkfd/cwsr_trap_handler_gfx10.asm and _gfx9.asm of Linux 7.1
 * for which registers hold what (no code of them is used).
 *
 * Registers. The shader owns everything but TTMPs. TTMP6 and 8..11 carry the dispatch's data from SPI
 * and are left alone. Ours:
 *     ttmp0:1    PC and cause
 *     ttmp2:3    this wave's VGPR area
 *     ttmp4:5    EXEC until it is saved and after it is restored, scratch in between
 *     ttmp7      IB_STS at entry, later the number of VGPRs, later the slot's sequence number
 *     ttmp12     STATUS at entry (SCC!), scratch (with 13 as a pair) while the wave waits
 *     ttmp13     scratch
 *     ttmp14:15  this wave's slot; while KFD has saved the wave it is in ttmp4:5
 *     ttmp11     BW_TRAP_HOME
 *
 * What a generation does not have (the two macros are 0):
 *     HAS_SECOND_LEVEL  On Linux's KFD the handler is the second level: KFD's own is entered first, for
 *                       context saves (CWSR), and jumps to `second_level` for all else. A wave that
 *                       waits here leaves to it when a save is asked for (`park`).
 *     HAS_FILTERS       Breakpoints with a condition that is tested here (BW_TRAP_ID_FILTER).
 *
 * Two rules of the code below: SCC belongs to the shader until STATUS has been read, and after STATUS
 * has been written back; and no VGPR may be touched before v0 is in memory (on gfx942, v0 and v1). */

/* The second operand of s_bfe_i64 that makes an address canonical. */
#define VA_BITS (48 << 16)

/* The control block's address: it says so itself, and KFD's first-level handler in its TMA as well. */
.macro control_block lo, hi
	get_tma \lo, \hi
	s_lshl_b64 ttmp[\lo:\hi], ttmp[\lo:\hi], 8
	s_bfe_i64 ttmp[\lo:\hi], ttmp[\lo:\hi], VA_BITS
	S_LOAD_B64 ttmp[\lo:\hi], ttmp[\lo:\hi], BW_TRAP_C_SELF GLC_SCALAR
	s_waitcnt lgkmcnt(0)
.endm

/* slot = (((SE * sas + SA) * wgps + WGP) * 4 + SIMD) * waves + WAVE, in ttmp4; from the control block
 * in ttmp[14:15]. In ttmp3 BW_TRAP_C_SLOTS; ttmp2, ttmp5 and SCC are changed. A wave that KFD has put
 * elsewhere keeps the slot that it had (BW_TRAP_HOME). */
.macro slot_number
	S_LOAD_B64 ttmp[2:3], ttmp[14:15], BW_TRAP_C_SAS GLC_SCALAR
	s_waitcnt lgkmcnt(0)
	s_getreg_b32 ttmp4, AT_SE
	s_mul_i32 ttmp4, ttmp4, ttmp2
	s_getreg_b32 ttmp5, AT_SA
	s_add_u32 ttmp4, ttmp4, ttmp5
	s_mul_i32 ttmp4, ttmp4, ttmp3
	s_getreg_b32 ttmp5, AT_WGP
	s_add_u32 ttmp4, ttmp4, ttmp5
	s_lshl_b32 ttmp4, ttmp4, 2
	s_getreg_b32 ttmp5, AT_SIMD
	s_add_u32 ttmp4, ttmp4, ttmp5
	S_LOAD_B64 ttmp[2:3], ttmp[14:15], BW_TRAP_C_WAVES GLC_SCALAR /* waves, slots */
	s_waitcnt lgkmcnt(0)
	s_mul_i32 ttmp4, ttmp4, ttmp2
	s_getreg_b32 ttmp5, AT_WAVE
	s_add_u32 ttmp4, ttmp4, ttmp5
#if HAS_SECOND_LEVEL
	S_LOAD_B32 ttmp2, ttmp[14:15], BW_TRAP_C_HOMES GLC_SCALAR
	s_waitcnt lgkmcnt(0)
	s_and_b32 ttmp2, ttmp2, ttmp11
	s_lshr_b32 ttmp2, ttmp2, BW_TRAP_HOME_LO
	s_sub_u32 ttmp5, ttmp2, 1
	s_cmp_lg_u32 ttmp2, 0
	s_cselect_b32 ttmp4, ttmp5, ttmp4
#endif
.endm

#if HAS_FILTERS
/* Before and after a filter that needs VGPRs: this wave's VGPR area in ttmp[2:3], which is free until the
 * wave is saved, how many it needs in ttmp4, and EXEC in ttmp[14:15]. */
.macro filter_vgprs_begin
	control_block 14, 15
	slot_number
	S_LOAD_B32 ttmp2, ttmp[14:15], BW_TRAP_C_VGPRS GLC_SCALAR
	s_lshl_b32 ttmp4, ttmp4, VGPR_PAGES_LOG2
	s_bfe_u32 ttmp5, ttmp1, BFE(TTMP1, TRAP_ID)
	s_sub_u32 ttmp5, ttmp5, BW_TRAP_ID_FILTER
	s_lshl_b32 ttmp5, ttmp5, 5
	s_mov_b32 ttmp3, 0
	s_waitcnt lgkmcnt(0)
	s_add_u32 ttmp2, ttmp2, ttmp4
	S_LOAD_B32 ttmp4, ttmp[14:15], ttmp5 offset:BW_TRAP_C_FILTERS + 24 GLC_SCALAR
	s_lshl_b64 ttmp[2:3], ttmp[2:3], 12
	s_waitcnt lgkmcnt(0)
	s_add_u32 ttmp2, ttmp2, ttmp14
	s_addc_u32 ttmp3, ttmp3, ttmp15
	s_mov_b64 ttmp[14:15], exec
	s_mov_b64 exec, -1
.endm

/* \op moves v0 to v(ttmp4 - 1). */
.macro filter_vgprs op, done
	.set n, 0
	.rept BW_TRAP_FILTER_VGPRS
	.if n > 0
	s_cmp_le_u32 ttmp4, n
	s_cbranch_scc1 \done
	.endif
	\op v[n], ttmp[2:3], n * 256
	.set n, n + 1
	.endr
.endm
#endif

	.text
	.p2align 8
handler:
	s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
#if HAS_SECOND_LEVEL
second_level: /* KFD's handler jumps to here: with STATUS in ttmp12, and SCC its own */
	.if second_level - handler != BW_TRAP_SECOND_LEVEL
	.error "BW_TRAP_SECOND_LEVEL is wrong"
	.endif
	s_bfe_u32 ttmp2, ttmp1, BFE(TTMP1, TRAP_ID)
	s_cmp_eq_u32 ttmp2, BW_TRAP_ID_PARKED
	s_cbranch_scc1 unpark
not_parked:
#endif
	s_getreg_b32 ttmp7, hwreg(HW_REG_IB_STS)
#if HAS_FILTERS
	s_bfe_u32 ttmp4, ttmp1, BFE(TTMP1, TRAP_ID)
	s_sub_u32 ttmp5, ttmp4, BW_TRAP_ID_FILTER
	s_cmp_lt_u32 ttmp5, BW_TRAP_N_FILTERS
	s_cbranch_scc1 filtered
	s_cmp_eq_u32 ttmp4, BW_TRAP_ID_CELL_END
	s_cbranch_scc1 cell_end
#endif
entry:
	/* A load of the shader could otherwise land in a register after it was saved. */
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	WAIT_STORES
	control_block 14, 15
	slot_number

	S_LOAD_B32 ttmp2, ttmp[14:15], BW_TRAP_C_VGPRS GLC_SCALAR
	S_LOAD_B32 ttmp13, ttmp[14:15], BW_TRAP_C_FLAGS GLC_SCALAR
	s_waitcnt lgkmcnt(0)
	/* VGPR area = control + (vgprs + slot * its pages) * 4096 */
	s_lshl_b32 ttmp5, ttmp4, VGPR_PAGES_LOG2
	s_add_u32 ttmp2, ttmp2, ttmp5
	/* slot address = control + slots + slot * 4096 */
	s_lshl_b32 ttmp4, ttmp4, 12
	s_add_u32 ttmp4, ttmp4, ttmp3
	s_mov_b32 ttmp3, 0
	s_lshl_b64 ttmp[2:3], ttmp[2:3], 12
	s_add_u32 ttmp2, ttmp2, ttmp14
	s_addc_u32 ttmp3, ttmp3, ttmp15
	s_add_u32 ttmp14, ttmp14, ttmp4
	s_addc_u32 ttmp15, ttmp15, 0

	s_bfe_u32 ttmp4, ttmp1, BFE(TTMP1, TRAP_ID) /* once more */
	s_cmp_eq_u32 ttmp4, BW_TRAP_ID_DISPLACED
	s_cbranch_scc1 displaced
	s_bitcmp1_b32 ttmp13, 1 /* BW_TRAP_F_ABANDONED */
	s_cbranch_scc1 abandoned
	s_bitcmp1_b32 ttmp13, 0 /* BW_TRAP_F_DETACHED */
	s_cbranch_scc1 detached
#if HAS_DEALLOC
	/* After DEALLOC_VGPRS a wave has nothing to store through, and only its end before it. */
	s_bitcmp1_b32 ttmp12, GEN(STATUS__NO_VGPRS_LO)
	s_cbranch_scc0 await_slot
#else
	s_branch await_slot
#endif
abandoned:
	s_endpgm

#if HAS_SECOND_LEVEL
/* ---- the slot is lent to a wave that KFD has put elsewhere, and that stands in the handler ---- */
slot_is_lent:
	s_getreg_b32 ttmp4, FIELD(TRAPSTS, SAVECTX)
	s_cmp_eq_u32 ttmp4, 0
	s_cbranch_scc0 leave /* nothing has been saved: it comes again when it is back */
	s_sleep 0x20
#endif
await_slot:
#if HAS_SECOND_LEVEL
	S_LOAD_B64 ttmp[4:5], ttmp[14:15], BW_TRAP_S_STATE GLC_SCALAR /* and the command */
	S_LOAD_B32 ttmp13, ttmp[14:15], BW_TRAP_S_LENT GLC_SCALAR
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 ttmp13, 0
	s_cbranch_scc1 save
	s_and_b32 ttmp13, ttmp11, BW_TRAP_HOME
	s_cbranch_scc1 save /* to this wave */
	s_cmp_eq_u32 ttmp4, BW_TRAP_STATE_STOPPED
	s_cbranch_scc1 slot_is_lent
#else
	s_branch save
#endif

/* ---- the end of a displaced instruction: resume after the original, nothing is saved ---- */
displaced:
	S_LOAD_B64 ttmp[0:1], ttmp[14:15], BW_TRAP_S_RETURN_LO GLC_SCALAR
	s_waitcnt lgkmcnt(0)
	s_branch leave

#if HAS_FILTERS
/* ---- a breakpoint with a condition: nothing is saved unless it may hold ---- */
filtered:
	/* A wave without VGPRs (DEALLOC_VGPRS) has nothing to compare: it takes the way of all stops. */
	s_bitcmp1_b32 ttmp12, GEN(STATUS__NO_VGPRS_LO)
	s_cbranch_scc1 entry
	control_block 14, 15
	S_LOAD_B32 ttmp13, ttmp[14:15], BW_TRAP_C_FLAGS GLC_SCALAR
	s_lshl_b32 ttmp5, ttmp5, 5
	s_waitcnt lgkmcnt(0)
	s_add_u32 ttmp14, ttmp14, ttmp5
	s_addc_u32 ttmp15, ttmp15, 0
	S_LOAD_B64 ttmp[2:3], ttmp[14:15], BW_TRAP_C_FILTERS GLC_SCALAR /* PC of the breakpoint */
	S_LOAD_B64 ttmp[4:5], ttmp[14:15], BW_TRAP_C_FILTERS + 16 GLC_SCALAR /* where to resume */
	s_waitcnt lgkmcnt(0)
	/* an s_trap of the shader's own with this id is none of ours */
	s_cmp_eq_u32 ttmp2, ttmp0
	s_cbranch_scc0 entry
	s_and_b32 ttmp3, ttmp3, 0xffff
	s_and_b32 ttmp2, ttmp1, GEN(TTMP1__PC_HI)
	s_cmp_eq_u32 ttmp2, ttmp3
	s_cbranch_scc0 entry
	s_bitcmp1_b32 ttmp13, 1 /* BW_TRAP_F_ABANDONED */
	s_cbranch_scc1 abandoned
	s_bitcmp1_b32 ttmp13, 0 /* BW_TRAP_F_DETACHED: the original instruction is back in its place */
	s_cbranch_scc1 detached_leave
	s_bitcmp1_b32 ttmp13, 2 /* BW_TRAP_F_STOPPING */
	s_cbranch_scc1 filter_stopping
	S_LOAD_B64 ttmp[2:3], ttmp[14:15], BW_TRAP_C_FILTERS + 8 GLC_SCALAR /* the filter */
	s_mov_b32 ttmp7, ttmp4
	s_mov_b32 ttmp13, ttmp5
	S_LOAD_B32 ttmp4, ttmp[14:15], BW_TRAP_C_FILTERS + 24 GLC_SCALAR /* VGPRs that it needs */
	/* What the shader has loaded and stored must be there when it is compared. */
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	WAIT_STORES
	s_cmp_lg_u32 ttmp4, 0
	s_cbranch_scc1 filter_with_vgprs
	s_swappc_b64 ttmp[4:5], ttmp[2:3]
	s_cbranch_scc1 filter_stops
filter_passes:
	s_mov_b32 ttmp0, ttmp7
	s_mov_b32 ttmp1, ttmp13
	s_branch leave
filter_stops:
	s_getreg_b32 ttmp7, hwreg(HW_REG_IB_STS)
	s_branch entry

	/* All waves are to stop. One that comes by here again and again is in the handler most of the time,
	 * and ignores host traps there: it stops in front of the s_trap, as if it had got one. */
filter_stopping:
	s_and_b32 ttmp1, ttmp1, GEN(TTMP1__PC_HI)
	s_bitset1_b32 ttmp1, GEN(TTMP1__HOST_TRAP_LO)
	s_branch entry

	/* The shader's v0 ... lie in the wave's VGPR area meanwhile. */
filter_with_vgprs:
	filter_vgprs_begin
	filter_vgprs lanes_store, filter_saved
filter_saved:
	s_mov_b64 exec, ttmp[14:15]
	control_block 2, 3
	s_bfe_u32 ttmp4, ttmp1, BFE(TTMP1, TRAP_ID)
	s_sub_u32 ttmp4, ttmp4, BW_TRAP_ID_FILTER
	s_lshl_b32 ttmp4, ttmp4, 5
	S_LOAD_B64 ttmp[2:3], ttmp[2:3], ttmp4 offset:BW_TRAP_C_FILTERS + 8 GLC_SCALAR
	s_waitcnt lgkmcnt(0)
	s_swappc_b64 ttmp[4:5], ttmp[2:3]
	/* What it says outlives what follows in the highest bit of the address to resume at, where it is
	 * 0. */
	s_cselect_b32 ttmp4, 0x80000000, 0
	s_or_b32 ttmp13, ttmp13, ttmp4
	WAIT_STORES
	filter_vgprs_begin
	filter_vgprs lanes_load, filter_restored
filter_restored:
	s_waitcnt vmcnt(0)
	s_mov_b64 exec, ttmp[14:15]
	s_bitcmp1_b32 ttmp13, 31
	s_cbranch_scc1 filter_stops
	s_branch filter_passes

/* ---- the end of the copy that rejected waves execute: the PC to resume at lies after it ---- */
cell_end:
	s_and_b32 ttmp1, ttmp1, GEN(TTMP1__PC_HI)
	s_bfe_i64 ttmp[0:1], ttmp[0:1], VA_BITS
	S_LOAD_B64 ttmp[0:1], ttmp[0:1], 4 GLC_SCALAR
	s_waitcnt lgkmcnt(0)
	s_branch leave

#endif

/* ---- no debugger is attached any more ---- */
detached:
	s_cmp_eq_u32 ttmp4, 0
	s_cbranch_scc1 detached_no_trap
	/* Reads the instruction there now. The s_trap of a breakpoint was fetched before it was
	 * removed, and the original instruction is back. An s_trap of the shader's own is
	 * skipped. */
	s_mov_b64 ttmp[2:3], ttmp[0:1]
	s_bfe_i64 ttmp[2:3], ttmp[2:3], VA_BITS
	S_LOAD_B32 ttmp4, ttmp[2:3], NO_OFFSET GLC_SCALAR
	s_waitcnt lgkmcnt(0)
	s_lshr_b32 ttmp4, ttmp4, 16
	s_cmp_eq_u32 ttmp4, GEN(S_TRAP) >> 16 /* without its SIMM16 */
	s_cbranch_scc0 detached_leave
	s_add_u32 ttmp0, ttmp0, 4
	s_addc_u32 ttmp1, ttmp1, 0
	s_branch detached_leave
detached_no_trap:
	s_getreg_b32 ttmp4, hwreg(HW_REG_TRAPSTS)
	/* would come again for ever */
	s_and_b32 ttmp4, ttmp4, GEN(TRAPSTS__MEM_VIOL) | GEN(TRAPSTS__ILLEGAL_INST)
	s_cbranch_scc1 detached_fatal
	s_setreg_imm32_b32 SPAN(TRAPSTS, ADDR_WATCH0, MEM_VIOL), 0
	SETREG_GAP
	s_setreg_imm32_b32 FIELD(TRAPSTS, EXCP_HI), 0
	SETREG_GAP
	s_setreg_imm32_b32 SPAN(TRAPSTS, HOST_TRAP, TRAP_AFTER_INST), 0
	/* What the debugger had set in MODE: a single step, exceptions it wanted to see */
	control_block 2, 3
	s_getreg_b32 ttmp4, hwreg(HW_REG_MODE)
	S_LOAD_B32 ttmp5, ttmp[2:3], BW_TRAP_C_ENABLES GLC_SCALAR
	s_waitcnt lgkmcnt(0)
	S_AND_NOT1_B32 ttmp4, ttmp4, ttmp5
	s_setreg_b32 hwreg(HW_REG_MODE), ttmp4
	/* Float exceptions that are not enabled stay: the shader may look at them. */
	s_lshr_b32 ttmp4, ttmp4, GEN(MODE__EXCP_EN_LO)
	s_getreg_b32 ttmp5, FIELD(TRAPSTS, EXCP_ALU)
	S_AND_NOT1_B32 ttmp5, ttmp5, ttmp4
	s_setreg_b32 FIELD(TRAPSTS, EXCP_ALU), ttmp5
detached_leave:
	s_icache_inv
	s_branch leave
detached_fatal:
	s_sethalt 5
	s_branch detached_fatal

/* ---- save ---- */
save:
	s_mov_b64 ttmp[4:5], exec
	s_mov_b64 exec, -1
	save_first_vgprs

	/* From here on v0 is free. SGPRs go out by 32 lanes of it, in wave64 too. */
	s_mov_b32 exec_hi, 0

.macro sgpr_save_block base, count
	.set i, 0
	.rept \count
	sgpr_save \base+i, i
	.set i, i + 1
	.endr
	lanes_store v0, ttmp[14:15], BW_TRAP_S_SGPR + \base * 4
.endm
	sgpr_save_block 0, 32
	sgpr_save_block 32, 32
	sgpr_save_block 64, 32
	sgpr_save_block 96, 12

.macro hwreg_save number, reg:vararg
	s_getreg_b32 ttmp13, hwreg(\reg)
	v_writelane_b32 v0, ttmp13, \number
.endm
	s_and_b32 ttmp13, ttmp1, GEN(TTMP1__PC_HI)
	v_writelane_b32 v0, ttmp0, BW_TRAP_HW_PC_LO
	v_writelane_b32 v0, ttmp13, BW_TRAP_HW_PC_HI
	v_writelane_b32 v0, ttmp4, BW_TRAP_HW_EXEC_LO
	v_writelane_b32 v0, ttmp5, BW_TRAP_HW_EXEC_HI
	v_writelane_b32 v0, m0, BW_TRAP_HW_M0
	v_writelane_b32 v0, ttmp12, BW_TRAP_HW_STATUS
	v_writelane_b32 v0, ttmp1, BW_TRAP_HW_TTMP1
	v_writelane_b32 v0, ttmp7, BW_TRAP_HW_IB_STS
	v_writelane_b32 v0, ttmp6, BW_TRAP_HW_TTMP6
	v_writelane_b32 v0, ttmp8, BW_TRAP_HW_TTMP8
	v_writelane_b32 v0, ttmp9, BW_TRAP_HW_TTMP9
	v_writelane_b32 v0, ttmp10, BW_TRAP_HW_TTMP10
	v_writelane_b32 v0, ttmp11, BW_TRAP_HW_TTMP11
	hwreg_save BW_TRAP_HW_TRAPSTS, HW_REG_TRAPSTS
	hwreg_save BW_TRAP_HW_GPR_ALLOC, HW_REG_GPR_ALLOC
	hwreg_save BW_TRAP_HW_LDS_ALLOC, HW_REG_LDS_ALLOC
	save_other_hwregs
	get_mode ttmp13
	s_bitset0_b32 ttmp13, LO(MODE, STEP_EN)
	v_writelane_b32 v0, ttmp13, BW_TRAP_HW_MODE

	count_vgprs ttmp7
	v_writelane_b32 v0, ttmp7, BW_TRAP_HW_VGPRS
	lanes_store v0, ttmp[14:15], BW_TRAP_S_HW

	clear_causes

	s_mov_b64 exec, -1
	s_mov_b64 ttmp[12:13], ttmp[2:3]

/* Registers of a bank, v or a, from \first on, four at a time, until ttmp7 are done. \op moves one;
 * \bytes is its size in memory. Offsets reach 4095 (13 bits signed), so ttmp[12:13] moves on every 4096
 * bytes. */
.macro vgpr_all op, bank, first, bytes, done
	.set n, 0
	.rept 256
	.if n > 0 && n % 4 == 0
	s_cmp_le_u32 ttmp7, n
	s_cbranch_scc1 \done
	.endif
	.if n > 0 && (n * \bytes) % 4096 == 0
	s_add_u32 ttmp12, ttmp12, 4096
	s_addc_u32 ttmp13, ttmp13, 0
	.endif
	.if n >= \first
	\op \bank[n], ttmp[12:13], (n * \bytes) % 4096
	.endif
	.set n, n + 1
	.endr
.endm
	all_vgprs lanes_store, saved

vgpr_saved:
	/* From here to the restore one lane works: v0 carries data, v1 an address offset of 0, v2 an
	 * address in LDS. */
	s_mov_b64 exec, 1
	lanes_load v0, ttmp[14:15], BW_TRAP_S_SEQ
	s_waitcnt vmcnt(0)
	V_ADD_U32 v0, 1, v0
	/* The store is also the instruction that gfx942 wants between the two. */
	lanes_store v0, ttmp[14:15], BW_TRAP_S_SEQ
	v_readfirstlane_b32 ttmp7, v0
	s_and_b32 ttmp7, ttmp7, 0xffffff
	v_mov_b32 v0, 0
	lanes_store v0, ttmp[14:15], BW_TRAP_S_COMMAND
	WAIT_STORES
	v_mov_b32 v0, BW_TRAP_STATE_STOPPED
	lanes_store v0, ttmp[14:15], BW_TRAP_S_STATE
	WAIT_STORES
	control_block 4, 5
	v_mov_b32 v0, 1
	FIRST_LANE_OFFSET
	GLOBAL_ATOMIC_ADD_U32 v1, v0, ttmp[4:5] offset:BW_TRAP_C_STOPS
	WAIT_STORES

/* ---- wait for a command ---- */
wait:
	lanes_load v0, ttmp[14:15], BW_TRAP_S_COMMAND
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 ttmp4, v0
	s_lshr_b32 ttmp5, ttmp4, BW_TRAP_CMD_SEQ_LO
	s_cmp_eq_u32 ttmp5, ttmp7
	s_cbranch_scc0 wait_more /* none, or meant for an earlier stop */
	s_and_b32 ttmp4, ttmp4, BW_TRAP_CMD_WHAT
	s_cmp_eq_u32 ttmp4, BW_TRAP_CMD_RESUME
	s_cbranch_scc1 resume
	s_cmp_eq_u32 ttmp4, BW_TRAP_CMD_LDS_READ
	s_cbranch_scc1 lds
	s_cmp_eq_u32 ttmp4, BW_TRAP_CMD_LDS_WRITE
	s_cbranch_scc1 lds
	s_cmp_eq_u32 ttmp4, BW_TRAP_CMD_END
	s_cbranch_scc1 abandoned
wait_more:
#if HAS_SECOND_LEVEL
	s_getreg_b32 ttmp5, FIELD(TRAPSTS, SAVECTX)
	s_cmp_eq_u32 ttmp5, 0
	s_cbranch_scc0 park
#endif
	s_sleep 0x20
	s_branch wait

#if HAS_SECOND_LEVEL
/* ---- KFD takes the queue off the GPU ---- */

/* KFD's handler is to save this wave, registers, TTMP4 to 11 and 13 and LDS. The shader's state is in
 * the slot, so it saves one that stands at `parked`, and knows its slot and the number of the stop. */
park:
	/* A wave that waits at a barrier comes back in front of it: none of its group has passed. */
	s_getreg_b32 ttmp4, hwreg(HW_REG_STATUS)
	s_bitcmp1_b32 ttmp4, GEN(STATUS__IN_BARRIER_LO)
	s_cbranch_scc0 park_leave
	s_mov_b64 exec, 3
	lanes_load v0, ttmp[14:15], BW_TRAP_S_HW
	s_waitcnt vmcnt(0)
	v_readlane_b32 ttmp4, v0, BW_TRAP_HW_PC_LO
	v_readlane_b32 ttmp5, v0, BW_TRAP_HW_PC_HI
	s_sub_u32 ttmp4, ttmp4, 4
	s_subb_u32 ttmp5, ttmp5, 0
	v_writelane_b32 v0, ttmp4, BW_TRAP_HW_PC_LO
	v_writelane_b32 v0, ttmp5, BW_TRAP_HW_PC_HI
	lanes_store v0, ttmp[14:15], BW_TRAP_S_HW
	s_mov_b64 exec, 1
	lanes_load v0, ttmp[14:15], BW_TRAP_S_HW + 4 * BW_TRAP_HW_STATUS
	s_waitcnt vmcnt(0)
	v_and_b32 v0, ~GEN(STATUS__IN_BARRIER), v0
	lanes_store v0, ttmp[14:15], BW_TRAP_S_HW + 4 * BW_TRAP_HW_STATUS
	WAIT_STORES
park_leave:
	s_mov_b64 ttmp[4:5], ttmp[14:15]
	s_getpc_b64 ttmp[0:1]
park_pc:
	s_add_u32 ttmp0, ttmp0, parked - park_pc
	s_addc_u32 ttmp1, ttmp1, 0
	s_and_b32 ttmp1, ttmp1, GEN(TTMP1__PC_HI)
	s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
	s_branch leave_status

/* Executed by the wave outside of the handler, when KFD has restored it. */
parked:
	s_trap BW_TRAP_ID_PARKED
	s_branch parked

unpark:
	s_getpc_b64 ttmp[2:3]
unpark_pc:
	s_sub_u32 ttmp2, ttmp2, unpark_pc - parked
	/* an s_trap of the shader's own with this id is none of ours */
	s_cmp_eq_u32 ttmp2, ttmp0
	s_cbranch_scc0 not_parked
	s_mov_b64 ttmp[14:15], ttmp[4:5]
	control_block 2, 3
	S_LOAD_B32 ttmp4, ttmp[2:3], BW_TRAP_C_SLOTS GLC_SCALAR
	s_sub_u32 ttmp5, ttmp14, ttmp2
	s_waitcnt lgkmcnt(0)
	s_sub_u32 ttmp5, ttmp5, ttmp4
	s_lshr_b32 ttmp5, ttmp5, 12 - BW_TRAP_HOME_LO
	s_add_u32 ttmp5, ttmp5, 1 << BW_TRAP_HOME_LO
	s_and_b32 ttmp11, ttmp11, ~BW_TRAP_HOME
	s_or_b32 ttmp11, ttmp11, ttmp5
	s_mov_b64 exec, 1
	v_mov_b32 v1, 0
	s_getreg_b32 ttmp4, hwreg(HW_REG_HW_ID1)
	v_mov_b32 v0, ttmp4
	lanes_store v0, ttmp[14:15], BW_TRAP_S_HW + 4 * BW_TRAP_HW_HW_ID1
	s_getreg_b32 ttmp4, hwreg(HW_REG_HW_ID2)
	v_mov_b32 v0, ttmp4
	lanes_store v0, ttmp[14:15], BW_TRAP_S_HW + 4 * BW_TRAP_HW_HW_ID2
	v_mov_b32 v0, 1
	lanes_store v0, ttmp[14:15], BW_TRAP_S_LENT
	WAIT_STORES
	s_branch wait

#endif

/* ---- LDS_READ, LDS_WRITE: ARG1 dwords between LDS at ARG0 and the slot's DATA, 32 a round ---- */
lds:
	s_mov_b32 m0, ttmp4 /* the command; the shader's M0 is in the slot */
	s_mov_b64 exec, 3
	lanes_load v0, ttmp[14:15], BW_TRAP_S_ARG0
	s_waitcnt vmcnt(0)
	v_readlane_b32 ttmp4, v0, 0 /* LDS address */
	v_readlane_b32 ttmp5, v0, 1 /* dwords left */
	s_min_u32 ttmp5, ttmp5, BW_TRAP_DATA_DW
	s_add_u32 ttmp12, ttmp14, BW_TRAP_S_DATA
	s_addc_u32 ttmp13, ttmp15, 0
lds_round:
	s_cmp_eq_u32 ttmp5, 0
	s_cbranch_scc1 lds_done
	s_mov_b32 exec_lo, -1
	s_cmp_ge_u32 ttmp5, 32
	s_cbranch_scc1 lds_lanes
	s_bfm_b32 exec_lo, ttmp5, 0
lds_lanes:
	v_mbcnt_lo_u32_b32 v2, -1, 0
	v_lshlrev_b32 v2, 2, v2
	V_ADD_U32 v2, ttmp4, v2
	s_cmp_eq_u32 m0, BW_TRAP_CMD_LDS_WRITE
	s_cbranch_scc1 lds_write
	DS_LOAD_B32 v0, v2
	s_waitcnt lgkmcnt(0)
	lanes_store v0, ttmp[12:13], 0
	s_branch lds_next
lds_write:
	lanes_load v0, ttmp[12:13], 0
	s_waitcnt vmcnt(0)
	DS_STORE_B32 v2, v0
	s_waitcnt lgkmcnt(0)
lds_next:
	s_add_u32 ttmp4, ttmp4, 128
	s_add_u32 ttmp12, ttmp12, 128
	s_addc_u32 ttmp13, ttmp13, 0
	s_min_u32 ttmp2, ttmp5, 32
	s_sub_u32 ttmp5, ttmp5, ttmp2
	s_branch lds_round
lds_done:
	s_mov_b64 exec, 1
	v_mov_b32 v0, 0
	WAIT_STORES
	lanes_store v0, ttmp[14:15], BW_TRAP_S_COMMAND
	WAIT_STORES
	s_branch wait

/* ---- restore ---- */
resume:
	/* The VGPR area again: the LDS commands used ttmp2. Slot and area are both linear in the slot's
	 * index, so TMA is asked once more and the index comes back from the slot's address. */
	control_block 12, 13
	S_LOAD_B64 ttmp[2:3], ttmp[12:13], BW_TRAP_C_SLOTS GLC_SCALAR /* slots, vgprs */
	s_waitcnt lgkmcnt(0)
	s_sub_u32 ttmp4, ttmp14, ttmp12
	s_sub_u32 ttmp4, ttmp4, ttmp2
	s_lshr_b32 ttmp4, ttmp4, 12 - VGPR_PAGES_LOG2 /* slot index * pages */
	s_add_u32 ttmp2, ttmp3, ttmp4
	s_mov_b32 ttmp3, 0
	s_lshl_b64 ttmp[2:3], ttmp[2:3], 12
	s_add_u32 ttmp2, ttmp2, ttmp12
	s_addc_u32 ttmp3, ttmp3, ttmp13

	s_mov_b64 exec, 1
	lanes_load v0, ttmp[14:15], BW_TRAP_S_ARG0
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 ttmp4, v0
	s_bitcmp1_b32 ttmp4, 0 /* BW_TRAP_RESUME_KEEP_ICACHE */
	s_cbranch_scc1 restore_sgprs
	s_icache_inv
restore_sgprs:
	s_mov_b32 exec_lo, -1
.macro sgpr_restore_block base, count
	lanes_load v0, ttmp[14:15], BW_TRAP_S_SGPR + \base * 4
	s_waitcnt vmcnt(0)
	.set i, 0
	.rept \count
	sgpr_restore \base+i, i
	.set i, i + 1
	.endr
.endm
	sgpr_restore_block 0, 32
	sgpr_restore_block 32, 32
	sgpr_restore_block 64, 32
	sgpr_restore_block 96, 12

	count_vgprs ttmp7
	s_mov_b64 exec, -1
	s_mov_b64 ttmp[12:13], ttmp[2:3]
	all_vgprs lanes_load, restored
vgpr_restored:
	s_mov_b32 exec_lo, -1
	s_mov_b32 exec_hi, 0
	lanes_load v0, ttmp[14:15], BW_TRAP_S_HW
	s_waitcnt vmcnt(0)
	v_readlane_b32 ttmp0, v0, BW_TRAP_HW_PC_LO
	v_readlane_b32 ttmp1, v0, BW_TRAP_HW_PC_HI
	v_readlane_b32 ttmp4, v0, BW_TRAP_HW_EXEC_LO
	v_readlane_b32 ttmp5, v0, BW_TRAP_HW_EXEC_HI
	v_readlane_b32 ttmp12, v0, BW_TRAP_HW_STATUS
	v_readlane_b32 ttmp13, v0, BW_TRAP_HW_MODE
	/* The float exceptions so far, which the shader may look at. One that MODE enables would trap at
	 * once, and has been reported. */
	v_readlane_b32 ttmp7, v0, BW_TRAP_HW_TRAPSTS
	s_lshr_b32 m0, ttmp13, GEN(MODE__EXCP_EN_LO)
	S_AND_NOT1_B32 ttmp7, ttmp7, m0
	s_setreg_b32 FIELD(TRAPSTS, EXCP_ALU), ttmp7
	restore_other_hwregs
	v_readlane_b32 ttmp7, v0, BW_TRAP_HW_M0
	s_mov_b32 m0, ttmp7

	/* The debugger does not access the slot for this stop any more. */
	s_mov_b64 exec, 1
	v_mov_b32 v0, BW_TRAP_STATE_FREE
	lanes_store v0, ttmp[14:15], BW_TRAP_S_STATE
	WAIT_STORES
	s_mov_b64 exec, -1
	lanes_load v0, ttmp[2:3], 0
	restore_last_vgpr
	s_waitcnt vmcnt(0)
	s_mov_b64 exec, ttmp[4:5]
	s_setreg_b32 hwreg(HW_REG_MODE), ttmp13

leave:
	s_and_b32 ttmp1, ttmp1, GEN(TTMP1__PC_HI)
	s_and_b64 exec, exec, exec /* rebuild EXECZ and VCCZ */
	s_and_b64 vcc, vcc, vcc
	/* never written back */
leave_status:
	s_and_b32 ttmp12, ttmp12, ~(GEN(STATUS__SPI_PRIO) | GEN(STATUS__ECC_ERR))
	s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
	s_rfe_b64 ttmp[0:1]

	/* The fetcher runs ahead (doc/hardware/traps.md 7.1). */
	.rept 64
	.long CODE_END
	.endr
