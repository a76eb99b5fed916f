/* SPDX-License-Identifier: MIT */
/* The state a wave starts with: doc/hardware/dispatch.md 3, doc/rules.md 314 to 330. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/cp.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/cwsr.h"
#include "vgpu/device/draw.h"
#include "vgpu/device/draw_look.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/check/init.h"
#include "vgpu/device/exec/check/sync.h"
#include "vgpu/device/exec/strict/strict.h"
#include "vgpu/device/spi.h"

enum { TTMP0 = 108, M0 = 125, EXEC_LO = 126, EXEC_HI = 127 };
/* Fields of the SGPR that TG_SIZE_EN asks for, and of v0 with the thread's number. */
#define TG_N_WAVES 0, 6
#define TG_APPEND_TERM 6, 12
#define TG_WAVE_ID 20, 5
#define TG_FIRST_WAVE 31, 1
/* GPR_ALLOC of gfx942: all VGPRs in eights, those before the AccVGPRs in fours
 * (cwsr_trap_handler_gfx9.asm of Linux 6.12). */
#define GPR_ALLOC9_VGPR_SIZE 6, 6
#define GPR_ALLOC9_ACCV_OFFSET 12, 6
/* gfx902: in fours (the same, of GPUs before gfx90a). */
#define GPR_ALLOC902_VGPR_SIZE 8, 6
enum { THREAD_Y_SHIFT = 10, THREAD_Z_SHIFT = 20, THREAD_MASK = 0x3ff };
/* SPI_GDBG_PER_VMID_CNTL.LAUNCH_MODE */
enum { LAUNCH_HALTED = 1, LAUNCH_IN_STEPS = 3 };

/* MODE from the program's resource words (rule 317); FLOAT_MODE is FP_ROUND and FP_DENORM. */
static uint32_t initial_mode(const struct bw_dispatch *d, uint32_t gdbg)
{
	uint32_t excp = BW_FIELD_GET(COMPUTE_PGM_RSRC2, EXCP_EN, d->rsrc2) |
			BW_FIELD_GET(COMPUTE_PGM_RSRC2, EXCP_EN_MSB, d->rsrc2)
				<< BW_FIELD_WIDTH(COMPUTE_PGM_RSRC2, EXCP_EN);
	uint32_t forced = BW_FIELD_GET(SPI_GDBG_PER_VMID_CNTL, EXCP_EN, gdbg);
	excp = BW_FIELD_GET(SPI_GDBG_PER_VMID_CNTL, EXCP_REPLACE, gdbg) ? forced : excp | forced;
	uint32_t mode =
		BW_FIELD_GET(COMPUTE_PGM_RSRC1, FLOAT_MODE, d->rsrc1) |
		BW_FIELD(SQ_WAVE_MODE, DX10_CLAMP,
			 BW_FIELD_GET(COMPUTE_PGM_RSRC1, DX10_CLAMP, d->rsrc1)) |
		BW_FIELD(SQ_WAVE_MODE, IEEE, BW_FIELD_GET(COMPUTE_PGM_RSRC1, IEEE_MODE, d->rsrc1)) |
		BW_FIELD(SQ_WAVE_MODE, EXCP_EN, excp) |
		BW_FIELD(SQ_WAVE_MODE, FP16_OVFL,
			 BW_FIELD_GET(COMPUTE_PGM_RSRC1, FP16_OVFL, d->rsrc1));
	if (BW_FIELD_GET(COMPUTE_PGM_RSRC3, TRAP_ON_END, d->rsrc3) ||
	    BW_FIELD_GET(SPI_GDBG_PER_VMID_CNTL, TRAP_ON_END, gdbg))
		mode |= BW_FIELD_MASK(SQ_WAVE_MODE, WAVE_END); /* rule 298 */
	if (BW_FIELD_GET(SPI_GDBG_PER_VMID_CNTL, LAUNCH_MODE, gdbg) == LAUNCH_IN_STEPS)
		mode |= BW_MODE_TRAP_AFTER_INST;
	return mode;
}

