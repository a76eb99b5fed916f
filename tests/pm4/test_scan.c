/* SPDX-License-Identifier: MIT */
/* Finding dispatches: the command stream that RADV was seen to send for one of them
 * (doc/hardware/dispatch.md 2.1). */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/scan.h"

struct seen {
	struct bw_pm4_find f[8];
	uint32_t rsrc1[8], rsrc2[8], threads_x[8], pgm_hi[8];
	unsigned n, stop_after;
};

static bool found(void *cookie, const struct bw_pm4_find *f)
{
	struct seen *s = cookie;
	assert_true(s->n < 8);
	s->rsrc1[s->n] = f->state->sh[0x212];
	s->rsrc2[s->n] = f->state->sh[0x213];
	s->threads_x[s->n] = f->state->sh[0x207];
	s->pgm_hi[s->n] = f->state->sh[0x20d];
	s->f[s->n++] = *f;
	return s->n != s->stop_after;
}

/* Draws as RADV 25 was seen to send them: NUM_INSTANCES, DRAW_INDEX_AUTO, DRAW_INDEX_2, one whose
 * numbers are in memory (DRAW_INDIRECT), one of the vertices that transform feedback has
 * stored, and two of mesh shaders; registers of both stages, and SPI_TMPRING_SIZE. */
static void test_draws(void **state)
{
	/* clang-format off */
	static const uint32_t ib[] = {
		0xc0016900, 0x1ba, 0x00402000,             /* SPI_TMPRING_SIZE */
		0xc0016900, 0x1b6, 0x00008000,             /* SPI_PS_IN_CONTROL: PS_W32_EN */
		0xc0017600, 0x08, 0x1234,                  /* SPI_SHADER_PGM_LO_PS */
		0xc0017600, 0xc8, 0x5678,                  /* SPI_SHADER_PGM_LO_ES */
		0xc0002f00, 5,                             /* NUM_INSTANCES */
		0xc0012d00, 36, 2,                         /* DRAW_INDEX_AUTO */
		0xc0042700, 100, 0x10000, 0x80, 60, 0,     /* DRAW_INDEX_2 */
		0xc0032400, 16, 0x8c, 0x8d, 2,             /* DRAW_INDIRECT */
		0xc0012d00, 0, 0x42,                       /* DRAW_INDEX_AUTO: USE_OPAQUE */
		0xc0034e00, 4, 3, 2, 2,                    /* DISPATCH_MESH_DIRECT */
		0xc0074c00, 0, 0, 0, 3, 0, 0, 16, 2,       /* DISPATCH_MESH_INDIRECT_MULTI */
	};
	/* clang-format on */
	static struct bw_pm4_scan scan;
	static const uint32_t stages[] = {0xc0016900, 0x2d5, 4}; /* VGT_SHADER_STAGES_EN: HS_EN */
	struct seen s = {.n = 0};
	bw_pm4_find_dispatches(&scan, ib, BW_ARRAY_SIZE(ib), found, &s);
	assert_int_equal(s.n, 6);
	assert_false(scan.has_hull);
	bw_pm4_find_dispatches(&scan, stages, BW_ARRAY_SIZE(stages), found, &s);
	assert_true(scan.has_hull);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(s.f[i].what, BW_PM4_FOUND_DRAW);
	assert_int_equal(s.f[0].pos_dw, 14);
	assert_int_equal(s.f[0].draw.n, 36);
	assert_int_equal(s.f[0].draw.n_instances, 5);
	assert_false(s.f[0].draw.is_indexed);
	assert_int_equal(s.f[1].draw.n, 60);
	assert_int_equal(s.f[1].draw.n_instances, 5);
	assert_true(s.f[1].draw.is_indexed);
	assert_int_equal(s.f[2].draw.n, ~0u);
	assert_int_equal(s.f[2].draw.n_instances, ~0u);
	assert_int_equal(s.f[3].draw.n, ~0u);
	assert_int_equal(s.f[3].draw.n_instances, 5);
	assert_int_equal(s.f[4].draw.n, 24);
	assert_int_equal(s.f[4].draw.n_instances, 1);
	assert_int_equal(s.f[5].draw.n, ~0u);
	assert_int_equal(s.f[5].draw.n_draws, 3);
	assert_int_equal(scan.tmpring_size, 0x00402000);
	assert_int_equal(scan.sh[0x08], 0x1234);
	assert_int_equal(scan.sh[0xc8], 0x5678);
	assert_true(scan.pixels_w32);
	assert_false(scan.vertices_w32);
}

/* A draw with a task shader, as RADV 25 sends it: the task shader on a compute queue, directly and
 * with its numbers in memory, and what draws on the universal queue. */
