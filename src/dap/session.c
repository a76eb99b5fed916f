/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "ui/table.h"

/* The loop: requests as they come, and while the program runs, its stops and its output. */

/* Between two looks at requests while the program runs; and at signals while it does not. */
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

static void send_output(struct bw_dap *s, bool is_error)
{
	enum { CHUNK_B = 32768 };
	char chunk[CHUNK_B + 1];
	size_t n;
	while ((n = s->host->take_output(s->host->cookie, is_error, chunk, CHUNK_B)) > 0) {
		for (size_t i = 0; i < n; i++)
			if (!chunk[i]) /* JSON of jansson ends there */
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
	_cleanup_free_ char *text = s->host->take_text(s->host->cookie);
	if (text)
		bw_dap_say(s, "console", text);
	if (!s->debug)
		return;
	bw_debug_on_passing(s->debug, bw_dap_passing, s); /* "dprintf" puts its own there */
	send_output(s, false);
	send_output(s, true);
	bw_dap_update_breaks(s);
	if (!s->is_configured)
		return;
	bool running = is_running(s), has_stop = s->stop.kind != BW_STOP_NONE;
	/* What breakpoints' commands have resumed at once is no stop. */
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

struct bw_error *bw_dap_create(const struct bw_dap_host *host, int in_fd, int out_fd,
			       const struct bw_dap_begun *begun, struct bw_dap **out)
{
	enum { MAX_WAVES = 256 };
	struct bw_dap *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	s->host = host;
	s->request = "";
	s->max_waves = MAX_WAVES;
	s->is_greeted = begun != NULL;
	struct bw_error *err = bw_dap_link_open(in_fd, out_fd, begun, &s->link);
	if (err) {
		free(s);
		return err;
	}
	*out = s;
	return NULL;
}

void bw_dap_destroy(struct bw_dap *s)
{
	if (!s)
		return;
	bw_dap_link_close(s->link);
	bw_dap_forget(s);
	bw_vec_free(&s->refs);
	bw_vec_free(&s->lanes);
	bw_vec_free(&s->hits);
	bw_vec_free(&s->places);
	bw_dap_free_breaks(s);
	bw_dap_free_sources(s);
	free(s);
}

/* A slice of the program's run. */
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
		err = s->host->stopped(s->host->cookie, &stop, false);
	if (!err)
		return;
	struct bw_str text = {0};
	bw_str_addf(&text, "%s.\n", err->message);
	bw_dap_say(s, "stderr", bw_str_text(&text));
	bw_str_free(&text);
	bw_error_free(err);
}

/* What the session leaves behind is said before its end, which editors do not read beyond. */
static void end_session(struct bw_dap *s)
{
	if (!s->debug)
		return;
	s->host->close(s->host->cookie, !s->is_attached);
	bw_dap_flush(s);
	s->debug = NULL;
	if (!s->is_ended)
		bw_dap_event(s, "terminated", NULL);
	s->is_ended = true;
}

struct bw_error *bw_dap_serve(struct bw_dap *s)
{
	bool ended = false;
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
		if (s->host->wants_end(s->host->cookie) && !s->over) {
			s->over = true;
			end_session(s);
		}
	}
	/* The editor has gone without a word: the program ends, or runs on without us. */
	if (s->debug)
		s->host->close(s->host->cookie, !s->is_attached);
	s->debug = NULL;
	return bw_dap_link_error(s->link);
}
