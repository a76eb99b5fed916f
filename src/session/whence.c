/* SPDX-License-Identifier: MIT */
/* "whence": who has written memory, as the virtual GPU's checker knows it (its server's file
 * breakwater_writers), and from which loads the value of a register comes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/shown.h"
#include "base/util.h"
#include "debug/dispatches.h"
#include "debug/value.h"
#include "debug/variables.h"
#include "debug/waves.h"
#include "session/check_priv.h"
#include "session/server_report.h"
#include "session/session.h"
#include "ui/table.h"

#define WRITERS_FILE "breakwater_writers"

enum { DWORDS_MAX = 8 };

/* A row of the answer: a writer of a dword, or that there is none. */
struct row {
	uint64_t address;
	const char *memory;
	const char *how; /* "wave", "copy", "fill", "write", "unknown", "none" */
	uint64_t age;	 /* 1: the last one */
	uint64_t dispatch, source;
	uint32_t mask, n_lanes;
	bool has_value, is_stale; /* stale: the memory has another value by now */
	bool is_float;		  /* values are shown as such */
	uint32_t value, now;
	struct bw_checked_side at;
	char instruction[128];
	struct bw_where where;
};

static void put_group(struct bw_table *t, const void *of)
{
	const struct row *r = of;
	if (!strcmp(r->how, "wave") && !r->at.draw)
		bw_table_json_cell(t, json_pack("[I,I,I]", (json_int_t)r->at.group[0],
						(json_int_t)r->at.group[1],
						(json_int_t)r->at.group[2]));
}

#define OF_WAVE BW_IF(struct row, at.pc)
static const struct bw_fact writer_rows[] = {
	{NULL, "address", "hex", "of the dword; of LDS, and of a lane's scratch, the offset there",
	 BW_OF(struct row, address)},
	{NULL, "memory", "text", "memory, LDS or scratch", BW_OF(struct row, memory)},
	{NULL, "by", "text", "wave, copy, fill, write; unknown: not kept; none: no wave or packet",
	 BW_OF(struct row, how)},
	{NULL, "age", "count?", "1: the last writer", BW_OF(struct row, age)},
	{NULL, "dispatch", "count?", "in the order in which the GPU has begun them",
	 BW_OF(struct row, dispatch)},
	{NULL, "bytes", "count?", "a bit for each byte of the dword", BW_OF(struct row, mask)},
	{NULL, "source", "hex?", "where a copy has the bytes from", BW_OF(struct row, source)},
	{NULL, "value", "hex?", "of the dword, after the last writer", BW_OF(struct row, value),
	 BW_IF(struct row, has_value)},
	{NULL, "now", "hex?", "where another value is there now", BW_OF(struct row, now),
	 BW_IF(struct row, is_stale)},
	{NULL, "code", "hex?", BW_OF(struct row, at.pc)},
	{NULL, "instruction", "text?", BW_OF(struct row, instruction), OF_WAVE},
	{NULL, "function", "text?", BW_OF(struct row, where.function)},
	{NULL, "file", "text?", BW_OF(struct row, where.line.file),
	 BW_IF(struct row, where.has_line)},
	{NULL, "line", "count?", BW_OF(struct row, where.line.line),
	 BW_IF(struct row, where.has_line)},
	{NULL, "draw", "count?", "in the order in which the GPU has begun them",
	 BW_OF(struct row, at.draw)},
	{NULL, "lane_is", "text?",
	 "what it runs for in a draw: \"pixel 3,4\"; \"\": that is not known any more",
	 BW_OF(struct row, at.lane_is), BW_IF(struct row, at.draw)},
	{NULL, "workgroup", "dims?", BW_GET(put_group)},
	{NULL, "wave", "count?", BW_OF(struct row, at.wave), OF_WAVE},
	{NULL, "lane", "count?", BW_OF(struct row, at.lane), OF_WAVE},
	{NULL, "n_lanes", "count?", "2 or more: this lane and the next ones, a byte or two each",
	 BW_OF(struct row, n_lanes), OF_WAVE},
};
BW_FACTS(writer_facts, "whence", "writers", writer_rows);

/* ---- memory ---- */

