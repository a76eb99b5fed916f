// SPDX-License-Identifier: MIT
/* The guard: a small process that puts registers back, when the debugger leaves and when it is killed,
 * and then removes the agent's socket. It knows what to do from messages sent before each change is
 * made. To the agent in the program it has a line of its own: there the agent says that code is back
 * and instruction caches are empty (LEFT), and hears that the registers are (BACK); and either sees by
 * its end that the other is no more. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "live/leave.h"

enum {
	MAX_SAVED = 16 * 8,
	MAX_AREAS = 64,
	MAX_AGENTS = 64,
	/* How long the debugger waits for the guard's work. What takes longer goes on behind it. */
	FINISH_PATIENCE_MS = 20000,
	/* How long waves of a program that is dead are waited for: nobody needs what they compute. */
	DEAD_PATIENCE_MS = 20000,
};

struct agent {
	int fd;
	bool has_left, is_dead;
};


struct guard {
	int sock;
	const struct bw_live *live; /* as it was when the guard was forked: what never changes */
	char *folder, *socket_path, *selector;
	struct bw_saved_reg saved[MAX_SAVED];
	size_t n_saved;
	bool gfxoff;
	struct bw_guard_area area[MAX_AREAS];
	void *mapped[MAX_AREAS];
	size_t agent_of[MAX_AREAS]; /* index of the agent whose it is */
	size_t n_areas;
	struct agent agent[MAX_AGENTS];
	size_t n_agents;
	uint64_t dead_since_ns; /* 0: not all agents are dead */
};

/* ---- Leaving ---- */

/* What the agent has to say; its end, too. */
static void hear(struct agent *a, int timeout_ms)
{
	struct bw_msg m = BW_MSG_INIT;
	if (a->is_dead)
		return;
	struct bw_error *err = bw_msg_recv(a->fd, timeout_ms, &m);
	if (!err && m.type == BW_AGENT_LEFT)
		a->has_left = true;
	if (!bw_error_catch(&err, BW_E_TIMEOUT) && err)
		a->is_dead = true;
	bw_error_free(err);
	bw_msg_fini(&m);
}

/* Between two looks at waves: those of programs that are dead are let go by us. */
static bool meanwhile(void *cookie)
{
	struct guard *g = cookie;
	bool alive = false;
	for (size_t i = 0; i < g->n_agents; i++) {
		hear(&g->agent[i], 0);
		alive |= !g->agent[i].is_dead;
	}
	for (size_t i = 0; i < g->n_areas; i++) {
		struct agent *a = &g->agent[g->agent_of[i]];
		if (a->is_dead && a->has_left)
			bw_trap_release(g->mapped[i], g->area[i].size_b);
		else if (a->is_dead)
			bw_trap_abandon(g->mapped[i], g->area[i].size_b);
	}
	if (alive)
		return true;
	if (!g->dead_since_ns)
		g->dead_since_ns = bw_live_now_ns();
	return bw_live_now_ns() - g->dead_since_ns < DEAD_PATIENCE_MS * 1000000ull;
}

/* A program that is stopped by a signal takes its time, and keeps its waves as long. */
static void await_agents(struct guard *g)
{
	for (size_t i = 0; i < g->n_agents; i++)
		while (!g->agent[i].has_left && !g->agent[i].is_dead)
			hear(&g->agent[i], -1);
}

static void give_back(struct guard *g, bool gfxoff)
{
	struct bw_leave v = {.regs = &g->live->regs,
			     .facts = &g->live->t.facts,
			     .saved = g->saved,
			     .n_saved = g->n_saved,
			     .areas = g->area,
			     .n_areas = g->n_areas,
			     .meanwhile = meanwhile,
			     .cookie = g};
	struct bw_error *err = bw_kmd_open(g->selector, &v.kmd);
	if (err) {
		bw_error_free(err); /* the GPU is gone, and its registers with it */
		return;
	}
	for (size_t i = 0; i < g->n_areas; i++) {
		struct bw_trap_control c;
		memcpy(&c, g->mapped[i], sizeof(c));
		v.mode |= c.mode;
	}
	if (g->n_saved)
		err = bw_leave_registers(&v);
	if (err)
		BW_LOG(WARN, "live", "guard: %s", err->message);
	bw_error_free(err);
	if (gfxoff)
		bw_live_gfxoff_allow(v.kmd);
	bw_kmd_close(v.kmd);
}

