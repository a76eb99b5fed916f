/* SPDX-License-Identifier: MIT */
/* The interrupt ring, osssys 6.0 (doc/hardware/device.md 3; ih_v6_0.c of Linux 6.12). */
#include "vgpu/device/device_priv.h"

#include <string.h>

#include "base/log.h"
#include "base/util.h"

enum {
	/* MC_SPACE: bus address; anything else: GPU address of VMID 0 (vega20_ih.c for gfx9) */
	SPACE_BUS = 2,
	SPACE9_BUS = 1,
};

void bw_ih_init(struct bw_device *dev)
{
	pthread_mutex_init(&dev->ih.lock, NULL);
}

void bw_ih_fini(struct bw_device *dev)
{
	pthread_mutex_destroy(&dev->ih.lock);
}

/* The ring is small and the driver's: translated afresh each time, so that nothing goes stale. */
static bool store(struct bw_device *dev, uint32_t cntl, uint64_t address, const void *data,
		  size_t n)
{
	if (BW_FIELD_GET(IH_RB_CNTL, MC_SPACE, cntl) == (dev->own ? SPACE9_BUS : SPACE_BUS)) {
		uint8_t *p = bw_device_sysmem(dev, address, n);
		if (p)
			memcpy(p, data, n);
		return p;
	}
	/* Only probed: the interrupt of a fault could be stored no more than this one. */
	struct bw_tlb tlb;
	struct bw_vm_fault fault;
	bw_tlb_init(&tlb, dev, 0, BW_CLIENT_CPC);
	bw_tlb_sync(&tlb);
	for (size_t done = 0; done < n;) {
		size_t piece = BW_MIN(n - done, (size_t)(BW_PAGE_B - (address + done) % BW_PAGE_B));
		uint8_t *p = bw_tlb_lookup(&tlb, address + done, BW_ACCESS_WRITE | BW_ACCESS_PROBE,
					   &fault);
		if (!p)
			return false;
		if (n == 4 && piece == 4 && (uintptr_t)p % 4 == 0)
			__atomic_store_n((uint32_t *)(void *)p, *(const uint32_t *)data,
					 __ATOMIC_RELEASE);
		else
			memcpy(p, (const uint8_t *)data + done, piece);
		done += piece;
	}
	return true;
}

static uint32_t ring_size_b(uint32_t cntl)
{
	return 4u << BW_MIN(BW_FIELD_GET(IH_RB_CNTL, RB_SIZE, cntl), 27u);
}

/* IH_RB_WPTR as it reads. */
static uint32_t wptr_word(const struct bw_ih *ih)
{
	return ih->wptr_b | BW_FIELD(IH_RB_WPTR, RB_OVERFLOW, ih->overflow);
}

static void publish_wptr(struct bw_device *dev, uint32_t cntl)
{
	uint32_t wptr = wptr_word(&dev->ih);
	if (!BW_FIELD_GET(IH_RB_CNTL, WPTR_WRITEBACK_ENABLE, cntl))
		return;
	uint32_t hi = bw_reg_get(dev, BW_REG_IH_RB_WPTR_ADDR_HI);
	uint64_t address = bw_join32(BW_FIELD_GET(IH_RB_WPTR_ADDR_HI, ADDR, hi),
				     bw_reg_get(dev, BW_REG_IH_RB_WPTR_ADDR_LO));
	if (!store(dev, cntl, address, &wptr, sizeof(wptr)))
		BW_LOG(WARN, "vgpu", "IH: the write-pointer address 0x%llx is not mapped",
		       (unsigned long long)address);
}

/* The numbers that a driver of gfx9 knows, and the node. */
static struct bw_ih_vector as_gfx9(const struct bw_ih_vector *v, unsigned *out_node)
{
	enum { AID0 = 0, XCD0 = 1 }; /* enum amdgpu_ih_node_id... of amdgpu_irq.h */
	struct bw_ih_vector own = *v;
	*out_node = XCD0;
	if (v->client != BW_IH_CLIENT_GFX)
		return own;
	if (v->source == BW_IH_SRC_UTCL2_FAULT) {
		own.client = BW_IH_CLIENT_UTCL2;
	} else {
		uint32_t ring = v->ring;
		own.client = (uint8_t)(BW_IH_CLIENT_SDMA0 + bw_words_get(&ring, BW_IH_RING_SDMA));
		own.ring = 0; /* of the driver's own queue */
		if (v->source == BW_IH_SRC_SDMA_TRAP)
			own.source = BW_IH_SRC_SDMA9_TRAP;
		*out_node = AID0;
	}
	return own;
}

