/* SPDX-License-Identifier: MIT */
/* Timeouts, resets, errors of hardware, commands and waves, and firmware that does not answer
 * (doc/hardware/kernel-logs.md 3 and 4). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "crash/log_priv.h"

/* ---- what a message says beyond its kind ---- */

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
			bw_crash_copy(e->ring, sizeof(e->ring), at, strcspn(at, " ,\r\n"));
	}
}

static void detail_after(struct bw_crash_event *e, const char *line, const char *word,
			 const char *ends)
{
	const char *p = bw_crash_after(line, word);
	if (p)
		bw_crash_copy(e->detail, sizeof(e->detail), p, strcspn(p, ends));
}

/* The number in front of `word`, which a blank separates: "27 callbacks suppressed". */
static bool number_before(const char *line, const char *word, uint64_t *out)
{
	const char *end = strstr(line, word), *p = end;
	while (p && p > line && p[-1] == ' ')
		p--;
	const char *digits = p;
	while (digits && digits > line && isdigit((unsigned char)digits[-1]))
		digits--;
	return digits && digits < p && bw_crash_number(&digits, 10, out);
}

/* "2 new uncorrectable hardware errors detected in umc block"; false: it counts none. */
static bool read_hardware_error(struct bw_crash_event *e, const char *line)
{
	bool has_count = number_before(line, "uncorrectable hardware error", &e->number) ||
			 number_before(line, "new uncorrectable hardware error", &e->number);
	if (has_count && !e->number)
		return false;
	if (!e->detail[0])
		detail_after(e, line, "hardware error(", ")");
	if (!e->detail[0])
		detail_after(e, line, "in total in ", " ");
	if (!e->detail[0])
		detail_after(e, line, "detected in ", " ");
	return true;
}

static bool read_with_ring(struct bw_crash_event *e, const char *line)
{
	read_ring(line, e);
	return true;
}

static bool read_timeout(struct bw_crash_event *e, const char *line)
{
	read_ring(line, e);
	/* both are in "last signaled seq=", too */
	e->has_seq = bw_crash_number_after(line, "signaled seq=", &e->signaled) &&
		     bw_crash_number_after(line, "emitted seq=", &e->emitted);
	return true;
}

static bool read_source(struct bw_crash_event *e, const char *line)
{
	const char *p = bw_crash_after(line, "Source:");
	if (p)
		p = bw_skip_blanks(p);
	if (p)
		bw_crash_number(&p, 10, &e->number);
	return true;
}

static bool read_block(struct bw_crash_event *e, const char *line)
{
	detail_after(e, line, "IP block <", ">");
	return true;
}

static bool read_wedged(struct bw_crash_event *e, const char *line)
{
	detail_after(e, line, "device wedged, ", "\r\n");
	return true;
}

static bool read_mes(struct bw_crash_event *e, const char *line)
{
	detail_after(e, line, "msg=", " \r\n");
	return true;
}

static bool read_corrected(struct bw_crash_event *e, const char *line)
{
	number_before(line, "correctable hardware errors", &e->number);
	return e->number > 0;
}

/* kfd_int_process_v11.c: type; v9 and v10: err_type */
static bool read_wave(struct bw_crash_event *e, const char *line)
{
	return bw_crash_number_after(line, "type ", &e->number);
}

static bool read_runtime(struct bw_crash_event *e, const char *line)
{
	/* "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: The agent attempted ... instruction. code: 0x2a" */
	detail_after(e, line, "HSA_STATUS_ERROR_", ".\r\n");
	if (!e->detail[0])
		detail_after(e, line, "reason :", "\r\n");
	return true;
}

static bool read_suppressed(struct bw_crash_event *e, const char *line)
{
	return number_before(line, "callbacks suppressed", &e->number) && e->number;
}

/* ---- messages ---- */

/* The first row of which both words are in a line says what it is. read: what the message says
 * beyond its kind; false: it says that nothing has happened. */
