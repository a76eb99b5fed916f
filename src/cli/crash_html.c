/* SPDX-License-Identifier: MIT */
/* The page of a crash: the verdict, what it is of, faults with the page walk, events, registers. */
#include "cli/crash_html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"
#include "cli/html.h"

/* html/crash.css and html/crash.js, by bin2c.py */
extern const unsigned char bw_html_css[], bw_html_js[];
extern const unsigned long bw_html_css_size, bw_html_js_size;

void bw_crash_html_section(struct bw_crash_page *p, const char *id, const char *title)
{
	bw_str_addf(&p->out, "<section id=\"%s\">", id);
	bw_html_element(&p->out, "h2", title);
	bw_str_add(&p->out, "\n");
}

static void add_row(struct bw_str *s, const char *name, const char *value)
{
	if (!*value)
		return;
	bw_str_add(s, "<tr>");
	bw_html_element(s, "th", name);
	bw_html_element(s, "td", value);
	bw_str_add(s, "</tr>\n");
}

/* ---- verdict and origin ---- */

static void add_lines(struct bw_str *s, const char *tag, const char *lines)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");
		struct bw_str line = {0};
		bw_str_addn(&line, lines, n);
		bw_html_element(s, tag, bw_str_text(&line));
		bw_str_add(s, "\n");
		bw_str_free(&line);
		lines += n + (lines[n] == '\n');
	}
}

static void add_verdict(struct bw_crash_page *p)
{
	struct bw_str verdict = {0};
	bw_crash_verdict(p->crash, p->part, &verdict);
	bw_crash_html_section(p, "verdict", "What happened");
	add_lines(&p->out, "p", bw_str_text(&verdict));
	bw_str_add(&p->out, "</section>\n");
	bw_str_free(&verdict);
}

static void add_origin(struct bw_crash_page *p, const struct bw_crash_dump *d)
{
	char text[160];
	bw_crash_html_section(
		p, "origin", d->style == BW_CRASH_RADV ? "Hang report of RADV" : "Device coredump");
	bw_str_add(&p->out, "<table>");
	add_row(&p->out, d->style == BW_CRASH_RADV ? "Mesa" : "Kernel", d->kernel);
	add_row(&p->out, "Time", d->time);
	add_row(&p->out, d->style == BW_CRASH_RADV ? "Application" : "Process", d->process);
	add_row(&p->out, "Thread", d->thread);
	if (d->pid) {
		snprintf(text, sizeof(text), "%" PRId64, d->pid);
		add_row(&p->out, d->tgid ? "Thread id" : "Process id", text);
	}
	if (d->has_pasid) {
		snprintf(text, sizeof(text), "PASID %" PRIu64 ", VMID %" PRIu64, d->pasid, d->vmid);
		add_row(&p->out, "Job", text);
	}
	add_row(&p->out, "Ring", d->timeout_ring);
	bw_str_add(&p->out, "</table>\n");
	if (d->facts.len || d->ips.len) {
		bw_str_add(&p->out,
			   "<details><summary>Firmware, memory, versions</summary><table>");
		bw_vec_each(&d->ips, ip) {
			snprintf(text, sizeof(text), "%u.%u.%u", BW_IP_NUMBERS(ip->version));
			add_row(&p->out, ip->name, text);
		}
		bw_vec_each(&d->facts, f)
			add_row(&p->out, "", f->text);
		bw_str_add(&p->out, "</table></details>\n");
	}
	bw_str_add(&p->out, "</section>\n");
}

/* ---- faults ---- */

/* The levels on the way to an address, as amdgpu sets its tables up: four, of 512 entries each
 * (doc/hardware/page-tables.md 3). Which of them stopped the walk is in the status word. */
