/* SPDX-License-Identifier: MIT */
#include "capture/capture.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/shown.h"
#include "base/util.h"
#include "capture/record_priv.h"

enum { HAS_MAPS = 1, HAS_OBJECTS = 2, CHUNK_MAX_B = 1 << 20 };

const char *bw_capture_ip_name(uint32_t ip_type)
{
	/* AMDGPU_HW_IP_* of amdgpu_drm.h */
	static const char *const names[] = {"gfx",	"compute",    "SDMA",	    "UVD",
					    "VCE",	"UVD encode", "VCN decode", "VCN encode",
					    "VCN JPEG", "VPE"};
	return ip_type < BW_ARRAY_SIZE(names) ? names[ip_type] : "unknown";
}

void bw_capture_ring_text(const struct bw_capture_summary *s, bool with_word, char *out,
			  size_t room)
{
	enum { COMPUTE = 1 };
	bool is_aql = !s->ctx_id && s->ip_type == COMPUTE;
	snprintf(out, room, "%s%s %u", is_aql ? "AQL" : bw_capture_ip_name(s->ip_type),
		 is_aql	     ? " queue"
		 : with_word ? " ring"
			     : "",
		 s->ring);
}

static const char *failure(int result)
{
	/* as the kernel sets them: amdgpu_ring_soft_recovery, amdgpu_device_gpu_recover */
	switch (result) {
	case -ENODATA:
	case -ETIME:
		return "the driver ended its waves";
	case -ECANCELED:
		return "the driver reset its ring or the GPU";
	default:
		return bw_error_result(result);
	}
}

void bw_capture_how(const struct bw_capture_result *r, char *out, size_t room)
{
	if (!r->has_ended)
		snprintf(out, room, "did not end");
	else if (!r->result)
		snprintf(out, room, "was done");
	else if (r->fault_status)
		snprintf(out, room, "failed with a page fault at 0x%llx (status %#x)",
			 (unsigned long long)r->fault_va, r->fault_status);
	else
		snprintf(out, room, "failed: %s", failure(r->result));
}

void bw_capture_submission_fini(struct bw_capture_submission *s)
{
	bw_vec_each(&s->chunks, c)
		free(c->data);
	bw_vec_free(&s->chunks);
	bw_vec_free(&s->buffers);
	bw_vec_free(&s->gone);
	bw_vec_free(&s->maps);
	bw_vec_free(&s->runs);
	bw_vec_free(&s->ibs);
	bw_vec_free(&s->dispatches);
	bw_vec_free(&s->pushes);
	bw_vec_free(&s->bound);
	bw_vec_free(&s->args);
	bw_vec_free(&s->objects);
	bw_vec_free(&s->labels);
	bw_vec_free(&s->draws);
	memset(s, 0, sizeof(*s));
}

/* ---- dispatches and draws ---- */

struct bw_capture_dispatch bw_capture_pixel_shader(const struct bw_capture_draw *d)
{
	struct bw_capture_dispatch s = {
		.code_va = d->code_va, .hash = d->hash, .made_of = d->made_of};
	memcpy(s.pipeline, d->pipeline, sizeof(s.pipeline));
	memcpy(s.module, d->module, sizeof(s.module));
	memcpy(s.entry, d->entry, sizeof(s.entry));
	memcpy(s.file, d->file, sizeof(s.file));
	return s;
}

void bw_capture_set_pixel_shader(struct bw_capture_draw *d,
				 const struct bw_capture_dispatch *shader)
{
	d->code_va = shader->code_va;
	d->hash = shader->hash;
	d->made_of = shader->made_of;
	memcpy(d->pipeline, shader->pipeline, sizeof(d->pipeline));
	memcpy(d->module, shader->module, sizeof(d->module));
	memcpy(d->entry, shader->entry, sizeof(d->entry));
	memcpy(d->file, shader->file, sizeof(d->file));
}

struct bw_error *bw_capture_add_work(struct bw_capture_submission *s,
				     const struct bw_capture_dispatch *d,
				     const struct bw_capture_draw *draw)
{
	struct bw_capture_dispatch one = *d;
	if (draw)
		BW_TRY(bw_vec_push(&s->draws, *draw));
	one.draw = draw ? (uint32_t)s->draws.len : 0;
	BW_TRY(bw_vec_push(&s->dispatches, one));
	s->summary.n_draws = (uint32_t)s->draws.len;
	s->summary.n_dispatches = (uint32_t)(s->dispatches.len - s->draws.len);
	return NULL;
}

