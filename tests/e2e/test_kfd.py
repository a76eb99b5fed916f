# SPDX-License-Identifier: MIT
"""/dev/kfd under `breakwater exec`, as a program finds it that is not told of the virtual GPU: the node, its description in
sysfs, calls with descriptors and memory of the program. The calls themselves: tests/vgpu/uapi/test_kfd.c."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from harness import BREAKWATER, TIMEOUT_S, check, equal, main, run

PROGRAM = r"""
import ctypes, errno, fcntl, mmap, os, stat, struct

def call(nr, fmt, *values, direction=3):
    buf = bytearray(struct.pack("<" + fmt, *values))
    try:
        fcntl.ioctl(kfd, direction << 30 | len(buf) << 16 | ord("K") << 8 | nr, buf)
    except OSError as e:
        return errno.errorcode[e.errno]
    return struct.unpack("<" + fmt, buf)

kfd = os.open("/dev/kfd", os.O_RDWR | os.O_CLOEXEC)
render = os.open("/dev/dri/renderD128", os.O_RDWR | os.O_CLOEXEC)
for st in (os.stat("/dev/kfd"), os.fstat(kfd)):
    print("node", stat.S_ISCHR(st.st_mode), os.minor(st.st_rdev),
          open("/sys/class/kfd/kfd/dev").read().strip() == f"{os.major(st.st_rdev)}:{os.minor(st.st_rdev)}")
print("link", os.readlink(f"/proc/self/fd/{kfd}"), os.path.realpath("/sys/class/kfd/kfd"))
nodes = "/sys/devices/virtual/kfd/kfd/topology/nodes"
print("nodes", sorted(os.listdir(nodes)), open("/sys/module/amdgpu/initstate").read().strip())
gpu = int(open(nodes + "/1/gpu_id").read())
properties = dict(line.split() for line in open(nodes + "/1/properties"))
print("caches", len(os.listdir(nodes + "/1/caches")) == int(properties["caches_count"]))
print("target", properties["gfx_target_version"], properties["drm_render_minor"])
print("version", call(0x01, "II", 0, 0, direction=2))
print("vm", call(0x15, "II", 0, gpu, direction=1), call(0x15, "II", kfd, gpu, direction=1), call(0x15, "II", render, gpu, direction=1))

# a page of the program becomes the GPU's, and stays what it was
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
page[:5] = b"hello"
va = ctypes.addressof(ctypes.c_char.from_buffer(page))
got = call(0x16, "QQQQII", va, 4096, 0, va, gpu, 1 << 31 | 1 << 2)
ids = (ctypes.c_uint32 * 1)(gpu)
print("page", got[2] == gpu << 32, call(0x18, "QQII", got[2], ctypes.addressof(ids), 1, 0)[3], bytes(page[:5]))
print("missing page", call(0x16, "QQQQII", 0x10000, 4096, 0, 0x10000, gpu, 1 << 2))

# a buffer is mapped through the render node
got = call(0x16, "QQQQII", 0x7000000, 8192, 0, 0, gpu, 1 << 31 | 1)
buffer = mmap.mmap(render, 8192, offset=got[3])
buffer[4096:4100] = b"data"
print("buffer", mmap.mmap(render, 8192, offset=got[3])[4096:4100])

event = call(0x08, "QIIIIII", 0, 0, 0, 1, 0, 0, 0)[5]
data = (ctypes.c_uint32 * 12)()
data[10] = event
wait = lambda ms: call(0x0c, "QIIII", ctypes.addressof(data), 1, 0, ms, 9)[4]
print("event", event, wait(0), call(0x0a, "II", event, 0, direction=1), wait(1000), wait(0))
print("queue", call(0x02, "Q" * 12, *[0] * 12))
print("flush", flush=True)
if not os.fork():
    print("child", call(0x01, "II", 0, 0, direction=2), flush=True)
    os._exit(0)
os.wait()
os.close(kfd)
print("closed", call(0x01, "II", 0, 0, direction=2))
"""
EXPECTED = """node True 0 True
node True 0 True
link /dev/kfd /sys/devices/virtual/kfd/kfd
nodes ['0', '1'] live
caches True
target 110000 128
version (1, 17)
vm EINVAL EINVAL (3, GPU)
page True 1 b'hello'
missing page EFAULT
buffer b'data'
event 1 1 (1, 0) 0 1
queue EINVAL
flush
child EBADF
closed EBADF
"""


def under(*program):
    env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0", LC_ALL="C")
    return subprocess.run([BREAKWATER, "exec", "--", *program], env=env, capture_output=True, text=True, timeout=TIMEOUT_S)


def a_program_of_kfd():
    done = under(sys.executable, "-c", PROGRAM)
    equal(re.sub(r"\(\d+, \d{3,}\)", "(3, GPU)", done.stdout), EXPECTED, f"the program's output ({done.stderr})")


GPU = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id) /dev/dri/renderD128"


def dispatch(*ends):
    """kfd.c once for each word, one after the other on the same GPU; "": to its end."""
    program, code = sys.argv[1:3]
    return under("sh", "-c", "".join(f"{program} {code} {GPU} {end}\n" for end in ends))


DISPATCHED = "queue made\nevent came, signal 0, 0 of 1000 wrong, read index 1\n"


def kernels():
    """What the program prints in the guest (tests/linux/test_driver.py), and again by the next program."""
    done = dispatch("", "")
    equal(done.stdout, 2 * (DISPATCHED + "queue destroyed with its waves\n"), f"two programs ({done.stderr})")


def programs_that_die():
    """Each is killed while its kernel runs. There are eight VMIDs: a ninth program needs one that was given back."""
    done = dispatch(*["killed"] * 9, "")
    equal(done.stdout, 9 * DISPATCHED + DISPATCHED + "queue destroyed with its waves\n", f"ten programs ({done.stderr})")


def packets_that_cannot_be_executed():
    """KFD's bits for them: EC_QUEUE_PACKET_UNSUPPORTED (20) and EC_QUEUE_PACKET_DISPATCH_CODE_INVALID (18), from 1 on."""
    done = dispatch("bad-packet", "bad-kernel", "")
    equal(done.stdout, DISPATCHED + f"error event came, payload {1 << 19:#x}\n" + DISPATCHED + f"error event came, payload {1 << 17:#x}\n" +
          DISPATCHED + "queue destroyed with its waves\n", f"three programs ({done.stderr})")
    check(done.stderr.count("KFD: queue 0 of kfd pid") == 2, f"the log says which queue: {done.stderr!r}")


