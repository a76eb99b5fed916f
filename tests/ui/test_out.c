/* SPDX-License-Identifier: MIT */
#include "ui/out.h"

#include <stdint.h>
#include <stdlib.h>

#include "../suite.h"

struct writer {
	struct bw_out *o;
	FILE *f;
	char *text;
	size_t size;
};

static void begin(struct writer *w, bool json)
{
	*w = (struct writer){0};
	w->f = open_memstream(&w->text, &w->size);
	assert_non_null(w->f);
	assert_null(bw_out_create(w->f, json, &w->o));
}

static void wrote(struct writer *w, const char *expected)
{
	bw_out_destroy(w->o);
	fclose(w->f);
	assert_string_equal(w->text, expected);
	free(w->text);
}

static void end_with(struct writer *w, struct bw_error *err)
{
	bw_out_end_request(w->o, err);
	bw_error_free(err);
}

static void objects_carry_their_request(void **state)
{
	struct writer w;
	begin(&w, true);
	assert_false(bw_out_in_request(w.o));
	bw_out_begin(w.o, "event", "notice");
	bw_out_end(w.o);
	bw_out_begin_request(w.o, json_string("a"));
	assert_true(bw_out_in_request(w.o));
	bw_out_begin(w.o, "command", "run");
	bw_out_begin(w.o, "event", "stop");
	bw_out_hex(w.o, "pc", 0x1000);
	bw_out_end(w.o);
	bw_out_int(w.o, "n", 1);
	bw_out_end(w.o);
	end_with(&w, NULL);
	assert_false(bw_out_in_request(w.o));
	bw_out_begin_request(w.o, json_integer(2));
	bw_out_begin(w.o, "command", "print");
	bw_out_int(w.o, "half", 1);
	bw_out_drop(w.o);
	end_with(&w, bw_errorf(BW_E_NOT_FOUND, "no \"x\""));
	wrote(&w,
	      "{\"type\":\"event\",\"event\":\"notice\"}\n"
	      "{\"type\":\"event\",\"request\":\"a\",\"event\":\"stop\",\"pc\":\"0x1000\"}\n"
	      "{\"type\":\"answer\",\"request\":\"a\",\"command\":\"run\",\"n\":1}\n"
	      "{\"type\":\"end\",\"request\":\"a\",\"result\":\"done\"}\n"
	      "{\"type\":\"end\",\"request\":2,\"result\":\"error\",\"code\":\"not-found\",\"message\":\"no \\\"x\\\"\"}\n");
}

static void errors_have_their_details(void **state)
{
	struct writer w;
	begin(&w, true);
	bw_out_begin_request(w.o, json_integer(1));
	end_with(&w, bw_error_fault(0x20, "there"));
	struct bw_error *err = bw_errorf(BW_E_STATE, "not now");
	bw_out_error(w.o, err);
	bw_error_free(err);
	wrote(&w,
	      "{\"type\":\"end\",\"request\":1,\"result\":\"error\",\"code\":\"fault\",\"message\":\"there\",\"address\":\"0x20\"}\n"
	      "{\"type\":\"event\",\"event\":\"error\",\"code\":\"state\",\"message\":\"not now\"}\n");
}

static void lines_are_for_objects_without_facts(void **state)
{
	struct writer w;
	begin(&w, true);
	bw_out_begin(w.o, "command", "a");
	bw_out_line(w.o, "%d of", 1);
	bw_out_text(w.o, "two\nthree\n");
	bw_out_end(w.o);
	bw_out_begin(w.o, "command", "b");
	bw_out_line(w.o, "left out");
	bw_out_bool(w.o, "fact", true);
	bw_out_end(w.o);
	bw_out_begin(w.o, "command", "info");
	bw_out_name(w.o, "what", "c");
	bw_out_lines_only(w.o, true);
	bw_out_int(w.o, "fact", 1);
	bw_out_register(w.o, "s0", json_string("0x0"));
	bw_out_line(w.o, "line");
	bw_out_lines_only(w.o, false);
	bw_out_end(w.o);
	bw_out_line(w.o, "outside");
	wrote(&w,
	      "{\"type\":\"answer\",\"command\":\"a\",\"lines\":[\"1 of\",\"two\",\"three\"]}\n"
	      "{\"type\":\"answer\",\"command\":\"b\",\"fact\":true}\n"
	      "{\"type\":\"answer\",\"command\":\"info\",\"what\":\"c\",\"lines\":[\"line\"]}\n"
	      "{\"type\":\"event\",\"event\":\"notice\",\"kind\":\"said\",\"text\":\"outside\"}\n");
}

