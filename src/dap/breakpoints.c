/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/code.h"
#include "debug/expressions.h"
#include "ui/show.h"

/* Breakpoints on lines, functions and instructions, and logpoints. An editor sends all of a kind
 * (and of a file) again when one changes. */

struct bw_dap_break *bw_dap_find_break(struct bw_dap *s, uint32_t number)
{
	bw_vec_each(&s->breaks, b)
		if (b->number == number)
			return b;
	return NULL;
}

static void free_break(struct bw_dap_break *b)
{
	free(b->path);
	free(b->log);
}

void bw_dap_free_breaks(struct bw_dap *s)
{
	bw_vec_each(&s->breaks, b)
		free_break(b);
	bw_vec_free(&s->breaks);
}

void bw_dap_clear_breaks(struct bw_dap *s, enum bw_dap_break_kind kind, const char *path)
{
	for (size_t i = s->breaks.len; i-- > 0;) {
		struct bw_dap_break *b = &s->breaks.data[i];
		if (b->kind != kind || (path && strcmp(b->path ? b->path : "", path) != 0))
			continue;
		if (bw_debug_breakpoint(s->debug, b->number))
			bw_error_free(bw_debug_break_delete(s->debug, b->number));
		free_break(b);
		bw_vec_remove(&s->breaks, i);
	}
}

/* ---- Hit counts ---- */

struct hits {
	uint64_t ignore, every;
	bool once;
};

/* "5", ">= 5", "> 5", "== 5", "% 5" */
static struct bw_error *parse_hits(const char *text, struct hits *out)
{
	static const char *const ops[] = {">=", ">", "==", "=", "%", ""};
	const char *rest = bw_skip_blanks(text);
	uint64_t n;
	size_t op = 0;
	while (!bw_starts_with(rest, ops[op]))
		op++;
	rest = bw_skip_blanks(rest + strlen(ops[op]));
	char number[24];
	snprintf(number, sizeof(number), "%s", rest);
	for (size_t i = strlen(number); i && isspace((unsigned char)number[i - 1]); i--)
		number[i - 1] = '\0';
	if (strlen(rest) >= sizeof(number) || !bw_parse_u64(number, &n) || !n)
		return bw_errorf(BW_E_INVALID,
				 "\"%s\" is not a hit condition: N, >= N, > N, == N, %% N", text);
	*out = (struct hits){.ignore = ops[op][0] == '>' && !ops[op][1] ? n : n - 1,
			     .every = ops[op][0] == '%' ? n : 0,
			     .once = ops[op][0] == '='};
	return NULL;
}

void bw_dap_count_hit(struct bw_dap *s, uint32_t number)
{
	const struct bw_dap_break *b = number ? bw_dap_find_break(s, number) : NULL;
	if (b && b->every)
		bw_error_free(bw_debug_break_ignore(s->debug, number, b->every - 1));
}

/* ---- Setting one ---- */

static struct bw_error *add_details(struct bw_dap *s, struct bw_dap_break *b, json_t *args)
{
	const char *condition = NULL, *hit = NULL, *log = NULL;
	struct hits hits = {0};
	BW_TRY(bw_dap_take_text(args, "condition", &condition));
	BW_TRY(bw_dap_take_text(args, "hitCondition", &hit));
	BW_TRY(bw_dap_take_text(args, "logMessage", &log));
	if (condition && *condition)
		BW_TRY(bw_debug_break_condition(s->debug, b->number, condition));
	if (hit && *hit) {
		BW_TRY(parse_hits(hit, &hits));
		BW_TRY(bw_debug_break_ignore(s->debug, b->number, hits.ignore));
		if (hits.once)
			BW_TRY(bw_debug_break_after(s->debug, b->number, BW_BREAK_DISABLED, 1));
		b->every = hits.every;
	}
	if (log && *log) {
		b->log = strdup(log);
		if (!b->log)
			return bw_error_nomem();
		BW_TRY(bw_debug_break_pass(s->debug, b->number));
	}
	return NULL;
}

