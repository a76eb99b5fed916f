/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "pm4/sdma.h"
#include "record/decompile.h"
#include "swap/code.h"

enum {
	IB_MAX_DW = BW_PM4_IB_MAX_DW,
	CODE_MAX_B = 1 << 20,
	JUMPS_MAX = 4,	   /* of code that was replaced by code that was replaced */
	DEPTH_MAX = 8,	   /* calls in calls */
	STREAMS_MAX = 512, /* that are looked through, those again that are called again */
	PIECES_MAX = 1024,
	ALL_MAX_B = 64 << 20, /* of all pieces */
	IP_SDMA = 2,
};

/* A stream that is looked through. */
struct walk {
	struct bw_decompile *d;
	struct bw_pm4_scan *state;
	size_t piece;
	unsigned depth, *n_streams;
	bool has_notes; /* from an earlier call of the same stream */
	struct bw_error *err;
};

void bw_decompile_fini(struct bw_decompile *d)
{
	bw_capture_space_fini(&d->space);
	bw_capture_submission_fini(&d->sub);
	bw_vec_each(&d->pieces, p)
		free(p->dw);
	bw_vec_each(&d->notes, n)
		free(n->text);
	bw_vec_free(&d->pieces);
	bw_vec_free(&d->notes);
	bw_vec_free(&d->ibs);
	bw_vec_free(&d->dispatches);
	bw_vec_free(&d->registers);
	bw_vec_free(&d->calls);
	bw_str_free(&d->enums);
	bw_str_free(&d->packets);
	bw_str_free(&d->code);
}

size_t bw_decompile_piece_at(const struct bw_decompile *d, uint64_t va, uint32_t size_b,
			     bool is_shader)
{
	bw_vec_each(&d->pieces, p)
		if (p->va == va && (!size_b || p->size_b == size_b) &&
		    (p->kind == BW_DECOMPILE_SHADER) == is_shader)
			return (size_t)(p - d->pieces.data);
	return SIZE_MAX;
}

/* Takes dw. */
static struct bw_error *add_piece(struct bw_decompile *d, const struct bw_decompile_piece *new,
				  size_t *out)
{
	struct bw_error *err = bw_vec_push(&d->pieces, *new);
	if (err)
		free(new->dw);
	else
		*out = d->pieces.len - 1;
	d->pieces_b += new->size_b;
	return err;
}

static bool is_full(const struct bw_decompile *d, uint32_t size_b)
{
	return d->pieces.len >= PIECES_MAX || d->pieces_b + size_b > ALL_MAX_B;
}

static struct bw_error *add_stream(struct bw_decompile *d, struct bw_decompile_piece *p,
				   size_t *out)
{
	*out = bw_decompile_piece_at(d, p->va, p->size_b, false);
	if (*out != SIZE_MAX)
		return NULL;
	_cleanup_free_ uint32_t *dw = calloc(p->size_b + 1, 1);
	if (!dw)
		return bw_error_nomem();
	BW_TRY(bw_capture_read(d->r, &d->space, p->va, dw, p->size_b));
	p->dw = bw_take(dw);
	unsigned number = p->is_called ? d->n_called : (unsigned)d->ibs.len;
	snprintf(p->name, sizeof(p->name), "%s_%u", p->is_called ? "called" : "ib", number);
	snprintf(p->title, sizeof(p->title), "%s_%u", p->is_called ? "CALLED" : "IB", number);
	d->n_called += p->is_called;
	return add_piece(d, p, out);
}

/* ---- Shaders ---- */

/* Makes n_b bytes of code `next` more; false: they cannot be read. */
static struct bw_error *read_more(struct bw_decompile *d, struct bw_decompile_piece *p,
				  uint32_t n_b, uint32_t next, bool *out)
{
	uint32_t *dw = realloc(p->dw, n_b + next);
	if (!dw)
		return bw_error_nomem();
	p->dw = dw;
	struct bw_error *err =
		bw_capture_read(d->r, &d->space, p->va + n_b, (char *)dw + n_b, next);
	if (err && err->code == BW_E_NOMEM)
		return err;
	*out = !err;
	bw_error_free(err);
	return NULL;
}

/* Reads on, twice as much each time, or the next page where that is too much, until the end of the
 * code is there, or nothing more can be read. */
