/* SPDX-License-Identifier: MIT */
/* The page of a crash: waves, those at the same instruction together, and the code there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "cli/crash_html.h"
#include "cli/html.h"
#include "isa/text.h"

struct place {
	uint64_t pc;
	bool has_pc;
	size_t wave; /* in the list */
};

static int by_pc(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	if (a->has_pc != b->has_pc)
		return a->has_pc ? -1 : 1;
	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	return a->wave < b->wave ? -1 : a->wave > b->wave;
}

static bool is_uniform(const uint32_t *values, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

/* A row for each that is not 0 in all lanes, as far as the page has room. */
static void add_vgprs(struct bw_crash_page *p, const struct bw_crash_wave *w)
{
	unsigned n_zero = 0;
	bw_str_addf(
		&p->out,
		"<details><summary>VGPRs <span class=\"soft\">%u of %u lanes</span></summary>\n",
		w->n_vgprs, w->lanes);
	for (unsigned v = 0; v < w->n_vgprs; v++) {
		const uint32_t *values = w->vgprs.data + (size_t)v * w->lanes;
		bool same = is_uniform(values, w->lanes);
		if (same && !values[0]) {
			n_zero++;
			continue;
		}
		if (p->vgpr_words + w->lanes > BW_HTML_VGPR_WORDS) {
			bw_str_addf(&p->out,
				    "<p class=\"soft\">v%u and all that follow are left out: the "
				    "page has no more room.</p>\n",
				    v);
			break;
		}
		bw_str_addf(&p->out, "<div class=\"p\"><span class=\"n\">v%-3u </span>", v);
		for (unsigned lane = 0; lane < (same ? 1 : w->lanes); lane++)
			bw_str_addf(&p->out, "%s%08x", lane ? " " : "", values[lane]);
		bw_str_add(&p->out, same ? " in all lanes</div>\n" : "</div>\n");
		p->vgpr_words += same ? 1 : w->lanes;
	}
	if (n_zero)
		bw_str_addf(&p->out, "<p class=\"soft\">%u %s 0 in all lanes.</p>\n", n_zero,
			    n_zero == 1 ? "is" : "are");
	bw_str_add(&p->out, "</details>\n");
}

/* Registers and SGPRs that are not 0, and the VGPRs. */
static void add_state(struct bw_crash_page *p, const struct bw_crash_wave *w)
{
	bw_str_add(&p->out, "<details><summary>registers</summary>");
	for (unsigned i = 0; i < w->n_registers; i++) {
		bw_html_text(&p->out, w->registers[i].name);
		bw_str_addf(&p->out, " %08x ", w->registers[i].value);
	}
	for (unsigned i = 0; i < w->n_sgprs; i++)
		if (w->sgprs[i])
			bw_str_addf(&p->out, "s%u %08x ", i, w->sgprs[i]);
	if (w->n_sgprs)
		bw_str_addf(&p->out, "(other SGPRs up to s%u are 0)", w->n_sgprs - 1);
	if (w->n_vgprs)
		add_vgprs(p, w);
	bw_str_add(&p->out, "</details>");
}

static void add_wave(struct bw_crash_page *p, const struct bw_crash_wave *w, size_t shown)
{
	static const char *const columns[] = {"STATUS", "TRAPSTS", "EXEC_HI", "EXEC_LO"};
	uint32_t v;
	bw_str_add(&p->out, "<tr><td>");
	if (w->has_place)
		bw_str_addf(&p->out, "se%u.sa%u.wgp%u.simd%u.w%u", w->se, w->sa, w->wgp, w->simd,
			    w->wave);
	for (size_t i = 0; i < BW_ARRAY_SIZE(columns); i++) {
		if (strcmp(columns[i], "EXEC_LO") != 0)
			bw_str_add(&p->out, "</td><td>");
		if (bw_crash_wave_register(w, columns[i], &v))
			bw_str_addf(&p->out, "%08x", v);
	}
	bw_str_add(&p->out, "</td><td>");
	if (shown < BW_HTML_WAVE_STATES)
		add_state(p, w);
	bw_str_add(&p->out, "</td></tr>\n");
}

/* Code with a mark at each place that has waves. */
static void add_code(struct bw_crash_page *p, struct bw_isa_text *text, const struct place *places,
		     size_t n_places)
{
	enum { MOST_LINES = 2000 };
	size_t lines = 0;
	bw_vec_each(&p->crash->report.pieces, piece) {
		size_t size_b = piece->words.len * 4;
		bw_str_addf(&p->out,
			    "<details open><summary>Code at 0x%" PRIx64
			    " <span class=\"soft\">%zu bytes</span></summary>\n",
			    piece->va, size_b);
		for (size_t at = 0; at < size_b && lines < MOST_LINES; lines++) {
			char line[160];
			uint64_t pc = piece->va + at;
			size_t here = 0;
			for (size_t i = 0; i < n_places; i++)
				here += places[i].has_pc && places[i].pc == pc;
			size_t n = bw_isa_text_line(text, (const char *)piece->words.data + at,
						    size_b - at, pc, line, sizeof(line));
			bw_str_addf(&p->out, "<div class=\"p%s\"", here ? " stop" : "");
			if (here)
				bw_str_addf(&p->out, " data-why=\"%zu wave%s\"", here,
					    here == 1 ? "" : "s");
			bw_str_addf(&p->out, "><span class=\"n\">0x%" PRIx64 "  </span>", pc);
			bw_html_text(&p->out, line);
			bw_str_add(&p->out, "</div>\n");
			at += n ? n : 4;
		}
		bw_str_add(&p->out, "</details>\n");
		if (lines >= MOST_LINES)
			break;
	}
}

static void add_groups(struct bw_crash_page *p, const struct place *places, size_t n)
{
	const struct bw_crash_waves *w = &p->crash->report.waves;
	size_t shown = 0;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && places[end].pc == places[i].pc &&
				  places[end].has_pc == places[i].has_pc;)
			end++;
		bw_str_addf(&p->out, "<details%s><summary>%zu wave%s ", shown ? "" : " open",
			    end - i, end - i == 1 ? "" : "s");
		if (places[i].has_pc)
			bw_str_addf(&p->out, "at 0x%" PRIx64, places[i].pc);
		else
			bw_str_add(&p->out, "without a PC in the file");
		bw_str_add(&p->out,
			   "</summary><table><tr class=\"head\"><th>Place</th><th>STATUS</th>"
			   "<th>TRAPSTS</th><th>EXEC</th><th></th></tr>\n");
		for (size_t k = i; k < end && shown < BW_HTML_WAVES; k++)
			add_wave(p, &w->list.data[places[k].wave], shown++);
		bw_str_add(&p->out, "</table></details>\n");
	}
	if (shown < n)
		bw_str_addf(&p->out, "<p class=\"soft\">%zu more waves are left out.</p>\n",
			    n - shown);
}

