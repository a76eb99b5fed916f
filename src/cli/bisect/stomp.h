/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_BISECT_STOMP_H
#define BW_CLI_BISECT_STOMP_H

/* The command line of breakwater bisect --stomp (stomp_options.c). */

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"

/* All words are borrowed from the command line. */
struct bw_bisect_stomp_options {
	const char *range, *memory_range; /* NULL: all registers; all memory */
	bool stomp, registers, memory;
	uint64_t timeout_s;
	bool json, help;
	const char *capture; /* NULL: a program is run */
	char **program;	     /* ended by NULL; empty: a capture is replayed */
};

extern const struct bw_command_line bw_line_bisect_stomp;

/* Parses the command line. Either a capture or a program is given, unless help was asked for. */
struct bw_error *bw_bisect_stomp_parse(int argc, char **argv, struct bw_bisect_stomp_options *out)
	__attribute__((warn_unused_result));

#endif
