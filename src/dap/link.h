/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_LINK_H
#define BW_DAP_LINK_H

/* The connection with the editor. A thread reads messages into a queue, so that `pause`, `cancel`,
 * `disconnect` and the end of the connection are noticed while the core is busy with a step; only
 * the owner's thread writes. */

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "dap/dap.h"
#include "debug/stop.h"

struct bw_dap_link;

struct bw_dap_incoming {
	/* owned by the taker; NULL: the message was not a JSON object */
	json_t *root;
	/* not "": why the message cannot be used; if it has a root, it can be answered */
	char why[160];
	bool is_cancelled; /* a later `cancel` names it */
	bool is_end;	   /* no further messages */
};

/* Opens the connection. begun: what has been read and sent already; copied; NULL: nothing. */
struct bw_error *bw_dap_link_open(int in_fd, int out_fd, const struct bw_dap_begun *begun,
				  struct bw_dap_link **out) BW_MUST_CHECK;
void bw_dap_link_close(struct bw_dap_link *l);
/* Takes the next message. timeout_ms 0: does not wait. False: there is none. */
bool bw_dap_link_take(struct bw_dap_link *l, int timeout_ms, struct bw_dap_incoming *out);
/* The number of messages that wait. */
size_t bw_dap_link_waiting(struct bw_dap_link *l);
/* After is_end: the error of the stream; NULL: it has ended normally. The caller owns it. */
struct bw_error *bw_dap_link_error(struct bw_dap_link *l);
/* From now until bw_dap_link_busy(NULL), `pause`, `cancel` of that request, `disconnect`,
 * `terminate` and the end of the stream interrupt d. The call with NULL returns whether one has
 * done so. */
bool bw_dap_link_busy(struct bw_dap_link *l, struct bw_debug *d, int64_t seq);
/* Sends a message, and sets its "seq". Frees root. After an error, nothing is sent any more. */
void bw_dap_link_send(struct bw_dap_link *l, json_t *root);
bool bw_dap_link_is_broken(const struct bw_dap_link *l);

#endif
