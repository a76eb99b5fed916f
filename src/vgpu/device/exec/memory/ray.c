/* SPDX-License-Identifier: MIT */
/* Rays against the nodes of a bounding volume hierarchy (rule 443), and the traversal stack in LDS
 * (rule 414). The layout of nodes and descriptors, and the definition of an intersection, are
 * public in AMD's GPU ray tracing library (GPURT, its emulation of the instruction) and in the
 * tables of the ISA manuals; the choice between two roundings in hardware is not. */
#include <math.h>

#include "base/float_bits.h"
#include "base/util.h"
#include "base/words.h"
#include "image/format.h"
#include "vgpu/device/exec/memory/img.h"
#include "vgpu/device/exec/memory/rmw.h"

enum { NODE_DW = 32, BLOCK_DW = 16, BLOCK_B = 64, N_CHILDREN = 4 };
#define INVALID_NODE UINT32_MAX

/* NODE_TYPE. Types 2 and 3 are triangles whose vertices no document names. */
enum node_type { TRIANGLE0, TRIANGLE1, TRIANGLE2, TRIANGLE3, BOX16, BOX32 };

enum heuristic { CLOSEST, LARGEST, MIDPOINT };

/* NODE_FLAGS, where the descriptor enables them. */
/* clang-format off */
enum {
	FORCE_OPAQUE = 1 << 0, FORCE_NON_OPAQUE = 1 << 1, NO_TRIANGLE_CULL = 1 << 2, FLIP_FACES = 1 << 3,
	CULL_BACK = 1 << 4, CULL_FRONT = 1 << 5, CULL_OPAQUE = 1 << 6, CULL_NON_OPAQUE = 1 << 7,
	SKIP_TRIANGLES = 1 << 8, SKIP_PROCEDURAL = 1 << 9,
};
/* clang-format on */
/* A node pointer: base/words.h */
#define NODE_TYPE 0, 3
#define NODE_INDEX 3, 51
#define NODE_FLAGS 54, 10
/* ADDR of ds_bvh_stack: entries that were pushed, and the stack's base in dwords; OFFSET1: its size
 * is 8 << SIZE entries */
#define STACK_INDEX 0, 16
#define STACK_BASE_DW 18, 14
#define STACK_SIZE 4, 2
/* The flags that a box node has for each child, and a triangle node for each triangle. */
enum { ONLY_OPAQUE = 1, ONLY_NON_OPAQUE = 2, ONLY_TRIANGLES = 4, ONLY_PROCEDURAL = 8 };
enum { TRI_DOUBLE_SIDED = 1 << 4, TRI_FLIP_WINDING = 1 << 5, TRI_OPAQUE = 1 << 7 };

struct hierarchy {
	uint64_t base, last; /* last: number of the last node of 64 bytes */
	unsigned heuristic;
	float grow; /* the far end of an interval is multiplied by it */
	bool sorts, has_flags, returns_barycentrics;
};

struct ray {
	uint64_t node;
	float extent, origin[3], direction[3], inverse[3];
};

static const char *read_hierarchy(const struct bw_wave *w, const struct bw_inst *in,
				  struct hierarchy *out)
{
	uint32_t d[BW_BVH_DESC_DW];
	bw_mem_descriptor4(w, in, d);
	*out = (struct hierarchy){
		.base = bw_desc_256b(d, BW_BVH_BASE_256B),
		.last = bw_words_get(d, BW_BVH_SIZE),
		.heuristic = (unsigned)bw_words_get(d, BW_BVH_SORT_HEURISTIC),
		.grow = 1 + (float)bw_words_get(d, BW_BVH_GROW) * 0x1p-24f,
		.sorts = bw_words_get(d, BW_BVH_SORT_EN),
		.has_flags = bw_words_get(d, BW_BVH_POINTER_FLAGS),
		.returns_barycentrics = bw_words_get(d, BW_BVH_TRIANGLE_RETURN),
	};
	return bw_words_get(d, BW_BVH_TYPE) == BW_IMAGE_BVH ? NULL
							    : "ray descriptor whose type is not 8";
}

/* ---- boxes ---- */

