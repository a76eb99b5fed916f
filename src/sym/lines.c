/* SPDX-License-Identifier: MIT */
#include "sym/lines_priv.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "sym/names.h"

const char *bw_lines_damage(const struct bw_lines *l)
{
	return l->damage;
}

/* "DIR/./NAME" and "DIR//NAME" are "DIR/NAME". */
static void tidy(char *path)
{
	char *out = path;
	for (const char *p = path; *p;) {
		bool at_start = p == path || p[-1] == '/';
		if (at_start && p[0] == '.' && p[1] == '/')
			p += 2;
		else if (p != path && at_start && p[0] == '/')
			p++;
		else
			*out++ = *p++;
	}
	*out = 0;
}

struct bw_error *bw_lines_file_index(struct bw_lines *l, const char *name, const char *comp_dir,
				     uint32_t *out)
{
	struct bw_str path = {0};
	if (*name != '/' && *comp_dir)
		bw_str_addf(&path, "%s/", comp_dir);
	bw_str_add(&path, name);
	_cleanup_free_ char *full = bw_str_take(&path);
	if (!full)
		return bw_error_nomem();
	tidy(full);
	for (size_t i = l->files.len; i-- > 0;) { /* mostly the same file as for the previous row */
		if (!strcmp(l->files.data[i], full)) {
			*out = (uint32_t)i;
			return NULL;
		}
	}
	BW_TRY(bw_vec_push(&l->files, (const char *)full));
	*out = (uint32_t)l->files.len - 1;
	full = NULL;
	return NULL;
}

/* The rows from `first` on are one sequence that ends at `end`. One that was discarded by the
 * linker starts at 0 or ends beyond the image: it covers no code. */
static void end_sequence(struct bw_lines *l, size_t first, uint64_t end, uint64_t image_b)
{
	size_t n = l->rows.len - first;
	struct row *rows = n ? &l->rows.data[first] : NULL;
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		rows[i].end = BW_MAX(i + 1 < n ? rows[i + 1].start : end, rows[i].start);
	if (!rows[0].start || rows[n - 1].end > image_b)
		l->rows.len = first;
}

/* Something is lost, which is told when all has been read; libdw has the reason. The first loss is
 * told: damage seldom comes alone. file: NULL: all is lost. */
static struct bw_error *damaged(struct bw_lines *l, const char *file)
{
	const char *why = dwarf_errmsg(-1);
	struct bw_str text = {0};
	if (l->damage)
		return NULL;
	bw_str_addf(&text, "%s: damaged debug information (%s): ", bw_code_object_path(l->co),
		    why ? why : "the line table cannot be read");
	if (file)
		bw_str_addf(&text, "the lines of %s are not known", file);
	else
		bw_str_add(&text, "lines and variables after the damage are not known");
	l->damage = bw_str_take(&text);
	return l->damage ? NULL : bw_error_nomem();
}

/* Rows of sequences that have not ended, and what came after the damage, are lost. */
static struct bw_error *damaged_unit(struct bw_lines *l, Dwarf_Die *unit, size_t n_good)
{
	const char *name = bw_die_name(unit);
	l->rows.len = n_good;
	return damaged(l, name ? name : "a source file");
}

static struct bw_error *read_unit(struct bw_lines *l, const struct bw_code_object *co,
				  Dwarf_Die *unit, uint32_t *sequence)
{
	Dwarf_Lines *lines;
	size_t n, image_b, first = l->rows.len;
	Dwarf_Attribute attr;
	if (!dwarf_hasattr(unit, DW_AT_stmt_list))
		return NULL;
	if (dwarf_getsrclines(unit, &lines, &n))
		return damaged_unit(l, unit, first);
	const char *comp_dir =
		bw_name_line(dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr)));
	const char *last_name = NULL;
	uint32_t file = 0;
	bw_code_object_image(co, &image_b);
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr addr;
		int number = 0, column = 0;
		bool is_stmt = false, prologue_end = false, ends = false;
		if (!line || dwarf_lineaddr(line, &addr) || dwarf_lineendsequence(line, &ends))
			return damaged_unit(l, unit, first);
		if (ends) {
			end_sequence(l, first, addr, image_b);
			first = l->rows.len;
			++*sequence;
			continue;
		}
		const char *name = bw_name_line(dwarf_linesrc(line, NULL, NULL));
		if (!name || dwarf_lineno(line, &number) || dwarf_linecol(line, &column) ||
		    dwarf_linebeginstatement(line, &is_stmt) ||
		    dwarf_lineprologueend(line, &prologue_end))
			return damaged_unit(l, unit, first);
		if (name != last_name)
			BW_TRY(bw_lines_file_index(l, name, comp_dir ? comp_dir : "", &file));
		last_name = name;
		struct row row = {
			.start = addr,
			.sequence = *sequence,
			.line = number > 0 ? (uint32_t)number : 0,
			.column = column > 0 ? (uint32_t)column : 0,
			.file = file,
			.order = (uint32_t)i,
			.is_stmt = is_stmt,
			.prologue_end = prologue_end,
		};
		BW_TRY(bw_vec_push(&l->rows, row));
	}
	l->rows.len = first; /* rows without an end of their sequence have no known extent */
	++*sequence;
	return NULL;
}

