// SPDX-License-Identifier: MIT
/* Conversation with the agent inside the program. */
#include "live/live_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"

enum {
	REPLY_TIMEOUT_MS = 30000,
	MAX_QUEUED = 10000, /* events while we wait for one reply: more is an agent gone mad */
	MAX_DISPATCHES = 65536,
	DISPLACED_B = 128 * 1024, /* 2000 breakpoints, and the code of their conditions */
	QUEUE_LIMIT = 4096,
};

void bw_live_agent_lost(struct bw_live *l)
{
	if (l->agent_fd >= 0)
		close(l->agent_fd);
	l->agent_fd = -1;
	bw_live_unmap(l);
	bw_live_guard_finish(l);
}

void bw_live_unmap(struct bw_live *l)
{
	if (l->area)
		munmap(l->area, l->area_b);
	l->area = NULL;
	l->control = NULL;
	l->attached = false;
	free(l->slots);
	free(l->icache_generation);
	l->slots = NULL;
	l->icache_generation = NULL;
}

/* ---- Requests ---- */

static struct bw_error *queue_event(struct bw_live *l, struct bw_msg *m)
{
	if (l->queue.len >= MAX_QUEUED)
		return bw_errorf(BW_E_INVALID, "the program's agent sends events without end");
	BW_TRY(bw_vec_push(&l->queue, *m));
	*m = (struct bw_msg)BW_MSG_INIT;
	return NULL;
}

struct bw_error *bw_live_request(struct bw_live *l, uint16_t type, const struct bw_msg_part *parts,
				 size_t n_parts, size_t min_b, int *out_fd)
{
	uint32_t seq = ++l->seq ? l->seq : ++l->seq;
	struct bw_msg *m = &l->reply;
	struct bw_error *err;

	if (l->agent_fd < 0)
		return bw_errorf(BW_E_GONE, "the program no longer uses the GPU");
	err = bw_msg_send(l->agent_fd, type, seq, parts, n_parts, -1);
	while (!err) {
		if (m->fd >= 0)
			close(m->fd);
		m->fd = -1;
		err = bw_msg_recv(l->agent_fd, REPLY_TIMEOUT_MS, m);
		if (err)
			break;
		if (m->seq == 0) {
			err = queue_event(l, m);
			continue;
		}
		if (m->seq != seq || m->type != (type | BW_AGENT_REPLY))
			err = bw_errorf(BW_E_INVALID, "the program's agent answers %u.%u to %u.%u",
					m->type, m->seq, type, seq);
		else if (m->body_b < min_b)
			err = bw_errorf(
				BW_E_INVALID,
				"the program's agent answers %u with %u bytes, %zu expected", type,
				m->body_b, min_b);
		break;
	}
	if (err) {
		bool gone = err->code == BW_E_GONE;
		bw_live_agent_lost(l);
		return gone ? err : bw_error_wrap(err, "the connection to the program is given up");
	}
	if (out_fd)
		*out_fd = bw_take_fd(m->fd);
	return NULL;
}

struct bw_error *bw_live_result(struct bw_live *l, const char *what)
{
	struct bw_agent_result r;
	memcpy(&r, l->reply.body, sizeof(r));
	r.message[sizeof(r.message) - 1] = 0;
	if (r.result == 0)
		return NULL;
	if (r.result == -EFAULT)
		return bw_error_fault(r.va, "%s at 0x%llx: %s", what, (unsigned long long)r.va,
				      r.message[0] ? r.message : "no memory there");
	if (r.result == -ENODEV)
		return bw_errorf(BW_E_GONE, "%s: the GPU has gone away", what);
	if (r.message[0])
		return bw_errorf(BW_E_SYSTEM, "%s: %s", what, r.message);
	return bw_error_errno(r.result < 0 ? -r.result : EIO, "%s", what);
}

struct bw_error *bw_live_go(struct bw_target *t, uint32_t submission)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_agent_go go = {.submission = submission};
	const struct bw_msg_part part = {&go, sizeof(go)};
	if (l->attached)
		BW_TRY(bw_live_check_vmid(l));
	BW_TRY(bw_live_request(l, BW_AGENT_GO, &part, 1, sizeof(struct bw_agent_result), NULL));
	l->last_run_ns = bw_live_now_ns();
	return bw_live_result(l, "letting a submission through");
}

