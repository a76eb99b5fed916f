/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_UAPI_H
#define BW_VGPU_UAPI_UAPI_H

/* The uapi front end: a driver of the virtual device that stands in for the Linux amdgpu driver. It
 * talks to its clients by wire/vgpu_proto.h, and to the device by registers, rings and doorbells.
 * It presents Linux 6.12 (DRM 3.61). All functions may be called from any thread. */

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "vgpu/device/device.h"

struct bw_uapi;

struct bw_uapi_options {
	struct bw_device_options device;
	unsigned lockup_timeout_ms; /* a job that runs longer is killed; 0: never */
	bool quiet;		    /* the log is kept, and not written to standard error */
	/* strict mode's findings are only in the file, and not written to standard error */
	bool strict_at_end;
	/* the checker's: only the first ones, or none, are written there */
	bool check_at_end, check_silent;
	bool no_defects;  /* repair what kernel-interface.md 6 lists, where 6.12 has it */
	const char *root; /* folder of the dev/ and sys/ tree, made by bw_tree_make(); or NULL */
};

struct bw_error *bw_uapi_create(const struct bw_profile *profile,
				const struct bw_uapi_options *options,
				struct bw_uapi **out) BW_MUST_CHECK;
/* Ends all connections and jobs first. */
void bw_uapi_destroy(struct bw_uapi *u);

/* Serves one connection until it ends; takes the socket. To be called in a thread of its own, which
 * bw_uapi_destroy waits for from here on. */
void bw_uapi_serve(struct bw_uapi *u, int sock);
/* Like bw_uapi_serve, on a new thread, which bw_uapi_destroy waits for from the start. The socket
 * is taken, or closed where no thread can be had. */
struct bw_error *bw_uapi_serve_on_thread(struct bw_uapi *u, int sock) BW_MUST_CHECK;

/* Clients connected now, and how many there have been. */
void bw_uapi_clients(struct bw_uapi *u, unsigned *out_now, uint64_t *out_ever);
/* Calls fn whenever a client has connected or disconnected. */
void bw_uapi_on_clients(struct bw_uapi *u, void (*fn)(void *cookie), void *cookie);

/* tree.c: makes the files that programs look for below /dev and /sys. A file whose
 * content changes is marked and empty there (files.h): FILE_OPEN reads it. */
struct bw_error *bw_tree_make(const struct bw_profile *profile, const char *root) BW_MUST_CHECK;
/* Adds the folders of KFD to the tree, where they are not yet. 0 or -errno. */
int bw_uapi_need_kfd_tree(struct bw_uapi *u);
/* Takes the GPU's nodes, folders and links out of that tree, and puts them back. node: number of
 * the card. */
void bw_tree_unplug(const struct bw_profile *profile, const char *root, unsigned node);
struct bw_error *bw_tree_plug(const struct bw_profile *profile, const char *root,
			      unsigned node) BW_MUST_CHECK;

#endif
