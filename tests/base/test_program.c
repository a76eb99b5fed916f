/* SPDX-License-Identifier: MIT */
#include "base/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../suite.h"

struct file {
	Elf64_Ehdr e;
	Elf64_Phdr p[2];
	char loader[32];
};

/* A dynamic program whose second header names its loader. */
static struct file dynamic(void)
{
	struct file f = {.e = {.e_type = ET_DYN,
			       .e_machine = EM_AARCH64,
			       .e_phoff = offsetof(struct file, p),
			       .e_phentsize = sizeof(Elf64_Phdr),
			       .e_phnum = 2},
			 .p = {{.p_type = PT_LOAD},
			       {.p_type = PT_INTERP,
				.p_offset = offsetof(struct file, loader),
				.p_filesz = 16}},
			 .loader = "/lib/ld-linux.so"};
	memcpy(f.e.e_ident, ELFMAG, SELFMAG);
	f.e.e_ident[EI_CLASS] = ELFCLASS64;
	return f;
}

static struct bw_program_file parsed(const void *head, size_t size_b)
{
	/* exactly as large, so that a read beyond it is seen */
	void *copy = malloc(size_b);
	struct bw_program_file f;
	memcpy(copy, head, size_b);
	bw_program_parse(copy, size_b, &f);
	free(copy);
	return f;
}

static void loaders(void **state)
{
	struct file d = dynamic();
	struct bw_program_file f = parsed(&d, sizeof(d));
	assert_true(f.is_elf && f.is_64_bit && f.has_loader && f.all_seen && !f.is_core);
	assert_int_equal(f.machine, EM_AARCH64);
	assert_string_equal(f.interpreter, "/lib/ld-linux.so");
	assert_string_equal(bw_program_machine_name(f.machine), "AArch64");

	d.p[1].p_type = PT_NOTE;
	f = parsed(&d, sizeof(d));
	assert_true(f.all_seen && !f.has_loader); /* static */
	f = parsed(&d, sizeof(d.e) + sizeof(d.p[0]) + 8);
	assert_true(!f.all_seen && !f.has_loader);
	d = dynamic();
	d.e.e_phoff = UINT64_MAX - 8;
	assert_false(parsed(&d, sizeof(d)).all_seen);
	d = dynamic();
	d.p[1].p_offset = UINT64_MAX - 4;
	f = parsed(&d, sizeof(d));
	assert_true(f.has_loader && !f.interpreter[0]);
	d.e.e_ident[EI_CLASS] = ELFCLASS32;
	d.e.e_type = ET_CORE;
	f = parsed(&d, sizeof(d));
	assert_true(f.is_core && !f.is_64_bit && !f.has_loader);
	assert_false(parsed(&d, 10).is_elf);
}

static void interpreter_lines(void **state)
{
	static const struct {
		const char *text, *interpreter;
	} rows[] = {{"#!/bin/sh\n", "/bin/sh"},
		    {"#! /usr/bin/env python3\n", "/usr/bin/env"},
		    {"#!/bin/sh", "/bin/sh"},
		    {"#!", ""}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bw_program_file f = parsed(rows[i].text, strlen(rows[i].text));
		assert_true(f.has_interpreter_line && !f.is_elf);
		assert_string_equal(f.interpreter, rows[i].interpreter);
	}
	char longest[1000];
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "#!", 2);
	assert_string_equal(parsed(longest, sizeof(longest)).interpreter, "");
	assert_false(parsed("echo\n", 5).has_interpreter_line);
}

static void not_run(void **state)
{
	char path[] = "/tmp/bw-program-XXXXXX";
	int fd = mkstemp(path);
	assert_int_equal(write(fd, "#!/nonexistent/sh\n", 18), 18);
	close(fd);
	struct bw_error *err = bw_program_not_run(path, ENOENT);
	assert_non_null(strstr(err->message, "its interpreter /nonexistent/sh does not exist"));
	assert_int_equal(err->errnum, ENOENT);
	bw_error_free(err);
	err = bw_program_not_run(path, EACCES);
	assert_null(strstr(err->message, "interpreter"));
	bw_error_free(err);
	unlink(path);
	err = bw_program_not_run(path, ENOENT);
	assert_null(strstr(err->message, "interpreter"));
	bw_error_free(err);
}

TESTS(loaders, interpreter_lines, not_run);
