/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_AGENT_FOLDERS_H
#define BW_WIRE_AGENT_FOLDERS_H

/* What the agent in a program finds of us: the environment names a folder (base/folder.h) of each
 * of our processes that has started the program or one of its parents, the innermost first, with
 * ':' between them. A folder has the socket on which its process listens, named after the service
 * (BW_AGENT_SOCKET, BW_CAPTURE_SOCKET, BW_CRUMBS_SOCKET), and the rules and records of --shader and
 * --stomp-memory (swap/rules.h, wire/stomp_files.h). Of each name the agent uses the first folder
 * that has it: so processes of ours may start each other, and the end of one leaves the services of
 * the others as they are. One thread: the environment is the process's. */

#include <stdbool.h>

#include "base/folder.h"

#define BW_AGENT_FOLDERS_ENV "BREAKWATER_AGENT"

/* NAME=VALUE with this folder in front of those that our own environment has; those that have been
 * removed are left out. The caller's; NULL: there is no memory. */
char *bw_agent_folders_setting(const char *folder);
/* The same into our own environment, for the programs that are started from now on. */
struct bw_error *bw_agent_folders_add(const char *folder) BW_MUST_CHECK;
/* Listens on the socket of a service in the folder of this process. */
struct bw_error *bw_agent_folders_listen(const struct bw_folder *f, const char *service,
					 int *out_fd) BW_MUST_CHECK;
/* The first folder of the list that has a file of this name; the caller's. NULL: none, or there is
 * no memory. is_there: whether a path exists. list may be NULL. */
char *bw_agent_folders_find(const char *list, const char *name, bool (*is_there)(const char *path));

#endif
