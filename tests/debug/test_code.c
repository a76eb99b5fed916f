// SPDX-License-Identifier: MIT
/* src/debug/code.c, args.c, disasm.c and dispatch.c on a real code object: examples/saxpy.s as
 * clang made it. Addresses and lines by counting in the source. */
#include "fake_session.h"
#include "debug/breaks.h"
#include "debug/code.h"
#include "debug/dispatches.h"
#include "debug/expressions.h"
#include "debug/stop.h"
#include "debug/waves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "target/call.h"

enum { N_INST = 13, ARGS = 0x4000, X = 0x5000, OUT = 0x6000 };

struct code_session {
	struct fake_session s;
	struct bw_target_dispatch dispatch;
	uint64_t entry; /* in the GPU's space */
};

static void load(struct code_session *c, uint64_t base)
{
	char path[512];
	struct bw_code_object *co;
	size_t image_b;

	c->s = (struct fake_session){0};
	snprintf(path, sizeof(path), "%s/tests/debug/saxpy.co", getenv("BREAKWATER_BUILD"));
	OK(bw_code_object_load(path, &co));
	const struct bw_kernel *k = bw_code_object_kernel(co, "saxpy");
	assert_non_null(k);
	c->entry = base + k->entry;
	struct fake_target *f = fake_create(&c->s.closed);
	c->s.fake = f;
	const void *image = bw_code_object_image(co, &image_b);
	assert_true(image_b < 0x4000);
	memcpy(fake_at(f, base), image, image_b);
	/* a = 2, x, y, out */
	struct {
		float a;
		uint32_t pad;
		uint64_t x, y, out;
	} args = {2.0f, 0, FAKE_BASE + X, FAKE_BASE + X, FAKE_BASE + OUT};
	memcpy(fake_at(f, FAKE_BASE + ARGS), &args, sizeof(args));
	for (unsigned i = 0; i < 16; i++) {
		float v = (float)i * 0.5f;
		memcpy(fake_at(f, FAKE_BASE + X + i * 4), &v, 4);
	}
	c->dispatch = (struct bw_target_dispatch){
		.code_va = c->entry,
		.initiator = 1u << 15,
		.groups = {1, 1, 1},
		.group_size = {64, 1, 1},
		.user_data = {(uint32_t)(FAKE_BASE + ARGS), (uint32_t)((FAKE_BASE + ARGS) >> 32)}};
	fake_push(f, &(struct bw_target_event){.kind = BW_EVENT_SUBMIT,
					       .submission = 1,
					       .queue = 1,
					       .dispatches = &c->dispatch,
					       .n_dispatches = 1});
	fake_launch(f, 0, c->entry, 0, 0);
	OK(bw_debug_create(&c->s.debug));
	OK(bw_debug_add_code_object(c->s.debug, co));
}

static void stop_at_start(struct code_session *c)
{
	struct bw_stop stop;
	uint32_t n;
	load(c, FAKE_BASE);
	OK(bw_debug_break(c->s.debug, "saxpy", false, &n));
	OK(bw_debug_start(c->s.debug, &c->s.fake->t));
	OK(bw_debug_wait(c->s.debug, 10, &stop));
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.breakpoint, n);
}

static void test_kernel_is_recognised(void **state)
{
	struct code_session c;
	stop_at_start(&c);
	const struct bw_dispatch_info *x = bw_debug_dispatch(c.s.debug, 1);
	assert_string_equal(x->kernel_name, "saxpy");
	assert_true(x->load_base == FAKE_BASE);
	assert_true(x->kernarg_va == FAKE_BASE + ARGS);
	assert_int_equal(x->waves_per_group, 2);
	assert_non_null(strstr(x->code_object, "saxpy.co"));
	assert_true(bw_debug_focus(c.s.debug)->pc == c.entry);
	fake_session_end(&c.s);
}

static void test_other_code_is_not(void **state)
{
	struct code_session c;
	struct bw_stop stop;
	load(&c, FAKE_BASE);
	*fake_at(c.s.fake, c.entry) ^= 1;
	OK(bw_debug_start(c.s.debug, &c.s.fake->t));
	OK(bw_debug_wait(c.s.debug, 10, &stop));
	assert_null(bw_debug_dispatch(c.s.debug, 1)->kernel);
	/* it gets a name from its bytes, so that it can be spoken of */
	assert_int_equal(strncmp(bw_debug_dispatch(c.s.debug, 1)->kernel_name, "cs_", 3), 0);
	assert_null(bw_debug_dispatch(c.s.debug, 1)->kernel);
	fake_session_end(&c.s);
}

