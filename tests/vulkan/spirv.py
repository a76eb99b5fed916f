# SPDX-License-Identifier: MIT
"""Assembles the SPIR-V of the corpus that bookworm's glslang and SPIRV-Tools are too old for. The text is
that of spirv-as: a line an instruction, "%result = OpName %type operands". Numbers of the SPIR-V
specification 1.6 and of SPV_KHR_cooperative_matrix."""
import shlex
import struct

PLAIN, RESULT, TYPED = range(3)  # no result; a result; a type and a result
OPS = {
    "OpExtension": (10, PLAIN), "OpMemoryModel": (14, PLAIN), "OpEntryPoint": (15, PLAIN),
    "OpExecutionMode": (16, PLAIN), "OpCapability": (17, PLAIN), "OpTypeVoid": (19, RESULT), "OpTypeInt": (21, RESULT),
    "OpTypeFloat": (22, RESULT), "OpTypeVector": (23, RESULT), "OpTypeRuntimeArray": (29, RESULT),
    "OpTypeStruct": (30, RESULT), "OpTypePointer": (32, RESULT), "OpTypeFunction": (33, RESULT),
    "OpConstant": (43, TYPED), "OpFunction": (54, TYPED), "OpFunctionEnd": (56, PLAIN), "OpVariable": (59, TYPED),
    "OpLoad": (61, TYPED), "OpStore": (62, PLAIN), "OpAccessChain": (65, TYPED), "OpDecorate": (71, PLAIN),
    "OpMemberDecorate": (72, PLAIN), "OpCompositeExtract": (81, TYPED), "OpFConvert": (115, TYPED),
    "OpFNegate": (127, TYPED), "OpIAdd": (128, TYPED), "OpFAdd": (129, TYPED), "OpISub": (130, TYPED),
    "OpIMul": (132, TYPED), "OpMatrixTimesScalar": (143, TYPED), "OpLabel": (248, RESULT), "OpReturn": (253, PLAIN),
    "OpTypeCooperativeMatrixKHR": (4456, RESULT), "OpCooperativeMatrixLoadKHR": (4457, TYPED),
    "OpCooperativeMatrixStoreKHR": (4458, PLAIN), "OpCooperativeMatrixMulAddKHR": (4459, TYPED),
    "OpCooperativeMatrixLengthKHR": (4460, TYPED),
}
WORDS = {
    "Shader": 1, "Float16": 9, "Int8": 39, "StorageBuffer16BitAccess": 4433, "StorageBuffer8BitAccess": 4448,
    "VulkanMemoryModel": 5345, "CooperativeMatrixKHR": 6022,
    "Logical": 0, "Vulkan": 3, "GLCompute": 5, "LocalSize": 17, "None": 0,
    "Input": 1, "StorageBuffer": 12,
    "Block": 2, "ArrayStride": 6, "BuiltIn": 11, "Binding": 33, "DescriptorSet": 34, "Offset": 35, "WorkgroupId": 26,
    "SignedA": 1, "SignedB": 2, "SignedC": 4, "SignedResult": 8, "Saturating": 16,
}


def text_words(text):
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return list(struct.unpack(f"<{len(data) // 4}I", data))


class Module:
    def __init__(self):
        self.ids, self.words = {}, []

    def id(self, name):
        return self.ids.setdefault(name, len(self.ids) + 1)

    def operand(self, word):
        if word[0] == "%":
            return [self.id(word)]
        if word[0] == '"':
            return text_words(word[1:-1])
        if "|" in word:
            return [sum(WORDS[w] for w in word.split("|"))]
        if word in WORDS:
            return [WORDS[word]]
        return [int(word, 0) & 0xffffffff]

    def line(self, line):
        lexer = shlex.shlex(line, posix=False)
        lexer.whitespace_split, lexer.commenters = True, ";"
        word = list(lexer)
        if not word:
            return
        result = [word.pop(0), word.pop(0)][0] if len(word) > 1 and word[1] == "=" else None
        number, kind = OPS[word[0]]
        assert (result is not None) == (kind != PLAIN), line
        operands = [w for text in word[1:] for w in self.operand(text)]
        if result:
            operands.insert(1 if kind == TYPED else 0, self.id(result))
        self.words += [(len(operands) + 1) << 16 | number] + operands


def assemble(text, defines):
    """The module of a text in which $NAME stands for what the defines (NAME=VALUE) say."""
    for name, _, value in (d.partition("=") for d in defines):
        text = text.replace(f"${name}", value)
    m = Module()
    for line in text.splitlines():
        m.line(line)
    words = [0x07230203, 0x00010600, 0, len(m.ids) + 1, 0] + m.words
    return struct.pack(f"<{len(words)}I", *words)
