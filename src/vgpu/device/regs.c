/* SPDX-License-Identifier: MIT */
#include "vgpu/device/device_priv.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/util.h"
#include "regs/regs.h"
#include "vgpu/device/cp.h"
#include "vgpu/device/scheduler.h"
#include "vgpu/device/sdma.h"

uint32_t bw_reg_get(struct bw_device *dev, uint32_t addr_dw)
{
	return __atomic_load_n(&dev->regs.plain[addr_dw], __ATOMIC_SEQ_CST);
}

void bw_reg_set(struct bw_device *dev, uint32_t addr_dw, uint32_t value)
{
	__atomic_store_n(&dev->regs.plain[addr_dw], value, __ATOMIC_SEQ_CST);
}

/* --- registers with one copy for each VMID, selected by SRBM --- */

static const uint32_t per_vmid[] = {
	BW_REG_SH_MEM_BASES,	       BW_REG_SH_MEM_CONFIG,	BW_REG_SQ_SHADER_TBA_LO,
	BW_REG_SQ_SHADER_TBA_HI,       BW_REG_SQ_SHADER_TMA_LO, BW_REG_SQ_SHADER_TMA_HI,
	BW_REG_SPI_GDBG_PER_VMID_CNTL,
};

static uint32_t *vmid_slot(struct bw_device *dev, uint32_t addr_dw, unsigned vmid)
{
	for (unsigned i = 0; i < BW_ARRAY_SIZE(per_vmid); i++)
		if (per_vmid[i] == addr_dw)
			return &dev->regs.per_vmid[i * BW_N_VMIDS + vmid % BW_N_VMIDS];
	return NULL;
}

uint32_t bw_reg_get_vmid(struct bw_device *dev, uint32_t addr_dw, unsigned vmid)
{
	return __atomic_load_n(vmid_slot(dev, addr_dw, vmid), __ATOMIC_SEQ_CST);
}

static uint32_t read_per_vmid(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw)
{
	return bw_reg_get_vmid(dev, addr_dw, b->vmid);
}

static void write_per_vmid(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
			   uint32_t value)
{
	__atomic_store_n(vmid_slot(dev, addr_dw, b->vmid), value, __ATOMIC_SEQ_CST);
	if (addr_dw == BW_REG_SPI_GDBG_PER_VMID_CNTL)
		bw_spi_unstalled(dev); /* STALL_VMID may have been cleared */
	if (addr_dw == BW_REG_SH_MEM_BASES && value && value != BW_SH_MEM_BASES)
		BW_LOG(WARN, "vgpu",
		       "SH_MEM_BASES 0x%08x of VMID %u: the executor keeps the apertures of 0x%08x",
		       value, b->vmid, BW_SH_MEM_BASES);
}

/* --- interrupt ring, clock --- */

static uint32_t read_ih(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw)
{
	return bw_ih_reg_read(dev, addr_dw);
}

static void write_ih(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
		     uint32_t value)
{
	bw_ih_reg_write(dev, addr_dw, value);
}

static void write_capture_clock(struct bw_device *dev, const struct bw_bank_sel *b,
				uint32_t addr_dw, uint32_t value)
{
	uint64_t now = bw_device_realtime(dev);
	bw_reg_set(dev, BW_REG_RLC_GPU_CLOCK_COUNT_LSB, (uint32_t)now);
	bw_reg_set(dev, BW_REG_RLC_GPU_CLOCK_COUNT_MSB, (uint32_t)(now >> 32));
}

static uint32_t read_clock(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw)
{
	uint64_t now = bw_device_realtime(dev);
	return addr_dw == BW_REG_CP_MES_MTIME_LO ? (uint32_t)now : (uint32_t)(now >> 32);
}

/* Host accesses to VRAM are coherent here: a flush is done when it is asked for. */
static void write_hdp_flush(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
			    uint32_t value)
{
	bw_reg_set(dev, BW_REG_GPU_HDP_FLUSH_REQ, value);
	bw_reg_set(dev, BW_REG_GPU_HDP_FLUSH_DONE, value);
}

