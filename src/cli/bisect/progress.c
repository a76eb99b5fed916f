/* SPDX-License-Identifier: MIT */
/* How far a bisection is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"
#include "cli/bisect/show.h"

enum { BAR = 24, COLUMNS_DEFAULT = 80, LINE_MAX_B = 400 };

void bw_bisect_clear(const struct bw_bisect_shown *s)
{
	if (!s->has_bar)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}

static size_t columns(void)
{
	struct winsize w;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || w.ws_col < 2)
		return COLUMNS_DEFAULT;
	return w.ws_col;
}

static void show_begin(void *shown, const struct bw_bisect *b, const char *what)
{
	const struct bw_bisect_shown *s = shown;
	char bar[BAR + 1], line[LINE_MAX_B];
	unsigned done = b->n_tries, all = done + BW_MAX(b->n_left, 1u);
	if (!s->has_bar)
		return;
	for (unsigned i = 0; i < BAR; i++)
		bar[i] = i * all < done * BAR ? '#' : '-';
	bar[BAR] = '\0';
	int n = snprintf(line, sizeof(line), "[%s] try %u of about %u: %s", bar, done + 1, all,
			 what);
	/* a line that wraps could not be removed */
	if (n > 0 && (size_t)n >= columns())
		line[columns() - 1] = '\0';
	fprintf(stderr, "\r\033[K%s", line);
	fflush(stderr);
}

static void show_end(void *shown, const struct bw_bisect *b, const char *what,
		     enum bw_bisect_verdict verdict)
{
	static const char *const words[] = {"good", "bad", "cannot be told (125)"};
	const struct bw_bisect_shown *s = shown;
	if (s->has_bar)
		return;
	bw_out_line(s->out, "%c%s: %s", what[0] >= 'a' && what[0] <= 'z' ? what[0] - 32 : what[0],
		    what + 1, words[verdict]);
	bw_out_flush(s->out);
}

static void show_line(void *shown, const char *line)
{
	bw_bisect_clear(shown);
	fprintf(stderr, "%s\n", line);
}

static void make_room(void *shown)
{
	const struct bw_bisect_shown *s = shown;
	bw_bisect_clear(s);
	bw_out_flush(s->out);
}

struct bw_bisect_listener bw_bisect_show_on(struct bw_bisect_shown *s, struct bw_out *o)
{
	const char *term = getenv("TERM");
	s->out = o;
	s->has_bar = !bw_out_is_json(o) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) && term &&
		     *term && strcmp(term, "dumb") != 0;
	return (struct bw_bisect_listener){s, show_begin, show_end, show_line, make_room};
}
