/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_LOOK_LOOK_H
#define BW_CLI_LOOK_LOOK_H

/* The common part of the commands that inspect a GPU, or the traces of one (fault, vm, regs, pm4,
 * crash): options, files, and the path from the words to an exit status. They need no session, and
 * without a GPU they work on numbers and files. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "gpu/gpu.h"
#include "ui/out.h"

struct bw_look {
	struct bw_out *out;
	bool json, has_part, has_hub, help;
	struct bw_gpuvm_part part; /* --gfx, with --mmhub in it */
	enum bw_gpuvm_hub hub;	   /* --hub */
	const char *gpu;	   /* --gpu, or NULL */
	uint32_t mmhub;		   /* --mmhub, until it is put into `part`; 0: not given */
	/* words that are not options, borrowed from argv; the array is owned */
	const char **words;
	size_t n_words;
	int status;   /* the exit status if there is no error; the command may set it */
	void *cookie; /* the command's own struct */
};

/* Rows for structs that begin with a struct bw_look. */
#define BW_LOOK_GFX                                                                                \
	{"--gfx", "VERSION",                                                                       \
	 "which GPU it is, where nothing else says: 9.0, 9.4.3, 10.x, 11.x, "                      \
	 "12.x, gfx90a, gfx1100",                                                                  \
	 BW_CALL(bw_look_take_gfx)}
#define BW_LOOK_HUB                                                                                \
	{"--hub", "gc|mm",                                                                         \
	 "whose page tables: the graphics hub's (default, of shaders), or the "                    \
	 "memory hub's",                                                                           \
	 BW_CALL(bw_look_take_hub)}
#define BW_LOOK_MMHUB                                                                              \
	{"--mmhub", "VERSION", "of the memory hub, where its clients are named: 3.0.1",            \
	 BW_CALL(bw_look_take_mmhub)}
#define BW_LOOK_GPU BW_ROW_GPU(struct bw_look, gpu)
/* The last rows of every such command. */
#define BW_LOOK_END BW_ROW_JSON(struct bw_look, json), BW_ROW_HELP(struct bw_look, help), {0}
bw_option_take_fn bw_look_take_gfx, bw_look_take_hub, bw_look_take_mmhub;

/* Adds a word of the command line that is not an option to the words. */
struct bw_error *bw_look_take_word(void *look, const char *word) BW_MUST_CHECK;
/* Parses argv[1...] into the struct that l is the first member of, prints the help, or calls run.
 * Prints an error, and returns the exit status. line->word is bw_look_take_word. */
int bw_look_main(struct bw_look *l, const struct bw_command_line *line, int argc, char **argv,
		 struct bw_error *(*run)(struct bw_look *l));

/* Parses the number after an option; BW_E_INVALID names the option. */
struct bw_error *bw_look_number(const char *option, const char *value, uint64_t *out) BW_MUST_CHECK;

/* Appends the name of a part for messages: "gfx9.4.3 (MI300)". */
void bw_look_part_name(const struct bw_gpuvm_part *part, struct bw_str *out);

#endif
