/* SPDX-License-Identifier: MIT */
/* Markers while the program runs: each change is sent on, and the GPU waits at those that the user
 * is asked about. */
#include "inject/crumbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "base/util.h"
#include "wire/crumbs_udp.h"

/* A question that was lost is asked again. */
#define ASK_AGAIN_NS 500000000ll

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

uint32_t bw_crumbs_hits(const struct bw_crumbs_process *p, uint32_t stream, uint32_t number)
{
	uint32_t hits = 0;
	for (size_t i = 0; i < p->n_marks.len && i < stream; i++)
		hits += p->n_marks.data[i] >= number;
	return hits;
}

void bw_crumbs_arm(struct bw_crumbs *c, struct bw_crumbs_process *p, struct bw_crumbs_known *k)
{
	uint32_t at = c->settings.break_at;
	k->break_from = UINT32_MAX;
	if (!at)
		return;
	p->hits += k->info.n_marks >= at;
	if (p->hits > c->settings.break_hits)
		k->break_from = 1;
	else if (p->hits == c->settings.break_hits)
		k->break_from = k->info.n_marks >= at ? at : 1;
}

/* ---- Telling ---- */

static struct bw_crumb crumb_of(struct bw_crumbs *c, const struct bw_crumbs_process *p,
				const struct bw_crumbs_known *k, enum bw_crumb_kind kind)
{
	struct bw_crumb crumb = {.kind = (uint8_t)kind,
				 .token = c->token,
				 .sequence = ++c->sequence,
				 .pid = p->hello.pid,
				 .submission = k->info.submission,
				 .stream = k->info.stream,
				 .ib = k->info.ib,
				 .n_marks = k->info.n_marks,
				 .begun = k->told_begun,
				 .ended = k->told_ended,
				 .dispatch = -1};
	const struct bw_crumbs_mark *m = k->told_begun ? &k->marks[k->told_begun - 1] : NULL;
	const struct bw_crumbs_dispatch *d = m ? bw_crumbs_dispatch_of(k, m) : NULL;
	snprintf(crumb.comm, sizeof(crumb.comm), "%s", p->hello.comm);
	if (m) {
		crumb.op = m->op;
		crumb.at_dw = m->at_dw;
		crumb.ib_va = m->ib_va;
	}
	if (d) {
		crumb.dispatch = (int32_t)d->number;
		snprintf(crumb.pipeline, sizeof(crumb.pipeline), "%s",
			 d->is_draw ? d->pixel : d->pipeline);
		snprintf(crumb.label, sizeof(crumb.label), "%.*s", (int)sizeof(crumb.label) - 1,
			 d->label);
	}
	return crumb;
}

