/* SPDX-License-Identifier: MIT */
/* The search: submissions are halved, then the parts of the one that is bad. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "bisect/bisect.h"
#include "capture/seek.h"

void bw_bisect_fini(struct bw_bisect *b)
{
	bw_vec_free(&b->buffers);
	bw_vec_free(&b->overrides);
	bw_vec_free(&b->shaders);
}

void bw_bisect_begins(const struct bw_bisect *b, const char *what)
{
	b->listener.begins(b->listener.cookie, b, what);
}

void bw_bisect_ended(struct bw_bisect *b, const char *what, enum bw_bisect_verdict verdict)
{
	if (b->n_left)
		b->n_left--;
	b->listener.ended(b->listener.cookie, b, what, verdict);
}

/* ---- Halving ---- */

/* Tries `n` of a part; sets the verdict. */
struct halving {
	struct bw_bisect *b;
	struct bw_error *(*try)(struct halving *h, size_t n, enum bw_bisect_verdict *out);
	size_t good, bad; /* the answer; bad - good > 1: those between were skipped */
	uint32_t number;  /* of the submission, where parts of one are tried */
	int limit;
	/* where parts of a submission are tried: its name for one and for several of them */
	const char *kind, *kinds;
	const struct bw_bisect_numbers *numbers; /* where submissions are tried */
	char how[200];				 /* of the last one that was bad */
};

static unsigned halvings(size_t range)
{
	unsigned n = 0;
	for (; range > 1; range = (range + 1) / 2)
		n++;
	return n;
}

/* The one nearest to the middle of (good, bad) that was not skipped; 0: none. */
static size_t middle_of(const struct halving *h, const bool *skipped)
{
	size_t middle = h->good + (h->bad - h->good) / 2;
	for (size_t d = 0; d <= h->bad - h->good; d++) {
		if (middle + d < h->bad && !skipped[middle + d])
			return middle + d;
		if (middle > h->good + d && !skipped[middle - d])
			return middle - d;
	}
	return 0;
}

/* From h->good to h->bad. */
static struct bw_error *halve(struct halving *h)
{
	_cleanup_free_ bool *skipped = calloc(h->bad + 1, sizeof(*skipped));
	if (!skipped)
		return bw_error_nomem();
	while (h->bad - h->good > 1) {
		enum bw_bisect_verdict verdict;
		size_t middle = middle_of(h, skipped);
		if (!middle)
			return NULL;
		h->b->n_left = halvings(h->bad - h->good);
		BW_TRY(h->try(h, middle, &verdict));
		if (verdict == BW_BISECT_BAD)
			h->bad = middle;
		else if (verdict == BW_BISECT_GOOD)
			h->good = middle;
		else
			skipped[middle] = true;
	}
	return NULL;
}

/* ---- Parts of a submission ---- */

static struct bw_error *try_part(struct halving *h, size_t n, enum bw_bisect_verdict *out)
{
	const struct bw_bisect_part part = {h->number, h->number, h->limit, (uint32_t)n};
	const bool packets = h->limit == BW_BISECT_PACKETS;
	const char *kind = packets ? "packet" : h->kind, *kinds = packets ? "packets" : h->kinds;
	struct bw_bisect_outcome o;
	char what[120];
	if (h->limit == BW_BISECT_WHOLE)
		snprintf(what, sizeof(what), "submission %u alone", h->number);
	else if (n == 0)
		snprintf(what, sizeof(what), "submission %u without its %s", h->number, kinds);
	else if (n == 1)
		snprintf(what, sizeof(what), "the first %s of submission %u", kind, h->number);
	else
		snprintf(what, sizeof(what), "the first %zu %s of submission %u", n, kinds,
			 h->number);
	bw_bisect_begins(h->b, what);
	BW_TRY(bw_bisect_try(h->b, &part, &o));
	json_decref(o.answer);
	*out = o.verdict;
	bw_bisect_ended(h->b, what, o.verdict);
	return NULL;
}

