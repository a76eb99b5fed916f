/* SPDX-License-Identifier: MIT */
#include "record/collect_priv.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"
#include "wire/capture_proto.h"
#include "wire/message.h"

struct bw_error *bw_collect_open(struct bw_capture_writer *w, const struct bw_collect_options *o,
				 struct bw_collect **out)
{
	struct bw_error *err = NULL;
	struct bw_collect *c = calloc(1, sizeof(*c));
	if (!c)
		return bw_error_nomem();
	*c = (struct bw_collect){.w = w,
				 .listening = o->listening,
				 .orders = -1,
				 .stop_fd = o->stop_fd,
				 .wait_ms = o->wait_ms,
				 /* so that a quarter of the ring's memory can always be dropped */
				 .unseen_max_b =
					 o->has_ring && !o->sees_all ? o->limits.size_b / 4 : 0,
				 .trigger = o->trigger};
	snprintf(c->file, sizeof(c->file), "%s", o->file);
	bw_capture_trigger_begin(&c->trigger);
	if (o->has_ring || o->trigger.waits)
		err = bw_orders_listen(&c->orders);
	if (!err && o->has_ring)
		err = bw_capture_ring_new(&o->limits, &c->ring);
	if (err) {
		bw_collect_close(c);
		return err;
	}
	*out = c;
	return NULL;
}

static void end_source(struct bw_collect *c, size_t i)
{
	struct source *s = c->sources.data[i];
	close(s->fd);
	if (s->area.shared)
		bw_capture_area_end(&s->area);
	bw_capture_area_unmap(&s->area);
	bw_collect_release_pages(c, s);
	bw_vec_each(&s->files, space)
		if (c->ring && *space)
			bw_capture_ring_close_space(c->ring, *space);
	bw_vec_free(&s->pages);
	bw_vec_free(&s->files);
	bw_vec_free(&s->pipelines);
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

/* Ends a source that has caused the error; an error of the file is returned. */
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
	if (e->type != BW_CAPTURE_PAGES && e->type != BW_CAPTURE_PIPELINE &&
	    e->type != BW_CAPTURE_SUBMISSION && e->type != BW_CAPTURE_RESULT)
		return bw_errorf(BW_E_INVALID, "a message of type %u", e->type);
	return bw_collect_take(c, s);
}

/* Reads all that processes have written until now, in that order. Sources may end. */
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
		/* its next message, or its end, comes after its records */
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
		err = bw_collect_take(c, s);
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
		/* a file of nothing would end the capture */
		if (!bw_capture_ring_kept(c->ring))
			return -ENODATA;
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
static struct bw_error *take_next(void *cookie, const struct timespec *limit, bool *out_quiet,
				  bool *io_ended)
{
	enum { FIXED = 4, PUT_OFF_MAX = 1000 };
	struct bw_collect *c = cookie;
	size_t n = c->sources.len;
	_cleanup_free_ struct pollfd *p = calloc(n + FIXED, sizeof(*p));
	if (!p)
		return bw_error_nomem();
	p[0] = (struct pollfd){.fd = c->listening, .events = POLLIN};
	p[1] = (struct pollfd){.fd = *io_ended ? -1 : c->program->pidfd, .events = POLLIN};
	p[2] = (struct pollfd){.fd = c->orders, .events = POLLIN};
	p[3] = (struct pollfd){.fd = *io_ended ? -1 : c->stop_fd, .events = POLLIN};
	for (size_t i = 0; i < n; i++)
		p[i + FIXED] = (struct pollfd){.fd = c->sources.data[i]->fd, .events = POLLIN};
	int r = ppoll(p, n + FIXED, limit, NULL);
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
	/* nor is the end before what has been said already */
	if ((p[1].revents || p[3].revents) && (!is_busy || ++c->n_put_off == PUT_OFF_MAX)) {
		c->n_put_off = 0;
		*io_ended = true;
	}
	return NULL;
}

static bool has_happened(void *cookie)
{
	struct bw_collect *c = cookie;
	return c->until & happened(c);
}

struct bw_error *bw_collect_run(struct bw_collect *c, struct bw_followed *p, unsigned until,
				unsigned *out)
{
	enum { SLICE_NS = 200 * 1000 * 1000 };
	const struct bw_follow f = {.program = p,
				    .slice_ns = SLICE_NS,
				    .take = take_next,
				    .is_over = has_happened,
				    .cookie = c};
	bool ended = false;
	c->program = p;
	c->until = until;
	struct bw_error *err = bw_follow_program(&f, &ended);
	/* records of others, which continue to run */
	if (!err && ended)
		err = drain(c);
	if (err || c->is_over || ended)
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
