/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include <string.h>

#include "../../suite.h"
#include "base/util.h"

enum { RING = 2, WAIT_MS = 5000 };

static uint32_t *data(struct rig *r)
{
	return rig_ptr(r, RIG_DATA);
}

static void put(struct bw_pm4_stream *s, const uint32_t *dw, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bw_pm4_put(s, dw[i]);
}
#define PUT(s, ...)                                                                                \
	put(s, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* The ring test of the kernel: a uconfig register by a packet, polled by the CPU. */
static void test_scratch_reg(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	for (unsigned ring = 0; ring < 5; ring++) {
		struct bw_pm4_stream s = {0};
		rig_write(&r, REG(SCRATCH_REG0), 0xcafedead);
		bw_pm4_put_uconfig(&s, REG(SCRATCH_REG0), 0xdeadbeef);
		bw_pm4_put_nop(&s, 1);
		bw_pm4_put_nop(&s, 5);
		bw_pm4_put(&s, 0x80000000);
		bw_pm4_put_fence(&s, rig_mc(&r, RIG_FENCES + ring * 64), 1, true);
		rig_submit_ring(&r, ring, &s);
		assert_true(rig_wait(&r, ring, 1, WAIT_MS));
		assert_int_equal(rig_read(&r, REG(SCRATCH_REG0)), 0xdeadbeef);
		/* ME 3:2, pipe 1:0 */
		struct rig_vector v;
		assert_true(rig_next_vector(&r, &v, WAIT_MS));
		assert_int_equal(v.client, 0x14);
		assert_int_equal(v.source, 181);
		assert_int_equal(v.ring, ring ? 1 << 2 | (ring - 1) : 0);
		/* the packet's own effects come before its place in the ring is free */
		for (unsigned i = 0; i < WAIT_MS && rig_hqd(&r, ring, REG(CP_HQD_PQ_RPTR)) != s.len;
		     i++)
			rig_sleep_ms(1);
		assert_int_equal(rig_hqd(&r, ring, REG(CP_HQD_PQ_RPTR)), s.len);
		bw_pm4_stream_free(&s);
	}
	rig_stop(&r);
}

/* More than the ring holds, so that packets lie across its end. */
static void test_wrap(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	for (unsigned i = 1; i <= 3000; i++) {
		struct bw_pm4_stream s = {0};
		bw_pm4_put_nop(&s, 3);
		bw_pm4_put_fence(&s, rig_mc(&r, RIG_FENCES + RING * 64), i, false);
		rig_submit_ring(&r, RING, &s);
		bw_pm4_stream_free(&s);
		if (i % 300 == 0)
			assert_true(rig_wait(&r, RING, i, WAIT_MS));
	}
	rig_stop(&r);
}

static void test_data_packets(void **state)
{
	struct rig r;
	struct bw_pm4_stream s = {0};
	rig_start(&r, NULL);
	uint64_t d = RIG_DATA;
	const uint32_t three[] = {11, 22, 33};
	bw_pm4_put_write_mem(&s, d, three, 3);
	/* COPY_DATA memory -> memory, 64 bits; immediate -> memory; clock -> memory */
	PUT(&s, 0xc0044000, 1 | 5 << 8 | 1 << 16, (uint32_t)d + 4, 0, (uint32_t)d + 16, 0);
	PUT(&s, 0xc0044000, 5 | 5 << 8, 0x4444, 0, (uint32_t)d + 24, 0);
	PUT(&s, 0xc0044000, 9 | 5 << 8 | 1 << 16, 0, 0, (uint32_t)d + 32, 0);
	/* DMA_DATA: fill 0x1000 bytes, copy 8 of them, prefetch to nowhere (words as RADV sends
	 * them) */
	PUT(&s, 0xc0055000, 0x40300000, 0x5a5a5a5a, 0, (uint32_t)d + 0x1000, 0, 0x1000);
	PUT(&s, 0xc0055000, 0x60300000, (uint32_t)d, 0, (uint32_t)d + 0x3000, 0, 8);
	PUT(&s, 0xc0055000, 0x60200000, (uint32_t)d, 0, (uint32_t)d + 0x4000, 0, 96);
	/* WRITE_DATA to one address */
	PUT(&s, 0xc0043700, 5 << 8 | 1 << 16, (uint32_t)d + 0x5000, 0, 1, 2);
	uint64_t fence = rig_submit(&r, RING, &s);
	assert_true(rig_wait(&r, RING, fence, WAIT_MS));
	uint32_t *p = data(&r);
	assert_memory_equal(p, three, 12);
	assert_int_equal(p[4], 22);
	assert_int_equal(p[5], 33);
	assert_int_equal(p[6], 0x4444);
	assert_true(p[8] != 0);
	for (unsigned i = 0; i < 0x400; i++)
		assert_int_equal(p[0x1000 / 4 + i], 0x5a5a5a5a);
	assert_int_equal(p[0x2000 / 4], 0);
	assert_memory_equal(&p[0x3000 / 4], three, 8);
	assert_int_equal(p[0x4000 / 4], 0);
	assert_int_equal(p[0x5000 / 4], 2);
	assert_int_equal(p[0x5004 / 4], 0);
	rig_stop(&r);
}

/* A queue that waits does not block another, and continues when memory changes. */
static void test_wait_reg_mem(void **state)
{
	struct rig r;
	struct bw_pm4_stream s = {0}, t = {0};
	rig_start(&r, NULL);
	const uint32_t one = 1;
	bw_pm4_put_wait_mem(&s, RIG_DATA, 3, 5, 0xff);
	bw_pm4_put_write_mem(&s, RIG_DATA + 4, &one, 1);
	uint64_t a = rig_submit(&r, 1, &s);
	bw_pm4_put_write_mem(&t, RIG_DATA + 8, &one, 1);
	uint64_t b = rig_submit(&r, 2, &t);
	assert_true(rig_wait(&r, 2, b, WAIT_MS));
	rig_sleep_ms(5);
	assert_false(rig_done(&r, 1, a));
	assert_int_equal(data(&r)[1], 0);
	__atomic_store_n(data(&r), 0x705, __ATOMIC_SEQ_CST);
	assert_true(rig_wait(&r, 1, a, WAIT_MS));
	assert_int_equal(data(&r)[1], 1);
	rig_stop(&r);
}

static void test_indirect_buffers(void **state)
{
	struct rig r;
	struct bw_pm4_stream s = {0}, called = {0}, chained = {0};
	rig_start(&r, NULL);
	const uint32_t v[] = {1, 2, 3, 4};
	bw_pm4_put_write_mem(&called, RIG_DATA + 4, &v[1], 1);
	bw_pm4_put_write_mem(&chained, RIG_DATA + 12, &v[3], 1);
	memcpy(rig_ptr(&r, RIG_DATA + 0x10000), called.data, called.len * 4);
	memcpy(rig_ptr(&r, RIG_DATA + 0x20000), chained.data, chained.len * 4);
	bw_pm4_put_write_mem(&s, RIG_DATA, &v[0], 1);
	bw_pm4_put_indirect_buffer(&s, RIG_DATA + 0x10000, (uint32_t)called.len, 9, false);
	bw_pm4_put_write_mem(&s, RIG_DATA + 8, &v[2], 1);
	bw_pm4_put_indirect_buffer(&s, RIG_DATA + 0x20000, (uint32_t)chained.len, 0, true);
	bw_pm4_put_write_mem(&s, RIG_DATA + 16, &v[0], 1); /* behind the chain: not reached */
	uint64_t fence = rig_submit(&r, RING, &s);
	assert_true(rig_wait(&r, RING, fence, WAIT_MS));
	assert_memory_equal(data(&r), v, sizeof(v));
	assert_int_equal(data(&r)[4], 0);
	bw_pm4_stream_free(&called);
	bw_pm4_stream_free(&chained);
	rig_stop(&r);
}

static void test_cond_exec(void **state)
{
	struct rig r;
	struct bw_pm4_stream s = {0};
	rig_start(&r, NULL);
	const uint32_t one = 1;
	data(&r)[1] = 1;
	for (unsigned i = 0; i < 2; i++) { /* [0] is 0: skipped; [1] is not */
		PUT(&s, 0xc0032200, (uint32_t)RIG_DATA + 4 * i, 0, 0, 5);
		bw_pm4_put_write_mem(&s, RIG_DATA + 16 + 4 * i, &one, 1);
	}
	uint64_t fence = rig_submit(&r, RING, &s);
	assert_true(rig_wait(&r, RING, fence, WAIT_MS));
	assert_int_equal(data(&r)[4], 0);
	assert_int_equal(data(&r)[5], 1);
	rig_stop(&r);
}

/* Packets with the predicate bit (0 of the header) depend on a value, the others do not. */
static void test_predication(void **state)
{
	enum { CLEAR = 0, BOOL64 = 3 << 16, BOOL32 = 4 << 16, IF_SET = 1 << 8 };
	static const struct {
		uint32_t op, value_at;
		bool executed;
	} rows[] = {
		{BOOL32 | IF_SET, 0, false},  {BOOL32 | IF_SET, 4, true}, {BOOL32, 0, true},
		{BOOL32, 4, false},	      {BOOL64 | IF_SET, 8, true}, {BOOL64, 8, false},
		{BOOL64 | IF_SET, 16, false}, {CLEAR, 0, true},
	};
	struct rig r;
	struct bw_pm4_stream s = {0};
	rig_start(&r, NULL);
	data(&r)[1] = 1;
	data(&r)[3] = 0x80000000; /* the upper half of the 64 bits at 8 */
	for (uint32_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		PUT(&s, 0xc0022000, rows[i].op, (uint32_t)RIG_DATA + rows[i].value_at, 0);
		for (uint32_t k = 0; k < 2; k++) {
			size_t at = s.len;
			bw_pm4_put_write_mem(&s, RIG_DATA + 64 + 8 * i + 4 * k, &(uint32_t){7}, 1);
			s.data[at] |= k;
		}
	}
	uint64_t fence = rig_submit(&r, RING, &s);
	assert_true(rig_wait(&r, RING, fence, WAIT_MS));
	for (uint32_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		assert_int_equal(data(&r)[16 + 2 * i], 7);
		assert_int_equal(data(&r)[17 + 2 * i], rows[i].executed ? 7 : 0);
	}
	rig_stop(&r);
}

/* What a queue refuses: it stops, says why, raises the interrupt, and can be started again. */
static void check_refused(const uint32_t *dw, size_t n, unsigned source, const char *text)
{
	struct rig r;
	struct bw_pm4_stream s = {0};
	struct rig_vector v;
	char why[160];
	rig_start(&r, NULL);
	put(&s, dw, n);
	uint64_t fence = rig_submit(&r, RING, &s);
	do {
		assert_true(rig_next_vector(&r, &v, WAIT_MS));
	} while (v.source == 0); /* the VM fault of a packet that reads nowhere */
	assert_int_equal(v.source, source);
	assert_int_equal(v.client, 0x14);
	assert_int_equal(v.ring, 1 << 2 | (RING - 1));
	assert_int_equal(v.vmid, 1);
	assert_true(bw_device_queue_error(r.dev, 1, RING - 1, 0, why, sizeof(why)));
	if (!strstr(why, text))
		fail_msg("\"%s\" does not say \"%s\"", why, text);
	assert_int_not_equal(rig_hqd(&r, RING, REG(CP_HQD_ERROR)), 0);
	assert_false(rig_done(&r, RING, fence));

	rig_hqd_write(&r, RING, REG(CP_HQD_DEQUEUE_REQUEST), 2);
	for (unsigned i = 0; i < WAIT_MS && rig_hqd(&r, RING, REG(CP_HQD_ACTIVE)); i++)
		rig_sleep_ms(1);
	assert_int_equal(rig_hqd(&r, RING, REG(CP_HQD_ACTIVE)), 0);
	rig_hqd_start(&r, RING);
	assert_false(bw_device_queue_error(r.dev, 1, RING - 1, 0, why, sizeof(why)));
	struct bw_pm4_stream again = {0};
	const uint32_t one = 1;
	bw_pm4_put_write_mem(&again, RIG_DATA, &one, 1);
	assert_true(rig_wait(&r, RING, rig_submit(&r, RING, &again), WAIT_MS));
	assert_int_equal(*data(&r), 1);
	rig_stop(&r);
}
#define REFUSED(source, text, ...)                                                                 \
	check_refused((const uint32_t[]){__VA_ARGS__},                                             \
		      sizeof((const uint32_t[]){__VA_ARGS__}) / 4, source, text)

/* Read, change and write at once; operations of the L2's atomic units (sid.h of Mesa). */
static void test_atomics(void **state)
{
	struct rig r;
	struct bw_pm4_stream s = {0}, t = {0};
	rig_start(&r, NULL);
	uint32_t d = RIG_DATA, *p = data(&r);
	p[0] = 100, p[1] = 7, p[2] = 5, p[4] = 0xffffffff, p[5] = 1, p[6] = (uint32_t)-3;
	PUT(&s, 0xc0071e00, 79, d, 0, 11, 0, 0, 0, 10);	     /* ADD_32 */
	PUT(&s, 0xc0071e00, 8, d + 4, 0, 70, 0, 7, 0, 10);   /* CMPSWAP_RTN_32, equal */
	PUT(&s, 0xc0044000, 6 | 5 << 8, 0, 0, d + 0x40, 0);  /* what it returned */
	PUT(&s, 0xc0071e00, 72, d + 8, 0, 70, 0, 7, 0, 10);  /* CMPSWAP_32, not equal */
	PUT(&s, 0xc0071e00, 111, d + 16, 0, 1, 2, 0, 0, 10); /* ADD_64, with a carry */
	PUT(&s, 0xc0071e00, 81, d + 24, 0, 2, 0, 0, 0, 10);  /* SMIN_32 */
	uint64_t fence = rig_submit(&r, RING, &s);
	assert_true(rig_wait(&r, RING, fence, WAIT_MS));
	assert_int_equal(p[0], 111);
	assert_int_equal(p[1], 70);
	assert_int_equal(p[0x40 / 4], 7);
	assert_int_equal(p[2], 5);
	assert_int_equal(p[4], 0);
	assert_int_equal(p[5], 4);
	assert_int_equal(p[6], (uint32_t)-3);
	/* A lock: taken once it is free. */
	p[8] = 1;
	PUT(&t, 0xc0071e00, 72 | 1 << 8, d + 32, 0, 1, 0, 0, 0, 10);
	fence = rig_submit(&r, RING, &t);
	assert_false(rig_wait(&r, RING, fence, 20));
	__atomic_store_n(&p[8], 0, __ATOMIC_SEQ_CST);
	assert_true(rig_wait(&r, RING, fence, WAIT_MS));
	assert_int_equal(p[8], 1);
	rig_stop(&r);
}

static void test_conditions_and_changes(void **state)
{
	struct rig r;
	struct bw_pm4_stream s = {0};
	rig_start(&r, NULL);
	uint32_t d = RIG_DATA, *p = data(&r);
	p[0] = 0x1234, p[16] = 0xaaaa, p[17] = 0xbbbb;
	rig_write(&r, REG(SCRATCH_REG0), 0xff00ff00);
	/* REG_RMW: (register & 0x0ff00000) | 3 */
	PUT(&s, 0xc0022100, REG(SCRATCH_REG0), 0x0ff00000, 3);
	/* COND_WRITE: memory == 0x34 under 0xff, to memory; and one that does not hold */
	PUT(&s, 0xc0074500, 3 | 1 << 4 | 1 << 8, d, 0, 0x34, 0xff, d + 4, 0, 99);
	PUT(&s, 0xc0074500, 3 | 1 << 4 | 1 << 8, d, 0, 0x35, 0xff, d + 8, 0, 99);
	/* LOAD_CONTEXT_REG_INDEX of two, CONTEXT_REG_RMW of the second, and back to memory */
	PUT(&s, 0xc0039f00, d + 64, 0, 0x3a0, 2);
	PUT(&s, 0xc0025100, 0x3a1, 0x0ff0, 0x5555);
	PUT(&s, 0xc0044000, 0 | 5 << 8, 0xa3a0, 0, d + 12, 0);
	PUT(&s, 0xc0044000, 0 | 5 << 8, 0xa3a1, 0, d + 16, 0);
	/* PRED_EXEC for the second GPU of a group: passed over; for the first: executed */
	PUT(&s, 0xc0002300, 2u << 24 | 5);
	PUT(&s, 0xc0033700, 5 << 8, d + 20, 0, 1);
	PUT(&s, 0xc0002300, 1u << 24 | 5);
	PUT(&s, 0xc0033700, 5 << 8, d + 24, 0, 1);
	/* Queries of a queue that has not drawn: valid zeros */
	PUT(&s, 0xc0024600, 0x39 | 1 << 8, d + 0x1000, 0);
	PUT(&s, 0xc001b100, d + 0x1008, 0);
	PUT(&s, 0xc0024600, 0x1e | 2 << 8, d + 0x2000, 0);
	memset(p + 0x800, 0x77, 15 * 8);
	uint64_t fence = rig_submit(&r, 0, &s);
	assert_true(rig_wait(&r, 0, fence, WAIT_MS));
	assert_int_equal(rig_read(&r, REG(SCRATCH_REG0)), 0x0f000003);
	assert_int_equal(p[1], 99);
	assert_int_equal(p[2], 0);
	assert_int_equal(p[3], 0xaaaa);
	assert_int_equal(p[4], (0xbbbb & ~0x0ff0) | (0x5555 & 0x0ff0));
	assert_int_equal(p[5], 0);
	assert_int_equal(p[6], 1);
	const uint64_t *q = (const uint64_t *)(p + 0x400);
	for (unsigned i = 0; i < 48; i++)
		assert_true(q[i] == 1ull << 63);
	/* 14 of them on gfx11: radv_query.c of Mesa 25 */
	for (unsigned i = 0; i < 14; i++)
		assert_true(((const uint64_t *)(p + 0x800))[i] == 0);
	assert_true(((const uint64_t *)(p + 0x800))[14] == 0x7777777777777777);
	rig_stop(&r);
}

/* A control buffer of task shaders and a ring of four entries, as radv_queue.c of Mesa 25 makes
 * them. */
enum { CONTROL = RIG_DATA + 0x800, TASK_RING = RIG_DATA + 0x900, N_ENTRIES = 4 };
static uint32_t *make_task_ring(struct rig *r)
{
	uint32_t *p = data(r) + 0x800 / 4;
	p[0] = p[2] = p[4] = p[6] = N_ENTRIES;
	p[7] = (uint32_t)TASK_RING;
	return p;
}

/* A draw that is not supported is left out, and the packets after it are executed. What a task
 * shader would launch is taken out of its ring. */
static void test_left_out(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	uint32_t *control = make_task_ring(&r), *entries = control + 0x100 / 4;
	memcpy(entries, (const uint32_t[]){7, 8, 9, 1, 0, 0, 0, 3}, 32);
	struct bw_pm4_stream s = {0};
	PUT(&s, 0xc0002f00, 1);			   /* NUM_INSTANCES */
	PUT(&s, 0xc0012d00, 3, 2);		   /* DRAW_INDEX_AUTO: no primitive shader is on */
	PUT(&s, 0xc0042700, 3, 0x1000, 0, 3, 0);   /* DRAW_INDEX_2 */
	PUT(&s, 0xc0023000, 3, 2, 0);		   /* DRAW_INDEX_MULTI_AUTO */
	PUT(&s, 0xc001a900, (uint32_t)CONTROL, 0); /* DISPATCH_TASK_STATE_INIT */
	PUT(&s, 0xc0024d00, 0, 0, 0);		   /* DISPATCH_TASKMESH_GFX */
	uint64_t fence = rig_submit(&r, 0, &s);
	assert_true(rig_wait(&r, 0, fence, WAIT_MS));
	assert_int_equal(control[0], 4); /* written */
	assert_int_equal(control[2], 6); /* read */
	assert_int_equal(control[4], 6); /* freed */
	rig_stop(&r);
}

/* Of no groups there is only the entry that ends the draw, as far as there is room for it. */
static void test_task_entries(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	uint32_t *control = make_task_ring(&r), *entries = control + 0x100 / 4;
	control[0] = 9; /* in the third pass through the ring */
	control[2] = control[4] = 5;
	struct bw_pm4_stream s = {0}, t = {0};
	PUT(&s, 0xc001a900, (uint32_t)CONTROL, 0);    /* DISPATCH_TASK_STATE_INIT */
	PUT(&s, 0xc004aa02, 0, 1, 1, 0x2a041, 0x240); /* DISPATCH_TASKMESH_DIRECT_ACE */
	uint64_t fence = rig_submit(&r, RING, &s);
	assert_false(rig_wait(&r, RING, fence, 50));
	const uint32_t freed = 6;
	bw_pm4_put_write_mem(&t, CONTROL + 16, &freed, 1);
	assert_true(rig_wait(&r, 1, rig_submit(&r, 1, &t), WAIT_MS));
	assert_true(rig_wait(&r, RING, fence, WAIT_MS));
	assert_int_equal(control[0], 10);
	assert_int_equal(entries[4 + 3], 2); /* the end; ready is 0 in an even pass */
	rig_stop(&r);
}

static void test_refused(void **state)
{
	REFUSED(183, "LOAD_CONST_RAM is not supported", 0xc0038000, 0, 0, 0, 0);
	REFUSED(183, "opcode 0xee", 0xc000ee00, 0);
	REFUSED(183, "type 0", 0x00001234, 0);
	REFUSED(183, "are left", 0xc0107600, 0);
	REFUSED(183, "too short", 0xc0001500, 0);
	REFUSED(183, "kernel's rings", 0xc0019800 & ~(1u << 16), 0);
	/* WRITE_DATA to SQ_CMD, COPY_DATA from IH_RB_CNTL, SET_SH_REG over the end of its space */
	REFUSED(184, "illegal register access", 0xc0033700, 0, REG(SQ_CMD), 0, 3);
	REFUSED(184, "illegal register access", 0xc0044000, 0 | 5 << 8, REG(IH_RB_CNTL), 0,
		(uint32_t)RIG_DATA, 0);
	REFUSED(184, "illegal register access", 0xc0027600, 0x3ff, 1, 2);
	/* memory that is not there: IB, DMA */
	REFUSED(183, "cannot be read", 0xc0023f00, 0x1000, 0, 16);
	REFUSED(183, "not mapped", 0xc0055000, 0x60300000, (uint32_t)RIG_DATA, 0, 0x40000000, 0, 8);
	REFUSED(183, "DST_SEL", 0xc0044000, 1 | 3 << 8, (uint32_t)RIG_DATA, 0, 0, 0);
	REFUSED(183, "ATOMIC 9 is not", 0xc0071e00, 9, (uint32_t)RIG_DATA, 0, 0, 0, 0, 0, 0);
	REFUSED(183, "WRITE_SPACE", 0xc0074500, 2 << 8, REG(SCRATCH_REG0), 0, 0, 0, 0, 0, 0);
	REFUSED(183, "COMPUTE_NUM_THREAD", 0xc0031502, 1, 1, 1, 1);
	/* task shaders: without a control buffer, with one of zeros, with too many groups */
	REFUSED(183, "no DISPATCH_TASK_STATE_INIT", 0xc004aa02, 1, 1, 1, 0x2a041, 0x240);
	REFUSED(183, "makes no sense", 0xc001a900, (uint32_t)RIG_DATA, 0, 0xc004aa02, 1, 1, 1,
		0x2a041, 0x240);
	REFUSED(183, "65535 groups", 0xc004aa02, 0x10000, 1, 1, 0x2a041, 0x240);
}

/* A program that changes the size of a grid while the ring has no room for it has the grid that was
 * read first, and nothing of it stays for the next packet. */
static void test_task_changed(void **state)
{
	enum { GROUPS = 10, FIRST = N_ENTRIES, ROUNDS = 100 };
	struct rig r;
	rig_start(&r, NULL);
	uint32_t *control = make_task_ring(&r), *grid = data(&r) + 0xa00 / 4;
	memcpy(grid, (const uint32_t[]){GROUPS, 1, 1}, 12);
	const uint64_t out = RIG_DATA + 0x2000;
	const struct rig_launch l = {
		.kernel = "ids", .user = {(uint32_t)out, (uint32_t)(out >> 32), 64}, .n_user = 3};
	struct bw_pm4_stream s = {0}, t = {0};
	rig_put_launch(&r, &s, &l);
	PUT(&s, 0xc001a900, (uint32_t)CONTROL, 0);
	/* DISPATCH_TASKMESH_INDIRECT_MULTI_ACE */
	PUT(&s, 0xc009ad02, (uint32_t)(RIG_DATA + 0xa00), 0, 0x24f, 0, 0, 1, 0, 0, 12, 0x2a041);
	uint64_t fence = rig_submit(&r, RING, &s);
	assert_false(rig_wait(&r, RING, fence, 50));
	assert_int_equal(control[0], FIRST + N_ENTRIES);
	__atomic_store_n(&grid[0], 0, __ATOMIC_SEQ_CST);
	bool has_ended = false;
	for (unsigned i = 0; i < ROUNDS && !has_ended; i++) { /* the reader frees what is written */
		__atomic_store_n(&control[4], __atomic_load_n(&control[0], __ATOMIC_SEQ_CST),
				 __ATOMIC_SEQ_CST);
		has_ended = rig_wait(&r, RING, fence, 50);
	}
	assert_true(has_ended);
	assert_int_equal(control[0], FIRST + GROUPS + 1);
	control[2] = control[4] = control[0];
	PUT(&t, 0xc001a900, (uint32_t)CONTROL, 0);
	PUT(&t, 0xc004aa02, 2, 1, 1, 0x2a041, 0x24f);
	assert_true(rig_wait(&r, RING, rig_submit(&r, RING, &t), WAIT_MS));
	assert_int_equal(control[0], FIRST + GROUPS + 1 + 3);
	rig_stop(&r);
}

/* The kernel's own ring may write what a user may not. */
static void test_kernel_registers(void **state)
{
	struct rig r;
	struct bw_pm4_stream s = {0};
	rig_start(&r, NULL);
	bw_pm4_put_write_reg(&s, REG(IH_VMID_0_LUT) + 5, 0x1234);
	bw_pm4_put_wait_reg(&s, REG(IH_VMID_0_LUT) + 5, 0x34, 0xff);
	bw_pm4_put_fence(&s, rig_mc(&r, RIG_FENCES), 1, false);
	rig_submit_ring(&r, 0, &s);
	assert_true(rig_wait(&r, 0, 1, WAIT_MS));
	assert_int_equal(rig_read(&r, REG(IH_VMID_0_LUT) + 5), 0x1234);
	bw_pm4_stream_free(&s);
	rig_stop(&r);
}

TESTS(test_scratch_reg, test_wrap, test_data_packets, test_wait_reg_mem, test_indirect_buffers,
      test_cond_exec, test_predication, test_left_out, test_task_entries, test_task_changed,
      test_refused, test_kernel_registers, test_atomics, test_conditions_and_changes);
