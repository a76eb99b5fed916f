/* SPDX-License-Identifier: MIT */
#include "guard/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"
#include "base/vec.h"
#include "base/wait.h"

enum guard_msg { ADD_WRITE = 1, ADD_GFXOFF, FORGET, QUIT };

static const char virtual_env[] = "BREAKWATER_VGPU=";

/* ---- In the guard process ---- */

struct list_item {
	bool is_gfxoff;
	struct bw_guard_write write;
};

struct keeper {
	int sock;
	struct bw_guard_work work;
	struct BW_VEC(struct list_item) list;
};

static char gpu[64]; /* of the guard process */

const char *bw_guard_gpu(void)
{
	return gpu;
}

static struct bw_error *allow_gfxoff(struct bw_kmd *kmd)
{
	const uint32_t allow = 1;
	struct bw_kmd_file *f;
	size_t done;
	BW_TRY(bw_kmd_file_open(kmd, "amdgpu_gfxoff", true, &f));
	struct bw_error *err = bw_kmd_file_write(f, 0, &allow, sizeof(allow), &done);
	bw_kmd_file_close(f);
	return err;
}

/* One that fails does not hold up the others. */
static void restore_list(struct keeper *k)
{
	struct bw_kmd *kmd;
	if (!k->list.len)
		return;
	struct bw_error *err = bw_kmd_open(gpu, &kmd);
	bw_error_free(err); /* the GPU is gone, and its registers with it */
	if (err)
		return;
	for (size_t i = k->list.len; i-- > 0;) {
		const struct list_item *x = &k->list.data[i];
		err = x->is_gfxoff ? allow_gfxoff(kmd)
				   : bw_kmd_reg_write(kmd, &x->write.bank, x->write.addr_dw,
						      x->write.value);
		if (err)
			BW_LOG(WARN, "guard", "%s", err->message);
		bw_error_free(err);
	}
	bw_kmd_close(kmd);
}

static void add_item(struct keeper *k, const struct bw_msg *m)
{
	struct list_item x = {.is_gfxoff = m->type == ADD_GFXOFF};
	if (!x.is_gfxoff && m->body_b != sizeof(x.write))
		return;
	if (!x.is_gfxoff)
		memcpy(&x.write, m->body, sizeof(x.write));
	bw_error_free(bw_vec_push(&k->list, x));
}

/* Runs until the owner says that it needs no guard, or ends. True: it ended without saying so. */
static bool serve(struct keeper *k)
{
	struct bw_msg m = BW_MSG_INIT;
	for (;;) {
		struct bw_error *err = bw_msg_recv(k->sock, -1, &m);
		bw_error_free(err);
		if (err)
			return true;
		if (m.type == QUIT)
			return false;
		if (m.type == ADD_WRITE || m.type == ADD_GFXOFF)
			add_item(k, &m);
		else if (m.type == FORGET)
			k->list.len = 0;
		else if (m.type >= BW_GUARD_OWN && k->work.take)
			k->work.take(k->work.cookie, &m);
		if (m.fd >= 0)
			close(bw_take_fd(m.fd));
		/* so that the owner changes nothing that the guard does not know of */
		bw_error_free(bw_msg_send(k->sock, m.type, m.seq, NULL, 0, -1));
	}
}

/* Nothing of the owner's may stay open, or the peers of its connections would not see their end,
 * nor would who reads a pipe of its. */
static void become_guard(struct keeper *k)
{
	static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGPIPE};
	setsid();		 /* the terminal's Ctrl-C is not for it */
	bw_wait_set(NULL, NULL); /* the owner's user is not ours */
	for (size_t i = 0; i < BW_ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	int null = open("/dev/null", O_RDWR);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
	}
	if (k->sock != 3)
		dup2(k->sock, 3);
	k->sock = 3;
	/* glibc 2.34 has close_range; older ones the call */
	syscall(SYS_close_range, 4u, ~0u, 0u);
	if (chdir("/"))
		_exit(1);
}

