/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_CLIENT_H
#define BW_KMD_CLIENT_H

/* The client side of vgpu_proto.h: one object for a process's connection to breakwater-vgpu, with
 * as many channels in it as there are threads inside a call. Calls answer like system calls: 0 or
 * more, or -errno; -ENODEV once the server has gone. Any thread may call; no lock is held while a
 * call waits. The server reaches this process's memory only while an ioctl is under way, only what
 * that names (kmd/named.h), and through process_vm_readv and process_vm_writev, so that a bad
 * pointer is EFAULT as in a kernel. The server's identity is checked by the rule of wire/peer.h
 * before anything is sent. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "wire/vgpu_proto.h"

struct bw_vgpu_client;

/* Hooks of a library that must hide its sockets from its program. All may be NULL. */
struct bw_vgpu_client_hooks {
	/* A fresh socket belongs to the client: returns it, or its new number. */
	int (*fd_keep)(int fd);
	void (*fd_close)(int *fd); /* closes one of these; *fd becomes -1 */
	void (*gone)(void);	   /* called once, when the server is found to be gone */
	/* Makes private pages of the process shared, for GEM_USERPTR; returns the memfd they then
	 * lie in from its start to its end (the library's own), or -errno. */
	int (*share_pages)(uint64_t va, uint64_t size_b);
	uid_t server_user; /* the server may belong to this user, too (0: root may anyway) */
};

struct bw_error *bw_vgpu_client_open(const char *socket_path,
				     const struct bw_vgpu_client_hooks *hooks,
				     struct bw_vgpu_client **out) BW_MUST_CHECK;
/* No call may be under way. Accepts NULL. */
void bw_vgpu_client_close(struct bw_vgpu_client *c);
/* The server's report about itself. */
const struct bw_vgpu_hello_reply *bw_vgpu_client_hello(const struct bw_vgpu_client *c);
bool bw_vgpu_client_is_gone(const struct bw_vgpu_client *c);
/* The server's pid, from the kernel; 0: it has none in this PID namespace. */
pid_t bw_vgpu_client_server_pid(const struct bw_vgpu_client *c);
/* A socket that carries no calls: readable when the server is gone. Owned by the client. */
int bw_vgpu_client_liveness_fd(const struct bw_vgpu_client *c);

/* Handlers for pthread_atfork: the child gets channels of its own to the same files. */
void bw_vgpu_client_fork_prepare(struct bw_vgpu_client *c);
void bw_vgpu_client_fork_parent(struct bw_vgpu_client *c);
void bw_vgpu_client_fork_child(struct bw_vgpu_client *c);
/* The process is about to become another user's, whom the server refuses: what it has opened stays
 * usable by the connections that it has by now, a few, which its threads share. */
void bw_vgpu_client_keep(struct bw_vgpu_client *c);

int bw_vgpu_drm_open(struct bw_vgpu_client *c, unsigned minor, int flags, uint32_t *out_file);
/* /dev/kfd */
int bw_vgpu_kfd_open(struct bw_vgpu_client *c, uint32_t *out_file);
/* Has the server make the folders of KFD in its tree, where they are not yet. */
int bw_vgpu_kfd_tree(struct bw_vgpu_client *c);
/* path as in bw_vgpu_file_open: "debug/dri/..." or "sys/..." */
int bw_vgpu_file_open(struct bw_vgpu_client *c, const char *path, int flags, uint32_t *out_file);
int bw_vgpu_close(struct bw_vgpu_client *c, uint32_t file);
/* arg: as the program passed it, possibly a bad pointer. */
int bw_vgpu_ioctl(struct bw_vgpu_client *c, uint32_t file, uint32_t cmd, void *arg);
/* Like bw_vgpu_ioctl, with fewer system calls, where arg is the caller's own and good, and so are
 * the chunks of a submission and their data. */
int bw_vgpu_own_ioctl(struct bw_vgpu_client *c, uint32_t file, uint32_t cmd, void *arg);
int bw_vgpu_mmap(struct bw_vgpu_client *c, const struct bw_vgpu_mmap *req, int *out_fd,
		 uint64_t *out_fd_offset_b);
/* Text without a NUL; the bytes done. */
ssize_t bw_vgpu_fdinfo(struct bw_vgpu_client *c, uint32_t file, char *out, size_t size_b);
ssize_t bw_vgpu_pread(struct bw_vgpu_client *c, uint32_t file, uint64_t pos, void *out,
		      size_t size_b);
ssize_t bw_vgpu_pwrite(struct bw_vgpu_client *c, uint32_t file, uint64_t pos, const void *data,
		       size_t size_b);
/* One read or write, as the kernel's: at *pos, which moves as the file moves it. May do less than
 * was asked for. */
ssize_t bw_vgpu_file_io(struct bw_vgpu_client *c, uint32_t file, uint64_t *pos, void *out,
			const void *in, size_t size_b);
/* A small access to a file: one of many that are sent together, so that they need one wait in place
 * of one each. They are carried out in their order, those after one that fails, too. */
struct bw_vgpu_access {
	uint16_t type;	 /* BW_VGPU_IOCTL (data goes in only), BW_VGPU_FILE_READ or _WRITE */
	uint32_t cmd;	 /* of an ioctl */
	uint32_t size_b; /* of data */
	uint64_t pos;	 /* of a read or write */
	void *data;
	int32_t result; /* as the call alone would answer */
};
/* As many as their messages and the replies fit into the buffers of the connection. */
enum { BW_VGPU_ACCESSES_MAX = 64 };
/* 0, or -errno: then it is not known which have been carried out. */
int bw_vgpu_access_many(struct bw_vgpu_client *c, uint32_t file, struct bw_vgpu_access *list,
			size_t n);
/* -ENODATA where the server was not started with --fidelity. out_rows: owned. */
int bw_vgpu_fidelity(struct bw_vgpu_client *c, struct bw_vgpu_fidelity_row **out_rows,
		     size_t *out_n);
int bw_vgpu_server_info(struct bw_vgpu_client *c, struct bw_vgpu_server_info *out);

#endif
