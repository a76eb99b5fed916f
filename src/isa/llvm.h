/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_LLVM_H
#define BW_ISA_LLVM_H

/* LLVM's disassembler of AMD GPUs, from its shared library. That is loaded with the first call:
 * it is 130 MB, and relocating it takes longer than most commands that print no instruction. */

#include <llvm-c/Disassembler.h>

#include "base/error.h"

/* The functions of llvm-c/Disassembler.h. */
struct bw_llvm {
	__typeof__(&LLVMCreateDisasmCPUFeatures) create;
	__typeof__(&LLVMDisasmInstruction) instruction;
	__typeof__(&LLVMDisasmDispose) dispose;
};

/* *out lives as long as the process. Any thread may call it. BW_E_UNSUPPORTED: the library is not
 * there, or it was built without AMD GPUs. */
struct bw_error *bw_llvm_load(const struct bw_llvm **out) BW_MUST_CHECK;

#endif
