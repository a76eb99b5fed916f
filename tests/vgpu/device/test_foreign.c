/* SPDX-License-Identifier: MIT */
/* A driver that was written for other GPUs, on a Raven2: its address spaces by the triples of a
 * published report of page faults (doc/hardware/page-tables.md 7), bytes that an entry covers and
 * number of entries, from the root on. Its command buffers run, or fault as its authors saw when
 * they changed one field; and src/gpuvm says which. Registers: gc_9_0_offset.h, sdma0_4_1. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/util.h"
#include "gpuvm/repair.h"
#include "rig.h"
#include "vgpu/device/draw_look.h"

enum {
	GC = 0x2000,
	GRBM_GFX_CNTL = GC + 0x22,
	VM_L2_CNTL3 = GC + 0x842,
	VM_L2_PROTECTION_FAULT_STATUS = GC + 0x84b,
	VM_CONTEXT1_CNTL = GC + 0x881,
	BASE = GC + 0x8eb + 2, /* VM_CONTEXT1_PAGE_TABLE_*_LO32, HI32 */
	START = GC + 0x90b + 2,
	END = GC + 0x92b + 2,
	TO_MEMORY_HUB = 0x1a6c0 - 0x2880, /* the same there, for SDMA */
	CP_MEC_CNTL = GC + 0x8d,
	CP_HQD_ACTIVE = GC + 0x1247,
	CP_HQD_PQ_BASE = GC + 0x124d,
	CP_HQD_PQ_RPTR = GC + 0x124f,
	CP_HQD_PQ_DOORBELL_CONTROL = GC + 0x1254,
	CP_HQD_PQ_CONTROL = GC + 0x1256,
	SDMA = 0x1260,
	SDMA_CNTL = SDMA + 0x1c,
	SDMA_GFX_RB_CNTL = SDMA + 0x80,
	SDMA_GFX_RB_BASE = SDMA + 0x81,
	SDMA_GFX_DOORBELL = SDMA + 0x92,
	SDMA_GFX_DOORBELL_OFFSET = SDMA + 0xab,
	GFX_DOORBELL = 0,
	SDMA_DOORBELL = 0x200,
	GFX_RING = 0x200000, /* in VRAM */
	GFX_FENCE = 0x201000,
	SDMA_RING = 0x210000,
	TABLES = 0x400000,
	WAIT_MS = 5000,
};
#define FB (0x8000ull << 24)
#define SPACE 0x400000000ull /* START */
/* The command buffers of the report, their neighbours, and their entries there. */
#define GFX_IB 0x400480000ull
#define GFX_DATA 0x40047f000ull
#define SDMA_IB 0x400280000ull
#define SDMA_DATA 0x40027f000ull
#define GFX_IB_PTE 0x0000000069497077ull
#define GFX_DATA_PTE 0x060000006a931077ull
#define SDMA_IB_PTE 0x06000000691b8077ull
#define SDMA_DATA_PTE 0x000000001018c2f1ull
#define F (1ull << 56)
#define P (1ull << 54)
#define S 2ull
#define BFS(n) ((uint64_t)(n) << 59)

struct level {
	uint64_t covers;
	unsigned n;
	uint64_t flags; /* of entries that lead on */
};
struct config {
	struct level level[3];
	unsigned n_levels, depth, block;
};
static const struct config further = {
	{{0x10000000, 0x200, BFS(4)}, {0x10000, 0x1000, F}, {0x1000, 0x10, 0}}, 3, 1, 7};
static const struct config three_levels = {
	{{0x40000000, 0x80, 0}, {0x200000, 0x200, 0}, {0x1000, 0x200, 0}}, 3, 2, 0};
static const struct config two_levels = {{{0x10000000, 0x200, 0}, {0x1000, 0x10000, 0}}, 2, 1, 7};
static const struct config one_level = {{{0x1000, 0x400000, 0}}, 1, 0, 0};
/* Linux's own, over 128 TiB */
static const struct config of_linux = {
	{{1 << 30, 0x20000, BFS(9)}, {2 << 20, 0x200, F}, {0x1000, 0x200, 0}}, 3, 1, 9};

