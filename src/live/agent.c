// SPDX-License-Identifier: MIT
/* Conversation with the agents inside programs. */
#include "live/live_priv.h"
#include "live/gpu_regs.h"
#include "live/guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/shown.h"
#include "base/str.h"
#include "base/wait.h"
#include "kmd/queue_error.h"

enum {
	REPLY_TIMEOUT_MS = 30000,
	MAX_QUEUED = 10000, /* events while we wait for one reply: an agent that sends more is
			     * broken */
	MAX_DISPATCHES = 65536,
	QUEUE_LIMIT = 4096,
};

/* ---- Requests ---- */

static struct bw_error *queue_event(struct bw_live *l, struct bw_live_proc *p, struct bw_msg *m)
{
	if (l->queue.len >= MAX_QUEUED)
		return bw_errorf(BW_E_INVALID, "the program's agent sends events without end");
	BW_TRY(bw_vec_push(&l->queue, ((struct bw_live_queued){p, *m})));
	*m = (struct bw_msg)BW_MSG_INIT;
	return NULL;
}

/* Requests that the agent may still carry out later, when it continues, without harm: they only
 * read, or do what we assume to be done. After any other request that was given up the content of
 * the program's memory is unknown, so the connection is ended, and the agent restores
 * everything. */
static bool may_be_late(uint16_t type)
{
	return type == BW_AGENT_MEM_READ || type == BW_AGENT_MEM_WRITE || type == BW_AGENT_MAPS ||
	       type == BW_AGENT_FAULT || type == BW_AGENT_OBJECTS || type == BW_AGENT_SHADER ||
	       type == BW_AGENT_FILES || type == BW_AGENT_CODES || type == BW_AGENT_CODE_BYTES ||
	       type == BW_AGENT_QUEUES || type == BW_AGENT_FREED || type == BW_AGENT_CLOCK ||
	       type == BW_AGENT_RELEASE;
}

static struct bw_error *given_up(struct bw_live *l, struct bw_live_proc *p, uint16_t type,
				 struct bw_error *err)
{
	const int pid = (int)p->pid;
	bw_error_free(err);
	if (may_be_late(type)) {
		p->n_late++;
		return bw_errorf(
			BW_E_INTERRUPTED, "Quit: the program (process %d) has not answered%s", pid,
			type == BW_AGENT_MEM_WRITE ? "; it will write the memory when it continues"
						   : "");
	}
	bw_live_proc_lost(l, p);
	return bw_errorf(
		BW_E_INTERRUPTED,
		"Quit: the program (process %d) has not answered, and the connection to it was "
		"closed; when it continues, it runs without the debugger",
		pid);
}

/* Whether a process that the answer depends on is stopped by a signal; the user has been told
 * so. */
static bool is_stopped(void)
{
	pid_t pid;
	const char *name;
	char state;
	return bw_wait_is_set() && bw_wait_find_stopped(&pid, &name, &state);
}

/* Whether this is the answer to a request that was given up: it has an earlier number, and such
 * answers are outstanding. */
static bool is_late(struct bw_live_proc *p, const struct bw_msg *m, uint32_t seq)
{
	if (!p->n_late || (int32_t)(m->seq - seq) >= 0)
		return false;
	p->n_late--;
	return true;
}

/* Each reply begins with a result. */
enum { REPLY_MIN_B = sizeof(struct bw_agent_result) };