/* "gfx1100" of what the files say; NULL: they do not, or its code is not known here. */
static const struct bw_arch *arch_of(const struct bw_crash_page *p, char gfx[16])
{
	struct bw_gpuvm_part part;
	bool known = p->part != NULL;
	if (known)
		part = *p->part;
	bw_vec_each(&p->crash->dumps, d)
		known = known || bw_crash_part(d, &part);
	const struct bw_arch *arch = known ? bw_arch_of(part.gc) : NULL;
	if (arch)
		bw_arch_gfx_name(part.gc, gfx, 16);
	return arch;
}

struct bw_error *bw_crash_html_waves(struct bw_crash_page *p)
{
	const struct bw_crash_waves *w = &p->crash->report.waves;
	struct bw_isa_text *text = NULL;
	struct bw_error *err = NULL;
	char gfx[16];
	if (!w->list.len && !p->crash->report.pieces.len)
		return NULL;
	struct place *places = calloc(w->list.len + 1, sizeof(*places));
	if (!places)
		return bw_error_nomem();
	for (size_t i = 0; i < w->list.len; i++) {
		places[i].wave = i;
		places[i].has_pc = bw_crash_wave_pc(&w->list.data[i], &places[i].pc);
	}
	qsort(places, w->list.len, sizeof(*places), by_pc);
	bw_crash_html_section(p, "waves", "Waves");
	bw_str_addf(&p->out, "<p>%zu waves were on the GPU.</p>\n", w->list.len);
	add_groups(p, places, w->list.len);
	const struct bw_arch *arch = arch_of(p, gfx);
	if (arch)
		err = bw_isa_text_create(gfx, &text);
	if (arch && !err) {
		bw_isa_text_set_lanes(text, w->list.len && w->list.data[0].lanes == 64 ? 64 : 32);
		add_code(p, text, places, w->list.len);
	}
	bw_isa_text_destroy(text);
	free(places);
	bw_str_add(&p->out, "</section>\n");
	return err;
}
