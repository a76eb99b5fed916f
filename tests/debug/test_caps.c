// SPDX-License-Identifier: MIT
/* A target that lacks a capability: what needs it fails with a sentence that says so, everything
 * else works, and no operation of the capability is called (the fake target sees to that). Every
 * action is tried on a fake that lacks each capability in turn. */
#include "fake_session.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "debug/bound.h"
#include "debug/breaks.h"
#include "debug/code.h"
#include "debug/dispatches.h"
#include "debug/draws.h"
#include "debug/expressions.h"
#include "debug/faults.h"
#include "debug/registers.h"
#include "debug/stop.h"
#include "regs/regs.h"
#include "target/call.h"

enum { BACK2 = 0xbfa0fffd };
#define DATA (FAKE_BASE + 0x2000)
static const uint32_t loop[] = {NOP, NOP, BACK2};

static const struct lack {
	uint32_t cap;
	const char *sentence;
} lacks[] = {
	{0, NULL},
	{BW_CAP_RUN, "this target cannot run waves"},
	{BW_CAP_WRITE_REGS, "this target cannot write registers"},
	{BW_CAP_WRITE_MEMORY, "this target cannot write memory"},
	{BW_CAP_PATCH, "this target cannot put breakpoints into code"},
	{BW_CAP_LDS, "this target cannot access LDS"},
	{BW_CAP_SCRATCH, "this target cannot access scratch memory"},
	{BW_CAP_WALK, "this target cannot walk page tables"},
	{BW_CAP_FAULT, "this target cannot show the GPU's record of page faults"},
	{BW_CAP_WATCH, "this target cannot watch addresses"},
	{BW_CAP_FILTER, "this target cannot test conditions in the trap handler"},
	{BW_CAP_EXCEPTIONS, "this target cannot enable exceptions"},
	{BW_CAP_PRECISE, "this target cannot switch precise memory"},
	{BW_CAP_MAPS, "this target cannot list what is mapped"},
	{BW_CAP_OBJECTS, "this target cannot name the program's objects"},
	{BW_CAP_HOLD_TIME, "this target cannot hold the program's time"},
	{BW_CAP_PROCESSES, "this target cannot detach from or kill programs"},
	{BW_CAP_ATTACH, "this target cannot attach to processes"},
	{BW_CAP_READY, "this target cannot make processes ready for a later debugger"},
	{BW_CAP_LOADED, "this target cannot list loaded code objects"},
	{BW_CAP_QUEUES, "this target cannot list queues"},
	{BW_CAP_FREED, "this target cannot tell what the program has freed"},
	{BW_CAP_DRAWS, "this target cannot tell of draws"},
};

static struct bw_error *eval(struct fake_session *s, const char *text)
{
	struct bw_value v;
	struct bw_expr_error at;
	BW_TRY(bw_debug_eval(s->debug, text, &v, &at));
	bw_value_fini(&v);
	return NULL;
}

/* ---- What shows something ---- */

static struct bw_error *see_waves(struct fake_session *s)
{
	size_t n;
	const struct bw_wave_info *w = bw_debug_waves(s->debug, &n);
	assert_int_equal(n, 2);
	assert_in_range(w[0].pc, FAKE_BASE, FAKE_BASE + 8);
	return NULL;
}

static struct bw_error *see_registers(struct fake_session *s)
{
	uint32_t v[64];
	BW_TRY(bw_debug_sgprs_read(s->debug, 1, 4, 2, v));
	BW_TRY(bw_debug_vgpr_read(s->debug, 1, 2, v));
	return eval(s, "$pc + $exec + $m0 + $s4 + $v2");
}

static struct bw_error *see_memory(struct fake_session *s)
{
	return eval(s, "*(unsigned *)0x700000002000");
}

static struct bw_error *see_code(struct fake_session *s)
{
	struct bw_dis_line *lines;
	size_t n;
	struct bw_where where;
	BW_TRY(bw_debug_disassemble(s->debug, FAKE_BASE, 0, 3, &lines, &n));
	assert_int_equal(n, 3);
	free(lines);
	bw_debug_where(s->debug, bw_debug_focus(s->debug)->pc, &where);
	assert_string_equal(where.function, "demo");
	return NULL;
}

static struct bw_error *see_fault(struct fake_session *s)
{
	struct bw_fault_info f;
	return bw_debug_fault(s->debug, 1, &f);
}

