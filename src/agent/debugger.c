/* SPDX-License-Identifier: MIT */
#include "agent/debugger.h"

#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/attach.h"
#include "agent/clock.h"
#include "agent/listen.h"
#include "agent/names.h"
#include "agent/submit.h"
#include "agent/track.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "wire/message.h"

enum { STACK_B = 256 << 10, IO_MAX_B = BW_MSG_MAX_BODY_B - 4096, INFO_GPUVM_FAULT = 0x23 };

struct held {
	uint32_t number;
	const struct bw_agent_file *file;
	bool go;
};
struct files BW_VEC(struct bw_agent_file *);

static struct {
	pthread_mutex_t lock; /* of what follows, but for the socket's two directions */
	pthread_cond_t released;
	enum { UNTRIED, CONNECTED, LEAVING, ENDED } state;
	struct files files;	 /* open ones, a reference each */
	uint32_t last;		 /* number of the one that has submitted last, 0: none has */
	struct files closed;	 /* by the program: the service thread lets go of them */
	struct BW_VEC(struct bw_attach *) attached; /* only the service thread changes it */
	uint32_t submissions;
	struct BW_VEC(struct held *) held;
	int64_t held_since_ns, held_total_ns; /* while there are any; before that */

	pthread_mutex_t send_lock;
	int sock;
	int guard; /* the line to the debugger's guard, -1: none; the service thread's */
	int keeper; /* to that of the one who has made us ready */
} d = {.lock = PTHREAD_MUTEX_INITIALIZER,
       .released = PTHREAD_COND_INITIALIZER,
       .send_lock = PTHREAD_MUTEX_INITIALIZER,
       .sock = -1,
       .guard = -1,
       .keeper = -1};

struct thread_start {
	void *(*fn)(void *);
	void *cookie;
};

static void *run_thread(void *cookie)
{
	struct thread_start s = *(struct thread_start *)cookie;
	free(cookie);
	bw_clock_thread_is_ours();
	return s.fn(s.cookie);
}

int bw_thread_start(void *(*fn)(void *), void *cookie)
{
	struct thread_start *start = malloc(sizeof(*start));
	if (!start)
		return -ENOMEM;
	*start = (struct thread_start){fn, cookie};
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_B);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* The program's signals are for the program's threads. */
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_t thread;
	int r = pthread_create(&thread, &attr, run_thread, start);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (r)
		free(start);
	return -r;
}

static struct bw_error *send_msg(uint16_t type, uint32_t seq, const struct bw_msg_part *parts,
				 size_t n, int fd)
{
	pthread_mutex_lock(&d.send_lock);
	struct bw_error *err = d.sock < 0 ? bw_errorf(BW_E_GONE, "no debugger")
					  : bw_msg_send(d.sock, type, seq, parts, n, fd);
	pthread_mutex_unlock(&d.send_lock);
	return err;
}

/* An event; a debugger that does not take it is gone, which the service thread sees too. */
static void send_event(uint16_t type, const struct bw_msg_part *parts, size_t n)
{
	_cleanup_error_ struct bw_error *err = send_msg(type, 0, parts, n, -1);
	if (err)
		BW_LOG(WARN, "agent", "event %u: %s", type, err->message);
}

/* Requests */

static void set_result(struct bw_agent_result *r, int result, uint64_t va, const char *what)
{
	r->result = result;
	r->va = va;
	if (result == -EFAULT)
		snprintf(r->message, sizeof(r->message), "%s: nothing is mapped at 0x%llx", what,
			 (unsigned long long)va);
	else if (result == -EPERM)
		snprintf(r->message, sizeof(r->message),
			 "%s: the buffer at 0x%llx is not visible to the CPU", what,
			 (unsigned long long)va);
	else if (result)
		snprintf(r->message, sizeof(r->message), "%s: %s", what, strerror(-result));
}

static struct bw_error *reply(const struct bw_msg *m, const void *head, size_t head_b,
			      const void *more, size_t more_b, int fd)
{
	struct bw_msg_part parts[] = {{head, head_b}, {more, more_b}};
	return send_msg(m->type | BW_AGENT_REPLY, m->seq, parts, 2, fd);
}

