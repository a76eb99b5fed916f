/* SPDX-License-Identifier: MIT */
#include "kmd/follow.h"

#include "base/wait.h"

static bool is_of_program(void *cookie, pid_t pid)
{
	return bw_process_descends(pid, *(pid_t *)cookie);
}

static void tell_of_waits(struct bw_followed *p)
{
	char text[256];
	if (p->kmd && p->pid > 0 &&
	    bw_kmd_watch_waits(p->kmd, &p->waits, is_of_program, &p->pid, text, sizeof(text)))
		p->tell_wait(text);
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct bw_error *bw_follow_program(const struct bw_follow *f, bool *out_ended)
{
	static const uint64_t LOOK_NS = 200 * 1000 * 1000, AFTER_END_NS = 2000000000;
	const struct timespec now = {0}, slice = {.tv_nsec = (long)f->slice_ns};
	uint64_t quiet_ns = 0, ended_ns = 0;
	bool ended = false, quiet = false;
	while (!(ended && quiet) && !(f->is_over && f->is_over(f->cookie))) {
		BW_TRY(f->take(f->cookie, ended ? &now : &slice, &quiet, &ended));
		if (!ended)
			tell_of_waits(f->program);
		if (quiet && !ended) {
			quiet = false;
			quiet_ns += f->slice_ns;
			if (quiet_ns < LOOK_NS)
				continue;
			quiet_ns = 0;
			if (f->look)
				f->look(f->cookie);
			ended = f->program->pid > 0 && bw_process_is_ending(f->program->pid);
		}
		ended_ns = ended && !ended_ns ? now_ns() : ended_ns;
		quiet |= ended && now_ns() - ended_ns >= AFTER_END_NS;
	}
	*out_ended = ended && quiet;
	return NULL;
}
