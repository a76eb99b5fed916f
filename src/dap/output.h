/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_OUTPUT_H
#define BW_DAP_OUTPUT_H

/* Output for the editor, of the session and of the program. */

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/* A file in memory to which others append, and that is read once. */
struct bw_dap_sink {
	int fd;
	off_t read;
};
struct bw_error *bw_dap_sink_open(struct bw_dap_sink *s, const char *name) BW_MUST_CHECK;
void bw_dap_sink_close(struct bw_dap_sink *s);
/* Takes up to max bytes that have been written since the last call. */
size_t bw_dap_sink_take(struct bw_dap_sink *s, char *out, size_t max);

#endif
