/* SPDX-License-Identifier: MIT */
/* How far a bisection is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"
#include "cli/bisect.h"

enum { BAR = 24, COLUMNS_DEFAULT = 80, LINE_MAX_B = 400 };

void bw_bisect_progress_init(struct bw_bisect *b)
{
	const char *term = getenv("TERM");
	b->progress.is_shown = !bw_out_is_json(b->look.out) && isatty(STDOUT_FILENO) &&
			       isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

void bw_bisect_progress_clear(struct bw_bisect *b)
{
	if (!b->progress.is_shown)
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

void bw_bisect_progress_begin(struct bw_bisect *b, const char *what)
{
	char bar[BAR + 1], line[LINE_MAX_B];
	unsigned done = b->n_tries, all = done + BW_MAX(b->progress.left, 1u);
	if (!b->progress.is_shown)
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

void bw_bisect_progress_end(struct bw_bisect *b, const char *what, enum bw_bisect_verdict verdict)
{
	static const char *const words[] = {"good", "bad", "cannot be told (125)"};
	if (b->progress.left)
		b->progress.left--;
	if (b->progress.is_shown)
		return;
	bw_out_line(b->look.out, "%c%s: %s",
		    what[0] >= 'a' && what[0] <= 'z' ? what[0] - 32 : what[0], what + 1,
		    words[verdict]);
	bw_out_flush(b->look.out);
}
