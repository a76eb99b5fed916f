/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_AGENT_H
#define BW_AGENT_AGENT_H

/* The inside of libbreakwater-agent.so. It runs in the process of the program: it prints nothing
 * but the loss of the GPU, never exits, and passes every call that does not concern a GPU through
 * unchanged.
 *
 *     interpose/    the libc functions a program calls, each with its way back to libc; which paths
 *                   are the GPU's, and files of debugfs and sysfs that the virtual GPU answers
 *     gpu/          file descriptors that are DRM files, calls on them (to the virtual GPU, or to
 *                   the kernel), submissions, and threads that wait for the ends of those
 *     memory/       buffers and addresses of a DRM file, as its ioctls made them, and their bytes
 *     clocks/       the program's time, which stands still while the debugger holds it
 *     debugger/     the connection to the debugger, and what it asks for
 *     capture/      submissions with the memory before and after them, for a capture
 *     breadcrumbs/  command streams with markers that the GPU writes
 *     names/        pipelines, labels and buffers by name; which packet is which dispatch
 *     shaders/      what shaders were made of, and code in their place
 *     vulkan/, opencl/  the same library as a layer, which tells names/
 *     rocm/         calls of HIP and HSA that allocate memory, for --check=bounds
 *     config.c      what the environment says
 *     version.c     the driver's version, also of a GPU that has ended
 *
 * Limits. A forked child shares its parent's DRM files for as long as the parent lives; what it
 * submits through them is not debugged, what it opens itself is a program like any. DRM files do
 * not survive exec, nor being passed to another process over a socket. System calls made without
 * libc, and static and setuid programs, are not seen. A signal handler that calls ioctl, dup or
 * close on a DRM file may meet a lock of the thread it interrupts; on other files it does not.
 *
 * Threads: any thread of the program may be in any function. Locks are held for moments only, never
 * across a call to the GPU. In a forked child the connection to the debugger is not used. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "agent/version.h"
#include "kmd/client.h"

struct bw_track;
struct bw_agent_live;
struct bw_agent_capture;
struct bw_agent_crumbs;
struct bw_agent_code;

/* A DRM file (an open file description, not a descriptor): one GPU address space. Or, with `live`,
 * a file of debugfs or sysfs that the virtual GPU answers, which has the first four members. */
struct bw_agent_file {
	atomic_int refs;
	int n_fds;	 /* descriptors of the program that name it; under the table's lock */
	pid_t owner;	 /* the process that opened it: only that one closes it at the server */
	uint32_t number; /* its number among the process's files, from 1, by which the debugger
			  * names it */
	uint32_t ip_type, ring;	  /* of the last submission shown; debugger.c's, under its lock */
	unsigned minor;		  /* 128: render node, 0: card; or BW_AGENT_KFD */
	atomic_bool is_kfd_space; /* KFD's queues run in its address space */
	uint32_t server_file;	  /* virtual */
	struct bw_agent_version version; /* virtual, of a node */
	struct bw_agent_live *live;	 /* interpose/live.c; owned */
	int own_fd; /* kernel device: a duplicate of ours that stays open when the program closes
		     * its own; else -1 */
	struct bw_track *track;	  /* NULL unless there is a debugger, or it is captured */
	struct bw_recent *recent; /* submit.c: submissions that a debugger may come too late for */
	struct bw_agent_capture *capture; /* capture.c: what was sent of it; owned */
	struct bw_agent_crumbs *crumbs;	  /* crumbs.c: where its markers are; owned */
	struct bw_agent_code *code;	  /* code_swap.c: code that replaces shaders'; owned */
};

/* gpu/files.c */

/* The DRM file of a descriptor, with a reference, or NULL. Cheap for other descriptors. */
struct bw_agent_file *bw_agent_file_of(int fd);
void bw_agent_file_ref(struct bw_agent_file *f);
void bw_agent_file_unref(struct bw_agent_file *f);
/* Like bw_agent_file_of, but only for a file that the virtual GPU answers (f->live). */
struct bw_agent_file *bw_agent_live_of(int fd);
/* Records that fd refers to f, too; the caller keeps its own reference. False: the number is too
 * high. */
