/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/subcommands.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/string_list.h"
#include "base/vec.h"
#include "guest/guest.h"
#include "wire/vgpu_models.h"

static const char usage[] =
	"Usage: breakwater vgpu linux [OPTIONS] [-- COMMAND ARGUMENTS...]\n"
	"\n"
	"Boots Linux 6.12 in QEMU, with the virtual GPU as its PCI device and Linux's own amdgpu driver, and runs\n"
	"COMMAND there, or a shell. The exit status is that of COMMAND. The guest sees this machine's files, and\n"
	"what it writes is gone afterwards, but for shared folders. It has no network. Ctrl-A x ends a shell's guest.\n"
	"QEMU and the kernel are fetched from Debian the first time (150 MB), and need no rights.\n";

struct linux_options {
	struct bw_guest_options guest;
	struct bw_strings shares;
	bool help, json;
};

static struct bw_error *take_share(void *options, const char *option, const char *path)
{
	struct linux_options *o = options;
	char *real = realpath(path, NULL);
	if (!real)
		return bw_error_errno(errno, "the folder %s cannot be shared", path);
	return bw_strings_take(&o->shares, real);
}

static struct bw_error *take_accel(void *options, const char *option, const char *text)
{
	struct linux_options *o = options;
	if (strcmp(text, "kvm") && strcmp(text, "tcg"))
		return bw_errorf(BW_E_INVALID, "--accel wants kvm or tcg, not \"%s\"", text);
	o->guest.accel = strcmp(text, "kvm") ? BW_GUEST_ACCEL_TCG : BW_GUEST_ACCEL_KVM;
	return NULL;
}

static struct bw_error *take_gpu(void *options, const char *option, const char *name)
{
	struct linux_options *o = options;
	if (!bw_vgpu_model_gfx(name))
		return bw_errorf(BW_E_INVALID,
				 "--gpu wants " BW_VGPU_NAVI31 ", " BW_VGPU_MI300X
				 " or " BW_VGPU_RAVEN2 ", not \"%s\"",
				 name);
	o->guest.gpu = name;
	return NULL;
}

static const struct bw_option rows[] = {
	{"--kernel", "FILE", "boot this kernel (a bzImage of x86-64) instead; needs --modules",
	 BW_TEXT(struct linux_options, guest.kernel)},
	{"--modules", "FOLDER",
	 "take modules from here first; without --kernel the rest is the pinned kernel's, so that the folder "
	 "may have an amdgpu.ko and nothing else",
	 BW_TEXT(struct linux_options, guest.modules)},
	{"--gpu", "navi31|mi300x|raven2", "which model the virtual GPU is (default: navi31)",
	 BW_CALL(take_gpu)},
	{"--driver-args", "WORDS", "more parameters for amdgpu: \"gpu_recovery=1 vm_debug=1\"",
	 BW_TEXT(struct linux_options, guest.driver_args)},
	{"--no-driver", NULL, "do not load amdgpu; driver-load in the guest does",
	 BW_FLAG(struct linux_options, guest.no_driver)},
	{"--no-gpu", NULL, "a guest without the GPU", BW_FLAG(struct linux_options, guest.no_gpu)},
	{"--rocm", NULL,
	 "COMMAND gets Debian 13's ROCm, which is fetched the first time (60 MB), and finds rocminfo and hipcc; "
	 "--memory is 4G by default then",
	 BW_FLAG(struct linux_options, guest.has_rocm)},
	{"--share", "FOLDER", "the guest can write to this folder; may be repeated",
	 BW_CALL(take_share)},
	{"--memory", "SIZE", "of the guest, 512M to 64G (default: 2G)",
	 BW_U64(struct linux_options, guest.memory_b, 512ull << 20, 64ull << 30),
	 .wants = "a number from 536870912 to 68719476736"},
	{"--cpus", "N", "of the guest (default: 2)",
	 BW_U32(struct linux_options, guest.cpus, 1, 64)},
	{"--accel", "kvm|tcg",
	 "run the guest's code by KVM, or by QEMU's translation (default: KVM where it is of use, else TCG; "
	 "-v says which)",
	 BW_CALL(take_accel)},
	{"--gdb", NULL, "the kernel waits for a gdb, whose command is printed",
	 BW_FLAG(struct linux_options, guest.gdb)},
	{"--silence", "SECONDS",
	 "give up a guest that is silent for so long (default: 120; 0: never)",
	 BW_U32(struct linux_options, guest.silence_s, 0, 1000000)},
	{"--cache", "FOLDER",
	 "keep here what is fetched (default: breakwater/linux in the user's cache folder)",
	 BW_TEXT(struct linux_options, guest.cache)},
	{"--json", NULL,
	 "at the end what the guest was and how long it took, as one line of JSON on standard error; the "
	 "command's output stays as it is",
	 BW_FLAG(struct linux_options, json), BW_HAS(struct linux_options, guest.no_progress)},
	{"-v, --verbose", NULL, "the guest's kernel log on standard error",
	 BW_FLAG(struct linux_options, guest.verbose)},
	BW_ROW_HELP(struct linux_options, help),
	{0},
};

