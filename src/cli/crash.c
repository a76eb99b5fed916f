/* SPDX-License-Identifier: MIT */
/* breakwater crash: kernel logs, devcoredumps and hang reports, with a verdict first. */
#include "crash/crash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "session/crash_files.h"
#include "cli/look/fault.h"
#include "cli/packets.h"
#include "cli/report.h"
#include "cli/subcommands.h"

static const char usage[] =
	"Usage: breakwater crash FILE|FOLDER|-... [--all] [--gfx VERSION] [--json] [--html FILE]\n"
	"\n"
	"Says what a hang or a page fault was, from what it has left: kernel logs (dmesg, journalctl, or "
	"a part of one in a report), devcoredumps of amdgpu, and folders with hang reports of RADV, "
	"several of them together. A verdict of a few sentences comes first, what it rests on below.\n";

struct crash_command {
	struct bw_look look;
	struct bw_crash crash;
	bool all;
	const char *html; /* the file, or NULL */
};

static struct bw_error *read_words(struct crash_command *c)
{
	struct bw_look *l = &c->look;
	if (!l->n_words)
		return bw_errorf(BW_E_INVALID,
				 "crash wants files: a kernel log, a devcoredump, a folder "
				 "with a hang report (see --help)");
	return bw_read_crash(l->words, l->n_words, &c->crash);
}

/* ---- what is shown ---- */

static json_t *lines_of(const char *text)
{
	json_t *list = json_array();
	while (*text) {
		size_t n = strcspn(text, "\n");
		json_array_append_new(list, json_stringn(text, n));
		text += n + (text[n] == '\n');
	}
	return list;
}

static void set_text(json_t *o, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(o, key, bw_json_text(text));
}

static void set_hex(json_t *o, const char *key, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_object_set_new(o, key, json_string(text));
}

static void show_waves(struct crash_command *c)
{
	enum { MAX_SHOWN = 40 };
	const struct bw_crash_waves *w = &c->crash.report.waves;
	struct bw_out *o = c->look.out;
	json_t *list = json_array();
	if (w->list.len)
		bw_out_line(o, "\nWaves (%zu)", w->list.len);
	for (size_t i = 0; i < w->list.len; i++) {
		const struct bw_crash_wave *wave = &w->list.data[i];
		json_t *j = json_object(), *registers = json_array();
		struct bw_str text = {0};
		uint64_t pc;
		uint32_t hi, lo;
		json_object_set_new(j, "line", json_integer(wave->line));
		char place[BW_CRASH_WAVE_PLACE_B];
		bw_crash_wave_place(wave, place);
		bw_str_add(&text, place);
		set_text(j, "place", place);
		if (bw_crash_wave_pc(wave, &pc)) {
			set_hex(j, "pc", pc);
			bw_str_addf(&text, "  PC 0x%" PRIx64, pc);
		}
		if (bw_crash_wave_register(wave, "EXEC_LO", &lo) &&
		    bw_crash_wave_register(wave, "EXEC_HI", &hi))
			bw_str_addf(&text, "  EXEC 0x%08x%08x", hi, lo);
		if (i < MAX_SHOWN || c->all)
			bw_out_line(o, "  %s", bw_str_text(&text));
		bw_str_free(&text);
		for (unsigned k = 0; k < wave->n_registers; k++) {
			json_t *r = json_object();
			set_text(r, "name", wave->registers[k].name);
			set_hex(r, "value", wave->registers[k].value);
			json_array_append_new(registers, r);
		}
		json_object_set_new(j, "registers", registers);
		json_object_set_new(j, "sgprs", json_integer(wave->n_sgprs));
		json_object_set_new(j, "vgprs", json_integer(wave->n_vgprs));
		json_array_append_new(list, j);
	}
	if (w->list.len > MAX_SHOWN && !c->all)
		bw_out_line(o, "  (%zu more: --all shows them)", w->list.len - MAX_SHOWN);
	if (w->n_left_out || w->n_damaged)
		bw_out_line(o, "  (%" PRIu64 " waves are left out; %" PRIu64 " lines are damaged)",
			    w->n_left_out, w->n_damaged);
	bw_out_json(o, "waves", list);
}

