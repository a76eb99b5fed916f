/* SPDX-License-Identifier: MIT */
/* Output of the checker: the file breakwater_check of the device, whose lines have fields separated
 * by tabs, and lines on standard error as findings are made. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "vgpu/device/exec/check/check.h"
#include "vgpu/uapi/check_output.h"
#include "vgpu/uapi/uapi_priv.h"

enum { FINDINGS_MAX = 1024 };

static void add_side(struct bw_str *s, const struct bw_check_side *x)
{
	bw_str_addf(s,
		    "\t%s\t0x%" PRIx64 "\t0x%" PRIx64
		    "\t%u\t0x%x\t0x%x\t0x%x\t%s\t%u\t%u\t%u\t%u\t%u",
		    bw_check_access_name(x->access), x->pc, x->code_va, x->n_words, x->word[0],
		    x->word[1], x->word[2], x->name, x->group[0], x->group[1], x->group[2], x->wave,
		    x->lane);
}

/* What is checked (bits of enum bw_check_what); then each finding: relation, memory, times, VMID,
 * lanes of a wave, address, bytes, whether a pointer to it is known, the SGPR that points to the
 * arguments, the pointer's place in them, the pointer; and for both sides: access, address, the
 * wave's first address, how many words, three words, opcode, workgroup, wave, lane. */
void bw_check_text(struct bw_uapi *u, struct bw_str *s)
{
	struct bw_check *check = bw_device_check(u->dev);
	struct bw_check_finding *all = check ? calloc(FINDINGS_MAX, sizeof(*all)) : NULL;
	size_t n = 0;
	if (all)
		n = BW_MIN(bw_check_findings(check, all, FINDINGS_MAX), (size_t)FINDINGS_MAX);
	bw_str_addf(s, "%u\n", u->options.device.check);
	for (size_t i = 0; i < n; i++) {
		const struct bw_check_finding *f = &all[i];
		bw_str_addf(
			s, "%s\t%s\t%" PRIu64 "\t%u\t%u\t0x%" PRIx64 "\t%u\t%d\t%u\t%u\t0x%" PRIx64,
			bw_check_relation_name(f->relation), f->is_lds ? "LDS" : "memory", f->count,
			f->vmid, f->lanes, f->va, f->size_b, f->has_pointer, f->pointer_sgpr,
			f->pointer_offset, f->pointer);
		add_side(s, &f->first);
		add_side(s, &f->second);
		bw_str_addf(s, "\n");
	}
	free(all);
}

/* The first ones at once: a program may run for long. */
static void on_finding(void *cookie, size_t number, const struct bw_check_finding *f)
{
	enum { AT_ONCE = 3 };
	const struct bw_uapi *u = cookie;
	char line[512];
	if (u->options.check_at_end && number > AT_ONCE)
		return;
	int n = snprintf(line, sizeof(line),
			 "check: race: %s at 0x%" PRIx64 " (+0x%" PRIx64 ") and %s at 0x%" PRIx64
			 " (+0x%" PRIx64 "), %s 0x%" PRIx64 "\n",
			 f->first.name, f->first.pc, f->first.pc - f->first.code_va, f->second.name,
			 f->second.pc, f->second.pc - f->second.code_va,
			 f->is_lds ? "LDS" : "address", f->va);
	ssize_t ignored =
		write(STDERR_FILENO, line, BW_MIN((size_t)BW_MAX(n, 0), sizeof(line) - 1));
	(void)ignored;
}

void bw_check_output_start(struct bw_uapi *u)
{
	if (bw_device_check(u->dev))
		bw_check_listen(bw_device_check(u->dev), on_finding, u);
}
