/* SPDX-License-Identifier: MIT */
/* breakwater capture: what a program submits to the GPU, with all memory that it has mapped, as a
 * file that can be replayed. */
#include "cli/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/folder.h"
#include "base/util.h"
#include "cli/cli.h"
#include "cli/subcommands.h"
#include "regs/regs.h"
#include "wire/capture_proto.h"

enum { ON_HANG = 1, ON_FAULT = 2, ON_CRASH = 4 };
enum { DEFAULT_WAIT_S = 10, WAIT_MAX_S = 24 * 3600 };

static const char usage[] =
	"Usage: breakwater capture [OPTIONS] -o FILE -- PROGRAM ARGUMENTS...\n"
	"       breakwater capture info FILE [--json]\n"
	"       breakwater capture list FILE [--json]\n"
	"       breakwater capture show FILE NUMBER [--json]\n"
	"\n"
	"Runs PROGRAM and writes what it submits to the GPU to FILE (*.bwc): every submission of every process and\n"
	"ring, with all buffers that are mapped in its address space before and after it. \"breakwater replay FILE\"\n"
	"runs them again. The exit status is that of PROGRAM. info says what a capture holds, list shows its\n"
	"submissions, show one of them with its command buffers, dispatches and buffers.\n"
	"\n"
	"Options:\n"
	"  -o, --output FILE   the capture; it is usable while it grows, and when it was cut off\n"
	"  --gpu GPU           virtual[:navi31], an index, or a PCI address\n"
	"  --wait SECONDS      how long each submission is waited for (default 10): of one that runs longer, the\n"
	"                      capture does not hold what it has changed\n"
	"  --on WHAT           keep FILE only where that has happened, of hang, fault and crash, with commas between\n"
	"  --deterministic     the virtual GPU runs on one thread, in a fixed order\n"
	"  --json              at the end, on standard error, what was captured\n"
	"  -h, --help\n"
	"\n"
	"Submissions of a captured program run one after the other, which takes time: doc/capture.md.\n";

struct options {
	const char *gpu, *output;
	bool json, help;
	unsigned on; /* ON_*, 0: the capture is kept in any case */
	uint64_t wait_s;
	struct bw_cli_vgpu_options vgpu;
	char **program; /* borrowed from argv */
};

static int fail(struct bw_error *err, int status)
{
	fprintf(stderr, "breakwater: %s.\n", err->message);
	bw_error_free(err);
	return status;
}

static struct bw_error *parse_wait(const char *text, uint64_t *out)
{
	if (!bw_parse_u64(text, out) || !*out || *out > WAIT_MAX_S)
		return bw_errorf(BW_E_INVALID, "--wait wants seconds, from 1 to %u, not \"%s\"",
				 WAIT_MAX_S, text);
	return NULL;
}

static struct bw_error *parse_on(const char *text, unsigned *out)
{
	static const char *const names[] = {"hang", "fault", "crash"};
	unsigned on = 0;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t n = strcspn(at, ","), i = 0;
		while (i < BW_ARRAY_SIZE(names) &&
		       (strlen(names[i]) != n || strncmp(at, names[i], n) != 0))
			i++;
		if (i == BW_ARRAY_SIZE(names))
			return bw_errorf(BW_E_INVALID,
					 "--on wants hang, fault or crash, or several with commas "
					 "between, not \"%s\"",
					 text);
		on |= 1u << i;
	}
	*out = on;
	return NULL;
}

static struct bw_error *parse(int argc, char **argv, struct options *o)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		const char *word = argv[i];
		bool more = i + 1 < argc;
		if (!strcmp(word, "--")) {
			i++;
			break;
		}
		if ((!strcmp(word, "-o") || !strcmp(word, "--output")) && more)
			o->output = argv[++i];
		else if (bw_starts_with(word, "--output="))
			o->output = word + strlen("--output=");
		else if (!strcmp(word, "--gpu") && more)
			o->gpu = argv[++i];
		else if (bw_starts_with(word, "--gpu="))
			o->gpu = word + strlen("--gpu=");
		else if (!strcmp(word, "--wait") && more)
			BW_TRY(parse_wait(argv[++i], &o->wait_s));
		else if (bw_starts_with(word, "--wait="))
			BW_TRY(parse_wait(word + strlen("--wait="), &o->wait_s));
		else if (!strcmp(word, "--on") && more)
			BW_TRY(parse_on(argv[++i], &o->on));
		else if (bw_starts_with(word, "--on="))
			BW_TRY(parse_on(word + strlen("--on="), &o->on));
		else if (!strcmp(word, "--json"))
			o->json = true;
		else if (!strcmp(word, "--help") || !strcmp(word, "-h"))
			o->help = true;
		else if (strcmp(word, "--deterministic") ||
			 !bw_cli_take_vgpu_option(word, &o->vgpu))
			return bw_errorf(BW_E_INVALID,
					 "\"breakwater capture\" has no option %s (see --help)",
					 word);
	}
	o->program = &argv[i];
	if (o->help)
		return NULL;
	if (!o->output)
		return bw_errorf(BW_E_INVALID, "\"breakwater capture\" needs a file: breakwater "
					       "capture -o FILE -- PROGRAM");
	if (i >= argc)
		return bw_errorf(BW_E_INVALID, "\"breakwater capture\" needs a program: breakwater "
					       "capture -o FILE -- PROGRAM");
	return NULL;
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
	snprintf(out->made_by, sizeof(out->made_by), "breakwater " BW_VERSION);
}

/* ---- Running the program ---- */

