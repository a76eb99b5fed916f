/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_HELLO_H
#define BW_WIRE_HELLO_H

/* The first message of a process to `breakwater capture` (wire/capture_proto.h) and to `breakwater
 * exec --breadcrumbs` (wire/crumbs_proto.h). */

#include <stdint.h>

struct bw_hello {
	uint32_t version; /* of the protocol */
	uint32_t pid;	  /* as the process knows it */
	char comm[16];	  /* ends with a zero byte where its sender is honest */
};

#endif
