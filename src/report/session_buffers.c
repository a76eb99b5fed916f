/* SPDX-License-Identifier: MIT */
/* The page of a session: what the kernel was given, buffers as numbers and as pictures, images. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/small_float.h"
#include "base/util.h"
#include "debug/bound.h"
#include "image/picture.h"
#include "image/png_file.h"
#include "report/report_priv.h"
#include "ui/show.h"

static struct bw_error *say_kernel(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_kernel(o, d, cookie);
}

static struct bw_error *say_dispatch(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_dispatch(o, d, cookie);
}

static struct bw_error *say_descriptors(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_descriptors(o, d, cookie);
}

static struct bw_error *say_buffers(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_buffers(o, d, cookie);
}

static void add_said(struct bw_report_session *s, const char *title, bool is_open,
		     bw_report_say_fn *say)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(s->debug, s->dispatch);
	_cleanup_free_ char *said = x ? bw_report_said(s->debug, say, (void *)x) : NULL;
	if (!said || !*said)
		return;
	bw_page_fold(s->page, is_open, "%s", title);
	bw_page_rows(s->page, said);
	bw_page_fold_end(s->page);
}

/* ---- Elements of a buffer ---- */

struct element {
	const char *name; /* as page.h calls types; "": not known */
	unsigned size_b;  /* 4 where it is not known */
	bool is_float, is_signed;
};

static struct element element_of(const struct bw_type *t)
{
	static const struct element known[] = {
		{"f32", 4, true, true},	  {"f64", 8, true, true},   {"f16", 2, true, true},
		{"i32", 4, false, true},  {"i64", 8, false, true},  {"i16", 2, false, true},
		{"i8", 1, false, true},	  {"u32", 4, false, false}, {"u64", 8, false, false},
		{"u16", 2, false, false}, {"u8", 1, false, false},
	};
	bool is_float = t->elem_kind == BW_TYPE_FLOAT, is_signed = t->elem_kind != BW_TYPE_UINT;
	bool is_number = is_float || t->elem_kind == BW_TYPE_INT || t->elem_kind == BW_TYPE_UINT;
	for (size_t i = 0; i < BW_ARRAY_SIZE(known); i++)
		if (t->kind == BW_TYPE_POINTER && !t->ctype && t->depth <= 1 && is_number &&
		    known[i].size_b == t->elem_size_b && known[i].is_float == is_float &&
		    known[i].is_signed == is_signed)
			return known[i];
	return (struct element){.name = "", .size_b = 4};
}

/* The element type of the kernel's argument that points to the buffer. */
static struct element find_element(struct bw_report_session *s, uint64_t va)
{
	struct bw_arg_info *args = NULL;
	size_t n = 0;
	struct element found = {.name = "", .size_b = 4};
	struct bw_error *err = bw_debug_args(s->debug, s->dispatch, &args, &n);
	for (size_t i = 0; i < n; i++)
		if (args[i].has_value && args[i].value.bits == va && args[i].arg->type_name[0])
			found = element_of(&args[i].value.type);
	bw_debug_free_args(args, n);
	bw_error_free(err);
	return found;
}

static double value_at(const struct element *e, const uint8_t *at)
{
	uint64_t bits = 0;
	float f;
	double d;
	memcpy(&bits, at, e->size_b);
	uint32_t single = e->size_b == 2 ? bw_f16_to_f32((uint16_t)bits) : (uint32_t)bits;
	memcpy(&f, &single, sizeof(f));
	memcpy(&d, &bits, sizeof(d));
	if (e->is_float)
		return e->size_b == 8 ? d : (double)f;
	if (!e->is_signed)
		return (double)bits;
	unsigned unused = 64 - 8 * e->size_b;
	return (double)((int64_t)(bits << unused) >> unused);
}

/* ---- Pictures ---- */

void bw_report_picture(struct bw_report_session *s, const struct bw_picture *p, const char *caption)
{
	struct bw_str png = {0};
	struct bw_error *err = bw_png_encode(p, &png);
	if (err) {
		bw_page_note(s->page, "%s", err->message);
	} else if (s->room->pictures_b + png.len > BW_REPORT_PICTURES_B) {
		bw_page_note(s->page, "The picture is left out: the page has no more room.");
	} else {
		const struct bw_page_picture x = {.png = (const uint8_t *)bw_str_text(&png),
						  .size_b = png.len,
						  .width = p->width,
						  .height = p->height,
						  .caption = caption};
		bw_page_picture(s->page, &x);
		s->room->pictures_b += png.len;
	}
	bw_error_free(err);
	bw_str_free(&png);
}

