# SPDX-License-Identifier: MIT
"""Random gfx1100 kernels that always end, whose result depends on every register they use.

Nothing of what they compute depends on where the code lies or on what other waves do at what time, so that
the output of two runs must be equal whatever a debugger did in between. Loops are counted, branches diverge
by lane data, LDS is exchanged between barriers, calls go through s_swappc_b64."""
import random

GROUP = 64
VALUES = range(3, 13)  # VGPRs that carry data
SCALARS = range(12, 20)  # SGPRs that carry data: the same in all waves of a group

TEMPLATE = """\
// seed {seed}
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	torture
	.p2align 8
	.type	torture,@function
torture:
{body}
.Lend:
	.size	torture, .Lend-torture

	.section .rodata
	.p2align 6
	.amdhsa_kernel torture
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_next_free_vgpr 24
		.amdhsa_next_free_sgpr 48
		.amdhsa_wavefront_size32 {is_wave32}
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: torture
    .symbol: torture.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: {wave}
    .sgpr_count: 48
    .vgpr_count: 24
    .max_flat_workgroup_size: 64
    .args:
      - {{ .name: in, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }}
      - {{ .name: out, .type_name: 'uint*', .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }}
...
	.end_amdgpu_metadata
"""


class Kernel:
    """text: the assembly. labels: a symbol before each statement, fit for breakpoints. VALUES, SCALARS:
    registers to be looked at and changed for a moment."""

    VALUES, SCALARS = VALUES, SCALARS
    suffix = ".s"
    options = ["-x", "assembler"]

    def __init__(self, seed, wave):
        self.random = random.Random(seed)
        self.wave = wave
        self.labels = []
        self.lines = []
        self.n_blocks = 0
        self.functions = []
        self.prologue()
        self.block(depth=0, uniform=True)
        self.epilogue()
        self.bodies()
        self.text = TEMPLATE.format(seed=seed, body="\n".join(self.lines), is_wave32=int(wave == 32), wave=wave)

    # ---- Building ----

    def emit(self, *instructions):
        """One statement: the label first, then its instructions, which belong together."""
        label = f"at{len(self.labels)}"
        self.labels.append(label)
        self.lines.append(f"{label}:")
        self.lines += [f"\t{i}" for i in instructions]

    def v(self):
        return f"v{self.random.choice(VALUES)}"

    def s(self):
        return f"s{self.random.choice(SCALARS)}"

    def any(self):
        return self.random.choice([self.v, self.v, self.s])()

    def pair(self, n):
        """A mask of the wave's width from SGPR n."""
        return f"s{n}" if self.wave == 32 else f"s[{n}:{n + 1}]"

    @staticmethod
    def numbers(*sources):
        """v16 and on: the sources as floats that are neither NaN nor infinite. Which of two NaNs an instruction
        hands on is not specified (doc/rules.md 116)."""
        return [f"v_and_b32 v{16 + i}, 0xff7fffff, {source}" for i, source in enumerate(sources)]

    @property
    def exec(self):
        return "exec_lo" if self.wave == 32 else "exec"

    @property
    def vcc(self):
        return "vcc_lo" if self.wave == 32 else "vcc"

    @property
    def b(self):
        return "b32" if self.wave == 32 else "b64"

    def prologue(self):
        self.emit("s_load_b128 s[4:7], s[0:1], null")
        self.emit("s_lshl_b32 s3, s2, 6")
        self.emit("v_add_nc_u32 v1, s3, v0")
        self.emit("v_lshlrev_b32 v2, 2, v1")
        self.emit("s_waitcnt lgkmcnt(0)")
        self.emit("global_load_b32 v3, v2, s[4:5]")
        self.emit("s_load_b256 s[12:19], s[4:5], 0x40")
        self.emit("s_waitcnt vmcnt(0) lgkmcnt(0)")
        for n in VALUES[1:]:
            self.emit(f"v_mad_u32_u24 v{n}, v{n - 1}, 0x{self.random.randrange(1 << 24):x}, v1")

    def epilogue(self):
        for n in VALUES[1:]:
            self.emit(f"v_mul_lo_u32 v3, v3, 0x{self.random.randrange(1, 1 << 31):x}", f"v_xor_b32 v3, v3, v{n}")
        for n in SCALARS:
            self.emit(f"v_xor_b32 v3, s{n}, v3", "v_mul_u32_u24 v4, 0x3d, v3", "v_add_nc_u32 v3, v3, v4")
        self.emit("global_store_b32 v2, v3, s[6:7]")
        if self.random.random() < 0.5:
            self.emit("s_nop 0", "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)")
        self.emit("s_endpgm")

    def bodies(self):
        for n in self.functions:
            self.lines.append(f"function{n}:")
            for _ in range(self.random.randrange(1, 4)):
                self.arithmetic()
            self.emit("s_setpc_b64 s[22:23]")

    def block(self, depth, uniform):
        for _ in range(self.random.randrange(8, 15) if depth == 0 else self.random.randrange(1, 4)):
            kinds = [self.arithmetic] * 4 + [self.scalar] * 2 + [self.memory, self.lanes, self.modes, self.odd]
            if uniform:
                kinds += [self.exchange, self.call]
            if depth < 2:
                kinds += [lambda: self.loop(depth, uniform), lambda: self.branch(depth), lambda: self.jump(depth, uniform)]
            self.random.choice(kinds)()

    # ---- Statements ----

    def arithmetic(self):
        v, s, any_ = self.v, self.s, self.any
        choices = [
            lambda: self.emit(f"v_add_nc_u32 {v()}, {any_()}, {v()}"),
            lambda: self.emit(f"v_sub_nc_u32 {v()}, {any_()}, {v()}"),
            lambda: self.emit(f"v_xor_b32 {v()}, {any_()}, {v()}"),
            lambda: self.emit(f"v_mul_lo_u32 {v()}, {v()}, {any_()}"),
            lambda: self.emit(f"v_mul_hi_u32 {v()}, {v()}, {v()}"),
            lambda: self.emit(f"v_alignbit_b32 {v()}, {v()}, {v()}, {self.random.randrange(32)}"),
            lambda: self.emit(f"v_perm_b32 {v()}, {v()}, {v()}, {any_()}"),
            lambda: self.emit(f"v_bfe_u32 {v()}, {v()}, {self.random.randrange(16)}, {self.random.randrange(1, 17)}"),
            lambda: self.emit(f"v_and_or_b32 {v()}, {v()}, {s()}, {v()}"),
            lambda: self.emit(*self.numbers(any_(), v()), f"v_add_f32 {v()}, v16, v17"),
            lambda: self.emit(*self.numbers(v(), v(), v()), f"v_fma_f32 {v()}, v16, v17, v18"),
            lambda: self.emit(f"v_pk_mul_lo_u16 {v()}, {v()}, {v()}"),
            lambda: self.emit(f"v_cmp_gt_u32 {self.vcc}, {any_()}, {v()}", f"v_cndmask_b32 {v()}, {v()}, {v()}, {self.vcc}"),
            lambda: self.emit(f"v_add_co_u32 {v()}, {self.vcc}, {v()}, {v()}",
                              f"v_add_co_ci_u32 {v()}, {self.vcc}, {v()}, {v()}, {self.vcc}"),
        ]
        if self.wave == 32:
            choices.append(lambda: self.emit(*self.numbers("s12", "v5"), "v_dual_add_f32 v4, v16, v17 :: v_dual_mov_b32 v7, v6"))
        self.random.choice(choices)()

    def scalar(self):
        s = self.s
        self.random.choice([
            lambda: self.emit(f"s_add_u32 {s()}, {s()}, {s()}", f"s_addc_u32 {s()}, {s()}, {s()}"),
            lambda: self.emit(f"s_mul_i32 {s()}, {s()}, {s()}"),
            lambda: self.emit(f"s_xor_b32 {s()}, {s()}, {s()}"),
            lambda: self.emit(f"s_bfe_u32 {s()}, {s()}, 0x{self.random.randrange(1, 24) << 16 | self.random.randrange(8):x}"),
            lambda: self.emit(f"s_cmp_gt_u32 {s()}, {s()}", f"s_cselect_b32 {s()}, {s()}, {s()}"),
            lambda: self.emit(f"s_brev_b32 {s()}, {s()}"),
            lambda: self.emit(f"s_movk_i32 {s()}, 0x{self.random.randrange(1 << 15):x}"),
            lambda: self.emit(f"s_mul_hi_u32 {s()}, {s()}, {s()}"),
        ])()

    def memory(self):
        """What was stored comes back; the words of other lanes are not touched."""
        v, k = self.v(), self.random.randrange(16) * 4
        self.random.choice([
            lambda: self.emit(f"global_load_b32 {v}, v2, s[4:5]", "s_waitcnt vmcnt(0)"),
            lambda: self.emit(f"s_load_b32 s{self.random.choice(SCALARS)}, s[4:5], 0x{k:x}", "s_waitcnt lgkmcnt(0)"),
            lambda: self.emit("s_clause 0x1", f"global_load_b32 {v}, v2, s[4:5]", "global_load_b32 v13, v2, s[4:5] offset:64",
                              "s_waitcnt vmcnt(0)", f"v_xor_b32 {v}, {v}, v13"),
            lambda: self.emit(f"global_store_b32 v2, {self.v()}, s[6:7]", "s_waitcnt_vscnt null, 0x0",
                              f"global_load_b32 {v}, v2, s[6:7] glc", "s_waitcnt vmcnt(0)"),
            lambda: self.emit(f"global_store_b32 v2, {self.v()}, s[6:7]",
                              f"global_atomic_add_u32 {v}, v2, {self.v()}, s[6:7] glc", "s_waitcnt vmcnt(0)"),
        ])()

    def lanes(self):
        v, s = self.v, self.s
        a, b, c, d = (self.random.randrange(4) for _ in range(4))
        self.random.choice([
            lambda: self.emit(f"v_mov_b32_dpp {v()}, {v()} quad_perm:[{a},{b},{c},{d}] row_mask:0xf bank_mask:0xf"),
            lambda: self.emit(f"v_add_nc_u32_dpp {v()}, {v()}, {v()} row_ror:{a + 1} row_mask:0xf bank_mask:0xf"),
            lambda: self.emit(f"v_mov_b32_dpp {v()}, {v()} dpp8:[7,{a},5,{b},3,{c},1,{d}]"),
            lambda: self.emit(f"v_permlanex16_b32 {v()}, {v()}, {s()}, {s()}"),
            lambda: self.emit(f"v_writelane_b32 {v()}, {s()}, {self.random.randrange(self.wave)}"),
            lambda: self.emit(f"v_mbcnt_lo_u32_b32 {v()}, -1, {v()}"),
        ])()

    def modes(self):
        """MODE changes for one operation."""
        self.emit(*self.numbers(self.v(), self.v(), self.v()), f"s_round_mode 0x{self.random.randrange(4):x}",
                  f"v_mul_f32 {self.v()}, v16, v17", f"v_add_f32 {self.v()}, v17, v18", "s_round_mode 0x0")

    def odd(self):
        self.random.choice([
            lambda: self.emit("s_sleep 1"),
            lambda: self.emit("s_nop 3"),
            lambda: self.emit("s_setprio 2", "s_setprio 0"),
            lambda: self.emit("s_delay_alu instid0(VALU_DEP_1)", f"v_mov_b32 {self.v()}, {self.v()}"),
            lambda: self.emit("s_mov_b32 m0, 0x11", f"v_mov_b32 {self.v()}, m0"),
            lambda: self.emit("s_getpc_b64 s[24:25]", f"s_mov_b32 {self.s()}, 0"),
        ])()

    def exchange(self):
        """Through LDS with the other waves of the group."""
        k = self.random.choice([1, 2, 8, 16, 32, 33, 63])
        self.emit("v_lshlrev_b32 v14, 2, v0")
        self.emit(f"ds_store_b32 v14, {self.v()}")
        self.emit("s_waitcnt lgkmcnt(0)")
        self.emit("s_barrier")
        self.emit(f"v_xor_b32 v15, 0x{k * 4:x}, v14")
        self.emit(f"ds_load_b32 {self.v()}, v15")
        self.emit("s_waitcnt lgkmcnt(0)")
        self.emit("s_barrier")

    def call(self):
        n = len(self.functions)
        self.functions.append(n)
        self.emit("s_getpc_b64 s[20:21]", f"s_add_u32 s20, s20, function{n}@rel32@lo+4", f"s_addc_u32 s21, s21, function{n}@rel32@hi+12")
        self.emit("s_swappc_b64 s[22:23], s[20:21]")

    def loop(self, depth, uniform):
        n, self.n_blocks = self.n_blocks, self.n_blocks + 1
        counter = 26 + depth
        self.emit(f"s_movk_i32 s{counter}, 0x{self.random.randrange(1, 4):x}")
        self.lines.append(f"loop{n}:")
        self.block(depth + 1, uniform)
        self.emit(f"s_sub_u32 s{counter}, s{counter}, 1")
        self.emit(f"s_cmp_lg_u32 s{counter}, 0")
        self.emit(f"s_cbranch_scc1 loop{n}")

    def branch(self, depth):
        """Lanes part and come together again."""
        n, self.n_blocks = self.n_blocks, self.n_blocks + 1
        saved = self.pair(30 + 2 * depth)
        self.emit(f"v_cmp_gt_u32 {self.vcc}, {self.v()}, {self.v()}")
        self.emit(f"s_and_saveexec_{self.b} {saved}, {self.vcc}")
        self.emit(f"s_cbranch_execz join{n}")
        self.block(depth + 1, uniform=False)
        self.lines.append(f"join{n}:")
        self.emit(f"s_or_{self.b} {self.exec}, {self.exec}, {saved}")

    def jump(self, depth, uniform):
        """The whole group goes one way or the other."""
        n, self.n_blocks = self.n_blocks, self.n_blocks + 1
        self.emit(f"s_bitcmp1_b32 s2, {self.random.randrange(2)}")
        self.emit(f"s_cbranch_scc0 over{n}")
        self.block(depth + 1, uniform)
        self.lines.append(f"over{n}:")
        self.arithmetic()