void bw_ih_raise(struct bw_device *dev, const struct bw_ih_vector *v)
{
	struct bw_ih_vector own;
	unsigned node = 0;
	if (dev->own) {
		own = as_gfx9(v, &node);
		v = &own;
	}
	uint64_t now = bw_device_realtime(dev);
	uint32_t lut = bw_reg_get(dev, BW_REG_IH_VMID_0_LUT + v->vmid);
	uint32_t dw[BW_IH_VECTOR_DW] = {0};
	bw_words_put(dw, BW_IH_CLIENT_ID, v->client);
	bw_words_put(dw, BW_IH_SOURCE_ID, v->source);
	bw_words_put(dw, BW_IH_RING_ID, v->ring);
	bw_words_put(dw, BW_IH_VMID, v->vmid);
	bw_words_put(dw, BW_IH_TIMESTAMP, now);
	bw_words_put(dw, BW_IH_PASID, BW_FIELD_GET(IH_VMID_0_LUT, PASID, lut));
	bw_words_put(dw, BW_IH_NODE, node);
	memcpy(dw + BW_IH_VECTOR_DW - BW_IH_DATA_DW, v->data, sizeof(v->data));

	pthread_mutex_lock(&dev->ih.lock);
	uint32_t cntl = bw_reg_get(dev, BW_REG_IH_RB_CNTL);
	bool tell = false;
	if (BW_FIELD_GET(IH_RB_CNTL, RB_ENABLE, cntl)) {
		uint32_t size_b = ring_size_b(cntl), mask = size_b - 1;
		uint32_t hi = bw_reg_get(dev, BW_REG_IH_RB_BASE_HI);
		uint64_t base = bw_join_256b(BW_FIELD_GET(IH_RB_BASE_HI, ADDR, hi),
					     bw_reg_get(dev, BW_REG_IH_RB_BASE));
		uint32_t at = dev->ih.wptr_b & mask;
		if (((at + BW_IH_VECTOR_B) & mask) == (dev->ih.rptr_b & mask)) {
			/* Full: the oldest vectors are lost, and the driver is told so. */
			if (BW_FIELD_GET(IH_RB_CNTL, WPTR_OVERFLOW_ENABLE, cntl))
				dev->ih.overflow = true;
			BW_LOG(WARN, "vgpu", "IH ring overflow");
		}
		if (store(dev, cntl, base + at, dw, sizeof(dw))) {
			dev->ih.wptr_b = (at + BW_IH_VECTOR_B) & mask;
			publish_wptr(dev, cntl);
			tell = BW_FIELD_GET(IH_RB_CNTL, ENABLE_INTR, cntl);
		} else {
			BW_LOG(WARN, "vgpu", "IH: the ring at 0x%llx is not mapped",
			       (unsigned long long)base);
		}
	}
	pthread_mutex_unlock(&dev->ih.lock);
	if (tell && dev->irq)
		dev->irq(dev->irq_cookie);
}

uint32_t bw_ih_reg_read(struct bw_device *dev, enum bw_register reg)
{
	pthread_mutex_lock(&dev->ih.lock);
	uint32_t v = reg == BW_REG_IH_RB_RPTR ? dev->ih.rptr_b : wptr_word(&dev->ih);
	pthread_mutex_unlock(&dev->ih.lock);
	return v;
}

void bw_ih_reg_write(struct bw_device *dev, enum bw_register reg, uint32_t value)
{
	pthread_mutex_lock(&dev->ih.lock);
	switch ((int)reg) {
	case BW_REG_IH_RB_CNTL:
		if (BW_FIELD_GET(IH_RB_CNTL, WPTR_OVERFLOW_CLEAR, value))
			dev->ih.overflow = false;
		bw_reg_set(dev, reg, value);
		break;
	case BW_REG_IH_RB_RPTR:
		dev->ih.rptr_b = value & ~3u;
		break;
	case BW_REG_IH_RB_WPTR: /* a write resets the ring (second load of a driver) */
		dev->ih.wptr_b = value & ~3u;
		break;
	}
	pthread_mutex_unlock(&dev->ih.lock);
}

bool bw_ih_doorbell(struct bw_device *dev, uint32_t index_dw, uint64_t value)
{
	uint32_t db = bw_reg_get(dev, BW_REG_IH_DOORBELL_RPTR);
	if (!BW_FIELD_GET(IH_DOORBELL_RPTR, ENABLE, db) ||
	    BW_FIELD_GET(IH_DOORBELL_RPTR, OFFSET, db) != index_dw)
		return false;
	bw_ih_reg_write(dev, BW_REG_IH_RB_RPTR, (uint32_t)value);
	return true;
}
