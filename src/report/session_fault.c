/* SPDX-License-Identifier: MIT */
/* The page of a session: memory violations, with the walk of the page tables. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/faults.h"
#include "debug/waves.h"
#include "gpuvm/gpuvm.h"
#include "report/report_priv.h"
#include "ui/show.h"

static struct bw_error *say_fault(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	bw_show_fault(o, d, *(const uint32_t *)cookie);
	return NULL;
}

/* "PDB1 entry 0x1f5 at vram 0x3f8: 0x0000000100400021 V S", and what it led to. */
static void tell_step(const struct bw_verdict *v, unsigned i, bool is_last, struct bw_str *out)
{
	const struct bw_walk_step *s = &v->step[i];
	enum bw_gpuvm_gen gen = (enum bw_gpuvm_gen)v->gen;
	bw_str_addf(out, "%s entry 0x%" PRIx64 " at %s 0x%" PRIx64, bw_gpuvm_level_name(s->level),
		    s->index, s->is_system ? "system" : "vram", s->address);
	if (s->is_unreadable) {
		bw_str_add(out, ": cannot be read");
		return;
	}
	bw_str_addf(out, ": 0x%016" PRIx64 " ", s->value);
	bw_gpuvm_entry_flags(gen, s->is_directory, s->value, out);
	struct bw_gpuvm_entry e =
		s->is_directory ? bw_gpuvm_pde(gen, s->value) : bw_gpuvm_pte(gen, s->value);
	if (!is_last)
		bw_str_addf(out, ", leads to the table at %s 0x%" PRIx64,
			    e.system ? "system" : "vram", e.base);
	else if (v->kind == BW_VERDICT_MAPPED)
		bw_str_addf(out, ", maps the page at %s 0x%" PRIx64, e.system ? "system" : "vram",
			    e.base);
}

/* Mapped, but not for the access that was made. */
static bool is_refused(const struct bw_fault_info *f)
{
	const struct bw_verdict *v = &f->verdict;
	if (v->kind != BW_VERDICT_MAPPED)
		return true;
	if (f->is_fetch)
		return !v->executable;
	return f->is_write || f->is_atomic ? !v->writable : !v->readable;
}

static void add_walk(struct bw_report_session *s, const struct bw_fault_info *f)
{
	const struct bw_verdict *v = &f->verdict;
	struct bw_page_tree tree;
	struct bw_str text = {0};
	if (!v->n_steps)
		return;
	bw_page_heading(s->page, "Page walk");
	bw_str_addf(&text, "address 0x%" PRIx64 ", from the root of its address space", f->addr);
	bw_page_tree_begin(s->page, &tree, bw_str_text(&text));
	for (unsigned i = 0; i < v->n_steps; i++) {
		bool is_last = i + 1 == v->n_steps;
		bw_str_clear(&text);
		tell_step(v, i, is_last, &text);
		bw_page_tree_entry(s->page, &tree,
				   is_last && is_refused(f) ? BW_PAGE_BAD : BW_PAGE_GOOD,
				   bw_str_text(&text));
	}
	bw_page_tree_entry(s->page, &tree, is_refused(f) ? BW_PAGE_BAD : BW_PAGE_GOOD, v->text);
	bw_page_tree_end(s->page, &tree);
	bw_str_free(&text);
}

static void add_fault(struct bw_report_session *s, const struct bw_wave_info *w)
{
	struct bw_fault_info f;
	uint32_t number = w->number;
	_cleanup_free_ char *said = bw_report_said(s->debug, say_fault, &number);
	bw_page_lines(s->page, "p", said ? said : "");
	struct bw_error *err = bw_debug_fault(s->debug, number, &f);
	if (!err && f.has_addr)
		add_walk(s, &f);
	bw_error_free(err); /* bw_show_fault has said it */
}

void bw_report_session_fault(struct bw_report_session *s)
{
	enum { MOST = 16 };
	const uint32_t faults = BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR;
	const struct bw_wave_info *focus = bw_debug_focus(s->debug);
	size_t n, n_faults = 0, shown = 0;
	const struct bw_wave_info *waves = bw_debug_waves(s->debug, &n);
	for (size_t i = 0; i < n; i++)
		n_faults += (waves[i].reasons & faults) != 0;
	if (!n_faults)
		return;
	bw_page_section(s->page, "faults", "Memory violations");
	if (focus && focus->reasons & faults) {
		add_fault(s, focus);
		shown++;
	}
	for (size_t i = 0; i < n && shown < MOST; i++) {
		if (!(waves[i].reasons & faults) || (focus && waves[i].number == focus->number))
			continue;
		bw_page_fold(s->page, !shown, "Wave %u", waves[i].number);
		add_fault(s, &waves[i]);
		bw_page_fold_end(s->page);
		shown++;
	}
	if (shown < n_faults)
		bw_page_note(s->page, "%zu more waves have violations, which are left out.",
			     n_faults - shown);
	bw_page_section_end(s->page);
}
