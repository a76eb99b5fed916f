/* SPDX-License-Identifier: MIT */
/* A Raven's blocks, which its kernel has no ip_discovery of: vega10_reg_base_init of Linux 6.12. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "kmd/kmd_priv.h"

struct machine {
	struct bw_kmd kmd;
	const char *device, *gc_major; /* files of sysfs; NULL: not there */
};
struct file {
	struct bw_kmd_file base;
	const char *text;
};

static int file_open(struct bw_kmd *kmd, bool sysfs, const char *path, int flags,
		     struct bw_kmd_file **out)
{
	struct machine *m = BW_CONTAINER_OF(kmd, struct machine, kmd);
	const char *text = !sysfs				 ? NULL
			   : !strcmp(path, "device")		 ? m->device
			   : strstr(path, "/GC/0/major") != NULL ? m->gc_major
								 : NULL;
	if (!text)
		return -ENOENT;
	struct file *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	f->base.kmd = kmd;
	f->text = text;
	*out = &f->base;
	return 0;
}

static void file_close(struct bw_kmd_file *f)
{
	free(f);
}

static ssize_t file_read(struct bw_kmd_file *f, uint64_t pos, void *out, size_t size_b)
{
	const char *text = BW_CONTAINER_OF(f, struct file, base)->text;
	size_t n = BW_MIN(strlen(text), size_b);
	memcpy(out, text, n);
	return (ssize_t)n;
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
				      .file_read = file_read,
				      .remedy = remedy,
				      .place = place};

static void a_raven_is_known(void **state)
{
	struct machine m = {.kmd = {.ops = &ops}, .device = "0x15d8\n"};
	struct bw_kmd_ip ip;
	assert_null(bw_kmd_ip(&m.kmd, "GC", &ip));
	assert_int_equal(ip.major << 16 | ip.minor << 8 | ip.revision, 0x090100);
	assert_int_equal(ip.n_segments, 2);
	assert_int_equal(ip.segment[1], 0xa000);
	assert_null(bw_kmd_ip(&m.kmd, "MMHUB", &ip));
	assert_int_equal(ip.segment[0], 0x1a000);
	struct bw_error *err = bw_kmd_ip(&m.kmd, "UMC", &ip);
	assert_non_null(err);
	bw_error_free(err);
}

/* Neither another GPU, nor one whose kernel has the folder and lacks a block there. */
static void no_other_is(void **state)
{
	static const struct machine others[] = {{.device = "0x687f\n"},
						{.device = "what\n"},
						{.device = NULL},
						{.device = "0x15d8\n", .gc_major = "9\n"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(others); i++) {
		struct machine m = others[i];
		struct bw_kmd_ip ip;
		m.kmd.ops = &ops;
		struct bw_error *err = bw_kmd_ip(&m.kmd, "MMHUB", &ip);
		assert_non_null(err);
		assert_non_null(strstr(err->message, "ip_discovery"));
		bw_error_free(err);
	}
}

TESTS(a_raven_is_known, no_other_is);
