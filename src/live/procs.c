// SPDX-License-Identifier: MIT
/* Processes: the program that was started, those that it starts, those that are attached to. Each
 * has an agent with a connection of its own. */
#include "live/live_priv.h"
#include "live/gpu_regs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/wait.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

struct bw_error *bw_live_add_proc(struct bw_live *l, struct bw_live_proc p,
				  struct bw_live_proc **out)
{
	struct bw_live_proc *copy = malloc(sizeof(*copy));
	struct bw_error *err = copy ? bw_vec_push(&l->procs, copy) : bw_error_nomem();
	if (err) {
		free(copy);
		return err;
	}
	*copy = p;
	copy->number = ++l->next_proc;
	bw_wait_add(copy->pid, "the program");
	*out = copy;
	return NULL;
}

struct bw_live_proc *bw_live_proc_of(struct bw_live *l, pid_t pid)
{
	bw_vec_each(&l->procs, it)
		if ((*it)->pid == pid && !(*it)->is_lost)
			return *it;
	return NULL;
}

/* Nothing of it is left. */
static void remove_proc(struct bw_live *l, struct bw_live_proc *p)
{
	bw_live_drop_vms(l, p);
	for (size_t i = l->submissions.len; i-- > 0;)
		if (l->submissions.data[i].proc == p)
			bw_vec_remove(&l->submissions, i);
	for (size_t i = l->queue.len; i-- > 0;) {
		if (l->queue.data[i].proc != p)
			continue;
		bw_msg_fini(&l->queue.data[i].m);
		bw_vec_remove(&l->queue, i);
	}
	for (size_t i = l->procs.len; i-- > 0;)
		if (l->procs.data[i] == p)
			bw_vec_remove(&l->procs, i);
	close_fd(&p->fd);
	close_fd(&p->pidfd);
	bw_wait_remove(p->pid);
	free(p);
}

void bw_live_free_procs(struct bw_live *l)
{
	while (l->procs.len)
		remove_proc(l, l->procs.data[0]);
}

/* ---- They come ---- */

struct bw_error *bw_live_accept(struct bw_live *l)
{
	struct bw_live_proc *p;
	struct bw_peer peer;
	int fd = -1;
	struct bw_error *err = bw_sock_accept(l->listen_fd, &fd, &peer);
	if (err) { /* it has closed already, or is not allowed to connect */
		BW_LOG(WARN, "live", "%s", err->message);
		bw_error_free(err);
		return NULL;
	}
	err = bw_live_add_proc(l, (struct bw_live_proc){.fd = fd, .pidfd = -1, .peer = peer.pid},
			       &p);
	if (err)
		close(fd);
	return err;
}

/* Detaches from a process, so that another debugger can attach to it. */
static void send_away(struct bw_live *l, struct bw_live_proc *p, const struct bw_hello *h)
{
	pid_t pid = p->peer;
	struct bw_error *err = bw_msg_send(p->fd, BW_AGENT_DETACH, 1, NULL, 0, -1);
	if (!err)
		err = bw_vec_push(&l->others, p->fd);
	if (!err)
		p->fd = -1;
	bw_error_free(err); /* it may have gone already */
	remove_proc(l, p);
	if (pid)
		bw_live_note(l, true,
			     "process %d (%.15s) uses the GPU, too, and is not debugged here: "
			     "\"breakwater attach %d\" debugs it",
			     (int)pid, h->comm, (int)pid);
	else
		bw_live_note(
			l, true,
			"a process of another PID namespace (%.15s) uses the GPU and is not debugged: "
			"it has no process ID here",
			h->comm);
}

/* Uses the pid that the kernel reports; a pidfd makes sure that it still is the same process. */
static bool takes_number(struct bw_live_proc *p)
{
	if (p->peer && p->pidfd < 0)
		p->pidfd = (int)syscall(SYS_pidfd_open, p->peer, 0);
	p->pid = p->peer;
	return p->peer && p->pidfd >= 0;
}

bool bw_live_hello(struct bw_live *l, struct bw_live_proc **pp, const struct bw_hello *h)
{
	struct bw_live_proc *p = *pp, *known = p->peer ? bw_live_proc_of(l, p->peer) : NULL;
	size_t n = 0;
	if (p->has_greeted)
		return false;
	p->has_greeted = true;
	if (known == p) /* we have called it */
		return true;
	if (known && known->fd < 0) { /* it was asked to come */
		known->fd = p->fd;
		known->has_line |= known->is_asleep;
		known->is_asleep = false;
		p->fd = -1;
		remove_proc(l, p);
		*pp = known;
		return true;
	}
	bw_vec_each(&l->procs, it)
		n += (*it)->pid && !(*it)->is_lost;
	if (!p->peer || (n && l->sends_away)) {
		send_away(l, p, h);
		return false;
	}
	if (!takes_number(p))
		BW_LOG(WARN, "live", "process %d cannot be watched: %s", (int)p->pid,
		       strerror(errno));
	bw_wait_add(p->pid, "the program");
	return true;
}

