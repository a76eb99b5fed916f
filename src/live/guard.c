// SPDX-License-Identifier: MIT
/* The guard process's work on registers: it restores them when the debugger exits or is killed,
 * once no wave needs them, and then removes the agent's socket. It has a connection of its own to
 * the agent in the program: the agent reports that code is restored and instruction caches are
 * invalidated (LEFT), the guard that the registers are restored (BACK); each sees the other's end
 * by the end of the connection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/memfd.h"
#include "base/shown.h"
#include "base/wait.h"
#include "live/leave.h"
#include "live/gpu_regs.h"
#include "live/guard.h"

enum {
	MAX_SAVED = 16 * 8,
	MAX_AREAS = 64,
	MAX_AGENTS = 64,
	/* The longest time that the debugger waits for the guard's work. Longer work continues
	 * after the debugger has ended. */
	FINISH_PATIENCE_MS = 20000,
	/* The longest time that the guard waits for waves of a program that has ended: their
	 * results are not needed. */
	DEAD_PATIENCE_MS = 20000,
	LOOK_MS = 50, /* interval at which the guard looks for the end of a program */
};

struct agent {
	int fd;
	uint32_t proc;
	pid_t pid; /* 0: not known */
	bool has_left, is_dead;
};

/* The part of the guard's list that is to be finished now. */
struct part {
	struct bw_saved_reg saved[MAX_SAVED];
	struct bw_guard_area area[MAX_AREAS];
	void *mapped[MAX_AREAS];
	struct agent agent[MAX_AGENTS];
	size_t n_saved, n_areas, n_agents;
	uint64_t dead_since_ns; /* 0: not all agents are dead */
};

struct guard {
	const struct bw_live *live; /* as it was when the guard was forked: what never changes */
	struct part has, over;
};

/* ---- Leaving ---- */

/* Reads what the agent sends, or finds that its program has ended: by the end of the connection, or
 * before that, as the kernel may keep the connection until waves of the program have ended that are
 * stopped. */
static void hear(struct agent *a, int timeout_ms)
{
	struct bw_msg m = BW_MSG_INIT;
	if (a->is_dead)
		return;
	struct bw_error *err = bw_msg_recv(a->fd, timeout_ms, &m);
	if (!err && m.type == BW_AGENT_LEFT)
		a->has_left = true;
	if (bw_error_catch(&err, BW_E_TIMEOUT))
		a->is_dead = a->pid && bw_process_is_ending(a->pid);
	else if (err)
		a->is_dead = true;
	bw_error_free(err);
	bw_msg_fini(&m);
}

static const struct agent *agent_of(const struct part *g, uint32_t proc)
{
	for (size_t i = 0; i < g->n_agents; i++)
		if (g->agent[i].proc == proc)
			return &g->agent[i];
	return NULL;
}

/* Called between two looks at waves: resumes those of programs that have ended, as no agent does so
 * any more. */
static bool meanwhile(void *cookie, bool *out_patched)
{
	struct part *g = cookie;
	bool alive = false;
	*out_patched = false;
	for (size_t i = 0; i < g->n_agents; i++) {
		hear(&g->agent[i], 0);
		alive |= !g->agent[i].is_dead;
	}
	for (size_t i = 0; i < g->n_areas; i++) {
		const struct agent *a = agent_of(g, g->area[i].proc);
		if (a && a->is_dead && a->has_left) {
			bw_trap_release(g->mapped[i], g->area[i].size_b);
		} else if (!a || a->is_dead) {
			bw_trap_abandon(g->mapped[i], g->area[i].size_b);
			*out_patched = true;
		}
	}
	if (alive)
		return true;
	if (!g->dead_since_ns)
		g->dead_since_ns = bw_live_now_ns();
	return bw_live_now_ns() - g->dead_since_ns < DEAD_PATIENCE_MS * 1000000ull;
}

/* A program that is stopped by a signal may take any time, and its waves stay as long. */
static void await_agents(struct part *g)
{
	for (size_t i = 0; i < g->n_agents; i++)
		while (!g->agent[i].has_left && !g->agent[i].is_dead)
			hear(&g->agent[i], LOOK_MS);
}

