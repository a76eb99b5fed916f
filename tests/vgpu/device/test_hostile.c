/* SPDX-License-Identifier: MIT */
/* A driver that writes anything anywhere: registers, doorbells, packets of every ring, frames of
 * the scheduler, descriptors, page tables, code. Whatever it does, the device answers reads and can
 * be destroyed. What it writes is random, but drawn from values that a driver uses, so that much of
 * it is taken.
 *
 * BREAKWATER_HOSTILE_ROUNDS=N runs N rounds instead of a few, BREAKWATER_HOSTILE_DRAWS=N as many
 * draws; BREAKWATER_HOSTILE_SEED=N begins with that one. */
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "pm4/pm4.h"
#include "pm4/sdma.h"
#include "regs/field.h"
#include "vgpu/device/register_map.h"

enum {
	ROUNDS = 12,
	STEPS = 400,
	RING_DW = 1024,
	/* in VRAM, as tests/vgpu/device/test_mes.c has them */
	KIQ_RING = RIG_RINGS + 0x40000,
	MES_RING = RIG_RINGS + 0x48000,
	SDMA_RINGS = RIG_RINGS + 0x20000,
	MQDS = RIG_FENCES + 0x10000,
	WPTRS = RIG_FENCES + 0x1000,
	KIQ_DOORBELL = 0x18,
	MES_DOORBELL = 0x16,
	SDMA_DOORBELL = 0x200,
	SDMA1_REGS = 0x600,	      /* behind those of SDMA0 */
	LEVELS = RIG_DATA + 0x100000, /* of tessellation */
	N_LEVELS = 0x400,
	VRAM_USED_B = (int)(RIG_VA + RIG_VA_SIZE),
	REGISTERS_DW = (1 << 20) / 4, /* BAR5 */
};

struct hostile {
	struct rig r;
	uint64_t state, wptr[4]; /* of KIQ, MES, SDMA0 and SDMA1 */
};

static uint32_t next(struct hostile *h)
{
	h->state = h->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(h->state >> 33);
}

static uint32_t below(struct hostile *h, uint32_t n)
{
	return next(h) % n;
}

/* An offset in VRAM, most of them of something that is in use. */
static uint64_t offset(struct hostile *h)
{
	static const uint32_t places[] = {RIG_TABLES, RIG_RINGS, RIG_IH,   RIG_FENCES, RIG_PAGE,
					  KIQ_RING,   MES_RING,	 RIG_CODE, RIG_IB,     RIG_DATA};
	if (!below(h, 8))
		return below(h, VRAM_USED_B) & ~3u;
	return places[below(h, BW_ARRAY_SIZE(places))] + (below(h, 0x4000) & ~3u);
}

/* A word as a driver would write one. */
static uint32_t word(struct hostile *h)
{
	uint64_t place = offset(h);
	switch (below(h, 10)) {
	case 0:
		return 0;
	case 1:
		return below(h, 16);
	case 2:
		return 1u << below(h, 32);
	case 3:
		return ~0u << below(h, 32);
	case 4:
		return (uint32_t)place;
	case 5:
		return (uint32_t)(rig_mc(&h->r, place) >> 8);
	case 6:
		return (uint32_t)(rig_mc(&h->r, place) >> 32);
	case 7:
		return (uint32_t)(place & ~0xfffu) | 0x71;
	case 8:
		return below(h, 0x1000);
	default:
		return next(h) << 1 ^ next(h);
	}
}

static struct bw_bank bank(struct hostile *h)
{
	return (struct bw_bank){.use_grbm = below(h, 2),
				.use_srbm = below(h, 2),
				.se = below(h, 4) ? below(h, 7) : ~0u,
				.sa = below(h, 4) ? below(h, 3) : ~0u,
				.instance = below(h, 4) ? below(h, 32) : ~0u,
				.me = below(h, 4),
				.pipe = below(h, 5),
				.queue = below(h, 9),
				.vmid = below(h, 17)};
}

/* ---- what it does ---- */

static void registers(struct hostile *h)
{
	const struct bw_register_map *map = bw_device_registers(h->r.dev);
	struct bw_bank b = bank(h);
	uint32_t at = below(h, 8) ? map->addr_dw[below(h, BW_N_REGISTERS)] : below(h, REGISTERS_DW);
	if (below(h, 4))
		bw_device_reg_write(h->r.dev, &b, at, word(h));
	else
		bw_device_reg_read(h->r.dev, &b, at);
}

