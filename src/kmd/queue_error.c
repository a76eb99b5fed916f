/* SPDX-License-Identifier: MIT */
#include "kmd/queue_error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

enum { LINE_B = 640 };

/* After "[   12.345678] "; the time stays 0 where there is none. */
static const char *take_time(const char *line, uint64_t *out_us)
{
	uint64_t s, us;
	int n = 0;
	*out_us = 0;
	if (sscanf(line, "[%" SCNu64 ".%6" SCNu64 "] %n", &s, &us, &n) != 2 || !n)
		return line;
	*out_us = s * 1000000 + us;
	return line + n;
}

/* "comp_1.0.0" of "... ring comp_1.0.0 timeout" or "(ring comp_1.0.0 vmid:1". */
static void take_ring(const char *line, struct bw_kmd_queue_error *e)
{
	const char *at = strstr(line, "ring ");
	char name[sizeof(e->ring)];
	if (!e->ring[0] && at && sscanf(at, "ring %23[a-z0-9_.]", name) == 1)
		memcpy(e->ring, name, sizeof(name));
}

/* "..., at dword 12 of the IB at 0x100002000" leaves the end of why. */
static void take_place(struct bw_kmd_queue_error *e)
{
	static const char lead[] = ", at dword ";
	char *at = NULL;
	for (char *next = e->why; (next = strstr(next, lead)); next += sizeof(lead) - 1)
		at = next;
	e->has_ib = at && sscanf(at, ", at dword %" SCNu64 " of the IB at 0x%" SCNx64, &e->dword,
				 &e->ib_va) == 2;
	if (e->has_ib)
		*at = 0;
}

/* A line that begins an error; false: it is none. */
static bool begins(const char *text, struct bw_kmd_queue_error *out)
{
	static const char *const words[] = {"in command stream", "SDMA queue hang"};
	static const char *const leads[] = {"amdgpu: ", "*ERROR* "};
	const char *end = NULL, *from = text;
	if (strstr(text, "in process "))
		return false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(words) && !end; i++) {
		end = strstr(text, words[i]);
		end = end ? end + strlen(words[i]) : NULL;
	}
	if (!end)
		return false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(leads); i++)
		for (const char *at = from; (at = strstr(at, leads[i])) && at < end;)
			from = at += strlen(leads[i]);
	if (from >= end)
		return false;
	*out = (struct bw_kmd_queue_error){.pid = 0};
	snprintf(out->what, sizeof(out->what), "%.*s", (int)BW_MIN(end - from, 63), from);
	take_ring(end, out);
	return true;
}

/* Reads the details in the lines below the first one. */
static void continues(const char *text, struct bw_kmd_queue_error *e)
{
	const char *pid = strstr(text, " pid "), *body = strstr(text, "amdgpu: ");
	for (const char *at = body; at && (at = strstr(at, "amdgpu: "));)
		body = at += strlen("amdgpu: ");
	if (strstr(text, "process ") && pid && !e->pid)
		e->pid = (pid_t)BW_MIN(strtoul(pid + strlen(" pid "), NULL, 10), 0x7ffffffful);
	else if (strstr(text, " timeout"))
		take_ring(text, e);
	else if (body && bw_starts_with(body, "  ") && !e->why[0]) {
		snprintf(e->why, sizeof(e->why), "%.*s", (int)sizeof(e->why) - 1, body + 2);
		take_place(e);
	}
}

bool bw_kmd_last_queue_error(const char *text, pid_t pid, uint64_t after_us,
			     struct bw_kmd_queue_error *out)
{
	struct bw_kmd_queue_error e = {.pid = 0};
	bool in_one = false, found = false;
	while (true) {
		char line[LINE_B];
		struct bw_kmd_queue_error next;
		uint64_t time_us;
		size_t n = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)BW_MIN(n, sizeof(line) - 1), text);
		const char *message = take_time(line, &time_us);
		bool is_next = *text && begins(message, &next);
		if (in_one && (is_next || !*text) && (!e.pid || e.pid == pid) &&
		    e.time_us > after_us) {
			*out = e;
			found = true;
		}
		if (!*text)
			return found;
		if (is_next) {
			e = next;
			e.time_us = time_us;
			in_one = true;
		} else if (in_one) {
			continues(message, &e);
		}
		text += n + (text[n] == '\n');
	}
}
