/* SPDX-License-Identifier: MIT */
#ifndef BW_RECORD_ORDERS_H
#define BW_RECORD_ORDERS_H

/* Orders to a running capture (wire/capture_orders.h): datagrams with the credentials of their
 * sender. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"
#include "wire/capture_orders.h"

struct bw_orders_sender {
	struct sockaddr_un addr;
	socklen_t addr_b;
};

/* Makes a socket without a name. */
struct bw_error *bw_orders_socket(int *out_fd) BW_MUST_CHECK;
/* Receives one datagram of exactly this size, from someone who is allowed to send it. False: there
 * is none. Does not wait. */
bool bw_orders_receive(int fd, void *out, size_t size_b, struct bw_orders_sender *out_from);

/* ---- The side that takes them ---- */

/* Makes a socket that can be polled for orders. */
struct bw_error *bw_orders_listen(int *out_fd) BW_MUST_CHECK;
/* Takes an order that has come. False: there is none, or only from someone who must not give
 * orders. Does not wait. */
bool bw_orders_take(int fd, struct bw_capture_order *out, struct bw_orders_sender *out_from);
void bw_orders_answer(int fd, const struct bw_orders_sender *to,
		      const struct bw_capture_ordered *answer);

#endif
