#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No trace is left of a debugger, however it ends: what the GPU and the program's address space look like
from outside (tests/live/device_state.c: registers of every VMID, page tables, code) is the same before and
after. It ends with breakpoints, a watchpoint, caught exceptions and imprecise memory set and a step under way.
The program compares its results, of which the waves' MODE is one, from round to round.

  test_traces.py DEVICE_STATE"""
import atexit
import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

from harness import BUILD, IN_GUEST, KERNELS, TIMEOUT_S, Failure, check, device_state, equal, main, wait_gone
from test_torture import CLANG, GROUP, Attached, Program

DEVICE_STATE = os.path.abspath(sys.argv[1])
GROUPS = 24
SYS_PIDFD_GETFD = 438


class Gpu:
    """A GPU that outlives programs and debuggers: a virtual GPU of ours, or in a guest that of Linux's driver."""

    def __init__(self):
        if IN_GUEST:
            return
        self.process = subprocess.Popen([str(BUILD / "breakwater-vgpu"), "--quiet"], stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        name, _, value = self.process.stdout.readline().strip().partition("=")
        check(name == "BREAKWATER_VGPU", f"the virtual GPU says {name!r}")
        os.environ[name] = value

    def state(self):
        return device_state(DEVICE_STATE)

    def idle_state(self):
        """When nobody keeps the graphics block on: Linux lets it power down 0.1 s after the last one (GFX_OFF_DELAY_ENABLE
        in amdgpu_gfx.c)."""
        end = time.monotonic() + TIMEOUT_S
        while "gfxoff 1" not in (now := self.state()):
            check(time.monotonic() < end, "somebody keeps the graphics block on")
            time.sleep(0.05)
        return now

    def await_state(self, wanted, what, pick=lambda line: True):
        end = time.monotonic() + TIMEOUT_S
        wanted = list(filter(pick, wanted))
        while (now := list(filter(pick, self.state()))) != wanted:
            if time.monotonic() > end:
                raise Failure(f"{what}: gone {sorted(set(wanted) - set(now))[:8]}, come {sorted(set(now) - set(wanted))[:8]}")
            time.sleep(0.05)

    def end(self):
        if IN_GUEST:
            return
        del os.environ["BREAKWATER_VGPU"]
        self.process.terminate()
        self.process.wait(TIMEOUT_S)


def linger(folder):
    path = f"{folder}/linger.co"
    subprocess.run([CLANG, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-g", "-mno-wavefrontsize64", "-x", "assembler",
                    str(KERNELS / "linger.s"), "-o", path], check=True, timeout=TIMEOUT_S)
    n = GROUPS * GROUP
    program = Program("--", BUILD / "tests/e2e/again", "--grid", n, "--group", GROUP, "--arg", f"out=zeros:{2 * n}:u32", "--print", "out",
                      path)
    program.object = path
    return program


def busy_session(gpu, program, before):
    """A debugger with everything set, its waves stopped in the loop."""
    s = Attached(program)
    # The watch is for the VMID that Linux has reserved for the program, which has run with another one before.
    for command in (f"symbol-file {program.object}", "set precise-memory off", "break loop if $s2 == 3", "continue", "watch out[20]",
                    "catch fp div0", "stepi 3", "set scheduler-locking off", "continue"):
        answer = s.command(command)
        check(answer.get("result") != "error", f"{command}: {answer}")
    come = set(gpu.state()) - set(before)
    for name in ("SQ_SHADER_TBA_HI", "SQ_SHADER_TMA_LO", "SPI_GDBG_PER_VMID_CNTL", "TCP_WATCH0_CNTL", "SQ_DEBUG"):
        check(any(line.split()[2] == name for line in come if line.startswith("reg ")),
              f"{name} does not show in the state: then this test sees nothing")
    check(any(line.startswith("code ") for line in come), "no code has changed")
    check("gfxoff 1" in before and "gfxoff 0" in come, "the graphics block is not kept on")
    return s


def step_away(s):
    s.send("stepi 1000000")
    time.sleep(random.random() * 0.05)


def die(s, number):
    step_away(s)
    s.process.send_signal(number)
    s.process.wait(TIMEOUT_S)


def detach(s):
    s.command("detach")
    s.end()


def agent_socket(debugger, program):
    """The debugger's end of the connection to the agent, as one of ours."""
    libc = ctypes.CDLL(None, use_errno=True)
    pidfd = os.pidfd_open(debugger)
    try:
        for fd in map(int, os.listdir(f"/proc/{debugger}/fd")):
            if not os.readlink(f"/proc/{debugger}/fd/{fd}").startswith("socket:"):
                continue
            mine = libc.syscall(SYS_PIDFD_GETFD, pidfd, fd, 0)
            check(mine >= 0, f"pidfd_getfd: {os.strerror(ctypes.get_errno())}")
            s = socket.socket(fileno=mine)
            peer = int.from_bytes(s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], "little")
            if peer == program:
                return s
            s.close()
    finally:
        os.close(pidfd)
    raise Failure("the debugger has no connection to the program")


def await_exit(s):
    """What had stopped before is said first; the step under way may have said the end already."""
    exited = False
    while not exited:
        answer = s.command("continue")
        exited = any(o["event"] == "exit" for o in s.events)
        check(exited or answer.get("result") != "error", f"continue after the program's end: {answer}")


def lose_connection(s):
    """Neither of the two has ended. A debugger at its prompt sees it when it looks at the program again."""
    line = agent_socket(s.process.pid, s.program)
    step_away(s)
    line.shutdown(socket.SHUT_RDWR)
    line.close()
    await_exit(s)


ENDS = [("detach", detach), ("quit", lambda s: s.end()), ("kill -9", lambda s: die(s, signal.SIGKILL)),
        ("SIGTERM", lambda s: die(s, signal.SIGTERM)), ("SIGHUP", lambda s: die(s, signal.SIGHUP)),
        ("the connection's death", lose_connection)]


def is_for_all(line):
    return line.startswith("gfxoff") or "TCP_WATCH" in line or "SQ_DEBUG" in line


def debugger_goes():
    gpu = Gpu()
    with tempfile.TemporaryDirectory() as folder:
        program = linger(folder)
        before = gpu.idle_state()
        check(len(before) > 100, f"only {len(before)} lines of state")
        for name, end in ENDS:
            s = busy_session(gpu, program, before)
            s.program = program.pid
            end(s)
            # a debugger that still runs may have other programs, and keeps the settings that all share
            gpu.await_state(before, f"after {name}", lambda line: s.process.poll() is not None or not is_for_all(line))
            if s.process.poll() is None:
                s.process.kill()
                s.process.wait()
                gpu.await_state(before, f"after {name}, and the debugger's end")
        program.finish()
    gpu.end()


def program_dies():
    """With the debugger living on, or dying at the same moment. Its address space is gone, so only registers
    that are not the kernel driver's are compared."""
    gpu = Gpu()

    def is_debuggers(line):
        return is_for_all(line) or "SQ_SHADER_T" in line or "SPI_GDBG" in line

    with tempfile.TemporaryDirectory() as folder:
        for alone in (True, False):
            program = linger(folder)
            before = gpu.idle_state()
            s = busy_session(gpu, program, before)
            step_away(s)
            if not alone:
                s.process.kill()
            os.kill(program.pid, signal.SIGKILL)
            wait_gone(program.pid, "the program")
            if alone:
                await_exit(s)
                s.end()
            gpu.await_state(before, "after the program's death", is_debuggers)
            program.process.wait(TIMEOUT_S)
    gpu.end()


if __name__ == "__main__":
    main(debugger_goes, program_dies)
