/* SPDX-License-Identifier: MIT */
/* umr -lb, -lr, -r, -s, -w, -wb, -lu: registers by umr's paths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "cli/umr/umr.h"

enum { NAME_MAX_B = 128, MAX_FIELDS = 32 };

/* A path in its parts; what was not given is "*". */
struct path {
	char asic[NAME_MAX_B], block[NAME_MAX_B], reg[NAME_MAX_B];
};

static void full_name(const struct bw_reg *reg, char out[NAME_MAX_B])
{
	snprintf(out, NAME_MAX_B, "%s%s", reg->prefix, reg->name);
}

static bool is_any(const char *part, const char *name)
{
	/* "{0}" after a block is its instance */
	size_t n = strcspn(part, "{");
	return !*part || *part == '*' || (strlen(name) == n && !strncmp(part, name, n));
}

static struct bw_error *parse(const char *text, struct path *out)
{
	const char *first = strchr(text, '.'), *second = first ? strchr(first + 1, '.') : NULL;
	if (strlen(text) >= NAME_MAX_B)
		return bw_errorf(BW_E_INVALID, "the path %.40s... is too long", text);
	if (first && !second)
		return bw_errorf(BW_E_INVALID, "%s is not asicname.ipname.regname", text);
	*out = (struct path){"*", "*", ""};
	if (first) {
		snprintf(out->asic, NAME_MAX_B, "%.*s", (int)(first - text), text);
		snprintf(out->block, NAME_MAX_B, "%.*s", (int)(second - first - 1), first + 1);
	}
	snprintf(out->reg, NAME_MAX_B, "%s", second ? second + 1 : text);
	return NULL;
}

/* umr's rule: with a star after it (or -O many) a name stands for all that contain it. */
static bool matches(const struct bw_umr *u, const struct path *p, const char *name)
{
	char part[NAME_MAX_B];
	size_t n = strlen(p->reg);
	bool star = n > 1 && p->reg[n - 1] == '*';
	if (!strcmp(p->reg, "*") || !strcmp(p->reg, name))
		return true;
	snprintf(part, sizeof(part), "%.*s", (int)(n - star), p->reg);
	return (star || u->many) && strstr(name, part);
}

typedef struct bw_error *reg_fn(struct bw_umr *u, unsigned block, const struct bw_reg *reg,
				uint32_t addr_dw, void *cookie);

/* Calls fn for each direct register of a path; returns how many in *out_n. */
static struct bw_error *each_once(struct bw_umr *u, const struct path *p, reg_fn *fn, void *cookie,
				  unsigned *out_n)
{
	*out_n = 0;
	if (!is_any(p->asic, u->asic))
		return NULL;
	for (unsigned b = 0; b < u->gpu.n_blocks; b++) {
		const struct bw_gpu_block *block = &u->gpu.block[b];
		if (!is_any(p->block, u->block_name[b]))
			continue;
		for (size_t i = 0; i < bw_regs_count(block->block); i++) {
			struct bw_reg reg = bw_regs_get(block->block, i);
			char name[NAME_MAX_B];
			uint32_t addr_dw;
			full_name(&reg, name);
			if (!matches(u, p, name))
				continue;
			struct bw_error *indexed = bw_reg_address(&reg, block->ip.segment,
								  block->ip.n_segments, &addr_dw);
			if (indexed) {
				bw_error_free(indexed);
				continue;
			}
			++*out_n;
			BW_TRY(fn(u, b, &reg, addr_dw, cookie));
		}
	}
	return NULL;
}

/* The same; names of older GPUs begin with mm where newer ones have reg, and a name may be given
 * without either. */
static struct bw_error *each(struct bw_umr *u, const char *text, reg_fn *fn, void *cookie)
{
	struct path p;
	unsigned n;
	char old[NAME_MAX_B];
	BW_TRY(parse(text, &p));
	BW_TRY(each_once(u, &p, fn, cookie, &n));
	if (n)
		return NULL;
	snprintf(old, sizeof(old), "%s", p.reg);
	const char *prefix = u->gc ? bw_regs_get(u->gc, 0).prefix : "reg";
	bool is_old = bw_starts_with(old, "mm");
	snprintf(p.reg, sizeof(p.reg), "%.8s%.100s", prefix, old + (is_old ? 2 : 0));
	if (!bw_starts_with(old, prefix)) {
		if (is_old)
			fprintf(stderr, "[WARNING]: Retrying operation with new 'reg' name <%s>.\n",
				p.reg);
		BW_TRY(each_once(u, &p, fn, cookie, &n));
	}
	return n ? NULL : bw_errorf(BW_E_NOT_FOUND, "path <%s> is not on this ASIC", text);
}

