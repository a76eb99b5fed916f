/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CRUMBS_EXEC_H
#define BW_CLI_CRUMBS_EXEC_H

/* What `breakwater exec` needs of breadcrumbs. */

#include "base/options.h"
#include "session/layers.h"
#include "kmd/kmd.h"
#include "ui/out.h"

struct bw_crumbs_options {
	bool on, every_packet;
	uint32_t break_at, break_hits; /* 0: none */
	const char *udp, *listen;      /* borrowed from the words */
	bool stomps;
	const char *stomp, *except;	     /* registers (stomp.h); NULL: all, none */
	bool stomps_memory, is_memory_last;  /* of the two: what --except is of */
	const char *memory, *except_memory;  /* (stomp_memory.h); NULL: all, none */
	uint32_t at_submission, at_dispatch; /* 0: each, its start */
	uint32_t at_last_submission, at_last_dispatch;
	bool at_one_dispatch; /* at_dispatch was given */
};

extern const struct bw_option bw_crumbs_rows[]; /* of a struct bw_crumbs_options */

/* What --stomp-memory fills, and where (--at). The caller ends the choice, also after an error. */
struct bw_stomp_choice;
struct bw_error *bw_cli_choose_stomps(const struct bw_crumbs_options *o,
				      struct bw_stomp_choice *out) BW_MUST_CHECK;

/* Whether the options fit together. */
struct bw_error *bw_cli_check_crumbs(const struct bw_crumbs_options *o) BW_MUST_CHECK;

/* crumbs_net.c. HOST:PORT; a connected socket, the caller's. */
struct bw_error *bw_cli_open_crumbs_udp(const char *text, int *out) BW_MUST_CHECK;
/* [HOST:]PORT. Prints what comes until the process is ended. */
struct bw_error *bw_cli_listen_for_crumbs(const char *text, bool json) BW_MUST_CHECK;

struct bw_crumbs_run {
	const struct bw_crumbs_options *options;
	char **program;
	struct bw_shader_wishes shaders;
	struct bw_out *out; /* of the report */
};
/* Runs the program to its end, and reports; the status is that of wait(). */
struct bw_error *bw_cli_run_with_crumbs(struct bw_kmd *kmd, const struct bw_crumbs_run *r,
					int *out_status) BW_MUST_CHECK;

#endif
