/* SPDX-License-Identifier: MIT */
#include "cli/capture.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"
#include "wire/capture_area.h"
#include "wire/capture_proto.h"
#include "wire/message.h"

/* How long what is sent behind the end is taken. */
#define END_NS 2000000000ull

/* A process. */
struct source {
	int fd;
	bool greeted;
	struct bw_capture_hello hello;
	/* of those sent since the last record: numbers in the file, or ids in the ring, which they
	 * are held in meanwhile */
	struct BW_VEC(uint64_t) pages;
	struct BW_VEC(uint32_t) files; /* DRM file n + 1 of the process: its address space here */
	uint32_t last, last_space;     /* its submission that has no result yet; 0: none */
	struct bw_msg_pieces said;     /* on its socket, as far as it has come */
	struct bw_msg msg;	       /* the one that is taken */
	struct bw_capture_area area;   /* its records come there, where there is a ring */
};

struct bw_collect {
	struct bw_capture_writer *w;
	struct bw_capture_ring *ring; /* NULL: records go into the file at once */
	int listening, stop_fd;
	uint32_t wait_ms;
	bool is_over;	  /* the file is complete: what comes is not for it */
	uint64_t came_ns; /* when the last record came */
	/* seen: also those that the trigger has not taken; granted: those that it has taken; taken:
	 * those of them that came */
	uint32_t n_seen, n_granted, n_taken, n_results, n_faults, n_hangs, n_processes, n_spaces,
		n_written;
	struct bw_capture_trigger trigger;
	int orders; /* capture_orders.h */
	unsigned n_put_off;
	bool is_written_by_order;
	char file[sizeof(((struct bw_capture_ordered *)NULL)->file)];
	struct BW_VEC(struct source *) sources; /* owned */
};

struct bw_error *bw_collect_open(struct bw_capture_writer *w, const struct bw_collect_options *o,
				 struct bw_collect **out)
{
	struct bw_error *err = NULL;
	struct bw_collect *c = calloc(1, sizeof(*c));
	if (!c)
		return bw_error_nomem();
	*c = (struct bw_collect){.w = w,
				 .listening = -1,
				 .orders = -1,
				 .stop_fd = o->stop_fd,
				 .wait_ms = o->wait_ms,
				 .trigger = o->trigger};
	snprintf(c->file, sizeof(c->file), "%s", o->file);
	bw_capture_trigger_begin(&c->trigger);
	if (o->has_ring || o->trigger.waits)
		err = bw_orders_listen(&c->orders);
	if (!err && o->has_ring)
		err = bw_capture_ring_new(&o->limits, &c->ring);
	if (!err && o->socket)
		err = bw_sock_listen(o->socket, &c->listening);
	if (err) {
		bw_collect_close(c);
		return err;
	}
	*out = c;
	return NULL;
}

/* A record has taken them. */
static void release_pages(struct bw_collect *c, struct source *s)
{
	if (c->ring)
		bw_capture_ring_release(c->ring, s->pages.data, s->pages.len);
	s->pages.len = 0;
}

static void end_source(struct bw_collect *c, size_t i)
{
	struct source *s = c->sources.data[i];
	close(s->fd);
	if (s->area.shared)
		bw_capture_area_end(&s->area);
	bw_capture_area_unmap(&s->area);
	release_pages(c, s);
	bw_vec_each(&s->files, space)
		if (c->ring && *space)
			bw_capture_ring_close_space(c->ring, *space);
	bw_vec_free(&s->pages);
	bw_vec_free(&s->files);
	bw_msg_pieces_fini(&s->said);
	bw_msg_fini(&s->msg);
	free(s);
	bw_vec_remove(&c->sources, i);
}

void bw_collect_close(struct bw_collect *c)
{
	if (!c)
		return;
	while (c->sources.len)
		end_source(c, c->sources.len - 1);
	bw_vec_free(&c->sources);
	if (c->listening >= 0)
		close(c->listening);
	if (c->orders >= 0)
		close(c->orders);
	bw_capture_ring_free(c->ring);
	free(c);
}

