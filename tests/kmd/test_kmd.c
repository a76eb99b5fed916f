/* SPDX-License-Identifier: MIT */
#include "kmd/kmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../suite.h"
#include "fake_server.h"
#include "kmd/kmd_priv.h"

static void says(struct bw_error *err, const char *text)
{
	assert_non_null(err);
	if (!strstr(err->message, text))
		fail_msg("'%s' does not say '%s'", err->message, text);
	bw_error_free(err);
}

static void virtual_gpu(void **state)
{
	struct fake_server server;
	fake_server_start(&server);
	setenv("BREAKWATER_VGPU", server.socket, 1);
	struct bw_kmd *kmd;
	assert_null(bw_kmd_open("virtual:navi31", &kmd));
	assert_true(bw_kmd_is_virtual(kmd));
	assert_string_equal(bw_kmd_pci_address(kmd), "0000:03:00.0");
	assert_int_equal(bw_kmd_server_pid(kmd), getpid());
	assert_true(bw_kmd_liveness_fd(kmd) >= 0);

	struct bw_kmd_ip gc;
	assert_null(bw_kmd_ip(kmd, "GC", &gc));
	assert_int_equal(gc.major, 11);
	assert_int_equal(gc.n_segments, 3);
	assert_int_equal(gc.segment[2], 0x02402c00);
	says(bw_kmd_ip(kmd, "BAD", &gc), "'eleven', which is not a version number");
	says(bw_kmd_ip(kmd, "NONE", &gc), "the virtual GPU has no such file");

	uint32_t value;
	assert_null(bw_kmd_reg_read(kmd, NULL, 0x1234, &value));
	assert_int_equal(value, 0x1234 * 4);
	const struct bw_kmd_bank bank = {.use_srbm = true, .vmid = 5};
	assert_null(bw_kmd_reg_read(kmd, &bank, 0x10, &value));
	assert_int_equal(value, 5 << 24 | 0x40);
	assert_null(bw_kmd_reg_read(kmd, NULL, 0x10, &value));
	assert_int_equal(value, 0x40);
	assert_null(bw_kmd_reg_write(kmd, &bank, 0x10, 1));

	struct bw_kmd_file *f;
	says(bw_kmd_file_open(kmd, "../x", false, &f), "is not a file of a GPU");
	says(bw_kmd_file_open(kmd, "/etc/passwd", false, &f), "is not a file of a GPU");
	says(bw_kmd_file_open(kmd, "amdgpu_nothing", false, &f),
	     "cannot open debugfs of the virtual GPU/amdgpu_nothing");
	fake_server_kill(&server);
	struct bw_error *err = bw_kmd_reg_read(kmd, NULL, 0x10, &value);
	assert_int_equal(err->code, BW_E_GONE);
	says(err, "the virtual GPU has gone away");
	bw_kmd_close(kmd);
	fake_server_stop(&server);
	unsetenv("BREAKWATER_VGPU");
}

/* A machine: two AMD GPUs, of which the second has its debugfs by minor, and one of another maker.
 */
static char machine[64];

