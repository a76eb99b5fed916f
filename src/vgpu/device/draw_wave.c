/* SPDX-License-Identifier: MIT */
/* The shaders of a rectangle, as waves on the command processor's thread. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "isa/inst.h"
#include "isa/ops.h"
#include "vgpu/device/draw_priv.h"

enum { N_VGPRS = 256, LDS_B = 64 << 10, M0 = 125, EXEC_LO = 126, EXEC_HI = 127 };
/* Limit of a wave's instructions: draws that a driver makes for itself need some hundreds. */
enum { MAX_INSTRUCTIONS = 1 << 18 };

/* ---- the executor's callbacks ---- */

static bool no_trap_base(void *cookie, unsigned vmid, uint64_t *out_tba, uint64_t *out_tma)
{
	*out_tba = *out_tma = 0;
	return false;
}

static uint64_t realtime(void *cookie)
{
	return bw_device_realtime(((struct bw_draw_unit *)cookie)->dev);
}

static uint32_t shader_cycles(void *cookie)
{
	struct bw_draw_unit *u = cookie;
	return (uint32_t)(bw_device_now_ns(u->dev) * u->dev->profile->shader_clock_mhz / 1000);
}

static void absent(void *cookie, struct bw_wave *w, uint64_t pc, const uint32_t *words,
		   const char *name)
{
	struct bw_draw_unit *u = cookie;
	snprintf(u->why, sizeof(u->why),
		 "its shader has %s at 0x%" PRIx64 ", which is not executed",
		 name ? name : "an instruction", pc);
}

static uint64_t border_colors(void *cookie)
{
	struct bw_device *dev = ((struct bw_draw_unit *)cookie)->dev;
	uint32_t hi = bw_reg_get(dev, BW_REG_TA_BC_BASE_ADDR_HI);
	return bw_join_256b(BW_FIELD_GET(TA_BC_BASE_ADDR_HI, ADDRESS, hi),
			    bw_reg_get(dev, BW_REG_TA_BC_BASE_ADDR));
}

static uint64_t exec_of(const struct bw_wave *w)
{
	return bw_join32(w->lanes == 64 ? w->s[EXEC_HI] : 0, w->s[EXEC_LO]);
}

static bool do_export(struct bw_draw_unit *u, const struct bw_wave *w, const struct bw_inst *in)
{
	if (in->exp_target >= BW_EXP_N_TARGETS)
		return false;
	struct bw_draw_export *e = &u->exports[in->exp_target];
	uint64_t exec = exec_of(w);
	for (unsigned c = 0; c < 4; c++) {
		if (!(in->exp_en >> c & 1) || in->exp_src[c] >= w->n_vgprs)
			continue;
		for (unsigned l = 0; l < w->lanes; l++)
			if (exec >> l & 1)
				e->v[c][l] = w->v[in->exp_src[c] * w->lanes + l];
	}
	e->en |= in->exp_en;
	e->lanes = exec;
	return true;
}

/* Lanes 0, 1 and 2 of a quad get P0, P10 and P20 (RDNA3 manual, LDS_PARAM_LOAD); quads without an
 * active lane keep what they had. */
static bool load_param(struct bw_draw_unit *u, struct bw_wave *w, const struct bw_inst *in)
{
	if (in->dst >= w->n_vgprs)
		return true;
	uint64_t exec = exec_of(w);
	const struct bw_draw_plane zero = {{0}};
	const struct bw_draw_plane *plane =
		in->attr < u->n_planes ? &u->planes[in->attr][in->attr_chan] : &zero;
	for (unsigned l = 0; l < w->lanes; l++)
		if (exec >> (l & ~3u) & 0xf && l % 4 < 3)
			memcpy(&w->v[in->dst * w->lanes + l], &plane->p[l % 4], 4);
	return true;
}

static bool graphics(void *cookie, struct bw_wave *w, const struct bw_inst *in)
{
	if (in->op == BW_OP_EXP)
		return do_export(cookie, w, in);
	if (in->op == BW_OP_LDS_PARAM_LOAD)
		return load_param(cookie, w, in);
	return false;
}

/* ---- the unit ---- */