static void doorbell(struct hostile *h)
{
	uint64_t high = below(h, 4) ? 0 : word(h);
	bw_device_doorbell(h->r.dev, below(h, 4) ? below(h, 0x240) : below(h, 1 << 19),
			   high << 32 | word(h));
}

static void memory(struct hostile *h)
{
	uint64_t at = offset(h);
	for (unsigned i = 0, n = below(h, 32); i < n && at + 4 * i < VRAM_USED_B; i++) {
		uint32_t *dw = rig_ptr(&h->r, at + 4 * i);
		__atomic_store_n(dw, word(h), __ATOMIC_RELAXED);
	}
}

/* Words on a ring of 1,024 dwords. */
static void put(struct hostile *h, uint64_t ring, unsigned which, const uint32_t *dw, size_t n)
{
	uint32_t *words = rig_ptr(&h->r, ring);
	for (size_t i = 0; i < n; i++)
		__atomic_store_n(&words[h->wptr[which]++ % RING_DW], dw[i], __ATOMIC_RELAXED);
}

static size_t packet(struct hostile *h, uint32_t out[64])
{
	unsigned op = below(h, 256);
	/* Draws take long, so there are few here: draw() has others. */
	for (unsigned i = 0; i < 16 && (!bw_pm4_info(op) || bw_pm4_info(op)->is_draw); i++)
		op = below(h, 256);
	const struct bw_pm4_info *info = bw_pm4_info(op);
	size_t n = 1 + (info ? info->min_body : 0) + (below(h, 3) ? 0 : below(h, 16));
	n = BW_MAX(n, (size_t)2);
	out[0] = bw_pm4_header(op, (uint32_t)n - 1) | (below(h, 2) ? 2 : 0); /* for compute */
	for (size_t i = 1; i < n; i++)
		out[i] = word(h);
	return n;
}

static void submit(struct hostile *h)
{
	struct bw_pm4_stream s = {0};
	uint32_t dw[64];
	size_t n = packet(h, dw);
	for (size_t i = 0; i < n; i++)
		bw_pm4_put(&s, dw[i]);
	rig_submit_ring(&h->r, below(h, 5), &s);
	bw_pm4_stream_free(&s);
}

static void kiq(struct hostile *h)
{
	uint32_t dw[64];
	size_t n = packet(h, dw);
	put(h, KIQ_RING, 0, dw, n);
	bw_device_doorbell(h->r.dev, KIQ_DOORBELL, h->wptr[0]);
}

static void frame(struct hostile *h)
{
	uint32_t dw[64];
	for (unsigned i = 0; i < 64; i++)
		dw[i] = below(h, 3) ? word(h) : 0;
	dw[0] = 1 | below(h, 20) << 4 | (below(h, 8) ? 64 : below(h, 256)) << 12;
	put(h, MES_RING, 1, dw, 64);
	bw_device_doorbell(h->r.dev, MES_DOORBELL, h->wptr[1]);
}

static void copy_engine(struct hostile *h)
{
	unsigned engine = below(h, 2);
	uint32_t dw[16];
	dw[0] = below(h, 20) | below(h, 9) << 8 | (below(h, 3) ? 0 : word(h) << 16);
	for (unsigned i = 1; i < 16; i++)
		dw[i] = word(h);
	put(h, SDMA_RINGS + engine * 0x1000, 2 + engine, dw, 1 + below(h, 16));
	bw_device_doorbell(h->r.dev, SDMA_DOORBELL + 20 * engine, h->wptr[2 + engine] * 4);
}

/* A dispatch that is in order, of code that may have been written over. */
static void dispatch(struct hostile *h)
{
	static const char *const kernels[] = {"loop", "store", "atomics", "barrier", "scratch"};
	struct bw_pm4_stream s = {0};
	const struct rig_launch l = {.kernel = kernels[below(h, BW_ARRAY_SIZE(kernels))],
				     .groups = {1 + below(h, 40), 1, 1},
				     .threads = {1 + below(h, 300)},
				     .user = {word(h), 0, word(h), 0},
				     .n_user = 4,
				     .rsrc1 = below(h, 4) ? 0 : word(h),
				     .rsrc2 = below(h, 4) ? 0 : word(h),
				     .wave64 = below(h, 2)};
	rig_put_launch(&h->r, &s, &l);
	if (below(h, 2)) {
		uint32_t *code = rig_ptr(&h->r, rig_code(&h->r, l.kernel));
		for (unsigned i = 0; i < 8; i++)
			__atomic_store_n(&code[below(h, 16)], word(h), __ATOMIC_RELAXED);
	}
	rig_submit_ring(&h->r, 1 + below(h, 4), &s);
	bw_pm4_stream_free(&s);
}