/* --- GPUVM --- */

static uint32_t read_inv_sem(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw)
{
	return 1; /* "acquired": nobody else uses the engine */
}

static void write_inv_req(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
			  uint32_t value)
{
	bw_reg_set(dev, addr_dw, value);
	if (value >> 24 & 1) { /* CLEAR_PROTECTION_FAULT_STATUS_ADDR */
		pthread_mutex_lock(&dev->vm.lock);
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_STATUS, 0);
		pthread_mutex_unlock(&dev->vm.lock);
	}
	bw_vm_invalidate(dev, value & 0xffff);
}

/* Translations remember which pages are watched. */
static void write_tcp_watch(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
			    uint32_t value)
{
	bw_reg_set(dev, addr_dw, value);
	bw_vm_invalidate(dev, 0xffff);
}

static uint32_t read_inv_ack(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw)
{
	uint32_t req = bw_reg_get(dev, addr_dw - BW_REG_GCVM_INVALIDATE_ENG0_ACK +
					       BW_REG_GCVM_INVALIDATE_ENG0_REQ);
	return req & 0xffff & bw_vm_invalidate_done(dev);
}

/* The multimedia hub serves nothing in this device: an invalidation there is done at once. */
static uint32_t read_mm_inv_ack(struct bw_device *dev, const struct bw_bank_sel *b,
				uint32_t addr_dw)
{
	return bw_reg_get(dev, addr_dw - BW_REG_MMVM_INVALIDATE_ENG0_ACK +
				       BW_REG_MMVM_INVALIDATE_ENG0_REQ) &
	       0xffff;
}

static void write_fault_cntl(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
			     uint32_t value)
{
	pthread_mutex_lock(&dev->vm.lock);
	bw_reg_set(dev, addr_dw, value & ~1u);
	if (value & 1) { /* CLEAR_PROTECTION_FAULT_STATUS_ADDR */
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_STATUS, 0);
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO32, 0);
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI32, 0);
	}
	pthread_mutex_unlock(&dev->vm.lock);
}

static void write_ignored(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
			  uint32_t value)
{
	BW_LOG(DEBUG, "vgpu", "write of 0x%08x to read-only register 0x%05x", value, addr_dw);
}

/* --- what is busy --- */

static unsigned waves_in(struct bw_device *dev, unsigned se, unsigned sa)
{
	unsigned n = 0;
	for (unsigned i = 0; i < bw_sched_n_wgps(dev); i++) {
		const struct bw_wgp *wgp = bw_sched_wgp(dev, i);
		if ((se == ~0u || wgp->se == se) && (sa == ~0u || wgp->sa == sa))
			n += __atomic_load_n(&wgp->n_resident, __ATOMIC_RELAXED);
	}
	return n;
}

static uint32_t read_grbm_status(struct bw_device *dev, const struct bw_bank_sel *b,
				 uint32_t addr_dw)
{
	bool cp = bw_cp_busy(dev), spi = waves_in(dev, ~0u, ~0u);
	/* DB_CLEAN 12, CB_CLEAN 13; SPI_BUSY 22, ANY_ACTIVE 27, CP_BUSY 29, GUI_ACTIVE 31 */
	return 0x3000 | (spi ? 1u << 22 : 0) | (cp ? 1u << 29 : 0) |
	       (cp || spi ? 1u << 27 | 1u << 31 : 0);
}

static uint32_t read_grbm_status_se(struct bw_device *dev, const struct bw_bank_sel *b,
				    uint32_t addr_dw)
{
	static const uint32_t regs[] = {BW_REG_GRBM_STATUS_SE0, BW_REG_GRBM_STATUS_SE1,
					BW_REG_GRBM_STATUS_SE2, BW_REG_GRBM_STATUS_SE3,
					BW_REG_GRBM_STATUS_SE4, BW_REG_GRBM_STATUS_SE5};
	for (unsigned se = 0; se < BW_ARRAY_SIZE(regs); se++)
		if (regs[se] == addr_dw) /* DB_CLEAN 1, CB_CLEAN 2, SPI_BUSY 27 */
			return 6 | (waves_in(dev, se, ~0u) ? 1u << 27 : 0);
	return 0;
}

