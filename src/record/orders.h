/* SPDX-License-Identifier: MIT */
#ifndef BW_RECORD_ORDERS_H
#define BW_RECORD_ORDERS_H

/* Orders to a capture that runs (wire/capture_orders.h): datagrams with the credentials of their
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

/* A socket without a name. */
struct bw_error *bw_orders_socket(int *out_fd) BW_MUST_CHECK;
/* One datagram of exactly this size, from somebody who is allowed; false: there is none. Does not
 * wait. */
bool bw_orders_receive(int fd, void *out, size_t size_b, struct bw_orders_sender *out_from);

/* ---- The side that takes them ---- */

/* A socket to poll. */
struct bw_error *bw_orders_listen(int *out_fd) BW_MUST_CHECK;
/* Takes an order that has arrived; false: none, or only from somebody who must not give orders.
 * Does not wait. */
bool bw_orders_take(int fd, struct bw_capture_order *out, struct bw_orders_sender *out_from);
void bw_orders_answer(int fd, const struct bw_orders_sender *to,
		      const struct bw_capture_ordered *answer);

#endif
