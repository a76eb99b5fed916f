/* SPDX-License-Identifier: MIT */
/* The steps that only look: access, registers, page tables, and waves that are halted. */
#include "selftest/selftest_priv.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "gpu/space.h"
#include "guard/guard.h"
#include "scan/halt.h"
#include "scan/scan.h"
#include "trap/trap.h"

/* ---- GFXOFF ---- */

/* Holds it off where that is possible. A guard allows it again if this process is killed, as a step
 * that does not end is. */
static struct bw_error *hold(struct bw_guard *g, struct bw_gpu *gpu)
{
	if (!gpu->gfxoff)
		return NULL;
	BW_TRY(bw_guard_start(g, gpu->kmd, NULL));
	BW_TRY(bw_guard_add_gfxoff(g));
	bw_gpu_hold(gpu);
	return gpu->is_held ? NULL : bw_guard_forget(g);
}

static void allow(struct bw_guard *g, struct bw_gpu *gpu)
{
	if (gpu->is_held) {
		bw_gpu_allow(gpu);
		bw_error_free(bw_guard_forget(g));
	}
	bw_guard_end(g);
}

/* ---- access ---- */

static void try_file(struct bw_selftest_work *w, struct bw_kmd *kmd, const char *file,
		     bool writable)
{
	struct bw_kmd_file *f = NULL;
	_cleanup_error_ struct bw_error *err = bw_kmd_file_open(kmd, file, writable, &f);
	if (f)
		bw_kmd_file_close(f);
	bw_selftest_value(w, file, "%s", err ? err->message : "can be opened");
}

static struct bw_error *need_file(struct bw_selftest_work *w, struct bw_kmd *kmd, const char *file,
				  bool writable)
{
	struct bw_kmd_file *f;
	BW_TRY(bw_kmd_file_open(kmd, file, writable, &f));
	bw_kmd_file_close(f);
	bw_selftest_value(w, file, "can be opened");
	return NULL;
}

static struct bw_error *look_at_access(struct bw_selftest_work *w, struct bw_kmd *kmd)
{
	struct bw_kmd_ip ip;
	char gfx[24];
	bw_selftest_about(w, kmd);
	BW_TRY(bw_kmd_ip(kmd, "GC", &ip));
	uint32_t version = BW_IP_VERSION(ip.major, ip.minor, ip.revision);
	const struct bw_arch *arch = bw_arch_of_code(version);
	size_t handler_b = 0;
	bw_arch_gfx_name(version, gfx, sizeof(gfx));
	bw_selftest_value(w, "gfx", "%s", gfx);
	try_file(w, kmd, "amdgpu_vram", false);
	try_file(w, kmd, "amdgpu_iomem", false);
	try_file(w, kmd, "amdgpu_gfxoff", true);
	BW_TRY(need_file(w, kmd, "amdgpu_regs2", true));
	BW_TRY(need_file(w, kmd, "amdgpu_gca_config", false));
	BW_TRY(need_file(w, kmd, "amdgpu_gprwave", true));
	if (!arch || !bw_trap_handler(arch, &handler_b))
		return bw_errorf(BW_E_UNSUPPORTED, "There is no trap handler for %s", gfx);
	bw_selftest_value(w, "trap handler", "%zu bytes", handler_b);
	return NULL;
}

struct bw_error *bw_selftest_step_access(void *work)
{
	struct bw_selftest_work *w = work;
	struct bw_kmd *kmd;
	BW_TRY(bw_kmd_open(w->gpu, &kmd));
	struct bw_error *err = look_at_access(w, kmd);
	bw_kmd_close(kmd);
	return err;
}

/* ---- registers ---- */

/* Bits of the word that no field of the database has. */
static uint32_t unknown_bits(const struct bw_reg *reg, uint32_t value)
{
	uint64_t known = 0;
	for (unsigned i = 0; i < reg->n_fields; i++) {
		struct bw_reg_field f = bw_reg_field(reg, i);
		known |= bw_reg_field_max(f) << f.lo;
	}
	return value & ~(uint32_t)known;
}

/* GB_ADDR_CONFIG as the driver knows it: dword 22 of amdgpu_gca_config
 * (doc/hardware/kernel-interface.md 5.1). */
