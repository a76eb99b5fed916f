/* SPDX-License-Identifier: MIT */
/* "info registers" in a crash file where no wave is: the registers of the GPU that it holds. */
#include "cli/cli.h"

#include <string.h>

#include "crash/crash.h"
#include "ui/table.h"

/* A name that comes again is a FIFO that was read again: each in its order. */
struct bw_error *bw_cli_show_crash_registers(struct bw_cli *c, const char *part)
{
	uint32_t block = UINT32_MAX;
	json_t *list = json_array();
	bw_vec_each(&c->session->crash->dumps, d)
		bw_vec_each(&d->registers, r) {
			const struct bw_crash_block *b = &d->blocks.data[r->block];
			if (!strcasestr(r->name, part))
				continue;
			if (r->block != block)
				bw_out_line(c->out, "%s%s%s", b->ip, *b->part ? ", " : "", b->part);
			block = r->block;
			bw_out_line(c->out, "  %-40s 0x%08x", r->name, r->value);
			json_t *o = json_object();
			json_object_set_new(o, "ip", bw_json_text(b->ip));
			json_object_set_new(o, "part", bw_json_text(b->part));
			json_object_set_new(o, "name", bw_json_text(r->name));
			json_object_set_new(o, "value", json_sprintf("0x%x", r->value));
			json_array_append_new(list, o);
		}
	bool none = !json_array_size(list);
	bw_out_json(c->out, "gpu_registers", list);
	if (none)
		return bw_errorf(BW_E_NOT_FOUND,
				 *part ? "The crash file has no register \"%s\""
				       : "The crash file has no registers",
				 part);
	return NULL;
}
