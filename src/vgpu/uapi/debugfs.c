/* SPDX-License-Identifier: MIT */
/* Files that are opened by path: debugfs, the live part of sysfs, the kernel log, and whatever
 * static file is in the tree that programs see. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "vgpu/device/discovery.h"
#include "vgpu/device/vbios.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/klog.h"
#include "vgpu/uapi/check_output.h"
#include "vgpu/uapi/strict_output.h"
#include "vgpu/uapi/sw_sync.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/draws_proto.h"

enum { MAX_TEXT_B = 1 << 20, MMIO_B = 1 << 20 /* BAR5 */ };

/* ---- memory ---- */

static int64_t vram_op(struct bw_file *f, uint8_t *out, const uint8_t *in, size_t size_b,
		       uint64_t *pos)
{
	uint64_t total = f->u->profile->vram_size_b;
	if ((size_b | *pos) & 3)
		return -EINVAL;
	if (*pos >= total)
		return -ENXIO;
	size_t n = (size_t)BW_MIN((uint64_t)size_b, total - *pos);
	uint8_t *at = bw_drm_vram_cpu(f->u, *pos);
	/* Copies whole dwords: waves write here at the same time. */
	for (size_t i = 0; i < n; i += 4) {
		uint32_t v;
		if (in) {
			memcpy(&v, in + i, sizeof(v));
			__atomic_store_n((uint32_t *)(at + i), v, __ATOMIC_RELAXED);
		} else {
			v = __atomic_load_n((uint32_t *)(at + i), __ATOMIC_RELAXED);
			memcpy(out + i, &v, sizeof(v));
		}
	}
	*pos += n;
	return (int64_t)n;
}

static int64_t vram_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	return vram_op(f, out, NULL, size_b, pos);
}

static int64_t vram_write(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos)
{
	return vram_op(f, NULL, data, size_b, pos);
}

/* Page by page: a page that is not the device's is EPERM, even after some that were. */
static int64_t iomem_op(struct bw_file *f, uint8_t *out, const uint8_t *in, size_t size_b,
			uint64_t *pos)
{
	int64_t done = 0;
	pthread_mutex_lock(&f->u->lock); /* so that no buffer goes away meanwhile */
	while (size_b && done >= 0) {
		size_t n = BW_MIN(size_b, (size_t)(BW_DRM_PAGE_B - *pos % BW_DRM_PAGE_B));
		uint8_t *p = bw_device_sysmem(f->u->dev, *pos, n);
		if (!p) {
			done = -EPERM;
			break;
		}
		if (in)
			memcpy(p, in + done, n);
		else
			memcpy(out + done, p, n);
		*pos += n;
		done += (int64_t)n;
		size_b -= n;
	}
	pthread_mutex_unlock(&f->u->lock);
	return done;
}

static int64_t iomem_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	return iomem_op(f, out, NULL, size_b, pos);
}

static int64_t iomem_write(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos)
{
	return iomem_op(f, NULL, data, size_b, pos);
}

/* ---- configuration and text ---- */

static int64_t gca_config_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	uint32_t config[36];
	if ((size_b | *pos) & 3)
		return -EINVAL;
	bw_drm_gca_config(f->u, config);
	size_t n = *pos >= sizeof(config) ? 0 : BW_MIN(size_b, (size_t)(sizeof(config) - *pos));
	if (n)
		memcpy(out, (uint8_t *)config + *pos, n);
	*pos += n;
	return (int64_t)n;
}

/* Like seq_file and sysfs: each read from the start makes the text anew. */
int64_t bw_text_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	pthread_mutex_lock(&f->lock);
	if (f->make_text && !*pos) {
		struct bw_str text = {0};
		f->make_text(f->u, &text);
		free(f->text);
		f->text_b = text.failed ? 0 : text.len;
		f->text = bw_str_take(&text);
	}
	size_t n = *pos >= f->text_b ? 0 : BW_MIN(size_b, (size_t)(f->text_b - *pos));
	if (n)
		memcpy(out, f->text + *pos, n);
	pthread_mutex_unlock(&f->lock);
	*pos += n;
	return (int64_t)n;
}

