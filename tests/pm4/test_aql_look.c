/* SPDX-License-Identifier: MIT */
/* Queues in a memory of some KiB, and what is said about why they stand. Layouts: test_aql.c. */
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/aql_look.h"

enum {
	BASE = 0x10000,
	SIZE_B = 0x4000,
	RING_B = 0x200, /* 8 slots */
	OBJECT = 0x1000,
	SIGNALS = 0x2000,
	KERNEL = 0x3000,
};
static uint8_t memory[SIZE_B];

static bool read_memory(void *cookie, uint64_t va, void *out, size_t size_b)
{
	if (va < BASE || va - BASE > SIZE_B || size_b > SIZE_B - (va - BASE))
		return false;
	memcpy(out, memory + (va - BASE), size_b);
	return true;
}

static void put64(uint64_t at, uint64_t value)
{
	memcpy(memory + at, &value, 8);
}

static uint64_t signal_va(unsigned n)
{
	return BASE + SIGNALS + n * 64;
}

static void set_signal(unsigned n, int64_t value)
{
	put64(SIGNALS + n * 64 + 8, (uint64_t)value);
}

static uint64_t object_at(unsigned queue)
{
	return OBJECT + queue * 0x200;
}

static void put_packet(unsigned queue, uint64_t index, uint16_t type, uint64_t waits,
		       uint64_t completion)
{
	uint64_t at = queue * RING_B + index % 8 * 64;
	memset(memory + at, 0, 64);
	memcpy(memory + at, &type, 2);
	put64(at + 8, waits);
	put64(at + 0x38, completion);
	uint64_t write;
	memcpy(&write, memory + object_at(queue) + 0x38, 8);
	put64(object_at(queue) + 0x38, BW_MAX(write, index + 1));
}

static void begin(unsigned queue, uint64_t read)
{
	put64(object_at(queue) + 0x38, read);
	put64(object_at(queue) + 0x80, read);
	put64(object_at(queue) + 0x88, 0x80);
}

static char said[2048];

/* What is said of the first of n queues. */
static const char *explain(size_t n, const struct bw_aql_dispatch *dispatch)
{
	static const struct bw_aql_memory m = {read_memory, NULL};
	struct bw_aql_one queues[2] = {{.name = "queue 1"}, {.name = "queue 2"}};
	struct bw_str text = {0};
	for (unsigned i = 0; i < n; i++) {
		const struct bw_aql_ring ring = {BASE + i * RING_B, BASE + object_at(i) + 0x80,
						 BASE + object_at(i) + 0x38, 8};
		bw_aql_look(&ring, &m, &queues[i].state);
	}
	struct bw_aql_stand s = {.queues = queues,
				 .n = n,
				 .memory = m,
				 .program = "x (process 7)",
				 .for_waves = "WAVES",
				 .for_program = "PROGRAM"};
	if (dispatch)
		s.dispatch = *dispatch;
	bw_aql_explain(&s, &text);
	strncpy(said, bw_str_text(&text), sizeof(said) - 1);
	bw_str_free(&text);
	return said;
}

static void says(const char *text, const char *words)
{
	if (!strstr(text, words))
		print_error("\"%s\" is not in:\n%s\n", words, text);
	assert_non_null(strstr(text, words));
}

static void test_barriers(void **state)
{
	memset(memory, 0, sizeof(memory));
	begin(0, 11);
	assert_string_equal(explain(1, NULL), "");
	set_signal(0, 1);
	put_packet(0, 11, 3, signal_va(0), 0);
	says(explain(1, NULL),
	     "Queue 1 of x (process 7) has 1 packet that is not complete, and stands at packet 11: a "
	     "barrier-AND that waits until signal 0x12000 (value 1) is 0. No packet of the program's AQL "
	     "queues decrements this signal");
	says(said, "Next: PROGRAM.");
	put_packet(0, 11, 3, signal_va(0), signal_va(0));
	says(explain(1, NULL), "waits for itself, and never ends");
	put_packet(0, 11, 3, signal_va(0), 0);
	put_packet(0, 13, 2, 0, signal_va(0));
	put_packet(0, 12, 3, 0, 0);
	says(explain(1, NULL), "has 3 packets that are not complete");
	says(said,
	     "Packet 13 of this queue, a kernel dispatch, would decrement it, but comes after the barrier");
	set_signal(0, -1);
	says(explain(1, NULL), "decremented too often");
	set_signal(0, 0);
	says(explain(1, NULL), "whose signals let it go on now");
	/* an OR that one signal satisfies */
	set_signal(0, 1);
	put_packet(0, 11, 5, signal_va(0), 0);
	put64(11 % 8 * 64 + 16, signal_va(1));
	says(explain(1, NULL), "let it go on now");
	set_signal(1, 2);
	says(explain(1, NULL),
	     "until signal 0x12000 (value 1) is 0 or signal 0x12040 (value 2) is 0.");
	put64(11 % 8 * 64 + 16, 8);
	says(explain(1, NULL), "signal 0x8 (not readable)");
}