static struct bw_error *reply_result(const struct bw_msg *m, int result, uint64_t va,
				     const char *what)
{
	struct bw_agent_result r = {0};
	set_result(&r, result, va, what);
	return reply(m, &r, sizeof(r), NULL, 0, -1);
}

/* Lock held. 0: the one that has submitted last, else the first. */
static struct bw_agent_file *find_file(uint32_t number)
{
	if (!number)
		number = d.last;
	bw_vec_each(&d.files, f)
		if ((*f)->number == number)
			return *f;
	return number || !d.files.len ? NULL : d.files.data[0];
}

/* Lock held. */
static bool is_open(const struct bw_agent_file *f)
{
	bw_vec_each(&d.files, it)
		if (*it == f)
			return true;
	return false;
}

/* The file that a request is about, with a reference. */
static struct bw_agent_file *file_of(uint32_t number)
{
	pthread_mutex_lock(&d.lock);
	struct bw_agent_file *f = find_file(number);
	if (f)
		bw_agent_file_ref(f);
	pthread_mutex_unlock(&d.lock);
	return f;
}

/* Lock held, or on the service thread. */
static struct bw_attach *attach_of(const struct bw_agent_file *f)
{
	bw_vec_each(&d.attached, a)
		if ((*a)->file == f)
			return *a;
	return NULL;
}

/* Takes a over, or gives it up when there is no room for it. */
static bool add_attach(const struct bw_attach *a)
{
	struct bw_attach *copy = malloc(sizeof(*copy));
	if (copy)
		*copy = *a;
	pthread_mutex_lock(&d.lock);
	struct bw_error *err = copy ? bw_vec_push(&d.attached, copy) : bw_error_nomem();
	pthread_mutex_unlock(&d.lock);
	if (!err)
		return true;
	bw_error_free(err);
	free(copy);
	return false;
}

static struct bw_error *on_attach(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_attach req;
	struct bw_agent_attach_reply out = {0};
	_cleanup_close_ int fd = -1;
	memcpy(&req, m->body, sizeof(req));
	uint64_t payload_b = (uint64_t)req.control_size_b + req.handler_size_b;
	pthread_mutex_lock(&d.lock);
	bool is_held = false;
	bw_vec_each(&d.held, h)
		is_held |= (*h)->file == f;
	uint32_t ip_type = f->ip_type, ring = f->ring;
	pthread_mutex_unlock(&d.lock);
	const uint8_t *payload = m->body + sizeof(req);
	struct bw_attach a = {0}, *ready = attach_of(f);
	if (payload_b != m->body_b - sizeof(req))
		set_result(&out.r, -EINVAL, 0, "attaching");
	else if (ready && ready->is_ready && !bw_attach_wake(ready, &out, &fd))
		bw_submit_show_running(f);
	else if (ready && ready->is_ready)
		; /* what is wrong stands in out */
	else if (ready)
		set_result(&out.r, -EBUSY, 0, "already attached");
	else if (!is_held)
		set_result(&out.r, -EAGAIN, 0, "no submission is held");
	else if (!bw_attach(&a, f, &req, payload, payload + req.control_size_b, ip_type, ring, &out,
			    &fd) &&
		 !add_attach(&a)) {
		bw_attach_over(&a, true);
		set_result(&out.r, -ENOMEM, 0, "attaching");
	}
	return reply(m, &out, sizeof(out), NULL, 0, fd);
}

static struct bw_error *on_go(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_go req;
	memcpy(&req, m->body, sizeof(req));
	bool found = false;
	pthread_mutex_lock(&d.lock);
	bw_vec_each(&d.held, h) {
		if ((*h)->number == req.submission) {
			(*h)->go = true;
			found = true;
		}
	}
	pthread_cond_broadcast(&d.released);
	pthread_mutex_unlock(&d.lock);
	return reply_result(m, found ? 0 : -ENOENT, 0, "no such submission is held");
}

