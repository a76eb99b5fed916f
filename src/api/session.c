/* SPDX-License-Identifier: MIT */
/* Sessions of the library, from their start to their end. */
#include "api/api_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <breakwater/session.h>

#include "base/cleanup.h"
#include "cli/commands.h"

static struct breakwater_session *sessions; /* all that ever were: closed ones are told by it */

static void on_stop(void *cookie, const struct bw_stop *stop)
{
	struct breakwater_session *s = cookie;
	s->stop = *stop;
	s->has_stop = true;
	s->resumed = false;
}

static struct bw_error *new_session(struct breakwater_session **out)
{
	struct breakwater_session *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	s->next = sessions;
	sessions = s;
	*out = s;
	return NULL;
}

static struct bw_error *open_cli(struct breakwater_session *s, struct bw_cli *c, int argc,
				 char **argv)
{
	bool attach = !strcmp(argv[0], "attach");
	if (!attach && strcmp(argv[0], "run"))
		return bw_errorf(BW_E_INVALID,
				 "A session is opened by \"run\" or \"attach\", not by \"%s\"",
				 argv[0]);
	struct sigaction pipe;
	if (!sigaction(SIGPIPE, NULL, &pipe) && pipe.sa_handler == SIG_DFL)
		signal(SIGPIPE, SIG_IGN);
	s->nowhere = fopen("/dev/null", "we");
	if (!s->nowhere)
		return bw_error_errno(errno, "cannot open /dev/null");
	BW_TRY(bw_out_create(s->nowhere, false, &c->out));
	c->is_library = true;
	c->on_stop = on_stop;
	c->on_stop_cookie = s;
	return bw_cli_open(c, argc, argv, attach);
}

static void free_cli(struct breakwater_session *s, struct bw_cli *c)
{
	bw_cli_fini(c);
	free(c);
	if (s->nowhere)
		fclose(s->nowhere);
	s->nowhere = NULL;
	bw_vec_free(&s->functions);
}

static struct bw_error *open_words(const char *const *words, struct breakwater_session **out)
{
	struct BW_VEC(char *) argv = {0};
	struct breakwater_session *s = NULL;
	struct bw_error *err = NULL;
	if (!words || !words[0])
		return bw_errorf(BW_E_INVALID, "A session needs words: run KERNEL, or attach PID");
	struct bw_cli *c = malloc(sizeof(*c));
	if (!c)
		return bw_error_nomem();
	bw_cli_init(c);
	err = new_session(&s);
	if (err) {
		free(c);
		return err;
	}
	for (size_t i = 0; !err && words[i]; i++) {
		char *copy = strdup(words[i]);
		err = copy ? bw_vec_push(&argv, copy) : bw_error_nomem();
		if (err)
			free(copy);
	}
	if (!err)
		err = bw_vec_push(&argv, NULL);
	if (!err)
		err = open_cli(s, c, (int)argv.len - 1, argv.data);
	bw_vec_each(&argv, one)
		free(*one);
	bw_vec_free(&argv);
	if (err) { /* nobody has the handle */
		free_cli(s, c);
		sessions = s->next;
		free(s);
		return err;
	}
	s->is_own = true;
	s->cli = c;
	*out = s;
	return NULL;
}

struct breakwater_error *breakwater_open(const char *const *words, struct breakwater_session **out)
{
	struct bw_error *err = bw_api_enter_library();
	if (err)
		return bw_api_error(err);
	err = open_words(words, out);
	bw_api_watch_own_waits();
	bw_api_leave_library();
	return bw_api_error(err);
}

struct breakwater_error *breakwater_current(struct breakwater_session **out)
{
	static struct breakwater_session *current;
	struct bw_cli *c = bw_cli_current();
	struct bw_error *err = bw_api_enter_library();
	if (err)
		return bw_api_error(err);
	if (!c)
		err = bw_errorf(
			BW_E_STATE,
			"There is no session of a command line: this is not a script that breakwater runs");
	else if (!current)
		err = new_session(&current);
	if (!err) {
		current->cli = c;
		c->on_stop = on_stop;
		c->on_stop_cookie = current;
		*out = current;
	}
	bw_api_leave_library();
	return bw_api_error(err);
}

/* The handle says that it is closed before anything is freed: breakwater_interrupt may come. */
static void close_own(struct breakwater_session *s)
{
	struct bw_cli *c = s->cli;
	c->on_stop = NULL;
	bw_cli_leave(c);
	s->cli = NULL;
	free_cli(s, c);
}

void breakwater_close(struct breakwater_session *s)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_ANY);
	if (!err && s->is_own)
		close_own(s);
	breakwater_error_free(bw_api_leave(&call, err));
}

struct breakwater_error *breakwater_state(struct breakwater_session *s, enum breakwater_state *out)
{
	static const enum breakwater_state states[] = {[BW_DEBUG_NO_PROGRAM] =
							       BREAKWATER_NO_PROGRAM,
						       [BW_DEBUG_RUNNING] = BREAKWATER_RUNNING,
						       [BW_DEBUG_STOPPED] = BREAKWATER_STOPPED};
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_READS);
	if (!err)
		*out = states[bw_debug_state(s->cli->debug)];
	return bw_api_leave(&call, err);
}

/* ---- Commands ---- */

static struct bw_error *run_lines(struct bw_cli *c, const char *text)
{
	struct bw_error *err = NULL;
	_cleanup_free_ char *copy = strdup(text);
	if (!copy)
		return bw_error_nomem();
	for (char *rest = copy, *line; !err && !c->quit && (line = strsep(&rest, "\n"));)
		err = bw_cli_execute(c, line);
	if (!err)
		err = bw_cli_end_blocks(c);
	else
		bw_cli_cancel_block(c);
	return err;
}

struct breakwater_error *breakwater_command(struct breakwater_session *s, const char *line,
					    bool json, char **out)
{
	struct bw_api_call call;
	struct bw_api_capture capture;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err && !line)
		err = bw_errorf(BW_E_INVALID, "The command is NULL");
	if (!err)
		err = bw_api_capture_begin(&capture, s->cli, json);
	if (!err) {
		char *text = NULL;
		err = run_lines(s->cli, line);
		struct bw_error *lost = bw_api_capture_end(&capture, &text);
		if (err || lost)
			free(text);
		else
			*out = text;
		if (err)
			bw_error_free(lost);
		else
			err = lost;
		if (s->is_own && s->cli->quit)
			close_own(s);
	}
	return bw_api_leave(&call, err);
}
