/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "debug/code.h"
#include "debug/registers.h"
#include "target/call.h"
#include "ui/table.h"

/* Adds a target of "goto": a place where a wave can continue. Its PC is written then, and nothing
 * is executed. */

static struct bw_error *add_target(struct bw_dap *s, uint64_t pc, int64_t wanted_line, json_t *list)
{
	struct bw_where where;
	BW_TRY(bw_vec_push(&s->places, pc));
	bw_debug_where(s->debug, pc, &where);
	int64_t line = where.has_line ? where.line.line : wanted_line;
	json_t *x = json_object();
	json_object_set_new(x, "id", json_integer((json_int_t)s->places.len));
	json_object_set_new(x, "label",
			    where.function ? json_sprintf("line %lld, %s+%llu", (long long)line,
							  where.function,
							  (unsigned long long)where.offset_b)
					   : json_sprintf("line %lld, 0x%llx", (long long)line,
							  (unsigned long long)pc));
	json_object_set_new(x, "line", json_integer((json_int_t)line - s->zero_lines));
	json_object_set_new(x, "instructionPointerReference",
			    json_sprintf("0x%llx", (unsigned long long)pc));
	json_array_append_new(list, x);
	return NULL;
}

struct bw_error *bw_dap_goto_targets(struct bw_dap *s, json_t *args, json_t *body)
{
	const char *path = NULL;
	int64_t line = 0;
	uint64_t *places;
	size_t n;
	struct bw_str where = {0};
	json_t *list = json_array();
	json_object_set_new(body, "targets", list);
	BW_TRY(bw_dap_source_path(s, args, &path));
	BW_TRY(bw_dap_need_int(args, "line", &line));
	line += s->zero_lines;
	if (line < 1 || line > INT32_MAX)
		return bw_errorf(BW_E_INVALID, "there is no line %lld", (long long)line);
	bw_str_addf(&where, "%s:%lld", path, (long long)line);
	struct bw_error *err = bw_debug_places(s->debug, bw_str_text(&where), &places, &n);
	bw_str_free(&where);
	BW_TRY(err);
	for (size_t i = 0; !err && i < n; i++)
		err = add_target(s, places[i], line, list);
	free(places);
	return err;
}

struct bw_error *bw_dap_goto(struct bw_dap *s, json_t *args, json_t *body)
{
	int64_t target = 0;
	BW_TRY(bw_dap_need_int(args, "targetId", &target));
	if (target < 1 || (uint64_t)target > s->places.len)
		return bw_errorf(BW_E_NOT_FOUND,
				 "There is no target %lld since the waves were resumed",
				 (long long)target);
	uint64_t pc = s->places.data[target - 1];
	BW_TRY(bw_dap_focus_thread(s, args));
	BW_TRY(bw_target_need(bw_debug_target(s->debug), BW_CAP_RUN));
	BW_TRY(bw_debug_reg_write(s->debug, bw_debug_focus(s->debug)->number,
				  (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_PC, 1}, pc));
	bw_dap_answer(s, body);
	bw_dap_forget_refs(s);
	bw_dap_send_goto(s);
	return NULL;
}
