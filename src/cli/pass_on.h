/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_PASS_ON_H
#define BW_CLI_PASS_ON_H

/* Signals that are to end us while a program runs go to the program: what is said or written at its
 * end is not lost. Of SIGTERM and SIGHUP, and of SIGINT, which the terminal sends to both. One
 * program at a time; the main thread calls. */

#include <sys/types.h>

#include "base/error.h"
#include "kmd/kmd.h"

/* Before the program is started. Signals that are ignored, as below nohup, stay so. */
void bw_pass_on_begin(void);
/* It runs. It gets what has come since bw_pass_on_begin. */
void bw_pass_on_to(pid_t pid);
/* Says on standard error whom the program waits for (struct bw_followed). */
void bw_pass_on_tell_wait(const char *text);
/* Waits for its end; the status is that of wait(). Says on standard error when the
 * program waits for a GPU that others fill. BW_E_STATE: it was killed, and the kernel keeps it for
 * longer than a few seconds, as a job of it does not end. */
struct bw_error *bw_pass_on_wait(pid_t pid, struct bw_kmd *kmd, int *out_status) BW_MUST_CHECK;

#endif
