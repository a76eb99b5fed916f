/* SPDX-License-Identifier: MIT */
/* breakwater vm walk, explain and maps: what is printed about an address space. */
#include "cli/vm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "gpuvm/repair.h"

static const char *const memories[] = {"vram", "system"};

static const char *memory_name(bool system)
{
	return memories[system];
}

static void add_size(struct bw_str *out, uint64_t size_b)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
	unsigned u = 0;
	while (size_b && size_b % 1024 == 0 && u + 1 < BW_ARRAY_SIZE(units)) {
		size_b /= 1024;
		u++;
	}
	bw_str_addf(out, "%" PRIu64 " %s", size_b, units[u]);
}

static void show_context(struct bw_look *l, const struct bw_look_vm *vm, uint64_t va)
{
	const struct bw_gpuvm_context *c = &vm->space.context;
	struct bw_str part = {0};
	bw_look_part_name(&vm->part, &part);
	const char *hub = l->hub == BW_GPUVM_MM ? "memory" : "graphics";
	if (vm->text.is_user_queue)
		bw_out_line(
			l->out,
			"A user queue's address space, address 0x%" PRIx64
			", %s hub of %s. It has no VMID of its own, and no registers: umr makes up "
			"both, and what it says of CNTL is not used.",
			va, hub, bw_str_text(&part));
	else
		bw_out_line(l->out, "VMID %u, address 0x%" PRIx64 ", %s hub of %s", c->vmid, va,
			    hub, bw_str_text(&part));
	bw_out_line(l->out,
		    "Context: %s, depth %u, block size %u, base 0x%" PRIx64 ", 0x%" PRIx64
		    " to 0x%" PRIx64,
		    c->enabled ? "enabled" : "disabled", c->depth, c->block, c->base, c->start,
		    c->end);
	bw_str_free(&part);
}

struct step_row {
	struct bw_gpuvm_step s;
	bool is_readable;
	struct bw_str flags, leads_to;
};

static void entry_at(struct bw_table *t, const void *of)
{
	const struct bw_gpuvm_step *s = &((const struct step_row *)of)->s;
	bw_table_text(t, "%s 0x%" PRIx64, memory_name(s->system), s->address);
}

static void entry_value(struct bw_table *t, const void *of)
{
	const struct step_row *r = of;
	if (r->is_readable)
		bw_table_hex(t, r->s.value, 16);
	else
		bw_table_text(t, "cannot be read");
}

static void level(struct bw_table *t, const void *of)
{
	bw_table_text(t, "%s", bw_gpuvm_level_name(((const struct step_row *)of)->s.level));
}

static const struct bw_fact step_rows[] = {
	{"Level", "level", "text", BW_GET(level)},
	{"Entry at", NULL, "text", BW_GET(entry_at)},
	{NULL, "memory", "", BW_OF(struct step_row, s.system), BW_NAMES(memories)},
	{NULL, "address", "hex", BW_OF(struct step_row, s.address)},
	{"Index", "index", "hex", BW_OF(struct step_row, s.index)},
	{"Value", "value", "text", BW_GET(entry_value)},
	{"Bits", "flags", "text?", BW_OF(struct step_row, flags),
	 BW_IF(struct step_row, is_readable)},
	{"Leads to", "leads_to", "text?", BW_OF(struct step_row, leads_to)},
};
BW_FACTS(step_facts, "vm walk", "steps", step_rows);

static void show_steps(struct bw_look *l, const struct bw_gpuvm_context *c,
		       const struct bw_gpuvm_range *r)
{
	struct bw_table t;
	bw_table_begin(&t, &step_facts);
	for (unsigned i = 0; i < r->n_steps; i++) {
		struct step_row row = {r->step[i],
				       r->verdict != BW_GPUVM_UNREADABLE || i + 1 < r->n_steps};
		bool dir = bw_gpuvm_step_is_directory(c, r, i);
		struct bw_gpuvm_entry e =
			dir ? bw_gpuvm_pde(c->gen, row.s.value) : bw_gpuvm_pte(c->gen, row.s.value);
		bw_gpuvm_entry_flags(c->gen, dir, row.s.value, &row.flags);
		if (row.is_readable && e.valid)
			bw_str_addf(&row.leads_to, "%s at %s 0x%" PRIx64, dir ? "table" : "page",
				    memory_name(e.system), e.base);
		else if (row.is_readable)
			bw_str_add(&row.leads_to, "nothing");
		bw_table_row(&t, &row);
		bw_str_free(&row.flags);
		bw_str_free(&row.leads_to);
	}
	if (r->n_steps || l->json)
		bw_out_table(l->out, &t, "");
	bw_table_fini(&t);
}

