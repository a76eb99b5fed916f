/* SPDX-License-Identifier: MIT */
#include "sym/names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/table.h"

enum { KEPT_MAX_B = 1 << 24 };

/* The copies, by a hash of the name. */
struct kept {
	uint64_t id;
	char *name, *line;
};
static struct {
	pthread_mutex_t lock;
	struct BW_TABLE(struct kept) names;
	size_t size_b;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char unkept[] = "(a name with control characters)";

static bool is_line(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	return true;
}

/* FNV-1a */
static uint64_t hash_of(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return h | 1; /* a number of the table is not 0 */
}

static const char *keep(const char *name)
{
	struct kept *old = bw_table_find(&g.names, hash_of(name));
	struct kept new = {.id = hash_of(name)};
	const size_t n = strlen(name) + 1;
	if (old)
		return strcmp(old->name, name) ? unkept : old->line;
	if (n > KEPT_MAX_B / 2 || g.size_b > KEPT_MAX_B - 2 * n)
		return unkept;
	new.name = strdup(name);
	new.line = strdup(name);
	struct bw_error *err = new.name &&new.line ? bw_table_add(&g.names, new) : bw_error_nomem();
	if (err) {
		bw_error_free(err);
		free(new.name);
		free(new.line);
		return unkept;
	}
	bw_make_line(new.line, 0);
	g.size_b += 2 * n;
	return new.line;
}

const char *bw_name_line(const char *name)
{
	if (!name || is_line(name))
		return name;
	pthread_mutex_lock(&g.lock);
	name = keep(name);
	pthread_mutex_unlock(&g.lock);
	return name;
}
