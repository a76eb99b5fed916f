/* SPDX-License-Identifier: MIT */
/* OpenCL C, HIP, C and LLVM IR to a code object, with clang-19 and without ROCm. What its headers
 * would declare is in a prelude of ours in front of the source (prelude/); functions beyond come
 * from the device library where it is installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
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

/* At -O0 LLVM 19 does not see that the device library's code for older GPUs is never reached, and
 * refuses it in the functions that work on a wave (sub_group_*, work_group_*). Then the library is
 * optimized, and the source is not. */
static struct bw_error *run_clang_again(struct bw_compile_job *job,
					const struct bw_compile_words *args, struct bw_error *err)
{
	static const char *const library_only[] = {"-O1", "-DBREAKWATER_OPTIMIZE_LIBRARY_ONLY",
						   NULL};
	if (!err || !strstr(err->message, "Illegal instruction detected"))
		return err;
	bw_error_free(err);
	job->last = library_only;
	return bw_cli_clang(job, args, "does not compile");
}

struct bw_error *bw_cli_compile_opencl(struct bw_compile_job *job)
{
	_cleanup_free_ char *include = NULL, *library = NULL;
	struct bw_compile_words args = {0};
	BW_TRY(bw_cli_find_device_library("", &library));
	BW_TRY(write_prelude(job->object, bw_prelude_opencl, bw_prelude_opencl_size, &include));
	const char *const words[] = {
		"-x", "cl", "-cl-std=CL2.0", "-cl-kernel-arg-info", "-include", include, NULL};
	struct bw_error *err = add_common(job, &args);
	if (!err)
		err = bw_compile_words_add(&args, words);
	if (!err && library)
		err = bw_cli_add_device_library(library, job->options, true, &args);
	if (!err)
		err = run_clang_again(job, &args, run_clang(job, &args, library));
	unlink(include);
	bw_compile_words_free(&args);
	return err;
}

/* HIP and C++ have the same source on this side: kernels are __global__ functions. */
struct bw_error *bw_cli_compile_hip(struct bw_compile_job *job)
{
	_cleanup_free_ char *include = NULL, *library = NULL, *arch = NULL;
	struct bw_compile_words args = {0};
	if (asprintf(&arch, "--offload-arch=%s", job->gpu) < 0)
		return bw_error_nomem();
	BW_TRY(bw_cli_find_device_library("", &library));
	BW_TRY(write_prelude(job->object, bw_prelude_hip, bw_prelude_hip_size, &include));
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
