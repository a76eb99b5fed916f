/* SPDX-License-Identifier: MIT */
#include "cli/look/look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "cli/cli.h"

struct bw_error *bw_look_take_gfx(void *look, const char *option, const char *value)
{
	struct bw_look *l = look;
	BW_TRY(bw_gpuvm_part_parse(value, &l->part));
	l->has_part = true;
	return NULL;
}

struct bw_error *bw_look_take_mmhub(void *look, const char *option, const char *value)
{
	if (bw_gpuvm_version_parse(value, &((struct bw_look *)look)->mmhub))
		return NULL;
	return bw_errorf(BW_E_INVALID, "--mmhub wants a version such as 3.0.1, not \"%s\"", value);
}

struct bw_error *bw_look_take_hub(void *look, const char *option, const char *value)
{
	struct bw_look *l = look;
	bool is_mm = !strcmp(value, "mm") || !strcmp(value, "mmhub");
	if (!is_mm && strcmp(value, "gc") != 0 && strcmp(value, "gfxhub") != 0)
		return bw_errorf(BW_E_INVALID, "--hub is gc or mm, not \"%s\"", value);
	l->hub = is_mm ? BW_GPUVM_MM : BW_GPUVM_GC;
	l->has_hub = true;
	return NULL;
}

struct bw_error *bw_look_take_word(void *look, const char *word)
{
	struct bw_look *l = look;
	l->words[l->n_words++] = word;
	return NULL;
}

static struct bw_error *parse(struct bw_look *l, const struct bw_command_line *line, int argc,
			      char **argv)
{
	int rest;
	l->words = calloc((size_t)argc + 1, sizeof(*l->words));
	if (!l->words)
		return bw_error_nomem();
	BW_TRY(bw_command_line_parse(line, l, argc, argv, &rest));
	for (; rest < argc; rest++) /* after "--" */
		l->words[l->n_words++] = argv[rest];
	if (l->mmhub && !l->has_part)
		return bw_errorf(BW_E_INVALID, "--mmhub needs --gfx");
	if (l->mmhub)
		l->part.mm = l->mmhub;
	return NULL;
}

int bw_look_main(struct bw_look *l, const struct bw_command_line *line, int argc, char **argv,
		 struct bw_error *(*run)(struct bw_look *l))
{
	struct bw_error *err = parse(l, line, argc, argv);
	if (!err && l->help) {
		bw_command_line_print_help(line);
		free(l->words);
		return 0;
	}
	if (!err)
		err = bw_out_create(stdout, l->json, &l->out);
	if (!err) {
		err = run(l);
		bw_out_flush(l->out);
		bw_out_destroy(l->out);
	}
	free(l->words);
	if (!err)
		return l->status;
	fprintf(stderr, "breakwater: ");
	bw_out_printable(stderr, err->message);
	fprintf(stderr, ".\n");
	bw_error_free(err);
	return BW_EXIT_USAGE;
}

struct bw_error *bw_look_number(const char *option, const char *value, uint64_t *out)
{
	if (!value || !bw_parse_u64(value, out))
		return bw_errorf(BW_E_INVALID, "%s wants a number%s%s%s", option,
				 value ? ", not \"" : "", value ? value : "", value ? "\"" : "");
	return NULL;
}

void bw_look_part_name(const struct bw_gpuvm_part *part, struct bw_str *out)
{
	bw_str_addf(out, "gfx%u.%u", bw_ip_major(part->gc), bw_ip_minor(part->gc));
	if (part->chip)
		bw_str_addf(out, ".%u (%s)", bw_ip_revision(part->gc), part->chip);
}
