/* SPDX-License-Identifier: MIT */
/* Decodes the DPP and SDWA forms of vector ALU instructions. */
#include "isa/decoding.h"
#include "isa/extra_words.h"

/* DPP16 controls that exist: doc/hardware/encodings.md 5. */
static bool dpp_ctrl_exists(unsigned ctrl)
{
	if (ctrl <= 0xff || ctrl == 0x140 || ctrl == 0x141)
		return true;
	if (ctrl >= 0x150 && ctrl <= 0x16f)
		return true;
	return ctrl > 0x100 && ctrl < 0x130 && (ctrl & 0xf) != 0;
}

/* Those of gfx9. Of 64-bit operands the only one is row_newbcast, which gfx902 does not have. */
static bool dpp9_ctrl_exists(const struct bw_isa_row *row, unsigned ctrl)
{
	if (ctrl >= 0x150 && ctrl <= 0x15f)
		return row->flags & BW_ROW_NEWBCAST;
	if (row->dst_n_reg > 1 || row->n_reg[0] > 1 || row->n_reg[1] > 1)
		return false;
	if (ctrl >= 0x130 && ctrl < 0x140)
		return ctrl % 4 == 0; /* wave_shl, wave_rol, wave_shr, wave_ror */
	return dpp_ctrl_exists(ctrl) ? ctrl <= 0x141 : ctrl == 0x142 || ctrl == 0x143;
}

bool bw_decoding_take_dpp(struct decoding *d, unsigned marker, bool compact)
{
	struct bw_inst *in = d->in;
	bool dpp9 = d->row->flags & BW_ROW_DPP9;
	if (!(d->row->flags & (BW_ROW_DPP | BW_ROW_DPP9)) || d->size_dw >= d->n_dw)
		return false;
	if (dpp9 && marker != BW_SRC_DPP16)
		return false;
	uint32_t w = d->w[d->size_dw++];
	in->src[0] = BW_SRC_VGPR0 + (uint16_t)bw_words_get(&w, BW_DPP_SRC0);
	if (marker != BW_SRC_DPP16) {
		in->dpp = BW_DPP_8;
		in->dpp8_sel = (uint32_t)bw_words_get(&w, BW_DPP8_SEL);
		in->fi = marker == BW_SRC_DPP8_FI;
		return true;
	}
	in->dpp = BW_DPP_16;
	in->dpp_ctrl = (uint16_t)bw_words_get(&w, BW_DPP16_CTRL);
	in->fi = !dpp9 && bw_words_get(&w, BW_DPP16_FI);
	in->padded |= dpp9 && bw_words_get(&w, BW_DPP9_UNUSED) != 0;
	in->bound_ctrl = bw_words_get(&w, BW_DPP16_BOUND_CTRL);
	in->bank_mask = (uint8_t)bw_words_get(&w, BW_DPP16_BANK_MASK);
	in->row_mask = (uint8_t)bw_words_get(&w, BW_DPP16_ROW_MASK);
	if (compact) { /* the 64-bit forms have their own */
		in->neg = in->abs = 0;
		for (unsigned i = 0; i < 2; i++) {
			in->neg |= (uint8_t)(bw_words_get(&w, BW_DPP16_NEG(i)) << i);
			in->abs |= (uint8_t)(bw_words_get(&w, BW_DPP16_ABS(i)) << i);
		}
		in->padded |= ((in->neg | in->abs) & ~d->row->neg) != 0;
		in->neg &= d->row->neg;
		in->abs &= d->row->neg;
	}
	return dpp9 ? dpp9_ctrl_exists(d->row, in->dpp_ctrl) : dpp_ctrl_exists(in->dpp_ctrl);
}

/* Floats have neg and abs, integers have a sign. */
static void take_sdwa_modifiers(struct decoding *d, const uint32_t *w, unsigned i)
{
	struct bw_inst *in = d->in;
	uint8_t bit = (uint8_t)(1u << i), floats = d->row->neg & bit;
	in->sext |= bw_words_get(w, BW_SDWA_SEXT(i)) ? bit : 0;
	in->neg |= bw_words_get(w, BW_SDWA_NEG(i)) ? bit : 0;
	in->abs |= bw_words_get(w, BW_SDWA_ABS(i)) ? bit : 0;
	in->padded |= floats ? in->sext & bit : (in->neg | in->abs) & bit;
	in->sext &= (uint8_t)~floats;
	in->neg &= d->row->neg;
	in->abs &= d->row->neg;
}

static bool take_sdwa_dst(struct decoding *d, const uint32_t *w)
{
	struct bw_inst *in = d->in;
	if (in->fmt == BW_FMT_VOPC) {
		in->dst = d->tables->codes[bw_words_get(w, BW_SDWA_SDST)];
		if (bw_words_get(w, BW_SDWA_SD)) {
			if (in->dst != BW_SRC_VCC_LO)
				in->writes &= (uint16_t)~BW_IMPLICIT_VCC;
			return align_sgprs(&in->dst, 2);
		}
		in->padded |= bw_words_get(w, BW_SDWA_SDST) != 0;
		in->dst = BW_SRC_VCC_LO;
		return true;
	}
	in->dst_sel = (uint8_t)bw_words_get(w, BW_SDWA_DST_SEL);
	in->dst_unused = (uint8_t)bw_words_get(w, BW_SDWA_DST_UNUSED);
	in->clamp = bw_words_get(w, BW_SDWA_CLAMP);
	in->omod = (uint8_t)bw_words_get(w, BW_SDWA_OMOD);
	if (!(d->row->flags & BW_ROW_SDWA_OMOD)) {
		in->padded |= in->omod != 0;
		in->omod = 0;
	}
	if (d->row->flags & BW_ROW_SDWA_SRC)
		return in->dst_sel == BW_SDWA_DWORD && in->dst_unused == BW_SDWA_PAD;
	return in->dst_sel <= BW_SDWA_DWORD && in->dst_unused <= BW_SDWA_PRESERVE;
}

bool bw_decoding_take_sdwa(struct decoding *d)
{
	struct bw_inst *in = d->in;
	if (d->size_dw >= d->n_dw)
		return false;
	uint32_t w = d->w[d->size_dw++];
	in->sdwa = true;
	in->padded |= d->row->n_src == 1 && bw_words_get(&w, BW_SDWA_OF_SRC1) != 0;
	in->src[0] = BW_SRC_VGPR0 + (uint16_t)bw_words_get(&w, BW_SDWA_SRC0);
	for (unsigned i = 0; i < 2 && i < d->row->n_src; i++) {
		in->src_sel[i] = (uint8_t)bw_words_get(&w, BW_SDWA_SEL(i));
		take_sdwa_modifiers(d, &w, i);
		if (in->src_sel[i] > BW_SDWA_DWORD)
			return false;
		if (!bw_words_get(&w, BW_SDWA_SCALAR(i)))
			continue;
		in->src[i] -= BW_SRC_VGPR0;
		if (in->src[i] < 128)
			in->src[i] = d->tables->codes[in->src[i]];
	}
	return take_sdwa_dst(d, &w);
}