static const struct {
	enum bw_crash_event_kind kind;
	const char *name, *words, *and, *detail;
	bool (*read)(struct bw_crash_event *e, const char *line);
} messages[] = {
	{BW_CRASH_SOFT_RECOVERED, "soft recovery", "timeout, but soft recovered", "ring ", NULL,
	 read_with_ring},
	{BW_CRASH_TIMEOUT, "ring timeout", " timeout, signaled seq=", "ring ", NULL, read_timeout},
	{BW_CRASH_TIMEOUT, "ring timeout", " timeout, last signaled seq=", "ring ", NULL,
	 read_timeout},
	{BW_CRASH_PROCESS, "process", "Process information: process ", "", NULL, NULL},
	{BW_CRASH_DUMP, "dump", "device coredump file has been created", "", NULL, NULL},
	{BW_CRASH_RING_RESET, "ring reset", " ring reset", "Starting ", NULL, read_with_ring},
	{BW_CRASH_RING_RESET_DONE, "ring reset done", " reset succeeded", "Ring ", NULL,
	 read_with_ring},
	{BW_CRASH_RING_RESET_FAILED, "ring reset failed", " reset failed", "Ring ", NULL,
	 read_with_ring},
	{BW_CRASH_RESET_BEGIN, "GPU reset", "GPU reset begin!", "", NULL, read_source},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", "GPU Recovery Failed", "", NULL, NULL},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", ") failed", "GPU reset(", NULL, NULL},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", "asic reset failed with err", "GPU pre ", NULL,
	 NULL},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", "ASIC reset failed with error", "", NULL, NULL},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", " reset failed", "GPU mode", NULL, NULL},
	{BW_CRASH_RESET_FAILED, "GPU reset failed", "GPU reset end with ret = -", "", NULL, NULL},
	{BW_CRASH_RESET_DONE, "GPU reset done", "GPU reset end with ret = 0", "", NULL, NULL},
	{BW_CRASH_RESET_DONE, "GPU reset done", "GPU reset succeeded, trying to resume", "", NULL,
	 NULL},
	{BW_CRASH_RESET_DONE, "GPU reset done", ") succeeded!", "GPU reset(", NULL, NULL},
	{BW_CRASH_RESET_SKIPPED, "GPU reset skipped", "skipping HW reset", "", NULL, NULL},
	{BW_CRASH_RESUME_FAILED, "resume failed", " failed", "resume of IP block <", NULL,
	 read_block},
	{BW_CRASH_RECOVERY_OFF, "recovery disabled", "GPU recovery disabled", "", NULL, NULL},
	{BW_CRASH_VRAM_LOST, "VRAM lost", "VRAM is lost due to GPU reset", "", NULL, NULL},
	{BW_CRASH_WEDGED, "device wedged", "device wedged, ", "", NULL, read_wedged},
	{BW_CRASH_UNPLUGGED, "device unplugged", "device unplugged skipping recovery", "", NULL,
	 NULL},
	{BW_CRASH_UNPLUGGED, "device unplugged", "device lost from bus", "", NULL, NULL},
	{BW_CRASH_RESET_METHOD, "reset method", "MODE1 reset", "", "MODE1", NULL},
	{BW_CRASH_RESET_METHOD, "reset method", "mode1 reset", "", "MODE1", NULL},
	{BW_CRASH_RESET_METHOD, "reset method", "MODE2 reset", "", "MODE2", NULL},
	{BW_CRASH_RESET_METHOD, "reset method", "mode2 reset", "", "MODE2", NULL},
	{BW_CRASH_RESET_METHOD, "reset method", "BACO reset", "", "BACO", NULL},
	{BW_CRASH_RESET_METHOD, "reset method", "pci config reset", "", "PCI", NULL},
	/* mes_v11_0.c, mes_v12_0.c; "response" before Linux 6.0 */
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", " failed to respond to msg", "MES", NULL,
	 read_mes},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", " failed to response msg", "MES", NULL,
	 read_mes},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", "MES ring buffer is full", "", NULL,
	 read_mes},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", "MES might be in unrecoverable state",
	 "", NULL, read_mes},
	/* kfd_device_queue_manager.c, amdgpu_amdkfd_gfx_v*.c, kfd_packet_manager.c */
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", "ueue preemption time out", "",
	 BW_CRASH_PREEMPTION, NULL},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", "Resetting wave fronts", "",
	 BW_CRASH_PREEMPTION, NULL},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler",
	 "The cp might be in an unrecoverable state", "", BW_CRASH_PREEMPTION, NULL},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", "fence wait loop timeout expired", "",
	 BW_CRASH_PREEMPTION, NULL},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler", "timeout waiting for kiq fence", "",
	 BW_CRASH_PREEMPTION, NULL},
	{BW_CRASH_NO_ANSWER, "no answer of the scheduler",
	 "failed to remove hardware queue from MES", "", BW_CRASH_PREEMPTION, NULL},
	/* drm_atomic_helper.c, amdgpu_dm.c */
	{BW_CRASH_DISPLAY, "display timeout", "flip_done timed out", "", NULL, NULL},
	{BW_CRASH_DISPLAY, "display timeout", "commit wait timed out", "", NULL, NULL},
	{BW_CRASH_DISPLAY, "display timeout", "Waiting for fences timed out", "", NULL, NULL},
	/* amdgpu_cs.c: -ECANCELED */
	{BW_CRASH_CONTEXT_LOST, "context lost", "Failed to initialize parser -125", "", NULL, NULL},
	{BW_CRASH_CONTEXT_LOST, "context lost", "context is lost", "CS has been cancelled", NULL,
	 NULL},
	{BW_CRASH_NO_SMU, "no answer of the power firmware", "not done with your previous command",
	 "SMU", NULL, NULL},
	/* amdgpu_ras.c, amdgpu_aca.c, amdgpu_mca.c, kfd_int_process_v*.c */
	{BW_CRASH_HARDWARE_ERROR, "hardware error", "uncorrectable hardware error", "", NULL,
	 read_hardware_error},
	{BW_CRASH_HARDWARE_ERROR, "hardware error", "oison is consumed", "", "poison",
	 read_hardware_error},
	{BW_CRASH_HARDWARE_ERROR, "hardware error", "oison is created", "", "poison",
	 read_hardware_error},
	{BW_CRASH_HARDWARE_ERROR, "hardware error", "oison detected in", "", "poison",
	 read_hardware_error},
	{BW_CRASH_HARDWARE_ERROR, "hardware error", "RAS poison consumption is issued", "",
	 "poison", read_hardware_error},
	{BW_CRASH_HARDWARE_ERROR, "hardware error", "Accelerator Check Architecture events logged",
	 "", "ACA", read_hardware_error},
	{BW_CRASH_CORRECTED, "corrected errors", "correctable hardware errors detected", "", NULL,
	 read_corrected},
	/* gfx_v*.c, sdma_v*.c */
	{BW_CRASH_COMMAND_ERROR, "command error", "llegal register access in command stream", "",
	 "an illegal register access", NULL},
	{BW_CRASH_COMMAND_ERROR, "command error", "llegal opcode in command stream", "",
	 "an illegal opcode", NULL},
	{BW_CRASH_COMMAND_ERROR, "command error", "llegal instruction in SDMA command stream", "",
	 "SDMA: an illegal instruction", NULL},
	{BW_CRASH_COMMAND_ERROR, "command error", "llegal instruction in command stream", "",
	 "an illegal instruction", NULL},
	{BW_CRASH_COMMAND_ERROR, "command error", "SRBM_WRITE command in non-privilege", "",
	 "SDMA: a register write (SRBM_WRITE) that it has no right to", NULL},
	{BW_CRASH_COMMAND_ERROR, "command error", "MC or SEM address in VM hole", "",
	 "SDMA: an address in the hole of the address space", NULL},
	{BW_CRASH_COMMAND_ERROR, "command error", "timeout executing POLL_REG/MEM", "",
	 "SDMA: a poll of a register or memory that did not end in time", NULL},
	{BW_CRASH_COMMAND_ERROR, "command error", "received a doorbell from BIF with byte_enable",
	 "", "SDMA: a doorbell of a wrong size", NULL},
	{BW_CRASH_WAVE_ERROR, "wave error", "sq_intr: error", "", NULL, read_wave},
	{BW_CRASH_RUNTIME_ERROR, "runtime error", "HW Exception by GPU node", "", NULL,
	 read_runtime},
	{BW_CRASH_RUNTIME_ERROR, "runtime error", "HSA_STATUS_ERROR", "", NULL, read_runtime},
	{BW_CRASH_SUPPRESSED, "suppressed", " callbacks suppressed", "gmc_v", NULL,
	 read_suppressed},
	{BW_CRASH_SUPPRESSED, "suppressed", " callbacks suppressed", "amdgpu", NULL,
	 read_suppressed},
};

