#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who owns what on the file system and at the sockets: another user, another PID namespace, squatters, silence.

As root it really plays the other user (nobody); what cannot be played here is skipped by name."""
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

import harness
from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, check, equal, main, named_child, wait_gone

NOBODY = 65534
IS_ROOT = os.geteuid() == 0
LAUNCH = BUILD / "breakwater-launch"
SPIN = BUILD / "tests/live/spin.co"
SPIN_ARGS = ["--grid", "64", "--group", "64", "--arg", "out=zeros:64:u32"]
LOOP, LOOP_ARGS = SOURCE / "tests/e2e/kernels/loop.s", ["--grid", "32", "--group", "32", "--arg", "out=zeros:32:u32"]
SAXPY = [SOURCE / "examples/saxpy.s", "--grid", "64", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:64", "--arg",
         "y=fill:64:1", "--arg", "out=zeros:64", "--print", "out:4"]
SAXPY_SAYS = "1 3 5 7"


def skipped(why):
    print(f"skipped {sys._getframe(1).f_code.co_name}: {why}")


def environment(**settings):
    env = {k: v for k, v in os.environ.items() if k not in ("BREAKWATER_VGPU", "TMPDIR", "XDG_RUNTIME_DIR")}
    return {**env, **{k: str(v) for k, v in settings.items()}}


def breakwater(*args, env=None, prefix=(), **kwargs):
    return subprocess.run([*prefix, BREAKWATER, *args], cwd=SOURCE, env=env or environment(), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT_S, **kwargs)


def check_saxpy(done, what):
    check(done.returncode == 0 and SAXPY_SAYS in done.stdout, f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")


def wait_for(condition, what):
    end = time.monotonic() + TIMEOUT_S
    while not (found := condition()):
        check(time.monotonic() < end, f"{what} never happens")
        time.sleep(0.02)
    return found


class Other:
    """A process of the other user, forked here: what fn does there, and the lines that it says."""

    def __init__(self, fn, *args):
        ours, theirs = socket.socketpair()
        self.pid = os.fork()
        if not self.pid:
            status = 1
            try:
                ours.close()
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
                fn(lambda text: theirs.sendall(f"{text}\n".encode()), *args)
                status = 0
            except BaseException as e:
                theirs.sendall(f"{e!r}\n".encode())
            os._exit(status)
        theirs.close()
        ours.settimeout(TIMEOUT_S)
        self.lines = ours.makefile()
        ours.close()
        equal(self.line(), "ready", "the other user's process")

    def line(self):
        return self.lines.readline().rstrip("\n")

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.lines.close()


class Place:
    """A folder for all, as /tmp, in which the other user can put things."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="bw-security-")
        path = pathlib.Path(self.folder.name)
        os.chmod(path, 0o1777)
        return path

    def __exit__(self, *_):
        self.folder.cleanup()


class Program:
    """A kernel that loops, in a program that can be attached to."""

    def __init__(self, *prefix, user=None, env=None):
        self.process = subprocess.Popen([BREAKWATER, "exec", "--", *prefix, LAUNCH, SPIN, *SPIN_ARGS], cwd=SOURCE,
                                        env=env or environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        **({"user": user, "group": user, "extra_groups": []} if user is not None else {}))
        self.pid = wait_for(self.find, "the program's start")

    def find(self):
        check(self.process.poll() is None, f"the program ends with {self.process.poll()}")
        try:
            pid = named_child(self.process.pid, "breakwater-launch")
            inodes = {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in list_fds(pid)}
        except (harness.Failure, FileNotFoundError):  # it has just closed one
            return None
        # it listens
        names = pathlib.Path("/proc/net/unix").read_text()
        return pid if any("@breakwater-agent-" in line and f"socket:[{line.split()[6]}]" in inodes
                          for line in names.splitlines()) else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in [*harness.children(self.process.pid), self.process.pid]:
            try:
                if os.path.basename(os.readlink(f"/proc/{pid}/exe")) != "breakwater-vgpu":
                    os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.process.wait(TIMEOUT_S)


