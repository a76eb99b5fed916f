/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "debug/code.h"
#include "ui/table.h"

/* Memory, and code in it. Places carry their address space: "0x7f001000", "local#0x10". */

struct bw_error *bw_dap_parse_place(const char *text, enum bw_space *out_space, uint64_t *out_addr)
{
	static const enum bw_space spaces[] = {BW_SPACE_GLOBAL, BW_SPACE_LDS, BW_SPACE_PRIVATE};
	const char *hash = strchr(text, '#'), *number = hash ? hash + 1 : text;
	uint64_t addr;
	bool known = !hash;
	enum bw_space space = BW_SPACE_GLOBAL;
	for (size_t i = 0; hash && i < BW_ARRAY_SIZE(spaces); i++) {
		const char *name = bw_space_name(spaces[i]);
		if (strlen(name) == (size_t)(hash - text) &&
		    !strncmp(name, text, (size_t)(hash - text))) {
			space = spaces[i];
			known = true;
		}
	}
	if (!known || !isdigit((unsigned char)number[0]) || !bw_parse_u64(number, &addr))
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a memory reference", text);
	*out_space = space;
	*out_addr = addr;
	return NULL;
}

void bw_dap_place_text(enum bw_space space, uint64_t addr, char out[48])
{
	snprintf(out, 48, "%s%s0x%llx", space == BW_SPACE_GLOBAL ? "" : bw_space_name(space),
		 space == BW_SPACE_GLOBAL ? "" : "#", (unsigned long long)addr);
}

static struct bw_error *take_place(json_t *args, enum bw_space *out_space, uint64_t *out_addr)
{
	const char *reference = NULL;
	int64_t offset = 0;
	BW_TRY(bw_dap_need_text(args, "memoryReference", &reference));
	BW_TRY(bw_dap_take_int(args, "offset", &offset));
	BW_TRY(bw_dap_parse_place(reference, out_space, out_addr));
	*out_addr += (uint64_t)offset;
	return NULL;
}

/* Reads up to n bytes into data, and returns how many could be read. */
static size_t read_some(struct bw_dap *s, enum bw_space space, uint64_t addr, uint8_t *data,
			size_t n)
{
	while (n) {
		struct bw_error *err = bw_debug_read(s->debug, space, addr, data, n);
		if (!err)
			return n;
		/* the error tells the first byte that cannot be read; otherwise it is searched */
		size_t less = err->code == BW_E_FAULT && err->va > addr && err->va - addr < n
				      ? (size_t)(err->va - addr)
				      : n / 2;
		bw_error_free(err);
		n = less;
	}
	return 0;
}

struct bw_error *bw_dap_read_memory(struct bw_dap *s, json_t *args, json_t *body)
{
	enum { READ_MAX_B = 1 << 20 };
	enum bw_space space;
	uint64_t addr, count = 0;
	int64_t wanted = -1;
	struct bw_str text = {0};
	char place[48];
	BW_TRY(take_place(args, &space, &addr));
	BW_TRY(bw_dap_need_int(args, "count", &wanted));
	if (wanted < 0)
		return bw_errorf(BW_E_INVALID, "the argument \"count\" is negative");
	count = BW_MIN((uint64_t)wanted, (uint64_t)READ_MAX_B);
	_cleanup_free_ uint8_t *data = malloc(count ? count : 1);
	if (!data)
		return bw_error_nomem();
	size_t got = read_some(s, space, addr, data, count);
	bw_dap_place_text(space, addr, place);
	json_object_set_new(body, "address", json_string(place));
	if (got < (uint64_t)wanted && got < count)
		json_object_set_new(body, "unreadableBytes",
				    json_integer((json_int_t)(count - got)));
	bw_base64_add(&text, data, got);
	json_object_set_new(body, "data", bw_dap_text(&text));
	bw_str_free(&text);
	return NULL;
}

struct bw_error *bw_dap_write_memory(struct bw_dap *s, json_t *args, json_t *body)
{
	enum bw_space space;
	uint64_t addr;
	const char *text = NULL, *reference = NULL;
	_cleanup_free_ uint8_t *data = NULL;
	size_t n;
	BW_TRY(take_place(args, &space, &addr));
	BW_TRY(bw_dap_need_text(args, "memoryReference", &reference));
	BW_TRY(bw_dap_need_text(args, "data", &text));
	BW_TRY(bw_base64_read("the argument \"data\"", text, &data, &n));
	BW_TRY(bw_debug_write(s->debug, space, addr, data, n));
	json_object_set_new(body, "bytesWritten", json_integer((json_int_t)n));
	bw_dap_answer(s, body);
	if (s->has_memory_event) {
		int64_t offset = 0;
		BW_TRY(bw_dap_take_int(args, "offset", &offset));
		json_t *event = json_object();
		json_object_set_new(event, "memoryReference", bw_json_text(reference));
		json_object_set_new(event, "offset", json_integer(offset));
		json_object_set_new(event, "count", json_integer((json_int_t)n));
		bw_dap_event(s, "memory", event);
	}
	bw_dap_invalidate(s, "variables");
	return NULL;
}

/* ---- disassemble ---- */

static void add_invalid(json_t *list, uint64_t addr)
{
	json_t *x = json_object();
	json_object_set_new(x, "address", json_sprintf("0x%llx", (unsigned long long)addr));
	json_object_set_new(x, "instruction", json_string("??"));
	json_object_set_new(x, "presentationHint", json_string("invalid"));
	json_array_append_new(list, x);
}

