#!/usr/bin/env bash
# Runs the whole test suite from a fresh clone: installs what is missing, builds in build/, runs
# `make check`, and prints every test program's own TAP lines, the log of each program that
# failed, and the totals. The exit status is 0 only if everything was built and no test failed.
#
# usage: check.sh [CONFIGURE ARGUMENT...]
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The last line, in a form that people and scripts can read.
close() {
  echo "$1 passed, $2 failed, $3 skipped"
  [ "$2" -eq 0 ] && [ "$1" -gt 0 ]
}

stop() {
  wait # for what goes on in the background
  echo "check.sh: $1" >&2
  close 0 1 0 || exit 1
}

bash "$top/scripts/packages.sh" || stop "packages are missing; nothing was tested"
bash "$top/scripts/packages.sh" ranks || true # those of tests say what is missing

build=$top/build
if [ -f "$top/config.status" ]; then build=$top; fi

# What only tests need is installed during the build, unless somebody has to be asked for a password. PyVista is no package of
# Debian: a virtual environment has it where one can be made. Its test is skipped otherwise.
packages_install() { bash "$top/scripts/packages.sh" tests || echo 'check.sh: some tests will be skipped'; }
readers_make() {
  "$HS_TEST_PYTHON" -c 'import pyvista' 2>/dev/null ||
    { python3 -m venv "$build/readers" &&
      timeout 300 "$HS_TEST_PYTHON" -m pip install -q --no-compile --disable-pip-version-check pyvista; } ||
    echo 'check.sh: there is no PyVista for the tests'
}
make_readers=${HS_TEST_PYTHON:+true}
export HS_TEST_PYTHON=${HS_TEST_PYTHON:-$build/readers/bin/python}
if [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; then
  { packages_install && ${make_readers:-readers_make}; } </dev/null &
else
  packages_install
  ${make_readers:-readers_make} </dev/null &
fi
bash "$top/scripts/build.sh" "$@" || stop "heatsolve was not built; nothing was tested"
wait

cd "$build"
find tests -name cache -prune -o \( -name '*.log' -o -name '*.trs' \) -exec rm -f {} +
made=0
jobs=$(($(nproc 2>/dev/null || echo 1) + 1)) # many tests wait for a while: for a signal, a time limit, a job in a queue
make check -j"$jobs" </dev/null || made=$?

mapfile -t logs < <(find tests -name cache -prune -o -name '*.log' -print | sort)
[ ${#logs[@]} -gt 0 ] || stop "make check ran no test"

printf '\nTAP lines of the test programs\n'
for log in "${logs[@]}"; do
  printf '\n# %s\n' "${log%.log}"
  grep -E '^(ok|not ok|1\.\.|Bail out!|# )' "$log" || true
done

for log in "${logs[@]}"; do
  if grep -qE '^:test-result: *(FAIL|ERROR|XPASS)' "${log%.log}.trs"; then
    printf '\n# Failing: the whole log of %s\n' "${log%.log}"
    cat "$log"
  fi
done

passed=$(cat "${logs[@]}" | grep -E '^ok( |$)' | grep -vicE '# *skip' || true)
skipped=$(cat "${logs[@]}" | grep -ciE '^ok .*# *skip' || true)
failed=$(cat "${logs[@]}" | grep -cE '^not ok( |$)' || true)
errors=$(cat "${logs[@]/%.log/.trs}" | grep -cE '^:test-result: *ERROR' || true)
failed=$((failed + errors))
if [ "$made" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
printf '\n'
close "$passed" "$failed" "$skipped"
