/* SPDX-License-Identifier: MIT */
/* breakwater exec --breadcrumbs: its options, and the program's run with them. */
#include "cli/crumbs_exec.h"
#include "inject/crumbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/str.h"
#include "base/util.h"
#include "cli/pass_on.h"
#include "cli/subcommands.h"
#include "inject/stomp_memory.h"

static struct bw_error *take_mode(void *options, const char *option, const char *word)
{
	struct bw_crumbs_options *o = options;
	o->on = true;
	if (!word)
		return NULL;
	if (!strcmp(word, "packet"))
		o->every_packet = true;
	else if (strcmp(word, "dispatch") != 0)
		return bw_errorf(BW_E_INVALID, "--breadcrumbs wants packet or dispatch, not \"%s\"",
				 word);
	return NULL;
}

static struct bw_error *take_break(void *options, const char *option, const char *text)
{
	struct bw_crumbs_options *o = options;
	uint64_t at, hits = 1;
	char number[24];
	size_t n = strcspn(text, ":");
	snprintf(number, sizeof(number), "%.*s", (int)BW_MIN(n, sizeof(number) - 1), text);
	if (n >= sizeof(number) || !bw_parse_u64(number, &at) || !at || at > UINT32_MAX ||
	    (text[n] && (!bw_parse_u64(text + n + 1, &hits) || !hits || hits > UINT32_MAX)))
		return bw_errorf(BW_E_INVALID, "--break wants MARKER or MARKER:HITS, not \"%s\"",
				 text);
	o->break_at = (uint32_t)at;
	o->break_hits = (uint32_t)hits;
	return NULL;
}

/* NUMBER or FIRST-LAST, of n characters. */
static bool parse_span(const char *text, size_t n, uint32_t *out_first, uint32_t *out_last)
{
	char number[48];
	uint64_t first, last;
	snprintf(number, sizeof(number), "%.*s", (int)BW_MIN(n, sizeof(number) - 1), text);
	char *dash = strchr(number, '-');
	if (dash)
		*dash = '\0';
	if (n >= sizeof(number) || !bw_parse_u64(number, &first) || first > UINT32_MAX)
		return false;
	last = first;
	if (dash && (!bw_parse_u64(dash + 1, &last) || last > UINT32_MAX || last < first))
		return false;
	*out_first = (uint32_t)first;
	*out_last = (uint32_t)last;
	return true;
}

static struct bw_error *take_at(void *options, const char *option, const char *text)
{
	struct bw_crumbs_options *o = options;
	size_t n = strcspn(text, ",");
	o->at_one_dispatch = text[n];
	o->at_dispatch = o->at_last_dispatch = 0;
	if (!parse_span(text, n, &o->at_submission, &o->at_last_submission) || !o->at_submission ||
	    (text[n] && !parse_span(text + n + 1, strlen(text + n + 1), &o->at_dispatch,
				    &o->at_last_dispatch)))
		return bw_errorf(BW_E_INVALID,
				 "--at wants SUBMISSION or SUBMISSION,DISPATCH, not \"%s\"", text);
	return NULL;
}

struct bw_error *bw_cli_choose_stomps(const struct bw_crumbs_options *o,
				      struct bw_stomp_choice *out)
{
	BW_TRY(bw_stomp_choose(o->memory, o->except_memory, out));
	if (o->at_submission) {
		out->waves.first_submission = o->at_submission;
		out->waves.last_submission = o->at_last_submission;
	}
	if (o->at_one_dispatch) {
		out->waves.first_dispatch = o->at_dispatch;
		out->waves.last_dispatch = o->at_last_dispatch;
	}
	return NULL;
}

static struct bw_error *check_at(const struct bw_crumbs_options *o, uint32_t waves)
{
	if (!o->at_submission)
		return NULL;
	if (!o->stomps && !o->stomps_memory)
		return bw_errorf(BW_E_INVALID, "--at needs --stomp-registers or --stomp-memory");
	if (!o->stomps && !waves)
		return bw_errorf(BW_E_INVALID,
				 "--at is for registers and for what waves start with: "
				 "a buffer is filled when it is made");
	if (o->stomps &&
	    (o->at_submission != o->at_last_submission || o->at_dispatch != o->at_last_dispatch))
		return bw_errorf(BW_E_INVALID, "--at wants one submission and one dispatch where "
					       "registers are filled, not FIRST-LAST");
	return NULL;
}

struct bw_error *bw_cli_check_crumbs(const struct bw_crumbs_options *o)
{
	if ((o->udp || o->break_at) && !o->on)
		return bw_errorf(BW_E_INVALID, "%s needs --breadcrumbs",
				 o->udp ? "--udp" : "--break");
	if (o->except && !o->stomps)
		return bw_errorf(BW_E_INVALID, "--except needs --stomp-registers or "
					       "--stomp-memory before it");
	struct bw_stomp_choice choice = {0};
	struct bw_error *err = o->stomps_memory ? bw_cli_choose_stomps(o, &choice) : NULL;
	bw_stomp_choice_fini(&choice);
	if (!err)
		err = check_at(o, choice.waves.what);
	struct bw_stomp_set set = {0};
	if (!err && o->stomps)
		err = bw_stomp_make(o->stomp, o->except, &set);
	bw_vec_free(&set);
	return err;
}