struct machine {
	struct bw_device *dev;
	struct config c;
	uint64_t next, last; /* tables, from the start and from the end */
};

static uint64_t *vram64(struct machine *m, uint64_t offset)
{
	return (uint64_t *)(void *)(bw_device_vram(m->dev) + offset);
}

static uint32_t get(struct machine *m, uint32_t addr_dw)
{
	return bw_device_driver_read(m->dev, addr_dw);
}

static void set(struct machine *m, uint32_t addr_dw, uint32_t value)
{
	bw_device_driver_write(m->dev, addr_dw, value);
}

static void set_pair(struct machine *m, uint32_t lo, uint64_t value)
{
	set(m, lo, (uint32_t)value);
	set(m, lo + 1, (uint32_t)(value >> 32));
}

static void no_interrupt(void *cookie)
{
}

static void attach(struct machine *m, uint64_t pte)
{
	int fd = memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_null(bw_device_sysmem_attach(m->dev, pte & 0xfffffffff000, 4096, fd, 0));
	close(fd);
}

static uint32_t *memory_of(struct machine *m, uint64_t pte)
{
	const uint64_t at = pte & 0xfffffffff000;
	return (uint32_t *)(void *)(pte & S ? bw_device_sysmem(m->dev, at, 4096)
					    : bw_device_vram(m->dev) + at);
}

/* ---- the driver ---- */

static uint64_t index_of(const struct level *l, uint64_t va)
{
	return (va - SPACE) / l->covers % l->n;
}

/* The entry of a level on the way to an address; tables that are not there yet are made, those of
 * the last level at the end of VRAM. */
static uint64_t *entry_of(struct machine *m, unsigned level, uint64_t va)
{
	uint64_t table = TABLES;
	for (unsigned i = 0;; i++) {
		uint64_t *e = vram64(m, table) + index_of(&m->c.level[i], va);
		if (i == level)
			return e;
		if (!(*e & 1)) {
			uint64_t size_b = (m->c.level[i + 1].n * 8 + 0xfff) & ~0xfffull;
			bool is_last = i + 2 == m->c.n_levels;
			if (is_last)
				m->last -= size_b;
			*e = (is_last ? m->last : m->next) | m->c.level[i].flags | 1;
			m->next += is_last ? 0 : 2 * size_b; /* none goes on in the next one */
		}
		table = *e & 0xfffffffff000;
	}
}

static void map(struct machine *m, uint64_t va, uint64_t pte)
{
	*entry_of(m, m->c.n_levels - 1, va) = pte;
}

static void set_cntl(struct machine *m, unsigned depth, unsigned block)
{
	for (unsigned hub = 0; hub < 2; hub++)
		set(m, VM_CONTEXT1_CNTL + hub * TO_MEMORY_HUB,
		    0x007ffe01 | depth << 1 | block << 3);
}

