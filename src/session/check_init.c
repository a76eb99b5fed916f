/* SPDX-License-Identifier: MIT */
/* Findings of --check=init: uses of values that nobody has written. */
#include <inttypes.h>
#include <string.h>

#include "session/check_priv.h"
#include "session/server_report.h"

static bool is_use(const struct bw_checked *f, const char *use)
{
	return !strcmp(f->use, use);
}

static bool is_of_lane(const struct bw_checked *f)
{
	return !strcmp(f->memory, "lane");
}

/* The first place is that of the use, the second one that of the load. */
static void take_init(char **line, struct bw_checked *f)
{
	f->use = bw_report_field(line);
	f->memory = bw_report_field(line);
	f->reg = bw_report_field(line);
	f->va = bw_report_number(line);
	f->size_b = bw_report_number(line);
	f->has_second = f->second.pc != 0;
	f->second_is_code = true;
	if (is_use(f, "branch"))
		f->first.access = f->use;
}

static void add_target(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	if (!strcmp(f->memory, "register"))
		bw_str_addf(s, "%s", f->reg);
	else if (!strcmp(f->memory, "LDS"))
		bw_checked_add_lds(s, d, &f->first, f->va);
	else if (is_of_lane(f))
		bw_str_addf(s, "lane %" PRIu64, f->va);
	else
		bw_str_addf(s, "%s + 0x%" PRIx64, f->memory, f->va);
}

static void add_headline(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	bw_str_addf(s, "%s from ",
		    is_use(f, "branch")	   ? "branch on a value"
		    : is_use(f, "address") ? "address"
					   : "stored value");
	add_target(s, d, f);
	bw_str_add(s, is_of_lane(f) ? ", which was not active then" : ", which nobody has written");
}

static const char *advice(const struct bw_checked *f)
{
	if (!strcmp(f->memory, "LDS"))
		return "LDS has no value at the start of a workgroup: write every element before it is read, with a barrier between (compilers keep private arrays there, too)";
	if (is_of_lane(f))
		return "a shuffle from a lane that is not active there gives no value: let all lanes that are asked for one execute it, outside of the condition or loop, and before any of them returns";
	if (!strcmp(f->memory, "scratch"))
		return "the private variable or array is not set on this way: give every element a value before it is read";
	return "the variable in the register is not set on this way: give it a value where it is declared";
}

const struct bw_checked_kind bw_checked_init = {"init", take_init, add_headline, add_target,
						advice};
