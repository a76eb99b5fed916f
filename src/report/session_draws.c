/* SPDX-License-Identifier: MIT */
/* The page of a session: its draws, what the focus lane was given and has put out, the attachments
 * as pictures, and the history of the watched pixel. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/draws.h"
#include "report/report_priv.h"
#include "ui/show.h"

static struct bw_error *say_draws(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_draws(o, d);
}

static struct bw_error *say_inputs(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_inputs(o, d, cookie);
}

static struct bw_error *say_outputs(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_outputs(o, d, cookie);
}

static struct bw_error *say_history(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_pixel_history(o, d);
}

static void add_said(struct bw_report_session *s, const char *title, bw_report_say_fn *say,
		     const void *cookie)
{
	_cleanup_free_ char *said = bw_report_said(s->debug, say, (void *)(uintptr_t)cookie);
	if (!said || !*said)
		return;
	bw_page_fold(s->page, true, "%s", title);
	bw_page_rows(s->page, said);
	bw_page_fold_end(s->page);
}

static void add_attachment(struct bw_report_session *s, const struct bw_draws_target *t)
{
	struct bw_picture p = {0};
	struct bw_str caption = {0};
	struct bw_error *err = NULL;
	bw_show_draw_target(s->debug, t, &caption);
	bw_page_fold(s->page, true, "Attachment: %s", bw_str_text(&caption));
	if (t->width > BW_REPORT_PICTURE || t->height > BW_REPORT_PICTURE)
		bw_page_note(s->page,
			     "It is too large for this page; \"framebuffer\" writes it to a file.");
	else
		err = bw_debug_draw_picture(s->debug, t, &p);
	if (err)
		bw_page_note(s->page, "%s", err->message);
	if (p.samples)
		bw_report_picture(s, &p, bw_str_text(&caption));
	bw_error_free(err);
	bw_picture_fini(&p);
	bw_str_free(&caption);
	bw_page_fold_end(s->page);
}

/* Of the draw of the focus wave, else of the last one that has begun. */
static void add_attachments(struct bw_report_session *s)
{
	struct bw_draws_draw draw;
	struct bw_error *err = bw_debug_draw_now(s->debug, &draw);
	for (uint32_t i = 0; !err && i < BW_MIN(draw.n_targets, (uint32_t)BW_DRAWS_TARGETS); i++)
		add_attachment(s, &draw.target[i]);
	bw_error_free(err);
}

static bool has_draws(struct bw_debug *d)
{
	size_t n;
	bw_debug_draw_shaders(d, &n);
	return n;
}

void bw_report_session_draws(struct bw_report_session *s)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	int32_t x, y;
	if (!has_draws(s->debug))
		return;
	bw_page_section(s->page, "draws", "Draws");
	add_said(s, "Draws so far", say_draws, NULL);
	if (w && w->draw) {
		add_said(s, "Inputs of the focus lane", say_inputs, w);
		add_said(s, "What it has put out", say_outputs, w);
	}
	if (bw_target_can(bw_debug_target(s->debug), BW_CAP_DRAWS))
		add_attachments(s);
	if (bw_debug_watched_pixel(s->debug, &x, &y))
		add_said(s, "What has become of the watched pixel", say_history, NULL);
	bw_page_section_end(s->page);
}