/* Registers of a draw by their numbers; those with likely values come first. */
static void draw_registers(struct hostile *h)
{
	const bool has_patches = !below(h, 3);
	const unsigned domain = below(h, 3);
	const struct {
		uint32_t reg, value;
	} likely[] = {
		{REG(VGT_PRIMITIVE_TYPE), has_patches	? 9
					  : below(h, 2) ? 4 + below(h, 3)
							: 1 + below(h, 0x15)},
		{REG(VGT_GS_OUT_PRIM_TYPE), below(h, 4)},
		{REG(VGT_SHADER_STAGES_EN),
		 BW_FIELD(VGT_SHADER_STAGES_EN, ES_EN, 2) |
			 BW_FIELD(VGT_SHADER_STAGES_EN, PRIMGEN_EN, 1) |
			 BW_FIELD(VGT_SHADER_STAGES_EN, HS_EN, has_patches) |
			 BW_FIELD(VGT_SHADER_STAGES_EN, HS_W32_EN, below(h, 2)) |
			 BW_FIELD(VGT_SHADER_STAGES_EN, GS_EN, below(h, 3) == 0) |
			 BW_FIELD(VGT_SHADER_STAGES_EN, NGG_WAVE_ID_EN, below(h, 3) == 0) |
			 BW_FIELD(VGT_SHADER_STAGES_EN, GS_FAST_LAUNCH,
				  has_patches ? 0 : below(h, 2) * below(h, 4)) |
			 BW_FIELD(VGT_SHADER_STAGES_EN, PRIMGEN_PASSTHRU_EN, below(h, 4) != 0)},
		{REG(VGT_LS_HS_CONFIG),
		 BW_FIELD(VGT_LS_HS_CONFIG, NUM_PATCHES, below(h, 60)) |
			 BW_FIELD(VGT_LS_HS_CONFIG, HS_NUM_INPUT_CP, below(h, 6)) |
			 BW_FIELD(VGT_LS_HS_CONFIG, HS_NUM_OUTPUT_CP, below(h, 6))},
		{REG(VGT_TF_PARAM),
		 BW_FIELD(VGT_TF_PARAM, TYPE, domain) |
			 BW_FIELD(VGT_TF_PARAM, PARTITIONING, below(h, 4)) |
			 BW_FIELD(VGT_TF_PARAM, TOPOLOGY, domain ? 2 + below(h, 2) : below(h, 2))},
		{REG(VGT_TF_RING_SIZE), below(h, 4) ? 0x1000 : below(h, 100)},
		{REG(VGT_TF_MEMORY_BASE), (uint32_t)(LEVELS >> 8)},
		{REG(VGT_TF_MEMORY_BASE_HI), 0},
		{REG(VGT_HS_OFFCHIP_PARAM), below(h, 4) ? 0xf : word(h)},
		{REG(VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE),
		 below(h, 2) ? below(h, 4000) : word(h)},
		{REG(VGT_STRMOUT_DRAW_OPAQUE_OFFSET), below(h, 2) ? below(h, 100) : word(h)},
		{REG(VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE), below(h, 3) ? below(h, 64) : word(h)},
		{REG(GE_CNTL), below(h, 3) ? 128 | 128 << 9 : word(h)},
		{REG(GE_NGG_SUBGRP_CNTL), below(h, 300)},
		{REG(VGT_GS_INSTANCE_CNT), below(h, 3) ? 0 : 1 | below(h, 40) << 2},
		{REG(PA_SU_SC_MODE_CNTL), below(h, 2) ? 0 : word(h)},
		{REG(PA_SU_LINE_CNTL), below(h, 64)},
		{REG(SPI_SHADER_COL_FORMAT), below(h, 10) | below(h, 10) << 4},
		{REG(CB_COLOR_CONTROL),
		 BW_FIELD(CB_COLOR_CONTROL, MODE, 1) | BW_FIELD(CB_COLOR_CONTROL, ROP3, 0xcc)},
		{REG(CB_COLOR0_INFO), BW_FIELD(CB_COLOR0_INFO, FORMAT, 10)},
		{REG(CB_COLOR0_BASE), (uint32_t)(RIG_DATA >> 8)},
		{REG(CB_COLOR0_BASE_EXT), 0},
		{REG(CB_COLOR0_ATTRIB2), 63 << 14 | 63},
		{REG(CB_COLOR0_ATTRIB3),
		 BW_FIELD(CB_COLOR0_ATTRIB3, RESOURCE_TYPE, 1) |
			 BW_FIELD(CB_COLOR0_ATTRIB3, COLOR_SW_MODE, below(h, 3) ? 27 : 0)},
		{REG(CB_COLOR0_FDCC_CONTROL), 0},
		{REG(CB_TARGET_MASK), 0xff},
		{REG(CB_SHADER_MASK), 0xff},
		{REG(PA_CL_VTE_CNTL), 0x3f},
		{REG(PA_SC_SCREEN_SCISSOR_BR), 64 | 64 << 16},
		{REG(PA_SC_AA_CONFIG), below(h, 3) ? 0 : below(h, 4)},
		{REG(PA_CL_VPORT_XSCALE), 0x42000000}, /* 32 */
		{REG(PA_CL_VPORT_YSCALE), 0x42000000},
		{REG(PA_SC_AA_MASK_X0Y0_X1Y0), ~0u},
		{REG(SPI_PS_INPUT_ADDR), 2 | (below(h, 2) ? 0 : word(h))},
		{REG(SPI_PS_INPUT_ENA), ~0u},
		{REG(SPI_ATTRIBUTE_RING_BASE), (uint32_t)(RIG_DATA >> 16)},
		{REG(SPI_PS_IN_CONTROL), below(h, 3)},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(likely); i++)
		rig_write(&h->r, likely[i].reg, below(h, 16) ? likely[i].value : word(h));
	const struct bw_register_map *map = bw_device_registers(h->r.dev);
	for (unsigned i = below(h, 12); i > 0; i--)
		rig_write(&h->r,
			  map->addr_dw[BW_REG_SPI_PS_INPUT_CNTL_0 +
				       below(h, BW_REG_CB_COLOR0_ATTRIB3 -
							BW_REG_SPI_PS_INPUT_CNTL_0)],
			  word(h));
}

