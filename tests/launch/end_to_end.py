# SPDX-License-Identifier: MIT
"""breakwater-launch on the virtual GPU: results of kernels, and errors. Expected values are
computed here."""
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(os.environ["BREAKWATER_BUILD"])
SAMPLES = pathlib.Path(os.environ["BREAKWATER_SAMPLES"])
SAXPY = pathlib.Path(os.environ["BREAKWATER_LAUNCH_SAMPLES"]) / "saxpy.co"
LAUNCH = BUILD / "breakwater-launch"
TIMEOUT_S = 240

SAXPY_ARGS = "--arg a=2.0 --arg x=iota:256 --arg y=fill:256:1 --arg out=zeros:256".split()


def launch(*args, status=0, env=None):
    words = [str(LAUNCH)] + [str(a) for a in args]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, env=env)
    assert done.returncode == status, f"{words}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}"
    return done.stderr if status else done.stdout


def assemble(folder, name, text):
    """Raw machine code of some assembly."""
    source, obj, out = folder / f"{name}.s", folder / f"{name}.o", folder / f"{name}.bin"
    source.write_text(text)
    clang, objcopy = os.environ["BREAKWATER_CLANG"], os.environ["BREAKWATER_OBJCOPY"]
    subprocess.run([clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-c", source, "-o", obj], check=True)
    subprocess.run([objcopy, "-O", "binary", "--only-section=.text", obj, out], check=True)
    return out


def equal(got, want):
    assert got == want, f"got {got!r}, not {want!r}"


def saxpy(folder):
    equal(launch(SAXPY, "--grid", 256, "--group", 64, *SAXPY_ARGS, "--print", "out:8"), "1 3 5 7 9 11 13 15\n")
    want = [2 * i + 1 for i in range(100)] + [0] * 156
    dump = folder / "out.bin"
    out = launch(SAXPY, "--grid", 100, *SAXPY_ARGS, "--print", "out", "--print", "y:2", "--dump", f"out={dump}")
    equal(out, "out: " + " ".join(map(str, want)) + "\ny: 1 1\n")
    equal(struct.unpack("<256f", dump.read_bytes()), tuple(map(float, want)))
    again = launch(SAXPY, "--grid", 256, "--arg", "a=1", "--arg", f"x=file:{dump}", "--arg", f"y=file:{dump}",
                   "--arg", "out=zeros:256", "--print", "out:3")
    equal(again, "2 6 10\n")


def compiled(folder):
    """Calls, LDS, barriers, scratch: kern_nolib.cl, unoptimised and optimised, wave32 and wave64."""
    def item(gid, lid, tile, n, k):
        acc = 0
        for i in range(n):
            if tile[(lid + i) & 63] & 1:
                acc += i * 3 + gid - 1
            else:
                acc -= 3 + i
        return acc + int(k * gid)
    want = []
    for group in range(4):
        tile = list(range(group * 64, group * 64 + 64))
        want += [item(group * 64 + lid, lid, tile, 5, 2.0) for lid in range(64)]
    for name in "kern_nolib.O0", "kern_nolib.O2", "kern_nolib.w64":
        out = launch(SAMPLES / f"{name}.co", "--grid", 256, "--arg", "0=zeros:256", "--arg", "1=iota:256", "--arg", "2=2.0",
                     "--arg", "3=5", "--print", "0")
        equal(out, " ".join(map(str, want)) + "\n")
    def inner(a):
        return a * a + 1
    out = launch(SAMPLES / "nest.O2.co", "--grid", 64, "--arg", "0=zeros:64", "--arg", "1=5", "--print", "0")
    equal(out, " ".join(str(inner(i) ^ inner(5 + inner(i))) for i in range(64)) + "\n")


IDS = """
    s_load_b64 s[8:9], s[0:1], 0x0
    s_load_b32 s10, s[0:1], 0x8
    // index of the group: (z * 2 + y) * 3 + x, ids behind the user SGPRs
    s_lshl_b32 s11, s{z}, 1
    s_add_i32 s11, s11, s{y}
    s_mul_i32 s11, s11, 3
    s_add_i32 s11, s11, s{x}
    s_lshl_b32 s11, s11, 3
    v_bfe_u32 v1, v0, 0, 10
    v_bfe_u32 v2, v0, 10, 10
    v_lshl_add_u32 v1, v2, 2, v1
    v_add_nc_u32_e32 v1, s11, v1
    v_lshlrev_b32_e32 v1, 2, v1
    s_waitcnt lgkmcnt(0)
    v_add_nc_u32_e32 v3, s10, v0
    v_add_nc_u32_e32 v3, s{user}, v3
    global_store_b32 v1, v3, s[8:9]
    s_endpgm
"""


def raw(folder):
    """Raw code: arguments, user SGPRs, ids behind them, work-item ids in v0; both wave sizes."""
    for wave in 32, 64:
        code = assemble(folder, "ids", IDS.format(x=6, y=7, z=8, user=5).replace("s_load_b64 s[8:9]", "s_load_b64 s[12:13]")
                        .replace("s[8:9]", "s[12:13]"))
        out = launch(code, "--groups", "3,2,2", "--group", "4,2", "--wave", wave, "--vgprs", 8, "--user-sgpr", "5=1000",
                     "--arg", "out=zeros:96", "--arg", "k=7", "--print", "out")
        want = [(x | y << 10) + 1007 for _ in range(12) for y in range(2) for x in range(4)]
        equal(out, " ".join(map(str, want)) + "\n")
        # The last groups are partial: 10 x 3 work-items in groups of 4 x 2.
        out = launch(code, "--grid", "10,3,2", "--group", "4,2", "--wave", wave, "--user-sgpr", "5=1000",
                     "--arg", "out=fill:96:-1", "--arg", "k=7", "--print", "out")
        want = []
        for z in range(2):
            for gy in range(2):
                for gx in range(3):
                    want += [(x | y << 10) + 1007 if gx * 4 + x < 10 and gy * 2 + y < 3 else -1
                             for y in range(2) for x in range(4)]
        equal(out, " ".join(map(str, want)) + "\n")


def values(folder):
    code = assemble(folder, "end", "s_endpgm")
    def shown(value):
        return launch(code, "--grid", 1, "--arg", f"v={value}", "--print", "v").strip()
    equal(shown("iota:4:f16"), "0 1 2 3")
    equal(shown("fill:2:0.1:f64"), "0.1 0.1")
    equal(shown("fill:3:-1:i8"), "-1 -1 -1")
    equal(shown("fill:1:255:u8"), "255")
    equal(shown("fill:2:1e20"), "1e+20 1e+20")
    equal(shown("random:3:7:u64"), shown("random:3:7:u64"))


FAULT = """
    s_load_b64 s[4:5], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    v_lshlrev_b32_e32 v1, 2, v0
    {access}
    s_waitcnt vmcnt(0)
    s_endpgm
"""


def gpu_errors(folder):
    read = assemble(folder, "read", FAULT.format(access="global_load_b32 v2, v1, s[4:5]"))
    err = launch(read, "--grid", 64, "--arg", "p=0x123456000:u64", status=3)
    assert "kernel read.bin failed on the GPU: page fault by a read of 0x123456000: nothing is mapped there" in err, err
    assert "breakwater run" in err, err
    write = assemble(folder, "write", FAULT.format(access="global_store_b32 v1, v0, s[4:5]"))
    err = launch(write, "--grid", 64, "--arg", "p=0x123456000:u64", status=3)
    assert "page fault by a write to 0x123456000" in err, err
    illegal = folder / "illegal.bin"
    illegal.write_bytes(struct.pack("<2I", 0xffffffff, 0xbfb00000))
    err = launch(illegal, "--grid", 1, status=3)
    assert "kernel illegal.bin failed on the GPU" in err, err


def bad_input(folder):
    for words, text in (
            ([], "no kernel given"),
            ([SAXPY, "--grid", 0], "--grid 0: each dimension needs at least 1"),
            ([SAXPY, "--gird", 4], "unknown option --gird"),
            ([SAXPY, SAXPY], "one kernel at a time"),
            ([folder / "none.co", "--grid", 1], "No such file"),
            ([SAMPLES / "gfx900.co", "--grid", 1], "is built for gfx900; this GPU is gfx1100"),
            ([SAXPY, "--grid", 256, "--group", 2048, *SAXPY_ARGS], "a workgroup has at most 1024"),
            ([SAXPY, "--grid", 256, *SAXPY_ARGS, "--gpu", "nvidia"], "'nvidia' names no GPU"),
            ([SAXPY, "--grid", 256, *SAXPY_ARGS, "--gpu", "virtual:navi99"], "navi99")):
        err = launch(*words, status=2)
        assert text in err and err.count("\n") == 1, err


LOOP = "loop:\n s_sleep 1\n s_branch loop\n"


def server_killed(folder):
    code = assemble(folder, "loop", LOOP)
    socket = folder / "vgpu"
    is_ready, tells = os.pipe()
    server = subprocess.Popen([BUILD / "breakwater-vgpu", "--socket", socket, "--ready-fd", str(tells)],
                              stdout=subprocess.DEVNULL, pass_fds=[tells])
    os.close(tells)
    assert os.read(is_ready, 1), "the server has ended"
    os.close(is_ready)
    preload = os.environ.get("BREAKWATER_TEST_PRELOAD", str(BUILD / "libbreakwater-agent.so"))
    env = dict(os.environ, BREAKWATER_VGPU=str(socket), LD_PRELOAD=preload)
    program = subprocess.Popen([LAUNCH, code, "--grid", "64"], env=env, stderr=subprocess.PIPE, text=True)
    # Another program runs beside the one that hangs.
    equal(launch(SAXPY, "--grid", 256, *SAXPY_ARGS, "--print", "out:2", env=env), "1 3\n")
    time.sleep(0.2)
    assert program.poll() is None
    server.send_signal(signal.SIGKILL)
    _, err = program.communicate(timeout=TIMEOUT_S)
    server.wait()
    equal(program.returncode, 3)
    assert "breakwater: the virtual GPU has gone away\n" in err and "the GPU has gone away while kernel loop.bin was running" in err, err


def nothing_is_left(folder):
    """The server that a launch starts takes its files with it."""
    with tempfile.TemporaryDirectory() as base:
        env = dict(os.environ, XDG_RUNTIME_DIR=base)
        launch(SAXPY, "--grid", 256, *SAXPY_ARGS, env=env)
        equal(os.listdir(base), [])


def main():
    failed = 0
    for case in saxpy, compiled, raw, values, gpu_errors, bad_input, server_killed, nothing_is_left:
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(pathlib.Path(folder))
                print("ok  ", case.__name__, flush=True)
            except Exception as e:
                failed += 1
                print("FAIL", case.__name__, e if isinstance(e, AssertionError) else repr(e), flush=True)
    return failed


sys.exit(main())
