/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_CP_H
#define BW_VGPU_DEVICE_CP_H

/* The command processor and the workgroup dispatcher that it feeds.
 *
 * Queues: ME 0 pipe 0 has graphics rings, ME 1 pipes 0 to 3 compute rings, ME 3 the two of the
 * scheduler (mes.h). They are set up by their CP_HQD_* registers under the SRBM bank, or mapped
 * from descriptors in memory by the scheduler's. Each is a state machine that runs until it has
 * nothing to do or must wait, so that no queue can hold up another.
 *
 * A queue that meets a packet it cannot execute stops there (CP_HQD_ERROR says why), raises the
 * interrupt, and stays stopped until DEQUEUE_REQUEST. */

#include "vgpu/device/device_priv.h"
#include "pm4/pm4.h"
#include "vgpu/device/aql_check.h"
#include "vgpu/device/counts.h"
#include "vgpu/device/cwsr_stack.h"
#include "vgpu/device/scheduler.h"
#include "wire/vgpu_proto.h"

enum {
	BW_CP_MAX_DEPTH = 3,	  /* ring, IB, IB called by an IB */
	BW_CP_PACKET_DW = 0x4001, /* the longest packet */
	BW_N_HQD = BW_REG_CP_HQD_DEQUEUE_STATUS - BW_REG_CP_MQD_BASE_ADDR + 1,
};

/* CP_HQD_ERROR, as this device uses it. */
enum bw_queue_error {
	BW_QUEUE_OK,
	BW_QUEUE_BAD_PACKET,
	BW_QUEUE_PRIV_REG,
	BW_QUEUE_FAULT,
	BW_QUEUE_BAD_DISPATCH,
};

/* CP_HQD_DEQUEUE_REQUEST.DEQUEUE_REQ: what becomes of the waves (amdgpu_amdkfd_gfx_v11.c). */
enum bw_dequeue { BW_DEQUEUE_DRAIN = 1, BW_DEQUEUE_RESET, BW_DEQUEUE_SAVE };

/* The place that a queue reads from: the ring, or an indirect buffer. */
struct bw_cp_level {
	uint64_t va;
	uint32_t size_dw, pos_dw;
	uint8_t vmid;
};

/* What an AQL queue is doing (aql.c): the packets that have begun and are not complete. */
enum { BW_AQL_WINDOW = 32 };
struct bw_aql_running {
	struct bw_dispatch *dispatch;	     /* as long as it is not done; under spi.lock */
	uint64_t completion, start;	     /* a signal; a time stamp */
	struct bw_check_job job;	     /* the checker's */
	bool profiled, has_scratch, is_sole; /* sole: the signal was 1 when it began */
	uint32_t tmpring;
	uint64_t scratch;
	_Atomic bool done; /* set by the dispatcher, which may be any thread */
};
struct bw_aql {
	struct bw_aql_running running[BW_AQL_WINDOW]; /* by index modulo its size */
	uint64_t first, next; /* indices of packets: the oldest not complete, the next to begin */
	bool is_loaded;	      /* they are those of memory */
	bool has_called_ib;   /* of packet `next` */
	bool has_asked;	      /* for scratch for packet `next` */
	uint8_t error;	      /* as the interrupt says it; 0: none of a packet's */
};

struct bw_queue {
	struct bw_device *dev;
	uint8_t me, pipe, queue;
	unsigned index;

	/* under cp.lock */
	uint32_t hqd[BW_N_HQD]; /* by number, from CP_MQD_BASE_ADDR on: BW_HQD() */
	bool active;
	uint32_t dequeue; /* DEQUEUE_REQUEST not done yet */
	uint64_t wptr;	  /* dwords, never wrapped */

