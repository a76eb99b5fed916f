/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_HELP_H
#define BW_CLI_HELP_H

/* The texts of "help" apart from the rows of commands.c: topics under which commands are listed,
 * and settings. Constant tables. */

#include <stdbool.h>
#include <stddef.h>

/* A topic of "help TOPIC". */
struct bw_help_topic {
	const char *name;
	const char *about; /* one line */
};
const struct bw_help_topic *bw_help_topics(size_t *out_n);
/* The topic with exactly this name; NULL: there is none. */
const struct bw_help_topic *bw_help_topic(const char *name);

/* A setting, of "help set NAME". */
struct bw_help_setting {
	const char *name;
	const char *values;  /* as in a usage */
	const char *example; /* an example of a value */
	const char *about;   /* one line */
};
/* All settings, sorted by name. */
const struct bw_help_setting *bw_help_settings(size_t *out_n);

/* cmd_help.c. Prints topics, commands and settings for tools/gen-words.py (bw_print_row). */
void bw_help_rows(void);

#endif
