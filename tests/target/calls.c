// SPDX-License-Identifier: MIT
/* At least one call of each capability, for a target that lacks it. */
#include "conformance.h"

#include <stdlib.h>

#include "target/draws.h"

static uint32_t words[64];

static struct bw_error *do_run(struct target_fixture *f, uint32_t slot)
{
	return bw_target_step(f->t, slot);
}

static struct bw_error *do_resume(struct target_fixture *f, uint32_t slot)
{
	return bw_target_resume(f->t, &slot, 1);
}

static struct bw_error *do_stop_all(struct target_fixture *f, uint32_t slot)
{
	return bw_target_stop_all(f->t, words);
}

static struct bw_error *do_release(struct target_fixture *f, uint32_t slot)
{
	return bw_target_release(f->t, 1);
}

static struct bw_error *do_write_reg(struct target_fixture *f, uint32_t slot)
{
	return bw_target_write_reg(f->t, slot, BW_TREG_M0, 1);
}

static struct bw_error *do_write_sgpr(struct target_fixture *f, uint32_t slot)
{
	return bw_target_write_sgpr(f->t, slot, f->known.sgpr, 1);
}

static struct bw_error *do_write_vgpr(struct target_fixture *f, uint32_t slot)
{
	return bw_target_write_vgpr(f->t, slot, f->known.vgpr, f->known.lane, 1);
}

static struct bw_error *do_write(struct target_fixture *f, uint32_t slot)
{
	return bw_target_write(f->t, f->known.data_va, words, 4);
}

static struct bw_error *do_read_lds(struct target_fixture *f, uint32_t slot)
{
	return bw_target_read_lds(f->t, slot, 0, words, 4);
}

static struct bw_error *do_read_scratch(struct target_fixture *f, uint32_t slot)
{
	return bw_target_read_scratch(f->t, slot, 0, 0, words, 4);
}

static struct bw_error *do_patch(struct target_fixture *f, uint32_t slot)
{
	return bw_target_patch(f->t, f->known.code_va, 0xbf800000);
}

static struct bw_error *do_unpatch(struct target_fixture *f, uint32_t slot)
{
	return bw_target_unpatch(f->t, f->known.code_va);
}

static struct bw_error *do_walk(struct target_fixture *f, uint32_t slot)
{
	struct bw_verdict v;
	return bw_target_walk(f->t, f->known.code_va, &v);
}

static struct bw_error *do_fault(struct target_fixture *f, uint32_t slot)
{
	struct bw_target_fault x;
	return bw_target_fault(f->t, &x);
}

static struct bw_error *do_watch(struct target_fixture *f, uint32_t slot)
{
	return bw_target_set_watch(f->t, 0, NULL);
}

static struct bw_error *do_filter(struct target_fixture *f, uint32_t slot)
{
	return bw_target_set_filter(f->t, 0, 0, NULL);
}

static struct bw_error *do_exceptions(struct target_fixture *f, uint32_t slot)
{
	return bw_target_set_exceptions(f->t, 0);
}

static struct bw_error *do_precise(struct target_fixture *f, uint32_t slot)
{
	return bw_target_set_precise(f->t, f->t->is_precise);
}

static struct bw_error *do_maps(struct target_fixture *f, uint32_t slot)
{
	struct bw_target_map *all = NULL;
	size_t n;
	struct bw_error *err = bw_target_maps(f->t, &all, &n);
	free(all);
	return err;
}

static struct bw_error *do_freed(struct target_fixture *f, uint32_t slot)
{
	struct bw_target_freed freed;
	struct bw_error *err = bw_target_freed(f->t, f->known.code_va, &freed);
	/* code that waves run is not freed */
	assert_true(err || !freed.size_b);
	return err;
}

static struct bw_error *do_objects(struct target_fixture *f, uint32_t slot)
{
	struct bw_target_object *all = NULL;
	size_t n;
	struct bw_error *err = bw_target_objects(f->t, &all, &n);
	free(all);
	return err;
}