static void give_back(struct guard *guard)
{
	struct part *g = &guard->over;
	struct bw_leave v = {.regs = &guard->live->regs,
			     .facts = &guard->live->t.facts,
			     .saved = g->saved,
			     .n_saved = g->n_saved,
			     .areas = g->area,
			     .n_areas = g->n_areas,
			     .meanwhile = meanwhile,
			     .cookie = g};
	struct bw_error *err = bw_kmd_open(bw_guard_gpu(), &v.kmd);
	if (err) {
		bw_error_free(err); /* the GPU is gone, and its registers with it */
		return;
	}
	for (size_t i = 0; i < g->n_areas; i++) {
		struct bw_trap_control c;
		memcpy(&c, g->mapped[i], sizeof(c));
		v.enables |= c.enables;
	}
	err = bw_leave_registers(&v);
	if (err)
		BW_LOG(WARN, "live", "guard: %s", err->message);
	bw_error_free(err);
	bw_kmd_close(v.kmd);
}

/* Moves the records of what has ended, keeping the order within each kind. */
static void select_over(struct guard *guard, const struct bw_guard_finish *what)
{
	struct part *g = &guard->has, *over = &guard->over;
	size_t n_saved = 0, n_areas = 0, n_agents = 0;
	over->n_saved = over->n_areas = over->n_agents = 0;
	over->dead_since_ns = 0;
	for (size_t i = 0; i < g->n_saved; i++) {
		const struct bw_saved_reg r = g->saved[i];
		bool global = r.vmid == BW_SAVED_GLOBAL;
		if (what->all || (!global && what->vmids >> r.vmid & 1))
			over->saved[over->n_saved++] = r;
		else
			g->saved[n_saved++] = r;
	}
	for (size_t i = 0; i < g->n_areas; i++) {
		const struct bw_guard_area *a = &g->area[i];
		bool is_over = what->all || (what->proc && a->proc == what->proc) ||
			       (what->vm && a->vm == what->vm);
		struct part *to = is_over ? over : g;
		size_t at = is_over ? over->n_areas++ : n_areas++;
		to->mapped[at] = g->mapped[i];
		to->area[at] = *a;
	}
	for (size_t i = 0; i < g->n_agents; i++) {
		if (what->all || (what->proc && g->agent[i].proc == what->proc))
			over->agent[over->n_agents++] = g->agent[i];
		else
			g->agent[n_agents++] = g->agent[i];
	}
	g->n_saved = n_saved;
	g->n_areas = n_areas;
	g->n_agents = n_agents;
}

/* Restores all that has been changed, and tells the agents. */
static void finish(struct guard *guard, const struct bw_guard_finish *what)
{
	struct part *g = &guard->over;
	select_over(guard, what);
	if (g->n_saved)
		await_agents(g);
	if (g->n_saved)
		give_back(guard);
	for (size_t i = 0; i < g->n_agents; i++) {
		struct bw_error *err = bw_msg_send(g->agent[i].fd, BW_AGENT_BACK, 0, NULL, 0, -1);
		bw_error_free(err); /* the agent has ended: no answer is expected */
		close(g->agent[i].fd);
	}
	for (size_t i = 0; i < g->n_areas; i++)
		munmap(g->mapped[i], g->area[i].size_b);
	g->n_saved = g->n_areas = g->n_agents = 0;
}

/* ---- What the debugger says ---- */

static void finish_part(struct guard *g, const struct bw_msg *m)
{
	struct bw_guard_finish what;
	memcpy(&what, m->body, sizeof(what));
	finish(g, &what);
}

static void take_area(struct part *g, struct bw_msg *m)
{
	struct bw_guard_area a;
	size_t i = g->n_areas;
	memcpy(&a, m->body, sizeof(a));
	if (i == MAX_AREAS || a.size_b < BW_TRAP_C_SIZE)
		return;
	void *p;
	_cleanup_error_ struct bw_error *err = bw_memfd_map(m->fd, a.size_b, "a debug area", &p);
	if (err)
		return;
	g->area[i] = a;
	g->mapped[i] = p;
	g->n_areas++;
}

static void take_agent(struct part *g, struct bw_msg *m)
{
	struct bw_guard_agent a;
	memcpy(&a, m->body, sizeof(a));
	if (g->n_agents < MAX_AGENTS)
		g->agent[g->n_agents++] =
			(struct agent){.fd = bw_take_fd(m->fd), .proc = a.proc, .pid = a.pid};
}

/* One record for each register: its original value, and what we wrote last. */
static void take_reg(struct part *g, const struct bw_msg *m)
{
	struct bw_saved_reg r;
	memcpy(&r, m->body, sizeof(r));
	size_t i = 0;
	while (i < g->n_saved && (g->saved[i].vmid != r.vmid || g->saved[i].addr_dw != r.addr_dw))
		i++;
	if (i < MAX_SAVED)
		g->saved[i] = r;
	if (i == g->n_saved && i < MAX_SAVED)
		g->n_saved++;
}

