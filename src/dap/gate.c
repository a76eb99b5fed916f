/* SPDX-License-Identifier: MIT */
#include "dap/gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "dap/dap_priv.h"

/* Takes the same time for every token of that length. */
static bool is_token(const char *given, const char *token)
{
	size_t n = strlen(token);
	unsigned char differs = 0;
	if (!given || !n || strlen(given) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		differs |= (unsigned char)(given[i] ^ token[i]);
	return !differs;
}

/* The request that is being answered. */
struct asked {
	struct bw_dap_caller *caller;
	const char *token, *text;
	size_t text_b;
	int64_t seq;
	const char *command;
	json_t *args;
	struct bw_str *out;
};

/* Adds a message to the answers; frees root. */
static void send_message(const struct asked *a, json_t *root)
{
	json_object_set_new(root, "seq", json_integer(++a->caller->n_sent));
	_cleanup_free_ char *text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	if (text)
		bw_dap_frame(a->out, text, strlen(text));
}

static enum bw_dap_verdict answer_initialize(const struct asked *a)
{
	struct bw_dap s = {.is_initialized = a->caller->greeting != NULL};
	json_t *body = json_object();
	struct bw_error *err = bw_dap_initialize(&s, a->args, body);
	if (!err) {
		a->caller->greeting = strndup(a->text, a->text_b);
		err = a->caller->greeting ? NULL : bw_error_nomem();
	}
	if (err) {
		send_message(a, bw_dap_error_response(a->seq, a->command, NULL, err));
	} else {
		json_t *r = bw_dap_response(a->seq, a->command, true);
		json_object_set(r, "body", body);
		send_message(a, r);
	}
	bw_error_free(err);
	json_decref(body);
	return BW_DAP_WAITS;
}

static enum bw_dap_verdict refuse(const struct asked *a, enum bw_error_code code, const char *why)
{
	_cleanup_error_ struct bw_error *err = bw_errorf(code, "%s", why);
	send_message(a, bw_dap_error_response(a->seq, a->command, NULL, err));
	return BW_DAP_REFUSED;
}

static enum bw_dap_verdict answer_start(const struct asked *a)
{
	const char *given = json_string_value(json_object_get(a->args, "token"));
	if (!a->caller->greeting) {
		refuse(a, BW_E_STATE, "\"initialize\" comes first");
		return BW_DAP_WAITS;
	}
	if (!given)
		return refuse(
			a, BW_E_INVALID,
			"The configuration has no \"token\": \"breakwater dap --port\" prints one when it starts, and the file that has it");
	if (!is_token(given, a->token))
		return refuse(
			a, BW_E_INVALID,
			"The configuration's \"token\" is not that of this server, which printed its own when it started, and the file that has it");
	a->caller->admission = strndup(a->text, a->text_b);
	return a->caller->admission ? BW_DAP_ADMITTED : BW_DAP_REFUSED;
}

static enum bw_dap_verdict answer(const struct asked *a)
{
	if (!strcmp(a->command, "initialize"))
		return answer_initialize(a);
	if (!strcmp(a->command, "launch") || !strcmp(a->command, "attach"))
		return answer_start(a);
	if (!strcmp(a->command, "disconnect")) {
		send_message(a, bw_dap_response(a->seq, a->command, true));
		return BW_DAP_REFUSED;
	}
	refuse(a, BW_E_STATE,
	       "Nothing is debugged yet: \"launch\" or \"attach\" comes first, with the \"token\" "
	       "of this server");
	return BW_DAP_WAITS;
}

/* Handles one message. A message that is not a request ends the connection. */
static enum bw_dap_verdict hear_message(struct bw_dap_caller *c, const char *token,
					const char *text, size_t text_b, struct bw_str *out)
{
	json_t *root = json_loadb(text, text_b, 0, NULL);
	const char *type = json_string_value(json_object_get(root, "type"));
	const char *command = json_string_value(json_object_get(root, "command"));
	json_t *seq = json_object_get(root, "seq"), *args = json_object_get(root, "arguments");
	enum bw_dap_verdict verdict = BW_DAP_REFUSED;
	if (type && !strcmp(type, "request") && command && json_is_integer(seq)) {
		const struct asked a = {.caller = c,
					.token = token,
					.text = text,
					.text_b = text_b,
					.seq = json_integer_value(seq),
					.command = command,
					.args = args,
					.out = out};
		verdict = answer(&a);
	}
	json_decref(root);
	return verdict;
}

enum bw_dap_verdict bw_dap_gate_hear(struct bw_dap_caller *c, const char *token, const void *data,
				     size_t size_b, struct bw_str *out)
{
	enum bw_dap_verdict verdict = BW_DAP_WAITS;
	c->got_b += size_b;
	if (c->got_b > BW_DAP_GATE_MAX_B)
		return BW_DAP_REFUSED;
	struct bw_error *err = bw_dap_frames_push(&c->frames, data, size_b);
	while (!err && verdict == BW_DAP_WAITS) {
		const char *text;
		size_t text_b;
		err = bw_dap_frames_take(&c->frames, &text, &text_b);
		if (err || !text)
			break;
		verdict = hear_message(c, token, text, text_b, out);
	}
	if (err || out->failed)
		verdict = BW_DAP_REFUSED;
	bw_error_free(err);
	return verdict;
}

struct bw_error *bw_dap_gate_begun(const struct bw_dap_caller *c, struct bw_dap_begun *out)
{
	struct bw_str all = {0};
	bw_dap_frame(&all, c->greeting, strlen(c->greeting));
	bw_dap_frame(&all, c->admission, strlen(c->admission));
	bw_dap_frames_rest(&c->frames, &all);
	if (all.failed) {
		bw_str_free(&all);
		return bw_error_nomem();
	}
	*out = (struct bw_dap_begun){.size_b = all.len, .n_sent = c->n_sent};
	out->data = bw_str_take(&all);
	return NULL;
}

void bw_dap_caller_fini(struct bw_dap_caller *c)
{
	bw_dap_frames_fini(&c->frames);
	free(c->greeting);
	free(c->admission);
	*c = (struct bw_dap_caller){.n_sent = 0};
}
