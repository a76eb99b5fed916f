/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_KEYBOARD_H
#define BW_CLI_KEYBOARD_H

/* What is typed at the prompt, before the line editor has it: keys of the terminal screen are taken
 * out. */

#include <histedit.h>
#include <sys/types.h>

#include "cli/cli.h"

/* The next byte for the line editor: 1; 0: the end of input; -1: a signal has come (EINTR), or
 * input cannot be read. Meanwhile the end of the program is reported. */
ssize_t bw_cli_next_byte(EditLine *el, struct bw_cli *c, char *out);

#endif