/* A datagram that cannot be sent is lost as others are on their way. */
static void send_crumb(struct bw_crumbs *c, const struct bw_crumb *crumb)
{
	uint8_t bytes[BW_CRUMB_B];
	if (c->settings.udp < 0)
		return;
	bw_crumb_encode(crumb, bytes);
	if (send(c->settings.udp, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		c->n_unsent++;
}

static void ask(struct bw_crumbs *c, const struct bw_crumbs_process *p, struct bw_crumbs_known *k)
{
	int64_t now = now_ns();
	bool is_new = k->asked != k->told_begun;
	if (!is_new && (c->settings.udp < 0 || now - k->asked_ns < ASK_AGAIN_NS))
		return;
	k->asked = k->told_begun;
	k->asked_ns = now;
	const struct bw_crumb crumb = crumb_of(c, p, k, BW_CRUMB_WAITS);
	send_crumb(c, &crumb);
	if (c->settings.udp >= 0)
		return;
	struct bw_str s = {0};
	bw_crumbs_name(k, k->asked, &s);
	dprintf(c->settings.tty,
		"Submission %u, IB %u waits at %s.\n(Enter: go on to the next; c: no more stops) ",
		k->info.submission, k->info.ib, bw_str_text(&s));
	bw_str_free(&s);
}

static void look_at(struct bw_crumbs *c, const struct bw_crumbs_process *p,
		    struct bw_crumbs_known *k, struct bw_crumbs_slot *s)
{
	/* the state first: the markers of a stream that has ended are the last ones */
	uint32_t state = __atomic_load_n(&s->state, __ATOMIC_ACQUIRE);
	uint32_t ended = __atomic_load_n(&s->ended, __ATOMIC_ACQUIRE);
	uint32_t begun = __atomic_load_n(&s->begun, __ATOMIC_ACQUIRE);
	if (begun > k->info.n_marks || ended > k->info.n_marks || s->stream != k->info.stream ||
	    k->told_end)
		return;
	if (begun != k->told_begun || ended != k->told_ended) {
		k->told_begun = begun;
		k->told_ended = ended;
		const struct bw_crumb crumb = crumb_of(c, p, k, BW_CRUMB_AT);
		send_crumb(c, &crumb);
	}
	if (state == BW_CRUMBS_DONE || state == BW_CRUMBS_FAILED) {
		struct bw_crumb crumb = crumb_of(c, p, k, BW_CRUMB_ENDED);
		crumb.result = s->result;
		send_crumb(c, &crumb);
		k->told_end = true;
		return;
	}
	if (!begun || begun <= s->allowed || ended < bw_crumbs_work_before(k, begun))
		return;
	if (begun >= k->break_from && !c->is_free)
		ask(c, p, k);
	else
		__atomic_store_n(&s->allowed, begun, __ATOMIC_RELEASE);
}

/* Lets streams that wait for an answer go on, if they match; begun 0: any. */
static void let_go(struct bw_crumbs *c, uint32_t pid, uint32_t stream, uint32_t begun)
{
	bw_vec_each(&c->processes, p) {
		bw_vec_each(&(*p)->areas, a) {
			for (uint32_t i = 0; i < BW_CRUMBS_SLOTS; i++) {
				struct bw_crumbs_known *k = &a->known[i];
				if (!k->marks || !k->asked || k->told_end)
					continue;
				if (begun && ((*p)->hello.pid != pid || k->info.stream != stream ||
					      k->asked != begun))
					continue;
				__atomic_store_n(&a->slots[i].allowed, k->asked, __ATOMIC_RELEASE);
			}
		}
	}
}

void bw_crumbs_tell_ends(struct bw_crumbs *c, struct bw_crumbs_process *p)
{
	bw_vec_each(&p->areas, a) {
		for (uint32_t i = 0; i < BW_CRUMBS_SLOTS; i++) {
			struct bw_crumbs_known *k = &a->known[i];
			if (!k->marks || k->told_end || a->last[i].stream != k->info.stream)
				continue;
			bool is_good = bw_crumbs_judge(&a->last[i], k).is_good;
			k->told_begun = BW_MIN(a->last[i].begun, k->info.n_marks);
			k->told_ended = BW_MIN(a->last[i].ended, k->info.n_marks);
			struct bw_crumb crumb = crumb_of(c, p, k, BW_CRUMB_ENDED);
			crumb.result = a->last[i].result ? a->last[i].result
				       : is_good	 ? 0
							 : -EINPROGRESS;
			send_crumb(c, &crumb);
			k->told_end = true;
		}
	}
}

void bw_crumbs_look(struct bw_crumbs *c)
{
	bw_vec_each(&c->processes, p) {
		if ((*p)->fd < 0)
			continue;
		bw_vec_each(&(*p)->areas, a)
			for (uint32_t i = 0; i < BW_CRUMBS_SLOTS; i++)
				if (a->known[i].marks)
					look_at(c, *p, &a->known[i], &a->slots[i]);
	}
}

/* ---- Answers ---- */

void bw_crumbs_take_datagram(struct bw_crumbs *c)
{
	uint8_t bytes[BW_CRUMB_B + 1];
	struct bw_crumb crumb;
	ssize_t n = recv(c->settings.udp, bytes, sizeof(bytes), MSG_DONTWAIT);
	/* an error says that nobody listens there (ECONNREFUSED): perhaps later */
	if (n < 0 || !bw_crumb_decode(bytes, (size_t)n, &crumb) || crumb.kind != BW_CRUMB_GO_ON ||
	    crumb.token != c->token)
		return;
	c->is_free |= crumb.begun == UINT32_MAX;
	if (crumb.begun && crumb.begun != UINT32_MAX)
		let_go(c, crumb.pid, crumb.stream, crumb.begun);
}

void bw_crumbs_take_key(struct bw_crumbs *c)
{
	char line[64];
	ssize_t n = read(c->settings.tty, line, sizeof(line));
	if (n <= 0) {
		if (n == 0 || errno != EINTR)
			c->settings.tty = -1; /* nobody is there any more */
		c->is_free |= c->settings.tty < 0;
		return;
	}
	c->is_free |= line[0] == 'c';
	let_go(c, 0, 0, 0);
}
