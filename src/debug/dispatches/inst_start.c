// SPDX-License-Identifier: MIT
/* Finds where instructions begin, by reading code from the start of the function or kernel around
 * them. */
#include "debug/code.h"
#include "debug/dispatches/dispatches_priv.h"

/* limit: instructions from the start of a function to the wanted one */
enum { MAX_BEFORE = 65536 };

/* Reads the function around pc from its start to the first instruction that does not end before pc.
 * False: the function is not known. */
static bool walk_to(struct bw_debug *d, uint64_t pc, uint64_t *out_before, uint64_t *out_at)
{
	uint64_t at, end;
	struct bw_error *err = bw_debug_function_range(d, pc, &at, &end);
	bw_vec_each(&d->dispatches->all, x) {
		if (!err || pc < x->kernel_start || pc >= x->kernel_end)
			continue;
		bw_error_free(err);
		err = NULL;
		at = x->kernel_start;
	}
	*out_before = 0;
	for (unsigned i = 0; !err && i < MAX_BEFORE; i++) {
		struct bw_inst inst;
		*out_at = at;
		if (at >= pc)
			return true;
		err = bw_debug_read_inst(d, at, &inst, NULL);
		if (!err && at + inst.size_b > pc)
			return true;
		*out_before = at;
		at += inst.size_b;
	}
	bw_error_free(err);
	return false;
}

uint64_t bw_inst_before(struct bw_debug *d, uint64_t pc)
{
	uint64_t before, at;
	return walk_to(d, pc, &before, &at) && at == pc ? before : 0;
}

struct bw_error *bw_inst_check_start(struct bw_debug *d, uint64_t va)
{
	uint64_t before, at;
	struct bw_inst inst;
	if (!walk_to(d, va, &before, &at) || at == va)
		return NULL;
	BW_TRY(bw_debug_read_inst(d, at, &inst, NULL));
	return bw_errorf(BW_E_INVALID,
			 "0x%llx lies inside of the %s at 0x%llx, which ends at 0x%llx",
			 (unsigned long long)va, bw_isa_op_info(inst.op)->name,
			 (unsigned long long)at, (unsigned long long)(at + inst.size_b));
}
