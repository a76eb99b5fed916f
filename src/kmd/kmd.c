/* SPDX-License-Identifier: MIT */
#include "kmd/no_discovery.h"
#include "kmd/kmd.h"

#include <amdgpu_drm.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "kmd/kmd_priv.h"
#include "kmd/regs.h"

/* amdgpu_regs2 (doc/hardware/kernel-interface.md 4.4, amd/amdgpu/amdgpu_umr.h) */
struct regs2_state {
	uint32_t use_srbm, use_grbm, pg_lock;
	uint32_t se, sh, instance;
	uint32_t me, pipe, queue, vmid;
	uint32_t xcc_id; /* V2 only */
};
#define REGS2_SET_STATE _IOC(_IOC_READ | _IOC_WRITE, 0x20, 0, 40)
#define REGS2_SET_STATE_V2 _IOC(_IOC_READ | _IOC_WRITE, 0x20, 1, 44)
_Static_assert(sizeof(struct regs2_state) == 44, "kernel layout");

static bool is_virtual_selector(const char *selector, const char **out_profile)
{
	if (!selector || !bw_starts_with(selector, "virtual"))
		return false;
	const char *rest = selector + strlen("virtual");
	*out_profile = *rest == ':' ? rest + 1 : NULL;
	return !*rest || *rest == ':';
}

struct bw_error *bw_kmd_open(const char *selector, struct bw_kmd **out)
{
	const char *profile = NULL;
	if (is_virtual_selector(selector, &profile))
		return bw_kmd_virtual_open(profile, out);
	struct bw_error *err = bw_kmd_linux_open("/sys", "/sys/kernel/debug", selector, out);
	if (!selector && bw_error_catch(&err, BW_E_NOT_FOUND))
		return bw_kmd_virtual_open(NULL, out);
	return err;
}

bool bw_kmd_means_virtual(const char *selector)
{
	const char *profile;
	struct bw_kmd *kmd = NULL;
	if (selector)
		return is_virtual_selector(selector, &profile);
	struct bw_error *err = bw_kmd_linux_open("/sys", "/sys/kernel/debug", NULL, &kmd);
	bool there_is_none = bw_error_catch(&err, BW_E_NOT_FOUND);
	bw_error_free(err);
	bw_kmd_close(kmd);
	return there_is_none;
}

void bw_kmd_close(struct bw_kmd *kmd)
{
	if (!kmd)
		return;
	bw_kmd_file_close(kmd->regs2);
	pthread_mutex_destroy(&kmd->regs_lock);
	kmd->ops->close(kmd);
}

bool bw_kmd_is_virtual(const struct bw_kmd *kmd)
{
	return kmd->ops->is_virtual;
}

const char *bw_kmd_pci_address(const struct bw_kmd *kmd)
{
	return kmd->pci_address;
}

const char *bw_kmd_choice(const struct bw_kmd *kmd)
{
	return kmd->choice;
}

const char *const *bw_kmd_program_env(struct bw_kmd *kmd)
{
	return kmd->ops->program_env(kmd);
}

int bw_kmd_liveness_fd(const struct bw_kmd *kmd)
{
	return kmd->ops->liveness_fd(kmd);
}

uint64_t bw_kmd_n_clients_ever(struct bw_kmd *kmd)
{
	return kmd->ops->n_clients_ever ? kmd->ops->n_clients_ever(kmd) : 0;
}

pid_t bw_kmd_server_pid(const struct bw_kmd *kmd)
{
	return kmd->ops->server_pid(kmd);
}

static int by_count(const void *a, const void *b)
{
	const struct bw_kmd_fidelity_row *x = a, *y = b;
	int name = strcmp(x->name, y->name);
	return x->count != y->count ? (x->count < y->count ? 1 : -1)
	       : name		    ? name
				    : (int)x->kind - (int)y->kind;
}

