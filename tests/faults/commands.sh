#!/usr/bin/env bash
# Short memory where test_faults.c does not look: a run that would replace its own configuration, validate --json, and the end of
# a run, when files are written. Each of the last calls for memory fails in turn.
. "${HS_TEST_SRCDIR:?}/tap.sh"

if [ -n "${HS_FAULT_WHY:-}" ] || [ ! -r "${HS_FAULT_LIBRARY:-}" ]; then
  echo "1..0 # SKIP ${HS_FAULT_WHY:-no HS_FAULT_LIBRARY}"
  exit 0
fi
last=80 every=1

# with_fault PLAN ARGUMENT...: leaves rc.
with_fault() {
  local plan=$1
  shift
  rm -f trace asked values.json
  HS_FAULT=$plan HS_FAULT_CLOCK=0.3 HS_FAULT_COUNTS=counts LD_PRELOAD=$HS_FAULT_LIBRARY "$HEATSOLVE" "$@" >out 2>err
  rc=$?
}

# each KIND ARGUMENT...: calls `fits` after each fault.
each() {
  local kind=$1 calls n bad=0
  shift
  with_fault none "$@"
  calls=$(awk -v kind="$kind" '$1 == kind { print $2 }' counts)
  for ((n = calls > last ? calls - last : 1; n <= calls; n += every)); do
    with_fault "$kind:$n:ENOMEM" "$@"
    fits && continue
    bad=$((bad + 1))
    echo "# call $n of $calls: exit code $rc"
  done
  [ "$calls" -gt 0 ] && [ "$bad" -eq 0 ]
}

cat >case.ini <<'EOF'
[grid]
nx = 24
ny = 16
lx = 0.2
ly = 0.1
[material]
conductivity = 50
[boundary]
west = 300
south = insulated
north = insulated
east = 400
[expect middle]
quantity = mean
value = 350
allowed = 1
source = symmetry
EOF

# A folder that cannot be listed is not one without inputs.
mkdir folder && cp case.ini folder/report.json
fits() {
  cmp -s case.ini folder/report.json && [ "$rc" -ne 0 ]
}
check "a configuration is not replaced where memory is short" each malloc folder/report.json -q -o folder

with_fault none validate case.ini -q --json right.json
check "a case without a fault passes" test $rc -eq 0 -a -s right.json
# A case that could not be run is a failure with its reason.
fits() {
  if [ ! -e values.json ]; then
    [ "$rc" -ne 0 ]
  elif grep -q '"failure": ".' values.json; then
    [ "$rc" -eq 1 ] && [ "$(tail -n 1 values.json)" = '}' ]
  else
    cmp -s values.json right.json
  fi
}
check "values are written whole or not at all where memory is short" each malloc validate case.ini -q --json values.json

# What the program itself asks for on its way out, while it draws and writes: a sentence, never a crash.
{
  cat case.ini
  echo '[source warm]' && echo 'shape = circle' && echo 'x = 0.1' && echo 'y = 0.05' && echo 'radius = 0.01' && echo 'density = 1'
} >drawn.ini
fits() {
  [ "$rc" -eq 0 ] || { [ "$rc" -le 6 ] && grep -q '^heatsolve: ' err; }
}
last=250
every=${HEATSOLVE_TEST_ALL:+1}
every=${every:-5}
check 'short memory while files are written is a sentence' each own drawn.ini -q -o drawn --set output.picture=no \
  --set output.vti=no --set output.flux=no --set output.xdmf=no --set output.convergence=no
finish