static void test_tasks(void **state)
{
	/* clang-format off */
	static const uint32_t ib[] = {
		0xc0017600, 0x212, 0x1234,                 /* COMPUTE_PGM_RSRC1 */
		0xc004aa02, 4, 3, 2, 0x2a041, 0x240,       /* DISPATCH_TASKMESH_DIRECT_ACE */
		0xc009ad02, 0x1000, 0x80, 0x240, 0, 0, 3, 0, 0, 32, 0x2a041, /* ..._INDIRECT_MULTI_ACE */
		0xc0024d00, 0x00980000, 0, 2,              /* DISPATCH_TASKMESH_GFX */
	};
	/* clang-format on */
	static struct bw_pm4_scan scan;
	struct seen s = {.n = 0};
	bw_pm4_find_dispatches(&scan, ib, BW_ARRAY_SIZE(ib), found, &s);
	assert_int_equal(s.n, 3);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(s.f[i].what, BW_PM4_FOUND_DISPATCH);
		assert_true(s.f[i].dispatch.is_task);
		assert_int_equal(s.f[i].dispatch.initiator, 0x2a041);
		assert_int_equal(s.rsrc1[i], 0x1234);
	}
	assert_int_equal(s.f[0].dispatch.dim[1], 3);
	assert_int_equal(s.f[1].dispatch.dim[0], ~0u);
	assert_int_equal(s.f[1].indirect_va, 0x8000001000);
	assert_int_equal(s.f[2].what, BW_PM4_FOUND_DRAW);
	assert_true(s.f[2].draw.is_task);
	assert_int_equal(s.f[2].draw.n, ~0u);
}

static void test_radv(void **state)
{
	static const uint32_t preamble[] = {0xc0017600, 0x20d, 0x80};
	/* clang-format off */
	static const uint32_t main_ib[] = {
		0xc0055000, 0x60200000, 0, 0x8000, 0, 0x8000, 96,
		0xc0017600, 0x242, 0x00040000,             /* USER_DATA_2 */
		0xc0017600, 0x20c, 0,                      /* PGM_LO */
		0xc0027600, 0x212, 0x602c0002, 0x86,       /* RSRC1, RSRC2 */
		0xc0017600, 0x228, 0,
		0xc0017600, 0x215, 0x01000000,
		0xc0037600, 0x207, 64, 1, 1,               /* NUM_THREAD */
		0xc0031502, 4, 1, 1, 0x2045,
		0xc0004600, 0x407,
		0xc0065800, 0, ~0u, 0xff, 0, 0, 0xa, 0xc030,
	};
	/* clang-format on */
	static struct bw_pm4_scan scan;
	struct seen s = {.n = 0};
	bw_pm4_find_dispatches(&scan, preamble, BW_ARRAY_SIZE(preamble), found, &s);
	assert_int_equal(s.n, 0);
	bw_pm4_find_dispatches(&scan, main_ib, BW_ARRAY_SIZE(main_ib), found, &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.f[0].what, BW_PM4_FOUND_DISPATCH);
	assert_int_equal(s.f[0].pos_dw, 28);
	assert_int_equal(s.f[0].dispatch.dim[0], 4);
	assert_int_equal(s.f[0].dispatch.initiator, 0x2045);
	assert_false(s.f[0].indirect);
	assert_int_equal(s.rsrc1[0], 0x602c0002);
	assert_int_equal(s.rsrc2[0], 0x86);
	assert_int_equal(s.threads_x[0], 64);
	assert_int_equal(s.pgm_hi[0], 0x80); /* from the preamble */
}

static void test_indirect_and_ib(void **state)
{
	/* clang-format off */
	static const uint32_t ib[] = {
		0xc0021100, 1, 0x1004, 0x80,               /* SET_BASE 1: dword aligned is enough */
		0xc0011602, 0x40, 5,                       /* DISPATCH_INDIRECT, offset */
		0xc0021602, 0x2000, 0x80, 5,               /* with an address */
		0xc0023f00, 0x10000, 0x8000, 0x00800038,   /* INDIRECT_BUFFER */
		0xc0031502, 1, 1, 1, 5,
		0xc0023f00, 0x20000, 0x8000, 0x00900038,   /* chain: ends the buffer */
		0xc0031502, 2, 2, 2, 5,
	};
	/* clang-format on */
	static struct bw_pm4_scan scan;
	struct seen s = {.n = 0};
	bw_pm4_find_dispatches(&scan, ib, BW_ARRAY_SIZE(ib), found, &s);
	assert_int_equal(s.n, 5);
	assert_true(s.f[0].indirect);
	assert_int_equal(s.f[0].indirect_va, 0x8000001044);
	assert_int_equal(s.f[0].dispatch.dim[2], ~0u);
	assert_int_equal(s.f[1].indirect_va, 0x8000002000);
	assert_int_equal(s.f[2].what, BW_PM4_FOUND_INDIRECT_BUFFER);
	assert_int_equal(s.f[2].flow.va, 0x800000010000);
	assert_false(s.f[3].indirect);
	assert_true(s.f[4].flow.chain);
	/* The callback can end it. */
	s = (struct seen){.stop_after = 2};
	bw_pm4_find_dispatches(&scan, ib, BW_ARRAY_SIZE(ib), found, &s);
	assert_int_equal(s.n, 2);
}

