/* SPDX-License-Identifier: MIT */
#include "sym/lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "opened.h"

/* Addresses and lines: doc/hardware/code-objects.md 6, from llvm-dwarfdump-19. */

static void check_find(const struct bw_lines *l, const char *file, unsigned line, size_t n_wanted,
		       const uint64_t *wanted)
{
	uint64_t found[16];
	unsigned got_line = 0;
	size_t n = bw_lines_find(l, file, line, found, 16, &got_line);
	if (n != n_wanted)
		fail_msg("%s:%u: %zu addresses, not %zu", file, line, n, n_wanted);
	assert_int_equal(got_line, line);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(found[i], wanted[i]);
}
#define CHECK_FIND(l, file, line, ...)                                                             \
	check_find(l, file, line, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),            \
		   (const uint64_t[]){__VA_ARGS__})

static void check_at(const struct bw_lines *l, uint64_t addr, unsigned line, unsigned column,
		     bool approximate)
{
	struct bw_line at;
	if (!bw_lines_at(l, addr, &at))
		fail_msg("%#llx has no line", (unsigned long long)addr);
	if (at.line != line || at.column != column || at.approximate != approximate)
		fail_msg("%#llx is %u:%u%s", (unsigned long long)addr, at.line, at.column,
			 at.approximate ? " or so" : "");
	assert_true(at.start <= addr && addr < at.end);
}

/* #1, #2, #3, #6 */
static void unoptimised(void **state)
{
	struct opened o = opened("kern_nolib.O0");
	struct bw_line at;
	const struct bw_kernel *k = bw_code_object_kernel(o.co, "kern");
	uint64_t after = bw_lines_after_prologue(o.lines, k->entry, k->end);
	assert_int_equal(after, 0x1ae0);
	check_at(o.lines, after, 12, 9, false);
	check_at(o.lines, k->entry, 10, 0, false);
	assert_true(bw_lines_at(o.lines, after, &at));
	assert_true(at.prologue_end && at.is_stmt);
	assert_int_equal(at.end, 0x1ae8);
	CHECK_FIND(o.lines, "kern_nolib.cl", 19, 0x1ba0);
	CHECK_FIND(o.lines, "kern_nolib.cl", 23, 0x1da4);
	CHECK_FIND(o.lines, "kern_nolib.cl", 25, 0x1e74);
	CHECK_FIND(o.lines, "kern_nolib.cl", 27, 0x1fc8);
	CHECK_FIND(o.lines, "kern_nolib.cl", 5, 0x2078);
	CHECK_FIND(o.lines, "kern_nolib.cl", 21, 0x1c1c, 0x1ee0);
	check_at(o.lines, 0x1dfc, 23, 27, false);
	check_at(o.lines, 0x1f30, 21, 5, true);
	check_at(o.lines, 0x2090, 5, 19, false);
	/* helper's prologue, and a function that is none */
	assert_int_equal(bw_lines_after_prologue(o.lines, 0x2058, 0x20cc), 0x2078);
	assert_int_equal(bw_lines_after_prologue(o.lines, 0x1ae4, 0x2058), 0x1ae4);
	assert_int_equal(bw_lines_after_prologue(o.lines, 0x9000, 0x9000), 0x9000);
	closed(o);
}

/* #4, #5, #7 */
static void optimised(void **state)
{
	struct opened o = opened("kern_nolib.O2");
	CHECK_FIND(o.lines, "kern_nolib.cl", 23, 0x17dc, 0x1848, 0x18b4, 0x1920, 0x19cc);
	CHECK_FIND(o.lines, "kern_nolib.cl", 22, 0x17a8, 0x1800, 0x186c, 0x18d8, 0x1944, 0x195c,
		   0x1998, 0x19dc);
	check_at(o.lines, 0x1720, 13, 54, false);
	check_at(o.lines, 0x1780, 21, 5, true);
	check_at(o.lines, 0x1850, 23, 20, false);
	check_at(o.lines, 0x1a24, 5, 15, false);
	closed(o);
}

/* Where gdb stops in a line: it says "Breakpoint 1 at 0x1c1c" of line 21 in the first object, and
 * 0x174c in the second. There it leaves out what is unrolled, too, which is kept here. */
static void first_of_block(void **state)
{
	static const struct {
		const char *object;
		unsigned line;
		size_t n, kept;
		uint64_t first;
	} rows[] = {{"kern_nolib.O0", 21, 2, 1, 0x1c1c}, {"kern_nolib.O0", 23, 1, 1, 0x1da4},
		    {"kern_nolib.O2", 21, 4, 1, 0x174c}, {"kern_nolib.O2", 22, 8, 8, 0x17a8},
		    {"kern_nolib.O2", 23, 5, 5, 0x17dc}, {"add", 9, 1, 1, 0x130c}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct opened o = opened(rows[i].object);
		uint64_t found[16];
		unsigned line;
		size_t n = bw_lines_find(o.lines, i == 5 ? "add.s" : "kern_nolib.cl", rows[i].line,
					 found, 16, &line);
		assert_int_equal(n, rows[i].n);
		assert_null(bw_lines_keep_first(o.lines, found, n, &n));
		assert_int_equal(n, rows[i].kept);
		assert_int_equal(found[0], rows[i].first);
		closed(o);
	}
}

