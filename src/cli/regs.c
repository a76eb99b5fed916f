/* SPDX-License-Identifier: MIT */
/* breakwater regs: the register database, and the registers of a GPU. */
#include "cli/regs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"
#include "cli/subcommands.h"

static const char usage[] =
	"Usage: breakwater regs find NAME [--gfx VERSION]\n"
	"       breakwater regs list BLOCK [--gfx VERSION]\n"
	"       breakwater regs decode NAME VALUE [--gfx VERSION]\n"
	"       breakwater regs read NAME|PATTERN|ADDRESS... [--bits] [--watch]\n"
	"       breakwater regs write NAME|ADDRESS VALUE\n"
	"       breakwater regs set NAME FIELD=VALUE...\n"
	"\n"
	"find      registers whose names have NAME in them (or match it, with * and ?)\n"
	"list      all registers of a block: gc, mmhub, osssys, hdp, sdma, ...\n"
	"decode    the fields of a value\n"
	"These need no GPU; without --gfx they look at all generations (decode, list: gfx11).\n"
	"read, write and set are for the GPU chosen with --gpu; GFXOFF is held off meanwhile.\n";

struct regs_command {
	struct bw_look look;
	struct bw_look_regs live;
};

/* ---- the database ---- */

/* The versions of what stands beside a graphics block: amdgpu_discovery.c of Linux 6.12, and where
 * that reads the GPU's own table, a chip of the generation. 0: it has none of its own. */
static uint32_t version_beside(uint32_t gc, const char *block)
{
	static const struct {
		uint32_t least, hdp, osssys, sdma;
	} rows[] = {
		/* Linux 7.2; its driver does not touch HDP there */
		{BW_IP_VERSION(12, 1, 0), 0, BW_IP_VERSION(7, 1, 0), 0},
		{BW_IP_VERSION(12, 0, 0), BW_IP_VERSION(7, 0, 0), BW_IP_VERSION(7, 0, 0), 0},
		{BW_IP_VERSION(11, 5, 0), BW_IP_VERSION(6, 1, 0), BW_IP_VERSION(6, 1, 0), 0},
		{BW_IP_VERSION(11, 0, 0), BW_IP_VERSION(6, 0, 0), BW_IP_VERSION(6, 0, 0), 0},
		{BW_IP_VERSION(10, 0, 0), BW_IP_VERSION(5, 0, 0), BW_IP_VERSION(5, 0, 0), 0},
		{BW_IP_VERSION(9, 4, 3), BW_IP_VERSION(4, 4, 2), BW_IP_VERSION(4, 4, 2),
		 BW_IP_VERSION(4, 4, 2)},
		{BW_IP_VERSION(9, 4, 2), BW_IP_VERSION(4, 4, 0), BW_IP_VERSION(4, 4, 0),
		 BW_IP_VERSION(4, 4, 0)},
		{BW_IP_VERSION(9, 4, 0), BW_IP_VERSION(4, 2, 0), BW_IP_VERSION(4, 2, 0),
		 BW_IP_VERSION(4, 2, 0)},
		{0, BW_IP_VERSION(4, 0, 0), BW_IP_VERSION(4, 0, 0), BW_IP_VERSION(4, 0, 0)},
	};
	size_t i = 0;
	while (gc < rows[i].least)
		i++;
	return !strcasecmp(block, "hdp")	? rows[i].hdp
	       : !strcasecmp(block, "osssys")	? rows[i].osssys
	       : !strncasecmp(block, "sdma", 4) ? rows[i].sdma
						: 0;
}

/* The version of a block of the GPU asked about, or without one of gfx11. 0: not known. */
static uint32_t version_of(const struct bw_look *l, const char *block)
{
	static const uint32_t gc_11 = BW_IP_VERSION(11, 0, 0), mm_3 = BW_IP_VERSION(3, 0, 0);
	uint32_t gc = l->has_part ? l->part.gc : gc_11;
	if (!strcasecmp(block, "gc"))
		return gc;
	if (!strcasecmp(block, "mmhub"))
		return l->has_part ? l->part.mm : mm_3;
	return version_beside(gc, block);
}

/* Whether a table is for the GPU that version_of() is of. */
static bool is_of_gpu(const struct bw_look *l, const struct bw_regs_block *b)
{
	const struct bw_regs_block *own;
	const char *name = bw_regs_block_name(b);
	uint32_t version = version_of(l, name);
	if (!version)
		return false;
	struct bw_error *err = bw_regs_find(name, version, &own);
	bool same = !err && own == b;
	bw_error_free(err);
	return same;
}

