/* SPDX-License-Identifier: MIT */
#include "crash/incidents.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

const struct bw_crash_fault *bw_crash_fault_of(const struct bw_crash_log *log,
					       const struct bw_crash_item *item)
{
	return item->is_fault ? &log->faults.data[item->index] : NULL;
}

const struct bw_crash_event *bw_crash_event_of(const struct bw_crash_log *log,
					       const struct bw_crash_item *item)
{
	return item->is_fault ? NULL : &log->events.data[item->index];
}

int bw_crash_fault_vmid(const struct bw_crash_fault *f)
{
	if (f->has_first)
		return (int)f->vmid;
	enum bw_gpuvm_gen gen = f->has_gen ? f->gen : BW_GPUVM_GFX11;
	return f->has_status && f->status ? bw_gpuvm_status_decode(gen, f->status).vmid : -1;
}

/* ---- items ---- */

static void push(struct bw_crash_incidents *in, struct bw_crash_item item)
{
	struct bw_error *err = bw_vec_push(&in->items, item);
	in->failed |= err != NULL;
	bw_error_free(err);
}

static int by_time(const void *a, const void *b)
{
	const struct bw_crash_item *x = a, *y = b;
	return (x->when.order > y->when.order) - (x->when.order < y->when.order);
}

/* Lines like "[drm] VRAM is lost" name no GPU: they are of the only one, or of the one that the
 * line before them is of. */
static void guess_devices(struct bw_crash_incidents *in)
{
	const char *before = "";
	size_t n_unknown = 0;
	bw_vec_each(&in->items, item) {
		bool is_known = !*item->device;
		for (struct bw_crash_item *k = in->items.data; k < item && !is_known; k++)
			is_known = !strcmp(k->device, item->device);
		in->n_devices += !is_known;
		n_unknown += !*item->device;
	}
	/* forwards, then the first ones of a file by what follows */
	unsigned file = 0;
	bw_vec_each(&in->items, item) {
		if (*item->device || item->when.file != file)
			before = item->device;
		file = item->when.file;
		item->device = before;
	}
	for (size_t i = in->items.len; n_unknown && i-- > 1;) {
		struct bw_crash_item *item = &in->items.data[i - 1];
		if (!*item->device && item->when.file == item[1].when.file)
			item->device = item[1].device;
	}
}

static void collect(const struct bw_crash_log *log, struct bw_crash_incidents *in)
{
	for (size_t i = 0; i < log->faults.len; i++)
		push(in, (struct bw_crash_item){true, i, log->faults.data[i].when,
						log->faults.data[i].device});
	for (size_t i = 0; i < log->events.len; i++)
		push(in, (struct bw_crash_item){false, i, log->events.data[i].when,
						log->events.data[i].device});
	if (in->items.len)
		qsort(in->items.data, in->items.len, sizeof(in->items.data[0]), by_time);
	guess_devices(in);
}

/* ---- where an incident ends ---- */

/* The effect of each kind of event on incidents. One that does not begin an incident belongs to the
 * one before it. */
enum { BEGINS = 1, ENDS = 2 };
static const uint8_t roles[BW_CRASH_N_KINDS] = {
	[BW_CRASH_TIMEOUT] = BEGINS,	      [BW_CRASH_SOFT_RECOVERED] = BEGINS | ENDS,
	[BW_CRASH_RING_RESET_DONE] = ENDS,    [BW_CRASH_RESET_BEGIN] = BEGINS,
	[BW_CRASH_RESET_SKIPPED] = ENDS,      [BW_CRASH_RESET_DONE] = ENDS,
	[BW_CRASH_RESET_FAILED] = ENDS,	      [BW_CRASH_RECOVERY_OFF] = ENDS,
	[BW_CRASH_UNPLUGGED] = BEGINS | ENDS, [BW_CRASH_NO_ANSWER] = BEGINS,
	[BW_CRASH_NO_SMU] = BEGINS,	      [BW_CRASH_HARDWARE_ERROR] = BEGINS,
	[BW_CRASH_CORRECTED] = BEGINS,	      [BW_CRASH_COMMAND_ERROR] = BEGINS,
	[BW_CRASH_WAVE_ERROR] = BEGINS,	      [BW_CRASH_RUNTIME_ERROR] = BEGINS,
	[BW_CRASH_SUPPRESSED] = BEGINS, /* of faults, whose lines follow */
};

/* The incident of one GPU that is not over yet. */
struct open {
	const char *device;
	unsigned file, boot;
	bool is_closed, had_reset;
	struct bw_crash_time last;
	size_t id;
	struct BW_VEC(const char *) rings; /* that did not finish */
};

