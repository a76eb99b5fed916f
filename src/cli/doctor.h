/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_DOCTOR_H
#define BW_CLI_DOCTOR_H

/* What breakwater doctor finds. One thread. */

#include <stdbool.h>
#include <stddef.h>

#include "base/util.h"
#include "base/vec.h"

enum verdict { GOOD, NOTE, MISSING };

struct finding {
	enum verdict verdict;
	char *what, *text, *remedy; /* owned; remedy may be NULL */
};

struct doctor {
	bool json, help;
	const char *root; /* "" or a folder to look at instead of / */
	struct BW_VEC(struct finding) findings;
	bool hardware_ready, virtual_ready;
	unsigned n_gpus;
};

void bw_doctor_judge(struct doctor *d, enum verdict v, const char *what, const char *remedy,
		     const char *fmt, ...) BW_PRINTF(5, 6);
/* A path below the folder that is looked at; owned. */
char *bw_doctor_path(const struct doctor *d, const char *fmt, ...) BW_PRINTF(2, 3);
/* The first line of a file, without its end. */
bool bw_doctor_read_line(const char *path, char *out, size_t out_b);

/* ---- doctor_surroundings.c ---- */

void bw_doctor_look_at_tools(struct doctor *d);
/* Sandboxes, limits, and what programs need besides a GPU. */
void bw_doctor_look_at_surroundings(struct doctor *d);

#endif