static void test_bad(void **state)
{
	static const struct {
		uint32_t dw[3];
		size_t pos;
	} cases[] = {
		{{0xc0011000, 0, 0}, 0}, /* cut: two of its three dwords */
		{{0x80000000, 0xc000ee00, 0}, 1},
		{{0x00001234, 0, 0}, 0},
		{{0x40000000, 0, 0}, 0},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		static struct bw_pm4_scan scan;
		struct seen s = {.n = 0};
		bw_pm4_find_dispatches(&scan, cases[i].dw, i ? 3 : 2, found, &s);
		assert_int_equal(s.n, 1);
		assert_int_equal(s.f[0].what, BW_PM4_FOUND_BAD);
		assert_int_equal(s.f[0].pos_dw, cases[i].pos);
	}
}

/* Memory in which IB i is at (i + 1) * 4096: a dispatch of i groups; each calls or chains the next
 * one. */
struct ibs {
	bool chains, loops;
	unsigned n, n_seen;
	uint32_t groups[9000];
	uint64_t packet_va[9000];
};

static bool read_ib(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	const struct ibs *m = cookie;
	uint32_t i = (uint32_t)(va / 4096 - 1), next = (m->loops ? 0 : i + 1);
	if (i >= m->n)
		return false;
	assert_int_equal(n, 11);
	const uint32_t dw[] = {
		0xc0031502, i,
		1,	    1,
		5, /* DISPATCH_DIRECT */
		0xc0023f00, (next + 1) * 4096,
		0,	    (m->chains ? 0x00900000 : 0x00800000) | 11,
		0xc0001000, 0, /* NOP: what follows a call */
	};
	memcpy(out, dw, sizeof(dw));
	return true;
}

static bool found_in_ib(void *cookie, const struct bw_pm4_find *f, uint64_t packet_va)
{
	struct ibs *m = cookie;
	assert_true(m->n_seen < BW_ARRAY_SIZE(m->groups));
	m->groups[m->n_seen] = f->dispatch.dim[0];
	m->packet_va[m->n_seen++] = packet_va;
	return f->dispatch.dim[0] != 50;
}

/* A long command buffer of RADV chains one IB after the other: all are seen, in their order. Calls
 * are two levels deep in the command processor; a loop of either ends. */
static void test_ibs(void **state)
{
	static const struct {
		struct ibs m;
		unsigned at_least, at_most;
	} cases[] = {
		{{.chains = true, .n = 40}, 40, 40},
		{{.chains = true, .n = 60}, 51, 51}, /* the callback ends it */
		{{.n = 3}, 3, 3},
		{{.n = 40}, 3, 8},
		{{.chains = true, .loops = true, .n = 1}, 2, 9000},
		{{.loops = true, .n = 1}, 2, 9000},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		static struct ibs m;
		static struct bw_pm4_ib_scan scan;
		m = cases[i].m;
		scan = (struct bw_pm4_ib_scan){.read = read_ib, .found = found_in_ib, .cookie = &m};
		bw_pm4_scan_ib(&scan, 4096, 11);
		assert_in_range(m.n_seen, cases[i].at_least, cases[i].at_most);
		for (unsigned k = 0; k < m.n_seen; k++) {
			assert_int_equal(m.groups[k], m.loops ? 0 : k);
			assert_int_equal(m.packet_va[k], (m.groups[k] + 1) * 4096);
		}
		/* once it was ended, it does not go on */
		unsigned before = m.n_seen;
		bw_pm4_scan_ib(&scan, 4096, 11);
		if (!m.loops) /* those are at a limit */
			assert_int_equal(m.n_seen == before, i == 1);
	}
}

/* An IB of calls alone, of IBs that cannot be read. */
static bool read_calls(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	unsigned *n_failed = cookie;
	if (va != 4096)
		return ++*n_failed && false;
	for (size_t i = 0; i + 4 <= n; i += 4)
		memcpy(&out[i], (const uint32_t[]){0xc0023f00, 0x80000000, 0, 0x008fffff}, 16);
	return true;
}

/* To try takes as long as to read, so it counts as well. */
static void test_unreadable(void **state)
{
	static struct bw_pm4_ib_scan scan;
	unsigned n_failed = 0;
	scan = (struct bw_pm4_ib_scan){
		.read = read_calls, .found = found_in_ib, .cookie = &n_failed};
	bw_pm4_scan_ib(&scan, 4096, 0xffffc);
	assert_in_range(n_failed, 1, 64);
}

TESTS(test_radv, test_draws, test_tasks, test_indirect_and_ib, test_bad, test_ibs, test_unreadable);
