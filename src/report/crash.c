/* SPDX-License-Identifier: MIT */
/* The page of a crash: the verdict, what it is of, faults with the page walk, events, registers. */
#include "report/report_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"

/* ---- verdict and origin ---- */

void bw_report_crash_verdict(struct bw_crash_page *p)
{
	struct bw_str verdict = {0};
	bw_crash_verdict(p->crash, p->part, &verdict);
	bw_page_section(&p->page, "verdict", "What happened");
	bw_page_lines(&p->page, "p", bw_str_text(&verdict));
	bw_page_section_end(&p->page);
	bw_str_free(&verdict);
}

static void add_origin(struct bw_crash_page *p, const struct bw_crash_dump *d)
{
	char text[160];
	bw_page_section(&p->page, "origin",
			d->style == BW_CRASH_RADV ? "Hang report of RADV" : "Device coredump");
	bw_str_add(&p->page.out, "<table>");
	bw_page_fact(&p->page, d->style == BW_CRASH_RADV ? "Mesa" : "Kernel", d->kernel);
	bw_page_fact(&p->page, "Time", d->time);
	bw_page_fact(&p->page, d->style == BW_CRASH_RADV ? "Application" : "Process", d->process);
	bw_page_fact(&p->page, "Thread", d->thread);
	if (d->pid) {
		snprintf(text, sizeof(text), "%" PRId64, d->pid);
		bw_page_fact(&p->page, d->tgid ? "Thread id" : "Process id", text);
	}
	if (d->has_pasid) {
		snprintf(text, sizeof(text), "PASID %" PRIu64 ", VMID %" PRIu64, d->pasid, d->vmid);
		bw_page_fact(&p->page, "Job", text);
	}
	bw_page_fact(&p->page, "Ring", d->timeout_ring);
	bw_str_add(&p->page.out, "</table>\n");
	if (d->facts.len || d->ips.len) {
		bw_str_add(&p->page.out,
			   "<details><summary>Firmware, memory, versions</summary><table>");
		bw_vec_each(&d->ips, ip) {
			snprintf(text, sizeof(text), "%u.%u.%u", BW_IP_NUMBERS(ip->version));
			bw_page_fact(&p->page, ip->name, text);
		}
		bw_vec_each(&d->facts, f)
			bw_page_fact(&p->page, "", f->text);
		bw_str_add(&p->page.out, "</table></details>\n");
	}
	bw_page_section_end(&p->page);
}

/* ---- faults ---- */

/* The levels on the way to an address, as amdgpu sets its tables up: four, of 512 entries each
 * (doc/hardware/page-tables.md 3). Which of them stopped the walk is in the status word. */
static void add_levels(struct bw_crash_page *p, const struct bw_gpuvm_fault_facts *f)
{
	enum { N_LEVELS = 4 };
	struct bw_gpuvm_status s = bw_gpuvm_status_decode(f->part.gen, f->status);
	const char *error = bw_gpuvm_walker_error_name(f->part.gen, s.walker_error);
	unsigned stop = N_LEVELS;
	for (unsigned i = 0; i < N_LEVELS; i++)
		if (s.walker_error && !strcmp(error, bw_gpuvm_level_name(N_LEVELS - 1 - i)))
			stop = i;
	if (!s.walker_error && (s.permission || s.mapping_error))
		stop = N_LEVELS - 1;
	if (stop == N_LEVELS)
		return; /* it does not say */
	struct bw_page_tree tree;
	char text[160];
	bw_page_heading(&p->page, "Page walk");
	snprintf(text, sizeof(text), "root of VMID %u", f->vmid >= 0 ? (unsigned)f->vmid : s.vmid);
	bw_page_tree_begin(&p->page, &tree, text);
	for (unsigned i = 0; i < N_LEVELS; i++) {
		uint64_t index = f->address >> (39 - 9 * i) & 0x1ff;
		enum bw_page_entry state = i < stop    ? BW_PAGE_GOOD
					   : i == stop ? BW_PAGE_BAD
						       : BW_PAGE_NEVER;
		const char *says = i < stop   ? "led on"
				   : i > stop ? "not reached"
				   : i < 3    ? "the walk stopped here: the entry is not valid"
				   : s.permission & 1
					   ? "the walk stopped here: the page is not valid"
					   : "the walk stopped here: the page does not "
					     "allow this access";
		snprintf(text, sizeof(text), "%s entry 0x%" PRIx64 ": %s",
			 bw_gpuvm_level_name(N_LEVELS - 1 - i), index, says);
		bw_page_tree_entry(&p->page, &tree, state, text);
	}
	bw_page_tree_end(&p->page, &tree);
}

