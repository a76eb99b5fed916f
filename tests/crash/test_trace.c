/* SPDX-License-Identifier: MIT */
/* Which draw or dispatch of a hang report hangs: trace points as RADV places them, waves as a
 * proof. What is expected follows from how RADV writes its command buffers: a point comes after
 * the work, and a flush waits for that. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "crash/trace.h"

static void add_page(struct bw_crash *c, const char *page)
{
	unsigned number = 0;
	for (const char *p = page; *p;) {
		size_t len = strcspn(p, "\n");
		bw_crash_line(c, p, len, ++number);
		p += len + (p[len] == '\n');
	}
	bw_crash_next_file(c);
}

#define BEGIN "------------------ main IB begin - GFX ------------------\n"
#define END "------------------- main IB end - GFX -------------------\n"
#define POINT(n) "c0001000 NOP:\n  Trace point ID: " #n "\n"
#define DONE "  This trace point was reached by the CP.\n"
#define LAST "  !!!!! This is the last trace point that was reached by the CP !!!!!\n"
#define NEVER "  !!!!! This trace point was NOT reached by the CP !!!!!\n"
#define NUMBER(n) "cafe000" #n " \n"
#define CODE(lo) "c0017600 SET_SH_REG:\n0000020c\n" lo " COMPUTE_PGM_LO\n"
#define PIXEL_CODE(lo) "c0017600 SET_SH_REG:\n00000008\n" lo " SPI_SHADER_PGM_LO_PS\n"
#define THREADS "c0037600 SET_SH_REG:\n00000207\n00000040\n00000001\n00000001\n"
#define DISPATCH "c0031502 DISPATCH_DIRECT:\n00000004\n00000001\n00000001\n00000041\n"
#define DRAW "c0012d00 DRAW_INDEX_AUTO:\n00000003\n00000002\n"
#define CS_FLUSH "c0004600 EVENT_WRITE:\n00000407\n"
#define PS_FLUSH "c0004600 EVENT_WRITE:\n00000410\n"
#define WAIT "c0053c00 WAIT_REG_MEM:\n00000013\n00001000\n00000000\n00000001\nffffffff\n00000004\n"
#define WAVE(place, pc)                                                                            \
	"se" place ".sa0.wgp0.simd0.wave0\nMain Registers:\n"                                      \
	"  ixSQ_WAVE_PC_LO: " pc " |  ixSQ_WAVE_PC_HI: 00008000 |\n\n"
#define PIPELINE(hash, stage, spirv, va)                                                           \
	"Pipeline hash: " hash "\n" stage ":\n\nSPIRV (see " spirv ")\n\n" stage                   \
	":\n*** SHADER STATS ***\nCode size: 8\n\n" stage " - annotated disassembly:\n"            \
	"\ts_nop 0    ; bf800000 [PC=0x" va "00, off=0, size=4]\n"                                 \
	"\ts_branch BB0    ; bfa0ffff [PC=0x" va "04, off=4, size=4]\n\n"

static const char two_dispatches[] =
	BEGIN CODE("00000050") THREADS DISPATCH POINT(1) DONE NUMBER(1) CS_FLUSH POINT(2)
		DONE NUMBER(2) CODE("00000052") DISPATCH POINT(3) LAST NUMBER(3) CS_FLUSH POINT(4)
			NEVER NUMBER(4) CODE("00000050") DISPATCH POINT(5) NEVER NUMBER(5) END;

static char *verdict_of(struct bw_crash *c)
{
	struct bw_str text = {0};
	bw_crash_end(c);
	assert_false(c->failed);
	bw_crash_verdict(c, NULL, &text);
	return bw_str_take(&text);
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("not in the verdict: %s\n%s", part, text);
}

/* Mesa 25: point, flush, point. */
static void test_before_the_point(void **state)
{
	struct bw_crash c = {0};
	struct bw_crash_trace t;
	add_page(&c, two_dispatches);
	add_page(&c, PIPELINE("5b47", "Compute Shader", "b937.spv", "8000000052"));
	add_page(&c, WAVE("0", "00005204") WAVE("1", "00005200"));
	char *text = verdict_of(&c);
	expect(text,
	       "Dispatch 2 hangs: a DISPATCH_DIRECT of [4,1,1] workgroups of [64,1,1], launched "
	       "before trace point 3, the last one that the command processor reached. It waits "
	       "for it to end (CS_PARTIAL_FLUSH) before it goes on to trace point 4.\n");
	expect(text, "All waves on the GPU stand in its code.\n");
	expect(text,
	       "Its code is the Compute Shader of pipeline 5b47, made of b937.spv, which is not "
	       "among these files.\n");
	expect(text, "The files show 2 waves on the GPU: 1 at 0xffff800000005200 (s_nop 0), "
		     "1 at 0xffff800000005204 (s_branch BB0).\n");
	assert_true(bw_crash_find_trace(&c, &c.dumps.data[0], &t));
	assert_int_equal(t.n_works, 1);
	const struct bw_crash_work *w = &t.works[0];
	assert_int_equal(w->n_waves, 2);
	assert_int_equal(bw_crash_work_state(&t, 0, w->at_dw - 1), BW_CRASH_WORK_DONE);
	assert_int_equal(bw_crash_work_state(&t, 0, w->at_dw), BW_CRASH_WORK_RUNNING);
	assert_int_equal(bw_crash_work_state(&t, 0, w->at_dw + 1), BW_CRASH_WORK_WAITING);
	assert_int_equal(bw_crash_work_state(&t, 1, 0), BW_CRASH_WORK_WAITING);
	free(text);
	bw_crash_free(&c);
}

