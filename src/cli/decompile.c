/* SPDX-License-Identifier: MIT */
/* breakwater decompile: a command stream of a capture as C that makes the same command stream, to
 * be edited and run in its place (breakwater replay --override). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "capture/seek.h"
#include "cli/look.h"
#include "cli/subcommands.h"
#include "pm4/describe.h"

static const char usage[] =
	"Usage: breakwater decompile FILE -s NUMBER[.IB] [--json]\n"
	"\n"
	"Writes a command stream of a capture as C, with its packets and registers by name, on standard output. Edited,\n"
	"compiled and run, that writes a command stream which \"breakwater replay --override\" runs in its place:\n"
	"\n"
	"    breakwater decompile bug.bwc -s 3 > edit.c\n"
	"    cc edit.c -o edit && ./edit > ib.bin\n"
	"    breakwater replay --override 3=ib.bin bug.bwc\n"
	"\n"
	"Not edited, it is the same command stream.\n"
	"\n"
	"Options:\n"
	"  -s, --submission NUMBER[.IB]  which one; of several IBs the first, 0, unless another is named\n"
	"  --json                 for programs\n"
	"  -h, --help\n";

enum { IB_MAX_DW = 1 << 20, IP_SDMA = 2 };

struct decompile {
	struct bw_look look;
	uint64_t number, ib;
	struct bw_pm4_names names;
	struct bw_str enums, code;
	/* what stands in the enums already */
	struct BW_VEC(uint32_t) registers;
	bool packets[256];
};

static struct bw_error *take(void *cookie, const char *option, const char *value, int *out_used)
{
	struct decompile *d = cookie;
	char number[24];
	*out_used = 0;
	if (strcmp(option, "-s") != 0 && strcmp(option, "--submission") != 0)
		return NULL;
	*out_used = 2;
	const char *dot = value ? strchr(value, '.') : NULL;
	size_t n = dot ? (size_t)(dot - value) : value ? strlen(value) : 0;
	if (n >= sizeof(number))
		n = 0;
	snprintf(number, sizeof(number), "%.*s", (int)n, value ? value : "");
	if (!bw_parse_u64(number, &d->number) || !d->number ||
	    (dot && !bw_parse_u64(dot + 1, &d->ib)))
		return bw_errorf(BW_E_INVALID, "%s wants NUMBER or NUMBER.IB", option);
	return NULL;
}

/* ---- names ---- */

static bool register_at(const struct decompile *d, uint32_t addr_dw, struct bw_reg *out)
{
	return d->names.gc &&
	       bw_regs_at_address(d->names.gc, d->names.bases_dw, d->names.n_bases, addr_dw, out);
}