struct bw_error *bw_kmd_fidelity(struct bw_kmd *kmd, struct bw_kmd_fidelity_row **out_rows,
				 size_t *out_n)
{
	if (!kmd->ops->fidelity)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "--fidelity needs the virtual GPU; %s is hardware",
				 kmd->pci_address);
	BW_TRY(kmd->ops->fidelity(kmd, out_rows, out_n));
	qsort(*out_rows, *out_n, sizeof(**out_rows), by_count);
	return NULL;
}

/* The request is carried out nevertheless when the virtual GPU continues. */
static struct bw_error *interrupted(void)
{
	return bw_errorf(BW_E_INTERRUPTED, "Quit: the virtual GPU has not answered");
}

/* Adds to an error of the system what can be done about it. */
static struct bw_error *with_remedy(struct bw_kmd *kmd, bool sysfs, int errnum,
				    struct bw_error *err)
{
	const char *remedy = kmd->ops->remedy(kmd, sysfs, errnum);
	char *longer = NULL;
	if (remedy && err->message && err->code == BW_E_SYSTEM &&
	    asprintf(&longer, "%s (%s)", err->message, remedy) >= 0) {
		free(err->message);
		err->message = longer;
	}
	return err;
}

static struct bw_error *file_error(struct bw_kmd_file *f, int result, const char *what)
{
	if (result == -ENODEV && f->kmd->ops->is_virtual)
		return bw_errorf(BW_E_GONE, "the virtual GPU has gone away");
	if (result == -EINTR && f->kmd->ops->is_virtual)
		return interrupted();
	struct bw_error *err = bw_error_errno(-result, "cannot %s %s", what, f->name);
	return result == -EOPNOTSUPP ? with_remedy(f->kmd, false, -result, err) : err;
}

struct bw_error *bw_kmd_file_open(struct bw_kmd *kmd, const char *name, bool writable,
				  struct bw_kmd_file **out)
{
	bool sysfs = bw_starts_with(name, "sysfs:");
	const char *path = sysfs ? name + strlen("sysfs:") : name;
	if (!*path || *path == '/' || strstr(path, ".."))
		return bw_errorf(BW_E_INVALID, "'%s' is not a file of a GPU", name);
	struct bw_kmd_file *f = NULL;
	char *copy = strdup(path);
	int r = copy ? kmd->ops->file_open(kmd, sysfs, path, writable ? O_RDWR : O_RDONLY, &f)
		     : -ENOMEM;
	if (!r) {
		f->name = copy;
		*out = f;
		return NULL;
	}
	free(copy);
	if (r == -ENODEV && kmd->ops->is_virtual)
		return bw_errorf(BW_E_GONE, "the virtual GPU has gone away");
	if (r == -EINTR && kmd->ops->is_virtual)
		return interrupted();
	return with_remedy(
		kmd, sysfs, -r,
		bw_error_errno(-r, "cannot open %s/%s", kmd->ops->place(kmd, sysfs), path));
}

void bw_kmd_file_close(struct bw_kmd_file *f)
{
	if (!f)
		return;
	free(f->name);
	f->kmd->ops->file_close(f);
}

struct bw_error *bw_kmd_file_ioctl(struct bw_kmd_file *f, uint32_t cmd, void *arg)
{
	int r = f->kmd->ops->file_ioctl(f, cmd, arg);
	return r < 0 ? file_error(f, r, "set up") : NULL;
}

struct bw_error *bw_kmd_active_cus(struct bw_kmd *kmd, unsigned *out)
{
	struct drm_amdgpu_info_device dev = {0};
	struct drm_amdgpu_info q = {.return_pointer = (uintptr_t)&dev,
				    .return_size = sizeof(dev),
				    .query = AMDGPU_INFO_DEV_INFO};
	int r = kmd->ops->drm_ioctl(kmd, DRM_IOCTL_AMDGPU_INFO, &q);
	if (r < 0)
		return bw_error_errno(-r, "the render node does not describe the device");
	if (!dev.cu_active_number)
		return bw_errorf(BW_E_UNSUPPORTED, "the driver does not say which CUs are active");
	*out = dev.cu_active_number;
	return NULL;
}

