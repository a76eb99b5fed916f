/* SPDX-License-Identifier: MIT */
/* Findings of --check=bounds: accesses outside of an object. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "session/check_priv.h"
#include "session/server_report.h"
#include "sym/host_place.h"

static void take_bounds(char **line, struct bw_checked *f)
{
	struct bw_checked_bounds *b = &f->bounds;
	b->of = bw_report_field(line);
	b->name = bw_report_field(line);
	f->size_b = bw_report_number(line);
	b->base = bw_report_number(line);
	b->limit = bw_report_number(line);
	b->at = (int64_t)bw_report_number(line);
	b->more_lanes = bw_report_number(line);
	for (size_t i = 0; i < BW_ARRAY_SIZE(b->texel); i++)
		b->texel[i] = (uint32_t)bw_report_number(line);
	for (size_t i = 0; i < BW_ARRAY_SIZE(b->extent); i++)
		b->extent[i] = (uint32_t)bw_report_number(line);
	b->is_freed = bw_report_number(line);
	b->program = bw_report_field(line);
	for (size_t i = 0; i < BW_ARRAY_SIZE(b->made); i++)
		b->made[i] = bw_report_number(line);
	for (size_t i = 0; i < BW_ARRAY_SIZE(b->freed); i++)
		b->freed[i] = bw_report_number(line);
	f->memory = b->of;
	if (!strcmp(b->of, "image"))
		b->limit = (uint64_t)b->extent[0] * b->extent[1] * b->extent[2];
	f->va = b->base ? b->base + (uint64_t)b->at : (uint64_t)b->at;
}

static bool is_of(const struct bw_checked *f, const char *of)
{
	return !strcmp(f->bounds.of, of);
}

static const char *argument(struct bw_debug *d, const struct bw_checked *f)
{
	const struct bw_executed x = bw_checked_executed(&f->first);
	return f->has_pointer ? bw_debug_pointer_executed(d, &x, f->pointer_sgpr, f->pointer_offset)
			      : NULL;
}

/* "out", or what is known of the object. */
static void add_object(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	const struct bw_checked_bounds *b = &f->bounds;
	const char *name = *b->name ? b->name : argument(d, f);
	if (name)
		bw_str_addf(s, "%s", name);
	else if (is_of(f, "LDS") || is_of(f, "scratch"))
		bw_str_addf(s, "%s", b->of);
	else if (is_of(f, "image"))
		bw_str_addf(s, "an image");
	else if (is_of(f, "memory"))
		bw_str_addf(s, "the allocation at 0x%" PRIx64, b->base);
	else if (b->base)
		bw_str_addf(s, "the buffer at 0x%" PRIx64, b->base);
	else
		bw_str_addf(s, "a buffer without memory");
}

static void add_offset(struct bw_str *s, int64_t at)
{
	if (at < 0)
		bw_str_addf(s, " - 0x%" PRIx64, -(uint64_t)at);
	else
		bw_str_addf(s, " + 0x%" PRIx64, (uint64_t)at);
}

/* "out + 0x1000", "element 16 of out", "texel (8,0,0) of an image" */
static void add_target(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	const struct bw_checked_bounds *b = &f->bounds;
	if (is_of(f, "elements"))
		bw_str_addf(s, "element %" PRIu64 " of ", (uint64_t)b->at);
	if (is_of(f, "element"))
		bw_str_addf(s, "an element of ");
	if (is_of(f, "image"))
		bw_str_addf(s, "texel (%d,%d,%d) of ", (int32_t)b->texel[0], (int32_t)b->texel[1],
			    (int32_t)b->texel[2]);
	add_object(s, d, f);
	if (!is_of(f, "elements") && !is_of(f, "image"))
		add_offset(s, b->at);
}

static void add_size(struct bw_str *s, const struct bw_checked *f)
{
	const struct bw_checked_bounds *b = &f->bounds;
	bool is_elements = is_of(f, "elements");
	const char *unit = is_elements ? "element" : "byte";
	if (is_of(f, "image"))
		bw_str_addf(s, "%ux%ux%u texels", b->extent[0], b->extent[1], b->extent[2]);
	else
		bw_str_addf(s, "%" PRIu64 " %s%s", b->limit, unit, b->limit == 1 ? "" : "s");
}

/* With the punctuation before it. */
static const char *whose_size(const struct bw_checked *f)
{
	return f->bounds.is_freed    ? ", which had"
	       : is_of(f, "LDS")     ? "; the workgroup has"
	       : is_of(f, "scratch") ? "; a lane has"
	       : is_of(f, "element") ? "; an element has"
				     : ", which has";
}