static void print_bits(const struct bw_reg *reg, uint32_t value)
{
	struct bw_reg_field_value fields[MAX_FIELDS];
	size_t n = bw_reg_decode(reg, value, fields, MAX_FIELDS);
	for (size_t i = 0; i < n && i < MAX_FIELDS; i++) {
		char name[NAME_MAX_B];
		snprintf(name, sizeof(name), ".%s[%u:%u]", fields[i].field.name, fields[i].field.lo,
			 fields[i].field.hi);
		printf("\t%-64s == %8lu (0x%08lx)\n", name, (unsigned long)fields[i].value,
		       (unsigned long)fields[i].value);
	}
}

/* ---- listing ---- */

struct bw_error *bw_umr_list_blocks(struct bw_umr *u)
{
	for (unsigned i = 0; i < u->gpu.n_blocks; i++)
		printf("\t%s.%s (%u.%u.%u)\n", u->asic, u->block_name[i],
		       BW_IP_NUMBERS(bw_gpu_block_version(&u->gpu.block[i])));
	return NULL;
}

static struct bw_error *list_one(struct bw_umr *u, unsigned block, const struct bw_reg *reg,
				 uint32_t addr_dw, void *cookie)
{
	char path[2 * NAME_MAX_B];
	snprintf(path, sizeof(path), "%s.%s.%s%s", u->asic, u->block_name[block], reg->prefix,
		 reg->name);
	printf("\t%s (0) => 0x%05x\n", path, addr_dw);
	for (unsigned i = 0; u->bits && i < reg->n_fields; i++) {
		struct bw_reg_field f = bw_reg_field(reg, i);
		printf("\t\t%s.%s[%u:%u]\n", path, f.name, f.lo, f.hi);
	}
	return NULL;
}

struct bw_error *bw_umr_list_regs(struct bw_umr *u, const char *path)
{
	struct path p = {"*", "*", "*"};
	unsigned n;
	const char *dot = strchr(path, '.');
	if (dot)
		snprintf(p.asic, NAME_MAX_B, "%.*s", (int)BW_MIN(dot - path, NAME_MAX_B - 1), path);
	snprintf(p.block, NAME_MAX_B, "%s", dot ? dot + 1 : path);
	BW_TRY(each_once(u, &p, list_one, NULL, &n));
	return n ? NULL : bw_errorf(BW_E_NOT_FOUND, "there is no IP block %s (see -lb)", path);
}

/* ---- reading and writing ---- */

static bool is_address(const char *text, uint32_t *out_dw)
{
	char *end;
	if (strncmp(text, "0x", 2))
		return false;
	*out_dw = (uint32_t)strtoul(text, &end, 16) / 4; /* a byte address in BAR5 */
	return !*end;
}

static struct bw_error *hex(const char *text, uint32_t *out)
{
	char *end;
	*out = (uint32_t)strtoul(text, &end, 16);
	return *text && !*end ? NULL
			      : bw_errorf(BW_E_INVALID, "%s is not a hexadecimal number", text);
}

static struct bw_error *read_one(struct bw_umr *u, unsigned block, const struct bw_reg *reg,
				 uint32_t addr_dw, void *cookie)
{
	uint32_t value;
	BW_TRY(bw_kmd_reg_read(u->kmd, &u->bank, addr_dw, &value));
	printf("%s.%s%s => 0x%08x\n", u->block_name[block], reg->prefix, reg->name, value);
	if (u->bits)
		print_bits(reg, value);
	return NULL;
}

struct bw_error *bw_umr_read(struct bw_umr *u, const char *path)
{
	uint32_t addr_dw, value;
	if (is_address(path, &addr_dw)) {
		static const struct bw_kmd_bank none;
		BW_TRY(bw_kmd_reg_read(u->kmd, &none, addr_dw, &value));
		printf("0x%08x\n", value);
		return NULL;
	}
	return each(u, path, read_one, NULL);
}

