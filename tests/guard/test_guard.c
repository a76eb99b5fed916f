// SPDX-License-Identifier: MIT
/* Owners of a guard that are killed, and ones that end in order: what is in a register of the
 * virtual GPU afterwards. */
#include "guard/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "gpu/opened.h"

static struct bw_gpu gpu;
static struct bw_guard_write reg; /* SQ_IND_INDEX, which nothing depends on while nobody looks */

static void ok_(struct bw_error *err, int line)
{
	if (err)
		fail_msg("line %d: %s", line, err->message);
}
#define OK(expr) ok_(expr, __LINE__)

static int open_gpu(void **state)
{
	struct bw_kmd *kmd;
	struct bw_reg found;
	setenv("BREAKWATER_LIBEXEC", getenv("BREAKWATER_BUILD"), 1);
	OK(bw_kmd_open("virtual", &kmd));
	OK(bw_gpu_take(kmd, &gpu));
	assert_true(bw_gpu_find(&gpu, "SQ_IND_INDEX", &found, &reg.addr_dw));
	reg.bank = (struct bw_kmd_bank){.use_grbm = true};
	return 0;
}

static int close_gpu(void **state)
{
	bw_gpu_close(&gpu);
	return 0;
}

static uint32_t value(void)
{
	uint32_t v;
	OK(bw_kmd_reg_read(gpu.kmd, &reg.bank, reg.addr_dw, &v));
	return v;
}

static void set(uint32_t v)
{
	OK(bw_kmd_reg_write(gpu.kmd, &reg.bank, reg.addr_dw, v));
}

/* ---- An owner in a process of its own ---- */

struct owner {
	pid_t pid;
	int ready; /* "r" comes when it has done its part */
	int died;  /* what its guard's own work has said, up to the end of the guard */
};

struct own_work {
	int fd;
	char taken[8];
};

static void take(void *cookie, struct bw_msg *m)
{
	struct own_work *w = cookie;
	if (m->type == BW_GUARD_OWN + 1 && m->body_b < sizeof(w->taken))
		memcpy(w->taken, m->body, m->body_b);
	if (m->type == BW_GUARD_OWN + 2)
		w->fd = bw_take_fd(m->fd);
}

static void died(void *cookie)
{
	struct own_work *w = cookie;
	uint32_t before = 0;
	struct bw_kmd *kmd;
	if (w->fd < 0)
		return;
	/* the list has not been done yet */
	OK(bw_kmd_open(bw_guard_gpu(), &kmd));
	OK(bw_kmd_reg_read(kmd, &reg.bank, reg.addr_dw, &before));
	bw_kmd_close(kmd);
	dprintf(w->fd, "%s %#x", w->taken, before);
}

static void use_server_of(struct bw_kmd *kmd)
{
	for (const char *const *e = bw_kmd_program_env(kmd); *e; e++)
		if (bw_starts_with(*e, "BREAKWATER_VGPU="))
			setenv("BREAKWATER_VGPU", *e + strlen("BREAKWATER_VGPU="), 1);
}

static void start(struct owner *o, void (*fn)(struct bw_guard *g))
{
	int ready[2], said[2];
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(said), 0);
	o->pid = fork();
	assert_true(o->pid >= 0);
	if (!o->pid) {
		struct own_work own = {.fd = -1};
		const struct bw_guard_work work = {take, died, &own};
		struct bw_guard g = BW_GUARD_INIT;
		struct bw_kmd *kmd;
		use_server_of(gpu.kmd);
		OK(bw_kmd_open("virtual", &kmd));
		OK(bw_guard_start(&g, kmd, &work));
		OK(bw_guard_ask(&g, BW_GUARD_OWN + 1, "known", 5, -1, -1));
		OK(bw_guard_ask(&g, BW_GUARD_OWN + 2, NULL, 0, said[1], -1));
		close(said[1]);
		fn(&g);
		if (write(ready[1], "r", 1) == 1)
			pause();
		_exit(0);
	}
	char word = 0;
	close(ready[1]);
	close(said[1]);
	o->ready = ready[0];
	o->died = said[0];
	assert_int_equal(read(o->ready, &word, 1), 1);
}

