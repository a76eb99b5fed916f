/* SPDX-License-Identifier: MIT */
/* OpenCL C, HIP, C and LLVM IR to a code object, with clang-19 and without ROCm. What its headers
 * would declare is in a prelude of ours in front of the source (prelude/); functions beyond come
 * from the device library where it is installed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/util.h"
#include "cli/compile.h"

/* Made by the build of prelude/. */
extern const unsigned char bw_prelude_opencl[], bw_prelude_hip[];
extern const unsigned long bw_prelude_opencl_size, bw_prelude_hip_size;

/* Beside the object; named so that removing folders of ended sessions removes it, too. */
static struct bw_error *write_prelude(const char *object, const unsigned char *text, size_t size_b,
				      char **out_path)
{
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s.h", object) < 0)
		return bw_error_nomem();
	_cleanup_fclose_ FILE *f = fopen(path, "we");
	if (!f || fwrite(text, 1, size_b, f) != size_b || fflush(f))
		return bw_errorf(BW_E_SYSTEM, "cannot write %s", path);
	*out_path = bw_take(path);
	return NULL;
}

/* Runs clang, and says what is missing where the device library is. library: NULL or its folder. */
static struct bw_error *run_clang(const struct bw_compile_job *job,
				  const struct bw_compile_words *args, const char *library)
{
	struct bw_error *err = bw_cli_clang(job, args, "does not compile");
	if (!err || library || !strstr(err->message, "undefined"))
		return err;
	struct bw_error *more = bw_errorf(
		err->code,
		"%s\nThe device library, which has the functions of OpenCL C and of mathematics, is not "
		"installed: apt-get install rocm-device-libs",
		err->message);
	bw_error_free(err);
	return more;
}

/* Options that all languages get. */
static struct bw_error *add_common(const struct bw_compile_job *job, struct bw_compile_words *args)
{
	_cleanup_free_ char *cpu = NULL;
	if (asprintf(&cpu, "-mcpu=%s", job->gpu) < 0)
		return bw_error_nomem();
	const char *const words[] = {
		"-target", "amdgcn-amd-amdhsa",
		cpu,	   "-nogpulib",
		"-g",	   job->options->wave64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64",
		NULL};
	return bw_compile_words_add(args, words);
}

/* The level is the last that is given. */
static bool is_unoptimized(const struct bw_compile_options *o)
{
	bool result = false;
	bw_vec_each(&o->words, w) {
		if (bw_starts_with(*w, "-O"))
			result = !strcmp(*w, "-O0");
		else if (!strcmp(*w, "-cl-opt-disable"))
			result = true;
	}
	return result;
}

static struct bw_error *add_opencl(const struct bw_compile_job *job, const char *include,
				   const char *library, struct bw_compile_words *args)
{
	static const char *const with_library[] = {"-DBREAKWATER_DEVICE_LIBRARY", NULL};
	/* Sources have `inline` functions without `static`, and mean functions that are there: C99
	 * has none of them where they are not inlined. */
	const char *const words[] = {"-x",	 "cl",	  "-cl-std=CL2.0",  "-cl-kernel-arg-info",
				     "-include", include, "-fgnu89-inline", NULL};
	bool is_cpp = false;
	bw_vec_each(&job->options->words, w)
		is_cpp |=
			bw_starts_with(*w, "-cl-std=clc++") || bw_starts_with(*w, "-cl-std=CLC++");
	BW_TRY(add_common(job, args));
	BW_TRY(bw_compile_words_add(args, words));
	if (is_cpp) /* which has its own rules for inline functions, and refuses the option */
		free(args->data[--args->len]);
	return library ? bw_compile_words_add(args, with_library) : NULL;
}

/* With these the device library is optimized and the source, whose functions the prelude keeps as
 * they are, is as at -O0. Its variables lie where DWARF says relative to the frame pointer, which
 * -O1 would leave out. DWARF 5 of -O1 has DW_AT_call_all_calls, by which code is known to be
 * optimized; DWARF 4 does not. */
