/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_DEVICE_H
#define BW_VGPU_DEVICE_DEVICE_H

/* The virtual GPU as its driver sees it: registers, memory, doorbells, interrupts. Nothing here
 * knows about ioctls; the uapi front end is a driver of this device (and the pci front end will
 * carry Linux's own). All functions may be called from any thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "gpuvm/apertures.h"
#include "vgpu/device/profile.h"

struct bw_device;

struct bw_device_options {
	unsigned threads; /* worker threads; 0: one a core */
	/* strict mode: errors that otherwise only hardware would show become findings
	 * (exec/strict.h) */
	bool strict;
	unsigned check;	    /* what the checker looks for: enum bw_check_what (wire/checks.h) */
	bool check_stops;   /* waves that make a finding enter the trap handler */
	bool trace;	    /* hash all that is executed */
	bool deterministic; /* one thread, fixed order, time counted in instructions */
	/* its driver is not this project's: it finds the GPU's own registers, packets and page
	 * tables also where the device has those of another GPU (bw_profile.registers_of) */
	bool foreign_driver;
	bool says_stops; /* log as an error why a queue has stopped: no driver asks the device */
	bool counts;	 /* count what is executed, for bw_device_tally */
	bool interpret;	 /* no compiled code (exec/compile/compile.h) */
	uint32_t plant;	 /* enum bw_plant: faults for tests (exec/core/plant.h) */
};

/* An interrupt vector has been written to the IH ring (32 bytes, osssys 6.0 layout); called from a
 * device thread, must not block. The handler reads the ring by its registers like a driver. */
typedef void bw_irq_fn(void *cookie);
/* Whether the caller takes the command processor's turns, in which it holds no lock while it calls
 * back. */
bool bw_device_is_cp_thread(const struct bw_device *dev);

struct bw_error *bw_device_create(const struct bw_profile *profile,
				  const struct bw_device_options *options, bw_irq_fn *irq,
				  void *irq_cookie, struct bw_device **out) BW_MUST_CHECK;
void bw_device_destroy(struct bw_device *dev);
const struct bw_profile *bw_device_profile(const struct bw_device *dev);
/* The addresses of its registers (register_map.h). */
struct bw_register_map;
const struct bw_register_map *bw_device_registers(const struct bw_device *dev);

/* SH_MEM_BASES and SH_MEM_CONFIG.ALIGNMENT_MODE of all VMIDs when the device is made, and the only
 * apertures of its executor: amdgpu's choice for user processes (SH_MEM_ALIGNMENT_MODE_UNALIGNED).
 */
#define BW_SH_MEM_BASES                                                                            \
	(BW_FIELD(SH_MEM_BASES, PRIVATE_BASE, BW_APERTURE_PRIVATE_BASE) |                          \
	 BW_FIELD(SH_MEM_BASES, SHARED_BASE, BW_APERTURE_SHARED_BASE))
enum { BW_ALIGNMENT_UNALIGNED = 3 };

/* Strict mode's findings and the trace: NULL where the options ask for neither. */
struct bw_strict;
struct bw_strict *bw_device_strict(struct bw_device *dev);

/* The checker; NULL where the options ask for none. */
struct bw_check;
struct bw_check *bw_device_check(struct bw_device *dev);
/* Who has written the dword at an address of a VMID, and what it is now. False: it is not mapped,
 * or writers are not noted. */
struct bw_writers_answer;
bool bw_device_writers(struct bw_device *dev, unsigned vmid, uint64_t va,
		       struct bw_writers_answer *out, uint32_t *out_now);

/* The same of LDS or private memory of the wave in a slot. False also: there is no wave, or it has
 * no such memory. */
struct bw_wave_memory {
	bool is_lds;
	unsigned se, sa, wgp, simd, wave;
	unsigned lane; /* private memory: this lane's */
	uint32_t offset_b;
};
bool bw_device_writers_of(struct bw_device *dev, const struct bw_wave_memory *m,
			  struct bw_writers_answer *out, uint32_t *out_now);

/* Register access by absolute dword address (segment base included). Banks as regs2 selects them:
 * GRBM for shader engine and instance, SRBM for pipe, queue and VMID; all-ones = broadcast. */
struct bw_bank {
	bool use_grbm, use_srbm;
	uint32_t se, sa, instance;
	uint32_t me, pipe, queue, vmid;
};
/* An instance is a SIMD of a WGP, as bw_arch_instance() makes it. */
static inline uint32_t bw_bank_wgp(uint32_t instance)
{
	return instance >> BW_ARCH_INSTANCE_SIMD_BITS;
}
static inline uint32_t bw_bank_simd(uint32_t instance)
{
	return instance & ((1u << BW_ARCH_INSTANCE_SIMD_BITS) - 1);
}
/* Of the device, whose addresses are those of bw_profile_registers(). */
uint32_t bw_device_reg_read(struct bw_device *dev, const struct bw_bank *bank, uint32_t addr_dw);
void bw_device_reg_write(struct bw_device *dev, const struct bw_bank *bank, uint32_t addr_dw,
			 uint32_t value);

