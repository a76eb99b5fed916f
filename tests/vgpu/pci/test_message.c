/* SPDX-License-Identifier: MIT */
/* Bytes are those of the vfio-user protocol as QEMU 11.1 sends them. */
#include "vgpu/pci/message.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../suite.h"

static uint8_t bytes[256];
static size_t n_bytes;

static void begin(uint16_t command)
{
	const uint16_t id = 0x1234;
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, &id, 2);
	memcpy(bytes + 2, &command, 2);
	n_bytes = 16;
}

static void u32(uint32_t v)
{
	memcpy(bytes + n_bytes, &v, 4);
	n_bytes += 4;
}

static void u64(uint64_t v)
{
	memcpy(bytes + n_bytes, &v, 8);
	n_bytes += 8;
}

static int parse(size_t n_fds, struct bw_vfu_request *out)
{
	struct bw_vfu_header h;
	uint32_t size = (uint32_t)n_bytes;
	memcpy(bytes + 4, &size, 4);
	struct bw_error *err = bw_vfu_parse_header(bytes, &h);
	assert_null(err);
	return bw_vfu_parse(&h, bytes + 16, n_fds, out);
}

static void a_map_is_read(void **state)
{
	struct bw_vfu_request r;
	begin(2);
	u32(32), u32(3), u64(0x100000), u64(0xc0000), u64(0x2000);
	assert_int_equal(parse(1, &r), 0);
	assert_int_equal(r.map.offset_b, 0x100000);
	assert_int_equal(r.map.address, 0xc0000);
	assert_int_equal(r.map.size_b, 0x2000);
	assert_int_equal(parse(2, &r), EINVAL); /* one descriptor for one range */
}

static void what_is_short_or_wrong_is_refused(void **state)
{
	struct bw_vfu_request r;
	begin(2);
	u32(32), u32(3), u64(0), u64(0xc0000);
	assert_int_equal(parse(0, &r), EINVAL); /* no size */
	u64(0);
	assert_int_equal(parse(0, &r), EINVAL); /* of 0 */
	begin(2);
	u32(32), u32(3), u64(0), u64(~0ull), u64(2);
	assert_int_equal(parse(0, &r), EINVAL); /* round the end */
	begin(9);
	u64(~0ull), u32(5), u32(4);
	assert_int_equal(parse(0, &r), EINVAL);
	begin(10);
	u64(0), u32(5), u32(8), u32(1);
	assert_int_equal(parse(0, &r), EINVAL); /* four bytes missing */
	u32(2);
	assert_int_equal(parse(0, &r), 0);
	assert_int_equal(parse(1, &r), EINVAL); /* a descriptor that nothing wants */
	begin(5);
	u32(32), u32(0), u32(9), u32(0), u64(0), u64(0);
	assert_int_equal(parse(0, &r), EINVAL); /* no such region */
	begin(15);
	assert_int_equal(parse(0, &r), ENOTSUP);
}

static void interrupts_are_set_by_eventfd_or_dropped(void **state)
{
	struct bw_vfu_request r;
	begin(8);
	u32(20), u32(0x24), u32(1), u32(0), u32(1);
	assert_int_equal(parse(1, &r), 0);
	assert_int_equal(r.irqs.index, 1);
	assert_int_equal(parse(2, &r), EINVAL);
	begin(8);
	u32(20), u32(0x21), u32(1), u32(0), u32(0);
	assert_int_equal(parse(0, &r), 0);
	assert_int_equal(parse(1, &r), EINVAL);
	begin(8);
	u32(20), u32(0x3c), u32(1), u32(0), u32(1); /* three actions at once */
	assert_int_equal(parse(0, &r), EINVAL);
	begin(8);
	u32(20), u32(0x22), u32(0), u32(0), u32(1); /* bool: a byte each */
	assert_int_equal(parse(0, &r), EINVAL);
}

static void a_header_without_a_place_in_the_stream_is_an_error(void **state)
{
	struct bw_vfu_header h;
	const uint32_t sizes[] = {0, 15, BW_VFU_MAX_MESSAGE_B + 1, 0xffffffff};
	for (unsigned i = 0; i < 4; i++) {
		begin(4);
		memcpy(bytes + 4, &sizes[i], 4);
		struct bw_error *err = bw_vfu_parse_header(bytes, &h);
		assert_non_null(err);
		bw_error_free(err);
	}
	begin(4);
	bytes[4] = 16;
	bytes[8] = 1; /* a reply */
	struct bw_error *err = bw_vfu_parse_header(bytes, &h);
	assert_non_null(err);
	bw_error_free(err);
}

static void replies_repeat_id_and_command(void **state)
{
	static uint8_t out[BW_VFU_MAX_MESSAGE_B];
	const struct bw_vfu_header h = {.id = 7, .command = BW_VFU_GET_INFO, .size_b = 32};
	struct bw_vfu_reply r = {.bytes = out};
	bw_vfu_reply_begin(&r, &h);
	bw_vfu_reply_info(&r);
	bw_vfu_reply_end(&r, 0);
	const uint8_t good[] = {7,  0, 4, 0, 32, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
				16, 0, 0, 0, 3,	 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0};
	assert_int_equal(r.size_b, sizeof(good));
	assert_memory_equal(out, good, sizeof(good));
	bw_vfu_reply_end(&r, EINVAL);
	const uint8_t bad[] = {7, 0, 4, 0, 16, 0, 0, 0, 0x21, 0, 0, 0, EINVAL, 0, 0, 0};
	assert_int_equal(r.size_b, sizeof(bad));
	assert_memory_equal(out, bad, sizeof(bad));
}

TESTS(a_map_is_read, what_is_short_or_wrong_is_refused, interrupts_are_set_by_eventfd_or_dropped,
      a_header_without_a_place_in_the_stream_is_an_error, replies_repeat_id_and_command);