static struct bw_error *see_lds(struct fake_session *s)
{
	return eval(s, "*(unsigned *)lds#4");
}

static struct bw_error *see_scratch(struct fake_session *s)
{
	return eval(s, "*(unsigned *)private_lane#8");
}

static struct bw_error *see_bound(struct fake_session *s)
{
	struct bw_bound *bound;
	size_t n;
	BW_TRY(bw_debug_bound(s->debug, 1, &bound, &n));
	free(bound);
	return NULL;
}

static struct bw_error *see_objects(struct fake_session *s)
{
	const struct bw_target_object *all;
	size_t n;
	return bw_debug_objects(s->debug, &all, &n);
}

static struct bw_error *see_buffers(struct fake_session *s)
{
	const struct bw_buffer_info *all;
	size_t n;
	return bw_debug_buffers(s->debug, &all, &n);
}

/* ---- What changes something ---- */

static struct bw_error *write_sgpr(struct fake_session *s)
{
	return eval(s, "$s4 = 7");
}

static struct bw_error *write_vgpr(struct fake_session *s)
{
	return eval(s, "$v2 = 7");
}

static struct bw_error *write_pc(struct fake_session *s)
{
	return bw_debug_reg_write(s->debug, 1, (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_PC, 1},
				  FAKE_BASE);
}

static struct bw_error *write_memory(struct fake_session *s)
{
	return eval(s, "*(unsigned *)0x700000002000 = 5");
}

static struct bw_error *write_lds(struct fake_session *s)
{
	return eval(s, "*(unsigned *)lds#4 = 5");
}

static struct bw_error *write_scratch(struct fake_session *s)
{
	return eval(s, "*(unsigned *)private_lane#8 = 5");
}

/* ---- What runs and stops ---- */

static struct bw_error *stepi(struct fake_session *s)
{
	struct bw_stop stop;
	return bw_debug_stepi(s->debug, 1, false, &stop);
}

static struct bw_error *step_lines(struct fake_session *s)
{
	struct bw_stop stop;
	return bw_debug_step_lines(s->debug, 1, false, &stop);
}

static struct bw_error *until(struct fake_session *s)
{
	struct bw_stop stop;
	return bw_debug_until(s->debug, &stop);
}

static struct bw_error *advance(struct fake_session *s)
{
	struct bw_stop stop;
	return bw_debug_advance(s->debug, "demo+4", false, &stop);
}

static struct bw_error *run_on(struct fake_session *s)
{
	struct bw_stop stop;
	BW_TRY(bw_debug_continue(s->debug));
	assert_int_equal(bw_debug_state(s->debug), BW_DEBUG_RUNNING);
	bw_debug_interrupt(s->debug);
	return bw_debug_wait(s->debug, -1, &stop);
}

static struct bw_error *stop_again(struct fake_session *s)
{
	struct bw_stop stop;
	BW_TRY(bw_debug_stop(s->debug, &stop));
	assert_int_equal(stop.n_waves, 2);
	return NULL;
}

/* On the way out of it, too: the waves are displaced. */
static struct bw_error *break_here(struct fake_session *s)
{
	struct bw_stop stop;
	uint32_t number;
	BW_TRY(bw_debug_break(s->debug, "demo+4 if $s4 != 1000", false, &number));
	for (int i = 0; i < 2; i++) {
		BW_TRY(bw_debug_continue(s->debug));
		BW_TRY(bw_debug_wait(s->debug, -1, &stop));
		assert_int_equal(stop.breakpoint, number);
	}
	return bw_debug_break_delete(s->debug, number);
}

static struct bw_error *break_on_dispatch(struct fake_session *s)
{
	uint32_t number;
	return bw_debug_break_dispatch(s->debug, "7", false, &number);
}

static struct bw_error *break_pixel(struct fake_session *s)
{
	uint32_t number;
	BW_TRY(bw_debug_break_draw(s->debug, "pixel 3,4", false, &number));
	return bw_debug_break_delete(s->debug, number);
}

static struct bw_error *watch_pixel(struct fake_session *s)
{
	const struct bw_pixel_event *events;
	size_t n;
	BW_TRY(bw_debug_watch_pixel(s->debug, 3, 4));
	return bw_debug_pixel_events(s->debug, &events, &n);
}

