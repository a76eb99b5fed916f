/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* Commands that choose what the others speak of: wave (thread), lane, frame. */

static void show_focus(struct bw_cli *c, const char *verb)
{
	const struct bw_wave_info *w = bw_debug_focus(c->debug);
	unsigned lane = bw_debug_focus_lane(c->debug);
	char name[96];
	bw_lane_name(c->debug, w, lane, name, sizeof(name));
	bw_out_line(c->out, "[%s thread %u, lane %u (%s)]", verb, w->number, lane, name);
	struct bw_str frame = {0};
	bw_show_frame(c->debug, w->pc, w->dispatch, true, &frame);
	bw_out_line(c->out, "#0  %s", bw_str_text(&frame));
	bw_out_int(c->out, "wave", w->number);
	bw_out_int(c->out, "lane", lane);
	bw_out_str(c->out, "name", name);
	bw_out_str(c->out, "frame", bw_str_text(&frame));
	bw_out_bool(c->out, "active", w->exec >> lane & 1);
	bw_str_free(&frame);
	if (!(w->exec >> lane & 1))
		bw_out_line(c->out, "warning: Current lane is inactive.");
}

static struct bw_error *choose_lane(struct bw_cli *c, const char *text)
{
	uint64_t lane;
	const struct bw_wave_info *w;
	BW_TRY(bw_cli_need_wave(c, &w));
	BW_TRY(bw_cli_eval_count(c, text, &lane));
	if (lane >= w->lanes)
		return bw_errorf(BW_E_INVALID, "The wave has lanes 0 to %u, not %llu", w->lanes - 1u, (unsigned long long)lane);
	return bw_debug_set_lane(c->debug, (unsigned)lane);
}

struct bw_error *bw_cmd_wave(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_cli_need_wave(c, &w));
	if (!args[0]) {
		show_focus(c, "Current");
		return NULL;
	}
	_cleanup_free_ char *text = strdup(args);
	if (!text)
		return bw_error_nomem();
	char *colon = strchr(text, ':');
	if (colon)
		*colon = '\0';
	uint64_t number;
	BW_TRY(bw_cli_eval_count(c, text, &number));
	if (number > UINT32_MAX || !bw_debug_wave(c->debug, (uint32_t)number))
		return bw_errorf(BW_E_NOT_FOUND, "No stopped wave has the number %s; \"info waves\" lists them", text);
	BW_TRY(bw_debug_set_focus(c->debug, (uint32_t)number));
	if (colon)
		BW_TRY(choose_lane(c, colon + 1));
	show_focus(c, "Switching to");
	return NULL;
}

struct bw_error *bw_cmd_lane(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_cli_need_wave(c, &w));
	if (args[0])
		BW_TRY(choose_lane(c, args));
	show_focus(c, args[0] ? "Switching to" : "Current");
	return NULL;
}

struct bw_error *bw_cmd_frame(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_cli_need_wave(c, &w));
	struct bw_str frame = {0};
	bw_show_frame(c->debug, w->pc, w->dispatch, true, &frame);
	bw_out_line(c->out, "#0  %s", bw_str_text(&frame));
	bw_out_str(c->out, "frame", bw_str_text(&frame));
	bw_str_free(&frame);
	struct bw_where where;
	bw_debug_where(c->debug, w->pc, &where);
	if (where.has_line && where.line_text)
		bw_out_line(c->out, "%u\t%s", where.line.line, where.line_text);
	bw_show_instruction(c->out, c->debug, w->pc);
	return NULL;
}