	/* while active, used by the command processor alone */
	uint32_t sh[BW_PM4_N_SH]; /* COMPUTE_* and others, by address - BW_PM4_SH_BEGIN_DW */
	uint32_t grbm_gfx_index;  /* of the packets of this queue */
	_Atomic uint64_t rptr;
	struct bw_cp_level level[BW_CP_MAX_DEPTH]; /* [0] is not used: the ring is rptr */
	unsigned depth, kept_depth; /* kept while the queue is drained: it goes on there */
	uint64_t base[4];	    /* SET_BASE */
	uint64_t atomic_return;	    /* of the last ATOMIC_MEM, for COPY_DATA */
	bool predicated;      /* SET_PREDICATION: packets with the predicate bit are skipped */
	bool predicate;	      /* what it depends on, while more of it may come */
	_Atomic bool polling; /* waits for memory or a register; also looked at without the lock */
	uint64_t mqd_va;      /* of a queue that was mapped; else 0; under cp.lock */
	struct bw_cwsr *cwsr; /* a context save that has begun; or NULL */
	struct bw_queue *unmapping; /* the queue that the waiting packet ends */
	_Atomic bool suspended;	    /* by the scheduler: nothing is read from the ring */
	bool started; /* the waiting packet has carried out the part before its wait */
	struct bw_aql aql;
	struct bw_aql_check check;
	/* Dispatches get it: a new one where the queue may wait for any before; 0: none yet. */
	uint64_t stretch;
	struct bw_draw *draw; /* of the current packet: draw.h */
	uint64_t index_va;    /* INDEX_BASE, and INDEX_BUFFER_SIZE */
	uint32_t n_indices;
	uint32_t n_drawn; /* draws of the current packet that are done */
	struct {
		uint64_t control_va; /* DISPATCH_TASK_STATE_INIT: task_ring.h */
		/* The current packet, as it was when it was read first: its grids; of the one that
		 * has begun the groups, its first entry, and groups that are dispatched. */
		bool is_counted, has_begun;
		uint32_t n_grids, dim[3];
		uint64_t first, n_done;
		uint64_t stretch_first; /* the first entry of the stretch */
		bool is_skipped;	/* the draw is left out: its entries are passed over */
	} task;
	uint32_t n_rounds;    /* of waves of all its draws */
	const char *left_out; /* why a draw was left out last, and of which VMID */
	unsigned left_out_vmid;
	uint64_t counts[BW_N_COUNTS]; /* pipeline statistics, while counts_on */
	bool counts_on;
	uint64_t n_samples_passed; /* depth and stencil tests, for occlusion queries */
	_Atomic enum bw_queue_error error;
	char why[288];	  /* the error in words; under cp.lock */
	uint32_t *packet; /* the current packet, BW_CP_PACKET_DW */
	uint32_t n_dispatches;
	struct bw_vgpu_stomp stomp; /* the fill of new waves; and dispatches since it came */
	uint32_t n_stomp_dispatches;
	uint64_t n_invocations; /* threads of all its dispatches, for pipeline statistics */

	/* under spi.lock */
	struct bw_dispatch *head, **tail; /* not completely placed yet */
	uint64_t n_alive;		  /* groups of all its dispatches, placed and not ended */
	struct bw_restored *restore, **restore_tail; /* saved groups, placed before all others */
	bool held;				     /* nothing is placed: cwsr.c */
	/* waiting for room, with no wave of its own on the GPU: since when (0: it does not), and
	 * how long it did before */
	uint64_t starved_since_ns, starved_ns;
	_Atomic unsigned n_inflight; /* dispatches not complete */
	uint64_t scratch_used[BW_MAX_SES][BW_MAX_SCRATCH_WAVES / 64];
};

#define BW_HQD(q, name) ((q)->hqd[BW_REG_CP_##name - BW_REG_CP_MQD_BASE_ADDR])
#define BW_HQD_FIELD(q, name, field) BW_FIELD_GET(CP_##name, field, BW_HQD(q, name))

static inline bool bw_cp_is_sh(uint32_t addr_dw)
{
	return addr_dw >= BW_PM4_SH_BEGIN_DW && addr_dw < BW_PM4_SH_BEGIN_DW + BW_PM4_N_SH;
}

