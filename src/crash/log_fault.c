/* SPDX-License-Identifier: MIT */
/* Page faults in kernel logs, and in what ROCm's runtime prints (doc/hardware/kernel-logs.md 2). */
#include <string.h>

#include "base/util.h"
#include "crash/log_priv.h"

/* All generations but gfx12.1 have the same layout of status words, up to VF. */
#define ANY_GEN BW_GPUVM_GFX11

/* The words by which lines of faults are found. */
static const char first_words[] = "page fault (src_id:";
static const char *const address_words[] = {"in page starting at address 0x", " at page 0x",
					    "Failing VM page: 0x" /* RADV's vm_fault.log */};
static const char status_word[] = "L2_PROTECTION_FAULT_STATUS";
static const char client_words[] = "Faulty UTCL2 client ID: ";
static const char runtime_words[] = "Memory access fault by GPU node";
static const struct {
	const char *words;
	enum bw_crash_field field;
	enum bw_gpuvm_status_part part;
} fields[] = {
	{"MORE_FAULTS: 0x", BW_CRASH_MORE, BW_GPUVM_STATUS_MORE},
	{"WALKER_ERROR: 0x", BW_CRASH_WALKER, BW_GPUVM_STATUS_WALKER_ERROR},
	{"PERMISSION_FAULTS: 0x", BW_CRASH_PERMISSION, BW_GPUVM_STATUS_PERMISSION},
	{"MAPPING_ERROR: 0x", BW_CRASH_MAPPING, BW_GPUVM_STATUS_MAPPING_ERROR},
	{"RW: 0x", BW_CRASH_RW, BW_GPUVM_STATUS_WRITE},
};
/* gmc_v6_0.c to gmc_v8_0.c, and radeon */
static const char *const old_words[] = {"GPU fault detected: ", "VM_CONTEXT1_PROTECTION_FAULT_ADDR",
					"VM_CONTEXT1_PROTECTION_FAULT_STATUS", "VM fault (0x"};

bool bw_crash_is_fault_line(const char *line)
{
	bool found = strstr(line, first_words) || strstr(line, status_word) ||
		     strstr(line, client_words) || strstr(line, runtime_words) ||
		     strstr(line, "fault from die ");
	for (size_t i = 0; i < BW_ARRAY_SIZE(address_words) && !found; i++)
		found = strstr(line, address_words[i]);
	for (size_t i = 0; i < BW_ARRAY_SIZE(fields) && !found; i++)
		found = strstr(line, fields[i].words);
	for (size_t i = 0; i < BW_ARRAY_SIZE(old_words) && !found; i++)
		found = strstr(line, old_words[i]);
	return found;
}

/* ---- which fault a line is of ---- */

static struct bw_crash_fault *last_of(struct bw_crash_log *log, const char *device)
{
	for (size_t i = log->faults.len; i-- > log->first_fault;) {
		struct bw_crash_fault *f = &log->faults.data[i];
		if (bw_crash_same_device(f->device, device))
			return f;
	}
	return NULL;
}

static struct bw_crash_fault *new_fault(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	struct bw_crash_fault f = {.first_line = e->first,
				   .last_line = e->last,
				   .when = log->now,
				   .last_order = log->now.order};
	if (log->faults.len >= BW_CRASH_MAX_FAULTS) {
		log->n_faults_left_out++;
		return NULL;
	}
	bw_crash_copy(f.device, sizeof(f.device), e->device, strlen(e->device));
	struct bw_error *err = bw_vec_push(&log->faults, f);
	if (err) {
		bw_error_free(err);
		log->failed = true;
		return NULL;
	}
	return &log->faults.data[log->faults.len - 1];
}

static bool is_near(const struct bw_crash_log *log, const struct bw_crash_fault *f, unsigned most)
{
	return f->when.boot == log->now.boot && log->now.order - f->last_order <= most;
}

static void reach(struct bw_crash_log *log, struct bw_crash_fault *f,
		  const struct bw_crash_entry *e)
{
	f->last_order = log->now.order;
	f->first_line = BW_MIN(f->first_line, e->first);
	f->last_line = BW_MAX(f->last_line, e->last);
}

