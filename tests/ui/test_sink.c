// SPDX-License-Identifier: MIT
/* src/ui/sink.c: pages end where the screen does, and the log has all of it, without colours. */
#include "ui/sink.h"

#include <stdlib.h>
#include <string.h>

#include "../suite.h"

struct screen {
	struct bw_sink sink;
	char *text, *log;
	size_t text_b, log_b;
	const char *answers; /* of more: ' ' RET, 'c', 'q' */
	unsigned questions;
};

static bool more(void *cookie, unsigned *rows)
{
	struct screen *s = cookie;
	s->questions++;
	fputs("<more>", s->sink.f);
	assert_int_not_equal(*s->answers, 0);
	char answer = *s->answers++;
	if (answer == 'c')
		*rows = 0;
	return answer != 'q';
}

static void begin(struct screen *s, unsigned rows, const char *answers)
{
	*s = (struct screen){.answers = answers};
	s->sink = (struct bw_sink){.rows = rows, .columns = 10, .more = more, .cookie = s};
	s->sink.f = open_memstream(&s->text, &s->text_b);
	s->sink.log = open_memstream(&s->log, &s->log_b);
	assert_non_null(s->sink.f);
	assert_non_null(s->sink.log);
	bw_sink_begin_page(&s->sink);
}

static void end(struct screen *s, const char *text, const char *log)
{
	fclose(s->sink.f);
	fclose(s->sink.log);
	assert_string_equal(s->text, text);
	assert_string_equal(s->log, log);
	assert_string_equal(s->answers, "");
	free(s->text);
	free(s->log);
}

static void put(struct screen *s, const char *text)
{
	bw_sink_put(&s->sink, BW_PAINT_TEXT, text);
}

static void test_pages(void **state)
{
	struct screen s;
	begin(&s, 3, "  ");
	put(&s, "1\n2\n3\n4");
	put(&s, "\n");
	put(&s, "5\n");
	end(&s, "1\n2\n<more>3\n4\n<more>5\n", "1\n2\n3\n4\n5\n");
}

/* A full last page asks nothing: nothing more may come. */
static void test_exactly_full(void **state)
{
	struct screen s;
	begin(&s, 3, "");
	put(&s, "1\n2\n");
	bw_sink_begin_page(&s.sink);
	put(&s, "3\n4\n");
	end(&s, "1\n2\n3\n4\n", "1\n2\n3\n4\n");
}

/* The terminal folds lines of more than 10 columns; characters, not bytes, take room. */
static void test_long_lines(void **state)
{
	struct screen s;
	begin(&s, 3, " ");
	put(&s, "0123456789a\nb\n");
	end(&s, "0123456789a\n<more>b\n", "0123456789a\nb\n");
	begin(&s, 3, "");
	put(&s, "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\nb\n");
	end(&s, "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\nb\n",
	    "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\nb\n");
	begin(&s, 3, " ");
	put(&s, "\t\txy\nb\n");
	end(&s, "\t\txy\n<more>b\n", "\t\txy\nb\n");
	begin(&s, 3, "");
	put(&s, "\t\tx\nb\n");
	end(&s, "\t\tx\nb\n", "\t\tx\nb\n");
}

static void test_quit(void **state)
{
	struct screen s;
	begin(&s, 2, "q");
	put(&s, "1\n2\n3\n");
	put(&s, "4\n");
	bw_sink_begin_page(&s.sink);
	put(&s, "5\n");
	end(&s, "1\n<more>5\n", "1\n2\n3\n4\n5\n");
}

static void test_all_of_it(void **state)
{
	struct screen s;
	begin(&s, 2, "c");
	put(&s, "1\n2\n3\n");
	put(&s, "4\n");
	end(&s, "1\n<more>2\n3\n4\n", "1\n2\n3\n4\n");
}

static void test_colours_and_log(void **state)
{
	struct screen s;
	begin(&s, 0, "");
	s.sink.in_colour = true;
	put(&s, "at k.cl:7\n");
	bw_sink_put_raw(&s.sink, "at k.cl:7\n");
	s.sink.log_only = true;
	put(&s, "no more\n");
	end(&s, "at \033[32mk.cl\033[0m:7\nat k.cl:7\n", "at k.cl:7\nat k.cl:7\nno more\n");
}

TESTS(test_pages, test_exactly_full, test_long_lines, test_quit, test_all_of_it,
      test_colours_and_log);