const char *bw_crash_event_name(enum bw_crash_event_kind kind)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(messages); i++)
		if (messages[i].kind == kind)
			return messages[i].name;
	return "event";
}

static size_t row_of(const char *line)
{
	size_t i = 0;
	while (i < BW_ARRAY_SIZE(messages) &&
	       !(strstr(line, messages[i].words) && strstr(line, messages[i].and)))
		i++;
	return i;
}

bool bw_crash_is_event_line(const char *line)
{
	return row_of(line) < BW_ARRAY_SIZE(messages) || strstr(line, "].STATUS=0x") ||
	       strstr(line, "].IPID=0x");
}

bool bw_crash_is_whole_event(const char *line)
{
	return bw_crash_is_event_line(line) &&
	       (!strstr(line, " signaled seq=") || strstr(line, "emitted seq="));
}

/* ---- lines that say more about the event above ---- */

static struct bw_crash_event *last_event(struct bw_crash_log *log, const char *device,
					 enum bw_crash_event_kind kind, unsigned most)
{
	for (size_t i = log->events.len; i-- > log->first_event;) {
		struct bw_crash_event *e = &log->events.data[i];
		if (e->when.boot != log->now.boot || log->now.order - e->when.order > most)
			return NULL;
		if (e->kind == kind && bw_crash_same_device(e->device, device))
			return e;
	}
	return NULL;
}

static bool is_unnamed(const struct bw_crash_event *e)
{
	return e && !e->process[0] && !e->pid;
}

