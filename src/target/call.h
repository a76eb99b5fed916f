/* SPDX-License-Identifier: MIT */
#ifndef BW_TARGET_CALL_H
#define BW_TARGET_CALL_H

/* What can be asked of a target. One thread at a time, except bw_target_interrupt, which is
 * async-signal-safe.
 *
 * A function that needs a capability (in brackets below) which the target lacks fails with
 * BW_E_UNSUPPORTED and a sentence that says what this target cannot do, and the target is not
 * called. Those that return no error do nothing then. Code that would behave differently without a
 * capability, rather than fail, asks bw_target_can first. */

#include "target/target.h"

/* Whether it has all of these (enum bw_target_cap). */
bool bw_target_can(const struct bw_target *t, uint32_t caps);
/* BW_E_UNSUPPORTED, and what it cannot do, when it lacks one of them: "this target cannot write
 * registers", "a crash file cannot write registers: that needs a running GPU". */
struct bw_error *bw_target_need(const struct bw_target *t, uint32_t caps) BW_MUST_CHECK;
/* What cannot be done without this one: "write registers". */
const char *bw_target_cap_text(enum bw_target_cap cap);

/* Detaches from all programs, restores everything, frees t. */
void bw_target_close(struct bw_target *t);

/* Waits for the next event. timeout_ms < 0: for ever; 0: only look. */
struct bw_error *bw_target_wait(struct bw_target *t, int timeout_ms,
				struct bw_target_event *out) BW_MUST_CHECK;
/* What has ended and was not reported yet, so that a wait will say so at once or in a moment. Only
 * looks, and takes no time. Of a target without RUN nothing ends. */
enum bw_target_end bw_target_ends(struct bw_target *t);
/* Ends a wait, now or the next one, with BW_EVENT_INTERRUPT. */
void bw_target_interrupt(struct bw_target *t);
/* Discards an interrupt that no wait has reported yet: it was meant for an earlier wait. */
void bw_target_forget_interrupt(struct bw_target *t);
/* Whether one is waiting to be reported. */
bool bw_target_is_interrupted(struct bw_target *t);

/* ---- Waves ---- */

/* Slots whose waves are stopped now, ascending. Returns how many there are; fills at most max. */
size_t bw_target_stopped(struct bw_target *t, uint32_t *out_slots, size_t max);
bool bw_target_is_stopped(struct bw_target *t, uint32_t slot);
struct bw_error *bw_target_read_wave(struct bw_target *t, uint32_t slot,
				     struct bw_target_wave *out) BW_MUST_CHECK;
/* first + n up to 108: s0..s105, VCC */
struct bw_error *bw_target_read_sgprs(struct bw_target *t, uint32_t slot, unsigned first,
				      unsigned n, uint32_t *out) BW_MUST_CHECK;
/* All lanes of one VGPR: 32 or 64 dwords. */
struct bw_error *bw_target_read_vgpr(struct bw_target *t, uint32_t slot, unsigned n,
				     uint32_t *out) BW_MUST_CHECK;
/* [WRITE_REGS] */
struct bw_error *bw_target_write_reg(struct bw_target *t, uint32_t slot, enum bw_target_reg reg,
				     uint64_t value) BW_MUST_CHECK;
struct bw_error *bw_target_write_sgpr(struct bw_target *t, uint32_t slot, unsigned n,
				      uint32_t value) BW_MUST_CHECK;
struct bw_error *bw_target_write_vgpr(struct bw_target *t, uint32_t slot, unsigned n, unsigned lane,
				      uint32_t value) BW_MUST_CHECK;

/* [RUN] Resumes stopped waves; step: resumes one of them for one instruction. */
struct bw_error *bw_target_resume(struct bw_target *t, const uint32_t *slots,
				  size_t n) BW_MUST_CHECK;
struct bw_error *bw_target_step(struct bw_target *t, uint32_t slot) BW_MUST_CHECK;
/* [RUN] After step: waits until the wave has stopped again (true), or has ended (out_ended), or
 * timeout_ms has passed or the wait was interrupted (false). */
struct bw_error *bw_target_wait_wave(struct bw_target *t, uint32_t slot, int timeout_ms,
				     bool *out_stopped, bool *out_ended) BW_MUST_CHECK;
/* [RUN] Stops every wave of the program; returns when all that are resident have stopped, with the
 * number of those that could not be stopped. */
struct bw_error *bw_target_stop_all(struct bw_target *t, uint32_t *out_running) BW_MUST_CHECK;
/* [RUN] Releases a held submission; 0: programs that wait since QUEUE_ERROR. */
struct bw_error *bw_target_release(struct bw_target *t, uint32_t submission) BW_MUST_CHECK;

/* ---- Memory ---- */

/* Memory as the program's waves see it. All or nothing: BW_E_FAULT names the first byte that cannot
 * be reached. Reads show code without breakpoints. */
struct bw_error *bw_target_read(struct bw_target *t, uint64_t va, void *out,
				size_t size_b) BW_MUST_CHECK;
/* [WRITE_MEMORY] */
struct bw_error *bw_target_write(struct bw_target *t, uint64_t va, const void *data,
				 size_t size_b) BW_MUST_CHECK;
/* [LDS, to write WRITE_MEMORY as well] LDS of the workgroup of a stopped wave. */
struct bw_error *bw_target_read_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				    void *out, size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_target_write_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				     const void *data, size_t size_b) BW_MUST_CHECK;
/* [SCRATCH, to write WRITE_MEMORY as well] Scratch of one lane of a stopped wave. */
struct bw_error *bw_target_read_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
					uint32_t offset_b, void *out, size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_target_write_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
					 uint32_t offset_b, const void *data,
					 size_t size_b) BW_MUST_CHECK;

