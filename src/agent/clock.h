/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CLOCK_H
#define BW_AGENT_CLOCK_H

/* The program's time. It stands still while a person looks at stopped waves, so that no watchdog of
 * the program bites because somebody thinks: its monotonic clocks are behind the real ones by the
 * time that the debugger has had it stopped, and waits with a limit last that much longer
 * (clock_calls.c). The date (CLOCK_REALTIME) is not changed. Before the first stop, and where there
 * is no debugger, all of it is the real time.
 *
 * Any thread may call any of these. Times are ns of CLOCK_MONOTONIC. */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Does this clock stand still with the program's time? CLOCK_MONOTONIC and its like. */
bool bw_clock_has(clockid_t clock);
/* The program's time by such a clock. In threads of the agent, which live in real time, that. */
int64_t bw_clock_program_ns(clockid_t clock);
/* The real time. */
int64_t bw_clock_real_ns(void);
/* How far the program's time is behind; grows while it stands still. */
int64_t bw_clock_behind_ns(void);
/* Does it stand still now, for the calling thread? */
bool bw_clock_is_stopped(void);

/* Stopping twice is stopping once. */
void bw_clock_stop(void);
void bw_clock_resume(void);

/* The calling thread is the agent's own. */
void bw_clock_thread_is_ours(void);

void bw_clock_fork_prepare(void);
void bw_clock_fork_parent(void);
void bw_clock_fork_child(void);

#endif
