/* SPDX-License-Identifier: MIT */
#include "vgpu/device/vm/vm.h"

#include <string.h>

#include "base/util.h"

/* Other threads must see a fence, a pointer or a page-table entry as a whole, and after all earlier
 * writes. */
static bool copy_word(uint8_t *to, const uint8_t *from, size_t n)
{
	if (((uintptr_t)to | (uintptr_t)from) % n)
		return false;
	if (n == 8)
		__atomic_store_n(
			(uint64_t *)(void *)to,
			__atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_ACQUIRE),
			__ATOMIC_RELEASE);
	else
		__atomic_store_n(
			(uint32_t *)(void *)to,
			__atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_ACQUIRE),
			__ATOMIC_RELEASE);
	return true;
}

static void copy(uint8_t *to, const uint8_t *from, size_t n)
{
	if ((n == 4 || n == 8) && copy_word(to, from, n))
		return;
	memcpy(to, from, n);
}

/* Copies piece by piece, as the range crosses pages. */
static bool pieces(struct bw_tlb *tlb, uint64_t va, uint8_t *data, size_t size_b, bool write,
		   struct bw_vm_fault *out_fault)
{
	while (size_b) {
		size_t n = BW_MIN(size_b, (size_t)(BW_PAGE_B - va % BW_PAGE_B));
		uint8_t *host =
			bw_tlb_lookup(tlb, va, write ? BW_ACCESS_WRITE : BW_ACCESS_READ, out_fault);
		if (host && write)
			copy(host, data, n);
		else if (host)
			copy(data, host, n);
		else if (out_fault->prt && !write)
			memset(data, 0, n);
		else if (!out_fault->prt)
			return false;
		va += n;
		data += n;
		size_b -= n;
	}
	return true;
}

bool bw_vm_read(struct bw_tlb *tlb, uint64_t va, void *out, size_t size_b,
		struct bw_vm_fault *out_fault)
{
	return pieces(tlb, va, out, size_b, false, out_fault);
}

bool bw_vm_write(struct bw_tlb *tlb, uint64_t va, const void *data, size_t size_b,
		 struct bw_vm_fault *out_fault)
{
	return pieces(tlb, va, (uint8_t *)data, size_b, true, out_fault);
}
