// SPDX-License-Identifier: MIT
/* Programs and their address spaces: which program has which, which one is current, and what is
 * dropped when one ends. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/programs_priv.h"
#include "debug/stepping/stepping_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { KILL_TRIES = 100, KILL_PIECE_MS = 50 };

/* ---- The current address space ---- */

void bw_debug_use_space(struct bw_debug *d, uint32_t space)
{
	d->space = space;
	if (d->target)
		d->target->space = space;
}

struct bw_in_space bw_space_enter(struct bw_debug *d, uint32_t space)
{
	struct bw_in_space s = {d, d->space};
	bw_debug_use_space(d, space);
	return s;
}

void bw_space_leave(struct bw_in_space *s)
{
	bw_debug_use_space(s->d, s->before);
}

/* ---- Who there is ---- */

void bw_programs_fini(struct bw_programs *p)
{
	bw_vec_free(&p->spaces);
	bw_vec_free(&p->all);
}

void bw_programs_forget(struct bw_debug *d)
{
	d->programs->spaces.len = d->programs->all.len = 0;
	d->programs->last_number = d->programs->current = d->space = 0;
}

pid_t bw_debug_program_pid(const struct bw_debug *d)
{
	return d->programs->pid;
}

const char *bw_debug_program_name(const struct bw_debug *d)
{
	return d->programs->comm;
}

static struct bw_inferior_info *find_inferior(struct bw_debug *d, uint32_t number)
{
	bw_vec_each(&d->programs->all, i)
		if (i->number == number)
			return i;
	return NULL;
}

static struct bw_inferior_info *find_pid(struct bw_debug *d, pid_t pid)
{
	bw_vec_each(&d->programs->all, i)
		if (i->pid == pid)
			return i;
	return NULL;
}

uint32_t bw_debug_inferior_of_space(const struct bw_debug *d, uint32_t space)
{
	bw_vec_each(&d->programs->spaces, s)
		if (s->number == space)
			return s->inferior;
	return 0;
}

static void make_current(struct bw_debug *d, const struct bw_inferior_info *i)
{
	d->programs->current = i->number;
	d->programs->pid = i->pid;
	memcpy(d->programs->comm, i->comm, sizeof(d->programs->comm));
}

void bw_debug_focus_on(struct bw_debug *d, const struct bw_wave_record *w)
{
	d->waves->focus_slot = w ? w->info.slot : UINT32_MAX;
	if (!w)
		return;
	bw_debug_use_space(d, w->info.space);
	const struct bw_inferior_info *i = find_inferior(d, w->info.inferior);
	if (i)
		make_current(d, i);
}

/* ---- They come ---- */

struct bw_error *bw_debug_on_program(struct bw_debug *d, const struct bw_target_event *ev)
{
	struct bw_inferior_info i = {.number = d->programs->last_number + 1, .pid = ev->pid};
	if (find_pid(d, ev->pid)) /* the process has run another program in its place (exec) */
		return NULL;
	memcpy(i.comm, ev->comm, sizeof(ev->comm));
	BW_TRY(bw_vec_push(&d->programs->all, i));
	d->programs->last_number++;
	if (d->programs->all.len == 1) {
		make_current(d, &i);
		bw_debug_note(d, BW_NOTICE_PROGRAM, "%s (process %d) uses the GPU", i.comm,
			      (int)i.pid);
	} else {
		bw_debug_note(d, BW_NOTICE_SAID, "[New inferior %u: %s (process %d) uses the GPU]",
			      i.number, i.comm, (int)i.pid);
	}
	return NULL;
}

struct bw_error *bw_debug_on_space(struct bw_debug *d, uint32_t space, pid_t pid)
{
	const struct bw_inferior_info *i = find_pid(d, pid);
	bw_vec_each(&d->programs->spaces, s)
		if (s->number == space)
			return NULL;
	BW_TRY(bw_vec_push(&d->programs->spaces,
			   ((struct bw_space_of){space, i ? i->number : d->programs->current})));
	if (d->programs->spaces.len == 1)
		bw_debug_use_space(d, space);
	return NULL;
}

/* ---- They go ---- */

void bw_debug_on_space_gone(struct bw_debug *d, uint32_t space)
{
	bw_breaks_forget(d, space);
	bw_waves_forget_space(d, space);
	bw_vec_drop(&d->stepping->watched, slot, !d->waves->slots[*slot].known);
	bw_dispatches_forget_space(d->dispatches, space);
	bw_debug_code_forget(d, space);
	bw_vec_drop(&d->programs->spaces, s, s->number == space);
	if (d->space == space)
		bw_debug_use_space(d, d->programs->spaces.len ? d->programs->spaces.data[0].number
							      : 0);
}

