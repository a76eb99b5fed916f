/* SPDX-License-Identifier: MIT */
/* Makes kernels and programs the program of a session. */
#include "session/prepare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "compile/compile.h"
#include "debug/source.h"
#include "launch/options.h"
#include "launch/plan.h"
#include "session/programs.h"

static struct bw_error *check_readable(const char *path)
{
	struct stat st;
	if (stat(path, &st))
		return bw_error_errno(errno, "cannot read the kernel %s", path);
	if (!S_ISREG(st.st_mode))
		return bw_errorf(BW_E_INVALID, "%s is not a file", path);
	return NULL;
}

/* argv of the launcher: its path, the kernel's options as given, the object. */
static struct bw_error *launcher_argv(struct bw_session *s, struct bw_run_options *o,
				      const char *object)
{
	_cleanup_free_ char *launcher = NULL;
	BW_TRY(bw_kmd_find_part("breakwater-launch", &launcher));
	size_t n = o->launch.words.len;
	char **argv = calloc(n + 3, sizeof(*argv));
	if (!argv)
		return bw_error_nomem();
	argv[0] = bw_take(launcher);
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = strdup(o->launch.words.data[i]);
	argv[n + 1] = strdup(object);
	s->program = (struct bw_program){argv, true};
	return NULL;
}

static struct bw_error *read_file(const char *path, void **out_data, size_t *out_size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	struct stat st;
	if (!f || fstat(fileno(f), &st))
		return bw_error_errno(errno, "cannot read %s", path);
	_cleanup_free_ void *data = malloc((size_t)st.st_size + 1);
	if (!data)
		return bw_error_nomem();
	*out_size = fread(data, 1, (size_t)st.st_size, f);
	*out_data = bw_take(data);
	return NULL;
}

/* Shows the compiler's warnings about a source that it accepts, unchanged, apart from the session's
 * text. */
static void show_said(struct bw_session *s, const char *text)
{
	if (!*text)
		return;
	bw_out_begin(s->out, "event", "notice");
	bw_out_str(s->out, "kind", "compiler");
	bw_out_str(s->out, "text", text);
	bw_out_end(s->out);
	if (!bw_out_is_json(s->out))
		bw_out_printable(stderr, text);
}

/* All errors of a kernel and its options are found here, before anything starts. */
struct bw_error *bw_prepare_kernel(struct bw_session *s, struct bw_run_options *o)
{
	/* "": no GPU has been opened yet that could be asked */
	const char *gpu = *s->gfx ? s->gfx : bw_arch_default_gfx();
	_cleanup_free_ char *built = NULL;
	struct bw_str said = {0};
	BW_TRY(check_readable(o->kernel));
	if (bw_is_capture(o->kernel))
		return bw_prepare_capture(s, o->kernel, &o->compile, &o->launch);
	BW_TRY(bw_source_paths_object(bw_debug_source_paths(s->debug), o->kernel));
	if (bw_is_shader(o->kernel))
		return bw_prepare_shader(s, o->kernel, &o->compile, &o->launch);
	struct bw_error *err = bw_compile_kernel(o->kernel, gpu, &o->compile, &said, &built);
	show_said(s, bw_str_text(&said));
	bw_str_free(&said);
	BW_TRY(err);
	const char *object = built ? built : o->kernel;
	struct bw_launch_plan *plan;
	o->launch.shown = built ? o->kernel : NULL;
	BW_TRY(bw_launch_plan_make(&o->launch, object, gpu, &plan));
	if (plan->co) {
		struct bw_code_object *co = NULL;
		err = bw_code_object_load_for(object, gpu, &co);
		if (!err && built)
			err = bw_code_object_show_as(co, o->kernel);
		s->printf_object = !err && plan->printf_arg ? co : NULL;
		if (!err)
			err = bw_debug_add_code_object(s->debug, co);
		else if (co)
			bw_code_object_close(co);
	} else {
		void *code = NULL;
		size_t size = 0;
		err = read_file(object, &code, &size);
		if (!err)
			err = bw_debug_add_raw(s->debug, plan->name, code, size);
		free(code);
	}
	if (!err)
		bw_debug_set_default_kernel(s->debug, plan->name);
	if (!err && plan->printf_arg)
		s->printf_offset_b = plan->printf_arg->offset_b;
	bw_launch_plan_free(plan);
	BW_TRY(err);
	return launcher_argv(s, o, object);
}

struct bw_error *bw_prepare_program(struct bw_session *s, struct bw_run_options *o)
{
	size_t n = 0;
	while (o->program[n])
		n++;
	char **argv = calloc(n + 1, sizeof(*argv));
	if (!argv)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++)
		argv[i] = strdup(o->program[i]);
	s->program = (struct bw_program){argv, false, o->has_rocm};
	const char *named = argv[s->program.named];
	if (named && strchr(named, '/'))
		BW_TRY(bw_source_paths_object(bw_debug_source_paths(s->debug), named));
	_cleanup_error_ struct bw_error *err = bw_check_preload(named);
	if (err)
		bw_session_warn(s, err->message);
	return NULL;
}