/* What is asked about: global memory, or LDS or private memory of the focus wave and lane. */
struct place {
	enum bw_space space;
	uint64_t va;
};

static const char *memory_name(enum bw_space space)
{
	static const char *const names[] = {[BW_SPACE_GLOBAL] = "memory",
					    [BW_SPACE_LDS] = "LDS",
					    [BW_SPACE_PRIVATE] = "scratch"};
	return names[space];
}

/* As the virtual GPU reads it (uapi/check_output.c). */
static int put_question(struct bw_session *s, const struct place *p, char *out, size_t size)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	if (p->space == BW_SPACE_GLOBAL || !w)
		return snprintf(out, size, "%u 0x%" PRIx64, bw_debug_focus_vmid(s->debug), p->va);
	bool is_lds = p->space == BW_SPACE_LDS;
	return snprintf(out, size, "%s %u %u %u %u %u %u %" PRIu32, is_lds ? "lds" : "scratch",
			w->place.se, w->place.sa, w->place.wgp, w->place.simd, w->place.wave,
			is_lds ? 0 : bw_debug_focus_lane(s->debug), (uint32_t)p->va);
}

static struct bw_error *ask(struct bw_session *s, const struct place *p, char **out)
{
	struct bw_kmd_file *f;
	char question[128];
	int n = put_question(s, p, question, sizeof(question));
	struct bw_str text = {0};
	char chunk[1024];
	size_t done = 1;
	BW_TRY(bw_kmd_file_open(s->kmd, WRITERS_FILE, true, &f));
	struct bw_error *err = bw_kmd_file_write(f, 0, question, (size_t)n, &done);
	for (uint64_t at = 0; !err && done; at += done) {
		err = bw_kmd_file_read(f, at, chunk, sizeof(chunk), &done);
		if (!err)
			bw_str_addn(&text, chunk, done);
	}
	bw_kmd_file_close(f);
	*out = err ? NULL : bw_str_take(&text);
	bw_str_free(&text);
	return err || *out ? err : bw_error_nomem();
}

static void take_writer(char *line, struct row *r)
{
	r->how = bw_report_field(&line);
	if (!bw_report_number(&line))
		r->how = "unknown";
	r->dispatch = bw_report_number(&line);
	bw_report_number(&line); /* VMID */
	r->mask = (uint32_t)bw_report_number(&line);
	r->n_lanes = (uint32_t)bw_report_number(&line);
	r->source = bw_report_number(&line);
	bw_checked_take_side(&line, &r->at);
	if (strcmp(r->how, "wave") != 0)
		r->at.pc = r->dispatch = 0;
	if (r->at.draw)
		r->dispatch = 0;
}

/* The bytes of a dword: "", or " (bytes 0 to 1 of the 4)" */
static void add_bytes(struct bw_str *s, uint32_t mask)
{
	if (mask == 15 || !mask)
		return;
	bw_str_add(s, " (byte");
	for (unsigned i = 0; i < 4; i++)
		if (mask >> i & 1)
			bw_str_addf(s, " %u", i);
	bw_str_add(s, " of these 4)");
}

/* " by lane 5 of wave 0 of workgroup (0,0,0), dispatch 1"; of bytes, by a lane each */
static void add_wave(struct bw_str *s, const struct row *r)
{
	if (r->n_lanes > 1)
		bw_str_addf(s, " by lanes %u to %u", r->at.lane, r->at.lane + r->n_lanes - 1);
	else
		bw_str_addf(s, " by lane %u", r->at.lane);
	if (r->at.draw) {
		bool has_name = r->at.lane_is && *r->at.lane_is;
		bw_str_addf(s, "%s%s%s of draw %u", has_name ? " (" : "",
			    has_name ? r->at.lane_is : "", has_name ? ")" : "", r->at.draw);
		return;
	}
	bw_str_addf(s, " of wave %u of workgroup (%u,%u,%u), dispatch %" PRIu64, r->at.wave,
		    r->at.group[0], r->at.group[1], r->at.group[2], r->dispatch);
}

