/* SPDX-License-Identifier: MIT */
/* Findings of --check=races. */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "session/check_priv.h"
#include "session/server_report.h"

static void take_race(char **line, struct bw_checked *f)
{
	f->relation = bw_report_field(line);
	f->memory = bw_report_field(line);
	f->va = bw_report_number(line);
	f->size_b = bw_report_number(line);
	f->has_second = true;
}

/* "out + 0x10", or the address. */
static void add_target(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	const struct bw_executed x = bw_checked_executed(&f->second);
	const char *name = NULL;
	if (!strcmp(f->memory, "LDS")) {
		bw_checked_add_lds(s, d, &f->second, f->va);
		return;
	}
	if (f->has_pointer)
		name = bw_debug_pointer_executed(d, &x, f->pointer_sgpr, f->pointer_offset);
	if (name)
		bw_str_addf(s, "%s + 0x%" PRIx64, name, f->va - f->pointer);
	else if (f->va)
		bw_str_addf(s, "0x%" PRIx64, f->va);
	else
		bw_str_addf(s, "an address that is not known");
}

static bool is_between(const struct bw_checked *f, const char *relation)
{
	return f->relation && !strcmp(f->relation, relation);
}

static bool is_transfer(const struct bw_checked *f)
{
	return is_between(f, "transfer");
}

bool bw_checked_is_of_dispatches(const struct bw_checked *f)
{
	return is_transfer(f) || is_between(f, "dispatches") || is_between(f, "queues");
}

static void add_between(struct bw_str *s, const struct bw_checked *f)
{
	static const char *const texts[][2] = {{"lanes", "lanes of an instruction"},
					       {"waves", "waves of a workgroup"},
					       {"groups", "workgroups"},
					       {"dispatches", "dispatches"}};
	if (is_between(f, "queues") && f->first.pc && f->second.pc) {
		bw_str_add(s, "dispatches of two queues");
		return;
	}
	if (is_between(f, "groups") && f->second.draw) {
		bw_str_add(s, "waves of a draw");
		return;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(texts); i++)
		if (!strcmp(f->relation, texts[i][0]))
			bw_str_add(s, texts[i][1]);
	if (is_transfer(f) || is_between(f, "queues"))
		bw_str_addf(s, "a %s and a %s%s", f->first.pc ? "dispatch" : f->first.access,
			    f->second.pc ? "dispatch" : f->second.access,
			    is_transfer(f) ? "" : " of two queues");
}

static void add_headline(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	bw_str_add(s, "race between ");
	add_between(s, f);
	bw_str_addf(s, " on %" PRIu64 " byte%s of ", f->size_b, f->size_b == 1 ? "" : "s");
	add_target(s, d, f);
}

/* Why nothing orders the two, and what would. */
static const char *advice(const struct bw_checked *f)
{
	bool one_is_atomic =
		!strcmp(f->first.access, "atomic") || !strcmp(f->second.access, "atomic");
	bool is_lds = !strcmp(f->memory, "LDS");
	if (!strcmp(f->relation, "lanes"))
		return "the lanes store different values to one place in one instruction: which one stays is not defined; "
		       "let one lane store, or use an atomic operation";
	if (is_between(f, "queues"))
		return "the two queues are in no order: a semaphore that the first submission signals and the second one waits for orders them (in HIP an event: hipEventRecord, hipStreamWaitEvent), or a fence that the program waits for between (hipStreamSynchronize)";
	if (is_transfer(f) && !f->first.pc && !f->second.pc)
		return "nothing between the two orders them: a barrier does (vkCmdPipelineBarrier with VK_PIPELINE_STAGE_TRANSFER_BIT on both sides)";
	if (is_transfer(f))
		return "nothing between the two orders them: a barrier with the stages of both (vkCmdPipelineBarrier with VK_PIPELINE_STAGE_TRANSFER_BIT and VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT) does";
	if (bw_checked_is_of_dispatches(f))
		return "nothing between the two dispatches makes the queue wait for the first one: a barrier between them (vkCmdPipelineBarrier, an event; in HIP the same stream) orders them";
	if (!strcmp(f->relation, "waves"))
		return is_lds || !one_is_atomic
			       ? "no barrier of the workgroup lies between the two waves' accesses: a barrier would order them"
			       : "one side is not atomic, and no barrier of the workgroup lies between: use an atomic operation there, or a barrier";
	if (f->second.draw)
		return one_is_atomic
			       ? "one side is not atomic, and the waves of a draw are in no order: use an atomic operation on both sides"
			       : "the waves of a draw are in no order, whatever their primitives have: use atomic operations, or a draw of its own for the second access, with a barrier between";
	return one_is_atomic
		       ? "one side is not atomic, and workgroups are in no order: use an atomic operation on both sides"
		       : "workgroups are in no order: use atomic operations, or a dispatch of its own for the second access";
}

const struct bw_checked_kind bw_checked_race = {"race", take_race, add_headline, add_target,
						advice};
