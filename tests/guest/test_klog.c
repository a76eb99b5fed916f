/* SPDX-License-Identifier: MIT */
/* What a run says of its guest's kernel log. The reports are those of Linux 6.12. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "guest/guest_priv.h"

static void add(struct bw_klog *k, const char *text)
{
	bw_klog_add(k, text, strlen(text));
}

static void test_oops(void **state)
{
	(void)state;
	struct bw_klog k = {0};
	struct bw_str out = {0};
	add(&k, "[    1.000000] Run /init as init process\r\n[    2.5");
	add(&k, "00000] BUG: kernel NULL pointer dereference, address: 0000000000000008\r\n");
	add(&k, "[    2.500100] #PF: supervisor read access in kernel mode\r\n"
		"[    2.500200] Oops: Oops: 0000 [#1] PREEMPT SMP NOPTI\r\n"
		"[    2.600000] Kernel panic - not syncing: Fatal exception\r\n");
	assert_string_equal(k.reason,
			    "BUG: kernel NULL pointer dereference, address: 0000000000000008");
	bw_klog_show(&k, &out);
	assert_string_equal(
		bw_str_text(&out),
		"\n  [    2.500000] BUG: kernel NULL pointer dereference, address: 0000000000000008"
		"\n  [    2.500100] #PF: supervisor read access in kernel mode"
		"\n  [    2.500200] Oops: Oops: 0000 [#1] PREEMPT SMP NOPTI"
		"\n  [    2.600000] Kernel panic - not syncing: Fatal exception");
	bw_str_free(&out);
	bw_klog_free(&k);
}

/* The report is kept when a flood follows; without a report the last lines are. */
static void test_flood(void **state)
{
	(void)state;
	for (int dies = 0; dies < 2; dies++) {
		struct bw_klog k = {0};
		struct bw_str out = {0};
		char line[60];
		for (int i = 0; i < 1000; i++) {
			snprintf(line, sizeof(line), "line %d\n", i);
			if (dies && i == 500)
				add(&k, "Kernel panic - not syncing: VFS\n");
			add(&k, line);
		}
		bw_klog_show(&k, &out);
		if (dies) {
			assert_non_null(
				strstr(bw_str_text(&out), "not syncing: VFS\n  line 500\n"));
			assert_null(strstr(bw_str_text(&out), "line 499\n"));
		} else {
			assert_null(k.reason);
			assert_non_null(strstr(bw_str_text(&out), "\n  line 999"));
			assert_non_null(strstr(bw_str_text(&out), "\n  line 940\n"));
			assert_null(strstr(bw_str_text(&out), "line 939\n"));
		}
		bw_str_free(&out);
		bw_klog_free(&k);
	}
}

/* A guest's log cannot change the terminal. */
static void test_controls(void **state)
{
	(void)state;
	struct bw_klog k = {0};
	struct bw_str out = {0};
	add(&k, "a\033[2Jb\n");
	bw_klog_show(&k, &out);
	assert_string_equal(bw_str_text(&out), "\n  a\\033[2Jb");
	bw_str_free(&out);
	bw_klog_free(&k);
}

TESTS(test_oops, test_flood, test_controls);
