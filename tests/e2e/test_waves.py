#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looking at programs that run without a debugger. breakwater waves: what it shows of them, and that waves which it
has halted run on, whatever ends it; breakwater vm explain: what faulted last."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import harness
from harness import BREAKWATER, BUILD, KERNELS, TIMEOUT_S, Failure, check, equal, main
from looked_at import Gpu


def what_it_shows():
    with Gpu() as gpu:
        equal(gpu.waves(), [], "waves of an idle GPU")
        gpu.start("loop")
        waves = gpu.await_states(["running"] * 2)
        end = time.monotonic() + TIMEOUT_S
        # past its first instruction, in the two of the loop
        while not all(w["symbol"] in ("loop+4", "loop+8") for w in waves) and time.monotonic() < end:
            waves = gpu.waves()
        check(all(w["symbol"] in ("loop+4", "loop+8") for w in waves), f"functions: {waves}")
        equal(len({w["place"] for w in waves}), 2, "places")
        # a program under exec sees the GPU as a kernel's; PASIDs are in no fdinfo of another process there
        inside = json.loads(subprocess.run(gpu.command("exec", "--", *gpu.command("waves", "--json")), env=gpu.env,
                                           text=True, capture_output=True, timeout=TIMEOUT_S).stdout)["waves"]
        equal([(w["place"], w["process"], w["pid"]) for w in inside],
              [(w["place"], w["process"], w["pid"]) for w in waves], "waves seen under exec")
        equal({w["process"] for w in waves}, {"loop"}, "processes")
        equal({w["lanes"] for w in waves}, {32}, "lanes")
        equal({w["exec"] for w in waves}, {"0xffffffff"}, "EXEC")
        equal(len(gpu.waves("--vmid", "loop")), 2, "waves of the process by its name")
        equal(len(gpu.waves("--vmid", str(waves[0]["pid"]))), 2, "waves of the process by its number")
        equal(gpu.waves("--vmid", "0"), [], "waves of the driver")
        equal([w["place"] for w in gpu.waves(waves[1]["place"])], [waves[1]["place"]], "waves of a place")
        equal(len(gpu.waves("se*.w*")), 2, "waves of a pattern")

        halted = gpu.waves("--halt", "--registers")
        equal([w["state"] for w in halted], ["halted"] * 2, "states of a snapshot")
        groups = set()
        for w in halted:
            r = w["registers"]
            equal(len(r["sgprs"]), 108, "SGPRs")
            # work-items of a group of 32, and what each lane counts by itself, in step with the others
            equal([int(v, 16) & 0x3ff for v in r["vgprs"][0]], list(range(32)), "v0")
            equal(len(set(r["vgprs"][1])), 1, "v1 in all lanes")
            groups.add(int(r["sgprs"][2], 16))
        equal(groups, {0, 1}, "workgroups in s2")
        gpu.await_states(["running"] * 2)

        text = subprocess.run(gpu.command("waves", "--halt", "--registers", waves[0]["place"]), env=gpu.env, text=True,
                              capture_output=True, timeout=TIMEOUT_S).stdout.splitlines()
        check(text[0].startswith("Place ") and waves[0]["place"] in text[1] and "halted" in text[1], text[:2])
        check(any(line.startswith("  s0 ") for line in text) and any(line.startswith("  v7 ") for line in text), text)
        gpu.await_states(["running"] * 2)