/* "0x00000009 (9)" */
static const char *value_text(const struct row *r, uint32_t value, char out[48])
{
	float f;
	memcpy(&f, &value, sizeof(f));
	if (r->is_float)
		snprintf(out, 48, "0x%08x (%.9g)", value, (double)f);
	else
		snprintf(out, 48, "0x%08x (%d)", value, (int32_t)value);
	return out;
}

static void show_row(struct bw_session *s, const struct row *r, bool is_first)
{
	char text[48];
	struct bw_str line = {0};
	bw_str_addf(&line, "    %s ", r->age == 1 ? "last  " : "before");
	if (!strcmp(r->how, "unknown"))
		bw_str_addf(&line, "a store of lane %u, of which no more is kept", r->at.lane);
	else if (!strcmp(r->how, "wave"))
		bw_str_addf(&line, "%s", r->at.pc ? r->at.access : "a store");
	else
		bw_str_addf(&line, "%s by a packet", r->how);
	if (r->at.pc)
		bw_checked_add_place(&line, s->debug, &r->at);
	if (!strcmp(r->how, "wave"))
		add_wave(&line, r);
	if (r->source)
		bw_str_addf(&line, ", from 0x%" PRIx64, r->source);
	add_bytes(&line, r->mask);
	if (r->has_value)
		bw_str_addf(&line, ": %s", value_text(r, r->value, text));
	bw_out_line(s->out, "%s", bw_str_text(&line));
	bw_str_free(&line);
	if (r->at.pc)
		bw_out_line(s->out, "             0x%" PRIx64 " (%s)  %s", r->at.pc,
			    bw_shown_offset(r->at.pc, r->at.start).text, r->instruction);
	if (is_first && r->is_stale && strcmp(r->memory, memory_name(BW_SPACE_GLOBAL)) != 0)
		bw_out_line(s->out,
			    "    now    %s, which the debugger has written since, or an "
			    "instruction that is not followed",
			    value_text(r, r->now, text));
	else if (is_first && r->is_stale)
		bw_out_line(s->out,
			    "    now    %s, which is not from the GPU: the CPU has written "
			    "it since, or it was given to another buffer",
			    value_text(r, r->now, text));
}

static void show_none(struct bw_session *s, const struct row *r)
{
	char text[48];
	if (!strcmp(r->memory, memory_name(BW_SPACE_LDS)))
		bw_out_line(s->out, "    no wave of the workgroup has written it");
	else if (!strcmp(r->memory, memory_name(BW_SPACE_PRIVATE)))
		bw_out_line(s->out, "    the lane has not written it");
	else if (r->now)
		bw_out_line(s->out,
			    "    no dispatch, copy or fill has written it: %s is from the CPU",
			    value_text(r, r->now, text));
	else
		bw_out_line(s->out, "    nobody has written it, or the CPU has written 0");
}

/* The writers of a dword: rows of the table, and text. */
static struct bw_error *dword(struct bw_session *s, const char *gpu, const struct place *p,
			      bool is_float, struct bw_table *t)
{
	_cleanup_free_ char *text = NULL;
	const uint64_t va = p->va;
	const char *memory = memory_name(p->space);
	BW_TRY(ask(s, p, &text));
	char *rest = text, *line = strsep(&rest, "\n");
	if (!line || !*line)
		return bw_errorf(BW_E_NOT_FOUND,
				 "%s%s0x%" PRIx64
				 " is not mapped on the GPU, or the program is not "
				 "checked for writers (--check, or --check=writers)",
				 p->space == BW_SPACE_GLOBAL ? "" : memory,
				 p->space == BW_SPACE_GLOBAL ? "" : " + ", va);
	uint32_t value = (uint32_t)bw_report_number(&line), now = (uint32_t)bw_report_number(&line);
	unsigned age = 0;
	bool is_text = !bw_out_is_json(s->out);
	if (is_text && p->space == BW_SPACE_GLOBAL)
		bw_out_line(s->out, "  4 bytes at 0x%" PRIx64 ":", va);
	else if (is_text)
		bw_out_line(s->out, "  4 bytes at %s + 0x%" PRIx64 ":", memory, va);
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			break;
		struct row r = {.address = va,
				.memory = memory,
				.age = ++age,
				.now = now,
				.is_float = is_float};
		take_writer(line, &r);
		r.has_value = age == 1;
		r.value = value;
		r.is_stale = age == 1 && value != now;
		if (r.at.pc) {
			bw_checked_instruction(gpu, &r.at, r.instruction, sizeof(r.instruction));
			bw_checked_where(s->debug, &r.at, &r.where);
		}
		if (is_text)
			show_row(s, &r, age == 1);
		else
			bw_table_row(t, &r);
	}
	if (!age) {
		const struct row r = {.address = va,
				      .memory = memory,
				      .how = "none",
				      .now = now,
				      .is_stale = p->space == BW_SPACE_GLOBAL && now != 0,
				      .is_float = is_float};
		if (is_text)
			show_none(s, &r);
		else
			bw_table_row(t, &r);
	}
	return NULL;
}

