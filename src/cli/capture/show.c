/* SPDX-License-Identifier: MIT */
/* breakwater capture info, list and show: what a capture holds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/shown.h"
#include "base/table.h"
#include "base/util.h"
#include "capture/seek.h"
#include "cli/capture/capture.h"
#include "cli/capture/show.h"
#include "cli/look/look.h"

static const char usage[] =
	"Usage: breakwater capture info FILE [--json]\n"
	"       breakwater capture list FILE [--json]\n"
	"       breakwater capture show FILE NUMBER [--json]\n"
	"\n"
	"What a capture holds: the GPU and the whole of it (info), its submissions (list), one submission with its\n"
	"command buffers, dispatches, what these were given, and buffers (show).\n";

static const struct bw_option rows[] = {BW_LOOK_END};

const struct bw_command_line bw_line_capture_show = {
	.name = "breakwater capture info",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.word = bw_look_take_word,
};

struct show {
	struct bw_look look;
	const char *word; /* info, list or show */
	struct bw_capture_reader *r;
};

/* Writes what the capture lacks, as a sentence; false: nothing. */
static bool whats_missing(const struct bw_capture_reader *r, struct bw_str *out)
{
	size_t n, n_running = 0;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	uint64_t skipped_b = bw_capture_reader_skipped_b(r);
	if (n && !e[n - 1].has_result)
		n_running = 1;
	if (!bw_capture_reader_is_whole(r))
		bw_str_addf(out, "It has no end: it was cut off, or is being written. %s",
			    !n		? "It holds no submission."
			    : n_running ? "What the last submission has changed is not in it."
					: "All that it lists is whole.");
	if (skipped_b)
		bw_str_addf(out, "%s%" PRIu64 " bytes are damaged and were skipped.",
			    out->len ? " " : "", skipped_b);
	return out->len;
}

static void show_missing(struct show *s)
{
	struct bw_str text = {0};
	if (whats_missing(s->r, &text))
		bw_out_line(s->look.out, "%s", bw_str_text(&text));
	bw_str_free(&text);
}

static void result_text(const struct bw_capture_entry *e, char *out, size_t room)
{
	if (!e->has_result)
		snprintf(out, room, "not known");
	else if (e->result.has_ended && !e->result.result)
		snprintf(out, room, "done");
	else
		bw_capture_how(&e->result, out, room);
}

/* ---- info ---- */

