/* SPDX-License-Identifier: MIT */
/* The kernel's own amdgpu: files below /sys and /sys/kernel/debug. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "kmd/kmd_priv.h"

struct linux_kmd {
	struct bw_kmd base;
	char *sysfs_dir, *debugfs_root;
	char *debugfs_dir; /* NULL: none found; debugfs_errnum says why */
	int debugfs_errnum;
	char *agent_env; /* "LD_PRELOAD=..." */
	const char *env[2];
};

struct linux_file {
	struct bw_kmd_file base;
	int fd;
};

static struct linux_kmd *linux_kmd(const struct bw_kmd *kmd)
{
	return BW_CONTAINER_OF((struct bw_kmd *)kmd, struct linux_kmd, base);
}

static struct linux_file *linux_file(struct bw_kmd_file *f)
{
	return BW_CONTAINER_OF(f, struct linux_file, base);
}

static bool path_of(char out[PATH_MAX], const char *fmt, ...) BW_PRINTF(2, 3);
static bool path_of(char out[PATH_MAX], const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(out, PATH_MAX, fmt, args);
	va_end(args);
	return n >= 0 && n < PATH_MAX;
}

static void linux_close(struct bw_kmd *kmd)
{
	struct linux_kmd *k = linux_kmd(kmd);
	free(k->base.choice);
	free(k->sysfs_dir);
	free(k->debugfs_root);
	free(k->debugfs_dir);
	free(k->agent_env);
	free(k);
}

static int linux_file_open(struct bw_kmd *kmd, bool sysfs, const char *path, int flags,
			   struct bw_kmd_file **out)
{
	struct linux_kmd *k = linux_kmd(kmd);
	const char *dir = sysfs ? k->sysfs_dir : k->debugfs_dir;
	if (!dir)
		return -k->debugfs_errnum;
	char full[PATH_MAX];
	if (!path_of(full, "%s/%s", dir, path))
		return -ENAMETOOLONG;
	struct linux_file *f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->fd = open(full, flags | O_CLOEXEC);
	if (f->fd < 0) {
		int r = -errno;
		free(f);
		return r;
	}
	f->base.kmd = kmd;
	*out = &f->base;
	return 0;
}

static void linux_file_close(struct bw_kmd_file *f)
{
	close(linux_file(f)->fd);
	free(linux_file(f));
}

static int linux_file_ioctl(struct bw_kmd_file *f, uint32_t cmd, void *arg)
{
	int r = ioctl(linux_file(f)->fd, cmd, arg);
	return r < 0 ? -errno : r;
}

/* 6.1 refuses transfers of more than a page (doc/hardware/kernel-interface.md 6, row g). */
enum { CHUNK_B = 4096 };

/* The name of the device's render node, "renderD128". */
static bool find_render_node(const struct linux_kmd *k, char out[32])
{
	char path[PATH_MAX];
	DIR *dir = path_of(path, "%s/drm", k->sysfs_dir) ? opendir(path) : NULL;
	bool found = false;
	for (struct dirent *e; dir && !found && (e = readdir(dir));)
		if (bw_starts_with(e->d_name, "renderD") && strlen(e->d_name) < 32) {
			snprintf(out, 32, "%.31s", e->d_name);
			found = true;
		}
	if (dir)
		closedir(dir);
	return found;
}

static int linux_drm_ioctl(struct bw_kmd *kmd, uint32_t cmd, void *arg)
{
	char name[32], path[48];
	if (!find_render_node(linux_kmd(kmd), name))
		return -ENODEV;
	snprintf(path, sizeof(path), "/dev/dri/%s", name);
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r;
	do
		r = ioctl(fd, cmd, arg);
	while (r < 0 && (errno == EINTR || errno == EAGAIN)); /* as drmIoctl() */
	return r < 0 ? -errno : r;
}

