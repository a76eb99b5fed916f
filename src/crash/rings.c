/* SPDX-License-Identifier: MIT */
/* Rings and indirect buffers as umr prints them: umr_ring.log of a hang report. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "crash/report_priv.h"
#include "pm4/umr_row.h"

static struct bw_crash_ring *ring_of(struct bw_crash_report *r, const char *name, size_t n,
				     unsigned number)
{
	struct bw_crash_dump *d = &r->dump;
	bw_vec_each(&d->rings, ring)
		if (strlen(ring->name) == n && !memcmp(ring->name, name, n))
			return ring;
	struct bw_crash_ring new = {.line = number};
	if (!n || n >= sizeof(new.name) || d->rings.len >= BW_CRASH_MAX_RINGS)
		return NULL;
	bw_crash_copy(new.name, sizeof(new.name), name, n);
	struct bw_error *err = bw_vec_push(&d->rings, new);
	bool ok = !err;
	bw_crash_report_error(r, err);
	return ok ? &d->rings.data[d->rings.len - 1] : NULL;
}

/* ---- with the name of the ring in each line ---- */

/* "vega10.gfx.rptr == 37", "gfx_0.0.0.rptr == 37": the name of the ring, without the GPU's. */
static const char *ring_name(const char *line, size_t *n)
{
	const char *dot = memchr(line, '.', *n);
	if (!dot || memchr(line, '_', (size_t)(dot - line)) || !isalpha((unsigned char)dot[1]))
		return line;
	*n -= (size_t)(dot + 1 - line);
	return dot + 1;
}

static bool pointer_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	static const char *const pointers[] = {".rptr == ", ".wptr == "};
	for (size_t i = 0; i < BW_ARRAY_SIZE(pointers); i++) {
		const char *v = bw_crash_after(line, pointers[i]);
		if (!v || !isdigit((unsigned char)*v))
			continue;
		size_t n = (size_t)(v - line) - strlen(pointers[i]);
		const char *name = ring_name(line, &n);
		struct bw_crash_ring *ring = ring_of(r, name, n, number);
		if (ring && i == 0)
			ring->rptr = strtoull(v, NULL, 10);
		else if (ring)
			ring->wptr = strtoull(v, NULL, 10);
		return true;
	}
	return strstr(line, ".drv_wptr == ") != NULL;
}

static void add_word(struct bw_crash_report *r, struct bw_crash_ring *ring, uint64_t index,
		     uint32_t word)
{
	if (!ring || r->dump.n_words >= BW_CRASH_MAX_WORDS) {
		r->dump.n_left_out++;
		return;
	}
	if (!ring->words.len)
		ring->first_dw = index;
	if (index != ring->first_dw + ring->words.len)
		return; /* begun anew, or a part is missing */
	r->dump.n_words++;
	bw_crash_report_error(r, bw_vec_push(&ring->words, word));
}

/* "[gfx_0.0.0][   37] 0xc0064900  RELEASE_MEM", "vega10.gfx.ring[  37] == 0xc0064900    rwD" */
static bool named_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	static const char ring_at[] = ".ring[";
	const char *index = bw_crash_after(line, ring_at), *name = line;
	size_t n;
	if (index) {
		n = (size_t)(index - line) - strlen(ring_at);
		name = ring_name(line, &n);
	} else {
		const char *close = line[0] == '[' ? strchr(line, ']') : NULL;
		if (!close || close[1] != '[' || !isalpha((unsigned char)line[1]))
			return false;
		name = line + 1;
		n = (size_t)(close - name);
		index = close + 2;
	}
	const char *end = strchr(index, ']'), *value = end ? bw_crash_after(end, "0x") : NULL;
	if (!value || !bw_crash_is_hex(value, 8))
		return false;
	add_word(r, ring_of(r, name, n, number), strtoull(index, NULL, 10),
		 (uint32_t)strtoul(value, NULL, 16));
	return true;
}

/* ---- with the address of each word ---- */

static struct bw_crash_stream *stream_of(struct bw_crash_report *r,
					 const struct bw_pm4_umr_row *row)
{
	bw_vec_each(&r->streams, s)
		if (s->vmid == row->vmid && s->va == row->va)
			return s;
	return NULL;
}

