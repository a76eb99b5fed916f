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
DOCTOR = "mkdir -p $T/m/proc/sys/kernel $T/m/sys/kernel/security $T/m/sys/kernel/debug; "
# The situation: what a shell runs to have it ($B: the program, $T: a folder), and the status. None: the machine decides.
CASES = {
    "a GPU chosen by a wrong name": (f"$B {KERNEL} --gpu navi99", 2),
    "a virtual GPU of a model that does not exist": (f"$B {KERNEL} --gpu virtual:navi99", 2),
    "/dev/dri/renderD128 may not be opened": None,
    "debugfs may not be read": None,
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
    "no compiler": (f"BREAKWATER_CLANG=/nonexistent $B {KERNEL}", 2),
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
    "a program that does not exist": ("$B exec -- ./nothere", 127),
    "a file that may not be executed": ("$B exec -- $T/text.txt", 126),
    "a static program (Go, musl)": ("echo 'int main(void) { return 0; }' > $T/s.c; gcc -static $T/s.c -o $T/s && $B exec -- $T/s", 0),
    "attach to a process without a GPU, or not started by Breakwater": ("$B attach --batch $$", 2),
    "attach to a process that does not exist": ("$B attach --batch 4194304", 2),
    "attach without a number": ("$B attach --batch foo", 2),
    "attach to a process of another user": None,
    "attach twice": None,
    "not a capture": ("$B replay $T/text.txt", 2),
    "a capture of a newer version": (r"printf '\211BWCap\r\n\143\0\0\0\0\0\0\0' > $T/new.bwc; $B replay $T/new.bwc", 2),
    "a truncated capture": (r"printf '\211BWCap\r\n' > $T/cut.bwc; $B replay $T/cut.bwc", 2),
    "a kernel log without a failure of amdgpu": ("$B crash $T/text.txt", 2),
    "a crash file that does not exist": ("$B crash /nonexistent", 2),
    "a function that does not exist": (f"$B {KERNEL} -ex 'break nosuch'", 2),
    "a line without code": (f"$B {KERNEL} -ex 'break saxpy.s:9999' -ex run", 2),
    "a command that does not exist": (f"$B {KERNEL} -ex frobnicate", 2),
    "a script that does not exist": (f"$B {KERNEL} -x /nonexistent", 2),
    "a folder that cannot be written": (f"$B {KERNEL} -ex 'set logging file /proc/breakwater.log' -ex 'set logging enabled on'", 2),
    "the terminal screen without a terminal": (f"$B {KERNEL} --tui", 2),
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
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S)
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