const char *bw_capture_shader_name(const char *pipeline, const char *file)
{
	return *file ? file : *pipeline ? pipeline : "the driver's own";
}

const char *bw_capture_work_name(const struct bw_capture_submission *s, size_t n)
{
	if (!s->draws.len)
		return n == 1 ? "dispatch" : "dispatches";
	if (s->draws.len == s->dispatches.len)
		return n == 1 ? "draw" : "draws";
	return n == 1 ? "dispatch or draw" : "dispatches and draws";
}

/* ---- labels ---- */

const char *bw_capture_label(const struct bw_capture_submission *s,
			     const struct bw_capture_dispatch *d)
{
	return d->label_b ? (const char *)s->labels.data + d->label_at : d->label;
}

struct bw_error *bw_capture_set_label(struct bw_capture_submission *s,
				      struct bw_capture_dispatch *d, const char *text, size_t n)
{
	const size_t kept = BW_MIN(n, (size_t)BW_CAPTURE_LABEL_MAX_B - 1);
	const size_t at = s->labels.len;
	memcpy(d->label, text, BW_MIN(n, sizeof(d->label) - 1));
	if (n < sizeof(d->label) || at > UINT32_MAX - BW_CAPTURE_LABEL_MAX_B)
		return NULL;
	BW_TRY(bw_vec_reserve(&s->labels, at + kept + 1));
	memcpy(s->labels.data + at, text, kept);
	if (kept < n)
		memcpy(s->labels.data + at + kept - 3, "...", 3);
	s->labels.data[at + kept] = 0;
	s->labels.len = at + kept + 1;
	d->label_at = (uint32_t)at;
	d->label_b = (uint32_t)kept + 1;
	return NULL;
}

/* ---- to bytes ---- */

struct bw_error *bw_record_put(struct bw_capture_bytes *out, const void *data, size_t size_b)
{
	BW_TRY(bw_vec_reserve(out, out->len + size_b));
	if (size_b)
		memcpy(out->data + out->len, data, size_b);
	out->len += size_b;
	return NULL;
}

static struct bw_error *put_u64(struct bw_capture_bytes *out, uint64_t value)
{
	return bw_record_put(out, &value, sizeof(value));
}

struct bw_error *bw_record_put_array(struct bw_capture_bytes *out, const void *data, size_t n,
				     size_t elem_b)
{
	BW_TRY(put_u64(out, n));
	return bw_record_put(out, data, n * elem_b);
}

static struct bw_error *put_all(const struct bw_capture_submission *s, struct bw_capture_bytes *out)
{
	BW_TRY(put_u64(out, (s->has_maps ? HAS_MAPS : 0) | (s->has_objects ? HAS_OBJECTS : 0)));
	BW_TRY(put_u64(out, s->fence_buffer));
	BW_TRY(put_u64(out, s->fence_offset_b));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->buffers));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->gone));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->maps));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->runs));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->ibs));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->dispatches));
	BW_TRY(put_u64(out, s->chunks.len));
	bw_vec_each(&s->chunks, c) {
		BW_TRY(bw_record_put(out, &c->id, sizeof(c->id)));
		BW_TRY(bw_record_put(out, &c->size_b, sizeof(c->size_b)));
		BW_TRY(bw_record_put(out, c->data, c->size_b));
	}
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->pushes));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->bound));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->args));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->objects));
	BW_TRY(BW_RECORD_PUT_VEC(out, &s->labels));
	return BW_RECORD_PUT_VEC(out, &s->draws);
}

struct bw_error *bw_capture_submission_encode(const struct bw_capture_submission *s,
					      struct bw_capture_bytes *out)
{
	struct bw_error *err = put_all(s, out);
	if (err)
		bw_vec_free(out);
	return err;
}

struct bw_error *bw_capture_runs_encode(const struct bw_capture_runs *runs,
					struct bw_capture_bytes *out)
{
	return BW_RECORD_PUT_VEC(out, runs);
}

struct bw_error *bw_capture_runs_add(struct bw_capture_runs *runs, struct bw_capture_run one)
{
	struct bw_capture_run *last = runs->len ? &runs->data[runs->len - 1] : NULL;
	if (last && last->buffer == one.buffer && last->index + last->count == one.index &&
	    (last->page ? one.page == last->page + last->count : !one.page)) {
		last->count += one.count;
		return NULL;
	}
	return bw_vec_push(runs, one);
}

/* ---- from bytes ---- */

