/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_MEMFD_H
#define BW_BASE_MEMFD_H

#include <stdint.h>

/* An empty file in memory that can be sealed and is never executed; closed on exec. Works with
 * every vm.memfd_noexec: 1 and 2 refuse, or change, files that do not say so (Linux 6.3,
 * Documentation/userspace-api/mfd_noexec.rst). F_SEAL_EXEC is set where the kernel knows it. The
 * fd, or -1 and errno. */
int bw_memfd(const char *name);
/* The same with so many bytes of zeros, sealed: nobody who has it can shorten it under one who has
 * mapped it, or lengthen it. */
int bw_memfd_sealed(const char *name, uint64_t size_b);

#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x0020
#endif

#endif
