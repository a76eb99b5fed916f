/* SPDX-License-Identifier: MIT */
/* The page of a session: source and instructions, with the number of waves at each line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "debug/breaks.h"
#include "debug/code.h"
#include "debug/source.h"
#include "debug/waves.h"
#include "report/report_priv.h"

/* A PC, with the waves at it. */
struct place {
	uint64_t pc;
	uint32_t dispatch;
	size_t n_waves;
	bool is_focus;
	const char *file; /* borrowed; NULL: not known */
	unsigned line;
};
struct places BW_VEC(struct place);

static int by_pc(const void *pa, const void *pb)
{
	const struct bw_wave_info *a = *(const struct bw_wave_info *const *)pa,
				  *b = *(const struct bw_wave_info *const *)pb;
	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static struct bw_error *find_places(struct bw_debug *d, struct places *out)
{
	size_t n;
	const struct bw_wave_info *waves = bw_debug_waves(d, &n), *focus = bw_debug_focus(d);
	_cleanup_free_ const struct bw_wave_info **sorted = calloc(n + 1, sizeof(*sorted));
	if (!sorted)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++)
		sorted[i] = &waves[i];
	qsort(sorted, n, sizeof(const struct bw_wave_info *), by_pc);
	for (size_t i = 0; i < n; i++) {
		const struct bw_wave_info *w = sorted[i];
		if (!i || by_pc(&sorted[i], &sorted[i - 1])) {
			struct bw_where where;
			bw_debug_wave_where(d, w, &where);
			struct place p = {.pc = w->pc,
					  .dispatch = w->dispatch,
					  .file = where.has_line ? where.line.file : NULL,
					  .line = where.has_line ? where.line.line : 0};
			BW_TRY(bw_vec_push(out, p));
		}
		out->data[out->len - 1].n_waves++;
		out->data[out->len - 1].is_focus |= focus && w->number == focus->number;
	}
	return NULL;
}

/* ---- Source ---- */

struct file {
	const char *name; /* borrowed */
	size_t n_waves;
};
struct files BW_VEC(struct file);

static int by_waves(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;
	return a->n_waves > b->n_waves ? -1 : a->n_waves < b->n_waves;
}

static struct bw_error *find_files(const struct places *places, struct files *out)
{
	bw_vec_each(places, p) {
		struct file *found = NULL;
		if (!p->file)
			continue;
		bw_vec_each(out, f)
			if (!strcmp(f->name, p->file))
				found = f;
		if (found) {
			found->n_waves += p->n_waves;
			continue;
		}
		struct file f = {p->file, p->n_waves};
		BW_TRY(bw_vec_push(out, f));
	}
	if (out->len)
		qsort(out->data, out->len, sizeof(*out->data), by_waves);
	return NULL;
}

/* Waves at a line of a file; *is_focus where the focus wave is one. */
static size_t waves_at(const struct places *places, const char *file, unsigned line, bool *is_focus)
{
	size_t n = 0;
	bw_vec_each(places, p)
		if (p->line == line && p->file && !strcmp(p->file, file)) {
			n += p->n_waves;
			*is_focus |= p->is_focus;
		}
	return n;
}

struct lines BW_VEC(unsigned);

static int by_line(const void *pa, const void *pb)
{
	unsigned a = *(const unsigned *)pa, b = *(const unsigned *)pb;
	return a < b ? -1 : a > b;
}

/* Lines of a file that have waves, ascending. */
static struct bw_error *lines_of(const struct places *places, const char *file, struct lines *out)
{
	bw_vec_each(places, p)
		if (p->file && !strcmp(p->file, file))
			BW_TRY(bw_vec_push(out, p->line));
	if (out->len)
		qsort(out->data, out->len, sizeof(*out->data), by_line);
	return NULL;
}

static bool add_line(struct bw_report_session *s, const struct places *places, const char *file,
		     unsigned line, size_t most)
{
	char number[16];
	const char *text = bw_debug_source_line(s->debug, file, line);
	if (!text)
		return false;
	snprintf(number, sizeof(number), "%u", line);
	struct bw_page_line l = {.number = number, .text = text, .most = most};
	l.n_waves = waves_at(places, file, line, &l.is_focus);
	bw_page_line(s->page, &l);
	return true;
}

/* Adds all lines of a short file; of a long one, the lines around those that have waves. */
static struct bw_error *add_lines(struct bw_report_session *s, const struct places *places,
				  const char *file, size_t *room)
{
	enum { SHORT = 400, AROUND = 20 };
	struct lines lines = {0};
	unsigned next = 1, length = 0;
	size_t most = 0;
	bool focus = false;
	BW_TRY(lines_of(places, file, &lines));
	while (length <= SHORT && bw_debug_source_line(s->debug, file, length + 1))
		length++;
	for (size_t i = 0; i < lines.len; i++)
		if (!i || lines.data[i] != lines.data[i - 1])
			most = BW_MAX(most, waves_at(places, file, lines.data[i], &focus));
	for (; length <= SHORT && next <= length && *room; next++)
		*room -= add_line(s, places, file, next, most);
	for (size_t i = 0; length > SHORT && i < lines.len && *room; i++) {
		unsigned at = lines.data[i], first = at > AROUND ? at - AROUND : 1;
		if (first > next)
			bw_page_note(s->page, "...");
		for (next = BW_MAX(next, first); next <= at + AROUND && next && *room; next++)
			*room -= add_line(s, places, file, next, most);
	}
	bw_vec_free(&lines);
	return NULL;
}

