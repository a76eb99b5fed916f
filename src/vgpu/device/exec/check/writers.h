/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_WRITERS_H
#define BW_VGPU_EXEC_CHECK_WRITERS_H

/* Who has written memory: for each dword the last two stores, by waves or by packets that move
 * data, in a cell of 16 bytes (shadow.h has the pages). For `whence` also LDS and private memory,
 * which other waves have later: whoever asks says for which wave. The CPU's writes are not seen: a
 * cell has the value of the last write, so that a later one shows.
 *
 * A cell has numbers of writers, which are given in order: one to each wave that is launched, one
 * to each packet. RUNS of such numbers are kept; what an older number was is not known any more. */

#include "vgpu/device/exec/check/check.h"

struct bw_tlb;

/* What packets do to memory. */
enum bw_transfer { BW_TRANSFER_NONE, BW_TRANSFER_COPY, BW_TRANSFER_FILL, BW_TRANSFER_WRITE };

struct bw_writer {
	/* NONE: a wave, whose dispatch is the number-th of the GPU; is_forgotten: nothing but
	 * lane and bytes is known */
	enum bw_transfer transfer;
	bool is_forgotten;
	uint64_t number;
	uint64_t source;	 /* COPY: its address there; 0: not known */
	struct bw_check_side at; /* of a wave; pc 0: the place is not known */
	uint8_t vmid, mask;	 /* mask: bytes of the dword */
	uint8_t n_lanes;	 /* at.lane and those after it, in the order of the bytes */
};

enum { BW_WRITERS_KEPT = 2 };
struct bw_writers_answer {
	uint32_t value;			      /* that the last one left */
	unsigned n;			      /* 0: no wave and no packet has written it */
	struct bw_writer by[BW_WRITERS_KEPT]; /* the last one first */
};
/* Of the dword at a host address. False: writers are not noted. */
bool bw_writers_look(struct bw_check *c, const uint8_t *host, struct bw_writers_answer *out);

/* The same of LDS or private memory that is a wave's: writers of its group, or of itself. */
bool bw_writers_look_of(struct bw_check *c, const struct bw_wave *w, bool is_lds,
			const uint8_t *host, struct bw_writers_answer *out);

/* A packet has written n bytes at an address, n small enough to be looked up at once. from: where
 * these bytes were copied from, or 0. c may be NULL. */
struct bw_writers_packet {
	enum bw_transfer transfer;
	uint64_t to, from, size_b;
	uint8_t vmid;
	/* With dispatches and other packets, by what follows. All earlier dispatches of its queue
	 * have ended then. */
	bool is_compared;
	uint64_t stretch, space; /* bw_check_launch; stretch 0: only with other queues */
	struct bw_check_engine engine;
	struct bw_check_job job; /* seq 0: the one that a ring executes */
};
void bw_writers_note(struct bw_check *c, struct bw_tlb *tlb, const struct bw_writers_packet *p);
/* Whether copies, fills and writes are compared with dispatches, and with each other. c may be
 * NULL. */
bool bw_writers_compare_packets(const struct bw_check *c);
/* The same of a program that uses Vulkan. */
bool bw_writers_compare_explicit(struct bw_check *c, uint64_t space);
/* Memory of the host is another buffer's from now on. c may be NULL. */
void bw_writers_forget(struct bw_check *c, const uint8_t *host, uint64_t size_b);

#endif
