/* SPDX-License-Identifier: MIT */
#include "vgpu/device/device_priv.h"
#include "vgpu/device/draw_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "gpuvm/gpuvm.h"
#include "regs/regs.h"
#include "vgpu/device/cp.h"
#include "vgpu/device/scheduler.h"
#include "vgpu/device/sdma_engine.h"

static uint32_t load(struct bw_device *dev, uint32_t addr_dw)
{
	return __atomic_load_n(&dev->regs.plain[addr_dw], __ATOMIC_SEQ_CST);
}

static void store(struct bw_device *dev, uint32_t addr_dw, uint32_t value)
{
	__atomic_store_n(&dev->regs.plain[addr_dw], value, __ATOMIC_SEQ_CST);
}

uint32_t bw_reg_get(struct bw_device *dev, enum bw_register reg)
{
	return load(dev, dev->regs.map.addr_dw[reg]);
}

void bw_reg_set(struct bw_device *dev, enum bw_register reg, uint32_t value)
{
	store(dev, dev->regs.map.addr_dw[reg], value);
}

/* --- registers with one copy for each VMID, selected by SRBM --- */

enum { N_PER_VMID = 7 };
static const uint8_t per_vmid[BW_N_REGISTERS] = {
	[BW_REG_SH_MEM_BASES] = 0,	     [BW_REG_SH_MEM_CONFIG] = 1,
	[BW_REG_SQ_SHADER_TBA_LO] = 2,	     [BW_REG_SQ_SHADER_TBA_HI] = 3,
	[BW_REG_SQ_SHADER_TMA_LO] = 4,	     [BW_REG_SQ_SHADER_TMA_HI] = 5,
	[BW_REG_SPI_GDBG_PER_VMID_CNTL] = 6,
};

static uint32_t *vmid_slot(struct bw_device *dev, enum bw_register reg, unsigned vmid)
{
	return &dev->regs.per_vmid[per_vmid[reg] * BW_N_VMIDS + vmid % BW_N_VMIDS];
}

uint32_t bw_reg_get_vmid(struct bw_device *dev, enum bw_register reg, unsigned vmid)
{
	return __atomic_load_n(vmid_slot(dev, reg, vmid), __ATOMIC_SEQ_CST);
}

static uint32_t read_per_vmid(struct bw_device *dev, const struct bw_bank_sel *b,
			      enum bw_register reg)
{
	return bw_reg_get_vmid(dev, reg, b->vmid);
}

static void write_per_vmid(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
			   uint32_t value)
{
	__atomic_store_n(vmid_slot(dev, reg, b->vmid), value, __ATOMIC_SEQ_CST);
	if (reg == BW_REG_SPI_GDBG_PER_VMID_CNTL)
		bw_spi_unstalled(dev); /* STALL_VMID may have been cleared */
	if (reg == BW_REG_SH_MEM_BASES && value && value != BW_SH_MEM_BASES)
		BW_LOG(WARN, "vgpu",
		       "SH_MEM_BASES 0x%08x of VMID %u: the executor keeps the apertures of 0x%08x",
		       value, b->vmid, BW_SH_MEM_BASES);
}

/* --- interrupt ring, clock --- */

static uint32_t read_ih(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg)
{
	return bw_ih_reg_read(dev, reg);
}

static void write_ih(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
		     uint32_t value)
{
	bw_ih_reg_write(dev, reg, value);
}

static void write_capture_clock(struct bw_device *dev, const struct bw_bank_sel *b,
				enum bw_register reg, uint32_t value)
{
	uint64_t now = bw_device_realtime(dev);
	bw_reg_set(dev, BW_REG_RLC_GPU_CLOCK_COUNT_LSB, (uint32_t)now);
	bw_reg_set(dev, BW_REG_RLC_GPU_CLOCK_COUNT_MSB, bw_hi32(now));
}

static uint32_t read_clock(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg)
{
	uint64_t now = bw_device_realtime(dev);
	bool is_upper = reg == BW_REG_CP_MES_MTIME_HI || reg == BW_REG_GOLDEN_TSC_COUNT_UPPER;
	return is_upper ? bw_hi32(now) : bw_lo32(now);
}

