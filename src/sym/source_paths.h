/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_SOURCE_PATHS_H
#define BW_SYM_SOURCE_PATHS_H

/* The search path of source files, as with gdb's "directory" and "set substitute-path": first the
 * path in the debug information, changed by the first rule that fits, then folders. */

#include <stdbool.h>

#include "base/error.h"
#include "base/string_list.h"

struct bw_source_rule {
	char *from, *to;
};

struct bw_source_paths {
	struct BW_VEC(struct bw_source_rule) rules;
	/* in the order of search; "$cdir": the place that the compiler wrote down, "$cwd" */
	struct bw_strings folders;
	unsigned version; /* another one after each change */
	/* Folders of what the user has named to be debugged: its sources are below them, too. */
	struct bw_strings objects;
	/* The text is for other people (a report): only files of the user's project are read,
	 * whatever the debug information names. */
	bool is_confined;
};

struct bw_error *bw_source_paths_init(struct bw_source_paths *p) BW_MUST_CHECK;
void bw_source_paths_fini(struct bw_source_paths *p);
/* Puts a folder in front, "$cdir" and "$cwd" too; one that is there is moved. */
struct bw_error *bw_source_paths_add(struct bw_source_paths *p, const char *folder) BW_MUST_CHECK;
/* Only "$cdir" and "$cwd" are left. */
struct bw_error *bw_source_paths_reset(struct bw_source_paths *p) BW_MUST_CHECK;
/* A rule for the same `from` takes the place of an earlier one. */
struct bw_error *bw_source_paths_substitute(struct bw_source_paths *p, const char *from,
					    const char *to) BW_MUST_CHECK;
/* from NULL: all. False: there is no such rule. */
bool bw_source_paths_forget(struct bw_source_paths *p, const char *from);
/* Whether the rule is about this path. */
bool bw_source_rule_fits(const struct bw_source_rule *r, const char *path);
/* The path after the first rule that fits. Owned; NULL: no memory. */
char *bw_source_paths_rewrite(const struct bw_source_paths *p, const char *path);
/* The folder of a file that the user has named: a kernel, a program. */
struct bw_error *bw_source_paths_object(struct bw_source_paths *p, const char *file) BW_MUST_CHECK;
void bw_source_paths_confine(struct bw_source_paths *p, bool on);
/* Whether the file may be given to others: it lies below the working folder, a folder of an object,
 * of "directory" or of a rule, links followed, and below the first two in no hidden folder. */
bool bw_source_paths_is_own(const struct bw_source_paths *p, const char *file);
/* The file that is there, of the absolute path that debug information has. Owned; NULL: none. */
char *bw_source_paths_find(const struct bw_source_paths *p, const char *path);

#endif
