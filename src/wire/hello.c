/* SPDX-License-Identifier: MIT */
#include "wire/hello.h"

#include <string.h>

struct bw_error *bw_hello_read(const struct bw_msg *m, uint32_t version, struct bw_hello *out)
{
	if (m->body_b < sizeof(*out))
		return bw_errorf(BW_E_INVALID, "the program's agent greets with %u bytes",
				 m->body_b);
	memcpy(out, m->body, sizeof(*out));
	out->comm[sizeof(out->comm) - 1] = '\0';
	if (out->version == version)
		return NULL;
	return bw_errorf(BW_E_UNSUPPORTED,
			 "the program's agent speaks version %u, this process version %u: they are "
			 "of different builds",
			 out->version, version);
}
