/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CRUMBS_EXEC_H
#define BW_CLI_CRUMBS_EXEC_H

/* The options and functions of breadcrumbs for `breakwater exec`. */

#include "base/folder.h"
#include "base/options.h"
#include "session/layers.h"
#include "kmd/kmd.h"
#include "ui/out.h"

struct bw_crumbs_options {
	bool on, every_packet;
	uint32_t break_at, break_hits; /* 0: none */
	const char *udp, *listen;      /* borrowed from the words */
	bool stomps;
	/* registers (stomp.h); NULL: all registers; no exception */
	const char *stomp, *except;
	/* is_memory_last: --except belongs to memory, not to registers */
	bool stomps_memory, is_memory_last;
	/* memory (stomp_memory.h); NULL: all memory; no exception */
	const char *memory, *except_memory;
	uint32_t at_submission, at_dispatch; /* 0: at the start of each one */
	uint32_t at_last_submission, at_last_dispatch;
	bool at_one_dispatch; /* at_dispatch was given */
};

extern const struct bw_option bw_crumbs_rows[]; /* options that set a struct bw_crumbs_options */

/* The memory that --stomp-memory fills, and when (--at). The caller ends the choice, also after an
 * error. */
struct bw_stomp_choice;
struct bw_error *bw_cli_choose_stomps(const struct bw_crumbs_options *o,
				      struct bw_stomp_choice *out) BW_MUST_CHECK;

/* Checks that the options can be used together. */
struct bw_error *bw_cli_check_crumbs(const struct bw_crumbs_options *o) BW_MUST_CHECK;

/* crumbs_net.c. Opens HOST:PORT; the caller owns the connected socket. */
struct bw_error *bw_cli_open_crumbs_udp(const char *text, int *out) BW_MUST_CHECK;
/* Listens on [HOST:]PORT, and prints what comes until the process is ended. */
struct bw_error *bw_cli_listen_for_crumbs(const char *text, bool json) BW_MUST_CHECK;

struct bw_crumbs_run {
	const struct bw_crumbs_options *options;
	char **program;
	struct bw_shader_wishes shaders;
	const struct bw_folder *folder; /* in which agents connect */
	struct bw_out *out;		/* where the report is printed */
};
/* Runs the program to its end, and prints the report. The status is that of wait(). */
struct bw_error *bw_cli_run_with_crumbs(struct bw_kmd *kmd, const struct bw_crumbs_run *r,
					int *out_status) BW_MUST_CHECK;

#endif
