/* SPDX-License-Identifier: MIT */
/* Sessions of the library, from their start to their end. */
#include "api/api_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <breakwater/session.h>

#include "base/cleanup.h"
#include "base/string_list.h"

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

static struct bw_error *open_session(struct breakwater_session *s, int argc, char **argv)
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
	BW_TRY(bw_out_create(s->nowhere, false, &s->out));
	struct bw_session *session = malloc(sizeof(*session));
	if (!session)
		return bw_error_nomem();
	struct bw_error *err = bw_session_init(session, s->out);
	s->session = session;
	session->on_stop = on_stop;
	session->on_stop_cookie = s;
	return err ? err : bw_session_open_words(session, argc, argv, attach, "a library's");
}

/* The handle says that it is closed before anything is freed: breakwater_interrupt may come. */
static void free_session(struct breakwater_session *s)
{
	struct bw_session *session = s->session;
	s->session = NULL;
	if (session)
		bw_session_fini(session);
	free(session);
	bw_out_destroy(s->out);
	s->out = NULL;
	if (s->nowhere)
		fclose(s->nowhere);
	s->nowhere = NULL;
	bw_vec_free(&s->functions);
}

void bw_api_close(struct breakwater_session *s)
{
	s->session->on_stop = NULL;
	bw_session_leave(s->session);
	free_session(s);
}

static struct bw_error *open_words(const char *const *words, struct breakwater_session **out)
{
	struct bw_strings argv = {0};
	struct breakwater_session *s = NULL;
	if (!words || !words[0])
		return bw_errorf(BW_E_INVALID, "A session needs words: run KERNEL, or attach PID");
	struct bw_error *err = new_session(&s);
	if (err)
		return err;
	err = bw_strings_add_all(&argv, words);
	if (!err)
		err = bw_strings_add(&argv, NULL);
	if (!err)
		err = open_session(s, (int)argv.len - 1, argv.data);
	bw_strings_free(&argv);
	if (err) { /* nobody has the handle */
		free_session(s);
		sessions = s->next;
		free(s);
		return err;
	}
	s->is_own = true;
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
	struct bw_session *own = bw_session_current();
	struct bw_error *err = bw_api_enter_library();
	if (err)
		return bw_api_error(err);
	if (!own)
		err = bw_errorf(
			BW_E_STATE,
			"There is no session of a command line: this is not a script that breakwater runs");
	else if (!current)
		err = new_session(&current);
	if (!err) {
		current->session = own;
		own->on_stop = on_stop;
		own->on_stop_cookie = current;
		*out = current;
	}
	bw_api_leave_library();
	return bw_api_error(err);
}

void breakwater_close(struct breakwater_session *s)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_ANY);
	if (!err && s->is_own)
		bw_api_close(s);
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
		*out = states[bw_debug_state(s->session->debug)];
	return bw_api_leave(&call, err);
}
