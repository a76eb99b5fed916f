/* SPDX-License-Identifier: MIT */
#ifndef BW_LIVE_LIVE_PRIV_H
#define BW_LIVE_LIVE_PRIV_H

/* The inside of the live target: what it knows of programs, and how it speaks with them. agent.c
 * exchanges messages with agents, procs.c has the processes that they are in, vms.c their address
 * spaces, start.c starts programs and attaches to them, live.c waits for events and closes the
 * target. gpu_regs.h has the GPU's registers, operations.h what the core asks for, guard.h the
 * process that cleans up when we cannot. */

#include <poll.h>
#include <stdatomic.h>

#include "base/folder.h"
#include "base/util.h"
#include "base/vec.h"
#include "gpu/gpu.h"
#include "guard/guard.h"
#include "live/live.h"
#include "target/ops.h"
#include "trap/trap.h"
#include "wire/agent_proto.h"
#include "wire/message.h"

/* Registers by absolute dword address. */
struct bw_live_regs {
	uint32_t sq_ind_index, sq_ind_data, sq_cmd, sq_debug;
	uint32_t tba_lo, tba_hi, tma_lo, tma_hi, gdbg;
	uint32_t tcp_watch[BW_TARGET_WATCHES]; /* ADDR_H; ADDR_L and CNTL follow */
	uint32_t ih_vmid_lut[16];
};

/* A register that has been changed and must be restored, unless it holds neither of our last two
 * values: then another process has written it since. */