/* The fault that a line continues, or another when that has such a line already. */
static struct bw_crash_fault *continued(struct bw_crash_log *log, const struct bw_crash_entry *e,
					bool (*has)(const struct bw_crash_fault *))
{
	struct bw_crash_fault *f = last_of(log, e->device);
	if (!f || has(f) || f->reporter != BW_GPUVM_HUB || !is_near(log, f, BW_CRASH_NEAR_MESSAGES))
		f = new_fault(log, e);
	if (f)
		reach(log, f, e);
	return f;
}

static bool has_address(const struct bw_crash_fault *f)
{
	return f->has_address || f->has_status || f->seen_fields;
}

static bool has_status(const struct bw_crash_fault *f)
{
	return f->has_status || f->seen_fields;
}

static void set_gen(struct bw_crash_fault *f, enum bw_gpuvm_gen gen)
{
	f->has_gen = true;
	f->gen = gen;
}

/* ---- gfx9 and later ---- */

/* "[gfxhub0] no-retry page fault (src_id:0 ring:40 vmid:8 pasid:32769" */
static bool first_line(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	const char *line = e->line, *p = bw_crash_after(line, first_words);
	const char *gfx = strstr(line, "[gfxhub"), *mm = strstr(line, "[mmhub");
	const char *hub = gfx ? gfx + strlen("[gfxhub") : mm ? mm + strlen("[mmhub") : NULL;
	uint64_t v;
	if (!p)
		return false;
	struct bw_crash_fault *f = new_fault(log, e);
	if (!f)
		return true;
	f->has_first = true;
	f->hub = mm && !gfx ? BW_GPUVM_MM : BW_GPUVM_GC;
	if (hub && bw_crash_number(&hub, 10, &v))
		f->hub_instance = (unsigned)v;
	if (bw_crash_number(&p, 10, &v))
		f->src_id = (uint32_t)v;
	if (bw_crash_number_after(line, " ring:", &v))
		f->ring = (uint32_t)v;
	/* "vm_id", "pas_id": before Linux 4.20 */
	if (bw_crash_number_after(line, " vmid:", &v) || bw_crash_number_after(line, " vm_id:", &v))
		f->vmid = (uint32_t)v;
	if (bw_crash_number_after(line, " pasid:", &v) ||
	    bw_crash_number_after(line, " pas_id:", &v))
		f->pasid = (uint32_t)v;
	f->has_retry = strstr(line, "retry page fault") != NULL;
	f->is_retry = f->has_retry && !strstr(line, "no-retry");
	/* gmc_v9_0.c (and v12_1) number their hubs and say which kind of fault it is. */
	if (f->has_retry)
		set_gen(f, BW_GPUVM_GFX9);
	return true;
}

static bool address_line(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	const char *p = NULL;
	uint64_t address, client;
	for (size_t i = 0; i < BW_ARRAY_SIZE(address_words) && !p; i++)
		p = bw_crash_after(e->line, address_words[i]);
	if (!p || !bw_crash_number(&p, 16, &address))
		return false;
	struct bw_crash_fault *f = continued(log, e, has_address);
	if (!f)
		return true;
	f->has_address = true;
	f->address = address;
	bool ih = strstr(p, "from IH client") != NULL;
	bool has = bw_crash_number_after(p, "client ", &client);
	/* "from 27": before Linux 5.2, whose only generation with such a line was gfx9 */
	bool is_bare = !has && bw_crash_number_after(p, " from ", &client);
	if (has || is_bare)
		f->ih_client = (uint32_t)client;
	/* doc/hardware/kernel-logs.md 2: which file prints it so */
	if (is_bare || (ih && has && strstr(p, "client 0x")))
		set_gen(f, BW_GPUVM_GFX9);
	else if (ih && has)
		set_gen(f, BW_GPUVM_GFX12_1);
	else if (has && strstr(p, "client 0x"))
		set_gen(f, BW_GPUVM_GFX10);
	else if (has && (client == 10 || client == 18) && !f->has_retry)
		set_gen(f, BW_GPUVM_GFX11);
	return true;
}

