/* SPDX-License-Identifier: MIT */
#include "gpu/opened.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/ip_version.h"
#include "base/util.h"

/* The kernel counts who holds GFXOFF off: a 1 for each 0 (doc/hardware/kernel-interface.md 4.2). */
static bool write_gfxoff(struct bw_gpu *g, uint32_t on)
{
	size_t done = 0;
	if (!g->gfxoff)
		return false;
	struct bw_error *err = bw_kmd_file_write(g->gfxoff, 0, &on, sizeof(on), &done);
	bool ok = !err && done == sizeof(on);
	bw_error_free(err);
	return ok;
}

static struct bw_error *find_blocks(struct bw_gpu *g)
{
	static const char *const blocks[BW_GPU_N_BLOCKS] = {"gc",   "mmhub", "osssys", "hdp",
							    "sdma", "sdma0", "sdma1"};
	BW_TRY(bw_gpu_part_of(g->kmd, &g->part));
	for (size_t i = 0; i < BW_GPU_N_BLOCKS; i++) {
		struct bw_error *none =
			bw_gpu_block_open(g->kmd, blocks[i], &g->block[g->n_blocks]);
		g->n_blocks += !none;
		bw_error_free(none);
	}
	bw_error_free(bw_kmd_file_open(g->kmd, "amdgpu_gfxoff", true, &g->gfxoff));
	return NULL;
}

struct bw_error *bw_gpu_take(struct bw_kmd *kmd, struct bw_gpu *g)
{
	*g = (struct bw_gpu){.kmd = kmd};
	return find_blocks(g);
}

struct bw_error *bw_gpu_borrow(struct bw_kmd *kmd, struct bw_gpu *g)
{
	*g = (struct bw_gpu){.kmd = kmd, .is_borrowed = true};
	return find_blocks(g);
}

void bw_gpu_hold(struct bw_gpu *g)
{
	if (!g->is_held)
		g->is_held = write_gfxoff(g, 0);
}

void bw_gpu_allow(struct bw_gpu *g)
{
	if (g->is_held)
		write_gfxoff(g, 1);
	g->is_held = false;
}

void bw_gpu_close(struct bw_gpu *g)
{
	if (!g->kmd)
		return;
	bw_gpu_allow(g);
	if (g->gfxoff)
		bw_kmd_file_close(g->gfxoff);
	if (!g->is_borrowed)
		bw_kmd_close(g->kmd);
	*g = (struct bw_gpu){0};
}

struct bw_error *bw_gpu_part_of(struct bw_kmd *kmd, struct bw_gpuvm_part *out)
{
	struct bw_kmd_ip gc, mm;
	char text[16];
	BW_TRY(bw_kmd_ip(kmd, "GC", &gc));
	snprintf(text, sizeof(text), "%u.%u.%u", gc.major, gc.minor, gc.revision);
	BW_TRY(bw_gpuvm_part_parse(text, out));
	_cleanup_error_ struct bw_error *no_mm = bw_kmd_ip(kmd, "MMHUB", &mm);
	if (!no_mm)
		out->mm = BW_IP_VERSION(mm.major, mm.minor, mm.revision);
	return NULL;
}

/* ---- registers ---- */

bool bw_gpu_find(const struct bw_gpu *g, const char *name, struct bw_reg *out_reg,
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

struct bw_error *bw_gpu_read(const struct bw_gpu *g, const struct bw_kmd_bank *bank,
			     const char *name, uint32_t *out_value)
{
	struct bw_reg reg;
	uint32_t addr_dw;
	if (!bw_gpu_find(g, name, &reg, &addr_dw))
		return bw_errorf(BW_E_NOT_FOUND, "this GPU has no register %s", name);
	return bw_error_wrap(bw_kmd_reg_read(g->kmd, bank, addr_dw, out_value), "reading %s", name);
}

/* ---- processes ---- */

struct bw_error *bw_gpu_pasids(struct bw_kmd *kmd, bool is_mm, uint32_t out[BW_GPU_VMIDS])
{
	struct bw_gpu_block osssys;
	BW_TRY(bw_gpu_block_open(kmd, "osssys", &osssys));
	out[0] = 0; /* the driver's own */
	for (unsigned vmid = 1; vmid < BW_GPU_VMIDS; vmid++) {
		char name[32];
		uint32_t addr_dw, value;
		snprintf(name, sizeof(name), "IH_VMID_%u_LUT%s", vmid, is_mm ? "_MM" : "");
		BW_TRY(bw_gpu_block_address(&osssys, name, &addr_dw));
		BW_TRY(bw_kmd_reg_read(kmd, NULL, addr_dw, &value));
		out[vmid] = value & 0xffff;
	}
	return NULL;
}

bool bw_gpu_process_of(struct bw_kmd *kmd, unsigned vmid, struct bw_kmd_client *out)
{
	_cleanup_free_ struct bw_kmd_client *clients = NULL;
	uint32_t pasid[BW_GPU_VMIDS];
	size_t n = 0;
	if (!vmid || vmid >= BW_GPU_VMIDS)
		return false;
	_cleanup_error_ struct bw_error *err = bw_kmd_clients(kmd, &clients, &n);
	if (!err)
		err = bw_gpu_pasids(kmd, false, pasid);
	for (size_t i = 0; !err && pasid[vmid] && i < n; i++)
		if (clients[i].pasid == pasid[vmid]) {
			*out = clients[i];
			return true;
		}
	return false;
}