struct register_row {
	struct bw_reg reg;
	char name[96], version[24], segment[24];
	const char *block;
};

static const struct bw_fact register_rows[] = {
	{"Register", "name", "text", BW_OF(struct register_row, name)},
	{"Block", "block", "text", BW_OF(struct register_row, block)},
	{"Version", "version", "text", BW_OF(struct register_row, version)},
	{"Segment", "segment", "text", BW_OF(struct register_row, segment)},
	{"Offset", "offset", "hex", BW_OF(struct register_row, reg.offset_dw), .digits = 4},
	{"Fields", "fields", "count", BW_OF(struct register_row, reg.n_fields)},
};
BW_FACTS(register_facts, "regs list", "registers", register_rows);

static void add_register(struct bw_table *t, const struct bw_reg *reg)
{
	struct register_row r = {.reg = *reg, .block = bw_regs_block_name(reg->block)};
	snprintf(r.name, sizeof(r.name), "%s%s", reg->prefix, reg->name);
	snprintf(r.version, sizeof(r.version), "%u.%u.%u",
		 BW_IP_NUMBERS(bw_regs_version(reg->block)));
	if (reg->segment == BW_REG_INDEXED)
		snprintf(r.segment, sizeof(r.segment), "%s", reg->space);
	else
		snprintf(r.segment, sizeof(r.segment), "%d", reg->segment);
	bw_table_row(t, &r);
}

static struct bw_error *find_registers(struct bw_look *l)
{
	struct bw_table t;
	char pattern[128];
	if (l->n_words != 2)
		return bw_errorf(BW_E_INVALID, "find wants one name");
	bool is_pattern = strpbrk(l->words[1], "*?") != NULL;
	snprintf(pattern, sizeof(pattern), is_pattern ? "%s" : "*%s*", l->words[1]);
	bw_table_begin(&t, &register_facts);
	/* Registers of just this name come first. */
	for (int round = is_pattern ? 1 : 0; round < 2; round++) {
		const struct bw_regs_block *b;
		for (size_t n = 0; (b = bw_regs_nth(n)); n++) {
			struct bw_reg reg, same = {0};
			size_t at = 0;
			bool has_same = !is_pattern && bw_regs_lookup(b, l->words[1], &same);
			if (l->has_part && !is_of_gpu(l, b))
				continue;
			if (round == 0 && has_same)
				add_register(&t, &same);
			while (round == 1 && bw_regs_match_next(b, pattern, &at, &reg))
				if (!has_same || reg.index != same.index)
					add_register(&t, &reg);
		}
	}
	if (!bw_table_rows(&t)) {
		bw_table_fini(&t);
		return bw_errorf(BW_E_NOT_FOUND, "no register%s has \"%s\" in its name",
				 l->has_part ? " of this GPU" : "", l->words[1]);
	}
	bw_out_begin(l->out, "command", "regs find");
	bw_out_table(l->out, &t, "");
	bw_out_end(l->out);
	bw_table_fini(&t);
	return NULL;
}

/* The table of a block: of the GPU asked about, of gfx11 without one. */
static struct bw_error *block_of(const struct bw_look *l, const char *name,
				 const struct bw_regs_block **out)
{
	const struct bw_regs_block *b;
	uint32_t version = version_of(l, name);
	bool is_known = false;
	if (version)
		return bw_regs_find(name, version, out);
	if (!strcasecmp(name, "mmhub"))
		return bw_errorf(BW_E_INVALID, "--gfx with a whole version, or --mmhub, says which "
					       "memory hub is meant");
	for (size_t n = 0; !is_known && (b = bw_regs_nth(n)); n++)
		is_known = !strcasecmp(bw_regs_block_name(b), name);
	if (is_known && strncasecmp(name, "sdma", 4) != 0)
		return bw_errorf(BW_E_NOT_FOUND,
				 "the registers of %s of gfx%u.%u are not known here", name,
				 bw_ip_major(l->part.gc), bw_ip_minor(l->part.gc));
	if (is_known)
		return bw_errorf(BW_E_NOT_FOUND,
				 "%s has no block of its own in gfx10 and later (and without --gfx "
				 "gfx11 is meant): its registers are in gc",
				 name);
	return bw_errorf(BW_E_NOT_FOUND,
			 "there is no block \"%s\": gc, mmhub, osssys, hdp, sdma, sdma0, sdma1",
			 name);
}

