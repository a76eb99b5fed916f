/* SPDX-License-Identifier: MIT */
/* Compiles OpenCL C to a code object, without ROCm. Our prelude in front of the source
 * (prelude/opencl.cl) has the declarations of its headers; other functions come from the device
 * library where it is installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "compile/job.h"

/* Made by the build of prelude/. */
extern const unsigned char bw_prelude_opencl[];
extern const unsigned long bw_prelude_opencl_size;

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
				   const char *library, struct bw_strings *args)
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
	BW_TRY(bw_clang_common(job, args));
	BW_TRY(bw_strings_add_all(args, words));
	if (is_cpp) /* which has its own rules for inline functions, and refuses the option */
		free(args->data[--args->len]);
	return library ? bw_strings_add_all(args, with_library) : NULL;
}

/* These options optimize the device library, while the prelude keeps the source's functions as at
 * -O0. The DWARF places of their variables are relative to the frame pointer, which -O1 would leave
 * out. DWARF 5 of -O1 has DW_AT_call_all_calls, by which code is known to be optimized; DWARF 4
 * does not. */
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
	/* -O2, the default for sources: clang's own default for bitcode is -O0, at which
	 * LLVM refuses the library's code for older GPUs. A level of the user's comes after it. */
	static const char *const ir[] = {"-x", "ir", "-O2", "-Qunused-arguments", NULL};
	bool unoptimized = is_unoptimized(job->options);
	struct bw_strings args = {0};
	_cleanup_free_ char *bitcode = NULL;
	if (asprintf(&bitcode, "%s.bc", job->object) < 0)
		return bw_error_nomem();
	struct bw_compile_job step = *job;
	step.object = bitcode;
	step.last = unoptimized ? to_bitcode : to_bitcode_optimized;
	struct bw_error *err = add_opencl(job, include, library, &args);
	if (!err)
		err = bw_clang(&step, &args, "does not compile");
	bw_strings_free(&args);
	step = *job;
	step.input = bitcode;
	step.last = unoptimized ? library_only : NULL;
	if (!err)
		err = bw_clang_common(job, &args);
	if (!err)
		err = bw_strings_add_all(&args, ir);
	if (!err)
		err = bw_device_library_add(library, job, true, &args);
	if (!err)
		err = bw_clang(&step, &args, "does not compile");
	unlink(bitcode);
	bw_strings_free(&args);
	return err;
}

/* Compiles with the device library. */
static struct bw_error *compile_with_library(struct bw_compile_job *job, const char *include,
					     const char *library)
{
	static const char *const library_only[] = {LIBRARY_ONLY, SOURCE_AS_IT_IS, NULL};
	struct bw_strings args = {0};
	struct bw_error *err = add_opencl(job, include, library, &args);
	if (!err)
		err = bw_device_library_add(library, job, true, &args);
	if (!err)
		err = bw_clang(job, &args, "does not compile");
	if (err && strstr(err->message, "Illegal instruction detected")) {
		/* At -O0 LLVM 19 does not see that the library's code for older GPUs is never
		 * reached, and refuses it in the functions that work on a wave (sub_group_*,
		 * work_group_*). Then the library is optimized, and the source is not. */
		bw_error_free(err);
		job->last = library_only;
		err = bw_clang(job, &args, "does not compile");
	}
	/* which is an error of the linker, after those of the compiler */
	if (err && strstr(err->message, "__breakwater_printf")) {
		bw_error_free(err);
		job->last = NULL;
		err = compile_printf(job, include, library);
	}
	bw_strings_free(&args);
	return err;
}

struct bw_error *bw_compile_opencl(struct bw_compile_job *job)
{
	_cleanup_free_ char *include = NULL, *library = NULL;
	struct bw_strings args = {0};
	struct bw_error *err;
	BW_TRY(bw_device_library_find("", &library));
	BW_TRY(bw_clang_prelude(job->object, bw_prelude_opencl, bw_prelude_opencl_size, &include));
	if (library) {
		err = compile_with_library(job, include, library);
	} else {
		err = add_opencl(job, include, NULL, &args);
		if (!err)
			err = bw_clang_with_library(job, &args, NULL);
	}
	unlink(include);
	bw_strings_free(&args);
	return err;
}
