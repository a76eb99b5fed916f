/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

/* Commands that evaluate: print, set, x, display, dump. */

struct bw_error *bw_cmd_print(struct bw_cli *c, const char *args)
{
	struct bw_format f;
	BW_TRY(bw_cli_take_format(&args, false, &f));
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"print\" takes an expression");
	struct bw_value v = {0};
	BW_TRY(bw_cli_eval(c, args, &v));
	struct bw_str s = {0};
	bw_show_value(c->debug, &v, f.letter, &s);
	if (v.type.kind == BW_TYPE_VOID) {
		bw_out_line(c->out, "%s", bw_str_text(&s));
	} else {
		char name[16];
		snprintf(name, sizeof(name), "%u", ++c->n_values);
		bw_out_line(c->out, "$%s = %s", name, bw_str_text(&s));
		struct bw_error *err = bw_debug_set_var(c->debug, name, &v);
		bw_error_free(err); /* without its history a value is still shown */
	}
	bw_out_str(c->out, "expression", args);
	bw_out_str(c->out, "text", bw_str_text(&s));
	bw_show_value_json(c->out, &v);
	bw_str_free(&s);
	bw_value_fini(&v);
	return NULL;
}

static struct bw_error *on_off(const char *name, const char *args, bool *out)
{
	if (!args[0] || !strcmp(args, "on") || !strcmp(args, "1"))
		*out = true;
	else if (!strcmp(args, "off") || !strcmp(args, "0"))
		*out = false;
	else
		return bw_errorf(BW_E_INVALID, "\"set %s\" takes on or off, not \"%s\"", name, args);
	return NULL;
}

static const char *const locking_words[] = {
	[BW_LOCKING_STEP] = "step", [BW_LOCKING_ON] = "on", [BW_LOCKING_OFF] = "off"};

static struct bw_error *set_locking(struct bw_cli *c, const char *word)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(locking_words); i++) {
		if (strcmp(word, locking_words[i]))
			continue;
		bw_debug_settings(c->debug)->scheduler_locking = (enum bw_locking)i;
		return NULL;
	}
	return bw_errorf(BW_E_INVALID, "\"set scheduler-locking\" takes step (steps move the focus wave alone), on (nothing "
				       "but it ever moves) or off (the others run meanwhile), not \"%s\"", word);
}

/* set break-on hang SECONDS | off */
static struct bw_error *set_break_on(struct bw_cli *c, const char *what, const char *args)
{
	enum { DAY_S = 86400 };
	char word[32];
	double seconds = 0;
	if (!what) {
		bw_take_word(&args, word, sizeof(word));
		what = word;
	}
	if (strcmp(what, "hang"))
		return bw_errorf(BW_E_INVALID, "\"set break-on\" knows hang, not \"%s\"", what);
	if (strcmp(args, "off") && (!bw_parse_f64(args, &seconds) || !(seconds >= 0.001 && seconds <= DAY_S)))
		return bw_errorf(BW_E_INVALID, "\"set break-on hang\" takes seconds, or off, not \"%s\"", args);
	bw_debug_settings(c->debug)->hang_ms = (uint64_t)(seconds * 1000 + 0.5);
	return NULL;
}

struct bw_error *bw_cmd_show(struct bw_cli *c, const char *args)
{
	const struct bw_debug_settings *s = bw_debug_settings(c->debug);
	char hang[32] = "off";
	if (s->hang_ms)
		snprintf(hang, sizeof(hang), "%g s", (double)s->hang_ms / 1000);
	const struct {
		const char *name, *value;
	} rows[] = {
		{"break-on hang", hang},
		{"precise-memory", bw_debug_is_precise(c->debug) ? "on" : "off"},
		{"scheduler-locking", locking_words[s->scheduler_locking]},
		{"stop-on-dispatch", s->stop_on_dispatch ? "on" : "off"},
		{"trace-commands", c->trace ? "on" : "off"},
	};
	bool any = false;
	if (bw_starts_with(args, "amdgpu "))
		args = bw_skip_blanks(args + strlen("amdgpu "));
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (args[0] && strcmp(args, rows[i].name))
			continue;
		any = true;
		bw_out_line(c->out, "%-18s %s", rows[i].name, rows[i].value);
		bw_out_str(c->out, rows[i].name, rows[i].value);
	}
	return any ? NULL : bw_errorf(BW_E_INVALID, "There is no setting \"%s\"; \"show\" lists them", args);
}

