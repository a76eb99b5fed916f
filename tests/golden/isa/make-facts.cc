// SPDX-License-Identifier: MIT
/* Writes tests/golden/isa/facts.vec and facts-gfx942.vec: what LLVM 19.1's instruction descriptions say of
 * encodings. Not part of the build. Reads rows "NAME DWORD [DWORD] ..." such as those of implicit.vec:
 *
 *   g++ -std=c++17 $(llvm-config-19 --cppflags) make-facts.cc -o make-facts $(llvm-config-19 --ldflags) -lLLVM-19
 *   ./make-facts gfx1100 < implicit.vec > facts.vec
 *   ./make-facts gfx942 implicit < facts-gfx942.vec > new.vec      (with the registers that no operand names, too)
 */
#include <llvm-c/Target.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace llvm;

/* TSFlags of lib/Target/AMDGPU/SIDefines.h (SIInstrFlags), LLVM 19. */
enum : uint64_t {
	TRANS = 1ull << 16,
	GATHER4 = 1ull << 37,
	IS_ATOMIC = 3ull << 57, /* IsAtomicNoRet, IsAtomicRet */
	IS_WMMA = 1ull << 59,
};

static std::string flags_of(const MCInstrDesc &d)
{
	const struct {
		bool is;
		const char *name;
	} rows[] = {
		{d.mayLoad(), "LOAD"},
		{d.mayStore(), "STORE"},
		{(d.TSFlags & IS_ATOMIC) != 0, "ATOMIC"},
		{(d.TSFlags & TRANS) != 0, "TRANS"},
		{(d.TSFlags & GATHER4) != 0, "GATHER4"},
		{(d.TSFlags & IS_WMMA) != 0, "WMMA"},
		{d.isConditionalBranch(), "COND"},
		{d.isUnconditionalBranch(), "BRANCH"},
		{d.isIndirectBranch(), "INDIRECT"},
		{d.isCall(), "CALL"},
		{d.isReturn(), "RETURN"},
	};
	std::string all;
	for (const auto &row : rows)
		if (row.is)
			all += (all.empty() ? "" : ",") + std::string(row.name);
	return all.empty() ? "-" : all;
}

/* Bits of the registers; m: a lane mask; t behind: tied to a destination. */
static std::string widths(const MCInstrDesc &d, const MCRegisterInfo &mri, unsigned from, unsigned to)
{
	std::string all;
	for (unsigned i = from; i < to; i++) {
		const MCOperandInfo &o = d.operands()[i];
		if (o.RegClass < 0)
			continue;
		unsigned bits = mri.getRegClass(o.RegClass).getSizeInBits();
		all += (all.empty() ? "" : ",") + (bits == 1 ? std::string("m") : std::to_string(bits));
		if (d.getOperandConstraint(i, MCOI::TIED_TO) >= 0)
			all += "t";
	}
	return all.empty() ? "-" : all;
}

static std::string implicit(ArrayRef<MCPhysReg> regs, const MCRegisterInfo &mri)
{
	std::string all;
	for (MCPhysReg r : regs)
		all += (all.empty() ? "" : ",") + std::string(mri.getName(r));
	return all.empty() ? "-" : all;
}

int main(int argc, char **argv)
{
	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTarget();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUDisassembler();
	std::string error;
	const std::string triple = "amdgcn-amd-amdhsa", gpu = argc > 1 ? argv[1] : "gfx1100";
	const Target *target = TargetRegistry::lookupTarget(triple, error);
	std::unique_ptr<MCRegisterInfo> mri(target->createMCRegInfo(triple));
	std::unique_ptr<MCAsmInfo> mai(target->createMCAsmInfo(*mri, triple, MCTargetOptions()));
	std::unique_ptr<MCInstrInfo> mii(target->createMCInstrInfo());
	const bool has_implicit = argc > 2;
	/* gfx9 has one wave size and no such features */
	const std::vector<const char *> settings =
		gpu.rfind("gfx9", 0) == 0 ? std::vector<const char *>{""}
					  : std::vector<const char *>{"+wavefrontsize32", "+wavefrontsize64,-wavefrontsize32",
								      "+real-true16"};
	std::string line;
	printf("# What LLVM 19.1's instruction descriptions for %s say of %s, by make-facts.cc:\n"
	       "# name, dwords, flags, bits of the registers that it defines and that it uses (m: a lane mask, t: tied)%s.\n",
	       gpu.c_str(), has_implicit ? "encodings" : "the encodings of implicit.vec",
	       has_implicit ? ", implicit uses and definitions" : "");
	while (std::getline(std::cin, line)) {
		if (line.empty() || line[0] == '#')
			continue;
		std::istringstream words(line);
		std::string name, word;
		uint32_t dw[3] = {};
		unsigned n = 0;
		words >> name;
		while (n < 3 && words >> word && word.size() == 8)
			dw[n++] = (uint32_t)strtoul(word.c_str(), nullptr, 16);
		bool known = false;
		for (const char *features : settings) {
			std::unique_ptr<MCSubtargetInfo> sti(target->createMCSubtargetInfo(triple, gpu, features));
			MCContext context(Triple(triple), mai.get(), mri.get(), sti.get());
			std::unique_ptr<MCDisassembler> dis(target->createMCDisassembler(*sti, context));
			MCInst inst;
			uint64_t size;
			if (dis->getInstruction(inst, size, ArrayRef<uint8_t>((uint8_t *)dw, 12), 0, nulls()) !=
			    MCDisassembler::Success)
				continue;
			const MCInstrDesc &d = mii->get(inst.getOpcode());
			printf("%-35s %08x %8.*s  %-18s %-10s %s", name.c_str(), dw[0], n > 1 ? 8 : 0,
			       n > 1 ? (std::ostringstream() << std::hex << (dw[1] | 1ull << 32)).str().c_str() + 1 : "",
			       flags_of(d).c_str(), widths(d, *mri, 0, d.getNumDefs()).c_str(),
			       widths(d, *mri, d.getNumDefs(), d.getNumOperands()).c_str());
			if (has_implicit)
				printf(" %s %s", implicit(d.implicit_uses(), *mri).c_str(),
				       implicit(d.implicit_defs(), *mri).c_str());
			printf("\n");
			known = true;
			break;
		}
		if (!known) {
			fprintf(stderr, "%s: LLVM does not know it\n", line.c_str());
			return 1;
		}
	}
	return 0;
}
