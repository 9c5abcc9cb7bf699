#!/usr/bin/env bash
# heatsolve validate: cases with known answers.
#
# A slab between 0 and 100 has 50 in its middle. Cases that pass, that miss, that lack what they need
# and that cannot be run stand beside each other, and each must be counted.
. "${HS_TEST_SRCDIR:?}/tap.sh"

# slab NAME [EXPECT-LINE]...: a configuration, with a section [expect center] of these lines.
slab() {
  cat >"$1" <<'END'
[grid]
nx = 9
ny = 3
lx = 1
ly = 0.25
[material]
conductivity = 2
[boundary]
west = 0
east = 100
south = insulated
north = insulated
[solver]
criterion = error
tolerance = 1e-8
END
  if [ $# -eq 1 ]; then return; fi
  printf '[expect center]\n' >>"$1"
  printf '%s\n' "${@:2}" >>"$1"
}

mkdir cases
slab cases/good.ini 'quantity = center' 'value = 50' 'allowed = 1e-6' 'source = symmetry | arithmetic'
slab cases/wrong.ini 'quantity = center' 'value = 51' 'allowed = 0.5' 'source = nobody'
slab cases/plain.ini
sed 's/^nx = 9/nx = nine/' cases/good.ini >cases/broken.ini
echo 'not a configuration' >cases/notes.txt

expect 'a case that passes' 0 'out~^good +center +50 +50 +.* 1e-06  pass$' 'out~^1 of 1 pass$' -- \
  validate cases/good.ini
check '... ends with the count' [ "$(tail -n 1 out)" = '1 of 1 pass' ]
check '... and writes no file' [ "$(ls)" = "$(printf 'cases\nerr\nout')" ]
expect 'a case that misses' 1 'out~^wrong +center +51 +50 +1 +0.5  FAIL$' 'out~^0 of 1 pass$' -- \
  validate cases/wrong.ini
check '... is no failure of the program' [ ! -s err ]
expect 'a case that cannot be run' 1 'out~^broken +FAIL .*broken.ini:2: .*nine' 'out~^0 of 1 pass$' -- \
  validate cases/broken.ini
expect '... does not stop the others' 1 'out~^good .*pass$' 'out~^broken +FAIL' 'out~^1 of 2 pass$' -- \
  validate cases/broken.ini cases/good.ini
expect 'a case that is missing' 2 out= 'err~there is no file or folder none.ini; try .heatsolve help validate' -- \
  validate cases/good.ini none.ini
input=cases/good.ini expect 'standard input' 0 'out~^standard input +center +50 +50 .* pass$' -- validate -
expect 'a case without [expect]' 1 'out~^plain +FAIL .*no .expect NAME. section' -- validate cases/plain.ini
expect 'a folder' 1 'out~^good .*pass$' 'out~^wrong .*FAIL$' 'out~^broken +FAIL' 'out~^1 of 3 pass$' -- validate cases
check '... of which other files do not count' test -z "$(grep -E '^(notes|plain)' out)"
expect 'several of both kinds' 1 'out~^2 of 4 pass$' -- validate cases/good.ini cases/
expect '--quiet' 1 out= -- validate -q cases
expect '--quiet, all well' 0 out= -- validate -q cases/good.ini

for quantity in stop_index update_l2 history.update_max.0; do
  slab cycles.ini "quantity = $quantity" 'value = 50' 'allowed = 1'
  expect "cycles have no $quantity, which is said" 1 \
    "out~^cycles +FAIL cycles.ini:16: .expect center.: \"$quantity\" has no value in this run, which made multigrid cycles" -- \
    validate cycles.ini --set solver.method=multigrid
done
slab unknown.ini 'quantity = probe.nowhere' 'value = 50' 'allowed = 1'
expect 'a quantity that does not exist' 1 'out~unknown.ini:[0-9]+: .*expect center.*"probe.nowhere"' -- \
  validate unknown.ini
slab share.ini 'quantity = side.east' 'value = 51' 'allowed = 0.03' 'relative = yes'
sed -i 's/probe.nowhere/cneter/' unknown.ini
expect '... is answered by a near name and all names' 1 'out~"cneter"; did you mean "center".* material.NAME.mean' -- \
  validate unknown.ini
expect '... which help lists, too' 0 'out~one of min, max' 'out~residual_relative' -- --help-config
expect 'a relative allowance' 0 'out~^share +side.east +51 +50 ' -- validate share.ini
sed -i 's/0.03/0.01/' share.ini
expect '... that is exceeded' 1 'out~FAIL$' -- validate share.ini
slab overflow.ini 'quantity = min' 'value = 0' 'allowed = 1e308'
sed -i 's/^east = 100/east = 1e308/; s/^west = 0/west = -1e308/; s/^south = insulated/south = 1e308/' overflow.ini
expect 'a run that diverges' 1 'out~^overflow +FAIL the run ended diverged after' -- validate overflow.ini

# Options
expect '--backend' 0 'out~pass$' -- validate -b cpu-reference cases/good.ini
expect '--set' 1 'out~^good +center +50 +45 ' -- validate cases/good.ini --set boundary.east=90
expect '--backend of another name' 1 'out~FAIL .*gpu' -- validate -b gpu cases/good.ini
expect '--output is refused' 2 'err~validate. has no option --output, ' -- validate -o folder cases/good.ini
expect '--markdown' 1 'out~^\| case \| quantity \|' 'out~^\| good \| center \| 50 \| 50 \| .* \| pass \| symmetry ..' \
  'out~^\| wrong \| .* \| \*\*fail\*\* \| nobody \|$' 'out~^1 of 3 pass$' -- validate --markdown cases
# Every line of the table has its nine bars; one that belongs to a text is marked.
bars=$(grep '^|' out | sed 's/\\|//g' | tr -cd '|\n' | sort -u)
check '... has one form in all lines' [ "$bars" = '|||||||||' ]
expect '--json' 1 'out~^1 of 3 pass$' -- validate --json figures.json cases
[ "$(json pass figures.json) $(json total figures.json)" = '1 3' ] && grep -q '"published": 50.0' figures.json &&
  grep -q '"failure": ".*nine' figures.json && [ "$(grep -c '"pass": true' figures.json)" -eq 1 ]
result $? '... writes the figures'
expect '--json into a folder that is missing' 5 'err~cannot write none/x.json' -- validate --json none/x.json \
  cases/good.ini
mkdir empty
expect 'a folder without cases' 2 'err~the folder empty holds no configuration' -- validate empty
cp cases/plain.ini empty
expect 'a folder without expectations' 1 'out~nothing was compared' -- validate empty

# The cases that came with heatsolve
cases=$("$HEATSOLVE" --version | sed -n 's/^cases: *//p')
check 'the program knows its cases' [ -f "$cases/laplace2d.ini" ]
expect '... and runs them from any folder' 1 'out~^0 of [1-9][0-9] pass$' -- validate --set grid.nx=none
mkdir -p alone there/configs/validation moved/bin moved/share/heatsolve/validation
cp cases/good.ini there/configs/validation
cp cases/wrong.ini moved/share/heatsolve/validation
cp "$HEATSOLVE" alone/heatsolve
cp "$HEATSOLVE" moved/bin/heatsolve
(cd there && ../moved/bin/heatsolve validate >../out 2>../err </dev/null)
rc=$?
[ $rc -eq 1 ] && grep -q '^wrong .*FAIL$' out
result $? 'an installation that was moved has its own'
if [ -d "$(alone/heatsolve --version | sed -n 's/^cases: *//p')" ]; then
  skip 'cases below the present folder' 'heatsolve is installed'
else
  (cd there && ../alone/heatsolve validate >../out 2>../err </dev/null)
  rc=$?
  [ $rc -eq 0 ] && grep -q '^good .*pass$' out
  result $? 'cases below the present folder'
  alone/heatsolve validate >out 2>err </dev/null
  rc=$?
  [ $rc -eq 2 ] && grep -q 'there are no cases: .*configs/validation' err
  result $? 'no cases at all'
fi

# The examples for which theory gives a figure
gallery=${HS_TEST_SRCDIR:?}/../examples/gallery
expect 'the examples meet their theory' 0 'out~^quench .* pass$' 'out~^12 of 12 pass$' -- validate \
  "$gallery/chip.ini" "$gallery/circuit.ini" "$gallery/composite-wall.ini" "$gallery/fin.ini" "$gallery/quench.ini"

# Runs over time, and signals
cp "$inputs/transient.ini" time.ini
printf '[expect %s]\nquantity = %s\nvalue = %s\nallowed = %s\n' end time 0.1 1e-12 steps steps 10 0 top max 100 0 >>time.ini
expect 'a run over time' 0 'out~^3 of 3 pass$' -- validate time.ini
expect '... in equal steps of a number' 0 'out~^time +steps +6 +6 ' -- validate time.ini --set time.steps=6 --set 'expect steps.value=6' \
  --set time.snapshot_every=0.05
check '... leaves no snapshots' [ -z "$(find . -name 'snapshots*')" ]
{
  cat "$inputs/endless.ini"
  printf '[expect center]\nquantity = center\nvalue = 1\nallowed = 1\n'
} >endless.ini
timeout -k 20 -s INT --preserve-status 0.7 "$HEATSOLVE" validate cases/good.ini endless.ini cases/wrong.ini >out 2>err \
  </dev/null
rc=$?
[ $rc -eq 75 ] && grep -q '^good .*pass$' out && ! grep -q '^endless' out && ! grep -q '^wrong' out
result $? 'a signal ends it, and what was not finished is not judged'

finish
