/* SPDX-License-Identifier: MIT */
/* Programs of the steps: breakwater-launch with one kernel, debugged or not. */
#include "selftest/selftest_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "debug/breaks.h"
#include "debug/code.h"
#include "debug/registers.h"

enum { MOST_WORDS = 32, WORD_B = 320 };

/* Words of the launcher, or of a session: in one block. */
struct words {
	char text[MOST_WORDS][WORD_B];
	char *argv[MOST_WORDS + 1];
	int n;
};

static void word(struct words *w, const char *fmt, ...) BW_PRINTF(2, 3);
static void word(struct words *w, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(w->text[w->n], WORD_B, fmt, args);
	va_end(args);
	w->argv[w->n] = w->text[w->n];
	w->argv[++w->n] = NULL;
}

static void kernel_words(struct words *w, const struct bw_selftest_launch *l,
			 const struct bw_selftest_program *p)
{
	word(w, "%s", "--wave");
	word(w, "%s", "32");
	word(w, "%s", "--group");
	word(w, "%u", l->lanes ? l->lanes : 32);
	word(w, "%s", "--groups");
	word(w, "%u", l->groups);
	word(w, "%s", "--vgprs");
	word(w, "%u", l->vgprs);
	word(w, "%s", "--sgprs");
	word(w, "%u", l->sgprs);
	if (l->lds_b) {
		word(w, "%s", "--lds");
		word(w, "%u", l->lds_b);
	}
	word(w, "%s", "--arg");
	word(w, "out=%s", l->buffer);
	if (l->ticks) {
		word(w, "%s", "--arg");
		word(w, "ticks=%u", l->ticks);
	}
	if (l->without_vram) {
		word(w, "%s", "--code-in");
		word(w, "%s", "gtt");
	}
	word(w, "%s", "--dump");
	word(w, "out=%s", p->dump);
	word(w, "%s", p->object);
}

static struct bw_error *begin(struct bw_selftest_work *w, const struct bw_selftest_launch *l,
			      struct bw_selftest_program *p)
{
	*p = (struct bw_selftest_program){.w = w, .kernel = bw_selftest_kernel(l->kernel)};
	snprintf(p->object, sizeof(p->object), "%s/%s.bin", w->folder, l->kernel);
	snprintf(p->dump, sizeof(p->dump), "%s/%s.out", w->folder, l->kernel);
	remove(p->dump);
	return bw_file_write(p->object, "wb", p->kernel.code, p->kernel.size_b);
}

/* ---- Without a debugger ---- */

static void exec_launcher(const char *launcher, struct words *w, const char *const *env,
			  const char *said)
{
	int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(126);
	for (size_t i = 0; env && env[i]; i++)
		putenv(strdup(env[i]));
	execv(launcher, w->argv);
	_exit(127);
}

static void said_path(const struct bw_selftest_work *w, char *out, size_t size_b)
{
	snprintf(out, size_b, "%s/said.txt", w->folder);
}

/* The generation of the kernels: meson.build. */
#define KERNELS_OF "gfx11"

static struct bw_error *check_gpu(struct bw_kmd *kmd)
{
	struct bw_kmd_ip ip;
	char gfx[24];
	BW_TRY(bw_kmd_ip(kmd, "GC", &ip));
	uint32_t version = BW_IP_VERSION(ip.major, ip.minor, ip.revision);
	const struct bw_arch *arch = bw_arch_of_code(version);
	bw_arch_gfx_name(version, gfx, sizeof(gfx));
	if (arch && !strcmp(arch->name, KERNELS_OF))
		return NULL;
	return bw_errorf(BW_E_UNSUPPORTED,
			 "The kernels of the self-test are for " KERNELS_OF "; this GPU is %s",
			 gfx);
}

struct bw_error *bw_selftest_spawn(struct bw_selftest_work *w, const struct bw_selftest_launch *l,
				   struct bw_selftest_program *p)
{
	_cleanup_free_ char *launcher = NULL;
	struct words *words = calloc(1, sizeof(*words));
	_cleanup_free_ void *owned = words;
	char said[300];
	if (!words)
		return bw_error_nomem();
	said_path(w, said, sizeof(said));
	BW_TRY(begin(w, l, p));
	BW_TRY(bw_kmd_find_part("breakwater-launch", &launcher));
	BW_TRY(bw_kmd_open(w->gpu, &p->kmd));
	BW_TRY(check_gpu(p->kmd));
	word(words, "%s", "breakwater-launch");
	kernel_words(words, l, p);
	const char *const *env = bw_kmd_program_env(p->kmd);
	p->pid = fork();
	if (p->pid < 0)
		return bw_error_errno(errno, "cannot start breakwater-launch");
	if (!p->pid)
		exec_launcher(launcher, words, env, said);
	bw_selftest_owns(w, p->pid);
	return NULL;
}

