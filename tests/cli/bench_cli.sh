#!/usr/bin/env bash
# heatsolve bench and heatsolve tune: options, tables and files. Times differ from run to run, so none is compared.
. "${HS_TEST_SRCDIR:?}/tap.sh"
export XDG_CACHE_HOME=$work/cache

# columns FILE: the number of columns of every line of a CSV file whose texts hold no comma, once each.
columns() {
  awk -F, '{print NF}' "$1" | sort -u
}

# field FILE LINE NAME: the value in a column.
field() {
  awk -F, -v line="$2" -v name="$3" 'NR == 1 {for (k = 1; k <= NF; k++) if ($k == name) column = k}
    NR == line {print $column}' "$1"
}

# positive FILE NAME: is the column a number above 0 in every row?
positive() {
  awk -F, -v name="$2" 'NR == 1 {for (k = 1; k <= NF; k++) if ($k == name) column = k; next}
    !($column + 0 > 0) {bad = 1} END {exit bad || NR < 2}' "$1"
}

# The table, and all files
quick=(bench -s 0.001 -r 3 -t 1)
expect 'bench prints a table' 0 'out~^machine +.*1 thread ' 'out~^copy limit +CPU: [0-9.]+ GB/s' \
  'out~^problem +four walls held, a heated rectangle' 'out~^timing +median of 3, 0.001 s' \
  'out~^nodes +material +form +mode +prec. +backend +threads +G updates/s' \
  'out~^33x33 +uniform +plain +sweep +double cpu +1 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ % +[0-9.]+ %$' \
  'out~^65x17 +uniform +plain +sweep +single cpu +1 +[0-9.]+' 'out~^"?GB/s: 16 bytes a node' \
  'out~^written: results/bench.csv results/bench.json results/bench.png$' -- \
  "${quick[@]}" -n 33,65x17 -b cpu -o results
check 'a CSV row for every case' [ "$(wc -l <results/bench.csv)" -eq 5 ]
check '... of one width' [ "$(columns results/bench.csv)" = 23 ]
check '... with the size' [ "$(field results/bench.csv 4 nx)x$(field results/bench.csv 4 ny)" = 65x17 ]
check '... and the threads' [ "$(field results/bench.csv 4 threads)" = 1 ]
check '... and the precision' [ "$(field results/bench.csv 3 precision)" = single ]
for column in sweeps_per_repeat sweep_time_us updates_g_per_s bandwidth_gb_per_s copy_limit_gb_per_s copy_share_percent; do
  check "... and a number: $column" positive results/bench.csv "$column"
done
awk -F, 'NR > 1 {r = $1 * $2 / ($13 * 1e3) / $15; s = $15 * ($6 == "double" ? 16 : 8) / $16
  if (r < 0.999 || r > 1.001 || s < 0.999 || s > 1.001) bad = 1} END {exit bad}' results/bench.csv
result $? 'time, updates and bandwidth agree'
awk -F, 'NR > 1 && $12 * $13 < 999 {bad = 1} END {exit bad}' results/bench.csv
result $? 'repeats take as long as asked for'
check 'the JSON file has the command' grep -qF '"command": "heatsolve bench -s 0.001 -r 3 -t 1 -n 33,65x17 -b cpu -o results"' \
  results/bench.json
check '... the version' [ "$(json version results/bench.json)" = "$("$HEATSOLVE" --version | sed -n '1s/.* //p')" ]
check '... the date' grep -qE '"date_utc": "20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"' results/bench.json
check '... the machine' grep -qE '"machine": ".+"' results/bench.json
check '... the copy limit' grep -qE '"copy_limit_cpu_bytes_per_s": [0-9]' results/bench.json
check '... none of a GPU that was not asked for' grep -q '"copy_limit_gpu_bytes_per_s": null' results/bench.json
check '... a row for every case' [ "$(grep -c '"measured": true' results/bench.json)" -eq 4 ]
check '... with threads' [ "$(grep -c '"threads": 1,' results/bench.json)" -eq 5 ]
check '... with times' [ "$(grep -cE '"sweep_time_s": [0-9.]+e?-?[0-9]*,$' results/bench.json)" -eq 4 ]
if command -v python3 >/dev/null; then
  python3 -c 'import json, sys; sys.exit(len(json.load(open("results/bench.json"))["rows"]) != 4)'
  result $? '... and is JSON'
