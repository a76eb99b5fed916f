/* SPDX-License-Identifier: MIT */
/* Address watches: TCP_WATCH0 to 3 as a debugger sets them. Expected places are counted by hand in
 * kernels/store.s and load.s. */
#include "rig.h"

#include <string.h>

#include "../../suite.h"

enum { WAIT_MS = 20000, READ = 0, NONREAD = 1, ATOMIC = 2, ALL = 3, ONE_GRANULE = 0x7fffff };
enum { TRAP_EN = 1 << 3, EXCP_EN_WATCH = 1 << (4 + 7) };
enum { AFTER_STORE_1 = 20, AFTER_LOAD = 12, STORE_END = 40 };
#define LO(va) ((uint32_t)(va))
#define HI(va) ((uint32_t)((va) >> 32))
#define SEEN_VA (RIG_DATA + 0x1000)
#define A_VA (RIG_DATA + 0x2040)
#define B_VA (RIG_DATA + 0x2100)

struct seen {
	uint32_t pc_lo, cause, trapsts, status, group, pad[3], count;
};

static void set_handler(struct rig *r, uint32_t gdbg)
{
	struct bw_bank b = {.use_srbm = true, .vmid = r->vmid};
	uint64_t tba = rig_code(r, "handler");
	bw_device_reg_write(r->dev, &b, REG(SQ_SHADER_TBA_LO), (uint32_t)(tba >> 8));
	bw_device_reg_write(r->dev, &b, REG(SQ_SHADER_TBA_HI), (uint32_t)(tba >> 40) | 1u << 31);
	bw_device_reg_write(r->dev, &b, REG(SQ_SHADER_TMA_LO), (uint32_t)(SEEN_VA >> 8));
	bw_device_reg_write(r->dev, &b, REG(SQ_SHADER_TMA_HI), (uint32_t)(SEEN_VA >> 40));
	bw_device_reg_write(r->dev, &b, REG(SPI_GDBG_PER_VMID_CNTL), gdbg);
}

static void set_watch(struct rig *r, unsigned i, uint64_t va, uint32_t mask, unsigned mode,
		      unsigned vmid)
{
	uint32_t first = REG(TCP_WATCH0_ADDR_H) + 3 * i;
	rig_write(r, first, HI(va));
	rig_write(r, first + 1, LO(va) & ~0x7fu);
	rig_write(r, first + 2, mask | vmid << 24 | mode << 29 | 1u << 31);
}

static struct seen run(struct rig *r, const char *kernel)
{
	struct seen *seen = rig_ptr(r, SEEN_VA);
	memset(seen, 0, sizeof(*seen));
	*(uint32_t *)rig_ptr(r, A_VA) = 0;
	*(uint32_t *)rig_ptr(r, B_VA) = 0;
	struct rig_launch l = {.kernel = kernel,
			       .groups = {1},
			       .threads = {32},
			       .n_user = 4,
			       .user = {LO(A_VA), HI(A_VA), LO(B_VA), HI(B_VA)}};
	assert_true(rig_wait(r, 1, rig_launch(r, &l), WAIT_MS));
	return *seen;
}

static uint32_t offset(struct rig *r, const struct seen *s, const char *kernel)
{
	return s->pc_lo - LO(rig_code(r, kernel));
}

static void check_store(struct rig *r, unsigned n_traps)
{
	struct seen s = run(r, "store");
	assert_int_equal(s.count, n_traps);
	assert_int_equal(*(uint32_t *)rig_ptr(r, A_VA), 0x1234);
	assert_int_equal(*(uint32_t *)rig_ptr(r, B_VA), 0x5678);
}

/* The store has been done, and the wave stands behind it. */
static void test_precise(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, TRAP_EN | EXCP_EN_WATCH);
	set_watch(&r, 1, A_VA, ONE_GRANULE, NONREAD, r.vmid);
	struct seen s = run(&r, "store");
	assert_int_equal(s.count, 1);
	assert_int_equal(offset(&r, &s, "store"), AFTER_STORE_1);
	assert_int_equal(s.cause >> 16, 0);
	assert_int_equal(s.trapsts & 0x7080, 1 << 12);
	assert_int_equal(*(uint32_t *)rig_ptr(&r, A_VA), 0x1234);
	assert_int_equal(*(uint32_t *)rig_ptr(&r, B_VA), 0x5678);
	/* both at once, by two registers */
	set_watch(&r, 2, B_VA, ONE_GRANULE, ALL, r.vmid);
	check_store(&r, 2);
	rig_stop(&r);
}

static void test_modes(void **state)
{
	static const struct {
		unsigned mode, store, load;
	} rows[] = {{READ, 0, 1}, {NONREAD, 1, 0}, {ATOMIC, 0, 0}, {ALL, 1, 1}};
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, TRAP_EN | EXCP_EN_WATCH);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set_watch(&r, 3, A_VA, ONE_GRANULE, rows[i].mode, r.vmid);
		check_store(&r, rows[i].store);
		struct seen s = run(&r, "load");
		assert_int_equal(s.count, rows[i].load);
		if (s.count)
			assert_int_equal(offset(&r, &s, "load"), AFTER_LOAD);
		assert_int_equal(*(uint32_t *)rig_ptr(&r, B_VA), 1);
	}
	rig_stop(&r);
}

/* 128 bytes are the smallest range; a MASK bit that is clear makes it wider. */
static void test_granule(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, TRAP_EN | EXCP_EN_WATCH);
	set_watch(&r, 1, A_VA + 0x3c, ONE_GRANULE, ALL, r.vmid); /* the same granule */
	check_store(&r, 1);
	set_watch(&r, 1, A_VA + 0x40, ONE_GRANULE, ALL, r.vmid); /* the next one, of no interest */
	check_store(&r, 0);
	set_watch(&r, 1, A_VA + 0x40, ONE_GRANULE & ~3u, ALL, r.vmid); /* 512 bytes: both */
	check_store(&r, 2);
	rig_stop(&r);
}

static void test_not_meant(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, TRAP_EN | EXCP_EN_WATCH);
	set_watch(&r, 1, A_VA, ONE_GRANULE, ALL, r.vmid + 1); /* another VMID */
	check_store(&r, 0);
	set_watch(&r, 1, A_VA, ONE_GRANULE, ALL, r.vmid);
	check_store(&r, 1);
	rig_write(&r, REG(TCP_WATCH0_ADDR_H) + 3 + 2, 0); /* not VALID */
	check_store(&r, 0);
	set_watch(&r, 1, A_VA, ONE_GRANULE, ALL, r.vmid);
	set_handler(&r, TRAP_EN); /* the exception is not enabled */
	check_store(&r, 0);
	rig_stop(&r);
}

/* Without SQ_DEBUG.SINGLE_MEMOP the trap comes late, but before the wave's end. */
static void test_imprecise(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, TRAP_EN | EXCP_EN_WATCH);
	set_watch(&r, 1, A_VA, ONE_GRANULE, NONREAD, r.vmid);
	rig_write(&r, REG(SQ_DEBUG), 0);
	struct seen s = run(&r, "store");
	assert_int_equal(s.count, 1);
	assert_int_equal(offset(&r, &s, "store"), STORE_END);
	rig_stop(&r);
}

TESTS(test_precise, test_modes, test_granule, test_not_meant, test_imprecise);
