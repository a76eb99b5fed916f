/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_VM_STATE_H
#define BW_CRASH_VM_STATE_H

/* The registers of an address space and entries of its page tables as text, for walks without the
 * GPU: what "umr -vm" prints, "NAME=VALUE" lines, "ADDRESS=VALUE" lines. Untrusted text. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "gpuvm/gpuvm.h"

enum bw_crash_memory { BW_CRASH_ANY_MEMORY, BW_CRASH_VRAM, BW_CRASH_SYSTEM };
struct bw_crash_vm_entry {
	enum bw_crash_memory memory; /* ANY: the text does not say */
	uint64_t address, value;
};
struct bw_crash_vm_context {
	struct bw_gpuvm_regs regs; /* has_end false: END is that of all addresses */
	bool has_cntl, has_base, has_end;
};
struct bw_crash_vm {
	unsigned vmid; /* whose registers are wanted: set before the first line */
	struct bw_crash_vm_context context, other; /* of that VMID; of the others */
	/* The text is umr's of a user queue (--user-queue): there are no registers of such an
	 * address space, and umr fills those of a VMID with what the kernel's debugfs has of the
	 * process. The context is enabled then, and its levels are those of the entries; it is not
	 * that of the VMID. */
	bool is_user_queue;
	unsigned depth; /* levels of directories that entries are named after */
	struct BW_VEC(struct bw_crash_vm_entry) entries;
	unsigned n_left_out; /* entries beyond BW_CRASH_MAX_VM_ENTRIES */
	bool failed;	     /* out of memory */
};
enum { BW_CRASH_MAX_VM_ENTRIES = 1 << 20 };

/* Takes everything that the line has; false: nothing, also where a value has more bits than its
 * register or an entry's address is not a multiple of 8. Names of registers are the kernel's, with
 * any prefix, or short: cntl, base, start, end, fb_offset, fb_base, fb_top, agp_base, agp_bot,
 * agp_top, sys_low, sys_high, mx_l1_tlb_cntl. An entry is ADDRESS=VALUE, with vram: or sys: in
 * front. */
bool bw_crash_vm_line(struct bw_crash_vm *vm, const char *text, size_t n);
/* After the last line: has_cntl and has_base of the context say whether it can be walked. */
void bw_crash_vm_end(struct bw_crash_vm *vm, enum bw_gpuvm_gen gen);
/* A bw_gpuvm_read_fn; cookie: a struct bw_crash_vm. */
bool bw_crash_vm_read(void *cookie, bool system, uint64_t address, uint64_t *out_entry);
void bw_crash_vm_free(struct bw_crash_vm *vm);

#endif
