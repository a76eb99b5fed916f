/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_HELLO_H
#define BW_WIRE_HELLO_H

/* The beginning of the first message on each connection of an agent, which the agent sends,
 * whichever side has connected: to the debugger (wire/agent_proto.h), to `breakwater capture`
 * (wire/capture_proto.h) and to `breakwater exec --breadcrumbs` (wire/crumbs_proto.h). */

#include <stdint.h>

#include "wire/message.h"

struct bw_hello {
	uint32_t version; /* of the service's protocol */
	uint32_t pid;	  /* as the process knows it */
	char comm[16];
};

/* BW_E_UNSUPPORTED: the agent speaks another version; *out is filled in. */
struct bw_error *bw_hello_read(const struct bw_msg *m, uint32_t version,
			       struct bw_hello *out) BW_MUST_CHECK;

#endif
