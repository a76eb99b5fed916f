/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/util.h"
#include "regs/regs.h"
#include "kernels.h" /* generated: struct rig_kernel rig_kernels[] */

void rig_sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

static void irq(void *cookie)
{
	((struct rig *)cookie)->irqs++;
}

static const struct bw_profile *profile_under_test;

uint32_t rig_register(struct rig_register *r, const char *name)
{
	const struct bw_profile *p = profile_under_test;
	const struct {
		const char *name;
		const struct bw_profile_block *at;
	} blocks[] = {{"gc", &p->gc}, {"osssys", &p->osssys}, {"mmhub", &p->mmhub}};
	if (r->profile == p)
		return r->addr_dw;
	for (size_t i = 0; i < BW_ARRAY_SIZE(blocks); i++) {
		const struct bw_regs_block *table;
		struct bw_reg reg;
		assert_null(bw_regs_find(blocks[i].name, blocks[i].at->version, &table));
		if (!bw_regs_lookup(table, name, &reg))
			continue;
		r->profile = p;
		r->addr_dw = blocks[i].at->segment[reg.segment] + reg.offset_dw;
		return r->addr_dw;
	}
	fail_msg("%s has no register %s", p->name, name);
	return 0;
}

uint32_t rig_read(struct rig *r, uint32_t addr_dw)
{
	return bw_device_reg_read(r->dev, NULL, addr_dw);
}

void rig_write(struct rig *r, uint32_t addr_dw, uint32_t value)
{
	bw_device_reg_write(r->dev, NULL, addr_dw, value);
}

uint64_t rig_mc(const struct rig *r, uint64_t vram_offset)
{
	return ((uint64_t)bw_device_reg_read(r->dev, NULL, REG(GCMC_VM_FB_LOCATION_BASE)) << 24) +
	       vram_offset;
}

void *rig_ptr(struct rig *r, uint64_t va)
{
	return bw_device_vram(r->dev) + va;
}

static struct bw_bank queue_bank(unsigned ring)
{
	return (struct bw_bank){.use_srbm = true, .me = ring != 0, .pipe = ring ? ring - 1 : 0};
}

uint32_t rig_hqd(struct rig *r, unsigned ring, uint32_t addr_dw)
{
	struct bw_bank b = queue_bank(ring);
	return bw_device_reg_read(r->dev, &b, addr_dw);
}

void rig_hqd_write(struct rig *r, unsigned ring, uint32_t addr_dw, uint32_t value)
{
	struct bw_bank b = queue_bank(ring);
	bw_device_reg_write(r->dev, &b, addr_dw, value);
}

void rig_hqd_start(struct rig *r, unsigned ring)
{
	uint64_t base = rig_mc(r, RIG_RINGS + ring * RIG_RING_DW * 4) >> 8;
	r->ring[ring].wptr = 0;
	rig_hqd_write(r, ring, REG(CP_HQD_PQ_BASE), (uint32_t)base);
	rig_hqd_write(r, ring, REG(CP_HQD_PQ_BASE_HI), (uint32_t)(base >> 32));
	rig_hqd_write(r, ring, REG(CP_HQD_PQ_RPTR), 0);
	rig_hqd_write(r, ring, REG(CP_HQD_PQ_WPTR_LO), 0);
	rig_hqd_write(r, ring, REG(CP_HQD_PQ_WPTR_HI), 0);
	rig_hqd_write(r, ring, REG(CP_HQD_PQ_CONTROL), 11); /* 2^12 dwords */
	rig_hqd_write(r, ring, REG(CP_HQD_PQ_DOORBELL_CONTROL), 1u << 30 | (8 + 2 * ring) << 2);
	rig_hqd_write(r, ring, REG(CP_HQD_ACTIVE), 1);
}

static void build_tables(struct rig *r)
{
	/* PDB2, PDB1, PDB0, PTB, one page each; 2 MiB leaves for the 64 MiB. */
	uint64_t *t = (uint64_t *)(void *)(bw_device_vram(r->dev) + RIG_TABLES);
	t[0] = (RIG_TABLES + 0x1000) | 1;
	t[512] = (RIG_TABLES + 0x2000) | 1;
	for (uint64_t va = RIG_VA; va < RIG_VA + RIG_VA_SIZE; va += 0x200000)
		t[1024 + (va >> 21)] = va | 1ull << 54 | 9 << 7 | 0x71;
	t[1024 + (RIG_SMALL_VA >> 21)] = (RIG_TABLES + 0x3000) | 1;
	for (unsigned v = 1; v < 4; v++) {
		rig_write(r, REG(GCVM_CONTEXT0_CNTL) + v, 1 | 3 << 1);
		rig_write(r, REG(GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32) + 2 * v, RIG_TABLES | 1);
		rig_write(r, REG(GCVM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32) + 2 * v, 0xffffffff);
		rig_write(r, REG(GCVM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32) + 2 * v, 0xf);
		rig_write(r, REG(IH_VMID_0_LUT) + v, 0x8000 + v);
	}
}

