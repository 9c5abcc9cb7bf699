#!/usr/bin/env bash
# What the command says of multigrid: cycles, and of sweeps nothing but the work.
. "${HS_TEST_SRCDIR:?}/tap.sh"

mg=(--set solver.method=multigrid)

expect 'a run counts cycles' 0 'out~^  status +converged after [0-9]+ cycles, the work of [0-9]+ sweeps$' \
  'out~^  stop test +error <= 0.001 K, found by a cycle from the field itself$' \
  'out~^  method +multigrid, [0-9]+ levels made in [0-9.e-]+ s$' 'out~ s of it cycles$' \
  'out~^  predicted +[0-9.e-]+ s of cycles by ' -- "$inputs/small.ini" "${mg[@]}" -o run
check '... and no sweeps' [ "$(grep -c 'sweep' out)" -eq 1 ]
check '... nor rates of nodes' [ "$(grep -Ec 'stop index|looked at|node updates|^  update' out)" -eq 0 ]
check '... in report.json, too' grep -Eq '"cycles": [0-9]+,' run/report.json
check '... with the work' grep -Eq '"work_sweeps": [0-9.]+,' run/report.json

expect 'check forecasts cycles' 0 \
  'out~^stop test +error <= 0.001 K, evaluated after every cycle; at most 1000000 cycles$' \
  'out~^cycles +roughly [0-9]+, a guess$' 'out~^time .* us per cycle; ' 'out~lowest forecast for [0-9]+ cycles' \
  -- check "$inputs/small.ini" "${mg[@]}" -o run
check '... and no sweeps' [ "$(grep -c 'sweep' out)" -eq 0 ]

# A block of 1e6 beside one of 1e-6: no cycle more than with one material; and at the floor of rounding cycles end.
heater=(--set 'source heater.shape=rectangle' --set 'source heater.density=1e4')
for key in x0=0.4375 x1=0.5625 y0=0.4375 y1=0.5625; do heater+=(--set "source heater.$key"); done
"$HEATSOLVE" "$HS_TEST_SRCDIR/../benchmarks/blocks.ini" -q -t 1 -b cpu --set grid.nx=193 --set grid.ny=193 --set boundary.west=10 \
  --set boundary.north=30 "${heater[@]}" --set output.field=yes -o once
blocks=("$HS_TEST_SRCDIR/../benchmarks/blocks.ini" -t 1 -b cpu --set grid.nx=385 --set grid.ny=385 --set boundary.west=10
  --set boundary.north=30 "${heater[@]}")
expect 'great contrasts ask for no more cycles' 0 'out~^  status +converged after [5-7] cycles' -- "${blocks[@]}" -o great
expect 'at the floor of rounding cycles end' 0 'out~^  status +converged after 1[0-5] cycles' \
  'out~^  remaining error +about [1-9][0-9.]*e-1[345] K' -- "${blocks[@]}" --set solver.tolerance=1e-12 -o floor
expect '... and a solution that is solved once more has converged' 0 'out~^  status +converged after [1-9] cycles' -- \
  "$HS_TEST_SRCDIR/../benchmarks/blocks.ini" -t 1 -b cpu --set grid.nx=193 --set grid.ny=193 --set boundary.west=10 \
  --set boundary.north=30 "${heater[@]}" --set "map.initial=$PWD/once/field.h5:/temperature" -o twice

# Conductivities of 0.01 to 100 at random, cell by cell.
awk 'BEGIN {
  print "[grid]\nlayout = cell\nnx = 20\nny = 20\nlx = 20\nly = 20\n[material]\nconductivity = 1"
  print "[boundary]\nwest = 0\neast = 1\nsouth = 0\nnorth = 0\n[initial]\ntemperature = 0"
  for (k = 0; k < 5; k++) print "[material m" k "]\nconductivity = " 10 ^ (k - 2)
  seed = 1
  for (n = 0; n < 400; n++) {
    seed = seed * 1103515245 % 65536 + 12345
    seed = seed % 65536
    i = n % 20; j = int(n / 20)
    print "[shape s" n "]\nshape = rectangle\nx0 = " i "\nx1 = " i + 1 "\ny0 = " j "\ny1 = " j + 1
    print "material = m" int(seed / 256) % 5
  }
}' >noise.ini
expect 'check tells that noise takes more' 0 \
  'out~^cycles +roughly [0-9]+, a guess, since conductivities jump from cell to cell, which takes more of them$' \
  -- check noise.ini "${mg[@]}" -o run

