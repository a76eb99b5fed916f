/* SPDX-License-Identifier: MIT */
/* Conclusions from the waves and the program's memory in a hang report, in a few sentences. */
#include "crash/verdict_priv.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/gfx11_extra.h"
#include "arch/gfx12_extra.h"
#include "base/util.h"
#include "crash/trace.h"

static void add_walk(const struct bw_crash_report *r, struct bw_str *out)
{
	if (!r->walk.len)
		return;
	const struct bw_crash_walk_entry *last = &r->walk.data[r->walk.len - 1];
	bw_str_addf(
		out,
		"The files have a page walk of umr, whose last entry (%s 0x%016" PRIx64
		") is %s: \"breakwater vm walk --gfx VERSION --from FILE VMID@ADDRESS\" shows it.\n",
		last->name, last->value, last->value & 1 ? "valid" : "not valid");
}

/* Tells what the program had at the address of a page fault, and the results of page-table walks in
 * the files. */
void bw_crash_tell_range(const struct bw_crash *c, struct bw_str *out)
{
	add_walk(&c->report, out);
	const struct bw_crash_fault *f = c->log.faults.len ? &c->log.faults.data[0] : NULL;
	if (!f || !f->has_address || !c->report.ranges.len)
		return;
	const struct bw_crash_range *range = bw_crash_range_of(&c->report, f->address);
	if (!range)
		bw_str_add(out, "The program had no memory at that address.\n");
	else if (range->is_destroyed)
		bw_str_addf(out,
			    "The program had freed memory at that address (0x%" PRIx64 ", %" PRIu64
			    " bytes): it was used after that.\n",
			    range->va, range->size_b);
	else
		bw_str_addf(out,
			    "The program has memory at that address (0x%" PRIx64 ", %" PRIu64
			    " bytes).\n",
			    range->va, range->size_b);
}

/* ---- waves ---- */

/* Waves at one address. */
struct crowd {
	uint64_t pc;
	size_t n;
};
struct crowds {
	struct crowd *list;
	size_t n, n_waves, n_unknown; /* waves with a PC; those of them in no code of the files */
};

