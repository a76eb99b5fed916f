/* SPDX-License-Identifier: MIT */
/* A page fault in words. */
#include "gpuvm/fault.h"

#include <inttypes.h>
#include <string.h>

#include "base/util.h"

/* A client in words, for people who do not know its abbreviation: the subject of a sentence, and
 * its action. Matched by the beginning of the name. */
enum kind { SHADER, FETCH, SCALAR, COMMANDS, COPY, FIXED, VIDEO, DISPLAY, FIRMWARE, HOST, OTHER };
static const struct {
	const char *name, *subject, *is;
	enum kind kind;
} clients[] = {
	{"TCP", "A shader", "vector memory instructions of shaders: buffers, images, global memory",
	 SHADER},
	{"SQC (inst)", "A shader", "instruction fetch of shaders", FETCH},
	{"SQC (data)", "A shader", "scalar loads of shaders: constants, descriptors, arguments",
	 SCALAR},
	{"SQG", "The shader sequencer", "thread traces and messages of the shader sequencer",
	 FIXED},
	{"CPF", "The command processor", "the fetcher of the command processor", COMMANDS},
	{"CPG", "The command processor", "the graphics engines of the command processor", COMMANDS},
	{"CPC", "The command processor", "the compute engines of the command processor", COMMANDS},
	{"SDMA", "The copy engine", "the copy engine (SDMA)", COPY},
	{"LSDMA", "The light copy engine", "the light copy engine of the driver (LSDMA)", COPY},
	{"CB/DB", "The render backend", "colour, depth and stencil of render targets", FIXED},
	{"CB", "The colour backend", "colour of render targets", FIXED},
	{"DB", "The depth backend", "depth and stencil of render targets", FIXED},
	{"GE", "The geometry engine", "index buffers and geometry", FIXED},
	{"IA", "The input assembler", "index buffers and geometry", FIXED},
	{"WD", "The work distributor", "index buffers and geometry", FIXED},
	{"PA", "The primitive assembler", "primitives", FIXED},
	{"WGS", "The workgroup scheduler", "launching of workgroups", FIXED},
	{"GCR", "The cache controller", "cache flushes and invalidations (GCR)", FIXED},
	{"RLC", "The firmware RLC",
	 "the firmware that saves, restores and powers the graphics block", FIRMWARE},
	{"DSM", "The debug unit", "the debug unit", FIRMWARE},
	{"VCN", "The video engine", "video decoding and encoding", VIDEO},
	{"UVD", "The video decoder", "video decoding", VIDEO},
	{"VCE", "The video encoder", "video encoding", VIDEO},
	{"JPEG", "The JPEG decoder", "JPEG decoding", VIDEO},
	{"VPE", "The video processing engine", "scaling and conversion of video", VIDEO},
	{"VSCH", "The scheduler of the video engine", "the firmware that schedules video", VIDEO},
	{"UMSCH", "The scheduler of the video engine", "the firmware that schedules video", VIDEO},
	{"ISP", "The camera processor", "the image signal processor", VIDEO},
	{"DCE", "The display engine", "scanout of the display", DISPLAY},
	{"XDMA", "The display engine", "copies between displays", DISPLAY},
	{"MP0", "The firmware PSP", "the security processor (PSP)", FIRMWARE},
	{"MP1", "The firmware SMU", "the power management processor (SMU)", FIRMWARE},
	{"MP", "A firmware processor", "a processor of the firmware", FIRMWARE},
	{"HDP", "The CPU", "accesses of the CPU through the PCI window (HDP)", HOST},
	{"XDP", "Another device", "accesses of other PCI devices (peer to peer)", HOST},
	{"OSS", "The interrupt handler", "the interrupt ring and system services", FIRMWARE},
	{"DBGU", "The debug unit", "the debug unit", FIRMWARE},
	{"VMC", "The translation unit", "page table reads of the translation unit itself", OTHER},
	{"UTCL2", "The translation unit", "page table reads of the translation unit itself", OTHER},
	{"TLS", "The security unit", "the security unit", OTHER},
};