static struct bw_error *show_info(struct show *s)
{
	struct bw_out *o = s->look.out;
	const struct bw_capture_device *d = bw_capture_reader_device(s->r);
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(s->r, &n);
	uint64_t n_dispatches = 0, n_draws = 0, n_failed = 0;
	uint32_t n_spaces = 0;
	/* numbers rise; those of a ring begin where it does */
	uint64_t n_left_out = n ? e[n - 1].summary.number - n : 0;
	for (size_t i = 0; i < n; i++) {
		n_dispatches += e[i].summary.n_dispatches;
		n_draws += e[i].summary.n_draws;
		n_failed += e[i].has_result && (e[i].result.result || !e[i].result.has_ended);
		n_spaces = BW_MAX(n_spaces, e[i].summary.space);
	}
	bw_out_begin(o, "command", "capture info");
	bw_out_line(o, "GPU          %s%s, %s", *d->name ? bw_shown(d->name).text : "not known",
		    d->is_virtual ? " (virtual)" : "", bw_shown(d->pci_address).text);
	bw_out_line(o, "Made by      %s", bw_shown(d->made_by).text);
	char draws[40] = "";
	if (n_draws)
		snprintf(draws, sizeof(draws), " and %" PRIu64 " draw%s", n_draws,
			 n_draws == 1 ? "" : "s");
	bw_out_line(o,
		    "Submissions  %zu, with %" PRIu64 " dispatch%s%s; %" PRIu64
		    " failed or did not end",
		    n, n_dispatches, n_dispatches == 1 ? "" : "es", draws, n_failed);
	if (n_left_out)
		bw_out_line(o, "             from %u to %u; %" PRIu64 " other%s not in it",
			    e[0].summary.number, e[n - 1].summary.number, n_left_out,
			    n_left_out == 1 ? " is" : "s are");
	bw_out_line(o, "Spaces       %u address space%s", n_spaces, n_spaces == 1 ? "" : "s");
	bw_out_line(o,
		    "Memory       %" PRIu64 " different pages, %" PRIu64
		    " KiB; the file has %" PRIu64 " KiB",
		    bw_capture_reader_pages(s->r),
		    bw_capture_reader_pages(s->r) * (BW_CAPTURE_PAGE_B / 1024),
		    (bw_capture_reader_size(s->r) + 1023) / 1024);
	show_missing(s);
	bw_out_str(o, "gpu", d->name);
	bw_out_bool(o, "virtual", d->is_virtual);
	bw_out_str(o, "pci", d->pci_address);
	bw_out_str(o, "made_by", d->made_by);
	bw_out_int(o, "version", bw_capture_reader_version(s->r));
	bw_out_int(o, "submissions", (int64_t)n);
	bw_out_int(o, "left_out", (int64_t)n_left_out);
	bw_out_int(o, "dispatches", (int64_t)n_dispatches);
	bw_out_int(o, "draws", (int64_t)n_draws);
	bw_out_int(o, "failed", (int64_t)n_failed);
	bw_out_int(o, "spaces", n_spaces);
	bw_out_int(o, "pages", (int64_t)bw_capture_reader_pages(s->r));
	bw_out_int(o, "bytes", (int64_t)bw_capture_reader_size(s->r));
	bw_out_bool(o, "whole", bw_capture_reader_is_whole(s->r));
	bw_out_int(o, "damaged_bytes", (int64_t)bw_capture_reader_skipped_b(s->r));
	bw_out_end(o);
	return NULL;
}

/* ---- list ---- */

struct entry_row {
	struct bw_capture_summary m;
	char ring[40], outcome[80];
	uint64_t mapped_kib, cpu_kib, gpu_kib;
	bool is_seen;
};

static const struct bw_fact entry_rows[] = {
	{"Number", "number", "number", BW_OF(struct entry_row, m.number)},
	{"Process", "comm", "text", BW_OF(struct entry_row, m.comm)},
	{"PID", "pid", "count", BW_OF(struct entry_row, m.pid)},
	{"Space", "space", "count", BW_OF(struct entry_row, m.space)},
	{"Ring", "ring", "text", BW_OF(struct entry_row, ring)},
	{"Dispatches", "dispatches", "count", BW_OF(struct entry_row, m.n_dispatches)},
	{"Draws", "draws", "count", BW_OF(struct entry_row, m.n_draws)},
	{"Frame", "frame", "number?", BW_OF(struct entry_row, m.frame)},
	{"IBs", "ibs", "count", BW_OF(struct entry_row, m.n_ibs)},
	{"IB bytes", "ib_bytes", "count", BW_OF(struct entry_row, m.ib_b)},
	{"Mapped KiB", "mapped_kib", "count", BW_OF(struct entry_row, mapped_kib)},
	{"CPU KiB", "cpu_kib", "count", BW_OF(struct entry_row, cpu_kib)},
	{"GPU KiB", "gpu_kib", "count?", BW_OF(struct entry_row, gpu_kib),
	 BW_IF(struct entry_row, is_seen)},
	{"Result", "outcome", "text", BW_OF(struct entry_row, outcome)},
};
BW_FACTS(entry_facts, "capture list", "submissions", entry_rows);

