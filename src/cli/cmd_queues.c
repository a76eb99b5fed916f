// SPDX-License-Identifier: MIT
/* info queues */
#include "cli/commands.h"

#include "ui/show.h"

/* AQL queues: how far each has come, and what its first packet that is not complete waits for. */
struct bw_error *bw_info_queues(struct bw_cli *c, const char *args)
{
	return bw_show_queues(c->out, c->debug);
}
