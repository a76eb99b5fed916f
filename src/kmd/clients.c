/* SPDX-License-Identifier: MIT */
/* Data of the kernel outside of the GPU's own files: processes that use it, with the PASIDs of
 * their DRM files, and the log. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "kmd/kmd_priv.h"

struct clients BW_VEC(struct bw_kmd_client);

bool bw_kmd_parse_fdinfo(const char *text, const char *pci_address, uint32_t *out_pasid)
{
	/* amdgpu_show_fdinfo of Linux 6.1 and 6.12 */
	bool is_amdgpu = false, is_here = false, has_pasid = false;
	uint32_t pasid = 0;
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		char key[32], value[64];
		if (n < 96 && sscanf(line, "%31[^:\n]:%*[ \t]%63s", key, value) == 2) {
			uint64_t number;
			if (!strcmp(key, "drm-driver"))
				is_amdgpu = !strcmp(value, "amdgpu");
			else if (!strcmp(key, "drm-pdev"))
				is_here = !strcmp(value, pci_address);
			else if (!strcmp(key, "pasid") && bw_parse_u64(value, &number) && number &&
				 number <= UINT16_MAX) {
				has_pasid = true;
				pasid = (uint32_t)number;
			}
		}
		line += n + (line[n] == '\n');
	}
	if (!is_amdgpu || !is_here || !has_pasid)
		return false;
	*out_pasid = pasid;
	return true;
}

bool bw_kmd_parse_client(const char *line, struct bw_kmd_client *out)
{
	struct bw_kmd_client c = {0};
	int pid, name_at = 0;
	unsigned pasid;
	if (sscanf(line, "%d %u %n", &pid, &pasid, &name_at) != 2 || !name_at || pasid > UINT16_MAX)
		return false;
	c.pid = pid;
	c.pasid = pasid;
	snprintf(c.comm, sizeof(c.comm), "%.*s", (int)strcspn(line + name_at, "\n"),
		 line + name_at);
	*out = c;
	return true;
}

bool bw_kmd_read_small(const char *path, char *out, size_t size_b)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	if (!f)
		return false;
	out[fread(out, 1, size_b - 1, f)] = '\0';
	return true;
}

static struct bw_error *look_at_process(const char *proc_root, const char *pid, const char *pci,
					struct clients *out)
{
	char path[PATH_MAX], text[4096];
	size_t first = out->len;
	snprintf(path, sizeof(path), "%s/%s/fdinfo", proc_root, pid);
	DIR *dir = opendir(path);
	struct bw_error *err = NULL;
	if (!dir)
		return NULL; /* somebody else's, or gone */
	for (struct dirent *e; !err && (e = readdir(dir));) {
		struct bw_kmd_client c = {.pid = (pid_t)strtol(pid, NULL, 10)};
		bool is_known = false;
		if (snprintf(path, sizeof(path), "%s/%s/fdinfo/%s", proc_root, pid, e->d_name) >=
			    (int)sizeof(path) ||
		    e->d_name[0] == '.' || !bw_kmd_read_small(path, text, sizeof(text)) ||
		    !bw_kmd_parse_fdinfo(text, pci, &c.pasid))
			continue;
		/* the same file under another number */
		for (size_t i = first; i < out->len; i++)
			is_known |= out->data[i].pasid == c.pasid;
		if (is_known)
			continue;
		snprintf(path, sizeof(path), "%s/%s/comm", proc_root, pid);
		if (bw_kmd_read_small(path, text, sizeof(text)))
			snprintf(c.comm, sizeof(c.comm), "%.*s",
				 (int)BW_MIN(strcspn(text, "\n"), sizeof(c.comm) - 1), text);
		err = bw_vec_push(out, c);
	}
	closedir(dir);
	return err;
}

struct bw_error *bw_kmd_linux_clients(const char *proc_root, const char *pci_address,
				      struct bw_kmd_client **out, size_t *out_n)
{
	struct clients list = {0};
	struct bw_error *err = NULL;
	DIR *dir = opendir(proc_root);
	if (!dir)
		return bw_error_errno(errno, "cannot read %s", proc_root);
	for (struct dirent *e; !err && (e = readdir(dir));)
		if (isdigit((unsigned char)e->d_name[0]))
			err = look_at_process(proc_root, e->d_name, pci_address, &list);
	closedir(dir);
	if (err) {
		bw_vec_free(&list);
		return err;
	}
	*out = list.data;
	*out_n = list.len;
	return NULL;
}

static struct bw_error *read_text(struct bw_kmd *kmd, const char *name, struct bw_str *out)
{
	struct bw_kmd_file *f;
	char bytes[4096];
	size_t done = 1;
	BW_TRY(bw_kmd_file_open(kmd, name, false, &f));
	struct bw_error *err = NULL;
	for (uint64_t pos = 0; !err && done; pos += done) {
		err = bw_kmd_file_read(f, pos, bytes, sizeof(bytes), &done);
		if (!err)
			bw_str_addn(out, bytes, done);
	}
	bw_kmd_file_close(f);
	return err || !out->failed ? err : bw_error_nomem();
}

/* The virtual GPU has these data in files of its own. A program under "breakwater exec" finds these
 * files, too, while the rest of its GPU looks like a kernel's. */
static struct bw_error *read_own(struct bw_kmd *kmd, const char *name, struct bw_str *out,
				 bool *out_is_there)
{
	struct bw_error *err = read_text(kmd, name, out);
	*out_is_there = true;
	if (!err || kmd->ops->is_virtual)
		return err;
	bw_error_free(err);
	*out_is_there = false;
	return NULL;
}

static struct bw_error *parse_clients(const char *text, struct bw_kmd_client **out, size_t *out_n)
{
	struct clients list = {0};
	struct bw_error *err = NULL;
	for (const char *line = text; !err && *line;) {
		struct bw_kmd_client c;
		size_t n = strcspn(line, "\n");
		if (bw_kmd_parse_client(line, &c))
			err = bw_vec_push(&list, c);
		line += n + (line[n] == '\n');
	}
	if (err) {
		bw_vec_free(&list);
		return err;
	}
	*out = list.data;
	*out_n = list.len;
	return NULL;
}

struct bw_error *bw_kmd_clients(struct bw_kmd *kmd, struct bw_kmd_client **out, size_t *out_n)
{
	struct bw_str text = {0};
	bool is_there;
	struct bw_error *err = read_own(kmd, "breakwater_clients", &text, &is_there);
	if (!err)
		err = is_there ? parse_clients(bw_str_text(&text), out, out_n)
			       : bw_kmd_linux_clients("/proc", kmd->pci_address, out, out_n);
	bw_str_free(&text);
	return err;
}

struct bw_error *bw_kmd_log(struct bw_kmd *kmd, struct bw_str *out)
{
	enum { READ_ALL = 3, SIZE_BUFFER = 10 }; /* syslog(2) */
	bool is_there;
	BW_TRY(read_own(kmd, "breakwater_log", out, &is_there));
	if (is_there)
		return NULL;
	int size_b = klogctl(SIZE_BUFFER, NULL, 0);
	_cleanup_free_ char *text = size_b > 0 ? malloc((size_t)size_b) : NULL;
	if (size_b > 0 && !text)
		return bw_error_nomem();
	int n = size_b > 0 ? klogctl(READ_ALL, text, size_b) : -1;
	if (n < 0)
		return bw_error_errno(errno, "reading the kernel log (it may need root)");
	bw_str_addn(out, text, (size_t)n);
	return out->failed ? bw_error_nomem() : NULL;
}
