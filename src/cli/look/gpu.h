/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_LOOK_GPU_H
#define BW_CLI_LOOK_GPU_H

/* A live GPU that a command inspects (device, mem, queues, regs, waves). One thread. */

#include <signal.h>

#include "cli/look/look.h"
#include "gpu/opened.h"

/* Opens the GPU that l chooses and holds GFXOFF off, where that is possible; bw_gpu_close() ends
 * both. SIGINT, SIGTERM and SIGHUP only set bw_look_ended from here on, so that what is held is
 * released: a loop must test it. */
struct bw_error *bw_look_gpu_open(struct bw_look *l, struct bw_gpu *out) BW_MUST_CHECK;
extern volatile sig_atomic_t bw_look_ended; /* the signal that has come, or 0 */

/* The first line of a file of the GPU ("sysfs:vbios_version"), without its newline. False: it
 * cannot be read. */
bool bw_look_line(struct bw_kmd *kmd, const char *file, char *out, size_t size_b);

/* ---- processes: process.c ---- */

/* The VMID of a number from 0 to 15, a process id, or the name of a process that uses the GPU. If a
 * process has several VMIDs, the error asks for one of them. */
struct bw_error *bw_look_vmid(struct bw_look *l, const char *text, unsigned *out) BW_MUST_CHECK;
/* bw_look_place() with VMIDs by process: "4711@0x7ffff7f76000", "game@0x7ffff7f76000". */
struct bw_error *bw_look_live_place(struct bw_look *l, const char *text, bool wants_address,
				    unsigned *out_vmid, uint64_t *out_va) BW_MUST_CHECK;

#endif
