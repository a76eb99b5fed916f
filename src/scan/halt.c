/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "base/cleanup.h"
#include "scan/halt.h"

static bool same_place(const struct bw_place *a, const struct bw_place *b)
{
	return a->se == b->se && a->sa == b->sa && a->wgp == b->wgp && a->simd == b->simd &&
	       a->wave == b->wave;
}

/* By somebody else, who may rely on it. */
static bool was_halted(const struct bw_scan_waves *before, const struct bw_place *p)
{
	bw_vec_each(before, w)
		if (same_place(&w->place, p))
			return bw_wave_get(&w->wave.state, BW_WF_HALTED);
	return false;
}

static bool has_ended(const struct bw_scan_halt *h)
{
	return h->has_ended && *h->has_ended;
}

/* A guard that resumes all waves, those too that were halted before: it comes when nobody can say
 * any more which these are. */
static struct bw_error *start_guard(struct bw_scan_halt *h)
{
	struct bw_guard_write resume;
	BW_TRY(bw_scan_halt_command(h->gpu, false, &resume));
	BW_TRY(bw_guard_start(&h->guard, h->gpu->kmd, NULL));
	if (h->gpu->is_held)
		BW_TRY(bw_guard_add_gfxoff(&h->guard));
	return bw_guard_add_write(&h->guard, &resume);
}

struct bw_error *bw_scan_halt_begin(struct bw_scan_halt *h)
{
	const struct bw_scan all = {.gpu = h->gpu, .vmid = -1, .has_ended = h->has_ended};
	BW_TRY(bw_scan_run(&all, &h->before));
	bw_vec_each(&h->before, w)
		h->n_were_halted += bw_wave_get(&w->wave.state, BW_WF_HALTED) != 0;
	if (has_ended(h))
		return NULL;
	BW_TRY(start_guard(h));
	h->is_halted = true;
	return bw_scan_halt_all(h->gpu, true);
}

/* One by one only where some must stay halted: a wave that came in between is in neither list, and
 * is not halted. What is halted is released even after a signal. */
static struct bw_error *release(struct bw_scan_halt *h)
{
	struct bw_scan_waves now = {0};
	const struct bw_scan all = {.gpu = h->gpu, .vmid = -1};
	if (!h->n_were_halted)
		return bw_scan_halt_all(h->gpu, false);
	struct bw_error *err = bw_scan_run(&all, &now);
	bw_vec_each(&now, w)
		if (!err && !was_halted(&h->before, &w->place))
			err = bw_scan_release(h->gpu, &w->place);
	bw_scan_free(&now);
	return err;
}

/* Hardware's waves run on at once; the virtual GPU's threads must first be scheduled on the host.
 * Who halts next must not take a wave for one that somebody else has halted. */
static struct bw_error *await_running(struct bw_scan_halt *h)
{
	enum { PATIENCE_MS = 5000 };
	const struct bw_scan all = {.gpu = h->gpu, .vmid = -1, .has_ended = h->has_ended};
	bool is_halted = true;
	for (unsigned ms = 0; ms < PATIENCE_MS && is_halted && !has_ended(h); ms++) {
		struct bw_scan_waves now = {0};
		struct bw_error *err = bw_scan_run(&all, &now);
		is_halted = false;
		bw_vec_each(&now, w)
			is_halted |= bw_wave_get(&w->wave.state, BW_WF_HALTED) &&
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
	bool runs = !err_release;
	if (h->is_halted && runs)
		err_release = await_running(h);
	h->is_halted = false;
	bw_scan_free(&h->before);
	if (runs)
		bw_guard_end(&h->guard);
	else
		bw_guard_restore(&h->guard);
	if (!err_release)
		return err;
	bw_error_free(err);
	return bw_error_wrap(err_release, "letting the waves run on");
}
