/* SPDX-License-Identifier: MIT */
/* The page of a crash: waves, those at the same instruction together, and the code there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "report/report_priv.h"
#include "isa/text.h"

struct place {
	uint64_t pc;
	bool has_pc;
	size_t wave; /* in the list */
	size_t same; /* of the first one at a PC: how many are there */
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

static bool is_zero(const uint32_t *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (values[i])
			return false;
	return true;
}

/* EXEC of a wave; all lanes if the files do not have it. */
static uint64_t exec_of(const struct bw_crash_wave *w)
{
	uint32_t lo, hi = UINT32_MAX;
	if (!bw_crash_wave_register(w, "EXEC_LO", &lo))
		return UINT64_MAX;
	bw_crash_wave_register(w, "EXEC_HI", &hi);
	return (uint64_t)hi << 32 | lo;
}

/* A row for each that is not 0 in all lanes, as far as the page has room. */
static void add_vgprs(struct bw_crash_page *p, const struct bw_crash_wave *w)
{
	unsigned n_zero = 0;
	uint64_t exec = exec_of(w);
	bw_str_addf(
		&p->page.out,
		"<details><summary>VGPRs <span class=\"soft\">%u of %u lanes</span></summary>\n",
		w->n_vgprs, w->lanes);
	for (unsigned v = 0; v < w->n_vgprs; v++) {
		const uint32_t *values = w->vgprs.data + (size_t)v * w->lanes;
		if (is_zero(values, w->lanes)) {
			n_zero++;
			continue;
		}
		if (p->room.vgpr_words + w->lanes > BW_REPORT_VGPR_WORDS) {
			bw_str_addf(&p->page.out,
				    "<p class=\"soft\">v%u and all that follow are left out: the "
				    "page has no more room.</p>\n",
				    v);
			break;
		}
		char name[16];
		snprintf(name, sizeof(name), "v%u", v);
		p->room.vgpr_words += bw_page_vgpr(&p->page, name, values, w->lanes, exec);
	}
	if (n_zero)
		bw_str_addf(&p->page.out, "<p class=\"soft\">%u %s 0 in all lanes.</p>\n", n_zero,
			    n_zero == 1 ? "is" : "are");
	bw_str_add(&p->page.out, "</details>\n");
}

/* Registers and SGPRs that are not 0, and the VGPRs. */
static void add_state(struct bw_crash_page *p, const struct bw_crash_wave *w)
{
	bw_str_add(&p->page.out, "<details><summary>registers</summary>");
	for (unsigned i = 0; i < w->n_registers; i++) {
		bw_html_text(&p->page.out, w->registers[i].name);
		bw_str_addf(&p->page.out, " %08x ", w->registers[i].value);
	}
	for (unsigned i = 0; i < w->n_sgprs; i++)
		if (w->sgprs[i])
			bw_str_addf(&p->page.out, "s%u %08x ", i, w->sgprs[i]);
	if (w->n_sgprs)
		bw_str_addf(&p->page.out, "(other SGPRs up to s%u are 0)", w->n_sgprs - 1);
	if (w->n_vgprs)
		add_vgprs(p, w);
	bw_str_add(&p->page.out, "</details>");
}

static void add_wave(struct bw_crash_page *p, size_t wave, size_t shown)
{
	const struct bw_crash_wave *w = &p->crash->report.waves.list.data[wave];
	static const char *const columns[] = {"STATUS", "TRAPSTS", "EXEC_HI", "EXEC_LO"};
	uint32_t v;
	bw_str_addf(&p->page.out, "<tr id=\"w%zu\"><td>", wave + 1);
	char place[BW_CRASH_WAVE_PLACE_B];
	bw_crash_wave_place(w, place);
	bw_str_add(&p->page.out, place);
	for (size_t i = 0; i < BW_ARRAY_SIZE(columns); i++) {
		if (strcmp(columns[i], "EXEC_LO") != 0)
			bw_str_add(&p->page.out, "</td><td>");
		if (bw_crash_wave_register(w, columns[i], &v))
			bw_str_addf(&p->page.out, "%08x", v);
	}
	bw_str_add(&p->page.out, "</td><td>");
	if (shown < BW_REPORT_WAVE_STATES)
		add_state(p, w);
	bw_str_add(&p->page.out, "</td></tr>\n");
}

/* places: sorted by PC. */
static size_t waves_at(const struct place *places, size_t n, uint64_t pc)
{
	size_t from = 0, to = n;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		if (places[mid].has_pc && places[mid].pc < pc)
			from = mid + 1;
		else
			to = mid;
	}
	return from < n && places[from].has_pc && places[from].pc == pc ? places[from].same : 0;
}

