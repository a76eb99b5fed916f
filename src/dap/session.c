/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "target/call.h"
#include "ui/table.h"

/* The loop: requests as they come, and while the program runs, its stops and its output. */

/* The time between two checks for requests while the program runs, and for signals while it does
 * not run. */
enum { RUNNING_MS = 20, IDLE_MS = 100 };

void bw_dap_event(struct bw_dap *s, const char *event, json_t *body)
{
	json_t *e = json_object();
	json_object_set_new(e, "type", json_string("event"));
	json_object_set_new(e, "event", json_string(event));
	if (body)
		json_object_set_new(e, "body", body);
	bw_dap_link_send(s->link, e);
}

void bw_dap_say(struct bw_dap *s, const char *category, const char *text)
{
	if (!*text)
		return;
	json_t *body = json_object();
	json_object_set_new(body, "category", json_string(category));
	json_object_set_new(body, "output", bw_json_text(text));
	bw_dap_event(s, "output", body);
}

void bw_dap_invalidate(struct bw_dap *s, const char *area)
{
	if (!s->has_invalidated)
		return;
	json_t *body = json_object();
	json_object_set_new(body, "areas", json_pack("[s]", area));
	bw_dap_event(s, "invalidated", body);
}

void bw_dap_forget_refs(struct bw_dap *s)
{
	bw_vec_each(&s->refs, r)
		free(r->expr);
	s->refs.len = 0;
	s->places.len = 0;
}

void bw_dap_forget(struct bw_dap *s)
{
	bw_dap_forget_refs(s);
	s->lanes.len = 0;
}

void bw_dap_note_stop(struct bw_dap *s, const struct bw_stop *stop)
{
	if (stop->kind == BW_STOP_NONE)
		return;
	s->stop = *stop;
	bw_dap_forget(s);
}

char *bw_dap_take_printed(struct bw_dap *s)
{
	enum { TEXT_MAX_B = 4 << 20 };
	char chunk[8192];
	struct bw_str text = {0};
	size_t got;
	bw_out_flush(s->session->out);
	fflush(s->printed_file);
	fflush(stdout);
	while (text.len < TEXT_MAX_B &&
	       (got = bw_dap_sink_take(&s->printed, chunk, sizeof(chunk))) > 0)
		bw_str_addn(&text, chunk, got);
	if (text.len)
		return bw_str_take(&text);
	bw_str_free(&text);
	return NULL;
}

static void send_output(struct bw_dap *s, bool is_error)
{
	enum { CHUNK_B = 32768 };
	char chunk[CHUNK_B + 1];
	size_t n;
	while ((n = bw_dap_sink_take(&s->output[is_error], chunk, CHUNK_B)) > 0) {
		for (size_t i = 0; i < n; i++)
			if (!chunk[i]) /* jansson ends strings at a NUL */
				chunk[i] = ' ';
		chunk[n] = '\0';
		bw_dap_say(s, is_error ? "stderr" : "stdout", chunk);
	}
}

/* Whether the program runs, as far as the editor is concerned. */
static bool is_running(const struct bw_dap *s)
{
	return s->debug && bw_debug_state(s->debug) == BW_DEBUG_RUNNING;
}

void bw_dap_flush(struct bw_dap *s)
{
	_cleanup_free_ char *text = bw_dap_take_printed(s);
	/* The program has printed before what is said of its stop or its end. */
	if (s->debug) {
		bw_debug_on_passing(s->debug, bw_dap_passing, s); /* "dprintf" has its own way */
		send_output(s, false);
		send_output(s, true);
	}
	if (text)
		bw_dap_say(s, "console", text);
	if (!s->debug)
		return;
	bw_dap_update_breaks(s);
	if (!s->is_configured)
		return;
	bool running = is_running(s), has_stop = s->stop.kind != BW_STOP_NONE;
	/* If a breakpoint's commands have resumed the program at once, there is no stop to
	 * report. */
	if (running && has_stop && s->stop.kind != BW_STOP_EXITED)
		s->stop.kind = BW_STOP_NONE;
	if (running && !s->was_running) {
		bw_dap_send_continued(s);
		bw_dap_forget(s);
	}
	if (running)
		s->hits.len = 0;
	s->was_running = running;
	bool had_program = s->has_program;
	s->has_program = bw_debug_state(s->debug) != BW_DEBUG_NO_PROGRAM;
	if (s->stop.kind == BW_STOP_NONE) {
		/* "kill" and "detach" end it without a stop */
		if (had_program && !s->has_program && !s->is_ended) {
			s->is_ended = true;
			bw_dap_event(s, "terminated", NULL);
		}
		return;
	}
	struct bw_stop stop = s->stop;
	s->stop.kind = BW_STOP_NONE;
	s->last = stop;
	bw_dap_send_stop(s, &stop);
}

struct bw_error *bw_dap_create(struct bw_dap **out)
{
	enum { MAX_WAVES = 256 };
	struct bw_dap *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	s->in_fd = s->out_fd = s->printed.fd = s->output[0].fd = s->output[1].fd = -1;
	s->request = "";
	s->max_waves = MAX_WAVES;
	struct bw_error *err = bw_dap_sink_open(&s->printed, "console");
	if (!err)
		err = bw_dap_sink_open(&s->output[0], "output");
	if (!err)
		err = bw_dap_sink_open(&s->output[1], "error");
	if (!err)
		s->printed_file = fdopen(fcntl(s->printed.fd, F_DUPFD_CLOEXEC, 3), "a");
	if (!err && !s->printed_file)
		err = bw_error_errno(errno, "cannot keep output");
	if (err)
		bw_dap_destroy(s);
	else
		*out = s;
	return err;
}

