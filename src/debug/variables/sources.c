// SPDX-License-Identifier: MIT
/* The loads that a register's value comes from: backwards from the PC over all paths of the
 * function (origins.h), from each instruction on to what it reads. */
#include "debug/code/code_priv.h"
#include "debug/variables/origins.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "isa/written.h"

enum { MAX_REGS = 256 };

/* A register whose value is asked about, before the instruction at `at`. */
struct asked {
	bool is_vgpr;
	unsigned reg;
	uint64_t at;
};

struct search {
	struct bw_origin_code code;
	uint64_t base; /* of the image */
	struct asked asked[MAX_REGS];
	size_t n_asked;
	struct bw_value_sources *out;
};

static void ask(struct search *s, bool is_vgpr, unsigned reg, uint64_t at)
{
	for (size_t i = 0; i < s->n_asked; i++)
		if (s->asked[i].is_vgpr == is_vgpr && s->asked[i].reg == reg &&
		    s->asked[i].at == at)
			return;
	if (s->n_asked == MAX_REGS)
		s->out->is_partial = true;
	else
		s->asked[s->n_asked++] = (struct asked){is_vgpr, reg, at};
}

static void add(struct search *s, const struct bw_value_source *x)
{
	struct bw_value_sources *out = s->out;
	for (size_t i = 0; i < out->n; i++) {
		const struct bw_value_source *o = &out->source[i];
		if (o->kind == x->kind && o->pc == x->pc && o->reg == x->reg &&
		    o->is_vgpr == x->is_vgpr)
			return;
	}
	if (out->n == BW_VALUE_SOURCES)
		out->is_partial = true;
	else
		out->source[out->n++] = *x;
}

static void ask_code(struct search *s, unsigned code, unsigned n, uint64_t at)
{
	bool is_vgpr = code >= BW_SRC_VGPR0 && code < BW_SRC_ACC0;
	if (code >= BW_SRC_ACC0)
		s->out->is_partial = true;
	else if (is_vgpr || code <= BW_SRC_VCC_HI)
		for (unsigned i = 0; i < n; i++)
			ask(s, is_vgpr, code - (is_vgpr ? BW_SRC_VGPR0 : 0) + i, at);
	else if (code == BW_SRC_SCC || code == BW_SRC_EXEC_LO || code == BW_SRC_EXEC_HI)
		s->out->is_partial = true; /* conditions are not followed */
}

/* What one half of an instruction reads. */
static void ask_sources(struct search *s, unsigned op, const uint16_t *src, unsigned n_src,
			unsigned dst, uint64_t at)
{
	const struct bw_op_info *info = bw_isa_op_info(op);
	bool is_vector = info->fmt >= BW_FMT_VOP1;
	for (unsigned i = 0; i < n_src; i++) {
		const struct bw_operand *o = &info->src[BW_MIN(i, (unsigned)BW_OP_MAX_SRC - 1)];
		ask_code(s, src[i], bw_operand_n_regs(o, s->code.lanes, false), at);
	}
	for (unsigned i = 0; i < info->n_src; i++)
		if (info->src[i].is_dst)
			ask_code(s, is_vector ? BW_SRC_VGPR0 + dst : dst,
				 bw_operand_n_regs(&info->src[i], s->code.lanes, false), at);
}

static bool is_memory(const struct bw_op_info *info)
{
	return info->flags & BW_OPF_LOAD && info->mem.type != BW_OPERAND_NONE;
}

static bool accept(void *ctx, const struct bw_origin *o)
{
	struct search *s = ctx;
	struct bw_value_source x = {.pc = s->base + o->at, .is_vgpr = o->is_vgpr, .reg = o->reg};
	struct bw_inst inst;
	if (o->is_entry) {
		x.kind = BW_SOURCE_LAUNCH;
		x.pc = 0;
		add(s, &x);
		return true;
	}
	if (!bw_isa_decode_at(s->code.gen, s->code.image, s->code.image_b, o->at, &inst)) {
		s->out->is_partial = true;
		return true;
	}
	const struct bw_op_info *info = bw_isa_op_info(inst.op);
	struct bw_written written;
	bw_written_by(&inst, s->code.lanes, &written);
	if (!bw_written_has(&written, o->is_vgpr, o->reg)) {
		x.kind = BW_SOURCE_CALL;
		add(s, &x);
		return true;
	}
	for (unsigned i = 0; i < written.n; i++)
		if (written.run[i].is_vgpr == o->is_vgpr && o->reg >= written.run[i].first &&
		    o->reg - written.run[i].first < written.run[i].n)
			x.offset_b = 4 * (o->reg - written.run[i].first);
	if (is_memory(info)) {
		x.kind = BW_SOURCE_LOAD;
		add(s, &x);
	} else if (inst.fmt == BW_FMT_DS || inst.fmt == BW_FMT_SMEM || inst.fmt == BW_FMT_MIMG ||
		   inst.dpp != BW_DPP_NONE || info->class == BW_CLASS_WAVE) {
		x.kind = BW_SOURCE_OTHER;
		add(s, &x);
	} else if (inst.fmt == BW_FMT_VOPD && inst.dst != o->reg) {
		ask_sources(s, inst.op_y, inst.src_y, inst.n_src_y, inst.dst_y, o->at);
	} else {
		ask_sources(s, inst.op, inst.src, inst.n_src, inst.dst, o->at);
	}
	return true;
}

