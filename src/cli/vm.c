/* SPDX-License-Identifier: MIT */
/* breakwater vm: page tables. "layout" and "entry" are arithmetic; "walk", "maps" and "explain"
 * look at a GPU, or at registers and entries given as text. */
#include "base/lines.h"
#include "cli/vm.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cli/subcommands.h"
#include "gpuvm/layout.h"

static const char usage[] =
	"Usage: breakwater vm walk VMID@ADDRESS [--hub gc|mm] [--gpu GPU]\n"
	"       breakwater vm explain [VMID@ADDRESS]\n"
	"       breakwater vm maps VMID\n"
	"       breakwater vm layout --depth N --block-size N [--translate-further]\n"
	"       breakwater vm entry VALUE --gfx VERSION --level pde0\n"
	"\n"
	"walk      each entry on the way to an address, and where and why the walk stops\n"
	"explain   in a sentence what the page tables say about an address, for each kind of access; "
	"without an address what faulted last on this GPU, by its registers or the kernel log\n"
	"maps      all that a VMID has mapped\n"
	"A VMID can be given as the id or the name of a process that uses the GPU.\n"
	"layout    levels of tables: entries, coverage, sizes\n"
	"entry     the bits of one entry\n";

/* Whose an option is, beside those of all. */
enum part { WALK, LAYOUT, ENTRY, N_PARTS };

struct vm_command {
	struct bw_look look;
	const char *from, *level;
	const char **texts; /* of --set and --entry; argv's */
	size_t n_texts;
	bool further, has_depth, has_levels, has_block, has_field, has_bfs, has_cntl, has_at;
	const char *option[N_PARTS]; /* the last one of each kind that was given, or NULL */
	uint64_t depth, levels, block_size, field, bfs, cntl, size_b, start, at;
};

/* A size: 256T, 128G, or as other numbers. */
static struct bw_error *take_size(void *command, const char *option, const char *value)
{
	uint64_t *out = &((struct vm_command *)command)->size_b, v;
	size_t n = strlen(value);
	char digits[32];
	if (n > 1 && n < sizeof(digits) && (value[n - 1] == 'T' || value[n - 1] == 'P')) {
		snprintf(digits, sizeof(digits), "%.*s", (int)n - 1, value);
		if (bw_parse_u64(digits, &v) && v < 1 << 14) {
			*out = v << (value[n - 1] == 'T' ? 40 : 50);
			return NULL;
		}
	}
	return bw_look_number(option, value, out);
}

static struct bw_error *take_text(void *command, const char *option, const char *value)
{
	struct vm_command *c = command;
	c->texts[c->n_texts++] = value;
	return NULL;
}

static struct bw_error *took(struct vm_command *c, enum part part, char *const *words)
{
	c->option[part] = words[0];
	return NULL;
}

static struct bw_error *took_walk(void *command, char *const *words, size_t n)
{
	(void)n;
	return took(command, WALK, words);
}

static struct bw_error *took_layout(void *command, char *const *words, size_t n)
{
	(void)n;
	return took(command, LAYOUT, words);
}

static struct bw_error *took_entry(void *command, char *const *words, size_t n)
{
	(void)n;
	return took(command, ENTRY, words);
}

#define NUMBER(field) BW_U64(struct vm_command, field, 0, UINT64_MAX)
#define NUMBER_HAS(field, given) NUMBER(field), BW_HAS(struct vm_command, given)