static const char *verdict_name(enum bw_gpuvm_verdict v)
{
	static const char *const names[] = {
		[BW_GPUVM_MAPPED] = "mapped",
		[BW_GPUVM_UNTRANSLATED] = "untranslated",
		[BW_GPUVM_NOT_VALID] = "not valid",
		[BW_GPUVM_PRT] = "not resident",
		[BW_GPUVM_NO_RETRY] = "final",
		[BW_GPUVM_OUT_OF_RANGE] = "out of range",
		[BW_GPUVM_NOT_CANONICAL] = "not canonical",
		[BW_GPUVM_CONTEXT_DISABLED] = "disabled",
		[BW_GPUVM_POWERED_OFF] = "powered off",
		[BW_GPUVM_UNREADABLE] = "unreadable",
		[BW_GPUVM_DEFAULT_PAGE] = "default page",
		[BW_GPUVM_MISPLACED] = "misplaced",
	};
	return names[v];
}

/* Adds a sentence that tells where the walk stopped, and why. */
static void add_end(const struct bw_gpuvm_context *c, const struct bw_gpuvm_range *r, uint64_t va,
		    struct bw_str *out)
{
	uint64_t at = r->address + (va - r->va);
	if (r->verdict == BW_GPUVM_UNTRANSLATED) {
		bw_str_addf(out,
			    "The address is in the %s aperture of VMID 0, without a page table: %s "
			    "0x%" PRIx64 ".",
			    r->system ? "AGP" : "framebuffer", memory_name(r->system), at);
		return;
	}
	if (r->verdict == BW_GPUVM_MAPPED) {
		bw_str_addf(out, "The address is mapped to %s 0x%" PRIx64 ": a page of ",
			    memory_name(r->system), at);
		add_size(out, r->size_b);
		bw_str_addf(out, " at 0x%" PRIx64 " (%s%s%s%s), which ends at 0x%" PRIx64 ".",
			    r->va, r->entry.read ? "readable" : "not readable",
			    r->entry.write ? ", writeable" : ", not writeable",
			    r->entry.execute ? ", executable" : "",
			    r->entry.tmz ? ", encrypted" : "", r->va + r->size_b - 1);
		return;
	}
	bw_str_add(out, "The walk stopped: ");
	bw_gpuvm_explain(r, BW_GPUVM_READ, out);
	if (r->verdict == BW_GPUVM_OUT_OF_RANGE)
		bw_str_addf(out, ", 0x%" PRIx64 " to 0x%" PRIx64, c->start, c->end);
	if (r->verdict == BW_GPUVM_NOT_VALID || r->verdict == BW_GPUVM_PRT ||
	    r->verdict == BW_GPUVM_NO_RETRY || r->verdict == BW_GPUVM_MISPLACED) {
		bw_str_add(out, "; nothing is mapped in the ");
		add_size(out, r->size_b);
		bw_str_addf(out, " from 0x%" PRIx64 " on", r->va);
	}
	bw_str_add(out, ".");
}

static void add_facts(struct bw_look *l, const struct bw_look_vm *vm,
		      const struct bw_gpuvm_range *r, uint64_t va, const char *text)
{
	if (vm->text.is_user_queue)
		bw_out_bool(l->out, "user_queue", true);
	else
		bw_out_int(l->out, "vmid", vm->space.context.vmid);
	bw_out_hex(l->out, "address", va);
	bw_out_str(l->out, "hub", l->hub == BW_GPUVM_MM ? "mm" : "gc");
	bw_out_str(l->out, "verdict", verdict_name(r->verdict));
	bw_out_str(l->out, "summary", text);
	if (r->verdict != BW_GPUVM_MAPPED && r->verdict != BW_GPUVM_UNTRANSLATED)
		return;
	bw_out_str(l->out, "memory", memory_name(r->system));
	bw_out_hex(l->out, "physical", r->address + (va - r->va));
	bw_out_hex(l->out, "page", r->va);
	if (r->verdict == BW_GPUVM_MAPPED)
		bw_out_int(l->out, "page_bytes", (int64_t)r->size_b);
}

