#!/usr/bin/env bash
# What users name as inputs: devices, pipes and folders are refused at once; whatever names and files say, no control
# character reaches a terminal.
. "${HS_TEST_SRCDIR:?}/tap.sh"

cp "$inputs/small.ini" "$inputs/transient.ini" .
"$HEATSOLVE" -q small.ini -o ref || exit 1
mkfifo pipe

# quick ARGUMENT...: the program with a limit in time, so that one that waits fails.
program=$HEATSOLVE
cat >quick <<END
#!/bin/sh
exec timeout -s KILL 20 "$program" "\$@"
END
chmod +x quick
HEATSOLVE=$work/quick

# Pipes, devices and folders
for kind in pipe:'a named pipe' /dev/zero:'a device'; do
  what=${kind#*:} path=${kind%%:*}
  expect "$what as a configuration" 2 out= "err~$path: it is $what, and only files" -- "$path"
  expect '... for check' 2 out= "err~$path: it is $what" -- check "$path"
  expect '... for validate' 1 "out~$path: it is $what" -- validate "$path"
  sed "s#^south = .*#south = table $path x#" small.ini >table.ini
  expect "$what as a table" 5 out= "err~cannot read the table $path: it is $what" -- table.ini -o out-table
  expect "$what as a map" 5 out= "err~cannot read $path: it is $what" -- small.ini -o out-map --set "map.initial=$path:/t"
  expect "$what as a picture of materials" 5 out= "err~cannot read $path: it is $what" -- small.ini -o out-map \
    --set "map.materials=$path" --set 'material a.conductivity=1' --set 'material a.color=#102030'
  expect "$what to render" 5 out= "err~cannot read $path: it is $what" -- render "$path"
  expect "$what to compare" 5 out= "err~cannot read $path: it is $what" -- compare ref/field.h5 "$path"
  costs=$(XDG_CACHE_HOME="$PWD/cache" "$HEATSOLVE" tune --show | sed -n 's/^no measurements of this machine in \(.*\); .*/\1/p')
  mkdir -p "${costs%/*}" && ln -sf "$(realpath "$path")" "$costs"
  XDG_CACHE_HOME="$PWD/cache" expect "$what as measured costs" 0 warnings=1 "err~tuning-.* cannot be used: it is $what" -- \
    small.ini -q -o out-costs
  rm "$costs"
  mkdir -p "went-$what" && ln -s "$(realpath "$path")" "went-$what/checkpoint.h5"
  expect "$what as a checkpoint" 5 out= 'err~checkpoint.h5 is damaged: it is not a file' -- small.ini --restart \
    -o "went-$what"
done
sed 's#^south = .*#south = table ref x#' small.ini >table.ini
expect 'a folder as a table' 5 out= 'err~cannot read the table ref: Is a directory' -- table.ini -o out-table
expect 'a folder as a map' 5 out= 'err~cannot read ref: Is a directory' -- small.ini -o out-map --set map.initial=ref:/t
input=/dev/zero expect 'standard input without end' 2 out= 'err~standard input: the file has more than 16 MiB' -- -
input=/dev/zero expect '... also by its name' 2 out= 'err~/dev/stdin: the file has more than 16 MiB' -- /dev/stdin
input=small.ini expect 'standard input by its name' 0 out= -- -q /dev/stdin -o by-name

# Lengths
{ printf '0,1\n1,2'; head -c 5000 /dev/zero | tr '\0' ' '; } >long.csv
sed 's#^south = .*#south = table long.csv x#' small.ini >table.ini
expect 'a line without end in a table' 2 out= 'err~long.csv:2: this line has more than 4096 bytes' -- table.ini

# Control characters
plain_output() {
  ! LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|(^|[^\xc2-\xf4])[\x80-\x9f]|\xc2[\x80-\x9f]' out err
}
bad=$'a\e[31m\x9b2J\x07\nb\xc2\x9b'
cp small.ini "$bad.ini"
expect 'a configuration whose name holds control characters' 0 'out~, a\\x1b\[31m\\x9b2J\\x07\\x0ab\\xc2\\x9b.ini$' -- \
  "$bad.ini" -o strange
check '... which reach no terminal' plain_output
grep -q '"config": ' strange/report.json
result $? '... and the report is whole'
for arguments in "check $bad.ini -o;strange" "validate $bad.ini" "$bad" "$bad.ini --set;$bad=1" "$bad.ini -b;$bad" \
  "--$bad" "help $bad" "render $bad" "compare ref/field.h5 $bad" "bench -n;$bad" "bench -q;--csv;$bad/x" "tune -b;$bad"; do
  IFS=' ;' read -r -d '' -a words <<<"${arguments//"$bad"/@}"
  for k in "${!words[@]}"; do words[k]=${words[k]%$'\n'}; words[k]=${words[k]//@/$bad}; done
  call "${words[@]}"
  check "no control character in what is said of: ${arguments//"$bad"/BAD}" plain_output
done
cp ref/field.h5 "$bad.h5"
expect 'render' 0 'out~^a\\x1b.*png$' -- render "$bad.h5"
check '... names its picture without them' plain_output
check '... and gives it its name' [ -s "$bad.png" ]
mkdir "$bad"
XDG_CACHE_HOME="$PWD/$bad" call tune --show
check 'tune does as well' plain_output
expect 'a folder that a configuration names with them' 2 'err~control characters' -- small.ini -o "$bad"

# Near names
sed 's/^south = .*/south = 1/' small.ini >plate.ini
expect 'a configuration of a similar name' 5 out= 'err~plte.ini: .*No such file or directory; .*[.] Did you mean plate.ini\?$' -- plte.ini
mkdir cases && cp small.ini cases/plate-1.ini
expect '... in its folder' 5 out= 'err~Did you mean cases/plate-1.ini\?$' -- check cases/plate1.ini
expect '... without its ending' 5 out= 'err~Did you mean plate.ini\?$' -- plate
expect '... for validate' 2 out= 'err~no file or folder plate.in; did you mean plate.ini\?' -- validate plate.in
expect 'a name that is like no other' 5 out= 'err~quite-different.ini: .*makes one to start from[.]$' -- quite-different.ini
expect 'a backend of a similar name' 2 out= 'err~unknown backend "CPU"; known: auto, .*; did you mean cpu\?$' -- small.ini -b CPU
expect '... of a device' 2 out= 'err~unknown backend "gpu"; .*; did you mean cuda-global\?$' -- small.ini -b gpu
expect '... of none' 2 out= 'err~unknown backend "abacus"; .*run here\)$' -- small.ini -b abacus
expect 'render of a folder takes its field' 0 'out~^ref/field.png$' -- render ref
expect 'compare of two folders' 0 'out~^same bits +yes' -- compare ref ref/
expect 'a folder without a field' 5 out= 'err~cannot read cases/field.h5: No such file' -- render cases
expect 'a field of a similar name' 5 out= 'err~ref/feld.h5: No such file or directory. Did you mean ref/field.h5\?$' -- render ref/feld.h5
cp small.ini cases/map.ini
expect 'a map that is not there' 5 out= 'err~cannot read cases/m.h5: No such file .*; paths are relative to the configuration$' -- \
  cases/map.ini -o out-map --set map.initial=m.h5:/t
expect 'a picture that is not there' 5 out= 'err~cannot read cases/m.png: No such file .*; paths are relative to the configuration$' -- \
  cases/map.ini -o out-map --set map.materials=m.png --set 'material a.conductivity=1' --set 'material a.color=#102030'
finish
