/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/registers.h"
#include "debug/expressions.h"
#include "ui/table.h"

/* Expressions, assignments, and the commands of the prompt. */

/* Whether an expression assigns or increments, by C's operators. */
static bool has_side_effects(const char *expr)
{
	char quote = 0;
	for (const char *p = expr; *p; p++) {
		if (quote) {
			if (*p == quote)
				quote = 0;
			continue;
		}
		if (*p == '"' || *p == '\'')
			quote = *p;
		if ((p[0] == '+' && p[1] == '+') || (p[0] == '-' && p[1] == '-'))
			return true;
		if (p[0] != '=')
			continue;
		if (p[1] == '=') {
			p++;
			continue;
		}
		char before = p > expr ? p[-1] : 0, further = p > expr + 1 ? p[-2] : 0;
		bool compares =
			before == '!' || ((before == '<' || before == '>') && further != before);
		if (!compares)
			return true;
	}
	return false;
}

static uint64_t pc_of(struct bw_dap *s, uint32_t wave)
{
	const struct bw_wave_info *w = bw_debug_wave(s->debug, wave);
	return w ? w->pc : 0;
}

/* The debug console: a command of the prompt, or, if no command has that name, an expression. wave:
 * the editor's wave; the editor follows if the command chooses another one. */
static struct bw_error *run_command(struct bw_dap *s, const char *line, uint32_t wave, bool hex,
				    json_t *body)
{
	bw_dap_flush(s); /* output from before does not belong to the answer */
	uint64_t pc = pc_of(s, wave);
	bw_dap_link_busy(s->link, s->debug, s->request_seq);
	struct bw_error *err = bw_dap_execute(s, line);
	bw_dap_end_busy(s);
	_cleanup_free_ char *text = bw_dap_take_printed(s);
	bw_dap_keep_lane(s);
	if (err && err->code == BW_E_INVALID) {
		struct bw_error *second = bw_dap_add_value(s, line, "result", hex, body);
		if (!second) {
			bw_error_free(err);
			bw_dap_answer(s, body);
			if (has_side_effects(line))
				bw_dap_invalidate(s, "variables");
			return NULL;
		}
		bw_error_free(second);
	}
	if (err) {
		if (text)
			bw_dap_say(s, "console", text);
		return err;
	}
	size_t n = text ? strlen(text) : 0;
	if (n && text[n - 1] == '\n')
		text[n - 1] = '\0';
	json_object_set_new(body, "result", bw_json_text(text ? text : ""));
	json_object_set_new(body, "variablesReference", json_integer(0));
	bw_dap_answer(s, body);
	/* The command may have changed registers, memory or the lane. VS Code moves the keyboard's
	 * focus to the source when stacks or threads are invalidated, so that is done only if the
	 * PC has changed. */
	bw_dap_invalidate(s, pc_of(s, wave) == pc ? "variables" : "stacks");
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	if (w && w->number != wave && s->stop.kind == BW_STOP_NONE)
		bw_dap_send_focus(s);
	return NULL;
}

struct bw_error *bw_dap_evaluate(struct bw_dap *s, json_t *args, json_t *body)
{
	const char *expr = NULL, *context = "watch";
	struct bw_dap_ref frame;
	bool hex = bw_dap_wants_hex(args);
	BW_TRY(bw_dap_need_text(args, "expression", &expr));
	BW_TRY(bw_dap_take_text(args, "context", &context));
	BW_TRY(bw_dap_focus_frame(s, args, &frame));
	expr = bw_skip_blanks(expr);
	if (!strcmp(context, "repl"))
		return run_command(s, expr, frame.wave, hex, body);
	if (!strcmp(context, "hover") && has_side_effects(expr))
		return bw_errorf(BW_E_INVALID, "\"%s\" would change something", expr);
	return bw_dap_add_value(s, expr, "result", hex, body);
}

/* ---- Assignments ---- */

static void tell_changed(struct bw_dap *s)
{
	bw_dap_invalidate(s, "variables");
}

static struct bw_error *assign(struct bw_dap *s, const char *expr, const char *value, bool hex,
			       json_t *body)
{
	struct bw_str text = {0};
	struct bw_value v = {0};
	struct bw_expr_error where;
	bw_str_addf(&text, "%s = (%s)", expr, value);
	struct bw_error *err = bw_debug_eval(s->debug, bw_str_text(&text), &v, &where);
	bw_str_free(&text);
	bw_value_fini(&v);
	if (!err)
		err = bw_dap_add_value(s, expr, "value", hex, body);
	BW_TRY(err);
	bw_dap_answer(s, body);
	tell_changed(s);
	return NULL;
}

struct bw_error *bw_dap_set_expression(struct bw_dap *s, json_t *args, json_t *body)
{
	const char *expr = NULL, *value = NULL;
	struct bw_dap_ref frame;
	BW_TRY(bw_dap_need_text(args, "expression", &expr));
	BW_TRY(bw_dap_need_text(args, "value", &value));
	BW_TRY(bw_dap_focus_frame(s, args, &frame));
	return assign(s, expr, value, bw_dap_wants_hex(args), body);
}

