/* SPDX-License-Identifier: MIT */
#include "base/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"

/* "#!/usr/bin/env python3": the first word after "#!". */
static void parse_interpreter_line(const char *text, size_t size_b, struct bw_program_file *out)
{
	size_t at = 2, n = 0;
	out->has_interpreter_line = true;
	while (at < size_b && (text[at] == ' ' || text[at] == '\t'))
		at++;
	while (at + n < size_b && !memchr(" \t\n", text[at + n], 4))
		n++;
	if (n < sizeof(out->interpreter))
		memcpy(out->interpreter, text + at, n);
}

static void parse_headers(const uint8_t *head, size_t size_b, struct bw_program_file *out)
{
	Elf64_Ehdr e;
	memcpy(&e, head, sizeof(e));
	if (e.e_phentsize != sizeof(Elf64_Phdr) && e.e_phnum)
		return;
	out->all_seen = true;
	for (size_t i = 0; i < e.e_phnum && !out->has_loader; i++) {
		Elf64_Phdr p;
		size_t at = i * sizeof(p);
		if (e.e_phoff > size_b || at > size_b - e.e_phoff ||
		    sizeof(p) > size_b - e.e_phoff - at) {
			out->all_seen = false;
			return;
		}
		memcpy(&p, head + e.e_phoff + at, sizeof(p));
		if (p.p_type != PT_INTERP)
			continue;
		out->has_loader = true;
		if (p.p_offset < size_b && p.p_filesz <= size_b - p.p_offset &&
		    p.p_filesz < sizeof(out->interpreter))
			memcpy(out->interpreter, head + p.p_offset, p.p_filesz);
	}
}

void bw_program_parse(const void *head, size_t size_b, struct bw_program_file *out)
{
	const uint8_t *bytes = head;
	*out = (struct bw_program_file){0};
	if (size_b >= 2 && !memcmp(bytes, "#!", 2))
		parse_interpreter_line(head, size_b, out);
	/* e_type and e_machine are in the same place in both classes */
	if (size_b < offsetof(Elf64_Ehdr, e_version) || memcmp(bytes, ELFMAG, SELFMAG))
		return;
	uint16_t type;
	memcpy(&type, bytes + offsetof(Elf64_Ehdr, e_type), sizeof(type));
	memcpy(&out->machine, bytes + offsetof(Elf64_Ehdr, e_machine), sizeof(out->machine));
	out->is_elf = true;
	out->is_64_bit = bytes[EI_CLASS] == ELFCLASS64;
	out->is_core = type == ET_CORE;
	if (out->is_64_bit && size_b >= sizeof(Elf64_Ehdr) && (type == ET_EXEC || type == ET_DYN))
		parse_headers(bytes, size_b, out);
}

bool bw_program_read(int fd, struct bw_program_file *out)
{
	_cleanup_free_ char *head = malloc(BW_PROGRAM_HEAD_B);
	ssize_t n = head ? pread(fd, head, BW_PROGRAM_HEAD_B, 0) : -1;
	if (n < 0)
		return false;
	bw_program_parse(head, (size_t)n, out);
	return true;
}

char *bw_program_find(const char *name)
{
	if (strchr(name, '/'))
		return strdup(name);
	const char *env = getenv("PATH");
	_cleanup_free_ char *copy = strdup(env ? env : "/bin:/usr/bin");
	char *rest = copy;
	for (char *folder; copy && (folder = strsep(&rest, ":"));) {
		char *path = NULL;
		if (asprintf(&path, "%s/%s", *folder ? folder : ".", name) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
	}
	return NULL;
}

const char *bw_program_machine_name(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} rows[] = {{EM_386, "x86 (32 bits)"}, {EM_X86_64, "x86-64"}, {EM_ARM, "ARM (32 bits)"},
		    {EM_AARCH64, "AArch64"},   {EM_RISCV, "RISC-V"},  {EM_PPC64, "POWER"},
		    {EM_S390, "S/390"},	       {EM_MIPS, "MIPS"},     {EM_AMDGPU, "AMD GPUs"},
		    {EM_CUDA, "NVIDIA GPUs"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (rows[i].machine == machine)
			return rows[i].name;
	return NULL;
}

struct bw_error *bw_program_not_run(const char *name, int errnum)
{
	struct bw_program_file f = {0};
	_cleanup_free_ char *path = errnum == ENOENT ? bw_program_find(name) : NULL;
	_cleanup_close_ int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0 || !bw_program_read(fd, &f) || !f.interpreter[0] || !access(f.interpreter, F_OK))
		return bw_error_errno(errnum, "cannot run %s", name);
	return bw_error_errno(errnum, "cannot run %s: its %s %s does not exist on this machine%s",
			      name, f.is_elf ? "dynamic loader" : "interpreter", f.interpreter,
			      f.is_elf ? " (install the C library that it was built for; on NixOS "
					 "use nix-ld or patchelf)"
				       : " (correct its #! line)");
}