bool bw_live_serve_other(struct bw_live *l, int fd)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = bw_msg_recv(fd, 1000, &m);
	if (!err && m.type == BW_AGENT_EV_SUBMIT && m.body_b >= sizeof(struct bw_agent_submit)) {
		struct bw_agent_submit s;
		memcpy(&s, m.body, sizeof(s));
		struct bw_agent_release go = {.submission = s.submission};
		const struct bw_msg_part part = {&go, sizeof(go)};
		err = bw_msg_send(fd, BW_AGENT_RELEASE, 1, &part, 1, -1);
	}
	bool ok = !err && m.type != (BW_AGENT_DETACH | BW_AGENT_REPLY);
	bw_error_free(err);
	bw_msg_fini(&m);
	return ok;
}

/* ---- Address spaces and waves from before we attached ---- */

/* Address spaces that are ready are attached to at once; of the others, waves can only be
 * counted. */
static struct bw_error *look_at_file(struct bw_live *l, struct bw_live_proc *p,
				     const struct bw_agent_file_info *f)
{
	struct bw_live_vm *vm;
	uint32_t n = 0;
	if (!f->is_ready) {
		BW_TRY(bw_live_count_waves(l, f->pasid, &n));
		p->untrappable += n;
		return NULL;
	}
	p->was_ready = true;
	BW_TRY(bw_live_vm_of(l, p, f->file, &vm));
	return bw_live_attach(l, vm);
}

struct bw_error *bw_live_look_around(struct bw_live *l, struct bw_live_proc *p)
{
	enum { MOST = 1024 };
	const uint8_t *from;
	BW_TRY(bw_live_ask(l, p, BW_AGENT_FILES, NULL, 0, "listing the program's DRM files"));
	size_t n = bw_live_reply_list(l, sizeof(struct bw_agent_file_info), &from);
	n = BW_MIN(n, (size_t)MOST);
	_cleanup_free_ struct bw_agent_file_info *all = calloc(n ? n : 1, sizeof(*all));
	if (!all)
		return bw_error_nomem();
	memcpy(all, from, n * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		struct bw_error *err = look_at_file(l, p, &all[i]);
		if (err && p->is_lost)
			return err;
		if (err)
			bw_live_note(l, true, "waves that run already cannot be stopped: %s",
				     err->message);
		bw_error_free(err);
	}
	return NULL;
}

struct bw_error *bw_live_attached(struct bw_target *t, pid_t pid, struct bw_target_attached *out)
{
	const struct bw_live_proc *p = bw_live_proc_of(bw_live_of(t), pid);
	if (!p)
		return bw_errorf(BW_E_GONE, "process %d has ended", (int)pid);
	*out = (struct bw_target_attached){.was_ready = p->was_ready,
					   .n_unstoppable = p->untrappable};
	return NULL;
}

struct bw_error *bw_live_make_ready(struct bw_target *t, pid_t pid)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_proc *p = bw_live_proc_of(l, pid);
	if (!p || p->fd < 0)
		return bw_errorf(BW_E_GONE, "process %d has ended", (int)pid);
	if (p->pidfd < 0)
		return bw_errorf(BW_E_STATE, "process %d cannot be watched", (int)pid);
	BW_TRY(bw_live_ask(l, p, BW_AGENT_READY, NULL, 0, "making the program ready"));
	close_fd(&p->fd);
	p->is_asleep = true;
	return NULL;
}

/* ---- They go ---- */

/* Events that carry only a kind and a process. */
static void note_event(struct bw_live *l, struct bw_target_event ev)
{
	bw_error_free(bw_vec_push(&l->notes, ev));
}

bool bw_live_proc_is_ending(const struct bw_live_proc *p)
{
	return !p->is_lost && p->pid > 0 && bw_process_is_ending(p->pid);
}

/* Waits for the end of a killed process, which waits for its stopped waves; these have been given
 * up. */
static void await_end(const struct bw_live_proc *p)
{
	enum { MOMENT_MS = 1000 };
	struct pollfd end = {p->pidfd, POLLIN, 0};
	if (p->pidfd >= 0 && p->pid > 0 && bw_process_is_ending(p->pid))
		poll(&end, 1, MOMENT_MS);
}

