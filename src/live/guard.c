// SPDX-License-Identifier: MIT
/* The guard: a small process that outlives a killed debugger long enough to put registers back and
 * to remove the agent's socket. It knows what to do from messages sent before each change is made.
 */
#include "live/live_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	MAX_SAVED = 16 * 8,
	AGENT_PATIENCE_MS =
		5000, /* for waves to leave the handler, which reads TMA on its way out */
	QUIET_MS = 100,
};

struct guard {
	int sock;
	char *folder, *socket_path, *selector;
	struct bw_saved_reg saved[MAX_SAVED];
	size_t n_saved;
	bool gfxoff;
	uint8_t *area;
	struct bw_guard_area shape;
};

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static bool any_stopped(const struct guard *g)
{
	for (uint32_t i = 0; g->area && i < g->shape.n_slots; i++) {
		const uint8_t *slot =
			g->area + g->shape.slots_offset_b + (size_t)i * BW_TRAP_SLOT_STRIDE;
		if (__atomic_load_n((const uint32_t *)slot, __ATOMIC_ACQUIRE) ==
		    BW_TRAP_STATE_STOPPED)
			return true;
	}
	return false;
}

/* The agent lets stopped waves go when it sees the debugger's end. A program that died with the
 * debugger leaves its slots as they were: hence the limit. */
static void wait_for_waves(const struct guard *g)
{
	int quiet = 0;
	for (int t = 0; t < AGENT_PATIENCE_MS && quiet < QUIET_MS; t += 10) {
		quiet = any_stopped(g) ? 0 : quiet + 10;
		sleep_ms(10);
	}
}

static void restore(struct guard *g)
{
	struct bw_kmd *kmd;
	struct bw_error *err = bw_kmd_open(g->selector, &kmd);
	if (err) {
		bw_error_free(err); /* the GPU is gone, and its registers with it */
		return;
	}
	while (g->n_saved) {
		const struct bw_saved_reg *r = &g->saved[--g->n_saved];
		const struct bw_kmd_bank bank = bw_saved_reg_bank(r);
		uint32_t now;
		err = bw_kmd_reg_read(kmd, &bank, r->addr_dw, &now);
		if (!err && (now == r->ours || now == r->ours_before))
			err = bw_kmd_reg_write(kmd, &bank, r->addr_dw, r->before);
		bw_error_free(err);
	}
	if (g->gfxoff)
		bw_live_gfxoff_allow(kmd);
	bw_kmd_close(kmd);
}

static void take_area(struct guard *g, struct bw_msg *m)
{
	if (g->area)
		munmap(g->area, g->shape.size_b);
	g->area = NULL;
	memcpy(&g->shape, m->body, sizeof(g->shape));
	void *p = mmap(NULL, g->shape.size_b, PROT_READ, MAP_SHARED, m->fd, 0);
	if (p != MAP_FAILED)
		g->area = p;
	close(bw_take_fd(m->fd));
}

/* One record for each register: what was there first, and what we wrote last. */
static void take_reg(struct guard *g, const struct bw_msg *m)
{
	struct bw_saved_reg r;
	memcpy(&r, m->body, sizeof(r));
	size_t i = 0;
	while (i < g->n_saved &&
	       (g->saved[i].vmid != r.vmid || g->saved[i].addr_dw != r.addr_dw))
		i++;
	if (i < MAX_SAVED)
		g->saved[i] = r;
	if (i == g->n_saved && i < MAX_SAVED)
		g->n_saved++;
}

/* Until the debugger says that it needs no guard, or ends. True: it ended without a word. */
static bool serve(struct guard *g)
{
	struct bw_msg m = BW_MSG_INIT;
	for (;;) {
		struct bw_error *err = bw_msg_recv(g->sock, -1, &m);
		if (err) {
			bw_error_free(err);
			return true;
		}
		if (m.type == BW_GUARD_QUIT)
			return false;
		if (m.type == BW_GUARD_REG && m.body_b == sizeof(struct bw_saved_reg))
			take_reg(g, &m);
		else if (m.type == BW_GUARD_AREA && m.body_b == sizeof(struct bw_guard_area) &&
			 m.fd >= 0)
			take_area(g, &m);
		else if (m.type == BW_GUARD_GFXOFF)
			g->gfxoff = true;
		/* so that the debugger changes nothing we do not know of */
		err = bw_msg_send(g->sock, m.type, m.seq, NULL, 0, -1);
		bw_error_free(err);
	}
}