static struct bw_error *on_mem(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_mem req;
	uint64_t va = 0;
	memcpy(&req, m->body, sizeof(req));
	const uint8_t *data = m->body + sizeof(req);
	size_t data_b = m->body_b - sizeof(req);
	if (m->type == BW_AGENT_UNPATCH)
		return reply_result(m, bw_patch_clear(f, req.va), req.va, "no such patch");
	if (m->type == BW_AGENT_MEM_READ) {
		_cleanup_free_ uint8_t *out =
			req.size_b <= IO_MAX_B ? calloc(1, BW_MAX(req.size_b, 1u)) : NULL;
		struct bw_agent_result r = {0};
		int e = out ? bw_patch_read(f, req.va, out, req.size_b, &va) : -E2BIG;
		set_result(&r, e, va, "reading GPU memory");
		return reply(m, &r, sizeof(r), out, r.result ? 0 : req.size_b, -1);
	}
	if (data_b != req.size_b)
		return reply_result(m, -EINVAL, req.va, "size and data differ");
	int r = m->type == BW_AGENT_PATCH ? bw_patch_set(f, req.va, data, data_b, &va)
					  : bw_patch_write(f, req.va, data, data_b, &va);
	return reply_result(m, r, va,
			    m->type == BW_AGENT_PATCH ? "writing GPU code" : "writing GPU memory");
}

static struct bw_error *on_maps(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_maps maps = {0};
	struct bw_error *err = bw_track_maps(f, &maps);
	struct bw_agent_result r = {0};
	if (!err)
		err = reply(m, &r, sizeof(r), maps.data, maps.len * sizeof(*maps.data), -1);
	bw_vec_free(&maps);
	return err;
}

static struct bw_error *on_objects(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_objects objects = {0};
	struct bw_error *err = bw_names_objects(&objects);
	struct bw_agent_result r = {0};
	objects.len = BW_MIN(objects.len, IO_MAX_B / sizeof(*objects.data));
	if (!err)
		err = reply(m, &r, sizeof(r), objects.data, objects.len * sizeof(*objects.data), -1);
	bw_vec_free(&objects);
	return err;
}

static struct bw_error *on_fault(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct {
		uint64_t addr;
		uint32_t status, vmhub;
	} fault = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&fault,
				       .return_size = sizeof(fault),
				       .query = INFO_GPUVM_FAULT};
	struct bw_agent_fault out = {0};
	set_result(&out.r, bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_INFO, &info), 0,
		   "asking for the last page fault");
	out.addr = fault.addr;
	out.status = fault.status;
	out.vmhub = fault.vmhub;
	return reply(m, &out, sizeof(out), NULL, 0, -1);
}

static struct bw_error *on_clock(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_clock req;
	memcpy(&req, m->body, sizeof(req));
	(req.is_stopped ? bw_clock_stop : bw_clock_go)();
	return reply_result(m, 0, 0, "");
}

static struct bw_error *on_files(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct BW_VEC(struct bw_agent_file_info) all = {0};
	struct files files = {0};
	pthread_mutex_lock(&d.lock);
	struct bw_error *err = bw_vec_reserve(&files, d.files.len);
	for (size_t i = 0; !err && i < d.files.len; i++) {
		bw_agent_file_ref(d.files.data[i]);
		files.data[files.len++] = d.files.data[i];
	}
	pthread_mutex_unlock(&d.lock);
	bw_vec_each(&files, it) {
		const struct bw_attach *a = attach_of(*it);
		struct bw_agent_file_info i = {.file = (*it)->number, .is_ready = a && a->is_ready};
		bw_attach_pasid(*it, &i.pasid); /* 0: the kernel does not tell it */
		if (!err)
			err = bw_vec_push(&all, i);
		bw_agent_file_unref(*it);
	}
	bw_vec_free(&files);
	struct bw_agent_result r = {0};
	if (!err)
		err = reply(m, &r, sizeof(r), all.data, all.len * sizeof(*all.data), -1);
	bw_vec_free(&all);
	return err;
}

