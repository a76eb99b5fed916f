/* SPDX-License-Identifier: MIT */
#include "base/folder.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"

enum { NOBODY = 65534 };

static char base[64];

static void must(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

static int begin(void **state)
{
	strcpy(base, "/tmp/bw-test-base-XXXXXX");
	if (!mkdtemp(base))
		return -1;
	setenv("XDG_RUNTIME_DIR", base, 1);
	setenv("TMPDIR", base, 1);
	return 0;
}

static int end(void **state)
{
	bw_folder_remove_tree(base);
	return access(base, F_OK) == 0;
}

static const char *in(const char *folder, const char *name)
{
	static char path[4][256];
	static unsigned i;
	i = (i + 1) % 4;
	snprintf(path[i], sizeof(path[i]), "%s/%s", folder, name);
	return path[i];
}

static void touch(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

static unsigned entries(const char *path)
{
	unsigned n = 0;
	DIR *d = opendir(path);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void made_and_removed(void **state)
{
	struct bw_folder f = BW_FOLDER_INIT;
	struct stat st;
	must(bw_folder_make(BW_FOLDER_VGPU, &f));
	assert_memory_equal(f.path, in(base, "breakwater-vgpu-"), strlen(base) + 17);
	assert_int_equal(stat(f.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(st.st_uid, geteuid());
	touch(in(base, "kept"));
	touch(in(f.path, "socket"));
	assert_int_equal(mkdir(in(f.path, "root"), 0700), 0);
	assert_int_equal(symlink(base, in(f.path, "root/link")), 0);
	bw_folder_remove(&f);
	assert_null(f.path);
	assert_true(exists(in(base, "kept")));
	assert_int_equal(entries(base), 1);
	bw_folder_remove(&f);
}

/* Makes a folder in a process of its own, which is then killed or waits. */
static pid_t other_process(enum bw_folder_kind kind, bool dies, char out_path[128])
{
	int to_us[2];
	assert_int_equal(pipe(to_us), 0);
	pid_t pid = fork();
	if (!pid) {
		struct bw_folder f = BW_FOLDER_INIT;
		char path[128] = "";
		if (bw_folder_make(kind, &f))
			_exit(1);
		touch(in(f.path, "socket"));
		snprintf(path, sizeof(path), "%s", f.path);
		if (write(to_us[1], path, sizeof(path)) != sizeof(path))
			_exit(1);
		if (!dies)
			pause();
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(read(to_us[0], out_path, 128), 128);
	close(to_us[0]);
	close(to_us[1]);
	if (dies)
		waitpid(pid, NULL, 0);
	return pid;
}

static void left_over_is_removed_and_living_is_not(void **state)
{
	static const enum bw_folder_kind kinds[] = {BW_FOLDER_VGPU, BW_FOLDER_DEBUG, BW_FOLDER_RUN};
	for (unsigned i = 0; i < 3; i++) {
		char dead[128], alive[128];
		struct bw_folder f = BW_FOLDER_INIT;
		pid_t pid = other_process(kinds[i], false, alive);
		other_process(kinds[i], true, dead);
		assert_true(exists(dead) && exists(alive));
		must(bw_folder_make(BW_FOLDER_DEBUG, &f)); /* of any kind: it sweeps all */
		assert_false(exists(dead));
		assert_true(exists(in(alive, "socket")));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		bw_folder_sweep(base);
		assert_false(exists(alive));
		assert_true(exists(f.path)); /* our own */
		bw_folder_remove(&f);
	}
}

/* What an attacker, or an accident, puts where left-over folders are looked for. */
static void what_is_not_ours_stays(void **state)
{
	char folder[128];
	snprintf(folder, sizeof(folder), "%s", in(base, "precious"));
	assert_int_equal(mkdir(folder, 0700), 0);
	touch(in(folder, "thesis.co"));
	assert_int_equal(symlink(folder, in(base, "breakwater-run-AAAAAA")), 0);
	assert_int_equal(symlink(folder, in(base, "breakwater-run-4194304-AAAAAA")), 0);
	assert_int_equal(symlink(folder, in(base, "breakwater-vgpu-AAAAAA")), 0);
	touch(in(base, "breakwater-run-BBBBBB"));
	assert_int_equal(mkdir(in(base, "breakwater-notes"), 0700), 0);
	assert_int_equal(mkdir(in(base, "breakwater-run-CCCCCC"), 0700), 0);
	assert_int_equal(chmod(in(base, "breakwater-run-CCCCCC"), 0755), 0);
	assert_int_equal(mkdir(in(base, "breakwater-vgpu-DDDDDD"), 0700), 0);
	if (!geteuid())
		assert_int_equal(chown(in(base, "breakwater-vgpu-DDDDDD"), NOBODY, NOBODY), 0);
	bw_folder_sweep(base);
	assert_true(exists(in(folder, "thesis.co")));
	assert_true(exists(in(base, "breakwater-run-AAAAAA")));
	assert_true(exists(in(base, "breakwater-run-4194304-AAAAAA")));
	assert_true(exists(in(base, "breakwater-run-BBBBBB")));
	assert_true(exists(in(base, "breakwater-notes")));
	assert_true(exists(in(base, "breakwater-run-CCCCCC")));
	assert_int_equal(exists(in(base, "breakwater-vgpu-DDDDDD")), !geteuid());
	if (!geteuid())
		assert_int_equal(rmdir(in(base, "breakwater-vgpu-DDDDDD")), 0);
}

/* A folder inside a left-over one that becomes a link, again and again, while it is removed. */
static void removing_follows_no_link(void **state)
{
	enum { ROUNDS = 30, FILES = 20 };
	char victim[128], left[128], name[32];
	snprintf(victim, sizeof(victim), "%s", in(base, "victim"));
	snprintf(left, sizeof(left), "%s", in(base, "breakwater-vgpu-EEEEEE"));
	assert_int_equal(mkdir(victim, 0700), 0);
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		touch(in(victim, name));
	}
	pid_t pid = fork();
	while (!pid) {
		/* the folder "swap" and the link "link" change places */
		renameat2(AT_FDCWD, in(left, "swap"), AT_FDCWD, in(left, "link"), RENAME_EXCHANGE);
		if (getppid() == 1)
			_exit(0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		assert_int_equal(mkdir(left, 0700), 0);
		assert_int_equal(symlink(victim, in(left, "link")), 0);
		assert_int_equal(mkdir(in(left, "swap"), 0700), 0);
		for (int k = 0; k < 4; k++) {
			snprintf(name, sizeof(name), "swap/f%d", k);
			int fd = open(in(left, name), O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW,
				      0600);
			if (fd >= 0)
				close(fd);
		}
		do
			bw_folder_sweep(base);
		while (exists(left));
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_true(exists(in(victim, name)));
	}
}

static void expect_base(enum bw_folder_kind kind, const char *path, const char *why)
{
	char *got = NULL;
	struct bw_error *why_not = NULL;
	must(bw_folder_base(kind, &got, &why_not));
	assert_string_equal(got, path);
	if (why && (!why_not || !strstr(why_not->message, why)))
		fail_msg("\"%s\", not \"%s\"", why_not ? why_not->message : "", why);
	if (!why)
		assert_null(why_not);
	bw_error_free(why_not);
	free(got);
}

static void one_place_for_all(void **state)
{
	char longer[200];
	expect_base(BW_FOLDER_VGPU, base, NULL);
	expect_base(BW_FOLDER_RUN, base, NULL);
	/* links are followed here, once, and not later */
	assert_int_equal(symlink(base, in(base, "link")), 0);
	setenv("XDG_RUNTIME_DIR", in(base, "link"), 1);
	expect_base(BW_FOLDER_DEBUG, base, NULL);
	setenv("XDG_RUNTIME_DIR", in(base, "none"), 1);
	expect_base(BW_FOLDER_VGPU, "/tmp", "No such file");
	expect_base(BW_FOLDER_DEBUG, "/tmp", "XDG_RUNTIME_DIR");
	expect_base(BW_FOLDER_RUN, base, NULL);
	setenv("XDG_RUNTIME_DIR", "relative", 1);
	expect_base(BW_FOLDER_VGPU, "/tmp", "absolute");
	touch(in(base, "file"));
	setenv("XDG_RUNTIME_DIR", in(base, "file"), 1);
	expect_base(BW_FOLDER_VGPU, "/tmp", "not a folder");
	snprintf(longer, sizeof(longer), "%s/%0*d", base, 76 - (int)strlen(base) - 1, 0);
	assert_int_equal(mkdir(longer, 0700), 0);
	setenv("XDG_RUNTIME_DIR", longer, 1);
	expect_base(BW_FOLDER_VGPU, "/tmp", "too long");
	assert_int_equal(mkdir(in(base, "a:b"), 0700), 0);
	setenv("XDG_RUNTIME_DIR", in(base, "a:b"), 1);
	expect_base(BW_FOLDER_DEBUG, "/tmp", "colon");
	setenv("XDG_RUNTIME_DIR", "", 1);
	expect_base(BW_FOLDER_VGPU, "/tmp", NULL);
	unsetenv("XDG_RUNTIME_DIR");
	expect_base(BW_FOLDER_VGPU, "/tmp", NULL);
}

static void not_where_others_may_rename(void **state)
{
	char open_to_all[128], below[160];
	snprintf(open_to_all, sizeof(open_to_all), "%s", in(base, "open"));
	snprintf(below, sizeof(below), "%s/mine", open_to_all);
	assert_int_equal(mkdir(open_to_all, 0700), 0);
	assert_int_equal(mkdir(below, 0700), 0);
	setenv("TMPDIR", below, 1);
	expect_base(BW_FOLDER_RUN, below, NULL);
	assert_int_equal(chmod(open_to_all, 0777), 0);
	expect_base(BW_FOLDER_RUN, "/tmp", "can be written by other users");
	assert_int_equal(chmod(open_to_all, 0770), 0);
	expect_base(BW_FOLDER_RUN, "/tmp", "can be written by other users");
	assert_int_equal(chmod(open_to_all, 01777), 0);
	expect_base(BW_FOLDER_RUN, below, NULL);
	if (geteuid()) {
		print_message("skipped: only root can play the other user\n");
		return;
	}
	/* on the way, and at its end: su, sudo -E */
	assert_int_equal(chown(open_to_all, NOBODY, NOBODY), 0);
	assert_int_equal(chmod(open_to_all, 0700), 0);
	expect_base(BW_FOLDER_RUN, "/tmp", "belongs to another user (uid 65534)");
	setenv("XDG_RUNTIME_DIR", open_to_all, 1);
	expect_base(BW_FOLDER_VGPU, "/tmp", "belongs to another user (uid 65534)");
	assert_int_equal(chown(open_to_all, 0, 0), 0);
}

TESTS_EACH(begin, end, made_and_removed, left_over_is_removed_and_living_is_not,
	   what_is_not_ours_stays, removing_follows_no_link, one_place_for_all,
	   not_where_others_may_rename);