struct bw_error *bw_live_hold_time(struct bw_target *t, bool on)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_agent_clock clock = {.is_stopped = on};
	const struct bw_msg_part part = {&clock, sizeof(clock)};
	if (l->agent_fd < 0) /* not there yet, or gone, and its clock goes */
		return NULL;
	BW_TRY(bw_live_request(l, BW_AGENT_CLOCK, &part, 1, sizeof(struct bw_agent_result), NULL));
	return bw_live_result(l, "holding the program's time");
}

/* ---- Attaching ---- */

static struct bw_error *map_area(struct bw_live *l, int fd, uint64_t size_b)
{
	struct stat st;
	/* a dma-buf says its size by lseek; what is shorter would be a SIGBUS later */
	off_t end = lseek(fd, 0, SEEK_END);
	if (end < 0 && fstat(fd, &st) == 0)
		end = st.st_size;
	if (end < 0 || (uint64_t)end < size_b)
		return bw_errorf(BW_E_INVALID,
				 "the agent's debug area has %lld bytes, %llu are needed",
				 (long long)end, (unsigned long long)size_b);
	void *p = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return bw_error_errno(errno, "cannot map the debug area");
	l->area = p;
	l->area_b = size_b;
	l->control = p;
	return NULL;
}

static struct bw_error *ask_attach(struct bw_live *l, uint64_t area_b,
				   struct bw_agent_attach_reply *out, int *out_fd)
{
	const struct bw_target_facts *f = &l->t.facts;
	struct bw_trap_control control;
	size_t handler_b = 0;
	const void *handler = bw_trap_handler(l->regs.gc_version >> 16, &handler_b);

	if (!handler)
		return bw_errorf(BW_E_UNSUPPORTED, "there is no trap handler for %s yet", f->gfx);
	bw_trap_control_init(&control, f->n_se, f->sa_per_se, f->wgp_per_sa, f->waves_per_simd);
	struct bw_agent_attach a = {.area_size_b = area_b,
				    .control_size_b = sizeof(control),
				    .handler_size_b = (uint32_t)handler_b,
				    .displaced_size_b = DISPLACED_B};
	const struct bw_msg_part parts[] = {
		{&a, sizeof(a)}, {&control, sizeof(control)}, {handler, handler_b}};
	BW_TRY(bw_live_request(l, BW_AGENT_ATTACH, parts, BW_ARRAY_SIZE(parts),
			       sizeof(struct bw_agent_result), out_fd));
	BW_TRY(bw_live_result(l, "attaching to the program"));
	if (l->reply.body_b < sizeof(*out))
		return bw_errorf(BW_E_INVALID, "the program's agent answers ATTACH with %u bytes",
				 l->reply.body_b);
	memcpy(out, l->reply.body, sizeof(*out));
	if (*out_fd < 0)
		return bw_errorf(BW_E_INVALID, "the program's agent sent no debug area");
	if (out->handler_va & 0xff || out->area_va & 0xfff || !out->handler_va || !out->area_va)
		return bw_errorf(
			BW_E_INVALID,
			"the program's agent put the handler at 0x%llx and the area at 0x%llx",
			(unsigned long long)out->handler_va, (unsigned long long)out->area_va);
	return NULL;
}

static struct bw_error *tell_guard(struct bw_live *l, int fd)
{
	size_t handler_b = 0;
	bw_trap_handler(l->regs.gc_version >> 16, &handler_b);
	const struct bw_guard_area a = {.size_b = l->area_b,
					.handler_va = l->handler_va,
					.handler_b = (uint32_t)handler_b,
					.displaced_va = l->displaced_va,
					.displaced_b = l->displaced_b};
	return bw_live_guard_area(l, &a, fd);
}

struct bw_error *bw_live_attach(struct bw_live *l)
{
	const struct bw_target_facts *f = &l->t.facts;
	uint64_t area_b = bw_trap_area_size(f->n_slots);
	struct bw_agent_attach_reply r = {0};
	_cleanup_close_ int fd = -1;
	uint32_t n_wgps = f->n_se * f->sa_per_se * f->wgp_per_sa;
	uint64_t start = bw_live_now_ns();