static void add_levels(struct bw_crash_page *p, const struct bw_gpuvm_fault_facts *f)
{
	static const char *const names[] = {"PDE2", "PDE1", "PDE0", "PTE"};
	struct bw_gpuvm_status s = bw_gpuvm_status_decode(f->part.gen, f->status);
	const char *error = bw_gpuvm_walker_error_name(f->part.gen, s.walker_error);
	unsigned stop = BW_ARRAY_SIZE(names), depth = 0;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(names); i++)
		if (s.walker_error && !strcmp(error, names[i]))
			stop = i;
	if (!s.walker_error && (s.permission || s.mapping_error))
		stop = BW_ARRAY_SIZE(names) - 1;
	if (stop == BW_ARRAY_SIZE(names))
		return; /* it does not say */
	bw_str_addf(&p->out, "<h3>Page walk</h3><ul class=\"tree\"><li>root of VMID %u",
		    f->vmid >= 0 ? (unsigned)f->vmid : s.vmid);
	for (unsigned i = 0; i < BW_ARRAY_SIZE(names); i++, depth++) {
		uint64_t index = f->address >> (39 - 9 * i) & 0x1ff;
		const char *state = i < stop ? "good" : i == stop ? "bad" : "never";
		const char *says = i < stop   ? "led on"
				   : i > stop ? "not reached"
				   : i < 3    ? "the walk stopped here: the entry is not valid"
				   : s.permission & 1
					   ? "the walk stopped here: the page is not valid"
					   : "the walk stopped here: the page does not "
					     "allow this access";
		bw_str_addf(&p->out, "<ul><li><span class=\"%s\">%s entry 0x%" PRIx64 ": %s</span>",
			    state, names[i], index, says);
	}
	while (depth--)
		bw_str_add(&p->out, "</li></ul>");
	bw_str_add(&p->out, "</li></ul>\n");
}

static void add_fault(struct bw_crash_page *p, const struct bw_gpuvm_fault_facts *f,
		      const struct bw_crash_fault *log)
{
	struct bw_gpuvm_fault_story story = {0};
	struct bw_gpuvm_status_field fields[BW_GPUVM_MAX_STATUS_FIELDS];
	bw_gpuvm_fault_tell(f, &story);
	bw_html_element(&p->out, "p", bw_str_text(&story.headline));
	if (log)
		bw_str_addf(&p->out, "<p class=\"soft\">Lines %u to %u of the kernel log.</p>",
			    log->first_line, log->last_line);
	if (f->has_status && f->has_address && f->status)
		add_levels(p, f);
	if (f->has_status) {
		size_t n = bw_gpuvm_status_fields(&f->part, f->hub, f->status, fields);
		while (f->any_generation && n && strcmp(fields[n - 1].name, "VF") != 0)
			n--;
		bw_str_addf(&p->out,
			    "<details><summary>Status 0x%08x</summary><table><tr class=\"head\">"
			    "<th>Field</th><th>Bits</th><th>Value</th><th></th></tr>\n",
			    f->status);
		for (size_t i = 0; i < n; i++) {
			struct bw_str meaning = {0};
			bw_gpuvm_fault_field(f, &fields[i], &meaning);
			bw_str_addf(&p->out, "<tr><td>%s</td><td>%u:%u</td><td>0x%x</td>",
				    fields[i].name, fields[i].hi, fields[i].lo, fields[i].value);
			bw_html_element(&p->out, "td", bw_str_text(&meaning));
			bw_str_add(&p->out, "</tr>\n");
			bw_str_free(&meaning);
		}
		bw_str_add(&p->out, "</table></details>\n");
	}
	bw_str_add(&p->out, "<h3>What to look at</h3><ul>");
	add_lines(&p->out, "li", bw_str_text(&story.next));
	bw_str_add(&p->out, "</ul>\n");
	bw_gpuvm_fault_story_free(&story);
}

