/* SPDX-License-Identifier: MIT */
/* breakwater doctor: what this machine allows, and how to get the rest. It looks and changes
 * nothing. Facts: doc/hardware/kernel-interface.md 4 and 8. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/ip_version.h"
#include "base/build_names.h"
#include "base/folder.h"
#include "base/memfd.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/subcommands.h"

/* ---- What it is made of ---- */

void bw_doctor_judge(struct doctor *d, enum verdict v, const char *what, const char *remedy,
		     const char *fmt, ...)
{
	struct finding f = {
		.verdict = v, .what = strdup(what), .remedy = remedy ? strdup(remedy) : NULL};
	va_list args;
	va_start(args, fmt);
	if (vasprintf(&f.text, fmt, args) < 0)
		f.text = NULL;
	va_end(args);
	bw_error_free(bw_vec_push(&d->findings, f));
}

char *bw_doctor_path(const struct doctor *d, const char *fmt, ...)
{
	char *rest = NULL, *path = NULL;
	va_list args;
	va_start(args, fmt);
	int n = vasprintf(&rest, fmt, args);
	va_end(args);
	if (n < 0 || asprintf(&path, "%s%s", d->root, rest) < 0)
		path = NULL;
	free(n < 0 ? NULL : rest);
	return path;
}

bool bw_doctor_read_line(const char *path, char *out, size_t out_b)
{
	_cleanup_fclose_ FILE *f = path ? fopen(path, "re") : NULL;
	if (!f || !fgets(out, (int)out_b, f))
		return false;
	out[strcspn(out, "\n")] = '\0';
	return true;
}

/* ---- The kernel ---- */

static void look_at_kernel(struct doctor *d)
{
	_cleanup_free_ char *path = bw_doctor_path(d, "/proc/sys/kernel/osrelease");
	char text[128] = "";
	unsigned major = 0, minor = 0;
	if (!bw_doctor_read_line(path, text, sizeof(text)) ||
	    sscanf(text, "%u.%u", &major, &minor) != 2)
		bw_doctor_judge(d, NOTE, "kernel", NULL, "its version cannot be read");
	else if (major < 6 || (major == 6 && minor < 1))
		bw_doctor_judge(
			d, MISSING, "kernel",
			"a kernel of 6.1 or later: older ones have no amdgpu_regs2 that can name a VMID",
			"Linux %s is too old for hardware", text);
	else
		bw_doctor_judge(d, GOOD, "kernel", NULL, "Linux %s", text);

	_cleanup_free_ char *lock = bw_doctor_path(d, "/sys/kernel/security/lockdown");
	if (bw_doctor_read_line(lock, text, sizeof(text)) && !strstr(text, "[none]"))
		bw_doctor_judge(
			d, MISSING, "lockdown",
			"a kernel that is not locked down: switch Secure Boot off in the firmware, or boot without lockdown=",
			"the kernel is locked down (%s): debugfs files cannot be written", text);
}

static void look_at_debugfs(struct doctor *d)
{
	_cleanup_free_ char *mount = bw_doctor_path(d, "/sys/kernel/debug"),
			    *dri = bw_doctor_path(d, "/sys/kernel/debug/dri");
	if (!mount || access(mount, F_OK)) {
		bw_doctor_judge(d, MISSING, "debugfs", "a kernel with CONFIG_DEBUG_FS",
				"there is no /sys/kernel/debug");
	} else if (access(mount, R_OK | X_OK)) {
		bw_doctor_judge(d, MISSING, "debugfs",
				"run breakwater as root: sudo breakwater ...",
				"/sys/kernel/debug may not be entered: %s", strerror(errno));
	} else if (!dri || access(dri, F_OK)) {
		bw_doctor_judge(
			d, MISSING, "debugfs", "mount -t debugfs none /sys/kernel/debug",
			"/sys/kernel/debug has no dri: debugfs is not mounted, or no GPU driver is loaded");
	} else {
		bw_doctor_judge(d, GOOD, "debugfs", NULL, "mounted and readable");
	}
}

/* ---- A GPU ---- */

struct gpu {
	char node[32], pci[64];
};

