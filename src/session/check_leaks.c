/* SPDX-License-Identifier: MIT */
/* Findings of --check=leaks: memory that a program has not freed at its end. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "session/check_priv.h"
#include "session/server_report.h"
#include "sym/host_place.h"

static void take_leak(char **line, struct bw_checked *f)
{
	struct bw_checked_bounds *b = &f->bounds;
	f->has_first = false;
	f->memory = b->of = "memory";
	f->size_b = b->limit = bw_report_number(line);
	b->name = bw_report_field(line);
	b->program = bw_report_field(line);
	for (size_t i = 0; i < BW_ARRAY_SIZE(b->made); i++)
		b->made[i] = bw_report_number(line);
}

static void add_target(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	(void)d;
	bw_str_addf(s, "%" PRIu64 " block%s", f->times, f->times == 1 ? "" : "s");
	if (*f->bounds.name)
		bw_str_addf(s, " (%s)", f->bounds.name);
}

/* ", for main at x.hip:40": who has called the function that made it. */
static void add_caller(struct bw_str *s, const struct bw_checked *f)
{
	struct bw_host_place p;
	if (!f->bounds.made[1] || !bw_host_place(f->bounds.program, f->bounds.made[1], &p))
		return;
	bw_str_add(s, ", for ");
	bw_str_add_printable(s, p.function, "");
	if (p.line) {
		bw_str_add(s, p.function[0] ? " at " : "");
		bw_str_add_printable(s, p.file, "");
		bw_str_addf(s, ":%u", p.line);
	}
}

/* "4096 bytes in 2 blocks are left at the end, made in make at x.hip:12, for main at x.hip:40" */
static void add_headline(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	_cleanup_free_ char *made = bw_checked_made(f);
	bw_str_addf(s, "%" PRIu64 " byte%s in ", f->size_b, f->size_b == 1 ? "" : "s");
	add_target(s, d, f);
	bw_str_addf(s, " %s left at the end", f->times == 1 ? "is" : "are");
	if (made) {
		bw_str_addf(s, ", made in %s", made);
		add_caller(s, f);
	}
}

static const char *advice(const struct bw_checked *f)
{
	(void)f;
	return "the program has ended without freeing it: free it when it is used no more";
}

const struct bw_checked_kind bw_checked_leak = {"leak", take_leak, add_headline, add_target,
						advice};
