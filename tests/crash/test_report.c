/* SPDX-License-Identifier: MIT */
/* Pages of RADV's hang reports and of the tool umr: as they are written (tests/e2e/look/radv is a
 * whole one), damaged, and with more in them than a GPU has. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "crash/crash.h"

static struct bw_crash parse(const char *const *pages, size_t n)
{
	struct bw_crash c = {0};
	for (size_t i = 0; i < n; i++) {
		unsigned number = 0;
		for (const char *p = pages[i]; *p;) {
			size_t len = strcspn(p, "\n");
			bw_crash_line(&c, p, len, ++number);
			p += len + (p[len] == '\n');
		}
		bw_crash_next_file(&c);
	}
	bw_crash_end(&c);
	assert_false(c.failed);
	return c;
}
#define PARSE(...)                                                                                 \
	({                                                                                         \
		const char *const pages_[] = {__VA_ARGS__};                                        \
		parse(pages_, BW_ARRAY_SIZE(pages_));                                              \
	})

/* ac_debug.c of Mesa 25.0 prints the words so, with colours. */
static const char trace[] =
	"Trace ID: 1\n"
	"------------------ main IB begin - GFX ------------------\n"
	"c0001000 \033[1;32mNOP\033[0m:\n"
	"                 \033[31mTrace point ID: 1\033[0m\n"
	"                 \033[31m!!!!! This is the last trace point that was reached by the CP !!!!!\033[0m\n"
	"cafe0001 \n"
	"c0031500 \033[1;36mDISPATCH_DIRECT\033[0m:\n"
	"00000003         \033[1;33mCOMPUTE_DIM_X\033[0m <- 3\n"
	"00000001         \033[1;33mCOMPUTE_DIM_Y\033[0m <- 1\n"
	"00000001         \033[1;33mCOMPUTE_DIM_Z\033[0m <- 1\n"
	"00000041 \n"
	"c0001000 \033[1;32mNOP\033[0m:\n"
	"cafe0002 \n"
	"------------------- main IB end - GFX -------------------\n"
	"c0001000 is in no IB any more\n";

static void test_trace(void **state)
{
	static const uint32_t words[] = {0xc0001000, 0xcafe0001, 0xc0031500, 3,		1,
					 1,	     0x41,	 0xc0001000, 0xcafe0002};
	struct bw_crash c = PARSE(trace, "    name = NAVI31\n");
	struct bw_crash_place place;
	struct bw_str verdict = {0};
	assert_int_equal(c.dumps.len, 1);
	const struct bw_crash_dump *d = &c.dumps.data[0];
	assert_int_equal(d->style, BW_CRASH_RADV);
	assert_int_equal(d->ibs.len, 1);
	assert_int_equal(d->ibs.data[0].words.len, BW_ARRAY_SIZE(words));
	assert_memory_equal(d->ibs.data[0].words.data, words, sizeof(words));
	assert_true(bw_crash_find_place(d, &place));
	assert_true(place.is_trace);
	assert_int_equal(place.packet_dw, 0);
	bw_crash_verdict(&c, NULL, &verdict);
	assert_non_null(strstr(verdict.data,
			       "Dispatch 1 hangs, or the command processor before it: a "
			       "DISPATCH_DIRECT of [3,1,1] workgroups, after trace point 1, the "
			       "last one that the command processor reached; trace point 2 was not "
			       "reached."));
	bw_str_free(&verdict);
	bw_crash_free(&c);
}

static void test_registers(void **state)
{
	struct bw_crash c = PARSE("Memory-mapped registers:\n"
				  "        \033[1;33mGRBM_STATUS\033[0m <- 0xa8403000\n"
				  "                       GUI_ACTIVE = 1\n"
				  "        CP_STAT <- 17 (0x00000011)\n"
				  "        BAD <- x\n        TOO_LARGE <- 0x123456789\n");
	uint32_t v = 0;
	const struct bw_crash_dump *d = &c.dumps.data[0];
	assert_int_equal(d->registers.len, 2);
	assert_true(bw_crash_register_value(d, "GRBM_STATUS", "", &v));
	assert_int_equal(v, 0xa8403000);
	assert_true(bw_crash_register_value(d, "CP_STAT", "", &v));
	assert_int_equal(v, 17);
	bw_crash_free(&c);
}

