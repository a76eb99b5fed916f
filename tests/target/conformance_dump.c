// SPDX-License-Identifier: MIT
/* A crash file is held to what every target must do: here the pages of a hang report, written by
 * this test. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash/crash.h"
#include "dump/dump.h"

/* gfx11, words by llvm-mc */
enum { NOP = 0xbf800000, END = 0xbfb00000 };
static const uint32_t code[] = {NOP, 0xbe840085 /* s_mov_b32 s4, 5 */, NOP, NOP, END};
#define CODE_VA 0xffff800000002000ull
#define BUFFER_VA 0xffff800000010000ull
enum { AT = 8, SGPR = 7, VGPR = 1, LANE = 5, N_VGPRS = 2, BUFFER_DW = 16 };

struct pages {
	struct bw_crash crash;
	unsigned line;
};

static void page_line(struct pages *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void page_line(struct pages *p, const char *fmt, ...)
{
	char text[2048];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	assert_true(n >= 0 && (size_t)n < sizeof(text));
	bw_crash_line(&p->crash, text, (size_t)n, ++p->line);
}

static void write_wave(struct pages *p, unsigned n)
{
	page_line(p, "se%u.sa0.wgp1.simd2.wave%u", n, n);
	page_line(p, "Main Registers:");
	page_line(p,
		  "    ixSQ_WAVE_STATUS: 00012401 |      ixSQ_WAVE_PC_LO: %08x |"
		  "      ixSQ_WAVE_PC_HI: 00008000 |    ixSQ_WAVE_EXEC_LO: ffffffff",
		  (unsigned)CODE_VA + (n == 1 ? AT : 0));
	page_line(p, "   ixSQ_WAVE_EXEC_HI: 00000000 |         ixSQ_WAVE_M0: 00000000");
	page_line(p, "SGPRs:");
	for (unsigned i = 0; i < 108; i += 4)
		page_line(p, "\t[%4u] = { %08x, %08x, %08x, %08x }", i, i, i + 1, i + 2,
			  i + 3 == SGPR ? 0x100 + n : i + 3);
	page_line(p, "VGPRs");
	for (unsigned v = 0; v < N_VGPRS; v++) {
		char row[32 * 10 + 1] = "";
		for (unsigned lane = 0; lane < 32; lane++)
			snprintf(row + strlen(row), 11, "%s%08x", lane ? ", " : "",
				 v == VGPR && lane == LANE ? 0x200 + n : lane);
		page_line(p, "\t[%4u] = { %s }", v, row);
	}
	page_line(p, "%s", "");
}

static void write_pages(struct pages *p)
{
	page_line(p, "Device name: AMD Radeon RX 7900 XTX (RADV NAVI31)");
	page_line(p, "    name = NAVI31");
	bw_crash_next_file(&p->crash);
	for (unsigned i = 0; i < sizeof(code) / sizeof(code[0]); i++)
		page_line(p, "\ts_nop 0  ; %08x [PC=0x%llx, off=%u, size=4]", code[i],
			  (CODE_VA + 4ull * i) & 0xffffffffffffull, 4 * i);
	bw_crash_next_file(&p->crash);
	page_line(p,
		  "timestamp=1, VA=0000800000002000-0000800000003000, destroyed=0, is_virtual=0");
	page_line(p,
		  "timestamp=2, VA=0000800000010000-0000800000011000, destroyed=0, is_virtual=0");
	page_line(p,
		  "timestamp=3, VA=0000800000020000-0000800000021000, destroyed=0, is_virtual=0");
	page_line(p,
		  "timestamp=4, VA=0000800000020000-0000800000021000, destroyed=1, is_virtual=0");
	bw_crash_next_file(&p->crash);
	for (unsigned i = 0; i < 3; i++)
		write_wave(p, i);
	bw_crash_next_file(&p->crash);
	page_line(p, "**** AMDGPU Device Coredump ****");
	page_line(p, "IB #0 0x%llx %u dw", BUFFER_VA, BUFFER_DW);
	for (unsigned i = 0; i < BUFFER_DW; i++)
		page_line(p, "0x%08x", 0x80000000u);
	bw_crash_end(&p->crash);
	assert_false(p->crash.failed);
}

static void open_dump(const struct target_case *c, struct target_fixture *out)
{
	struct pages *p = calloc(1, sizeof(*p));
	assert_non_null(p);
	write_pages(p);
	const struct bw_target_source source = {.kind = BW_SOURCE_CRASH, .crash = &p->crash};
	struct bw_target *t = NULL;
	OK(bw_dump_open(&source, &t));
	struct bw_target_event ev = {.kind = BW_EVENT_PROGRAM};
	while (ev.kind != BW_EVENT_NONE) /* what is told of it once */
		OK(bw_target_wait(t, 0, &ev));
	*out = (struct target_fixture){
		.t = t,
		.own = p,
		.known = {.code_va = CODE_VA,
			  .code = code,
			  .code_dw = sizeof(code) / sizeof(code[0]),
			  .pc = CODE_VA + AT,
			  .step_b = 4,
			  .workgroup = {BW_GROUP_UNKNOWN, BW_GROUP_UNKNOWN, BW_GROUP_UNKNOWN},
			  .wave_in_group = BW_GROUP_UNKNOWN,
			  .lanes = 32,
			  .exec = 0xffffffff,
			  .n_stopped = 3,
			  .sgpr = SGPR,
			  .sgpr_value = 0x100 + 1,
			  .vgpr = VGPR,
			  .lane = LANE,
			  .vgpr_value = 0x200 + 1,
			  .data_va = BUFFER_VA,
			  .unmapped_va = 0x1000,
			  .end_va = CODE_VA + sizeof(code)},
	};
}

static void closed(const struct target_case *c, struct target_fixture *f)
{
	struct pages *p = f->own;
	bw_crash_free(&p->crash);
	free(p);
}

static int run(void)
{
	const struct target_case dump = {.name = "crash file", .open = open_dump, .closed = closed};
	return target_conformance(&dump) != 0;
}

TESTS_RUN_BY(run);
