// SPDX-License-Identifier: MIT
#include "live/live_priv.h"
#include "live/gpu_regs.h"
#include "live/guard.h"
#include "live/operations.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/wait.h"
#include "wire/agent_folders.h"

enum {
	POLL_MIN_NS = 50 * 1000,
	POLL_MAX_NS = 4 * 1000 * 1000,
	ASK_NS = 500 * 1000 * 1000,
};

void bw_live_note(struct bw_live *l, bool warning, const char *fmt, ...)
{
	struct bw_target_event ev = {.kind = BW_EVENT_NOTE, .is_warning = warning};
	va_list args;
	va_start(args, fmt);
	vsnprintf(ev.text, sizeof(ev.text), fmt, args);
	va_end(args);
	struct bw_error *err = bw_vec_push(&l->notes, ev);
	bw_error_free(err);
}

/* ---- Start and end ---- */

static struct bw_error *make_socket(struct bw_live *l)
{
	BW_TRY(bw_folder_make(BW_FOLDER_DEBUG, &l->folder));
	return bw_agent_folders_listen(&l->folder, BW_AGENT_SOCKET, &l->listen_fd);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void free_live(struct bw_live *l)
{
	bw_live_free_procs(l);
	bw_live_gfxoff_release(l);
	bw_kmd_file_close(l->draws);
	bw_guard_end(&l->guard);
	bw_vec_each(&l->others, fd)
		close(*fd);
	bw_vec_free(&l->others);
	bw_vec_free(&l->poll_set);
	close_fd(&l->listen_fd);
	close_fd(&l->wake_fd);
	close_fd(&l->pidfd);
	bw_folder_remove(&l->folder);
	bw_vec_each(&l->queue, q)
		bw_msg_fini(&q->m);
	bw_vec_free(&l->queue);
	bw_vec_free(&l->procs);
	bw_vec_free(&l->vms);
	bw_vec_free(&l->submissions);
	bw_vec_free(&l->notes);
	bw_vec_free(&l->queues);
	bw_vec_free(&l->saved);
	bw_msg_fini(&l->reply);
	bw_gpu_memory_close(&l->memory);
	free(l->dispatches);
	free(l->blob);
	bw_vec_free(&l->bindings);
	bw_vec_free(&l->args);
	if (l->reservation >= 0)
		close(l->reservation);
	free(l->last_vm);
	free(l->icache_generation);
	free(l);
}

static bool is_ours(void *cookie, pid_t pid)
{
	return bw_live_proc_of(cookie, pid) != NULL;
}

void bw_live_find_holder(struct bw_live *l)
{
	struct bw_kmd_wait now = {0};
	struct bw_error *err = l->procs.len ? bw_kmd_find_wait(l->kmd, is_ours, l, &now) : NULL;
	bw_error_free(err); /* the GPU has gone, and nothing is waited for */
	if (now.holder)
		l->held_up_by = now;
}

static void live_close(struct bw_target *t)
{
	struct bw_live *l = bw_live_of(t);
	bool killed = l->child_killed;
	bw_live_find_holder(l);
	bw_vec_each(&l->procs, p)
		if (!(*p)->is_killed)
			bw_live_detach_proc(l, *p);
	bw_live_guard_finish(l, &(struct bw_guard_finish){.all = true});
	if (killed)
		bw_live_reap(l, 0);
	free_live(l);
}

static struct bw_error *live_detach_children(struct bw_target *t, bool on)
{
	bw_live_of(t)->sends_away = on;
	return NULL;
}

static void live_interrupt(struct bw_target *t)
{
	struct bw_live *l = bw_live_of(t);
	int saved = errno;
	atomic_store(&l->interrupted, true);
	/* the pipe is full, so it is readable already */
	ssize_t n = write(l->wake_fd, &(uint64_t){1}, sizeof(uint64_t));
	(void)n;
	errno = saved;
}

static bool live_is_interrupted(struct bw_target *t)
{
	return atomic_load(&bw_live_of(t)->interrupted);
}

static void live_forget_interrupt(struct bw_target *t)
{
	struct bw_live *l = bw_live_of(t);
	uint64_t n;
	if (!atomic_exchange(&l->interrupted, false))
		return;
	ssize_t r = read(l->wake_fd, &n, sizeof(n));
	(void)r;
}

/* ---- Waiting ---- */

/* One message of an agent's. */
static struct bw_error *read_agent(struct bw_live *l, struct bw_live_proc *p,
				   struct bw_target_event *out, bool *out_given)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = bw_msg_recv(p->fd, 1000, &m);
	*out_given = false;
	if (err) {
		bool gone = bw_error_catch(&err, BW_E_GONE);
		bw_live_proc_lost(l, p);
		return gone ? NULL : bw_error_wrap(err, "the connection to the program was closed");
	}
	if (m.seq == 0)
		err = bw_live_event(l, p, &m, out, out_given);
	bw_msg_fini(&m);
	return err;
}

