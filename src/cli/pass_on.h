/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_PASS_ON_H
#define BW_CLI_PASS_ON_H

/* Passes signals that would end us on to the program that runs, so that the output at its end is
 * not lost. Of SIGTERM and SIGHUP, and of SIGINT, which the terminal sends to both. One program at
 * a time; the main thread calls. */

#include <sys/types.h>

#include "base/error.h"
#include "kmd/kmd.h"

/* Called before the program is started. Signals that are ignored, as under nohup, stay ignored. */
void bw_pass_on_begin(void);
/* Called when the program runs. It gets the signals that have come since bw_pass_on_begin. */
void bw_pass_on_to(pid_t pid);
/* Prints on standard error for whom the program waits (struct bw_followed). */
void bw_pass_on_tell_wait(const char *text);
/* Waits for the program's end; the status is that of wait(). Prints a line on standard error if the
 * program waits for a GPU that others use fully. BW_E_STATE: it was killed, and the kernel keeps it
 * for more than a few seconds, because one of its jobs does not end. */
struct bw_error *bw_pass_on_wait(pid_t pid, struct bw_kmd *kmd, int *out_status) BW_MUST_CHECK;

#endif
