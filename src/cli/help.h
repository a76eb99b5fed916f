/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_HELP_H
#define BW_CLI_HELP_H

/* What "help" says of a command beyond its row in commands.c: the topic that it is listed under,
 * and examples. What it says of settings. Constant tables. */

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

struct bw_help_page {
	const char *command; /* its name in its table */
	bool is_info;	     /* of "info" */
	const char *topic;   /* a name of bw_help_topics */
	/* commands as typed, one a line; most of them for examples/saxpy.s */
	const char *examples;
};
/* NULL: there is none, which a test does not allow. */
const struct bw_help_page *bw_help_page(const char *command, bool is_info);

/* A setting, of "help set NAME". */
struct bw_help_setting {
	const char *name;
	const char *values;  /* as in a usage */
	const char *example; /* one of them */
	const char *about;   /* one line */
};
/* Sorted by name. */
const struct bw_help_setting *bw_help_settings(size_t *out_n);

#endif
