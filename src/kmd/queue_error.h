/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_QUEUE_ERROR_H
#define BW_KMD_QUEUE_ERROR_H

/* A kernel log's messages about a command stream that a queue could not execute: "Illegal opcode in
 * command stream", "Illegal register access in command stream" (gfx_v11_0.c of Linux 6.12), and
 * "SDMA queue hang" of the virtual GPU. The virtual GPU's log names ring, process, packet and place
 * as well; Linux's names ring and process when the ring is reset. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct bw_kmd_queue_error {
	uint64_t time_us; /* of the log's line */
	pid_t pid;	  /* 0: not in the log */
	char ring[24];	  /* "comp_1.0.0", "" */
	char what[64];	  /* "Illegal opcode in command stream" */
	char why[288];	  /* "packet DRAW_INDEX_2 is not supported", "" */
	bool has_ib;
	uint64_t ib_va, dword; /* of the packet, in that IB */
};

/* The last one that is later than after_us and not another process's; false: none. text: any bytes
 * with a zero after them. */
bool bw_kmd_last_queue_error(const char *text, pid_t pid, uint64_t after_us,
			     struct bw_kmd_queue_error *out);

#endif
