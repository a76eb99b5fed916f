/* SPDX-License-Identifier: MIT */
/* Each field in question is given its other values, one at a time, and the walk repeated. */
#include "gpuvm/repair.h"

#include <inttypes.h>
#include <string.h>

#include "base/util.h"

/* PAGE_TABLE_DEPTH, PAGE_TABLE_BLOCK_SIZE and BFS as Linux's driver has them for VMIDs 1 to 15
 * (doc/hardware/page-tables.md 3.2). */
static const struct {
	uint8_t depth, block, bfs;
} known_shapes[] = {{4, 0, 0}, {3, 0, 0}, {2, 0, 0}, {2, 9, 9}, {1, 9, 9}};

enum { MAX_DEPTH = 3, MAX_BLOCK = 15, MAX_BFS = 31, PTB_BITS = 9, LAST_DIRECTORY = 1 };

/* A walk with one entry replaced. */
struct patched {
	bw_gpuvm_read_fn *read;
	void *cookie;
	const struct bw_gpuvm_step *at; /* NULL: none */
	uint64_t value;
};

static bool read_patched(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	const struct patched *p = cookie;
	if (p->at && p->at->system == system && p->at->address == address) {
		*out_entry = p->value;
		return true;
	}
	return p->read(p->cookie, system, address, out_entry);
}

struct search {
	const struct bw_gpuvm_context *c;
	bw_gpuvm_read_fn *read;
	void *cookie;
	uint64_t va;
	struct bw_gpuvm_range now;
	bool leads_nowhere;
	struct bw_gpuvm_repair *out;
	size_t n;
};

static const struct bw_gpuvm_step *last_directory(const struct bw_gpuvm_range *r)
{
	for (unsigned i = 0; i < r->n_steps; i++)
		if (r->step[i].level == LAST_DIRECTORY)
			return &r->step[i];
	return NULL;
}

/* An entry with F whose table would have one entry: it has nothing to select by. */
static bool leads_nowhere(const struct bw_gpuvm_context *c, const struct bw_gpuvm_range *r)
{
	const struct bw_gpuvm_step *directory = last_directory(r);
	return directory && r->n_steps && r->level == BW_GPUVM_LEVEL_FURTHER &&
	       bw_gpuvm_pde(c->gen, directory->value).bfs == 0;
}

/* Keeps a change if a page can be read with it. */
static void try(struct search *s, const struct bw_gpuvm_context *c,
		const struct bw_gpuvm_repair *change, uint64_t value)
{
	struct patched p = {s->read, s->cookie, change->is_register ? NULL : &change->at, value};
	struct bw_gpuvm_range r;
	if (s->n == BW_GPUVM_MAX_REPAIRS || !bw_gpuvm_walk(c, read_patched, &p, s->va, &r) ||
	    r.verdict != BW_GPUVM_MAPPED || !r.entry.read || leads_nowhere(c, &r))
		return;
	s->out[s->n] = *change;
	s->out[s->n].leads_nowhere = s->leads_nowhere && !strcmp(change->field, "BFS");
	s->out[s->n++].then = r;
}

/* ---- fields of entries ---- */

static const struct bw_gpuvm_entry_field *field_of(const struct bw_gpuvm_entry_field *f, size_t n,
						   const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].name, name))
			return &f[i];
	return NULL;
}

/* A field of a step's entry with another value. */
static void try_field(struct search *s, const struct bw_gpuvm_step *at, bool is_directory,
		      const char *name, uint64_t should)
{
	struct bw_gpuvm_entry_field fields[BW_GPUVM_MAX_ENTRY_FIELDS];
	size_t n = bw_gpuvm_entry_fields(s->c->gen, is_directory, at->value, fields);
	const struct bw_gpuvm_entry_field *f = field_of(fields, n, name);
	if (!f || f->value == should)
		return;
	uint64_t mask = bw_bits(~0ull, f->hi - f->lo, 0) << f->lo;
	const struct bw_gpuvm_repair change = {
		.field = name, .at = *at, .is = f->value, .should = should};
	try(s, s->c, &change, (at->value & ~mask) | should << f->lo);
}

