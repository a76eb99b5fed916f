/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_NO_DISCOVERY_H
#define BW_KMD_NO_DISCOVERY_H

#include "kmd/kmd.h"

/* A block ("GC") of a GPU without ip_discovery, by its PCI device id. False: it is not known. */
bool bw_kmd_ip_without_discovery(uint64_t device, const char *block, struct bw_kmd_ip *out);

#endif
