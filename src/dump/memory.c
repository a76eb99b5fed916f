/* SPDX-License-Identifier: MIT */
/* The memory that the files have the contents of: indirect buffers and code. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "dump/dump_priv.h"

static int by_address(const void *pa, const void *pb)
{
	const struct bw_dump_piece *a = pa, *b = pb;
	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static struct bw_error *add_words(struct bw_dump *d, uint64_t va, const struct bw_crash_words *w)
{
	struct bw_dump_piece p = {.va = bw_canonical(va),
				  .size_b = w->len * 4,
				  .words = w->data,
				  .order = d->pieces.len};
	/* none lies across the end of all addresses, or of those of one half */
	bool fits = bw_canonical(p.va + p.size_b - 1) == p.va + p.size_b - 1 &&
		    p.va + p.size_b - 1 >= p.va;
	return va && va % 4 == 0 && w->len && fits ? bw_vec_push(&d->pieces, p) : NULL;
}

struct bw_error *bw_dump_find_memory(struct bw_dump *d)
{
	bw_vec_each(&d->crash->dumps, dump)
		bw_vec_each(&dump->ibs, ib)
			BW_TRY(add_words(d, ib->va, &ib->words));
	bw_vec_each(&d->crash->report.pieces, p)
		BW_TRY(add_words(d, p->va, &p->words));
	if (!d->pieces.len)
		return NULL;
	qsort(d->pieces.data, d->pieces.len, sizeof(*d->pieces.data), by_address);
	/* What lies in one before is dropped. */
	size_t n = 0;
	uint64_t end = 0;
	for (size_t i = 0; i < d->pieces.len; i++) {
		struct bw_dump_piece p = d->pieces.data[i];
		uint64_t cut = n && end > p.va ? end - p.va : 0;
		if (cut >= p.size_b)
			continue;
		p.va += cut;
		p.size_b -= cut;
		p.words += cut / 4;
		d->pieces.data[n++] = p;
		end = p.va + p.size_b;
	}
	d->pieces.len = n;
	return NULL;
}

static const struct bw_dump_piece *piece_at(const struct bw_dump *d, uint64_t va)
{
	size_t lo = 0, hi = d->pieces.len;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct bw_dump_piece *p = &d->pieces.data[mid];
		if (va < p->va)
			hi = mid;
		else if (va - p->va < p->size_b)
			return p;
		else
			lo = mid + 1;
	}
	return NULL;
}

const uint32_t *bw_dump_words(const struct bw_dump *d, uint64_t va, size_t *out_n)
{
	const struct bw_dump_piece *p = piece_at(d, bw_canonical(va));
	if (!p || va % 4)
		return NULL;
	*out_n = (size_t)(p->size_b - (bw_canonical(va) - p->va)) / 4;
	return p->words + (bw_canonical(va) - p->va) / 4;
}

struct bw_error *bw_dump_read(struct bw_target *t, uint64_t va, void *out, size_t size_b)
{
	struct bw_dump *d = bw_dump_of(t);
	for (int copying = 0; copying < 2; copying++) /* all or nothing */
		for (size_t done = 0; done < size_b;) {
			uint64_t at = va + done;
			const struct bw_dump_piece *p = at >= va ? piece_at(d, at) : NULL;
			if (!p) {
				struct bw_error *err =
					bw_errorf(BW_E_FAULT,
						  "the crash file does not have the memory at "
						  "0x%llx",
						  (unsigned long long)at);
				err->va = at;
				return err;
			}
			size_t n = (size_t)BW_MIN(p->size_b - (at - p->va), size_b - done);
			if (copying)
				memcpy((char *)out + done, (const char *)p->words + (at - p->va),
				       n);
			done += n;
		}
	return NULL;
}

struct bw_error *bw_dump_maps(struct bw_target *t, struct bw_target_map **out, size_t *out_n)
{
	struct bw_dump *d = bw_dump_of(t);
	const struct bw_crash_report *r = &d->crash->report;
	struct bw_target_map *maps = calloc(r->ranges.len + 1, sizeof(*maps));
	size_t n = 0;
	if (!maps)
		return bw_error_nomem();
	bw_vec_each(&r->ranges, range)
		if (!range->is_destroyed && !range->object[0]) /* those with one are parts of it */
			maps[n++] =
				(struct bw_target_map){.va = range->va, .size_b = range->size_b};
	*out = maps;
	*out_n = n;
	return NULL;
}