/* Entries that umr -vm has printed, each below the one that led to it. */
static void add_walk(struct bw_crash_page *p)
{
	size_t depth = 0;
	const struct bw_crash_report *r = &p->crash->report;
	enum bw_gpuvm_gen gen = BW_GPUVM_GFX11;
	struct bw_gpuvm_part part;
	bw_vec_each(&p->crash->dumps, d)
		if (bw_crash_part(d, &part))
			gen = part.gen;
	if (p->part)
		gen = p->part->gen;
	if (!r->walk.len)
		return;
	bw_str_add(&p->out, "<h3>Page walk, by umr</h3><ul class=\"tree\">");
	bw_vec_each(&r->walk, e) {
		bool is_pte = bw_starts_with(e->name, "PT");
		struct bw_str flags = {0};
		bw_gpuvm_entry_flags(gen, !is_pte, e->value, &flags);
		/* a walk begins anew at the level at which the first one did */
		if (!strcmp(e->name, r->walk.data[0].name))
			for (; depth; depth--)
				bw_str_add(&p->out, "</li></ul>");
		bw_str_addf(&p->out, "<ul><li><span class=\"%s\">", e->value & 1 ? "good" : "bad");
		bw_html_text(&p->out, e->name);
		bw_str_addf(&p->out, " at 0x%" PRIx64 ": 0x%016" PRIx64 " ", e->address, e->value);
		bw_html_text(&p->out, bw_str_text(&flags));
		bw_str_addf(&p->out, "%s</span>", e->value & 1 ? "" : ": not valid");
		bw_str_free(&flags);
		depth++;
	}
	for (; depth; depth--)
		bw_str_add(&p->out, "</li></ul>");
	bw_str_add(&p->out, "</ul>\n");
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
	bw_crash_html_section(p, "faults", "Page faults");
	bw_vec_each(&p->crash->dumps, d)
		if (bw_crash_dump_fault(d,
					p->part			 ? p->part
					: bw_crash_part(d, &own) ? &own
								 : NULL,
					&f)) {
			bw_str_add(&p->out, "<p class=\"soft\">The last one that the dump has; it "
					    "may be old.</p>");
			add_fault(p, &f, NULL);
		}
	for (size_t i = 0; i < log->faults.len && i < MOST; i++) {
		f = bw_crash_fault_facts(log, &log->faults.data[i],
					 bw_crash_log_part(p->crash, p->part, &own));
		if (log->faults.len > 1)
			bw_str_addf(&p->out, "<details%s><summary>Fault %zu of %zu</summary>",
				    i ? "" : " open", i + 1, log->faults.len);
		add_fault(p, &f, &log->faults.data[i]);
		bw_str_add(&p->out, log->faults.len > 1 ? "</details>\n" : "\n");
	}
	if (log->faults.len > MOST)
		bw_str_addf(&p->out, "<p class=\"soft\">%zu more are left out.</p>",
			    log->faults.len - MOST);
	add_walk(p);
	bw_str_add(&p->out, "</section>\n");
}

/* ---- the log ---- */

static void add_events(struct bw_crash_page *p)
{
	const struct bw_crash_log *log = &p->crash->log;
	if (!log->events.len)
		return;
	bw_crash_html_section(p, "events", "Kernel log");
	bw_str_add(&p->out, "<table><tr class=\"head\"><th>Line</th><th>What</th><th>Message</th>"
			    "</tr>\n");
	for (size_t i = 0; i < log->events.len && i < BW_HTML_EVENTS; i++) {
		const struct bw_crash_event *e = &log->events.data[i];
		bw_str_addf(&p->out, "<tr><td>%u</td>", e->line);
		bw_html_element(&p->out, "td", bw_crash_event_name(e->kind));
		bw_html_element(&p->out, "td", e->text);
		bw_str_add(&p->out, "</tr>\n");
	}
	bw_str_add(&p->out, "</table></section>\n");
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
		bw_html_text(&p->out, f[i].field.name);
		if (f[i].value > 1)
			bw_str_addf(&p->out, "=0x%" PRIx64, f[i].value);
		bw_str_add(&p->out, " ");
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
	bw_crash_html_section(p, "registers", "Registers");
	bw_vec_each(&d->registers, r) {
		const struct bw_crash_block *b = &d->blocks.data[r->block];
		if (p->registers >= BW_HTML_REGISTERS)
			break;
		if (r->block != block) {
			bw_str_addf(&p->out, "%s<details%s><summary>",
				    block == UINT32_MAX ? "" : "</table></details>\n",
				    block == UINT32_MAX ? " open" : "");
			bw_html_textf(&p->out, "%s%s%s", b->ip, *b->part ? ", " : "", b->part);
			bw_str_add(&p->out, "</summary><table>");
		}
		block = r->block;
		bw_str_add(&p->out, "<tr>");
		bw_html_element(&p->out, "td", r->name);
		bw_str_addf(&p->out, "<td>0x%08x</td><td>", r->value);
		add_fields(p, gc, r);
		bw_str_add(&p->out, "</td></tr>\n");
		p->registers++;
		shown++;
	}
	if (shown)
		bw_str_add(&p->out, "</table></details>\n");
	if (shown < d->registers.len)
		bw_str_addf(&p->out, "<p class=\"soft\">%zu more are left out.</p>",
			    d->registers.len - shown);
	bw_str_add(&p->out, "</section>\n");
}