	BW_TRY(ask_attach(l, area_b, &r, &fd));
	l->slots = calloc(f->n_slots, sizeof(*l->slots));
	l->icache_generation = calloc(n_wgps, sizeof(*l->icache_generation));
	if (!l->slots || !l->icache_generation)
		return bw_error_nomem();
	BW_TRY(map_area(l, fd, area_b));
	l->area_va = r.area_va;
	l->handler_va = r.handler_va;
	l->displaced_va = r.displaced_va;
	l->displaced_b = DISPLACED_B;
	l->pasid = r.pasid;
	l->vmid_reserved = r.vmid_reserved;
	l->code_generation = 1;
	l->stops_seen = 0;
	bw_live_note_mode(l);
	BW_TRY(tell_guard(l, fd));
	BW_TRY(bw_live_enable_traps(l));
	l->attached = true;
	BW_LOG(INFO, "live", "attached in %llu us",
	       (unsigned long long)(bw_live_now_ns() - start) / 1000);
	return NULL;
}

/* ---- Events ---- */

static uint32_t queue_number(struct bw_live *l, const struct bw_agent_submit *s)
{
	const struct bw_queue_key key = {s->ctx_id, s->ip_type, s->ring};
	for (size_t i = 0; i < l->queues.len; i++)
		if (memcmp(&l->queues.data[i], &key, sizeof(key)) == 0)
			return (uint32_t)i + 1;
	struct bw_error *err = l->queues.len < QUEUE_LIMIT ? bw_vec_push(&l->queues, key) : NULL;
	bw_error_free(err);
	return (uint32_t)l->queues.len;
}

static struct bw_error *on_hello(struct bw_live *l, const struct bw_msg *m,
				 struct bw_target_event *out)
{
	struct bw_agent_hello h;
	if (m->body_b < sizeof(h))
		return bw_errorf(BW_E_INVALID, "the program's agent greets with %u bytes",
				 m->body_b);
	memcpy(&h, m->body, sizeof(h));
	if (h.version != BW_AGENT_PROTO_VERSION)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "the program's agent speaks version %u, this debugger version %u: "
				 "they are of "
				 "different builds",
				 h.version, BW_AGENT_PROTO_VERSION);
	l->agent_pid = (pid_t)h.pid;
	*out = (struct bw_target_event){.kind = BW_EVENT_PROGRAM, .pid = (pid_t)h.pid};
	memcpy(out->comm, h.comm, sizeof(out->comm));
	out->comm[sizeof(out->comm) - 1] = 0;
	return bw_live_guard_agent(l);
}

static void copy_dispatch(const struct bw_agent_dispatch *from, struct bw_target_dispatch *to)
{
	*to = (struct bw_target_dispatch){
		.code_va = from->code_va,
		.rsrc1 = from->rsrc1,
		.rsrc2 = from->rsrc2,
		.rsrc3 = from->rsrc3,
		.initiator = from->initiator,
		.tmpring_size = from->tmpring_size,
		.packet_va = from->packet_va,
		.indirect_va = from->indirect_va,
		.pipeline = from->pipeline,
		.label = "",
	};
	memcpy(to->groups, from->groups, sizeof(to->groups));
	memcpy(to->group_size, from->group_size, sizeof(to->group_size));
	memcpy(to->user_data, from->user_data, sizeof(to->user_data));
}

/* COMPUTE_PGM_RSRC2: EXCP_EN 30:24, its upper two bits 14:13 (trap-and-debug 2.2). */
static uint32_t own_exceptions(uint32_t rsrc2)
{
	return (uint32_t)(bw_bits(rsrc2, 30, 24) | bw_bits(rsrc2, 14, 13) << 7);
}

/* The blob is copied with one more byte, so that the last label ends, too. */
static struct bw_error *take_blob(struct bw_live *l, const uint8_t *blob, size_t blob_b)
{
	uint8_t *copy = malloc(blob_b + 1);
	if (!copy)
		return bw_error_nomem();
	if (blob_b)
		memcpy(copy, blob, blob_b);
	copy[blob_b] = 0;
	free(l->blob);
	l->blob = copy;
	return NULL;
}

