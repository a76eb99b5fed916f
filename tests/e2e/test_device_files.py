# SPDX-License-Identifier: MIT
"""What stock tools find of the virtual GPU below /sys and /sys/kernel/debug under `breakwater exec`. Expected
values are those that the kernel's interface has (doc/hardware/kernel-interface.md), and that files which say
the same thing agree."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from harness import SOURCE, TIMEOUT_S, check, equal, main

BREAKWATER = pathlib.Path(os.environ["BREAKWATER_BUILD"]) / "breakwater"
PCI = "0000:03:00.0"
# What reads until an error, or for ever as on hardware, or resets the GPU when read.
NOT_WHOLE = {"amdgpu_regs", "amdgpu_regs2", "amdgpu_gprwave", "amdgpu_gpr", "amdgpu_wave", "amdgpu_iomem",
             "amdgpu_vram", "amdgpu_gpu_recover", "amdgpu_gfxoff", "amdgpu_sensors"}


def under(*program, status=0):
    # The programs leave memory behind, which is not our leak.
    env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0", LC_ALL="C")
    done = subprocess.run([BREAKWATER, "exec", "--", *program], env=env, capture_output=True, timeout=TIMEOUT_S)
    equal(done.returncode, status, f"status of {program}: {done.stderr.decode()}")
    return done.stdout, done.stderr.decode()


def bash(script, status=0):
    out, err = under("bash", "-c", script, status=status)
    return out.decode(), err


def listings():
    """ls and find name the files, and give no error."""
    out, err = bash("ls /sys/kernel/debug /sys/kernel/debug/dri; ls /sys/kernel/debug/dri/0; ls /sys/class/drm;"
                    "ls /sys/bus/pci/devices; ls /sys/class/hwmon")
    equal(err, "", "errors of ls")
    for name in ("dri", "0", "128", PCI, "name", "amdgpu_regs2", "amdgpu_ring_gfx_0.0.0", "card0", "renderD128",
                 "hwmon0"):
        check(name in out.split(), f"{name} is listed in {out}")
    out, err = bash("find /sys/kernel/debug/dri /sys/class/drm/card0/ /sys/class/hwmon/hwmon0/ "
                    f"/sys/bus/pci/devices/{PCI}/ | sort | uniq -d")
    equal((out, err), ("", ""), "find")
    by_number, _ = bash("ls -l /sys/kernel/debug/dri/128/")
    by_name, _ = bash(f"ls -l /sys/kernel/debug/dri/{PCI}/")
    columns = lambda text: [(line.split()[:5], line.split()[-1]) for line in text.splitlines()[1:]]
    equal(columns(by_number), columns(by_name), "128 and the PCI name")
    rows = {name: (row[0], row[2], row[4]) for row, name in columns(by_name)}
    # modes: amdgpu_debugfs.c and amdgpu_ring.c; sizes: of BAR5, of VRAM, of a ring of 64 KiB with its head
    equal(rows["amdgpu_regs"], ("-r--------", "root", str(1 << 20)), "amdgpu_regs")
    equal(rows["amdgpu_vram"], ("-r--r--r--", "root", "25753026560"), "amdgpu_vram")
    equal(rows["amdgpu_ring_sdma0"], ("-r--r--r--", "root", str(65536 + 12)), "amdgpu_ring_sdma0")


def texts():
    """cat reads every file of text, by whatever way it gets there."""
    names, _ = bash("ls /sys/kernel/debug/dri/0/")
    whole = [n for n in names.split() if n not in NOT_WHOLE]
    check(len(whole) > 10, f"most files are read: {whole}")
    _, err = bash("cd /sys/kernel/debug/dri/0 && cat " + " ".join(whole) + " > /dev/null")
    equal(err, "", "errors of cat in debugfs")
    _, err = bash("find /sys/class/drm/card0/device/ /sys/class/hwmon/hwmon0/ -type f -perm -444 -exec cat {} + > /dev/null")
    equal(err, "", "errors of cat in sysfs")
    want = f"amdgpu dev={PCI} unique={PCI}\n"
    out, _ = bash("cd /sys/kernel/debug/dri/0; cat name; cat ./name; cat < name; cat ../128/name; cp name /dev/fd/1;"
                  "awk 1 name; while read -r l; do echo \"$l\"; done < name; sed p -n name; head -n1 name; pwd; "
                  "readlink /proc/self/cwd; cd /; cat $OLDPWD/name")
    folder = f"/sys/kernel/debug/dri/0\n/sys/kernel/debug/dri/{PCI}\n"
    equal(out, want * 9 + folder + want, "name, in many ways")


def doctor():
    """Breakwater's own: the GPU by its PCI address, which it takes from a link, and the files below that."""
    out, _ = under(BREAKWATER, "doctor", "--json")
    verdicts = {f["what"]: f["verdict"] for f in json.loads(out)["findings"]}
    for what in (PCI, "amdgpu_regs2", "amdgpu_gca_config", "amdgpu_vram", "amdgpu_iomem", "GFXOFF"):
        equal(verdicts.get(what), "ok", f"doctor about {what}")