static void begin(struct machine *m, const struct config *c, uint64_t more)
{
	static const uint64_t system[] = {GFX_IB_PTE, GFX_DATA_PTE, SDMA_IB_PTE};
	const struct bw_device_options options = {.threads = 1, .foreign_driver = true};
	*m = (struct machine){.c = *c, .next = TABLES + 0x2000000};
	assert_null(bw_device_create(&bw_profile_raven2, &options, no_interrupt, NULL, &m->dev));
	m->last = bw_profile_raven2.vram_size_b;
	for (size_t i = 0; i < BW_ARRAY_SIZE(system); i++)
		attach(m, system[i]);
	set_cntl(m, c->depth, c->block);
	for (unsigned hub = 0; hub < 2; hub++) {
		const uint32_t to = hub * TO_MEMORY_HUB;
		set_pair(m, BASE + to, TABLES | 1);
		set_pair(m, START + to, SPACE >> 12);
		set_pair(m, END + to, (SPACE + c->level[0].covers * c->level[0].n - 1) >> 12);
	}
	map(m, SPACE, 0); /* its table is VRAM's last page */
	map(m, GFX_IB + more, GFX_IB_PTE);
	map(m, GFX_DATA + more, GFX_DATA_PTE);
	map(m, SDMA_IB + more, SDMA_IB_PTE);
	map(m, SDMA_DATA + more, SDMA_DATA_PTE);
	/* a queue of the kernel, and the ring of SDMA */
	set(m, GRBM_GFX_CNTL, 1 | 2 << 2);
	set_pair(m, CP_HQD_PQ_BASE, (FB + GFX_RING) >> 8);
	set(m, CP_HQD_PQ_CONTROL, 1u << 30 | 9);
	set(m, CP_HQD_PQ_DOORBELL_CONTROL, 1u << 30 | GFX_DOORBELL << 2);
	set(m, CP_HQD_ACTIVE, 1);
	set(m, GRBM_GFX_CNTL, 0);
	set(m, SDMA_CNTL, 1);
	set_pair(m, SDMA_GFX_RB_BASE, (FB + SDMA_RING) >> 8);
	set(m, SDMA_GFX_DOORBELL, 1u << 28);
	set(m, SDMA_GFX_DOORBELL_OFFSET, SDMA_DOORBELL << 2);
	set(m, SDMA_GFX_RB_CNTL, 1 | 10 << 1);
}

static void end(struct machine *m)
{
	bw_device_destroy(m->dev);
}

/* Until a word has arrived, or the engine has stopped. */
static bool arrives(struct machine *m, uint64_t pte, uint32_t value)
{
	char text[300];
	for (unsigned ms = 0; ms < WAIT_MS; ms++) {
		if (__atomic_load_n(memory_of(m, pte), __ATOMIC_ACQUIRE) == value)
			return true;
		if (get(m, VM_L2_PROTECTION_FAULT_STATUS) ||
		    bw_device_queue_error(m->dev, 3, 1, 0, text, sizeof(text)))
			return false;
		rig_sleep_ms(1);
	}
	fail_msg("nothing happens");
	return false;
}

/* A command buffer of VMID 1 that writes its data (INDIRECT_BUFFER with VALID). The ring goes on
 * with a fence. */
static bool run_gfx(struct machine *m, uint64_t more)
{
	const uint64_t at = GFX_IB + more, to = GFX_DATA + more, fence = FB + GFX_FENCE;
	const uint32_t ib[] = {0xc0033700, 5 << 8, (uint32_t)to, (uint32_t)(to >> 32), 77};
	const uint32_t ring[] = {0xc0023f00,
				 (uint32_t)at,
				 (uint32_t)(at >> 32),
				 1u << 24 | 1 << 23 | (uint32_t)BW_ARRAY_SIZE(ib),
				 0xc0033700,
				 5 << 8,
				 (uint32_t)fence,
				 (uint32_t)(fence >> 32),
				 99};
	memcpy(memory_of(m, GFX_IB_PTE), ib, sizeof(ib));
	memcpy(vram64(m, GFX_RING), ring, sizeof(ring));
	bw_device_doorbell(m->dev, GFX_DOORBELL, BW_ARRAY_SIZE(ring));
	return arrives(m, GFX_FENCE, 99) && *memory_of(m, GFX_DATA_PTE) == 77;
}

