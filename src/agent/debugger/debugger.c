/* SPDX-License-Identifier: MIT */
#include "agent/debugger/debugger_priv.h"

#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "agent/capture/capture_link.h"
#include "agent/channel/channel.h"
#include "agent/channel/listen.h"
#include "agent/clocks/clock.h"
#include "agent/clocks/thread.h"
#include "agent/debugger/attach.h"
#include "agent/memory/memory.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "wire/message.h"

struct bw_dbg bw_dbg = {.lock = PTHREAD_MUTEX_INITIALIZER,
			.changed = PTHREAD_COND_INITIALIZER,
			.send_lock = PTHREAD_MUTEX_INITIALIZER,
			.sock = -1,
			.guard = -1,
			.keeper = -1};

struct bw_error *bw_dbg_send(uint16_t type, uint32_t seq, const struct bw_msg_part *parts, size_t n,
			     int fd)
{
	pthread_mutex_lock(&bw_dbg.send_lock);
	struct bw_error *err = bw_dbg.sock < 0 ? bw_errorf(BW_E_GONE, "no debugger")
					       : bw_msg_send(bw_dbg.sock, type, seq, parts, n, fd);
	pthread_mutex_unlock(&bw_dbg.send_lock);
	return err;
}

void bw_dbg_send_event(uint16_t type, const struct bw_msg_part *parts, size_t n)
{
	_cleanup_error_ struct bw_error *err = bw_dbg_send(type, 0, parts, n, -1);
	if (err)
		BW_LOG(WARN, "agent", "event %u: %s", type, err->message);
}

/* Files */

struct bw_agent_file *bw_dbg_find_file(uint32_t number)
{
	if (!number)
		number = bw_dbg.last;
	bw_vec_each(&bw_dbg.files, f)
		if ((*f)->number == number)
			return *f;
	return number || !bw_dbg.files.len ? NULL : bw_dbg.files.data[0];
}

bool bw_dbg_is_open(const struct bw_agent_file *f)
{
	bw_vec_each(&bw_dbg.files, it)
		if (*it == f)
			return true;
	return false;
}

struct bw_agent_file *bw_dbg_file_of(uint32_t number)
{
	pthread_mutex_lock(&bw_dbg.lock);
	struct bw_agent_file *f = bw_dbg_find_file(number);
	if (f)
		bw_agent_file_ref(f);
	pthread_mutex_unlock(&bw_dbg.lock);
	return f;
}

struct bw_attach *bw_dbg_attach_of(const struct bw_agent_file *f)
{
	bw_vec_each(&bw_dbg.attached, a)
		if ((*a)->file == f)
			return *a;
	return NULL;
}

/* Removes the attachment, so that no further submission uses it. */
static struct bw_attach *take_attach(struct bw_attach *a)
{
	pthread_mutex_lock(&bw_dbg.lock);
	for (size_t i = 0; i < bw_dbg.attached.len; i++) {
		if (bw_dbg.attached.data[i] == a) {
			bw_vec_remove(&bw_dbg.attached, i);
			break;
		}
	}
	pthread_mutex_unlock(&bw_dbg.lock);
	return a;
}

static void set_state(enum bw_dbg_state state)
{
	pthread_mutex_lock(&bw_dbg.lock);
	bw_dbg.state = state;
	pthread_cond_broadcast(&bw_dbg.changed);
	pthread_mutex_unlock(&bw_dbg.lock);
}

/* Sets the new state in the same step, so that no submission is held in between. */
static void release_all(enum bw_dbg_state state)
{
	pthread_mutex_lock(&bw_dbg.lock);
	bw_dbg.state = state;
	bw_dbg.failures = bw_dbg.failures_released = 0;
	bw_vec_each(&bw_dbg.held, h)
		(*h)->released = true;
	pthread_cond_broadcast(&bw_dbg.changed);
	pthread_mutex_unlock(&bw_dbg.lock);
}

/* The end: by DETACH, or because the debugger is gone. */
static void end_service(void)
{
	bw_clock_resume();
	bw_vec_each(&bw_dbg.attached, a)
		bw_attach_end(*a);
	/* patches exist only where something is attached, unless the debugger failed before that */
	struct bw_agent_file *f = bw_dbg_file_of(0);
	if (f)
		bw_memory_unpatch_range(f, 0, UINT64_MAX);
	bw_agent_file_unref(f);
	release_all(LEAVING);
}

