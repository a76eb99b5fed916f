// SPDX-License-Identifier: MIT
/* A compiler moves a mark, a literal, to a register, and stores the register. The move may be far
 * from the store, in another block, because compilers order instructions for speed. So the values
 * of registers are followed through the code, along all paths to each block. */
#include "debug/dispatches/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "base/vec.h"
#include "isa/ops.h"
#include "isa/written.h"
#include "sym/spirv_record.h"

/* Compilers have been seen to load five marks ahead; the oldest of too many is forgotten. Code that
 * needs more rounds than these is not a compiler's. */
enum { KNOWN_MAX = 32, ROUNDS_MAX = 32, DWORDS_MAX = 1 << 20, LANES = 64 };

struct known {
	uint32_t reg; /* operand code of the register */
	uint32_t mark;
};

/* The registers that hold marks. */
struct state {
	unsigned n;
	struct known known[KNOWN_MAX];
};

struct block {
	uint32_t start; /* number of its first dword */
	bool is_reached;
	struct state in;
};

struct search {
	const struct bw_marked_code *code;
	uint32_t n; /* number of dwords */
	struct BW_VEC(struct block) blocks;
	uint32_t *block_at; /* index + 1 of the block that begins at a dword; 0: none */
	struct BW_VEC(struct bw_shader_mark) found;
	uint32_t begun; /* the store by which a record begins, in bytes; 0: not in block 0 */
};

static void decode(const struct search *s, uint32_t at, struct bw_inst *out)
{
	bw_isa_decode_at(s->code->gen, s->code->bytes, 4ull * s->n, 4ull * at, out);
}

/* ---- What registers hold ---- */

static uint32_t mark_in(const struct state *s, uint32_t reg)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->known[i].reg == reg)
			return s->known[i].mark;
	return 0;
}

static void forget_at(struct state *s, unsigned i)
{
	s->n--;
	memmove(&s->known[i], &s->known[i + 1], (s->n - i) * sizeof(s->known[0]));
}

static void forget_written(struct state *s, const struct bw_inst *inst)
{
	struct bw_written written;
	if (!s->n)
		return;
	bw_written_by(inst, LANES, &written);
	for (unsigned i = s->n; i-- > 0;) {
		uint32_t reg = s->known[i].reg;
		bool is_vgpr = reg >= BW_SRC_VGPR0;
		if (bw_written_has(&written, is_vgpr, is_vgpr ? reg - BW_SRC_VGPR0 : reg))
			forget_at(s, i);
	}
}

static void learn(struct state *s, struct known k)
{
	if (s->n == KNOWN_MAX)
		forget_at(s, 0);
	s->known[s->n++] = k;
}

/* The mark that a copy of src[0] writes to a register; 0: none. */
static uint32_t mark_moved(const struct search *s, const struct state *now,
			   const struct bw_inst *inst, unsigned op, uint32_t src)
{
	op = bw_isa_op_info(op)->same;
	if ((op != BW_OP_V_MOV_B32 && op != BW_OP_S_MOV_B32) || inst->dpp != BW_DPP_NONE ||
	    inst->abs || inst->neg || inst->clamp || inst->omod)
		return 0;
	if (src != BW_SRC_LITERAL)
		return mark_in(now, src);
	bool is_mark = inst->literal - s->code->first_mark < s->code->n_marks;
	return is_mark || inst->literal == BW_SPIRV_RECORD_LIVE ? inst->literal : 0;
}

static void execute(const struct search *s, struct state *now, const struct bw_inst *inst)
{
	const uint32_t first = inst->fmt == BW_FMT_SOP1 ? 0 : BW_SRC_VGPR0;
	const struct known x = {inst->dst + first,
				mark_moved(s, now, inst, inst->op, inst->src[0])};
	struct known y = {0};
	if (inst->fmt == BW_FMT_VOPD)
		y = (struct known){inst->dst_y + first,
				   mark_moved(s, now, inst, inst->op_y, inst->src_y[0])};
	forget_written(now, inst);
	if (x.mark)
		learn(now, x);
	if (y.mark)
		learn(now, y);
}

/* The mark that a store writes to memory, as one of its dwords; 0: none. */
static uint32_t mark_stored(const struct state *now, const struct bw_inst *inst)
{
	const struct bw_op_info *info = bw_isa_op_info(inst->op);
	uint32_t mark = 0;
	if (!now->n || !(info->flags & BW_OPF_STORE) || inst->fmt == BW_FMT_DS)
		return 0;
	for (uint32_t i = 0; i < info->mem.bits / 32u && !mark; i++)
		mark = mark_in(now, BW_SRC_VGPR0 + inst->vdata + i);
	return mark;
}

/* ---- Blocks ---- */

static struct bw_error *begin_block(struct search *s, uint32_t at)
{
	if (at >= s->n || s->block_at[at])
		return NULL;
	BW_TRY(bw_vec_push(&s->blocks, ((struct block){.start = at})));
	s->block_at[at] = (uint32_t)s->blocks.len;
	return NULL;
}

/* The dword to which a branch goes; s->n: outside of the code. */
static uint32_t target_of(const struct search *s, uint64_t target)
{
	return target % 4 || target / 4 >= s->n ? s->n : (uint32_t)(target / 4);
}

