/* SPDX-License-Identifier: MIT */
#ifndef BW_SELFTEST_SELFTEST_PRIV_H
#define BW_SELFTEST_SELFTEST_PRIV_H

/* What the steps share. All of it but state.c, klog.c and alive.c is used in a step's process. */

#include <stdio.h>
#include <sys/types.h>

#include "debug/stop.h"
#include "gpu/opened.h"
#include "selftest/selftest.h"
#include "session/session.h"

/* A step that runs: the argument of bw_selftest_step.run. */
struct bw_selftest_work {
	struct bw_selftest_result *r;
	const char *gpu;    /* selector */
	const char *folder; /* for kernels and their output; removed by the parent */
	const struct bw_selftest_inference *asked; /* NULL: a step runs */
};

/* ---- child.c ---- */

void bw_selftest_value(struct bw_selftest_work *w, const char *name, const char *fmt, ...)
	BW_PRINTF(3, 4);
/* "waiting for the wave": the report says it if the step hangs. */
void bw_selftest_doing(struct bw_selftest_work *w, const char *fmt, ...) BW_PRINTF(2, 3);
/* A process that has to end with the step. */
void bw_selftest_owns(struct bw_selftest_work *w, pid_t pid);
/* Runs fn in a process of its own for limit_s at most, and ends what that has started. Fills r,
 * whose memory is shared; HUNG if the limit has passed: then programs that do not end still run.
 */
struct bw_error *bw_selftest_child(struct bw_error *(*fn)(void *work), struct bw_selftest_work *w,
				   uint32_t limit_s) BW_MUST_CHECK;
/* Kills the programs of a step or an inference that hung, after the GPU was asked: Linux's driver
 * clears the memory of a killed program when its job has ended, and everybody's later requests for
 * memory wait for that (amdgpu_bo_release_notify, Linux 6.12). */
void bw_selftest_end_programs(struct bw_selftest_result *r);
/* SIGINT, SIGTERM and SIGHUP end the current step from here on. */
void bw_selftest_catch_signals(void);

/* ---- kernels.c ---- */

struct bw_selftest_kernel {
	const char *name;
	const uint8_t *code;
	size_t size_b;
	uint32_t mark_b; /* offset of the instruction that steps look at */
};
/* An assertion if there is none of that name. */
struct bw_selftest_kernel bw_selftest_kernel(const char *name);
/* Whether Linux could show a program that runs one of them by this name, which it cuts. */
bool bw_selftest_is_program(const char *name, size_t n);

/* ---- program.c ---- */

/* One kernel, as the words of breakwater-launch. Its buffer is written to a file in the end. */
struct bw_selftest_launch {
	const char *kernel;
	uint32_t vgprs, sgprs, lds_b, groups;
	uint32_t lanes;	    /* work-items of a group; 0: 32 */
	const char *buffer; /* "zeros:32:u32" */
	uint32_t ticks;	    /* the second argument, of the 100 MHz counter; 0: there is none */
	bool without_vram;
};
enum { BW_SELFTEST_TICKS_A_SECOND = 100000000 };
struct bw_selftest_program {
	struct bw_selftest_work *w;
	struct bw_selftest_kernel kernel;
	char object[256], dump[256]; /* paths */
	bool has_session;
	struct bw_session session;
	struct bw_out *out; /* owned */
	FILE *nowhere;	    /* owned */
	struct bw_kmd *kmd; /* owned; of a program without a session */
	pid_t pid;	    /* the same */
};
/* Starts it without a debugger. */
struct bw_error *bw_selftest_spawn(struct bw_selftest_work *w, const struct bw_selftest_launch *l,
				   struct bw_selftest_program *out) BW_MUST_CHECK;
/* Waits for its end. */
struct bw_error *bw_selftest_join(struct bw_selftest_program *p) BW_MUST_CHECK;
/* Opens a session for it, and starts it. Its submission has not been released. */
struct bw_error *bw_selftest_debug(struct bw_selftest_work *w, const struct bw_selftest_launch *l,
				   struct bw_selftest_program *out) BW_MUST_CHECK;
/* Puts a breakpoint at the kernel's mark. */
struct bw_error *bw_selftest_break(struct bw_selftest_program *p,
				   uint32_t *out_number) BW_MUST_CHECK;
/* Waits for a stop of waves for this reason; an error says what came instead. missing: what it
 * means if the program ends without one: "the trap handler was not entered". */
struct bw_error *bw_selftest_await(struct bw_selftest_program *p, uint32_t reason,
				   const char *missing, struct bw_stop *out) BW_MUST_CHECK;
/* Runs it to the kernel's mark, where a breakpoint is set, hit and deleted. */
struct bw_error *bw_selftest_to_mark(struct bw_selftest_program *p,
				     struct bw_stop *out) BW_MUST_CHECK;
