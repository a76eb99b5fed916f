/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_BREADCRUMBS_CRUMBS_H
#define BW_AGENT_BREADCRUMBS_CRUMBS_H

/* Breadcrumbs (breakwater exec --breadcrumbs): each command stream that the program submits is
 * replaced by a copy with markers (pm4/mark.h), which the GPU writes into memory that the listener
 * has mapped, too. A thread of ours looks at the markers of what is under way: before it lets the
 * GPU begin the next work it looks for a page fault, and it notes where nothing changes. */

#include <amdgpu_drm.h>
#include <stdatomic.h>

#include "agent/agent.h"
#include "agent/names/names.h"

/* Whether there are breadcrumbs at all; cheap. */
bool bw_crumbs_are_on(void);

/* A submission that is about to be made. */
struct bw_crumbs_call {
	struct bw_agent_file *file;
	const struct drm_amdgpu_cs_in *in;
	struct drm_amdgpu_cs_chunk *chunks; /* in->num_chunks; changed */
	const struct bw_agent_dispatches *dispatches;
	const struct bw_names_blob *blob;
};
struct bw_crumbs_job;
/* Puts copies with markers into the place of its command streams. NULL: nothing was changed. Else
 * out_handle is a buffer that must be on the submission's list, and bw_crumbs_end must be called;
 * the chunks point into the job until then. */
struct bw_crumbs_job *bw_crumbs_begin(const struct bw_crumbs_call *c, uint32_t *out_handle);
/* The call was made (wait: its fence), or failed, or was made without the copies (NULL). */
void bw_crumbs_end(struct bw_crumbs_job *job, const struct drm_amdgpu_wait_cs_in *wait);

/* ---- packets of AQL queues: crumbs_packets.c ---- */

/* A packet that is about to be given to the GPU, as the first that it has not completed. */
struct bw_crumbs_packet {
	struct bw_agent_file *vm;
	uint32_t queue; /* its id */
	uint64_t ring_va, packet_va;
	uint8_t type;				  /* enum bw_aql_type */
	const struct bw_agent_dispatch *dispatch; /* NULL: it is none, or cannot be read */
	uint64_t kernel_object;			  /* of a dispatch */
};
/* One that the GPU has; zeroed before. */
struct bw_crumbs_passed {
	struct bw_crumbs_slot *slot; /* NULL: it has no markers, or it has ended */
	struct bw_agent_file *vm;    /* borrowed */
	int64_t since_ns;
	uint64_t fault_va; /* the page fault that was on record before */
	uint32_t fault_status;
};
/* Notes that the packet begins; with --break and --udp waits until the listener allows it, or until
 * *ends. */
void bw_crumbs_packet_begin(const struct bw_crumbs_packet *p, const atomic_bool *ends,
			    struct bw_crumbs_passed *out);
/* Looks whether a packet that has not ended hangs. */
void bw_crumbs_packet_look(const struct bw_crumbs_passed *p);
void bw_crumbs_packet_end(struct bw_crumbs_passed *p);
/* The program is told of a page fault: those under way may have done it. */
void bw_crumbs_packets_fault(struct bw_agent_file *vm);

/* The program is about to make an ioctl on contexts. The kernel forgets the fences of one that is
 * freed: how its submissions have ended is asked for before that. */
void bw_crumbs_context_ioctl(const void *arg);
/* The file is closed. */
void bw_crumbs_forget(struct bw_agent_file *f);
void bw_crumbs_fork_child(void);

#endif