static void show_accesses(struct bw_look *l, const struct bw_gpuvm_range *r)
{
	static const struct {
		const char *name;
		unsigned access;
	} accesses[] = {{"Reading", BW_GPUVM_READ},
			{"Writing", BW_GPUVM_WRITE},
			{"Executing", BW_GPUVM_EXECUTE}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(accesses); i++) {
		struct bw_str why = {0};
		bw_gpuvm_explain(r, accesses[i].access, &why);
		bw_out_line(l->out, "%s %s: %s.", accesses[i].name,
			    bw_gpuvm_allows(r, accesses[i].access) ? "is allowed" : "fails",
			    bw_str_text(&why));
		bw_str_free(&why);
	}
}

/* What may be wrong with the tables or registers themselves. */
static void show_repairs(struct bw_look *l, struct bw_look_vm *vm, uint64_t va)
{
	const struct bw_gpuvm_context *c = &vm->space.context;
	struct bw_gpuvm_repair repairs[BW_GPUVM_MAX_REPAIRS];
	struct bw_str text = {0};
	size_t n = bw_gpuvm_repairs(c, bw_look_vm_read, vm, va, repairs);
	bw_gpuvm_repairs_tell(c, repairs, n, va, &text);
	if (n) {
		bw_out_line(l->out, "%s", bw_str_text(&text));
		bw_out_str(l->out, "likely_wrong", bw_str_text(&text));
	}
	bw_str_free(&text);
}

void bw_look_explain_in(struct bw_look *l, struct bw_look_vm *vm, uint64_t va)
{
	struct bw_gpuvm_range r;
	struct bw_str text = {0};
	bw_gpuvm_walk(&vm->space.context, bw_look_vm_read, vm, va, &r);
	add_end(&vm->space.context, &r, va, &text);
	bw_out_line(l->out, "%s", bw_str_text(&text));
	show_accesses(l, &r);
	show_repairs(l, vm, va);
	add_facts(l, vm, &r, va, bw_str_text(&text));
	bw_str_free(&text);
}

struct bw_error *bw_look_walk(struct bw_look *l, struct bw_look_vm *vm, uint64_t va, bool only_why)
{
	struct bw_gpuvm_range r;
	struct bw_str text = {0};
	bw_out_begin(l->out, "command", only_why ? "vm explain" : "vm walk");
	if (only_why) {
		bw_look_explain_in(l, vm, va);
	} else {
		bw_gpuvm_walk(&vm->space.context, bw_look_vm_read, vm, va, &r);
		add_end(&vm->space.context, &r, va, &text);
		show_context(l, vm, va);
		show_steps(l, &vm->space.context, &r);
		bw_out_line(l->out, "%s", bw_str_text(&text));
		add_facts(l, vm, &r, va, bw_str_text(&text));
	}
	bw_out_end(l->out);
	bw_str_free(&text);
	return NULL;
}

/* ---- maps ---- */

struct run {
	enum bw_gpuvm_gen gen;
	bool is_open, is_system;
	uint64_t va, size_b, address;
	struct bw_gpuvm_entry entry; /* of the first page */
	unsigned n_pages;
};

/* Whether two pages may be in one line: they may differ only in the address and in bits of
 * caching. */
static bool is_of_kind(const struct bw_gpuvm_entry *a, const struct bw_gpuvm_entry *b)
{
	return a->read == b->read && a->write == b->write && a->execute == b->execute &&
	       a->coherent == b->coherent && a->mtype == b->mtype && a->tmz == b->tmz;
}

static void run_end(struct bw_table *t, const void *of)
{
	const struct run *m = of;
	bw_table_hex(t, m->va + m->size_b - 1, 12);
}

static void run_size(struct bw_table *t, const void *of)
{
	const struct run *m = of;
	struct bw_str size = {0};
	add_size(&size, m->size_b);
	bw_table_both(t, json_integer((json_int_t)m->size_b), "%s", bw_str_text(&size));
	bw_str_free(&size);
}

