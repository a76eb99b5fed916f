/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "pm4/calls.h"
#include "pm4/sdma.h"
#include "record/decompile.h"

/* ---- Registers ---- */

static bool register_at(const struct bw_decompile *d, uint32_t addr_dw, struct bw_reg *out)
{
	return d->names.gc &&
	       bw_regs_at_address(d->names.gc, d->names.bases_dw, d->names.n_bases, addr_dw, out);
}

/* The register and where its fields begin, once each. */
static struct bw_error *add_register(struct bw_decompile *d, uint32_t addr_dw,
				     const struct bw_reg *reg)
{
	struct bw_reg_field_value f[64];
	bw_vec_each(&d->registers, one)
		if (*one == addr_dw)
			return NULL;
	BW_TRY(bw_vec_push(&d->registers, addr_dw));
	bw_str_addf(&d->enums, "\t%s = 0x%x,\n", reg->name, addr_dw);
	size_t n = BW_MIN(bw_reg_decode(reg, 0, f, BW_ARRAY_SIZE(f)), BW_ARRAY_SIZE(f));
	for (size_t i = 0; n > 1 && i < n; i++)
		bw_str_addf(&d->enums, "\t%s__%s = %u,\n", reg->name, f[i].field.name,
			    (unsigned)f[i].field.lo);
	return NULL;
}

/* Adds the fields that are not zero, if they make up the whole value; else the number. */
static void add_value(struct bw_decompile *d, const struct bw_reg *reg, uint32_t value)
{
	struct bw_reg_field_value f[64];
	size_t n =
		reg ? BW_MIN(bw_reg_decode(reg, value, f, BW_ARRAY_SIZE(f)), BW_ARRAY_SIZE(f)) : 0;
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += f[i].value << f[i].field.lo;
	if (n < 2 || sum != value || !value) {
		bw_str_addf(&d->code, "0x%08x", value);
		return;
	}
	const char *between = "";
	for (size_t i = 0; i < n; i++) {
		if (!f[i].value)
			continue;
		bw_str_addf(&d->code, "%sF(%s, %s, %" PRIu64 ")", between, reg->name,
			    f[i].field.name, f[i].value);
		between = " | ";
	}
}

/* Code whose address the registers PGM_LO (lo) and, unless hi is NULL, PGM_HI are set to. */
static const struct bw_decompile_piece *code_of(const struct bw_decompile *d, uint32_t lo,
						const uint32_t *hi)
{
	bw_vec_each(&d->pieces, p)
		if (p->kind == BW_DECOMPILE_SHADER && (uint32_t)(p->va >> 8) == lo &&
		    (!hi || (uint32_t)(p->va >> 40 & 0xff) == *hi))
			return p;
	return NULL;
}

/* The register's value as the address of a shader that can move; false: it is another one. Values
 * follow each other; is_last: no register comes after it. */
static bool add_code_address(struct bw_decompile *d, const struct bw_reg *reg,
			     const uint32_t *value, bool is_first, bool is_last)
{
	const struct bw_decompile_piece *p = NULL;
	bool is_hi = !strcmp(reg->name, "COMPUTE_PGM_HI");
	if (!strcmp(reg->name, "COMPUTE_PGM_LO"))
		p = code_of(d, *value, is_last ? NULL : value + 1);
	else if (is_hi && !is_first)
		p = code_of(d, value[-1], value);
	if (p)
		bw_str_addf(&d->code, "code_%s(%s)", is_hi ? "hi" : "lo", p->title);
	return p;
}

/* ---- Packets by their fields ---- */

static const struct bw_decompile_piece *stream_at(const struct bw_decompile *d, uint64_t va,
						  uint32_t size_b)
{
	size_t i = bw_decompile_piece_at(d, bw_canonical(va), size_b, false);
	return i == SIZE_MAX ? NULL : &d->pieces.data[i];
}

/* The name of a field as C has it. */
static const char *member(const struct bw_pm4_call_field *f)
{
	return strcmp(f->name, "register") ? f->name : "register_";
}