/* The name that a link leads to: "0000:03:00.0" of .../device. */
static bool link_name(const char *path, char *out, size_t out_b)
{
	char target[512];
	ssize_t n = path ? readlink(path, target, sizeof(target) - 1) : -1;
	if (n < 0)
		return false;
	target[n] = '\0';
	const char *name = bw_base_name(target);
	size_t len = strlen(name);
	if (len >= out_b)
		return false;
	memcpy(out, name, len + 1);
	return true;
}

static void look_at_node(struct doctor *d, const struct gpu *g)
{
	_cleanup_free_ char *path = bw_doctor_path(d, "/dev/dri/%s", g->node);
	char what[48];
	snprintf(what, sizeof(what), "/dev/dri/%s", g->node);
	if (!path || access(path, F_OK))
		bw_doctor_judge(d, MISSING, what, "a device node: udev makes it, or mknod",
				"it does not exist");
	else if (access(path, R_OK | W_OK))
		bw_doctor_judge(d, MISSING, what,
				"sudo usermod -a -G render $USER, and log in again",
				"you may not open it: %s", strerror(errno));
	else
		bw_doctor_judge(d, GOOD, what, NULL, "can be opened");
}

/* ip_discovery/die/0/GC/0 of the device (doc/hardware/kernel-interface.md 5.3). */
static void look_at_generation(struct doctor *d, const struct gpu *g)
{
	static const char *const parts[] = {"major", "minor", "revision"};
	unsigned v[3] = {0};
	for (int i = 0; i < 3; i++) {
		_cleanup_free_ char *path =
			bw_doctor_path(d, "/sys/class/drm/%s/device/ip_discovery/die/0/GC/0/%s",
				       g->node, parts[i]);
		char text[32];
		if (!bw_doctor_read_line(path, text, sizeof(text)) ||
		    sscanf(text, "%u", &v[i]) != 1) {
			bw_doctor_judge(
				d, MISSING, "generation",
				"a GPU and a kernel with ip_discovery (gfx10 and later, Linux 5.18)",
				"the graphics version of %s cannot be read", g->pci);
			return;
		}
	}
	const struct bw_arch *arch = bw_arch_of_code(BW_IP_VERSION(v[0], v[1], v[2]));
	_cleanup_free_ char *second = bw_doctor_path(
		d, "/sys/class/drm/%s/device/ip_discovery/die/0/GC/1/major", g->node);
	bool has_xccs = second && !access(second, F_OK);
	if (v[0] == 11 || (arch && !arch->has_wgps && !has_xccs))
		bw_doctor_judge(d, GOOD, "generation", NULL, "graphics %u.%u.%u: supported", v[0],
				v[1], v[2]);
	else if (arch && !arch->has_wgps)
		bw_doctor_judge(d, MISSING, "generation",
				"an RDNA3 GPU (gfx11), or the virtual one",
				"graphics %u.%u.%u: it has several graphics units (XCCs)", v[0],
				v[1], v[2]);
	else
		bw_doctor_judge(
			d, MISSING, "generation", "an RDNA3 GPU (gfx11), or the virtual one",
			"graphics %u.%u.%u: there is no trap handler for it", v[0], v[1], v[2]);
}

static void look_at_regs2(struct doctor *d, const struct gpu *g)
{
	static const char *const files[] = {"amdgpu_regs2", "amdgpu_gca_config", "amdgpu_vram",
					    "amdgpu_iomem"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(files); i++) {
		_cleanup_free_ char *path =
			bw_doctor_path(d, "/sys/kernel/debug/dri/%s/%s", g->pci, files[i]);
		if (path && !access(path, i == 0 ? R_OK | W_OK : R_OK)) {
			bw_doctor_judge(d, GOOD, files[i], NULL, "can be opened");
			continue;
		}
		int e = errno;
		bw_doctor_judge(d, MISSING, files[i],
				e == EACCES ? "run breakwater as root: sudo breakwater ..." : NULL,
				"%s",
				e == EACCES   ? "permission denied"
				: e == ENOENT ? "not there"
					      : strerror(e));
	}
}

