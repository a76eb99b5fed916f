/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_PYTHON_H
#define BW_CLI_PYTHON_H

/* Scripts in Python, run in the session of the command line. One thread. */

#include "cli/cli.h"

/* Whether the name of a file of commands is that of a script: it ends in .py. */
bool bw_cli_is_python(const char *path);
/* Runs it; what it raises has been printed with its traceback. Errors: there is no libpython (the
 * sentence says what to install), the session is one of --json, the script failed. */
struct bw_error *bw_cli_run_python(struct bw_cli *c, const char *path) BW_MUST_CHECK;
/* The session ends: what scripts have registered for the end of Python runs (atexit), and sessions
 * of their own are closed. */
void bw_cli_end_python(void);

#endif