# What the program prints in the guest, too (tests/linux/test_driver.py).
MONITOR = "monitor of another GPU: Invalid argument; nothing to read: Resource temporarily unavailable; mask: 8 bytes\n"
MONITORED = 2 * MONITOR + "monitored: 1 ready, event 1 of this one, process kfd\nmonitored: 0 ready, event 0 of none, process \n"


def a_monitor():
    """A page fault as a line of a file of SMI_EVENTS; another file, which wants other events, has nothing."""
    done = dispatch("monitored", "monitored")
    equal(done.stdout, 2 * (DISPATCHED + MONITORED), f"what the program prints ({done.stderr})")


def a_queue_that_pauses():
    """A packet that comes while the queue has no share of the GPU (UPDATE_QUEUE) waits; with the debugger's agent, too."""
    program, code = map(os.path.abspath, sys.argv[1:3])
    expected = DISPATCHED + "paused, signal 1, 0 waves begun, read index 1\nevent came, signal 0, 0 of 1000 wrong, read index 2\n"
    done = dispatch("paused")
    equal(done.stdout, expected, f"what the program prints ({done.stderr})")
    followed = run("--", "sh", "-c", f"exec {program} {code} {GPU} paused", script=["run"])
    check(expected in followed, followed)
    ended = "event came, signal 0, 0 of 1000 wrong, read index 2\n"
    done = dispatch("drained")
    equal(done.stdout, DISPATCHED + "drained, signal 0, 32 waves begun, read index 2\nback, 32 waves begun\n" + ended,
          f"a kernel that runs ends first, and once ({done.stderr})")
    done = dispatch("moved")
    equal(done.stdout, DISPATCHED + ended, f"a packet in another ring ({done.stderr})")


def memory_by_a_dma_buf():
    """A kernel writes to memory that was exported and imported again, at the address of the import; the debugger reads it there."""
    done = dispatch("imported")
    equal(done.stdout, DISPATCHED + "queue destroyed with its waves\n", f"what the program prints ({done.stderr})")
    program, code = map(os.path.abspath, sys.argv[1:3])
    text = run("--", "sh", "-c", f"exec {program} {code} {GPU} imported", script=[
        "break on dispatch", "run", "stepi 18", "x/4dw ((unsigned long)$s5 << 32) + $s4", "kill"])
    check(re.search(r"^0x\w+:\t7\t10\t13\t16$", text, re.M), text)


def other_rings():
    """Queues of SDMA and of PM4 packets, as in the guest (tests/linux/test_driver.py); and again, after an engine's queue was
    stopped by a packet that it does not know, which Linux does not tell of."""
    done = under("sh", "-c", 2 * f"{sys.argv[3]} {GPU} unknown\n")
    rings = ("SDMA: event came, copy right, read pointer reported\nSDMA: pauses, then written\n"
             "PM4: written, read pointer reported\nPM4: pauses, then written\n")
    rings += "PM4: in a buffer pauses, then the rest is written\nSDMA: in a buffer pauses, then the rest is written\n"
    equal(done.stdout, 2 * (rings + "SDMA: the queue of an unknown packet destroyed\n"), f"two programs ({done.stderr})")
    check(re.search(r"KFD: queue 0 of kfd_rings pid \d+ stopped: SDMA packet opcode 0xfe", done.stderr), f"the log says why: {done.stderr!r}")


def no_sdma_in_a_capture():
    """A capture does not see SDMA queues: a program that is captured gets none, as if all were taken."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([BREAKWATER, "capture", "-o", f"{folder}/x.bwc", "--", "sh", "-c", f"{sys.argv[3]} {GPU}"],
                              capture_output=True, text=True, timeout=TIMEOUT_S)
    check("CREATE_QUEUE: Cannot allocate memory\n" in done.stdout, f"the program's first queue is of SDMA packets: {done.stdout}{done.stderr}")


def debugging_by_calls():
    """KFD's debug calls, of a program's parent: their answers are Linux's (tests/linux/test_driver.py); waves are saved and go on."""
    done = under("sh", "-c", f"exec {sys.argv[4]} {sys.argv[2]} {GPU}")
    equal(done.stdout, pathlib.Path(__file__).with_name("kfd_debug.txt").read_text(), f"what the calls answer ({done.stderr})")
    done = under("sh", "-c", f"exec {sys.argv[4]} {sys.argv[2]} {GPU} gone")
    ends = "QUEUE_SNAPSHOT: 0\nSUSPEND: 1\nended: 9\nprogram: event came, signal 0, 0 of 1000 wrong, 32 waves begun\nended: 0\n"
    check(done.stdout.endswith(ends), f"a debugger that is killed gives the queue back: {done.stdout}{done.stderr}")


main(a_program_of_kfd, kernels, programs_that_die, packets_that_cannot_be_executed, a_monitor, a_queue_that_pauses, memory_by_a_dma_buf, other_rings, no_sdma_in_a_capture,
     debugging_by_calls)
