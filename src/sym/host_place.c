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

/* The innermost function there, which may be an inlined one, as the line is its. */
static void find_function(Dwarf_Die *unit, uint64_t addr, struct bw_host_place *out)
{
	_cleanup_free_ Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes(unit, addr, &scopes);
	for (int i = 0; i < n; i++) {
		const int tag = dwarf_tag(&scopes[i]);
		const char *name = dwarf_diename(&scopes[i]);
		if (!name || (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram))
			continue;
		snprintf(out->function, sizeof(out->function), "%s", name);
		return;
	}
}

static void find_line(Dwarf *dwarf, uint64_t addr, struct bw_host_place *out)
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
		find_function(&unit, addr, out);
		return;
	}
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

bool bw_host_place(const char *path, uint64_t addr, struct bw_host_place *out)
{
	*out = (struct bw_host_place){0};
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		find_symbol(elf, addr, out);
		Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		if (dwarf)
			find_line(dwarf, addr, out);
		dwarf_end(dwarf);
	}
	elf_end(elf);
	return out->function[0] || out->line;
}