struct bw_error *bw_cmd_set(struct bw_cli *c, const char *args)
{
	const char *rest = args;
	char word[64];
	bw_take_word(&rest, word, sizeof(word));
	if (!strcmp(word, "stop-on-dispatch"))
		return on_off(word, rest, &bw_debug_settings(c->debug)->stop_on_dispatch);
	if (!strcmp(word, "break-on") || !strcmp(word, "break-on-hang"))
		return set_break_on(c, word[8] ? "hang" : NULL, rest);
	if (!strcmp(word, "trace-commands"))
		return on_off(word, rest, &c->trace);
	if (!strcmp(word, "precise-memory") || (!strcmp(word, "amdgpu") && bw_starts_with(rest, "precise-memory"))) {
		bool on;
		if (word[0] == 'a')
			bw_take_word(&rest, word, sizeof(word));
		BW_TRY(on_off("precise-memory", rest, &on));
		return bw_debug_set_precise(c->debug, on);
	}
	if (!strcmp(word, "scheduler-locking"))
		return set_locking(c, rest);
	/* Words of gdb scripts that are always so here. */
	if (!strcmp(word, "pagination") || !strcmp(word, "confirm") || !strcmp(word, "height") || !strcmp(word, "width"))
		return NULL;
	if (!strcmp(word, "var") || !strcmp(word, "variable"))
		args = rest;
	if (!args[0] || !strchr(args, '='))
		return bw_errorf(BW_E_INVALID, "\"set var\" takes an assignment, such as $s4 = 7, $v2[3] = 1.5 or out[0] = 1");
	struct bw_value v = {0};
	BW_TRY(bw_cli_eval(c, args, &v));
	bw_value_fini(&v);
	return NULL;
}

struct bw_error *bw_cmd_x(struct bw_cli *c, const char *args)
{
	bool first = c->x_format.count == 0;
	if (args[0] == '/') {
		struct bw_format f;
		BW_TRY(bw_cli_take_format(&args, true, &f));
		/* Letter and unit stay for the next x. */
		char unit = c->x_format.unit, letter = c->x_format.letter;
		c->x_format = f;
		if (!f.unit && f.letter != 'i' && f.letter != 's')
			c->x_format.unit = unit;
		if (!f.letter)
			c->x_format.letter = letter;
	} else {
		c->x_format.count = 1;
	}
	if (args[0])
		BW_TRY(bw_cli_eval_address(c, args, &c->x_space, &c->x_next));
	else if (first)
		return bw_errorf(BW_E_INVALID, "\"x\" takes an address");
	return bw_show_memory(c->out, c->debug, c->x_space, c->x_next, &c->x_format, &c->x_next);
}

/* ---- display ---- */

static void show_display(struct bw_cli *c, size_t i)
{
	const char *text = c->displays[i];
	struct bw_format f;
	struct bw_error *err = bw_cli_take_format(&text, false, &f);
	struct bw_value v = {0};
	if (!err)
		err = bw_cli_eval(c, text, &v);
	struct bw_str s = {0};
	if (err)
		bw_str_addf(&s, "<%s>", err->message);
	else
		bw_show_value(c->debug, &v, f.letter, &s);
	bw_out_begin(c->out, "event", "display");
	bw_out_line(c->out, "%zu: %s = %s", i + 1, c->displays[i], bw_str_text(&s));
	bw_out_int(c->out, "number", (int64_t)i + 1);
	bw_out_str(c->out, "expression", text);
	bw_out_str(c->out, "text", bw_str_text(&s));
	bw_out_end(c->out);
	bw_error_free(err);
	bw_str_free(&s);
	bw_value_fini(&v);
}