struct bw_error *bw_live_request(struct bw_live *l, struct bw_live_proc *p, uint16_t type,
				 const struct bw_msg_part *parts, size_t n_parts, int *out_fd)
{
	uint32_t seq = ++l->seq ? l->seq : ++l->seq;
	struct bw_msg *m = &l->reply;
	struct bw_error *err;

	if (p->fd < 0)
		return bw_errorf(BW_E_GONE, "the program no longer uses the GPU");
	err = bw_msg_send(p->fd, type, seq, parts, n_parts, -1);
	if (err && err->code == BW_E_INTERRUPTED) /* not a byte has been sent */
		return bw_error_wrap(err, "Quit");
	while (!err) {
		if (m->fd >= 0)
			close(m->fd);
		m->fd = -1;
		err = bw_msg_recv(p->fd, REPLY_TIMEOUT_MS, m);
		if (err && err->code == BW_E_TIMEOUT && is_stopped()) {
			bw_error_free(err);
			err = NULL;
			continue; /* the process may continue at any time, or the user may give up
				   * the wait */
		}
		if (err && err->code == BW_E_INTERRUPTED)
			return given_up(l, p, type, err);
		if (err)
			break;
		if (m->seq == 0) {
			err = queue_event(l, p, m);
			continue;
		}
		if (is_late(p, m, seq))
			continue;
		if (m->seq != seq || m->type != (type | BW_AGENT_REPLY))
			err = bw_errorf(BW_E_INVALID, "the program's agent answers %u.%u to %u.%u",
					m->type, m->seq, type, seq);
		else if (m->body_b < REPLY_MIN_B)
			err = bw_errorf(BW_E_INVALID,
					"the program's agent answers %u with %u bytes, %d expected",
					type, m->body_b, REPLY_MIN_B);
		break;
	}
	if (err) {
		bool gone = err->code == BW_E_GONE;
		bw_live_proc_lost(l, p);
		return gone ? err : bw_error_wrap(err, "the connection to the program was closed");
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

struct bw_error *bw_live_ask(struct bw_live *l, struct bw_live_proc *p, uint16_t type,
			     const void *about, size_t about_b, const char *what)
{
	const struct bw_msg_part part = {about, about_b};
	BW_TRY(bw_live_request(l, p, type, &part, about ? 1 : 0, NULL));
	return bw_live_result(l, what);
}

struct bw_error *bw_live_reply(const struct bw_live *l, const char *name, void *out, size_t size_b)
{
	if (l->reply.body_b < size_b)
		return bw_errorf(BW_E_INVALID, "the program's agent answers %s with %u bytes", name,
				 l->reply.body_b);
	memcpy(out, l->reply.body, size_b);
	return NULL;
}

size_t bw_live_reply_list(const struct bw_live *l, size_t size_b, const uint8_t **out)
{
	*out = l->reply.body + REPLY_MIN_B;
	return (l->reply.body_b - REPLY_MIN_B) / size_b;
}

static struct bw_error *release(struct bw_live *l, struct bw_live_proc *p,
				const struct bw_agent_release *go)
{
	struct bw_error *err =
		bw_live_ask(l, p, BW_AGENT_RELEASE, go, sizeof(*go), "releasing a submission");
	l->last_run_ns = bw_live_now_ns();
	bw_error_catch(&err, BW_E_INTERRUPTED); /* it ends with its program */
	return err;
}

/* Programs that wait after a failure. */
static struct bw_error *release_failures(struct bw_live *l)
{
	for (size_t i = 0; i < l->procs.len; i++) {
		struct bw_live_proc *p = l->procs.data[i];
		const struct bw_agent_release go = {.failures = p->n_failures};
		bool waits = p->n_failures > p->n_failures_released;
		p->n_failures_released = p->n_failures;
		if (waits && p->fd >= 0)
			BW_TRY(release(l, p, &go));
	}
	return NULL;
}

struct bw_error *bw_live_release(struct bw_target *t, uint32_t submission)
{
	struct bw_live *l = bw_live_of(t);
	if (!submission)
		return release_failures(l);
	const struct bw_live_submission *s = NULL;
	bw_vec_each(&l->submissions, it)
		if (it->number == submission)
			s = it;
	if (!s) /* its program has gone */
		return NULL;
	struct bw_agent_release go = {.submission = s->in_proc};
	struct bw_live_proc *p = s->proc;
	if (s->vm && s->vm->attached)
		BW_TRY(bw_live_check_vmid(l, s->vm));
	return release(l, p, &go);
}

struct bw_error *bw_live_set_clock(struct bw_live *l, struct bw_live_proc *p)
{
	struct bw_agent_clock clock = {.is_stopped = l->time_is_held};
	struct bw_error *err = bw_live_ask(l, p, BW_AGENT_CLOCK, &clock, sizeof(clock),
					   "stopping the program's clock");
	/* the process's clock is set before anything else happens in it */
	bw_error_catch(&err, BW_E_INTERRUPTED);
	return err;
}

struct bw_error *bw_live_hold_time(struct bw_target *t, bool on)
{
	struct bw_live *l = bw_live_of(t);
	l->time_is_held = on;
	for (size_t i = 0; i < l->procs.len; i++)
		if (l->procs.data[i]->fd >= 0 && l->procs.data[i]->pid)
			BW_TRY(bw_live_set_clock(l, l->procs.data[i]));
	return NULL;
}

/* ---- Events ---- */

uint32_t bw_live_queue_number(struct bw_live *l, const struct bw_queue_key *key)
{
	for (size_t i = 0; i < l->queues.len; i++)
		if (memcmp(&l->queues.data[i], key, sizeof(*key)) == 0)
			return (uint32_t)i + 1;
	struct bw_error *err = l->queues.len < QUEUE_LIMIT ? bw_vec_push(&l->queues, *key) : NULL;
	bw_error_free(err);
	return (uint32_t)l->queues.len;
}

static struct bw_error *on_hello(struct bw_live *l, struct bw_live_proc *p, const struct bw_msg *m,
				 struct bw_target_event *out, bool *out_given)
{
	struct bw_hello h;
	BW_TRY(bw_hello_read(m, BW_AGENT_PROTO_VERSION, &h));
	bw_make_line(h.comm, 0);
	*out_given = bw_live_hello(l, &p, &h);
	if (!*out_given)
		return NULL;
	*out = (struct bw_target_event){.kind = BW_EVENT_PROGRAM, .pid = p->pid};
	memcpy(out->comm, h.comm, sizeof(out->comm));
	if (!p->has_line)
		BW_TRY(bw_live_guard_agent(l, p));
	if (p->is_guest)
		BW_TRY(bw_live_look_around(l, p));
	return l->time_is_held ? bw_live_set_clock(l, p) : NULL;
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
		.block_va = from->block_va,
		.hull_va = from->hull_va,
		.hull = {from->hull[0], from->hull[1]},
		.second = from->second,
		.task = from->task,
		.stage = from->stage <= BW_AGENT_PIXEL ? (enum bw_target_stage)from->stage
						       : BW_STAGE_COMPUTE,
		.draw = {from->n_vertices, from->n_instances, from->n_draws, from->is_indexed},
		.label = "",
	};
	memcpy(to->groups, from->groups, sizeof(to->groups));
	memcpy(to->group_size, from->group_size, sizeof(to->group_size));
	memcpy(to->user_data, from->user_data, sizeof(to->user_data));
}

_Static_assert((int)BW_STAGE_PIXEL == (int)BW_AGENT_PIXEL && (int)BW_STAGES == (int)BW_AGENT_STAGES,
	       "stages are passed on unchanged");
_Static_assert((int)BW_LABEL_SEPARATOR == (int)BW_AGENT_LABEL_SEPARATOR,
	       "labels are passed on unchanged");

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
	    memchr(l->blob + from->label_at, 0, from->label_b)) {
		char *label = (char *)l->blob + from->label_at;
		bw_make_line(label, BW_LABEL_SEPARATOR);
		to->label = label;
	}
	if (from->push_b && from->push_at < blob_b && from->push_b <= blob_b - from->push_at) {
		to->push = l->blob + from->push_at;
		to->push_b = from->push_b;
	}
	if (from->bindings_at < blob_b &&
	    from->n_bindings <= (blob_b - from->bindings_at) / sizeof(struct bw_agent_binding))
		to->n_bindings = from->n_bindings;
}

