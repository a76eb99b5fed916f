/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_WRITERS_PRIV_H
#define BW_VGPU_EXEC_CHECK_WRITERS_PRIV_H

/* Cells of writers (writers.c), for those who compare what they say (between.c): a writer in 48
 * bits, in the words `store` and `load` of struct bw_shadow_cell, and the value in the rest. */

#include "vgpu/device/exec/check/check_priv.h"

enum {
	BW_WRITER_NUMBER_BITS = 24,
	BW_WRITER_PLACE_BITS = 13,
	BW_WRITER_LANE_BITS = 6,
	BW_WRITER_MASK_BITS = 4,
	BW_WRITER_PLACES = (1 << BW_WRITER_PLACE_BITS) - 1,
};

/* Writers whose numbers follow each other: the waves of a workgroup, or a packet. */
struct bw_writers_run {
	uint32_t first, n;
	enum bw_transfer transfer;
	uint8_t vmid, lanes; /* lanes: of a wave */
	uint64_t number;     /* of the dispatch */
	uint64_t stretch;    /* bw_check_launch */
	struct bw_check_job job;
	uint64_t code_va; /* of waves; of a packet: source less address */
	uint32_t group[3];
	uint32_t draw; /* 0: a dispatch */
};

/* What the lanes of a draw's wave run for, by its number as a writer. */
struct bw_writers_lanes {
	uint32_t number, era;
	char is[64][BW_CHECK_LANE_B];
};

/* An instruction that stores, numbered from 1. */
struct bw_writers_place {
	uint64_t pc;
	uint32_t word[3];
	uint8_t n_words, access;
	uint16_t op;
};

struct bw_writer_word {
	uint32_t number;
	uint16_t place;
	uint8_t lane, mask;
	/* of two or more bytes, the next lanes in order have stored the further ones */
	bool has_many;
};

static inline struct bw_writer_word bw_writer_unpack(uint64_t word)
{
	enum {
		PLACE = BW_WRITER_NUMBER_BITS,
		LANE = PLACE + BW_WRITER_PLACE_BITS,
		MASK = LANE + BW_WRITER_LANE_BITS,
		MANY = MASK + BW_WRITER_MASK_BITS,
	};
	return (struct bw_writer_word){.number = word & ((1 << PLACE) - 1),
				       .place = word >> PLACE & BW_WRITER_PLACES,
				       .lane = word >> LANE & ((1 << BW_WRITER_LANE_BITS) - 1),
				       .mask = word >> MASK & ((1 << BW_WRITER_MASK_BITS) - 1),
				       .has_many = word >> MANY & 1};
}

/* The word of a cell's last writer, and of the one before. */
static inline uint64_t bw_writers_last(const struct bw_shadow_cell *c)
{
	return c->store & 0xffffffffffff;
}

static inline uint64_t bw_writers_before(const struct bw_shadow_cell *c)
{
	return c->store >> 48 | (c->load & 0xffffffff) << 16;
}

/* What the last writer has left there. */
static inline uint32_t bw_writers_value(const struct bw_shadow_cell *c)
{
	return (uint32_t)(c->load >> 32);
}

/* NULL: it is not kept any more. */
const struct bw_writers_run *bw_writers_run_of(const struct bw_writers *x, uint32_t number);
/* The number of the first of n new writers. */
uint32_t bw_writers_add_run(struct bw_writers *x, struct bw_writers_run r);
/* Notes that it has written bytes of the dword, of which it is the host's first one. */
void bw_writers_enter(struct bw_writers *x, const uint8_t *host, struct bw_writer_word w);
struct bw_writer bw_writers_answer_of(const struct bw_check *c, uint64_t word);

#endif