static struct bw_error *show_list(struct show *s)
{
	struct bw_table t;
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(s->r, &n);
	bw_table_begin(&t, &entry_facts);
	for (size_t i = 0; i < n; i++) {
		const struct bw_capture_summary *m = &e[i].summary;
		const struct bw_capture_result *done = &e[i].result;
		struct entry_row r = {
			.m = *m,
			.mapped_kib = m->mapped_b / 1024,
			.cpu_kib = m->changed_b / 1024,
			.gpu_kib = (uint64_t)done->changed_pages * (BW_CAPTURE_PAGE_B / 1024),
			.is_seen = e[i].has_result && done->has_ended && bw_capture_is_seen(done)};
		result_text(&e[i], r.outcome, sizeof(r.outcome));
		bw_capture_ring_text(m, false, r.ring, sizeof(r.ring));
		bw_table_row(&t, &r);
	}
	bw_out_begin(s->look.out, "command", "capture list");
	bw_out_table(s->look.out, &t, "It holds no submission.");
	show_missing(s);
	bw_out_bool(s->look.out, "whole", bw_capture_reader_is_whole(s->r));
	bw_out_end(s->look.out);
	bw_table_fini(&t);
	return NULL;
}

/* ---- show ---- */

struct ib_row {
	uint64_t number;
	struct bw_capture_ib ib;
};

static void ib_ring(struct bw_table *t, const void *of)
{
	const struct bw_capture_ib *ib = &((const struct ib_row *)of)->ib;
	bw_table_text(t, "%s %u", bw_capture_ip_name(ib->ip_type), ib->ring);
}

static const struct bw_fact ib_rows[] = {
	{"IB", "ib", "count", BW_OF(struct ib_row, number)},
	{"Address", "va", "hex", BW_OF(struct ib_row, ib.va)},
	{"Bytes", "bytes", "count", BW_OF(struct ib_row, ib.size_b)},
	{"Ring", "ring", "text", BW_GET(ib_ring)},
	{"Flags", "flags", "hex", BW_OF(struct ib_row, ib.flags)},
};
BW_FACTS(ib_facts, "capture ibs", "ibs", ib_rows);

static void show_ibs(struct show *s, const struct bw_capture_submission *sub)
{
	struct bw_table t;
	bw_table_begin(&t, &ib_facts);
	for (size_t i = 0; i < sub->ibs.len; i++) {
		struct ib_row r = {i, sub->ibs.data[i]};
		bw_table_row(&t, &r);
	}
	bw_out_table(s->look.out, &t, "No IBs.");
	bw_table_fini(&t);
}

struct dispatch_row {
	uint64_t number;
	struct bw_capture_dispatch d;
	const char *label;
};

static void groups(struct bw_table *t, const void *of)
{
	const struct bw_capture_dispatch *d = &((const struct dispatch_row *)of)->d;
	if (!d->indirect_va)
		bw_table_text(t, "%u,%u,%u", d->groups[0], d->groups[1], d->groups[2]);
}

static void group_size(struct bw_table *t, const void *of)
{
	const uint32_t *dim = ((const struct dispatch_row *)of)->d.group_size;
	bw_table_text(t, "%u,%u,%u", dim[0], dim[1], dim[2]);
}

static void hash(struct bw_table *t, const void *of)
{
	const struct dispatch_row *r = of;
	if (r->d.hash)
		bw_table_text(t, "%016" PRIx64, r->d.hash);
}

static const struct bw_fact dispatch_rows[] = {
	{"Dispatch", "dispatch", "count", BW_OF(struct dispatch_row, number)},
	{"Packet", "packet", "hex", BW_OF(struct dispatch_row, d.packet_va)},
	{"Code", "code", "hex", BW_OF(struct dispatch_row, d.code_va)},
	{"Groups", "groups", "text?", BW_GET(groups)},
	{"Group size", "group_size", "text", BW_GET(group_size)},
	{"Pipeline", "pipeline", "text", BW_OF(struct dispatch_row, d.pipeline)},
	{"SPIR-V", "hash", "text?", BW_GET(hash)},
	{"Record", "record", "number?", BW_OF(struct dispatch_row, d.made_of)},
	{"Label", "label", "text", BW_OF(struct dispatch_row, label)},
};
BW_FACTS(dispatch_facts, "capture dispatches", "dispatches", dispatch_rows);