/* Registers as the driver of the device has them, whoever that is. */
uint32_t bw_device_driver_read(struct bw_device *dev, uint32_t addr_dw);
void bw_device_driver_write(struct bw_device *dev, uint32_t addr_dw, uint32_t value);

/* A queue that met what it cannot execute (an unknown or unsupported packet, a register it may not
 * write, an unmapped buffer, a dispatch that fits nowhere) stops and raises IH source 183 or 184 of
 * client 0x14 with its ring id. CP_HQD_ERROR is then not 0; true and the reason as one clause here.
 * It resumes after CP_HQD_DEQUEUE_REQUEST = 2, CP_HQD_ACTIVE reading 0, new pointers and ACTIVE =
 * 1. */
bool bw_device_queue_error(struct bw_device *dev, uint32_t me, uint32_t pipe, uint32_t queue,
			   char *out_text, size_t size);

/* Like bw_device_queue_error, for a queue of an SDMA engine: it raises IH source 55 of client 0x0a,
 * and resumes after RB_CNTL.RB_ENABLE has been cleared, CONTEXT_STATUS.IDLE reads 1, and it is set
 * again. */
bool bw_device_sdma_error(struct bw_device *dev, unsigned index, unsigned queue, char *out_text,
			  size_t size);

/* A doorbell write of a ring's new write pointer (SDMA: in bytes). */
void bw_device_doorbell(struct bw_device *dev, uint32_t index_dw, uint64_t value);
/* ring() rings doorbells. What they start is done by this thread, if the command processor has
 * nothing else to do, and else by its own. Without any lock. Returns what ring() does. */
bool bw_device_ring(struct bw_device *dev, bool (*ring)(void *arg), void *arg);

/* The packet that tells a queue what to fill when waves start, from here to the next such packet;
 * NULL: nothing. Obeyed where the kernel's VMID 0 has put it: on a ring. */
struct bw_pm4_stream;
struct bw_vgpu_stomp;
void bw_device_put_stomp(struct bw_pm4_stream *s, const struct bw_vgpu_stomp *stomp);

/* VRAM is one range of the host's address space, offset 0 first; what was never written reads 0. A
 * buffer object's pages are put in place of a part of it (MAP_FIXED), so that client, driver and
 * device share them. offset, size: multiples of 4096. fd must be sealed against shrinking. Detach
 * is false where the host gives no mapping for it now: the pages are still there, so the range must
 * not be used for anything else until another detach has taken them away. */
uint8_t *bw_device_vram(struct bw_device *dev);
struct bw_error *bw_device_vram_attach(struct bw_device *dev, uint64_t offset_b, uint64_t size_b,
				       int fd, uint64_t fd_offset_b) BW_MUST_CHECK;
bool bw_device_vram_detach(struct bw_device *dev, uint64_t offset_b, uint64_t size_b) BW_MUST_CHECK;

/* Puts into VRAM what a GPU's firmware leaves there for a driver: the VBIOS at the start, the
 * discovery binary below the end (doc/hardware/pci.md 4, 5). VRAM must be attached at both. */
void bw_device_put_tables(struct bw_device *dev);

/* System memory by bus address, the same way. The device reaches bus addresses
 * [0, profile->sysmem_size_b). */
struct bw_error *bw_device_sysmem_attach(struct bw_device *dev, uint64_t bus, uint64_t size_b,
					 int fd, uint64_t fd_offset_b) BW_MUST_CHECK;
bool bw_device_sysmem_detach(struct bw_device *dev, uint64_t bus, uint64_t size_b) BW_MUST_CHECK;
/* NULL unless all of [bus, bus + size) is attached. */
uint8_t *bw_device_sysmem(struct bw_device *dev, uint64_t bus, uint64_t size_b);

/* How long, in ns, waves of this VMID have been held (in the trap handler, or halted by SQ_CMD or
 * the handler) since the device was made: waits of its program do not run out meanwhile. held_now:
 * they are held at this moment. A wave that halts itself is not held. */
uint64_t bw_device_held_ns(struct bw_device *dev, unsigned vmid, bool *out_held_now);

/* How long, in ns, a queue's dispatches have waited for room while it had no wave on the GPU, since
 * the device was made: others filled it. now: how long the current dispatch has waited; 0: it does
 * not wait. */
uint64_t bw_device_starved_ns(struct bw_device *dev, unsigned me, unsigned pipe, unsigned queue,
			      uint64_t *out_now_ns);
/* The waves on the GPU, by VMID. */
enum { BW_DEVICE_VMIDS = 16 };
void bw_device_waves(struct bw_device *dev, uint32_t out[BW_DEVICE_VMIDS]);

struct bw_device_stats {
	uint64_t instructions, waves_launched, waves_resident, dispatches;
};
void bw_device_stats(struct bw_device *dev, struct bw_device_stats *out);
/* Counts of executed instructions, and how exactly they are modelled, if bw_device_options.counts;
 * several rows may be about the same instruction. See exec/exec.h for the row. */
struct bw_tally_row;
void bw_device_tally(struct bw_device *dev,
		     void (*fn)(void *cookie, const struct bw_tally_row *row), void *cookie);

#endif
