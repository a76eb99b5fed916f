/* SPDX-License-Identifier: MIT */
/* The paths that belong to the virtual GPU (doc/hardware/mesa.md 1.1):
 *
 *     /dev/dri and below                    its nodes; nodes it does not have do not exist
 *     /dev/kfd, /sys/class/kfd*, /sys/devices/virtual/kfd*
 *     /sys/dev/char/226:*, /sys/class/drm*, /sys/module/amdgpu*, /sys/bus/pci/drivers/amdgpu*
 *     any path below /sys that names the PCI address of the virtual GPU
 *     /sys/class/hwmon*, /sys/kernel/debug/dri, /sys/kernel/debug/sync
 *     the folders /sys/bus/pci/devices and /sys/kernel/debug, for listings
 *     /sys/bus/pci/rescan, which does nothing to the machine's own bus
 *     /proc/self/fdinfo/N and /proc/self/fd/N of its files
 *
 * and paths relative to one of these folders. A real device at the same PCI address is
 * hidden from the program. Paths that are written in another way (//dev/dri, /dev/../dev/dri) are
 * not recognised. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/str.h"

/* `path` is the prefix itself or lies below it. */
static bool below(const char *path, const char *prefix)
{
	size_t n = strlen(prefix);
	return !strncmp(path, prefix, n) && (!path[n] || path[n] == '/');
}

/* The minor of "renderD128" or "card0"; false for other names. */
static bool node_minor(const char *name, unsigned *out)
{
	unsigned n;
	int used = 0;
	if (sscanf(name, "renderD%u%n", &n, &used) == 1 && !name[used] && n >= 128) {
		*out = n;
		return true;
	}
	used = 0;
	if (sscanf(name, "card%u%n", &n, &used) == 1 && !name[used]) {
		*out = n;
		return true;
	}
	return false;
}

/* `path` is the folder itself. */
static bool is_folder(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	return !strncmp(path, folder, n) && !path[n + strspn(path + n, "/")];
}

/* The folders of KFD in sysfs. */
static bool is_sys_of_kfd(const char *path)
{
	return below(path, "/sys/class/kfd") || below(path, "/sys/devices/virtual/kfd");
}

static bool names_pci_address(const char *path)
{
	const char *pci = bw_agent_pci_address();
	return pci && *pci && strstr(path, pci);
}

static bool is_sys_of_gpu(const char *path)
{
	if (bw_starts_with(path, "/sys/dev/char/226:") || bw_starts_with(path, "/sys/class/drm") ||
	    below(path, "/sys/module/amdgpu") || below(path, "/sys/bus/pci/drivers/amdgpu") ||
	    below(path, "/sys/class/hwmon") || below(path, "/sys/kernel/debug/dri") ||
	    below(path, "/sys/kernel/debug/sync") || is_folder(path, "/sys/kernel/debug") ||
	    is_folder(path, "/sys/bus/pci/devices") || !strcmp(path, "/sys/bus/pci/rescan") ||
	    is_sys_of_kfd(path))
		return true;
	/* Only here must the server be asked who it is. */
	return (bw_starts_with(path, "/sys/devices/pci") || below(path, "/sys/bus/pci")) &&
	       names_pci_address(path);
}

/* /proc/self/FOLDER/N, /proc/<pid>/FOLDER/N, N being a GPU's */
static bool is_proc_of(const char *path, const char *folder, int *out_fd)
{
	char rest[64], name[16];
	int fd, used = 0;
	if (sscanf(path, "/proc/%63[^/]/%15[^/]/%d%n", rest, name, &fd, &used) != 3 || path[used] ||
	    strcmp(name, folder))
		return false;
	char pid[24];
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (strcmp(rest, "self") && strcmp(rest, "thread-self") && strcmp(rest, pid))
		return false;
	*out_fd = fd;
	return bw_agent_fd_is_gpu(fd);
}

static bool is_live(int fd)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	bw_agent_file_unref(f);
	return f;
}

static void set_tree(const char *path, struct bw_agent_path *out)
{
	const char *root = bw_agent_root();
	/* Without a server the GPU's paths lead nowhere, rather than to a real GPU. */
	snprintf(out->buf, sizeof(out->buf), "%s%s", root ? root : "/nonexistent", path);
	out->path = out->buf;
	out->where = BW_AGENT_TREE;
	const char *slash = strrchr(path, '/');
	if (root && is_sys_of_kfd(path))
		bw_agent_need_kfd_tree();
	if (!strcmp(path, "/dev/kfd")) {
		out->minor = BW_AGENT_KFD;
		out->where = BW_AGENT_NODE;
	} else if (bw_starts_with(path, "/dev/dri/") && slash == path + strlen("/dev/dri") &&
		   node_minor(slash + 1, &out->minor) && !REAL(access)(out->buf, F_OK)) {
		out->where = BW_AGENT_NODE;
	}
}