static void show_dispatches(struct show *s, const struct bw_capture_submission *sub)
{
	struct bw_table t;
	bw_table_begin(&t, &dispatch_facts);
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &sub->dispatches.data[i];
		struct dispatch_row r = {i, *d, bw_capture_label(sub, d)};
		if (!d->draw)
			bw_table_row(&t, &r);
	}
	/* its draws are a table of their own */
	if (bw_table_rows(&t) || !sub->draws.len || bw_out_is_json(s->look.out))
		bw_out_table(s->look.out, &t, "No dispatches.");
	bw_table_fini(&t);
}

struct record_row {
	uint32_t record, push_b, subgroup;
	uint64_t n_sets, n_bindings, n_constants, spirv_b, code_b;
	const char *entry;
};

static const struct bw_fact record_rows[] = {
	{"Record", "record", "number", BW_OF(struct record_row, record)},
	{"Entry point", "entry", "text", BW_OF(struct record_row, entry)},
	{"Sets", "sets", "count", BW_OF(struct record_row, n_sets)},
	{"Bindings", "bindings", "count", BW_OF(struct record_row, n_bindings)},
	{"Push constants", "push_bytes", "count", BW_OF(struct record_row, push_b)},
	{"Constants", "constants", "count", BW_OF(struct record_row, n_constants)},
	{"Subgroup", "subgroup", "number?", BW_OF(struct record_row, subgroup)},
	{"SPIR-V bytes", "spirv_bytes", "count", BW_OF(struct record_row, spirv_b)},
	{"Code object bytes", "code_bytes", "count", BW_OF(struct record_row, code_b)},
};
BW_FACTS(record_facts, "capture records", "records", record_rows);

struct seen {
	uint64_t id;
};

struct records {
	struct BW_TABLE(struct seen) seen;
	uint32_t n_damaged;
	struct bw_table t;
};

static struct bw_error *show_pipeline(struct show *s, uint32_t number, struct records *all)
{
	struct bw_capture_pipeline p = {0};
	if (!number || bw_table_find(&all->seen, number))
		return NULL;
	BW_TRY(bw_table_add(&all->seen, (struct seen){number}));
	struct bw_error *err = bw_capture_reader_pipeline(s->r, number, &p);
	if (err && (err->code == BW_E_INVALID || err->code == BW_E_NOT_FOUND)) {
		bw_error_free(err);
		all->n_damaged++;
		return NULL;
	}
	BW_TRY(err);
	struct record_row r = {.record = number,
			       .entry = p.head.entry,
			       .n_sets = p.sets.len,
			       .n_bindings = p.bindings.len,
			       .n_constants = p.constants.len,
			       .subgroup = p.head.subgroup,
			       .spirv_b = p.spirv.len * sizeof(uint32_t),
			       .code_b = p.code.len};
	bw_vec_each(&p.pushes, push)
		r.push_b = BW_MAX(r.push_b, push->offset_b + push->size_b);
	bw_table_row(&all->t, &r);
	bw_capture_pipeline_fini(&p);
	return NULL;
}

/* Shows the sources of the pipelines of its dispatches and draws, each once. */
static struct bw_error *show_pipelines(struct show *s, const struct bw_capture_submission *sub)
{
	struct records all = {0};
	struct bw_error *err = NULL;
	bw_table_begin(&all.t, &record_facts);
	for (size_t i = 0; !err && i < sub->dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &sub->dispatches.data[i];
		err = show_pipeline(s, d->made_of, &all);
		if (!err && d->draw)
			err = show_pipeline(s, bw_capture_draw_of(sub, d)->made_of, &all);
	}
	if (!err && all.seen.len > all.n_damaged)
		bw_out_table(s->look.out, &all.t, "");
	if (all.n_damaged)
		bw_out_line(s->look.out,
			    "%u record%s of pipelines cannot be read: the capture is damaged.",
			    all.n_damaged, all.n_damaged == 1 ? "" : "s");
	bw_table_fini(&all.t);
	bw_table_free(&all.seen);
	return err;
}

