/* SPDX-License-Identifier: MIT */
/* Questions before something is lost, and leaving. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool is_yes(const char *answer)
{
	answer = bw_skip_blanks(answer);
	return answer[0] == 'y' || answer[0] == 'Y';
}

/* End of input is a yes, as in gdb, and Ctrl-C a no. */
static bool ask_terminal(const char *question)
{
	for (;;) {
		char answer[256];
		size_t n = 0;
		printf("%s(y or n) ", question);
		fflush(stdout);
		for (;;) {
			char ch;
			ssize_t got = read(STDIN_FILENO, &ch, 1);
			if (got < 0 && errno == EINTR) {
				printf("Quit\n");
				return false;
			}
			if (got <= 0) {
				printf("EOF [assumed Y]\n");
				return true;
			}
			if (ch == '\n')
				break;
			if (n + 1 < sizeof(answer))
				answer[n++] = ch;
		}
		answer[n] = '\0';
		const char *word = bw_skip_blanks(answer);
		if (is_yes(word) || word[0] == 'n' || word[0] == 'N')
			return is_yes(word);
		printf("Please answer y or n.\n");
	}
}

bool bw_cli_ask(struct bw_cli *c, const char *question)
{
	if (!c->confirm)
		return true;
	if (c->session->interactive)
		return ask_terminal(question);
	bw_out_line(c->out, "%s(y or n) [answered Y; input not from terminal]", question);
	return true;
}

bool bw_cli_may_leave(struct bw_cli *c)
{
	if (!c->session->interactive || !c->confirm || c->session->ended_by ||
	    bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM ||
	    !bw_target_can(bw_debug_target(c->debug), BW_CAP_PROCESSES))
		return true;
	size_t n;
	const struct bw_inferior_info *all = bw_debug_inferiors(c->debug, &n);
	const char *fate = c->session->attached ? "detached" : "killed";
	bw_out_line(c->out, "A debugging session is active.\n");
	for (size_t i = 0; i < n; i++)
		bw_out_line(c->out, "\tInferior %u [process %d] will be %s.", all[i].number,
			    (int)all[i].pid, fate);
	if (!n) /* it has not opened the GPU yet */
		bw_out_line(c->out, "\tProcess %d will be %s.",
			    (int)bw_debug_target(c->debug)->program, fate);
	bw_out_text(c->out, "\n");
	return ask_terminal("Quit anyway? ");
}

void bw_cli_leave(struct bw_cli *c)
{
	if (bw_session_leave(c->session) != BW_LEFT_KILLED)
		return;
	if (c->session->gpu_fault && c->plain)
		bw_out_line(
			c->out,
			"[The program was killed. To look around at such a stop, use \"breakwater run -i\" or give commands]");
	else if (!c->session->interactive && !c->quit)
		bw_out_line(c->out, "[The program was killed]");
}

void bw_cli_fail(struct bw_cli *c, struct bw_error *err)
{
	if (c->out && bw_out_is_json(c->out)) {
		if (!c->error_reported)
			bw_out_error(c->out, err);
	} else {
		fputs("breakwater: ", stderr);
		bw_out_printable(stderr, err->message);
		fputs(strchr(err->message, '\n') ? "\n" : ".\n", stderr);
	}
	c->session->exit_status = BW_EXIT_USAGE;
	bw_error_free(err);
}
