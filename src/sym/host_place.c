/* SPDX-License-Identifier: MIT */
#include "sym/host_place.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "sym/demangle.h"

static void name_function(const char *symbol, struct bw_host_place *out)
{
	_cleanup_free_ char *full = bw_demangle(symbol);
	size_t len = strlen(symbol);
	const char *base = full ? bw_name_base(full, &len) : symbol;
	snprintf(out->function, sizeof(out->function), "%.*s", (int)len, base);
}

/* Where the code of an inlined function is called. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct bw_host_place *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word file = 0, line = 0;
	Dwarf_Files *files = NULL;
	size_t n = 0;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line) ||
	    dwarf_getsrcfiles(unit, &files, &n) || file >= n || line > UINT32_MAX)
		return;
	const char *path = dwarf_filesrc(files, file, NULL, NULL);
	snprintf(out->file, sizeof(out->file), "%s", path ? bw_base_name(path) : "");
	out->line = path ? (unsigned)line : 0;
}

/* The functions there: the innermost one, which has the line, and those that it is inlined into. */
static size_t find_functions(Dwarf_Die *unit, uint64_t addr, struct bw_host_place *out, size_t max)
{
	_cleanup_free_ Dwarf_Die *innermost = NULL, *scopes = NULL;
	/* after an inlined function it lists where that is written, the other where it is called */
	int n = dwarf_getscopes(unit, addr, &innermost);
	n = n > 0 ? dwarf_getscopes_die(&innermost[0], &scopes) : 0;
	size_t found = 0;
	for (int i = 0; i < n && found < max; i++) {
		const int tag = dwarf_tag(&scopes[i]);
		const char *name = dwarf_diename(&scopes[i]);
		if (!name || (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram))
			continue;
		snprintf(out[found].function, sizeof(out[found].function), "%s", name);
		found++;
		if (tag == DW_TAG_subprogram)
			break;
		if (found < max)
			find_call(unit, &scopes[i], &out[found]);
	}
	return found;
}

static size_t find_line(Dwarf *dwarf, uint64_t addr, struct bw_host_place *out, size_t max)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	/* unit by unit: clang writes no table of their addresses */
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		int number = 0;
		Dwarf_Line *line =
			dwarf_haspc(&unit, addr) > 0 ? dwarf_getsrc_die(&unit, addr) : NULL;
		const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
		if (!file || dwarf_lineno(line, &number) || number <= 0)
			continue;
		snprintf(out->file, sizeof(out->file), "%s", bw_base_name(file));
		out->line = (unsigned)number;
		return find_functions(&unit, addr, out, max);
	}
	return 0;
}

static void find_symbol(Elf *elf, uint64_t addr, struct bw_host_place *out)
{
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data = NULL;
		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		GElf_Sym s;
		for (int i = 0; gelf_getsym(data, i, &s); i++) {
			const char *name;
			if (GELF_ST_TYPE(s.st_info) != STT_FUNC || addr < s.st_value ||
			    addr - s.st_value >= s.st_size)
				continue;
			name = elf_strptr(elf, header.sh_link, s.st_name);
			if (name && *name)
				name_function(name, out);
		}
	}
}

size_t bw_host_places(const char *path, uint64_t addr, struct bw_host_place *out, size_t max)
{
	size_t n = 0;
	if (!max)
		return 0;
	memset(out, 0, max * sizeof(*out));
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		find_symbol(elf, addr, out);
		Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		if (dwarf)
			n = find_line(dwarf, addr, out, max);
		dwarf_end(dwarf);
	}
	elf_end(elf);
	return n ? n : out->function[0] || out->line;
}

bool bw_host_place(const char *path, uint64_t addr, struct bw_host_place *out)
{
	return bw_host_places(path, addr, out, 1);
}