/* Resumes it and waits for its end, which has to be a good one. */
struct bw_error *bw_selftest_finish(struct bw_selftest_program *p) BW_MUST_CHECK;
/* The words of the buffer, after its end: n of them. */
struct bw_error *bw_selftest_output(struct bw_selftest_program *p, uint32_t *out,
				    size_t n) BW_MUST_CHECK;
/* Checks words that are first, first + step, first + 2 * step ... */
struct bw_error *bw_selftest_check_row(struct bw_selftest_program *p, size_t n, uint32_t first,
				       uint32_t step) BW_MUST_CHECK;
/* Checks words that are all the same. */
struct bw_error *bw_selftest_check_words(struct bw_selftest_program *p, size_t n,
					 uint32_t expected) BW_MUST_CHECK;
struct bw_error *bw_selftest_sgpr(struct bw_selftest_program *p, uint32_t wave, unsigned n,
				  uint32_t *out) BW_MUST_CHECK;
/* Address of the buffer: s[4:5] of the wave at the mark. */
struct bw_error *bw_selftest_buffer_va(struct bw_selftest_program *p, uint32_t wave,
				       uint64_t *out) BW_MUST_CHECK;
/* Ends what there still is of it. Accepts one that could not be started. */
void bw_selftest_close(struct bw_selftest_program *p);
/* Debugs it from its start to its end. */
struct bw_error *
bw_selftest_with(struct bw_selftest_work *w, const struct bw_selftest_launch *l,
		 struct bw_error *(*body)(struct bw_selftest_program *p)) BW_MUST_CHECK;

/* ---- state.c: the GPU's registers that a debugger changes ---- */

enum { BW_SELFTEST_STATE = 56 };
struct bw_selftest_state {
	size_t n;
	struct {
		char name[40];
		uint32_t value;
	} regs[BW_SELFTEST_STATE];
};
struct bw_error *bw_selftest_state_read(struct bw_gpu *gpu,
					struct bw_selftest_state *out) BW_MUST_CHECK;
/* Waits some seconds until all of it is as it was before: guards restore when they notice the end
 * of what they guard. The error names the registers that differ. */
struct bw_error *bw_selftest_state_check(struct bw_gpu *gpu,
					 const struct bw_selftest_state *before) BW_MUST_CHECK;

/* ---- about.c ---- */

/* Says which machine it is: versions, firmware, settings of the driver. */
void bw_selftest_about(struct bw_selftest_work *w, struct bw_kmd *kmd);
/* Whether the GPU is Breakwater's virtual one, with its own driver or with Linux's. */
bool bw_selftest_is_model(struct bw_kmd *kmd);

/* ---- klog.c: what the GPU's driver says in the kernel log ---- */

#define BW_SELFTEST_LOG "kernel log" /* the name of such values */
struct bw_selftest_log {
	struct bw_kmd *kmd; /* borrowed; NULL: nothing is read */
	struct bw_str seen;
};
/* What comes from here on is new. Its error: the log cannot be read. */
struct bw_error *bw_selftest_log_begin(struct bw_selftest_log *log,
				       struct bw_kmd *kmd) BW_MUST_CHECK;
/* New lines become values of the result. */
void bw_selftest_log_take(struct bw_selftest_log *log, struct bw_selftest_work *w);
/* Whether the driver says among them that it has ended a job after its time limit. */
bool bw_selftest_log_has_timeout(const struct bw_selftest_result *r);
void bw_selftest_log_end(struct bw_selftest_log *log);
/* What a log has more than it had before; it may have lost its oldest lines. Pure. */
const char *bw_selftest_log_after(const char *before, const char *now);
/* Appends a line of the driver's, without the names of other programs. False: it is not one of the
 * driver's. Pure. */
bool bw_selftest_log_line(const char *line, size_t n, struct bw_str *out);

/* ---- alive.c ---- */

/* Whether the GPU answers: a register is read, and a kernel runs. */
struct bw_error *bw_selftest_alive(void *work) BW_MUST_CHECK;

/* ---- Inferences: infer.c, infer_stop.c ---- */

/* The answer, with what was seen; NO with the first thing that is not as it is inferred. */
void bw_selftest_answer(struct bw_selftest_work *w, enum bw_selftest_holds holds, const char *fmt,
			...) BW_PRINTF(3, 4);
/* How the kernel of the inference w->asked is launched. */
struct bw_selftest_launch bw_selftest_infer_launch(const struct bw_selftest_work *w);
/* Compares the words that it has written: the answer, unless one was given before. */
struct bw_error *bw_selftest_infer_words(struct bw_selftest_program *p) BW_MUST_CHECK;

#define BW_INFERENCE(name, ask, sentence, where, words)                                            \
	struct bw_error *bw_selftest_ask_##ask(void *work) BW_MUST_CHECK;
#include "selftest/inferences.def"
#undef BW_INFERENCE

/* ---- The steps ---- */

#define BW_STEP(name, does, risk)                                                                  \
	struct bw_error *bw_selftest_step_##name(void *work) BW_MUST_CHECK;
#include "selftest/steps.def"
#undef BW_STEP

#endif