const struct bw_command_line bw_line_vgpu_linux = {
	.name = "breakwater vgpu linux",
	.usage = usage,
	.groups = {{"Options:", rows}},
};

static struct bw_error *parse(int argc, char **argv, struct linux_options *o)
{
	int rest;
	BW_TRY(bw_command_line_parse(&bw_line_vgpu_linux, o, argc, argv, &rest));
	if (!o->help && rest < argc && strcmp(argv[rest - 1], "--"))
		return bw_errorf(
			BW_E_INVALID,
			"a command in the guest stands after \"--\": breakwater vgpu linux -- %s",
			argv[rest]);
	o->guest.command = &argv[rest];
	BW_TRY(bw_vec_push(&o->shares, NULL));
	o->guest.shares = o->shares.data;
	return NULL;
}

/* Without --memory. KFD keeps 44 MiB for each of a program's queues. */
static void choose_memory(struct bw_guest_options *g)
{
	if (!g->memory_b)
		g->memory_b = (g->has_rocm ? 4ull : 2ull) << 30;
}

/* --json */
static struct bw_error *show(const struct bw_guest_options *g, const struct bw_guest_report *r,
			     int status, const struct bw_error *failed)
{
	struct bw_out *out;
	BW_TRY(bw_out_create(stderr, true, &out));
	if (failed)
		bw_out_error(out, failed);
	bw_out_begin(out, "event", "guest");
	if (!failed && WIFSIGNALED(status))
		bw_out_int(out, "signal", WTERMSIG(status));
	else if (!failed)
		bw_out_int(out, "status", WEXITSTATUS(status));
	bw_out_bool(out, "started", r->has_started);
	if (r->has_started) {
		bw_out_int(out, "boot_ms", r->boot_ms);
		bw_out_int(out, "command_ms", r->command_ms);
		bw_out_str(out, "accel", r->has_kvm ? "kvm" : "tcg");
	}
	bw_out_int(out, "cpus", g->cpus);
	bw_out_int(out, "memory", (int64_t)g->memory_b);
	bw_out_bool(out, "gpu", !g->no_gpu);
	bw_out_bool(out, "driver", !g->no_gpu && !g->no_driver);
	bw_out_end(out);
	bw_out_destroy(out);
	return NULL;
}

int bw_main_vgpu_linux(int argc, char **argv)
{
	struct linux_options o = {.guest = {.cpus = 2, .silence_s = 120}};
	struct bw_guest_report report = {.has_started = false};
	int status = 0;
	struct bw_error *err = parse(argc, argv, &o);
	choose_memory(&o.guest);
	if (!err && o.help)
		bw_command_line_print_help(&bw_line_vgpu_linux);
	else if (!err)
		err = bw_guest_run(&o.guest, &report, &status);
	struct bw_error *unsaid = o.json && !o.help ? show(&o.guest, &report, status, err) : NULL;
	if (o.json && !unsaid && err) { /* it has been said */
		bw_error_free(err);
		err = NULL;
		status = BW_EXIT_USAGE << 8;
	}
	bw_error_free(unsaid);
	bw_strings_free(&o.shares);
	if (err) {
		/* A signal's status is told by the shell, not by us. */
		fprintf(stderr, "breakwater: %s.\n", err->message);
		bw_error_free(err);
		return BW_EXIT_USAGE;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
