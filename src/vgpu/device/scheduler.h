/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_SCHEDULER_H
#define BW_VGPU_DEVICE_SCHEDULER_H

/* Wave slots and the threads that run their waves. A WGP is run by one worker at a time, which
 * holds its lock; its waves take turns. A register access that wants a WGP asks the worker to give
 * it back. */

#include "vgpu/device/device_priv.h"

enum bw_slot_state {
	BW_SLOT_FREE,
	BW_SLOT_READY,
	BW_SLOT_SLEEP, /* until wake_ns */
	BW_SLOT_BARRIER,
	BW_SLOT_HALTED, /* STATUS.HALT */
	BW_SLOT_FATAL,	/* halted by an exception without a handler; only SQ_CMD KILL ends it */
};

struct bw_slot {
	struct bw_wave w;
	enum bw_slot_state state;
	/* counted in held_ns: halted by a debugger, or polling in the trap handler */
	bool held;
	bool single_step;   /* SQ_CMD SINGLE_STEP: one instruction although halted */
	bool at_barrier;    /* arrived and not released; a host trap may run meanwhile */
	bool fills_scratch; /* before its first instruction: dispatch->stomp */
	uint8_t simd, id;
	uint64_t wake_ns;
	struct bw_cwsr_record *save; /* its context is being saved: cwsr.h */
	uint64_t counted;	     /* n_executed already added to the statistics */
	struct bw_group *group;
};

struct bw_wgp {
	struct bw_device *dev;
	unsigned index; /* SE-major: ((se * SAs) + sa) * WGPs + id */
	uint8_t se, sa, id;

	pthread_mutex_t gate, lock;
	_Atomic bool yield_wanted;
	_Atomic(struct bw_slot *) current;

	struct bw_slot slot[BW_MAX_SIMDS][BW_MAX_WAVES_PER_SIMD];
	/* SQ_CMD not carried out yet; under cmd_lock */
	pthread_mutex_t cmd_lock;
	struct {
		uint32_t value;
		uint8_t simds;
	} cmd[8];
	_Atomic unsigned n_cmds;

	uint16_t resident[BW_MAX_SIMDS]; /* slots in use, under lock */
	uint8_t *vgprs;			 /* simd_per_wgp files of vgprs_per_simd * 128 bytes */
	uint8_t *lds;
	struct bw_strict_caches *caches; /* strict mode */
	unsigned n_resident;		 /* written under lock, read without */
	unsigned next_slot;		 /* where the next turn begins */

	/* under sched.lock */
	enum { BW_WGP_IDLE, BW_WGP_QUEUED, BW_WGP_RUNNING } run;
	bool again;	  /* became runnable while running */
	uint64_t wake_ns; /* of the earliest sleeper; ~0: none */
	bool polling;	  /* all its sleepers have been polling for long */
	struct bw_wgp *next;

	/* under spi.lock: free resources, and groups placed here but not launched yet */
	uint64_t free_vgprs[BW_MAX_SIMDS]; /* granules */
	uint32_t free_slots[BW_MAX_SIMDS];
	uint64_t free_lds[2]; /* granules of the two sides */
	uint32_t free_groups;
	struct bw_group *inbox, **inbox_tail;
	_Atomic bool has_inbox;
};

struct bw_error *bw_sched_create(struct bw_device *dev) BW_MUST_CHECK;
/* Starts the threads; everything else of the device exists. */
struct bw_error *bw_sched_start(struct bw_device *dev) BW_MUST_CHECK;
/* Stops and joins them; memory stays until destroy. */
void bw_sched_stop(struct bw_device *dev);
void bw_sched_destroy(struct bw_device *dev);

unsigned bw_sched_n_wgps(const struct bw_device *dev);
/* Threads that run waves: one for each core, unless options say otherwise. */
unsigned bw_sched_n_threads(const struct bw_device *dev);
struct bw_wgp *bw_sched_wgp(struct bw_device *dev, unsigned index);

/* The driver's way to a WGP's waves: between the two its waves stand still. */
void bw_wgp_acquire(struct bw_wgp *wgp);
void bw_wgp_release(struct bw_wgp *wgp);
/* Tells the workers to look at the WGP: a group was placed, or a request was made. */
void bw_sched_kick(struct bw_wgp *wgp);
/* Gives the WGP a command for waves on some of its SIMDs without waiting for it: it is carried out
 * before the next instruction of its waves, and before the next bw_wgp_acquire() returns. */
void bw_wgp_post(struct bw_wgp *wgp, uint32_t sq_cmd, uint8_t simds);
/* The thread that takes the command processor's turns: runs little of what it has kicked, in place
 * of a worker, and wakes workers for the rest. */
void bw_sched_help(struct bw_device *dev);
/* Deterministic mode: the command processor has something to do. */
void bw_sched_poke(struct bw_device *dev);
/* Makes requests (enum bw_wave_request) of a wave; with the WGP acquired. */
void bw_slot_request(struct bw_wgp *wgp, struct bw_slot *s, uint32_t request);

void bw_sched_flush_code(struct bw_device *dev);
void bw_sched_vm_invalidated(struct bw_device *dev, uint32_t vmid_mask);
uint32_t bw_sched_vm_settled(struct bw_device *dev);
uint64_t bw_sched_held_ns(struct bw_device *dev, unsigned vmid, bool *out_held_now);
void bw_sched_stats(struct bw_device *dev, struct bw_device_stats *out);

#endif
