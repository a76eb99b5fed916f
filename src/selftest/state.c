/* SPDX-License-Identifier: MIT */
/* The registers that a debugger changes: all of them are to be as before after each step. */
#include "selftest/selftest_priv.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"

/* VMIDs of graphics and DRM compute; KFD's own driver writes those above. */
enum { FIRST_VMID = 1, LAST_VMID = 7, PATIENCE_MS = 15000, LOOK_EVERY_MS = 50 };

static struct bw_error *add(struct bw_gpu *gpu, struct bw_selftest_state *out,
			    const struct bw_kmd_bank *bank, const char *name)
{
	uint32_t value = 0;
	BW_TRY(bw_gpu_read(gpu, bank, name, &value));
	if (bank->use_srbm)
		snprintf(out->regs[out->n].name, sizeof(out->regs[0].name), "%s of VMID %u", name,
			 bank->vmid);
	else
		snprintf(out->regs[out->n].name, sizeof(out->regs[0].name), "%s", name);
	out->regs[out->n++].value = value;
	return NULL;
}

static struct bw_error *read_all(struct bw_gpu *gpu, struct bw_selftest_state *out)
{
	static const char *const of_vmid[] = {"SQ_SHADER_TBA_LO", "SQ_SHADER_TBA_HI",
					      "SQ_SHADER_TMA_LO", "SQ_SHADER_TMA_HI",
					      "SPI_GDBG_PER_VMID_CNTL"};
	static const char *const of_gpu[] = {"TCP_WATCH0_CNTL", "TCP_WATCH1_CNTL",
					     "TCP_WATCH2_CNTL", "TCP_WATCH3_CNTL", "SQ_DEBUG"};
	_Static_assert((LAST_VMID - FIRST_VMID + 1) * BW_ARRAY_SIZE(of_vmid) +
				       BW_ARRAY_SIZE(of_gpu) <=
			       BW_SELFTEST_STATE,
		       "");
	const struct bw_kmd_bank all = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	out->n = 0;
	for (uint32_t vmid = FIRST_VMID; vmid <= LAST_VMID; vmid++)
		for (size_t i = 0; i < BW_ARRAY_SIZE(of_vmid); i++)
			BW_TRY(add(gpu, out, &(struct bw_kmd_bank){.use_srbm = true, .vmid = vmid},
				   of_vmid[i]));
	for (size_t i = 0; i < BW_ARRAY_SIZE(of_gpu); i++)
		BW_TRY(add(gpu, out, &all, of_gpu[i]));
	return NULL;
}

struct bw_error *bw_selftest_state_read(struct bw_gpu *gpu, struct bw_selftest_state *out)
{
	bw_gpu_hold(gpu);
	struct bw_error *err = read_all(gpu, out);
	bw_gpu_allow(gpu);
	return err;
}

struct bw_error *bw_selftest_state_check(struct bw_gpu *gpu, const struct bw_selftest_state *before)
{
	struct bw_selftest_state now;
	_cleanup_(bw_str_free) struct bw_str text = {0};
	for (unsigned ms = 0; ms < PATIENCE_MS; ms += LOOK_EVERY_MS) {
		bw_str_clear(&text);
		BW_TRY(bw_selftest_state_read(gpu, &now));
		for (size_t i = 0; i < now.n; i++)
			if (now.regs[i].value != before->regs[i].value)
				bw_str_addf(&text, "%s%s is 0x%x and was 0x%x",
					    text.len ? ", " : "", now.regs[i].name,
					    now.regs[i].value, before->regs[i].value);
		if (!text.len)
			return NULL;
		usleep(LOOK_EVERY_MS * 1000);
	}
	return bw_errorf(BW_E_STATE, "The GPU's registers are not as they were: %s",
			 bw_str_text(&text));
}
