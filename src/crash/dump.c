/* SPDX-License-Identifier: MIT */
#include "crash/dump.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/str.h"
#include "base/util.h"

enum { MAX_LINE_B = 512 };
enum section { HEADER, FACTS, IPS, DISCOVERY, TIMEOUT, FAULT, REGISTERS, RINGS, IB, OLD_REGISTERS };

static const char banner[] = "AMDGPU Device Coredump";

bool bw_crash_is_banner(const char *text, size_t n)
{
	return memmem(text, n, banner, strlen(banner)) != NULL;
}

static void take_error(struct bw_crash_dump *d, struct bw_error *err)
{
	d->failed |= err != NULL;
	bw_error_free(err);
}

static void copy(char *out, size_t out_b, const char *text)
{
	size_t n = BW_MIN(strlen(text), out_b - 1);
	memcpy(out, text, n);
	out[n] = '\0';
}

static void damaged(struct bw_crash_dump *d, unsigned line, const char *fmt, ...) BW_PRINTF(3, 4);
static void damaged(struct bw_crash_dump *d, unsigned line, const char *fmt, ...)
{
	struct bw_crash_note note = {.line = line};
	va_list args;
	if (d->n_damaged++ >= BW_CRASH_MAX_NOTES)
		return;
	va_start(args, fmt);
	vsnprintf(note.text, sizeof(note.text), fmt, args);
	va_end(args);
	take_error(d, bw_vec_push(&d->damaged, note));
}

static void add_fact(struct bw_crash_dump *d, const char *text, unsigned line)
{
	struct bw_crash_note note = {.line = line};
	if (d->facts.len >= BW_CRASH_MAX_NOTES)
		return;
	copy(note.text, sizeof(note.text), text);
	take_error(d, bw_vec_push(&d->facts, note));
}

void bw_crash_dump_unknown(struct bw_crash_dump *d, const char *text, size_t n, unsigned number)
{
	struct bw_crash_note note = {.line = number};
	if (d->n_unknown++ >= BW_CRASH_MAX_NOTES)
		return;
	snprintf(note.text, sizeof(note.text), "%.*s", (int)BW_MIN(n, sizeof(note.text) - 1), text);
	take_error(d, bw_vec_push(&d->unknown, note));
}

/* The text that follows a word at the beginning of the line. */
static const char *after(const char *line, const char *word)
{
	return bw_starts_with(line, word) ? line + strlen(word) : NULL;
}

/* ---- header ---- */

/* 6.x: "NAME PID: 5"; 7: "NAME TGID: 5 thread: NAME PID: 6". Names may hold anything: split from the
 * right. */
static void read_process(struct bw_crash_dump *d, const char *text)
{
	char all[256];
	copy(all, sizeof(all), text);
	char *pid = NULL, *thread = NULL, *tgid = NULL;
	for (char *t = all; (t = strstr(t, " PID: ")); t++)
		pid = t;
	if (!pid)
		return;
	d->pid = strtoll(pid + strlen(" PID: "), NULL, 10);
	*pid = '\0';
	for (char *t = all; (t = strstr(t, " thread: ")); t++)
		thread = t;
	if (thread) {
		copy(d->thread, sizeof(d->thread), thread + strlen(" thread: "));
		*thread = '\0';
		for (char *t = all; (t = strstr(t, " TGID: ")); t++)
			tgid = t;
		if (tgid) {
			d->tgid = strtoll(tgid + strlen(" TGID: "), NULL, 10);
			*tgid = '\0';
		}
	}
	copy(d->process, sizeof(d->process), all);
}