/* The same of SDMA: INDIRECT, WRITE_LINEAR. */
static bool run_sdma(struct machine *m, uint64_t more)
{
	const uint64_t at = SDMA_IB + more, to = SDMA_DATA + more;
	const uint32_t ib[] = {2, (uint32_t)to, (uint32_t)(to >> 32), 0, 88};
	const uint32_t ring[] = {
		0, 0, 4 | 1 << 16, (uint32_t)at, (uint32_t)(at >> 32), BW_ARRAY_SIZE(ib), 0, 0};
	memcpy(memory_of(m, SDMA_IB_PTE), ib, sizeof(ib));
	memcpy(vram64(m, SDMA_RING), ring, sizeof(ring));
	bw_device_doorbell(m->dev, SDMA_DOORBELL, sizeof(ring));
	return arrives(m, SDMA_DATA_PTE, 88);
}

/* ---- what a debugger says ---- */

static bool read_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct machine *m = cookie;
	if (system || address % 8 || address > bw_profile_raven2.vram_size_b - 8)
		return false;
	*out_entry = *vram64(m, address);
	return true;
}

static uint64_t pair(struct machine *m, uint32_t lo)
{
	return get(m, lo) | (uint64_t)get(m, lo + 1) << 32;
}

static void check_says(struct machine *m, uint64_t va, const char *want)
{
	const struct bw_gpuvm_regs regs = {.cntl = get(m, VM_CONTEXT1_CNTL),
					   .base = pair(m, BASE),
					   .start = pair(m, START),
					   .end = pair(m, END)};
	struct bw_gpuvm_repair r[BW_GPUVM_MAX_REPAIRS];
	struct bw_gpuvm_context c;
	struct bw_str text = {0};
	bw_gpuvm_context_init(&c, BW_GPUVM_GFX9, 1, &regs);
	bw_gpuvm_repairs_tell(&c, r, bw_gpuvm_repairs(&c, read_entry, m, va, r), va, &text);
	if (!strstr(bw_str_text(&text), want) || (!*want && text.len))
		fail_msg("\"%s\" is not in \"%s\"", want, bw_str_text(&text));
	bw_str_free(&text);
}

/* ---- tests ---- */

static void address_spaces_that_are_right(void **state)
{
	static const struct config *const configs[] = {&further, &three_levels, &two_levels,
						       &one_level, &of_linux};
	for (size_t i = 0; i < BW_ARRAY_SIZE(configs); i++) {
		struct machine m;
		begin(&m, configs[i], 0);
		assert_true(run_gfx(&m, 0));
		assert_true(run_sdma(&m, 0));
		assert_int_equal(get(&m, VM_L2_PROTECTION_FAULT_STATUS), 0);
		check_says(&m, GFX_IB, "");
		end(&m);
	}
}

enum { VALID = 1, READ = 2, PDE0 = 2, TRANSLATE_FURTHER = 5, NACK = 6 };

