/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_DEBUGGER_LISTEN_H
#define BW_AGENT_DEBUGGER_LISTEN_H

/* Debuggers that come to a program already running (`breakwater attach PID`). A program started by
 * `breakwater exec` listens on a name of its own (BW_AGENT_NAME in wire/agent_proto.h) from when it
 * opens the GPU; a debugger's connection there becomes the one that it debugs through. Only a peer
 * that may trace this process anyway is accepted (wire/peer.h), and connections that send nothing
 * do not block others. */

/* Begins to listen, once. */
void bw_listen_start(void);
/* In a forked child: the name is its parent's. */
void bw_listen_fork_child(void);

#endif
