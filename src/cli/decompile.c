/* SPDX-License-Identifier: MIT */
/* breakwater decompile: a submission of a capture as C that makes the same submission, to be edited
 * and run in its place (breakwater replay --override). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/build_names.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "cli/look/look.h"
#include "cli/subcommands.h"
#include "record/decompile.h"

static const char usage[] =
	"Usage: breakwater decompile FILE -s NUMBER [--json]\n"
	"       breakwater decompile --header\n"
	"\n"
	"Writes a submission of a capture as C on standard output: its IBs and the command streams that they call as\n"
	"functions, with packets and registers by name, and the code of its dispatches as assembly. Edited, compiled and\n"
	"run, that writes an override file, with which \"breakwater replay\" runs the edited submission in its place:\n"
	"\n"
	"    breakwater decompile --header > breakwater_edit.h     (not where Breakwater is installed)\n"
	"    breakwater decompile bug.bwc -s 3 > edit.c\n"
	"    cc edit.c -o edit && ./edit edit.bwo\n"
	"    breakwater replay --override 3=edit.bwo bug.bwc\n"
	"\n"
	"Not edited, it is the same submission, byte by byte. Edited assembly is assembled by " BW_CLANG
	" when the program\n"
	"runs. What has grown beyond its place gets new memory, where nothing is mapped.\n";

extern const unsigned char bw_edit_header[];
extern const unsigned long bw_edit_header_size;

struct command {
	struct bw_look look;
	uint64_t number;
	bool header;
};

static const struct bw_option rows[] = {
	{"-s, --submission", "NUMBER", "which one", BW_U64(struct command, number, 1, UINT32_MAX),
	 .wants = "the number of a submission"},
	{"--header", NULL, "writes breakwater_edit.h, which the C includes",
	 BW_FLAG(struct command, header)},
	BW_LOOK_END,
};

const struct bw_command_line bw_line_decompile = {
	.name = "breakwater decompile",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.word = bw_look_take_word,
};

/* ---- Where new memory can be ---- */

/* Addresses from `begin` on, size_b of them, after the highest mapping there, with a gap for what
 * the kernel has; at most 1 GiB. False: none are free. */
static bool free_in(const struct bw_capture_space *s, uint64_t begin, uint64_t size_b,
		    uint64_t *out_va, uint64_t *out_size_b)
{
	const uint64_t gap_b = 2ull << 20, most_b = 1ull << 30;
	uint64_t used_b = gap_b;
	bw_vec_each(&s->maps, m)
		if (m->va >= begin && m->va - begin < size_b)
			used_b = BW_MAX(used_b, m->va - begin + BW_MIN(m->size_b, size_b));
	used_b = bw_align_up(used_b, gap_b) + gap_b;
	if (used_b >= size_b)
		return false;
	*out_va = begin + used_b;
	*out_size_b = BW_MIN(size_b - used_b, most_b);
	return true;
}

/* Finds a place for new memory. If there is code, it is near the code, because RADV sets the upper
 * bits of the address, COMPUTE_PGM_HI, once for all shaders. Otherwise it is where
 * breakwater-replay itself finds room. */
static void find_free(const struct bw_decompile *d, uint64_t *out_va, uint64_t *out_size_b)
{
	const uint64_t pgm_hi_b = 1ull << 40;
	bw_vec_each(&d->pieces, p)
		if (p->kind == BW_DECOMPILE_SHADER &&
		    free_in(&d->space, p->va & ~(pgm_hi_b - 1), pgm_hi_b, out_va, out_size_b))
			return;
	if (!free_in(&d->space, 0, 1ull << (BW_VA_BITS - 1), out_va, out_size_b))
		*out_va = *out_size_b = 0;
}

/* ---- The file ---- */

