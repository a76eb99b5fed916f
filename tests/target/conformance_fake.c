// SPDX-License-Identifier: MIT
/* The fake target of tests/debug is held to what every target must do: it stands for them there.
 * With all that it can do, without each capability, and as a dump would be: nothing but waves and
 * memory. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

#include "../debug/fake_target.h"

enum { NOP = 0xbf800000, END = 0xbfb00000, AT = 8, SLOT = 2 };
static const uint32_t code[] = {NOP, 0xbe840085 /* s_mov_b32 s4, 5 */, NOP, NOP, END};

static void open_fake(const struct target_case *c, struct target_fixture *out)
{
	struct fake_target *f = fake_create(NULL);
	const uint32_t in_lds = 0x600d600d;
	memcpy(fake_at(f, FAKE_BASE), code, sizeof(code));
	memcpy(f->lds + 40, &in_lds, sizeof(in_lds));
	for (uint32_t i = 1; i < 4; i++) {
		fake_launch(f, i, FAKE_BASE + AT, i / 2, i % 2);
		fake_stop(f, i);
		f->wave[i].s[7] = 100 + i;
		f->wave[i].v[3][5] = 200 + i;
	}
	f->stop_pending = false; /* it has been told */
	f->t.caps &= ~c->lack;
	*out = (struct target_fixture){
		.t = &f->t,
		.known = {.code_va = FAKE_BASE,
			  .code = code,
			  .code_dw = sizeof(code) / sizeof(code[0]),
			  .pc = FAKE_BASE + AT,
			  .step_b = 4,
			  .workgroup = {SLOT / 2},
			  .wave_in_group = SLOT % 2,
			  .lanes = 32,
			  .exec = 0xffffffff,
			  .n_stopped = 3,
			  .sgpr = 7,
			  .sgpr_value = 100 + SLOT,
			  .vgpr = 3,
			  .lane = 5,
			  .vgpr_value = 200 + SLOT,
			  .lds_b = FAKE_LDS_B,
			  .lds_at_b = 40,
			  .lds_value = in_lds,
			  .scratch_b = FAKE_SCRATCH_B,
			  .data_va = FAKE_BASE + 0x2000,
			  .unmapped_va = 0x1000,
			  .end_va = FAKE_BASE + FAKE_MEMORY_B},
	};
}

static int run(void)
{
	const struct target_case all = {.name = "fake", .open = open_fake};
	const struct target_case dump = {
		.name = "fake without anything", .open = open_fake, .lack = BW_CAP_ALL};
	int failed = target_conformance(&all) + target_conformance(&dump);
	for (uint32_t cap = 1; cap & BW_CAP_ALL; cap <<= 1) {
		char name[64];
		snprintf(name, sizeof(name), "fake that cannot %s", bw_target_cap_text(cap));
		const struct target_case one = {.name = name, .open = open_fake, .lack = cap};
		failed += target_conformance(&one);
	}
	return failed != 0;
}

TESTS_RUN_BY(run);
