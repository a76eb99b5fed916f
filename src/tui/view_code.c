/* SPDX-License-Identifier: MIT */
#include "tui/views.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/dispatches.h"
#include "debug/frames.h"

/* A longer function is shown in part: the part around the PC, from a place where an instruction
 * begins. */
enum { MOST_B = 128 << 10, WITHOUT_SYMBOLS_B = 256 };

static bool find_pc(struct bw_debug *d, uint64_t *out)
{
	struct bw_stack_frame f;
	const struct bw_dispatch_info *held = bw_debug_held(d);
	if (!bw_debug_focus(d)) {
		*out = held ? held->desc.code_va : 0;
		return held;
	}
	struct bw_error *err = bw_debug_selected_frame(d, &f);
	if (!err)
		*out = f.at;
	bool found = !err;
	bw_error_free(err);
	return found;
}

static void find_range(struct bw_debug *d, uint64_t pc, uint64_t *start, uint64_t *end)
{
	struct bw_error *err = bw_debug_function_range(d, pc, start, end);
	if (err || pc < *start || pc >= *end) {
		*start = pc;
		*end = pc + WITHOUT_SYMBOLS_B;
	} else if (*end - *start > MOST_B) {
		if (pc - *start >= MOST_B)
			*start = pc;
		*end = BW_MIN(*end, *start + MOST_B);
	}
	bw_error_free(err);
}

/* Whether the same code was disassembled before; if not, *bytes is what to remember. */
static bool is_known(struct bw_debug *d, struct bw_tui_code *s, uint64_t start, uint64_t end,
		     uint8_t **bytes)
{
	size_t size_b = (size_t)(end - start);
	*bytes = malloc(size_b);
	if (!*bytes)
		return false;
	struct bw_error *err = bw_debug_read(d, BW_SPACE_GLOBAL, start, *bytes, size_b);
	if (err) {
		bw_error_free(err);
		free(*bytes);
		*bytes = NULL;
		return false;
	}
	return s->bytes && s->start == start && s->end == end && !memcmp(s->bytes, *bytes, size_b);
}

static void forget(struct bw_tui_code *s)
{
	free(s->lines);
	free(s->name);
	free(s->bytes);
	bw_vec_free(&s->marks);
	*s = (struct bw_tui_code){.current = SIZE_MAX};
}

static void disassemble(struct bw_debug *d, uint64_t pc, struct bw_tui_code *s)
{
	uint64_t start, end;
	_cleanup_free_ uint8_t *bytes = NULL;
	find_range(d, pc, &start, &end);
	if (is_known(d, s, start, end, &bytes))
		return;
	forget(s);
	struct bw_error *err = bw_debug_disassemble(d, start, end, 0, &s->lines, &s->n);
	if (!err) {
		s->start = start;
		s->end = end;
		s->bytes = bw_take(bytes);
		if (s->n && s->lines[0].function)
			s->name = strdup(s->lines[0].function);
	}
	bw_error_free(err);
}

void bw_tui_code_load(struct bw_debug *d, struct bw_tui_code *s)
{
	uint64_t pc;
	if (!find_pc(d, &pc)) {
		forget(s);
		return;
	}
	disassemble(d, pc, s);
	s->current = SIZE_MAX;
	for (size_t i = 0; bw_debug_focus(d) && i < s->n; i++)
		if (s->lines[i].addr == pc)
			s->current = i;
	bw_vec_free(&s->marks);
	bw_error_free(bw_tui_marks_of_code(d, &s->marks));
}

void bw_tui_code_fini(struct bw_tui_code *s)
{
	forget(s);
}

static void add_line(const struct bw_tui_code *s, size_t i, struct bw_tui_page *p)
{
	const struct bw_dis_line *x = &s->lines[i];
	bool is_current = i == s->current;
	struct bw_tui_mark mark = bw_tui_mark_at(&s->marks, x->addr);
	struct bw_tui_line *l = bw_tui_page_add(p);
	if (!l)
		return;
	bw_tui_add_margin(l, &mark, is_current);
	struct bw_str text = {0};
	bw_str_addf(&text, "0x%llx", (unsigned long long)x->addr);
	if (x->function)
		bw_str_addf(&text, " <+%llu>", (unsigned long long)x->offset_b);
	bw_str_add(&text, ":");
	bw_str_pad(&text, 24);
	bw_str_addf(&text, " %s", x->text);
	bw_tui_add_painted(l, BW_PAINT_CODE, bw_str_text(&text));
	bw_str_free(&text);
	if (is_current)
		bw_tui_restyle(l, BW_TUI_REVERSE);
}

void bw_tui_code_page(const struct bw_tui_code *s, struct bw_tui_page *p)
{
	bw_tui_page_clear(p);
	if (!s->n) {
		bw_tui_page_say(p, "[ No Assembly Available ]");
		return;
	}
	bw_str_add_printable(&p->title, s->name ? s->name : "", "");
	bw_tui_page_begin(p, s->n);
	p->margin = BW_TUI_MARGIN;
	for (size_t i = p->top; i < s->n && i < p->top + p->rows; i++)
		add_line(s, i, p);
}
