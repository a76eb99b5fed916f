/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/util.h"

static const char *const level_names[] = {"none", "error", "warn", "info", "debug", "trace"};

static struct {
	pthread_once_t once;
	struct {
		char module[24]; /* empty: every module */
		enum bw_log_level level;
	} rules[16];
	size_t n_rules;
	enum bw_log_level highest;
} spec = {.once = PTHREAD_ONCE_INIT, .highest = BW_LOG_ERROR};

static void add_rule(const char *item, size_t len)
{
	const char *eq = memchr(item, '=', len);
	const char *level = eq ? eq + 1 : item;
	size_t level_len = len - (size_t)(level - item);
	if (spec.n_rules == BW_ARRAY_SIZE(spec.rules))
		return;
	for (size_t i = 0; i < BW_ARRAY_SIZE(level_names); i++) {
		if (strlen(level_names[i]) != level_len ||
		    strncasecmp(level_names[i], level, level_len))
			continue;
		size_t n = eq ? BW_MIN((size_t)(eq - item), sizeof(spec.rules[0].module) - 1) : 0;
		memcpy(spec.rules[spec.n_rules].module, item, n);
		spec.rules[spec.n_rules++].level = (enum bw_log_level)i;
		spec.highest = BW_MAX(spec.highest, (enum bw_log_level)i);
	}
}

static void read_spec(void)
{
	const char *text = getenv("BREAKWATER_LOG");
	while (text && *text) {
		size_t len = strcspn(text, ",");
		add_rule(text, len);
		text += len + (text[len] == ',');
	}
}

bool bw_log_on(enum bw_log_level level, const char *module)
{
	pthread_once(&spec.once, read_spec);
	if (level > spec.highest)
		return false;
	enum bw_log_level allowed = BW_LOG_ERROR;
	for (size_t i = 0; i < spec.n_rules; i++)
		if (!spec.rules[i].module[0] || !strcmp(spec.rules[i].module, module))
			allowed = spec.rules[i].level;
	return level <= allowed;
}

void bw_log_write(enum bw_log_level level, const char *module, const char *fmt, ...)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "breakwater %s %s: ", module, level_names[level]);
	va_list args;
	va_start(args, fmt);
	int m = vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, args);
	va_end(args);
	size_t len = BW_MIN((size_t)(n + BW_MAX(m, 0)), sizeof(line) - 2);
	line[len++] = '\n';
	/* One write, so that lines of several processes do not mix. */
	ssize_t ignored = write(STDERR_FILENO, line, len);
	(void)ignored;
}
