/* SPDX-License-Identifier: MIT */
/* info draws, info inputs, info outputs, pixel history, framebuffer. */
#include "cli/commands.h"
#include "debug/draws.h"
#include "image/png_file.h"
#include "ui/show.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

struct bw_error *bw_info_draws(struct bw_cli *c, const char *args)
{
	return bw_show_draws(c->out, c->debug);
}

struct bw_error *bw_info_inputs(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_session_need_wave(c->session, &w));
	return bw_show_inputs(c->out, c->debug, w);
}

struct bw_error *bw_info_outputs(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_session_need_wave(c->session, &w));
	return bw_show_outputs(c->out, c->debug, w);
}

/* "50,38" or "50 38" */
static bool take_pixel(const char *args, int32_t *out_x, int32_t *out_y)
{
	uint64_t n[2];
	char word[2][24];
	_cleanup_free_ char *copy = strdup(args);
	for (char *p = copy; p && *p; p++)
		*p = *p == ',' ? ' ' : *p;
	const char *at = copy ? bw_skip_blanks(copy) : "";
	for (int i = 0; i < 2; i++) {
		bw_take_word(&at, word[i], sizeof(word[i]));
		if (!bw_parse_u64(word[i], &n[i]) || n[i] > INT32_MAX)
			return false;
	}
	*out_x = (int32_t)n[0];
	*out_y = (int32_t)n[1];
	return !*at;
}

static struct bw_error *show_history(struct bw_cli *c, const char *args)
{
	int32_t x, y, old_x, old_y;
	bool is_watched = bw_debug_watched_pixel(c->debug, &old_x, &old_y);
	bool runs = bw_debug_state(c->debug) != BW_DEBUG_NO_PROGRAM;
	if (!args[0] && is_watched)
		return bw_show_pixel_history(c->out, c->debug);
	if (!take_pixel(args, &x, &y))
		return bw_errorf(BW_E_INVALID, "\"pixel history\" takes a pixel: X,Y");
	if (is_watched && x == old_x && y == old_y)
		return bw_show_pixel_history(c->out, c->debug);
	BW_TRY(bw_debug_watch_pixel(c->debug, x, y));
	if (runs) {
		bw_out_line(c->out,
			    "What becomes of pixel %d,%d is noted from here on; \"continue\", then "
			    "\"pixel history\", or \"run\" for all of it.",
			    x, y);
		bw_out_int(c->out, "x", x);
		bw_out_int(c->out, "y", y);
		return NULL;
	}
	BW_TRY(bw_cmd_run(c, ""));
	return bw_show_pixel_history(c->out, c->debug);
}

struct bw_error *bw_cmd_pixel(struct bw_cli *c, const char *args)
{
	char word[16];
	bw_take_word(&args, word, sizeof(word));
	return !strcmp(word, "history")
		       ? show_history(c, args)
		       : bw_errorf(BW_E_INVALID, "\"pixel\" takes a word: pixel history X,Y");
}

struct bw_error *bw_cmd_framebuffer(struct bw_cli *c, const char *args)
{
	char path[4096], what[32];
	struct bw_draws_draw draw;
	const struct bw_draws_target *t;
	struct bw_picture p;
	bw_take_word(&args, path, sizeof(path));
	bw_take_word(&args, what, sizeof(what));
	if (!path[0] || *args)
		return bw_errorf(BW_E_INVALID,
				 "\"framebuffer\" takes FILE.png, and which attachment: a number, "
				 "depth or stencil");
	BW_TRY(bw_debug_draw_now(c->debug, &draw));
	BW_TRY(bw_draws_find_target(&draw, what, &t));
	BW_TRY(bw_debug_draw_picture(c->debug, t, &p));
	struct bw_error *err = bw_png_write(path, &p);
	struct bw_str text = {0};
	bw_show_draw_target(c->debug, t, &text);
	if (!err) {
		bw_out_line(c->out, "%s written to %s.", bw_str_text(&text), path);
		bw_out_str(c->out, "attachment", bw_str_text(&text));
		bw_out_int(c->out, "width", p.width);
		bw_out_int(c->out, "height", p.height);
		bw_out_int(c->out, "clamped", (int64_t)p.n_clamped);
	}
	bw_str_free(&text);
	bw_picture_fini(&p);
	return err;
}
