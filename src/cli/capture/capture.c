/* SPDX-License-Identifier: MIT */
/* breakwater capture: what a program submits to the GPU, with all memory that it has mapped, as a
 * file that can be replayed. */
#include "cli/capture/capture.h"
#include "cli/capture/orders.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/folder.h"
#include "base/util.h"
#include "session/version.h"
#include "cli/cli.h"
#include "cli/pass_on.h"
#include "cli/subcommands.h"
#include "regs/regs.h"
#include "wire/agent_find.h"
#include "wire/agent_folders.h"
#include "wire/capture_proto.h"

static int fail(struct bw_error *err, int status)
{
	fprintf(stderr, "breakwater: %s.\n", err->message);
	bw_error_free(err);
	return status;
}

static void identify(struct bw_kmd *kmd, struct bw_capture_device *out)
{
	struct bw_kmd_ip gc;
	_cleanup_error_ struct bw_error *err = bw_kmd_ip(kmd, "GC", &gc);
	*out = (struct bw_capture_device){.is_virtual = bw_kmd_is_virtual(kmd)};
	if (!err) {
		out->gc_version = BW_IP_VERSION(gc.major, gc.minor, gc.revision);
		bw_arch_gfx_name(out->gc_version, out->name, sizeof(out->name));
	}
	snprintf(out->pci_address, sizeof(out->pci_address), "%.15s", bw_kmd_pci_address(kmd));
	snprintf(out->made_by, sizeof(out->made_by), "breakwater %s", bw_version());
}

/* ---- Running the program ---- */

struct run {
	const struct bw_capture_options *o;
	struct bw_kmd *kmd;
	struct bw_capture_writer *w;
	struct bw_collect *collect;
	struct bw_folder folder;
	int fd, stop_fd, status, failed; /* failed: the exit status where it did not start */
	uint64_t seen_before;
	unsigned why;		     /* BW_COLLECT_*, of those asked for; 0: none of them */
	struct bw_error *file_error; /* the program ran on without the capture */
	struct bw_error *kept;	     /* the program is kept by the kernel (bw_pass_on_wait) */
};

