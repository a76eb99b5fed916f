/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/frames.h"

#include <string.h>

/* Commands about the stack: backtrace, frame, up, down, info frame. */

enum { NO_LIMIT = 1 << 20 };

static int64_t clamped(int64_t n, int64_t low, int64_t high)
{
	return n < low ? low : n > high ? high : n;
}

/* Like the output of a stop, with the level first: "#1 0x... in outer (...) at nest.cl:4". */
static void show_frame(struct bw_cli *c, const struct bw_stack_frame *f)
{
	bw_show_frame_line(c->out, c->debug, f);
	bw_show_frame_source(c->out, c->debug, f);
	if (!f->level)
		bw_show_instruction(c->out, c->debug, f->pc);
	bw_cli_forget_list(c);
}

static struct bw_error *show_selected(struct bw_cli *c)
{
	struct bw_stack_frame f;
	BW_TRY(bw_debug_selected_frame(c->debug, &f));
	show_frame(c, &f);
	return NULL;
}

static struct bw_error *eval_number(struct bw_cli *c, const char *text, int64_t *out)
{
	struct bw_value v = {0};
	BW_TRY(bw_cli_eval(c, text, &v));
	*out = bw_value_i64(&v, v.across_lanes ? bw_debug_focus_lane(c->debug) : 0);
	bw_value_fini(&v);
	return NULL;
}

/* "frame", "frame N", "frame level N", "frame function NAME" */
struct bw_error *bw_cmd_frame(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	int64_t level;
	BW_TRY(bw_session_need_wave(c->session, &w));
	if (!args[0])
		return show_selected(c);
	if (bw_starts_with(args, "function ")) {
		const char *name = bw_skip_blanks(args + strlen("function"));
		struct bw_stack_frame f;
		struct bw_error *err = NULL;
		for (unsigned i = 0; !err; i++) {
			err = bw_debug_stack_frame(c->debug, i, &f);
			if (err || !f.function || strcmp(f.function, name) != 0)
				continue;
			BW_TRY(bw_debug_select_frame(c->debug, i));
			return show_selected(c);
		}
		if (bw_error_catch(&err, BW_E_NOT_FOUND))
			return bw_errorf(BW_E_NOT_FOUND, "No frame for function \"%s\"", name);
		return err;
	}
	if (bw_starts_with(args, "level "))
		args = bw_skip_blanks(args + strlen("level"));
	BW_TRY(eval_number(c, args, &level));
	if (level < 0 || level >= NO_LIMIT)
		return bw_errorf(BW_E_NOT_FOUND, "No frame at level %s", args);
	BW_TRY(bw_debug_select_frame(c->debug, (unsigned)level));
	return show_selected(c);
}

/* How many frames there are, at most max. */
static struct bw_error *count_frames(struct bw_cli *c, unsigned max, unsigned *out)
{
	struct bw_stack_frame f;
	struct bw_error *err = NULL;
	for (*out = 0; *out < max && !err; ++*out)
		err = bw_debug_stack_frame(c->debug, *out, &f);
	if (bw_error_catch(&err, BW_E_NOT_FOUND))
		--*out;
	return err;
}

/* Moves by n frames: up is positive, as in gdb, and stops at either end. */
static struct bw_error *move(struct bw_cli *c, int64_t n)
{
	const struct bw_wave_info *w;
	unsigned total;
	BW_TRY(bw_session_need_wave(c->session, &w));
	int64_t from = bw_debug_frame_level(c->debug);
	n = clamped(n, -NO_LIMIT, NO_LIMIT);
	if (n < 0 && !from)
		return bw_errorf(BW_E_STATE,
				 "Bottom (innermost) frame selected; you can't go down");
	BW_TRY(count_frames(c, (unsigned)clamped(from + n, 0, NO_LIMIT) + 1, &total));
	int64_t to = clamped(from + n, 0, (int64_t)total - 1);
	if (n > 0 && to == from)
		return bw_errorf(BW_E_STATE, "Initial frame selected; you can't go up");
	BW_TRY(bw_debug_select_frame(c->debug, (unsigned)to));
	return show_selected(c);
}

struct bw_error *bw_cmd_up(struct bw_cli *c, const char *args)
{
	int64_t n = 1;
	if (args[0])
		BW_TRY(eval_number(c, args, &n));
	return move(c, n);
}

struct bw_error *bw_cmd_down(struct bw_cli *c, const char *args)
{
	int64_t n = 1;
	if (args[0])
		BW_TRY(eval_number(c, args, &n));
	return move(c, -clamped(n, -NO_LIMIT, NO_LIMIT));
}

/* Frames [first, last) as lines and rows; fewer where there are fewer. */
static struct bw_error *show_frames(struct bw_cli *c, unsigned first, unsigned last, json_t *rows)
{
	for (unsigned i = first; i < last; i++) {
		struct bw_stack_frame f;
		struct bw_error *err = bw_debug_stack_frame(c->debug, i, &f);
		if (bw_error_catch(&err, BW_E_NOT_FOUND))
			return NULL;
		BW_TRY(err);
		struct bw_str text = {0};
		bw_show_stack_frame(c->debug, &f, &text);
		bw_out_line(c->out, "#%-2u %s", i, bw_str_text(&text));
		bw_str_free(&text);
		json_array_append_new(rows, bw_stack_frame_json(&f));
	}
	return NULL;
}

