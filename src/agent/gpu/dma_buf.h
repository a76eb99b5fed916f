/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_DMA_BUF_H
#define BW_AGENT_GPU_DMA_BUF_H

#include <stdbool.h>

/* The ioctls of linux/dma-buf.h on a dma-buf of the virtual GPU, which is a memfd. False: it is
 * none, and the call is the kernel's. out_result: 0 or -errno. */
bool bw_agent_dma_buf_ioctl(int fd, unsigned long request, void *arg, int *out_result);

#endif