void bw_live_proc_lost(struct bw_live *l, struct bw_live_proc *p)
{
	close_fd(&p->fd);
	p->is_lost = true;
	bw_vec_each(&l->vms, vm)
		if ((*vm)->proc == p)
			note_event(l, (struct bw_target_event){.kind = BW_EVENT_SPACE_GONE,
							       .space = (*vm)->number});
	bw_live_drop_vms(l, p);
	await_end(p);
}

void bw_live_look_for_ends(struct bw_live *l)
{
	bw_vec_each(&l->procs, it) {
		struct pollfd connection = {(*it)->fd, POLLIN, 0};
		bool has_more = poll(&connection, 1, 0) > 0;
		if (!has_more && bw_live_proc_is_ending(*it))
			bw_live_proc_lost(l, *it);
	}
}

static bool is_child(const struct bw_live *l, const struct bw_live_proc *p)
{
	return l->child > 0 && p->pid == l->child;
}

/* A process that has ended; with its exit status where that can be known. */
static struct bw_live_proc *next_lost(struct bw_live *l)
{
	for (size_t i = 0; i < l->procs.len; i++) {
		struct bw_live_proc *p = l->procs.data[i];
		if (!p->is_lost || (is_child(l, p) && !l->child_gone))
			continue;
		if (p->pid)
			return p;
		remove_proc(l, p); /* its connection has ended without notice */
		i--;
	}
	return NULL;
}

bool bw_live_next_end(struct bw_live *l, struct bw_target_event *out)
{
	struct bw_live_proc *p = next_lost(l);
	bool has_child = l->child > 0 && !l->child_detached;
	if (p) {
		bool known = is_child(l, p);
		*out = (struct bw_target_event){.kind = BW_EVENT_PROGRAM_GONE,
						.pid = p->pid,
						.exit_known = known,
						.exit_status = known ? l->child_status : 0};
		remove_proc(l, p);
		return true;
	}
	if (l->procs.len || (has_child && !l->child_gone) || l->exit_told)
		return false;
	l->exit_told = true;
	*out = (struct bw_target_event){
		.kind = BW_EVENT_EXIT, .exit_known = has_child, .exit_status = l->child_status};
	return true;
}

void bw_live_reap(struct bw_live *l, int options)
{
	int status;
	pid_t r;
	if (l->child_gone || l->child <= 0)
		return;
	do
		r = waitpid(l->child, &status, options);
	while (r < 0 && errno == EINTR);
	if (r == l->child) {
		l->child_gone = true;
		bw_wait_remove(l->child);
		l->child_status = status;
	}
}

/* ---- They are sent ---- */

void bw_live_detach_proc(struct bw_live *l, struct bw_live_proc *p)
{
	if (p->fd < 0)
		return;
	struct bw_error *err = bw_live_ask(l, p, BW_AGENT_DETACH, NULL, 0, "detaching");
	if (err)
		BW_LOG(WARN, "live", "%s", err->message);
	bw_error_free(err);
}

struct bw_error *bw_live_detach(struct bw_target *t, pid_t pid)
{
	struct bw_live *l = bw_live_of(t);
	for (size_t i = l->procs.len; i-- > 0;) {
		struct bw_live_proc *p = l->procs.data[i];
		if (pid && p->pid != pid)
			continue;
		bw_live_detach_proc(l, p);
		l->child_detached |= is_child(l, p);
		remove_proc(l, p);
	}
	return NULL;
}

struct bw_error *bw_live_kill(struct bw_target *t, pid_t pid)
{
	struct bw_live *l = bw_live_of(t);
	bw_live_find_holder(l);
	bool child =
		l->child > 0 && !l->child_gone && !l->child_detached && (!pid || pid == l->child);
	bw_vec_each(&l->procs, it) {
		struct bw_live_proc *p = *it;
		/* processes started by our program are killed with it; those that were attached to
		 * are not */
		bool guest = p->is_guest && l->child > 0;
		if ((pid ? p->pid != pid : guest) || p->is_lost || p->fd < 0 || p->pid <= 0)
			continue;
		p->is_killed = true;
		if (!is_child(l, p) && syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, 0) &&
		    errno != ESRCH)
			return bw_error_errno(errno, "cannot kill process %d", (int)p->pid);
	}
	if (child && kill(l->child, SIGKILL) && errno != ESRCH)
		return bw_error_errno(errno, "cannot kill process %d", (int)l->child);
	l->child_killed |= child;
	return NULL;
}
