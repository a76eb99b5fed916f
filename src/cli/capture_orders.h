/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CAPTURE_ORDERS_H
#define BW_CLI_CAPTURE_ORDERS_H

/* Orders to a capture that runs (wire/capture_orders.h): how it takes them, and `breakwater capture
 * --trigger` and `--write`, which give them. */

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"
#include "wire/capture_orders.h"

struct bw_orders_sender {
	struct sockaddr_un addr;
	socklen_t addr_b;
};

/* A socket to poll. */
struct bw_error *bw_orders_listen(int *out_fd) BW_MUST_CHECK;
/* What has come; false: nothing, or nothing from somebody who may order. Does not wait. */
bool bw_orders_take(int fd, struct bw_capture_order *out, struct bw_orders_sender *out_from);
void bw_orders_answer(int fd, const struct bw_orders_sender *to,
		      const struct bw_capture_ordered *answer);

/* Whether this is the command line of an order. */
bool bw_capture_is_order(int argc, char **argv);
int bw_main_capture_order(int argc, char **argv);

#endif
