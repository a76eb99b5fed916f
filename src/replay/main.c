/* SPDX-License-Identifier: MIT */
/* breakwater-replay: runs the submissions of a capture again. It is the program behind `breakwater
 * replay FILE`, and the one that `breakwater run FILE.bwc` debugs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/str.h"
#include "base/util.h"
#include "capture/seek.h"
#include "kmd/kmd.h"
#include "replay/locate.h"
#include "replay/options.h"
#include "replay/play.h"
#include "replay/show.h"
#include "ui/out.h"
#include "wire/agent_proto.h"
#include "wire/vgpu_models.h"

enum { EXIT_DIFFERS = 1, EXIT_BAD_INPUT = 2, EXIT_GPU = 3, EXIT_OUTPUT = 4 };

struct command {
	struct bw_replay_options o;
	struct bw_replay_words words;
};

/* ---- Values of options ---- */

/* "N<separator>...": the number, and what is after it. */
static bool split(const char *value, char separator, char *out_number, size_t room,
		  const char **out_rest)
{
	const char *at = strchr(value, separator);
	if (!at || (size_t)(at - value) >= room)
		return false;
	snprintf(out_number, room, "%.*s", (int)(at - value), value);
	*out_rest = at + 1;
	return true;
}

static struct bw_error *take_dump(struct command *c, const char *value)
{
	char number[24], what[24];
	const char *rest;
	uint64_t n;
	struct bw_replay_dump d;
	if (!split(value, ':', number, sizeof(number), &rest) ||
	    !split(rest, '=', what, sizeof(what), &d.path) || !bw_parse_u64(number, &n) ||
	    n > UINT32_MAX || !bw_parse_u64(what, &d.what) || !*d.path)
		return bw_errorf(BW_E_INVALID, "--dump wants N:BUFFER=FILE, not \"%s\"", value);
	d.number = (uint32_t)n;
	return bw_vec_push(&c->o.dumps, d);
}

static struct bw_error *take_override(struct command *c, const char *value)
{
	char number[48];
	const char *path;
	uint64_t n, ib = 0;
	if (!split(value, '=', number, sizeof(number), &path))
		return bw_errorf(BW_E_INVALID, "--override wants N=FILE, not \"%s\"", value);
	char *dot = strchr(number, '.');
	if (dot)
		*dot = '\0';
	if (!bw_parse_u64(number, &n) || n > UINT32_MAX || (dot && !bw_parse_u64(dot + 1, &ib)) ||
	    ib > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "--override wants N=FILE, not \"%s\"", value);
	struct bw_replay_override v = {.number = (uint32_t)n, .ib = (uint32_t)ib};
	BW_TRY(bw_vec_reserve(&c->o.overrides, c->o.overrides.len + 1));
	BW_TRY(bw_replay_override_read(path, &v));
	c->o.overrides.data[c->o.overrides.len++] = v;
	return NULL;
}

static struct bw_error *take_part(struct command *c, const char *option, const char *value)
{
	char number[24];
	const char *rest;
	uint64_t n, count;
	if (!split(value, ':', number, sizeof(number), &rest) || !bw_parse_u64(number, &n) || !n ||
	    n > UINT32_MAX || !bw_parse_u64(rest, &count) || count > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "%s wants N:COUNT, not \"%s\"", option, value);
	c->o.limit = (struct bw_replay_limit){(uint32_t)n, (uint32_t)count, c->words.packets};
	return NULL;
}

static struct bw_error *parse(int argc, char **argv, struct command *c)
{
	struct bw_replay_words *w = &c->words;
	BW_TRY(bw_replay_words_parse(argc, argv, w));
	c->o.first = w->first;
	c->o.last = w->last;
	c->o.timeout_s = w->timeout_s;
	c->o.check = w->check;
	if (w->shaders.len && !w->shader_rules)
		return bw_errorf(BW_E_INVALID, "--shader is for \"breakwater replay\"");
	bw_vec_each(&w->dumps, text)
		BW_TRY(take_dump(c, *text));
	bw_vec_each(&w->overrides, text)
		BW_TRY(take_override(c, *text));
	if (w->dispatches && w->packets)
		return bw_errorf(BW_E_INVALID, "--dispatches and --packets: one of them, once");
	if (w->dispatches)
		BW_TRY(take_part(c, "--dispatches", w->dispatches));
	return w->packets ? take_part(c, "--packets", w->packets) : NULL;
}

/* ---- What happened ---- */

