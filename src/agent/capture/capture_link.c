/* SPDX-License-Identifier: MIT */
#include "agent/capture/capture_link.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "agent/agent.h"
#include "agent/capture/capture.h"
#include "agent/channel/channel.h"
#include "agent/memory/cpu_writes.h"
#include "base/cleanup.h"
#include "wire/capture_area.h"
#include "wire/message.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B };

/* The connection. The lock is held from begin to end of a submission, across the calls to the GPU:
 * what is captured runs one after the other. */
static struct {
	pthread_mutex_t lock;
	struct bw_channel channel;
	struct bw_capture_go go; /* the collector's answer */
	uint32_t number;	 /* of the connection */
	struct bw_capture_area area;
	uint64_t drained; /* of it, when that was asked for last */
	/* pages to be sent, and how many were since the last record */
	uint8_t *pages;
	size_t n_pages;
	uint64_t n_sent;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER, .channel = BW_CHANNEL_INIT(BW_AGENT_CAPTURE)};

bool bw_agent_captures(void)
{
	return bw_channel_is_wanted(&g.channel);
}

void bw_capture_link_take(int fd)
{
	bw_channel_take(&g.channel, fd);
}

void bw_capture_link_lock(void)
{
	pthread_mutex_lock(&g.lock);
}

void bw_capture_link_unlock(void)
{
	pthread_mutex_unlock(&g.lock);
}

bool bw_capture_link_is_open(void)
{
	return g.channel.state == BW_CHANNEL_OPEN;
}

uint32_t bw_capture_link_number(void)
{
	return g.number;
}

bool bw_capture_link_is_late(void)
{
	return g.channel.given == BW_CHANNEL_IN_USE;
}

uint32_t bw_capture_link_wait_ms(void)
{
	return g.go.wait_ms;
}

uint64_t bw_capture_link_unseen_max_b(void)
{
	return g.go.unseen_max_b;
}

void bw_capture_link_end(const struct bw_error *err)
{
	bw_channel_end(&g.channel, err);
	bw_capture_area_unmap(&g.area);
	bw_cpu_writes_end();
}

bool bw_capture_link_open(void)
{
	_cleanup_close_ int area = -1;
	const struct bw_channel_answer go = {BW_CAPTURE_GO, &g.go, sizeof(g.go), &area};
	if (bw_capture_link_is_open())
		return true;
	if (!g.pages)
		g.pages = malloc((size_t)BW_CAPTURE_SEND_PAGES * PAGE_B);
	if (!g.pages || !bw_channel_open(&g.channel, BW_CAPTURE_HELLO, BW_CAPTURE_VERSION, &go))
		return false;
	g.n_pages = 0;
	g.n_sent = 0;
	g.drained = 0;
	g.number++;
	_cleanup_error_ struct bw_error *err =
		area >= 0 ? bw_capture_area_map(area, &g.area) : NULL;
	if (err)
		bw_capture_link_end(err);
	return !err;
}

void bw_agent_capture_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	bw_channel_fork_child(&g.channel);
	bw_capture_area_unmap(&g.area); /* it is the parent's */
	g.n_pages = 0;
	g.n_sent = 0;
}

