/* SPDX-License-Identifier: MIT */
#include "sym/code_uri.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* Up to the end or a '#' or '?', where *at points then. False: it is too long, or has a byte 0. */
static bool read_path(const char **at, char *out, size_t room)
{
	const char *p = *at;
	size_t n = 0;
	for (; *p && *p != '#' && *p != '?'; p++) {
		char c = *p;
		if (c == '%' && isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2])) {
			c = (char)(hex_digit(p[1]) << 4 | hex_digit(p[2]));
			p += 2;
		}
		if (!c || n + 1 >= room)
			return false;
		out[n++] = c;
	}
	out[n] = 0;
	*at = p;
	return n != 0;
}

static bool read_number(const char **at, uint64_t *out)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*out = strtoull(*at, &end, 0);
	*at = end;
	return !errno;
}

/* "offset=N&size=N", either of them or both, in any order. */
static bool read_range(const char *at, struct bw_code_uri *out)
{
	while (*at) {
		uint64_t *to = bw_starts_with(at, "offset=") ? &out->offset_b
			       : bw_starts_with(at, "size=") ? &out->size_b
							     : NULL;
		if (!to)
			return false;
		at = strchr(at, '=') + 1;
		if (!read_number(&at, to))
			return false;
		if (*at == '&')
			at++;
		else if (*at)
			return false;
	}
	return true;
}

bool bw_code_uri_read(const char *uri, struct bw_code_uri *out)
{
	*out = (struct bw_code_uri){.is_file = bw_starts_with(uri, "file://")};
	if (!out->is_file && !bw_starts_with(uri, "memory://"))
		return false;
	const char *at = strstr(uri, "://") + strlen("://");
	if (out->is_file && !read_path(&at, out->path, sizeof(out->path)))
		return false;
	at += strcspn(at, "#?");
	if (*at && !read_range(at + 1, out))
		return false;
	return out->is_file || (out->offset_b && out->size_b);
}

/* Bytes of a path that the URI has as they are: RFC 3986, unreserved, and slashes. */
static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || strchr("-._~/", c);
}

bool bw_code_uri_write(const struct bw_code_uri *uri, char *out, size_t room)
{
	struct bw_str s = {0};
	bw_str_add(&s, "file://");
	for (const char *p = uri->path; *p; p++) {
		if (is_plain(*p))
			bw_str_addn(&s, p, 1);
		else
			bw_str_addf(&s, "%%%02X", (unsigned char)*p);
	}
	if (uri->offset_b || uri->size_b)
		bw_str_addf(&s, "#offset=%" PRIu64 "&size=%" PRIu64, uri->offset_b, uri->size_b);
	bool fits = !s.failed && s.len < room;
	if (fits)
		memcpy(out, bw_str_text(&s), s.len + 1);
	bw_str_free(&s);
	return fits;
}
