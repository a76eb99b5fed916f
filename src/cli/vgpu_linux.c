/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/subcommands.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/vec.h"
#include "guest/guest.h"

static const char usage[] =
	"Usage: breakwater vgpu linux [OPTIONS] [-- COMMAND ARGUMENTS...]\n"
	"\n"
	"Boots Linux 6.12 in QEMU, with the virtual GPU as its PCI device and Linux's own amdgpu driver, and runs\n"
	"COMMAND there, or a shell. The exit status is that of COMMAND. The guest sees this machine's files, and\n"
	"what it writes is gone afterwards, but for shared folders. It has no network. Ctrl-A x ends a shell's guest.\n"
	"QEMU and the kernel are fetched from Debian the first time (150 MB), and need no rights.\n"
	"\n"
	"Options:\n"
	"  --kernel FILE         boot this kernel (a bzImage of x86-64) instead; needs --modules\n"
	"  --modules FOLDER      take modules from here first; without --kernel the rest is the pinned kernel's,\n"
	"                        so that the folder may have an amdgpu.ko and nothing else\n"
	"  --driver-args WORDS   more parameters for amdgpu: \"gpu_recovery=1 vm_debug=1\"\n"
	"  --no-driver           do not load amdgpu; driver-load in the guest does\n"
	"  --no-gpu              a guest without the GPU\n"
	"  --share FOLDER        the guest can write to this folder; may be repeated\n"
	"  --memory SIZE         of the guest, 512M to 64G (default: 2G)\n"
	"  --cpus N              of the guest (default: 2)\n"
	"  --accel kvm|tcg       run the guest's code by KVM, or by QEMU's translation (default: KVM where it is of\n"
	"                        use, else TCG; -v says which)\n"
	"  --gdb                 the kernel waits for a gdb, whose command is printed\n"
	"  --silence SECONDS     give up a guest that is silent for so long (default: 120; 0: never)\n"
	"  --cache FOLDER        keep QEMU and the kernel here (default: breakwater/linux in the user's cache folder)\n"
	"  --json                at the end what the guest was and how long it took, as one line of JSON on standard\n"
	"                        error; the command's output stays as it is\n"
	"  -v, --verbose         the guest's kernel log on standard error\n"
	"  -h, --help\n";

struct linux_options {
	struct bw_guest_options guest;
	struct linux_shares BW_VEC(char *) shares; /* owned */
	bool help, json;
};

static struct bw_error *number(const char *option, const char *text, uint64_t min, uint64_t max,
			       uint64_t *out)
{
	uint64_t v;
	if (!bw_parse_u64(text, &v) || v < min || v > max)
		return bw_errorf(BW_E_INVALID, "--%s wants a number from %llu to %llu, not \"%s\"",
				 option, (unsigned long long)min, (unsigned long long)max, text);
	*out = v;
	return NULL;
}

static struct bw_error *add_share(struct linux_options *o, const char *path)
{
	char *real = realpath(path, NULL);
	if (!real)
		return bw_error_errno(errno, "the folder %s cannot be shared", path);
	struct bw_error *err = bw_vec_push(&o->shares, real);
	if (err)
		free(real);
	return err;
}

enum {
	KERNEL = 256,
	MODULES,
	DRIVER_ARGS,
	NO_DRIVER,
	NO_GPU,
	SHARE,
	MEMORY,
	CPUS,
	ACCEL,
	GDB,
	SILENCE,
	CACHE,
	JSON
};

static struct bw_error *accel(const char *text, enum bw_guest_accel *out)
{
	if (strcmp(text, "kvm") && strcmp(text, "tcg"))
		return bw_errorf(BW_E_INVALID, "--accel wants kvm or tcg, not \"%s\"", text);
	*out = strcmp(text, "kvm") ? BW_GUEST_ACCEL_TCG : BW_GUEST_ACCEL_KVM;
	return NULL;
}

