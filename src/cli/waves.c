/* SPDX-License-Identifier: MIT */
/* breakwater waves: what is on the GPU now, without a debugger. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cli/look/gpu.h"
#include "cli/subcommands.h"
#include "scan/halt.h"
#include "scan/symbols.h"
#include "ui/print_format.h"

static const char usage[] =
	"Usage: breakwater waves [PLACE] [--vmid VMID] [--registers] [--halt [--keep]] [--code "
	"FILE]\n"
	"\n"
	"Shows the waves that are on the GPU: where each is, what it does, its PC with function and "
	"offset where the code is known, its dispatch and workgroup where it has a trap handler, "
	"which gives it those numbers (gfx11, gfx12). Waves of " BW_ARCH_KNOWN " are known.\n"
	"\n"
	"PLACE is as se0.sa1.wgp2.simd3.w4, with * and ?: 'se0.*' are the waves of a shader engine.\n"
	"Of a wave in the trap handler, Function is where it was trapped.\n"
	"Without --halt waves run on while they are read: their registers are of different moments.\n";

struct waves_command {
	struct bw_look look;
	struct bw_gpu gpu;
	const char *vmid;
	bool registers, halt, keep;
	struct bw_scan_symbols symbols;
	size_t n_were_halted;
};

/* ---- what a wave does ---- */

