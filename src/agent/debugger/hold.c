/* SPDX-License-Identifier: MIT */
/* Submissions and the debugger: each is shown, held until the debugger releases it, and reported
 * when it has ended. */
#include "agent/debugger/debugger_priv.h"

#include <pthread.h>
#include <string.h>

#include "agent/clocks/clock.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "wire/message.h"

int64_t bw_debugger_held_ns(void)
{
	pthread_mutex_lock(&bw_dbg.lock);
	int64_t ns = bw_dbg.held_total_ns +
		     (bw_dbg.held.len ? bw_clock_real_ns() - bw_dbg.held_since_ns : 0);
	pthread_mutex_unlock(&bw_dbg.lock);
	return ns;
}

bool bw_debugger_is_connected(void)
{
	pthread_mutex_lock(&bw_dbg.lock);
	bool yes = bw_dbg.state == CONNECTED;
	pthread_mutex_unlock(&bw_dbg.lock);
	return yes;
}

static void send_submit(const struct bw_agent_submit *submit,
			const struct bw_agent_dispatch *dispatches, const void *blob)
{
	struct bw_msg_part parts[] = {{submit, sizeof(*submit)},
				      {dispatches, submit->n_dispatches * sizeof(*dispatches)},
				      {blob, submit->blob_b}};
	bw_dbg_send_event(BW_AGENT_EV_SUBMIT, parts, 3);
}

uint32_t bw_debugger_show(struct bw_agent_file *f, struct bw_agent_submit *submit,
			  const struct bw_agent_dispatch *dispatches, const void *blob)
{
	pthread_mutex_lock(&bw_dbg.lock);
	submit->submission = ++bw_dbg.submissions;
	submit->is_running = 1;
	bw_dbg.last = f->number;
	f->ip_type = submit->ip_type;
	f->ring = submit->ring;
	pthread_mutex_unlock(&bw_dbg.lock);
	send_submit(submit, dispatches, blob);
	return submit->submission;
}

bool bw_debugger_is_ready(const struct bw_agent_file *f)
{
	pthread_mutex_lock(&bw_dbg.lock);
	const struct bw_attach *a = bw_dbg_attach_of(f);
	bool yes = a && a->is_ready;
	pthread_mutex_unlock(&bw_dbg.lock);
	return yes;
}

/* Called with the lock held, which it releases while it waits. For an address space that is not
 * attached to, in a program that was made ready: calls the debugger that made it ready, so that the
 * trap handler is there before the first wave. */
static void call_keeper(struct bw_agent_file *f)
{
	const char *offered = bw_agent_config()->folders[BW_AGENT_DEBUGGER];
	for (;;) {
		if (bw_dbg.state == CHANGING) {
			pthread_cond_wait(&bw_dbg.changed, &bw_dbg.lock);
			continue;
		}
		if (!offered || bw_dbg.keeper < 0 || bw_dbg.state != ENDED || !bw_dbg_is_open(f) ||
		    bw_dbg_attach_of(f))
			return;
		bw_dbg.state = CHANGING;
		pthread_mutex_unlock(&bw_dbg.lock);
		int r = bw_dbg_connect(f);
		pthread_mutex_lock(&bw_dbg.lock);
		if (r) /* the keeper is gone */
			bw_agent_fd_close(&bw_dbg.keeper);
	}
}

bool bw_debugger_listens(struct bw_agent_file *f)
{
	pthread_mutex_lock(&bw_dbg.lock);
	call_keeper(f);
	bool yes = bw_dbg.state == CONNECTED;
	pthread_mutex_unlock(&bw_dbg.lock);
	return yes;
}

/* The caller holds the lock. Holds the submission once; 0: there is no debugger to hold it. */
static uint32_t hold_once(struct bw_agent_file *f, struct bw_agent_submit *submit,
			  const struct bw_agent_dispatch *dispatches, const void *blob)
{
	struct held h = {.file = f};
	if (bw_dbg.state != CONNECTED || !bw_dbg_is_open(f))
		return 0;
	_cleanup_error_ struct bw_error *err = bw_vec_push(&bw_dbg.held, &h);
	if (err)
		return 0;
	if (bw_dbg.held.len == 1)
		bw_dbg.held_since_ns = bw_clock_real_ns();
	h.number = submit->submission = ++bw_dbg.submissions;
	bw_dbg.last = f->number;
	f->ip_type = submit->ip_type;
	f->ring = submit->ring;
	pthread_mutex_unlock(&bw_dbg.lock);

	send_submit(submit, dispatches, blob);

	pthread_mutex_lock(&bw_dbg.lock);
	while (!h.released)
		pthread_cond_wait(&bw_dbg.changed, &bw_dbg.lock);
	for (size_t i = 0; i < bw_dbg.held.len; i++) {
		if (bw_dbg.held.data[i] == &h) {
			bw_vec_remove(&bw_dbg.held, i);
			break;
		}
	}
	if (!bw_dbg.held.len)
		bw_dbg.held_total_ns += bw_clock_real_ns() - bw_dbg.held_since_ns;
	return h.number;
}

uint32_t bw_debugger_hold(struct bw_agent_file *f, struct bw_agent_submit *submit,
			  const struct bw_agent_dispatch *dispatches, const void *blob)
{
	enum { TRIES = 8 }; /* of a keeper that does not attach */
	uint32_t number;
	unsigned tries = 0;
	pthread_mutex_lock(&bw_dbg.lock);
	do {
		/* Several threads may submit at once. The first submission makes the program ready
		 * and ends the connection: the others need a new one. */
		call_keeper(f);
		number = hold_once(f, submit, dispatches, blob);
	} while (number && ++tries < TRIES && bw_dbg.state == ENDED && bw_dbg.keeper >= 0 &&
		 bw_dbg_is_open(f) && !bw_dbg_attach_of(f));
	pthread_mutex_unlock(&bw_dbg.lock);
	return number;
}

void bw_debugger_done(uint32_t submission, int result)
{
	struct bw_agent_done done = {submission, result};
	struct bw_msg_part part = {&done, sizeof(done)};
	bw_dbg_send_event(BW_AGENT_EV_DONE, &part, 1);
}

void bw_debugger_await_failures(void)
{
	pthread_mutex_lock(&bw_dbg.lock);
	while (bw_dbg.state == CONNECTED && bw_dbg.failures_released < bw_dbg.failures)
		pthread_cond_wait(&bw_dbg.changed, &bw_dbg.lock);
	pthread_mutex_unlock(&bw_dbg.lock);
}

void bw_debugger_failed(const struct bw_agent_failed *failed)
{
	pthread_mutex_lock(&bw_dbg.lock);
	bw_dbg.failures += bw_dbg.state == CONNECTED;
	pthread_mutex_unlock(&bw_dbg.lock);
	struct bw_msg_part part = {failed, sizeof(*failed)};
	bw_dbg_send_event(BW_AGENT_EV_FAILED, &part, 1);
}
