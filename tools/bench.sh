#!/bin/sh
# SPDX-License-Identifier: MIT
# The speed figures of doc/speed.md on this machine. Usage: bench.sh BUILD_DIR [--json] [SECTION...]
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
export BREAKWATER_BUILD="$1"
exec python3 "$source/tests/bench/bench.py" "$@"