/* The smallest number of dispatches with which it is bad; the last of them is the one. */
static struct bw_error *find_dispatch(struct halving *h, size_t n, struct bw_bisect_found *f)
{
	enum bw_bisect_verdict verdict;
	h->limit = BW_BISECT_DISPATCHES;
	h->b->n_left = 1 + halvings(n);
	BW_TRY(h->try(h, 0, &verdict));
	f->where = BW_BISECT_NO_DISPATCH;
	if (verdict == BW_BISECT_BAD)
		return NULL;
	h->good = 0;
	h->bad = n;
	BW_TRY(halve(h));
	f->where = BW_BISECT_DISPATCH;
	f->dispatch = h->bad - 1;
	f->n_unsure = h->bad - h->good - 1;
	return NULL;
}

static struct bw_error *find_packet(struct halving *h, struct bw_pm4_steps *steps,
				    const struct bw_capture_submission *s,
				    struct bw_bisect_found *f)
{
	enum bw_bisect_verdict verdict;
	h->limit = BW_BISECT_PACKETS;
	h->b->n_left = 1 + halvings(steps->len);
	BW_TRY(h->try(h, 0, &verdict));
	f->n_packets = steps->len;
	f->where = BW_BISECT_BEFORE;
	if (verdict == BW_BISECT_BAD)
		return NULL;
	h->good = 0;
	h->bad = steps->len;
	BW_TRY(halve(h));
	f->where = BW_BISECT_PACKET;
	f->packet = h->bad - 1;
	f->n_unsure = h->bad - h->good - 1;
	f->step = steps->data[f->packet];
	for (size_t i = 0; i < s->dispatches.len; i++) {
		if (s->dispatches.data[i].packet_va != f->step.va)
			continue;
		f->where = BW_BISECT_DISPATCH;
		f->dispatch = i;
	}
	return NULL;
}

/* What in the submission is bad: alone, with the memory that the capture has before it. */
static struct bw_error *find_part(struct bw_bisect *b, struct bw_capture_reader *r,
				  const struct bw_capture_submission *s, struct bw_bisect_found *f)
{
	struct halving h = {.b = b,
			    .try = try_part,
			    .number = f->number,
			    .kind = bw_capture_work_name(s, 1),
			    .kinds = bw_capture_work_name(s, 2)};
	struct bw_pm4_steps steps = {0};
	enum bw_bisect_verdict verdict;
	b->n_left = 2 + halvings(s->dispatches.len);
	BW_TRY(h.try(&h, 0, &verdict));
	f->is_good_alone = verdict == BW_BISECT_GOOD;
	if (verdict != BW_BISECT_BAD)
		return NULL;
	f->where = BW_BISECT_NO_DISPATCH;
	if (s->dispatches.len)
		BW_TRY(find_dispatch(&h, s->dispatches.len, f));
	if (f->where != BW_BISECT_NO_DISPATCH)
		return NULL;
	struct bw_error *err = bw_bisect_steps(r, f->number, &steps);
	if (!err && steps.len)
		err = find_packet(&h, &steps, s, f);
	bw_vec_free(&steps);
	if (err && err->code == BW_E_UNSUPPORTED) {
		bw_error_free(err);
		err = NULL;
	}
	return err;
}

/* ---- Submissions ---- */

/* The replay has said by which packet memory differs. */
static void take_blame(const json_t *answer, struct bw_bisect_found *f)
{
	const json_t *by = json_object_get(answer, "by_packet");
	const json_t *dispatch = json_object_get(by, "dispatch");
	const char *kind = json_string_value(json_object_get(answer, "by"));
	const char *replayed = json_string_value(json_object_get(answer, "replayed"));
	snprintf(f->replayed, sizeof(f->replayed), "%s", replayed ? replayed : "");
	if (kind && !strcmp(kind, "not written"))
		f->where = BW_BISECT_NOT_WRITTEN;
	f->is_good_alone = kind && !strcmp(kind, "not alone");
	if (!by)
		return;
	f->where = dispatch ? BW_BISECT_DISPATCH : BW_BISECT_PACKET;
	f->dispatch = (size_t)json_integer_value(dispatch);
	f->packet = (size_t)json_integer_value(json_object_get(by, "number"));
	f->n_packets = (size_t)json_integer_value(json_object_get(by, "of"));
}

