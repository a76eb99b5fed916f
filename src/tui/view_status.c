/* SPDX-License-Identifier: MIT */
#include "tui/views.h"

#include "debug/dispatches.h"
#include "debug/frames.h"

static void add_focus(struct bw_debug *d, const struct bw_wave_info *w, struct bw_tui_line *out)
{
	char place[56];
	struct bw_stack_frame f;
	bw_wave_place_text(w, place);
	bw_tui_addf(out, BW_TUI_PLAIN, "wave %u %s lane %u", w->number, place,
		    bw_debug_focus_lane(d));
	struct bw_error *err = bw_debug_selected_frame(d, &f);
	if (!err) {
		bw_tui_addf(out, BW_TUI_PLAIN, "  In: %s", f.function ? f.function : "??");
		if (f.has_line)
			bw_tui_addf(out, BW_TUI_PLAIN, "  L%u", f.line);
		else
			bw_tui_add(out, BW_TUI_PLAIN, "  L??");
		bw_tui_addf(out, BW_TUI_PLAIN, "  PC: 0x%llx", (unsigned long long)f.pc);
	}
	bw_error_free(err);
}

void bw_tui_status_line(struct bw_debug *d, bool is_running, struct bw_tui_line *out)
{
	const struct bw_wave_info *w = bw_debug_focus(d);
	const struct bw_dispatch_info *held = bw_debug_held(d);
	bw_tui_add(out, BW_TUI_PLAIN, " ");
	if (is_running)
		bw_tui_add(out, BW_TUI_PLAIN, "(running)");
	else if (w)
		add_focus(d, w, out);
	else if (bw_debug_state(d) == BW_DEBUG_NO_PROGRAM)
		bw_tui_add(out, BW_TUI_PLAIN, "No program  In:  L??  PC: ??");
	else if (held)
		bw_tui_addf(out, BW_TUI_PLAIN, "dispatch %u of %s is held  In:  L??  PC: ??",
			    held->number, held->kernel_title);
	else
		bw_tui_add(out, BW_TUI_PLAIN, "No wave  In:  L??  PC: ??");
	bw_tui_restyle(out, BW_TUI_REVERSE);
}
