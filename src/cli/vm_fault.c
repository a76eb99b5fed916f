/* SPDX-License-Identifier: MIT */
/* breakwater vm explain without an address: what faulted last on this GPU. The driver clears the
 * registers when it has logged a fault, so they are looked at first, and then the kernel log. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "cli/look/fault.h"
#include "cli/vm.h"

struct last {
	bool is_found;
	struct bw_gpuvm_fault_facts facts;
	struct bw_crash_log log;	     /* facts borrow their names from its faults */
	const struct bw_crash_fault *in_log; /* of log; NULL: it is from the registers */
	unsigned vmid;
};

static struct bw_error *find_in_registers(struct bw_look *l, struct last *out)
{
	struct bw_gpu g = {0};
	struct bw_error *err = bw_look_gpu_open(l, &g);
	static const enum bw_gpuvm_hub hubs[] = {BW_GPUVM_GC, BW_GPUVM_MM};
	for (size_t i = 0; i < BW_ARRAY_SIZE(hubs) && !err && !out->is_found; i++) {
		if (l->has_hub && l->hub != hubs[i])
			continue;
		err = bw_look_read_fault(g.kmd, hubs[i], &out->facts);
		out->is_found = !err && out->facts.status != 0;
		if (out->is_found)
			out->vmid =
				bw_gpuvm_status_decode(out->facts.part.gen, out->facts.status).vmid;
	}
	bw_gpu_close(&g);
	return err;
}

/* The last one of this GPU: logs of old kernels do not always name it. */
static struct bw_error *find_in_log(struct bw_look *l, struct last *out)
{
	struct bw_str text = {0};
	struct bw_crash_log *log = &out->log;
	struct bw_gpuvm_part part;
	struct bw_kmd *kmd;
	BW_TRY(bw_kmd_open(l->gpu, &kmd));
	struct bw_error *err = bw_gpu_part_of(kmd, &part);
	if (!err)
		err = bw_kmd_log(kmd, &text);
	if (!err) {
		bw_crash_log_text(log, bw_str_text(&text), text.len);
		bw_crash_log_end(log);
		err = log->failed ? bw_error_nomem() : NULL;
	}
	for (size_t i = log->faults.len; !err && i > 0 && !out->is_found; i--) {
		const struct bw_crash_fault *f = &log->faults.data[i - 1];
		if ((f->device[0] && strcmp(f->device, bw_kmd_pci_address(kmd)) != 0) ||
		    (l->has_hub && l->hub != f->hub))
			continue;
		out->is_found = true;
		out->facts = bw_crash_fault_facts(log, f, &part);
		out->in_log = f;
		out->vmid = f->has_first ? f->vmid : 0;
	}
	bw_str_free(&text);
	bw_kmd_close(kmd);
	return err;
}

/* Shows what is mapped at the address now. */
static void show_now(struct bw_look *l, const struct last *last)
{
	struct bw_look_vm vm = {0};
	if (!last->facts.has_address || !last->vmid || last->vmid > 15)
		return;
	l->hub = last->facts.hub;
	struct bw_error *err = bw_look_vm_open(l, last->vmid, &vm);
	if (!err) {
		struct bw_kmd_client now;
		bool has_now = bw_gpu_process_of(vm.kmd, last->vmid, &now);
		bw_out_line(l->out, "%s", "");
		if (has_now && !last->in_log)
			bw_out_line(l->out, "VMID %u belongs to process %s (pid %d) now.",
				    last->vmid, now.comm, (int)now.pid);
		if (has_now && l->json) {
			bw_out_str(l->out, "process_now", now.comm);
			bw_out_int(l->out, "pid_now", now.pid);
		}
		if (last->in_log && last->in_log->has_first &&
		    (!has_now || now.pasid != last->in_log->pasid))
			bw_out_line(l->out, "VMID %u belongs to another address space by now.",
				    last->vmid);
		else {
			bw_out_line(l->out, "The page tables of VMID %u say now:", last->vmid);
			bw_look_explain_in(l, &vm, last->facts.address);
		}
	}
	bw_look_vm_close(&vm);
	bw_error_free(err); /* the fault itself has been shown */
}

struct bw_error *bw_look_explain_last(struct bw_look *l)
{
	struct last last = {0};
	struct bw_error *no_log = NULL;
	BW_TRY(find_in_registers(l, &last));
	if (!last.is_found)
		no_log = find_in_log(l, &last);
	json_t *list = json_array();
	bw_out_begin(l->out, "command", "vm explain");
	bw_out_str(l->out, "source",
		   !last.is_found ? "none"
		   : last.in_log  ? "kernel log"
				  : "registers");
	if (last.is_found)
		bw_look_fault(l, &last.facts, last.in_log, list);
	else if (no_log)
		bw_out_line(l->out,
			    "The registers have no fault recorded (the driver clears them when it "
			    "has logged one), and the kernel log cannot be read: %s.",
			    no_log->message);
	else
		bw_out_line(l->out, "%s",
			    "Nothing has faulted on this GPU, as far as its registers and the "
			    "kernel log go.");
	bw_out_json(l->out, "faults", list);
	if (last.is_found)
		show_now(l, &last);
	bw_out_end(l->out);
	bw_error_free(no_log);
	bw_crash_log_free(&last.log);
	return NULL;
}
