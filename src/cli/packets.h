/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_PACKETS_H
#define BW_CLI_PACKETS_H

/* Command streams shown as packets (pm4.c). */

#include "pm4/describe.h"
#include "ui/out.h"

struct bw_packets {
	struct bw_out *out; /* NULL: facts alone */
	json_t *list;	    /* gets an object for each packet */
	const struct bw_pm4_names *names;
	bool is_sdma, is_mes;
	unsigned depth; /* of indirect buffers, 0 */
	unsigned vmid;	/* of what is shown */
	size_t mark;	/* the word that the read pointer is at; SIZE_MAX: none */
	size_t end;	/* one more than the word that the write pointer is at; 0: none */
	size_t first,
		wrap; /* of a ring: where the first word is, and how many there are; 0: none */
	/* Words of GPU memory, for indirect buffers; returns how many. NULL: they are not
	 * followed. */
	uint32_t (*read)(void *cookie, unsigned vmid, uint64_t va, uint32_t *dw, uint32_t n);
	void *cookie;
};
struct bw_error *bw_packets_show(struct bw_packets *s, const uint32_t *dw, size_t n) BW_MUST_CHECK;
/* The words of a file ("-": standard input), as hexadecimal text or binary. */
struct bw_error *bw_packets_read(const char *path, struct bw_pm4_words *words) BW_MUST_CHECK;

#endif
