/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_CAPTURE_ORDERS_H
#define BW_WIRE_CAPTURE_ORDERS_H

/* Orders to a running `breakwater capture`, from another terminal. It has a datagram socket in the
 * abstract namespace: BW_CAPTURE_ORDERS_NAME and its pid, with a random suffix if that name is
 * taken. The name proves nothing: both ends take only datagrams of peers that the rule of
 * wire/peer.h allows, by the credentials that the kernel puts beside each (SCM_CREDENTIALS). One
 * order is one datagram, and is answered with one. */

#include <stdint.h>

#define BW_CAPTURE_ORDERS_NAME "breakwater-capture-"

enum { BW_CAPTURE_ORDERS_MAGIC = 0x4f435742 /* "BWCO" */, BW_CAPTURE_ORDERS_VERSION = 1 };
enum bw_capture_order_kind {
	BW_CAPTURE_ORDER_WHO,	/* only the answer */
	BW_CAPTURE_ORDER_NEXT,	/* capture the next `count` submissions; -1: all, 0: none */
	BW_CAPTURE_ORDER_FRAME, /* the next frame */
	BW_CAPTURE_ORDER_WRITE, /* write the ring now */
};
struct bw_capture_order {
	uint32_t magic, version, kind, pad;
	int64_t count;
};
struct bw_capture_ordered {
	uint32_t magic;
	int32_t result;	      /* 0, or -errno: ENOTSUP, its mode has no use for this order */
	uint32_t seen, taken; /* submissions so far */
	char file[1024];      /* that it writes, as it was named there, absolute */
};

#endif
