/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CRASH_FILES_H
#define BW_CLI_CRASH_FILES_H

/* Files and folders of crashes, read for src/crash: by `breakwater crash` and by `breakwater run`,
 * which opens one at the prompt. */

#include "cli/cli.h"
#include "crash/crash.h"

/* Each a file, a folder with files, or "-". BW_E_NOT_FOUND: there is nothing of a crash in them.
 * The caller calls bw_crash_free, also after an error. */
struct bw_error *bw_cli_read_crash(const char *const *paths, size_t n,
				   struct bw_crash *out) BW_MUST_CHECK;
/* Whether `breakwater run` takes it as one: a folder, a file that begins as a devcoredump, or one
 * called .log. */
bool bw_cli_is_crash(const char *path);
/* run_crash.c: reads it, says what happened, and shows where its waves are. gc: the GPU that the
 * user says; 0: none. */
struct bw_error *bw_cli_open_crash(struct bw_cli *c, const char *path, uint32_t gc) BW_MUST_CHECK;
/* The GPU's registers in it, or those whose names have `part` in them. */
struct bw_error *bw_cli_show_crash_registers(struct bw_cli *c, const char *part) BW_MUST_CHECK;
void bw_cli_free_crash(struct bw_cli *c);

#endif
