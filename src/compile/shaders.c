/* SPDX-License-Identifier: MIT */
/* GLSL, HLSL and SPIR-V assembly become SPIR-V, by glslang and the SPIR-V tools. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "compile/job.h"
#include "compile/tool.h"
#include "sym/spirv_record.h"

enum language { GLSL, HLSL, SPIRV_TEXT, SPIRV };
enum { MAX_WORDS = 16 << 20 };
static const struct {
	const char *suffix;
	enum language language;
} suffixes[] = {{".comp", GLSL},
		{".glsl", GLSL},
		{".hlsl", HLSL},
		{".spvasm", SPIRV_TEXT},
		{".spv", SPIRV}};

static bool language_of(const char *path, enum language *out)
{
	size_t n = strlen(path);
	for (size_t i = 0; i < BW_ARRAY_SIZE(suffixes); i++) {
		size_t m = strlen(suffixes[i].suffix);
		if (n <= m || strcmp(path + n - m, suffixes[i].suffix) != 0)
			continue;
		*out = suffixes[i].language;
		return true;
	}
	return false;
}

bool bw_is_shader(const char *path)
{
	enum language unused;
	return language_of(path, &unused);
}

/* ---- Compiling ---- */

static bool is_for_glslang(const char *word)
{
	return word[0] == '-' && word[1] && strchr("DUI", word[1]);
}

/* Whether the shader gets a record of its variables (sym/spirv_record.h): with -O0. */
static bool wants_record(const struct bw_compile_options *o)
{
	bw_vec_each(&o->words, w)
		if (!strcmp(*w, "-O0"))
			return true;
	return false;
}

/* -D, -U and -I, each with its value in one word, as glslang wants them. */
static struct bw_error *add_user_words(struct bw_strings *out, const char *source,
				       const struct bw_compile_options *o)
{
	for (size_t i = 0; i < o->words.len; i++) {
		_cleanup_free_ char *joined = NULL;
		const char *word = o->words.data[i];
		if (!strcmp(word, "-O0"))
			continue;
		if (!is_for_glslang(word))
			return bw_errorf(BW_E_INVALID,
					 "%s is for kernels; %s is compiled by the Vulkan driver%s",
					 word, source,
					 bw_starts_with(word, "-O")
						 ? " (-O0 keeps its variables in memory)"
						 : "");
		if (!word[2] && i + 1 < o->words.len &&
		    asprintf(&joined, "%s%s", word, o->words.data[++i]) < 0)
			return bw_error_nomem();
		BW_TRY(bw_strings_add_all(out,
					  (const char *const[]){joined ? joined : word, NULL}));
	}
	if (o->wave64)
		return bw_errorf(BW_E_INVALID,
				 "--wave64 is for kernels; the driver chooses a shader's waves "
				 "(RADV_PERFTEST=cswave32)");
	return NULL;
}

/* as_written: of HLSL, all functions and variables; glslang would inline and remove them. */
static struct bw_error *add_words(struct bw_strings *out, enum language language,
				  const char *source, const char *entry, bool as_written)
{
	static const char *const names[] = {[GLSL] = "glslangValidator",
					    [HLSL] = "glslangValidator",
					    [SPIRV_TEXT] = "spirv-as"};
	_cleanup_free_ char *include = NULL;
	const char *slash = strrchr(source, '/');
	if (asprintf(&include, "-I%.*s", slash ? (int)(slash - source) : 1, slash ? source : ".") <
	    0)
		return bw_error_nomem();
	/* glslang's output for HLSL has decorations that SPIR-V 1.4 and later do not have */
	BW_TRY(bw_strings_add_all(
		out, (const char *const[]){names[language], "--target-env",
					   language == HLSL ? "vulkan1.1" : "vulkan1.3", NULL}));
	if (language == SPIRV_TEXT)
		return NULL;
	/* -g: source lines, for drivers that pass them on */
	BW_TRY(bw_strings_add_all(
		out, (const char *const[]){"-V", "--quiet", "-g", "-S", "comp", include, NULL}));
	return language == HLSL
		       ? bw_strings_add_all(out,
					    (const char *const[]){"-D", "-e", entry,
								  as_written ? "-Od" : NULL, NULL})
		       : NULL;
}

static struct bw_error *run_compiler(struct bw_strings *words, enum language language,
				     const char *source, const char *object)
{
	BW_TRY(bw_strings_add_all(words, (const char *const[]){source, "-o", object, NULL}));
	BW_TRY(bw_vec_push(words, NULL)); /* argv ends so */
	const struct bw_tool tool = {.source = source,
				     .what = "does not compile",
				     .package = language == SPIRV_TEXT ? "spirv-tools"
								       : "glslang-tools"};
	return bw_tool_run((const char *const *)words->data, &tool);
}

struct job {
	const char *source, *entry;
	enum language language;
	const struct bw_compile_options *options;
};

