/* SPDX-License-Identifier: MIT */
/* breakwater mem dump, find and compare: whole ranges of memory, with the holes in them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/util.h"
#include "base/vec.h"
#include "cli/mem.h"

enum { CHUNK_B = 64 * 1024 };

/* ---- holes ---- */

/* Says that [address, address + size_b) is left out. */
static void show_hole(struct bw_mem *c, struct bw_look_memory *m, uint64_t address, uint64_t size_b,
		      json_t *list)
{
	struct bw_str why = {0}, place = {0};
	bw_look_memory_hole(m, address, &why);
	bw_mem_address(m, address, &place);
	bw_out_line(c->look.out, "%s: %" PRIu64 " bytes are left out: %s.", bw_str_text(&place),
		    size_b, bw_str_text(&why));
	json_array_append_new(list, json_pack("{s:o, s:I, s:o}", "address",
					      json_sprintf("0x%" PRIx64, address), "bytes",
					      (json_int_t)size_b, "reason",
					      bw_json_text(bw_str_text(&why))));
	bw_str_free(&why);
	bw_str_free(&place);
}

/* How far a hole reaches, at most size_b. Holes that follow each other are one. */
static uint64_t hole_size(struct bw_look_memory *m, uint64_t address, uint64_t size_b)
{
	uint64_t n = 0;
	uint8_t byte;
	do {
		struct bw_str why = {0};
		uint64_t next = bw_look_memory_hole(m, address + n, &why);
		bw_str_free(&why);
		n = next > size_b - n ? size_b : n + next;
	} while (n < size_b && !bw_look_ended && !bw_look_memory_read(m, address + n, &byte, 1));
	return n;
}

/* ---- dump ---- */

static void dump_line(struct bw_mem *c, struct bw_look_memory *m, uint64_t address,
		      const uint8_t *bytes, size_t n)
{
	struct bw_str s = {0};
	size_t start;
	bw_mem_address(m, address, &s);
	bw_str_add(&s, ":");
	start = s.len;
	for (size_t i = 0; i < n; i++)
		bw_str_addf(&s, "%s%02x", i == 8 ? "  " : " ", bytes[i]);
	bw_str_pad(&s, start + 16 * 3 + 3);
	bw_str_add(&s, "|");
	for (size_t i = 0; i < n; i++)
		bw_str_addf(&s, "%c", bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '.');
	bw_out_line(c->look.out, "%s|", bw_str_text(&s));
	bw_str_free(&s);
}

static struct bw_error *dump_text(struct bw_mem *c, struct bw_look_memory *m, uint64_t address,
				  uint64_t size_b)
{
	enum { MOST_B = 16 << 20 };
	uint8_t bytes[16], last[16] = {0};
	bool has_last = false, is_folded = false;
	json_t *holes = json_array();
	struct bw_str hex = {0};
	if (size_b > MOST_B)
		return bw_errorf(BW_E_INVALID, "more than %d MiB want a FILE", MOST_B >> 20);
	bw_out_begin(c->look.out, "command", "mem dump");
	bw_mem_facts(&c->look, m, address);
	bw_out_int(c->look.out, "bytes", (int64_t)size_b);
	for (uint64_t at = 0, n; at < size_b && !bw_look_ended; at += n) {
		size_t want = (size_t)BW_MIN((uint64_t)sizeof(bytes), size_b - at);
		n = bw_look_memory_read(m, address + at, bytes, want);
		if (!n) {
			n = hole_size(m, address + at, size_b - at);
			show_hole(c, m, address + at, n, holes);
			has_last = is_folded = false;
			continue;
		}
		/* equal lines are one, as in hexdump; the last line is always there */
		bool is_same = has_last && n == sizeof(bytes) &&
			       !memcmp(bytes, last, sizeof(last)) && at + n < size_b;
		if (is_same && !is_folded)
			bw_out_line(c->look.out, "%s", "*");
		if (!is_same)
			dump_line(c, m, address + at, bytes, n);
		is_folded = is_same;
		has_last = n == sizeof(bytes);
		memcpy(last, bytes, sizeof(last));
		for (size_t i = 0; c->look.json && i < n; i++)
			bw_str_addf(&hex, "%02x", bytes[i]);
	}
	bw_out_str(c->look.out, "hex", bw_str_text(&hex));
	bw_out_json(c->look.out, "holes", holes);
	bw_out_end(c->look.out);
	bw_str_free(&hex);
	return bw_look_ended ? bw_errorf(BW_E_INTERRUPTED, "interrupted") : NULL;
}