static void add_pieces(const struct bw_decompile *d, struct bw_str *out)
{
	static const char *const kinds[] = {"BW_PM4", "BW_SDMA", "BW_SHADER"};
	bw_str_add(out, "\nstatic struct bw_piece pieces[] = {\n");
	bw_vec_each(&d->pieces, p) {
		bw_str_addf(out,
			    "\t[%s] = {.name = \"%s\", .kind = %s, .va = 0x%" PRIx64
			    ", .captured_b = %u, ",
			    p->title, p->name, kinds[p->kind], p->va, p->size_b);
		if (p->kind != BW_DECOMPILE_SHADER)
			bw_str_addf(out, ".stream = %s},\n", p->name);
		else
			bw_str_addf(out,
				    ".lines = %s, .n_lines = sizeof(%s) / sizeof(*%s), .wave = %u, "
				    ".reads_pc = %u},\n",
				    p->name, p->name, p->name, p->lanes, p->reads_pc);
	}
	bw_str_add(out, "};\n");
}

static void add_main(const struct bw_decompile *d, struct bw_str *out)
{
	uint64_t va, free_b;
	find_free(d, &va, &free_b);
	add_pieces(d, out);
	bw_str_add(out, "static const uint32_t ibs[] = {");
	for (size_t i = 0; i < d->ibs.len; i++)
		bw_str_addf(out, "%s%s", i ? ", " : "", d->pieces.data[d->ibs.data[i]].title);
	bw_str_addf(out,
		    "};\n\n"
		    "int main(int argc, char **argv)\n{\n"
		    "\t// Other memory of the capture while the submission runs, for instance:\n"
		    "\t// patch(0x%" PRIx64 ", (uint32_t[]){0, 0}, 2);\n"
		    "\tstruct bw_edit edit = {.number = %u, .gpu = \"%s\", .free_va = 0x%" PRIx64
		    ", .free_b = 0x%" PRIx64 ",\n"
		    "\t\t.pieces = pieces, .n_pieces = N_PIECES, .ibs = ibs, .n_ibs = %zu};\n"
		    "\treturn bw_edit_main(&edit, argc, argv);\n}\n",
		    d->pieces.len ? d->pieces.data[0].va : 0, d->sub.summary.number, d->gpu, va,
		    free_b, d->ibs.len);
}

static void add_head(const struct bw_decompile *d, struct bw_str *out)
{
	const struct bw_capture_summary *m = &d->sub.summary;
	char comm[sizeof(m->comm) + 1] = "";
	struct bw_str name = {0};
	memcpy(comm, m->comm, sizeof(m->comm));
	char ring[32], draws[32] = "";
	bw_capture_ring_text(m, true, ring, sizeof(ring));
	bw_decompile_add_name(&name, comm);
	if (d->n_draws)
		snprintf(draws, sizeof(draws), ", %u draw%s", d->n_draws,
			 d->n_draws == 1 ? "" : "s");
	bw_str_addf(out,
		    "// Submission %u: %s, process %u (%s). %zu IB%s, %u called stream%s, %u "
		    "shader%s, %u dispatch%s%s.\n"
		    "//     breakwater decompile --header > breakwater_edit.h     (not where "
		    "Breakwater is installed)\n"
		    "//     cc edit.c -o edit && ./edit edit.bwo\n"
		    "//     breakwater replay --override %u=edit.bwo FILE\n"
		    "#include \"breakwater_edit.h\"\n",
		    m->number, ring, m->pid, bw_str_text(&name), d->ibs.len,
		    d->ibs.len == 1 ? "" : "s", d->n_called, d->n_called == 1 ? "" : "s",
		    d->n_shaders, d->n_shaders == 1 ? "" : "s", d->n_dispatches,
		    d->n_dispatches == 1 ? "" : "es", draws, m->number);
	bw_str_free(&name);
	bw_str_add(out, "\nenum { ");
	bw_vec_each(&d->pieces, p)
		bw_str_addf(out, "%s, ", p->title);
	bw_str_add(out, "N_PIECES };\n");
	if (d->enums.len)
		bw_str_addf(
			out,
			"\n// Packets, registers (dword addresses), and where fields begin.\nenum {\n%s};\n",
			bw_str_text(&d->enums));
	if (d->packets.len)
		bw_str_addf(
			out,
			"\n// Packets by their fields: each with its lowest bit and how many it has.%s",
			bw_str_text(&d->packets));
	if (d->n_shaders)
		bw_str_add(
			out,
			"\n// Shaders. I(text, check of the text, words): edit the text, and it is assembled instead of the words.\n"
			"// A(\"v_mov_b32 v0, 1\") is a new line, LABEL(\"L_name\") a place that branches name.\n");
}