/* "UMR GFX ring:" of RADV stands before what umr has printed. */
static const char *name_of(const struct bw_crash_report *r, const struct bw_pm4_umr_row *row)
{
	return row->packets == BW_PM4_UMR_SDMA ? "sdma" : r->ring_name ? r->ring_name : "ring";
}

static void begin_stream(struct bw_crash_report *r, const struct bw_pm4_umr_row *row, bool is_ring,
			 unsigned number)
{
	struct bw_crash_dump *d = &r->dump;
	struct bw_crash_stream new = {.vmid = row->vmid,
				      .va = row->va,
				      .is_ring = is_ring,
				      .size_dw = row->size_dw,
				      .line = number,
				      .place = SIZE_MAX};
	if (r->streams.len >= BW_CRASH_MAX_RINGS) {
		d->n_left_out++;
		return;
	}
	bw_crash_report_error(r, bw_vec_push(&r->streams, new));
}

/* Makes a stream for the row's words; false: there is no room. */
static bool open_stream(struct bw_crash_report *r, struct bw_crash_stream *s,
			const struct bw_pm4_umr_row *row)
{
	struct bw_crash_dump *d = &r->dump;
	struct bw_error *err;
	if (s->is_ring) {
		const char *name = name_of(r, row);
		struct bw_crash_ring *ring = ring_of(r, name, strlen(name), s->line);
		if (!ring || ring->words.len)
			return false;
		ring->no_pointers = true;
		s->place = (size_t)(ring - d->rings.data);
		return true;
	}
	struct bw_crash_ib ib = {.line = s->line,
				 .index = (unsigned)d->ibs.len,
				 .va = s->va,
				 .size_dw = s->size_dw,
				 .is_sdma = row->packets == BW_PM4_UMR_SDMA,
				 .vmid = s->vmid};
	if (d->ibs.len >= BW_CRASH_MAX_RINGS)
		return false;
	err = bw_vec_push(&d->ibs, ib);
	if (!err)
		s->place = d->ibs.len - 1;
	bw_crash_report_error(r, err);
	return s->place != SIZE_MAX;
}

static void stream_word(struct bw_crash_report *r, struct bw_crash_stream *s,
			const struct bw_pm4_umr_row *row)
{
	struct bw_crash_dump *d = &r->dump;
	s->is_aql |= row->packets == BW_PM4_UMR_AQL || row->kind == BW_PM4_UMR_FIELD;
	if (s->is_aql) {
		r->n_aql_packets += row->packets == BW_PM4_UMR_AQL;
		return;
	}
	/* begun anew, or a part is missing */
	if (row->offset_b != s->next_b)
		return;
	if (d->n_words >= BW_CRASH_MAX_WORDS || (s->place == SIZE_MAX && !open_stream(r, s, row))) {
		d->n_left_out++;
		return;
	}
	struct bw_crash_words *words =
		s->is_ring ? &d->rings.data[s->place].words : &d->ibs.data[s->place].words;
	s->next_b += 4;
	d->n_words++;
	bw_crash_report_error(r, bw_vec_push(words, row->word));
	if (!s->is_ring)
		d->ibs.data[s->place].size_dw =
			BW_MAX(d->ibs.data[s->place].size_dw, (uint64_t)words->len);
}

static bool addressed_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	struct bw_pm4_umr_row row;
	if (!bw_pm4_umr_row(line, strlen(line), &row))
		return false;
	struct bw_crash_stream *s = stream_of(r, &row);
	if (!s) {
		begin_stream(r, &row, row.kind == BW_PM4_UMR_HEADER ? row.is_ring : !row.vmid,
			     number);
		s = stream_of(r, &row);
	}
	if (s && row.kind != BW_PM4_UMR_HEADER)
		stream_word(r, s, &row);
	return true;
}

bool bw_crash_umr_ring_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	static const struct {
		const char *heading, *name;
	} headings[] = {{"UMR GFX ring:", "gfx"},
			{"UMR COMPUTE ring:", "comp"},
			{"UMR COMP ring:", "comp"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(headings); i++)
		if (!strcmp(line, headings[i].heading)) {
			r->ring_name = headings[i].name;
			return true;
		}
	return pointer_line(r, line, number) || named_line(r, line, number) ||
	       addressed_line(r, line, number);
}
