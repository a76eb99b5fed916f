/* SPDX-License-Identifier: MIT */
#include "sym/source_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static struct bw_error *add_folder(struct bw_source_paths *p, const char *folder, bool in_front)
{
	char *copy = strdup(folder);
	if (!copy)
		return bw_error_nomem();
	struct bw_error *err = bw_vec_insert(&p->folders, in_front ? 0 : p->folders.len, copy);
	if (err)
		free(copy);
	return err;
}

static void drop_folders(struct bw_source_paths *p)
{
	bw_vec_each(&p->folders, f)
		free(*f);
	p->folders.len = 0;
}

struct bw_error *bw_source_paths_reset(struct bw_source_paths *p)
{
	p->version++;
	drop_folders(p);
	BW_TRY(add_folder(p, "$cdir", false));
	return add_folder(p, "$cwd", false);
}

struct bw_error *bw_source_paths_init(struct bw_source_paths *p)
{
	*p = (struct bw_source_paths){0};
	return bw_source_paths_reset(p);
}

void bw_source_paths_fini(struct bw_source_paths *p)
{
	bw_source_paths_forget(p, NULL);
	drop_folders(p);
	bw_strings_free(&p->objects);
	bw_vec_free(&p->folders);
	bw_vec_free(&p->rules);
}

struct bw_error *bw_source_paths_object(struct bw_source_paths *p, const char *file)
{
	char *real = realpath(file, NULL), *slash = real ? strrchr(real, '/') : NULL;
	if (!slash || slash == real) { /* not there, or in the root, below which all lies */
		free(real);
		return NULL;
	}
	*slash = 0;
	struct bw_error *err = bw_vec_push(&p->objects, real);
	if (err)
		free(real);
	return err;
}

void bw_source_paths_confine(struct bw_source_paths *p, bool on)
{
	p->version++; /* files are read anew */
	p->is_confined = on;
}

/* Whether the path is below the folder; both are real paths. any: in hidden folders, too. */
static bool is_below(const char *folder, const char *path, bool any)
{
	size_t n = strlen(folder);
	while (n && folder[n - 1] == '/')
		n--;
	return (n || any) && !strncmp(path, folder, n) && path[n] == '/' &&
	       (any || !strstr(path + n, "/."));
}

/* The folder as the user has named it. */
static bool is_below_named(const char *folder, const char *path)
{
	_cleanup_free_ char *real = folder[0] == '$' ? NULL : realpath(folder, NULL);
	return real && is_below(real, path, true);
}

bool bw_source_paths_is_own(const struct bw_source_paths *p, const char *file)
{
	_cleanup_free_ char *path = realpath(file, NULL), *cwd = getcwd(NULL, 0);
	bool is_own = path && cwd && is_below(cwd, path, false);
	bw_vec_each(&p->objects, o)
		is_own |= path && is_below(*o, path, false);
	bw_vec_each(&p->folders, f)
		is_own |= path && is_below_named(*f, path);
	bw_vec_each(&p->rules, r)
		is_own |= path && is_below_named(r->to, path);
	return is_own;
}

struct bw_error *bw_source_paths_add(struct bw_source_paths *p, const char *folder)
{
	p->version++;
	for (size_t i = 0; i < p->folders.len; i++) {
		if (strcmp(p->folders.data[i], folder) != 0)
			continue;
		free(p->folders.data[i]);
		bw_vec_remove(&p->folders, i);
		break;
	}
	return add_folder(p, folder, true);
}

struct bw_error *bw_source_paths_substitute(struct bw_source_paths *p, const char *from,
					    const char *to)
{
	struct bw_source_rule r = {strdup(from), strdup(to)};
	struct bw_error *err = r.from && r.to ? NULL : bw_error_nomem();
	bw_source_paths_forget(p, from);
	if (!err)
		err = bw_vec_push(&p->rules, r);
	if (err) {
		free(r.from);
		free(r.to);
	}
	return err;
}

bool bw_source_paths_forget(struct bw_source_paths *p, const char *from)
{
	bool any = false;
	p->version++;
	for (size_t i = p->rules.len; i-- > 0;) {
		struct bw_source_rule *r = &p->rules.data[i];
		if (from && strcmp(r->from, from) != 0)
			continue;
		free(r->from);
		free(r->to);
		bw_vec_remove(&p->rules, i);
		any = true;
	}
	return any;
}

bool bw_source_rule_fits(const struct bw_source_rule *r, const char *path)
{
	size_t n = strlen(r->from);
	return !strncmp(path, r->from, n) && (!path[n] || path[n] == '/');
}

static char *join(const char *a, const char *b)
{
	char *out;
	return asprintf(&out, "%s%s", a, b) < 0 ? NULL : out;
}

char *bw_source_paths_rewrite(const struct bw_source_paths *p, const char *path)
{
	bw_vec_each(&p->rules, r)
		if (bw_source_rule_fits(r, path))
			return join(r->to, path + strlen(r->from));
	return strdup(path);
}

static bool is_file(const char *path)
{
	struct stat st;
	return path && !stat(path, &st) && S_ISREG(st.st_mode);
}

/* Looks in a folder for the whole path, then without its first folders, down to the name alone. */
static char *find_in(const char *folder, const char *path)
{
	for (const char *p = path; p; p = strchr(p + 1, '/')) {
		char *full = join(folder, p);
		if (is_file(full))
			return full;
		free(full);
	}
	return NULL;
}

char *bw_source_paths_find(const struct bw_source_paths *p, const char *path)
{
	char *first = bw_source_paths_rewrite(p, path), *found = NULL;
	if (is_file(first))
		return first;
	for (size_t i = 0; first && first[0] == '/' && !found && i < p->folders.len; i++) {
		const char *folder = p->folders.data[i];
		char *cwd = !strcmp(folder, "$cwd") ? getcwd(NULL, 0) : NULL;
		if (cwd || folder[0] == '/')
			found = find_in(cwd ? cwd : folder, first);
		free(cwd);
	}
	free(first);
	return found;
}
