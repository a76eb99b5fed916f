/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_SPI_H
#define BW_VGPU_DEVICE_SPI_H

/* Between the files of the dispatcher: dispatch.c decodes, spi.c places, launch.c starts. */

#include "vgpu/device/cp.h"

/* Takes ownership. */
void bw_spi_submit(struct bw_dispatch *d);
void bw_spi_counts(struct bw_device *dev, uint64_t *out_dispatches, uint64_t *out_waves);

#endif