struct who {
	const char *name; /* NULL: not known */
	const char *subject, *is;
	enum kind kind;
};

static struct who look_up(const char *name)
{
	struct who w = {.name = name, .subject = "A client of the hub", .is = NULL, .kind = OTHER};
	for (size_t i = 0; name && i < BW_ARRAY_SIZE(clients); i++) {
		if (!bw_starts_with(name, clients[i].name))
			continue;
		w.subject = clients[i].subject;
		w.is = clients[i].is;
		w.kind = clients[i].kind;
		break;
	}
	return w;
}

static struct who who_of(const struct bw_gpuvm_fault_facts *f, const struct bw_gpuvm_status *s)
{
	const char *name = NULL;
	if (f->has_status) {
		bool writes = s->write || s->atomic;
		name = bw_gpuvm_client(&f->part, f->hub, s->client, writes);
		/* Without a generation, only a name that all of them agree on. */
		for (unsigned g = BW_GPUVM_GFX9; f->any_generation && name && g <= BW_GPUVM_GFX12;
		     g++) {
			const char *other =
				f->hub == BW_GPUVM_GC ? bw_gpuvm_gfxhub_client(g, s->client) : NULL;
			if (!other || strcmp(other, name) != 0)
				name = NULL;
		}
	}
	if ((!name || f->is_guess) && f->kernel_client && strcmp(f->kernel_client, "unknown") != 0)
		name = f->kernel_client;
	return look_up(name);
}

/* ---- why ---- */

enum cause { NOT_MAPPED, NO_TABLE, OUTSIDE, FORBIDDEN, FURTHER, NACK, DUMMY, UNREACHABLE, UNCLEAR };

static enum cause cause_of(const struct bw_gpuvm_fault_facts *f, const struct bw_gpuvm_status *s)
{
	switch (bw_gpuvm_walker_error(f->part.gen, s->walker_error)) {
	case BW_GPUVM_WALKER_RANGE:
		return OUTSIDE;
	case BW_GPUVM_WALKER_DIRECTORY:
		return NO_TABLE;
	case BW_GPUVM_WALKER_FURTHER:
		return FURTHER;
	case BW_GPUVM_WALKER_NACK:
		return NACK;
	case BW_GPUVM_WALKER_DUMMY_PAGE:
		return DUMMY;
	case BW_GPUVM_WALKER_NONE:
	case BW_GPUVM_WALKER_RESERVED:
		break;
	}
	if (s->mapping_error)
		return UNREACHABLE;
	if (s->permission & 1)
		return NOT_MAPPED;
	return s->permission ? FORBIDDEN : UNCLEAR;
}

static void add_why(const struct bw_gpuvm_fault_facts *f, const struct bw_gpuvm_status *s,
		    struct bw_str *out)
{
	switch (cause_of(f, s)) {
	case NOT_MAPPED:
		bw_str_add(out, "which is not mapped");
		return;
	case NO_TABLE:
		bw_str_addf(out, "which is not mapped: the %s entry above it is not valid",
			    bw_gpuvm_walker_error_name(f->part.gen, s->walker_error));
		return;
	case OUTSIDE:
		bw_str_add(out,
			   "which lies outside of the address space (PAGE_TABLE_START to END)");
		return;
	case FORBIDDEN:
		bw_str_addf(out, "which is mapped, but without permission to %s%s%s",
			    s->permission & 4	? "write"
			    : s->permission & 8 ? "execute"
						: "read",
			    s->permission & 4 && s->permission & 2 ? " or read" : "",
			    s->permission & 4 && s->permission & 8 ? " or execute" : "");
		return;
	case FURTHER:
		bw_str_add(out, "whose translate-further entry is wrong for this page table");
		return;
	case NACK:
		bw_str_add(
			out,
			"and the memory system, or the fault handler, refused the access (NACK)");
		return;
	case DUMMY:
		bw_str_add(out, "which leads to the dummy page");
		return;
	case UNREACHABLE:
		bw_str_add(out, f->has_status && s->vmid == 0
					? "which no aperture and no page table of VMID 0 covers"
					: "whose physical address the hub cannot reach");
		return;
	case UNCLEAR:
		bw_str_add(out, "for a reason that the status word does not name");
		return;
	}
}

