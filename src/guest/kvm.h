/* SPDX-License-Identifier: MIT */
#ifndef BW_GUEST_KVM_H
#define BW_GUEST_KVM_H

/* Whether this machine's KVM can run a guest. Any thread may call; nothing is kept. */

#include "base/error.h"

/* NULL where `path` (/dev/kvm) can be opened, a virtual machine can be made, and its processor runs
 * a loop of 64-bit code as fast as a processor does. Some KVMs of virtual machines execute a
 * guest's instructions one by one and lack some of them: Linux does not boot there. The error says
 * what is missing. The measure is processor time, so that a busy machine does not matter. */
struct bw_error *bw_guest_kvm_check(const char *path) BW_MUST_CHECK;

#endif