/* The width of a picture of n elements: like the dispatch's grid where they fit it, else about as
 * wide as high, by powers of two. */
static uint32_t width_of(struct bw_report_session *s, size_t n)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(s->debug, s->dispatch);
	if (x && x->desc.groups[0] != UINT32_MAX) {
		uint64_t width = (uint64_t)x->desc.groups[0] * x->desc.group_size[0];
		uint64_t height = (uint64_t)x->desc.groups[1] * x->desc.group_size[1];
		if (height > 1 && width <= BW_REPORT_PICTURE && width * height == n)
			return (uint32_t)width;
	}
	uint32_t width = 8;
	while ((uint64_t)width * width < n)
		width *= 2;
	return width;
}

struct range {
	double least, most;
	size_t n_odd; /* no numbers, or infinite */
};

static struct range find_range(const struct element *e, const uint8_t *data, size_t n)
{
	struct range r = {INFINITY, -INFINITY, 0};
	for (size_t i = 0; i < n; i++) {
		double v = value_at(e, data + i * e->size_b);
		if (!isfinite(v)) {
			r.n_odd++;
			continue;
		}
		r.least = fmin(r.least, v);
		r.most = fmax(r.most, v);
	}
	return r;
}

/* Grey from the least to the greatest value; a number that is not finite is red, and what
 * comes after the last element transparent. */
static void paint(struct bw_picture *p, const struct element *e, const uint8_t *data, size_t n,
		  const struct range *r)
{
	double span = r->most - r->least;
	for (size_t i = 0; i < n; i++) {
		uint8_t *px = p->samples + i * 4;
		double v = value_at(e, data + i * e->size_b);
		double at = span > 0 && isfinite(span) ? (v - r->least) / span : 0.5;
		uint8_t grey = isfinite(v) ? (uint8_t)(at * 255 + 0.5) : 0;
		px[0] = isfinite(v) ? grey : 220;
		px[1] = px[2] = grey;
		px[3] = 255;
	}
}

static void add_values_picture(struct bw_report_session *s, const struct element *e,
			       const uint8_t *data, size_t n)
{
	enum { FEW = 64 };
	if (n < FEW)
		return;
	uint32_t width = width_of(s, n);
	struct bw_picture p = {.width = width,
			       .height = (uint32_t)((n + width - 1) / width),
			       .channels = 4,
			       .bits = 8};
	struct range r = find_range(e, data, n);
	struct bw_str caption = {0};
	_cleanup_free_ uint8_t *samples = calloc((size_t)p.width * p.height, 4);
	if (!samples)
		return;
	p.samples = samples;
	paint(&p, e, data, n, &r);
	bw_str_addf(&caption, "%u x %u elements", p.width, p.height);
	if (r.least <= r.most)
		bw_str_addf(&caption, ": black is %.9g, white is %.9g", r.least, r.most);
	if (r.n_odd)
		bw_str_addf(&caption, "; %zu that are not finite numbers are red", r.n_odd);
	bw_report_picture(s, &p, bw_str_text(&caption));
	bw_str_free(&caption);
}

/* ---- Buffers ---- */

static void add_numbers(struct bw_report_session *s, const struct bw_buffer_info *b)
{
	uint64_t left = BW_REPORT_BUFFERS_B - s->room->buffers_b;
	left = BW_MIN(left, (uint64_t)BW_REPORT_BUFFER_B);
	size_t size_b = BW_MIN(b->size_b, left) & ~3ul;
	_cleanup_free_ uint32_t *words = malloc(size_b + 8);
	if (!size_b || !words) {
		bw_page_note(s->page, "The page has no more room for it.");
		return;
	}
	struct bw_error *err = bw_debug_read(s->debug, BW_SPACE_GLOBAL, b->va, words, size_b);
	if (err) {
		bw_page_note(s->page, "%s", err->message);
		bw_error_free(err);
		return;
	}
	const struct element e = find_element(s, b->va);
	s->room->buffers_b += size_b;
	add_values_picture(s, &e, (const uint8_t *)words, size_b / e.size_b);
	if (size_b < b->size_b)
		bw_page_note(s->page, "The first %zu of %" PRIu64 " bytes.", size_b, b->size_b);
	const struct bw_page_numbers x = {
		.va = b->va, .words = words, .n = size_b / 4, .type = e.name};
	bw_page_numbers(s->page, &x);
}

