/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CLOCKS_CLOCK_H
#define BW_AGENT_CLOCKS_CLOCK_H

/* The program's time. It stands still while the debugger holds the program, so that no watchdog of
 * the program expires meanwhile: its monotonic clocks are late by the time that the program has
 * been held, and waits with a limit last that much longer (clock_calls.c). The date
 * (CLOCK_REALTIME) is not changed. Before the first stop, and where there is no debugger, all of it
 * is the real time.
 *
 * Any thread may call any of these. Times are ns of CLOCK_MONOTONIC. */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Does this clock stand still with the program's time? CLOCK_MONOTONIC and its like. */
bool bw_clock_has(clockid_t clock);
/* The program's time by such a clock; real time when a thread of the agent asks. */
int64_t bw_clock_program_ns(clockid_t clock);
/* The real time. */
int64_t bw_clock_real_ns(void);
/* The ns by which the program's time is late; grows while the program's time stands still. */
int64_t bw_clock_behind_ns(void);
/* Does it stand still now, for the calling thread? */
bool bw_clock_is_stopped(void);

/* Stop and resume the program's time. Stopping a stopped clock has no effect, and one resume undoes
 * it. */
void bw_clock_stop(void);
void bw_clock_resume(void);

/* Marks the calling thread as the agent's own, which lives in real time. */
void bw_clock_mark_own_thread(void);

void bw_clock_fork_prepare(void);
void bw_clock_fork_parent(void);
void bw_clock_fork_child(void);

#endif
