# SPDX-License-Identifier: MIT
"""What the tests share that have Linux's driver in their guest: a shell's script there, with the kernel's log checked, and
tests of other folders run there, whose GPU is then the driver's."""
import re

from guest import guest

from harness import BUILD, SOURCE, TIMEOUT_S, check

# What the kernel and the driver say when something is wrong. What they say on every machine of this kind is no
# part of it: QEMU's clock is calibrated late.
WRONG = re.compile(r"\*ERROR\*|\bERROR\b|WARNING:|\bBUG\b|Oops|Fence fallback|test failed|page fault|failed with error|amdgpu.*\bfailed\b|conflict with")
OPTIONAL = "failed to load amdgpu/picasso_ip_discovery.bin"  # an older Raven has none, and the driver goes on
# gmc_v11_0.c of Linux 6.12; the kernel runs in the first VMID that the driver gives to programs.
FAULT = re.compile(r"\[gfxhub\] page fault \(src_id:0 ring:0 vmid:1 pasid:\d+\)\n.*in process (?:unmapped|vkrun) .*\n"
                   r".*starting at address 0x0000123456789000 from client 10\n(?:.*\n)*?.*Faulty UTCL2 client ID: TCP \(0x8\)")

# The same in a kernel of an AQL queue, in the first VMID that KFD gives to programs.
FAULT_OF_KFD = re.compile(r"\[gfxhub\] page fault \(src_id:0 ring:0 vmid:8 pasid:\d+\)\n.*in process aql .*\n"
                          r".*starting at address 0x\w+ from client 10\n(?:.*\n)*?.*Faulty UTCL2 client ID: TCP \(0x8\)")


def in_guest(script, has_fault=None, has_reset=False, is_long=False, options=(), plants=()):
    """The output of a shell's script in a guest with the driver; the kernel's log is checked as well. has_fault: the
    script causes a fault, whose lines the log must have: those of FAULT, or those that it gives. has_reset: it asks for a reset of the GPU, which must fail.
    is_long: it runs for minutes, in which a busy machine may hold up the guest's processors so long that an interrupt
    comes after half a second. plants: faults of the virtual GPU (breakwater-vgpu --plant)."""
    out, err = guest("sh", "-ec", script + "\necho ---- log ----\ndmesg", options=options, timeout_s=(6 if is_long else 2) * TIMEOUT_S,
                     env={"BREAKWATER_VGPU_ARGS": " ".join(f"--plant {fault}" for fault in plants)} if plants else {})
    text, log = out.decode().split("---- log ----\n")
    wrong = [line for line in log.splitlines() if WRONG.search(line) and OPTIONAL not in line]
    if has_fault:
        check((FAULT if has_fault is True else has_fault).search(log), "the kernel's log has no report of the fault:\n" + log)
        wrong = [line for line in wrong if "page fault" not in line]
    if has_reset:
        check("ASIC reset failed with error, -2" in log, "the kernel's log has no reset:\n" + log)
        wrong = [line for line in wrong if "reset" not in line]
    if is_long:
        wrong = [line for line in wrong if "Fence fallback" not in line]
    check(not wrong, "the kernel's log has\n" + "\n".join(wrong))
    check("Initialized amdgpu" in log, "the driver has not initialized the GPU:\n" + log)
    check(not err, err.decode())
    return text


def run_test(path, *args):
    """A line of a script: one test of tests/, with the driver's GPU."""
    return (f"BREAKWATER_LINUX_GUEST=1 BREAKWATER_BUILD={BUILD} BREAKWATER_SOURCE={SOURCE} XDG_RUNTIME_DIR=/tmp "
            f"python3 -B -u {SOURCE}/tests/{path} {' '.join(str(a) for a in args)}")


def e2e(test, *options):
    """One of tests/e2e, with the driver's GPU."""
    text = in_guest(run_test(f"e2e/test_{test}.py", *options), is_long=True)
    check(" passed, 0 failed" in text, text)