static const char *access_name(const struct bw_gpuvm_status *s, enum kind kind)
{
	if (s->atomic)
		return "atomic";
	if (s->write)
		return "write";
	if (kind == FETCH || s->permission & 8)
		return "instruction fetch";
	return "read";
}

/* Adds the owner of the access: " of process game (pid 7)", " of VMID 3". vmid: -1, not known. */
static void add_owner(const struct bw_gpuvm_fault_facts *f, int vmid, struct bw_str *out)
{
	if (f->process && f->process[0] && f->pid)
		bw_str_addf(out, " of process %s (pid %" PRId64 ")", f->process, f->pid);
	else if (f->process && f->process[0])
		bw_str_addf(out, " of process %s", f->process);
	else if (f->process)
		bw_str_addf(out, " of process %" PRId64, f->pid);
	else if (vmid == 0)
		bw_str_add(out, ", for the kernel driver (VMID 0),");
	else if (vmid > 0)
		bw_str_addf(out, " of VMID %d", vmid);
}

/* "The video engine wrote to address 0x1000, which is not mapped" */
static void add_access(const struct bw_gpuvm_fault_facts *f, const struct bw_gpuvm_status *s,
		       struct who w, struct bw_str *out)
{
	const char *access = access_name(s, w.kind);
	struct bw_str why = {0};
	const char *verb = s->atomic  ? "did an atomic operation on"
			   : s->write ? "wrote to"
			   : !strcmp(access, "instruction fetch") && w.kind == FETCH
				   ? "fetched instructions from"
				   : "read from";
	bw_str_add(out, w.subject);
	if (w.name && (w.kind == COPY || w.kind == OTHER))
		bw_str_addf(out, " (%s)", w.name);
	add_owner(f, s->vmid, out);
	bw_str_addf(out, " %s ", verb);
	if (f->has_address)
		bw_str_addf(out, "address 0x%" PRIx64, f->address);
	else
		bw_str_add(out, "an address");
	add_why(f, s, &why);
	const char *text = bw_str_text(&why);
	if (!f->has_address && bw_starts_with(text, "which "))
		bw_str_addf(out, " that %s", text + strlen("which "));
	else
		bw_str_addf(out, ", %s", text);
	bw_str_free(&why);
}

/* Adds the facts of the interrupt's entry alone: "The memory hub reported a page fault at address
 * 0x1000 of process game (pid 7), VMID 3." */
static void add_report(const struct bw_gpuvm_fault_facts *f, struct bw_str *out)
{
	bw_str_addf(out, "The %s hub reported a page fault",
		    f->hub == BW_GPUVM_MM ? "memory" : "graphics");
	if (f->has_address)
		bw_str_addf(out, " at address 0x%" PRIx64, f->address);
	if (f->process)
		add_owner(f, -1, out);
	if (f->vmid == 0)
		bw_str_addf(out, "%s the kernel driver (VMID 0)", f->process ? ", for" : " of");
	else if (f->vmid > 0)
		bw_str_addf(out, "%s VMID %d", f->process ? "," : " of", f->vmid);
	bw_str_add(out, ".");
}

/* The register was read too late: it has the status of another fault. */
static bool is_mixed(const struct bw_gpuvm_fault_facts *f, const struct bw_gpuvm_status *s)
{
	return f->has_status && f->vmid >= 0 && f->vmid != s->vmid;
}