static void run_access(struct bw_table *t, const void *of)
{
	const struct run *m = of;
	const struct bw_gpuvm_entry *e = &m->entry;
	bw_table_text(t, "%s%s%s%s %s", e->read ? "r" : "-", e->write ? "w" : "-",
		      e->execute ? "x" : "-", e->coherent ? "c" : "-",
		      bw_gpuvm_mtype_name(m->gen, e->mtype));
}

static const struct bw_fact run_rows[] = {
	{"From", "from", "hex", BW_OF(struct run, va), .digits = 12},
	{"To", "to", "hex", BW_GET(run_end)},
	{"Size", "bytes", "count", BW_GET(run_size)},
	{"Pages", "pages", "count", BW_OF(struct run, n_pages)},
	{"Memory", "memory", "", BW_OF(struct run, is_system), BW_NAMES(memories)},
	{"Address", "physical", "hex", BW_OF(struct run, address)},
	{"Access", "access", "text", BW_GET(run_access)},
};
BW_FACTS(run_facts, "vm maps", "ranges", run_rows);

enum { MAX_RUNS = 100000 };

struct bw_error *bw_look_maps(struct bw_look *l, struct bw_look_vm *vm)
{
	const struct bw_gpuvm_context *c = &vm->space.context;
	struct bw_table t;
	struct run m = {0};
	unsigned n = 0;
	uint64_t total_b = 0;
	const char *stopped = NULL;
	bw_table_begin(&t, &run_facts);
	for (uint64_t va = c->start; va <= c->end && n < MAX_RUNS && !bw_look_ended;) {
		struct bw_gpuvm_range r;
		bool mapped = bw_gpuvm_walk(c, bw_look_vm_read, vm, va, &r) &&
			      r.verdict == BW_GPUVM_MAPPED;
		uint64_t next = r.va + r.size_b;
		if (r.verdict == BW_GPUVM_POWERED_OFF || r.verdict == BW_GPUVM_CONTEXT_DISABLED) {
			stopped = r.verdict == BW_GPUVM_POWERED_OFF ? "the block is powered off"
								    : "the context is disabled";
			break;
		}
		bool more = mapped && m.is_open && m.va + m.size_b == va &&
			    m.is_system == r.system && m.address + m.size_b == r.address &&
			    is_of_kind(&m.entry, &r.entry);
		if (!more) {
			if (m.is_open)
				bw_table_row(&t, &m);
			n += m.is_open;
			m = (struct run){.gen = c->gen,
					 .is_open = mapped,
					 .is_system = r.system,
					 .va = va,
					 .address = r.address,
					 .entry = r.entry};
		}
		if (mapped) {
			m.size_b += r.size_b;
			m.n_pages++;
			total_b += r.size_b;
		}
		if (next <= va)
			break;
		va = next;
	}
	if (n < MAX_RUNS && m.is_open)
		bw_table_row(&t, &m);
	bw_out_begin(l->out, "command", "vm maps");
	if (!vm->text.is_user_queue)
		bw_out_int(l->out, "vmid", c->vmid);
	bw_out_str(l->out, "hub", l->hub == BW_GPUVM_MM ? "mm" : "gc");
	struct bw_str text = {0};
	if (vm->text.is_user_queue)
		bw_str_add(&text, "The user queue");
	else
		bw_str_addf(&text, "VMID %u", c->vmid);
	if (stopped) {
		bw_str_addf(&text, " maps nothing: %s.", stopped);
	} else {
		bw_str_add(&text, " maps ");
		add_size(&text, total_b);
		bw_str_addf(&text, " in %zu range%s%s.", bw_table_rows(&t),
			    bw_table_rows(&t) == 1 ? "" : "s",
			    n >= MAX_RUNS ? "; more are left out" : "");
	}
	if (bw_table_rows(&t) || l->json)
		bw_out_table(l->out, &t, "");
	bw_out_line(l->out, "%s", bw_str_text(&text));
	bw_out_str(l->out, "summary", bw_str_text(&text));
	bw_out_end(l->out);
	bw_str_free(&text);
	bw_table_fini(&t);
	return NULL;
}