static int by_start(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	/* rows of one place keep their order: the one that has bytes is the last */
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static struct bw_error *read_units(struct bw_lines *l, const struct bw_code_object *co)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint32_t sequence = 0;
	int more;
	bool has_units = false, has_lines = false;
	while (!(more = dwarf_get_units(l->dwarf, cu, &cu, NULL, NULL, &unit, NULL))) {
		has_units = true;
		has_lines |= dwarf_hasattr(&unit, DW_AT_stmt_list);
		BW_TRY(read_unit(l, co, &unit, &sequence));
		BW_TRY(bw_lines_read_functions(l, &unit));
	}
	if (more < 0 || (has_units && !has_lines)) /* there is a section of lines */
		BW_TRY(damaged(l, NULL));
	if (l->rows.len)
		qsort(l->rows.data, l->rows.len, sizeof(struct row), by_start);
	bw_lines_finish_functions(l, co);
	return NULL;
}

static bool has_line_section(Elf *elf)
{
	size_t names;
	Elf_Scn *scn = NULL;
	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh; /* a copy: in the file it may lie at any address */
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		if (name && (!strcmp(name, ".debug_line") || !strcmp(name, ".zdebug_line")))
			return true;
	}
	return false;
}

static struct bw_error *open_dwarf(struct bw_lines *l, const struct bw_code_object *co)
{
	size_t size_b;
	const void *file = bw_code_object_file(co, &size_b);
	/* with a zero after it: libdw 0.188 looks for the end of a string after that of its
	 * section */
	l->elf_bytes = calloc(1, size_b + 1);
	if (!l->elf_bytes)
		return bw_error_nomem();
	memcpy(l->elf_bytes, file, size_b);
	l->dies_left = size_b;		 /* each takes a byte at least */
	l->types.dies_left = 4 * size_b; /* one is a member, a type, and has a name */
	l->scopes.dies_left = 4 * size_b;
	elf_version(EV_CURRENT);
	l->elf = elf_memory(l->elf_bytes, size_b);
	if (!l->elf)
		return bw_errorf(BW_E_INVALID, "%s: damaged code object: %s",
				 bw_code_object_path(co), elf_errmsg(-1));
	if (!has_line_section(l->elf))
		return NULL;
	l->dwarf = dwarf_begin_elf(l->elf, DWARF_C_READ, NULL);
	return l->dwarf ? read_units(l, co) : damaged(l, NULL);
}

struct bw_error *bw_lines_open(const struct bw_code_object *co, struct bw_lines **out)
{
	struct bw_lines *l = calloc(1, sizeof(*l));
	struct stat st;
	if (!l)
		return bw_error_nomem();
	if (!stat(bw_code_object_file_path(co), &st) && S_ISREG(st.st_mode))
		l->written = st.st_mtime;
	l->co = co;
	struct bw_error *err = open_dwarf(l, co);
	if (err)
		bw_lines_close(l);
	else
		*out = l;
	return err;
}

void bw_lines_close(struct bw_lines *l)
{
	if (!l)
		return;
	bw_lines_forget_sources(l);
	for (size_t i = 0; i < l->files.len; i++)
		free((char *)l->files.data[i]);
	bw_vec_free(&l->sources);
	bw_vec_free(&l->files);
	bw_vec_free(&l->rows);
	bw_vec_free(&l->units);
	bw_vec_free(&l->functions);
	bw_vec_free(&l->function_ranges);
	bw_scopes_free(&l->scopes);
	bw_types_free(&l->types);
	bw_vec_free(&l->returns);
	bw_strings_free(&l->names);
	bw_vec_each(&l->given, g)
		free(g->text);
	bw_vec_free(&l->given);
	bw_spirv_close(l->spirv);
	if (l->dwarf)
		dwarf_end(l->dwarf);
	if (l->elf)
		elf_end(l->elf);
	free(l->elf_bytes);
	free(l->damage);
	free(l);
}