/* The smallest of "GFX,COMPUTE,SDMA,VIDEO" that is not negative (never); 0 is the default. */
static bool shortest_timeout(const char *text, long *out_ms)
{
	bool any = false;
	for (const char *p = text; *p;) {
		char *end;
		long v = strtol(p, &end, 10);
		if (end == p)
			return false;
		if (v >= 0 && (!any || v < *out_ms))
			*out_ms = v;
		any |= v >= 0;
		p = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return false;
	}
	return any;
}

/* The last value of "KEY=VALUE" among the words of a text. */
static void find_word(const char *text, const char *key, char *out, size_t out_b)
{
	size_t key_len = strlen(key);
	for (const char *p = text; *p; p += strcspn(p, " \t\n")) {
		p += strspn(p, " \t\n");
		if (!strncmp(p, key, key_len))
			snprintf(out, out_b, "%.*s", (int)strcspn(p + key_len, " \t\n"),
				 p + key_len);
	}
}

/* lockup_timeout of "options amdgpu ..." lines in the files of a folder. */
static void find_option(const struct doctor *d, const char *folder, char *out, size_t out_b)
{
	static const char begin[] = "options amdgpu ";
	_cleanup_free_ char *path = bw_doctor_path(d, "%s", folder);
	struct dirent **names = NULL;
	int n = path ? scandir(path, &names, NULL, alphasort) : 0;
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *name = bw_doctor_path(d, "%s/%s", folder, names[i]->d_name);
		size_t len = strlen(names[i]->d_name);
		bool is_conf = len > 5 && !strcmp(names[i]->d_name + len - 5, ".conf");
		_cleanup_fclose_ FILE *f = name && is_conf ? fopen(name, "re") : NULL;
		char line[1024];
		while (f && fgets(line, sizeof(line), f))
			if (bw_starts_with(line, begin))
				find_word(line, "lockup_timeout=", out, out_b);
		free(names[i]);
	}
	free(names);
}

/* Up to Linux 6.12 the driver cuts the text of the parameter at its first comma when it reads it
 * (amdgpu_device_get_job_timeout_settings), so that its file shows the first value alone. What
 * modprobe gave it is in its own files and on the kernel's command line, which comes last. False:
 * they do not have the value that is shown. */
static bool whole_timeout(const struct doctor *d, char *text, size_t text_b)
{
	static const char *const folders[] = {"/lib/modprobe.d", "/run/modprobe.d",
					      "/etc/modprobe.d"};
	_cleanup_free_ char *cmdline = bw_doctor_path(d, "/proc/cmdline");
	char given[128] = "", words[4096] = "";
	if (strchr(text, ','))
		return true;
	for (size_t i = 0; i < BW_ARRAY_SIZE(folders); i++)
		find_option(d, folders[i], given, sizeof(given));
	if (bw_doctor_read_line(cmdline, words, sizeof(words)))
		find_word(words, "amdgpu.lockup_timeout=", given, sizeof(given));
	size_t first = strcspn(given, ",");
	if (first != strlen(text) || strncmp(given, text, first))
		return false;
	snprintf(text, text_b, "%s", given);
	return true;
}

