/* SPDX-License-Identifier: MIT */
#include "regs/regs.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "regs/register_tables.h"

static const char *text(uint32_t name)
{
	return bw_regs_pool + name;
}

static void version_text(uint32_t v, char out[16])
{
	snprintf(out, 16, "%u.%u.%u", BW_IP_NUMBERS(v));
}

static bool is_for(const struct bw_regs_block *b, uint32_t version)
{
	for (uint32_t i = 0; i < b->n_ranges; i++) {
		const struct bw_regs_range *r = &bw_regs_ranges[b->first_range + i];
		if (version >= r->first && version <= r->last)
			return true;
	}
	return false;
}

static struct bw_error *no_such_block(const char *block, uint32_t version)
{
	struct bw_str known = {0};
	char v[16];
	bool block_known = false;
	for (uint32_t i = 0; i < bw_regs_n_blocks; i++) {
		const struct bw_regs_block *b = &bw_regs_blocks[i];
		if (strcasecmp(text(b->name), block))
			continue;
		version_text(b->version, v);
		bw_str_add_next(&known, v);
		block_known = true;
	}
	for (uint32_t i = 0; i < bw_regs_n_blocks && !block_known; i++)
		if (!i || bw_regs_blocks[i].name != bw_regs_blocks[i - 1].name)
			bw_str_add_next(&known, text(bw_regs_blocks[i].name));
	version_text(version, v);
	struct bw_error *err;
	if (block_known)
		err = bw_errorf(BW_E_NOT_FOUND, "no registers known for %s %s (known versions: %s)",
				block, v, bw_str_text(&known));
	else
		err = bw_errorf(BW_E_NOT_FOUND,
				"no registers known for a block '%s' (known blocks: %s)", block,
				bw_str_text(&known));
	bw_str_free(&known);
	return err;
}

struct bw_error *bw_regs_find(const char *block, uint32_t version, const struct bw_regs_block **out)
{
	for (uint32_t i = 0; i < bw_regs_n_blocks; i++) {
		const struct bw_regs_block *b = &bw_regs_blocks[i];
		if (!strcasecmp(text(b->name), block) && is_for(b, version)) {
			*out = b;
			return NULL;
		}
	}
	/* From gfx10 on the SDMA engines are part of the graphics block. */
	if (!strncasecmp(block, "sdma", 4) && version >= BW_IP_VERSION(5, 0, 0)) {
		char v[16];
		version_text(version, v);
		return bw_errorf(BW_E_NOT_FOUND,
				 "the registers of %s %s are in the block gc, with its version",
				 block, v);
	}
	return no_such_block(block, version);
}

const struct bw_regs_block *bw_regs_nth(size_t n)
{
	return n < bw_regs_n_blocks ? &bw_regs_blocks[n] : NULL;
}

const char *bw_regs_block_name(const struct bw_regs_block *b)
{
	return text(b->name);
}

uint32_t bw_regs_version(const struct bw_regs_block *b)
{
	return b->version;
}

size_t bw_regs_count(const struct bw_regs_block *b)
{
	return b->n_rows;
}

static bool is_indexed(const struct bw_regs_row *row)
{
	return row->segment >= BW_REGS_FIRST_SPACE;
}

struct bw_reg bw_regs_get(const struct bw_regs_block *b, size_t index)
{
	assert(index < b->n_rows);
	const struct bw_regs_row *row = &bw_regs_rows[b->first_row + index];
	struct bw_reg reg = {
		.block = b,
		.index = (uint32_t)index,
		.name = text(row->name),
		.prefix = b->prefix ? "reg" : "mm",
		.segment = row->segment,
		.offset_dw = row->offset_dw,
		.n_fields = bw_regs_lists[row->list + 1] - bw_regs_lists[row->list],
	};
	if (is_indexed(row)) {
		reg.prefix = "ix";
		reg.space = text(bw_regs_spaces[row->segment - BW_REGS_FIRST_SPACE]);
		reg.segment = BW_REG_INDEXED;
	}
	return reg;
}

/* The row that stands at place i in order of name. */
static size_t nth_name(const struct bw_regs_block *b, size_t i)
{
	return bw_regs_names[b->first_row + i];
}

static const char *name_at(const struct bw_regs_block *b, size_t i)
{
	return text(bw_regs_rows[b->first_row + nth_name(b, i)].name);
}

enum wanted { ANY, DIRECT, INDEXED };

static bool lookup_bare(const struct bw_regs_block *b, const char *name, enum wanted wanted,
			struct bw_reg *out)
{
	size_t lo = 0, hi = b->n_rows;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcasecmp(name_at(b, mid), name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < b->n_rows && !strcasecmp(name_at(b, lo), name); lo++) {
		struct bw_reg reg = bw_regs_get(b, nth_name(b, lo));
		if (wanted == ANY || (wanted == INDEXED) == (reg.segment == BW_REG_INDEXED)) {
			*out = reg;
			return true;
		}
	}
	return false;
}