bool bw_agent_fd_set(int fd, struct bw_agent_file *f);
/* Records that fd no longer refers to a DRM file. Returns true if it did until now. */
bool bw_agent_fd_forget(int fd);
bool bw_agent_fd_is_gpu(int fd);
/* Descriptors of the agent itself, which the program must not close. */
bool bw_agent_fd_is_own(int fd);
void bw_agent_fd_own(int fd, bool own);
/* memory/pages.c: as bw_vgpu_client_hooks.share_pages */
int bw_agent_share_pages(uint64_t va, uint64_t size_b);
/* Records that a buffer object uses such pages, and that it no longer does (handle 0: no buffer
 * object of the file does). */
void bw_agent_pages_used(uint32_t file, uint32_t handle, uint64_t va, uint64_t size_b);
void bw_agent_pages_closed(uint32_t file, uint32_t handle);
/* Makes a descriptor the agent's own, out of the way of the program's low numbers: the new one, for
 * bw_agent_fd_close. */
int bw_agent_fd_keep(int fd);
/* Closes it, and sets *fd to -1. Accepts -1. */
void bw_agent_fd_close(int *fd);
/* The first descriptor >= fd that is own or a DRM file, -1: none. */
int bw_agent_fd_next(int fd);
/* False in a child between vfork and exec, which shares the parent's memory but not its
 * descriptors. */
bool bw_agent_owns_table(void);

/* config.c */

/* What processes of ours offer to the program, in folders that its environment names
 * (wire/agent_folders.h). */
enum bw_agent_offer {
	/* sockets of services */
	BW_AGENT_DEBUGGER,
	BW_AGENT_CAPTURE,
	BW_AGENT_CRUMBS,
	/* rules */
	BW_AGENT_SHADERS, /* shaders are replaced or saved */
	BW_AGENT_STOMP,	  /* new buffers are filled */
	BW_AGENT_N_OFFERS
};
struct bw_agent_config {
	const char *vgpu_socket;		/* NULL: the kernel's own GPUs */
	const char *folders[BW_AGENT_N_OFFERS]; /* NULL: nobody offers that */
	bool attachable;			/* a debugger may come later */
	bool is_debuggable;			/* ... or is there */
	bool is_tracked;			/* any of these */
};
const struct bw_agent_config *bw_agent_config(void);
/* The path of a file in the folder of an offer, name NULL: of its socket or rules; false: it is not
 * offered, or too long. */
enum { BW_AGENT_PATH_B = 640 };
bool bw_agent_offer_path(enum bw_agent_offer offer, const char *name, char out[BW_AGENT_PATH_B]);
/* Appends a record to such a file, by one write(). */
void bw_agent_offer_append(enum bw_agent_offer offer, const char *name, const void *record,
			   size_t size_b);

/* gpu/gpu.c */

/* Writes a whole line to the program's standard error. */
void bw_agent_say(const char *text);
/* The connection to the virtual GPU, made on first use. NULL: not virtual, or not to be reached. */
struct bw_vgpu_client *bw_agent_client(void);
/* The virtual GPU's device tree: "/tmp/.../root" */
const char *bw_agent_root(void);
/* "0000:03:00.0" of the virtual GPU */
const char *bw_agent_pci_address(void);
/* Has the server make the folders of KFD in its tree, once. */
void bw_agent_need_kfd_tree(void);
/* Opens a node of the virtual GPU, or its /dev/kfd: a descriptor, or -errno. */
int bw_agent_open_node(unsigned minor, int flags);
/* A descriptor that the kernel has opened for a path below /dev/dri, or for /dev/kfd (minor
 * BW_AGENT_KFD): remembered when it is amdgpu's and there is a debugger. */
void bw_agent_adopt(int fd, unsigned minor);
/* Makes the ioctl without tracking or showing it: 0 or more, or -errno. */
int bw_agent_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg);
/* bw_agent_ioctl, but faster, where arg is not the program's but the agent's, as bw_vgpu_own_ioctl.
 * */
int bw_agent_own_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg);
/* The program's call. */
int bw_agent_program_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg);
/* A mapping at the fake offset of GEM_MMAP; MAP_FAILED and errno. */
void *bw_agent_mmap(struct bw_agent_file *f, void *addr, size_t size_b, int prot, int flags,
		    uint64_t offset);
