/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_PROGRAM_H
#define BW_AGENT_PROGRAM_H

/* The program that the agent is in. */

#include <stdbool.h>

#include "wire/vgpu_proto.h"

/* The path of the program's executable file, also of one that was started by naming its dynamic
 * linker; "": not known, or too long. */
void bw_agent_program(char out[BW_VGPU_PROGRAM_B]);
/* Whether the address of code is in that file. */
bool bw_agent_is_program(const void *code);

#endif
