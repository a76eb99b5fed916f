/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "image/png_file.h"
#include "debug/bound.h"
#include "debug/dispatches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

/* dump image FILE.png IMAGE, dump image FILE.png BUFFER WIDTHxHEIGHT FORMAT */

struct wanted {
	char what[256]; /* a name, a number, or an address */
	bool has_size;
	uint32_t width, height;
	const struct bw_format *format;
};

static bool take_size(const char *word, uint32_t *out_width, uint32_t *out_height)
{
	uint64_t width, height;
	char text[32];
	const char *x = strchr(word, 'x');
	if (!x || x == word || (size_t)(x - word) >= sizeof(text) ||
	    strspn(word, "0123456789x") != strlen(word))
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)(x - word), word);
	if (!bw_parse_u64(text, &width) || !bw_parse_u64(x + 1, &height) || width > UINT32_MAX ||
	    height > UINT32_MAX)
		return false;
	*out_width = (uint32_t)width;
	*out_height = (uint32_t)height;
	return true;
}

/* "BUFFER" or "BUFFER 64x48 rgba8"; the first may have blanks in it. */
static struct bw_error *parse(const char *args, struct wanted *out)
{
	char words[3][256] = {{0}};
	const char *rest = args;
	struct bw_str what = {0};
	*out = (struct wanted){0};
	while (*rest && !out->has_size) {
		char word[256];
		const char *before = rest;
		bw_take_word(&rest, word, sizeof(word));
		out->has_size = take_size(word, &out->width, &out->height);
		if (!out->has_size)
			bw_str_addf(&what, "%s%.*s", what.len ? " " : "",
				    (int)strcspn(before, " \t"), before);
	}
	snprintf(out->what, sizeof(out->what), "%s", bw_str_text(&what));
	bw_str_free(&what);
	if (!out->what[0])
		return bw_errorf(BW_E_INVALID,
				 "\"dump image\" takes FILE.png IMAGE, or FILE.png BUFFER "
				 "WIDTHxHEIGHT FORMAT");
	if (!out->has_size)
		return NULL;
	bw_take_word(&rest, words[0], sizeof(words[0]));
	out->format = bw_format_by_name(words[0]);
	if (!words[0][0])
		return bw_errorf(
			BW_E_INVALID,
			"The format of its texels is missing: rgba8, r32f and the like, as GLSL "
			"calls them, or 8_8_8_8_UNORM");
	if (!out->format)
		return bw_errorf(BW_E_INVALID,
				 "No format is called \"%s\" (rgba8, r32f and the like, as GLSL "
				 "calls them, or 8_8_8_8_UNORM)",
				 words[0]);
	return *rest ? bw_errorf(BW_E_INVALID, "Junk at the end of the command: %s", rest) : NULL;
}

static bool is_called(const char *what, const char *name, uint32_t number)
{
	uint64_t n;
	return bw_parse_u64(what, &n) ? n == number : *name && !strcmp(what, name);
}

/* The image that the dispatch has bound; out_image->kind says whether there is one. */
static struct bw_error *find_image(struct bw_cli *c, const char *what, uint32_t dispatch,
				   struct bw_bound *out_image)
{
	_cleanup_free_ struct bw_bound *list = NULL;
	size_t n = 0;
	*out_image = (struct bw_bound){.kind = BW_BOUND_POINTER};
	BW_TRY(bw_debug_bound(c->debug, dispatch, &list, &n));
	for (size_t i = 0; i < n; i++)
		if (list[i].kind == BW_BOUND_IMAGE && out_image->kind != BW_BOUND_IMAGE &&
		    is_called(what, list[i].name, list[i].buffer))
			*out_image = list[i];
	return NULL;
}

/* Finds where texels in rows begin: in a buffer, whose end is known, or at any address. */
static struct bw_error *find_rows(struct bw_cli *c, const struct wanted *w, uint64_t *out_va)
{
	const struct bw_buffer_info *all, *found = NULL;
	enum bw_space space;
	size_t n;
	BW_TRY(bw_debug_buffers(c->debug, &all, &n));
	for (size_t i = 0; i < n; i++)
		if (all[i].va && is_called(w->what, all[i].name, all[i].number))
			found = &all[i];
	if (!found) {
		BW_TRY(bw_cli_eval_address(c, w->what, &space, out_va));
		return space == BW_SPACE_GLOBAL
			       ? NULL
			       : bw_errorf(BW_E_UNSUPPORTED,
					   "Pictures are made of global memory only");
	}
	uint64_t wanted_b = (uint64_t)w->width * w->height, size_b = w->format->size_b;
	if (wanted_b > found->size_b / size_b)
		return bw_errorf(BW_E_INVALID,
				 "Buffer %u has %llu bytes: there is no room for %ux%u texels of "
				 "%llu bytes",
				 found->number, (unsigned long long)found->size_b, w->width,
				 w->height, (unsigned long long)size_b);
	*out_va = found->va;
	return NULL;
}

static struct bw_error *look_up(struct bw_cli *c, const struct wanted *w, struct bw_bound *image,
				struct bw_picture_of *out)
{
	const struct bw_dispatch_info *x = NULL;
	BW_TRY(bw_cli_pick_dispatch(c, "", &x));
	if (x)
		BW_TRY(find_image(c, w->what, x->number, image));
	*out = (struct bw_picture_of){.width = w->width, .height = w->height, .format = w->format};
	if (w->has_size)
		return find_rows(c, w, &out->va);
	if (image->kind != BW_BOUND_IMAGE)
		return bw_errorf(
			BW_E_NOT_FOUND,
			"The dispatch has no image \"%s\" bound (\"info descriptors\" lists "
			"them); of other memory, say WIDTHxHEIGHT FORMAT",
			w->what);
	out->image = image;
	out->format = bw_format_image(image->format);
	return NULL;
}

struct bw_error *bw_cli_dump_image(struct bw_cli *c, const char *path, const char *args)
{
	struct wanted w;
	struct bw_bound image = {.kind = BW_BOUND_POINTER};
	struct bw_picture_of of;
	struct bw_picture p;
	BW_TRY(parse(args, &w));
	BW_TRY(look_up(c, &w, &image, &of));
	BW_TRY(bw_debug_picture(c->debug, &of, &p));
	struct bw_error *err = bw_png_write(path, &p);
	if (!err) {
		const char *format = of.format ? of.format->name : "?";
		bw_out_line(c->out, "%ux%u texels of %s written to %s.", p.width, p.height, format,
			    path);
		if (p.n_clamped)
			bw_out_line(c->out,
				    "%llu of them have values that a picture cannot hold (below 0, "
				    "above the largest, or no number); the nearest is shown.",
				    (unsigned long long)p.n_clamped);
		bw_out_int(c->out, "width", p.width);
		bw_out_int(c->out, "height", p.height);
		bw_out_str(c->out, "format", format);
		bw_out_int(c->out, "clamped", (int64_t)p.n_clamped);
	}
	bw_picture_fini(&p);
	return err;
}