/* Registers of the address of a load, or EXEC. */
static bool changes_address(const struct bw_inst *load, const struct bw_written *w)
{
	bool is_scalar = load->fmt == BW_FMT_SMEM,
	     is_buffer = load->fmt == BW_FMT_MUBUF || load->fmt == BW_FMT_MTBUF;
	for (unsigned i = 0; i < 4; i++)
		if ((!is_scalar && i < 2 && bw_written_has(w, true, load->vaddr + i)) ||
		    (load->saddr < BW_SRC_NULL && bw_written_has(w, false, load->saddr + i)) ||
		    (is_buffer && bw_written_has(w, false, load->srsrc + i)))
			return true;
	return (is_scalar && bw_written_has(w, false, load->soffset)) ||
	       bw_written_has(w, false, BW_SRC_EXEC_LO);
}

/* Whether the wave, which stands at `at`, has come from the load in a straight way on which nothing
 * has changed the registers of its address: no jump from elsewhere leads into the way. */
static bool is_unchanged(const struct search *s, uint64_t load, uint64_t at)
{
	struct bw_inst first, inst;
	uint64_t target;
	if (!bw_isa_decode_at(s->code.gen, s->code.image, s->code.image_b, load, &first) ||
	    at <= load)
		return false;
	for (uint64_t pc = s->code.entry; pc < s->code.end; pc += inst.size_b) {
		if (!bw_isa_decode_at(s->code.gen, s->code.image, s->code.image_b, pc, &inst))
			return false;
		enum bw_flow flow = bw_isa_flow(&inst, pc, &target);
		bool is_between = pc > load && pc < at;
		if (flow != BW_FLOW_NEXT && is_between && flow != BW_FLOW_COND_BRANCH)
			return false;
		if ((flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH) && !is_between &&
		    target > load && target <= at)
			return false;
		if (!is_between)
			continue;
		struct bw_written w;
		bw_written_by(&inst, s->code.lanes, &w);
		if (changes_address(&first, &w))
			return false;
	}
	return true;
}

static void find_address(struct bw_debug *d, struct bw_wave_record *w, const struct search *s,
			 struct bw_value_source *x)
{
	struct bw_wave_access a = {0};
	unsigned lane = bw_debug_focus_lane(d);
	if (!is_unchanged(s, x->pc - s->base, w->info.pc - s->base))
		return;
	struct bw_error *err = bw_access_of(d, w, x->pc, &a);
	if (a.is_scalar)
		lane = 0;
	if (!err && a.is_memory && a.has_addresses && !a.address_lost && !a.is_image &&
	    a.lanes >> lane & 1) {
		x->has_address = true;
		x->va = a.addr[lane] + x->offset_b;
		x->space = a.space[lane];
		x->size_b = BW_MIN(a.size_b, 4u);
	}
	bw_error_free(err);
}

struct bw_error *bw_debug_value_sources(struct bw_debug *d, bool is_vgpr, unsigned reg,
					struct bw_value_sources *out)
{
	struct bw_variables_frame f;
	struct bw_wave_record *w = bw_debug_focus_priv(d);
	if (!w)
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	*out = (struct bw_value_sources){0};
	struct search s = {.out = out};
	BW_IN_SPACE(d, w->info.space);
	const struct bw_load *load = bw_debug_load_at(d, w->info.pc);
	if (!load)
		return bw_errorf(BW_E_NOT_FOUND, "The code at 0x%llx is not known as a whole",
				 (unsigned long long)w->info.pc);
	f = (struct bw_variables_frame){.base = load->base, .addr = w->info.pc - load->base};
	if (!bw_variables_code(d, &f, &s.code))
		return bw_errorf(BW_E_NOT_FOUND, "The function at 0x%llx is not known",
				 (unsigned long long)w->info.pc);
	s.base = load->base;
	ask(&s, is_vgpr, reg, f.addr);
	for (size_t i = 0; i < s.n_asked; i++) {
		const struct bw_origin_reg r = {s.asked[i].is_vgpr, s.asked[i].reg, s.asked[i].at,
						s.asked[i].at};
		if (!bw_origins_all(&s.code, s.asked[i].at, &r, accept, &s))
			out->is_partial = true;
	}
	for (size_t i = 0; i < out->n; i++)
		if (out->source[i].kind == BW_SOURCE_LOAD)
			find_address(d, w, &s, &out->source[i]);
	return NULL;
}