static struct bw_error *driver_addr_config(struct bw_kmd *kmd, uint32_t *out)
{
	enum { CONFIG_DW = 36, GB_ADDR_CONFIG = 22 };
	struct bw_kmd_file *file;
	uint32_t config[CONFIG_DW] = {0};
	size_t done = 0;
	BW_TRY(bw_kmd_file_open(kmd, "amdgpu_gca_config", false, &file));
	struct bw_error *err = bw_kmd_file_read(file, 0, config, sizeof(config), &done);
	bw_kmd_file_close(file);
	BW_TRY(err);
	if (done <= GB_ADDR_CONFIG * 4)
		return bw_errorf(BW_E_INVALID, "amdgpu_gca_config has %zu bytes, too few", done);
	*out = config[GB_ADDR_CONFIG];
	return NULL;
}

static struct bw_error *look_at_registers(struct bw_selftest_work *w, struct bw_gpu *gpu)
{
	static const char *const names[] = {
		"GRBM_STATUS",	   "GRBM_STATUS2",	 "GB_ADDR_CONFIG",
		"SQ_DEBUG",	   "SH_MEM_CONFIG",	 "SH_MEM_BASES",
		"CP_MEC_CNTL",	   "CP_ME_CNTL",	 "SPI_GDBG_PER_VMID_CNTL",
		"TCP_WATCH0_CNTL", "GCVM_CONTEXT0_CNTL", "GCMC_VM_FB_LOCATION_BASE",
	};
	uint32_t value, from_driver = 0;
	struct bw_reg reg;
	uint32_t addr_dw;
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++) {
		if (!bw_gpu_find(gpu, names[i], &reg, &addr_dw)) {
			bw_selftest_value(w, names[i], "not in the database for this GPU");
			continue;
		}
		bw_selftest_doing(w, "reading %s", names[i]);
		BW_TRY(bw_gpu_read(gpu, NULL, names[i], &value));
		uint32_t unknown = unknown_bits(&reg, value);
		bw_selftest_value(w, names[i],
				  unknown ? "0x%08x, with bits that no field has: 0x%x" : "0x%08x",
				  value, unknown);
		if (value == UINT32_MAX && i == 0)
			return bw_errorf(BW_E_STATE,
					 "%s reads as 0xffffffff: the GPU does not answer",
					 names[0]);
	}
	BW_TRY(driver_addr_config(gpu->kmd, &from_driver));
	BW_TRY(bw_gpu_read(gpu, NULL, "GB_ADDR_CONFIG", &value));
	bw_selftest_value(w, "GB_ADDR_CONFIG of driver", "0x%08x", from_driver);
	return value == from_driver
		       ? NULL
		       : bw_errorf(BW_E_STATE,
				   "GB_ADDR_CONFIG is 0x%08x in the GPU and 0x%08x in the driver",
				   value, from_driver);
}

struct bw_error *bw_selftest_step_registers(void *work)
{
	struct bw_selftest_work *w = work;
	struct bw_kmd *kmd;
	struct bw_gpu gpu = {0};
	struct bw_guard guard = BW_GUARD_INIT;
	BW_TRY(bw_kmd_open(w->gpu, &kmd));
	struct bw_error *err = bw_gpu_take(kmd, &gpu);
	if (err) {
		bw_kmd_close(kmd);
		return err;
	}
	err = hold(&guard, &gpu);
	if (!err)
		err = look_at_registers(w, &gpu);
	allow(&guard, &gpu);
	bw_gpu_close(&gpu);
	return err;
}

/* ---- a wave of the kernel "linger" ---- */

enum { SIGN = 0x5e1f7e57, SIGN_SGPR = 10, ROUND_SGPR = 11, SECONDS = 4, FIND_MS = 3000 };

static const struct bw_selftest_launch linger = {.kernel = "linger",
						 .vgprs = 8,
						 .sgprs = 24,
						 .groups = 1,
						 .buffer = "iota:64:u32",
						 .ticks = SECONDS * BW_SELFTEST_TICKS_A_SECOND};

/* Takes the wave with the sign in its s10 out of a scan. */
static bool take_ours(struct bw_scan_waves *list, struct bw_scan_wave *out)
{
	bool found = false;
	bw_vec_each(list, one) {
		if (found || one->sgprs[SIGN_SGPR] != SIGN)
			continue;
		*out = *one;
		one->vgprs = NULL;
		found = true;
	}
	bw_scan_free(list);
	return found;
}

static struct bw_error *find_wave(struct bw_selftest_program *p, struct bw_gpu *gpu,
				  struct bw_scan_wave *out)
{
	const struct bw_scan scan = {.gpu = gpu, .vmid = -1};
	size_t n_seen = 0;
	bw_selftest_doing(p->w, "looking for the wave of the kernel \"linger\"");
	for (unsigned ms = 0; ms < FIND_MS; ms += 10) {
		struct bw_scan_waves list = {0};
		struct bw_error *err = bw_scan_run(&scan, &list);
		n_seen = list.len;
		bool found = take_ours(&list, out);
		if (err || found)
			return err;
		usleep(10000);
	}
	return bw_errorf(
		BW_E_NOT_FOUND,
		"The wave of the kernel \"linger\" is not among the waves on the GPU (%zu at last)",
		n_seen);
}