static void test_code(void **state)
{
	struct bw_crash c = PARSE(
		"\ts_mov_b32 s0, s3     ; be800003 [PC=0x800000002000, off=0, size=4]\n"
		"\ts_load_b128 s[8:11]  ; f4080201 f8000000 [PC=0x800000002004, off=4, size=8]\n"
		"          \033[1;32m^ SE0 SH0 CU0 SIMD0 WAVE0  EXEC=0000000000000001\033[0m\n"
		"\ts_nop 0              ; bf800000 [PC=0x80000000200c, off=12, size=4]\n"
		"\ts_nop 0              ; bf800000 [PC=0x7f0000000000, off=0, size=4]\n"
		"\ts_nop 0              ; bf800000\n"
		"\ts_nop 0              ; nothing [PC=0x7f0000000004, off=0, size=4]\n");
	static const uint32_t words[] = {0xbe800003, 0xf4080201, 0xf8000000, 0xbf800000};
	const struct bw_crash_report *r = &c.report;
	assert_int_equal(r->pieces.len, 2);
	assert_true(r->pieces.data[0].va == 0xffff800000002000);
	assert_int_equal(r->pieces.data[0].words.len, 4);
	assert_memory_equal(r->pieces.data[0].words.data, words, sizeof(words));
	assert_true(r->pieces.data[1].va == 0x7f0000000000);
	assert_int_equal(r->pieces.data[1].words.len, 1);
	bw_crash_free(&c);
}

/* Equal instructions in a row have the first one's address (ac_debug.c of Mesa 25). */
static void test_repeated_code(void **state)
{
	struct bw_crash c = PARSE(
		"Pipeline hash: 5b47299e9f7e4f98\nCompute Shader:\n\n"
		"SPIRV (see ../evil.spv)\nSPIRV (see b937.spv)\n\nNIR:\nDISASM:\n"
		"Compute Shader:\n*** SHADER STATS ***\nCode size: 24\n\n"
		"Compute Shader - annotated disassembly:\n"
		"\ts_mov_b32 s0, s3  ; be800003 [PC=0x800000002000, off=0, size=4]\n"
		"\ts_nop 0     ; bf800000 [PC=0x800000002004, off=4, size=4]\n"
		"\ts_nop 0     ; bf800000 [PC=0x800000002004, off=4, size=4]\n"
		"\ts_nop 0     ; bf800000 [PC=0x800000002004, off=4, size=4]\n"
		"\ts_load_b128 s[8:11]  ; f4080201 f8000000 [PC=0x800000002010, off=16, size=8]\n"
		"\n\nDescriptors:\n",
		"Compute Shader - annotated disassembly:\n"
		"\ts_nop 1     ; bf800001 [PC=0x800000003000, off=0, size=4]\n");
	static const uint32_t words[] = {0xbe800003, 0xbf800000, 0xbf800000,
					 0xbf800000, 0xf4080201, 0xf8000000};
	const struct bw_crash_report *r = &c.report;
	assert_int_equal(r->pieces.len, 2);
	assert_int_equal(r->pieces.data[0].words.len, BW_ARRAY_SIZE(words));
	assert_memory_equal(r->pieces.data[0].words.data, words, sizeof(words));
	assert_int_equal(r->shaders.len, 2); /* the second file does not say of which pipeline */
	const struct bw_crash_shader *s = &r->shaders.data[0];
	assert_string_equal(s->stage, "Compute Shader");
	assert_string_equal(s->pipeline, "5b47299e9f7e4f98");
	assert_string_equal(s->spirv, "b937.spv");
	assert_true(s->va == 0xffff800000002000);
	assert_int_equal(s->code_b, 24);
	assert_int_equal(s->said_b, 24);
	assert_string_equal(bw_crash_instruction_at(r, s->va), "s_mov_b32 s0, s3");
	assert_null(bw_crash_instruction_at(r, s->va + 20));
	bw_crash_free(&c);
}