for criterion in error residual; do
  expect "verify by $criterion" 0 'out~^cpu +converged after [0-9]+ cycles, remaining error [0-9.e-]+ K' \
    'out~^cpu-reference +converged after [0-9]+ cycles' 'out~^same bits +yes' 'out~^stop and norms +the same bits' \
    -- verify "$inputs/small.ini" "${mg[@]}" -b cpu --set solver.criterion=$criterion
done

# The first field that nested iteration gives is good enough: it has an estimate nevertheless.
cat >periodic.ini <<'END'
[grid]
nx = 101
ny = 77
lx = 1
ly = 1
[material]
conductivity = 1
[material block]
conductivity = 300
[shape block]
shape = rectangle
x0 = 0.3
x1 = 0.6
y0 = 0.2
y1 = 0.7
material = block
[boundary]
west = periodic
east = periodic
south = 0
north = 1
[initial]
temperature = 0
[solver]
criterion = residual
tolerance = 0.5
balance_tolerance = 1
END
expect 'an early end by the residual has its estimate' 0 warnings=3 'out~^  status +converged after 2 cycles, ' \
  'out~^  remaining error +at least [0-9.]+ K ' -- periodic.ini "${mg[@]}" -o early

# Metal in gaps of a 6e7-th of its conductivity: residuals hardly show that a block still has its start temperature. Within the
# tolerance of the steady state it has 50.0695 in the centre, by Chebyshev sweeps.
awk 'BEGIN {
  print "[grid]\nnx = 22\nny = 19\ndx = 1\ndy = 1\n[material]\nconductivity = 6e7\n[material gap]\nconductivity = 1"
  for (n = 0; n < 6; n++)
    print "[shape h" n "]\nshape = rectangle\nmaterial = gap\nx0 = 0\nx1 = 21\ny0 = " 3 * n "\ny1 = " 3 * n + 1
  for (n = 0; n < 3; n++)
    print "[shape v" n "]\nshape = rectangle\nmaterial = gap\nx0 = " 7 * n "\nx1 = " 7 * n + 1 "\ny0 = 1\ny1 = 18"
  print "[boundary]\nsouth = insulated\neast = 30\nnorth = 40\n[boundary cooled]\nside = west\nkind = convection"
  print "h = 4e3\nambient = 100\n[initial]\ntemperature = 200"
}' >floating.ini
expect 'blocks that float are waited for' 0 'out~^  status +converged after [2-9][0-9] cycles' \
  'out~^  at the centre +50[.]0' -- floating.ini "${mg[@]}" --set solver.tolerance=3 -o floating

# A start that is solved, but for more than rounding: its residual cannot fall by the tolerance, and need not.
cp "$inputs/small.ini" solved.ini
solved=("${mg[@]}" --set solver.criterion=residual --set solver.tolerance=1e-9 -o twice)
expect 'a field to start from' 0 -- solved.ini "${mg[@]}" --set solver.tolerance=1e-9 -o answer
printf '[map]\ninitial = answer/field.h5:/temperature\n' >>solved.ini
expect 'a start that was solved' 0 'out~^  status +converged after 3 cycles' 'out~the start was solved already$' \
  -- solved.ini "${solved[@]}"
expect '... in two parts' 3 warnings=3 -- solved.ini "${solved[@]}" --force --set run.checkpoint_every=1e-9 \
  --set solver.max_iterations=2
expect '... ends as at once' 0 'out~^  status +converged after 3 cycles' -- solved.ini "${solved[@]}" --restart

expect 'no criteria on the update' 2 out= 'err~criterion = update_l2 asks what a sweep changes' \
  -- "$inputs/small.ini" "${mg[@]}" --set solver.criterion=update_l2 -o run
expect 'a limit of cycles' 3 warnings=3 'out~iteration limit reached after 2 cycles' 'err~the limit of 2 cycles was reached' \
  -- "$inputs/small.ini" "${mg[@]}" --set solver.max_iterations=2 --set solver.tolerance=1e-9 -o limited

