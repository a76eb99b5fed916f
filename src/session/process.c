/* SPDX-License-Identifier: MIT */
#include "session/programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

struct bw_error *bw_process_setting(pid_t pid, const char *name, char **out)
{
	char path[64];
	size_t cap = 0, n = strlen(name);
	_cleanup_free_ char *line = NULL;
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	*out = NULL;
	if (!f && errno == EACCES)
		return bw_error_errno(
			errno,
			"process %d is not yours (attach as its user, or as root): its "
			"environment cannot be read",
			(int)pid);
	if (!f)
		return errno == ENOENT
			       ? bw_errorf(BW_E_NOT_FOUND, "There is no process %d", (int)pid)
			       : bw_error_errno(errno, "cannot read the environment of process %d",
						(int)pid);
	while (getdelim(&line, &cap, '\0', f) > 0) {
		if (strncmp(line, name, n) || line[n] != '=')
			continue;
		*out = strdup(line + n + 1);
		return *out ? NULL : bw_error_nomem();
	}
	return NULL;
}

struct bw_error *bw_use_gpu_of(pid_t pid, bool *out_virtual)
{
	_cleanup_free_ char *server = NULL;
	BW_TRY(bw_process_setting(pid, "BREAKWATER_VGPU", &server));
	*out_virtual = server != NULL;
	if (server && setenv("BREAKWATER_VGPU", server, 1))
		return bw_error_nomem();
	/* If root attaches to a program of another user, the virtual GPU belongs to that user. */
	char path[64];
	struct stat st;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (server && geteuid() == 0 && !stat(path, &st))
		bw_kmd_use_server_of(st.st_uid);
	return NULL;
}