static uint32_t read_cp_stat(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw)
{
	return bw_cp_busy(dev) ? 1u << 31 : 0; /* CP_BUSY */
}

static uint32_t read_cpc_status(struct bw_device *dev, const struct bw_bank_sel *b,
				uint32_t addr_dw)
{
	return bw_cp_busy(dev) ? 1u << 31 | 1u : 0; /* CPC_BUSY, MEC1_BUSY */
}

/* Every unit idle, or not: IDLE 0, RB_EMPTY 2, RB_CMD_IDLE 4, IB_CMD_IDLE 6, BLOCK_IDLE 8, EX_IDLE
 * 10, and those of memory; REG_IDLE 1 always. */
static uint32_t read_sdma_status(struct bw_device *dev, const struct bw_bank_sel *b,
				 uint32_t addr_dw)
{
	bool busy = bw_sdma_busy(dev, addr_dw == BW_REG_SDMA1_STATUS_REG);
	return busy ? 0x44006002 : 0x461e6557;
}

static uint32_t read_sq_debug_global(struct bw_device *dev, const struct bw_bank_sel *b,
				     uint32_t addr_dw)
{
	unsigned sa0 = waves_in(dev, b->se, 0), sa1 = waves_in(dev, b->se, 1);
	return (sa0 + sa1 ? 1u : 0) | BW_MIN(sa0, 0xfffu) << 4 | BW_MIN(sa1, 0xfffu) << 16;
}

/* --- SQ --- */

static uint32_t read_sq_ind_index(struct bw_device *dev, const struct bw_bank_sel *b,
				  uint32_t addr_dw)
{
	return bw_sq_ind_index(dev, b);
}

static void write_sq_ind_index(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
			       uint32_t value)
{
	bw_sq_ind_set_index(dev, b, value);
}

static uint32_t read_sq_ind_data(struct bw_device *dev, const struct bw_bank_sel *b,
				 uint32_t addr_dw)
{
	return bw_sq_ind_read(dev, b);
}

static void write_sq_ind_data(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
			      uint32_t value)
{
	bw_sq_ind_write(dev, b, value);
}

static void write_sq_cmd(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
			 uint32_t value)
{
	bw_reg_set(dev, addr_dw, value);
	bw_sq_cmd(dev, b, value);
}

/* --- queues --- */

static uint32_t read_hqd(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw)
{
	return bw_cp_hqd_read(dev, b, addr_dw);
}

static void write_hqd(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
		      uint32_t value)
{
	bw_cp_hqd_write(dev, b, addr_dw, value);
}

/* --- the table: everything not listed is plain storage ---
 *
 * To give a register behaviour: its row in gc_11_0_0.h, a function or two above, a row here. One
 * that is banked by VMID: also a line in per_vmid; by queue: it belongs to cp.c. */

