/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_TREE_MAKER_H
#define BW_VGPU_UAPI_TREE_MAKER_H

/* Makes the files of the tree that programs see as /dev and /sys (tree.c). Paths start below the
 * root ("sys/class/..."); the folders on the way to a file are made too. */

#include "base/error.h"
#include "base/util.h"

/* The state of making files. The first failure stops all that follows. */
struct bw_tree_maker {
	const char *root;
	struct bw_error *err;
	char made[512]; /* the folder that the last path lies in: it is there */
	size_t made_len;
};

/* A file of sysfs that never changes, with this text. */
BW_PRINTF(3, 4)
void bw_tree_file(struct bw_tree_maker *m, const char *path, const char *fmt, ...);
void bw_tree_folder(struct bw_tree_maker *m, const char *path);
void bw_tree_link(struct bw_tree_maker *m, const char *path, const char *target);
/* Removes a file, a link, or a folder with all that is in it. */
void bw_tree_take_out(const char *root, const char *path);

#endif