static bool header_line(struct bw_crash_dump *d, const char *line, unsigned at)
{
	const char *v;
	if ((v = after(line, "kernel: ")))
		copy(d->kernel, sizeof(d->kernel), v);
	else if ((v = after(line, "module: ")))
		copy(d->module, sizeof(d->module), v);
	else if ((v = after(line, "time: ")))
		copy(d->time, sizeof(d->time), v);
	else if (after(line, "version: "))
		d->has_version_line = true;
	else if ((v = after(line, "pasid: ")))
		d->pasid = strtoull(v, NULL, 10), d->has_pasid = true;
	else if ((v = after(line, "vmid: ")))
		d->vmid = strtoull(v, NULL, 10);
	else if ((v = after(line, "process_name: ")))
		read_process(d, v);
	else if ((v = after(line, "SOC Device id: ")))
		d->device_id = strtoll(v, NULL, 10);
	else if ((v = after(line, "IP Type: "))) {
		const char *name = strstr(v, "Ring Name: ");
		d->has_timeout = true;
		d->timeout_ip = (unsigned)strtoul(v, NULL, 10);
		if (name)
			copy(d->timeout_ring, sizeof(d->timeout_ring),
			     name + strlen("Ring Name: "));
	} else if ((v = after(line, "Faulty page starting at address: 0x")))
		d->fault_address = strtoull(v, NULL, 16);
	else if ((v = after(line, "Protection fault status register: 0x"))) {
		d->fault_status = (uint32_t)strtoul(v, NULL, 16);
		d->has_fault = true;
	} else if (bw_starts_with(line, "VRAM is lost due to GPU reset!"))
		d->vram = BW_CRASH_VRAM_IS_LOST;
	else if (bw_starts_with(line, "VRAM lost check is skipped!"))
		d->vram = BW_CRASH_VRAM_SKIPPED;
	else
		return false;
	(void)at;
	return true;
}

/* ---- sections ---- */

static bool begin_ib(struct bw_crash_dump *d, const char *line, unsigned at)
{
	struct bw_crash_ib ib = {.line = at};
	unsigned long long va, size;
	char dw[4] = "";
	if (sscanf(line, "IB #%u 0x%llx %llu %2s", &ib.index, &va, &size, dw) != 4 ||
	    strcmp(dw, "dw") != 0)
		return false;
	ib.va = va;
	ib.size_dw = size;
	d->section = IB;
	d->dropping = d->ibs.len >= BW_CRASH_MAX_RINGS;
	if (d->dropping) {
		d->n_left_out++;
		return true;
	}
	take_error(d, bw_vec_push(&d->ibs, ib));
	return true;
}

static bool begin_section(struct bw_crash_dump *d, const char *line, unsigned at)
{
	static const struct {
		const char *line;
		enum section section;
	} sections[] = {
		{"SOC Information", FACTS},
		{"SOC Memory Information", FACTS},
		{"GDS Config", FACTS},
		{"HW IP Version Information", IPS},
		{"HW IP Discovery", DISCOVERY},
		{"IP Firmwares", FACTS},
		{"VBIOS Information", FACTS},
		{"VBIOS Information: NA", FACTS},
		{"Ring timed out details", TIMEOUT},
		{"Ring timeout details", TIMEOUT},
		{"IP Dump", REGISTERS},
		{"Ring buffer information", RINGS},
		{"AMDGPU register dumps:", OLD_REGISTERS},
		{"[gfxhub] Page fault observed", FAULT},
		{"[mmhub] Page fault observed", FAULT},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(sections); i++)
		if (!strcmp(line, sections[i].line)) {
			d->section = sections[i].section;
			d->dropping = false;
			d->has_discovery |= d->section == DISCOVERY;
			if (d->section == FAULT)
				d->fault_hub = line[1] == 'm' ? BW_GPUVM_MM : BW_GPUVM_GC;
			return true;
		}
	return begin_ib(d, line, at);
}

