/* SPDX-License-Identifier: MIT */
#include "session/server_report.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/program.h"
#include "base/str.h"
#include "isa/text.h"
#include "regs/regs.h"
#include "sym/bundle.h"

struct bw_error *bw_report_read(struct bw_kmd *kmd, const char *file, char **out)
{
	struct bw_kmd_file *f;
	struct bw_str s = {0};
	char chunk[4096];
	size_t n = 1;
	BW_TRY(bw_kmd_file_open(kmd, file, false, &f));
	struct bw_error *err = NULL;
	for (uint64_t at = 0; !err && n; at += n) {
		err = bw_kmd_file_read(f, at, chunk, sizeof(chunk), &n);
		if (!err)
			bw_str_addn(&s, chunk, n);
		else
			n = 0;
	}
	bw_kmd_file_close(f);
	*out = err ? NULL : bw_str_take(&s);
	bw_str_free(&s);
	return err || *out ? err : bw_error_nomem();
}

const char *bw_report_field(char **line)
{
	char *at = strsep(line, "\t");
	return at ? at : "";
}

uint64_t bw_report_number(char **line)
{
	return strtoull(bw_report_field(line), NULL, 0);
}

struct bw_error *bw_report_gpu(struct bw_kmd *kmd, char *out, size_t size)
{
	struct bw_kmd_ip gc;
	BW_TRY(bw_kmd_ip(kmd, "GC", &gc));
	bw_arch_gfx_name(BW_IP_VERSION(gc.major, gc.minor, gc.revision), out, size);
	return NULL;
}

void bw_report_instruction(const struct bw_report_code *x, char *out, size_t size)
{
	struct bw_isa_text *t;
	struct bw_error *err = bw_isa_text_create(x->gpu, &t);
	snprintf(out, size, "%s", x->name);
	if (err) {
		bw_error_free(err);
		return;
	}
	bw_isa_text_line(t, x->word, x->n_words * 4u, x->pc, out, size);
	bw_isa_text_destroy(t);
}

static void add(struct bw_debug *d, const void *data, size_t size_b, const char *path)
{
	struct bw_code_object *co;
	struct bw_error *err = bw_code_object_open(data, size_b, path, &co);
	if (!err)
		err = bw_debug_add_code_object(d, co);
	bw_error_free(err);
}

/* A code object, or a program that has some in it. */
static void add_file(struct bw_debug *d, const char *path, const char *gpu)
{
	const uint8_t *code;
	Elf64_Ehdr head;
	struct stat st;
	size_t at = 0, code_b;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || (size_t)st.st_size < sizeof(head))
		return;
	size_t size_b = (size_t)st.st_size;
	void *data = mmap(NULL, size_b, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return;
	memcpy(&head, data, sizeof(head));
	bool is_elf = !memcmp(head.e_ident, ELFMAG, SELFMAG);
	if (is_elf && head.e_machine == EM_AMDGPU)
		add(d, data, size_b, path);
	while (is_elf && bw_bundle_next_of_program(data, size_b, gpu, &at, &code, &code_b))
		add(d, code, code_b, path);
	munmap(data, size_b);
}

void bw_report_add_code(struct bw_debug *d, struct bw_kmd *kmd, char *const *program)
{
	char gpu[32];
	struct bw_error *err = bw_report_gpu(kmd, gpu, sizeof(gpu));
	for (size_t i = 0; !err && program[i]; i++) {
		_cleanup_free_ char *found = i ? NULL : bw_program_find(program[i]);
		struct stat st;
		const char *path = found ? found : program[i];
		/* not a device, whose opening may have effects */
		if (!stat(path, &st) && S_ISREG(st.st_mode))
			add_file(d, path, gpu);
	}
	bw_error_free(err);
}
