/* SPDX-License-Identifier: MIT */
#include "crash/log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/str.h"
#include "base/util.h"

enum { MAX_LINE_B = 1024 };
/* All generations but gfx12.1 have the same layout of status words, up to VF. */
#define ANY_GEN BW_GPUVM_GFX11

/* ---- reading words ---- */

/* What follows `word` in the line, or NULL. */
static const char *after(const char *line, const char *word)
{
	const char *at = strstr(line, word);
	return at ? at + strlen(word) : NULL;
}

/* A number of a base at *p, which moves behind it. */
static bool number(const char **p, int base, uint64_t *out)
{
	char *end;
	if (!isxdigit((unsigned char)**p))
		return false;
	*out = strtoull(*p, &end, base);
	if (end == *p)
		return false;
	*p = end;
	return true;
}

/* "word 0x..." or decimal. */
static bool number_after(const char *line, const char *word, uint64_t *out)
{
	const char *p = after(line, word);
	return p && number(&p, p[0] == '0' && p[1] == 'x' ? 16 : 10, out);
}

static void copy(char *out, size_t out_b, const char *text, size_t n)
{
	n = BW_MIN(n, out_b - 1);
	memcpy(out, text, n);
	out[n] = '\0';
}

/* "0000:03:00.0" */
static bool is_pci_address(const char *p)
{
	static const char shape[] = "xxxx:xx:xx.x";
	for (size_t i = 0; shape[i]; i++)
		if (shape[i] == 'x' ? !isxdigit((unsigned char)p[i]) : p[i] != shape[i])
			return false;
	return true;
}

static void find_device(const char *line, char out[BW_CRASH_NAME_B])
{
	size_t n = strlen(line);
	out[0] = '\0';
	for (size_t i = 0; i + 12 <= n; i++)
		if (is_pci_address(line + i) && (i == 0 || !isxdigit((unsigned char)line[i - 1]))) {
			copy(out, BW_CRASH_NAME_B, line + i, 12);
			return;
		}
}

/* "process NAME pid N thread NAME pid N", where names may hold spaces: split from the right. */
static bool read_process(const char *line, char process[64], int64_t *pid, char thread[64],
			 int64_t *tid)
{
	const char *p = strstr(line, "rocess "), *thread_at = NULL, *pid_at = NULL;
	if (!p)
		return false;
	p += strlen("rocess ");
	if (bw_starts_with(p, "information: process "))
		p += strlen("information: process ");
	for (const char *t = p; (t = strstr(t, " thread ")); t++)
		thread_at = t;
	for (const char *t = p; (t = strstr(t, " pid ")) && (!thread_at || t < thread_at); t++)
		pid_at = t;
	if (!pid_at)
		return false;
	copy(process, 64, p, (size_t)(pid_at - p));
	*pid = strtoll(pid_at + strlen(" pid "), NULL, 10);
	thread[0] = '\0';
	*tid = 0;
	if (thread_at) {
		const char *name = thread_at + strlen(" thread "), *end = NULL;
		for (const char *t = name; (t = strstr(t, " pid ")); t++)
			end = t;
		if (end) {
			copy(thread, 64, name, (size_t)(end - name));
			*tid = strtoll(end + strlen(" pid "), NULL, 10);
		}
	}
	return true;
}

/* ---- faults ---- */

static struct bw_crash_fault *last_of(struct bw_crash_log *log, const char *device)
{
	for (size_t i = log->faults.len; i-- > log->first_fault;) {
		struct bw_crash_fault *f = &log->faults.data[i];
		/* a line without a device belongs to the last fault; devices are told apart */
		if (!*device || !*f->device || !strcmp(f->device, device))
			return f;
	}
	return NULL;
}

static struct bw_crash_fault *new_fault(struct bw_crash_log *log, const char *device, unsigned line)
{
	struct bw_crash_fault f = {.first_line = line, .last_line = line};
	struct bw_error *err;
	if (log->faults.len >= BW_CRASH_MAX_FAULTS) {
		log->n_faults_left_out++;
		return NULL;
	}
	copy(f.device, sizeof(f.device), device, strlen(device));
	err = bw_vec_push(&log->faults, f);
	if (err) {
		bw_error_free(err);
		log->failed = true;
		return NULL;
	}
	return &log->faults.data[log->faults.len - 1];
}

