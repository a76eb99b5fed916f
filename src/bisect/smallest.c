/* SPDX-License-Identifier: MIT */
/* The smallest capture that still shows what a bisection has found: fewer submissions, dispatches,
 * buffers and pages, each time written and replayed. What shows something else is not taken. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "bisect/bisect.h"
#include "capture/reduce.h"
#include "capture/seek.h"

/* What can be left out, one by one. */
struct units {
	bool *out;	/* owned; by unit: it is left out */
	bool *eligible; /* owned; it may be */
	size_t n;
};

struct smallest {
	struct bw_bisect *b; /* a copy: its file is the candidate */
	struct bw_capture_reader *r;
	const struct bw_bisect_found *found;
	const struct bw_capture_submission *sub; /* the one that is bad */
	size_t index;				 /* its own */
	char path[4096];			 /* of the candidate */
	unsigned tries_max;
	/* what there is, and what of it is left out */
	struct bw_capture_space space; /* before it */
	struct bw_pm4_steps steps;
	struct bw_capture_places pages;
	struct units submissions, packets, buffers, zeros;
	/* what the candidate has to show */
	json_t *expected; /* owned; the answer of the replay of the first one; NULL: none yet */
	bool is_exact;	  /* the wrong bytes are the same each time */
	struct bw_capture_reduced made;
	uint64_t size_b;
};

static struct bw_error *units_init(struct units *u, size_t n)
{
	u->n = n;
	u->out = calloc(n + 1, sizeof(*u->out));
	u->eligible = calloc(n + 1, sizeof(*u->eligible));
	return u->out && u->eligible ? NULL : bw_error_nomem();
}

static void units_fini(struct units *u)
{
	free(u->out);
	free(u->eligible);
}

static size_t count_out(const struct units *u)
{
	size_t n = 0;
	for (size_t i = 0; i < u->n; i++)
		n += u->out[i];
	return n;
}

/* ---- Writing a candidate ---- */

static bool place_of(const struct smallest *m, uint64_t va, struct bw_capture_word *out)
{
	bw_vec_each(&m->space.maps, map) {
		if (va < map->va || va - map->va >= map->size_b)
			continue;
		out->buffer = map->buffer;
		out->offset_b = va - map->va + map->offset_b;
		return map->buffer;
	}
	return false;
}

static int by_place(const void *a, const void *b)
{
	const struct bw_capture_word *x = a, *y = b;
	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	return (x->offset_b > y->offset_b) - (x->offset_b < y->offset_b);
}

/* The packets that are left out, as NOPs. */
static struct bw_error *make_words(const struct smallest *m, struct bw_capture_words *out)
{
	for (size_t i = 0; i < m->packets.n; i++) {
		const struct bw_pm4_step *s = &m->steps.data[i];
		for (uint32_t k = 0; m->packets.out[i] && k < bw_pm4_step_changed(s); k++) {
			struct bw_capture_word w = {.value = bw_pm4_step_nop(s, k, 0)};
			if (place_of(m, s->va + (uint64_t)k * 4, &w))
				BW_TRY(bw_vec_push(out, w));
		}
	}
	if (out->len)
		qsort(out->data, out->len, sizeof(*out->data), by_place);
	return NULL;
}

static bool runs_dispatch(const struct smallest *m, size_t i)
{
	for (size_t k = 0; k < m->packets.n; k++)
		if (m->steps.data[k].va == m->sub->dispatches.data[i].packet_va)
			return !m->packets.out[k];
	return true;
}

