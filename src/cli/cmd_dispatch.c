/* SPDX-License-Identifier: MIT */
/* info submissions, dispatch, pipelines, buffers, buffer, descriptors. */
#include "cli/commands.h"
#include "debug/dispatches.h"

#include <string.h>

struct bw_error *bw_info_dispatches(struct bw_cli *c, const char *args)
{
	bw_show_dispatches(c->out, c->debug);
	return NULL;
}

struct bw_error *bw_info_submissions(struct bw_cli *c, const char *args)
{
	bw_show_submissions(c->out, c->debug);
	return NULL;
}

struct bw_error *bw_info_pipelines(struct bw_cli *c, const char *args)
{
	return bw_show_pipelines(c->out, c->debug);
}

static const struct bw_dispatch_info *first_in(const struct bw_dispatch_info *list, size_t n,
					       enum bw_dispatch_state state)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].state == state)
			return &list[i];
	return NULL;
}

/* The dispatch that args name, else that of the focus wave, else the first that is held, else the
 * first that runs, else the last. The held one comes before those that run, as it is the one that
 * the stop is about; the end of one before it may be told later. NULL in *out: there is none. */
struct bw_error *bw_cli_pick_dispatch(struct bw_cli *c, const char *args,
				      const struct bw_dispatch_info **out)
{
	size_t n = 0;
	const struct bw_dispatch_info *list = bw_debug_dispatches(c->debug, &n);
	const struct bw_wave_info *w = bw_debug_focus(c->debug);
	*out = NULL;
	if (args[0]) {
		uint64_t number;
		BW_TRY(bw_cli_eval_count(c, args, &number));
		*out = number <= UINT32_MAX ? bw_debug_dispatch(c->debug, (uint32_t)number) : NULL;
		return *out ? NULL
			    : bw_errorf(BW_E_NOT_FOUND,
					"There is no dispatch %s; \"info dispatches\" lists them",
					args);
	}
	if (w)
		*out = bw_debug_dispatch(c->debug, w->dispatch);
	if (!*out)
		*out = first_in(list, n, BW_DISPATCH_HELD);
	if (!*out)
		*out = first_in(list, n, BW_DISPATCH_RUNNING);
	if (!*out && n)
		*out = &list[n - 1];
	return NULL;
}

static struct bw_error *need(struct bw_cli *c, const char *args,
			     const struct bw_dispatch_info **out)
{
	BW_TRY(bw_cli_pick_dispatch(c, args, out));
	return *out ? NULL : bw_errorf(BW_E_STATE, "Nothing has been dispatched");
}

struct bw_error *bw_info_dispatch(struct bw_cli *c, const char *args)
{
	const struct bw_dispatch_info *x;
	BW_TRY(need(c, args, &x));
	return bw_show_dispatch(c->out, c->debug, x);
}

struct bw_error *bw_info_descriptors(struct bw_cli *c, const char *args)
{
	const struct bw_dispatch_info *x;
	BW_TRY(need(c, args, &x));
	return bw_show_descriptors(c->out, c->debug, x);
}

struct bw_error *bw_info_buffers(struct bw_cli *c, const char *args)
{
	const struct bw_dispatch_info *x;
	BW_TRY(bw_cli_pick_dispatch(c, args, &x));
	return bw_show_buffers(c->out, c->debug, x);
}

struct bw_error *bw_info_buffer(struct bw_cli *c, const char *args)
{
	const struct bw_dispatch_info *x;
	uint64_t number;
	if (!args[0])
		return bw_errorf(
			BW_E_INVALID,
			"\"info buffer\" takes the number of a buffer; \"info buffers\" lists them");
	BW_TRY(bw_cli_eval_count(c, args, &number));
	BW_TRY(bw_cli_pick_dispatch(c, "", &x));
	return bw_show_buffer(c->out, c->debug, number <= UINT32_MAX ? (uint32_t)number : 0, x);
}