/* What the shader of patches has stored, as it were. */
static void levels(struct hostile *h)
{
	static const float some[] = {1, 1, 2, 3, 5.5f, 64, 1e30f, 0, -1, NAN, INFINITY, 1.00001f};
	float *to = rig_ptr(&h->r, LEVELS);
	for (unsigned i = 0; i < N_LEVELS; i++)
		to[i] = some[below(h, BW_ARRAY_SIZE(some))];
}

static uint64_t submit_draw(struct hostile *h)
{
	struct bw_pm4_stream s = {0};
	const uint32_t patch = (uint32_t)(rig_code(&h->r, "patch") >> 8), says = below(h, 8);
	const uint32_t vertex = (uint32_t)(rig_code(&h->r, "vertex") >> 8), high = 0;
	const uint32_t pixel = (uint32_t)(rig_code(&h->r, "pixel") >> 8);
	const uint32_t resources[2] = {8 | 0xc0 << 12, below(h, 3) ? 2 << 1 : word(h)};
	const uint32_t shares[2] = {word(h),
				    below(h, 4) ? 0 : word(h)}; /* M0; what is done there */
	const uint32_t meshlet[2] = {below(h, 2) ? 31 | 31u << 24 : word(h),
				     below(h, 2) ? 64 | 126 << 9 : word(h)};
	draw_registers(h);
	levels(h);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_PGM_LO_LS), &patch, 1);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_PGM_HI_LS), &high, 1);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_PGM_RSRC1_HS), resources, 2);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_USER_DATA_HS_0), &says, 1);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_USER_DATA_GS_0), shares, 2);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_GS_MESHLET_DIM), meshlet, 2);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_PGM_LO_ES), &vertex, 1);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_PGM_HI_ES), &high, 1);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_PGM_LO_PS), &pixel, 1);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_PGM_HI_PS), &high, 1);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_PGM_RSRC1_GS), resources, 2);
	bw_pm4_put_sh(&s, REG(SPI_SHADER_PGM_RSRC1_PS), resources, 2);
	const uint32_t packets[] = {0xc0002f00,
				    1 + below(h, 3), /* NUM_INSTANCES */
				    0xc0042700,
				    below(h, 200), /* DRAW_INDEX_2 */
				    below(h, 8) ? RIG_DATA + below(h, 0x1000) : offset(h),
				    0,
				    below(h, 60),
				    0,
				    0xc0012d00,
				    below(h, 60),
				    2 | (uint32_t)below(h, 2) << 6, /* DRAW_INDEX_AUTO */
				    0xc0034e00,
				    below(h, 8) ? below(h, 5) : word(h), /* DISPATCH_MESH_DIRECT */
				    below(h, 8) ? below(h, 5) : word(h),
				    below(h, 8) ? below(h, 3) : word(h),
				    2,
				    0xc0074c00,
				    RIG_DATA + below(h, 0x100), /* DISPATCH_MESH_INDIRECT_MULTI */
				    below(h, 4) ? 0x90 : word(h),
				    below(h, 4) ? 0 : word(h),
				    below(h, 4),
				    (uint32_t)offset(h),
				    0,
				    below(h, 40),
				    2};
	bw_pm4_put_words(&s, packets, BW_ARRAY_SIZE(packets));
	return rig_submit(&h->r, 0, &s);
}