def numbers():
    """What has positions is read at them, by system calls and by streams."""
    out, _ = under(sys.executable, "-c", """
import fcntl, os, struct
D = "/sys/kernel/debug/dri/0/"
config = struct.unpack("36I", open(D + "amdgpu_gca_config", "rb").read())
print(config[29] == int(open("/sys/class/drm/card0/device/device").read(), 16))
# GB_ADDR_CONFIG through both files of registers, by address; the position of regs2 stays
at = 4 * (0x1260 + 0x13de)
fd = os.open(D + "amdgpu_regs2", os.O_RDWR)
fcntl.ioctl(fd, 0xc02c2001, struct.pack("11I", *[0] * 11))
os.lseek(fd, at, 0)
by_regs2 = os.read(fd, 4), os.read(fd, 4), os.pread(fd, 4, at)
print(set(by_regs2) == {struct.pack("<I", config[22])}, os.lseek(fd, 0, 1) == at)
with open(D + "amdgpu_regs", "rb", buffering=0) as f:
    f.seek(at)
    print(f.read(4) == by_regs2[0], f.tell() == at + 4, f.seek(0, 2) == 1 << 20)
with open(D + "amdgpu_vram", "r+b", buffering=0) as f:
    print(f.seek(0, 2) == int(open("/sys/class/drm/card0/device/mem_info_vram_total").read()))
    f.seek(0x4000000)
    f.write(b"breakwater! ")
    f.seek(0x4000000)
    print(f.read(12))
print(os.fstat(fd).st_mode == 0o100400, os.readlink("/proc/self/fd/%d" % fd))
for flags in os.O_RDWR, os.O_WRONLY | os.O_TRUNC:
    for name in "vendor", "pp_dpm_sclk":
        try:
            os.open("/sys/class/drm/card0/device/" + name, flags)
        except PermissionError:
            print("no", name)
""")
    equal(out.decode().splitlines(), ["True", "True True", "True True True", "True", "b'breakwater! '",
                                      f"True /sys/kernel/debug/dri/{PCI}/amdgpu_regs2"] +
          ["no vendor", "no pp_dpm_sclk"] * 2, "numbers")
    # od reads by a stream, which may have no buffer; the shell's printf writes past write()
    out, _ = bash("cd /sys/kernel/debug/dri/0; od -An -t x4 -j116 -N4 amdgpu_gca_config; od -An -t x4 "
                  f"-j{4 * (0x1260 + 0x13de)} -N4 amdgpu_regs; od -An -t x4 -N4 amdgpu_gfxoff;"
                  "printf '\\0\\0\\0\\0' > amdgpu_gfxoff; od -An -t x4 -N4 amdgpu_gfxoff")
    equal(out.split(), ["0000744c", "00000545", "00000001", "00000000"], "od")
    # umr says nothing of a write
    out, _ = bash(f"{BREAKWATER} umr -go 0; {BREAKWATER} umr -go; {BREAKWATER} umr -go x 2>&1; {BREAKWATER} umr -go")
    stays = "GFXOFF status: 0 (the block stays on)"
    equal(out.splitlines(), [stays, 'umr: -go takes 0 (the block stays on) or 1 (it may power down), not "x".', stays], "umr -go")


def images():
    """The VBIOS and the discovery table, by the offsets of atom.h, atombios.h and discovery.h of Linux 6.12; they
    say what sysfs says."""
    out, _ = under(sys.executable, "-c", """
import os, struct
D, S = "/sys/kernel/debug/dri/0/", "/sys/class/drm/card0/device/"
bios = open(D + "amdgpu_vbios", "rb").read()
print(bios[:2] == b"\\x55\\xaa", len(bios) == 256 << 10, not any(bios[bios[2] * 512:]), bios[0x30:0x3a] == b" 761295520")
name = open(S + "vbios_version").read().strip()
print(bios[0x80:].split(b"\\0")[0].decode() == name, "VBIOS version: " + name in open(D + "amdgpu_firmware_info").read())
image = open(D + "amdgpu_discovery", "rb").read()
signature, _, _, checksum, size = struct.unpack_from("<I4H", image)
print(len(image), hex(signature), sum(image[10:size]) & 0xffff == checksum)
(at,) = struct.unpack_from("<H", image, 12)
_, _, _, _, n_dies, _, die = struct.unpack_from("<IHHIHHH", image, at)
_, n_blocks = struct.unpack_from("<HH", image, die)
print(n_dies, n_blocks == int(open(S + "ip_discovery/die/0/num_ips").read()))
""")
    equal(out.decode().splitlines(), ["True True True True", "True True", "10240 0x28211407 True", "1 True"], "images")


