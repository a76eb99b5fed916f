/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_DEBUGGER_ATTACH_H
#define BW_AGENT_DEBUGGER_ATTACH_H

/* The trap handler, the debug area and the place for displaced instructions in the address space of
 * a DRM file. Used by the debugger's service thread alone. */

#include "agent/agent.h"
#include "wire/agent_proto.h"

/* The debugger's memory in the program's address space. It outlives the attachment: waves that were
 * launched under the handler may still need it, so each job holds a reference, and dropping the
 * last reference frees it. */
struct bw_attach_left {
	atomic_uint refs;
	struct bw_agent_file *file; /* a reference */
	struct bw_attach_buffer {
		uint32_t handle;
		uint64_t va, size_b;
	} buffers[4]; /* area, handler, displaced instructions, empty command buffer */
	bool stays;   /* do not free it: it may still be needed, or is freed with the file */
};

struct bw_attach {
	struct bw_agent_file *file; /* a reference; NULL: not attached */
	uint64_t area_size_b;
	uint8_t *area;	      /* mapped */
	uint32_t area_handle; /* for the residency list of each submission */
	bool reserved;	      /* the VMID */
	bool is_ready;	      /* it stays in place when the debugger detaches */
	bool is_second_level; /* KFD's trap handler jumps to ours */
	bool has_stale_code;  /* AQL: instruction caches may have what stood there before */
	uint32_t pasid;
	struct bw_attach_left *left;
	struct bw_attach_flush *flush;
};

/* The queue that jobs are submitted to: a context and a ring of an IP. */
struct bw_agent_queue {
	uint32_t ip_type, ring, ctx_id;
};

struct bw_attach_request {
	struct bw_agent_attach sizes;  /* and the other numbers that the debugger sent */
	const void *control, *handler; /* sizes.control_size_b and sizes.handler_size_b bytes */
	struct bw_agent_queue queue;   /* where the program submits */
};

/* On success *out_fd is a dma-buf of the area. out->r is the failed step and its error; 0 on
 * success. */
int bw_attach(struct bw_attach *a, struct bw_agent_file *f, const struct bw_attach_request *q,
	      struct bw_agent_attach_reply *out, int *out_fd);
/* Empties the instruction caches, and returns when that is done. */
void bw_attach_empty_caches(struct bw_attach *a);
/* Restores patched code, tells the handler that no debugger is attached, and has the instruction
 * caches invalidated. */
void bw_attach_end(struct bw_attach *a);
/* Resumes waves that have stopped. Called after bw_attach_end, repeatedly until the trap registers
 * are restored. True: no instruction cache holds patched code any more. */
bool bw_attach_has_left(struct bw_attach *a);
/* given_back: no wave can enter the handler any more, so the buffers are freed when the jobs in
 * flight have ended; else they are never freed. */
void bw_attach_over(struct bw_attach *a, bool given_back);
/* Uses an attachment that is asleep again, with the same answer as bw_attach. */
int bw_attach_wake(struct bw_attach *a, struct bw_agent_attach_reply *out, int *out_fd);
/* Instead of bw_attach_over: the attachment stays in place, without a debugger. */
void bw_attach_sleep(struct bw_attach *a);
int bw_attach_pasid(struct bw_agent_file *f, uint32_t *out);
/* Adds and drops a reference to what is attached. */
struct bw_attach_left *bw_attach_left_ref(struct bw_attach_left *left);
void bw_attach_left_unref(struct bw_attach_left *left);
/* Forgets the file, whose address space is about to end. */
void bw_attach_drop(struct bw_attach *a);

#endif