/* The text of /proc/self/fdinfo; bytes or -errno. */
ssize_t bw_agent_fdinfo(struct bw_agent_file *f, char *out, size_t size_b);
/* Copies from the program's memory; false for a bad pointer. */
bool bw_agent_copy_in(void *out, uint64_t user, size_t size_b);
/* n pieces (up to IOV_MAX) one after the other. */
bool bw_agent_copy_in_each(void *out, const struct iovec *pieces, size_t n);
/* Copies to it. */
bool bw_agent_copy_out(void *user, const void *data, size_t size_b);

/* interpose/paths.c */

enum bw_agent_where { BW_AGENT_ELSEWHERE, BW_AGENT_TREE, BW_AGENT_NODE, BW_AGENT_FDINFO };
/* Bits in the mode of a file of the tree that only stands for one which the server answers, and of
 * those the ones whose bytes depend on the position (src/vgpu/uapi/tree.c makes them). Programs do
 * not see the bits. */
enum { BW_AGENT_MODE_LIVE = 01000, BW_AGENT_MODE_POSITIONED = 02000 };
/* The number that /dev/kfd has here among the nodes. */
#define BW_AGENT_KFD (~0u)
struct bw_agent_path {
	enum bw_agent_where where;
	const char *path; /* TREE, NODE: in the virtual GPU's tree (buf); ELSEWHERE: the caller's */
	unsigned minor;	  /* NODE */
	bool is_fd_link;  /* NODE: /proc/self/fd/N of one */
	int fd;		  /* FDINFO: the descriptor asked about */
	char buf[4096];
};
/* dirfd: AT_FDCWD or a folder's. Touches nothing but memory unless the path looks like a GPU's. */
void bw_agent_resolve(int dirfd, const char *path, struct bw_agent_path *out);
/* A node of the virtual GPU; f may be NULL. */
static inline bool bw_agent_is_node(const struct bw_agent_file *f)
{
	return f && f->own_fd < 0 && !f->live;
}

/* "/dev/dri/renderD128" */
void bw_agent_node_name(unsigned minor, char out[32]);
/* The file in the tree that stands for a node; its access rights are the node's. */
void bw_agent_node_path(unsigned minor, struct bw_agent_path *out);
/* /proc/self/fd/N of a file of the virtual GPU: its real link target must be hidden from the
 * program. */
bool bw_agent_is_fd_link(const char *path, int *out_fd);
/* The working directory may be another one now. */
void bw_agent_moved(void);
/* The path lies in the tree: its root comes off. Cheap for others. */
bool bw_agent_strip_if_ours(char *path);
/* Takes the tree's root off the front of a path that came out of it; moves the text in place. */
void bw_agent_strip_root(char *path);

/* interpose/live.c */

/* Opens the file of the tree by way of the server, if the server answers it: a descriptor, -errno,
 * or BW_AGENT_NOT_LIVE. */
enum { BW_AGENT_NOT_LIVE = -4096 };
int bw_agent_live_open(const char *tree_path, int flags);
/* A stream that reads and writes the descriptor by read() and write(); takes ownership of it. NULL
 * and errno: the descriptor is still the caller's. */
FILE *bw_agent_live_stream(int fd, const char *mode);
/* setvbuf(stream, NULL, _IONBF, 0); false: it is not a stream of a live file. */
bool bw_agent_live_unbuffer(FILE *stream);
/* The stream's descriptor; -1: it is not a stream of a live file. */
int bw_agent_live_fileno(FILE *stream);
/* Puts what the file has into its descriptor, where libc's own reads find it. 0 or -errno. */
int bw_agent_live_fill(struct bw_agent_file *f, int fd);
/* Passes on what libc's streams have written into the descriptor, past write(), if it is such a
 * file's. */
void bw_agent_live_flush(int fd);
/* Without the tree's root; the file's. */
const char *bw_agent_live_path(const struct bw_agent_file *f);
void bw_agent_live_free(struct bw_agent_live *live);
/* The status of the file in the tree, as programs see it, and that of the open file. */
struct stat;
const struct stat *bw_agent_live_stat(const struct bw_agent_file *f);
/* 0 or more, or -errno; the position is the descriptor's */
ssize_t bw_agent_live_io(struct bw_agent_file *f, uint64_t *pos, void *out, const void *in,
			 size_t size_b);

/* real.c: functions of libc that are interposed here */
#include "agent/real.h"

#endif