static void add_notes(struct bw_crash_page *p, const char *title, const struct bw_crash_note *notes,
		      size_t n, unsigned n_all)
{
	if (!n_all)
		return;
	bw_str_add(&p->out, "<details><summary>");
	bw_html_textf(&p->out, "%s (%u)", title, n_all);
	bw_str_add(&p->out, "</summary><table>");
	for (size_t i = 0; i < n; i++) {
		bw_str_addf(&p->out, "<tr><td>line %u</td>", notes[i].line);
		bw_html_element(&p->out, "td", notes[i].text);
		bw_str_add(&p->out, "</tr>\n");
	}
	bw_str_add(&p->out, "</table></details>\n");
}

static void add_rest(struct bw_crash_page *p, const struct bw_crash_dump *d)
{
	if (!d->n_damaged && !d->n_unknown && !d->n_left_out)
		return;
	bw_crash_html_section(p, "rest", "Damage, and what is not understood");
	add_notes(p, "Damage", d->damaged.data, d->damaged.len, d->n_damaged);
	add_notes(p, "Lines that are not understood", d->unknown.data, d->unknown.len,
		  d->n_unknown);
	if (d->n_left_out)
		bw_str_addf(&p->out,
			    "<p>%u registers, words or blocks are left out: there are too many."
			    "</p>",
			    d->n_left_out);
	bw_str_add(&p->out, "</section>\n");
}

/* ---- the page ---- */

static void add_head(struct bw_crash_page *p)
{
	const struct bw_crash *c = p->crash;
	const char *who = c->dumps.len ? c->dumps.data[0].process : "";
	bw_str_add(&p->out,
		   "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width\">\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
		   "form-action 'none'\">\n<title>GPU crash");
	if (*who)
		bw_html_textf(&p->out, " of %s", who);
	bw_str_add(&p->out, "</title>\n<style>\n");
	bw_str_addn(&p->out, (const char *)bw_html_css, bw_html_css_size);
	bw_str_add(&p->out, "</style></head>\n<body><header><h1>GPU crash");
	if (*who)
		bw_html_textf(&p->out, " of %s", who);
	bw_str_add(&p->out, "</h1><span id=\"hits\"></span>"
			    "<input id=\"q\" type=\"search\" placeholder=\"Search ( / )\" "
			    "aria-label=\"Search\">"
			    "<button id=\"open\" type=\"button\">Fold / unfold all</button>"
			    "<button id=\"theme\" type=\"button\">Dark / light</button>"
			    "</header>\n<main>\n");
}

struct bw_error *bw_crash_html(struct bw_crash_page *p)
{
	struct bw_error *err = NULL;
	add_head(p);
	add_verdict(p);
	add_faults(p);
	bw_vec_each(&p->crash->dumps, d) {
		struct bw_gpuvm_part own;
		const struct bw_gpuvm_part *part = p->part		    ? p->part
						   : bw_crash_part(d, &own) ? &own
									    : NULL;
		add_origin(p, d);
		if (!err)
			err = bw_crash_html_streams(p, d, part);
	}
	if (!err)
		err = bw_crash_html_waves(p);
	add_events(p);
	bw_vec_each(&p->crash->dumps, d) {
		struct bw_gpuvm_part own;
		add_registers(p, d, p->part ? p->part : bw_crash_part(d, &own) ? &own : NULL);
		add_rest(p, d);
	}
	bw_str_add(&p->out, "</main>\n<script>\n");
	bw_str_addn(&p->out, (const char *)bw_html_js, bw_html_js_size);
	bw_str_add(&p->out, "</script></body></html>\n");
	return err;
}