/* The fault that a line continues, or another when that has such a line already. */
enum { NEAR_LINES = 40 };
static struct bw_crash_fault *continued(struct bw_crash_log *log, const char *device, unsigned line,
					bool (*has)(const struct bw_crash_fault *))
{
	struct bw_crash_fault *f = last_of(log, device);
	if (!f || has(f) || line - f->last_line > NEAR_LINES)
		f = new_fault(log, device, line);
	if (f)
		f->last_line = line;
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

/* "[gfxhub0] no-retry page fault (src_id:0 ring:40 vmid:8 pasid:32769" */
static bool first_line(struct bw_crash_log *log, const char *line, const char *device, unsigned at)
{
	const char *p = after(line, "page fault (src_id:");
	const char *gfx = strstr(line, "[gfxhub"), *mm = strstr(line, "[mmhub");
	const char *hub = gfx ? gfx + strlen("[gfxhub") : mm ? mm + strlen("[mmhub") : NULL;
	uint64_t v;
	if (!p)
		return false;
	struct bw_crash_fault *f = new_fault(log, device, at);
	if (!f)
		return true;
	f->has_first = true;
	f->hub = mm && !gfx ? BW_GPUVM_MM : BW_GPUVM_GC;
	if (hub && isdigit((unsigned char)*hub))
		f->hub_instance = (unsigned)strtoul(hub, NULL, 10);
	if (number(&p, 10, &v))
		f->src_id = (uint32_t)v;
	if (number_after(line, " ring:", &v))
		f->ring = (uint32_t)v;
	if (number_after(line, " vmid:", &v))
		f->vmid = (uint32_t)v;
	if (number_after(line, " pasid:", &v))
		f->pasid = (uint32_t)v;
	f->has_retry = strstr(line, "retry page fault") != NULL;
	f->is_retry = f->has_retry && !strstr(line, "no-retry");
	/* gmc_v9_0.c (and v12_1) number their hubs and say which kind of fault it is. */
	if (f->has_retry)
		set_gen(f, BW_GPUVM_GFX9);
	return true;
}

static bool address_line(struct bw_crash_log *log, const char *line, const char *device,
			 unsigned at)
{
	const char *p = after(line, "in page starting at address 0x");
	uint64_t address, client;
	/* RADV's vm_fault.log */
	if (!p)
		p = after(line, "Failing VM page: 0x");
	if (!p || !number(&p, 16, &address))
		return false;
	struct bw_crash_fault *f = continued(log, device, at, has_address);
	if (!f)
		return true;
	f->has_address = true;
	f->address = address;
	bool ih = strstr(p, "from IH client") != NULL;
	bool has = number_after(p, "client ", &client);
	if (has)
		f->ih_client = (uint32_t)client;
	/* doc/hardware/kernel-logs.md 2: which file prints it so */
	if (ih && has && strstr(p, "client 0x"))
		set_gen(f, BW_GPUVM_GFX9);
	else if (ih && has)
		set_gen(f, BW_GPUVM_GFX12_1);
	else if (has && strstr(p, "client 0x"))
		set_gen(f, BW_GPUVM_GFX10);
	else if (has && (client == 10 || client == 18) && !f->has_retry)
		set_gen(f, BW_GPUVM_GFX11);
	return true;
}

static bool status_line(struct bw_crash_log *log, const char *line, const char *device, unsigned at)
{
	const char *p = after(line, "L2_PROTECTION_FAULT_STATUS");
	uint64_t status;
	if (!p)
		return false;
	const char *name = p - strlen("L2_PROTECTION_FAULT_STATUS");
	bool lo32 = bw_starts_with(p, "_LO32");
	p += lo32 ? strlen("_LO32") : 0;
	if (*p++ != ':')
		return false;
	p = bw_skip_blanks(p);
	if (p[0] != '0' || p[1] != 'x')
		return false;
	p += 2;
	if (!number(&p, 16, &status) || status > UINT32_MAX)
		return false;
	struct bw_crash_fault *f = continued(log, device, at, has_status);
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

/* Lines of single fields: "Faulty UTCL2 client ID: TCP (0x8)", "RW: 0x1". */
static bool field_lines(struct bw_crash_log *log, const char *line, const char *device, unsigned at)
{
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
	const char *p = after(line, "Faulty UTCL2 client ID: ");
	struct bw_crash_fault *f = NULL;
	uint64_t v;
	if (p) {
		const char *open = strrchr(p, '('), *x = open ? open + 1 : p;
		if (!bw_starts_with(x, "0x"))
			return false;
		const char *digits = x + 2;
		if (!number(&digits, 16, &v))
			return false;
		f = last_of(log, device);
		if (!f || (f->seen_fields & 1u << BW_CRASH_CID) || at - f->last_line > NEAR_LINES)
			f = new_fault(log, device, at);
		if (!f)
			return true;
		f->seen_fields |= 1u << BW_CRASH_CID;
		uint32_t client = bw_gpuvm_status_put(ANY_GEN, BW_GPUVM_STATUS_CLIENT, (uint32_t)v);
		f->client = bw_gpuvm_status_get(ANY_GEN, BW_GPUVM_STATUS_CLIENT, client);
		f->has_client = true;
		if (open && open > p)
			copy(f->kernel_client, sizeof(f->kernel_client), p,
			     (size_t)(open - p) - (open[-1] == ' '));
		if (!f->has_status)
			f->status |= client;
		else if (bw_gpuvm_status_get(ANY_GEN, BW_GPUVM_STATUS_CLIENT, f->status) !=
			 f->client)
			f->contradicted |= 1u << BW_CRASH_CID;
		f->last_line = at;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(fields); i++) {
		const char *d = after(line, fields[i].words);
		unsigned bit = 1u << fields[i].field;
		if (!d || !number(&d, 16, &v))
			continue;
		f = last_of(log, device);
		if (!f || (f->seen_fields & bit) || at - f->last_line > NEAR_LINES)
			f = new_fault(log, device, at);
		if (!f)
			return true;
		f->seen_fields |= bit;
		if (f->has_status)
			f->contradicted |=
				bw_gpuvm_status_get(ANY_GEN, fields[i].part, f->status) != v ? bit
											     : 0;
		else
			f->status |= bw_gpuvm_status_put(ANY_GEN, fields[i].part, (uint32_t)v);
		f->last_line = at;
	}
	return f != NULL;
}

static bool process_of_fault(struct bw_crash_log *log, const char *line, const char *device,
			     unsigned at)
{
	struct bw_crash_fault *f = last_of(log, device);
	if (!f || f->has_process || at - f->last_line > 3 || !strstr(line, "rocess ") ||
	    strstr(line, "information: process "))
		return false;
	if (!read_process(line, f->process, &f->pid, f->thread, &f->tid))
		return false;
	f->has_process = true;
	f->last_line = at;
	return true;
}

static bool die_of_fault(struct bw_crash_log *log, const char *line, const char *device,
			 unsigned at)
{
	const char *p = after(line, "fault from die ");
	struct bw_crash_fault *f = last_of(log, device);
	if (!p || !f || at - f->last_line > 3)
		return false;
	copy(f->die, sizeof(f->die), p, strcspn(p, " \r\n"));
	f->last_line = at;
	return true;
}

/* ---- timeouts and resets ---- */

static const struct {
	enum bw_crash_event_kind kind;
	const char *name, *words, *and; /* both in the line */
} messages[] = {
	{BW_CRASH_SOFT_RECOVERED, "soft recovery", "timeout, but soft recovered", "ring "},
	{BW_CRASH_TIMEOUT, "ring timeout", " timeout, signaled seq=", "ring "},
	{BW_CRASH_PROCESS, "process", "Process information: process ", ""},
	{BW_CRASH_DUMP, "dump", "device coredump file has been created", ""},
	{BW_CRASH_RING_RESET, "ring reset", " ring reset", "Starting "},
	{BW_CRASH_RING_RESET_DONE, "ring reset done", " reset succeeded", "Ring "},
	{BW_CRASH_RING_RESET_FAILED, "ring reset failed", " reset failed", "Ring "},
	{BW_CRASH_RESET_BEGIN, "GPU reset", "GPU reset begin!", ""},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", "GPU Recovery Failed", ""},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", ") failed", "GPU reset("},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", "asic reset failed with err", "GPU pre "},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", "ASIC reset failed with error", ""},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", " reset failed", "GPU mode"},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", "GPU reset end with ret = -", ""},
	{BW_CRASH_RESET_DONE, "GPU reset done", "GPU reset end with ret = 0", ""},
	{BW_CRASH_RESET_DONE, "GPU reset done", "GPU reset succeeded, trying to resume", ""},
	{BW_CRASH_RESET_DONE, "GPU reset done", ") succeeded!", "GPU reset("},
	{BW_CRASH_VRAM_LOST, "VRAM lost", "VRAM is lost due to GPU reset", ""},
	{BW_CRASH_UNPLUGGED, "device unplugged", "device unplugged skipping recovery", ""},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", " failed to respond to msg", "MES"},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", "queue preemption time out", ""},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", "Resetting wave fronts", ""},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", "MES might be in unrecoverable state",
	 ""},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler",
	 "The cp might be in an unrecoverable state", ""},
	{BW_CRASH_MEMORY_ERROR, "memory error", "uncorrectable hardware errors detected", ""},
};

