/* SPDX-License-Identifier: MIT */
/* Code objects from nowhere: the ELF reader, the metadata note and the line tables. */
#include <stddef.h>
#include <stdint.h>

#include "../sym/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	exercise(data, size_b);
	return 0;
}