/* Host accesses to VRAM are coherent here: a flush is done when it is asked for. */
static void write_hdp_flush(struct bw_device *dev, const struct bw_bank_sel *b,
			    enum bw_register reg, uint32_t value)
{
	bw_reg_set(dev, BW_REG_GPU_HDP_FLUSH_REQ, value);
	bw_reg_set(dev, BW_REG_GPU_HDP_FLUSH_DONE, value);
}

/* --- GPUVM --- */

static uint32_t read_inv_sem(struct bw_device *dev, const struct bw_bank_sel *b,
			     enum bw_register reg)
{
	return 1; /* "acquired": no other driver uses the engine */
}

static void write_inv_req(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
			  uint32_t value)
{
	bw_reg_set(dev, reg, value);
	if (BW_FIELD_GET(GCVM_INVALIDATE_ENG0_REQ, CLEAR_PROTECTION_FAULT_STATUS_ADDR, value)) {
		pthread_mutex_lock(&dev->vm.lock);
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_STATUS, 0);
		pthread_mutex_unlock(&dev->vm.lock);
	}
	bw_vm_invalidate(dev,
			 BW_FIELD_GET(GCVM_INVALIDATE_ENG0_REQ, PER_VMID_INVALIDATE_REQ, value));
}

/* Translations remember which pages are watched. */
static void write_tcp_watch(struct bw_device *dev, const struct bw_bank_sel *b,
			    enum bw_register reg, uint32_t value)
{
	bw_reg_set(dev, reg, value);
	bw_vm_invalidate(dev, 0xffff);
}

static uint32_t read_inv_ack(struct bw_device *dev, const struct bw_bank_sel *b,
			     enum bw_register reg)
{
	uint32_t req = bw_reg_get(dev, BW_REG_GCVM_INVALIDATE_ENG0_REQ + reg -
					       BW_REG_GCVM_INVALIDATE_ENG0_ACK);
	return BW_FIELD_GET(GCVM_INVALIDATE_ENG0_REQ, PER_VMID_INVALIDATE_REQ, req) &
	       bw_vm_invalidate_done(dev);
}

/* The multimedia hub serves nothing in this device: an invalidation there is done at once. */
static uint32_t read_mm_inv_ack(struct bw_device *dev, const struct bw_bank_sel *b,
				enum bw_register reg)
{
	uint32_t req = bw_reg_get(dev, BW_REG_MMVM_INVALIDATE_ENG0_REQ + reg -
					       BW_REG_MMVM_INVALIDATE_ENG0_ACK);
	return BW_FIELD_GET(MMVM_INVALIDATE_ENG0_REQ, PER_VMID_INVALIDATE_REQ, req);
}

static void write_fault_cntl(struct bw_device *dev, const struct bw_bank_sel *b,
			     enum bw_register reg, uint32_t value)
{
	pthread_mutex_lock(&dev->vm.lock);
	bw_reg_set(dev, reg,
		   BW_FIELD_SET(GCVM_L2_PROTECTION_FAULT_CNTL, CLEAR_PROTECTION_FAULT_STATUS_ADDR,
				value, 0));
	if (BW_FIELD_GET(GCVM_L2_PROTECTION_FAULT_CNTL, CLEAR_PROTECTION_FAULT_STATUS_ADDR,
			 value)) {
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_STATUS, 0);
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO32, 0);
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI32, 0);
	}
	pthread_mutex_unlock(&dev->vm.lock);
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
				 enum bw_register reg)
{
	bool cp = bw_cp_busy(dev), spi = waves_in(dev, ~0u, ~0u);
	return BW_FIELD_MASK(GRBM_STATUS, DB_CLEAN) | BW_FIELD_MASK(GRBM_STATUS, CB_CLEAN) |
	       BW_FIELD(GRBM_STATUS, SPI_BUSY, spi) | BW_FIELD(GRBM_STATUS, CP_BUSY, cp) |
	       BW_FIELD(GRBM_STATUS, ANY_ACTIVE, cp || spi) |
	       BW_FIELD(GRBM_STATUS, GUI_ACTIVE, cp || spi);
}