static struct bw_error *make_reduction(const struct smallest *m, bool *kept, bool *no_dispatch,
				       struct bw_capture_reduction *out)
{
	for (size_t i = 0; i < m->submissions.n; i++)
		kept[i] = !m->submissions.out[i];
	kept[m->index] = true;
	for (size_t i = 0; i < m->sub->dispatches.len; i++)
		no_dispatch[i] = !runs_dispatch(m, i);
	out->kept = kept;
	out->last = m->index;
	out->no_dispatch = no_dispatch;
	out->no_runs = !m->found->differs && (count_out(&m->packets) || count_out(&m->zeros));
	for (size_t i = 0; i < m->buffers.n; i++)
		if (m->buffers.out[i])
			BW_TRY(bw_vec_push(&out->gone, m->space.buffers.data[i].info.id));
	for (size_t i = 0; i < m->zeros.n; i++)
		if (m->zeros.out[i])
			BW_TRY(bw_vec_push(&out->zeroed, m->pages.data[i]));
	return make_words(m, &out->words);
}

static struct bw_error *write_to(struct smallest *m, const struct bw_capture_reduction *how,
				 const char *path)
{
	struct bw_capture_writer *w;
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return bw_error_errno(errno, "cannot write %s", path);
	BW_TRY(bw_capture_writer_create(fd, bw_capture_reader_device(m->r), &w));
	struct bw_error *err = bw_capture_reduce(m->r, how, w, &m->made);
	m->size_b = bw_capture_writer_bytes(w);
	bw_capture_writer_free(w);
	return err;
}

static struct bw_error *write_candidate(struct smallest *m, const char *path)
{
	struct bw_capture_reduction how = {0};
	_cleanup_free_ bool *kept = calloc(m->submissions.n + 1, sizeof(*kept));
	_cleanup_free_ bool *no_dispatch = calloc(m->sub->dispatches.len + 1, sizeof(*no_dispatch));
	struct bw_error *err =
		kept && no_dispatch ? make_reduction(m, kept, no_dispatch, &how) : bw_error_nomem();
	if (!err)
		err = write_to(m, &how, path);
	bw_vec_free(&how.gone);
	bw_vec_free(&how.zeroed);
	bw_vec_free(&how.words);
	return err;
}

/* ---- Trying it ---- */

static bool same_member(const json_t *a, const json_t *b, const char *name)
{
	const json_t *x = json_object_get(a, name), *y = json_object_get(b, name);
	return (!x && !y) || (x && y && json_equal(x, y));
}

/* A word that is another one in each replay has now and then a byte as captured, so that the first
 * byte that differs is not always the same one. */
static bool same_word(const json_t *a, const json_t *b)
{
	const char *x = json_string_value(json_object_get(a, "offset"));
	const char *y = json_string_value(json_object_get(b, "offset"));
	const unsigned long long word_b = 4;
	if (!x || !y || !strcmp(x, y))
		return same_member(a, b, "offset") && same_member(a, b, "captured");
	return strtoull(x, NULL, 16) / word_b == strtoull(y, NULL, 16) / word_b;
}

/* Whether it is bad in the same way: the same kind of failure, the same page, the same word. */
static bool is_alike(struct smallest *m, const json_t *answer)
{
	static const char *const members[] = {"broke", "kind", "fault_page", "differs_after",
					      "buffer"};
	const char *replayed = json_string_value(json_object_get(answer, "replayed"));
	if (!m->expected) {
		m->expected = json_incref((json_t *)(uintptr_t)answer);
		m->is_exact = replayed && !strcmp(replayed, m->found->replayed);
		return true;
	}
	if (m->is_exact && !same_member(m->expected, answer, "replayed"))
		return false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(members); i++)
		if (!same_member(m->expected, answer, members[i]))
			return false;
	if (!same_word(m->expected, answer))
		return false;
	return json_integer_value(json_object_get(answer, "pages")) <=
	       json_integer_value(json_object_get(m->expected, "pages"));
}

/* What cannot be replayed is not bad in the same way. The command may end it all. */
static struct bw_error *run_part(struct smallest *m, const struct bw_bisect_part *part,
				 struct bw_bisect_outcome *out)
{
	struct bw_error *err = bw_bisect_try(m->b, part, out);
	if (err && !m->b->is_stopped && err->code != BW_E_NOMEM) {
		bw_error_free(err);
		*out = (struct bw_bisect_outcome){.verdict = BW_BISECT_SKIP};
		return NULL;
	}
	return err;
}