const struct bw_file_ops bw_text_ops = {bw_text_read, NULL, NULL};
static const struct bw_file_ops vram_ops = {vram_read, vram_write, NULL},
				iomem_ops = {iomem_read, iomem_write, NULL},
				gca_config_ops = {gca_config_read, NULL, NULL};

/* amdgpu_gfxoff (amdgpu_debugfs.c of Linux 6.12): 0 asks for the graphics block to stay on,
 * anything else takes that back; reads say whether the driver lets the block power down: 0 while a
 * file asks for that, else 1 (registers stay readable here). */
static int64_t gfxoff_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	if ((size_b | *pos) & 3)
		return -EINVAL;
	uint32_t state = atomic_load(&f->u->gfxoff_holds) ? 0 : 1;
	for (size_t at = 0; at < size_b; at += 4)
		memcpy((uint8_t *)out + at, &state, 4);
	*pos += size_b;
	return (int64_t)size_b;
}

static int64_t gfxoff_write(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos)
{
	if ((size_b | *pos) & 3)
		return -EINVAL;
	for (size_t at = 0; at < size_b; at += 4) {
		uint32_t value, holds;
		memcpy(&value, (const uint8_t *)data + at, 4);
		holds = atomic_load(&f->u->gfxoff_holds);
		if (!value)
			atomic_fetch_add(&f->u->gfxoff_holds, 1);
		while (value && holds &&
		       !atomic_compare_exchange_weak(&f->u->gfxoff_holds, &holds, holds - 1))
			;
	}
	*pos += size_b;
	return (int64_t)size_b;
}

static const struct bw_file_ops gfxoff_ops = {gfxoff_read, gfxoff_write, NULL};

/* amdgpu_debugfs_sensor_read: the position is four times the number of a sensor, and stays. Asking
 * for more than the sensor has is an error, unlike elsewhere. */
static int64_t sensors_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	uint32_t value;
	if ((size_b | *pos) & 3)
		return -EINVAL;
	pthread_mutex_lock(&f->u->lock);
	int r = bw_drm_pp_sensor(f->u, *pos / 4, &value);
	pthread_mutex_unlock(&f->u->lock);
	if (r)
		return r;
	if (size_b > sizeof(value))
		return -EINVAL;
	memcpy(out, &value, size_b);
	return (int64_t)size_b;
}

static const struct bw_file_ops sensors_ops = {.read = sensors_read};

/* ---- images ---- */

static void image_vbios(struct bw_uapi *u, struct bw_str *s)
{
	uint8_t *image = calloc(1, BW_VBIOS_COPIED_B);
	if (!image)
		return;
	bw_vbios_make(u->profile, image);
	bw_str_addn(s, (const char *)image, BW_VBIOS_COPIED_B);
	free(image);
}

static void image_discovery(struct bw_uapi *u, struct bw_str *s)
{
	struct bw_discovery_gc gc;
	uint8_t image[BW_DISCOVERY_MAX_B];
	bw_discovery_gc_of(u->profile, &gc);
	bw_discovery_make(u->profile, &gc, image);
	bw_str_addn(s, (const char *)image, sizeof(image)); /* discovery_tmr_size */
}

static void text_log(struct bw_uapi *u, struct bw_str *s)
{
	char *text = bw_klog_text(u);
	bw_str_add(s, text ? text : "");
	free(text);
}

/* amdgpu_gpu_recover: reading it resets the GPU, and gives how that went. */
static int64_t gpu_recover_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	if (*pos)
		return 0;
	pthread_mutex_lock(&f->u->lock);
	bool done = bw_drm_gpu_reset(f->u);
	pthread_mutex_unlock(&f->u->lock);
	char text[16];
	int n = snprintf(text, sizeof(text), "%d\n", done ? 0 : -ETIME);
	size_b = BW_MIN(size_b, (size_t)n);
	memcpy(out, text, size_b);
	*pos += size_b;
	return (int64_t)size_b;
}

static const struct bw_file_ops gpu_recover_ops = {.read = gpu_recover_read};

static void text_name(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_addf(s, "amdgpu dev=%s unique=%s\n", u->profile->pci_address,
		    u->profile->pci_address);
}