/* Returns an event that needs no waiting. */
static struct bw_error *next_ready(struct bw_live *l, struct bw_target_event *out, bool *out_given)
{
	*out_given = true;
	if (l->notes.len) {
		*out = l->notes.data[0];
		bw_vec_remove(&l->notes, 0);
		return NULL;
	}
	if (atomic_exchange(&l->interrupted, false)) {
		uint64_t n;
		ssize_t r = read(l->wake_fd, &n, sizeof(n));
		(void)r;
		out->kind = BW_EVENT_INTERRUPT;
		return NULL;
	}
	if (l->queue.len) {
		struct bw_live_queued q = l->queue.data[0];
		bw_vec_remove(&l->queue, 0);
		struct bw_error *err = bw_live_event(l, q.proc, &q.m, out, out_given);
		bw_msg_fini(&q.m);
		return err;
	}
	bw_vec_each(&l->vms, it) {
		struct bw_live_vm *vm = *it;
		uint32_t stops = vm->attached && !vm->proc->is_asleep
					 ? __atomic_load_n(&vm->control->stops, __ATOMIC_ACQUIRE)
					 : vm->stops_seen;
		if (stops != vm->stops_seen) {
			bw_live_stops_are_seen(l);
			out->kind = BW_EVENT_STOP;
			return NULL;
		}
	}
	*out_given = bw_live_next_end(l, out);
	return NULL;
}

static struct bw_error *add_poll(struct bw_live *l, int fd)
{
	return bw_vec_push(&l->poll_set, ((struct pollfd){.fd = fd, .events = POLLIN}));
}

/* The time to sleep before the stop count is read again: a short time just after waves were
 * resumed. */
static uint64_t poll_ns(const struct bw_live *l)
{
	uint64_t since = bw_live_now_ns() - l->last_run_ns;
	bool any = false;
	bw_vec_each(&l->vms, vm)
		any |= (*vm)->attached && !(*vm)->proc->is_asleep;
	if (!any)
		return UINT64_MAX;
	return BW_MIN(BW_MAX(since / 8, (uint64_t)POLL_MIN_NS), (uint64_t)POLL_MAX_NS);
}

enum { AT_WAKE, AT_LISTEN, AT_CHILD, AT_GPU, AT_PROCS };

static struct bw_error *sleep_once(struct bw_live *l, uint64_t max_ns)
{
	l->poll_set.len = 0;
	BW_TRY(add_poll(l, l->wake_fd));
	BW_TRY(add_poll(l, l->listen_fd));
	BW_TRY(add_poll(l, l->child_gone ? -1 : l->pidfd));
	BW_TRY(add_poll(l, bw_kmd_liveness_fd(l->kmd)));
	/* a process that is expected may end before it connects */
	bw_vec_each(&l->procs, p)
		BW_TRY(add_poll(l, (*p)->fd >= 0 || (*p)->is_lost ? (*p)->fd : (*p)->pidfd));
	bw_vec_each(&l->others, fd)
		BW_TRY(add_poll(l, *fd));
	uint64_t ns = BW_MIN(max_ns, poll_ns(l));
	if (bw_wait_is_set() || l->procs.len)
		ns = BW_MIN(ns, (uint64_t)ASK_NS);
	struct timespec ts = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	if (ppoll(l->poll_set.data, l->poll_set.len, ns == UINT64_MAX ? NULL : &ts, NULL) < 0) {
		if (errno != EINTR)
			return bw_error_errno(errno, "poll");
		bw_vec_each(&l->poll_set, p)
			p->revents = 0;
	}
	return NULL;
}