/* "backtrace", "backtrace N", "backtrace -N" */
struct bw_error *bw_cmd_backtrace(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	struct bw_stack_frame f;
	int64_t n = NO_LIMIT;
	unsigned first = 0, limit = c->shown.backtrace_limit ? c->shown.backtrace_limit : NO_LIMIT;
	BW_TRY(bw_session_need_wave(c->session, &w));
	if (args[0])
		BW_TRY(eval_number(c, args, &n));
	uint64_t count = n < 0 ? -(uint64_t)n : (uint64_t)n;
	if (n < 0) {
		unsigned total;
		BW_TRY(count_frames(c, limit, &total));
		first = total > count ? total - (unsigned)count : 0;
	}
	unsigned last = count > limit - first ? limit : first + (unsigned)count;
	json_t *rows = json_array();
	struct bw_error *err = show_frames(c, first, last, rows);
	struct bw_error *end = err ? NULL : bw_debug_stack_frame(c->debug, last, &f);
	bool more = !err && !end;
	bw_error_free(end);
	if (more && last == limit)
		bw_out_line(c->out, "Backtrace limit of %u exceeded", limit);
	else if (more)
		bw_out_line(c->out, "(More stack frames follow...)");
	else if (!err && bw_debug_stack_end(c->debug)[0])
		bw_out_line(c->out, "%s", bw_debug_stack_end(c->debug));
	bw_out_json(c->out, "frames", rows);
	bw_out_bool(c->out, "more", more);
	if (!more && bw_debug_stack_end(c->debug)[0])
		bw_out_str(c->out, "end", bw_debug_stack_end(c->debug));
	return err;
}

static void show_offset(struct bw_cli *c, const char *what, const char *key, bool known,
			uint32_t value)
{
	if (known)
		bw_out_line(c->out, " %s private_lane#0x%x", what, value);
	else
		bw_out_line(c->out, " %s is not known", what);
	if (known)
		bw_out_hex(c->out, key, value);
}

/* Registers of the frame that are not in the registers of the wave any more. */
static struct bw_error *show_saved(struct bw_cli *c, unsigned level)
{
	struct bw_str saved = {0}, lost = {0};
	struct bw_error *err = NULL;
	for (unsigned n = 30; !err && level && n < 106; n++) {
		enum bw_frame_reg_place place;
		uint32_t value;
		err = bw_debug_frame_sgpr(c->debug, level, n, &value, &place);
		if (!err && place == BW_FRAME_REG_SAVED)
			bw_str_addf(&saved, "%ss%u = 0x%x", saved.len ? ", " : "", n, value);
		if (!err && place == BW_FRAME_REG_UNKNOWN)
			bw_str_addf(&lost, "%ss%u", lost.len ? ", " : "", n);
	}
	if (!err && saved.len)
		bw_out_line(c->out, " Saved registers:\n  %s", bw_str_text(&saved));
	if (!err && lost.len)
		bw_out_line(c->out, " Registers that are not known:\n  %s", bw_str_text(&lost));
	bw_str_free(&saved);
	bw_str_free(&lost);
	return err;
}

struct bw_error *bw_info_frame(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	struct bw_stack_frame f, caller;
	int64_t level;
	BW_TRY(bw_session_need_wave(c->session, &w));
	if (bw_starts_with(args, "level "))
		args = bw_skip_blanks(args + strlen("level"));
	if (args[0])
		BW_TRY(eval_number(c, args, &level));
	else
		level = bw_debug_frame_level(c->debug);
	if (level < 0 || level >= NO_LIMIT)
		return bw_errorf(BW_E_NOT_FOUND, "No frame at level %s", args);
	BW_TRY(bw_debug_stack_frame(c->debug, (unsigned)level, &f));
	struct bw_str text = {0};
	bw_show_stack_frame(c->debug, &f, &text);
	bw_out_line(c->out, "Stack level %u, frame: %s", f.level, bw_str_text(&text));
	bw_str_free(&text);
	bw_out_line(c->out, " pc = 0x%llx%s", (unsigned long long)f.pc,
		    f.level && !f.is_call_site ? ", after a call" : "");
	bw_out_json(c->out, "stack_frame", bw_stack_frame_json(&f));
	struct bw_error *err = bw_debug_stack_frame(c->debug, f.level + 1, &caller);
	if (!err && f.is_inlined)
		bw_out_line(c->out, " inlined into frame %u", caller.level);
	else if (!err)
		bw_out_line(c->out, " called by frame %u, returns to 0x%llx", caller.level,
			    (unsigned long long)caller.pc);
	else if (f.is_kernel)
		bw_out_line(c->out, " a kernel: the outermost frame");
	else if (bw_debug_stack_end(c->debug)[0])
		bw_out_line(c->out, " %s", bw_debug_stack_end(c->debug));
	if (!bw_error_catch(&err, BW_E_NOT_FOUND))
		BW_TRY(err);
	show_offset(c, "stack at entry (s32 then)", "base", f.has_base, f.base);
	show_offset(c, "stack pointer (s32)", "s32", f.has_s32, f.s32);
	show_offset(c, "frame pointer (s33)", "s33", f.has_s33, f.s33);
	if (f.has_exec) {
		bw_out_line(c->out, " exec = 0x%llx", (unsigned long long)f.exec);
		bw_out_hex(c->out, "exec", f.exec);
	}
	return show_saved(c, f.level);
}
