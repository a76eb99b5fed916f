/* SPDX-License-Identifier: MIT */
#include "cli/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/util.h"
#include "cli/commands.h"

extern char **environ;

/* ---- The temporary folder, with the object in it ---- */

static struct bw_folder temporary = BW_FOLDER_INIT;
static char *temporary_file;
static pid_t owner;
/* If clang is running it is ended first, or it would write files again. */
static volatile pid_t compiler;
static volatile sig_atomic_t ended_by;

static void remove_temporaries(void)
{
	if (getpid() == owner)
		bw_folder_remove(&temporary);
}

/* Handler of a signal that ends the process. Without clang there is only one file, and removing it
 * is async-signal-safe. */
static void on_end(int sig)
{
	int saved = errno;
	if (compiler > 0) {
		ended_by = sig;
		kill(compiler, SIGTERM);
	} else {
		if (getpid() == owner && temporary.path) {
			unlink(temporary_file);
			rmdir(temporary.path);
		}
		signal(sig, SIG_DFL);
		raise(sig);
	}
	errno = saved;
}

/* Installs it for signals that have no handler yet; code that handles them later ends by exit(). */
static void catch_ends(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
	for (size_t i = 0; i < BW_ARRAY_SIZE(signals); i++) {
		struct sigaction now;
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler == SIG_DFL)
			sigaction(signals[i], &(struct sigaction){.sa_handler = on_end}, NULL);
	}
}

static void end_if_told(void)
{
	if (!ended_by)
		return;
	remove_temporaries();
	signal(ended_by, SIG_DFL);
	raise(ended_by);
}

struct bw_error *bw_cli_temporary_file(const char *source, const char *suffix, char **out_path)
{
	const char *slash = strrchr(source, '/');
	const char *base = slash ? slash + 1 : source;
	int stem = (int)strcspn(base, ".");
	char *path = NULL;
	bool first = !temporary.path;
	if (first)
		BW_TRY(bw_folder_make(BW_FOLDER_RUN, &temporary));
	if (asprintf(&path, "%s/%.*s%s", temporary.path, stem, base, suffix) < 0)
		return bw_error_nomem();
	/* another session of this process has built a source of that name */
	for (unsigned i = 2; !access(path, F_OK); i++) {
		free(path);
		if (asprintf(&path, "%s/%.*s-%u%s", temporary.path, stem, base, i, suffix) < 0)
			return bw_error_nomem();
	}
	char *before = temporary_file;
	temporary_file = path;
	free(before);
	owner = getpid();
	if (first)
		atexit(remove_temporaries);
	catch_ends();
	*out_path = strdup(path);
	return *out_path ? NULL : bw_error_nomem();
}

struct bw_error *bw_cli_temporary_object(const char *source, char **out_path)
{
	return bw_cli_temporary_file(source, ".co", out_path);
}

/* ---- Compilers ---- */

