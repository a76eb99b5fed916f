/* SPDX-License-Identifier: MIT */
/* The page of a session: registers of the focus wave, and of others; LDS. */
#include <inttypes.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "debug/registers.h"
#include "report/report_priv.h"
#include "report/session_waves.h"
#include "ui/show.h"

static struct bw_error *say_registers(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_registers(o, d, false);
}

static bool is_zero(const uint32_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i])
			return false;
	return true;
}

static void add_sgprs(struct bw_report_session *s, uint32_t wave)
{
	enum { PER_ROW = 8 };
	uint32_t v[BW_SGPR_SHOWN];
	struct bw_str text = {0};
	const unsigned all = bw_debug_n_sgprs(s->debug);
	struct bw_error *err = bw_debug_sgprs_read(s->debug, wave, 0, all, v);
	bw_page_heading(s->page, "SGPRs");
	for (unsigned i = 0; !err && i < all; i += PER_ROW) {
		unsigned n = BW_MIN(all - i, (unsigned)PER_ROW);
		if (is_zero(v + i, n))
			continue;
		bw_str_addf(&text, "s[%u:%u]%*s", i, i + n - 1, i + n - 1 < 10 ? 3 : 1, "");
		for (unsigned k = i; k < i + n; k++)
			bw_str_addf(&text, " %08x", v[k]);
		bw_str_add(&text, "\n");
	}
	bw_page_rows(s->page, bw_str_text(&text));
	bw_page_note(s->page, "%s", err ? err->message : "All others are 0.");
	bw_error_free(err);
	bw_str_free(&text);
}

static void add_vgprs(struct bw_report_session *s, const struct bw_wave_info *w)
{
	unsigned n_zero = 0;
	bw_page_heading(s->page, "VGPRs, from lane 0 on");
	if (!w->n_vgprs)
		bw_page_note(s->page, "The wave has given its VGPRs back.");
	for (unsigned i = 0; i < w->n_vgprs; i++) {
		uint32_t v[64];
		char name[16];
		if (s->room->vgpr_words + w->lanes > BW_REPORT_VGPR_WORDS) {
			bw_wave_vgpr_name(w, i, name);
			bw_page_note(s->page,
				     "%s and all that follow are left out: the page has no more "
				     "room.",
				     name);
			break;
		}
		struct bw_error *err = bw_debug_vgpr_read(s->debug, w->number, i, v);
		if (err) {
			bw_page_note(s->page, "%s", err->message);
			bw_error_free(err);
			break;
		}
		if (is_zero(v, w->lanes)) {
			n_zero++;
			continue;
		}
		bw_wave_vgpr_name(w, i, name);
		s->room->vgpr_words += bw_page_vgpr(s->page, name, v, w->lanes, w->exec);
	}
	if (n_zero)
		bw_page_note(s->page,
			     n_zero == 1 ? "%u is 0 in all lanes." : "%u are 0 in all lanes.",
			     n_zero);
}

static void add_wave(struct bw_report_session *s, const struct bw_wave_info *w, bool is_focus)
{
	char name[96];
	bw_wave_name(w, name, sizeof(name));
	bw_page_fold(s->page, is_focus, "Wave %u, %s: %s", w->number, name,
		     bw_page_wave_name(bw_report_wave_state(w)));
	struct bw_error *err = bw_debug_set_focus(s->debug, w->number);
	if (!err) {
		_cleanup_free_ char *said = bw_report_said(s->debug, say_registers, NULL);
		bw_page_rows(s->page, said ? said : "");
	}
	bw_error_free(err);
	add_sgprs(s, w->number);
	add_vgprs(s, w);
	bw_page_fold_end(s->page);
}

/* LDS of the workgroup of the focus wave. */
static struct bw_error *add_lds(struct bw_report_session *s, const struct bw_wave_info *w)
{
	enum { MOST_B = 64 << 10 };
	const struct bw_arch *arch = bw_debug_arch(s->debug);
	const struct bw_wave_reg alloc = {BW_REG_STATE, BW_WREG_LDS_ALLOC, 1};
	uint64_t raw;
	struct bw_error *err = bw_debug_reg_read(s->debug, w->number, alloc, &raw);
	if (err) {
		bw_error_free(err);
		return NULL;
	}
	size_t granules = bw_arch_get(arch, BW_WF_LDS_SIZE, (uint32_t)raw);
	size_t size_b = BW_MIN(granules * arch->lds_granule_b, (size_t)MOST_B);
	if (!size_b)
		return NULL;
	_cleanup_free_ uint32_t *words = malloc(size_b);
	if (!words)
		return bw_error_nomem();
	bw_page_fold(s->page, false, "LDS of its workgroup: %zu bytes", size_b);
	err = bw_debug_read(s->debug, BW_SPACE_LDS, 0, words, size_b);
	const struct bw_page_numbers x = {.words = words, .n = size_b / 4, .type = ""};
	if (err)
		bw_page_note(s->page, "%s", err->message);
	else
		bw_page_numbers(s->page, &x);
	bw_error_free(err);
	bw_page_fold_end(s->page);
	return NULL;
}

struct bw_error *bw_report_session_registers(struct bw_report_session *s)
{
	const struct bw_wave_info *focus = bw_debug_focus(s->debug);
	size_t n, shown = 0;
	if (!focus)
		return NULL;
	uint32_t number = focus->number;
	unsigned lane = bw_debug_focus_lane(s->debug);
	const struct bw_wave_info *waves = bw_debug_waves(s->debug, &n);
	bw_page_section(s->page, "registers", "Registers of waves");
	add_wave(s, focus, true);
	struct bw_error *err = add_lds(s, focus);
	for (size_t i = 0; i < n && shown < BW_REPORT_WAVE_STATES && !err; i++)
		if (waves[i].number != number) {
			add_wave(s, &waves[i], false);
			shown++;
		}
	if (!err && shown + 1 < n)
		bw_page_note(s->page, "The registers of %zu more waves are left out.",
			     n - shown - 1);
	bw_error_free(bw_debug_set_focus(s->debug, number));
	bw_error_free(bw_debug_set_lane(s->debug, lane));
	bw_page_section_end(s->page);
	return err;
}