/* The number of the packet that does it; SIZE_MAX where that is not known. */
static size_t culprit(const struct smallest *m)
{
	const struct bw_bisect_found *f = m->found;
	for (size_t i = 0; i < m->steps.len; i++) {
		if (f->where == BW_BISECT_DISPATCH && f->dispatch < m->sub->dispatches.len &&
		    m->steps.data[i].va == m->sub->dispatches.data[f->dispatch].packet_va)
			return i;
		if (f->where == BW_BISECT_PACKET && i == f->packet)
			return i;
	}
	return SIZE_MAX;
}

/* It must still be what was found: without that dispatch or packet the candidate is good. Memory of
 * zeros can fail in another place in the same way. */
static struct bw_error *is_same_culprit(struct smallest *m, bool *out)
{
	size_t last = culprit(m);
	struct bw_bisect_part part = {.last = m->found->number, .limit = BW_BISECT_PACKETS};
	struct bw_bisect_outcome o;
	*out = true;
	if (last == SIZE_MAX || m->found->differs)
		return NULL;
	for (size_t i = 0; i < last; i++)
		part.n += !m->packets.out[i];
	BW_TRY(run_part(m, &part, &o));
	json_decref(o.answer);
	*out = o.verdict == BW_BISECT_GOOD;
	return NULL;
}

static struct bw_error *try_candidate(struct smallest *m, const char *what, bool *out_is_bad)
{
	const struct bw_bisect_part all = {.last = m->found->number};
	struct bw_bisect_outcome o;
	bw_bisect_begins(m->b, what);
	BW_TRY(write_candidate(m, m->path));
	BW_TRY(run_part(m, &all, &o));
	*out_is_bad = o.verdict == BW_BISECT_BAD && is_alike(m, o.answer);
	json_decref(o.answer);
	if (*out_is_bad)
		BW_TRY(is_same_culprit(m, out_is_bad));
	bw_bisect_ended(m->b, what, *out_is_bad ? BW_BISECT_BAD : BW_BISECT_GOOD);
	return NULL;
}

/* ---- Leaving out ---- */

/* Leaves out all of a kind that can be left out, in smaller and smaller groups. */
static struct bw_error *leave_out(struct smallest *m, struct units *u, const char *kind)
{
	size_t n = 0;
	for (size_t i = 0; i < u->n; i++)
		n += u->eligible[i];
	for (size_t group = n; group; group /= 2) {
		for (size_t at = 0; at < u->n;) {
			size_t end = at, taken = 0;
			char what[120];
			bool is_bad;
			for (; end < u->n && taken < group; end++)
				taken += u->eligible[end] && !u->out[end];
			if (!taken || m->b->n_tries >= m->tries_max)
				break;
			_cleanup_free_ bool *before = malloc(u->n + 1);
			if (!before)
				return bw_error_nomem();
			memcpy(before, u->out, u->n);
			for (size_t i = at; i < end; i++)
				u->out[i] |= u->eligible[i];
			snprintf(what, sizeof(what), "without %zu of the remaining %s", taken,
				 kind);
			BW_TRY(try_candidate(m, what, &is_bad));
			if (!is_bad)
				memcpy(u->out, before, u->n);
			at = end;
		}
	}
	return NULL;
}

/* The submission alone; else as few of those before it as it takes, without a gap at first. */
static struct bw_error *fewer_submissions(struct smallest *m, bool *out_is_bad)
{
	size_t tail = 1, good = 0;
	for (;;) {
		char what[80];
		for (size_t i = 0; i <= m->index; i++)
			m->submissions.out[i] = i + tail <= m->index;
		snprintf(what, sizeof(what), "the last %zu submission%s alone", tail,
			 tail == 1 ? "" : "s");
		BW_TRY(try_candidate(m, what, out_is_bad));
		if (*out_is_bad || tail > m->index)
			break;
		good = tail;
		tail = BW_MIN(tail * 2, m->index + 1);
	}
	if (!*out_is_bad || !good)
		return NULL;
	for (size_t i = 0; i < m->index; i++)
		m->submissions.eligible[i] = !m->submissions.out[i];
	return leave_out(m, &m->submissions, "submissions");
}

