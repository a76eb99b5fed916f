/* SPDX-License-Identifier: MIT */
/* Files that the driver writes for people to read. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/vec.h"
#include "kmd/kmd_priv.h"

struct bw_error *bw_kmd_text(struct bw_kmd *kmd, const char *file, struct bw_str *out)
{
	enum { MAX_B = 1 << 20 };
	struct bw_kmd_file *f;
	char bytes[4096];
	size_t done = 1;
	struct bw_error *err = NULL;
	BW_TRY(bw_kmd_file_open(kmd, file, false, &f));
	for (uint64_t pos = 0; !err && done && pos < MAX_B; pos += done) {
		err = bw_kmd_file_read(f, pos, bytes, sizeof(bytes), &done);
		if (!err)
			bw_str_addn(out, bytes, done);
	}
	bw_kmd_file_close(f);
	if (!err && out->failed)
		err = bw_error_nomem();
	return err;
}

/* ---- Fences ---- */

/* The number after these words, at the beginning of a line. */
static bool number_after(const char *line, const char *words, uint32_t *out)
{
	if (!bw_starts_with(line, words))
		return false;
	*out = (uint32_t)strtoul(line + strlen(words), NULL, 16);
	return true;
}

/* "--- ring 1 (comp_1.0.0) ---", then "Last signaled fence          0x0000002a" and "Last emitted
 * ...", the first of which counts: amdgpu_debugfs_fence_info_show of Linux 6.12 */
struct bw_error *bw_kmd_parse_fences(const char *text, struct bw_kmd_ring_fences **out,
				     size_t *out_n)
{
	struct BW_VEC(struct bw_kmd_ring_fences) all = {0};
	struct bw_kmd_ring_fences ring = {0};
	bool has_signaled = false;
	struct bw_error *err = NULL;
	for (const char *line = text; !err && *line; line += strcspn(line, "\n"), line += !!*line) {
		char name[sizeof(ring.ring)];
		if (sscanf(line, "--- ring %*u (%31[^)\n]) ---", name) == 1) {
			memcpy(ring.ring, name, sizeof(name));
			has_signaled = false;
		} else if (ring.ring[0] && !has_signaled) {
			has_signaled = number_after(line, "Last signaled fence ", &ring.signaled);
		} else if (ring.ring[0] && number_after(line, "Last emitted ", &ring.emitted)) {
			err = bw_vec_push(&all, ring);
			ring.ring[0] = 0;
		}
	}
	if (err) {
		bw_vec_free(&all);
		return err;
	}
	*out = all.data;
	*out_n = all.len;
	return NULL;
}

struct bw_error *bw_kmd_fences(struct bw_kmd *kmd, struct bw_kmd_ring_fences **out, size_t *out_n)
{
	struct bw_str text = {0};
	struct bw_error *err = bw_kmd_text(kmd, "amdgpu_fence_info", &text);
	if (!err)
		err = bw_kmd_parse_fences(bw_str_text(&text), out, out_n);
	bw_str_free(&text);
	return err;
}
