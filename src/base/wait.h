/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_WAIT_H
#define BW_BASE_WAIT_H

/* Waiting for other processes. A debugger waits for answers of the virtual GPU, of the programs and
 * of its guard process; each of them may be stopped by a signal, and then the user must be told so,
 * and be able to give up the wait. Code that waits calls bw_wait_should_continue repeatedly; the
 * command line has set the callback that decides. Without a callback (in the agent and the virtual
 * GPU) waits are never given up. One thread. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How often a wait should ask, and how long it should last before it asks first. */
enum { BW_WAIT_SLICE_MS = 100 };

/* Whether to continue the wait; waited_ms: how long it has lasted; for_answer: it is for an answer
 * that normally comes at once, not for an event that may take any time. */
typedef bool bw_wait_fn(void *cookie, unsigned waited_ms, bool for_answer);
/* NULL: every wait is continued without asking. */
void bw_wait_set(bw_wait_fn *fn, void *cookie);
bool bw_wait_is_set(void);
bool bw_wait_should_continue(unsigned waited_ms, bool for_answer);

/* What the wait that begins is for, where it is known to take longer than an answer does ("the
 * registers to be restored"): the user is told soon, and can end it soon. Lives until replaced;
 * NULL: an answer like others. */
void bw_wait_set_reason(const char *reason);
const char *bw_wait_reason(void);

/* The processes whose answers may be waited for, directly or because another of them waits for one.
 * name must live for ever: "the virtual GPU". */
void bw_wait_add(pid_t pid, const char *name);
void bw_wait_remove(pid_t pid);
/* The first of them that is stopped, by a signal or by a debugger of its own. */
bool bw_wait_find_stopped(pid_t *out_pid, const char **out_name, char *out_state);

/* The state in /proc/PID/stat, the letter of ps(1); 0: there is no such process. */
char bw_process_state(pid_t pid);
/* Whether it is `from`, or a process that this one has started, directly or by others that are
 * still there. */
bool bw_process_descends(pid_t pid, pid_t from);
/* Whether all threads of the process have begun to exit, or there is no such process. A process
 * that was killed may stay so for long: while it closes its files, the kernel waits for its jobs on
 * the GPU. Nothing of it runs any more, but its connections are still open. */
bool bw_process_is_ending(pid_t pid);

#endif