static uint32_t read_grbm_status2(struct bw_device *dev, const struct bw_bank_sel *b,
				  enum bw_register reg)
{
	bool cp = bw_cp_busy(dev);
	return BW_FIELD(GRBM_STATUS2, CPF_BUSY, cp) | BW_FIELD(GRBM_STATUS2, CPC_BUSY, cp) |
	       BW_FIELD(GRBM_STATUS2, CPG_BUSY, cp) |
	       BW_FIELD(GRBM_STATUS2, SDMA_BUSY, bw_sdma_busy(dev, 0) || bw_sdma_busy(dev, 1));
}

static uint32_t read_grbm_status_se(struct bw_device *dev, const struct bw_bank_sel *b,
				    enum bw_register reg)
{
	unsigned se = reg - BW_REG_GRBM_STATUS_SE0;
	return BW_FIELD_MASK(GRBM_STATUS_SE0, DB_CLEAN) | BW_FIELD_MASK(GRBM_STATUS_SE0, CB_CLEAN) |
	       BW_FIELD(GRBM_STATUS_SE0, SPI_BUSY, waves_in(dev, se, ~0u) != 0);
}

static uint32_t read_cp_stat(struct bw_device *dev, const struct bw_bank_sel *b,
			     enum bw_register reg)
{
	return BW_FIELD(CP_STAT, CP_BUSY, bw_cp_busy(dev));
}

static uint32_t read_cpc_status(struct bw_device *dev, const struct bw_bank_sel *b,
				enum bw_register reg)
{
	bool busy = bw_cp_busy(dev);
	return BW_FIELD(CP_CPC_STATUS, CPC_BUSY, busy) | BW_FIELD(CP_CPC_STATUS, MEC1_BUSY, busy);
}

/* Every unit idle, or not; REG_IDLE always. */
static uint32_t read_sdma_status(struct bw_device *dev, const struct bw_bank_sel *b,
				 enum bw_register reg)
{
	const uint32_t always = BW_FIELD_MASK(SDMA0_STATUS_REG, REG_IDLE) |
				BW_FIELD_MASK(SDMA0_STATUS_REG, MC_WR_IDLE) |
				BW_FIELD_MASK(SDMA0_STATUS_REG, SRBM_IDLE) |
				BW_FIELD_MASK(SDMA0_STATUS_REG, SEM_IDLE) |
				BW_FIELD_MASK(SDMA0_STATUS_REG, INT_IDLE);
	const uint32_t idle = BW_FIELD_MASK(SDMA0_STATUS_REG, IDLE) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, RB_EMPTY) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, RB_CMD_IDLE) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, IB_CMD_IDLE) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, BLOCK_IDLE) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, EX_IDLE) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, RB_MC_RREQ_IDLE) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, IB_MC_RREQ_IDLE) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, MC_RD_IDLE) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, DELTA_RPTR_EMPTY) |
			      BW_FIELD_MASK(SDMA0_STATUS_REG, PREV_CMD_IDLE);
	return always | (bw_sdma_busy(dev, reg - BW_REG_SDMA0_STATUS_REG) ? 0 : idle);
}

static uint32_t read_sq_debug_global(struct bw_device *dev, const struct bw_bank_sel *b,
				     enum bw_register reg)
{
	unsigned sa0 = waves_in(dev, b->se, 0), sa1 = waves_in(dev, b->se, 1);
	const unsigned most = BW_FIELD_MAX(SQ_DEBUG_STS_GLOBAL, WAVE_LEVEL_SA0);
	return BW_FIELD(SQ_DEBUG_STS_GLOBAL, BUSY, sa0 + sa1 != 0) |
	       BW_FIELD(SQ_DEBUG_STS_GLOBAL, WAVE_LEVEL_SA0, BW_MIN(sa0, most)) |
	       BW_FIELD(SQ_DEBUG_STS_GLOBAL, WAVE_LEVEL_SA1, BW_MIN(sa1, most));
}

/* --- SQ --- */

static uint32_t read_sq_ind_index(struct bw_device *dev, const struct bw_bank_sel *b,
				  enum bw_register reg)
{
	return bw_sq_ind_index(dev, b);
}