struct bw_attach_left *bw_debugger_job_begun(const struct bw_agent_file *f,
					     uint32_t *out_area_handle)
{
	pthread_mutex_lock(&bw_dbg.lock);
	const struct bw_attach *a = bw_dbg_attach_of(f);
	/* an attachment that is asleep stays in any case */
	bool stays = a && a->is_ready && bw_dbg.state == ENDED;
	struct bw_attach_left *left = a && !stays ? bw_attach_left_ref(a->left) : NULL;
	*out_area_handle = a ? a->area_handle : 0;
	pthread_mutex_unlock(&bw_dbg.lock);
	return left;
}

void bw_debugger_job_ended(struct bw_attach_left *left)
{
	bw_attach_left_unref(left);
}

static void drop_closed_files(void)
{
	pthread_mutex_lock(&bw_dbg.lock);
	struct files closed = bw_dbg.closed;
	bw_dbg.closed = (struct files){0};
	pthread_mutex_unlock(&bw_dbg.lock);
	bw_vec_each(&closed, f) {
		struct bw_agent_about about = {.file = (*f)->number};
		const struct bw_msg_part part = {&about, sizeof(about)};
		struct bw_attach *a = bw_dbg_attach_of(*f);
		if (a) {
			bw_attach_drop(take_attach(a));
			free(a);
		}
		if (bw_dbg.sock >= 0)
			bw_dbg_send_event(BW_AGENT_EV_CLOSED, &part, 1);
		bw_agent_file_unref(*f);
	}
	bw_vec_free(&closed);
}

enum { LOOK_MS = 2 };

/* Resumes waves that stop until the guard says that the trap registers are restored (BACK). The
 * guard needs to hear first that no patched code is left anywhere (LEFT). False: the guard has
 * ended without saying so. */
static bool await_registers(void)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = NULL;
	bool told = false, back = false;
	while (!err && !back && bw_dbg.guard >= 0) {
		bool left = true;
		drop_closed_files();
		bw_vec_each(&bw_dbg.attached, a)
			left &= bw_attach_has_left(*a);
		if (left && !told) {
			told = true;
			err = bw_msg_send(bw_dbg.guard, BW_AGENT_LEFT, 0, NULL, 0, -1);
		}
		if (!err)
			err = bw_msg_recv(bw_dbg.guard, LOOK_MS, &m);
		bool heard = !bw_error_catch(&err, BW_E_TIMEOUT) && !err;
		back = heard && m.type == BW_AGENT_BACK;
	}
	bw_error_free(err);
	bw_msg_fini(&m);
	return back;
}

static void take_guard(struct bw_msg *m)
{
	struct bw_peer peer;
	bw_agent_fd_close(&bw_dbg.guard);
	if (m->fd < 0)
		return;
	struct bw_error *err = bw_peer_of(m->fd, &peer);
	bool allowed = !err && bw_peer_is_allowed(&peer, BW_NO_USER);
	bw_error_free(err);
	if (!allowed)
		return; /* it must be a socket, and its peer the one that debugs us */
	bw_dbg.guard = bw_agent_fd_keep(bw_take_fd(m->fd));
}

/* Ends the attachments; those that are ready only sleep. */
static void end_attaches(bool given_back)
{
	for (uint32_t i = bw_dbg.attached.len; i-- > 0;) {
		struct bw_attach *a = bw_dbg.attached.data[i];
		if (a->is_ready) {
			bw_attach_sleep(a);
			continue;
		}
		bw_attach_over(take_attach(a), given_back);
		free(a);
	}
}

/* READY: the debugger that asked for it owns the registers, and its guard sees by this connection
 * when we end. */
