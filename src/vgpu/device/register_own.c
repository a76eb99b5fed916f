/* SPDX-License-Identifier: MIT */
#include "vgpu/device/register_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/cp.h"
#include "vgpu/device/register_window_priv.h"
#include "vgpu/device/sdma_engine.h"

/* Numbers of GRBM_GFX_CNTL.MEID. The second compute engine has the kernel's own queues: those that
 * the device has as ME 3. */
enum { KERNEL_ME = 2, DEVICE_KERNEL_ME = 3, N_PIPES = 4, N_RESETS = 6 };

unsigned bw_own_me(const struct bw_device *dev, unsigned me)
{
	return dev->own && me == DEVICE_KERNEL_ME ? KERNEL_ME : me;
}

/* ---- storage ---- */

static uint32_t load(const struct bw_register_window *w, uint32_t addr_dw)
{
	return __atomic_load_n(&w->plain[addr_dw], __ATOMIC_SEQ_CST);
}

static void store(struct bw_register_window *w, uint32_t addr_dw, uint32_t value)
{
	__atomic_store_n(&w->plain[addr_dw], value, __ATOMIC_SEQ_CST);
}

/* ---- rows that do not go by the fields ---- */

/* The device's register has the same bits. */
static uint32_t read_same(struct bw_register_window *w, const struct bw_window_row *r,
			  const struct bw_bank *bank)
{
	return bw_device_reg_read(w->dev, bank, r->device_dw);
}

static void write_same(struct bw_register_window *w, const struct bw_window_row *r,
		       const struct bw_bank *bank, uint32_t value)
{
	bw_device_reg_write(w->dev, bank, r->device_dw, value);
}

/* Enabled or not, safe mode is entered and left at once: the command is done when it is read. */
static uint32_t read_safe_mode(struct bw_register_window *w, const struct bw_window_row *r,
			       const struct bw_bank *bank)
{
	uint32_t command = (uint32_t)bw_reg_field_set(r->field[0], 0, 1);
	return load(w, r->addr_dw) & ~command;
}

static void write_stored(struct bw_register_window *w, const struct bw_window_row *r,
			 const struct bw_bank *bank, uint32_t value)
{
	store(w, r->addr_dw, value);
}

/* A pipe in reset has no queues, which a driver that loads after a failed one counts on; nor has an
 * engine that is halted, which is all that the driver of a Raven2 does when it is unloaded [I]. */
static void write_mec_cntl(struct bw_register_window *w, const struct bw_window_row *r,
			   const struct bw_bank *bank, uint32_t value)
{
	uint32_t pipes = 0;
	store(w, r->addr_dw, value);
	for (unsigned i = 0; i < N_RESETS; i++)
		pipes |= (uint32_t)bw_reg_field_get(r->field[i], value) << i;
	if (bw_reg_field_get(r->field[N_RESETS], value))
		pipes |= (1u << N_PIPES) - 1;
	if (bw_reg_field_get(r->field[N_RESETS + 1], value))
		pipes |= (1u << N_RESETS) - (1u << N_PIPES);
	if (pipes % (1u << N_PIPES))
		bw_cp_reset_pipes(w->dev, 1, pipes % (1u << N_PIPES));
	if (pipes >> N_PIPES)
		bw_cp_reset_pipes(w->dev, DEVICE_KERNEL_ME, pipes >> N_PIPES);
}

/* The ring of graphics is a queue of the device like others: ME 0, pipe 0. */
static const struct bw_bank of_graphics = {.use_srbm = true};

static uint32_t read_graphics(struct bw_register_window *w, const struct bw_window_row *r,
			      const struct bw_bank *bank)
{
	return bw_device_reg_read(w->dev, &of_graphics, r->device_dw);
}

static void write_graphics(struct bw_register_window *w, const struct bw_window_row *r,
			   const struct bw_bank *bank, uint32_t value)
{
	bw_device_reg_write(w->dev, &of_graphics, r->device_dw, value);
}

