/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_DEBUGGER_DEBUGGER_PRIV_H
#define BW_AGENT_DEBUGGER_DEBUGGER_PRIV_H

/* Shared by debugger.c, which owns the connection, answers.c, which answers requests, and hold.c,
 * which shows submissions to the debugger. */

#include <pthread.h>

#include "agent/debugger/attach.h"
#include "agent/debugger/debugger.h"
#include "base/vec.h"
#include "wire/message.h"

struct held {
	uint32_t number;
	const struct bw_agent_file *file;
	bool released;
};
struct files BW_VEC(struct bw_agent_file *);

extern struct bw_dbg {
	pthread_mutex_t lock;	/* protects all that follows, except the two directions of the
			       * socket */
	pthread_cond_t changed; /* the state, or a held submission was released */
	/* CHANGING: about to be connected or to have ended, which takes no one's help: submissions
	 * of address spaces that nobody has attached to wait for it. */
	enum bw_dbg_state { UNTRIED, CHANGING, CONNECTED, LEAVING, ENDED } state;
	struct files files;  /* open ones, a reference each */
	uint32_t last;	     /* number of the one that has submitted last, 0: none has */
	struct files closed; /* closed by the program: the service thread drops their references */
	struct BW_VEC(struct bw_attach *) attached; /* only the service thread changes it */
	uint32_t submissions;
	struct BW_VEC(struct held *) held;
	int64_t held_since_ns, held_total_ns; /* while there are any; before that */
	uint32_t failures, failures_released; /* told to this debugger; heard of by it */

	pthread_mutex_t send_lock;
	int sock;
	int guard;  /* connection to the debugger's guard, -1: none; used by the service thread
		     * alone */
	int keeper; /* connection to the guard of the debugger that has made us ready */
} bw_dbg;

/* debugger.c */
struct bw_error *bw_dbg_send(uint16_t type, uint32_t seq, const struct bw_msg_part *parts, size_t n,
			     int fd) BW_MUST_CHECK;
/* Sends an event. If that fails the debugger is gone, which the service thread notices as well. */
void bw_dbg_send_event(uint16_t type, const struct bw_msg_part *parts, size_t n);
/* Lock held. */
bool bw_dbg_is_open(const struct bw_agent_file *f);
/* Connects to the debugger that has started the program, and announces the file. 0 or -errno. */
int bw_dbg_connect(struct bw_agent_file *f);
/* Lock held. 0: the one that has submitted last, else the first. */
struct bw_agent_file *bw_dbg_find_file(uint32_t number);
/* The file that a request names, with a reference. */
struct bw_agent_file *bw_dbg_file_of(uint32_t number);
/* Lock held, or on the service thread. */
struct bw_attach *bw_dbg_attach_of(const struct bw_agent_file *f);

/* answers.c */
struct bw_error *bw_dbg_answer(const struct bw_msg *m) BW_MUST_CHECK;
struct bw_error *bw_dbg_reply_result(const struct bw_msg *m, int result, uint64_t va,
				     const char *what) BW_MUST_CHECK;

#endif
