/* SPDX-License-Identifier: MIT */
/* Whether KVM is of use: what is no KVM is refused with the reason, and this machine's gets the
 * same answer each time. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"
#include "guest/kvm.h"

static void test_no_kvm(void **state)
{
	(void)state;
	struct bw_error *err = bw_guest_kvm_check("/nowhere/kvm");
	assert_non_null(err);
	assert_string_equal(err->message,
			    "/nowhere/kvm cannot be opened: No such file or directory");
	bw_error_free(err);
	/* a file that can be opened and is something else */
	err = bw_guest_kvm_check("/dev/null");
	assert_non_null(err);
	assert_string_equal(
		err->message,
		"/dev/null exists, but cannot be used: it does not speak KVM's interface 12");
	bw_error_free(err);
}

/* Twice the same answer: it must not depend on how busy the machine is. */
static void test_this_machine(void **state)
{
	(void)state;
	if (access("/dev/kvm", R_OK | W_OK))
		skip();
	struct bw_error *first = bw_guest_kvm_check("/dev/kvm");
	struct bw_error *second = bw_guest_kvm_check("/dev/kvm");
	print_message("%s\n", first ? first->message : "KVM is of use");
	assert_int_equal(!first, !second);
	assert_true(!first || strstr(first->message, "/dev/kvm"));
	bw_error_free(first);
	bw_error_free(second);
}

TESTS(test_no_kvm, test_this_machine);