/* #19 */
static void assembly(void **state)
{
	struct opened o = opened("add");
	struct bw_line at;
	check_at(o.lines, 0x1300, 7, 0, false);
	check_at(o.lines, 0x1314, 11, 0, false);
	check_at(o.lines, 0x1318, 11, 0, false);
	check_at(o.lines, 0x131c, 12, 0, false);
	check_at(o.lines, 0x1320, 13, 0, false);
	assert_true(bw_lines_at(o.lines, 0x1323, &at));
	assert_false(bw_lines_at(o.lines, 0x1324, &at));
	assert_false(bw_lines_at(o.lines, 0x12ff, &at));
	assert_false(bw_lines_at(o.lines, 0, &at));
	assert_false(bw_lines_at(o.lines, UINT64_MAX, &at));
	assert_int_equal(bw_lines_after_prologue(o.lines, 0x1300, 0x1324), 0x1300);
	CHECK_FIND(o.lines, "add.s", 9, 0x130c);
	closed(o);
}

static void files_as_typed(void **state)
{
	struct opened o = opened("kern_nolib.O0");
	static const char *const typed[] = {"kern_nolib.cl", "samples/kern_nolib.cl",
					    "./samples/kern_nolib.cl", "sym/samples/kern_nolib.cl"};
	static const char *const others[] = {"lib.cl",		"other.cl",	  "",
					     "x/kern_nolib.cl", "/kern_nolib.cl", "kern_nolib"};
	uint64_t found[4];
	unsigned line;
	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++)
		CHECK_FIND(o.lines, typed[i], 23, 0x1da4);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(bw_lines_find(o.lines, others[i], 23, found, 4, &line), 0);
	const char *const *files;
	size_t n = bw_lines_files(o.lines, &files), seen = 0;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(files[i][0], '/');
		seen += strstr(files[i], "/tests/sym/samples/kern_nolib.cl") != NULL;
	}
	assert_int_equal(seen, 1);
	closed(o);
}

static void lines_without_code(void **state)
{
	struct opened o = opened("kern_nolib.O0");
	uint64_t found[4];
	unsigned line = 0;
	/* line 15 declares, 16 has code; behind the last line there is nothing */
	assert_int_equal(bw_lines_find(o.lines, "kern_nolib.cl", 15, found, 4, &line), 1);
	assert_int_equal(line, 16);
	assert_int_equal(found[0], 0x1b14);
	assert_int_equal(bw_lines_find(o.lines, "kern_nolib.cl", 29, found, 4, &line), 0);
	/* a small buffer gets what fits */
	assert_int_equal(bw_lines_find(o.lines, "kern_nolib.cl", 21, found, 1, &line), 1);
	assert_int_equal(found[0], 0x1c1c);
	closed(o);
}

static void no_line_table(void **state)
{
	struct opened o = opened("kern_nolib.plain");
	struct bw_line at;
	const char *const *files;
	uint64_t found[1];
	unsigned line;
	const struct bw_kernel *k = bw_code_object_kernel(o.co, "kern");
	assert_false(bw_lines_at(o.lines, k->entry, &at));
	assert_int_equal(bw_lines_find(o.lines, "kern_nolib.cl", 1, found, 1, &line), 0);
	assert_int_equal(bw_lines_after_prologue(o.lines, k->entry, k->end), k->entry);
	assert_int_equal(bw_lines_files(o.lines, &files), 0);
	assert_null(bw_lines_text(o.lines, "kern_nolib.cl", 1));
	closed(o);
	bw_lines_close(NULL);
}

static void source_text(void **state)
{
	struct opened o = opened("nest.O2");
	struct bw_line at;
	const struct bw_kernel *k = bw_code_object_kernel(o.co, "nest");
	assert_true(bw_lines_at(o.lines, bw_lines_after_prologue(o.lines, k->entry, k->end), &at));
	const char *text = bw_lines_text(o.lines, at.file, 4);
	assert_non_null(text);
	assert_string_equal(text, "    int x = inner(a);");
	assert_ptr_equal(bw_lines_text(o.lines, at.file, 4), text);
	assert_string_equal(bw_lines_text(o.lines, at.file, 3), "{");
	assert_null(bw_lines_text(o.lines, at.file, 0));
	assert_null(bw_lines_text(o.lines, at.file, 1000));
	assert_null(bw_lines_text(o.lines, "/etc/passwd", 1));
	closed(o);
}

/* Every row against the compiler's own idea of it: addresses of one line, found by FILE:LINE, are
 * at that line. */
static void find_and_at_agree(void **state)
{
	static const char *const objects[] = {"kern_nolib.O0", "kern_nolib.O2", "two.O0",
					      "nest.O2",       "ckern.O0",	"meta"};
	size_t n_checked = 0;
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		struct opened o = opened(objects[i]);
		const char *const *files;
		size_t n_files = bw_lines_files(o.lines, &files);
		for (size_t f = 0; f < n_files; f++) {
			for (unsigned line = 1; line < 60; line++) {
				uint64_t found[32];
				unsigned got = 0;
				size_t n = bw_lines_find(o.lines, files[f], line, found, 32, &got);
				for (size_t k = 0; k < n; k++, n_checked++) {
					struct bw_line at;
					assert_true(bw_lines_at(o.lines, found[k], &at));
					assert_true(got >= line && at.line == got &&
						    at.start == found[k]);
					assert_string_equal(at.file, files[f]);
				}
			}
		}
		closed(o);
	}
	assert_true(n_checked > 100);
}

TESTS(unoptimised, optimised, first_of_block, assembly, files_as_typed, lines_without_code,
      no_line_table, source_text, find_and_at_agree);