/* The struct of a call's arguments, and the call; once each. */
static struct bw_error *add_call_type(struct bw_decompile *d, const struct bw_pm4_call *c)
{
	bw_vec_each(&d->calls, one)
		if (*one == c)
			return NULL;
	BW_TRY(bw_vec_push(&d->calls, (const void *)c));
	struct bw_str *s = &d->packets;
	const struct bw_pm4_call_field *f;
	bw_str_addf(s, "\nstruct %s {\n\tuint64_t flags", c->name);
	for (f = c->fields; f->name; f++)
		bw_str_addf(s, ", %s", member(f));
	bw_str_addf(s, ";\n%s};\n",
		    c->has_data ? "\tconst uint32_t *data;\n\tuint32_t n_data;\n" : "");
	bw_str_addf(s, "static inline void bw_%s(struct %s v)\n{\n", c->name, c->name);
	bw_str_add(s, "\tconst struct bw_field f[] = {\n");
	for (f = c->fields; f->name; f++)
		bw_str_addf(s, "\t\t{\"%s\", %u, %u, v.%s},\n", f->name, f->lo, f->n_bits,
			    member(f));
	if (c->count_bits)
		bw_str_addf(s, "\t\t{\"n_data\", %u, %u, v.n_data - %u},\n", c->count_lo,
			    c->count_bits, c->count_less);
	bw_str_addf(
		s, "\t\t{0},\n\t};\n\tbw_fields(\"%s\", 0x%x | (uint32_t)v.flags, %u, f, %s);\n}\n",
		c->name, c->is_sdma ? c->code : c->code << 8, c->n_dw,
		c->has_data ? "v.data, v.n_data" : "NULL, 0");
	bw_str_addf(s, "#define %s(...) bw_%s((struct %s){__VA_ARGS__})\n", c->name, c->name,
		    c->name);
	return NULL;
}

static struct bw_error *add_initiator(struct bw_decompile *d, uint32_t value)
{
	struct bw_reg reg;
	bool known = register_at(d, BW_REG_GC_DW(COMPUTE_DISPATCH_INITIATOR), &reg) &&
		     !strcmp(reg.name, "COMPUTE_DISPATCH_INITIATOR");
	if (known)
		BW_TRY(add_register(d, BW_REG_GC_DW(COMPUTE_DISPATCH_INITIATOR), &reg));
	add_value(d, known ? &reg : NULL, value);
	return NULL;
}

static struct bw_error *add_argument(struct bw_decompile *d, const struct bw_pm4_call_field *f,
				     uint64_t value, const struct bw_decompile_piece *stream)
{
	if (f->kind == BW_PM4_CALL_INITIATOR)
		return add_initiator(d, (uint32_t)value);
	if (f->kind == BW_PM4_CALL_STREAM && stream)
		bw_str_addf(&d->code, "%s(%s)", value == stream->va ? "va_of" : "va48_of",
			    stream->title);
	else if (f->kind == BW_PM4_CALL_STREAM_SIZE && stream)
		bw_str_addf(&d->code, "dwords_of(%s)", stream->title);
	else if (value < 10 && (f->kind == BW_PM4_CALL_NUMBER || f->kind == BW_PM4_CALL_HEX))
		bw_str_addf(&d->code, "%" PRIu64, value);
	else
		bw_str_addf(&d->code, "0x%" PRIx64, value);
	return NULL;
}

static void add_words(struct bw_decompile *d, const uint32_t *dw, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		bw_str_addf(&d->code, "%s0x%08x", i % 8 ? ", " : i ? ",\n\t\t" : "\n\t\t", dw[i]);
}

static struct bw_error *add_call(struct bw_decompile *d, const struct bw_pm4_call *c,
				 const uint32_t *dw, uint32_t n, uint32_t flags)
{
	uint64_t va = 0;
	uint32_t size_dw = 0;
	const char *between = "";
	const struct bw_pm4_call_field *f;
	BW_TRY(add_call_type(d, c));
	for (f = c->fields; f->name; f++) {
		if (f->kind == BW_PM4_CALL_STREAM)
			va = bw_pm4_call_get(f, dw);
		if (f->kind == BW_PM4_CALL_STREAM_SIZE)
			size_dw = (uint32_t)bw_pm4_call_get(f, dw);
	}
	const struct bw_decompile_piece *stream = size_dw ? stream_at(d, va, size_dw * 4) : NULL;
	if (stream && va != stream->va && va != (stream->va & BW_VA_MASK))
		stream = NULL;
	bw_str_addf(&d->code, "\t%s(", c->name);
	for (f = c->fields; f->name; f++) {
		uint64_t value = bw_pm4_call_get(f, dw);
		if (!value)
			continue;
		bw_str_addf(&d->code, "%s.%s = ", between, member(f));
		BW_TRY(add_argument(d, f, value, stream));
		between = ", ";
	}
	if (flags)
		bw_str_addf(&d->code, "%s.flags = 0x%x", between, flags);
	between = flags ? ", " : between;
	if (n > c->n_dw) {
		bw_str_addf(&d->code, "%s.n_data = %u, .data = (uint32_t[]){", between,
			    n - c->n_dw);
		add_words(d, dw + c->n_dw, n - c->n_dw);
		bw_str_add(&d->code, "}");
	}
	bw_str_add(&d->code, ");\n");
	return NULL;
}