/* The register and where its fields begin, once each. */
static struct bw_error *add_register(struct decompile *d, uint32_t addr_dw,
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

/* Its fields that are not zero, where these are all of the value; else the number. */
static void add_value(struct decompile *d, const struct bw_reg *reg, uint32_t value)
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

static void add_packet_name(struct decompile *d, unsigned op)
{
	const struct bw_pm4_info *info = bw_pm4_info(op);
	if (info && !d->packets[op])
		bw_str_addf(&d->enums, "\tPACKET3_%s = 0x%02x,\n", info->name, op);
	d->packets[op] = true;
	if (info)
		bw_str_addf(&d->code, "PACKET3_%s", info->name);
	else
		bw_str_addf(&d->code, "0x%02x", op);
}

/* ---- packets ---- */

/* "// ..." for each line of the text. */
static void add_comment(struct decompile *d, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		bw_str_addf(&d->code, "\t// %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void add_words(struct decompile *d, const uint32_t *dw, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		bw_str_addf(&d->code, "%s0x%08x", i % 8 ? ", " : i ? ",\n\t\t" : "\n\t\t", dw[i]);
}

/* SET_*_REG: the register's offset in the first word of the body, an index above it. */
static struct bw_error *add_set(struct decompile *d, const struct bw_pm4_packet *p,
				const struct bw_pm4_set_reg *set)
{
	struct bw_pm4_set_reg s = *set;
	uint32_t addr_dw, value;
	bw_str_add(&d->code, "\tset_registers(");
	add_packet_name(d, p->op);
	bw_str_addf(&d->code, ", 0x%02x, 0x%x, 0x%x, %u, (uint32_t[]){\n", p->header & 0xff,
		    set->base_dw, p->body[0] & 0xffff0000u, p->n_body - 1);
	for (bool first = true; bw_pm4_set_reg_next(&s, &addr_dw, &value); first = false) {
		struct bw_reg reg;
		bool known = register_at(d, addr_dw, &reg);
		if (known)
			BW_TRY(add_register(d, addr_dw, &reg));
		if (first && known)
			bw_str_addf(&d->code, "\t\t%s,\n", reg.name);
		else if (first)
			bw_str_addf(&d->code, "\t\t0x%x,\n", addr_dw);
		bw_str_add(&d->code, "\t\t");
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
		    addr_dw != out->base_dw + (p->body[0] & 0xffff) + n - 1)
			return false;
	}
	return n == p->n_body - 1;
}

static struct bw_error *add_packet(struct decompile *d, const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_reg set;
	struct bw_str text = {0};
	bool is_made_of_parts = p->kind == BW_PM4_TYPE3 && p->n_body &&
				p->header == (bw_pm4_header(p->op, p->n_body) | (p->header & 0xff));
	if (!is_made_of_parts) {
		bw_str_add(&d->code, "\twords((uint32_t[]){");
		bw_str_addf(&d->code, "0x%08x%s", p->header, p->n_body ? "," : "");
		add_words(d, p->body, p->n_body);
		bw_str_addf(&d->code, "}, %u);\n", p->n_body + 1);
		return NULL;
	}
	if (is_plain_set(p, &set))
		return add_set(d, p, &set);
	bw_pm4_describe(&d->names, p, &text);
	add_comment(d, bw_str_text(&text));
	bw_str_free(&text);
	bw_str_add(&d->code, "\tpacket(");
	add_packet_name(d, p->op);
	bw_str_addf(&d->code, ", 0x%02x, %u, (uint32_t[]){", p->header & 0xff, p->n_body);
	add_words(d, p->body, p->n_body);
	bw_str_add(&d->code, "});\n");
	return NULL;
}

/* What cannot be packets to the end are words. */
static struct bw_error *add_stream(struct decompile *d, const uint32_t *dw, size_t n, bool sdma)
{
	struct bw_pm4_packet p;
	size_t at = 0;
	for (; !sdma && bw_pm4_at(dw, n, at, &p); at += p.size_dw)
		BW_TRY(add_packet(d, &p));
	struct bw_sdma_packet s;
	for (; sdma && bw_sdma_at(dw, n, at, &s); at += s.size_dw) {
		struct bw_str text = {0};
		bw_sdma_describe(&s, &text);
		add_comment(d, bw_str_text(&text));
		bw_str_free(&text);
		bw_str_add(&d->code, "\twords((uint32_t[]){");
		add_words(d, dw + at, s.size_dw);
		bw_str_addf(&d->code, "}, %u);\n", s.size_dw);
	}
	if (at == n)
		return NULL;
	bw_str_add(&d->code, "\twords((uint32_t[]){");
	add_words(d, dw + at, (uint32_t)(n - at));
	bw_str_addf(&d->code, "}, %zu);\n", n - at);
	return NULL;
}

/* ---- the file ---- */

static const char helpers[] =
	"#include <stdint.h>\n"
	"#include <stdio.h>\n"
	"\n"
	"static uint32_t stream[1 << 20];\n"
	"static unsigned n_words;\n"
	"\n"
	"static void words(const uint32_t *v, unsigned n)\n"
	"{\n"
	"\tfor (unsigned i = 0; i < n && n_words < sizeof(stream) / 4; i++)\n"
	"\t\tstream[n_words++] = v[i];\n"
	"}\n"
	"\n"
	"// A packet of type 3. low: bits 7 to 0 of its header; n: words of its body.\n"
	"static void packet(unsigned op, unsigned low, unsigned n, const uint32_t *body)\n"
	"{\n"
	"\tuint32_t header = 3u << 30 | (n - 1) << 16 | op << 8 | low;\n"
	"\twords(&header, 1);\n"
	"\twords(body, n);\n"
	"}\n"
	"\n"
	"// SET_*_REG. base: of the register space; v: the first register, then n values.\n"
	"static void set_registers(unsigned op, unsigned low, unsigned base, uint32_t index, unsigned n, uint32_t *v)\n"
	"{\n"
	"\tv[0] = (v[0] - base) | index;\n"
	"\tpacket(op, low, n + 1, v);\n"
	"}\n"
	"\n"
	"// A field of a register.\n"
	"#define F(reg, field, value) ((uint32_t)(value) << reg##__##field)\n";

static struct bw_error *read_stream(struct decompile *d, struct bw_capture_reader *r, size_t index,
				    struct bw_capture_ib *out_ib, uint32_t **out)
{
	struct bw_capture_space space = {0};
	struct bw_capture_submission s = {0};
	_cleanup_free_ uint32_t *dw = NULL;
	struct bw_error *err = bw_capture_seek(r, index, &space, &s);
	if (!err && d->ib >= s.ibs.len)
		err = bw_errorf(BW_E_NOT_FOUND, "submission %" PRIu64 " has %zu IBs", d->number,
				s.ibs.len);
	if (!err && (s.ibs.data[d->ib].size_b % 4 || s.ibs.data[d->ib].size_b > IB_MAX_DW * 4))
		err = bw_errorf(BW_E_INVALID, "that IB has %u bytes", s.ibs.data[d->ib].size_b);
	if (!err) {
		*out_ib = s.ibs.data[d->ib];
		dw = calloc(out_ib->size_b + 1, 1);
		err = dw ? bw_capture_read(r, &space, out_ib->va, dw, out_ib->size_b)
			 : bw_error_nomem();
	}
	bw_capture_space_fini(&space);
	bw_capture_submission_fini(&s);
	if (!err)
		*out = bw_take(dw);
	return err;
}

static void write_out(struct decompile *d, const char *file, const struct bw_capture_ib *ib)
{
	struct bw_str all = {0};
	bw_str_addf(&all,
		    "// IB %" PRIu64 " of submission %" PRIu64 ": %u bytes at 0x%" PRIx64
		    ", for %s ring %u.\n"
		    "//     cc edit.c -o edit && ./edit > ib.bin\n"
		    "//     breakwater replay --override %" PRIu64 ".%" PRIu64 "=ib.bin FILE\n",
		    d->ib, d->number, ib->size_b, ib->va, bw_capture_ip_name(ib->ip_type), ib->ring,
		    d->number, d->ib);
	bw_str_add(&all, helpers);
	if (d->enums.len)
		bw_str_addf(
			&all,
			"\n// Packets, registers (dword addresses), and where fields begin.\nenum {\n%s};\n",
			bw_str_text(&d->enums));
	bw_str_addf(
		&all,
		"\nint main(void)\n{\n%s\treturn fwrite(stream, 4, n_words, stdout) != n_words;\n}\n",
		bw_str_text(&d->code));
	bw_out_begin(d->look.out, "command", "decompile");
	if (!bw_out_is_json(d->look.out))
		bw_out_raw(d->look.out, bw_str_text(&all));
	bw_out_str(d->look.out, "file", file);
	bw_out_int(d->look.out, "number", (int64_t)d->number);
	bw_out_int(d->look.out, "ib", (int64_t)d->ib);
	bw_out_str(d->look.out, "source", bw_str_text(&all));
	bw_out_end(d->look.out);
	bw_str_free(&all);
}

static struct bw_error *decompile(struct decompile *d, struct bw_capture_reader *r)
{
	struct bw_capture_ib ib = {0};
	_cleanup_free_ uint32_t *dw = NULL;
	size_t index = 0;
	_cleanup_error_ struct bw_error *no_names =
		bw_pm4_names_of(bw_capture_reader_device(r)->gc_version, &d->names);
	BW_TRY(bw_capture_find(r, d->number, &index));
	BW_TRY(read_stream(d, r, index, &ib, &dw));
	BW_TRY(add_stream(d, dw, ib.size_b / 4, ib.ip_type == IP_SDMA));
	if (d->code.failed || d->enums.failed)
		return bw_error_nomem();
	write_out(d, d->look.words[0], &ib);
	return NULL;
}

static struct bw_error *run(struct bw_look *l)
{
	struct decompile *d = l->cookie;
	struct bw_capture_reader *r;
	if (l->n_words != 1 || !d->number)
		return bw_errorf(BW_E_INVALID,
				 "decompile wants a capture and -s NUMBER (see --help)");
	BW_TRY(bw_capture_reader_open(l->words[0], &r));
	struct bw_error *err = decompile(d, r);
	bw_capture_reader_close(r);
	bw_str_free(&d->enums);
	bw_str_free(&d->code);
	bw_vec_free(&d->registers);
	return err;
}

int bw_main_decompile(int argc, char **argv)
{
	struct decompile d = {.look = {.take = take}};
	d.look.cookie = &d;
	return bw_look_main(&d.look, usage, argc, argv, run);
}