static void show_events(struct crash_command *c)
{
	struct bw_out *o = c->look.out;
	const struct bw_crash_log *log = &c->crash.log;
	json_t *list = json_array();
	if (log->events.len)
		bw_out_line(o, "\nEvents in the kernel log");
	for (size_t i = 0; i < log->events.len; i++) {
		const struct bw_crash_event *e = &log->events.data[i];
		json_t *j = json_object();
		bw_out_line(o, "  line %u: %s", e->line, e->text);
		json_object_set_new(j, "kind", json_string(bw_crash_event_name(e->kind)));
		json_object_set_new(j, "line", json_integer(e->line));
		set_text(j, "device", e->device);
		set_text(j, "ring", e->ring);
		set_text(j, "process", e->process);
		if (e->process[0])
			json_object_set_new(j, "pid", json_integer(e->pid));
		set_text(j, "text", e->text);
		json_array_append_new(list, j);
	}
	bw_out_json(o, "events", list);
}

static void show_faults(struct crash_command *c)
{
	const struct bw_crash_log *log = &c->crash.log;
	json_t *list = json_array();
	enum { MAX_SHOWN = 3 };
	for (size_t i = 0; i < log->faults.len; i++) {
		struct bw_gpuvm_part own;
		struct bw_gpuvm_fault_facts facts = bw_crash_fault_facts(
			log, &log->faults.data[i],
			bw_crash_log_part(&c->crash, c->look.has_part ? &c->look.part : NULL,
					  &own));
		if (i < MAX_SHOWN || c->all || c->look.json) {
			bw_out_line(c->look.out, "\nPage fault %zu of %zu", i + 1, log->faults.len);
			bw_look_fault(&c->look, &facts, &log->faults.data[i], list);
		}
	}
	if (log->faults.len > MAX_SHOWN && !c->all)
		bw_out_line(c->look.out, "\n%zu more page faults (--all shows them).",
			    log->faults.len - MAX_SHOWN);
	bw_out_json(c->look.out, "faults", list);
}

/* The instances of an IP block, as the XCCs of a GPU or its copy engines: blocks that follow each
 * other in the dump, with the same registers in each. */
struct instances {
	const struct bw_crash_dump *d;
	uint32_t first, n;	/* in blocks */
	size_t at[16], len[16]; /* in registers */
};

static bool find_instances(const struct bw_crash_dump *d, size_t at, struct instances *out)
{
	const struct bw_crash_block *b = &d->blocks.data[d->registers.data[at].block];
	*out = (struct instances){.d = d, .first = d->registers.data[at].block};
	for (uint32_t k = out->first; k < d->blocks.len && out->n < BW_ARRAY_SIZE(out->at); k++) {
		const struct bw_crash_block *other = &d->blocks.data[k];
		if (strcmp(other->ip, b->ip) != 0 || !bw_starts_with(other->part, "Instance"))
			break;
		out->at[out->n] = at;
		while (at < d->registers.len && d->registers.data[at].block == k)
			at++;
		out->len[out->n] = at - out->at[out->n];
		out->n++;
	}
	return out->n > 1;
}

/* Shows one register in all instances; equal values are shown once. */
static void show_in_instances(struct bw_out *o, const struct instances *i, size_t row)
{
	const struct bw_crash_register *r = &i->d->registers.data[i->at[0] + row];
	struct bw_str values = {0};
	bool is_same = true;
	for (uint32_t k = 0; k < i->n; k++) {
		const struct bw_crash_register *other = &i->d->registers.data[i->at[k] + row];
		bool is_there = row < i->len[k] && !strcmp(other->name, r->name);
		is_same &= is_there && other->value == r->value;
		if (is_there)
			bw_str_addf(&values, " 0x%08x", other->value);
		else
			bw_str_addf(&values, " %-10s", "-");
	}
	if (is_same)
		bw_out_line(o, "    %-40s 0x%08x in all", r->name, r->value);
	else
		bw_out_line(o, "    %-40s%s", r->name, bw_str_text(&values));
	bw_str_free(&values);
}

/* Side by side, so that the one that differs is seen. Returns how many registers it was. */
static size_t show_instances(struct bw_out *o, const struct instances *i, size_t *lines_left)
{
	size_t n = 0;
	struct bw_str numbers = {0};
	for (uint32_t k = 0; k < i->n; k++) {
		const char *part = i->d->blocks.data[i->first + k].part, *colon = strchr(part, ':');
		bw_str_add_next(&numbers, colon ? bw_skip_blanks(colon + 1) : part);
	}
	bw_out_line(o, "  %s, instances %s", i->d->blocks.data[i->first].ip, bw_str_text(&numbers));
	bw_str_free(&numbers);
	for (size_t row = 0; row < i->len[0] && *lines_left; row++, --*lines_left) {
		show_in_instances(o, i, row);
		for (uint32_t k = 0; k < i->n; k++)
			n += row < i->len[k];
	}
	return n;
}

