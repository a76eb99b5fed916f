/* SPDX-License-Identifier: MIT */
#include "base/wait.h"

#include <stdint.h>

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"

static void *stay(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void runs(void)
{
	pause();
}

/* Its name looks like the rest of the line of another process. */
static void has_a_strange_name(void)
{
	prctl(PR_SET_NAME, "a) Z 1 (b");
	pause();
}

static void ends_its_first_thread(void)
{
	pthread_t other;
	pthread_create(&other, NULL, stay, NULL);
	pthread_exit(NULL);
}

static pid_t start(void (*what)(void))
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		what();
		_exit(0);
	}
	return pid;
}

static void await_state(pid_t pid, char state)
{
	while (bw_process_state(pid) != state)
		usleep(1000);
}

/* Until it is waited for, a process that was killed is a zombie. */
static void a_process_that_was_killed_is_ending(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	assert_true(bw_process_is_ending(pid));
	assert_int_equal(bw_process_state(pid), 'Z');
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(bw_process_is_ending(pid));
	assert_int_equal(bw_process_state(pid), 0);
}

static void a_process_is_ending_from_its_end_on(void **state)
{
	pid_t pid = start(runs);
	await_state(pid, 'S');
	assert_false(bw_process_is_ending(pid));
	a_process_that_was_killed_is_ending(pid);
	assert_false(bw_process_is_ending(getpid()));
}

static void the_name_is_no_part_of_the_state(void **state)
{
	pid_t pid = start(has_a_strange_name);
	await_state(pid, 'S');
	assert_false(bw_process_is_ending(pid));
	a_process_that_was_killed_is_ending(pid);
}

static void a_process_without_its_first_thread_is_not_ending(void **state)
{
	pid_t pid = start(ends_its_first_thread);
	await_state(pid, 'Z');
	assert_false(bw_process_is_ending(pid));
	a_process_that_was_killed_is_ending(pid);
}

TESTS(a_process_is_ending_from_its_end_on, the_name_is_no_part_of_the_state,
      a_process_without_its_first_thread_is_not_ending);
