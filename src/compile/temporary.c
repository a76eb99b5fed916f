/* SPDX-License-Identifier: MIT */
/* The temporary folder of this process: it is removed when the process ends, also by a signal. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/util.h"
#include "compile/tool_priv.h"

static struct bw_folder temporary = BW_FOLDER_INIT;
static char *temporary_file;
static pid_t owner;
/* A tool that is running is ended first, or it would write files again. */
static volatile pid_t running;
static volatile sig_atomic_t ended_by;

static void remove_temporaries(void)
{
	if (getpid() == owner)
		bw_folder_remove(&temporary);
}

/* Handler of a signal that ends the process. While no tool runs there is only one file, and
 * removing it is async-signal-safe. */
static void on_end(int sig)
{
	int saved = errno;
	if (running > 0) {
		ended_by = sig;
		kill(running, SIGTERM);
	} else {
		if (getpid() == owner && temporary.path) {
			unlink(temporary_file);
			rmdir(temporary.path);
		}
		signal(sig, SIG_DFL);
		raise(sig);
	}
	errno = saved;
}

/* Installs it for signals that have no handler yet; code that handles them later ends by exit(). */
static void catch_ends(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
	for (size_t i = 0; i < BW_ARRAY_SIZE(signals); i++) {
		struct sigaction now;
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler == SIG_DFL)
			sigaction(signals[i], &(struct sigaction){.sa_handler = on_end}, NULL);
	}
}

void bw_temporary_end_if_told(void)
{
	if (!ended_by)
		return;
	remove_temporaries();
	signal(ended_by, SIG_DFL);
	raise(ended_by);
}

struct bw_error *bw_temporary_file(const char *source, const char *suffix, char **out_path)
{
	const char *slash = strrchr(source, '/');
	const char *base = slash ? slash + 1 : source;
	int stem = (int)strcspn(base, ".");
	char *path = NULL;
	bool first = !temporary.path;
	if (first)
		BW_TRY(bw_folder_make(BW_FOLDER_RUN, &temporary));
	if (asprintf(&path, "%s/%.*s%s", temporary.path, stem, base, suffix) < 0)
		return bw_error_nomem();
	/* another session of this process has built a source of that name */
	for (unsigned i = 2; !access(path, F_OK); i++) {
		free(path);
		if (asprintf(&path, "%s/%.*s-%u%s", temporary.path, stem, base, i, suffix) < 0)
			return bw_error_nomem();
	}
	char *before = temporary_file;
	temporary_file = path;
	free(before);
	owner = getpid();
	if (first)
		atexit(remove_temporaries);
	catch_ends();
	*out_path = strdup(path);
	return *out_path ? NULL : bw_error_nomem();
}

struct bw_error *bw_temporary_object(const char *source, char **out_path)
{
	return bw_temporary_file(source, ".co", out_path);
}

const char *bw_temporary_folder(void)
{
	return temporary.path;
}

void bw_temporary_tool_runs(pid_t pid)
{
	running = pid;
	if (pid > 0 && ended_by)
		kill(pid, SIGTERM);
}