static const struct bw_option walk_rows[] = {
	BW_LOOK_HUB,
	BW_LOOK_MMHUB,
	{"--from", "FILE",
	 "without the GPU, with --gfx: registers and entries, the output of \"umr -vm\", or lines NAME=VALUE (cntl, base, start, end, "
	 "fb_offset, ...) and ADDRESS=VALUE",
	 BW_TEXT(struct vm_command, from)},
	{"--set", "NAME=VALUE", "the same, one by one", BW_CALL(take_text)},
	{"--entry", "ADDRESS=VALUE", "likewise", BW_CALL(take_text)},
	{0},
};
static const struct bw_option layout_rows[] = {
	{"--depth", "N", "PAGE_TABLE_DEPTH", NUMBER_HAS(depth, has_depth)},
	{"--levels", "N", "instead: counts all tables", NUMBER_HAS(levels, has_levels)},
	{"--block-size", "N", "of the driver: log2 of the entries of a PTB (9)",
	 NUMBER_HAS(block_size, has_block)},
	{"--page-table-block-size", "N", "instead: the register's field",
	 NUMBER_HAS(field, has_field)},
	{"--translate-further", NULL, "PDB0 holds page table entries",
	 BW_FLAG(struct vm_command, further)},
	{"--bfs", "N", "with it: the block fragment size (9)", NUMBER_HAS(bfs, has_bfs)},
	{"--cntl", "VALUE", "with --gfx, instead: depth and block size from VM_CONTEXTn_CNTL",
	 BW_U64(struct vm_command, cntl, 0, UINT32_MAX), BW_HAS(struct vm_command, has_cntl),
	 .wants = "a number of 32 bits"},
	{"--vm-size", "BYTES",
	 "of the address space: 256T, 128G, 0x2000000000 (48 bits of addresses)",
	 BW_CALL(take_size)},
	{"--start", "ADDRESS", "of the address space (0)", NUMBER(start)},
	{"--address", "ADDRESS", "which entries an address selects", NUMBER_HAS(at, has_at)},
	{0},
};
static const struct bw_option entry_rows[] = {
	{"--level", "LEVEL", "pte, pde0, pde1, pde2, pde3", BW_TEXT(struct vm_command, level)},
	{0},
};
static const struct bw_option all_rows[] = {BW_LOOK_GFX, BW_LOOK_GPU, BW_LOOK_END};

const struct bw_command_line bw_line_vm = {
	.name = "breakwater vm",
	.usage = usage,
	.groups = {{"walk, explain and maps:", walk_rows, .taken = took_walk},
		   {"layout:", layout_rows, .taken = took_layout},
		   {"entry:", entry_rows, .taken = took_entry},
		   {"all:", all_rows}},
	.word = bw_look_take_word,
};

/* ---- layout ---- */

static struct bw_error *small(const char *option, uint64_t v, unsigned *out)
{
	if (v > 64)
		return bw_errorf(BW_E_INVALID, "%s is too large", option);
	*out = (unsigned)v;
	return NULL;
}

/* Options that say the same thing in different ways. */
static struct bw_error *refuse_both(const struct vm_command *c)
{
	const struct {
		bool has[2];
		const char *name[2];
	} pairs[] = {
		{{c->has_depth, c->has_levels}, {"--depth", "--levels"}},
		{{c->has_depth, c->has_cntl}, {"--depth", "--cntl"}},
		{{c->has_levels, c->has_cntl}, {"--levels", "--cntl"}},
		{{c->has_block, c->has_field}, {"--block-size", "--page-table-block-size"}},
		{{c->has_block, c->has_cntl}, {"--block-size", "--cntl"}},
		{{c->has_field, c->has_cntl}, {"--page-table-block-size", "--cntl"}},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(pairs); i++)
		if (pairs[i].has[0] && pairs[i].has[1])
			return bw_errorf(BW_E_INVALID,
					 "%s and %s say the same thing: give one of them",
					 pairs[i].name[0], pairs[i].name[1]);
	if (c->has_bfs && !c->further)
		return bw_errorf(BW_E_INVALID, "--bfs needs --translate-further");
	return NULL;
}

enum { DRIVERS_BLOCK_SIZE = 9 };

static struct bw_error *spec_of(struct vm_command *c, struct bw_gpuvm_layout_spec *s)
{
	enum bw_gpuvm_gen gen = c->look.has_part ? c->look.part.gen : BW_GPUVM_GFX11;
	uint64_t directories_less = c->further ? 2 : 1;
	BW_TRY(refuse_both(c));
	*s = (struct bw_gpuvm_layout_spec){.further = c->further, .size_b = c->size_b};
	if (!s->size_b)
		s->size_b = 1ull << bw_gpuvm_va_bits(gen);
	if (c->has_cntl) {
		struct bw_gpuvm_regs regs = {.cntl = (uint32_t)c->cntl};
		struct bw_gpuvm_context context;
		if (!c->look.has_part)
			return bw_errorf(BW_E_INVALID,
					 "--cntl needs --gfx: the fields of the register move");
		bw_gpuvm_context_init(&context, gen, 1, &regs);
		s->depth = context.depth;
		s->block = context.block;
	} else if (c->has_depth) {
		BW_TRY(small("--depth", c->depth, &s->depth));
	} else if (c->has_levels && c->levels >= directories_less) {
		BW_TRY(small("--levels", c->levels - directories_less, &s->depth));
	} else {
		return bw_errorf(BW_E_INVALID, "layout wants --depth, --levels%s or --cntl",
				 c->has_levels ? " (1 or more; 2 with translate-further)" : "");
	}
	if (c->has_field)
		BW_TRY(small("--page-table-block-size", c->field, &s->block));
	else if (!c->has_cntl && s->depth)
		BW_TRY(bw_gpuvm_layout_block(c->has_block ? c->block_size : DRIVERS_BLOCK_SIZE,
					     c->further, &s->block));
	s->bfs = c->further ? 9 : 0;
	if (c->has_bfs)
		BW_TRY(small("--bfs", c->bfs, &s->bfs));
	return NULL;
}