static struct bw_error *take_option(int option, struct linux_options *o)
{
	struct bw_guest_options *g = &o->guest;
	uint64_t v = 0;
	switch (option) {
	case KERNEL:
		g->kernel = optarg;
		return NULL;
	case MODULES:
		g->modules = optarg;
		return NULL;
	case DRIVER_ARGS:
		g->driver_args = optarg;
		return NULL;
	case NO_DRIVER:
		g->no_driver = true;
		return NULL;
	case NO_GPU:
		g->no_gpu = true;
		return NULL;
	case SHARE:
		return add_share(o, optarg);
	case MEMORY:
		return number("memory", optarg, 512ull << 20, 64ull << 30, &g->memory_b);
	case CPUS:
		BW_TRY(number("cpus", optarg, 1, 64, &v));
		g->cpus = (unsigned)v;
		return NULL;
	case ACCEL:
		return accel(optarg, &g->accel);
	case GDB:
		g->gdb = true;
		return NULL;
	case SILENCE:
		BW_TRY(number("silence", optarg, 0, 1000000, &v));
		g->silence_s = (unsigned)v;
		return NULL;
	case CACHE:
		g->cache = optarg;
		return NULL;
	case JSON:
		o->json = g->no_progress = true;
		return NULL;
	case 'v':
		g->verbose = true;
		return NULL;
	default:
		o->help = true;
		return NULL;
	}
}

static struct bw_error *parse(int argc, char **argv, struct linux_options *o)
{
	/* clang-format off */
	static const struct option options[] = {
		{"kernel", required_argument, NULL, KERNEL}, {"modules", required_argument, NULL, MODULES},
		{"driver-args", required_argument, NULL, DRIVER_ARGS}, {"no-driver", no_argument, NULL, NO_DRIVER},
		{"no-gpu", no_argument, NULL, NO_GPU}, {"share", required_argument, NULL, SHARE},
		{"memory", required_argument, NULL, MEMORY}, {"cpus", required_argument, NULL, CPUS},
		{"accel", required_argument, NULL, ACCEL}, {"gdb", no_argument, NULL, GDB}, {"silence", required_argument, NULL, SILENCE},
		{"cache", required_argument, NULL, CACHE}, {"verbose", no_argument, NULL, 'v'},
		{"json", no_argument, NULL, JSON},
		{"help", no_argument, NULL, 'h'}, {0},
	};
	/* clang-format on */
	int c;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:vh", options, NULL)) != -1) {
		if (c == ':')
			return bw_errorf(BW_E_INVALID, "option %s wants a value", argv[optind - 1]);
		if (c == '?')
			return bw_errorf(BW_E_INVALID,
					 "\"breakwater vgpu linux\" has no option %s (see --help)",
					 argv[optind - 1]);
		BW_TRY(take_option(c, o));
	}
	if (optind < argc && strcmp(argv[optind - 1], "--"))
		return bw_errorf(
			BW_E_INVALID,
			"a command in the guest stands after \"--\": breakwater vgpu linux -- %s",
			argv[optind]);
	o->guest.command = &argv[optind];
	BW_TRY(bw_vec_push(&o->shares, NULL));
	o->guest.shares = o->shares.data;
	return NULL;
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
	struct linux_options o = {.guest = {.memory_b = 2ull << 30, .cpus = 2, .silence_s = 120}};
	struct bw_guest_report report = {.has_started = false};
	int status = 0;
	struct bw_error *err = parse(argc, argv, &o);
	if (!err && o.help)
		fputs(usage, stdout);
	else if (!err)
		err = bw_guest_run(&o.guest, &report, &status);
	struct bw_error *unsaid = o.json && !o.help ? show(&o.guest, &report, status, err) : NULL;
	if (o.json && !unsaid && err) { /* it has been said */
		bw_error_free(err);
		err = NULL;
		status = BW_EXIT_USAGE << 8;
	}
	bw_error_free(unsaid);
	bw_vec_each(&o.shares, share)
		free(*share);
	bw_vec_free(&o.shares);
	if (err) {
		/* A signal's status is told by the shell, not by us. */
		fprintf(stderr, "breakwater: %s.\n", err->message);
		bw_error_free(err);
		return BW_EXIT_USAGE;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
