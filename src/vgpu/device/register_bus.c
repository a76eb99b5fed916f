/* SPDX-License-Identifier: MIT */
/* The bus interface's ways to what the register BAR does not show: VRAM and registers by MM_INDEX,
 * and registers above the BAR by RSMU_INDEX (amdgpu_device.c, nbio_v4_3.c of Linux 6.12;
 * doc/hardware/device.md 4). */
#include "vgpu/device/device_priv.h"

#include "base/log.h"

enum {
	MM_IS_VRAM = 1u << 31,
	MAX_FAR = 4096,
	POSTED = 0x200,	      /* BIOS_SCRATCH_7: the video BIOS has run */
	BOOT_DONE = 1u << 31, /* C2PMSG_33: the firmware of the security processor runs */
	REG_SPACE_B = BW_REG_SPACE_DW * 4,
};

void bw_bus_init(struct bw_device *dev)
{
	pthread_mutex_init(&dev->regs.bus.lock, NULL);
}

void bw_bus_fini(struct bw_device *dev)
{
	bw_vec_free(&dev->regs.bus.far);
	pthread_mutex_destroy(&dev->regs.bus.lock);
}

void bw_bus_set_defaults(struct bw_device *dev)
{
	bw_reg_set(dev, BW_REG_BIOS_SCRATCH_7, POSTED);
	bw_reg_set(dev, BW_REG_BIOS_SCRATCH_7_AT_0, POSTED);
	bw_reg_set(dev, BW_REG_MP0_C2PMSG_33, (uint32_t)BOOT_DONE);
}

/* Neither pair reaches itself or the other: that could go round for ever. */
static bool is_window(struct bw_device *dev, uint32_t addr_dw)
{
	return addr_dw == bw_reg_addr(dev, BW_REG_MM_DATA) ||
	       addr_dw == bw_reg_addr(dev, BW_REG_RSMU_DATA);
}

/* NULL: there is no VRAM. */
static uint32_t *mm_vram(struct bw_device *dev)
{
	uint32_t index = bw_reg_get(dev, BW_REG_MM_INDEX);
	/* MM_INDEX_HI has bits 62:31 */
	uint64_t at = (uint64_t)bw_reg_get(dev, BW_REG_MM_INDEX_HI) << 31 | (index & ~MM_IS_VRAM);
	return (void *)bw_memory_host(dev, false, at & ~3ull, 4);
}

uint32_t bw_bus_read_mm(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg)
{
	uint32_t index = bw_reg_get(dev, BW_REG_MM_INDEX);
	if (!(index & MM_IS_VRAM))
		return is_window(dev, index / 4) ? 0 : bw_device_reg_read(dev, NULL, index / 4);
	const uint32_t *p = mm_vram(dev);
	return p ? __atomic_load_n(p, __ATOMIC_RELAXED) : ~0u;
}

void bw_bus_write_mm(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
		     uint32_t value)
{
	uint32_t index = bw_reg_get(dev, BW_REG_MM_INDEX);
	if (!(index & MM_IS_VRAM)) {
		if (!is_window(dev, index / 4))
			bw_device_reg_write(dev, NULL, index / 4, value);
		return;
	}
	uint32_t *p = mm_vram(dev);
	if (p)
		__atomic_store_n(p, value, __ATOMIC_RELAXED);
}

static struct bw_bus_register *find_register(struct bw_bus_registers *bus, uint32_t address_b)
{
	bw_vec_each(&bus->far, r)
		if (r->address_b == address_b)
			return r;
	return NULL;
}

uint32_t bw_bus_read_rsmu(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg)
{
	struct bw_bus_registers *bus = &dev->regs.bus;
	uint32_t at = bw_reg_get(dev, BW_REG_RSMU_INDEX);
	if (at < REG_SPACE_B)
		return is_window(dev, at / 4) ? 0 : bw_device_reg_read(dev, NULL, at / 4);
	pthread_mutex_lock(&bus->lock);
	const struct bw_bus_register *r = find_register(bus, at);
	uint32_t v = r ? r->value : 0;
	pthread_mutex_unlock(&bus->lock);
	return v;
}

void bw_bus_write_rsmu(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
		       uint32_t value)
{
	struct bw_bus_registers *bus = &dev->regs.bus;
	uint32_t at = bw_reg_get(dev, BW_REG_RSMU_INDEX);
	if (at < REG_SPACE_B) {
		if (!is_window(dev, at / 4))
			bw_device_reg_write(dev, NULL, at / 4, value);
		return;
	}
	const struct bw_bus_register made = {at, value};
	struct bw_error *err = NULL;
	pthread_mutex_lock(&bus->lock);
	struct bw_bus_register *r = find_register(bus, at);
	if (r)
		r->value = value;
	else if (bus->far.len < MAX_FAR)
		err = bw_vec_push(&bus->far, made);
	else
		BW_LOG(WARN, "vgpu", "too many registers by RSMU_INDEX: 0x%x is lost", at);
	pthread_mutex_unlock(&bus->lock);
	bw_error_free(err);
}
