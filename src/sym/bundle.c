/* SPDX-License-Identifier: MIT */
#include "sym/bundle.h"

#include <string.h>

#include "base/cursor.h"
#include "base/str.h"
#include "base/util.h"

static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__", compressed[] = "CCOB";
enum { MAGIC_B = sizeof(magic) - 1, ENTRIES_MAX = 1024, NAMED_MAX = 16 };

static bool begins(const void *data, size_t size_b, const char *text)
{
	return size_b >= strlen(text) && !memcmp(data, text, strlen(text));
}

bool bw_bundle_is(const void *data, size_t size_b)
{
	return begins(data, size_b, magic) || begins(data, size_b, compressed);
}

/* "hipv4-amdgcn-amd-amdhsa--gfx1100" or "...-gfx90a:sramecc+": the part after the last '-', up to
 * the GPU's features. Points into id; NULL: the host's entry, or one without a GPU. */
static const char *gpu_of(const char *id, size_t len, size_t *out_len)
{
	const char *colon = memchr(id, ':', len);
	size_t end = colon ? (size_t)(colon - id) : len, at = end;
	while (at && id[at - 1] != '-')
		at--;
	*out_len = end - at;
	return *out_len > 3 && !memcmp(id + at, "gfx", 3) ? id + at : NULL;
}

static struct bw_error *damaged(const char *path)
{
	return bw_errorf(BW_E_INVALID, "%s: damaged offload bundle", path);
}

struct bw_error *bw_bundle_find(const void *data, size_t size_b, const char *path, const char *gpu,
				const uint8_t **out_data, size_t *out_size_b)
{
	if (begins(data, size_b, compressed))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is a compressed offload bundle: take the code object out of it, "
			"clang-offload-bundler-19 --type=o --unbundle",
			path);
	struct bw_cursor c = bw_cursor(data, size_b);
	bw_cursor_bytes(&c, MAGIC_B);
	uint64_t n = bw_cursor_u64(&c);
	if (c.overrun || n > ENTRIES_MAX)
		return damaged(path);
	struct bw_str names = {0};
	bool found = false;
	for (uint64_t i = 0; i < n && !found; i++) {
		uint64_t offset = bw_cursor_u64(&c), entry_b = bw_cursor_u64(&c);
		uint64_t id_b = bw_cursor_u64(&c);
		const char *id = bw_cursor_bytes(&c, id_b);
		if (!id || offset > size_b || entry_b > size_b - offset) {
			bw_str_free(&names);
			return damaged(path);
		}
		size_t len;
		const char *name = gpu_of(id, id_b, &len);
		if (!name)
			continue;
		found = len == strlen(gpu) && !memcmp(name, gpu, len);
		if (found) {
			*out_data = (const uint8_t *)data + offset;
			*out_size_b = entry_b;
		} else if (i < NAMED_MAX) {
			bw_str_add(&names, names.len ? ", " : "");
			bw_str_addn(&names, name, len);
		}
	}
	struct bw_error *err = NULL;
	if (!found)
		err = bw_errorf(BW_E_INVALID, "%s has no code for %s; it has code for %s", path,
				gpu, names.len ? bw_str_text(&names) : "no AMD GPU");
	bw_str_free(&names);
	return err;
}
