/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "session/crash_files.h"
#include "debug/source.h"
#include "debug/breaks.h"
#include "debug/code.h"
#include "debug/dispatches.h"
#include "debug/registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "base/util.h"

struct bw_error *bw_cmd_info(struct bw_cli *c, const char *args)
{
	size_t n;
	const struct bw_command *table = bw_info_commands(&n);
	char word[64];
	bw_take_word(&args, word, sizeof(word));
	if (!word[0]) {
		bw_out_line(c->out, "\"info\" must be followed by the name of what to show:\n");
		for (size_t i = 0; i < n; i++)
			bw_out_line(c->out, "info %-14s %s", table[i].name, table[i].help);
		return NULL;
	}
	const struct bw_command *info;
	BW_TRY(bw_command_find(table, n, word, "info command", &info));
	bw_out_name(c->out, "what", info->name);
	return info->run(c, args);
}

struct bw_error *bw_info_waves(struct bw_cli *c, const char *args)
{
	if (!strcmp(args, "count"))
		return bw_show_wave_count(c->out, c->debug);
	if (args[0] && strcmp(args, "all"))
		return bw_errorf(BW_E_INVALID,
				 "\"info waves\" takes \"all\" or \"count\", not \"%s\"", args);
	bw_show_waves(c->out, c->debug, args[0] != '\0');
	return NULL;
}

struct bw_error *bw_info_wave(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_session_need_wave(c->session, &w));
	if (args[0]) {
		uint64_t number;
		BW_TRY(bw_cli_eval_count(c, args, &number));
		w = number <= UINT32_MAX ? bw_debug_wave(c->debug, (uint32_t)number) : NULL;
		if (!w)
			return bw_errorf(
				BW_E_NOT_FOUND,
				"No stopped wave has the number %s; \"info waves\" lists them",
				args);
	}
	bw_show_wave(c->out, c->debug, w);
	return NULL;
}

/* Lane by lane where lanes are named, else by what they do, and the value of an expression. */
struct bw_error *bw_info_lanes(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	struct bw_print_format f = {0};
	char first_word[64];
	const char *rest = args;
	BW_TRY(bw_session_need_wave(c->session, &w));
	bw_take_word(&rest, first_word, sizeof(first_word));
	bool all = !strcmp(first_word, "all");
	bool lists = all || !strcmp(first_word, "-active") ||
		     (first_word[0] && strspn(first_word, "0123456789-") == strlen(first_word));
	if (!lists) {
		if (args[0] == '/')
			BW_TRY(bw_cli_take_format(&args, false, &f));
		BW_TRY(bw_show_divergence(c->out, c->debug, args[0] ? args : NULL, f.letter));
		bw_show_whole_wave(c->out, w);
		return NULL;
	}
	if (all)
		args = rest;
	uint64_t first = 0, last = w->lanes - 1u;
	bool active = false;
	while (args[0]) {
		char word[64];
		bw_take_word(&args, word, sizeof(word));
		if (!strcmp(word, "-active")) {
			active = true;
			continue;
		}
		char *dash = strchr(word, '-');
		if (dash)
			*dash = '\0';
		if (!bw_parse_u64(word, &first) || (dash && !bw_parse_u64(dash + 1, &last)))
			return bw_errorf(
				BW_E_INVALID,
				"\"info lanes\" takes an expression, or FIRST[-LAST], all and "
				"-active");
		if (!dash)
			last = first;
		if (first > last || last >= w->lanes)
			return bw_errorf(BW_E_INVALID, "The wave has lanes 0 to %u", w->lanes - 1u);
	}
	bw_show_lanes(c->out, c->debug, (unsigned)first, (unsigned)last, active);
	bw_show_whole_wave(c->out, w);
	return NULL;
}

static struct bw_error *no_register(const struct bw_arch *arch, const char *word)
{
	struct bw_str state = {0};
	for (const uint8_t *r = arch->main_regs; *r != BW_WREG_NONE; r++)
		bw_str_addf(&state, "%s ", arch->reg[*r].name);
	struct bw_error *err = bw_errorf(
		BW_E_INVALID,
		"There is no register \"%s\" (pc exec vcc scc m0 %ss0-s%u v0-v255 %sttmp0-15)",
		word, bw_str_text(&state), arch->n_sgprs - 1u,
		arch->accum_granule ? "a0-a255 " : "");
	bw_str_free(&state);
	return err;
}

static struct bw_error *one_register(struct bw_cli *c, const char *word)
{
	struct bw_wave_reg r;
	if (!strcmp(word, "vgprs") || !strcmp(word, "vector"))
		return bw_show_vgprs(c->out, c->debug);
	if (!strcmp(word, "sgprs") || !strcmp(word, "scalar"))
		r = (struct bw_wave_reg){BW_REG_SGPR, 0, (uint16_t)bw_debug_n_sgprs(c->debug)};
	else if (!bw_wave_reg_parse(bw_debug_arch(c->debug), word, &r))
		return no_register(bw_debug_arch(c->debug), word);
	return bw_show_register(c->out, c->debug, r);
}