static int by_pc(const void *pa, const void *pb)
{
	const struct crowd *a = pa, *b = pb;
	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int by_number(const void *pa, const void *pb)
{
	const struct crowd *a = pa, *b = pb;
	return a->n != b->n ? (a->n > b->n ? -1 : 1) : by_pc(pa, pb);
}

static bool has_code(const struct bw_crash_report *r, uint64_t pc)
{
	bw_vec_each(&r->pieces, p)
		if (pc >= p->va && pc - p->va < p->words.len * 4)
			return true;
	return false;
}

/* The largest first; list is owned. */
static void find_crowds(const struct bw_crash_report *r, struct crowds *out)
{
	*out = (struct crowds){.list = calloc(r->waves.list.len + 1, sizeof(*out->list))};
	size_t n = 0;
	if (!out->list)
		return;
	bw_vec_each(&r->waves.list, wave) {
		if (bw_crash_wave_pc(wave, &out->list[out->n_waves].pc))
			out->list[out->n_waves++].n = 1;
	}
	qsort(out->list, out->n_waves, sizeof(*out->list), by_pc);
	for (size_t i = 0; i < out->n_waves; i++) {
		if (n && out->list[n - 1].pc == out->list[i].pc)
			out->list[n - 1].n++;
		else
			out->list[n++] = out->list[i];
	}
	out->n = n;
	for (size_t i = 0; i < n && r->pieces.len; i++)
		if (!has_code(r, out->list[i].pc))
			out->n_unknown += out->list[i].n;
	qsort(out->list, n, sizeof(*out->list), by_number);
}

/* The exceptions of waves: in TRAPSTS at the same bits up to gfx11, in EXCP_FLAG_PRIV of gfx12. */
static void add_exceptions(const struct bw_crash_waves *w, struct bw_str *out)
{
	size_t n_viol = 0, n_illegal = 0;
	uint32_t v;
	bw_vec_each(&w->list, wave) {
		bool viol = false, illegal = false;
		if (bw_crash_wave_register(wave, "EXCP_FLAG_PRIV", &v)) {
			viol = v & BW_GFX12_EXCP_FLAG_PRIV__MEMVIOL;
			illegal = v & BW_GFX12_EXCP_FLAG_PRIV__ILLEGAL_INST;
		} else if (bw_crash_wave_register(wave, "TRAPSTS", &v)) {
			viol = v & BW_GFX11_TRAPSTS__MEM_VIOL;
			illegal = v & BW_GFX11_TRAPSTS__ILLEGAL_INST;
		}
		n_viol += viol;
		n_illegal += illegal;
	}
	if (n_viol)
		bw_str_addf(out, "; %zu of them had a memory violation", n_viol);
	if (n_illegal)
		bw_str_addf(out, "; %zu of them met an illegal instruction", n_illegal);
}

/* Tells the places of the waves in the files, those with most waves first. */
void bw_crash_tell_waves(const struct bw_crash *c, struct bw_str *out)
{
	enum { MOST_SAID = 4 };
	const struct bw_crash_report *r = &c->report;
	const struct bw_crash_waves *w = &r->waves;
	uint64_t n = w->list.len + w->n_left_out;
	struct crowds crowds;
	size_t said = 0;
	if (!n)
		return;
	find_crowds(r, &crowds);
	bw_str_addf(out, "The files show %" PRIu64 " wave%s on the GPU", n, n == 1 ? "" : "s");
	for (size_t i = 0; i < crowds.n && i < MOST_SAID; i++) {
		const struct crowd *x = &crowds.list[i];
		const char *text = bw_crash_instruction_at(r, x->pc);
		bw_str_add(out, i ? ", " : ": ");
		if (n == 1 || x->n == n)
			bw_str_add(out, n == 1 ? "at " : "all at ");
		else
			bw_str_addf(out, "%zu at ", x->n);
		bw_str_addf(out, "0x%" PRIx64, x->pc);
		if (text)
			bw_str_addf(out, " (%s)", text);
		said += x->n;
	}
	if (crowds.n_waves > said)
		bw_str_addf(out, ", and %zu at %zu other places", crowds.n_waves - said,
			    crowds.n - MOST_SAID);
	add_exceptions(w, out);
	bw_str_add(out, ".\n");
	if (crowds.n_unknown)
		bw_str_addf(out, "%zu of them stand%s in no code that the files have.\n",
			    crowds.n_unknown, crowds.n_unknown == 1 ? "s" : "");
	free(crowds.list);
}

/* ---- trace points ---- */

/* "dispatch 2", "draw 1"; a packet's name, where it has no number. */
static void add_name(const struct bw_crash_work *w, struct bw_str *out)
{
	char buf[16];
	if (w->number)
		bw_str_addf(out, "%s %u", w->is_compute ? "dispatch" : "draw", w->number);
	else
		bw_str_addf(out, "the %s", bw_pm4_name(w->op, buf));
}

/* "One of dispatch 1, draw 2 and dispatch 3 hangs", "Dispatch 2 hangs" */
static void add_names(const struct bw_crash_trace *t, struct bw_str *out)
{
	enum { MOST_NAMED = 4 };
	size_t begin = out->len;
	unsigned first = t->n_works > MOST_NAMED ? t->n_works - MOST_NAMED : 0;
	unsigned n_more = first + t->n_left_out;
	if (t->n_works > 1)
		bw_str_add(out, "one of ");
	if (n_more)
		bw_str_addf(out, "%u earlier ones, ", n_more);
	for (unsigned i = first; i < t->n_works; i++) {
		bw_str_add_mark(out, i - first, t->n_works - first, " and ");
		add_name(&t->works[i], out);
	}
	if (!out->failed && out->len > begin)
		out->data[begin] = (char)toupper((unsigned char)out->data[begin]);
	bw_str_add(out, " hangs");
}

static void add_work(const struct bw_crash_work *w, struct bw_str *out)
{
	char buf[16];
	bw_str_addf(out, ": a %s", bw_pm4_name(w->op, buf));
	if (w->is_compute && w->number && w->groups[0] != UINT32_MAX)
		bw_str_addf(out, " of [%u,%u,%u] workgroups", w->groups[0], w->groups[1],
			    w->groups[2]);
	if (w->is_compute && w->number && w->group_size[0])
		bw_str_addf(out, "%s of [%u,%u,%u]",
			    w->groups[0] == UINT32_MAX ? " with workgroups" : "", w->group_size[0],
			    w->group_size[1], w->group_size[2]);
}

/* "CS_PARTIAL_FLUSH", "WAIT_REG_MEM" */
static const char *wait_name(const struct bw_pm4_packet *p, char buf[16])
{
	struct bw_pm4_event_write e;
	if (bw_pm4_event_write(p, &e))
		switch (e.type) {
		case BW_PM4_EVENT_CS_PARTIAL_FLUSH:
			return "CS_PARTIAL_FLUSH";
		case BW_PM4_EVENT_VS_PARTIAL_FLUSH:
			return "VS_PARTIAL_FLUSH";
		case BW_PM4_EVENT_PS_PARTIAL_FLUSH:
			return "PS_PARTIAL_FLUSH";
		}
	return bw_pm4_name(p->op, buf);
}

static void add_points(const struct bw_crash_trace *t, struct bw_str *out)
{
	char buf[16];
	if (t->wait.size_dw) {
		bw_str_addf(out, ". It waits for %s to end (%s) before it goes on",
			    t->n_works == 1 ? "it" : "them", wait_name(&t->wait, buf));
		if (t->has_next)
			bw_str_addf(out, " to trace point %u", t->next);
	} else if (t->has_next) {
		bw_str_addf(out, "; trace point %u was not reached", t->next);
	}
	bw_str_add(out, ".\n");
}

static void add_proof(const struct bw_crash_trace *t, struct bw_str *out)
{
	const char *whose = t->n_works == 1 ? "its code" : "their code";
	if (!t->n_waves || !t->n_works)
		return;
	if (!t->n_waves_in_work)
		bw_str_addf(out,
			    "%s on the GPU stands in %s: %s may not have begun, or the waves are "
			    "another program's.\n",
			    t->n_waves == 1 ? "No wave" : "None of the waves", whose,
			    t->n_works == 1 ? "it" : "they");
	else if (t->n_waves_in_work == t->n_waves)
		bw_str_addf(out, "%s wave%s on the GPU stand%s in %s.\n",
			    t->n_waves == 1 ? "The" : "All", t->n_waves == 1 ? "" : "s",
			    t->n_waves == 1 ? "s" : "", whose);
	else
		bw_str_addf(out, "%u of the %" PRIu64 " waves on the GPU stand%s in %s.\n",
			    t->n_waves_in_work, t->n_waves, t->n_waves_in_work == 1 ? "s" : "",
			    whose);
}

/* The shader that was bound to it, where the files do not tell where their code is: RADV writes
 * what was bound at the last trace point. NULL: it is not the only one. */
static const struct bw_crash_shader *bound_shader(const struct bw_crash_report *r, bool is_compute)
{
	const struct bw_crash_shader *found = NULL;
	bw_vec_each(&r->shaders, s) {
		if (!s->pipeline[0] || (strstr(s->stage, "Compute") != NULL) != is_compute)
			continue;
		if (found && (is_compute || strcmp(found->pipeline, s->pipeline) != 0))
			return NULL;
		found = s;
	}
	return found;
}

static void add_shader(const struct bw_crash *c, const struct bw_crash_work *w, struct bw_str *out)
{
	const struct bw_crash_shader *s = bw_crash_shader_of(c, w);
	bool is_known = s != NULL;
	if (!s)
		s = bound_shader(&c->report, w->is_compute);
	if (!s)
		return;
	if (is_known || w->is_compute)
		bw_str_addf(out, "%s is the %s%s%s", is_known ? "Its code" : "What was bound",
			    s->stage, s->pipeline[0] ? " of pipeline " : "", s->pipeline);
	else
		bw_str_addf(out, "Pipeline %s was bound", s->pipeline);
	if (s->spirv[0] && (is_known || w->is_compute))
		bw_str_addf(out, ", made of %s%s", s->spirv,
			    bw_crash_module_of(&c->report, s) ? ""
							      : ", which is not among these files");
	bw_str_add(out, ".\n");
	if (is_known)
		bw_crash_tell_source(&c->report, s, out);
}

/* Points that no line calls reached. */
static void tell_unreached(const struct bw_crash_dump *d, struct bw_str *out)
{
	struct bw_pm4_packet p;
	unsigned number;
	bw_vec_each(&d->ibs, ib) {
		if (ib->va)
			continue;
		for (size_t at = 0; bw_pm4_at(ib->words.data, ib->words.len, at, &p);
		     at += p.size_dw)
			if (bw_crash_is_trace_point(&p, &number)) {
				bw_str_addf(out,
					    "The command processor has not reached trace point %u, "
					    "the first one of the command buffer: what hangs is "
					    "before it, or in an earlier submission.\n",
					    number);
				return;
			}
	}
}

void bw_crash_tell_trace(const struct bw_crash *c, const struct bw_crash_dump *d,
			 struct bw_str *out)
{
	struct bw_crash_trace t;
	char buf[16];
	if (!bw_crash_find_trace(c, d, &t)) {
		tell_unreached(d, out);
		return;
	}
	const struct bw_crash_work *w = t.n_works ? &t.works[t.n_works - 1] : NULL;
	if (!w) {
		bw_str_addf(out,
			    "What hangs comes after trace point %u, the last one that the command "
			    "processor reached, and is neither a draw nor a dispatch",
			    t.reached);
		if (t.stuck.size_dw)
			bw_str_addf(out, ": first there is a %s", wait_name(&t.stuck, buf));
	} else {
		add_names(&t, out);
		if (t.n_works == 1 && !w->is_launched && !w->n_waves)
			bw_str_add(out, ", or the command processor before it");
		if (t.n_works == 1)
			add_work(w, out);
		bw_str_addf(out,
			    ", %s trace point %u, the last one that the command processor reached",
			    !t.n_launched		? "after"
			    : t.n_launched == t.n_works ? "launched before"
							: "around",
			    t.reached);
	}
	add_points(&t, out);
	add_proof(&t, out);
	if (w)
		add_shader(c, w, out);
}