/* Up to the first hole, which is an error: the file has what is before it. */
static struct bw_error *dump_file(struct bw_mem *c, struct bw_look_memory *m, uint64_t address,
				  uint64_t size_b, const char *path)
{
	_cleanup_free_ uint8_t *bytes = malloc(CHUNK_B);
	bool is_stdout = !strcmp(path, "-");
	FILE *f = is_stdout ? stdout : fopen(path, "we");
	struct bw_error *err = NULL;
	uint64_t at = 0;
	bool is_half = false; /* the disk is full, or the like */
	if (!f)
		return bw_error_errno(errno, "cannot open %s", path);
	while (bytes && at < size_b && !err) {
		size_t want = (size_t)BW_MIN((uint64_t)CHUNK_B, size_b - at);
		size_t n = bw_look_memory_read(m, address + at, bytes, want);
		if (fwrite(bytes, 1, n, f) != n)
			err = bw_error_errno(errno, "cannot write %s", path);
		is_half = err != NULL;
		at += n;
		if (!err && n < want)
			err = bw_error_wrap(bw_mem_stopped(m, address + at),
					    "%" PRIu64 " of %" PRIu64 " bytes were written to %s",
					    at, size_b, path);
	}
	if (!bytes)
		err = bw_error_nomem();
	if (!is_stdout && fclose(f) && !err) {
		err = bw_error_errno(errno, "cannot write %s", path);
		is_half = true;
	}
	if (is_half && !is_stdout)
		bw_file_remove_half(path);
	if (err || is_stdout)
		return err;
	bw_out_begin(c->look.out, "command", "mem dump");
	bw_mem_facts(&c->look, m, address);
	bw_out_int(c->look.out, "bytes", (int64_t)size_b);
	bw_out_str(c->look.out, "file", path);
	bw_out_line(c->look.out, "%" PRIu64 " bytes written to %s.", size_b, path);
	bw_out_end(c->look.out);
	return NULL;
}

struct bw_error *bw_mem_dump(struct bw_mem *c, struct bw_look_memory *m, uint64_t address)
{
	uint64_t size_b;
	if (!c->n_values || c->n_values > 2)
		return bw_errorf(BW_E_INVALID, "dump wants PLACE, SIZE and perhaps a FILE");
	BW_TRY(bw_mem_size(c->values[0], &size_b));
	if (c->n_values == 2 && c->look.json && !strcmp(c->values[1], "-"))
		return bw_errorf(BW_E_INVALID, "with --json the bytes need a FILE");
	return c->n_values == 2 ? dump_file(c, m, address, size_b, c->values[1])
				: dump_text(c, m, address, size_b);
}

/* ---- find ---- */

enum { MAX_FOUND = 10000 };

struct search {
	struct bw_mem *c;
	struct bw_look_memory *m;
	const uint8_t *what;
	size_t n;
	json_t *found, *holes;
};

/* Finds the bytes in a buffer whose first byte is at `address`. */
static void find_in(struct search *s, uint64_t address, const struct bw_str *buffer)
{
	const char *at = buffer->data, *end = buffer->data + buffer->len;
	while (at && (at = memmem(at, (size_t)(end - at), s->what, s->n)) &&
	       json_array_size(s->found) < MAX_FOUND) {
		struct bw_str place = {0};
		uint64_t where = address + (uint64_t)(at - buffer->data);
		bw_mem_address(s->m, where, &place);
		bw_out_line(s->c->look.out, "%s", bw_str_text(&place));
		json_array_append_new(s->found, json_sprintf("0x%" PRIx64, where));
		bw_str_free(&place);
		at++;
	}
}