#define LIBRARY_ONLY "-O1", "-fno-omit-frame-pointer", "-gdwarf-4"
#define SOURCE_AS_IT_IS "-DBREAKWATER_OPTIMIZE_LIBRARY_ONLY"

/* A source that calls printf, with the library: LLVM must have replaced the calls before it sees
 * the library. So the source becomes bitcode first, and that is linked with the library. */
static struct bw_error *compile_printf(struct bw_compile_job *job, const char *include,
				       const char *library)
{
	static const char *const to_bitcode[] = {
		"-DBREAKWATER_PRINTF", "-c", "-emit-llvm", LIBRARY_ONLY, SOURCE_AS_IT_IS, NULL};
	static const char *const to_bitcode_optimized[] = {"-DBREAKWATER_PRINTF", "-c",
							   "-emit-llvm", NULL};
	static const char *const library_only[] = {LIBRARY_ONLY, NULL};
	static const char *const ir[] = {"-x", "ir", "-Qunused-arguments", NULL};
	bool unoptimized = is_unoptimized(job->options);
	struct bw_compile_words args = {0};
	_cleanup_free_ char *bitcode = NULL;
	if (asprintf(&bitcode, "%s.bc", job->object) < 0)
		return bw_error_nomem();
	struct bw_compile_job step = *job;
	step.object = bitcode;
	step.last = unoptimized ? to_bitcode : to_bitcode_optimized;
	struct bw_error *err = add_opencl(job, include, library, &args);
	if (!err)
		err = bw_cli_clang(&step, &args, "does not compile");
	bw_compile_words_free(&args);
	step = *job;
	step.input = bitcode;
	step.last = unoptimized ? library_only : NULL;
	if (!err)
		err = add_common(job, &args);
	if (!err)
		err = bw_compile_words_add(&args, ir);
	if (!err)
		err = bw_cli_add_device_library(library, job->options, true, &args);
	if (!err)
		err = bw_cli_clang(&step, &args, "does not compile");
	unlink(bitcode);
	bw_compile_words_free(&args);
	return err;
}

/* With the device library. */
static struct bw_error *compile_with_library(struct bw_compile_job *job, const char *include,
					     const char *library)
{
	static const char *const library_only[] = {LIBRARY_ONLY, SOURCE_AS_IT_IS, NULL};
	struct bw_compile_words args = {0};
	struct bw_error *err = add_opencl(job, include, library, &args);
	if (!err)
		err = bw_cli_add_device_library(library, job->options, true, &args);
	if (!err)
		err = bw_cli_clang(job, &args, "does not compile");
	if (err && strstr(err->message, "Illegal instruction detected")) {
		/* At -O0 LLVM 19 does not see that the library's code for older GPUs is never
		 * reached, and refuses it in the functions that work on a wave (sub_group_*,
		 * work_group_*). Then the library is optimized, and the source is not. */
		bw_error_free(err);
		job->last = library_only;
		err = bw_cli_clang(job, &args, "does not compile");
	}
	/* which is an error of the linker, after those of the compiler */
	if (err && strstr(err->message, "__breakwater_printf")) {
		bw_error_free(err);
		job->last = NULL;
		err = compile_printf(job, include, library);
	}
	bw_compile_words_free(&args);
	return err;
}

struct bw_error *bw_cli_compile_opencl(struct bw_compile_job *job)
{
	_cleanup_free_ char *include = NULL, *library = NULL;
	struct bw_compile_words args = {0};
	struct bw_error *err;
	BW_TRY(bw_cli_find_device_library("", &library));
	BW_TRY(write_prelude(job->object, bw_prelude_opencl, bw_prelude_opencl_size, &include));
	if (library) {
		err = compile_with_library(job, include, library);
	} else {
		err = add_opencl(job, include, NULL, &args);
		if (!err)
			err = run_clang(job, &args, NULL);
	}
	unlink(include);
	bw_compile_words_free(&args);
	return err;
}