const char *bw_crash_event_name(enum bw_crash_event_kind kind)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(messages); i++)
		if (messages[i].kind == kind)
			return messages[i].name;
	return "event";
}

static void read_ring(const char *line, struct bw_crash_event *e)
{
	static const char *const before[] = {"ring ", "Ring ", "Starting "};
	for (size_t i = 0; i < BW_ARRAY_SIZE(before) && !e->ring[0]; i++) {
		/* the last one: log prefixes may say "ring buffer" */
		const char *at = NULL;
		for (const char *t = line; (t = strstr(t, before[i])); t++)
			if (t == line || !isalpha((unsigned char)t[-1]))
				at = t + strlen(before[i]);
		if (at && strcspn(at, " ,") > 0 && (isalpha((unsigned char)*at)) &&
		    !bw_starts_with(at, "reset"))
			copy(e->ring, sizeof(e->ring), at, strcspn(at, " ,\r\n"));
	}
}

/* Behind the last "amdgpu: " or "*ERROR* " or the PCI address. */
static const char *message_of(const char *line)
{
	static const char *const ends[] = {"amdgpu: ", "*ERROR* ", "[drm] "};
	const char *m = line;
	for (size_t i = 0; i < BW_ARRAY_SIZE(ends); i++)
		for (const char *t; (t = strstr(m, ends[i]));)
			m = t + strlen(ends[i]);
	for (const char *t = m; *t; t++)
		if (is_pci_address(t) && t[12] == ':' && t[13] == ' ')
			return t + 14;
	return m;
}

