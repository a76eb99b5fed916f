/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_AGENT_FIND_H
#define BW_WIRE_AGENT_FIND_H

/* The agent of a process that runs already (wire/agent_proto.h says where it listens). */

#include <sys/types.h>

#include "wire/agent_proto.h"

/* Connects to the agent in the process and makes the call. Root may call those of other users.
 * done, busy: words of errors: "process 5 cannot be <done>: ...", "process 5 <busy>".
 * errnum of the error: ENOENT, no agent listens in that process; EAGAIN, some names could not be
 * connected to; EPERM, it belongs to another user; ETIME, it does not answer; or what the agent has
 * answered. */
struct bw_error *bw_agent_find(pid_t pid, const struct bw_agent_call *call, const char *done,
			       const char *busy, int *out_fd) BW_MUST_CHECK;

#endif