/* No kernel's: what fdinfo of the clients' files says, which only the clients can read here. */
static void text_clients(struct bw_uapi *u, struct bw_str *s)
{
	pthread_mutex_lock(&u->lock);
	bw_vec_each(&u->vms, vm)
		bw_str_addf(s, "%d %u %s\n", (*vm)->pid, (*vm)->pasid, (*vm)->comm);
	pthread_mutex_unlock(&u->lock);
}

/* Modes: amdgpu_debugfs.c, amdgpu_ring.c, amdgpu_ttm.c, drm_debugfs.c of 6.12. Other files of the
 * kernel are in doc/hardware/kernel-files.md, with the reason why they are absent here. */
/* clang-format off */
static const struct bw_file_row debugfs_rows[] = {
	{"name", 0444, &bw_text_ops, text_name, 0},
	{"clients", 0444, &bw_text_ops, bw_text_clients, 0},
	{"gem_names", 0444, &bw_text_ops, bw_text_gem_names, 0},
	{"amdgpu_regs", 0400, &bw_regs_ops, NULL, 0},
	{"amdgpu_regs2", 0400, &bw_regs2_ops, NULL, 0},
	{"amdgpu_gprwave", 0400, &bw_gprwave_ops, NULL, 0},
	{"amdgpu_gca_config", 0400, &gca_config_ops, NULL, 0},
	{"amdgpu_wave", 0400, &bw_wave_ops, NULL, 0},
	{"amdgpu_gpr", 0400, &bw_gpr_ops, NULL, 0},
	{"amdgpu_gfxoff", 0400, &gfxoff_ops, NULL, 0},
	{"amdgpu_sensors", 0400, &sensors_ops, NULL, 0},
	{"amdgpu_vbios", 0444, &bw_text_ops, image_vbios, 0},
	{"amdgpu_discovery", 0444, &bw_text_ops, image_discovery, 0},
	{"amdgpu_vram", 0444, &vram_ops, NULL, 0},
	{"amdgpu_iomem", 0444, &iomem_ops, NULL, 0},
	{"amdgpu_gpu_recover", 0444, &gpu_recover_ops, NULL, 0},
	{"amdgpu_fence_info", 0444, &bw_text_ops, bw_text_fence_info, 0},
	{"amdgpu_gem_info", 0444, &bw_text_ops, bw_text_gem_info, 0},
	{"amdgpu_vm_info", 0444, &bw_text_ops, bw_text_vm_info, 0},
	{"amdgpu_firmware_info", 0444, &bw_text_ops, bw_text_firmware_info, 0},
	{"amdgpu_ring_gfx_0.0.0", 0444, &bw_ring_ops, NULL, 0},
	{"amdgpu_ring_comp_1.0.0", 0444, &bw_ring_ops, NULL, 1},
	{"amdgpu_ring_comp_1.1.0", 0444, &bw_ring_ops, NULL, 2},
	{"amdgpu_ring_comp_1.2.0", 0444, &bw_ring_ops, NULL, 3},
	{"amdgpu_ring_comp_1.3.0", 0444, &bw_ring_ops, NULL, 4},
	{"amdgpu_ring_sdma0", 0444, &bw_ring_ops, NULL, BW_DRM_FIRST_SDMA},
	{"amdgpu_ring_sdma1", 0444, &bw_ring_ops, NULL, BW_DRM_FIRST_SDMA + 1},
	{"amdgpu_mqd_gfx_0.0.0", 0444, &bw_mqd_ops, NULL, 0},
	{"amdgpu_mqd_comp_1.0.0", 0444, &bw_mqd_ops, NULL, 1},
	{"amdgpu_mqd_comp_1.1.0", 0444, &bw_mqd_ops, NULL, 2},
	{"amdgpu_mqd_comp_1.2.0", 0444, &bw_mqd_ops, NULL, 3},
	{"amdgpu_mqd_comp_1.3.0", 0444, &bw_mqd_ops, NULL, 4},
	/* no kernel's */
	{"breakwater_clients", 0400, &bw_text_ops, text_clients, 0},
	{"breakwater_log", 0400, &bw_text_ops, text_log, 0},
	{"breakwater_waits", 0400, &bw_text_ops, bw_text_waits, 0},
	{BW_DRAWS_FILE, 0600, &bw_draws_ops, bw_text_draws, 0},
	{"breakwater_check", 0444, &bw_text_ops, bw_check_text, 0},
	{"breakwater_leaks", 0444, &bw_text_ops, bw_leaks_text, 0},
	{"breakwater_writers", 0600, &bw_writers_ops, NULL, 0},
	{"breakwater_strict", 0444, &bw_text_ops, bw_strict_text, 0},
};
/* clang-format on */

