/* SPDX-License-Identifier: MIT */
/* Lines and inlined functions of a shader that stores marks. The module has the functions and calls
 * of
 *
 *	void g() { ... }         // line 2
 *	void f(int x) { g(); }   // line 5
 *	void main() { f(1);      // line 10
 *	              g(); }     // line 11
 *
 * and where its marks are stored is what a driver could make of it that inlines all of them. */
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "sym/frames.h"
#include "sym/lines.h"
#include "sym/spirv.h"
#include "sym/spirv_record.h"
#include "sym/variables.h"

enum { MAIN = 1, F, G, FILE_ID, VOID, STRINGS, RESULTS = 20, BOUND = 60, WORDS_MAX = 512 };
enum { OP_NAME = 5, OP_STRING = 7, OP_ENTRY_POINT = 15, OP_FUNCTION = 54, OP_CALL = 57 };

struct module {
	uint32_t words[WORDS_MAX];
	size_t n;
	uint32_t next_string;
};

static void put(struct module *m, uint32_t op, const uint32_t *operands, uint32_t n)
{
	assert_true(m->n + n + 1 <= WORDS_MAX);
	m->words[m->n++] = (n + 1) << 16 | op;
	memcpy(&m->words[m->n], operands, 4 * n);
	m->n += n;
}
#define PUT(m, op, ...)                                                                            \
	put(m, op, (const uint32_t[]){__VA_ARGS__},                                                \
	    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void put_text(struct module *m, uint32_t op, uint32_t id, const char *text)
{
	uint32_t operands[16] = {id};
	assert_true(strlen(text) < sizeof(operands) - 4);
	memcpy(operands + 1, text, strlen(text));
	put(m, op, operands, (uint32_t)strlen(text) / 4 + 2);
}

static void put_mark(struct module *m, unsigned line, unsigned function, unsigned goes_on)
{
	char text[64];
	snprintf(text, sizeof(text), BW_SPIRV_RECORD_LINE "%u:%u:%u:%u", FILE_ID, line, function,
		 goes_on);
	put_text(m, OP_STRING, m->next_string++, text);
}

/* f_calls: what the function f calls. */
static void make(struct module *m, uint32_t f_calls)
{
	*m = (struct module){
		.words = {0x07230203, 0x10500, 0, BOUND, 0}, .n = 5, .next_string = STRINGS};
	PUT(m, OP_ENTRY_POINT, 5, MAIN, 'm' | 'a' << 8 | 'i' << 16 | 'n' << 24, 0);
	put_text(m, OP_STRING, FILE_ID, "a.comp");
	put_mark(m, 10, MAIN, 0);
	put_mark(m, 5, F, 0);
	put_mark(m, 2, G, 0);
	put_mark(m, 5, F, 1);
	put_mark(m, 10, MAIN, 1);
	put_mark(m, 11, MAIN, 0);
	put_mark(m, 11, MAIN, 1);
	put_mark(m, 12, 77, 0); /* of no function */
	put_text(m, OP_NAME, MAIN, "main");
	put_text(m, OP_NAME, F, "f(i1;");
	put_text(m, OP_NAME, G, "g(");
	PUT(m, OP_FUNCTION, VOID, G, 0, VOID);
	PUT(m, OP_FUNCTION, VOID, F, 0, VOID);
	PUT(m, OP_CALL, VOID, RESULTS, f_calls);
	PUT(m, OP_FUNCTION, VOID, MAIN, 0, VOID);
	PUT(m, OP_CALL, VOID, RESULTS + 1, F);
	PUT(m, OP_CALL, VOID, RESULTS + 2, G);
}

#define M(n) (BW_SPIRV_RECORD_MARK + (n))
static const struct bw_shader_mark places[] = {
	{0, M(0), false}, {8, M(0), true},  {16, M(1), true}, {24, M(2), true},
	{32, M(3), true}, {40, M(4), true}, {48, M(5), true}, {56, M(2), false}, /* a loop of g */
	{64, M(2), true}, {72, 0, false},   {80, M(6), true}, {88, M(7), true},
};

static struct bw_lines *open_lines(const struct module *m)
{
	struct bw_shader_code code = {
		.name = "shader", .code_b = 96, .marks = places, .n_marks = BW_ARRAY_SIZE(places)};
	struct bw_lines *l = NULL;
	assert_null(bw_spirv_open(m->words, m->n, NULL, NULL, 0, &code.spirv));
	assert_int_equal(bw_spirv_n_marks(code.spirv), 8);
	assert_null(bw_lines_of_shader(&code, &l));
	return l;
}

/* "g@5 f@10 shader": the functions around an address, each with the line that has called it. */
static const char *frames_at(const struct bw_lines *l, uint64_t addr)
{
	static char text[128];
	struct bw_frame_info f;
	size_t n = 0;
	text[0] = 0;
	for (unsigned i = 0; bw_lines_frame(l, addr, i, &f); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, f.is_inlined ? "%s@%u " : "%s",
				      f.name, f.call_line);
	return text;
}

static void test_frames(void **state)
{
	struct module m;
	make(&m, G);
	struct bw_lines *l = open_lines(&m);
	assert_string_equal(frames_at(l, 0), "shader");
	assert_string_equal(frames_at(l, 12), "shader");
	assert_string_equal(frames_at(l, 16), "f@10 shader");
	assert_string_equal(frames_at(l, 28), "g@5 f@10 shader");
	assert_string_equal(frames_at(l, 32), "f@10 shader");
	assert_string_equal(frames_at(l, 40), "shader");
	assert_string_equal(frames_at(l, 52), "shader");
	assert_string_equal(frames_at(l, 56), "g@11 shader");
	assert_string_equal(frames_at(l, 76), "g@11 shader");
	assert_string_equal(frames_at(l, 80), "shader");
	/* breakpoints: where the first line of each begins */
	uint64_t at[4];
	assert_int_equal(bw_lines_inlined(l, "g", at, 4), 2);
	assert_int_equal(at[0], 24);
	assert_int_equal(at[1], 64);
	bw_lines_close(l);
}

/* A line goes on behind a call: it does not begin there. The code of a block in front of its first
 * mark has the line of that. */
static void test_lines(void **state)
{
	struct module m;
	make(&m, G);
	struct bw_lines *l = open_lines(&m);
	struct bw_line line;
	uint64_t at[4];
	unsigned found;
	assert_int_equal(bw_lines_origin(l), BW_LINES_MARKED);
	assert_int_equal(bw_lines_find(l, "a.comp", 10, at, 4, &found), 1);
	assert_int_equal(at[0], 8);
	assert_int_equal(bw_lines_find(l, "a.comp", 2, at, 4, &found), 2);
	assert_int_equal(at[1], 64);
	assert_true(bw_lines_at(l, 44, &line));
	assert_int_equal(line.line, 10);
	assert_false(line.is_stmt);
	assert_true(bw_lines_at(l, 60, &line));
	assert_int_equal(line.line, 2);
	assert_true(bw_lines_at(l, 76, &line));
	assert_true(line.approximate);
	assert_int_equal(bw_lines_after_prologue(l, 0, 96), 8);
	bw_lines_close(l);
}

/* SPIR-V that calls in a ring, which none may, ends the search; a function that nobody calls is
 * none of the frames. */
static void test_damage(void **state)
{
	struct module m;
	make(&m, F);
	struct bw_lines *l = open_lines(&m);
	assert_string_equal(frames_at(l, 20), "f@10 shader");
	assert_string_equal(frames_at(l, 28), "g@5 shader"); /* main calls it */
	bw_lines_close(l);
	for (size_t n = 5; n < m.n; n++) { /* cut off */
		struct bw_shader_code code = {
			.code_b = 96, .marks = places, .n_marks = BW_ARRAY_SIZE(places)};
		assert_null(bw_spirv_open(m.words, n, NULL, NULL, 0, &code.spirv));
		assert_null(bw_lines_of_shader(&code, &l));
		bw_lines_close(l);
	}
}

TESTS(test_frames, test_lines, test_damage);
