/* SPDX-License-Identifier: MIT */
/* HIP and C++ to a code object, without ROCm: prelude/kernel.hip and empty headers take the place
 * of HIP's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/util.h"
#include "compile/job.h"

/* Made by the build of prelude/. */
extern const unsigned char bw_prelude_hip[];
extern const unsigned long bw_prelude_hip_size;

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

/* Whether the source has a program around its kernels. Looks at its first megabyte. */
static bool has_main(const char *path)
{
	enum { LOOK_B = 1 << 20 };
	_cleanup_free_ char *text = malloc(LOOK_B + 1);
	_cleanup_fclose_ FILE *f = text ? fopen(path, "re") : NULL;
	if (!f)
		return false;
	text[fread(text, 1, LOOK_B, f)] = '\0';
	return strstr(text, "int main(");
}

/* The error, with what to do where the source is a whole program of HIP. */
static struct bw_error *explain(struct bw_error *err, const char *source)
{
	if (!err || !has_main(source))
		return err;
	struct bw_error *more = bw_errorf(
		err->code,
		"%s\nThe file has the program, too, and is compiled for the GPU alone here. To debug all of it: \"breakwater exec --rocm -- hipcc -g -o program %s\", then \"breakwater run -- ./program\"",
		err->message, source);
	bw_error_free(err);
	return more;
}

/* HIP and C++ have the same source on this side: kernels are __global__ functions. */
struct bw_error *bw_compile_hip(struct bw_compile_job *job)
{
	_cleanup_free_ char *include = NULL, *library = NULL, *arch = NULL, *headers = NULL,
			    *first = NULL;
	struct bw_strings args = {0};
	if (asprintf(&arch, "--offload-arch=%s", job->gpu) < 0)
		return bw_error_nomem();
	BW_TRY(bw_device_library_find("", &library));
	BW_TRY(bw_clang_prelude(job->object, bw_prelude_hip, bw_prelude_hip_size, &include));
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
				     bw_wants_wave64(job) ? "-mwavefrontsize64"
							  : "-mno-wavefrontsize64",
				     "-include",
				     include,
				     "-isystem",
				     first,
				     "-idirafter",
				     headers,
				     NULL};
	static const char *const has_library[] = {"-DBREAKWATER_DEVICE_LIBRARY", NULL};
	struct bw_error *err = bw_strings_add_all(&args, words);
	if (!err && library)
		err = bw_strings_add_all(&args, has_library);
	if (!err && library)
		err = bw_device_library_add(library, job, false, &args);
	if (!err)
		err = explain(bw_clang_with_library(job, &args, library), job->source);
	unlink(include);
	bw_folder_remove_tree(headers);
	bw_strings_free(&args);
	return err;
}