static void list_registers(struct crash_command *c, const struct bw_crash_dump *d)
{
	enum { MAX_LINES = 40 };
	struct instances instances;
	uint32_t block = UINT32_MAX;
	size_t shown = 0, lines_left = c->all ? SIZE_MAX : MAX_LINES;
	for (size_t at = 0; at < d->registers.len && lines_left;) {
		const struct bw_crash_register *r = &d->registers.data[at];
		const struct bw_crash_block *b = &d->blocks.data[r->block];
		if (r->block != block && !c->all && find_instances(d, at, &instances)) {
			const uint32_t last = instances.n - 1;
			shown += show_instances(c->look.out, &instances, &lines_left);
			at = instances.at[last] + instances.len[last];
			continue;
		}
		if (r->block != block)
			bw_out_line(c->look.out, "  %s%s%s", b->ip, *b->part ? ", " : "", b->part);
		bw_out_line(c->look.out, "    %-40s 0x%08x", r->name, r->value);
		block = r->block;
		lines_left--;
		shown++;
		at++;
	}
	if (shown < d->registers.len)
		bw_out_line(c->look.out, "    (%zu more: --all shows them)",
			    d->registers.len - shown);
}

static json_t *show_registers(struct crash_command *c, const struct bw_crash_dump *d)
{
	json_t *list = json_array();
	if (d->registers.len)
		bw_out_line(c->look.out, "\nRegisters (%zu in %zu blocks)", d->registers.len,
			    d->blocks.len);
	list_registers(c, d);
	bw_vec_each(&d->registers, r) {
		const struct bw_crash_block *b = &d->blocks.data[r->block];
		json_t *j = json_object();
		set_text(j, "ip", b->ip);
		set_text(j, "part", b->part);
		set_text(j, "name", r->name);
		set_hex(j, "value", r->value);
		json_array_append_new(list, j);
	}
	return list;
}

/* Words from `first` on, of which `n` are pending; they may wrap. */
static struct bw_error *show_ring(struct crash_command *c, const struct bw_pm4_names *names,
				  const struct bw_crash_ring *r, json_t *list)
{
	size_t have = r->words.len, from, pending;
	json_t *o = json_object(), *packets = json_array();
	struct bw_packets p = {
		.out = c->look.out, .list = packets, .names = names, .mark = SIZE_MAX};
	struct bw_error *err = NULL;
	if (r->no_pointers)
		bw_out_line(c->look.out, "\nRing %s: %zu words, as umr has them (line %u)", r->name,
			    have, r->line);
	else
		bw_out_line(c->look.out,
			    "\nRing %s: read pointer 0x%" PRIx64 ", write pointer 0x%" PRIx64
			    ", %" PRIu64 " words (line %u)",
			    r->name, r->rptr, r->wptr, r->size_dw ? r->size_dw : have, r->line);
	p.is_sdma = bw_starts_with(r->name, "sdma");
	bool is_pm4 = bw_starts_with(r->name, "gfx") || bw_starts_with(r->name, "comp") ||
		      bw_starts_with(r->name, "kiq") || (r->no_pointers && !p.is_sdma);
	p.is_mes = bw_starts_with(r->name, "mes");
	if ((is_pm4 || p.is_sdma || p.is_mes) && bw_crash_ring_pending(r, &from, &pending)) {
		size_t first = c->all ? 0 : from, n = c->all ? have : pending;
		uint32_t *dw = calloc(n + 1, 4);
		if (!dw)
			err = bw_error_nomem();
		for (size_t i = 0; dw && i < n; i++)
			dw[i] = r->words.data[(first + i) % have];
		p.first = first + r->first_dw;
		p.wrap = r->first_dw ? SIZE_MAX : have;
		p.mark = r->no_pointers ? SIZE_MAX : from + r->first_dw;
		if (!n)
			bw_out_line(c->look.out, "  Nothing is pending.");
		if (!err)
			err = bw_packets_show(&p, dw, n);
		free(dw);
	}
	set_text(o, "name", r->name);
	set_hex(o, "read_pointer", r->rptr);
	set_hex(o, "write_pointer", r->wptr);
	json_object_set_new(o, "size", json_integer((json_int_t)(r->size_dw ? r->size_dw : have)));
	json_object_set_new(o, "packets", packets);
	json_array_append_new(list, o);
	return err;
}

