/* SPDX-License-Identifier: MIT */
/* The languages of kernels, by the names of their files. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "compile/job.h"
#include "compile/tool.h"

#define KERNELS                                                                                    \
	".s, .cl, .hip, .cpp, .c, .ll, .bc, .co, .hsaco, .bin, .comp, .hlsl, .spv or .spvasm"

static const struct language {
	const char *suffix, *name;
	struct bw_error *(*build)(struct bw_compile_job *job); /* NULL: not supported */
} languages[] = {
	{".s", "assembly", bw_compile_assembly},
	{".S", "assembly", bw_compile_assembly},
	{".cl", "OpenCL C", bw_compile_opencl},
	{".hip", "HIP", bw_compile_hip},
	{".cpp", "C++", bw_compile_hip},
	{".cc", "C++", bw_compile_hip},
	{".cxx", "C++", bw_compile_hip},
	{".c", "C", bw_compile_c},
	{".ll", "LLVM IR", bw_compile_ir},
	{".bc", "LLVM bitcode", bw_compile_ir},
	{".cu", "CUDA", NULL},
};

static const struct language *language_of(const char *kernel)
{
	size_t n = strlen(kernel);
	for (size_t i = 0; i < BW_ARRAY_SIZE(languages); i++) {
		size_t m = strlen(languages[i].suffix);
		if (n > m && !strcmp(kernel + n - m, languages[i].suffix))
			return &languages[i];
	}
	return NULL;
}

bool bw_is_kernel(const char *path)
{
	static const char *const compiled[] = {".co", ".hsaco", ".bin"};
	size_t n = strlen(path);
	for (size_t i = 0; i < BW_ARRAY_SIZE(compiled); i++) {
		size_t m = strlen(compiled[i]);
		if (n > m && !strcmp(path + n - m, compiled[i]))
			return true;
	}
	return language_of(path) != NULL;
}

struct bw_error *bw_compile_kernel(const char *kernel, const char *gpu,
				   const struct bw_compile_options *o, struct bw_str *said,
				   char **out_path)
{
	const struct language *l = language_of(kernel);
	if (!l && o->first)
		return bw_errorf(BW_E_INVALID,
				 "%s is for kernels that are source text; %s is compiled already",
				 o->first, kernel);
	if (!l) {
		*out_path = NULL;
		return NULL;
	}
	if (!l->build)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s: %s is not supported yet; a kernel is " KERNELS, kernel,
				 l->name);
	struct bw_compile_job job = {.source = kernel, .gpu = gpu, .options = o, .said = said};
	BW_TRY(bw_temporary_object(kernel, &job.object));
	struct bw_error *err = l->build(&job);
	if (err)
		free(job.object);
	else
		*out_path = job.object;
	return err;
}