static struct bw_error *watch(struct fake_session *s)
{
	uint32_t number;
	BW_TRY(bw_debug_watch(s->debug, "*(unsigned *)0x700000002000", BW_BREAK_WATCH, &number));
	/* by the GPU where it can, else by steps */
	uint32_t needs = BW_CAP_WATCH | BW_CAP_EXCEPTIONS | BW_CAP_WRITE_REGS;
	assert_int_equal(bw_debug_breakpoint(s->debug, number)->watch_register,
			 bw_target_can(&s->fake->t, needs) ? 0 : -1);
	return bw_debug_break_delete(s->debug, number);
}

static struct bw_error *watch_register(struct fake_session *s)
{
	uint32_t number;
	return bw_debug_watch(s->debug, "$s4", BW_BREAK_WATCH, &number);
}

static struct bw_error *watch_reads(struct fake_session *s)
{
	uint32_t number;
	return bw_debug_watch(s->debug, "*(unsigned *)0x700000002000", BW_BREAK_RWATCH, &number);
}

static struct bw_error *catch_exceptions(struct fake_session *s)
{
	uint32_t number;
	return bw_debug_catch_exceptions(s->debug, BW_EXCP_DIV0, false, &number);
}

static struct bw_error *precise(struct fake_session *s)
{
	BW_TRY(bw_debug_set_precise(s->debug, false));
	assert_false(bw_debug_is_precise(s->debug));
	return NULL;
}

static struct bw_error *hold_time(struct fake_session *s)
{
	BW_TRY(bw_debug_hold_time(s->debug));
	assert_int_equal(s->fake->time_held, bw_target_can(&s->fake->t, BW_CAP_HOLD_TIME));
	return bw_debug_resume_time(s->debug);
}

static struct bw_error *kill_program(struct fake_session *s)
{
	return bw_debug_kill(s->debug);
}

static struct bw_error *kill_one(struct fake_session *s)
{
	return bw_debug_kill_inferior(s->debug, 1);
}

static struct bw_error *detach_children(struct fake_session *s)
{
	return bw_target_detach_children(&s->fake->t, true);
}

static struct bw_error *attach(struct fake_session *s)
{
	return bw_target_attach(&s->fake->t, 43);
}

static struct bw_error *attached(struct fake_session *s)
{
	struct bw_target_attached a;
	return bw_target_attached(&s->fake->t, 42, &a);
}

static struct bw_error *make_ready(struct fake_session *s)
{
	return bw_target_make_ready(&s->fake->t, 42);
}

static struct bw_error *detach(struct fake_session *s)
{
	bw_debug_detach(s->debug);
	assert_true(s->closed);
	return NULL;
}

/* needs: capabilities without any one of which it fails, and says which. */
static const struct action {
	const char *name;
	struct bw_error *(*fn)(struct fake_session *s);
	uint32_t needs;
} actions[] = {
	{"waves", see_waves, 0},
	{"registers", see_registers, 0},
	{"memory", see_memory, 0},
	{"code", see_code, 0},
	{"fault", see_fault, 0},
	{"LDS", see_lds, BW_CAP_LDS},
	{"scratch", see_scratch, BW_CAP_SCRATCH},
	{"bound buffers", see_bound, BW_CAP_MAPS},
	{"objects", see_objects, BW_CAP_OBJECTS},
	{"buffers", see_buffers, 0},
	{"write an SGPR", write_sgpr, BW_CAP_WRITE_REGS},
	{"write a VGPR", write_vgpr, BW_CAP_WRITE_REGS},
	{"write the PC", write_pc, BW_CAP_WRITE_REGS},
	{"write memory", write_memory, BW_CAP_WRITE_MEMORY},
	{"write LDS", write_lds, BW_CAP_LDS | BW_CAP_WRITE_MEMORY},
	{"write scratch", write_scratch, BW_CAP_SCRATCH | BW_CAP_WRITE_MEMORY},
	{"stepi", stepi, BW_CAP_RUN},
	{"step", step_lines, BW_CAP_RUN},
	{"until", until, BW_CAP_RUN},
	{"advance", advance, BW_CAP_RUN | BW_CAP_WRITE_REGS | BW_CAP_WRITE_MEMORY | BW_CAP_PATCH},
	{"continue", run_on, BW_CAP_RUN},
	{"stop", stop_again, 0},
	{"break", break_here, BW_CAP_RUN | BW_CAP_WRITE_REGS | BW_CAP_WRITE_MEMORY | BW_CAP_PATCH},
	{"break on dispatch", break_on_dispatch,
	 BW_CAP_RUN | BW_CAP_WRITE_REGS | BW_CAP_WRITE_MEMORY | BW_CAP_PATCH},
	{"break pixel", break_pixel, BW_CAP_DRAWS},
	{"pixel history", watch_pixel, BW_CAP_DRAWS},
	{"watch", watch, BW_CAP_RUN},
	{"watch a register", watch_register, BW_CAP_RUN},
	{"rwatch", watch_reads, BW_CAP_RUN | BW_CAP_WATCH | BW_CAP_EXCEPTIONS | BW_CAP_WRITE_REGS},
	{"catch fp", catch_exceptions, BW_CAP_RUN | BW_CAP_EXCEPTIONS | BW_CAP_WRITE_REGS},
	{"precise memory", precise, BW_CAP_PRECISE},
	{"time", hold_time, 0},
	{"kill", kill_program, BW_CAP_PROCESSES},
	{"kill inferior", kill_one, BW_CAP_PROCESSES},
	{"detach", detach, 0},
	{"detach children", detach_children, BW_CAP_PROCESSES},
	{"attach", attach, BW_CAP_ATTACH},
	{"what was attached to", attached, BW_CAP_ATTACH},
	{"make ready", make_ready, BW_CAP_READY},
};

