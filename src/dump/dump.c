/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "dump/dump_priv.h"

/* ---- What there is ---- */

/* What the files tell first, each once: who, what was submitted, and that all has stopped. */
enum event { PROGRAM, SUBMIT_DONE, DONE, SUBMIT_RUNNING, SUBMIT_WAITING, STOPPED, N_EVENTS };

static bool submit(struct bw_dump *d, enum bw_dump_state state, struct bw_target_event *out)
{
	const struct bw_dump_dispatches *list = &d->dispatches[state];
	if (!list->len)
		return false;
	*out = (struct bw_target_event){.kind = BW_EVENT_SUBMIT,
					.space = 1,
					.submission = state + 1u,
					.queue = 1,
					.is_running = state != BW_DUMP_WAITING,
					.dispatches = list->data,
					.n_dispatches = list->len};
	return true;
}

static bool event(struct bw_dump *d, enum event e, struct bw_target_event *out)
{
	const struct bw_crash_dump *dump = d->crash->dumps.len ? &d->crash->dumps.data[0] : NULL;
	switch (e) {
	case PROGRAM:
		*out = (struct bw_target_event){.kind = BW_EVENT_PROGRAM};
		if (!dump || !dump->process[0])
			return false;
		out->pid = (pid_t)(dump->tgid ? dump->tgid : dump->pid);
		snprintf(out->comm, sizeof(out->comm), "%.15s", dump->process);
		return true;
	case SUBMIT_DONE:
		return submit(d, BW_DUMP_DONE, out);
	case DONE:
		*out = (struct bw_target_event){
			.kind = BW_EVENT_DONE, .space = 1, .submission = BW_DUMP_DONE + 1};
		return d->dispatches[BW_DUMP_DONE].len > 0;
	case SUBMIT_RUNNING:
		return submit(d, BW_DUMP_RUNNING, out);
	case SUBMIT_WAITING:
		return submit(d, BW_DUMP_WAITING, out);
	case STOPPED:
		*out = (struct bw_target_event){.kind = BW_EVENT_STOP};
		return true;
	case N_EVENTS:
		break;
	}
	return false;
}

static struct bw_error *dump_wait(struct bw_target *t, int timeout_ms, struct bw_target_event *out)
{
	struct bw_dump *d = bw_dump_of(t);
	if (__atomic_exchange_n(&d->interrupted, false, __ATOMIC_SEQ_CST)) {
		*out = (struct bw_target_event){.kind = BW_EVENT_INTERRUPT};
		return NULL;
	}
	while (d->next_event < N_EVENTS)
		if (event(d, (enum event)d->next_event++, out))
			return NULL;
	if (timeout_ms < 0)
		return bw_errorf(BW_E_STATE,
				 "nothing runs in a crash file: there is no event to wait for");
	*out = (struct bw_target_event){.kind = BW_EVENT_NONE};
	return NULL;
}

static void dump_interrupt(struct bw_target *t)
{
	__atomic_store_n(&bw_dump_of(t)->interrupted, true, __ATOMIC_SEQ_CST);
}

static bool dump_is_interrupted(struct bw_target *t)
{
	return __atomic_load_n(&bw_dump_of(t)->interrupted, __ATOMIC_SEQ_CST);
}

static void dump_forget_interrupt(struct bw_target *t)
{
	__atomic_store_n(&bw_dump_of(t)->interrupted, false, __ATOMIC_SEQ_CST);
}

static struct bw_error *dump_fault(struct bw_target *t, struct bw_target_fault *out)
{
	const struct bw_crash *c = bw_dump_of(t)->crash;
	*out = (struct bw_target_fault){.present = false};
	bw_vec_each(&c->dumps, dump)
		if (!out->present && dump->has_fault && dump->fault_status)
			*out = (struct bw_target_fault){.present = true,
							.va = bw_canonical(dump->fault_address),
							.status = dump->fault_status,
							.vmhub = dump->fault_hub};
	bw_vec_each(&c->log.faults, f)
		if (!out->present && f->has_status && f->status && f->has_address)
			*out = (struct bw_target_fault){.present = true,
							.va = bw_canonical(f->address),
							.status = f->status,
							.vmhub = f->hub};
	return NULL;
}

static void dump_close(struct bw_target *t)
{
	struct bw_dump *d = bw_dump_of(t);
	bw_vec_free(&d->pieces);
	for (size_t i = 0; i < BW_DUMP_STATES; i++)
		bw_vec_free(&d->dispatches[i]);
	free(d->slots);
	free(d);
}

static const struct bw_target_ops ops = {
	.close = dump_close,
	.wait = dump_wait,
	.interrupt = dump_interrupt,
	.forget_interrupt = dump_forget_interrupt,
	.is_interrupted = dump_is_interrupted,
	.stopped = bw_dump_stopped,
	.is_stopped = bw_dump_is_stopped,
	.read_wave = bw_dump_read_wave,
	.read_sgprs = bw_dump_read_sgprs,
	.read_vgpr = bw_dump_read_vgpr,
	.read = bw_dump_read,
	.fault = dump_fault,
	.maps = bw_dump_maps,
	.objects = bw_dump_objects,
	.shader = bw_dump_shader,
};

/* ---- Opening ---- */

/* The generation that the files name. */
static struct bw_error *find_arch(struct bw_dump *d, uint32_t gc)
{
	struct bw_gpuvm_part part;
	bw_vec_each(&d->crash->dumps, dump)
		if (!gc && bw_crash_part(dump, &part))
			gc = part.gc;
	if (!gc)
		gc = d->crash->log.gc ? d->crash->log.gc : d->crash->report.gc;
	if (!gc)
		return bw_errorf(BW_E_NOT_FOUND,
				 "the file does not say which GPU it is of: --gfx VERSION does "
				 "(gfx1100, 11.0, ...), or of a hang report open the whole folder, "
				 "which has gpu_info.log");
	d->t.facts.arch = bw_arch_of_code(gc);
	if (!d->t.facts.arch)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"the file is of a GPU with GC %u.%u.%u, whose code is not known here; "
			"\"breakwater crash\" says what is in the file",
			BW_IP_NUMBERS(gc));
	bw_arch_gfx_name(gc, d->t.facts.gfx, sizeof(d->t.facts.gfx));
	return NULL;
}

struct bw_error *bw_dump_open(const struct bw_target_source *source, struct bw_target **out)
{
	struct bw_dump *d = calloc(1, sizeof(*d));
	if (!d)
		return bw_error_nomem();
	d->t = (struct bw_target){.ops = &ops,
				  .kind = "a crash file",
				  .instead = "that needs a running GPU",
				  .is_past = true,
				  .caps = BW_CAP_FAULT};
	d->crash = source->crash;
	if (d->crash->report.ranges.len)
		d->t.caps |= BW_CAP_MAPS;
	if (d->crash->report.shaders.len)
		d->t.caps |= BW_CAP_OBJECTS;
	snprintf(d->t.facts.name, sizeof(d->t.facts.name), "crash file");
	struct bw_error *err = find_arch(d, source->gc);
	if (!err)
		err = bw_dump_place_waves(d);
	if (!err)
		err = bw_dump_find_memory(d);
	if (!err)
		err = bw_dump_find_dispatches(d);
	if (err) {
		dump_close(&d->t);
		return err;
	}
	*out = &d->t;
	return NULL;
}
