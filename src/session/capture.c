/* SPDX-License-Identifier: MIT */
/* Makes a capture the program of a session: breakwater-replay runs it again. */
#include "session/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "capture/reader.h"
#include "compile/compile.h"
#include "kmd/kmd.h"
#include "launch/options.h"
#include "wire/vgpu_models.h"
#include "wire/vgpu_proto.h"

bool bw_is_capture(const char *path)
{
	size_t n = strlen(path);
	return n > 4 && !strcmp(path + n - 4, ".bwc");
}

/* A GPU that is there already is what it is. */
static bool is_any_virtual(const char *gpu)
{
	return (!gpu || !strcmp(gpu, "virtual")) && !getenv(BW_VGPU_SOCKET_ENV) &&
	       bw_kmd_means_virtual(gpu);
}

const char *bw_capture_gpu(const char *path, const char *gpu)
{
	struct bw_capture_reader *r = NULL;
	char gfx[24] = "";
	if (!is_any_virtual(gpu))
		return gpu;
	_cleanup_error_ struct bw_error *err = bw_capture_reader_open(path, &r);
	if (!err)
		bw_arch_gfx_name(bw_capture_reader_device(r)->gc_version, gfx, sizeof(gfx));
	bw_capture_reader_close(r);
	const char *choice = bw_vgpu_choice_of_gfx(gfx);
	return choice ? choice : gpu;
}

/* Tells which memory the capture does not hold. If the file cannot be read, the replay reports
 * that. */
static void tell_not_held(struct bw_session *s, const char *path)
{
	char text[512];
	struct bw_capture_reader *r = NULL;
	_cleanup_error_ struct bw_error *err = bw_capture_reader_open(path, &r);
	uint32_t version = err ? BW_CAPTURE_VERSION_GIVEN : bw_capture_reader_version(r);
	bw_capture_reader_close(r);
	if (version >= BW_CAPTURE_VERSION_GIVEN)
		return;
	snprintf(
		text, sizeof(text),
		"%s is of version %u, which does not hold push constants, bound buffers, arguments "
		"of OpenCL kernels or names of buffers: they are not known here, and are in a new "
		"capture of the program",
		path, version);
	bw_session_warn(s, text);
}

struct bw_error *bw_prepare_capture(struct bw_session *s, const char *path,
				    const struct bw_compile_options *compile,
				    const struct bw_launch_options *launch)
{
	const char *other = launch->words.len ? launch->words.data[0] : compile->first;
	_cleanup_free_ char *program = NULL;
	if (other)
		return bw_errorf(BW_E_INVALID, "%s is for kernels; %s is a capture", other, path);
	BW_TRY(bw_kmd_find_part("breakwater-replay", &program));
	tell_not_held(s, path);
	/* A submission may be stopped for as long as the user looks at it. */
	const char *const words[] = {program, "--timeout", "86400", path};
	char **argv = calloc(BW_ARRAY_SIZE(words) + 1, sizeof(*argv));
	if (!argv)
		return bw_error_nomem();
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		argv[i] = strdup(words[i]);
	s->program = (struct bw_program){argv, false};
	return NULL;
}