struct bw_error *bw_kmd_file_read(struct bw_kmd_file *f, uint64_t pos, void *out, size_t size_b,
				  size_t *out_done)
{
	ssize_t n = f->kmd->ops->file_read(f, pos, out, size_b);
	if (n < 0)
		return file_error(f, (int)n, "read");
	*out_done = (size_t)n;
	return NULL;
}

struct bw_error *bw_kmd_file_write(struct bw_kmd_file *f, uint64_t pos, const void *data,
				   size_t size_b, size_t *out_done)
{
	ssize_t n = f->kmd->ops->file_write(f, pos, data, size_b);
	if (n < 0)
		return file_error(f, (int)n, "write");
	*out_done = (size_t)n;
	return NULL;
}

/* Registers */

static bool same_bank(const struct bw_kmd_bank *a, const struct bw_kmd_bank *b)
{
	return a->use_grbm == b->use_grbm && a->use_srbm == b->use_srbm && a->se == b->se &&
	       a->sa == b->sa && a->instance == b->instance && a->me == b->me &&
	       a->pipe == b->pipe && a->queue == b->queue && a->vmid == b->vmid && a->xcc == b->xcc;
}

static struct regs2_state state_of(const struct bw_kmd_bank *bank)
{
	return (struct regs2_state){
		.use_srbm = bank->use_srbm,
		.use_grbm = bank->use_grbm,
		.se = bank->se,
		.sh = bank->sa,
		.instance = bank->instance,
		.me = bank->me,
		.pipe = bank->pipe,
		.queue = bank->queue,
		.vmid = bank->vmid,
		.xcc_id = bank->xcc,
	};
}

static struct bw_error *select_bank(struct bw_kmd *kmd, const struct bw_kmd_bank *bank)
{
	static const struct bw_kmd_bank none;
	if (!bank)
		bank = &none;
	if (!kmd->regs2)
		BW_TRY(bw_kmd_file_open(kmd, "amdgpu_regs2", true, &kmd->regs2));
	if (kmd->bank_known && same_bank(bank, &kmd->bank))
		return NULL;
	struct regs2_state s = state_of(bank);
	kmd->bank_known = false;
	int r = -ENOTTY;
	if (!kmd->regs2_v1)
		r = kmd->ops->file_ioctl(kmd->regs2, REGS2_SET_STATE_V2, &s);
	/* 6.1 answers an unknown number of this file with EINVAL. */
	if (r == -EINVAL || r == -ENOTTY) {
		if (bank->xcc)
			return bw_errorf(BW_E_UNSUPPORTED,
					 "this kernel's amdgpu_regs2 selects no XCC but the first: "
					 "that needs Linux 6.12 or newer");
		int r1 = kmd->ops->file_ioctl(kmd->regs2, REGS2_SET_STATE, &s);
		if (!r1)
			kmd->regs2_v1 = true;
		r = r1;
	}
	if (r < 0)
		return file_error(kmd->regs2, r, "select a register bank in");
	kmd->bank = *bank;
	kmd->bank_known = true;
	return NULL;
}

/* n: what the read or write has returned */
static struct bw_error *access_error(struct bw_kmd *kmd, uint32_t addr_dw, bool write, ssize_t n)
{
	if (n < 0)
		return bw_error_wrap(file_error(kmd->regs2, (int)n, write ? "write" : "read"),
				     "register %#x", addr_dw);
	if (n != 4)
		return bw_errorf(BW_E_INVALID, "register %#x: amdgpu_regs2 ends before it",
				 addr_dw);
	return NULL;
}