static const struct {
	uint32_t first, count;
	bw_reg_read_fn *read;	/* NULL: storage */
	bw_reg_write_fn *write; /* NULL: storage */
} rows[] = {
	{0}, /* row 0: no handler */
	{BW_REG_SH_MEM_BASES, 2, read_per_vmid, write_per_vmid},
	{BW_REG_SQ_SHADER_TBA_LO, 4, read_per_vmid, write_per_vmid},
	{BW_REG_SPI_GDBG_PER_VMID_CNTL, 1, read_per_vmid, write_per_vmid},
	{BW_REG_GPU_HDP_FLUSH_REQ, 1, NULL, write_hdp_flush},
	{BW_REG_GPU_HDP_FLUSH_DONE, 1, NULL, write_ignored},
	{BW_REG_RCC_CONFIG_MEMSIZE, 1, NULL, write_ignored},
	{BW_REG_IH_RB_CNTL, 1, NULL, write_ih},
	{BW_REG_IH_RB_RPTR, 2, read_ih, write_ih},
	{BW_REG_RLC_CAPTURE_GPU_CLOCK_COUNT, 1, NULL, write_capture_clock},
	{BW_REG_CP_MES_MTIME_LO, 1, read_clock, write_ignored},
	{BW_REG_CP_MES_MTIME_HI, 1, read_clock, write_ignored},
	{BW_REG_GCVM_INVALIDATE_ENG0_SEM, 18, read_inv_sem, NULL},
	{BW_REG_GCVM_INVALIDATE_ENG0_REQ, 18, NULL, write_inv_req},
	{BW_REG_GCVM_INVALIDATE_ENG0_ACK, 18, read_inv_ack, write_ignored},
	{BW_REG_MMVM_INVALIDATE_ENG0_SEM, 18, read_inv_sem, NULL},
	{BW_REG_MMVM_INVALIDATE_ENG0_ACK, 18, read_mm_inv_ack, write_ignored},
	{BW_REG_GCVM_L2_PROTECTION_FAULT_CNTL, 1, NULL, write_fault_cntl},
	{BW_REG_GCVM_L2_PROTECTION_FAULT_STATUS, 3, NULL, write_ignored},
	{BW_REG_GRBM_STATUS, 1, read_grbm_status, write_ignored},
	{BW_REG_GRBM_STATUS_SE0, 1, read_grbm_status_se, write_ignored},
	{BW_REG_GRBM_STATUS_SE1, 1, read_grbm_status_se, write_ignored},
	{BW_REG_GRBM_STATUS_SE2, 1, read_grbm_status_se, write_ignored},
	{BW_REG_GRBM_STATUS_SE3, 1, read_grbm_status_se, write_ignored},
	{BW_REG_GRBM_STATUS_SE4, 1, read_grbm_status_se, write_ignored},
	{BW_REG_GRBM_STATUS_SE5, 1, read_grbm_status_se, write_ignored},
	{BW_REG_CP_STAT, 1, read_cp_stat, write_ignored},
	{BW_REG_CP_CPC_STATUS, 1, read_cpc_status, write_ignored},
	{BW_REG_GB_ADDR_CONFIG, 1, NULL, write_ignored},
	{BW_REG_SQ_DEBUG_STS_GLOBAL, 1, read_sq_debug_global, write_ignored},
	{BW_REG_TCP_WATCH0_ADDR_H, 12, NULL, write_tcp_watch},
	{BW_REG_SQ_IND_INDEX, 1, read_sq_ind_index, write_sq_ind_index},
	{BW_REG_SQ_IND_DATA, 1, read_sq_ind_data, write_sq_ind_data},
	{BW_REG_SQ_CMD, 1, NULL, write_sq_cmd},
	{BW_REG_CP_MQD_BASE_ADDR, BW_REG_CP_HQD_DEQUEUE_STATUS - BW_REG_CP_MQD_BASE_ADDR + 1,
	 read_hqd, write_hqd},
	{BW_REG_SDMA0_STATUS_REG, 1, read_sdma_status, write_ignored},
	{BW_REG_SDMA1_STATUS_REG, 1, read_sdma_status, write_ignored},
	{BW_REG_SDMA0_QUEUE0_RB_CNTL, BW_N_SDMA_QUEUE_REGS, bw_sdma_reg_read, bw_sdma_reg_write},
	{BW_REG_SDMA0_QUEUE0_RB_CNTL + BW_SDMA_REG_STRIDE, BW_N_SDMA_QUEUE_REGS, bw_sdma_reg_read,
	 bw_sdma_reg_write},
	{BW_REG_SH_BEGIN, BW_REG_SH_END - BW_REG_SH_BEGIN, read_hqd, write_hqd},
};