static void fall_asleep(const struct bw_msg *m)
{
	set_state(CHANGING);
	bw_vec_each(&bw_dbg.attached, a) {
		(*a)->is_ready = true;
		bw_attach_sleep(*a);
	}
	bw_clock_resume();
	bw_error_free(bw_dbg_reply_result(m, 0, 0, ""));
	pthread_mutex_lock(&bw_dbg.send_lock);
	bw_agent_fd_close(&bw_dbg.sock);
	pthread_mutex_unlock(&bw_dbg.send_lock);
	if (bw_dbg.guard >= 0) { /* else it has been told of another file already, and has its
				  * connection */
		bw_agent_fd_close(&bw_dbg.keeper);
		bw_dbg.keeper = bw_dbg.guard;
		bw_dbg.guard = -1;
	}
	drop_closed_files();
	/* Last of all: the program's next submission may be that of another address space, which
	 * calls the keeper. From here on another debugger may come. */
	release_all(ENDED);
}

static void *service(void *cookie)
{
	struct bw_msg m = BW_MSG_INIT;
	bool detach = false, ready = false;
	struct bw_error *err = NULL;
	while (!err && !detach && !ready) {
		err = bw_msg_recv(bw_dbg.sock, 100, &m);
		drop_closed_files();
		if (bw_error_catch(&err, BW_E_TIMEOUT))
			continue;
		if (err)
			break;
		detach = m.type == BW_AGENT_DETACH;
		ready = m.type == BW_AGENT_READY;
		if (m.type == BW_AGENT_GUARD)
			take_guard(&m);
		else if (!detach && !ready)
			err = bw_dbg_answer(&m);
	}
	if (ready) {
		fall_asleep(&m);
		bw_msg_fini(&m);
		return NULL;
	}
	if (err)
		BW_LOG(INFO, "agent", "debugger: %s", err->message);
	bw_error_free(err);
	end_service();
	if (detach)
		bw_error_free(bw_dbg_reply_result(&m, 0, 0, ""));
	bw_msg_fini(&m);
	bool given_back = await_registers();
	if (!given_back && bw_dbg.attached.len)
		BW_LOG(WARN, "agent", "the trap handler stays in the program's memory");
	end_attaches(given_back);
	pthread_mutex_lock(&bw_dbg.send_lock);
	bw_agent_fd_close(&bw_dbg.sock);
	pthread_mutex_unlock(&bw_dbg.send_lock);
	bw_agent_fd_close(&bw_dbg.guard);
	drop_closed_files();
	set_state(ENDED);
	/* of the debugger that has started it; later ones only attach */
	static bool has_own_life;
	const char *owned = getenv(BW_AGENT_OWNED_ENV);
	if (!detach && !has_own_life && owned && strcmp(owned, "0"))
		kill(getpid(), SIGTERM);
	has_own_life = true;
	return NULL;
}

/* Connecting */

static void real_pci_address(unsigned minor, char *out, size_t size_b)
{
	char path[64], target[256];
	snprintf(path, sizeof(path), "/sys/dev/char/226:%u/device", minor);
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = 0;
	const char *slash = strrchr(target, '/');
	snprintf(out, size_b, "%.15s", slash ? slash + 1 : "");
}

static void say_hello(const struct bw_agent_file *f)
{
	struct bw_agent_hello hello = {.head = bw_channel_hello(BW_AGENT_PROTO_VERSION),
				       .is_render_node = f->minor >= 128};
	if (f->own_fd < 0)
		snprintf(hello.pci_address, sizeof(hello.pci_address), "%s",
			 bw_agent_pci_address());
	else
		real_pci_address(f->minor, hello.pci_address, sizeof(hello.pci_address));
	struct bw_msg_part part = {&hello, sizeof(hello)};
	bw_dbg_send_event(BW_AGENT_EV_HELLO, &part, 1);
}

/* f: the file to announce; the caller's reference. The state is no longer ENDED or UNTRIED, so that
 * no other thread does the same. Takes ownership of sock, whose descriptor the program does not
 * see. */
static int begin_service(int sock, struct bw_agent_file *f)
{
	bw_dbg.sock = sock;
	say_hello(f);
	set_state(CONNECTED);
	int r = bw_thread_start(service, NULL);
	if (r)
		end_service();
	return r;
}

int bw_dbg_connect(struct bw_agent_file *f)
{
	int sock = bw_channel_dial(BW_AGENT_DEBUGGER);
	if (sock >= 0)
		return begin_service(sock, f);
	set_state(ENDED);
	return -ECONNREFUSED;
}