static struct bw_error *show_ib(struct crash_command *c, const struct bw_pm4_names *names,
				const struct bw_crash_dump *d, size_t i, json_t *list)
{
	const struct bw_crash_ib *ib = &d->ibs.data[i];
	struct bw_crash_place place;
	json_t *o = json_object(), *packets = json_array();
	enum { AROUND = 64 };
	struct bw_packets p = {
		.out = c->look.out, .list = packets, .names = names, .mark = SIZE_MAX};
	size_t from = 0, n = ib->words.len;
	bool is_place = bw_crash_find_place(d, &place) && place.ib == i;
	if (is_place)
		p.mark = place.packet_dw;
	p.is_sdma = ib->is_sdma || bw_starts_with(d->timeout_ring, "sdma");
	if (ib->va)
		bw_out_line(c->look.out, "\nIB #%u at 0x%" PRIx64 ", %" PRIu64 " words (line %u)",
			    ib->index, ib->va, ib->size_dw, ib->line);
	else
		bw_out_line(c->look.out, "\nCommand buffer %u, %" PRIu64 " words (line %u)",
			    ib->index, ib->size_dw, ib->line);
	/* Around the stop, from a packet on; all of a short one. */
	struct bw_pm4_packet packet;
	if (is_place && !c->all && n > 4 * AROUND) {
		for (size_t at = 0;
		     bw_pm4_at(ib->words.data, n, at, &packet) && at + AROUND < place.packet_dw;
		     at += packet.size_dw)
			from = at;
		n = BW_MIN(n - from, (size_t)2 * AROUND);
	} else if (!c->all) {
		n = BW_MIN(n, (size_t)4 * AROUND);
	}
	p.first = from;
	p.wrap = ib->words.len;
	struct bw_error *err = n ? bw_packets_show(&p, ib->words.data + from, n) : NULL;
	if (n < ib->words.len)
		bw_out_line(c->look.out, "  (a part of it: --all shows the rest)");
	json_object_set_new(o, "index", json_integer(ib->index));
	if (ib->va)
		set_hex(o, "address", ib->va);
	json_object_set_new(o, "size", json_integer((json_int_t)ib->size_dw));
	json_object_set_new(o, "packets", packets);
	json_array_append_new(list, o);
	return err;
}

static void show_notes(struct bw_out *o, const char *title, const struct bw_crash_note *notes,
		       size_t n, unsigned n_all)
{
	if (n_all)
		bw_out_line(o, "\n%s", title);
	for (size_t i = 0; i < n; i++)
		bw_out_line(o, "  line %u: %s", notes[i].line, notes[i].text);
	if (n_all > n)
		bw_out_line(o, "  and %u more", n_all - (unsigned)n);
}

static json_t *json_notes(const struct bw_crash_note *notes, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();
		json_object_set_new(o, "line", json_integer(notes[i].line));
		json_object_set_new(o, "text", bw_json_text(notes[i].text));
		json_array_append_new(list, o);
	}
	return list;
}

