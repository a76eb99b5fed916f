/* SPDX-License-Identifier: MIT */
/* Files that are not amdgpu's. What works, works in every session (e2e, capture, replay). */
#include "node/node.h"

#include <errno.h>
#include <string.h>

#include "../suite.h"

static void expect(struct bw_error *err, enum bw_error_code code, const char *part)
{
	assert_non_null(err);
	assert_int_equal(err->code, code);
	if (!strstr(err->message, part))
		fail_msg("not in the message: %s\n%s", part, err->message);
	bw_error_free(err);
}

static void test_open(void **state)
{
	int fd = -1;
	uint32_t version;
	expect(bw_node_open("/dev/dri/no-such-node", &fd, &version), BW_E_SYSTEM,
	       "cannot open /dev/dri/no-such-node");
	expect(bw_node_open("/dev/null", &fd, &version), BW_E_SYSTEM,
	       "/dev/null does not say which driver it has");
	assert_int_equal(fd, -1);
}

static void test_errors(void **state)
{
	expect(bw_node_error(-ENODEV, "cannot make a context"), BW_E_GONE,
	       "cannot make a context: the GPU has gone away");
	expect(bw_node_error(-ENOSPC, "no GPU memory"), BW_E_SYSTEM,
	       "no GPU memory: No space left on device");
}

static void test_nothing_is_closed(void **state)
{
	struct bw_node_buffer b = {0};
	bw_node_buffer_close(-1, &b);
	assert_int_equal(b.handle, 0);
}

TESTS(test_open, test_errors, test_nothing_is_closed);
