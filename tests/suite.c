// SPDX-License-Identifier: MIT
#include "suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct suite *const __start_suites[], *const __stop_suites[];

/* "run" of ../tests/debug/test_run.c */
static const char *name_of(const struct suite *s)
{
	static char name[64];
	const char *file = strrchr(s->file, '/');
	const char *begin = strchr(file ? file : s->file, '_') + 1;
	snprintf(name, sizeof(name), "%.*s", (int)(strrchr(begin, '.') - begin), begin);
	return name;
}

static int run_list(const struct suite *s)
{
	struct CMUnitTest tests[SUITE_MAX_TESTS];
	char *names = strdup(s->names);
	size_t n = 0;
	for (; n < SUITE_MAX_TESTS && s->tests[n]; n++)
		tests[n] = (struct CMUnitTest){strtok(n ? NULL : names, ", "), s->tests[n],
					       s->setup, s->teardown, NULL};
	int failed =
		_cmocka_run_group_tests(name_of(s), tests, n, s->group_setup, s->group_teardown);
	free(names);
	return failed;
}

/* All lists of one file. */
static int run_file(const char *file)
{
	int failed = 0;
	for (const struct suite *const *s = __start_suites; s < __stop_suites; s++)
		if (!strcmp((*s)->file, file))
			failed += (*s)->run ? (*s)->run() : run_list(*s);
	return failed != 0;
}

static int run_in_child(const char *file)
{
	int status = 1;
	fflush(NULL);
	pid_t pid = fork();
	if (!pid)
		exit(run_file(file));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fprintf(stderr, "%s: failed\n", file);
	return status != 0;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL, *last = "";
	const bool listed = name && !strcmp(name, "--list");
	int failed = 0;
	if (argc > 2)
		cmocka_set_test_filter(argv[2]);
	for (const struct suite *const *s = __start_suites; s < __stop_suites; s++) {
		if (!strcmp((*s)->file, last))
			continue;
		last = (*s)->file;
		if (listed)
			puts(name_of(*s));
		else if (!name)
			failed |= run_in_child(last);
		else if (!strcmp(name_of(*s), name))
			return run_file(last);
	}
	if (!name || listed)
		return failed;
	fprintf(stderr, "%s: no tests of a file test_%s.c are in it\n", argv[0], name);
	return 2;
}