static const struct {
	const char *text;
	enum wanted wanted;
} prefixes[] = {{"mm", DIRECT}, {"reg", DIRECT}, {"ix", INDEXED}};

bool bw_regs_lookup(const struct bw_regs_block *b, const char *name, struct bw_reg *out)
{
	/* As it stands first: MMEA0_... is a name, not mm and EA0_... */
	if (lookup_bare(b, name, ANY, out))
		return true;
	for (size_t i = 0; i < BW_ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i].text);
		if (!strncasecmp(name, prefixes[i].text, len) &&
		    lookup_bare(b, name + len, prefixes[i].wanted, out))
			return true;
	}
	return false;
}

size_t bw_regs_nearest(const struct bw_regs_block *b, const char *name, const char **out,
		       size_t max)
{
	_cleanup_free_ const char **candidates = calloc(b->n_rows, sizeof(*candidates));
	_cleanup_free_ size_t *found = calloc(max ? max : 1, sizeof(*found));
	_cleanup_free_ char *upper = strdup(name);
	if (!candidates || !found || !upper)
		return 0;
	for (char *p = upper; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	const char *word = upper;
	for (size_t i = 0; i < BW_ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i].text);
		/* a typed prefix is lower case; MMHUB is not one */
		if (!strncmp(name, prefixes[i].text, len))
			word = upper + len;
	}
	for (size_t i = 0; i < b->n_rows; i++)
		candidates[i] = name_at(b, i);
	size_t n = bw_nearest(word, candidates, b->n_rows, found, max);
	for (size_t i = 0; i < n; i++)
		out[i] = candidates[found[i]];
	return n;
}

struct bw_error *bw_regs_by_name(const struct bw_regs_block *b, const char *name,
				 struct bw_reg *out)
{
	const char *near[3];
	char v[16];
	if (bw_regs_lookup(b, name, out))
		return NULL;
	size_t n = bw_regs_nearest(b, name, near, BW_ARRAY_SIZE(near));
	version_text(b->version, v);
	return bw_errorf(BW_E_NOT_FOUND, "%s %s has no register '%s'%s%s%s%s%s%s", text(b->name), v,
			 name, n ? "; nearest: " : "", n ? near[0] : "", n > 1 ? ", " : "",
			 n > 1 ? near[1] : "", n > 2 ? ", " : "", n > 2 ? near[2] : "");
}

/* Rows are sorted by segment, then offset. */
static size_t at(const struct bw_regs_block *b, unsigned segment, uint32_t offset_dw,
		 struct bw_reg *out_first)
{
	const struct bw_regs_row *rows = &bw_regs_rows[b->first_row];
	uint64_t key = bw_join32(segment, offset_dw);
	size_t lo = 0, hi = b->n_rows, n = 0;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (bw_join32(rows[mid].segment, rows[mid].offset_dw) < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo + n < b->n_rows && rows[lo + n].segment == segment &&
	       rows[lo + n].offset_dw == offset_dw)
		n++;
	if (n)
		*out_first = bw_regs_get(b, lo);
	return n;
}

size_t bw_regs_at(const struct bw_regs_block *b, int segment, uint32_t offset_dw,
		  struct bw_reg *out_first)
{
	if (segment < 0 || segment >= BW_REGS_FIRST_SPACE)
		return 0;
	return at(b, (unsigned)segment, offset_dw, out_first);
}

size_t bw_regs_at_index(const struct bw_regs_block *b, const char *space, uint32_t index,
			struct bw_reg *out_first)
{
	for (uint32_t i = 0; i < bw_regs_n_spaces; i++)
		if (!strcmp(text(bw_regs_spaces[i]), space))
			return at(b, BW_REGS_FIRST_SPACE + i, index, out_first);
	return 0;
}

size_t bw_regs_at_address(const struct bw_regs_block *b, const uint32_t *bases_dw, size_t n_bases,
			  uint32_t addr_dw, struct bw_reg *out_first)
{
	for (size_t i = 0; i < n_bases && i < BW_REGS_FIRST_SPACE; i++) {
		size_t n = 0;
		if (addr_dw >= bases_dw[i])
			n = at(b, (unsigned)i, addr_dw - bases_dw[i], out_first);
		if (n)
			return n;
	}
	return 0;
}

