/* SPDX-License-Identifier: MIT */
#include "guest/guest_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* A longer line comes in parts: a guest need not end one, ever. Linux has 1024
 * (PRINTKRB_RECORD_MAX, kernel/printk/internal.h of 6.12). */
enum { LINE_MAX_B = 4096 };

/* The first words of a kernel that crashes (Linux 6.12: arch/x86/mm/fault.c, arch/x86/kernel/
 * dumpstack.c, kernel/panic.c, lib/bug.c). */
static const char *const fatal_words[] = {
	"BUG: unable to handle",
	"BUG: kernel NULL pointer",
	"kernel BUG at",
	"general protection fault",
	"Oops:",
	"Kernel panic - not syncing",
	"invalid opcode:",
	"stack segment:",
	"double fault:",
};

/* "[   12.345678] text": the text */
static const char *without_time(const char *line)
{
	if (line[0] != '[')
		return line;
	const char *end = strstr(line, "] ");
	return end ? end + 2 : line;
}

static bool is_fatal(const char *line)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(fatal_words); i++)
		if (strstr(line, fatal_words[i]))
			return true;
	return false;
}

void bw_klog_add_line(struct bw_klog *k, const char *line)
{
	if (k->echo)
		fprintf(stderr, "%s\n", line);
	if (!k->fatal && is_fatal(line)) {
		k->fatal = k->n + 1;
		k->reason = strdup(without_time(line));
	}
	/* The lines after the reason are the report; they are kept when the ring is full. */
	if (k->fatal && k->n + 1 - k->fatal >= BW_KLOG_LINES)
		return;
	char **slot = &k->lines[k->n % BW_KLOG_LINES];
	free(*slot);
	*slot = strdup(line);
	k->n++;
}

void bw_klog_add(struct bw_klog *k, const char *data, size_t size_b)
{
	for (size_t i = 0; i < size_b; i++) {
		if (data[i] == '\n') {
			bw_klog_add_line(k, bw_str_text(&k->part));
			bw_str_clear(&k->part);
		} else if (data[i] && data[i] != '\r') {
			bw_str_addn(&k->part, &data[i], 1);
			if (k->part.len < LINE_MAX_B)
				continue;
			bw_klog_add_line(k, bw_str_text(&k->part));
			bw_str_clear(&k->part);
		}
	}
}

void bw_klog_show(const struct bw_klog *k, struct bw_str *out)
{
	size_t first = k->n > BW_KLOG_LINES ? k->n - BW_KLOG_LINES : 0;
	if (k->fatal)
		first = k->fatal - 1;
	for (size_t i = first; i < k->n; i++) {
		const char *line = k->lines[i % BW_KLOG_LINES];
		bw_str_add(out, "\n  ");
		bw_str_add_printable(out, line ? line : "", "\t");
	}
}

void bw_klog_free(struct bw_klog *k)
{
	for (size_t i = 0; i < BW_KLOG_LINES; i++)
		free(k->lines[i]);
	free(k->reason);
	bw_str_free(&k->part);
	*k = (struct bw_klog){0};
}
