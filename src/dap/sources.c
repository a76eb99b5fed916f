/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "debug/code.h"
#include "debug/source.h"
#include "ui/table.h"

/* Sources and code objects. */

int64_t bw_dap_source_reference(struct bw_dap *s, const char *file)
{
	for (size_t i = 0; i < s->sources.len; i++)
		if (!strcmp(s->sources.data[i], file))
			return (int64_t)i + 1;
	char *copy = strdup(file);
	struct bw_error *err = copy ? bw_vec_push(&s->sources, copy) : bw_error_nomem();
	if (!err)
		return (int64_t)s->sources.len;
	bw_error_free(err);
	free(copy);
	return 0;
}

void bw_dap_free_sources(struct bw_dap *s)
{
	bw_vec_each(&s->sources, name)
		free(*name);
	bw_vec_free(&s->sources);
}

struct bw_error *bw_dap_source_text(struct bw_dap *s, json_t *args, json_t *body)
{
	enum { LINES_MAX = 1 << 20 };
	int64_t number = 0;
	const char *line;
	struct bw_str text = {0};
	json_t *source = json_object_get(args, "source");
	BW_TRY(bw_dap_take_int(args, "sourceReference", &number));
	if (!number)
		BW_TRY(bw_dap_take_int(source, "sourceReference", &number));
	const char *file = NULL;
	if (number > 0 && (uint64_t)number <= s->sources.len)
		file = s->sources.data[number - 1];
	else if (number)
		return bw_errorf(BW_E_NOT_FOUND, "There is no source %lld", (long long)number);
	else
		BW_TRY(bw_dap_need_text(source, "path", &file));
	for (unsigned i = 1; i <= LINES_MAX && (line = bw_debug_source_line(s->debug, file, i));
	     i++) {
		bw_str_add(&text, line);
		bw_str_add(&text, "\n");
	}
	struct bw_error *err =
		text.len ? NULL : bw_errorf(BW_E_NOT_FOUND, "The text of %s is not known", file);
	json_object_set_new(body, "content", bw_dap_text(&text));
	bw_str_free(&text);
	return err;
}

struct bw_error *bw_dap_loaded_sources(struct bw_dap *s, json_t *args, json_t *body)
{
	json_t *list = json_array();
	const char *object;
	const char *const *files;
	size_t n;
	json_object_set_new(body, "sources", list);
	for (size_t i = 0; bw_debug_source_files(s->debug, i, &object, &files, &n); i++)
		for (size_t k = 0; k < n; k++)
			json_array_append_new(list, bw_dap_source(s, files[k]));
	return NULL;
}

struct bw_error *bw_dap_modules(struct bw_dap *s, json_t *args, json_t *body)
{
	uint64_t start = 0, count = 0;
	struct bw_load_info load;
	json_t *list = json_array();
	size_t i = 0;
	json_object_set_new(body, "modules", list);
	BW_TRY(bw_dap_take_count(args, "startModule", INT32_MAX, &start));
	BW_TRY(bw_dap_take_count(args, "moduleCount", INT32_MAX, &count));
	for (; bw_debug_load(s->debug, i, &load); i++) {
		if (i < start || (count && i - start >= count))
			continue;
		json_t *m = json_object();
		json_object_set_new(m, "id", json_integer((json_int_t)i + 1));
		json_object_set_new(m, "name", bw_json_text(bw_base_name(load.name)));
		if (load.name[0] == '/')
			json_object_set_new(m, "path", bw_json_text(load.name));
		json_object_set_new(m, "addressRange",
				    json_sprintf("0x%llx-0x%llx", (unsigned long long)load.va,
						 (unsigned long long)(load.va + load.size_b)));
		json_object_set_new(m, "symbolStatus",
				    json_string(load.has_lines	   ? "symbols and lines"
						: load.has_symbols ? "symbols"
								   : "none"));
		json_array_append_new(list, m);
	}
	json_object_set_new(body, "totalModules", json_integer((json_int_t)i));
	return NULL;
}
