/* SPDX-License-Identifier: MIT */
/* Where bw_isa_decode differs from LLVM 19 on purpose. Included by test_sweep.c. */

static bool starts_with_one_of(const char *name, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool unverified(const struct difference *d)
{
	static const enum bw_op ops[] = {
		BW_OP_V_SWAP_B16, BW_OP_V_READFIRSTLANE_B32, BW_OP_S_ENDPGM_ORDERED_PS_DONE,
		BW_OP_GLOBAL_LOAD_LDS_ADDTID_B32, BW_OP_GLOBAL_LOAD_LDS_U8, BW_OP_GLOBAL_LOAD_LDS_I8,
		BW_OP_GLOBAL_LOAD_LDS_U16, BW_OP_GLOBAL_LOAD_LDS_I16, BW_OP_GLOBAL_LOAD_LDS_B32,
		BW_OP_SCRATCH_LOAD_LDS_U8, BW_OP_SCRATCH_LOAD_LDS_I8, BW_OP_SCRATCH_LOAD_LDS_U16,
		BW_OP_SCRATCH_LOAD_LDS_I16, BW_OP_SCRATCH_LOAD_LDS_B32, BW_OP_V_DUAL_DOT2ACC_F32_BF16,
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
	bool compact = d->in->fmt == BW_FMT_VOP1 || d->in->fmt == BW_FMT_VOP2 || d->in->fmt == BW_FMT_VOPC;
	return d->legal && compact && d->in->op_sel && (!d->llvm->size_b || d->llvm->bad_operand);
}

static bool special_in_register_operand(const struct difference *d)
{
	static const char *const ops[] = {
		"s_movrels_b", "s_setpc_b64", "s_rfe_b64", "v_swap_b32", "v_swaprel_b32", "v_permlane64_b32",
		"v_movrels_b32", "v_movrelsd_", "v_readfirstlane_b32", "v_readlane_b32", "v_cmp_", "v_interp_",
		"v_wmma_", "v_mqsad_u32_u8", "v_cndmask_b", "v_add_co_ci_u32", "v_sub_co_ci_u32",
		"v_subrev_co_ci_u32", "v_permlane16_b32", "v_permlanex16_b32", "v_writelane_b32",
		"v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16", "v_dot2_f32_f16",
	};
	static const char *const operands[] = {"src_", "null"};
	if (d->legal || !d->llvm->size_b || !starts_with_one_of(d->llvm->name, ops, BW_ARRAY_SIZE(ops)))
		return false;
	return strstr(d->llvm->text, operands[0]) || strstr(d->llvm->text, operands[1]);
}

static bool literal_without_room(const struct difference *d)
{
	bool buffer = d->w[0] >> 26 == 0x38 || d->w[0] >> 26 == 0x3a;
	bool wmma = strncmp(d->llvm->name, "v_wmma_", 7) == 0;
	return !d->legal && d->llvm->size_b == 12 && (buffer || wmma);
}

static struct {
	bool (*is)(const struct difference *d);
	const char *why;
	unsigned long n;
} explained[] = {
	{unverified, "documented for RDNA3 (ISA manual), unknown to LLVM 19"},
	{high_half, "compact 16-bit operands: 128-255 are high halves (ISA manual), which LLVM 19 lacks"},
	{special_in_register_operand,
	 "LLVM prints NULL and the special scalar sources in operands that are VGPRs or SGPRs only (in VOP3P with DPP also SRC1)"},
	{literal_without_room, "LLVM reads a literal where the format has none (MUBUF, MTBUF SOFFSET; WMMA)"},
};
