#!/bin/sh
# SPDX-License-Identifier: MIT
# The speed figures of the design's section 6 on this machine. Usage: bench.sh BUILD_DIR
set -eu
build=$1
source=$(dirname "$0")/..
"$build/tests/bench/bench_exec"
"$build/tests/bench/bench_mem"
"$build/tests/bench/bench_kernels" "$build/tests/bench/bench.co" "$source/tests/bench/kernels/bench.cl"
BREAKWATER_BUILD=$build exec python3 "$source/tests/bench/sessions.py" "$build"
