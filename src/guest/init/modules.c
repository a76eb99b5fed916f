/* SPDX-License-Identifier: MIT */
#include "guest/init/init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The file from which driver-load takes the driver: the DRIVER line of the plan. */
#define DRIVER_LINE "/run/breakwater/driver"

/* 0 or errno. */
static int insert(const char *path, const char *args)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int why = syscall(SYS_finit_module, fd, args, 0) < 0 ? errno : 0;
	close(fd);
	return why;
}

static const char *explain(int why)
{
	switch (why) {
	case ENOEXEC:
		return "it is not a module for this kernel (modinfo -F vermagic shows for which)";
	case ENOENT:
		return "no such file, or a symbol is missing that it needs";
	default:
		return strerror(why);
	}
}

static char refused[300];
static int refused_why;

void check_own_modules(void)
{
	if (refused_why)
		die(true, "the guest's kernel refuses the module %s: %s", refused,
		    explain(refused_why));
}

void load_own_modules(void)
{
	struct dirent **names;
	int n = scandir("/modules", &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char path[300];
		if (names[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/modules/%s", names[i]->d_name);
		int why = insert(path, "");
		if (why && why != EEXIST && !refused_why) {
			refused_why = why;
			snprintf(refused, sizeof(refused), "%s", names[i]->d_name + 3);
		}
	}
}

/* Splits "PATH ARGS" in place. */
static const char *split(char *words)
{
	char *space = strchr(words, ' ');
	if (!space)
		return "";
	*space = '\0';
	return space + 1;
}

void load_module(const char *words)
{
	char copy[BW_GUEST_FRAME_MAX];
	snprintf(copy, sizeof(copy), "%s", words);
	const char *args = split(copy);
	int why = insert(copy, args);
	if (why && why != EEXIST)
		die(true, "the guest's kernel refuses the module %s: %s", copy, explain(why));
}

/* Whether the driver has taken a PCI device: a link named like 0000:01:00.0. */
static bool has_device(const char *driver)
{
	char path[300];
	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s", driver);
	DIR *d = opendir(path);
	bool found = false;
	for (struct dirent *e; d && !found && (e = readdir(d));)
		found = strlen(e->d_name) == 12 && e->d_name[4] == ':' && e->d_name[7] == ':';
	if (d)
		closedir(d);
	return found;
}

/* "amdgpu" of "/x/amdgpu.ko" */
static void module_name(const char *path, char out[100])
{
	const char *slash = strrchr(path, '/');
	snprintf(out, 100, "%s", slash ? slash + 1 : path);
	out[strcspn(out, ".")] = '\0';
}

void keep_driver(const char *words)
{
	mkdir("/run/breakwater", 0755);
	FILE *f = fopen(DRIVER_LINE, "we");
	if (!f || fputs(words, f) < 0 || fclose(f))
		die(false, "in the guest, " DRIVER_LINE " cannot be written: %s", strerror(errno));
}

/* "card" of "card0" */
static const char *node_kind(const char *node)
{
	return !strncmp(node, "renderD", 7) ? "render" : !strncmp(node, "card", 4) ? "card" : NULL;
}

/* /dev/dri/by-path/pci-0000:01:00.0-render and -card, which udev would make. */
static void link_nodes(const char *driver)
{
	char pattern[300];
	glob_t found = {0};
	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/drivers/%s/????:??:??.?/drm/*", driver);
	mkdir("/dev/dri", 0755);
	mkdir("/dev/dri/by-path", 0755);
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char link[300], to[300];
		const char *node = strrchr(found.gl_pathv[i], '/') + 1, *kind = node_kind(node),
			   *address = found.gl_pathv[i] + strlen("/sys/bus/pci/drivers//") +
				      strlen(driver);
		if (!kind)
			continue;
		snprintf(link, sizeof(link), "/dev/dri/by-path/pci-%.12s-%s", address, kind);
		snprintf(to, sizeof(to), "../%s", node);
		unlink(link);
		if (symlink(to, link))
			fprintf(stderr, "%s: %s\n", link, strerror(errno));
	}
	globfree(&found);
}

/* What the driver was loaded with, where modprobe and those who look for options find it: the
 * driver cuts lockup_timeout at its first comma. */
static void keep_options(const char *name, const char *args)
{
	mkdir("/run/modprobe.d", 0755);
	FILE *f = fopen("/run/modprobe.d/breakwater.conf", "we");
	if (f) {
		fprintf(f, "options %s %s\n", name, args);
		fclose(f);
	}
}

void load_driver(const char *words)
{
	char copy[BW_GUEST_FRAME_MAX], name[100];
	keep_driver(words);
	snprintf(copy, sizeof(copy), "%s", words);
	load_module(words);
	const char *args = split(copy);
	module_name(copy, name);
	keep_options(name, args);
	if (!has_device(name))
		die(true, "the driver %s has not taken the GPU", name);
	link_nodes(name);
}

/* ---- tools ---- */

static int fail(const char *tool, const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", tool, what, why);
	return 1;
}

int tool_main(const char *tool, int argc, char **argv)
{
	char words[BW_GUEST_FRAME_MAX], name[100];
	FILE *f = fopen(DRIVER_LINE, "re");
	if (!f || !fgets(words, sizeof(words), f))
		return fail(tool, DRIVER_LINE, "this guest was started without a driver");
	fclose(f);
	const char *args = split(words);
	module_name(words, name);
	if (!strcmp(tool, "driver-unload"))
		return syscall(SYS_delete_module, name, O_NONBLOCK) < 0
			       ? fail(tool, name, strerror(errno))
			       : 0;
	/* Further arguments stand after the plan's: the kernel takes the last one of a name. */
	char all[BW_GUEST_FRAME_MAX];
	size_t len = (size_t)snprintf(all, sizeof(all), "%s", args);
	for (int i = 1; i < argc && len < sizeof(all); i++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, " %s", argv[i]);
	int why = insert(words, all);
	if (why)
		return fail(tool, words, why == EEXIST ? "it is loaded already" : explain(why));
	keep_options(name, all);
	if (!has_device(name))
		return fail(tool, name, "it has not taken the GPU; see dmesg");
	link_nodes(name);
	return 0;
}
