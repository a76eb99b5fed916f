/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_PORT_H
#define BW_DAP_PORT_H

/* A port of the loopback device on which one editor connects. */

#include <stdint.h>

#include "base/error.h"
#include "dap/dap.h"

/* Listens on 127.0.0.1; port 0: any free port. */
struct bw_error *bw_dap_port_open(uint16_t port, int *out_fd, uint16_t *out_port) BW_MUST_CHECK;
/* Waits for the connection that shows the token. Other connections do not block it: they get errors
 * (dap/gate.h), and are closed afterwards. The caller owns out_begun->data. */
struct bw_error *bw_dap_port_accept(int listener, const char *token, int *out_fd,
				    struct bw_dap_begun *out_begun) BW_MUST_CHECK;

#endif
