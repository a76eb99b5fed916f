// SPDX-License-Identifier: MIT
/* Source files of the session's code. */
#include "debug/source.h"
#include "debug/code/code_priv.h"

#include <stdio.h>
#include <string.h>

struct bw_source_paths *bw_debug_source_paths(struct bw_debug *d)
{
	return &d->source_paths;
}

/* The first code object that names the file and finds it, or else one that names it. */
static struct bw_module *module_of(struct bw_debug *d, const char *file, struct bw_source_file *out)
{
	struct bw_module *named = NULL;
	struct bw_source_file f;
	bw_vec_each(&d->modules, m) {
		if (!(*m)->lines || !bw_lines_source((*m)->lines, file, &f) || (named && !f.path))
			continue;
		*out = f;
		named = *m;
		if (f.path)
			break;
	}
	return named;
}

bool bw_debug_source_info(struct bw_debug *d, const char *file, struct bw_source_info *out)
{
	struct bw_source_info info = {0};
	const struct bw_module *m = module_of(d, file, &info.file);
	if (!m)
		return false;
	info.code_object = m->name;
	info.has_unit = bw_lines_unit_of(m->lines, file, &info.unit);
	*out = info;
	return true;
}

bool bw_debug_source_files(struct bw_debug *d, size_t i, const char **out_object,
			   const char *const **out, size_t *out_n)
{
	if (i >= d->modules.len)
		return false;
	const struct bw_module *m = d->modules.data[i];
	*out_object = m->name;
	*out_n = m->lines ? bw_lines_files(m->lines, out) : 0;
	return true;
}

const char *bw_debug_source_line(struct bw_debug *d, const char *file, unsigned line)
{
	struct bw_source_file f;
	struct bw_module *m = module_of(d, file, &f);
	if (!m || !f.path)
		return NULL;
	if (f.is_newer && !*f.told) {
		*f.told = true;
		bw_debug_note(d, BW_NOTICE_WARNING, "Source file is more recent than executable");
	}
	return bw_lines_text(m->lines, file, line);
}

void bw_debug_source_missing(struct bw_debug *d, const char *file, unsigned line, char *out,
			     size_t out_b)
{
	struct bw_source_file f;
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	bool first = module_of(d, file, &f) && !f.path && !*f.told;
	if (first)
		*f.told = true;
	snprintf(out, out_b, first ? "%u\t%s: No such file or directory." : "%u\tin %s", line,
		 first ? file : name);
}
