// SPDX-License-Identifier: MIT
#include "base/string_list.h"

#include <stdarg.h>
#include <stdio.h>

struct bw_error *bw_strings_take(struct bw_strings *s, char *text)
{
	struct bw_error *err = text ? bw_vec_push(s, text) : bw_error_nomem();
	if (err)
		free(text);
	return err;
}

struct bw_error *bw_strings_add(struct bw_strings *s, const char *text)
{
	return text ? bw_strings_take(s, strdup(text)) : bw_vec_push(s, NULL);
}

struct bw_error *bw_strings_add_all(struct bw_strings *s, const char *const *texts)
{
	for (; *texts; texts++)
		BW_TRY(bw_strings_add(s, *texts));
	return NULL;
}

struct bw_error *bw_strings_addf(struct bw_strings *s, const char *fmt, ...)
{
	char *text;
	va_list args;
	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	return bw_strings_take(s, n < 0 ? NULL : text);
}

void bw_strings_free(struct bw_strings *s)
{
	bw_vec_each(s, text)
		free(*text);
	bw_vec_free(s);
}
