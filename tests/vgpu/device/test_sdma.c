/* SPDX-License-Identifier: MIT */
/* The SDMA engines as a driver sees them: a ring by its registers, packets, fences, interrupts.
 * Words of packets: sdma_v6_0_0_pkt_open.h of Linux and radv_sdma.c of Mesa. */
#include "rig.h"

#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "pm4/sdma.h"

enum { RING_DW = 1024, WAIT_MS = 5000, IH_CLIENT_GFX = 0x0a };

struct sdma {
	struct rig r;
	uint64_t wptr[2], fences;
	uint32_t ib[2048];
	size_t n;
};

static uint32_t reg(unsigned engine, uint32_t sdma0)
{
	return sdma0 + engine * 0x600;
}

static uint64_t ring_at(unsigned engine)
{
	return RIG_RINGS + (8 + engine) * RIG_RING_DW * 4;
}

static uint64_t fence_at(unsigned engine)
{
	return RIG_FENCES + 0x800 + engine * 64;
}

static void start_ring(struct sdma *s, unsigned engine)
{
	uint64_t base = rig_mc(&s->r, ring_at(engine)) >> 8;
	s->wptr[engine] = 0;
	rig_write(&s->r, reg(engine, REG(SDMA0_QUEUE0_RB_RPTR)), 0);
	rig_write(&s->r, reg(engine, REG(SDMA0_QUEUE0_RB_WPTR)), 0);
	rig_write(&s->r, reg(engine, REG(SDMA0_QUEUE0_RB_BASE)), (uint32_t)base);
	rig_write(&s->r, reg(engine, REG(SDMA0_QUEUE0_RB_BASE_HI)), (uint32_t)(base >> 32));
	rig_write(&s->r, reg(engine, REG(SDMA0_QUEUE0_DOORBELL_OFFSET)),
		  (0x200 + 20 * engine) << 2);
	rig_write(&s->r, reg(engine, REG(SDMA0_QUEUE0_DOORBELL)), 1 << 28);
	rig_write(&s->r, reg(engine, REG(SDMA0_QUEUE0_RB_CNTL)), 1 | 10 << 1);
}

static void begin(struct sdma *s)
{
	memset(s, 0, sizeof(*s));
	rig_start(&s->r, NULL);
	start_ring(s, 0);
	start_ring(s, 1);
}

