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
	BW_PM4_UMR_FIELD,  /* the same with 4 or 16 digits: a field of an AQL packet, no dword */
};
enum bw_pm4_umr_packets { BW_PM4_UMR_ANY, BW_PM4_UMR_PM4, BW_PM4_UMR_SDMA, BW_PM4_UMR_AQL };
struct bw_pm4_umr_row {
	enum bw_pm4_umr_kind kind;
	unsigned vmid; /* of the stream, and where it begins: in a ring, its offset */
	uint64_t va;
	bool is_ring;	   /* of a header: nothing leads to it */
	uint64_t size_dw;  /* of a header; 0: not said */
	uint64_t offset_b; /* of a word in the stream */
	uint32_t word;
	enum bw_pm4_umr_packets packets; /* as the row of a packet's header says */
};
/* text: a line without its newline, which need not end in NUL. False: it is none of these. */
bool bw_pm4_umr_row(const char *text, size_t n, struct bw_pm4_umr_row *out);

#endif
