/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_INCIDENTS_H
#define BW_CRASH_INCIDENTS_H

/* Groups the messages of a kernel log by incident: the faults, timeouts and resets of one hang of
 * one GPU. An incident ends where the driver has ended it (a ring or GPU reset, a soft recovery),
 * where nothing happened for two minutes, and with the boot. Consequences of a reset belong to its
 * incident. Pure. */

#include "crash/log.h"

struct bw_crash_item {
	bool is_fault;
	size_t index; /* in the log's faults or events */
	struct bw_crash_when when;
	const char *device; /* of the log; "": not known. Guessed where a line does not say it */
};

struct bw_crash_incident {
	size_t first, n; /* in items */
};

struct bw_crash_incidents {
	struct BW_VEC(struct bw_crash_item) items;
	struct BW_VEC(struct bw_crash_incident) list; /* by file, boot and time */
	unsigned n_devices;
	bool failed; /* out of memory */
};

/* out borrows from log, and is freed by the caller. */
void bw_crash_incidents_of(const struct bw_crash_log *log, struct bw_crash_incidents *out);
void bw_crash_incidents_free(struct bw_crash_incidents *in);

/* The fault of an item; NULL: it is of the other kind. */
const struct bw_crash_fault *bw_crash_fault_of(const struct bw_crash_log *log,
					       const struct bw_crash_item *item);
const struct bw_crash_event *bw_crash_event_of(const struct bw_crash_log *log,
					       const struct bw_crash_item *item);
/* The VMID of a fault's entry, else of its status; -1: neither is there. */
int bw_crash_fault_vmid(const struct bw_crash_fault *f);

#endif
