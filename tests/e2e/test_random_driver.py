#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A hostile driver: a client of `breakwater-vgpu --vfio-user` that writes random registers, doorbells, page tables, queue
descriptors, rings and code, as any guest can. It begins rings as a driver does, so that their packets are executed and
waves are launched. The server answers until the end and ends with its client, without a report of a sanitizer.

  test_random_driver.py [--gpu navi31|mi300x|raven2] [--seed N | --random] [--rounds N] [--batches N] [--seconds N]

Each round is a server of its own and prints its seed; `--seed N --rounds 1` plays one again."""
import argparse
import array
import fcntl
import mmap
import os
import pathlib
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

from harness import BUILD, SOURCE, TIMEOUT_S, Failure, check, equal, sanitizer_reports, with_reports

MIB = 1 << 20
VRAM_B, MEMORY_B = 256 * MIB, 16 * MIB
VRAM_MC = 0x8000 << 24  # where VMID 0 has VRAM before a driver moves it
# What is planted in VRAM, as offsets.
RINGS, RING_B, N_RINGS = 1 * MIB, 64 << 10, 16
DESCRIPTORS, IBS, CODE, TABLES, DATA = 4 * MIB, 8 * MIB, 16 * MIB, 32 * MIB, 64 * MIB
# doc/hardware/device.md 1
GPUS = ("navi31", "mi300x", "raven2")
GPU = next((gpu for gpu in GPUS if gpu in sys.argv), "navi31")  # which tables are read
SEGMENTS = {"navi31": {"gc-11.0.0": (0x1260, 0xA000, 0x1C000), "mmhub-3.0.0": (0x1A000,), "osssys-6.0.0": (0x10A0,), "hdp-6.0.0": (0xF20,)},
            "mi300x": {"gc-9.4.3": (0x2000, 0xA000), "mmhub-1.8.0": (0x1A000,), "osssys-4.4.2": (0x10A0,), "sdma-4.4.2": (0x1E000,)},
            "raven2": {"gc-9.0.0": (0x2000, 0xA000), "mmhub-1.0.0": (0x1A000,), "osssys-4.0.0": (0x10A0,), "sdma0-4.0.0": (0x1260,)}}[GPU]
KERNEL_ME = 3 if GPU == "navi31" else 2  # the micro engine of the driver's own queues
SH_BASE_DW = 0x2C00
BAR2, BAR5, CONFIG = 2, 5, 7
VERSION, DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO, SET_IRQS, REGION_READ, REGION_WRITE, RESET = 1, 2, 3, 4, 5, 8, 9, 10, 13
NO_REPLY = 0x10


def registers():
    """Dword addresses by name, of those in the register BAR."""
    found = {}
    for block, bases in SEGMENTS.items():
        for line in (SOURCE / f"data/regs/{block}.txt").read_text().splitlines():
            m = re.match(r"(\w+)\s+0x([0-9a-f]+)/(\d)", line)
            if m and int(m[3]) < len(bases):
                found[m[1]] = bases[int(m[3])] + int(m[2], 16)
    return found


def packets():
    """(opcode, least body) of PM4; (opcode, sub-opcode, least size) of SDMA."""
    pm4 = [(int(m[1], 16), int(m[2])) for m in re.finditer(r"^0x(\w\w) \w+\s+(\d+) ", (SOURCE / "data/pm4/packets.txt").read_text(), re.M)]
    sdma = [(int(m[1], 16), int(m[2], 16), int(m[3])) for m in
            re.finditer(r"^0x(\w\w) 0x(\w\w) \w+\s+(\d+)", (SOURCE / "data/pm4/sdma.txt").read_text(), re.M)]
    return pm4, sdma


def instructions():
    """Encodings of gfx11, one of each opcode, as lists of dwords."""
    rows = re.finditer(r'^\w+\s+".*"\s+((?:[0-9a-f]{8} ?)+)$', (SOURCE / "tests/golden/isa/decode.vec").read_text(), re.M)
    return [[int(w, 16) for w in m[1].split()] for m in rows]


REGISTERS = registers()
ADDRESSES = sorted(REGISTERS.values())
# Behind these the device has behaviour of its own.
LIVELY = [a for name, a in REGISTERS.items() if re.match(
    r"CP_HQD|CP_MQD|CP_GFX_(HQD|MQD)|CP_RB\d?_|CP_MES|CP_MEC|CP_INT_CNTL|SDMA[01]_(QUEUE0|CNTL)|IH_|GCVM_(CONTEXT|INVALIDATE|L2)|GCMC_VM|"
    r"MMVM_INV|MMMC_VM|VM_(CONTEXT|INVALIDATE|L2)|MC_VM|SDMA0?_(GFX|CNTL)|SQ_(IND|CMD|SHADER|DEBUG)|SH_MEM|SPI_GDBG|TCP_WATCH|GRBM_GFX|COMPUTE_|SPI_SHADER_(PGM|USER)|RLC_|GDS_", name)]
BUS = [0x0, 0x1, 0x6, 0x7, 0x14, 0x15, 0x53, 0xDE3, 0xE26, 0xE27, 0x1FC00]
PM4, SDMA = packets()
CODE_OF = instructions()
S_ENDPGM = 0xBFB00000
PLACES = (RINGS, DESCRIPTORS, IBS, CODE, TABLES, DATA, DATA)
# Only the one that is chosen is made: there are a hundred thousand in a round.
ODD_ADDRESSES = (lambda r, place: VRAM_MC + place + (r.getrandbits(18) << 2), lambda r, place: VRAM_MC + place + r.getrandbits(20),
                 lambda r, place: VRAM_MC + VRAM_B - r.getrandbits(6), lambda r, place: r.getrandbits(24), lambda r, place: place,
                 lambda r, place: r.getrandbits(48), lambda r, place: r.getrandbits(64))
WORDS = (lambda d, r: r.getrandbits(32), lambda d, r: r.getrandbits(8), lambda d, r: r.getrandbits(16), lambda d, r: 1 << r.getrandbits(5),
         lambda d, r: 0, lambda d, r: 0xFFFFFFFF, lambda d, r: d.address() & 0xFFFFFFFF, lambda d, r: d.address() >> 32,
         lambda d, r: d.address() >> 8 & 0xFFFFFFFF, lambda d, r: d.one_of(ADDRESSES))


class Driver:
    """The random choices of a round, as bytes for the server and for VRAM."""

    def __init__(self, seed, vram):
        self.random, self.vram = random.Random(seed), vram

    def one_of(self, choices):
        """random.choice, of which a round makes too many for its price."""
        return choices[int(self.random.random() * len(choices))]

    def word(self):
        return self.one_of(WORDS)(self, self.random)

    def address(self):
        """Mostly of something that is there."""
        r, place = self.random, self.one_of(PLACES)
        return self.one_of(ODD_ADDRESSES)(r, place) if r.random() < 0.3 else VRAM_MC + place + (r.getrandbits(12) << 8)

    def pm4(self):
        r = self.random
        op, least = r.choice(PM4)
        n = max(1, least + (r.randrange(4) if r.random() < 0.2 else 0))
        if r.random() < 0.02:
            n = r.randrange(1, 0x4000)
        return [3 << 30 | (n - 1 & 0x3FFF) << 16 | op << 8 | r.choice((0, 2)), *(self.word() for _ in range(min(n, 64)))]

    def set_sh(self, name, *values):
        return [3 << 30 | len(values) << 16 | 0x76 << 8 | 2, REGISTERS[name] - SH_BASE_DW, *values]

    def dispatch(self):
        """A dispatch of random code with a state that is mostly possible."""
        r = self.random
        code = VRAM_MC + CODE + r.randrange(0, MIB, 256)
        body = self.set_sh("COMPUTE_PGM_LO", code >> 8 & 0xFFFFFFFF, code >> 40)
        lds = 0x1FF << 15 if r.random() < 0.9 else 0
        body += self.set_sh("COMPUTE_PGM_RSRC1", r.getrandbits(32) & ~0x3F | r.randrange(16), r.getrandbits(32) & ~lds)
        body += self.set_sh("COMPUTE_NUM_THREAD_X", r.choice((1, 32, 64, self.word())), r.choice((1, 1, 1, 4)), 1)
        body += self.set_sh("COMPUTE_USER_DATA_0", *(self.word() for _ in range(8)))
        size = [r.choice((1, 2, 8)) if r.random() < 0.97 else self.word() for _ in range(3)]
        return body + [3 << 30 | 3 << 16 | 0x15 << 8 | 2, *size, r.choice((1, 0x8001, 0x45, self.word()))]

    def indirect(self):
        ib = VRAM_MC + IBS + self.random.randrange(0, MIB, 256)
        return [3 << 30 | 2 << 16 | 0x3F << 8, ib & 0xFFFFFFFF, ib >> 32, self.random.choice((64, 256, self.word()))]

    def mes(self):
        r = self.random
        header = 1 | r.randrange(24) << 4 | 64 << 12 if r.random() < 0.98 else self.word()
        if r.random() < 0.5:
            return [header, *(self.word() for _ in range(63))]
        # What has a meaning in some frame: flags, numbers of pipes and queues, doorbells, addresses.
        words = []
        while len(words) < 63:
            at = VRAM_MC + r.choice((DESCRIPTORS, TABLES, DATA)) + r.randrange(0, MIB, 4096)
            words += r.choice(([0], [1], [1 << r.randrange(15)], [2 * r.randrange(64)], [at & 0xFFFFFFFF, at >> 32]))
        return [header, *words[:63]]

    def process(self):
        """What KFD puts into a list: a process and its queues; and what ends them."""
        r = self.random
        tables, mqd, wptr = (VRAM_MC + place + r.randrange(0, MIB, 4096) for place in (TABLES, DESCRIPTORS, DATA))
        words = [0xC013A100, r.choice((0x8000 + r.randrange(20), self.word())), tables - VRAM_MC | 1, 0, *(self.word() for _ in range(17))]
        for _ in range(r.randrange(3)):
            words += [0xC005A200, 0x20000010 | r.choice((0, 0, 2 << 26, 3 << 26, self.word())), 2 * r.randrange(64) << 2,
                      mqd & 0xFFFFFFFF, mqd >> 32, wptr & 0xFFFFFFFF, wptr >> 32]
        ends = [0xC004A300, r.choice((0x30, 0x20, 0x10, 0x31, self.word())), self.word(), 0, 0, 0]
        query = [0xC005A400, 0x80000000, 0, wptr & 0xFFFFFFFF, wptr >> 32, 1, 0]
        return r.choice((words, words, ends, query, [0xC006A000, 0xFFF8, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0, 0, 0]))

    def list(self):
        ib = VRAM_MC + IBS + self.random.randrange(0, MIB, 256)
        self.put(ib - VRAM_MC, self.ring(self.process, 64))
        return [0xC002A500, ib & 0xFFFFFFFF, ib >> 32, 1 << 23 | self.random.choice((64, 64, self.word()))]

    def scheduler(self):
        return self.mes() if GPU == "navi31" else self.one_of((self.process, self.list, self.pm4))()

    def sdma(self):
        op, sub, n = self.random.choice(SDMA)
        return [op | sub << 8 | self.random.choice((0, self.random.getrandbits(16) << 16)), *(self.word() & self.random.choice((~0, 0xFFFF)) for _ in range(n - 1))]

    def code(self):
        r = self.random
        words = [w for _ in range(r.randrange(1, 60)) for w in r.choice(CODE_OF)]
        if r.random() < 0.3:
            words[r.randrange(len(words))] = r.getrandbits(32)
        return words + [S_ENDPGM] * 2

    def put(self, offset, words):
        data = struct.pack(f"<{len(words)}I", *(w & 0xFFFFFFFF for w in words))
        self.vram[offset:offset + len(data)] = data

    def plant(self):
        """Something new in a random place."""
        r = self.random
        kind = r.randrange(5)
        if kind == 0:
            self.put(CODE + r.randrange(0, MIB, 256), self.code())
        elif kind == 1:
            self.put(IBS + r.randrange(0, MIB, 256), [w for _ in range(20) for w in r.choice((self.pm4, self.pm4, self.dispatch, self.indirect))()])
        elif kind == 2:
            entries = [r.choice((self.address() & 0xFFFFFFFFFFC0, r.getrandbits(64))) | r.getrandbits(7) | r.getrandbits(3) << 54 for _ in range(64)]
            self.put(TABLES + r.randrange(0, MIB, 4096), [w for e in entries for w in (e, e >> 32)])
        elif kind == 3:
            self.put(DESCRIPTORS + r.randrange(0, MIB, 4096), [self.word() for _ in range(512)])
        else:
            self.put(DATA + r.randrange(0, MIB, 64), [self.word() for _ in range(64)])

    def write(self, dw, value):
        return access(REGION_WRITE, BAR5, dw * 4, struct.pack("<I", value & 0xFFFFFFFF))

    def doorbell(self, dw, value):
        return access(REGION_WRITE, BAR2, dw * 4, struct.pack("<Q", value))

    def ring(self, make, size_dw):
        """Packets for a ring, filled up with NOPs."""
        words = []
        while len(words) < size_dw // 2:
            words += make()
        return (words + [0xFFFF1000] * size_dw)[:size_dw]

    def compute_ring(self):
        """A queue of the command processor (graphics, compute, the driver's own or the scheduler's) begun by registers."""
        r = self.random
        me, pipe, queue = r.choice(((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 2, 1), (KERNEL_ME, 0, 0), (KERNEL_ME, 1, 0)))
        slot, log_dw = r.randrange(N_RINGS), 10
        at, bell = RINGS + slot * RING_B, 2 * r.randrange(64)
        makers = (self.scheduler,) if me == KERNEL_ME and r.random() < 0.8 else r.choice(((self.dispatch,), (self.dispatch,), (self.pm4, self.pm4, self.dispatch, self.indirect)))
        self.put(at, self.ring(lambda: r.choice(makers)(), 1 << log_dw))
        base, back = VRAM_MC + at, VRAM_MC + DATA + slot * 64
        out = self.write(REGISTERS["GRBM_GFX_CNTL"], pipe | me << 2 | r.choice((0, 0, r.randrange(16))) << 4 | queue << 8)
        for name, value in (("CP_HQD_ACTIVE", 0), ("CP_HQD_VMID", r.choice((0, 0, 0, r.randrange(16)))), ("CP_HQD_PQ_BASE", base >> 8), ("CP_HQD_PQ_BASE_HI", base >> 40),
                            ("CP_HQD_PQ_RPTR_REPORT_ADDR", back), ("CP_HQD_PQ_RPTR_REPORT_ADDR_HI", back >> 32),
                            ("CP_HQD_PQ_CONTROL", log_dw - 1 | r.choice((0, self.word())) & ~0x3F), ("CP_HQD_PQ_DOORBELL_CONTROL", bell << 2 | 1 << 30),
                            ("CP_HQD_PQ_RPTR", 0), ("CP_HQD_PQ_WPTR_LO", 0), ("CP_HQD_PQ_WPTR_HI", 0), ("CP_HQD_ACTIVE", 1)):
            out += self.write(REGISTERS[name], value)
        out += self.doorbell(bell, (1 << log_dw) - 64 if r.random() < 0.7 else r.choice((1 << log_dw, r.getrandbits(12), r.getrandbits(64))))
        if r.random() < 0.5:
            out += self.write(REGISTERS["CP_HQD_DEQUEUE_REQUEST"], r.randrange(4))
        return out

    def sdma_ring(self):
        r = self.random
        n, slot, log_dw = r.randrange(2), r.randrange(N_RINGS), 10
        at, bell = RINGS + slot * RING_B, 0x100 + 2 * n
        self.put(at, self.ring(self.sdma, 1 << log_dw))
        base = VRAM_MC + at
        out = b""
        for name, value in (("RB_CNTL", 0), ("RB_BASE", base >> 8), ("RB_BASE_HI", base >> 40), ("RB_RPTR", 0), ("RB_RPTR_HI", 0), ("RB_WPTR", 0),
                            ("RB_WPTR_HI", 0), ("DOORBELL_OFFSET", bell << 2), ("DOORBELL", 1 << 28), ("IB_CNTL", 1),
                            ("RB_CNTL", 1 | log_dw << 1 | r.choice((0, 1 << 12, r.randrange(16) << 24)))):
            gfx = {"mi300x": "SDMA_GFX_", "raven2": "SDMA0_GFX_"}.get(GPU)
            out += self.write(REGISTERS[gfx + name] + 0x800 * n if gfx else REGISTERS[f"SDMA{n}_QUEUE0_{name}"], value)
        return out + self.doorbell(bell, 1 << log_dw + 1 if r.random() < 0.7 else r.choice((r.getrandbits(13), r.getrandbits(64))))

    def batch(self):
        """Messages that want no answer."""
        r = self.random
        for _ in range(4):
            self.plant()
        kind = r.random()
        if kind < 0.35:
            return self.compute_ring()
        if kind < 0.5:
            return self.sdma_ring()
        out = b""
        for _ in range(r.randrange(1, 60)):
            which = r.random()
            if which < 0.6:
                out += self.write(r.choice(LIVELY), self.word())
            elif which < 0.75:
                out += self.write(r.choice(ADDRESSES), self.word())
            elif which < 0.85:
                out += self.write(r.choice(BUS), self.word())
            elif which < 0.9:
                out += self.write(r.randrange(0x40000), self.word())
            elif which < 0.97:
                out += self.doorbell(r.choice((2 * r.randrange(0x100), r.randrange(0x80000))), r.choice((self.word(), r.getrandbits(64))))
            else:
                out += access(REGION_WRITE, CONFIG, r.randrange(4096 - 4), struct.pack("<I", self.word()))
        return out


def message(command, body, flags=0):
    return struct.pack("<HHIII", 1, command, 16 + len(body), flags, 0) + body


def access(command, region, offset_b, data=b"", size_b=None, flags=NO_REPLY):
    return message(command, struct.pack("<QII", offset_b, region, len(data) if size_b is None else size_b) + data, flags)


class Client:
    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT_S)
        self.sock.connect(str(path))

    def receive(self, size_b):
        data = b""
        while len(data) < size_b:
            more = self.sock.recv(size_b - len(data))
            check(more, "the server has closed the connection")
            data += more
        return data

    def ask(self, command, body=b"", fd=None, flags=0):
        """The body of the reply, None for an error, and a descriptor that came with it."""
        bytes_ = message(command, body, flags)
        if fd is None:
            self.sock.sendall(bytes_)
        else:
            self.sock.sendmsg([bytes_], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
        data, ancillary, _, _ = self.sock.recvmsg(16, socket.CMSG_SPACE(4))
        check(data, "the server has closed the connection")
        data += self.receive(16 - len(data))
        _, got, size_b, flags, _ = struct.unpack("<HHIII", data)
        equal(got, command, "the command of a reply")
        return (None if flags & 0x20 else self.receive(size_b - 16)) if size_b >= 16 else None, \
            (array.array("i", ancillary[0][2])[0] if ancillary else None)

    def read(self, dw):
        """The value of a register; not before all that was written is done."""
        body, _ = self.ask(REGION_READ, struct.pack("<QII", dw * 4, BAR5, 4))
        check(body is not None, f"reading 0x{dw:x} is refused")
        return struct.unpack("<I", body[16:])[0]


def memory(size_b):
    fd = os.memfd_create("guest", os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size_b)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    return fd


def talk(client, seed, batches, until):
    check(client.ask(VERSION, struct.pack("<HH", 0, 0) + b"{}\0")[0], "the server refuses the version")
    _, vram_fd = client.ask(GET_REGION_INFO, struct.pack("<IIIIQQ", 32, 0, 0, 0, 0, 0))
    check(vram_fd is not None, "VRAM came without a descriptor")
    irq, guest = os.eventfd(0), memory(MEMORY_B)
    mapping = struct.pack("<IIQQQ", 32, 3, 0, 0, MEMORY_B)
    check(client.ask(DMA_MAP, mapping, guest)[0] is not None, "guest memory is refused")
    check(client.ask(SET_IRQS, struct.pack("<IIIII", 20, 0x24, 1, 0, 1), irq)[0] is not None, "the interrupt is refused")
    done = 0
    with mmap.mmap(vram_fd, VRAM_B) as vram:
        driver = Driver(seed, vram)
        for _ in range(200):
            driver.plant()
        r = driver.random
        for done in range(1, batches + 1):
            client.sock.sendall(driver.batch())
            client.read(r.choice((REGISTERS["GRBM_STATUS"], r.choice(LIVELY), r.choice(ADDRESSES), r.choice(BUS))))
            what = r.random()
            if what < 0.004:  # memory goes while the device uses it, and comes back
                client.ask(DMA_UNMAP, struct.pack("<IIQQ", 24, 0, 0, MEMORY_B))
                client.ask(DMA_MAP, mapping, guest)
            elif what < 0.006:
                check(client.ask(RESET)[0] is not None, "the reset is refused")
            if time.monotonic() > until:
                break
    check(client.ask(GET_INFO, struct.pack("<IIII", 16, 0, 0, 0))[0], "the server does not answer in the end")
    for fd in (vram_fd, irq, guest):
        os.close(fd)
    return done


def play(seed, batches, until):
    with tempfile.TemporaryDirectory(prefix="bw-driver-") as folder:
        folder = pathlib.Path(folder)
        environment = with_reports(dict(os.environ, BREAKWATER_LOG="error", TMPDIR=str(folder)), folder / "reports")
        ready, tell = os.pipe()
        server = subprocess.Popen([str(BUILD / "breakwater-vgpu"), "--vfio-user", str(folder / "socket"), "--vram", str(VRAM_B // MIB),
                                   "--profile", GPU, "--threads", "2", "--ready-fd", str(tell)], env=environment, pass_fds=[tell], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        os.close(tell)
        try:
            check(os.read(ready, 1000).startswith(b"ready"), "the server has not started")
            client = Client(folder / "socket")
            done = talk(client, seed, batches, until)
            client.sock.close()
            _, said = server.communicate(timeout=TIMEOUT_S)
            equal(server.returncode, 0, f"the server's status; it said {said.decode(errors='replace')[-2000:]}")
        finally:
            os.close(ready)
            if server.poll() is None:
                server.kill()
            server.wait()
            reports = sanitizer_reports(folder / "reports")
            if reports:
                raise Failure(reports)
        return done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", choices=GPUS, default="navi31")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--batches", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args()
    if options.random:
        options.seed = random.SystemRandom().randrange(1 << 30)
    check(len(ADDRESSES) > 4000 and len(LIVELY) > 500 and len(PM4) > 40 and len(SDMA) > 30 and len(CODE_OF) > 1000, "the tables are not read")
    until, failed = time.monotonic() + options.seconds, 0
    for seed in range(options.seed, options.seed + options.rounds):
        if time.monotonic() > until:
            break
        try:
            print(f"ok      seed {seed}: {play(seed, options.batches, until)} batches", flush=True)
        except (Failure, OSError, ValueError, subprocess.TimeoutExpired) as e:
            failed += 1
            print(f"FAILED  seed {seed}: {type(e).__name__}: {str(e)[:4000]}", flush=True)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