def what_ends_it():
    """Enter, the end of input, signals, and the one that cannot be caught."""
    with Gpu() as gpu:
        gpu.start("loop")
        gpu.await_states(["running"] * 2)
        for ending in ("Enter", "end of input", signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            p = subprocess.Popen(gpu.command("waves", "--halt", "--keep"), env=gpu.env, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            lines = []
            while not lines or not lines[-1].startswith("All waves of the GPU are halted."):
                lines.append(p.stdout.readline())
                check(lines[-1], f"{ending}: it ended, having said {lines}")
            equal([w["state"] for w in gpu.waves()], ["halted"] * 2, f"{ending}: states before it")
            if ending == "Enter":
                p.stdin.write("\n")
                p.stdin.flush()
            elif ending != "end of input":
                p.send_signal(ending)
            p.communicate(timeout=TIMEOUT_S)
            gpu.await_states(["running"] * 2)
        # umr's own arguments; a pipe that nobody reads holds it while the waves are halted
        p = subprocess.Popen(gpu.command("umr", "-O", "bits,halt_waves", "-wa"), env=gpu.env, stdout=subprocess.PIPE,
                             pipesize=4096)
        gpu.await_states(["halted"] * 2)
        p.kill()
        p.wait()
        gpu.await_states(["running"] * 2)


def waves_that_others_halt():
    """halt.s halts itself: it stays halted where it was, while the others run on."""
    with Gpu() as gpu:
        gpu.start("halt")
        before = gpu.await_states(["halted"] * 2)
        equal([w["registers"]["m0"] for w in gpu.waves("--registers")], ["0x4d30"] * 2, "M0")
        text = subprocess.run(gpu.command("waves", "--registers"), env=gpu.env, text=True, capture_output=True,
                              check=True, timeout=TIMEOUT_S).stdout
        equal(re.findall(r"^  m0 +(\w+)$", text, re.M), ["00004d30"] * 2, "M0 as text")
        gpu.start("loop")
        gpu.await_states(["halted"] * 2 + ["running"] * 2)
        equal([w["state"] for w in gpu.waves("--halt")], ["halted"] * 4, "states of a snapshot")
        gpu.await_states(["running"] * 2, "--vmid", "loop")
        after = gpu.waves("--vmid", "halt")
        equal([(w["place"], w["state"], w["pc"]) for w in after], [(w["place"], w["state"], w["pc"]) for w in before],
              "waves that halted themselves")
        done = subprocess.run(gpu.command("umr", "-O", "bits,halt_waves", "-wa", "-wa"), env=gpu.env, text=True,
                              capture_output=True, check=True, timeout=TIMEOUT_S)
        equal(done.stdout.count("Main Registers:"), 8, "waves that umr shows, twice")
        gpu.await_states(["running"] * 2, "--vmid", "loop")
        equal([w["state"] for w in gpu.waves("--vmid", "halt")], ["halted"] * 2, "waves that umr has not halted")


def single_steps():
    """-ss of umr: halt.s has halted itself in front of the last two instructions of four bytes, and only what is halted
    is stepped."""
    with Gpu() as gpu:
        gpu.start("halt")
        wave = gpu.await_states(["halted"] * 2)[0]
        numbers = re.fullmatch(r"se(\d+)\.sa(\d+)\.wgp(\d+)\.simd(\d+)\.w(\d+)", wave["place"]).groups()
        step = lambda of: subprocess.run(gpu.command("umr", "-ss", ",".join(of)), env=gpu.env, text=True,
                                         capture_output=True, timeout=TIMEOUT_S)
        pc = int(wave["pc"], 16)
        name = "se%s.sa%s.wgp%s.simd%s.wave%s" % numbers
        equal(step(numbers).stdout, f"{name}: PC {pc:#x} => {pc + 4:#x}\n", "a step")
        equal([w["pc"] for w in gpu.waves(wave["place"])], [f"{pc + 4:#x}"], "the PC behind it")
        gpu.start("loop")
        running = next(w["place"] for w in gpu.await_states(["halted"] * 2 + ["running"] * 2)
                       if w["state"] == "running")
        refused = step(re.findall(r"\d+", running))
        check(refused.returncode == 2 and "only a halted one can be stepped" in refused.stderr, refused.stderr)


def who_waits_for_whom():
    """loop.s in all 1,536 places for workgroups. A session, and programs under exec, capture, replay and breadcrumbs
    whose work waits for them are told whose they are, and so when a debugger stops them; when they end, all run. A
    session that is ended meanwhile does not wait until all waves have been looked at again and again."""
    with Gpu() as gpu:
        gpu.start("loop", "--grid", "49152")
        gpu.await_states(["running"], "se2.sa1.wgp3.simd0.w0")
        hog = gpu.waves("se2.sa1.wgp3.simd0.w0")[0]["pid"]
        held = r"Process \d+ waits for the GPU: 1536 waves of process %d \(loop\) fill it" % hog
        runs = held + r".* \(\"kill %d\"\); Ctrl-C ends this wait" % hog
        options = ["--grid", "32", "--group", "32", "--arg", "out=zeros:4"]
        code = pathlib.Path(gpu.folder.name) / "end.co"
        source = (KERNELS / "loop.s").read_text()
        (pathlib.Path(gpu.folder.name) / "end.s").write_text(re.sub(r"\bs_branch\b.*", "s_nop 0", source))
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-x", "assembler",
                        code.with_suffix(".s"), "-o", code], check=True, timeout=TIMEOUT_S)
        pipes = {"env": gpu.env, "text": True, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                 "stderr": subprocess.PIPE}
        launch = [BUILD / "breakwater-launch", code, *options]
        capture = code.with_suffix(".bwc")
        subprocess.run(gpu.command("capture", "--output", capture, "--", *launch), check=True, capture_output=True,
                       timeout=TIMEOUT_S)
        session = subprocess.Popen(gpu.command("run", "--batch", "-ex", "run", code, *options), **pipes)
        ended = subprocess.Popen(gpu.command("run", code, *options), **pipes)
        gpu.programs += [session, ended]
        line = session.stdout.readline()
        check(re.fullmatch(r"\[%s\]\n" % runs, line), f"the session says {line}")
        line = ended.stdout.readline()
        check(re.fullmatch(r"\[%s\]\n" % runs, line), f"the session that is ended says {line}")
        ended.send_signal(signal.SIGINT)
        programs = {name: subprocess.Popen(gpu.command(*words), **pipes) for name, words in {
            "exec": ["exec", "--", "sh", "-c", '"$@"; exit $?', "sh", *launch],
            "capture": ["capture", "--output", code.with_suffix(".new.bwc"), "--", *launch],
            "a ring": ["capture", "--last", "4", "--output", code.with_suffix(".ring.bwc"), "--", *launch],
            "breadcrumbs": ["exec", "--breadcrumbs", "--", *launch],
            "replay": ["replay", capture]}.items()}
        gpu.programs += programs.values()
        for name, p in programs.items():
            line = p.stderr.readline()
            check(re.fullmatch(r"breakwater: %s\.\n" % runs, line), f"{name} says {line}")
        out, err = ended.communicate(timeout=TIMEOUT_S)
        equal((ended.returncode, "Waiting for" in out), (130, False), f"status of the ended session, which says {out}{err}")
        with subprocess.Popen(gpu.command("waves", "--halt", "--keep"), env=gpu.env, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL) as debugger:
            for name, p in programs.items():
                line = p.stderr.readline()
                check(re.match(r"breakwater: %s, stopped in a debugger\. " % held, line),
                      f"of held waves {name} says {line}")
            debugger.kill()
        os.kill(hog, signal.SIGKILL)
        for name, p in {"session": session, **programs}.items():
            out, err = p.communicate(timeout=TIMEOUT_S)
            equal(p.returncode, 0, f"status of the {name}, which says {out}{err}")


