/* SPDX-License-Identifier: MIT */
#include "crash/waves.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

enum state { NOTHING, MAIN, BITS, SGPRS, VGPRS, ROWS };

static void take_error(struct bw_crash_waves *w, struct bw_error *err)
{
	w->failed |= err != NULL;
	bw_error_free(err);
}

static struct bw_crash_wave *last(struct bw_crash_waves *w)
{
	return w->list.len && !w->dropping ? &w->list.data[w->list.len - 1] : NULL;
}

static struct bw_crash_wave *begin_wave(struct bw_crash_waves *w, unsigned number)
{
	struct bw_crash_wave new = w->place;
	w->dropping = w->list.len >= BW_CRASH_MAX_WAVES;
	w->place = (struct bw_crash_wave){0};
	if (w->dropping) {
		w->n_left_out++;
		return NULL;
	}
	new.line = number;
	struct bw_error *err = bw_vec_push(&w->list, new);
	w->dropping = err != NULL;
	take_error(w, err);
	return last(w);
}

static void add_register(struct bw_crash_waves *w, struct bw_crash_wave *wave, const char *name,
			 size_t n, uint32_t value)
{
	struct bw_crash_wave_register *r = &wave->registers[wave->n_registers];
	if (!n || n >= sizeof(r->name) || wave->n_registers >= BW_CRASH_WAVE_REGISTERS) {
		w->n_damaged++;
		return;
	}
	memcpy(r->name, name, n);
	r->name[n] = '\0';
	r->value = value;
	wave->n_registers++;
}

/* ---- the long form ---- */

/* "se0.sa0.wgp0.simd0.wave0"; gfx9: "se0.sh0.cu0.simd0.wave0" */
static bool place_line(struct bw_crash_waves *w, const char *line)
{
	struct bw_crash_wave p = {.has_place = true};
	unsigned xcc;
	int n = 0;
	if (sscanf(line, "xcc%4u.%n", &xcc, &n) == 1 && n)
		line += n;
	if (sscanf(line, "se%4u.sa%4u.wgp%4u.simd%4u.wave%4u", &p.se, &p.sa, &p.wgp, &p.simd,
		   &p.wave) != 5) {
		p.is_gfx9 = sscanf(line, "se%4u.sh%4u.cu%4u.simd%4u.wave%4u", &p.se, &p.sa, &p.wgp,
				   &p.simd, &p.wave) == 5;
		if (!p.is_gfx9)
			return false;
	}
	w->place = p;
	w->state = NOTHING;
	return true;
}

static bool has_register(const struct bw_crash_wave *w, const char *name, size_t n)
{
	for (unsigned i = 0; i < w->n_registers; i++)
		if (strlen(w->registers[i].name) == n && !memcmp(w->registers[i].name, name, n))
			return true;
	return false;
}

/* "ixSQ_WAVE_PC_LO", and of umr of 2018 "pc_lo", "wave_inst_dw0", "Wave_Status": "PC_LO", ... */
static size_t register_name(const char *text, size_t n, char out[32])
{
	static const char *const prefixes[] = {"IXSQ_WAVE_", "SQ_WAVE_", "WAVE_"};
	size_t at = 0;
	if (n >= 32)
		return 0;
	for (size_t i = 0; i < n; i++)
		out[i] = (char)toupper((unsigned char)text[i]);
	out[n] = '\0';
	for (size_t i = 0; i < BW_ARRAY_SIZE(prefixes) && !at; i++)
		if (bw_starts_with(out, prefixes[i]))
			at = strlen(prefixes[i]);
	memmove(out, out + at, n - at + 1);
	return n - at;
}

/* "    ixSQ_WAVE_STATUS: 00012401 |      ixSQ_WAVE_PC_LO: 00002050 | ..." */
static bool main_line(struct bw_crash_waves *w, const char *line)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
				      "abcdefghijklmnopqrstuvwxyz";
	struct bw_crash_wave *wave = last(w);
	bool any = false;
	for (const char *p = line; *(p += strspn(p, " \t|"));) {
		char name[32], *end;
		size_t n = strspn(p, letters), n_name = register_name(p, n, name);
		const char *v = bw_skip_blanks(p + n);
		if (!n || *v != ':')
			break;
		v = bw_skip_blanks(v + 1);
		any = true;
		if (!isxdigit((unsigned char)*v)) {
			w->n_damaged++;
			break;
		}
		unsigned long long value = strtoull(v, &end, 16);
		if (wave && value <= UINT32_MAX)
			add_register(w, wave, name, n_name, (uint32_t)value);
		else
			w->n_damaged += wave != NULL;
		p = end;
	}
	return any;
}

