/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_WAIT_H
#define BW_BASE_WAIT_H

/* Waiting for other processes. A debugger waits for answers of the virtual GPU, of the programs and
 * of its guard process; each of them may be stopped by a signal, and then it must say so, and its
 * user must be able to give up the wait. Those who wait ask here, again and again; who talks to the
 * user has set what is asked. Where nothing is set (the agent, the virtual GPU), waits go on as if
 * this did not exist. One thread. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How often a wait should ask, and how long it should have lasted before. */
enum { BW_WAIT_SLICE_MS = 100 };

/* Whether the wait is to go on; waited_ms: so long already; for_answer: of something that answers
 * at once when it can, not for an event that may take any time. */
typedef bool bw_wait_fn(void *cookie, unsigned waited_ms, bool for_answer);
/* NULL: every wait goes on, and is not asked about. */
void bw_wait_set(bw_wait_fn *fn, void *cookie);
bool bw_wait_is_set(void);
bool bw_wait_should_continue(unsigned waited_ms, bool for_answer);

/* Processes whose answers are waited for, directly or because one of the others waits for them.
 * name is borrowed for ever: "the virtual GPU". */
void bw_wait_add(pid_t pid, const char *name);
void bw_wait_remove(pid_t pid);
/* The first of them that is stopped, by a signal or by a debugger of its own. */
bool bw_wait_find_stopped(pid_t *out_pid, const char **out_name, char *out_state);

/* The state in /proc/PID/stat, the letter of ps(1); 0: there is no such process. */
char bw_process_state(pid_t pid);

#endif
