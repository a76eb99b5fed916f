/* SPDX-License-Identifier: MIT */
#include "agent/clocks/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "agent/clocks/clock.h"

enum { STACK_B = 256 << 10 };

struct thread_start {
	void *(*fn)(void *);
	void *cookie;
};

static void *run_thread(void *cookie)
{
	struct thread_start s = *(struct thread_start *)cookie;
	free(cookie);
	bw_clock_mark_own_thread();
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
