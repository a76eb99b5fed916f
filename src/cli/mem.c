/* SPDX-License-Identifier: MIT */
/* breakwater mem: memory of the GPU, without a session. Here are the parts that look at some values
 * or change some; mem_ranges.c has those that go through whole ranges. */
#include "cli/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "cli/subcommands.h"
#include "isa/text.h"

static const char usage[] =
	"Usage: breakwater mem read PLACE [/FMT]\n"
	"       breakwater mem write PLACE VALUE... [/FMT] | --text TEXT\n"
	"       breakwater mem fill PLACE SIZE VALUE... [/FMT]\n"
	"       breakwater mem dump PLACE SIZE [FILE|-]\n"
	"       breakwater mem find PLACE SIZE VALUE... [/FMT] | --text TEXT\n"
	"       breakwater mem compare PLACE SIZE PLACE|FILE\n"
	"       breakwater mem disasm PLACE [COUNT] [--wave64]\n"
	"\n"
	"PLACE is VMID@ADDRESS, where a process id or name can stand for the VMID, vram@OFFSET, or "
	"sys@ADDRESS: system memory by its bus address, of which the kernel shows the driver's own "
	"buffers.\n"
	"FMT is that of the debugger's x: a count, a letter (x d u o t a c f s i) and a unit (b h w g): "
	"/16xw. Units of values are words (w) unless it says otherwise; with f values are floats.\n"
	"SIZE is in bytes: 64, 0x1000, 4k.\n"
	"\n"
	"read      values (16 words, or as /FMT says)\n"
	"write     values, or text, nothing of which is written unless all of it is mapped\n"
	"fill      a range with values, again and again\n"
	"dump      bytes with characters; with FILE the bytes themselves\n"
	"find      where bytes are\n"
	"compare   two ranges; exit status 1: they differ\n"
	"disasm    instructions (16)\n";

/* ---- words ---- */

static const char *const kind_names[] = {"vmid", "vram", "system"};

void bw_mem_address(const struct bw_look_memory *m, uint64_t address, struct bw_str *out)
{
	bw_str_addf(out, "%s0x%" PRIx64,
		    m->kind == BW_LOOK_VRAM	? "vram@"
		    : m->kind == BW_LOOK_SYSTEM ? "sys@"
						: "",
		    address);
}

void bw_mem_facts(struct bw_look *l, const struct bw_look_memory *m, uint64_t address)
{
	bw_out_str(l->out, "space", kind_names[m->kind]);
	if (m->kind == BW_LOOK_VMID)
		bw_out_int(l->out, "vmid", m->vmid);
	bw_out_hex(l->out, "address", address);
}

struct bw_error *bw_mem_stopped(struct bw_look_memory *m, uint64_t address)
{
	struct bw_str why = {0}, place = {0};
	if (bw_look_ended)
		return bw_errorf(BW_E_INTERRUPTED, "interrupted");
	bw_look_memory_hole(m, address, &why);
	bw_mem_address(m, address, &place);
	if (m->kind == BW_LOOK_VMID)
		bw_str_addf(&place, " of VMID %u", m->vmid);
	struct bw_error *err = bw_errorf(BW_E_NOT_FOUND, "nothing can be read at %s: %s",
					 bw_str_text(&place), bw_str_text(&why));
	bw_str_free(&why);
	bw_str_free(&place);
	return err;
}

struct bw_error *bw_mem_size(const char *text, uint64_t *out)
{
	if (!bw_parse_u64(text, out) || !*out || *out > 1ull << 48)
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a size in bytes", text);
	return NULL;
}

static struct bw_error *parse_value(const char *text, const struct bw_print_format *f,
				    unsigned size_b, uint64_t *out)
{
	double real;
	int64_t number = 0;
	uint64_t word = 0;
	if (f->letter == 'f' && size_b >= 4) {
		float single;
		if (!bw_parse_f64(text, &real))
			return bw_errorf(BW_E_INVALID, "\"%s\" is not a number", text);
		single = (float)real;
		if (size_b == 4)
			memcpy(&word, &single, 4);
		else
			memcpy(&word, &real, 8);
		*out = word;
		return NULL;
	}
	bool is_signed = text[0] == '-' && bw_parse_i64(text, &number);
	if (is_signed)
		word = (uint64_t)number;
	else if (!bw_parse_u64(text, &word))
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a number%s", text,
				 f->letter == 'f' ? " (floats have 4 or 8 bytes here)" : "");
	unsigned bits = size_b * 8;
	if (bits < 64 && (is_signed ? number < -(1ll << (bits - 1)) : word >> bits != 0))
		return bw_errorf(BW_E_INVALID, "%s does not fit into %u byte%s", text, size_b,
				 size_b == 1 ? "" : "s");
	*out = word;
	return NULL;
}