static void draw(struct hostile *h)
{
	submit_draw(h);
}

/* ---- rounds ---- */

static void start_kiq_and_mes(struct hostile *h)
{
	enum { SIZE = 9 /* 2^(9 + 1) dwords */ };
	const struct bw_bank kiq_bank = {.use_srbm = true, .me = 3, .pipe = 1};
	uint64_t base = rig_mc(&h->r, KIQ_RING) >> 8, mes = rig_mc(&h->r, MES_RING) >> 8,
		 mqd = rig_mc(&h->r, MQDS), wptr = rig_mc(&h->r, WPTRS);
	const struct {
		uint32_t reg, value;
	} queue[] = {{REG(CP_HQD_DEQUEUE_REQUEST), 2},
		     {REG(CP_HQD_PQ_RPTR), 0},
		     {REG(CP_HQD_PQ_WPTR_LO), 0},
		     {REG(CP_HQD_PQ_WPTR_HI), 0},
		     {REG(CP_HQD_PQ_BASE), (uint32_t)base},
		     {REG(CP_HQD_PQ_BASE_HI), (uint32_t)(base >> 32)},
		     {REG(CP_HQD_PQ_CONTROL), SIZE},
		     {REG(CP_HQD_PQ_DOORBELL_CONTROL), 1u << 30 | KIQ_DOORBELL << 2},
		     {REG(CP_HQD_ACTIVE), 1}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(queue); i++)
		bw_device_reg_write(h->r.dev, &kiq_bank, queue[i].reg, queue[i].value);
	uint32_t *m = rig_ptr(&h->r, MQDS);
	m[136] = (uint32_t)mes;
	m[137] = (uint32_t)(mes >> 32);
	m[143] = 1u << 30 | MES_DOORBELL << 2;
	m[145] = 1u << 30 | SIZE;
	/* MAP_QUEUES of the scheduler's queue, then SET_HW_RSRC to it */
	const uint32_t map[] = {0xc005a200,
				2u << 18 | 5u << 26 | 1u << 29,
				MES_DOORBELL << 2,
				(uint32_t)mqd,
				(uint32_t)(mqd >> 32),
				(uint32_t)wptr,
				(uint32_t)(wptr >> 32)};
	put(h, KIQ_RING, 0, map, BW_ARRAY_SIZE(map));
	bw_device_doorbell(h->r.dev, KIQ_DOORBELL, h->wptr[0]);
	uint32_t resources[64] = {[0] = 1 | 64u << 12, [2] = 0xff00, [5] = 0xc, [6] = 0xc, [13] = 2,
				  [15] = 0xc,	       [16] = 0xc};
	put(h, MES_RING, 1, resources, 64);
	bw_device_doorbell(h->r.dev, MES_DOORBELL, h->wptr[1]);
}

