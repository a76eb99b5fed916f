/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/keyboard.h"
#include "cli/tui.h"
#include "debug/expressions.h"

#include <errno.h>
#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/str.h"

/* The prompt: libedit with history and completion. */

static const char *prompt(EditLine *el)
{
	struct bw_cli *c;
	el_get(el, EL_CLIENTDATA, &c);
	return bw_cli_collects(c) ? ">" : "(breakwater) ";
}

static unsigned terminal_width(void)
{
	struct winsize size;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

static size_t common_prefix(char **words)
{
	size_t len = strlen(words[0]);
	for (size_t i = 1; words[i]; i++)
		for (size_t j = 0; j < len; j++)
			if (words[i][j] != words[0][j])
				len = j;
	return len;
}

static unsigned char complete(EditLine *el, int ch)
{
	struct bw_cli *c;
	el_get(el, EL_CLIENTDATA, &c);
	const LineInfo *li = el_line(el);
	size_t len = (size_t)(li->cursor - li->buffer);
	_cleanup_free_ char *line = strndup(li->buffer, len);
	if (!line)
		return CC_ERROR;
	const char *start = bw_skip_blanks(line);
	char *word = line + bw_debug_word_start(line, len);
	char **words = bw_cli_complete(c, start, word);
	if (!words || !words[0]) {
		bw_debug_free_words(words);
		return CC_ERROR;
	}
	size_t have = strlen(word), common = common_prefix(words);
	unsigned char result = CC_REFRESH;
	if (common > have || !words[1]) {
		char *insert = strndup(words[0] + have, common - have);
		if (insert)
			el_insertstr(el, insert);
		free(insert);
		/* no blank after "$_launch." and "saxpy.s:", as more follows */
		char last = common ? words[0][common - 1] : 0;
		if (!words[1] && last != '.' && last != ':')
			el_insertstr(el, " ");
	} else {
		struct bw_str list = {0};
		bw_cli_add_columns(&list, words, terminal_width());
		printf("\n");
		bw_out_printable(stdout, bw_str_text(&list));
		bw_str_free(&list);
		result = CC_REDISPLAY;
	}
	bw_debug_free_words(words);
	return result;
}

/* The path of the history in the user's home; owned by the caller. NULL: none is kept. Root with
 * the home of another user ("su", "sudo -E") must not write where that user says: the folder has to
 * be one that nobody else can replace things in, and the file a plain one of ours, no link. */
static char *history_path(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	bool is_state = state && state[0];
	const char *given = is_state ? state : home && home[0] ? home : NULL;
	_cleanup_free_ char *folder = NULL;
	char *path = NULL;
	struct stat st;
	if (!given)
		return NULL;
	struct bw_error *err = bw_folder_check(given, &folder);
	if (!err && asprintf(&path, "%s/%sbreakwater_history", folder, is_state ? "" : ".") < 0)
		return NULL;
	if (!err && !lstat(path, &st) && (!S_ISREG(st.st_mode) || st.st_uid != geteuid()))
		err = bw_errorf(BW_E_INVALID, "%s is not a file of yours", path);
	if (!err)
		return path;
	/* A home that is not there is nobody's. */
	if (!access(given, F_OK))
		fprintf(stderr, "The history of commands is not kept: %s.\n", err->message);
	bw_error_free(err);
	free(path);
	return NULL;
}

/* Enter on an empty line repeats the last command, if it is one that can be repeated. */
static const char *line_to_run(struct bw_cli *c, const char *line)
{
	line = bw_skip_blanks(line);
	if (bw_cli_collects(c))
		return line;
	if (!line[0])
		return c->last_command ? c->last_command : "";
	free(c->last_command);
	c->last_command = NULL;
	char name[64];
	size_t n, len = strcspn(line, "/ \t\n");
	const struct bw_command *table = bw_commands(&n), *cmd;
	snprintf(name, sizeof(name), "%.*s", (int)(len < 63 ? len : 63), line);
	struct bw_error *err = bw_command_find(table, n, name, "command", &cmd);
	if (err)
		bw_error_free(err);
	else if (cmd->repeats)
		/* x and list continue where they were, so they are repeated without their place */
		c->last_command =
			strdup(cmd->run == bw_cmd_x || cmd->run == bw_cmd_list ? cmd->name : line);
	return line;
}

/* At a terminal a Ctrl-C drops the line. What comes through a pipe is no line of a person's: it is
 * read to its end, and the Ctrl-C is for the command that it is. */
static const char *read_line(EditLine *el, struct bw_cli *c, int *out_n)
{
	sigset_t interrupt, before;
	if (isatty(STDIN_FILENO)) {
		bw_cli_tui_show(c);
		bw_cli_tui_begin_input(c);
		const char *typed = el_gets(el, out_n);
		int why = errno;
		bw_cli_tui_end_input(c);
		errno = why;
		return typed;
	}
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, &before);
	const char *line = el_gets(el, out_n);
	int e = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = e;
	return line;
}