void rig_start_profile(struct rig *r, const struct bw_profile *profile,
		       const struct bw_device_options *options)
{
	static const struct bw_device_options defaults = {.threads = 2};
	memset(r, 0, sizeof(*r));
	r->vmid = 1;
	profile_under_test = profile;
	assert_null(bw_device_create(profile, options ? options : &defaults, irq, r, &r->dev));
	build_tables(r);
	uint64_t ih = rig_mc(r, RIG_IH);
	rig_write(r, REG(IH_RB_BASE), (uint32_t)(ih >> 8));
	rig_write(r, REG(IH_RB_BASE_HI), (uint32_t)(ih >> 40));
	/* enable, 2^14 dwords, interrupts, GPU address */
	rig_write(r, REG(IH_RB_CNTL), 1 | 14 << 1 | 1 << 16 | 1 << 17 | 4 << 28);
	/* TIME_STAMP_INT_ENABLE of each pipe, TRAP_ENABLE of each SDMA engine */
	rig_write(r, REG(CP_INT_CNTL_RING0), 1 << 26);
	for (unsigned i = 0; i < 4; i++)
		rig_write(r, REG(CP_ME1_PIPE0_INT_CNTL) + i, 1 << 26);
	for (unsigned i = 0; i < 2; i++)
		rig_write(r, i ? REG(SDMA1_CNTL) : REG(SDMA0_CNTL), 1);
	for (unsigned i = 0; i < 5; i++)
		rig_hqd_start(r, i);
}

void rig_start(struct rig *r, const struct bw_device_options *options)
{
	rig_start_profile(r, &bw_profile_navi31, options);
}

void rig_stop(struct rig *r)
{
	bw_device_destroy(r->dev);
}

void rig_invalidate(struct rig *r)
{
	rig_write(r, REG(GCVM_INVALIDATE_ENG0_REQ) + 17, 1u << r->vmid | 0xf80000);
	for (unsigned i = 0; i < 1000000; i++)
		if (rig_read(r, REG(GCVM_INVALIDATE_ENG0_ACK) + 17) >> r->vmid & 1)
			return;
	fail_msg("the invalidation is not acknowledged");
}

void rig_set_pte(struct rig *r, unsigned index, uint64_t pte)
{
	((uint64_t *)(void *)(bw_device_vram(r->dev) + RIG_TABLES))[1536 + index] = pte;
}

bool rig_next_vector(struct rig *r, struct rig_vector *out, unsigned timeout_ms)
{
	for (unsigned i = 0;; i++) {
		if (rig_read(r, REG(IH_RB_WPTR)) != r->ih_rptr)
			break;
		if (i == timeout_ms)
			return false;
		rig_sleep_ms(1);
	}
	const uint32_t *dw =
		(const uint32_t *)(const void *)(bw_device_vram(r->dev) + RIG_IH + r->ih_rptr);
	*out = (struct rig_vector){(uint8_t)dw[0],	   (uint8_t)(dw[0] >> 8),
				   (uint8_t)(dw[0] >> 16), (uint8_t)(dw[0] >> 24 & 0xf),
				   (uint16_t)dw[3],	   {dw[4], dw[5], dw[6], dw[7]}};
	r->ih_rptr = (r->ih_rptr + 32) % RIG_IH_B;
	rig_write(r, REG(IH_RB_RPTR), r->ih_rptr);
	return true;
}

void rig_submit_ring(struct rig *r, unsigned ring, const struct bw_pm4_stream *s)
{
	uint32_t *dw =
		(uint32_t *)(void *)(bw_device_vram(r->dev) + RIG_RINGS + ring * RIG_RING_DW * 4);
	assert_false(s->failed);
	for (size_t i = 0; i < s->len; i++)
		dw[r->ring[ring].wptr++ % RIG_RING_DW] = s->data[i];
	bw_device_doorbell(r->dev, 8 + 2 * ring, r->ring[ring].wptr);
}

uint64_t rig_submit(struct rig *r, unsigned ring, struct bw_pm4_stream *s)
{
	/* Every submission gets a place of its own, as earlier ones may still be read. */
	static uint32_t next;
	uint64_t ib = RIG_IB + next++ % 16 * 0x40000;
	struct bw_pm4_stream k = {0};
	assert_false(s->failed);
	assert_true(s->len < 0x10000);
	memcpy(rig_ptr(r, ib), s->data, s->len * 4);
	bw_pm4_put_write_wait_reg(&k, REG(GCVM_INVALIDATE_ENG0_REQ) + ring,
				  REG(GCVM_INVALIDATE_ENG0_ACK) + ring, 0xf80000 | 1u << r->vmid,
				  1u << r->vmid);
	bw_pm4_put_indirect_buffer(&k, ib, (uint32_t)s->len, r->vmid, false);
	bw_pm4_put_fence(&k, rig_mc(r, RIG_FENCES + ring * 64), ++r->ring[ring].fence, true);
	rig_submit_ring(r, ring, &k);
	bw_pm4_stream_free(&k);
	bw_pm4_stream_free(s);
	return r->ring[ring].fence;
}