void bw_cli_show_displays(struct bw_cli *c)
{
	for (size_t i = 0; i < c->n_displays; i++)
		if (c->displays[i])
			show_display(c, i);
}

struct bw_error *bw_cmd_display(struct bw_cli *c, const char *args)
{
	if (!args[0]) {
		bw_cli_show_displays(c);
		return NULL;
	}
	char **grown = reallocarray(c->displays, c->n_displays + 1, sizeof(*grown));
	if (!grown)
		return bw_error_nomem();
	c->displays = grown;
	grown[c->n_displays] = strdup(args);
	if (!grown[c->n_displays])
		return bw_error_nomem();
	c->n_displays++;
	if (bw_debug_focus(c->debug))
		show_display(c, c->n_displays - 1);
	return NULL;
}

struct bw_error *bw_cmd_undisplay(struct bw_cli *c, const char *args)
{
	if (!args[0]) {
		for (size_t i = 0; i < c->n_displays; i++) {
			free(c->displays[i]);
			c->displays[i] = NULL;
		}
		return NULL;
	}
	while (args[0]) {
		char word[32];
		uint64_t n;
		bw_take_word(&args, word, sizeof(word));
		if (!bw_parse_u64(word, &n) || !n || n > c->n_displays || !c->displays[n - 1])
			return bw_errorf(BW_E_INVALID, "No display has the number \"%s\"; \"info display\" lists them", word);
		free(c->displays[n - 1]);
		c->displays[n - 1] = NULL;
	}
	return NULL;
}

struct bw_error *bw_info_display(struct bw_cli *c, const char *args)
{
	static const struct bw_column columns[] = {{"Num", "number", true}, {"Expression", "expression", false}};
	struct bw_table t;
	bw_table_init(&t, "displays", columns, BW_ARRAY_SIZE(columns));
	for (size_t i = 0; i < c->n_displays; i++) {
		if (!c->displays[i])
			continue;
		bw_table_int(&t, (int64_t)i + 1);
		bw_table_text(&t, "%s", c->displays[i]);
	}
	bw_out_table(c->out, &t, "There are no auto-display expressions now.");
	bw_table_fini(&t);
	return NULL;
}

/* ---- dump ---- */

static struct bw_error *write_file(const char *path, const void *data, size_t size_b)
{
	_cleanup_fclose_ FILE *f = fopen(path, "wb");
	if (!f || fwrite(data, 1, size_b, f) != size_b || fflush(f))
		return bw_error_errno(errno, "cannot write %s", path);
	return NULL;
}

static struct bw_error *dump_memory(struct bw_cli *c, const char *path, const char *args)
{
	enum { MOST = 1 << 30 };
	char start[256];
	enum bw_space space, end_space;
	uint64_t from, to;
	bw_take_word(&args, start, sizeof(start));
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"dump memory\" takes FILE START END");
	BW_TRY(bw_cli_eval_address(c, start, &space, &from));
	BW_TRY(bw_cli_eval_address(c, args, &end_space, &to));
	if (to <= from || to - from > MOST)
		return bw_errorf(BW_E_INVALID, "END (0x%llx) must lie behind START (0x%llx), by 1 GiB at most",
				 (unsigned long long)to, (unsigned long long)from);
	_cleanup_free_ uint8_t *data = malloc(to - from);
	if (!data)
		return bw_error_nomem();
	BW_TRY(bw_debug_read(c->debug, space, from, data, to - from));
	BW_TRY(write_file(path, data, to - from));
	bw_out_line(c->out, "%llu bytes of %s memory written to %s.", (unsigned long long)(to - from),
		    bw_space_name(space), path);
	bw_out_int(c->out, "bytes", (int64_t)(to - from));
	return NULL;
}