enum { NO_FILE = UINT32_MAX };
static const struct request {
	uint16_t type;
	uint32_t min_b;
	struct bw_error *(*answer)(const struct bw_msg *m, struct bw_agent_file *f);
	uint32_t file_at; /* in the body */
} requests[] = {
	{BW_AGENT_ATTACH, sizeof(struct bw_agent_attach), on_attach, offsetof(struct bw_agent_attach, file)},
	{BW_AGENT_GO, sizeof(struct bw_agent_go), on_go, NO_FILE},
	{BW_AGENT_MEM_READ, sizeof(struct bw_agent_mem), on_mem, offsetof(struct bw_agent_mem, file)},
	{BW_AGENT_MEM_WRITE, sizeof(struct bw_agent_mem), on_mem, offsetof(struct bw_agent_mem, file)},
	{BW_AGENT_PATCH, sizeof(struct bw_agent_mem), on_mem, offsetof(struct bw_agent_mem, file)},
	{BW_AGENT_UNPATCH, sizeof(struct bw_agent_mem), on_mem, offsetof(struct bw_agent_mem, file)},
	{BW_AGENT_MAPS, sizeof(struct bw_agent_about), on_maps, offsetof(struct bw_agent_about, file)},
	{BW_AGENT_FAULT, sizeof(struct bw_agent_about), on_fault, offsetof(struct bw_agent_about, file)},
	{BW_AGENT_OBJECTS, 0, on_objects, NO_FILE},
	{BW_AGENT_FILES, 0, on_files, NO_FILE},
	{BW_AGENT_CLOCK, sizeof(struct bw_agent_clock), on_clock, NO_FILE},
};

static struct bw_error *answer(const struct bw_msg *m)
{
	const struct request *q = NULL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(requests); i++)
		if (requests[i].type == m->type)
			q = &requests[i];
	if (!q)
		return reply_result(m, -EOPNOTSUPP, 0, "this agent does not know the request");
	if (m->body_b < q->min_b)
		return reply_result(m, -EINVAL, 0, "the request is too short");
	uint32_t number = 0;
	if (q->file_at != NO_FILE)
		memcpy(&number, m->body + q->file_at, sizeof(number));
	struct bw_agent_file *f = file_of(number);
	if (!f && q->file_at != NO_FILE)
		return reply_result(m, -ENODEV, 0, "the program has closed its GPU");
	struct bw_error *err = q->answer(m, f);
	bw_agent_file_unref(f);
	return err;
}

/* From here on no submission finds it. */
static struct bw_attach *take_attach(struct bw_attach *a)
{
	pthread_mutex_lock(&d.lock);
	for (size_t i = 0; i < d.attached.len; i++) {
		if (d.attached.data[i] == a) {
			bw_vec_remove(&d.attached, i);
			break;
		}
	}
	pthread_mutex_unlock(&d.lock);
	return a;
}

static void let_all_go(void)
{
	pthread_mutex_lock(&d.lock);
	d.state = LEAVING;
	bw_vec_each(&d.held, h)
		(*h)->go = true;
	pthread_cond_broadcast(&d.released);
	pthread_mutex_unlock(&d.lock);
}

/* The end: by DETACH, or because the debugger is gone. */
static void end_service(void)
{
	bw_clock_go();
	bw_vec_each(&d.attached, a)
		bw_attach_end(*a);
	/* patches are made only where something is attached, but for a debugger that has not got so far */
	struct bw_agent_file *f = file_of(0);
	if (f)
		bw_patch_clear_range(f, 0, UINT64_MAX);
	bw_agent_file_unref(f);
	let_all_go();
}

/* From here on another debugger may come. */
static void set_ended(void)
{
	pthread_mutex_lock(&d.lock);
	d.state = ENDED;
	pthread_mutex_unlock(&d.lock);
}

struct bw_attach_left *bw_debugger_job_begun(const struct bw_agent_file *f, uint32_t *out_area_handle)
{
	pthread_mutex_lock(&d.lock);
	const struct bw_attach *a = attach_of(f);
	/* what sleeps stays in any case */
	bool stays = a && a->is_ready && d.state == ENDED;
	struct bw_attach_left *left = a && !stays ? bw_attach_left_ref(a->left) : NULL;
	*out_area_handle = a ? a->area_handle : 0;
	pthread_mutex_unlock(&d.lock);
	return left;
}

void bw_debugger_job_ended(struct bw_attach_left *left)
{
	bw_attach_left_unref(left);
}

static void drop_closed_files(void)
{
	pthread_mutex_lock(&d.lock);
	struct files closed = d.closed;
	d.closed = (struct files){0};
	pthread_mutex_unlock(&d.lock);
	bw_vec_each(&closed, f) {
		struct bw_agent_about about = {.file = (*f)->number};
		const struct bw_msg_part part = {&about, sizeof(about)};
		struct bw_attach *a = attach_of(*f);
		if (a) {
			bw_attach_drop(take_attach(a));
			free(a);
		}
		if (d.sock >= 0)
			send_event(BW_AGENT_EV_CLOSED, &part, 1);
		bw_agent_file_unref(*f);
	}
	bw_vec_free(&closed);
}

