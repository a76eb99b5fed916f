/* SPDX-License-Identifier: MIT */
/* Queues that programs have made for themselves, as debugfs shows them: a folder for each DRM file
 * and in it one for each queue (doc/hardware/kernel-interface.md 4.7). */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "kmd/kmd_priv.h"

struct queues BW_VEC(struct bw_kmd_user_queue);

/* The number after `key` in a line that has nothing else: "queue_type: 1". */
static bool number_of(const char *text, const char *key, int base, uint64_t *out)
{
	size_t n = strlen(key);
	for (const char *line = text; *line; line += *line == '\n') {
		const char *value = line + n;
		if (!strncmp(line, key, n) && isxdigit((unsigned char)*value)) {
			char *end;
			errno = 0;
			uint64_t v = strtoull(value, &end, base);
			if (errno || (*end && *end != '\n'))
				return false;
			*out = v;
			return true;
		}
		line += strcspn(line, "\n");
	}
	return false;
}

bool bw_kmd_parse_mqd_info(const char *text, uint32_t *out_type, uint64_t *out_mqd)
{
	uint64_t type, mqd;
	if (!number_of(text, "queue_type: ", 10, &type) || type > INT32_MAX ||
	    !number_of(text, "mqd_gpu_address: ", 16, &mqd))
		return false;
	*out_type = (uint32_t)type;
	*out_mqd = mqd;
	return true;
}

void bw_kmd_parse_proc_info(const char *text, struct bw_kmd_user_queue *out)
{
	uint64_t pid;
	const char *comm = strstr(text, "\ncomm: ");
	out->pid = 0;
	out->comm[0] = '\0';
	/* 0 and "Unset" where the process is gone */
	if (!number_of(text, "pid: ", 10, &pid) || !pid || pid > INT32_MAX || !comm)
		return;
	out->pid = (pid_t)pid;
	comm += strlen("\ncomm: ");
	/* the name may have line feeds in it, the line's own is the last */
	size_t n = strlen(comm);
	snprintf(out->comm, sizeof(out->comm), "%.*s", (int)(n && comm[n - 1] == '\n' ? n - 1 : n),
		 comm);
}

/* "client-12": 12 */
static bool number_in_name(const char *name, const char *prefix, uint64_t *out)
{
	size_t n = strlen(prefix);
	if (strncmp(name, prefix, n) != 0 || !isdigit((unsigned char)name[n]))
		return false;
	char *end;
	errno = 0;
	*out = strtoull(name + n, &end, 10);
	return !errno && !*end;
}

/* The folder's link "device" leads to that of the GPU: "../0000:03:00.0". */
static bool is_of_gpu(const char *folder, const char *pci_address)
{
	char path[PATH_MAX], target[PATH_MAX];
	if (snprintf(path, sizeof(path), "%s/device", folder) >= (int)sizeof(path))
		return false;
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return !strcmp(bw_base_name(target), pci_address);
}

static struct bw_error *look_at_client(const char *folder, uint64_t client, struct queues *out)
{
	char path[PATH_MAX], text[512];
	struct bw_kmd_user_queue owner = {.client = client};
	struct bw_error *err = NULL;
	DIR *dir = opendir(folder);
	if (!dir)
		return NULL; /* gone */
	if (snprintf(path, sizeof(path), "%s/proc_info", folder) < (int)sizeof(path) &&
	    bw_kmd_read_small(path, text, sizeof(text)))
		bw_kmd_parse_proc_info(text, &owner);
	for (struct dirent *e; !err && (e = readdir(dir));) {
		struct bw_kmd_user_queue q = owner;
		if (!number_in_name(e->d_name, "queue_", &q.queue) ||
		    snprintf(path, sizeof(path), "%s/%s/mqd_info", folder, e->d_name) >=
			    (int)sizeof(path) ||
		    !bw_kmd_read_small(path, text, sizeof(text)))
			continue;
		q.has_mqd = bw_kmd_parse_mqd_info(text, &q.type, &q.mqd);
		err = bw_vec_push(out, q);
	}
	closedir(dir);
	return err;
}

static int in_order(const void *a, const void *b)
{
	const struct bw_kmd_user_queue *x = a, *y = b;
	return x->client != y->client ? (x->client > y->client) - (x->client < y->client)
				      : (x->queue > y->queue) - (x->queue < y->queue);
}

struct bw_error *bw_kmd_linux_user_queues(const char *debugfs_root, const char *pci_address,
					  struct bw_kmd_user_queue **out, size_t *out_n)
{
	struct queues list = {0};
	char dri[PATH_MAX], folder[PATH_MAX];
	struct bw_error *err = NULL;
	*out = NULL;
	*out_n = 0;
	DIR *dir = snprintf(dri, sizeof(dri), "%s/dri", debugfs_root) < (int)sizeof(dri)
			   ? opendir(dri)
			   : NULL;
	if (!dir)
		return NULL; /* the GPU's own files say why, to whom wants more of it */
	for (struct dirent *e; !err && (e = readdir(dir));) {
		uint64_t client;
		if (number_in_name(e->d_name, "client-", &client) &&
		    snprintf(folder, sizeof(folder), "%s/%s", dri, e->d_name) <
			    (int)sizeof(folder) &&
		    is_of_gpu(folder, pci_address))
			err = look_at_client(folder, client, &list);
	}
	closedir(dir);
	if (err) {
		bw_vec_free(&list);
		return err;
	}
	if (list.len)
		qsort(list.data, list.len, sizeof(*list.data), in_order);
	*out = list.data;
	*out_n = list.len;
	return NULL;
}

struct bw_error *bw_kmd_user_queues(struct bw_kmd *kmd, struct bw_kmd_user_queue **out,
				    size_t *out_n)
{
	*out = NULL;
	*out_n = 0;
	return kmd->ops->user_queues ? kmd->ops->user_queues(kmd, out, out_n) : NULL;
}