/* The last register that a driver writes; from then on there is somebody to hear the doorbell. */
static void write_graphics_doorbell(struct bw_register_window *w, const struct bw_window_row *r,
				    const struct bw_bank *bank, uint32_t value)
{
	write_graphics(w, r, bank, value);
	if (BW_FIELD_GET(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_EN, value))
		bw_device_reg_write(w->dev, &of_graphics, bw_reg_addr(w->dev, BW_REG_CP_HQD_ACTIVE),
				    BW_FIELD(CP_HQD_ACTIVE, ACTIVE, 1));
}

/* Halted, it has no queue. */
static void write_me_cntl(struct bw_register_window *w, const struct bw_window_row *r,
			  const struct bw_bank *bank, uint32_t value)
{
	store(w, r->addr_dw, value);
	if (bw_reg_field_get(r->field[0], value))
		bw_cp_reset_pipes(w->dev, 0, 1);
}

static uint32_t read_stored(struct bw_register_window *w, const struct bw_window_row *r,
			    const struct bw_bank *bank)
{
	return load(w, r->addr_dw);
}

/* By MM_INDEX a driver reaches VRAM, and the registers as it knows them; not this one again. */
static bool of_register(struct bw_register_window *w, const struct bw_window_row *r,
			uint32_t *out_addr_dw)
{
	enum { IS_VRAM = 1u << 31 };
	uint32_t index = bw_reg_get(w->dev, BW_REG_MM_INDEX);
	*out_addr_dw = index / 4;
	return !(index & IS_VRAM) && *out_addr_dw != r->addr_dw;
}

static uint32_t read_mm_data(struct bw_register_window *w, const struct bw_window_row *r,
			     const struct bw_bank *bank)
{
	uint32_t addr_dw;
	return of_register(w, r, &addr_dw) ? bw_own_window_read(w, bank, addr_dw)
					   : read_same(w, r, bank);
}

static void write_mm_data(struct bw_register_window *w, const struct bw_window_row *r,
			  const struct bw_bank *bank, uint32_t value)
{
	uint32_t addr_dw;
	if (of_register(w, r, &addr_dw))
		bw_own_window_write(w, bank, addr_dw, value);
	else
		write_same(w, r, bank, value);
}

/* ---- the list ---- */

static const struct bw_window_register registers[] = {
	{"gc", "SH_MEM_BASES"},
	{"gc", "SH_MEM_CONFIG"},
	{"gc", "GRBM_STATUS"},
	{"gc", "GRBM_STATUS2"},
	{"gc", "CP_STAT"},
	{"gc", "CP_CPC_STATUS"},
	{"gc", "RLC_CAPTURE_GPU_CLOCK_COUNT"},
	{"gc", "RLC_GPU_CLOCK_COUNT_LSB"},
	{"gc", "RLC_GPU_CLOCK_COUNT_MSB"},
	{"gc", "CP_ME1_PIPE0_INT_CNTL"},
	{"gc", "CP_ME1_PIPE1_INT_CNTL"},
	{"gc", "CP_ME1_PIPE2_INT_CNTL"},
	{"gc", "CP_ME1_PIPE3_INT_CNTL"},
	{"gc", "VM_L2_PROTECTION_FAULT_CNTL", .device_prefix = "GC"},
	{"gc", "VM_L2_PROTECTION_FAULT_CNTL2", .device_prefix = "GC"},
	{"gc", "VM_L2_PROTECTION_FAULT_STATUS", .device_prefix = "GC"},
	{"gc", "VM_L2_PROTECTION_FAULT_ADDR_LO32", .device_prefix = "GC"},
	{"gc", "VM_L2_PROTECTION_FAULT_ADDR_HI32", .device_prefix = "GC"},
	{"osssys", "IH_RB_CNTL"},
	{"osssys", "IH_RB_BASE"},
	{"osssys", "IH_RB_BASE_HI"},
	{"osssys", "IH_RB_RPTR"},
	{"osssys", "IH_RB_WPTR"},
	{"osssys", "IH_RB_WPTR_ADDR_HI"},
	{"osssys", "IH_RB_WPTR_ADDR_LO"},
	{"osssys", "IH_DOORBELL_RPTR"},
};
static const char *const of_engine[] = {"SEM", "REQ", "ACK"};
static const char *const of_sdma_queue[] = {
	"RB_CNTL",  "RB_BASE",	       "RB_BASE_HI",	  "RB_RPTR",	     "RB_RPTR_HI",
	"RB_WPTR",  "RB_WPTR_HI",      "RB_RPTR_ADDR_HI", "RB_RPTR_ADDR_LO", "IB_CNTL",
	"DOORBELL", "DOORBELL_OFFSET", "CONTEXT_STATUS",
};