uint32_t bw_collect_submissions(const struct bw_collect *c)
{
	return c->n_seen;
}

uint32_t bw_collect_written(const struct bw_collect *c)
{
	return c->n_written;
}

uint32_t bw_collect_processes(const struct bw_collect *c)
{
	return c->n_processes;
}

uint32_t bw_collect_faults(const struct bw_collect *c)
{
	return c->n_faults;
}

/* One without a result hung when its program was ended. */
uint32_t bw_collect_hangs(const struct bw_collect *c)
{
	return c->n_hangs + (c->n_taken - c->n_results);
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- Records ---- */

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
	release_pages(c, s);
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
	release_pages(c, s);
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
				   .asks = bw_capture_trigger_asks(&c->trigger)};
	struct bw_msg_part part = {&go, sizeof(go)};
	if (s->msg.body_b != sizeof(s->hello))
		return bw_errorf(BW_E_INVALID, "its first message is wrong");
	memcpy(&s->hello, s->msg.body, sizeof(s->hello));
	if (s->hello.version != BW_CAPTURE_VERSION)
		go.result = -EPROTONOSUPPORT;
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

static struct bw_error *take_message(struct bw_collect *c, struct source *s)
{
	if (!s->greeted && s->msg.type != BW_CAPTURE_HELLO)
		return bw_errorf(BW_E_INVALID, "its first message is wrong");
	switch (s->msg.type) {
	case BW_CAPTURE_HELLO:
		return take_hello(c, s);
	case BW_CAPTURE_PAGES:
		return take_pages(c, s);
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

/* ---- Processes ---- */

struct bw_error *bw_collect_add(struct bw_collect *c, int fd)
{
	struct source *s = calloc(1, sizeof(*s));
	struct bw_error *err = s ? bw_vec_push(&c->sources, s) : bw_error_nomem();
	if (err) {
		free(s);
		close(fd);
		return err;
	}
	*s = (struct source){.fd = fd, .said = BW_MSG_PIECES_INIT, .msg = BW_MSG_INIT};
	return NULL;
}

static void take_process(struct bw_collect *c)
{
	int fd;
	_cleanup_error_ struct bw_error *err = bw_sock_accept(c->listening, &fd, NULL);
	if (err) {
		BW_LOG(WARN, "capture", "%s", err->message);
		return;
	}
	if ((err = bw_collect_add(c, fd)))
		BW_LOG(WARN, "capture", "%s", err->message);
}

/* What a source has done wrong ends it; an error that is the file's comes back. */
static struct bw_error *blame(struct bw_collect *c, struct source *s, struct bw_error *err)
{
	bool is_ours = err->code == BW_E_SYSTEM || err->code == BW_E_NOMEM;
	if (err->code != BW_E_GONE)
		BW_LOG(WARN, "capture", "process %u: %s", s->hello.pid, err->message);
	for (size_t i = c->sources.len; i-- > 0;)
		if (c->sources.data[i] == s)
			end_source(c, i);
	if (is_ours)
		return err;
	bw_error_free(err);
	return NULL;
}

/* The source whose next record in memory is the oldest; NULL: nobody has one. */
static struct bw_error *oldest(struct bw_collect *c, struct source **out,
			       struct bw_capture_area_entry *out_entry)
{
	*out = NULL;
	for (size_t i = c->sources.len; i-- > 0;) {
		struct source *s = c->sources.data[i];
		struct bw_capture_area_entry e;
		bool has = false;
		struct bw_error *err =
			s->area.shared ? bw_capture_area_peek(&s->area, &e, &has) : NULL;
		if (err)
			BW_TRY(blame(c, s, err));
		else if (has && (!*out || e.time_ns < out_entry->time_ns)) {
			*out = s;
			*out_entry = e;
		}
	}
	return NULL;
}

static struct bw_error *take_entry(struct bw_collect *c, struct source *s,
				   const struct bw_capture_area_entry *e)
{
	BW_TRY(bw_capture_area_take(&s->area, e, &s->msg));
	/* as far as it can be true */
	c->came_ns = BW_MAX(c->came_ns, BW_MIN(e->time_ns, now_ns()));
	if (e->type != BW_CAPTURE_PAGES && e->type != BW_CAPTURE_SUBMISSION &&
	    e->type != BW_CAPTURE_RESULT)
		return bw_errorf(BW_E_INVALID, "a message of type %u", e->type);
	return take_message(c, s);
}

/* All that processes have written until now, in the order in which they did. Sources may end. */
static struct bw_error *drain(struct bw_collect *c)
{
	struct source *s;
	struct bw_capture_area_entry e;
	bw_vec_each(&c->sources, one)
		if ((*one)->area.shared)
			bw_capture_area_begin(&(*one)->area);
	for (;;) {
		BW_TRY(oldest(c, &s, &e));
		if (!s)
			return NULL;
		struct bw_error *err = take_entry(c, s, &e);
		if (err)
			BW_TRY(blame(c, s, err));
	}
}

static bool has_source(const struct bw_collect *c, const struct source *s)
{
	bw_vec_each(&c->sources, one)
		if (*one == s)
			return true;
	return false;
}

/* One message, or the part of it that has come: the others need not wait for the rest. An error is
 * the file's; a process that ends, or says what makes no sense, is dropped. */
static struct bw_error *take_from(struct bw_collect *c, struct source *s)
{
	bool is_whole;
	struct bw_error *err = bw_msg_recv_pieces(s->fd, &s->said, &is_whole);
	if (!err && !is_whole)
		return NULL;
	if (c->ring && s->greeted) {
		/* what it says now, or its end, comes behind its records */
		struct bw_error *ours = drain(c);
		if (ours || !has_source(c, s)) {
			bw_error_free(err);
			return ours;
		}
	}
	c->came_ns = now_ns();
	if (!err) {
		struct bw_msg last = s->msg;
		s->msg = s->said.msg;
		s->said.msg = last;
		err = take_message(c, s);
	}
	return err ? blame(c, s, err) : NULL;
}

static void end_sources(struct bw_collect *c)
{
	while (c->sources.len)
		end_source(c, c->sources.len - 1);
}

/* BW_COLLECT_*, as far as results say it. */
static unsigned happened(const struct bw_collect *c)
{
	bool is_over = c->trigger.is_over && c->n_granted == c->n_results;
	return (c->n_hangs ? BW_COLLECT_HANG : 0) | (c->n_faults ? BW_COLLECT_FAULT : 0) |
	       (is_over ? BW_COLLECT_SPAN : 0) | (c->is_written_by_order ? BW_COLLECT_ORDER : 0);
}

static int32_t obey(struct bw_collect *c, const struct bw_capture_order *o)
{
	if (o->version != BW_CAPTURE_ORDERS_VERSION)
		return -EPROTONOSUPPORT;
	switch (o->kind) {
	case BW_CAPTURE_ORDER_WHO:
		return 0;
	case BW_CAPTURE_ORDER_NEXT:
	case BW_CAPTURE_ORDER_FRAME:
		if (!c->trigger.waits)
			return -ENOTSUP;
		if (o->kind == BW_CAPTURE_ORDER_NEXT)
			bw_capture_trigger_next(&c->trigger, o->count);
		else
			bw_capture_trigger_next_frame(&c->trigger);
		return 0;
	case BW_CAPTURE_ORDER_WRITE: {
		if (!c->ring)
			return -ENOTSUP;
		/* in the file when the answer says so */
		_cleanup_error_ struct bw_error *err = bw_collect_finish(c);
		c->is_written_by_order = true;
		return err ? -EIO : 0;
	}
	default:
		return -EINVAL;
	}
}

static void take_order(struct bw_collect *c)
{
	struct bw_orders_sender from;
	struct bw_capture_order o;
	struct bw_capture_ordered answer = {.magic = BW_CAPTURE_ORDERS_MAGIC};
	if (!bw_orders_take(c->orders, &o, &from))
		return;
	answer.result = c->is_over ? -EALREADY : obey(c, &o);
	answer.seen = c->n_seen;
	answer.taken = c->n_taken;
	memcpy(answer.file, c->file, sizeof(answer.file));
	bw_orders_answer(c->orders, &from, &answer);
}

/* Waits for one thing and takes it. out_quiet: nothing came within the limit. */
static struct bw_error *take_next(struct bw_collect *c, int pidfd, int timeout_ms, bool *out_quiet,
				  bool *out_ended)
{
	enum { FIXED = 4, PUT_OFF_MAX = 1000 };
	size_t n = c->sources.len;
	_cleanup_free_ struct pollfd *p = calloc(n + FIXED, sizeof(*p));
	if (!p)
		return bw_error_nomem();
	p[0] = (struct pollfd){.fd = c->listening, .events = POLLIN};
	p[1] = (struct pollfd){.fd = *out_ended ? -1 : pidfd, .events = POLLIN};
	p[2] = (struct pollfd){.fd = c->orders, .events = POLLIN};
	p[3] = (struct pollfd){.fd = *out_ended ? -1 : c->stop_fd, .events = POLLIN};
	for (size_t i = 0; i < n; i++)
		p[i + FIXED] = (struct pollfd){.fd = c->sources.data[i]->fd, .events = POLLIN};
	int r = poll(p, n + FIXED, timeout_ms);
	*out_quiet = !r;
	if (r < 0)
		return errno == EINTR ? NULL : bw_error_errno(errno, "poll");
	bool is_busy = false;
	for (size_t i = n; i-- > 0;) {
		if (!p[i + FIXED].revents)
			continue;
		is_busy = true;
		/* another one may have ended it */
		if (i < c->sources.len && c->sources.data[i]->fd == p[i + FIXED].fd)
			BW_TRY(take_from(c, c->sources.data[i]));
	}
	if (p[0].revents)
		take_process(c);
	/* an order is about all that programs have said before it */
	if (p[2].revents && (!is_busy || ++c->n_put_off == PUT_OFF_MAX)) {
		c->n_put_off = 0;
		BW_TRY(drain(c));
		take_order(c);
	}
	if (p[1].revents || p[3].revents)
		*out_ended = true;
	return NULL;
}

struct bw_error *bw_collect_run(struct bw_collect *c, int pidfd, unsigned until, unsigned *out)
{
	bool ended = false, quiet = false;
	uint64_t ended_ns = 0;
	struct bw_error *err = NULL;
	/* What the program has sent before it ended is there at once; another one that goes on for
	 * ever does not hold up the end. */
	while (!err && !(ended && quiet) && !(until & happened(c))) {
		err = take_next(c, pidfd, ended ? 0 : -1, &quiet, &ended);
		ended_ns = ended && !ended_ns ? now_ns() : ended_ns;
		quiet |= ended && now_ns() - ended_ns >= END_NS;
	}
	/* what others have written that run on */
	if (!err && ended && quiet)
		err = drain(c);
	if (err || c->is_over || (ended && quiet))
		end_sources(c);
	if (!err)
		*out = until & happened(c);
	return err;
}

struct bw_error *bw_collect_finish(struct bw_collect *c)
{
	if (c->is_over)
		return NULL;
	c->is_over = true;
	end_sources(c);
	struct bw_error *err = c->ring ? bw_capture_ring_write(c->ring, c->w, &c->n_written) : NULL;
	return err ? err : bw_capture_writer_end(c->w);
}