struct bw_error *bw_mem_bytes(const struct bw_mem *c, uint8_t **out, size_t *out_n)
{
	unsigned size_b = bw_print_format_size(&c->format);
	if (c->text && c->n_values)
		return bw_errorf(BW_E_INVALID, "give values or --text, not both");
	size_t n = c->text ? strlen(c->text) : c->n_values * size_b;
	if (!n)
		return bw_errorf(BW_E_INVALID, "%s wants values, or --text (see --help)",
				 c->look.words[0]);
	_cleanup_free_ uint8_t *bytes = malloc(n);
	if (!bytes)
		return bw_error_nomem();
	if (c->text)
		memcpy(bytes, c->text, n);
	for (size_t i = 0; i < c->n_values; i++) {
		uint64_t word;
		BW_TRY(parse_value(c->values[i], &c->format, size_b, &word));
		memcpy(bytes + i * size_b, &word, size_b);
	}
	*out = bw_take(bytes);
	*out_n = n;
	return NULL;
}

/* ---- read ---- */

static void read_values(struct bw_mem *c, struct bw_look_memory *m, uint64_t *address,
			struct bw_error **out_stop)
{
	const struct bw_print_format *f = &c->format;
	unsigned size = bw_print_format_size(f);
	unsigned per_line = size == 8 ? 2 : size == 4 ? 4 : 8; /* as x has them */
	/* x pads hexadecimal numbers in memory */
	char letter = !f->letter || f->letter == 'x' || f->letter == 'a' ? 'z' : f->letter;
	json_t *values = json_array();
	struct bw_str line = {0};
	for (uint32_t i = 0; i < f->count && !*out_stop; i++) {
		uint64_t bits = 0;
		if (bw_look_memory_read(m, *address, &bits, size) < size) {
			*out_stop = bw_mem_stopped(m, *address);
			break;
		}
		if (i % per_line == 0) {
			bw_mem_address(m, *address, &line);
			bw_str_add(&line, ":");
		}
		bw_str_add(&line, "\t");
		size_t at = line.len;
		bw_print_value(&line, bits, size, BW_KIND_UNSIGNED, letter);
		json_array_append_new(values, bw_json_text(bw_str_text(&line) + at));
		*address += size;
		if (i % per_line == per_line - 1 || i + 1 == f->count) {
			bw_out_line(c->look.out, "%s", bw_str_text(&line));
			bw_str_clear(&line);
		}
	}
	if (line.len)
		bw_out_line(c->look.out, "%s", bw_str_text(&line));
	bw_str_free(&line);
	bw_out_json(c->look.out, "values", values);
}

static void read_strings(struct bw_mem *c, struct bw_look_memory *m, uint64_t *address,
			 struct bw_error **out_stop)
{
	enum { LONGEST = 200 }; /* as x has it */
	json_t *strings = json_array();
	for (uint32_t i = 0; i < c->format.count && !*out_stop; i++) {
		char text[LONGEST + 1];
		size_t n = 0;
		struct bw_str place = {0};
		bw_mem_address(m, *address, &place);
		for (; n < LONGEST; n++) {
			if (!bw_look_memory_read(m, *address + n, &text[n], 1)) {
				*out_stop = bw_mem_stopped(m, *address + n);
				break;
			}
			if (!text[n])
				break;
		}
		text[n] = '\0';
		bool is_cut = n == LONGEST;
		if (n || !*out_stop) {
			bw_out_line(c->look.out, "%s:\t\"%s\"%s", bw_str_text(&place), text,
				    is_cut ? "..." : "");
			json_array_append_new(strings, bw_json_text(text));
		}
		*address += n + !is_cut;
		bw_str_free(&place);
	}
	bw_out_json(c->look.out, "strings", strings);
}

static struct bw_error *show_code(struct bw_mem *c, struct bw_look_memory *m, uint64_t *address,
				  struct bw_error **out_stop)
{
	enum { LONGEST_B = 20 };
	char gfx[24], text[256];
	struct bw_isa_text *isa;
	bw_arch_gfx_name(m->vm.part.gc, gfx, sizeof(gfx));
	BW_TRY(bw_isa_text_create(gfx, &isa));
	bw_isa_text_set_lanes(isa, c->lanes);
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->format.count && !*out_stop; i++) {
		uint8_t code[LONGEST_B];
		size_t got = bw_look_memory_read(m, *address, code, sizeof(code));
		if (got < 4) {
			*out_stop = bw_mem_stopped(m, *address + got);
			break;
		}
		size_t n = bw_isa_text_line(isa, code, got, *address, text, sizeof(text));
		struct bw_str place = {0};
		bw_mem_address(m, *address, &place);
		bw_out_line(c->look.out, "   %s:\t%s", bw_str_text(&place), text);
		bw_str_free(&place);
		json_array_append_new(list, json_pack("{s:o, s:o}", "address",
						      json_sprintf("0x%" PRIx64, *address), "text",
						      bw_json_text(text)));
		*address += n;
	}
	bw_out_json(c->look.out, "instructions", list);
	bw_isa_text_destroy(isa);
	return NULL;
}