/* "Wave_Status[00012401]:" before its fields: umr of 2018 has such registers there alone. */
static bool heading_line(struct bw_crash_waves *w, const char *line)
{
	struct bw_crash_wave *wave = last(w);
	const char *open = strchr(line, '[');
	char name[32], *end;
	size_t n = open ? (size_t)(open - line) : 0, n_name;
	if (!n ||
	    strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789") != n)
		return false;
	unsigned long value = strtoul(open + 1, &end, 16);
	if (end != open + 9 || end[0] != ']' || end[1] != ':')
		return false;
	n_name = register_name(line, n, name);
	if (wave && !has_register(wave, name, n_name))
		add_register(w, wave, name, n_name, (uint32_t)value);
	w->state = BITS;
	return true;
}

/* "[   4] = { 00000000, 00000000 }" or "[4..7] = ...", with commas or without: how many words; -1:
 * it is none. */
static int row(const char *line, unsigned *out_index, uint32_t *out, int max)
{
	const char *p = bw_skip_blanks(line);
	char *end;
	int n = 0;
	if (*p != '[')
		return -1;
	unsigned long index = strtoul(p + 1, &end, 10);
	p = bw_skip_blanks(end);
	if (bw_starts_with(p, ".."))
		p = bw_skip_blanks(p + 2 + strspn(p + 2, " 0123456789"));
	if (*p != ']' || index > UINT16_MAX)
		return -1;
	p = bw_skip_blanks(p + 1);
	if (*p++ != '=')
		return -1;
	p = bw_skip_blanks(p);
	if (*p++ != '{')
		return -1;
	for (;;) {
		p += strspn(p, " ,\t");
		if (!isxdigit((unsigned char)*p))
			break;
		unsigned long long value = strtoull(p, &end, 16);
		if (n >= max || value > UINT32_MAX)
			return -1;
		out[n++] = (uint32_t)value;
		p = end;
	}
	*out_index = (unsigned)index;
	return *p == '}' ? n : -1;
}

static void sgpr_row(struct bw_crash_waves *w, struct bw_crash_wave *wave, const char *line)
{
	uint32_t v[16];
	unsigned at;
	int n = row(line, &at, v, BW_ARRAY_SIZE(v));
	/* The numbers of registers after a missing row are not known. */
	if (n < 1 || at != wave->n_sgprs || at + (unsigned)n > BW_CRASH_WAVE_SGPRS) {
		w->n_damaged++;
		return;
	}
	memcpy(wave->sgprs + at, v, (size_t)n * 4);
	wave->n_sgprs += (unsigned)n;
}

/* umr 1.0 (2025): ">SGPRS[0..3] = { 00005140, ... }", below it TTMPs once more. */
static bool ranged_row(struct bw_crash_waves *w, struct bw_crash_wave *wave, const char *line)
{
	static const char sgprs[] = ">SGPRS[", ttmps[] = ">TTMP[";
	if (bw_starts_with(line, sgprs) && wave)
		sgpr_row(w, wave, line + strlen(sgprs) - 1);
	else if (!bw_starts_with(line, ttmps))
		return false;
	w->state = SGPRS;
	return true;
}

static void vgpr_row(struct bw_crash_waves *w, struct bw_crash_wave *wave, const char *line)
{
	uint32_t v[64];
	unsigned at;
	int n = row(line, &at, v, BW_ARRAY_SIZE(v));
	if ((n != 32 && n != 64) || at != wave->n_vgprs || at >= BW_CRASH_WAVE_VGPRS ||
	    (wave->lanes && wave->lanes != (unsigned)n) ||
	    w->n_vgpr_words + (unsigned)n > BW_CRASH_MAX_VGPR_WORDS) {
		w->n_damaged++;
		return;
	}
	struct bw_error *err = bw_vec_reserve(&wave->vgprs, wave->vgprs.len + (size_t)n);
	if (err) {
		take_error(w, err);
		return;
	}
	memcpy(wave->vgprs.data + wave->vgprs.len, v, (size_t)n * 4);
	wave->vgprs.len += (size_t)n;
	wave->lanes = (unsigned)n;
	wave->n_vgprs++;
	w->n_vgpr_words += (unsigned)n;
}

/* ---- the short form: a table ---- */

static size_t word(const char **p)
{
	*p = bw_skip_blanks(*p);
	return strcspn(*p, " \t\r");
}

/* "SE SA WGP SIMD WAVE# WAVE_STATUS PC_HI PC_LO ..." */
static bool table_head(struct bw_crash_waves *w, const char *line)
{
	const char *p = line;
	if (!bw_starts_with(line, "SE ") || !strstr(line, "WAVE_STATUS"))
		return false;
	w->n_columns = 0;
	w->is_gfx9 = bw_starts_with(line, "SE SH ");
	for (size_t n; (n = word(&p)) && w->n_columns < BW_CRASH_WAVE_REGISTERS; p += n)
		snprintf(w->columns[w->n_columns++], sizeof(w->columns[0]), "%.*s",
			 (int)BW_MIN(n, sizeof(w->columns[0]) - 1), p);
	w->state = ROWS;
	return true;
}

/* The names of the long form, where the table has others. */
static const char *full_name(const char *column)
{
	static const struct {
		const char *brief, *full;
	} names[] = {{"WAVE_STATUS", "STATUS"},
		     {"GPRALLOC", "GPR_ALLOC"},
		     {"LDSALLOC", "LDS_ALLOC"},
		     {"IBSTS", "IB_STS"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++)
		if (!strcmp(column, names[i].brief))
			return names[i].full;
	return column;
}

enum { PLACE_COLUMNS = 5 };
static bool table_row(struct bw_crash_waves *w, const char *line, unsigned number)
{
	const char *p = line;
	uint32_t v[BW_CRASH_WAVE_REGISTERS];
	unsigned n_words = 0;
	for (size_t n; (n = word(&p)); p += n) {
		char *end;
		if (n_words >= w->n_columns || !isxdigit((unsigned char)*p))
			return false;
		unsigned long long value = strtoull(p, &end, n_words < PLACE_COLUMNS ? 10 : 16);
		if (end != p + n || value > UINT32_MAX)
			return false;
		v[n_words++] = (uint32_t)value;
	}
	if (n_words <= PLACE_COLUMNS || n_words != w->n_columns)
		return false;
	w->place = (struct bw_crash_wave){.has_place = true,
					  .is_gfx9 = w->is_gfx9,
					  .se = v[0],
					  .sa = v[1],
					  .wgp = v[2],
					  .simd = v[3],
					  .wave = v[4]};
	struct bw_crash_wave *wave = begin_wave(w, number);
	for (unsigned i = PLACE_COLUMNS; wave && i < n_words; i++) {
		const char *name = full_name(w->columns[i]);
		add_register(w, wave, name, strlen(name), v[i]);
	}
	return true;
}

/* ---- lines ---- */

static bool begin_part(struct bw_crash_waves *w, const char *p, unsigned number)
{
	if (bw_starts_with(p, "Main Registers")) {
		begin_wave(w, number);
		w->state = MAIN;
		return true;
	}
	if (w->state == NOTHING || w->state == ROWS)
		return false;
	if (heading_line(w, p))
		return true;
	if (ranged_row(w, last(w), p))
		return true;
	if (bw_starts_with(p, "Register Bits"))
		w->state = BITS;
	else if (bw_starts_with(p, "SGPRS") || bw_starts_with(p, "SGPRs"))
		w->state = SGPRS;
	else if (bw_starts_with(p, "VGPRS") || bw_starts_with(p, "VGPRs"))
		w->state = VGPRS;
	else
		return false;
	return true;
}

bool bw_crash_wave_line(struct bw_crash_waves *w, const char *line, unsigned number)
{
	const char *p = bw_skip_blanks(line);
	struct bw_crash_wave *wave = last(w);
	bool in_rows = *p == '[' && strchr(p, '{');
	if (place_line(w, p) || begin_part(w, p, number) || table_head(w, p))
		return true;
	switch ((enum state)w->state) {
	case MAIN:
		return main_line(w, p);
	case BITS: /* the fields of registers that were there already */
		return strstr(p, "SQ_WAVE_") || strstr(p, " |");
	case SGPRS:
		if (in_rows && wave)
			sgpr_row(w, wave, p);
		return in_rows;
	case VGPRS:
		if (in_rows && wave)
			vgpr_row(w, wave, p);
		return in_rows;
	case ROWS:
		return table_row(w, p, number);
	case NOTHING:
		break;
	}
	return false;
}

void bw_crash_waves_next_file(struct bw_crash_waves *w)
{
	w->state = NOTHING;
	w->n_columns = 0;
	w->place = (struct bw_crash_wave){0};
}

void bw_crash_waves_free(struct bw_crash_waves *w)
{
	bw_vec_each(&w->list, wave)
		bw_vec_free(&wave->vgprs);
	bw_vec_free(&w->list);
}

void bw_crash_wave_place(const struct bw_crash_wave *w, char out[BW_CRASH_WAVE_PLACE_B])
{
	out[0] = '\0';
	if (w->has_place)
		snprintf(out, BW_CRASH_WAVE_PLACE_B, "se%u.%s%u.%s%u.simd%u.w%u", w->se,
			 w->is_gfx9 ? "sh" : "sa", w->sa, w->is_gfx9 ? "cu" : "wgp", w->wgp,
			 w->simd, w->wave);
}

bool bw_crash_wave_register(const struct bw_crash_wave *w, const char *name, uint32_t *out)
{
	for (unsigned i = 0; i < w->n_registers; i++)
		if (!strcmp(w->registers[i].name, name)) {
			*out = w->registers[i].value;
			return true;
		}
	return false;
}

bool bw_crash_wave_pc(const struct bw_crash_wave *w, uint64_t *out)
{
	uint32_t lo, hi;
	if (!bw_crash_wave_register(w, "PC_LO", &lo) || !bw_crash_wave_register(w, "PC_HI", &hi))
		return false;
	*out = bw_canonical(bw_join32(hi, lo));
	return true;
}
