/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_MARK_H
#define BW_PM4_MARK_H

/* Copies of a program's command streams with markers between its packets: the GPU itself writes
 * how far it has come (breadcrumbs). Pure: the words come from anywhere, and a part of a stream
 * that cannot be decoded is copied unchanged.
 *
 * What is written, and by what:
 * - BEGUN, by WRITE_DATA of the micro engine with a confirmed write, in front of a packet: the
 *   command processor has come to it. The write is in memory before the packet is executed.
 * - ENDED, by RELEASE_MEM with BOTTOM_OF_PIPE_TS, after a packet that starts waves: the event
 *   comes when all work in front of it has ended, which no WRITE_DATA would say. It asks for no
 *   cache action, so that a flush that the program has forgotten stays forgotten.
 * - In front of a packet that starts waves, and at the end, WAIT_REG_MEM waits until GO is the
 *   marker's number or higher: who writes GO has looked what became of the work before it. */

#include "base/vec.h"
#include "pm4/build.h"

/* A marker; its number is its place in the list, from 1. The last one is the end of the stream: it
 * has op 0xff. */
struct bw_pm4_mark {
	uint64_t ib_va; /* address in the program's own stream, not in the copy */
	uint32_t at_dw; /* place of the packet in that stream */
	uint8_t op;
	/* 0: in a stream that was submitted; 1: in one that it calls; chains do not count */
	uint8_t depth;
	bool is_work; /* the packet starts waves, and has an ENDED after it */
	/* not a packet: the words from here on are executed unchanged, without markers */
	bool is_bad;
};
enum { BW_PM4_MARK_END = 0xff };

/* Reads n dwords; false: they cannot be read, or must not be copied, and the stream is executed
 * where it is. is_called: not the stream that was submitted. */
typedef bool bw_pm4_mark_read_fn(void *cookie, uint64_t va, uint32_t *out, size_t n,
				 bool is_called);

struct bw_pm4_mark_options {
	bool every_packet;		    /* false: only packets that start waves get markers */
	uint64_t begun_va, ended_va, go_va; /* addresses of dwords */
	/* the GPU waits before each marker from this one on */
	uint32_t wait_from;
	bw_pm4_mark_read_fn *read;
	void *cookie;
	/* Packets that are inserted right after the first `put_behind` packets that start waves;
	 * put_dw 0: none. */
	const uint32_t *put;
	size_t put_dw;
	uint32_t put_behind;
};

/* A stream of the copy. */
struct bw_pm4_mark_piece {
	struct bw_pm4_stream words;
	size_t offset_dw; /* offset from the start of the copy; set when it is placed */
};
/* A packet of a piece that calls or chains another piece. */
struct bw_pm4_mark_link {
	size_t piece, at_dw, target;
};

struct bw_pm4_marked {
	/* the first piece is the submitted stream */
	struct BW_VEC(struct bw_pm4_mark_piece) pieces;
	struct BW_VEC(struct bw_pm4_mark_link) links;
	struct BW_VEC(struct bw_pm4_mark) marks;
	size_t size_dw;	   /* of the whole copy */
	uint32_t n_work;   /* packets that start waves and have markers */
	uint32_t n_unseen; /* streams that are executed where they are, and conditional parts */
	bool has_put;
};

/* Copies the stream at va with markers. BW_E_UNSUPPORTED: it cannot be copied. out: zeroed before;
 * the caller frees it, also after an error. */
struct bw_error *bw_pm4_mark(const struct bw_pm4_mark_options *o, uint64_t va, size_t size_dw,
			     struct bw_pm4_marked *out) BW_MUST_CHECK;
/* Writes the copy to `to` (size_dw dwords), as it is going to lie at va, a multiple of
 * BW_PM4_MARK_ALIGN_B. The submitted stream is at its start: pieces.data[0].words.len dwords. */
enum { BW_PM4_MARK_ALIGN_B = 256 };
void bw_pm4_marked_write(struct bw_pm4_marked *m, uint64_t va, uint32_t *to);
void bw_pm4_marked_free(struct bw_pm4_marked *m);

#endif
