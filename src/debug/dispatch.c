// SPDX-License-Identifier: MIT
/* Dispatches: what a submission brings, which of them a wave belongs to, what became of its waves.
 */
#include "debug/debug_priv.h"

#include <string.h>

#include "base/cleanup.h"

enum {
	INITIATOR_CS_W32_EN = 1u << 15, /* COMPUTE_DISPATCH_INITIATOR */
	INDIRECT = 0xffffffffu,
};

static unsigned dispatch_lanes(const struct bw_dispatch_info *x)
{
	return x->desc.initiator & INITIATOR_CS_W32_EN ? 32 : 64;
}

static bool grid_known(const struct bw_dispatch_info *x)
{
	const uint32_t *g = x->desc.groups;
	return g[0] != INDIRECT && g[1] != INDIRECT && g[2] != INDIRECT;
}

static uint64_t groups_of(const struct bw_dispatch_info *x)
{
	const uint32_t *g = x->desc.groups;
	/* 2^96 does not occur on a GPU, and must not wrap here */
	uint64_t xy = (uint64_t)g[0] * g[1];
	return g[2] && xy > UINT64_MAX / g[2] ? UINT64_MAX : xy * g[2];
}

/* The kernarg address by the user SGPRs that the kernel's descriptor asks for (reference debug-info
 * 3): private buffer 4, dispatch pointer 2, queue pointer 2, then the kernarg pointer. */
static uint64_t kernarg_of(const struct bw_dispatch_info *x)
{
	unsigned at = 0;
	if (!x->kernel)
		return 0;
	if (x->kernel->descriptor || x->kernel->properties) {
		unsigned p = x->kernel->properties;
		if (!(p & 1u << 3))
			return 0;
		at = (p & 1 ? 4 : 0) + (p & 2 ? 2 : 0) + (p & 4 ? 2 : 0);
	}
	/* raw machine code: the block's address is in s[0:1] */
	return x->desc.user_data[at] | (uint64_t)x->desc.user_data[at + 1] << 32;
}

static struct bw_error *add_dispatch(struct bw_debug *d, const struct bw_target_event *ev, size_t i)
{
	struct bw_dispatch x = {0};
	x.info.number = (uint32_t)d->dispatches.len + 1;
	x.info.submission = ev->submission;
	x.info.queue = ev->queue;
	x.info.state = BW_DISPATCH_HELD;
	x.info.desc = ev->dispatches[i];
	BW_TRY(bw_debug_match_kernel(d, &x));
	x.info.kernarg_va = kernarg_of(&x.info);
	const uint32_t *s = x.info.desc.group_size;
	uint64_t items = (uint64_t)s[0] * s[1] * s[2];
	unsigned lanes = dispatch_lanes(&x.info);
	x.info.waves_per_group =
		(uint32_t)BW_MIN((items + lanes - 1) / lanes, (uint64_t)UINT32_MAX);
	return bw_vec_push(&d->dispatches, x);
}

struct bw_error *bw_debug_on_submit(struct bw_debug *d, const struct bw_target_event *ev)
{
	for (size_t i = 0; i < ev->n_dispatches; i++)
		BW_TRY(add_dispatch(d, ev, i));
	BW_TRY(bw_vec_push(&d->held, ev->submission));
	bw_debug_resolve_breaks(d);
	return NULL;
}

void bw_debug_on_done(struct bw_debug *d, const struct bw_target_event *ev)
{
	bw_vec_each(&d->dispatches, x) {
		if (x->info.submission != ev->submission)
			continue;
		x->info.state = ev->result ? BW_DISPATCH_FAILED : BW_DISPATCH_DONE;
		x->info.result = ev->result;
		if (ev->result)
			bw_debug_note(d, BW_NOTICE_DISPATCH_FAILED, "dispatch %u (%s) failed: %s",
				      x->info.number, x->info.kernel_name, strerror(-ev->result));
	}
}

struct bw_dispatch *bw_debug_dispatch_priv(struct bw_debug *d, uint32_t number)
{
	return number >= 1 && number <= d->dispatches.len ? &d->dispatches.data[number - 1] : NULL;
}

const struct bw_dispatch_info *bw_debug_dispatches(struct bw_debug *d, size_t *out_n)
{
	d->dispatch_list.len = 0;
	*out_n = 0;
	bw_vec_each(&d->dispatches, x) {
		struct bw_error *err = bw_vec_push(&d->dispatch_list, x->info);
		if (err) {
			bw_error_free(err);
			break;
		}
	}
	*out_n = d->dispatch_list.len;
	return d->dispatch_list.data;
}

const struct bw_dispatch_info *bw_debug_dispatch(struct bw_debug *d, uint32_t number)
{
	struct bw_dispatch *x = bw_debug_dispatch_priv(d, number);
	return x ? &x->info : NULL;
}