/* ---- Other packets ---- */

static void add_packet_name(struct bw_decompile *d, unsigned op)
{
	const struct bw_pm4_info *info = bw_pm4_info(op);
	if (info && !d->packet_names[op])
		bw_str_addf(&d->enums, "\tPACKET3_%s = 0x%02x,\n", info->name, op);
	d->packet_names[op] = true;
	if (info)
		bw_str_addf(&d->code, "PACKET3_%s", info->name);
	else
		bw_str_addf(&d->code, "0x%02x", op);
}

/* "// ..." for each line of the text. */
static void add_comment(struct bw_decompile *d, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		bw_str_addf(&d->code, "\t// %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void add_raw(struct bw_decompile *d, const uint32_t *dw, uint32_t n)
{
	bw_str_add(&d->code, "\twords((uint32_t[]){");
	add_words(d, dw, n);
	bw_str_addf(&d->code, "}, %u);\n", n);
}

/* SET_*_REG: the register's offset in the first word of the body, an index above it. */
static struct bw_error *add_set(struct bw_decompile *d, const struct bw_pm4_packet *p,
				const struct bw_pm4_set_reg *set)
{
	struct bw_pm4_set_reg s = *set;
	uint32_t addr_dw, value;
	bw_str_add(&d->code, "\tset_registers(");
	add_packet_name(d, p->op);
	bw_str_addf(&d->code, ", 0x%02x, 0x%x, 0x%x, %u, (uint32_t[]){\n", p->header & 0xff,
		    set->info->sets_from_dw, p->body[0] & 0xffff0000u, p->n_body - 1);
	for (uint32_t i = 1; bw_pm4_set_reg_next(&s, &addr_dw, &value); i++) {
		struct bw_reg reg;
		bool known = register_at(d, addr_dw, &reg);
		if (known)
			BW_TRY(add_register(d, addr_dw, &reg));
		if (i == 1 && known)
			bw_str_addf(&d->code, "\t\t%s,\n", reg.name);
		else if (i == 1)
			bw_str_addf(&d->code, "\t\t0x%x,\n", addr_dw);
		bw_str_add(&d->code, "\t\t");
		if (!known || !add_code_address(d, &reg, p->body + i, i == 1, i == p->n_body - 1))
			add_value(d, known ? &reg : NULL, value);
		bw_str_addf(&d->code, ", // %s\n", known ? reg.name : "no name");
	}
	bw_str_add(&d->code, "\t});\n");
	return NULL;
}

/* One register after the other from the one that the first word names, so that it is made again
 * from that name and the values alone. */
static bool is_plain_set(const struct bw_pm4_packet *p, struct bw_pm4_set_reg *out)
{
	struct bw_pm4_set_reg s;
	uint32_t addr_dw, value, n = 0;
	if (p->n_body < 2 || !bw_pm4_set_reg_begin(p, out))
		return false;
	s = *out;
	while (bw_pm4_set_reg_next(&s, &addr_dw, &value)) {
		if (++n >= p->n_body || value != p->body[n] ||
		    addr_dw != out->info->sets_from_dw + (p->body[0] & 0xffff) + n - 1)
			return false;
	}
	return n == p->n_body - 1;
}

static struct bw_error *add_pm4(struct bw_decompile *d, const struct bw_pm4_packet *p,
				const uint32_t *dw)
{
	struct bw_pm4_set_reg set;
	uint32_t flags;
	bool is_made_of_parts = p->kind == BW_PM4_TYPE3 && p->n_body &&
				p->header == (bw_pm4_header(p->op, p->n_body) | (p->header & 0xff));
	if (!is_made_of_parts) {
		add_raw(d, dw, p->size_dw);
		return NULL;
	}
	if (is_plain_set(p, &set))
		return add_set(d, p, &set);
	const struct bw_pm4_call *c = bw_pm4_call_of(dw, p->size_dw, false, &flags);
	struct bw_str text = {0};
	bw_pm4_describe(&d->names, p, &text);
	add_comment(d, bw_str_text(&text));
	bw_str_free(&text);
	if (c)
		return add_call(d, c, dw, p->size_dw, flags);
	bw_str_add(&d->code, "\tpacket(");
	add_packet_name(d, p->op);
	bw_str_addf(&d->code, ", 0x%02x, %u, (uint32_t[]){", p->header & 0xff, p->n_body);
	add_words(d, p->body, p->n_body);
	bw_str_add(&d->code, "});\n");
	return NULL;
}

static struct bw_error *add_sdma(struct bw_decompile *d, const struct bw_sdma_packet *p)
{
	uint32_t flags;
	char name[32];
	const struct bw_pm4_call *c = bw_pm4_call_of(p->dw, p->size_dw, true, &flags);
	struct bw_str text = {0};
	bw_sdma_describe(p, &text);
	add_comment(d, bw_str_text(&text));
	bw_str_free(&text);
	if (c)
		return add_call(d, c, p->dw, p->size_dw, flags);
	bw_str_addf(&d->code, "\t// SDMA %s\n", bw_sdma_name(p->header, name));
	add_raw(d, p->dw, p->size_dw);
	return NULL;
}

/* The number of dwords of padding from `at` on: NOPs of one dword. */
static uint32_t n_padding(const struct bw_decompile_piece *p, size_t at)
{
	const uint32_t nop = p->kind == BW_DECOMPILE_SDMA ? 0 : BW_PM4_NOP_1DW;
	uint32_t n = 0;
	while (at + n < p->size_b / 4 && p->dw[at + n] == nop)
		n++;
	return n;
}

static struct bw_error *add_packet(struct bw_decompile *d, size_t piece, size_t at,
				   uint32_t *out_dw)
{
	const struct bw_decompile_piece *p = &d->pieces.data[piece];
	struct bw_pm4_packet pm4;
	struct bw_sdma_packet sdma;
	size_t n = p->size_b / 4;
	while (d->next_note < d->notes.len && d->notes.data[d->next_note].piece == piece &&
	       d->notes.data[d->next_note].at_dw <= at)
		add_comment(d, d->notes.data[d->next_note++].text);
	if ((*out_dw = n_padding(p, at))) {
		bw_str_addf(&d->code, "\tnops(%u);\n", *out_dw);
		return NULL;
	}
	if (p->kind == BW_DECOMPILE_SDMA && bw_sdma_at(p->dw, n, at, &sdma)) {
		*out_dw = sdma.size_dw;
		return add_sdma(d, &sdma);
	}
	if (p->kind == BW_DECOMPILE_PM4 && bw_pm4_at(p->dw, n, at, &pm4)) {
		*out_dw = pm4.size_dw;
		return add_pm4(d, &pm4, p->dw + at);
	}
	/* data that are not packets up to the end are words */
	*out_dw = (uint32_t)(n - at);
	add_raw(d, p->dw + at, *out_dw);
	return NULL;
}

struct bw_error *bw_decompile_stream(struct bw_decompile *d, size_t piece)
{
	const struct bw_decompile_piece *p = &d->pieces.data[piece];
	uint32_t n = 0;
	d->next_note = 0;
	while (d->next_note < d->notes.len && d->notes.data[d->next_note].piece != piece)
		d->next_note++;
	bw_str_addf(&d->code,
		    "\n// %s: %u bytes at 0x%" PRIx64 ".\n"
		    "static void %s(void)\n{\n",
		    p->is_called ? "A command stream that is called or chained"
				 : "An IB of the call",
		    p->size_b, p->va, p->name);
	for (size_t at = 0; at < p->size_b / 4; at += n)
		BW_TRY(add_packet(d, piece, at, &n));
	bw_str_add(&d->code, "}\n");
	return NULL;
}