static void look_at_parameters(struct doctor *d)
{
	static const char remedy[] =
		"boot with amdgpu.lockup_timeout=3600000,3600000,3600000,3600000 (an hour, in ms, for "
		"graphics, compute, SDMA and video; one value is not for compute), or put \"options "
		"amdgpu lockup_timeout=3600000,3600000,3600000,3600000\" into "
		"/etc/modprobe.d/amdgpu.conf; negative means never";
	enum { ENOUGH_MS = 600000 };
	_cleanup_free_ char *timeout =
		bw_doctor_path(d, "/sys/module/amdgpu/parameters/lockup_timeout");
	_cleanup_free_ char *recovery =
		bw_doctor_path(d, "/sys/module/amdgpu/parameters/gpu_recovery");
	char text[128] = "";
	long ms = 0;
	bool has = bw_doctor_read_line(timeout, text, sizeof(text));
	if (!has && timeout && access(timeout, F_OK)) {
		bw_doctor_judge(d, MISSING, "lockup_timeout",
				"load the amdgpu driver: modprobe amdgpu",
				"the amdgpu module is not loaded");
		return;
	}
	if (!text[0] || !strcmp(text, "(null)") || (shortest_timeout(text, &ms) && ms == 0))
		bw_doctor_judge(
			d, NOTE, "lockup_timeout", remedy,
			"the kernel's default: a stopped wave is taken for a hang after 2 s to 60 s, and killed");
	else if (!whole_timeout(d, text, sizeof(text)))
		bw_doctor_judge(
			d, NOTE, "lockup_timeout", remedy,
			"%s for graphics; this kernel does not show that of compute, which is 60 s unless a second value was given",
			text);
	else if (!strchr(text, ','))
		bw_doctor_judge(
			d, NOTE, "lockup_timeout", remedy,
			"%s, which is not for compute: a wave stopped for 60 s is taken for a hang, and killed",
			text);
	else if (shortest_timeout(text, &ms) && ms < ENOUGH_MS)
		bw_doctor_judge(d, NOTE, "lockup_timeout", remedy,
				"%s: a wave stopped for %ld ms is taken for a hang, and killed",
				text, ms);
	else
		bw_doctor_judge(d, GOOD, "lockup_timeout", NULL, "%s", text);
	if (bw_doctor_read_line(recovery, text, sizeof(text)))
		bw_doctor_judge(d, strcmp(text, "0") ? NOTE : GOOD, "gpu_recovery", NULL,
				strcmp(text, "0") ? "%s: a GPU that is taken for hung is reset"
						  : "%s: the GPU is not reset",
				text);
}

/* power_dpm_force_performance_level (amdgpu_pm.c, Linux 6.12): the profile levels disable power
 * gating, and with it GFXOFF (amdgpu_dpm_force_performance_level). */
static void look_at_power(struct doctor *d, const struct gpu *g)
{
	static const char fixed[] = "echo profile_standard as root into the file "
				    "power_dpm_force_performance_level of the GPU in "
				    "/sys/class/drm, and auto when you have debugged";
	_cleanup_free_ char *level = bw_doctor_path(
		d, "/sys/class/drm/%s/device/power_dpm_force_performance_level", g->node);
	_cleanup_free_ char *path =
		bw_doctor_path(d, "/sys/kernel/debug/dri/%s/amdgpu_gfxoff", g->pci);
	char text[32] = "";
	bool is_managed = bw_doctor_read_line(level, text, sizeof(text));
	bool is_fixed = bw_starts_with(text, "profile_");
	bw_doctor_judge(d, strcmp(text, "low") ? GOOD : NOTE, "power level", NULL, "%s",
			is_fixed	       ? "a profile: fixed clocks, and no power gating"
			: !strcmp(text, "low") ? "low: the GPU is slow until this is auto"
			: is_managed	       ? text
					       : "not managed by this driver");
	if (path && !access(path, W_OK))
		bw_doctor_judge(d, GOOD, "GFXOFF", NULL,
				"is switched off while Breakwater debugs, and on again afterwards");
	else if (errno == ENOENT && is_fixed)
		bw_doctor_judge(d, GOOD, "GFXOFF", NULL, "is off, as the power level is a profile");
	else if (errno == ENOENT)
		bw_doctor_judge(
			d, NOTE, "GFXOFF", is_managed ? fixed : NULL,
			"cannot be switched off here: trap registers are lost if the graphics block powers down");
	else
		bw_doctor_judge(d, MISSING, "GFXOFF", "run breakwater as root: sudo breakwater ...",
				"may not be switched off: %s", strerror(errno));
}

static bool is_amd(const struct doctor *d, const char *node, struct gpu *out)
{
	_cleanup_free_ char *vendor = bw_doctor_path(d, "/sys/class/drm/%s/device/vendor", node);
	_cleanup_free_ char *device = bw_doctor_path(d, "/sys/class/drm/%s/device", node);
	_cleanup_free_ char *driver = bw_doctor_path(d, "/sys/class/drm/%s/device/driver", node);
	char text[32] = "", name[64] = "";
	if (!bw_doctor_read_line(vendor, text, sizeof(text)) || strcmp(text, "0x1002"))
		return false;
	if (link_name(driver, name, sizeof(name)) && strcmp(name, "amdgpu"))
		return false;
	snprintf(out->node, sizeof(out->node), "%s", node);
	return link_name(device, out->pci, sizeof(out->pci));
}

