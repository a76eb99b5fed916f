/* SPDX-License-Identifier: MIT */
/* Reads the findings of the virtual GPU's checker: the server's file breakwater_check, with a line
 * each, fields separated by tabs (uapi/check_output.c). */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/check_priv.h"
#include "session/server_report.h"
#include "wire/checks.h"

#define REPORT_FILE "breakwater_check"
#define LEAKS_FILE "breakwater_leaks"

void bw_check_report_fini(struct bw_check_report *r)
{
	bw_vec_free(&r->findings);
	bw_suppressions_fini(&r->suppressions);
	free(r->data);
	free(r->leaks);
}

void bw_checked_take_side(char **line, struct bw_checked_side *s)
{
	s->access = bw_report_field(line);
	s->pc = bw_report_number(line);
	s->start = bw_report_number(line);
	s->n_words = (unsigned)BW_MIN(bw_report_number(line), (uint64_t)BW_ARRAY_SIZE(s->word));
	for (unsigned i = 0; i < BW_ARRAY_SIZE(s->word); i++)
		s->word[i] = (uint32_t)bw_report_number(line);
	s->name = bw_report_field(line);
	for (unsigned i = 0; i < 3; i++)
		s->group[i] = (uint32_t)bw_report_number(line);
	s->wave = (uint32_t)bw_report_number(line);
	s->lane = (uint32_t)bw_report_number(line);
	s->dispatch = (uint32_t)bw_report_number(line);
	s->draw = (uint32_t)bw_report_number(line);
	s->lane_is = bw_report_field(line);
}

const struct bw_checked_kind *const bw_checked_kinds[BW_CHECKED_KINDS] = {
	&bw_checked_race, &bw_checked_bounds, &bw_checked_init, &bw_checked_sync, &bw_checked_leak};

/* What findings of all kinds have. */
static void take_common(char **line, struct bw_checked *f)
{
	f->has_first = true;
	f->number = bw_report_number(line);
	f->times = bw_report_number(line);
	f->vmid = bw_report_number(line);
	f->lanes = bw_report_number(line);
	bw_checked_take_side(line, &f->first);
	bw_checked_take_side(line, &f->second);
	f->has_pointer = bw_report_number(line);
	f->pointer_sgpr = (uint32_t)bw_report_number(line);
	f->pointer_offset = (uint32_t)bw_report_number(line);
	f->pointer = bw_report_number(line);
}

static struct bw_error *take_finding(struct bw_check_report *r, char *line)
{
	const char *kind = bw_report_field(&line);
	for (size_t i = 0; i < BW_CHECKED_KINDS; i++) {
		struct bw_checked f = {.kind = bw_checked_kinds[i]};
		if (strcmp(kind, bw_checked_kinds[i]->name))
			continue;
		take_common(&line, &f);
		bw_checked_kinds[i]->take(&line, &f);
		return bw_vec_push(&r->findings, f);
	}
	return NULL; /* a newer server's */
}

static int by_place(const void *a, const void *b)
{
	const struct bw_checked *x = a, *y = b;
	const struct bw_checked_side *last_x = x->has_second ? &x->second : &x->first,
				     *last_y = y->has_second ? &y->second : &y->first;
	const uint64_t keys[][2] = {{last_x->start, last_y->start},
				    {last_x->pc, last_y->pc},
				    {x->first.pc, y->first.pc}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

struct bw_error *bw_check_report_read(struct bw_kmd *kmd, struct bw_check_report *r)
{
	if (!bw_kmd_is_virtual(kmd))
		return bw_errorf(BW_E_UNSUPPORTED, "--check needs the virtual GPU; %s is hardware",
				 bw_kmd_pci_address(kmd));
	BW_TRY(bw_report_gpu(kmd, r->gpu, sizeof(r->gpu)));
	BW_TRY(bw_report_read(kmd, REPORT_FILE, &r->data));
	char *rest = r->data, *line = strsep(&rest, "\n");
	r->what = bw_report_number(&line);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			BW_TRY(take_finding(r, line));
	if (r->findings.len)
		qsort(r->findings.data, r->findings.len, sizeof(*r->findings.data), by_place);
	return NULL;
}

/* The largest first. */
static int by_size(const void *a, const void *b)
{
	const struct bw_checked *x = a, *y = b;
	return x->size_b > y->size_b ? -1 : x->size_b < y->size_b;
}

struct bw_error *bw_check_report_read_leaks(struct bw_kmd *kmd, struct bw_check_report *r)
{
	uint64_t number = 0;
	if (!(r->what & BW_CHECK_LEAKS))
		return NULL;
	BW_TRY(bw_report_read(kmd, LEAKS_FILE, &r->leaks));
	bw_vec_each(&r->findings, f)
		number = BW_MAX(number, f->number);
	size_t first = r->findings.len;
	char *rest = r->leaks, *line;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			BW_TRY(take_finding(r, line));
	if (r->findings.len > first)
		qsort(&r->findings.data[first], r->findings.len - first, sizeof(*r->findings.data),
		      by_size);
	for (size_t i = first; i < r->findings.len; i++)
		r->findings.data[i].number = ++number;
	return NULL;
}
