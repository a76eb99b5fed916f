/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bw_error *bw_cli_execute_scripted(struct bw_cli *c, const char *line)
{
	bool request = bw_out_is_json(c->out) && !bw_out_in_request(c->out);
	struct bw_error *err = request ? bw_cli_request(c, line) : bw_cli_execute(c, line);
	/* A step too many after the last wave has ended is no mistake in the script, nor is a look at a
	 * program that is just ending: it is said, and the script goes on. */
	if (err && (err->code == BW_E_STATE || err->code == BW_E_GONE)) {
		if (!request)
			bw_out_error(c->out, err);
		bw_error_free(err);
		return NULL;
	}
	return err;
}

/* A Ctrl-C while the next line is waited for is not the end of the lines: it is seen when the line is
 * there, by the command it stands for. */
static bool read_line(FILE *f, char **line, size_t *cap)
{
	sigset_t interrupt, before;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, &before);
	bool got = getline(line, cap, f) > 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return got;
}

struct bw_error *bw_cli_run_file(struct bw_cli *c, const char *path)
{
	_cleanup_fclose_ FILE *opened = NULL;
	FILE *f = stdin;
	if (strcmp(path, "-")) {
		opened = f = fopen(path, "r");
		if (!f)
			return bw_error_errno(errno, "cannot read the commands in %s", path);
	}
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	unsigned number = 0;
	while (!c->quit) {
		if (!opened)
			BW_TRY(bw_debug_hold_time(c->debug));
		if (!read_line(f, &line, &cap))
			break;
		number++;
		struct bw_error *err = bw_cli_execute_scripted(c, line);
		if (err && opened)
			return bw_error_wrap(err, "%s:%u", path, number);
		/* Who sends requests has been told, and decides what comes next. */
		if (err && !bw_out_is_json(c->out))
			return err;
		bw_error_free(err);
	}
	struct bw_error *err = opened ? bw_cli_end_blocks(c) : NULL;
	return err ? bw_error_wrap(err, "%s", path) : NULL;
}