static void point_into_blob(const struct bw_live *l, const struct bw_agent_dispatch *from,
			    size_t blob_b, struct bw_target_dispatch *to)
{
	if (from->label_b && from->label_at < blob_b && from->label_b <= blob_b - from->label_at &&
	    memchr(l->blob + from->label_at, 0, from->label_b))
		to->label = (const char *)l->blob + from->label_at;
	if (from->push_b && from->push_at < blob_b && from->push_b <= blob_b - from->push_at) {
		to->push = l->blob + from->push_at;
		to->push_b = from->push_b;
	}
}

static struct bw_error *on_submit(struct bw_live *l, const struct bw_msg *m,
				  struct bw_target_event *out)
{
	struct bw_agent_submit s;
	if (m->body_b < sizeof(s))
		return bw_errorf(BW_E_INVALID, "the program's agent sent a submission of %u bytes",
				 m->body_b);
	memcpy(&s, m->body, sizeof(s));
	if (s.n_dispatches > MAX_DISPATCHES ||
	    m->body_b - sizeof(s) < (size_t)s.n_dispatches * sizeof(struct bw_agent_dispatch))
		return bw_errorf(
			BW_E_INVALID,
			"the program's agent sent a submission of %u dispatches in %u bytes",
			s.n_dispatches, m->body_b);
	size_t blob_at = sizeof(s) + (size_t)s.n_dispatches * sizeof(struct bw_agent_dispatch);
	size_t blob_b = BW_MIN((size_t)s.blob_b, m->body_b - blob_at);
	BW_TRY(take_blob(l, m->body + blob_at, blob_b));
	struct bw_target_dispatch *all = calloc(s.n_dispatches ? s.n_dispatches : 1, sizeof(*all));
	if (!all)
		return bw_error_nomem();
	for (uint32_t i = 0; i < s.n_dispatches; i++) {
		struct bw_agent_dispatch d;
		memcpy(&d, m->body + sizeof(s) + (size_t)i * sizeof(d), sizeof(d));
		copy_dispatch(&d, &all[i]);
		l->excp_of_program |= own_exceptions(d.rsrc2);
		point_into_blob(l, &d, blob_b, &all[i]);
	}
	free(l->dispatches);
	l->dispatches = all;
	bw_live_note_mode(l);
	if (!l->attached && s.n_dispatches) {
		struct bw_error *err = bw_live_attach(l);
		if (err) {
			if (l->agent_fd < 0)
				return err;
			bw_live_note(l, true, "waves cannot be stopped: %s", err->message);
			bw_error_free(err);
			bw_live_restore_regs(l);
			bw_live_unmap(l);
		}
	}
	*out = (struct bw_target_event){.kind = BW_EVENT_SUBMIT,
					.submission = s.submission,
					.queue = queue_number(l, &s),
					.frame = s.frame,
					.dispatches = all,
					.n_dispatches = s.n_dispatches};
	return NULL;
}

struct bw_error *bw_live_event(struct bw_live *l, struct bw_msg *m, struct bw_target_event *out,
			       bool *out_given)
{
	struct bw_agent_done done;

	*out_given = true;
	switch (m->type) {
	case BW_AGENT_EV_HELLO:
		return on_hello(l, m, out);
	case BW_AGENT_EV_SUBMIT:
		return on_submit(l, m, out);
	case BW_AGENT_EV_DONE:
		if (m->body_b < sizeof(done))
			return bw_errorf(BW_E_INVALID,
					 "the program's agent sent a completion of %u bytes",
					 m->body_b);
		memcpy(&done, m->body, sizeof(done));
		*out = (struct bw_target_event){.kind = BW_EVENT_DONE,
						.submission = done.submission,
						.result = done.result};
		return NULL;
	case BW_AGENT_EV_CLOSED:
		*out_given = false;
		return NULL;
	default:
		BW_LOG(WARN, "live", "event %u of the agent is unknown", m->type);
		*out_given = false;
		return NULL;
	}
}