static void write_sq_ind_index(struct bw_device *dev, const struct bw_bank_sel *b,
			       enum bw_register reg, uint32_t value)
{
	bw_sq_ind_set_index(dev, b, value);
}

static uint32_t read_sq_ind_data(struct bw_device *dev, const struct bw_bank_sel *b,
				 enum bw_register reg)
{
	return bw_sq_ind_read(dev, b);
}

static void write_sq_ind_data(struct bw_device *dev, const struct bw_bank_sel *b,
			      enum bw_register reg, uint32_t value)
{
	bw_sq_ind_write(dev, b, value);
}

static void write_sq_cmd(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
			 uint32_t value)
{
	bw_reg_set(dev, reg, value);
	bw_sq_cmd(dev, b, value);
}

/* The graphics queue of a pipe; CP_RB0_* are those of pipe 0. */
static uint32_t read_gfx_hqd(struct bw_device *dev, const struct bw_bank_sel *b,
			     enum bw_register reg)
{
	static const struct {
		uint16_t reg, hqd;
	} same[] = {
		{BW_REG_CP_GFX_MQD_BASE_ADDR, BW_REG_CP_MQD_BASE_ADDR},
		{BW_REG_CP_GFX_MQD_BASE_ADDR_HI, BW_REG_CP_MQD_BASE_ADDR_HI},
		{BW_REG_CP_GFX_HQD_ACTIVE, BW_REG_CP_HQD_ACTIVE},
		{BW_REG_CP_GFX_HQD_VMID, BW_REG_CP_HQD_VMID},
		{BW_REG_CP_GFX_HQD_BASE, BW_REG_CP_HQD_PQ_BASE},
		{BW_REG_CP_GFX_HQD_BASE_HI, BW_REG_CP_HQD_PQ_BASE_HI},
		{BW_REG_CP_GFX_HQD_RPTR, BW_REG_CP_HQD_PQ_RPTR},
		{BW_REG_CP_GFX_HQD_RPTR_ADDR, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR},
		{BW_REG_CP_GFX_HQD_RPTR_ADDR_HI, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI},
		{BW_REG_CP_GFX_HQD_CNTL, BW_REG_CP_HQD_PQ_CONTROL},
		{BW_REG_CP_GFX_HQD_WPTR, BW_REG_CP_HQD_PQ_WPTR_LO},
		{BW_REG_CP_GFX_HQD_WPTR_HI, BW_REG_CP_HQD_PQ_WPTR_HI},
		{BW_REG_CP_RB0_BASE, BW_REG_CP_HQD_PQ_BASE},
		{BW_REG_CP_RB0_BASE_HI, BW_REG_CP_HQD_PQ_BASE_HI},
		{BW_REG_CP_RB0_CNTL, BW_REG_CP_HQD_PQ_CONTROL},
		{BW_REG_CP_RB0_RPTR, BW_REG_CP_HQD_PQ_RPTR},
		{BW_REG_CP_RB0_RPTR_ADDR, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR},
		{BW_REG_CP_RB0_RPTR_ADDR_HI, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI},
		{BW_REG_CP_RB0_WPTR, BW_REG_CP_HQD_PQ_WPTR_LO},
		{BW_REG_CP_RB0_WPTR_HI, BW_REG_CP_HQD_PQ_WPTR_HI},
		{BW_REG_CP_RB0_ACTIVE, BW_REG_CP_HQD_ACTIVE},
	};
	const struct bw_bank_sel gfx = {.pipe = reg < BW_REG_CP_RB0_BASE ? b->pipe : 0};
	for (size_t i = 0; i < BW_ARRAY_SIZE(same); i++)
		if (same[i].reg == reg)
			return bw_cp_hqd_read(dev, &gfx, same[i].hqd);
	return load(dev, dev->regs.map.addr_dw[reg]);
}