expect 'a run over time' 0 'out~^  status +completed at .* and [0-9]+ cycles$' 'out~^  method +multigrid, ' \
  -- "$inputs/transient.ini" "${mg[@]}" -o course
expect 'its check' 0 \
  'out~^inner cycles +each step is solved to ' 'out~^cycles +roughly [0-9]+, a guess for all steps$' \
  -- check "$inputs/transient.ini" "${mg[@]}" -o course
expect 'explicit steps need no method' 0 'out~^method +multigrid is not used: explicit steps have no system to solve$' \
  -- check "$inputs/transient.ini" "${mg[@]}" --set time.scheme=explicit --set time.step=1e-4 -o course
expect '... and take none' 0 'out~ and [0-9]+ sweeps$' \
  -- "$inputs/transient.ini" "${mg[@]}" --set time.scheme=explicit --set time.step=1e-4 -o course
# Grids of a few nodes, which one or two cycles solve to the last bit, are solved by every method.
not_solved=
for nx in 2 3 4 5 7; do
  for ny in 2 3 6; do
    for method in jacobi weighted chebyshev multigrid; do
      printf '[grid]\nnx=%d\nny=%d\nlx=1\nly=1\n[material]\nconductivity=2\n[boundary]\nwest=300\neast=350\nsouth=293.15\nnorth=insulated\n' \
        $nx $ny >tiny.ini
      call -q tiny.ini -o tiny --force --set solver.method=$method --set output.picture=no --set output.convergence=no
      if [ $rc -ne 0 ]; then not_solved+=" $method:${nx}x$ny"; fi
    done
  done
done
check 'tiny grids are solved by every method' [ -z "$not_solved" ]

# An island that conducts 1e7 times better than the plate, beside a bar of the same between two walls: the bar's residual hides
# the island's, whose temperature is wrong by 0.76 K after three cycles.
cat >island.ini <<'END'
[grid]
nx = 65
ny = 33
lx = 1
ly = 1
[material]
conductivity = 1
[material metal]
conductivity = 1e7
[shape bar]
shape = rectangle
x0 = 0.82
x1 = 0.85
y0 = 0
y1 = 1
material = metal
[shape island]
shape = line
x0 = 0.07
x1 = 0.62
y0 = 0.44
y1 = 0.13
width = 0.045
material = metal
[boundary]
west = insulated
east = insulated
south = 1
north = 0
[output]
picture = no
END
call -q island.ini -o island
check 'an island of metal beside a bar of it' [ $rc -eq 0 ]
call -q island.ini -o island-sharp --set solver.method=multigrid --set solver.tolerance=1e-10 --set solver.balance_tolerance=1
call compare island/field.h5 island-sharp/field.h5
check '... has the right temperature' awk '/^largest difference/ {found = 1; near = $3 < 0.0011} END {exit !(found && near)}' out

# The cycles' own figures say how good they are, after three of them at the earliest.
expect 'one cycle is no ground to say converged' 3 warnings=3 'out~iteration limit reached after 1 cycle' -- "$inputs/plate.ini" -o one \
  --set solver.method=multigrid --set solver.criterion=error --set solver.tolerance=1000 --set solver.max_iterations=1
expect 'max_iterations counts the cycles that a refused balance asks for, too' 3 warnings=1 'out~iteration limit reached after 5 cycles' -- \
  "$inputs/plate.ini" -o five --set solver.method=multigrid --set solver.criterion=error --set solver.tolerance=1 \
  --set solver.balance_tolerance=1e-13 --set solver.max_iterations=5
call -q "$inputs/plate.ini" -o solved --set solver.method=multigrid --set solver.criterion=error --set solver.tolerance=1e-13
expect 'a start at the answer leaves nothing to do' 0 'out~converged' -- "$inputs/plate.ini" -o again \
  --set solver.method=multigrid --set solver.criterion=residual --set solver.tolerance=1e-6 --set map.initial="$PWD/solved/field.h5:/temperature"
expect 'a refused balance asks for a smaller residual of the first one' 0 'out~converged' -- "$inputs/plate.ini" -o residual \
  --set solver.method=multigrid --set solver.criterion=residual --set solver.tolerance=1e-2 --set solver.balance_tolerance=1e-7

finish
