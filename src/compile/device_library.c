/* SPDX-License-Identifier: MIT */
/* The device library (BW_DEVICE_LIBRARY_INSTALL): bitcode with the functions of OpenCL C
 * (opencl.bc), of mathematics (ocml.bc) and of the GPU (ockl.bc), and small modules of constants
 * that say how those shall be compiled (doc/hardware/code-objects.md 5). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "compile/job.h"

struct bw_error *bw_device_library_find(const char *root, char **out_folder)
{
	static const char *const folders[] = {
		"/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
		"/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
		"/usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode",
	};
	const char *given = *root ? NULL : getenv("BREAKWATER_DEVICE_LIBRARY");
	*out_folder = NULL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(folders); i++) {
		_cleanup_free_ char *folder = NULL, *ocml = NULL;
		bool is_given = given && *given;
		if (asprintf(&folder, "%s%s", root, is_given ? given : folders[i]) < 0 ||
		    asprintf(&ocml, "%s/ocml.bc", folder) < 0)
			return bw_error_nomem();
		if (!access(ocml, R_OK)) {
			*out_folder = bw_take(folder);
			return NULL;
		}
		if (is_given)
			break;
	}
	return NULL;
}

static bool has_word(const struct bw_compile_options *o, const char *word)
{
	bw_vec_each(&o->words, w)
		if (!strcmp(*w, word))
			return true;
	return false;
}

static struct bw_error *add_module(const char *folder, const char *name, const char *variant,
				   struct bw_strings *args)
{
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s/%s%s.bc", folder, name, variant) < 0)
		return bw_error_nomem();
	const char *const words[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", path, NULL};
	return bw_strings_add_all(args, words);
}

struct bw_error *bw_device_library_add(const char *folder, const struct bw_compile_job *job,
				       bool opencl, struct bw_strings *args)
{
	const struct bw_compile_options *o = job->options;
	bool gfx9 = bw_is_gfx9(job->gpu);
	bool fast = has_word(o, "-cl-fast-relaxed-math") || has_word(o, "-ffast-math");
	bool unsafe = fast || has_word(o, "-cl-unsafe-math-optimizations");
	bool finite = fast || has_word(o, "-cl-finite-math-only");
	bool wave64 = bw_wants_wave64(job) || has_word(o, "-mwavefrontsize64");
	/* gfx942 is the second revision of gfx940.
	 * 10.3 is the last generation that version 5.2 of the library knows; what it does for it is
	 * right for gfx11, too: both have the instructions that the library chooses between. */
	const struct {
		const char *name, *variant;
	} modules[] = {
		{"ocml", ""},
		{"ockl", ""},
		{"oclc_abi_version", "_500"},
		{"oclc_isa_version", !gfx9			  ? "_1036"
				     : strcmp(job->gpu, "gfx942") ? "_902"
								  : "_940"},
		{"oclc_correctly_rounded_sqrt",
		 has_word(o, "-cl-fp32-correctly-rounded-divide-sqrt") ? "_on" : "_off"},
		{"oclc_daz_opt", has_word(o, "-cl-denorms-are-zero") ? "_on" : "_off"},
		{"oclc_finite_only", finite ? "_on" : "_off"},
		{"oclc_unsafe_math", unsafe ? "_on" : "_off"},
		{"oclc_wavefrontsize64", wave64 ? "_on" : "_off"},
	};
	/* LLVM 19 sinks v_permlanex16_b32, with which the functions on waves exchange rows of
	 * lanes, into branches that not all lanes take: it does not know that the instruction
	 * depends on EXEC. */
	static const char *const no_sinking[] = {"-mllvm", "-disable-machine-sink", NULL};
	if (opencl)
		BW_TRY(bw_strings_add_all(args, no_sinking));
	/* First what uses the others. */
	if (opencl)
		BW_TRY(add_module(folder, "opencl", "", args));
	for (size_t i = 0; i < BW_ARRAY_SIZE(modules); i++)
		BW_TRY(add_module(folder, modules[i].name, modules[i].variant, args));
	return NULL;
}
