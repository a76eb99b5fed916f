#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tutorial.py fails for a page that is wrong: each page here is good or bad in one way. No GPU is needed: a script of the
shell stands for the debugger."""
import contextlib
import io
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tutorial  # noqa: E402

PROMPTS = """Save this as `prompts.sh`:

```sh
while printf '(breakwater) ' && read line && [ "$line" != quit ]; do
	echo "heard $line at 0x$$00000000"
done
[ "$line" = quit ]
```

```console
$ sh prompts.sh
(breakwater) one
heard one at 0x12345678
```

Then:

```console
(breakwater) two
heard %s at 0x12345678
(breakwater) quit
```
"""
FILE = "Save this as `a`:\n\n```text\none\ntwo\n```\n\nIn `a`:\n\n```diff\n one\n-%s\n+three\n```\n\n```console\n$ cat a\none\nthree\n```\n"
WORKFLOW = "In `a.yml`:\n\n```yaml\nrun: |\n  make\nrun: echo %s\n```\n\n```console\n$ echo a\na\n```\n"
ENDLESS = (PROMPTS % "two").replace("(breakwater) quit\n", "")
PAGES = (
    (True, "```console\n$ echo a; echo b; echo c\na\n...\n$ false\n[status 1]\n```\n"),
    (False, "```console\n$ echo a\nb\n```\n"),
    (False, "```console\n$ echo a\n```\n"),
    (False, "```console\n$ false\n```\n"),
    (True, "```console\n$ echo 0x000012345678 pid 17\n0x000011111111 pid 1\n```\n"),
    (False, "```console\n$ echo 0x12 17\n0x13 18\n```\n"),
    (True, PROMPTS % "two"),
    (False, PROMPTS % "three"),
    (False, ENDLESS),
    (True, FILE % "two"),
    (False, FILE % "four"),
    (True, WORKFLOW % "a"),
    (False, WORKFLOW % "b"),
    (False, "No file is named.\n\n```c\nint main;\n```\n"),
)


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page"
        for good, text in PAGES:
            page.write_text(text)
            said = io.StringIO()
            try:
                with contextlib.redirect_stdout(said):
                    passed = tutorial.run_page(page, False)
            except SystemExit as refused:
                passed = False
                said.write(str(refused))
            if passed != good:
                wrong += 1
                print(f"this {'passes' if passed else 'fails'}, and should not:\n{text}\n{said.getvalue()}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