static struct bw_error *take_registers(void *options, const char *option, const char *range)
{
	struct bw_crumbs_options *o = options;
	o->on = o->stomps = true;
	o->is_memory_last = false;
	o->stomp = range;
	return NULL;
}

static struct bw_error *take_memory(void *options, const char *option, const char *range)
{
	struct bw_crumbs_options *o = options;
	o->stomps_memory = o->is_memory_last = true;
	o->memory = range;
	return NULL;
}

static struct bw_error *take_except(void *options, const char *option, const char *range)
{
	struct bw_crumbs_options *o = options;
	*(o->is_memory_last ? &o->except_memory : &o->except) = range;
	return NULL;
}

const struct bw_option bw_crumbs_rows[] = {
	{"--breadcrumbs", "[=dispatch|packet]",
	 "the GPU writes down how far it has come: after a hang, a fault or a crash, at the end, the last "
	 "dispatch (or packet) that ended and the first that did not, with pipeline and label",
	 BW_CALL(take_mode)},
	{"--udp", "HOST:PORT",
	 "... and each change is sent there before the GPU goes on, for machines that die",
	 BW_TEXT(struct bw_crumbs_options, udp)},
	{"--break", "MARKER[:HITS]",
	 "from that marker on the GPU waits for you at each of them: Enter, or over UDP",
	 BW_CALL(take_break)},
	{"--breadcrumbs-listen", "[HOST:]PORT",
	 "no program: prints what --udp sends here, and answers for --break",
	 BW_TEXT(struct bw_crumbs_options, listen)},
	{"--stomp-registers", "[=RANGE]",
	 "registers that a driver must set hold bad values when a submission begins (RANGE: FIRST-LAST by "
	 "name or address, with commas between), with --breadcrumbs",
	 BW_CALL(take_registers)},
	{"--at", "SUBMISSION[,DISPATCH]",
	 "... only in that submission (from 1), and after its first DISPATCH dispatches; of --stomp-memory "
	 "the waves of that submission, of that dispatch (from 0) alone",
	 BW_CALL(take_at)},
	{"--except", "RANGE",
	 "... but these registers; after --stomp-memory: but these of its RANGE",
	 BW_CALL(take_except)},
	{"--stomp-memory", "[=RANGE]",
	 "new buffers hold a bad value until the program writes them, and so do LDS, scratch memory, VGPRs "
	 "and SGPRs of new waves on the virtual GPU (RANGE: numbers of buffers, in the order in which a "
	 "process makes them, FIRST-LAST, and lds, scratch, vgprs, sgprs, with commas between)",
	 BW_CALL(take_memory)},
	{0},
};

/* Opens the socket or terminal to which changes are written, and on which the user is asked. */
static struct bw_error *open_ends(const struct bw_crumbs_options *o, int *out_udp, int *out_tty)
{
	if (o->udp)
		return bw_cli_open_crumbs_udp(o->udp, out_udp);
	if (!o->break_at)
		return NULL;
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return bw_error_errno(
			errno, "--break waits for Enter at a terminal, or with --udp elsewhere: "
			       "there is no terminal");
	*out_tty = fd;
	return NULL;
}

struct bw_error *bw_cli_run_with_crumbs(struct bw_kmd *kmd, const struct bw_crumbs_run *r,
					int *out_status)
{
	_cleanup_close_ int udp = -1, tty = -1;
	BW_TRY(open_ends(r->options, &udp, &tty));
	const struct bw_crumbs_options *o = r->options;
	struct bw_stomp_set pokes = {0};
	if (o->stomps)
		BW_TRY(bw_stomp_make(o->stomp, o->except, &pokes));
	const struct bw_crumbs_settings settings = {.every_packet = r->options->every_packet,
						    .pokes = pokes,
						    .at_submission = o->at_submission,
						    .at_dispatch = o->at_dispatch,
						    .break_at = r->options->break_at,
						    .break_hits = r->options->break_hits,
						    .udp = udp,
						    .tty = tty};
	struct bw_crumbs *c = NULL;
	pid_t pid = -1;
	struct bw_error *err = bw_crumbs_open(&settings, r->folder, &c);
	bw_pass_on_begin();
	if (!err)
		err = bw_cli_spawn(kmd, r->program, r->shaders, true, &pid);
	if (!err) {
		bw_pass_on_to(pid);
		_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		struct bw_followed p = {
			.pid = pid, .pidfd = pidfd, .kmd = kmd, .tell_wait = bw_pass_on_tell_wait};
		err = pidfd < 0 ? bw_error_errno(errno, "pidfd_open") : bw_crumbs_run(c, &p);
		if (!err)
			bw_crumbs_show(c, r->out);
		struct bw_error *kept = bw_pass_on_wait(pid, kmd, out_status);
		if (err)
			bw_error_free(kept);
		else
			err = kept;
	}
	bw_crumbs_close(c);
	bw_vec_free(&pokes);
	return err;
}