/* The part of the ray between the planes of a box: clamped to the ray, and not clamped. */
struct interval {
	float near, far, first, last;
};

static struct interval meet_box(const struct ray *r, const float min[3], const float max[3])
{
	float lo = -INFINITY, hi = INFINITY;
	bool is_nan = false;
	for (unsigned a = 0; a < 3; a++) {
		float t_min = (min[a] - r->origin[a]) * r->inverse[a];
		float t_max = (max[a] - r->origin[a]) * r->inverse[a];
		float in = r->inverse[a] >= 0 ? t_min : t_max,
		      out = r->inverse[a] >= 0 ? t_max : t_min;
		/* A plane whose result is NaN is ignored, as by fmax and fmin; three of them are
		 * not a box. */
		lo = fmaxf(in, a ? lo : in);
		hi = fminf(out, a ? hi : out);
	}
	is_nan = lo != lo || hi != hi;
	if (is_nan)
		return (struct interval){INFINITY, -INFINITY, lo != lo ? 0 : lo,
					 hi != hi ? INFINITY : hi};
	return (struct interval){fmaxf(lo, 0), fminf(hi, r->extent), lo, hi};
}

static float sort_key(const struct hierarchy *h, const struct interval *i)
{
	return h->heuristic == LARGEST	  ? i->near - i->far
	       : h->heuristic == MIDPOINT ? i->first + i->last
					  : i->near;
}

static bool is_culled(unsigned child, unsigned flags)
{
	bool opaque = (child & ONLY_OPAQUE || flags & FORCE_OPAQUE) && !(flags & FORCE_NON_OPAQUE);
	bool non_opaque =
		(child & ONLY_NON_OPAQUE || flags & FORCE_NON_OPAQUE) && !(flags & FORCE_OPAQUE);
	return (opaque && flags & CULL_OPAQUE) || (non_opaque && flags & CULL_NON_OPAQUE) ||
	       (child & ONLY_TRIANGLES && flags & SKIP_TRIANGLES) ||
	       (child & ONLY_PROCEDURAL && flags & SKIP_PROCEDURAL);
}

static void box_of(const uint32_t *node, enum node_type type, unsigned child, float min[3],
		   float max[3])
{
	for (unsigned k = 0; k < 6; k++) {
		float *to = k < 3 ? &min[k] : &max[k - 3];
		if (type == BOX32) {
			*to = bits_f32(node[4 + 6 * child + k]);
		} else {
			uint32_t pair = node[4 + 3 * child + k / 2];
			*to = bits_f32(bw_f16_to_f32((uint16_t)bw_half16(pair, k % 2)));
		}
	}
}

/* The children that are hit, the best first: five comparisons of neighbours sort four. */
static void meet_boxes(const struct hierarchy *h, const struct ray *r, const uint32_t *node,
		       enum node_type type, unsigned flags, uint32_t out[4])
{
	static const uint8_t network[5][2] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}};
	float key[N_CHILDREN];
	for (unsigned c = 0; c < N_CHILDREN; c++) {
		float min[3], max[3];
		box_of(node, type, c, min, max);
		struct interval i = meet_box(r, min, max);
		bool hit = i.near <= i.far * h->grow;
		if (type == BOX32 && h->has_flags && is_culled(node[28] >> 8 * c & 0xff, flags))
			hit = false;
		key[c] = sort_key(h, &i);
		out[c] = hit ? node[c] : INVALID_NODE;
	}
	for (unsigned k = 0; h->sorts && k < 5; k++) {
		unsigned a = network[k][0], b = network[k][1];
		bool swaps = out[b] != INVALID_NODE && (out[a] == INVALID_NODE || key[b] < key[a]);
		if (swaps) {
			uint32_t node_a = out[a];
			float key_a = key[a];
			out[a] = out[b], key[a] = key[b];
			out[b] = node_a, key[b] = key_a;
		}
	}
}

/* ---- triangles ---- */