fi
check 'the chart is a PNG file' is_png results/bench.png

# Cases
expect 'patterns, forms, modes' 0 'out~^20x20 +uniform +plain +sweep +double cpu ' \
  'out~^20x20 +map +chebyshev +tested double cpu +not measured: chebyshev has no test' \
  'out~^20x20 +noise +rhs +norm +double cpu +[0-9]' 'out~tested: every 8 sweeps' -- \
  "${quick[@]}" -n 20 -p double -b cpu -m uniform,stripes,blocks,noise,map -f plain,weighted,chebyshev,rhs \
  --mode sweep,tested,norm -c 8 --csv cases.csv
check '... are all there' [ "$(wc -l <cases.csv)" -eq 61 ]
check '... and measured, but for tests of chebyshev' [ "$(grep -c 'has no test within' cases.csv)" -eq 5 ]
expect 'multigrid: solutions and levels apart' 0 \
  'out~^20x20 +blocks +multigrid sweep +double cpu +[0-9]+  solved in [0-9.]+ ms by [0-9]+ cycles, levels made in [0-9.]+ ms' \
  'out~^20x20 +blocks +multigrid tested double cpu +not measured: a solution by multigrid has one mode alone' -- \
  "${quick[@]}" -n 20 -p double -b cpu -m blocks -f multigrid --mode sweep,tested --csv cycles.csv --json cycles.json
check '... in CSV, without rates of sweeps' grep -Eq '^20,20,blocks,multigrid,sweep,double,cpu,held,yes,,[0-9]+,,,[^,]*,,,[^,]*,,[0-9]+,,[0-9]+,[0-9.e+]+,[0-9.e+]+$' cycles.csv
check '... and JSON' grep -Eq '"solve_time_s": [0-9.e-]+' cycles.json
expect 'other walls, no source, the reference' 0 'out~^problem +walls held but for convection' 'out~, no source$' \
  'out~^3x3 .* cpu-reference +[0-9]' -- "${quick[@]}" -n 3 -p single -b cpu-reference --walls mixed --no-source
expect 'a serial backend sweeps with one thread' 0 'out~^99x99 .* cpu-reference +1 ' -- bench -s 0.001 -r 1 -t 16 -n 99 \
  -p double -b cpu-reference
expect 'a list of precisions' 0 'out~^9x9 .* double cpu ' 'out~^9x9 .* single cpu ' -- "${quick[@]}" -n 9 -p double,single -b cpu
expect '... with a slip' 2 out= 'err~--precision takes a list out of .*, not "double,singel"; try' -- bench -p double,singel
expect 'an even number of repeats' 0 'out~median of 2,' -- bench -s 0.001 -r 2 -t 1 -n 9 -p double -b cpu
expect 'cpu-reference is left out unless named' 0 'out~ cpu ' -- "${quick[@]}" -n 9 -p double --csv all.csv
check '... of the file, too' [ "$(grep -c cpu-reference all.csv)" -eq 0 ]
expect 'a backend named twice counts once' 0 out= -- "${quick[@]}" -q -n 9 -p double -b cpu,cpu --csv twice.csv
check '... in the file' [ "$(wc -l <twice.csv)" -eq 2 ]
expect 'options before the command word' 0 out= -- -q bench -s 0.001 -r 1 -n 9 -p double -b cpu
expect 'a map that fits into no memory' 0 'out~^9x9 +map .* cpu +[0-9]' \
  'out~^262144x262144 +map .* cpu +not measured: ' -- "${quick[@]}" -n 262144,9 -p double -b cpu -m map
call "${quick[@]}" -n 262144 -p double -b cpu -m map --csv none.csv
[ "$rc" -ne 0 ] && grep -q '^heatsolve: nothing could be measured; cpu on 262144 x 262144 nodes: ' err
result $? 'nothing measured is a failure with the reason'
check '... that the file has, too' grep -q ',a law for every node is possible up to' none.csv
if "$HEATSOLVE" backends | grep -q '^cuda-global *no '; then
  expect 'a backend that cannot run here' 0 'out~ cuda-global +not measured: .' 'out~ cpu +[0-9]' -- \
    "${quick[@]}" -n 9 -p double -b cuda-global,cpu
  expect '... alone' 6 'err~nothing could be measured; cuda-global on 9 x 9 nodes: ' -- "${quick[@]}" -n 9 -b cuda-global
