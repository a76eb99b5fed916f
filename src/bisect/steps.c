/* SPDX-License-Identifier: MIT */
/* What a bisection knows of a capture without replaying it: packets, and where buffers are. */
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "bisect/bisect.h"
#include "capture/seek.h"
#include "pm4/describe.h"

enum { IP_SDMA = 2 }; /* AMDGPU_HW_IP_DMA; compute is 1, graphics is 0 */

struct memory {
	struct bw_capture_reader *r;
	struct bw_capture_space space;
	struct bw_capture_submission sub;
};

static void memory_fini(struct memory *m)
{
	bw_capture_space_fini(&m->space);
	bw_capture_submission_fini(&m->sub);
}

static struct bw_error *memory_of(struct bw_capture_reader *r, uint32_t number, struct memory *out)
{
	size_t index;
	*out = (struct memory){.r = r};
	BW_TRY(bw_capture_find(r, number, &index));
	return bw_capture_seek(r, index, &out->space, &out->sub);
}

static bool read_words(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	struct memory *m = cookie;
	struct bw_error *err = bw_capture_read(m->r, &m->space, va, out, n * 4);
	bw_error_free(err);
	return !err;
}

static struct bw_error *walk(struct memory *m, struct bw_pm4_steps *out)
{
	struct BW_VEC(struct bw_pm4_walk_stream) streams = {0};
	struct bw_error *err = NULL;
	uint32_t n_unseen;
	for (size_t i = 0; !err && i < m->sub.ibs.len; i++) {
		const struct bw_capture_ib *ib = &m->sub.ibs.data[i];
		if (ib->ip_type > IP_SDMA)
			err = bw_errorf(BW_E_UNSUPPORTED, "packets of %s rings are not known",
					bw_capture_ip_name(ib->ip_type));
		else
			err = bw_vec_push(&streams,
					  ((struct bw_pm4_walk_stream){ib->va, ib->size_b / 4,
								       ib->ip_type == IP_SDMA}));
	}
	const struct bw_pm4_walk w = {streams.data, streams.len, read_words, m};
	if (!err)
		err = bw_pm4_walk(&w, out, &n_unseen);
	bw_vec_free(&streams);
	return err;
}

struct bw_error *bw_bisect_steps(struct bw_capture_reader *r, uint32_t number,
				 struct bw_pm4_steps *out)
{
	struct memory m;
	struct bw_error *err = memory_of(r, number, &m);
	if (!err)
		err = walk(&m, out);
	memory_fini(&m);
	return err;
}

struct bw_error *bw_bisect_describe(struct bw_capture_reader *r, uint32_t number,
				    const struct bw_pm4_step *s, struct bw_str *out)
{
	enum { SHOWN_MAX_DW = 1 << 16 };
	struct memory m;
	struct bw_pm4_names names = {0};
	struct bw_pm4_packet pm4;
	struct bw_sdma_packet sdma;
	uint32_t n = BW_MIN(s->size_dw, (uint32_t)SHOWN_MAX_DW);
	_cleanup_free_ uint32_t *dw = calloc(n, 4);
	if (!dw)
		return bw_error_nomem();
	_cleanup_error_ struct bw_error *no_names =
		bw_pm4_names_of(bw_capture_reader_device(r)->gc_version, &names);
	struct bw_error *err = memory_of(r, number, &m);
	bool is_read = !err && read_words(&m, s->va, dw, n);
	memory_fini(&m);
	if (!is_read || s->is_bad)
		return err;
	if (s->is_sdma && bw_sdma_at(dw, n, 0, &sdma))
		bw_sdma_describe(&sdma, out);
	else if (!s->is_sdma && bw_pm4_at(dw, n, 0, &pm4))
		bw_pm4_describe(&names, &pm4, out);
	return out->failed ? bw_error_nomem() : NULL;
}

/* ---- Buffers ---- */

static bool has_buffer(const struct bw_capture_space *s, uint64_t what)
{
	if (bw_capture_space_buffer(s, what))
		return true;
	bw_vec_each(&s->maps, m)
		if (what >= m->va && what - m->va < m->size_b)
			return bw_capture_space_buffer(s, m->buffer);
	return false;
}

struct spaces BW_VEC(struct bw_capture_space);

static struct bw_error *space_of(struct spaces *all, uint32_t number, struct bw_capture_space **out)
{
	bw_vec_each(all, s) {
		if (s->number == number) {
			*out = s;
			return NULL;
		}
	}
	BW_TRY(bw_vec_push(all, ((struct bw_capture_space){.number = number})));
	*out = &all->data[all->len - 1];
	return NULL;
}

/* The space that a submission leaves; whether it has all buffers. */
static struct bw_error *look(struct bw_bisect *b, struct bw_capture_reader *r,
			     const struct bw_capture_entry *e, struct spaces *all, bool *out_has)
{
	struct bw_capture_submission sub = {0};
	struct bw_capture_space *s;
	BW_TRY(space_of(all, e->summary.space, &s));
	struct bw_error *err = bw_capture_reader_submission(r, e, &sub);
	*out_has = !bw_error_catch(&err, BW_E_INVALID); /* damaged: no replay runs it */
	if (!*out_has)
		return NULL;
	if (!err)
		err = bw_capture_space_apply(s, &sub);
	bw_capture_submission_fini(&sub);
	bw_vec_each(&b->buffers, what)
		*out_has &= has_buffer(s, what->what);
	return bw_error_wrap(err, "submission %u", e->summary.number);
}

struct bw_error *bw_bisect_candidates(struct bw_bisect *b, struct bw_capture_reader *r,
				      struct bw_bisect_numbers *out)
{
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	struct spaces all = {0};
	uint32_t space = 0;
	_cleanup_free_ bool *has = calloc(n + 1, sizeof(*has));
	struct bw_error *err = has ? NULL : bw_error_nomem();
	for (size_t i = 0; !err && i < n; i++) {
		has[i] = !b->buffers.len;
		if (b->buffers.len)
			err = look(b, r, &e[i], &all, &has[i]);
		if (has[i])
			space = e[i].summary.space;
	}
	for (size_t i = 0; !err && i < n; i++)
		if (has[i] && (!b->buffers.len || e[i].summary.space == space))
			err = bw_vec_push(out, e[i].summary.number);
	bw_vec_each(&all, s)
		bw_capture_space_fini(s);
	bw_vec_free(&all);
	if (!err && !out->len)
		err = bw_errorf(BW_E_NOT_FOUND,
				"no submission has all of the buffers that the command names "
				"(\"breakwater capture show\" lists them)");
	return err;
}
