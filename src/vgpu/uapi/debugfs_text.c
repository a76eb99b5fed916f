/* SPDX-License-Identifier: MIT */
/* Files of debugfs that are text: what the driver holds, as the kernel prints it. */
#include <amdgpu_drm.h>
#include <stdio.h>
#include <string.h>

#include "vgpu/device/vbios.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/server_priv.h"

/* Calls fn for each DRM file. Lock held. */
static void each_drm_file(struct bw_uapi *u, struct bw_str *s,
			  void (*fn)(const struct bw_client *c, const struct bw_drm_file *f,
				     struct bw_str *s))
{
	bw_vec_each(&u->clients, c) {
		bw_ids_each(&(*c)->files, i) {
			const struct bw_client_file *f = (*c)->files.slot[i];
			if (f->drm)
				fn(*c, f->drm, s);
		}
	}
}

static void print_client(const struct bw_client *c, const struct bw_drm_file *f, struct bw_str *s)
{
	bool is_master = f->u->master == f;
	bw_str_addf(s, "%20s %5d %3d   %c    %c %5d %10u\n", c->comm, c->pid, (int)f->minor,
		    is_master ? 'y' : 'n', f->authenticated ? 'y' : 'n', 0, f->magic);
}

/* drm_clients_info of 6.12 */
void bw_text_clients(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_addf(s, "%20s %5s %3s master a %5s %10s\n", "command", "tgid", "dev", "uid",
		    "magic");
	pthread_mutex_lock(&u->lock);
	each_drm_file(u, s, print_client);
	pthread_mutex_unlock(&u->lock);
}

/* drm_gem_name_info */
void bw_text_gem_names(struct bw_uapi *u, struct bw_str *s)
{
	bw_str_add(s, "  name     size handles refcount\n");
	pthread_mutex_lock(&u->lock);
	bw_ids_each(&u->names, i) {
		const struct bw_drm_bo *bo = u->names.slot[i];
		bw_str_addf(s, "%6u %8llu %7u %8u\n", bo->name, (unsigned long long)bo->size_b,
			    bo->n_handles, bo->refs);
	}
	pthread_mutex_unlock(&u->lock);
}

/* amdgpu_bo_print_info */
static void print_bo(unsigned id, const struct bw_drm_bo *bo, struct bw_str *s)
{
	static const struct {
		uint64_t flag;
		const char *name;
	} flags[] = {
		{AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED, " CPU_ACCESS_REQUIRED"},
		{AMDGPU_GEM_CREATE_NO_CPU_ACCESS, " NO_CPU_ACCESS"},
		{AMDGPU_GEM_CREATE_CPU_GTT_USWC, " CPU_GTT_USWC"},
		{AMDGPU_GEM_CREATE_VRAM_CLEARED, " VRAM_CLEARED"},
		{AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS, " VRAM_CONTIGUOUS"},
		{AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, " VM_ALWAYS_VALID"},
		{AMDGPU_GEM_CREATE_EXPLICIT_SYNC, " EXPLICIT_SYNC"},
	};
	bw_str_addf(s, "\t\t0x%08x: %12llu byte %s", id, (unsigned long long)bo->size_b,
		    bo->in_vram ? "VRAM VISIBLE" : "GTT");
	if (bo->exported)
		bw_str_addf(s, " exported as ino:%llu", (unsigned long long)bo->ino);
	for (size_t i = 0; i < BW_ARRAY_SIZE(flags); i++)
		if (bo->flags & flags[i].flag)
			bw_str_add(s, flags[i].name);
	bw_str_add(s, "\n");
}

static void print_gem(const struct bw_client *c, const struct bw_drm_file *f, struct bw_str *s)
{
	bw_str_addf(s, "pid %8d command %s:\n", c->pid, c->comm);
	bw_ids_each(&f->bos, i)
		print_bo((unsigned)i, f->bos.slot[i], s);
}

void bw_text_gem_info(struct bw_uapi *u, struct bw_str *s)
{
	pthread_mutex_lock(&u->lock);
	each_drm_file(u, s, print_gem);
	pthread_mutex_unlock(&u->lock);
}

/* amdgpu_debugfs_fence_info_show. No job is ever preempted here, and none ends by
 * CP_VMID_RESET. */
void bw_text_fence_info(struct bw_uapi *u, struct bw_str *s)
{
	pthread_mutex_lock(&u->lock);
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++) {
		const struct bw_drm_ring *r = &u->rings[i];
		bool is_gfx = !r->is_sdma && !r->me;
		bw_str_addf(s, "--- ring %u (%s) ---\n", i, r->name);
		bw_str_addf(s, "Last signaled fence          0x%08x\n",
			    (uint32_t)bw_drm_ring_signaled(u, r));
		bw_str_addf(s, "Last emitted                 0x%08x\n", (uint32_t)r->emitted);
		if (is_gfx || r->is_sdma)
			bw_str_add(s, "Last signaled trailing fence 0x00000000\n"
				      "Last emitted                 0x00000000\n");
		if (is_gfx)
			bw_str_add(s, "Last preempted               0x00000000\n"
				      "Last reset                   0x00000000\n"
				      "Last both                    0x00000000\n");
	}
	pthread_mutex_unlock(&u->lock);
}

void bw_text_vm_info(struct bw_uapi *u, struct bw_str *s)
{
	pthread_mutex_lock(&u->lock);
	bw_vec_each(&u->vms, vm) {
		bw_str_addf(s, "pid:%d\tProcess:%s ----------\n", (*vm)->pid, (*vm)->comm);
		uint64_t total = 0, n = 0;
		bw_vec_each(&(*vm)->maps, m) {
			if (!m->bo || (m > (*vm)->maps.data && m[-1].bo == m->bo))
				continue;
			bw_str_addf(s, "\t\t0x%08llx: %12llu byte %s%s\n", (unsigned long long)n++,
				    (unsigned long long)m->bo->size_b,
				    m->bo->in_vram ? "VRAM VISIBLE" : "GTT",
				    m->bo->vm ? " VM_ALWAYS_VALID" : "");
			total += m->bo->size_b;
		}
		bw_str_addf(s, "\tTotal idle size:    %12llu\tobjs:\t%llu\n",
			    (unsigned long long)total, (unsigned long long)n);
	}
	pthread_mutex_unlock(&u->lock);
}

void bw_text_firmware_info(struct bw_uapi *u, struct bw_str *s)
{
	for (size_t i = 0; i < u->profile->n_firmware; i++) {
		const struct bw_profile_firmware *f = &u->profile->firmware[i];
		bool sdma = !strcmp(f->name, "SDMA");
		for (unsigned engine = 0; engine < (sdma ? BW_DRM_N_SDMA : 1); engine++) {
			char number[4] = "";
			if (sdma)
				snprintf(number, sizeof(number), "%u", engine);
			bool smc = !strcmp(f->name, "SMC");
			bw_str_addf(s, "%s%s feature version: %u, %sfirmware version: 0x%08x",
				    f->name, number, f->feature, smc ? "program: 0, " : "",
				    f->version);
			if (smc)
				bw_str_addf(s, " (%u.%u.%u)", bw_ip_major(f->version) & 0xff,
					    bw_ip_minor(f->version), bw_ip_revision(f->version));
			bw_str_add(s, "\n");
		}
	}
	bw_str_addf(s, "VBIOS version: " BW_VBIOS_PART_NUMBER "\n", u->profile->name);
}
