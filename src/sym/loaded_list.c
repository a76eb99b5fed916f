/* SPDX-License-Identifier: MIT */
#include "sym/loaded_list.h"

enum { MAX_CODES = 65536, MAX_URI_B = 1016 };

/* The first members of both structs, for a program of 64 bits. */
struct list {
	int32_t version, pad;
	uint64_t first;
};
struct entry {
	uint64_t base, name, dynamic, next, prev;
};

/* Byte after byte: its end may be that of the program's memory. */
static void read_text(uint64_t va, const struct bw_loaded_walk *walk, char *out, size_t room)
{
	size_t n = 0;
	while (n + 1 < room && walk->read(walk->cookie, va + n, out + n, 1) && out[n])
		n++;
	out[n] = '\0';
}

bool bw_loaded_list(uint64_t list, const struct bw_loaded_walk *walk)
{
	struct list l;
	struct entry e;
	char uri[MAX_URI_B];
	if (!walk->read(walk->cookie, list, &l, sizeof(l)))
		return false;
	uint64_t at = l.first;
	for (unsigned n = 0; at && n < MAX_CODES; n++) {
		if (!walk->read(walk->cookie, at, &e, sizeof(e)))
			return false;
		read_text(e.name, walk, uri, sizeof(uri));
		if (!walk->each(walk->cookie, e.base, uri))
			return true;
		at = e.next;
	}
	return true;
}
