/* SPDX-License-Identifier: MIT */
#include "image/png_file.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

static void keep_message(png_structp png, png_const_charp message)
{
	char *out = png_get_error_ptr(png);
	snprintf(out, 128, "%s", message);
	png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
}

/* False: the reason is in the error pointer's text. After a longjmp nothing here is read that was
 * changed after setjmp. */
static bool write_rows(png_structp png, png_infop info, FILE *f, const struct bw_picture *p)
{
	static const uint8_t colors[] = {[1] = PNG_COLOR_TYPE_GRAY,
					 [3] = PNG_COLOR_TYPE_RGB,
					 [4] = PNG_COLOR_TYPE_RGB_ALPHA};
	size_t row_b = (size_t)p->width * p->channels * (p->bits / 8);
	if (setjmp(png_jmpbuf(png)))
		return false;
	png_init_io(png, f);
	/* images of a GPU may be wider than libpng's default limit */
	png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
	png_set_IHDR(png, info, p->width, p->height, (int)p->bits, colors[p->channels],
		     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	for (uint32_t y = 0; y < p->height; y++)
		png_write_row(png, p->samples + y * row_b);
	png_write_end(png, info);
	return true;
}

static struct bw_error *write_to(FILE *f, const char *path, const struct bw_picture *p)
{
	char message[128] = "out of memory";
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, keep_message,
						  ignore_warning);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	errno = 0;
	bool done = info && write_rows(png, info, f, p) && !fflush(f);
	int why = errno;
	png_destroy_write_struct(&png, &info);
	if (done)
		return NULL;
	return bw_errorf(BW_E_SYSTEM, "cannot write %s: %s", path, why ? strerror(why) : message);
}

struct bw_error *bw_png_encode(const struct bw_picture *p, struct bw_str *out)
{
	char *bytes = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&bytes, &n);
	if (!f)
		return bw_error_nomem();
	struct bw_error *err = write_to(f, "a picture", p);
	if (fclose(f) && !err)
		err = bw_error_nomem();
	if (!err)
		bw_str_addn(out, bytes, n);
	free(bytes);
	return err ? err : out->failed ? bw_error_nomem() : NULL;
}

struct bw_error *bw_png_write(const char *path, const struct bw_picture *p)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		return bw_error_errno(errno, "cannot write %s", path);
	struct bw_error *err = write_to(f, path, p);
	if (fclose(f) && !err)
		err = bw_error_errno(errno, "cannot write %s", path);
	if (err)
		bw_file_remove_half(path);
	return err;
}

/* ---- Reading ---- */

/* State that must survive a longjmp. */
struct reading {
	png_structp png;
	png_infop info;
	struct bw_picture picture;
	png_bytep *rows; /* owned */
};

/* Everything as RGBA of 8 or 16 bits. */
static void ask_for_rgba(struct reading *r)
{
	png_uint_32 width, height;
	int bits, color;
	png_get_IHDR(r->png, r->info, &width, &height, &bits, &color, NULL, NULL, NULL);
	png_set_expand(r->png);
	png_set_gray_to_rgb(r->png);
	png_set_add_alpha(r->png, bits == 16 ? 0xffff : 0xff, PNG_FILLER_AFTER);
	png_set_interlace_handling(r->png);
	png_read_update_info(r->png, r->info);
	r->picture = (struct bw_picture){
		.width = width, .height = height, .channels = 4, .bits = bits == 16 ? 16 : 8};
}

/* False: the reason is in the error pointer's text. */
static bool read_rows(struct reading *r, FILE *f)
{
	if (setjmp(png_jmpbuf(r->png)))
		return false;
	png_init_io(r->png, f);
	png_set_user_limits(r->png, BW_PNG_SIDE, BW_PNG_SIDE);
	png_read_info(r->png, r->info);
	ask_for_rgba(r);
	size_t row_b = png_get_rowbytes(r->png, r->info);
	if (row_b != (size_t)r->picture.width * 4 * (r->picture.bits / 8))
		png_error(r->png, "its rows have an unexpected size");
	r->picture.samples = calloc(r->picture.height, row_b);
	r->rows = calloc(r->picture.height, sizeof(*r->rows));
	if (!r->picture.samples || !r->rows)
		png_error(r->png, "out of memory");
	for (uint32_t y = 0; y < r->picture.height; y++)
		r->rows[y] = r->picture.samples + y * row_b;
	png_read_image(r->png, r->rows);
	png_read_end(r->png, NULL);
	return true;
}

struct bw_error *bw_png_read(const char *path, struct bw_picture *out)
{
	char message[128] = "out of memory";
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	if (!f)
		return bw_error_errno(errno, "cannot read %s", path);
	struct reading *r = calloc(1, sizeof(*r));
	if (!r)
		return bw_error_nomem();
	r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, keep_message,
					ignore_warning);
	r->info = r->png ? png_create_info_struct(r->png) : NULL;
	bool done = r->info && read_rows(r, f);
	png_destroy_read_struct(&r->png, &r->info, NULL);
	free(r->rows);
	if (done)
		*out = r->picture;
	else
		bw_picture_fini(&r->picture);
	free(r);
	return done ? NULL : bw_errorf(BW_E_INVALID, "cannot read %s: %s", path, message);
}