static void cross(const float a[3], const float b[3], float out[3])
{
	for (unsigned k = 0; k < 3; k++)
		out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static float dot(const float a[3], const float b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct meeting {
	float t_num, t_denom, i_num, j_num;
	bool hit;
};

static struct meeting meet_triangle(const struct ray *r, const uint32_t *node, enum node_type type)
{
	static const uint8_t vertices[2][3] = {{0, 1, 2}, {1, 3, 2}};
	float v[3][3], e1[3], e2[3], e3[3], s1[3], s2[3];
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 3; k++)
			v[i][k] = bits_f32(node[3 * vertices[type][i] + k]);
	for (unsigned k = 0; k < 3; k++) {
		e1[k] = v[1][k] - v[0][k];
		e2[k] = v[2][k] - v[0][k];
		e3[k] = r->origin[k] - v[0][k];
	}
	cross(r->direction, e2, s1);
	cross(e3, e1, s2);
	struct meeting m = {dot(e2, s2), dot(s1, e1), dot(e3, s1), dot(r->direction, s2), true};
	float t = m.t_num / m.t_denom, i = m.i_num / m.t_denom, j = m.j_num / m.t_denom;
	if (i < 0 || i > 1 || j < 0 || i + j > 1 || t < 0)
		m = (struct meeting){INFINITY, 1, m.i_num, m.j_num, false};
	return m;
}

static void cull_triangle(struct meeting *m, unsigned triangle, unsigned flags)
{
	bool is_front = m->t_denom >= 0,
	     flips = !(flags & FLIP_FACES) != !(triangle & TRI_FLIP_WINDING);
	bool opaque =
		flags & FORCE_OPAQUE || (triangle & TRI_OPAQUE && !(flags & FORCE_NON_OPAQUE));
	bool both_sides = flags & NO_TRIANGLE_CULL || triangle & TRI_DOUBLE_SIDED;
	if (flips) {
		/* The sign of the denominator tells front from back. */
		is_front = !is_front;
		m->t_num = -m->t_num;
		m->t_denom = -m->t_denom;
	}
	if ((!both_sides && flags & (is_front ? CULL_FRONT : CULL_BACK)) ||
	    flags & SKIP_TRIANGLES || flags & (opaque ? CULL_OPAQUE : CULL_NON_OPAQUE))
		*m = (struct meeting){INFINITY, 1, 0, 0, false};
}

static void meet_triangle_node(const struct hierarchy *h, const struct ray *r, const uint32_t *node,
			       enum node_type type, unsigned flags, uint32_t out[4])
{
	uint32_t id = node[15];
	unsigned triangle = id >> 8 * type & 0xff; /* a byte for each of the four types */
	struct meeting m = meet_triangle(r, node, type);
	/* The node says which vertices the coordinates I and J belong to: the builder may have
	 * turned it. */
	const float weight[4] = {m.t_denom - m.i_num - m.j_num, m.i_num, m.j_num, 0};
	m.i_num = weight[triangle % 4];
	m.j_num = weight[triangle / 4 % 4];
	if (h->has_flags)
		cull_triangle(&m, triangle, flags);
	out[0] = f32_bits(m.t_num);
	out[1] = f32_bits(m.t_denom);
	out[2] = h->returns_barycentrics ? f32_bits(m.i_num) : id;
	out[3] = h->returns_barycentrics ? f32_bits(m.j_num) : m.hit;
}

/* ---- one instruction ---- */

/* 64 bytes, which never cross a page. */
static bool read_block(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
		       uint64_t va, uint32_t out[BLOCK_DW])
{
	s->split &= ~(1ull << lane);
	s->lane[lane] = NULL;
	bw_span_locate_global(s, q, lane, va);
	if (s->fault_lanes >> lane & 1)
		return false;
	if (s->lane[lane] == s->sink[lane])
		memset(out, 0, BLOCK_B);
	else
		memcpy(out, s->lane[lane], BLOCK_B);
	return true;
}

static struct ray ray_of(const struct bw_wave *w, const struct bw_rec *rec, unsigned lane,
			 unsigned node_dw)
{
	const struct bw_img_prep *p = bw_img_prep(rec);
	uint32_t v[BW_IMG_MAX_ADDR];
	for (unsigned k = 0; k < BW_IMG_MAX_ADDR; k++)
		v[k] = bw_wave_vgpr(w, p->addr[k])[lane];
	const uint32_t *rest = v + node_dw;
	struct ray r = {.node = bw_join32(node_dw == 2 ? v[1] : 0, v[0]),
			.extent = bits_f32(rest[0])};
	for (unsigned a = 0; a < 3; a++) {
		r.origin[a] = bits_f32(rest[1 + a]);
		if (rec->inst->a16) { /* the direction below its inverse (LLVM 19, gfx11) */
			r.direction[a] = bits_f32(bw_f16_to_f32((uint16_t)rest[4 + a]));
			r.inverse[a] = bits_f32(bw_f16_to_f32((uint16_t)bw_half16(rest[4 + a], 1)));
		} else {
			r.direction[a] = bits_f32(rest[4 + a]);
			r.inverse[a] = bits_f32(rest[7 + a]);
		}
	}
	return r;
}

enum outcome { DONE, FAULT, UNKNOWN };

static enum outcome meet(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
			 const struct hierarchy *h, const struct ray *r, uint32_t out[4])
{
	const uint32_t pointer[] = {bw_lo32(r->node), bw_hi32(r->node)};
	enum node_type type = (enum node_type)bw_words_get(pointer, NODE_TYPE);
	unsigned flags = h->has_flags ? (unsigned)bw_words_get(pointer, NODE_FLAGS) : 0;
	uint64_t index = bw_words_get(pointer, NODE_INDEX);
	uint32_t node[NODE_DW];
	memset(out, 0xff, 16);
	/* Nodes of the program's own kind, and what lies after the last one, are nothing to the
	 * hardware. */
	if (type > BOX32 || index > h->last || (type == BOX32 && index == h->last))
		return DONE;
	if (type == TRIANGLE2 || type == TRIANGLE3)
		return UNKNOWN;
	for (unsigned k = 0; k < (type == BOX32 ? 2u : 1u); k++)
		if (!read_block(s, q, lane, bw_canonical(h->base + (index + k) * BLOCK_B),
				node + k * BLOCK_DW))
			return FAULT;
	if (type == BOX16 || type == BOX32)
		meet_boxes(h, r, node, type, flags, out);
	else
		meet_triangle_node(h, r, node, type, flags, out);
	return DONE;
}

static enum bw_mem_result intersect(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				    unsigned node_dw)
{
	const struct bw_img_prep *p = bw_img_prep(rec);
	struct bw_mem_request q = bw_mem_request_of(x, w, BW_MEM_MAX_B, BW_ACCESS_READ);
	struct hierarchy h;
	struct bw_span s;
	uint32_t out[64][4];
	enum outcome worst = DONE;
	unsigned lane;
	if (p->is_nop)
		return BW_MEM_OK;
	x->refused = read_hierarchy(w, rec->inst, &h);
	if (x->refused)
		return BW_MEM_REFUSED;
	bw_span_begin(&s, 1);
	uint32_t fp = bw_fp_plain_begin();
	BW_EACH_LANE(bw_wave_exec(w), lane) {
		struct ray r = ray_of(w, rec, lane, node_dw);
		enum outcome o = meet(&s, &q, lane, &h, &r, out[lane]);
		worst = BW_MAX(worst, o);
	}
	bw_fp_plain_end(fp);
	if (s.fault_lanes)
		return bw_span_check(&s, w);
	if (worst == UNKNOWN) {
		x->refused =
			"ray against a triangle of node type 2 or 3 (which vertices it takes is not documented)";
		return BW_MEM_REFUSED;
	}
	BW_EACH_LANE(bw_wave_exec(w), lane)
		for (unsigned k = 0; k < 4; k++)
			bw_wave_vgpr(w, p->dst + k)[lane] = out[lane][k];
	return BW_MEM_OK;
}

/* With NSA each named register begins a group: node pointer, extent, origin, direction and its
 * inverse. */
static bool prepare_ray(struct bw_rec *rec, const struct bw_rec_ctx *ctx, unsigned node_dw)
{
	const struct bw_inst *in = rec->inst;
	struct bw_img_prep *p = (struct bw_img_prep *)(void *)rec->prep;
	const unsigned length[5] = {node_dw, 1, 3, 3, 3};
	unsigned at = 0;
	memset(p, 0, sizeof(*p));
	for (unsigned g = 0; g < 5; g++) {
		for (unsigned k = 0; k < length[g]; k++, at++) {
			unsigned reg =
				in->n_nsa ? (g ? in->nsa[g - 1] : in->vaddr) + k : in->vaddr + at;
			p->addr[at] = (uint8_t)(reg < ctx->n_vgprs ? reg : 0);
		}
	}
	p->dst = in->vdata;
	p->is_nop = ctx->n_vgprs == 0 || in->vdata + 4u > ctx->n_vgprs;
	return true;
}

/* ---- the stack ---- */

/* Entries of 32 lanes lie side by side, and the stack is a ring: the newest entries overwrite the
 * oldest. [I: where an entry lies for its number. The manual's pseudocode pops where it would push
 * next; here the newest entry is popped first.] */
static uint32_t *entry(struct bw_wave *w, uint32_t addr, uint32_t index, unsigned size)
{
	uint64_t at = bw_words_get(&addr, STACK_BASE_DW) * 4 + index % size * (uint64_t)BW_HALF_B;
	return at + 4 <= w->wg->lds_size_b ? (uint32_t *)(void *)(w->wg->lds + at) : NULL;
}

static uint32_t pop(struct bw_wave *w, uint32_t addr, uint32_t index, unsigned size)
{
	uint32_t *e = entry(w, addr, index, size), node = 0; /* outside of LDS reads 0 */
	if (e) {
		node = *e;
		*e = INVALID_NODE;
	}
	return node;
}

static enum bw_mem_result stack(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	const uint32_t offset1 = rec->inst->offset1;
	unsigned size = 8u << bw_words_get(&offset1, STACK_SIZE), lane;
	if (p->is_nop)
		return BW_MEM_OK;
	BW_EACH_LANE(bw_wave_exec(w), lane) {
		uint32_t addr = bw_wave_vgpr(w, p->addr[0])[lane],
			 index = (uint32_t)bw_words_get(&addr, STACK_INDEX);
		uint32_t last = bw_wave_vgpr(w, p->data[0])[lane], child[4];
		bool ends = false; /* at the node that was visited last: what follows was, too */
		for (unsigned k = 0; k < 4; k++)
			child[k] = bw_wave_vgpr(w, p->data2[k])[lane];
		for (unsigned k = 0; k < 3 && !ends; k++) {
			if (child[k] == INVALID_NODE)
				continue;
			ends = child[k] == last;
			uint32_t *e = ends ? NULL : entry(w, addr, index, size);
			if (e)
				*e = child[k];
			index += !ends;
		}
		bool returns = child[3] != INVALID_NODE && child[3] != last;
		uint32_t node = returns ? child[3] : pop(w, addr, --index, size);
		bw_wave_vgpr(w, p->dst)[lane] = node;
		bw_wave_vgpr(w, p->addr[0])[lane] = (addr & ~0xffffu) | (index & 0xffff);
	}
	return BW_MEM_OK;
}

static bool prepare_stack(struct bw_rec *rec, const struct bw_rec_ctx *ctx)
{
	const struct bw_inst *in = rec->inst;
	struct bw_mem_prep *p = bw_mem_prep_begin(rec, ctx);
	p->is_nop |= in->vaddr >= ctx->n_vgprs; /* it is a destination, too */
	bw_mem_prep_src(p->addr, in->vaddr, 1, ctx);
	bw_mem_prep_src(p->data, in->vdata, 1, ctx);
	bw_mem_prep_src(p->data2, in->vdata2, 4, ctx);
	bw_mem_prep_dst(p, 1, ctx);
	return true;
}

#define RAY(name, node_dw)                                                                         \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return intersect(x, w, rec, node_dw);                                              \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return prepare_ray(rec, ctx, node_dw);                                             \
	}
#define STACK(name)
#include "vgpu/device/exec/sem/ray.def"
#undef RAY
#undef STACK

#define RAY(name, node_dw) {#name, do_##name, prepare_##name},
#define STACK(name) {#name, stack, prepare_stack},
static const struct bw_mem_row rows[] = {
#include "vgpu/device/exec/sem/ray.def"
};

const struct bw_mem_table bw_mem_ray = {rows, BW_ARRAY_SIZE(rows)};