static struct bw_error *write_one(struct bw_umr *u, unsigned block, const struct bw_reg *reg,
				  uint32_t addr_dw, void *cookie)
{
	return bw_kmd_reg_write(u->kmd, &u->bank, addr_dw, *(uint32_t *)cookie);
}

struct bw_error *bw_umr_write(struct bw_umr *u, const char *path, const char *value)
{
	static const struct bw_kmd_bank none;
	uint32_t addr_dw, word;
	BW_TRY(hex(value, &word));
	if (is_address(path, &addr_dw))
		return bw_kmd_reg_write(u->kmd, &none, addr_dw, word);
	if (strchr(path, '*') && path[strlen(path) - 1] == '*')
		return bw_errorf(BW_E_INVALID, "%s may name several registers", path);
	return each(u, path, write_one, &word);
}

struct field_write {
	const char *field, *path;
	uint32_t value;
};

static struct bw_error *write_field_one(struct bw_umr *u, unsigned block, const struct bw_reg *reg,
					uint32_t addr_dw, void *cookie)
{
	const struct field_write *w = cookie;
	uint32_t old;
	uint64_t word;
	BW_TRY(bw_kmd_reg_read(u->kmd, &u->bank, addr_dw, &old));
	BW_TRY(bw_reg_encode(reg, w->field, w->value, old, &word));
	BW_TRY(bw_kmd_reg_write(u->kmd, &u->bank, addr_dw, (uint32_t)word));
	printf("%s <= 0x%08x\n", w->path, (uint32_t)word);
	return NULL;
}

struct bw_error *bw_umr_write_field(struct bw_umr *u, const char *path, const char *value)
{
	char reg[3 * NAME_MAX_B];
	const char *dot = strrchr(path, '.');
	struct field_write w = {.field = dot ? dot + 1 : "", .path = path};
	if (!dot || dot == path || strlen(path) >= sizeof(reg))
		return bw_errorf(BW_E_INVALID, "%s is not asicname.ipname.regname.field", path);
	BW_TRY(hex(value, &w.value));
	snprintf(reg, sizeof(reg), "%.*s", (int)(dot - path), path);
	return each(u, reg, write_field_one, &w);
}

/* ---- decoding ---- */

static struct bw_error *show_one(struct bw_umr *u, unsigned block, const struct bw_reg *reg,
				 uint32_t addr_dw, void *cookie)
{
	uint32_t value = *(uint32_t *)cookie;
	printf("%s.%s%s => 0x%08x\n", u->block_name[block], reg->prefix, reg->name, value);
	print_bits(reg, value);
	return NULL;
}

struct bw_error *bw_umr_lookup(struct bw_umr *u, const char *what, const char *value)
{
	uint32_t word;
	char path[3 * NAME_MAX_B], *end;
	BW_TRY(hex(value, &word));
	if (strncmp(what, "0x", 2)) {
		bool has_block = strchr(what, '.');
		snprintf(path, sizeof(path), "%s%.200s", has_block ? "*." : "", what);
		return each(u, path, show_one, &word);
	}
	uint32_t addr_dw = (uint32_t)strtoul(what, &end, 16); /* in dwords here, unlike -r */
	unsigned n = 0;
	for (unsigned b = 0; b < u->gpu.n_blocks && !*end; b++) {
		const struct bw_gpu_block *block = &u->gpu.block[b];
		struct bw_reg reg;
		size_t same = bw_regs_at_address(block->block, block->ip.segment,
						 block->ip.n_segments, addr_dw, &reg);
		for (size_t i = 0; i < same; i++, n++) {
			struct bw_reg one = bw_regs_get(block->block, reg.index + i);
			BW_TRY(show_one(u, b, &one, addr_dw, &word));
		}
	}
	return n ? NULL : bw_errorf(BW_E_NOT_FOUND, "no register is at %s", what);
}

struct bw_error *bw_umr_scan(struct bw_umr *u, const char *block)
{
	char path[NAME_MAX_B];
	if (!strcmp(block, u->block_name[0]) && !u->risky)
		return bw_errorf(BW_E_INVALID,
				 "reading every register of %s can hang a GPU: -O risky allows it",
				 block);
	snprintf(path, sizeof(path), "*.%s.*", block);
	return bw_umr_read(u, path);
}
