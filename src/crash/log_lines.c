/* SPDX-License-Identifier: MIT */
#include "crash/log_lines.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* ---- stamps ---- */

/* "[  815.101234]" */
static const char *read_uptime(const char *p, double *out_s)
{
	if (*p++ != '[')
		return NULL;
	p += strspn(p, " ");
	size_t whole = strspn(p, "0123456789");
	if (!whole || whole > 9 || p[whole] != '.')
		return NULL;
	size_t part = strspn(p + whole + 1, "0123456789");
	if (!part || p[whole + 1 + part] != ']')
		return NULL;
	*out_s = strtod(p, NULL);
	return p + whole + part + 2;
}

static bool is_clock(const char *p)
{
	static const char shape[] = "dd:dd:dd";
	for (size_t i = 0; shape[i]; i++)
		if (shape[i] == 'd' ? !isdigit((unsigned char)p[i]) : p[i] != ':')
			return false;
	return p[8] != ':' && !isalnum((unsigned char)p[8]);
}

/* Days before a time of day: of "2024-11-24T", of "Jun  9 ", 0 where there is no date. A month has
 * 31 days here: only the order and small differences matter. */
static double days_before(const char *line, const char *at)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	enum { DAYS = 31, MONTHS = 12, ISO_N = 11 };
	if (at - line >= ISO_N && at[-4] == '-' && at[-7] == '-')
		return (strtod(at - ISO_N, NULL) * MONTHS + strtod(at - 6, NULL)) * DAYS +
		       strtod(at - 3, NULL);
	const char *p = at;
	while (p > line && p[-1] == ' ')
		p--;
	const char *day = p;
	while (day > line && isdigit((unsigned char)day[-1]))
		day--;
	if (day == p || p - day > 2)
		return 0;
	p = day;
	while (p > line && p[-1] == ' ')
		p--;
	for (unsigned m = 0; p - line >= 3 && m < MONTHS; m++)
		if (!strncmp(p - 3, months + (size_t)3 * m, 3))
			return m * DAYS + strtod(day, NULL);
	return strtod(day, NULL);
}

/* A stamp near the beginning of a line: the kernel's own, where there are two. */
static struct bw_crash_time find_time(const char *line)
{
	enum { NEAR = 96, DAY_S = 86400 };
	struct bw_crash_time t = {0};
	double s;
	for (const char *p = line; *p && p - line < NEAR; p++) {
		if (read_uptime(p, &s))
			return (struct bw_crash_time){BW_CRASH_UPTIME, s};
		bool is_inside = p > line && isalnum((unsigned char)p[-1]) && p[-1] != 'T';
		if (t.clock || is_inside || !is_clock(p))
			continue;
		t.clock = BW_CRASH_WALL;
		t.s = days_before(line, p) * DAY_S + strtod(p, NULL) * 3600 +
		      strtod(p + 3, NULL) * 60 + strtod(p + 6, NULL);
		if (p[8] == ',' && isdigit((unsigned char)p[9])) {
			double part = 0.1;
			for (const char *d = p + 9; isdigit((unsigned char)*d); d++, part /= 10)
				t.s += (*d - '0') * part;
		}
	}
	return t;
}

bool bw_crash_time_between(struct bw_crash_time a, struct bw_crash_time b, double *out_s)
{
	if (!a.clock || a.clock != b.clock)
		return false;
	*out_s = b.s - a.s;
	return true;
}

/* ---- what is in front of messages ---- */

/* "0000:03:00.0" */
static bool is_pci_address(const char *p)
{
	static const char shape[] = "xxxx:xx:xx.x";
	for (size_t i = 0; shape[i]; i++)
		if (shape[i] == 'x' ? !isxdigit((unsigned char)p[i]) : p[i] != shape[i])
			return false;
	return true;
}

