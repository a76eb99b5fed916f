/* SPDX-License-Identifier: MIT */
/* What is around Breakwater and its programs: sandboxes, limits, other drivers' files. */
#include "cli/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/build_names.h"
#include "base/cleanup.h"
#include "compile/compile.h"
#include "session/vulkan_driver.h"

static bool in_path(const struct doctor *d, const char *name)
{
	const char *env = *d->root ? "/usr/bin:/bin" : getenv("PATH");
	_cleanup_free_ char *copy = strdup(env ? env : "/usr/bin:/bin");
	char *rest = copy;
	for (char *dir; copy && (dir = strsep(&rest, ":"));) {
		_cleanup_free_ char *path = bw_doctor_path(d, "%s/%s", dir, name);
		if (path && access(path, X_OK) == 0)
			return true;
	}
	return false;
}

static void look_at_compilers(struct doctor *d)
{
	static const struct {
		const char *name, *use, *remedy;
	} tools[] = {
		{BW_CLANG, "compiles kernels (.cl, .hip, .s)", "apt-get install " BW_CLANG},
		{BW_LLD, "links kernels", "apt-get install " BW_LLD_PACKAGE},
		{"glslangValidator", "compiles shaders (.comp, .hlsl)",
		 "apt-get install glslang-tools"},
		{"spirv-as", "assembles shaders (.spvasm)", "apt-get install spirv-tools"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(tools); i++) {
		bool has = in_path(d, tools[i].name);
		bw_doctor_judge(d, has ? GOOD : NOTE, tools[i].name, has ? NULL : tools[i].remedy,
				"%s%s", has ? "" : "not found: ", tools[i].use);
	}
}

/* Without it kernels that call no function of a library are compiled as well. */
static void look_at_device_library(struct doctor *d)
{
	_cleanup_free_ char *folder = NULL;
	_cleanup_error_ struct bw_error *err = bw_device_library_find(d->root, &folder);
	if (folder)
		bw_doctor_judge(d, GOOD, "device library", NULL, "%s", folder + strlen(d->root));
	else
		bw_doctor_judge(
			d, NOTE, "device library", BW_DEVICE_LIBRARY_INSTALL,
			"not found: functions of OpenCL C and of mathematics (sin, vload4) in kernels");
}

void bw_doctor_look_at_tools(struct doctor *d)
{
	look_at_compilers(d);
	look_at_device_library(d);
}

/* ---- Sandboxes and limits ---- */

static bool has_file(const struct doctor *d, const char *name)
{
	_cleanup_free_ char *path = bw_doctor_path(d, "%s", name);
	return path && !access(path, F_OK);
}

static void look_at_sandbox(struct doctor *d)
{
	static const char container[] =
		"docker or podman run --privileged --device /dev/dri --device /dev/kfd "
		"-v /sys/kernel/debug:/sys/kernel/debug";
	_cleanup_free_ char *release = bw_doctor_path(d, "/proc/sys/kernel/osrelease");
	const char *snap = *d->root ? NULL : getenv("SNAP");
	char text[128] = "";
	if (has_file(d, "/.flatpak-info"))
		bw_doctor_judge(
			d, NOTE, "sandbox",
			"run breakwater outside of it: flatpak-spawn --host breakwater ...",
			"flatpak: it hides debugfs, other processes and the host's drivers");
	else if (snap && *snap)
		bw_doctor_judge(d, NOTE, "sandbox", "run breakwater outside of the snap",
				"snap: it hides debugfs and other processes");
	else if (has_file(d, "/.dockerenv") || has_file(d, "/run/.containerenv"))
		bw_doctor_judge(d, NOTE, "sandbox", container,
				"a container: hardware needs files from outside of it");
	if (bw_doctor_read_line(release, text, sizeof(text)) && strcasestr(text, "microsoft"))
		bw_doctor_judge(d, NOTE, "WSL", NULL,
				"its kernel has no amdgpu: only the virtual GPU can be used");
}

/* HIP's way to the GPU. The virtual GPU has one of its own. */
static void look_at_kfd(struct doctor *d)
{
	_cleanup_free_ char *path = bw_doctor_path(d, "/dev/kfd");
	if (!d->n_gpus)
		return;
	if (!path || access(path, F_OK))
		bw_doctor_judge(d, NOTE, "/dev/kfd", "a kernel with CONFIG_HSA_AMD",
				"it does not exist: HIP programs do not see the GPU");
	else if (access(path, R_OK | W_OK))
		bw_doctor_judge(d, NOTE, "/dev/kfd",
				"sudo usermod -a -G render $USER, and log in again",
				"HIP programs may not open it: %s", strerror(errno));
	else
		bw_doctor_judge(d, GOOD, "/dev/kfd", NULL, "can be opened");
}

static void look_at_override(struct doctor *d)
{
	static const char name[] = "HSA_OVERRIDE_GFX_VERSION";
	const char *value = *d->root ? NULL : getenv(name);
	if (value && *value)
		bw_doctor_judge(d, NOTE, name, "unset HSA_OVERRIDE_GFX_VERSION",
				"%s: HIP programs load code for this GPU, whatever the real one is",
				value);
}

static void look_at_vulkan(struct doctor *d)
{
	_cleanup_free_ char *file = NULL;
	_cleanup_error_ struct bw_error *err = bw_vulkan_driver_find(d->root, &file);
	if (err)
		bw_doctor_judge(d, NOTE, "Vulkan driver", NULL, "%s", err->message);
	else
		bw_doctor_judge(d, GOOD, "Vulkan driver", NULL, "%s", file + strlen(d->root));
}

/* Limits of other debuggers and drivers, after which users ask. */
static void look_at_limits(struct doctor *d)
{
	_cleanup_free_ char *path = bw_doctor_path(d, "/proc/sys/kernel/yama/ptrace_scope");
	char text[16] = "";
	struct rlimit r;
	if (bw_doctor_read_line(path, text, sizeof(text)) && strcmp(text, "0"))
		bw_doctor_judge(d, GOOD, "ptrace_scope", NULL,
				"%s: Breakwater attaches without ptrace", text);
	if (!*d->root && !getrlimit(RLIMIT_MEMLOCK, &r) && r.rlim_cur != RLIM_INFINITY)
		bw_doctor_judge(d, GOOD, "locked memory", NULL,
				"limited to %llu KiB (ulimit -l): Breakwater locks none",
				(unsigned long long)(r.rlim_cur / 1024));
}

static void look_at_choice(struct doctor *d)
{
	if (d->n_gpus > 1)
		bw_doctor_judge(
			d, GOOD, "GPUs", NULL,
			"%u: commands take that of the lowest /dev/dri/card, or what --gpu names",
			d->n_gpus);
}

void bw_doctor_look_at_surroundings(struct doctor *d)
{
	look_at_choice(d);
	look_at_kfd(d);
	look_at_override(d);
	look_at_vulkan(d);
	look_at_sandbox(d);
	look_at_limits(d);
}
