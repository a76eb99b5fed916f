/* SPDX-License-Identifier: MIT */
/* Takes the records of programs into the file or the ring. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "capture/pipeline.h"
#include "record/collect_priv.h"

void bw_collect_release_pages(struct bw_collect *c, struct source *s)
{
	if (c->ring)
		bw_capture_ring_release(c->ring, s->pages.data, s->pages.len);
	s->pages.len = 0;
}

/* Numbers of this connection become those of the file. */
static struct bw_error *translate(const struct source *s, struct bw_capture_runs *runs)
{
	struct bw_capture_runs out = {0};
	struct bw_error *err = NULL;
	for (size_t i = 0; !err && i < runs->len; i++) {
		struct bw_capture_run r = runs->data[i], one = {r.buffer, r.index, 1, 0};
		if (!r.page) {
			err = bw_capture_runs_add(&out, r);
			continue;
		}
		if (r.page > s->pages.len || r.count > s->pages.len - (r.page - 1))
			err = bw_errorf(BW_E_INVALID, "a record names pages that were not sent");
		for (uint64_t k = 0; !err && k < r.count; k++) {
			one.index = r.index + k;
			one.page = s->pages.data[r.page - 1 + k];
			err = bw_capture_runs_add(&out, one);
		}
	}
	bw_vec_free(runs);
	*runs = out;
	return err;
}

/* The number of an address space in the file. */
static struct bw_error *space_of(struct bw_collect *c, struct source *s, uint32_t file,
				 uint32_t *out)
{
	enum { FILES_MAX = 1 << 16 };
	if (!file || file > FILES_MAX)
		return bw_errorf(BW_E_INVALID, "a record names DRM file %u", file);
	while (s->files.len < file)
		BW_TRY(bw_vec_push(&s->files, 0));
	if (!s->files.data[file - 1])
		s->files.data[file - 1] = ++c->n_spaces;
	*out = s->files.data[file - 1];
	return NULL;
}

/* The number of a pipeline in the file or the ring; 0: it was not sent. */
static uint32_t number_of(const struct source *s, uint32_t id)
{
	for (size_t i = s->pipelines.len; id && i-- > 0;)
		if (s->pipelines.data[i].id == id)
			return s->pipelines.data[i].number;
	return 0;
}

static struct bw_error *take_pipeline(struct bw_collect *c, struct source *s)
{
	struct bw_capture_pipeline_sent sent;
	struct bw_capture_pipeline p = {0};
	struct collected_pipeline one = {0};
	if (s->msg.body_b < sizeof(sent))
		return bw_errorf(BW_E_INVALID, "a record is too short");
	memcpy(&sent, s->msg.body, sizeof(sent));
	const uint8_t *bytes = s->msg.body + sizeof(sent);
	size_t size_b = s->msg.body_b - sizeof(sent);
	if (s->pipelines.len >= BW_CAPTURE_PIPELINES_MAX)
		return NULL; /* its dispatches have no record */
	/* only what can be read goes into a file */
	BW_TRY(bw_capture_pipeline_decode(bytes, size_b, &p));
	bw_capture_pipeline_fini(&p);
	one.id = sent.id;
	if (c->ring)
		BW_TRY(bw_capture_ring_pipeline(c->ring, bytes, size_b, &one.number));
	else
		BW_TRY(bw_capture_writer_pipeline(c->w, bytes, size_b, &one.number));
	return bw_vec_push(&s->pipelines, one);
}

static struct bw_error *take_submission(struct bw_collect *c, struct source *s)
{
	struct bw_capture_submission sub = {0};
	const size_t fixed_b = sizeof(sub.summary);
	uint32_t space = 0;
	if (s->msg.body_b < fixed_b)
		return bw_errorf(BW_E_INVALID, "a record is too short");
	struct bw_error *err = bw_capture_submission_decode(
		s->msg.body + fixed_b, s->msg.body_b - fixed_b, BW_CAPTURE_VERSION, &sub);
	memcpy(&sub.summary, s->msg.body, fixed_b);
	sub.summary.comm[sizeof(sub.summary.comm) - 1] = '\0';
	if (!err)
		err = translate(s, &sub.runs);
	if (!err)
		err = space_of(c, s, sub.summary.space, &space);
	bw_vec_each(&sub.dispatches, d)
		d->made_of = number_of(s, d->made_of);
	bw_vec_each(&sub.draws, d)
		d->made_of = number_of(s, d->made_of);
	if (!err) {
		sub.summary.space = space;
		s->last = sub.summary.number = ++c->n_seen;
		c->n_taken++;
		if (c->ring)
			err = bw_capture_ring_submission(c->ring, &sub, c->came_ns);
		else
			err = bw_capture_writer_submission(c->w, &sub);
		c->n_written += !err && !c->ring;
	}
	s->last_space = space;
	bw_collect_release_pages(c, s);
	bw_capture_submission_fini(&sub);
	return err;
}

