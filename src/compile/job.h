/* SPDX-License-Identifier: MIT */
#ifndef BW_COMPILE_JOB_H
#define BW_COMPILE_JOB_H

/* One source for clang-19, by its language. */

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

struct bw_error *bw_compile_assembly(struct bw_compile_job *job) BW_MUST_CHECK;
struct bw_error *bw_compile_opencl(struct bw_compile_job *job) BW_MUST_CHECK;
/* C++, too: it has the same source on this side, kernels are __global__ functions. */
struct bw_error *bw_compile_hip(struct bw_compile_job *job) BW_MUST_CHECK;
struct bw_error *bw_compile_c(struct bw_compile_job *job) BW_MUST_CHECK;
struct bw_error *bw_compile_ir(struct bw_compile_job *job) BW_MUST_CHECK;

/* ---- clang.c ---- */

/* Adds a copy of each word, up to NULL. */
struct bw_error *bw_compile_words_add(struct bw_compile_words *words,
				      const char *const *more) BW_MUST_CHECK;
void bw_compile_words_free(struct bw_compile_words *words);
/* Runs clang-19 on the job, with these arguments, the user's and the last in front of the source.
 * what: what has happened to the source when it fails, "does not compile". */
struct bw_error *bw_clang(const struct bw_compile_job *job, const struct bw_compile_words *args,
			  const char *what) BW_MUST_CHECK;
/* bw_clang, which also says that the device library is missing where it is. library: its folder or
 * NULL. */
struct bw_error *bw_clang_with_library(const struct bw_compile_job *job,
				       const struct bw_compile_words *args,
				       const char *library) BW_MUST_CHECK;
/* Options that all languages get. */
struct bw_error *bw_clang_common(const struct bw_compile_job *job,
				 struct bw_compile_words *args) BW_MUST_CHECK;
/* Writes what is in front of a source beside the object; out_path: owned. Its name is such that
 * removing the folders of ended sessions removes it, too. */
struct bw_error *bw_clang_prelude(const char *object, const unsigned char *text, size_t size_b,
				  char **out_path) BW_MUST_CHECK;

/* ---- device_library.c ---- */

/* The library's modules that fit these options, as arguments for clang. opencl: with the functions
 * of OpenCL C, else only the mathematical ones and those of the GPU. */
struct bw_error *bw_device_library_add(const char *folder, const struct bw_compile_options *o,
				       bool opencl, struct bw_compile_words *args) BW_MUST_CHECK;

#endif