/* drivers/dma-buf/sync_debug.c */
static const struct bw_file_row sync_rows[] = {
	{"info", 0444, &bw_text_ops, bw_text_sync_info, 0},
	{"sw_sync", 0644, &bw_sw_sync_ops, NULL, 0},
};

const struct bw_file_row *bw_sync_rows(size_t *out_n)
{
	*out_n = BW_ARRAY_SIZE(sync_rows);
	return sync_rows;
}

const struct bw_file_row *bw_debugfs_rows(size_t *out_n)
{
	*out_n = BW_ARRAY_SIZE(debugfs_rows);
	return debugfs_rows;
}

uint64_t bw_debugfs_size(const struct bw_profile *profile, const struct bw_file_row *row)
{
	if (row->ops == &vram_ops)
		return profile->vram_size_b;
	if (row->ops == &bw_ring_ops)
		return BW_DRM_RING_DW * 4 + 12;
	if (row->ops == &bw_mqd_ops)
		return BW_DRM_MQD_B;
	return row->ops == &bw_regs_ops ? MMIO_B : 0;
}

static const struct bw_file_row log_row = {"log", 0444, &bw_text_ops, text_log, 0};
static const struct bw_file_row rescan_row = {"rescan", 0200, &bw_pci_rescan_ops, NULL, 0};

static const struct bw_file_row *find_row(const struct bw_file_row *rows, size_t n,
					  const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* The text after one of the prefixes, or NULL. */
static const char *after(const char *path, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bw_starts_with(path, prefixes[i]))
			return path + strlen(prefixes[i]);
	return NULL;
}

static const struct bw_file_row *row_of(struct bw_uapi *u, const char *path)
{
	char by_address[64], mounted[64], by_bus[80], device[96], by_number[6][48];
	unsigned card = atomic_load(&u->node), render = card + BW_TREE_RENDER;
	const char *pci = u->profile->pci_address;
	snprintf(by_address, sizeof(by_address), "debug/dri/%s/", pci);
	snprintf(mounted, sizeof(mounted), "sys/kernel/debug/dri/%s/", pci);
	snprintf(by_bus, sizeof(by_bus), "sys/bus/pci/devices/%s/", pci);
	snprintf(device, sizeof(device), BW_TREE_PCI_ROOT "/%s/", pci);
	/* Numbers are links to the address. */
	snprintf(by_number[0], sizeof(by_number[0]), "debug/dri/%u/", card);
	snprintf(by_number[1], sizeof(by_number[1]), "debug/dri/%u/", render);
	snprintf(by_number[2], sizeof(by_number[2]), "sys/class/drm/card%u/device/", card);
	snprintf(by_number[3], sizeof(by_number[3]), "sys/class/drm/renderD%u/device/", render);
	snprintf(by_number[4], sizeof(by_number[4]), "sys/dev/char/226:%u/device/", card);
	snprintf(by_number[5], sizeof(by_number[5]), "sys/dev/char/226:%u/device/", render);
	const char *const debug[] = {by_address, mounted, by_number[0], by_number[1]};
	const char *const sys[] = {device,	 by_bus,       by_number[2],
				   by_number[3], by_number[4], by_number[5]};
	const char *name = after(path, debug, BW_ARRAY_SIZE(debug));
	if (name)
		return find_row(debugfs_rows, BW_ARRAY_SIZE(debugfs_rows), name);
	name = after(path, sys, BW_ARRAY_SIZE(sys));
	if (name) {
		size_t n;
		const struct bw_file_row *rows = bw_sysfs_rows(&n);
		return find_row(rows, n, name);
	}
	name = after(path, (const char *const[]){"debug/sync/", BW_TREE_SYNC "/"}, 2);
	if (name)
		return find_row(sync_rows, BW_ARRAY_SIZE(sync_rows), name);
	if (!strcmp(path, BW_TREE_RESCAN))
		return &rescan_row;
	return !strcmp(path, "log") || !strcmp(path, "sys/kernel/breakwater_log") ? &log_row : NULL;
}