static void any_bytes_make_valid_text(void **state)
{
	struct writer w;
	begin(&w, true);
	bw_out_begin(w.o, "command", "echo");
	/* overlong, surrogate, beyond U+10FFFF, cut short: Unicode 15, table 3-7 */
	bw_out_str(w.o, "bad", "a\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82");
	bw_out_strf(w.o, "good", "%s", "\xe2\x82\xac\n\x1b");
	bw_out_end(w.o);
#define R "\xef\xbf\xbd"
	wrote(&w, "{\"type\":\"answer\",\"command\":\"echo\",\"bad\":\"a" R R R R R R R R R R R
		  "\",\"good\":\"\xe2\x82\xac\\n\\u001B\"}\n");
}

static void registers_are_one_member(void **state)
{
	struct writer w;
	begin(&w, true);
	bw_out_begin(w.o, "command", "info");
	bw_out_register(w.o, "pc", json_string("0x10"));
	bw_out_register(w.o, "v1", json_pack("[s]", "0x0"));
	bw_out_end(w.o);
	bw_out_register(w.o, "pc", json_string("nowhere"));
	wrote(&w,
	      "{\"type\":\"answer\",\"command\":\"info\",\"registers\":{\"pc\":\"0x10\",\"v1\":[\"0x0\"]}}\n");
}

static void text_knows_no_requests(void **state)
{
	struct writer w;
	begin(&w, false);
	bw_out_begin_request(w.o, json_integer(1));
	assert_false(bw_out_in_request(w.o));
	bw_out_begin(w.o, "command", "print");
	bw_out_line(w.o, "$1 = 2");
	bw_out_int(w.o, "value", 2);
	bw_out_end(w.o);
	end_with(&w, NULL);
	wrote(&w, "$1 = 2\n");
}

/* What is diverted has a mode and a request of its own, and what was open before goes on. */
static void output_is_diverted(void **state)
{
	struct writer w, other;
	struct bw_out *kept;
	begin(&w, true);
	begin(&other, true);
	bw_out_destroy(other.o);
	bw_out_begin_request(w.o, json_integer(7));
	bw_out_begin(w.o, "command", "info");
	assert_null(bw_out_divert(w.o, other.f, false, &kept));
	assert_false(bw_out_is_json(w.o));
	assert_false(bw_out_in_request(w.o));
	bw_out_line(w.o, "here");
	bw_out_restore(w.o, kept);
	fclose(other.f);
	assert_string_equal(other.text, "here\n");
	free(other.text);
	bw_out_int(w.o, "n", 1);
	bw_out_end(w.o);
	wrote(&w, "{\"type\":\"answer\",\"request\":7,\"command\":\"info\",\"n\":1}\n");
}

/* A log is written to in both. */
static void diverted_output_is_logged(void **state)
{
	struct writer w, other, log;
	struct bw_out *kept;
	begin(&w, false);
	begin(&other, false);
	begin(&log, false);
	bw_out_destroy(other.o);
	bw_out_sink(w.o)->log = log.f;
	assert_null(bw_out_divert(w.o, other.f, false, &kept));
	bw_out_line(w.o, "1");
	bw_out_sink(w.o)->log = NULL; /* "set logging enabled off" among what is diverted */
	bw_out_restore(w.o, kept);
	bw_out_line(w.o, "2");
	fclose(other.f);
	free(other.text);
	wrote(&w, "2\n");
	wrote(&log, "1\n");
}

TESTS(objects_carry_their_request, errors_have_their_details, lines_are_for_objects_without_facts,
      any_bytes_make_valid_text, registers_are_one_member, text_knows_no_requests,
      output_is_diverted, diverted_output_is_logged);