static _Noreturn void guard_main(struct keeper *k)
{
	become_guard(k);
	if (serve(k)) {
		if (k->work.died)
			k->work.died(k->work.cookie);
		restore_list(k);
	}
	_exit(0);
}

/* ---- In its owner ---- */

struct bw_error *bw_guard_start(struct bw_guard *g, struct bw_kmd *kmd,
				const struct bw_guard_work *work)
{
	int sv[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv))
		return bw_error_errno(errno, "socketpair");
	pid_t pid = fork();
	if (pid < 0) {
		int e = errno;
		close(sv[0]);
		close(sv[1]);
		return bw_error_errno(e, "cannot start the guard process");
	}
	if (pid == 0) {
		struct keeper k = {.sock = sv[1]};
		snprintf(gpu, sizeof(gpu), "%s",
			 bw_kmd_is_virtual(kmd) ? "virtual" : bw_kmd_pci_address(kmd));
		/* the virtual GPU of the owner, and none that would have to be started */
		for (const char *const *e = bw_kmd_program_env(kmd); e && *e; e++)
			if (bw_starts_with(*e, virtual_env))
				setenv("BREAKWATER_VGPU", *e + sizeof(virtual_env) - 1, 1);
		if (work)
			k.work = *work;
		guard_main(&k);
	}
	close(sv[1]);
	*g = (struct bw_guard){.fd = sv[0], .pid = pid};
	bw_wait_add(pid, "the guard process of this debugger");
	return NULL;
}

struct bw_error *bw_guard_ask(struct bw_guard *g, uint16_t type, const void *data, size_t size_b,
			      int fd, int timeout_ms)
{
	const struct bw_msg_part part = {data, size_b};
	struct bw_msg m = BW_MSG_INIT;
	const uint32_t seq = ++g->seq;
	struct bw_error *err = bw_msg_send(g->fd, type, seq, &part, 1, fd);
	do /* answers to requests that were given up may still come */
		err = err ? err : bw_msg_recv(g->fd, timeout_ms, &m);
	while (!err && m.seq != seq);
	bw_msg_fini(&m);
	return bw_error_wrap(err, "the guard process");
}

struct bw_error *bw_guard_add_write(struct bw_guard *g, const struct bw_guard_write *w)
{
	return bw_guard_ask(g, ADD_WRITE, w, sizeof(*w), -1, -1);
}

struct bw_error *bw_guard_add_gfxoff(struct bw_guard *g)
{
	return bw_guard_ask(g, ADD_GFXOFF, NULL, 0, -1, -1);
}

struct bw_error *bw_guard_forget(struct bw_guard *g)
{
	return bw_guard_ask(g, FORGET, NULL, 0, -1, -1);
}

static uint64_t now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void await_end(pid_t pid)
{
	enum { PAUSE_MOST_US = 10000 };
	uint64_t start = now_ms();
	for (unsigned us = 100;; us = BW_MIN(us * 2, (unsigned)PAUSE_MOST_US)) {
		pid_t r = waitpid(pid, NULL, WNOHANG);
		uint64_t ms = now_ms() - start;
		if (r == pid || (r < 0 && errno != EINTR))
			return;
		if (ms >= BW_WAIT_SLICE_MS && !bw_wait_should_continue((unsigned)ms, true))
			return;
		usleep(us);
	}
}

void bw_guard_let_go(struct bw_guard *g)
{
	if (g->fd < 0)
		return;
	close(g->fd);
	bw_wait_remove(g->pid);
	*g = (struct bw_guard)BW_GUARD_INIT;
}

void bw_guard_restore(struct bw_guard *g)
{
	pid_t pid = g->pid;
	if (g->fd < 0)
		return;
	close(g->fd);
	await_end(pid);
	bw_wait_remove(pid);
	*g = (struct bw_guard)BW_GUARD_INIT;
}

void bw_guard_end(struct bw_guard *g)
{
	if (g->fd < 0)
		return;
	bw_error_free(bw_msg_send(g->fd, QUIT, 0, NULL, 0, -1));
	bw_guard_restore(g); /* it has been told that there is nothing */
}
