/* SPDX-License-Identifier: MIT */
#include "ui/show_program.h"
#include "debug/faults.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/shown.h"
#include "base/str.h"
#include "target/call.h"

void bw_show_frame(struct bw_debug *d, const struct bw_wave_info *w, bool with_args,
		   struct bw_str *out)
{
	struct bw_where where;
	struct bw_call_place call = {0};
	bool at_call = bw_debug_at_call(d, w->number, &call);
	bw_debug_where_in(d, w->dispatch, w->pc, &where);
	bool line_start = where.has_line && !where.line.approximate && where.line.start == w->pc;
	if (!line_start)
		bw_str_addf(out, "0x%012llx in ", (unsigned long long)w->pc);
	struct bw_frame frame;
	bw_debug_frame(d, w->dispatch, w->pc, &frame);
	const struct bw_wave_info *focus = bw_debug_focus(d);
	const char *function = call.function	? call.function
			       : frame.function ? frame.function
						: where.function;
	bw_str_addf(out, "%s (", function ? function : "??");
	/* "..." as gdb shows arguments whose values it leaves out */
	if (with_args && frame.has_params &&
	    !(focus && focus->pc == w->pc && bw_show_frame_args(d, out)))
		bw_str_add(out, "...");
	bw_str_add(out, ")");
	if (at_call && call.file)
		bw_str_addf(out, " at %s:%u", bw_base_name(call.file), call.line);
	else if (where.has_line)
		bw_str_addf(out, " at %s:%u%s", bw_base_name(where.line.file), where.line.line,
			    where.line.approximate ? " (about)" : "");
	else if (where.code_object)
		bw_str_addf(out, " from %s", bw_base_name(where.code_object));
}

void bw_show_instruction(struct bw_out *o, struct bw_debug *d, uint64_t pc)
{
	_cleanup_free_ struct bw_dis_line *line = NULL;
	size_t n = 0;
	struct bw_error *err = bw_debug_disassemble(d, pc, 0, 1, &line, &n);
	if (err || !n) {
		bw_out_line(o, "=> 0x%012llx:  (code cannot be read)", (unsigned long long)pc);
		bw_error_free(err);
		return;
	}
	char symbol[160];
	bw_debug_symbolize(d, pc, symbol, sizeof(symbol));
	bw_out_painted(o, BW_PAINT_CODE, "=> 0x%012llx%s%s:  %s", (unsigned long long)pc,
		       symbol[0] ? " " : "", symbol, line[0].text);
	bw_out_str(o, "instruction", line[0].text);
}

/* The instruction that has raised an exception, or made the access that is watched or found: it is
 * complete, and the PC stands after it. */
static void show_cause_inst(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w)
{
	_cleanup_free_ struct bw_dis_line *line = NULL;
	char symbol[160];
	size_t n = 0;
	if (!(w->reasons & (BW_REASON_WATCHPOINT | BW_REASON_FP_EXCEPTION | BW_REASON_FINDING)) ||
	    w->cause_pc == w->pc)
		return;
	struct bw_error *err =
		w->cause_pc ? bw_debug_disassemble(d, w->cause_pc, 0, 1, &line, &n) : NULL;
	bw_error_free(err);
	if (!n) {
		if (w->pc_imprecise)
			bw_out_text(
				o,
				"Warning: precise memory is off: the access was made some instructions before.\n"
				"See \"set precise-memory on\".\n");
		return;
	}
	bw_debug_symbolize(d, w->cause_pc, symbol, sizeof(symbol));
	bw_out_painted(o, BW_PAINT_CODE, "   0x%012llx%s%s:  %s", (unsigned long long)w->cause_pc,
		       symbol[0] ? " " : "", symbol, line[0].text);
	bw_out_hex(o, "cause_pc", w->cause_pc);
	bw_out_str(o, "cause", line[0].text);
}

void bw_show_place_facts(struct bw_out *o, const struct bw_where *where)
{
	if (where->function) {
		bw_out_str(o, "function", where->function);
		bw_out_int(o, "offset", (int64_t)where->offset_b);
	}
	if (where->has_line) {
		bw_out_str(o, "file", where->line.file);
		bw_out_int(o, "line", where->line.line);
	}
}

