/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"
#include "cli/commands.h"
#include "cli/tui.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"

static const char default_log[] = "breakwater.log";

/* ---- Pages ---- */

/* The rest of the line that is typed; false: end of input, or Ctrl-C. */
static bool read_answer(char *out_first)
{
	char ch = 0;
	*out_first = 0;
	for (bool is_first = true; ch != '\n'; is_first = false) {
		if (read(STDIN_FILENO, &ch, 1) <= 0)
			return false;
		if (is_first)
			*out_first = ch;
	}
	return true;
}

static bool more(void *cookie, unsigned *rows)
{
	char answer;
	fputs("--Type <RET> for more, q to quit, c to continue without paging--", stdout);
	fflush(stdout);
	if (!read_answer(&answer)) {
		fputs("Quit\n", stdout);
		return false;
	}
	if (answer == 'c')
		*rows = 0;
	return answer != 'q';
}

static unsigned rows_of(const struct bw_terminal *t, const struct winsize *size)
{
	if (!t->paged)
		return 0;
	return t->has_height ? t->height : size->ws_row;
}

void bw_terminal_begin_command(struct bw_cli *c)
{
	struct winsize size;
	struct bw_sink *s = bw_out_sink(c->out);
	bw_sink_begin_page(s);
	s->rows = 0;
	if (!c->session->interactive || bw_out_is_json(c->out) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	if (bw_cli_tui_is_on(c))
		size.ws_row = (unsigned short)bw_cli_tui_rows(c);
	s->rows = rows_of(&c->terminal, &size);
	s->columns = size.ws_col;
	s->more = more;
}

/* ---- Colours ---- */

static bool terminal_has_colours(void)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
	return isatty(STDOUT_FILENO) && !(none && none[0]) && term && term[0] &&
	       strcmp(term, "dumb");
}

void bw_terminal_begin(struct bw_cli *c)
{
	c->terminal.paged = true;
	c->terminal.is_styled = terminal_has_colours();
	bw_out_sink(c->out)->in_colour = c->terminal.is_styled;
}

/* ---- The log ---- */

static const char *log_path(const struct bw_terminal *t)
{
	return t->log_path ? t->log_path : default_log;
}

static void close_log(struct bw_cli *c)
{
	struct bw_terminal *t = &c->terminal;
	if (t->log && fclose(t->log))
		bw_out_line(c->out, "warning: %s could not be written whole: %s", log_path(t),
			    strerror(errno));
	t->log = NULL;
	bw_out_sink(c->out)->log = NULL;
}

static struct bw_error *open_log(struct bw_cli *c)
{
	struct bw_terminal *t = &c->terminal;
	if (c->confined)
		return bw_errorf(BW_E_UNSUPPORTED, "\"set logging\" is not allowed here");
	if (t->log)
		return bw_errorf(BW_E_STATE, "Already logging to %s", log_path(t));
	t->log = fopen(log_path(t), t->overwrites ? "we" : "ae");
	if (!t->log)
		return bw_error_errno(errno, "cannot write %s", log_path(t));
	bw_out_line(c->out, "%s output to %s.", t->redirects ? "Redirecting" : "Copying",
		    log_path(t));
	struct bw_sink *s = bw_out_sink(c->out);
	s->log = t->log;
	s->log_only = t->redirects;
	return NULL;
}

static struct bw_error *set_logging(struct bw_cli *c, bool on)
{
	if (on)
		return open_log(c);
	if (!c->terminal.log)
		return bw_errorf(BW_E_STATE, "Nothing is being logged");
	close_log(c);
	bw_out_line(c->out, "Done logging to %s.", log_path(&c->terminal));
	return NULL;
}

static struct bw_error *set_log_path(struct bw_cli *c, const char *path)
{
	if (!path[0])
		return bw_errorf(BW_E_INVALID, "\"set logging file\" takes a file");
	if (c->terminal.log)
		return bw_errorf(
			BW_E_STATE,
			"Output is being logged to %s; \"set logging enabled off\" ends that",
			log_path(&c->terminal));
	char *copy = strdup(path);
	if (!copy)
		return bw_error_nomem();
	free(c->terminal.log_path);
	c->terminal.log_path = copy;
	return NULL;
}

void bw_terminal_end(struct bw_cli *c)
{
	if (c->terminal.log)
		close_log(c);
	free(c->terminal.log_path);
	c->terminal.log_path = NULL;
}

/* ---- The settings ---- */

static struct bw_error *set_height(struct bw_cli *c, const char *value)
{
	uint64_t n = 0;
	if (strcmp(value, "unlimited") && (!bw_parse_u64(value, &n) || n > 100000))
		return bw_errorf(BW_E_INVALID,
				 "\"set height\" takes a number of lines or unlimited, not \"%s\"",
				 value);
	c->terminal.has_height = true;
	c->terminal.height = (unsigned)n;
	bw_out_sink(c->out)->rows = 0; /* from the next command on */
	return NULL;
}

static bool *flag_of(struct bw_terminal *t, const char *name)
{
	static const struct {
		const char *name;
		size_t offset;
	} flags[] = {
		{"pagination", offsetof(struct bw_terminal, paged)},
		{"style enabled", offsetof(struct bw_terminal, is_styled)},
		{"logging overwrite", offsetof(struct bw_terminal, overwrites)},
		{"logging redirect", offsetof(struct bw_terminal, redirects)},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(flags); i++)
		if (!strcmp(name, flags[i].name))
			return (bool *)((char *)t + flags[i].offset);
	return NULL;
}

struct bw_error *bw_terminal_set(struct bw_cli *c, const char *name, const char *value)
{
	struct bw_terminal *t = &c->terminal;
	if (!strcmp(name, "height"))
		return set_height(c, value);
	if (!strcmp(name, "logging file"))
		return set_log_path(c, value);
	bool on = !value[0] || !strcmp(value, "on") || !strcmp(value, "1");
	if (!on && strcmp(value, "off") && strcmp(value, "0"))
		return bw_errorf(BW_E_INVALID, "\"set %s\" takes on or off, not \"%s\"", name,
				 value);
	bool *flag = flag_of(t, name);
	if (!flag)
		return set_logging(c, on);
	*flag = on;
	bw_out_sink(c->out)->in_colour = t->is_styled;
	bw_out_sink(c->out)->log_only = t->redirects;
	return NULL;
}

const char *bw_terminal_show(const struct bw_cli *c, const char *name, char *out, size_t out_b)
{
	struct bw_terminal t = c->terminal;
	if (!strcmp(name, "logging file"))
		return log_path(&c->terminal);
	if (!strcmp(name, "height")) {
		snprintf(out, out_b, "%u", t.height);
		return !t.has_height ? "that of the terminal" : t.height ? out : "unlimited";
	}
	bool *flag = flag_of(&t, name);
	return (flag ? *flag : t.log != NULL) ? "on" : "off";
}
