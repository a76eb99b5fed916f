/* SPDX-License-Identifier: MIT */
#include "pm4/mark.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "pm4/pm4.h"

enum {
	IB_MAX_DW = BW_PM4_IB_MAX_DW,
	ALL_MAX_DW = 4 << 20, /* of a copy with all that it calls */
	DEPTH_MAX = 3,	      /* calls in calls; the command processor has two levels */
	STREAMS_MAX = 512,    /* called and chained ones */
	PAD_DW = 8,	      /* drivers end their streams at a multiple (ib_pad_dw_mask) */
	ALIGN_DW = BW_PM4_MARK_ALIGN_B / 4,
	CALL_PACKET_DW = 4,
};
#define NO_PIECE SIZE_MAX

struct job {
	const struct bw_pm4_mark_options *o;
	struct bw_pm4_marked *out;
	size_t n_dw; /* of all pieces that are finished */
	struct bw_error *err;
};

/* A stream of the program, which is being copied to a piece. */
struct stream {
	uint64_t va;
	size_t size_dw;
	uint8_t depth;
	struct bw_pm4_stream words;
	size_t piece;
};

void bw_pm4_marked_free(struct bw_pm4_marked *m)
{
	bw_vec_each(&m->pieces, p)
		bw_pm4_stream_free(&p->words);
	bw_vec_free(&m->pieces);
	bw_vec_free(&m->marks);
	bw_vec_free(&m->links);
}

void bw_pm4_marked_write(struct bw_pm4_marked *m, uint64_t va, uint32_t *to)
{
	bw_vec_each(&m->links, l) {
		const struct bw_pm4_mark_piece *target = &m->pieces.data[l->target];
		uint32_t *packet = m->pieces.data[l->piece].words.data + l->at_dw;
		uint64_t at = va + target->offset_dw * 4;
		packet[1] = bw_lo32(at);
		packet[2] = bw_hi32(at);
		packet[3] = (packet[3] & ~(uint32_t)IB_MAX_DW) | (uint32_t)target->words.len;
	}
	memset(to, 0, m->size_dw * 4);
	bw_vec_each(&m->pieces, p)
		memcpy(to + p->offset_dw, p->words.data, p->words.len * 4);
}

/* ---- Markers ---- */

/* Without a cache action; 32 bits. Not bw_pm4_put_fence, which writes back the L2. */
static void put_ended(const struct job *j, struct bw_pm4_stream *w, uint32_t number)
{
	BW_PM4_BUILD(w, release_mem, .event = BW_PM4_EVENT_BOTTOM_OF_PIPE_TS,
		     .index = BW_PM4_EVENT_INDEX_TS, .data_is = BW_PM4_DATA_32,
		     .address = j->o->ended_va, .value = number);
}

/* The marker in front of a packet; its number. */
static uint32_t begin(struct job *j, struct bw_pm4_stream *w, const struct bw_pm4_mark *mark)
{
	if (!j->err)
		j->err = bw_vec_push(&j->out->marks, *mark);
	uint32_t number = (uint32_t)j->out->marks.len;
	bw_pm4_put_write_mem(w, j->o->begun_va, &number, 1);
	if (mark->is_work || mark->op == BW_PM4_MARK_END || number >= j->o->wait_from)
		bw_pm4_put_wait_mem(w, j->o->go_va, BW_PM4_GREATER_EQUAL, number, 0xffffffff);
	return number;
}

static void put_extra(struct job *j, struct bw_pm4_stream *w)
{
	struct bw_pm4_marked *out = j->out;
	if (!j->o->put_dw || out->has_put || out->n_work != j->o->put_behind)
		return;
	bw_pm4_put_words(w, j->o->put, j->o->put_dw);
	out->has_put = true;
}

/* ---- Streams ---- */

static size_t mark_stream(struct job *j, uint64_t va, size_t size_dw, uint8_t depth,
			  bool is_called);

static void pad(struct bw_pm4_stream *w, size_t behind)
{
	while (!w->failed && (w->len + behind) % PAD_DW)
		bw_pm4_put_nop(w, 1);
}

/* Copies the packet and what it calls or chains, in the order of execution. */
static void mark_call(struct job *j, struct stream *s, const struct bw_pm4_packet *p,
		      const struct bw_pm4_flow *flow)
{
	/* a chain ends the stream, and its packet ends at the multiple */
	if (flow->chain)
		pad(&s->words, CALL_PACKET_DW);
	struct bw_pm4_mark_link link = {.piece = s->piece, .at_dw = s->words.len};
	bw_pm4_put(&s->words, p->header);
	bw_pm4_put_words(&s->words, p->body, p->n_body);
	link.target =
		mark_stream(j, flow->va, flow->size_dw, (uint8_t)(s->depth + !flow->chain), true);
	if (link.target == NO_PIECE)
		j->out->n_unseen++; /* it is executed where the program has it */
	else if (!j->err)
		j->err = bw_vec_push(&j->out->links, link);
}