static size_t count_missing(const struct doctor *d)
{
	size_t n = 0;
	bw_vec_each(&d->findings, f)
		n += f->verdict == MISSING;
	return n;
}

static void look_at_gpus(struct doctor *d)
{
	_cleanup_free_ char *path = bw_doctor_path(d, "/sys/class/drm");
	struct dirent **list = NULL;
	int n = path ? scandir(path, &list, NULL, alphasort) : -1;
	size_t before = count_missing(d);
	for (int i = 0; i < n; i++) {
		struct gpu g;
		if (bw_starts_with(list[i]->d_name, "renderD") &&
		    strlen(list[i]->d_name) < sizeof(g.node) && is_amd(d, list[i]->d_name, &g)) {
			size_t so_far = count_missing(d);
			bw_doctor_judge(d, GOOD, g.pci, NULL, "an AMD GPU, as %s", g.node);
			d->n_gpus++;
			look_at_node(d, &g);
			look_at_generation(d, &g);
			look_at_regs2(d, &g);
			look_at_power(d, &g);
			d->hardware_ready |= !before && count_missing(d) == so_far;
		}
		free(list[i]);
	}
	free(list);
	if (d->n_gpus)
		look_at_parameters(d);
	else
		bw_doctor_judge(d, NOTE, "AMD GPU", NULL, "none: the virtual GPU is used instead");
}

/* ---- Sockets and memory files ---- */

static void look_at_folder(struct doctor *d, enum bw_folder_kind kind, const char *what,
			   const char *variable)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_error_ struct bw_error *why_not = NULL,
					*err = bw_folder_base(kind, &path, &why_not);
	char remedy[128];
	snprintf(remedy, sizeof(remedy),
		 "let %s name a folder of yours that nobody else may write (mode 0700)", variable);
	if (err)
		bw_doctor_judge(d, MISSING, what, remedy, "%s", err->message);
	else if (why_not)
		bw_doctor_judge(d, NOTE, what, remedy, "%s, since %s", path, why_not->message);
	else
		bw_doctor_judge(d, GOOD, what, NULL, "%s", path);
}

static void look_at_memory_files(struct doctor *d)
{
	_cleanup_free_ char *path = bw_doctor_path(d, "/proc/sys/vm/memfd_noexec");
	char text[32] = "";
	bool restricted = bw_doctor_read_line(path, text, sizeof(text)) && strcmp(text, "0");
	if (*d->root) {
		if (restricted)
			bw_doctor_judge(
				d, GOOD, "memfd_noexec", NULL,
				"vm.memfd_noexec is %s: memory files are made without the right to execute",
				text);
		return;
	}
	_cleanup_close_ int fd = bw_memfd("doctor");
	if (fd < 0)
		bw_doctor_judge(d, MISSING, "memory files",
				restricted ? "sysctl vm.memfd_noexec=0" : NULL,
				"cannot be made: %s%s%s", strerror(errno),
				restricted ? "; vm.memfd_noexec is " : "", restricted ? text : "");
	else if (restricted)
		bw_doctor_judge(
			d, GOOD, "memfd_noexec", NULL,
			"vm.memfd_noexec is %s: memory files are made without the right to execute",
			text);
}

/* Starts one, and asks it something. */
static void try_virtual(struct doctor *d)
{
	struct bw_kmd *kmd = NULL;
	struct bw_kmd_ip ip = {0};
	struct bw_error *err = bw_kmd_open("virtual", &kmd);
	if (!err)
		err = bw_kmd_ip(kmd, "GC", &ip);
	if (kmd)
		bw_kmd_close(kmd);
	d->virtual_ready = !err;
	if (err)
		bw_doctor_judge(d, MISSING, "virtual GPU", NULL, "does not work: %s", err->message);
	else
		bw_doctor_judge(d, GOOD, "virtual GPU", NULL, "works: graphics %u.%u.%u", ip.major,
				ip.minor, ip.revision);
	if (!BW_HAS_STENCILS || !__builtin_cpu_supports("avx2"))
		bw_doctor_judge(d, NOTE, "compiled code", NULL,
				"none: the virtual GPU interprets, several times slower; %s",
				BW_HAS_STENCILS ? "this CPU has no AVX2"
						: "this build has no machine code for it");
	bw_error_free(err);
}

