/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/variables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* display: expressions that every stop shows, where the variables in them are in scope. */

enum { MAX_VARIABLES = 8 };

struct bw_display {
	char *text; /* owned, "/FMT EXPR" as typed; NULL: deleted */
	bool disabled;
	/* Variables of a function that it names: their entries in the debug information. With more
	 * of them than this the others do not count. */
	uint64_t variable[MAX_VARIABLES];
	unsigned n_variables;
};

/* ---- Scope ---- */

/* The variable of a function that the word means in the selected frame; 0: none. */
static uint64_t variable_of(const struct bw_variable *list, size_t n, const char *word, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i].name) == len && !strncmp(list[i].name, word, len))
			return list[i].is_static ? 0 : list[i].die;
	return 0;
}

static bool is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

static void find_variables(struct bw_cli *c, struct bw_display *x, const char *expr)
{
	const struct bw_variable *list;
	size_t n = 0;
	bw_error_free(bw_debug_variables(c->debug, &list, &n));
	for (const char *p = expr; *p;) {
		size_t len = 0;
		while (is_word(p[len]))
			len++;
		char before = p > expr ? p[-1] : ' ';
		bool member = before == '.' || before == '$' || (before == '>' && p[-2] == '-');
		uint64_t die = len && !member ? variable_of(list, n, p, len) : 0;
		if (die && x->n_variables < MAX_VARIABLES)
			x->variable[x->n_variables++] = die;
		p += len ? len : 1;
	}
}

/* Whether all its variables are those that the selected frame has. */
static bool in_scope(struct bw_cli *c, const struct bw_display *x)
{
	const struct bw_variable *list;
	size_t n = 0, found = 0;
	if (!x->n_variables)
		return true;
	bw_error_free(bw_debug_variables(c->debug, &list, &n));
	for (unsigned k = 0; k < x->n_variables; k++) {
		size_t i = 0;
		while (i < n && list[i].die != x->variable[k])
			i++;
		found += i < n;
	}
	return found == x->n_variables;
}

/* ---- Showing ---- */

/* /i and /s, and a format with a count or a unit, look at memory as x does. */
static bool examines(const struct bw_print_format *f)
{
	return f->letter == 'i' || f->letter == 's' || f->unit || f->has_count;
}

static struct bw_error *show_memory(struct bw_cli *c, const struct bw_display *x, size_t number,
				    struct bw_print_format *f, const char *expr)
{
	enum bw_space space;
	uint64_t addr, next;
	bw_out_line(c->out, "%zu: x%s", number, x->text);
	BW_TRY(bw_cli_eval_address(c, expr, &space, &addr));
	if (!f->unit)
		f->unit = 'w';
	return bw_show_memory(c->out, c->debug, space, addr, f, &next);
}

static struct bw_error *show_value(struct bw_cli *c, const struct bw_display *x, size_t number,
				   const struct bw_print_format *f, const char *expr)
{
	struct bw_value v = {0};
	struct bw_str s = {0};
	BW_TRY(bw_cli_eval(c, expr, &v));
	bw_show_value(c->debug, &v, f->letter, &s);
	bw_out_line(c->out, "%zu: %s = %s", number, x->text, bw_str_text(&s));
	bw_out_str(c->out, "text", bw_str_text(&s));
	bw_str_free(&s);
	bw_value_fini(&v);
	return NULL;
}

static void show_one(struct bw_cli *c, size_t i)
{
	const struct bw_display *x = &c->displays.display[i];
	const char *expr = x->text;
	struct bw_print_format f;
	bw_out_begin(c->out, "event", "display");
	struct bw_error *err = bw_cli_take_format(&expr, true, &f);
	bw_out_int(c->out, "number", (int64_t)i + 1);
	bw_out_str(c->out, "expression", expr);
	if (!err)
		err = examines(&f) ? show_memory(c, x, i + 1, &f, expr)
				   : show_value(c, x, i + 1, &f, expr);
	if (err) {
		/* for memory the title has been printed already */
		if (examines(&f))
			bw_out_line(c->out, "<%s>", err->message);
		else
			bw_out_line(c->out, "%zu: %s = <%s>", i + 1, x->text, err->message);
		bw_out_str(c->out, "error", err->message);
	}
	bw_out_end(c->out);
	bw_error_free(err);
}