enum { LOOK_MS = 2 };

/* Lets waves go until the guard says that the trap registers are back; what it needs for that is that
 * no patched code is left anywhere (LEFT). False: it is no more, and nobody will tell. */
static bool await_registers(void)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = NULL;
	bool told = false, back = false;
	while (!err && !back && d.guard >= 0) {
		bool left = true;
		drop_closed_files();
		bw_vec_each(&d.attached, a)
			left &= bw_attach_has_left(*a);
		if (left && !told) {
			told = true;
			err = bw_msg_send(d.guard, BW_AGENT_LEFT, 0, NULL, 0, -1);
		}
		if (!err)
			err = bw_msg_recv(d.guard, LOOK_MS, &m);
		bool heard = !bw_error_catch(&err, BW_E_TIMEOUT) && !err;
		back = heard && m.type == BW_AGENT_BACK;
	}
	bw_error_free(err);
	bw_msg_fini(&m);
	return back;
}

static void close_own(int *fd)
{
	if (*fd >= 0) {
		bw_agent_fd_own(*fd, false);
		REAL(close)(*fd);
	}
	*fd = -1;
}

static void take_guard(struct bw_msg *m)
{
	close_own(&d.guard);
	if (m->fd < 0)
		return;
	d.guard = bw_agent_fd_move_high(bw_take_fd(m->fd));
	bw_agent_fd_own(d.guard, true);
}

/* Those that are ready stay. */
static void end_attaches(bool given_back)
{
	for (uint32_t i = d.attached.len; i-- > 0;) {
		struct bw_attach *a = d.attached.data[i];
		if (a->is_ready) {
			bw_attach_sleep(a);
			continue;
		}
		bw_attach_over(take_attach(a), given_back);
		free(a);
	}
}

/* READY: whoever asked for it has the registers in its care, and its guard sees our end by this line. */
static void fall_asleep(const struct bw_msg *m)
{
	bw_vec_each(&d.attached, a) {
		(*a)->is_ready = true;
		bw_attach_sleep(*a);
	}
	bw_clock_go();
	let_all_go();
	bw_error_free(reply_result(m, 0, 0, ""));
	pthread_mutex_lock(&d.send_lock);
	close_own(&d.sock);
	pthread_mutex_unlock(&d.send_lock);
	if (d.guard >= 0) { /* else it is called for one more file, and has its line */
		close_own(&d.keeper);
		d.keeper = d.guard;
		d.guard = -1;
	}
	drop_closed_files();
	set_ended();
}

static void *service(void *cookie)
{
	struct bw_msg m = BW_MSG_INIT;
	bool detach = false, ready = false;
	struct bw_error *err = NULL;
	while (!err && !detach && !ready) {
		err = bw_msg_recv(d.sock, 100, &m);
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
			err = answer(&m);
	}
	if (ready) {
		fall_asleep(&m);
		return NULL;
	}
	if (err)
		BW_LOG(INFO, "agent", "debugger: %s", err->message);
	bw_error_free(err);
	end_service();
	if (detach)
		bw_error_free(reply_result(&m, 0, 0, ""));
	bw_msg_fini(&m);
	bool given_back = await_registers();
	if (!given_back && d.attached.len)
		BW_LOG(WARN, "agent", "the trap handler stays where it is");
	end_attaches(given_back);
	pthread_mutex_lock(&d.send_lock);
	close_own(&d.sock);
	pthread_mutex_unlock(&d.send_lock);
	close_own(&d.guard);
	drop_closed_files();
	set_ended();
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
	struct bw_agent_hello hello = {.version = BW_AGENT_PROTO_VERSION,
				       .pid = (uint32_t)getpid(),
				       .is_render_node = f->minor >= 128};
	int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, hello.comm, sizeof(hello.comm) - 1);
	if (n > 0 && hello.comm[n - 1] == '\n')
		hello.comm[n - 1] = 0;
	if (fd >= 0)
		close(fd);
	if (f->own_fd < 0)
		snprintf(hello.pci_address, sizeof(hello.pci_address), "%s",
			 bw_agent_pci_address());
	else
		real_pci_address(f->minor, hello.pci_address, sizeof(hello.pci_address));
	struct bw_msg_part part = {&hello, sizeof(hello)};
	send_event(BW_AGENT_EV_HELLO, &part, 1);
}

