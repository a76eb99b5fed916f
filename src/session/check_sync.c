/* SPDX-License-Identifier: MIT */
/* Findings of --check=sync: barriers that not all work-items of a workgroup reach. */
#include <string.h>

#include "session/check_priv.h"
#include "session/server_report.h"
#include "ui/print_format.h"

static bool is_kind(const struct bw_checked *f, const char *kind)
{
	return !strcmp(f->use, kind);
}

/* The first place is the barrier. */
static void take_sync(char **line, struct bw_checked *f)
{
	f->use = bw_report_field(line);
	f->memory = "barrier";
	f->missing = bw_report_number(line);
	f->has_second = true;
}

static void add_target(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	(void)d;
	if (is_kind(f, "lanes")) {
		bw_str_addf(s, "lanes ");
		bw_print_lanes(s, f->missing);
		return;
	}
	bw_str_addf(s, "wave %u", f->second.wave);
}

static void add_headline(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	if (is_kind(f, "places"))
		bw_str_addf(s, "waves %u and %u of a workgroup meet at different barriers",
			    f->first.wave, f->second.wave);
	else {
		bw_str_addf(s, "barrier that is not reached by ");
		add_target(s, d, f);
	}
}

static const char *advice(const struct bw_checked *f)
{
	if (is_kind(f, "places"))
		return "each waits where the other one does not, and the hardware takes that for one barrier: every work-item must come to the same barrier";
	if (is_kind(f, "ended"))
		return "the wave has ended without it, after the second place, and the hardware does not wait for it: move the barrier out of the condition";
	return "these lanes go on at the second place as if they had waited: move the barrier out of the condition or loop that they do not enter";
}

const struct bw_checked_kind bw_checked_sync = {"sync", take_sync, add_headline, add_target,
						advice};
