/* SPDX-License-Identifier: MIT */
/* --json: a line of input is a request, all objects of its answer carry its id, and an "end" closes
 * it (doc/json.md). */
#include "cli/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "session/version.h"

enum { SCHEMA = 1 }; /* raised when an object of doc/json.schema.in changes its meaning */

void bw_cli_begin_json(struct bw_cli *c)
{
	if (!bw_out_is_json(c->out))
		return;
	bw_out_begin(c->out, "event", "session");
	bw_out_str(c->out, "version", bw_version());
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
		err = bw_cli_execute_lines(c, command);
	bw_out_end_request(c->out, err);
	c->error_reported = err;
	return err;
}
