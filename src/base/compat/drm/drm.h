/* SPDX-License-Identifier: MIT */
/* linux/kfd_ioctl.h includes this name, under which Debian does not install libdrm's header. */
#include <drm.h>
