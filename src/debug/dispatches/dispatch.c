// SPDX-License-Identifier: MIT
/* Dispatches: finds those of a submission, the one to which a wave belongs, and how many waves of
 * each have run. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/programs_priv.h"
#include "debug/waves/waves_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/shown.h"

enum {
	INDIRECT = 0xffffffffu,
};

static unsigned dispatch_lanes(const struct bw_arch *arch, const struct bw_dispatch_info *x)
{
	return bw_arch_lanes(arch, x->desc.initiator);
}

/* The number of the packet after this one, in as many bits as waves have for it. */
static uint32_t next_packet(const struct bw_debug *d, uint32_t packet)
{
	return (packet + 1) & bw_arch_get(bw_debug_arch(d), BW_WF_PACKET, ~0u);
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

/* The kernarg address by the user SGPRs that the kernel's descriptor asks for. */
static uint64_t kernarg_of(const struct bw_dispatch_info *x)
{
	unsigned at = 0;
	if (!x->kernel)
		return 0;
	if (x->desc.n_args && x->kernel->args && !x->kernel->descriptor)
		return x->desc.block_va;
	if (x->kernel->descriptor || x->kernel->properties) {
		unsigned p = x->kernel->properties;
		if (!(p & BW_KCP_KERNARG_PTR))
			return 0;
		at = bw_kcp_sgpr_of(p, BW_KCP_KERNARG_PTR);
	}
	/* raw machine code: the block's address is in s[0:1] */
	return bw_join32(x->desc.user_data[at + 1], x->desc.user_data[at]);
}

static void free_dispatch(struct bw_dispatch_record *x)
{
	free(x->name);
	free(x->vertex_shader);
	free(x->others);
	free(x->label);
	free(x->levels);
	free(x->push);
	free(x->bindings);
	free(x->args);
	free(x->api_kernel);
}

void bw_dispatches_forget(struct bw_dispatches *x)
{
	bw_vec_each(&x->all, it)
		free_dispatch(it);
	x->all.len = x->held.len = 0;
	x->dropped = x->n_draws = 0;
	free(x->objects);
	x->objects = NULL;
	x->n_objects = 0;
	bw_vec_free(&x->buffers);
	bw_vec_free(&x->standing);
	x->last_buffer = 0;
	x->buffers_found = false;
}

void bw_dispatches_forget_space(struct bw_dispatches *x, uint32_t space)
{
	bw_vec_each(&x->all, it) {
		if (it->info.space != space || it->info.state >= BW_DISPATCH_DONE)
			continue;
		bw_vec_drop(&x->held, submission, *submission == it->info.submission);
		it->info.state = BW_DISPATCH_FAILED;
		it->info.result = -ECANCELED;
	}
	bw_vec_drop(&x->buffers, b, b->space == space);
}

void bw_dispatches_fini(struct bw_dispatches *x)
{
	bw_dispatches_forget(x);
	bw_vec_free(&x->all);
	bw_vec_free(&x->list);
	bw_vec_free(&x->events);
	bw_vec_free(&x->held);
	bw_cl_sources_free(x);
}

/* A program may make millions of dispatches: of those that have ended, only the last ones are
 * kept. */
static void drop_old(struct bw_debug *d)
{
	enum { KEEP = 4096, SLACK = 1024 };
	struct bw_dispatch_record *all = d->dispatches->all.data;
	size_t n = 0;
	if (d->dispatches->all.len < KEEP + SLACK)
		return;
	while (n < SLACK && all[n].info.state >= BW_DISPATCH_DONE)
		free_dispatch(&all[n++]);
	bw_vec_remove_n(&d->dispatches->all, 0, n);
	d->dispatches->dropped += (uint32_t)n;
}

static struct bw_error *refresh_objects(struct bw_debug *d)
{
	struct bw_target_object *all = NULL;
	size_t n = 0;
	if (!bw_target_can(d->target, BW_CAP_OBJECTS))
		return NULL;
	BW_TRY(bw_target_objects(d->target, &all, &n));
	free(d->dispatches->objects);
	d->dispatches->objects = all;
	d->dispatches->n_objects = n;
	d->dispatches->objects_space = d->space;
	return NULL;
}

struct bw_error *bw_debug_objects(struct bw_debug *d, const struct bw_target_object **out,
				  size_t *out_n)
{
	BW_TRY(bw_debug_need_target(d));
	BW_TRY(bw_target_need(d->target, BW_CAP_OBJECTS));
	BW_TRY(refresh_objects(d));
	*out = d->dispatches->objects;
	*out_n = d->dispatches->n_objects;
	return NULL;
}

const struct bw_target_object *bw_debug_pipeline(const struct bw_debug *d, uint32_t id)
{
	for (size_t i = 0; i < d->dispatches->n_objects; i++)
		if (d->dispatches->objects[i].kind == BW_OBJECT_PIPELINE &&
		    d->dispatches->objects[i].id == id)
			return &d->dispatches->objects[i];
	return NULL;
}

/* A program may name an object after it was first seen, so names are asked for again with each
 * submission. */
static struct bw_error *name_dispatch(struct bw_debug *d, struct bw_dispatch_record *x, bool *fresh)
{
	uint32_t id = x->info.desc.pipeline;
	const struct bw_target_object *p =
		id && d->dispatches->objects_space == d->space ? bw_debug_pipeline(d, id) : NULL;
	if (id && !*fresh && (!p || !p->name[0])) {
		BW_TRY(refresh_objects(d));
		*fresh = true;
		p = bw_debug_pipeline(d, id);
	}
	if (p)
		x->pipeline = *p;
	x->levels = strdup(x->info.desc.label ? x->info.desc.label : "");
	x->label = x->levels ? strdup(x->levels) : NULL;
	for (char *c = x->label; c && *c; c++)
		*c = *c == BW_LABEL_SEPARATOR ? '/' : *c;
	/* The command buffer may hold more push constants, if an earlier pipeline had more. */
	if (p)
		x->info.desc.push_b = BW_MIN(x->info.desc.push_b, p->push_b);
	if (x->info.desc.push_b) {
		x->push = malloc(x->info.desc.push_b);
		if (x->push)
			memcpy(x->push, x->info.desc.push, x->info.desc.push_b);
	}
	uint32_t n = x->info.desc.n_bindings;
	x->bindings = n ? malloc(n * sizeof(*x->bindings)) : NULL;
	if (x->bindings)
		memcpy(x->bindings, x->info.desc.bindings, n * sizeof(*x->bindings));
	return x->label && (x->push || !x->info.desc.push_b) && (x->bindings || !n)
		       ? bw_debug_take_args(x)
		       : bw_error_nomem();
}

/* Updates the pointers in info after the dispatch was moved in memory. */
static void point_info(struct bw_dispatch_record *x)
{
	if (x->name)
		x->info.kernel_name = x->info.kernel_title = x->name;
	x->info.vertex_shader = x->vertex_shader;
	x->info.other_shaders = x->others ? x->others : "";
	x->info.label = x->label ? x->label : "";
	x->info.desc.label = x->info.label;
	x->info.desc.push = x->push;
	x->info.desc.bindings = x->bindings;
	x->info.desc.args = x->args;
	x->info.pipeline = x->pipeline.id ? &x->pipeline : NULL;
}

static struct bw_error *fill_dispatch(struct bw_debug *d, const struct bw_target_event *ev,
				      size_t i, bool *fresh, struct bw_dispatch_record *out)
{
	struct bw_dispatch_record x = {0};
	x.info.number = d->dispatches->dropped + (uint32_t)d->dispatches->all.len + 1;
	x.info.submission = ev->submission;
	x.info.queue = ev->queue;
	x.info.space = ev->space;
	x.info.inferior = bw_debug_inferior_of_space(d, ev->space);
	x.info.frame = ev->frame;
	x.info.state = ev->is_running ? BW_DISPATCH_RUNNING : BW_DISPATCH_HELD;
	x.info.desc = ev->dispatches[i];
	d->dispatches->n_draws += x.info.desc.stage == BW_STAGE_VERTEX;
	x.info.draw = x.info.desc.stage ? d->dispatches->n_draws : 0;
	struct bw_error *err = name_dispatch(d, &x, fresh);
	if (!err)
		err = bw_debug_know_code(d, &x);
	if (err) {
		free_dispatch(&x);
		return err;
	}
	point_info(&x);
	*out = x;
	return NULL;
}

/* Sets the packet number of a new dispatch from an earlier one in its queue. */
static void guess_from_last(struct bw_debug *d)
{
	struct bw_dispatch_record *x = &d->dispatches->all.data[d->dispatches->all.len - 1];
	for (size_t i = d->dispatches->all.len - 1; i-- > 0;) {
		const struct bw_dispatch_record *last = &d->dispatches->all.data[i];
		if (last->info.queue != x->info.queue || last->info.draw)
			continue;
		x->packet_guessed = last->packet_known || last->packet_guessed;
		x->packet = next_packet(d, last->packet);
		return;
	}
}

static struct bw_error *add_dispatch(struct bw_debug *d, const struct bw_target_event *ev, size_t i,
				     bool *fresh)
{
	struct bw_dispatch_record x;
	BW_TRY(fill_dispatch(d, ev, i, fresh, &x));
	x.info.kernarg_va = kernarg_of(&x.info);
	const uint32_t *s = x.info.desc.group_size;
	uint64_t items = (uint64_t)s[0] * s[1] * s[2];
	unsigned lanes = dispatch_lanes(bw_debug_arch(d), &x.info);
	x.info.waves_per_group =
		(uint32_t)BW_MIN((items + lanes - 1) / lanes, (uint64_t)UINT32_MAX);
	struct bw_error *err = bw_vec_push(&d->dispatches->all, x);
	if (err) {
		free_dispatch(&x);
		return err;
	}
	bw_vec_each(&d->dispatches->all, it)
		point_info(it);
	if (!x.info.draw)
		guess_from_last(d);
	bw_catch_new_dispatch(d, &d->dispatches->all.data[d->dispatches->all.len - 1]);
	bw_filter_dirty(d); /* the dispatch's waves may have fewer registers */
	return NULL;
}

struct bw_error *bw_debug_on_submit(struct bw_debug *d, const struct bw_target_event *ev)
{
	bool fresh = false;
	BW_TRY(bw_debug_on_space(d, ev->space, ev->pid));
	BW_IN_SPACE(d, ev->space);
	drop_old(d);
	for (size_t i = 0; i < ev->n_dispatches; i++)
		BW_TRY(add_dispatch(d, ev, i, &fresh));
	if (!ev->is_running)
		BW_TRY(bw_vec_push(&d->dispatches->held, ev->submission));
	bw_debug_resolve_breaks(d);
	return NULL;
}

struct bw_error *bw_debug_match_again(struct bw_debug *d)
{
	bw_vec_each(&d->dispatches->all, x) {
		bool from_api = x->info.kernel && x->api_kernel;
		if ((x->info.kernel && !from_api) || x->info.state >= BW_DISPATCH_DONE)
			continue;
		BW_IN_SPACE(d, x->info.space);
		BW_TRY(bw_debug_match_kernel(d, x));
		bw_debug_use_args(x);
		point_info(x);
		x->info.kernarg_va = kernarg_of(&x->info);
	}
	if (bw_target_can(d->target, BW_CAP_RUN))
		return NULL;
	bw_vec_each(&d->waves->stopped, slot) {
		const struct bw_wave_info *w = &d->waves->slots[*slot].info;
		BW_IN_SPACE(d, w->space);
		BW_TRY(bw_debug_match_pc(d, w->pc));
	}
	return NULL;
}

/* Explains the error of a job's fence after Linux has recovered the GPU (amdgpu_job_timedout of
 * 6.12). */
static const char *why_failed(int result)
{
	switch (result) {
	case -ENODATA:
		return "the driver killed its waves";
	case -ECANCELED:
		return "the driver reset its ring or the GPU";
	case -ETIME:
		return "the driver ended it for taking too long";
	default:
		return bw_error_result(result);
	}
}

void bw_debug_on_done(struct bw_debug *d, const struct bw_target_event *ev)
{
	bw_vec_each(&d->dispatches->all, x) {
		if (x->info.submission != ev->submission)
			continue;
		x->info.state = ev->result ? BW_DISPATCH_FAILED : BW_DISPATCH_DONE;
		x->info.result = ev->result;
		bw_catch_on_done(d, x);
		char words[48];
		bw_dispatch_words(&x->info, words);
		if (ev->result)
			bw_debug_note(d, BW_NOTICE_DISPATCH_FAILED, "%s (%s) failed: %s", words,
				      x->info.kernel_title, why_failed(ev->result));
	}
}

struct bw_dispatch_record *bw_debug_dispatch_priv(struct bw_debug *d, uint32_t number)
{
	uint32_t i = number - d->dispatches->dropped - 1;
	return number > d->dispatches->dropped && i < d->dispatches->all.len
		       ? &d->dispatches->all.data[i]
		       : NULL;
}

/* Derives packet numbers of later dispatches from one that is known: the dispatch packets of a
 * queue are numbered consecutively [I], as the virtual GPU does. */
static void guess_packets(struct bw_debug *d, const struct bw_dispatch_record *known)
{
	uint32_t packet = known->packet;
	bw_vec_each(&d->dispatches->all, x) {
		if (x->info.queue != known->info.queue || x->info.draw ||
		    x->info.number <= known->info.number)
			continue;
		packet = next_packet(d, packet);
		if (x->packet_known)
			return;
		x->packet = packet;
		x->packet_guessed = true;
	}
}

/* A wave of a draw says its packet and its stage. The same command buffer may be submitted again
 * meanwhile: then it is the earlier one's. */
static struct bw_dispatch_record *draw_of(struct bw_debug *d, const struct bw_target_wave *hw)
{
	bool pixels = hw->workgroup[1] & BW_DRAW_ROUND_PIXELS;
	bw_vec_each(&d->dispatches->all, x)
		if (x->info.draw && x->info.state == BW_DISPATCH_RUNNING &&
		    x->info.space == hw->space &&
		    (x->info.desc.stage == BW_STAGE_PIXEL) == pixels &&
		    (uint32_t)x->info.desc.packet_va == hw->workgroup[2])
			return x;
	return NULL;
}

/* Several dispatches may run at once. The evidence for one of them, the strongest first: the packet
 * number that SPI gave its waves (if it is known from another wave), the code, the grid. */
struct bw_dispatch_record *bw_debug_dispatch_of(struct bw_debug *d, const struct bw_target_wave *hw)
{
	struct bw_dispatch_record *best = NULL;
	int best_score = 0;

	if (hw->dispatch_packet == BW_PACKET_OF_DRAW(bw_debug_arch(d)) &&
	    hw->wave_in_group != BW_GROUP_UNKNOWN)
		return draw_of(d, hw);
	bw_vec_each(&d->dispatches->all, x) {
		int score = 1;
		if (x->info.draw || x->info.state != BW_DISPATCH_RUNNING ||
		    x->info.space != hw->space)
			continue;
		if (x->packet_known)
			score += x->packet == hw->dispatch_packet ? 16 : -16;
		else if (x->packet_guessed)
			score += x->packet == hw->dispatch_packet ? 8 : -8;
		if (x->kernel_end)
			score += hw->pc >= x->kernel_start && hw->pc < x->kernel_end ? 8 : -2;
		if (dispatch_lanes(bw_debug_arch(d), &x->info) == hw->lanes)
			score += 2;
		if (grid_known(&x->info) && hw->wave_in_group != BW_GROUP_UNKNOWN) {
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
		guess_packets(d, best);
	}
	return best;
}

/* The number of running dispatches of which no wave has been seen. If there are two or more, the
 * order decides. */
static size_t count_unknown(const struct bw_debug *d)
{
	size_t n = 0;
	bw_vec_each(&d->dispatches->all, x)
		n += x->info.state == BW_DISPATCH_RUNNING && !x->info.draw && !x->packet_known &&
		     !x->packet_guessed;
	return n;
}

struct stop_order {
	uint32_t slot, packet;
};

static int by_packet(const void *pa, const void *pb)
{
	const struct stop_order *a = pa, *b = pb;
	if (a->packet != b->packet)
		return a->packet < b->packet ? -1 : 1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

void bw_debug_order_stops(struct bw_debug *d, uint32_t *slots, size_t n)
{
	if (n < 2 || count_unknown(d) < 2)
		return;
	_cleanup_free_ struct stop_order *order = calloc(n, sizeof(*order));
	for (size_t i = 0; order && i < n; i++) {
		struct bw_target_wave hw;
		struct bw_error *err = bw_target_read_wave(d->target, slots[i], &hw);
		order[i] = (struct stop_order){slots[i], err ? 0 : hw.dispatch_packet};
		bw_error_free(err);
	}
	if (!order)
		return;
	qsort(order, n, sizeof(*order), by_packet);
	for (size_t i = 0; i < n; i++)
		slots[i] = order[i].slot;
}

/* ---- Counting ---- */

/* The number of workgroups of this kernel that fit on the device at once, limited by waves per
 * SIMD, LDS and VGPRs. An upper bound, because resources that others use are not known. */
static uint64_t capacity_groups(const struct bw_target_facts *f, const struct bw_dispatch_info *x)
{
	uint64_t waves = x->waves_per_group ? x->waves_per_group : 1;
	uint64_t simd_waves = f->waves_per_simd;
	unsigned lanes = dispatch_lanes(f->arch, x);
	const struct bw_target_dispatch *desc = &x->desc;
	const struct bw_arch_resources has =
		bw_arch_resources(f->arch, lanes, desc->rsrc1, desc->rsrc2, desc->tmpring_size);

	if (f->vgprs_per_simd) /* VGPRs of 32 lanes */
		simd_waves = BW_MIN(simd_waves, f->vgprs_per_simd / (has.vgprs * (lanes / 32)));
	uint64_t per_wgp = simd_waves * f->simd_per_wgp / waves;
	if (has.lds_b && f->lds_per_wgp_b)
		per_wgp = BW_MIN(per_wgp, f->lds_per_wgp_b / has.lds_b);
	return BW_MAX(per_wgp, 1u) * f->n_se * f->sa_per_se * f->wgp_per_sa;
}

/* Whether a dispatch before this one in its queue, or one after it, has a stopped wave. */
static bool stopped_beside(const struct bw_debug *d, const struct bw_dispatch_record *x, bool after)
{
	for (size_t i = 0; i < d->waves->stopped.len; i++) {
		const struct bw_wave_info *w = &bw_stopped_wave(d, i)->info;
		if (w->queue == x->info.queue && w->dispatch &&
		    (after ? w->dispatch > x->info.number : w->dispatch < x->info.number))
			return true;
	}
	return false;
}

/* A queue launches in order, so a dispatch has been launched when a later one of its queue has
 * waves. */
enum bw_begun bw_debug_has_begun(const struct bw_debug *d, const struct bw_dispatch_record *x)
{
	if (x->info.state != BW_DISPATCH_RUNNING)
		return x->info.state == BW_DISPATCH_HELD ? BW_BEGUN_NOT : BW_BEGUN_YES;
	if (x->launched_groups || x->packet_known || stopped_beside(d, x, true))
		return BW_BEGUN_YES;
	return stopped_beside(d, x, false) ? BW_BEGUN_NOT : BW_BEGUN_UNKNOWN;
}

struct bw_error *bw_debug_count_waves(struct bw_debug *d, uint32_t number,
				      struct bw_wave_count *out)
{
	struct bw_wave_count c = {.dispatch = number};
	struct bw_dispatch_record *x = bw_debug_dispatch_priv(d, number);
	if (!x)
		return bw_errorf(BW_E_NOT_FOUND, "There is no dispatch %u", number);

	for (size_t i = 0; i < d->waves->stopped.len; i++)
		if (bw_stopped_wave(d, i)->info.dispatch == number)
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
		c.running = BW_MIN(rest, (uint64_t)d->waves->unstoppable);
		rest -= c.running;
		if (d->state == BW_DEBUG_RUNNING) {
			c.running += rest;
			break;
		}
		/* Workgroups are launched in order. Those after the last one that was seen have not
		 * been launched if the device was full; if there was room for them, they have run
		 * and ended. */
		uint64_t resident = (c.stopped + c.running + per_group - 1) / BW_MAX(per_group, 1u);
		uint64_t room = capacity_groups(&d->target->facts, &x->info);
		uint64_t behind = groups - BW_MIN(groups, x->launched_groups);
		/* Programs put barriers between dispatches: so a dispatch has not begun when no
		 * wave of it has been seen and an earlier one has not ended. */
		if (!x->launched_groups && stopped_beside(d, x, false)) {
			c.waiting = rest;
			break;
		}
		if (c.stopped + c.running > 0 && resident * 8 >= room * 7)
			c.waiting = BW_MIN(rest, behind * per_group);
		c.finished = rest - c.waiting;
		break;
	}
	*out = c;
	return NULL;
}
