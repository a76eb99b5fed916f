/* SPDX-License-Identifier: MIT */
/* The kernel's log messages: stored as dmesg stores them, and written to the server's standard
 * error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/klog.h"
#include "vgpu/uapi/uapi_priv.h"

enum { KEEP_B = 256 << 10 };

void bw_klog(struct bw_uapi *u, const char *fmt, ...)
{
	int64_t since_boot_us = (bw_now_ns() - (int64_t)u->boot_ns) / 1000;
	char text[512], line[640];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	int n = snprintf(line, sizeof(line), "[%5lld.%06lld] amdgpu %s: amdgpu: %s\n",
			 (long long)(since_boot_us / 1000000), (long long)(since_boot_us % 1000000),
			 u->profile->pci_address, text);
	size_t len = BW_MIN((size_t)BW_MAX(n, 0), sizeof(line) - 1);
	pthread_mutex_lock(&u->log_lock);
	if (u->log.len > KEEP_B) {
		/* The older half goes, by whole lines. */
		const char *keep = memchr(u->log.data + KEEP_B / 2, '\n', u->log.len - KEEP_B / 2);
		size_t from = keep ? (size_t)(keep + 1 - u->log.data) : u->log.len;
		bw_vec_remove_n(&u->log, 0, from);
	}
	bw_str_addn(&u->log, line, len);
	pthread_mutex_unlock(&u->log_lock);
	if (u->options.quiet)
		return;
	/* One write, so that lines of several processes do not mix. */
	ssize_t ignored = write(STDERR_FILENO, line, len);
	(void)ignored;
}

bool bw_klog_allowed(struct bw_uapi *u)
{
	/* DEFAULT_RATELIMIT_INTERVAL and _BURST: 10 in 5 s */
	const int64_t window_ns = 5000000000;
	int64_t now = bw_now_ns();
	pthread_mutex_lock(&u->log_lock);
	if (!u->log_window_ns || now - u->log_window_ns > window_ns) {
		u->log_window_ns = now;
		u->log_in_window = 0;
	}
	bool allowed = u->log_in_window++ < 10;
	pthread_mutex_unlock(&u->log_lock);
	return allowed;
}

char *bw_klog_text(struct bw_uapi *u)
{
	pthread_mutex_lock(&u->log_lock);
	char *copy = strdup(bw_str_text(&u->log));
	pthread_mutex_unlock(&u->log_lock);
	return copy;
}
