/* SPDX-License-Identifier: MIT */
/* What a report says of the machine: versions, firmware, and the settings of the driver that end or
 * reset what a debugger has stopped. */
#include "selftest/selftest_priv.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "wire/vgpu_proto.h"

/* The first line of a file of the driver's; false: there is none. */
static bool first_line(struct bw_kmd *kmd, const char *file, char *out, size_t size_b)
{
	_cleanup_(bw_str_free) struct bw_str text = {0};
	_cleanup_error_ struct bw_error *err = bw_kmd_text(kmd, file, &text);
	snprintf(out, size_b, "%.*s", (int)strcspn(bw_str_text(&text), "\n"), bw_str_text(&text));
	return !err && out[0];
}

/* What follows a mark in a line of amdgpu_firmware_info, if it begins with name; else NULL. */
static const char *in_line(const char *text, const char *name, const char *mark, int *out_n)
{
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		const char *at =
			bw_starts_with(line, name) ? memmem(line, n, mark, strlen(mark)) : NULL;
		if (at) {
			at += strlen(mark);
			*out_n = (int)strcspn(at, " \n");
			return at;
		}
		line += n + (line[n] == '\n');
	}
	return NULL;
}

/* Lines such as "MEC feature version: 29, firmware version: 0x00000029" and "VBIOS version: ..."
 * (amdgpu_kms.c, Linux 6.12). */
static void tell_firmware(struct bw_selftest_work *w, const char *text)
{
	static const char *const names[] = {"ME",  "PFP",   "MEC",     "RLC", "IMU",
					    "SMC", "SDMA0", "MES_KIQ", "MES"};
	_cleanup_(bw_str_free) struct bw_str list = {0};
	int n = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++) {
		char begin[32];
		snprintf(begin, sizeof(begin), "%s feature version: ", names[i]);
		const char *version = in_line(text, begin, "firmware version: ", &n);
		if (version)
			bw_str_addf(&list, "%s%s %.*s", list.len ? ", " : "", names[i], n, version);
	}
	bw_selftest_value(w, "firmware", "%s", list.len ? bw_str_text(&list) : "not known");
	const char *vbios = in_line(text, "VBIOS version: ", "VBIOS version: ", &n);
	if (vbios)
		bw_selftest_value(w, "VBIOS", "%.*s", n, vbios);
}

static void tell_settings(struct bw_selftest_work *w)
{
	static const char *const names[] = {"lockup_timeout", "gpu_recovery"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++) {
		char path[96], text[96] = "";
		snprintf(path, sizeof(path), "/sys/module/amdgpu/parameters/%s", names[i]);
		_cleanup_fclose_ FILE *f = fopen(path, "re");
		if (f && !fgets(text, sizeof(text), f))
			text[0] = '\0';
		text[strcspn(text, "\n")] = '\0';
		bw_selftest_value(w, names[i], "%s", text[0] ? text : "the driver's default");
	}
}

bool bw_selftest_is_model(struct bw_kmd *kmd)
{
	_cleanup_(bw_str_free) struct bw_str text = {0};
	_cleanup_error_ struct bw_error *err = bw_kmd_text(kmd, "amdgpu_firmware_info", &text);
	return bw_kmd_is_virtual(kmd) || strstr(bw_str_text(&text), BW_VGPU_MARK);
}

void bw_selftest_about(struct bw_selftest_work *w, struct bw_kmd *kmd)
{
	static const char *const blocks[] = {"GC", "MMHUB", "OSSSYS", "SDMA0", "NBIF", "MP0"};
	_cleanup_(bw_str_free) struct bw_str text = {0};
	char device[16], revision[16];
	struct bw_kmd_ip ip;
	struct utsname os;
	if (!uname(&os))
		bw_selftest_value(w, "kernel", "Linux %s", os.release);
	bw_selftest_value(w, "driver", "%s", bw_kmd_is_virtual(kmd) ? "breakwater-vgpu" : "amdgpu");
	bw_selftest_value(w, "GPU", "%s",
			  bw_selftest_is_model(kmd) ? "Breakwater's virtual GPU" : "hardware");
	if (first_line(kmd, "sysfs:device", device, sizeof(device)) &&
	    first_line(kmd, "sysfs:revision", revision, sizeof(revision)))
		bw_selftest_value(w, "PCI device", "%s, revision %s", device, revision);
	for (size_t i = 0; i < BW_ARRAY_SIZE(blocks); i++) {
		_cleanup_error_ struct bw_error *none = bw_kmd_ip(kmd, blocks[i], &ip);
		if (!none)
			bw_selftest_value(w, blocks[i], "%u.%u.%u", ip.major, ip.minor,
					  ip.revision);
	}
	_cleanup_error_ struct bw_error *err = bw_kmd_text(kmd, "amdgpu_firmware_info", &text);
	tell_firmware(w, bw_str_text(&text));
	if (!bw_kmd_is_virtual(kmd))
		tell_settings(w);
}
