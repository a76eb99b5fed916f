/* SPDX-License-Identifier: MIT */
/* Frames as mes_v11_0_add_hw_queue and mes_v11_0_remove_hw_queue of Linux 6.12 put them on the
 * ring: the offsets are those of the packed structs of mes_v11_api_def.h. */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "pm4/mes.h"

static uint32_t header(unsigned opcode)
{
	return 1 | opcode << 4 | BW_MES_FRAME_DW << 12;
}

static void test_names(void **state)
{
	assert_string_equal(bw_mes_name(header(2)), "ADD_QUEUE");
	assert_string_equal(bw_mes_name(header(19)), "SET_HW_RSRC_1");
	assert_string_equal(bw_mes_name(header(17)), "unknown frame");
	assert_string_equal(bw_mes_name(header(255)), "unknown frame");
	assert_string_equal(bw_mes_name(0), "unknown frame");
	assert_string_equal(bw_mes_name(UINT32_MAX), "unknown frame");
}

static void test_add_queue(void **state)
{
	uint32_t f[BW_MES_FRAME_DW] = {header(2)};
	struct bw_str s = {0};
	f[1] = 0x8001;	/* process_id */
	f[2] = 0x1000;	/* page_table_base_addr */
	f[18] = 0x800;	/* doorbell_offset */
	f[19] = 0x2000; /* mqd_addr */
	f[20] = 0x80;
	f[27] = 1; /* queue_type */
	bw_mes_describe(f, BW_MES_FRAME_DW, &s);
	assert_non_null(strstr(bw_str_text(&s), "process 0x8001\npage table 0x1000\n"));
	assert_non_null(strstr(bw_str_text(&s), "doorbell 0x800\nMQD 0x8000002000\n"));
	assert_non_null(strstr(bw_str_text(&s), "queue type 0x1\n"));
	bw_str_clear(&s);
	/* one that is cut off has what is there */
	bw_mes_describe(f, 20, &s);
	assert_non_null(strstr(bw_str_text(&s), "doorbell 0x800\n"));
	assert_null(strstr(bw_str_text(&s), "MQD"));
	bw_str_clear(&s);
	bw_mes_describe(f, 0, &s);
	assert_int_equal(s.len, 0);
	bw_str_free(&s);
}

static void test_others(void **state)
{
	uint32_t f[BW_MES_FRAME_DW] = {header(3), 0x900};
	struct bw_str s = {0};
	bw_mes_describe(f, BW_MES_FRAME_DW, &s);
	assert_non_null(strstr(bw_str_text(&s), "doorbell 0x900\n"));
	bw_str_clear(&s);
	f[0] = header(14); /* MISC */
	f[1] = 3;
	f[6] = 0x1260; /* reg_offset */
	f[8] = 0x80;   /* buffer_addr */
	bw_mes_describe(f, BW_MES_FRAME_DW, &s);
	assert_string_equal(bw_str_text(&s), "READ_REG\nregister 0x1260\nto 0x8000000000\n");
	bw_str_clear(&s);
	f[1] = UINT32_MAX;
	bw_mes_describe(f, BW_MES_FRAME_DW, &s);
	assert_string_equal(bw_str_text(&s), "operation 0xffffffff\n");
	bw_str_free(&s);
}

TESTS(test_names, test_add_queue, test_others);
