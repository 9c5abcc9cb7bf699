#!/usr/bin/env bash
# Lets fuzzers look for inputs that crash, hang or leak: libFuzzer on each harness of tests/fuzz, with AddressSanitizer
# and UndefinedBehaviorSanitizer. A release needs ten minutes of each: scripts/fuzz.sh 600
#
# It builds in build-fuzz/ (or $HS_FUZZ_BUILD). What was found lies in found/NAME there, or in library/NAME where it is a
# library that fails; what covers the most code with the fewest bytes in corpus/NAME, from where the next call goes on.
# doc/developing.md says what to do with them. Exit status 1: something was found, and not in a library alone.
# Needs clang (Debian: clang libclang-rt-14-dev; or CC=afl-clang-fast from afl++).
#
# usage: fuzz.sh SECONDS [NAME...]     NAME: config, csv, ... (the files fuzz_NAME.c); without, all
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${HS_FUZZ_BUILD:-$top/build-fuzz}
seconds=${1:-}
case $seconds in
  '' | *[!0-9]*) sed -n '/^# usage/,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2; exit 2 ;;
esac
shift
if [ $# -eq 0 ]; then
  for source in "$top"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    set -- "$@" "${name#fuzz_}"
  done
fi

# The row functions that the loader chooses would run before the sanitizer has begun.
checks=-fsanitize=address,undefined,float-cast-overflow
flags="-w -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all $checks -fsanitize=fuzzer-no-link -DHS_FAST_FMA= -DHS_FUZZED"

configure() {
  [ -x "$top/configure" ] || (cd "$top" && autoreconf -fi)
  mkdir -p "$build"
  (cd "$build" && CC=${CC:-clang} CXX=${CXX:-clang++} "$top/configure" --with-cuda=no CFLAGS="$flags" CXXFLAGS="$flags" \
    LDFLAGS="$checks")
}

[ -f "$build/Makefile" ] || configure
# Memory is taken to be small (tests/fuzz/fuzz.c), so that what is asked for in its bounds is no finding.
make -C "$build" -s -j"$(nproc 2>/dev/null || echo 1)" \
  HS_FUZZ_MAIN='-fsanitize=fuzzer -Wl,--wrap=hs_memory_available' \
  $(printf 'tests/fuzz/fuzz_%s ' "$@") tests/fuzz/dictionary
cd "$build"
./tests/fuzz/dictionary >dictionary

export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive HS_TEST_SRCDIR=$top/tests
export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=${ASAN_OPTIONS:-}:allocator_may_return_null=1
scratch=$(mktemp -d) && export TMPDIR=$scratch
trap 'rm -rf "$scratch"' EXIT
# The HDF5 library leaks where a file is damaged.
echo leak:libhdf5 >"$scratch/known" && export LSAN_OPTIONS=suppressions=$scratch/known:print_suppressions=0
found=0

# Files of a harness that are seeds and stand elsewhere in the repository.
seeds() {
  case $1 in
    config) echo "$top"/configs "$top"/configs/validation "$top"/examples/gallery "$top"/tests/config "$top"/tests/cli ;;
  esac
}

# in_library NAME INPUT: is it a library in which the input goes wrong? Again and again: HDF5 keeps what it frees, so that a
# read behind an end may meet something harmless at first.
in_library() {
  { "./tests/fuzz/fuzz_$1" -runs=300 -timeout=10 -rss_limit_mb=2048 "$2" 2>&1 || true; } | grep -E '^ +#[0-9]+ 0x' |
    grep -vE ' in (__interceptor|__asan|__sanitizer|__lsan|fuzzer::|(__)?(mem|str)[a-z]*(_(avx|evex|sse)[0-9a-z_]*)? [(s]|(m|c|re|aligned_)alloc )|/libc\.so' |
    sed -n 1p | grep -qE 'lib(hdf5|png|z|jansson)'
}

for name; do
  mkdir -p "corpus/$name" "found/$name" "library/$name"
  # shellcheck disable=SC2046  # a list of folders
  "./tests/fuzz/fuzz_$name" -dict=dictionary -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -max_len=16384 -artifact_prefix="found/$name/" \
    "corpus/$name" "$top/tests/fuzz/corpus/$name" $(seeds "$name") >"$name.log" 2>&1 || true
  # Only what adds coverage, the smallest file of each.
  rm -rf "corpus/$name.new" && mkdir "corpus/$name.new"
  # shellcheck disable=SC2046
  "./tests/fuzz/fuzz_$name" -merge=1 -timeout=10 -artifact_prefix="found/$name/" "corpus/$name.new" "$top/tests/fuzz/corpus/$name" "corpus/$name" \
    $(seeds "$name") >>"$name.log" 2>&1 && rm -rf "corpus/$name" && mv "corpus/$name.new" "corpus/$name"
  for input in "found/$name"/*; do
    if [ -f "$input" ] && in_library "$name" "$input"; then mv "$input" "library/$name"; fi
  done
  count=$(find "found/$name" -type f | wc -l)
  found=$((found + count))
  echo "$name: $(grep -oE 'cov: [0-9]+' "$name.log" | tail -n 1), $(find "corpus/$name" -type f | wc -l) inputs," \
    "$count found, $(find "library/$name" -type f | wc -l) in libraries"
done
[ "$found" -eq 0 ]
