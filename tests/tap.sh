# shellcheck shell=bash
# Common part of the shell tests; source it. It prints TAP and gives each script an empty folder.
#
# Reads HEATSOLVE (the program) and HS_TEST_SRCDIR (this folder). The script runs in $work, which is
# removed at the end whatever happens; input files are under $inputs.
set -uo pipefail

: "${HEATSOLVE:?the program under test}" "${HS_TEST_SRCDIR:?the folder tests/ of the sources}"
# shellcheck disable=SC2034
inputs=$HS_TEST_SRCDIR/cli
work=$(mktemp -d "${TMPDIR:-/tmp}/heatsolve-test.XXXXXX") || exit 1
tests=0
rc=0

clean_up() {
  cd / && rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
cd "$work" || exit 1
unset OMP_NUM_THREADS

# result STATUS NAME: one TAP line, and on failure what the last call of the program printed.
result() {
  tests=$((tests + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $tests - $2"
    return
  fi
  echo "not ok $tests - $2"
  echo "# exit code $rc"
  if [ -s out ]; then head -n 40 out | sed 's/^/# stdout: /'; fi
  if [ -s err ]; then head -n 40 err | sed 's/^/# stderr: /'; fi
}

# python_with MODULE...: prints a Python that has these modules, of a|b one: $HS_TEST_PYTHON, or a usual one. (They are looked
# for and not imported, which takes seconds.)
python_with() {
  local python look='import sys; from importlib.util import find_spec
sys.exit(not all(any(find_spec(name) for name in names.split("|")) for names in sys.argv[1:]))'
  for python in "${HS_TEST_PYTHON:-python3}" python3 /usr/bin/python3; do
    if "$python" -c "$look" "$@" >/dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
  return 1
}

skip() {
  tests=$((tests + 1))
  echo "ok $tests - $1 # SKIP $2"
}

# check NAME COMMAND...: passes when the command succeeds.
check() {
  local name=$1
  shift
  "$@"
  result $? "$name"
}

# call ARGUMENT...: runs the program, with the file $input as standard input; leaves rc and the files out and err.
call() {
  "$HEATSOLVE" "$@" >out 2>err <"${input:-/dev/null}"
  rc=$?
}

# stderr_fits [NUMBER]: standard error has so many warnings, else none; beside them, a failure is one sentence that names the
# program.
stderr_fits() {
  local others
  [ "$(grep -c '^heatsolve: warning: .' err)" -eq "${1:-0}" ] || return 1
  others=$(grep -v '^heatsolve: warning: .' err)
  case $rc in
    2 | 5 | 6) [ "$(wc -l <<<"$others")" -eq 1 ] && [[ $others == 'heatsolve: '?* ]] ;;
    0 | 1 | 3 | 4 | 75) [ -z "$others" ] ;;
  esac
}

# no_warning: the last call gave none.
no_warning() {
  ! grep -q '^heatsolve: warning: ' err
}

# expect NAME CODE [warnings=NUMBER] [out~REGEX | err~REGEX | out=]... -- ARGUMENT...
# Passes when the program ends with CODE and gives so many warnings, else none, and every regular expression matches a line;
# out= : no output.
expect() {
  local name=$1 code=$2 failed=0 warnings=0 wanted
  local -a wants=()
  shift 2
  while [ "$1" != -- ]; do
    case $1 in
      warnings=*) warnings=${1#warnings=} ;;
      *) wants+=("$1") ;;
    esac
    shift
  done
  shift
  call "$@"
  if [ "$rc" -ne "$code" ] || ! stderr_fits "$warnings"; then
    failed=1
    echo "# $name: exit code $code and $warnings warnings expected; $rc and $(grep -c '^heatsolve: warning: ' err)"
  fi
  for wanted in ${wants[@]+"${wants[@]}"}; do
    case $wanted in
      out=) [ ! -s out ] ;;
      out~*) grep -qE -- "${wanted#out~}" out ;;
      err~*) grep -qE -- "${wanted#err~}" err ;;
      *) false ;;
    esac || {
      failed=1
      echo "# $name: not met: $wanted"
    }
  done
  result $failed "$name"
}

# has_terminal: can script of util-linux start a program at a terminal of its own?
has_terminal() {
  script --version 2>/dev/null | grep -q util-linux &&
    [ "$(script -qec 'test -t 0 && echo yes' /dev/null 2>/dev/null </dev/null | tr -d '\r')" = yes ]
}

# hears_hangup: does SIGHUP reach programs? Under nohup it is ignored, and what they start inherits that.
hears_hangup() {
  { (kill -HUP $BASHPID; exit 0); } 2>/dev/null
  [ $? -ne 0 ]
}

# The first and the last eight bytes of a complete PNG file.
is_png() {
  local ends
  ends=$({ head -c 8 "$1" && tail -c 8 "$1"; } 2>/dev/null | od -An -v -tx1 | tr -d ' \n')
  [ "$ends" = 89504e470d0a1a0a49454e44ae426082 ]
}

# needs_mpirun: skips the whole script where ranks cannot be started, else sets what mpirun needs.
needs_mpirun() {
  local why=
  "$HEATSOLVE" --version | grep -q '^MPI: *[0-9]' || why='built without MPI'
  command -v mpirun >/dev/null || why='there is no mpirun'
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  export OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
  export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader # no time for other ways, which ranks of one machine do not use
  [ -n "$why" ] || timeout 30 mpirun -n 2 true 2>/dev/null || why='mpirun starts no programs here'
  [ -n "$why" ] || return 0
  echo "1..0 # SKIP $why"
  exit 0
}

# same_field A.h5 B.h5
same_field() {
  "$HEATSOLVE" compare -q "$1" "$2" >/dev/null 2>&1
}

# json KEY FILE: the value of a key at the outermost level of a report, quotes removed.
json() {
  sed -n "/^  \"$1\": /{s///;s/,\$//;s/^\"\(.*\)\"\$/\1/;p;}" "$2"
}

# Files of an incomplete write have names that begin with a dot.
no_leftovers() {
  [ -z "$(find "$1" -name '.*' ! -path "$1" 2>/dev/null)" ]
}

# appears PATTERN: waits up to 20 s until a file of that name exists, and starts no processes meanwhile.
appears() {
  local k silent
  exec {silent}<> <(:)
  for ((k = 0; k < 4000; k++)); do
    if compgen -G "$1" >/dev/null; then break; fi
    read -rt 0.005 -u "$silent"
  done
  exec {silent}>&-
  [ "$k" -lt 4000 ]
}

# comes SECONDS COMMAND...: waits until the command succeeds.
comes() {
  local k
  for ((k = 0; k < 20 * $1; k++)); do
    if "${@:2}" >/dev/null 2>&1; then return 0; fi
    sleep 0.05
  done
  return 1
}

finish() {
  echo "1..$tests"
}
