/* SPDX-License-Identifier: MIT */
#include "wire/agent_folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "wire/message.h"

/* Takes the next folder off the list; NULL: there is none. The caller's. */
static char *next_folder(const char **list)
{
	size_t n = *list ? strcspn(*list, ":") : 0;
	if (!n)
		return NULL;
	char *folder = strndup(*list, n);
	*list += n + ((*list)[n] == ':');
	return folder;
}

char *bw_agent_folders_setting(const char *folder)
{
	struct bw_str s = {0};
	const char *list = getenv(BW_AGENT_FOLDERS_ENV);
	bw_str_addf(&s, BW_AGENT_FOLDERS_ENV "=%s", folder);
	for (char *outer; (outer = next_folder(&list)); free(outer))
		if (!access(outer, F_OK))
			bw_str_addf(&s, ":%s", outer);
	return bw_str_take(&s);
}

struct bw_error *bw_agent_folders_add(const char *folder)
{
	_cleanup_free_ char *setting = bw_agent_folders_setting(folder);
	if (!setting || setenv(BW_AGENT_FOLDERS_ENV, strchr(setting, '=') + 1, 1))
		return bw_error_nomem();
	return NULL;
}

struct bw_error *bw_agent_folders_listen(const struct bw_folder *f, const char *service,
					 int *out_fd)
{
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s/%s", f->path, service) < 0)
		return bw_error_nomem();
	return bw_sock_listen(path, out_fd);
}

char *bw_agent_folders_find(const char *list, const char *name, bool (*is_there)(const char *path))
{
	for (char *folder; (folder = next_folder(&list)); free(folder)) {
		_cleanup_free_ char *path = NULL;
		if (asprintf(&path, "%s/%s", folder, name) < 0)
			path = NULL;
		else if (is_there(path))
			return folder;
	}
	return NULL;
}
