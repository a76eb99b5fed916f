/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_FILES_H
#define BW_VGPU_UAPI_FILES_H

/* Files that a client opens: of the DRM device (drm.c), and by path (debugfs.c, debugfs_regs.c,
 * debugfs_rings.c, debugfs_text.c, sysfs.c). */

#include <pthread.h>

#include "base/str.h"
#include "vgpu/uapi/uapi_priv.h"

/* ---- drm.c ---- */

int bw_drm_file_open(struct bw_uapi *u, uint32_t minor, int pid, const char *comm,
		     struct bw_drm_account *account, struct bw_drm_file **out);
void bw_drm_file_close(struct bw_drm_file *f);
/* The GPU that it was opened on has been taken away (unplug.c). */
bool bw_drm_file_gone(const struct bw_drm_file *f);
void bw_drm_file_fdinfo(struct bw_drm_file *f, struct bw_str *out);
/* data: the argument struct of _IOC_SIZE(cmd) bytes, in and out. */
int bw_drm_ioctl(struct bw_drm_call *c, uint32_t cmd, uint8_t *data);

/* ---- debugfs*.c, sysfs.c: files opened by path ---- */

struct bw_file;
/* An ioctl on such a file. */
struct bw_file_call {
	uint32_t cmd;
	uint8_t *arg;			/* _IOC_SIZE(cmd) bytes, in and out; not aligned */
	struct bw_drm_account *account; /* of the client */
	int fd_in;			/* borrowed, -1 */
	int fd_out;			/* owned until sent, -1; its place in arg */
	uint32_t fd_at;
};
struct bw_file_ops {
	/* 0 to n bytes done, or -errno; *pos moves or not, as the kernel's file does */
	int64_t (*read)(struct bw_file *f, void *out, size_t size_b, uint64_t *pos);
	int64_t (*write)(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos);
	int (*ioctl)(struct bw_file *f, struct bw_file_call *c);
	/* NULL if opening or closing has no effect. comm: the process's name. 0 or -errno. */
	int (*open)(struct bw_file *f, const char *comm);
	void (*close)(struct bw_file *f);
};
/* The path of the PCI device in the tree; its folder has the hardware monitor. */
#define BW_TREE_PCI_ROOT "sys/devices/pci0000:00/0000:00:01.0"
enum { BW_TREE_RENDER = 128 }; /* the render node's number less the card's */
#define BW_TREE_RESCAN "sys/bus/pci/rescan"
#define BW_TREE_SYNC "sys/kernel/debug/sync"
#define BW_TREE_HWMON "hwmon/hwmon0"
/* Marks of files in the tree that only stand for what is answered here (src/agent/agent.h). */
enum { BW_TREE_LIVE = 01000, BW_TREE_POSITIONED = 02000 };

/* A file that is found by its name in a folder of the GPU. */
struct bw_file_row {
	const char *name;
	uint16_t mode; /* permissions, as the kernel gives them */
	const struct bw_file_ops *ops;
	void (*text)(struct bw_uapi *u, struct bw_str *s); /* of bw_text_ops, or bytes */
	unsigned ring;					   /* of amdgpu_ring_*, amdgpu_mqd_* */
};
/* debug/dri/<PCI address>, and the PCI device's folder in sysfs: what changes there */
const struct bw_file_row *bw_debugfs_rows(size_t *out_n);
const struct bw_file_row *bw_sysfs_rows(size_t *out_n);
/* debug/sync, which belongs to no GPU */
const struct bw_file_row *bw_sync_rows(size_t *out_n);
bool bw_is_sysfs_row(const struct bw_file_row *row);
/* The size that stat() reports: 0 for a file that does not tell its size. */
uint64_t bw_debugfs_size(const struct bw_profile *profile, const struct bw_file_row *row);

/* debugfs_text.c, sysfs.c, waits.c */
void bw_text_clients(struct bw_uapi *u, struct bw_str *s);
void bw_text_gem_names(struct bw_uapi *u, struct bw_str *s);
void bw_text_gem_info(struct bw_uapi *u, struct bw_str *s);
void bw_text_vm_info(struct bw_uapi *u, struct bw_str *s);
void bw_text_fence_info(struct bw_uapi *u, struct bw_str *s);
void bw_text_firmware_info(struct bw_uapi *u, struct bw_str *s);
void bw_text_waits(struct bw_uapi *u, struct bw_str *s);
/* draws.c */
void bw_text_draws(struct bw_uapi *u, struct bw_str *s);

struct bw_file {
	struct bw_uapi *u;
	const struct bw_file_ops *ops;
	pthread_mutex_t lock; /* of the file's own state, as the kernel's per-file lock */
	bool writable;
	uint32_t n_unplugged; /* bw_uapi's when it was opened */
	int gone;	      /* its answer after the GPU was removed; 0: as before */
	/* text files: as it was when last read from the start */
	char *text;
	size_t text_b;
	void (*make_text)(struct bw_uapi *u, struct bw_str *s); /* NULL: it never changes */
	union {
		struct {
			uint32_t use_srbm, use_grbm, pg_lock, se, sh, instance, me, pipe, queue,
				vmid, xcc;
		} regs2;
		unsigned ring;			 /* index in bw_uapi.rings */
		struct bw_sw_timeline *timeline; /* sw_sync.c; owns a reference */
		struct {
			uint32_t gpr_or_wave, se, sh, cu, wave, simd, xcc, thread, vgpr;
		} gprwave;
	};
};
int bw_file_open(struct bw_uapi *u, const char *path, uint32_t flags, const char *comm,
		 struct bw_file **out);
void bw_file_close(struct bw_file *f);
/* 0, or -errno when the GPU whose file this is has been taken away (unplug.c). */
int bw_file_gone(const struct bw_file *f);
extern const struct bw_file_ops bw_regs_ops, bw_regs2_ops, bw_gprwave_ops, bw_wave_ops, bw_gpr_ops,
	bw_ring_ops, bw_mqd_ops, bw_draws_ops, bw_text_ops, bw_pci_remove_ops, bw_pci_rescan_ops;
/* Reads f->text, which bw_file_row.text or a write has made. */
int64_t bw_text_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos);

#endif