static struct bw_error *add_invalidations(struct bw_register_window *w)
{
	enum { N_ENGINES = BW_REG_GCVM_INVALIDATE_ENG17_SEM - BW_REG_GCVM_INVALIDATE_ENG0_SEM + 1 };
	static const struct {
		const char *block, *prefix;
	} hubs[] = {{"gc", "GC"}, {"mmhub", "MM"}};
	char name[48];
	for (unsigned h = 0; h < BW_ARRAY_SIZE(hubs); h++)
		for (unsigned i = 0; i < N_ENGINES * BW_ARRAY_SIZE(of_engine); i++) {
			snprintf(name, sizeof(name), "VM_INVALIDATE_ENG%u_%s",
				 i / (unsigned)BW_ARRAY_SIZE(of_engine),
				 of_engine[i % BW_ARRAY_SIZE(of_engine)]);
			BW_TRY(bw_window_add(
				w, &(struct bw_window_register){hubs[h].block, name,
								.device_prefix = hubs[h].prefix}));
		}
	return NULL;
}

static struct bw_error *add_queue(struct bw_register_window *w)
{
	w->dev->own_places.first_hqd = w->rows.len;
	for (unsigned r = BW_REG_CP_MQD_BASE_ADDR; r <= BW_REG_CP_HQD_PQ_WPTR_HI; r++)
		BW_TRY(bw_window_add(w, &(struct bw_window_register){"gc", bw_register_name(r)}));
	return NULL;
}

/* Before 4.4.2 each engine has a block of its own, with its number in the names. */
static const char *sdma_block(const struct bw_profile *p)
{
	return p->sdma.version < BW_IP_VERSION(4, 4, 2) ? "sdma0" : "sdma";
}

static struct bw_error *add_sdma(struct bw_register_window *w, unsigned engine, uint32_t offset_dw)
{
	char here[64], there[64];
	const char *block = sdma_block(bw_device_profile(w->dev));
	const char *prefix = strcmp(block, "sdma") ? "SDMA0" : "SDMA";
	const struct bw_window_register row = {block, here, .device_block = "gc",
					       .device_name = there, .offset_dw = offset_dw};
	static const char *const of_engines[] = {"STATUS_REG", "CNTL"};
	for (unsigned i = 0; i < BW_ARRAY_SIZE(of_engines); i++) {
		snprintf(here, sizeof(here), "%s_%s", prefix, of_engines[i]);
		snprintf(there, sizeof(there), "SDMA%u_%s", engine, of_engines[i]);
		BW_TRY(bw_window_add(w, &row));
	}
	for (unsigned i = 0; i < BW_ARRAY_SIZE(of_sdma_queue); i++) {
		snprintf(here, sizeof(here), "%s_GFX_%s", prefix, of_sdma_queue[i]);
		snprintf(there, sizeof(there), "SDMA%u_QUEUE0_%s", engine, of_sdma_queue[i]);
		BW_TRY(bw_window_add(w, &row));
	}
	return NULL;
}

/* The engines that the GPU has; the device may have more. */
static unsigned n_sdma(const struct bw_profile *p)
{
	enum { HW_ID_SDMA0 = 42 };
	unsigned n = 0;
	for (size_t i = 0; i < p->n_ips; i++)
		n += p->ips[i].hw_id == HW_ID_SDMA0;
	return BW_MIN(n, (unsigned)BW_N_SDMA);
}

