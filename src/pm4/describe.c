/* SPDX-License-Identifier: MIT */
#include "pm4/describe.h"
#include "pm4/calls.h"
#include "pm4/umr_row.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"

struct bw_error *bw_pm4_names_of(uint32_t gc_version, struct bw_pm4_names *out)
{
	struct bw_pm4_names n = {.n_bases = 3, .bases_dw = {0x1260, 0xa000, 0x1c000}};
	if (bw_ip_major(gc_version) == 9) {
		n.bases_dw[0] = 0x2000;
		n.n_bases = 2;
	}
	BW_TRY(bw_regs_find("gc", gc_version, &n.gc));
	*out = n;
	return NULL;
}

static void add_register(const struct bw_pm4_names *names, uint32_t addr_dw, struct bw_str *out)
{
	struct bw_reg reg;
	if (names->gc &&
	    bw_regs_at_address(names->gc, names->bases_dw, names->n_bases, addr_dw, &reg))
		bw_str_add(out, reg.name);
	else
		bw_str_addf(out, "register 0x%x", addr_dw);
}

static void add_write(const struct bw_pm4_names *names, uint32_t addr_dw, uint32_t value,
		      struct bw_str *out)
{
	struct bw_reg reg;
	struct bw_reg_field_value f[32];
	add_register(names, addr_dw, out);
	bw_str_addf(out, " = 0x%08x\n", value);
	if (!names->fields || !names->gc ||
	    !bw_regs_at_address(names->gc, names->bases_dw, names->n_bases, addr_dw, &reg))
		return;
	size_t n = BW_MIN(bw_reg_decode(&reg, value, f, BW_ARRAY_SIZE(f)), BW_ARRAY_SIZE(f));
	for (size_t i = 0; i < n; i++)
		if (n > 1 && f[i].value)
			bw_str_addf(out, "  .%s = %" PRIu64 "\n", f[i].field.name, f[i].value);
}

static void add_words(const uint32_t *dw, uint32_t n, struct bw_str *out)
{
	enum { MAX_WORDS = 64 };
	for (uint32_t i = 0; i < n && i < MAX_WORDS; i++)
		bw_str_addf(out, "%s0x%08x%s", i % 8 ? " " : "", dw[i],
			    i % 8 == 7 || i + 1 == BW_MIN(n, (uint32_t)MAX_WORDS) ? "\n" : "");
	if (n > MAX_WORDS)
		bw_str_addf(out, "and %u more words\n", n - MAX_WORDS);
}

/* FUNCTION of what waits */
static const char *const compare_names[] = {"always", "<", "<=", "==", "!=", ">=", ">", "?"};

#include "pm4/texts.inc"

static void add_field(const struct bw_pm4_names *names, const struct bw_pm4_call_field *f,
		      uint64_t value, struct bw_str *out)
{
	static const uint32_t bases_dw[] = {
		[BW_PM4_CALL_REGISTER] = 0,
		[BW_PM4_CALL_SH] = BW_PM4_SH_BEGIN_DW,
		[BW_PM4_CALL_CONTEXT] = BW_PM4_CONTEXT_BEGIN_DW,
		[BW_PM4_CALL_UCONFIG] = BW_PM4_UCONFIG_BEGIN_DW,
		[BW_PM4_CALL_CONFIG] = BW_PM4_CONFIG_BEGIN_DW,
	};
	bw_str_addf(out, "%s ", f->name);
	switch (f->kind) {
	case BW_PM4_CALL_NUMBER:
	case BW_PM4_CALL_STREAM_SIZE:
		bw_str_addf(out, "%" PRIu64, value);
		break;
	case BW_PM4_CALL_REGISTER:
	case BW_PM4_CALL_SH:
	case BW_PM4_CALL_CONTEXT:
	case BW_PM4_CALL_UCONFIG:
	case BW_PM4_CALL_CONFIG:
		add_register(names, bases_dw[f->kind] + (uint32_t)value, out);
		break;
	default:
		bw_str_addf(out, "0x%" PRIx64, value);
		break;
	}
}