static ssize_t linux_file_read(struct bw_kmd_file *f, uint64_t pos, void *out, size_t size_b)
{
	size_t done = 0;
	do {
		size_t want = BW_MIN(size_b - done, (size_t)CHUNK_B);
		ssize_t n = pread(linux_file(f)->fd, (char *)out + done, want, (off_t)(pos + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return done ? (ssize_t)done : -errno;
		done += (size_t)n;
		if ((size_t)n < want)
			break;
	} while (done < size_b);
	return (ssize_t)done;
}

static ssize_t linux_file_write(struct bw_kmd_file *f, uint64_t pos, const void *data,
				size_t size_b)
{
	size_t done = 0;
	do {
		size_t want = BW_MIN(size_b - done, (size_t)CHUNK_B);
		ssize_t n = pwrite(linux_file(f)->fd, (const char *)data + done, want,
				   (off_t)(pos + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return done ? (ssize_t)done : -errno;
		done += (size_t)n;
		if ((size_t)n < want)
			break;
	} while (done < size_b);
	return (ssize_t)done;
}

static const char *const *linux_program_env(struct bw_kmd *kmd)
{
	struct linux_kmd *k = linux_kmd(kmd);
	if (!k->agent_env) {
		k->agent_env = bw_kmd_preload_env();
		k->env[0] = k->agent_env;
	}
	return k->env;
}

static int linux_liveness_fd(const struct bw_kmd *kmd)
{
	return -1;
}

static pid_t linux_server_pid(const struct bw_kmd *kmd)
{
	return 0;
}

static bool read_line(const char *path, char *out, size_t size_b)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	if (!f || !fgets(out, (int)size_b, f))
		return false;
	out[strcspn(out, "\n")] = 0;
	return true;
}

/* "none [integrity] confidentiality", beside debugfs (doc/hardware/kernel-interface.md 4.1). */
static bool is_locked_down(const struct linux_kmd *k)
{
	char path[PATH_MAX], text[128];
	return path_of(path, "%s/../security/lockdown", k->debugfs_root) &&
	       read_line(path, text, sizeof(text)) && !strstr(text, "[none]");
}

static const char *linux_remedy(const struct bw_kmd *kmd, bool sysfs, int errnum)
{
	if (sysfs)
		return NULL;
	switch (errnum) {
	case EACCES:
		return "this needs root, see breakwater(1) PRIVILEGES; or use --gpu virtual";
	case EPERM:
		return is_locked_down(linux_kmd(kmd))
			       ? "the kernel is locked down: switch Secure Boot off in the "
				 "firmware, or use --gpu virtual"
			       : "a container or a sandbox refuses it: run Breakwater outside of "
				 "it, or use --gpu virtual";
	case ENODEV:
		return "debugfs is not mounted: mount -t debugfs none /sys/kernel/debug";
	case ENOENT:
		return "this kernel's amdgpu has no such file; regs2 needs Linux 5.16 or newer";
	default:
		return NULL;
	}
}

static const char *linux_place(const struct bw_kmd *kmd, bool sysfs)
{
	const struct linux_kmd *k = linux_kmd(kmd);
	return sysfs ? k->sysfs_dir : k->debugfs_dir ? k->debugfs_dir : k->debugfs_root;
}

static struct bw_error *linux_user_queues(struct bw_kmd *kmd, struct bw_kmd_user_queue **out,
					  size_t *out_n)
{
	return bw_kmd_linux_user_queues(linux_kmd(kmd)->debugfs_root, kmd->pci_address, out, out_n);
}

static const struct bw_kmd_ops linux_ops = {
	.close = linux_close,
	.file_open = linux_file_open,
	.file_close = linux_file_close,
	.file_ioctl = linux_file_ioctl,
	.file_read = linux_file_read,
	.file_write = linux_file_write,
	.drm_ioctl = linux_drm_ioctl,
	.program_env = linux_program_env,
	.liveness_fd = linux_liveness_fd,
	.server_pid = linux_server_pid,
	.user_queues = linux_user_queues,
	.remedy = linux_remedy,
	.place = linux_place,
};

struct gpu {
	unsigned index; /* DRM card number */
	char pci[16];
	char dir[PATH_MAX]; /* of the PCI device */
};

/* "0000:03:00.0" */
static bool is_pci_address(const char *s)
{
	unsigned domain, bus, dev, fn;
	int used = 0;
	return sscanf(s, "%x:%x:%x.%x%n", &domain, &bus, &dev, &fn, &used) == 4 && !s[used] &&
	       strlen(s) < 16;
}

/* A cardN entry of /sys/class/drm that is an AMD GPU driven by amdgpu. */
static bool look_at_card(const char *drm_dir, const char *name, struct gpu *out)
{
	unsigned index;
	int used = 0;
	char path[PATH_MAX], text[64], real[PATH_MAX], driver[PATH_MAX];
	if (sscanf(name, "card%u%n", &index, &used) != 1 || name[used])
		return false;
	if (!path_of(path, "%s/%s/device/vendor", drm_dir, name) ||
	    !read_line(path, text, sizeof(text)) || strcmp(text, "0x1002"))
		return false;
	if (!path_of(path, "%s/%s/device/driver", drm_dir, name) || !realpath(path, driver) ||
	    !bw_starts_with(strrchr(driver, '/'), "/amdgpu"))
		return false;
	if (!path_of(path, "%s/%s/device", drm_dir, name) || !realpath(path, real))
		return false;
	const char *pci = strrchr(real, '/') + 1;
	if (!is_pci_address(pci))
		return false;
	out->index = index;
	snprintf(out->pci, sizeof(out->pci), "%.15s", pci);
	snprintf(out->dir, sizeof(out->dir), "%s", real);
	return true;
}

static int by_index(const void *a, const void *b)
{
	const struct gpu *x = a, *y = b;
	return (x->index > y->index) - (x->index < y->index);
}

struct gpus BW_VEC(struct gpu);

static struct bw_error *find_gpus(const char *sysfs_root, struct gpus *out)
{
	char drm_dir[PATH_MAX];
	DIR *dir = path_of(drm_dir, "%s/class/drm", sysfs_root) ? opendir(drm_dir) : NULL;
	if (!dir)
		return NULL; /* no DRM at all: no GPU */
	struct bw_error *err = NULL;
	for (struct dirent *e; !err && (e = readdir(dir));) {
		struct gpu gpu;
		if (look_at_card(drm_dir, e->d_name, &gpu))
			err = bw_vec_push(out, gpu);
	}
	closedir(dir);
	if (out->len)
		qsort(out->data, out->len, sizeof(*out->data), by_index);
	return err;
}

static struct bw_error *choose_gpu(const struct gpus *gpus, const char *selector,
				   const struct gpu **out)
{
	uint64_t index;
	if (selector && !is_pci_address(selector) && !bw_parse_u64(selector, &index))
		return bw_errorf(BW_E_INVALID,
				 "'%s' names no GPU: use virtual, a number such as 0, or a PCI "
				 "address such as 0000:03:00.0",
				 selector);
	for (size_t i = 0; i < gpus->len; i++) {
		const struct gpu *g = &gpus->data[i];
		bool match = !selector || !strcmp(selector, g->pci) ||
			     (bw_parse_u64(selector, &index) && index == g->index);
		if (match) {
			*out = g;
			return NULL;
		}
	}
	if (!gpus->len)
		return bw_errorf(BW_E_NOT_FOUND, "this machine has no AMD GPU with the amdgpu "
						 "driver; --gpu virtual needs none");
	struct bw_str names = {0};
	for (size_t i = 0; i < gpus->len; i++)
		bw_str_addf(&names, "%s%u (%s)", i ? ", " : "", gpus->data[i].index,
			    gpus->data[i].pci);
	struct bw_error *err = bw_errorf(BW_E_NOT_FOUND, "there is no AMD GPU %s; there is %s",
					 selector, bw_str_text(&names));
	bw_str_free(&names);
	return err;
}

/* The debugfs folder of a device is named by its PCI address; older kernels name it by minor, and
 * then the file `name` in it tells (doc/hardware/kernel-interface.md 4.1). */
static void find_debugfs(struct linux_kmd *k)
{
	char path[PATH_MAX], text[256];
	if (path_of(path, "%s/dri/%s", k->debugfs_root, k->base.pci_address) &&
	    !access(path, X_OK)) {
		k->debugfs_dir = strdup(path);
		return;
	}
	k->debugfs_errnum = errno;
	DIR *dir = path_of(path, "%s/dri", k->debugfs_root) ? opendir(path) : NULL;
	if (!dir) {
		/* Unmounted, /sys/kernel/debug is an empty folder that everybody may enter. */
		k->debugfs_errnum = errno == ENOENT ? ENODEV : errno;
		return;
	}
	char want[32];
	snprintf(want, sizeof(want), "dev=%s", k->base.pci_address);
	for (struct dirent *e; !k->debugfs_dir && (e = readdir(dir));) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (path_of(path, "%s/dri/%s/name", k->debugfs_root, e->d_name) &&
		    read_line(path, text, sizeof(text)) && strstr(text, want)) {
			path[strlen(path) - strlen("/name")] = 0;
			k->debugfs_dir = strdup(path);
		}
	}
	closedir(dir);
}

/* "0000:03:00.0 (GPU 0) is used, of 2 AMD GPUs; ..." for a user who has not chosen one. */
static void note_choice(struct linux_kmd *k, const struct gpus *gpus, const struct gpu *chosen)
{
	struct bw_str others = {0};
	for (size_t i = 0; i < gpus->len; i++)
		if (&gpus->data[i] != chosen)
			bw_str_addf(&others, "%s--gpu %u (%s)", others.len ? ", " : "",
				    gpus->data[i].index, gpus->data[i].pci);
	if (others.len &&
	    asprintf(&k->base.choice, "of %zu AMD GPUs, %u (%s) is used: %s chooses another",
		     gpus->len, chosen->index, chosen->pci, bw_str_text(&others)) < 0)
		k->base.choice = NULL;
	bw_str_free(&others);
}

struct bw_error *bw_kmd_linux_open(const char *sysfs_root, const char *debugfs_root,
				   const char *selector, struct bw_kmd **out)
{
	struct gpus gpus = {0};
	const struct gpu *gpu = NULL;
	struct bw_error *err = find_gpus(sysfs_root, &gpus);
	if (!err)
		err = choose_gpu(&gpus, selector, &gpu);
	struct linux_kmd *k = err ? NULL : calloc(1, sizeof(*k));
	if (!err && !k)
		err = bw_error_nomem();
	if (k) {
		k->base.ops = &linux_ops;
		pthread_mutex_init(&k->base.regs_lock, NULL);
		memcpy(k->base.pci_address, gpu->pci, sizeof(k->base.pci_address));
		k->sysfs_dir = strdup(gpu->dir);
		k->debugfs_root = strdup(debugfs_root);
		if (k->sysfs_dir && k->debugfs_root) {
			find_debugfs(k);
			if (!selector)
				note_choice(k, &gpus, gpu);
			*out = &k->base;
		} else {
			linux_close(&k->base);
			err = bw_error_nomem();
		}
	}
	bw_vec_free(&gpus);
	return err;
}
