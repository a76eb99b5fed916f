/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_SERVER_PRIV_H
#define BW_VGPU_UAPI_SERVER_PRIV_H

/* Declarations that connections (server.c) and the requests on them (client_requests.c) share. */

#include "vgpu/uapi/files.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/message.h"

/* An open file of a client: of the DRM device, one opened by path, or /dev/kfd. */
struct bw_client_file {
	unsigned refs; /* the client's, and one for each call under way */
	struct bw_drm_file *drm;
	struct bw_file *file;
	struct bw_kfd *kfd; /* the client's */
};

struct bw_client {
	unsigned n_connections;
	uint64_t token;
	int pid;
	char comm[16];
	struct bw_ids files;
	struct bw_kfd *kfd; /* owned; NULL until it opens /dev/kfd */
	struct bw_drm_account *account;
};

struct bw_conn {
	struct bw_uapi *u;
	struct bw_client *client; /* NULL before HELLO */
	int sock;
	bool broken;
	uint32_t seq; /* of the request at hand */
	struct bw_msg request, answer;
};

/* Calls what bw_uapi_on_clients() was given. */
void bw_uapi_tell_clients(struct bw_uapi *u);
/* Carries out conn->request and answers it. conn->broken is set where the answer cannot be sent. */
void bw_conn_handle(struct bw_conn *conn);

#endif