void bw_crash_find_device(const char *line, char *out, size_t out_b)
{
	enum { ADDRESS_N = 12 };
	size_t n = strlen(line), from = 0, len = 0;
	for (size_t i = 0; !len && i < n; i++) {
		bool is_inside = i > 0 && isalnum((unsigned char)line[i - 1]);
		from = i;
		if (!is_inside && is_pci_address(line + i))
			len = ADDRESS_N;
		else if (!is_inside && bw_starts_with(line + i, "drmn") &&
			 isdigit((unsigned char)line[i + 4]))
			len = 4 + strspn(line + i + 4, "0123456789");
	}
	len = BW_MIN(len, out_b - 1);
	memcpy(out, line + from, len);
	out[len] = '\0';
}

const char *bw_crash_message(const char *line)
{
	static const char *const ends[] = {"amdgpu: ", "*ERROR* ", "[drm] "};
	const char *m = line;
	for (size_t i = 0; i < BW_ARRAY_SIZE(ends); i++)
		for (const char *t; (t = strstr(m, ends[i]));)
			m = t + strlen(ends[i]);
	for (const char *t = m; *t; t++)
		if (is_pci_address(t) && t[12] == ':' && t[13] == ' ')
			return t + 14;
	return m;
}

/* Without "> " of a quotation and blanks. */
static const char *unquoted(const char *p)
{
	while (*p == ' ' || *p == '>' || (*p == '|' && p[1] == ' '))
		p++;
	return p;
}

static bool begins(const char *line, struct bw_crash_time time)
{
	static const char *const words[] = {"amdgpu", "[drm", "drmn",	       "kernel:",
					    "radeon", "-- ",  "Memory access", "HW Exception"};
	if (time.clock)
		return true;
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (bw_starts_with(line, words[i]))
			return true;
	return false;
}

static bool is_boot(const char *line)
{
	return strstr(line, "Linux version ") || bw_starts_with(line, "-- Reboot --") ||
	       bw_starts_with(line, "-- Boot ");
}

/* ---- taking lines ---- */

/* A message longer than BW_CRASH_LINE_B is cut. */
static void push(struct bw_crash_lines *l, const char *text, const struct bw_crash_line *line)
{
	struct bw_crash_line own = *line;
	if (l->list.len >= BW_CRASH_MAX_LINES) {
		l->n_left_out++;
		return;
	}
	own.at = l->text.len;
	own.n = BW_MIN(strlen(text), (size_t)BW_CRASH_LINE_B - 1);
	bw_str_addn(&l->text, text, own.n);
	bw_str_addn(&l->text, "", 1); /* its zero */
	struct bw_error *err = bw_vec_push(&l->list, own);
	l->failed |= err != NULL || l->text.failed;
	bw_error_free(err);
}

/* One message, or a part of one. */
static bool add_message(struct bw_crash_lines *l, const char *text, unsigned number,
			struct bw_crash_time time, enum bw_crash_use (*classify)(const char *))
{
	const char *p = unquoted(text);
	struct bw_crash_line line = {.number = number, .last = number};
	const struct bw_crash_line *before = l->list.len ? &l->list.data[l->list.len - 1] : NULL;
	line.time = find_time(p);
	if (line.time.clock != BW_CRASH_UPTIME && time.clock)
		line.time = time; /* of the entry that it is of */
	line.begins = begins(p, line.time);
	line.is_boot = is_boot(p);
	enum bw_crash_use use = line.is_boot ? BW_CRASH_KEEP : classify(p);
	if (use == BW_CRASH_DROP && !line.begins && *p && before && before->last + 1 >= number &&
	    !l->is_cut)
		use = BW_CRASH_KEEP;
	l->is_cut = use == BW_CRASH_DROP;
	/* The pieces of a message keep what separates them. */
	if (use != BW_CRASH_DROP)
		push(l, p, &line);
	return use == BW_CRASH_MESSAGE;
}

/* "Jun  9 19:25:05" */
static bool begins_with_date(const char *p)
{
	return isupper((unsigned char)p[0]) && islower((unsigned char)p[1]) &&
	       islower((unsigned char)p[2]) && p[3] == ' ' &&
	       (p[4] == ' ' || isdigit((unsigned char)p[4])) && isdigit((unsigned char)p[5]) &&
	       p[6] == ' ' && is_clock(p + 7);
}