static struct bw_error *read_memory(struct bw_mem *c, struct bw_look_memory *m, uint64_t address)
{
	struct bw_error *stop = NULL, *err = NULL;
	uint64_t at = address;
	if (c->n_values || c->text)
		return bw_errorf(BW_E_INVALID, "read wants one PLACE, and /FMT (see --help)");
	if (!c->has_format)
		c->format.count = c->format.letter == 'i' ? c->format.count : 16;
	bw_out_begin(c->look.out, "command", "mem read");
	bw_mem_facts(&c->look, m, address);
	if (c->format.letter == 'i')
		err = show_code(c, m, &at, &stop);
	else if (c->format.letter == 's')
		read_strings(c, m, &at, &stop);
	else
		read_values(c, m, &at, &stop);
	if (stop)
		bw_out_str(c->look.out, "stopped", stop->message);
	if (err)
		bw_out_drop(c->look.out);
	else
		bw_out_end(c->look.out);
	return err ? err : stop;
}

static struct bw_error *disasm(struct bw_mem *c, struct bw_look_memory *m, uint64_t address)
{
	uint64_t n = 16;
	if (c->n_values > 1)
		return bw_errorf(BW_E_INVALID, "disasm wants one PLACE, and a count");
	if (c->n_values && (!bw_parse_u64(c->values[0], &n) || !n || n > 65536))
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a count of instructions",
				 c->values[0]);
	c->n_values = 0;
	if (!c->has_format)
		c->format.count = (uint32_t)n;
	c->has_format = true;
	c->format.letter = 'i';
	return read_memory(c, m, address);
}

/* ---- write, fill ---- */

/* All or nothing: what is not mapped is found before anything is written. */
static struct bw_error *check_writable(struct bw_look_memory *m, uint64_t address, uint64_t size_b)
{
	uint64_t n = bw_look_memory_writable(m, address, size_b);
	return n == size_b ? NULL
			   : bw_error_wrap(bw_mem_stopped(m, address + n), "nothing was written");
}

static struct bw_error *write_memory(struct bw_mem *c, struct bw_look_memory *m, uint64_t address)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t n;
	struct bw_str place = {0};
	BW_TRY(bw_mem_bytes(c, &bytes, &n));
	BW_TRY(check_writable(m, address, n));
	BW_TRY(bw_look_memory_write(m, address, bytes, n));
	bw_out_begin(c->look.out, "command", "mem write");
	bw_mem_facts(&c->look, m, address);
	bw_out_int(c->look.out, "bytes", (int64_t)n);
	bw_mem_address(m, address, &place);
	bw_out_line(c->look.out, "%zu bytes written at %s.", n, bw_str_text(&place));
	bw_str_free(&place);
	bw_out_end(c->look.out);
	return NULL;
}

static struct bw_error *fill(struct bw_mem *c, struct bw_look_memory *m, uint64_t address)
{
	enum { CHUNK_B = 64 * 1024 };
	_cleanup_free_ uint8_t *bytes = NULL, *chunk = malloc(CHUNK_B);
	struct bw_str place = {0};
	uint64_t size_b;
	size_t n;
	if (!chunk)
		return bw_error_nomem();
	if (!c->n_values)
		return bw_errorf(BW_E_INVALID, "fill wants PLACE, SIZE and VALUE (see --help)");
	BW_TRY(bw_mem_size(c->values[0], &size_b));
	c->values++;
	c->n_values--;
	BW_TRY(bw_mem_bytes(c, &bytes, &n));
	BW_TRY(check_writable(m, address, size_b));
	uint64_t at = 0;
	while (at < size_b && !bw_look_ended) {
		size_t k = (size_t)BW_MIN((uint64_t)CHUNK_B, size_b - at);
		for (size_t i = 0; i < k; i++)
			chunk[i] = bytes[(at + i) % n];
		BW_TRY(bw_look_memory_write(m, address + at, chunk, k));
		at += k;
	}
	if (at < size_b)
		return bw_errorf(BW_E_INTERRUPTED, "interrupted: %" PRIu64 " bytes are filled", at);
	bw_out_begin(c->look.out, "command", "mem fill");
	bw_mem_facts(&c->look, m, address);
	bw_out_int(c->look.out, "bytes", (int64_t)size_b);
	bw_mem_address(m, address, &place);
	bw_out_line(c->look.out, "%" PRIu64 " bytes filled from %s on.", size_b,
		    bw_str_text(&place));
	bw_str_free(&place);
	bw_out_end(c->look.out);
	return NULL;
}

