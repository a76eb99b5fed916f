/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_DAP_PORT_H
#define BW_CLI_DAP_PORT_H

/* A port of the loopback device on which one editor connects. */

#include <stdint.h>

#include "base/error.h"

/* Listens on 127.0.0.1; port 0: any. */
struct bw_error *bw_dap_port_open(uint16_t port, int *out_fd, uint16_t *out_port) BW_MUST_CHECK;
/* Waits for a connection of our own user (or of root, where it is ours); others are closed. */
struct bw_error *bw_dap_port_accept(int listener, int *out_fd) BW_MUST_CHECK;

#endif
