/* SPDX-License-Identifier: MIT */
/* Whether a GPU still works, asked after a step that hung. */
#include "selftest/selftest_priv.h"

struct bw_error *bw_selftest_alive(void *work)
{
	struct bw_selftest_work *w = work;
	/* Linux's driver clears video memory before a program has it, in one queue with what a
	 * program has freed, which waits for the hung kernel (amdgpu_ttm.c of Linux 6.12). */
	const struct bw_selftest_launch launch = {.kernel = "empty",
						  .vgprs = 8,
						  .sgprs = 16,
						  .groups = 1,
						  .buffer = "zeros:32:u32",
						  .without_vram = true};
	struct bw_selftest_program p;
	struct bw_gpu gpu = {0};
	uint32_t status = 0;
	bw_selftest_doing(w, "reading GRBM_STATUS");
	struct bw_error *err = bw_selftest_spawn(w, &launch, &p);
	if (!err)
		err = bw_gpu_borrow(p.kmd, &gpu);
	if (!err)
		err = bw_gpu_read(&gpu, NULL, "GRBM_STATUS", &status);
	if (!err) {
		bw_selftest_value(w, "GRBM_STATUS", "0x%08x", status);
		bw_selftest_doing(w, "waiting for an empty kernel");
		err = bw_selftest_join(&p);
	}
	if (!err)
		err = bw_selftest_check_words(&p, 32, 0xa11fe);
	bw_gpu_close(&gpu);
	bw_selftest_close(&p);
	return err;
}