static struct bw_error *write_header(const char *folder, const char *name, const char *text)
{
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return bw_error_nomem();
	_cleanup_fclose_ FILE *f = fopen(path, "we");
	if (!f || fputs(text, f) < 0 || fflush(f))
		return bw_error_errno(errno, "cannot write %s", path);
	return NULL;
}

/* A folder with an empty hip/hip_runtime.h, for sources that include it: its words are in the
 * prelude. And one in it with the assert.h that the prelude has the rest of, to be found before
 * the system's, which is the host's. Beside the object, and removed with it. */
static struct bw_error *make_headers(const char *object, char **out_folder, char **out_first)
{
	static const char assert_h[] = "#undef assert\n"
				       "#ifdef NDEBUG\n"
				       "#define assert(condition) ((void)0)\n"
				       "#else\n"
				       "#define assert(condition) BW_ASSERT(condition)\n"
				       "#endif\n";
	_cleanup_free_ char *folder = NULL, *hip = NULL, *first = NULL;
	if (asprintf(&folder, "%s.d", object) < 0 || asprintf(&hip, "%s/hip", folder) < 0 ||
	    asprintf(&first, "%s/first", folder) < 0)
		return bw_error_nomem();
	if (mkdir(folder, 0700) || mkdir(hip, 0700) || mkdir(first, 0700))
		return bw_error_errno(errno, "cannot make folders in %s", folder);
	BW_TRY(write_header(hip, "hip_runtime.h", ""));
	BW_TRY(write_header(first, "assert.h", assert_h));
	*out_folder = bw_take(folder);
	*out_first = bw_take(first);
	return NULL;
}

/* HIP and C++ have the same source on this side: kernels are __global__ functions. */
struct bw_error *bw_cli_compile_hip(struct bw_compile_job *job)
{
	_cleanup_free_ char *include = NULL, *library = NULL, *arch = NULL, *headers = NULL,
			    *first = NULL;
	struct bw_compile_words args = {0};
	if (asprintf(&arch, "--offload-arch=%s", job->gpu) < 0)
		return bw_error_nomem();
	BW_TRY(bw_cli_find_device_library("", &library));
	BW_TRY(write_prelude(job->object, bw_prelude_hip, bw_prelude_hip_size, &include));
	BW_TRY(make_headers(job->object, &headers, &first));
	const char *const words[] = {"-x",
				     "hip",
				     arch,
				     "--offload-device-only",
				     "--no-gpu-bundle-output",
				     "-nogpulib",
				     "-nogpuinc",
				     "-fhip-kernel-arg-name",
				     "-g",
				     "-O2",
				     job->options->wave64 ? "-mwavefrontsize64"
							  : "-mno-wavefrontsize64",
				     "-include",
				     include,
				     "-isystem",
				     first,
				     "-idirafter",
				     headers,
				     NULL};
	static const char *const has_library[] = {"-DBREAKWATER_DEVICE_LIBRARY", NULL};
	struct bw_error *err = bw_compile_words_add(&args, words);
	if (!err && library)
		err = bw_compile_words_add(&args, has_library);
	if (!err && library)
		err = bw_cli_add_device_library(library, job->options, false, &args);
	if (!err)
		err = run_clang(job, &args, library);
	unlink(include);
	bw_folder_remove_tree(headers);
	bw_compile_words_free(&args);
	return err;
}

static struct bw_error *compile_as(const struct bw_compile_job *job, const char *language)
{
	struct bw_compile_words args = {0};
	const char *const words[] = {"-x", language, NULL};
	struct bw_error *err = add_common(job, &args);
	if (!err)
		err = bw_compile_words_add(&args, words);
	if (!err)
		err = run_clang(job, &args, "");
	bw_compile_words_free(&args);
	return err;
}

struct bw_error *bw_cli_compile_c(struct bw_compile_job *job)
{
	return compile_as(job, "c");
}

struct bw_error *bw_cli_compile_ir(struct bw_compile_job *job)
{
	return compile_as(job, "ir");
}