def list_fds(pid):
    try:
        return [fd for fd in os.listdir(f"/proc/{pid}/fd") if os.path.lexists(f"/proc/{pid}/fd/{fd}")]
    except OSError:
        return []


def check_attaches(program, **kwargs):
    done = breakwater("attach", "--batch", "-ex", "detach", str(program.pid), **kwargs)
    check(f"Attached to breakwater-lau (process {program.pid})" in done.stdout or
          f"(process {program.pid})." in done.stdout, f"attach: {done.stdout}{done.stderr}")


def can_unshare(*flags):
    return subprocess.run(["unshare", *flags, "true"], stderr=subprocess.DEVNULL).returncode == 0


NAMESPACE = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")

# ---- Files ----


def links_in_the_temporary_folder():
    """They pretend to be folders of debuggers that are gone. What they lead to belongs to another user."""
    if not IS_ROOT:
        return skipped("only root can play the other user")
    with Place() as tmp, tempfile.TemporaryDirectory() as precious:
        files = [pathlib.Path(precious) / name for name in ("thesis.co", "x.co.bak", "notes")]
        for f in files:
            f.write_text("precious")
        for name in ("breakwater-run-4194304-AAAAAA", "breakwater-run-AAAAAA", "breakwater-vgpu-AAAAAA"):
            os.symlink(precious, tmp / name)
            os.lchown(tmp / name, NOBODY, NOBODY)
        check_saxpy(breakwater("run", *SAXPY, env=environment(TMPDIR=tmp, XDG_RUNTIME_DIR=tmp)), "with links in TMPDIR")
        check(all(f.exists() for f in files), "root has removed files behind another user's link")
        equal(len(os.listdir(tmp)), 3, "what is in TMPDIR")


def folders_that_are_squatted():
    """Of the names that a server's folder might have. They stop no start, and are not removed."""
    if not IS_ROOT:
        return skipped("only root can play the other user")
    with Place() as tmp:
        first = os.getpid()
        for pid in range(first, first + 2000):
            os.makedirs(tmp / f"breakwater-{pid}" / "root")
            os.chown(tmp / f"breakwater-{pid}" / "root", NOBODY, NOBODY)
            os.chown(tmp / f"breakwater-{pid}", NOBODY, NOBODY)
        check_saxpy(breakwater("run", *SAXPY, env=environment(XDG_RUNTIME_DIR=tmp)), "with squatted names")
        equal(len(list(tmp.glob("breakwater-*/root"))), 2000, "folders of the other user that are still there")


def a_runtime_folder_of_another_user():
    """su, sudo -E: nothing of root's goes there, where its owner could put a server of his in its place."""
    if not IS_ROOT:
        return skipped("only root can play the other user")
    with Place() as tmp:
        theirs = tmp / "theirs"
        theirs.mkdir(0o700)
        os.chown(theirs, NOBODY, NOBODY)
        env = environment(XDG_RUNTIME_DIR=theirs, TMPDIR=theirs)
        server = subprocess.Popen([BREAKWATER, "vgpu", "serve"], env=env, stdout=subprocess.PIPE, text=True)
        path = pathlib.Path(server.stdout.readline().strip().split("=", 1)[1])
        check(theirs not in path.parents, f"root's socket is {path}")
        for folder in path.parents:
            st = folder.stat()
            check(st.st_uid == 0 and (not st.st_mode & 0o022 or st.st_mode & stat.S_ISVTX), f"{folder} is not root's alone")
        server.terminate()
        server.communicate()
        before = os.stat(theirs).st_mtime_ns
        check_saxpy(breakwater("run", *SAXPY, env=env), "with the runtime folder of another user")
        equal(os.listdir(theirs), [], "what root leaves in another user's folder")
        # The runtime of ThreadSanitizer makes and removes a file of its own there.
        if b"__tsan_init" not in pathlib.Path(BREAKWATER).read_bytes():
            equal(os.stat(theirs).st_mtime_ns, before, "when another user's folder was changed")