/* The first line that the program has printed, for the reason of a failure; "" for none. */
static void first_said(const struct bw_selftest_work *w, char *out, size_t size_b)
{
	char path[300];
	said_path(w, path, sizeof(path));
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	out[0] = '\0';
	if (f && fgets(out, (int)size_b, f))
		out[strcspn(out, "\n")] = '\0';
}

static struct bw_error *check_status(struct bw_selftest_program *p, int status)
{
	char said[200];
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	first_said(p->w, said, sizeof(said));
	return bw_errorf(BW_E_STATE, "The program of the kernel \"%s\" has ended by %s %d%s%s",
			 p->kernel.name, WIFSIGNALED(status) ? "signal" : "status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
			 said[0] ? ": " : "", said);
}

struct bw_error *bw_selftest_join(struct bw_selftest_program *p)
{
	int status = 0;
	while (waitpid(p->pid, &status, 0) < 0)
		if (errno != EINTR)
			return bw_error_errno(errno, "waiting for process %d", (int)p->pid);
	p->pid = 0;
	return check_status(p, status);
}

/* ---- With one ---- */

static struct bw_error *open_session(struct bw_selftest_program *p, struct words *words)
{
	char said[300];
	p->nowhere = fopen("/dev/null", "we");
	if (!p->nowhere)
		return bw_error_errno(errno, "cannot open /dev/null");
	BW_TRY(bw_out_create(p->nowhere, false, &p->out));
	BW_TRY(bw_session_init(&p->session, p->out));
	p->has_session = true;
	said_path(p->w, said, sizeof(said));
	int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return bw_error_errno(errno, "cannot write %s", said);
	p->session.output_fd[0] = p->session.output_fd[1] = fd;
	return bw_session_open_words(&p->session, words->n, words->argv, false, "a self-test's");
}

struct bw_error *bw_selftest_debug(struct bw_selftest_work *w, const struct bw_selftest_launch *l,
				   struct bw_selftest_program *p)
{
	struct words *words = calloc(1, sizeof(*words));
	_cleanup_free_ void *owned = words;
	if (!words)
		return bw_error_nomem();
	bw_selftest_doing(w, "opening a session for the kernel \"%s\"", l->kernel);
	BW_TRY(begin(w, l, p));
	word(words, "%s", "run");
	if (w->gpu) {
		word(words, "%s", "--gpu");
		word(words, "%s", w->gpu);
	}
	kernel_words(words, l, p);
	BW_TRY(open_session(p, words));
	bw_selftest_doing(w, "starting the program of the kernel \"%s\"", l->kernel);
	BW_TRY(bw_session_start(&p->session));
	bw_selftest_owns(w, bw_debug_target(p->session.debug)->program);
	return NULL;
}

struct bw_error *bw_selftest_break(struct bw_selftest_program *p, uint32_t *out_number)
{
	char place[64];
	snprintf(place, sizeof(place), "%s.bin+%u", p->kernel.name, p->kernel.mark_b);
	return bw_debug_break_at(p->session.debug, &(struct bw_break_at){.place = place},
				 out_number);
}

static const char *end_text(const struct bw_stop *s)
{
	switch (s->kind) {
	case BW_STOP_EXITED:
		return "the program has ended";
	case BW_STOP_GPU_GONE:
		return "the GPU has gone";
	case BW_STOP_QUEUE_ERROR:
		return "a queue has met commands that it cannot execute";
	case BW_STOP_INTERRUPTED:
		return "the wait was interrupted";
	case BW_STOP_DISPATCH:
	case BW_STOP_NONE:
	case BW_STOP_WAVES:
		break;
	}
	return "nothing has stopped";
}

struct bw_error *bw_selftest_await(struct bw_selftest_program *p, uint32_t reason,
				   const char *missing, struct bw_stop *out)
{
	char came[160], wanted[160], said[200];
	bw_reason_text(reason, wanted, sizeof(wanted));
	bw_selftest_doing(p->w, "waiting for a wave of the kernel \"%s\" to stop (%s)",
			  p->kernel.name, wanted);
	BW_TRY(bw_debug_wait(p->session.debug, -1, out));
	if (out->kind == BW_STOP_EXITED && out->exit_known)
		BW_TRY(check_status(p, out->exit_status));
	if (out->kind != BW_STOP_WAVES) {
		first_said(p->w, said, sizeof(said));
		return bw_errorf(BW_E_STATE, "%s: %s%s%s", missing, end_text(out),
				 said[0] ? "; it said: " : "", said);
	}
	bw_reason_text(out->reasons, came, sizeof(came));
	return out->reasons & reason
		       ? NULL
		       : bw_errorf(BW_E_STATE, "A wave has stopped for %s instead of %s", came,
				   wanted);
}