static struct bw_error *list(struct bw_look *l)
{
	const struct bw_regs_block *b;
	struct bw_table t;
	if (l->n_words != 2)
		return bw_errorf(BW_E_INVALID, "list wants one block");
	BW_TRY(block_of(l, l->words[1], &b));
	bw_table_begin(&t, &register_facts);
	for (size_t i = 0; i < bw_regs_count(b); i++) {
		struct bw_reg reg = bw_regs_get(b, i);
		add_register(&t, &reg);
	}
	bw_out_begin(l->out, "command", "regs list");
	bw_out_table(l->out, &t, "");
	bw_out_end(l->out);
	bw_table_fini(&t);
	return NULL;
}

static void bits(struct bw_table *t, const void *of)
{
	const struct bw_reg_field *f = &((const struct bw_reg_field_value *)of)->field;
	if (f->hi == f->lo)
		bw_table_text(t, "%u", f->lo);
	else
		bw_table_text(t, "%u:%u", f->hi, f->lo);
}

static const struct bw_fact field_rows[] = {
	{"  Field", "name", "text", BW_OF(struct bw_reg_field_value, field.name)},
	{"Bits", NULL, "text", BW_GET(bits)},
	{NULL, "high", "count", BW_OF(struct bw_reg_field_value, field.hi)},
	{NULL, "low", "count", BW_OF(struct bw_reg_field_value, field.lo)},
	{"Value", "value", "hex", BW_OF(struct bw_reg_field_value, value)},
};
BW_FACTS(field_facts, "regs decode", "fields", field_rows);

void bw_look_fields(struct bw_out *o, const struct bw_reg *reg, uint64_t word)
{
	struct bw_reg_field_value f[BW_LOOK_MAX_FIELDS];
	size_t n = BW_MIN(bw_reg_decode(reg, word, f, BW_ARRAY_SIZE(f)), BW_ARRAY_SIZE(f));
	bw_out_facts(o, &field_facts, f, n, "  (its fields are not known)\n");
}

/* For an HQD: shows the size in bytes that QUEUE_SIZE encodes. */
static void show_ring_size(struct bw_look *l, const struct bw_reg *reg, uint64_t word)
{
	struct bw_reg_field f;
	if (strcmp(reg->name, "CP_HQD_PQ_CONTROL") != 0)
		return;
	struct bw_error *err = bw_reg_field_by_name(reg, "QUEUE_SIZE", &f);
	bw_error_free(err);
	if (!err)
		bw_out_line(l->out, "The ring has 2^(QUEUE_SIZE + 1) = 0x%llx words.",
			    2ull << bw_reg_field_get(f, word));
}

static struct bw_error *decode(struct bw_look *l)
{
	const struct bw_regs_block *b;
	struct bw_reg reg = {0};
	bool found = false;
	uint64_t word;
	if (l->n_words != 3)
		return bw_errorf(BW_E_INVALID, "decode wants a register and a value");
	BW_TRY(bw_look_number("decode", l->words[2], &word));
	/* the graphics block first, where most registers are */
	BW_TRY(block_of(l, "gc", &b));
	found = bw_regs_lookup(b, l->words[1], &reg);
	for (size_t n = 0; !found && (b = bw_regs_nth(n)); n++)
		found = is_of_gpu(l, b) && bw_regs_lookup(b, l->words[1], &reg);
	if (!found) {
		BW_TRY(block_of(l, "gc", &b));
		return bw_regs_by_name(b, l->words[1], &reg); /* names those that are near */
	}
	uint32_t v = bw_regs_version(reg.block);
	bw_out_begin(l->out, "command", "regs decode");
	bw_out_line(l->out, "%s%s of %s %u.%u.%u = 0x%08" PRIx64, reg.prefix, reg.name,
		    bw_regs_block_name(reg.block), BW_IP_NUMBERS(v), word);
	bw_out_str(l->out, "name", reg.name);
	bw_out_str(l->out, "block", bw_regs_block_name(reg.block));
	bw_out_strf(l->out, "version", "%u.%u.%u", BW_IP_NUMBERS(v));
	bw_out_hex(l->out, "value", word);
	bw_look_fields(l->out, &reg, word);
	show_ring_size(l, &reg, word);
	bw_out_end(l->out);
	return NULL;
}

/* ---- options ---- */