static bool ip_line(struct bw_crash_dump *d, const char *line, unsigned at)
{
	struct bw_crash_ip ip = {0};
	unsigned v[3];
	const char *p = after(line, "HWIP: "), *open = p ? strchr(p, '[') : NULL;
	if (!open ||
	    sscanf(open, "[%u][%u]: v%u.%u.%u", &ip.type, &ip.instance, &v[0], &v[1], &v[2]) != 5)
		return false;
	snprintf(ip.name, sizeof(ip.name), "%.*s", (int)BW_MIN(open - p, 15l), p);
	ip.version = BW_IP_VERSION(v[0] & 0xff, v[1] & 0xff, v[2] & 0xff);
	if (d->ips.len < BW_CRASH_MAX_NOTES)
		take_error(d, bw_vec_push(&d->ips, ip));
	else
		damaged(d, at, "more IP versions than there can be");
	return true;
}

static void begin_block(struct bw_crash_dump *d, const char *ip, const char *part, unsigned at)
{
	struct bw_crash_block b = {.line = at};
	copy(b.ip, sizeof(b.ip), ip);
	copy(b.part, sizeof(b.part), part);
	d->dropping = d->blocks.len >= BW_CRASH_MAX_BLOCKS;
	if (d->dropping)
		d->n_left_out++;
	else
		take_error(d, bw_vec_push(&d->blocks, b));
}

/* "regGRBM_STATUS    \t 0xa0003028" */
static bool register_line(struct bw_crash_dump *d, const char *line)
{
	struct bw_crash_register r = {0};
	size_t n = strcspn(line, " \t");
	const char *v = line + n, *name = line;
	char *end;
	v = bw_skip_blanks(v);
	if (!n || !bw_starts_with(v, "0x") || !isxdigit((unsigned char)v[2]))
		return false;
	r.value = (uint32_t)strtoul(v, &end, 16);
	if (*end)
		return false;
	if (bw_starts_with(name, "reg"))
		name += 3;
	else if (bw_starts_with(name, "mm"))
		name += 2;
	snprintf(r.name, sizeof(r.name), "%.*s", (int)(n - (size_t)(name - line)), name);
	if (!d->blocks.len)
		begin_block(d, "", "", 0);
	r.block = d->blocks.len ? (uint32_t)d->blocks.len - 1 : 0;
	if (d->registers.len >= BW_CRASH_MAX_REGISTERS || d->dropping || !d->blocks.len)
		d->n_left_out++;
	else
		take_error(d, bw_vec_push(&d->registers, r));
	return true;
}

static bool registers_line(struct bw_crash_dump *d, const char *line, unsigned at)
{
	static const char *const parts[] = {"mec ",
					    "me ",
					    "Instance",
					    "xcc:",
					    "Active Instance",
					    "Inactive Instance",
					    "Harvested Instance"};
	static const char *const counts[] = {"num_", "Number of Instances"};
	const char *ip = after(line, "IP: ");
	if (ip) {
		begin_block(d, ip, "", at);
		return true;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(parts); i++)
		if (bw_starts_with(line, parts[i])) {
			char name[32] = "";
			if (d->blocks.len)
				copy(name, sizeof(name), d->blocks.data[d->blocks.len - 1].ip);
			begin_block(d, name, line, at);
			return true;
		}
	for (size_t i = 0; i < BW_ARRAY_SIZE(counts); i++)
		if (bw_starts_with(line, counts[i]))
			return true;
	return register_line(d, line);
}

static void add_word(struct bw_crash_dump *d, struct bw_crash_words *words, uint32_t value)
{
	if (d->n_words >= BW_CRASH_MAX_WORDS || d->dropping) {
		d->n_left_out++;
		return;
	}
	d->n_words++;
	take_error(d, bw_vec_push(words, value));
}

/* "0x4 \t 0x10000" */
static bool ring_word(struct bw_crash_dump *d, struct bw_crash_ring *r, const char *line,
		      unsigned at)
{
	char *end;
	if (!bw_starts_with(line, "0x"))
		return false;
	uint64_t offset = strtoull(line, &end, 16);
	const char *word = bw_skip_blanks(end);
	if (!bw_starts_with(word, "0x"))
		return false;
	uint32_t value = (uint32_t)strtoul(word, &end, 16);
	if (*end)
		return false;
	if (offset != d->next_offset && !d->dropping)
		damaged(d, at, "ring %s: offset 0x%llx follows 0x%llx: the text is torn", r->name,
			(unsigned long long)offset, (unsigned long long)d->next_offset - 4);
	d->next_offset = offset + 4;
	add_word(d, &r->words, value);
	return true;
}