/* The end of the message that begins at text: there another one begins, whose newline was lost. */
static size_t message_length(const char *text)
{
	bool has_stamp = false, has_date = false, has_prefix = false;
	double s;
	for (const char *p = text; *p; p++) {
		bool is_stamp = *p == '[' && read_uptime(p, &s);
		bool is_date = begins_with_date(p);
		bool is_prefix = (bw_starts_with(p, "amdgpu ") && is_pci_address(p + 7)) ||
				 (bw_starts_with(p, "drmn") && isdigit((unsigned char)p[4])) ||
				 (bw_starts_with(p, "[drm:") && (p - text < 2 || p[-2] != ':'));
		if ((is_stamp && (has_stamp || has_prefix)) ||
		    (is_date && (has_date || has_prefix)) || (is_prefix && has_prefix))
			return (size_t)(p - text);
		has_stamp |= is_stamp;
		has_date |= is_date;
		has_prefix |= is_prefix;
	}
	return strlen(text);
}

/* journalctl -o json, a line an entry, and json-pretty, a line a member: the text of the message in
 * out. False: the line is none of these. */
static bool read_json(const char *text, size_t n, char out[BW_CRASH_LINE_B],
		      struct bw_crash_time *out_time)
{
	const double us = 1e6;
	size_t blanks = strspn(text, " \t");
	bool is_member = bw_starts_with(text + blanks, "\"MESSAGE\" : ");
	const char *value = is_member ? strchr(text, ':') + 2 : text + blanks;
	json_t *o, *message;
	if (!is_member && (*value != '{' || !strstr(value, "\"MESSAGE\"")))
		return false;
	o = json_loadb(value, n - (size_t)(value - text),
		       JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, NULL);
	message = json_is_object(o) ? json_object_get(o, "MESSAGE") : o;
	const char *string = json_string_value(message);
	if (string) {
		const char *uptime =
			json_string_value(json_object_get(o, "_SOURCE_MONOTONIC_TIMESTAMP"));
		const char *wall = json_string_value(json_object_get(o, "__REALTIME_TIMESTAMP"));
		size_t len = BW_MIN(json_string_length(message), (size_t)BW_CRASH_LINE_B - 1);
		memcpy(out, string, len);
		out[len] = '\0';
		*out_time = (struct bw_crash_time){uptime ? BW_CRASH_UPTIME
						   : wall ? BW_CRASH_WALL
							  : BW_CRASH_NO_CLOCK,
						   strtod(uptime ? uptime
							  : wall ? wall
								 : "0",
							  NULL) /
							   us};
	}
	json_decref(o);
	return string != NULL;
}

