/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_SYNC_FILE_H
#define BW_AGENT_SYNC_FILE_H

#include <stdbool.h>

/* SYNC_IOC_MERGE and SYNC_IOC_FILE_INFO on a sync_file of the virtual GPU. False: it is none, and
 * the call is the kernel's. out_result: 0 or -errno. */
bool bw_agent_sync_ioctl(int fd, unsigned long request, void *arg, int *out_result);

#endif