static void initial_sgprs(const struct bw_group *g, struct bw_wave *w)
{
	const struct bw_dispatch *d = g->dispatch;
	unsigned n = BW_FIELD_GET(COMPUTE_PGM_RSRC2, USER_SGPR, d->rsrc2);
	unsigned copied = BW_MIN(n, (unsigned)BW_ARRAY_SIZE(d->user_data));
	memcpy(w->s, d->user_data, copied * 4);
	for (unsigned i = 0; i < 3; i++)
		if (d->rsrc2 >> (BW_FIELD_SHIFT(COMPUTE_PGM_RSRC2, TGID_X_EN) + i) & 1)
			w->s[n++] = g->wg.id[i];
	/* TG_SIZE_EN (rule 320). The wave's number in the group is also the ordered append term,
	 * bits 17:6: RADV 22.3 reads it there on every GPU [seen], later drivers in 24:20. [I] */
	if (BW_FIELD_GET(COMPUTE_PGM_RSRC2, TG_SIZE_EN, d->rsrc2)) {
		uint32_t tg_size = 0;
		bw_words_put(&tg_size, TG_N_WAVES, g->wg.n_waves);
		bw_words_put(&tg_size, TG_APPEND_TERM, w->index_in_group);
		bw_words_put(&tg_size, TG_WAVE_ID, w->index_in_group);
		bw_words_put(&tg_size, TG_FIRST_WAVE, w->index_in_group == 0);
		w->s[n++] = tg_size;
	}
	if (d->dev->profile->waves.scratch_in_sgprs &&
	    BW_FIELD_GET(COMPUTE_PGM_RSRC2, SCRATCH_EN, d->rsrc2))
		w->s[n++] = w->status & BW_STATUS_SCRATCH_EN
				    ? (uint32_t)(w->flat_scratch - d->scratch_base)
				    : 0;
}

/* Numbers of a whole wave's lanes: for every wave of a copy, and so in a form that compilers make
 * vectors of. */
static void number_lanes(uint32_t *v, uint32_t first, unsigned lanes)
{
	for (unsigned half = 0; half < lanes; half += 32)
		for (unsigned lane = 0; lane < 32; lane++)
			v[half + lane] = first + half + lane;
}

static void initial_vgprs(const struct bw_group *g, struct bw_wave *w)
{
	const struct bw_dispatch *d = g->dispatch;
	unsigned total = g->threads[0] * g->threads[1] * g->threads[2];
	unsigned first = w->index_in_group * w->lanes;
	unsigned comps = BW_FIELD_GET(COMPUTE_PGM_RSRC2, TIDIG_COMP_CNT, d->rsrc2);
	unsigned live = BW_MIN((unsigned)w->lanes, total - first);

	memset(w->v, 0, (size_t)w->n_vgprs * w->lanes * 4);
	unsigned x = first % g->threads[0], y = first / g->threads[0] % g->threads[1],
		 z = first / g->threads[0] / g->threads[1];
	if (x + live <= g->threads[0]) { /* all in one row */
		uint32_t row = (comps >= 1 ? y << THREAD_Y_SHIFT : 0) |
			       (comps >= 2 ? z << THREAD_Z_SHIFT : 0);
		if (live == w->lanes)
			number_lanes(w->v, x + row, live);
		else
			for (unsigned lane = 0; lane < live; lane++)
				w->v[lane] = (x + lane) | row;
	} else {
		for (unsigned lane = 0; lane < live; lane++) {
			w->v[lane] = x | (comps >= 1 ? y << THREAD_Y_SHIFT : 0) |
				     (comps >= 2 ? z << THREAD_Z_SHIFT : 0);
			if (++x == g->threads[0]) {
				x = 0;
				if (++y == g->threads[1])
					y = 0, z++;
			}
		}
	}
	for (unsigned lane = 0; d->dev->profile->waves.separate_ids && lane < live; lane++) {
		uint32_t all = w->v[lane];
		w->v[lane] = all & THREAD_MASK;
		if (comps >= 1)
			w->v[w->lanes + lane] = all >> THREAD_Y_SHIFT & THREAD_MASK;
		if (comps >= 2)
			w->v[2 * w->lanes + lane] = all >> THREAD_Z_SHIFT;
	}
	uint64_t exec = live == 64 ? ~0ull : (1ull << live) - 1;
	w->s[EXEC_LO] = (uint32_t)exec;
	w->s[EXEC_HI] = bw_hi32(exec);
}