static bool ready(const struct bw_live *l, unsigned i)
{
	return l->poll_set.data[i].revents != 0;
}

/* Serves what poll has found. */
static struct bw_error *serve(struct bw_live *l, struct bw_target_event *out, bool *out_given)
{
	size_t n_procs = l->procs.len, first_other = AT_PROCS + n_procs;
	*out_given = false;
	for (size_t i = l->others.len; i-- > 0;) {
		if (first_other + i < l->poll_set.len && ready(l, (unsigned)(first_other + i)) &&
		    !bw_live_serve_other(l, l->others.data[i])) {
			close(l->others.data[i]);
			bw_vec_remove(&l->others, i);
		}
	}
	/* One message at a time, as handling it may change the list. The connections take turns. */
	for (size_t k = 0; k < n_procs; k++) {
		size_t i = (l->turn + k) % n_procs;
		struct bw_live_proc *p = l->procs.data[i];
		if (p->is_lost || !ready(l, (unsigned)(AT_PROCS + i)))
			continue;
		l->turn = (uint32_t)i + 1;
		if (p->fd < 0)
			bw_live_proc_lost(l, p);
		else
			BW_TRY(read_agent(l, p, out, out_given));
		if (*out_given)
			return NULL;
		break;
	}
	if (ready(l, AT_LISTEN))
		BW_TRY(bw_live_accept(l));
	if (ready(l, AT_CHILD))
		bw_live_reap(l, WNOHANG);
	if (ready(l, AT_GPU)) {
		out->kind = BW_EVENT_GPU_GONE;
		*out_given = true;
	}
	return NULL;
}

static bool is_readable(int fd)
{
	struct pollfd p = {fd, POLLIN, 0};
	return poll(&p, 1, 0) > 0;
}

static enum bw_target_end live_ends(struct bw_target *t)
{
	struct bw_live *l = bw_live_of(t);
	bool any = false, all = true;
	bool child_runs =
		l->child > 0 && !l->child_detached && !l->child_gone && !is_readable(l->pidfd);
	if (is_readable(bw_kmd_liveness_fd(l->kmd)))
		return BW_END_ALL;
	/* one that has not said hello has no pidfd: it has not ended as far as is known */
	bw_vec_each(&l->procs, it) {
		struct bw_live_proc *p = *it;
		bool gone = p->is_lost || is_readable(p->pidfd);
		all &= gone;
		/* the end of our child is reported with its status, once that is known */
		any |= gone && p->pid && !(child_runs && p->pid == l->child);
		any |= bw_live_proc_is_ending(p);
	}
	if (all && !child_runs)
		return BW_END_ALL;
	return any ? BW_END_SOME : BW_END_NONE;
}

/* Tells whose work fills the GPU where that of our programs waits for it. */
static void look_for_waits(struct bw_live *l)
{
	struct bw_target_event ev = {.kind = BW_EVENT_NOTE, .is_said = true};
	if (l->procs.len &&
	    bw_kmd_watch_waits(l->kmd, &l->waits, is_ours, l, ev.text, sizeof(ev.text)))
		bw_error_free(bw_vec_push(&l->notes, ev));
}

static struct bw_error *live_wait(struct bw_target *t, int timeout_ms, struct bw_target_event *out)
{
	struct bw_live *l = bw_live_of(t);
	uint64_t start = bw_live_now_ns();
	uint64_t limit = timeout_ms < 0 ? UINT64_MAX : (uint64_t)timeout_ms * 1000000;
	bool given, looked = false;
	/* how long the wait had lasted when it last looked for processes that are stopped or end */
	uint64_t asked_ns = 0;

	*out = (struct bw_target_event){.kind = BW_EVENT_NONE};
	for (;;) {
		look_for_waits(l);
		BW_TRY(next_ready(l, out, &given));
		if (given)
			return NULL;
		uint64_t waited = bw_live_now_ns() - start;
		if (looked && waited >= limit)
			return NULL;
		if (waited - asked_ns >= ASK_NS) {
			asked_ns = waited;
			bw_live_look_for_ends(l);
			/* Ctrl-C is an event here */
			bw_wait_should_continue((unsigned)(waited / 1000000), false);
		}
		BW_TRY(sleep_once(l, limit == UINT64_MAX ? limit : limit - BW_MIN(waited, limit)));
		BW_TRY(serve(l, out, &given));
		if (given)
			return NULL;
		looked = true;
	}
}

