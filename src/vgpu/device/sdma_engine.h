/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_SDMA_ENGINE_H
#define BW_VGPU_DEVICE_SDMA_ENGINE_H

/* The SDMA engines: two, each with queues that are set up by SDMAn_QUEUEm_RB_* and woken by a
 * doorbell (pointers count bytes there), or that the scheduler maps (mes.h): it leaves queue 0 to
 * the driver. A queue is called an engine here, as nothing is shared but the registers around the
 * queues. They run on the command processor's thread in short turns, so that long copies do not
 * block other queues.
 *
 * An engine that meets a packet it cannot execute stops there, raises the interrupt of a hanging
 * queue, and stays stopped until RB_CNTL.RB_ENABLE is cleared and set again. */

#include "pm4/sdma.h"
#include "vgpu/device/exec/check/writers.h"
#include "vgpu/device/aql_check.h"
#include "vgpu/device/cp.h"

enum {
	BW_N_SDMA = 2,
	BW_CLIENT_SDMA0 = 13, /* of faults, as those of device_priv.h; the next engine is next */
	BW_N_SDMA_QUEUES = 4, /* of each */
	BW_SDMA_MQD_DW = 20,  /* of v11_sdma_mqd, as far as it is used */
	BW_N_SDMA_ENGINES = BW_N_SDMA * BW_N_SDMA_QUEUES,
	BW_SDMA_N_REGS = (BW_REG_SDMA1_QUEUE3_DOORBELL_OFFSET - BW_REG_SDMA0_QUEUE0_RB_CNTL + 1) /
			 BW_N_SDMA_ENGINES,
};

struct bw_sdma_engine {
	struct bw_device *dev;
	unsigned index, queue;

	/* under sdma.lock; read by the thread without it */
	uint32_t regs[BW_SDMA_N_REGS];

	/* under sdma.lock */
	bool mapped; /* by the scheduler */
	bool active, stop_request, stopped, is_fresh;
	uint64_t wptr; /* dwords, never wrapped */
	uint64_t base;
	uint32_t size_dw;
	uint8_t ring_vmid;
	char why[288];

	/* while active, the thread's own */
	_Atomic uint64_t rptr;
	bool in_ib;
	bool stopped_in_ib; /* a queue that is enabled again goes on there */
	uint64_t ib_va;
	uint32_t ib_pos_dw, ib_size_dw;
	uint8_t ib_vmid;
	uint32_t *packet;
	size_t packet_cap_dw;
	uint64_t progress;	/* progress in the current packet, in bytes or rows */
	_Atomic bool suspended; /* by the scheduler */
	_Atomic bool polling;	/* also looked at without the lock */
	bool started;
	uint32_t line;	    /* of the checker, if a program feeds the queue */
	uint64_t submitted; /* what the checker knows to be */
	struct bw_aql_hold hold;
	struct bw_check_wait wait;
	uint64_t waits_for; /* the signal, to be 0; 0: none */
	struct bw_tlb tlb[BW_N_VMIDS];
};

struct bw_error *bw_sdma_create(struct bw_device *dev) BW_MUST_CHECK;
void bw_sdma_destroy(struct bw_device *dev);
/* One turn for each engine, on the command processor's thread. False: nothing could be done. */
bool bw_sdma_turn(struct bw_device *dev);
bool bw_sdma_polling(struct bw_device *dev);
bool bw_sdma_busy(struct bw_device *dev, unsigned index);
bool bw_sdma_doorbell(struct bw_device *dev, uint32_t index_dw, uint64_t value);
uint32_t bw_sdma_reg_read(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg);
void bw_sdma_reg_write(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
		       uint32_t value);

/* Takes a queue of those in mask, one word an engine, and starts it with the registers of its MQD;
 * NULL: all are taken. On the command processor's thread, as all below. */
struct bw_queue_map;
struct bw_sdma_engine *bw_sdma_map(struct bw_device *dev, const uint32_t mask[BW_N_SDMA],
				   const uint32_t mqd[BW_SDMA_MQD_DW],
				   const struct bw_queue_map *m);
/* Ends the queue. BW_CP_POLL: it has not come to its end yet. */
enum bw_cp_result bw_sdma_end(struct bw_sdma_engine *e);
/* The same, and writes its read pointer into its descriptor. BW_CP_STOP: `by` has been stopped, as
 * there is no such memory. */
enum bw_cp_result bw_sdma_unmap(struct bw_queue *by, struct bw_sdma_engine *e, uint64_t mqd_va);

/* Results of executing a packet (sdma_packets.c). */
enum bw_sdma_result {
	BW_SDMA_DONE,
	BW_SDMA_JUMPED, /* done, and has set the position itself */
	BW_SDMA_AGAIN,	/* a part is done */
	BW_SDMA_POLL,	/* again soon */
	BW_SDMA_STOP,	/* bw_sdma_fail() has been called */
};
enum bw_sdma_result bw_sdma_execute(struct bw_sdma_engine *e, const struct bw_sdma_packet *p);
void bw_sdma_fail(struct bw_sdma_engine *e, const char *fmt, ...) BW_PRINTF(2, 3);
unsigned bw_sdma_vmid(const struct bw_sdma_engine *e);
/* Memory as packets reach it; false: bw_sdma_fail() has been called. */
bool bw_sdma_read(struct bw_sdma_engine *e, uint64_t va, void *out, size_t n);
bool bw_sdma_write_mem(struct bw_sdma_engine *e, uint64_t va, const void *data, size_t n);
/* The same for parts of a packet's data, of which the checker is told then: where they come from,
 * or 0. */
bool bw_sdma_put(struct bw_sdma_engine *e, uint64_t va, const void *data, size_t n);
void bw_sdma_note(struct bw_sdma_engine *e, enum bw_transfer what, uint64_t to, uint64_t from,
		  uint64_t size_b);
/* Tells the checker up to where programs have submitted packets. */
void bw_sdma_submitted(struct bw_device *dev);
/* Tells the checker that the current packet is about to change a signal, or looks at one. */
void bw_sdma_signals(struct bw_sdma_engine *e, uint64_t va);
void bw_sdma_waits(struct bw_sdma_engine *e, uint64_t va, bool holds);
/* sdma_window.c: rows of a window, some in each turn */
enum bw_sdma_result bw_sdma_copy_window(struct bw_sdma_engine *e, const struct bw_sdma_packet *p);

#endif
