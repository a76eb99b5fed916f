/* SPDX-License-Identifier: MIT */
/* OpenCL C to a code object, with clang-19 and no library of ROCm: the functions of the work-item
 * and the barrier are written here, over clang's builtins and the hidden arguments
 * (doc/hardware/code-objects.md 2). Other functions of OpenCL's library are not there, and the
 * linker names them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/subcommands.h"

static const char prelude[] =
	"#define BW_FN __attribute__((always_inline)) static inline\n"
	"#define BW_DIM(d, f) ((d) == 0 ? f##_x() : (d) == 1 ? f##_y() : (d) == 2 ? f##_z() : 0)\n"
	"#define BW_IMPLICIT(type) ((__constant const type *)__builtin_amdgcn_implicitarg_ptr())\n"
	"BW_FN uint __bw_local_id(uint d) { return BW_DIM(d, __builtin_amdgcn_workitem_id); }\n"
	"BW_FN uint __bw_group_id(uint d) { return BW_DIM(d, __builtin_amdgcn_workgroup_id); }\n"
	"BW_FN uint __bw_num_groups(uint d) { return d < 3 ? BW_IMPLICIT(uint)[d] : 1; }\n"
	"BW_FN uint __bw_local_size(uint d) { return d < 3 ? BW_IMPLICIT(ushort)[6 + d] : 1; }\n"
	"BW_FN void __bw_barrier(void)\n"
	"{\n"
	"	__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");\n"
	"	__builtin_amdgcn_s_barrier();\n"
	"	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");\n"
	"}\n"
	"#define get_local_id(d) ((size_t)__bw_local_id(d))\n"
	"#define get_group_id(d) ((size_t)__bw_group_id(d))\n"
	"#define get_num_groups(d) ((size_t)__bw_num_groups(d))\n"
	"#define get_local_size(d) ((size_t)__bw_local_size(d))\n"
	"#define get_global_size(d) ((size_t)__bw_num_groups(d) * __bw_local_size(d))\n"
	"#define get_global_id(d) ((size_t)__bw_group_id(d) * __bw_local_size(d) + __bw_local_id(d))\n"
	"#define get_global_offset(d) ((size_t)0)\n"
	"#define barrier(flags) __bw_barrier()\n"
	"#define work_group_barrier(...) __bw_barrier()\n";

/* Beside the object; named so that removing folders of ended sessions removes it, too. */
static struct bw_error *write_prelude(const char *object, char **out_path)
{
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s.h", object) < 0)
		return bw_error_nomem();
	_cleanup_fclose_ FILE *f = fopen(path, "we");
	if (!f || fputs(prelude, f) < 0)
		return bw_errorf(BW_E_SYSTEM, "cannot write %s", path);
	*out_path = bw_take(path);
	return NULL;
}

struct bw_error *bw_cli_compile(const char *source, const char *gpu, char **out_path)
{
	_cleanup_free_ char *object = NULL, *include = NULL, *cpu = NULL;
	BW_TRY(bw_cli_temporary_object(source, &object));
	BW_TRY(write_prelude(object, &include));
	if (asprintf(&cpu, "-mcpu=%s", gpu) < 0)
		return bw_error_nomem();
	const char *const args[] = {"-x",
				    "cl",
				    "-cl-std=CL2.0",
				    "-target",
				    "amdgcn-amd-amdhsa",
				    cpu,
				    "-nogpulib",
				    "-g",
				    "-cl-kernel-arg-info",
				    "-include",
				    include,
				    source,
				    "-o",
				    object,
				    NULL};
	struct bw_error *err = bw_cli_clang(args, source, "does not compile");
	unlink(include);
	if (!err)
		*out_path = bw_take(object);
	return err;
}