/* The registers of the bus interface are at the same addresses in the device. */
static struct bw_error *add_bus(struct bw_register_window *w)
{
	for (unsigned r = BW_REG_NONE + 1; r < BW_N_REGISTERS; r++) {
		if (bw_register_names[r].block != bw_n_register_blocks)
			continue;
		const uint32_t addr_dw = bw_reg_addr(w->dev, r);
		const struct bw_window_row row = {
			.addr_dw = addr_dw,
			.device_dw = addr_dw,
			.read = r == BW_REG_MM_DATA ? read_mm_data : read_same,
			.write = r == BW_REG_MM_DATA ? write_mm_data : write_same};
		if (addr_dw < BW_REG_SPACE_DW)
			BW_TRY(bw_window_add_row(w, &row));
	}
	return NULL;
}

/* Registers that the device has no part in; name: of GC. */
static struct bw_error *of_gc(const struct bw_profile *p, const char *name, struct bw_reg *out,
			      uint32_t *out_addr_dw)
{
	const struct bw_regs_block *b;
	BW_TRY(bw_regs_find("gc", p->gc.version, &b));
	BW_TRY(bw_regs_by_name(b, name, out));
	return bw_reg_address(out, p->gc.segment, BW_PROFILE_SEGMENTS, out_addr_dw);
}

/* The resets of all pipes, those of ME 1 first, and the halts of both. */
static struct bw_error *add_mec_cntl(struct bw_register_window *w)
{
	static const char *const resets[] = {"MEC_ME1_PIPE0_RESET", "MEC_ME1_PIPE1_RESET",
					     "MEC_ME1_PIPE2_RESET", "MEC_ME1_PIPE3_RESET",
					     "MEC_ME2_PIPE0_RESET", "MEC_ME2_PIPE1_RESET",
					     "MEC_ME1_HALT",	    "MEC_ME2_HALT"};
	struct bw_window_row row = {.read = read_stored, .write = write_mec_cntl};
	struct bw_reg reg;
	BW_TRY(of_gc(bw_device_profile(w->dev), "CP_MEC_CNTL", &reg, &row.addr_dw));
	for (unsigned i = 0; i < BW_ARRAY_SIZE(resets); i++)
		BW_TRY(bw_reg_field_by_name(&reg, resets[i], &row.field[row.n_fields++]));
	return bw_window_add_row(w, &row);
}

/* The graphics ring, which GPUs that draw have. */
static struct bw_error *add_graphics(struct bw_register_window *w)
{
	static const struct {
		const char *name;
		enum bw_register queue;
	} same[] = {
		{"CP_RB0_BASE", BW_REG_CP_HQD_PQ_BASE},
		{"CP_RB0_BASE_HI", BW_REG_CP_HQD_PQ_BASE_HI},
		{"CP_RB0_CNTL", BW_REG_CP_HQD_PQ_CONTROL},
		{"CP_RB0_RPTR", BW_REG_CP_HQD_PQ_RPTR},
		{"CP_RB0_RPTR_ADDR", BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR},
		{"CP_RB0_RPTR_ADDR_HI", BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI},
		{"CP_RB0_WPTR", BW_REG_CP_HQD_PQ_WPTR_LO},
		{"CP_RB0_WPTR_HI", BW_REG_CP_HQD_PQ_WPTR_HI},
		{"CP_RB_DOORBELL_CONTROL", BW_REG_CP_HQD_PQ_DOORBELL_CONTROL},
	};
	const struct bw_profile *p = bw_device_profile(w->dev);
	struct bw_window_row halt = {.read = read_stored, .write = write_me_cntl, .n_fields = 1};
	struct bw_reg reg;
	if (p->gc.version >= BW_IP_VERSION(9, 4, 1))
		return NULL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(same); i++) {
		bool doorbell = same[i].queue == BW_REG_CP_HQD_PQ_DOORBELL_CONTROL;
		struct bw_window_row row = {.device_dw = bw_reg_addr(w->dev, same[i].queue),
					    .read = read_graphics,
					    .write = doorbell ? write_graphics_doorbell
							      : write_graphics};
		BW_TRY(of_gc(p, same[i].name, &reg, &row.addr_dw));
		BW_TRY(bw_window_add_row(w, &row));
	}
	BW_TRY(of_gc(p, "CP_ME_CNTL", &reg, &halt.addr_dw));
	BW_TRY(bw_reg_field_by_name(&reg, "ME_HALT", &halt.field[0]));
	return bw_window_add_row(w, &halt);
}