static struct bw_error *take_numbers(const char *option, const char *value, uint32_t *out,
				     unsigned least, unsigned most)
{
	char words[64], *save = NULL;
	unsigned n = 0;
	snprintf(words, sizeof(words), "%s", value ? value : "");
	for (char *w = strtok_r(words, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		uint64_t v = ~0u;
		if (n == most || (strcmp(w, "x") != 0 && (!bw_parse_u64(w, &v) || v > 255)))
			return bw_errorf(BW_E_INVALID,
					 "%s wants %u numbers with commas, or x for all", option,
					 most);
		out[n++] = (uint32_t)v;
	}
	return n >= least
		       ? NULL
		       : bw_errorf(BW_E_INVALID, "%s wants %u numbers with commas", option, least);
}

static struct bw_error *take_xcc(void *command, const char *option, const char *value)
{
	struct bw_look_regs *live = &((struct regs_command *)command)->live;
	uint64_t xcc;
	BW_TRY(bw_look_number(option, value, &xcc));
	if (xcc > 255)
		return bw_errorf(BW_E_INVALID, "there is no XCC %s", value);
	live->has_xcc = true;
	live->bank.xcc = (uint32_t)xcc;
	return NULL;
}

static struct bw_error *take_bank(void *command, const char *option, const char *value)
{
	struct bw_kmd_bank *b = &((struct regs_command *)command)->live.bank;
	uint32_t v[3] = {0};
	BW_TRY(take_numbers(option, value, v, 3, 3));
	b->use_grbm = true;
	b->se = v[0];
	b->sa = v[1];
	b->instance = v[2];
	return NULL;
}

static struct bw_error *take_queue(void *command, const char *option, const char *value)
{
	struct bw_kmd_bank *b = &((struct regs_command *)command)->live.bank;
	uint32_t v[4] = {0};
	BW_TRY(take_numbers(option, value, v, 3, 4));
	b->use_srbm = true;
	b->use_grbm = false;
	b->me = v[0];
	b->pipe = v[1];
	b->queue = v[2];
	b->vmid = v[3];
	return NULL;
}

static const struct bw_option rows[] = {
	BW_LOOK_GFX,
	{"--bits", NULL, "fields, too", BW_FLAG(struct regs_command, live.bits)},
	{"--bank", "SE,SA,INSTANCE",
	 "registers of that shader engine, array and instance; x: of all of them (broadcast, the default)",
	 BW_CALL(take_bank)},
	{"--queue", "ME,PIPE,QUEUE[,VMID]", "registers as that queue, or that VMID, has them",
	 BW_CALL(take_queue)},
	{"--xcc", "N", "registers of graphics block N, where a GPU has several (gfx9.4.3)",
	 BW_CALL(take_xcc)},
	{"--watch", NULL, "reads again and again, and shows what changes",
	 BW_FLAG(struct regs_command, live.watch)},
	{"--rounds", "N", "how often --watch reads",
	 BW_U64(struct regs_command, live.rounds, 0, UINT64_MAX)},
	BW_LOOK_GPU,
	BW_LOOK_END,
};

const struct bw_command_line bw_line_regs = {
	.name = "breakwater regs",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.after = "ADDRESS counts dwords from the first register: 0x2004 is GRBM_STATUS of gfx11.\n",
	.word = bw_look_take_word,
};

static struct bw_error *run_regs(struct bw_look *l)
{
	struct regs_command *c = l->cookie;
	static const struct {
		const char *name;
		struct bw_error *(*offline)(struct bw_look *l);
		struct bw_error *(*live)(struct bw_look_regs *r);
	} parts[] = {
		{"find", find_registers, NULL},
		{"list", list, NULL},
		{"decode", decode, NULL},
		{"read", NULL, bw_look_regs_read},
		{"write", NULL, bw_look_regs_write},
		{"set", NULL, bw_look_regs_set},
	};
	c->live.look = l;
	for (size_t i = 0; l->n_words && i < BW_ARRAY_SIZE(parts); i++)
		if (!strcmp(l->words[0], parts[i].name))
			return parts[i].offline ? parts[i].offline(l) : parts[i].live(&c->live);
	return bw_errorf(BW_E_INVALID,
			 "regs wants find, list, decode, read, write or set (see --help)");
}

int bw_main_regs(int argc, char **argv)
{
	struct regs_command c = {
		.live = {.bank = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u}}};
	c.look.cookie = &c;
	return bw_look_main(&c.look, &bw_line_regs, argc, argv, run_regs);
}
