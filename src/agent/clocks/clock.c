/* SPDX-License-Identifier: MIT */
#include "agent/clocks/clock.h"

#include <pthread.h>
#include <stdatomic.h>

#include "agent/real.h"
#include "base/util.h"

/* The clocks that stand still. Each has its own times, as they do not tick alike. */
static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE,
				   CLOCK_BOOTTIME};
enum { N_CLOCKS = BW_ARRAY_SIZE(clocks) };

static struct {
	pthread_mutex_t lock; /* of writers */
	atomic_uint changes;  /* odd: in the middle of one. Readers take no lock */
	atomic_bool stopped;
	_Atomic(int64_t) behind[N_CLOCKS]; /* while it goes */
	_Atomic(int64_t) frozen[N_CLOCKS]; /* the program's time while it is stopped */
} c = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool ours;

void bw_clock_mark_own_thread(void)
{
	ours = true;
}

static int64_t real_of(int i)
{
	struct timespec t;
	REAL(clock_gettime)(clocks[i], &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t bw_clock_real_ns(void)
{
	return real_of(0);
}

static int index_of(clockid_t clock)
{
	for (int i = 0; i < N_CLOCKS; i++)
		if (clocks[i] == clock)
			return i;
	return -1;
}

bool bw_clock_has(clockid_t clock)
{
	return index_of(clock) >= 0;
}

/* The times of one clock, both of the same moment. */
static void read_clock(int i, int64_t *out_real, int64_t *out_program)
{
	unsigned before;
	do {
		before = atomic_load_explicit(&c.changes, memory_order_acquire);
		*out_real = real_of(i);
		*out_program = atomic_load_explicit(&c.stopped, memory_order_relaxed)
				       ? atomic_load_explicit(&c.frozen[i], memory_order_relaxed)
				       : *out_real - atomic_load_explicit(&c.behind[i],
									  memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while (before & 1 || before != atomic_load_explicit(&c.changes, memory_order_relaxed));
	if (ours)
		*out_program = *out_real;
}

int64_t bw_clock_program_ns(clockid_t clock)
{
	int64_t real, program;
	int i = index_of(clock);
	read_clock(i < 0 ? 0 : i, &real, &program);
	return program;
}

int64_t bw_clock_behind_ns(void)
{
	int64_t real, program;
	if (!atomic_load_explicit(&c.changes, memory_order_relaxed))
		return 0;
	read_clock(0, &real, &program);
	return real - program;
}

bool bw_clock_is_stopped(void)
{
	return !ours && atomic_load(&c.stopped);
}

static void set_stopped(bool stopped)
{
	pthread_mutex_lock(&c.lock);
	if (stopped != atomic_load(&c.stopped)) {
		atomic_fetch_add(&c.changes, 1);
		for (int i = 0; i < N_CLOCKS; i++) {
			if (stopped)
				atomic_store(&c.frozen[i], real_of(i) - atomic_load(&c.behind[i]));
			else
				atomic_store(&c.behind[i], real_of(i) - atomic_load(&c.frozen[i]));
		}
		atomic_store(&c.stopped, stopped);
		atomic_fetch_add(&c.changes, 1);
	}
	pthread_mutex_unlock(&c.lock);
}

void bw_clock_stop(void)
{
	set_stopped(true);
}

void bw_clock_resume(void)
{
	set_stopped(false);
}

/* Between these two no other thread is in the middle of a change. */
void bw_clock_fork_prepare(void)
{
	pthread_mutex_lock(&c.lock);
}

void bw_clock_fork_parent(void)
{
	pthread_mutex_unlock(&c.lock);
}

void bw_clock_fork_child(void)
{
	pthread_mutex_unlock(&c.lock);
	bw_clock_resume(); /* no debugger will resume it */
}
