/* SPDX-License-Identifier: MIT */
#ifndef BW_COMPILE_JOB_H
#define BW_COMPILE_JOB_H

/* One source for clang-19, by its language. */

#include <string.h>

#include "compile/compile.h"

/* One compilation. */
struct bw_compile_job {
	const char *source, *gpu;
	const char *input; /* the compiled file, if that is not the source itself; else NULL */
	const struct bw_compile_options *options;
	const char *const *last; /* arguments after the user's, up to NULL; NULL: none */
	struct bw_str *said;
	char *object; /* owned; bw_temporary_object */
};

/* "gfx942", whose waves all have 64 lanes. */
static inline bool bw_is_gfx9(const char *gpu)
{
	return strlen(gpu) == strlen("gfx942") && !strncmp(gpu, "gfx9", 4);
}
static inline bool bw_wants_wave64(const struct bw_compile_job *job)
{
	return job->options->wave64 || bw_is_gfx9(job->gpu);
}

struct bw_error *bw_compile_assembly(struct bw_compile_job *job) BW_MUST_CHECK;
struct bw_error *bw_compile_opencl(struct bw_compile_job *job) BW_MUST_CHECK;
/* Compiles HIP. It is used for C++ as well, whose kernels are __global__ functions, too. */
struct bw_error *bw_compile_hip(struct bw_compile_job *job) BW_MUST_CHECK;
struct bw_error *bw_compile_c(struct bw_compile_job *job) BW_MUST_CHECK;
struct bw_error *bw_compile_ir(struct bw_compile_job *job) BW_MUST_CHECK;

/* ---- clang.c ---- */

/* Runs clang-19 on the job, with these arguments, then the user's and job->last, before the source.
 * what: what a failure means for the source, "does not compile". */
struct bw_error *bw_clang(const struct bw_compile_job *job, const struct bw_strings *args,
			  const char *what) BW_MUST_CHECK;
/* Like bw_clang; an error also says if the device library is missing. library: its folder, or
 * NULL. */
struct bw_error *bw_clang_with_library(const struct bw_compile_job *job,
				       const struct bw_strings *args,
				       const char *library) BW_MUST_CHECK;
/* Adds the options that all languages get. */
struct bw_error *bw_clang_common(const struct bw_compile_job *job,
				 struct bw_strings *args) BW_MUST_CHECK;
/* Writes the text that is compiled before a source, beside the object. The caller owns *out_path.
 * The file's name is one that is removed with the folders of ended sessions. */
struct bw_error *bw_clang_prelude(const char *object, const unsigned char *text, size_t size_b,
				  char **out_path) BW_MUST_CHECK;

/* ---- device_library.c ---- */

/* Adds the library's modules that match the job's options and GPU, as arguments for clang. opencl:
 * with the functions of OpenCL C; otherwise only those for mathematics and the GPU. */
struct bw_error *bw_device_library_add(const char *folder, const struct bw_compile_job *job,
				       bool opencl, struct bw_strings *args) BW_MUST_CHECK;

#endif