static struct bw_error *memory(struct bw_session *s, const struct place *p, uint64_t size_b,
			       bool is_float, struct bw_table *t)
{
	char gpu[16];
	const uint64_t va = p->va;
	uint64_t first = va & ~3ull, n = size_b ? (va + size_b - 1) / 4 - va / 4 + 1 : 1;
	BW_TRY(bw_report_gpu(s->kmd, gpu, sizeof(gpu)));
	for (uint64_t i = 0; i < n && i < DWORDS_MAX; i++)
		BW_TRY(dword(s, gpu, &(struct place){p->space, first + 4 * i}, is_float, t));
	if (n > DWORDS_MAX)
		bw_out_int(s->out, "more", (int64_t)(n - DWORDS_MAX));
	if (n > DWORDS_MAX)
		bw_out_line(s->out, "  and %" PRIu64 " more dwords: name an element of it",
			    n - DWORDS_MAX);
	return NULL;
}

/* ---- registers ---- */

static const char *const source_names[] = {[BW_SOURCE_LOAD] = "load",
					   [BW_SOURCE_LAUNCH] = "launch",
					   [BW_SOURCE_CALL] = "call",
					   [BW_SOURCE_OTHER] = "other"};

struct source_row {
	const char *kind;
	struct bw_value_source s;
	struct bw_where where;
	char reg[16];
};
static const struct bw_fact source_rows[] = {
	{NULL, "from", "text", "load, launch, call, other", BW_OF(struct source_row, kind)},
	{NULL, "register", "text", BW_OF(struct source_row, reg)},
	{NULL, "code", "hex?", BW_OF(struct source_row, s.pc)},
	{NULL, "function", "text?", BW_OF(struct source_row, where.function)},
	{NULL, "file", "text?", BW_OF(struct source_row, where.line.file),
	 BW_IF(struct source_row, where.has_line)},
	{NULL, "line", "count?", BW_OF(struct source_row, where.line.line),
	 BW_IF(struct source_row, where.has_line)},
	{NULL, "address", "hex?", "that the focus lane has loaded from",
	 BW_OF(struct source_row, s.va), BW_IF(struct source_row, s.has_address)},
};
BW_FACTS(source_facts, "whence sources", "sources", source_rows);

static void show_source(struct bw_session *s, const struct source_row *r)
{
	struct bw_str line = {0};
	bw_str_addf(&line, "  %s ", r->reg);
	bw_str_add(&line, r->s.kind == BW_SOURCE_LOAD	  ? "from the load"
			  : r->s.kind == BW_SOURCE_LAUNCH ? "as the function was entered with it"
			  : r->s.kind == BW_SOURCE_CALL
				  ? "from the call"
				  : "from an instruction that is not followed");
	if (r->where.has_line)
		bw_str_addf(&line, " at %s:%u", bw_base_name(r->where.line.file),
			    r->where.line.line);
	if (r->s.pc)
		bw_str_addf(&line, " (0x%" PRIx64 ")", r->s.pc);
	if (r->s.kind == BW_SOURCE_LOAD && !r->s.has_address)
		bw_str_add(&line, "; its address is not known any more");
	else if (r->s.kind == BW_SOURCE_LOAD && r->s.space != BW_SPACE_GLOBAL)
		bw_str_addf(&line, ", of %s + 0x%" PRIx64, memory_name(r->s.space), r->s.va);
	bw_out_line(s->out, "%s", bw_str_text(&line));
	bw_str_free(&line);
}

