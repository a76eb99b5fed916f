/* SPDX-License-Identifier: MIT */
/* A GPU with several graphics blocks, as a kernel made up here shows it: ip_discovery of sysfs, and
 * amdgpu_regs2 with the state of SET_STATE_V2 (amdgpu_umr.h of Linux 6.12). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "kmd/kmd_priv.h"

static const struct {
	const char *path, *text;
} files[] = {
#define GC "ip_discovery/die/0/GC/"
	{GC "0/major", "9\n"},	  {GC "0/minor", "4\n"},
	{GC "0/revision", "3\n"}, {GC "0/harvest", "0x0"},
	{GC "2/harvest", "0x1"},  {GC "0/base_addr", "0x2000\n0xa000\n"},
	{GC "2/major", "9\n"},	  {GC "2/minor", "4\n"},
	{GC "2/revision", "3\n"}, {GC "3/major", "9\n"},
	{GC "3/minor", "4\n"},	  {GC "3/revision", "3\n"},
	{GC "3/harvest", "0x0"},  {GC "3/base_addr", "0x12000\n0x1a000\n"},
};

struct regs2_state {
	uint32_t use_srbm, use_grbm, pg_lock, se, sh, instance, me, pipe, queue, vmid, xcc_id;
};

/* What it was asked for last, and how often. */
struct machine {
	struct bw_kmd kmd;
	struct regs2_state state;
	unsigned n_states;
	bool is_old; /* without SET_STATE_V2 */
	uint64_t pos;
};

struct file {
	struct bw_kmd_file base;
	const char *text; /* NULL: amdgpu_regs2 */
};

static int file_open(struct bw_kmd *kmd, bool sysfs, const char *path, int flags,
		     struct bw_kmd_file **out)
{
	struct file *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	f->base.kmd = kmd;
	for (size_t i = 0; sysfs && i < BW_ARRAY_SIZE(files); i++)
		if (!strcmp(files[i].path, path))
			f->text = files[i].text;
	if (!f->text && (sysfs || strcmp(path, "amdgpu_regs2") != 0)) {
		free(f);
		return -ENOENT;
	}
	*out = &f->base;
	return 0;
}

static void file_close(struct bw_kmd_file *f)
{
	free(f);
}

static int file_ioctl(struct bw_kmd_file *f, uint32_t cmd, void *arg)
{
	struct machine *m = BW_CONTAINER_OF(f->kmd, struct machine, kmd);
	if (cmd != 0xc02c2001)
		return cmd == 0xc0282000 ? 0 : -ENOTTY;
	if (m->is_old)
		return -EINVAL;
	memcpy(&m->state, arg, sizeof(m->state));
	m->n_states++;
	return 0;
}

static ssize_t file_read(struct bw_kmd_file *f, uint64_t pos, void *out, size_t size_b)
{
	const char *text = BW_CONTAINER_OF(f, struct file, base)->text;
	if (text) {
		size_t n = BW_MIN(strlen(text), size_b);
		memcpy(out, text, n);
		return (ssize_t)n;
	}
	BW_CONTAINER_OF(f->kmd, struct machine, kmd)->pos = pos;
	memset(out, 0, size_b);
	return (ssize_t)size_b;
}

static const char *place(const struct bw_kmd *kmd, bool sysfs)
{
	return "/made/up";
}

static const char *remedy(const struct bw_kmd *kmd, bool sysfs, int errnum)
{
	return NULL;
}

static const struct bw_kmd_ops ops = {.file_open = file_open,
				      .file_close = file_close,
				      .file_ioctl = file_ioctl,
				      .file_read = file_read,
				      .remedy = remedy,
				      .place = place};

static void says(struct bw_error *err, const char *text)
{
	assert_non_null(err);
	assert_non_null(strstr(err->message, text));
	bw_error_free(err);
}

/* Of the instances 0, 2 and 3 the second is harvested, so that XCC 1 is instance 3. */
static void blocks(void **state)
{
	struct machine m = {.kmd = {.ops = &ops}};
	struct bw_kmd_ip ip;
	assert_null(bw_kmd_xcc(&m.kmd, 0, &ip));
	assert_int_equal(ip.segment[0], 0x2000);
	assert_null(bw_kmd_xcc(&m.kmd, 1, &ip));
	assert_int_equal(ip.segment[0], 0x12000);
	assert_int_equal(ip.segment[1], 0x1a000);
	assert_int_equal(ip.minor, 4);
	says(bw_kmd_xcc(&m.kmd, 2, &ip), "this GPU has 2 XCCs (graphics blocks), numbers 0 to 1");
}

/* The bank is that of the XCC, and is selected anew for another. */
static void banks(void **state)
{
	struct machine m = {.kmd = {.ops = &ops}};
	struct bw_kmd_bank bank = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = 3, .xcc = 1};
	uint32_t value;
	pthread_mutex_init(&m.kmd.regs_lock, NULL);
	assert_null(bw_kmd_reg_read(&m.kmd, &bank, 0x12004, &value));
	assert_int_equal(m.state.xcc_id, 1);
	assert_int_equal(m.state.use_grbm, 1);
	assert_int_equal(m.state.instance, 3);
	assert_int_equal(m.pos, 0x48010);
	bank.xcc = 0;
	assert_null(bw_kmd_reg_read(&m.kmd, &bank, 0x2004, &value));
	assert_int_equal(m.state.xcc_id, 0);
	assert_null(bw_kmd_reg_read(&m.kmd, &bank, 0x2004, &value));
	assert_int_equal(m.n_states, 2);
	bw_kmd_file_close(m.kmd.regs2);

	struct machine old = {.kmd = {.ops = &ops}, .is_old = true};
	pthread_mutex_init(&old.kmd.regs_lock, NULL);
	bank.xcc = 1;
	says(bw_kmd_reg_read(&old.kmd, &bank, 0x12004, &value), "selects no XCC but the first");
	bank.xcc = 0;
	assert_null(bw_kmd_reg_read(&old.kmd, &bank, 0x2004, &value));
	bw_kmd_file_close(old.kmd.regs2);
}

TESTS(blocks, banks);
