/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VGPU_RIG_H
#define BW_TESTS_VGPU_RIG_H

/* A driver in miniature: page tables in VRAM, rings with doorbells, the interrupt ring; what a test
 * of the device needs to stand where a driver stands. */

#include <stdbool.h>
#include <stdint.h>

#include "pm4/build.h"
#include "vgpu/device/device.h"
#include "vgpu/device/ih.h"

/* Where things lie in VRAM. */
enum {
	RIG_TABLES = 0x100000,
	RIG_RINGS = 0x200000,
	RIG_IH = 0x300000,
	RIG_FENCES = 0x400000,
	RIG_PAGE = 0x500000, /* one 4 KiB page for mappings of its own */
	RIG_RING_DW = 4096,
	RIG_IH_B = 64 << 10,
};
/* VMID 1: 64 MiB with all rights, virtual = VRAM offset, from here: */
#define RIG_VA 0x10000000ull
#define RIG_VA_SIZE 0x4000000ull
#define RIG_CODE RIG_VA /* kernels, 64 KiB apart */
#define RIG_IB (RIG_VA + 0x800000)
#define RIG_DATA (RIG_VA + 0x1000000)
#define RIG_SMALL_VA 0x20000000ull /* 512 pages of a page table, not valid at first */

/* The address of a register in the GPU that the rig was started with last, by its name in the
 * register database. */
#define REG(name)                                                                                  \
	({                                                                                         \
		static struct rig_register register_;                                              \
		rig_register(&register_, #name);                                                   \
	})
struct rig_register {
	const struct bw_profile *profile; /* that the address is of */
	uint32_t addr_dw;
};
uint32_t rig_register(struct rig_register *r, const char *name);

struct rig {
	struct bw_device *dev;
	struct {
		uint64_t wptr, fence;
	} ring[5]; /* gfx, four compute */
	_Atomic unsigned irqs;
	uint32_t ih_rptr;
	unsigned vmid;
};

void rig_start(struct rig *r, const struct bw_device_options *options); /* navi31 */
void rig_start_profile(struct rig *r, const struct bw_profile *profile,
		       const struct bw_device_options *options);
void rig_stop(struct rig *r);
uint32_t rig_read(struct rig *r, uint32_t addr_dw);
void rig_write(struct rig *r, uint32_t addr_dw, uint32_t value);
uint64_t rig_mc(const struct rig *r, uint64_t vram_offset);
/* Host address of a VA of the 64 MiB. */
void *rig_ptr(struct rig *r, uint64_t va);
/* An entry of the small page table, and the invalidation after it. */
void rig_set_pte(struct rig *r, unsigned index, uint64_t pte);
void rig_invalidate(struct rig *r);
/* The next interrupt vector: false when there is none within the time. */
struct rig_vector {
	uint8_t client, source, ring, vmid;
	uint16_t pasid;
	uint32_t data[4];
};
bool rig_next_vector(struct rig *r, struct rig_vector *out, unsigned timeout_ms);

/* Puts packets on a ring (0 gfx, 1 to 4 compute) and rings the doorbell. */
void rig_submit_ring(struct rig *r, unsigned ring, const struct bw_pm4_stream *s);
/* Runs packets as a user's IB on compute ring 1, with VM flush and fence; returns without waiting.
 */
uint64_t rig_submit(struct rig *r, unsigned ring, struct bw_pm4_stream *s);
bool rig_done(struct rig *r, unsigned ring, uint64_t fence);
bool rig_wait(struct rig *r, unsigned ring, uint64_t fence, unsigned timeout_ms);
/* CP_HQD_* of a ring */
uint32_t rig_hqd(struct rig *r, unsigned ring, uint32_t addr_dw);
void rig_hqd_write(struct rig *r, unsigned ring, uint32_t addr_dw, uint32_t value);
void rig_hqd_start(struct rig *r, unsigned ring);

/* A dispatch of one of kernels/NAME.s. Zero means: 64 threads, one group, wave32, 64 VGPRs. */
struct rig_launch {
	const char *kernel;
	uint32_t entry_b; /* into it; a multiple of 256 */
	uint32_t groups[3], threads[3];
	uint32_t user[8]; /* s0.. */
	unsigned n_user;
	uint32_t rsrc1, rsrc2, rsrc3; /* OR'ed to what the rest says */
	uint32_t initiator;	      /* the same */
	uint32_t lds_b, tmpring;
	uint64_t scratch;
	unsigned vgprs;
	bool wave64;
};
uint64_t rig_code(struct rig *r, const char *kernel); /* puts it there; its VA */
void rig_put_launch(struct rig *r, struct bw_pm4_stream *s, const struct rig_launch *l);
uint64_t rig_launch(struct rig *r,
		    const struct rig_launch *l); /* a submission of its own on ring 1 */
/* SQ_IND of a wave slot */
uint32_t rig_sq_ind(struct rig *r, unsigned se, unsigned sa, unsigned wgp, unsigned simd,
		    unsigned wave, unsigned lane, uint32_t index);
void rig_sq_cmd(struct rig *r, uint32_t value); /* to all */
void rig_sleep_ms(unsigned ms);
/* Waits until as many waves are resident. */
bool rig_wait_resident(struct rig *r, unsigned n, unsigned timeout_ms);

#endif