bool rig_done(struct rig *r, unsigned ring, uint64_t fence)
{
	uint64_t *p = (uint64_t *)(void *)(bw_device_vram(r->dev) + RIG_FENCES + ring * 64);
	return __atomic_load_n(p, __ATOMIC_ACQUIRE) >= fence;
}

bool rig_wait(struct rig *r, unsigned ring, uint64_t fence, unsigned timeout_ms)
{
	for (unsigned i = 0; i < timeout_ms && !rig_done(r, ring, fence); i++)
		rig_sleep_ms(1);
	return rig_done(r, ring, fence);
}

uint64_t rig_code(struct rig *r, const char *kernel)
{
	for (unsigned i = 0; i < RIG_N_KERNELS; i++) {
		if (strcmp(rig_kernels[i].name, kernel))
			continue;
		uint64_t va = RIG_CODE + i * 0x10000;
		memcpy(rig_ptr(r, va), rig_kernels[i].code, *rig_kernels[i].size_b);
		return va;
	}
	fail_msg("no kernel %s", kernel);
	return 0;
}

static uint32_t or_else(uint32_t v, uint32_t otherwise)
{
	return v ? v : otherwise;
}

void rig_put_launch(struct rig *r, struct bw_pm4_stream *s, const struct rig_launch *l)
{
	uint64_t va = rig_code(r, l->kernel) + l->entry_b;
	uint32_t zero = 0, vgprs = or_else(l->vgprs, 64);
	uint32_t threads[3] = {or_else(l->threads[0], 64), or_else(l->threads[1], 1),
			       or_else(l->threads[2], 1)};
	uint32_t groups[3] = {or_else(l->groups[0], 1), or_else(l->groups[1], 1),
			      or_else(l->groups[2], 1)};
	uint32_t pgm[2] = {(uint32_t)(va >> 8), (uint32_t)(va >> 40)};
	uint32_t rsrc[2] = {(vgprs / (l->wave64 ? 4 : 8) - 1) | 0xc0 << 12 | 1u << 29 | 1u << 30 |
				    l->rsrc1,
			    (l->tmpring ? 1u : 0) | l->n_user << 1 | 1 << 7 |
				    (l->lds_b + 511) / 512 << 15 | l->rsrc2};
	uint32_t scratch[2] = {(uint32_t)(l->scratch >> 8), (uint32_t)(l->scratch >> 40)};
	bw_pm4_put_sh(s, REG(COMPUTE_PGM_LO), pgm, 2);
	bw_pm4_put_sh(s, REG(COMPUTE_PGM_RSRC1), rsrc, 2);
	bw_pm4_put_sh(s, REG(COMPUTE_PGM_RSRC3), &l->rsrc3, 1);
	bw_pm4_put_sh(s, REG(COMPUTE_NUM_THREAD_X), threads, 3);
	bw_pm4_put_sh(s, REG(COMPUTE_USER_DATA_0), l->user, 8);
	bw_pm4_put_sh(s, REG(COMPUTE_TMPRING_SIZE), &l->tmpring, 1);
	bw_pm4_put_sh(s, REG(COMPUTE_DISPATCH_SCRATCH_BASE_LO), scratch, 2);
	for (unsigned i = 0; i < 3; i++)
		bw_pm4_put_sh(s, REG(COMPUTE_START_X) + i, &zero, 1);
	bw_pm4_put_dispatch(s, groups,
			    BW_PM4_INIT_ENABLE | (l->wave64 ? 0 : BW_PM4_INIT_CS_W32_EN) |
				    l->initiator);
}

uint64_t rig_launch(struct rig *r, const struct rig_launch *l)
{
	struct bw_pm4_stream s = {0};
	rig_put_launch(r, &s, l);
	return rig_submit(r, 1, &s);
}

uint32_t rig_sq_ind(struct rig *r, unsigned se, unsigned sa, unsigned wgp, unsigned simd,
		    unsigned wave, unsigned lane, uint32_t index)
{
	struct bw_bank b = {.use_grbm = true, .se = se, .sa = sa, .instance = wgp << 2 | simd};
	bw_device_reg_write(r->dev, &b, REG(SQ_IND_INDEX), index << 16 | lane << 5 | wave);
	return bw_device_reg_read(r->dev, &b, REG(SQ_IND_DATA));
}

void rig_sq_cmd(struct rig *r, uint32_t value)
{
	struct bw_bank b = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	bw_device_reg_write(r->dev, &b, REG(SQ_CMD), value);
}

bool rig_wait_resident(struct rig *r, unsigned n, unsigned timeout_ms)
{
	struct bw_device_stats stats;
	for (unsigned i = 0; i < timeout_ms; i++) {
		bw_device_stats(r->dev, &stats);
		if (stats.waves_resident == n)
			return true;
		rig_sleep_ms(1);
	}
	return false;
}