/* "Process information: process ..." below a timeout; since Linux 6.16 " Process NAME pid N ...". */
static bool process_of_timeout(struct bw_crash_log *log, const struct bw_crash_entry *at)
{
	bool is_named = strstr(at->line, "Process information: process ");
	struct bw_crash_event *e = NULL;
	for (size_t i = log->events.len; !e && i-- > log->first_event;) {
		struct bw_crash_event *t = &log->events.data[i];
		unsigned far = log->now.order - t->when.order;
		if (t->when.boot != log->now.boot ||
		    far > (is_named ? (unsigned)BW_CRASH_NEAR_MESSAGES : 3))
			return false;
		if (t->kind == BW_CRASH_TIMEOUT && is_unnamed(t) &&
		    bw_crash_same_device(t->device, at->device))
			e = t;
	}
	return e && (is_named || strstr(at->line, " Process ")) &&
	       bw_crash_read_process(at->line, e->process, &e->pid, e->thread, &e->tid);
}

/* "[sdma0] address:0x... vmid:8 pasid:32786, for process bwtest pid 4905 ..." below an error of
 * SDMA; " for process ..." since Linux 6.9. */
static bool process_of_command(struct bw_crash_log *log, const struct bw_crash_entry *at)
{
	struct bw_crash_event *e = last_event(log, at->device, BW_CRASH_COMMAND_ERROR, 2);
	return is_unnamed(e) && bw_starts_with(e->detail, "SDMA") &&
	       strstr(at->line, " for process ") &&
	       bw_crash_read_process(at->line, e->process, &e->pid, e->thread, &e->tid);
}

/* The bits of an ACA bank's status (amdgpu_aca.h of Linux 6.12) that say how bad it is, and the
 * hardware that it is of. */
static bool aca_line(struct bw_crash_log *log, const struct bw_crash_entry *at)
{
	enum { CECC = 46, DEFERRED = 44, POISON = 43, UC = 61, PCC = 57 };
	static const struct {
		unsigned hwid;
		const char *name;
	} units[] = {{0x01, "SMU"}, {0x96, "memory controller (UMC)"}, {0x50, "XGMI link"}};
	const char *status = bw_crash_after(at->line, "].STATUS=0x");
	const char *ipid = bw_crash_after(at->line, "].IPID=0x");
	struct bw_crash_event *e =
		last_event(log, at->device, BW_CRASH_HARDWARE_ERROR, BW_CRASH_NEAR_MESSAGES);
	uint64_t v;
	if (!e)
		e = last_event(log, at->device, BW_CRASH_CORRECTED, BW_CRASH_NEAR_MESSAGES);
	if ((!status && !ipid) || !e || strncmp(e->detail, "ACA", 3) != 0)
		return status || ipid;
	if (status && bw_crash_number(&status, 16, &v)) {
		bool is_bad = bw_bit_is_set(v, UC) || bw_bit_is_set(v, PCC) ||
			      bw_bit_is_set(v, DEFERRED) || bw_bit_is_set(v, POISON);
		if (!is_bad && bw_bit_is_set(v, CECC)) {
			e->kind = BW_CRASH_CORRECTED;
			e->number++;
		}
	}
	if (ipid && bw_crash_number(&ipid, 16, &v))
		for (size_t i = 0; i < BW_ARRAY_SIZE(units); i++)
			if (bw_bits(v, 43, 32) == units[i].hwid)
				snprintf(e->detail, sizeof(e->detail), "ACA: %s", units[i].name);
	return true;
}

bool bw_crash_read_event(struct bw_crash_log *log, const struct bw_crash_entry *at)
{
	struct bw_crash_event e = {.line = at->first, .when = log->now};
	const char *m = bw_crash_message(at->line);
	if (process_of_timeout(log, at) || process_of_command(log, at))
		return true;
	if (aca_line(log, at))
		return true;
	size_t i = row_of(at->line);
	if (i == BW_ARRAY_SIZE(messages))
		return false;
	e.kind = messages[i].kind;
	if (messages[i].detail)
		bw_crash_copy(e.detail, sizeof(e.detail), messages[i].detail,
			      strlen(messages[i].detail));
	bw_crash_copy(e.text, sizeof(e.text), m, strcspn(m, "\r\n"));
	bw_crash_copy(e.device, sizeof(e.device), at->device, strlen(at->device));
	/* A process that belongs to no timeout stands alone. */
	if (e.kind == BW_CRASH_PROCESS &&
	    !bw_crash_read_process(at->line, e.process, &e.pid, e.thread, &e.tid))
		return false;
	if (messages[i].read && !messages[i].read(&e, at->line))
		return true;
	if (log->events.len >= BW_CRASH_MAX_EVENTS) {
		log->n_events_left_out++;
		return true;
	}
	struct bw_error *err = bw_vec_push(&log->events, e);
	log->failed |= err != NULL;
	bw_error_free(err);
	return true;
}
