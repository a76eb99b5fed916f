/* SPDX-License-Identifier: MIT */
#include "vgpu/describe.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "isa/inst.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/exec.h"
#include "vgpu/device/exec/core/fidelity.h"
#include "vgpu/device/profile.h"

enum { STATUS_USAGE = 2, MAX_ENCODINGS = 6 };

struct options {
	bool json, help;
	const char *gfx;     /* NULL: of the virtual GPUs */
	const char *pattern; /* NULL: all */
};

static int fail(const char *fmt, ...) BW_PRINTF(1, 2);
static int fail(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("breakwater: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputs(".\n", stderr);
	va_end(ap);
	return STATUS_USAGE;
}

static struct bw_error *take_pattern(void *options, const char *word)
{
	struct options *o = options;
	if (o->pattern)
		return bw_errorf(BW_E_INVALID, "one pattern at a time: \"%s\" comes after \"%s\"",
				 word, o->pattern);
	o->pattern = word;
	return NULL;
}

/* 0, or the exit status of an error that has been printed. */
static int parse(const struct bw_command_line *l, int argc, char **argv, struct options *o)
{
	_cleanup_error_ struct bw_error *err = bw_command_line_parse(l, o, argc, argv, NULL);
	if (err)
		return fail("%s", err->message);
	if (o->help)
		bw_command_line_print_help(l);
	return 0;
}

static const struct bw_option rows[] = {
	BW_ROW_JSON(struct options, json), BW_ROW_HELP(struct options, help), {0}};
static const struct bw_option isa_rows[] = {{"--gfx", "gfx1100|gfx942|gfx902",
					     "another generation that the executor knows",
					     BW_TEXT(struct options, gfx)},
					    BW_ROW_JSON(struct options, json),
					    BW_ROW_HELP(struct options, help),
					    {0}};

static int print_json(json_t *root)
{
	char *text = root ? json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
	json_decref(root);
	if (!text)
		return fail("out of memory");
	puts(text);
	free(text);
	return 0;
}

/* ---- isa ---- */

static const char isa_usage[] =
	"Usage: breakwater vgpu isa [--gfx gfx1100|gfx942|gfx902] [--json] [PATTERN]\n"
	"\n"
	"Lists the opcodes of gfx1100 and how true to the hardware the virtual GPU executes each: exact, within\n"
	"1 ULP, approximate, or absent, with the reason. PATTERN is part of a name (\"fma\"), or a whole one with\n"
	"* and ? in it (\"v_*_f64\").\n";

const struct bw_command_line bw_line_vgpu_isa = {
	.name = "breakwater vgpu isa",
	.usage = isa_usage,
	.groups = {{"Options:", isa_rows}},
	.word = take_pattern,
	.next = &bw_line_vgpu_profiles,
};

/* The generation that is listed. */
struct listed {
	const char *gfx;
	enum bw_isa_gen gen;
	unsigned n_ops;
};

/* The executor is the same for every profile: the first one stands for all. False: it does not have
 * the generation. */
static bool find_listed(const struct options *o, struct listed *out)
{
	size_t n;
	const struct listed known[] = {
		{bw_profile_all(&n)[0]->gfx, BW_ISA_GFX11, BW_ISA_OPS_GFX11},
		{"gfx942", BW_ISA_GFX942, BW_ISA_OPS_GFX942},
		{"gfx902", BW_ISA_GFX902, BW_ISA_OPS_GFX902},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(known); i++) {
		if (o->gfx && strcmp(o->gfx, known[i].gfx) != 0)
			continue;
		*out = known[i];
		return true;
	}
	return false;
}

/* Case aside; a pattern without wildcards may stand anywhere in the name. */
static bool matches(const char *pattern, const char *name)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern) != NULL;
}

