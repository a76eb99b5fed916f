/* SPDX-License-Identifier: MIT */
/* What a hostile guest may send: it can neither hold its host process nor fill its memory. */
#include <stdint.h>

#include "../suite.h"
#include "guest/session.c"

enum { FLOOD = 5000, PLAN_B = 1 << 20 };

struct guest {
	struct session s;
	struct bw_machine m;
	struct bw_guest_options o;
	struct bw_str plan;
	int64_t started_ms;
	int port; /* the guest's end, which nobody reads */
};

static void begin(struct guest *g)
{
	int sv[2];
	memset(g, 0, sizeof(*g));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
	assert_int_equal(fcntl(sv[0], F_SETFL, O_NONBLOCK), 0);
	g->m = (struct bw_machine)BW_MACHINE_INIT;
	g->m.port = sv[1];
	g->m.started_ms = &g->started_ms;
	g->port = sv[0];
	while (g->plan.len < PLAN_B)
		bw_str_add(&g->plan, "m/lib/modules/some/module.ko parameter=1");
	g->s = (struct session){.m = &g->m, .o = &g->o, .plan = &g->plan, .quiet = true};
}

static void end(struct guest *g)
{
	close(g->port);
	close(g->m.port);
	bw_str_free(&g->plan);
	bw_str_free(&g->s.unsent);
	bw_klog_free(&g->s.told);
}

/* The same frame again and again, until the host has had enough; the error is the caller's. */
static struct bw_error *flood(struct guest *g, uint32_t type)
{
	const struct bw_guest_frame f = {type, 0};
	for (int i = 0; i < FLOOD; i++) {
		assert_int_equal(write(g->port, &f, sizeof(f)), sizeof(f));
		struct bw_error *err = receive(&g->s);
		if (err)
			return err;
		assert_true(g->s.unsent.len <= PLAN_B + 100);
	}
	return NULL;
}

/* Its plan is larger than what the socket takes, and it reads nothing. */
static void test_hello(void **state)
{
	struct guest g;
	begin(&g);
	struct bw_error *err = flood(&g, BW_GUEST_HELLO);
	assert_non_null(err);
	assert_string_equal(err->message, "the guest asked for its plan twice");
	assert_true(g.s.unsent.len);
	bw_error_free(err);
	end(&g);
}

/* A terminal that is made raw twice would stay so. */
static void test_started(void **state)
{
	struct guest g;
	begin(&g);
	struct bw_error *err = flood(&g, BW_GUEST_STARTED);
	assert_non_null(err);
	assert_string_equal(err->message, "the guest started its command twice");
	bw_error_free(err);
	end(&g);
}

/* What is not sent yet comes when the guest reads, whole and in its order. */
static void test_slow(void **state)
{
	static char got[PLAN_B + 4096];
	struct bw_guest_frame f = {BW_GUEST_HELLO, 0};
	struct guest g;
	size_t n = 0;
	begin(&g);
	assert_int_equal(write(g.port, &f, sizeof(f)), sizeof(f));
	for (int i = 0; i < 2; i++) /* the frame has no payload: it is there with its head */
		assert_null(i ? send_unsent(&g.s) : receive(&g.s));
	while (n < sizeof(f) + g.plan.len) {
		ssize_t more = read(g.port, got + n, sizeof(got) - n);
		if (more < 0)
			assert_null(send_unsent(&g.s));
		n += more > 0 ? (size_t)more : 0;
	}
	memcpy(&f, got, sizeof(f));
	assert_int_equal(f.type, BW_GUEST_PLAN);
	assert_int_equal(f.size, g.plan.len);
	assert_memory_equal(got + sizeof(f), g.plan.data, g.plan.len);
	assert_int_equal(g.s.unsent.len, 0);
	end(&g);
}

/* A serial line without a newline. */
static void test_no_newline(void **state)
{
	struct bw_klog k = {0};
	static char data[1 << 16];
	memset(data, 'x', sizeof(data));
	for (int i = 0; i < 100; i++) {
		bw_klog_add(&k, data, sizeof(data));
		assert_true(k.part.len <= 4096);
	}
	assert_int_equal(k.n, 100 * sizeof(data) / 4096);
	bw_klog_free(&k);
}

TESTS(test_hello, test_started, test_slow, test_no_newline);
