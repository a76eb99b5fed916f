/* SPDX-License-Identifier: MIT */
/* Registers of a GPU, read and written by name, pattern or address. */
#include "cli/regs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "base/vec.h"
#include "cli/look/gpu.h"

/* A register found on the GPU. name: has a table. */
struct found {
	bool has_reg;
	struct bw_reg reg;
	uint32_t addr_dw, value;
};
struct found_list BW_VEC(struct found);

static struct bw_error *add_found(struct found_list *list, const struct bw_gpu_block *b,
				  const struct bw_reg *reg)
{
	struct found f = {.has_reg = true, .reg = *reg};
	/* registers reached through an index pair have no address */
	_cleanup_error_ struct bw_error *indexed =
		bw_reg_address(reg, b->ip.segment, b->ip.n_segments, &f.addr_dw);
	return indexed ? NULL : bw_vec_push(list, f);
}

/* Registers that a word names: by name, by pattern, or by address. */
static struct bw_error *find_named(struct bw_gpu *g, const char *word, struct found_list *list)
{
	uint64_t address;
	size_t before = list->len;
	if (bw_parse_u64(word, &address)) {
		struct found f = {.addr_dw = (uint32_t)address};
		if (address > UINT32_MAX)
			return bw_errorf(BW_E_INVALID, "%s is not the address of a register", word);
		for (size_t i = 0; i < g->n_blocks && !f.has_reg; i++)
			f.has_reg = bw_regs_at_address(g->block[i].block, g->block[i].ip.segment,
						       g->block[i].ip.n_segments, f.addr_dw,
						       &f.reg) > 0;
		return bw_vec_push(list, f);
	}
	bool is_pattern = strpbrk(word, "*?") != NULL;
	for (size_t i = 0; i < g->n_blocks; i++) {
		struct bw_reg reg;
		size_t at = 0;
		if (!is_pattern && bw_regs_lookup(g->block[i].block, word, &reg))
			BW_TRY(add_found(list, &g->block[i], &reg));
		while (is_pattern && bw_regs_match_next(g->block[i].block, word, &at, &reg))
			BW_TRY(add_found(list, &g->block[i], &reg));
	}
	if (list->len > before)
		return NULL;
	if (is_pattern || !g->n_blocks)
		return bw_errorf(BW_E_NOT_FOUND, "no register is called %s", word);
	struct bw_reg reg;
	BW_TRY(bw_regs_by_name(g->block[0].block, word, &reg));
	return bw_errorf(BW_E_UNSUPPORTED,
			 "%s is read through an index register: it has no address", word);
}

static void print(struct bw_look_regs *r, const struct found *f, json_t *list)
{
	char text[24];
	json_t *o = json_object();
	if (f->has_reg) {
		bw_out_line(r->look->out, "%s.%s%s => 0x%08x", bw_regs_block_name(f->reg.block),
			    f->reg.prefix, f->reg.name, f->value);
		json_object_set_new(o, "name", json_string(f->reg.name));
		json_object_set_new(o, "block", json_string(bw_regs_block_name(f->reg.block)));
	} else {
		bw_out_line(r->look->out, "0x%04x => 0x%08x", f->addr_dw, f->value);
	}
	snprintf(text, sizeof(text), "0x%x", f->addr_dw);
	json_object_set_new(o, "address", json_string(text));
	snprintf(text, sizeof(text), "0x%x", f->value);
	json_object_set_new(o, "value", json_string(text));
	struct bw_reg_field_value fields[BW_LOOK_MAX_FIELDS];
	size_t n = f->has_reg && r->bits
			   ? bw_reg_decode(&f->reg, f->value, fields, BW_ARRAY_SIZE(fields))
			   : 0;
	json_t *all = n ? json_array() : NULL;
	for (size_t i = 0; i < n && i < BW_ARRAY_SIZE(fields); i++) {
		bw_out_line(r->look->out, "\t.%s[%u:%u] == %" PRIu64 " (0x%" PRIx64 ")",
			    fields[i].field.name, fields[i].field.lo, fields[i].field.hi,
			    fields[i].value, fields[i].value);
		json_array_append_new(all, json_pack("{s:s, s:I}", "name", fields[i].field.name,
						     "value", (json_int_t)fields[i].value));
	}
	if (all)
		json_object_set_new(o, "fields", all);
	json_array_append_new(list, o);
}

/* The kernel refuses a shader engine or array that is not there, without saying so. */
static struct bw_error *about_bank(const struct bw_kmd_bank *b, struct bw_error *err)
{
	if (!b->use_grbm || (b->se == ~0u && b->sa == ~0u))
		return err;
	return bw_error_wrap(err, "--bank may name a shader engine or array that this GPU lacks");
}

static struct bw_error *read_all(struct bw_look_regs *r, struct bw_gpu *g, struct found_list *list,
				 bool only_changed)
{
	json_t *rows = json_array();
	bw_out_begin(r->look->out, "command", "regs read");
	for (size_t i = 0; i < list->len; i++) {
		struct found *f = &list->data[i];
		uint32_t old = f->value;
		struct bw_error *err = bw_kmd_reg_read(g->kmd, &r->bank, f->addr_dw, &f->value);
		if (err) {
			json_decref(rows);
			bw_out_drop(r->look->out);
			return about_bank(&r->bank,
					  bw_error_wrap(err, "reading %s",
							f->has_reg ? f->reg.name : "the register"));
		}
		if (!only_changed || f->value != old)
			print(r, f, rows);
	}
	bw_out_json(r->look->out, "registers", rows);
	if (only_changed && !json_array_size(rows))
		bw_out_drop(r->look->out);
	else
		bw_out_end(r->look->out);
	bw_out_flush(r->look->out);
	return NULL;
}

