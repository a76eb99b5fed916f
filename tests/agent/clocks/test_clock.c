/* SPDX-License-Identifier: MIT */
/* The program's time, in a process whose libc calls go through the agent's as a program's do. */
#include "agent/clocks/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/util.h"

enum { LIMIT_MS = 5 };
static const int64_t S = 1000000000;

static struct timespec after_limit(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_nsec += LIMIT_MS * 1000000;
	if (t.tv_nsec >= S) {
		t.tv_sec++;
		t.tv_nsec -= S;
	}
	return t;
}

static int64_t ns_of(clockid_t clock)
{
	struct timespec t;
	assert_int_equal(clock_gettime(clock, &t), 0);
	return (int64_t)t.tv_sec * S + t.tv_nsec;
}

/* Each waits LIMIT_MS for what never comes, and says whether libc's answer was the right one. */

static bool by_nanosleep(void)
{
	struct timespec t = {.tv_nsec = LIMIT_MS * 1000000};
	return !nanosleep(&t, NULL);
}

static bool by_usleep(void)
{
	return !usleep(LIMIT_MS * 1000);
}

static bool by_clock_nanosleep(void)
{
	struct timespec t = after_limit(CLOCK_MONOTONIC);
	return !clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* As programs wait: until the condition or the time. */
static bool by_condition(clockid_t clock, bool by_call)
{
	pthread_condattr_t attr;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c;
	int r = 0;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, by_call ? CLOCK_REALTIME : clock);
	pthread_cond_init(&c, &attr);
	struct timespec t = after_limit(clock);
	pthread_mutex_lock(&m);
	while (!r)
		r = by_call ? pthread_cond_clockwait(&c, &m, clock, &t)
			    : pthread_cond_timedwait(&c, &m, &t);
	pthread_mutex_unlock(&m);
	return r == ETIMEDOUT;
}

static bool by_condition_date(void)
{
	return by_condition(CLOCK_REALTIME, false);
}

static bool by_condition_monotonic(void)
{
	return by_condition(CLOCK_MONOTONIC, false);
}

static bool by_condition_clock(void)
{
	return by_condition(CLOCK_MONOTONIC, true);
}

static bool by_cnd(void)
{
	cnd_t c;
	mtx_t m;
	int r = thrd_success;

	cnd_init(&c);
	mtx_init(&m, mtx_timed);
	struct timespec t = after_limit(CLOCK_REALTIME);
	mtx_lock(&m);
	while (r == thrd_success)
		r = cnd_timedwait(&c, &m, &t);
	mtx_unlock(&m);
	return r == thrd_timedout;
}

static bool by_semaphore(void)
{
	sem_t s;
	sem_init(&s, 0, 0);
	struct timespec t = after_limit(CLOCK_REALTIME);
	return sem_timedwait(&s, &t) == -1 && errno == ETIMEDOUT;
}

static bool by_semaphore_clock(void)
{
	sem_t s;
	sem_init(&s, 0, 0);
	struct timespec t = after_limit(CLOCK_MONOTONIC);
	return sem_clockwait(&s, CLOCK_MONOTONIC, &t) == -1 && errno == ETIMEDOUT;
}

/* A lock that this thread holds. */
static bool by_mutex(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&m);
	struct timespec t = after_limit(CLOCK_REALTIME);
	return pthread_mutex_timedlock(&m, &t) == ETIMEDOUT;
}

static bool by_mutex_clock(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&m);
	struct timespec t = after_limit(CLOCK_MONOTONIC);
	return pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t) == ETIMEDOUT;
}

static bool by_rwlock(void)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
	pthread_rwlock_rdlock(&l);
	struct timespec t = after_limit(CLOCK_MONOTONIC);
	return pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &t) == ETIMEDOUT;
}

static bool by_poll(void)
{
	return poll(NULL, 0, LIMIT_MS) == 0;
}

static bool by_ppoll(void)
{
	struct timespec t = {.tv_nsec = LIMIT_MS * 1000000};
	return ppoll(NULL, 0, &t, NULL) == 0;
}

static bool by_select(void)
{
	int fds[2];
	fd_set r;
	struct timeval t = {.tv_usec = LIMIT_MS * 1000};
	if (pipe(fds))
		return false;
	FD_ZERO(&r);
	FD_SET(fds[0], &r);
	bool good = select(fds[0] + 1, &r, NULL, NULL, &t) == 0 && !FD_ISSET(fds[0], &r);
	close(fds[0]);
	close(fds[1]);
	return good;
}

static bool by_epoll(void)
{
	struct epoll_event e;
	int fd = epoll_create1(0);
	int n = epoll_wait(fd, &e, 1, LIMIT_MS);
	close(fd);
	return n == 0;
}

static bool by_futex(void)
{
	uint32_t word = 7;
	struct timespec t = {.tv_nsec = LIMIT_MS * 1000000};
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, &t, NULL, 0) == -1 &&
	       errno == ETIMEDOUT;
}

static bool by_futex_bitset(void)
{
	uint32_t word = 7;
	struct timespec t = after_limit(CLOCK_MONOTONIC);
	return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 7, &t, NULL,
		       FUTEX_BITSET_MATCH_ANY) == -1 &&
	       errno == ETIMEDOUT;
}