/* The place of a stop: frame, source line, instruction. */
static void show_place(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w,
		       const char *lead)
{
	struct bw_str text = {0};
	struct bw_stack_frame frame;
	struct bw_error *err = bw_debug_stack_frame(d, 0, &frame);
	if (err)
		bw_show_frame(d, w, true, &text);
	else
		bw_show_stack_frame(d, &frame, &text);
	bw_out_line(o, "%s%s", lead, bw_str_text(&text));
	bw_str_free(&text);
	if (!err)
		bw_show_frame_source(o, d, &frame);
	bw_error_free(err);
	show_cause_inst(o, d, w);
	bw_show_instruction(o, d, w->pc);
}

/* "reads 4 bytes at", "atomically changes 4 bytes at" */
static const char *access_verb(const struct bw_fault_info *f)
{
	if (f->is_fetch)
		return "fetches its next instruction at";
	if (f->is_atomic)
		return "atomically changes";
	return f->is_write ? "writes" : "reads";
}

/* "not mapped: the PDB1 entry ... is not valid", "mapped, but not for writing: ..." */
static void add_verdict(struct bw_str *s, const struct bw_fault_info *f)
{
	const struct bw_verdict *v = &f->verdict;
	switch (v->kind) {
	case BW_VERDICT_UNMAPPED:
		bw_str_addf(s, "not mapped: %s", v->text);
		return;
	case BW_VERDICT_NOT_CANONICAL:
		bw_str_addf(s, "no address: %s", v->text);
		return;
	case BW_VERDICT_MAPPED:
		if (f->is_fetch && !v->executable)
			bw_str_add(s, "mapped, but not for execution ");
		else if ((f->is_write || f->is_atomic) && !v->writable)
			bw_str_add(s, "mapped, but not for writing ");
		else if (!v->readable)
			bw_str_add(s, "mapped, but not for reading ");
		else
			bw_str_add(s, "mapped now ");
		/* The entry that says so, in parentheses. */
		bw_str_add(s, bw_starts_with(v->text, "mapped ") ? v->text + strlen("mapped ")
								 : v->text);
		return;
	case BW_VERDICT_UNKNOWN:
		bw_str_addf(s, "of unknown state: %s", v->text);
		return;
	}
}

/* "That is 24 bytes past the end of buffer 'out' (0x100004000, 256 bytes)." */
static void show_near(struct bw_out *o, const struct bw_fault_info *f)
{
	struct bw_str s = {0};
	if (!f->near_buffer)
		return;
	const char *bytes = f->near_b == 1 ? "byte" : "bytes";
	if (f->near == BW_NEAR_INSIDE)
		bw_str_addf(&s, "%llu %s into", (unsigned long long)f->near_b, bytes);
	else if (f->near_b == 0)
		bw_str_add(&s, "right after the end of");
	else
		bw_str_addf(&s, "%llu %s %s", (unsigned long long)f->near_b, bytes,
			    f->near == BW_NEAR_PAST ? "past the end of" : "before the start of");
	bw_str_add(&s, f->near_is_image ? " image " : " buffer ");
	if (f->near_name[0])
		bw_str_addf(&s, "'%s'", f->near_name);
	else
		bw_str_addf(&s, "%u", f->near_buffer);
	bw_out_str(o, "near", bw_str_text(&s));
	bw_out_line(o, "That is %s (0x%llx, %llu bytes).", bw_str_text(&s),
		    (unsigned long long)f->near_va, (unsigned long long)f->near_size_b);
	bw_str_free(&s);
}

/* "The program has freed it: byte 160 of the 4096 bytes at 0x100004000, in main at a.hip:31." */
static void show_freed(struct bw_out *o, const struct bw_fault_info *f)
{
	struct bw_str s = {0};
	const struct bw_target_freed *freed = &f->freed;
	if (!freed->size_b)
		return;
	bw_str_addf(&s, "byte %llu of the %llu bytes at 0x%llx",
		    (unsigned long long)(f->addr - freed->va), (unsigned long long)freed->size_b,
		    (unsigned long long)freed->va);
	if (f->freed_in.function[0])
		bw_str_addf(&s, ", in %s", f->freed_in.function);
	if (f->freed_in.line)
		bw_str_addf(&s, " at %s:%u", f->freed_in.file, f->freed_in.line);
	bw_out_str(o, "freed", bw_str_text(&s));
	bw_out_line(o, "The program has freed it: %s.", bw_str_text(&s));
	bw_str_free(&s);
}

