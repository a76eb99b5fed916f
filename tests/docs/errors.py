# SPDX-License-Identifier: MIT
"""The messages of doc/errors.md are those of the program: a case here gets each of them, as far as any machine can have the
problem; of the others the words are in the source. What ends so ends with a status, and says no more than a sentence or two."""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from harness import BUILD, SOURCE, TIMEOUT_S, Failure, check

ARGS = "--arg a=2.0 --arg x=iota:64 --arg y=zeros:64 --arg out=zeros:64"
KERNEL = f"run --batch examples/saxpy.s --grid 64 {ARGS}"
# Runs the words after it without the system call process_vm_readv, as a container may be.
SECCOMP = """
import ctypes, os, platform, struct, sys
number = {"x86_64": 310, "aarch64": 270}[platform.machine()]
rows = ((0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7fff0000))
filter = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
words = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(rows), ctypes.addressof(filter)))
libc = ctypes.CDLL(None)
assert not libc.prctl(38, 1, 0, 0, 0) and not libc.prctl(22, 2, words)
os.execvp(sys.argv[1], sys.argv[1:])
"""
# A bundle with one entry, for gfx1030.
BUNDLE = """
import struct, sys
name = b"hipv4-amdgcn-amd-amdhsa--gfx1030"
open(sys.argv[1], "wb").write(b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<4Q", 1, 100, 0, len(name)) + name + bytes(64))
"""
# A program with kernels of HIP, as hipcc puts them into it.
HIP_PROGRAM = """
import struct
ids = [b"hipv4-amdgcn-amd-amdhsa--gfx90a", b"hipv4-amdgcn-amd-amdhsa--gfx942"]
entries = b"".join(struct.pack("<3Q", 256, 8, len(i)) + i for i in ids)
bundle = (b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", 2) + entries).ljust(264, bytes(1))
print("const unsigned char code[] __attribute__((used, section(\\".hip_fatbin\\"))) = {%s};" % ",".join(map(str, bundle)))
print("int main(void) { return 0; }")
"""
CORE = r"printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0\76\0' > $T/core; "
DOCTOR = "mkdir -p $T/m/proc/sys/kernel $T/m/sys/kernel/security $T/m/sys/kernel/debug; "
# The situation: what a shell runs to have it ($B: the program, $T: a folder), and the status. None: the machine decides.
CASES = {
    "a GPU chosen by a wrong name": (f"$B {KERNEL} --gpu navi99", 2),
    "a virtual GPU of a model that does not exist": (f"$B {KERNEL} --gpu virtual:navi99", 2),
    "/dev/dri/renderD128 may not be opened": None,
    "debugfs may not be read": None,
    "two GPUs, none chosen": None,  # tests/kmd
    "/dev/kfd may not be opened, or does not exist": None,  # tests/e2e/test_doctor.py
    "a file of debugfs is refused to root": None,  # tests/kmd, as the next
    "the same, where the kernel is not locked down": None,
    "a sandbox of flatpak": (DOCTOR + "touch $T/m/.flatpak-info; $B doctor --root $T/m", 1),
    "a container": (DOCTOR + "rm -f $T/m/.flatpak-info; touch $T/m/.dockerenv; $B doctor --root $T/m", 1),
    "WSL": (DOCTOR + "echo 6.6.87.2-microsoft-standard-WSL2 > $T/m/proc/sys/kernel/osrelease; $B doctor --root $T/m", 1),
    "a container that forbids system calls (seccomp)": (f"python3 $T/seccomp.py $B {KERNEL}", 2),
    "the folder for temporary files is full": None,
    "a folder in TMPDIR that cannot be used, and /tmp cannot be written": None,
    "no AMD GPU, or its driver is not loaded (also in a container without /dev/dri, and in WSL)": None,
    "a GPU that is not of gfx11": None,
    "Secure Boot has locked the kernel down": (
        DOCTOR + "echo 'none [integrity]' > $T/m/sys/kernel/security/lockdown; $B doctor --root $T/m", 1),
    "debugfs is not mounted": (DOCTOR + "$B doctor --root $T/m", 1),
    "a kernel before 6.1": (DOCTOR + "echo 5.15.0 > $T/m/proc/sys/kernel/osrelease; $B doctor --root $T/m", 1),
    "few open files are allowed": None,
    "small files only are allowed": None,
    "a virtual GPU that has ended": (f"BREAKWATER_VGPU=/nonexistent $B {KERNEL}", 2),
    "wrong options of the virtual GPU in BREAKWATER_VGPU_ARGS": (f"BREAKWATER_VGPU_ARGS=--foo $B {KERNEL}", 2),
    "a wrong folder in BREAKWATER_LIBEXEC": (f"BREAKWATER_LIBEXEC=/nonexistent $B {KERNEL}", 2),
    "a file that does not exist": ("$B run --batch nothere.cl --grid 64", 2),
    "a code object for another GPU": ("clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1030 -x cl -nogpulib $T/two.cl -o $T/o.co && "
                                      "$B run --batch $T/o.co --kernel a --grid 64 --arg o=zeros:4", 2),
    "a file that is not a kernel": ("$B run --batch $T/text.txt", 2),
    "a damaged code object": (r"printf '\177ELFxxxx' > $T/bad.co; $B run --batch $T/bad.co --grid 64", 2),
    "a program in place of a kernel": (r"printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\76\0%48s' > $T/p; $B run --batch $T/p --grid 64", 2),
    "a core dump in place of a kernel": (CORE + "printf %48s >> $T/core; $B run --batch $T/core --grid 64", 2),
    "an offload bundle (HIP) without code for this GPU": (f"python3 $T/bundle.py $T/b.hsaco; $B run --batch $T/b.hsaco --grid 64", 2),
    "no compiler": (f"mkdir -p $T/none; unset BREAKWATER_CLANG; PATH=$T/none $B {KERNEL}", 2),
    "a wrong path in BREAKWATER_CLANG": (f"BREAKWATER_CLANG=/nonexistent $B {KERNEL}", 2),
    "a source that does not compile": ("echo nonsense v0 > $T/x.s; $B run --batch $T/x.s --grid 64", 2),
    "several kernels, none chosen": ("$B run --batch $T/two.cl --grid 64 --arg o=zeros:4", 2),
    "a kernel's name that does not exist": ("$B run --batch $T/two.cl --kernel c --grid 64 --arg o=zeros:4", 2),
    "no grid": (f"$B run --batch examples/saxpy.s {ARGS}", 2),
    "too large a workgroup": (f"$B run --batch examples/saxpy.s --grid 4096 --group 2048 {ARGS}", 2),
    "an argument without a value": ("$B run --batch examples/saxpy.s --grid 64 --arg a=2.0", 2),
    "an argument that the kernel does not have": (f"$B {KERNEL} --arg z=3", 2),
    "an array for a number": (f"$B run --batch examples/saxpy.s --grid 64 {ARGS.replace('2.0', 'zeros:4')}", 2),
    "a text for a number": (f"$B run --batch examples/saxpy.s --grid 64 {ARGS.replace('2.0', 'abc')}", 2),
    "a file of values that does not exist": (f"$B run --batch examples/saxpy.s --grid 64 {ARGS.replace('iota:64', 'file:/nonexistent')}", 2),
    "a wrong option": ("$B run --bacth", 2),
    "a wrong command of the shell": ("$B rum", 2),
    "a kernel or a program in place of a command": ("$B examples/smooth.cl", 2),
    "an option before the command": ("$B --gpu 0", 2),
    "a command of the prompt, in the shell": ("$B whence", 2),
    "an option of `--check` without it": (f"$B {KERNEL} --stop-on-finding", 2),
    "a check that does not exist": (f"$B {KERNEL} --check=race", 2),
    "a program that does not exist": ("$B exec -- ./nothere", 127),
    "a file that may not be executed": ("$B exec -- $T/text.txt", 126),
    "a static program (Go, musl)": ("echo 'int main(void) { return 0; }' > $T/s.c; gcc -static $T/s.c -o $T/s && $B exec -- $T/s", 0),
    "its dynamic loader is missing (a 32-bit program, or one of another system on NixOS)": (
        "echo 'int main(void) { return 0; }' > $T/s.c; gcc $T/s.c -o $T/l -Wl,--dynamic-linker=/nonexistent/ld.so && $B exec -- $T/l", 127),
    "a script whose interpreter is missing": ("echo '#!/nonexistent/sh' > $T/i; chmod +x $T/i; $B exec -- $T/i", 127),
    "a script without #!": ("echo 'exit 7' > $T/j; chmod +x $T/j; $B exec -- $T/j", 7),
    "a 32-bit program": (r"printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0' > $T/e; chmod +x $T/e; $B exec -- $T/e 2>&1 | grep -a warning", 0),
    "a program of another architecture (also in qemu-user)": (
        r"printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0' > $T/a; chmod +x $T/a; $B exec -- $T/a 2>&1 | grep -a warning", 0),
    "a setuid program": None,  # tests/e2e/test_security.py
    "a program that has not used a GPU": ("$B run --batch -- true", 0),
    "a wrong path in VK_DRIVER_FILES or VK_ICD_FILENAMES": ("VK_DRIVER_FILES=/nonexistent.json $B run --batch -- true", 0),
    "VK_DRIVER_FILES names only drivers of the CPU (lavapipe)": (
        "touch $T/lvp_icd.json; VK_DRIVER_FILES=$T/lvp_icd.json $B run --batch -- true", 0),
    "no Vulkan driver of AMD GPUs": ("mkdir -p $T/m; rm -rf $T/m/usr; $B doctor --root $T/m", 1),
    "a HIP program whose kernels are for other GPUs": ("python3 $T/hip_program.py >$T/h.c; gcc $T/h.c -o $T/h && $B exec -- $T/h", 0),
    "HSA_OVERRIDE_GFX_VERSION is set": ("HSA_OVERRIDE_GFX_VERSION=10.3.0 $B doctor", 0),
    "attach to a process without a GPU, or not started by Breakwater": ("$B attach --batch $$", 2),
    "attach to a process that does not exist": ("$B attach --batch 4194304", 2),
    "attach without a number": ("$B attach --batch foo", 2),
    "attach to a process of another user": None,
    "attach twice": None,
    "not a capture": ("$B replay $T/text.txt", 2),
    "a capture of a newer version": (r"printf '\211BWCap\r\n\143\0\0\0\0\0\0\0' > $T/new.bwc; $B replay $T/new.bwc", 2),
    "a truncated capture": (r"printf '\211BWCap\r\n' > $T/cut.bwc; $B replay $T/cut.bwc", 2),
    "a kernel log without a failure of amdgpu": ("$B crash $T/text.txt", 2),
    "a core dump in place of a GPU's dump": (CORE + "$B crash $T/core", 2),
    "a crash file that does not exist": ("$B crash /nonexistent", 2),
    "a function that does not exist": (f"$B {KERNEL} -ex 'break nosuch'", 2),
    "a line without code": (f"$B {KERNEL} -ex 'break saxpy.s:9999' -ex run", 2),
    "a line of a kernel without debug information": (
        f"clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1100 examples/saxpy.s -o $T/s.co && "
        f"$B {KERNEL.replace('examples/saxpy.s', '$T/s.co')} -ex 'break saxpy.s:20'", 2),
    "a command that does not exist": (f"$B {KERNEL} -ex frobnicate", 2),
    "a script that does not exist": (f"$B {KERNEL} -x /nonexistent", 2),
    "a folder that cannot be written": (f"$B {KERNEL} -ex 'set logging file /proc/breakwater.log' -ex 'set logging enabled on'", 2),
    "the terminal screen without a terminal": (f"$B {KERNEL} --tui", 2),
    "a question about findings, without `--check`": (f"$B {KERNEL} -ex 'info findings'", 0),
    "a request that is not JSON": (f"echo '{{garbage' | $B run --json -i {KERNEL.removeprefix('run --batch ')}", 0),
}
LINES_MAX = 5


