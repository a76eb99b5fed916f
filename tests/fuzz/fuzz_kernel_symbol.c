// SPDX-License-Identifier: MIT
/* Code objects of a program, in which the agent looks for a kernel's name. */
#include <stdint.h>
#include <string.h>

#include "agent/names/kernel_symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[16];
	uint64_t descriptor = 0;
	memcpy(&descriptor, data, size < 2 ? size : 2);
	if (size > 2 && bw_kernel_symbol(data + 2, size - 2, descriptor, name, sizeof(name)) &&
	    strnlen(name, sizeof(name)) == sizeof(name))
		__builtin_trap(); /* the name has an end */
	return 0;
}
