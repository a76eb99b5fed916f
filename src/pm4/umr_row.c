/* SPDX-License-Identifier: MIT */
#include "pm4/umr_row.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

enum { MAX_LINE_B = 256, WORD_DIGITS = 8 };

/* "3@0x80010005ad00", "0x3@0x80010005ad00" */
static bool place(const char **p, unsigned *out_vmid, uint64_t *out_va)
{
	char *end;
	if (!isdigit((unsigned char)**p))
		return false;
	unsigned long vmid = strtoul(*p, &end, 0);
	if (end[0] != '@' || end[1] != '0' || end[2] != 'x' || vmid > UINT16_MAX)
		return false;
	*out_vmid = (unsigned)vmid;
	*out_va = strtoull(end + 1, &end, 16);
	*p = end;
	return true;
}

static bool header(const char *line, struct bw_pm4_umr_row *out)
{
	static const char begin[] = "Decoding IB at ", from[] = " from ", of[] = " of ";
	unsigned vmid;
	uint64_t va;
	const char *p = line + strlen(begin);
	if (!bw_starts_with(line, begin) || !place(&p, &out->vmid, &out->va))
		return false;
	out->kind = BW_PM4_UMR_HEADER;
	out->is_ring = true;
	if (!bw_starts_with(p, from))
		return true;
	p += strlen(from);
	if (!place(&p, &vmid, &va))
		return true;
	/* what begins a ring's first packet leads to is told by its own VMID and address */
	out->is_ring = !vmid && !va && !(out->vmid && out->va);
	if (bw_starts_with(p, of))
		out->size_dw = strtoull(p + strlen(of), NULL, 10);
	return true;
}

static enum bw_pm4_umr_packets packets_of(const char *text)
{
	if (strstr(text, "[PKT") || strstr(text, "type: 3"))
		return BW_PM4_UMR_PM4;
	if (strstr(text, "[HSA_"))
		return BW_PM4_UMR_AQL;
	return strstr(text, "Opcode 0x") && !strstr(text, "type:") ? BW_PM4_UMR_SDMA
								   : BW_PM4_UMR_ANY;
}

bool bw_pm4_umr_row(const char *text, size_t n, struct bw_pm4_umr_row *out)
{
	char line[MAX_LINE_B], *end;
	n = BW_MIN(n, sizeof(line) - 1);
	memcpy(line, text, n);
	line[n] = '\0';
	const char *p = line + strspn(line, " \t");
	*out = (struct bw_pm4_umr_row){0};
	if (header(p, out))
		return true;
	if (*p++ != '[' || !place(&p, &out->vmid, &out->va))
		return false;
	p = bw_skip_blanks(p);
	if (*p != '+')
		return false;
	p = bw_skip_blanks(p + 1);
	if (!bw_starts_with(p, "0x"))
		return false;
	out->offset_b = strtoull(p, &end, 16);
	p = end;
	if (*p++ != ']')
		return false;
	p += strspn(p, " \t");
	if (*p++ != '[')
		return false;
	p = bw_skip_blanks(p);
	if (!bw_starts_with(p, "0x"))
		return false;
	size_t digits = strspn(p + 2, "0123456789abcdefABCDEF");
	if (!digits || digits > 16 || p[2 + digits] != ']')
		return false;
	uint64_t value = strtoull(p, NULL, 16);
	out->kind = digits == WORD_DIGITS ? BW_PM4_UMR_WORD : BW_PM4_UMR_FIELD;
	out->word = (uint32_t)value;
	out->packets = packets_of(p + 2 + digits);
	return true;
}
