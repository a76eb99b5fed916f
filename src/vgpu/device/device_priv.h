/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_PRIV_H
#define BW_VGPU_DEVICE_PRIV_H

/* The inside of the device.
 *
 * Threads: the driver's (any number, through device.h), one for the command processor, and the
 * workers, which run waves. With `deterministic` one thread does both of the latter.
 *
 * Locks, outermost first; nothing is called back with one held but bw_irq_fn:
 *     cp.lock         queues and their registers
 *     sdma.lock       the same of the SDMA engines
 *     wgp->gate       threads that want a WGP queue here, so that a worker cannot take it again
 *                     at once
 *     wgp->lock       slots and waves of one WGP: a worker holds it while it runs them
 *     wgp->cmd_lock   commands posted to a WGP
 *     spi.lock        dispatches not yet launched, free resources of all WGPs
 *     sched.lock      which WGPs can run, and when
 *     ih.lock, vm.lock  interrupt ring, fault registers
 * Plain registers are read and written without a lock, as words. */

#include <pthread.h>
#include <stdatomic.h>

#include "vgpu/device/device.h"
#include "vgpu/device/exec/core/exec.h"
#include "base/vec.h"
#include "gpuvm/gpuvm.h"
#include "regs/field.h"
#include "regs/regs.h"
#include "vgpu/device/ih.h"
#include "vgpu/device/profile.h"
#include "vgpu/device/register_map.h"
#include "vgpu/device/gds.h"
#include "vgpu/device/gws.h"
#include "vgpu/device/vm/vm.h"

enum {
	BW_N_VMIDS = BW_DEVICE_VMIDS,
	BW_MAX_SES = 8,
	BW_MAX_SAS = 2,
	BW_MAX_WGPS = 16, /* in a shader array */
	BW_MAX_SIMDS = 4,
	BW_MAX_WAVES_PER_SIMD = 16,
	BW_MAX_GROUPS = 32,
	BW_N_QUEUES = 42, /* eight of ME 0, four pipes of eight of ME 1, two pipes of ME 3 */
	BW_MAX_SCRATCH_WAVES = 4096, /* TMPRING_SIZE.WAVES has 12 bits */
};

/* GRBM_GFX_INDEX: everywhere. */
#define BW_GRBM_BROADCAST                                                                          \
	(BW_FIELD_MASK(GRBM_GFX_INDEX, SA_BROADCAST_WRITES) |                                      \
	 BW_FIELD_MASK(GRBM_GFX_INDEX, INSTANCE_BROADCAST_WRITES) |                                \
	 BW_FIELD_MASK(GRBM_GFX_INDEX, SE_BROADCAST_WRITES))

/* fault clients of the graphics hub, doc/hardware/page-tables.md 6.4 */
enum {
	BW_CLIENT_CPC = 5,
	BW_CLIENT_CPG = 6,
	BW_CLIENT_TCP = 8,
	BW_CLIENT_SQC_INST = 9,
	BW_CLIENT_SQC_DATA = 10
};

struct bw_worker;
struct bw_queue;
struct bw_dispatch;
struct bw_group;

/* --- memory (mem.c) --- */
struct bw_memory {
	uint8_t *vram, *sysmem;
	uint64_t *sysmem_attached; /* one bit a page */
	pthread_mutex_t lock;
};
struct bw_error *bw_memory_init(struct bw_device *dev) BW_MUST_CHECK;
void bw_memory_fini(struct bw_device *dev);
/* Host address of `size_b` bytes of VRAM or bus addresses; NULL when there is no such memory. */
uint8_t *bw_memory_host(struct bw_device *dev, bool system, uint64_t address, uint64_t size_b);

/* --- translation (translate.c; vm/vm.h) --- */
struct bw_vm {
	pthread_mutex_t lock;
	enum bw_gpuvm_gen gen; /* of its page tables */
	_Atomic uint64_t generation[BW_N_VMIDS];
	_Atomic uint64_t n_faults;
};
void bw_vm_init(struct bw_device *dev);
void bw_vm_fini(struct bw_device *dev);
/* The first bw_tlb_sync makes it usable: there are hundreds, and most are never used. */
void bw_tlb_init(struct bw_tlb *tlb, struct bw_device *dev, unsigned vmid, unsigned client);
/* Drops what an invalidation made stale. To be called before a run of accesses. */
void bw_tlb_sync(struct bw_tlb *tlb);
void bw_vm_invalidate(struct bw_device *dev, uint32_t vmid_mask);
/* VMIDs of which no thread can still use a translation from before the last invalidation. */
uint32_t bw_vm_invalidate_done(struct bw_device *dev);

/* --- address watches (watch.c) --- */
/* The watches of TCP_WATCH0 to 3 for a VMID. */
void bw_watches_of(struct bw_device *dev, unsigned vmid, struct bw_watch out[BW_N_WATCHES]);
bool bw_watches_page(const struct bw_watch watch[BW_N_WATCHES], uint64_t page_va);

