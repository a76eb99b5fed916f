/* SPDX-License-Identifier: MIT */
/* Where source files are looked for; the rules are those of gdb's manual, "Specifying Source
 * Directories". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../suite.h"
#include "sym/source_paths.h"

#define OK(expr) assert_null(expr)

static void rewrites_to(const struct bw_source_paths *p, const char *path, const char *expected)
{
	char *got = bw_source_paths_rewrite(p, path);
	assert_string_equal(got, expected);
	free(got);
}

/* The first rule that fits is used, once; a rule is about whole names of folders. */
static void test_rules(void **state)
{
	struct bw_source_paths p;
	OK(bw_source_paths_init(&p));
	OK(bw_source_paths_substitute(&p, "/usr/src/include", "/mnt/include"));
	OK(bw_source_paths_substitute(&p, "/usr/src", "/mnt/src"));
	OK(bw_source_paths_substitute(&p, "/mnt/include", "/nowhere"));
	rewrites_to(&p, "/usr/src/include/defs.h", "/mnt/include/defs.h");
	rewrites_to(&p, "/usr/src/lib/foo.c", "/mnt/src/lib/foo.c");
	rewrites_to(&p, "/usr/src", "/mnt/src");
	rewrites_to(&p, "/usr/source/foo.c", "/usr/source/foo.c");
	OK(bw_source_paths_substitute(&p, "/usr/src", "/opt"));
	rewrites_to(&p, "/usr/src/lib/foo.c", "/opt/lib/foo.c");
	assert_true(bw_source_paths_forget(&p, "/usr/src/include"));
	assert_false(bw_source_paths_forget(&p, "/usr/src/include"));
	rewrites_to(&p, "/usr/src/include/defs.h", "/opt/include/defs.h");
	bw_source_paths_forget(&p, NULL);
	rewrites_to(&p, "/usr/src/lib/foo.c", "/usr/src/lib/foo.c");
	bw_source_paths_fini(&p);
}

static void make_file(const char *folder, const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static void finds(const struct bw_source_paths *p, const char *path, const char *folder,
		  const char *expected)
{
	char full[512];
	char *got = bw_source_paths_find(p, path);
	snprintf(full, sizeof(full), "%s/%s", folder, expected);
	assert_non_null(got);
	assert_string_equal(got, full);
	free(got);
}

/* In a folder the longest part of the path counts, down to the name alone. */
static void test_folders(void **state)
{
	char folder[] = "/tmp/source-paths-XXXXXX", lib[64], other[64];
	struct bw_source_paths p;
	assert_non_null(mkdtemp(folder));
	snprintf(lib, sizeof(lib), "%s/lib", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(mkdir(lib, 0700) | mkdir(other, 0700), 0);
	make_file(folder, "foo.c");
	make_file(lib, "foo.c");
	make_file(other, "foo.c");
	OK(bw_source_paths_init(&p));
	char *none = bw_source_paths_find(&p, "/nowhere/lib/foo.c.gone");
	assert_null(none);
	OK(bw_source_paths_add(&p, folder));
	finds(&p, "/nowhere/lib/foo.c", lib, "foo.c");
	finds(&p, "/nowhere/deep/foo.c", folder, "foo.c");
	/* the folder that was named last comes first; a folder is no file */
	OK(bw_source_paths_add(&p, other));
	finds(&p, "/nowhere/lib/foo.c", other, "foo.c");
	none = bw_source_paths_find(&p, "/nowhere/lib");
	assert_null(none);
	assert_int_equal(p.folders.len, 4);
	OK(bw_source_paths_reset(&p));
	assert_int_equal(p.folders.len, 2);
	bw_source_paths_fini(&p);
	char command[128];
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* What a report may carry: not what a hostile object names, whatever way it takes there. */
static void test_own_files(void **state)
{
	char folder[] = "/tmp/source-paths-XXXXXX", sub[64], link[80], hidden[80], object[96];
	struct bw_source_paths p;
	char *before = getcwd(NULL, 0);
	assert_non_null(mkdtemp(folder));
	snprintf(sub, sizeof(sub), "%s/project", folder);
	snprintf(hidden, sizeof(hidden), "%s/.ssh", sub);
	snprintf(link, sizeof(link), "%s/link.c", sub);
	assert_int_equal(mkdir(sub, 0700) | mkdir(hidden, 0700), 0);
	make_file(sub, "a.c");
	make_file(hidden, "key");
	make_file(folder, "outside.c");
	assert_int_equal(symlink("../outside.c", link), 0);
	OK(bw_source_paths_init(&p));
	assert_int_equal(chdir(sub), 0);
	assert_true(bw_source_paths_is_own(&p, "a.c"));
	assert_false(bw_source_paths_is_own(&p, "../outside.c"));
	assert_false(bw_source_paths_is_own(&p, link));
	assert_false(bw_source_paths_is_own(&p, ".ssh/key"));
	assert_false(bw_source_paths_is_own(&p, "/etc/passwd"));
	assert_int_equal(chdir("/"), 0);
	assert_false(bw_source_paths_is_own(&p, "/etc/passwd")); /* below it all lies */
	snprintf(object, sizeof(object), "%s/a.c", sub);
	assert_false(bw_source_paths_is_own(&p, object));
	OK(bw_source_paths_object(&p, object));
	assert_true(bw_source_paths_is_own(&p, object));
	assert_false(bw_source_paths_is_own(&p, link));
	/* "project" is no folder around "project-2" */
	snprintf(sub, sizeof(sub), "%s/project-2", folder);
	assert_int_equal(mkdir(sub, 0700), 0);
	make_file(sub, "a.c");
	snprintf(object, sizeof(object), "%s/a.c", sub);
	assert_false(bw_source_paths_is_own(&p, object));
	/* named by the user: by "directory", by a rule */
	OK(bw_source_paths_substitute(&p, "/build", sub));
	assert_true(bw_source_paths_is_own(&p, object));
	bw_source_paths_forget(&p, NULL);
	assert_false(bw_source_paths_is_own(&p, object));
	OK(bw_source_paths_add(&p, folder));
	assert_true(bw_source_paths_is_own(&p, object));
	bw_source_paths_fini(&p);
	assert_int_equal(chdir(before), 0);
	free(before);
	char command[128];
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

TESTS(test_rules, test_folders, test_own_files);
