/* SPDX-License-Identifier: MIT */
/* Opens a session for what its options name, and prints the reports of these options at its end. */
#include "session/crash_files.h"
#include "session/prepare.h"
#include "session/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "wire/vgpu_models.h"
#include "wire/vgpu_proto.h"
#include "inject/swap.h"
#include "wire/agent_folders.h"

/* The debugger itself reports what the kernel logs about a fault, and in more detail. */
static struct bw_error *set_up_server(const struct bw_run_options *o)
{
	BW_TRY(bw_add_server_args("--quiet"));
	BW_TRY(bw_set_up_strict(&o->vgpu));
	return o->vgpu.fidelity ? bw_add_server_args("--fidelity") : NULL;
}

/* The model of the virtual GPU that the options name, for which a kernel is compiled; or NULL. */
static const struct bw_vgpu_model *model_of(const struct bw_run_options *o)
{
	static const char selector[] = "virtual:";
	return o->gpu && bw_starts_with(o->gpu, selector)
		       ? bw_vgpu_model_find(o->gpu + strlen(selector))
		       : NULL;
}

/* A GPU that is there already must be asked what it is before a kernel is compiled for it. */
static bool asks_gpu(const struct bw_run_options *o)
{
	return getenv(BW_VGPU_SOCKET_ENV) || (o->kernel && !bw_kmd_means_virtual(o->gpu));
}

struct bw_error *bw_session_open(struct bw_session *s, struct bw_run_options *o)
{
	bool is_virtual = false;
	s->shaders = (struct bw_shader_wishes){
		.lines = o->kernel && !o->attach ? o->shader_lines != BW_LINES_UNWANTED
						 : o->shader_lines == BW_LINES_WANTED,
		.notes = o->program && o->compile.words.len};
	s->limit_s = o->limit_s;
	if (o->kernel && !o->attach && bw_is_crash(o->kernel))
		return bw_open_crash(s, o);
	if (o->gc)
		return bw_errorf(BW_E_INVALID, "--gfx is for crash files%s%s%s",
				 o->kernel ? "; " : "", o->kernel ? o->kernel : "",
				 o->kernel ? " is not one" : "");
	if (o->kernel && !o->attach && bw_is_capture(o->kernel))
		o->gpu = bw_capture_gpu(o->kernel, o->gpu);
	if (o->attach && o->pid)
		BW_TRY(bw_use_gpu_of(o->pid, &is_virtual));
	if (!o->attach && model_of(o))
		snprintf(s->gfx, sizeof(s->gfx), "%s", model_of(o)->gfx);
	const bool asks = !o->attach && asks_gpu(o);
	if (!o->attach && !asks)
		BW_TRY(o->kernel ? bw_prepare_kernel(s, o) : bw_prepare_program(s, o));
	BW_TRY(bw_swaps_begin(&o->swaps, NULL, &s->folder, &s->swaps));
	if (s->swaps)
		BW_TRY(bw_agent_folders_add(s->folder.path));
	BW_TRY(set_up_server(o));
	BW_TRY(bw_kmd_open(is_virtual ? "virtual" : o->gpu, &s->kmd));
	if (!o->attach && !o->waves)
		bw_session_look_at_gpu(s);
	if (asks)
		BW_TRY(o->kernel ? bw_prepare_kernel(s, o) : bw_prepare_program(s, o));
	if (bw_kmd_choice(s->kmd))
		bw_session_warn(s, bw_kmd_choice(s->kmd));
	_cleanup_error_ struct bw_error *other =
		o->program ? bw_check_gpu_code(s->kmd, s->program.argv[s->program.named]) : NULL;
	if (other)
		bw_session_warn(s, other->message);
	if (o->vgpu.fidelity)
		BW_TRY(bw_check_fidelity(s->kmd));
	BW_TRY(bw_check_strict(s->kmd, &o->vgpu));
	s->is_checked = o->vgpu.check;
	BW_TRY(bw_session_suppress(s, &o->vgpu));
	bw_session_catch_signals(s);
	if (o->waves)
		return bw_open_waves(s, o);
	return o->attach ? bw_session_attach(s, o->pid) : NULL;
}

struct bw_error *bw_session_open_words(struct bw_session *s, int argc, char **argv, bool attach,
				       const char *whose)
{
	struct bw_run_options o = {.attach = attach};
	struct bw_error *err = bw_run_options_parse(&o, argc, argv);
	if (!err &&
	    (o.script.len || o.interactive || o.batch || o.json || o.help || o.limit_s > 0 ||
	     o.vgpu.fidelity || o.vgpu.strict || o.vgpu.check || o.vgpu.trace_hash))
		err = bw_errorf(
			BW_E_UNSUPPORTED,
			"-ex, -x, -i, --batch, --json, --help, --timeout, --fidelity, --strict, --check and --trace-hash are for the command line, not for %s session",
			whose);
	if (!err)
		err = bw_session_open(s, &o);
	bw_run_options_fini(&o);
	return err;
}

struct bw_error *bw_session_report(struct bw_session *s, const struct bw_run_options *o)
{
	bool fails;
	BW_TRY(bw_show_strict(s->kmd, &o->vgpu, s->debug, s->out));
	BW_TRY(bw_show_check(s, &o->vgpu, &fails));
	if (fails && !s->exit_status)
		s->exit_status = BW_EXIT_FINDINGS;
	if (s->swaps)
		BW_TRY(bw_swaps_report(s->swaps, s->out));
	return o->vgpu.fidelity ? bw_show_fidelity(s->kmd, s->out) : NULL;
}
