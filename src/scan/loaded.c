/* SPDX-License-Identifier: MIT */
/* Sources: struct r_debug and struct link_map of <link.h>; _amdgpu_r_debug of ROCR-Runtime, which
 * ROCdbgapi looks up in the same way. */
#include "scan/loaded.h"

#include <elf.h>
#include <fcntl.h>
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

enum {
	MAX_CODES = 4096,
	MAX_SYMBOLS = 1 << 16,
	MAX_STRINGS_B = 4 << 20,
	MAX_SEGMENTS = 64,
	MAX_URI_B = 1024,
};
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
static bool first_address(int fd, const Elf64_Ehdr *e, uint64_t *out)
{
	Elf64_Phdr p;
	*out = UINT64_MAX;
	for (unsigned i = 0; i < BW_MIN(e->e_phnum, (unsigned)MAX_SEGMENTS); i++) {
		if (!read_at(fd, e->e_phoff + i * sizeof(p), &p, sizeof(p)))
			return false;
		if (p.p_type == PT_LOAD)
			*out = BW_MIN(*out, p.p_vaddr & ~0xfffull);
	}
	return *out != UINT64_MAX;
}

static bool find_in_table(int fd, const Elf64_Shdr *symbols, const Elf64_Shdr *strings,
			  uint64_t *out)
{
	static const char name[] = "_amdgpu_r_debug";
	size_t n = symbols->sh_size / sizeof(Elf64_Sym);
	if (n > MAX_SYMBOLS || strings->sh_size > MAX_STRINGS_B)
		return false;
	_cleanup_free_ Elf64_Sym *all = calloc(n + 1, sizeof(*all));
	_cleanup_free_ char *texts = calloc(strings->sh_size + 1, 1);
	if (!all || !texts || !read_at(fd, symbols->sh_offset, all, n * sizeof(*all)) ||
	    !read_at(fd, strings->sh_offset, texts, strings->sh_size))
		return false;
	for (size_t i = 0; i < n; i++)
		if (all[i].st_shndx != SHN_UNDEF && all[i].st_name < strings->sh_size &&
		    !strcmp(texts + all[i].st_name, name)) {
			*out = all[i].st_value;
			return true;
		}
	return false;
}

bool bw_scan_find_list(int fd, uint64_t *out)
{
	Elf64_Ehdr e;
	uint64_t first, value;
	if (!read_at(fd, 0, &e, sizeof(e)) || memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || !first_address(fd, &e, &first))
		return false;
	for (unsigned i = 0; i < e.e_shnum; i++) {
		Elf64_Shdr symbols, strings;
		if (!read_at(fd, e.e_shoff + i * sizeof(symbols), &symbols, sizeof(symbols)))
			return false;
		if (symbols.sh_type != SHT_DYNSYM || symbols.sh_link >= e.e_shnum ||
		    !read_at(fd, e.e_shoff + symbols.sh_link * sizeof(strings), &strings,
			     sizeof(strings)))
			continue;
		if (find_in_table(fd, &symbols, &strings, &value)) {
			*out = value - first;
			return true;
		}
	}
	return false;
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

/* A text of the process; cut off where it is longer, or its memory ends. */
static void read_text(const struct process *p, uint64_t va, char *out, size_t room)
{
	size_t n = 0;
	while (n + 1 < room && read_at(p->mem, va + n, out + n, 1) && out[n])
		n++;
	out[n] = '\0';
}

/* The first members of both structs, for a program of 64 bits. */
struct list {
	int32_t version, pad;
	uint64_t first;
};
struct entry {
	uint64_t base, name, dynamic, next, prev;
};

struct bw_error *bw_scan_loaded_of(pid_t pid, bw_scan_loaded_fn *fn, void *cookie)
{
	struct process p = {.pid = pid, .left_b = MAX_CODES_B};
	struct list l;
	struct entry e;
	char path[40], uri[MAX_URI_B];
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	_cleanup_close_ int mem = open(path, O_RDONLY | O_CLOEXEC);
	p.mem = mem;
	uint64_t at = mem >= 0 ? find_list(&p) : 0;
	if (!at || !read_at(mem, at, &l, sizeof(l)))
		return NULL;
	at = l.first;
	for (unsigned n = 0; at && n < MAX_CODES && read_at(mem, at, &e, sizeof(e)); n++) {
		struct bw_code_object *co;
		uint64_t size_b;
		at = e.next;
		read_text(&p, e.name, uri, sizeof(uri));
		_cleanup_free_ uint8_t *bytes = read_bytes(&p, uri, &size_b);
		if (!bytes)
			continue;
		struct bw_error *damaged = bw_code_object_open(bytes, size_b, uri, &co);
		bw_error_free(damaged);
		if (!damaged)
			BW_TRY(fn(cookie, e.base, co));
	}
	return NULL;
}