static void put(const char *path, const char *text)
{
	char full[256];
	snprintf(full, sizeof(full), "%s/%s", machine, path);
	for (char *c = full + 1; *c; c++) {
		if (*c == '/') {
			*c = 0;
			mkdir(full, 0755);
			*c = '/';
		}
	}
	FILE *f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_link(const char *path, const char *target)
{
	char full[256];
	snprintf(full, sizeof(full), "%s/%s", machine, path);
	assert_int_equal(symlink(target, full), 0);
}

static void put_card(unsigned n, const char *pci, const char *vendor, const char *driver)
{
	char path[128], target[128];
	snprintf(path, sizeof(path), "sys/devices/pci0/%s/vendor", pci);
	put(path, vendor);
	snprintf(path, sizeof(path), "sys/bus/pci/drivers/%s/bind", driver);
	put(path, "");
	snprintf(path, sizeof(path), "sys/devices/pci0/%s/driver", pci);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	put_link(path, target);
	snprintf(path, sizeof(path), "sys/class/drm/card%u/dev", n);
	put(path, "");
	snprintf(path, sizeof(path), "sys/class/drm/card%u/device", n);
	snprintf(target, sizeof(target), "../../../devices/pci0/%s", pci);
	put_link(path, target);
}

static struct bw_error *linux_open(const char *selector, const char *debugfs, struct bw_kmd **out)
{
	char sys[128], debug[128];
	snprintf(sys, sizeof(sys), "%s/sys", machine);
	snprintf(debug, sizeof(debug), "%s/%s", machine, debugfs);
	return bw_kmd_linux_open(sys, debug, selector, out);
}

static void linux_gpu(void **state)
{
	snprintf(machine, sizeof(machine), "/tmp/bw-machine-XXXXXX");
	assert_non_null(mkdtemp(machine));
	struct bw_kmd *kmd = NULL;
	says(linux_open(NULL, "debug", &kmd), "no AMD GPU");
	put_card(0, "0000:00:02.0", "0x8086\n", "i915");
	struct bw_error *err = linux_open(NULL, "debug", &kmd);
	assert_int_equal(err->code, BW_E_NOT_FOUND);
	bw_error_free(err);
	put_card(2, "0000:0a:00.0", "0x1002\n", "amdgpu");
	put_card(1, "0000:03:00.0", "0x1002\n", "amdgpu");
	put_card(3, "0000:0b:00.0", "0x1002\n", "vfio-pci");
	put("debug/dri/0000:03:00.0/amdgpu_gca_config", "config");
	put("debug/dri/2/name", "amdgpu dev=0000:0a:00.0 unique=0000:0a:00.0\n");
	put("debug/dri/0/name", "i915 dev=0000:00:02.0 unique=0000:00:02.0\n");
	put("empty/x", "");
	put("sys/devices/pci0/0000:03:00.0/mem_info_vram_total", "25753026560\n");

	says(linux_open("7", "debug", &kmd), "there is 1 (0000:03:00.0), 2 (0000:0a:00.0)");
	says(linux_open("first", "debug", &kmd), "names no GPU");
	assert_null(linux_open(NULL, "debug", &kmd));
	assert_string_equal(bw_kmd_pci_address(kmd), "0000:03:00.0");
	assert_false(bw_kmd_is_virtual(kmd));
	assert_string_equal(bw_kmd_choice(kmd), "of 2 AMD GPUs, 1 (0000:03:00.0) is used: --gpu 2 "
						"(0000:0a:00.0) chooses another");
	assert_non_null(strstr(kmd->ops->remedy(kmd, false, EPERM), "a container or a sandbox"));
	put("security/lockdown", "none [integrity] confidentiality\n");
	assert_non_null(strstr(kmd->ops->remedy(kmd, false, EPERM), "the kernel is locked down"));
	put("security/lockdown", "[none] integrity confidentiality\n");
	assert_non_null(strstr(kmd->ops->remedy(kmd, false, EPERM), "a container or a sandbox"));
	struct bw_kmd_file *f;
	char text[64];
	size_t done;
	assert_null(bw_kmd_file_open(kmd, "amdgpu_gca_config", false, &f));
	assert_null(bw_kmd_file_read(f, 3, text, sizeof(text), &done));
	assert_int_equal(done, 3);
	assert_memory_equal(text, "fig", 3);
	bw_kmd_file_close(f);
	assert_null(bw_kmd_file_open(kmd, "sysfs:mem_info_vram_total", false, &f));
	assert_null(bw_kmd_file_read(f, 0, text, sizeof(text), &done));
	assert_memory_equal(text, "25753026560", 11);
	bw_kmd_file_close(f);
	/* no kernel has these: a virtual GPU that a program sees by its files says so itself */
	put("debug/dri/0000:03:00.0/breakwater_clients", "4711 32769 game\n4712 32770 other\n");
	put("debug/dri/0000:03:00.0/breakwater_log", "amdgpu 0000:03:00.0: its own log\n");
	struct bw_kmd_client *c;
	struct bw_str log = {0};
	size_t n;
	assert_null(bw_kmd_clients(kmd, &c, &n));
	assert_int_equal(n, 2);
	assert_int_equal(c[1].pid, 4712);
	assert_int_equal(c[1].pasid, 32770);
	assert_string_equal(c[1].comm, "other");
	free(c);
	assert_null(bw_kmd_log(kmd, &log));
	assert_string_equal(bw_str_text(&log), "amdgpu 0000:03:00.0: its own log\n");
	bw_str_free(&log);
	uint32_t value;
	says(bw_kmd_reg_read(kmd, NULL, 0, &value),
	     "amdgpu_regs2: No such file or directory (this kernel's amdgpu has no such file");
	bw_kmd_close(kmd);

	assert_null(linux_open("0000:0a:00.0", "debug", &kmd));
	assert_null(bw_kmd_choice(kmd));
	assert_null(bw_kmd_file_open(kmd, "name", false, &f)); /* in dri/2 */
	bw_kmd_file_close(f);
	bw_kmd_close(kmd);
	assert_null(linux_open("1", "empty", &kmd));
	says(bw_kmd_file_open(kmd, "amdgpu_regs2", false, &f),
	     "debugfs is not mounted: mount -t debugfs");
	bw_kmd_close(kmd);
	char command[96];
	snprintf(command, sizeof(command), "rm -rf %s", machine);
	assert_int_equal(system(command), 0);
}

/* A server of our own, for the moments of its start that can go wrong. */
static void start_server_with(const char *script, const char *says_what)
{
	char folder[] = "/tmp/bw-parts-XXXXXX", path[64], command[96];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/breakwater-vgpu", folder);
	if (script) {
		FILE *f = fopen(path, "w");
		fputs(script, f);
		fclose(f);
		chmod(path, 0755);
	}
	setenv("BREAKWATER_LIBEXEC", folder, 1);
	struct bw_kmd *kmd = NULL;
	says(bw_kmd_open("virtual", &kmd), says_what);
	assert_null(kmd);
	unsetenv("BREAKWATER_LIBEXEC");
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

static void server_does_not_start(void **state)
{
	start_server_with(NULL, "has no breakwater-vgpu");
	start_server_with("#!/bin/sh\nexit 3\n", "ended before it was ready");
	start_server_with("#!/bin/sh\necho 'no such profile' >&3\nexit 1\n",
			  "the virtual GPU cannot start: no such profile");
	start_server_with("#!/bin/sh\necho ready /no/such/socket >&3\n",
			  "cannot reach the virtual GPU: no server listens on /no/such/socket");
	start_server_with("#!/no/such/shell\n", "cannot start");
	/* Says what it was called with. */
	start_server_with("#!/bin/sh\necho \"$@\" >&3\n",
			  "cannot start: --ready-fd 3 --exit-with-last-client");
}

/* What the user preloads stays, behind the agent, which is in it once at most. */
static void preload(void **state)
{
	char folder[] = "/tmp/bw-parts-XXXXXX", wanted[96];
	assert_non_null(mkdtemp(folder));
	setenv("BREAKWATER_LIBEXEC", folder, 1);
	assert_null(bw_kmd_preload_env());
	snprintf(wanted, sizeof(wanted), "%s/libbreakwater-agent.so", folder);
	FILE *f = fopen(wanted, "w");
	assert_non_null(f);
	fclose(f);
	static const char *const users[] = {NULL, "", "/a/libother.so:libmore.so"};
	for (size_t i = 0; i < 3; i++) {
		if (users[i])
			setenv("LD_PRELOAD", users[i], 1);
		else
			unsetenv("LD_PRELOAD");
		char *text = bw_kmd_preload_env(), *at = strstr(text, folder);
		assert_non_null(at);
		snprintf(wanted, sizeof(wanted), "%s/libbreakwater-agent.so%s%s", folder,
			 i == 2 ? ":" : "", i == 2 ? users[2] : "");
		assert_string_equal(at, wanted);
		setenv("LD_PRELOAD", at, 1);
		char *again = bw_kmd_preload_env();
		assert_string_equal(again + strlen("LD_PRELOAD="), at);
		free(again);
		free(text);
	}
	unsetenv("LD_PRELOAD");
	unsetenv("BREAKWATER_LIBEXEC");
	snprintf(wanted, sizeof(wanted), "%s/libbreakwater-agent.so", folder);
	unlink(wanted);
	rmdir(folder);
}

/* fdinfo as Linux 6.12 writes it: drm_show_fdinfo, amdgpu_show_fdinfo. */
#define FDINFO(driver, pci, pasid)                                                                 \
	"pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t561\ndrm-driver:\t" driver                  \
	"\ndrm-client-id:\t12\ndrm-pdev:\t" pci "\npasid:\t" pasid                                 \
	"\ndrm-memory-vram:\t8 KiB\ndrm-engine-gfx:\t77 ns\n"

static void clients(void **state)
{
	snprintf(machine, sizeof(machine), "/tmp/bw-proc-XXXXXX");
	assert_non_null(mkdtemp(machine));
	put("100/comm", "game\n");
	put("100/fdinfo/0", "pos:\t0\nflags:\t02\nmnt_id:\t1\n");
	put("100/fdinfo/5", FDINFO("amdgpu", "0000:03:00.0", "32770"));
	put("100/fdinfo/6", FDINFO("amdgpu", "0000:03:00.0", "32770")); /* a dup() of it */
	put("100/fdinfo/7", FDINFO("amdgpu", "0000:03:00.0", "32771"));
	put("100/fdinfo/8", FDINFO("amdgpu", "0000:0a:00.0", "32772"));
	put("200/comm", "a name: with more\n");
	put("200/fdinfo/3", FDINFO("i915", "0000:03:00.0", "9"));
	put("200/fdinfo/4", FDINFO("amdgpu", "0000:03:00.0", "70000"));
	put("self/fdinfo/4", FDINFO("amdgpu", "0000:03:00.0", "32773"));
	struct bw_kmd_client *c;
	size_t n;
	assert_null(bw_kmd_linux_clients(machine, "0000:03:00.0", &c, &n));
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(c[i].pid, 100);
		assert_string_equal(c[i].comm, "game");
		assert_true(c[i].pasid == 32770 || c[i].pasid == 32771);
	}
	assert_int_not_equal(c[0].pasid, c[1].pasid);
	free(c);
	assert_null(bw_kmd_linux_clients(machine, "0000:0a:00.0", &c, &n));
	assert_int_equal(n, 1);
	assert_int_equal(c[0].pasid, 32772);
	free(c);
	assert_null(bw_kmd_linux_clients(machine, "0000:0b:00.0", &c, &n));
	assert_int_equal(n, 0);
	free(c);

	struct bw_kmd_client v;
	assert_true(bw_kmd_parse_client("4711 32769 a b\n1 2 c\n", &v));
	assert_int_equal(v.pid, 4711);
	assert_int_equal(v.pasid, 32769);
	assert_string_equal(v.comm, "a b");
	assert_false(bw_kmd_parse_client("4711\n", &v));
	assert_false(bw_kmd_parse_client("4711 70000 a\n", &v));
	assert_false(bw_kmd_parse_client("", &v));
	char command[128];
	snprintf(command, sizeof(command), "rm -r %s", machine);
	assert_int_equal(system(command), 0);
}

static int forget_vgpu(void **state)
{
	return unsetenv("BREAKWATER_VGPU");
}

TESTS_AROUND(forget_vgpu, NULL, virtual_gpu, linux_gpu, clients, server_does_not_start, preload);