/* One packet with its markers; the dwords that were taken. */
static size_t mark_packet(struct job *j, struct stream *s, const uint32_t *dw, size_t pos,
			  const struct bw_pm4_packet *p)
{
	const struct bw_pm4_info *info = p->kind == BW_PM4_TYPE3 ? bw_pm4_info(p->op) : NULL;
	const struct bw_pm4_flow flow = bw_pm4_flow(p);
	const struct bw_pm4_mark mark = {.ib_va = s->va,
					 .at_dw = (uint32_t)pos,
					 .op = p->op,
					 .depth = s->depth,
					 .is_work = info && bw_pm4_starts_waves(p->op)};
	/* parts that are skipped by their length keep it: no markers inside */
	size_t n = BW_MIN((size_t)p->size_dw + flow.skip_dw, s->size_dw - pos);
	uint32_t number = 0;
	put_extra(j, &s->words);
	if (mark.is_work || (j->o->every_packet && info && p->op != BW_PM4_NOP))
		number = begin(j, &s->words, &mark);
	if (flow.calls) {
		mark_call(j, s, p, &flow);
		return n;
	}
	j->out->n_unseen += n > p->size_dw;
	bw_pm4_put_words(&s->words, dw + pos, n);
	if (mark.is_work) {
		put_ended(j, &s->words, number);
		j->out->n_work++;
	}
	return n;
}

/* The rest of a stream from a word on that is no packet. */
static void mark_rest(struct job *j, struct stream *s, const uint32_t *dw, size_t pos)
{
	const struct bw_pm4_mark mark = {.ib_va = s->va,
					 .at_dw = (uint32_t)pos,
					 .op = (uint8_t)bw_pm4_opcode(dw[pos]),
					 .depth = s->depth,
					 .is_bad = true};
	begin(j, &s->words, &mark);
	bw_pm4_put_words(&s->words, dw + pos, s->size_dw - pos);
	j->out->n_unseen++;
}

/* All that the submitted stream does has ended. */
static void mark_end(struct job *j, struct stream *s)
{
	const struct bw_pm4_mark mark = {.ib_va = s->va,
					 .at_dw = (uint32_t)s->size_dw,
					 .op = BW_PM4_MARK_END,
					 .depth = s->depth};
	put_extra(j, &s->words);
	put_ended(j, &s->words, begin(j, &s->words, &mark));
}

static void mark_words(struct job *j, struct stream *s, const uint32_t *dw)
{
	struct bw_pm4_packet p;
	for (size_t pos = 0; pos < s->size_dw && !j->err && !s->words.failed;) {
		if (!bw_pm4_at(dw, s->size_dw, pos, &p) || !bw_pm4_is_known(&p)) {
			mark_rest(j, s, dw, pos);
			break;
		}
		pos += mark_packet(j, s, dw, pos, &p);
		if (bw_pm4_flow(&p).chain)
			return;
	}
	if (!s->depth && !j->err)
		mark_end(j, s);
	pad(&s->words, 0);
}

/* The piece that is its copy; NO_PIECE: the stream is executed where it is, or j->err. */
static size_t mark_stream(struct job *j, uint64_t va, size_t size_dw, uint8_t depth, bool is_called)
{
	struct bw_pm4_marked *out = j->out;
	if (j->err || !size_dw || size_dw > IB_MAX_DW || depth > DEPTH_MAX ||
	    out->pieces.len >= STREAMS_MAX || j->n_dw > ALL_MAX_DW)
		return NO_PIECE;
	_cleanup_free_ uint32_t *dw = malloc(size_dw * 4);
	if (!dw || !j->o->read(j->o->cookie, va, dw, size_dw, is_called))
		return NO_PIECE;
	struct stream s = {.va = va, .size_dw = size_dw, .depth = depth, .piece = out->pieces.len};
	if ((j->err = bw_vec_push(&out->pieces, (struct bw_pm4_mark_piece){0})))
		return NO_PIECE;
	mark_words(j, &s, dw);
	j->n_dw += s.words.len;
	if (!j->err && s.words.failed)
		j->err = bw_error_nomem();
	if (!j->err && s.words.len > IB_MAX_DW)
		j->err = bw_errorf(BW_E_UNSUPPORTED, "with markers it is too long");
	out->pieces.data[s.piece].words = s.words;
	return j->err ? NO_PIECE : s.piece;
}

struct bw_error *bw_pm4_mark(const struct bw_pm4_mark_options *o, uint64_t va, size_t size_dw,
			     struct bw_pm4_marked *out)
{
	struct job j = {.o = o, .out = out};
	if (mark_stream(&j, va, size_dw, 0, false) == NO_PIECE && !j.err)
		return bw_errorf(BW_E_UNSUPPORTED, "the command stream cannot be read");
	if (j.err)
		return j.err;
	bw_vec_each(&out->pieces, p) {
		p->offset_dw = out->size_dw;
		out->size_dw += bw_align_up(p->words.len, ALIGN_DW);
	}
	return NULL;
}
