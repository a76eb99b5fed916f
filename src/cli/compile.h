/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_COMPILE_H
#define BW_CLI_COMPILE_H

/* Kernels as source text: which languages `breakwater run` takes, the options that it hands to the
 * compiler, and the code object that clang-19 makes of them, in a temporary folder that goes away
 * with the process. One thread. */

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

struct bw_compile_words BW_VEC(char *);

struct bw_compile_options {
	struct bw_compile_words words; /* for clang, in the order given; owned */
	const char *first;	       /* as the user wrote it; borrowed from argv; NULL: none */
	bool wave64;
};

/* ---- languages.c ---- */

/* If argv[*index] is an option for the compiler, takes it with its value, moves *index behind it
 * and sets *out_taken; else leaves all as it is. */
struct bw_error *bw_compile_options_take(struct bw_compile_options *o, int argc, char *const *argv,
					 int *index, bool *out_taken) BW_MUST_CHECK;
void bw_compile_options_fini(struct bw_compile_options *o);
extern const char bw_compile_options_help[];

/* Whether the name of a file is that of a kernel, in a language that is known or compiled. */
bool bw_cli_is_kernel(const char *path);
/* Makes a code object of the kernel where it is source text. gpu: "gfx1100". out_path: owned; NULL
 * where the kernel is one already. What the compiler says about a source that it takes is added to
 * `said`; what it says about another one is part of the error. */
struct bw_error *bw_cli_build_kernel(const char *kernel, const char *gpu,
				     const struct bw_compile_options *o, struct bw_str *said,
				     char **out_path) BW_MUST_CHECK;

/* ---- assemble.c ---- */

/* What is to be compiled, and where to. */
struct bw_compile_job {
	const char *source, *gpu;
	const char *input; /* what is compiled where that is not the source itself; else NULL */
	const struct bw_compile_options *options;
	const char *const *last; /* arguments behind the user's, up to NULL; NULL: none */
	struct bw_str *said;
	char *object; /* owned; bw_cli_temporary_object */
};

struct bw_error *bw_cli_assemble(struct bw_compile_job *job) BW_MUST_CHECK;

/* Path for the object made from this source; owned, in the temporary folder. */
struct bw_error *bw_cli_temporary_object(const char *source, char **out_path) BW_MUST_CHECK;
/* The same with another suffix than ".co". */
struct bw_error *bw_cli_temporary_file(const char *source, const char *suffix,
				       char **out_path) BW_MUST_CHECK;
/* A program that makes something of a source. */
struct bw_tool {
	const char *source;
	const char *what;    /* has happened to the source when it fails: "does not compile" */
	const char *package; /* that has the program; NULL: it is ours, and what it says is about
			      * the source */
	struct bw_str *said; /* what it says of a source that it takes; NULL: not wanted */
};
/* Runs argv[0], which is looked for in PATH. What it says of a source that it does not take is part
 * of the error. */
struct bw_error *bw_cli_run_tool(const char *const *argv, const struct bw_tool *tool) BW_MUST_CHECK;
/* Runs clang-19 on the job, with these arguments, the user's and the last in front of the source.
 * what: what has happened to the source when it fails, "does not compile". */
struct bw_error *bw_cli_clang(const struct bw_compile_job *job, const struct bw_compile_words *args,
			      const char *what) BW_MUST_CHECK;
/* Adds a copy of each word, up to NULL. */
struct bw_error *bw_compile_words_add(struct bw_compile_words *words,
				      const char *const *more) BW_MUST_CHECK;
void bw_compile_words_free(struct bw_compile_words *words);

/* ---- compile.c ---- */

struct bw_error *bw_cli_compile_opencl(struct bw_compile_job *job) BW_MUST_CHECK;
struct bw_error *bw_cli_compile_hip(struct bw_compile_job *job) BW_MUST_CHECK;
struct bw_error *bw_cli_compile_c(struct bw_compile_job *job) BW_MUST_CHECK;
struct bw_error *bw_cli_compile_ir(struct bw_compile_job *job) BW_MUST_CHECK;

/* ---- device_library.c ---- */

/* The folder with the bitcode of the device library (Debian package rocm-device-libs); owned; NULL:
 * it is not installed. root: "" or the file tree to look in, for doctor. */
struct bw_error *bw_cli_find_device_library(const char *root, char **out_folder) BW_MUST_CHECK;
/* The library's modules that fit these options, as arguments for clang. opencl: with the functions
 * of OpenCL C, else only the mathematical ones and those of the GPU. */
struct bw_error *bw_cli_add_device_library(const char *folder, const struct bw_compile_options *o,
					   bool opencl,
					   struct bw_compile_words *args) BW_MUST_CHECK;

#endif