/* The functions of HIP's headers that call HIP: the place of interest is their caller. */
static bool is_of_hip(const struct bw_host_place *p)
{
	size_t len = strlen(p->file);
	return bw_starts_with(p->file, "hip_") && !strcmp(p->file + len - 2, ".h");
}

static bool find_place(const char *program, const uint64_t calls[BW_CHECKED_CALLERS],
		       struct bw_host_place *out)
{
	enum { INLINED_MAX = 8 };
	bool found = false;
	for (size_t i = 0; *program && i < BW_CHECKED_CALLERS && calls[i]; i++) {
		struct bw_host_place p[INLINED_MAX];
		size_t n = bw_host_places(program, calls[i], p, INLINED_MAX);
		for (size_t k = 0; k < n; k++) {
			if (!found)
				*out = p[k];
			found = true;
			if (!is_of_hip(&p[k])) {
				*out = p[k];
				return true;
			}
		}
	}
	return found;
}

bool bw_checked_made_at(const struct bw_checked *f, struct bw_host_place *out)
{
	return find_place(f->bounds.program, f->bounds.made, out);
}

static char *place_text(const struct bw_checked *f, const uint64_t calls[BW_CHECKED_CALLERS])
{
	struct bw_host_place p;
	struct bw_str s = {0};
	if (!is_of(f, "memory") || !find_place(f->bounds.program, calls, &p))
		return NULL;
	bw_str_add_printable(&s, p.function, "");
	if (p.line) {
		bw_str_add(&s, p.function[0] ? " at " : "");
		bw_str_add_printable(&s, p.file, "");
		bw_str_addf(&s, ":%u", p.line);
	}
	return bw_str_take(&s);
}

char *bw_checked_made(const struct bw_checked *f)
{
	return place_text(f, f->bounds.made);
}

char *bw_checked_freed(const struct bw_checked *f)
{
	return place_text(f, f->bounds.freed);
}

/* ", made in main at x.hip:12" */
static void add_places(struct bw_str *s, const struct bw_checked *f)
{
	_cleanup_free_ char *made = bw_checked_made(f),
			    *freed = f->bounds.is_freed ? bw_checked_freed(f) : NULL;
	if (made)
		bw_str_addf(s, ", made in %s", made);
	if (freed)
		bw_str_addf(s, ", freed in %s", freed);
}

static void add_headline(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	bw_str_addf(s, "%s of %" PRIu64 " byte%s %s, at ", f->first.access, f->size_b,
		    f->size_b == 1 ? "" : "s",
		    f->bounds.is_freed ? "in freed memory" : "out of bounds");
	add_target(s, d, f);
	bw_str_addf(s, "%s ", whose_size(f));
	add_size(s, f);
	add_places(s, f);
}

static const char *advice(const struct bw_checked *f)
{
	const struct bw_checked_bounds *b = &f->bounds;
	bool loads = !strcmp(f->first.access, "load"), stores = !strcmp(f->first.access, "store");
	if (b->is_freed)
		return "the memory was freed before the access: free it after the last kernel that uses it has ended, or do not use its address again";
	if (is_of(f, "scratch"))
		return "the lane's private memory ends before: such an access is a memory violation; compare the index with the size of the private array";
	if (is_of(f, "memory") && b->at < 0)
		return "the place is before the buffer: the bytes are another buffer's or nobody's; compare the index with 0 before the access";
	if (is_of(f, "memory"))
		return "the place is after the end of the buffer: the bytes are another buffer's or nobody's; compare the index with the size before the access, or make the buffer larger";
	if (is_of(f, "LDS"))
		return "the place is after all shared memory of the kernel: a store there is lost, and a load has no value; compare the index with the size of the shared array";
	if (is_of(f, "image"))
		return loads ? "the load gives 0 there: compare the coordinates with the size of the image"
			     : "the value is dropped: compare the coordinates with the size of the image";
	if (!b->limit)
		return "the descriptor is empty, which robust access hides: bind a buffer, or a range that is not empty";
	return loads ? "robust access answers with 0, which hides the error: compare the index with the size of the bound range, or bind a larger one"
	       : stores
		       ? "robust access drops the value, which hides the error: compare the index with the size of the bound range, or bind a larger one"
		       : "robust access does nothing, which hides the error: compare the index with the size of the bound range, or bind a larger one";
}

const struct bw_checked_kind bw_checked_bounds = {"bounds", take_bounds, add_headline, add_target,
						  advice};
