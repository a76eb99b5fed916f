/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_ROCM_PROGRAM_H
#define BW_AGENT_ROCM_PROGRAM_H

/* The program, and ROCm's libraries in it. */

#include <stdbool.h>

#include "wire/vgpu_proto.h"

/* The path of the program's executable file, also of one that was started by naming its dynamic
 * linker; "": not known, or too long. */
void bw_rocm_program(char out[BW_VGPU_PROGRAM_B]);
/* Whether the address of code is in that file. */
bool bw_rocm_is_program(const void *code);
/* The function of one of ROCm's libraries that the program would call without the agent; library:
 * how the name of its file begins, which need not be among the libraries that all others see.
 * NULL: the library is not loaded, or does not have it. */
void *bw_rocm_real(const char *library, const char *function);

#endif