static void add_fault(struct bw_crash_page *p, const struct bw_gpuvm_fault_facts *f,
		      const struct bw_crash_fault *log)
{
	struct bw_gpuvm_fault_story story = {0};
	struct bw_gpuvm_status_field fields[BW_GPUVM_MAX_STATUS_FIELDS];
	bw_gpuvm_fault_tell(f, &story);
	bw_html_element(&p->page.out, "p", bw_str_text(&story.headline));
	if (log)
		bw_str_addf(&p->page.out, "<p class=\"soft\">Lines %u to %u of the kernel log.</p>",
			    log->first_line, log->last_line);
	if (f->has_status && f->has_address && f->status)
		add_levels(p, f);
	if (f->has_status) {
		size_t n = bw_gpuvm_status_fields(&f->part, f->hub, f->status, fields);
		while (f->any_generation && n && strcmp(fields[n - 1].name, "VF") != 0)
			n--;
		bw_str_addf(&p->page.out,
			    "<details><summary>Status 0x%08x</summary><table><tr class=\"head\">"
			    "<th>Field</th><th>Bits</th><th>Value</th><th></th></tr>\n",
			    f->status);
		for (size_t i = 0; i < n; i++) {
			struct bw_str meaning = {0};
			bw_gpuvm_fault_field(f, &fields[i], &meaning);
			bw_str_addf(&p->page.out, "<tr><td>%s</td><td>%u:%u</td><td>0x%x</td>",
				    fields[i].name, fields[i].hi, fields[i].lo, fields[i].value);
			bw_html_element(&p->page.out, "td", bw_str_text(&meaning));
			bw_str_add(&p->page.out, "</tr>\n");
			bw_str_free(&meaning);
		}
		bw_str_add(&p->page.out, "</table></details>\n");
	}
	if (story.next.len) {
		bw_str_add(&p->page.out, "<h3>What to look at</h3><ul>");
		bw_page_lines(&p->page, "li", bw_str_text(&story.next));
		bw_str_add(&p->page.out, "</ul>\n");
	}
	bw_gpuvm_fault_story_free(&story);
}

/* Entries that umr -vm has printed, each below the one that led to it. */
static void add_walk(struct bw_crash_page *p)
{
	const struct bw_crash_report *r = &p->crash->report;
	enum bw_gpuvm_gen gen = BW_GPUVM_GFX11;
	struct bw_gpuvm_part part;
	struct bw_page_tree tree;
	bw_vec_each(&p->crash->dumps, d)
		if (bw_crash_part(d, &part))
			gen = part.gen;
	if (p->part)
		gen = p->part->gen;
	if (!r->walk.len)
		return;
	bw_page_heading(&p->page, "Page walk, by umr");
	bw_page_tree_begin(&p->page, &tree, "root");
	bw_vec_each(&r->walk, e) {
		bool is_pte = bw_starts_with(e->name, "PT"), is_valid = e->value & 1;
		struct bw_str text = {0};
		/* a walk begins anew at the level at which the first one did */
		if (!strcmp(e->name, r->walk.data[0].name))
			bw_page_tree_restart(&p->page, &tree);
		bw_str_addf(&text, "%s at 0x%" PRIx64 ": 0x%016" PRIx64 " ", e->name, e->address,
			    e->value);
		bw_gpuvm_entry_flags(gen, !is_pte, e->value, &text);
		bw_str_add(&text, is_valid ? "" : ": not valid");
		bw_page_tree_entry(&p->page, &tree, is_valid ? BW_PAGE_GOOD : BW_PAGE_BAD,
				   bw_str_text(&text));
		bw_str_free(&text);
	}
	bw_page_tree_end(&p->page, &tree);
}

