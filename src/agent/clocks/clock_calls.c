/* SPDX-License-Identifier: MIT */
/* The functions of libc that tell the time or wait with a limit, in the program's time (clock.h).
 *
 * A wait that has timed out is repeated for as long as the program's time stood still during it.
 * Signals of timers (alarm, setitimer, timer_create) come when they come, as do the ticks of a
 * timerfd, and what a program asks of the processor or of the kernel without libc is real time. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "agent/clocks/clock.h"
#include "agent/real.h"

#define EXPORT __attribute__((visibility("default")))

static const int64_t S = 1000000000;
/* While time stands still, a wait whose limit is nearly reached checks this often. */
static const int64_t PAUSE_NS = 20000000;

static struct timespec later(struct timespec t, int64_t ns)
{
	if (t.tv_sec >= INT64_MAX / S - ns / S - 1)
		return t; /* for ever, as good as */
	t.tv_sec += (t.tv_nsec + ns) / S;
	t.tv_nsec = (t.tv_nsec + ns) % S;
	return t;
}

static bool is_valid(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < S;
}

static bool is_before(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

static struct timespec of_ns(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / S, .tv_nsec = ns % S};
}

/* Limits */

/* A wait of the program until a time of `clock`. */
struct until {
	clockid_t clock;
	int64_t base_ns; /* ns by which the program's time was late at the start */
	int64_t used_ns; /* ns by which the limit given to libc was put off */
};

static struct until until_begin(clockid_t clock)
{
	/* A limit on the program's own clock is off by that from the start, one by date is not. */
	return (struct until){.clock = clock,
			      .base_ns = bw_clock_has(clock) ? 0 : bw_clock_behind_ns()};
}

/* The limit as libc must have it now. Bad limits are libc's to refuse. */
static struct timespec until_limit(struct until *u, const struct timespec *limit)
{
	struct timespec now, real;

	if (!is_valid(limit))
		return *limit;
	u->used_ns = bw_clock_behind_ns() - u->base_ns;
	real = later(*limit, u->used_ns);
	if (!bw_clock_is_stopped())
		return real;
	REAL(clock_gettime)(u->clock, &now);
	now = later(now, PAUSE_NS);
	return is_before(real, now) ? now : real;
}

static bool until_goes_on(const struct until *u)
{
	return bw_clock_behind_ns() - u->base_ns > u->used_ns;
}

/* call: with `at` as its limit; evaluates to its result, r_. over: that result says that the limit
 * was reached. */
#define WAIT_UNTIL(clock, limit, over, call)                                                       \
	({                                                                                         \
		struct until u_ = until_begin(clock);                                              \
		int r_;                                                                            \
		do {                                                                               \
			struct timespec at_ = until_limit(&u_, limit), *at = &at_;                 \
			r_ = (call);                                                               \
		} while ((over) && is_valid(limit) && until_goes_on(&u_));                         \
		r_;                                                                                \
	})

/* The ns of a wait that are left after its time has passed, because the program's time stood still
 * meanwhile. 0: it is over. */
static int64_t still_ns(int64_t *behind)
{
	int64_t now = bw_clock_behind_ns(), left = now - *behind;
	*behind = now;
	return left > 0 && bw_clock_is_stopped() && left < PAUSE_NS ? PAUSE_NS : left;
}

/* Clocks and sleeps */

EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
	if (!bw_clock_has(clock) || !bw_clock_behind_ns())
		return REAL(clock_gettime)(clock, out);
	*out = of_ns(bw_clock_program_ns(clock));
	return 0;
}

/* The rest of a relative sleep. Returns what clock_nanosleep returns. */
static int sleep_still(int64_t behind, struct timespec *left)
{
	int r = 0;
	for (int64_t ns; !r && (ns = still_ns(&behind)) > 0;) {
		struct timespec t = of_ns(ns);
		r = REAL(clock_nanosleep)(CLOCK_MONOTONIC, 0, &t, left);
	}
	return r;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
			   struct timespec *left)
{
	if (t && flags & TIMER_ABSTIME)
		return WAIT_UNTIL(clock, t, !r_, REAL(clock_nanosleep)(clock, flags, at, left));
	int64_t behind = bw_clock_behind_ns();
	int r = REAL(clock_nanosleep)(clock, flags, t, left);
	return r ? r : sleep_still(behind, left);
}

EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
	int r = clock_nanosleep(CLOCK_REALTIME, 0, t, left);
	if (r)
		errno = r;
	return r ? -1 : 0;
}

EXPORT int usleep(useconds_t us)
{
	struct timespec t = of_ns((int64_t)us * 1000);
	return nanosleep(&t, NULL);
}

EXPORT unsigned sleep(unsigned s)
{
	struct timespec t = {.tv_sec = s}, left = {0};
	return nanosleep(&t, &left) ? (unsigned)left.tv_sec + (left.tv_nsec >= S / 2) : 0;
}

/* Locks, conditions and semaphores */

/* A condition that timed out while time stood still has not timed out for the program: it is told
 * that it woke up for nothing, as conditions may, because the signal it waits for may have come
 * just now. It looks, and waits again until the same time. By date that wait must know what the
 * first one did. */