/* --- interrupts (ih.c) --- */
struct bw_ih {
	pthread_mutex_t lock;
	uint32_t wptr_b, rptr_b;
	bool overflow;
};
struct bw_ih_vector {
	uint8_t client, source, ring, vmid;
	uint32_t data[BW_IH_DATA_DW];
};
void bw_ih_init(struct bw_device *dev);
void bw_ih_fini(struct bw_device *dev);
void bw_ih_raise(struct bw_device *dev, const struct bw_ih_vector *v);
/* bw_ih_vector.ring of a queue of the command processor (amdgpu_irq.h, gfx_v11_0_eop_irq). */
static inline uint8_t bw_ih_ring(unsigned me, unsigned pipe, unsigned queue)
{
	uint32_t ring = 0;
	bw_words_put(&ring, BW_IH_RING_PIPE, pipe);
	bw_words_put(&ring, BW_IH_RING_ME, me);
	bw_words_put(&ring, BW_IH_RING_QUEUE, queue);
	return (uint8_t)ring;
}
/* The ring number of an SDMA engine's queue. */
static inline uint8_t bw_ih_ring_sdma(unsigned engine, unsigned queue)
{
	uint32_t ring = 0;
	bw_words_put(&ring, BW_IH_RING_SDMA_QUEUE, queue);
	bw_words_put(&ring, BW_IH_RING_SDMA, engine);
	return (uint8_t)ring;
}
uint32_t bw_ih_reg_read(struct bw_device *dev, enum bw_register reg);
void bw_ih_reg_write(struct bw_device *dev, enum bw_register reg, uint32_t value);
bool bw_ih_doorbell(struct bw_device *dev, uint32_t index_dw, uint64_t value);

/* --- registers (register_access.c, register_sq.c) --- */
/* A bank with its broadcasts and defaults resolved. */
struct bw_bank_sel {
	uint32_t se, sa, instance; /* ~0: broadcast */
	uint32_t me, pipe, queue, vmid;
};
typedef uint32_t bw_reg_read_fn(struct bw_device *dev, const struct bw_bank_sel *b,
				enum bw_register reg);
typedef void bw_reg_write_fn(struct bw_device *dev, const struct bw_bank_sel *b,
			     enum bw_register reg, uint32_t value);
/* Registers in the BAR, by byte address (register_bus.c). */
struct bw_bus_register {
	uint32_t address_b, value;
};
struct bw_bus_registers {
	pthread_mutex_t lock;
	struct BW_VEC(struct bw_bus_register) far;
};
struct bw_registers {
	struct bw_register_map map;	 /* where they are in this GPU */
	uint32_t *plain;		 /* by dword address */
	uint8_t handler[BW_N_REGISTERS]; /* row of the handler table, 0 = plain storage */
	uint32_t *per_vmid;		 /* [slot of the register][vmid] */
	pthread_mutex_t ind_lock;
	struct bw_bus_registers bus;
	uint32_t *sq_ind_index; /* by SIMD of the device */
};
struct bw_error *bw_registers_init(struct bw_device *dev) BW_MUST_CHECK;
void bw_registers_fini(struct bw_device *dev);
/* The dword address of a register in this GPU; above BW_REG_SPACE_DW if the GPU does not have
 * it. */
static inline uint32_t bw_reg_addr(const struct bw_device *dev, enum bw_register reg);
/* Plain storage, and the per-VMID registers. */
uint32_t bw_reg_get(struct bw_device *dev, enum bw_register reg);
void bw_reg_set(struct bw_device *dev, enum bw_register reg, uint32_t value);
uint32_t bw_reg_get_vmid(struct bw_device *dev, enum bw_register reg, unsigned vmid);
bw_reg_read_fn bw_bus_read_mm, bw_bus_read_rsmu;
bw_reg_write_fn bw_bus_write_mm, bw_bus_write_rsmu;
void bw_bus_init(struct bw_device *dev);
void bw_bus_fini(struct bw_device *dev);
void bw_bus_set_defaults(struct bw_device *dev);
struct bw_error *bw_sq_init(struct bw_device *dev) BW_MUST_CHECK;
void bw_sq_fini(struct bw_device *dev);
uint32_t bw_sq_ind_index(struct bw_device *dev, const struct bw_bank_sel *b);
void bw_sq_ind_set_index(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t value);
uint32_t bw_sq_ind_read(struct bw_device *dev, const struct bw_bank_sel *b);
void bw_sq_ind_write(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t value);
void bw_sq_cmd(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t value);

/* Where the driver has other registers than the device (register_own.h): those that select a bank,
 * and the window's row of the first register of a queue. */
struct bw_own_places {
	struct bw_reg cntl, index;
	uint32_t cntl_dw, index_dw;
	size_t first_hqd;
};

struct bw_device {
	const struct bw_profile *profile;
	struct bw_device_options options;
	bw_irq_fn *irq;
	void *irq_cookie;

	struct bw_memory memory;
	struct bw_vm vm;
	struct bw_ih ih;
	struct bw_registers regs;
	uint64_t t0_ns;
	_Atomic uint64_t virtual_ns; /* deterministic: the device's own clock */
	atomic_bool is_dead;	     /* BW_PLANT_DEAD has begun */

	struct bw_strict *strict; /* NULL: neither strict nor traced */
	struct bw_check *check;	  /* NULL: nothing is checked */
	struct bw_cp *cp;
	struct bw_sdma *sdma;
	struct bw_spi *spi;
	struct bw_draw_look *draw_look; /* draw_look.c */
	struct bw_sched *sched;
	struct bw_register_window *own; /* register_own.h; or NULL */
	struct bw_own_places own_places;
	pthread_mutex_t gws_lock;
	struct bw_gws_resource gws[BW_N_VMIDS][BW_GWS_RESOURCES];
	_Atomic uint32_t gds[BW_GDS_B / 4];
};

static inline uint32_t bw_reg_addr(const struct bw_device *dev, enum bw_register reg)
{
	return dev->regs.map.addr_dw[reg];
}

/* Says that a queue has stopped: options.says_stops. */
void bw_device_log_stop(const struct bw_device *dev, const char *fmt, ...) BW_PRINTF(2, 3);
/* Time since the device was made: of the host, or the device's own when deterministic. */
uint64_t bw_device_now_ns(struct bw_device *dev);
uint64_t bw_host_ns(void);
uint64_t bw_device_realtime(struct bw_device *dev); /* 100 MHz */

#endif
