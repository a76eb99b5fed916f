/* SPDX-License-Identifier: MIT */
#ifndef BW_LAUNCH_OPTIONS_H
#define BW_LAUNCH_OPTIONS_H

/* The kernel options of `breakwater run KERNEL` and of breakwater-launch, as words on a command
 * line. Parsing only; whether they fit a kernel is for launch/plan.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"
#include "base/vec.h"

enum { BW_LAUNCH_USER_SGPRS = 16 };

struct bw_launch_pair {
	char *name, *value; /* owned; --arg: VALUE, --dump: FILE, --print: NULL */
	uint64_t count;	    /* --print: 0 = all */
};
struct bw_launch_pairs BW_VEC(struct bw_launch_pair);
struct bw_launch_words BW_VEC(const char *);

struct bw_launch_options {
	char *kernel; /* owned; NULL: not given */
	bool has_grid, has_groups, has_group;
	uint32_t grid[3], groups[3], group[3]; /* work-items, workgroups, work-items of a group */
	struct bw_launch_pairs args, prints, dumps;
	/* .bin */
	bool has_raw;				       /* one of these was given */
	uint32_t vgprs, sgprs, lds_b, scratch_b, wave; /* 0: not given */
	uint32_t user_sgpr_mask, user_sgpr[BW_LAUNCH_USER_SGPRS];
	bool code_in_gtt;
	/* What errors call the code object: the source that it was made from; borrowed; NULL: its
	 * path */
	const char *shown;
	/* The same options as words, borrowed from argv, to hand on to another program. */
	struct bw_launch_words words;
};

extern const struct bw_option bw_launch_rows[], bw_launch_raw_rows[];
/* Of each option that is taken: keeps its words. */
struct bw_error *bw_launch_keep_words(void *options, char *const *words, size_t n) BW_MUST_CHECK;
/* For a command with a struct bw_launch_options there. */
#define BW_LAUNCH_GROUPS(offset)                                                                   \
	{"Kernel options:", bw_launch_rows, offset, bw_launch_keep_words},                         \
	{                                                                                          \
		"Of raw machine code (.bin), which has no metadata; its arguments are 64 bits "    \
		"each, in order:",                                                                 \
			bw_launch_raw_rows, offset, bw_launch_keep_words                           \
	}

/* If argv[*index] is a kernel option, takes it with its value (--grid 256 or --grid=256), moves
 * *index after it and sets *out_taken; else leaves all as it is. */
struct bw_error *bw_launch_options_take(struct bw_launch_options *o, int argc, char *const *argv,
					int *index, bool *out_taken) BW_MUST_CHECK;
/* The usage, and one line for each option, on standard output. */
void bw_launch_options_print_help(const char *usage);

/* A command line of a launcher: kernel options, its own options, and one file. */
struct bw_launch_command {
	struct bw_launch_options options;
	const char *what; /* "kernel", "shader": the file is called so in messages */
	const char *file; /* borrowed from argv */
	bool help;	  /* --help: the rest was not looked at */
	/* Takes an option of the launcher's own at argv[*index], with its value, and moves *index
	 * after it; else leaves *index as it is. */
	struct bw_error *(*take)(void *cookie, int argc, char *const *argv, int *index);
	void *cookie;
};
struct bw_error *bw_launch_command_parse(struct bw_launch_command *c, int argc,
					 char *const *argv) BW_MUST_CHECK;
void bw_launch_options_fini(struct bw_launch_options *o);

#endif