/* HW_ID1, HW_ID2, GPR_ALLOC, LDS_ALLOC: doc/hardware/registers.md 4. */
static void identify(const struct bw_group *g, struct bw_slot *s, unsigned i)
{
	const struct bw_dispatch *d = g->dispatch;
	const struct bw_wgp *wgp = g->wgp;
	struct bw_wave *w = &s->w;
	w->hw_id1 = BW_FIELD(SQ_WAVE_HW_ID1, WAVE_ID, s->id) |
		    BW_FIELD(SQ_WAVE_HW_ID1, SIMD_ID, s->simd) |
		    BW_FIELD(SQ_WAVE_HW_ID1, WGP_ID, wgp->id) |
		    BW_FIELD(SQ_WAVE_HW_ID1, SA_ID, wgp->sa) |
		    BW_FIELD(SQ_WAVE_HW_ID1, SE_ID, wgp->se);
	w->hw_id2 = BW_FIELD(SQ_WAVE_HW_ID2, QUEUE_ID, d->queue->queue) |
		    BW_FIELD(SQ_WAVE_HW_ID2, PIPE_ID, d->queue->pipe) |
		    BW_FIELD(SQ_WAVE_HW_ID2, ME_ID, d->queue->me) |
		    BW_FIELD(SQ_WAVE_HW_ID2, WG_ID, g->wg.wg_id) |
		    BW_FIELD(SQ_WAVE_HW_ID2, VM_ID, d->vmid);
	/* Base and size in units of 4 registers of the wave's own width; which unit the hardware
	 * takes is not known [I]. */
	uint32_t base = g->place[i].first_granule * d->dev->profile->vgpr_granule_w32 /
			(4 * (w->lanes / 32));
	w->gpr_alloc = BW_FIELD(SQ_WAVE_GPR_ALLOC, VGPR_BASE, base) |
		       BW_FIELD(SQ_WAVE_GPR_ALLOC, VGPR_SIZE, w->n_vgprs / 4u - 1);
	if (d->dev->profile->gen == BW_ISA_GFX942) {
		w->gpr_alloc = 0;
		bw_words_put(&w->gpr_alloc, GPR_ALLOC9_VGPR_SIZE, w->n_vgprs / 8u - 1);
		bw_words_put(&w->gpr_alloc, GPR_ALLOC9_ACCV_OFFSET, w->accum_offset / 4u - 1);
	}
	if (d->dev->profile->gen == BW_ISA_GFX902) {
		w->gpr_alloc = 0;
		bw_words_put(&w->gpr_alloc, GPR_ALLOC902_VGPR_SIZE, w->n_vgprs / 4u - 1);
	}
	/* Units of 256 bytes, as the kernel's trap handler reads them. */
	w->lds_alloc = BW_FIELD(SQ_WAVE_LDS_ALLOC, LDS_BASE, g->wg.lds_base_b / 256) |
		       BW_FIELD(SQ_WAVE_LDS_ALLOC, LDS_SIZE, g->wg.lds_size_b / 256);
}

