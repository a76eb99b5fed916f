/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_ATTACH_H
#define BW_AGENT_ATTACH_H

/* The trap handler, the debug area and the place for displaced instructions in the address space of
 * a DRM file. Used by the debugger's service thread alone. */

#include "agent/agent.h"
#include "wire/agent_proto.h"

struct bw_attach {
	struct bw_agent_file *file; /* a reference; NULL: not attached */
	uint64_t area_size_b;
	uint8_t *area;	      /* mapped */
	uint32_t area_handle; /* for the residency list of each submission */
	struct bw_attach_buffer {
		uint32_t handle;
		uint64_t va, size_b;
	} buffers[3]; /* area, handler, displaced instructions */
	bool reserved; /* the VMID */
};

/* What is still in the program's address space after the end. */
struct bw_attach_left {
	struct bw_agent_file *file; /* a reference; NULL: nothing */
	struct bw_attach_buffer buffers[3];
	bool reserved;
};

/* control, handler: req->control_size_b and req->handler_size_b bytes. ip_type, ring: where the
 * program submits. On success *out_fd is a dma-buf of the area. What failed, and where, stands in
 * out->r; 0 on success. */
int bw_attach(struct bw_attach *a, struct bw_agent_file *f, const struct bw_agent_attach *req,
	      const void *control, const void *handler, uint32_t ip_type, uint32_t ring,
	      struct bw_agent_attach_reply *out, int *out_fd);
/* Puts patched code back, tells the handler that nobody listens, and lets every stopped wave go on,
 * until none stops any more. What waves may still execute stays where it is, and is out->buffers. */
void bw_attach_end(struct bw_attach *a, struct bw_attach_left *out);
/* no_more_waves: none can enter the handler any more, so the buffers go; else they stay for good. */
void bw_attach_reclaim(struct bw_attach_left *left, bool no_more_waves);
/* Forgets the file, whose address space is about to end. */
void bw_attach_drop(struct bw_attach *a);

#endif
