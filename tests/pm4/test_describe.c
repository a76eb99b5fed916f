/* SPDX-License-Identifier: MIT */
/* Packets as text, and words out of the forms in which people have them. */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/describe.h"

static void test_packets(void **state)
{
	/* Headers and bodies as nvd.h of Linux lays them out; registers by their offsets in
	 * gc_11_0_0_offset.h. */
	static const struct {
		uint32_t dw[24], n;
		const char *text;
	} cases[] = {
		{{0xc0027600, 0x20c, 0x10000, 1},
		 4,
		 "COMPUTE_PGM_LO = 0x00010000\nCOMPUTE_PGM_HI = 0x00000001\n"},
		{{0xc0023f00, 0x10000, 0x7f00, 0x03300003},
		 4,
		 "IB at 0x7f0000010000, 3 words, VMID 3, chained\n"},
		{{0xc0023f00, 0x10000, 0x7f00, 0x03000003},
		 4,
		 "IB at 0x7f0000010000, 3 words, VMID 3\n"},
		{{0xc0031500, 4, 2, 1, 0x41}, 5, "4 x 2 x 1 workgroups, wave64\n"},
		{{0xc0053c00, 0x13, 0x1000, 0, 5, 0xff, 4},
		 7,
		 "wait until (memory 0x1000 & 0xff) == 0x5\n"},
		{{0xc0001000, 0}, 2, ""},
		/* by their fields: umr's decoder and sid.h of Mesa name them too */
		{{0xc0042700, 6, 0x8000, 0x7f, 3, 2},
		 6,
		 "max_size 6, address 0x7f00008000, n_indices 3, draw_initiator 0x2\n"},
		{{0xc0022100, 0x8000c200, 0xffff, 0x10000},
		 4,
		 "register GRBM_GFX_INDEX, or_mask_is_register 0, and_mask_is_register 1, "
		 "and_mask 0xffff, or_mask 0x10000\n"},
		{{0xc0074500, 0x113, 0x1000, 0x7f, 5, 0xff, 0x2000, 0x7f, 9},
		 9,
		 "function 3, in_memory 1, write_space 1, address 0x7f00001000, reference 0x5, "
		 "mask 0xff, write_address 0x7f00002000, value 0x9\n"},
		{{0xc0002300, 0x3000010}, 2, "n_dw 16, devices 0x3\n"},
		{{0xc0032400, 0x40, 0x240, 0x241, 2},
		 5,
		 "offset 0x40, vertex_register COMPUTE_USER_DATA_0, instance_register "
		 "COMPUTE_USER_DATA_1, draw_initiator 0x2\n"},
		{{0xc001b100, 0x3000, 0x7f}, 3, "address 0x7f00003000\n"},
		/* gfx9_plus_merged_f32_*_pm4_packets.h of PAL has these */
		{{0xc0091d00, 0x40050012, 0x104, 0x10, 0x20, 0x20001, 7, 8, 0, 9, 0},
		 11,
		 "operation 18, repeats 1, complete 0, read 1, read_control 0, engine 1, "
		 "increment 4, dmode 1, base 0x10, size 32, offset_0 1, offset_1 2, "
		 "destination 0x7, source_0 0x8, source_1 0x9\n"},
		{{0xc0023000, 5, 2, 0x00640003},
		 4,
		 "n_primitives 5, draw_initiator 0x2, index_offset 3, primitive_type 4, "
		 "n_indices 3\n"},
		{{0xc0085b00, 0x1000, 0x7f, ~0u, 0, 1, 2, 0x1000, 0, 8},
		 10,
		 "destination 0x7f00001000, mask 0xffffffff, value 0x200000001, increment 0x1000, "
		 "n_entries 8\n"},
		{{0xc0035c00, 0x1000, 0x7f, 0x10900003, 0x8001},
		 5,
		 "address 0x7f00001000, n_dw 3, chain 1, offload_polling 0, valid 1, "
		 "cache_policy 1, pasid 32769\n"},
		{{0xc0007500, 2}, 2, "sync_context_manager 0, sync_dma 1\n"},
		{{0xc0027700, 0x8000020c, 0x40, 0x70000},
		 4,
		 "register COMPUTE_PGM_LO, index 2, offset 0x40, driver_data 0x7\n"},
		{{0xc0017800, 0x00058012, 9},
		 3,
		 "register_offset 0x12, defer 1, queue 5\n0x00000009\n"},
		{{0xc0038e00, 0x100, 0x40, 0x7f, 0x100d0c14},
		 5,
		 "size 256, address 0x7f00000040, interval 5, reset_count 67, reset_force 1, "
		 "report_and_reset 1, cache_policy 1\n"},
		{{0xc0029100, 0x1230, 1, 2}, 4, "from_base 0, address_16b 0x10000123, index 2\n"},
		{{0xc0029e00, 0xc0000010, 4, 0x40},
		 4,
		 "offset 0x10, cache_policy 0, increment_ce 1, increment_cs 1, n_dw 4, "
		 "address_offset 0x40\n"},
		/* pm4_mes_map_process of kfd_pm4_headers_ai.h */
		{{0xc00ea100, 0x15008001, 0x1000, 1, 2, 3, 4, 0, 5, 0, 0, 0x2000, 0, 0x00c10081,
		  0x40, 0x7f},
		 16,
		 "pasid 32769, debug_queue 1, quantum 10, page_table 0x100001000, sh_mem_bases "
		 "0x2, sh_mem_config 0x3, trap_handler 0x4, trap_memory 0x5, gds_address 0x2000, "
		 "n_gws 1, sdma 1, n_oac 0, gds_size 1, n_queues 3, completion_signal 0x7f00000040\n"},
		/* pm4_mes_map_process of kfd_pm4_headers_aldebaran.h */
		{{0xc013a100, 0x14018001, 0x1000,     1, 2, 3, 4, 0, 5,	   0,	0,
		  0x2000,     0,	  0x00c10081, 8, 1, 2, 3, 4, 0x40, 0x7f},
		 21,
		 "pasid 32769, single_memops 1, debug_vmid 0, quantum 10, page_table 0x100001000, "
		 "sh_mem_bases 0x2, sh_mem_config 0x3, trap_handler 0x4, trap_memory 0x5, "
		 "gds_address 0x2000, n_gws 1, sdma 1, n_oac 0, gds_size 1, n_queues 3, gdbg 0x8, "
		 "watch_0 0x1, watch_1 0x2, watch_2 0x3, watch_3 0x4, completion_signal "
		 "0x7f00000040\n"},
		/* only its size is known */
		{{0xc0009900, 3}, 2, "0x00000003\n"},
		/* a bit that no field has; a size that no form has; what comes after the fields */
		{{0xc0008500, 1}, 2, "dummy 1\n"},
		{{0xc0008400, 0x80000001}, 2, "counter 1, and 0x80000000 in dword 1\n"},
		{{0xc0012300, 0x10, 1}, 3, "0x00000010 0x00000001\n"},
		{{0xc0028100, 0x40, 7, 8}, 4, "offset 0x40\n0x00000007 0x00000008\n"},
		{{0xc000ee00, 0x11}, 2, "0x00000011\n"},
	};
	struct bw_pm4_names names;
	struct bw_error *err = bw_pm4_names_of(BW_IP_VERSION(11, 0, 0), &names);
	assert_null(err);
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_pm4_packet p;
		struct bw_str text = {0};
		assert_true(bw_pm4_at(cases[i].dw, cases[i].n, 0, &p));
		bw_pm4_describe(&names, &p, &text);
		assert_string_equal(bw_str_text(&text), cases[i].text);
		bw_str_free(&text);
	}
}