/* umr -RS of 2025, of 2018, and an indirect buffer that is printed twice. */
static void test_umr_streams(void **state)
{
	struct bw_crash c = PARSE(
		"\nUMR GFX ring:\n\n"
		"Decoding IB at 0@0x300 from 0@0x0 of 9 words (type 4)\n"
		"[0@0x00000300 + 0x0000]\t[        0xc0012800]\tOpcode 0x28 [PKT3_CONTEXT_CONTROL] "
		"(2 words, type: 3, hdr: 0xc0012800)\n"
		"[0@0x00000300 + 0x0004]\t[        0x81018003]\t|---> LOAD_EN=1, LOAD_CS=1\n"
		"Decoding IB at 0x3@0x80010005ad00 from 0x0@0x28 of 3 words (type 4)\n"
		"[0x3@0x80010005ad00 + 0x0000]\t[        0xc0001200]\tOpcode 0x12\n"
		"[0x3@0x80010005ad00 + 0x0004]\t[        0x00000000]\t|---> CMD=0\n"
		"Done decoding IB\n"
		"[0@0x00000300 + 0x0008]\t[        0x00000000]\t|---> SHADOW_EN=0\n"
		"Decoding IB at 0x3@0x80010005ad00 from 0x0@0x40 of 3 words (type 4)\n"
		"[0x3@0x80010005ad00 + 0x0000]\t[        0xc0001200]\tOpcode 0x12\n"
		"[0x3@0x80010005ad00 + 0x0010]\t[        0xdeadbeef]\t|---> lost\n"
		"[0@0x300 + 0x000c]\t[ 0xcount]\n[0@0x300 + 0xc\n[0@0x300 + 0x000c]\t[0x\n");
	static const uint32_t ring[] = {0xc0012800, 0x81018003, 0}, ib[] = {0xc0001200, 0};
	const struct bw_crash_dump *d = &c.dumps.data[0];
	struct bw_str verdict = {0};
	size_t from, n;
	assert_int_equal(d->rings.len, 1);
	assert_string_equal(d->rings.data[0].name, "gfx");
	assert_true(d->rings.data[0].no_pointers);
	assert_int_equal(d->rings.data[0].words.len, 3);
	assert_memory_equal(d->rings.data[0].words.data, ring, sizeof(ring));
	assert_true(bw_crash_ring_pending(&d->rings.data[0], &from, &n));
	assert_int_equal(n, 3);
	assert_int_equal(d->ibs.len, 1);
	assert_true(d->ibs.data[0].va == 0x80010005ad00);
	assert_int_equal(d->ibs.data[0].vmid, 3);
	assert_int_equal(d->ibs.data[0].size_dw, 3);
	assert_int_equal(d->ibs.data[0].words.len, 2);
	assert_memory_equal(d->ibs.data[0].words.data, ib, sizeof(ib));
	bw_crash_verdict(&c, NULL, &verdict);
	assert_null(strstr(verdict.data, "not executed yet"));
	bw_str_free(&verdict);
	bw_crash_free(&c);

	struct bw_crash old = PARSE("vega10.gfx.rptr == 1\nvega10.gfx.wptr == 3\n"
				    "vega10.gfx.ring[   1] == 0xc0001000    rwD\n"
				    "vega10.gfx.ring[   2] == 0x00000001    .\n");
	const struct bw_crash_ring *r = &old.dumps.data[0].rings.data[0];
	assert_string_equal(r->name, "gfx");
	assert_int_equal(r->rptr, 1);
	assert_true(bw_crash_ring_pending(r, &from, &n));
	assert_int_equal(n, 2);
	bw_crash_free(&old);
}

static void test_ring(void **state)
{
	struct bw_crash c = PARSE("gfx_0.0.0.rptr == 37\ngfx_0.0.0.wptr == 39\n"
				  "gfx_0.0.0.drv_wptr == 39\n"
				  "[gfx_0.0.0][   37] 0xc0001000  NOP, 2 words\n"
				  "[gfx_0.0.0][   38] 0x00000000\n"
				  "[gfx_0.0.0][   99] 0x12345678\n");
	size_t from, n;
	const struct bw_crash_ring *r = &c.dumps.data[0].rings.data[0];
	assert_string_equal(r->name, "gfx_0.0.0");
	assert_int_equal(r->words.len, 2);
	assert_true(bw_crash_ring_pending(r, &from, &n));
	assert_int_equal(from, 0);
	assert_int_equal(n, 2);
	bw_crash_free(&c);
}