static uint64_t trap_handler_of(struct bw_device *dev, unsigned vmid)
{
	uint32_t hi = bw_reg_get_vmid(dev, BW_REG_SQ_SHADER_TBA_HI, vmid);
	uint32_t lo = bw_reg_get_vmid(dev, BW_REG_SQ_SHADER_TBA_LO, vmid);
	return bw_canonical(bw_join_256b(BW_FIELD_GET(SQ_SHADER_TBA_HI, ADDR_HI, hi), lo));
}

static void trap_state(struct bw_device *dev, const struct bw_group *g, struct bw_wave *w,
		       uint32_t gdbg)
{
	const struct bw_dispatch *d = g->dispatch;
	uint32_t hi = bw_reg_get_vmid(dev, BW_REG_SQ_SHADER_TBA_HI, d->vmid);
	if (dev->is_dead)
		w->status |= BW_STATUS_FATAL_HALT;
	bool wanted = BW_FIELD_GET(COMPUTE_PGM_RSRC2, TRAP_PRESENT, d->rsrc2) ||
		      BW_FIELD_GET(SPI_GDBG_PER_VMID_CNTL, TRAP_EN, gdbg);
	if (!wanted)
		return;
	bool has_handler = BW_FIELD_GET(SQ_SHADER_TBA_HI, TRAP_EN, hi);
	w->status |= has_handler ? BW_STATUS_TRAP_EN : 0;
	if (g->restored)
		return;
	/* Also where waves do not enter the handler: a debugger may come later. */
	w->s[TTMP0 + 6] = d->packet_id & BW_GFX11_TTMP6__PACKET; /* rule 328 */
	uint32_t place[3] = {g->wg.id[0], g->wg.id[1], g->wg.id[2]};
	if (d->draw)
		bw_draw_group_place(g, place);
	memcpy(&w->s[TTMP0 + 8], place, sizeof(place));
	w->s[TTMP0 + 11] = w->index_in_group & BW_GFX11_TTMP11__WAVE_IN_GROUP;
	if (!has_handler)
		return;
	if (BW_FIELD_GET(COMPUTE_PGM_RSRC3, TRAP_ON_START, d->rsrc3) ||
	    BW_FIELD_GET(SPI_GDBG_PER_VMID_CNTL, TRAP_ON_START, gdbg) ||
	    (d->draw && bw_draw_look_stops(g))) {
		w->trapsts |= BW_TRAPSTS_WAVE_START;
		bw_wave_enter_trap(w, trap_handler_of(dev, d->vmid), 0, false);
	}
}

/* A wave of a save area: the handler's second instruction jumps to where it loads the state, from
 * the address in EXEC; bit 58: and the LDS of the group. */
static void begin_restore(struct bw_device *dev, const struct bw_group *g, struct bw_wave *w)
{
	enum { RESTORE_ENTRY_B = 4 };
	uint64_t exec =
		bw_cwsr_exec(g->restored->area_va + g->restored->g.wave[w->index_in_group].at_b,
			     w->index_in_group == 0);
	w->s[EXEC_LO] = bw_lo32(exec);
	w->s[EXEC_HI] = bw_hi32(exec);
	w->pc = trap_handler_of(dev, w->vmid) + RESTORE_ENTRY_B;
	w->status |= BW_STATUS_PRIV;
	w->switching = BW_WAVE_RESTORES;
}

/* The number of a wave's registers that the launch fills, from the first on. */
static unsigned n_launch_vgprs(const struct bw_dispatch *d)
{
	return d->dev->profile->waves.separate_ids
		       ? BW_FIELD_GET(COMPUTE_PGM_RSRC2, TIDIG_COMP_CNT, d->rsrc2) + 1
		       : 1;
}