static bool is_directory_level(unsigned level)
{
	return level != BW_GPUVM_LEVEL_PTB && level != BW_GPUVM_LEVEL_FURTHER;
}

/* An entry that leads to a table has no rights; one that is a page has. */
static bool has_rights(const struct bw_gpuvm_step *at)
{
	return bw_bits(at->value, 6, 4) != 0;
}

static void try_entries(struct search *s)
{
	const enum bw_gpuvm_gen gen = s->c->gen;
	for (unsigned i = s->now.n_steps; i-- > 0;) {
		const struct bw_gpuvm_step *at = &s->now.step[i];
		bool last = i + 1 == s->now.n_steps;
		bool was_read = !last || s->now.verdict != BW_GPUVM_UNREADABLE;
		bool directory = is_directory_level(at->level);
		if (!was_read || !(at->value & 1) || gen >= BW_GPUVM_GFX12)
			continue;
		struct bw_gpuvm_entry e = bw_gpuvm_pte(gen, at->value);
		/* P, F and S have the same places in both kinds of entries */
		if (e.leaf && !(directory && has_rights(at)))
			try_field(s, at, true, "P", 0);
		if (directory && !e.leaf && has_rights(at))
			try_field(s, at, true, "P", 1);
		if (e.further && (directory || has_rights(at)))
			try_field(s, at, true, "F", 0);
		if (at->level == BW_GPUVM_LEVEL_PTB && !e.further && !has_rights(at))
			try_field(s, at, true, "F", 1);
		if (!last && i + 2 == s->now.n_steps && s->now.verdict == BW_GPUVM_UNREADABLE)
			try_field(s, at, true, "S", !e.system);
	}
}

/* ---- the shape ---- */

static bool is_known_shape(const struct search *s, const struct bw_gpuvm_step *directory)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(known_shapes); i++)
		if (known_shapes[i].depth == s->c->depth && known_shapes[i].block == s->c->block &&
		    (!directory ||
		     bw_gpuvm_pde(s->c->gen, directory->value).bfs == known_shapes[i].bfs))
			return true;
	return false;
}

static void try_shape(struct search *s)
{
	const struct bw_gpuvm_step *directory = last_directory(&s->now);
	if (is_known_shape(s, directory) && !s->leads_nowhere)
		return;
	for (unsigned b = 0; directory && b <= BW_MIN(PTB_BITS + s->c->block, (unsigned)MAX_BFS);
	     b++)
		try_field(s, directory, true, "BFS", b);
	for (unsigned b = 0; b <= MAX_BLOCK; b++) {
		struct bw_gpuvm_context c = *s->c;
		c.block = b;
		if (b != s->c->block)
			try(s, &c,
			    &(struct bw_gpuvm_repair){.field = "PAGE_TABLE_BLOCK_SIZE",
						      .is_register = true,
						      .is = s->c->block,
						      .should = b},
			    0);
	}
	for (unsigned d = 0; d <= MAX_DEPTH; d++) {
		struct bw_gpuvm_context c = *s->c;
		c.depth = d;
		if (d != s->c->depth)
			try(s, &c,
			    &(struct bw_gpuvm_repair){.field = "PAGE_TABLE_DEPTH",
						      .is_register = true,
						      .is = s->c->depth,
						      .should = d},
			    0);
	}
}

/* Whether a field of the tables may be to blame. */
static bool may_be_wrong(const struct search *s)
{
	const enum bw_gpuvm_verdict v = s->now.verdict;
	if (v == BW_GPUVM_MAPPED)
		return s->leads_nowhere || !bw_bits(s->now.entry.raw, 6, 4);
	return s->now.n_steps &&
	       (v == BW_GPUVM_NOT_VALID || v == BW_GPUVM_MISPLACED || v == BW_GPUVM_UNREADABLE);
}

size_t bw_gpuvm_repairs(const struct bw_gpuvm_context *c, bw_gpuvm_read_fn *read, void *cookie,
			uint64_t va, struct bw_gpuvm_repair out[BW_GPUVM_MAX_REPAIRS])
{
	struct search s = {.c = c, .read = read, .cookie = cookie, .va = va, .out = out};
	bw_gpuvm_walk(c, read, cookie, va, &s.now);
	s.leads_nowhere = leads_nowhere(c, &s.now);
	if (!may_be_wrong(&s))
		return 0;
	try_entries(&s);
	try_shape(&s);
	return s.n;
}

