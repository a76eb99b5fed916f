/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_SYM_SAMPLES_H
#define BW_TESTS_SYM_SAMPLES_H

/* The code objects that the build made from tests/sym/samples. Include after cmocka.h. */

#include <stdio.h>
#include <stdlib.h>

#include "sym/code_object.h"

static inline const char *sample_path(const char *name)
{
	static char path[4096];
	snprintf(path, sizeof(path), "%s/%s.co", getenv("BREAKWATER_SAMPLES"), name);
	return path;
}

static inline struct bw_code_object *sample(const char *name)
{
	struct bw_code_object *co = NULL;
	struct bw_error *err = bw_code_object_load(sample_path(name), &co);
	if (err)
		fail_msg("%s", err->message);
	return co;
}

#endif
