/* SPDX-License-Identifier: MIT */
#include "base/wait.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { MAX_PROCESSES = 64 };

static bw_wait_fn *asked;
static void *asked_cookie;
static struct {
	pid_t pid;
	const char *name;
} processes[MAX_PROCESSES];
static size_t n_processes;

void bw_wait_set(bw_wait_fn *fn, void *cookie)
{
	asked = fn;
	asked_cookie = cookie;
}

bool bw_wait_is_set(void)
{
	return asked;
}

bool bw_wait_should_continue(unsigned waited_ms, bool for_answer)
{
	return !asked || asked(asked_cookie, waited_ms, for_answer);
}

void bw_wait_add(pid_t pid, const char *name)
{
	if (pid <= 0 || n_processes == MAX_PROCESSES)
		return;
	for (size_t i = 0; i < n_processes; i++)
		if (processes[i].pid == pid)
			return;
	processes[n_processes].pid = pid;
	processes[n_processes++].name = name;
}

void bw_wait_remove(pid_t pid)
{
	for (size_t i = 0; i < n_processes; i++) {
		if (processes[i].pid != pid)
			continue;
		memmove(&processes[i], &processes[i + 1],
			(n_processes - i - 1) * sizeof(processes[0]));
		n_processes--;
		return;
	}
}

bool bw_wait_find_stopped(pid_t *out_pid, const char **out_name, char *out_state)
{
	for (size_t i = 0; i < n_processes; i++) {
		char state = bw_process_state(processes[i].pid);
		if (state != 'T' && state != 't')
			continue;
		*out_pid = processes[i].pid;
		*out_name = processes[i].name;
		*out_state = state;
		return true;
	}
	return false;
}

/* "PID (NAME) STATE ...": the name may have brackets and blanks in it (proc(5)). */
char bw_process_state(pid_t pid)
{
	char path[32], text[256];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	const char *bracket = strrchr(text, ')');
	return bracket && bracket[1] == ' ' ? bracket[2] : 0;
}
