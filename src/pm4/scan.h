/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_SCAN_H
#define BW_PM4_SCAN_H

/* Finding the dispatches and draws of a command stream. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pm4/pm4.h"

/* The state of registers, carried from one IB of a submission to the next. Zero it before the first
 * IB. */
struct bw_pm4_scan {
	/* values that SET_SH_REG has set, by address - BW_PM4_SH_BEGIN_DW */
	uint32_t sh[BW_PM4_N_SH];
	uint64_t base[4]; /* addresses that SET_BASE has set */
	/* addresses of the words that set the registers; va: address of the scanned buffer, which
	 * the caller sets if it wants addresses */
	uint64_t sh_va[BW_PM4_N_SH], va;
	uint32_t n_instances;	       /* of the draws that follow */
	uint32_t tmpring_size;	       /* SPI_TMPRING_SIZE: of draws */
	bool vertices_w32, pixels_w32; /* their waves have 32 lanes */
	bool has_hull;		       /* draws have waves of tessellation control shaders */
};
struct bw_pm4_dispatch {
	uint32_t dim[3], initiator;
	bool is_task; /* of a task shader, which launches a mesh shader */
};
/* Numbers of a draw; ~0: read from memory. */
struct bw_pm4_draw {
	uint32_t n, n_instances; /* vertices or indices */
	uint32_t n_draws;	 /* of a packet that has several: the most that it may have */
	bool is_indexed;
	bool is_task; /* a task shader says what there is to draw */
};
enum bw_pm4_found {
	BW_PM4_FOUND_DISPATCH,
	BW_PM4_FOUND_DRAW,
	BW_PM4_FOUND_INDIRECT_BUFFER,
	BW_PM4_FOUND_BAD
};
struct bw_pm4_find {
	enum bw_pm4_found what;
	size_t pos_dw; /* offset of the packet in this buffer */
	const struct bw_pm4_scan *state;
	struct bw_pm4_dispatch dispatch; /* dim: each ~0 if it is read from memory at indirect_va */
	struct bw_pm4_draw draw;
	bool indirect;
	uint64_t indirect_va;
	struct bw_pm4_flow flow;
};
/* Reports dispatches, draws and INDIRECT_BUFFERs in order, until the end of the buffer or until the
 * callback returns false. It follows no address: the caller reads the target of an INDIRECT_BUFFER,
 * and scans it with the same state (a chain ends this buffer). */
typedef bool bw_pm4_find_fn(void *cookie, const struct bw_pm4_find *found);
void bw_pm4_find_dispatches(struct bw_pm4_scan *state, const uint32_t *dw, size_t n_dw,
			    bw_pm4_find_fn *fn, void *cookie);

/* The same for whole IBs: with the IBs that one calls and chains, in the order in which they are
 * executed. Zero it for a submission, but for the functions. */
struct bw_pm4_ib_scan {
	struct bw_pm4_scan state;
	/* Reads n dwords; false: they cannot be read, and the IB is left out. */
	bool (*read)(void *cookie, uint64_t va, uint32_t *out, size_t n);
	/* A dispatch or a draw, and the address of its packet. False ends the scan, for good. */
	bool (*found)(void *cookie, const struct bw_pm4_find *found, uint64_t packet_va);
	void *cookie;
	/* private */
	uint64_t ib_va; /* of the IB that is scanned */
	unsigned depth, n_ibs;
	size_t n_dw;
	bool has_ended;
	struct bw_pm4_flow chained;
};
void bw_pm4_scan_ib(struct bw_pm4_ib_scan *s, uint64_t va, size_t size_dw);

#endif