void bw_cli_show_displays(struct bw_cli *c)
{
	for (size_t i = 0; i < c->displays.n; i++)
		if (c->displays.display[i].text && !c->displays.display[i].disabled &&
		    in_scope(c, &c->displays.display[i]))
			show_one(c, i);
}

void bw_cli_free_displays(struct bw_cli *c)
{
	for (size_t i = 0; i < c->displays.n; i++)
		free(c->displays.display[i].text);
	free(c->displays.display);
	c->displays.display = NULL;
	c->displays.n = 0;
}

struct bw_error *bw_cmd_display(struct bw_cli *c, const char *args)
{
	struct bw_print_format f;
	const char *expr = args;
	if (!args[0]) {
		bw_cli_show_displays(c);
		return NULL;
	}
	BW_TRY(bw_cli_take_format(&expr, true, &f));
	if (!expr[0])
		return bw_errorf(BW_E_INVALID, "\"display\" takes an expression");
	struct bw_display *grown =
		reallocarray(c->displays.display, c->displays.n + 1, sizeof(*grown));
	if (!grown)
		return bw_error_nomem();
	c->displays.display = grown;
	grown[c->displays.n] = (struct bw_display){.text = strdup(args)};
	if (!grown[c->displays.n].text)
		return bw_error_nomem();
	c->displays.n++;
	find_variables(c, &grown[c->displays.n - 1], expr);
	if (bw_debug_focus(c->debug))
		show_one(c, c->displays.n - 1);
	return NULL;
}

static struct bw_error *find_display(struct bw_cli *c, uint32_t number, struct bw_display **out)
{
	if (!number || number > c->displays.n || !c->displays.display[number - 1].text)
		return bw_errorf(BW_E_INVALID,
				 "No display has the number %u; \"info display\" lists them",
				 number);
	*out = &c->displays.display[number - 1];
	return NULL;
}

static struct bw_error *delete_one(struct bw_cli *c, uint32_t number, void *cookie)
{
	struct bw_display *x = NULL;
	for (size_t i = 0; !number && i < c->displays.n; i++) {
		free(c->displays.display[i].text);
		c->displays.display[i].text = NULL;
	}
	if (!number)
		return NULL;
	BW_TRY(find_display(c, number, &x));
	free(x->text);
	x->text = NULL;
	return NULL;
}

static struct bw_error *disable_one(struct bw_cli *c, uint32_t number, void *cookie)
{
	struct bw_display *x = NULL;
	for (size_t i = 0; !number && i < c->displays.n; i++)
		c->displays.display[i].disabled = *(bool *)cookie;
	if (!number)
		return NULL;
	BW_TRY(find_display(c, number, &x));
	x->disabled = *(bool *)cookie;
	return NULL;
}

struct bw_error *bw_cmd_undisplay(struct bw_cli *c, const char *args)
{
	return bw_cli_each_number(c, args, delete_one, NULL);
}

struct bw_error *bw_cli_enable_displays(struct bw_cli *c, const char *args, bool on)
{
	bool disabled = !on;
	return bw_cli_each_number(c, args, disable_one, &disabled);
}

struct display_row {
	uint64_t number;
	const char *text;
	bool enabled, in_scope;
};

static void expression(struct bw_table *t, const void *of)
{
	const struct display_row *r = of;
	bw_table_both(t, bw_json_text(r->text), "%s%s", r->text,
		      r->in_scope ? "" : " (cannot be evaluated in the current context)");
}

static const struct bw_fact display_rows[] = {
	{"Num", "number", "number", BW_OF(struct display_row, number)},
	{"Enb", "enabled", "bool", BW_OF(struct display_row, enabled), .yes = "y", .no = "n"},
	{"Expression", "expression", "text", BW_GET(expression)},
	{NULL, "in_scope", "bool", BW_OF(struct display_row, in_scope)},
};
BW_FACTS(display_facts, "info display", "displays", display_rows);

struct bw_error *bw_info_display(struct bw_cli *c, const char *args)
{
	struct bw_table t;
	bw_table_begin(&t, &display_facts);
	for (size_t i = 0; i < c->displays.n; i++) {
		const struct bw_display *x = &c->displays.display[i];
		struct display_row r = {i + 1, x->text, !x->disabled};
		if (!x->text)
			continue;
		r.in_scope = in_scope(c, x);
		bw_table_row(&t, &r);
	}
	bw_out_table(c->out, &t, "There are no auto-display expressions now.");
	bw_table_fini(&t);
	return NULL;
}
