/* SPDX-License-Identifier: MIT */
#include "vgpu/device/task_ring.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/vm/vm.h"

enum { MAX_ENTRIES = 1 << 16 };
/* Bytes of the control buffer. */
enum { WRITTEN_AT = 0, READ_AT = 8, FREED_AT = 16, CONTROL_B = 36 };
/* Of an entry: three numbers of groups, and a byte with the ready bit and the bit of the end. */
enum { ENTRY_B = 16, READY_AT = 12, IS_READY = 1, IS_END = 2 };

static bool read_it(struct bw_tlb *tlb, uint64_t va, void *out, size_t n, char why[BW_TASK_WHY])
{
	struct bw_vm_fault fault;
	if (bw_vm_read(tlb, bw_canonical(va), out, n, &fault))
		return true;
	snprintf(why, BW_TASK_WHY, "its ring of task shaders at 0x%" PRIx64 " is not mapped",
		 fault.va);
	return false;
}

static bool write_it(struct bw_tlb *tlb, uint64_t va, const void *data, size_t n,
		     char why[BW_TASK_WHY])
{
	struct bw_vm_fault fault;
	if (bw_vm_write(tlb, bw_canonical(va), data, n, &fault))
		return true;
	snprintf(why, BW_TASK_WHY,
		 "its ring of task shaders at 0x%" PRIx64 " is not mapped for writing", fault.va);
	return false;
}

bool bw_task_ring_load(struct bw_tlb *tlb, uint64_t control_va, struct bw_task_ring *out,
		       char why[BW_TASK_WHY])
{
	uint32_t dw[CONTROL_B / 4];
	if (!control_va) {
		snprintf(why, BW_TASK_WHY, "no DISPATCH_TASK_STATE_INIT came before it");
		return false;
	}
	if (!read_it(tlb, control_va, dw, sizeof(dw), why))
		return false;
	struct bw_task_ring r = {.control_va = control_va,
				 .written = bw_join32(dw[1], dw[0]),
				 .read = bw_join32(dw[3], dw[2]),
				 .freed = bw_join32(dw[5], dw[4]),
				 .n = dw[6],
				 .va = bw_join32(dw[8], dw[7])};
	if (!r.n || r.n & (r.n - 1) || r.n > MAX_ENTRIES || r.written - r.freed > r.n) {
		snprintf(why, BW_TASK_WHY,
			 "the control buffer of task shaders at 0x%" PRIx64
			 " makes no sense: %u entries, 0x%" PRIx64 " written, 0x%" PRIx64 " freed",
			 control_va, r.n, r.written, r.freed);
		return false;
	}
	*out = r;
	return true;
}

static uint64_t entry_va(const struct bw_task_ring *r, uint64_t number)
{
	return r->va + number % r->n * ENTRY_B;
}

/* The meaning of the ready bit changes with each pass through the ring. */
static uint8_t ready_bit(const struct bw_task_ring *r, uint64_t number)
{
	return number / r->n % 2 ? IS_READY : 0;
}

enum bw_task_entry bw_task_ring_look(struct bw_tlb *tlb, const struct bw_task_ring *r,
				     uint64_t number, uint32_t out_groups[3], char why[BW_TASK_WHY])
{
	enum { MOST = 0xffff }; /* a wave has 16 bits for each number of its group */
	uint32_t dw[ENTRY_B / 4];
	uint8_t state;
	/* The bit first: what a group has stored before it is then read, too. */
	if (!read_it(tlb, entry_va(r, number) + READY_AT, &state, 1, why))
		return BW_TASK_BAD;
	if ((state & IS_READY) != ready_bit(r, number))
		return BW_TASK_NOT_READY;
	if (state & IS_END)
		return BW_TASK_END;
	if (!read_it(tlb, entry_va(r, number), dw, sizeof(dw), why))
		return BW_TASK_BAD;
	for (unsigned i = 0; i < 3; i++)
		out_groups[i] = dw[i];
	if (dw[0] > MOST || dw[1] > MOST || dw[2] > MOST ||
	    (uint64_t)dw[0] * dw[1] * dw[2] > UINT32_MAX) {
		snprintf(why, BW_TASK_WHY,
			 "its task shader launches %u x %u x %u groups of the mesh shader: "
			 "more than 65535 in a dimension, or 2^32 together",
			 dw[0], dw[1], dw[2]);
		return BW_TASK_BAD;
	}
	return BW_TASK_GROUPS;
}

bool bw_task_ring_free(struct bw_tlb *tlb, const struct bw_task_ring *r, uint64_t number,
		       char why[BW_TASK_WHY])
{
	const uint64_t both[2] = {number, number};
	_Static_assert(FREED_AT == READ_AT + sizeof(both[0]), "they are neighbours");
	return write_it(tlb, r->control_va + READ_AT, both, sizeof(both), why);
}

bool bw_task_ring_write(struct bw_tlb *tlb, const struct bw_task_ring *r, uint64_t number,
			char why[BW_TASK_WHY])
{
	return write_it(tlb, r->control_va + WRITTEN_AT, &number, sizeof(number), why);
}

bool bw_task_ring_end(struct bw_tlb *tlb, const struct bw_task_ring *r, uint64_t number,
		      char why[BW_TASK_WHY])
{
	const uint8_t state = ready_bit(r, number) | IS_END;
	return write_it(tlb, entry_va(r, number) + READY_AT, &state, 1, why);
}