/* One field is changed in an address space that is right. */
static void address_spaces_with_one_wrong_field(void **state)
{
	enum { IN_CNTL = -1 };
	static const struct {
		const char *what;
		int level; /* of the entry; or CNTL */
		uint64_t clear, set;
		unsigned depth, block;
		uint64_t more; /* added to all addresses */
		unsigned walker_error, permission;
		const char *says;
	} cases[] = {
		{"BFS 9", 0, BFS(31), BFS(9), 0, 0, 0, 0, VALID | READ,
		 " is 9 and should be 4 (an entry"},
		{"BFS 12", 0, BFS(31), BFS(12), 0, 0, 0, TRANSLATE_FURTHER, VALID | READ,
		 " is 12 and should be 4 (an entry"},
		{"no F", 1, F, 0, 0, 0, 0, 0, READ, "F of the PTB entry"},
		{"F in a directory", 0, 0, F, 0, 0, 0, 0, VALID | READ,
		 "is set and should be clear"},
		{"P in a directory", 0, 0, P, 0, 0, 0, 0, READ, "P of the PDB0 entry"},
		{"P of a page", 2, 0, P, 0, 0, 0, 0, VALID | READ, "P of the PTB (further) entry"},
		{"P of an entry with F", 1, 0, P, 0, 0, 0, 0, VALID | READ, "P of the PTB entry"},
		{"a directory that is not valid", 0, ~0ull, 0, 0, 0, 0, PDE0, VALID | READ, ""},
		{"a table that is not in system memory", 0, 0, S, 0, 0, 0, NACK, VALID | READ,
		 "S of the PDB0 entry"},
		{"block size 9", IN_CNTL, 0, 0, 1, 9, 0x10000000, 0, VALID | READ,
		 "PAGE_TABLE_BLOCK_SIZE of VM_CONTEXT1_CNTL is 9 and should be 7"},
		{"block size 0", IN_CNTL, 0, 0, 1, 0, 0x10000000, PDE0, VALID | READ,
		 "PAGE_TABLE_BLOCK_SIZE of VM_CONTEXT1_CNTL is 0 and should be 7"},
		{"depth 2", IN_CNTL, 0, 0, 2, 7, 0x10000000, PDE0, VALID | READ,
		 "PAGE_TABLE_DEPTH of VM_CONTEXT1_CNTL is 2 and should be 1"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		const uint64_t more = cases[i].more, va = GFX_IB + more;
		struct machine m;
		begin(&m, &further, more);
		if (cases[i].level == IN_CNTL) {
			set_cntl(&m, cases[i].depth, cases[i].block);
		} else {
			uint64_t *e = entry_of(&m, (unsigned)cases[i].level, va);
			*e = (*e & ~cases[i].clear) | cases[i].set;
		}
		if (run_gfx(&m, more))
			fail_msg("%s: no fault", cases[i].what);
		struct bw_gpuvm_status s = bw_gpuvm_status_decode(
			BW_GPUVM_GFX9, get(&m, VM_L2_PROTECTION_FAULT_STATUS));
		if (s.walker_error != cases[i].walker_error || s.permission != cases[i].permission)
			fail_msg("%s: walker error %u, permission 0x%x", cases[i].what,
				 s.walker_error, s.permission);
		assert_int_equal(s.vmid, 1);
		assert_int_equal(get(&m, VM_L2_PROTECTION_FAULT_STATUS + 1), va >> 12);
		check_says(&m, va, cases[i].says);
		end(&m);
	}
}

/* "No fault, but stuck": the wrong page is read, for both engines. */
static void without_a_block_fragment_size(void **state)
{
	struct machine m;
	begin(&m, &further, 0);
	/* what the middle table has at 0x480 is for 0x404800000: a page of NOPs */
	const uint64_t nops = 0x2000000;
	map(&m, SPACE + 0x4800000, nops | 0x71);
	for (unsigned i = 0; i < 1024; i++)
		memory_of(&m, nops)[i] = 0xffff1000;
	*entry_of(&m, 0, GFX_IB) &= ~BFS(31);
	assert_false(run_gfx(&m, 0));
	assert_int_equal(*memory_of(&m, GFX_FENCE), 99);
	assert_int_equal(get(&m, VM_L2_PROTECTION_FAULT_STATUS), 0);
	check_says(&m, GFX_IB, " is 0 and should be 4 (below BFS 0");
	end(&m);
}

/* Another engine, another address of the report. */
static void the_copy_engine_faults_as_well(void **state)
{
	struct machine m;
	begin(&m, &further, 0);
	uint64_t *e = entry_of(&m, 0, SDMA_IB);
	*e = (*e & ~BFS(31)) | BFS(9);
	assert_false(run_sdma(&m, 0));
	assert_int_equal(get(&m, VM_L2_PROTECTION_FAULT_STATUS + 1), SDMA_IB >> 12);
	check_says(&m, SDMA_IB, " is 9 and should be 4 (an entry");
	end(&m);
}

/* It goes by the memory hub's registers, the command processor by those of the graphics hub. */
static void each_hub_has_its_own_registers(void **state)
{
	struct machine m;
	begin(&m, &further, 0);
	set(&m, VM_CONTEXT1_CNTL, 0);
	assert_true(run_sdma(&m, 0));
	set_cntl(&m, 1, 7);
	set_pair(&m, BASE + TO_MEMORY_HUB, 0);
	assert_true(run_gfx(&m, 0));
	end(&m);
}

/* The cache of translations has registers, and no effect. */
static void registers_keep_their_values(void **state)
{
	struct machine m;
	begin(&m, &of_linux, 0);
	set(&m, VM_L2_CNTL3, 0x8014800c);
	assert_int_equal(get(&m, VM_L2_CNTL3), 0x8014800c);
	assert_int_equal(get(&m, VM_CONTEXT1_CNTL), 0x007ffecb & ~(1u << 7));
	assert_int_equal(get(&m, 0xd2f) >> 24, 8); /* a Raven2 */
	assert_int_equal(get(&m, GC + 0x63e), 0x26013041);
	assert_true(run_gfx(&m, 0));
	end(&m);
}

/* What gfx_v9_0.c does when it is unloaded; it reads the next load's pointers from the queue. */
static void a_halted_engine_has_no_queues(void **state)
{
	struct machine m;
	begin(&m, &of_linux, 0);
	assert_true(run_gfx(&m, 0));
	set(&m, GRBM_GFX_CNTL, 1 | 2 << 2);
	for (unsigned ms = 0; get(&m, CP_HQD_PQ_RPTR) != 9; ms++) {
		assert_true(ms < WAIT_MS);
		rig_sleep_ms(1);
	}
	set(&m, CP_MEC_CNTL, 1u << 30 | 1 << 28);
	assert_int_equal(get(&m, CP_HQD_ACTIVE), 0);
	assert_int_equal(get(&m, CP_HQD_PQ_RPTR), 0);
	end(&m);
}

/* A draw is left out by name; a dispatch of groups without threads stops its queue. */
static void draws_are_left_out(void **state)
{
	static const uint32_t packets[] = {0xc0002f00, 1,	    /* NUM_INSTANCES */
					   0xc0012d00, 3, 2,	    /* DRAW_INDEX_AUTO */
					   0xc0031500, 1, 1, 1, 1}; /* DISPATCH_DIRECT */
	struct bw_draws_draw draw = {.number = 1};
	char text[300] = "";
	struct machine m;
	begin(&m, &further, 0);
	memcpy(vram64(&m, GFX_RING), packets, sizeof(packets));
	bw_device_doorbell(m.dev, GFX_DOORBELL, BW_ARRAY_SIZE(packets));
	for (unsigned ms = 0; !bw_device_queue_error(m.dev, 3, 1, 0, text, sizeof(text)); ms++) {
		assert_true(ms < WAIT_MS);
		rig_sleep_ms(1);
	}
	assert_non_null(strstr(text, "a workgroup dimension of COMPUTE_NUM_THREAD is 0"));
	bw_device_draws_draw(m.dev, &draw);
	assert_int_equal(draw.number, 1);
	assert_non_null(strstr(draw.left_out, "raven2 draws nothing: "));
	end(&m);
}

/* Tables of any content, and any CNTL: the device goes on. */
static void tables_of_noise(void **state)
{
	uint64_t seed = 11;
	for (unsigned n = 0; n < 8; n++) {
		struct machine m;
		begin(&m, &further, 0);
		for (unsigned i = 0; i < 0x40000; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			vram64(&m, TABLES)[i] = (seed ^ seed >> 29) & 0xff7000001ffffff7;
		}
		set(&m, VM_CONTEXT1_CNTL, (uint32_t)(seed >> 32) | 1);
		run_gfx(&m, 0);
		check_says(&m, GFX_IB, "");
		end(&m);
	}
}

TESTS(address_spaces_that_are_right, address_spaces_with_one_wrong_field,
      without_a_block_fragment_size, the_copy_engine_faults_as_well, each_hub_has_its_own_registers,
      registers_keep_their_values, a_halted_engine_has_no_queues, draws_are_left_out,
      tables_of_noise);
