/* SPDX-License-Identifier: MIT */
#include "session/server_report.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "isa/text.h"
#include "regs/regs.h"

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

static bool is_code_object(const char *path)
{
	Elf64_Ehdr head;
	struct stat st;
	/* Not a device, whose opening may have effects, nor a pipe, which waits. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	return f && fread(&head, sizeof(head), 1, f) == 1 &&
	       !memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_machine == EM_AMDGPU;
}

void bw_report_add_code(struct bw_debug *d, char *const *program)
{
	for (size_t i = 1; program[0] && program[i]; i++) {
		struct bw_code_object *co;
		if (!is_code_object(program[i]))
			continue;
		struct bw_error *err = bw_code_object_load(program[i], &co);
		if (!err)
			err = bw_debug_add_code_object(d, co);
		bw_error_free(err);
	}
}