enum { BW_SAVED_GLOBAL = UINT32_MAX };
struct bw_saved_reg {
	uint32_t vmid; /* BW_SAVED_GLOBAL: one register for all VMIDs, the same in every SQ and
		        * TCP */
	uint32_t addr_dw, before, ours, ours_before;
};
static inline struct bw_kmd_bank bw_saved_reg_bank(const struct bw_saved_reg *r)
{
	if (r->vmid == BW_SAVED_GLOBAL)
		return (struct bw_kmd_bank){
			.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	return (struct bw_kmd_bank){.use_srbm = true, .vmid = r->vmid};
}

/* Source of a submission: a context of an address space and a ring of an IP. */
struct bw_queue_key {
	uint32_t vm, ctx_id, ip_type, ring;
};

struct bw_live_slot {
	uint32_t resumed_seq; /* sequence number of the stop that it was resumed from */
	bool resumed;
};

/* A process that uses the GPU. */
struct bw_live_proc {
	uint32_t number; /* never used again, unlike a pid */
	/* pid of the process that has connected, as the kernel says; 0: it has none in our PID
	 * namespace */
	pid_t peer;
	pid_t pid;		 /* the same; 0: it has not said hello yet */
	int fd;			 /* socket of its agent; -1: it is gone, or asleep */
	int pidfd;		 /* -1: it has not said hello yet */
	bool is_lost, is_killed; /* its connection has ended; it has been told to detach */
	bool has_greeted;	 /* its HELLO has come */
	bool is_guest;		 /* attached to, not started by us */
	bool is_asleep;		 /* we have made it ready, and wait for its end alone */
	bool has_line;		 /* connection to the guard, from an earlier attachment */
	bool was_ready;		 /* another debugger had it ready when we attached */
	/* FAILED of it that have come, and those that it was released from */
	uint32_t n_failures, n_failures_released;
	uint32_t n_late;      /* outstanding requests that were given up */
	uint32_t untrappable; /* waves that ran already and were launched without a handler */
};

/* An address space: a DRM file of a process. Waves of it that stop do so in its own debug area. */
struct bw_live_vm {
	struct bw_live_proc *proc;
	uint32_t number; /* its number in the core: from 1, never used again */
	uint32_t file;	 /* what the agent calls it */
	bool attached, is_refused;
	uint8_t *area;
	size_t area_b;
	struct bw_trap_control *control;
	struct bw_live_slot *slots;
	uint64_t area_va, handler_va, displaced_va;
	uint32_t displaced_b;
	uint32_t pasid;
	bool vmid_reserved;
	bool is_second_level;	/* its waves enter a trap handler of the kernel's first (KFD) */
	uint32_t vmids;		/* VMIDs whose trap registers are set for it, a bit each */
	uint32_t watched_vmids; /* of these, those that its waves can have */
	uint32_t stops_seen;
	uint32_t excp_of_program; /* exceptions that its own code has enabled so far */
};

/* A submission that is held or under way. */
struct bw_live_submission {
	uint32_t number; /* the core's number */
	struct bw_live_proc *proc;
	struct bw_live_vm *vm;
	uint32_t in_proc; /* what the agent calls it */
};

/* An event that came while a reply was awaited. */
struct bw_live_queued {
	struct bw_live_proc *proc;
	struct bw_msg m;
};

struct bw_live {
	struct bw_target t;
	struct bw_kmd *kmd;
	struct bw_kmd_file *draws; /* draws.c; NULL: not opened yet */
	struct bw_live_regs regs;
	pid_t child; /* pid of the program that we have started; -1: none */
	int pidfd;   /* its */
	bool child_gone, child_detached, child_killed, exit_told;
	int child_status;

	struct bw_folder folder; /* with the socket that agents connect to */
	int listen_fd, wake_fd;
	struct BW_VEC(struct bw_live_proc *) procs;
	uint32_t turn; /* index of the connection that is served first */
	struct BW_VEC(struct bw_live_vm *) vms;
	uint32_t next_proc, next_vm, next_submission; /* the last ones given */
	bool time_is_held;
	struct BW_VEC(struct bw_live_submission) submissions;
	bool sends_away;	   /* do not debug further processes that connect by themselves */
	struct BW_VEC(int) others; /* agents of processes that are not debugged: their submissions
				    * are released at once */
	struct BW_VEC(struct pollfd) poll_set;
	_Atomic bool interrupted;
	uint32_t seq;
	struct bw_msg reply;
	struct BW_VEC(struct bw_live_queued) queue;
	struct BW_VEC(struct bw_target_event) notes;
	struct bw_kmd_wait_watch waits;			  /* of our programs for those of others */
	struct bw_kmd_wait held_up_by;			  /* bw_live_find_holder */
	struct bw_target_dispatch *dispatches;		  /* of the last SUBMIT given out */
	uint8_t *blob;					  /* the data that they point to */
	struct BW_VEC(struct bw_target_binding) bindings; /* of all of them */
	struct BW_VEC(struct bw_target_arg) args;	  /* the same */
	struct BW_VEC(struct bw_queue_key) queues;

	uint32_t excp;	    /* EXCP_EN of waves to come, enum bw_excp */
	uint32_t excp_ever; /* exceptions that we have enabled so far */
	struct bw_target_watch watch[BW_TARGET_WATCHES]; /* size_b 0: none */
	struct BW_VEC(struct bw_saved_reg) saved;
	uint32_t *last_vm;    /* number of the address space that a slot was last seen stopped in */
	uint64_t last_run_ns; /* when waves were last resumed: polling is frequent after that */
	uint32_t code_generation;    /* raised at each write of code */
	uint32_t *icache_generation; /* for each WGP: the code generation at which its instruction
				      * cache was last invalidated */

	uint64_t queue_error_us; /* of the last line of the kernel's log that was told */
	int reservation; /* a socket, whose name only one debugger can have; -1: reservation.c */
	bool gfxoff_held;
	struct bw_guard guard;
	struct bw_gpu_block gc;
	struct bw_gpu_memory memory;
};

static inline struct bw_live *bw_live_of(const struct bw_target *t)
{
	return BW_CONTAINER_OF((struct bw_target *)t, struct bw_live, t);
}

uint64_t bw_live_now_ns(void);
void bw_live_note(struct bw_live *l, bool warning, const char *fmt, ...) BW_PRINTF(3, 4);

/* ---- procs.c ---- */

struct bw_error *bw_live_add_proc(struct bw_live *l, struct bw_live_proc p,
				  struct bw_live_proc **out) BW_MUST_CHECK;
struct bw_live_proc *bw_live_proc_of(struct bw_live *l, pid_t pid);
/* An agent at the socket. */
struct bw_error *bw_live_accept(struct bw_live *l) BW_MUST_CHECK;
/* Handles the HELLO of a connection; where the process has an entry already, the two are merged.
 * False: it is not debugged here. */
bool bw_live_hello(struct bw_live *l, struct bw_live_proc **p, const struct bw_hello *h);
/* Handles a message of an agent that is not debugged here. False: its connection has ended. */
bool bw_live_serve_other(struct bw_live *l, int fd);
/* The connection has ended. */
void bw_live_proc_lost(struct bw_live *l, struct bw_live_proc *p);
/* Whether it has begun to exit. One that was killed keeps its connection, and is not over, until
 * the kernel has closed its files, and that waits for its waves: also for those that we have
 * stopped. */
bool bw_live_proc_is_ending(const struct bw_live_proc *p);
/* Takes those for lost of which all messages were read. */
void bw_live_look_for_ends(struct bw_live *l);
/* Gives out an event for each process that has ended, and then the last one, EXIT. */
bool bw_live_next_end(struct bw_live *l, struct bw_target_event *out);
/* Notes the process whose work ours waits for: when our work has ended, restoring registers takes
 * longer, as the waves of others are examined, too. */
void bw_live_find_holder(struct bw_live *l);
void bw_live_reap(struct bw_live *l, int options);
void bw_live_free_procs(struct bw_live *l);
/* Detaches from the process: code is restored and waves are resumed, so that the handler's address
 * is no longer needed. */
void bw_live_detach_proc(struct bw_live *l, struct bw_live_proc *p);
/* Looks for address spaces and waves that were there before we attached. */
struct bw_error *bw_live_look_around(struct bw_live *l, struct bw_live_proc *p) BW_MUST_CHECK;
struct bw_error *bw_live_detach(struct bw_target *t, pid_t pid) BW_MUST_CHECK;
struct bw_error *bw_live_kill(struct bw_target *t, pid_t pid) BW_MUST_CHECK;
struct bw_error *bw_live_attached(struct bw_target *t, pid_t pid,
				  struct bw_target_attached *out) BW_MUST_CHECK;
struct bw_error *bw_live_make_ready(struct bw_target *t, pid_t pid) BW_MUST_CHECK;

/* ---- vms.c ---- */

/* The address space of a DRM file, a new record if there is none. */
struct bw_error *bw_live_vm_of(struct bw_live *l, struct bw_live_proc *p, uint32_t file,
			       struct bw_live_vm **out) BW_MUST_CHECK;
/* The address space that the core has selected (bw_target.space); NULL: it does not exist. */
struct bw_live_vm *bw_live_vm(struct bw_live *l);
struct bw_error *bw_live_need_vm(struct bw_live *l, struct bw_live_vm **out) BW_MUST_CHECK;
/* The address space whose wave is stopped in this slot; NULL: none is. A hardware slot holds one
 * wave. */
struct bw_live_vm *bw_live_owner(struct bw_live *l, uint32_t slot);
/* The address space whose wave was last stopped in this slot. */
struct bw_live_vm *bw_live_last_owner(struct bw_live *l, uint32_t slot);
bool bw_live_any_attached(const struct bw_live *l);
uint32_t bw_live_vmids(const struct bw_live *l);
/* Number of stops so far, in all address spaces. */
uint32_t bw_live_stops(const struct bw_live *l);
void bw_live_stops_are_seen(struct bw_live *l);
struct bw_error *bw_live_attach(struct bw_live *l, struct bw_live_vm *vm) BW_MUST_CHECK;
void bw_live_unmap(struct bw_live *l, struct bw_live_vm *vm);
/* The program has closed this address space: restores its registers and frees its record. */
void bw_live_drop_vm(struct bw_live *l, struct bw_live_vm *vm);
/* Like bw_live_drop_vm, for all address spaces of a process that has been told to detach, or is
 * gone. */
void bw_live_drop_vms(struct bw_live *l, const struct bw_live_proc *p);

/* ---- reservation.c ---- */

/* Whether the next address space may reserve the VMID: false while another debugger of this GPU has
 * done so. Kept until it is released. */
bool bw_live_take_reservation(struct bw_live *l);
/* Releases the reserved VMID when no attached address space has reserved it any more. */
void bw_live_release_reservation(struct bw_live *l);

/* ---- start.c ---- */

struct bw_error *bw_live_attach_to(struct bw_target *t, pid_t pid) BW_MUST_CHECK;
struct bw_error *bw_live_spawn(struct bw_live *l, const struct bw_target_source *o) BW_MUST_CHECK;

/* ---- agent.c ---- */

/* One request; the reply's body is in l->reply and begins with a struct bw_agent_result. out_fd: of
 * the reply, -1 if none, may be NULL. Events that come meanwhile are queued. */
struct bw_error *bw_live_request(struct bw_live *l, struct bw_live_proc *p, uint16_t type,
				 const struct bw_msg_part *parts, size_t n_parts,
				 int *out_fd) BW_MUST_CHECK;
/* The agent's result as an error. */
struct bw_error *bw_live_result(struct bw_live *l, const char *what) BW_MUST_CHECK;
/* A request with one part, or none where about is NULL, and its result. */
struct bw_error *bw_live_ask(struct bw_live *l, struct bw_live_proc *p, uint16_t type,
			     const void *about, size_t about_b, const char *what) BW_MUST_CHECK;
/* The reply as one struct of size_b bytes, which begins with its result. name: of the request. */
struct bw_error *bw_live_reply(const struct bw_live *l, const char *name, void *out,
			       size_t size_b) BW_MUST_CHECK;
/* What follows the result in the reply: the number of elements of size_b bytes at *out. */
size_t bw_live_reply_list(const struct bw_live *l, size_t size_b, const uint8_t **out);
/* The number of the queue in which a submission is, a new one if it was not seen before. */
uint32_t bw_live_queue_number(struct bw_live *l, const struct bw_queue_key *key);
/* Handles a message from the agent that is not a reply. True: out is an event to return. */
struct bw_error *bw_live_event(struct bw_live *l, struct bw_live_proc *p, struct bw_msg *m,
			       struct bw_target_event *out, bool *out_given) BW_MUST_CHECK;
struct bw_error *bw_live_release(struct bw_target *t, uint32_t submission) BW_MUST_CHECK;
struct bw_error *bw_live_hold_time(struct bw_target *t, bool on) BW_MUST_CHECK;
/* Stops or resumes the process's clock, as those of all processes are. */
struct bw_error *bw_live_set_clock(struct bw_live *l, struct bw_live_proc *p) BW_MUST_CHECK;

#endif
