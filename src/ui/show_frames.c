/* SPDX-License-Identifier: MIT */
#include "ui/show.h"
#include "base/str.h"
#include "ui/show_program.h"

#include <string.h>

#include "debug/source.h"

/* Frames in gdb's form: "#1  0x7f001018 in outer (...) at nest.cl:4". */

/* gdb leaves the address out at the start of a line, and for functions around an inlined one, whose
 * place is a call in the source. */
static bool shows_address(struct bw_debug *d, const struct bw_stack_frame *f)
{
	struct bw_where where;
	bw_debug_where(d, f->at, &where);
	if (!f->has_line || !where.has_line)
		return true;
	if (f->is_call_site)
		return false;
	return f->line_is_approximate || f->pc != f->at || where.line.start != f->pc;
}

/* "a=1, b=2", with the values of that frame. */
static bool show_args(struct bw_debug *d, const struct bw_stack_frame *f, struct bw_str *out)
{
	unsigned selected = bw_debug_frame_level(d);
	struct bw_error *err = bw_debug_select_frame(d, f->level);
	bool shown = !err && bw_show_frame_args(d, out);
	bw_error_free(err);
	bw_error_free(bw_debug_select_frame(d, selected));
	return shown;
}

void bw_show_stack_frame(struct bw_debug *d, const struct bw_stack_frame *f, struct bw_str *out)
{
	struct bw_where where;
	if (shows_address(d, f))
		bw_str_addf(out, "0x%012llx in ", (unsigned long long)f->pc);
	bw_str_addf(out, "%s (", f->function ? f->function : "??");
	if (f->has_params && !show_args(d, f, out))
		bw_str_add(out, "...");
	bw_str_add(out, ")");
	bw_debug_where(d, f->at, &where);
	if (f->has_line)
		bw_str_addf(out, " at %s:%u%s", bw_base_name(f->file), f->line,
			    f->line_is_approximate ? " (about)" : "");
	else if (where.code_object)
		bw_str_addf(out, " from %s", bw_base_name(where.code_object));
}

void bw_show_frame_line(struct bw_out *o, struct bw_debug *d, const struct bw_stack_frame *f)
{
	struct bw_str text = {0};
	struct bw_where where;
	bw_show_stack_frame(d, f, &text);
	bw_out_line(o, "#%-2u %s", f->level, bw_str_text(&text));
	bw_out_int(o, "level", f->level);
	bw_out_str(o, "frame", bw_str_text(&text));
	bw_out_hex(o, "pc", f->pc);
	bw_out_bool(o, "inlined", f->is_inlined);
	bw_debug_where(d, f->at, &where);
	if (f->function) {
		bw_out_str(o, "function", f->function);
		bw_out_int(o, "offset",
			   (int64_t)(f->pc - (where.function ? f->at - where.offset_b : f->pc)));
	}
	if (f->has_line) {
		bw_out_str(o, "file", f->file);
		bw_out_int(o, "line", f->line);
	}
	bw_str_free(&text);
}

json_t *bw_stack_frame_json(const struct bw_stack_frame *f)
{
	json_t *o = json_object();
	json_object_set_new(o, "level", json_integer(f->level));
	json_object_set_new(o, "pc", json_sprintf("0x%llx", (unsigned long long)f->pc));
	json_object_set_new(o, "inlined", json_boolean(f->is_inlined));
	json_object_set_new(o, "kernel", json_boolean(f->is_kernel));
	if (f->function)
		json_object_set_new(o, "function", bw_json_text(f->function));
	if (f->has_line) {
		json_object_set_new(o, "file", bw_json_text(f->file));
		json_object_set_new(o, "line", json_integer(f->line));
	}
	if (f->has_base)
		json_object_set_new(o, "base", json_sprintf("0x%x", f->base));
	return o;
}

void bw_show_frame_source(struct bw_out *o, struct bw_debug *d, const struct bw_stack_frame *f)
{
	if (f->has_line)
		bw_show_source_line(o, d, f->file, f->line);
}

void bw_show_source_line(struct bw_out *o, struct bw_debug *d, const char *file, unsigned line)
{
	char missing[512];
	const char *text = bw_debug_source_line(d, file, line);
	if (!text)
		bw_debug_source_missing(d, file, line, missing, sizeof(missing));
	if (text)
		bw_out_painted(o, BW_PAINT_SOURCE, "%u\t%s", line, text);
	else
		bw_out_line(o, "%s", missing);
}