static void test_where_and_lines(void **state)
{
	struct code_session c;
	struct bw_where w;
	char text[64];
	uint64_t start, end;
	uint32_t n;
	stop_at_start(&c);
	bw_debug_where(c.s.debug, c.entry, &w);
	assert_string_equal(w.function, "saxpy");
	assert_int_equal(w.offset_b, 0);
	assert_true(w.has_line);
	assert_int_equal(w.line.line, 14);
	assert_true(w.line.start == c.entry);
	assert_non_null(strstr(w.line_text, "s_load_b32 s4, s[0:1], 0x0"));
	bw_debug_symbolize(c.s.debug, c.entry + 8, text, sizeof(text));
	assert_string_equal(text, "<saxpy+8>");
	bw_debug_symbolize(c.s.debug, 0x1234, text, sizeof(text));
	assert_string_equal(text, "");
	OK(bw_debug_function_range(c.s.debug, c.entry + 40, &start, &end));
	assert_true(start == c.entry);
	assert_true(end == c.entry + 76);
	fake_fails(bw_debug_function_range(c.s.debug, 0x10, &start, &end), BW_E_NOT_FOUND,
		   "No function contains");
	/* FILE:LINE, a line without code, a label, a line beyond the end */
	OK(bw_debug_break(c.s.debug, "saxpy.s:17", false, &n));
	assert_true(bw_debug_breakpoint(c.s.debug, n)->addr[0] == c.entry + 24);
	OK(bw_debug_break(c.s.debug, "20", false, &n));
	assert_true(bw_debug_breakpoint(c.s.debug, n)->addr[0] == c.entry + 36);
	OK(bw_debug_break(c.s.debug, "store", false, &n));
	assert_true(bw_debug_breakpoint(c.s.debug, n)->addr[0] == c.entry + 64);
	OK(bw_debug_break(c.s.debug, "*saxpy+28", false, &n));
	assert_true(bw_debug_breakpoint(c.s.debug, n)->addr[0] == c.entry + 28);
	fake_fails(bw_debug_break(c.s.debug, "saxpy.s:9999", false, &n), BW_E_NOT_FOUND,
		   "No code at or after line 9999");
	fake_fails(bw_debug_break(c.s.debug, "saxpi.s:17", false, &n), BW_E_NOT_FOUND,
		   "did you mean saxpy.s?");
	fake_fails(bw_debug_break(c.s.debug, "saxpi", false, &n), BW_E_NOT_FOUND,
		   "did you mean saxpy");
	fake_session_end(&c.s);
}

static double fval(struct code_session *c, const char *text)
{
	struct bw_value v;
	struct bw_expr_error at;
	OK(bw_debug_eval(c->s.debug, text, &v, &at));
	double f = bw_value_f64(&v, 0);
	bw_value_fini(&v);
	return f;
}

/* Addresses are still found for a report when the program has ended. */
static void test_where_something_was(void **state)
{
	struct code_session c;
	struct bw_where w = {0};
	uint8_t code[64], other[64];
	stop_at_start(&c);
	memcpy(code, fake_at(c.s.fake, c.entry), sizeof(code));
	struct bw_executed x = {.pc = c.entry + 8, .start = c.entry, .code = code + 8, .code_b = 8};
	assert_true(bw_debug_where_executed(c.s.debug, &x, &w));
	bw_error_free(bw_debug_kill(c.s.debug));
	bw_debug_where(c.s.debug, x.pc, &w);
	assert_null(w.function);
	assert_true(bw_debug_where_executed(c.s.debug, &x, &w));
	assert_string_equal(w.function, "saxpy");
	assert_int_equal(w.offset_b, 8);
	assert_true(w.has_line);
	assert_int_equal(w.line.line, 15);
	/* a wave that did not begin at the kernel's start; other code at the address; beyond the
	 * code */
	x.start = 0x10;
	assert_true(bw_debug_where_executed(c.s.debug, &x, &w));
	x.code = code + 16;
	assert_false(bw_debug_where_executed(c.s.debug, &x, &w));
	x.pc += 0x100000;
	assert_false(bw_debug_where_executed(c.s.debug, &x, &w));

	/* never seen there: by its distance from the start, if that is one place */
	x = (struct bw_executed){
		.pc = 0x7700000010, .start = 0x7700000000, .code = code + 16, .code_b = 8};
	assert_true(bw_debug_where_executed(c.s.debug, &x, &w));
	assert_int_equal(w.line.line, 16);
	assert_int_equal(w.offset_b, 16);
	x.code_b = 1 << 20;
	assert_false(bw_debug_where_executed(c.s.debug, &x, &w));
	x.code_b = 8;
	x.pc = x.start - 4;
	assert_false(bw_debug_where_executed(c.s.debug, &x, &w));
	x.pc = x.start + 16;
	memset(other, 0, sizeof(other));
	memcpy(other + 16, code + 16, 8);
	OK(bw_debug_add_raw(c.s.debug, "other", other, sizeof(other)));
	assert_false(bw_debug_where_executed(c.s.debug, &x, &w));
	fake_session_end(&c.s);
}

