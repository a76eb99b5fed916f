/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_TOKEN_H
#define BW_DAP_TOKEN_H

/* The secret that an editor shows on a port (dap/gate.h), in a file that only the user can read. */

#include "base/error.h"
#include "base/folder.h"

enum { BW_DAP_TOKEN_MIN = 32, BW_DAP_TOKEN_MAX = 128 };

struct bw_dap_token {
	char text[BW_DAP_TOKEN_MAX + 1];
	char *path; /* path of its file; owned */
	struct bw_folder folder;
};
#define BW_DAP_TOKEN_INIT {.folder = BW_FOLDER_INIT}

/* Reads or makes a token. file: chosen by the user; its token is read, or it is made if it does not
 * exist, and it is never removed. NULL: a new token in a new file, which bw_dap_token_fini
 * removes. */
struct bw_error *bw_dap_token_make(const char *file, struct bw_dap_token *out) BW_MUST_CHECK;
void bw_dap_token_fini(struct bw_dap_token *t);

#endif