static void code_buffer(struct bw_target *t, uint64_t *out_va, uint32_t *out_size_b)
{
	const struct bw_live_vm *vm = bw_live_vm(bw_live_of(t));
	*out_va = vm && vm->attached ? vm->displaced_va : 0;
	*out_size_b = vm && vm->attached ? vm->displaced_b : 0;
}

const struct bw_target_ops bw_live_ops = {
	.close = live_close,
	.wait = live_wait,
	.interrupt = live_interrupt,
	.forget_interrupt = live_forget_interrupt,
	.is_interrupted = live_is_interrupted,
	.stopped = bw_live_stopped,
	.ends = live_ends,
	.is_stopped = bw_live_is_stopped,
	.read_wave = bw_live_read_wave,
	.write_reg = bw_live_write_reg,
	.read_sgprs = bw_live_read_sgprs,
	.write_sgpr = bw_live_write_sgpr,
	.read_vgpr = bw_live_read_vgpr,
	.write_vgpr = bw_live_write_vgpr,
	.resume = bw_live_resume,
	.step = bw_live_step,
	.wait_wave = bw_live_wait_wave,
	.stop_all = bw_live_stop_all,
	.read = bw_live_read,
	.write = bw_live_write,
	.read_lds = bw_live_read_lds,
	.write_lds = bw_live_write_lds,
	.read_scratch = bw_live_read_scratch,
	.write_scratch = bw_live_write_scratch,
	.patch = bw_live_patch,
	.unpatch = bw_live_unpatch,
	.code_buffer = code_buffer,
	.release = bw_live_release,
	.detach = bw_live_detach,
	.kill = bw_live_kill,
	.detach_children = live_detach_children,
	.attach = bw_live_attach_to,
	.attached = bw_live_attached,
	.make_ready = bw_live_make_ready,
	.hold_time = bw_live_hold_time,
	.set_filter = bw_live_set_filter,
	.set_watch = bw_live_set_watch,
	.set_exceptions = bw_live_set_exceptions,
	.set_precise = bw_live_set_precise,
	.fault = bw_live_fault,
	.walk = bw_live_walk,
	.maps = bw_live_maps,
	.freed = bw_live_freed,
	.objects = bw_live_objects,
	.shader = bw_live_shader,
	.loaded = bw_live_loaded,
	.loaded_bytes = bw_live_loaded_bytes,
	.queues = bw_live_queues,
	.draws = bw_live_draws,
};

struct bw_error *bw_live_open(const struct bw_target_source *source, struct bw_target **out)
{
	struct bw_live *l = calloc(1, sizeof(*l));
	if (!l)
		return bw_error_nomem();
	l->t.ops = &bw_live_ops;
	l->kmd = source->kmd;
	l->memory.kmd = source->kmd;
	l->child = l->listen_fd = l->pidfd = l->reservation = -1;
	l->guard = (struct bw_guard)BW_GUARD_INIT;
	l->folder = (struct bw_folder)BW_FOLDER_INIT;
	l->reply.fd = -1;
	/* sleeps of some 10 us are meant as such (default: 50 us more) */
	prctl(PR_SET_TIMERSLACK, 1000ul);
	l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct bw_error *err = l->wake_fd < 0 ? bw_error_errno(errno, "eventfd") : NULL;
	if (!err)
		err = bw_live_find_regs(l);
	if (!err)
		err = bw_live_facts(l);
	if (!err)
		l->t.caps = bw_target_gpu_caps(l->t.facts.arch) &
			    ~(l->t.facts.is_virtual ? 0u : (uint32_t)BW_CAP_DRAWS);
	if (!err)
		err = make_socket(l);
	if (!err)
		err = bw_live_guard_start(l);
	if (!err)
		err = bw_live_gfxoff_hold(l);
	if (!err)
		err = source->kind == BW_SOURCE_PROCESS ? bw_live_attach_to(&l->t, source->pid)
							: bw_live_spawn(l, source);
	l->t.program = l->child > 0 ? l->child : 0;
	if (err) {
		free_live(l);
		return err;
	}
	*out = &l->t;
	return NULL;
}
