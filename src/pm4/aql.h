/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_AQL_H
#define BW_PM4_AQL_H

/* Packets of AQL queues, by which programs of ROCm start kernels, and what these packets refer to:
 * the queue's object in memory, signals, kernel descriptors. Sources: HSA Platform System
 * Architecture Specification 1.2, 2.9 (packets); amd_hsa_queue.h, amd_hsa_signal.h,
 * amd_hsa_kernel_code.h and hsa_ven_amd_aqlprofile's PM4 packet in ROCR-Runtime; "Kernel
 * Descriptor" in LLVM's AMDGPUUsage. All are little-endian. Pure: readers look at the words that
 * they are given and at nothing else. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BW_AQL_PACKET_DW = 16,
	BW_AQL_PACKET_B = 4 * BW_AQL_PACKET_DW,
	BW_AQL_N_BARRIER_SIGNALS = 5,
};

enum bw_aql_type {
	BW_AQL_VENDOR,
	BW_AQL_INVALID, /* the slot is free, or its producer has not finished it */
	BW_AQL_DISPATCH,
	BW_AQL_BARRIER_AND,
	BW_AQL_AGENT_DISPATCH,
	BW_AQL_BARRIER_OR,
};
/* The third byte of a vendor packet. */
enum bw_aql_vendor { BW_AQL_VENDOR_PM4_IB = 1, BW_AQL_VENDOR_BARRIER_VALUE = 2 };
enum bw_aql_scope { BW_AQL_SCOPE_NONE, BW_AQL_SCOPE_AGENT, BW_AQL_SCOPE_SYSTEM };

struct bw_aql_packet {
	uint8_t type;		  /* enum bw_aql_type, or a value that is not a packet's */
	uint8_t vendor;		  /* BW_AQL_VENDOR: enum bw_aql_vendor */
	bool barrier;		  /* starts when all packets before it are complete */
	uint8_t acquire, release; /* enum bw_aql_scope */
	uint64_t completion;	  /* a signal, or 0 */
	union {
		struct {
			unsigned dimensions;	    /* as the packet says: 0 to 3 */
			uint32_t group[3], grid[3]; /* in work-items; 1 in unused dimensions */
			/* bytes of scratch of a lane; bytes of LDS of a workgroup */
			uint32_t private_b, group_b;
			uint64_t kernel_object, kernarg;
		} dispatch;
		struct {
			/* handles of the signals for which it waits; 0: none */
			uint64_t signal[BW_AQL_N_BARRIER_SIGNALS];
		} barriers;
		struct {
			uint32_t packet[4]; /* INDIRECT_BUFFER */
		} pm4_ib;
		struct {
			uint64_t signal, mask;
			int64_t value;
			uint32_t condition; /* see bw_aql_holds() */
		} value;
	};
};
void bw_aql_read(const uint32_t dw[BW_AQL_PACKET_DW], struct bw_aql_packet *out);
/* The name of a packet: "kernel dispatch"; "unknown" for a type that is not a packet's. */
const char *bw_aql_name(unsigned type);
/* Whether the condition of a barrier holds for a signed value: 0 equal, 1 not equal, 2 less, 3 at
 * least. */
bool bw_aql_holds(uint32_t condition, int64_t value, int64_t reference);

/* amd_queue_t. Its address is that of read_dispatch_id minus the 32-bit offset that follows that
 * field. */
enum {
	BW_AQL_QUEUE_DW = 64,
	BW_AQL_READ_ID_TO_OFFSET_B = 8,
	BW_AQL_QUEUE_PROFILES = 1 << 3, /* in properties: signals get time stamps */
};
struct bw_aql_queue_object {
	/* tmpring and descriptor: of the queue's scratch */
	uint32_t properties, tmpring, descriptor[4];
	uint64_t scratch, inactive_signal;
	uint32_t wave64_lane_b; /* bytes of scratch for a lane of wave64 */
};
void bw_aql_read_queue(const uint32_t dw[BW_AQL_QUEUE_DW], struct bw_aql_queue_object *out);

/* The value of queue_inactive_signal when a kernel needs more scratch than the queue has: for which
 * kind of waves (amd_aql_queue.cpp of ROCR-Runtime). The runtime answers with 0. */
enum { BW_AQL_WANTS_SCRATCH64 = 1, BW_AQL_WANTS_SCRATCH32 = 0x400 };

/* amd_signal_t: offsets in bytes */
enum {
	BW_AQL_SIGNAL_VALUE = 8,
	BW_AQL_SIGNAL_MAILBOX = 16,
	BW_AQL_SIGNAL_EVENT = 24,
	BW_AQL_SIGNAL_START = 32,
	BW_AQL_SIGNAL_END = 40,
};

/* A kernel descriptor, to which kernel_object points. */
enum { BW_AQL_DESCRIPTOR_DW = 16, BW_AQL_DESCRIPTOR_B = 4 * BW_AQL_DESCRIPTOR_DW };
/* The values that the kernel needs in its first SGPRs, in this order (properties 6:0). */
enum bw_aql_sgprs {
	BW_AQL_SGPR_PRIVATE_BUFFER = 1 << 0,
	BW_AQL_SGPR_DISPATCH_PTR = 1 << 1,
	BW_AQL_SGPR_QUEUE_PTR = 1 << 2,
	BW_AQL_SGPR_KERNARG_PTR = 1 << 3,
	BW_AQL_SGPR_DISPATCH_ID = 1 << 4,
	BW_AQL_SGPR_FLAT_SCRATCH = 1 << 5,
	BW_AQL_SGPR_PRIVATE_SIZE = 1 << 6,
	BW_AQL_WAVE32 = 1 << 10,
};
struct bw_aql_descriptor {
	uint32_t group_b, private_b, kernarg_b;
	int64_t entry_b; /* offset of the code from the descriptor */
	uint32_t rsrc1, rsrc2, rsrc3, properties;
	bool is_reserved_zero; /* all bytes without a meaning are zero */
};
void bw_aql_read_descriptor(const uint32_t dw[BW_AQL_DESCRIPTOR_DW], struct bw_aql_descriptor *out);
/* A dispatch: its packet, which lies at packet_va as the packet with that index of its queue, and
 * what it refers to. */
struct bw_aql_launch {
	const struct bw_aql_packet *packet;
	const struct bw_aql_descriptor *descriptor;
	const struct bw_aql_queue_object *queue;
	uint64_t packet_va, queue_va, index;
};
/* What the queue has to ask its runtime for before it runs; 0: nothing. */
unsigned bw_aql_wants_scratch(const struct bw_aql_launch *l);
/* Its user SGPRs: packed, in the order of the properties' bits. The rest is 0. */
enum { BW_AQL_USER_SGPRS = 16 };
void bw_aql_user_data(const struct bw_aql_launch *l, uint32_t out[BW_AQL_USER_SGPRS]);
/* COMPUTE_PGM_RSRC2: the descriptor's, with the LDS and the scratch that the packet asks for. */
uint32_t bw_aql_rsrc2(const struct bw_aql_launch *l);

#endif