size_t bw_lines_row_before(const struct bw_lines *l, uint64_t addr)
{
	size_t lo = 0, hi = l->rows.len;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (l->rows.data[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : l->rows.len;
}

bool bw_lines_at(const struct bw_lines *l, uint64_t addr, struct bw_line *out)
{
	size_t i = bw_lines_row_before(l, addr);
	if (i == l->rows.len || addr >= l->rows.data[i].end)
		return false;
	const struct row *here = &l->rows.data[i];
	size_t with_line = i;
	while (!l->rows.data[with_line].line) {
		if (!with_line || l->rows.data[with_line - 1].sequence != here->sequence)
			return false;
		with_line--;
	}
	const struct row *row = &l->rows.data[with_line];
	*out = (struct bw_line){
		.file = l->files.data[row->file],
		.line = row->line,
		.column = row->column,
		.start = here->start,
		.end = here->end,
		.is_stmt = here->is_stmt,
		.prologue_end = here->prologue_end,
		.approximate = row != here,
	};
	return true;
}

bool bw_lines_is_file(const char *full, const char *meant)
{
	while (bw_starts_with(meant, "./"))
		meant += 2;
	size_t n = strlen(full), m = strlen(meant);
	if (!m || m > n || strcmp(full + n - m, meant))
		return false;
	return n == m || (*meant != '/' && full[n - m - 1] == '/');
}

bool *bw_lines_meant_files(const struct bw_lines *l, const char *name)
{
	bool *meant = calloc(l->files.len ? l->files.len : 1, sizeof(*meant));
	for (size_t i = 0; meant && i < l->files.len; i++) {
		char *found = l->paths ? bw_source_paths_rewrite(l->paths, l->files.data[i]) : NULL;
		meant[i] = bw_lines_is_file(l->files.data[i], name) ||
			   (found && bw_lines_is_file(found, name));
		free(found);
	}
	return meant;
}

unsigned bw_lines_nearest(const struct bw_lines *l, const bool *meant, unsigned line)
{
	unsigned nearest = 0;
	bw_vec_each(&l->rows, r)
		if (r->is_stmt && meant[r->file] && r->line && r->line >= line &&
		    (!nearest || r->line < nearest))
			nearest = r->line;
	return nearest;
}

size_t bw_lines_find(const struct bw_lines *l, const char *file, unsigned line, uint64_t *out_addr,
		     size_t max, unsigned *out_line)
{
	size_t n = 0;
	_cleanup_free_ bool *meant = bw_lines_meant_files(l, file);
	unsigned nearest = meant ? bw_lines_nearest(l, meant, line) : 0;
	if (!nearest)
		return 0;
	/* A run: rows of the line that follow each other; a row without a line does not end one. */
	const struct row *last = NULL;
	bool taken = false;
	for (size_t i = 0; i < l->rows.len; i++) {
		const struct row *r = &l->rows.data[i];
		if (!r->line)
			continue;
		if (!last || last->sequence != r->sequence || last->line != r->line ||
		    last->file != r->file)
			taken = false;
		last = r;
		if (taken || !r->is_stmt || r->line != nearest || !meant[r->file])
			continue;
		taken = true;
		if (n && n <= max && out_addr[n - 1] == r->start)
			continue;
		if (n < max)
			out_addr[n++] = r->start;
	}
	*out_line = nearest;
	return n;
}

uint64_t bw_lines_after_prologue(const struct bw_lines *l, uint64_t entry, uint64_t end)
{
	size_t i = bw_lines_row_before(l, entry);
	for (i = i == l->rows.len ? 0 : i; i < l->rows.len && l->rows.data[i].start < end; i++)
		if (l->rows.data[i].prologue_end && l->rows.data[i].start >= entry)
			return l->rows.data[i].start;
	return entry;
}

size_t bw_lines_files(const struct bw_lines *l, const char *const **out)
{
	*out = l->files.data;
	return l->files.len;
}
