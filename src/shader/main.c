/* SPDX-License-Identifier: MIT */
/* breakwater-launch-shader: runs one compute shader through Vulkan. It is the program that
 * `breakwater run shader.comp` debugs, and can be used by hand under `breakwater exec`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "launch/options.h"
#include "shader/plan.h"
#include "shader/vulkan.h"

enum { EXIT_OTHER = 1, EXIT_BAD_INPUT = 2, EXIT_GPU = 3 };

struct command {
	struct bw_launch_options options;
	const char *path;
	bool check, help;
};

static const char usage[] =
	"usage: breakwater-launch-shader [options] SHADER.spv\n"
	"Runs one compute shader in SPIR-V through Vulkan. Its pipeline has the name of the entry point, or that\n"
	"of the file where that is main.\n"
	"  --check                 only look whether shader and options fit\n";

static struct bw_error *parse(int argc, char **argv, struct command *out)
{
	for (int i = 1; i < argc;) {
		bool taken;
		BW_TRY(bw_launch_options_take(&out->options, argc, argv, &i, &taken));
		if (taken)
			continue;
		const char *word = argv[i++];
		if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			out->help = true;
			return NULL;
		}
		if (!strcmp(word, "--check")) {
			out->check = true;
		} else if (word[0] == '-') {
			return bw_errorf(BW_E_INVALID, "unknown option %s (see --help)", word);
		} else if (out->path) {
			return bw_errorf(BW_E_INVALID,
					 "one shader at a time: both %s and %s are given",
					 out->path, word);
		} else {
			out->path = word;
		}
	}
	return out->path ? NULL : bw_errorf(BW_E_INVALID, "no shader given (see --help)");
}

static int report(struct bw_error *err, int status)
{
	fflush(stdout);
	fprintf(stderr, "breakwater-launch-shader: %s\n", err->message);
	bw_error_free(err);
	return status;
}

/* "blur" of "effects/blur.comp.spv"; owned */
static char *stem_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strcspn(base, ".");
	return strndup(base, n ? n : strlen(base));
}

static void print_views(const struct bw_shader_plan *p)
{
	bw_vec_each(&p->prints, v) {
		const struct bw_shader_bytes *b = &p->bytes[v->block];
		uint64_t n = bw_shader_view_count(v, b->size_b);
		struct bw_str line = {0};
		if (p->prints.len > 1)
			bw_str_addf(&line, "%s: ", v->name);
		for (uint64_t i = 0; i < n && (!v->count || i < v->count); i++) {
			bw_str_add(&line, i ? " " : "");
			bw_arg_value_print(&line, v->type, b->data + bw_shader_view_offset(v, i));
		}
		printf("%s\n", bw_str_text(&line));
		bw_str_free(&line);
	}
}

static struct bw_error *write_views(const struct bw_shader_plan *p)
{
	bw_vec_each(&p->dumps, v) {
		const struct bw_shader_bytes *b = &p->bytes[v->block];
		uint64_t n = bw_shader_view_count(v, b->size_b), written = 0;
		unsigned size_b = bw_scalar_size(v->type);
		_cleanup_fclose_ FILE *f = fopen(v->path, "wbe");
		for (; f && written < n; written++)
			if (fwrite(b->data + bw_shader_view_offset(v, written), size_b, 1, f) != 1)
				break;
		if (!f || written < n || fflush(f))
			return bw_error_errno(errno, "cannot write %s", v->path);
	}
	return NULL;
}

static int run(struct bw_shader_plan *plan, const char *name)
{
	struct bw_error *err = bw_shader_run(plan, name);
	if (err && err->code == BW_E_GONE) {
		int status = report(err, EXIT_GPU);
		if (!getenv("BREAKWATER_DEBUGGER"))
			fprintf(stderr,
				"breakwater-launch-shader: to stop where it happens: breakwater "
				"run SHADER with the same options\n");
		return status;
	}
	if (err)
		return report(err, err->code == BW_E_NOT_FOUND ? EXIT_GPU : EXIT_OTHER);
	print_views(plan);
	if ((err = write_views(plan)))
		return report(err, EXIT_OTHER);
	if (fflush(stdout))
		return report(bw_error_errno(errno, "cannot write the output"), EXIT_OTHER);
	return 0;
}

/* With --check, who asks names the file. */
static struct bw_error *load(const struct command *c, struct bw_shader **out)
{
	struct bw_error *err = bw_shader_load(c->path, c->options.kernel, out);
	return c->check ? err : bw_error_wrap(err, "%s", c->path);
}

int main(int argc, char **argv)
{
	struct command c = {0};
	struct bw_shader *shader = NULL;
	struct bw_shader_plan *plan = NULL;
	_cleanup_free_ char *stem = NULL;
	int status = 0;
	struct bw_error *err = parse(argc, argv, &c);
	if (!err && c.help)
		printf("%s%s", usage, bw_launch_options_help);
	else if (!err)
		err = load(&c, &shader);
	if (!err && shader)
		err = bw_shader_plan_make(shader, &c.options, &plan);
	if (err && c.check) { /* who asks says whose words these are */
		fprintf(stderr, "%s\n", err->message);
		bw_error_free(err);
		status = EXIT_BAD_INPUT;
	} else if (err) {
		status = report(err, EXIT_BAD_INPUT);
	}
	if (plan && !c.check) {
		stem = stem_of(c.path);
		const char *name =
			strcmp(shader->entry, "main") != 0 || !stem ? shader->entry : stem;
		prctl(PR_SET_NAME, name);
		status = run(plan, name);
	}
	bw_shader_plan_free(plan);
	bw_shader_free(shader);
	bw_launch_options_fini(&c.options);
	return status;
}
