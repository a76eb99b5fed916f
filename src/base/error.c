/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct bw_error nomem = {BW_E_NOMEM, 0, 0, (char *)"out of memory"};

struct bw_error *bw_error_nomem(void)
{
	return &nomem;
}

static struct bw_error *error_va(enum bw_error_code code, int errnum, uint64_t va, const char *fmt,
				 va_list args)
{
	struct bw_error *err = calloc(1, sizeof(*err));
	if (!err)
		return &nomem;
	err->code = code;
	err->errnum = errnum;
	err->va = va;
	if (vasprintf(&err->message, fmt, args) < 0) {
		free(err);
		return &nomem;
	}
	return err;
}

struct bw_error *bw_errorf(enum bw_error_code code, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	struct bw_error *err = error_va(code, 0, 0, fmt, args);
	va_end(args);
	return err;
}

struct bw_error *bw_error_fault(uint64_t va, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	struct bw_error *err = error_va(BW_E_FAULT, 0, va, fmt, args);
	va_end(args);
	return err;
}

/* "front: back" in place of err->message; back is not freed. */
static struct bw_error *prepend(struct bw_error *err, const char *fmt, va_list args,
				const char *back)
{
	char *front = NULL, *joined = NULL;
	if (vasprintf(&front, fmt, args) < 0 || asprintf(&joined, "%s: %s", front, back) < 0) {
		free(front);
		bw_error_free(err);
		return &nomem;
	}
	free(front);
	free(err->message);
	err->message = joined;
	return err;
}

struct bw_error *bw_error_errno(int errnum, const char *fmt, ...)
{
	struct bw_error *err = bw_errorf(BW_E_SYSTEM, "%s", "");
	if (err == &nomem)
		return err;
	err->errnum = errnum;
	char text[128];
	va_list args;
	va_start(args, fmt);
	err = prepend(err, fmt, args, strerror_r(errnum, text, sizeof(text)));
	va_end(args);
	return err;
}

struct bw_error *bw_error_wrap(struct bw_error *err, const char *fmt, ...)
{
	if (!err || err == &nomem)
		return err;
	va_list args;
	va_start(args, fmt);
	err = prepend(err, fmt, args, err->message);
	va_end(args);
	return err;
}

void bw_error_free(struct bw_error *err)
{
	if (!err || err == &nomem)
		return;
	free(err->message);
	free(err);
}

bool bw_error_catch(struct bw_error **err, enum bw_error_code code)
{
	if (!*err || (*err)->code != code)
		return false;
	bw_error_free(*err);
	*err = NULL;
	return true;
}