/* Whether a breakpoint can be hit. One in code that is known but not loaded yet can. */
static bool is_good(struct bw_dap *s, uint32_t number, const char *where)
{
	const struct bw_break_info *info = bw_debug_breakpoint(s->debug, number);
	_cleanup_free_ char *file = NULL;
	unsigned line;
	if (!info || !info->pending)
		return info != NULL;
	struct bw_error *err = where ? bw_debug_source_of(s->debug, where, &file, &line)
				     : bw_errorf(BW_E_NOT_FOUND, "no place");
	bool good = !err;
	bw_error_free(err);
	return good;
}

json_t *bw_dap_break_json(struct bw_dap *s, const struct bw_dap_break *b, const char *where)
{
	json_t *x = json_object();
	const struct bw_break_info *info = bw_debug_breakpoint(s->debug, b->number);
	_cleanup_free_ char *file = NULL;
	unsigned line;
	json_object_set_new(x, "id", json_integer(b->number));
	json_object_set_new(x, "verified", json_boolean(b->is_verified));
	if (!b->is_verified) {
		json_object_set_new(x, "reason", json_string("pending"));
		json_object_set_new(x, "message",
				    json_string("The GPU has no code of this place yet"));
	}
	if (info && info->n_addr)
		json_object_set_new(x, "instructionReference",
				    json_sprintf("0x%llx", (unsigned long long)info->addr[0]));
	struct bw_error *err = where ? bw_debug_source_of(s->debug, where, &file, &line) : NULL;
	if (where && !err) {
		json_object_set_new(x, "source", bw_dap_source(s, file));
		json_object_set_new(x, "line", json_integer((json_int_t)line - s->zero_lines));
	}
	bw_error_free(err);
	return x;
}

json_t *bw_dap_break_error(struct bw_error *err)
{
	json_t *x = json_object();
	json_object_set_new(x, "verified", json_false());
	json_object_set_new(x, "reason", json_string("failed"));
	json_object_set_new(x, "message", bw_json_text(err->message));
	bw_error_free(err);
	return x;
}

struct bw_error *bw_dap_keep_break(struct bw_dap *s, struct bw_dap_break *b, json_t *args)
{
	struct bw_error *err = add_details(s, b, args);
	if (!err)
		err = bw_vec_push(&s->breaks, *b);
	if (!err)
		return NULL;
	bw_error_free(bw_debug_break_delete(s->debug, b->number));
	free_break(b);
	return err;
}

/* Whether the place of a breakpoint is one in the code: not "on dispatch", nor in draws. */
static bool is_in_code(const struct bw_break_info *b)
{
	return b && b->kind == BW_BREAK_CODE && !bw_starts_with(b->spec, "on dispatch");
}

/* Sets a breakpoint of the core. Users type names of functions in the syntax of `break`; paths of
 * files may contain any words. */
static struct bw_error *set(struct bw_dap *s, struct bw_dap_break *b, const char *where,
			    json_t *args, json_t *list)
{
	const struct bw_break_at at = {.place = where};
	struct bw_error *err = b->kind == BW_DAP_FUNCTION
				       ? bw_debug_break_typed(s->debug, where, false, &b->number)
				       : bw_debug_break_at(s->debug, &at, &b->number);
	if (err) {
		free_break(b);
		return err;
	}
	const char *place = is_in_code(bw_debug_breakpoint(s->debug, b->number)) ? where : NULL;
	b->is_verified = !place || is_good(s, b->number, place);
	BW_TRY(bw_dap_keep_break(s, b, args));
	json_array_append_new(list, bw_dap_break_json(s, b, place));
	return NULL;
}

/* ---- setBreakpoints ---- */

