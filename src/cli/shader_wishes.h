/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_SHADER_WISHES_H
#define BW_CLI_SHADER_WISHES_H

#include <stdbool.h>

/* What is to be done with the shaders of a program for a debugger. */
struct bw_shader_wishes {
	bool lines; /* drivers keep their lines (--shader-lines) */
	bool notes; /* they note their variables and lines (-O0) */
};

#endif
