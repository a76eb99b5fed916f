/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_KMD_H
#define BW_KMD_KMD_H

/* The amdgpu kernel interface, on Linux or on the virtual GPU: the files a debugger opens. Which of
 * the two it is is decided when the device is opened, and nothing above this header knows. The DRM
 * side of a program is not here: programs make their own calls (libdrm), and the agent carries
 * them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"

struct bw_kmd;	    /* one GPU */
struct bw_kmd_file; /* one open debugfs or sysfs file: its own position and register bank */

/* selector: "virtual", "virtual:mi300x", "0" (DRM index), "0000:03:00.0", or NULL: the first AMD
 * GPU, the virtual one where there is none. For the virtual GPU, connects to the server named by
 * BREAKWATER_VGPU or starts one (the program breakwater-vgpu beside this one) that ends with its
 * last client. */
#define BW_KMD_SERVER_ENV "BREAKWATER_VGPU"
/* More options for a server that is started, as words: --threads 1 --quiet. */
#define BW_KMD_SERVER_ARGS_ENV "BREAKWATER_VGPU_ARGS"
struct bw_error *bw_kmd_open(const char *selector, struct bw_kmd **out) BW_MUST_CHECK;
/* Whether it would be the virtual GPU. */
bool bw_kmd_means_virtual(const char *selector);
/* Allows a virtual GPU that this user runs, too: for root, who attaches to a program of that user
 * (wire/peer.h). Holds for the process and its forked children. */
void bw_kmd_use_server_of(uid_t user);
void bw_kmd_close(struct bw_kmd *kmd);
bool bw_kmd_is_virtual(const struct bw_kmd *kmd); /* for messages only */
const char *bw_kmd_pci_address(const struct bw_kmd *kmd);
/* Which of several GPUs was taken where no selector chose one, and how to choose; NULL: there was
 * no choice. */
const char *bw_kmd_choice(const struct bw_kmd *kmd);
/* Settings a program must be started with to use this GPU: NAME=VALUE pairs, NULL-terminated array,
 * borrowed (LD_PRELOAD of the agent, BREAKWATER_VGPU). */
const char *const *bw_kmd_program_env(struct bw_kmd *kmd);
/* Readable when the GPU is gone (the server died); -1 on Linux. */
int bw_kmd_liveness_fd(const struct bw_kmd *kmd);
/* Processes that the virtual GPU has served so far, with this one; 0: not known, or on Linux. */
uint64_t bw_kmd_n_clients_ever(struct bw_kmd *kmd);
pid_t bw_kmd_server_pid(const struct bw_kmd *kmd); /* 0 on Linux */

/* Counts of instructions that the virtual GPU executed since it was started with --fidelity, and
 * how exactly it models them. out_rows: owned, by falling counts. On hardware, which executes
 * everything as hardware does: BW_E_UNSUPPORTED. */
enum bw_kmd_fidelity {
	BW_KMD_EXACT,
	BW_KMD_ULP1, /* within 1 ULP */
	BW_KMD_APPROXIMATE,
	BW_KMD_ABSENT,	/* not executed: the wave got an exception */
	BW_KMD_UNUSUAL, /* executed, in a way worth a look */
};
struct bw_kmd_fidelity_row {
	uint64_t count; /* once for each wave */
	enum bw_kmd_fidelity kind;
	bool is_second; /* the Y half of a pair (VOPD): counted with its X half already */
	char name[40], why[104];
};
struct bw_error *bw_kmd_fidelity(struct bw_kmd *kmd, struct bw_kmd_fidelity_row **out_rows,
				 size_t *out_n) BW_MUST_CHECK;

/* name: a file of the device's debugfs folder ("amdgpu_regs2") or "sysfs:mem_info_vram_total".
 * Errors say what failed, where, and what helps (root, debugfs not mounted). */
struct bw_error *bw_kmd_file_open(struct bw_kmd *kmd, const char *name, bool writable,
				  struct bw_kmd_file **out) BW_MUST_CHECK;
void bw_kmd_file_close(struct bw_kmd_file *f);
struct bw_error *bw_kmd_file_ioctl(struct bw_kmd_file *f, uint32_t cmd, void *arg) BW_MUST_CHECK;
/* pread and pwrite: the bytes done may be fewer than asked. */
struct bw_error *bw_kmd_file_read(struct bw_kmd_file *f, uint64_t pos, void *out, size_t size_b,
				  size_t *out_done) BW_MUST_CHECK;
struct bw_error *bw_kmd_file_write(struct bw_kmd_file *f, uint64_t pos, const void *data,
				   size_t size_b, size_t *out_done) BW_MUST_CHECK;

/* regs2 (state by SET_STATE_V2, V1 on kernels without it), opened on first use. */
struct bw_kmd_bank {
	bool use_grbm, use_srbm;
	uint32_t se, sa, instance; /* 0xffffffff: broadcast */
	uint32_t me, pipe, queue, vmid;
	uint32_t xcc; /* that of bw_kmd_xcc(), to whose registers the address leads; else 0 */
};
struct bw_error *bw_kmd_reg_read(struct bw_kmd *kmd, const struct bw_kmd_bank *bank,
				 uint32_t addr_dw, uint32_t *out_value) BW_MUST_CHECK;
