/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_DEBUGGER_DEBUGGER_H
#define BW_AGENT_DEBUGGER_DEBUGGER_H

/* The connection to the debugger (wire/agent_proto.h): made when the program opens its first amdgpu
 * device, served by a thread of its own, and never made again once it has ended. */

#include "agent/agent.h"
#include "wire/agent_proto.h"

struct bw_attach_left;

void bw_debugger_file_opened(struct bw_agent_file *f);
/* Takes the connection of a debugger that attaches to the running process and is allowed to, and
 * answers on it with an int32, 0 or -errno (EBUSY: another debugger is attached; EALREADY: one that
 * has detached is still leaving; ENODEV: no GPU is open). */
void bw_debugger_take(int sock);
/* Called when a submission of f is about to be made, and when it has ended: what is attached to f
 * is not freed in between. NULL: nothing is attached to f. The debug area's buffer must be on the
 * submission's residency list. */
struct bw_attach_left *bw_debugger_job_begun(const struct bw_agent_file *f,
					     uint32_t *out_area_handle);
void bw_debugger_job_ended(struct bw_attach_left *left);
/* The program has closed the last descriptor of f. */
void bw_debugger_file_closed(struct bw_agent_file *f);

/* Whether there is a debugger to show submissions to. */
bool bw_debugger_is_connected(void);
/* Shows one that runs already. Returns its number. */
uint32_t bw_debugger_show(struct bw_agent_file *f, struct bw_agent_submit *submit,
			  const struct bw_agent_dispatch *dispatches, const void *blob);
/* The file is ready for debuggers that come (breakwater exec --ready), whether one is there or
 * not. */
bool bw_debugger_is_ready(const struct bw_agent_file *f);
/* Before a submission of f: whether there is a debugger that wants to see it. Where f is not ready,
 * in a program that should be, this calls the one that made the others ready; it waits while
 * another thread does so. */
bool bw_debugger_listens(struct bw_agent_file *f);
/* Shows a submission of f and waits for RELEASE. Returns its number, 0 when it is no longer held.
 * blob: submit->blob_b bytes that the dispatches point into. */
uint32_t bw_debugger_hold(struct bw_agent_file *f, struct bw_agent_submit *submit,
			  const struct bw_agent_dispatch *dispatches, const void *blob);
/* The total time that submissions have been held, in ns. It grows only while one is held. */
int64_t bw_debugger_held_ns(void);
/* The fence of a submission has signalled. */
void bw_debugger_done(uint32_t submission, int result);
/* The fence of a submission has signalled with an error. */
void bw_debugger_failed(const struct bw_agent_failed *failed);
/* Waits until the debugger has released the program from all failures that were reported. */
void bw_debugger_await_failures(void);

void bw_debugger_fork_prepare(void);
void bw_debugger_fork_parent(void);
void bw_debugger_fork_child(void);

#endif
