/* SPDX-License-Identifier: MIT */
#include "session/version.h"

#ifndef BW_VERSION /* a fuzz target */
#define BW_VERSION "0.0.0"
#endif

const char *bw_version(void)
{
	return BW_VERSION;
}
