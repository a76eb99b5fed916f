/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/wave_scan.h"

static bool same_place(const struct bw_scan_place *a, const struct bw_scan_place *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* By somebody else, who may rely on it. */
static bool was_halted(const struct bw_scan_waves *before, const struct bw_scan_place *p)
{
	bw_vec_each(before, w)
		if (same_place(&w->place, p))
			return bw_wave_get(&w->state, BW_WF_HALTED);
	return false;
}

struct bw_error *bw_scan_halt_begin(struct bw_scan_halt *h)
{
	const struct bw_scan all = {.gpu = h->gpu, .vmid = -1};
	BW_TRY(bw_scan_run(&all, &h->before));
	bw_vec_each(&h->before, w)
		h->n_were_halted += bw_wave_get(&w->state, BW_WF_HALTED) != 0;
	if (bw_look_ended)
		return NULL;
	BW_TRY(bw_scan_guard_arm(h->guard));
	h->is_halted = true;
	return bw_scan_halt_all(h->gpu, true);
}

/* One by one only where some must stay halted: a wave that came in between is in neither list, and
 * is not halted. */
static struct bw_error *release(struct bw_scan_halt *h)
{
	struct bw_scan_waves now = {0};
	const struct bw_scan all = {.gpu = h->gpu, .vmid = -1};
	if (!h->n_were_halted)
		return bw_scan_halt_all(h->gpu, false);
	int signal = bw_look_ended;
	bw_look_ended = 0; /* what is halted is released first */
	struct bw_error *err = bw_scan_run(&all, &now);
	bw_vec_each(&now, w)
		if (!err && !was_halted(&h->before, &w->place))
			err = bw_scan_release(h->gpu, &w->place);
	bw_scan_free(&now);
	if (signal)
		bw_look_ended = signal;
	return err;
}

/* Hardware's waves run on at once; the virtual GPU's threads must first be scheduled on the host.
 * Who halts next must not take a wave for one that somebody else has halted. */
static struct bw_error *await_running(struct bw_scan_halt *h)
{
	enum { PATIENCE_MS = 5000 };
	const struct bw_scan all = {.gpu = h->gpu, .vmid = -1};
	bool is_halted = true;
	for (unsigned ms = 0; ms < PATIENCE_MS && is_halted && !bw_look_ended; ms++) {
		struct bw_scan_waves now = {0};
		struct bw_error *err = bw_scan_run(&all, &now);
		is_halted = false;
		bw_vec_each(&now, w)
			is_halted |= bw_wave_get(&w->state, BW_WF_HALTED) &&
				     !was_halted(&h->before, &w->place);
		bw_scan_free(&now);
		if (err)
			return err;
		if (is_halted)
			usleep(1000);
	}
	return NULL;
}

struct bw_error *bw_scan_halt_end(struct bw_scan_halt *h, struct bw_error *err)
{
	struct bw_error *err_release = h->is_halted ? release(h) : NULL;
	if (h->is_halted && !err_release)
		err_release = await_running(h);
	bw_scan_free(&h->before);
	if (!err_release) {
		bw_scan_guard_disarm(h->guard);
		return err;
	}
	bw_error_free(err);
	return bw_error_wrap(err_release, "letting the waves run on");
}
