/* SPDX-License-Identifier: MIT */
/* Output of strict mode and of the trace: the file breakwater_strict of the device, whose lines
 * have fields separated by tabs, and lines on standard error as findings are made. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/shown.h"

#include "vgpu/device/exec/strict/strict.h"
#include "vgpu/uapi/strict_output.h"
#include "vgpu/uapi/uapi_priv.h"

enum { FINDINGS_MAX = 1024 };

/* checks, traces, hash, instructions, accesses; then each finding: kind, times, VMID, address, the
 * wave's first address, how many words, three words, opcode, sentence. */
void bw_strict_text(struct bw_uapi *u, struct bw_str *s)
{
	struct bw_strict *strict = bw_device_strict(u->dev);
	struct bw_strict_trace trace = {0};
	struct bw_strict_finding *all = strict ? calloc(FINDINGS_MAX, sizeof(*all)) : NULL;
	size_t n = 0;
	if (all) {
		n = BW_MIN(bw_strict_findings(strict, all, FINDINGS_MAX), (size_t)FINDINGS_MAX);
		bw_strict_trace_read(strict, &trace);
	}
	bw_str_addf(s, "%d\t%d\t0x%016" PRIx64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		    u->options.device.strict, u->options.device.trace, trace.hash,
		    trace.instructions, trace.accesses);
	for (size_t i = 0; i < n; i++) {
		const struct bw_strict_finding *f = &all[i];
		bw_str_addf(s,
			    "%s\t%" PRIu64 "\t%u\t0x%" PRIx64 "\t0x%" PRIx64
			    "\t%u\t0x%x\t0x%x\t0x%x\t%s\t%s\n",
			    bw_strict_kind_name(f->kind), f->count, f->vmid, f->pc, f->code_va,
			    f->n_words, f->word[0], f->word[1], f->word[2], f->name, f->text);
	}
	free(all);
}

/* A wave that spins may do so for ever, so this finding is printed at once in any case. */
static void on_finding(void *cookie, const struct bw_strict_finding *f)
{
	const struct bw_uapi *u = cookie;
	char line[512];
	if (u->options.strict_at_end && f->kind != BW_STRICT_SPIN)
		return;
	int n = snprintf(line, sizeof(line), "strict: %s at 0x%" PRIx64 " (%s): %s: %s\n",
			 bw_strict_kind_name(f->kind), f->pc,
			 bw_shown_offset(f->pc, f->code_va).text, f->name, f->text);
	ssize_t ignored =
		write(STDERR_FILENO, line, BW_MIN((size_t)BW_MAX(n, 0), sizeof(line) - 1));
	(void)ignored;
}

void bw_strict_start(struct bw_uapi *u)
{
	if (bw_device_strict(u->dev))
		bw_strict_listen(bw_device_strict(u->dev), on_finding, u);
}
