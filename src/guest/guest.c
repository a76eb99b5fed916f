/* SPDX-License-Identifier: MIT */
#include "guest/guest_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memfd.h"
#include "base/util.h"
#include "guest/kvm.h"
#include "guest/rocm.h"
#include "kmd/kmd.h"
#include "wire/vgpu_models.h"

/* Modules that process 1 needs before it has the host's files; a kernel may have them built in. */
static const char *const early_modules[] = {"virtio_pci", "virtio_console", "9pnet_virtio", "9p",
					    "overlay"};

/* A wave that a debugger has stopped must not look like a hang. A reset of the GPU is an error by
 * this method, and an oops by the usual one (doc/hardware/pci.md 8). */
#define DRIVER_ARGS "reset_method=3 gpu_recovery=0 lockup_timeout=3600000,3600000,3600000,3600000"

/* VCN, JPEG, PSP and SMU, which the virtual GPU does not have, are left out by the mask, whose bits
 * are in the order in which the driver finds blocks (doc/hardware/pci.md 6): an MI300X has no MES
 * there, and a Raven2 has a display, which is left out, too. */
static unsigned ip_block_mask(const struct bw_guest_options *o)
{
	static const struct {
		const char *gpu;
		unsigned mask;
	} masks[] = {{BW_VGPU_MI300X, 0x67}, {BW_VGPU_RAVEN2, 0xc7}};
	for (size_t i = 0; o->gpu && i < BW_ARRAY_SIZE(masks); i++)
		if (!strcmp(o->gpu, masks[i].gpu))
			return masks[i].mask;
	return 0x267;
}

/* ---- files into the initramfs ---- */

static struct bw_error *add_file(struct bw_str *archive, const char *name, unsigned mode,
				 const char *path)
{
	struct stat st;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return bw_error_errno(errno, "%s cannot be read", path);
	void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return bw_error_errno(errno, "%s cannot be mapped", path);
	bw_cpio_add(archive, name, S_IFREG | mode, data, (size_t)st.st_size);
	munmap(data, (size_t)st.st_size);
	return archive->failed ? bw_error_nomem() : NULL;
}

/* Modules of the order from `first` on. */
static struct bw_error *make_initrd(const struct bw_guest_parts *parts,
				    const struct bw_guest_modules *modules, size_t n_early,
				    int *out_fd)
{
	static const char *const folders[] = {"dev", "sys", "modules"};
	_cleanup_(bw_str_free) struct bw_str archive = {0};
	for (size_t i = 0; i < BW_ARRAY_SIZE(folders); i++)
		bw_cpio_add(&archive, folders[i], S_IFDIR | 0755, "", 0);
	BW_TRY(add_file(&archive, "init", 0755, parts->init));
	for (size_t i = 0; i < n_early; i++) {
		const struct bw_guest_module *f = &modules->files.data[modules->order.data[i]];
		char name[300];
		snprintf(name, sizeof(name), "modules/%02zu-%s", i, f->name);
		BW_TRY(add_file(&archive, name, 0644, f->path));
	}
	bw_cpio_end(&archive);
	if (archive.failed)
		return bw_error_nomem();
	_cleanup_close_ int fd = bw_memfd("breakwater-initramfs");
	if (fd < 0)
		return bw_error_errno(errno, "no file in memory can be made");
	for (size_t done = 0; done < archive.len;) {
		ssize_t n = write(fd, archive.data + done, archive.len - done);
		if (n < 0 && errno != EINTR)
			return bw_error_errno(errno, "the initramfs cannot be written");
		done += n > 0 ? (size_t)n : 0;
	}
	*out_fd = bw_take_fd(fd);
	return NULL;
}

/* ---- modules ---- */

static struct bw_error *scan(const struct bw_guest_options *o, const struct bw_guest_parts *parts,
			     const char *unpacked, struct bw_guest_modules *m)
{
	m->tree = parts->qemu;
	if (o->modules)
		BW_TRY(bw_guest_modules_scan(m, o->modules, unpacked));
	if (parts->modules)
		BW_TRY(bw_guest_modules_scan(m, parts->modules, parts->unpacked));
	return NULL;
}

static struct bw_error *want_driver(const struct bw_guest_options *o, struct bw_guest_modules *m)
{
	bool found;
	BW_TRY(bw_guest_modules_want(m, "amdgpu", &found));
	if (found)
		return NULL;
	if (o->kernel && !o->modules)
		return bw_errorf(
			BW_E_INVALID,
			"--kernel needs the kernel's modules: --modules FOLDER, as \"make modules_install\" makes it");
	return bw_errorf(BW_E_NOT_FOUND, "%s has no amdgpu.ko, nor any folder in it",
			 o->modules ? o->modules : "the pinned kernel");
}

