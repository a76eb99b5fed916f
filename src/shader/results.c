/* SPDX-License-Identifier: MIT */
#include "shader/results.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/str.h"

/* The count of numbers in a view. */
static uint64_t count_of(const struct bw_shader_plan *p, const struct bw_shader_view *v)
{
	return v->is_image ? bw_shader_texels_count(&p->texels[v->image])
			   : bw_shader_view_count(v, p->bytes[v->block].size_b);
}

static void add_number(struct bw_str *out, const struct bw_shader_plan *p,
		       const struct bw_shader_view *v, uint64_t i)
{
	if (v->is_image) {
		uint32_t number = bw_shader_texels_number(&p->texels[v->image], i);
		bw_arg_value_print(out, v->type, &number);
	} else {
		bw_arg_value_print(out, v->type,
				   p->bytes[v->block].data + bw_shader_view_offset(v, i));
	}
}

void bw_shader_print_views(const struct bw_shader_plan *p)
{
	bw_vec_each(&p->prints, v) {
		uint64_t n = count_of(p, v);
		struct bw_str line = {0};
		if (p->prints.len > 1)
			bw_str_addf(&line, "%s: ", v->name);
		for (uint64_t i = 0; i < n && (!v->count || i < v->count); i++) {
			bw_str_add(&line, i ? " " : "");
			add_number(&line, p, v, i);
		}
		printf("%s\n", bw_str_text(&line));
		bw_str_free(&line);
	}
}

static struct bw_error *write_block(const struct bw_shader_plan *p, const struct bw_shader_view *v)
{
	const struct bw_shader_bytes *b = &p->bytes[v->block];
	uint64_t n = bw_shader_view_count(v, b->size_b), written = 0;
	unsigned size_b = bw_scalar_size(v->type);
	_cleanup_fclose_ FILE *f = fopen(v->path, "wbe");
	for (; f && written < n; written++)
		if (fwrite(b->data + bw_shader_view_offset(v, written), size_b, 1, f) != 1)
			break;
	if (f && written == n && !fflush(f))
		return NULL;
	if (f)
		bw_file_remove_half(v->path);
	return bw_error_errno(errno, "cannot write %s", v->path);
}

static struct bw_error *write_texels(const struct bw_shader_texels *t, const char *path)
{
	size_t n = strlen(path);
	uint64_t clamped = 0;
	if (n > 4 && !strcasecmp(path + n - 4, ".png")) {
		BW_TRY(bw_shader_texels_write_png(t, path, &clamped));
		if (clamped)
			fprintf(stderr,
				"%s: %llu texels have values that a picture cannot hold (below 0, "
				"above the largest, or no number); it has the nearest\n",
				path, (unsigned long long)clamped);
		return NULL;
	}
	return bw_file_write(path, "wbe", t->data, t->size_b);
}

struct bw_error *bw_shader_write_views(const struct bw_shader_plan *p)
{
	bw_vec_each(&p->dumps, v) {
		if (v->is_image)
			BW_TRY(write_texels(&p->texels[v->image], v->path));
		else
			BW_TRY(write_block(p, v));
	}
	return NULL;
}