static void test_arguments(void **state)
{
	struct code_session c;
	struct bw_arg_info *args;
	struct bw_value v;
	struct bw_expr_error at;
	char name[48];
	size_t n;
	uint32_t number;
	float f;

	stop_at_start(&c);
	OK(bw_debug_args(c.s.debug, 1, &args, &n));
	assert_int_equal(n, 4);
	assert_string_equal(args[0].arg->name, "a");
	assert_true(args[0].has_value);
	assert_true(bw_value_f64(&args[0].value, 0) == 2.0);
	assert_string_equal(args[3].arg->name, "out");
	assert_true(args[3].value.bits == FAKE_BASE + OUT);
	assert_string_equal(bw_type_name(&args[3].value.type, name), "float *");
	bw_debug_free_args(args, n);
	assert_true(fval(&c, "a") == 2.0);
	assert_true(fval(&c, "x[3]") == 1.5);
	assert_true(fval(&c, "*x + a * x[4]") == 4.0);
	assert_true(fval(&c, "&x[2] - x") == 2.0);
	fval(&c, "out[2] = x[6] * 2");
	memcpy(&f, fake_at(c.s.fake, FAKE_BASE + OUT + 8), 4);
	assert_true(f == 6.0f);
	OK(bw_debug_eval(c.s.debug, "x[0]@4", &v, &at));
	assert_int_equal(v.n_elem, 4);
	assert_true(bw_value_f64(&v, 3) == 1.5);
	bw_value_fini(&v);
	assert_true(fval(&c, "sizeof(x)") == 8 && fval(&c, "sizeof(*x)") == 4);
	fake_fails(bw_debug_eval(c.s.debug, "oot[1]", &v, &at), BW_E_NOT_FOUND, "did you mean out");
	OK(bw_debug_break(c.s.debug, "store if x[$_lane] > 3 && a == 2", false, &number));
	fake_fails(bw_debug_args(c.s.debug, 9, &args, &n), BW_E_NOT_FOUND, "no dispatch 9");
	fake_session_end(&c.s);
}

static void test_disassembly(void **state)
{
	static const unsigned sizes[N_INST] = {8, 8, 8, 4, 4, 4, 4, 8, 8, 4, 4, 8, 4};
	struct code_session c;
	struct bw_dis_line *l;
	size_t n;
	uint64_t at;

	stop_at_start(&c);
	OK(bw_debug_disassemble(c.s.debug, c.entry, c.entry + 76, 0, &l, &n));
	assert_int_equal(n, N_INST);
	at = c.entry;
	for (size_t i = 0; i < n; i++) {
		assert_true(l[i].addr == at);
		assert_int_equal(l[i].size_b, sizes[i]);
		assert_int_equal(l[i].is_pc, i == 0);
		assert_int_equal(l[i].breakpoint, i == 0);
		assert_int_equal(l[i].waves_here, i == 0);
		assert_int_equal(l[i].first_line, l[i].line.line);
		at += sizes[i];
	}
	/* the breakpoint's s_trap is not shown */
	assert_string_equal(l[0].text,
			    "s_load_b32 s4, s[0:1], null"); /* LLVM 19's way to write offset 0 */
	assert_string_equal(l[12].text, "s_endpgm");
	assert_int_equal(l[9].line.line, 24);
	free(l);
	OK(bw_debug_disassemble(c.s.debug, c.entry + 72, 0, 2, &l, &n));
	assert_int_equal(n, 2);
	free(l);
	/* what ends early is shorter, what cannot start is an error */
	OK(bw_debug_disassemble(c.s.debug, FAKE_BASE + FAKE_MEMORY_B - 8, 0, 100, &l, &n));
	assert_int_equal(n, 2);
	free(l);
	fake_fails(bw_debug_disassemble(c.s.debug, 0x1000, 0, 1, &l, &n), BW_E_FAULT, "0x1000");
	fake_fails(bw_debug_disassemble(c.s.debug, c.entry + 2, 0, 1, &l, &n), BW_E_INVALID,
		   "multiple of 4");
	fake_session_end(&c.s);
	/* before the program runs: the image's own addresses */
	load(&c, FAKE_BASE);
	uint64_t offset = c.entry - FAKE_BASE;
	OK(bw_debug_disassemble(c.s.debug, offset, 0, 1, &l, &n));
	assert_string_equal(l[0].text,
			    "s_load_b32 s4, s[0:1], null"); /* LLVM 19's way to write offset 0 */
	free(l);
	bw_debug_destroy(c.s.debug);
	bw_target_close(&c.s.fake->t);
}

/* Loaded elsewhere in the next run: breakpoints move with it. */
static void test_moves(void **state)
{
	struct code_session c;
	struct bw_stop stop;
	stop_at_start(&c);
	fake_push(c.s.fake, &(struct bw_target_event){.kind = BW_EVENT_EXIT, .exit_known = true});
	OK(bw_debug_continue(c.s.debug));
	OK(bw_debug_wait(c.s.debug, 10, &stop));
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	struct bw_debug *d = c.s.debug;
	struct code_session again;
	load(&again, FAKE_BASE + 0x8000);
	bw_debug_destroy(again.s.debug);
	OK(bw_debug_start(d, &again.s.fake->t));
	OK(bw_debug_wait(d, 10, &stop));
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_true(bw_debug_breakpoint(d, 1)->addr[0] == again.entry);
	assert_int_equal(bw_debug_breakpoint(d, 1)->n_addr, 1);
	bw_debug_destroy(d);
}

TESTS(test_kernel_is_recognised, test_other_code_is_not, test_where_and_lines,
      test_where_something_was, test_arguments, test_disassembly, test_moves);