static bool rings_line(struct bw_crash_dump *d, const char *line, unsigned at)
{
	const char *v;
	unsigned long long rptr, wptr, mask;
	if ((v = after(line, "ring name: "))) {
		struct bw_crash_ring r = {.line = at};
		copy(r.name, sizeof(r.name), v);
		d->next_offset = 0;
		d->dropping = d->rings.len >= BW_CRASH_MAX_RINGS;
		if (d->dropping)
			d->n_left_out++;
		else
			take_error(d, bw_vec_push(&d->rings, r));
		return true;
	}
	if (!d->rings.len)
		return false;
	struct bw_crash_ring dropped = {0};
	struct bw_crash_ring *r = d->dropping ? &dropped : &d->rings.data[d->rings.len - 1];
	if (sscanf(line, "Rptr: 0x%llx Wptr: 0x%llx RB mask: %llx", &rptr, &wptr, &mask) == 3) {
		r->rptr = rptr;
		r->wptr = wptr;
		r->mask = mask;
		return true;
	}
	if ((v = after(line, "Ring size in dwords: "))) {
		r->size_dw = strtoull(v, NULL, 10);
		return true;
	}
	if (bw_starts_with(line, "Ring contents") || bw_starts_with(line, "Offset"))
		return true;
	return ring_word(d, r, line, at);
}

static bool ib_line(struct bw_crash_dump *d, const char *line)
{
	char *end;
	if (!d->ibs.len || !bw_starts_with(line, "0x"))
		return false;
	uint32_t value = (uint32_t)strtoul(line, &end, 16);
	if (*end || end == line + 2)
		return false;
	add_word(d, &d->ibs.data[d->ibs.len - 1].words, value);
	return true;
}

/* Linux 6.1: "0x1234: 0x00000000" */
static bool old_register_line(struct bw_crash_dump *d, const char *line)
{
	struct bw_crash_register r = {0};
	char *end;
	if (bw_starts_with(line, "Offset:"))
		return true;
	if (!bw_starts_with(line, "0x"))
		return false;
	unsigned long offset = strtoul(line, &end, 16);
	if (!bw_starts_with(end, ": 0x"))
		return false;
	r.value = (uint32_t)strtoul(end + 2, &end, 16);
	snprintf(r.name, sizeof(r.name), "0x%lx", offset);
	if (!d->blocks.len)
		begin_block(d, "registers by offset", "", 0);
	if (d->registers.len < BW_CRASH_MAX_REGISTERS && d->blocks.len)
		take_error(d, bw_vec_push(&d->registers, r));
	else
		d->n_left_out++;
	return true;
}

bool bw_crash_dump_line(struct bw_crash_dump *d, const char *text, size_t n, unsigned number)
{
	char line[MAX_LINE_B];
	const char *nul = memchr(text, '\0', n);
	if (nul) {
		for (size_t i = (size_t)(nul - text); i < n; i++)
			d->n_nul_b += !text[i];
		n = (size_t)(nul - text);
	}
	d->last_line = number;
	while (n && (isspace((unsigned char)text[n - 1])))
		n--;
	while (n && (*text == ' ' || *text == '\t' || *text == '>')) {
		text++;
		n--;
	}
	if (!n)
		return true;
	bool is_long = n >= sizeof(line);
	n = BW_MIN(n, sizeof(line) - 1);
	memcpy(line, text, n);
	line[n] = '\0';
	if (is_long)
		damaged(d, number, "a line of more than %d bytes is cut", MAX_LINE_B);
	if (bw_crash_is_banner(line, n))
		return true;
	/* Most lines of a large dump are words. */
	if (line[0] != '0' && begin_section(d, line, number))
		return true;
	switch ((enum section)d->section) {
	case REGISTERS:
		if (registers_line(d, line, number))
			return true;
		break;
	case RINGS:
		if (rings_line(d, line, number))
			return true;
		break;
	case IB:
		if (ib_line(d, line))
			return true;
		break;
	case OLD_REGISTERS:
		if (old_register_line(d, line))
			return true;
		break;
	case IPS:
		if (ip_line(d, line, number))
			return true;
		break;
	case FACTS:
		/* not a log's line, after a dump that was cut off */
		if (header_line(d, line, number) ||
		    (strchr(line, ':') && !strstr(line, "amdgpu") && !strstr(line, "[drm"))) {
			add_fact(d, line, number);
			return true;
		}
		break;
	case DISCOVERY:
		if (strchr("dhimrnb", line[0]) && !strchr(line, ':'))
			return true;
		break;
	case HEADER:
	case TIMEOUT:
	case FAULT:
		break;
	}
	return header_line(d, line, number);
}