/* In the child: nothing of the debugger's may stay open, or the ends of its connections would be
 * seen by nobody. */
static void become_guard(struct guard *g)
{
	static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGPIPE};
	setsid();
	for (size_t i = 0; i < BW_ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	int null = open("/dev/null", O_RDWR);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
	}
	if (g->sock != 3)
		dup2(g->sock, 3);
	g->sock = 3;
	/* glibc 2.34 has close_range; older ones the call */
	syscall(SYS_close_range, 4u, ~0u, 0u);
	if (chdir("/"))
		_exit(1);
}

static _Noreturn void guard_main(struct guard *g)
{
	become_guard(g);
	if (serve(g)) {
		if (g->n_saved)
			wait_for_waves(g);
		if (g->n_saved || g->gfxoff)
			restore(g);
		unlink(g->socket_path);
		rmdir(g->folder);
	}
	_exit(0);
}

struct bw_error *bw_live_guard_start(struct bw_live *l)
{
	int sv[2];
	struct guard g = {.folder = l->socket_folder, .socket_path = l->socket_path};
	const char *selector = bw_kmd_is_virtual(l->kmd) ? "virtual" : bw_kmd_pci_address(l->kmd);

	_cleanup_free_ char *copy = strdup(selector);
	if (!copy)
		return bw_error_nomem();
	g.selector = copy;
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
		/* the virtual GPU of this session, and none that would have to be started */
		for (const char *const *e = bw_kmd_program_env(l->kmd); *e; e++)
			if (strncmp(*e, "BREAKWATER_VGPU=", 16) == 0)
				setenv("BREAKWATER_VGPU", *e + 16, 1);
		g.sock = sv[1];
		guard_main(&g);
	}
	close(sv[1]);
	l->guard_fd = sv[0];
	l->guard = pid;
	return NULL;
}

static struct bw_error *tell(struct bw_live *l, uint16_t type, const void *data, size_t size_b,
			     int fd)
{
	const struct bw_msg_part part = {data, size_b};
	struct bw_msg m = BW_MSG_INIT;
	BW_TRY(bw_error_wrap(bw_msg_send(l->guard_fd, type, 1, &part, 1, fd), "the guard process"));
	struct bw_error *err = bw_msg_recv(l->guard_fd, 5000, &m);
	bw_msg_fini(&m);
	return bw_error_wrap(err, "the guard process");
}

struct bw_error *bw_live_guard_reg(struct bw_live *l, const struct bw_saved_reg *r)
{
	return tell(l, BW_GUARD_REG, r, sizeof(*r), -1);
}

struct bw_error *bw_live_guard_area(struct bw_live *l, int area_fd)
{
	struct bw_guard_area a = {.size_b = l->area_b,
				  .slots_offset_b = BW_TRAP_C_SIZE,
				  .n_slots = l->t.facts.n_slots};
	return tell(l, BW_GUARD_AREA, &a, sizeof(a), area_fd);
}

struct bw_error *bw_live_guard_gfxoff(struct bw_live *l)
{
	return tell(l, BW_GUARD_GFXOFF, NULL, 0, -1);
}

void bw_live_guard_end(struct bw_live *l)
{
	if (l->guard <= 0)
		return;
	struct bw_error *err = bw_msg_send(l->guard_fd, BW_GUARD_QUIT, 0, NULL, 0, -1);
	bw_error_free(err);
	close(l->guard_fd);
	while (waitpid(l->guard, NULL, 0) < 0 && errno == EINTR)
		;
	l->guard = 0;
	l->guard_fd = -1;
}
