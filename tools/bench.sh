#!/bin/sh
# SPDX-License-Identifier: MIT
# The speed figures of the design's section 6 on this machine. Usage: bench.sh BUILD_DIR
set -eu
build=$1
source=$(dirname "$0")/..
for b in "$build"/tests/bench/bench_*; do
	if [ -f "$b" ] && [ -x "$b" ]; then
		"$b"
	fi
done
BREAKWATER_BUILD=$build exec python3 "$source/tests/bench/sessions.py" "$build"