/* "It is texel (3,4) of the 2D image at 0x100004000 (64 x 64, 'colour')." */
static void show_image(struct bw_out *o, const struct bw_fault_info *f)
{
	struct bw_str s = {0};
	if (!f->is_image)
		return;
	if (f->first_lane < 0)
		bw_str_add(&s, "The instruction uses");
	else if (f->block_b)
		bw_str_addf(
			&s,
			"That is in the block of %u bytes at 0x%llx, in which texel (%u,%u,%u) lies, of",
			f->block_b, (unsigned long long)f->block_va, f->texel[0], f->texel[1],
			f->texel[2]);
	else
		bw_str_addf(&s, "It is texel (%u,%u,%u) of", f->texel[0], f->texel[1], f->texel[2]);
	bw_str_addf(&s, " the %s image at 0x%llx (%u x %u x %u", f->image_type,
		    (unsigned long long)f->image_va, f->image_dim[0], f->image_dim[1],
		    f->image_dim[2]);
	if (f->image_name[0])
		bw_str_addf(&s, ", '%s'", f->image_name);
	bw_str_add(&s, ")");
	bw_out_line(o, "%s.", bw_str_text(&s));
	bw_out_str(o, "image", bw_str_text(&s));
	bw_str_free(&s);
}

/* "Lane 5 reads 4 bytes at": what was tried. In a tiled image the texel's own address is not
 * known. */
static void add_attempt(struct bw_str *s, const struct bw_fault_info *f)
{
	if (f->first_lane >= 0 && !f->is_scalar)
		bw_str_addf(s, "Lane %d ", f->first_lane);
	else
		bw_str_add(s, "The wave ");
	bw_str_add(s, access_verb(f));
	if (f->block_b)
		bw_str_add(s, " a texel near");
	else if (!f->is_fetch)
		bw_str_addf(s, " %u byte%s at", f->access_size_b, f->access_size_b == 1 ? "" : "s");
}

void bw_show_fault(struct bw_out *o, struct bw_debug *d, uint32_t wave)
{
	struct bw_fault_info f;
	struct bw_error *err = bw_debug_fault(d, wave, &f);
	if (err) {
		bw_out_line(o, "What it accessed could not be found out: %s.", err->message);
		bw_error_free(err);
		return;
	}
	struct bw_str s = {0};
	if (f.has_instruction && f.has_addr && !(f.is_image && f.first_lane < 0)) {
		add_attempt(&s, &f);
		bw_str_addf(&s, " 0x%llx, which is ", (unsigned long long)f.addr);
		add_verdict(&s, &f);
		bw_str_add(&s, ".");
		bw_out_hex(o, "fault_address", f.addr);
	} else if (f.has_addr) {
		bw_str_addf(&s, "The GPU recorded a fault in the page at 0x%llx, which is ",
			    (unsigned long long)f.addr);
		add_verdict(&s, &f);
		bw_str_add(&s, ".");
		bw_out_hex(o, "fault_address", f.addr);
	} else {
		bw_str_add(&s, "The GPU recorded no address for it.");
	}
	bw_out_line(o, "%s", bw_str_text(&s));
	bw_out_str(o, "fault", bw_str_text(&s));
	bw_str_free(&s);
	show_image(o, &f);
	show_near(o, &f);
	show_freed(o, &f);
	if (f.fault_lanes && !f.is_scalar && (f.fault_lanes & (f.fault_lanes - 1))) {
		struct bw_str lanes = {0};
		bw_print_lanes(&lanes, f.fault_lanes);
		bw_out_line(o, "Lanes that fail: [%s].", bw_str_text(&lanes));
		bw_str_free(&lanes);
	}
	if (f.fault_lanes)
		bw_out_hex(o, "fault_lanes", f.fault_lanes);
	if (f.has_status && f.record.present)
		bw_out_line(o, "GPUVM fault record: page 0x%llx, status 0x%08x.",
			    (unsigned long long)f.record.va, f.record.status);
}

static void show_exit(struct bw_out *o, struct bw_debug *d, const struct bw_stop *s)
{
	const char *name = bw_debug_program_name(d);
	pid_t pid = bw_debug_program_pid(d);
	struct bw_str who = {0};
	/* known when it opens the GPU; some programs never do */
	if (pid > 0)
		bw_str_addf(&who, "%s (process %d)", name[0] ? name : "The program", (int)pid);
	else
		bw_str_add(&who, "The program, which has not used the GPU,");
	const char *text = bw_str_text(&who);
	bw_out_str(o, "reason", "exited");
	if (!s->exit_known) {
		bw_out_line(o, "[%s has ended]", text);
	} else if (WIFSIGNALED(s->exit_status)) {
		int sig = WTERMSIG(s->exit_status);
		bw_out_line(o, "[%s was ended by signal %d, %s]", text, sig, strsignal(sig));
		bw_out_int(o, "signal", sig);
	} else if (WEXITSTATUS(s->exit_status)) {
		bw_out_line(o, "[%s exited with status %d]", text, WEXITSTATUS(s->exit_status));
		bw_out_int(o, "status", WEXITSTATUS(s->exit_status));
	} else {
		bw_out_line(o, "[%s exited normally]", text);
		bw_out_int(o, "status", 0);
	}
	bw_str_free(&who);
}