static void put(struct sdma *s, const uint32_t *dw, size_t n)
{
	assert_true(s->n + n <= BW_ARRAY_SIZE(s->ib));
	memcpy(s->ib + s->n, dw, n * 4);
	s->n += n;
}
#define PUT(s, ...)                                                                                \
	put(s, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
#define VA(a) (uint32_t)(a), (uint32_t)((uint64_t)(a) >> 32)

static void ring_put(struct sdma *s, unsigned engine, const uint32_t *dw, size_t n)
{
	uint32_t *ring = rig_ptr(&s->r, ring_at(engine));
	for (size_t i = 0; i < n; i++)
		ring[s->wptr[engine]++ % RING_DW] = dw[i];
}

/* What was put goes into an IB of VMID 1 (or onto the ring itself), with a fence behind it. */
static uint32_t submit(struct sdma *s, unsigned engine, bool on_ring)
{
	uint32_t fence = (uint32_t)++s->fences;
	uint64_t mc = rig_mc(&s->r, fence_at(engine));
	if (on_ring) {
		ring_put(s, engine, s->ib, s->n);
	} else {
		memcpy(rig_ptr(&s->r, RIG_IB + engine * 0x10000), s->ib, s->n * 4);
		const uint32_t indirect[] = {4 | 1 << 16, VA(RIG_IB + engine * 0x10000),
					     (uint32_t)s->n, 0, 0};
		ring_put(s, engine, indirect, 6);
	}
	const uint32_t end[] = {5 | 3 << 16, VA(mc), fence, 6, 0x1234};
	ring_put(s, engine, end, 6);
	s->n = 0;
	bw_device_doorbell(s->r.dev, 0x200 + 20 * engine, s->wptr[engine] * 4);
	return fence;
}

static bool done(struct sdma *s, unsigned engine, uint32_t fence, unsigned ms)
{
	uint32_t *at = rig_ptr(&s->r, fence_at(engine));
	for (unsigned i = 0; i < ms; i++) {
		if (__atomic_load_n(at, __ATOMIC_ACQUIRE) == fence)
			return true;
		rig_sleep_ms(1);
	}
	return false;
}

static void run(struct sdma *s)
{
	char why[200];
	uint32_t fence = submit(s, 0, false);
	bool in_time = done(s, 0, fence, WAIT_MS);
	if (bw_device_sdma_error(s->r.dev, 0, 0, why, sizeof(why)))
		fail_msg("%s", why);
	assert_true(in_time);
}

static uint8_t *mem(struct sdma *s, uint64_t at)
{
	return rig_ptr(&s->r, RIG_DATA + at);
}

static uint32_t *dw(struct sdma *s, uint64_t at)
{
	return (uint32_t *)mem(s, at);
}

/* A driver that submits by doorbells alone, as Linux's does, leaves its write pointer in the
 * registers, which debuggers read. */
static void doorbells_move_the_pointers(void **state)
{
	struct sdma s;
	begin(&s);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned engine = 0; engine < 2; engine++) {
			PUT(&s, 0, 0);
			uint32_t fence = submit(&s, engine, true);
			uint32_t wptr = (uint32_t)s.wptr[engine] * 4;
			assert_int_equal(rig_read(&s.r, reg(engine, REG(SDMA0_QUEUE0_RB_WPTR))),
					 wptr);
			assert_true(done(&s, engine, fence, WAIT_MS));
			uint32_t status = reg(engine, REG(SDMA0_QUEUE0_CONTEXT_STATUS));
			for (unsigned ms = 0; ms < WAIT_MS && !(rig_read(&s.r, status) & 1 << 2);
			     ms++)
				rig_sleep_ms(1);
			assert_int_equal(rig_read(&s.r, reg(engine, REG(SDMA0_QUEUE0_RB_RPTR))),
					 wptr);
		}
	}
	rig_stop(&s.r);
}