/* One character of the terminal, as libedit's own function reads it, but bytes that are not a
 * character are dropped. */
static int read_key(EditLine *el, wchar_t *out)
{
	struct bw_cli *c;
	mbstate_t state = {0};
	el_get(el, EL_CLIENTDATA, &c);
	for (;;) {
		char byte;
		ssize_t n = bw_cli_next_byte(el, c, &byte);
		if (n <= 0)
			return (int)n;
		size_t used = mbrtowc(out, &byte, 1, &state);
		if (used == (size_t)-1)
			state = (mbstate_t){0};
		else if (used != (size_t)-2)
			return 1; /* 0 is the character NUL: Ctrl-@ */
	}
}

/* libedit reads characters of the locale's kind, and drops the others. In the C locale, which has
 * none beyond ASCII, they are UTF-8: file names mostly are. */
void bw_cli_choose_characters(void)
{
	if (!setlocale(LC_CTYPE, "") || !strcmp(nl_langinfo(CODESET), "ANSI_X3.4-1968"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* Into a new file, which takes the old one's place when it is whole. */
static void save_history(History *h, const char *path)
{
	HistEvent event;
	_cleanup_free_ char *made = NULL;
	if (asprintf(&made, "%s.%ld", path, (long)getpid()) < 0) {
		made = NULL;
		return;
	}
	FILE *f = fopen(made, "wxe");
	int why = f ? 0 : errno;
	if (f) {
		bool is_whole = history(h, &event, H_SAVE_FP, f) >= 0 && !fflush(f);
		why = is_whole ? 0 : errno;
		if (fclose(f) && !why)
			why = errno;
		if (!why && rename(made, path) < 0)
			why = errno;
		if (why)
			unlink(made);
	}
	if (why)
		fprintf(stderr, "The history of commands is not kept: cannot write %s: %s.\n", path,
			strerror(why));
}

void bw_cli_interact(struct bw_cli *c)
{
	bw_cli_choose_characters();
	if (bw_out_is_json(c->out)) {
		struct bw_error *err = bw_cli_run_file(c, "-");
		if (err)
			bw_out_error(c->out, err);
		bw_error_free(err);
		return;
	}
	EditLine *el = el_init("breakwater", stdin, stdout, stderr);
	History *h = history_init();
	if (!el || !h)
		return;
	HistEvent event;
	history(h, &event, H_SETSIZE, 1000);
	history(h, &event, H_SETUNIQUE, 1);
	_cleanup_free_ char *path = history_path();
	if (path)
		history(h, &event, H_LOAD, path);
	el_set(el, EL_CLIENTDATA, c);
	el_set(el, EL_PROMPT, prompt);
	el_set(el, EL_EDITOR, "emacs");
	el_set(el, EL_HIST, history, h);
	/* the other el_set makes copies of the two texts that nobody frees */
	el_wset(el, EL_ADDFN, L"bw-complete", L"complete a word", complete);
	el_set(el, EL_BIND, "^I", "bw-complete", NULL);
	el_set(el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_source(el, NULL);
	c->session->interactive = isatty(STDIN_FILENO);
	if (c->session->interactive)
		el_wset(el, EL_GETCFN, read_key);
	while (!c->quit) {
		int n = 0;
		struct bw_error *unheld = bw_debug_hold_time(c->debug);
		if (unheld)
			bw_out_error(c->out, unheld);
		bw_error_free(unheld);
		errno = 0;
		const char *line = read_line(el, c, &n);
		if (!line || n <= 0) {
			if (c->quit)
				break;
			if (errno == EINTR) {
				/* Ctrl-C at the prompt: drops the line, and the block that is being
				 * collected */
				bw_cli_cancel_block(c);
				printf("Quit\n");
				el_reset(el);
				continue;
			}
			printf("quit\n");
			bw_terminal_begin_command(c);
			if (bw_cli_may_leave(c))
				break;
			continue;
		}
		if (bw_skip_blanks(line)[0])
			history(h, &event, H_ENTER, line);
		bw_session_begin_command(c->session);
		bw_terminal_begin_command(c);
		struct bw_error *err = bw_cli_execute(c, line_to_run(c, line));
		if (err)
			bw_out_error(c->out, err);
		bw_error_free(err);
	}
	if (path)
		save_history(h, path);
	history_end(h);
	el_end(el);
}