struct run {
	const struct options *o;
	struct bw_kmd *kmd;
	struct bw_capture_writer *w;
	struct bw_collect *collect;
	struct bw_folder folder;
	int fd, status;
	uint64_t seen_before;
	struct bw_error *file_error; /* the program ran on without the capture */
};

static struct bw_error *start(struct run *r)
{
	struct bw_capture_device device;
	_cleanup_free_ char *socket = NULL;
	identify(r->kmd, &device);
	BW_TRY(bw_folder_make(BW_FOLDER_DEBUG, &r->folder));
	if (asprintf(&socket, "%s/capture", r->folder.path) < 0)
		return bw_error_nomem();
	r->fd = open(r->o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (r->fd < 0)
		return bw_error_errno(errno, "cannot write %s", r->o->output);
	BW_TRY(bw_capture_writer_create(r->fd, &device, &r->w));
	return bw_collect_open(r->w, socket, (uint32_t)(r->o->wait_s * 1000), &r->collect);
}

static struct bw_error *run_program(struct run *r)
{
	_cleanup_free_ char *setting = NULL;
	pid_t pid;
	if (asprintf(&setting, "%s=%s/capture", BW_CAPTURE_SOCKET_ENV, r->folder.path) < 0)
		return bw_error_nomem();
	BW_TRY(bw_cli_spawn(r->kmd, r->o->program, false, setting, &pid));
	/* Ctrl-C is for the program: what it has submitted is kept */
	signal(SIGINT, SIG_IGN);
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		r->file_error = bw_error_errno(errno, "pidfd_open");
	else
		r->file_error = bw_collect_run(r->collect, pidfd);
	while (waitpid(pid, &r->status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
	if (!r->file_error)
		r->file_error = bw_capture_writer_end(r->w);
	r->file_error = bw_error_wrap(r->file_error, "%s", r->o->output);
	return NULL;
}

/* Has what the capture is for happened? */
static bool is_wanted(const struct run *r)
{
	unsigned on = r->o->on;
	return !on || (on & ON_HANG && bw_collect_hangs(r->collect)) ||
	       (on & ON_FAULT && bw_collect_faults(r->collect)) ||
	       (on & ON_CRASH && WIFSIGNALED(r->status));
}

static void report(const struct run *r, struct bw_out *out)
{
	uint32_t n = bw_collect_submissions(r->collect), n_procs = bw_collect_processes(r->collect);
	uint64_t size_b = bw_capture_writer_bytes(r->w);
	bool kept = is_wanted(r);
	bw_out_begin(out, "command", "capture");
	if (!kept)
		bw_out_line(out,
			    "breakwater: %u submission%s, and nothing to keep: %s was removed.", n,
			    n == 1 ? "" : "s", r->o->output);
	else
		bw_out_line(out, "breakwater: %u submission%s of %u process%s in %s, %llu KiB.", n,
			    n == 1 ? "" : "s", n_procs, n_procs == 1 ? "" : "es", r->o->output,
			    (unsigned long long)(size_b + 1023) / 1024);
	bw_out_str(out, "file", r->o->output);
	bw_out_bool(out, "kept", kept);
	bw_out_int(out, "submissions", n);
	bw_out_int(out, "processes", n_procs);
	bw_out_int(out, "bytes", (int64_t)size_b);
	bw_out_end(out);
}

static struct bw_error *capture(struct run *r)
{
	struct bw_out *out;
	BW_TRY(start(r));
	BW_TRY(run_program(r));
	BW_TRY(bw_out_create(stderr, r->o->json, &out));
	report(r, out);
	bw_out_destroy(out);
	struct stat st;
	if (!is_wanted(r) && !fstat(r->fd, &st) && S_ISREG(st.st_mode))
		unlink(r->o->output);
	if (!bw_collect_submissions(r->collect)) {
		_cleanup_error_ struct bw_error *unseen =
			bw_cli_check_seen(r->kmd, r->seen_before, r->o->program[0]);
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

static int run(const struct options *o)
{
	struct run r = {.o = o, .folder = BW_FOLDER_INIT, .fd = -1};
	struct bw_error *err = bw_cli_set_up_strict(&o->vgpu);
	if (!err)
		err = bw_kmd_open(o->gpu, &r.kmd);
	if (!err)
		err = bw_cli_check_strict(r.kmd, &o->vgpu);
	_cleanup_error_ struct bw_error *unable = bw_cli_check_preload(o->program[0]);
	if (unable)
		fprintf(stderr, "breakwater: warning: %s.\n", unable->message);
	if (!err) {
		r.seen_before = bw_kmd_n_clients_ever(r.kmd);
		err = capture(&r);
	}
	int status = err ? fail(err, BW_EXIT_USAGE) : exit_status(&r);
	bw_collect_close(r.collect);
	bw_capture_writer_free(r.w);
	if (r.fd >= 0 && close(r.fd) && !r.file_error)
		r.file_error = bw_error_errno(errno, "%s", o->output);
	if (r.file_error)
		status = fail(r.file_error, BW_EXIT_OUTPUT);
	bw_folder_remove(&r.folder);
	bw_kmd_close(r.kmd);
	return status;
}

int bw_main_capture(int argc, char **argv)
{
	struct options o = {.wait_s = DEFAULT_WAIT_S};
	static const char *const shows[] = {"info", "list", "show"};
	for (size_t i = 0; argc > 1 && i < BW_ARRAY_SIZE(shows); i++)
		if (!strcmp(argv[1], shows[i]))
			return bw_main_capture_show(argc - 1, argv + 1);
	struct bw_error *err = parse(argc, argv, &o);
	if (err)
		return fail(err, BW_EXIT_USAGE);
	if (o.help) {
		fputs(usage, stdout);
		return 0;
	}
	return run(&o);
}