/* A buffer that is freed is still known: a fault in it is a use after that. */
static void test_ranges(void **state)
{
	struct bw_crash c = PARSE(
		"timestamp=1, VA=0000800100000000-0000800100001000, destroyed=0, is_virtual=0\n"
		"timestamp=2, VA=0000800100001000-0000800100002000, destroyed=0, is_virtual=0\n"
		"timestamp=3, VA=0000800100001000-0000800100002000, destroyed=1, is_virtual=0\n"
		"timestamp=4, VA=0000800100000000-0000800100001000, destroyed=1, is_virtual=0\n"
		"timestamp=5, VA=0000800100000000-0000800100001000, destroyed=0, is_virtual=0\n"
		"timestamp=6, VA=5-5, destroyed=0\ntimestamp=7, VA=x\n",
		"Failing VM page: 0x800100001000\n"
		"GCVM_L2_PROTECTION_FAULT_STATUS: 0x141059\n");
	struct bw_str verdict = {0};
	const struct bw_crash_range *range = bw_crash_range_of(&c.report, 0x800100000fff);
	assert_int_equal(c.report.ranges.len, 2);
	assert_non_null(range);
	assert_false(range->is_destroyed);
	assert_true(range->va == 0xffff800100000000);
	assert_null(bw_crash_range_of(&c.report, 0x800100002000));
	bw_crash_verdict(&c, NULL, &verdict);
	assert_non_null(strstr(verdict.data, "The program had freed memory at that address "
					     "(0xffff800100001000, 4096 bytes)"));
	bw_str_free(&verdict);
	bw_crash_free(&c);
}

static void test_long_waves(void **state)
{
	struct bw_crash c = PARSE("se1.sa0.wgp3.simd2.wave7\n\nMain Registers:\n"
				  "  ixSQ_WAVE_STATUS: 00012401 |   ixSQ_WAVE_PC_LO: 00002050 |\n"
				  "  ixSQ_WAVE_PC_HI: 00008000\n\nRegister Bits:\n"
				  "\tixSQ_WAVE_STATUS: SCC 1, HALT 1\n\n\nSGPRs:\n"
				  "\t[   0] = { 00000001, 00000002, 00000003, 00000004 }\n"
				  "\t[   8] = { 00000001, 00000002, 00000003, 00000004 }\n"
				  "\nVGPRs\n\t[   0] = { 00000001, 00000002 }\n"
				  "\nse1.sa0.wgp3.simd2.wave8\nMain Registers:\n"
				  "  ixSQ_WAVE_STATUS: 1ffffffff\n");
	const struct bw_crash_waves *w = &c.report.waves;
	uint64_t pc;
	uint32_t v;
	assert_int_equal(w->list.len, 2);
	const struct bw_crash_wave *a = &w->list.data[0];
	assert_int_equal(a->se, 1);
	assert_int_equal(a->wgp, 3);
	assert_int_equal(a->simd, 2);
	assert_int_equal(a->wave, 7);
	assert_true(bw_crash_wave_pc(a, &pc));
	assert_true(pc == 0xffff800000002050);
	assert_true(bw_crash_wave_register(a, "STATUS", &v));
	assert_int_equal(v, 0x12401);
	/* s4 to s7 are missing, so those behind them are not known by their place */
	assert_int_equal(a->n_sgprs, 4);
	assert_int_equal(a->n_vgprs, 0); /* no wave has two lanes */
	assert_false(bw_crash_wave_register(&w->list.data[1], "STATUS", &v));
	assert_false(bw_crash_wave_pc(&w->list.data[1], &pc));
	assert_int_equal(w->n_damaged, 3);
	bw_crash_free(&c);
}

