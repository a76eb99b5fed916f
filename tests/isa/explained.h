/* SPDX-License-Identifier: MIT */
/* Where bw_isa_decode differs from LLVM 19 on purpose. Included by test_sweep.c. */

static bool unverified(const struct difference *d)
{
	static const enum bw_op ops[] = {
		BW_OP_V_SWAP_B16,
		BW_OP_V_READFIRSTLANE_B32,
		BW_OP_S_ENDPGM_ORDERED_PS_DONE,
		BW_OP_GLOBAL_LOAD_LDS_ADDTID_B32,
		BW_OP_GLOBAL_LOAD_LDS_U8,
		BW_OP_GLOBAL_LOAD_LDS_I8,
		BW_OP_GLOBAL_LOAD_LDS_U16,
		BW_OP_GLOBAL_LOAD_LDS_I16,
		BW_OP_GLOBAL_LOAD_LDS_B32,
		BW_OP_SCRATCH_LOAD_LDS_U8,
		BW_OP_SCRATCH_LOAD_LDS_I8,
		BW_OP_SCRATCH_LOAD_LDS_U16,
		BW_OP_SCRATCH_LOAD_LDS_I16,
		BW_OP_SCRATCH_LOAD_LDS_B32,
		BW_OP_V_DUAL_DOT2ACC_F32_BF16,
	};
	if (!d->legal || d->llvm->size_b)
		return false;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(ops); i++)
		if (d->in->op == ops[i] || d->in->op_y == ops[i])
			return true;
	return false;
}

static bool high_half(const struct difference *d)
{
	bool compact =
		d->in->fmt == BW_FMT_VOP1 || d->in->fmt == BW_FMT_VOP2 || d->in->fmt == BW_FMT_VOPC;
	return d->legal && compact && d->in->op_sel && (!d->llvm->size_b || d->llvm->bad_operand);
}

/* Does operand n (0 is the first) of the printed instruction name NULL or a special scalar source?
 */
static bool is_special(const char *text, unsigned n)
{
	const char *p = text + strspn(text, " \t");
	p += strcspn(p, " \t");
	for (; n && p; n--) {
		p = strchr(p, ',');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return false;
	p += strspn(p, " \t-|");
	return strncmp(p, "src_", 4) == 0 || strncmp(p, "null", 4) == 0;
}

static bool special_in_register_operand(const struct difference *d)
{
	/* clang-format off */
	static const struct {
		const char *prefix;
		uint8_t operands; /* bit n: operand n is registers only, 0 is the destination */
	} ops[] = {
		{"s_movrels_b", 2},       {"s_setpc_b64", 1},       {"s_rfe_b64", 1},
		{"v_swap_b32", 2},        {"v_swaprel_b32", 2},     {"v_permlane64_b32", 2},
		{"v_movrels", 2},         {"v_readfirstlane_", 3},  {"v_readlane_b32", 3},
		{"v_cmp_", 1},            {"v_interp_", 14},        {"v_wmma_", 14},
		{"v_mqsad_u32_u8", 8},    {"v_cndmask_b", 8},       {"v_add_co_ci_u32", 16},
		{"v_sub_co_ci_u32", 16},  {"v_subrev_co_ci_u32", 16}, {"v_permlane16_b32", 2},
		{"v_permlanex16_b32", 2}, {"v_writelane_b32", 2},   {"v_fma_mix", 4},
	};
	/* clang-format on */
	if (d->legal || !d->llvm->size_b)
		return false;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(ops); i++) {
		if (strncmp(d->llvm->name, ops[i].prefix, strlen(ops[i].prefix)) != 0)
			continue;
		for (unsigned n = 0; n < 5; n++)
			if ((ops[i].operands >> n & 1) && is_special(d->llvm->text, n))
				return true;
	}
	return false;
}

static bool literal_without_room(const struct difference *d)
{
	bool buffer = d->w[0] >> 26 == 0x38 || d->w[0] >> 26 == 0x3a;
	bool wmma = strncmp(d->llvm->name, "v_wmma_", 7) == 0;
	return !d->legal && d->llvm->size_b == 12 && (buffer || wmma);
}

static bool scalar_of_vinterp(const struct difference *d)
{
	bool scalar = d->in->src[0] < 256 || d->in->src[1] < 256 || d->in->src[2] < 256;
	return d->legal && d->in->fmt == BW_FMT_VINTERP && scalar && !d->in->padded;
}

static bool saddr_127(const struct difference *d)
{
	bool segment = d->in->fmt == BW_FMT_GLOBAL || d->in->fmt == BW_FMT_SCRATCH;
	return d->legal && segment && (d->w[1] >> 16 & 0x7f) == 127;
}

static bool ends_in_vcc(const struct difference *d)
{
	if (!d->legal || d->llvm->size_b)
		return false;
	const struct bw_inst *in = d->in;
	if (in->fmt == BW_FMT_SMEM)
		return in->saddr == 104 || (in->dst >= 92 && in->dst <= 104);
	if (in->fmt == BW_FMT_MIMG)
		return in->srsrc == 100 || in->srsrc == 104 || in->ssamp == 104;
	return (in->fmt == BW_FMT_MUBUF || in->fmt == BW_FMT_MTBUF) && in->srsrc == 104;
}

static struct {
	bool (*is)(const struct difference *d);
	const char *why;
	unsigned long n;
} explained[] = {
	{unverified, "documented for RDNA3 (ISA manual), unknown to LLVM 19"},
	{high_half,
	 "compact 16-bit operands: 128-255 are high halves (ISA manual), which LLVM 19 lacks"},
	{special_in_register_operand,
	 "LLVM prints NULL and the special scalar sources in operands that are VGPRs or SGPRs only "
	 "(SRC1 of v_fma_mix* with DPP too)"},
	{scalar_of_vinterp,
	 "v_interp with an SGPR or a constant runs on hardware (doc/rules.md 152), LLVM has VGPRs only"},
	{saddr_127, "SADDR 127 means none (ISA manual; doc/rules.md 380)"},
	{ends_in_vcc, "s[104:107] and its like: VCC as s106 and s107, which ACO uses"},
	{literal_without_room,
	 "LLVM reads a literal where the format has none (MUBUF, MTBUF SOFFSET; WMMA)"},
};