/* The bank selection that the driver has set for this access. */
static uint32_t read_grbm_gfx_index(struct bw_device *dev, const struct bw_bank_sel *b,
				    enum bw_register reg)
{
#define SELECT(what, index)                                                                        \
	((index) == ~0u ? BW_FIELD_MASK(GRBM_GFX_INDEX, what##_BROADCAST_WRITES)                   \
			: BW_FIELD(GRBM_GFX_INDEX, what##_INDEX, index))
	return SELECT(INSTANCE, b->instance) | SELECT(SA, b->sa) | SELECT(SE, b->se);
#undef SELECT
}

static uint32_t read_grbm_gfx_cntl(struct bw_device *dev, const struct bw_bank_sel *b,
				   enum bw_register reg)
{
	return BW_FIELD(GRBM_GFX_CNTL, PIPEID, b->pipe) | BW_FIELD(GRBM_GFX_CNTL, MEID, b->me) |
	       BW_FIELD(GRBM_GFX_CNTL, VMID, b->vmid) | BW_FIELD(GRBM_GFX_CNTL, QUEUEID, b->queue);
}

/* A pipe in reset has no queues. A driver that is unloaded ends the KIQ by nothing else. */
static void write_pipe_cntl(struct bw_device *dev, const struct bw_bank_sel *b,
			    enum bw_register reg, uint32_t value)
{
	bool of_mes = reg == BW_REG_CP_MES_CNTL;
	const uint32_t resets = BW_FIELD_MASK(CP_MES_CNTL, MES_PIPE0_RESET) |
				BW_FIELD_MASK(CP_MES_CNTL, MES_PIPE1_RESET) |
				BW_FIELD_MASK(CP_MES_CNTL, MES_PIPE2_RESET) |
				BW_FIELD_MASK(CP_MES_CNTL, MES_PIPE3_RESET);
	bw_reg_set(dev, reg, value);
	uint32_t pipes = (value & resets) / BW_FIELD_MASK(CP_MES_CNTL, MES_PIPE0_RESET);
	if (pipes)
		bw_cp_reset_pipes(dev, of_mes ? 3 : 1, pipes);
}

/* The versions of the firmware on the pipe: its own in 11:0, that of its interface in 23:12. */
static uint32_t read_mes_version(struct bw_device *dev, const struct bw_bank_sel *b,
				 enum bw_register reg)
{
	const char *name = b->pipe ? "MES_KIQ" : "MES";
	for (size_t i = 0; b->me == 3 && i < dev->profile->n_firmware; i++) {
		const struct bw_profile_firmware *f = &dev->profile->firmware[i];
		if (!strcmp(f->name, name))
			return f->feature << 12 | f->version;
	}
	return 0;
}

/* --- the table: everything not listed is plain storage ---
 *
 * To give a register behaviour: its row in data/regs/gfx11.list (which says whether it is read-only
 * and its reset value), a function or two above, a row
 * here. One that is banked by VMID: also a line in per_vmid; by queue: it belongs to cp.c. */

#define ONE(name) BW_REG_##name, BW_REG_##name
#define ROW(first, last) BW_REG_##first, BW_REG_##last /* of the list: one after the other there */
static const struct {
	uint16_t first, last;
	bw_reg_read_fn *read;	/* NULL: storage */
	bw_reg_write_fn *write; /* NULL: storage */
} rows[] = {
	{ONE(NONE), NULL, NULL}, /* row 0: no handler */
	{ONE(SH_MEM_BASES), read_per_vmid, write_per_vmid},
	{ONE(SH_MEM_CONFIG), read_per_vmid, write_per_vmid},
	{ONE(SQ_SHADER_TBA_LO), read_per_vmid, write_per_vmid},
	{ONE(SQ_SHADER_TBA_HI), read_per_vmid, write_per_vmid},
	{ONE(SQ_SHADER_TMA_LO), read_per_vmid, write_per_vmid},
	{ONE(SQ_SHADER_TMA_HI), read_per_vmid, write_per_vmid},
	{ONE(SPI_GDBG_PER_VMID_CNTL), read_per_vmid, write_per_vmid},
	{ONE(MM_DATA), bw_bus_read_mm, bw_bus_write_mm},
	{ONE(RSMU_DATA), bw_bus_read_rsmu, bw_bus_write_rsmu},
	{ONE(CP_MES_CNTL), NULL, write_pipe_cntl},
	{ONE(CP_MEC_RS64_CNTL), NULL, write_pipe_cntl},
	{ONE(CP_MES_GP3_LO), read_mes_version, NULL},
	{ONE(GPU_HDP_FLUSH_REQ), NULL, write_hdp_flush},
	{ONE(IH_RB_CNTL), NULL, write_ih},
	{ONE(IH_RB_RPTR), read_ih, write_ih},
	{ONE(IH_RB_WPTR), read_ih, write_ih},
	{ONE(RLC_CAPTURE_GPU_CLOCK_COUNT), NULL, write_capture_clock},
	{ONE(CP_MES_MTIME_LO), read_clock, NULL},
	{ONE(CP_MES_MTIME_HI), read_clock, NULL},
	{ONE(GOLDEN_TSC_COUNT_UPPER), read_clock, NULL},
	{ONE(GOLDEN_TSC_COUNT_LOWER), read_clock, NULL},
	{ROW(GCVM_INVALIDATE_ENG0_SEM, GCVM_INVALIDATE_ENG17_SEM), read_inv_sem, NULL},
	{ROW(GCVM_INVALIDATE_ENG0_REQ, GCVM_INVALIDATE_ENG17_REQ), NULL, write_inv_req},
	{ROW(GCVM_INVALIDATE_ENG0_ACK, GCVM_INVALIDATE_ENG17_ACK), read_inv_ack, NULL},
	{ROW(MMVM_INVALIDATE_ENG0_SEM, MMVM_INVALIDATE_ENG17_SEM), read_inv_sem, NULL},
	{ROW(MMVM_INVALIDATE_ENG0_ACK, MMVM_INVALIDATE_ENG17_ACK), read_mm_inv_ack, NULL},
	{ONE(GCVM_L2_PROTECTION_FAULT_CNTL), NULL, write_fault_cntl},
	{ONE(GRBM_STATUS), read_grbm_status, NULL},
	{ROW(GRBM_STATUS_SE0, GRBM_STATUS_SE5), read_grbm_status_se, NULL},
	{ONE(CP_STAT), read_cp_stat, NULL},
	{ONE(CP_CPC_STATUS), read_cpc_status, NULL},
	{ONE(SQ_DEBUG_STS_GLOBAL), read_sq_debug_global, NULL},
	{ROW(TCP_WATCH0_ADDR_H, TCP_WATCH3_ADDR_H), NULL, write_tcp_watch},
	{ROW(TCP_WATCH0_ADDR_L, TCP_WATCH3_ADDR_L), NULL, write_tcp_watch},
	{ROW(TCP_WATCH0_CNTL, TCP_WATCH3_CNTL), NULL, write_tcp_watch},
	{ONE(SQ_IND_INDEX), read_sq_ind_index, write_sq_ind_index},
	{ONE(SQ_IND_DATA), read_sq_ind_data, write_sq_ind_data},
	{ONE(SQ_CMD), NULL, write_sq_cmd},
	{ROW(CP_MQD_BASE_ADDR, CP_HQD_DEQUEUE_STATUS), bw_cp_hqd_read, bw_cp_hqd_write},
	{ROW(CP_GFX_MQD_BASE_ADDR, CP_RB0_ACTIVE), read_gfx_hqd, NULL},
	{ONE(GRBM_GFX_INDEX), read_grbm_gfx_index, NULL},
	{ONE(GRBM_GFX_CNTL), read_grbm_gfx_cntl, NULL},
	{ONE(GRBM_STATUS2), read_grbm_status2, NULL},
	{ROW(SDMA0_STATUS_REG, SDMA1_STATUS_REG), read_sdma_status, NULL},
	{ROW(SDMA0_QUEUE0_RB_CNTL, SDMA1_QUEUE3_DOORBELL_OFFSET), bw_sdma_reg_read,
	 bw_sdma_reg_write},
};
#undef ONE
#undef ROW

/* The registers' values when the driver starts: reset values, and those that a VBIOS has set. */
static void set_defaults(struct bw_device *dev)
{
	const struct bw_profile *p = dev->profile;
	for (unsigned reg = 0; reg < BW_N_REGISTERS; reg++)
		if (bw_register_names[reg].reset)
			bw_reg_set(dev, reg, bw_register_names[reg].reset);
	/* VRAM at MC address 512 GiB, everything else off; VMID 0 reaches it untranslated
	 * (doc/hardware/page-tables.md 5: SYSTEM_ACCESS_MODE 3, the aperture around the
	 * framebuffer). */
	enum { MIB_B = 1 << 20, RATIO = BW_GPUVM_FB_UNIT_B / BW_GPUVM_APERTURE_UNIT_B };
	uint32_t fb_base = 0x8000,
		 fb_top = fb_base + (uint32_t)((p->vram_size_b - 1) / BW_GPUVM_FB_UNIT_B);
	bw_reg_set(dev, BW_REG_GCMC_VM_FB_LOCATION_BASE, fb_base);
	bw_reg_set(dev, BW_REG_GCMC_VM_FB_LOCATION_TOP, fb_top);
	bw_reg_set(dev, BW_REG_MMMC_VM_FB_LOCATION_BASE, fb_base);
	bw_reg_set(dev, BW_REG_MMMC_VM_FB_LOCATION_TOP, fb_top);
	bw_reg_set(dev, BW_REG_GCMC_VM_SYSTEM_APERTURE_LOW_ADDR, fb_base * RATIO);
	bw_reg_set(dev, BW_REG_GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR, fb_top * RATIO + RATIO - 1);
	bw_reg_set(dev, BW_REG_GB_ADDR_CONFIG, p->gb_addr_config);
	bw_reg_set(dev, BW_REG_GB_ADDR_CONFIG_READ, p->gb_addr_config);
	bw_reg_set(dev, BW_REG_RCC_CONFIG_MEMSIZE, (uint32_t)(p->vram_size_b / MIB_B));
	bw_bus_set_defaults(dev);
	for (unsigned v = 0; v < BW_N_VMIDS; v++) {
		*vmid_slot(dev, BW_REG_SH_MEM_BASES, v) = BW_SH_MEM_BASES;
		*vmid_slot(dev, BW_REG_SH_MEM_CONFIG, v) =
			BW_FIELD(SH_MEM_CONFIG, ALIGNMENT_MODE, BW_ALIGNMENT_UNALIGNED);
	}
}

struct bw_error *bw_registers_init(struct bw_device *dev)
{
	struct bw_registers *r = &dev->regs;
	BW_TRY(bw_register_map_init(&r->map, dev->profile));
	r->plain = calloc(BW_REG_STORAGE_DW, sizeof(*r->plain));
	r->per_vmid = calloc(N_PER_VMID * BW_N_VMIDS, sizeof(*r->per_vmid));
	if (!r->plain || !r->per_vmid)
		return bw_error_nomem();
	_Static_assert(BW_ARRAY_SIZE(rows) < 256, "row numbers are bytes");
	for (unsigned i = 1; i < BW_ARRAY_SIZE(rows); i++)
		for (unsigned reg = rows[i].first; reg <= rows[i].last; reg++)
			r->handler[reg] = (uint8_t)i;
	bw_bus_init(dev);
	set_defaults(dev);
	BW_TRY(bw_draw_look_create(dev));
	return bw_sq_init(dev);
}

void bw_registers_fini(struct bw_device *dev)
{
	free(dev->regs.plain);
	free(dev->regs.per_vmid);
	bw_register_map_fini(&dev->regs.map);
	bw_bus_fini(dev);
	bw_sq_fini(dev);
	bw_draw_look_destroy(dev);
}

/* A bank that was not selected by the caller is the one in GRBM_GFX_INDEX and GRBM_GFX_CNTL. */
static struct bw_bank_sel resolve(struct bw_device *dev, const struct bw_bank *bank)
{
	struct bw_bank_sel s;
	if (bank && bank->use_grbm) {
		s.se = bank->se, s.sa = bank->sa, s.instance = bank->instance;
	} else {
		uint32_t g = bw_reg_get(dev, BW_REG_GRBM_GFX_INDEX);
#define SELECTED(what)                                                                             \
	(BW_FIELD_GET(GRBM_GFX_INDEX, what##_BROADCAST_WRITES, g)                                  \
		 ? ~0u                                                                             \
		 : BW_FIELD_GET(GRBM_GFX_INDEX, what##_INDEX, g))
		s.instance = SELECTED(INSTANCE);
		s.sa = SELECTED(SA);
		s.se = SELECTED(SE);
#undef SELECTED
	}
	if (bank && bank->use_srbm) {
		s.me = bank->me, s.pipe = bank->pipe, s.queue = bank->queue, s.vmid = bank->vmid;
	} else {
		uint32_t g = bw_reg_get(dev, BW_REG_GRBM_GFX_CNTL);
		s.pipe = BW_FIELD_GET(GRBM_GFX_CNTL, PIPEID, g);
		s.me = BW_FIELD_GET(GRBM_GFX_CNTL, MEID, g);
		s.vmid = BW_FIELD_GET(GRBM_GFX_CNTL, VMID, g);
		s.queue = BW_FIELD_GET(GRBM_GFX_CNTL, QUEUEID, g);
	}
	s.vmid %= BW_N_VMIDS;
	return s;
}

/* Whether some block of this device has a register there. */
static bool is_register(struct bw_device *dev, uint32_t addr_dw)
{
	static const char *const blocks[] = {"gc", "mmhub", "osssys", "hdp"};
	if (dev->regs.map.number[addr_dw])
		return true;
	for (size_t i = 0; i < BW_ARRAY_SIZE(blocks); i++) {
		const struct bw_profile_block *at =
			bw_profile_block(bw_profile_registers(dev->profile), blocks[i]);
		const struct bw_regs_block *b;
		struct bw_reg reg;
		struct bw_error *err = bw_regs_find(blocks[i], at->version, &b);
		bw_error_free(err);
		if (!err && bw_regs_at_address(b, at->segment, BW_PROFILE_SEGMENTS, addr_dw, &reg))
			return true;
	}
	return false;
}

uint32_t bw_device_reg_read(struct bw_device *dev, const struct bw_bank *bank, uint32_t addr_dw)
{
	if (addr_dw >= BW_REG_SPACE_DW) {
		BW_LOG(WARN, "vgpu", "read of 0x%x, where this device has no register", addr_dw);
		return 0;
	}
	struct bw_bank_sel s = resolve(dev, bank);
	enum bw_register reg = dev->regs.map.number[addr_dw];
	bw_reg_read_fn *fn = rows[dev->regs.handler[reg]].read;
	uint32_t v = bw_cp_is_sh(addr_dw) ? bw_cp_sh_read(dev, &s, addr_dw)
		     : fn		  ? fn(dev, &s, reg)
					  : load(dev, addr_dw);
	BW_LOG(TRACE, "vgpu", "read  0x%05x = 0x%08x", addr_dw, v);
	if (bw_log_on(BW_LOG_WARN, "vgpu") && !is_register(dev, addr_dw))
		BW_LOG(WARN, "vgpu", "read of 0x%05x, where no register is", addr_dw);
	return v;
}

void bw_device_reg_write(struct bw_device *dev, const struct bw_bank *bank, uint32_t addr_dw,
			 uint32_t value)
{
	if (addr_dw >= BW_REG_SPACE_DW) {
		BW_LOG(WARN, "vgpu", "write to 0x%x, where this device has no register", addr_dw);
		return;
	}
	BW_LOG(TRACE, "vgpu", "write 0x%05x = 0x%08x", addr_dw, value);
	struct bw_bank_sel s = resolve(dev, bank);
	enum bw_register reg = dev->regs.map.number[addr_dw];
	bw_reg_write_fn *fn = rows[dev->regs.handler[reg]].write;
	if (bw_cp_is_sh(addr_dw))
		bw_cp_sh_write(dev, &s, addr_dw, value);
	else if (bw_register_names[reg].read_only)
		BW_LOG(DEBUG, "vgpu", "write of 0x%08x to %s, which is read-only", value,
		       bw_register_name(reg));
	else if (fn)
		fn(dev, &s, reg, value);
	else
		store(dev, addr_dw, value);
}
