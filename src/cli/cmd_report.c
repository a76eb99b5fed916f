/* SPDX-License-Identifier: MIT */
/* report FILE: the stop as a page for a browser. */
#include "cli/report.h"

#include <time.h>

#include "cli/commands.h"
#include "session/version.h"

struct bw_error *bw_cli_write_report(const struct bw_report *r, const char *path,
				     size_t *out_size_b)
{
	char when[64] = "", made[128];
	time_t now = time(NULL);
	struct tm local;
	if (localtime_r(&now, &local))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M %Z", &local);
	snprintf(made, sizeof(made), "Made by breakwater %s, %s.", bw_version(), when);
	struct bw_report dated = *r;
	dated.made = made;
	return bw_report_write(&dated, path, out_size_b);
}

void bw_cli_say_report(struct bw_cli *c, const char *path, size_t size_b)
{
	bw_out_line(c->out, "The report is in %s (%zu KiB).", path, (size_b + 1023) / 1024);
	bw_out_str(c->out, "file", path);
	bw_out_int(c->out, "bytes", (int64_t)size_b);
}

struct bw_error *bw_cli_report(struct bw_cli *c, const char *path)
{
	size_t size_b;
	const struct bw_report r = {.debug = c->debug,
				    .stop = &c->session->last_stop,
				    .notes = bw_str_text(&c->session->warnings),
				    .crash = c->session->crash};
	if (bw_debug_state(c->debug) != BW_DEBUG_STOPPED)
		return bw_errorf(BW_E_STATE, "There is no stop to report: the program is %s",
				 bw_debug_state(c->debug) == BW_DEBUG_RUNNING ? "running"
									      : "not being run");
	BW_TRY(bw_cli_write_report(&r, path, &size_b));
	bw_cli_say_report(c, path, size_b);
	return NULL;
}

struct bw_error *bw_cmd_report(struct bw_cli *c, const char *args)
{
	char path[4096];
	bw_take_word(&args, path, sizeof(path));
	if (!path[0] || args[0])
		return bw_errorf(BW_E_INVALID,
				 "\"report\" takes the FILE to write (report a.html)");
	return bw_cli_report(c, path);
}