const char *bw_watch_kind_text(const struct bw_break_info *b)
{
	if (b->watch_register < 0)
		return "Watchpoint";
	switch (b->kind) {
	case BW_BREAK_RWATCH:
		return "Hardware read watchpoint";
	case BW_BREAK_AWATCH:
		return "Hardware access (read/write) watchpoint";
	case BW_BREAK_WATCH:
	case BW_BREAK_CODE:
	case BW_BREAK_EXCEPTION:
	case BW_BREAK_DRAW:
		break;
	}
	return "Hardware watchpoint";
}

static void show_watch_value(struct bw_out *o, struct bw_debug *d, const char *title,
			     const char *key, const struct bw_value *v)
{
	struct bw_str s = {0};
	bw_show_value(d, v, 0, &s);
	bw_out_line(o, "%s = %s", title, bw_str_text(&s));
	bw_out_str(o, key, bw_str_text(&s));
	bw_str_free(&s);
}

/* "Thread 1 "saxpy" hit Hardware watchpoint 2: out[5], with lanes [5]", and the values. */
static void show_watch(struct bw_out *o, struct bw_debug *d, const struct bw_stop *s,
		       const struct bw_break_info *b)
{
	const struct bw_watch_hit *hit = bw_debug_watch_hit(d, b->number);
	struct bw_str lanes = {0};
	bw_print_lanes(&lanes, s->breakpoint_lanes);
	bw_out_line(o, "Thread %u \"%s\" hit %s %u: %s, with lanes [%s]", s->wave,
		    bw_debug_program_name(d), bw_watch_kind_text(b), b->number, b->spec,
		    bw_str_text(&lanes));
	bw_str_free(&lanes);
	bw_out_int(o, "watchpoint", b->number);
	bw_out_hex(o, "watchpoint_lanes", s->breakpoint_lanes);
	if (!hit)
		return;
	bw_out_line(o, "%s", "");
	if (hit->changed) {
		show_watch_value(o, d, "Old value", "old_value", &hit->old);
		show_watch_value(o, d, "New value", "new_value", &hit->now);
	} else {
		show_watch_value(o, d, "Value", "value", &hit->now);
	}
}

/* "Thread 7 "saxpy" hit Breakpoint 1, with lanes [0-31], " or the signal's sentence. */
static void show_cause(struct bw_out *o, struct bw_debug *d, const struct bw_stop *s,
		       const struct bw_wave_info *w, struct bw_str *lead)
{
	char reasons[160];
	const char *name = bw_debug_program_name(d);
	const struct bw_break_info *b = bw_debug_breakpoint(d, s->breakpoint);
	if (s->reasons & BW_REASON_WATCHPOINT && b && b->kind != BW_BREAK_CODE) {
		show_watch(o, d, s, b);
		return;
	}
	if (s->reasons & BW_REASON_FP_EXCEPTION && s->breakpoint) {
		bw_reason_text(s->reasons & BW_REASON_FP_EXCEPTION, reasons, sizeof(reasons));
		bw_out_line(o, "Thread %u \"%s\" hit %s %u (%s).", s->wave, name,
			    s->breakpoint_temporary ? "Temporary catchpoint" : "Catchpoint",
			    s->breakpoint, reasons);
		bw_out_int(o, "breakpoint", s->breakpoint);
		return;
	}
	if (s->focus_ended && (s->reasons == BW_REASON_INTERRUPT ||
			       (s->breakpoint && !b && !s->breakpoint_temporary))) {
		bw_out_line(o, "Thread %u \"%s\" stopped.", s->wave, name);
		return;
	}
	if (s->reasons & BW_REASON_BREAKPOINT && s->breakpoint) {
		bw_str_addf(lead, "Thread %u \"%s\" hit %s %u, with lanes [", s->wave, name,
			    s->breakpoint_temporary ? "Temporary breakpoint" : "Breakpoint",
			    s->breakpoint);
		bw_print_lanes(lead, s->breakpoint_lanes);
		bw_str_add(lead, "], ");
		bw_out_int(o, "breakpoint", s->breakpoint);
		bw_out_hex(o, "breakpoint_lanes", s->breakpoint_lanes);
		return;
	}
	if (s->reasons == BW_REASON_SINGLE_STEP ||
	    (!bw_target_can(bw_debug_target(d), BW_CAP_RUN) && s->reasons == BW_REASON_INTERRUPT))
		return;
	if (s->reasons & BW_REASON_FINDING) {
		bw_out_line(o, "Thread %u \"%s\" stopped: --check has found something.", s->wave,
			    name);
		return;
	}
	const char *signal = bw_reason_signal(s->reasons);
	bw_reason_text(s->reasons, reasons, sizeof(reasons));
	if (signal)
		bw_out_line(o, "Thread %u \"%s\" received signal %s.", s->wave, name, signal);
	else
		bw_out_line(o, "Thread %u \"%s\" stopped: %s.", s->wave, name, reasons);
	if (w->trap_id)
		bw_out_int(o, "trap", w->trap_id);
	if (w->trap_id)
		bw_out_line(o, "The wave executed s_trap %u%s.", w->trap_id,
			    w->builtin_trap ? " (the start of __builtin_trap)" : "");
}

