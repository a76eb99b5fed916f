/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_MEMFD_H
#define BW_BASE_MEMFD_H

#include <stdint.h>

#include "base/error.h"

/* An empty file in memory that can be sealed and is never executed; closed on exec. Works with
 * every vm.memfd_noexec: 1 and 2 refuse, or change, files that do not say so (Linux 6.3,
 * Documentation/userspace-api/mfd_noexec.rst). F_SEAL_EXEC is set where the kernel knows it. The
 * fd, or -1 and errno. */
int bw_memfd(const char *name);
/* A bw_memfd with so many bytes of zeros, sealed: nobody who has it can shorten it under one who
 * has mapped it, or lengthen it. */
int bw_memfd_sealed(const char *name, uint64_t size_b);

/* Memory that comes from another process is mapped by these alone: who has its file could cut it,
 * and whoever reads it then gets a SIGBUS. Taken are files in memory that are sealed against
 * shrinking, and buffers of a GPU's driver (dma-buf), whose size cannot change; each at least
 * size_b long, which is looked at after the seal. All others are refused: regular files, those on a
 * tmpfs or in huge pages, whose pages can run out. what: in the message, "the debug area". */
struct bw_error *bw_memfd_check(int fd, uint64_t size_b, const char *what) BW_MUST_CHECK;
/* Checks it, and maps size_b bytes from its start to be read and written. */
struct bw_error *bw_memfd_map(int fd, uint64_t size_b, const char *what, void **out) BW_MUST_CHECK;

#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x0020
#endif

#endif