static void start_copy_engine(struct hostile *h, unsigned engine)
{
	uint64_t base = rig_mc(&h->r, SDMA_RINGS + engine * 0x1000) >> 8;
	const uint32_t regs = engine * SDMA1_REGS;
	rig_write(&h->r, REG(SDMA0_QUEUE0_RB_CNTL) + regs, 0);
	rig_write(&h->r, REG(SDMA0_QUEUE0_RB_RPTR) + regs, 0);
	rig_write(&h->r, REG(SDMA0_QUEUE0_RB_WPTR) + regs, 0);
	rig_write(&h->r, REG(SDMA0_QUEUE0_RB_BASE) + regs, (uint32_t)base);
	rig_write(&h->r, REG(SDMA0_QUEUE0_RB_BASE_HI) + regs, (uint32_t)(base >> 32));
	rig_write(&h->r, REG(SDMA0_QUEUE0_DOORBELL_OFFSET) + regs,
		  (SDMA_DOORBELL + 20 * engine) << 2);
	rig_write(&h->r, REG(SDMA0_QUEUE0_DOORBELL) + regs, 1 << 28);
	rig_write(&h->r, REG(SDMA0_QUEUE0_RB_CNTL) + regs, 1 | 10 << 1);
}

/* Queues that have met what they cannot execute stop, so they are begun anew from time to time. */
static void restart(struct hostile *h)
{
	unsigned which = below(h, 8);
	if (which < 5) {
		rig_hqd_write(&h->r, which, REG(CP_HQD_DEQUEUE_REQUEST), 2);
		rig_hqd_start(&h->r, which);
	} else if (which == 5) {
		h->wptr[0] = h->wptr[1] = 0;
		start_kiq_and_mes(h);
	} else {
		h->wptr[which - 4] = 0;
		start_copy_engine(h, which - 6);
	}
}

static void run_round(uint64_t seed, bool is_strict)
{
	static void (*const actions[])(struct hostile *h) = {
		registers, doorbell,	memory,	  memory,   submit, submit,  kiq,
		frame,	   copy_engine, dispatch, dispatch, draw,   restart, restart};
	const struct bw_device_options options = {.threads = 2, .strict = is_strict};
	struct hostile h = {.state = seed};
	rig_start(&h.r, &options);
	start_kiq_and_mes(&h);
	start_copy_engine(&h, 0);
	start_copy_engine(&h, 1);
	for (unsigned i = 0; i < STEPS; i++) {
		actions[below(&h, BW_ARRAY_SIZE(actions))](&h);
		if (!below(&h, 50))
			rig_sleep_ms(1); /* so that rings are not always behind */
	}
	rig_read(&h.r, REG(GRBM_STATUS));
	rig_stop(&h.r);
}

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);
	return text ? strtoul(text, NULL, 0) : otherwise;
}

static void test_anything(void **state)
{
	unsigned long first = number("BREAKWATER_HOSTILE_SEED", 1),
		      n = number("BREAKWATER_HOSTILE_ROUNDS", ROUNDS);
	for (unsigned long seed = first; seed < first + n; seed++) {
		fprintf(stderr, "round %lu\n", seed); /* what a crash or a hang was in */
		run_round(seed * 0x9e3779b97f4a7c15ull, seed % 4 == 0);
	}
}

/* Draws alone, each with registers that begin anew; so does the queue after one that stops it or
 * takes long. */
static void test_draws(void **state)
{
	enum { DRAWS = 60, WAIT_MS = 100 };
	const struct bw_device_options options = {.threads = 2};
	struct hostile h = {.state = number("BREAKWATER_HOSTILE_SEED", 1)};
	unsigned long n = number("BREAKWATER_HOSTILE_DRAWS", DRAWS);
	rig_start(&h.r, &options);
	for (unsigned long i = 0; i < n; i++) {
		struct bw_pm4_stream clear = {0};
		bw_pm4_put(&clear, 0xc0001200); /* CLEAR_STATE */
		bw_pm4_put(&clear, 0);
		rig_wait(&h.r, 0, rig_submit(&h.r, 0, &clear), WAIT_MS);
		if (rig_wait(&h.r, 0, submit_draw(&h), WAIT_MS))
			continue;
		rig_hqd_write(&h.r, 0, REG(CP_HQD_DEQUEUE_REQUEST), 2);
		for (unsigned k = 0; k < WAIT_MS && rig_hqd(&h.r, 0, REG(CP_HQD_ACTIVE)); k++)
			rig_sleep_ms(1);
		rig_hqd_start(&h.r, 0);
	}
	rig_read(&h.r, REG(GRBM_STATUS));
	rig_stop(&h.r);
}

TESTS(test_anything, test_draws);