/* Copies all bindings of a submission into the session's own array. */
static struct bw_error *take_bindings(struct bw_live *l, const uint8_t *dispatches,
				      struct bw_target_dispatch *to, size_t n, size_t blob_b)
{
	l->bindings.len = 0;
	for (size_t i = 0; i < n; i++) {
		struct bw_agent_dispatch from;
		memcpy(&from, dispatches + i * sizeof(from), sizeof(from));
		/* each is in the blob once */
		if (to[i].n_bindings > blob_b / sizeof(struct bw_agent_binding) - l->bindings.len)
			to[i].n_bindings = 0;
		for (uint32_t k = 0; k < to[i].n_bindings; k++) {
			struct bw_agent_binding b;
			memcpy(&b, l->blob + from.bindings_at + k * sizeof(b), sizeof(b));
			BW_TRY(bw_vec_push(&l->bindings,
					   ((struct bw_target_binding){b.set, b.binding, b.element,
								       b.va, b.size_b, b.at_va})));
		}
	}
	const struct bw_target_binding *at = l->bindings.data;
	for (size_t i = 0; i < n; i++) {
		to[i].bindings = at;
		at += to[i].n_bindings;
	}
	return NULL;
}

static bool is_text(const char *text, size_t room)
{
	return memchr(text, 0, room) != NULL;
}