/* The line that a step has come to; in another function than before, the frame as well. Assembly is
 * shown by its instruction. */
static void show_step(struct bw_out *o, struct bw_debug *d)
{
	struct bw_stack_frame f;
	struct bw_error *err = bw_debug_stack_frame(d, 0, &f);
	bw_error_free(err);
	if (err)
		return;
	size_t len = f.has_line ? strlen(f.file) : 0;
	bool assembly =
		len > 2 && (!strcmp(f.file + len - 2, ".s") || !strcmp(f.file + len - 2, ".S"));
	if (!assembly)
		bw_show_frame_source(o, d, &f);
}

/* What the queue met, and where the packet can be looked at: until it is resumed the program still
 * has that memory. */
static void show_queue_error(struct bw_out *o, struct bw_debug *d, const struct bw_stop *s)
{
	enum { AROUND_B = 256 };
	const struct bw_target_queue_error *e = &s->queue_error;
	const char *engine = e->is_sdma ? "SDMA engine" : "command processor";
	uint64_t va = e->ib_va + e->dword * 4, end = (va / AROUND_B + 1) * AROUND_B;
	bw_out_str(o, "reason", "queue error");
	bw_out_str(o, "engine", engine);
	bw_out_line(o, "The %s met an error%s%s in work of process %d: %s.", engine,
		    e->ring[0] ? " on ring " : "", e->ring, (int)s->pid, e->what);
	bw_out_int(o, "process", s->pid);
	if (e->ring[0])
		bw_out_str(o, "ring", e->ring);
	bw_out_str(o, "error", e->what);
	if (e->packet[0]) {
		bw_out_str(o, "packet", e->packet);
		bw_out_line(o, "%s", e->packet);
	}
	if (e->has_ib) {
		bw_out_hex(o, "ib", e->ib_va);
		bw_out_int(o, "dword", (int64_t)e->dword);
		bw_out_hex(o, "packet_address", va);
		bw_out_line(o, "The packet is at 0x%llx, dword %llu of the IB at 0x%llx.",
			    (unsigned long long)va, (unsigned long long)e->dword,
			    (unsigned long long)e->ib_va);
		bw_out_line(o,
			    "\"dump memory ib.bin 0x%llx 0x%llx\", then \"shell breakwater pm4 "
			    "ib.bin%s\" shows the packets there.",
			    (unsigned long long)e->ib_va, (unsigned long long)end,
			    e->is_sdma ? " --sdma" : "");
	}
	bw_out_str(o, "fence", bw_error_result(s->result));
	bw_out_line(o, "The kernel has ended that work (%s); \"continue\" resumes the program.",
		    bw_error_result(s->result));
	bw_out_int(o, "stopped", (int64_t)s->n_waves);
}

