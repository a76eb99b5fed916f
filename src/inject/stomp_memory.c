/* SPDX-License-Identifier: MIT */
#include "inject/stomp_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "wire/vgpu_proto.h"

/* ---- Which ---- */

static const char *const what_names[] = {"lds", "scratch", "vgprs", "sgprs"};

const char *bw_stomp_what_name(uint32_t bit)
{
	for (unsigned i = 0; i < BW_ARRAY_SIZE(what_names); i++)
		if (bit == 1u << i)
			return what_names[i];
	return NULL;
}

/* 0: it is not such a word. */
static uint32_t what_of(const char *text, size_t n)
{
	for (unsigned i = 0; i < BW_ARRAY_SIZE(what_names); i++)
		if (n == strlen(what_names[i]) && !strncmp(text, what_names[i], n))
			return 1u << i;
	return 0;
}

static struct bw_error *take_number(const char *text, size_t n, uint32_t *out)
{
	char number[24];
	uint64_t v;
	snprintf(number, sizeof(number), "%.*s", (int)BW_MIN(n, sizeof(number) - 1), text);
	if (n >= sizeof(number) || !bw_parse_u64(number, &v) || !v || v > UINT32_MAX)
		return bw_errorf(
			BW_E_INVALID,
			"--stomp-memory: \"%s\" is not the number of a buffer (from 1), lds, "
			"scratch, vgprs or sgprs",
			number);
	*out = (uint32_t)v;
	return NULL;
}

static struct bw_error *add_ranges(const char *text, struct bw_stomp_ranges *out,
				   uint32_t *out_what)
{
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t n = strcspn(at, ","), dash = strcspn(at, ",-");
		struct bw_stomp_range r;
		uint32_t what = what_of(at, n);
		*out_what |= what;
		if (what)
			continue;
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

struct bw_error *bw_stomp_choose(const char *ranges, const char *except,
				 struct bw_stomp_choice *out)
{
	struct bw_stomp_ranges not = {0}, *all = &out->buffers;
	uint32_t what = 0, not_what = 0;
	struct bw_error *err = ranges ? add_ranges(ranges, all, &what)
				      : bw_vec_push(all, ((struct bw_stomp_range){1, UINT32_MAX}));
	if (!err)
		err = add_ranges(except, &not, &not_what);
	for (size_t i = 0; !err && i < not.len; i++)
		err = leave_out(&not.data[i], all);
	bw_vec_free(&not);
	if (!err && all->len > BW_STOMP_RANGES_MAX)
		err = bw_errorf(BW_E_INVALID, "--stomp-memory: more than %d ranges",
				BW_STOMP_RANGES_MAX);
	out->names_waves = what;
	out->waves = (struct bw_stomp_waves){.what = (ranges ? what : (uint32_t)BW_VGPU_STOMP_ALL) &
						     ~not_what,
					     .last_submission = UINT32_MAX,
					     .last_dispatch = UINT32_MAX};
	return err;
}

void bw_stomp_choice_fini(struct bw_stomp_choice *c)
{
	bw_vec_free(&c->buffers);
}

/* ---- The folder ---- */

struct bw_error *bw_stomp_memory_begin(const struct bw_stomp_choice *c, bool is_virtual,
				       struct bw_folder *folder)
{
	struct bw_stomp_waves waves = c->waves;
	if (c->names_waves && !is_virtual)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"--stomp-memory: LDS, scratch, VGPRs and SGPRs of new waves are filled by the "
			"virtual GPU (--gpu virtual); of this GPU new buffers alone can be filled, by "
			"their numbers");
	waves.what = is_virtual ? waves.what : 0;
	BW_TRY(bw_folder_need(BW_FOLDER_DEBUG, folder));
	BW_TRY(bw_folder_write(folder, BW_STOMP_RANGES_FILE, "wbe", c->buffers.data,
			       c->buffers.len * sizeof(*c->buffers.data)));
	return bw_folder_write(folder, BW_STOMP_WAVES_FILE, "wbe", &waves, sizeof(waves));
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

static void report_waves(const struct bw_folder *folder, bool is_virtual, struct bw_out *o)
{
	_cleanup_fclose_ FILE *f = bw_folder_read(folder, BW_STOMP_SUBMISSIONS_FILE);
	struct bw_stomp_submission b;
	unsigned n = 0, n_filled = 0, last = 0;
	uint32_t what = 0;
	while (f && fread(&b, sizeof(b), 1, f) == 1) {
		n++;
		n_filled += b.what != 0;
		what |= b.what;
		last = BW_MAX(last, b.number);
	}
	struct bw_str names = {0};
	json_t *list = json_array();
	for (uint32_t bit = 1; bit < BW_VGPU_STOMP_ALL; bit <<= 1)
		if (what & bit) {
			bw_str_add_next(&names, bw_stomp_what_name(bit));
			json_array_append_new(list, json_string(bw_stomp_what_name(bit)));
		}
	if (!is_virtual)
		bw_out_line(o,
			    "LDS, scratch, VGPRs and SGPRs were not filled: the virtual GPU alone "
			    "does that.");
	else
		bw_out_line(o, "In %u of %u submissions new waves were filled%s%s.", n_filled, n,
			    what ? ": " : "", bw_str_text(&names));
	bw_out_bool(o, "fills_waves", is_virtual);
	bw_out_int(o, "submissions", last);
	bw_out_int(o, "submissions_filled", n_filled);
	bw_out_json(o, "waves", list);
	bw_str_free(&names);
}

struct bw_error *bw_stomp_memory_report(const struct bw_folder *folder, bool is_virtual,
					struct bw_out *o)
{
	enum { SHOWN_MAX = 1 << 16 };
	unsigned counts[4] = {0}, n = 0;
	struct bw_stomp_buffer b;
	_cleanup_fclose_ FILE *f = bw_folder_read(folder, BW_STOMP_FILLED_FILE);
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
	report_waves(folder, is_virtual, o);
	bw_out_end(o);
	return NULL;
}