/* As sid.h of Mesa numbers them; nvd.h of Linux has none of these. */
static void test_opcodes(void **state)
{
	static const struct {
		unsigned op;
		const char *name;
	} rows[] = {
		{0x4c, "DISPATCH_MESH_INDIRECT_MULTI"},
		{0x4d, "DISPATCH_TASKMESH_GFX"},
		{0x4e, "DISPATCH_MESH_DIRECT"},
		{0xa9, "DISPATCH_TASK_STATE_INIT"},
		{0xaa, "DISPATCH_TASKMESH_DIRECT_ACE"},
		{0xad, "DISPATCH_TASKMESH_INDIRECT_MULTI_ACE"},
		{0xb1, "EVENT_WRITE_ZPASS"},
		{0x9b, "SET_SH_REG_INDEX"},
		{0x9f, "LOAD_CONTEXT_REG_INDEX"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		char buf[16];
		assert_string_equal(bw_pm4_name(rows[i].op, buf), rows[i].name);
	}
}

static void test_words(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint32_t want[20];
		size_t n_want;
	} cases[] = {
#define TEXT(s) s, sizeof(s) - 1
		/* a devcoredump's ring and its IBs, umr's ring, xxd -e, binary */
		{TEXT("0x0 \t 0xc0023f00\n0x4 \t 0x10000\n"), {0xc0023f00, 0x10000}, 2},
		{TEXT("0xc0001000\n0x00000000\n"), {0xc0001000, 0}, 2},
		{TEXT("   gfx.ring[    0] == 0xc0001000    rwD\n"), {0xc0001000}, 1},
		/* umr -RS: an indirect buffer in the middle of the ring, fields explained */
		{TEXT("Decoding IB at 0@0x300 from 0@0x0 of 3 words (type 4)\n"
		      "[0@0x00000300 + 0x0000]\t[        0xc0012800]\tOpcode 0x28 "
		      "[PKT3_CONTEXT_CONTROL] (2 words, type: 3, hdr: 0xc0012800)\n"
		      "Decoding IB at 3@0x8000 from 0@0x304 of 1 words (type 4)\n"
		      "[3@0x00008000 + 0x0000]\t[        0xffff1000]\tOpcode 0x10 [PKT3_NOP]\n"
		      "[0@0x00000300 + 0x0004]\t[        0x81018003]\t|---> LOAD_EN=1\n"
		      "[0@0x00000300 + 0x0008]\t[        0x00000000]\t|---> SHADOW_EN=0\n"),
		 {0xc0012800, 0x81018003, 0, 0xffff1000},
		 4},
		{TEXT("00000000: c0060080 00000000 c0020100 00000008  ................\n"),
		 {0xc0060080, 0, 0xc0020100, 8},
		 4},
		{TEXT("\x00\x10\x00\xc0\x01\x00\x00\x00\xff"), {0xc0001000, 1}, 2},
		/* as people type them: short ones beside a whole one, and all of a long line */
		{TEXT("c0017600 204 1\n"), {0xc0017600, 0x204, 1}, 3},
		{TEXT("0: c0001000 7\n"), {0xc0001000, 7}, 2},
		{TEXT("1 2 3\n"), {0}, 0},
		{TEXT("c0001000 7 is a number\n"), {0xc0001000}, 1},
		{TEXT("c0101000 1 2 3 4 5 6 7 8 9 a b c d e f 10 11\n"),
		 {0xc0101000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17},
		 18},
		{TEXT("nothing here, 0x123456789 is too long\n"), {0}, 0},
		{TEXT("text \xe2\x80\x94 as people write it: \xc3\xa9\n"), {0}, 0},
		{TEXT("\xe2\x80\x94\xc3"), {0xc39480e2}, 1}, /* cut off: no text */
		{TEXT(""), {0}, 0},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_pm4_words w = {0};
		struct bw_error *err = bw_pm4_read_words(cases[i].bytes, cases[i].n, 100, &w);
		assert_null(err);
		if (w.len != cases[i].n_want)
			fail_msg("case %zu: %zu words", i, w.len);
		for (size_t k = 0; k < w.len; k++)
			assert_int_equal(w.data[k], cases[i].want[k]);
		bw_vec_free(&w);
	}
}

/* Its first field looks as a dword does. */
static void test_aql(void **state)
{
	static const char text[] =
		"Decoding IB at 0x0@0x7a0823e00000 from 0x0@0x0 of 0 words (type 0)\n"
		"[0x0@0x7a0823e00000 + 0x0000]   [        0x00000b02]    Opcode 0x2 "
		"[HSA_KERNEL_DISPATCH] (32 words, type: 0, hdr: 0xb02)\n"
		"[0x0@0x7a0823e00000 + 0x0002]   [            0x0003]    |---> "
		"setup_dimensions=3\n";
	struct bw_pm4_words w = {0};
	struct bw_error *err = bw_pm4_read_words(text, sizeof(text) - 1, 100, &w);
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_UNSUPPORTED);
	assert_int_equal(w.len, 0);
	bw_error_free(err);
	bw_vec_free(&w);
}

TESTS(test_packets, test_opcodes, test_words, test_aql);