void bw_show_stop(struct bw_out *o, struct bw_debug *d, const struct bw_stop *s, bool brief)
{
	if (s->kind == BW_STOP_NONE)
		return;
	bw_out_begin(o, "event", s->kind == BW_STOP_EXITED ? "exit" : "stop");
	const struct bw_wave_info *w = s->kind == BW_STOP_WAVES ? bw_debug_wave(d, s->wave) : NULL;
	switch (s->kind) {
	case BW_STOP_NONE:
		break;
	case BW_STOP_EXITED:
		show_exit(o, d, s);
		break;
	case BW_STOP_GPU_GONE:
		bw_out_line(o, "[The virtual GPU has ended; the program has lost its device]");
		bw_out_str(o, "reason", "gpu gone");
		break;
	case BW_STOP_QUEUE_ERROR:
		show_queue_error(o, d, s);
		break;
	case BW_STOP_INTERRUPTED:
		bw_out_line(
			o,
			bw_debug_target(d)->is_past ? "There is no wave in it."
			: !bw_target_can(bw_debug_target(d), BW_CAP_RUN)
				? "There is no wave to look at."
			: s->focus_ended
				? "No wave is on the GPU now; \"continue\" goes on."
				: "Interrupted. No wave is on the GPU now; \"continue\" goes on.");
		bw_out_str(o, "reason", "interrupted");
		if (!s->focus_ended)
			bw_show_standing_queues(o, d);
		break;
	case BW_STOP_DISPATCH: {
		const struct bw_dispatch_info *info = bw_debug_dispatch(d, s->dispatch);
		bw_out_line(o, "Dispatch %u of %s is about to start; \"continue\" starts it.",
			    s->dispatch, info ? info->kernel_title : "?");
		bw_out_str(o, "reason", "dispatch");
		bw_out_int(o, "dispatch", s->dispatch);
		if (info) {
			struct bw_where where;
			bw_debug_where_in(d, s->dispatch, info->desc.code_va, &where);
			bw_out_str(o, "kernel", info->kernel_name);
			bw_out_hex(o, "pc", info->desc.code_va);
			bw_show_place_facts(o, &where);
		}
		break;
	}
	case BW_STOP_WAVES: {
		if (!w) { /* the program or its connection has ended since */
			bw_out_line(o, "The wave that had stopped is gone; \"continue\" goes on.");
			bw_out_str(o, "reason", "interrupted");
			break;
		}
		char reasons[160], identity[96];
		bw_reason_text(s->reasons, reasons, sizeof(reasons));
		bw_out_str(o, "reason", reasons);
		bw_out_int(o, "wave", s->wave);
		bw_out_int(o, "lane", s->lane);
		bw_out_int(o, "stopped", (int64_t)s->n_waves);
		bw_out_int(o, "same_place", (int64_t)s->n_same);
		bw_out_int(o, "other_events", (int64_t)s->n_other);
		bw_out_int(o, "unstoppable", s->n_unstoppable);
		bw_out_bool(o, "active", w->exec >> s->lane & 1);
		bw_out_int(o, "dispatch", w->dispatch);
		struct bw_where place;
		bw_debug_wave_where(d, w, &place);
		bw_out_hex(o, "pc", w->pc);
		bw_show_place_facts(o, &place);
		if (s->focus_changed) {
			bw_lane_name(d, w, s->lane, identity, sizeof(identity));
			bw_out_line(o, "[Switching to thread %u, lane %u (%s)]", s->wave, s->lane,
				    identity);
		}
		struct bw_str lead = {0};
		show_cause(o, d, s, w, &lead);
		if (brief && s->reasons == BW_REASON_SINGLE_STEP) {
			show_step(o, d);
			bw_show_instruction(o, d, w->pc);
		} else {
			show_place(o, d, w, bw_str_text(&lead));
		}
		bw_str_free(&lead);
		if (s->reasons & (BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR)) {
			bw_show_fault(o, d, s->wave);
			if (w->pc_imprecise)
				bw_out_text(
					o,
					"Warning: precise memory violation signal reporting is not enabled, reported\n"
					"location may not be accurate.\n");
		}
		if (!(w->exec >> s->lane & 1))
			bw_out_line(o, "warning: Current lane is inactive.");
		bw_show_whole_wave(o, w);
		if (s->n_same > 1)
			bw_out_line(
				o, "%zu waves stopped here, %zu in all; \"info waves\" shows them.",
				s->n_same, s->n_waves);
		if (s->n_other)
			bw_out_line(
				o,
				"%zu more stopped for another reason; \"continue\" shows that next.",
				s->n_other);
		if (s->n_unstoppable)
			bw_out_line(o, "warning: %u wave%s did not stop.", s->n_unstoppable,
				    s->n_unstoppable == 1 ? "" : "s");
		/* Ctrl-C, or a hang */
		if (s->reasons == BW_REASON_INTERRUPT && !s->focus_ended)
			bw_show_standing_queues(o, d);
		break;
	}
	}
	bw_out_end(o);
	bw_out_flush(o);
}
