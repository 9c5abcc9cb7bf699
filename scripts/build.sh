#!/usr/bin/env bash
# Builds heatsolve in the folder build/ beside scripts/ (or where it is already configured in place).
#
# Each step runs only when its result is missing: autoreconf, configure, make. Later changes to
# configure.ac, the makefiles or the sources are make's business. Arguments go to configure, and
# different arguments than last time configure anew, and so does a folder that was configured
# without the test library.
#
# usage: build.sh [CONFIGURE ARGUMENT...]        for example: build.sh --with-cuda=no
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build
if [ -f "$top/config.status" ]; then build=$top; fi
jobs=$(nproc 2>/dev/null || echo 1)
arguments=$(printf '%q ' "$@")

cd "$top"
if [ ! -x configure ] || [ ! -f Makefile.in ] || [ ! -f config.h.in ] || [ configure.ac -nt configure ]; then
  echo "heatsolve: autoreconf"
  autoreconf -fi
fi

mkdir -p "$build"
cd "$build"
if [ ! -f config.status ] || [ ! -f Makefile ] || grep -q "^HAVE_CMOCKA_TRUE='#'" config.log ||
  { [ $# -gt 0 ] && [ "$arguments" != "$(cat .configured-with 2>/dev/null)" ]; }; then
  echo "heatsolve: configure in $build"
  if [ "$build" = "$top" ]; then ./configure "$@"; else ../configure "$@"; fi
  printf '%s' "$arguments" >.configured-with
fi

echo "heatsolve: make"
make -j"$jobs"