static struct bw_error *add_files(struct bw_report_session *s, const struct places *places,
				  const struct files *files, size_t *room)
{
	struct bw_error *err = NULL;
	size_t shown = 0;
	bw_vec_each(files, f) {
		if (shown == BW_REPORT_FILES || err)
			break;
		bw_page_fold(s->page, shown < 2, "%s (%zu waves)", f->name, f->n_waves);
		struct bw_source_info info = {0};
		bool is_known = bw_debug_source_info(s->debug, f->name, &info);
		if (bw_debug_source_line(s->debug, f->name, 1))
			err = add_lines(s, places, f->name, room);
		else if (is_known && info.file.is_left_out)
			bw_page_note(s->page,
				     "This file is left out: it is not below the folder of what is "
				     "debugged, the working folder or a folder of \"directory\".");
		else
			bw_page_note(s->page, "This file cannot be read.");
		bw_page_fold_end(s->page);
		shown++;
	}
	if (shown < files->len)
		bw_page_note(s->page, "%zu more files are left out.", files->len - shown);
	return err;
}

/* ---- Instructions ---- */

static void add_instructions(struct bw_report_session *s, const struct bw_dis_line *lines, size_t n,
			     size_t *room)
{
	enum { AROUND = 60, ALL = 500 };
	const char *file = "";
	size_t most = 0, near_until = 0;
	unsigned line = 0;
	for (size_t i = 0; i < n; i++)
		most = BW_MAX(most, (size_t)lines[i].waves_here);
	bw_str_add(&s->page->out, "<div class=\"code\">\n");
	for (size_t i = 0; i < n && *room; i++) {
		const struct bw_dis_line *l = &lines[i];
		char number[24], place[100] = "";
		for (size_t k = i; k < n && k <= i + AROUND; k++)
			if (lines[k].waves_here)
				near_until = k + AROUND;
		if (n > ALL && i > near_until)
			continue;
		if (l->line.file && (l->line.line != line || strcmp(l->line.file, file) != 0)) {
			file = l->line.file;
			line = l->line.line;
			snprintf(place, sizeof(place), "%.80s:%u", bw_base_name(file), line);
		}
		snprintf(number, sizeof(number), "0x%" PRIx64, l->addr);
		const struct bw_page_line row = {.number = number,
						 .text = l->text,
						 .place = place[0] ? place : NULL,
						 .n_waves = l->waves_here,
						 .most = most,
						 .is_focus = l->is_pc,
						 .breakpoint = l->breakpoint};
		bw_page_line(s->page, &row);
		--*room;
	}
	bw_str_add(&s->page->out, "</div>\n");
}

/* The function around a place, or what follows it. */
static void add_function(struct bw_report_session *s, const struct place *p, bool is_open,
			 size_t *room, uint64_t *out_end)
{
	enum { AFTER = 40, MOST_B = 256 << 10 };
	_cleanup_free_ struct bw_dis_line *lines = NULL;
	uint64_t start = p->pc, end = 0;
	struct bw_where where;
	size_t n = 0;
	bw_debug_where_in(s->debug, p->dispatch, p->pc, &where);
	struct bw_error *err = bw_debug_function_range(s->debug, p->pc, &start, &end);
	bool is_known = !err && end > p->pc && end - start <= MOST_B;
	bw_error_free(err);
	start = is_known ? start : p->pc;
	err = bw_debug_disassemble(s->debug, start, is_known ? end : 0, is_known ? 0 : AFTER,
				   &lines, &n);
	bw_page_fold(s->page, is_open, "Instructions of %s",
		     where.function ? where.function : "unknown code");
	if (err)
		bw_page_note(s->page, "The code at 0x%" PRIx64 " cannot be read: %s.", p->pc,
			     err->message);
	else
		add_instructions(s, lines, n, room);
	bw_page_fold_end(s->page);
	bw_error_free(err);
	*out_end = n ? lines[n - 1].addr + 1 : p->pc + 1;
}

/* Functions of the address space that the focus is in. */
static void add_functions(struct bw_report_session *s, const struct places *places, size_t *room)
{
	const struct bw_wave_info *focus = bw_debug_focus(s->debug);
	size_t shown = 0, n_left = 0;
	uint64_t shown_until = 0;
	if (!focus)
		return;
	bw_vec_each(places, p) {
		if (p->pc < shown_until)
			continue;
		if (shown == BW_REPORT_FUNCTIONS || !*room) {
			n_left += p->n_waves;
			continue;
		}
		add_function(s, p, !shown, room, &shown_until);
		shown++;
	}
	if (n_left)
		bw_page_note(s->page, "The code of %zu more waves is left out.", n_left);
}

struct bw_error *bw_report_session_code(struct bw_report_session *s)
{
	struct places places = {0};
	struct files files = {0};
	size_t room = BW_REPORT_SOURCE_LINES, code_room = BW_REPORT_SOURCE_LINES;
	struct bw_error *err = find_places(s->debug, &places);
	if (!err)
		err = find_files(&places, &files);
	if (!err && places.len) {
		bw_page_section(s->page, "code", "Code, and how many waves are at each line");
		err = add_files(s, &places, &files, &room);
		add_functions(s, &places, &code_room);
		if (!room || !code_room)
			bw_page_note(s->page, "More lines are left out.");
		bw_page_section_end(s->page);
	}
	bw_vec_free(&files);
	bw_vec_free(&places);
	return err;
}