static void add_state(const struct bw_wave_state *s, struct bw_str *out)
{
	static const struct {
		enum bw_wave_field field;
		const char *word;
	} words[] = {{BW_WF_FATAL_HALT, "halted for good"},
		     {BW_WF_HALTED, "halted"},
		     {BW_WF_IN_HANDLER, "in the trap handler"},
		     {BW_WF_IN_BARRIER, "at a barrier"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (bw_wave_get(s, words[i].field))
			bw_str_add_next(out, words[i].word);
	if (!out->len)
		bw_str_add(out, "running");
}

/* ---- registers ---- */

static const uint32_t *lanes_of(const struct bw_scan_wave *w, unsigned vgpr)
{
	return w->vgprs + (size_t)vgpr * w->wave.lanes;
}

static json_t *registers_json(const struct bw_scan_wave *w)
{
	const struct bw_arch *arch = w->wave.state.arch;
	json_t *o = json_object(), *sgprs = json_array(), *vgprs = json_array();
	for (unsigned i = 0; i < arch->n_gprwave; i++) {
		const char *name = arch->reg[arch->gprwave[i]].name;
		if (name)
			json_object_set_new(
				o, name, json_sprintf("0x%x", w->wave.state.reg[arch->gprwave[i]]));
	}
	json_object_set_new(o, "m0", json_sprintf("0x%x", w->wave.state.reg[BW_WREG_M0]));
	for (unsigned i = 0; i < BW_SCAN_SGPRS; i++)
		json_array_append_new(sgprs, json_sprintf("0x%x", w->sgprs[i]));
	for (unsigned i = 0; w->vgprs && i < w->wave.n_vgprs; i++) {
		json_t *row = json_array();
		for (unsigned lane = 0; lane < w->wave.lanes; lane++)
			json_array_append_new(row, json_sprintf("0x%x", lanes_of(w, i)[lane]));
		json_array_append_new(vgprs, row);
	}
	json_object_set_new(o, "sgprs", sgprs);
	json_object_set_new(o, "vgprs", vgprs);
	return o;
}

static void show_row(struct bw_look *l, const char *label, unsigned first, const uint32_t *values,
		     unsigned n)
{
	struct bw_str s = {0};
	bw_str_addf(&s, "  %s%-4u", label, first);
	for (unsigned i = 0; i < n; i++)
		bw_str_addf(&s, " %08x", values[i]);
	bw_out_line(l->out, "%s", bw_str_text(&s));
	bw_str_free(&s);
}

static void show_registers(struct bw_look *l, const struct bw_scan_wave *w)
{
	enum { PER_ROW = 8 };
	const struct bw_arch *arch = w->wave.state.arch;
	char place[32], flags[160];
	bw_place_text(w->place, place);
	bw_out_line(l->out, "\n%s, VMID %u, PC 0x%" PRIx64 ", EXEC 0x%0*" PRIx64, place,
		    w->wave.space, w->wave.pc, w->wave.lanes / 4, w->wave.exec);
	for (unsigned i = 0; i < arch->n_gprwave; i++) {
		uint8_t reg = arch->gprwave[i];
		if (!arch->reg[reg].name)
			continue;
		bw_arch_flags_text(arch, (enum bw_wreg)reg, w->wave.state.reg[reg], flags,
				   sizeof(flags));
		bw_out_line(l->out, "  %-14s %08x%s%s", arch->reg[reg].name, w->wave.state.reg[reg],
			    flags[0] ? "  " : "", flags);
	}
	/* in the debugger's lists it stands beside PC and EXEC, so it has no name there */
	bw_out_line(l->out, "  %-14s %08x", "m0", w->wave.state.reg[BW_WREG_M0]);
	for (unsigned i = 0; i < BW_SCAN_SGPRS; i += PER_ROW)
		show_row(l, "s", i, w->sgprs + i, BW_MIN((unsigned)PER_ROW, BW_SCAN_SGPRS - i));
	if (!w->vgprs)
		bw_out_line(l->out, "%s", "  It has no VGPRs any more.");
	const uint32_t acc = bw_wave_accum_offset(&w->wave.state);
	for (unsigned i = 0; w->vgprs && i < w->wave.n_vgprs; i++)
		show_row(l, i < acc ? "v" : "a", i < acc ? i : i - acc, lanes_of(w, i),
			 w->wave.lanes);
}

/* ---- the list ---- */

struct wave_row {
	const struct waves_command *c;
	struct bw_scan_wave w;
	char place[32];
	const char *process;
	int32_t pid;
	uint64_t trapped_at;
	struct bw_str state, symbol;
	bool is_trapped, is_placed;
};

static void exec(struct bw_table *t, const void *of)
{
	const struct wave_row *r = of;
	bw_table_hex(t, r->w.wave.exec, r->w.wave.lanes / 4);
}

static void workgroup(struct bw_table *t, const void *of)
{
	const struct wave_row *r = of;
	const uint32_t *g = r->w.wave.workgroup;
	if (r->is_placed)
		bw_table_both(t, json_pack("[i,i,i]", (int)g[0], (int)g[1], (int)g[2]),
			      "(%u,%u,%u)/%u", g[0], g[1], g[2], r->w.wave.wave_in_group);
}

static void registers(struct bw_table *t, const void *of)
{
	const struct wave_row *r = of;
	if (r->c->look.json && r->c->registers)
		bw_table_json_cell(t, registers_json(&r->w));
}

static const struct bw_fact wave_rows[] = {
	{"Place", "place", "text", BW_OF(struct wave_row, place)},
	{"VMID", "vmid", "count", BW_OF(struct wave_row, w.wave.space)},
	{"Process", "process", "text?", BW_OF(struct wave_row, process)},
	{NULL, "pid", "integer?", BW_OF(struct wave_row, pid)},
	{"State", "state", "text", BW_OF(struct wave_row, state)},
	{"PC", "pc", "hex", BW_OF(struct wave_row, w.wave.pc)},
	{NULL, "trapped_at", "hex?", BW_OF(struct wave_row, trapped_at),
	 BW_IF(struct wave_row, is_trapped)},
	{"Function", "symbol", "text?", BW_OF(struct wave_row, symbol)},
	{"Lanes", "lanes", "wave-size", BW_OF(struct wave_row, w.wave.lanes),
	 .align = BW_ALIGN_RIGHT},
	{"EXEC", "exec", "hex", BW_GET(exec)},
	{"Dispatch", "dispatch", "count?", BW_OF(struct wave_row, w.wave.dispatch_packet),
	 BW_IF(struct wave_row, is_placed)},
	{"Workgroup", "workgroup", "dims?", BW_GET(workgroup)},
	{NULL, "registers", "scanned-registers?", BW_GET(registers)},
};
BW_FACTS(wave_facts, "waves", "waves", wave_rows);

static void add_wave(struct bw_table *t, struct waves_command *c, const struct bw_scan_wave *w)
{
	const struct bw_kmd_client *process = bw_scan_symbols_process(&c->symbols, w->wave.space);
	struct wave_row r = {.c = c,
			     .w = *w,
			     .process = process ? process->comm : NULL,
			     .pid = process ? process->pid : 0,
			     .trapped_at = bw_scan_code_pc(w),
			     .is_trapped = bw_wave_get(&w->wave.state, BW_WF_IN_HANDLER),
			     .is_placed = w->wave.wave_in_group != BW_GROUP_UNKNOWN};
	bw_place_text(w->place, r.place);
	add_state(&w->wave.state, &r.state);
	bw_scan_symbols_at(&c->symbols, w->wave.space, r.trapped_at, &r.symbol);
	bw_table_row(t, &r);
	bw_str_free(&r.state);
	bw_str_free(&r.symbol);
}

static void show(struct waves_command *c, const struct bw_scan_waves *list)
{
	struct bw_look *l = &c->look;
	struct bw_table t;
	bw_table_begin(&t, &wave_facts);
	bw_vec_each(list, w)
		add_wave(&t, c, w);
	bw_out_begin(l->out, "command", "waves");
	bw_out_bool(l->out, "halted", c->halt);
	bw_out_table(l->out, &t, "There are no waves.\n");
	if (c->registers && !l->json)
		bw_vec_each(list, w)
			show_registers(l, w);
	if (c->n_were_halted)
		bw_out_line(l->out, "%zu of the waves %s halted before, and stay so.",
			    c->n_were_halted, c->n_were_halted == 1 ? "was" : "were");
	bw_out_end(l->out);
	bw_table_fini(&t);
}

/* ---- halting ---- */

/* Until Enter, the end of input or a signal. */
static void keep_halted(struct waves_command *c)
{
	char word;
	if (!c->look.json)
		bw_out_line(c->look.out, "%s",
			    "All waves of the GPU are halted. Enter lets them run on.");
	bw_out_flush(c->look.out);
	fflush(stdout);
	/* a signal makes read() fail: handlers are set without SA_RESTART */
	while (!bw_look_ended && read(STDIN_FILENO, &word, 1) == 1 && word != '\n')
		;
}

static struct bw_error *scan(struct waves_command *c, struct bw_scan *s, struct bw_scan_waves *list)
{
	struct bw_scan_halt h = BW_SCAN_HALT_INIT;
	h.gpu = &c->gpu;
	h.has_ended = &bw_look_ended;
	if (!c->halt)
		return bw_scan_run(s, list);
	struct bw_error *err = bw_scan_halt_begin(&h);
	c->n_were_halted = h.n_were_halted;
	if (!err && h.is_halted) {
		s->awaits_halt = true;
		err = bw_scan_run(s, list);
		if (!err && c->keep && !bw_look_ended) {
			show(c, list);
			keep_halted(c);
		}
	}
	return bw_scan_halt_end(&h, err);
}

static struct bw_error *look(struct waves_command *c, const char *pattern)
{
	struct bw_scan_waves list = {0};
	struct bw_scan s = {.gpu = &c->gpu,
			    .places = pattern,
			    .vmid = -1,
			    .reads_vgprs = c->registers,
			    .has_ended = &bw_look_ended};
	unsigned vmid;
	if (c->vmid) {
		BW_TRY(bw_look_vmid(&c->look, c->vmid, &vmid));
		s.vmid = (int)vmid;
	}
	BW_TRY(bw_look_gpu_open(&c->look, &c->gpu));
	c->symbols.gpu = &c->gpu;
	struct bw_error *err = scan(c, &s, &list);
	if (!err && bw_look_ended && !c->keep)
		err = bw_errorf(BW_E_INTERRUPTED, "interrupted%s",
				c->halt ? "; the waves run on" : "");
	if (!err && !c->keep)
		show(c, &list);
	bw_scan_free(&list);
	return err;
}

/* ---- options ---- */

static struct bw_error *take_code(void *command, const char *option, const char *value)
{
	return bw_scan_symbols_add(&((struct waves_command *)command)->symbols, value);
}

static const struct bw_option rows[] = {
	{"--vmid", "VMID", "those of a VMID, or of a process by its id or name",
	 BW_TEXT(struct waves_command, vmid)},
	{"--registers", NULL, "all registers of each wave: its state, SGPRs, VGPRs of all lanes",
	 BW_FLAG(struct waves_command, registers)},
	{"--halt", NULL,
	 "all waves of the GPU are halted while they are read, so that all is of one moment; they run on "
	 "afterwards, whatever ends this command",
	 BW_FLAG(struct waves_command, halt)},
	{"--keep", NULL,
	 "with --halt: the waves stay halted until Enter, the end of input or a signal",
	 BW_FLAG(struct waves_command, keep)},
	{"--code", "FILE",
	 "a code object whose functions may run (those that ROCm's runtime has loaded, and those that the "
	 "processes name in their command lines, are looked at anyway)",
	 BW_CALL(take_code)},
	BW_LOOK_GPU,
	BW_LOOK_END,
};

const struct bw_command_line bw_line_waves = {
	.name = "breakwater waves",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.word = bw_look_take_word,
};

static struct bw_error *run_waves(struct bw_look *l)
{
	struct waves_command *c = l->cookie;
	if (l->n_words > 1)
		return bw_errorf(BW_E_INVALID, "waves wants one PLACE at most (see --help)");
	if (c->keep && !c->halt)
		return bw_errorf(BW_E_INVALID, "--keep needs --halt");
	struct bw_error *err = look(c, l->n_words ? l->words[0] : NULL);
	bw_scan_symbols_close(&c->symbols);
	bw_gpu_close(&c->gpu);
	return err;
}

int bw_main_waves(int argc, char **argv)
{
	struct waves_command c = {0};
	c.look.cookie = &c;
	return bw_look_main(&c.look, &bw_line_waves, argc, argv, run_waves);
}