static _Thread_local struct {
	const void *condition;
	struct timespec limit;
	struct until until;
} woken;

static struct until condition_begin(const void *c, clockid_t clock, const struct timespec *t)
{
	if (woken.condition == c && woken.until.clock == clock && woken.limit.tv_sec == t->tv_sec &&
	    woken.limit.tv_nsec == t->tv_nsec)
		return woken.until;
	return until_begin(clock);
}

static bool condition_continues(const void *c, const struct until *u, const struct timespec *t)
{
	bool yes = is_valid(t) && until_goes_on(u);
	woken.condition = yes ? c : NULL;
	woken.limit = *t;
	woken.until = *u;
	return yes;
}

#define CONDITION(c, clock, t, over, call)                                                         \
	({                                                                                         \
		struct until u_ = condition_begin(c, clock, t);                                    \
		struct timespec at_ = until_limit(&u_, t), *at = &at_;                             \
		int r_ = (call);                                                                   \
		r_ == (over) && condition_continues(c, &u_, t) ? 0 : r_;                           \
	})

/* A condition knows its clock: bit 1 of wrefs (nptl/pthread_cond_wait.c, glibc 2.25 and newer). */
static clockid_t clock_of(const pthread_cond_t *c)
{
	return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
	return CONDITION(c, clock_of(c), t, ETIMEDOUT, REAL(pthread_cond_timedwait)(c, m, at));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				  const struct timespec *t)
{
	return CONDITION(c, clock, t, ETIMEDOUT, REAL(pthread_cond_clockwait)(c, m, clock, at));
}

_Static_assert(thrd_success == 0, "what CONDITION returns for a wait that continues");
EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t)
{
	return CONDITION(c, CLOCK_REALTIME, t, thrd_timedout, REAL(cnd_timedwait)(c, m, at));
}

EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *t)
{
	return WAIT_UNTIL(CLOCK_REALTIME, t, r_ == thrd_timedout, REAL(mtx_timedlock)(m, at));
}

EXPORT int sem_timedwait(sem_t *s, const struct timespec *t)
{
	return WAIT_UNTIL(CLOCK_REALTIME, t, r_ && errno == ETIMEDOUT, REAL(sem_timedwait)(s, at));
}

EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t)
{
	return WAIT_UNTIL(clock, t, r_ && errno == ETIMEDOUT, REAL(sem_clockwait)(s, clock, at));
}

/* Locks with a time limit by date, and by any clock. */
#define TIMED_LOCK(type, timed, clocked)                                                           \
	EXPORT int timed(type *l, const struct timespec *t)                                        \
	{                                                                                          \
		return WAIT_UNTIL(CLOCK_REALTIME, t, r_ == ETIMEDOUT, REAL(timed)(l, at));         \
	}                                                                                          \
	EXPORT int clocked(type *l, clockid_t clock, const struct timespec *t)                     \
	{                                                                                          \
		return WAIT_UNTIL(clock, t, r_ == ETIMEDOUT, REAL(clocked)(l, clock, at));         \
	}

TIMED_LOCK(pthread_mutex_t, pthread_mutex_timedlock, pthread_mutex_clocklock)
TIMED_LOCK(pthread_rwlock_t, pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock)
TIMED_LOCK(pthread_rwlock_t, pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock)

/* Waits for descriptors */

static int ms_of(int64_t ns)
{
	int64_t ms = (ns + 999999) / 1000000;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* first: the call as the program made it; again: with `ns` more. Nothing is ready as long as it
 * is 0. */
#define WAIT_FOR(has_limit, first, again)                                                          \
	({                                                                                         \
		int64_t behind_ = bw_clock_behind_ns(), ns;                                        \
		int r_ = (first);                                                                  \
		while (r_ == 0 && (has_limit) && (ns = still_ns(&behind_)) > 0)                    \
			r_ = (again);                                                              \
		r_;                                                                                \
	})

EXPORT int poll(struct pollfd *fds, nfds_t n, int ms)
{
	return WAIT_FOR(ms > 0, REAL(poll)(fds, n, ms), REAL(poll)(fds, n, ms_of(ns)));
}

EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
	struct timespec more;
	bool limit = t && (t->tv_sec || t->tv_nsec);
	return WAIT_FOR(limit, REAL(ppoll)(fds, n, t, mask),
			(more = of_ns(ns), REAL(ppoll)(fds, n, &more, mask)));
}

/* Calls of programs that are built with _FORTIFY_SOURCE. */
EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t size_b);
EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask,
		       size_t size_b);

EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t size_b)
{
	return WAIT_FOR(ms > 0, REAL(__poll_chk)(fds, n, ms, size_b),
			REAL(poll)(fds, n, ms_of(ns)));
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask,
		       size_t size_b)
{
	struct timespec more;
	bool limit = t && (t->tv_sec || t->tv_nsec);
	return WAIT_FOR(limit, REAL(__ppoll_chk)(fds, n, t, mask, size_b),
			(more = of_ns(ns), REAL(ppoll)(fds, n, &more, mask)));
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int max, int ms)
{
	return WAIT_FOR(ms > 0, REAL(epoll_wait)(fd, events, max, ms),
			REAL(epoll_wait)(fd, events, max, ms_of(ns)));
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int max, int ms, const sigset_t *mask)
{
	return WAIT_FOR(ms > 0, REAL(epoll_pwait)(fd, events, max, ms, mask),
			REAL(epoll_pwait)(fd, events, max, ms_of(ns), mask));
}

EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int max, const struct timespec *t,
			const sigset_t *mask)
{
	struct timespec more;
	bool limit = t && (t->tv_sec || t->tv_nsec);
	return WAIT_FOR(limit, REAL(epoll_pwait2)(fd, events, max, t, mask),
			(more = of_ns(ns), REAL(epoll_pwait2)(fd, events, max, &more, mask)));
}

/* The sets come back empty where nothing was ready; they may be larger than an fd_set. */
struct sets {
	fd_set *set[3];
	size_t size_b;
	uint8_t kept[3][FD_SETSIZE / 8];
};

static void sets_keep(struct sets *s, int n, fd_set *r, fd_set *w, fd_set *e)
{
	s->set[0] = r;
	s->set[1] = w;
	s->set[2] = e;
	s->size_b = n > 0 && n <= FD_SETSIZE ? ((size_t)n + 63) / 64 * 8 : 0;
	for (int i = 0; i < 3; i++)
		if (s->set[i])
			memcpy(s->kept[i], s->set[i], s->size_b);
}

static bool sets_put_back(const struct sets *s)
{
	for (int i = 0; i < 3; i++)
		if (s->set[i])
			memcpy(s->set[i], s->kept[i], s->size_b);
	return true;
}

EXPORT int select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t)
{
	struct sets sets;
	struct timeval more;
	bool limit = t && (t->tv_sec || t->tv_usec) && n <= FD_SETSIZE;
	sets_keep(&sets, n, r, w, e);
	return WAIT_FOR(limit, REAL(select)(n, r, w, e, t),
			(sets_put_back(&sets), more.tv_sec = ns / S, more.tv_usec = ns % S / 1000,
			 REAL(select)(n, r, w, e, &more)));
}

EXPORT int pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t,
		   const sigset_t *mask)
{
	struct sets sets;
	struct timespec more;
	bool limit = t && (t->tv_sec || t->tv_nsec) && n <= FD_SETSIZE;
	sets_keep(&sets, n, r, w, e);
	return WAIT_FOR(
		limit, REAL(pselect)(n, r, w, e, t, mask),
		(sets_put_back(&sets), more = of_ns(ns), REAL(pselect)(n, r, w, e, &more, mask)));
}

/* A timer set to a time is set to the real one. */
EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *new_time,
			   struct itimerspec *old)
{
	char path[48], line[64];
	struct itimerspec at;
	int clock = CLOCK_REALTIME;
	int64_t behind = bw_clock_behind_ns();
	if (!behind || !new_time || !(flags & TFD_TIMER_ABSTIME) ||
	    !is_valid(&new_time->it_value) ||
	    (!new_time->it_value.tv_sec && !new_time->it_value.tv_nsec))
		return REAL(timerfd_settime)(fd, flags, new_time, old);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "clockid: %d", &clock) == 1)
			break;
	if (f)
		fclose(f);
	at = *new_time;
	if (bw_clock_has(clock))
		at.it_value = later(at.it_value, behind);
	return REAL(timerfd_settime)(fd, flags, &at, old);
}

/* Mesa, and the standard library of Rust, wait on futexes by syscall(). */
static long futex(long word, long op, long value, const struct timespec *t, long word2, long mask)
{
	long what = op & FUTEX_CMD_MASK;
	long r;
	int64_t behind = bw_clock_behind_ns();
	struct timespec more;

	if (t && what == FUTEX_WAIT_BITSET) {
		clockid_t clock = op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
		return WAIT_UNTIL(clock, t, r_ < 0 && errno == ETIMEDOUT,
				  (int)REAL(syscall)(SYS_futex, word, op, value, at, word2, mask));
	}
	r = REAL(syscall)(SYS_futex, word, op, value, t, word2, mask);
	if (t && what == FUTEX_WAIT)
		for (int64_t ns; r < 0 && errno == ETIMEDOUT && (ns = still_ns(&behind)) > 0;) {
			more = of_ns(ns);
			r = REAL(syscall)(SYS_futex, word, op, value, &more, word2, mask);
		}
	return r;
}

EXPORT long syscall(long nr, ...)
{
	long a[6];
	va_list args;
	va_start(args, nr);
	for (int i = 0; i < 6; i++)
		/* as libc's own does: what was not given is not looked at */
		a[i] = va_arg(args, long);
	va_end(args);
	if (nr == SYS_futex)
		return futex(a[0], a[1], a[2], (const struct timespec *)a[3], a[4], a[5]);
	if (nr == SYS_clock_gettime)
		return clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
	return REAL(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}