def rows():
    for line in (SOURCE / "doc/errors.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if len(cells) == 3 and cells[0] != "situation":
            yield cells[0], cells[1].strip("`"), cells[2]


def words_of_code():
    """All texts of the code, without the places of values in them."""
    code = "".join(p.read_text() for p in sorted((SOURCE / "src").rglob("*.c")))
    return re.sub(r'"\s*\n?\s*"', "", code).replace('\\"', '"')


def get(situation, message, folder):
    command, status = CASES[situation]
    done = subprocess.run(["sh", "-c", command.replace("$B", str(BUILD / "breakwater")).replace("$T", folder)], cwd=SOURCE,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIMEOUT_S)
    pattern = ".*".join(re.escape(part) for part in message.split("..."))
    said = done.stdout.replace('\\"', '"')
    found = [line for line in said.splitlines() if re.search(pattern, line)]
    check(found, f"{situation}: it says\n{said}and not: {message}")
    check(done.returncode == status, f"{situation}: status {done.returncode}, expected {status}\n{said}")
    if "doctor" not in command:
        check(len(said.splitlines()) <= LINES_MAX, f"{situation}: it says more than this:\n{said}")


def main():
    bad, code, table = [], words_of_code(), list(rows())
    check({r[0] for r in table} == set(CASES) and len(table) == len(CASES), f"rows and cases: {({r[0] for r in table}) ^ set(CASES)}")
    check(len(table) >= 45, f"{len(table)} rows")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "text.txt").write_text("hello\n")
        pathlib.Path(folder, "seccomp.py").write_text(SECCOMP)
        pathlib.Path(folder, "bundle.py").write_text(BUNDLE)
        pathlib.Path(folder, "hip_program.py").write_text(HIP_PROGRAM)
        pathlib.Path(folder, "two.cl").write_text("kernel void a(global int *o) { o[0] = 1; }\nkernel void b(global int *o) { o[0] = 1; }\n")
        for situation, message, remedy in table:
            try:
                check(remedy, f"{situation}: what to do?")
                if CASES[situation]:
                    get(situation, message, folder)
                else:
                    for part in re.split(r"\.\.\.|\d+|; or use", message):
                        check(part.strip(" :;") in code, f"{situation}: the code does not say {part!r}")
            except Failure as e:
                bad.append(str(e))
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