static void tell_wave(struct bw_selftest_work *w, const struct bw_scan_wave *one)
{
	char place[32];
	bw_place_text(one->place, place);
	bw_selftest_value(w, "wave", "%s, VMID %u, PC 0x%" PRIx64 ", round %u", place,
			  one->wave.space, one->wave.pc, one->sgprs[ROUND_SGPR]);
}

static struct bw_error *check_result(struct bw_selftest_program *p)
{
	uint32_t words[64];
	bw_selftest_doing(p->w, "waiting for the end of the kernel \"linger\"");
	BW_TRY(bw_selftest_join(p));
	BW_TRY(bw_selftest_output(p, words, 64));
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t expected = i < 32 ? SIGN : i;
		if (words[i] != expected)
			return bw_errorf(
				BW_E_STATE,
				"Word %u of the result of the kernel \"linger\" is 0x%08x, not 0x%08x",
				i, words[i], expected);
	}
	return NULL;
}

static struct bw_error *with_linger(struct bw_selftest_work *w,
				    struct bw_error *(*look)(struct bw_selftest_program *p,
							     struct bw_gpu *gpu))
{
	struct bw_selftest_program p;
	struct bw_gpu gpu = {0};
	struct bw_guard guard = BW_GUARD_INIT;
	struct bw_error *err = bw_selftest_spawn(w, &linger, &p);
	if (!err)
		err = bw_gpu_borrow(p.kmd, &gpu);
	if (!err)
		err = hold(&guard, &gpu);
	if (!err)
		err = look(&p, &gpu);
	if (!err)
		err = check_result(&p);
	allow(&guard, &gpu);
	bw_gpu_close(&gpu);
	bw_selftest_close(&p);
	return err;
}

/* ---- pages ---- */

/* Reads through the page tables and compares; what: for the error. */
static struct bw_error *compare(struct bw_gpu_space *s, uint64_t va, const void *expected,
				size_t size_b, const char *what)
{
	_cleanup_free_ uint8_t *got = malloc(size_b);
	if (!got)
		return bw_error_nomem();
	size_t n = bw_gpu_space_read(s, va, got, size_b);
	if (n < size_b)
		return bw_errorf(BW_E_FAULT,
				 "The page tables lead to %zu of %zu bytes of %s at 0x%" PRIx64, n,
				 size_b, what, va);
	for (size_t i = 0; i < size_b; i++)
		if (got[i] != ((const uint8_t *)expected)[i])
			return bw_errorf(BW_E_STATE,
					 "Byte %zu of %s at 0x%" PRIx64
					 " is 0x%02x by the page tables, not 0x%02x",
					 i, what, va, got[i], ((const uint8_t *)expected)[i]);
	return NULL;
}

static struct bw_error *walk(struct bw_selftest_program *p, struct bw_gpu_space *s,
			     const struct bw_scan_wave *one)
{
	uint64_t arguments = bw_join32(one->sgprs[1], one->sgprs[0]),
		 buffer = bw_join32(one->sgprs[5], one->sgprs[4]),
		 block[2] = {buffer, linger.ticks};
	uint32_t iota[64];
	for (uint32_t i = 0; i < 64; i++)
		iota[i] = i;
	bw_selftest_value(p->w, "arguments", "0x%" PRIx64, arguments);
	bw_selftest_value(p->w, "buffer", "0x%" PRIx64, buffer);
	BW_TRY(compare(s, arguments, block, sizeof(block), "the arguments"));
	BW_TRY(compare(s, buffer, iota, sizeof(iota), "the buffer"));
	/* The wave is somewhere in the loop after the mark; the code is in one piece. */
	uint64_t pc = one->wave.pc;
	for (size_t at = p->kernel.mark_b; at < p->kernel.size_b; at += 4) {
		_cleanup_error_ struct bw_error *other =
			compare(s, pc - at, p->kernel.code, p->kernel.size_b, "the code");
		if (!other) {
			bw_selftest_value(p->w, "code", "0x%" PRIx64 ", PC at +%zu", pc - at, at);
			return NULL;
		}
	}
	return bw_errorf(
		BW_E_STATE,
		"The page tables lead to other code than the kernel's around the PC 0x%" PRIx64,
		pc);
}