def a_runtime_folder_that_does_not_exist():
    with Place() as tmp:
        env = environment(XDG_RUNTIME_DIR=tmp / "none", TMPDIR=tmp / "none")
        check_saxpy(breakwater("run", *SAXPY, env=env), "without the runtime folder")
        said = breakwater("doctor", env=env).stdout
        check("since XDG_RUNTIME_DIR" in said and "since TMPDIR" in said, said)


def namespaces_that_share_a_folder():
    """A number says nothing about a process of another PID namespace: each leaves the other's files alone."""
    if not can_unshare(*NAMESPACE[1:]):
        return skipped("no PID namespace can be made here")
    with Place() as tmp:
        env = environment(XDG_RUNTIME_DIR=tmp, TMPDIR=tmp)
        for outer, inner in ((), NAMESPACE), (NAMESPACE, ()):
            server = subprocess.Popen([*outer, BREAKWATER, "vgpu", "serve"], env=env, stdout=subprocess.PIPE, text=True)
            path = pathlib.Path(server.stdout.readline().strip().split("=", 1)[1])
            check_saxpy(breakwater("run", *SAXPY, env=env, prefix=inner), "beside another PID namespace")
            check(path.is_socket() and (path.parent / "root/dev").is_dir(), f"{path.parent} has been removed")
            check_saxpy(breakwater("run", *SAXPY, env={**env, "BREAKWATER_VGPU": str(path)}), "the server afterwards")
            server.terminate() if not outer else os.kill(named_child(server.pid, "breakwater-vgpu"), signal.SIGTERM)
            server.communicate()
            equal(os.listdir(tmp), [], "what is left")


