/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_KEYBOARD_H
#define BW_CLI_KEYBOARD_H

/* Reads the keyboard for the line editor, and filters out the keys of the terminal screen. */

#include <histedit.h>
#include <sys/types.h>

#include "cli/cli.h"

/* Gets the next byte for the line editor. 1: it has one; 0: the end of input; -1: a signal has come
 * (EINTR), or input cannot be read. While it waits, the end of the program is reported. */
ssize_t bw_cli_next_byte(EditLine *el, struct bw_cli *c, char *out);

#endif