else
  skip 'a backend that cannot run here' 'all can'
fi

# The problem of a configuration
expect 'a configuration at its own size' 0 "out~^problem +$inputs/small.ini; solutions to error <= 0.001 K\$" \
  'out~^[0-9]+x[0-9]+ +file +plain +sweep +double cpu +1 +[0-9]' \
  'out~^[0-9]+x[0-9]+ +file +multigrid sweep +double cpu +1  solved in [0-9.]+ ms by [0-9]+ cycles' \
  'out~ +rhs +sweep +double cpu +not measured: the problem is steady and has no time step' -- \
  "${quick[@]}" "$inputs/small.ini" -p double -b cpu -f plain,rhs,multigrid --csv file.csv --json file.json
check '... in CSV, without the walls of the plate' grep -Eq '^[0-9]+,[0-9]+,file,plain,sweep,double,cpu,,,' file.csv
check '... and in JSON by its name' grep -qF "\"file\": \"$inputs/small.ini\"" file.json
check '... that has no walls of the plate' grep -q '"walls": null' file.json
expect 'at other sizes, to its tolerance' 0 'out~^33x33 .* by [0-9]+ cycles' 'out~^65x17 .* by [0-9]+ cycles' -- \
  "${quick[@]}" "$inputs/small.ini" -n 33,65x17 -p double -b cpu -f multigrid --set solver.tolerance=1e-9 --csv tight.csv
call "${quick[@]}" "$inputs/small.ini" -n 33,65x17 -p double -b cpu -f multigrid --set solver.tolerance=10 --csv loose.csv
check '... which tells in cycles' [ "$(field tight.csv 2 cycles)" -gt "$(field loose.csv 2 cycles)" ]
"$HEATSOLVE" "$inputs/small.ini" -q -b cpu --set solver.method=multigrid --set grid.nx=33 --set grid.ny=33 \
  --set solver.tolerance=1e-9 -o as-run
check '... those of a run' [ "$(field tight.csv 2 cycles)" = "$(json cycles as-run/report.json)" ]
input=$inputs/small.ini expect 'a configuration from standard input' 0 'out~ file +plain ' -- "${quick[@]}" - -p double -b cpu
expect 'a criterion of sweeps' 2 'err~nothing could be measured; cpu on .*: criterion = update_l2 is one of Jacobi.s sweeps' -- \
  "${quick[@]}" "$inputs/small.ini" -p double -b cpu -f multigrid --set solver.criterion=update_l2
cp "$inputs/small.ini" own.ini
for option in --csv --json --chart; do
  expect "bench $option in place of the configuration" 2 out= "err~own.ini: own.ini is read, and $option would replace it" \
    -- bench own.ini "$option" own.ini
done
check '... which is left as it is' cmp -s own.ini "$inputs/small.ini"
expect 'a plate that begins solved' 0 'out~ multigrid sweep +double cpu +1  solved in [0-9.]+ ms by 0 cycles' -- \
  "${quick[@]}" own.ini -p double -b cpu -f multigrid --set boundary.north=0 --set initial.temperature=0 --csv zero.csv
check '... in CSV, too' [ "$(field zero.csv 2 cycles)" = 0 ]
expect 'spacings in place of lengths' 0 'out~^17x9 ' -- "${quick[@]}" own.ini -n 17x9 -p double -b cpu --set grid.dx=0.1 \
  --set grid.dy=0.1
call "${quick[@]}" own.ini -n 262144 -p double -b cpu
[ "$rc" -ne 0 ] && grep -q '262144 x 262144 nodes: the problem alone needs' err
result $? 'what memory cannot hold is refused'
expect 'one result alone' 0 'out~^written: alone.json$' -- "${quick[@]}" -n 9 -p double -b cpu --json alone.json
expect 'a run over time' 2 out= 'err~is a run over time, and bench measures sweeps and steady solutions' -- \
  bench "$inputs/transient.ini"
