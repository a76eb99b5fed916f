/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_LOG_H
#define BW_CRASH_LOG_H

/* Kernel logs of amdgpu: page faults, ring timeouts, hardware errors and resets, found in text of
 * any age and shape: dmesg, journalctl (backwards, as JSON), quoted or wrapped in a report, with
 * lines missing (doc/hardware/kernel-logs.md). Untrusted text; memory is bounded by the limits
 * below, and what is beyond them is counted. Pure: the caller reads the file.
 *
 * Lines are collected first (log_lines.h) and understood when their file ends: only then is it
 * known which lines belong together and whether the file runs backwards. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "crash/log_lines.h"
#include "gpuvm/fault.h"

enum { BW_CRASH_MAX_FAULTS = 256, BW_CRASH_MAX_EVENTS = 512, BW_CRASH_NAME_B = 32 };

/* The place and time of a message. */
struct bw_crash_when {
	unsigned file, boot;	   /* from 0; boots are counted in each file */
	unsigned order;		   /* of messages in the log, from 1: rises with time */
	struct bw_crash_time time; /* as the line says it */
};

/* A fault, as far as the log has it. */
struct bw_crash_fault {
	char device[BW_CRASH_NAME_B]; /* PCI address, "" */
	struct bw_crash_when when;    /* of its first line */
	unsigned last_order;	      /* of its last line */
	unsigned first_line, last_line;
	bool has_first, has_address, has_status, has_process, has_client;
	bool is_retry, has_retry;
	bool status_is_rebuilt; /* from the lines of single fields; fields without a line are 0 */
	enum bw_gpuvm_reporter reporter;
	enum bw_gpuvm_hub hub;
	unsigned hub_instance; /* gfxhub0, mmhub1: of gfx9 and multi-die parts */
	uint32_t src_id, ring, vmid, pasid;
	uint64_t address;
	uint32_t status, ih_client;
	uint32_t client; /* as the line of the field says */
	char process[64], thread[64];
	int64_t pid, tid;
	char kernel_client[BW_CRASH_NAME_B]; /* the running kernel's name for it; "" */
	bool is_write;			     /* of BW_GPUVM_OLD_GPU: the log says it in words */
	char reason[64];		     /* of BW_GPUVM_RUNTIME; "" */
	char die[BW_CRASH_NAME_B];	     /* "AID0.XCD1"; "" */
	/* the field lines contradict the status word: bits as in enum bw_crash_field */
	unsigned contradicted;
	unsigned seen_fields;
	bool has_gen; /* from the shape of the lines */
	enum bw_gpuvm_gen gen;
};
enum bw_crash_field {
	BW_CRASH_MORE,
	BW_CRASH_WALKER,
	BW_CRASH_PERMISSION,
	BW_CRASH_MAPPING,
	BW_CRASH_RW,
	BW_CRASH_CID,
};

enum bw_crash_event_kind {
	BW_CRASH_TIMEOUT,
	BW_CRASH_SOFT_RECOVERED,
	BW_CRASH_PROCESS, /* the process of the timeout before it */
	BW_CRASH_DUMP,	  /* a devcoredump was made */
	BW_CRASH_RING_RESET,
	BW_CRASH_RING_RESET_DONE,
	BW_CRASH_RING_RESET_FAILED,
	BW_CRASH_RESET_BEGIN,	/* number: its source (amdgpu_reset.h), 0 where it is not said */
	BW_CRASH_RESET_METHOD,	/* detail: "MODE1" */
	BW_CRASH_RESET_SKIPPED, /* the job had ended meanwhile */
	BW_CRASH_RESET_DONE,
	BW_CRASH_RESET_FAILED,
	BW_CRASH_RESUME_FAILED, /* detail: the block */
	BW_CRASH_RECOVERY_OFF,
	BW_CRASH_VRAM_LOST,
	BW_CRASH_WEDGED, /* detail: "needs recovery" */
	BW_CRASH_UNPLUGGED,
	BW_CRASH_NO_ANSWER,	 /* of scheduler firmware; detail: to which message, "" */
	BW_CRASH_NO_SMU,	 /* the power firmware does not answer */
	BW_CRASH_HARDWARE_ERROR, /* one that was not corrected, or poison */
	BW_CRASH_CORRECTED,	 /* number: how many errors */
	BW_CRASH_COMMAND_ERROR,	 /* detail: what the command processor or SDMA refused */
	BW_CRASH_WAVE_ERROR,	 /* sq_intr; number: its type */
	BW_CRASH_RUNTIME_ERROR,	 /* of ROCm's runtime */
	BW_CRASH_DISPLAY,	 /* the display waited in vain */
	BW_CRASH_CONTEXT_LOST,	 /* a program submits after a reset that took its context */
	BW_CRASH_SUPPRESSED,	 /* number: messages that the kernel left out */
	BW_CRASH_N_KINDS,
};
/* The detail of BW_CRASH_NO_ANSWER where a queue was to be taken off the GPU. */
#define BW_CRASH_PREEMPTION "preemption"
/* "ring timeout", ... */
const char *bw_crash_event_name(enum bw_crash_event_kind kind);

struct bw_crash_event {
	enum bw_crash_event_kind kind;
	unsigned line;
	struct bw_crash_when when;
	char device[BW_CRASH_NAME_B];
	char ring[BW_CRASH_NAME_B];
	bool has_seq;
	uint64_t signaled, emitted; /* timeouts: last fences that were done, and put on the ring */
	uint64_t number;	    /* its meaning depends on the kind */
	char detail[96];	    /* likewise */
	char process[64], thread[64];
	int64_t pid, tid;
	char text[160]; /* the message, without what is in front of it */
};

struct bw_crash_log {
	struct BW_VEC(struct bw_crash_fault) faults;
	struct BW_VEC(struct bw_crash_event) events;
	struct bw_crash_lines lines;	 /* of the file that is read */
	size_t first_fault, first_event; /* of that file: lines of two files belong to none
					    together */
	struct bw_crash_when now;	 /* of the message that is understood */
	unsigned n_lines, n_faults_left_out, n_events_left_out;
	unsigned n_boots;  /* of the file that is read */
	uint32_t gc;	   /* "gfx_v11_0" somewhere in it; 0: not seen */
	bool is_backwards; /* a file was turned */
	bool failed;	   /* out of memory */
};

/* One line, without its newline; text need not end. number: from 1, for messages. Returns whether
 * anything in it is a message that is understood. */
bool bw_crash_log_line(struct bw_crash_log *log, const char *text, size_t n, unsigned number);
/* A whole text. */
void bw_crash_log_text(struct bw_crash_log *log, const char *text, size_t n);
/* Between two files. */
void bw_crash_log_next_file(struct bw_crash_log *log);
/* Once after the last line: faults and events of the last file are there only then. */
void bw_crash_log_end(struct bw_crash_log *log);
void bw_crash_log_free(struct bw_crash_log *log);

/* The facts that sentences about a fault are made of, with the GPU model (part: the user's, or
 * NULL). Its pointers point into the fault. */
struct bw_gpuvm_fault_facts bw_crash_fault_facts(const struct bw_crash_log *log,
						 const struct bw_crash_fault *f,
						 const struct bw_gpuvm_part *part);

#endif
