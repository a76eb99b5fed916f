/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_FINDINGS_PRIV_H
#define BW_VGPU_EXEC_CHECK_FINDINGS_PRIV_H

/* The list of findings (findings.c), for those parts of the checker that make them. */

#include <pthread.h>

#include "vgpu/device/exec/check/finding.h"
#include "vgpu/device/exec/core/wave.h"

enum { BW_CHECK_FINDINGS = 1024 /* of a kind */ };

/* The lock is taken last. */
struct bw_findings {
	pthread_mutex_t lock;
	struct bw_check_finding *e; /* in the order in which they were made */
	size_t n, n_of[BW_FOUND_KINDS], n_told[BW_FOUND_KINDS];
	uint64_t last; /* the number of the one that was told last */
	bool stops_waves;
	bw_check_listener *listener;
	void *listener_cookie;
};

/* The parts of these, under the list's lock. Add: NULL, there are too many. */
bool bw_findings_init(struct bw_findings *l);
void bw_findings_fini(struct bw_findings *l);
bool bw_findings_again(struct bw_findings *l, const struct bw_check_finding *f);
struct bw_check_finding *bw_findings_add(struct bw_findings *l, const struct bw_check_finding *f);
void bw_findings_drop(struct bw_findings *l, size_t i);
void bw_findings_tell(struct bw_findings *l, struct bw_check_finding *f, struct bw_wave *w);

#endif