static void take_message(void *cookie, struct bw_msg *m)
{
	struct guard *g = cookie;
	if (m->type == BW_GUARD_FINISH && m->body_b == sizeof(struct bw_guard_finish))
		finish_part(g, m);
	else if (m->type == BW_GUARD_REG && m->body_b == sizeof(struct bw_saved_reg))
		take_reg(&g->has, m);
	else if (m->type == BW_GUARD_AREA && m->body_b == sizeof(struct bw_guard_area) &&
		 m->fd >= 0)
		take_area(&g->has, m);
	else if (m->type == BW_GUARD_AGENT && m->body_b == sizeof(struct bw_guard_agent) &&
		 m->fd >= 0)
		take_agent(&g->has, m);
}

static void died(void *cookie)
{
	struct guard *g = cookie;
	finish(g, &(struct bw_guard_finish){.all = true});
	bw_folder_remove_tree(g->live->folder.path);
}

/* ---- What the debugger asks for ---- */

struct bw_error *bw_live_guard_start(struct bw_live *l)
{
	struct guard g = {.live = l};
	const struct bw_guard_work work = {take_message, died, &g};
	return bw_guard_start(&l->guard, l->kmd, &work);
}

static struct bw_error *tell_guard(struct bw_live *l, uint16_t type, const void *data,
				   size_t size_b, int fd)
{
	return bw_guard_ask(&l->guard, type, data, size_b, fd, -1);
}

struct bw_error *bw_live_guard_reg(struct bw_live *l, const struct bw_saved_reg *r)
{
	return tell_guard(l, BW_GUARD_REG, r, sizeof(*r), -1);
}

struct bw_error *bw_live_guard_area(struct bw_live *l, const struct bw_live_vm *vm, int area_fd)
{
	size_t handler_b = 0;
	bw_trap_handler(l->t.facts.arch, &handler_b);
	const struct bw_guard_area a = {.size_b = vm->area_b,
					.handler_va = vm->handler_va,
					.handler_b = (uint32_t)handler_b,
					.displaced_va = vm->displaced_va,
					.displaced_b = vm->displaced_b,
					.proc = vm->proc->number,
					.vm = vm->number};
	return tell_guard(l, BW_GUARD_AREA, &a, sizeof(a), area_fd);
}

/* One end of a line for the agent, the other for the guard. */
struct bw_error *bw_live_guard_agent(struct bw_live *l, const struct bw_live_proc *p)
{
	const struct bw_guard_agent agent = {.proc = p->number, .pid = p->pid};
	int sv[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv))
		return bw_error_errno(errno, "socketpair");
	struct bw_error *err = tell_guard(l, BW_GUARD_AGENT, &agent, sizeof(agent), sv[0]);
	if (!err)
		err = bw_msg_send(p->fd, BW_AGENT_GUARD, 0, NULL, 0, sv[1]);
	close(sv[0]);
	close(sv[1]);
	return err;
}

void bw_live_guard_finish(struct bw_live *l, const struct bw_guard_finish *what)
{
	struct bw_error *err = NULL;
	char reason[192];
	if (l->held_up_by.holder) {
		snprintf(reason, sizeof(reason),
			 "the GPU's registers to be restored, which takes longer while process %d "
			 "(%.40s) fills the GPU",
			 (int)l->held_up_by.holder, bw_shown(l->held_up_by.holder_comm).text);
		bw_wait_set_reason(reason);
	}
	if (l->guard.fd >= 0)
		err = bw_guard_ask(&l->guard, BW_GUARD_FINISH, what, sizeof(*what), -1,
				   FINISH_PATIENCE_MS);
	bw_wait_set_reason(NULL);
	if (err)
		BW_LOG(WARN, "live", "%s", err->message);
	/* The guard does this part of the work as soon as it can. */
	bool late = err && err->code == BW_E_INTERRUPTED && !what->all;
	if (err && !late)
		bw_guard_let_go(&l->guard); /* if it is alive it does the work without us */
	if (!bw_error_catch(&err, BW_E_TIMEOUT) && !bw_error_catch(&err, BW_E_INTERRUPTED) && err)
		bw_live_restore_regs(l, what->vmids, what->all);
	bw_error_free(err);
	bw_live_forget_regs(l, what->vmids, what->all);
}
