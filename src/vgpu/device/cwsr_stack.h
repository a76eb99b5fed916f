/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_CWSR_STACK_H
#define BW_VGPU_DEVICE_CWSR_STACK_H

/* The control stack of a context save: which waves the area of a queue has, where, and how far the
 * queue's packets had come. It lies in memory of the program, so all of it is checked.
 * doc/hardware/device.md 5.2 has the layout. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BW_CWSR_SGPRS_B = 512,
	BW_CWSR_HWREGS_B = 128,
	BW_CWSR_PACKETS = 32,	  /* that a queue has begun, at most */
	BW_CWSR_GROUP_WAVES = 32, /* of a workgroup, at most */
	BW_CWSR_MAX_SLOTS = 1024, /* of scratch, in a shader engine: a wave's word has 10 bits */
};

/* How far a packet has come. */
struct bw_cwsr_packet {
	bool done;	  /* but one before it is not */
	bool all_placed;  /* each of its workgroups has begun */
	uint32_t next[3]; /* else: the one that is next */
	uint64_t start;	  /* its time stamp */
};

/* What the waves of a workgroup have in common, and where they are. */
struct bw_cwsr_group {
	uint8_t packet; /* counted from the oldest one */
	uint8_t n_waves, se, lanes;
	uint16_t n_vgprs;
	uint32_t lds_b;
	struct {
		uint32_t at_b;	      /* in the save area */
		int16_t scratch_slot; /* -1: none */
	} wave[BW_CWSR_GROUP_WAVES];
};

struct bw_cwsr_stack {
	bool has_asked; /* for scratch for the first packet that has not begun */
	unsigned n_packets, n_groups;
	struct bw_cwsr_packet packet[BW_CWSR_PACKETS];
	struct bw_cwsr_group *group; /* in the order of the stack, i.e. from the area's end down */
};

/* Bytes of a wave in the area; the first of a group has the group's LDS. */
uint32_t bw_cwsr_wave_b(const struct bw_cwsr_group *g, bool is_first);
/* Writes the stack's dwords, from its top. False: there is no room in max_dw. */
bool bw_cwsr_stack_write(const struct bw_cwsr_stack *s, uint32_t *dw, size_t max_dw, size_t *out_n);
/* Reads them; waves lie between begin_b and end_b of the area. NULL, or what is wrong. The caller
 * frees s->group in both cases. */
const char *bw_cwsr_stack_read(const uint32_t *dw, size_t n_dw, uint32_t begin_b, uint32_t end_b,
			       struct bw_cwsr_stack *s);

#endif