/* A register of the queue's programs; bw_register_map_init() has seen that they are there. */
static inline uint32_t *bw_queue_sh(struct bw_queue *q, enum bw_register reg)
{
	return &q->sh[q->dev->regs.map.addr_dw[reg] - BW_PM4_SH_BEGIN_DW];
}

struct bw_error *bw_cp_create(struct bw_device *dev) BW_MUST_CHECK;
void bw_cp_destroy(struct bw_device *dev);
struct bw_error *bw_cp_start(struct bw_device *dev) BW_MUST_CHECK;
void bw_cp_stop(struct bw_device *dev);
/* One turn for every queue; false: nothing could be done. For the deterministic thread. */
bool bw_cp_turn(struct bw_device *dev);
/* Some queue waits for memory or a register to change. */
bool bw_cp_polling(struct bw_device *dev);
/* To be called when something that a queue may wait for has changed. Any thread, any lock but
 * cp.lock. */
void bw_cp_kick(struct bw_device *dev);
bool bw_cp_busy(struct bw_device *dev);
/* Stops the queue: error register, interrupt, words for people. */
void bw_cp_fail(struct bw_queue *q, enum bw_queue_error error, const char *fmt, ...)
	BW_PRINTF(3, 4);
bool bw_cp_doorbell(struct bw_device *dev, uint32_t index_dw, uint64_t value);
uint32_t bw_cp_hqd_read(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg);
void bw_cp_hqd_write(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
		     uint32_t value);
/* Ends all queues of these pipes of an ME (one bit a pipe), with their waves, and waits for it
 * for a short time. */
void bw_cp_reset_pipes(struct bw_device *dev, unsigned me, uint32_t pipes);
/* For registers of which bw_cp_is_sh() is true. */
uint32_t bw_cp_sh_read(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw);
void bw_cp_sh_write(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
		    uint32_t value);

/* Results of executing a packet (cp_packets.c). */
enum bw_cp_result {
	BW_CP_DONE,   /* continue after it */
	BW_CP_JUMPED, /* done, and has set the position itself */
	BW_CP_AGAIN,  /* a part is done: the rest follows after the other queues have had their
		       * turn */
	BW_CP_WAIT,   /* again when a dispatch completes */
	BW_CP_POLL,   /* again soon */
	BW_CP_STOP,   /* bw_cp_fail() has been called */
};
enum bw_cp_result bw_cp_packet(struct bw_queue *q, const struct bw_pm4_packet *p);
struct bw_tlb *bw_cp_tlb(struct bw_device *dev, unsigned vmid);
/* VMID of the current packets: 0 is the kernel, which may do everything. */
unsigned bw_cp_vmid(const struct bw_queue *q);
/* An atomic operation (enum bw_tc_op) on host memory, as the L2 does it; false: there is none of
 * that number. out_old may be NULL. */
bool bw_tc_atomic(void *host, unsigned op, bool is_64, uint64_t src, uint64_t compare,
		  uint64_t *out_old);

/* The caller holds the WGP. Carries out the commands posted to it (register_sq.c). */
void bw_sq_carry_out(struct bw_wgp *wgp);
/* Ends all waves of a queue (register_sq.c). */
void bw_sq_kill_queue(struct bw_device *dev, const struct bw_queue *q);

/* --- the dispatcher (spi.c, launch.c) --- */

/* One dispatch, decoded from its registers once. */
struct bw_dispatch {
	struct bw_device *dev;
	struct bw_queue *queue;
	struct bw_dispatch *next;
	uint8_t vmid;
	uint64_t pc;
	uint32_t rsrc1, rsrc2, rsrc3, initiator;
	uint32_t user_data[16];
	uint64_t scratch_base;
	uint16_t accum_offset; /* bw_wave.accum_offset */
	/* of a wave; slots in a shader engine, or of the GPU (bw_scratch_pool) */
	uint32_t scratch_wave_b, scratch_waves;
	uint32_t cu_mask[BW_MAX_SES];
	uint64_t stretch; /* bw_queue.stretch */
	struct bw_check_job job;
	uint32_t packet_id; /* TTMP6, and the answer to MSG_RTN_GET_DDID */
	_Atomic bool *done; /* of its AQL packet; or NULL */
	uint64_t packet;    /* the index of that */
	uint32_t doorbell;  /* of its queue, as MSG_RTN_GET_DOORBELL says it */

