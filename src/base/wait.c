/* SPDX-License-Identifier: MIT */
#include "base/wait.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { MAX_PROCESSES = 64 };

static bw_wait_fn *asked;
static void *asked_cookie;
static const char *asked_reason;
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

void bw_wait_set_reason(const char *reason)
{
	asked_reason = reason;
}

const char *bw_wait_reason(void)
{
	return asked_reason;
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

/* The fields of a stat file after "PID (NAME) ", of which the name may have brackets and blanks in
 * it (proc(5)). False: there is no such process or thread. */
static bool read_stat(const char *path, char *text, size_t size_b, const char **out_fields)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size_b - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	const char *bracket = strrchr(text, ')');
	if (!bracket || bracket[1] != ' ')
		return false;
	*out_fields = bracket + 2;
	return true;
}

char bw_process_state(pid_t pid)
{
	char path[32], text[256];
	const char *fields;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return read_stat(path, text, sizeof(text), &fields) ? fields[0] : 0;
}

bool bw_process_descends(pid_t pid, pid_t from)
{
	enum { MOST = 64 }; /* processes may end and others get their numbers meanwhile */
	for (unsigned i = 0; i < MOST && pid > 0 && pid != from; i++) {
		char path[32], text[256];
		const char *fields;
		int parent = 0;
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		if (!read_stat(path, text, sizeof(text), &fields) ||
		    sscanf(fields, "%*c %d", &parent) != 1)
			return false;
		pid = parent;
	}
	return pid > 0 && pid == from;
}

/* PF_EXITING of include/linux/sched.h, in the field `flags`. */
static bool thread_is_ending(const char *path)
{
	enum { EXITING = 4 };
	char text[256];
	const char *fields;
	unsigned flags = EXITING;
	if (!read_stat(path, text, sizeof(text), &fields))
		return true;
	return sscanf(fields, "%*c %*d %*d %*d %*d %*d %u", &flags) != 1 || flags & EXITING;
}

bool bw_process_is_ending(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!thread_is_ending(path))
		return false;
	/* the first thread may have ended alone */
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *threads = opendir(path);
	bool all = true;
	for (struct dirent *e; threads && all && (e = readdir(threads));) {
		int tid = atoi(e->d_name); /* 0: "." and ".." */
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, tid);
		all = tid <= 0 || thread_is_ending(path);
	}
	if (threads)
		closedir(threads);
	return all;
}