static struct bw_error *read_code(struct bw_decompile *d, struct bw_decompile_piece *p)
{
	enum { PAGE_B = BW_CAPTURE_PAGE_B };
	uint32_t n_b = 0;
	bool more = true, has_read = true;
	while (more && n_b < CODE_MAX_B) {
		uint32_t page = PAGE_B - (uint32_t)((p->va + n_b) % PAGE_B);
		uint32_t next = page + n_b / PAGE_B * PAGE_B;
		BW_TRY(read_more(d, p, n_b, next, &has_read));
		if (!has_read && next != page) {
			next = page;
			BW_TRY(read_more(d, p, n_b, next, &has_read));
		}
		if (!has_read)
			break;
		n_b += next;
		p->size_b = bw_decompile_code_b(d->gpu, p->va, p->dw, n_b / 4, &more, &p->reads_pc);
	}
	return NULL;
}

static struct bw_error *add_shader(struct bw_decompile *d, uint64_t va, unsigned lanes, size_t *out)
{
	struct bw_decompile_piece p = {
		.kind = BW_DECOMPILE_SHADER, .is_called = true, .va = va, .lanes = lanes};
	*out = bw_decompile_piece_at(d, va, 0, true);
	if (*out != SIZE_MAX || va % 4 || is_full(d, CODE_MAX_B))
		return NULL;
	struct bw_error *err = read_code(d, &p);
	if (err || !p.size_b) {
		free(p.dw);
		return err;
	}
	snprintf(p.name, sizeof(p.name), "shader_%u", d->n_shaders);
	snprintf(p.title, sizeof(p.title), "SHADER_%u", d->n_shaders++);
	return add_piece(d, &p, out);
}

/* Adds a shader, and the code that takes its place, where it begins with the jump of a shader that
 * was replaced (swap/code.h). */
static struct bw_error *add_shaders(struct bw_decompile *d, uint64_t va, unsigned lanes,
				    size_t *out)
{
	size_t last;
	BW_TRY(add_shader(d, va, lanes, out));
	last = *out;
	for (unsigned i = 0; i < JUMPS_MAX && last != SIZE_MAX; i++) {
		const struct bw_decompile_piece *p = &d->pieces.data[last];
		if (p->size_b < BW_SWAP_JUMP_B || !bw_swap_is_jump(p->dw, &va))
			break;
		BW_TRY(add_shader(d, bw_canonical(va), lanes, &last));
	}
	return NULL;
}

/* ---- Streams ---- */

static struct bw_error *add_note(struct bw_decompile *d, size_t piece, size_t at_dw, char *text)
{
	if (!text)
		return bw_error_nomem();
	struct bw_error *err =
		bw_vec_push(&d->notes, ((struct bw_decompile_note){piece, at_dw, text}));
	if (err)
		free(text);
	return err;
}

static struct bw_error *look_at_dispatch(struct walk *w, const struct bw_pm4_find *f)
{
	enum { PGM_LO = BW_REG_GC_DW(COMPUTE_PGM_LO) - BW_PM4_SH_BEGIN_DW };
	const uint32_t *sh = f->state->sh;
	uint64_t va = bw_canonical(bw_join32(sh[PGM_LO + 1] & 0xff, sh[PGM_LO]) << 8);
	size_t shader = SIZE_MAX;
	unsigned lanes = f->dispatch.initiator & BW_PM4_INIT_CS_W32_EN ? 32 : 64;
	if (va)
		BW_TRY(add_shaders(w->d, va, lanes, &shader));
	char *text = bw_decompile_dispatch_text(
		w->d, f, w->d->pieces.data[w->piece].va + f->pos_dw * 4, shader);
	w->d->n_dispatches++;
	w->d->n_work++;
	return add_note(w->d, w->piece, f->pos_dw, text);
}

static struct bw_error *look_at_draw(struct walk *w, const struct bw_pm4_find *f)
{
	char *text =
		bw_decompile_draw_text(w->d, f, w->d->pieces.data[w->piece].va + f->pos_dw * 4);
	w->d->n_draws++;
	w->d->n_work++;
	return add_note(w->d, w->piece, f->pos_dw, text);
}

static struct bw_error *look_through(struct walk *w);

/* An address that cannot be read stays a number in the packet. */
static struct bw_error *follow(struct walk *w, const struct bw_pm4_flow *flow)
{
	struct bw_decompile *d = w->d;
	uint64_t va = bw_canonical(flow->va);
	uint32_t size_dw = flow->size_dw;
	struct bw_decompile_piece p = {.kind = d->pieces.data[w->piece].kind,
				       .is_called = true,
				       .va = va,
				       .size_b = size_dw * 4};
	struct walk inner = *w;
	if (!size_dw || size_dw > IB_MAX_DW || va % 4 || w->depth == DEPTH_MAX ||
	    *w->n_streams >= STREAMS_MAX || is_full(d, p.size_b))
		return NULL;
	struct bw_error *err = add_stream(d, &p, &inner.piece);
	if (err && err->code == BW_E_FAULT) {
		bw_error_free(err);
		++*w->n_streams; /* to try takes as long */
		return NULL;
	}
	BW_TRY(err);
	inner.depth += !flow->chain;
	return look_through(&inner);
}

