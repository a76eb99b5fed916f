/* SPDX-License-Identifier: MIT */
/* Findings of --check=bounds: accesses outside of an object. */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "session/check_priv.h"
#include "session/server_report.h"

static void take_bounds(char **line, struct bw_checked *f)
{
	struct bw_checked_bounds *b = &f->bounds;
	b->of = bw_report_field(line);
	b->name = bw_report_field(line);
	f->times = bw_report_number(line);
	f->vmid = bw_report_number(line);
	f->lanes = bw_report_number(line);
	f->size_b = bw_report_number(line);
	b->base = bw_report_number(line);
	b->limit = bw_report_number(line);
	b->at = (int64_t)bw_report_number(line);
	b->more_lanes = bw_report_number(line);
	for (size_t i = 0; i < BW_ARRAY_SIZE(b->texel); i++)
		b->texel[i] = (uint32_t)bw_report_number(line);
	for (size_t i = 0; i < BW_ARRAY_SIZE(b->extent); i++)
		b->extent[i] = (uint32_t)bw_report_number(line);
	f->has_pointer = bw_report_number(line);
	f->pointer_sgpr = (uint32_t)bw_report_number(line);
	f->pointer_offset = (uint32_t)bw_report_number(line);
	bw_checked_take_side(line, &f->first);
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
	return is_of(f, "LDS")	     ? "; the workgroup has"
	       : is_of(f, "scratch") ? "; a lane has"
	       : is_of(f, "element") ? "; an element has"
				     : ", which has";
}

static void add_headline(struct bw_str *s, struct bw_debug *d, const struct bw_checked *f)
{
	bw_str_addf(s, "%s of %" PRIu64 " byte%s out of bounds, at ", f->first.access, f->size_b,
		    f->size_b == 1 ? "" : "s");
	add_target(s, d, f);
	bw_str_addf(s, "%s ", whose_size(f));
	add_size(s, f);
}

static const char *advice(const struct bw_checked *f)
{
	const struct bw_checked_bounds *b = &f->bounds;
	bool loads = !strcmp(f->first.access, "load"), stores = !strcmp(f->first.access, "store");
	if (is_of(f, "scratch"))
		return "the lane's private memory ends before: such an access is a memory violation; compare the index with the size of the private array";
	if (is_of(f, "memory") && b->at < 0)
		return "the place is before the buffer: the bytes are another buffer's or nobody's; compare the index with 0 before the access";
	if (is_of(f, "memory"))
		return "the place is after the end of the buffer: the bytes are another buffer's or nobody's; compare the index with the size before the access, or make the buffer larger";
	if (is_of(f, "LDS"))
		return loads ? "LDS answers with 0 there: compare the index with the size of the shared array"
		       : stores
			       ? "LDS drops the value: compare the index with the size of the shared array"
			       : "LDS does nothing there: compare the index with the size of the shared array";
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
