/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CAPTURE_ORDERS_H
#define BW_CLI_CAPTURE_ORDERS_H

/* `breakwater capture --trigger` and `--write`, which give orders to a running capture. */

#include <stdbool.h>

#include "base/options.h"

/* Whether this is the command line of an order. */
bool bw_capture_is_order(int argc, char **argv);
int bw_main_capture_order(int argc, char **argv);
extern const struct bw_command_line bw_line_capture_order;

#endif