static struct bw_error *reg_access(struct bw_kmd *kmd, const struct bw_kmd_bank *bank,
				   uint32_t addr_dw, bool write, uint32_t *value)
{
	BW_TRY(select_bank(kmd, bank));
	uint64_t pos = (uint64_t)addr_dw * 4;
	ssize_t n = write ? kmd->ops->file_write(kmd->regs2, pos, value, 4)
			  : kmd->ops->file_read(kmd->regs2, pos, value, 4);
	return access_error(kmd, addr_dw, write, n);
}

/* A request that was given up may be carried out at any later moment, and select its bank then: so
 * that file is not used again. */
static struct bw_error *new_bank_after(struct bw_kmd *kmd, struct bw_error *err)
{
	if (!err || err->code != BW_E_INTERRUPTED)
		return err;
	bw_kmd_file_close(kmd->regs2);
	kmd->regs2 = NULL;
	kmd->bank_known = false;
	return err;
}

struct bw_error *bw_kmd_reg_read(struct bw_kmd *kmd, const struct bw_kmd_bank *bank,
				 uint32_t addr_dw, uint32_t *out_value)
{
	uint32_t value = 0;
	pthread_mutex_lock(&kmd->regs_lock);
	struct bw_error *err = new_bank_after(kmd, reg_access(kmd, bank, addr_dw, false, &value));
	pthread_mutex_unlock(&kmd->regs_lock);
	if (!err)
		*out_value = value;
	return err;
}

struct bw_error *bw_kmd_reg_write(struct bw_kmd *kmd, const struct bw_kmd_bank *bank,
				  uint32_t addr_dw, uint32_t value)
{
	pthread_mutex_lock(&kmd->regs_lock);
	struct bw_error *err = new_bank_after(kmd, reg_access(kmd, bank, addr_dw, true, &value));
	pthread_mutex_unlock(&kmd->regs_lock);
	return err;
}

/* Up to half of BW_KMD_MANY accesses in one go, as each may need its bank selected. */
static struct bw_error *access_some(struct bw_kmd *kmd, struct bw_kmd_reg *list, size_t n)
{
	struct regs2_state state[BW_KMD_MANY / 2];
	struct bw_kmd_access made[BW_KMD_MANY];
	size_t at[BW_KMD_MANY / 2], n_made = 0;
	/* says which state this kernel takes */
	BW_TRY(select_bank(kmd, &list[0].bank));
	for (size_t i = 0; i < n; i++) {
		if (i && !same_bank(&list[i].bank, &list[i - 1].bank)) {
			state[i] = state_of(&list[i].bank);
			made[n_made++] = (struct bw_kmd_access){
				.kind = BW_KMD_IOCTL,
				.cmd = kmd->regs2_v1 ? REGS2_SET_STATE : REGS2_SET_STATE_V2,
				.size_b = kmd->regs2_v1 ? _IOC_SIZE(REGS2_SET_STATE)
							: _IOC_SIZE(REGS2_SET_STATE_V2),
				.data = &state[i]};
		}
		at[i] = n_made;
		made[n_made++] =
			(struct bw_kmd_access){.kind = list[i].write ? BW_KMD_WRITE : BW_KMD_READ,
					       .pos = (uint64_t)list[i].addr_dw * 4,
					       .size_b = sizeof(list[i].value),
					       .data = &list[i].value};
	}
	kmd->bank_known = false;
	int r = kmd->ops->file_many(kmd->regs2, made, n_made);
	if (r < 0)
		return file_error(kmd->regs2, r, "access");
	for (size_t i = 0; i < n; i++) {
		bool selects = at[i] && made[at[i] - 1].kind == BW_KMD_IOCTL;
		if (selects && made[at[i] - 1].result < 0)
			return file_error(kmd->regs2, made[at[i] - 1].result,
					  "select a register bank in");
		BW_TRY(access_error(kmd, list[i].addr_dw, list[i].write, made[at[i]].result));
	}
	kmd->bank = list[n - 1].bank;
	kmd->bank_known = true;
	return NULL;
}