static struct bw_error *find_all(struct search *s, uint64_t address, uint64_t size_b)
{
	_cleanup_free_ uint8_t *bytes = malloc(CHUNK_B);
	struct bw_str buffer = {0}; /* with the end of the last one, in which a match may begin */
	uint64_t at = 0;
	if (!bytes)
		return bw_error_nomem();
	while (at < size_b && !bw_look_ended && json_array_size(s->found) < MAX_FOUND) {
		size_t want = (size_t)BW_MIN((uint64_t)CHUNK_B, size_b - at);
		size_t got = bw_look_memory_read(s->m, address + at, bytes, want);
		uint64_t first = address + at - buffer.len;
		bw_str_addn(&buffer, (const char *)bytes, got);
		at += got;
		if (buffer.failed)
			break;
		find_in(s, first, &buffer);
		/* less than a match, so that none is found twice */
		bw_vec_remove_n(&buffer, 0, buffer.len - BW_MIN(s->n - 1, buffer.len));
		if (got == want || bw_look_ended)
			continue;
		uint64_t hole = hole_size(s->m, address + at, size_b - at);
		show_hole(s->c, s->m, address + at, hole, s->holes);
		at += hole;
		buffer.len = 0;
	}
	struct bw_error *err = buffer.failed   ? bw_error_nomem()
			       : bw_look_ended ? bw_errorf(BW_E_INTERRUPTED, "interrupted")
					       : NULL;
	bw_str_free(&buffer);
	return err;
}

struct bw_error *bw_mem_find(struct bw_mem *c, struct bw_look_memory *m, uint64_t address)
{
	struct search s = {.c = c, .m = m};
	_cleanup_free_ uint8_t *what = NULL;
	uint64_t size_b;
	if (!c->n_values)
		return bw_errorf(BW_E_INVALID, "find wants PLACE, SIZE and VALUE (see --help)");
	BW_TRY(bw_mem_size(c->values[0], &size_b));
	c->values++;
	c->n_values--;
	BW_TRY(bw_mem_bytes(c, &what, &s.n));
	s.what = what;
	s.found = json_array();
	s.holes = json_array();
	bw_out_begin(c->look.out, "command", "mem find");
	bw_mem_facts(&c->look, m, address);
	bw_out_int(c->look.out, "bytes", (int64_t)size_b);
	struct bw_error *err = find_all(&s, address, size_b);
	size_t n = json_array_size(s.found);
	bw_out_json(c->look.out, "found", s.found);
	bw_out_json(c->look.out, "holes", s.holes);
	if (err) {
		bw_out_drop(c->look.out);
		return err;
	}
	bw_out_line(c->look.out, "%zu %s found%s.", n, n == 1 ? "place" : "places",
		    n == MAX_FOUND ? ", and perhaps more" : "");
	bw_out_end(c->look.out);
	c->look.status = !n;
	return NULL;
}

/* ---- compare ---- */

/* The other side of a comparison: memory, or a file. */
struct other {
	struct bw_look_memory memory;
	uint64_t address;
	FILE *file; /* NULL: memory */
};

static size_t read_other(struct other *o, uint64_t at, void *out, size_t n)
{
	return o->file ? fread(out, 1, n, o->file)
		       : bw_look_memory_read(&o->memory, o->address + at, out, n);
}

struct run {
	bool is_open;
	uint64_t at;
	size_t n, n_kept;
	uint8_t a[16], b[16];
};

enum { MAX_RUNS = 1000 };

static void close_run(struct bw_mem *c, struct bw_look_memory *m, uint64_t address, struct run *r,
		      json_t *list)
{
	struct bw_str s = {0}, a = {0}, b = {0};
	if (!r->is_open)
		return;
	r->is_open = false;
	for (size_t i = 0; i < r->n_kept; i++) {
		bw_str_addf(&a, "%s%02x", i ? " " : "", r->a[i]);
		bw_str_addf(&b, "%s%02x", i ? " " : "", r->b[i]);
	}
	bw_mem_address(m, address + r->at, &s);
	const char *more = r->n > r->n_kept ? " ..." : "";
	if (json_array_size(list) < MAX_RUNS)
		bw_out_line(c->look.out, "%s: %zu %s: %s%s | %s%s", bw_str_text(&s), r->n,
			    r->n == 1 ? "byte differs" : "bytes differ", bw_str_text(&a), more,
			    bw_str_text(&b), more);
	json_array_append_new(list, json_pack("{s:o, s:I, s:s, s:s}", "address",
					      json_sprintf("0x%" PRIx64, address + r->at), "bytes",
					      (json_int_t)r->n, "is", bw_str_text(&a), "other",
					      bw_str_text(&b)));
	bw_str_free(&s);
	bw_str_free(&a);
	bw_str_free(&b);
}

