#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assembles a source file for a GPU and turns its section .text into a C array.

Usage: gpu-code.py CLANG OBJCOPY CPU INPUT.S NAME OUTPUT.c DEPFILE [-I FOLDER]...
The array is one of bin2c.py. DEPFILE gets the included files, as make reads them.
"""
import pathlib
import subprocess
import sys
import tempfile


def main():
    clang, objcopy, cpu, source, name, target, depfile, *flags = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        made, code = pathlib.Path(folder, "code.o"), pathlib.Path(folder, pathlib.Path(source).stem + ".bin")
        subprocess.run([clang, "-target", "amdgcn-amd-amdhsa", f"-mcpu={cpu}", "-nogpulib", "-x", "assembler-with-cpp", *flags, "-MD", "-MF",
                        depfile, "-MT", target, "-c", source, "-o", made], check=True)
        subprocess.run([objcopy, "-O", "binary", "--only-section=.text", made, code], check=True)
        subprocess.run([sys.executable, pathlib.Path(__file__).with_name("bin2c.py"), code, name, target], check=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