expect '... of its plate' 0 'out~ file +plain ' -- "${quick[@]}" "$inputs/transient.ini" -p double -b cpu -n 33 \
  --set time.scheme=steady
expect 'no such file' 5 out= 'err~none.ini: the configuration cannot be opened' -- bench none.ini
expect 'a wrong configuration' 2 out= 'err~grid.nx=0' -- bench "$inputs/small.ini" --set grid.nx=0
expect 'a plate in vain' 2 out= 'err~--walls describes the plate that is measured without a file' -- \
  bench "$inputs/small.ini" --walls held

expect 'a list of precisions' 0 'out~ double cpu ' 'out~ single cpu ' -- "${quick[@]}" -n 9 -b cpu -p single,double
expect '... of one' 0 'out~ single cpu ' -- "${quick[@]}" -n 9 -b cpu -p single
check '... leaves out the other' [ "$(grep -c ' double cpu ' out)" -eq 0 ]
expect '... both, as a word' 0 'out~ double cpu ' 'out~ single cpu ' -- "${quick[@]}" -n 9 -b cpu -p both

# Files that cannot be written are refused before anything is measured
expect 'a chart into a folder that is missing' 5 out= 'err~cannot write none/x.png' -- "${quick[@]}" --chart none/x.png
expect 'a folder that is a file' 5 out= 'err~cases.csv' -- "${quick[@]}" -o cases.csv
check 'a named file goes before the folder' "$HEATSOLVE" "${quick[@]}" -q -n 9 -p double -b cpu -o folder --csv named.csv
[ -f named.csv ] && [ ! -e folder/bench.csv ] && is_png folder/bench.png
result $? '... for itself alone'

# Wrong options
for wrong in 2 x 64x 64x64x64 '64,' ,64 0 -5 1e3 262145 '' '64 128'; do
  expect "bench -n '$wrong'" 2 out= 'err~--size takes up to 64 sizes from 3 to 262144' -- bench -n "$wrong"
done
for wrong in half '' doub double, single,half; do
  expect "bench -p '$wrong'" 2 out= 'err~--precision takes a list out of double, single, both' -- bench -p "$wrong"
done
expect 'bench -b: an unknown backend' 2 out= 'err~out of cpu-reference, cpu, cuda-global.* not "cpu,gpu"' -- bench -b cpu,gpu
expect 'bench -b: auto' 2 out= 'err~not "auto"' -- bench -b auto
expect 'bench -m: unknown' 2 out= 'err~--material takes a list out of uniform, stripes, blocks, noise, map' -- bench -m wood
expect 'bench -f: unknown' 2 out= 'err~--form takes a list out of plain, weighted, chebyshev, rhs, multigrid' -- bench -f plain,sor
expect 'bench --mode: unknown' 2 out= 'err~--mode takes a list out of sweep, tested, norm' -- bench --mode ''
expect 'bench --walls: unknown' 2 out= 'err~--walls takes one of held, mixed, not "open"' -- bench --walls open
expect 'bench -c' 2 out= 'err~--check-every takes a whole number from 1 to 1000000' -- bench -c 0
expect 'bench -c: tests too far apart to be timed' 6 'err~512 x 512 nodes: 1000000 sweeps between two tests take more than 10 s' -- \
  bench -n 512 -p double -b cpu-reference --mode tested -c 1000000
expect 'bench -r' 2 out= 'err~--repeats takes a whole number from 1 to 101' -- bench -r 102
expect 'bench -t' 2 out= 'err~--threads takes a whole number from 0 to 4096' -- bench -t 1.5
for wrong in 0 -1 nan inf 1h 601 ''; do
  expect "bench -s '$wrong'" 2 out= 'err~--seconds takes a number from 0.0001 to 600' -- bench -s "$wrong"
done
expect 'bench --csv without a name' 2 out= 'err~--csv takes a name that is not empty' -- bench --csv ''
expect 'bench: an unknown option' 2 out= 'err~bench. has no option --restart, ' -- bench --restart
expect 'bench --set without a file' 2 out= 'err~--set needs a file, CONFIG.ini, to change' -- bench --set grid.nx=5
expect 'bench: a missing value' 2 out= 'err~--size needs a value' -- bench -n
expect 'bench takes one file at most' 2 out= 'err~bench. takes one file, CONFIG.ini, at most; 2 given' -- bench a.ini b.ini