static void check_counts(struct bw_crash_dump *d)
{
	bw_vec_each(&d->rings, r)
		if (r->size_dw != r->words.len && d->n_words < BW_CRASH_MAX_WORDS)
			damaged(d, r->line, "ring %s has %zu of its %llu words", r->name,
				r->words.len, (unsigned long long)r->size_dw);
	unsigned next = 0;
	bw_vec_each(&d->ibs, ib) {
		if (ib->size_dw != ib->words.len && d->n_words < BW_CRASH_MAX_WORDS)
			damaged(d, ib->line, "IB #%u has %zu of its %llu words", ib->index,
				ib->words.len, (unsigned long long)ib->size_dw);
		if (ib->index > next)
			damaged(d, ib->line, "IB #%u is missing: its memory was gone", next);
		next = ib->index + 1;
	}
}

void bw_crash_dump_end(struct bw_crash_dump *d)
{
	check_counts(d);
	if (d->n_nul_b)
		damaged(d, d->last_line,
			"the text ends in %llu NUL bytes: an IB that was counted is "
			"missing",
			(unsigned long long)d->n_nul_b);
	/* doc/hardware/devcoredump.md 1: the number in "version:" does not tell */
	d->style = d->has_pasid || d->has_discovery ? BW_CRASH_LINUX_7
		   : d->has_version_line	    ? BW_CRASH_LINUX_6_12
						    : BW_CRASH_LINUX_6_1;
}

void bw_crash_dump_free(struct bw_crash_dump *d)
{
	bw_vec_each(&d->rings, r)
		bw_vec_free(&r->words);
	bw_vec_each(&d->ibs, ib)
		bw_vec_free(&ib->words);
	bw_vec_free(&d->ips);
	bw_vec_free(&d->blocks);
	bw_vec_free(&d->registers);
	bw_vec_free(&d->rings);
	bw_vec_free(&d->ibs);
	bw_vec_free(&d->facts);
	bw_vec_free(&d->unknown);
	bw_vec_free(&d->damaged);
}

uint32_t bw_crash_ip_version(const struct bw_crash_dump *d, const char *name)
{
	bw_vec_each(&d->ips, ip)
		if (!strcmp(ip->name, name))
			return ip->version;
	if (strcmp(name, "GC") != 0)
		return 0;
	bw_vec_each(&d->blocks, b) {
		unsigned v[3] = {0};
		if (sscanf(b->ip, "gfx_v%u_%u_%u", &v[0], &v[1], &v[2]) >= 2)
			return BW_IP_VERSION(v[0] & 0xff, v[1] & 0xff, v[2] & 0xff);
	}
	return 0;
}

bool bw_crash_register_value(const struct bw_crash_dump *d, const char *name, const char *part,
			     uint32_t *out)
{
	bw_vec_each(&d->registers, r) {
		if (strcmp(r->name, name) != 0 ||
		    !bw_starts_with(d->blocks.data[r->block].part, part))
			continue;
		*out = r->value;
		return true;
	}
	return false;
}
