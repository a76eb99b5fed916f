/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <string.h>

#include "../../suite.h"
#include "mem_env.h"

/* Several threads run different workgroups on the same memory: nothing is lost (rule 426). */
enum { THREADS = 4, ADDS = 3000 };

static void *add_many(void *arg)
{
	struct env *t = arg;
	/* global_atomic_add_u32 v5, v[2:3], v1, off glc */
	uint32_t add32[2] = {0xdcd64000, 0x057c0102};
	/* global_atomic_max_u64 v[2:3], v[6:7], off */
	uint32_t max64[2] = {0xdd220000, 0x007c0602};
	struct bw_inst inst[2];
	bw_isa_decode(BW_ISA_GFX11, add32, 2, &inst[0]);
	bw_isa_decode(BW_ISA_GFX11, max64, 2, &inst[1]);
	for (unsigned i = 0; i < ADDS; i++) {
		for (unsigned k = 0; k < 2; k++) {
			bool illegal;
			for (unsigned lane = 0; lane < 32; lane++) {
				uint64_t va = ENV_VA + 64 + 16 * k;
				*env_v(t, 1, lane) = 1;
				*env_v(t, 2, lane) = (uint32_t)va;
				*env_v(t, 3, lane) = (uint32_t)(va >> 32);
				*env_v(t, 6, lane) = i;
				*env_v(t, 7, lane) = lane;
			}
			t->inst = inst[k];
			if (env_run(t, &illegal) != BW_MEM_OK || illegal)
				return t;
		}
	}
	return NULL;
}

static void threads(void **state)
{
	static struct env e, each[THREADS];
	pthread_t thread[THREADS];
	env_init(&e, 32);
	for (unsigned i = 0; i < 32; i++)
		*env_byte(&e, ENV_VA + 64 + i, true) = 0;
	for (unsigned i = 0; i < THREADS; i++) {
		each[i] = e;
		each[i].w.v = each[i].v;
		each[i].w.tlb = &each[i].tlb;
		each[i].w.wg = &each[i].wg;
		each[i].wg.lds = each[i].lds;
		assert_int_equal(pthread_create(&thread[i], NULL, add_many, &each[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		void *failed;
		pthread_join(thread[i], &failed);
		assert_null(failed);
	}
	uint8_t got[32];
	for (unsigned i = 0; i < sizeof(got); i++)
		got[i] = *env_byte(&e, ENV_VA + 64 + i, false);
	uint32_t sum, max[2];
	memcpy(&sum, got, 4);
	memcpy(max, got + 16, 8);
	assert_int_equal(sum, THREADS * ADDS * 32);
	assert_int_equal(max[0], ADDS - 1);
	assert_int_equal(max[1], 31);
	env_fini(&e);
}

TESTS(threads);
