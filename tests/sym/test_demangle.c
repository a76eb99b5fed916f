/* SPDX-License-Identifier: MIT */
#include "sym/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"

/* Names as llvm-cxxfilt-19 prints them; std::bfloat16_t, which it does not know, as c++filt of
 * binutils 2.40. */
static void demangles(void **state)
{
	static const struct {
		const char *mangled, *full, *base;
	} rows[] = {
		{"_Z4dotsPfi", "dots(float*, int)", "dots"},
		{"_ZN2ns4dotsEPfi", "ns::dots(float*, int)", "ns::dots"},
		{"_ZN2ns4addtIfEET_S1_S1_", "float ns::addt<float>(float, float)",
		 "ns::addt<float>"},
		{"_ZN12_GLOBAL__N_13fooEi", "(anonymous namespace)::foo(int)",
		 "(anonymous namespace)::foo"},
		{"_ZN1AlsEi", "A::operator<<(int)", "A::operator<<"},
		{"_ZN1AclEi", "A::operator()(int)", "A::operator()"},
		{"_ZNK1AcvjEv", "A::operator unsigned int() const", "A::operator unsigned int"},
		{"_ZNK1AcvPKcEv", "A::operator char const*() const", "A::operator char const*"},
		{"_Z11my_operatorIiEvT_", "void my_operator<int>(int)", "my_operator<int>"},
		{"_ZN1BnaEm", "B::operator new[](unsigned long)", "B::operator new[]"},
		{"_Z3k16PDF16_i", "k16(_Float16*, int)", "k16"},
		{"_Z4halfIDF16_fEvT_PKS0_DF16_",
		 "void half<_Float16, float>(_Float16, "
		 "_Float16 const*, _Float16)",
		 "half<_Float16, float>"},
		{"_Z3kbfPDF16bi", "kbf(std::bfloat16_t*, int)", "kbf"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *full = bw_demangle(rows[i].mangled);
		size_t len;
		assert_non_null(full);
		assert_string_equal(full, rows[i].full);
		const char *base = bw_name_base(full, &len);
		assert_int_equal(len, strlen(rows[i].base));
		assert_memory_equal(base, rows[i].base, len);
		assert_true(bw_name_is(full, full));
		assert_true(bw_name_is(full, rows[i].base));
		free(full);
	}
	assert_null(bw_demangle("saxpy"));
	assert_null(bw_demangle("_Zzzz"));
	assert_null(bw_demangle(""));
}

static void short_names(void **state)
{
	static const struct {
		const char *full, *typed;
		bool yes;
	} rows[] = {
		{"ns::dots(float*, int)", "dots", true},
		{"ns::dots(float*, int)", "ns::dots", true},
		{"ns::dots(float*, int)", "dots(float *,int)", true},
		{"ns::dots(float*, int)", "dots(float*)", false},
		{"ns::dots(float*, int)", "ots", false},
		{"ns::dots(float*, int)", "dot", false},
		{"ns::dots(float*, int)", "ns", false},
		{"ns::dots(float*, int)", "", false},
		{"float ns::addt<float>(float, float)", "addt", true},
		{"float ns::addt<float>(float, float)", "addt<float>", true},
		{"float ns::addt<float>(float, float)", "ns::addt<int>", false},
		{"void k<a::b>(int)", "b", false},
		{"void k<a::b>(int)", "k", true},
		{"saxpy", "saxpy", true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (bw_name_is(rows[i].full, rows[i].typed) != rows[i].yes)
			fail_msg("\"%s\" by \"%s\"", rows[i].full, rows[i].typed);
}

TESTS(demangles, short_names);