static struct bw_error *start(struct run *r)
{
	struct bw_capture_device device;
	_cleanup_close_ int listening = -1;
	identify(r->kmd, &device);
	if (!r->o->pid) {
		BW_TRY(bw_folder_need(BW_FOLDER_DEBUG, &r->folder));
		BW_TRY(bw_agent_folders_listen(&r->folder, BW_CAPTURE_SOCKET, &listening));
		BW_TRY(bw_agent_folders_add(r->folder.path));
	}
	r->fd = open(r->o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (r->fd < 0)
		return bw_error_errno(errno, "cannot write %s", r->o->output);
	BW_TRY(bw_capture_writer_create(r->fd, &device, &r->w));
	_cleanup_free_ char *file = realpath(r->o->output, NULL);
	const struct bw_collect_options o = {.listening = bw_take_fd(listening),
					     .stop_fd = r->stop_fd,
					     .wait_ms = (uint32_t)(r->o->wait_s * 1000),
					     .has_ring = r->o->has_ring,
					     .sees_all = r->o->sees_all,
					     .limits = r->o->limits,
					     .trigger = r->o->trigger,
					     .file = file ? file : r->o->output};
	return bw_collect_open(r->w, &o, &r->collect);
}

static const char *name_of(unsigned why)
{
	return why & BW_COLLECT_FAULT	? "page fault"
	       : why & BW_COLLECT_HANG	? "hang"
	       : why & BW_COLLECT_CRASH ? "crash"
	       : why & BW_COLLECT_SPAN	? "span"
	       : why			? "order"
					: "end";
}

/* A capture is complete as soon as what it is for has happened; the program runs on without. */
static struct bw_error *collect(struct run *r, pid_t pid, int pidfd)
{
	unsigned until = BW_COLLECT_SPAN | BW_COLLECT_ORDER | (r->o->has_ring ? r->o->on : 0);
	struct bw_followed p = {
		.pid = pid, .pidfd = pidfd, .kmd = r->kmd, .tell_wait = bw_pass_on_tell_wait};
	BW_TRY(bw_collect_run(r->collect, &p, until, &r->why));
	if (!r->why)
		return NULL;
	BW_TRY(bw_collect_finish(r->collect));
	bool is_event = r->why & ~(BW_COLLECT_SPAN | BW_COLLECT_ORDER);
	if (!r->o->json)
		fprintf(stderr, "breakwater: %s%s%s%s is complete.\n", is_event ? "a " : "",
			is_event ? name_of(r->why) : "", is_event ? ": " : "", r->o->output);
	unsigned none;
	return bw_collect_run(r->collect, &p, 0, &none);
}

/* The reason to keep the capture, if the program's end is one. */
static unsigned why_at_end(const struct run *r)
{
	return r->o->on & ((bw_collect_hangs(r->collect) ? BW_COLLECT_HANG : 0) |
			   (bw_collect_faults(r->collect) ? BW_COLLECT_FAULT : 0) |
			   (WIFSIGNALED(r->status) ? BW_COLLECT_CRASH : 0));
}

static bool is_wanted(const struct run *r)
{
	return !r->o->on || r->why;
}

/* The program has ended, or nothing more of it is wanted. */
static void complete(struct run *r)
{
	if (!r->why)
		r->why = why_at_end(r);
	if (!r->file_error && is_wanted(r))
		r->file_error = bw_collect_finish(r->collect);
	r->file_error = bw_error_wrap(r->file_error, "%s", r->o->output);
}

static struct bw_error *run_program(struct run *r)
{
	pid_t pid;
	bw_pass_on_begin();
	struct bw_error *err = bw_cli_spawn(r->kmd, r->o->program, r->o->shaders, false, &pid);
	if (err) {
		r->failed = bw_cli_not_run_status(err);
		return err;
	}
	bw_pass_on_to(pid);
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		r->file_error = bw_error_errno(errno, "pidfd_open");
	else
		r->file_error = collect(r, pid, pidfd);
	r->kept = bw_pass_on_wait(pid, r->kmd, &r->status);
	complete(r);
	return NULL;
}

/* ---- A process that runs already ---- */

static struct bw_error *run_process(struct run *r)
{
	const struct bw_agent_call call = {BW_AGENT_CALL_CAPTURE, BW_CAPTURE_VERSION};
	pid_t pid = (pid_t)r->o->pid;
	int fd;
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return bw_error_errno(errno, "cannot watch process %d", (int)pid);
	BW_TRY(bw_agent_find(pid, &call, "captured", "is captured already", &fd));
	BW_TRY(bw_collect_add(r->collect, fd));
	if (!r->o->json)
		fprintf(stderr,
			"breakwater: Process %d is captured from its next submission on; "
			"Ctrl-C ends that.\n",
			(int)pid);
	r->file_error = collect(r, pid, pidfd);
	complete(r);
	return NULL;
}

/* Before anything is started, so that no thread gets them. */
static struct bw_error *catch_signals(int *out_fd)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	*out_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *out_fd < 0 ? bw_error_errno(errno, "signalfd") : NULL;
}

static void report(const struct run *r, struct bw_out *out)
{
	uint32_t n = bw_collect_submissions(r->collect), n_procs = bw_collect_processes(r->collect);
	uint32_t n_kept = bw_collect_written(r->collect);
	uint64_t size_b = bw_capture_writer_bytes(r->w);
	bool kept = is_wanted(r);
	char of[32] = "";
	if (n_kept != n)
		snprintf(of, sizeof(of), "%s%u of ", r->o->has_ring ? "last " : "", n_kept);
	bw_out_begin(out, "command", "capture");
	if (!kept)
		bw_out_line(out,
			    "breakwater: %u submission%s, and nothing to keep: %s was removed.", n,
			    n == 1 ? "" : "s", r->o->output);
	else
		bw_out_line(out, "breakwater: %s%u submission%s of %u process%s in %s, %llu KiB.",
			    of, n, n == 1 ? "" : "s", n_procs, n_procs == 1 ? "" : "es",
			    r->o->output, (unsigned long long)(size_b + 1023) / 1024);
	bw_out_str(out, "file", r->o->output);
	bw_out_bool(out, "kept", kept);
	bw_out_str(out, "why", name_of(r->why));
	bw_out_int(out, "submissions", n);
	bw_out_int(out, "dropped", n - n_kept);
	bw_out_int(out, "processes", n_procs);
	bw_out_int(out, "bytes", (int64_t)size_b);
	bw_out_end(out);
}