static struct bw_error *take_result(struct bw_collect *c, struct source *s)
{
	struct bw_capture_result r;
	struct bw_capture_runs runs = {0};
	if (s->msg.body_b < sizeof(r) || !s->last)
		return bw_errorf(BW_E_INVALID, "a result belongs to no submission");
	memcpy(&r, s->msg.body, sizeof(r));
	r.number = s->last;
	s->last = 0;
	c->n_results++;
	c->n_faults += r.result && r.fault_status;
	c->n_hangs += !r.has_ended || (r.result && !r.fault_status);
	struct bw_error *err =
		bw_capture_runs_decode(s->msg.body + sizeof(r), s->msg.body_b - sizeof(r), &runs);
	if (!err)
		err = translate(s, &runs);
	if (!err && c->ring)
		err = bw_capture_ring_result(c->ring, s->last_space, &r, &runs);
	else if (!err)
		err = bw_capture_writer_result(c->w, &r, &runs);
	bw_collect_release_pages(c, s);
	bw_vec_free(&runs);
	return err;
}

static struct bw_error *take_pages(struct bw_collect *c, struct source *s)
{
	size_t n = s->msg.body_b / BW_CAPTURE_PAGE_B;
	if (s->pages.len + n > BW_CAPTURE_SPACE_MAX_B / BW_CAPTURE_PAGE_B)
		return bw_errorf(BW_E_INVALID, "it sends pages without a record");
	BW_TRY(bw_vec_reserve(&s->pages, s->pages.len + n));
	for (size_t i = 0; i < n; i++) {
		const uint8_t *page = s->msg.body + i * BW_CAPTURE_PAGE_B;
		uint64_t number;
		if (c->ring)
			BW_TRY(bw_capture_ring_page(c->ring, page, &number));
		else
			BW_TRY(bw_capture_writer_page(c->w, page, &number));
		s->pages.data[s->pages.len++] = number;
	}
	return NULL;
}

static struct bw_error *take_hello(struct bw_collect *c, struct source *s)
{
	struct bw_capture_go go = {.wait_ms = c->wait_ms,
				   .asks = bw_capture_trigger_asks(&c->trigger),
				   .unseen_max_b = c->unseen_max_b};
	struct bw_msg_part part = {&go, sizeof(go)};
	struct bw_error *err = bw_hello_read(&s->msg, BW_CAPTURE_VERSION, &s->hello);
	if (bw_error_catch(&err, BW_E_UNSUPPORTED))
		go.result = -EPROTONOSUPPORT;
	else if (err)
		return err;
	else if (c->is_over)
		go.result = -ECANCELED;
	_cleanup_close_ int fd = -1;
	if (!go.result && c->ring && !s->area.shared)
		BW_TRY(bw_capture_area_make(&s->area, &fd));
	s->greeted = !go.result;
	c->n_processes += s->greeted;
	return bw_msg_answer(s->fd, BW_CAPTURE_GO, s->msg.seq, &part, fd);
}

static struct bw_error *take_drain(struct source *s)
{
	struct bw_capture_drain d;
	if (s->msg.body_b != sizeof(d))
		return bw_errorf(BW_E_INVALID, "a message is too short");
	memcpy(&d, s->msg.body, sizeof(d));
	return d.answers ? bw_msg_answer(s->fd, BW_CAPTURE_DRAINED, s->msg.seq, NULL, -1) : NULL;
}

static struct bw_error *take_ask(struct bw_collect *c, struct source *s)
{
	struct bw_capture_ask ask;
	struct bw_capture_candidate one = {.pid = s->hello.pid};
	struct bw_capture_answer answer;
	struct bw_msg_part part = {&answer, sizeof(answer)};
	if (s->msg.body_b < sizeof(ask))
		return bw_errorf(BW_E_INVALID, "a question is too short");
	memcpy(&ask, s->msg.body, sizeof(ask));
	one.frame = ask.frame;
	one.names = (const char *)s->msg.body + sizeof(ask);
	one.names_b = s->msg.body_b - sizeof(ask);
	answer.take = bw_capture_trigger_take(&c->trigger, &one);
	/* one that is taken is counted when it comes */
	c->n_seen += !answer.take;
	c->n_granted += answer.take;
	return bw_msg_answer(s->fd, BW_CAPTURE_ANSWER, s->msg.seq, &part, -1);
}

struct bw_error *bw_collect_take(struct bw_collect *c, struct source *s)
{
	if (!s->greeted && s->msg.type != BW_CAPTURE_HELLO)
		return bw_errorf(BW_E_INVALID, "its first message is wrong");
	switch (s->msg.type) {
	case BW_CAPTURE_HELLO:
		return take_hello(c, s);
	case BW_CAPTURE_PAGES:
		return take_pages(c, s);
	case BW_CAPTURE_PIPELINE:
		return take_pipeline(c, s);
	case BW_CAPTURE_SUBMISSION:
		return take_submission(c, s);
	case BW_CAPTURE_RESULT:
		return take_result(c, s);
	case BW_CAPTURE_ASK:
		return take_ask(c, s);
	case BW_CAPTURE_DRAIN:
		return take_drain(s);
	default:
		return bw_errorf(BW_E_INVALID, "a message of type %u", s->msg.type);
	}
}
