/* SPDX-License-Identifier: MIT */
#include "inject/crumbs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/memfd.h"
#include "base/util.h"
#include "base/wait.h"
#include "wire/agent_folders.h"

enum {
	HANG_MS = 500,
	SOON_NS = 100 * 1000,
	SLICE_NS = 200 * 1000 * 1000,
	AREAS_MAX = 1 << 10,
	PROCESSES_MAX = 1 << 12,
	STREAMS_MAX = 1 << 22
};
#define AREA_B (BW_CRUMBS_SLOTS * sizeof(struct bw_crumbs_slot))

struct bw_error *bw_crumbs_open(const struct bw_crumbs_settings *settings,
				const struct bw_folder *folder, struct bw_crumbs **out)
{
	struct bw_crumbs *c = calloc(1, sizeof(*c));
	if (!c)
		return bw_error_nomem();
	*c = (struct bw_crumbs){.settings = *settings, .listening = -1};
	struct bw_error *err = bw_agent_folders_listen(folder, BW_CRUMBS_SOCKET, &c->listening);
	if (!err && getrandom(&c->token, sizeof(c->token), 0) != sizeof(c->token))
		err = bw_error_errno(errno, "getrandom");
	if (err) {
		bw_crumbs_close(c);
		return err;
	}
	*out = c;
	return NULL;
}

static void forget_stream(struct bw_crumbs_known *k)
{
	free(k->marks);
	free(k->dispatches);
	*k = (struct bw_crumbs_known){0};
}

static void free_area(struct bw_crumbs_area_known *a)
{
	for (uint32_t i = 0; a->known && i < BW_CRUMBS_SLOTS; i++)
		forget_stream(&a->known[i]);
	free(a->known);
	free(a->last);
	if (a->slots)
		munmap(a->slots, AREA_B);
}