static struct bw_error *capture(struct run *r)
{
	struct bw_out *out;
	BW_TRY(start(r));
	if (r->o->pid)
		BW_TRY(run_process(r));
	else
		BW_TRY(run_program(r));
	BW_TRY(bw_out_create(stderr, r->o->json, &out));
	report(r, out);
	bw_out_destroy(out);
	struct stat st;
	if (!is_wanted(r) && !fstat(r->fd, &st) && S_ISREG(st.st_mode))
		unlink(r->o->output);
	if (!r->o->pid && !bw_collect_submissions(r->collect)) {
		_cleanup_error_ struct bw_error *unseen =
			bw_check_seen(r->kmd, r->seen_before, r->o->program[0]);
		if (unseen)
			fprintf(stderr, "breakwater: warning: %s.\n", unseen->message);
	}
	return NULL;
}

static int exit_status(const struct run *r)
{
	if (r->file_error)
		return BW_EXIT_OUTPUT;
	return WIFEXITED(r->status) ? WEXITSTATUS(r->status) : BW_EXIT_SIGNAL + WTERMSIG(r->status);
}

static struct bw_error *report_swaps(const struct bw_swaps *swaps, bool json)
{
	struct bw_out *out;
	BW_TRY(bw_out_create(stderr, json, &out));
	struct bw_error *err = bw_swaps_report(swaps, out);
	bw_out_destroy(out);
	return err;
}

static int run_capture(const struct bw_capture_options *o)
{
	struct run r = {.o = o, .folder = BW_FOLDER_INIT, .fd = -1, .stop_fd = -1};
	bool is_virtual = false;
	struct bw_swaps *swaps = NULL;
	struct bw_error *err = bw_set_up_strict(&o->vgpu);
	if (!err)
		err = bw_swaps_begin(&o->swaps, NULL, &r.folder, &swaps);
	if (!err && o->pid)
		err = catch_signals(&r.stop_fd);
	if (!err && o->pid)
		err = bw_use_gpu_of((pid_t)o->pid, &is_virtual);
	if (!err)
		err = bw_kmd_open(is_virtual ? "virtual" : o->gpu, &r.kmd);
	if (!err)
		err = bw_check_strict(r.kmd, &o->vgpu);
	_cleanup_error_ struct bw_error *unable = o->pid ? NULL : bw_check_preload(o->program[0]);
	if (unable)
		fprintf(stderr, "breakwater: warning: %s.\n", unable->message);
	if (!err) {
		r.seen_before = bw_kmd_n_clients_ever(r.kmd);
		err = capture(&r);
		if (err)
			bw_error_free(r.kept);
		else
			err = r.kept; /* after the report */
	}
	if (!err && swaps)
		err = report_swaps(swaps, o->json);
	bw_swaps_end(swaps);
	int status = err ? fail(err, r.failed ? r.failed : BW_EXIT_USAGE) : exit_status(&r);
	bw_collect_close(r.collect);
	bw_capture_writer_free(r.w);
	if (r.fd >= 0 && close(r.fd) && !r.file_error)
		r.file_error = bw_error_errno(errno, "%s", o->output);
	if (r.file_error)
		status = fail(r.file_error, BW_EXIT_OUTPUT);
	bw_folder_remove(&r.folder);
	if (r.stop_fd >= 0)
		close(r.stop_fd);
	bw_kmd_close(r.kmd);
	return status;
}

int bw_main_capture(int argc, char **argv)
{
	struct bw_capture_options o = {0};
	static const char *const shows[] = {"info", "list", "show"};
	for (size_t i = 0; argc > 1 && i < BW_ARRAY_SIZE(shows); i++)
		if (!strcmp(argv[1], shows[i]))
			return bw_main_capture_show(argc - 1, argv + 1);
	if (bw_capture_is_order(argc, argv))
		return bw_main_capture_order(argc, argv);
	struct bw_error *err = bw_capture_options_parse(argc, argv, &o);
	int status = 0;
	if (err)
		status = fail(err, BW_EXIT_USAGE);
	else if (o.help)
		bw_command_line_print_help(&bw_line_capture);
	else
		status = run_capture(&o);
	bw_swap_options_fini(&o.swaps);
	return status;
}
