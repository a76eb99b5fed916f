# SPDX-License-Identifier: MIT
"""Commands that run commands without an end: a file that runs itself, alone or by another, and applies in applies. Each ends with a
sentence that names the limit. Variables of the user's own have a
limit, too."""
import pathlib
import subprocess
import tempfile

from harness import BREAKWATER, KERNELS, SOURCE, TIMEOUT_S, check, equal

KERNEL = [KERNELS / "loop.s", "--grid", 64, "--group", 32, "--arg", "out=zeros:64"]
LIMIT = "commands that run commands are nested too deeply (50)"
MOST_VARIABLES = 10_000


def ask(*words, status=0):
    done = subprocess.run([str(w) for w in (BREAKWATER, "run", "--batch", *words, *KERNEL)], cwd=SOURCE, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=TIMEOUT_S)
    equal(done.returncode, status, f"{words}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
    return done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        itself, one, other, deep, many = (folder / n for n in ("itself", "one", "other", "deep", "many"))
        itself.write_text(f"source {itself}\n")
        one.write_text(f"source {other}\n")
        other.write_text(f"source {one}\n")
        deep.write_text("break loop\nrun\n" + "thread apply all " * 5000 + "print 1\n")
        for path in (itself, one, deep):
            check(LIMIT in ask("-x", path, status=2), path.name)
        # 30 files, each run by the one before, are within the limit
        for i in range(30):
            (folder / f"f{i}").write_text(f"source {folder}/f{i + 1}\n" if i < 29 else "print 6 * 7\n")
        check("$1 = 42" in ask("-x", folder / "f0"), "30 files")
        made = "".join(f"set $x{i} = {i}\n" for i in range(MOST_VARIABLES))
        many.write_text(made + f"set $x0 = 5\nprint $x{MOST_VARIABLES - 1} + $x0\nset $more = 1\n")
        text = ask("-x", many, status=2)
        check(f"$1 = {MOST_VARIABLES + 4}" in text and "there are 10000 convenience variables already, which is the limit: $more is not made" in text, text[-500:])
    print("nested commands: ok")


if __name__ == "__main__":
    main()