static bool status_line(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	const char *line = e->line, *p = bw_crash_after(line, status_word);
	uint64_t status;
	if (!p)
		return false;
	const char *name = p - strlen(status_word);
	bool lo32 = bw_starts_with(p, "_LO32");
	p += lo32 ? strlen("_LO32") : 0;
	if (*p++ != ':')
		return false;
	p = bw_skip_blanks(p);
	if (p[0] != '0' || p[1] != 'x')
		return false;
	p += 2;
	if (!bw_crash_number(&p, 16, &status) || status > UINT32_MAX)
		return false;
	struct bw_crash_fault *f = continued(log, e, has_status);
	if (!f)
		return true;
	bool gc = name - line >= 5 && !memcmp(name - 5, "GCVM_", 5);
	bool mm = name - line >= 5 && !memcmp(name - 5, "MMVM_", 5);
	f->has_status = true;
	f->status = (uint32_t)status;
	if (!f->has_first && mm)
		f->hub = BW_GPUVM_MM;
	if (lo32 && gc)
		set_gen(f, BW_GPUVM_GFX12_1);
	else if (lo32)
		set_gen(f, BW_GPUVM_GFX12);
	else if (!gc && !mm)
		set_gen(f, BW_GPUVM_GFX9);
	else if (!f->has_gen || f->gen == BW_GPUVM_GFX9)
		f->has_gen = false;
	return true;
}

/* The fault whose field a line has; a second one of the same field is another fault's. */
static struct bw_crash_fault *fault_of_field(struct bw_crash_log *log,
					     const struct bw_crash_entry *e, unsigned bit)
{
	struct bw_crash_fault *f = last_of(log, e->device);
	if (!f || (f->seen_fields & bit) || !is_near(log, f, BW_CRASH_NEAR_MESSAGES))
		f = new_fault(log, e);
	if (!f)
		return NULL;
	f->seen_fields |= bit;
	reach(log, f, e);
	return f;
}

/* "Faulty UTCL2 client ID: TCP (0x8)"; "0x8" alone before Linux 5.9 */
static bool client_line(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	const unsigned bit = 1u << BW_CRASH_CID;
	const char *p = bw_crash_after(e->line, client_words);
	uint64_t v;
	if (!p)
		return false;
	const char *open = strrchr(p, '('), *x = open ? open + 1 : p;
	if (!bw_starts_with(x, "0x"))
		return false;
	const char *digits = x + 2;
	if (!bw_crash_number(&digits, 16, &v))
		return false;
	struct bw_crash_fault *f = fault_of_field(log, e, bit);
	if (!f)
		return true;
	uint32_t client = bw_gpuvm_status_put(ANY_GEN, BW_GPUVM_STATUS_CLIENT, (uint32_t)v);
	f->client = bw_gpuvm_status_get(ANY_GEN, BW_GPUVM_STATUS_CLIENT, client);
	f->has_client = true;
	if (open && open > p)
		bw_crash_copy(f->kernel_client, sizeof(f->kernel_client), p,
			      (size_t)(open - p) - (open[-1] == ' '));
	if (!f->has_status)
		f->status |= client;
	else if (bw_gpuvm_status_get(ANY_GEN, BW_GPUVM_STATUS_CLIENT, f->status) != f->client)
		f->contradicted |= bit;
	return true;
}

/* "RW: 0x1" */
static bool field_lines(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	bool found = false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(fields); i++) {
		const char *d = bw_crash_after(e->line, fields[i].words);
		unsigned bit = 1u << fields[i].field;
		uint64_t v;
		if (!d || !bw_crash_number(&d, 16, &v))
			continue;
		found = true;
		struct bw_crash_fault *f = fault_of_field(log, e, bit);
		if (!f)
			return true;
		if (!f->has_status)
			f->status |= bw_gpuvm_status_put(ANY_GEN, fields[i].part, (uint32_t)v);
		else if (bw_gpuvm_status_get(ANY_GEN, fields[i].part, f->status) != v)
			f->contradicted |= bit;
	}
	return found;
}

static bool die_line(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	const char *p = bw_crash_after(e->line, "fault from die ");
	struct bw_crash_fault *f = last_of(log, e->device);
	if (!p || !f || !is_near(log, f, 3))
		return false;
	bw_crash_copy(f->die, sizeof(f->die), p, strcspn(p, " \r\n"));
	reach(log, f, e);
	return true;
}

bool bw_crash_read_fault_process(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	struct bw_crash_fault *f = last_of(log, e->device);
	if (!f || f->has_process || f->reporter != BW_GPUVM_HUB || !is_near(log, f, 3) ||
	    !strstr(e->line, " thread ") || strstr(e->line, "information: process "))
		return false;
	if (!bw_crash_read_process(e->line, f->process, &f->pid, f->thread, &f->tid))
		return false;
	f->has_process = true;
	reach(log, f, e);
	return true;
}