static void linear_packets(void **state)
{
	struct sdma s;
	begin(&s);
	for (unsigned i = 0; i < 0x4000; i++)
		mem(&s, 0)[i] = (uint8_t)(i * 7 + i / 256);
	uint64_t d = RIG_DATA;
	PUT(&s, 1, 4999, 0, VA(d + 3), VA(d + 0x10001)); /* COPY of 5000 bytes */
	PUT(&s, 1 | 1 << 27, 63, 0, VA(d), VA(d + 0x20000), VA(d + 0x21000)); /* broadcast */
	PUT(&s, 2, VA(d + 0x30000), 2, 11, 22, 33);			      /* WRITE */
	PUT(&s, 11 | 2u << 30, VA(d + 0x40000), 0x11223344, 15);	      /* FILL by dwords */
	PUT(&s, 11 | 1u << 30, VA(d + 0x40100), 0x11223344, 15);	      /* by words */
	PUT(&s, 11, VA(d + 0x40200), 0x11223344, 4);			      /* by bytes */
	PUT(&s, 0 | 2 << 16, 0xdead, 0xbeef); /* NOP over two dwords */
	PUT(&s, 12, VA(d + 0x50000), VA(0x73), VA(0x100000), VA(0x1000), 2); /* PTEPDE: 3 entries */
	PUT(&s, 13 | 2 << 8, VA(d + 0x60000));			    /* TIMESTAMP_GET_GLOBAL */
	PUT(&s, 5, VA(d + 0x60010), 77);			    /* FENCE */
	PUT(&s, 10 | 15u << 25, VA(d + 0x30000), 5, 0, 0, 0, 10);   /* ATOMIC ADD_RTN_32 */
	PUT(&s, 10 | 72u << 25, VA(d + 0x30004), 99, 0, 22, 0, 10); /* CMPSWAP_32 */
	/* COND_EXE: passed over where memory is below the reference */
	PUT(&s, 9, VA(d + 0x70000), 1, 4);
	PUT(&s, 5, VA(d + 0x70004), 1);
	PUT(&s, 9, VA(d + 0x60010), 1, 4);
	PUT(&s, 5, VA(d + 0x70008), 1);
	PUT(&s, 0x11, 0, 0, 0, 0); /* GCR_REQ */
	run(&s);
	assert_memory_equal(mem(&s, 0x10001), mem(&s, 3), 5000);
	assert_int_equal(mem(&s, 0x10000)[0], 0);
	assert_int_equal(mem(&s, 0x10001 + 5000)[0], 0);
	assert_memory_equal(mem(&s, 0x20000), mem(&s, 0), 64);
	assert_memory_equal(mem(&s, 0x21000), mem(&s, 0), 64);
	assert_int_equal(dw(&s, 0x30000)[0], 16);
	assert_int_equal(dw(&s, 0x30000)[1], 99);
	assert_int_equal(dw(&s, 0x30000)[2], 33);
	assert_int_equal(dw(&s, 0x40000)[3], 0x11223344);
	assert_int_equal(dw(&s, 0x40000)[4], 0);
	assert_int_equal(dw(&s, 0x40100)[3], 0x33443344);
	assert_int_equal(dw(&s, 0x40200)[0], 0x44444444);
	assert_int_equal(dw(&s, 0x40200)[1], 0x44);
	for (uint64_t i = 0; i < 3; i++)
		assert_true(((uint64_t *)mem(&s, 0x50000))[i] == 0x100073 + i * 0x1000);
	assert_true(*(uint64_t *)mem(&s, 0x60000) != 0);
	assert_int_equal(dw(&s, 0x60010)[0], 77);
	assert_int_equal(dw(&s, 0x70004)[0], 0);
	assert_int_equal(dw(&s, 0x70008)[0], 1);
	/* TRAP: the interrupt of the engine, with its context */
	struct rig_vector v;
	assert_true(rig_next_vector(&s.r, &v, WAIT_MS));
	assert_int_equal(v.client, IH_CLIENT_GFX);
	assert_int_equal(v.source, 49);
	assert_int_equal(v.ring, 0);
	rig_stop(&s.r);
}

/* Longer than a turn of the engine; the other engine gets on meanwhile. */
static void long_copy(void **state)
{
	enum { SIZE = 5 << 20 };
	struct sdma s;
	begin(&s);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		dw(&s, 0)[i] = i * 2654435761u;
	PUT(&s, 1, SIZE - 1, 0, VA(RIG_DATA), VA(RIG_DATA + (8 << 20)));
	uint32_t a = submit(&s, 0, false);
	PUT(&s, 5, VA(RIG_DATA + (16 << 20)), 5);
	uint32_t b = submit(&s, 1, false);
	assert_true(done(&s, 1, b, WAIT_MS));
	assert_true(done(&s, 0, a, WAIT_MS));
	assert_memory_equal(mem(&s, 0), mem(&s, 8 << 20), SIZE);
	assert_int_equal(dw(&s, 16 << 20)[0], 5);
	rig_stop(&s.r);
}

static void polls(void **state)
{
	struct sdma s;
	begin(&s);
	PUT(&s, 8 | 3u << 28 | 1u << 31, VA(RIG_DATA), 7, 0xff, 0xfff << 16 | 10);
	PUT(&s, 5, VA(RIG_DATA + 8), 1);
	uint32_t a = submit(&s, 0, false);
	PUT(&s, 5, VA(RIG_DATA), 0x107);
	assert_false(done(&s, 0, a, 20));
	assert_int_equal(dw(&s, 8)[0], 0);
	uint32_t b = submit(&s, 1, false);
	assert_true(done(&s, 1, b, WAIT_MS));
	assert_true(done(&s, 0, a, WAIT_MS));
	/* The kernel's ring reaches registers: a VM flush as sdma_v6_0.c does it. */
	PUT(&s, 14 | 0xfu << 28, REG(GCVM_INVALIDATE_ENG0_REQ) + 5, 2 | 0x1f << 19);
	PUT(&s, 8 | 3u << 28, (REG(GCVM_INVALIDATE_ENG0_ACK) + 5) << 2, 0, 2, 2, 0xfff << 16 | 10);
	PUT(&s, 14 | 0x3u << 28, REG(SCRATCH_REG0), 0xaaaabbbb); /* two bytes of a register */
	rig_write(&s.r, REG(SCRATCH_REG0), 0x11112222);
	a = submit(&s, 0, true);
	assert_true(done(&s, 0, a, WAIT_MS));
	assert_int_equal(rig_read(&s.r, REG(SCRATCH_REG0)), 0x1111bbbb);
	rig_stop(&s.r);
}

