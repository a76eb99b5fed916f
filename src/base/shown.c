/* SPDX-License-Identifier: MIT */
#include "base/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

struct bw_shown bw_shown(const char *name)
{
	struct bw_shown out;
	struct bw_str s = {0};
	bw_str_add_printable(&s, name, "");
	bool is_cut = s.len >= sizeof(out.text);
	snprintf(out.text, sizeof(out.text), "%.*s%s",
		 is_cut ? (int)sizeof(out.text) - 4 : (int)s.len, bw_str_text(&s),
		 is_cut ? "..." : "");
	bw_str_free(&s);
	return out;
}

void bw_make_line(char *name, char kept)
{
	for (; *name; name++)
		if (*name != kept && ((unsigned char)*name < ' ' || *name == 0x7f))
			*name = ' ';
}

struct bw_shown_offset bw_shown_offset(uint64_t pc, uint64_t start)
{
	struct bw_shown_offset out;
	snprintf(out.text, sizeof(out.text), "%c0x%" PRIx64, pc < start ? '-' : '+',
		 pc < start ? start - pc : pc - start);
	return out;
}

const char *bw_error_result(int result)
{
	return strerror((int)(0u - (unsigned)result)); /* INT_MIN has no negative */
}