/* What the registers hold when the driver comes: reset values, and what a VBIOS has set up. */
static void set_defaults(struct bw_device *dev)
{
	const struct bw_profile *p = dev->profile;
	/* VRAM at MC address 512 GiB, everything else off; VMID 0 reaches it untranslated
	 * (doc/hardware/page-tables.md 5: SYSTEM_ACCESS_MODE 3, the aperture around the
	 * framebuffer). */
	uint32_t fb_base = 0x8000, fb_top = fb_base + (uint32_t)((p->vram_size_b - 1) >> 24);
	bw_reg_set(dev, BW_REG_GCMC_VM_FB_LOCATION_BASE, fb_base);
	bw_reg_set(dev, BW_REG_GCMC_VM_FB_LOCATION_TOP, fb_top);
	bw_reg_set(dev, BW_REG_MMMC_VM_FB_LOCATION_BASE, fb_base);
	bw_reg_set(dev, BW_REG_MMMC_VM_FB_LOCATION_TOP, fb_top);
	bw_reg_set(dev, BW_REG_GCMC_VM_AGP_BOT, 0xffffff);
	bw_reg_set(dev, BW_REG_GCMC_VM_SYSTEM_APERTURE_LOW_ADDR, fb_base << 6);
	bw_reg_set(dev, BW_REG_GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR, (fb_top << 6) | 0x3f);
	bw_reg_set(dev, BW_REG_GCMC_VM_MX_L1_TLB_CNTL, 0x1859);

	bw_reg_set(dev, BW_REG_GB_ADDR_CONFIG, p->gb_addr_config);
	bw_reg_set(dev, BW_REG_GB_ADDR_CONFIG_READ, p->gb_addr_config);
	bw_reg_set(dev, BW_REG_RCC_CONFIG_MEMSIZE, (uint32_t)(p->vram_size_b >> 20));
	bw_reg_set(dev, BW_REG_GRBM_GFX_INDEX, 0xe0000000);
	bw_reg_set(dev, BW_REG_RLC_RLCS_BOOTLOAD_STATUS, 0x80000000);
	/* SINGLE_MEMOP: memory exceptions of this device are precise, and a debugger can tell. */
	bw_reg_set(dev, BW_REG_SQ_DEBUG, 1);
	for (unsigned v = 0; v < BW_N_VMIDS; v++) {
		*vmid_slot(dev, BW_REG_SH_MEM_BASES, v) = BW_SH_MEM_BASES;
		*vmid_slot(dev, BW_REG_SH_MEM_CONFIG, v) = 3 << 2; /* unaligned */
	}
}

struct bw_error *bw_registers_init(struct bw_device *dev)
{
	struct bw_registers *r = &dev->regs;
	r->plain = calloc(BW_REG_SPACE_DW, sizeof(*r->plain));
	r->handler = calloc(BW_REG_SPACE_DW, 1);
	r->per_vmid = calloc(BW_ARRAY_SIZE(per_vmid) * BW_N_VMIDS, sizeof(*r->per_vmid));
	if (!r->plain || !r->handler || !r->per_vmid)
		return bw_error_nomem();
	_Static_assert(BW_ARRAY_SIZE(rows) < 256, "row numbers are bytes");
	for (unsigned i = 1; i < BW_ARRAY_SIZE(rows); i++)
		for (uint32_t a = rows[i].first; a < rows[i].first + rows[i].count; a++)
			r->handler[a] = (uint8_t)i;
	set_defaults(dev);
	return bw_sq_init(dev);
}

void bw_registers_fini(struct bw_device *dev)
{
	free(dev->regs.plain);
	free(dev->regs.handler);
	free(dev->regs.per_vmid);
	bw_sq_fini(dev);
}