static struct bw_error *register_(struct bw_session *s, bool is_vgpr, unsigned reg,
				  struct bw_table *sources, struct bw_table *writers)
{
	struct bw_value_sources all;
	BW_TRY(bw_debug_value_sources(s->debug, is_vgpr, reg, &all));
	if (!all.n && !all.is_partial)
		bw_out_line(s->out, "  %s%u is a constant of the code", is_vgpr ? "v" : "s", reg);
	for (size_t i = 0; i < all.n; i++) {
		const struct bw_value_source *x = &all.source[i];
		struct source_row r = {.kind = source_names[x->kind], .s = *x};
		snprintf(r.reg, sizeof(r.reg), "%s%u", x->is_vgpr ? "v" : "s", x->reg);
		if (x->pc)
			bw_debug_where(s->debug, x->pc, &r.where);
		bw_table_row(sources, &r);
		if (!bw_out_is_json(s->out))
			show_source(s, &r);
		if (x->has_address && s->is_checked)
			bw_error_free(memory(s, &(struct place){x->space, x->va}, x->size_b, false,
					     writers));
	}
	if (all.is_partial)
		bw_out_line(s->out,
			    "  and from what is not followed: conditions, or more than %d sources",
			    BW_VALUE_SOURCES);
	bw_out_bool(s->out, "is_partial", all.is_partial);
	return NULL;
}

/* The register that the value is in; false: it is in none, or in several. */
static bool in_register(const struct bw_value *v, bool *out_vgpr, unsigned *out_reg)
{
	if (v->place == BW_PLACE_REG && (v->reg.cls == BW_REG_VGPR || v->reg.cls == BW_REG_SGPR)) {
		*out_vgpr = v->reg.cls == BW_REG_VGPR;
		*out_reg = v->reg.index;
		return true;
	}
	if (!v->bytes || v->bytes->location.n_pieces ||
	    (v->bytes->location.kind != BW_LOC_VGPR && v->bytes->location.kind != BW_LOC_SGPR))
		return false;
	*out_vgpr = v->bytes->location.kind == BW_LOC_VGPR;
	*out_reg = v->bytes->location.reg + v->bytes_at / 4;
	return true;
}

struct bw_error *bw_session_whence(struct bw_session *s, const char *text, const struct bw_value *v)
{
	const struct bw_wave_info *w;
	bool is_vgpr;
	unsigned reg;
	BW_TRY(bw_session_need_wave(s, &w));
	struct bw_table writers, sources;
	bw_table_begin(&writers, &writer_facts);
	bw_table_begin(&sources, &source_facts);
	struct bw_error *err = NULL;
	uint64_t size_b = bw_type_size(&v->type) * (v->n_elem ? v->n_elem : 1);
	if (v->is_missing)
		err = bw_errorf(BW_E_NOT_FOUND, "%s has no value here%s%s", text,
				v->bytes && v->bytes->why[0] ? ": " : "",
				v->bytes ? v->bytes->why : "");
	else if (v->place == BW_PLACE_MEMORY && s->is_checked)
		err = memory(s, &(struct place){v->space, v->va}, size_b,
			     v->type.kind == BW_TYPE_FLOAT && v->type.size_b == 4, &writers);
	else if (v->place == BW_PLACE_MEMORY)
		err = bw_errorf(BW_E_STATE,
				"the program is not checked: with \"breakwater run --check\" it is "
				"noted who writes memory");
	else if (in_register(v, &is_vgpr, &reg))
		err = register_(s, is_vgpr, reg, &sources, &writers);
	else
		err = bw_errorf(BW_E_INVALID, "%s is not in memory, and not in one register", text);
	if (!err && bw_table_rows(&writers))
		bw_out_table(s->out, &writers, "");
	if (!err && bw_out_is_json(s->out) && bw_table_rows(&sources))
		bw_out_table(s->out, &sources, "");
	bw_table_fini(&writers);
	bw_table_fini(&sources);
	return err;
}
