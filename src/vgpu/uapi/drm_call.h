/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_DRM_CALL_H
#define BW_VGPU_UAPI_DRM_CALL_H

/* One call of a program: what it has sent, its memory, and whether it is still there. */

#include <stddef.h>

#include "vgpu/uapi/uapi_priv.h"

struct bw_conn;

/* One call of a program. */
struct bw_drm_call {
	struct bw_uapi *u;
	struct bw_conn *conn;	  /* for user memory and to see that the caller has gone */
	struct bw_drm_file *file; /* NULL: of /dev/kfd */
	struct bw_kfd *kfd;	  /* NULL: of a DRM file */
	int fd_in;		  /* borrowed, -1 */
	int fd_out;		  /* owned until sent, -1 */
	uint32_t fd_at;
	const uint8_t *ahead; /* user memory that came with the call (vgpu_proto.h) */
	size_t ahead_b;
};

/* The address space that the call is about; NULL: a KFD process has none yet. */
struct bw_drm_vm *bw_drm_call_vm(const struct bw_drm_call *c);

/* ---- usermem.c, without the lock ---- */

int bw_user_read(struct bw_drm_call *c, uint64_t va, void *out, size_t size_b);
int bw_user_write(struct bw_drm_call *c, uint64_t va, const void *data, size_t size_b);
/* n elements into memory of their own; -ENOMEM for absurd counts. n 0 gives an empty allocation. */
int bw_user_dup(struct bw_drm_call *c, uint64_t va, uint64_t n, size_t elem_b, void *out_array);

/* ---- server.c ---- */

/* Accesses user memory during a call: sends one request and waits for its answer. False: the caller
 * has gone. */
struct bw_msg;
struct bw_msg_part;
bool bw_conn_ask(struct bw_conn *conn, uint16_t type, const struct bw_msg_part *parts,
		 size_t n_parts, struct bw_msg **out_reply);
bool bw_conn_gone(struct bw_conn *conn);
/* A DRM file of the same client by its number, borrowed; NULL. Lock held. */
struct bw_drm_file *bw_conn_file(struct bw_conn *conn, uint32_t number);
/* The same, with a reference that keeps it open, however often the program closes it. */
struct bw_client_file;
struct bw_client_file *bw_conn_file_ref(struct bw_conn *conn, uint32_t number);
/* Drops a reference, the client's own too. Takes the lock. Accepts NULL. */
void bw_client_file_unref(struct bw_uapi *u, struct bw_client_file *f);
/* The process at the other end, as the kernel names it here; 0: it has none here. */
int bw_conn_pid(struct bw_conn *conn);
/* Whether that process has a capability (CAP_*). */
bool bw_conn_capable(struct bw_conn *conn, unsigned cap);

#endif
