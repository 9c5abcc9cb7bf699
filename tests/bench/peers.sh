#!/usr/bin/env bash
# benchmarks/peers.py and benchmarks/solvers.py: who is timed. Times differ from run to run, so none is compared.
. "${HS_TEST_SRCDIR:?}/tap.sh"

export HS_BENCHMARKS=$HS_TEST_SRCDIR/../benchmarks
if ! python=$(python_with numpy); then
  echo '1..0 # SKIP no python3 here has numpy'
  exit
fi
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
echo 'raise ImportError("left out by the test")' >devito.py

# says WORDS...: does the last table have a line of these words?
says() {
  tr -s ' ' <out | grep -qF -- "$*"
}

PYTHONPATH=$PWD "$python" "$HS_BENCHMARKS/peers.py" -n 33,40 --repeats 1 --seconds 0.001 -b cpu --peers numpy,devito \
  --heatsolve "$HEATSOLVE" --csv peers.csv >out 2>err
result $? 'sweeps beside others'
check '... are timed' [ "$(grep -cE '^(33|40),double,cpu,(heatsolve cpu|numpy),[^,]*,[0-9.e-]+,' peers.csv)" -eq 4 ]
check '... what is not installed is named, once' [ "$(grep -c 'not here: ImportError: left out by the test' out)" -eq 1 ]

# Solvers made up for the test. Of "even" the error is 100 K times the tolerance, and each iteration gains a factor 10^0.1.
cat >made_up.py <<'TEXT'
import functools, math, os, sys
sys.path.insert(0, os.environ["HS_BENCHMARKS"])
import solvers

@functools.lru_cache
def answer(n, pattern):
    return solvers.direct_answer(solvers.Plate(n, pattern))

solvers.LEAST_REPEAT_S = 0.001

class Right(solvers.Solver):
    version, wrong_k = "1", 0.0
    def setup(self):
        pass
    def solve(self, tolerance):
        self.answer = answer(self.p.n, self.p.pattern) + self.wrong_k

class Wrong(Right):
    wrong_k = 1e-3

class Late(Right):
    def setup(self):
        self.wrong_k = 0.0 if self.p.n == solvers.SMALL_NODES else 2e-6

class Even(Right):
    iterative = True
    def solve(self, tolerance):
        self.answer = answer(self.p.n, self.p.pattern) + 100 * tolerance
        return math.ceil(-10 * math.log10(tolerance))

class Stuck(Even):
    def solve(self, tolerance):
        super().solve(max(tolerance, 1e-6 if self.p.n != solvers.SMALL_NODES else 0.0))
        return 99

class Absent(Right):
    def __init__(self, plate, arguments):
        raise ImportError("none of it")

if "LIAR" in os.environ:
    solvers.direct_answer = lambda plate: plate.given()
solvers.SMALL_NODES = 29
solvers.PEERS.clear()
solvers.PEERS.update({"right": Right, "wrong": Wrong, "late": Late, "even": Even, "stuck": Stuck, "absent": Absent})
solvers.main()
TEXT
made_up() {
  "$python" made_up.py -n 33,40 --repeats 1 --threads 1 -b cpu --heatsolve "$HEATSOLVE" --csv solvers.csv >out 2>err
}
made_up
result $? 'solvers beside others'
check '... are timed, heatsolve among them' \
  [ "$(grep -cE '^(33|40),(uniform|blocks),cpu,(heatsolve cpu|right|even),[^,]*,[0-9.e-]+,[0-9.e-]+,' solvers.csv)" -eq 12 ]
awk -F, '$4 == "heatsolve cpu" && $12 > 0 && $12 < 1e-8 && $13 == 1 {good++} END {exit good != 4}' solvers.csv
result $? "... with heatsolve's true error"
awk -F, '$4 == "even" && $11 <= 1e-8 && $11 >= 7e-9 && ($10 == 80 || $10 == 81) {good++} END {exit good != 4}' solvers.csv
result $? '... the loosest tolerance that is enough'
check '... none that computes something else' says 'wrong not timed: it differs from NumPy by 0.001 K on 29 x 29 nodes'
check '... or does so on a larger plate' says 'late 1 not timed: its answer is wrong by 2e-06 K'
check '... or does not get there' says 'stuck not timed: an error of 0.0001 K is left after 99 iterations'
check '... what is not installed is named, once' [ "$(grep -c 'absent .*not here: ImportError: none of it' out)" -eq 1 ]
LIAR=1 made_up
[ $? -eq 1 ] && grep -q '^solvers.py: heatsolve and NumPy differ by .* nothing is compared$' err
result $? '... nobody, where heatsolve itself is wrong'

for wrong in '-n 8' '-n 33x' '-m noise' '--peers none' '--threads 0' '--seconds 0'; do
  # shellcheck disable=SC2086  # two words
  "$python" "$HS_BENCHMARKS/solvers.py" --heatsolve "$HEATSOLVE" $wrong >out 2>err
  [ $? -eq 2 ] && grep -q '^solvers.py: error: ' err
  result $? "solvers.py $wrong is refused"
done
finish