/* All that has been changed is as it was before, and the agents know. */
static void finish(struct guard *g, bool gfxoff)
{
	if (g->n_saved)
		await_agents(g);
	if (g->n_saved || gfxoff)
		give_back(g, gfxoff);
	for (size_t i = 0; i < g->n_agents; i++) {
		struct bw_error *err = bw_msg_send(g->agent[i].fd, BW_AGENT_BACK, 0, NULL, 0, -1);
		bw_error_free(err); /* it is dead: nobody is waiting */
		close(g->agent[i].fd);
	}
	for (size_t i = 0; i < g->n_areas; i++)
		munmap(g->mapped[i], g->area[i].size_b);
	g->n_saved = g->n_areas = g->n_agents = 0;
	g->dead_since_ns = 0;
}

/* ---- What the debugger says ---- */

static void take_area(struct guard *g, struct bw_msg *m)
{
	struct bw_guard_area a;
	size_t i = g->n_areas;
	memcpy(&a, m->body, sizeof(a));
	if (i == MAX_AREAS || !g->n_agents || a.size_b < BW_TRAP_C_SIZE)
		return;
	void *p = mmap(NULL, a.size_b, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	if (p == MAP_FAILED)
		return;
	g->area[i] = a;
	g->mapped[i] = p;
	g->agent_of[i] = g->n_agents - 1;
	g->n_areas++;
}

static void take_agent(struct guard *g, struct bw_msg *m)
{
	if (g->n_agents < MAX_AGENTS)
		g->agent[g->n_agents++] = (struct agent){.fd = bw_take_fd(m->fd)};
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
		if (m.type == BW_GUARD_FINISH)
			finish(g, false);
		else if (m.type == BW_GUARD_REG && m.body_b == sizeof(struct bw_saved_reg))
			take_reg(g, &m);
		else if (m.type == BW_GUARD_AREA && m.body_b == sizeof(struct bw_guard_area) &&
			 m.fd >= 0)
			take_area(g, &m);
		else if (m.type == BW_GUARD_AGENT && m.fd >= 0)
			take_agent(g, &m);
		else if (m.type == BW_GUARD_GFXOFF)
			g->gfxoff = true;
		if (m.fd >= 0)
			close(bw_take_fd(m.fd));
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
		finish(g, g->gfxoff);
		unlink(g->socket_path);
		rmdir(g->folder);
	}
	_exit(0);
}

struct bw_error *bw_live_guard_start(struct bw_live *l)
{
	int sv[2];
	struct guard g = {
		.live = l, .folder = l->socket_folder, .socket_path = l->socket_path};
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

static struct bw_error *ask(struct bw_live *l, uint16_t type, const void *data, size_t size_b,
			    int fd, int timeout_ms)
{
	const struct bw_msg_part part = {data, size_b};
	struct bw_msg m = BW_MSG_INIT;
	BW_TRY(bw_error_wrap(bw_msg_send(l->guard_fd, type, 1, &part, 1, fd), "the guard process"));
	struct bw_error *err = bw_msg_recv(l->guard_fd, timeout_ms, &m);
	bw_msg_fini(&m);
	return bw_error_wrap(err, "the guard process");
}

static struct bw_error *tell(struct bw_live *l, uint16_t type, const void *data, size_t size_b,
			     int fd)
{
	return ask(l, type, data, size_b, fd, -1);
}

struct bw_error *bw_live_guard_reg(struct bw_live *l, const struct bw_saved_reg *r)
{
	return tell(l, BW_GUARD_REG, r, sizeof(*r), -1);
}

struct bw_error *bw_live_guard_area(struct bw_live *l, const struct bw_guard_area *area,
				    int area_fd)
{
	return tell(l, BW_GUARD_AREA, area, sizeof(*area), area_fd);
}

/* One end of a line for the agent, the other for the guard. */
struct bw_error *bw_live_guard_agent(struct bw_live *l)
{
	int sv[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv))
		return bw_error_errno(errno, "socketpair");
	struct bw_error *err = tell(l, BW_GUARD_AGENT, NULL, 0, sv[0]);
	if (!err)
		err = bw_msg_send(l->agent_fd, BW_AGENT_GUARD, 0, NULL, 0, sv[1]);
	close(sv[0]);
	close(sv[1]);
	return err;
}

void bw_live_guard_finish(struct bw_live *l)
{
	struct bw_error *err = NULL;
	if (l->guard > 0)
		err = ask(l, BW_GUARD_FINISH, NULL, 0, -1,
			  FINISH_PATIENCE_MS);
	if (err) {
		BW_LOG(WARN, "live", "%s", err->message);
		close(l->guard_fd); /* if it lives, it does what it can without us */
		l->guard = 0;
		l->guard_fd = -1;
	}
	if (!bw_error_catch(&err, BW_E_TIMEOUT) && err)
		bw_live_restore_regs(l);
	bw_error_free(err);
	l->saved.len = 0;
	l->vmids = 0;
	memset(l->watch, 0, sizeof(l->watch));
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