static struct bw_error *bad(const char *what)
{
	return bw_errorf(BW_E_INVALID, "the record of a submission is damaged: %s", what);
}

/* Elements, as many as a count says that stands before them; no more than there are bytes. */
static struct bw_error *get_array(struct bw_cursor *c, size_t elem_b, const void **out,
				  size_t *out_n)
{
	uint64_t n = bw_cursor_u64(c);
	if (c->overrun || n > bw_cursor_left(c) / elem_b)
		return bad("it is too short");
	*out = bw_cursor_bytes(c, n * elem_b);
	*out_n = n;
	return NULL;
}

#define GET_VEC(c, v)                                                                              \
	({                                                                                         \
		const void *from_;                                                                 \
		size_t n_;                                                                         \
		struct bw_error *err_ = get_array(c, sizeof(*(v)->data), &from_, &n_);             \
		if (!err_)                                                                         \
			err_ = bw_vec_reserve(v, n_);                                              \
		if (!err_ && n_)                                                                   \
			memcpy((v)->data, from_, n_ * sizeof(*(v)->data));                         \
		if (!err_)                                                                         \
			(v)->len = n_;                                                             \
		err_;                                                                              \
	})

static struct bw_error *get_chunks(struct bw_cursor *c, struct bw_capture_submission *out)
{
	uint64_t n = bw_cursor_u64(c);
	if (c->overrun)
		return bad("it is too short");
	for (uint64_t i = 0; i < n; i++) {
		struct bw_capture_chunk one = {bw_cursor_u32(c), bw_cursor_u32(c), NULL};
		const void *data =
			one.size_b <= CHUNK_MAX_B ? bw_cursor_bytes(c, one.size_b) : NULL;
		if (c->overrun || !data)
			return bad("it is too short");
		BW_TRY(bw_vec_reserve(&out->chunks, out->chunks.len + 1));
		one.data = malloc(one.size_b ? one.size_b : 1);
		if (!one.data)
			return bw_error_nomem();
		memcpy(one.data, data, one.size_b);
		out->chunks.data[out->chunks.len++] = one;
	}
	return NULL;
}

static struct bw_error *get_dispatches(struct bw_cursor *c, uint32_t version,
				       struct bw_capture_submission *out)
{
	const size_t elem_b = version < BW_CAPTURE_VERSION_SHADERS
				      ? offsetof(struct bw_capture_dispatch, hash)
			      : version < BW_CAPTURE_VERSION_PIPELINES
				      ? offsetof(struct bw_capture_dispatch, made_of)
			      : version < BW_CAPTURE_VERSION_GIVEN
				      ? offsetof(struct bw_capture_dispatch, block_va)
			      : version < BW_CAPTURE_VERSION_LABELS
				      ? offsetof(struct bw_capture_dispatch, label_at)
				      : sizeof(struct bw_capture_dispatch);
	const void *from;
	size_t n;
	BW_TRY(get_array(c, elem_b, &from, &n));
	BW_TRY(bw_vec_reserve(&out->dispatches, n));
	for (size_t i = 0; i < n; i++) {
		struct bw_capture_dispatch one = {0};
		memcpy(&one, (const uint8_t *)from + i * elem_b, elem_b);
		char *const names[] = {one.pipeline, one.label, one.module, one.entry, one.file};
		for (size_t k = 0; k < BW_ARRAY_SIZE(names); k++)
			names[k][sizeof(one.pipeline) - 1] = '\0';
		if (version < BW_CAPTURE_VERSION_DRAWS)
			one.draw = 0;
		out->dispatches.data[out->dispatches.len++] = one;
	}
	return NULL;
}

static bool is_part(uint32_t at, uint32_t n, size_t of)
{
	return at <= of && n <= of - at;
}