/* ---- options ---- */

static struct bw_error *take_format(void *command, const char *option, const char *value)
{
	struct bw_mem *c = command;
	c->has_format = true;
	return bw_print_format_parse(value, true, &c->format);
}

static struct bw_error *take_wave64(void *command, const char *option, const char *value)
{
	((struct bw_mem *)command)->lanes = 64;
	return NULL;
}

static const struct bw_option rows[] = {
	{"--text", "TEXT", "of write and find: these bytes", BW_TEXT(struct bw_mem, text)},
	{"--format", "FMT", "the same as /FMT", BW_CALL(take_format)},
	{"--wave64", NULL, "of disasm: code of waves of 64 lanes", BW_CALL(take_wave64)},
	BW_LOOK_HUB,
	BW_LOOK_GPU,
	BW_LOOK_END,
};

const struct bw_command_line bw_line_mem = {
	.name = "breakwater mem",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.after =
		"What is not mapped is named, and never read over in silence. Accesses are the driver's: "
		"permissions of pages do not count.\n",
	.word = bw_look_take_word,
	.has_numbers = true,
};

/* "read/8xw", "x/8xw", and /FMT among the words of the parts that take one. */
static struct bw_error *take_formats(struct bw_mem *c, char name[16], bool is_wanted)
{
	struct bw_look *l = &c->look;
	const char *slash = strchr(l->words[0], '/');
	size_t n = slash ? (size_t)(slash - l->words[0]) : strlen(l->words[0]), kept = 1;
	snprintf(name, 16, "%.*s", (int)BW_MIN(n, (size_t)15), l->words[0]);
	if (slash) {
		BW_TRY(bw_print_format_parse(slash + 1, true, &c->format));
		c->has_format = true;
	}
	for (size_t i = 1; i < l->n_words; i++) {
		if (!is_wanted || l->words[i][0] != '/') {
			l->words[kept++] = l->words[i];
			continue;
		}
		BW_TRY(bw_print_format_parse(l->words[i] + 1, true, &c->format));
		c->has_format = true;
	}
	l->n_words = kept;
	return NULL;
}

static struct bw_error *run_mem(struct bw_look *l)
{
	static const struct {
		const char *name;
		bool takes_format;
		struct bw_error *(*run)(struct bw_mem *c, struct bw_look_memory *m,
					uint64_t address);
	} parts[] = {{"read", true, read_memory},	 {"x", true, read_memory},
		     {"write", true, write_memory},	 {"fill", true, fill},
		     {"dump", false, bw_mem_dump},	 {"find", true, bw_mem_find},
		     {"compare", false, bw_mem_compare}, {"disasm", true, disasm}};
	struct bw_mem *c = l->cookie;
	struct bw_look_memory m = {0};
	uint64_t address;
	char name[16];
	for (size_t i = 0; l->n_words && i < BW_ARRAY_SIZE(parts); i++) {
		size_t n = strlen(parts[i].name);
		if (strncmp(l->words[0], parts[i].name, n) != 0 ||
		    (l->words[0][n] && l->words[0][n] != '/'))
			continue;
		BW_TRY(take_formats(c, name, parts[i].takes_format));
		if (l->n_words < 2)
			return bw_errorf(BW_E_INVALID,
					 "%s wants a PLACE, as 8@0x7ffff7f76000 (see --help)",
					 name);
		c->values = l->words + 2;
		c->n_values = l->n_words - 2;
		struct bw_error *err = bw_look_memory_open(l, l->words[1], &m, &address);
		if (!err)
			err = parts[i].run(c, &m, address);
		bw_look_memory_close(&m);
		return err;
	}
	return bw_errorf(BW_E_INVALID, "mem wants read, write, fill, dump, find, compare or disasm "
				       "(see --help)");
}

int bw_main_mem(int argc, char **argv)
{
	struct bw_mem c = {.format = {.count = 1, .letter = 0}, .lanes = 32};
	c.look.cookie = &c;
	return bw_look_main(&c.look, &bw_line_mem, argc, argv, run_mem);
}