/* "hang": it does not end, or the driver has ended it; "refused": the kernel did not take it. */
static const char *kind_of(const struct bw_capture_result *r)
{
	bool ended_by_driver =
		r->result == -ENODATA || r->result == -ETIME || r->result == -ECANCELED;
	if (r->fault_status)
		return "fault";
	return !r->has_ended || ended_by_driver ? "hang" : "refused";
}

static void show_broken(struct bw_out *o, const struct bw_replay_report *r, uint64_t timeout_s)
{
	char what[120], before[120] = "did not end before the capture did";
	if (r->outcome.has_ended)
		bw_capture_how(&r->outcome, what, sizeof(what));
	else
		snprintf(what, sizeof(what), "did not end within %" PRIu64 " s", timeout_s);
	if (r->has_captured)
		bw_capture_how(&r->captured, before, sizeof(before));
	bw_out_line(o, "Submission %u %s; in the capture it %s.", r->number, what, before);
	bw_out_int(o, "broke", r->number);
	bw_out_str(o, "how", what);
	bw_out_str(o, "captured_how", before);
	bw_out_str(o, "kind", kind_of(&r->outcome));
	if (r->outcome.fault_status)
		bw_out_hex(o, "fault_page", r->outcome.fault_va / BW_CAPTURE_PAGE_B);
	bw_out_bool(o, "as_captured", r->verdict == BW_REPLAY_BROKE_AS);
}

static void show_override(struct bw_out *o, const struct command *c,
			  const struct bw_replay_override_said *said)
{
	if (!c->o.overrides.len)
		return;
	bw_out_line(o,
		    "Overridden: %" PRIu64 " byte%s of captured memory changed, %" PRIu64
		    " bytes of new memory.",
		    said->changed_b, said->changed_b == 1 ? "" : "s", said->new_b);
	bw_out_int(o, "changed_bytes", (int64_t)said->changed_b);
	bw_out_int(o, "new_bytes", (int64_t)said->new_b);
}

static void show_clocks(struct bw_out *o, const struct bw_replay_clocks_said *said)
{
	if (said->n_values)
		bw_out_line(o,
			    "%" PRIu64 " bytes were left out of the comparison: there packets have "
			    "written %" PRIu64 " value%s of the GPU's clock, which is never the "
			    "same twice.",
			    said->n_b, said->n_values, said->n_values == 1 ? "" : "s");
	if (said->n_copies)
		bw_out_line(o, "%" PRIu64 " more bytes were left out: %" PRIu64 " cop%s of %s.",
			    said->n_copied_b, said->n_copies, said->n_copies == 1 ? "y" : "ies",
			    said->n_values == 1 ? "this value" : "these values");
	bw_out_int(o, "clock_bytes", (int64_t)said->n_b);
	bw_out_int(o, "clock_values", (int64_t)said->n_values);
	bw_out_int(o, "clock_copies", (int64_t)said->n_copies);
}

/* Why nothing that was asked for has been done; NULL: it has. */
static struct bw_error *nothing_done(const struct command *c, const struct bw_replay_report *r)
{
	if (r->verdict != BW_REPLAY_SAME || (r->n_submissions && (r->n_checked || !c->o.check)))
		return NULL;
	if (r->n_submissions)
		return bw_errorf(
			BW_E_INVALID, "nothing was compared: %s has no memory after %s",
			c->words.file,
			r->n_submissions == 1
				? "the submission that was replayed"
				: "any of the submissions that were replayed (\"breakwater "
				  "capture --last N\" keeps it now and then, with "
				  "\"--every-result\" each time)");
	if (r->n_lost_records)
		return bw_errorf(
			BW_E_INVALID,
			"nothing was replayed: what %s has of these submissions is damaged",
			c->words.file);
	return bw_errorf(BW_E_INVALID,
			 "nothing was replayed: %s has no submission from %u to %u (\"breakwater "
			 "capture list\" shows what it holds)",
			 c->words.file, c->o.first, c->o.last);
}

static void show_good(struct bw_out *o, const struct command *c, const struct bw_replay_report *r,
		      bool is_damaged)
{
	char checked[128] = "";
	if (c->o.check && is_damaged && r->n_checked)
		snprintf(checked, sizeof(checked),
			 "; what the damaged capture still has of memory is the same after %u of "
			 "them",
			 r->n_checked);
	else if (c->o.check && r->n_checked == r->n_submissions)
		snprintf(checked, sizeof(checked), "; memory is as captured after each");
	else if (c->o.check && r->n_checked)
		snprintf(checked, sizeof(checked),
			 "; memory is as captured after %u of them, of which the capture has it",
			 r->n_checked);
	bw_out_line(o, "%u submission%s, %s replayed%s.", r->n_submissions,
		    r->n_submissions == 1 ? "" : "s",
		    bw_replay_work(r->n_dispatches, r->n_draws).text, checked);
}

