/* SPDX-License-Identifier: MIT */
#include "wire/checks.h"

#include <string.h>

#include "../suite.h"

static void no_list_is_all_checks(void **state)
{
	unsigned what = 0;
	assert_null(bw_checks_parse("--check", NULL, &what));
	assert_int_equal(what, BW_CHECK_RACES | BW_CHECK_BOUNDS | BW_CHECK_INIT | BW_CHECK_SYNC |
				       BW_CHECK_WRITERS);
}

static void names_are_bits(void **state)
{
	unsigned what = 0;
	assert_null(bw_checks_parse("--check", "races,races", &what));
	assert_int_equal(what, BW_CHECK_RACES);
	assert_null(bw_checks_parse("--check", "bounds", &what));
	assert_int_equal(what, BW_CHECK_BOUNDS);
	assert_null(bw_checks_parse("--check", "init", &what));
	assert_int_equal(what, BW_CHECK_INIT);
	assert_null(bw_checks_parse("--check", "sync", &what));
	assert_int_equal(what, BW_CHECK_SYNC);
	assert_null(bw_checks_parse("--check", "leaks,writers", &what));
	assert_int_equal(what, BW_CHECK_LEAKS | BW_CHECK_WRITERS);
	assert_null(bw_checks_parse("--check", "bounds,races", &what));
	assert_int_equal(what, BW_CHECK_RACES | BW_CHECK_BOUNDS);
}

static void other_words_are_refused_with_the_list(void **state)
{
	static const char *const lists[] = {"",	      ",",	"race",	   "racess",
					    "races,", ",races", "races,x", "syncs"};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		unsigned what;
		struct bw_error *err = bw_checks_parse("--check", lists[i], &what);
		assert_non_null(err);
		assert_int_equal(err->code, BW_E_INVALID);
		assert_non_null(strstr(err->message, "there are these: races"));
		bw_error_free(err);
	}
}

TESTS(no_list_is_all_checks, names_are_bits, other_words_are_refused_with_the_list);