static unsigned n_launch_sgprs(const struct bw_dispatch *d)
{
	const uint32_t of_group = BW_FIELD_MASK(COMPUTE_PGM_RSRC2, TGID_X_EN) |
				  BW_FIELD_MASK(COMPUTE_PGM_RSRC2, TGID_Y_EN) |
				  BW_FIELD_MASK(COMPUTE_PGM_RSRC2, TGID_Z_EN) |
				  BW_FIELD_MASK(COMPUTE_PGM_RSRC2, TG_SIZE_EN) |
				  (d->dev->profile->waves.scratch_in_sgprs
					   ? BW_FIELD_MASK(COMPUTE_PGM_RSRC2, SCRATCH_EN)
					   : 0);
	return BW_FIELD_GET(COMPUTE_PGM_RSRC2, USER_SGPR, d->rsrc2) +
	       (unsigned)__builtin_popcount(d->rsrc2 & of_group);
}

/* Strict mode: what the launch has not filled is poisoned. */
static void begin_strict(const struct bw_group *g, struct bw_slot *s)
{
	const struct bw_dispatch *d = g->dispatch;
	const struct bw_wgp *wgp = g->wgp;
	const struct bw_profile *p = d->dev->profile;
	bool all = g->restored || d->draw; /* which of a draw's registers are filled is not told */
	const struct bw_strict_launch launch = {
		.n_sgprs = all ? M0 : n_launch_sgprs(d),
		.n_vgprs = all ? s->w.n_vgprs : n_launch_vgprs(d),
		.sa = wgp->se * p->sa_per_se + wgp->sa,
		.cu = s->simd * p->cus_per_wgp / p->simd_per_wgp,
		.caches = wgp->caches,
	};
	if (!bw_strict_wave_begin(d->dev->strict, &s->w, &launch))
		abort(); /* as everywhere where memory for the simulation itself runs out */
}

uint64_t bw_device_space(struct bw_device *dev, unsigned vmid)
{
	enum {
		ROOT_LO = BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32,
		ROOT_HI = BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32,
	};
	return bw_join32(bw_reg_get(dev, ROOT_HI + vmid), bw_reg_get(dev, ROOT_LO + vmid));
}

struct bw_check_engine bw_queue_engine(const struct bw_queue *q)
{
	return (struct bw_check_engine){.me = q->me, .pipe = q->pipe, .is_ring = !q->queue};
}

static void begin_check(struct bw_group *g)
{
	struct bw_dispatch *d = g->dispatch;
	struct bw_device *dev = d->dev;
	struct bw_check_launch launch = {.code_va = d->pc,
					 .space = bw_device_space(dev, d->vmid),
					 .user_data = d->user_data,
					 .lanes = d->lanes,
					 .stretch = d->stretch,
					 .lds_b = d->lds_exact_b,
					 .vmid = d->vmid,
					 .engine = bw_queue_engine(d->queue),
					 .job = d->job,
					 .is_restored = g->restored != NULL};
	if (d->draw)
		bw_draw_checked(g, &launch.draw);
	bw_check_group_begin(d->dev->check, &d->check, &launch, &g->wg);
	if (d->draw)
		bw_draw_hide_helpers(g);
	if (bw_init_is_on(d->dev->check) && !d->draw && !g->restored)
		bw_init_group_begin(d->dev->check, &g->wg, d->pc);
}

static void begin_init(const struct bw_group *g, struct bw_wave *w)
{
	const struct bw_dispatch *d = g->dispatch;
	const struct bw_init_launch launch = {.code_va = d->pc,
					      .n_sgprs = n_launch_sgprs(d),
					      .n_vgprs = n_launch_vgprs(d),
					      .has_flat_scratch =
						      d->dev->profile->gen == BW_ISA_GFX942};
	bw_init_wave_begin(w, &launch);
}