static bool event_line(struct bw_crash_log *log, const char *line, const char *device, unsigned at)
{
	struct bw_crash_event e = {.line = at};
	size_t i = 0;
	while (i < BW_ARRAY_SIZE(messages) &&
	       !(strstr(line, messages[i].words) && strstr(line, messages[i].and)))
		i++;
	bool is_bare_process = false;
	if (i == BW_ARRAY_SIZE(messages)) {
		/* Linux 7: " Process NAME pid N thread NAME pid N" below the timeout */
		const struct bw_crash_event *last = log->events.len > log->first_event
							    ? &log->events.data[log->events.len - 1]
							    : NULL;
		is_bare_process = last && last->kind == BW_CRASH_TIMEOUT && !last->process[0] &&
				  at - last->line <= 3 && strstr(line, " Process ");
		if (!is_bare_process)
			return false;
	}
	e.kind = is_bare_process ? BW_CRASH_PROCESS : messages[i].kind;
	const char *m = message_of(line);
	copy(e.text, sizeof(e.text), m, strcspn(m, "\r\n"));
	copy(e.device, sizeof(e.device), device, strlen(device));
	if (e.kind == BW_CRASH_PROCESS) {
		if (!read_process(line, e.process, &e.pid, e.thread, &e.tid))
			return false;
		for (size_t k = log->events.len; k-- > log->first_event;) {
			struct bw_crash_event *t = &log->events.data[k];
			if (t->kind != BW_CRASH_TIMEOUT || t->process[0] ||
			    (*t->device && *device && strcmp(t->device, device) != 0) ||
			    at - t->line > NEAR_LINES)
				continue;
			memcpy(t->process, e.process, sizeof(t->process));
			memcpy(t->thread, e.thread, sizeof(t->thread));
			t->pid = e.pid;
			t->tid = e.tid;
			return true;
		}
	}
	if (e.kind == BW_CRASH_TIMEOUT || e.kind == BW_CRASH_SOFT_RECOVERED ||
	    (e.kind >= BW_CRASH_RING_RESET && e.kind <= BW_CRASH_RING_RESET_FAILED))
		read_ring(line, &e);
	e.has_seq = e.kind == BW_CRASH_TIMEOUT &&
		    number_after(line, "signaled seq=", &e.signaled) &&
		    number_after(line, "emitted seq=", &e.emitted);
	if (log->events.len >= BW_CRASH_MAX_EVENTS) {
		log->n_events_left_out++;
		return true;
	}
	struct bw_error *err = bw_vec_push(&log->events, e);
	log->failed |= err != NULL;
	bw_error_free(err);
	return true;
}

