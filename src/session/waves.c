/* SPDX-License-Identifier: MIT */
/* Opens the waves that are on a GPU now, without a trap handler, for a session that shows them. */
#include "session/prepare.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "scan/symbols.h"
#include "session/programs.h"
#include "target/call.h"

static struct bw_error *add_code(void *cookie, struct bw_code_object *co)
{
	struct bw_session *s = cookie;
	return bw_debug_add_code_object(s->debug, co);
}

/* Adds the code objects in the command lines of processes, because they may run. */
static struct bw_error *add_code_of_all(struct bw_session *s, pid_t pid)
{
	_cleanup_free_ struct bw_kmd_client *clients = NULL;
	size_t n = 0;
	_cleanup_error_ struct bw_error *unknown = bw_kmd_clients(s->kmd, &clients, &n);
	for (size_t i = 0; !unknown && i < n; i++) {
		bool is_new = !pid || clients[i].pid == pid;
		for (size_t k = 0; k < i; k++)
			is_new &= clients[k].pid != clients[i].pid;
		if (is_new)
			BW_TRY(bw_scan_code_of(clients[i].pid, add_code, s));
	}
	return NULL;
}

static void say_looking(struct bw_session *s, const struct bw_target *t, size_t n,
			const struct bw_run_options *o)
{
	bool event = !bw_out_in_request(s->out);
	if (event)
		bw_out_begin(s->out, "event", "looking");
	if (n)
		bw_out_line(s->out, n == 1 ? "%zu wave is on %s, %s." : "%zu waves are on %s, %s.",
			    n, t->facts.name,
			    o->halt ? "halted with all others of the GPU until this session ends"
				    : "as read while they ran");
	else if (o->pid)
		bw_out_line(s->out, "Process %d has no wave on %s now.", (int)o->pid,
			    t->facts.name);
	bw_out_int(s->out, "waves", (int64_t)n);
	bw_out_bool(s->out, "halted", o->halt);
	if (event)
		bw_out_end(s->out);
}

struct bw_error *bw_open_waves(struct bw_session *s, const struct bw_run_options *o)
{
	const struct bw_target_source source = {
		.kind = BW_SOURCE_WAVES, .kmd = s->kmd, .pid = o->pid, .halts = o->halt};
	struct bw_target *target;
	if (!o->pid && bw_kmd_is_virtual(s->kmd) && !getenv(BW_KMD_SERVER_ENV))
		return bw_errorf(
			BW_E_INVALID,
			"Which virtual GPU is looked at? Each program of \"breakwater run\" or \"exec\" has "
			"its own: \"breakwater attach --waves PID\" takes that of a process");
	BW_TRY(add_code_of_all(s, o->pid));
	BW_TRY(bw_open_target(&source, &target));
	s->attached = true; /* there is nothing to be killed when the session ends */
	say_looking(s, target, bw_target_stopped(target, NULL, 0), o);
	struct bw_stop stop;
	BW_TRY(bw_debug_start(s->debug, target));
	BW_TRY(bw_debug_wait(s->debug, -1, &stop));
	bw_session_stopped(s, &stop, false);
	return NULL;
}