static void show_config(struct bw_look *l, const struct bw_gpuvm_layout *t)
{
	struct bw_str s = {0};
	bw_str_add(&s, "VMPTConfig {bytes an entry covers, entries, bytes of a block}:");
	for (unsigned i = 0; i < t->n_levels; i++)
		bw_str_addf(&s, " {0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 "}",
			    t->level[i].covers_b, t->level[i].n_entries, t->level[i].block_b);
	bw_out_line(l->out, "%s", bw_str_text(&s));
	bw_str_free(&s);
}

struct level_row {
	struct bw_gpuvm_layout_level k;
	uint64_t index;
	bool has_index;
};

/* Adds a size; as text in the largest unit that fits. */
static void add_size(struct bw_table *t, json_t *json, uint64_t b)
{
	static const char *const units[] = {"", " KiB", " MiB", " GiB", " TiB", " PiB"};
	unsigned u = 0;
	while (b && b % 1024 == 0 && u + 1 < BW_ARRAY_SIZE(units)) {
		b /= 1024;
		u++;
	}
	bw_table_both(t, json, "%" PRIu64 "%s", b, units[u]);
}

static void entry_covers(struct bw_table *t, const void *of)
{
	uint64_t b = ((const struct level_row *)of)->k.covers_b;
	add_size(t, json_sprintf("0x%" PRIx64, b), b);
}

static void block_takes(struct bw_table *t, const void *of)
{
	uint64_t b = ((const struct level_row *)of)->k.block_b;
	add_size(t, json_integer((json_int_t)b), b);
}

static void block_covers(struct bw_table *t, const void *of)
{
	uint64_t b = ((const struct level_row *)of)->k.block_covers_b;
	add_size(t, json_sprintf("0x%" PRIx64, b), b);
}

static void address_bits(struct bw_table *t, const void *of)
{
	const struct bw_gpuvm_layout_level *k = &((const struct level_row *)of)->k;
	unsigned bits = 0;
	while (bits < 63 && 1ull << bits < k->n_entries)
		bits++;
	if (bits)
		bw_table_text(t, "%u:%u", k->shift + bits - 1, k->shift);
	else
		bw_table_text(t, "none");
}

static const struct bw_fact level_rows[] = {
	{"Level", "level", "text", BW_OF(struct level_row, k.name)},
	{"Entries", "entries", "count", BW_OF(struct level_row, k.n_entries)},
	{"Entry covers", "entry_covers", "hex", BW_GET(entry_covers), .align = BW_ALIGN_RIGHT},
	{"Block takes", "block_bytes", "count", BW_GET(block_takes)},
	{"Block covers", "block_covers", "hex", BW_GET(block_covers), .align = BW_ALIGN_RIGHT},
	{"Address bits", "bits", "text", BW_GET(address_bits)},
	{"Index", "index", "hex?", BW_OF(struct level_row, index),
	 BW_IF(struct level_row, has_index), .align = BW_ALIGN_RIGHT},
};
BW_FACTS(level_facts, "vm layout", "levels", level_rows);