/* "gfx_v11_0_3", as the driver names its blocks when it starts. */
static void find_version(struct bw_crash_log *log, const char *line)
{
	const char *p = after(line, "gfx_v");
	uint64_t major, minor, rev = 0;
	if (!p || log->gc || !number(&p, 10, &major) || *p++ != '_' || !number(&p, 10, &minor))
		return;
	if (*p == '_') {
		p++;
		if (!number(&p, 10, &rev))
			rev = 0;
	}
	if (major >= 9 && major <= 12 && minor < 100 && rev < 100)
		log->gc = BW_IP_VERSION(major, minor, rev);
}

bool bw_crash_log_line(struct bw_crash_log *log, const char *text, size_t n, unsigned at)
{
	char line[MAX_LINE_B], device[BW_CRASH_NAME_B];
	n = BW_MIN(n, sizeof(line) - 1);
	memcpy(line, text, n);
	for (size_t i = 0; i < n; i++)
		if (line[i] == '\0' || line[i] == '\t')
			line[i] = ' ';
	line[n] = '\0';
	log->n_lines = at;
	find_device(line, device);
	find_version(log, line);
	/* Several messages may stand in one line, where newlines were lost. */
	bool found = first_line(log, line, device, at);
	found |= address_line(log, line, device, at);
	found |= status_line(log, line, device, at);
	found |= field_lines(log, line, device, at);
	found |= die_of_fault(log, line, device, at);
	/* A process in the line of a timeout is not the fault's. */
	bool is_event = event_line(log, line, device, at);
	if (!is_event)
		found |= process_of_fault(log, line, device, at);
	return found | is_event;
}

void bw_crash_log_text(struct bw_crash_log *log, const char *text, size_t n)
{
	unsigned at = log->n_lines;
	for (size_t pos = 0; pos < n;) {
		const char *end = memchr(text + pos, '\n', n - pos);
		size_t len = end ? (size_t)(end - text) - pos : n - pos;
		bw_crash_log_line(log, text + pos, len, ++at);
		pos += len + 1;
	}
}

void bw_crash_log_next_file(struct bw_crash_log *log)
{
	log->first_fault = log->faults.len;
	log->first_event = log->events.len;
}

void bw_crash_log_end(struct bw_crash_log *log)
{
	bw_vec_each(&log->faults, f) {
		/* The comparison was made with the layout of the others. */
		if (f->has_gen && f->gen == BW_GPUVM_GFX12_1)
			f->contradicted = 0;
		if (f->has_status || !f->seen_fields)
			continue;
		f->has_status = f->status_is_rebuilt = true;
		if (f->has_first)
			f->status |= bw_gpuvm_status_put(ANY_GEN, BW_GPUVM_STATUS_VMID, f->vmid);
	}
}

void bw_crash_log_free(struct bw_crash_log *log)
{
	bw_vec_free(&log->faults);
	bw_vec_free(&log->events);
}

struct bw_gpuvm_fault_facts bw_crash_fault_facts(const struct bw_crash_log *log,
						 const struct bw_crash_fault *f,
						 const struct bw_gpuvm_part *part)
{
	struct bw_gpuvm_fault_facts facts = {
		.hub = f->hub,
		.has_status = f->has_status,
		.status = f->status,
		.has_address = f->has_address,
		.address = f->address,
		.is_retry = f->is_retry,
		.kernel_client = f->kernel_client[0] ? f->kernel_client : NULL,
		.process = f->has_process ? f->process : NULL,
		.pid = f->pid,
		.vmid = f->has_first ? (int)f->vmid : -1,
	};
	if (part)
		facts.part = *part;
	else if (log->gc && bw_gpuvm_gen_of(log->gc, &facts.part.gen))
		facts.part.gc = log->gc;
	else if (f->has_gen)
		facts.part =
			(struct bw_gpuvm_part){.gen = f->gen, .gc = bw_gpuvm_gen_first_gc(f->gen)},
		facts.is_guess = f->gen == BW_GPUVM_GFX11;
	else
		facts.any_generation = true, facts.part.gen = BW_GPUVM_GFX11;
	/* Fields were put together with the layout of gfx9 to gfx12.0. */
	if (f->status_is_rebuilt && facts.part.gen == BW_GPUVM_GFX12_1)
		facts.part.gen = BW_GPUVM_GFX12;
	return facts;
}
