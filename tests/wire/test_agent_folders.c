/* SPDX-License-Identifier: MIT */
#include "wire/agent_folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../suite.h"
#include "base/folder.h"

static char base[] = "/tmp/bw-test-agent-XXXXXX", inner[64], outer[64];

static int begin(void **state)
{
	if (!mkdtemp(base))
		return -1;
	snprintf(inner, sizeof(inner), "%s/inner", base);
	snprintf(outer, sizeof(outer), "%s/outer", base);
	return mkdir(inner, 0700) || mkdir(outer, 0700);
}

static int end(void **state)
{
	bw_folder_remove_tree(base);
	return 0;
}

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

static void put(const char *folder, const char *name)
{
	char path[96];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	fclose(f);
}

static void expect(const char *list, const char *name, const char *folder)
{
	char *found = bw_agent_folders_find(list, name, is_there);
	if (folder) {
		assert_non_null(found);
		assert_string_equal(found, folder);
	} else {
		assert_null(found);
	}
	free(found);
}

static void the_innermost_that_has_it(void **state)
{
	char list[200];
	put(inner, "rules");
	put(outer, "rules");
	put(outer, "crumbs");
	snprintf(list, sizeof(list), "%s:%s/removed:%s", inner, base, outer);
	expect(list, "rules", inner);
	expect(list, "crumbs", outer);
	expect(list, "capture", NULL);
	expect(inner, "crumbs", NULL);
	expect("", "rules", NULL);
	expect(NULL, "rules", NULL);
}

/* Processes of ours that start each other; one of them has ended. */
static void the_environment(void **state)
{
	char expected[200];
	unsetenv(BW_AGENT_FOLDERS_ENV);
	assert_null(bw_agent_folders_add(outer));
	assert_string_equal(getenv(BW_AGENT_FOLDERS_ENV), outer);
	char *setting = bw_agent_folders_setting(inner);
	snprintf(expected, sizeof(expected), BW_AGENT_FOLDERS_ENV "=%s:%s", inner, outer);
	assert_string_equal(setting, expected);
	free(setting);
	assert_string_equal(getenv(BW_AGENT_FOLDERS_ENV), outer);
	assert_null(bw_agent_folders_add(inner));
	bw_folder_remove_tree(outer);
	assert_null(bw_agent_folders_add(base));
	snprintf(expected, sizeof(expected), "%s:%s", base, inner);
	assert_string_equal(getenv(BW_AGENT_FOLDERS_ENV), expected);
	unsetenv(BW_AGENT_FOLDERS_ENV);
}

TESTS_AROUND(begin, end, the_innermost_that_has_it, the_environment);
