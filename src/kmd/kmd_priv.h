/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_KMD_PRIV_H
#define BW_KMD_KMD_PRIV_H

/* Declarations that the two back ends share. A back end embeds struct bw_kmd and struct bw_kmd_file
 * as the first member of its own. File operations answer like system calls: 0 or more, or
 * -errno. */

#include <pthread.h>

#include "kmd/kmd.h"

/* An ioctl whose argument names no other memory and only goes in, or a read or write. */
struct bw_kmd_access {
	enum { BW_KMD_IOCTL, BW_KMD_READ, BW_KMD_WRITE } kind;
	uint32_t cmd;	 /* of an ioctl */
	uint32_t size_b; /* of data */
	uint64_t pos;	 /* of a read or write */
	void *data;
	int result;
};
enum { BW_KMD_MANY = 64 };

struct bw_kmd_ops {
	bool is_virtual;
	void (*close)(struct bw_kmd *kmd); /* frees */
	/* path below the debugfs folder of the device, or of its sysfs folder */
	int (*file_open)(struct bw_kmd *kmd, bool sysfs, const char *path, int flags,
			 struct bw_kmd_file **out);
	void (*file_close)(struct bw_kmd_file *f); /* frees */
	int (*file_ioctl)(struct bw_kmd_file *f, uint32_t cmd, void *arg);
	ssize_t (*file_read)(struct bw_kmd_file *f, uint64_t pos, void *out, size_t size_b);
	ssize_t (*file_write)(struct bw_kmd_file *f, uint64_t pos, const void *data, size_t size_b);
	/* Many accesses, n at most BW_KMD_MANY, each with its result; 0, or -errno: it is not known
	 * which have been made. NULL: they are made one by one. */
	int (*file_many)(struct bw_kmd_file *f, struct bw_kmd_access *list, size_t n);
	/* a call on the render node, which is open meanwhile */
	int (*drm_ioctl)(struct bw_kmd *kmd, uint32_t cmd, void *arg);
	const char *const *(*program_env)(struct bw_kmd *kmd);
	int (*liveness_fd)(const struct bw_kmd *kmd);
	pid_t (*server_pid)(const struct bw_kmd *kmd);
	uint64_t (*n_clients_ever)(struct bw_kmd *kmd); /* NULL: always 0 */
	struct bw_error *(*fidelity)(struct bw_kmd *kmd, struct bw_kmd_fidelity_row **out_rows,
				     size_t *out_n);
	/* bw_kmd_user_queues(); NULL: there never are any */
	struct bw_error *(*user_queues)(struct bw_kmd *kmd, struct bw_kmd_user_queue **out,
					size_t *out_n);
	/* One sentence on what helps when a file cannot be opened for this reason, or NULL. */
	const char *(*remedy)(const struct bw_kmd *kmd, bool sysfs, int errnum);
	/* The path of the files, for messages: "/sys/kernel/debug/dri/0000:03:00.0" */
	const char *(*place)(const struct bw_kmd *kmd, bool sysfs);
};

struct bw_kmd {
	const struct bw_kmd_ops *ops;
	char pci_address[16];
	char *choice; /* owned; bw_kmd_choice */
	pthread_mutex_t regs_lock;
	struct bw_kmd_file *regs2;
	bool regs2_v1; /* kernel without SET_STATE_V2 */
	bool bank_known;
	struct bw_kmd_bank bank; /* as last set */
};

struct bw_kmd_file {
	struct bw_kmd *kmd;
	char *name; /* owned, for messages */
};

/* sysfs_root, debugfs_root: "/sys", "/sys/kernel/debug"; others in tests. */
struct bw_error *bw_kmd_linux_open(const char *sysfs_root, const char *debugfs_root,
				   const char *selector, struct bw_kmd **out) BW_MUST_CHECK;
struct bw_error *bw_kmd_virtual_open(const char *profile, struct bw_kmd **out) BW_MUST_CHECK;

struct bw_error *bw_kmd_parse_fences(const char *text, struct bw_kmd_ring_fences **out,
				     size_t *out_n) BW_MUST_CHECK;
/* bw_kmd_clients() of a kernel whose /proc is there (clients.c). */
struct bw_error *bw_kmd_linux_clients(const char *proc_root, const char *pci_address,
				      struct bw_kmd_client **out, size_t *out_n) BW_MUST_CHECK;
/* The PASID in the fdinfo of an open file. False: the file is not of this GPU, or has no PASID. */
bool bw_kmd_parse_fdinfo(const char *text, const char *pci_address, uint32_t *out_pasid);
/* Reads at most size_b - 1 bytes of a file as text. False: there is none; a process may close a
 * file, or end, meanwhile. */
bool bw_kmd_read_small(const char *path, char *out, size_t size_b);
/* A line of the virtual GPU's breakwater_clients: "PID PASID NAME". */
bool bw_kmd_parse_client(const char *line, struct bw_kmd_client *out);

/* bw_kmd_find_wait() in the text of breakwater_waits (src/vgpu/uapi/waits.c has its form). */
void bw_kmd_parse_waits(const char *text, bw_kmd_wanted_fn *wanted, void *cookie,
			struct bw_kmd_wait *out);

/* bw_kmd_user_queues() of a kernel whose debugfs is there (user_queues.c). */
struct bw_error *bw_kmd_linux_user_queues(const char *debugfs_root, const char *pci_address,
					  struct bw_kmd_user_queue **out,
					  size_t *out_n) BW_MUST_CHECK;
/* The text of queue_N/mqd_info. False: it is none; nothing is set. */
bool bw_kmd_parse_mqd_info(const char *text, uint32_t *out_type, uint64_t *out_mqd);
/* Process and name of the text of client-N/proc_info; 0 and "" where it has none. */
void bw_kmd_parse_proc_info(const char *text, struct bw_kmd_user_queue *out);

/* "LD_PRELOAD=AGENT:WHAT THE USER PRELOADS", for the environment of programs, after the runtime of
 * the sanitizer that this build uses, if any. Owned by the caller; NULL: there is no agent, or no
 * memory. */
char *bw_kmd_preload_env(void);

#endif