static int show(struct bw_out *o, const struct command *c, const struct bw_replay_report *r,
		const struct bw_replay_blame *blame, uint64_t n_loops, uint64_t skipped_b)
{
	bool is_damaged = skipped_b || r->n_lost || r->n_lost_records;
	bw_out_begin(o, "command", "replay");
	bw_replay_show_damage(o, r, skipped_b);
	bw_out_int(o, "submissions", r->n_submissions);
	bw_out_int(o, "dispatches", r->n_dispatches);
	bw_out_int(o, "draws", r->n_draws);
	bw_out_int(o, "checked", r->n_checked);
	bw_out_int(o, "led_in", r->n_led_in);
	bw_out_int(o, "loops", (int64_t)n_loops);
	if (r->n_led_in == 1)
		bw_out_line(
			o,
			"Submission %u ran before: the capture does not hold what it has left in "
			"memory.",
			r->lead_in);
	else if (r->n_led_in)
		bw_out_line(o,
			    "%u submissions from %u on ran before: the capture does not hold what "
			    "they have left in memory.",
			    r->n_led_in, r->lead_in);
	if (r->verdict == BW_REPLAY_DIFFERS) {
		bw_replay_show_difference(o, &r->difference);
		bw_replay_show_blame(o, blame);
	} else if (r->verdict != BW_REPLAY_SAME)
		show_broken(o, r, c->o.timeout_s);
	else if (!r->is_nothing)
		show_good(o, c, r, is_damaged);
	if (r->n_program_b)
		bw_out_line(o,
			    "%" PRIu64 " byte%s of the program's own memory changed while "
			    "submissions ran, and the replay does not write them: threads of the "
			    "program share these pages with the GPU.",
			    r->n_program_b, r->n_program_b == 1 ? "" : "s");
	bw_out_int(o, "program_bytes", (int64_t)r->n_program_b);
	if (r->n_scratch_b)
		bw_out_line(o,
			    "%" PRIu64 " bytes of scratch memory were left out of the comparison: "
			    "which wave gets which part of it differs in each run.",
			    r->n_scratch_b);
	bw_out_int(o, "scratch_bytes", (int64_t)r->n_scratch_b);
	show_clocks(o, &r->clocks);
	show_override(o, c, &r->override_said);
	bw_out_bool(o, "same", r->verdict == BW_REPLAY_SAME && !r->is_nothing);
	bw_out_end(o);
	return r->verdict == BW_REPLAY_SAME	 ? 0
	       : r->verdict == BW_REPLAY_DIFFERS ? EXIT_DIFFERS
						 : EXIT_GPU;
}

/* ---- Running ---- */

/* Code for another GPU is not code for this one. */
static struct bw_error *check_gpu(const struct bw_capture_reader *r, const struct bw_replay_gpu *g)
{
	char captured[24], here[24];
	uint32_t of = bw_capture_reader_device(r)->gc_version, is = bw_replay_gpu_version(g);
	if (!of || !is || of == is)
		return NULL;
	bw_arch_gfx_name(of, captured, sizeof(captured));
	bw_arch_gfx_name(is, here, sizeof(here));
	const char *choice = bw_vgpu_choice_of_gfx(captured);
	return bw_errorf(BW_E_UNSUPPORTED, "the capture is of a %s, and this GPU is a %s%s%s",
			 captured, here, choice ? "; replay it with --gpu " : "",
			 choice ? choice : "");
}

static struct bw_error *check_range(const struct bw_capture_reader *r, const struct command *c)
{
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	if (!n)
		return bw_errorf(BW_E_INVALID, "%s holds no submission", c->words.file);
	bw_vec_each(&c->o.overrides, v) {
		size_t index;
		BW_TRY(bw_capture_find(r, v->number, &index));
		if (v->number < c->o.first || v->number > c->o.last)
			return bw_errorf(BW_E_INVALID,
					 "--override is for submission %u, which does not run",
					 v->number);
	}
	if (c->o.first > e[n - 1].summary.number)
		return bw_errorf(BW_E_NOT_FOUND, "%s ends with submission %u", c->words.file,
				 e[n - 1].summary.number);
	return NULL;
}