static void add_image(struct bw_report_session *s, const struct bw_bound *b)
{
	const struct bw_picture_of of = {.image = b};
	struct bw_picture p = {0};
	struct bw_str caption = {0};
	struct bw_error *err = NULL;
	bw_str_addf(&caption, "Image %s at 0x%" PRIx64 ", %s, %u x %u x %u", b->name, b->va,
		    bw_image_type_name(b->type), b->dim[0], b->dim[1], b->dim[2]);
	bw_page_fold(s->page, true, "%s", bw_str_text(&caption));
	if (b->dim[0] > BW_REPORT_PICTURE || b->dim[1] > BW_REPORT_PICTURE)
		bw_page_note(s->page,
			     "It is too large for this page; \"dump image\" writes it to a file.");
	else
		err = bw_debug_picture(s->debug, &of, &p);
	if (err)
		bw_page_note(s->page, "%s", err->message);
	if (p.samples)
		bw_report_picture(s, &p, bw_str_text(&caption));
	if (p.n_clamped)
		bw_page_note(s->page, "%" PRIu64 " texels have values that a picture cannot show.",
			     p.n_clamped);
	bw_error_free(err);
	bw_picture_fini(&p);
	bw_str_free(&caption);
	bw_page_fold_end(s->page);
}

static const char *name_of(const struct bw_buffer_info *b, const struct bw_bound *bound, size_t n)
{
	for (size_t i = 0; i < n && !b->name[0]; i++)
		if (bound[i].buffer == b->number && bound[i].va == b->va && bound[i].name[0])
			return bound[i].name;
	return b->name;
}

/* Whether the dispatch was given this buffer; such buffers come first. */
static bool is_bound(const struct bw_buffer_info *b, const struct bw_bound *bound, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bound[i].buffer == b->number)
			return true;
	return false;
}

static void add_buffers(struct bw_report_session *s, const struct bw_buffer_info *list, size_t n,
			const struct bw_bound *bound, size_t n_bound)
{
	size_t shown = 0, n_with_memory = 0;
	for (size_t i = 0; i < n; i++)
		n_with_memory += list[i].va && !list[i].is_image;
	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n && shown < BW_REPORT_BUFFERS; i++) {
			const struct bw_buffer_info *b = &list[i];
			const char *name = name_of(b, bound, n_bound);
			if (!b->va || b->is_image || is_bound(b, bound, n_bound) != !pass)
				continue;
			bw_page_fold(s->page, !pass && shown < 4,
				     "Buffer %u%s%s: %" PRIu64 " bytes at 0x%" PRIx64, b->number,
				     name[0] ? ", " : "", name, b->size_b, b->va);
			add_numbers(s, b);
			bw_page_fold_end(s->page);
			shown++;
		}
	if (shown < n_with_memory)
		bw_page_note(s->page, "%zu more buffers are left out.", n_with_memory - shown);
}

struct bw_error *bw_report_session_buffers(struct bw_report_session *s)
{
	enum { MOST_IMAGES = 16 };
	struct bw_bound *bound = NULL;
	const struct bw_buffer_info *list = NULL;
	size_t n_bound = 0, n = 0, n_images = 0;
	if (!bw_debug_dispatch(s->debug, s->dispatch))
		return NULL;
	bw_page_section(s->page, "buffers", "What the kernel was given");
	add_said(s, "The kernel", true, say_kernel);
	add_said(s, "The dispatch", false, say_dispatch);
	add_said(s, "Descriptors and pointers", false, say_descriptors);
	add_said(s, "Buffers", false, say_buffers);
	struct bw_error *err = bw_debug_bound(s->debug, s->dispatch, &bound, &n_bound);
	if (!err)
		err = bw_debug_buffers(s->debug, &list, &n);
	for (size_t i = 0; !err && i < n_bound && n_images < MOST_IMAGES; i++)
		if (bound[i].kind == BW_BOUND_IMAGE) {
			add_image(s, &bound[i]);
			n_images++;
		}
	if (err)
		bw_page_note(s->page, "%s", err->message);
	else
		add_buffers(s, list, n, bound, n_bound);
	bw_error_free(err);
	free(bound);
	bw_page_section_end(s->page);
	return NULL;
}