static struct bw_error *set_line(struct bw_dap *s, const char *path, json_t *args, json_t *list)
{
	int64_t line = 0;
	struct bw_str where = {0};
	BW_TRY(bw_dap_need_int(args, "line", &line));
	line += s->zero_lines;
	if (line < 1 || line > INT32_MAX)
		return bw_errorf(BW_E_INVALID, "there is no line %lld", (long long)line);
	struct bw_dap_break b = {.kind = BW_DAP_SOURCE, .path = strdup(path)};
	if (!b.path)
		return bw_error_nomem();
	bw_str_addf(&where, "%s:%lld", path, (long long)line);
	struct bw_error *err = set(s, &b, bw_str_text(&where), args, list);
	bw_str_free(&where);
	return err;
}

struct bw_error *bw_dap_source_path(struct bw_dap *s, json_t *args, const char **out)
{
	json_t *source = json_object_get(args, "source");
	int64_t reference = 0;
	if (!json_is_object(source))
		return bw_errorf(BW_E_INVALID, "the argument \"source\" is missing");
	BW_TRY(bw_dap_take_int(source, "sourceReference", &reference));
	if (reference < 0 || (uint64_t)reference > s->sources.len)
		return bw_errorf(BW_E_NOT_FOUND, "There is no source %lld", (long long)reference);
	if (!reference)
		return bw_dap_need_text(source, "path", out);
	*out = s->sources.data[reference - 1];
	return NULL;
}

/* Sets each element of the argument "breakpoints" by fn. An error makes a breakpoint that is not
 * verified. */
typedef struct bw_error *set_fn(struct bw_dap *s, const char *path, json_t *one, json_t *list);

static struct bw_error *set_all(struct bw_dap *s, json_t *args, const char *path, set_fn *fn,
				json_t *body)
{
	json_t *wanted = NULL, *one, *list = json_array();
	size_t i;
	json_object_set_new(body, "breakpoints", list);
	BW_TRY(bw_dap_take_array(args, "breakpoints", &wanted));
	json_array_foreach(wanted, i, one)
	{
		struct bw_error *err = fn(s, path, one, list);
		if (err)
			json_array_append_new(list, bw_dap_break_error(err));
	}
	return NULL;
}

struct bw_error *bw_dap_set_breakpoints(struct bw_dap *s, json_t *args, json_t *body)
{
	const char *path = NULL;
	BW_TRY(bw_dap_source_path(s, args, &path));
	bw_dap_clear_breaks(s, BW_DAP_SOURCE, path);
	return set_all(s, args, path, set_line, body);
}

/* ---- setFunctionBreakpoints, setInstructionBreakpoints ---- */

static struct bw_error *set_function(struct bw_dap *s, const char *path, json_t *args, json_t *list)
{
	const char *name = NULL;
	struct bw_dap_break b = {.kind = BW_DAP_FUNCTION};
	BW_TRY(bw_dap_need_text(args, "name", &name));
	return set(s, &b, name, args, list);
}

struct bw_error *bw_dap_set_function_breakpoints(struct bw_dap *s, json_t *args, json_t *body)
{
	bw_dap_clear_breaks(s, BW_DAP_FUNCTION, NULL);
	return set_all(s, args, NULL, set_function, body);
}

static struct bw_error *set_instruction(struct bw_dap *s, const char *path, json_t *args,
					json_t *list)
{
	const char *reference = NULL;
	int64_t offset = 0;
	enum bw_space space;
	uint64_t addr;
	char where[48];
	struct bw_dap_break b = {.kind = BW_DAP_INSTRUCTION};
	BW_TRY(bw_dap_need_text(args, "instructionReference", &reference));
	BW_TRY(bw_dap_take_int(args, "offset", &offset));
	BW_TRY(bw_dap_parse_place(reference, &space, &addr));
	if (space != BW_SPACE_GLOBAL)
		return bw_errorf(BW_E_INVALID, "code is in global memory only");
	snprintf(where, sizeof(where), "*0x%llx", (unsigned long long)(addr + (uint64_t)offset));
	return set(s, &b, where, args, list);
}

