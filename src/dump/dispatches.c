/* SPDX-License-Identifier: MIT */
/* The dispatches in the command buffers that the files hold, and which of them were done, were
 * running or had not begun: as far as the place tells at which the command processor was. */
#include <string.h>

#include "base/util.h"
#include "crash/trace.h"
#include "dump/dump_priv.h"
#include "pm4/scan.h"
#include "regs/field.h"

enum {
	MOST_DEPTH = 4,
	MOST_DISPATCHES = 4096,
	MOST_SCANNED_DW = 1 << 24, /* a file may have buffers that lead to each other */
};

#define SH_AFTER(state, name, n)                                                                   \
	((state)->sh[BW_REG_GC_DW(COMPUTE_##name) - BW_PM4_SH_BEGIN_DW + (n)])
#define SH(state, name) SH_AFTER(state, name, 0)

struct scan {
	struct bw_dump *d;
	struct bw_pm4_scan *state;
	uint64_t va; /* of the buffer; 0: not known */
	enum bw_dump_state at;
	/* of the outermost buffer: by the trace points and waves of a hang report (NULL: it has
	 * none); else dispatches from `waiting_dw` on have not begun */
	const struct bw_crash_trace *trace;
	size_t ib, waiting_dw;
	unsigned depth;
	size_t *scanned_dw;
	struct bw_error *err;
};

static struct bw_error *add_dispatch(struct scan *s, const struct bw_pm4_find *f)
{
	const struct bw_pm4_scan *r = f->state;
	struct bw_dump_dispatches *list = &s->d->dispatches[s->at];
	uint32_t code_hi = BW_FIELD_GET(COMPUTE_PGM_HI, DATA, SH(r, PGM_HI));
	/* RADV sets it in another buffer, which its report does not have, to bits 47:40 of this. */
	if (!code_hi)
		code_hi = bw_hi_256b(bw_join32(s->d->crash->report.address32_hi, 0)) &
			  BW_FIELD_MAX(COMPUTE_PGM_HI, DATA);
	struct bw_target_dispatch x = {
		.code_va = bw_canonical(bw_join_256b(code_hi, SH(r, PGM_LO))),
		.rsrc1 = SH(r, PGM_RSRC1),
		.rsrc2 = SH(r, PGM_RSRC2),
		.rsrc3 = SH(r, PGM_RSRC3),
		.initiator = f->dispatch.initiator,
		.tmpring_size = SH(r, TMPRING_SIZE),
		.packet_va = s->va ? s->va + f->pos_dw * 4 : 0,
		.indirect_va = f->indirect ? f->indirect_va : 0,
	};
	x.pipeline = bw_dump_pipeline_of(s->d, x.code_va);
	for (unsigned i = 0; i < 3; i++) {
		x.groups[i] = f->dispatch.dim[i];
		x.group_size[i] = BW_FIELD_GET(COMPUTE_NUM_THREAD_X, NUM_THREAD_FULL,
					       SH_AFTER(r, NUM_THREAD_X, i));
	}
	for (unsigned i = 0; i < 16; i++)
		x.user_data[i] = SH_AFTER(r, USER_DATA_0, i);
	return list->len < MOST_DISPATCHES ? bw_vec_push(list, x) : NULL;
}

static enum bw_dump_state state_at(const struct scan *s, size_t pos_dw)
{
	static const enum bw_dump_state states[] = {
		[BW_CRASH_WORK_DONE] = BW_DUMP_DONE,
		[BW_CRASH_WORK_RUNNING] = BW_DUMP_RUNNING,
		[BW_CRASH_WORK_WAITING] = BW_DUMP_WAITING,
	};
	if (s->trace)
		return states[bw_crash_work_state(s->trace, s->ib, pos_dw)];
	return pos_dw >= s->waiting_dw ? BW_DUMP_WAITING : BW_DUMP_RUNNING;
}

static bool on_find(void *cookie, const struct bw_pm4_find *f)
{
	struct scan *s = cookie;
	size_t n;
	if (!s->depth)
		s->at = state_at(s, f->pos_dw);
	if (f->what == BW_PM4_FOUND_DISPATCH)
		s->err = add_dispatch(s, f);
	if (f->what != BW_PM4_FOUND_INDIRECT_BUFFER || s->depth >= MOST_DEPTH)
		return !s->err;
	const uint32_t *dw = bw_dump_words(s->d, f->flow.va, &n);
	n = dw ? BW_MIN(n, (size_t)f->flow.size_dw) : 0;
	*s->scanned_dw += n;
	if (!n || *s->scanned_dw > MOST_SCANNED_DW)
		return true;
	struct scan inner = *s;
	inner.va = bw_canonical(f->flow.va);
	inner.depth++;
	bw_pm4_find_dispatches(s->state, dw, n, on_find, &inner);
	s->err = inner.err;
	return !s->err;
}

struct in_packet {
	struct scan *s;
	size_t at_dw;
};
static bool on_find_at(void *cookie, const struct bw_pm4_find *found)
{
	const struct in_packet *x = cookie;
	struct bw_pm4_find f = *found;
	f.pos_dw = x->at_dw;
	/* an indirect buffer follows in the words */
	return f.what != BW_PM4_FOUND_DISPATCH || on_find(x->s, &f);
}

/* An indirect buffer of a dump; those of RADV have what they call in the middle of their words. */
static struct bw_error *scan_ib(struct scan *s, const struct bw_crash_ib *ib)
{
	size_t n = ib->words.len;
	struct bw_pm4_packet p;
	*s->scanned_dw += n;
	if (!s->trace) {
		bw_pm4_find_dispatches(s->state, ib->words.data, n, on_find, s);
		return s->err;
	}
	for (size_t at = 0; !s->err && bw_pm4_at(ib->words.data, n, at, &p); at += p.size_dw) {
		struct in_packet x = {s, at};
		bw_pm4_find_dispatches(s->state, ib->words.data + at, p.size_dw, on_find_at, &x);
	}
	return s->err;
}

struct bw_error *bw_dump_find_dispatches(struct bw_dump *d)
{
	size_t scanned_dw = 0;
	bw_vec_each(&d->crash->dumps, dump) {
		struct bw_pm4_scan state = {0};
		struct bw_crash_place place;
		struct bw_crash_trace trace;
		bool placed = bw_crash_find_place(dump, &place);
		bool traced = placed && bw_crash_find_trace(d->crash, dump, &trace);
		if (bw_starts_with(dump->timeout_ring, "sdma"))
			continue; /* other packets */
		for (size_t i = 0; i < dump->ibs.len; i++) {
			const struct bw_crash_ib *ib = &dump->ibs.data[i];
			struct scan s = {.d = d,
					 .state = &state,
					 .va = bw_canonical(ib->va),
					 .trace = traced ? &trace : NULL,
					 .ib = i,
					 .waiting_dw = SIZE_MAX,
					 .scanned_dw = &scanned_dw};
			/* beside a trace, umr's are the same once more */
			if (ib->is_sdma || (traced && ib->va))
				continue;
			/* before it the engines may still be at work */
			if (placed && i >= place.ib)
				s.waiting_dw = i > place.ib ? 0 : (size_t)place.at_dw;
			BW_TRY(scan_ib(&s, ib));
		}
	}
	return NULL;
}