/* [FAULT] The GPU's own record of the last page fault. */
struct bw_error *bw_target_fault(struct bw_target *t, struct bw_target_fault *out) BW_MUST_CHECK;
/* [WALK] What the page tables say about an address. */
struct bw_error *bw_target_walk(struct bw_target *t, uint64_t va,
				struct bw_verdict *out) BW_MUST_CHECK;
/* [MAPS] Owned by the caller (free). */
struct bw_error *bw_target_maps(struct bw_target *t, struct bw_target_map **out,
				size_t *out_n) BW_MUST_CHECK;
/* [FREED] What the program had at an address until it freed it, the last one. */
struct bw_error *bw_target_freed(struct bw_target *t, uint64_t va,
				 struct bw_target_freed *out) BW_MUST_CHECK;
/* [OBJECTS] Owned by the caller (free). */
struct bw_error *bw_target_objects(struct bw_target *t, struct bw_target_object **out,
				   size_t *out_n) BW_MUST_CHECK;
/* [OBJECTS] Of a pipeline by its id. Owned by the caller (free). BW_E_NOT_FOUND: no compute shader
 * of a living pipeline. */
struct bw_error *bw_target_shader(struct bw_target *t, uint32_t pipeline,
				  struct bw_target_shader **out) BW_MUST_CHECK;

/* [LOADED] Code objects that a runtime has loaded, with the URI of each ("Code Object URI" in
 * LLVM's AMDGPUUsage); none where no runtime tells. Owned by the caller (free). */
struct bw_error *bw_target_loaded(struct bw_target *t, struct bw_target_loaded **out,
				  size_t *out_n) BW_MUST_CHECK;
/* [LOADED] The bytes of the file of one of them. Owned by the caller (free). */
struct bw_error *bw_target_loaded_bytes(struct bw_target *t, uint64_t base, uint8_t **out,
					size_t *out_size_b) BW_MUST_CHECK;
/* [QUEUES] The AQL queues of all programs. Owned by the caller (free). */
struct bw_error *bw_target_queues(struct bw_target *t, struct bw_target_queue **out,
				  size_t *out_n) BW_MUST_CHECK;

/* ---- Breakpoints and what else stops waves ---- */

/* [PATCH] Code: the target saves the original and restores it by unpatch, or when the debugger is
 * killed. unpatch fails with BW_E_GONE when the program has freed that memory. */
struct bw_error *bw_target_patch(struct bw_target *t, uint64_t va, uint32_t word) BW_MUST_CHECK;
struct bw_error *bw_target_unpatch(struct bw_target *t, uint64_t va) BW_MUST_CHECK;
/* [PATCH] An executable buffer of the debugger's own in the program's address space, for displaced
 * instructions; 0 and 0 before the first submission. */
void bw_target_code_buffer(struct bw_target *t, uint64_t *out_va, uint32_t *out_size_b);
/* [FILTER] Entry `index` of the trap handler's filters (trap.h); pc 0: none, and f is not looked
 * at. The code must have been written before. */
struct bw_error *bw_target_set_filter(struct bw_target *t, unsigned index, uint64_t pc,
				      const struct bw_target_filter *f) BW_MUST_CHECK;
/* [WATCH] Number `index` of BW_TARGET_WATCHES; NULL: off. Waves report it where
 * BW_EXCP_ADDR_WATCH is enabled in their MODE. */
struct bw_error *bw_target_set_watch(struct bw_target *t, unsigned index,
				     const struct bw_target_watch *w) BW_MUST_CHECK;
/* [EXCEPTIONS] enum bw_excp: what waves launched from now on trap for beside what their own program
 * asks for. May be called before the program has opened the GPU. */
struct bw_error *bw_target_set_exceptions(struct bw_target *t, uint32_t mask) BW_MUST_CHECK;
/* [PRECISE] One memory operation at a time: changes t->is_precise. For all that runs on the GPU. */
struct bw_error *bw_target_set_precise(struct bw_target *t, bool on) BW_MUST_CHECK;

/* ---- Programs ---- */

/* [PROCESSES] The program gets what close gives to all, or is ended; pid 0: every one. */
struct bw_error *bw_target_detach(struct bw_target *t, pid_t pid) BW_MUST_CHECK;
struct bw_error *bw_target_kill(struct bw_target *t, pid_t pid) BW_MUST_CHECK;
/* [PROCESSES] Processes that the program starts are detached from when they come: each runs on by
 * itself, and can be attached to. */
struct bw_error *bw_target_detach_children(struct bw_target *t, bool on) BW_MUST_CHECK;
/* [ATTACH] One more process, started by `breakwater exec`; BW_EVENT_PROGRAM says when it is
 * there. */
struct bw_error *bw_target_attach(struct bw_target *t, pid_t pid) BW_MUST_CHECK;
/* [ATTACH] How a process was that has been attached to. */
struct bw_error *bw_target_attached(struct bw_target *t, pid_t pid,
				    struct bw_target_attached *out) BW_MUST_CHECK;
/* [READY] Detaches from the process, so that a debugger that comes later can stop even the waves
 * that run then: the trap handler stays in place, asleep. What it submits is not held. The
 * registers stay as they are until the process has ended or the target is closed. */
struct bw_error *bw_target_make_ready(struct bw_target *t, pid_t pid) BW_MUST_CHECK;
/* [HOLD_TIME] The programs' clocks stand still, and their waits with a limit last longer, until
 * this is undone or the target is closed. */
struct bw_error *bw_target_hold_time(struct bw_target *t, bool on) BW_MUST_CHECK;

#endif
