/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CAPTURE_CAPTURE_H
#define BW_CLI_CAPTURE_CAPTURE_H

/* The parts of `breakwater capture`: its options (options.c), and the display of a capture
 * (show.c). record/collect.h collects the records. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "session/programs.h"
#include "inject/swap.h"
#include "record/collect.h"
#include "session/layers.h"

/* ---- options.c ---- */

struct bw_capture_options {
	const char *gpu, *output;
	bool json, help;
	unsigned on;		 /* BW_COLLECT_*; 0: the capture is kept in any case */
	uint64_t wait_s, pid;	 /* pid 0: a program is started */
	bool has_ring, sees_all; /* fields of bw_collect_options */
	struct bw_capture_ring_limits limits;
	struct bw_capture_trigger trigger;
	struct bw_vgpu_options vgpu;
	struct bw_swap_options swaps;
	struct bw_shader_wishes shaders;
	char **program; /* borrowed from argv */
};
/* Parses the options. The caller ends the options' swaps, also after an error. */
struct bw_error *bw_capture_options_parse(int argc, char **argv,
					  struct bw_capture_options *out) BW_MUST_CHECK;

/* ---- show.c ---- */

/* argv[0] is "info", "list" or "show". */
extern const struct bw_command_line bw_line_capture_show;
int bw_main_capture_show(int argc, char **argv);

#endif
