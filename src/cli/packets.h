/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_PACKETS_H
#define BW_CLI_PACKETS_H

/* Shows command streams as packets (pm4.c). */

#include "pm4/describe.h"
#include "ui/out.h"

struct bw_packets {
	struct bw_out *out; /* NULL: only facts are wanted */
	json_t *list;	    /* gets an object for each packet */
	const struct bw_pm4_names *names;
	bool is_sdma, is_mes;
	unsigned depth; /* nesting of indirect buffers; 0 at the start */
	unsigned vmid;	/* VMID of the shown stream */
	size_t mark;	/* index of the word to which the read pointer points; SIZE_MAX: none */
	/* index of the word to which the write pointer points, plus 1; 0: none */
	size_t end;
	size_t first,
		wrap; /* of a ring: where the first word is, and how many there are; 0: none */
	/* Reads words of GPU memory for indirect buffers; returns how many. NULL: indirect buffers
	 * are not followed. */
	uint32_t (*read)(void *cookie, unsigned vmid, uint64_t va, uint32_t *dw, uint32_t n);
	void *cookie;
};
struct bw_error *bw_packets_show(struct bw_packets *s, const uint32_t *dw, size_t n) BW_MUST_CHECK;
/* Reads the words of a file ("-": standard input), in hexadecimal text or binary. */
struct bw_error *bw_packets_read(const char *path, struct bw_pm4_words *words) BW_MUST_CHECK;

#endif