static struct bw_error *fill(struct bw_register_window *w)
{
	const struct bw_profile *p = bw_device_profile(w->dev);
	struct bw_own_places *b = &w->dev->own_places;
	struct bw_window_row safe = {.read = read_safe_mode, .write = write_stored, .n_fields = 1};
	struct bw_reg reg;
	uint32_t addr_dw;
	for (size_t i = 0; i < BW_ARRAY_SIZE(registers); i++)
		BW_TRY(bw_window_add(w, &registers[i]));
	BW_TRY(bw_window_add_hub(w, "mmhub", "MM"));
	BW_TRY(add_invalidations(w));
	BW_TRY(add_queue(w));
	for (unsigned i = 0; i < n_sdma(p); i++)
		BW_TRY(add_sdma(w, i, i * BW_OWN_SDMA_DW));
	BW_TRY(add_bus(w));
	BW_TRY(add_mec_cntl(w));
	BW_TRY(add_graphics(w));
	BW_TRY(of_gc(p, "RLC_SAFE_MODE", &reg, &safe.addr_dw));
	BW_TRY(bw_reg_field_by_name(&reg, "CMD", &safe.field[0]));
	BW_TRY(bw_window_add_row(w, &safe));
	BW_TRY(of_gc(p, "GB_ADDR_CONFIG", &reg, &addr_dw));
	store(w, addr_dw, p->gb_addr_config);
	BW_TRY(of_gc(p, "GRBM_GFX_CNTL", &b->cntl, &b->cntl_dw));
	BW_TRY(of_gc(p, "GRBM_GFX_INDEX", &b->index, &b->index_dw));
	for (size_t i = 0; i < p->n_boot; i++)
		store(w, p->boot[i].addr_dw, p->boot[i].value);
	return NULL;
}

/* NULL where the profile's registers are its own. */
static struct bw_error *create(struct bw_device *dev, struct bw_register_window **out)
{
	BW_TRY(bw_register_window_new(dev, out));
	struct bw_register_window *w = *out;
	if (!w)
		return NULL;
	w->plain = calloc(BW_REG_SPACE_DW, sizeof(*w->plain));
	struct bw_error *err = w->plain ? fill(w) : bw_error_nomem();
	if (err) {
		bw_register_window_free(w);
		*out = NULL;
	}
	return err;
}

struct bw_error *bw_own_create(struct bw_device *dev)
{
	return dev->options.foreign_driver ? create(dev, &dev->own) : NULL;
}

/* With this project's driver the device's other registers act as well: those of the same name. */
static struct bw_error *add_others(struct bw_register_window *w)
{
	const struct bw_profile *p = bw_device_profile(w->dev);
	const struct bw_regs_block *b;
	struct bw_reg reg;
	uint32_t addr_dw;
	BW_TRY(bw_regs_find("gc", p->gc.version, &b));
	for (unsigned r = BW_REG_NONE + 1; r < BW_N_REGISTERS; r++) {
		const char *name = bw_register_name(r);
		if (!name || !bw_regs_lookup(b, name, &reg))
			continue;
		BW_TRY(bw_reg_address(&reg, p->gc.segment, BW_PROFILE_SEGMENTS, &addr_dw));
		bool is_taken = addr_dw >= BW_REG_SPACE_DW || w->row_of[addr_dw] ||
				load(w, addr_dw) || bw_cp_is_sh(addr_dw);
		if (!is_taken)
			BW_TRY(bw_window_add(w, &(struct bw_window_register){"gc", name}));
	}
	return NULL;
}

struct bw_error *bw_own_window(struct bw_device *dev, struct bw_register_window **out)
{
	BW_TRY(create(dev, out));
	struct bw_error *err = *out ? add_others(*out) : NULL;
	if (err) {
		bw_register_window_free(*out);
		*out = NULL;
	}
	return err;
}

void bw_own_destroy(struct bw_device *dev)
{
	bw_register_window_free(dev->own);
	dev->own = NULL;
}

/* ---- access ---- */