static struct bw_error *look_at_pages(struct bw_selftest_program *p, struct bw_gpu *gpu)
{
	struct bw_scan_wave one = {0};
	struct bw_gpu_space space = {0};
	struct bw_kmd_client client;
	BW_TRY(find_wave(p, gpu, &one));
	tell_wave(p->w, &one);
	free(one.vgprs);
	bool is_known = bw_gpu_process_of(gpu->kmd, one.wave.space, &client);
	bw_selftest_value(p->w, "VMID belongs to", "%s",
			  !is_known		 ? "no process that is known"
			  : client.pid == p->pid ? "the program"
						 : "another process");
	bw_selftest_doing(p->w, "walking the page tables of VMID %u", one.wave.space);
	struct bw_error *err =
		bw_gpu_space_open(gpu->kmd, &gpu->part, BW_GPUVM_GC, one.wave.space, &space, NULL);
	if (!err)
		err = walk(p, &space, &one);
	bw_gpu_space_close(&space);
	return err;
}

struct bw_error *bw_selftest_step_pages(void *work)
{
	return with_linger(work, look_at_pages);
}

/* ---- waves ---- */

/* Reads our wave twice while all are halted. */
static struct bw_error *read_halted(struct bw_selftest_program *p, struct bw_gpu *gpu,
				    struct bw_scan_wave out[2])
{
	struct bw_scan_halt h = BW_SCAN_HALT_INIT;
	struct bw_gpu seen = *gpu;
	seen.is_held = false; /* a guard knows that already: GFXOFF is to be allowed once */
	h.gpu = &seen;
	bw_selftest_doing(p->w, "halting all waves");
	struct bw_error *err = bw_scan_halt_begin(&h);
	for (int i = 0; i < 2 && !err; i++) {
		const struct bw_scan scan = {
			.gpu = gpu, .vmid = -1, .reads_vgprs = true, .awaits_halt = true};
		struct bw_scan_waves list = {0};
		bw_selftest_doing(p->w, "reading halted waves");
		err = bw_scan_run(&scan, &list);
		if (!take_ours(&list, &out[i]) && !err)
			err = bw_errorf(BW_E_STATE,
					"The wave is not on the GPU any more while all are halted");
	}
	bw_selftest_doing(p->w, "resuming all waves");
	return bw_scan_halt_end(&h, err);
}

static struct bw_error *check_halted(const struct bw_scan_wave two[2])
{
	if (two[0].wave.pc != two[1].wave.pc ||
	    two[0].sgprs[ROUND_SGPR] != two[1].sgprs[ROUND_SGPR])
		return bw_errorf(BW_E_STATE,
				 "The wave runs although all are halted: PC 0x%" PRIx64
				 " and 0x%" PRIx64 ", round %u and %u",
				 two[0].wave.pc, two[1].wave.pc, two[0].sgprs[ROUND_SGPR],
				 two[1].sgprs[ROUND_SGPR]);
	if (!two[0].vgprs || two[0].wave.n_vgprs < 2)
		return bw_errorf(BW_E_STATE, "No VGPRs of the wave can be read (it has %u)",
				 two[0].wave.n_vgprs);
	for (uint32_t lane = 0; lane < two[0].wave.lanes; lane++) {
		uint32_t v = two[0].vgprs[two[0].wave.lanes + lane];
		if (v != lane * 3 + 7)
			return bw_errorf(BW_E_STATE, "v1 of lane %u is 0x%x, not 0x%x", lane, v,
					 lane * 3 + 7);
	}
	return NULL;
}

static struct bw_error *look_at_waves(struct bw_selftest_program *p, struct bw_gpu *gpu)
{
	struct bw_scan_wave first[2] = {0}, second[2] = {0};
	BW_TRY(find_wave(p, gpu, &first[0]));
	struct bw_error *err = read_halted(p, gpu, first);
	if (!err)
		err = check_halted(first);
	if (!err) {
		tell_wave(p->w, &first[0]);
		usleep(100000);
		err = read_halted(p, gpu, second);
	}
	if (!err) {
		tell_wave(p->w, &second[0]);
		err = check_halted(second);
	}
	if (!err && second[0].sgprs[ROUND_SGPR] == first[0].sgprs[ROUND_SGPR])
		err = bw_errorf(BW_E_STATE, "The wave has not run after it was resumed: round %u",
				first[0].sgprs[ROUND_SGPR]);
	for (int i = 0; i < 2; i++) {
		free(first[i].vgprs);
		free(second[i].vgprs);
	}
	return err;
}

struct bw_error *bw_selftest_step_waves(void *work)
{
	return with_linger(work, look_at_waves);
}