FILE *bw_dap_console_file(struct bw_dap *s)
{
	return s->printed_file;
}

void bw_dap_destroy(struct bw_dap *s)
{
	if (!s)
		return;
	bw_dap_hang_up(s);
	bw_dap_forget(s);
	bw_vec_free(&s->refs);
	bw_vec_free(&s->lanes);
	bw_vec_free(&s->hits);
	bw_vec_free(&s->places);
	bw_dap_free_breaks(s);
	bw_dap_free_sources(s);
	bw_run_options_fini(&s->options);
	if (s->printed_file)
		fclose(s->printed_file);
	bw_dap_sink_close(&s->printed);
	for (size_t i = 0; i < 2; i++)
		bw_dap_sink_close(&s->output[i]);
	free(s);
}

/* ---- Its session ---- */

struct bw_error *bw_dap_execute(struct bw_dap *s, const char *lines)
{
	bw_session_begin_command(s->session);
	return s->console.execute(s->console.cookie, lines);
}

struct bw_error *bw_dap_stopped(struct bw_dap *s, const struct bw_stop *stop, bool brief)
{
	bw_session_stopped(s->session, stop, brief);
	return s->session->commands ? s->session->commands->after_stop(s->session->commands_cookie)
				    : NULL;
}

static bool wants_end(const struct bw_session *s)
{
	return s->commands && s->commands->wants_end(s->commands_cookie);
}

/* Prints an error in the debug console, and frees it. NULL: does nothing. */
static void print_error(struct bw_dap *s, struct bw_error *err)
{
	if (err)
		bw_out_line(s->session->out, "%s.", err->message);
	bw_error_free(err);
}

/* Prints the reports at the end of each program, or at the end of the session if that comes
 * first. */
static void print_reports(struct bw_dap *s)
{
	if (s->has_reported || s->session->crash)
		return;
	s->has_reported = true;
	print_error(s, bw_session_report(s->session, &s->options));
}

static void on_stop(void *cookie, const struct bw_stop *stop)
{
	struct bw_dap *s = cookie;
	bool is_end = stop->kind == BW_STOP_EXITED;
	if (is_end)
		print_reports(s);
	s->has_reported &= is_end; /* a program that is started again has its own report */
	bw_dap_note_stop(s, stop);
}

static void leave_program(struct bw_dap *s, bool kill)
{
	if (bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM)
		return;
	/* Leaving as the prompt does would kill programs that it has started, and detach from the
	 * others. */
	if (!kill)
		bw_debug_detach(s->debug);
	else if (s->session->attached && bw_target_can(bw_debug_target(s->debug), BW_CAP_PROCESSES))
		bw_error_free(bw_debug_kill(s->debug));
	else
		s->console.leave(s->console.cookie);
}

void bw_dap_leave(struct bw_dap *s, bool kill)
{
	leave_program(s, kill);
	print_reports(s);
	print_error(s, bw_session_what_ended(s->session));
}

/* ---- The loop ---- */

/* Lets the program run for a short time, and handles its events. */
static void look_at_program(struct bw_dap *s)
{
	struct bw_stop stop = {.kind = BW_STOP_NONE};
	struct bw_error *err = NULL;
	if (!s->debug || !s->is_configured)
		return;
	if (is_running(s))
		err = bw_debug_wait(s->debug, RUNNING_MS, &stop);
	else if (bw_debug_state(s->debug) == BW_DEBUG_STOPPED)
		err = bw_debug_look_for_end(s->debug, &stop);
	if (!err && stop.kind != BW_STOP_NONE)
		err = bw_dap_stopped(s, &stop, false);
	if (!err)
		return;
	struct bw_str text = {0};
	bw_str_addf(&text, "%s.\n", err->message);
	bw_dap_say(s, "stderr", bw_str_text(&text));
	bw_str_free(&text);
	bw_error_free(err);
}

/* Ends the session. All messages are sent before the event of its end, after which editors do not
 * read. */
static void end_session(struct bw_dap *s)
{
	if (!s->debug)
		return;
	bw_dap_leave(s, !s->is_attached);
	bw_dap_flush(s);
	s->debug = NULL;
	if (!s->is_ended)
		bw_dap_event(s, "terminated", NULL);
	s->is_ended = true;
}

struct bw_error *bw_dap_serve(struct bw_dap *s, struct bw_session *session,
			      const struct bw_dap_console *console)
{
	bool ended = false;
	s->session = session;
	s->console = *console;
	session->on_stop = on_stop;
	session->on_stop_cookie = s;
	for (size_t i = 0; i < 2; i++)
		session->output_fd[i] = s->output[i].fd;
	while (!s->over && !ended && !bw_dap_link_is_broken(s->link)) {
		struct bw_dap_incoming m;
		if (bw_dap_link_take(s->link, is_running(s) ? 0 : IDLE_MS, &m)) {
			ended = m.is_end;
			if (!ended)
				bw_dap_handle(s, &m);
			json_decref(m.root);
		} else {
			look_at_program(s);
		}
		if (!s->over && !ended)
			bw_dap_flush(s);
		if (wants_end(s->session) && !s->over) {
			s->over = true;
			end_session(s);
		}
	}
	/* The editor has closed the connection without `disconnect`: the program is ended, or runs
	 * on without us. */
	if (s->debug)
		bw_dap_leave(s, !s->is_attached);
	s->debug = NULL;
	session->on_stop = NULL;
	struct bw_error *err = bw_dap_link_error(s->link);
	bw_dap_hang_up(s);
	return err;
}
