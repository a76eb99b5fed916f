/* SPDX-License-Identifier: MIT */
/* Opens the files that a GPU has left after a crash, for a session in which nothing runs. */
#include "session/crash_files.h"
#include "session/prepare.h"
#include "session/programs.h"

#include <stdlib.h>

static void show_verdict(struct bw_session *s)
{
	struct bw_str text = {0};
	bw_crash_verdict(s->crash, NULL, &text);
	/* the verdict refers to it */
	bw_vec_each(&s->crash->dumps, d) {
		bw_vec_each(&d->damaged, note)
			bw_str_addf(&text, "  line %u: %s\n", note->line, note->text);
		if (d->n_damaged > d->damaged.len)
			bw_str_addf(&text, "  and %zu more\n", d->n_damaged - d->damaged.len);
	}
	bw_out_begin(s->out, "event", "notice");
	bw_out_str(s->out, "kind", "info");
	bw_out_str(s->out, "text", bw_str_text(&text));
	bw_out_text(s->out, bw_str_text(&text));
	bw_out_end(s->out);
	bw_out_flush(s->out);
	bw_str_free(&text);
}

static struct bw_error *open_file(struct bw_session *s, const char *path, uint32_t gc)
{
	struct bw_target *target;
	s->crash = calloc(1, sizeof(*s->crash));
	if (!s->crash)
		return bw_error_nomem();
	BW_TRY(bw_read_crash(&path, 1, s->crash));
	const struct bw_target_source source = {
		.kind = BW_SOURCE_CRASH, .crash = s->crash, .gc = gc};
	show_verdict(s);
	BW_TRY(bw_open_target(&source, &target));
	s->attached = true; /* there is nothing to be killed when the session ends */
	struct bw_stop stop;
	BW_TRY(bw_debug_start(s->debug, target));
	BW_TRY(bw_debug_wait(s->debug, -1, &stop));
	bw_session_stopped(s, &stop, false);
	return NULL;
}

struct bw_error *bw_open_crash(struct bw_session *s, const struct bw_run_options *o)
{
	const char *other = o->launch.words.len ? o->launch.words.data[0]
			    : o->compile.first	? o->compile.first
			    : o->gpu		? "--gpu"
			    : o->vgpu.fidelity	? "--fidelity"
			    : o->vgpu.strict || o->vgpu.deterministic || o->vgpu.trace_hash
				    ? "--strict, --deterministic or --trace-hash"
				    : NULL;
	if (other)
		return bw_errorf(BW_E_INVALID, "%s is for kernels; %s is a crash file", other,
				 o->kernel);
	bw_session_catch_signals(s);
	return open_file(s, o->kernel, o->gc);
}