struct bw_error *bw_kmd_regs(struct bw_kmd *kmd, struct bw_kmd_reg *list, size_t n)
{
	const size_t some = kmd->ops->file_many ? BW_KMD_MANY / 2 : 1;
	struct bw_error *err = NULL;
	pthread_mutex_lock(&kmd->regs_lock);
	for (size_t i = 0; i < n && !err; i += some) {
		struct bw_kmd_reg *r = &list[i];
		err = kmd->ops->file_many
			      ? access_some(kmd, r, BW_MIN(some, n - i))
			      : reg_access(kmd, &r->bank, r->addr_dw, r->write, &r->value);
		err = new_bank_after(kmd, err);
	}
	pthread_mutex_unlock(&kmd->regs_lock);
	return err;
}

/* ip_discovery */

static struct bw_error *read_text(struct bw_kmd *kmd, const char *name, char *out, size_t size_b)
{
	struct bw_kmd_file *f;
	BW_TRY(bw_kmd_file_open(kmd, name, false, &f));
	size_t done = 0;
	struct bw_error *err = bw_kmd_file_read(f, 0, out, size_b - 1, &done);
	bw_kmd_file_close(f);
	if (!err)
		out[done] = 0;
	return err;
}

static struct bw_error *read_ip_number(struct bw_kmd *kmd, const char *block, unsigned instance,
				       const char *what, uint8_t *out)
{
	char name[128], text[64];
	snprintf(name, sizeof(name), "sysfs:ip_discovery/die/0/%s/%u/%s", block, instance, what);
	BW_TRY(read_text(kmd, name, text, sizeof(text)));
	text[strcspn(text, "\n")] = 0;
	uint64_t v;
	if (!bw_parse_u64(text, &v) || v > UINT8_MAX)
		return bw_errorf(BW_E_INVALID, "%s says '%s', which is not a version number",
				 name + 6, text);
	*out = (uint8_t)v;
	return NULL;
}

static struct bw_error *read_ip(struct bw_kmd *kmd, const char *block, unsigned instance,
				struct bw_kmd_ip *out)
{
	struct bw_kmd_ip ip = {0};
	char name[128], text[512];
	BW_TRY(read_ip_number(kmd, block, instance, "major", &ip.major));
	BW_TRY(read_ip_number(kmd, block, instance, "minor", &ip.minor));
	BW_TRY(read_ip_number(kmd, block, instance, "revision", &ip.revision));
	snprintf(name, sizeof(name), "sysfs:ip_discovery/die/0/%s/%u/base_addr", block, instance);
	BW_TRY(read_text(kmd, name, text, sizeof(text)));
	char *save = NULL;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		uint64_t v;
		if (ip.n_segments == sizeof(ip.segment) / sizeof(ip.segment[0]) ||
		    !bw_parse_u64(line, &v) || v > UINT32_MAX)
			return bw_errorf(BW_E_INVALID,
					 "%s holds '%s', which is not a register segment", name + 6,
					 line);
		ip.segment[ip.n_segments++] = (uint32_t)v;
	}
	*out = ip;
	return NULL;
}

/* The driver has no folder of blocks at all, and the GPU is one of which they are known. */
static bool find_ip(struct bw_kmd *kmd, const char *block, struct bw_kmd_ip *out)
{
	char text[64];
	uint8_t major;
	uint64_t device;
	_cleanup_error_ struct bw_error *no_gc = read_ip_number(kmd, "GC", 0, "major", &major);
	if (!no_gc)
		return false;
	_cleanup_error_ struct bw_error *err = read_text(kmd, "sysfs:device", text, sizeof(text));
	if (err)
		return false;
	text[strcspn(text, "\n")] = 0;
	return bw_parse_u64(text, &device) && bw_kmd_ip_without_discovery(device, block, out);
}

struct bw_error *bw_kmd_ip(struct bw_kmd *kmd, const char *block, struct bw_kmd_ip *out)
{
	struct bw_error *err = read_ip(kmd, block, 0, out);
	if (!err || !find_ip(kmd, block, out))
		return err;
	bw_error_free(err);
	return NULL;
}

