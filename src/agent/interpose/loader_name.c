/* SPDX-License-Identifier: MIT */
/* A program that is started by naming its dynamic linker, as rocm-run does, has the linker's name
 * for the kernel, and so in `ps` and for a debugger. It gets its own. */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/str.h"

static __attribute__((constructor)) void name_as_program(void)
{
	char name[16] = "";
	if (!prctl(PR_GET_NAME, name) && bw_starts_with(name, "ld-linux") &&
	    !bw_starts_with(program_invocation_short_name, "ld-linux"))
		prctl(PR_SET_NAME, program_invocation_short_name);
}
