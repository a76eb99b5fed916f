/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_FOLDER_H
#define BW_BASE_FOLDER_H

/* Folders with what a process needs as long as it runs: its socket, the virtual GPU's tree of
 * devices, objects made of sources. They have names that cannot be foreseen, lie where no other
 * user can rename or replace them, and belong to the process that holds a lock (flock) on them. A
 * lock ends with its process, whatever its end, and is the same in every PID namespace: so a folder
 * that nobody has locked is left over, and the next process that makes a folder removes it. Any
 * thread may call. */

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

enum bw_folder_kind {
	BW_FOLDER_VGPU,	 /* breakwater-vgpu-XXXXXX, in the runtime folder */
	BW_FOLDER_DEBUG, /* breakwater-debug-XXXXXX, in the runtime folder */
	BW_FOLDER_RUN,	 /* breakwater-run-XXXXXX, in the folder for temporary files */
};

struct bw_folder {
	char *path; /* owned; NULL: none */
	int fd;	    /* of the folder, holds the lock */
};
#define BW_FOLDER_INIT {.fd = -1}

/* Where folders of a kind are made; all processes use this function. XDG_RUNTIME_DIR
 * (BW_FOLDER_RUN: TMPDIR) if that is a folder which can be used, else /tmp. out_path: owned,
 * without links in it. out_why_not: NULL, or why the folder that the environment names is not used;
 * owned by the caller, who may pass NULL. */
struct bw_error *bw_folder_base(enum bw_folder_kind kind, char **out_path,
				struct bw_error **out_why_not) BW_MUST_CHECK;

/* A new one of mode 0700, locked, after the left-over ones have been removed. */
struct bw_error *bw_folder_make(enum bw_folder_kind kind, struct bw_folder *out) BW_MUST_CHECK;
/* Makes it, unless that has been done. */
struct bw_error *bw_folder_need(enum bw_folder_kind kind, struct bw_folder *f) BW_MUST_CHECK;
/* A file in it, as bw_file_write and fopen(3). */
struct bw_error *bw_folder_write(const struct bw_folder *f, const char *name, const char *mode,
				 const void *data, size_t size_b) BW_MUST_CHECK;
FILE *bw_folder_read(const struct bw_folder *f, const char *name);
/* Removes it with all that is in it. Accepts BW_FOLDER_INIT, and leaves that. */
void bw_folder_remove(struct bw_folder *f);

/* Removes folders of ours in `base`, of all kinds, that no process holds. Links, and folders that
 * belong to other users or are open to them, stay. */
void bw_folder_sweep(const char *base);

/* Checks that nobody but we and root can rename or replace this folder. Everything on the way to it
 * must belong to us, to root or to the owner of "/", and may be writable for others only where it
 * is sticky. out_real: the path without links, owned. */
struct bw_error *bw_folder_check(const char *path, char **out_real) BW_MUST_CHECK;

/* Removes the folder and all that is below it; follows no links and stays on its file system. */
void bw_folder_remove_tree(const char *path);

#endif