/* Takes the arguments likewise. Kinds and texts are the program's word. */
static struct bw_error *take_args(struct bw_live *l, const uint8_t *dispatches,
				  struct bw_target_dispatch *to, size_t n, size_t blob_b)
{
	size_t left = blob_b / sizeof(struct bw_agent_arg);
	l->args.len = 0;
	for (size_t i = 0; i < n; i++) {
		struct bw_agent_dispatch from;
		memcpy(&from, dispatches + i * sizeof(from), sizeof(from));
		if (from.args_at >= blob_b || from.n_args > left ||
		    from.n_args > (blob_b - from.args_at) / sizeof(struct bw_agent_arg))
			continue;
		to[i].n_args = from.n_args;
		left -= from.n_args;
		for (uint32_t k = 0; k < from.n_args; k++) {
			struct bw_agent_arg a;
			memcpy(&a, l->blob + from.args_at + k * sizeof(a), sizeof(a));
			struct bw_target_arg arg = {.offset_b = a.offset_b, .size_b = a.size_b};
			arg.kind = a.kind <= BW_AGENT_ARG_LOCAL ? (enum bw_target_arg_kind)a.kind
								: BW_TARG_OPAQUE;
			if (is_text(a.name, sizeof(a.name)))
				memcpy(arg.name, a.name, sizeof(arg.name));
			if (is_text(a.type, sizeof(a.type)))
				memcpy(arg.type, a.type, sizeof(arg.type));
			BW_TRY(bw_vec_push(&l->args, arg));
		}
	}
	const struct bw_target_arg *at = l->args.data;
	for (size_t i = 0; i < n; i++) {
		to[i].args = at;
		at += to[i].n_args;
	}
	return NULL;
}

_Static_assert((int)BW_TARG_OPAQUE == (int)BW_AGENT_ARG_OPAQUE &&
		       (int)BW_TARG_VALUE == (int)BW_AGENT_ARG_VALUE &&
		       (int)BW_TARG_BUFFER == (int)BW_AGENT_ARG_BUFFER &&
		       (int)BW_TARG_LOCAL == (int)BW_AGENT_ARG_LOCAL &&
		       BW_TARG_NOWHERE == BW_AGENT_ARG_NOWHERE,
	       "arguments are passed on unchanged");

/* Gives the submission a number in this session, which may have several programs. */
static struct bw_error *number_submission(struct bw_live *l, struct bw_live_vm *vm,
					  uint32_t in_proc, uint32_t *out)
{
	BW_TRY(bw_vec_push(&l->submissions, ((struct bw_live_submission){l->next_submission + 1,
									 vm->proc, vm, in_proc})));
	*out = ++l->next_submission;
	return NULL;
}

static struct bw_error *on_submit(struct bw_live *l, struct bw_live_proc *p, const struct bw_msg *m,
				  struct bw_target_event *out)
{
	struct bw_agent_submit s;
	struct bw_live_vm *vm;
	uint32_t number;
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
	BW_TRY(bw_live_vm_of(l, p, s.file, &vm));
	BW_TRY(take_blob(l, m->body + blob_at, blob_b));
	struct bw_target_dispatch *all = calloc(s.n_dispatches ? s.n_dispatches : 1, sizeof(*all));
	if (!all)
		return bw_error_nomem();
	for (uint32_t i = 0; i < s.n_dispatches; i++) {
		struct bw_agent_dispatch d;
		memcpy(&d, m->body + sizeof(s) + (size_t)i * sizeof(d), sizeof(d));
		copy_dispatch(&d, &all[i]);
		vm->excp_of_program |= bw_arch_rsrc2_exceptions(l->t.facts.arch, d.rsrc2);
		point_into_blob(l, &d, blob_b, &all[i]);
	}
	free(l->dispatches);
	l->dispatches = all;
	BW_TRY(take_bindings(l, m->body + sizeof(s), all, s.n_dispatches, blob_b));
	BW_TRY(take_args(l, m->body + sizeof(s), all, s.n_dispatches, blob_b));
	bw_live_note_enables(l, vm);
	if (!vm->attached && s.n_dispatches) {
		struct bw_error *err = bw_live_attach(l, vm);
		if (err) {
			if (p->is_lost)
				return err;
			if (!vm->is_refused) /* said once */
				bw_live_note(l, true, "waves cannot be stopped: %s", err->message);
			vm->is_refused = true;
			bw_error_free(err);
		}
	}
	BW_TRY(number_submission(l, vm, s.submission, &number));
	*out = (struct bw_target_event){
		.kind = BW_EVENT_SUBMIT,
		.pid = p->pid,
		.space = vm->number,
		.submission = number,
		.is_running = s.is_running,
		.queue = bw_live_queue_number(
			l, &(struct bw_queue_key){vm->number, s.ctx_id, s.ip_type, s.ring}),
		.frame = s.frame,
		.dispatches = all,
		.n_dispatches = s.n_dispatches};
	return NULL;
}

