/* SPDX-License-Identifier: MIT */
/* Processes and their VMIDs: the PASIDs of a process's DRM files (fdinfo), and the table in the
 * interrupt block that says which VMID has which PASID (doc/hardware/kernel-interface.md 1). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cli/look/gpu.h"
#include "cli/vm.h"

static bool is_named(const struct bw_kmd_client *c, const char *text)
{
	uint64_t pid;
	return bw_parse_u64(text, &pid) ? pid == (uint64_t)c->pid : !strcmp(text, c->comm);
}

static void add_client(struct bw_str *s, const struct bw_kmd_client *c)
{
	bw_str_addf(s, "%s%s (%d)", s->len ? ", " : "", c->comm, (int)c->pid);
}

/* Processes that are meant: more than one is an error, as is none. */
static struct bw_error *choose(const char *text, const struct bw_kmd_client *clients, size_t n,
			       pid_t *out)
{
	struct bw_str all = {0}, meant = {0};
	struct bw_error *err = NULL;
	unsigned n_meant = 0;
	for (size_t i = 0; i < n; i++) {
		bool is_new = true;
		for (size_t k = 0; k < i; k++)
			is_new &= clients[k].pid != clients[i].pid;
		if (!is_new)
			continue;
		add_client(&all, &clients[i]);
		if (is_named(&clients[i], text)) {
			add_client(&meant, &clients[i]);
			*out = clients[i].pid;
			n_meant++;
		}
	}
	if (!n_meant)
		err = bw_errorf(BW_E_NOT_FOUND,
				"\"%s\" is neither a VMID (0 to 15) nor a process that uses this "
				"GPU: %s%s",
				text, all.len ? "these do: " : "none is seen", bw_str_text(&all));
	else if (n_meant > 1)
		err = bw_errorf(BW_E_INVALID, "\"%s\" is the name of several processes: %s", text,
				bw_str_text(&meant));
	bw_str_free(&all);
	bw_str_free(&meant);
	return err;
}

static struct bw_error *vmid_of(struct bw_kmd *kmd, bool is_mm, const char *text, unsigned *out)
{
	_cleanup_free_ struct bw_kmd_client *clients = NULL;
	uint32_t lut[BW_GPU_VMIDS];
	size_t n = 0;
	pid_t pid = 0;
	struct bw_str found = {0};
	unsigned n_found = 0;
	BW_TRY(bw_kmd_clients(kmd, &clients, &n));
	BW_TRY(choose(text, clients, n, &pid));
	BW_TRY(bw_gpu_pasids(kmd, is_mm, lut));
	for (unsigned vmid = 1; vmid < BW_GPU_VMIDS; vmid++)
		for (size_t i = 0; lut[vmid] && i < n; i++) {
			if (clients[i].pid != pid || clients[i].pasid != lut[vmid])
				continue;
			bw_str_addf(&found, "%s%u", n_found++ ? ", " : "", vmid);
			*out = vmid;
			break;
		}
	struct bw_error *err = NULL;
	if (!n_found)
		err = bw_errorf(BW_E_NOT_FOUND,
				"process %s has no VMID of the %s hub now: it gets one with its "
				"first work there, and may lose it when it has none",
				text, is_mm ? "memory" : "graphics");
	else if (n_found > 1)
		err = bw_errorf(BW_E_INVALID, "process %s has several VMIDs, name one: %s", text,
				bw_str_text(&found));
	bw_str_free(&found);
	return err;
}

struct bw_error *bw_look_vmid(struct bw_look *l, const char *text, unsigned *out)
{
	uint64_t number;
	struct bw_kmd *kmd;
	if (bw_parse_u64(text, &number) && number < BW_GPU_VMIDS) {
		*out = (unsigned)number;
		return NULL;
	}
	BW_TRY(bw_kmd_open(l->gpu, &kmd));
	struct bw_error *err = vmid_of(kmd, l->has_hub && l->hub == BW_GPUVM_MM, text, out);
	bw_kmd_close(kmd);
	return err;
}

struct bw_error *bw_look_live_place(struct bw_look *l, const char *text, bool wants_address,
				    unsigned *out_vmid, uint64_t *out_va)
{
	const char *at = strrchr(text, '@');
	unsigned vmid;
	char place[64];
	if (!*text || !!at != wants_address)
		return bw_look_place(text, wants_address, out_vmid, out_va);
	_cleanup_free_ char *who = strndup(text, at ? (size_t)(at - text) : strlen(text));
	if (!who)
		return bw_error_nomem();
	/* the address first: without a good one no GPU is needed */
	snprintf(place, sizeof(place), "0%s", at ? at : "");
	BW_TRY(bw_look_place(place, wants_address, &vmid, out_va));
	return bw_look_vmid(l, who, out_vmid);
}