/* No pipeline.log and no waves: the same dispatch. */
static void test_missing_files(void **state)
{
	struct bw_crash c = {0};
	add_page(&c, two_dispatches);
	char *text = verdict_of(&c);
	expect(text, "Dispatch 2 hangs: a DISPATCH_DIRECT");
	assert_null(strstr(text, "wave"));
	assert_null(strstr(text, "pipeline"));
	free(text);
	bw_crash_free(&c);

	/* waves without pipeline.log: by where the code begins */
	struct bw_crash with_waves = {0};
	add_page(&with_waves, two_dispatches);
	add_page(&with_waves, WAVE("0", "00005274") WAVE("1", "00995274"));
	text = verdict_of(&with_waves);
	expect(text, "Dispatch 2 hangs");
	expect(text, "1 of the 2 waves on the GPU stands in its code.\n");
	free(text);
	bw_crash_free(&with_waves);
}

/* Older Mesa flushes before it writes the point: the dispatch is behind the last one reached. */
static void test_after_the_point(void **state)
{
	static const char trace[] = BEGIN CODE("00000050") THREADS DISPATCH CS_FLUSH POINT(1)
		LAST NUMBER(1) CODE("00000052") DISPATCH CS_FLUSH POINT(2) NEVER NUMBER(2) END;
	struct bw_crash c = {0};
	add_page(&c, trace);
	char *text = verdict_of(&c);
	expect(text, "Dispatch 2 hangs, or the command processor before it: a DISPATCH_DIRECT of "
		     "[4,1,1] workgroups of [64,1,1], after trace point 1, the last one that the "
		     "command processor reached. It waits for it to end (CS_PARTIAL_FLUSH) before "
		     "it goes on to trace point 2.\n");
	free(text);
	bw_crash_free(&c);

	struct bw_crash proven = {0};
	add_page(&proven, trace);
	add_page(&proven, WAVE("0", "00005204"));
	text = verdict_of(&proven);
	expect(text, "Dispatch 2 hangs: a DISPATCH_DIRECT");
	expect(text, "The wave on the GPU stands in its code.\n");
	free(text);
	bw_crash_free(&proven);
}

/* Nothing waits between them: each may hang, until waves tell. */
static void test_several(void **state)
{
	static const char trace[] = BEGIN PIXEL_CODE("00000060") DRAW CODE("00000050")
		THREADS DISPATCH POINT(1) LAST NUMBER(1) PS_FLUSH POINT(2) NEVER NUMBER(2) END;
	struct bw_crash c = {0};
	add_page(&c, trace);
	char *text = verdict_of(&c);
	expect(text, "One of draw 1 and dispatch 1 hangs, launched before trace point 1, the last "
		     "one that the command processor reached. It waits for them to end "
		     "(PS_PARTIAL_FLUSH) before it goes on to trace point 2.\n");
	free(text);
	bw_crash_free(&c);

	struct bw_crash proven = {0};
	add_page(&proven, trace);
	add_page(&proven, PIPELINE("77aa", "Fragment Shader", "f.spv", "8000000060"));
	add_page(&proven, WAVE("0", "00006004") WAVE("1", "00123400"));
	text = verdict_of(&proven);
	expect(text, "Draw 1 hangs: a DRAW_INDEX_AUTO, launched before trace point 1");
	expect(text, "1 of the 2 waves on the GPU stands in its code.\n");
	expect(text,
	       "Its code is the Fragment Shader of pipeline 77aa, made of f.spv, which is not among "
	       "these files.\n");
	expect(text, "1 of them stands in no code that the files have.\n");
	free(text);
	bw_crash_free(&proven);
}