struct bw_error *bw_info_registers(struct bw_cli *c, const char *args)
{
	if (c->session->crash && !bw_debug_focus(c->debug)) /* of no wave, but of the GPU */
		return bw_cli_show_crash_registers(c, args);
	if (!args[0])
		return bw_show_registers(c->out, c->debug, false);
	const struct bw_wave_info *w;
	BW_TRY(bw_session_need_wave(c->session, &w));
	while (args[0]) {
		char word[64];
		bw_take_word(&args, word, sizeof(word));
		BW_TRY(one_register(c, word));
	}
	return NULL;
}

struct bw_error *bw_info_sgprs(struct bw_cli *c, const char *args)
{
	return one_register(c, "sgprs");
}

struct bw_error *bw_info_vgprs(struct bw_cli *c, const char *args)
{
	return one_register(c, "vgprs");
}

struct bw_error *bw_info_all_registers(struct bw_cli *c, const char *args)
{
	return bw_show_registers(c->out, c->debug, true);
}

struct bw_error *bw_info_report(struct bw_cli *c, const char *args)
{
	if (args[0] && strcmp(args, "all"))
		return bw_errorf(BW_E_INVALID, "\"info report\" takes \"all\", not \"%s\"", args);
	/* it is made to be sent to someone, as a page is */
	bw_source_paths_confine(bw_debug_source_paths(c->debug), true);
	struct bw_error *err = bw_show_report(c->out, c->debug, args[0] != '\0');
	bw_source_paths_confine(bw_debug_source_paths(c->debug), false);
	return err;
}

struct bw_error *bw_info_breakpoints(struct bw_cli *c, const char *args)
{
	bw_show_breakpoints(c->out, c->debug, false, bw_cli_commands_of, c);
	return NULL;
}

struct bw_error *bw_info_watchpoints(struct bw_cli *c, const char *args)
{
	bw_show_breakpoints(c->out, c->debug, true, bw_cli_commands_of, c);
	return NULL;
}

/* gdb's question about a stopped program: where, and why. */
struct bw_error *bw_info_program(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w = bw_debug_focus(c->debug);
	pid_t pid = bw_debug_program_pid(c->debug);
	if (bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM) {
		bw_out_line(c->out, "The program being debugged is not being run.");
		return NULL;
	}
	bw_out_line(c->out, "Program %s, process %d.", bw_debug_program_name(c->debug), (int)pid);
	bw_out_int(c->out, "pid", pid);
	bw_out_str(c->out, "program", bw_debug_program_name(c->debug));
	if (!w) {
		bw_out_line(c->out, "No wave is stopped.");
		return NULL;
	}
	char reasons[160];
	bw_reason_text(w->reasons, reasons, sizeof(reasons));
	bw_out_line(c->out, "Wave %u stopped at 0x%llx.", w->number, (unsigned long long)w->pc);
	bw_out_int(c->out, "wave", w->number);
	if (reasons[0])
		bw_out_str(c->out, "reason", reasons);
	if (w->breakpoint)
		bw_out_int(c->out, "breakpoint", w->breakpoint);
	struct bw_where where;
	bw_debug_wave_where(c->debug, w, &where);
	bw_out_hex(c->out, "pc", w->pc);
	bw_show_place_facts(c->out, &where);
	if (w->breakpoint)
		bw_out_line(c->out, "It stopped at breakpoint %u.", w->breakpoint);
	else
		bw_out_line(c->out, "It stopped for: %s.",
			    reasons[0] ? reasons : "another wave's stop");
	return NULL;
}

static void load_end(struct bw_table *t, const void *of)
{
	const struct bw_load_info *l = of;
	bw_table_hex(t, l->va + l->size_b, 12);
}

static void load_symbols(struct bw_table *t, const void *of)
{
	const struct bw_load_info *l = of;
	bw_table_text(t, "%s", l->has_lines ? "Yes" : l->has_symbols ? "Yes (no lines)" : "No");
}

static const struct bw_fact load_rows[] = {
	{"From", "from", "hex", BW_OF(struct bw_load_info, va), .digits = 12},
	{"To", "to", "hex", BW_GET(load_end)},
	{"Syms Read", "symbols", "Yes|Yes (no lines)|No", BW_GET(load_symbols)},
	{"Code Object", "name", "text", BW_OF(struct bw_load_info, name)},
};
BW_FACTS(load_facts, "info sharedlibrary", "code_objects", load_rows);

/* The code that is in the GPU's memory. */
struct bw_error *bw_info_sharedlibrary(struct bw_cli *c, const char *args)
{
	struct bw_load_info l;
	struct bw_table t;
	bw_table_begin(&t, &load_facts);
	for (size_t i = 0; bw_debug_load(c->debug, i, &l); i++)
		bw_table_row(&t, &l);
	bw_out_table(c->out, &t, "No code objects loaded at this time.");
	bw_table_fini(&t);
	return NULL;
}