/* ---- The report ---- */

static const char *const verdicts[] = {[GOOD] = "ok", [NOTE] = "note", [MISSING] = "missing"};

static const struct bw_fact finding_rows[] = {
	{"", "verdict", "", BW_OF(struct finding, verdict), BW_NAMES(verdicts)},
	{"What", "what", "text", BW_OF(struct finding, what)},
	{"Finding", "finding", "text", BW_OF(struct finding, text)},
	{NULL, "remedy", "text?", BW_OF(struct finding, remedy)},
};
BW_FACTS(finding_facts, "doctor", "findings", finding_rows);

static void report(struct doctor *d, struct bw_out *o)
{
	size_t remedies = 0;
	bw_out_begin(o, "command", "doctor");
	bw_out_facts(o, &finding_facts, d->findings.data, d->findings.len, "");
	bw_vec_each(&d->findings, f)
		remedies += f->remedy != NULL;
	if (remedies)
		bw_out_line(o, "\nTo get the rest:");
	/* one remedy may help against several things */
	for (size_t i = 0; i < d->findings.len; i++) {
		const char *r = d->findings.data[i].remedy;
		bool said = !r;
		for (size_t k = 0; k < i && !said; k++)
			said = d->findings.data[k].remedy && !strcmp(d->findings.data[k].remedy, r);
		if (!said)
			bw_out_line(o, "  %s: %s", d->findings.data[i].what, r);
	}
	bw_out_line(o, "\n%s%s", d->hardware_ready ? "Hardware can be debugged here. " : "",
		    d->virtual_ready	? "Everything works on the virtual GPU."
		    : d->hardware_ready ? ""
					: "Nothing can be debugged here yet.");
	bw_out_bool(o, "hardware", d->hardware_ready);
	bw_out_bool(o, "virtual", d->virtual_ready);
	bw_out_end(o);
}

static const struct bw_option rows[] = {
	{"--root", "FOLDER", "looks at the files of another system, mounted or unpacked in FOLDER",
	 BW_TEXT(struct doctor, root)},
	BW_ROW_JSON(struct doctor, json),
	BW_ROW_HELP(struct doctor, help),
	{0},
};

const struct bw_command_line bw_line_doctor = {
	.name = "breakwater doctor",
	.usage =
		"Usage: breakwater doctor [--json] [--root FOLDER]\n\n"
		"Says what this machine allows Breakwater to do, and how to get the rest. It changes nothing.\n"
		"Exit status: 0 if something can be debugged here, 1 if not.\n",
	.groups = {{"Options:", rows}},
};

int bw_main_doctor(int argc, char **argv)
{
	struct doctor d = {.root = ""};
	struct bw_out *out;
	_cleanup_error_ struct bw_error *err =
		bw_command_line_parse(&bw_line_doctor, &d, argc, argv, NULL);
	if (!err && !d.help)
		err = bw_out_create(stdout, d.json, &out);
	if (err)
		fprintf(stderr, "breakwater: %s.\n", err->message);
	else if (d.help)
		bw_command_line_print_help(&bw_line_doctor);
	if (err || d.help)
		return err ? BW_EXIT_USAGE : 0;
	look_at_kernel(&d);
	look_at_debugfs(&d);
	look_at_gpus(&d);
	bw_doctor_look_at_tools(&d);
	look_at_memory_files(&d);
	bw_doctor_look_at_surroundings(&d);
	if (!*d.root) {
		look_at_folder(&d, BW_FOLDER_VGPU, "runtime folder", "XDG_RUNTIME_DIR");
		look_at_folder(&d, BW_FOLDER_RUN, "temporary folder", "TMPDIR");
		try_virtual(&d);
	}
	report(&d, out);
	bw_out_flush(out);
	bw_out_destroy(out);
	bw_vec_each(&d.findings, f) {
		free(f->what);
		free(f->text);
		free(f->remedy);
	}
	bw_vec_free(&d.findings);
	return d.hardware_ready || d.virtual_ready ? 0 : 1;
}