/* As umr 1.0 (2025) prints them. */
static void test_ranged_waves(void **state)
{
	struct bw_crash c =
		PARSE("se0.sa0.wgp0.simd0.wave0\n\n\nMain Registers:\n"
		      "\t    ixSQ_WAVE_STATUS: 00012400 |      ixSQ_WAVE_PC_LO: 00001510 | \n"
		      "\n\n\nRegister Bits:\n\t\n\nixSQ_WAVE_STATUS[00012400]:\n"
		      "\t                 SCC: 00000000 |             SPI_PRIO: 00000000 | \n\n"
		      ">SGPRS[0..3] = { 00005140, 00000001, 00000002, 00000003 }\n"
		      ">SGPRS[4..7] = { 00000004, 00000005, 00000006, 00000007 }\n"
		      ">TTMP[0..3] = { 00000001, 00000002, 00000003, 00000004 }\n"
		      ">SGPRS[12..15] = { 00000004, 00000005, 00000006, 00000007 }\n"
		      "\nPGM_MEM:\n"
		      "    pgm[1@0x1000014f0 + 0x1c  ] = 0xbf820001\t\ts_sethalt 1    \t\n"
		      " *  pgm[1@0x1000014f0 + 0x20  ] = 0xbfb70001\t\ts_sendmsghalt  \t\n"
		      "    pgm[1@0x1000014f0 + 0x24] = 0xbfb00000 s_endpgm\n"
		      "    pgm[1@0x1000014f0 + 0x2a  ] = 0xbfb00000\t\ts_endpgm\n"
		      "    pgm[1@0x1000014f0 + 0x30  ]\n");
	const struct bw_crash_waves *w = &c.report.waves;
	assert_int_equal(w->list.len, 1);
	const struct bw_crash_wave *a = &w->list.data[0];
	assert_int_equal(a->n_registers, 2);
	assert_int_equal(a->n_sgprs, 8);
	assert_int_equal(a->sgprs[0], 0x5140);
	assert_int_equal(a->sgprs[7], 7);
	assert_int_equal(w->n_damaged, 1); /* s8 to s11 are missing */
	assert_int_equal(c.report.pieces.len, 1);
	const struct bw_crash_piece *code = &c.report.pieces.data[0];
	assert_true(code->va == 0x10000150c);
	assert_int_equal(code->words.len, 3);
	assert_int_equal(code->words.data[1], 0xbfb70001);
	bw_crash_free(&c);
}

static void test_short_waves(void **state)
{
	struct bw_crash c = PARSE("SE SA WGP SIMD WAVE# WAVE_STATUS PC_HI PC_LO EXEC_HI EXEC_LO\n"
				  "0 1 2 3 4 00012401 00008000 00002050 ffffffff 00000001\n"
				  "0 1 2 3 5 00012401 00008000\nnot a wave\n");
	const struct bw_crash_waves *w = &c.report.waves;
	uint64_t pc;
	uint32_t v;
	assert_int_equal(w->list.len, 1);
	assert_int_equal(w->list.data[0].wave, 4);
	assert_true(bw_crash_wave_pc(&w->list.data[0], &pc));
	assert_true(pc == 0xffff800000002050);
	assert_true(bw_crash_wave_register(&w->list.data[0], "STATUS", &v));
	assert_int_equal(v, 0x12401);
	bw_crash_free(&c);
}

/* gfx9 has other names for its parts (umr's print_waves.c of 2018 and of today). */
static void test_gfx9_waves(void **state)
{
	struct bw_crash c =
		PARSE("SE SH CU SIMD WAVE# WAVE_STATUS PC_HI PC_LO EXEC_HI EXEC_LO\n"
		      "0 1 2 3 4 00012401 00000001 00002050 ffffffff 00000001\n",
		      "------------------------------------------------------\n"
		      "se3.sh0.cu13.simd1.wave9\n\n\nMain Registers:\n"
		      "\t               pc_hi: 00000001 |                pc_lo: 00002054 | "
		      "       wave_inst_dw0: bf8c0f70 |        wave_inst_dw1: 00000000 | \n"
		      "\t             exec_hi: 00000000 |              exec_lo: 00000003 | \n\n\n"
		      "Wave_Status[00012400]:\n\t                 scc:        0 |\n\n\n"
		      "HW_ID[00a20014]:\n\t             wave_id:        4 |\n\n\nSGPRS:\n"
		      "\t[   0..   3] = { 00000001, 00000002, 00000003, 00000004 }\n\n\nPGM_MEM:\n"
		      "\tpgm[2@100002050] = be80027f\n*\tpgm[2@100002054] = bf8c0f70\n"
		      "\n\nTRAPSTS[20000000]:\n\t                excp:        0 |\n",
		      "xcc2.se1.sh0.cu3.simd0.wave1\nMain Registers:\n"
		      "  ixSQ_WAVE_PC_LO: 00002050 |   ixSQ_WAVE_PC_HI: 00000001 |\n");
	const struct bw_crash_waves *w = &c.report.waves;
	char place[BW_CRASH_WAVE_PLACE_B];
	struct bw_str verdict = {0};
	uint32_t v;
	assert_int_equal(w->list.len, 3);
	bw_crash_wave_place(&w->list.data[0], place);
	assert_string_equal(place, "se0.sh1.cu2.simd3.w4");
	bw_crash_wave_place(&w->list.data[1], place);
	assert_string_equal(place, "se3.sh0.cu13.simd1.w9");
	assert_true(bw_crash_wave_register(&w->list.data[1], "STATUS", &v) && v == 0x12400);
	assert_true(bw_crash_wave_register(&w->list.data[1], "HW_ID", &v) && v == 0xa20014);
	assert_true(bw_crash_wave_register(&w->list.data[1], "TRAPSTS", &v) && v == 0x20000000);
	assert_true(bw_crash_wave_register(&w->list.data[1], "INST_DW0", &v) && v == 0xbf8c0f70);
	assert_int_equal(w->list.data[1].n_sgprs, 4);
	bw_crash_wave_place(&w->list.data[2], place);
	assert_string_equal(place, "se1.sh0.cu3.simd0.w1");
	assert_int_equal(c.report.pieces.len, 1);
	assert_true(c.report.pieces.data[0].va == 0x100002050);
	assert_int_equal(w->n_damaged, 0);
	bw_crash_verdict(&c, NULL, &verdict);
	assert_non_null(strstr(verdict.data, "3 waves on the GPU: 2 at 0x100002050, 1 at "
					     "0x100002054"));
	bw_str_free(&verdict);
	bw_crash_free(&c);
}

