/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_ROCM_LIBRARIES_H
#define BW_AGENT_ROCM_LIBRARIES_H

/* ROCm's libraries in the program. */

/* The function of one of ROCm's libraries that the program would call without the agent; library:
 * how the name of its file begins, which need not be among the libraries that all others see.
 * NULL: the library is not loaded, or does not have it. */
void *bw_rocm_real(const char *library, const char *function);

#endif
