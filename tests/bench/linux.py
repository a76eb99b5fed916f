# SPDX-License-Identifier: MIT
"""What it costs to have Linux's own driver on the virtual GPU, in the guest of `breakwater vgpu linux`, against the
virtual GPU's own driver under `breakwater exec`."""
import collections
import json
import pathlib
import subprocess

WORK = pathlib.Path(__file__).resolve().parent / "linux_work.py"
Row = collections.namedtuple("Row", "name value unit")


def measure(build):
    """The rows, and why there are none."""
    build = pathlib.Path(build).resolve()
    parts = subprocess.run([build / "breakwater", "vgpu", "linux", "--json", "--", "python3", "-B", WORK], stdin=subprocess.DEVNULL,
                           capture_output=True, text=True)
    if parts.returncode:
        return [], parts.stderr.strip().splitlines()[0]
    report, guest = json.loads(parts.stderr.splitlines()[-1]), json.loads(parts.stdout)
    done = subprocess.run([build / "breakwater", "exec", "--", "python3", "-B", WORK], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, check=True)
    own = json.loads(done.stdout)
    return [Row("boot of the guest, with the driver", report["boot_ms"] / 1000, "s"),
            Row("read of a register by the guest", guest["read_ns"] / 1000, "us"),
            Row("submissions and their waits, the guest's driver", guest["submissions_per_s"], "1/s"),
            Row("the same, the virtual GPU's own driver", own["submissions_per_s"], "1/s")], None


def show(rows, why_not):
    print(f"\n{'Linux in a guest':<52}{'value':>14}")
    for row in rows:
        print(f"{row.name:<52}{row.value:>14.1f} {row.unit}")
    if why_not:
        print(f"Not measured: {why_not}")
