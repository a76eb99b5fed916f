/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_NAMES_KERNEL_SYMBOL_H
#define BW_AGENT_NAMES_KERNEL_SYMBOL_H

/* The name of a kernel, from the symbols of its code object (an ELF file of 64 bits; "NAME.kd" is
 * the kernel's descriptor). The agent has no other reader of these files, as it must not bring
 * libraries into the program. Pure; the file may be anything. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* descriptor: its address in the code object. Names of C++ are shortened to what the source calls
 * the function, without parameters ("ns::f"). False: there is no such symbol. */
bool bw_kernel_symbol(const void *elf, size_t size_b, uint64_t descriptor, char *out, size_t room);

#endif