/* ---- gfx8 and older ---- */

static bool has_old_page(const struct bw_crash_fault *f)
{
	return f->has_address;
}

static bool has_old_line(const struct bw_crash_fault *f)
{
	return f->has_first;
}

static struct bw_crash_fault *old_fault(struct bw_crash_log *log, const struct bw_crash_entry *e,
					bool (*has)(const struct bw_crash_fault *))
{
	struct bw_crash_fault *f = last_of(log, e->device);
	if (!f || f->reporter != BW_GPUVM_OLD_GPU || has(f) || !is_near(log, f, 6))
		f = new_fault(log, e);
	if (!f)
		return NULL;
	f->reporter = BW_GPUVM_OLD_GPU;
	reach(log, f, e);
	return f;
}

/* gmc_v8_0_vm_decode_fault: "VM fault (0x14, vmid 8, pasid 32783) at page 5276672, write from
 * 'TC6' (0x54433600) (136)" */
static void read_old_words(struct bw_crash_fault *f, const char *line)
{
	enum { PAGE_SHIFT = 12 };
	uint64_t v;
	const char *quote = strchr(line, '\'');
	f->has_first = true;
	if (bw_crash_number_after(line, "vmid ", &v))
		f->vmid = (uint32_t)v;
	if (bw_crash_number_after(line, "pasid ", &v))
		f->pasid = (uint32_t)v;
	if (bw_crash_number_after(line, "at page ", &v)) {
		f->has_address = true;
		f->address = v << PAGE_SHIFT;
	}
	f->is_write = strstr(line, ", write from") != NULL;
	if (quote)
		bw_crash_copy(f->kernel_client, sizeof(f->kernel_client), quote + 1,
			      strcspn(quote + 1, "'"));
}

static bool old_lines(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	enum { PAGE_SHIFT = 12 };
	const char *line = e->line;
	struct bw_crash_fault *f = NULL;
	uint64_t v;
	if (strstr(line, "GPU fault detected: ")) {
		f = new_fault(log, e);
		if (f) {
			f->reporter = BW_GPUVM_OLD_GPU;
			f->has_process = bw_crash_read_process(line, f->process, &f->pid, f->thread,
							       &f->tid);
		}
	} else if (strstr(line, "VM fault (0x")) {
		f = old_fault(log, e, has_old_line);
		if (f)
			read_old_words(f, line);
	} else if (strstr(line, "VM_CONTEXT1_PROTECTION_FAULT_ADDR")) {
		f = old_fault(log, e, has_old_page);
		if (f && bw_crash_number_after(line, "0x", &v)) {
			const char *digits = bw_crash_after(line, "0x");
			f->has_address = bw_crash_number(&digits, 16, &v);
			f->address = v << PAGE_SHIFT;
		}
	} else if (!strstr(line, "VM_CONTEXT1_PROTECTION_FAULT_STATUS")) {
		return false;
	}
	return true;
}

/* ---- ROCm's runtime ---- */

/* "Memory access fault by GPU node-1 (Agent handle: 0x1f8298) on address 0x7a8a4be00000. Reason:
 * Page not present or supervisor privilege." (nil) is address 0. */
static bool runtime_line(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	const char *p = bw_crash_after(e->line, runtime_words);
	const char *at = p ? bw_crash_after(p, "on address ") : NULL;
	if (!p)
		return false;
	struct bw_crash_fault *f = new_fault(log, e);
	if (!f)
		return true;
	f->reporter = BW_GPUVM_RUNTIME;
	if (at) {
		const char *digits = bw_starts_with(at, "0x") ? at + 2 : at;
		f->has_address =
			bw_starts_with(at, "(nil)") || bw_crash_number(&digits, 16, &f->address);
	}
	const char *reason = bw_crash_after(p, "Reason: ");
	if (reason)
		bw_crash_copy(f->reason, sizeof(f->reason), reason, strcspn(reason, "."));
	return true;
}

bool bw_crash_read_fault(struct bw_crash_log *log, const struct bw_crash_entry *e)
{
	bool found = old_lines(log, e) || runtime_line(log, e);
	/* Several messages may stand in one line, where newlines were lost. */
	found |= first_line(log, e);
	found |= address_line(log, e);
	found |= status_line(log, e);
	found |= client_line(log, e);
	found |= field_lines(log, e);
	found |= die_line(log, e);
	return found;
}
