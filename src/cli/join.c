/* SPDX-License-Identifier: MIT */
/* The one function of libbreakwater-commands, and of nothing else. */
#include "session/commands.h"

#include <stdlib.h>

#include "cli/cli.h"

struct bw_error *bw_commands_join(struct bw_session *s)
{
	struct bw_cli *c = malloc(sizeof(*c));
	if (!c)
		return bw_error_nomem();
	bw_cli_init(c);
	bw_cli_join(c, s);
	return NULL;
}