	uint32_t begin[3], end[3];	   /* workgroup ids */
	uint32_t threads[3], last[3];	   /* of a full group, of the last one in each dimension */
	unsigned lanes, n_vgprs, granules; /* granules of 32-lane registers */
	unsigned lds_b, lds_granules;
	uint32_t lds_exact_b; /* as its AQL packet says it; 0: not known */
	bool wgp_mode;
	struct bw_vgpu_stomp stomp;
	struct bw_check_dispatch *check; /* the checker's; under its lock */
	struct bw_draw *draw;		 /* its groups are those of a draw's round; or NULL */

	/* under spi.lock */
	uint32_t id[3]; /* next group to place */
	bool all_placed;
	uint64_t n_alive; /* groups, placed and not ended */
	uint64_t n_left;  /* of a part: groups to place; else 0 */
	/* of a context save: groups in the save area, groups that have not been placed again */
	uint64_t n_saved, n_pending;
	struct bw_restored *restored; /* when it is submitted: its groups that come back */
};

/* A group that comes back from a save area. */
struct bw_restored {
	struct bw_restored *next;
	struct bw_dispatch *dispatch;
	uint64_t area_va;
	struct bw_cwsr_group g;
};

struct bw_group {
	struct bw_workgroup wg;
	struct bw_dispatch *dispatch;
	struct bw_wgp *wgp;
	struct bw_group *next;
	unsigned n_alive;
	uint32_t threads[3];
	unsigned lds_first, lds_granules;
	unsigned n_saved; /* of its waves that have ended: into the save area */
	bool is_saving;
	struct bw_restored *restored; /* until it is launched; or NULL */
	struct {
		uint8_t simd, slot;
		uint8_t first_granule;
		int scratch_slot; /* -1: none */
	} place[32];
};

struct bw_error *bw_spi_create(struct bw_device *dev) BW_MUST_CHECK;
void bw_spi_destroy(struct bw_device *dev);
/* What comes now on this queue may wait for what came before (bw_queue.stretch). */
void bw_queue_new_stretch(struct bw_queue *q);
/* For context saves (cwsr.c). Held: nothing of the queue is placed. */
void bw_spi_hold(struct bw_queue *q, bool held);
/* Groups on WGPs. */
uint64_t bw_spi_n_groups(struct bw_queue *q);
/* Takes the groups back that have not been placed again; their dispatches count them as saved. */
struct bw_restored *bw_spi_take_restored(struct bw_queue *q);
/* How far the dispatch of a packet has come. */
void bw_spi_progress(struct bw_queue *q, const struct bw_aql_running *r,
		     struct bw_cwsr_packet *out);
/* Forgets all dispatches of an AQL queue; none of their groups is on a WGP. */
void bw_spi_forget(struct bw_queue *q);
/* Drops what has not been launched: of a queue, or (q NULL) of a VMID. */
void bw_spi_cancel(struct bw_device *dev, struct bw_queue *q, unsigned vmid);
/* A VMID may launch again. */
void bw_spi_unstalled(struct bw_device *dev);
/* The caller holds the WGP. Launches the waves that were placed there. */
bool bw_spi_launch(struct bw_wgp *wgp); /* true: there were some */
/* The caller holds the WGP. The wave in this slot has ended. */
void bw_spi_wave_ended(struct bw_wgp *wgp, struct bw_slot *s);
/* launch.c: the initial state of every wave of the group. */
void bw_group_launch(struct bw_group *g);

#endif
