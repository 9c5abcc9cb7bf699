#!/usr/bin/env bash
# Command lines: every command and option, right and wrong.
#
# Wrong ones must be refused with the exit code of their kind and with one sentence that says what
# was read and what is allowed; stderr_fits in tap.sh checks its form for every call here.
. "${HS_TEST_SRCDIR:?}/tap.sh"

cp "$inputs/small.ini" a.ini
call a.ini -q -o ref
check 'a first run, for the tests below' [ "$rc" -eq 0 ]

# Help and version
expect '--help goes to standard output' 0 'out~^Usage: heatsolve' 'out~--print-config' 'out~75  stopped by a signal' \
  'out~^  validate ' 'out~completed: a run over time reached its end' -- --help
expect '-h is the same' 0 'out~^Usage: heatsolve' -- -h
expect '--help wins over what follows it' 0 'out~^Usage' -- --help --nonsense a b c
commands=$(sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' out)
check '... and names the commands' [ "$(echo $commands)" = \
  'run check verify compare backends render validate bench tune submit queue help' ]
for command in $commands; do
  expect "$command --help explains the command" 0 "out~^Usage: heatsolve $command " 'out~^Options:' 'out~-h, --help' -- \
    $command --help
  cp out help
  expect "help $command is the same" 0 -- help "$command"
  check '... indeed' cmp -s help out
  # Every option that the help names is one of the command: it is taken, and --help behind it ends the reading.
  for option in $(sed -nE 's/^  .*(--[a-z-]+) ([A-Z][^ ]*)( .*|$)/\1=1/p; s/^  .*(--[a-z-]+)(  .*|$)/\1/p' help); do
    call $command $option --help
    check "... and has $option" [ $rc -eq 0 ]
  done
done
expect 'help of an option before the command' 0 'out~^Usage: heatsolve check ' -- -b cpu --help check
expect 'help alone' 0 'out~^Commands' -- help
expect 'help of a misspelt command' 2 'err~no command "chekc"; did you mean "check"\?' -- help chekc
expect 'help of two commands' 2 'err~takes one command at most; 2 given' -- help run check
for text in --help --help-config --print-config $(printf -- 'help:%s ' $commands); do
  call ${text/:/ }
  check "${text/:/ } fits into 80 columns" [ "$(awk 'length > 79' out | wc -l)" -eq 0 ]
done
call help render
for map in $("$HEATSOLVE" render --colormap mud x 2>&1 | sed 's/.*one of//; s/, not.*//; s/,//g'); do
  check "help render names the colour map $map" grep -qw -- "$map" out
done
expect '--version names the build' 0 'out~^heatsolve [0-9]' 'out~^CUDA:' 'out~^HDF5:' 'out~^compiler:' \
  'out~cpu-reference' -- --version
if grep -q '^CUDA: *no' out; then
  check '... names no backend that it lacks' grep -qx 'backends:  cpu-reference cpu' out
else
  check '... names those of CUDA' grep -qx 'backends:  cpu-reference cpu .*cuda-.*' out
fi
expect '-V is the same' 0 'out~^heatsolve [0-9]' -- -V
expect 'an option may be abbreviated' 0 'out~^heatsolve [0-9]' -- --vers

# Words and files
expect 'no argument' 2 'err~no configuration file' 'err~heatsolve --help' --
expect 'a command without its file' 2 'err~check. takes one file, CONFIG.ini; 0 given' -- check
expect 'two configurations' 2 'err~"a.ini" is no command .known: run, check' -- a.ini b.ini
expect 'a misspelt command' 2 'err~"chekc"; did you mean "check"' -- chekc a.ini
expect 'a misspelt command alone' 2 'err~"backend"; did you mean "backends"' -- backend
expect 'a command that does not exist, with its help' 0 'out~^Commands' -- nonsense --help
expect 'one field to compare' 2 'err~takes two files, A.h5 B.h5; 1 given' -- compare ref/field.h5
expect 'no field from standard input' 2 out= 'err~cannot be read from standard input .*; give the file' -- compare - -
expect '... nor for a picture' 2 out= 'err~cannot be read from standard input' -- render -
expect 'three fields to compare' 2 'err~takes two files, A.h5 B.h5; 3 given' -- compare 1.h5 2.h5 3.h5
expect 'backends takes no file' 2 'err~takes no file; 1 given' -- backends a.ini
expect 'render takes one file' 2 'err~takes one file, FIELD.h5; 2 given' -- render 1.h5 2.h5
expect 'an empty file name' 2 'err~file name is empty' -- ''
sed '$a [shape ring]\nshape = circle\ninside = no\nx = 0.5\ny = 0.5\nradius = 0.3\ntemperature = 7' a.ini >ring.ini
expect 'check tells of an outside' 0 'out~^held shapes +ring \(circle, inside = no\): temperature 7 ' -- check ring.ini
expect 'options before the command word' 0 'out~^configuration +a.ini' 'out~^backend +cpu ' -- -b cpu -t 1 check a.ini
expect 'an option value that is a command word' 0 out= -- --output check -q a.ini
check '... is the folder' [ -f check/report.json ]
rm -rf check
cp a.ini check
expect 'a file called check: as a path' 0 out= -- -q ./check
expect 'a file called check: behind --' 0 out= -- -q -- check
expect 'a file called check: behind its command' 0 'out~^configuration +check$' -- check check
expect 'check alone is the command' 2 'err~check. takes one file' -- check -q
rm -f check
expect 'a missing file called check' 5 'err~check: .*No such file' -- -- check
cp a.ini ./-a.ini
expect 'a file that begins with -' 0 'out~^configuration +-a.ini' -- check -- -a.ini
expect '... is options without --' 2 'err~unknown option "-a"' -- check -a.ini
expect 'nothing is an option behind --' 5 'err~^heatsolve: -q: .*No such file' -- -- -q

rm -rf heatsolve-output

# Options
expect 'an unknown option' 2 'err~unknown option "--nonsense=1"' -- --nonsense=1 a.ini
expect 'an unknown letter' 2 'err~unknown option "-z"' -- -z a.ini
expect 'an unknown letter among known ones' 2 'err~unknown option "-z"' -- -qz a.ini
expect 'an abbreviation of several options' 2 'err~more than one option begins with "--he"' -- --he
expect 'a value that is missing' 2 'err~--set needs a value' -- a.ini --set
expect 'a value that is missing, short' 2 'err~--threads needs a value' -- a.ini -qt
expect 'a value where none belongs' 2 'err~--quiet takes no value' -- --quiet=yes a.ini
expect 'a misspelt option' 2 'err~"--ouptut"; did you mean --output\? Try' -- --ouptut x a.ini
expect '... with a value' 2 'err~"--trheads=2"; did you mean --threads\?' -- --trheads=2 a.ini
expect '... of another command' 2 'err~"--fromm"; did you mean --form\? Try .heatsolve help bench' -- bench --fromm plain
expect 'an option of validate without it' 2 \
  'err~heatsolve run. has no option --markdown, which belongs to .heatsolve validate.;' -- --markdown a.ini
expect '... with a value' 2 'err~check. has no option --json, .*validate. and .heatsolve bench.;' -- check --json x.json a.ini
expect '... abbreviated' 2 'err~has no option --markdown' -- check --mark a.ini
expect '... by its letter' 2 'err~has no option --size, which belongs to .heatsolve bench.' -- check -n 5 a.ini
expect 'a drawing option without render' 2 'err~, there is output.colormap;' -- --colormap gray a.ini
expect 'an override without a configuration' 2 'err~backends. has no option --threads, ' -- backends -t 2

# A configuration from standard input
input=a.ini expect '- is standard input' 0 'out~^heatsolve .*, standard input$' -- - -o piped
check '... gives the same field' same_field piped/field.h5 ref/field.h5
check '... and the report names it' [ "$(json config piped/report.json)" = 'standard input' ]
check '... which holds its text' grep -aqF "$(head -n 1 a.ini)" piped/field.h5
input=a.ini expect 'run -' 0 out= -- run -q - -o piped --set grid.nx=9
check '... with overrides' [ "$(json nx piped/report.json)" = 9 ]
input=a.ini expect 'check -' 0 'out~^configuration +standard input$' 'out~^grid +9 x 17 ' -- check - --set grid.nx=9 -o piped
input=a.ini expect 'verify -' 0 'out~^same bits +yes, all 561' -- verify -
expect 'an empty standard input' 2 'err~^heatsolve: standard input: \[grid\] lacks' -- -
sed 's/^ny = 17/nz = 17/' a.ini >wrong.ini
input=wrong.ini expect 'a wrong key, with its line' 2 'err~^heatsolve: standard input:4: .*"nz"' -- check -
mkdir tables
printf '0,10\n1,20\n' >west.csv
sed 's/^west = .*/west = table west.csv y/' a.ini >tables/table.ini
input=tables/table.ini expect 'files that standard input names are in the present folder' 0 -- -q - -o piped
expect '... otherwise beside the configuration' 5 'err~tables/west.csv' -- -q tables/table.ini -o piped
input=a.ini expect 'a file called -: as a path' 5 'err~^heatsolve: ./-: .*No such file' -- ./-
"$HEATSOLVE" check - >out 2>err <&-
rc=$?
[ $rc -eq 5 ] && grep -q '^heatsolve: standard input: the configuration cannot be read: ' err
result $? 'a closed standard input'

# Overrides
expect '--set' 0 'out~^grid +65 x 17 nodes' -- check a.ini --set grid.nx=65
expect '--set=...' 0 'out~^grid +65 x 17 nodes' -- check --set=grid.nx=65 a.ini
expect '--set: the last wins' 0 'out~^grid +9 x 5 nodes' -- check --set grid.nx=65 --set grid.ny=5 a.ini --set grid.nx=9
expect '--set with blanks' 0 'out~^grid +9 x 17 nodes' -- check a.ini --set ' grid . nx = 9 '
expect '--set adds a source' 0 'out~, 1 source$' -- check a.ini --set 'source a b.shape=everywhere' \
  --set 'source a b.density=3'
unused='err~^heatsolve: warning: material "steal" is used nowhere; did you mean "steel"\?$'
printf '%s\n' '[material steel]' 'conductivity = 40' '[shape bar]' 'shape = everywhere' 'material = steel' | cat a.ini - > bar.ini
expect '--set of a misspelt material, run' 0 warnings=1 "$unused" -- -q -o bar bar.ini --set 'material steal.conductivity=50'
expect '--set of a misspelt material, check' 0 warnings=1 "$unused" -- check -q -o bar bar.ini --set 'material steal.conductivity=50'
expect 'two materials that nothing uses' 0 warnings=1 'err~material "a" .and 1 more. is used nowhere$' -- \
  check -q -o bar bar.ini --set 'material a.conductivity=5' --set 'material zz.conductivity=5'
expect '--set adds half a source' 2 'err~^heatsolve: source x.shape=everywhere: .*density' -- \
  a.ini --set 'source x.shape=everywhere'
expect '--output, then --set output.directory' 0 'out~^output +b:' -- check a.ini -o a --set output.directory=b
expect '--set output.directory, then --output' 0 'out~^output +a:' -- check a.ini --set output.directory=b -o a
for wrong in grid.nx nx=3 =3 . .= ''; do
  expect "--set '$wrong'" 2 "err~--set ${wrong//./\\.}: write SECTION.KEY=VALUE, in quotes" -- a.ini --set "$wrong"
done
quotes='blank: --set "material steel.conductivity=0.025"$'
expect '--set without its quotes' 2 "err~^heatsolve: --set material: write SECTION.KEY=VALUE, .*$quotes" -- \
  --set material steel.conductivity=0.025 a.ini
expect '... behind the file' 2 "err~--set material: .*$quotes" -- a.ini --set material steel.conductivity=0.025
expect '... in one word' 2 "err~--set material: .*$quotes" -- check a.ini --set=material steel.conductivity=0.025
expect '--set of an unknown section' 2 'err~\[gird\]; did you mean \[grid\]' -- a.ini --set gird.nx=3
expect '--set of an unknown key' 2 'err~"nxx" in \[grid\]; did you mean "nx"' -- a.ini --set grid.nxx=3
expect '--set of an empty value' 2 'err~"" is empty. Allowed: integer' -- a.ini --set grid.nx=
expect '--set of two lines' 2 'err~one line' -- a.ini --set $'solver.threads=1\nx'
expect '--set of garbage behind a number' 2 'err~"1 m"' -- a.ini --set 'grid.lx=1 m'
expect 'threads: not a number' 2 'err~solver.threads=x: .*"x" is not an integer. Allowed: integer 0' -- a.ini -t x
expect 'threads: negative' 2 'err~"-1" is out of range' -- a.ini --threads -1
expect 'threads: too many' 2 'err~out of range. Allowed: integer 0[.][.]4096' -- a.ini -t 4097
expect 'an unknown backend' 2 'err~unknown backend "gpu"; known: auto, cpu-reference, cpu, cuda-global' -- a.ini -b gpu
expect 'a missing configuration: how to get one' 5 'err~No such file.*; .heatsolve --print-config > FILE' -- none.ini
expect 'a folder as a configuration' 5 'err~Is a directory; give a file in it' -- tables
expect 'a missing table: where it is looked for' 5 'err~; paths are relative to the configuration' -- tables/table.ini
expect 'an empty backend' 2 'err~"" is empty' -- a.ini -b ''
expect 'an unknown colour map' 2 'err~a.ini: output.colormap is "mud".*viridis' -- a.ini --set output.colormap=mud
expect 'an empty folder' 2 'err~directory: "" is empty' -- a.ini -o ''
rm -rf heatsolve-output
call a.ini --set output.colormap=mud
check 'a refused run makes no folder' [ ! -e heatsolve-output ]

# check and backends
expect 'check says what would happen' 0 'out~^grid +33 x 17' 'out~^memory +[0-9]' 'out~^backend +cpu.* .lowest' \
  'out~^sweeps +about [0-9]+' 'out~^time +about' 'out~^output +heatsolve-output: field.h5' -- check a.ini \
  --set solver.method=jacobi
check '... and writes the drawing of the problem alone' [ "$(ls -A heatsolve-output)" = problem.png ]
check '... which is a PNG file' is_png heatsolve-output/problem.png
expect 'check --quiet' 0 out= -- check -q a.ini
wall=$HS_TEST_SRCDIR/../configs/wall.ini
expect 'check warns of what the grid does not show well' 0 warnings=1 'out~^remarks ' \
  'err~^heatsolve: warning: .source heating pipe.: its cells' -- check "$wall" -o drawn
expect '... with --quiet, too' 0 warnings=1 out= 'err~^heatsolve: warning: .source heating pipe' -- check -q "$wall" -o drawn
expect 'check tells of the iteration limit' 0 'out~exit code 3' -- check a.ini --set solver.max_iterations=10 \
  --set solver.method=jacobi
expect 'backends lists all, with reasons' 0 'out~^cpu-reference +yes ' 'out~^cpu +yes ' \
  'out~^cuda-global +(yes|no) .' 'out~^cuda-shared +(yes|no) .' -- backends

# verify and compare
rm -rf heatsolve-output
for backend in auto cpu cpu-reference; do
  expect "verify $backend" 0 'out~^same bits +yes, all 561 nodes' 'out~^stop and norms +the same bits' -- \
    verify a.ini -b $backend
done
expect 'verify in single precision' 0 'out~^same bits +yes' -- verify a.ini --set solver.precision=single
expect 'verify of a run that does not converge' 0 'out~iteration-limit after 7 sweeps' 'out~^same bits +yes' -- \
  verify a.ini --set solver.max_iterations=7 --set solver.method=jacobi
cp "$inputs/transient.ini" t.ini
for scheme in explicit backward_euler crank_nicolson; do
  step=0.01
  if [ $scheme = explicit ]; then step=0.0009; fi
  expect "verify of a run over time: $scheme" 0 'out~completed at t = 0.1' 'out~^same bits +yes, all 561' \
    'out~^stop and norms +the same bits' -- verify t.ini --set time.scheme=$scheme --set time.step=$step
done
call --print-config
sed '1,/^; \[shape /d; /^; \[source /,$d' out > shape
check '--print-config: a shape has no keys of a node' [ "$(grep -cE '^;+ (i|j) =' shape)/$(grep -c '^;* x0 =' shape)" = 0/1 ]
cp out complete.ini
expect '--print-config: what it prints has an answer' 0 'out~^ +status +converged' 'out~^ +mean temperature +325 K' -- complete.ini -o complete
check '... without a warning' no_warning
expect 'verify of adaptive steps' 0 'out~^same bits +yes, all 561' -- verify t.ini --set time.adaptive=yes \
  --set time.step_tolerance=0.5
for kind in steady transient; do
  printf '%s\n' '[probe p]' 'x = 0.5' 'y = 0.5' '[probe a b]' 'x = 0' 'y = 0.5' 'x1 = 1' 'y1 = 0.5' 'points = 3' |
    cat $([ $kind = steady ] && echo a.ini || echo t.ini) - > listed.ini
  rm -rf listed
  call listed.ini -q -o listed
  find listed -type f -printf '%f\n' | sort > files
  call check listed.ini -o listed
  sed -n 's/^output  *listed: //p' out | tr ' ' '\n' | sort > named
  check "check names the files of a $kind run" cmp -s files named
done
expect 'verify --quiet' 0 out= -- verify -q a.ini
expect 'verify of a missing file' 5 'err~No such file' -- verify none.ini
check 'verify writes nothing' [ ! -e heatsolve-output ]

call -q a.ini -o warm --set boundary.north=101
call -q a.ini -o wide --set grid.nx=35
call -q a.ini -o nan --set boundary.north=1e308 --set boundary.west=1e308 --set boundary.east=-1e308 --set solver.method=jacobi
expect 'compare a field with itself' 0 'out~^same bits +yes, all 561 nodes' 'out~^largest difference +0 K' -- \
  compare ref/field.h5 ref/field.h5
expect 'compare two fields' 1 'out~^same bits +no, [0-9]+ of 561' 'out~^largest difference +1.000e\+00 K at node' -- \
  compare ref/field.h5 warm/field.h5
check '... is no failure' [ ! -s err ]
expect 'compare --quiet' 1 out= -- compare -q ref/field.h5 warm/field.h5
expect 'compare with a field that is not finite' 1 'out~^largest difference +not a number' -- \
  compare ref/field.h5 nan/field.h5
expect 'compare fields of two sizes' 2 'err~33 x 17 nodes and wide/field.h5 has 35 x 17' -- \
  compare ref/field.h5 wide/field.h5
expect 'compare with a missing file' 5 'err~cannot read none.h5: No such file' -- compare ref/field.h5 none.h5
expect 'compare with a folder' 0 'out~^same bits +yes' -- compare ref ref/field.h5
expect 'compare with a text' 5 'err~cannot read a.ini: it is not an HDF5 file' -- compare ref/field.h5 a.ini
head -c 3000 ref/field.h5 >half.h5
expect 'compare with half a file' 5 'err~cannot read half.h5: ' -- compare half.h5 ref/field.h5

# render
expect 'render prints the name of the picture' 0 'out~^ref/field.png$' -- render ref/field.h5
check '... which is a PNG file' is_png ref/field.png
expect 'render --output' 0 'out~^one.png$' -- render ref/field.h5 -o one.png
check 'render draws the same picture again' cmp -s one.png ref/field.png
expect 'render --quiet' 0 out= -- render -q ref/field.h5 -o two.png
for option in --colormap=gray --range=0:50 '--title=Another title' --isotherms=5; do
  expect "render $option" 0 out= -- render -q "$option" ref/field.h5 -o two.png
  is_png two.png && ! cmp -s one.png two.png
  result $? '... draws another picture'
done
expect 'render accepts negative ranges' 0 out= -- render -q ref/field.h5 --range -10:-5 -o two.png
expect 'render: an unknown colour map' 2 'err~--colormap takes one of viridis, .*, not "mud"' -- \
  render --colormap mud ref/field.h5
for wrong in 5 5: :5 5:3 5:5 nan:5 0:inf 1:2:3 1:2x '' -1e308:1e308; do
  expect "render --range '$wrong'" 2 'err~MIN:MAX in K with MIN below MAX' -- render --range "$wrong" ref/field.h5
done
for wrong in -1 101 x 5x '' 1.5 99999999999999999999; do
  expect "render --isotherms '$wrong'" 2 'err~whole number from 0 to 100' -- render --isotherms "$wrong" ref/field.h5
done
expect 'render takes no configuration key' 2 'err~render. has no option --set' -- render --set grid.nx=3 ref/field.h5
expect 'render: a missing field' 5 'err~cannot read none.h5: No such file' -- render none.h5
expect 'render: a text' 5 'err~not an HDF5 file' -- render a.ini
expect 'render: into a folder that is missing' 5 'err~cannot write none/x.png: ' -- render ref/field.h5 -o none/x.png
expect 'render: onto a folder' 5 'err~cannot write ref: it exists and is a folder' -- render ref/field.h5 -o ref
expect 'render: onto a device' 5 'err~not a regular file' -- render ref/field.h5 -o /dev/null

# Runs over time and cells
call -q t.ini -o cells --set grid.layout=cell --set output.unit=degC
expect 'render of a field on cells' 0 'out~^cells/field.png$' -- render cells/field.h5
check '... draws the picture of the run' cmp -s cells/field.png cells/temperature.png
expect 'an animation of a steady run' 2 'err~output.animation asks for moving pictures' -- a.ini -o steady \
  --set output.animation=apng

# The printed configuration and the printed help
call --print-config
cp out default.ini
expect 'the printed configuration is accepted' 0 'out~^grid +101 x 101' -- check default.ini
expect 'the printed configuration runs' 0 out= -- -q default.ini -o default
call --help-config
missing=
while read -r key; do
  grep -qE "^  $key +[^ ]" out || missing+=" $key"
done < <(sed -nE 's/^(; )?([a-z0-9_]+) = .*/\2/p' default.ini)
[ -z "$missing" ]
result $? "--help-config explains every key of the printed configuration${missing:+, but not$missing}"
check '... and there are many' [ "$(grep -cE '^(; )?[a-z0-9_]+ = ' default.ini)" -ge 35 ]

expect 'help on one section' 0 'out~^\[boundary\]$' 'out~^\[boundary NAME\]$' 'out~^  resistance ' -- --help-config boundary
check '... is about no other' [ "$(grep -c '^\[' out)" -eq 2 ]
expect '... as it is written in a file' 0 'out~^\[source NAME\]$' 'out~^  radius ' -- check --help-config '[source heater]'
expect 'help on a misspelt section' 2 out= 'err~no section \[bondary\]; did you mean boundary' -- --help-config bondary

# The configurations of tests/config, through the command
for file in "$HS_TEST_SRCDIR"/config/bad-*.ini; do
  name=${file##*/}
  expect "refused: $name" 2 out= "err~/${name}[: ]" -- check "$file"
done
for file in "$HS_TEST_SRCDIR"/config/good-*.ini; do
  name=${file##*/}
  expect "accepted: $name" 0 'out~^grid ' -- check "$file" -o accepted
done

finish