static void test_a_value(void **state)
{
	memset(memory, 0, sizeof(memory));
	begin(0, 0);
	set_signal(0, 0x13);
	/* a vendor packet of format 2: at least 4 in the low four bits */
	put_packet(0, 0, 0, signal_va(0), 0);
	memory[2] = 2;
	put64(0x10, 4);
	put64(0x18, 0xf);
	memory[0x20] = 3;
	says(explain(1, NULL),
	     "a barrier on a value that waits until signal 0x12000 (value 19) is at least 4 in the bits 0xf");
}

static void test_two_queues(void **state)
{
	memset(memory, 0, sizeof(memory));
	begin(0, 0);
	begin(1, 0);
	set_signal(0, 2);
	set_signal(1, 1);
	put_packet(0, 0, 3, signal_va(0), signal_va(1));
	put_packet(1, 0, 3, signal_va(1), 0);
	put_packet(1, 1, 2, 0, signal_va(0));
	says(explain(2, NULL),
	     "Packet 1 of queue 2, a kernel dispatch, decrements it. But queue 2 stands at packet 0, a "
	     "barrier-AND that waits for signal 0x12040 (value 1), which packet 0 of this queue would "
	     "decrement: they wait for each other in a circle");
	says(said, "The value is 2, and 1 packet to come will decrement it.");
	set_signal(1, 0);
	put_packet(1, 0, 2, 0, 0);
	says(explain(2, NULL), "Queue 2 itself stands at packet 0, a kernel dispatch.");
}

static void test_dispatches(void **state)
{
	memset(memory, 0, sizeof(memory));
	begin(0, 0);
	begin(1, 0);
	set_signal(0, 1);
	put_packet(0, 0, 2, 0, signal_va(0));
	put64(0x20, BASE + KERNEL);
	put_packet(1, 0, 3, signal_va(0), 0);
	says(explain(2, &(struct bw_aql_dispatch){"dispatch 3 (f)", .are_waves_known = true,
						  .n_waves = 2, .where = "f+8"}),
	     "at packet 0: dispatch 3 (f), which is running: 2 of its waves are on the GPU, at f+8. When all of them have "
	     "ended, the GPU decrements signal 0x12000 (value 1). Packet 0 of queue 2 waits for it.");
	says(said, "Next: WAVES.");
	says(explain(1, &(struct bw_aql_dispatch){.are_waves_known = true,
						  .n_waves = 2,
						  .n_stopped = 1}),
	     " 1 of them is at a breakpoint, a fault or another stop of its own; \"continue\" resumes the "
	     "waves.");
	assert_null(strstr(said, "does not end"));
	says(explain(1, &(struct bw_aql_dispatch){.is_held = true}),
	     "a dispatch of the kernel at 0x13000, which the debugger holds");
	/* 256 bytes of scratch for a lane, where the queue has 64 for one of wave64 */
	memory[0x18 + 1] = 1;
	memory[object_at(0) + 0xb0] = 64;
	put64(object_at(0) + 0xc0, signal_va(1));
	set_signal(1, 1);
	says(explain(1, NULL),
	     "which has not begun: it needs 256 bytes of scratch for each lane, and the queue has 64. The GPU "
	     "has asked the program's runtime for more by signal 0x12040 (value 1)");
	/* as wave32 it has twice that */
	memory[KERNEL + 0x39] = 4;
	says(explain(1, NULL), "and the queue has 128");
	memory[object_at(0) + 0xb0] = 128;
	says(explain(1, NULL), "which has not ended");
}

static void test_odd_packets(void **state)
{
	memset(memory, 0, sizeof(memory));
	begin(0, 0);
	put_packet(0, 0, 1, 0, 0);
	says(explain(1, NULL), "has reserved it, and has not written its header yet");
	put_packet(0, 0, 77, 0, 0);
	says(explain(1, NULL), "a packet of type 77 (unknown), which no GPU executes");
	put_packet(0, 0, 0, 0, 0);
	memory[2] = 1;
	says(explain(1, NULL), "a vendor packet with PM4 commands");
}

TESTS(test_barriers, test_a_value, test_two_queues, test_dispatches, test_odd_packets);