void bw_debugger_take(int sock)
{
	pthread_mutex_lock(&bw_dbg.lock);
	struct bw_agent_file *f = bw_dbg_find_file(0);
	bool leaves = bw_dbg.state == LEAVING,
	     busy = bw_dbg.state == CHANGING || bw_dbg.state == CONNECTED;
	int32_t r = !f ? -ENODEV : busy ? -EBUSY : leaves ? -EALREADY : 0;
	if (!r) {
		bw_dbg.state = CHANGING;
		bw_agent_file_ref(f);
	}
	pthread_mutex_unlock(&bw_dbg.lock);
	if (r) {
		bw_listen_answer(sock, r);
		return;
	}
	if (bw_listen_accept(sock)) {
		begin_service(sock, f);
	} else {
		bw_agent_fd_close(&sock);
		set_state(ENDED);
	}
	bw_agent_file_unref(f);
}

static const struct bw_service services[] = {
	{BW_MSG_MAGIC, BW_AGENT_PROTO_VERSION, bw_debugger_take},
	{BW_AGENT_CALL_CAPTURE, BW_CAPTURE_VERSION, bw_capture_link_take},
};

void bw_debugger_file_opened(struct bw_agent_file *f)
{
	if (!f->track)
		return;
	pthread_mutex_lock(&bw_dbg.lock);
	bool first = bw_agent_config()->folders[BW_AGENT_DEBUGGER] && bw_dbg.state == UNTRIED;
	if (first)
		bw_dbg.state = CHANGING;
	bw_agent_file_ref(f);
	struct bw_error *err = bw_vec_push(&bw_dbg.files, f);
	pthread_mutex_unlock(&bw_dbg.lock);
	if (err) { /* it is not debugged */
		bw_error_free(err);
		bw_agent_file_unref(f);
	}
	if (bw_agent_config()->attachable)
		bw_listen_start(services, BW_ARRAY_SIZE(services));
	if (first)
		bw_dbg_connect(f);
}

void bw_debugger_file_closed(struct bw_agent_file *f)
{
	pthread_mutex_lock(&bw_dbg.lock);
	bool ours = false;
	for (size_t i = bw_dbg.files.len; i-- > 0;) {
		if (bw_dbg.files.data[i] != f)
			continue;
		ours = true;
		bw_vec_remove(&bw_dbg.files, i);
	}
	if (bw_dbg.last == f->number)
		bw_dbg.last = 0;
	/* With a service thread, that thread drops the last reference, as it may be using the
	 * file. */
	bool pass_on = ours && bw_dbg.state != UNTRIED && bw_dbg.state != ENDED;
	struct bw_attach *asleep = ours && !pass_on ? bw_dbg_attach_of(f) : NULL;
	if (pass_on)
		bw_error_free(bw_vec_push(&bw_dbg.closed, f)); /* without memory it stays open */
	pthread_mutex_unlock(&bw_dbg.lock);
	if (asleep) {
		bw_attach_drop(take_attach(asleep));
		free(asleep);
	}
	if (ours && !pass_on)
		bw_agent_file_unref(f);
}

/* A forked child is not debugged: the socket is its parent's. */

void bw_debugger_fork_prepare(void)
{
	pthread_mutex_lock(&bw_dbg.lock);
	pthread_mutex_lock(&bw_dbg.send_lock);
}

void bw_debugger_fork_parent(void)
{
	pthread_mutex_unlock(&bw_dbg.send_lock);
	pthread_mutex_unlock(&bw_dbg.lock);
}

void bw_debugger_fork_child(void)
{
	pthread_mutex_init(&bw_dbg.lock, NULL);
	pthread_mutex_init(&bw_dbg.send_lock, NULL);
	pthread_cond_init(&bw_dbg.changed, NULL);
	bw_listen_fork_child();
	/* a file that it opens itself is its own: then it connects like any process */
	bw_dbg.state = UNTRIED;
	/* the parent's, which it may share but not close */
	bw_dbg.attached.len = bw_dbg.files.len = bw_dbg.closed.len = bw_dbg.held.len = 0;
	bw_dbg.last = 0;
	bw_agent_fd_close(&bw_dbg.sock);
	bw_agent_fd_close(&bw_dbg.guard);
	bw_agent_fd_close(&bw_dbg.keeper);
}
