/* SPDX-License-Identifier: MIT */

/* What sessions that were killed (kill -9) left behind: folders breakwater-XXXXXX of ours with sockets on
 * which nobody listens any more. A folder without a socket is left alone: it may be somebody's who is
 * just about to listen. */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kmd/kmd_priv.h"

static const char prefix[] = "breakwater-";
enum { SUFFIX_LEN = 6, YOUNG_S = 10 };

/* Is this a socket that nobody holds any more? Asked with a socket of another type: the kernel looks for
 * the owner first (ECONNREFUSED when there is none) and compares the types then (EPROTOTYPE;
 * net/unix/af_unix.c unix_find_bsd), so a living owner, who may take the first connection for its
 * program's, never sees one. A socket gets its owner a moment after its file: young ones are left alone. */
static bool is_dead_socket(const char *path)
{
	struct stat st;
	if (lstat(path, &st) || !S_ISSOCK(st.st_mode) || time(NULL) - st.st_mtime < YOUNG_S)
		return false;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address.sun_path))
		return false;
	strcpy(address.sun_path, path);
	_cleanup_close_ int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return sock >= 0 && connect(sock, (struct sockaddr *)&address, sizeof(address)) && errno == ECONNREFUSED;
}

static void sweep_folder(const char *folder)
{
	struct stat st;
	if (lstat(folder, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return;
	DIR *dir = opendir(folder);
	if (!dir)
		return;
	struct dirent *e;
	bool removed = false;
	while ((e = readdir(dir))) {
		char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
		int n = snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (n > 0 && (size_t)n < sizeof(path) && is_dead_socket(path))
			removed |= unlink(path) == 0;
	}
	closedir(dir);
	if (removed)
		rmdir(folder);
}

void bw_kmd_sweep(const char *base)
{
	DIR *dir = opendir(base);
	if (!dir)
		return;
	struct dirent *e;
	while ((e = readdir(dir))) {
		char path[512];
		if (strncmp(e->d_name, prefix, strlen(prefix)) || strlen(e->d_name) != strlen(prefix) + SUFFIX_LEN)
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, e->d_name);
		sweep_folder(path);
	}
	closedir(dir);
}