static void plain(char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (line[i] == '\0' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n')
			line[i] = ' ';
	while (n && line[n - 1] == ' ')
		n--;
	line[n] = '\0';
}

bool bw_crash_lines_add(struct bw_crash_lines *l, const char *text, size_t n, unsigned number,
			enum bw_crash_use (*classify)(const char *text))
{
	enum { MAX_B = 16384 };
	char line[MAX_B], message[BW_CRASH_LINE_B];
	struct bw_crash_time time = {0};
	bool is_message = false;
	n = BW_MIN(n, sizeof(line) - 1);
	memcpy(line, text, n);
	plain(line, n);
	const char *first = line + strspn(line, " ");
	if ((*first == '{' || *first == '"') && read_json(line, strlen(line), message, &time)) {
		plain(message, strlen(message));
		strcpy(line, message);
	}
	for (char *p = line; *p;) {
		size_t len = message_length(p);
		char end = p[len];
		p[len] = '\0';
		is_message |= add_message(l, p, number, time, classify);
		p[len] = end;
		p += len;
	}
	l->is_cut |= !*line;
	return is_message;
}

const char *bw_crash_lines_text(const struct bw_crash_lines *l, const struct bw_crash_line *line)
{
	return line->at < l->text.len ? l->text.data + line->at : "";
}

void bw_crash_lines_clear(struct bw_crash_lines *l)
{
	bw_vec_free(&l->list);
	bw_str_free(&l->text);
	*l = (struct bw_crash_lines){0};
}

/* ---- joining ---- */

/* Whether the message breaks off: after a word or a sign that needs more text, or inside a
 * bracket. */
static bool breaks_off(const char *message)
{
	static const char *const ends[] = {":",		",",	    "=",	"(",	   " for",
					   " from",	" process", " pid",	" thread", " to",
					   " at",	" address", " emitted", " client", " seq",
					   " starting", " page",    " ID",	" ret",	   " with"};
	size_t n = strlen(message);
	int depth = 0;
	for (size_t i = 0; i < n; i++)
		depth += (message[i] == '(') - (message[i] == ')');
	for (size_t i = 0; i < BW_ARRAY_SIZE(ends); i++) {
		size_t k = strlen(ends[i]);
		if (n >= k && !strcmp(message + n - k, ends[i]))
			return true;
	}
	return !n || depth > 0;
}

static void append(struct bw_crash_lines *l, struct bw_crash_line *line, const char *more)
{
	char whole[BW_CRASH_LINE_B];
	int n = snprintf(whole, sizeof(whole), "%s %s", bw_crash_lines_text(l, line), more);
	line->at = l->text.len;
	line->n = BW_MIN((size_t)n, sizeof(whole) - 1);
	bw_str_addn(&l->text, whole, line->n + 1);
	l->failed |= l->text.failed;
}

/* Whether a line that begins nothing continues the message above it: that breaks off, is not known,
 * or is as long as lines are where mail wraps them. */
static bool continues(const char *before, const char *text, bool (*is_whole)(const char *))
{
	enum { WRAPPED_N = 55 };
	return breaks_off(bw_crash_message(before)) || !is_whole(before) ||
	       (strlen(before) >= WRAPPED_N && (!is_whole(text) || strstr(text, "for process ")));
}

/* Puts parts that mail or a tracker has separated together again. */
static void join(struct bw_crash_lines *l, bool (*is_whole)(const char *))
{
	enum { MAX_PARTS = 4 };
	size_t to = 0, parts = 1;
	for (size_t i = 0; i < l->list.len; i++) {
		struct bw_crash_line line = l->list.data[i];
		struct bw_crash_line *held = to ? &l->list.data[to - 1] : NULL;
		const char *text = bw_crash_lines_text(l, &line);
		if (held && !line.begins && held->begins && held->last + 1 >= line.number &&
		    parts < MAX_PARTS) {
			if (continues(bw_crash_lines_text(l, held), text, is_whole)) {
				append(l, held, text);
				held->last = line.number;
				parts++;
				continue;
			}
		}
		parts = 1;
		l->list.data[to++] = line;
	}
	l->list.len = to;
}

/* ---- order ---- */

/* Whether time steps back more often than forward. Without stamps, groups of lines that belong
 * together show it. */
static bool is_backwards(const struct bw_crash_lines *l, int (*rank)(const char *))
{
	size_t forward = 0, back = 0, up = 0, down = 0;
	for (size_t i = 1; i < l->list.len; i++) {
		const struct bw_crash_line *a = &l->list.data[i - 1], *b = &l->list.data[i];
		double s;
		int ra = rank(bw_crash_lines_text(l, a)), rb = rank(bw_crash_lines_text(l, b));
		/* another boot begins the clock anew */
		if (!a->is_boot && !b->is_boot && bw_crash_time_between(a->time, b->time, &s)) {
			forward += s > 0;
			back += s < 0;
		}
		if (ra && rb) {
			up += rb > ra && rb - ra <= 2;
			down += ra > rb && ra - rb <= 2;
		}
	}
	return back == forward ? down > up : back > forward;
}

bool bw_crash_lines_end(struct bw_crash_lines *l, bool (*is_whole)(const char *text),
			int (*rank)(const char *text))
{
	join(l, is_whole);
	if (!is_backwards(l, rank))
		return false;
	for (size_t i = 0, k = l->list.len; i + 1 < k; i++) {
		struct bw_crash_line t = l->list.data[i];
		l->list.data[i] = l->list.data[--k];
		l->list.data[k] = t;
	}
	return true;
}