static bool is_name(const char *text)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && *text != '_')
			return false;
	return true;
}

/* The number of an index such as "[12]"; -1: it is not one. */
static long index_of(const char *name)
{
	char *end;
	if (name[0] != '[' || !isdigit((unsigned char)name[1]))
		return -1;
	long i = strtol(name + 1, &end, 10);
	return strcmp(end, "]") == 0 ? i : -1;
}

struct bw_error *bw_dap_expression_of(const struct bw_dap_ref *ref, const char *name,
				      struct bw_str *out)
{
	long i = index_of(name);
	char reg[8];
	switch (ref->kind) {
	case BW_DAP_REF_LOCALS:
	case BW_DAP_REF_INPUTS:
	case BW_DAP_REF_OUTPUTS:
	case BW_DAP_REF_ARGS:
		if (is_name(name))
			bw_str_add(out, name);
		break;
	case BW_DAP_REF_SGPRS:
	case BW_DAP_REF_VGPRS:
	case BW_DAP_REF_STATE:
		if (is_name(name))
			bw_str_addf(out, "$%s", name);
		break;
	case BW_DAP_REF_VGPR:
		bw_wave_vgpr_name(&(struct bw_wave_info){.accum_offset = ref->accum_offset},
				  ref->index, reg);
		if (i >= 0)
			bw_str_addf(out, "$%s[%ld]", reg, i);
		break;
	case BW_DAP_REF_LDS:
		if (i >= 0)
			bw_str_addf(out, "*(unsigned int *)local#0x%lx", i * 4);
		break;
	case BW_DAP_REF_VALUE:
		if (i >= 0)
			bw_str_addf(out, "(%s)%s", ref->expr, name);
		else if (name[0] == '*' && !strcmp(name + 1, ref->expr))
			bw_str_addf(out, "*(%s)", ref->expr);
		else if (is_name(name))
			bw_str_addf(out, "(%s).%s", ref->expr, name);
		break;
	case BW_DAP_REF_FRAME:
	case BW_DAP_REF_ATTRIBUTE:
	case BW_DAP_REF_BUFFERS:
		break;
	}
	return out->len ? NULL
			: bw_errorf(BW_E_INVALID, "\"%s\" is not a variable that can be set", name);
}

struct bw_error *bw_dap_set_variable(struct bw_dap *s, json_t *args, json_t *body)
{
	const char *name = NULL, *value = NULL;
	int64_t number = 0;
	struct bw_dap_ref ref;
	struct bw_str expr = {0};
	BW_TRY(bw_dap_need_int(args, "variablesReference", &number));
	BW_TRY(bw_dap_need_text(args, "name", &name));
	BW_TRY(bw_dap_need_text(args, "value", &value));
	BW_TRY(bw_dap_find_ref(s, number, false, &ref));
	BW_TRY(bw_dap_focus(s, ref.wave, ref.level));
	struct bw_error *err = bw_dap_expression_of(&ref, name, &expr);
	if (!err)
		err = assign(s, bw_str_text(&expr), value, bw_dap_wants_hex(args), body);
	bw_str_free(&expr);
	return err;
}

/* ---- completions ---- */

static json_t *target(const char *word, size_t start, size_t length)
{
	json_t *t = json_object();
	json_object_set_new(t, "label", bw_json_text(word));
	json_object_set_new(t, "text", bw_json_text(word));
	json_object_set_new(t, "start", json_integer((json_int_t)start));
	json_object_set_new(t, "length", json_integer((json_int_t)length));
	return t;
}

struct bw_error *bw_dap_completions(struct bw_dap *s, json_t *args, json_t *body)
{
	enum { WORDS_MAX = 1000 };
	const char *text = NULL;
	int64_t column = 0, line = !s->zero_lines;
	struct bw_dap_ref frame;
	json_t *list = json_array();
	json_object_set_new(body, "targets", list);
	BW_TRY(bw_dap_need_text(args, "text", &text));
	BW_TRY(bw_dap_need_int(args, "column", &column));
	BW_TRY(bw_dap_take_int(args, "line", &line));
	BW_TRY(bw_dap_focus_frame(s, args, &frame));
	line -= !s->zero_lines;
	column -= !s->zero_columns;
	for (; line > 0 && strchr(text, '\n'); line--)
		text = strchr(text, '\n') + 1;
	/* columns are UTF-16 units, which are bytes in everything that the prompt accepts */
	size_t n = strcspn(text, "\n");
	if (column >= 0 && (uint64_t)column < n)
		n = (size_t)column;
	_cleanup_free_ char *copy = strndup(text, n);
	if (!copy)
		return bw_error_nomem();
	size_t start = bw_debug_word_start(copy, n);
	char **words = s->console.complete(s->console.cookie, copy, copy + start);
	for (size_t i = 0; words && words[i] && i < WORDS_MAX; i++)
		json_array_append_new(list, target(words[i], start, n - start));
	if (words)
		bw_debug_free_words(words);
	return NULL;
}
