/* SPDX-License-Identifier: MIT */
/* breakwater-launch-shader runs a shader's SPIR-V through Vulkan. */
#include "session/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "compile/tool.h"
#include "sym/spirv_record.h"

static void tell_optimized(struct bw_session *s, const char *source)
{
	char text[512];
	snprintf(text, sizeof(text),
		 "[%s is optimized in spite of -O0: spirv-val (Debian package spirv-tools) does "
		 "not take what glslang makes of it otherwise. Its functions may have buffers or "
		 "textures as arguments]",
		 source);
	bw_session_say(s, "said", text);
}

/* Tells the user that the shader runs unchanged, and does not record its variables. */
static void tell_not_noting(struct bw_session *s, const char *source, const char *why)
{
	char text[512];
	snprintf(text, sizeof(text),
		 "Warning: %s does not note its variables and lines in spite of -O0: %s", source,
		 why);
	bw_session_say(s, "warning", text);
}

/* The debugger learns the names of its sources, which can be listed before it runs. */
static struct bw_error *learn_sources(struct bw_debug *d, const char *spirv)
{
	struct bw_spirv_words words = {0};
	struct bw_error *err = bw_spirv_words_read(spirv, &words);
	if (!err)
		err = bw_debug_set_shader(d, words.data, words.len);
	bw_vec_free(&words);
	return err;
}

/* ---- The launcher ---- */

/* The launcher's words are tried at once with --check, so that errors of the shader and its options
 * come before anything starts. */
static struct bw_error *check(char **argv, const char *source)
{
	size_t n = 0;
	while (argv[n])
		n++;
	_cleanup_free_ const char **words = calloc(n + 2, sizeof(*words));
	if (!words)
		return bw_error_nomem();
	words[0] = argv[0];
	words[1] = "--check";
	for (size_t i = 1; i < n; i++)
		words[i + 1] = argv[i];
	const struct bw_tool tool = {.source = source};
	return bw_tool_run(words, &tool);
}

struct bw_error *bw_prepare_shader(struct bw_session *s, const char *source,
				   const struct bw_compile_options *compile_options,
				   const struct bw_launch_options *launch)
{
	_cleanup_free_ char *launcher = NULL;
	_cleanup_(bw_compiled_shader_fini) struct bw_compiled_shader shader = {0};
	const char *entry = launch->kernel ? launch->kernel : "main";
	struct bw_error *err = bw_kmd_find_part("breakwater-launch-shader", &launcher);
	if (bw_error_catch(&err, BW_E_NOT_FOUND))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s: this Breakwater was built without shaders (Debian packages "
				 "libvulkan-dev and libspirv-cross-c-shared-dev)",
				 source);
	BW_TRY(err);
	BW_TRY(bw_compile_shader_noting(source, entry, compile_options, &shader));
	if (shader.is_optimized)
		tell_optimized(s, source);
	if (shader.not_noting)
		tell_not_noting(s, source, shader.not_noting);
	const char *spirv = shader.path ? shader.path : source;
	size_t n = launch->words.len, at = 0;
	char **argv = calloc(n + 3, sizeof(*argv));
	if (!argv)
		return bw_error_nomem();
	argv[at++] = bw_take(launcher);
	for (size_t i = 0; i < n; i++)
		argv[at++] = strdup(launch->words.data[i]);
	argv[at++] = strdup(spirv);
	s->program = (struct bw_program){argv, false};
	BW_TRY(check(argv, source));
	return learn_sources(s->debug, spirv);
}