def sensors():
    """By numbers and units of kgd_pp_interface.h and smu_v13_0_0_ppt.c; what hwmon says in its own units."""
    out, _ = under(sys.executable, "-c", """
import os
fd = os.open("/sys/kernel/debug/dri/0/amdgpu_sensors", os.O_RDONLY)
value = lambda n: int.from_bytes(os.pread(fd, 4, 4 * n), "little")
monitor = lambda name: int(open("/sys/class/hwmon/hwmon0/" + name).read())
print(value(25) * 10000 == 2371 * 1000000, value(3) == monitor("in0_input"), value(10) // 10000 == monitor("temp1_input") // 10000)
print(value(15) >> 8 == monitor("power1_average") // 1000000, value(15) & 0xff)
for size, number in (4, 12), (8, 0), (2, 0):
    try:
        os.pread(fd, size, 4 * number)
    except OSError as e:
        print(e.strerror)
print(len(os.read(fd, 4)), os.lseek(fd, 0, os.SEEK_CUR))
""")
    equal(out.decode().splitlines(), ["True True True", "True 0", "Operation not supported"] + ["Invalid argument"] * 2 +
          ["4 0"], "sensors")


def rings():
    """As amdgpu_ring_clear_ring and amdgpu_ring_commit of Linux 6.12 leave them: NOPs where nothing was put (gfx11's
    is a header alone, SDMA's 0), and behind a submission up to the next multiple of 256 words, the first of which
    says how many follow."""
    with tempfile.TemporaryDirectory() as folder:
        code = pathlib.Path(folder) / "saxpy.co"
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-x", "assembler",
                        SOURCE / "examples" / "saxpy.s", "-o", code], check=True, timeout=TIMEOUT_S)
        out, _ = under(sys.executable, "-c", f"""
import struct, subprocess
def ring(name):
    f = open("/sys/kernel/debug/dri/0/amdgpu_ring_" + name, "rb", buffering=0)
    words = struct.unpack("<16387I", f.read(65548))
    return words[:3], words[3:]
names = ["comp_1.%d.0" % i for i in range(4)]
print(*sorted(hex(w) for n in names + ["gfx_0.0.0"] for w in set(ring(n)[1])), set(ring("sdma0")[1]))
subprocess.run(["{BREAKWATER}-launch", "{code}", "--grid", "64", "--group", "64", "--arg", "a=2.0", "--arg",
                "x=iota:64", "--arg", "y=fill:64:1", "--arg", "out=zeros:64"], check=True, stdout=subprocess.DEVNULL)
(used,) = [ring(n) for n in names if ring(n)[0][1]]
(read, write, driver), words = used
print(read == write == driver, write % 256, write > 0, set(words[write:]) == {{0xffff1000}})
last = max(i for i in range(write) if words[i] != 0xffff1000)
print(hex(words[last]) == hex(0xc0001000 | (write - last - 2) << 16))
""")
    equal(out.decode().splitlines(), [" ".join(["0xffff1000"] * 5) + " {0}", "True 0 True True", "True"], "rings")


def unplugged():
    """As a shell does it: the nodes go, programs that come find none, and after a scan of the bus all is as before."""
    out, err = bash(f"ls /dev/dri; echo 1 > /sys/bus/pci/devices/{PCI}/remove; ls /dev/dri /sys/class/drm /sys/kernel/debug/dri;"
                    "test -e /sys/class/drm/card0/device || echo gone; echo 1 > /sys/bus/pci/rescan; ls /dev/dri;"
                    "cat /sys/class/drm/card0/device/vendor; echo 1 > /sys/bus/pci/rescan; cat /sys/kernel/debug/dri/0/name")
    equal(out.split(), ["card0", "renderD128", "/dev/dri:", "/sys/class/drm:", "/sys/kernel/debug/dri:", "gone", "card0", "renderD128",
                        "0x1002", "amdgpu", f"dev={PCI}", f"unique={PCI}"], "what is there")
    check(err.count("finishing device") == 1 and err.count("initialized amdgpu on minor 0") == 1, f"the kernel's log: {err}")
    _, err = under(sys.executable, "-c", f"open('/sys/bus/pci/devices/{PCI}/remove', 'wb', 0).write(b'no')", status=1)
    check("Invalid argument" in err, f"no number: {err}")


if __name__ == "__main__":
    main(listings, texts, doctor, numbers, images, sensors, rings, unplugged)