struct bw_error *bw_selftest_to_mark(struct bw_selftest_program *p, struct bw_stop *out)
{
	uint32_t number;
	BW_TRY(bw_selftest_break(p, &number));
	BW_TRY(bw_selftest_await(
		p, BW_REASON_BREAKPOINT,
		"The breakpoint was not hit (the trap handler was not entered, or the instruction cache has old code)",
		out));
	return bw_debug_break_delete(p->session.debug, number);
}

struct bw_error *bw_selftest_finish(struct bw_selftest_program *p)
{
	struct bw_stop stop;
	BW_TRY(bw_debug_continue(p->session.debug));
	bw_selftest_doing(p->w, "waiting for the end of the kernel \"%s\"", p->kernel.name);
	BW_TRY(bw_debug_wait(p->session.debug, -1, &stop));
	if (stop.kind == BW_STOP_WAVES) {
		char came[160];
		bw_reason_text(stop.reasons, came, sizeof(came));
		return bw_errorf(BW_E_STATE,
				 "The kernel \"%s\" was to end, and a wave has stopped for %s",
				 p->kernel.name, came);
	}
	if (stop.kind != BW_STOP_EXITED)
		return bw_errorf(BW_E_STATE, "The kernel \"%s\" was to end, and %s", p->kernel.name,
				 end_text(&stop));
	return stop.exit_known ? check_status(p, stop.exit_status) : NULL;
}

struct bw_error *bw_selftest_sgpr(struct bw_selftest_program *p, uint32_t wave, unsigned n,
				  uint32_t *out)
{
	return bw_debug_sgprs_read(p->session.debug, wave, n, 1, out);
}

struct bw_error *bw_selftest_buffer_va(struct bw_selftest_program *p, uint32_t wave, uint64_t *out)
{
	uint32_t s[2];
	BW_TRY(bw_debug_sgprs_read(p->session.debug, wave, 4, 2, s));
	*out = bw_join32(s[1], s[0]);
	return NULL;
}

/* ---- Its output ---- */

struct bw_error *bw_selftest_output(struct bw_selftest_program *p, uint32_t *out, size_t n)
{
	_cleanup_fclose_ FILE *f = fopen(p->dump, "rbe");
	if (!f)
		return bw_errorf(BW_E_STATE, "The program of the kernel \"%s\" has left no result",
				 p->kernel.name);
	size_t got = fread(out, 4, n, f);
	return got == n ? NULL
			: bw_errorf(BW_E_STATE,
				    "The result of the kernel \"%s\" has %zu words, not %zu",
				    p->kernel.name, got, n);
}

struct bw_error *bw_selftest_check_row(struct bw_selftest_program *p, size_t n, uint32_t first,
				       uint32_t step)
{
	_cleanup_free_ uint32_t *words = calloc(n, sizeof(*words));
	if (!words)
		return bw_error_nomem();
	BW_TRY(bw_selftest_output(p, words, n));
	for (size_t i = 0; i < n; i++) {
		uint32_t expected = first + (uint32_t)i * step;
		if (words[i] != expected)
			return bw_errorf(
				BW_E_STATE,
				"Word %zu of the result of the kernel \"%s\" is 0x%08x, not 0x%08x",
				i, p->kernel.name, words[i], expected);
	}
	return NULL;
}

struct bw_error *bw_selftest_check_words(struct bw_selftest_program *p, size_t n, uint32_t expected)
{
	return bw_selftest_check_row(p, n, expected, 0);
}

void bw_selftest_close(struct bw_selftest_program *p)
{
	if (p->has_session) {
		if (p->session.warnings.len)
			bw_selftest_value(p->w, "warnings", "%s",
					  bw_str_text(&p->session.warnings));
		bw_session_leave(&p->session);
		if (p->session.output_fd[0] >= 0)
			close(p->session.output_fd[0]);
		bw_session_fini(&p->session);
	}
	p->has_session = false;
	bw_out_destroy(p->out);
	p->out = NULL;
	if (p->nowhere)
		fclose(p->nowhere);
	p->nowhere = NULL;
	if (p->pid > 0)
		bw_error_free(bw_selftest_join(p));
	bw_kmd_close(p->kmd);
	p->kmd = NULL;
}

struct bw_error *bw_selftest_with(struct bw_selftest_work *w, const struct bw_selftest_launch *l,
				  struct bw_error *(*body)(struct bw_selftest_program *p))
{
	struct bw_selftest_program p;
	struct bw_error *err = bw_selftest_debug(w, l, &p);
	if (!err)
		err = body(&p);
	bw_selftest_close(&p);
	return err;
}