/* All that is after it, then the dispatches in front of it. */
static struct bw_error *fewer_packets(struct smallest *m)
{
	size_t last = culprit(m);
	bool is_bad = false, any = false;
	for (size_t i = 0; last != SIZE_MAX && i < m->packets.n; i++)
		any |= m->packets.out[i] = i > last;
	if (any)
		BW_TRY(try_candidate(m, "without the packets after it", &is_bad));
	if (any && !is_bad)
		memset(m->packets.out, 0, m->packets.n);
	for (size_t i = 0; i < m->packets.n; i++)
		for (size_t k = 0; i != last && k < m->sub->dispatches.len; k++)
			m->packets.eligible[i] |=
				m->sub->dispatches.data[k].packet_va == m->steps.data[i].va;
	return leave_out(m, &m->packets, bw_capture_work_name(m->sub, 2));
}

static bool lies_at(const struct smallest *m, uint64_t va, uint64_t id, uint64_t page)
{
	struct bw_capture_word w;
	return place_of(m, va, &w) && w.buffer == id &&
	       (page == UINT64_MAX || w.offset_b / BW_CAPTURE_PAGE_B == page);
}

/* Whether command streams or the code of a dispatch or draw lie there; page UINT64_MAX: anywhere in
 * the buffer. That they are needed need not be tried. */
static bool holds_work(const struct smallest *m, uint64_t id, uint64_t page)
{
	bw_vec_each(&m->steps, s)
		if (lies_at(m, s->va, id, page))
			return true;
	for (size_t i = 0; i < m->sub->dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &m->sub->dispatches.data[i];
		if (runs_dispatch(m, i) &&
		    (lies_at(m, d->code_va, id, page) ||
		     (d->draw && lies_at(m, bw_capture_draw_of(m->sub, d)->code_va, id, page))))
			return true;
	}
	return false;
}

/* Buffers that the command reads stay. */
static bool is_wanted(const struct smallest *m, uint64_t id)
{
	if (holds_work(m, id, UINT64_MAX))
		return true;
	bw_vec_each(&m->b->buffers, b) {
		struct bw_capture_word w;
		if (b->what == id || (place_of(m, b->what, &w) && w.buffer == id))
			return true;
	}
	return false;
}

static struct bw_error *fewer_buffers(struct smallest *m)
{
	for (size_t i = 0; i < m->buffers.n; i++)
		m->buffers.eligible[i] = !is_wanted(m, m->space.buffers.data[i].info.id);
	return leave_out(m, &m->buffers, "buffers");
}

/* Pages of buffers that are still there, as they are before the first submission that is kept. */
static struct bw_error *list_pages(struct smallest *m)
{
	struct bw_capture_space first = {0};
	struct bw_capture_submission sub = {0};
	size_t at = 0, n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(m->r, &n);
	while (at < m->index && (m->submissions.out[at] || e[at].summary.space != m->space.number))
		at++;
	struct bw_error *err = bw_capture_seek(m->r, at, &first, &sub);
	bw_vec_each(&first.buffers, b) {
		for (uint64_t i = 0; !err && i < b->n_pages; i++)
			if (b->page[i])
				err = bw_vec_push(&m->pages,
						  ((struct bw_capture_place){b->info.id, i}));
	}
	bw_capture_space_fini(&first);
	bw_capture_submission_fini(&sub);
	return err;
}

static struct bw_error *fewer_pages(struct smallest *m)
{
	BW_TRY(list_pages(m));
	BW_TRY(units_init(&m->zeros, m->pages.len));
	for (size_t i = 0; i < m->zeros.n; i++) {
		m->zeros.eligible[i] =
			!holds_work(m, m->pages.data[i].buffer, m->pages.data[i].index);
		for (size_t k = 0; k < m->buffers.n; k++)
			if (m->buffers.out[k] &&
			    m->space.buffers.data[k].info.id == m->pages.data[i].buffer)
				m->zeros.eligible[i] = false;
	}
	return leave_out(m, &m->zeros, "pages");
}

