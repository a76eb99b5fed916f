/* SPDX-License-Identifier: MIT */
/* Buffers of printf made here by hand, as LLVM 19's stores make them; what C's printf makes of the
 * same arguments is expected. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "launch/printf.h"

struct buffer {
	uint8_t *bytes;
	uint32_t used_b;
};

static struct buffer buffer_new(void)
{
	struct buffer b = {malloc(BW_PRINTF_BUFFER_B), 0};
	assert_non_null(b.bytes);
	bw_printf_buffer_init(b.bytes);
	return b;
}

static void reserve(struct buffer *b, uint32_t size_b)
{
	b->used_b += size_b;
	memcpy(b->bytes, &b->used_b, 4);
}

/* Words at the start of a call of size_b bytes; the others stay as they are. */
static void call(struct buffer *b, uint32_t size_b, const void *words, size_t words_b)
{
	memcpy(b->bytes + BW_PRINTF_HEAD_B + b->used_b, words, words_b);
	reserve(b, size_b);
}

static void expect(struct buffer *b, const char *const *formats, size_t n, const char *text)
{
	struct bw_str out = {0};
	bw_printf_buffer_text(b->bytes, formats, n, &out);
	assert_string_equal(bw_str_text(&out), text);
	bw_str_free(&out);
	free(b->bytes);
}

/* While the kernel runs, calls that are not written to their end wait, and the rest comes at the
 * end. */
static void at_a_stop(void **state)
{
	static const char *const formats[] = {"1:1:4:n %d\\n", "2:2:8:4:%s %d\\n"};
	struct buffer b = buffer_new();
	const uint32_t one[] = {1, 7}, text[] = {2, 0x64636261, 8};
	struct bw_str out = {0};
	call(&b, 8, one, sizeof(one));
	call(&b, 16, text, sizeof(text)); /* "abcd": without its last dword */
	reserve(&b, 8);			  /* a wave is here */
	call(&b, 8, one, sizeof(one));
	uint32_t shown_b = (uint32_t)bw_printf_calls_text(b.bytes + BW_PRINTF_HEAD_B, b.used_b,
							  formats, 2, &out);
	assert_string_equal(bw_str_text(&out), "n 7\nabcd 8\n");
	assert_int_equal(shown_b, 24);
	memcpy(b.bytes + BW_PRINTF_SHOWN_AT, &shown_b, 4);
	memcpy(b.bytes + BW_PRINTF_HEAD_B + 24, (uint32_t[]){1, 9}, 8);
	bw_str_free(&out);
	expect(&b, formats, 2, "n 9\nn 7\n");
	/* less than a call, and a buffer that says too much */
	assert_int_equal(bw_printf_calls_text((const uint8_t *)one, 7, formats, 2, &out), 0);
	struct buffer all = buffer_new();
	memcpy(all.bytes + BW_PRINTF_SHOWN_AT, &(uint32_t){UINT32_MAX}, 4);
	expect(&all, formats, 2, "");
	bw_str_free(&out);
}

static void numbers(void **state)
{
	/* printf("%d: %-6.2f|%x %#lx %e %%\n", -5, 1.5f, 255, 1L << 40, 1.0 / 4) */
	static const char *const formats[] = {"9:0:other\\n",
					      "2:5:4:4:4:8:8:%d\\72 %-6.2f|%x %#lx %e %%\\n"};
	struct buffer b = buffer_new();
	const uint32_t words[] = {2, (uint32_t)-5, 0x3fc00000, 255, 0, 0x100, 0, 0x3fd00000};
	call(&b, 32, words, sizeof(words));
	call(&b, 4, &(uint32_t){9}, 4);
	expect(&b, formats, 2, "-5: 1.50  |ff 0x10000000000 2.500000e-01 %\nother\n");
}

static void vectors(void **state)
{
	/* printf("%v4hlf %v2hhd %v3hld", (float4)(0, 1.5f, -2, 1), (char2)(-1, 7), (int3)(1, 2, -3)) */
	static const char *const formats[] = {"1:3:16:8:16:%v4hlf %v2hhd %v3hld"};
	struct buffer b = buffer_new();
	const uint32_t words[] = {1, 0, 0x3fc00000, 0xc0000000,	  0x3f800000, (uint32_t)-1,
				  7, 1, 2,	    (uint32_t)-3, 99};
	call(&b, 44, words, sizeof(words));
	expect(&b, formats, 1, "0.000000,1.500000,-2.000000,1.000000 -1,7 1,2,-3");
}

/* Strings of whole dwords come without their end, and leave room at the end of the call. */
static void strings(void **state)
{
	static const char *const formats[] = {"1:4:8:8:4:8:%s %s %.1s|%5s\\n", "2:3:8:4:4:%s%c%d"};
	static const char first[] = "fullhello\0\0\0"
				    "ab\0\0"
				    "four",
			  second[] = "abcdz\0\0\0\7\0\0";
	struct buffer b = buffer_new();
	const uint32_t ids[] = {1, 2};
	uint8_t words[64];
	memcpy(words, &ids[0], 4);
	memcpy(words + 4, first, sizeof(first) - 1);
	call(&b, 32, words, 4 + sizeof(first) - 1);
	memcpy(words, &ids[1], 4);
	memcpy(words + 4, second, sizeof(second));
	call(&b, 20, words, 4 + sizeof(second));
	expect(&b, formats, 2, "full hello a| four\nabcdz7");
}

static void what_is_wrong(void **state)
{
	static const char *const formats[] = {"nonsense", "1:9999999999:4:", "2:1:4:%d %d %q %",
					      "3:1:4294967295:%s", "4:1:2:%lf"};
	struct buffer b = buffer_new();
	call(&b, 8, (const uint32_t[]){2, 7}, 8);
	const uint32_t lost = 3;
	memcpy(b.bytes + BW_PRINTF_HEAD_B + BW_PRINTF_ROOM_B, &lost, 4);
	call(&b, 4, &(uint32_t){77}, 4);
	expect(&b, formats, BW_ARRAY_SIZE(formats),
	       "7 %d %q %[the rest of what the kernel prints cannot be read: call 77]\n"
	       "[3 more calls of printf found no room: there are 4 MiB]\n");
	/* A count of bytes that no buffer has, and a call that ends behind it. */
	b = buffer_new();
	reserve(&b, BW_PRINTF_ROOM_B - 4);
	for (uint32_t at = 0; at < BW_PRINTF_ROOM_B; at += 4)
		memcpy(b.bytes + BW_PRINTF_HEAD_B + at, &(uint32_t){5}, 4);
	reserve(&b, UINT32_MAX / 2);
	static const char *const long_one[] = {"5:1:4194300:%s", "6:0:"};
	struct bw_str out = {0};
	bw_printf_buffer_text(b.bytes, long_one, 2, &out);
	assert_true(out.len < 2 * BW_PRINTF_ROOM_B);
	bw_str_free(&out);
	free(b.bytes);
}

TESTS(numbers, at_a_stop, vectors, strings, what_is_wrong);
