/* SPDX-License-Identifier: MIT */
#include "ui/show.h"

#include <string.h>

#include "base/util.h"

/* "0x7f0010 <saxpy+16>:" or "local#0x10:" */
static void add_label(struct bw_debug *d, enum bw_space space, uint64_t addr, struct bw_str *out)
{
	char symbol[160] = "";
	if (space == BW_SPACE_GLOBAL) {
		bw_debug_symbolize(d, addr, symbol, sizeof(symbol));
		bw_str_addf(out, "0x%llx%s%s:", (unsigned long long)addr, symbol[0] ? " " : "",
			    symbol);
	} else {
		bw_str_addf(out, "%s#0x%llx:", bw_space_name(space), (unsigned long long)addr);
	}
}

static struct bw_error *show_instructions(struct bw_out *o, struct bw_debug *d, uint64_t addr,
					  uint32_t count, uint64_t *out_next)
{
	_cleanup_free_ struct bw_dis_line *lines = NULL;
	size_t n = 0;
	BW_TRY(bw_debug_disassemble(d, addr, 0, count, &lines, &n));
	json_t *array = json_array();
	for (size_t i = 0; i < n; i++) {
		struct bw_str s = {0};
		bw_str_add(&s, lines[i].is_pc ? "=> " : "   ");
		add_label(d, BW_SPACE_GLOBAL, lines[i].addr, &s);
		bw_out_line(o, "%s\t%s", bw_str_text(&s), lines[i].text);
		bw_str_free(&s);
		json_t *row = json_object();
		json_object_set_new(row, "address",
				    json_sprintf("0x%llx", (unsigned long long)lines[i].addr));
		json_object_set_new(row, "text", bw_json_text(lines[i].text));
		json_object_set_new(row, "is_pc", json_boolean(lines[i].is_pc));
		json_array_append_new(array, row);
		*out_next = lines[i].addr + lines[i].size_b;
	}
	bw_out_json(o, "instructions", array);
	return NULL;
}

static struct bw_error *show_strings(struct bw_out *o, struct bw_debug *d, enum bw_space space,
				     uint64_t addr, uint32_t count, uint64_t *out_next)
{
	enum { LONGEST = 200 };
	json_t *strings = json_array();
	for (uint32_t i = 0; i < count; i++) {
		struct bw_str s = {0};
		add_label(d, space, addr, &s);
		bw_str_add(&s, "\t\"");
		unsigned len = 0;
		for (;;) {
			char c;
			struct bw_error *err = bw_debug_read(d, space, addr, &c, 1);
			if (err) {
				json_decref(strings);
				bw_str_free(&s);
				return err;
			}
			addr++;
			if (!c || ++len > LONGEST)
				break;
			if (c == '"' || c == '\\')
				bw_str_addf(&s, "\\%c", c);
			else
				bw_str_addf(&s, c >= 0x20 && c < 0x7f ? "%c" : "\\%03o",
					    (unsigned char)c);
		}
		bw_str_add(&s, len > LONGEST ? "\"..." : "\"");
		json_array_append_new(strings, bw_json_text(strchr(bw_str_text(&s), '\t') + 1));
		bw_out_line(o, "%s", bw_str_text(&s));
		bw_str_free(&s);
	}
	bw_out_json(o, "strings", strings);
	*out_next = addr;
	return NULL;
}

struct bw_error *bw_show_memory(struct bw_out *o, struct bw_debug *d, enum bw_space space,
				uint64_t addr, const struct bw_print_format *f, uint64_t *out_next)
{
	bw_out_str(o, "space", bw_space_name(space));
	bw_out_hex(o, "address", addr);
	if (f->letter == 'i') {
		if (space != BW_SPACE_GLOBAL)
			return bw_errorf(BW_E_INVALID, "There are no instructions in %s memory",
					 bw_space_name(space));
		return show_instructions(o, d, addr, f->count, out_next);
	}
	if (f->letter == 's')
		return show_strings(o, d, space, addr, f->count, out_next);

	unsigned size = bw_print_format_size(f);
	/* gdb's widths: as many as make a line of about 16 bytes, 8 of bytes and chars */
	unsigned per_line = size == 8 ? 2 : size == 4 ? 4 : 8;
	json_t *array = json_array();
	struct bw_str s = {0};
	struct bw_error *err = NULL;
	for (uint32_t i = 0; i < f->count && !err; i++) {
		uint64_t bits = 0;
		err = bw_debug_read(d, space, addr, &bits, size);
		if (err)
			break;
		if (i % per_line == 0)
			add_label(d, space, addr, &s);
		bw_str_add(&s, "\t");
		size_t value_at = s.len;
		char letter = f->letter ? f->letter : 'x';
		if (letter == 'x')
			letter = 'z'; /* x pads in memory dumps */
		bw_print_value(&s, bits, size, BW_KIND_UNSIGNED, letter);
		if (letter == 'a') {
			char symbol[160];
			bw_debug_symbolize(d, bits, symbol, sizeof(symbol));
			bw_str_addf(&s, "%s%s", symbol[0] ? " " : "", symbol);
		}
		json_array_append_new(array, bw_json_text(bw_str_text(&s) + value_at));
		addr += size;
		if (i % per_line == per_line - 1 || i + 1 == f->count) {
			bw_out_line(o, "%s", bw_str_text(&s));
			bw_str_clear(&s);
		}
	}
	if (s.len)
		bw_out_line(o, "%s", bw_str_text(&s));
	bw_str_free(&s);
	bw_out_json(o, "values", array);
	*out_next = addr;
	return err;
}