/* A bank that was not selected by the caller is the one in GRBM_GFX_INDEX and GRBM_GFX_CNTL. */
static struct bw_bank_sel resolve(struct bw_device *dev, const struct bw_bank *bank)
{
	struct bw_bank_sel s;
	if (bank && bank->use_grbm) {
		s.se = bank->se, s.sa = bank->sa, s.instance = bank->instance;
	} else {
		uint32_t g = bw_reg_get(dev, BW_REG_GRBM_GFX_INDEX);
		s.instance = g >> 30 & 1 ? ~0u : g & 0xff;
		s.sa = g >> 29 & 1 ? ~0u : g >> 8 & 0xff;
		s.se = g >> 31 ? ~0u : g >> 16 & 0xff;
	}
	if (bank && bank->use_srbm) {
		s.me = bank->me, s.pipe = bank->pipe, s.queue = bank->queue, s.vmid = bank->vmid;
	} else {
		uint32_t g = bw_reg_get(dev, BW_REG_GRBM_GFX_CNTL);
		s.pipe = g & 3, s.me = g >> 2 & 3, s.vmid = g >> 4 & 0xf, s.queue = g >> 8 & 7;
	}
	s.vmid %= BW_N_VMIDS;
	return s;
}

/* Whether some block of this device has a register there. */
static bool is_register(struct bw_device *dev, uint32_t addr_dw)
{
	const struct bw_profile *p = dev->profile;
	const struct {
		const char *name;
		uint32_t version;
		const uint32_t *segment;
	} blocks[] = {
		{"gc", p->gc_version, p->gc_segment},
		{"mmhub", BW_IP_VERSION(3, 0, 0), p->mmhub_segment},
		{"osssys", BW_IP_VERSION(6, 0, 0), p->osssys_segment},
		{"hdp", BW_IP_VERSION(6, 0, 0), p->hdp_segment},
	};
	if (dev->regs.handler[addr_dw])
		return true;
	for (size_t i = 0; i < BW_ARRAY_SIZE(blocks); i++) {
		const struct bw_regs_block *b;
		struct bw_reg reg;
		struct bw_error *err = bw_regs_find(blocks[i].name, blocks[i].version, &b);
		bw_error_free(err);
		if (!err && bw_regs_at_address(b, blocks[i].segment, BW_ARRAY_SIZE(p->gc_segment),
					       addr_dw, &reg))
			return true;
	}
	return false;
}

uint32_t bw_device_reg_read(struct bw_device *dev, const struct bw_bank *bank, uint32_t addr_dw)
{
	if (addr_dw >= BW_REG_SPACE_DW) {
		BW_LOG(WARN, "vgpu", "read of 0x%x, which is no register of this device", addr_dw);
		return 0;
	}
	struct bw_bank_sel s = resolve(dev, bank);
	bw_reg_read_fn *fn = rows[dev->regs.handler[addr_dw]].read;
	uint32_t v = fn ? fn(dev, &s, addr_dw) : bw_reg_get(dev, addr_dw);
	BW_LOG(TRACE, "vgpu", "read  0x%05x = 0x%08x", addr_dw, v);
	if (bw_log_on(BW_LOG_WARN, "vgpu") && !is_register(dev, addr_dw))
		BW_LOG(WARN, "vgpu", "read of 0x%05x, where no register is", addr_dw);
	return v;
}

void bw_device_reg_write(struct bw_device *dev, const struct bw_bank *bank, uint32_t addr_dw,
			 uint32_t value)
{
	if (addr_dw >= BW_REG_SPACE_DW) {
		BW_LOG(WARN, "vgpu", "write to 0x%x, which is no register of this device", addr_dw);
		return;
	}
	BW_LOG(TRACE, "vgpu", "write 0x%05x = 0x%08x", addr_dw, value);
	struct bw_bank_sel s = resolve(dev, bank);
	bw_reg_write_fn *fn = rows[dev->regs.handler[addr_dw]].write;
	if (fn)
		fn(dev, &s, addr_dw, value);
	else
		bw_reg_set(dev, addr_dw, value);
}
