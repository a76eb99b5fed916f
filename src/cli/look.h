/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_LOOK_H
#define BW_CLI_LOOK_H

/* What the commands share that look at a GPU, or at what is left of one (fault, vm, regs, pm4,
 * crash): options, files and the way from words to an exit status. They need no session, and
 * without a GPU they work on numbers and files. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "gpu/gpu.h"
#include "ui/out.h"

struct bw_look {
	struct bw_out *out;
	bool json, has_part, has_hub, help;
	struct bw_gpuvm_part part; /* --gfx, with --mmhub in it */
	enum bw_gpuvm_hub hub;	   /* --hub */
	const char *gpu;	   /* --gpu, or NULL */
	const char **words;	   /* what is no option; argv's. Owned array */
	size_t n_words;
	int status; /* the exit status, where there is no error; the command may set it */
	/* of the command: one of its options with its value (NULL: it was the last word). Sets
	 * *out_used to the words used; 0: the command has no such option. */
	struct bw_error *(*take)(void *cookie, const char *option, const char *value,
				 int *out_used);
	void *cookie;
};

/* Parses argv[1...]; sets look->out up. */
struct bw_error *bw_look_options(struct bw_look *l, int argc, char **argv) BW_MUST_CHECK;
/* Parses, prints `usage` for --help, else calls run; prints its error and gives the exit status. */
int bw_look_main(struct bw_look *l, const char *usage, int argc, char **argv,
		 struct bw_error *(*run)(struct bw_look *l));

/* The number after an option; BW_E_INVALID names the option. */
struct bw_error *bw_look_number(const char *option, const char *value, uint64_t *out) BW_MUST_CHECK;

/* "gfx9.4.3 (MI300)", for messages. */
void bw_look_part_name(const struct bw_gpuvm_part *part, struct bw_str *out);

#endif
