/* SPDX-License-Identifier: MIT */
#include "record/trigger.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "wire/agent_proto.h"

bool bw_capture_trigger_asks(const struct bw_capture_trigger *t)
{
	return t->waits || t->from_label || t->to_label || t->frame;
}

void bw_capture_trigger_begin(struct bw_capture_trigger *t)
{
	t->is_on = !t->waits && !t->from_label && !t->frame;
}

/* One level of a label, or a pipeline. */
static bool is_name(const char *pattern, const char *name, size_t n)
{
	char text[256];
	snprintf(text, sizeof(text), "%.*s", (int)BW_MIN(n, sizeof(text) - 1), name);
	return !fnmatch(pattern, text, 0);
}

static bool has_name(const struct bw_capture_candidate *c, const char *pattern)
{
	for (size_t at = 0, n; at < c->names_b; at += n + 1) {
		for (n = 0; at + n < c->names_b && c->names[at + n] &&
			    c->names[at + n] != BW_AGENT_LABEL_SEPARATOR;)
			n++;
		if (n && is_name(pattern, c->names + at, n))
			return true;
	}
	return false;
}

/* The submissions of one process between two of its presents. */
static bool take_frame(struct bw_capture_trigger *t, const struct bw_capture_candidate *c)
{
	if (!c->frame || (t->pid && c->pid != t->pid))
		return false;
	if (!t->pid) {
		/* it may have begun before */
		t->pid = c->pid;
		t->frame_now = c->frame;
		return false;
	}
	if (t->next_frame == BW_FRAME_AWAITED && c->frame != t->frame_now) {
		t->next_frame = BW_FRAME_TAKEN;
		t->frame_now = c->frame;
	}
	if (t->next_frame == BW_FRAME_TAKEN && c->frame != t->frame_now)
		t->next_frame = BW_FRAME_NONE;
	return t->next_frame == BW_FRAME_TAKEN;
}

static bool take_number(struct bw_capture_trigger *t, const struct bw_capture_candidate *c)
{
	if (c->frame > t->frame)
		t->is_over = true;
	return c->frame == t->frame;
}

bool bw_capture_trigger_take(struct bw_capture_trigger *t, const struct bw_capture_candidate *c)
{
	if (t->is_over)
		return false;
	if (t->frame)
		return take_number(t, c);
	if (t->next_frame != BW_FRAME_NONE)
		return take_frame(t, c);
	if (!t->is_on && t->from_label && has_name(c, t->from_label))
		t->is_on = true;
	if (!t->is_on)
		return false;
	if (t->to_label && has_name(c, t->to_label))
		t->is_over = true;
	if (t->left && !--t->left)
		t->is_on = false;
	return true;
}

void bw_capture_trigger_next(struct bw_capture_trigger *t, int64_t count)
{
	t->next_frame = BW_FRAME_NONE;
	t->is_on = count != 0;
	t->left = count > 0 ? (uint64_t)count : 0;
}

void bw_capture_trigger_next_frame(struct bw_capture_trigger *t)
{
	t->next_frame = BW_FRAME_AWAITED;
	t->is_on = false;
	t->pid = t->frame_now = 0;
}