static struct bw_error *layout(struct bw_look *l)
{
	struct vm_command *c = l->cookie;
	struct bw_gpuvm_layout_spec s;
	struct bw_gpuvm_layout v;
	struct bw_table t;
	BW_TRY(spec_of(c, &s));
	BW_TRY(bw_gpuvm_layout(&s, &v));
	if (c->has_at && (c->at < c->start || c->at - c->start >= s.size_b))
		return bw_errorf(BW_E_INVALID,
				 "address 0x%" PRIx64 " is outside of the space, 0x%" PRIx64
				 " to 0x%" PRIx64,
				 c->at, c->start, c->start + s.size_b - 1);
	bw_out_begin(l->out, "command", "vm layout");
	bw_out_line(l->out, "PAGE_TABLE_DEPTH %u, PAGE_TABLE_BLOCK_SIZE %u%s, %u level%s of tables",
		    s.depth, s.block, s.further ? ", translate-further" : "", v.n_levels,
		    v.n_levels == 1 ? "" : "s");
	bw_out_int(l->out, "depth", s.depth);
	bw_out_int(l->out, "block_size", s.block);
	bw_out_int(l->out, "bfs", s.bfs);
	bw_out_bool(l->out, "translate_further", s.further);
	bw_out_hex(l->out, "vm_size", s.size_b);
	bw_table_begin(&t, &level_facts);
	if (!c->has_at)
		bw_table_hide(&t, "index");
	for (unsigned i = 0; i < v.n_levels; i++) {
		struct level_row r = {v.level[i], .has_index = c->has_at};
		if (c->has_at)
			r.index = bw_gpuvm_layout_index(&v, i, c->at - c->start);
		bw_table_row(&t, &r);
	}
	bw_out_table(l->out, &t, "");
	bw_table_fini(&t);
	show_config(l, &v);
	if (s.further)
		bw_out_line(
			l->out,
			"PDB0 is read as page table entries: BFS %u in the entries of PDB1, F set in "
			"those of PDB0 that lead to a PTB.",
			s.bfs);
	bw_out_end(l->out);
	return NULL;
}

/* ---- entry ---- */

static bool level_of(const char *text, unsigned *out)
{
	if (!strcasecmp(text, "pte") || !strcasecmp(text, "ptb")) {
		*out = 0;
		return true;
	}
	if ((!strncasecmp(text, "pde", 3) || !strncasecmp(text, "pdb", 3)) && text[3] >= '0' &&
	    text[3] <= '5' && !text[4]) {
		*out = (unsigned)(text[3] - '0') + 1;
		return true;
	}
	return false;
}