# A signal ends after the present row, and what was measured is written
"$HEATSOLVE" bench -n 9 -p double -b cpu -t 1 -s 0.4 -r 1 -m uniform,stripes,blocks,noise,map -f plain,weighted,rhs \
  --csv stopped.csv --chart stopped.png >out 2>err &
pid=$!
for _ in $(seq 600); do
  if grep -q '^9x9 ' out; then break; fi
  sleep 0.1
done
kill -INT $pid
wait $pid
rc=$?
check 'a signal ends with code 75' [ "$rc" -eq 75 ]
check '... and no complaint' [ ! -s err ]
rows=$(($(wc -l <stopped.csv) - 1))
[ "$rows" -ge 1 ] && [ "$rows" -lt 15 ] && is_png stopped.png
result $? '... the rows until then are written'

# tune
expect 'tune --show without measurements' 0 'out~^no measurements of this machine in .*/cache/heatsolve/tuning-' \
  'out~^built-in costs' 'out~^cpu.* double +uniform ' -- tune --show
expect 'tune --forget without measurements' 0 'out~^there is no ' -- tune --forget
check '... writes nothing' [ ! -e cache ]
expect 'tune measures' 0 'out~^measuring on ' 'out~^G updates/s +nodes: +64\^2 +256\^2' \
  'out~^cpu +double +uniform +[0-9]' 'out~^cpu +single +map +[0-9]' \
  'out~^kept in .*/cache/heatsolve/tuning-[0-9a-f]+.json; ' -- tune --quick -b cpu
tuned=$(echo cache/heatsolve/tuning-*.json)
check '... and keeps a file' [ -s "$tuned" ]
check '... of all kinds in both precisions' [ "$(grep -c '"backend": "cpu"' "$tuned")" -eq 14 ]
expect 'tune --show prints it' 0 'out~^measured on .*, 20[0-9-]+T[0-9:]+Z$' 'out~^kept in ' \
  'out~^cpu +double +chebyshev +[0-9]' -- tune --show
sed -n '/^cpu /p' out >before
expect 'tune of another backend keeps the first' 0 out= -- tune -q --quick -b cpu-reference
expect '... in the table' 0 'out~^cpu-reference +double +uniform +[0-9]' 'out~^cpu +double +uniform ' -- tune --show
sed -n '/^cpu /p' out >after
check '... as it was' cmp -s before after
expect 'tune --show --quiet' 0 out= -- tune --show -q
echo '{' >"$tuned"
expect 'a damaged file is told of' 0 warnings=1 'err~^heatsolve: warning: .* cannot be used' 'out~^built-in costs' -- tune --show
expect '... and replaced' 0 warnings=1 'out~^cpu +double +uniform' -- tune --quick -b cpu
expect '... for good' 0 'out~^measured on ' -- tune --show
expect 'tune --forget' 0 'out~^removed .*tuning-' -- tune --forget
check '... removes the file' [ ! -e "$tuned" ]
if "$HEATSOLVE" backends | grep -q '^cuda-global *no '; then
  expect 'tune of what cannot run here' 6 'err~nothing to measure; cuda-global: ' -- tune -b cuda-global
fi
expect 'tune: --show and --quick' 2 out= 'err~each stand alone' -- tune --show --quick
expect 'tune: --show and --forget' 2 out= 'err~each stand alone' -- tune --show --forget
expect 'tune: an unknown backend' 2 out= 'err~not "gpu"' -- tune -b gpu
expect 'tune: an unknown option' 2 out= 'err~tune. has no option --size' -- tune -n 64
expect 'tune takes no file' 2 out= 'err~tune. takes no file; 2 given' -- tune a b
XDG_CACHE_HOME='' HOME='' expect 'tune without a home folder' 5 out= 'err~no home folder' -- tune --show
: >plain
XDG_CACHE_HOME=$work/plain expect 'tune into a file' 5 out= 'err~cannot write ' -- tune -q --quick -b cpu

finish