/* Until its guard has ended, too: only that one has the other end of the pipe then. */
static void kill_owner(struct owner *o, char *out_said, size_t size_b)
{
	size_t n = 0;
	kill(o->pid, SIGKILL);
	assert_int_equal(waitpid(o->pid, NULL, 0), o->pid);
	for (ssize_t got; (got = read(o->died, out_said + n, size_b - 1 - n)) > 0;)
		n += (size_t)got;
	out_said[n] = '\0';
	close(o->ready);
	close(o->died);
}

/* ---- Cases ---- */

/* Two changes of one register: the list is done from its end, so the first value stays. */
static void changes_twice(struct bw_guard *g)
{
	struct bw_guard_write w = reg;
	w.value = 0x11;
	OK(bw_guard_add_write(g, &w));
	w.value = 0x22;
	OK(bw_guard_add_write(g, &w));
	OK(bw_guard_add_gfxoff(g));
}

static void a_killed_owner(void **state)
{
	struct owner o;
	char said[64];
	set(0x5);
	start(&o, changes_twice);
	assert_int_equal(value(), 0x5); /* nothing as long as it lives */
	kill_owner(&o, said, sizeof(said));
	assert_string_equal(said, "known 0x5");
	assert_int_equal(value(), 0x11);
}

static void changes_and_restores(struct bw_guard *g)
{
	changes_twice(g);
	OK(bw_guard_forget(g));
}

static void what_was_restored_is_left_alone(void **state)
{
	struct owner o;
	char said[64];
	set(0x7);
	start(&o, changes_and_restores);
	kill_owner(&o, said, sizeof(said));
	assert_string_equal(said, "known 0x7");
	assert_int_equal(value(), 0x7);
}

static void changes_and_ends(struct bw_guard *g)
{
	changes_twice(g);
	bw_guard_end(g);
	assert_int_equal(g->fd, -1);
	bw_guard_end(g); /* as one that was not started */
	bw_guard_restore(g);
	bw_guard_let_go(g);
}

static void one_that_ends_in_order(void **state)
{
	struct owner o;
	char said[64];
	set(0x9);
	start(&o, changes_and_ends);
	kill_owner(&o, said, sizeof(said));
	assert_string_equal(said, "");
	assert_int_equal(value(), 0x9);
}

static void has_it_restored(struct bw_guard *g)
{
	changes_twice(g);
	bw_guard_restore(g);
}

static void one_that_has_it_restored(void **state)
{
	struct owner o;
	char said[64];
	set(0x3);
	start(&o, has_it_restored);
	assert_int_equal(value(), 0x11); /* when it returns */
	set(0x4);
	kill_owner(&o, said, sizeof(said));
	assert_string_equal(said, "known 0x3");
	assert_int_equal(value(), 0x4);
}

static void sends_it_ctrl_c(struct bw_guard *g)
{
	changes_twice(g);
	kill(g->pid, SIGINT);
	kill(g->pid, SIGTERM);
	kill(g->pid, SIGHUP);
	OK(bw_guard_ask(g, BW_GUARD_OWN + 1, "told", 5, -1, -1));
}

static void signals_of_the_terminal(void **state)
{
	struct owner o;
	char said[64];
	set(0x6);
	start(&o, sends_it_ctrl_c);
	kill_owner(&o, said, sizeof(said));
	assert_string_equal(said, "told 0x6");
	assert_int_equal(value(), 0x11);
}

static void lets_go(struct bw_guard *g)
{
	changes_twice(g);
	bw_guard_let_go(g);
}

static void one_that_does_not_wait(void **state)
{
	struct owner o;
	char said[64];
	set(0x8);
	start(&o, lets_go);
	kill_owner(&o, said, sizeof(said));
	assert_string_equal(said, "known 0x8");
	assert_int_equal(value(), 0x11);
}

TESTS_AROUND(open_gpu, close_gpu, a_killed_owner, what_was_restored_is_left_alone,
	     one_that_ends_in_order, one_that_has_it_restored, signals_of_the_terminal,
	     one_that_does_not_wait);
