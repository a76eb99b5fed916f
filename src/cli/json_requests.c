/* SPDX-License-Identifier: MIT */
/* --json: a line of input is a request, all objects of its answer carry its id, and an "end" closes
 * it (doc/json.md). The program's output is reported as events, since it would mix with our
 * lines. */
#include "cli/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/memfd.h"
#include "base/str.h"

#ifndef BW_VERSION /* a fuzz target */
#define BW_VERSION "0.0.0"
#endif

const char *bw_cli_version(void)
{
	return BW_VERSION;
}

enum { SCHEMA = 1 }; /* raised when an object of doc/json.schema.json changes its meaning */

void bw_cli_begin_json(struct bw_cli *c)
{
	if (!bw_out_is_json(c->out))
		return;
	bw_out_begin(c->out, "event", "session");
	bw_out_str(c->out, "version", BW_VERSION);
	bw_out_int(c->out, "schema", SCHEMA);
	bw_out_end(c->out);
}

/* ---- Requests ---- */

/* {"id": 7, "command": "info waves"}. A valid id is returned even if the rest is invalid. */
static struct bw_error *check_request(json_t *root, json_t **out_id, char **out_command)
{
	const char *key;
	json_t *value;
	if (!json_is_object(root))
		return bw_errorf(BW_E_INVALID, "the request is not one JSON object");
	json_t *id = json_object_get(root, "id"), *command = json_object_get(root, "command");
	if (json_is_integer(id) || json_is_string(id))
		*out_id = json_incref(id);
	else if (id)
		return bw_errorf(BW_E_INVALID, "the \"id\" of a request is an integer or a string");
	json_object_foreach(root, key, value) if (
		strcmp(key, "id") &&
		strcmp(key,
		       "command")) return bw_errorf(BW_E_INVALID,
						    "a request has \"id\" and \"command\", and no \"%s\"",
						    key);
	if (!json_is_string(command))
		return bw_errorf(BW_E_INVALID, "a request needs a \"command\", which is a string");
	*out_command = strdup(json_string_value(command));
	return *out_command ? NULL : bw_error_nomem();
}

static struct bw_error *take_request(const char *line, json_t **out_id, char **out_command)
{
	json_error_t at;
	json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, &at);
	if (!root)
		return bw_errorf(BW_E_INVALID, "the request is not JSON: %s (column %d)", at.text,
				 at.column);
	struct bw_error *err = check_request(root, out_id, out_command);
	json_decref(root);
	return err;
}

/* Several lines are a block ("commands", "define", "if"...) or commands one after the other. */
static struct bw_error *run_lines(struct bw_cli *c, char *text)
{
	struct bw_error *err = NULL;
	for (char *line; !err && !c->quit && (line = strsep(&text, "\n"));)
		err = bw_cli_execute(c, line);
	return err;
}

struct bw_error *bw_cli_request(struct bw_cli *c, const char *line)
{
	json_t *id = NULL;
	_cleanup_free_ char *command = NULL;
	struct bw_error *err = NULL;
	c->n_requests++;
	if (*bw_skip_blanks(line) == '{') {
		err = take_request(line, &id, &command);
	} else {
		command = strndup(line, strcspn(line, "\n"));
		if (!command)
			err = bw_error_nomem();
	}
	bw_out_begin_request(c->out, id ? id : json_integer(c->n_requests));
	if (!err)
		err = run_lines(c, command);
	bw_out_end_request(c->out, err);
	c->error_reported = err;
	return err;
}

/* ---- The program's output ---- */

struct bw_error *bw_cli_keep_output(struct bw_cli *c, int *out_fd)
{
	*out_fd = -1;
	if (!bw_out_is_json(c->out) || c->is_captured)
		return NULL;
	if (c->output_fd >= 0)
		close(c->output_fd);
	c->output_shown = 0;
	c->output_fd = bw_memfd("output");
	if (c->output_fd < 0)
		return bw_error_errno(errno, "cannot keep the program's output");
	*out_fd = c->output_fd;
	return NULL;
}

/* Bytes at the end that begin a UTF-8 sequence whose rest has not been written yet. */
static size_t unfinished(const unsigned char *data, size_t n)
{
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		unsigned char b = data[n - back];
		if (b >= 0xc0)
			return back < (b >= 0xf0 ? 4u : b >= 0xe0 ? 3u : 2u) ? back : 0;
		if (b < 0x80)
			return 0;
	}
	return 0;
}

void bw_cli_show_bytes(struct bw_cli *c, const char *data, size_t n)
{
	json_t *text = json_stringn(data, n);
	bw_out_begin(c->out, "event", "output");
	if (text) {
		bw_out_json(c->out, "text", text);
	} else {
		struct bw_str s = {0};
		bw_base64_add(&s, (const uint8_t *)data, n);
		bw_out_str(c->out, "base64", bw_str_text(&s));
		bw_str_free(&s);
	}
	bw_out_end(c->out);
}

void bw_cli_show_output(struct bw_cli *c, bool ended)
{
	enum { CHUNK_B = 1 << 20 };
	_cleanup_free_ char *data = c->output_fd >= 0 ? malloc(CHUNK_B) : NULL;
	while (data) {
		ssize_t got = pread(c->output_fd, data, CHUNK_B, c->output_shown);
		if (got <= 0)
			break;
		size_t n = (size_t)got, rest = unfinished((const unsigned char *)data, n);
		if (!ended || n == CHUNK_B)
			n -= rest;
		if (!n)
			break;
		bw_cli_show_bytes(c, data, n);
		c->output_shown += (off_t)n;
	}
	if (ended && c->output_fd >= 0) {
		close(c->output_fd);
		c->output_fd = -1;
	}
}
