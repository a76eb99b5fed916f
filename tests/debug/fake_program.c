// SPDX-License-Identifier: MIT
/* What the program of the fake target tells of itself: nothing. */
#include "fake_target.h"

struct bw_error *fake_shader(struct bw_target *t, uint32_t pipeline, struct bw_target_shader **out)
{
	return bw_errorf(BW_E_NOT_FOUND, "no compute shader of pipeline %u is known", pipeline);
}

struct bw_error *fake_objects(struct bw_target *t, struct bw_target_object **out, size_t *out_n)
{
	fake_must(t, BW_CAP_OBJECTS);
	*out = NULL;
	*out_n = 0;
	return NULL;
}

struct bw_error *fake_loaded(struct bw_target *t, struct bw_target_loaded **out, size_t *out_n)
{
	fake_must(t, BW_CAP_LOADED);
	*out = NULL;
	*out_n = 0;
	return NULL;
}

struct bw_error *fake_draws(struct bw_target *t, uint32_t question, void *io)
{
	fake_must(t, BW_CAP_DRAWS);
	return NULL; /* what is asked for stays empty */
}

struct bw_error *fake_queues(struct bw_target *t, struct bw_target_queue **out, size_t *out_n)
{
	fake_must(t, BW_CAP_QUEUES);
	*out = NULL;
	*out_n = 0;
	return NULL;
}

struct bw_error *fake_loaded_bytes(struct bw_target *t, uint64_t base, uint8_t **out,
				   size_t *out_size_b)
{
	fake_must(t, BW_CAP_LOADED);
	return bw_errorf(BW_E_NOT_FOUND, "no code object is loaded at 0x%llx",
			 (unsigned long long)base);
}