/* The columns of a buffer that come from memory. */
struct seen_buffer {
	uint64_t va, cpu_pages, gpu_pages;
	bool is_mapped;
};

/* Makes one for each buffer of the space, in one pass over the maps and runs. The caller owns the
 * array; NULL: out of memory. */
static struct seen_buffer *see_buffers(const struct bw_capture_space *space,
				       const struct bw_capture_runs *before,
				       const struct bw_capture_runs *after)
{
	const struct bw_capture_state_buffer *b;
	struct seen_buffer *seen = calloc(space->buffers.len + 1, sizeof(*seen));
	if (!seen)
		return NULL;
#define SEEN_OF(id)                                                                                \
	((b = bw_capture_space_buffer(space, (id))) ? &seen[b - space->buffers.data]               \
						    : &seen[space->buffers.len])
	bw_vec_each(before, run)
		SEEN_OF(run->buffer)->cpu_pages += run->count;
	for (size_t i = 0; after && i < after->len; i++)
		SEEN_OF(after->data[i].buffer)->gpu_pages += after->data[i].count;
	bw_vec_each(&space->maps, m) {
		struct seen_buffer *one = SEEN_OF(m->buffer);
		if (m->offset_b || !m->size_b || one->is_mapped)
			continue;
		one->is_mapped = true;
		one->va = m->va;
	}
#undef SEEN_OF
	return seen;
}

struct buffer_row {
	struct bw_capture_buffer b;
	struct seen_buffer seen;
	bool has_after;
};

static void domains(struct bw_table *t, const void *of)
{
	const struct bw_capture_buffer *b = &((const struct buffer_row *)of)->b;
	/* AMDGPU_GEM_DOMAIN_* */
	bw_table_text(t, "%s",
		      b->flags & BW_CAPTURE_USERPTR ? "user"
		      : b->domains & 4		    ? "VRAM"
		      : b->domains & 2		    ? "GTT"
						    : "other");
}

static const struct bw_fact buffer_rows[] = {
	{"Buffer", "buffer", "number", BW_OF(struct buffer_row, b.id)},
	{"Address", "va", "hex?", BW_OF(struct buffer_row, seen.va),
	 BW_IF(struct buffer_row, seen.is_mapped)},
	{"Bytes", "bytes", "count", BW_OF(struct buffer_row, b.size_b)},
	{"Domains", "domains", "VRAM|GTT|user|other", BW_GET(domains)},
	{"CPU pages", "cpu_pages", "count", BW_OF(struct buffer_row, seen.cpu_pages)},
	{"GPU pages", "gpu_pages", "count?", BW_OF(struct buffer_row, seen.gpu_pages),
	 BW_IF(struct buffer_row, has_after)},
};
BW_FACTS(buffer_facts, "capture buffers", "buffers", buffer_rows);

/* after: NULL where the capture has no memory after it */
static struct bw_error *show_buffers(struct show *s, const struct bw_capture_space *space,
				     const struct bw_capture_runs *before,
				     const struct bw_capture_runs *after)
{
	_cleanup_free_ struct seen_buffer *seen = see_buffers(space, before, after);
	struct bw_table t;
	if (!seen)
		return bw_error_nomem();
	bw_table_begin(&t, &buffer_facts);
	for (size_t i = 0; i < space->buffers.len; i++) {
		struct buffer_row r = {space->buffers.data[i].info, seen[i], after != NULL};
		bw_table_row(&t, &r);
	}
	bw_out_table(s->look.out, &t, "No buffers.");
	bw_table_fini(&t);
	return NULL;
}

