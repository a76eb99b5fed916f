/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "base/file.h"
#include "debug/variables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

/* Memory and files: dump, append, restore. */

static struct bw_error *dump_memory(struct bw_cli *c, const char *path, const char *mode,
				    const char *args)
{
	enum { MOST = 1 << 30 };
	char start[256];
	enum bw_space space, end_space;
	uint64_t from, to;
	bw_take_word(&args, start, sizeof(start));
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"dump memory\" takes FILE START END");
	BW_TRY(bw_cli_eval_address(c, start, &space, &from));
	BW_TRY(bw_cli_eval_address(c, args, &end_space, &to));
	if (to <= from || to - from > MOST)
		return bw_errorf(BW_E_INVALID,
				 "END (0x%llx) must lie after START (0x%llx), by 1 GiB at most",
				 (unsigned long long)to, (unsigned long long)from);
	_cleanup_free_ uint8_t *data = malloc(to - from);
	if (!data)
		return bw_error_nomem();
	BW_TRY(bw_debug_read(c->debug, space, from, data, to - from));
	BW_TRY(bw_file_write(path, mode, data, to - from));
	bw_out_line(c->out, "%llu bytes of %s memory written to %s.",
		    (unsigned long long)(to - from), bw_space_name(space), path);
	bw_out_int(c->out, "bytes", (int64_t)(to - from));
	return NULL;
}

/* The bytes of a value, owned by the caller. */
static struct bw_error *bytes_of(struct bw_cli *c, struct bw_value *v, const char *text,
				 uint8_t **out, size_t *out_b)
{
	if (v->type.kind == BW_TYPE_VOID || v->type.kind == BW_TYPE_TEXT)
		return bw_errorf(BW_E_INVALID, "\"%s\" has no bytes to write", text);
	BW_TRY(bw_debug_fetch(c->debug, v));
	bool aggregate = v->type.kind == BW_TYPE_AGGREGATE;
	size_t n = v->elem ? v->n_elem : 1, size = bw_type_size(&v->type);
	if (v->is_missing || (aggregate && memchr(v->bytes->known + v->bytes_at, 0, size)))
		return bw_errorf(BW_E_NOT_FOUND, "value has been optimized out");
	uint8_t *data = calloc(n, size ? size : 1);
	if (!data)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++)
		memcpy(data + i * size,
		       aggregate ? (const void *)(v->bytes->data + v->bytes_at)
		       : v->elem ? &v->elem[i]
				 : &v->bits,
		       size);
	*out = data;
	*out_b = n * size;
	return NULL;
}

static struct bw_error *dump_value(struct bw_cli *c, const char *path, const char *mode,
				   const char *args)
{
	struct bw_value v = {0};
	_cleanup_free_ uint8_t *data = NULL;
	size_t size_b = 0;
	BW_TRY(bw_cli_eval(c, args, &v));
	struct bw_error *err = bytes_of(c, &v, args, &data, &size_b);
	if (!err)
		err = bw_file_write(path, mode, data, size_b);
	bw_value_fini(&v);
	if (err)
		return err;
	bw_out_line(c->out, "%zu bytes written to %s.", size_b, path);
	bw_out_int(c->out, "bytes", (int64_t)size_b);
	return NULL;
}

/* restore FILE [binary] ADDRESS [START END], as gdb: byte START of the file goes to ADDRESS +
 * START. */
struct bw_error *bw_cmd_restore(struct bw_cli *c, const char *args)
{
	enum { MOST = 1 << 30 };
	char path[512], word[256];
	enum bw_space space;
	uint64_t at, start = 0, end = UINT64_MAX;
	bw_take_word(&args, path, sizeof(path));
	bw_take_word(&args, word, sizeof(word));
	if (!strcmp(word, "binary"))
		bw_take_word(&args, word, sizeof(word));
	if (!path[0] || !word[0])
		return bw_errorf(BW_E_INVALID,
				 "\"restore\" takes FILE [binary] ADDRESS [START END]");
	BW_TRY(bw_cli_eval_address(c, word, &space, &at));
	if (args[0]) {
		bw_take_word(&args, word, sizeof(word));
		BW_TRY(bw_cli_eval_count(c, word, &start));
		if (args[0])
			BW_TRY(bw_cli_eval_count(c, args, &end));
	}
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		return bw_error_errno(errno, "cannot read %s", path);
	long size = ftell(f);
	end = BW_MIN(end, size < 0 ? 0 : (uint64_t)size);
	if (start >= end || end - start > MOST || fseek(f, (long)start, SEEK_SET))
		return bw_errorf(BW_E_INVALID,
				 "%s has %ld bytes: nothing to restore from %llu to %llu", path,
				 size, (unsigned long long)start, (unsigned long long)end);
	_cleanup_free_ uint8_t *data = malloc(end - start);
	if (!data)
		return bw_error_nomem();
	if (fread(data, 1, end - start, f) != end - start)
		return bw_error_errno(errno, "cannot read %s", path);
	BW_TRY(bw_debug_write(c->debug, space, at + start, data, end - start));
	bw_out_line(c->out, "Restoring binary file %s into memory (0x%llx to 0x%llx)", path,
		    (unsigned long long)(at + start), (unsigned long long)(at + end));
	bw_out_int(c->out, "bytes", (int64_t)(end - start));
	return NULL;
}

static struct bw_error *dump(struct bw_cli *c, const char *args, const char *mode)
{
	char what[32], path[512];
	bw_take_word(&args, what, sizeof(what));
	if (!strcmp(what, "binary"))
		bw_take_word(&args, what, sizeof(what));
	bw_take_word(&args, path, sizeof(path));
	if (!path[0] || !args[0])
		return bw_errorf(
			BW_E_INVALID,
			"\"dump\" takes memory FILE START END, value FILE EXPR, or image FILE "
			"IMAGE [WIDTHxHEIGHT FORMAT]");
	if (!strcmp(what, "memory"))
		return dump_memory(c, path, mode, args);
	if (!strcmp(what, "value"))
		return dump_value(c, path, mode, args);
	if (!strcmp(what, "image") && !strcmp(mode, "wb"))
		return bw_cli_dump_image(c, path, args);
	return bw_errorf(BW_E_INVALID, "\"dump\" writes memory, value or image, not \"%s\"", what);
}

struct bw_error *bw_cmd_dump(struct bw_cli *c, const char *args)
{
	return dump(c, args, "wb");
}

struct bw_error *bw_cmd_append(struct bw_cli *c, const char *args)
{
	return dump(c, args, "ab");
}
