/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdint.h>

#include "../suite.h"

static void wrap_keeps_the_payload(void **state)
{
	struct bw_error *err = bw_error_fault(0x1000, "page %#x is not mapped", 0x1000);
	err = bw_error_wrap(err, "reading wave %d", 3);
	assert_string_equal(err->message, "reading wave 3: page 0x1000 is not mapped");
	assert_int_equal(err->code, BW_E_FAULT);
	assert_int_equal(err->va, 0x1000);
	bw_error_free(err);
}

static void errno_is_spelled_out(void **state)
{
	struct bw_error *err = bw_error_errno(ENOENT, "cannot open %s", "/x");
	assert_string_equal(err->message, "cannot open /x: No such file or directory");
	assert_int_equal(err->errnum, ENOENT);
	bw_error_free(err);
}

static void catch_takes_one_kind(void **state)
{
	struct bw_error *err = bw_errorf(BW_E_NOT_FOUND, "none");
	assert_false(bw_error_catch(&err, BW_E_GONE));
	assert_non_null(err);
	assert_true(bw_error_catch(&err, BW_E_NOT_FOUND));
	assert_null(err);
	assert_false(bw_error_catch(&err, BW_E_NOT_FOUND));
}

static void out_of_memory_needs_no_memory(void **state)
{
	struct bw_error *err = bw_error_wrap(bw_error_nomem(), "x");
	assert_int_equal(err->code, BW_E_NOMEM);
	bw_error_free(err);
	bw_error_free(NULL);
}

TESTS(wrap_keeps_the_payload, errno_is_spelled_out, catch_takes_one_kind,
      out_of_memory_needs_no_memory);
