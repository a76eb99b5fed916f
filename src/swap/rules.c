/* SPDX-License-Identifier: MIT */
#include "swap/rules.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/spirv_numbers.h"
#include "base/str.h"
#include "base/util.h"
#include "swap/variant.h"

enum { MAGIC = 0x52534257 /* "WBSR" */, VERSION = 2 };

struct head {
	uint32_t magic, version, n_rules, saves;
};

/* ---- Which ---- */

static bool is_hex(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr("0123456789abcdefABCDEF", text[i]))
			return false;
	return true;
}

struct bw_error *bw_swap_which(const char *which, size_t n, struct bw_swap_rule *out)
{
	enum { HASH_DIGITS = 16, VA_DIGITS_MAX = 16 };
	if (!n || n >= sizeof(out->which))
		return bw_errorf(BW_E_INVALID, "a shader's name has 1 to %zu characters",
				 sizeof(out->which) - 1);
	memset(out->which, 0, sizeof(out->which));
	memcpy(out->which, which, n);
	out->by = BW_SWAP_BY_NAME;
	if (n == HASH_DIGITS && is_hex(which, n))
		out->by = BW_SWAP_BY_HASH;
	else if (n > 2 && n <= VA_DIGITS_MAX + 2 && bw_starts_with(out->which, "0x") &&
		 is_hex(which + 2, n - 2))
		out->by = BW_SWAP_BY_VA;
	out->number = out->by == BW_SWAP_BY_NAME ? 0 : strtoull(out->which, NULL, 16);
	return NULL;
}

static bool is_named(const char *pattern, const char *name)
{
	return name && *name && !fnmatch(pattern, name, 0);
}

static bool is_for(const struct bw_swap_rule *r, const struct bw_swap_shader *s)
{
	if (r->by == BW_SWAP_BY_HASH)
		return s->hash && s->hash == r->number;
	if (r->by == BW_SWAP_BY_VA)
		return s->code_va && bw_canonical(s->code_va) == bw_canonical(r->number);
	return is_named(r->which, s->name) || is_named(r->which, s->module) ||
	       is_named(r->which, s->entry) || is_named(r->which, s->file);
}

int bw_swap_find(const struct bw_swap_rules *r, enum bw_swap_kind kind,
		 const struct bw_swap_shader *s)
{
	for (size_t i = 0; i < r->rules.len; i++)
		if (r->rules.data[i].kind == kind && is_for(&r->rules.data[i], s))
			return (int)i;
	return -1;
}

/* ---- The file ---- */

static bool is_inside(const struct bw_swap_rules *r, struct bw_swap_bytes b)
{
	return !b.size_b || (b.at % 4 == 0 && b.size_b % 4 == 0 && b.at <= r->size_b &&
			     b.size_b <= r->size_b - b.at);
}

static bool is_in_blob(struct bw_swap_bytes blob, struct bw_swap_bytes b)
{
	return b.at % 4 == 0 && b.size_b % 4 == 0 && b.at <= blob.size_b &&
	       b.size_b <= blob.size_b - b.at;
}

static bool are_variants(const struct bw_swap_rules *r, const struct bw_swap_rule *one)
{
	struct bw_swap_variant v;
	if (!is_inside(r, one->variants) ||
	    one->n_variants > one->variants.size_b / sizeof(struct bw_swap_variant))
		return false;
	for (uint32_t i = 0; i < one->n_variants; i++) {
		memcpy(&v, r->bytes + one->variants.at + i * sizeof(v), sizeof(v));
		if (!is_in_blob(one->variants, v.own_code) ||
		    !is_in_blob(one->variants, v.other_code) ||
		    !memchr(v.refusal, 0, sizeof(v.refusal)))
			return false;
	}
	return true;
}

static bool is_whole(const struct bw_swap_rules *r, const struct bw_swap_rule *one)
{
	bool has = one->kind == BW_SWAP_SPIRV ? one->spirv.size_b > 0
					      : one->code[0].size_b || one->code[1].size_b;
	return (one->kind == BW_SWAP_SPIRV || one->kind == BW_SWAP_CODE) && has &&
	       one->by >= BW_SWAP_BY_NAME && one->by <= BW_SWAP_BY_VA &&
	       memchr(one->which, 0, sizeof(one->which)) && is_inside(r, one->spirv) &&
	       is_inside(r, one->code[0]) && is_inside(r, one->code[1]) && are_variants(r, one);
}

struct bw_error *bw_swap_rules_read(uint8_t *bytes, size_t size_b, struct bw_swap_rules *out)
{
	struct head head = {0};
	struct bw_swap_rules r = {.bytes = bytes, .size_b = size_b};
	size_t at = sizeof(head);
	if (size_b >= sizeof(head))
		memcpy(&head, bytes, sizeof(head));
	bool ok = head.magic == MAGIC && head.version == VERSION &&
		  head.n_rules <= BW_SWAP_RULES_MAX &&
		  head.n_rules <= (size_b - at) / sizeof(struct bw_swap_rule);
	struct bw_error *err =
		ok ? NULL : bw_errorf(BW_E_INVALID, "these are not rules for shaders");
	for (uint32_t i = 0; !err && i < head.n_rules; i++, at += sizeof(struct bw_swap_rule)) {
		struct bw_swap_rule one;
		memcpy(&one, bytes + at, sizeof(one));
		err = is_whole(&r, &one) ? bw_vec_push(&r.rules, one)
					 : bw_errorf(BW_E_INVALID, "rule %u makes no sense", i);
	}
	r.saves = head.saves;
	*out = err ? (struct bw_swap_rules){0} : r;
	if (err)
		bw_swap_rules_fini(&r);
	return err;
}

