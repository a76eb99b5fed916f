#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""breakwater doctor on file trees made up here: what it finds, and what it advises."""
import json
import os
import pathlib
import subprocess
import tempfile

from harness import BREAKWATER, TIMEOUT_S, check, equal, main

PCI = "0000:03:00.0"


class Machine:
    """A machine with one Navi31 on which everything is as it should be; methods spoil it."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.file("proc/sys/kernel/osrelease", "6.12.43-amd64\n")
        self.file("sys/kernel/security/lockdown", "[none] integrity confidentiality\n")
        device = f"sys/devices/pci0000:00/{PCI}"
        self.file(f"{device}/vendor", "0x1002\n")
        self.file(f"{device}/power_dpm_force_performance_level", "auto\n")
        for name, value in (("major", 11), ("minor", 0), ("revision", 0)):
            self.file(f"{device}/ip_discovery/die/0/GC/0/{name}", f"{value}\n")
        self.link(f"{device}/driver", "../../../bus/pci/drivers/amdgpu")
        self.link("sys/class/drm/renderD128/device", f"../../../devices/pci0000:00/{PCI}")
        for name in ("amdgpu_regs2", "amdgpu_gca_config", "amdgpu_vram", "amdgpu_iomem", "amdgpu_gfxoff"):
            self.file(f"sys/kernel/debug/dri/{PCI}/{name}", "")
        self.file("dev/dri/renderD128", "")
        # Linux 6.12 shows the first of several values alone.
        self.file("sys/module/amdgpu/parameters/lockup_timeout", "3600000\n")
        self.file("etc/modprobe.d/amdgpu.conf", "# an hour\noptions amdgpu dc=0 lockup_timeout=3600000,3600000,3600000,3600000\n")
        self.file("sys/module/amdgpu/parameters/gpu_recovery", "0\n")
        for tool in ("clang-19", "ld.lld-19", "glslangValidator", "spirv-as"):
            os.chmod(self.file(f"usr/bin/{tool}", ""), 0o755)
        self.file("usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc", "")
        self.file("usr/share/vulkan/icd.d/radeon_icd.x86_64.json", "{}")
        self.file("dev/kfd", "")

    def file(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def link(self, name, target):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def remove(self, name):
        (self.root / name).unlink()

    def level(self, text):
        name = f"sys/devices/pci0000:00/{PCI}/power_dpm_force_performance_level"
        if text:
            self.file(name, f"{text}\n")
        else:
            self.remove(name)

    def doctor(self, *args):
        return subprocess.run([BREAKWATER, "doctor", "--root", self.root, *args], capture_output=True, text=True,
                              timeout=TIMEOUT_S)

    def findings(self, status):
        done = self.doctor("--json")
        equal(done.returncode, status, f"the status of doctor, which said {done.stdout}{done.stderr}")
        return {f["what"]: f for f in json.loads(done.stdout)["findings"]}


def all_is_well():
    with tempfile.TemporaryDirectory() as folder:
        m = Machine(folder)
        spoiled = {k: f for k, f in m.findings(0).items() if f["verdict"] != "ok"}
        equal(spoiled, {}, "what is wrong with a machine on which all is right")
        text = m.doctor().stdout
        check("To get the rest" not in text, f"it advises without need: {text}")
        check("Hardware can be debugged here." in text, f"it does not say so: {text}")


def what_is_wrong_is_named():
    cases = [
        # how it is spoiled; what is found; verdict; in the finding; in the remedy; status
        (lambda m: m.file("proc/sys/kernel/osrelease", "5.15.0-91-generic\n"), "kernel", "missing", "5.15", "6.1", 1),
        (lambda m: m.file("sys/kernel/security/lockdown", "none [integrity] confidentiality\n"), "lockdown", "missing",
         "locked down", "Secure Boot", 1),
        (lambda m: m.remove("dev/dri/renderD128"), "/dev/dri/renderD128", "missing", "does not exist", "device node", 1),
        (lambda m: m.remove(f"sys/kernel/debug/dri/{PCI}/amdgpu_regs2"), "amdgpu_regs2", "missing", "not there", None, 1),
        (lambda m: m.file(f"sys/devices/pci0000:00/{PCI}/ip_discovery/die/0/GC/0/major", "10\n"), "generation", "missing",
         "10.0.0", "RDNA3", 1),
        (lambda m: m.file("sys/module/amdgpu/parameters/lockup_timeout", "\n"), "lockup_timeout", "note", "default",
         "amdgpu.lockup_timeout", 0),
        (lambda m: m.file("sys/module/amdgpu/parameters/lockup_timeout", "-1,5000,-1,-1\n"), "lockup_timeout", "note",
         "5000 ms", "amdgpu.lockup_timeout", 0),
        (lambda m: m.file("sys/module/amdgpu/parameters/lockup_timeout", "-1,-1,-1,-1\n"), "lockup_timeout", "ok", "-1", None, 0),
        (lambda m: m.file("sys/module/amdgpu/parameters/lockup_timeout", "-1\n"), "lockup_timeout", "note",
         "does not show that of compute", "3600000,3600000", 0),
        (lambda m: m.remove("etc/modprobe.d/amdgpu.conf"), "lockup_timeout", "note", "does not show that of compute", "3600000,3600000", 0),
        (lambda m: m.file("etc/modprobe.d/amdgpu.conf", "options amdgpu lockup_timeout=3600000\n"), "lockup_timeout", "note",
         "not for compute", "3600000,3600000", 0),
        (lambda m: m.file("etc/modprobe.d/amdgpu.conf", "options amdgpu lockup_timeout=3600000,9000\n"), "lockup_timeout", "note",
         "9000 ms", "3600000,3600000", 0),
        (lambda m: m.file("proc/cmdline", "quiet amdgpu.lockup_timeout=3600000,7000 ro\n"), "lockup_timeout", "note", "7000 ms",
         "3600000,3600000", 0),
        (lambda m: m.file("sys/module/amdgpu/parameters/gpu_recovery", "-1\n"), "gpu_recovery", "note", "reset", None, 0),
        (lambda m: m.remove(f"sys/kernel/debug/dri/{PCI}/amdgpu_gfxoff"), "GFXOFF", "note", "cannot be switched off",
         "echo profile_standard", 0),
        (lambda m: (m.remove(f"sys/kernel/debug/dri/{PCI}/amdgpu_gfxoff"), m.level("profile_peak")), "GFXOFF", "ok", "is off", None, 0),
        (lambda m: (m.remove(f"sys/kernel/debug/dri/{PCI}/amdgpu_gfxoff"), m.level(None)), "GFXOFF", "note", "cannot be switched off",
         None, 0),
        (lambda m: m.level("profile_peak"), "power level", "ok", "fixed clocks", None, 0),
        (lambda m: m.level("low"), "power level", "note", "slow until", None, 0),
        (lambda m: m.level(None), "power level", "ok", "not managed", None, 0),
        (lambda m: m.remove("usr/bin/clang-19"), "clang-19", "note", "not found", "apt-get install clang-19", 0),
        (lambda m: m.remove("usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc"), "device library", "note", "not found",
         "apt-get install rocm-device-libs (in Debian 13: rocm-device-libs-17)", 0),
        (lambda m: (m.remove("usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc"),  # Debian 13
                    m.file("usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode/ocml.bc", "")), "device library", "ok", "llvm-17", None, 0),
        (lambda m: m.remove("dev/kfd"), "/dev/kfd", "note", "HIP programs do not see the GPU", "CONFIG_HSA_AMD", 0),
        (lambda m: m.remove("usr/share/vulkan/icd.d/radeon_icd.x86_64.json"), "Vulkan driver", "note", "install mesa-vulkan-drivers",
         None, 0),
        (lambda m: (m.remove("usr/share/vulkan/icd.d/radeon_icd.x86_64.json"),  # NixOS
                    m.file("run/opengl-driver/share/vulkan/icd.d/radeon_icd.x86_64.json", "{}")), "Vulkan driver", "ok",
         "/run/opengl-driver/", None, 0),
        (lambda m: m.file(".flatpak-info", ""), "sandbox", "note", "flatpak", "flatpak-spawn --host", 0),
        (lambda m: m.file(".dockerenv", ""), "sandbox", "note", "a container", "--device /dev/kfd", 0),
        (lambda m: m.file("run/.containerenv", ""), "sandbox", "note", "a container", "--device /dev/kfd", 0),
        (lambda m: m.file("proc/sys/kernel/osrelease", "6.6.87.2-microsoft-standard-WSL2\n"), "WSL", "note", "no amdgpu", None, 0),
        (lambda m: m.file("proc/sys/kernel/yama/ptrace_scope", "3\n"), "ptrace_scope", "ok", "without ptrace", None, 0),
        (lambda m: m.file(f"sys/devices/pci0000:00/{PCI}/vendor", "0x8086\n"), "AMD GPU", "note", "virtual GPU", None, 1),
    ]
    for spoil, what, verdict, words, remedy, status in cases:
        with tempfile.TemporaryDirectory() as folder:
            m = Machine(folder)
            spoil(m)
            f = m.findings(status)
            check(what in f, f"nothing is said about {what}: {list(f)}")
            equal(f[what]["verdict"], verdict, f"{what}: {f[what]['finding']}")
            check(words in f[what]["finding"], f"{what}: {f[what]['finding']!r} lacks {words!r}")
            got = f[what].get("remedy")
            check(remedy in got if remedy else got is None, f"{what}: the remedy is {got!r}")


def an_empty_machine():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([BREAKWATER, "doctor", "--root", folder], capture_output=True, text=True, timeout=TIMEOUT_S)
        equal(done.returncode, 1, "the status where there is nothing")
        check("Nothing can be debugged here yet." in done.stdout, done.stdout)


def an_override():
    done = subprocess.run([BREAKWATER, "doctor"], env=dict(os.environ, HSA_OVERRIDE_GFX_VERSION="10.3.0"), capture_output=True,
                          text=True, timeout=TIMEOUT_S)
    check("10.3.0: HIP programs load code for this GPU" in done.stdout, done.stdout)


def two_gpus():
    with tempfile.TemporaryDirectory() as folder:
        m = Machine(folder)
        device = "sys/devices/pci0000:00/0000:0a:00.0"
        m.file(f"{device}/vendor", "0x1002\n")
        m.link(f"{device}/driver", "../../../bus/pci/drivers/amdgpu")
        m.link("sys/class/drm/renderD129/device", "../../../devices/pci0000:00/0000:0a:00.0")
        check("what --gpu names" in m.findings(0)["GPUs"]["finding"], m.doctor().stdout)


def this_machine():
    done = subprocess.run([BREAKWATER, "doctor", "--json"], capture_output=True, text=True, timeout=TIMEOUT_S)
    equal(done.returncode, 0, f"the status here, with {done.stdout}{done.stderr}")
    equal(json.loads(done.stdout)["virtual"], True, "the virtual GPU works")


if __name__ == "__main__":
    main(all_is_well, what_is_wrong_is_named, an_empty_machine, two_gpus, an_override, this_machine)