/* The GPU that umr names a register after. */
static void test_gpu_of_waves(void **state)
{
	static const struct {
		const char *line;
		uint32_t gc;
	} cases[] = {
		{"      gfx1201.regCOMPUTE_PGM_RSRC1(0@0x7a0944aa4540) == 0xe00f0000\n",
		 BW_IP_VERSION(12, 0, 1)},
		{"gfx943.regCOMPUTE_PGM_RSRC1(0@0x10) == 0x0\n", BW_IP_VERSION(9, 4, 3)},
		{"gfx90.mmCOMPUTE_PGM_RSRC1 == 0x0\n", 0},
		{"gfx1201 is a GPU\n", 0},
		{"gfx\n", 0},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_crash c = PARSE(cases[i].line);
		assert_int_equal(c.report.gc, cases[i].gc);
		bw_crash_free(&c);
	}
}

/* SPIR-V of the folder, by the name that pipeline.log gives. */
static void test_modules(void **state)
{
	static const uint32_t module[] = {0x07230203, 0x10500, 0, 5, 0}, other[] = {1, 2, 3, 4, 5};
	struct bw_crash c = PARSE("Pipeline hash: 5b47\nCompute Shader:\nSPIRV (see a.spv)\n"
				  "Pipeline hash: 5b48\nCompute Shader:\nSPIRV (see b.spv)\n");
	struct bw_crash_report *r = &c.report;
	assert_true(bw_crash_report_file(r, "a.spv", module, sizeof(module)));
	assert_false(bw_crash_report_file(r, "b.spv", other, sizeof(other)));
	assert_false(bw_crash_report_file(r, "b.spv", module, sizeof(module) - 1));
	assert_false(bw_crash_report_file(r, "b.spv", module, 4));
	const struct bw_crash_module *m = bw_crash_module_of(r, &r->shaders.data[0]);
	assert_non_null(m);
	assert_int_equal(m->words.len, 5);
	assert_memory_equal(m->words.data, module, sizeof(module));
	assert_null(bw_crash_module_of(r, &r->shaders.data[1]));
	bw_crash_free(&c);
}

/* More than a GPU can have is counted, not kept. */
static void test_too_many_waves(void **state)
{
	struct bw_crash c = {0};
	static const char line[] = "Main Registers:";
	for (unsigned i = 0; i < BW_CRASH_MAX_WAVES + 5; i++)
		bw_crash_line(&c, line, sizeof(line) - 1, i + 1);
	bw_crash_end(&c);
	assert_int_equal(c.report.waves.list.len, BW_CRASH_MAX_WAVES);
	assert_int_equal(c.report.waves.n_left_out, 5);
	bw_crash_free(&c);
}

TESTS(test_trace, test_registers, test_repeated_code, test_umr_streams, test_code, test_ring,
      test_ranges, test_long_waves, test_ranged_waves, test_short_waves, test_too_many_waves,
      test_gfx9_waves, test_gpu_of_waves, test_modules);
