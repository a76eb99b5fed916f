/* SPDX-License-Identifier: MIT */
/* Lines of a shader, from the table that RADV has in memory (doc/hardware/mesa.md 5). */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "sym/lines_priv.h"

/* The first record of Mesa 25.0 says that it counts offsets from the dword before the code. */
static bool counts_from_before(const struct bw_shader_code *c)
{
	for (size_t i = 0; i < c->n_lines; i++)
		if (c->lines[i].offset_b == BW_SHADER_LINE_BEFORE)
			return true;
	return false;
}

/* RADV of Mesa 25.0 and 26.1 have been seen to place a line 4 bytes into a buffer_load or ds_store
 * of that line. */
static uint32_t at_start(const struct bw_shader_code *c, uint32_t at)
{
	while (at && c->starts && !c->starts[at / 4])
		at -= 4;
	return at;
}

static int by_place(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static struct bw_error *add_rows(struct bw_lines *l, const struct bw_shader_code *c)
{
	/* Mesa 25.0 counts lines of NIR, and points to a name that it may have freed since */
	bool is_older = counts_from_before(c);
	uint32_t more = is_older ? 4 : 0, file = 0;
	const char *last = NULL;
	for (size_t i = 0; i < c->n_lines; i++) {
		const struct bw_shader_line *in = &c->lines[i];
		uint32_t at = in->offset_b + more;
		bool of_nir = in->file && (!*in->file || is_older);
		const char *name = of_nir ? c->nir_name : in->file;
		if (of_nir && !c->nir)
			name = NULL;
		if (at % 4 || at >= c->code_b)
			continue;
		if (name && name != last)
			BW_TRY(bw_lines_file_index(l, name, "", &file));
		last = name ? name : last;
		struct row row = {.start = at_start(c, at),
				  .line = name ? in->line : 0,
				  .column = name ? in->column : 0,
				  .file = file,
				  .order = (uint32_t)i,
				  .is_stmt = name && in->line};
		BW_TRY(bw_vec_push(&l->rows, row));
	}
	return NULL;
}

/* The code between two marks belongs to the line of the first one, that of a block in front of its
 * first mark to that one's line. A line begins where its mark is stored. */
static struct bw_error *add_marked_rows(struct bw_lines *l, const struct bw_shader_code *c)
{
	bool is_first = true;
	for (size_t i = 0; i < c->n_marks; i++) {
		const struct bw_shader_mark *m = &c->marks[i];
		struct bw_spirv_line line;
		struct row row = {.start = m->offset_b, .order = (uint32_t)i, .mark = m->mark};
		if (bw_spirv_marked_line(l->spirv, m->mark, &line)) {
			BW_TRY(bw_lines_file_index(l, line.file, "", &row.file));
			row.line = line.line;
			row.is_stmt = m->begins_line && !line.goes_on;
			row.prologue_end = row.is_stmt && is_first;
			is_first &= !row.is_stmt;
		}
		BW_TRY(bw_vec_push(&l->rows, row));
	}
	for (size_t i = 0; i < l->rows.len; i++)
		l->rows.data[i].end = i + 1 < l->rows.len ? l->rows.data[i + 1].start : c->code_b;
	return NULL;
}

/* Keeps the last one of several records at one place. */
static void finish_rows(struct bw_lines *l, size_t code_b)
{
	size_t n = 0;
	if (l->rows.len)
		qsort(l->rows.data, l->rows.len, sizeof(struct row), by_place);
	for (size_t i = 0; i < l->rows.len; i++) {
		struct row r = l->rows.data[i];
		if (i + 1 < l->rows.len && l->rows.data[i + 1].start == r.start)
			continue;
		if (n && r.line && l->rows.data[n - 1].line == r.line &&
		    l->rows.data[n - 1].file == r.file)
			continue;
		l->rows.data[n++] = r;
	}
	l->rows.len = n;
	for (size_t i = 0; i < n; i++)
		l->rows.data[i].end = i + 1 < n ? l->rows.data[i + 1].start : code_b;
}

static struct bw_error *add_texts(struct bw_lines *l, const struct bw_shader_code *c)
{
	for (size_t i = 0; i < l->files.len; i++) {
		const char *file = l->files.data[i],
			   *text = l->spirv ? bw_spirv_source_text(l->spirv, file) : NULL;
		if (l->origin == BW_LINES_NIR && c->nir && !strcmp(file, c->nir_name))
			text = c->nir;
		if (!text)
			continue;
		struct given_text given = {file, strdup(text)};
		struct bw_error *err =
			given.text ? bw_vec_push(&l->given, given) : bw_error_nomem();
		if (err) {
			free(given.text);
			return err;
		}
	}
	return NULL;
}

/* The files of the source are known by its SPIR-V, whatever the driver has lines of. */
static struct bw_error *add_files(struct bw_lines *l)
{
	uint32_t unused;
	const char *file;
	for (size_t i = 0; l->spirv && (file = bw_spirv_file_at(l->spirv, i)); i++)
		BW_TRY(bw_lines_file_index(l, file, "", &unused));
	return NULL;
}

/* "shared_size: 308" in what stands before the variables; nothing is said of none. */
static uint64_t shared_size(const char *nir)
{
	static const char key[] = "\nshared_size: ";
	const char *end = strstr(nir, "\ndecl_"), *at = strstr(nir, key);
	return at && (!end || at < end) ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static enum bw_lines_origin find_origin(const struct bw_lines *l, const struct bw_shader_code *c)
{
	enum bw_lines_origin origin = BW_LINES_NONE;
	bw_vec_each(&l->rows, r)
		if (r->line)
			origin = c->nir && !strcmp(l->files.data[r->file], c->nir_name)
					 ? BW_LINES_NIR
					 : BW_LINES_SOURCE;
	return origin != BW_LINES_NONE && c->n_marks && l->spirv ? BW_LINES_MARKED : origin;
}

static struct bw_error *fill(struct bw_lines *l, const struct bw_shader_code *c)
{
	if (c->n_marks && l->spirv) {
		BW_TRY(add_marked_rows(l, c));
	} else {
		BW_TRY(add_rows(l, c));
		finish_rows(l, c->code_b);
	}
	l->origin = find_origin(l, c);
	if (l->origin == BW_LINES_NONE)
		l->rows.len = 0;
	BW_TRY(add_files(l));
	BW_TRY(add_texts(l, c));
	if (l->spirv && c->nir)
		bw_spirv_shared_size(l->spirv, shared_size(c->nir));
	BW_TRY(bw_lines_add_shader_functions(l, c));
	return bw_vec_push(&l->units, ((struct unit_range){0, c->code_b, false}));
}

struct bw_error *bw_lines_of_shader(const struct bw_shader_code *code, struct bw_lines **out)
{
	struct bw_lines *l = calloc(1, sizeof(*l));
	if (!l) {
		bw_spirv_close(code->spirv);
		return bw_error_nomem();
	}
	l->spirv = code->spirv;
	l->begun_b = code->begun_b;
	struct bw_error *err = fill(l, code);
	if (err)
		bw_lines_close(l);
	else
		*out = l;
	return err;
}

enum bw_lines_origin bw_lines_origin(const struct bw_lines *l)
{
	return l->origin;
}

bool bw_lines_before_record(const struct bw_lines *l, uint64_t addr)
{
	return l->begun_b && addr <= l->begun_b;
}

bool bw_lines_is_second(const struct bw_lines *l)
{
	return l->spirv && bw_spirv_first_mark(l->spirv) == BW_SPIRV_RECORD_SECOND;
}

const char *bw_lines_shader_file(const struct bw_lines *l)
{
	return l->spirv ? bw_spirv_file(l->spirv) : NULL;
}