/* ---- in words ---- */

static void add_size(struct bw_str *out, unsigned shift)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	bw_str_addf(out, "%" PRIu64 " %s", (uint64_t)1 << shift % 10,
		    units[BW_MIN(shift / 10, (unsigned)BW_ARRAY_SIZE(units) - 1)]);
}

/* With translate-further a driver counts the tables that F leads to as well, so that its names are
 * one up. */
static void add_place(const struct bw_gpuvm_context *c, const struct bw_gpuvm_repair *r,
		      struct bw_str *out)
{
	const struct bw_gpuvm_step *last = &r->then.step[r->then.n_steps - 1];
	if (r->is_register) {
		bw_str_addf(out, "%s of VM_CONTEXT%u_CNTL", r->field, c->vmid);
		return;
	}
	bw_str_addf(out, "%s of the %s entry 0x%016" PRIx64, r->field,
		    bw_gpuvm_level_name(r->at.level), r->at.value);
	if (last->level == BW_GPUVM_LEVEL_FURTHER && r->at.level != BW_GPUVM_LEVEL_FURTHER)
		bw_str_addf(out, " (the driver's %s)", bw_gpuvm_level_name(r->at.level + 1u));
	bw_str_addf(out, " at %s 0x%" PRIx64, r->at.system ? "system memory" : "vram",
		    r->at.address);
}

static void add_meaning(const struct bw_gpuvm_context *c, const struct bw_gpuvm_repair *r,
			struct bw_str *out)
{
	if (!strcmp(r->field, "BFS")) {
		if (r->leads_nowhere)
			bw_str_add(out, "below BFS 0 an entry with F has nothing to select by; ");
		bw_str_add(out, "an entry of the table that it leads to then covers ");
		add_size(out, 12 + (unsigned)r->should);
	} else if (!strcmp(r->field, "PAGE_TABLE_BLOCK_SIZE")) {
		bw_str_add(out, "an entry of the last directory then covers ");
		add_size(out, 21 + (unsigned)r->should);
	} else if (!strcmp(r->field, "PAGE_TABLE_DEPTH")) {
		bw_str_addf(out, "the walk then reads %u director%s before entries of pages",
			    (unsigned)r->should, r->should == 1 ? "y" : "ies");
	} else if (!strcmp(r->field, "F")) {
		bw_str_add(out, r->should ? "it leads to another table then, and is not a page"
				: is_directory_level(r->at.level)
					? "an entry of a directory leads to a table without it"
					: "it is a page then, and leads no further");
	} else if (!strcmp(r->field, "P")) {
		bw_str_add(out, r->should ? "it is a page then, not a table"
				: is_directory_level(r->at.level)
					? "it leads to a table then, and is not a page"
					: "only an entry of a directory needs it to be a page");
	} else {
		bw_str_addf(out, "its table is in %s then", r->should ? "system memory" : "vram");
	}
}

void bw_gpuvm_repairs_tell(const struct bw_gpuvm_context *c, const struct bw_gpuvm_repair *repairs,
			   size_t n, uint64_t va, struct bw_str *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct bw_gpuvm_repair *r = &repairs[i];
		bool is_flag = r->is <= 1 && r->should <= 1 && !r->is_register &&
			       strcmp(r->field, "BFS") != 0;
		bw_str_add(out, i ? "; or " : "Likely wrong: ");
		add_place(c, r, out);
		if (is_flag)
			bw_str_addf(out, " is %s and should be %s", r->is ? "set" : "clear",
				    r->should ? "set" : "clear");
		else
			bw_str_addf(out, " is %" PRIu64 " and should be %" PRIu64, r->is,
				    r->should);
		bw_str_add(out, " (");
		add_meaning(c, r, out);
		bw_str_addf(out, ", and the address is mapped to %s 0x%" PRIx64 ")",
			    r->then.system ? "system" : "vram",
			    r->then.address + (va - r->then.va));
	}
	if (n)
		bw_str_add(out, ".");
}