static void add_meaning(enum bw_gpuvm_gen gen, const struct bw_gpuvm_entry_field *f,
			struct bw_str *out)
{
	static const struct {
		const char *name, *clear, *set;
	} flags[] = {
		{"V", "not valid", "valid"},
		{"S", "VRAM", "system memory"},
		{"C", "", "snooped (coherent with the CPU)"},
		{"TMZ", "", "encrypted"},
		{"X", "not executable", "executable"},
		{"R", "not readable", "readable"},
		{"W", "not writeable", "writeable"},
		{"PRT", "", "partially resident: absent on purpose"},
		{"LOG", "", "accesses are logged"},
		{"F", "", "translate further: leads to another table"},
		{"P", "", "this entry is a page"},
		{"IS_PTE", "leads to another table", "this entry is a page"},
		{"TFS", "", "tables that further entries lead to lie relative to this one"},
		{"NOALLOC", "", "not kept in the last-level cache"},
		{"DCC", "", "compressed"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(flags); i++)
		if (!strcmp(f->name, flags[i].name))
			bw_str_add(out, f->value ? flags[i].set : flags[i].clear);
	if (!strcmp(f->name, "MTYPE"))
		bw_str_add(out, bw_gpuvm_mtype_name(gen, (unsigned)f->value));
	else if (!strcmp(f->name, "FRAG"))
		bw_str_addf(out, "%" PRIu64 " KiB are contiguous", (uint64_t)4 << f->value);
	else if (!strcmp(f->name, "BFS"))
		bw_str_addf(out, "entries of the block cover %" PRIu64 " KiB",
			    (uint64_t)4 << f->value);
	else if (!strcmp(f->name, "ADDRESS"))
		bw_str_addf(out, "0x%" PRIx64, f->value << f->lo);
}

static void add_entry_words(enum bw_gpuvm_gen gen, unsigned level, bool is_directory,
			    const struct bw_gpuvm_entry *e, struct bw_str *out)
{
	const char *where = e->system ? "system memory" : "VRAM";
	bool final = !e->valid && e->execute && e->leaf && e->further;
	bw_str_addf(out, "%s entry of ", level ? bw_gpuvm_level_name(level) : "PTB");
	bw_str_add(out, bw_gpuvm_gen_name(gen));
	if (final && !is_directory)
		bw_str_add(out, ": invalid for good, so that faults are not repeated");
	else if (!e->valid && e->prt && !is_directory)
		bw_str_add(out, ": not resident on purpose (PRT): reads give 0 without a fault");
	else if (!e->valid)
		bw_str_add(out, ": not valid, nothing is mapped");
	else if (is_directory)
		bw_str_addf(out, ": it leads to the table at %s 0x%" PRIx64, where, e->base);
	else
		bw_str_addf(out, ": a page at %s 0x%" PRIx64, where, e->base);
	bw_str_add(out, ".");
}

struct field_row {
	enum bw_gpuvm_gen gen;
	struct bw_gpuvm_entry_field f;
};

static void field_bits(struct bw_table *t, const void *of)
{
	const struct field_row *r = of;
	if (r->f.hi == r->f.lo)
		bw_table_text(t, "%u", r->f.lo);
	else
		bw_table_text(t, "%u:%u", r->f.hi, r->f.lo);
}

static void meaning(struct bw_table *t, const void *of)
{
	const struct field_row *r = of;
	struct bw_str text = {0};
	add_meaning(r->gen, &r->f, &text);
	bw_table_text(t, "%s", bw_str_text(&text));
	bw_str_free(&text);
}

static const struct bw_fact field_rows[] = {
	{"Field", "name", "text", BW_OF(struct field_row, f.name)},
	{"Bits", NULL, "text", BW_GET(field_bits)},
	{NULL, "high", "count", BW_OF(struct field_row, f.hi)},
	{NULL, "low", "count", BW_OF(struct field_row, f.lo)},
	{"Value", "value", "hex", BW_OF(struct field_row, f.value)},
	{"", "meaning", "text", BW_GET(meaning)},
};
BW_FACTS(entry_facts, "vm entry", "fields", field_rows);

static struct bw_error *entry(struct bw_look *l)
{
	struct vm_command *c = l->cookie;
	struct bw_gpuvm_entry_field f[BW_GPUVM_MAX_ENTRY_FIELDS];
	struct bw_table t;
	struct bw_str words = {0};
	uint64_t raw;
	unsigned level = 0;
	if (l->n_words != 2)
		return bw_errorf(BW_E_INVALID, "entry wants one value");
	if (!l->has_part)
		return bw_errorf(
			BW_E_INVALID,
			"entry wants --gfx: the bits of an entry differ between generations");
	BW_TRY(bw_look_number("entry", l->words[1], &raw));
	if (c->level && !level_of(c->level, &level))
		return bw_errorf(BW_E_INVALID,
				 "--level is pte, pde0, pde1, pde2 or pde3, not \"%s\"", c->level);
	enum bw_gpuvm_gen gen = l->part.gen;
	struct bw_gpuvm_entry pde = bw_gpuvm_pde(gen, raw), pte = bw_gpuvm_pte(gen, raw);
	/* A directory entry with P is a page, an entry of the PTB with F leads further. */
	bool is_directory = level ? !pde.leaf : pte.valid && pte.further;
	size_t n = bw_gpuvm_entry_fields(gen, is_directory, raw, f);
	add_entry_words(gen, level, is_directory, is_directory ? &pde : &pte, &words);
	bw_out_begin(l->out, "command", "vm entry");
	bw_out_line(l->out, "%s", bw_str_text(&words));
	bw_out_hex(l->out, "entry", raw);
	bw_out_str(l->out, "summary", bw_str_text(&words));
	bw_table_begin(&t, &entry_facts);
	for (size_t i = 0; i < n; i++) {
		struct field_row r = {gen, f[i]};
		bw_table_row(&t, &r);
	}
	bw_out_table(l->out, &t, "");
	bw_table_fini(&t);
	bw_out_end(l->out);
	bw_str_free(&words);
	return NULL;
}

/* ---- walk, explain, maps ---- */

static void from_line(void *cookie, const char *text, size_t n, unsigned number)
{
	(void)number;
	bw_crash_vm_line(cookie, text, n);
}

static struct bw_error *open_text(struct vm_command *c, unsigned vmid, struct bw_look_vm *vm)
{
	struct bw_look *l = &c->look;
	if (!l->has_part)
		return bw_errorf(BW_E_INVALID, "a walk without the GPU wants --gfx");
	vm->part = l->part;
	vm->text.vmid = vmid;
	if (c->from)
		BW_TRY(bw_read_lines(c->from, from_line, &vm->text));
	for (size_t i = 0; i < c->n_texts; i++)
		if (!bw_crash_vm_line(&vm->text, c->texts[i], strlen(c->texts[i])))
			return bw_errorf(
				BW_E_INVALID,
				"\"%s\" is neither NAME=VALUE of a register (cntl has 32 bits) "
				"nor ADDRESS=VALUE of an entry, whose address is a multiple of 8 "
				"(see --help)",
				c->texts[i]);
	if (vm->text.failed)
		return bw_error_nomem();
	bw_crash_vm_end(&vm->text, l->part.gen);
	const struct bw_crash_vm_context *context = &vm->text.context;
	if (!context->has_cntl || !context->has_base)
		return bw_errorf(BW_E_INVALID, "the text lacks %s of VMID %u",
				 context->has_cntl ? "the base" : "CNTL", vmid);
	/* that of a user queue is no kernel's, whatever VMID umr gives it */
	unsigned walked = vm->text.is_user_queue ? BW_LOOK_USER_VMID : vmid;
	bw_gpuvm_context_init(&vm->space.context, l->part.gen, walked, &context->regs);
	return NULL;
}

struct bw_error *bw_look_place(const char *text, bool wants_address, unsigned *vmid, uint64_t *va)
{
	char number[16];
	const char *at = strchr(text, '@');
	uint64_t v;
	size_t n = at ? (size_t)(at - text) : strlen(text);
	if (n >= sizeof(number) || (wants_address && !at) || (!wants_address && at))
		return bw_errorf(BW_E_INVALID, "\"%s\" is not %s", text,
				 wants_address ? "VMID@ADDRESS, such as 8@0x7ffff7f76000"
					       : "a VMID");
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (!bw_parse_u64(number, &v) || v > 15)
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a VMID: they are 0 to 15", number);
	*vmid = (unsigned)v;
	/* As in umr, addresses are hexadecimal with or without 0x. */
	char *end = NULL;
	if (wants_address && isxdigit((unsigned char)at[1])) {
		errno = 0;
		*va = strtoull(at + 1, &end, 16);
	}
	if (wants_address && (!end || *end || errno))
		return bw_errorf(BW_E_INVALID, "\"%s\" is not an address", at + 1);
	return NULL;
}

static struct bw_error *look_at(struct bw_look *l)
{
	struct vm_command *c = l->cookie;
	bool is_maps = !strcmp(l->words[0], "maps");
	struct bw_look_vm vm = {0};
	unsigned vmid = 0;
	uint64_t va = 0;
	bool is_text = c->from || c->n_texts;
	if (!strcmp(l->words[0], "explain") && l->n_words == 1 && !is_text)
		return bw_look_explain_last(l);
	if (!is_text && l->has_part)
		return bw_errorf(BW_E_INVALID,
				 "--gfx is for tables given as text (--from, --set, --entry): a "
				 "GPU says itself what it is");
	if (l->n_words != 2)
		return bw_errorf(BW_E_INVALID, "%s wants one %s", l->words[0],
				 is_maps ? "VMID" : "VMID@ADDRESS");
	BW_TRY(is_text ? bw_look_place(l->words[1], !is_maps, &vmid, &va)
		       : bw_look_live_place(l, l->words[1], !is_maps, &vmid, &va));
	struct bw_error *err = is_text ? open_text(c, vmid, &vm) : bw_look_vm_open(l, vmid, &vm);
	if (!err)
		err = is_maps ? bw_look_maps(l, &vm)
			      : bw_look_walk(l, &vm, va, !strcmp(l->words[0], "explain"));
	bw_look_vm_close(&vm);
	return err;
}

static struct bw_error *run_vm(struct bw_look *l)
{
	static const struct {
		const char *name;
		enum part part;
		struct bw_error *(*run)(struct bw_look *l);
	} parts[] = {{"walk", WALK, look_at},
		     {"explain", WALK, look_at},
		     {"maps", WALK, look_at},
		     {"layout", LAYOUT, layout},
		     {"entry", ENTRY, entry}};
	const struct vm_command *c = l->cookie;
	for (size_t i = 0; l->n_words && i < BW_ARRAY_SIZE(parts); i++) {
		if (strcmp(l->words[0], parts[i].name) != 0)
			continue;
		for (enum part k = 0; k < N_PARTS; k++)
			if (k != parts[i].part && c->option[k])
				return bw_errorf(BW_E_INVALID,
						 "%s is not an option of vm %s (see --help)",
						 c->option[k], parts[i].name);
		return parts[i].run(l);
	}
	return bw_errorf(BW_E_INVALID,
			 "vm wants walk, explain, maps, layout or entry (see --help)");
}

int bw_main_vm(int argc, char **argv)
{
	struct vm_command c = {0};
	c.look.cookie = &c;
	c.texts = calloc((size_t)argc + 1, sizeof(*c.texts));
	int status = c.texts ? bw_look_main(&c.look, &bw_line_vm, argc, argv, run_vm) : 1;
	free(c.texts);
	return status;
}