static void add_faults(struct bw_crash_page *p)
{
	enum { MOST = 50 };
	const struct bw_crash_log *log = &p->crash->log;
	struct bw_gpuvm_fault_facts f;
	struct bw_gpuvm_part own;
	bool any = log->faults.len || p->crash->report.walk.len;
	bw_vec_each(&p->crash->dumps, d)
		any |= d->has_fault && d->fault_status;
	if (!any)
		return;
	bw_page_section(&p->page, "faults", "Page faults");
	bw_vec_each(&p->crash->dumps, d)
		if (bw_crash_dump_fault(d,
					p->part			 ? p->part
					: bw_crash_part(d, &own) ? &own
								 : NULL,
					&f)) {
			bw_str_add(&p->page.out,
				   "<p class=\"soft\">The last one that the dump has; it "
				   "may be old.</p>");
			add_fault(p, &f, NULL);
		}
	for (size_t i = 0; i < log->faults.len && i < MOST; i++) {
		f = bw_crash_fault_facts(log, &log->faults.data[i],
					 bw_crash_log_part(p->crash, p->part, &own));
		if (log->faults.len > 1)
			bw_str_addf(&p->page.out, "<details%s><summary>Fault %zu of %zu</summary>",
				    i ? "" : " open", i + 1, log->faults.len);
		add_fault(p, &f, &log->faults.data[i]);
		bw_str_add(&p->page.out, log->faults.len > 1 ? "</details>\n" : "\n");
	}
	if (log->faults.len > MOST)
		bw_str_addf(&p->page.out, "<p class=\"soft\">%zu more are left out.</p>",
			    log->faults.len - MOST);
	add_walk(p);
	bw_page_section_end(&p->page);
}

/* ---- the log ---- */

static void add_events(struct bw_crash_page *p)
{
	const struct bw_crash_log *log = &p->crash->log;
	if (!log->events.len)
		return;
	bw_page_section(&p->page, "events", "Kernel log");
	bw_str_add(&p->page.out,
		   "<table><tr class=\"head\"><th>Line</th><th>What</th><th>Message</th>"
		   "</tr>\n");
	for (size_t i = 0; i < log->events.len && i < BW_REPORT_EVENTS; i++) {
		const struct bw_crash_event *e = &log->events.data[i];
		bw_str_addf(&p->page.out, "<tr><td>%u</td>", e->line);
		bw_html_element(&p->page.out, "td", bw_crash_event_name(e->kind));
		bw_html_element(&p->page.out, "td", e->text);
		bw_str_add(&p->page.out, "</tr>\n");
	}
	bw_str_add(&p->page.out, "</table></section>\n");
}

/* ---- registers and the rest ---- */

/* Fields that are not 0: what a reader looks for in a status register. */
static void add_fields(struct bw_crash_page *p, const struct bw_regs_block *gc,
		       const struct bw_crash_register *r)
{
	struct bw_reg reg;
	struct bw_reg_field_value f[32];
	if (!gc || !bw_regs_lookup(gc, r->name, &reg) || reg.n_fields < 2)
		return;
	size_t n = BW_MIN(bw_reg_decode(&reg, r->value, f, BW_ARRAY_SIZE(f)), BW_ARRAY_SIZE(f));
	for (size_t i = 0; i < n; i++) {
		if (!f[i].value)
			continue;
		bw_html_text(&p->page.out, f[i].field.name);
		if (f[i].value > 1)
			bw_str_addf(&p->page.out, "=0x%" PRIx64, f[i].value);
		bw_str_add(&p->page.out, " ");
	}
}

