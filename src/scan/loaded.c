/* SPDX-License-Identifier: MIT */
#include "scan/loaded.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "sym/code_uri.h"
#include "sym/loaded_list.h"

enum { MAX_SYMBOLS = 1 << 16, MAX_SEGMENTS = 64 };
#define MAX_CODE_B (256ull << 20)
#define MAX_CODES_B                                                                                \
	(1ull << 30) /* of all: a damaged list may lead to the same one again and again */

struct process {
	pid_t pid;
	int mem;	 /* /proc/PID/mem */
	uint64_t left_b; /* of MAX_CODES_B */
};

static bool read_at(int fd, uint64_t at, void *out, size_t size_b)
{
	for (size_t done = 0; done < size_b;) {
		ssize_t n = pread(fd, (char *)out + done, size_b - done, (off_t)(at + done));
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* The file of a path that the process sees. Not a device, whose opening may have effects, nor a
 * pipe, which waits. */
static int open_file(const struct process *p, const char *path, off_t *out_size_b)
{
	char full[1200];
	struct stat st;
	if (*path != '/' ||
	    snprintf(full, sizeof(full), "/proc/%d/root%s", (int)p->pid, path) >=
		    (int)sizeof(full) ||
	    stat(full, &st) || !S_ISREG(st.st_mode))
		return -1;
	_cleanup_close_ int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return -1;
	*out_size_b = st.st_size;
	return bw_take_fd(fd);
}

/* ---- the symbol ---- */

/* The lowest address for which the program headers ask, from which the file is mapped. */
static bool first_address(Elf *elf, uint64_t *out)
{
	GElf_Phdr p;
	size_t n;
	*out = UINT64_MAX;
	if (elf_getphdrnum(elf, &n))
		return false;
	for (int i = 0; i < (int)BW_MIN(n, (size_t)MAX_SEGMENTS) && gelf_getphdr(elf, i, &p); i++)
		if (p.p_type == PT_LOAD)
			*out = BW_MIN(*out, p.p_vaddr & ~0xfffull);
	return *out != UINT64_MAX;
}

static bool find_in_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t *out)
{
	GElf_Sym symbol;
	Elf_Data *data = elf_getdata(section, NULL);
	for (int i = 0; data && i < MAX_SYMBOLS && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (symbol.st_shndx != SHN_UNDEF && name && !strcmp(name, "_amdgpu_r_debug")) {
			*out = symbol.st_value;
			return true;
		}
	}
	return false;
}

bool bw_scan_find_list(int fd, uint64_t *out)
{
	uint64_t first, value;
	bool found = false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool usable = elf && gelf_getclass(elf) == ELFCLASS64 && first_address(elf, &first);
	for (Elf_Scn *at = NULL; usable && !found && (at = elf_nextscn(elf, at));) {
		GElf_Shdr header;
		found = gelf_getshdr(at, &header) && header.sh_type == SHT_DYNSYM &&
			find_in_table(elf, at, &header, &value);
	}
	elf_end(elf);
	if (found)
		*out = value - first;
	return found;
}

/* Whether a mapped file may be the runtime: its library, or a program that has it in itself. */
static bool may_have_it(const struct process *p, const char *path)
{
	char link[40], exe[1024];
	if (strstr(bw_base_name(path), "hsa-runtime"))
		return true;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)p->pid);
	ssize_t n = readlink(link, exe, sizeof(exe) - 1);
	if (n <= 0)
		return false;
	exe[n] = '\0';
	return !strcmp(exe, path);
}

/* The address of the list's head; 0: the process has none. */
static uint64_t find_list(const struct process *p)
{
	char maps[40], line[1200];
	snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)p->pid);
	_cleanup_fclose_ FILE *f = fopen(maps, "re");
	while (f && fgets(line, sizeof(line), f)) {
		uint64_t start, offset, place;
		off_t size_b;
		int at = 0;
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64 " %*s %*s %n", &start, &offset,
			   &at) != 2 ||
		    !at || offset || line[at] != '/' || !may_have_it(p, line + at))
			continue;
		_cleanup_close_ int fd = open_file(p, line + at, &size_b);
		if (fd >= 0 && bw_scan_find_list(fd, &place))
			return start + place;
	}
	return 0;
}

/* ---- the code objects ---- */

/* The bytes that a URI names; NULL: they cannot be read. */
static uint8_t *read_bytes(struct process *p, const char *text, uint64_t *out_size_b)
{
	struct bw_code_uri uri;
	off_t file_b;
	if (!bw_code_uri_read(text, &uri))
		return NULL;
	_cleanup_close_ int file = uri.is_file ? open_file(p, uri.path, &file_b) : -1;
	if (uri.is_file && (file < 0 || uri.offset_b > (uint64_t)file_b))
		return NULL;
	if (uri.is_file)
		uri.size_b = BW_MIN(uri.size_b ? uri.size_b : MAX_CODE_B,
				    (uint64_t)file_b - uri.offset_b);
	if (!uri.size_b || uri.size_b > BW_MIN(MAX_CODE_B, p->left_b))
		return NULL;
	p->left_b -= uri.size_b;
	_cleanup_free_ uint8_t *bytes = malloc(uri.size_b);
	if (!bytes || !read_at(uri.is_file ? file : p->mem, uri.offset_b, bytes, uri.size_b))
		return NULL;
	*out_size_b = uri.size_b;
	return bw_take(bytes);
}

struct listing {
	struct process process;
	bw_scan_loaded_fn *fn;
	void *cookie; /* of fn */
	struct bw_error *err;
};

static bool read_process(void *cookie, uint64_t va, void *out, size_t size_b)
{
	const struct listing *l = cookie;
	return read_at(l->process.mem, va, out, size_b);
}

static bool open_code(void *cookie, uint64_t base, const char *uri)
{
	struct listing *l = cookie;
	struct bw_code_object *co;
	uint64_t size_b;
	_cleanup_free_ uint8_t *bytes = read_bytes(&l->process, uri, &size_b);
	if (!bytes)
		return true;
	struct bw_error *damaged = bw_code_object_open(bytes, size_b, uri, &co);
	bw_error_free(damaged);
	if (!damaged)
		l->err = l->fn(l->cookie, base, co);
	return !l->err;
}

struct bw_error *bw_scan_loaded_of(pid_t pid, bw_scan_loaded_fn *fn, void *cookie)
{
	struct listing l = {
		.process = {.pid = pid, .left_b = MAX_CODES_B}, .fn = fn, .cookie = cookie};
	char path[40];
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	_cleanup_close_ int mem = open(path, O_RDONLY | O_CLOEXEC);
	l.process.mem = mem;
	uint64_t at = mem >= 0 ? find_list(&l.process) : 0;
	if (at) /* what of it can be read */
		bw_loaded_list(at, &(struct bw_loaded_walk){read_process, open_code, &l});
	return l.err;
}