/* "VOP1 37, VOP3 421": the number in the opcode field of each format. */
static void add_encodings(struct bw_str *s, const struct listed *g, unsigned op)
{
	struct bw_op_encoding e[MAX_ENCODINGS];
	size_t n = bw_isa_op_encodings(g->gen, op, e, MAX_ENCODINGS);
	for (size_t i = 0; i < n && i < MAX_ENCODINGS; i++)
		bw_str_addf(s, "%s%s%s %u", i ? ", " : "", bw_isa_fmt_name(e[i].fmt),
			    e[i].fmt != BW_FMT_VOPD ? ""
			    : e[i].is_y		    ? " Y"
						    : " X",
			    e[i].opcode);
}

static json_t *encodings_json(const struct listed *g, unsigned op)
{
	struct bw_op_encoding e[MAX_ENCODINGS];
	size_t n = bw_isa_op_encodings(g->gen, op, e, MAX_ENCODINGS);
	json_t *array = json_array();
	for (size_t i = 0; i < n && i < MAX_ENCODINGS; i++) {
		json_t *one = json_pack("{s:s, s:i}", "format", bw_isa_fmt_name(e[i].fmt), "opcode",
					(int)e[i].opcode);
		if (e[i].fmt == BW_FMT_VOPD)
			json_object_set_new(one, "half", json_string(e[i].is_y ? "y" : "x"));
		json_array_append_new(array, one);
	}
	return array;
}

/* No such opcode: what may have been meant. */
static int no_match(const struct listed *g, const char *pattern)
{
	static const char *names[BW_OP_COUNT];
	size_t n = 0, near;
	for (unsigned op = BW_OP_ILLEGAL + 1; op < BW_OP_COUNT; op++)
		if (bw_isa_has_op(g->gen, op))
			names[n++] = bw_isa_op_info(op)->name;
	if (bw_nearest(pattern, names, n, &near, 1))
		return fail("no opcode of %s matches \"%s\" (did you mean %s?)", g->gfx, pattern,
			    names[near]);
	return fail(
		"no opcode of %s matches \"%s\"; a pattern is part of a name, or has * in it: \"*%s*\"",
		g->gfx, pattern, pattern);
}

static int isa_json(const struct listed *g, const char *pattern)
{
	json_t *opcodes = json_array(), *counts = json_object();
	unsigned count[BW_FIDELITY_COUNT] = {0};
	for (unsigned op = BW_OP_ILLEGAL + 1; op < BW_OP_COUNT; op++) {
		const char *name = bw_isa_op_info(op)->name;
		struct bw_op_fidelity f = bw_exec_fidelity(g->gen, op);
		if (!bw_isa_has_op(g->gen, op) || !matches(pattern, name))
			continue;
		count[f.kind]++;
		json_array_append_new(opcodes,
				      json_pack("{s:s, s:o, s:s, s:s*}", "name", name, "encodings",
						encodings_json(g, op), "executed",
						bw_fidelity_name(f.kind), "why", f.why));
	}
	if (!json_array_size(opcodes)) {
		json_decref(opcodes);
		json_decref(counts);
		return no_match(g, pattern);
	}
	for (unsigned k = 0; k <= BW_FIDELITY_ABSENT; k++)
		json_object_set_new(counts, bw_fidelity_name((enum bw_fidelity)k),
				    json_integer(count[k]));
	return print_json(json_pack("{s:s, s:s, s:s, s:o, s:o}", "type", "answer", "command",
				    "vgpu isa", "gfx", g->gfx, "opcodes", opcodes, "counts",
				    counts));
}

