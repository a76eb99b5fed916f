/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_VM_H
#define BW_CLI_VM_H

/* breakwater vm: the address space of its walks, on a GPU or in text. */

#include "cli/look/gpu.h"
#include "crash/vm_state.h"
#include "gpu/space.h"

enum { BW_LOOK_USER_VMID = 1 /* of walks in which VMID 0's apertures do not count */ };
struct bw_look_vm {
	struct bw_gpu gpu;
	struct bw_kmd *kmd; /* borrowed from gpu; NULL: the tables come from text */
	struct bw_gpuvm_part part;
	struct bw_gpu_space space; /* its context; for a live GPU also the rest */
	struct bw_crash_vm text;
};

/* Opens a live GPU, and reads the registers of one VMID of a hub. */
struct bw_error *bw_look_vm_open(struct bw_look *l, unsigned vmid,
				 struct bw_look_vm *out) BW_MUST_CHECK;
/* Reads the registers by vm->kmd, which is open, and vm->part. */
struct bw_error *bw_look_vm_select(struct bw_look_vm *vm, enum bw_gpuvm_hub hub, unsigned vmid,
				   struct bw_gpuvm_regs *out_regs) BW_MUST_CHECK;
void bw_look_vm_close(struct bw_look_vm *vm);
/* A bw_gpuvm_read_fn; cookie: a struct bw_look_vm. */
bool bw_look_vm_read(void *cookie, bool system, uint64_t address, uint64_t *out_entry);

/* Reads memory of a live space; returns how many bytes could be read before the first that could
 * not. */
size_t bw_look_vm_bytes(struct bw_look_vm *vm, uint64_t va, void *out, size_t size_b);
/* Parses "8@0x7ffff7f76000", or a VMID alone. */
struct bw_error *bw_look_place(const char *text, bool wants_address, unsigned *out_vmid,
			       uint64_t *out_va) BW_MUST_CHECK;

struct bw_error *bw_look_walk(struct bw_look *l, struct bw_look_vm *vm, uint64_t va,
			      bool only_why) BW_MUST_CHECK;
/* Walks for each kind of access, and adds the result to an open answer. */
void bw_look_explain_in(struct bw_look *l, struct bw_look_vm *vm, uint64_t va);
/* vm_fault.c: explains the GPU's last fault, with the present page tables. */
struct bw_error *bw_look_explain_last(struct bw_look *l) BW_MUST_CHECK;
struct bw_error *bw_look_maps(struct bw_look *l, struct bw_look_vm *vm) BW_MUST_CHECK;

#endif
