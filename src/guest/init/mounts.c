/* SPDX-License-Identifier: MIT */
#include "guest/init/init.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Mount options of the host's file system: the files do not change below us (cache=loose), and
 * nobody asks for extended attributes, which the overlay would for each file. */
#define ROOT_OPTIONS "trans=virtio,version=9p2000.L,msize=1048576,cache=loose,noxattr"
/* Mount options of shares: host and guest see each other's writes at once. */
#define SHARE_OPTIONS "trans=virtio,version=9p2000.L,msize=1048576,cache=mmap"

static void must_mount(const char *what, const char *where, const char *type, unsigned long flags,
		       const char *options)
{
	mkdir(where, 0755);
	if (!mount(what, where, type, flags, options))
		return;
	int why = errno;
	if (why == ENODEV)
		die(true,
		    "the guest's kernel has no file system \"%s\": it is neither built in nor among the modules",
		    type);
	die(true, "in the guest, %s cannot be mounted on %s as %s: %s", what, where, type,
	    strerror(why));
}

void mount_first(void)
{
	must_mount("dev", "/dev", "devtmpfs", MS_NOSUID, "mode=0755");
	must_mount("sys", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

void mount_root(void)
{
	must_mount(BW_GUEST_ROOT_TAG, "/below", "9p", MS_RDONLY, ROOT_OPTIONS);
	must_mount("above", "/above", "tmpfs", 0, "mode=0755");
	mkdir("/above/upper", 0755);
	mkdir("/above/work", 0755);
	must_mount("root", "/new", "overlay", 0,
		   "lowerdir=/below,upperdir=/above/upper,workdir=/above/work");
	must_mount("proc", "/new/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	must_mount("sys", "/new/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	must_mount("debug", "/new/sys/kernel/debug", "debugfs", 0, NULL);
	must_mount("dev", "/new/dev", "devtmpfs", MS_NOSUID, "mode=0755");
	must_mount("pts", "/new/dev/pts", "devpts", MS_NOSUID, "ptmxmode=0666,mode=0620");
	must_mount("shm", "/new/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
	must_mount("run", "/new/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
	if (chdir("/new") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		die(false, "in the guest, the root cannot be changed: %s", strerror(errno));
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"stdin", "stdout", "stderr"};
		char to[30], link[30];
		snprintf(to, sizeof(to), "/proc/self/fd/%d", i);
		snprintf(link, sizeof(link), "/dev/%s", names[i]);
		if (symlink(to, link) && errno != EEXIST)
			die(false, "in the guest, %s cannot be made: %s", link, strerror(errno));
	}
	if (symlink("/proc/self/fd", "/dev/fd") && errno != EEXIST)
		die(false, "in the guest, /dev/fd cannot be made: %s", strerror(errno));
}

void mount_share(const char *tag, const char *path)
{
	must_mount(tag, path, "9p", 0, SHARE_OPTIONS);
}