struct bw_error *bw_reg_address(const struct bw_reg *reg, const uint32_t *bases_dw, size_t n_bases,
				uint32_t *out_addr_dw)
{
	if (reg->segment == BW_REG_INDEXED)
		return bw_errorf(BW_E_INVALID,
				 "%s is read through an index register and has no address",
				 reg->name);
	if ((size_t)reg->segment >= n_bases)
		return bw_errorf(BW_E_INVALID, "%s lies in segment %d, and only %zu are known",
				 reg->name, reg->segment, n_bases);
	*out_addr_dw = bases_dw[reg->segment] + reg->offset_dw;
	return NULL;
}

struct bw_error *bw_regs_address(const struct bw_regs_block *b, const char *name,
				 const uint32_t *bases_dw, size_t n_bases, uint32_t *out_addr_dw)
{
	struct bw_reg reg;
	BW_TRY(bw_regs_by_name(b, name, &reg));
	return bw_reg_address(&reg, bases_dw, n_bases, out_addr_dw);
}

/* One try from the last * on is enough: an earlier * can always take less. */
static bool matches(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;
	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			from = name;
		} else if (*pattern == '?' ||
			   toupper((unsigned char)*pattern) == toupper((unsigned char)*name)) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool bw_regs_match_next(const struct bw_regs_block *b, const char *pattern, size_t *at_name,
			struct bw_reg *out)
{
	while (*at_name < b->n_rows) {
		struct bw_reg reg = bw_regs_get(b, nth_name(b, (*at_name)++));
		char full[256];
		/* both mm and reg: people type what they are used to */
		bool hit = matches(pattern, reg.name);
		for (size_t i = 0; i < BW_ARRAY_SIZE(prefixes) && !hit; i++) {
			if ((prefixes[i].wanted == INDEXED) != (reg.segment == BW_REG_INDEXED))
				continue;
			snprintf(full, sizeof(full), "%s%s", prefixes[i].text, reg.name);
			hit = matches(pattern, full);
		}
		if (hit) {
			*out = reg;
			return true;
		}
	}
	return false;
}

static uint32_t list_of(const struct bw_reg *reg)
{
	return bw_regs_lists[bw_regs_rows[reg->block->first_row + reg->index].list];
}

struct bw_reg_field bw_reg_field(const struct bw_reg *reg, unsigned n)
{
	assert(n < reg->n_fields);
	const struct bw_regs_field_row *f = &bw_regs_fields[list_of(reg) + n];
	return (struct bw_reg_field){text(f->name), f->hi, f->lo};
}

struct bw_error *bw_reg_field_by_name(const struct bw_reg *reg, const char *name,
				      struct bw_reg_field *out)
{
	struct bw_str known = {0};
	for (unsigned i = 0; i < reg->n_fields; i++) {
		struct bw_reg_field f = bw_reg_field(reg, i);
		if (!strcasecmp(f.name, name)) {
			*out = f;
			bw_str_free(&known);
			return NULL;
		}
		bw_str_add_next(&known, f.name);
	}
	struct bw_error *err =
		bw_errorf(BW_E_NOT_FOUND, "%s has no field '%s' (it has %s)", reg->name, name,
			  reg->n_fields ? bw_str_text(&known) : "none");
	bw_str_free(&known);
	return err;
}

uint64_t bw_reg_field_max(struct bw_reg_field f)
{
	return bw_bits(UINT64_MAX, f.hi, f.lo);
}

uint64_t bw_reg_field_get(struct bw_reg_field f, uint64_t word)
{
	return bw_bits(word, f.hi, f.lo);
}

uint64_t bw_reg_field_set(struct bw_reg_field f, uint64_t word, uint64_t value)
{
	uint64_t max = bw_reg_field_max(f);
	assert(value <= max);
	return (word & ~(max << f.lo)) | value << f.lo;
}

size_t bw_reg_decode(const struct bw_reg *reg, uint64_t word, struct bw_reg_field_value *out,
		     size_t max)
{
	for (unsigned i = 0; i < reg->n_fields && i < max; i++) {
		struct bw_reg_field f = bw_reg_field(reg, i);
		out[i] = (struct bw_reg_field_value){f, bw_reg_field_get(f, word)};
	}
	return reg->n_fields;
}

struct bw_error *bw_reg_encode(const struct bw_reg *reg, const char *field, uint64_t value,
			       uint64_t word, uint64_t *out_word)
{
	struct bw_reg_field f;
	BW_TRY(bw_reg_field_by_name(reg, field, &f));
	if (value > bw_reg_field_max(f))
		return bw_errorf(BW_E_INVALID,
				 "%#llx does not fit into %s.%s (%u bits, at most %#llx)",
				 (unsigned long long)value, reg->name, f.name, f.hi - f.lo + 1u,
				 (unsigned long long)bw_reg_field_max(f));
	*out_word = bw_reg_field_set(f, word, value);
	return NULL;
}

size_t bw_regs_tables_size_b(void)
{
	return bw_regs_tables_b;
}