/* False: it is not known. */
static bool on_done(struct bw_live *l, struct bw_live_proc *p, const struct bw_agent_done *done,
		    struct bw_target_event *out)
{
	for (size_t i = 0; i < l->submissions.len; i++) {
		const struct bw_live_submission s = l->submissions.data[i];
		if (s.proc != p || s.in_proc != done->submission)
			continue;
		bw_vec_remove(&l->submissions, i);
		*out = (struct bw_target_event){
			.kind = BW_EVENT_DONE, .submission = s.number, .result = done->result};
		return true;
	}
	return false;
}

/* The kernel has ended a submission. Its log says why; where it does not, the end of the dispatches
 * is all that is told. */
static struct bw_error *on_failed(struct bw_live *l, struct bw_live_proc *p,
				  const struct bw_agent_failed *failed, struct bw_target_event *out,
				  bool *out_given)
{
	struct bw_kmd_queue_error e;
	struct bw_str log = {0};
	struct bw_error *err = bw_kmd_log(l->kmd, &log);
	bool found =
		!err && bw_kmd_last_queue_error(bw_str_text(&log), p->pid, l->queue_error_us, &e);
	bw_str_free(&log);
	if (!found && !failed->submission)
		bw_live_note(l, true, "the kernel has ended a submission of process %d (%s)%s%s",
			     (int)p->pid, bw_error_result(failed->result),
			     err ? "; its log says why, but " : "", err ? err->message : "");
	bw_error_free(err);
	p->n_failures++;
	*out_given = false;
	struct bw_live_vm *vm;
	err = found ? bw_live_vm_of(l, p, failed->file, &vm) : release_failures(l);
	/* of a program or a GPU that is gone: an event will say so */
	if (!found || err)
		return bw_error_catch(&err, BW_E_GONE) ? NULL : err;
	*out_given = true;
	l->queue_error_us = e.time_us;
	*out = (struct bw_target_event){.kind = BW_EVENT_QUEUE_ERROR,
					.space = vm->number,
					.pid = p->pid,
					.result = failed->result,
					.queue_error = {.is_sdma = failed->is_sdma,
							.has_ib = e.has_ib,
							.ib_va = e.ib_va,
							.dword = e.dword}};
	memcpy(out->queue_error.ring, e.ring, sizeof(e.ring));
	memcpy(out->queue_error.what, e.what, sizeof(e.what));
	memcpy(out->queue_error.packet, e.why, sizeof(e.why));
	return NULL;
}

/* The program has closed a file. */
static bool on_closed(struct bw_live *l, struct bw_live_proc *p, uint32_t file,
		      struct bw_target_event *out)
{
	bw_vec_each(&l->vms, it) {
		struct bw_live_vm *vm = *it;
		if (vm->proc != p || vm->file != file)
			continue;
		*out = (struct bw_target_event){.kind = BW_EVENT_SPACE_GONE, .space = vm->number};
		bw_live_drop_vm(l, vm);
		return true;
	}
	return false;
}

struct bw_error *bw_live_event(struct bw_live *l, struct bw_live_proc *p, struct bw_msg *m,
			       struct bw_target_event *out, bool *out_given)
{
	struct bw_agent_done done;
	struct bw_agent_about about;
	struct bw_agent_failed failed;

	*out_given = true;
	switch (m->type) {
	case BW_AGENT_EV_HELLO:
		return on_hello(l, p, m, out, out_given);
	case BW_AGENT_EV_SUBMIT:
		return on_submit(l, p, m, out);
	case BW_AGENT_EV_DONE:
		if (m->body_b < sizeof(done))
			return bw_errorf(BW_E_INVALID,
					 "the program's agent sent a completion of %u bytes",
					 m->body_b);
		memcpy(&done, m->body, sizeof(done));
		*out_given = on_done(l, p, &done, out);
		return NULL;
	case BW_AGENT_EV_FAILED:
		if (m->body_b < sizeof(failed))
			return bw_errorf(BW_E_INVALID,
					 "the program's agent sent a failure of %u bytes",
					 m->body_b);
		memcpy(&failed, m->body, sizeof(failed));
		return on_failed(l, p, &failed, out, out_given);
	case BW_AGENT_EV_CLOSED:
		if (m->body_b < sizeof(about))
			return bw_errorf(BW_E_INVALID,
					 "the program's agent sent the end of a file in %u bytes",
					 m->body_b);
		memcpy(&about, m->body, sizeof(about));
		*out_given = on_closed(l, p, about.file, out);
		return NULL;
	default:
		BW_LOG(WARN, "live", "event %u of the agent is unknown", m->type);
		*out_given = false;
		return NULL;
	}
}
