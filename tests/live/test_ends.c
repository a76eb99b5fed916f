/* SPDX-License-Identifier: MIT */
/* src/live and src/debug together, on the virtual GPU: the program, the GPU or the debugger ends,
 * or the debugger detaches. */
#include "session.h"
#include "debug/breaks.h"
#include "debug/stop.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const saxpy_256[] = {"--grid",  "256",	   "--group", "64",
					"--arg",   "a=2.0",	   "--arg",   "x=iota:256",
					"--arg",   "y=fill:256:1", "--arg",   "out=zeros:256",
					"--print", "out:8",	   NULL};

static void test_kill_program(void **state)
{
	struct session s;
	session_start(&s, "saxpy", saxpy_256);
	session_break(&s, "compute");
	struct bw_stop stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	kill(s.target->program, SIGKILL);
	stop = session_continue(&s);
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	assert_true(stop.exit_known && WIFSIGNALED(stop.exit_status));
	assert_int_equal(WTERMSIG(stop.exit_status), SIGKILL);
	assert_int_equal(bw_debug_state(s.debug), BW_DEBUG_NO_PROGRAM);
	/* the GPU still works: another session on it */
	session_end(&s);
	session_start(&s, "saxpy", saxpy_256);
	stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	assert_int_equal(stop.exit_status, 0);
	session_end(&s);
}

static void test_kill_gpu(void **state)
{
	struct session s;
	session_start(&s, "saxpy", saxpy_256);
	session_break(&s, "compute");
	struct bw_stop stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	kill(bw_kmd_server_pid(s.kmd), SIGKILL);
	stop = session_continue(&s);
	assert_true(stop.kind == BW_STOP_GPU_GONE || stop.kind == BW_STOP_EXITED);
	session_end(&s);
}

/* Trap registers of user VMIDs that are not as the driver leaves them (SQ_SHADER_TBA and TMA 0x9e6
 * to 0x9e9 in segment 1, SPI_GDBG_PER_VMID_CNTL 0x1f72 in segment 0:
 * doc/hardware/registers.md 5). */
static unsigned traces(struct bw_kmd *kmd)
{
	struct bw_kmd_ip gc;
	unsigned n = 0;
	OK(bw_kmd_ip(kmd, "GC", &gc));
	const uint32_t regs[] = {gc.segment[1] + 0x9e6, gc.segment[1] + 0x9e7,
				 gc.segment[1] + 0x9e8, gc.segment[1] + 0x9e9,
				 gc.segment[0] + 0x1f72};
	for (uint32_t vmid = 1; vmid < 8; vmid++) {
		const struct bw_kmd_bank bank = {.use_srbm = true, .vmid = vmid};
		for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
			uint32_t v;
			OK(bw_kmd_reg_read(kmd, &bank, regs[i], &v));
			n += v != 0;
		}
	}
	/* TCP_WATCH0 to 3, 0x2048 to 0x2053 in segment 0; SQ_DEBUG, 0x9e5 in segment 1, which this
	 * GPU resets to SINGLE_MEMOP */
	const struct bw_kmd_bank all = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	for (uint32_t i = 0; i < 13; i++) {
		uint32_t v;
		OK(bw_kmd_reg_read(kmd, &all,
				   i < 12 ? gc.segment[0] + 0x2048 + i : gc.segment[1] + 0x9e5,
				   &v));
		n += v != (i < 12 ? 0 : 1);
	}
	return n;
}

/* Everything that writes registers beside the traps themselves, written more than once. */
static void touch_registers(struct session *s)
{
	uint32_t n;
	OK(bw_debug_watch(s->debug, "out[5]", BW_BREAK_WATCH, &n));
	OK(bw_debug_break_delete(s->debug, n));
	OK(bw_debug_watch(s->debug, "out[7]", BW_BREAK_AWATCH, &n));
	OK(bw_debug_watch(s->debug, "x[7]", BW_BREAK_RWATCH, &n));
	OK(bw_debug_catch_exceptions(s->debug, BW_EXCP_INEXACT | BW_EXCP_DIV0, false, &n));
	OK(bw_debug_set_precise(s->debug, false));
}

/* A GPU that outlives the sessions on it. */
static struct bw_kmd *lasting_gpu(void)
{
	struct bw_kmd *kmd;
	setenv("BREAKWATER_LIBEXEC", getenv("BREAKWATER_BUILD"), 1);
	OK(bw_kmd_open("virtual", &kmd));
	for (const char *const *e = bw_kmd_program_env(kmd); *e; e++)
		if (strncmp(*e, "BREAKWATER_VGPU=", 16) == 0)
			setenv("BREAKWATER_VGPU", *e + 16, 1);
	return kmd;
}

static void end_lasting_gpu(struct bw_kmd *kmd)
{
	unsetenv("BREAKWATER_VGPU");
	bw_kmd_close(kmd);
}

/* The debugger is killed with waves stopped: the program ends as without a debugger. */
static void test_kill_debugger(void **state)
{
	int ready[2];
	char name[64] = "", text[256] = "", c;
	pid_t program = 0;

	struct bw_kmd *gpu = lasting_gpu();
	assert_int_equal(traces(gpu), 0);
	assert_int_equal(pipe(ready), 0);
	pid_t debugger = fork();
	if (debugger == 0) {
		struct session s;
		session_start(&s, "saxpy", saxpy_256);
		session_break(&s, "compute");
		session_wait(&s);
		touch_registers(&s);
		struct bw_stop stop;
		bw_error_free(bw_debug_stepi(s.debug, 3, false, &stop));
		program = s.target->program;
		if (write(ready[1], s.output, sizeof(name)) < 0 ||
		    write(ready[1], &program, sizeof(program)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], name, sizeof(name)), sizeof(name));
	assert_int_equal(read(ready[0], &program, sizeof(program)), sizeof(program));
	assert_int_not_equal(traces(gpu), 0);
	kill(debugger, SIGKILL);
	waitpid(debugger, NULL, 0);
	for (int i = 0; i < 100 && strlen(text) < 5; i++) {
		FILE *f = fopen(name, "r");
		assert_non_null(f);
		text[fread(text, 1, sizeof(text) - 1, f)] = 0;
		fclose(f);
		nanosleep(&(struct timespec){0, 100000000}, NULL);
	}
	unlink(name);
	assert_string_equal(text, "1 3 5 7 9 11 13 15\n");
	assert_int_equal(read(ready[0], &c, 1), 0);
	close(ready[0]);
	/* the guard puts the registers back once the waves have left the handler */
	for (int i = 0; i < 100 && traces(gpu); i++)
		nanosleep(&(struct timespec){0, 100000000}, NULL);
	assert_int_equal(traces(gpu), 0);
	end_lasting_gpu(gpu);
}

static void test_detach(void **state)
{
	struct session s;
	char text[256];
	struct bw_kmd *gpu = lasting_gpu();
	session_start(&s, "saxpy", saxpy_256);
	session_break(&s, "compute");
	struct bw_stop stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_not_equal(traces(gpu), 0);
	touch_registers(&s);
	pid_t pid = s.target->program;
	bw_debug_detach(s.debug);
	assert_int_equal(traces(gpu), 0);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(session_output(&s, text, sizeof(text)), "1 3 5 7 9 11 13 15\n");
	session_end(&s);
	end_lasting_gpu(gpu);
}

TESTS(test_detach, test_kill_program, test_kill_gpu, test_kill_debugger);
