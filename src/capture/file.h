/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_FILE_H
#define BW_CAPTURE_FILE_H

/* The bytes of a capture file: one file header, then blocks, each with a header, a summary and a
 * body that zstd has compressed. Little-endian, without holes. doc/capture.md. */

#include <stdint.h>

#include "capture/capture.h"

struct bw_capture_file_header {
	char magic[8]; /* BW_CAPTURE_MAGIC, without a zero after it */
	uint32_t version, reserved;
};
#define BW_CAPTURE_MAGIC                                                                           \
	"\x89"                                                                                     \
	"BWCap\r\n"

enum bw_capture_block_kind {
	BW_CAPTURE_BLOCK_DEVICE = 1, /* summary: bw_capture_device; no body */
	BW_CAPTURE_BLOCK_PAGES,	     /* no summary; body: pages `first`, first + 1, ... */
	BW_CAPTURE_BLOCK_SUBMISSION, /* summary: bw_capture_summary; body: record.c */
	BW_CAPTURE_BLOCK_RESULT,     /* summary: bw_capture_result; body: runs */
	BW_CAPTURE_BLOCK_END,	     /* nothing comes after it: the file is whole */
	BW_CAPTURE_BLOCK_PIPELINE,   /* no summary; body: pipeline.c; before its first dispatch */
};

struct bw_capture_block {
	uint32_t magic; /* BW_CAPTURE_BLOCK_MAGIC */
	uint32_t kind;
	uint64_t check; /* bw_capture_check of what follows, the summary included */
	uint32_t summary_b, reserved;
	uint64_t stored_b, raw_b; /* of the body: in the file, and when decompressed */
	uint64_t first;		  /* PAGES: number of the first page; PIPELINE: its number */
};
enum {
	BW_CAPTURE_BLOCK_MAGIC = 0x42435742, /* "BWCB" */
	BW_CAPTURE_SUMMARY_MAX_B = 256,
	BW_CAPTURE_BLOCK_PAGES_MAX = 256,
	BW_CAPTURE_BODY_MAX_B = 256 << 20,
};

struct bw_capture_device {
	uint32_t gc_version; /* BW_IP_VERSION of its graphics block, as 0x0b0000; 0: not known */
	uint32_t is_virtual;
	char name[48], pci_address[16], made_by[32];
};

#endif