static bool ends_block(enum bw_flow flow)
{
	return flow != BW_FLOW_NEXT && flow != BW_FLOW_GETPC && flow != BW_FLOW_TRAP;
}

static int by_start(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;
	return a->start < b->start ? -1 : a->start > b->start;
}

static struct bw_error *find_blocks(struct search *s)
{
	BW_TRY(begin_block(s, 0));
	for (uint32_t at = 0; at < s->n;) {
		struct bw_inst inst;
		uint64_t target;
		decode(s, at, &inst);
		enum bw_flow flow = bw_isa_flow(&inst, 4ull * at, &target);
		at += inst.size_b / 4;
		if (ends_block(flow))
			BW_TRY(begin_block(s, at));
		if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH)
			BW_TRY(begin_block(s, target_of(s, target)));
	}
	if (s->blocks.len)
		qsort(s->blocks.data, s->blocks.len, sizeof(struct block), by_start);
	for (size_t i = 0; i < s->blocks.len; i++)
		s->block_at[s->blocks.data[i].start] = (uint32_t)i + 1;
	return NULL;
}

/* Keeps what is known on every path to a block. True: something is no longer known. */
static bool meet(struct search *s, uint32_t at, const struct state *from)
{
	if (at >= s->n || !s->block_at[at])
		return false;
	struct block *b = &s->blocks.data[s->block_at[at] - 1];
	const unsigned n = b->in.n;
	if (!b->is_reached) {
		b->is_reached = true;
		b->in = *from;
		return true;
	}
	for (unsigned i = n; i-- > 0;)
		if (mark_in(from, b->in.known[i].reg) != b->in.known[i].mark)
			forget_at(&b->in, i);
	return b->in.n != n;
}

/* Follows a block to those after it. True: something has changed in what is known of one of
 * them. */
static bool follow(struct search *s, const struct block *b)
{
	struct state now = b->in;
	for (uint32_t at = b->start; at < s->n;) {
		struct bw_inst inst;
		uint64_t target;
		decode(s, at, &inst);
		enum bw_flow flow = bw_isa_flow(&inst, 4ull * at, &target);
		execute(s, &now, &inst);
		at += inst.size_b / 4;
		bool goes_on = !ends_block(flow), changed = false;
		if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH)
			changed = meet(s, target_of(s, target), &now);
		if (flow == BW_FLOW_COND_BRANCH || (goes_on && at < s->n && s->block_at[at]))
			changed |= meet(s, at, &now);
		if (!goes_on || (at < s->n && s->block_at[at]))
			return changed;
	}
	return false;
}

static bool follow_all(struct search *s)
{
	bool changed = s->blocks.len > 0;
	if (changed)
		s->blocks.data[0].is_reached = true;
	for (unsigned i = 0; i < ROUNDS_MAX && changed; i++) {
		changed = false;
		bw_vec_each(&s->blocks, b)
			if (b->is_reached)
				changed |= follow(s, b);
	}
	return !changed;
}

/* ---- Places ---- */

static struct bw_error *add_places(struct search *s, const struct block *b, uint32_t end)
{
	struct state now = b->in;
	const size_t head = s->found.len;
	BW_TRY(bw_vec_push(&s->found, ((struct bw_shader_mark){4 * b->start, 0, false})));
	for (uint32_t at = b->start; at < end;) {
		struct bw_inst inst;
		decode(s, at, &inst);
		uint32_t mark = mark_stored(&now, &inst);
		if (mark == BW_SPIRV_RECORD_LIVE) {
			s->begun = b->start ? 0 : 4 * at;
			mark = 0;
		}
		if (mark && !s->found.data[head].mark)
			s->found.data[head].mark = mark;
		if (mark && at == b->start)
			s->found.data[head].begins_line = true;
		else if (mark)
			BW_TRY(bw_vec_push(&s->found,
					   ((struct bw_shader_mark){4 * at, mark, true})));
		execute(s, &now, &inst);
		at += inst.size_b / 4;
	}
	return NULL;
}

static struct bw_error *find_marks(struct search *s)
{
	BW_TRY(find_blocks(s));
	if (!follow_all(s))
		return NULL;
	for (size_t i = 0; i < s->blocks.len; i++)
		BW_TRY(add_places(s, &s->blocks.data[i],
				  i + 1 < s->blocks.len ? s->blocks.data[i + 1].start : s->n));
	return NULL;
}

struct bw_error *bw_marks_find(const struct bw_marked_code *code, struct bw_shader_mark **out,
			       size_t *out_n, uint32_t *out_begun)
{
	struct search s = {.code = code,
			   .n = (uint32_t)BW_MIN(code->size_b / 4, (size_t)DWORDS_MAX)};
	bool has_one = false;
	*out = NULL;
	*out_n = *out_begun = 0;
	s.block_at = calloc(s.n + 1u, sizeof(*s.block_at));
	if (!s.block_at)
		return bw_error_nomem();
	struct bw_error *err = code->n_marks ? find_marks(&s) : NULL;
	bw_vec_each(&s.found, f)
		has_one |= f->begins_line;
	if (!err && has_one) {
		*out = s.found.data;
		*out_n = s.found.len;
		*out_begun = s.begun;
	} else {
		bw_vec_free(&s.found);
	}
	bw_vec_free(&s.blocks);
	free(s.block_at);
	return err;
}