/* A file of the tree, which no path leaves, by whatever links. */
static int open_static(struct bw_uapi *u, const char *path, struct bw_str *out)
{
	if (!u->options.root)
		return -ENOENT;
	_cleanup_close_ int root = open(u->options.root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
			       .resolve = RESOLVE_IN_ROOT};
	_cleanup_close_ int fd = -1;
	/* EAGAIN: something was renamed or mounted anywhere meanwhile, ask again (openat2(2)) */
	do
		fd = root < 0 ? -1 : (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	while (fd < 0 && root >= 0 && errno == EAGAIN);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENXIO;
	char buf[4096];
	ssize_t n;
	while ((n = read(fd, buf, sizeof(buf))) > 0 && out->len < MAX_TEXT_B)
		bw_str_addn(out, buf, (size_t)n);
	return n < 0 ? -errno : 0;
}

static void file_free(struct bw_file *f)
{
	pthread_mutex_destroy(&f->lock);
	free(f->text);
	free(f);
}

static bool is_sync_row(const struct bw_file_row *row)
{
	return row >= sync_rows && row < sync_rows + BW_ARRAY_SIZE(sync_rows);
}

/* Files that show packets and descriptors of queues, which the debugger would take for those of the
 * GPU that the profile names. The registers are its own (register_own.h). */
static bool shows_packets(const struct bw_file_row *row)
{
	const struct bw_file_ops *const ops[] = {&bw_ring_ops, &bw_mqd_ops};
	for (size_t i = 0; i < BW_ARRAY_SIZE(ops); i++)
		if (row->ops == ops[i])
			return true;
	return false;
}

int bw_file_open(struct bw_uapi *u, const char *path, uint32_t flags, const char *comm,
		 struct bw_file **out)
{
	int access = (int)flags & O_ACCMODE;
	const struct bw_file_row *row = row_of(u, path);
	bool is_sysfs = row && (bw_is_sysfs_row(row) || row == &rescan_row);
	bool of_gpu = row && row != &rescan_row && row != &log_row && !is_sync_row(row);
	/* kernfs_fop_open: not even root */
	if (is_sysfs && ((access != O_RDONLY && !(row->mode & 0222)) ||
			 (access != O_WRONLY && !(row->mode & 0444))))
		return -EACCES;
	uint32_t n_unplugged = atomic_load(&u->n_unplugged);
	pthread_mutex_lock(&u->lock);
	bool absent = of_gpu && u->is_unplugged;
	pthread_mutex_unlock(&u->lock);
	if (absent)
		return -ENOENT;
	if (row && shows_packets(row) && u->profile->registers_of)
		return -EOPNOTSUPP;
	struct bw_str text = {0};
	const struct bw_file_ops *ops = row ? row->ops : &bw_text_ops;
	if (!row) {
		int r = open_static(u, path, &text);
		if (r) {
			bw_str_free(&text);
			BW_LOG(INFO, "uapi", "no file %s: %s", path, strerror(-r));
			return r;
		}
	}
	struct bw_file *f = text.failed ? NULL : calloc(1, sizeof(*f));
	if (!f) {
		bw_str_free(&text);
		return -ENOMEM;
	}
	f->u = u;
	f->ops = ops;
	f->writable = access != O_RDONLY;
	f->n_unplugged = n_unplugged;
	/* kernfs_get_active; debugfs_file_get */
	f->gone = !of_gpu ? 0 : is_sysfs ? -ENODEV : -EIO;
	if (ops == &bw_ring_ops || ops == &bw_mqd_ops)
		f->ring = row->ring;
	f->make_text = row ? row->text : NULL;
	f->text_b = text.len;
	f->text = bw_str_take(&text);
	pthread_mutex_init(&f->lock, NULL);
	int r = ops->open ? ops->open(f, comm) : 0;
	if (r) {
		file_free(f);
		return r;
	}
	*out = f;
	return 0;
}

int bw_file_gone(const struct bw_file *f)
{
	return f->n_unplugged != atomic_load(&f->u->n_unplugged) ? f->gone : 0;
}

void bw_file_close(struct bw_file *f)
{
	if (f->ops->close)
		f->ops->close(f);
	file_free(f);
}