/* "inferior 2 (process 17, names)" with what happened to it. */
static void say_gone(struct bw_debug *d, const struct bw_inferior_info *i,
		     const struct bw_target_event *ev)
{
	int status = ev->exit_status;
	char how[64] = "ended";
	if (ev->exit_known && WIFSIGNALED(status))
		snprintf(how, sizeof(how), "was ended by signal %d, %s", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (ev->exit_known && WEXITSTATUS(status))
		snprintf(how, sizeof(how), "exited with code %02o", (unsigned)WEXITSTATUS(status));
	else if (ev->exit_known)
		snprintf(how, sizeof(how), "exited normally");
	bw_debug_note(d, BW_NOTICE_SAID, "[Inferior %u (process %d) %s]", i->number, (int)i->pid,
		      how);
}

/* Drops an inferior, with the address spaces that it still has. */
static void forget_inferior(struct bw_debug *d, uint32_t number)
{
	for (size_t i = d->programs->spaces.len; i-- > 0;)
		if (d->programs->spaces.data[i].inferior == number)
			bw_debug_on_space_gone(d, d->programs->spaces.data[i].number);
	bw_vec_drop(&d->programs->all, i, i->number == number);
	if (d->programs->current != number || !d->programs->all.len)
		return;
	make_current(d, &d->programs->all.data[0]);
	bw_vec_each(&d->programs->spaces, s)
		if (s->inferior == d->programs->current)
			bw_debug_use_space(d, s->number);
}

void bw_debug_on_program_gone(struct bw_debug *d, const struct bw_target_event *ev)
{
	const struct bw_inferior_info *i = find_pid(d, ev->pid);
	if (!i)
		return;
	/* the event for the end of the last one comes next */
	if (d->programs->all.len > 1)
		say_gone(d, i, ev);
	forget_inferior(d, i->number);
}

/* ---- For commands ---- */

const struct bw_inferior_info *bw_debug_inferiors(struct bw_debug *d, size_t *out_n)
{
	bw_vec_each(&d->programs->all, i) {
		i->is_current = i->number == d->programs->current;
		i->n_spaces = 0;
		i->n_waves = 0;
		bw_vec_each(&d->programs->spaces, s)
			i->n_spaces += s->inferior == i->number;
		for (size_t k = 0; d->state == BW_DEBUG_STOPPED && k < d->waves->stopped.len; k++)
			i->n_waves += bw_stopped_wave(d, k)->info.inferior == i->number;
	}
	*out_n = d->programs->all.len;
	return d->programs->all.data;
}

const struct bw_inferior_info *bw_debug_inferior_of(struct bw_debug *d, pid_t pid)
{
	return find_pid(d, pid);
}

static struct bw_error *need(struct bw_debug *d, uint32_t number, struct bw_inferior_info **out)
{
	*out = find_inferior(d, number);
	if (*out)
		return NULL;
	return bw_errorf(BW_E_NOT_FOUND, "There is no inferior %u; \"info inferiors\" lists them",
			 number);
}

struct bw_error *bw_debug_set_inferior(struct bw_debug *d, uint32_t number)
{
	struct bw_inferior_info *i;
	BW_TRY(need(d, number, &i));
	make_current(d, i);
	for (size_t k = 0; d->state == BW_DEBUG_STOPPED && k < d->waves->stopped.len; k++) {
		const struct bw_wave_record *w = bw_stopped_wave(d, k);
		if (w->info.inferior == number)
			return bw_debug_set_focus(d, w->info.number);
	}
	bw_vec_each(&d->programs->spaces, s)
		if (s->inferior == number)
			bw_debug_use_space(d, s->number);
	return NULL;
}

struct bw_error *bw_debug_detach_inferior(struct bw_debug *d, uint32_t number)
{
	struct bw_inferior_info *i;
	BW_TRY(need(d, number, &i));
	if (d->programs->all.len == 1) {
		bw_debug_detach(d);
		return NULL;
	}
	BW_TRY(bw_target_need(d->target, BW_CAP_PROCESSES));
	bw_debug_prepare_detach(d, number);
	struct bw_error *err = bw_target_detach(d->target, i->pid);
	forget_inferior(d, number);
	return err;
}

struct bw_error *bw_debug_kill_inferior(struct bw_debug *d, uint32_t number)
{
	struct bw_inferior_info *i;
	BW_TRY(need(d, number, &i));
	if (d->programs->all.len == 1)
		return bw_debug_kill(d);
	pid_t pid = i->pid;
	BW_TRY(bw_target_kill(d->target, pid));
	for (int t = 0; t < KILL_TRIES && d->target && find_pid(d, pid); t++) {
		struct bw_target_event ev = {.kind = BW_EVENT_NONE};
		struct bw_stop stop = {.kind = BW_STOP_NONE};
		BW_TRY(bw_target_wait(d->target, KILL_PIECE_MS, &ev));
		BW_TRY(bw_debug_handle(d, &ev, &stop));
	}
	return NULL;
}
