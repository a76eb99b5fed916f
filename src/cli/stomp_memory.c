/* SPDX-License-Identifier: MIT */
#include "cli/stomp_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/str.h"
#include "base/util.h"

struct bw_stomp_memory {
	struct bw_folder folder;
};

/* ---- Which ---- */

static struct bw_error *take_number(const char *text, size_t n, uint32_t *out)
{
	char number[24];
	uint64_t v;
	snprintf(number, sizeof(number), "%.*s", (int)BW_MIN(n, sizeof(number) - 1), text);
	if (n >= sizeof(number) || !bw_parse_u64(number, &v) || !v || v > UINT32_MAX)
		return bw_errorf(BW_E_INVALID,
				 "--stomp-memory: \"%s\" is no number of a buffer, from 1", number);
	*out = (uint32_t)v;
	return NULL;
}

static struct bw_error *add_ranges(const char *text, struct bw_stomp_ranges *out)
{
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t n = strcspn(at, ","), dash = strcspn(at, ",-");
		struct bw_stomp_range r;
		BW_TRY(take_number(at, dash, &r.first));
		r.last = r.first;
		if (dash < n)
			BW_TRY(take_number(at + dash + 1, n - dash - 1, &r.last));
		if (r.last < r.first)
			return bw_errorf(BW_E_INVALID, "--stomp-memory: %u comes after %u", r.first,
					 r.last);
		if (out->len == BW_STOMP_RANGES_MAX)
			return bw_errorf(BW_E_INVALID, "--stomp-memory: more than %d ranges",
					 BW_STOMP_RANGES_MAX);
		BW_TRY(bw_vec_push(out, r));
	}
	return NULL;
}

/* Takes one range out of all: each may become two. */
static struct bw_error *leave_out(const struct bw_stomp_range *x, struct bw_stomp_ranges *all)
{
	struct bw_stomp_ranges left = {0};
	struct bw_error *err = NULL;
	bw_vec_each(all, r) {
		struct bw_stomp_range below = {r->first, BW_MIN(r->last, x->first - 1)};
		struct bw_stomp_range above = {
			x->last < UINT32_MAX ? BW_MAX(r->first, x->last + 1) : UINT32_MAX, r->last};
		if (!err && r->first < x->first)
			err = bw_vec_push(&left, below);
		if (!err && x->last < r->last)
			err = bw_vec_push(&left, above);
	}
	bw_vec_free(all);
	*all = left;
	return err;
}

struct bw_error *bw_stomp_ranges_make(const char *ranges, const char *except,
				      struct bw_stomp_ranges *out)
{
	struct bw_stomp_ranges not = {0};
	struct bw_error *err = ranges ? add_ranges(ranges, out)
				      : bw_vec_push(out, ((struct bw_stomp_range){1, UINT32_MAX}));
	if (!err)
		err = add_ranges(except, &not);
	for (size_t i = 0; !err && i < not.len; i++)
		err = leave_out(&not.data[i], out);
	bw_vec_free(&not);
	if (!err && out->len > BW_STOMP_RANGES_MAX)
		err = bw_errorf(BW_E_INVALID, "--stomp-memory: more than %d ranges",
				BW_STOMP_RANGES_MAX);
	return err;
}

/* ---- The folder ---- */

struct bw_error *bw_stomp_memory_begin(const struct bw_stomp_ranges *r,
				       struct bw_stomp_memory **out)
{
	_cleanup_free_ char *path = NULL;
	struct bw_stomp_memory *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	s->folder = (struct bw_folder)BW_FOLDER_INIT;
	struct bw_error *err = bw_folder_make(BW_FOLDER_DEBUG, &s->folder);
	if (!err && (asprintf(&path, "%s/" BW_STOMP_RANGES_FILE, s->folder.path) < 0 ||
		     setenv(BW_STOMP_FOLDER_ENV, s->folder.path, 1)))
		err = bw_error_nomem();
	_cleanup_fclose_ FILE *f = err ? NULL : fopen(path, "wbe");
	if (!err &&
	    (!f || (r->len && fwrite(r->data, sizeof(*r->data), r->len, f) != r->len) || fflush(f)))
		err = bw_error_errno(errno, "cannot write %s", path);
	if (err)
		bw_stomp_memory_end(s);
	else
		*out = s;
	return err;
}

void bw_stomp_memory_end(struct bw_stomp_memory *s)
{
	if (!s)
		return;
	bw_folder_remove(&s->folder);
	free(s);
}

/* ---- The report ---- */

static json_t *buffer_json(const struct bw_stomp_buffer *b)
{
	static const char *const why[] = {[BW_STOMP_NOT_CHOSEN] = "not chosen",
					  [BW_STOMP_MUST_BE_ZERO] = "must be zero",
					  [BW_STOMP_NOT_SEEN] = "the CPU may not see it"};
	json_t *one = json_object();
	json_object_set_new(one, "process", json_integer(b->pid));
	json_object_set_new(one, "number", json_integer(b->number));
	json_object_set_new(one, "bytes", json_integer((json_int_t)b->size_b));
	json_object_set_new(one, "vram", json_boolean(b->domains & 4)); /* AMDGPU_GEM_DOMAIN_VRAM */
	json_object_set_new(one, "filled", json_boolean(b->result == BW_STOMP_FILLED));
	if (b->result && b->result < BW_ARRAY_SIZE(why))
		json_object_set_new(one, "why", json_string(why[b->result]));
	return one;
}

struct bw_error *bw_stomp_memory_report(const struct bw_stomp_memory *s, struct bw_out *o)
{
	enum { SHOWN_MAX = 1 << 16 };
	_cleanup_free_ char *path = NULL;
	unsigned counts[4] = {0}, n = 0;
	struct bw_stomp_buffer b;
	if (asprintf(&path, "%s/" BW_STOMP_FILLED_FILE, s->folder.path) < 0)
		return bw_error_nomem();
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	json_t *list = json_array();
	bw_out_begin(o, "event", "stomped");
	while (f && fread(&b, sizeof(b), 1, f) == 1) {
		counts[BW_MIN(b.result, (uint32_t)BW_STOMP_NOT_SEEN)]++;
		if (n++ < SHOWN_MAX)
			json_array_append_new(list, buffer_json(&b));
	}
	bw_out_line(
		o,
		"--stomp-memory: %u of %u new buffers were filled with 0x%08x; %u not chosen, %u "
		"must be zero, %u the CPU may not see.",
		counts[BW_STOMP_FILLED], n, (uint32_t)BW_STOMP_MEMORY_WORD,
		counts[BW_STOMP_NOT_CHOSEN], counts[BW_STOMP_MUST_BE_ZERO],
		counts[BW_STOMP_NOT_SEEN]);
	bw_out_int(o, "filled", counts[BW_STOMP_FILLED]);
	bw_out_json(o, "buffers", list);
	bw_out_end(o);
	return NULL;
}