/* Reads the arguments of dispatches, and the objects of the space. */
static struct bw_error *get_given(struct bw_cursor *c, struct bw_capture_submission *out)
{
	BW_TRY(GET_VEC(c, &out->pushes));
	BW_TRY(GET_VEC(c, &out->bound));
	BW_TRY(GET_VEC(c, &out->args));
	BW_TRY(GET_VEC(c, &out->objects));
	if (out->objects.len > BW_CAPTURE_OBJECTS_MAX)
		return bad("it has too many objects");
	/* none is part of two dispatches, so that a small record stays small */
	uint64_t push_b = 0, n_bound = 0, n_args = 0;
	bw_vec_each(&out->dispatches, d) {
		push_b += d->push_b;
		n_bound += d->n_bound;
		n_args += d->n_args;
		if (d->n_bound > BW_CAPTURE_BOUND_MAX ||
		    !is_part(d->push_at, d->push_b, out->pushes.len) ||
		    !is_part(d->bound_at, d->n_bound, out->bound.len) ||
		    !is_part(d->args_at, d->n_args, out->args.len) || push_b > out->pushes.len ||
		    n_bound > out->bound.len || n_args > out->args.len)
			return bad("a dispatch refers to data that the record does not have");
	}
	bw_vec_each(&out->args, a)
		a->name[sizeof(a->name) - 1] = a->type[sizeof(a->type) - 1] = '\0';
	bw_vec_each(&out->objects, o) {
		if (o->kind != BW_CAPTURE_OBJECT_BUFFER && o->kind != BW_CAPTURE_OBJECT_IMAGE)
			return bad("an object has an unknown kind");
		o->name[sizeof(o->name) - 1] = '\0';
	}
	return NULL;
}

/* Labels that are longer than a dispatch has room for; as with what it was given, none is that of
 * two dispatches. */
static struct bw_error *get_labels(struct bw_cursor *c, struct bw_capture_submission *out)
{
	uint64_t label_b = 0;
	BW_TRY(GET_VEC(c, &out->labels));
	bw_vec_each(&out->dispatches, d) {
		label_b += d->label_b;
		if (d->label_b &&
		    (d->label_b > BW_CAPTURE_LABEL_MAX_B || label_b > out->labels.len ||
		     !is_part(d->label_at, d->label_b, out->labels.len) ||
		     out->labels.data[d->label_at + d->label_b - 1]))
			return bad("the record does not have the label of a dispatch");
	}
	return NULL;
}

/* Each is of one dispatch, and both are in one order. */
static struct bw_error *get_draws(struct bw_cursor *c, struct bw_capture_submission *out)
{
	uint32_t n = 0;
	BW_TRY(GET_VEC(c, &out->draws));
	bw_vec_each(&out->dispatches, d)
		if (d->draw && d->draw != ++n)
			return bad("its draws are not in their order");
	if (n != out->draws.len)
		return bad("it has other draws than its dispatches say");
	bw_vec_each(&out->draws, d) {
		char *const names[] = {d->pipeline, d->module, d->entry, d->file};
		for (size_t k = 0; k < BW_ARRAY_SIZE(names); k++)
			names[k][sizeof(d->pipeline) - 1] = '\0';
	}
	return NULL;
}

static struct bw_error *get_all(struct bw_cursor *c, uint32_t version,
				struct bw_capture_submission *out)
{
	uint64_t flags = bw_cursor_u64(c);
	out->has_maps = flags & HAS_MAPS;
	out->has_objects = version >= BW_CAPTURE_VERSION_GIVEN && flags & HAS_OBJECTS;
	out->fence_buffer = bw_cursor_u64(c);
	out->fence_offset_b = bw_cursor_u64(c);
	BW_TRY(GET_VEC(c, &out->buffers));
	BW_TRY(GET_VEC(c, &out->gone));
	BW_TRY(GET_VEC(c, &out->maps));
	BW_TRY(GET_VEC(c, &out->runs));
	BW_TRY(GET_VEC(c, &out->ibs));
	BW_TRY(get_dispatches(c, version, out));
	BW_TRY(get_chunks(c, out));
	if (version >= BW_CAPTURE_VERSION_GIVEN)
		BW_TRY(get_given(c, out));
	if (version >= BW_CAPTURE_VERSION_LABELS)
		BW_TRY(get_labels(c, out));
	if (version >= BW_CAPTURE_VERSION_DRAWS)
		BW_TRY(get_draws(c, out));
	return bw_cursor_left(c) ? bad("it is too long") : NULL;
}

struct bw_error *bw_capture_submission_decode(const void *bytes, size_t size_b, uint32_t version,
					      struct bw_capture_submission *out)
{
	struct bw_cursor c = bw_cursor(bytes, size_b);
	struct bw_error *err = get_all(&c, version, out);
	if (err)
		bw_capture_submission_fini(out);
	return err;
}

struct bw_error *bw_capture_runs_decode(const void *bytes, size_t size_b,
					struct bw_capture_runs *out)
{
	struct bw_cursor c = bw_cursor(bytes, size_b);
	struct bw_error *err = GET_VEC(&c, out);
	if (!err && bw_cursor_left(&c))
		err = bad("it is too long");
	if (err)
		bw_vec_free(out);
	return err;
}