/* Whether there is such an instance of the graphics block, and it works. The kernel numbers its
 * XCCs by the bits of xcc_mask, which leaves out what is harvested (amdgpu_discovery.c). */
static bool is_working_gc(struct bw_kmd *kmd, unsigned instance)
{
	uint8_t major, harvest = 0;
	struct bw_error *none = read_ip_number(kmd, "GC", instance, "major", &major);
	bool is_there = !none;
	bw_error_free(none);
	if (is_there)
		bw_error_free(read_ip_number(kmd, "GC", instance, "harvest", &harvest));
	return is_there && !harvest;
}

bool bw_kmd_has_xccs(struct bw_kmd *kmd)
{
	struct bw_kmd_ip second;
	_cleanup_error_ struct bw_error *none = bw_kmd_xcc(kmd, 1, &second);
	return !none;
}

struct bw_error *bw_kmd_xcc(struct bw_kmd *kmd, unsigned xcc, struct bw_kmd_ip *out)
{
	enum { MAX_INSTANCES = 16 };
	unsigned n = 0;
	for (unsigned i = 0; i < MAX_INSTANCES; i++)
		if (is_working_gc(kmd, i) && n++ == xcc)
			return read_ip(kmd, "GC", i, out);
	if (n == 1)
		return bw_errorf(BW_E_NOT_FOUND, "this GPU has one XCC (graphics block), number 0");
	return bw_errorf(BW_E_NOT_FOUND, "this GPU has %u XCCs (graphics blocks), numbers 0 to %u",
			 n, n ? n - 1 : 0);
}

/* Parts of the program */

static struct bw_error *try_part(const char *folder, const char *sub, const char *name,
				 char **out_path)
{
	char *path = NULL;
	if (asprintf(&path, "%s/%s%s", folder, sub, name) < 0)
		return bw_error_nomem();
	if (access(path, R_OK)) {
		struct bw_error *err = bw_error_errno(errno, "%s", path);
		free(path);
		return err;
	}
	*out_path = path;
	return NULL;
}

static void cut_name(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
}

/* The folder of libbreakwater.so, when this code is part of that; false: of the program. The name
 * of the program is its argv[0], which has no slash where a shell has found it by PATH: a file of
 * that name here is another one. Libraries are opened by paths. */
static bool library_folder(const char *exe, char out[PATH_MAX])
{
	Dl_info info;
	if (!dladdr(library_folder, &info) || !info.dli_fname || !strchr(info.dli_fname, '/') ||
	    !realpath(info.dli_fname, out) || !strcmp(out, exe))
		return false;
	cut_name(out);
	return true;
}

struct bw_error *bw_kmd_find_part(const char *name, char **out_path)
{
	static const char *const subs[] = {"", "../libexec/breakwater/",
					   "../../libexec/breakwater/"};
	enum { PROGRAM_SUBS = 2, LIBRARY_SUBS = 3 };
	const char *folder = getenv("BREAKWATER_LIBEXEC");
	if (folder && *folder)
		return bw_error_wrap(try_part(folder, "", name, out_path),
				     "the folder that BREAKWATER_LIBEXEC names has no %s", name);
	char exe[PATH_MAX], library[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n < 0)
		return bw_error_errno(errno, "cannot read /proc/self/exe");
	exe[n] = 0;
	bool in_library = library_folder(exe, library);
	cut_name(exe);
	const char *from = in_library ? library : exe;
	for (size_t i = 0; i < (in_library ? LIBRARY_SUBS : PROGRAM_SUBS); i++) {
		_cleanup_error_ struct bw_error *err = try_part(from, subs[i], name, out_path);
		if (!err)
			return NULL;
	}
	return bw_errorf(BW_E_NOT_FOUND,
			 "%s is neither in %s nor in %s/../libexec/breakwater: the installation is "
			 "not complete",
			 name, from, from);
}
