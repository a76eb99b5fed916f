/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_SYNC_FILE_H
#define BW_AGENT_GPU_SYNC_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* Make a sync object with the fence of a sync_file, and a sync_file, closed by exec, with the fence
 * of a sync object. file: the DRM file's number at the virtual GPU. 0 or -errno. */
int bw_agent_sync_import(uint32_t file, int fd, uint32_t *out_handle);
int bw_agent_sync_export(uint32_t file, uint32_t handle, int *out_fd);

/* SYNC_IOC_MERGE and SYNC_IOC_FILE_INFO on a sync_file of the virtual GPU. False: it is none, and
 * the call is the kernel's. out_result: 0 or -errno. */
bool bw_agent_sync_ioctl(int fd, unsigned long request, void *arg, int *out_result);

#endif