static struct bw_error *compile(const struct job *job, bool as_written, char **out_path)
{
	_cleanup_(bw_strings_free) struct bw_strings words = {0};
	_cleanup_free_ char *path = NULL;
	BW_TRY(bw_temporary_file(job->source, ".spv", &path));
	BW_TRY(add_words(&words, job->language, job->source, job->entry, as_written));
	BW_TRY(add_user_words(&words, job->source, job->options));
	BW_TRY(run_compiler(&words, job->language, job->source, path));
	*out_path = bw_take(path);
	return NULL;
}

/* HLSL as it is written is SPIR-V that drivers take, unless its functions have arguments that are
 * buffers, textures and the like. */
static struct bw_error *compile_as_written(const struct job *job, char **out_path)
{
	_cleanup_free_ char *path = NULL;
	BW_TRY(compile(job, true, &path));
	const char *const words[] = {"spirv-val", "--target-env", "vulkan1.1", path, NULL};
	const struct bw_tool tool = {.source = job->source,
				     .what = "must be changed before a driver takes it",
				     .package = "spirv-tools"};
	struct bw_error *err = bw_tool_run(words, &tool);
	if (err)
		unlink(path); /* its name, which is the shader's, is free again */
	else
		*out_path = bw_take(path);
	return err;
}

static struct bw_error *compile_shader(const char *source, const char *entry,
				       const struct bw_compile_options *o, char **out_path,
				       bool *out_is_optimized)
{
	struct job job = {source, entry, SPIRV, o};
	*out_path = NULL;
	*out_is_optimized = false;
	if (language_of(source, &job.language) && job.language == HLSL && wants_record(o)) {
		_cleanup_error_ struct bw_error *err = compile_as_written(&job, out_path);
		if (!err)
			return NULL;
		*out_is_optimized = true;
	}
	if (job.language != SPIRV)
		return compile(&job, false, out_path);
	bw_vec_each(&o->words, w)
		if (strcmp(*w, "-O0") != 0)
			return bw_errorf(BW_E_INVALID,
					 "%s is for source text; %s is compiled already", *w,
					 source);
	if (o->wave64)
		return bw_errorf(BW_E_INVALID, "--wave64 is for kernels; %s is compiled already",
				 source);
	return NULL;
}

struct bw_error *bw_compile_shader(const char *source, const char *entry,
				   const struct bw_compile_options *o, char **out_path)
{
	bool unused;
	return compile_shader(source, entry, o, out_path, &unused);
}

/* ---- The record of variables ---- */

struct bw_error *bw_spirv_words_read(const char *path, struct bw_spirv_words *out)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	struct bw_error *err = NULL;
	uint32_t word;
	if (!f)
		return bw_error_errno(errno, "cannot open %s", path);
	while (!err && out->len < MAX_WORDS && fread(&word, sizeof(word), 1, f))
		err = bw_vec_push(out, word);
	return err;
}

static struct bw_error *write_words(const char *path, const struct bw_spirv_words *words)
{
	_cleanup_fclose_ FILE *f = fopen(path, "wbe");
	if (!f || fwrite(words->data, sizeof(*words->data), words->len, f) != words->len ||
	    fflush(f))
		return bw_error_errno(errno, "cannot write %s", path);
	return NULL;
}

/* Makes the shader keep a record of its variables. Where out->path is NULL its SPIR-V is the source
 * itself, and the path becomes that of a new file. */
static struct bw_error *add_record(const char *source, struct bw_compiled_shader *out)
{
	struct bw_spirv_words words = {0}, recorded = {0};
	struct bw_error *err = bw_spirv_words_read(out->path ? out->path : source, &words);
	if (!err && words.len == MAX_WORDS)
		err = bw_errorf(BW_E_UNSUPPORTED, "%s is too large", source);
	struct bw_error *why = err ? NULL : bw_spirv_record(words.data, words.len, &recorded);
	if (why && why->code != BW_E_INVALID && why->code != BW_E_UNSUPPORTED)
		err = bw_take(why);
	if (why && !(out->not_noting = strdup(why->message)))
		err = err ? err : bw_error_nomem();
	bw_error_free(why);
	const bool notes_any = !err && recorded.len;
	if (notes_any && !out->path)
		err = bw_temporary_file(source, ".spv", &out->path);
	if (notes_any && !err)
		err = write_words(out->path, &recorded);
	bw_vec_free(&words);
	bw_vec_free(&recorded);
	return err;
}

struct bw_error *bw_compile_shader_noting(const char *source, const char *entry,
					  const struct bw_compile_options *o,
					  struct bw_compiled_shader *out)
{
	*out = (struct bw_compiled_shader){0};
	struct bw_error *err = compile_shader(source, entry, o, &out->path, &out->is_optimized);
	if (!err && wants_record(o))
		err = add_record(source, out);
	if (err)
		bw_compiled_shader_fini(out);
	return err;
}

void bw_compiled_shader_fini(struct bw_compiled_shader *s)
{
	free(s->path);
	free(s->not_noting);
	*s = (struct bw_compiled_shader){0};
}
