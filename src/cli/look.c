/* SPDX-License-Identifier: MIT */
#include "cli/look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "cli/cli.h"

static struct bw_error *take_common(struct bw_look *l, const char *option, const char *value,
				    uint32_t *mm, int *used)
{
	static const char *const with_value[] = {"--gfx", "--hub", "--mmhub", "--gpu"};
	*used = 1;
	if (!strcmp(option, "--json")) {
		l->json = true;
		return NULL;
	}
	if (!strcmp(option, "--help") || !strcmp(option, "-h")) {
		l->help = true;
		return NULL;
	}
	*used = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(with_value); i++)
		if (!strcmp(option, with_value[i]))
			*used = 2;
	if (!*used)
		return NULL;
	if (!value)
		return bw_errorf(BW_E_INVALID, "%s needs a value", option);
	if (!strcmp(option, "--gfx")) {
		BW_TRY(bw_gpuvm_part_parse(value, &l->part));
		l->has_part = true;
	} else if (!strcmp(option, "--mmhub")) {
		if (!bw_gpuvm_version_parse(value, mm))
			return bw_errorf(BW_E_INVALID,
					 "--mmhub wants a version such as 3.0.1, not \"%s\"",
					 value);
	} else if (!strcmp(option, "--gpu")) {
		l->gpu = value;
	} else {
		bool is_mm = !strcmp(value, "mm") || !strcmp(value, "mmhub");
		if (!is_mm && strcmp(value, "gc") != 0 && strcmp(value, "gfxhub") != 0)
			return bw_errorf(BW_E_INVALID, "--hub is gc or mm, not \"%s\"", value);
		l->hub = is_mm ? BW_GPUVM_MM : BW_GPUVM_GC;
		l->has_hub = true;
	}
	return NULL;
}

struct bw_error *bw_look_options(struct bw_look *l, int argc, char **argv)
{
	uint32_t mm = 0;
	bool only_words = false;
	l->words = calloc((size_t)argc + 1, sizeof(*l->words));
	if (!l->words)
		return bw_error_nomem();
	for (int i = 1, used; i < argc; i += used) {
		const char *w = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
		used = 1;
		if (only_words || w[0] != '-' || !w[1]) {
			l->words[l->n_words++] = w;
			continue;
		}
		if (!strcmp(w, "--")) {
			only_words = true;
			continue;
		}
		BW_TRY(take_common(l, w, value, &mm, &used));
		if (!used && l->take)
			BW_TRY(l->take(l->cookie, w, value, &used));
		if (!used)
			return bw_errorf(BW_E_INVALID, "there is no option %s (see --help)", w);
		if (used > argc - i)
			return bw_errorf(BW_E_INVALID, "%s needs a value", w);
	}
	if (mm && !l->has_part)
		return bw_errorf(BW_E_INVALID, "--mmhub needs --gfx");
	if (mm)
		l->part.mm = mm;
	return NULL;
}

int bw_look_main(struct bw_look *l, const char *usage, int argc, char **argv,
		 struct bw_error *(*run)(struct bw_look *l))
{
	struct bw_error *err = bw_look_options(l, argc, argv);
	if (!err && l->help) {
		fputs(usage, stdout);
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
