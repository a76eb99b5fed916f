#!/bin/sh
# SPDX-License-Identifier: MIT
# The demo of `make demo`: a kernel with a bug in it, on the virtual GPU.
# Usage: demo.sh [BREAKWATER], the program; without it the one that is installed.
set -eu
breakwater=${1:-breakwater}
case "$breakwater" in
*/*) breakwater=$(realpath "$breakwater") ;;
esac
from=$PWD
cd "$(dirname "$0")/.."
[ "$from" = "$PWD" ] && go="" || go="\$ cd $PWD
"
kernel="examples/fahrenheit.s --grid 128 --group 64 --arg in=iota:128 --arg out=zeros:128 --print out:8"

cat <<END

Breakwater stops the waves of a running shader, shows them, changes them and steps them.
There is no AMD GPU needed for this: it runs on the virtual GPU that comes with it (Navi31, gfx1100).

The kernel examples/fahrenheit.s turns 128 temperatures into Fahrenheit, one a lane: f = c * 1.8 + 32.
For 0, 1, 2, ... degrees it gives

\$ breakwater run $kernel
END
"$breakwater" run $kernel </dev/null
"$breakwater" run --batch -x examples/demo.bw $kernel </dev/null
cat <<END

The kernel's own line says it: 32 33.8 35.6 ... in the wave that was put right.
Now it is your turn:

${go}\$ ${1:-breakwater} run -i $kernel

"help" lists the commands; doc/debugging.md has more.
END
