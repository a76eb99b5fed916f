/* SPDX-License-Identifier: MIT */
/* The program's output as events of --json, since it would mix with our lines. */
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/memfd.h"

struct bw_error *bw_session_keep_output(struct bw_session *s)
{
	if (s->kept_fd >= 0)
		close(s->kept_fd);
	s->output_shown = 0;
	s->kept_fd = bw_memfd("output");
	return s->kept_fd < 0 ? bw_error_errno(errno, "cannot keep the program's output") : NULL;
}

/* The number of bytes at the end that begin a UTF-8 sequence whose rest has not been written
 * yet. */
static size_t unfinished(const unsigned char *data, size_t n)
{
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		unsigned char b = data[n - back];
		if (b >= 0xc0)
			return back < (b >= 0xf0 ? 4u : b >= 0xe0 ? 3u : 2u) ? back : 0;
		if (b < 0x80)
			return 0;
	}
	return 0;
}

void bw_session_show_bytes(struct bw_session *s, const char *data, size_t n)
{
	json_t *text = json_stringn(data, n);
	bw_out_begin(s->out, "event", "output");
	if (text) {
		bw_out_json(s->out, "text", text);
	} else {
		struct bw_str coded = {0};
		bw_base64_add(&coded, (const uint8_t *)data, n);
		bw_out_str(s->out, "base64", bw_str_text(&coded));
		bw_str_free(&coded);
	}
	bw_out_end(s->out);
}

void bw_session_show_output(struct bw_session *s, bool ended)
{
	enum { CHUNK_B = 1 << 20 };
	_cleanup_free_ char *data = s->kept_fd >= 0 ? malloc(CHUNK_B) : NULL;
	while (data) {
		ssize_t got = pread(s->kept_fd, data, CHUNK_B, s->output_shown);
		if (got <= 0)
			break;
		size_t n = (size_t)got, rest = unfinished((const unsigned char *)data, n);
		if (!ended || n == CHUNK_B)
			n -= rest;
		if (!n)
			break;
		bw_session_show_bytes(s, data, n);
		s->output_shown += (off_t)n;
	}
	if (ended && s->kept_fd >= 0) {
		close(s->kept_fd);
		s->kept_fd = -1;
	}
}