static struct bw_error *do_loaded(struct target_fixture *f, uint32_t slot)
{
	struct bw_target_loaded *all = NULL;
	size_t n;
	struct bw_error *err = bw_target_loaded(f->t, &all, &n);
	free(all);
	return err;
}

static struct bw_error *do_queues(struct target_fixture *f, uint32_t slot)
{
	struct bw_target_queue *all = NULL;
	size_t n;
	struct bw_error *err = bw_target_queues(f->t, &all, &n);
	free(all);
	return err;
}

/* A target that has nothing at an address says so. */
static struct bw_error *do_loaded_bytes(struct target_fixture *f, uint32_t slot)
{
	uint8_t *bytes = NULL;
	size_t size_b;
	struct bw_error *err = bw_target_loaded_bytes(f->t, 0x1000, &bytes, &size_b);
	free(bytes);
	return err;
}

static struct bw_error *do_draws(struct target_fixture *f, uint32_t slot)
{
	struct bw_draws_draw draw = {.number = 0};
	BW_TRY(bw_target_draws(f->t, BW_DRAWS_IOCTL_DRAW, &draw));
	assert_int_equal(draw.number, 0); /* nothing has been drawn */
	return NULL;
}

static struct bw_error *do_hold_time(struct target_fixture *f, uint32_t slot)
{
	BW_TRY(bw_target_hold_time(f->t, true));
	return bw_target_hold_time(f->t, false);
}

static struct bw_error *do_children(struct target_fixture *f, uint32_t slot)
{
	BW_TRY(bw_target_detach_children(f->t, true));
	return bw_target_detach_children(f->t, false);
}

static struct bw_error *do_kill(struct target_fixture *f, uint32_t slot)
{
	return bw_target_kill(f->t, 0);
}

static struct bw_error *do_attach(struct target_fixture *f, uint32_t slot)
{
	return bw_target_attach(f->t, 1);
}

static struct bw_error *do_ready(struct target_fixture *f, uint32_t slot)
{
	return bw_target_make_ready(f->t, f->t->program);
}

const struct target_call target_calls[] = {
	{BW_CAP_RUN, false, do_run},
	{BW_CAP_RUN, false, do_resume},
	{BW_CAP_RUN, true, do_stop_all},
	{BW_CAP_RUN, false, do_release},
	{BW_CAP_WRITE_REGS, false, do_write_reg},
	{BW_CAP_WRITE_REGS, false, do_write_sgpr},
	{BW_CAP_WRITE_REGS, false, do_write_vgpr},
	{BW_CAP_WRITE_MEMORY, false, do_write},
	{BW_CAP_LDS, false, do_read_lds},
	{BW_CAP_SCRATCH, false, do_read_scratch},
	{BW_CAP_PATCH, false, do_patch},
	{BW_CAP_PATCH, false, do_unpatch},
	{BW_CAP_WALK, true, do_walk},
	{BW_CAP_FAULT, true, do_fault},
	{BW_CAP_WATCH, true, do_watch},
	{BW_CAP_FILTER, true, do_filter},
	{BW_CAP_EXCEPTIONS, true, do_exceptions},
	{BW_CAP_PRECISE, true, do_precise},
	{BW_CAP_MAPS, true, do_maps},
	{BW_CAP_FREED, true, do_freed},
	{BW_CAP_OBJECTS, true, do_objects},
	{BW_CAP_LOADED, true, do_loaded},
	{BW_CAP_LOADED, false, do_loaded_bytes},
	{BW_CAP_QUEUES, true, do_queues},
	{BW_CAP_DRAWS, true, do_draws},
	{BW_CAP_HOLD_TIME, true, do_hold_time},
	{BW_CAP_PROCESSES, true, do_children},
	{BW_CAP_PROCESSES, false, do_kill},
	{BW_CAP_ATTACH, false, do_attach},
	{BW_CAP_READY, false, do_ready},
	{0},
};