/* Several dispatches may be under way. What speaks for one, the strongest first: the packet number
 * that SPI gave its waves (where it is known from another wave), the code, the grid. */
struct bw_dispatch *bw_debug_dispatch_of(struct bw_debug *d, const struct bw_target_wave *hw)
{
	struct bw_dispatch *best = NULL;
	int best_score = 0;

	bw_vec_each(&d->dispatches, x) {
		int score = 1;
		if (x->info.state != BW_DISPATCH_RUNNING)
			continue;
		if (x->packet_known)
			score += x->packet == hw->dispatch_packet ? 16 : -16;
		if (x->kernel_end)
			score += hw->pc >= x->kernel_start && hw->pc < x->kernel_end ? 8 : -2;
		if (dispatch_lanes(&x->info) == hw->lanes)
			score += 2;
		if (grid_known(&x->info)) {
			for (int i = 0; i < 3; i++)
				if (hw->workgroup[i] >= x->info.desc.groups[i])
					score -= 8;
		}
		if (!best || score > best_score) {
			best = x;
			best_score = score;
		}
	}
	if (best && !best->packet_known) {
		best->packet = hw->dispatch_packet;
		best->packet_known = true;
	}
	return best;
}

/* ---- Counting ---- */

/* How many groups of this kernel fit on the device at once, as the dispatcher would place them:
 * waves per SIMD, LDS and VGPRs. An estimate from above: what is taken by others is not known. */
static uint64_t capacity_groups(const struct bw_target_facts *f, const struct bw_dispatch_info *x)
{
	uint64_t waves = x->waves_per_group ? x->waves_per_group : 1;
	uint64_t simd_waves = f->waves_per_simd;
	unsigned lanes = dispatch_lanes(x);

	if (f->vgprs_per_simd) {
		/* RSRC1.VGPRS counts in 8 (wave32) or 4 (wave64) registers of the wave's width */
		uint64_t vgprs =
			(bw_bits(x->desc.rsrc1, 5, 0) + 1) * (lanes == 32 ? 8 : 4) * (lanes / 32);
		simd_waves = BW_MIN(simd_waves, f->vgprs_per_simd / vgprs);
	}
	uint64_t per_wgp = simd_waves * f->simd_per_wgp / waves;
	/* RSRC2.LDS_SIZE 23:15 in units of 128 dwords */
	uint64_t lds_b = bw_bits(x->desc.rsrc2, 23, 15) * 512;
	if (lds_b && f->lds_per_wgp_b)
		per_wgp = BW_MIN(per_wgp, f->lds_per_wgp_b / lds_b);
	return BW_MAX(per_wgp, 1u) * f->n_se * f->sa_per_se * f->wgp_per_sa;
}

struct bw_error *bw_debug_count_waves(struct bw_debug *d, uint32_t number,
				      struct bw_wave_count *out)
{
	struct bw_wave_count c = {.dispatch = number};
	struct bw_dispatch *x = bw_debug_dispatch_priv(d, number);
	if (!x)
		return bw_errorf(BW_E_NOT_FOUND, "There is no dispatch %u", number);

	for (size_t i = 0; i < d->stopped.len; i++)
		if (d->slots[d->stopped.data[i]].info.dispatch == number)
			c.stopped++;
	c.known = grid_known(&x->info);
	if (!c.known) {
		*out = c;
		return NULL;
	}
	uint64_t groups = groups_of(&x->info), per_group = x->info.waves_per_group;
	c.total = groups > UINT64_MAX / BW_MAX(per_group, 1u) ? UINT64_MAX : groups * per_group;
	uint64_t rest = c.total - BW_MIN(c.total, c.stopped);
	switch (x->info.state) {
	case BW_DISPATCH_HELD:
		c.waiting = rest;
		break;
	case BW_DISPATCH_DONE:
	case BW_DISPATCH_FAILED:
		c.finished = rest;
		break;
	case BW_DISPATCH_RUNNING:
		c.running = BW_MIN(rest, (uint64_t)d->unstoppable);
		rest -= c.running;
		if (d->state == BW_DEBUG_RUNNING) {
			c.running += rest;
			break;
		}
		/* Groups are launched in order. Those behind the last one seen have not been
		 * launched if the device was full, and have come and gone if there was room for
		 * them. */
		uint64_t resident = (c.stopped + c.running + per_group - 1) / BW_MAX(per_group, 1u);
		uint64_t room = capacity_groups(&d->target->facts, &x->info);
		uint64_t behind = groups - BW_MIN(groups, x->launched_groups);
		if (c.stopped + c.running > 0 && resident * 8 >= room * 7)
			c.waiting = BW_MIN(rest, behind * per_group);
		c.finished = rest - c.waiting;
		break;
	}
	*out = c;
	return NULL;
}