static void linear_windows(void **state)
{
	enum { PITCH = 40, SLICE = 40 * 20, TO_PITCH = 24, TO_SLICE = 24 * 9 };
	struct sdma s;
	begin(&s);
	uint16_t *from = (uint16_t *)mem(&s, 0), *to = (uint16_t *)mem(&s, 0x10000);
	for (unsigned i = 0; i < SLICE * 3; i++)
		from[i] = (uint16_t)(i + 1);
	/* 2-byte elements: 7 x 5 x 2 from (3, 2, 1) to (1, 4, 0) */
	PUT(&s, 1 | 4 << 8 | 1u << 29, VA(RIG_DATA), 3 | 2 << 16, 1 | (PITCH - 1) << 13, SLICE - 1,
	    VA(RIG_DATA + 0x10000), 1 | 4 << 16, 0 | (TO_PITCH - 1) << 13, TO_SLICE - 1,
	    6 | 4 << 16, 1);
	run(&s);
	unsigned n = 0;
	for (unsigned z = 0; z < 2; z++)
		for (unsigned y = 0; y < 9; y++)
			for (unsigned x = 0; x < TO_PITCH; x++) {
				bool inside = x >= 1 && x < 8 && y >= 4;
				uint16_t want =
					inside ? from[(z + 1) * SLICE + (y - 2) * PITCH + x + 2]
					       : 0;
				assert_int_equal(to[z * TO_SLICE + y * TO_PITCH + x], want);
				n += inside;
			}
	assert_int_equal(n, 7 * 5 * 2);
	rig_stop(&s.r);
}

/* To a tiled surface, from there to another one, and back: each layout and size of element. */
static void tiled_windows(void **state)
{
	enum { W = 70, H = 50, D = 3, X = 6, Y = 4, WIDTH = 40, HEIGHT = 30 };
	static const struct {
		uint8_t elem_log2, sw_mode, dimension;
	} rows[] = {{0, 10, 1}, {1, 27, 1}, {2, 24, 1}, {2, 2, 1},
		    {3, 26, 1}, {4, 27, 1}, {2, 25, 2}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct sdma s;
		unsigned b = 1u << rows[i].elem_log2;
		uint32_t info = rows[i].elem_log2 | (uint32_t)rows[i].sw_mode << 3 |
				(uint32_t)rows[i].dimension << 9;
		uint64_t linear = RIG_DATA, a = RIG_DATA + (4 << 20), c = RIG_DATA + (8 << 20),
			 back = RIG_DATA + (12 << 20);
		begin(&s);
		for (unsigned k = 0; k < W * H * D * b; k++)
			mem(&s, 0)[k] = (uint8_t)(k * 31 + k / 251);
		/* COPY_TILED_SUB_WINDOW, all of it */
		PUT(&s, 1 | 5 << 8, VA(a), 0, (W - 1) << 16, (H - 1) | (D - 1) << 16, info,
		    VA(linear), 0, (W - 1) << 16, W * H - 1, (W - 1) | (H - 1) << 16, D - 1);
		/* COPY_T2T_SUB_WINDOW of a part, moved by (X, Y) */
		PUT(&s, 1 | 6 << 8, VA(a), 0, (W - 1) << 16, (H - 1) | (D - 1) << 16, info, VA(c),
		    X | Y << 16, (W - 1) << 16, (H - 1) | (D - 1) << 16, info,
		    (WIDTH - 1) | (HEIGHT - 1) << 16, D - 1);
		/* and back: DETILE */
		PUT(&s, 1 | 5 << 8 | 1u << 31, VA(c), X | Y << 16, (W - 1) << 16,
		    (H - 1) | (D - 1) << 16, info, VA(back), 0, (W - 1) << 16, W * H - 1,
		    (WIDTH - 1) | (HEIGHT - 1) << 16, D - 1);
		run(&s);
		assert_memory_not_equal(mem(&s, 4 << 20), mem(&s, 0), W * H * b);
		for (unsigned z = 0; z < D; z++)
			for (unsigned y = 0; y < H; y++) {
				uint64_t at = (z * H + y) * W * b;
				if (y < HEIGHT)
					assert_memory_equal(mem(&s, (12 << 20) + at), mem(&s, at),
							    WIDTH * b);
				assert_int_equal(mem(&s, (12 << 20) + at + WIDTH * b)[0], 0);
			}
		rig_stop(&s.r);
	}
}