static void add_other_reporter(const struct bw_gpuvm_fault_facts *f, struct bw_str *out)
{
	if (f->reporter == BW_GPUVM_RUNTIME) {
		bw_str_add(out, "A kernel on the GPU accessed ");
		if (f->has_address)
			bw_str_addf(out, "address 0x%" PRIx64, f->address);
		else
			bw_str_add(out, "an address");
		bw_str_addf(out, "; ROCm's runtime says of it: %s.",
			    f->reason ? f->reason : "(nothing)");
		return;
	}
	bw_str_add(out, "A GPU of gfx8 or older reported a page fault");
	if (f->has_address)
		bw_str_addf(out, " at address 0x%" PRIx64, f->address);
	add_owner(f, f->vmid, out);
	if (f->kernel_client)
		bw_str_addf(out, ": a %s by its client %s", f->is_write ? "write" : "read",
			    f->kernel_client);
	bw_str_add(out, ". Its status word is not decoded: GPUs before gfx9 are not supported.");
}

static void add_headline(const struct bw_gpuvm_fault_facts *f, const struct bw_gpuvm_status *s,
			 struct who w, bool is_empty, struct bw_str *out)
{
	struct bw_gpuvm_fault_facts other = *f;
	if (f->reporter != BW_GPUVM_HUB) {
		add_other_reporter(f, out);
	} else if (is_empty) {
		/* doc/hardware/page-tables.md 6.3 */
		add_report(f, out);
		bw_str_add(out, " Its status register was already empty (0) when it was read: who "
				"accessed the address, and how, is not known.");
	} else if (!f->has_status) {
		add_report(f, out);
		bw_str_add(out, " Who accessed the address, and how, is not known: there is no "
				"status word.");
	} else if (is_mixed(f, s)) {
		add_report(f, out);
		other.has_address = false;
		other.process = NULL;
		bw_str_add(out, " The status that was read with it is of another fault, whose "
				"address is not known: ");
		add_access(&other, s, w, out);
		bw_str_add(out, ".");
	} else {
		add_access(f, s, w, out);
		bw_str_add(out, ".");
	}
}

/* ---- what next ---- */

static void add_next_by_client(const struct bw_gpuvm_status *s, struct who w, struct bw_str *out)
{
	bool forbidden = !(s->permission & 1) && s->permission;
	switch (w.kind) {
	case SHADER:
	case SCALAR:
		if (forbidden)
			bw_str_add(
				out,
				"A shader accesses a buffer in a way that it was not mapped for: look for a "
				"store to a read-only buffer or to code.\n");
		else
			bw_str_add(
				out,
				"Usual causes: an index outside of a buffer, a pointer or descriptor that was "
				"never set, memory freed or moved while the shader still ran.\n");
		bw_str_add(
			out,
			"Run the program as \"breakwater run -- PROGRAM\": it stops at the instruction and "
			"lane of a bad access.\n");
		if (w.kind == SCALAR)
			bw_str_add(
				out,
				"Scalar loads read descriptors, constants and kernel arguments: check what "
				"was bound.\n");
		return;
	case FETCH:
		bw_str_add(
			out,
			"The program counter left the code, or the code was freed: check the lifetime of "
			"pipelines and code objects, and indirect jumps.\n");
		return;
	case COMMANDS:
		bw_str_add(
			out,
			"The address comes from a command packet or is that of a command buffer: look for "
			"command buffers, indirect arguments or fences freed too early, and decode the "
			"ring and its IBs (breakwater pm4).\n");
		return;
	case COPY:
		bw_str_add(
			out,
			"A copy or fill had a wrong source or destination, or one freed too early.\n");
		return;
	case FIXED:
		bw_str_add(
			out,
			"Fixed-function hardware takes addresses from registers: check render targets, "
			"depth buffers, index buffers and their lifetime.\n");
		return;
	case VIDEO:
		bw_str_add(
			out,
			"Check the buffers given to the video engine: bitstream, reference and target "
			"frames, and their lifetime.\n");
		return;
	case DISPLAY:
		bw_str_add(
			out,
			"The display read a framebuffer that is not mapped: a driver problem; note the "
			"kernel version and the display setup.\n");
		return;
	case FIRMWARE:
		bw_str_add(
			out,
			"Firmware does not run programs of users: this is a problem of the driver or the "
			"firmware; note the versions of both.\n");
		return;
	case HOST:
		bw_str_add(
			out,
			"The access came from outside of the GPU: a CPU mapping or another device.\n");
		return;
	case OTHER:
		return;
	}
}

