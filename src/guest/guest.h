/* SPDX-License-Identifier: MIT */
#ifndef BW_GUEST_GUEST_H
#define BW_GUEST_GUEST_H

/* A Linux guest with the virtual GPU in it, for "breakwater vgpu linux": QEMU boots a
 * kernel, process 1 of ours (init/) makes the host's file system its root and loads amdgpu.ko. The
 * GPU is a process of its own, which QEMU reaches over vfio-user. No thread but the caller's; one
 * guest a process. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* The executor of the guest's code. */
enum bw_guest_accel {
	BW_GUEST_ACCEL_ANY, /* KVM where it is of use, else TCG */
	BW_GUEST_ACCEL_KVM, /* the machine's processor; no run without it */
	BW_GUEST_ACCEL_TCG, /* QEMU's translation */
};

struct bw_guest_options {
	const char *cache;	 /* the folder of what is fetched; NULL: the user's */
	const char *kernel;	 /* a bzImage; NULL: the pinned one */
	const char *modules;	 /* a folder of modules, looked at first; NULL: the pinned ones */
	const char *gpu;	 /* the model (vgpu_models.h); NULL: the default one */
	const char *driver_args; /* more parameters of amdgpu */
	char *const *shares;	 /* folders that the guest can write, up to NULL */
	char *const *command;	 /* up to NULL; empty: a shell */
	enum bw_guest_accel accel;
	uint64_t memory_b;
	unsigned cpus, silence_s; /* silence_s 0: no limit */
	bool verbose, gdb, no_gpu, no_driver;
	bool has_rocm;	  /* the command gets the ROCm tree (rocm.h) */
	bool no_progress; /* nothing on standard error while it boots */
};

/* The result of a run. */
struct bw_guest_report {
	bool has_started;   /* the command */
	bool has_kvm;	    /* the guest ran under KVM, else under TCG */
	int64_t boot_ms;    /* from the call to the command's start, where it has started */
	int64_t command_ms; /* from there to its end */
};

/* Runs a command in a new guest, with our standard input and output. out_status is that of wait().
 * Messages about what takes long go to standard error. Errors: what is missing; the guest's panic,
 * silence and failures, with the lines of its log in the message. out_report is filled in either
 * case. */
struct bw_error *bw_guest_run(const struct bw_guest_options *o, struct bw_guest_report *out_report,
			      int *out_status) BW_MUST_CHECK;

#endif