/* By its fields; false: nothing is known of a packet of this opcode and size. */
static bool add_fields(const struct bw_pm4_names *names, const struct bw_pm4_packet *p,
		       struct bw_str *out)
{
	const uint32_t *dw = p->body - 1;
	const struct bw_pm4_call *c = bw_pm4_form_of(dw, p->size_dw);
	const char *between = "";
	if (!c)
		return false;
	for (const struct bw_pm4_call_field *f = c->fields; f->name; f++, between = ", ") {
		bw_str_add(out, between);
		add_field(names, f, bw_pm4_call_get(f, dw), out);
	}
	for (unsigned i = 1; i < c->n_dw; i++) {
		uint32_t more = bw_pm4_call_unnamed(c, dw, i);
		if (more)
			bw_str_addf(out, ", and 0x%x in dword %u", more, i);
	}
	bw_str_add(out, "\n");
	add_words(dw + c->n_dw, p->size_dw - c->n_dw, out);
	return true;
}

void bw_pm4_describe(const struct bw_pm4_names *names, const struct bw_pm4_packet *p,
		     struct bw_str *out)
{
	struct bw_pm4_set_reg set;
	uint32_t addr_dw, value;
	if (p->kind != BW_PM4_TYPE3 || p->op == BW_PM4_NOP)
		return;
	if (bw_pm4_set_reg_begin(p, &set)) {
		while (bw_pm4_set_reg_next(&set, &addr_dw, &value))
			add_write(names, addr_dw, value, out);
	} else if (!add_pm4_text(p, names, out) && !add_fields(names, p, out)) {
		add_words(p->body, p->n_body, out);
	}
}

void bw_sdma_describe(const struct bw_sdma_packet *p, struct bw_str *out)
{
	static const struct bw_pm4_names no_names;
	if (p->info && p->info->code != BW_SDMA_NOP && !add_sdma_text(p, &no_names, out))
		add_words(p->dw + 1, p->size_dw - 1, out);
}

/* ---- words from text ---- */

/* The character that begins at bytes: how many bytes it has, 0 for one that no text has. */
static size_t text_character(const char *bytes, size_t n)
{
	char c[5] = "";
	memcpy(c, bytes, BW_MIN(n, sizeof(c) - 1));
	return isprint((unsigned char)c[0]) || isspace((unsigned char)c[0]) ? 1
	       : (unsigned char)c[0] < 0x80				    ? 0
									    : bw_utf8_length(c);
}

static bool is_text(const char *bytes, size_t n)
{
	for (size_t i = 0, len; i < n && i < 4096; i += len)
		if (!(len = text_character(bytes + i, n - i)))
			return false;
	return n > 0;
}

/* One word of a line: 0x and up to 8 digits, or 8 digits. */
static bool word_of(const char *text, size_t n, uint32_t *out)
{
	char copy[16];
	bool has_0x = n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	if (n > 10 || (!has_0x && n != 8))
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	for (size_t i = has_0x ? 2 : 0; i < n; i++)
		if (!isxdigit((unsigned char)copy[i]))
			return false;
	*out = (uint32_t)strtoul(copy, NULL, 16);
	return true;
}

/* The next word of a line from *at on, between white space, colons and commas; false at its end. */
static bool next_token(const char *line, size_t n, size_t *at, size_t *out_len)
{
	size_t len = 0;
	while (*at < n && (isspace((unsigned char)line[*at]) || strchr(":,", line[*at])))
		++*at;
	while (*at + len < n && line[*at + len] && !isspace((unsigned char)line[*at + len]) &&
	       !strchr(":,", line[*at + len]))
		len++;
	*out_len = len;
	return len > 0;
}