/* The folder that a relative path starts from, where it lies in the tree. Only a path that may be
 * one asks the server for its root. */
static bool is_in_tree(const char *folder)
{
	if (!strstr(folder, "/root/sys") && !strstr(folder, "/root/dev"))
		return false;
	const char *root = bw_agent_root();
	return root && below(folder, root);
}

enum { CWD_UNKNOWN, CWD_ELSEWHERE, CWD_TREE };
static atomic_int cwd_place;

void bw_agent_moved(void)
{
	atomic_store(&cwd_place, CWD_UNKNOWN);
}

static bool link_in_tree(const char *link, char folder[PATH_MAX])
{
	ssize_t n = REAL(readlink)(link, folder, PATH_MAX - 1);
	folder[n < 0 ? 0 : n] = 0;
	return n > 0 && is_in_tree(folder);
}

static bool start_in_tree(int dirfd, char folder[PATH_MAX])
{
	char link[64];
	if (dirfd != AT_FDCWD) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
		return link_in_tree(link, folder);
	}
	if (atomic_load(&cwd_place) == CWD_ELSEWHERE)
		return false;
	bool is_ours = link_in_tree("/proc/self/cwd", folder);
	atomic_store(&cwd_place, is_ours ? CWD_TREE : CWD_ELSEWHERE);
	return is_ours;
}

bool bw_agent_is_fd_link(const char *path, int *out_fd)
{
	return path && bw_agent_config()->vgpu_socket && bw_starts_with(path, "/proc/") &&
	       is_proc_of(path, "fd", out_fd);
}

void bw_agent_node_name(unsigned minor, char out[32])
{
	if (minor == BW_AGENT_KFD)
		snprintf(out, 32, "/dev/kfd");
	else
		snprintf(out, 32, "/dev/dri/%s%u", minor >= 128 ? "renderD" : "card", minor);
}

void bw_agent_node_path(unsigned minor, struct bw_agent_path *out)
{
	const char *root = bw_agent_root();
	char name[32];
	bw_agent_node_name(minor, name);
	snprintf(out->buf, sizeof(out->buf), "%s%s", root ? root : "/nonexistent", name);
	out->path = out->buf;
	out->minor = minor;
	out->where = BW_AGENT_NODE;
}

/* /proc/self/fd/N of a file of the virtual GPU leads to its node. */
static void set_fd_link(int fd, struct bw_agent_path *out)
{
	struct bw_agent_file *f = bw_agent_file_of(fd);
	if (bw_agent_is_node(f)) {
		bw_agent_node_path(f->minor, out);
		out->is_fd_link = true;
	}
	bw_agent_file_unref(f);
}

/* openat(dirfd, "renderD128"), cat name: what starts in the tree stays there. */
static void resolve_relative(int dirfd, const char *path, struct bw_agent_path *out)
{
	char folder[PATH_MAX], full[2 * PATH_MAX];
	int e = errno;
	if (start_in_tree(dirfd, folder)) {
		bw_agent_strip_root(folder);
		/* at the root itself nothing is stripped, and nothing below it is the GPU's */
		snprintf(full, sizeof(full), "%s/%s", folder, path);
		set_tree(full, out);
	}
	errno = e;
}

void bw_agent_resolve(int dirfd, const char *path, struct bw_agent_path *out)
{
	int fd;
	out->where = BW_AGENT_ELSEWHERE;
	out->path = path;
	out->is_fd_link = false;
	if (!path || !bw_agent_config()->vgpu_socket)
		return;
	switch (path[0]) {
	case '/':
		if (path[1] == 'd' ? below(path, "/dev/dri") || !strcmp(path, "/dev/kfd")
				   : path[1] == 's' && bw_starts_with(path, "/sys/") &&
					     is_sys_of_gpu(path))
			set_tree(path, out);
		else if (path[1] == 'p' && bw_starts_with(path, "/proc/") &&
			 is_proc_of(path, "fdinfo", &out->fd) && !is_live(out->fd))
			out->where = BW_AGENT_FDINFO;
		else if (bw_agent_is_fd_link(path, &fd))
			set_fd_link(fd, out);
		return;
	case 0:
		return; /* with AT_EMPTY_PATH the descriptor itself */
	default:
		resolve_relative(dirfd, path, out);
	}
}

bool bw_agent_strip_if_ours(char *path)
{
	if (!bw_agent_config()->vgpu_socket || !is_in_tree(path))
		return false;
	bw_agent_strip_root(path);
	return true;
}

void bw_agent_strip_root(char *path)
{
	const char *root = bw_agent_root();
	size_t n = root ? strlen(root) : 0;
	if (n && !strncmp(path, root, n) && path[n] == '/')
		memmove(path, path + n, strlen(path + n) + 1);
}
