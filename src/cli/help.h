/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_HELP_H
#define BW_CLI_HELP_H

/* What "help" says beside the rows of commands.c: the topics that these are listed under, and
 * settings. Constant tables. */

#include <stdbool.h>
#include <stddef.h>

/* A topic of "help TOPIC". */
struct bw_help_topic {
	const char *name;
	const char *about; /* one line */
};
const struct bw_help_topic *bw_help_topics(size_t *out_n);
/* By its exact name; NULL: there is none. */
const struct bw_help_topic *bw_help_topic(const char *name);

/* A setting, of "help set NAME". */
struct bw_help_setting {
	const char *name;
	const char *values;  /* as in a usage */
	const char *example; /* one of them */
	const char *about;   /* one line */
};
/* Sorted by name. */
const struct bw_help_setting *bw_help_settings(size_t *out_n);

/* cmd_help.c. Prints topics, commands and settings for tools/gen-words.py (bw_print_row). */
void bw_help_rows(void);

#endif
