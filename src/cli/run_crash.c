/* SPDX-License-Identifier: MIT */
/* breakwater run FILE, where the file is what a GPU has left behind: it is opened at the prompt. */
#include "cli/crash_files.h"
#include "cli/subcommands.h"

#include <stdlib.h>
#include <string.h>

static void show_verdict(struct bw_cli *c)
{
	struct bw_str text = {0};
	bw_crash_verdict(c->crash, NULL, &text);
	/* the verdict refers to it */
	bw_vec_each(&c->crash->dumps, d) {
		bw_vec_each(&d->damaged, note)
			bw_str_addf(&text, "  line %u: %s\n", note->line, note->text);
		if (d->n_damaged > d->damaged.len)
			bw_str_addf(&text, "  and %zu more\n", d->n_damaged - d->damaged.len);
	}
	bw_out_begin(c->out, "event", "notice");
	bw_out_str(c->out, "kind", "info");
	bw_out_str(c->out, "text", bw_str_text(&text));
	bw_out_text(c->out, bw_str_text(&text));
	bw_out_end(c->out);
	bw_out_flush(c->out);
	bw_str_free(&text);
}

struct bw_error *bw_cli_open_crash(struct bw_cli *c, const char *path, uint32_t gc)
{
	struct bw_target *target;
	c->crash = calloc(1, sizeof(*c->crash));
	if (!c->crash)
		return bw_error_nomem();
	BW_TRY(bw_cli_read_crash(&path, 1, c->crash));
	const struct bw_target_source source = {
		.kind = BW_SOURCE_CRASH, .crash = c->crash, .gc = gc};
	show_verdict(c);
	BW_TRY(bw_cli_open_target(&source, &target));
	c->attached = true; /* there is nothing to be killed when the session ends */
	struct bw_error *err = bw_debug_start(c->debug, target);
	return err ? err : bw_cli_wait_and_show(c);
}

/* A name that comes again is a FIFO that was read again: each in its order. */
struct bw_error *bw_cli_show_crash_registers(struct bw_cli *c, const char *part)
{
	uint32_t block = UINT32_MAX;
	json_t *list = json_array();
	bw_vec_each(&c->crash->dumps, d)
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

void bw_cli_free_crash(struct bw_cli *c)
{
	if (c->crash)
		bw_crash_free(c->crash);
	free(c->crash);
	c->crash = NULL;
}