/* "1", as people type words: up to 8 digits. */
static bool short_word_of(const char *text, size_t n, uint32_t *out)
{
	uint32_t value = 0;
	if (n > 8)
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (!isxdigit(c))
			return false;
		value = value << 4 | (uint32_t)(isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	*out = value;
	return true;
}

/* Whether short words of a line count: nothing else is on it, and one of 8 digits or with 0x. */
static bool takes_short_words(const char *line, size_t n)
{
	uint32_t value;
	bool has_whole = false;
	for (size_t at = 0, len; next_token(line, n, &at, &len); at += len) {
		bool is_whole = word_of(line + at, len, &value);
		if (!is_whole && !short_word_of(line + at, len, &value))
			return false;
		has_whole |= is_whole;
	}
	return has_whole;
}

static struct bw_error *line_words(const char *line, size_t n, size_t max, struct bw_pm4_words *out)
{
	const bool takes_short = takes_short_words(line, n);
	bool has_offset = false;
	uint32_t first = 0;
	size_t n_found = 0;
	for (size_t at = 0, len; next_token(line, n, &at, &len); at += len) {
		uint32_t value;
		if (!word_of(line + at, len, &value) &&
		    !(takes_short && short_word_of(line + at, len, &value)))
			continue;
		if (n_found++ == 0) {
			/* "0x4 \t 0x10000", "00000010: c0310800 ..." */
			has_offset = at + len < n && (line[at + len] == ':' ||
						      memchr(line + at + len, '\t', n - at - len));
			first = value;
			continue;
		}
		if (n_found == 2 && !has_offset && out->len < max)
			BW_TRY(bw_vec_push(out, first));
		if (out->len < max)
			BW_TRY(bw_vec_push(out, value));
	}
	return n_found == 1 && out->len < max ? bw_vec_push(out, first) : NULL;
}

/* ---- umr's rings and indirect buffers ---- */

struct umr_stream {
	unsigned vmid;
	uint64_t va, next_b;
	struct bw_pm4_words words;
};
struct umr_text {
	struct BW_VEC(struct umr_stream) streams;
	size_t n_words, n_aql;
};

static struct umr_stream *stream_of(struct umr_text *t, const struct bw_pm4_umr_row *row)
{
	enum { MOST_STREAMS = 512 };
	bw_vec_each(&t->streams, s)
		if (s->vmid == row->vmid && s->va == row->va)
			return s;
	struct umr_stream new = {.vmid = row->vmid, .va = row->va};
	struct bw_error *err = t->streams.len < MOST_STREAMS ? bw_vec_push(&t->streams, new)
							     : bw_errorf(BW_E_INVALID, "too many");
	bool ok = !err;
	bw_error_free(err);
	return ok ? &t->streams.data[t->streams.len - 1] : NULL;
}

/* Words in their order; of one that is printed again, those that were missing. */
static struct bw_error *umr_row(struct umr_text *t, const struct bw_pm4_umr_row *row, size_t max)
{
	bool is_aql = row->packets == BW_PM4_UMR_AQL || row->kind == BW_PM4_UMR_FIELD;
	t->n_aql += is_aql;
	if (row->kind == BW_PM4_UMR_HEADER || is_aql || t->n_words >= max)
		return NULL;
	struct umr_stream *s = stream_of(t, row);
	if (!s || row->offset_b != s->next_b)
		return NULL;
	s->next_b += 4;
	t->n_words++;
	return bw_vec_push(&s->words, row->word);
}

/* Whether there is any such line. One stream after the other, in the order of the text. */
static struct bw_error *umr_words(const char *bytes, size_t n, size_t max, bool *out_any,
				  struct bw_pm4_words *out)
{
	struct umr_text t = {0};
	struct bw_pm4_umr_row row;
	struct bw_error *err = NULL;
	*out_any = false;
	for (size_t at = 0; at < n && !err;) {
		const char *end = memchr(bytes + at, '\n', n - at);
		size_t len = end ? (size_t)(end - bytes) - at : n - at;
		if (bw_pm4_umr_row(bytes + at, len, &row)) {
			*out_any = true;
			err = umr_row(&t, &row, max);
		}
		at += len + 1;
	}
	bw_vec_each(&t.streams, s) {
		for (size_t i = 0; i < s->words.len && !err; i++)
			err = bw_vec_push(out, s->words.data[i]);
		bw_vec_free(&s->words);
	}
	bw_vec_free(&t.streams);
	if (!err && t.n_aql && !out->len)
		err = bw_errorf(
			BW_E_UNSUPPORTED,
			"these are AQL packets of a user queue (HSA), not PM4: umr names their "
			"fields already");
	return err;
}

struct bw_error *bw_pm4_read_words(const char *bytes, size_t n, size_t max,
				   struct bw_pm4_words *out)
{
	if (!is_text(bytes, n)) {
		for (size_t at = 0; at + 4 <= n && out->len < max; at += 4) {
			uint32_t w;
			memcpy(&w, bytes + at, 4);
			BW_TRY(bw_vec_push(out, w));
		}
		return NULL;
	}
	bool is_umr;
	BW_TRY(umr_words(bytes, n, max, &is_umr, out));
	for (size_t at = 0; at < n && !is_umr;) {
		const char *end = memchr(bytes + at, '\n', n - at);
		size_t len = end ? (size_t)(end - bytes) - at : n - at;
		BW_TRY(line_words(bytes + at, len, max, out));
		at += len + 1;
	}
	return NULL;
}