/* Code with the number of waves at each place that has some. */
static void add_code(struct bw_crash_page *p, struct bw_isa_text *text, const struct place *places,
		     size_t n_places)
{
	enum { MOST_LINES = 2000 };
	size_t lines = 0, most = 0;
	for (size_t i = 0; i < n_places; i++)
		most = BW_MAX(most, places[i].same);
	bw_vec_each(&p->crash->report.pieces, piece) {
		size_t size_b = piece->words.len * 4;
		bw_str_addf(&p->page.out,
			    "<details open><summary>Code at 0x%" PRIx64
			    " <span class=\"soft\">%zu bytes</span></summary>\n",
			    piece->va, size_b);
		bw_str_add(&p->page.out, "<div class=\"code\">");
		for (size_t at = 0; at < size_b && lines < MOST_LINES; lines++) {
			char line[160], number[24];
			uint64_t pc = piece->va + at;
			const struct bw_page_line l = {.number = number,
						       .text = line,
						       .n_waves = waves_at(places, n_places, pc),
						       .most = most};
			size_t n = bw_isa_text_line(text, (const char *)piece->words.data + at,
						    size_b - at, pc, line, sizeof(line));
			snprintf(number, sizeof(number), "0x%" PRIx64, pc);
			bw_page_line(&p->page, &l);
			at += n ? n : 4;
		}
		bw_str_add(&p->page.out, "</div>");
		bw_str_add(&p->page.out, "</details>\n");
		if (lines >= MOST_LINES)
			break;
	}
}

static void add_groups(struct bw_crash_page *p, const struct place *places, size_t n)
{
	size_t shown = 0;
	for (size_t i = 0, end; i < n; i = end) {
		end = i + places[i].same;
		bw_str_addf(&p->page.out, "<details%s><summary>%zu wave%s ", shown ? "" : " open",
			    end - i, end - i == 1 ? "" : "s");
		if (places[i].has_pc)
			bw_str_addf(&p->page.out, "at 0x%" PRIx64, places[i].pc);
		else
			bw_str_add(&p->page.out, "without a PC in the file");
		bw_str_add(&p->page.out,
			   "</summary><table><tr class=\"head\"><th>Place</th><th>STATUS</th>"
			   "<th>TRAPSTS</th><th>EXEC</th><th></th></tr>\n");
		for (size_t k = i; k < end && shown < BW_REPORT_WAVES; k++)
			add_wave(p, places[k].wave, shown++);
		bw_str_add(&p->page.out, "</table></details>\n");
	}
	if (shown < n)
		bw_str_addf(&p->page.out, "<p class=\"soft\">%zu more waves are left out.</p>\n",
			    n - shown);
}

/* Shows code as instructions, if there is a disassembler for the GPU; if not, the reason, which is
 * not an error. */
static struct bw_error *show_code(struct bw_crash_page *p, const char *gfx,
				  const struct place *places, size_t n_places, unsigned lanes)
{
	struct bw_isa_text *text = NULL;
	struct bw_error *err = bw_isa_text_create(gfx, &text);
	if (err && err->code == BW_E_UNSUPPORTED && p->crash->report.pieces.len)
		bw_page_note(&p->page, "Code is not shown: %s.", err->message);
	if (err)
		return bw_error_catch(&err, BW_E_UNSUPPORTED) ? NULL : err;
	bw_isa_text_set_lanes(text, lanes);
	add_code(p, text, places, n_places);
	bw_isa_text_destroy(text);
	return NULL;
}

/* The wave description of the GPU that the files name, and its name like "gfx1100"; NULL: the files
 * name none, or it is not known. */
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

struct bw_error *bw_report_crash_waves(struct bw_crash_page *p)
{
	const struct bw_crash_waves *w = &p->crash->report.waves;
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
	for (size_t i = 0, first = 0; i < w->list.len; i++) {
		if (places[i].pc != places[first].pc || places[i].has_pc != places[first].has_pc)
			first = i;
		places[first].same++;
	}
	bw_page_section(&p->page, "waves", "Waves");
	bw_str_addf(&p->page.out, "<p>%zu waves were on the GPU.</p>\n", w->list.len);
	const struct bw_arch *arch = arch_of(p, gfx);
	err = bw_report_crash_map(p, arch);
	add_groups(p, places, w->list.len);
	if (arch && !err)
		err = show_code(p, gfx, places, w->list.len,
				w->list.len && w->list.data[0].lanes == 64 ? 64 : 32);
	free(places);
	bw_page_section_end(&p->page);
	return err;
}