static bool found(void *cookie, const struct bw_pm4_find *f)
{
	struct walk *w = cookie;
	if (f->what == BW_PM4_FOUND_DISPATCH && !w->has_notes)
		w->err = look_at_dispatch(w, f);
	else if (f->what == BW_PM4_FOUND_DRAW && !w->has_notes)
		w->err = look_at_draw(w, f);
	else if (f->what == BW_PM4_FOUND_INDIRECT_BUFFER)
		w->err = follow(w, &f->flow);
	return !w->err;
}

static struct bw_error *look_through(struct walk *w)
{
	const struct bw_decompile_piece p = w->d->pieces.data[w->piece];
	struct bw_sdma_packet s;
	w->err = NULL;
	w->has_notes = p.has_notes;
	w->d->pieces.data[w->piece].has_notes = true;
	++*w->n_streams;
	if (p.kind == BW_DECOMPILE_PM4)
		bw_pm4_find_dispatches(w->state, p.dw, p.size_b / 4, found, w);
	for (size_t at = 0;
	     p.kind == BW_DECOMPILE_SDMA && !w->err && bw_sdma_at(p.dw, p.size_b / 4, at, &s);
	     at += s.size_dw) {
		const struct bw_pm4_flow flow = bw_sdma_flow(&s);
		if (flow.calls)
			w->err = follow(w, &flow);
	}
	return w->err;
}

static int by_packet(const void *a, const void *b)
{
	uint64_t x = (*(const struct bw_capture_dispatch *const *)a)->packet_va;
	uint64_t y = (*(const struct bw_capture_dispatch *const *)b)->packet_va;
	return x < y ? -1 : x > y;
}

static struct bw_error *sort_dispatches(struct bw_decompile *d)
{
	bw_vec_each(&d->sub.dispatches, one)
		BW_TRY(bw_vec_push(&d->dispatches, (const struct bw_capture_dispatch *)one));
	if (d->dispatches.len)
		qsort(d->dispatches.data, d->dispatches.len, sizeof(*d->dispatches.data),
		      by_packet);
	return NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct bw_decompile_note *x = a, *y = b;
	return x->piece != y->piece  ? (x->piece < y->piece ? -1 : 1)
	       : x->at_dw < y->at_dw ? -1
				     : x->at_dw > y->at_dw;
}

struct bw_error *bw_decompile_find(struct bw_decompile *d)
{
	_cleanup_free_ struct bw_pm4_scan *state = calloc(1, sizeof(*state));
	unsigned n_streams = 0;
	if (!state)
		return bw_error_nomem();
	for (unsigned i = 0; i < BW_DECOMPILE_USER_DATA; i++)
		state->sh[BW_REG_GC_DW(COMPUTE_USER_DATA_0) - BW_PM4_SH_BEGIN_DW + i] =
			BW_DECOMPILE_NOT_SET;
	BW_TRY(sort_dispatches(d));
	/* first of all the IBs, so that one which another calls has its own name */
	bw_vec_each(&d->sub.ibs, ib) {
		struct bw_decompile_piece p = {.kind = ib->ip_type == IP_SDMA ? BW_DECOMPILE_SDMA
									      : BW_DECOMPILE_PM4,
					       .va = ib->va,
					       .size_b = ib->size_b};
		size_t piece = 0;
		if (ib->size_b % 4 || ib->size_b > IB_MAX_DW * 4)
			return bw_errorf(BW_E_INVALID, "IB %zu has %u bytes", d->ibs.len,
					 ib->size_b);
		if (is_full(d, ib->size_b))
			return bw_errorf(BW_E_UNSUPPORTED,
					 "its IBs have more than %u MiB, or are more than %u",
					 ALL_MAX_B >> 20, PIECES_MAX);
		BW_TRY(bw_error_wrap(add_stream(d, &p, &piece), "IB %zu", d->ibs.len));
		BW_TRY(bw_vec_push(&d->ibs, (uint32_t)piece));
	}
	for (size_t i = 0; i < d->ibs.len; i++) {
		struct walk w = {
			.d = d, .state = state, .piece = d->ibs.data[i], .n_streams = &n_streams};
		if (n_streams < STREAMS_MAX)
			BW_TRY(look_through(&w));
	}
	if (d->notes.len)
		qsort(d->notes.data, d->notes.len, sizeof(*d->notes.data), by_place);
	return NULL;
}