static int isa_text(const struct listed *g, const char *pattern)
{
	enum { EXECUTED_AT = 30, ENCODING_AT = 44, WHY_AT = 72 };
	struct bw_str line = {0};
	unsigned count[BW_FIDELITY_COUNT] = {0}, n = 0;
	for (unsigned op = BW_OP_ILLEGAL + 1; op < BW_OP_COUNT; op++) {
		const char *name = bw_isa_op_info(op)->name;
		struct bw_op_fidelity f = bw_exec_fidelity(g->gen, op);
		if (!bw_isa_has_op(g->gen, op) || !matches(pattern, name))
			continue;
		if (!n++)
			printf("%-*s%-*s%-*s%s\n", EXECUTED_AT, "Opcode", ENCODING_AT - EXECUTED_AT,
			       "Executed", WHY_AT - ENCODING_AT, "Encoding", "Why");
		count[f.kind]++;
		bw_str_clear(&line);
		bw_str_add(&line, name);
		bw_str_pad(&line, EXECUTED_AT);
		bw_str_add(&line, bw_fidelity_name(f.kind));
		bw_str_pad(&line, ENCODING_AT);
		add_encodings(&line, g, op);
		if (f.why) {
			bw_str_pad(&line, WHY_AT);
			bw_str_add(&line, f.why);
		}
		puts(bw_str_text(&line));
	}
	bool failed = line.failed;
	bw_str_free(&line);
	if (failed)
		return fail("out of memory");
	if (!n)
		return no_match(g, pattern);
	if (n < g->n_ops)
		printf("%u of the ", n);
	printf("%u opcodes of %s: %u exact, %u within 1 ULP, %u approximate, %u absent.\n",
	       g->n_ops, g->gfx, count[BW_FIDELITY_EXACT], count[BW_FIDELITY_ULP1],
	       count[BW_FIDELITY_LOOSE], count[BW_FIDELITY_ABSENT]);
	return 0;
}

int bw_vgpu_main_isa(int argc, char **argv)
{
	struct options o = {0};
	int status = parse(&bw_line_vgpu_isa, argc, argv, &o);
	if (status || o.help)
		return status;
	struct listed g;
	if (!find_listed(&o, &g))
		return fail(
			"the executor has instructions of gfx1100, gfx942 and gfx902, not of %s",
			o.gfx);
	return o.json ? isa_json(&g, o.pattern) : isa_text(&g, o.pattern);
}

/* ---- profiles ---- */

static const char profiles_usage[] =
	"Usage: breakwater vgpu profiles [--json]\n"
	"\n"
	"Lists the GPUs that the virtual GPU can be: names for --gpu virtual:NAME.\n";

const struct bw_command_line bw_line_vgpu_profiles = {
	.name = "breakwater vgpu profiles",
	.usage = profiles_usage,
	.groups = {{"Options:", rows}},
};

static int profiles_json(const struct bw_profile *const *all, size_t n)
{
	json_t *array = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct bw_profile *p = all[i];
		json_array_append_new(
			array,
			json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:I, s:s}", "name", p->name,
				  "gfx", p->gfx, "model", p->marketing_name, "pci_device",
				  (int)p->pci_device, "shader_engines", (int)p->n_se,
				  "compute_units", (int)bw_profile_n_cus(p), "vram_bytes",
				  (json_int_t)p->vram_size_b, "pci_address", p->pci_address));
	}
	return print_json(json_pack("{s:s, s:s, s:o}", "type", "answer", "command", "vgpu profiles",
				    "profiles", array));
}

int bw_vgpu_main_profiles(int argc, char **argv)
{
	struct options o = {0};
	size_t n;
	const struct bw_profile *const *all = bw_profile_all(&n);
	int status = parse(&bw_line_vgpu_profiles, argc, argv, &o);
	if (status || o.help)
		return status;
	if (o.json)
		return profiles_json(all, n);
	printf("%-9s %-9s %-25s %4s  %10s\n", "Name", "Target", "Model", "CUs", "Memory");
	for (size_t i = 0; i < n; i++)
		printf("%-9s %-9s %-25s %4u  %6" PRIu64 " MiB\n", all[i]->name, all[i]->gfx,
		       all[i]->marketing_name, bw_profile_n_cus(all[i]), all[i]->vram_size_b >> 20);
	return 0;
}
