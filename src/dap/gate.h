/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_GATE_H
#define BW_DAP_GATE_H

/* The gate between a port, to which every user of the machine and every web page can connect, and
 * a session, which can start any program. An editor shows that it is the user's by a token that
 * only the user can read: the member "token" of the configuration that it sends with `launch` or
 * `attach`. Until then a connection gets an answer to `initialize`, which editors send first, and
 * errors. The owner of the other socket in the kernel's tables is not used: they have no owner for
 * a socket that is closed.
 *
 * Pure: bytes go in and out; it reads and writes nothing itself. */

#include <stddef.h>

#include "base/str.h"
#include "dap/dap.h"
#include "dap/framing.h"

/* How much a connection may send before its session begins; enough for the environment of a
 * program. */
enum { BW_DAP_GATE_MAX_B = 1 << 20 };

enum bw_dap_verdict {
	BW_DAP_WAITS,
	BW_DAP_ADMITTED, /* bw_dap_gate_begun has what the session begins with */
	BW_DAP_REFUSED,	 /* to be closed after the answer has been sent */
};

struct bw_dap_caller {
	struct bw_dap_frames frames;
	size_t got_b;
	int64_t n_sent;	 /* messages that were sent */
	char *greeting;	 /* the `initialize` that was answered; owned */
	char *admission; /* the `launch` or `attach` with the token; owned */
};

/* Handles bytes that a connection has sent, and adds the answers to `out`. */
enum bw_dap_verdict bw_dap_gate_hear(struct bw_dap_caller *c, const char *token, const void *data,
				     size_t size_b, struct bw_str *out);
/* Called after BW_DAP_ADMITTED: the beginning of the session. The caller owns out->data. */
struct bw_error *bw_dap_gate_begun(const struct bw_dap_caller *c,
				   struct bw_dap_begun *out) BW_MUST_CHECK;
void bw_dap_caller_fini(struct bw_dap_caller *c);

#endif