void bw_group_launch(struct bw_group *g)
{
	const struct bw_dispatch *d = g->dispatch;
	struct bw_wgp *wgp = g->wgp;
	struct bw_device *dev = wgp->dev;
	uint32_t gdbg = bw_reg_get_vmid(dev, BW_REG_SPI_GDBG_PER_VMID_CNTL, d->vmid);

	uint32_t mem_config = bw_reg_get_vmid(dev, BW_REG_SH_MEM_CONFIG, d->vmid);
	if (!g->restored)
		bw_stomp_lds(g);
	if (dev->options.strict)
		bw_strict_poison_lds(g->wg.lds, g->wg.lds_size_b);
	if (dev->check)
		begin_check(g);
	for (unsigned i = 0; i < g->wg.n_waves; i++) {
		struct bw_slot *s = &wgp->slot[g->place[i].simd][g->place[i].slot];
		struct bw_wave *w = &s->w;
		void *exec_private = w->exec_private;
		memset(w, 0, sizeof(*w));
		w->exec_private = exec_private;
		s->simd = g->place[i].simd;
		s->id = g->place[i].slot;
		s->group = g;
		s->state = BW_SLOT_READY;
		s->held = s->at_barrier = s->single_step = false;
		s->fills_scratch = g->place[i].scratch_slot >= 0 && d->stomp.what && !g->restored;
		s->save = NULL;
		s->counted = 0;

		w->wg = &g->wg;
		w->dev = dev;
		w->vmid = d->vmid;
		w->lanes = (uint8_t)d->lanes;
		w->n_vgprs = (uint16_t)d->n_vgprs;
		w->accum_offset = d->accum_offset;
		w->v = (uint32_t *)(void *)(wgp->vgprs +
					    ((size_t)s->simd * dev->profile->vgprs_per_simd +
					     g->place[i].first_granule *
						     dev->profile->vgpr_granule_w32) *
						    128);
		w->index_in_group = (uint8_t)i;
		w->pc = d->pc;
		w->dispatch_initiator = d->initiator;
		w->mode = initial_mode(d, gdbg);
		w->align_mode = (uint8_t)(BW_ALIGNMENT_UNALIGNED -
					  BW_FIELD_GET(SH_MEM_CONFIG, ALIGNMENT_MODE, mem_config));
		w->status = BW_STATUS_VALID | (g->wg.n_waves > 1 ? BW_STATUS_IN_TG : 0u);
		if (g->place[i].scratch_slot >= 0) {
			w->status |= BW_STATUS_SCRATCH_EN;
			w->scratch_size_b = d->scratch_wave_b;
			w->scratch_in_sgprs = dev->profile->waves.scratch_in_sgprs;
			uint64_t slot = (uint64_t)d->scratch_waves * bw_scratch_pool(dev, wgp) +
					(unsigned)g->place[i].scratch_slot;
			w->flat_scratch = d->scratch_base + slot * d->scratch_wave_b;
		}
		g->wg.wave[i] = w;
		if (g->restored) {
			begin_restore(dev, g, w);
		} else if (d->draw) {
			memset(w->v, 0, (size_t)w->n_vgprs * w->lanes * 4);
			bw_draw_wave_launch(g, w);
		} else {
			initial_sgprs(g, w);
			if (dev->profile->gen == BW_ISA_GFX942) { /* architected flat scratch */
				w->s[BW_SRC_FLAT_SCRATCH_LO] = bw_lo32(w->flat_scratch);
				w->s[BW_SRC_FLAT_SCRATCH_LO + 1] = bw_hi32(w->flat_scratch);
			}
			initial_vgprs(g, w);
			bw_stomp_registers(&d->stomp, w, n_launch_sgprs(d), n_launch_vgprs(d));
		}
		identify(g, s, i);
		if (dev->strict)
			begin_strict(g, s);
		if (g->wg.init)
			begin_init(g, w);
		bw_sync_wave_begin(w);
		if (BW_FIELD_GET(SPI_GDBG_PER_VMID_CNTL, LAUNCH_MODE, gdbg) == LAUNCH_HALTED &&
		    !g->restored)
			w->status |= BW_STATUS_HALT;
		trap_state(dev, g, w, gdbg);
		wgp->resident[s->simd] |= (uint16_t)(1u << s->id);
	}
	free(g->restored);
	g->restored = NULL;
}
