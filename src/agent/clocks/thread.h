/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CLOCKS_THREAD_H
#define BW_AGENT_CLOCKS_THREAD_H

/* A thread of the agent: small, detached, in real time (clock.h), with the program's signals
 * blocked. 0 or -errno. Any thread may call. */
int bw_thread_start(void *(*fn)(void *), void *cookie);

#endif