/* Two waves of one group, stopped in a loop. */
static void start(struct fake_session *s, uint32_t lack)
{
	struct bw_stop stop;
	fake_session_create(s, loop, BW_ARRAY_SIZE(loop));
	fake_session_start_without(s, 1, lack);
	OK(bw_debug_stop(s->debug, &stop));
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.n_waves, 2);
}

/* Afterwards the session shows the same as before, where it still exists. */
static void try(const struct lack *l, const struct action *a)
{
	struct fake_session s;
	start(&s, l->cap);
	struct bw_error *err = a->fn(&s);
	bool expected = l->cap & a->needs;
	if (expected != (err != NULL) || (err && strcmp(err->message, l->sentence)))
		print_error("%s without \"%s\": %s\n", a->name, l->sentence ? l->sentence : "",
			    err ? err->message : "works");
	assert_int_equal(expected, err != NULL);
	if (err) {
		assert_int_equal(err->code, BW_E_UNSUPPORTED);
		assert_string_equal(err->message, l->sentence);
		bw_error_free(err);
		assert_int_equal(bw_debug_state(s.debug), BW_DEBUG_STOPPED);
		OK(see_waves(&s));
		OK(see_registers(&s));
	}
	fake_session_end(&s);
}

static void test_each_without_each(void **state)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(lacks); i++)
		for (size_t k = 0; k < BW_ARRAY_SIZE(actions); k++)
			try(&lacks[i], &actions[k]);
}

/* As a dump: the first wait shows what there is, all of it can be looked at, and nothing runs. */
static void test_nothing_but_looking(void **state)
{
	struct fake_session s;
	struct bw_stop stop;
	fake_session_create(&s, loop, BW_ARRAY_SIZE(loop));
	fake_session_start_without(&s, 1, BW_CAP_ALL);
	OK(bw_debug_wait(s.debug, -1, &stop));
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.n_waves, 2);
	assert_int_equal(stop.n_unstoppable, 0);
	OK(see_waves(&s));
	OK(see_registers(&s));
	OK(see_memory(&s));
	OK(see_code(&s));
	OK(see_fault(&s));
	OK(see_buffers(&s));
	fake_fails(bw_debug_continue(s.debug), BW_E_UNSUPPORTED, "this target cannot run waves");
	fake_fails(stepi(&s), BW_E_UNSUPPORTED, "this target cannot run waves");
	fake_fails(write_sgpr(&s), BW_E_UNSUPPORTED, "this target cannot write registers");
	OK(see_waves(&s));
	fake_session_end(&s);
}

