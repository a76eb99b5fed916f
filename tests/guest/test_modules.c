/* SPDX-License-Identifier: MIT */
/* The order of modules: each behind those that its line "depends=" names. The files are made by the
 * compiler (meson.build): top needs mid-a and mid_b, both need base; lost needs what there is no
 * file for; own/mid_b needs nothing. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/cleanup.h"
#include "guest/guest_priv.h"

static void ok(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

static void names(const struct bw_guest_modules *m, struct bw_str *out)
{
	bw_vec_each(&m->order, i)
		bw_str_addf(out, "%s ", m->files.data[*i].name);
}

static void expect_order(const char *const *folders, const char *wanted, const char *expected)
{
	struct bw_guest_modules m = {0};
	struct bw_str text = {0};
	bool found;
	for (; *folders; folders++)
		ok(bw_guest_modules_scan(&m, *folders, "/nowhere"));
	ok(bw_guest_modules_want(&m, wanted, &found));
	assert_true(found);
	ok(bw_guest_modules_want(&m, "no_such_module", &found));
	assert_false(found);
	names(&m, &text);
	assert_string_equal(bw_str_text(&text), expected);
	bw_str_free(&text);
	bw_guest_modules_free(&m);
}

static void test_order(void **state)
{
	(void)state;
	expect_order((const char *[]){MODULES, NULL}, "top", "base mid_a mid_b top ");
	expect_order((const char *[]){MODULES, NULL}, "mid_b", "base mid_b ");
}

/* The first folder's file of a name is taken. */
static void test_own_first(void **state)
{
	(void)state;
	expect_order((const char *[]){MODULES "/own", MODULES, NULL}, "mid_b", "mid_b ");
}

static void test_lost(void **state)
{
	(void)state;
	struct bw_guest_modules m = {0};
	bool found;
	ok(bw_guest_modules_scan(&m, MODULES, "/nowhere"));
	struct bw_error *err = bw_guest_modules_want(&m, "lost", &found);
	assert_non_null(err);
	assert_string_equal(
		err->message,
		"the module lost needs the module nothing_here, for which there is no file");
	bw_error_free(err);
	bw_guest_modules_free(&m);
}

static void test_not_elf(void **state)
{
	(void)state;
	char *out = NULL;
	static const char *const texts[] = {"", "\177ELF",
					    "#!/bin/sh and some more text so that it has "
					    "the length of an ELF header's 64 bytes"};
	for (size_t i = 0; i < 3; i++) {
		struct bw_error *err = bw_guest_module_depends(texts[i], strlen(texts[i]), &out);
		assert_non_null(err);
		assert_string_equal(err->message, "it is not an ELF file of x86-64 with sections");
		bw_error_free(err);
	}
	assert_null(out);
}

TESTS(test_order, test_own_first, test_lost, test_not_elf);
