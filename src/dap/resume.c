/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <string.h>

#include "target/call.h"

/* Requests that resume and stop waves. */

struct bw_error *bw_dap_continue(struct bw_dap *s, json_t *args, json_t *body)
{
	bool single = false;
	BW_TRY(bw_dap_take_bool(args, "singleThread", &single));
	if (single)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"\"singleThread\" is not supported: \"set scheduler-locking on\" resumes the focus wave alone");
	json_object_set_new(body, "allThreadsContinued", json_true());
	if (bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM)
		return bw_errorf(BW_E_STATE, "The program is not being run");
	if (bw_debug_state(s->debug) == BW_DEBUG_RUNNING)
		return NULL;
	bw_dap_answer(s, body);
	bw_dap_forget(s);
	s->was_running = true;
	s->told_thread = 0;
	return bw_dap_execute(s, "continue");
}

/* What steps do. */
enum step { STEP_IN, STEP_OVER, STEP_OUT };

static struct bw_error *do_step(struct bw_dap *s, enum step kind, bool by_instruction,
				struct bw_stop *out)
{
	if (kind == STEP_OUT)
		return bw_debug_finish(s->debug, out);
	if (by_instruction)
		return bw_debug_stepi(s->debug, 1, kind == STEP_OVER, out);
	return bw_debug_step_lines(s->debug, 1, kind == STEP_OVER, out);
}

void bw_dap_end_busy(struct bw_dap *s)
{
	bool interrupted = bw_dap_link_busy(s->link, NULL, 0);
	/* an interrupt that came when the work was done already */
	if (interrupted && bw_debug_state(s->debug) != BW_DEBUG_NO_PROGRAM)
		bw_target_forget_interrupt(bw_debug_target(s->debug));
}

static struct bw_error *step(struct bw_dap *s, json_t *args, json_t *body, enum step kind)
{
	const char *granularity = "statement";
	struct bw_stop stop = {.kind = BW_STOP_NONE};
	BW_TRY(bw_dap_take_text(args, "granularity", &granularity));
	bool by_instruction = !strcmp(granularity, "instruction");
	if (!by_instruction && strcmp(granularity, "statement") && strcmp(granularity, "line"))
		return bw_errorf(BW_E_INVALID, "There is no granularity \"%s\"", granularity);
	BW_TRY(bw_dap_focus_thread(s, args));
	BW_TRY(bw_target_need(bw_debug_target(s->debug), BW_CAP_RUN));
	/* The step can take long, and the editor allows "pause" only after the answer. */
	bw_dap_answer(s, body);
	s->told_thread = 0;
	bw_dap_link_busy(s->link, s->debug, s->request_seq);
	struct bw_error *err = do_step(s, kind, by_instruction, &stop);
	bw_dap_end_busy(s);
	if (err) {
		/* The editor assumes that the wave runs, but it has not moved. */
		const struct bw_wave_info *w = bw_debug_focus(s->debug);
		if (w)
			bw_dap_note_stop(s, &(struct bw_stop){.kind = BW_STOP_WAVES,
							      .wave = w->number,
							      .lane = bw_debug_focus_lane(s->debug),
							      .reasons = BW_REASON_SINGLE_STEP});
		return err;
	}
	return bw_dap_stopped(s, &stop, true);
}

struct bw_error *bw_dap_next(struct bw_dap *s, json_t *args, json_t *body)
{
	return step(s, args, body, STEP_OVER);
}

struct bw_error *bw_dap_step_in(struct bw_dap *s, json_t *args, json_t *body)
{
	int64_t target = 0;
	BW_TRY(bw_dap_take_int(args, "targetId", &target));
	if (target)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "\"targetId\" is not supported: there are no step-in targets");
	return step(s, args, body, STEP_IN);
}

struct bw_error *bw_dap_step_out(struct bw_dap *s, json_t *args, json_t *body)
{
	return step(s, args, body, STEP_OUT);
}

struct bw_error *bw_dap_pause(struct bw_dap *s, json_t *args, json_t *body)
{
	struct bw_stop stop;
	if (bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM)
		return bw_errorf(BW_E_STATE, "The program is not being run");
	if (bw_debug_state(s->debug) == BW_DEBUG_STOPPED)
		return NULL;
	BW_TRY(bw_debug_stop(s->debug, &stop));
	bw_dap_answer(s, body);
	return bw_dap_stopped(s, &stop, false);
}
