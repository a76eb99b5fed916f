/* SPDX-License-Identifier: MIT */
#ifndef BW_INJECT_SWAP_H
#define BW_INJECT_SWAP_H

/* --shader WHICH=FILE and --save-shaders FOLDER: replaces shaders of a program, and lists those
 * that can be replaced. The program's agent does the work (swap/rules.h); here are the options, the
 * conversion of files, and the report. One thread. */

#include "base/folder.h"
#include "base/options.h"
#include "swap/rules.h"
#include "ui/out.h"

struct bw_swap_options {
	struct BW_VEC(const char *) words; /* WHICH=FILE; borrowed from argv */
	const char *save;		   /* the folder; borrowed; NULL: no shaders are saved */
};
void bw_swap_options_fini(struct bw_swap_options *o);

extern const struct bw_option bw_swap_rows[]; /* options that set a struct bw_swap_options */

struct bw_swaps;
/* A replay, for whose capture SPIR-V is compiled here. Both borrowed. */
struct bw_swap_replay {
	const char *capture;
	const char *gpu; /* the value of --gpu; NULL: none */
};
/* Compiles and assembles the files, and writes the rules into the folder, which is made if need be
 * and stays the caller's; *out is NULL if the options ask for nothing. of: the replay; NULL: a
 * program, whose driver gets the SPIR-V unchanged. The folder outlives *out. */
struct bw_error *bw_swaps_begin(const struct bw_swap_options *o, const struct bw_swap_replay *of,
				struct bw_folder *folder, struct bw_swaps **out) BW_MUST_CHECK;
/* Says what was replaced and what was not, and writes the shaders that are to be saved. */
struct bw_error *bw_swaps_report(const struct bw_swaps *s, struct bw_out *o) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_swaps_end(struct bw_swaps *s);

/* ---- swap_build.c ---- */

/* Makes a rule of "WHICH=FILE", with the bytes made from FILE. out_file: FILE, in the word. */
struct bw_error *bw_swap_build(const char *word, const struct bw_swap_replay *of,
			       struct bw_swap_rules *r, const char **out_file) BW_MUST_CHECK;

#endif
