// SPDX-License-Identifier: MIT
/* The words for the reasons why a wave has stopped (doc/conventions.md 2). */
#include "debug/waves.h"

#include <stdio.h>

#include "base/util.h"

static const struct {
	uint32_t reason;
	const char *name, *signal;
} reason_rows[] = {
	{BW_REASON_MEMORY_VIOLATION, "MEMORY_VIOLATION", "SIGSEGV, Segmentation fault"},
	{BW_REASON_ADDRESS_ERROR, "ADDRESS_ERROR", "SIGBUS, Bus error"},
	{BW_REASON_ILLEGAL_INSTRUCTION, "ILLEGAL_INSTRUCTION", "SIGILL, Illegal instruction"},
	{1 << (BW_REASON_FP_SHIFT + 0), "FP_INVALID_OPERATION", "SIGFPE, Arithmetic exception"},
	{1 << (BW_REASON_FP_SHIFT + 1), "FP_INPUT_DENORMAL", "SIGFPE, Arithmetic exception"},
	{1 << (BW_REASON_FP_SHIFT + 2), "FP_DIVIDE_BY_0", "SIGFPE, Arithmetic exception"},
	{1 << (BW_REASON_FP_SHIFT + 3), "FP_OVERFLOW", "SIGFPE, Arithmetic exception"},
	{1 << (BW_REASON_FP_SHIFT + 4), "FP_UNDERFLOW", "SIGFPE, Arithmetic exception"},
	{1 << (BW_REASON_FP_SHIFT + 5), "FP_INEXACT", "SIGFPE, Arithmetic exception"},
	{1 << (BW_REASON_FP_SHIFT + 6), "INT_DIVIDE_BY_0", "SIGFPE, Arithmetic exception"},
	{BW_REASON_ASSERT_TRAP, "ASSERT_TRAP", "SIGABRT, Aborted"},
	{BW_REASON_DEBUG_TRAP, "DEBUG_TRAP", "SIGTRAP, Trace/breakpoint trap"},
	{BW_REASON_TRAP, "TRAP", "SIGTRAP, Trace/breakpoint trap"},
	{BW_REASON_FINDING, "FINDING", NULL},
	{BW_REASON_BREAKPOINT, "BREAKPOINT", "SIGTRAP, Trace/breakpoint trap"},
	{BW_REASON_WATCHPOINT, "WATCHPOINT", "SIGTRAP, Trace/breakpoint trap"},
	{BW_REASON_SINGLE_STEP, "SINGLE_STEP", NULL},
	{BW_REASON_WAVE_START, "WAVE_START", NULL},
	{BW_REASON_WAVE_END, "WAVE_END", NULL},
	{BW_REASON_INTERRUPT, "INTERRUPT", "SIGINT, Interrupt"},
};

void bw_reason_text(uint32_t reasons, char *out, size_t out_b)
{
	size_t len = 0;

	if (out_b)
		out[0] = 0;
	/* asked to stop, and stopped for a reason of its own: only the latter is of interest */
	if (reasons & ~(uint32_t)BW_REASON_INTERRUPT)
		reasons &= ~(uint32_t)BW_REASON_INTERRUPT;
	for (size_t i = 0; i < BW_ARRAY_SIZE(reason_rows); i++) {
		if (!(reasons & reason_rows[i].reason))
			continue;
		int n = snprintf(out + len, out_b - len, "%s%s", len ? "|" : "",
				 reason_rows[i].name);
		if (n < 0 || (size_t)n >= out_b - len)
			return;
		len += (size_t)n;
	}
}

const char *bw_reason_signal(uint32_t reasons)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(reason_rows); i++)
		if (reasons & reason_rows[i].reason && reason_rows[i].signal)
			return reason_rows[i].signal;
	return NULL;
}
