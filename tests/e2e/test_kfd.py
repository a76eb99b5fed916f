# SPDX-License-Identifier: MIT
"""/dev/kfd under `breakwater exec`, as a program finds it that is not told of the virtual GPU: the node, its description in
sysfs, calls with descriptors and memory of the program. The calls themselves: tests/vgpu/uapi/test_kfd.c."""
import os
import re
import subprocess
import sys

from harness import BREAKWATER, TIMEOUT_S, check, equal, main

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


def a_program_of_kfd():
    env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0", LC_ALL="C")
    done = subprocess.run([BREAKWATER, "exec", "--", sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    equal(re.sub(r"\(\d+, \d{3,}\)", "(3, GPU)", done.stdout), EXPECTED, f"the program's output ({done.stderr})")
    check("KFD's CREATE_QUEUE is not supported" in done.stderr and "breakwater vgpu linux" in done.stderr,
          f"what is not supported is named: {done.stderr!r}")


main(a_program_of_kfd)