/* f: the file to speak of, a reference of the caller's. The state is no longer ENDED or UNTRIED, so
 * that no other thread does the same. */
static int connect_to(const char *path, struct bw_agent_file *f)
{
	int sock;
	_cleanup_error_ struct bw_error *err = bw_sock_connect(path, &sock);
	if (err) {
		BW_LOG(WARN, "agent", "debugger: %s", err->message);
		set_ended();
		return err->errnum ? -err->errnum : -ECONNREFUSED;
	}
	sock = bw_agent_fd_move_high(sock);
	bw_agent_fd_own(sock, true);
	d.sock = sock;
	say_hello(f);
	pthread_mutex_lock(&d.lock);
	d.state = CONNECTED;
	pthread_mutex_unlock(&d.lock);
	int r = bw_thread_start(service, NULL);
	if (r)
		end_service();
	return r;
}

int bw_debugger_connect(const char *path)
{
	pthread_mutex_lock(&d.lock);
	struct bw_agent_file *f = find_file(0);
	int r = !f ? -ENODEV : d.state == CONNECTED || d.state == LEAVING ? -EBUSY : 0;
	if (!r) {
		d.state = LEAVING;
		bw_agent_file_ref(f);
	}
	pthread_mutex_unlock(&d.lock);
	if (r)
		return r;
	r = connect_to(path, f);
	bw_agent_file_unref(f);
	return r;
}

void bw_debugger_file_opened(struct bw_agent_file *f)
{
	const char *path = bw_agent_config()->debugger_socket;
	if (!f->track)
		return;
	pthread_mutex_lock(&d.lock);
	bool first = path && d.state == UNTRIED;
	if (first)
		d.state = LEAVING; /* until it has worked: other threads do not wait for it */
	bw_agent_file_ref(f);
	struct bw_error *err = bw_vec_push(&d.files, f);
	pthread_mutex_unlock(&d.lock);
	if (err) { /* it is not debugged */
		bw_error_free(err);
		bw_agent_file_unref(f);
	}
	if (bw_agent_config()->attachable)
		bw_listen_start();
	if (first)
		connect_to(path, f);
}

void bw_debugger_file_closed(struct bw_agent_file *f)
{
	pthread_mutex_lock(&d.lock);
	bool ours = false;
	for (size_t i = d.files.len; i-- > 0;) {
		if (d.files.data[i] != f)
			continue;
		ours = true;
		bw_vec_remove(&d.files, i);
	}
	if (d.last == f->number)
		d.last = 0;
	/* With a service thread the last reference is that thread's to drop: it may be using the
	 * file. */
	bool pass_on = ours && (d.state == CONNECTED || d.state == LEAVING);
	struct bw_attach *asleep = ours && !pass_on ? attach_of(f) : NULL;
	if (pass_on)
		bw_error_free(bw_vec_push(&d.closed, f)); /* without memory it stays open */
	pthread_mutex_unlock(&d.lock);
	if (asleep) {
		bw_attach_drop(take_attach(asleep));
		free(asleep);
	}
	if (ours && !pass_on)
		bw_agent_file_unref(f);
}

int64_t bw_debugger_held_ns(void)
{
	pthread_mutex_lock(&d.lock);
	int64_t ns = d.held_total_ns + (d.held.len ? bw_clock_real_ns() - d.held_since_ns : 0);
	pthread_mutex_unlock(&d.lock);
	return ns;
}

bool bw_debugger_listens(void)
{
	pthread_mutex_lock(&d.lock);
	bool yes = d.state == CONNECTED;
	pthread_mutex_unlock(&d.lock);
	return yes;
}