/* ---- the plan ---- */

static void add_line(struct bw_str *plan, enum bw_guest_line kind, const char *fmt, ...)
	BW_PRINTF(3, 4);
static void add_line(struct bw_str *plan, enum bw_guest_line kind, const char *fmt, ...)
{
	char letter = (char)kind, *text = NULL;
	va_list args;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	bw_str_addn(plan, &letter, 1);
	bw_str_addn(plan, text ? text : "", text ? strlen(text) + 1 : 1);
	plan->failed |= !text;
	free(text);
}

/* The kernel takes a module's path and its arguments apart at the blank. */
static struct bw_error *plan_modules(const struct bw_guest_options *o,
				     const struct bw_guest_modules *m, size_t first,
				     struct bw_str *plan)
{
	for (size_t i = first; i < m->order.len; i++) {
		const struct bw_guest_module *f = &m->files.data[m->order.data[i]];
		_cleanup_free_ char *real = realpath(f->path, NULL);
		if (!real)
			return bw_error_errno(errno, "%s", f->path);
		if (strchr(real, ' '))
			return bw_errorf(BW_E_UNSUPPORTED,
					 "the path of the module %s has a blank in it", real);
		if (i + 1 < m->order.len)
			add_line(plan, BW_GUEST_MODULE, "%s", real);
		else
			add_line(plan, o->no_driver ? BW_GUEST_KEEP : BW_GUEST_DRIVER,
				 "%s ip_block_mask=0x%x " DRIVER_ARGS " %s", real, ip_block_mask(o),
				 o->driver_args ? o->driver_args : "");
	}
	return NULL;
}

static struct bw_error *plan_shares(const struct bw_guest_options *o, struct bw_str *plan)
{
	for (size_t i = 0; o->shares && o->shares[i]; i++) {
		const char *path = o->shares[i];
		struct stat st;
		if (stat(path, &st) < 0)
			return bw_error_errno(errno, "the folder %s cannot be shared", path);
		if (!S_ISDIR(st.st_mode))
			return bw_errorf(BW_E_INVALID, "%s cannot be shared: it is not a folder",
					 path);
		if (strchr(path, ','))
			return bw_errorf(BW_E_UNSUPPORTED,
					 "the path of the shared folder %s has a comma in it",
					 path);
		add_line(plan, BW_GUEST_SHARE, "share%zu %s", i, path);
	}
	return NULL;
}

/* The command's environment: little, so that a run is the same for all users, and Breakwater's own
 * programs in PATH. */
static struct bw_error *plan_environment(const struct bw_guest_parts *parts, struct bw_str *plan)
{
	static const char *const kept[] = {"HOME", "USER",   "LOGNAME",	 "TERM",
					   "LANG", "LC_ALL", "COLORTERM"};
	_cleanup_free_ char *self = NULL;
	BW_TRY(bw_kmd_find_part("breakwater-vgpu", &self));
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	add_line(
		plan, BW_GUEST_SET,
		"PATH=%s%s%s:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/breakwater/bin",
		parts->rocm ? parts->rocm_tools : "", parts->rocm ? ":" : "", exe);
	if (parts->rocm)
		add_line(plan, BW_GUEST_SET, BW_ROCM_VARIABLE "=%s", parts->rocm);
	for (size_t i = 0; i < BW_ARRAY_SIZE(kept); i++)
		if (getenv(kept[i]))
			add_line(plan, BW_GUEST_SET, "%s=%s", kept[i], getenv(kept[i]));
	return NULL;
}

static struct bw_error *plan_command(const struct bw_guest_options *o,
				     const struct bw_guest_parts *parts, struct bw_str *plan)
{
	struct winsize w;
	_cleanup_free_ char *here = getcwd(NULL, 0);
	BW_TRY(plan_environment(parts, plan));
	add_line(plan, BW_GUEST_FOLDER, "%s", here ? here : "/");
	if (isatty(0) && isatty(1) && isatty(2) && !ioctl(STDIN_FILENO, TIOCGWINSZ, &w))
		add_line(plan, BW_GUEST_TTY, "%hu %hu", w.ws_row, w.ws_col);
	if (parts->rocm && o->command && o->command[0])
		add_line(plan, BW_GUEST_ARG, "%s/" BW_ROCM_RUN, parts->rocm_tools);
	for (size_t i = 0; o->command && o->command[i]; i++)
		add_line(plan, BW_GUEST_ARG, "%s", o->command[i]);
	if (!o->command || !o->command[0])
		add_line(plan, BW_GUEST_ARG, "%s",
			 access("/bin/bash", X_OK) ? "/bin/sh" : "/bin/bash");
	if (plan->failed)
		return bw_error_nomem();
	if (plan->len > BW_GUEST_FRAME_MAX)
		return bw_errorf(BW_E_UNSUPPORTED, "the command has more than %d bytes",
				 BW_GUEST_FRAME_MAX);
	return NULL;
}

