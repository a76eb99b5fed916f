/* SPDX-License-Identifier: MIT */
/* breakwater-launch-shader: runs one compute shader through Vulkan. It is the program that
 * `breakwater run shader.comp` debugs, and can be used by hand under `breakwater exec`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/str.h"
#include "launch/options.h"
#include "shader/compile.h"
#include "shader/plan.h"
#include "shader/results.h"
#include "shader/vulkan.h"

enum { EXIT_OTHER = 1, EXIT_BAD_INPUT = 2, EXIT_GPU = 3 };

struct command {
	struct bw_launch_command line;
	bool check;
};

static const char usage[] =
	"usage: breakwater-launch-shader [options] SHADER.spv\n"
	"Runs one compute shader in SPIR-V through Vulkan. Its pipeline has the name of the entry point, or that\n"
	"of the file where that is main.\n"
	"  --check                 only look whether shader and options fit\n";

static struct bw_error *take_own(void *cookie, int argc, char *const *argv, int *index)
{
	struct command *c = cookie;
	(void)argc;
	if (!strcmp(argv[*index], "--check")) {
		c->check = true;
		++*index;
	}
	return NULL;
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
	const char *base = bw_base_name(path);
	size_t n = strcspn(base, ".");
	return strndup(base, n ? n : strlen(base));
}

static int run_plan(struct bw_shader_plan *plan, const char *name)
{
	struct bw_error *err = bw_shader_run(plan, name);
	if (err && err->code == BW_E_GONE) {
		int status = report(err, EXIT_GPU);
		if (!getenv("BREAKWATER_OWNED"))
			fprintf(stderr,
				"breakwater-launch-shader: to stop where it happens: breakwater "
				"run SHADER with the same options\n");
		return status;
	}
	if (err)
		return report(err, err->code == BW_E_NOT_FOUND ? EXIT_GPU : EXIT_OTHER);
	bw_shader_print_views(plan);
	if ((err = bw_shader_write_views(plan)))
		return report(err, EXIT_OTHER);
	if (fflush(stdout))
		return report(bw_error_errno(errno, "cannot write the output"), EXIT_OTHER);
	return 0;
}

/* With --check, the caller names the file. */
static struct bw_error *load(const struct command *c, struct bw_shader **out)
{
	struct bw_error *err = bw_shader_load(c->line.file, c->line.options.kernel, out);
	return c->check ? err : bw_error_wrap(err, "%s", c->line.file);
}

/* --compile FOLDER ENTRY, of `breakwater replay --shader`. */
static int compile(const char *folder, const char *entry)
{
	struct bw_error *err = bw_shader_compile(folder, entry);
	return err ? report(err, EXIT_BAD_INPUT) : 0;
}

int main(int argc, char **argv)
{
	bw_file_limit_is_error();
	if (argc == 4 && !strcmp(argv[1], "--compile"))
		return compile(argv[2], argv[3]);
	struct command c = {.line = {.what = "shader", .take = take_own, .cookie = &c}};
	struct bw_shader *shader = NULL;
	struct bw_shader_plan *plan = NULL;
	_cleanup_free_ char *stem = NULL;
	int status = 0;
	struct bw_error *err = bw_launch_command_parse(&c.line, argc, argv);
	if (!err && c.line.help)
		bw_launch_options_print_help(usage);
	else if (!err)
		err = load(&c, &shader);
	if (!err && shader)
		err = bw_shader_plan_make(shader, &c.line.options, &plan);
	if (err && c.check) { /* who asks says whose words these are */
		fprintf(stderr, "%s\n", err->message);
		bw_error_free(err);
		status = EXIT_BAD_INPUT;
	} else if (err) {
		status = report(err, EXIT_BAD_INPUT);
	}
	if (plan && !c.check) {
		stem = stem_of(c.line.file);
		const char *name =
			strcmp(shader->entry, "main") != 0 || !stem ? shader->entry : stem;
		prctl(PR_SET_NAME, name);
		status = run_plan(plan, name);
	}
	bw_shader_plan_free(plan);
	bw_shader_free(shader);
	bw_launch_options_fini(&c.line.options);
	return status;
}
