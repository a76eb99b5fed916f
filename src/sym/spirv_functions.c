/* SPDX-License-Identifier: MIT */
/* Functions of SPIR-V: their names, lines and calls. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sym/spirv.h"
#include "sym/spirv_priv.h"

enum { CALLS_MAX = 4096 };

uint32_t bw_spv_function(const struct bw_spirv *s, uint32_t id)
{
	return id < s->bound ? s->function_of_id[id] : 0;
}

uint32_t bw_spirv_entry(const struct bw_spirv *s)
{
	return bw_spv_function(s, s->entry);
}

uint32_t bw_spirv_function_at(const struct bw_spirv *s, unsigned line)
{
	uint32_t here = 0;
	for (uint32_t k = 0; k < s->functions.len && line; k++)
		if (line >= s->functions.data[k].first_line &&
		    line <= s->functions.data[k].last_line)
			here = k + 1;
	return here ? here : bw_spirv_entry(s);
}

/* glslang's names have the parameters: "triple(u1;". */
const char *bw_spirv_function_name(const struct bw_spirv *s, uint32_t function, size_t *out_len)
{
	*out_len = 0;
	if (!function || function > s->functions.len)
		return "";
	const char *name = bw_spv_name(s, s->functions.data[function - 1].id, NO_MEMBER);
	*out_len = strcspn(name, "(");
	return name;
}

bool bw_spirv_has_params(const struct bw_spirv *s, uint32_t function)
{
	return function && function <= s->functions.len &&
	       s->functions.data[function - 1].has_params;
}

bool bw_spirv_calls(const struct bw_spirv *s, uint32_t function, uint32_t other)
{
	_cleanup_free_ bool *seen = calloc(s->functions.len + 1, sizeof(*seen));
	bool more = seen && function && function <= s->functions.len && other <= s->functions.len &&
		    s->calls.len <= CALLS_MAX;
	if (!more)
		return false;
	seen[function] = true;
	while (more && (other == function || !seen[other])) {
		more = false;
		bw_vec_each(&s->calls, c) {
			uint32_t callee = seen[c->caller + 1] ? bw_spv_function(s, c->callee) : 0;
			more |= callee && !seen[callee];
			seen[callee] |= callee != 0;
		}
	}
	return other != function && seen[other];
}
