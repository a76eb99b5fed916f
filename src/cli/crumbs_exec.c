/* SPDX-License-Identifier: MIT */
/* breakwater exec --breadcrumbs: its options, and the program's run with them. */
#include "cli/crumbs.h"
#include "cli/crumbs_exec.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/str.h"
#include "cli/subcommands.h"

static struct bw_error *take_mode(const char *word, struct bw_crumbs_options *o)
{
	o->on = true;
	if (!strcmp(word, "packet"))
		o->every_packet = true;
	else if (strcmp(word, "dispatch") != 0)
		return bw_errorf(BW_E_INVALID, "--breadcrumbs wants packet or dispatch, not \"%s\"",
				 word);
	return NULL;
}

struct bw_error *bw_cli_take_crumbs_option(char *const *words, struct bw_crumbs_options *o,
					   int *out_used)
{
	*out_used = 1;
	if (!strcmp(words[0], "--breadcrumbs"))
		return take_mode("dispatch", o);
	if (bw_starts_with(words[0], "--breadcrumbs="))
		return take_mode(words[0] + strlen("--breadcrumbs="), o);
	*out_used = 0;
	return NULL;
}

struct bw_error *bw_cli_run_with_crumbs(struct bw_kmd *kmd, const struct bw_crumbs_run *r,
					int *out_status)
{
	struct bw_folder folder = BW_FOLDER_INIT;
	_cleanup_free_ char *socket = NULL;
	const struct bw_crumbs_settings settings = {.every_packet = r->options->every_packet};
	char attach[] = "BREAKWATER_ATTACH=1";
	struct bw_crumbs *c = NULL;
	pid_t pid = -1;
	BW_TRY(bw_folder_make(BW_FOLDER_DEBUG, &folder));
	struct bw_error *err = NULL;
	if (asprintf(&socket, "%s/breadcrumbs", folder.path) < 0 ||
	    setenv(BW_CRUMBS_SOCKET_ENV, socket, 1))
		err = bw_error_nomem();
	if (!err)
		err = bw_crumbs_open(&settings, socket, &c);
	if (!err)
		err = bw_cli_spawn(kmd, r->program, r->shader_lines, attach, &pid);
	if (!err) {
		/* Ctrl-C is for the program: the report comes when it has ended */
		signal(SIGINT, SIG_IGN);
		_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		err = pidfd < 0 ? bw_error_errno(errno, "pidfd_open") : bw_crumbs_run(c, pidfd);
		while (waitpid(pid, out_status, 0) < 0 && errno == EINTR)
			;
		signal(SIGINT, SIG_DFL);
	}
	if (!err)
		bw_crumbs_show(c, r->out);
	bw_crumbs_close(c);
	bw_folder_remove(&folder);
	return err;
}
