#!/usr/bin/env bash
# Runs a test program and makes one TAP stream of what it prints.
#
# A cmocka program prints a plan for each of its groups, marks a test that was skipped as "not ok",
# and may end in a crash without a word. The harness takes one plan, and skipped tests are no
# failures. So: the tests are numbered through, the plans are added up, "1..0 # SKIP why" becomes
# a skipped test, and a program that fails, or runs fewer tests than it planned, fails by name.
# The exit status is always 0: the lines say what happened.
#
# usage: tap-merge.sh PROGRAM [ARGUMENT...]
set -uo pipefail

name=$(basename "${!#}")
{
  "$@" 2>&1 </dev/null
  printf '\ntap-merge: exit status %d\n' $?
} | awk -v name="$name" '
  function test(ok, text) {
    count++
    if (!ok) failed++
    print (ok ? "ok " : "not ok ") count text
  }
  /^tap-merge: exit status [0-9]+$/ { status = $4; next }
  /^1\.\.0( |$)/ { sub(/^1\.\.0 */, ""); test(1, $0 ~ /^#/ ? " - " name " " $0 : " - " name " # SKIP"); planned++; next }
  /^1\.\.[0-9]+ *$/ { sub(/^1\.\./, ""); planned += $0; next }
  /^(not )?ok( |$)/ {
    ok = /^ok/ || / # *[Ss][Kk][Ii][Pp]/
    sub(/^(not )?ok *[0-9]*/, "")
    test(ok, $0)
    next
  }
  /^$/ { next }
  { print }
  END {
    if (status != 0) print "# " name " ended with exit status " status
    if (!count) test(0, " - " name " prints no test")
    else if (planned != count) test(0, " - " name " ran " count " of " planned + 0 " tests")
    if (status != 0 && !failed) test(0, " - " name " ends with exit status " status)
    print "1.." count
  }'
