/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/fidelity.h"

#include <pthread.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/exec_priv.h"

static const struct {
	const char *name;
	enum bw_isa_gen gen; /* BW_ISA_GEN_COUNT: all */
	struct bw_op_fidelity of;
} approx[] = {
#define APPROX(n, kind, why) {#n, BW_ISA_GEN_COUNT, {BW_FIDELITY_##kind, why}},
#define APPROX_ON(n, gen, kind, why) {#n, BW_ISA_##gen, {BW_FIDELITY_##kind, why}},
#include "vgpu/device/exec/sem/approx.def"
};

static struct bw_op_fidelity table[BW_ISA_GEN_COUNT][BW_OP_COUNT];

static void fill_generation(enum bw_isa_gen gen)
{
	struct bw_op_fidelity *of = table[gen];
	for (size_t i = 0; i < BW_ARRAY_SIZE(approx); i++)
		if (approx[i].gen == gen || approx[i].gen == BW_ISA_GEN_COUNT)
			of[bw_isa_op_by_name(approx[i].name)] = approx[i].of;
	for (size_t i = 0; i < bw_n_absent_rows; i++)
		of[bw_isa_op_by_name(bw_absent_rows[i].name)] =
			(struct bw_op_fidelity){BW_FIDELITY_ABSENT, bw_absent_rows[i].why};
	of[BW_OP_ILLEGAL] = (struct bw_op_fidelity){BW_FIDELITY_ABSENT, "no instruction"};
}

static void fill(void)
{
	for (unsigned gen = 0; gen < BW_ISA_GEN_COUNT; gen++)
		fill_generation((enum bw_isa_gen)gen);
}

struct bw_op_fidelity bw_exec_fidelity(enum bw_isa_gen gen, unsigned op)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, fill);
	return table[gen][op < BW_OP_COUNT ? op : BW_OP_ILLEGAL];
}

const char *bw_fidelity_name(enum bw_fidelity kind)
{
	/* clang-format off */
	static const char *const names[BW_FIDELITY_COUNT] = {
		[BW_FIDELITY_EXACT] = "exact",
		[BW_FIDELITY_ULP1] = "within 1 ULP",
		[BW_FIDELITY_LOOSE] = "approximate",
		[BW_FIDELITY_ABSENT] = "absent",
		[BW_FIDELITY_UNUSUAL] = "unusual",
	};
	/* clang-format on */
	return names[kind];
}