/* Runs argv, and collects its output. */
static struct bw_error *run_and_collect(char *const *argv, struct bw_str *said, int *out_status)
{
	int pipe_fd[2];
	if (pipe2(pipe_fd, O_CLOEXEC))
		return bw_error_errno(errno, "cannot make a pipe");
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDERR_FILENO);
	/* clang's own temporary files go to a folder where no other user can replace them */
	const char *old = getenv("TMPDIR");
	_cleanup_free_ char *before = old ? strdup(old) : NULL;
	if (temporary.path)
		setenv("TMPDIR", temporary.path, 1);
	pid_t pid;
	int rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_fd[1]);
	if (rc) {
		close(pipe_fd[0]);
		return bw_error_errno(rc, "cannot run %s", argv[0]);
	}
	compiler = pid;
	if (ended_by)
		kill(pid, SIGTERM);
	char buffer[4096];
	ssize_t n;
	while ((n = read(pipe_fd[0], buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		bw_str_addn(said, buffer, n > 0 ? (size_t)n : 0);
	close(pipe_fd[0]);
	while (waitpid(pid, out_status, 0) < 0 && errno == EINTR)
		;
	compiler = 0;
	end_if_told();
	return NULL;
}

/* The user's file instead of what was made of it in the temporary folder, which goes away. */
static void name_source(struct bw_str *said, const char *source)
{
	struct bw_str text = {0};
	size_t n = temporary.path ? strlen(temporary.path) : 0;
	const char *p = bw_str_text(said), *found;
	while (n && (found = strstr(p, temporary.path))) {
		size_t name_b = n + strcspn(found + n, " \t\n:'\"()");
		bool is_object = memrchr(found + n, '.', name_b - n) &&
				 strncmp(found + name_b - 2, ".h", 2) != 0;
		bw_str_addn(&text, p, (size_t)(found - p));
		if (is_object)
			bw_str_add(&text, source);
		else
			bw_str_addn(&text, found, name_b);
		p = found + name_b;
	}
	bw_str_add(&text, p);
	bw_str_free(said);
	*said = text;
}

struct bw_error *bw_cli_run_tool(const char *const *argv, const struct bw_tool *tool)
{
	struct bw_str said = {0};
	int status = 0;
	/* posix_spawn takes them non-const */
	struct bw_error *err = run_and_collect((char *const *)(uintptr_t)argv, &said, &status);
	name_source(&said, tool->source);
	if (err && tool->package)
		err = bw_error_wrap(err, "%s (Debian package %s)", tool->source, tool->package);
	if (!err && (!WIFEXITED(status) || WEXITSTATUS(status))) {
		while (said.len && said.data[said.len - 1] == '\n')
			said.data[--said.len] = '\0';
		const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
		if (WIFSIGNALED(status))
			bw_str_addf(&said,
				    "%s%s ended with %s, as it does where its input is damaged",
				    said.len ? "\n" : "", name, strsignal(WTERMSIG(status)));
		err = tool->package
			      ? bw_errorf(BW_E_INVALID, "%s %s, says %s:\n%s", tool->source,
					  tool->what, name, bw_str_text(&said))
			      : bw_errorf(BW_E_INVALID, "%s: %s", tool->source, bw_str_text(&said));
	} else if (!err && tool->said) {
		bw_str_add(tool->said, bw_str_text(&said));
	}
	bw_str_free(&said);
	return err;
}

struct bw_error *bw_compile_words_add(struct bw_compile_words *words, const char *const *more)
{
	for (; *more; more++) {
		_cleanup_free_ char *copy = strdup(*more);
		if (!copy)
			return bw_error_nomem();
		BW_TRY(bw_vec_push(words, copy));
		bw_take(copy);
	}
	return NULL;
}

void bw_compile_words_free(struct bw_compile_words *words)
{
	bw_vec_each(words, w)
		free(*w);
	bw_vec_free(words);
}

struct bw_error *bw_cli_clang(const struct bw_compile_job *job, const struct bw_compile_words *args,
			      const char *what)
{
	const char *given = getenv("BREAKWATER_CLANG");
	size_t n = 0, n_last = 0;
	while (job->last && job->last[n_last])
		n_last++;
	_cleanup_free_ const char **argv =
		calloc(args->len + job->options->words.len + n_last + 5, sizeof(*argv));
	if (!argv)
		return bw_error_nomem();
	argv[n++] = given && given[0] ? given : "clang-19";
	bw_vec_each(args, a)
		argv[n++] = *a;
	/* The user's come last, so that they win. */
	bw_vec_each(&job->options->words, a)
		argv[n++] = *a;
	for (size_t i = 0; i < n_last; i++)
		argv[n++] = job->last[i];
	argv[n++] = job->input ? job->input : job->source;
	argv[n++] = "-o";
	argv[n++] = job->object;
	const struct bw_tool tool = {
		.source = job->source, .what = what, .package = "clang-19", .said = job->said};
	return bw_cli_run_tool(argv, &tool);
}

/* Does a kernel descriptor in the source ask for wave64? The assembler must know it before it reads
 * the first instruction, and has no directive for it. */
static struct bw_error *asks_for_wave64(const char *path, bool *out)
{
	static const char directive[] = ".amdhsa_wavefront_size32";
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	if (!f)
		return bw_error_errno(errno, "cannot read the kernel %s", path);
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	*out = false;
	while (getline(&line, &cap, f) > 0) {
		const char *p = bw_skip_blanks(line);
		if (bw_starts_with(p, directive))
			*out |= *bw_skip_blanks(p + strlen(directive)) == '0';
	}
	return NULL;
}

/* The source's folder, where .include and #include search; owned. */
static char *folder_of(const char *source)
{
	const char *slash = strrchr(source, '/');
	return slash ? strndup(source, (size_t)(slash - source) + 1) : strdup(".");
}

struct bw_error *bw_cli_assemble(struct bw_compile_job *job)
{
	bool wave64 = job->options->wave64;
	if (!wave64)
		BW_TRY(asks_for_wave64(job->source, &wave64));
	_cleanup_free_ char *cpu = NULL, *folder = folder_of(job->source);
	if (!folder || asprintf(&cpu, "-mcpu=%s", job->gpu) < 0)
		return bw_error_nomem();
	const char *const args[] = {"-target",
				    "amdgcn-amd-amdhsa",
				    cpu,
				    "-g",
				    wave64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64",
				    "-I",
				    folder,
				    "-x",
				    "assembler",
				    NULL};
	struct bw_compile_words words = {0};
	struct bw_str what = {0};
	bw_str_addf(&what, "does not assemble for %s", job->gpu);
	struct bw_error *err = bw_compile_words_add(&words, args);
	if (!err)
		err = bw_cli_clang(job, &words, bw_str_text(&what));
	bw_str_free(&what);
	bw_compile_words_free(&words);
	return err;
}