static struct bw_error *dump_value(struct bw_cli *c, const char *path, const char *args)
{
	struct bw_value v = {0};
	BW_TRY(bw_cli_eval(c, args, &v));
	size_t n = v.elem ? v.n_elem : 1, size = v.type.size_b;
	_cleanup_free_ uint8_t *data = calloc(n, size ? size : 1);
	struct bw_error *err = NULL;
	if (!data)
		err = bw_error_nomem();
	else if (v.type.kind == BW_TYPE_VOID || v.type.kind == BW_TYPE_TEXT)
		err = bw_errorf(BW_E_INVALID, "\"%s\" has no bytes to write", args);
	for (size_t i = 0; !err && i < n; i++)
		memcpy(data + i * size, v.elem ? &v.elem[i] : &v.bits, size);
	if (!err)
		err = write_file(path, data, n * size);
	bw_value_fini(&v);
	if (err)
		return err;
	bw_out_line(c->out, "%zu bytes written to %s.", n * size, path);
	bw_out_int(c->out, "bytes", (int64_t)(n * size));
	return NULL;
}

/* restore FILE [binary] ADDRESS [START END], as gdb: byte START of the file goes to ADDRESS + START. */
struct bw_error *bw_cmd_restore(struct bw_cli *c, const char *args)
{
	enum { MOST = 1 << 30 };
	char path[512], word[256];
	enum bw_space space;
	uint64_t at, start = 0, end = UINT64_MAX;
	bw_take_word(&args, path, sizeof(path));
	bw_take_word(&args, word, sizeof(word));
	if (!strcmp(word, "binary"))
		bw_take_word(&args, word, sizeof(word));
	if (!path[0] || !word[0])
		return bw_errorf(BW_E_INVALID, "\"restore\" takes FILE [binary] ADDRESS [START END]");
	BW_TRY(bw_cli_eval_address(c, word, &space, &at));
	if (args[0]) {
		bw_take_word(&args, word, sizeof(word));
		BW_TRY(bw_cli_eval_count(c, word, &start));
		if (args[0])
			BW_TRY(bw_cli_eval_count(c, args, &end));
	}
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		return bw_error_errno(errno, "cannot read %s", path);
	long size = ftell(f);
	end = BW_MIN(end, size < 0 ? 0 : (uint64_t)size);
	if (start >= end || end - start > MOST || fseek(f, (long)start, SEEK_SET))
		return bw_errorf(BW_E_INVALID, "%s has %ld bytes: nothing to restore from %llu to %llu", path, size,
				 (unsigned long long)start, (unsigned long long)end);
	_cleanup_free_ uint8_t *data = malloc(end - start);
	if (!data)
		return bw_error_nomem();
	if (fread(data, 1, end - start, f) != end - start)
		return bw_error_errno(errno, "cannot read %s", path);
	BW_TRY(bw_debug_write(c->debug, space, at + start, data, end - start));
	bw_out_line(c->out, "Restoring binary file %s into memory (0x%llx to 0x%llx)", path, (unsigned long long)(at + start),
		    (unsigned long long)(at + end));
	bw_out_int(c->out, "bytes", (int64_t)(end - start));
	return NULL;
}

struct bw_error *bw_cmd_dump(struct bw_cli *c, const char *args)
{
	char what[32], path[512];
	bw_take_word(&args, what, sizeof(what));
	if (!strcmp(what, "binary"))
		bw_take_word(&args, what, sizeof(what));
	bw_take_word(&args, path, sizeof(path));
	if (!path[0] || !args[0])
		return bw_errorf(BW_E_INVALID, "\"dump\" takes memory FILE START END, or value FILE EXPR");
	if (!strcmp(what, "memory"))
		return dump_memory(c, path, args);
	if (!strcmp(what, "value"))
		return dump_value(c, path, args);
	return bw_errorf(BW_E_INVALID, "\"dump\" writes memory or value, not \"%s\"", what);
}
