/* SPDX-License-Identifier: MIT */
/* Commands of the prompt, which this library does not have: they are the program's, or those of
 * libbreakwater-commands. */
#include "api/api_priv.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <breakwater/session.h>

#include "base/cleanup.h"
#include "session/commands.h"

/* The folder that the library is in comes first: it need not be where the loader looks. */
static void *load(void)
{
	Dl_info here;
	_cleanup_free_ char *path = NULL;
	if (dladdr((void *)(uintptr_t)load, &here) && here.dli_fname &&
	    strrchr(here.dli_fname, '/') &&
	    asprintf(&path, "%.*s/" BW_COMMANDS_LIBRARY,
		     (int)(strrchr(here.dli_fname, '/') - here.dli_fname), here.dli_fname) >= 0) {
		void *found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (found)
			return found;
	}
	return dlopen(BW_COMMANDS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

struct bw_error *bw_api_need_commands(struct breakwater_session *s)
{
	static bw_commands_join_fn *join;
	if (s->session->commands)
		return NULL;
	if (!join) {
		void *library = load();
		join = library ? (bw_commands_join_fn *)(uintptr_t)dlsym(library, BW_COMMANDS_JOIN)
			       : NULL;
	}
	if (!join)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "Commands need " BW_COMMANDS_LIBRARY
				 ", which is installed beside libbreakwater.so.0: %s",
				 dlerror());
	return join(s->session);
}

struct breakwater_error *breakwater_command(struct breakwater_session *s, const char *line,
					    bool json, char **out)
{
	struct bw_api_call call;
	struct bw_api_capture capture;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err && !line)
		err = bw_errorf(BW_E_INVALID, "The command is NULL");
	if (!err)
		err = bw_api_need_commands(s);
	if (!err)
		err = bw_api_capture_begin(&capture, s->session, json);
	if (!err) {
		struct bw_session *session = s->session;
		char *text = NULL;
		err = session->commands->execute(session->commands_cookie, line);
		struct bw_error *lost = bw_api_capture_end(&capture, &text);
		if (err || lost)
			free(text);
		else
			*out = text;
		if (err)
			bw_error_free(lost);
		else
			err = lost;
		if (s->is_own && session->commands->wants_end(session->commands_cookie))
			bw_api_close(s);
	}
	return bw_api_leave(&call, err);
}