static struct bw_error *make(struct bw_decompile *d, struct bw_str *out)
{
	for (size_t i = 0; i < d->pieces.len; i++)
		if (d->pieces.data[i].kind == BW_DECOMPILE_SHADER)
			BW_TRY(bw_decompile_shader(d, i));
	/* what is called stands in front of what calls it */
	for (size_t i = d->pieces.len; i-- > 0;)
		if (d->pieces.data[i].kind != BW_DECOMPILE_SHADER)
			BW_TRY(bw_decompile_stream(d, i));
	add_head(d, out);
	bw_str_add(out, bw_str_text(&d->code));
	add_main(d, out);
	return d->code.failed || d->enums.failed || d->packets.failed || out->failed
		       ? bw_error_nomem()
		       : NULL;
}

/* ---- The command ---- */

static void write_out(const struct bw_decompile *d, struct bw_out *o, const char *file,
		      const char *source)
{
	bw_out_begin(o, "command", "decompile");
	if (!bw_out_is_json(o))
		bw_out_raw(o, source);
	bw_out_str(o, "file", file);
	bw_out_int(o, "number", d->sub.summary.number);
	bw_out_int(o, "ibs", (int64_t)d->ibs.len);
	bw_out_int(o, "called", d->n_called);
	bw_out_int(o, "shaders", d->n_shaders);
	bw_out_int(o, "dispatches", d->n_dispatches);
	bw_out_int(o, "draws", d->n_draws);
	bw_out_str(o, "source", source);
	bw_out_end(o);
}

static struct bw_error *decompile(struct bw_decompile *d, const struct command *c,
				  struct bw_str *out)
{
	uint32_t version = bw_capture_reader_device(d->r)->gc_version;
	size_t index = 0;
	_cleanup_error_ struct bw_error *no_names = bw_pm4_names_of(version, &d->names);
	bw_arch_gfx_name(version, d->gpu, sizeof(d->gpu));
	BW_TRY(bw_capture_find(d->r, c->number, &index));
	BW_TRY(bw_capture_seek(d->r, index, &d->space, &d->sub));
	if (!d->sub.ibs.len)
		return bw_errorf(BW_E_INVALID, "submission %" PRIu64 " has no IB", c->number);
	BW_TRY(bw_decompile_find(d));
	return make(d, out);
}

static void write_header(struct bw_out *o)
{
	struct bw_str text = {0};
	bw_str_addn(&text, (const char *)bw_edit_header, bw_edit_header_size);
	bw_out_begin(o, "command", "decompile");
	if (!bw_out_is_json(o))
		bw_out_raw(o, bw_str_text(&text));
	bw_out_str(o, "header", bw_str_text(&text));
	bw_out_end(o);
	bw_str_free(&text);
}

static struct bw_error *run_decompile(struct bw_look *l)
{
	struct command *c = l->cookie;
	struct bw_decompile d = {0};
	struct bw_str out = {0};
	if (c->header && !l->n_words && !c->number) {
		write_header(l->out);
		return NULL;
	}
	if (l->n_words != 1 || !c->number || c->header)
		return bw_errorf(
			BW_E_INVALID,
			"decompile wants a capture and -s NUMBER, or --header (see --help)");
	BW_TRY(bw_capture_reader_open(l->words[0], &d.r));
	struct bw_error *err = decompile(&d, c, &out);
	if (!err)
		write_out(&d, l->out, l->words[0], bw_str_text(&out));
	bw_capture_reader_close(d.r);
	bw_decompile_fini(&d);
	bw_str_free(&out);
	return err;
}

int bw_main_decompile(int argc, char **argv)
{
	struct command c = {0};
	c.look.cookie = &c;
	return bw_look_main(&c.look, &bw_line_decompile, argc, argv, run_decompile);
}
