# SPDX-License-Identifier: MIT
"""The examples of doc/scripting.md, and what they print."""
import re

from harness import SOURCE

TEXT = (SOURCE / "doc/scripting.md").read_text()


def fenced(after, kind=""):
    """The first block of code behind these words."""
    return TEXT.split(after, 1)[1].split(f"```{kind}\n", 1)[1].split("```", 1)[0]


def numberless(text):
    """Without what depends on how far the other waves have come when one stops: numbers of waves, and how many there are."""
    text = re.sub(r"(?i)(thread |1:1:1:)\d+", r"\1{*}", text)
    return re.sub(r"\(process \d+\)", "(process {*})", re.sub(r"\d+ in all", "{*} in all", text))