struct signal_row {
	char signal[32], reason[64];
	const char *stop;
};

static const struct bw_fact signal_rows[] = {
	{"Signal", "signal", "text", BW_OF(struct signal_row, signal)},
	{"Reason", "reason", "reason", BW_OF(struct signal_row, reason)},
	{"Stop", "stop", "Yes|Yes (catch)|No (catch fp)", BW_OF(struct signal_row, stop)},
};
BW_FACTS(signal_facts, "info signals", "signals", signal_rows);

/* Reasons that stop a wave, and the signals that gdb's users know for them. */
struct bw_error *bw_info_signals(struct bw_cli *c, const char *args)
{
	struct bw_table t;
	size_t n;
	uint32_t caught = 0;
	const struct bw_break_info *list = bw_debug_breakpoints(c->debug, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].enabled)
			caught |= list[i].excp;
	bw_table_begin(&t, &signal_facts);
	for (unsigned bit = 0; bit < 32; bit++) {
		struct signal_row r;
		bw_reason_text(1u << bit, r.reason, sizeof(r.reason));
		const char *text = bw_reason_signal(1u << bit);
		if (!r.reason[0] || !text)
			continue;
		snprintf(r.signal, sizeof(r.signal), "%.*s", (int)strcspn(text, ","), text);
		r.stop = !(1u << bit & BW_REASON_FP_EXCEPTION)	    ? "Yes"
			 : caught >> (bit - BW_REASON_FP_SHIFT) & 1 ? "Yes (catch)"
								    : "No (catch fp)";
		bw_table_row(&t, &r);
	}
	bw_out_table(c->out, &t, "");
	bw_table_fini(&t);
	return NULL;
}

struct bw_error *bw_info_kernel(struct bw_cli *c, const char *args)
{
	size_t n = 0;
	const struct bw_dispatch_info *list = bw_debug_dispatches(c->debug, &n);
	const struct bw_wave_info *w = bw_debug_focus(c->debug);
	const struct bw_dispatch_info *info = w	  ? bw_debug_dispatch(c->debug, w->dispatch)
					      : n ? &list[n - 1]
						  : NULL;
	if (!info)
		return bw_errorf(BW_E_STATE,
				 "No kernel has been dispatched (\"run\" starts the program)");
	return bw_show_kernel(c->out, c->debug, info);
}

struct bw_error *bw_info_symbol(struct bw_cli *c, const char *args)
{
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"info symbol\" takes an address");
	enum bw_space space;
	uint64_t addr;
	BW_TRY(bw_cli_eval_address(c, args, &space, &addr));
	struct bw_where where;
	bw_debug_where(c->debug, addr, &where);
	if (!where.function) {
		bw_out_line(c->out, "No symbol matches %s.", args);
		return NULL;
	}
	bw_out_line(c->out, where.offset_b ? "%s + %llu%s%s" : "%s%.0llu%s%s", where.function,
		    (unsigned long long)where.offset_b, where.code_object ? " of " : "",
		    where.code_object ? where.code_object : "");
	bw_out_hex(c->out, "address", addr);
	bw_show_place_facts(c->out, &where);
	if (where.code_object)
		bw_out_str(c->out, "code_object", where.code_object);
	return NULL;
}

struct bw_error *bw_info_fault(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_session_need_wave(c->session, &w));
	if (!(w->reasons & (BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR))) {
		bw_out_line(c->out, "Wave %u has not stopped for a memory violation.", w->number);
		return NULL;
	}
	bw_show_fault(c->out, c->debug, w->number);
	return NULL;
}

struct bw_error *bw_info_finding(struct bw_cli *c, const char *args)
{
	uint64_t number = 0;
	if (args[0])
		BW_TRY(bw_cli_eval_count(c, args, &number));
	return bw_session_finding(c->session, number);
}

struct bw_error *bw_info_findings(struct bw_cli *c, const char *args)
{
	return bw_session_findings(c->session);
}

struct bw_error *bw_info_agents(struct bw_cli *c, const char *args)
{
	struct bw_target *t = bw_debug_target(c->debug);
	if (!t)
		return bw_errorf(BW_E_STATE, "The program is not being run (\"run\" starts it)");
	const struct bw_target_facts *f = &t->facts;
	bw_out_line(
		c->out,
		"AMDGPU Agent 1: %s, %s, %u shader engines x %u arrays x %u %s x %u SIMDs x %u waves",
		f->name, f->gfx, f->n_se, f->sa_per_se, f->wgp_per_sa,
		f->arch->has_wgps ? "WGPs" : "CUs", f->simd_per_wgp, f->waves_per_simd);
	bw_out_str(c->out, "name", f->name);
	bw_out_str(c->out, "gfx", f->gfx);
	bw_out_int(c->out, "wave_slots", f->n_slots);
	return NULL;
}
