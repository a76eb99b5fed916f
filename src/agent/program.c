/* SPDX-License-Identifier: MIT */
#include "agent/program.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "agent/real.h"
#include "base/util.h"

static struct {
	char path[BW_VGPU_PROGRAM_B];
	uintptr_t first, last; /* addresses of its code */
} program;
static pthread_once_t program_once = PTHREAD_ONCE_INIT;

/* The dynamic linker lists the program itself first, and names it "". */
static int find_program(struct dl_phdr_info *info, size_t size_b, void *ignored)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || !p->p_memsz)
			continue;
		uintptr_t first = info->dlpi_addr + p->p_vaddr, last = first + p->p_memsz - 1;
		program.first = program.last ? BW_MIN(program.first, first) : first;
		program.last = BW_MAX(program.last, last);
	}
	return 1;
}

/* By the mapping of its code: after "ld.so PROGRAM" /proc/self/exe is the dynamic linker. */
static void find_path(void)
{
	char line[512], path[BW_VGPU_PROGRAM_B];
	FILE *f;
	dl_iterate_phdr(find_program, NULL);
	if (!program.last || !(f = REAL(fopen)("/proc/self/maps", "re")))
		return;
	while (fgets(line, sizeof(line), f)) {
		uintptr_t from, to;
		int at = 0;
		size_t len = strcspn(line, "\n");
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &from, &to, &at) < 2 || !at ||
		    program.first < from || program.first >= to)
			continue;
		if (line[len] && line[at] == '/' && len - (size_t)at < sizeof(path))
			snprintf(program.path, sizeof(program.path), "%.*s", (int)len - at,
				 line + at);
		break;
	}
	fclose(f);
}

void bw_agent_program(char out[BW_VGPU_PROGRAM_B])
{
	pthread_once(&program_once, find_path);
	memcpy(out, program.path, BW_VGPU_PROGRAM_B);
}

bool bw_agent_is_program(const void *code)
{
	pthread_once(&program_once, find_path);
	return program.last && (uintptr_t)code >= program.first && (uintptr_t)code <= program.last;
}
