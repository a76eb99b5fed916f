/* SPDX-License-Identifier: MIT */
/* The first bytes of any file, as those of a program. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct bw_program_file f;
	bw_program_parse(bytes, n, &f);
	assert(memchr(f.interpreter, 0, sizeof(f.interpreter)));
	assert(!f.interpreter[0] || f.has_loader || f.has_interpreter_line);
	return 0;
}