struct bw_draw_unit *bw_draw_unit_create(struct bw_device *dev)
{
	struct bw_draw_unit *u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->dev = dev;
	u->vgprs = aligned_alloc(64, (size_t)N_VGPRS * BW_DRAW_LANES * 4);
	u->lds = aligned_alloc(64, LDS_B);
	const struct bw_exec_host host = {
		.cookie = u,
		.trap_base = no_trap_base,
		.realtime = realtime,
		.shader_cycles = shader_cycles,
		.absent = absent,
		.border_colors = border_colors,
		.graphics = graphics,
		.sh_mem_bases = BW_SH_MEM_BASES,
	};
	u->exec = bw_exec_create(&host);
	if (u->lds)
		memset(u->lds, 0, LDS_B);
	if (!u->vgprs || !u->lds || !u->exec) {
		bw_draw_unit_destroy(u);
		return NULL;
	}
	for (unsigned v = 0; v < BW_N_VMIDS; v++)
		bw_tlb_init(&u->tlb[v], dev, v, BW_CLIENT_TCP);
	return u;
}

void bw_draw_unit_destroy(struct bw_draw_unit *u)
{
	if (!u)
		return;
	if (u->exec)
		bw_exec_destroy(u->exec);
	free(u->vgprs);
	free(u->lds);
	free(u);
}

/* ---- a wave ---- */

void bw_draw_wave_begin(struct bw_draw_unit *u, const struct bw_draw_shader *s, unsigned vmid,
			uint64_t exec)
{
	struct bw_wave *w = &u->w;
	void *exec_private = w->exec_private;
	memset(w, 0, sizeof(*w));
	/* the number of registers that the program asks for, in blocks of 8 (wave32) or 4. */
	unsigned blocks = BW_FIELD_GET(SPI_SHADER_PGM_RSRC1_PS, VGPRS, s->rsrc1) + 1;
	unsigned n_vgprs = BW_MIN(blocks * (s->lanes == 32 ? 8 : 4), (unsigned)N_VGPRS);
	memset(u->vgprs, 0, (size_t)n_vgprs * s->lanes * 4);
	for (unsigned i = 0; i < BW_EXP_N_TARGETS; i++) {
		u->exports[i].lanes = 0;
		u->exports[i].en = 0;
	}
	u->wg = (struct bw_workgroup){
		.lds = u->lds, .lds_size_b = LDS_B, .n_waves = 1, .wave = {w}};
	w->exec_private = exec_private;
	w->wg = &u->wg;
	w->dev = u->dev;
	w->vmid = (uint8_t)vmid;
	w->lanes = (uint8_t)s->lanes;
	w->n_vgprs = (uint16_t)n_vgprs;
	w->v = u->vgprs;
	w->pc = s->pc;
	w->mode = BW_FIELD_GET(SPI_SHADER_PGM_RSRC1_PS, FLOAT_MODE, s->rsrc1) |
		  BW_FIELD(SQ_WAVE_MODE, DX10_CLAMP,
			   BW_FIELD_GET(SPI_SHADER_PGM_RSRC1_PS, DX10_CLAMP, s->rsrc1)) |
		  BW_FIELD(SQ_WAVE_MODE, IEEE,
			   BW_FIELD_GET(SPI_SHADER_PGM_RSRC1_PS, IEEE_MODE, s->rsrc1)) |
		  BW_FIELD(SQ_WAVE_MODE, FP16_OVFL, s->fp16_ovfl);
	w->status = BW_STATUS_VALID | BW_FIELD_MASK(SQ_WAVE_STATUS, EXPORT_RDY);
	w->s[EXEC_LO] = (uint32_t)exec;
	w->s[EXEC_HI] = bw_hi32(exec);
}

bool bw_draw_wave_run(struct bw_draw_unit *u)
{
	struct bw_wave *w = &u->w;
	u->why[0] = '\0';
	w->tlb = &u->tlb[w->vmid];
	bw_tlb_sync(w->tlb);
	while (w->n_executed < MAX_INSTRUCTIONS) {
		switch (bw_exec_run(u->exec, w, 1 << 16)) {
		case BW_RUN_ENDED:
			return true;
		case BW_RUN_QUANTUM:
		case BW_RUN_BARRIER: /* it is alone */
		case BW_RUN_SLEEP:
			break;
		case BW_RUN_HALTED:
			snprintf(u->why, sizeof(u->why), "its shader halts at 0x%" PRIx64, w->pc);
			return false;
		case BW_RUN_FATAL:
			if (!u->why[0])
				snprintf(u->why, sizeof(u->why),
					 "its shader at 0x%" PRIx64 " accesses 0x%" PRIx64
					 ", which is not mapped for that",
					 w->pc, w->fault.va);
			return false;
		}
	}
	snprintf(u->why, sizeof(u->why), "its shader at 0x%" PRIx64 " does not end", w->pc);
	return false;
}
