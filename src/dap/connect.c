/* SPDX-License-Identifier: MIT */
/* The connection with the editor, from the command line to the link (link.h). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "dap/dap_priv.h"
#include "dap/port.h"
#include "dap/token.h"

/* Replaces our standard input and output, which may carry the protocol, so that neither the program
 * nor one that "shell" starts can read or write them. */
static struct bw_error *free_standard_streams(const struct bw_dap *s)
{
	_cleanup_close_ int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(s->printed.fd, STDOUT_FILENO) < 0)
		return bw_error_errno(errno, "cannot keep standard input and output apart");
	return NULL;
}

static struct bw_error *wait_on_port(const struct bw_dap_place *place, int *out_editor,
				     struct bw_dap_begun *out_begun)
{
	uint16_t number;
	_cleanup_close_ int listener = -1;
	_cleanup_(bw_dap_token_fini) struct bw_dap_token token = BW_DAP_TOKEN_INIT;
	BW_TRY(bw_dap_token_make(place->token_file, &token));
	BW_TRY(bw_dap_port_open((uint16_t)place->port, &listener, &number));
	fprintf(stderr,
		"DAP server listening at: 127.0.0.1:%u\n"
		"The \"token\" that \"launch\" and \"attach\" need is in %s: %s\n",
		number, token.path, token.text);
	return bw_dap_port_accept(listener, token.text, out_editor, out_begun);
}

struct bw_error *bw_dap_connect(struct bw_dap *s, const struct bw_dap_place *place)
{
	_cleanup_close_ int editor = -1;
	struct bw_dap_begun begun = {.data = NULL};
	if (place->has_port)
		BW_TRY(wait_on_port(place, &editor, &begun));
	_cleanup_free_ char *data = begun.data;
	_cleanup_close_ int in = fcntl(place->has_port ? editor : STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	_cleanup_close_ int out =
		fcntl(place->has_port ? editor : STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (in < 0 || out < 0)
		return bw_error_errno(errno, "the connection with the editor is not open");
	BW_TRY(free_standard_streams(s));
	signal(SIGPIPE, SIG_IGN);
	return bw_dap_open(s, bw_take_fd(in), bw_take_fd(out), data ? &begun : NULL);
}

struct bw_error *bw_dap_open(struct bw_dap *s, int in_fd, int out_fd,
			     const struct bw_dap_begun *begun)
{
	s->in_fd = in_fd;
	s->out_fd = out_fd;
	s->is_greeted = begun != NULL;
	return bw_dap_link_open(in_fd, out_fd, begun, &s->link);
}

void bw_dap_hang_up(struct bw_dap *s)
{
	bw_dap_link_close(s->link);
	s->link = NULL;
	if (s->in_fd >= 0)
		close(s->in_fd);
	if (s->out_fd >= 0)
		close(s->out_fd);
	s->in_fd = s->out_fd = -1;
}
