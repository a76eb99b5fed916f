/* SPDX-License-Identifier: MIT */
#include "cli/png.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
 * changed behind setjmp. */
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

struct bw_error *bw_png_write(const char *path, const struct bw_picture *p)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		return bw_error_errno(errno, "cannot write %s", path);
	struct bw_error *err = write_to(f, path, p);
	if (fclose(f) && !err)
		err = bw_error_errno(errno, "cannot write %s", path);
	if (err)
		unlink(path);
	return err;
}