/* The packet that the replay has named by its number. */
static struct bw_error *find_step(struct bw_capture_reader *r, struct bw_bisect_found *f)
{
	struct bw_pm4_steps steps = {0};
	struct bw_error *err = bw_bisect_steps(r, f->number, &steps);
	if (!err && f->packet < steps.len)
		f->step = steps.data[f->packet];
	else if (!err)
		f->where = BW_BISECT_SUBMISSION;
	bw_vec_free(&steps);
	return err;
}

/* The first one that fails or differs stops the replay, so that one replay finds it. */
static struct bw_error *find_stop(struct bw_bisect *b, struct bw_bisect_found *f)
{
	const struct bw_bisect_part all = {.last = UINT32_MAX};
	struct bw_bisect_outcome o;
	b->n_left = 3;
	bw_bisect_begins(b, "all submissions");
	BW_TRY(bw_bisect_try(b, &all, &o));
	if (o.verdict == BW_BISECT_BAD) {
		f->number = o.number;
		f->differs = o.differs;
		snprintf(f->how, sizeof(f->how), "%s", o.how);
		if (o.differs)
			take_blame(o.answer, f);
	} else if (o.failed) {
		snprintf(f->other, sizeof(f->other), "submission %u %s", o.number, o.how);
	}
	json_decref(o.answer);
	return NULL;
}

/* After the n-th of the submissions. */
static struct bw_error *try_until(struct halving *h, size_t n, enum bw_bisect_verdict *out)
{
	const struct bw_bisect_part part = {.last = h->numbers->data[n - 1]};
	struct bw_bisect_outcome o;
	char what[80];
	snprintf(what, sizeof(what), "all up to submission %u", part.last);
	bw_bisect_begins(h->b, what);
	BW_TRY(bw_bisect_try(h->b, &part, &o));
	json_decref(o.answer);
	*out = o.verdict;
	if (o.verdict == BW_BISECT_BAD)
		snprintf(h->how, sizeof(h->how), "%s", o.how);
	bw_bisect_ended(h->b, what, o.verdict);
	return NULL;
}

/* By the user's command: good in front of all of them, bad after the last one. */
static struct bw_error *find_by_command(struct bw_bisect *b, struct bw_capture_reader *r,
					struct bw_bisect_found *f)
{
	struct bw_bisect_numbers numbers = {0};
	struct halving h = {.b = b, .try = try_until, .numbers = &numbers};
	enum bw_bisect_verdict verdict = BW_BISECT_GOOD;
	struct bw_error *err = bw_bisect_candidates(b, r, &numbers);
	h.bad = numbers.len;
	b->n_left = 3 + halvings(numbers.len);
	if (!err)
		err = h.try(&h, h.bad, &verdict);
	if (!err && verdict == BW_BISECT_SKIP)
		snprintf(f->other, sizeof(f->other),
			 "the command cannot tell after the last submission (125)");
	if (!err && verdict == BW_BISECT_BAD)
		err = halve(&h);
	if (!err && verdict == BW_BISECT_BAD) {
		f->number = numbers.data[h.bad - 1];
		f->n_unsure_submissions = (uint32_t)(h.bad - h.good - 1);
		snprintf(f->how, sizeof(f->how), "%s", h.how);
	}
	bw_vec_free(&numbers);
	return err;
}

/* ---- All of it ---- */

static bool is_overridden(const struct bw_bisect *b, uint32_t number)
{
	bw_vec_each(&b->overrides, o)
		if (o->number == number)
			return true;
	return false;
}

struct bw_error *bw_bisect_search(struct bw_bisect *b, struct bw_capture_reader *r,
				  struct bw_bisect_found *f, struct bw_capture_submission *s)
{
	size_t index = 0, n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	*f = (struct bw_bisect_found){.where = BW_BISECT_SUBMISSION};
	BW_TRY(b->command ? find_by_command(b, r, f) : find_stop(b, f));
	if (!f->number)
		return NULL;
	BW_TRY(bw_capture_find(r, f->number, &index));
	BW_TRY(bw_capture_reader_submission(r, &e[index], s));
	/* the packets of an override are not those of the capture */
	if (is_overridden(b, f->number))
		f->where = BW_BISECT_OVERRIDE;
	else if (!f->differs)
		return find_part(b, r, s, f);
	else if (f->where == BW_BISECT_PACKET)
		return find_step(r, f);
	return NULL;
}
