/* SPDX-License-Identifier: MIT */
/* Permissions of nodes, and the program's user: chmod and chown of nodes, which change the files
 * that stand for them, and changes of the user, before which the agent connects to the virtual GPU
 * once more. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"

#define EXPORT __attribute__((visibility("default")))

/* The path in the tree for a descriptor of the virtual GPU; NULL: it is none. */
static const char *node_of(int fd, struct bw_agent_path *p)
{
	struct bw_agent_file *f = bw_agent_file_of(fd);
	bool is_node = bw_agent_is_node(f);
	if (is_node)
		bw_agent_node_path(f->minor, p);
	bw_agent_file_unref(f);
	return is_node ? p->path : NULL;
}

/* Files of debugfs and sysfs keep their access rights, which have a meaning here (live.c). */
static bool is_fixed(const struct bw_agent_path *p)
{
	if (p->where == BW_AGENT_TREE)
		errno = EPERM;
	return p->where == BW_AGENT_TREE;
}

EXPORT int chmod(const char *path, mode_t mode)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return is_fixed(&p) ? -1 : REAL(chmod)(p.path, mode);
}

EXPORT int fchmod(int fd, mode_t mode)
{
	struct bw_agent_path p;
	const char *node = node_of(fd, &p);
	return node ? REAL(chmod)(node, mode) : REAL(fchmod)(fd, mode);
}

EXPORT int fchmodat(int dirfd, const char *path, mode_t mode, int flags)
{
	struct bw_agent_path p;
	bw_agent_resolve(dirfd, path, &p);
	return is_fixed(&p) ? -1 : REAL(fchmodat)(dirfd, p.path, mode, flags);
}

EXPORT int chown(const char *path, uid_t user, gid_t group)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return is_fixed(&p) ? -1 : REAL(chown)(p.path, user, group);
}

EXPORT int fchown(int fd, uid_t user, gid_t group)
{
	struct bw_agent_path p;
	const char *node = node_of(fd, &p);
	return node ? REAL(chown)(node, user, group) : REAL(fchown)(fd, user, group);
}

EXPORT int fchownat(int dirfd, const char *path, uid_t user, gid_t group, int flags)
{
	struct bw_agent_path p;
	bw_agent_resolve(dirfd, path, &p);
	return is_fixed(&p) ? -1 : REAL(fchownat)(dirfd, p.path, user, group, flags);
}

/* ---- the user ----
 * The virtual GPU talks to its own user alone (wire/peer.h). A program that becomes another one
 * keeps its descriptors of the GPU, as it does with a kernel: by a connection made before. */

static void keep_reach(void)
{
	if (bw_agent_client())
		bw_vgpu_client_keep(bw_agent_client());
}

EXPORT int setuid(uid_t user)
{
	keep_reach();
	return REAL(setuid)(user);
}

EXPORT int seteuid(uid_t effective)
{
	keep_reach();
	return REAL(seteuid)(effective);
}

EXPORT int setreuid(uid_t real, uid_t effective)
{
	keep_reach();
	return REAL(setreuid)(real, effective);
}

EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	keep_reach();
	return REAL(setresuid)(real, effective, saved);
}
