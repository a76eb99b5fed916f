/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_CWSR_H
#define BW_VGPU_DEVICE_CWSR_H

/* Context save and restore: how the waves of a queue that is taken off the GPU get into the queue's
 * save area, and back. The waves store and load their state themselves, in the trap handler that
 * the driver has installed; the device asks them for it, says where, and writes down which waves
 * there are (cwsr_stack.h). doc/hardware/device.md 5.2.
 *
 * The command processor's thread calls these functions, but for the three of waves. */

#include "vgpu/device/cp.h"

/* Of a packet that had begun when its queue was saved: what is in the save area. */
struct bw_cwsr_resume {
	const struct bw_cwsr_packet *packet;
	const struct bw_cwsr_group *group; /* those of the packet, next to each other */
	unsigned n_groups;
	uint64_t area_va;
};

/* EXEC of a wave that saves or restores itself. */
static inline uint64_t bw_cwsr_exec(uint64_t va, bool is_first)
{
	enum { FIRST_WAVE = 58 };
	return (va & 0xffffffffffffull) | (uint64_t)is_first << FIRST_WAVE;
}

/* Whether the queue has a place for its waves, and whether some are there. */
bool bw_cwsr_has_area(const struct bw_queue *q);
bool bw_cwsr_has_waves(const struct bw_queue *q);
/* Saves all waves of an AQL queue. False: it is not done yet, call it again. After that the queue
 * has nothing in flight. */
bool bw_cwsr_save(struct bw_queue *q);
/* Takes up what the area has. False: the queue has been stopped. */
bool bw_cwsr_restore(struct bw_queue *q);
/* The queue's waves have been killed: what a save that had begun has of them is dropped when the
 * last has ended. */
void bw_cwsr_abandon(struct bw_queue *q);
void bw_cwsr_free(struct bw_queue *q);
/* For the decoding of a dispatch; resume NULL: from its beginning. False: *out_why says what does
 * not fit. */
bool bw_cwsr_resume(struct bw_dispatch *d, const struct bw_cwsr_resume *resume,
		    const char **out_why);

/* A wave of the held WGP: asks by SAVE_WAVE; is killed; has ended. */
uint64_t bw_cwsr_wave_asks(struct bw_slot *s);
void bw_cwsr_wave_is_killed(struct bw_slot *s);
bool bw_cwsr_wave_is_saved(const struct bw_slot *s);

#endif
