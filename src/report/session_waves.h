/* SPDX-License-Identifier: MIT */
#ifndef BW_REPORT_SESSION_WAVES_H
#define BW_REPORT_SESSION_WAVES_H

#include "debug/waves.h"
#include "page/page.h"

enum bw_page_wave bw_report_wave_state(const struct bw_wave_info *w);

#endif