/* Precise memory is what the generation has a bit for, and a target of one without it says so. */
static void test_generation_without_precise_memory(void **state)
{
	struct bw_arch without = *bw_arch_of(BW_IP_VERSION(11, 0, 0));
	assert_int_equal(bw_target_gpu_caps(&without), BW_CAP_ALL);
	assert_int_equal(bw_target_gpu_caps(bw_arch_of(BW_IP_VERSION(12, 0, 0))), BW_CAP_ALL);
	without.single_memop = (struct bw_arch_bits){0, 0};
	assert_int_equal(bw_target_gpu_caps(&without), BW_CAP_ALL & ~(uint32_t)BW_CAP_PRECISE);

	struct fake_session s;
	fake_session_create(&s, loop, BW_ARRAY_SIZE(loop));
	fake_session_start_without(&s, 1, BW_CAP_ALL & ~bw_target_gpu_caps(&without));
	fake_fails(bw_debug_set_precise(s.debug, false), BW_E_UNSUPPORTED,
		   "this target cannot switch precise memory");
	fake_session_end(&s);
}

static void test_every_capability_is_tried(void **state)
{
	uint32_t seen = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(lacks); i++)
		seen |= lacks[i].cap;
	assert_int_equal(seen, BW_CAP_ALL);
}

/* Settings made before there was a target: the session says that this one does not support them. */
static void test_asked_for_before(void **state)
{
	static const uint32_t missing[] = {BW_CAP_EXCEPTIONS, BW_CAP_PATCH, BW_CAP_PRECISE};
	for (size_t i = 0; i < BW_ARRAY_SIZE(missing); i++) {
		struct fake_session s;
		struct bw_stop stop;
		uint32_t number;
		fake_session_create(&s, loop, BW_ARRAY_SIZE(loop));
		OK(bw_debug_catch_exceptions(s.debug, BW_EXCP_DIV0, false, &number));
		OK(bw_debug_break(s.debug, "demo+4", false, &number));
		OK(bw_debug_set_precise(s.debug, false)); /* the fake one is */
		fake_session_start_without(&s, 1, missing[i]);
		OK(bw_debug_stop(s.debug, &stop));
		assert_int_equal(stop.kind, BW_STOP_WAVES);
		const char *sentence = NULL;
		for (size_t k = 0; k < BW_ARRAY_SIZE(lacks); k++)
			if (lacks[k].cap == missing[i])
				sentence = lacks[k].sentence;
		assert_non_null(sentence);
		if (!strstr(s.notices, sentence))
			print_error("not all is said: %s\n", s.notices);
		assert_non_null(strstr(s.notices, sentence));
		fake_session_end(&s);
	}
}

/* Several inferiors: one of them is detached from, or killed. */
static void test_one_of_two_programs(void **state)
{
	struct fake_session s;
	start(&s, BW_CAP_PROCESSES);
	fake_push(s.fake,
		  &(struct bw_target_event){.kind = BW_EVENT_PROGRAM, .pid = 43, .comm = "second"});
	struct bw_stop stop;
	OK(bw_debug_stop(s.debug, &stop));
	const char *sentence = "this target cannot detach from or kill programs";
	fake_fails(bw_debug_detach_inferior(s.debug, 2), BW_E_UNSUPPORTED, sentence);
	fake_fails(bw_debug_kill_inferior(s.debug, 2), BW_E_UNSUPPORTED, sentence);
	size_t n;
	bw_debug_inferiors(s.debug, &n);
	assert_int_equal(n, 2);
	fake_session_end(&s);
}

/* A page fault without the page tables: what the instruction says is shown, and why nobody knows
 * more. */
static void test_fetch_fault_without_walk(void **state)
{
	const uint32_t words[] = {NOP, 0xbfa07fff}; /* s_branch to far behind the memory */
	struct fake_session s;
	struct bw_stop stop;
	struct bw_fault_info f;
	fake_session_create(&s, words, BW_ARRAY_SIZE(words));
	fake_session_start_without(&s, 1, BW_CAP_WALK);
	OK(bw_debug_wait(s.debug, 10, &stop));
	assert_int_equal(stop.reasons, BW_REASON_MEMORY_VIOLATION);
	OK(bw_debug_fault(s.debug, stop.wave, &f));
	assert_true(f.is_fetch && f.has_addr);
	assert_int_equal(f.verdict.kind, BW_VERDICT_UNKNOWN);
	assert_string_equal(f.verdict.text, "this target cannot walk page tables");
	fake_session_end(&s);
}

TESTS(test_each_without_each, test_nothing_but_looking, test_generation_without_precise_memory,
      test_every_capability_is_tried, test_asked_for_before, test_one_of_two_programs,
      test_fetch_fault_without_walk);