struct bw_error *bw_swap_rules_add(struct bw_swap_rules *r, const void *bytes, size_t size_b,
				   struct bw_swap_bytes *out)
{
	size_t room = bw_align_up(size_b, 4);
	if (size_b > BW_SWAP_FILE_MAX_B || r->size_b + room > BW_SWAP_FILE_MAX_B)
		return bw_errorf(BW_E_INVALID, "shaders of more than %u MiB",
				 BW_SWAP_FILE_MAX_B >> 20);
	uint8_t *more = realloc(r->bytes, r->size_b + room + 1);
	if (!more)
		return bw_error_nomem();
	r->bytes = more;
	memset(more + r->size_b, 0, room);
	if (size_b)
		memcpy(more + r->size_b, bytes, size_b);
	*out = (struct bw_swap_bytes){(uint32_t)r->size_b, (uint32_t)room};
	r->size_b += room;
	return NULL;
}

struct bw_error *bw_swap_rules_head(const struct bw_swap_rules *r, uint8_t **out,
				    size_t *out_size_b)
{
	const struct head head = {MAGIC, VERSION, (uint32_t)r->rules.len, r->saves};
	size_t size_b = sizeof(head) + r->rules.len * sizeof(struct bw_swap_rule);
	uint8_t *bytes = malloc(size_b);
	if (!bytes)
		return bw_error_nomem();
	memcpy(bytes, &head, sizeof(head));
	for (size_t i = 0; i < r->rules.len; i++) {
		struct bw_swap_rule one = r->rules.data[i];
		one.spirv.at += (uint32_t)size_b;
		one.code[0].at += (uint32_t)size_b;
		one.code[1].at += (uint32_t)size_b;
		one.variants.at += (uint32_t)size_b;
		memcpy(bytes + sizeof(head) + i * sizeof(one), &one, sizeof(one));
	}
	*out = bytes;
	*out_size_b = size_b;
	return NULL;
}

void bw_swap_rules_fini(struct bw_swap_rules *r)
{
	free(r->bytes);
	bw_vec_free(&r->rules);
	*r = (struct bw_swap_rules){0};
}

struct bw_error *bw_swap_rules_load(const char *folder, struct bw_swap_rules *out)
{
	enum { MAX_B = BW_SWAP_FILE_MAX_B + (1 << 20) };
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s/" BW_SWAP_RULES_FILE, folder) < 0)
		return bw_error_nomem();
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	if (!f || fseek(f, 0, SEEK_END))
		return bw_error_errno(errno, "cannot read %s", path);
	long size = ftell(f);
	if (size < 0 || size > MAX_B || fseek(f, 0, SEEK_SET))
		return bw_errorf(BW_E_INVALID, "%s: these are not rules for shaders", path);
	uint8_t *bytes = malloc((size_t)size + 1);
	if (!bytes)
		return bw_error_nomem();
	if (fread(bytes, 1, (size_t)size, f) != (size_t)size) {
		free(bytes);
		return bw_errorf(BW_E_INVALID, "%s cannot be read to its end", path);
	}
	return bw_error_wrap(bw_swap_rules_read(bytes, (size_t)size, out), "%s", path);
}

/* ---- SPIR-V ---- */

bool bw_swap_is_spirv(const void *code, size_t size_b)
{
	const uint8_t *bytes = code;
	uint32_t word = 0;
	if (size_b % 4 || size_b < SPV_HEADER * 4)
		return false;
	memcpy(&word, bytes, 4);
	if (word != SPV_MAGIC)
		return false;
	for (size_t at = SPV_HEADER; at < size_b / 4; at += bw_spv_n_words(word)) {
		memcpy(&word, bytes + at * 4, 4);
		if (!bw_spv_n_words(word) || bw_spv_n_words(word) > size_b / 4 - at)
			return false;
	}
	return true;
}

const char *bw_swap_entry(const uint32_t *code, size_t size_b, const char *wanted)
{
	const char *first = NULL;
	size_t n = size_b / 4;
	for (size_t at = SPV_HEADER; at < n;) {
		const uint32_t *w = &code[at];
		uint32_t words = bw_spv_n_words(w[0]);
		if (!words || words > n - at)
			break;
		const char *name = words > 3 ? (const char *)&w[3] : NULL;
		if (name && bw_spv_op(w[0]) == OP_ENTRY_POINT && w[1] == MODEL_COMPUTE &&
		    memchr(name, 0, (words - 3) * 4ul)) {
			if (wanted && !strcmp(name, wanted))
				return name;
			first = first ? first : name;
		}
		at += words;
	}
	return first;
}