/* ---- All of it ---- */

static struct bw_error *reduce(struct smallest *m)
{
	bool is_bad;
	BW_TRY(fewer_submissions(m, &is_bad));
	if (!is_bad)
		return bw_errorf(BW_E_STATE, "written to a file of its own, it is not bad in the "
					     "same way again: no smaller capture was made");
	BW_TRY(fewer_packets(m));
	BW_TRY(fewer_buffers(m));
	return fewer_pages(m);
}

static struct bw_error *prepare(struct smallest *m)
{
	struct bw_capture_submission same = {0};
	BW_TRY(bw_capture_find(m->r, m->found->number, &m->index));
	struct bw_error *err = bw_capture_seek(m->r, m->index, &m->space, &same);
	bw_capture_submission_fini(&same);
	BW_TRY(err);
	err = bw_bisect_steps(m->r, m->found->number, &m->steps);
	if (err && err->code == BW_E_UNSUPPORTED) {
		bw_error_free(err);
		err = NULL;
	}
	BW_TRY(err);
	BW_TRY(units_init(&m->submissions, m->index + 1));
	BW_TRY(units_init(&m->packets, m->steps.len));
	return units_init(&m->buffers, m->space.buffers.len);
}

static void describe(const struct smallest *m, struct bw_bisect_smallest *out)
{
	size_t n;
	bw_capture_reader_entries(m->r, &n);
	*out = (struct bw_bisect_smallest){
		.size_b = m->size_b,
		.all_b = bw_capture_reader_size(m->r),
		.n_submissions = m->made.n_submissions,
		.all_submissions = n,
		.all_dispatches = m->sub->dispatches.len,
		.kinds = bw_capture_work_name(m->sub, m->sub->dispatches.len),
		.n_written_dispatches = m->made.n_dispatches,
		.n_buffers = m->buffers.n - count_out(&m->buffers),
		.all_buffers = m->buffers.n,
		.n_pages = m->zeros.n - count_out(&m->zeros),
		.all_pages = m->pages.len,
	};
	for (size_t i = 0; i < m->sub->dispatches.len; i++)
		out->n_dispatches += runs_dispatch(m, i);
}

/* The last word is a replay of what is written. */
static struct bw_error *finish(struct smallest *m, const char *path)
{
	bool is_bad;
	BW_TRY(try_candidate(m, "the smallest capture", &is_bad));
	if (!is_bad)
		return bw_errorf(BW_E_STATE, "the smallest capture is not bad in the same way each "
					     "time: it was not written");
	return write_candidate(m, path);
}

struct bw_error *bw_bisect_smallest(struct bw_bisect *b, struct bw_capture_reader *r,
				    const struct bw_bisect_found *f,
				    const struct bw_capture_submission *s, const char *path,
				    struct bw_bisect_smallest *out)
{
	struct bw_bisect candidate = *b;
	struct smallest m = {.b = &candidate, .r = r, .found = f, .sub = s};
	m.tries_max = b->n_tries + b->smallest_tries;
	snprintf(m.path, sizeof(m.path), "%s/candidate.bwc", b->folder.path);
	candidate.file = m.path;
	struct bw_error *err = prepare(&m);
	if (!err)
		err = reduce(&m);
	if (!err)
		err = finish(&m, path);
	b->n_tries = candidate.n_tries;
	if (!err)
		describe(&m, out);
	json_decref(m.expected);
	bw_capture_space_fini(&m.space);
	bw_vec_free(&m.steps);
	bw_vec_free(&m.pages);
	units_fini(&m.submissions);
	units_fini(&m.packets);
	units_fini(&m.buffers);
	units_fini(&m.zeros);
	return err;
}
