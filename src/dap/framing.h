/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_FRAMING_H
#define BW_DAP_FRAMING_H

/* Messages in a stream of bytes: a header of lines that end in CR LF, among them Content-Length, an
 * empty line, and that many bytes of JSON. Other lines than Content-Length and Content-Type are an
 * error: what a browser sends for a web page has a length and a body as well, but is not ours.
 * Pure: bytes in, messages out. */

#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

enum {
	BW_DAP_HEADER_MAX_B = 4096,
	BW_DAP_MESSAGE_MAX_B = 16 << 20,
};

struct bw_dap_frames {
	struct bw_str data; /* bytes that have come */
	size_t at;	    /* bytes of `data` that have been taken */
};

struct bw_error *bw_dap_frames_push(struct bw_dap_frames *f, const void *data,
				    size_t size_b) BW_MUST_CHECK;
/* The next message. NULL: it has not come completely. Borrowed until the next call. After an error,
 * no further message can be read, because its beginning is not known. */
struct bw_error *bw_dap_frames_take(struct bw_dap_frames *f, const char **out,
				    size_t *out_b) BW_MUST_CHECK;
/* Adds the bytes that have not been taken yet. */
void bw_dap_frames_rest(const struct bw_dap_frames *f, struct bw_str *out);
/* Whether the stream may end here, because no message has begun. */
bool bw_dap_frames_is_empty(const struct bw_dap_frames *f);
void bw_dap_frames_fini(struct bw_dap_frames *f);

/* Adds a message with its header. */
void bw_dap_frame(struct bw_str *out, const char *text, size_t size_b);

#endif