def signals_leave_nothing():
    """While clang runs, and while the kernel does."""
    with Place() as tmp:
        clang = tmp / "clang"
        clang.write_text("#!/bin/sh\nfor a; do o=$a; done\ntouch $o.tmp\nexec sleep 1000\n")
        clang.chmod(0o755)
        for settings in {"BREAKWATER_CLANG": clang}, {}:
            for sig in signal.SIGTERM, signal.SIGHUP:
                env = environment(TMPDIR=tmp, XDG_RUNTIME_DIR=tmp, **settings)
                p = subprocess.Popen([BREAKWATER, "run", LOOP, *LOOP_ARGS],
                                     cwd=SOURCE, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
                wait_for(lambda: list(tmp.glob("breakwater-run-*/*" if settings else "breakwater-debug-*/debug")), "the start")
                family = harness.children(p.pid)
                p.send_signal(sig)
                p.wait(TIMEOUT_S)
                equal(list(tmp.glob("breakwater-run-*")), [], f"left by signal {sig.name} {settings}")
                for pid in family:  # what the session started ends with it
                    wait_gone(pid, "a process of the session")


# ---- Sockets ----

def listens(say, path):
    s = socket.socket(socket.AF_UNIX)
    s.bind(str(path))
    os.chmod(path, 0o777)
    s.listen(8)
    say("ready")
    while True:
        c, _ = s.accept()
        say(len(c.recv(1000)))


def connects(say, path):
    """How many bytes it gets on the last of many connections."""
    all = []
    for _ in range(100):
        all.append(socket.socket(socket.AF_UNIX))
        all[-1].connect(str(path))
    say("ready")
    say(list(all[-1].recv(100)))
    signal.pause()


def a_server_of_another_user():
    """Another user listens where the environment points to: not a byte is sent to that socket."""
    if not IS_ROOT:
        return skipped("only root can play the other user")
    with Place() as tmp:
        theirs = Other(listens, tmp / "vgpu")
        env = environment(BREAKWATER_VGPU=tmp / "vgpu")
        for command in (["run", *SAXPY], ["exec", "--", LAUNCH, SPIN, *SPIN_ARGS], ["umr", "-wa"]):
            done = breakwater(*command, env=env)
            check(done.returncode and "belongs to another user (uid 65534)" in done.stderr + done.stdout,
                  f"{command[0]}: {done.stdout}{done.stderr}")
            equal(theirs.line(), "0", "bytes that the other user's server has read")
        theirs.end()


def a_client_of_another_user():
    """He gets no answer, and everybody else does."""
    if not IS_ROOT:
        return skipped("only root can play the other user")
    with Place() as tmp:
        server = subprocess.Popen([BREAKWATER, "vgpu", "serve", "--socket", tmp / "vgpu"], env=environment(),
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        server.stdout.readline()
        os.chmod(tmp / "vgpu", 0o666)
        theirs = Other(connects, tmp / "vgpu")
        equal(theirs.line(), "[]", "what the other user hears before his connection ends")
        theirs.end()
        check_saxpy(breakwater("run", *SAXPY, env=environment(BREAKWATER_VGPU=tmp / "vgpu")), "root on its own server")
        server.terminate()
        server.communicate()
        check(not (tmp / "vgpu").exists(), "the socket is left")


def a_server_that_is_gone():
    with Place() as tmp:
        s = socket.socket(socket.AF_UNIX)
        s.bind(str(tmp / "vgpu"))
        s.close()
        done = breakwater("run", *SAXPY, env=environment(BREAKWATER_VGPU=tmp / "vgpu"))
        check(f"no server listens on {tmp}/vgpu any more" in done.stderr and "breakwater vgpu serve" in done.stderr, done.stderr)
        done = breakwater("vgpu", "serve", "--socket", tmp / "vgpu")
        check(f"left over from a process that has ended: remove it (rm {tmp}/vgpu)" in done.stderr, done.stderr)


def kill_in_another_namespace():
    """What the agent calls itself there is the number of a stranger here."""
    if not can_unshare(*NAMESPACE[1:]):
        return skipped("no PID namespace can be made here")
    done = breakwater("run", "--batch", "-ex", "break on dispatch", "-ex", "run", "-ex", "info inferiors", "-ex", "shell echo pids: $(pgrep -f "
                      f"'^{LAUNCH}')", "-ex", "kill", "--", *NAMESPACE, LAUNCH, SPIN, *SPIN_ARGS)
    # other tests may run the launcher at the same time
    pids = next((line.split()[1:] for line in done.stdout.splitlines() if line.startswith("pids: ")), [])
    pid = next((p for p in pids if f"process {p})" in done.stdout or f"process {p} " in done.stdout), None)
    check(pid, f"the number of the program, one of {pids}: {done.stdout}{done.stderr}")
    wait_gone(int(pid), "what was to be killed")


def squatted_and_silent():
    """The name that the agent would have, and connections that say nothing, keep no debugger out."""
    gate = "import os, sys\nprint(os.getpid(), flush=True)\nsys.stdin.readline()\nos.dup2(os.open('/dev/null', 0), 0)\n" \
           "os.execv(sys.argv[1], sys.argv[1:])\n"
    program = subprocess.Popen([BREAKWATER, "exec", "--", sys.executable, "-c", gate, LAUNCH, SPIN, *SPIN_ARGS], cwd=SOURCE,
                               env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pid = int(program.stdout.readline())
    squatters = [socket.socket(socket.AF_UNIX) for _ in range(2)]
    squatters[0].bind(f"\0breakwater-agent-{pid}")
    squatters[0].listen(0)
    squatters[1].bind(f"\0breakwater-agent-{pid}-squatted")
    squatters[1].listen(0)
    for _ in range(2):  # its queue is full now
        squatters.append(socket.socket(socket.AF_UNIX))
        squatters[-1].setblocking(False)
        squatters[-1].connect_ex(f"\0breakwater-agent-{pid}-squatted")
    program.stdin.write("\n")
    program.stdin.flush()
    this = type("", (), {"pid": pid, "process": program})
    name = wait_for(lambda: next((line.split("@")[1] for line in pathlib.Path("/proc/net/unix").read_text().splitlines()
                                  if f"@breakwater-agent-{pid}-" in line and "squatted" not in line), None), "the agent's other name")
    silent = []
    for _ in range(100):
        silent.append(socket.socket(socket.AF_UNIX))
        silent[-1].connect("\0" + name)
    theirs = None
    if IS_ROOT:
        theirs = Other(connects, "\0" + name)
        equal(theirs.line(), str(list((-1).to_bytes(4, "little", signed=True))), "what the other user is told: EPERM")
    check_attaches(this)
    check_attaches(this)
    for s in silent + squatters:
        s.close()
    if theirs:
        theirs.end()
    os.kill(pid, signal.SIGKILL)
    program.communicate(timeout=TIMEOUT_S)


def root_attaches_and_others_do_not():
    if not IS_ROOT:
        return skipped("only root can play the other user")
    try:
        breakwater("--version", user=NOBODY, group=NOBODY, extra_groups=[])
    except PermissionError:
        return skipped("the build cannot be read by other users")
    with Program(user=NOBODY) as theirs:
        check_attaches(theirs)
        check_attaches(theirs, user=NOBODY, group=NOBODY, extra_groups=[])
    with Program() as ours:
        done = breakwater("attach", "--batch", "-ex", "detach", str(ours.pid), user=NOBODY, group=NOBODY, extra_groups=[])
        check(done.returncode and "Attached" not in done.stdout, f"another user attaches to root's program: {done.stdout}")
        check_attaches(ours)


# ---- What a machine may be like ----


def memory_files_that_cannot_be_executed():
    """vm.memfd_noexec is of the PID namespace."""
    if not can_unshare(*NAMESPACE[1:]):
        return skipped("no PID namespace can be made here")
    for value in "1", "2":
        script = f'echo {value} > /proc/sys/vm/memfd_noexec && exec "$@"'
        if subprocess.run([*NAMESPACE, "sh", "-c", script, "sh", "true"], stderr=subprocess.DEVNULL).returncode:
            return skipped("vm.memfd_noexec cannot be set here")
        prefix = (*NAMESPACE, "sh", "-c", script, "sh")
        check_saxpy(breakwater("run", *SAXPY, prefix=prefix), f"vm.memfd_noexec={value}")
        said = breakwater("doctor", prefix=prefix).stdout
        check(f"vm.memfd_noexec is {value}" in said, said)


def programs_without_an_agent():
    """One sentence, with the name of the program."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        source = pathlib.Path(folder) / "p.c"
        source.write_text("#include <sys/syscall.h>\n#include <unistd.h>\n"
                          'int main(void) { return syscall(SYS_openat, -100, "/dev/dri/renderD128", 2) < 0 ? 3 : 4; }\n')
        programs = {"static": ["-static"], "raw": []}
        for name, flags in programs.items():
            if subprocess.run(["cc", *flags, "-o", f"{folder}/{name}", source], stderr=subprocess.DEVNULL).returncode:
                return skipped(f"no compiler for a {name} program")
        words = {"static": "is statically linked, so that the agent cannot be preloaded", "raw": "makes system calls by itself"}
        if IS_ROOT:
            with open(f"{folder}/raw", "rb") as f:
                pathlib.Path(f"{folder}/setuid").write_bytes(f.read())
            os.chown(f"{folder}/setuid", NOBODY, NOBODY)
            os.chmod(f"{folder}/setuid", 0o4755)
            words["setuid"] = "is setuid, so that the agent cannot be preloaded"
        else:
            print("skipped programs_without_an_agent, setuid: only root can make one of another user")
        for name, text in words.items():
            for command in ("exec",), ("run", "--batch"):
                done = breakwater(*command, "--", f"{folder}/{name}")
                said = [line for line in (done.stdout + done.stderr).splitlines() if "warning: " in line]
                check(len(said) == 1 and f"{folder}/{name} " in said[0] and text in said[0],
                      f"{command[0]} -- {name}: {done.stdout}{done.stderr}")
        equal(breakwater("exec", "--", "true").stderr, "", "what is said of a program that needs no GPU")


if __name__ == "__main__":
    main(links_in_the_temporary_folder, folders_that_are_squatted, a_runtime_folder_of_another_user,
         a_runtime_folder_that_does_not_exist, namespaces_that_share_a_folder, signals_leave_nothing, a_server_of_another_user,
         a_client_of_another_user, a_server_that_is_gone, kill_in_another_namespace, squatted_and_silent,
         root_attaches_and_others_do_not, memory_files_that_cannot_be_executed, programs_without_an_agent)