uint64_t bw_capture_now_ns(void)
{
	struct timespec t;
	REAL(clock_gettime)(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static struct bw_error *drain(bool waits)
{
	const struct bw_capture_drain body = {.answers = waits};
	const struct bw_msg_part part = {&body, sizeof(body)};
	if (waits)
		BW_TRY(bw_channel_ask(&g.channel, BW_CAPTURE_DRAIN, &part, 1,
				      &(struct bw_channel_answer){.type = BW_CAPTURE_DRAINED}));
	else
		BW_TRY(bw_msg_send(g.channel.sock, BW_CAPTURE_DRAIN, 0, &part, 1, -1));
	g.drained = g.area.at;
	return NULL;
}

struct bw_error *bw_capture_link_drain(void)
{
	return g.area.shared ? drain(false) : NULL;
}

static struct bw_error *send_message(enum bw_capture_msg type, const struct bw_msg_part *parts,
				     size_t n)
{
	if (!g.area.shared)
		return bw_msg_send(g.channel.sock, (uint16_t)type, 0, parts, n, -1);
	if (bw_capture_area_is_over(&g.area))
		return bw_errorf(BW_E_GONE, "it is complete");
	if (!bw_capture_area_put(&g.area, (uint16_t)type, bw_capture_now_ns(), parts, n)) {
		BW_TRY(drain(true));
		if (!bw_capture_area_put(&g.area, (uint16_t)type, bw_capture_now_ns(), parts, n))
			return bw_errorf(BW_E_INVALID, "it does not read");
	}
	return g.area.at - g.drained >= BW_CAPTURE_DRAIN_B ? drain(false) : NULL;
}

static struct bw_error *send_pages(void)
{
	struct bw_msg_part part = {g.pages, g.n_pages * PAGE_B};
	if (!g.n_pages)
		return NULL;
	g.n_pages = 0;
	return send_message(BW_CAPTURE_PAGES, &part, 1);
}

/* The page's number on this connection. */
struct bw_error *bw_capture_link_page(const void *page, uint64_t *out)
{
	if (g.n_pages == BW_CAPTURE_SEND_PAGES)
		BW_TRY(send_pages());
	memcpy(g.pages + g.n_pages++ * PAGE_B, page, PAGE_B);
	*out = ++g.n_sent;
	return NULL;
}

struct bw_error *bw_capture_link_record(enum bw_capture_msg type, const void *fixed, size_t fixed_b,
					const struct bw_capture_bytes *bytes)
{
	const struct bw_msg_part parts[] = {{fixed, fixed_b}, {bytes->data, bytes->len}};
	BW_TRY(send_pages());
	g.n_sent = 0;
	if (fixed_b + bytes->len > BW_MSG_MAX_BODY_B)
		return bw_errorf(BW_E_UNSUPPORTED, "a record of %zu bytes is too long", bytes->len);
	return send_message(type, parts, 2);
}

/* ---- Whether it is captured ---- */

static struct bw_error *add_name(struct bw_capture_bytes *out, const char *name)
{
	size_t n = strlen(name) + 1;
	if (n == 1 || out->len + n > BW_CAPTURE_NAMES_MAX_B)
		return NULL;
	BW_TRY(bw_vec_reserve(out, out->len + n));
	memcpy(out->data + out->len, name, n);
	out->len += n;
	return NULL;
}

static struct bw_error *gather_names(const struct bw_capture_submission *s,
				     struct bw_capture_bytes *out)
{
	bw_vec_each(&s->dispatches, d) {
		BW_TRY(add_name(out, bw_capture_label(s, d)));
		BW_TRY(add_name(out, d->pipeline));
		if (d->draw && strcmp(d->pipeline, bw_capture_draw_of(s, d)->pipeline) != 0)
			BW_TRY(add_name(out, bw_capture_draw_of(s, d)->pipeline));
	}
	return NULL;
}

struct bw_error *bw_capture_link_ask(const struct bw_capture_submission *s, uint32_t frame,
				     bool *out_take)
{
	*out_take = true;
	if (!g.go.asks)
		return NULL;
	struct bw_capture_bytes names = {0};
	struct bw_capture_answer answer = {0};
	struct bw_error *err = gather_names(s, &names);
	const struct bw_capture_ask ask = {.frame = frame, .names_b = (uint32_t)names.len};
	const struct bw_msg_part parts[] = {{&ask, sizeof(ask)}, {names.data, names.len}};
	if (!err)
		err = bw_channel_ask(&g.channel, BW_CAPTURE_ASK, parts, 2,
				     &(struct bw_channel_answer){BW_CAPTURE_ANSWER, &answer,
								 sizeof(answer), NULL});
	bw_vec_free(&names);
	*out_take = answer.take;
	return err;
}