static void send_submit(const struct bw_agent_submit *submit,
			const struct bw_agent_dispatch *dispatches, const void *blob)
{
	struct bw_msg_part parts[] = {{submit, sizeof(*submit)},
				      {dispatches, submit->n_dispatches * sizeof(*dispatches)},
				      {blob, submit->blob_b}};
	send_event(BW_AGENT_EV_SUBMIT, parts, 3);
}

uint32_t bw_debugger_show(struct bw_agent_file *f, struct bw_agent_submit *submit,
			  const struct bw_agent_dispatch *dispatches, const void *blob)
{
	pthread_mutex_lock(&d.lock);
	submit->submission = ++d.submissions;
	submit->is_running = 1;
	d.last = f->number;
	f->ip_type = submit->ip_type;
	f->ring = submit->ring;
	pthread_mutex_unlock(&d.lock);
	send_submit(submit, dispatches, blob);
	return submit->submission;
}

bool bw_debugger_sleeps(const struct bw_agent_file *f)
{
	pthread_mutex_lock(&d.lock);
	const struct bw_attach *a = attach_of(f);
	bool yes = a && a->is_ready && d.state == ENDED;
	pthread_mutex_unlock(&d.lock);
	return yes;
}

void bw_debugger_call_keeper(struct bw_agent_file *f)
{
	const char *path = bw_agent_config()->debugger_socket;
	pthread_mutex_lock(&d.lock);
	bool call = path && d.keeper >= 0 && d.state == ENDED && is_open(f) && !attach_of(f);
	if (call)
		d.state = LEAVING;
	pthread_mutex_unlock(&d.lock);
	if (call && connect_to(path, f)) {
		pthread_mutex_lock(&d.lock);
		close_own(&d.keeper); /* nobody is there any more */
		pthread_mutex_unlock(&d.lock);
	}
}

uint32_t bw_debugger_hold(struct bw_agent_file *f, struct bw_agent_submit *submit,
			  const struct bw_agent_dispatch *dispatches, const void *blob)
{
	struct held h = {.file = f};
	pthread_mutex_lock(&d.lock);
	bool hold = d.state == CONNECTED && is_open(f);
	_cleanup_error_ struct bw_error *err = hold ? bw_vec_push(&d.held, &h) : NULL;
	if (!hold || err) {
		pthread_mutex_unlock(&d.lock);
		return 0;
	}
	if (d.held.len == 1)
		d.held_since_ns = bw_clock_real_ns();
	h.number = submit->submission = ++d.submissions;
	d.last = f->number;
	f->ip_type = submit->ip_type;
	f->ring = submit->ring;
	pthread_mutex_unlock(&d.lock);

	send_submit(submit, dispatches, blob);

	pthread_mutex_lock(&d.lock);
	while (!h.go)
		pthread_cond_wait(&d.released, &d.lock);
	for (size_t i = 0; i < d.held.len; i++) {
		if (d.held.data[i] == &h) {
			bw_vec_remove(&d.held, i);
			break;
		}
	}
	if (!d.held.len)
		d.held_total_ns += bw_clock_real_ns() - d.held_since_ns;
	pthread_mutex_unlock(&d.lock);
	return h.number;
}

void bw_debugger_done(uint32_t submission, int result)
{
	struct bw_agent_done done = {submission, result};
	struct bw_msg_part part = {&done, sizeof(done)};
	send_event(BW_AGENT_EV_DONE, &part, 1);
}

/* A forked child is not debugged: the socket is its parent's. */

void bw_debugger_fork_prepare(void)
{
	pthread_mutex_lock(&d.lock);
	pthread_mutex_lock(&d.send_lock);
}

void bw_debugger_fork_parent(void)
{
	pthread_mutex_unlock(&d.send_lock);
	pthread_mutex_unlock(&d.lock);
}

void bw_debugger_fork_child(void)
{
	pthread_mutex_init(&d.lock, NULL);
	pthread_mutex_init(&d.send_lock, NULL);
	pthread_cond_init(&d.released, NULL);
	bw_names_fork_child();
	bw_listen_fork_child();
	/* what it opens itself is its own: then it connects like any process */
	d.state = UNTRIED;
	/* the parent's, which it may share but not close */
	d.attached.len = d.files.len = d.closed.len = d.held.len = 0;
	d.last = 0;
	close_own(&d.sock);
	close_own(&d.guard);
	close_own(&d.keeper);
}
