/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_CRUMBS_UDP_H
#define BW_WIRE_CRUMBS_UDP_H

/* Breadcrumbs over UDP, for machines that die (doc/breadcrumbs.md has the format): datagrams from
 * `breakwater exec --udp` to `--breadcrumbs-listen`, and back. Pure: the bytes come from
 * anywhere. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bw_crumb_kind {
	BW_CRUMB_AT = 1, /* the command processor has come to a marker */
	BW_CRUMB_WAITS,	 /* ... and waits there for GO_ON */
	BW_CRUMB_ENDED,	 /* the stream has ended: result */
	BW_CRUMB_GO_ON,	 /* back: it may pass the marker `begun` of the stream */
};
enum { BW_CRUMB_B = 256, BW_CRUMB_LABEL_B = 96, BW_CRUMB_PIPELINE_B = 64, BW_CRUMB_COMM_B = 16 };
struct bw_crumb {
	uint8_t kind;	   /* enum bw_crumb_kind */
	uint8_t op;	   /* of the packet at `begun`; 0xff: the end of the stream */
	uint64_t token;	   /* of the sender; a GO_ON without it is not heard */
	uint32_t sequence; /* of the sender's datagrams, from 1 */
	uint32_t pid, submission, stream, ib;
	uint32_t n_marks, begun, ended; /* markers */
	uint32_t at_dw;
	int32_t dispatch; /* -1: none */
	int32_t result;
	uint64_t ib_va;
	char comm[BW_CRUMB_COMM_B], pipeline[BW_CRUMB_PIPELINE_B], label[BW_CRUMB_LABEL_B];
};

void bw_crumb_encode(const struct bw_crumb *c, uint8_t out[BW_CRUMB_B]);
/* False: it is not a datagram of breadcrumbs. Texts are always terminated. */
bool bw_crumb_decode(const void *bytes, size_t n, struct bw_crumb *out);

#endif