static void add_next(const struct bw_gpuvm_fault_facts *f, const struct bw_gpuvm_status *s,
		     struct who w, struct bw_str *out)
{
	struct bw_gpuvm_status_field fields[BW_GPUVM_MAX_STATUS_FIELDS];
	size_t n = f->has_status ? bw_gpuvm_status_fields(&f->part, f->hub, f->status, fields) : 0;
	for (size_t i = 0; i < n; i++)
		if ((!strcmp(fields[i].name, "UCE") || !strcmp(fields[i].name, "FED")) &&
		    fields[i].value)
			bw_str_addf(
				out,
				"%s is set: the memory returned damaged data. That is a hardware error, "
				"not a mistake of the program.\n",
				fields[i].name);
	if (f->has_address && f->address < 0x10000)
		bw_str_add(
			out,
			"The address is close to 0: a null pointer, or a small offset from one.\n");
	int vmid = f->vmid >= 0 ? f->vmid : f->has_status ? s->vmid : -1;
	if (f->reporter == BW_GPUVM_OLD_GPU)
		return;
	if (f->reporter == BW_GPUVM_RUNTIME) {
		bw_str_add(out, "The kernel log names the client and the kind of access: "
				"breakwater crash with both files.\n");
		return;
	}
	if (vmid == 0)
		bw_str_add(
			out,
			"VMID 0 belongs to the kernel driver and firmware: first check the apertures and "
			"the GART (breakwater vm walk 0@ADDRESS), then report it as a driver problem.\n");
	else if (!is_mixed(f, s))
		add_next_by_client(s, w, out);
	if (f->has_status && cause_of(f, s) == NACK)
		bw_str_add(
			out,
			"NACK follows a retry that was answered \"no\", or an address that has no memory.\n");
	if (f->has_status && cause_of(f, s) == FURTHER)
		bw_str_add(
			out,
			"Compare depth, block size and BFS of the page table with \"breakwater vm "
			"layout\".\n");
	if (f->has_address)
		bw_str_addf(out,
			    "Only the page is known: the access was somewhere in 0x%" PRIx64
			    " to 0x%" PRIx64 ".",
			    f->address & ~(uint64_t)0xfff, f->address | 0xfff);
	if (f->has_address && vmid >= 0)
		bw_str_addf(out,
			    " \"breakwater vm walk %d@0x%" PRIx64
			    "\" shows the page tables as they are now.",
			    vmid, f->address);
	if (f->has_address)
		bw_str_add(out, "\n");
	if (f->is_retry)
		bw_str_add(
			out,
			"It was a retry fault (XNACK, SVM): the driver could not supply the page.\n");
	if (f->has_status && s->more)
		bw_str_add(
			out,
			"MORE_FAULTS is set: more faults came before this one was read; their details are "
			"lost.\n");
}

static void add_permissions(uint32_t value, struct bw_str *out)
{
	static const char *const bits[] = {"the page is not valid", "no read permission",
					   "no write permission", "no execute permission"};
	const char *comma = "";
	for (unsigned i = 0; i < BW_ARRAY_SIZE(bits); i++)
		if (bw_bit_is_set(value, i)) {
			bw_str_addf(out, "%s%s", comma, bits[i]);
			comma = ", ";
		}
	if (value >> BW_ARRAY_SIZE(bits))
		bw_str_addf(out, "%sa bit whose meaning is not known", comma);
}