static struct wait {
	const char *name;
	bool (*fn)(void);
	/* of a run */
	pthread_t thread;
	bool good;
	int64_t took_ns; /* of the program's time */
	atomic_bool begun, over;
} waits[] = {
	{"nanosleep", by_nanosleep},
	{"usleep", by_usleep},
	{"clock_nanosleep", by_clock_nanosleep},
	{"pthread_cond_timedwait, date", by_condition_date},
	{"pthread_cond_timedwait, monotonic", by_condition_monotonic},
	{"pthread_cond_clockwait", by_condition_clock},
	{"cnd_timedwait", by_cnd},
	{"sem_timedwait", by_semaphore},
	{"sem_clockwait", by_semaphore_clock},
	{"pthread_mutex_timedlock", by_mutex},
	{"pthread_mutex_clocklock", by_mutex_clock},
	{"pthread_rwlock_clockwrlock", by_rwlock},
	{"poll", by_poll},
	{"ppoll", by_ppoll},
	{"select", by_select},
	{"epoll_wait", by_epoll},
	{"futex, relative", by_futex},
	{"futex, absolute", by_futex_bitset},
};

static void *run_wait(void *cookie)
{
	struct wait *w = cookie;
	int64_t start = ns_of(CLOCK_MONOTONIC);
	atomic_store(&w->begun, true);
	w->good = w->fn();
	w->took_ns = ns_of(CLOCK_MONOTONIC) - start;
	atomic_store(&w->over, true);
	return NULL;
}

static void start_all(void)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(waits); i++) {
		atomic_store(&waits[i].begun, false);
		atomic_store(&waits[i].over, false);
		assert_int_equal(pthread_create(&waits[i].thread, NULL, run_wait, &waits[i]), 0);
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(waits); i++)
		while (!atomic_load(&waits[i].begun))
			sched_yield();
}

static void join_all(void)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(waits); i++) {
		pthread_join(waits[i].thread, NULL);
		if (!waits[i].good)
			fail_msg("%s: the wrong answer", waits[i].name);
	}
}

/* Where time stands still no wait ends, however long it stands; then each ends as ever. */
static void test_waits_stand_still(void **state)
{
	bw_clock_stop();
	start_all();
	usleep(20 * LIMIT_MS * 1000); /* real: this thread is ours */
	for (size_t i = 0; i < BW_ARRAY_SIZE(waits); i++)
		if (atomic_load(&waits[i].over))
			fail_msg("%s ended while time stood still", waits[i].name);
	bw_clock_resume();
	join_all();
}

/* The same when time stops in the middle of them. */
static void test_stops_in_waits(void **state)
{
	for (int round = 0; round < 20; round++) {
		start_all();
		bw_clock_stop();
		usleep(LIMIT_MS * 1000);
		bw_clock_resume();
		join_all();
	}
}

/* Behind the real time, waits still last what the program's clock says. */
static void test_waits_last(void **state)
{
	start_all();
	join_all();
	for (size_t i = 0; i < BW_ARRAY_SIZE(waits); i++)
		if (waits[i].took_ns < (LIMIT_MS - 1) * 1000000ll)
			fail_msg("%s: %lld ns", waits[i].name, (long long)waits[i].took_ns);
}

static void *read_clocks(void *cookie)
{
	int64_t *t = cookie;
	const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE,
				    CLOCK_BOOTTIME, CLOCK_REALTIME};
	for (size_t i = 0; i < BW_ARRAY_SIZE(clocks); i++)
		t[i] = ns_of(clocks[i]);
	struct timespec s;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &s);
	t[5] = (int64_t)s.tv_sec * S + s.tv_nsec;
	return NULL;
}

static void read_as_program(int64_t t[6])
{
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, read_clocks, t), 0);
	pthread_join(thread, NULL);
}

static void test_clocks(void **state)
{
	int64_t a[6], b[6], c[6];
	int64_t before = bw_clock_real_ns();
	bw_clock_stop();
	bw_clock_stop();
	read_as_program(a);
	usleep(30000);
	read_as_program(b);
	int64_t stopped = bw_clock_real_ns() - before;
	bw_clock_resume();
	bw_clock_resume();
	read_as_program(c);

	assert_true(b[5] == a[5]);
	assert_true(b[4] - a[4] >= 30000000); /* the date continues */
	for (int i = 0; i < 6; i++)
		assert_true(c[i] >= b[i]);
	for (int i = 0; i < 4; i++)
		assert_true(b[i] == a[i]);
	/* and afterwards it is behind by that time, not more */
	assert_true(bw_clock_real_ns() - c[0] >= 30000000);
	assert_true(a[0] >= before - 3600 * S && stopped >= 30000000);
}

/* A timer set to a time of the program's clock rings at that time, not at once. */
static void *ring(void *cookie)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct itimerspec at = {.it_value = after_limit(CLOCK_MONOTONIC)};
	int64_t limit = (int64_t)at.it_value.tv_sec * S + at.it_value.tv_nsec;
	uint64_t n = 0;
	bool *good = cookie;
	*good = fd >= 0 && !timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL) &&
		read(fd, &n, sizeof(n)) == sizeof(n) && n == 1 && ns_of(CLOCK_MONOTONIC) >= limit;
	close(fd);
	return NULL;
}

static void test_timerfd(void **state)
{
	pthread_t thread;
	bool good = false;
	bw_clock_stop();
	usleep(30000);
	bw_clock_resume();
	assert_int_equal(pthread_create(&thread, NULL, ring, &good), 0);
	pthread_join(thread, NULL);
	assert_true(good);
}

static int be_own_thread(void **state)
{
	bw_clock_mark_own_thread();
	return 0;
}

/* first while nothing has stopped yet */
TESTS_AROUND(be_own_thread, NULL, test_waits_last, test_waits_stand_still, test_waits_last,
	     test_clocks, test_stops_in_waits, test_timerfd);