static void free_process(struct bw_crumbs_process *p)
{
	bw_vec_each(&p->areas, a)
		free_area(a);
	bw_vec_free(&p->areas);
	bw_vec_free(&p->n_marks);
	bw_msg_pieces_fini(&p->said);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

void bw_crumbs_close(struct bw_crumbs *c)
{
	if (!c)
		return;
	bw_vec_each(&c->processes, p)
		free_process(*p);
	bw_vec_free(&c->processes);
	if (c->listening >= 0)
		close(c->listening);
	free(c);
}

/* ---- Messages ---- */

static struct bw_error *take_hello(struct bw_crumbs *c, struct bw_crumbs_process *p)
{
	struct bw_crumbs_go go = {.every_packet = c->settings.every_packet,
				  .hang_ms = HANG_MS,
				  .asks = bw_crumbs_is_followed(c)};
	go.at_submission = c->settings.at_submission;
	go.at_dispatch = c->settings.at_dispatch;
	go.n_pokes = (uint32_t)BW_MIN(c->settings.pokes.len, (size_t)BW_CRUMBS_POKES_MAX);
	for (uint32_t i = 0; i < go.n_pokes; i++)
		go.pokes[i] = c->settings.pokes.data[i];
	struct bw_msg_part part = {&go, sizeof(go)};
	if (p->greeted)
		return bw_errorf(BW_E_INVALID, "it greets twice");
	struct bw_error *err = bw_hello_read(&p->said.msg, BW_CRUMBS_VERSION, &p->hello);
	if (bw_error_catch(&err, BW_E_UNSUPPORTED))
		go.result = -EPROTONOSUPPORT;
	BW_TRY(err);
	p->greeted = !go.result;
	return bw_msg_answer(p->fd, BW_CRUMBS_GO, p->said.msg.seq, &part, -1);
}

static struct bw_error *take_area(struct bw_crumbs_process *p)
{
	struct bw_crumbs_area area;
	void *slots;
	if (p->said.msg.body_b != sizeof(area) || p->said.msg.fd < 0 || p->areas.len >= AREAS_MAX)
		return bw_errorf(BW_E_INVALID, "its memory for markers is wrong");
	memcpy(&area, p->said.msg.body, sizeof(area));
	BW_TRY(bw_memfd_map(p->said.msg.fd, AREA_B, "its memory for markers", &slots));
	struct bw_crumbs_area_known a = {.file = area.file};
	a.known = calloc(BW_CRUMBS_SLOTS, sizeof(*a.known));
	a.last = calloc(BW_CRUMBS_SLOTS, sizeof(*a.last));
	a.slots = slots;
	struct bw_error *err = a.known && a.last ? bw_vec_push(&p->areas, a) : bw_error_nomem();
	if (err)
		free_area(&a);
	return err;
}

static struct bw_crumbs_area_known *area_of(struct bw_crumbs_process *p, uint32_t file)
{
	bw_vec_each(&p->areas, a)
		if (a->file == file)
			return a;
	return NULL;
}

static bool is_sane(const struct bw_crumbs_stream *s, size_t bytes)
{
	return s->slot < BW_CRUMBS_SLOTS && s->n_marks && s->n_marks <= BW_CRUMBS_MARKS_MAX &&
	       s->n_dispatches <= s->n_marks &&
	       bytes == s->n_marks * sizeof(struct bw_crumbs_mark) +
				s->n_dispatches * sizeof(struct bw_crumbs_dispatch);
}

static void end_texts(struct bw_crumbs_known *k)
{
	for (uint32_t i = 0; i < k->info.n_dispatches; i++) {
		struct bw_crumbs_dispatch *d = &k->dispatches[i];
		d->pipeline[sizeof(d->pipeline) - 1] = '\0';
		d->label[sizeof(d->label) - 1] = '\0';
		d->pixel[sizeof(d->pixel) - 1] = '\0';
	}
}

static struct bw_error *take_stream(struct bw_crumbs *c, struct bw_crumbs_process *p)
{
	struct bw_crumbs_known k = {0};
	const uint8_t *at = p->said.msg.body + sizeof(k.info);
	if (p->said.msg.body_b >= sizeof(k.info))
		memcpy(&k.info, p->said.msg.body, sizeof(k.info));
	struct bw_crumbs_area_known *a = area_of(p, k.info.file);
	if (p->said.msg.body_b < sizeof(k.info) || !a ||
	    !is_sane(&k.info, p->said.msg.body_b - sizeof(k.info)))
		return bw_errorf(BW_E_INVALID, "what it says of a command stream is wrong");
	size_t marks_b = k.info.n_marks * sizeof(*k.marks);
	size_t dispatches_b = k.info.n_dispatches * sizeof(*k.dispatches);
	k.marks = malloc(marks_b);
	k.dispatches = malloc(dispatches_b ? dispatches_b : 1);
	if (!k.marks || !k.dispatches) {
		forget_stream(&k);
		return bw_error_nomem();
	}
	memcpy(k.marks, at, marks_b);
	memcpy(k.dispatches, at + marks_b, dispatches_b);
	end_texts(&k);
	p->n_streams++;
	if (p->n_marks.len < STREAMS_MAX)
		bw_error_free(bw_vec_push(&p->n_marks, k.info.n_marks));
	bw_crumbs_arm(c, p, &k);
	p->n_unseen += k.info.n_unseen;
	forget_stream(&a->known[k.info.slot]);
	a->known[k.info.slot] = k;
	return NULL;
}

static struct bw_error *take_unmarked(struct bw_crumbs_process *p)
{
	struct bw_crumbs_unmarked u;
	if (p->said.msg.body_b != sizeof(u))
		return bw_errorf(BW_E_INVALID, "a message is too short");
	memcpy(&u, p->said.msg.body, sizeof(u));
	u.why[sizeof(u.why) - 1] = '\0';
	if (!p->n_unmarked++)
		p->unmarked = u;
	return NULL;
}

static struct bw_error *take_message(struct bw_crumbs *c, struct bw_crumbs_process *p)
{
	if (!p->greeted && p->said.msg.type != BW_CRUMBS_HELLO)
		return bw_errorf(BW_E_INVALID, "its first message is wrong");
	switch (p->said.msg.type) {
	case BW_CRUMBS_HELLO:
		return take_hello(c, p);
	case BW_CRUMBS_AREA:
		return take_area(p);
	case BW_CRUMBS_STREAM:
		return take_stream(c, p);
	case BW_CRUMBS_UNMARKED:
		return take_unmarked(p);
	default:
		return bw_errorf(BW_E_INVALID, "a message of type %u", p->said.msg.type);
	}
}

/* ---- Processes ---- */

/* The slots as they are, and nothing waits for us any more. */
static void end_process(struct bw_crumbs *c, struct bw_crumbs_process *p)
{
	close(p->fd);
	p->fd = -1;
	bw_vec_each(&p->areas, a) {
		memcpy(a->last, a->slots, AREA_B);
		for (uint32_t i = 0; i < BW_CRUMBS_SLOTS; i++) {
			__atomic_store_n(&a->slots[i].allowed, UINT32_MAX, __ATOMIC_RELEASE);
			__atomic_store_n(&a->slots[i].go, UINT32_MAX, __ATOMIC_RELEASE);
		}
	}
	if (bw_crumbs_is_followed(c))
		bw_crumbs_tell_ends(c, p);
}

static void take_process(struct bw_crumbs *c)
{
	int fd;
	struct bw_peer peer;
	_cleanup_error_ struct bw_error *err = bw_sock_accept(c->listening, &fd, &peer);
	if (err) {
		BW_LOG(WARN, "breadcrumbs", "%s", err->message);
		return;
	}
	struct bw_crumbs_process *p =
		c->processes.len < PROCESSES_MAX ? calloc(1, sizeof(*p)) : NULL;
	if (p) {
		*p = (struct bw_crumbs_process){
			.fd = fd, .pid = peer.pid, .said = BW_MSG_PIECES_INIT};
		err = bw_vec_push(&c->processes, p);
	}
	if (!p || err) {
		free(p);
		close(fd);
	}
}

/* One message, or the part of it that has come: the others need not wait for the rest. */
static void take_from(struct bw_crumbs *c, struct bw_crumbs_process *p)
{
	bool is_whole;
	struct bw_error *err = bw_msg_recv_pieces(p->fd, &p->said, &is_whole);
	if (!err && is_whole)
		err = take_message(c, p);
	if (!err)
		return;
	if (err->code != BW_E_GONE)
		BW_LOG(WARN, "breadcrumbs", "process %u: %s", p->hello.pid, err->message);
	bw_error_free(err);
	end_process(c, p);
}

/* Waits for one thing and takes it. out_quiet: nothing came within the limit. */
static struct bw_error *take_next(void *cookie, const struct timespec *limit, bool *out_quiet,
				  bool *io_ended)
{
	enum { LISTENING, PROGRAM, UDP, TTY, N_FIXED };
	struct bw_crumbs *c = cookie;
	size_t n = c->processes.len;
	_cleanup_free_ struct pollfd *f = calloc(n + N_FIXED, sizeof(*f));
	if (!f)
		return bw_error_nomem();
	const int fixed[N_FIXED] = {c->listening, *io_ended ? -1 : c->program->pidfd,
				    c->settings.udp, c->settings.tty};
	for (size_t i = 0; i < n + N_FIXED; i++)
		f[i] = (struct pollfd){.fd = i < N_FIXED ? fixed[i]
							 : c->processes.data[i - N_FIXED]->fd,
				       .events = POLLIN};
	int r = ppoll(f, n + N_FIXED, limit, NULL);
	*out_quiet = !r;
	if (r < 0)
		return errno == EINTR ? NULL : bw_error_errno(errno, "poll");
	for (size_t i = 0; i < n; i++)
		if (f[i + N_FIXED].revents)
			take_from(c, c->processes.data[i]);
	if (f[LISTENING].revents)
		take_process(c);
	if (f[UDP].revents)
		bw_crumbs_take_datagram(c);
	if (f[TTY].revents)
		bw_crumbs_take_key(c);
	if (f[PROGRAM].revents)
		*io_ended = true;
	if (bw_crumbs_is_followed(c))
		bw_crumbs_look(c);
	return NULL;
}

/* The kernel keeps the connections of a process that was killed until its jobs have ended, and
 * these may wait at a marker for the agent. */
static void look_for_ends(void *cookie)
{
	struct bw_crumbs *c = cookie;
	bw_vec_each(&c->processes, it) {
		struct bw_crumbs_process *p = *it;
		struct pollfd more = {p->fd, POLLIN, 0};
		if (p->fd >= 0 && p->pid && bw_process_is_ending(p->pid) && poll(&more, 1, 0) == 0)
			end_process(c, p);
	}
}

struct bw_error *bw_crumbs_run(struct bw_crumbs *c, struct bw_followed *p)
{
	const struct bw_follow f = {.program = p,
				    .slice_ns = bw_crumbs_is_followed(c) ? SOON_NS : SLICE_NS,
				    .take = take_next,
				    .look = look_for_ends,
				    .cookie = c};
	bool ended;
	c->program = p;
	struct bw_error *err = bw_follow_program(&f, &ended);
	bw_vec_each(&c->processes, one)
		if ((*one)->fd >= 0)
			end_process(c, *one);
	return err;
}
