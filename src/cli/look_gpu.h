/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_LOOK_GPU_H
#define BW_CLI_LOOK_GPU_H

/* A live GPU that a command looks at (device, mem, queues, regs, waves): its registers by name, and
 * its graphics block held on meanwhile. One thread. */

#include <signal.h>

#include "cli/look.h"

enum { BW_LOOK_N_BLOCKS = 7 };

struct bw_look_gpu {
	struct bw_kmd *kmd;
	struct bw_kmd_file *gfxoff; /* NULL: the GPU has none, or no access */
	bool is_held;		    /* GFXOFF is */
	struct bw_gpuvm_part part;
	struct bw_gpu_block block[BW_LOOK_N_BLOCKS]; /* those that it has, gc first */
	size_t n_blocks;
};

/* Opens the GPU that l chooses and holds GFXOFF off, where that is possible. SIGINT, SIGTERM and
 * SIGHUP only set bw_look_ended from here on, so that what is held is released: who loops tests
 * it. */
struct bw_error *bw_look_gpu_open(struct bw_look *l, struct bw_look_gpu *out) BW_MUST_CHECK;
/* Accepts one that could not be opened. */
void bw_look_gpu_close(struct bw_look_gpu *g);
extern volatile sig_atomic_t bw_look_ended; /* the signal, or 0 */

/* The register of that name, in the first block that has it, and its address. */
bool bw_look_gpu_find(const struct bw_look_gpu *g, const char *name, struct bw_reg *out_reg,
		      uint32_t *out_addr_dw);
/* Reads it. bank: NULL for none. BW_E_NOT_FOUND: there is no such register on this GPU. */
struct bw_error *bw_look_gpu_read(const struct bw_look_gpu *g, const struct bw_kmd_bank *bank,
				  const char *name, uint32_t *out_value) BW_MUST_CHECK;

/* The first line of a file of the GPU ("sysfs:vbios_version"), without its newline. False: it
 * cannot be read. */
bool bw_look_line(struct bw_kmd *kmd, const char *file, char *out, size_t size_b);

/* ---- processes: look_process.c ---- */

/* The VMID of a number from 0 to 15, a process id, or the name of a process that uses the GPU. Of a
 * process with several it wants one of them named. */
struct bw_error *bw_look_vmid(struct bw_look *l, const char *text, unsigned *out) BW_MUST_CHECK;
/* bw_look_place() with VMIDs by process: "4711@0x7ffff7f76000", "game@0x7ffff7f76000". */
struct bw_error *bw_look_live_place(struct bw_look *l, const char *text, bool wants_address,
				    unsigned *out_vmid, uint64_t *out_va) BW_MUST_CHECK;
/* The process that a VMID belongs to now. False: none, or not known. */
bool bw_look_process_of(struct bw_kmd *kmd, unsigned vmid, struct bw_kmd_client *out);

#endif