static struct bw_error *show_dump(struct crash_command *c, const struct bw_crash_dump *d,
				  json_t *list)
{
	static const uint32_t gfx11 = BW_IP_VERSION(11, 0, 0);
	struct bw_gpuvm_part own = c->look.part;
	bool has_part = c->look.has_part || bw_crash_part(d, &own);
	struct bw_gpuvm_fault_facts facts;
	struct bw_pm4_names names;
	json_t *o = json_object(), *rings = json_array(), *ibs = json_array();
	struct bw_error *err = bw_pm4_names_of(has_part ? own.gc : gfx11, &names);
	if (bw_error_catch(&err, BW_E_NOT_FOUND) || bw_error_catch(&err, BW_E_UNSUPPORTED))
		err = bw_pm4_names_of(gfx11, &names);
	set_text(o, "kernel", d->kernel);
	set_text(o, "time", d->time);
	set_text(o, "process", d->process);
	set_text(o, "ring", d->timeout_ring);
	json_object_set_new(o, "line", json_integer(d->line));
	if (has_part) {
		struct bw_str part = {0};
		bw_look_part_name(&own, &part);
		set_text(o, "gpu", bw_str_text(&part));
		bw_str_free(&part);
	}
	json_t *faults = json_array();
	if (bw_crash_dump_fault(d, has_part ? &own : NULL, &facts)) {
		bw_out_line(c->look.out, "\nPage fault, the last one recorded; it may be old");
		bw_look_fault(&c->look, &facts, NULL, faults);
	}
	json_object_set_new(o, "faults", faults);
	show_notes(c->look.out, "Memory, firmware and other lines", d->facts.data,
		   c->all ? d->facts.len : 0, c->all ? (unsigned)d->facts.len : 0);
	json_object_set_new(o, "facts", json_notes(d->facts.data, d->facts.len));
	json_object_set_new(o, "registers", show_registers(c, d));
	for (size_t i = 0; i < d->rings.len && !err; i++)
		if (c->all || c->look.json || !d->timeout_ring[0] ||
		    !strcmp(d->rings.data[i].name, d->timeout_ring))
			err = show_ring(c, &names, &d->rings.data[i], rings);
	for (size_t i = 0; i < d->ibs.len && !err; i++)
		err = show_ib(c, &names, d, i, ibs);
	json_object_set_new(o, "rings", rings);
	json_object_set_new(o, "ibs", ibs);
	show_notes(c->look.out, "Damage", d->damaged.data, d->damaged.len, d->n_damaged);
	json_object_set_new(o, "damaged", json_notes(d->damaged.data, d->damaged.len));
	show_notes(c->look.out, "Lines that are not understood", d->unknown.data, d->unknown.len,
		   d->n_unknown);
	json_object_set_new(o, "unknown", json_notes(d->unknown.data, d->unknown.len));
	if (d->n_left_out)
		bw_out_line(c->look.out,
			    "\n%u registers, words or blocks are left out: there are too "
			    "many.",
			    d->n_left_out);
	json_object_set_new(o, "left_out", json_integer(d->n_left_out));
	json_array_append_new(list, o);
	return err;
}

static struct bw_error *show(struct crash_command *c)
{
	struct bw_out *o = c->look.out;
	struct bw_str verdict = {0};
	struct bw_error *err = NULL;
	json_t *dumps = json_array();
	bw_crash_verdict(&c->crash, c->look.has_part ? &c->look.part : NULL, &verdict);
	bw_out_begin(o, "command", "crash");
	bw_out_text(o, bw_str_text(&verdict));
	bw_out_json(o, "verdict", lines_of(bw_str_text(&verdict)));
	bw_str_free(&verdict);
	if (c->html) {
		bw_out_line(o, "\nAll of it is in %s.", c->html);
		bw_out_str(o, "html", c->html);
	}
	if (c->html && !c->look.json) {
		bw_out_end(o);
		json_decref(dumps);
		return NULL;
	}
	show_faults(c);
	show_events(c);
	show_waves(c);
	for (size_t i = 0; i < c->crash.dumps.len && !err; i++) {
		if (c->crash.dumps.len > 1)
			bw_out_line(o, "\n==== Dump %zu of %zu ====", i + 1, c->crash.dumps.len);
		err = show_dump(c, &c->crash.dumps.data[i], dumps);
	}
	if (c->crash.n_dumps_left_out)
		bw_out_line(o, "\n%u more dumps are left out.", c->crash.n_dumps_left_out);
	bw_out_json(o, "dumps", dumps);
	if (err)
		bw_out_drop(o);
	else
		bw_out_end(o);
	return err;
}

static struct bw_error *write_page(struct crash_command *c)
{
	const struct bw_report r = {.crash = &c->crash,
				    .part = c->look.has_part ? &c->look.part : NULL};
	size_t size_b;
	return bw_cli_write_report(&r, c->html, &size_b);
}

static struct bw_error *run_crash(struct bw_look *l)
{
	struct crash_command *c = l->cookie;
	struct bw_error *err = read_words(c);
	if (!err && c->html)
		err = write_page(c);
	if (!err)
		err = show(c);
	bw_crash_free(&c->crash);
	return err;
}

static const struct bw_option rows[] = {
	{"--all", NULL, "all packets of rings and IBs, and all registers",
	 BW_FLAG(struct crash_command, all)},
	BW_LOOK_GFX,
	{"--html", "FILE",
	 "the same as a page for a browser, which can be sent to someone: one file with no references to others",
	 BW_TEXT(struct crash_command, html)},
	BW_LOOK_END,
};

const struct bw_command_line bw_line_crash = {
	.name = "breakwater crash",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.after =
		"The kernel keeps a dump for five minutes: cp /sys/class/drm/card0/device/devcoredump/data .\n",
	.word = bw_look_take_word,
};

int bw_main_crash(int argc, char **argv)
{
	struct crash_command c = {0};
	c.look.cookie = &c;
	return bw_look_main(&c.look, &bw_line_crash, argc, argv, run_crash);
}