def what_faulted_last():
    """The driver has cleared the registers, and the program has ended: the kernel log still says it. The page and
    the access are those of the command line and of unmapped.s."""
    with Gpu() as gpu:
        gpu.start("unmapped", "--arg", "addr=0x123456789abc")
        gpu.programs[-1].wait(timeout=TIMEOUT_S)
        done = subprocess.run(gpu.command("vm", "explain", "--json"), env=gpu.env, text=True, capture_output=True,
                              check=True, timeout=TIMEOUT_S)
        answer = harness.parse(done.stdout.strip())
        equal(answer["source"], "kernel log", "where the fault is from")
        equal(len(answer["faults"]), 1, "faults")
        fault = answer["faults"][0]
        equal((fault["address"], fault["process"], fault["hub"]), ("0x123456789000", "unmapped", "gc"), "the fault")
        check("read" in fault["access"], f"{fault}")
        # The registers keep a VMID's last page tables until somebody else gets it.
        if "verdict" in answer:
            equal((answer["address"], answer["verdict"]), ("0x123456789000", "not valid"), "what the page tables say")


def what_has_just_faulted():
    """Without interrupts the driver hears of no fault, and leaves the registers as the GPU has set them: page and
    access are those of the command line and of unmapped.s, client and process those of its only wave."""
    with Gpu() as gpu:
        subprocess.run(gpu.command("regs", "set", "IH_RB_CNTL", "RB_ENABLE=0"), env=gpu.env, capture_output=True,
                       check=True, timeout=TIMEOUT_S)
        gpu.start("unmapped", "--arg", "addr=0x123456789abc")
        answer, end = {"source": "none"}, time.monotonic() + TIMEOUT_S
        while answer["source"] == "none" and time.monotonic() < end:
            done = subprocess.run(gpu.command("vm", "explain", "--json"), env=gpu.env, text=True, capture_output=True,
                                  check=True, timeout=TIMEOUT_S)
            answer = harness.parse(done.stdout.strip())
        equal((answer["source"], len(answer["faults"])), ("registers", 1), "where the fault is from")
        fault = answer["faults"][0]
        equal((fault["address"], fault["hub"], fault["access"]), ("0x123456789000", "gc", "read"), "the fault")
        check(fault["client"].startswith("TCP"), f"client: {fault['client']}")
        equal((answer["vmid"], answer["address"]), (next(f["value"] for f in fault["fields"] if f["name"] == "VMID"),
                                                    "0x123456789000"), "what is walked")
        equal((answer["verdict"], answer["process_now"]), ("not valid", "unmapped"), "what the page tables say")
        check(answer["pid_now"] > 1, f"process: {answer['pid_now']}")