static bool is_of(const struct open *o, const struct bw_crash_item *item)
{
	return o->file == item->when.file && o->boot == item->when.boot &&
	       !strcmp(o->device, item->device);
}

/* Faults of the kernel driver right after a reset come from it. */
static bool follows_reset(const struct open *o, const struct bw_crash_fault *f, double gap_s)
{
	enum { SOON_S = 10 };
	return f && o->had_reset && bw_crash_fault_vmid(f) == 0 && gap_s <= SOON_S;
}

static bool hung_before(const struct open *o, const struct bw_crash_event *e)
{
	if (!e || e->kind != BW_CRASH_TIMEOUT)
		return false;
	bw_vec_each(&o->rings, ring)
		if (!strcmp(*ring, e->ring))
			return true;
	return false;
}

static bool continues(const struct open *o, const struct bw_crash_item *item,
		      const struct bw_crash_log *log)
{
	enum { QUIET_S = 120 };
	const struct bw_crash_fault *f = bw_crash_fault_of(log, item);
	const struct bw_crash_event *e = bw_crash_event_of(log, item);
	double gap_s = 0;
	if (bw_crash_time_between(o->last, item->when.time, &gap_s) && gap_s > QUIET_S)
		return false;
	if (hung_before(o, e))
		return false;
	return !o->is_closed || (e && !(roles[e->kind] & BEGINS)) || follows_reset(o, f, gap_s);
}

static bool note(struct open *o, const struct bw_crash_item *item, const struct bw_crash_log *log)
{
	const struct bw_crash_event *e = bw_crash_event_of(log, item);
	struct bw_error *err = NULL;
	if (item->when.time.clock)
		o->last = item->when.time;
	if (!e)
		return true;
	o->is_closed |= (roles[e->kind] & ENDS) != 0;
	o->had_reset |= e->kind == BW_CRASH_RING_RESET_DONE || e->kind == BW_CRASH_RESET_BEGIN ||
			e->kind == BW_CRASH_RESET_DONE;
	if (e->kind == BW_CRASH_TIMEOUT)
		err = bw_vec_push(&o->rings, e->ring);
	bw_error_free(err);
	return !err;
}

/* ---- putting together ---- */

struct owned {
	size_t id;
	struct bw_crash_item item;
};

static int by_incident(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;
	return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : by_time(&x->item, &y->item);
}

/* Gives each item the number of its incident; those are numbered by their first items. */
static bool assign(const struct bw_crash_log *log, struct bw_crash_incidents *in,
		   struct owned *owned)
{
	struct BW_VEC(struct open) open = {0};
	size_t n = 0;
	bool ok = true;
	for (size_t i = 0; i < in->items.len && ok; i++) {
		const struct bw_crash_item *item = &in->items.data[i];
		struct open *o = NULL;
		bw_vec_each(&open, k)
			if (is_of(k, item))
				o = k;
		if (!o) {
			struct bw_error *err = bw_vec_push(&open, (struct open){0});
			ok = !err;
			bw_error_free(err);
			o = ok ? &open.data[open.len - 1] : NULL;
		}
		if (!ok)
			break;
		if (!o->device || !continues(o, item, log)) {
			bw_vec_free(&o->rings);
			*o = (struct open){.device = item->device,
					   .file = item->when.file,
					   .boot = item->when.boot,
					   .id = n++};
		}
		owned[i] = (struct owned){o->id, *item};
		ok = note(o, item, log);
	}
	bw_vec_each(&open, o)
		bw_vec_free(&o->rings);
	bw_vec_free(&open);
	return ok;
}

void bw_crash_incidents_of(const struct bw_crash_log *log, struct bw_crash_incidents *out)
{
	*out = (struct bw_crash_incidents){0};
	collect(log, out);
	struct owned *owned = calloc(out->items.len + 1, sizeof(*owned));
	if (!owned || out->failed || !assign(log, out, owned)) {
		out->failed = true;
		free(owned);
		return;
	}
	qsort(owned, out->items.len, sizeof(*owned), by_incident);
	for (size_t i = 0; i < out->items.len; i++) {
		out->items.data[i] = owned[i].item;
		if (!i || owned[i].id != owned[i - 1].id) {
			const struct bw_crash_incident next = {.first = i};
			struct bw_error *err = bw_vec_push(&out->list, next);
			out->failed |= err != NULL;
			bw_error_free(err);
			if (err)
				break;
		}
		out->list.data[out->list.len - 1].n++;
	}
	free(owned);
}

void bw_crash_incidents_free(struct bw_crash_incidents *in)
{
	bw_vec_free(&in->items);
	bw_vec_free(&in->list);
}