/* A flush for draws ends no dispatch. */
static void test_other_flush(void **state)
{
	struct bw_crash c = {0};
	add_page(&c, BEGIN CODE("00000050") THREADS DISPATCH PS_FLUSH POINT(1) DONE NUMBER(1)
			     POINT(2) LAST NUMBER(2) CS_FLUSH POINT(3) NEVER NUMBER(3) END);
	char *text = verdict_of(&c);
	expect(text, "Dispatch 1 hangs: a DISPATCH_DIRECT of [4,1,1] workgroups of [64,1,1], "
		     "launched before trace point 2");
	free(text);
	bw_crash_free(&c);
}

static void test_no_work(void **state)
{
	struct bw_crash c = {0};
	add_page(&c, BEGIN CODE("00000050") THREADS DISPATCH CS_FLUSH POINT(1) LAST NUMBER(1)
			     WAIT POINT(2) NEVER NUMBER(2) END);
	char *text = verdict_of(&c);
	expect(text, "What hangs comes after trace point 1, the last one that the command "
		     "processor reached, and is neither a draw nor a dispatch: first there is a "
		     "WAIT_REG_MEM; trace point 2 was not reached.\n");
	free(text);
	bw_crash_free(&c);
}

static void test_none_reached(void **state)
{
	struct bw_crash c = {0};
	add_page(&c, BEGIN DISPATCH POINT(1) NEVER NUMBER(1) END);
	char *text = verdict_of(&c);
	expect(text, "The command processor has not reached trace point 1, the first one");
	free(text);
	bw_crash_free(&c);
}

/* What is called has points of its own, whose last one may be an earlier call's. */
static void test_nested(void **state)
{
#define CALL "c0023f00 INDIRECT_BUFFER:\n00001000\n00008000\n00000010\n"
#define NESTED(...)                                                                                \
	CALL "     >------------------ nested begin ------------------\n" __VA_ARGS__              \
	     "     <------------------- nested end -------------------\n"
	struct bw_crash c = {0};
	add_page(&c, BEGIN THREADS POINT(1) DONE NUMBER(1)
			     NESTED(CODE("00000050") DISPATCH CS_FLUSH POINT(1) LAST NUMBER(1))
				     POINT(2) LAST NUMBER(2) NESTED(CODE("00000052") DISPATCH POINT(
					     1) LAST NUMBER(1) CS_FLUSH) POINT(3) NEVER NUMBER(3)
					     NESTED(CODE("00000054") DISPATCH POINT(1)
							    LAST NUMBER(1) CS_FLUSH) END);
	char *text = verdict_of(&c);
	expect(text, "Dispatch 2 hangs: a DISPATCH_DIRECT of [4,1,1] workgroups of [64,1,1], "
		     "launched before trace point 1, the last one that the command processor "
		     "reached. It waits for it to end (CS_PARTIAL_FLUSH) before it goes on to "
		     "trace point 3.\n");
	free(text);
	bw_crash_free(&c);
}

/* Waves that run none of it are said to, and blame nobody. */
static void test_other_waves(void **state)
{
	struct bw_crash c = {0};
	add_page(&c, two_dispatches);
	add_page(&c, WAVE("0", "77005274"));
	char *text = verdict_of(&c);
	expect(text, "Dispatch 2 hangs");
	expect(text, "No wave on the GPU stands in its code");
	free(text);
	bw_crash_free(&c);
}

/* More than is kept; the later ones count. */
static void test_many(void **state)
{
	struct bw_crash c = {0};
	struct bw_str page = {0};
	bw_str_add(&page, BEGIN THREADS);
	for (unsigned i = 0; i < BW_CRASH_MAX_WORKS + 3; i++)
		bw_str_add(&page, DISPATCH);
	bw_str_add(&page, POINT(1) LAST NUMBER(1) CS_FLUSH POINT(2) NEVER NUMBER(2) END);
	add_page(&c, bw_str_text(&page));
	bw_str_free(&page);
	char *text = verdict_of(&c);
	expect(text, "One of 63 earlier ones, dispatch 64, dispatch 65, dispatch 66 and dispatch "
		     "67 hangs");
	free(text);
	bw_crash_free(&c);
}

/* A compute shader in a.comp: in main a barrier in line 5, a loop in lines 7 to 9 and one in it, in
 * line 8; by hand after the specification. */