def user_queues():
    """Queues of programs' own, as Linux 7.1.8 shows them in debugfs (doc/hardware/kernel-interface.md 4.7): folders
    made up here, in the tree that is debugfs under exec. Their descriptors are those of two rings of the driver."""
    with Gpu() as gpu:
        dri = pathlib.Path(gpu.env["BREAKWATER_VGPU"]).parent / "root/sys/kernel/debug/dri"

        def queues(*args):
            done = subprocess.run(gpu.command("exec", "--", *gpu.command("queues", *args)), env=gpu.env, text=True,
                                  capture_output=True, timeout=TIMEOUT_S)
            check(done.returncode == 0, f"queues {args}: {done.stdout}{done.stderr}")
            return done.stdout

        def put(client, device, proc_info, infos):
            folder = dri / f"client-{client}"
            folder.mkdir()
            (folder / "device").symlink_to(f"../{device}")
            (folder / "proc_info").write_text(proc_info)
            for number, text in infos.items():
                (folder / f"queue_{number}").mkdir()
                (folder / f"queue_{number}" / "mqd_info").write_text(text)

        before = harness.parse(queues("--json"))
        check("user_queues" not in before, f"{before}")
        rings = {row["queue"]: row for row in before["queues"]}
        compute, graphics = rings["me1.pipe1.queue0"], rings["me0.pipe0.queue0"]
        put(5, "0000:03:00.0", "pid: 4711\ncomm: ga\x1b[31mme\n",
            {1: f"queue_type: 1\nmqd_gpu_address: 0xffff{int(compute['mqd'], 16):012x}\n",
             12: f"queue_type: 0\nmqd_gpu_address: {graphics['mqd']}\n",
             3: "queue_type: 2\nmqd_gpu_address: 0x1000\n", 4: "queue_type: 1\nmqd_gpu_address: 0x2000\n",
             6: "nonsense\n"})
        put(7, "0000:0a:00.0", "pid: 4712\ncomm: other\n", {1: "queue_type: 1\nmqd_gpu_address: 0x1000\n"})
        after = harness.parse(queues("--json", "--mqd"))
        rows = after["user_queues"]
        equal([(r["client"], r["queue"], r["kind"], r.get("mqd"), r["hardware_queue"]) for r in rows],
              [(5, 1, "compute", compute["mqd"], "me1.pipe1.queue0"), (5, 3, "copying", "0x1000", "not known"),
               (5, 4, "compute", "0x2000", "not mapped"), (5, 6, "not known", None, "the kernel does not tell"),
               (5, 12, "graphics", graphics["mqd"], "me0.pipe0.queue0")], "user queues")
        mqds = {m["queue"]: m["registers"] for m in after["mqds"]}
        equal(mqds["client 5 queue 1"], mqds["me1.pipe1.queue0"], "the descriptor of compute, by two ways")
        equal(int(mqds["client 5 queue 12"]["CP_GFX_HQD_BASE"], 16) << 8 |
              int(mqds["client 5 queue 12"].get("CP_GFX_HQD_BASE_HI", "0"), 16) << 40, int(graphics["base"], 16),
              "the ring in the descriptor of graphics")
        text = queues()
        check("\x1b" not in text and "ga\\033[31mme (4711)" in text, text)


if __name__ == "__main__":
    main(user_queues, what_it_shows, what_ends_it, waves_that_others_halt, single_steps, who_waits_for_whom,
         what_faulted_last, what_has_just_faulted)
