/* SPDX-License-Identifier: MIT */
/* Lines of the GPU's driver in the kernel log, from the time of a step. */
#include "selftest/selftest_priv.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

const char *bw_selftest_log_after(const char *before, const char *now)
{
	size_t n = strlen(before);
	if (!strncmp(now, before, n))
		return now + n;
	/* The kernel forgets the oldest lines. */
	while (n && before[n - 1] == '\n')
		n--;
	size_t begin = n;
	while (begin && before[begin - 1] != '\n')
		begin--;
	const char *found = NULL;
	for (const char *line = now; n > begin && *line; line += line[0] == '\n') {
		size_t line_n = strcspn(line, "\n");
		if (line_n == n - begin && !strncmp(line, before + begin, line_n))
			found = line + line_n + (line[line_n] == '\n');
		line += line_n;
	}
	return found ? found : now;
}

/* The text, with the names of programs that are not ours replaced: "in process NAME pid 12 thread
 * NAME pid 13" (amdgpu_vm_print_task_info, Linux 6.12). A name can have spaces. */
static void add_without_programs(struct bw_str *out, const char *text, size_t n)
{
	static const char *const before[] = {"rocess ", "hread "};
	static const char after[] = " pid ";
	for (size_t at = 0; at < n;) {
		size_t k = 0;
		while (k < BW_ARRAY_SIZE(before) &&
		       (n - at < strlen(before[k]) ||
			memcmp(text + at, before[k], strlen(before[k])) != 0))
			k++;
		if (k == BW_ARRAY_SIZE(before)) {
			bw_str_addn(out, text + at++, 1);
			continue;
		}
		bw_str_add(out, before[k]);
		at += strlen(before[k]);
		const char *end = memmem(text + at, n - at, after, strlen(after));
		size_t name_n = end ? (size_t)(end - text) - at : 0;
		if (end && bw_selftest_is_program(text + at, name_n))
			bw_str_addn(out, text + at, name_n);
		else if (end)
			bw_str_add(out, "PROGRAM");
		at += name_n;
	}
}

bool bw_selftest_log_line(const char *line, size_t n, struct bw_str *out)
{
	static const char *const marks[] = {"amdgpu", "[drm"};
	bool is_of_driver = false;
	if (n > 3 && line[0] == '<' && line[2] == '>') { /* its level: syslog(2) */
		line += 3;
		n -= 3;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(marks); i++)
		is_of_driver |= memmem(line, n, marks[i], strlen(marks[i])) != NULL;
	if (is_of_driver)
		add_without_programs(out, line, n);
	return is_of_driver;
}

struct bw_error *bw_selftest_log_begin(struct bw_selftest_log *log, struct bw_kmd *kmd)
{
	struct bw_error *err = bw_kmd_log(kmd, &log->seen);
	log->kmd = err ? NULL : kmd;
	return err;
}

void bw_selftest_log_take(struct bw_selftest_log *log, struct bw_selftest_work *w)
{
	struct bw_str now = {0}, line = {0};
	_cleanup_error_ struct bw_error *err = log->kmd ? bw_kmd_log(log->kmd, &now) : NULL;
	const char *at = err || !log->kmd ? ""
					  : bw_selftest_log_after(bw_str_text(&log->seen),
								  bw_str_text(&now));
	while (*at) {
		size_t n = strcspn(at, "\n");
		bw_str_clear(&line);
		if (bw_selftest_log_line(at, n, &line))
			bw_selftest_value(w, BW_SELFTEST_LOG, "%s", bw_str_text(&line));
		at += n + (at[n] == '\n');
	}
	bw_str_free(&line);
	bw_str_free(&log->seen);
	log->seen = now;
}

bool bw_selftest_log_has_timeout(const struct bw_selftest_result *r)
{
	for (uint32_t i = 0; i < r->n_values; i++) {
		if (strcmp(r->values[i].name, BW_SELFTEST_LOG) != 0)
			continue;
		/* "ring comp_1.0.0 timeout, signaled seq=1, emitted seq=2" (amdgpu_job_timedout) */
		const char *ring = strstr(r->values[i].text, "ring ");
		if (ring && strstr(ring, " timeout"))
			return true;
	}
	return false;
}

void bw_selftest_log_end(struct bw_selftest_log *log)
{
	bw_str_free(&log->seen);
}