static void add_instruction(struct bw_dap *s, const struct bw_dis_line *l, bool symbols,
			    json_t *list)
{
	json_t *x = json_object();
	struct bw_str bytes = {0};
	const uint8_t *b = (const uint8_t *)l->words;
	for (unsigned i = 0; i < l->size_b; i++)
		bw_str_addf(&bytes, "%s%02x", i ? " " : "", b[i]);
	json_object_set_new(x, "address", json_sprintf("0x%llx", (unsigned long long)l->addr));
	json_object_set_new(x, "instructionBytes", bw_dap_text(&bytes));
	json_object_set_new(x, "instruction", bw_json_text(l->text));
	if (symbols && l->function) {
		bw_str_clear(&bytes);
		bw_str_addf(&bytes, "%s", l->function);
		if (l->offset_b)
			bw_str_addf(&bytes, "+%llu", (unsigned long long)l->offset_b);
		json_object_set_new(x, "symbol", bw_dap_text(&bytes));
	}
	if (l->line.file && l->line.line) {
		json_object_set_new(x, "location", bw_dap_source(s, l->line.file));
		json_object_set_new(x, "line",
				    json_integer((json_int_t)l->line.line - s->zero_lines));
	}
	bw_str_free(&bytes);
	json_array_append_new(list, x);
}

struct wanted {
	uint64_t addr;
	int64_t first; /* instructions from addr on; negative: before it */
	uint64_t count;
	bool symbols;
};

/* Adds the instructions before addr. They are decoded from the start of the function, because
 * instructions have different lengths. */
static void add_before(struct bw_dap *s, const struct wanted *w, json_t *list)
{
	uint64_t n = (uint64_t)-w->first, start = w->addr, end;
	struct bw_dis_line *lines = NULL;
	size_t have = 0;
	struct bw_error *err = bw_debug_function_range(s->debug, w->addr, &start, &end);
	if (!err && start < w->addr)
		err = bw_debug_disassemble(s->debug, start, w->addr, 0, &lines, &have);
	bw_error_free(err);
	uint64_t missing = n > have ? n - have : 0, taken = BW_MIN(n - missing, w->count);
	for (uint64_t i = 0; i < missing && json_array_size(list) < w->count; i++)
		add_invalid(list, start - (missing - i) * 4);
	for (uint64_t i = have - (n - missing); taken && i < have; i++)
		if (json_array_size(list) < w->count)
			add_instruction(s, &lines[i], w->symbols, list);
	free(lines);
}

static void add_from(struct bw_dap *s, const struct wanted *w, json_t *list)
{
	uint64_t skip = w->first > 0 ? (uint64_t)w->first : 0, addr = w->addr;
	uint64_t count = w->count - json_array_size(list) + skip;
	struct bw_dis_line *lines = NULL;
	size_t have = 0;
	struct bw_error *err =
		bw_debug_disassemble(s->debug, w->addr, 0, (size_t)count, &lines, &have);
	bw_error_free(err);
	for (size_t i = 0; i < have; i++) {
		if (i >= skip)
			add_instruction(s, &lines[i], w->symbols, list);
		addr = lines[i].addr + lines[i].size_b;
	}
	while (json_array_size(list) < w->count) {
		add_invalid(list, addr);
		addr += 4;
	}
	free(lines);
}

struct bw_error *bw_dap_disassemble(struct bw_dap *s, json_t *args, json_t *body)
{
	enum { INSTRUCTIONS_MAX = 1 << 14 };
	struct wanted w = {0};
	enum bw_space space;
	json_t *list = json_array();
	json_object_set_new(body, "instructions", list);
	BW_TRY(take_place(args, &space, &w.addr));
	BW_TRY(bw_dap_take_int(args, "instructionOffset", &w.first));
	BW_TRY(bw_dap_take_count(args, "instructionCount", INSTRUCTIONS_MAX, &w.count));
	BW_TRY(bw_dap_take_bool(args, "resolveSymbols", &w.symbols));
	if (space != BW_SPACE_GLOBAL)
		return bw_errorf(BW_E_INVALID, "code is in global memory only");
	if (w.first < -INSTRUCTIONS_MAX || w.first > INSTRUCTIONS_MAX)
		return bw_errorf(BW_E_INVALID,
				 "the argument \"instructionOffset\" is out of range");
	w.symbols = true;
	if (w.first < 0)
		add_before(s, &w, list);
	if (json_array_size(list) < w.count)
		add_from(s, &w, list);
	return NULL;
}

struct bw_error *bw_dap_memory_spaces(struct bw_dap *s, json_t *args, json_t *body)
{
	static const struct {
		enum bw_space space;
		const char *help;
	} all[] = {{BW_SPACE_GLOBAL, "the program's memory; references are plain addresses"},
		   {BW_SPACE_LDS, "LDS of the focus wave's workgroup: offsets from 0"},
		   {BW_SPACE_PRIVATE, "scratch of the focus lane: offsets from 0"}};
	json_t *list = json_array();
	for (size_t i = 0; i < BW_ARRAY_SIZE(all); i++)
		json_array_append_new(list,
				      json_pack("{s:s,s:s}", "name", bw_space_name(all[i].space),
						"description", all[i].help));
	json_object_set_new(body, "memorySpaces", list);
	return NULL;
}