static struct bw_error *read_words(struct bw_look_regs *r, struct bw_gpu *g,
				   struct found_list *list)
{
	static const struct timespec pause = {.tv_nsec = 200 * 1000 * 1000};
	if (r->look->n_words < 2)
		return bw_errorf(BW_E_INVALID, "read wants a register");
	for (size_t i = 1; i < r->look->n_words; i++)
		BW_TRY(find_named(g, r->look->words[i], list));
	BW_TRY(read_all(r, g, list, false));
	for (uint64_t n = 1; r->watch && !bw_look_ended && (!r->rounds || n < r->rounds); n++) {
		nanosleep(&pause, NULL);
		BW_TRY(read_all(r, g, list, true));
	}
	return NULL;
}

/* Registers of another XCC have the addresses of that instance's segments; what belongs to the
 * device stays where it is. gc is the first block. */
static struct bw_error *choose_xcc(struct bw_look_regs *r, struct bw_gpu *g)
{
	return r->has_xcc && g->n_blocks ? bw_kmd_xcc(g->kmd, r->bank.xcc, &g->block[0].ip) : NULL;
}

static struct bw_error *with_gpu(struct bw_look_regs *r,
				 struct bw_error *(*fn)(struct bw_look_regs *, struct bw_gpu *,
							struct found_list *))
{
	struct bw_gpu g = {0};
	struct found_list list = {0};
	struct bw_error *err = bw_look_gpu_open(r->look, &g);
	if (!err)
		err = choose_xcc(r, &g);
	if (!err)
		err = fn(r, &g, &list);
	bw_gpu_close(&g);
	bw_vec_free(&list);
	return err;
}

struct bw_error *bw_look_regs_read(struct bw_look_regs *r)
{
	return with_gpu(r, read_words);
}

/* Finds the one register that is to be written. */
static struct bw_error *find_one(struct bw_gpu *g, const char *word, struct found_list *list)
{
	BW_TRY(find_named(g, word, list));
	if (list->len != 1)
		return bw_errorf(BW_E_INVALID, "%s names %zu registers: write one at a time", word,
				 list->len);
	return NULL;
}

static struct bw_error *store(struct bw_look_regs *r, struct bw_gpu *g, struct found *f,
			      uint32_t value, const char *command)
{
	BW_TRY(about_bank(&r->bank, bw_kmd_reg_write(g->kmd, &r->bank, f->addr_dw, value)));
	BW_TRY(bw_kmd_reg_read(g->kmd, &r->bank, f->addr_dw, &f->value));
	json_t *rows = json_array();
	bw_out_begin(r->look->out, "command", command);
	print(r, f, rows);
	if (f->value != value)
		bw_out_line(r->look->out,
			    "It does not read back as 0x%08x: bits of it are read-only, "
			    "or it acts when it is written.",
			    value);
	bw_out_json(r->look->out, "registers", rows);
	bw_out_end(r->look->out);
	return NULL;
}

static struct bw_error *write_word(struct bw_look_regs *r, struct bw_gpu *g,
				   struct found_list *list)
{
	uint64_t value;
	if (r->look->n_words != 3)
		return bw_errorf(BW_E_INVALID, "write wants a register and a value");
	BW_TRY(bw_look_number("write", r->look->words[2], &value));
	if (value > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "a register has 32 bits, %s has more",
				 r->look->words[2]);
	BW_TRY(find_one(g, r->look->words[1], list));
	return store(r, g, &list->data[0], (uint32_t)value, "regs write");
}

struct bw_error *bw_look_regs_write(struct bw_look_regs *r)
{
	return with_gpu(r, write_word);
}

static struct bw_error *set_fields(struct bw_look_regs *r, struct bw_gpu *g,
				   struct found_list *list)
{
	uint32_t old;
	if (r->look->n_words < 3)
		return bw_errorf(BW_E_INVALID, "set wants a register and FIELD=VALUE");
	BW_TRY(find_one(g, r->look->words[1], list));
	struct found *f = &list->data[0];
	if (!f->has_reg)
		return bw_errorf(BW_E_INVALID, "the fields of %s are not known", r->look->words[1]);
	BW_TRY(bw_kmd_reg_read(g->kmd, &r->bank, f->addr_dw, &old));
	uint64_t word = old;
	for (size_t i = 2; i < r->look->n_words; i++) {
		const char *text = r->look->words[i], *equals = strchr(text, '=');
		char field[96];
		uint64_t value;
		if (!equals || (size_t)(equals - text) >= sizeof(field))
			return bw_errorf(BW_E_INVALID, "\"%s\" is not FIELD=VALUE", text);
		snprintf(field, sizeof(field), "%.*s", (int)(equals - text), text);
		BW_TRY(bw_look_number(field, equals + 1, &value));
		BW_TRY(bw_reg_encode(&f->reg, field, value, word, &word));
	}
	return store(r, g, f, (uint32_t)word, "regs set");
}

struct bw_error *bw_look_regs_set(struct bw_look_regs *r)
{
	return with_gpu(r, set_fields);
}
