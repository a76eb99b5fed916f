/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_REPORT_H
#define BW_CLI_REPORT_H

/* Pages for a browser (src/report), by `breakwater report`, `breakwater crash --html` and the
 * command "report". */

#include "cli/cli.h"
#include "report/report.h"

/* Writes the page, with a line that says when and by which version it was made (r->made is set
 * here). */
struct bw_error *bw_cli_write_report(const struct bw_report *r, const char *path,
				     size_t *out_size_b) BW_MUST_CHECK;
/* Adds the page's path to an answer that is open. */
void bw_cli_say_report(struct bw_cli *c, const char *path, size_t size_b);
/* Writes a report of the session, which must be stopped, and says where the report is. */
struct bw_error *bw_cli_report(struct bw_cli *c, const char *path) BW_MUST_CHECK;

#endif
