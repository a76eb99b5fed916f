/* SPDX-License-Identifier: MIT */
/* Kernel logs from anywhere: parsing ends, stays in its bounds, and what is said about a fault has
 * an end. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "crash/log.h"
#include "kmd/kmd_priv.h"
#include "kmd/queue_error.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static bool any_process(void *cookie, pid_t pid)
{
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct bw_crash_log log = {0};
	struct bw_kmd_queue_error queue_error;
	char *whole = malloc(n + 1);
	if (!whole)
		return 0;
	memcpy(whole, bytes, n);
	whole[n] = 0;
	if (bw_kmd_last_queue_error(whole, 77, 0, &queue_error))
		assert(memchr(queue_error.why, 0, sizeof(queue_error.why)) && queue_error.what[0]);
	struct bw_kmd_ring_fences *fences = NULL;
	size_t n_fences = 0;
	bw_error_free(bw_kmd_parse_fences(whole, &fences, &n_fences));
	free(fences);
	struct bw_kmd_wait wait;
	bw_kmd_parse_waits(whole, any_process, NULL, &wait);
	assert(memchr(wait.holder_comm, 0, sizeof(wait.holder_comm)) && wait.waiter >= 0);
	free(whole);
	bw_crash_log_text(&log, (const char *)bytes, n);
	bw_crash_log_end(&log);
	assert(log.faults.len <= BW_CRASH_MAX_FAULTS && log.events.len <= BW_CRASH_MAX_EVENTS);
	for (size_t i = 0; i < log.faults.len; i++) {
		struct bw_crash_fault *f = &log.faults.data[i];
		struct bw_gpuvm_fault_facts facts = bw_crash_fault_facts(&log, f, NULL);
		struct bw_gpuvm_fault_story s = {0};
		struct bw_gpuvm_status_field fields[BW_GPUVM_MAX_STATUS_FIELDS];
		bw_gpuvm_fault_tell(&facts, &s);
		assert(s.headline.len);
		bw_gpuvm_fault_story_free(&s);
		size_t n_fields = bw_gpuvm_status_fields(&facts.part, facts.hub, f->status, fields);
		for (size_t k = 0; k < n_fields; k++) {
			struct bw_str text = {0};
			bw_gpuvm_fault_field(&facts, &fields[k], &text);
			bw_str_free(&text);
		}
	}
	for (size_t i = 0; i < log.events.len; i++)
		assert(bw_crash_event_name(log.events.data[i].kind));
	bw_crash_log_free(&log);

	/* A version as a user types it. */
	char text[32];
	struct bw_gpuvm_part part;
	n = BW_MIN(n, sizeof(text) - 1);
	memcpy(text, bytes, n);
	text[n] = '\0';
	bw_error_free(bw_gpuvm_part_parse(text, &part));
	return 0;
}
