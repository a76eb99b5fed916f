/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_CODE_URI_H
#define BW_SYM_CODE_URI_H

/* Where the bytes of a code object are, as ROCm's runtime names it: "Code Object URI" in LLVM's
 * AMDGPUUsage. Pure.
 *
 *     file://PATH             a whole file; %XX in the path is a byte
 *     file://PATH#offset=N&size=N         a part of it; "?" may stand for "#"
 *     memory://PID#offset=ADDRESS&size=N  memory of the process */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_code_uri {
	bool is_file;	   /* else memory */
	char path[1024];   /* of a file */
	uint64_t offset_b; /* in the file; or the address */
	uint64_t size_b;   /* 0: of a file: up to its end */
};
/* False: it is not such a URI, or names no bytes. */
bool bw_code_uri_read(const char *uri, struct bw_code_uri *out);
/* The URI of bytes in a file. False: it is longer than room, and *out is as it was. */
bool bw_code_uri_write(const struct bw_code_uri *uri, char *out, size_t room);

#endif
