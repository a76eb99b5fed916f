/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_CHECKS_H
#define BW_WIRE_CHECKS_H

/* The checks of --check: their names, which debugger and virtual GPU have in common. */

#include "base/error.h"

#define BW_CHECKS(ROW)                                                                             \
	ROW(RACES, "races", 1)                                                                     \
	ROW(BOUNDS, "bounds", 2)                                                                   \
	ROW(INIT, "init", 4)                                                                       \
	ROW(SYNC, "sync", 8)                                                                       \
	ROW(WRITERS, "writers", 16) /* no findings: who has written memory */                      \
	ROW(LEAKS, "leaks", 32)

enum bw_check_what {
#define BW_CHECK_BIT(id, name, bit) BW_CHECK_##id = (bit),
	BW_CHECKS(BW_CHECK_BIT)
#undef BW_CHECK_BIT
	/* those that a list has to name */
	BW_CHECKS_NAMED = BW_CHECK_LEAKS,
};

/* In the environment of programs: the list of --check=LIST, "" for all. */
#define BW_CHECKS_ENV "BREAKWATER_CHECK"

/* Reads names with commas between them; NULL: all checks but BW_CHECKS_NAMED. */
struct bw_error *bw_checks_parse(const char *option, const char *list, unsigned *out) BW_MUST_CHECK;

/* What a program is checked for, by its environment. */
unsigned bw_checks_wanted(void);

#endif
