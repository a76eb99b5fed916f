/* SPDX-License-Identifier: MIT */
#include "dap/framing.h"

#include <string.h>
#include <strings.h>

#include "base/vec.h"

struct bw_error *bw_dap_frames_push(struct bw_dap_frames *f, const void *data, size_t size_b)
{
	bw_vec_remove_n(&f->data, 0, f->at);
	f->at = 0;
	bw_str_addn(&f->data, data, size_b);
	return f->data.failed ? bw_error_nomem() : NULL;
}

bool bw_dap_frames_is_empty(const struct bw_dap_frames *f)
{
	return f->at == f->data.len;
}

void bw_dap_frames_rest(const struct bw_dap_frames *f, struct bw_str *out)
{
	bw_str_addn(out, f->data.data + f->at, f->data.len - f->at);
}

void bw_dap_frame(struct bw_str *out, const char *text, size_t size_b)
{
	bw_str_addf(out, "Content-Length: %zu\r\n\r\n", size_b);
	bw_str_addn(out, text, size_b);
}

void bw_dap_frames_fini(struct bw_dap_frames *f)
{
	bw_str_free(&f->data);
}

/* The value of Content-Length: digits only, with blanks around them. */
static struct bw_error *take_length(const char *text, size_t n, size_t *out)
{
	size_t value = 0, i = 0, digits = 0;
	while (i < n && (text[i] == ' ' || text[i] == '\t'))
		i++;
	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++, digits++) {
		value = value * 10 + (size_t)(text[i] - '0');
		if (value > BW_DAP_MESSAGE_MAX_B)
			return bw_errorf(BW_E_INVALID,
					 "a message is longer than %d bytes, which is the limit",
					 BW_DAP_MESSAGE_MAX_B);
	}
	while (i < n && (text[i] == ' ' || text[i] == '\t'))
		i++;
	if (!digits || i != n)
		return bw_errorf(BW_E_INVALID, "the Content-Length of a message is not a number");
	*out = value;
	return NULL;
}

static bool is_name(const char *text, size_t n, const char *name)
{
	return n == strlen(name) && !strncasecmp(text, name, n);
}

static struct bw_error *read_header(const char *text, size_t n, size_t *out_length)
{
	bool found = false;
	while (n) {
		const char *end = memmem(text, n, "\r\n", 2);
		size_t line = end ? (size_t)(end - text) : n;
		const char *colon = memchr(text, ':', line);
		if (!colon)
			return bw_errorf(BW_E_INVALID, "a line of a message's header has no colon");
		size_t name_b = (size_t)(colon - text);
		if (is_name(text, name_b, "Content-Length")) {
			if (found)
				return bw_errorf(BW_E_INVALID,
						 "a message's header has Content-Length twice");
			BW_TRY(take_length(colon + 1, line - name_b - 1, out_length));
			found = true;
		} else if (!is_name(text, name_b, "Content-Type")) {
			return bw_errorf(
				BW_E_INVALID,
				"a message's header has a line that is neither "
				"Content-Length nor Content-Type: this port does not speak HTTP");
		}
		text += end ? line + 2 : line;
		n -= end ? line + 2 : line;
	}
	return found ? NULL : bw_errorf(BW_E_INVALID, "a message's header has no Content-Length");
}

struct bw_error *bw_dap_frames_take(struct bw_dap_frames *f, const char **out, size_t *out_b)
{
	size_t have = f->data.len - f->at, length = 0;
	*out = NULL;
	if (!have)
		return NULL;
	const char *start = f->data.data + f->at;
	size_t most = have < BW_DAP_HEADER_MAX_B ? have : BW_DAP_HEADER_MAX_B;
	const char *end = memmem(start, most, "\r\n\r\n", 4);
	if (!end && have >= BW_DAP_HEADER_MAX_B)
		return bw_errorf(BW_E_INVALID,
				 "a message's header is longer than %d bytes, or is not a header",
				 BW_DAP_HEADER_MAX_B);
	if (!end)
		return NULL;
	size_t header = (size_t)(end - start);
	BW_TRY(read_header(start, header, &length));
	if (have - header - 4 < length)
		return NULL;
	*out = end + 4;
	*out_b = length;
	f->at += header + 4 + length;
	return NULL;
}