static uint32_t field(const struct bw_reg *reg, const char *name, uint32_t word)
{
	for (unsigned i = 0; i < reg->n_fields; i++)
		if (!strcmp(bw_reg_field(reg, i).name, name))
			return (uint32_t)bw_reg_field_get(bw_reg_field(reg, i), word);
	return 0;
}

/* What GRBM_GFX_CNTL and GRBM_GFX_INDEX select. */
static struct bw_bank selected(const struct bw_register_window *w)
{
	const struct bw_own_places *b = &w->dev->own_places;
	const uint32_t cntl = load(w, b->cntl_dw), index = load(w, b->index_dw);
	const uint32_t me = field(&b->cntl, "MEID", cntl);
#define SELECTED(what)                                                                             \
	(field(&b->index, #what "_BROADCAST_WRITES", index)                                        \
		 ? ~0u                                                                             \
		 : field(&b->index, #what "_INDEX", index))
	return (struct bw_bank){
		.use_grbm = true,
		.use_srbm = true,
		.se = SELECTED(SE),
		.sa = SELECTED(SH),
		.instance = SELECTED(INSTANCE),
		.me = me == KERNEL_ME ? DEVICE_KERNEL_ME : me,
		.pipe = field(&b->cntl, "PIPEID", cntl),
		.queue = field(&b->cntl, "QUEUEID", cntl),
		.vmid = field(&b->cntl, "VMID", cntl),
	};
#undef SELECTED
}

uint32_t bw_own_window_read(struct bw_register_window *w, const struct bw_bank *bank,
			    uint32_t addr_dw)
{
	uint32_t v;
	if (addr_dw >= BW_REG_SPACE_DW)
		return 0;
	if (bw_cp_is_sh(addr_dw)) /* where all generations have it */
		return bw_device_reg_read(w->dev, bank, addr_dw);
	return bw_register_window_read(w, bank, addr_dw, &v) ? v : load(w, addr_dw);
}

void bw_own_window_write(struct bw_register_window *w, const struct bw_bank *bank, uint32_t addr_dw,
			 uint32_t value)
{
	if (addr_dw >= BW_REG_SPACE_DW)
		return;
	if (bw_cp_is_sh(addr_dw))
		bw_device_reg_write(w->dev, bank, addr_dw, value);
	else if (!bw_register_window_write(w, bank, addr_dw, value))
		store(w, addr_dw, value);
}

uint32_t bw_own_read(struct bw_device *dev, uint32_t addr_dw)
{
	const struct bw_bank bank = selected(dev->own);
	uint32_t v = bw_own_window_read(dev->own, &bank, addr_dw);
	BW_LOG(TRACE, "vgpu", "own read  0x%05x = 0x%08x", addr_dw, v);
	return v;
}

void bw_own_write(struct bw_device *dev, uint32_t addr_dw, uint32_t value)
{
	const struct bw_bank bank = selected(dev->own);
	BW_LOG(TRACE, "vgpu", "own write 0x%05x = 0x%08x", addr_dw, value);
	bw_own_window_write(dev->own, &bank, addr_dw, value);
}

uint32_t bw_own_queue_word(const struct bw_device *dev, enum bw_register reg, uint32_t value)
{
	if (!dev->own || reg > BW_REG_CP_HQD_PQ_WPTR_HI)
		return value;
	size_t row = dev->own_places.first_hqd + (reg - BW_REG_CP_MQD_BASE_ADDR);
	return bw_window_by_fields(&dev->own->rows.data[row], true, value);
}

uint32_t bw_own_packet_address(const struct bw_device *dev, uint32_t addr_dw)
{
	/* The second segment of GC, whose registers packets name by 16 bits (gfx_v9_4_3.c of Linux
	 * 6.12, NORMALIZE_XCC_REG_OFFSET): so they arrive for the memory hub, too. */
	enum { FIRST = 0xa000, END = 0x10000, HUB = 0x10000 };
	const struct bw_register_window *w = dev->own;
	bool is_hub = addr_dw >= FIRST && addr_dw < END && !w->row_of[addr_dw] &&
		      w->row_of[addr_dw + HUB];
	return is_hub ? addr_dw + HUB : addr_dw;
}
