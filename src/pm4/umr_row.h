/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_UMR_ROW_H
#define BW_PM4_UMR_ROW_H

/* Words of rings and indirect buffers as the tool umr prints them. Untrusted text. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bw_pm4_umr_kind {
	BW_PM4_UMR_HEADER, /* "Decoding IB at 3@0x80010005ad00 from 0@0x28 of 176 words (type 4)" */
	BW_PM4_UMR_WORD,   /* "[3@0x80010005ad00 + 0x0004]	[        0x80000000]	|---> ..." */
	/* like a word, with 4 or 16 digits: a field of an AQL packet, not a dword */
	BW_PM4_UMR_FIELD,
};
enum bw_pm4_umr_packets { BW_PM4_UMR_ANY, BW_PM4_UMR_PM4, BW_PM4_UMR_SDMA, BW_PM4_UMR_AQL };
struct bw_pm4_umr_row {
	enum bw_pm4_umr_kind kind;
	unsigned vmid; /* the stream's VMID, and its address; of a ring, an offset */
	uint64_t va;
	bool is_ring;	   /* header: nothing calls the stream, as it is a ring */
	uint64_t size_dw;  /* header: size; 0: not given */
	uint64_t offset_b; /* word: offset in the stream */
	uint32_t word;
	/* kind of packets, as the row of a packet's header tells */
	enum bw_pm4_umr_packets packets;
};
/* Parses a line, without its newline; text need not end in NUL. False: it is none of these rows. */
bool bw_pm4_umr_row(const char *text, size_t n, struct bw_pm4_umr_row *out);

#endif