struct bw_error *bw_dap_set_instruction_breakpoints(struct bw_dap *s, json_t *args, json_t *body)
{
	bw_dap_clear_breaks(s, BW_DAP_INSTRUCTION, NULL);
	return set_all(s, args, NULL, set_instruction, body);
}

/* Lists the lines with code in the range of the request. */
struct bw_error *bw_dap_breakpoint_locations(struct bw_dap *s, json_t *args, json_t *body)
{
	enum { LINES_MAX = 10000 };
	const char *path = NULL;
	int64_t first = 0, last = -1, shown = 0;
	json_t *list = json_array();
	json_object_set_new(body, "breakpoints", list);
	BW_TRY(bw_dap_source_path(s, args, &path));
	BW_TRY(bw_dap_need_int(args, "line", &first));
	last = first;
	BW_TRY(bw_dap_take_int(args, "endLine", &last));
	first += s->zero_lines;
	last += s->zero_lines;
	if (first < 1 || last > INT32_MAX)
		return bw_errorf(BW_E_INVALID, "there is no line %lld", (long long)first);
	for (int64_t line = first; line <= last && shown < LINES_MAX; line++, shown++) {
		struct bw_str where = {0};
		struct bw_code_range *ranges;
		size_t n;
		bool has_code = false;
		bw_str_addf(&where, "%s:%lld", path, (long long)line);
		struct bw_error *err =
			bw_debug_line_ranges(s->debug, bw_str_text(&where), &ranges, &n);
		for (size_t i = 0; !err && i < n; i++)
			has_code |= ranges[i].kind == BW_RANGE_CODE;
		if (!err)
			free(ranges);
		bw_error_free(err);
		bw_str_free(&where);
		if (has_code)
			json_array_append_new(list, json_pack("{s:I}", "line",
							      (json_int_t)(line - s->zero_lines)));
	}
	return NULL;
}

/* ---- What happens to them ---- */

void bw_dap_update_breaks(struct bw_dap *s)
{
	bw_vec_each(&s->breaks, b) {
		const struct bw_break_info *info = bw_debug_breakpoint(s->debug, b->number);
		if (!info || b->is_verified || info->pending)
			continue;
		b->is_verified = true;
		json_t *body = json_object();
		json_object_set_new(body, "reason", json_string("changed"));
		json_object_set_new(
			body, "breakpoint",
			bw_dap_break_json(s, b, b->kind == BW_DAP_DATA ? NULL : info->spec));
		bw_dap_event(s, "breakpoint", body);
	}
}

/* Replaces "{EXPR}" by its value for the focus wave. */
static void format_log(struct bw_dap *s, struct bw_dap_break *b, struct bw_str *out)
{
	for (const char *p = b->log; *p;) {
		const char *end = *p == '{' ? strchr(p, '}') : NULL;
		if (!end) {
			bw_str_addn(out, p++, 1);
			continue;
		}
		_cleanup_free_ char *expr = strndup(p + 1, (size_t)(end - p - 1));
		struct bw_value v = {0};
		struct bw_expr_error where;
		struct bw_error *err =
			expr ? bw_debug_eval(s->debug, expr, &v, &where) : bw_error_nomem();
		if (!err)
			bw_show_value(s->debug, &v, 0, out);
		else
			bw_str_addf(out, "<%s>", err->message);
		bw_error_free(err);
		bw_value_fini(&v);
		p = end + 1;
	}
	bw_str_add(out, "\n");
}

void bw_dap_passing(void *cookie, uint32_t breakpoint, uint32_t wave)
{
	struct bw_dap *s = cookie;
	struct bw_dap_break *b = bw_dap_find_break(s, breakpoint);
	if (!b || !b->log) {
		s->console.passing(s->console.cookie, breakpoint, wave);
		return;
	}
	struct bw_str text = {0};
	format_log(s, b, &text);
	bw_dap_say(s, "console", bw_str_text(&text));
	bw_str_free(&text);
}
