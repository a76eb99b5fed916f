/* SPDX-License-Identifier: MIT */
/* printf of a kernel, at a stop: the calls that are complete in its buffer, which nobody has shown
 * yet. How many bytes were shown is written after the buffer, where the launcher finds it. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "debug/dispatches.h"
#include "launch/printf.h"
#include "session/session.h"

static const struct bw_dispatch_info *running(struct bw_session *s)
{
	size_t n;
	const struct bw_dispatch_info *list = bw_debug_dispatches(s->debug, &n);
	for (size_t i = n; i-- > 0;)
		if (list[i].state == BW_DISPATCH_RUNNING && list[i].kernel && list[i].kernarg_va)
			return &list[i];
	return NULL;
}

static struct bw_error *read_calls(struct bw_session *s, uint64_t kernarg_va, struct bw_str *out)
{
	uint64_t va;
	uint32_t head[2], shown_b;
	BW_TRY(bw_debug_read(s->debug, BW_SPACE_GLOBAL, kernarg_va + s->printf_offset_b, &va,
			     sizeof(va)));
	BW_TRY(bw_debug_read(s->debug, BW_SPACE_GLOBAL, va, head, sizeof(head)));
	BW_TRY(bw_debug_read(s->debug, BW_SPACE_GLOBAL, va + BW_PRINTF_SHOWN_AT, &shown_b,
			     sizeof(shown_b)));
	uint32_t used_b = BW_MIN(head[0], (uint32_t)BW_PRINTF_ROOM_B);
	if (head[1] != BW_PRINTF_ROOM_B || shown_b >= used_b)
		return NULL;
	_cleanup_free_ uint8_t *calls = malloc(used_b - shown_b);
	if (!calls)
		return bw_error_nomem();
	BW_TRY(bw_debug_read(s->debug, BW_SPACE_GLOBAL, va + BW_PRINTF_HEAD_B + shown_b, calls,
			     used_b - shown_b));
	size_t n_formats;
	const char *const *formats = bw_code_object_printf_formats(s->printf_object, &n_formats);
	shown_b += (uint32_t)bw_printf_calls_text(calls, used_b - shown_b, formats, n_formats, out);
	return bw_debug_write(s->debug, BW_SPACE_GLOBAL, va + BW_PRINTF_SHOWN_AT, &shown_b,
			      sizeof(shown_b));
}

/* Shows every byte of the text but NUL. The stop then begins on a new line. */
static void show_text(struct bw_out *o, const struct bw_str *text)
{
	const char *data = bw_str_text(text);
	for (size_t at = 0; at < text->len; at += strlen(data + at) + 1)
		bw_out_raw(o, data + at);
	if (data[text->len - 1] != '\n')
		bw_out_raw(o, "\n");
}

void bw_session_show_kernel_output(struct bw_session *s)
{
	const struct bw_dispatch_info *x = s->printf_object ? running(s) : NULL;
	struct bw_str text = {0};
	if (!x)
		return;
	/* if it cannot be read now, it is shown at the end */
	struct bw_error *err = read_calls(s, x->kernarg_va, &text);
	if (!err && text.len && bw_out_is_json(s->out))
		bw_session_show_bytes(s, bw_str_text(&text), text.len);
	else if (!err && text.len)
		show_text(s->out, &text);
	bw_error_free(err);
	bw_str_free(&text);
}