static struct bw_error *compare_all(struct bw_mem *c, struct bw_look_memory *m, uint64_t address,
				    uint64_t size_b, struct other *o)
{
	_cleanup_free_ uint8_t *a = malloc(CHUNK_B), *b = malloc(CHUNK_B);
	struct run r = {0};
	uint64_t at = 0, n_different = 0;
	struct bw_error *err = NULL;
	if (!a || !b)
		return bw_error_nomem();
	json_t *list = json_array();
	bw_out_begin(c->look.out, "command", "mem compare");
	bw_mem_facts(&c->look, m, address);
	bw_out_int(c->look.out, "bytes", (int64_t)size_b);
	while (at < size_b && !err && json_array_size(list) <= MAX_RUNS) {
		size_t want = (size_t)BW_MIN((uint64_t)CHUNK_B, size_b - at);
		size_t n = bw_look_memory_read(m, address + at, a, want),
		       n_b = read_other(o, at, b, want), both = BW_MIN(n, n_b);
		for (size_t i = 0; i < both; i++) {
			if (a[i] == b[i]) {
				close_run(c, m, address, &r, list);
				continue;
			}
			n_different++;
			if (!r.is_open)
				r = (struct run){.is_open = true, .at = at + i};
			if (r.n_kept < sizeof(r.a)) {
				r.a[r.n_kept] = a[i];
				r.b[r.n_kept++] = b[i];
			}
			r.n++;
		}
		at += both;
		if (n < want && n <= n_b)
			err = bw_mem_stopped(m, address + at);
		else if (n_b < want && o->file)
			err = bw_errorf(BW_E_NOT_FOUND, "the file ends at byte %" PRIu64, at);
		else if (n_b < want)
			err = bw_mem_stopped(&o->memory, o->address + at);
	}
	close_run(c, m, address, &r, list);
	size_t n_runs = json_array_size(list);
	if (n_runs > MAX_RUNS)
		bw_out_line(c->look.out, "%s", "There are more differences, which are left out.");
	else if (!err && !n_different)
		bw_out_line(c->look.out, "%" PRIu64 " bytes are the same.", size_b);
	else if (!err)
		bw_out_line(c->look.out, "%" PRIu64 " of %" PRIu64 " bytes differ.", n_different,
			    size_b);
	bw_out_int(c->look.out, "compared", (int64_t)at);
	bw_out_json(c->look.out, "differences", list);
	bw_out_end(c->look.out);
	c->look.status = n_different != 0;
	return bw_error_wrap(err, "compared %" PRIu64 " of %" PRIu64 " bytes", at, size_b);
}

struct bw_error *bw_mem_compare(struct bw_mem *c, struct bw_look_memory *m, uint64_t address)
{
	struct other o = {0};
	struct bw_error *err = NULL;
	uint64_t size_b;
	if (c->n_values != 2)
		return bw_errorf(BW_E_INVALID, "compare wants PLACE, SIZE and PLACE or FILE");
	BW_TRY(bw_mem_size(c->values[0], &size_b));
	const char *what = c->values[1];
	bool is_file = what[0] == '/' || what[0] == '.' || !strchr(what, '@');
	if (is_file && !(o.file = fopen(what, "re")))
		return bw_error_errno(errno, "cannot open %s", what);
	if (!is_file)
		err = bw_look_memory_open(&c->look, what, &o.memory, &o.address);
	if (!err)
		err = compare_all(c, m, address, size_b, &o);
	if (o.file)
		fclose(o.file);
	else
		bw_look_memory_close(&o.memory);
	return err;
}
