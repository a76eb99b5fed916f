# SPDX-License-Identifier: MIT
"""What generators share."""
import pathlib


def write(path, text):
    """Leaves a file that has this text as it is: ninja then builds nothing of it again."""
    path = pathlib.Path(path)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