#define OP(op, words) ((uint32_t)(words) << 16 | (op))
#define LINE(n) OP(8, 4), 2, n, 0
static const uint32_t with_lines[] = {
	/* clang-format off */
	0x07230203, 0x00010500, 0, 24, 0,
	OP(17, 2), 1, OP(14, 3), 0, 1,
	OP(15, 5), 5, 1, 0x6e69616d, 0,
	OP(7, 4), 2, 0x6f632e61, 0x0000706d, /* "a.comp" */
	OP(3, 4), 2, 450, 2,
	OP(19, 2), 3, OP(33, 3), 4, 3,
	OP(20, 2), 5, OP(41, 3), 5, 6,
	OP(21, 4), 7, 32, 0, OP(43, 4), 7, 8, 2,
	OP(54, 5), 3, 1, 0, 4,
	OP(248, 2), 9,
	LINE(5), OP(224, 4), 8, 8, 8,
	OP(249, 2), 10,
	OP(248, 2), 10,
	LINE(7), OP(246, 4), 11, 12, 0, OP(249, 2), 13,
	OP(248, 2), 13,
	LINE(8), OP(249, 2), 14,
	OP(248, 2), 14,
	LINE(8), OP(246, 4), 15, 16, 0, OP(249, 2), 17,
	OP(248, 2), 17, OP(249, 2), 16,
	OP(248, 2), 16, LINE(8), OP(250, 4), 6, 14, 15,
	OP(248, 2), 15, LINE(9), OP(249, 2), 12,
	OP(248, 2), 12, OP(250, 4), 6, 10, 11,
	OP(248, 2), 11, LINE(11), OP(253, 1),
	OP(56, 1),
	/* clang-format on */
};

static char *verdict_with(const uint32_t *module, size_t size_b, const char *waves)
{
	struct bw_crash c = {0};
	add_page(&c, two_dispatches);
	add_page(&c, "Pipeline hash: 5b47\nCompute Shader:\n\nSPIRV (see b937.spv)\n\n"
		     "Compute Shader - annotated disassembly:\n"
		     "\ts_barrier    ; bfbd0000 [PC=0x800000005200, off=0, size=4]\n"
		     "\ts_nop 0    ; bf800000 [PC=0x800000005204, off=4, size=4]\n"
		     "\ts_nop 1    ; bf800001 [PC=0x800000005208, off=8, size=4]\n"
		     "\ts_cbranch_scc0 BB2    ; bfa1fffe [PC=0x80000000520c, off=12, size=4]\n"
		     "\ts_branch BB1    ; bfa0fffc [PC=0x800000005210, off=16, size=4]\n"
		     "\ts_endpgm    ; bfb00000 [PC=0x800000005214, off=20, size=4]\n\n");
	add_page(&c, waves);
	assert_true(bw_crash_report_file(&c.report, "b937.spv", module, size_b));
	char *text = verdict_of(&c);
	bw_crash_free(&c);
	return text;
}

/* The code of a report has no lines, but loops and barriers are in code and source. */
static void test_source(void **state)
{
	/* 5208 to 5210 is the inner loop, 5204 to 5214 the outer one */
	char *text = verdict_with(with_lines, sizeof(with_lines),
				  WAVE("0", "00005208") WAVE("1", "0000520c"));
	expect(text, "All its waves are in one loop of its code, 0xffff800000005208 to "
		     "0xffff800000005210; its source has 2 loops, at a.comp:7-9 and a.comp:8.\n"
		     "The line itself is not known");
	free(text);
	text = verdict_with(with_lines, sizeof(with_lines),
			    WAVE("0", "00005208") WAVE("1", "00005204"));
	expect(text, "in one loop of its code, 0xffff800000005204 to 0xffff800000005214;");
	free(text);
	text = verdict_with(with_lines, sizeof(with_lines),
			    WAVE("0", "00005214") WAVE("1", "00005204"));
	expect(text, "1 of its 2 waves is in loops of its code; its source has 2 loops");
	free(text);
	text = verdict_with(with_lines, sizeof(with_lines),
			    WAVE("0", "00005200") WAVE("1", "00005214"));
	expect(text, "1 of its waves waits at a barrier; its source has one barrier, at a.comp:5.");
	assert_null(strstr(text, "loop"));
	free(text);

	/* without its lines, and damaged */
	uint32_t module[BW_ARRAY_SIZE(with_lines)];
	memcpy(module, with_lines, sizeof(module));
	for (size_t i = 0; i < BW_ARRAY_SIZE(module); i++)
		if (module[i] == OP(8, 4))
			module[i] = OP(0, 4); /* OpNop */
	text = verdict_with(module, sizeof(module), WAVE("0", "00005208") WAVE("1", "00005208"));
	expect(text, "All its waves are in one loop of its code, 0xffff800000005208 to "
		     "0xffff800000005210.\nThe line is not known: b937.spv has no lines.");
	free(text);
	text = verdict_with(with_lines, sizeof(with_lines) - 4, WAVE("0", "00005208"));
	expect(text, "The line is not known: b937.spv: ");
	free(text);
}

TESTS(test_before_the_point, test_missing_files, test_after_the_point, test_several,
      test_other_flush, test_no_work, test_none_reached, test_nested, test_other_waves, test_many,
      test_source);