static void add_client(const struct bw_gpuvm_fault_facts *f, struct bw_str *out)
{
	struct bw_gpuvm_status s = bw_gpuvm_status_decode(f->part.gen, f->status);
	struct who w = who_of(f, &s);
	if (w.name)
		bw_str_addf(out, "%s%s%s", w.name, w.is ? ": " : "", w.is ? w.is : "");
	else
		bw_str_add(out, "no name is known for it");
}

void bw_gpuvm_fault_field(const struct bw_gpuvm_fault_facts *f,
			  const struct bw_gpuvm_status_field *field, struct bw_str *out)
{
	static const struct {
		const char *name, *set;
	} flags[] = {
		{"MORE_FAULTS", "more faults came, whose details are lost"},
		{"MAPPING_ERROR", "the physical address cannot be reached"},
		{"ATOMIC", "an atomic operation"},
		{"VF", "of a virtual function (SR-IOV)"},
		{"PRT", "of a partially resident page"},
		{"UCE", "an uncorrectable memory error"},
		{"FED", "poisoned data: a memory error"},
	};
	if (f->status == 0)
		return;
	if (!strcmp(field->name, "CID"))
		add_client(f, out);
	else if (!strcmp(field->name, "RW"))
		bw_str_add(out, field->value ? "write" : "read");
	else if (!strcmp(field->name, "WALKER_ERROR"))
		bw_str_add(out, bw_gpuvm_walker_error_name(f->part.gen, field->value));
	else if (!strcmp(field->name, "PERMISSION_FAULTS"))
		add_permissions(field->value, out);
	else if (!strcmp(field->name, "VMID") && field->value == 0)
		bw_str_add(out, "the kernel driver and firmware");
	for (size_t i = 0; i < BW_ARRAY_SIZE(flags); i++)
		if (field->value && !strcmp(field->name, flags[i].name))
			bw_str_add(out, flags[i].set);
}

void bw_gpuvm_fault_tell(const struct bw_gpuvm_fault_facts *f, struct bw_gpuvm_fault_story *out)
{
	struct bw_gpuvm_status s = {0};
	struct bw_gpuvm_fault_facts facts = *f;
	bool is_empty = f->has_status && f->status == 0;
	if (is_empty) {
		/* Nobody is named by it: 0 is also the number of a client. */
		facts.has_status = false;
		facts.kernel_client = NULL;
	}
	if (is_empty && !f->has_address && f->vmid < 0) {
		bw_str_add(&out->headline,
			   "A status of 0 says nothing: the fault was already cleared when the "
			   "register was read.");
		bw_str_add(&out->next,
			   "It is not a fault of client 0. Look for an earlier fault in the kernel "
			   "log, which was read before it was cleared.\n");
		return;
	}
	if (facts.has_status)
		s = bw_gpuvm_status_decode(f->part.gen, f->status);
	struct who w = who_of(&facts, &s);
	add_headline(&facts, &s, w, is_empty, &out->headline);
	if (w.is)
		bw_str_addf(&out->who, "%s: %s", w.name, w.is);
	else if (w.name)
		bw_str_add(&out->who, w.name);
	else if (facts.has_status)
		bw_str_addf(&out->who, "client 0x%x, which has no name here", s.client);
	if (facts.has_status) {
		bw_str_add(&out->access, access_name(&s, w.kind));
		add_why(&facts, &s, &out->why);
	} else if (is_empty) {
		bw_str_add(&out->why, "the status was 0 when it was read: no information");
	}
	add_next(&facts, &s, w, &out->next);
}

void bw_gpuvm_fault_story_free(struct bw_gpuvm_fault_story *s)
{
	bw_str_free(&s->headline);
	bw_str_free(&s->who);
	bw_str_free(&s->access);
	bw_str_free(&s->why);
	bw_str_free(&s->next);
}
