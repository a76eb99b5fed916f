/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_PYTHON_H
#define BW_CLI_PYTHON_H

/* Scripts in Python, run in the session of the command line. One thread. */

#include "cli/cli.h"

/* Whether a file of commands is a Python script: its name ends in .py. */
bool bw_cli_is_python(const char *path);
/* Runs a script. An exception has been printed with its traceback when it returns. Errors: there is
 * no libpython (the sentence says what to install), the session is one of --json, the script
 * failed. */
struct bw_error *bw_cli_run_python(struct bw_cli *c, const char *path) BW_MUST_CHECK;
/* Called when the session ends: runs functions that scripts have registered (atexit), and closes
 * sessions that scripts have opened. */
void bw_cli_end_python(void);

#endif