/* The engine stops, says why, raises the interrupt, and can be started again. */
static void check_refused(const uint32_t *words, size_t n, const char *text)
{
	struct sdma s;
	struct rig_vector v;
	char why[200];
	begin(&s);
	put(&s, words, n);
	uint32_t fence = submit(&s, 1, false);
	do {
		assert_true(rig_next_vector(&s.r, &v, WAIT_MS));
	} while (v.source == 0); /* the VM fault of a packet that goes nowhere */
	assert_int_equal(v.client, IH_CLIENT_GFX);
	assert_int_equal(v.source, 55);
	assert_int_equal(v.ring, 1 << 4);
	assert_int_equal(v.vmid, 1);
	assert_true(bw_device_sdma_error(s.r.dev, 1, 0, why, sizeof(why)));
	if (!strstr(why, text))
		fail_msg("\"%s\" does not say \"%s\"", why, text);
	assert_false(bw_device_sdma_error(s.r.dev, 0, 0, why, sizeof(why)));
	assert_false(done(&s, 1, fence, 5));
	rig_write(&s.r, reg(1, REG(SDMA0_QUEUE0_RB_CNTL)), 0);
	uint32_t status = reg(1, REG(SDMA0_QUEUE0_CONTEXT_STATUS));
	for (unsigned i = 0; i < WAIT_MS && (rig_read(&s.r, status) & 5) != 4; i++)
		rig_sleep_ms(1);
	assert_int_equal(rig_read(&s.r, status) & 5, 4);
	start_ring(&s, 1);
	PUT(&s, 0);
	fence = submit(&s, 1, false);
	assert_true(done(&s, 1, fence, WAIT_MS));
	rig_stop(&s.r);
}
#define REFUSED(text, ...)                                                                         \
	check_refused((const uint32_t[]){__VA_ARGS__},                                             \
		      sizeof((const uint32_t[]){__VA_ARGS__}) / 4, text)

static void refusals(void **state)
{
	REFUSED("opcode 0x03 sub-opcode 0x00", 3);
	REFUSED("WRITE_TILED: not supported", 2 | 1 << 8, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	REFUSED("are left", 1, 99, 0);
	REFUSED("calls no other", 4, VA(RIG_IB), 8, 0, 0);
	REFUSED("illegal register access", 14 | 0xfu << 28, REG(SCRATCH_REG0), 1);
	REFUSED("illegal register access", 8 | 3u << 28, REG(SCRATCH_REG0) << 2, 0, 0, 0, 0);
	REFUSED("not mapped", 5, VA(0x40000000), 1);
	REFUSED("not mapped", 1, 15, 0, VA(0x40000000), VA(RIG_DATA));
	REFUSED("operation", 10 | 9u << 25, VA(RIG_DATA), 0, 0, 0, 0, 0);
	REFUSED("layout", 1 | 5 << 8, VA(RIG_DATA), 0, 0, 0, 2 | 3 << 3 | 1 << 9, VA(RIG_DATA), 0,
		0, 0, 0, 0);
}

TESTS(doorbells_move_the_pointers, linear_packets, long_copy, polls, linear_windows, tiled_windows,
      refusals);
