/* SPDX-License-Identifier: MIT */
#include "cli/look_gpu.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

volatile sig_atomic_t bw_look_ended;

static void on_signal(int number)
{
	bw_look_ended = number;
}

/* The kernel counts who holds GFXOFF off: a 1 for each 0 (doc/hardware/kernel-interface.md 4.2). */
static bool write_gfxoff(struct bw_look_gpu *g, uint32_t on)
{
	size_t done = 0;
	if (!g->gfxoff)
		return false;
	struct bw_error *err = bw_kmd_file_write(g->gfxoff, 0, &on, sizeof(on), &done);
	bool ok = !err && done == sizeof(on);
	bw_error_free(err);
	return ok;
}

struct bw_error *bw_look_gpu_open(struct bw_look *l, struct bw_look_gpu *g)
{
	static const char *const blocks[BW_LOOK_N_BLOCKS] = {"gc",   "mmhub", "osssys", "hdp",
							     "sdma", "sdma0", "sdma1"};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	BW_TRY(bw_kmd_open(l->gpu, &g->kmd));
	BW_TRY(bw_look_part_of(g->kmd, &g->part));
	for (size_t i = 0; i < BW_LOOK_N_BLOCKS; i++) {
		struct bw_error *none =
			bw_gpu_block_open(g->kmd, blocks[i], &g->block[g->n_blocks]);
		g->n_blocks += !none;
		bw_error_free(none);
	}
	bw_error_free(bw_kmd_file_open(g->kmd, "amdgpu_gfxoff", true, &g->gfxoff));
	struct sigaction end = {.sa_handler = on_signal}, old;
	for (size_t i = 0; i < BW_ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &end, NULL);
	g->is_held = write_gfxoff(g, 0);
	return NULL;
}

void bw_look_gpu_close(struct bw_look_gpu *g)
{
	if (!g->kmd)
		return;
	if (g->is_held)
		write_gfxoff(g, 1);
	if (g->gfxoff)
		bw_kmd_file_close(g->gfxoff);
	bw_kmd_close(g->kmd);
	g->kmd = NULL;
}

bool bw_look_gpu_find(const struct bw_look_gpu *g, const char *name, struct bw_reg *out_reg,
		      uint32_t *out_addr_dw)
{
	for (size_t i = 0; i < g->n_blocks; i++) {
		const struct bw_gpu_block *b = &g->block[i];
		struct bw_reg reg;
		if (!bw_regs_lookup(b->block, name, &reg))
			continue;
		_cleanup_error_ struct bw_error *indexed =
			bw_reg_address(&reg, b->ip.segment, b->ip.n_segments, out_addr_dw);
		if (indexed)
			continue;
		*out_reg = reg;
		return true;
	}
	return false;
}

struct bw_error *bw_look_gpu_read(const struct bw_look_gpu *g, const struct bw_kmd_bank *bank,
				  const char *name, uint32_t *out_value)
{
	struct bw_reg reg;
	uint32_t addr_dw;
	if (!bw_look_gpu_find(g, name, &reg, &addr_dw))
		return bw_errorf(BW_E_NOT_FOUND, "this GPU has no register %s", name);
	return bw_error_wrap(bw_kmd_reg_read(g->kmd, bank, addr_dw, out_value), "reading %s", name);
}

bool bw_look_line(struct bw_kmd *kmd, const char *file, char *out, size_t size_b)
{
	struct bw_str text = {0};
	_cleanup_error_ struct bw_error *err = bw_kmd_text(kmd, file, &text);
	if (!err)
		snprintf(out, size_b, "%.*s", (int)strcspn(bw_str_text(&text), "\n"),
			 bw_str_text(&text));
	bw_str_free(&text);
	return !err;
}