/* The folder in which the kernel finds "amdgpu/NAME.bin". */
static struct bw_error *plan_firmware(struct bw_str *plan)
{
	_cleanup_free_ char *file = NULL;
	BW_TRY(bw_kmd_find_part("firmware/amdgpu/gc_11_0_0_pfp.bin", &file));
	for (int i = 0; i < 2; i++)
		*strrchr(file, '/') = '\0';
	_cleanup_free_ char *real = realpath(file, NULL);
	if (!real)
		return bw_error_errno(errno, "%s", file);
	add_line(plan, BW_GUEST_FIRMWARE, "%s", real);
	return NULL;
}

/* ---- KVM or TCG ---- */

static struct bw_error *choose_accel(const struct bw_guest_options *o, bool *out_kvm)
{
	const bool may = o->accel != BW_GUEST_ACCEL_TCG;
	_cleanup_error_ struct bw_error *err = may ? bw_guest_kvm_check("/dev/kvm") : NULL;
	if (err && o->accel == BW_GUEST_ACCEL_KVM)
		return bw_error_wrap(bw_take(err), "--accel kvm is not possible here");
	*out_kvm = may && !err;
	if (o->verbose)
		fprintf(stderr, "breakwater: the guest runs under %s%s%s.\n",
			*out_kvm ? "KVM" : "TCG", err ? ", as " : "", err ? err->message : "");
	return NULL;
}

/* ---- all of it ---- */

static struct bw_error *run_guest(const struct bw_guest_options *o,
				  const struct bw_guest_parts *parts, struct bw_machine *m,
				  int *out_status)
{
	_cleanup_(bw_guest_modules_free) struct bw_guest_modules modules = {0};
	_cleanup_(bw_str_free) struct bw_str plan = {0};
	_cleanup_free_ char *unpacked = NULL;
	_cleanup_close_ int initrd = -1;
	bool found;
	BW_TRY(choose_accel(o, &m->has_kvm));
	BW_TRY(bw_machine_open(m));
	if (asprintf(&unpacked, "%s/modules", m->folder.path) < 0)
		return bw_error_nomem();
	BW_TRY(scan(o, parts, unpacked, &modules));
	for (size_t i = 0; i < BW_ARRAY_SIZE(early_modules); i++)
		BW_TRY(bw_guest_modules_want(&modules, early_modules[i], &found));
	size_t n_early = modules.order.len;
	BW_TRY(make_initrd(parts, &modules, n_early, &initrd));
	if (!o->no_gpu) {
		BW_TRY(want_driver(o, &modules));
		BW_TRY(plan_firmware(&plan));
		BW_TRY(plan_modules(o, &modules, n_early, &plan));
	}
	BW_TRY(plan_shares(o, &plan));
	BW_TRY(plan_command(o, parts, &plan));
	BW_TRY(bw_machine_start(m, o, parts, initrd));
	if (o->gdb)
		fprintf(stderr,
			"breakwater: the guest's kernel waits for gdb: target remote %s/gdb\n",
			m->folder.path);
	return bw_guest_session(m, o, &plan, out_status);
}

struct bw_error *bw_guest_run(const struct bw_guest_options *o, struct bw_guest_report *out_report,
			      int *out_status)
{
	int64_t begun_ms = bw_guest_now_ms();
	*out_report = (struct bw_guest_report){.has_started = false};
	_cleanup_(bw_guest_parts_free) struct bw_guest_parts parts = {0};
	struct bw_machine m = BW_MACHINE_INIT;
	BW_TRY(bw_guest_parts_find(o, &parts));
	int64_t started_ms = 0;
	m.started_ms = &started_ms;
	struct bw_error *err = run_guest(o, &parts, &m, out_status);
	out_report->has_kvm = m.has_kvm;
	if (started_ms) {
		out_report->has_started = true;
		out_report->boot_ms = started_ms - begun_ms;
		out_report->command_ms = bw_guest_now_ms() - started_ms;
	}
	bw_machine_close(&m);
	return err;
}