static void add_registers(struct bw_crash_page *p, const struct bw_crash_dump *d,
			  const struct bw_gpuvm_part *part)
{
	const struct bw_regs_block *gc = NULL;
	uint32_t block = UINT32_MAX;
	size_t shown = 0;
	if (!d->registers.len)
		return;
	if (part)
		bw_error_free(bw_regs_find("gc", part->gc, &gc));
	bw_page_section(&p->page, "registers", "Registers");
	bw_vec_each(&d->registers, r) {
		const struct bw_crash_block *b = &d->blocks.data[r->block];
		if (p->room.registers >= BW_REPORT_REGISTERS)
			break;
		if (r->block != block) {
			bw_str_addf(&p->page.out, "%s<details%s><summary>",
				    block == UINT32_MAX ? "" : "</table></details>\n",
				    block == UINT32_MAX ? " open" : "");
			bw_html_textf(&p->page.out, "%s%s%s", b->ip, *b->part ? ", " : "", b->part);
			bw_str_add(&p->page.out, "</summary><table>");
		}
		block = r->block;
		bw_str_add(&p->page.out, "<tr>");
		bw_html_element(&p->page.out, "td", r->name);
		bw_str_addf(&p->page.out, "<td>0x%08x</td><td>", r->value);
		add_fields(p, gc, r);
		bw_str_add(&p->page.out, "</td></tr>\n");
		p->room.registers++;
		shown++;
	}
	if (shown)
		bw_str_add(&p->page.out, "</table></details>\n");
	if (shown < d->registers.len)
		bw_str_addf(&p->page.out, "<p class=\"soft\">%zu more are left out.</p>",
			    d->registers.len - shown);
	bw_page_section_end(&p->page);
}

static void add_notes(struct bw_crash_page *p, const char *title, const struct bw_crash_note *notes,
		      size_t n, unsigned n_all)
{
	if (!n_all)
		return;
	bw_str_add(&p->page.out, "<details><summary>");
	bw_html_textf(&p->page.out, "%s (%u)", title, n_all);
	bw_str_add(&p->page.out, "</summary><table>");
	for (size_t i = 0; i < n; i++) {
		bw_str_addf(&p->page.out, "<tr><td>line %u</td>", notes[i].line);
		bw_html_element(&p->page.out, "td", notes[i].text);
		bw_str_add(&p->page.out, "</tr>\n");
	}
	bw_str_add(&p->page.out, "</table></details>\n");
}

static void add_rest(struct bw_crash_page *p, const struct bw_crash_dump *d)
{
	if (!d->n_damaged && !d->n_unknown && !d->n_left_out)
		return;
	bw_page_section(&p->page, "rest", "Damage, and what is not understood");
	add_notes(p, "Damage", d->damaged.data, d->damaged.len, d->n_damaged);
	add_notes(p, "Lines that are not understood", d->unknown.data, d->unknown.len,
		  d->n_unknown);
	if (d->n_left_out)
		bw_str_addf(&p->page.out,
			    "<p>%u registers, words or blocks are left out: there are too many."
			    "</p>",
			    d->n_left_out);
	bw_page_section_end(&p->page);
}

/* ---- all of it ---- */

struct bw_error *bw_report_crash_begin(struct bw_crash_page *p)
{
	struct bw_error *err = NULL;
	add_faults(p);
	bw_vec_each(&p->crash->dumps, d) {
		struct bw_gpuvm_part own;
		const struct bw_gpuvm_part *part = p->part		    ? p->part
						   : bw_crash_part(d, &own) ? &own
									    : NULL;
		add_origin(p, d);
		if (!err)
			err = bw_report_crash_streams(p, d, part);
	}
	return err;
}

void bw_report_crash_end(struct bw_crash_page *p)
{
	add_events(p);
	bw_vec_each(&p->crash->dumps, d) {
		struct bw_gpuvm_part own;
		add_registers(p, d, p->part ? p->part : bw_crash_part(d, &own) ? &own : NULL);
		add_rest(p, d);
	}
}