/* Submissions from the first to the last of a frame, with those of other processes between. */
static struct bw_error *take_frame(const struct bw_capture_reader *r, struct command *c)
{
	size_t n;
	uint32_t last = 0;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	for (size_t i = 0; c->words.frame && i < n; i++) {
		if (e[i].summary.frame != c->words.frame)
			continue;
		if (!last)
			c->o.first = e[i].summary.number;
		last = e[i].summary.number;
	}
	if (c->words.frame && !last)
		return bw_errorf(BW_E_NOT_FOUND,
				 "nothing in %s was submitted for frame %u (\"breakwater capture "
				 "list\" shows the frames)",
				 c->words.file, c->words.frame);
	c->o.last = c->words.frame ? last : c->o.last;
	return NULL;
}

static struct bw_error *replay(struct command *c, const char *node, struct bw_out *out,
			       int *out_status)
{
	struct bw_capture_reader *r;
	struct bw_replay_report report = {0};
	struct bw_replay_blame blame = {0};
	struct bw_error *err = NULL;
	uint64_t i = 0;
	BW_TRY(bw_capture_reader_open(c->words.file, &r));
	err = take_frame(r, c);
	if (!err)
		err = check_range(r, c);
	if (!err && c->o.swap)
		err = bw_replay_swap_check(c->o.swap, bw_capture_reader_version(r));
	for (; !err && i < c->words.loop && report.verdict == BW_REPLAY_SAME; i++) {
		struct bw_replay_gpu *g;
		if ((err = bw_replay_gpu_open(node, &g)))
			break;
		err = check_gpu(r, g);
		if (!err)
			err = bw_replay_play(r, g, &c->o, &report);
		bw_replay_gpu_close(g);
	}
	/* not where a part of it was asked for */
	if (!err && report.verdict == BW_REPLAY_DIFFERS &&
	    c->o.limit.number != report.difference.number)
		err = bw_replay_locate(r, node, &c->o, report.difference.number, &blame);
	struct bw_error *nothing = err ? NULL : nothing_done(c, &report);
	report.is_nothing = nothing != NULL;
	if (!err)
		*out_status = show(out, c, &report, &blame, i, bw_capture_reader_skipped_b(r));
	if (!err)
		err = nothing;
	bw_capture_reader_close(r);
	return err;
}

/* Under `breakwater replay` and the debugger the environment names the virtual GPU. */
static struct bw_error *node_of(const char *gpu, char *out, size_t room)
{
	struct bw_kmd *kmd;
	snprintf(out, room, "/dev/dri/renderD128");
	if (getenv(BW_KMD_SERVER_ENV))
		return NULL;
	BW_TRY(bw_kmd_open(gpu, &kmd));
	bool is_virtual = bw_kmd_is_virtual(kmd);
	if (!is_virtual)
		snprintf(out, room, "/dev/dri/by-path/pci-%s-render", bw_kmd_pci_address(kmd));
	bw_kmd_close(kmd);
	return is_virtual ? bw_errorf(BW_E_STATE, "the virtual GPU is used by \"breakwater "
						  "replay\", which starts this program")
			  : NULL;
}

static int report_error(struct bw_error *err, int status)
{
	fflush(stdout);
	fputs("breakwater: ", stderr);
	bw_out_printable(stderr, err->message);
	fputs(".\n", stderr);
	bw_error_free(err);
	return status;
}

int main(int argc, char **argv)
{
	bw_file_limit_is_error();
	struct command c = {0};
	struct bw_out *out = NULL;
	struct bw_replay_swap swap = {0};
	char node[64];
	int status = 0;
	/* Of "breakwater replay", which waits for us. A debugger's end is seen by the agent. */
	if (!getenv(BW_AGENT_OWNED_ENV))
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	struct bw_error *err = parse(argc, argv, &c);
	if (!err && c.words.help) {
		bw_command_line_print_help(&bw_line_replay);
	} else if (!err) {
		err = bw_out_create(stdout, c.words.json, &out);
		if (!err)
			err = node_of(c.words.gpu, node, sizeof(node));
		if (!err && c.words.shader_rules) {
			err = bw_replay_swap_open(c.words.shader_rules, &swap);
			c.o.swap = &swap;
		}
		if (!err)
			err = replay(&c, node, out, &status);
		bw_replay_swap_fini(&swap);
	}
	if (err)
		status = report_error(err, err->code == BW_E_GONE ? EXIT_GPU : EXIT_BAD_INPUT);
	bw_out_destroy(out);
	bw_vec_each(&c.o.overrides, v)
		bw_replay_override_fini(v);
	bw_vec_free(&c.o.overrides);
	bw_vec_free(&c.o.dumps);
	bw_replay_words_fini(&c.words);
	if (fflush(stdout) && !status)
		status = EXIT_OUTPUT;
	return status;
}