struct bw_error *bw_kmd_reg_write(struct bw_kmd *kmd, const struct bw_kmd_bank *bank,
				  uint32_t addr_dw, uint32_t value) BW_MUST_CHECK;

/* ip_discovery of the device: version and register segments of a block ("GC", "MMHUB",
 * "OSSSYS"). */
struct bw_kmd_ip {
	uint8_t major, minor, revision;
	uint32_t segment[8];
	unsigned n_segments;
};
struct bw_error *bw_kmd_ip(struct bw_kmd *kmd, const char *block,
			   struct bw_kmd_ip *out) BW_MUST_CHECK;

/* The graphics block of one XCC, of GPUs that have several (gfx9.4.3), by the kernel's number: it
 * counts those that work. BW_E_NOT_FOUND says how many there are. */
struct bw_error *bw_kmd_xcc(struct bw_kmd *kmd, unsigned xcc, struct bw_kmd_ip *out) BW_MUST_CHECK;
/* Whether there is more than one. */
bool bw_kmd_has_xccs(struct bw_kmd *kmd);

/* The CUs that work, of those that the GPU's layout has: what the driver tells programs
 * (AMDGPU_INFO_DEV_INFO, by the render node, which is open meanwhile). */
struct bw_error *bw_kmd_active_cus(struct bw_kmd *kmd, unsigned *out) BW_MUST_CHECK;

/* A DRM file of a process that uses the GPU: one for each, so a process may have several. */
struct bw_kmd_client {
	pid_t pid;
	uint32_t pasid;
	char comm[16];
};
/* The clients that this user may see: on Linux by /proc/PID/fdinfo, where root sees them all. out:
 * owned, NULL where there are none. */
struct bw_error *bw_kmd_clients(struct bw_kmd *kmd, struct bw_kmd_client **out,
				size_t *out_n) BW_MUST_CHECK;

/* A queue that a program has made for itself, to which it submits without the kernel. */
struct bw_kmd_user_queue {
	uint64_t client; /* the DRM file: its number in debugfs */
	uint64_t queue;	 /* its number in that file, as the program knows it */
	pid_t pid;	 /* 0: gone, or not known */
	char comm[16];
	bool has_mqd;  /* the rest is known */
	uint32_t type; /* AMDGPU_HW_IP_* */
	uint64_t mqd;  /* the address of its descriptor in VMID 0, sign-extended */
};
/* The user queues of the GPU, by client and queue. out: owned, NULL if there are none: also on
 * kernels that do not show them (before 6.16 there are no such queues), and on the virtual GPU. */
struct bw_error *bw_kmd_user_queues(struct bw_kmd *kmd, struct bw_kmd_user_queue **out,
				    size_t *out_n) BW_MUST_CHECK;

/* Work of a process that waits for that of another: who holds the GPU, the most with waves of all
 * where there are several. */
struct bw_kmd_wait {
	pid_t waiter, holder;
	uint32_t waited_ms;
	uint32_t n_waves;  /* of the holder's; 0: its commands are ahead in the queue */
	bool is_stopped;   /* a debugger holds waves of it */
	unsigned n_others; /* processes that hold the GPU, too */
	char holder_comm[16];
};
/* The longest of those waits whose waiter is wanted; waiter 0: there is none. Only the virtual GPU
 * says so. */
typedef bool bw_kmd_wanted_fn(void *cookie, pid_t pid);
struct bw_error *bw_kmd_find_wait(struct bw_kmd *kmd, bw_kmd_wanted_fn *wanted, void *cookie,
				  struct bw_kmd_wait *out) BW_MUST_CHECK;
/* Watches for waits, and reports each wait once: who waits for whom, and what can be done. Zeroed
 * at the start. */
struct bw_kmd_wait_watch {
	uint64_t looked_ms;
	pid_t told_holder; /* 0: none is told of now */
	bool told_stopped;
};
/* True: out is a sentence without its end. */
bool bw_kmd_watch_waits(struct bw_kmd *kmd, struct bw_kmd_wait_watch *w, bw_kmd_wanted_fn *wanted,
			void *cookie, char *out, size_t size_b);

/* The whole text, up to 1 MiB, of a file in the driver's debugfs folder. Appends to out. */
struct bw_error *bw_kmd_text(struct bw_kmd *kmd, const char *file,
			     struct bw_str *out) BW_MUST_CHECK;
/* The progress of a ring of the driver: numbers of jobs, which wrap. */
struct bw_kmd_ring_fences {
	char ring[32];
	uint32_t signaled, emitted;
};
/* The progress of all rings, from amdgpu_fence_info. out: owned, NULL where there are none. */
struct bw_error *bw_kmd_fences(struct bw_kmd *kmd, struct bw_kmd_ring_fences **out,
			       size_t *out_n) BW_MUST_CHECK;

/* The kernel log, as dmesg shows it; of the virtual GPU, its own. Appends to out. */
struct bw_error *bw_kmd_log(struct bw_kmd *kmd, struct bw_str *out) BW_MUST_CHECK;

/* A file that belongs to Breakwater: beside the running executable (or libbreakwater.so, when it
 * calls), or in ../libexec/breakwater when installed; BREAKWATER_LIBEXEC names another folder.
 * out_path is owned by the caller. */
struct bw_error *bw_kmd_find_part(const char *name, char **out_path) BW_MUST_CHECK;

#endif
