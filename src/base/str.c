/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

static bool grow(struct bw_str *s, size_t more)
{
	size_t want = s->len + more + 1;
	if (want <= s->cap)
		return true;
	size_t cap = s->cap ? s->cap : 64;
	while (cap < want)
		cap *= 2;
	char *p = realloc(s->data, cap);
	if (!p) {
		s->failed = true;
		return false;
	}
	s->data = p;
	s->cap = cap;
	return true;
}

void bw_str_addn(struct bw_str *s, const char *text, size_t n)
{
	if (s->failed || !grow(s, n))
		return;
	if (n)
		memcpy(s->data + s->len, text, n);
	s->len += n;
	s->data[s->len] = '\0';
}

void bw_str_add(struct bw_str *s, const char *text)
{
	bw_str_addn(s, text, strlen(text));
}

void bw_str_addf(struct bw_str *s, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	char *text = NULL;
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0) {
		s->failed = true;
		return;
	}
	bw_str_addn(s, text, (size_t)n);
	free(text);
}

void bw_str_pad(struct bw_str *s, size_t column)
{
	while (s->len < column && !s->failed)
		bw_str_addn(s, " ", 1);
}

void bw_str_add_next(struct bw_str *s, const char *text)
{
	bw_str_add(s, s->len ? ", " : "");
	bw_str_add(s, text);
}

void bw_str_add_mark(struct bw_str *s, size_t i, size_t n, const char *last)
{
	bw_str_add(s, i == 0 ? "" : i + 1 == n ? last : ", ");
}

void bw_str_clear(struct bw_str *s)
{
	s->len = 0;
	s->failed = false;
	if (s->data)
		s->data[0] = '\0';
}

void bw_str_free(struct bw_str *s)
{
	free(s->data);
	*s = (struct bw_str){0};
}

const char *bw_str_text(const struct bw_str *s)
{
	return s->data ? s->data : "";
}

char *bw_str_take(struct bw_str *s)
{
	if (!s->data && !s->failed)
		bw_str_add(s, "");
	if (s->failed) {
		bw_str_free(s);
		return NULL;
	}
	char *text = s->data;
	*s = (struct bw_str){0};
	return text;
}

/* Unicode 15, table 3-7 */
size_t bw_utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = s[0] < 0x80	 ? 1
		   : s[0] < 0xc2 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
		   : s[0] < 0xf5 ? 4
				 : 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
		   (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
	return bad ? 0 : n;
}

/* Characters that show nothing themselves, but change what is seen of others: where a line ends, in
 * which direction it runs, whether two names are the same. Those that scripts need (U+200C, U+200D)
 * are not among them. Unicode 15: categories Zl and Zp, Bidi_Control, and of Cf those without a
 * glyph. */
static bool is_hidden(const char *text, size_t n)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {{0x00ad, 0x00ad}, {0x061c, 0x061c},  {0x180e, 0x180e}, {0x200b, 0x200b},
		      {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
		      {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
	uint32_t c = (uint8_t)text[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((uint8_t)text[i] & 0x3f);
	for (size_t i = 0; n > 1 && i < BW_ARRAY_SIZE(hidden); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return true;
	return false;
}

void bw_str_add_printable(struct bw_str *s, const char *text, const char *kept)
{
	while (*text) {
		unsigned char c = (unsigned char)*text;
		size_t n = bw_utf8_length(text);
		bool c1 = n == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0;
		bool control = c < 0x20 ? !strchr(kept, c) : c == 0x7f;
		bool shown = n && !c1 && !control && !is_hidden(text, n);
		n = n ? n : 1;
		if (shown)
			bw_str_addn(s, text, n);
		for (size_t i = 0; i < n && !shown; i++)
			bw_str_addf(s, "\\%03o", (unsigned char)text[i]);
		text += n;
	}
}

void bw_str_add_word(struct bw_str *s, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./=,:+-@%^";
	if (*word && !word[strspn(word, plain)]) {
		bw_str_add(s, word);
		return;
	}
	bw_str_add(s, "'");
	for (size_t n; n = strcspn(word, "'"), word[n]; word += n + 1) {
		bw_str_addn(s, word, n);
		bw_str_add(s, "'\\''");
	}
	bw_str_addf(s, "%s'", word);
}

bool bw_parse_u64(const char *text, uint64_t *out_value)
{
	if (!isdigit((unsigned char)text[0]))
		return false;
	int base = 0;
	if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
		base = 2;
		text += 2;
		if (text[0] != '0' && text[0] != '1')
			return false;
	}
	char *end;
	errno = 0;
	uint64_t v = strtoull(text, &end, base);
	if (errno || end == text)
		return false;
	unsigned shift = 0;
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'M')
		shift = 20;
	else if (*end == 'G')
		shift = 30;
	if (shift) {
		if (v > UINT64_MAX >> shift)
			return false;
		v <<= shift;
		end++;
	}
	if (*end)
		return false;
	*out_value = v;
	return true;
}

bool bw_parse_i64(const char *text, int64_t *out_value)
{
	uint64_t v;
	bool negative = text[0] == '-';
	if (!bw_parse_u64(text + negative, &v) || v > (uint64_t)INT64_MAX + negative)
		return false;
	*out_value = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool bw_parse_f64(const char *text, double *out_value)
{
	if (!text[0] || isspace((unsigned char)text[0]))
		return false;
	char *end;
	double v = strtod(text, &end);
	if (end == text)
		return false;
	if ((*end == 'f' || *end == 'F') && !end[1])
		end++;
	if (*end)
		return false;
	*out_value = v;
	return true;
}

bool bw_starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *bw_base_name(const char *path)
{
	const char *slash = bw_starts_with(path, "memory://") ? NULL : strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *bw_skip_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

void bw_take_word(const char **s, char *out, size_t out_b)
{
	const char *p = bw_skip_blanks(*s);
	size_t n = 0;
	while (*p && !isspace((unsigned char)*p)) {
		if (n + 1 < out_b)
			out[n++] = *p;
		p++;
	}
	out[n] = '\0';
	*s = bw_skip_blanks(p);
}

unsigned bw_edit_distance(const char *a, const char *b)
{
	enum { MAX = 64 };
	size_t la = strnlen(a, MAX), lb = strnlen(b, MAX);
	unsigned row[3][MAX + 1];
	for (size_t j = 0; j <= lb; j++)
		row[1][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *now = row[(i + 1) % 3], *last = row[i % 3], *before = row[(i + 2) % 3];
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned cost = tolower((unsigned char)a[i - 1]) !=
					tolower((unsigned char)b[j - 1]);
			unsigned d = last[j - 1] + cost;
			d = BW_MIN(d, last[j] + 1);
			d = BW_MIN(d, now[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = BW_MIN(d, before[j - 2] + 1);
			now[j] = d;
		}
	}
	return row[(la + 1) % 3][lb];
}

size_t bw_nearest(const char *word, const char *const *candidates, size_t n, size_t *out_index,
		  size_t max)
{
	/* A short word would have nothing left. */
	size_t len = strlen(word);
	unsigned limit = len <= 2 ? 0 : len <= 4 ? 1 : len <= 7 ? 2 : 3;
	size_t found = 0;
	for (unsigned d = 0; d <= limit && found < max; d++)
		for (size_t i = 0; i < n && found < max; i++)
			if (bw_edit_distance(word, candidates[i]) == d)
				out_index[found++] = i;
	return found;
}
