// SPDX-License-Identifier: MIT
/* Names that a program gives to code objects. */
#include <stdint.h>
#include <string.h>

#include "sym/code_uri.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bw_code_uri uri;
	char text[1016] = "";
	memcpy(text, data, BW_MIN(size, sizeof(text) - 1));
	if (bw_code_uri_read(text, &uri) && uri.is_file && strlen(uri.path) >= sizeof(text))
		__builtin_trap(); /* a path is never longer than its URI */
	return 0;
}