/* Reads what the submission has changed. If that is damaged, it counts as lost. */
static struct bw_error *read_result(struct show *s, const struct bw_capture_entry *e,
				    struct bw_capture_space *space, struct bw_capture_runs *out)
{
	if (!e->has_result)
		return NULL;
	struct bw_error *err = bw_capture_reader_result(s->r, e, out);
	if (bw_error_catch(&err, BW_E_INVALID))
		space->n_lost++;
	return err;
}

static struct bw_error *show_one(struct show *s)
{
	struct bw_out *o = s->look.out;
	size_t n, at = 0;
	uint64_t number = 0;
	const struct bw_capture_entry *e = bw_capture_reader_entries(s->r, &n);
	BW_TRY(bw_look_number("show FILE", s->look.words[1], &number));
	BW_TRY(bw_capture_find(s->r, number, &at));
	struct bw_capture_space space = {0};
	struct bw_capture_submission sub = {0};
	struct bw_capture_runs after = {0};
	struct bw_error *err = bw_capture_seek(s->r, at, &space, &sub);
	if (!err)
		err = read_result(s, &e[at], &space, &after);
	bool is_unseen = e[at].has_result && !bw_capture_is_seen(&e[at].result);
	if (!err) {
		char result[80], ring[32], short_ring[32];
		result_text(&e[at], result, sizeof(result));
		bw_capture_ring_text(&e[at].summary, true, ring, sizeof(ring));
		bw_capture_ring_text(&e[at].summary, false, short_ring, sizeof(short_ring));
		bw_out_begin(o, "command", "capture show");
		bw_out_line(o, "Submission %" PRIu64 " of %s, process %u, address space %u, %s: %s",
			    number, bw_shown(e[at].summary.comm).text, e[at].summary.pid,
			    e[at].summary.space, ring, result);
		bw_out_int(o, "number", (int64_t)number);
		bw_out_str(o, "comm", e[at].summary.comm);
		bw_out_int(o, "pid", e[at].summary.pid);
		bw_out_int(o, "space", e[at].summary.space);
		bw_out_str(o, "ring", short_ring);
		bw_out_str(o, "outcome", result);
		show_ibs(s, &sub);
		show_dispatches(s, &sub);
		bw_capture_show_draws(o, &sub);
		err = show_pipelines(s, &sub);
		if (!err)
			err = show_buffers(s, &space, &sub.runs, is_unseen ? NULL : &after);
		if (!err)
			bw_capture_show_given(o, &space, &sub);
		if (!err && is_unseen)
			bw_out_line(o, "Nobody has looked at memory after it: what it has changed "
				       "is in the result of a later submission.");
		if (space.n_lost)
			bw_out_line(o,
				    "The capture is damaged: of this submission and those before "
				    "it %u record%s left out, and what they say of memory is "
				    "missing.",
				    space.n_lost, space.n_lost == 1 ? " was" : "s were");
		bw_out_int(o, "lost_records", space.n_lost);
		bw_out_end(o);
	}
	bw_capture_space_fini(&space);
	bw_capture_submission_fini(&sub);
	bw_vec_free(&after);
	return err;
}

static struct bw_error *run_capture_show(struct bw_look *l)
{
	struct show *s = l->cookie;
	bool one = !strcmp(s->word, "show");
	if (l->n_words != (one ? 2 : 1))
		return bw_errorf(BW_E_INVALID, "capture %s wants %s (see --help)", s->word,
				 one ? "a capture and the number of a submission" : "a capture");
	BW_TRY(bw_capture_reader_open(l->words[0], &s->r));
	struct bw_error *err = one			 ? show_one(s)
			       : strcmp(s->word, "list") ? show_info(s)
							 : show_list(s);
	bw_capture_reader_close(s->r);
	return err;
}

int bw_main_capture_show(int argc, char **argv)
{
	struct show s = {.word = argv[0]};
	s.look.cookie = &s;
	return bw_look_main(&s.look, &bw_line_capture_show, argc, argv, run_capture_show);
}
